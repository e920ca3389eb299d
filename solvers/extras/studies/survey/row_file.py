"""A file that keeps rows by a text, so that a study goes on after a stop or a crash."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from solvers.base.errors import InputError, StoreError
from solvers.cubes.store import DAMAGED, seal

SEAL_LENGTH = 33
"""The characters of a seal before a line's text, and the blank between them."""


class RowFile:
    """A file of rows by a text, a line of JSON for each; the first line says what was asked.

    Each line begins with its seal, a checksum of the rest. Of several rows by the same text, the last one counts.
    """

    def __init__(self, path: str, kind: str, identity: str, foreign: str, other: str) -> None:
        """Open or create the file.

        kind: the mark of such a file, with its format. identity: all on which the rows depend. foreign, other: the ends
        of the messages for a file of another kind, and for one with another identity. Raises `InputError` for these, if
        the file is damaged, or if it is in use.
        """
        self.path = path
        self.rows: dict[str, Any] = {}
        """The rows that the file has."""
        try:
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115  stays open while the run goes on
        except OSError as error:
            raise InputError(f"{path} cannot be used as a store: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read(kind, sha256(identity.encode()).hexdigest(), foreign, other)
        except BlockingIOError:
            self._file.close()
            raise InputError(f"{path} is in use by another run; choose another file for `--store`") from None
        except BaseException:
            self._file.close()
            raise

    def _read(self, kind: str, checksum: str, foreign: str, other: str) -> None:
        """Read what the file has, and begin it if it is empty; an incomplete last line is dropped.

        checksum: that of the identity, which the first line has. The rest is as for the class.
        """
        head = json.dumps([kind, checksum])
        self._file.seek(0)
        content = self._file.read()
        if not content:
            self._write([head])
            return
        whole_lines = content[: content.rfind(b"\n") + 1]
        lines = whole_lines.decode(errors="replace").split("\n")[:-1]
        first, *row_texts = [line[SEAL_LENGTH:] for line in lines] or [""]
        if not first.startswith(json.dumps([kind])[:-1]):
            raise InputError(f"{self.path} {foreign}; choose another file for `--store`")
        if any(_line(line[SEAL_LENGTH:]) != line for line in lines):
            raise InputError(DAMAGED.format(self.path))
        if first != head:
            raise InputError(f"{self.path} {other}; choose another file for `--store`")
        self.rows = dict(map(json.loads, row_texts))
        self._file.seek(len(whole_lines))
        self._file.truncate()

    def write(self, rows: Mapping[str, Any]) -> None:
        """Write rows by their texts; raise `StoreError` if that fails."""
        self.rows |= rows
        self._write(map(json.dumps, rows.items()))

    def _write(self, texts: Iterable[str]) -> None:
        """Write a line for each text; raise `StoreError` if that fails.

        What is not written wholly, as the disk is full, is removed again.
        """
        lines = "".join(f"{_line(text)}\n" for text in texts).encode()
        size = os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(lines) < len(lines):  # nothing is held back, so that closing the file writes nothing
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(size)
            raise StoreError(f"{self.path}: {error.strerror}") from None

    def close(self) -> None:
        """Write what is left to the disk, and close the file."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from None


def _line(text: str) -> str:
    """Return a text behind its seal."""
    return f"{seal(text.encode()).hex()} {text}"
