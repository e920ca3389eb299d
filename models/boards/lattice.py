"""Grids whose cells are hexagons or triangles; `models.boards.grid` has the squares and the cubes.

Both write a cell as the (line, column) that its character has in a text. Hexagons stand with a gap between them, each
line shifted by one column against the one above, so that line plus column is even. Triangles stand side by side: where
line plus column is even, the triangle points up, elsewhere down. So both are parts of one lattice of points, and
what a sixth of a turn does to a point is said once.
"""

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import NamedTuple

Point = tuple[float, float]
"""(x, y) in cell widths; x grows to the right, y downwards."""

Cell = tuple[int, ...]
Turn = Callable[[Cell], Cell]

HALF_HEXAGON = sqrt(3) / 2
"""Half the width of a hexagon with sides of length 1; also the height of a triangle with such sides."""


class Lattice(NamedTuple):
    """A kind of grid."""

    name: str
    turns: Callable[[int, bool], list[Turn]]
    """The ways to turn cells of so many dimensions, with mirror images if the second argument says so; the first is to
    leave them as they are."""
    neighbours: Callable[[Cell], list[Cell]]
    """The cells that share a side with one."""
    polygon: Callable[[Cell], list[Point]]
    """The corners of a cell of the plane, its inside to the right hand."""
    is_skew: bool
    """Whether a move by an odd sum of lines and columns does not lead from cells to cells of the same kind."""

    def middle(self, cell: Cell) -> Point:
        """The middle of a cell of the plane."""
        xs, ys = zip(*self.polygon(cell), strict=True)
        return sum(xs) / len(xs), sum(ys) / len(ys)


def _turned(point: Cell, sixths: int, mirror: bool) -> Cell:
    """A point of the lattice (line, column), turned about the origin; a mirror image exchanges left and right first."""
    row, column = point[0], -point[1] if mirror else point[1]
    for _ in range(sixths):
        row, column = (row + column) // 2, (column - 3 * row) // 2
    return row, column


def _hexagon_turns(dimensions: int, mirror: bool) -> list[Turn]:
    return [partial(_turned, sixths=sixths, mirror=side) for side in (False, True)[: 1 + mirror] for sixths in range(6)]


def _hexagon_neighbours(cell: Cell) -> list[Cell]:
    row, column = cell
    return [(row + down, column + right) for down, right in ((0, -2), (0, 2), (-1, -1), (-1, 1), (1, -1), (1, 1))]


def _hexagon_corners(cell: Cell) -> list[Point]:
    row, column = cell
    around = ((1, 0), (2, 0.5), (2, 1.5), (1, 2), (0, 1.5), (0, 0.5))
    return [(round((column + x) * HALF_HEXAGON, 6), 1.5 * row + y) for x, y in around]


def _triangle_turned(cell: Cell, sixths: int, mirror: bool) -> Cell:
    # Three times a triangle's middle is a point of the lattice, and tells which triangle it is.
    row, column = cell
    middle = 3 * row + (1 if (row + column) % 2 else 2), 3 * column
    down, right = _turned(middle, sixths, mirror)
    return down // 3, right // 3


def _triangle_turns(dimensions: int, mirror: bool) -> list[Turn]:
    sides = (False, True)[: 1 + mirror]
    return [partial(_triangle_turned, sixths=sixths, mirror=side) for side in sides for sixths in range(6)]


def _triangle_neighbours(cell: Cell) -> list[Cell]:
    row, column = cell
    return [(row, column - 1), (row, column + 1), (row - 1 if (row + column) % 2 else row + 1, column)]


def _triangle_corners(cell: Cell) -> list[Point]:
    row, column = cell
    corners = ((0, 0), (2, 0), (1, 1)) if (row + column) % 2 else ((1, 0), (2, 1), (0, 1))
    return [((column + x) / 2, round((row + y) * HALF_HEXAGON, 6)) for x, y in corners]


HEX = Lattice("hex", _hexagon_turns, _hexagon_neighbours, _hexagon_corners, True)
TRIANGLE = Lattice("triangle", _triangle_turns, _triangle_neighbours, _triangle_corners, True)
