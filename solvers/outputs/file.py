"""How a file is written: beside its place first, then renamed."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from solvers.errors import InputError
from solvers.outputs.paths import resolved


class Output:
    """A file that a person named in an option; it gets its name when all of it is written, and until then is FILE.part.

    Raises `InputError` at once if it cannot be written.
    """

    def __init__(self, path: str, option: str) -> None:
        try:
            self.path = resolved(path)
            if not path or (self.path.exists() and not self.path.is_file()):
                raise OSError(errno.EINVAL, "it is no plain file")
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise OSError(errno.EACCES, "it is write-protected")
            self.part = Path(f"{self.path}.part")
            self.part.open("w", encoding="utf-8").close()
            self.part.unlink()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot write {path or repr(path)}: {reason}; choose another file for {option}") from None

    @contextmanager
    def stream(self) -> Iterator[IO[str]]:
        """To write all of it. Nothing is left if that fails; OSError where the disk is full."""
        try:
            with self.part.open("w", encoding="utf-8", newline="") as stream:
                yield stream
            self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)
