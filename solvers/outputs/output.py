"""What a run writes: one protocol for all of it, and how files and folders get their names.

An output is made before the run, so that one that cannot be written is refused at once; it learns the question before
the search begins, each solution as soon as it is found, and the run at its end. A file or folder is written beside its
place, with the ending .part, and gets its name when all of it is there.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from solvers.errors import InputError
from solvers.outputs.paths import resolved
from solvers.running.question import Question
from solvers.show.marginals import Marginals
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded


class Ended(Protocol):
    """What an output asks of a run that has ended; `running.runner.Run` answers."""

    report: Report
    marginals: Marginals | None

    @property
    def question(self) -> Question | None:
        """What the run was about; None if it did not come so far."""

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
    """What there is to say, besides the error, where it could not be written."""

    def begin(self, question: Question) -> None:
        """The search is about to begin; raises `InputError` if of this question there is nothing to write."""

    def add(self, solution: Decoded) -> None:
        """A solution that was just found."""

    def finish(self, run: Ended, is_over: Callable[[], bool]) -> str:
        """Write what is to be written at the end, or what can be until it is over; a sentence on what is missing."""
        return ""


class FileOutput(Output):
    """A plain file. Raises `InputError` at once if it cannot be written."""

    def __init__(self, path: str, option: str) -> None:
        with refused(path, f"choose another file for {option}", "write"):
            self.path = resolved(path)
            if not path or (self.path.exists() and not self.path.is_file()):
                raise OSError(errno.EINVAL, "it is no plain file")
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise OSError(errno.EACCES, "it is write-protected")
            self.part = Path(f"{self.path}.part")
            self.part.open("w", encoding="utf-8").close()
            self.part.unlink()

    @contextmanager
    def stream(self) -> Iterator[IO[str]]:
        """To write all of it. Nothing is left if that fails."""
        try:
            with self.part.open("w", encoding="utf-8", newline="") as stream:
                yield stream
            self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)


class FolderOutput(Output):
    """A new folder, or an empty one, in folders that are made too if asked for.

    Raises `InputError` at once if it cannot be written.
    """

    def __init__(self, path: str, option: str, *, in_new_folders: bool = False) -> None:
        with refused(path, f"choose another folder for {option}", "write to"):
            self.path = resolved(path)
            if not path or (self.path.exists() and not self.path.is_dir()):
                raise OSError(errno.EINVAL, "it is no folder")
            if self.path.exists() and any(self.path.iterdir()):
                raise OSError(errno.ENOTEMPTY, "it is not empty")
            if in_new_folders:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._part().rmdir()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """To fill it. Nothing is left if that fails."""
        part = self._part()
        try:
            yield part
            part.chmod(0o755)
            part.replace(self.path)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _part(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f"{self.path.name}.", suffix=".part"))


@contextmanager
def refused(path: str, advice: str, task: str) -> Iterator[None]:
    """Make of what the system says of a path a sentence for the person who named it."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot {task} {path or repr(path)}: {reason}; {advice}") from None
