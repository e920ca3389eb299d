"""Puzzle texts read a second time, for the checks of the shelf: these share nothing with what the models read.

A text that the first reading refuses does not come here.
"""

import os
import re
from collections.abc import Collection, Sequence

from models.boards import grid

Cell = tuple[int, int]


def content(puzzle: str) -> str:
    """Return the text of a puzzle, or that of the file with this path."""
    return (grid.text_of(puzzle, "a puzzle; write one") if os.path.isfile(puzzle) else puzzle).strip()


def board(puzzle: str) -> list[str]:
    """Return the rows of a board, in which each character is a cell.

    In a game ID such as 3x2:1d2, a small letter stands for as many empty cells as its place in the alphabet says.

    >>> board("1../..2"), board("3x2:1d2")
    (['1..', '..2'], ['1..', '..2'])
    """
    size, colon, cells = content(puzzle).partition(":")
    if not colon:
        return re.split(r"[\s/]+", size)
    wide = int(size.partition("x")[0])
    cells = re.sub("[a-z]", lambda letter: "." * (ord(letter[0]) - 96), cells)
    return [cells[place : place + wide] for place in range(0, len(cells), wide)]


def cells_of(rows: Sequence[Sequence[str]]) -> dict[Cell, str]:
    """Return what stands in each cell of some rows."""
    return {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}


def numbers_in(text: str) -> list[int]:
    """Return the numbers in a text.

    >>> numbers_in("1 12.0")
    [1, 12, 0]
    """
    return [int(word) for word in re.findall("[0-9]+", text)]


def beside(cell: Cell) -> list[Cell]:
    """Return the four cells, on the board or not, that share a side with a cell."""
    r, c = cell
    return [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]


def piece(cells: Collection[Cell], start: Cell) -> set[Cell]:
    """Return those of some cells that one reaches from a first one of them, from side to side.

    >>> sorted(piece([(0, 0), (0, 1), (1, 2)], (0, 0)))
    [(0, 0), (0, 1)]
    """
    left, reached = {*cells} - {start}, [start]
    for cell in reached:
        near = left.intersection(beside(cell))
        left -= near
        reached += near
    return {*reached}


def is_connected(cells: Collection[Cell]) -> bool:
    """Tell whether one gets from each of some cells to all others, from side to side; so it is of no cells."""
    return not cells or len(piece(cells, next(iter(cells)))) == len(cells)
