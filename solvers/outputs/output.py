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
from typing import IO, Protocol

from solvers.errors import InputError
from solvers.outputs.paths import resolved
from solvers.running.plug import LiteralCounts
from solvers.running.question import Question
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded


class EndedRun(Protocol):
    """The part of a run that has ended which an output asks for; `running.runner.Run` answers."""

    report: Report
    marginals: LiteralCounts | None

    @property
    def question(self) -> Question | None:
        """The question of the run; None if the run did not come that far."""

    def in_order(self) -> list[Encoded]:
        """The solutions up to symmetry that were found, in the run's order."""

    def work_on(self, work: Callable[..., object]) -> float:
        """Do what takes long, under the run's time limit and stop; how many seconds it took."""


class Output:
    """Something that a run writes to the path that a person named in an option.

    Every method may be left as it is. All raise OSError where the disk is full.
    """

    path: Path
    absence = ""
    """A clause that is added to the error message if the output could not be written."""

    def begin(self, question: Question) -> None:
        """The search is about to begin; raises `InputError` if of this question there is nothing to write."""

    def add(self, solution: Decoded) -> None:
        """A solution that was just found."""

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write what is to be written at the end, or what can be until it is over; a sentence on what is missing."""
        return ""


class FileOutput(Output):
    """A plain file. Raises `InputError` at once if it cannot be written."""

    def __init__(self, path: str, option: str) -> None:
        with refused(path, f"choose another file for {option}", "write"):
            self.path = resolved(path)
            if not path or (self.path.exists() and not self.path.is_file()):
                raise OSError(errno.EINVAL, "it is not a regular file")
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise OSError(errno.EACCES, "it is write-protected")
            self.part = Path(f"{self.path}.part")
            self.part.open("w", encoding="utf-8").close()
            self.part.unlink()

    @contextmanager
    def stream(self) -> Iterator[IO[str]]:
        """Open the file to write all of it. Nothing is left if that fails."""
        try:
            with self.part.open("w", encoding="utf-8", newline="") as stream:
                yield stream
            self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)


@contextmanager
def refused(path: str, advice: str, task: str) -> Iterator[None]:
    """Turn an OSError about a path into an `InputError` with one clear sentence."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot {task} {path or repr(path)}: {reason}; {advice}") from None
