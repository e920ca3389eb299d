"""Reads the contents of a board's cells as people write them: in one line, in rows, with blanks, with commas."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

EMPTY = frozenset(("", ".", "0", "_", "-", "*", "?"))
"""What stands in a cell of which nothing is known, unless the puzzle has something of this name."""

RULE = re.compile(r"[\s|+=\-\u2500-\u257f]*[+=\-\u2500-\u257f]{2,}[\s|+=\-\u2500-\u257f]*")
"""Matches a line that only divides rows."""

UPRIGHT = re.compile("[|\u2502\u2503\u2551]")
"""Matches a character that only divides columns."""


def contents_of(text: str, cells: int, names: Collection[str]) -> list[str] | None:
    """Return what a text says of each cell of a board, row by row: a name, or "" where nothing is known.

    The result is None if the text does not show so many cells with these names in any of the usual ways.

    cells: their number. names: what may lie in a cell.

    >>> contents_of("1.3|..2", 6, "123"), contents_of("1,,3\\n,0,2", 6, "123"), contents_of("1 _ 3\\n_ _ 2", 6, "123")
    (['1', '', '3', '', '', '2'], ['1', '', '3', '', '', '2'], ['1', '', '3', '', '', '2'])
    >>> contents_of("12", 6, "123")
    """
    lines = [line.rstrip("\r") for line in text.strip("\ufeff\n").split("\n")]
    rows = [line for line in lines if line.strip() and not RULE.fullmatch(line)]
    for words in _ways(rows):
        known = ["" if word in EMPTY and word not in names else word for word in words]
        if len(known) == cells and all(word in names for word in known if word):
            return known
    return None


def is_line_of(text: str, names: Collection[str]) -> bool:
    """Tell whether a text is one line of names of one character each, and of marks for cells that are not known."""
    is_plain = "\n" not in text and any(one in names for one in text)
    return len(text) > 1 and is_plain and all(one in names or (one in EMPTY and one.strip()) for one in text)


def _ways(rows: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of the cells in each of the usual ways to write a board; rows: the lines of the text."""
    for divider in (",", ";", "\t"):
        if any(divider in row for row in rows):
            yield [word.strip(" \"'") for row in rows for word in row.split(divider)]
            yield [word.strip(" \"'") for row in rows for word in row.rstrip(f"{divider} ").split(divider)]
    plain = [UPRIGHT.sub(" ", row) for row in rows]
    yield [word for row in plain for word in row.split()]
    yield [character for row in plain for character in "".join(row.split())]
    yield [character.strip() for row in rows for character in UPRIGHT.sub("", row)]
    wide = max(map(len, rows), default=0)
    yield [character.strip() for row in rows for character in row.ljust(wide)]
