"""A puzzle as a link tells it: the name of a puzzle of the collection, its parameters, and what is given in cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from models.boards import clues, grid
from solvers.base.errors import InputError

Cell = grid.Cell

EMPTY = "."
"""Stands for a cell of which nothing is given."""

MARKS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The mark of 0, of 1 and so on, in puzzles of numbers in cells."""

MOST_IN_CELL = {"hashi": (1, 16), "nurikabe": (1, 35), "numberlink": (0, 61), "slitherlink": (0, 4)}
"""The least and the greatest number in a cell, of the puzzles of numbers in cells."""


class Linked(NamedTuple):
    """A puzzle of the collection in the words of a command line."""

    name: str
    arguments: Mapping[str, str | int | bool]
    """The values of parameters, by name."""
    cells: Mapping[Cell, str] = {}
    """The content of each cell that is given."""
    rows: int = 0
    """The rows and columns of the board, if there are cells that may be given."""
    columns: int = 0

    @property
    def given(self) -> tuple[str, ...]:
        """The facts that are given, as ``--given`` takes them."""
        return tuple(
            f"row {row + 1} column {column + 1} = {name}" for (row, column), name in sorted(self.cells.items())
        )

    @property
    def line(self) -> str:
        """The puzzle as a line for the command ``unique``: the parameter ``puzzle``, or the content of all cells."""
        if "puzzle" in self.arguments:
            return str(self.arguments["puzzle"])
        board = product(range(self.rows), range(self.columns))
        return " ".join(self.cells.get(cell, EMPTY) for cell in board)

    @property
    def others(self) -> dict[str, str | int | bool]:
        """The parameters that `line` leaves out."""
        return {name: value for name, value in self.arguments.items() if name != "puzzle"}


def board_size(columns: str, rows: str, most: int = 2500) -> tuple[int, int]:
    """Return (rows, columns) of a board; raise `InputError` if it is too large.

    columns, rows: the texts, which have to be numbers from 1 to 999. most: the most cells.
    """
    wide = clues.number_in_range(columns, "the number of columns", 1, 999)
    high = clues.number_in_range(rows, "the number of rows", 1, 999)
    if high * wide > most:
        raise InputError(
            f"the board has {high} rows and {wide} columns, more than {most} cells; choose a smaller puzzle"
        )
    return high, wide


def in_range(number: int, cell: Cell, low: int, high: int) -> int:
    """Return a number that is in a cell; raise `InputError`, which names the cell, if it is out of range."""
    if not low <= number <= high:
        raise InputError(f"{clues.cell_name(cell)}: {number} is not possible; it has to be from {low} to {high}")
    return number


def of_rows(marks: Mapping[Cell, str], rows: int, columns: int) -> str:
    """Return marks in cells as the parameter of a puzzle: rows with / between them, and a dot for an empty cell.

    >>> of_rows({(0, 1): "2"}, 2, 3)
    '.2./...'
    """
    return "/".join("".join(marks.get((r, c), EMPTY) for c in range(columns)) for r in range(rows))


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
LETTERS += "".join(filter(str.isalpha, map(chr, range(0x100, 0x3000))))
"""More letters than the boards of links have regions."""


def letter(number: int) -> str:
    """Return a letter for a region, counted from 0: A to Z, a to z, 0 to 9, and then letters of other alphabets.

    >>> letter(0), letter(26), letter(61)
    ('A', 'a', '9')
    """
    return LETTERS[number]


def regions_of(region: Mapping[Cell, object]) -> str:
    """Return the regions of a square as the parameter ``regions``: rows of letters, A for the region of the first cell.

    region: that of each cell, by number or name.
    """
    order = {name: number for number, name in enumerate(dict.fromkeys(region[cell] for cell in sorted(region)))}
    rows, columns = (n + 1 for n in max(region))
    return of_rows({cell: letter(order[name]) for cell, name in region.items()}, rows, columns)


def cages_of(cages: Sequence[tuple[Sequence[Cell], str]], side: int) -> dict[str, str]:
    """Return the parameter ``cages`` of a sudoku, {} if there are none; cages: (cells, sum as a text) for each.

    The parameter draws the cages by letters, a dot for a cell in none, and then gives their sums: "AA/B. A=3 B=1".
    side: the number of rows. Raises `InputError`, which names a cell, if a cage has no sum, if it leaves the square, or
    if two cages overlap.
    """
    letter_by_cell: dict[Cell, str] = {}
    sums = []
    for number, (cells, total) in enumerate(cages):
        first = clues.cell_name(min(cells))
        if not re.fullmatch("[0-9]{1,9}", total):
            raise InputError(f"the cage at {first} has no sum, which is not known here")
        for cell in cells:
            if not (0 <= cell[0] < side and 0 <= cell[1] < side):
                raise InputError(f"the cage at {first} has a cell outside the square, {clues.cell_name(cell)}")
            if cell in letter_by_cell:
                raise InputError(f"{clues.cell_name(cell)} is in two cages, which is not known here")
            letter_by_cell[cell] = letter(number)
        sums.append(f"{letter(number)}={total}")
    return {"cages": " ".join([of_rows(letter_by_cell, side, side), *sums])} if sums else {}


def blocks_of(side: int) -> tuple[int, int]:
    """Return (rows, columns) of the blocks that a square usually has: wide rather than high, and nearly square.

    >>> blocks_of(9), blocks_of(6), blocks_of(7)
    ((3, 3), (2, 3), (1, 7))
    """
    rows = next(rows for rows in range(int(side**0.5), 0, -1) if side % rows == 0)
    return rows, side // rows
