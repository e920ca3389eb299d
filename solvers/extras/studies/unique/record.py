"""The file that remembers verdicts, so that a run goes on after a stop without judging a puzzle twice."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from contextlib import suppress
from hashlib import sha256
from typing import Any

from solvers.base.errors import InputError, StoreError
from solvers.extras.studies.unique.judge import PuzzleVerdict

KIND = "kazoeru unique 1"
"""The mark of such a file, with its format."""


class Record:
    """A file of verdicts by the text of the puzzle; JSON lines, the first of which says what was asked."""

    def __init__(self, path: str, identity: str) -> None:
        """Open or create the file; identity: the puzzle and the options on which the verdicts depend.

        Raises `InputError` if it is no such file, belongs to another question, or is in use.
        """
        self._path = path
        self.known: dict[str, PuzzleVerdict] = {}
        """The verdict on each puzzle that was judged, by the checksum of its text."""
        try:
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115  stays open while the run goes on
        except OSError as error:
            raise InputError(f"{path} cannot be used as a store: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read(identity)
        except BlockingIOError:
            self._file.close()
            raise InputError(f"{path} is in use by another run; choose another file for `--store`") from None
        except BaseException:
            self._file.close()
            raise

    def _read(self, identity: str) -> None:
        """Read what the file has, and begin it if it is empty; an incomplete last line is dropped.

        identity: what the verdicts depend on, whose checksum the first line has. Raises `InputError` if it is another
        one, or if the file is no such store. Each other line is a JSON object: the checksum of a puzzle's text and the
        fields of its verdict.
        """
        self._file.seek(0)
        try:
            text = self._file.read().decode()
        except UnicodeDecodeError:
            raise InputError(self._foreign) from None
        head = {"kind": KIND, "of": sha256(identity.encode()).hexdigest()}
        if not text:
            self._write(head)
            return
        whole_lines = text[: text.rfind("\n") + 1]
        try:
            first_row, *rows = [json.loads(line) for line in whole_lines.splitlines()] or [None]
        except ValueError:
            raise InputError(f"{self._path} is damaged; choose another file for `--store`") from None
        if not isinstance(first_row, dict) or first_row.get("kind") != KIND:
            raise InputError(self._foreign)
        if first_row != head:
            raise InputError(f"{self._path} holds answers about another puzzle; choose another file for `--store`")
        for row in rows:
            steps = tuple(row.get("reasoning", ()))
            verdict = PuzzleVerdict(row["solutions"], tuple(row["found"]), row["seconds"], row["error"], steps)
            self.known[row["text"]] = verdict
        self._file.seek(len(whole_lines.encode()))
        self._file.truncate()

    @property
    def _foreign(self) -> str:
        """The message for a file of another kind."""
        return f"{self._path} is no store of answers; choose another file for `--store`"

    def verdict(self, text: str) -> PuzzleVerdict | None:
        """Return the verdict on the puzzle of this text; None if it is not known."""
        return self.known.get(_checksum(text))

    def add(self, text: str, verdict: PuzzleVerdict) -> None:
        """Write a verdict; raise `StoreError` if that fails."""
        self.known[_checksum(text)] = verdict
        self._write({"text": _checksum(text), **verdict._asdict()})

    def _write(self, row: dict[str, Any]) -> None:
        """Write a line; raise `StoreError` if that fails.

        A line that is not written wholly, as the disk is full, is removed again.
        """
        line, size = f"{json.dumps(row)}\n".encode(), os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(line) < len(line):  # nothing is held back, so that closing the file writes nothing
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(size)
            raise StoreError(f"{self._path}: {error.strerror}") from None

    def close(self) -> None:
        """Write what is left to the disk, and close the file."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror}") from None


def _checksum(text: str) -> str:
    """Return the checksum of a text without line breaks at its ends; blanks may be cells."""
    return sha256(text.strip("\r\n").encode()).hexdigest()
