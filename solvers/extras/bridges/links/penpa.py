"""Links of Penpa and Penpa+, which hold a drawing: sudokus, and puzzles of numbers in cells.

A drawing does not tell its rules. They are those of its page, for a sudoku, or of the genre with which it is tagged.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, product
from typing import Any, NamedTuple

from models.boards import clues
from solvers.base.errors import InputError
from solvers.extras.bridges.links import codings
from solvers.extras.bridges.links.linked import (
    MARKS,
    MOST_IN_CELL,
    Cell,
    Linked,
    blocks_of,
    in_range,
    of_rows,
    regions_of,
)
from solvers.show.printable import quotation

MOST_BYTES = 2_000_000
"""The most bytes of a drawing; a longer one is no puzzle."""

MARGIN = 2
"""The rows and columns around the board that the numbering of cells counts."""

ABBREVIATED = {
    "zN": '"number"', "zQ": '"pu_q"', "zS": '"surface"', "zY": '"symbol"', "z1": '"numberS"', "zL": '"line"',
    "zE": '"lineE"', "zW": '"wall"', "zC": '"cage"', "zF": '"freeline"', "z2": '"freelineE"', "zT": '"thermo"',
    "z3": '"arrows"', "zD": '"direction"', "z0": '"squareframe"', "z5": '"polygon"', "z4": '"deletelineE"',
    "z6": '"killercages"', "z7": '"nobulbthermo"', "zR": '"command_redo"', "zU": '"command_undo"',
    "z8": '"command_replay"', "z9": '"qa"', "zA": '"pu_a"', "zG": '"grid"', "zM": '"edit_mode"', "zP": '"special"',
    "zB": '"board"', "z_": '"__a"', "zO": "null", "zZ": "z",
}  # fmt: skip
"""What the texts of a drawing represent that are written in place of longer ones."""

NO_DRAWING = ("number", "lineE", "deletelineE", "command_redo", "command_undo", "command_replay")
"""The parts of a drawing that are read, or that draw nothing."""

NORMAL = "1"
"""The kind of a number that is as large as its cell."""


class Sheet(NamedTuple):
    """A drawing: a board with numbers in its cells."""

    rows: int
    columns: int
    numbers: Mapping[Cell, str]
    lines: frozenset[tuple[Cell, Cell]]
    """The lines from corner to corner; the corner of a cell is the one below it to the right."""


def read(parameters: str) -> Linked:
    """Return the puzzle of a link; parameters: what follows # or ?, such as m=edit&p=DRAWING.

    The drawing is a list of lines: line 0 has the page and the size, line 17 the tags that its author chose, among
    which the genre is sought. Raises `InputError` if it cannot be read.
    """
    fields = dict(word.partition("=")[::2] for word in parameters.split("&"))
    lines = _lines_of_drawing(fields.get("p", ""))
    page, *size = lines[0].split(",")
    if page not in ("square", "sudoku"):
        raise InputError(f"the page of the link is {quotation(page)}; squares and sudokus are read")
    # The tags that the author chose, if there are any.
    tags = [str(tag) for tag in _json(lines[17])] if len(lines) > 17 and lines[17].startswith("[") else []
    genre = next((GENRES[tag] for tag in tags if tag in GENRES), None)
    if genre is None and page == "sudoku":
        genre = _sudoku
    if genre is None:
        known = ", ".join(GENRES)
        tags_in_words = f"its tags are {quotation(', '.join(tags))}" if tags else "it has no tag of a genre"
        raise InputError(f"a drawing of Penpa does not tell its rules, and {tags_in_words}; these are read: {known}")
    return genre(_sheet(lines, size))


def _lines_of_drawing(packed: str) -> list[str]:
    """Return the lines of a drawing that is packed by deflate, in base64.

    Raises `InputError` if the text is damaged, if its end is missing, or if an older version of Penpa wrote it.
    """
    # A + of base64 may have become a blank, and the = at its end may be left out.
    try:
        packed_bytes = base64.b64decode(packed.replace(" ", "+") + "=" * (-len(packed) % 4), validate=True)
        decompressor = zlib.decompressobj(-15)  # without a header
        text = decompressor.decompress(packed_bytes, MOST_BYTES).decode("utf-8")
    except (binascii.Error, ValueError, zlib.error):
        text = ""
    if not text or not decompressor.eof:
        raise InputError("the drawing in the link is damaged, or its end is missing; copy the whole link")
    lines = text.split("\n")
    if len(lines) < 6 or lines[0][:1].isdigit():
        raise InputError("the link is of an older version of Penpa; open it and save it anew")
    return lines


def _json(line: str) -> Any:
    """Return what a line of a drawing holds; raise `InputError` if it is no JSON."""
    try:
        return json.loads(re.sub("z.", lambda match: ABBREVIATED.get(match[0], match[0]), line))
    except (ValueError, RecursionError):
        raise InputError("the drawing in the link cannot be read; open it and save it anew") from None


def _sheet(lines: Sequence[str], size: Sequence[str]) -> Sheet:
    """Return a drawing of numbers; raise `InputError` if the board is no rectangle, or if there is more on it.

    lines: those of the drawing: from 0 on, line 1 has the space around the board, line 3 the drawing, line 5 the cells
    of the board: the number of the first, and the difference of each to the one before. size: the words for columns and
    rows, space included.
    """
    columns_with_space, rows_with_space = (
        clues.number_in_range(word, "the size", 1, clues.MAX_SIDE) for word in size[:2]
    )
    above, below, left, right = (int(space) for space in _json(lines[1]))
    drawing = _json(lines[3])
    other_drawings = sorted(name for name, value in drawing.items() if value and name not in NO_DRAWING)
    if other_drawings:
        raise InputError(
            f"the drawing has more than numbers ({', '.join(other_drawings)}), which does not tell its rules"
        )
    cells_in_row = columns_with_space + 2 * MARGIN

    def cell_at(number: int) -> Cell:
        """Return the cell with a number of the drawing, which counts a margin and space around the board."""
        row, column = divmod(number, cells_in_row)
        return row - MARGIN - above, column - MARGIN - left

    rows, columns = rows_with_space - above - below, columns_with_space - left - right
    if {cell_at(number) for number in accumulate(_json(lines[5]))} != {*product(range(rows), range(columns))}:
        raise InputError("the board of the drawing is no rectangle; such boards are not read")
    word_by_cell = {}
    for number, entry in drawing.get("number", {}).items():
        cell = cell_at(int(number))
        if str(entry[2]) != NORMAL:
            raise InputError(f"{clues.cell_name(cell)} holds small numbers or more than one, which are not read")
        word_by_cell[cell] = str(entry[0]).strip()
    # Corners are numbered behind all cells, and the corner at the lower right of a cell as the cell is.
    # ``lineE`` has a name for each line, the numbers of its two corners: "34,35".
    line_ends = (sorted(map(int, ends.split(","))) for ends in drawing.get("lineE", {}))
    cells_of_drawing = cells_in_row * (rows_with_space + 2 * MARGIN)
    lines_drawn = frozenset(
        (cell_at(corner_a - cells_of_drawing), cell_at(corner_b - cells_of_drawing)) for corner_a, corner_b in line_ends
    )
    return Sheet(rows, columns, {cell: word for cell, word in word_by_cell.items() if word}, lines_drawn)


def _number(word: str, cell: Cell, low: int, high: int) -> int:
    """Return the number in a cell; raise `InputError`, which names the cell, if it is none, or out of range."""
    return in_range(clues.number_in_range(word, clues.cell_name(cell), low, high), cell, low, high)


def _sudoku(sheet: Sheet) -> Linked:
    """Return the sudoku that a sheet shows: with the usual blocks, or the regions that lines divide.

    Lines along both diagonals are the rule that their numbers are different. The result has the name of the puzzle, its
    parameters, the given content of cells, and the size. Raises `InputError` if the board is no square, for other
    slanted lines, and for a content that is no number of the square.
    """
    side = sheet.rows
    if sheet.columns != side:
        raise InputError(f"the board has {side} rows and {sheet.columns} columns; a sudoku is a square")
    cells = {cell: str(_number(word, cell, 1, side)) for cell, word in sheet.numbers.items()}
    # Lines go from corner to corner; a corner has the name of the cell to its upper left. The right side of a cell
    # leads from the corner above it to its own, and its lower side from the corner to the left of it to its own.
    square = [*product(range(side), repeat=2)]
    open_pairs = []
    for row, column in square:
        beside = (row, column + 1), (row - 1, column)  # the neighbour, and the corner where the line to it begins
        below = (row + 1, column), (row, column - 1)
        for neighbour, corner in (beside, below):
            if neighbour in square and (corner, (row, column)) not in sheet.lines:
                open_pairs.append(((row, column), neighbour))
    parts = codings.components(square, open_pairs)  # the regions: cells that are connected without a line between
    rows, columns = blocks_of(side)  # the size of the usual blocks
    arguments: dict[str, str | int | bool] = {"rows": rows, "columns": columns}
    region = {cell: number for number, part in enumerate(parts) for cell in part}
    # As texts, regions are equal whatever their numbers are.
    usual_blocks = regions_of({(row, column): (row // rows, column // columns) for row, column in square})
    if len(parts) > 1 and regions_of(region) != usual_blocks:
        arguments = {"regions": regions_of(region)}
    if slanted := {line for line in sheet.lines if line[0][0] != line[1][0] and line[0][1] != line[1][1]}:
        # From corner to corner, as above: the corner (-1, -1) is the upper left one of the board.
        diagonal_down = {((n - 1, n - 1), (n, n)) for n in range(side)}
        diagonal_up = {((n - 1, side - 1 - n), (n, side - 2 - n)) for n in range(side)}
        if slanted != diagonal_down | diagonal_up:
            raise InputError(
                "the drawing has slanted lines that are not the two diagonals; such rules are not known here"
            )
        arguments["diagonals"] = True
    return Linked("sudoku", arguments, cells, side, side)


def _number_reader(name: str, **parameters: bool) -> Callable[[Sheet], Linked]:
    """Return the function that reads a puzzle of numbers in cells from a drawing.

    name: the puzzle, by which the possible numbers are known. parameters: those of the puzzle besides the numbers.
    """
    low, high = MOST_IN_CELL[name]

    def read(sheet: Sheet) -> Linked:
        """Return the puzzle that the numbers of a drawing make; raise `InputError` for one that is out of range."""
        mark_by_cell = {cell: MARKS[_number(word, cell, low, high)] for cell, word in sheet.numbers.items()}
        return Linked(name, {"puzzle": of_rows(mark_by_cell, sheet.rows, sheet.columns), **parameters})

    return read


GENRES: Mapping[str, Callable[[Sheet], Linked]] = {
    "classic": _sudoku,
    "sudoku": _sudoku,
    "slitherlink": _number_reader("slitherlink"),
    "nurikabe": _number_reader("nurikabe"),
    "hashiwokakero (hashi/bridges)": _number_reader("hashi"),
    "numberlink": _number_reader("numberlink", fill=False),
}
"""The genres that are read, by the tag of a drawing."""
