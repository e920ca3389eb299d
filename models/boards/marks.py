"""Clues in cells as one line of text: rows with / between them, or a game ID of Simon Tatham's puzzle collection."""

import os
import re
from typing import NamedTuple

from models.boards import grid
from models.errors import ParameterError

MOST_PENCIL_CELLS = 2500
"""The most cells of a puzzle; models of larger ones take more time than solvers have."""


class Clues(NamedTuple):
    """A board of rows and columns with marks in some of its cells."""

    rows: int
    columns: int
    marks: dict[grid.Cell, str]
    """The character in each cell that has one, in reading order."""
    variant: str = ""
    """What a game ID says between its size and the colon."""

    @property
    def cells(self) -> list[grid.Cell]:
        """The cells of the board, in reading order."""
        return sorted(grid.box(self.rows, self.columns))

    def turns(self, more: int = 0) -> list[grid.Turn]:
        """Return the turns that carry each mark to one like it, without the identity.

        more: by how many rows and columns the points that are turned are more than the cells; 1 for corners.
        """
        of_cells = grid.symmetries(grid.box(self.rows, self.columns))
        of_points = grid.symmetries(grid.box(self.rows + more, self.columns + more))
        return [
            turned
            for turn, turned in list(zip(of_cells, of_points, strict=True))[1:]
            if {turn(cell): mark for cell, mark in self.marks.items()} == self.marks
        ]


def text_of(puzzle: str) -> str:
    """Return the text of a puzzle, which may be the path of a file that holds it; its lines are joined by /.

    Raises ValueError if the file cannot be read.
    """
    text = grid.text_of(puzzle, "a puzzle; give the path", "with a puzzle") if os.path.isfile(puzzle) else puzzle
    return "/".join(line.strip() for line in text.strip().splitlines())


def read(puzzle: str, allowed: str, example: str, has_games: bool = True) -> Clues:
    """Return the clues of a puzzle.

    puzzle: rows with / between them, where . is an empty cell; or a game ID WxH:..., where a letter from a to z stands
    for 1 to 26 empty cells; or the path of a file with one of these. allowed: the marks. example: one of these forms,
    for messages. has_games: whether game IDs are taken.

    Raises ValueError, with a sentence that names the place, if it is no such text.

    >>> read("1./.2/..", "12", "").marks
    {(0, 0): '1', (1, 1): '2'}
    >>> read("2x3:1b2b", "12", "") == read("1./.2/..", "12", "")
    True
    """
    text = text_of(puzzle)
    if not text:
        raise ParameterError(f"the puzzle is empty; give it as {example}")
    return _of_game(text, allowed, example) if has_games and ":" in text else _of_rows(text, allowed, example)


def _of_rows(text: str, allowed: str, example: str) -> Clues:
    """Return the clues in rows with / between them; see `read`."""
    rows = text.split("/")
    _check_size(len(rows), len(rows[0]), example)
    marks: dict[grid.Cell, str] = {}
    for r, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ParameterError(f"row {r + 1} has {len(row)} cells, and row 1 has {len(rows[0])}; make them alike")
        for c, mark in enumerate(row):
            if mark != "." and mark not in allowed:
                raise ParameterError(f"row {r + 1}, column {c + 1} holds {mark!r}; {_choices(allowed)}")
            if mark != ".":
                marks[r, c] = mark
    return Clues(len(rows), len(rows[0]), marks)


def _of_game(text: str, allowed: str, example: str) -> Clues:
    """Return the clues of a game ID; see `read`."""
    size, _, description = text.partition(":")
    match = re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})([^0-9x].*)?", size)
    if not match:
        raise ParameterError(f"{size!r} is no size, as it stands before the colon of {example}")
    columns, rows = map(int, match.group(1, 2))
    _check_size(rows, columns, example)
    marks: dict[grid.Cell, str] = {}
    place = 0
    for number, mark in enumerate(description, 1):
        if "a" <= mark <= "z":
            place += ord(mark) - ord("a") + 1
        elif mark in allowed:
            marks[place // columns, place % columns] = mark
            place += 1
        else:
            raise ParameterError(f"character {number} behind the colon is {mark!r}; {_choices(allowed)}")
    if place != rows * columns:
        raise ParameterError(
            f"the text behind the colon is for {place} cells, and {columns}x{rows} has {rows * columns}"
        )
    return Clues(rows, columns, marks, match[3] or "")


def _check_size(rows: int, columns: int, example: str) -> None:
    """Raise ValueError if a board has no cells, or too many; example: for the message."""
    if not 0 < rows * columns <= MOST_PENCIL_CELLS:
        raise ParameterError(
            f"the puzzle has {rows * columns} cells; give one of 1 to {MOST_PENCIL_CELLS}, such as {example}"
        )


def _choices(allowed: str) -> str:
    """Return the advice for a mark that is not allowed."""
    return f"a cell is empty or has one of {' '.join(allowed)}"
