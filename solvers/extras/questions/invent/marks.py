"""Marks on a drawing: the cells of which words speak, in text as brackets, in a picture as a shade."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from models.boards import grid
from models.puzzle import Drawing, Point, Shape

SPANS = r"[0-9]+(?:-[0-9]+)?(?:, [0-9]+(?:-[0-9]+)?)*"
"""Matches numbers as `grid.cell_ranges` writes them, such as 1-3, 7."""

PLACES = re.compile(rf"\brows? ({SPANS})(?: columns? ({SPANS}))?|\bcolumns? ({SPANS})|\br([0-9]+)c([0-9]+)\b")
"""Matches cells, whole rows and whole columns in words."""

LEGEND = "[ ] or a thick line marks what follows, ( ) the cells that the reason names"
"""The words that explain the marks in a text."""

HALF_BAR = 0.08
"""Half the width of a line that marks, in cell widths."""

Cell = tuple[int, ...]


def cells_in(texts: Iterable[str], board: Collection[Cell]) -> set[Cell]:
    """Return the cells of a board that texts name by rows and columns, counted from 1; a cell is (row, column).

    A text may name a whole row or column. The first row and column of the board count as 1.

    >>> sorted(cells_in(["row 1 columns 1-2; row 2 column 3"], grid.box(2, 3)))
    [(0, 0), (0, 1), (1, 2)]
    >>> sorted(cells_in(["the clue above column 2 is 1", "r1c1 < 2"], grid.box(2, 2)))
    [(0, 0), (0, 1), (1, 1)]
    """
    top, left = (min(ordinates) for ordinates in zip(*board, strict=True))
    cells: set[Cell] = set()
    for match in PLACES.finditer("\n".join(texts)):
        rows = _numbers(match[1] or match[4])
        columns = _numbers(match[2] or match[3] or match[5])
        cells_in_rows = [cell for cell in board if not rows or cell[0] - top + 1 in rows]
        cells.update(cell for cell in cells_in_rows if not columns or cell[1] - left + 1 in columns)
    return cells


def _numbers(spans: str | None) -> set[int]:
    """Return the numbers of a text such as "1-3, 7"; none for None."""
    ends = (span.partition("-") for span in spans.split(", ")) if spans else ()
    return {number for first, _, last in ends for number in range(int(first), int(last or first) + 1)}


def add_marks(drawing: Drawing, follows: Sequence[str], reason: Sequence[str], lines: Sequence[Shape] = ()) -> Drawing:
    """Return a drawing with marks on its cells; the same drawing if it is no board of squares.

    Cells of what follows get a thick border and, in a text, square brackets; those of its reason get a shade and round
    brackets. follows: texts that name the cells of what follows. reason: texts that name the cells of its reason.
    lines: lines that follow, such as parts of a loop; they are marked, and not the cells beside them.
    """
    board = drawing[0].board if len(drawing) == 1 else None
    if board is None or board.lattice.is_skew or not board.names or len(min(board.names)) != 2:
        return drawing
    cells = board.names.keys()
    following = set() if lines else cells_in(follows, cells)
    reason_cells = cells_in(reason, cells) - following
    (frame,) = drawing
    margin = 0.25 if board.width == 1 else 0.0  # names of several characters leave no room beside them
    shades = [Shape(grid.outline([cell]), "", "shade", outline=False) for cell in sorted(reason_cells)]
    cells_and_signs = [(cell, "()") for cell in sorted(reason_cells)] + [(cell, "[]") for cell in sorted(following)]
    brackets = [mark for cell, signs in cells_and_signs for mark in _pair(cell, signs, margin)]
    borders = [_bar(*side) for side in _border(following)]
    bars = [_bar(start, end, is_signed=True) for line in lines for start, end in line.rings]
    return [frame._replace(shapes=[*frame.shapes, *shades, *borders, *bars, *brackets])]


def _border(cells: Collection[Cell]) -> list[tuple[Point, Point]]:
    """Return the sides between these cells and others."""
    rings = grid.outline(cells) if cells else []
    return [side for ring in rings for side in zip(ring, (*ring[1:], ring[0]), strict=True)]


def _pair(cell: Cell, signs: str, margin: float) -> list[Shape]:
    """Return the two signs of a text beside the content of a cell; margin: their distance from its borders."""
    row, column = cell
    middle = row + 0.5
    places: list[Point] = [(column + margin, middle), (column + 1 - margin, middle)]
    return [Shape([[place]], outline=False, mark=sign) for place, sign in zip(places, signs, strict=True)]


def _bar(start: Point, end: Point, is_signed: bool = False) -> Shape:
    """Return a thick horizontal or vertical line between two points; is_signed: whether a text shows it, too."""
    (x, y), (u, v) = sorted((start, end))
    a, b = (0.0, HALF_BAR) if y == v else (HALF_BAR, 0.0)  # the offset across the line
    ring = [(x - a, y - b), (u - a, v - b), (u + a, v + b), (x + a, y + b)]
    sign = "━" if y == v else "┃"
    middle = (x + u) / 2, (y + v) / 2
    return Shape([ring], "", "added", outline=False, mark=sign if is_signed else "", at=middle)
