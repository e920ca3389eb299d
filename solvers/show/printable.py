"""Printable text.

Control characters, and characters that the terminal cannot show, are replaced by others.
"""

from __future__ import annotations

import codecs
import io
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
"""The ASCII text in place of each character of our drawings and sentences, where only ASCII can be written."""

HANDLER = "kazoeru.ascii"
"""The name under which Python knows the handler that replaces characters an encoding lacks."""


def printable(text: str) -> str:
    """Return the text with Python's escapes for all characters that are neither visible nor a space.

    >>> print(printable("a\\x1b[31m\\n\\u202eb é"))
    a\\x1b[31m\\n\\u202eb é
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quotation(text: str) -> str:
    """Return the first 40 characters of a text in quotes, as an error message quotes a file."""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def columns(text: str) -> int:
    """Return the number of columns of a terminal that a text takes.

    >>> columns("abc"), columns("漢字")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(mark) else 1 + (east_asian_width(mark) in "WF") for mark in text)


class CannotPrint(Exception):
    """Raised if the output cannot be written; the message says why."""


class Printer(io.TextIOWrapper):
    """A text stream that can show every text.

    Characters that are not printable, except ends of lines, are escaped; characters that its encoding lacks are
    replaced.
    """

    def __init__(self, stream: io.TextIOWrapper, is_needed: bool) -> None:
        """Wrap a stream, which must not be used directly afterwards.

        is_needed: if true, raise `CannotPrint` if writing fails; if false, ignore the failure.
        """
        encoding, line_buffering, write_through = stream.encoding, stream.line_buffering, stream.write_through
        super().__init__(stream.detach(), encoding, HANDLER, None, line_buffering, write_through)
        self._is_needed = is_needed

    def write(self, text: str) -> int:
        """Write a text with escapes for what is not printable; return the length of the text as it was given."""
        is_plain = text.replace("\n", "").isprintable()
        self.paint(text if is_plain else "\n".join(map(printable, text.split("\n"))))
        return len(text)

    def paint(self, text: str) -> None:
        """Write a text as it is; it may hold escape sequences for a terminal."""
        try:
            super().write(text)
        except OSError as error:
            self._treat(error)

    def flush(self) -> None:
        """Write out what is buffered."""
        try:
            super().flush()
        except OSError as error:
            self._treat(error)

    def _treat(self, error: OSError) -> None:
        """Raise `CannotPrint` for an error of writing; ignore it if the stream is not needed.

        A BrokenPipeError on a stream that is needed is raised as it is.
        """
        if self._is_needed and isinstance(error, BrokenPipeError):
            raise error
        if self._is_needed:
            raise CannotPrint(f"cannot print: {error.strerror}") from None


def paint(stream: TextIO, text: str) -> None:
    """Write a text, which may hold escape sequences for a terminal, to any stream.

    A `Printer` then does not escape the sequences.
    """
    if isinstance(stream, Printer):
        stream.paint(text)
    else:
        stream.write(text)


def _ascii_replacement(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII in place of the characters that cannot be encoded, and where encoding goes on.

    It is an error handler for Python's codecs, registered as `HANDLER`; it raises errors other than those of encoding.
    A character without a replacement in `ASCII` is escaped.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(ASCII)
    return lacking.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(HANDLER, _ascii_replacement)
