"""Printable text: control characters, and characters that the terminal cannot show, are replaced by others."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO
from unicodedata import combining, east_asian_width

ASCII = str.maketrans(
    {
        **dict.fromkeys("╶╴─━═┄", "-"),
        **dict.fromkeys("╷╵│┃║┆", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╋╬", "+"),
        **{"╱": "/", "╲": "\\", "░": ":", "●": "*", "○": "o", "·": "*", "…": "...", "±": "+/-", "≥": ">=", "→": "->"},
    }
)
"""What stands for the characters of our drawings and sentences where only ASCII can be written."""

HANDLER = "kazoeru.ascii"


def printable(text: str) -> str:
    """The text with escapes, as Python writes them, for all that is not a visible character or space.

    >>> print(printable("a\\x1b[31m\\n\\u202eb é"))
    a\\x1b[31m\\n\\u202eb é
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shown(text: str) -> str:
    """A piece of a file as an error message quotes it."""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def columns(text: str) -> int:
    """Count the columns of a terminal that a text takes.

    >>> columns("abc"), columns("漢字")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(mark) else 1 + (east_asian_width(mark) in "WF") for mark in text)


class CannotPrint(Exception):
    """Raised if the output cannot be written; the message says why."""


class Printer(io.TextIOWrapper):
    """A stream that shows every text: what is not printable, but for the ends of lines, is escaped; what its encoding
    lacks is replaced."""

    def __init__(self, stream: io.TextIOWrapper, is_needed: bool) -> None:
        """Wrap a stream, which must not be used directly afterwards.

        is_needed: raise `CannotPrint` if it cannot be written; else nothing comes of that.
        """
        encoding, line_buffering, write_through = stream.encoding, stream.line_buffering, stream.write_through
        super().__init__(stream.detach(), encoding, HANDLER, None, line_buffering, write_through)
        self._is_needed = is_needed

    def write(self, text: str) -> int:
        self.paint("\n".join(map(printable, text.split("\n"))))
        return len(text)

    def paint(self, text: str) -> None:
        """Write what holds escape sequences for a terminal, and is printable otherwise."""
        with self._guarded():
            super().write(text)

    def flush(self) -> None:
        with self._guarded():
            super().flush()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if self._is_needed and isinstance(error, BrokenPipeError):
                raise
            if self._is_needed:
                raise CannotPrint(f"cannot print: {error.strerror}") from None


def paint(stream: TextIO, text: str) -> None:
    """Write what holds escape sequences for a terminal, and is printable otherwise."""
    if isinstance(stream, Printer):
        stream.paint(text)
    else:
        stream.write(text)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(ASCII)
    return lacking.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(HANDLER, _replaced)
