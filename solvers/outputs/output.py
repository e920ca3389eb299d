"""The protocol of all outputs of a run, and the names of their files and folders.

An output is made before the run, so that one that cannot be written is refused at once; it learns the question before
the search begins, each solution as soon as it is found, and the run at its end. A file or folder is written beside its
place, with the ending .part, and gets its name when all of it is there.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from solvers.base.errors import InputError
from solvers.outputs.paths import real_path
from solvers.running.plug import LiteralCounts
from solvers.running.question import Question
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded


class EndedRun(Protocol):
    """The part of a run that has ended which an output asks for; `running.runner.Run` answers."""

    @property
    def marginals(self) -> LiteralCounts | None:
        """The number of solutions in which each literal is true; None if that was not asked for, or is not known."""

    @property
    def report(self) -> Report:
        """The report of the run so far."""

    def add_facts(self, **fields: Any) -> None:
        """Have the report say what was established after the search; fields: those of `Report`."""

    def add_seconds(self, **seconds: float) -> None:
        """Have the report say how long something took after the search; seconds: by the names of `Report.seconds`."""

    @property
    def question(self) -> Question | None:
        """The question of the run; None if the run did not come that far."""

    def in_order(self, most: int | None = None) -> list[Encoded]:
        """Return the least image of each orbit found, as literal numbers, in key order; most: how many, or None."""

    def work_on(self, work: Callable[..., object]) -> float:
        """Do further work after the search, and return its seconds; see `solvers.running.runner.Run.work_on`."""


class Output:
    """Something that a run writes to the path that a person named in an option.

    Every method may be left as it is. All raise OSError where the disk is full.
    """

    path: Path
    absence = ""
    """A clause that is added to the error message if the output could not be written."""

    def begin(self, question: Question) -> None:
        """Take note of the question; called once, before the search. The default does nothing.

        Raises `InputError` if nothing can be written for this question.
        """

    def add(self, solution: Decoded) -> None:
        """Take a solution that was just found, the least image of a new orbit. The default does nothing."""

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the output at the end of the run; return a sentence on what is missing, empty if nothing is.

        run: the run that has ended, complete or not. is_over: says whether there is no more time; then the method
        writes what it can and returns.
        """
        return ""


class FileOutput(Output):
    """A plain file, written as ``part`` beside its place until it is complete.

    Raises `InputError` at once if the file cannot be written.
    """

    def __init__(self, path: str) -> None:
        """Check that the file can be written; raise `InputError` if it cannot."""
        with convert_file_errors(path, "choose another file", "write"):
            self.path = real_path(path)
            if not path or (self.path.exists() and not self.path.is_file()):
                raise OSError(errno.EINVAL, "it is not a regular file")
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise OSError(errno.EACCES, "it is write-protected")
            self.part = Path(f"{self.path}.part")
            # Whether a file can be made beside the path is tried out.
            self.part.open("w", encoding="utf-8").close()
            self.part.unlink()

    @contextmanager
    def stream(self) -> Iterator[IO[str]]:
        """Open the file for writing text; the file gets its name when the block ends.

        Nothing is left if the block raises an exception.
        """
        try:
            with self.part.open("w", encoding="utf-8", newline="") as stream:
                yield stream
            self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)

    def write(self, text: str) -> None:
        """Write the whole file; raise `OSError` if that fails."""
        with self.stream() as stream:
            stream.write(text)


@contextmanager
def convert_file_errors(path: str, advice: str, task: str) -> Iterator[None]:
    """Turn an OSError or ValueError in the block into an `InputError`.

    Its message is "cannot TASK PATH: REASON; ADVICE". path: the path of the file, for the message. task: a verb such as
    "write". advice: a clause that says what the user can do.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot {task} {path or repr(path)}: {reason}; {advice}") from None
