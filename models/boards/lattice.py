"""Grids whose cells are hexagons or triangles; `models.boards.grid` has the squares and the cubes.

Both write a cell as the (line, column) that its character has in a text. Hexagons stand with a gap between them, each
line shifted by one column against the one above, so that line plus column is even. Triangles stand side by side: where
line plus column is even, the triangle points up, elsewhere down. So both are parts of one lattice of points, and
what a sixth of a turn does to a point is said once.
"""

from collections.abc import Callable
from functools import cache, partial
from math import sqrt
from typing import NamedTuple

Point = tuple[float, float]
"""(x, y) in cell widths; x grows to the right, y downwards."""

Cell = tuple[int, ...]
"""The coordinates of a cell: (row, column) or (layer, row, column)."""
Turn = Callable[[Cell], Cell]
"""Maps each cell to its image under a rotation or reflection."""

HALF_HEXAGON = sqrt(3) / 2
"""Half the width of a hexagon with sides of length 1; also the height of a triangle with such sides."""


class Lattice(NamedTuple):
    """A kind of grid, such as squares, hexagons or triangles."""

    name: str
    turns: Callable[[int, bool], list[Turn]]
    """Returns the rotations of cells with so many dimensions, and the reflections if the second argument is true.

    The first one is the identity.
    """
    neighbours: Callable[[Cell], list[Cell]]
    """Returns the cells that share a side with a cell."""
    polygon: Callable[[Cell], list[Point]]
    """Returns the corners of a cell of the plane, its inside to the right hand."""
    is_skew: bool
    """Whether a move by an odd sum of lines and columns does not lead from cells to cells of the same kind."""

    def middle(self, cell: Cell) -> Point:
        """Return the middle (x, y) of a cell of the plane."""
        xs, ys = zip(*self.polygon(cell), strict=True)
        x = sum(xs) / len(xs)
        y = sum(ys) / len(ys)
        return x, y


def _rotate(point: Cell, sixths: int, mirror: bool) -> Cell:
    """Turn a point (row, column) of the lattice about the origin by ``sixths`` sixths of a full turn.

    If ``mirror`` is true, the point is reflected first. Its row and column have an even sum, as two columns are as wide
    as the side of a triangle, and a row is as high as one. One sixth takes (row, column) to ((row + column) / 2,
    (column - 3 row) / 2).
    """
    row, column = point
    if mirror:
        column = -column
    for _ in range(sixths):
        row, column = (row + column) // 2, (column - 3 * row) // 2
    return row, column


def _hexagon_turns(dimensions: int, mirror: bool) -> list[Turn]:
    """Return the 6 rotations of hexagons, and the 6 reflections if ``mirror``.

    The argument ``dimensions`` is not used: it is always 2.
    """
    turns: list[Turn] = []
    for side in (False, True)[: 1 + mirror]:
        turns += [partial(_rotate, sixths=sixths, mirror=side) for sixths in range(6)]
    return turns


def _hexagon_neighbours(cell: Cell) -> list[Cell]:
    """Return the six hexagons that share a side with one; columns count half widths."""
    row, column = cell
    steps = ((0, -2), (0, 2), (-1, -1), (-1, 1), (1, -1), (1, 1))
    return [(row + down, column + right) for down, right in steps]


def _hexagon_corners(cell: Cell) -> list[Point]:
    """Return the six corners (x, y) of a hexagon with sides of length 1, clockwise from the top.

    cell: (row, column), where columns count half widths. y points down.
    """
    row, column = cell
    around = ((1, 0), (2, 0.5), (2, 1.5), (1, 2), (0, 1.5), (0, 0.5))
    corners = []
    for x, y in around:
        corner_x = (column + x) * HALF_HEXAGON
        corners.append((round(corner_x, 6), 1.5 * row + y))
    return corners


def _triangle_turned(cell: Cell, sixths: int, mirror: bool) -> Cell:
    """Turn a triangle about the origin by ``sixths`` sixths of a full turn.

    If ``mirror`` is true, it is reflected first.
    """
    # The middle is 2/3 of a row below the upper edge of a triangle that points up, and 1/3 of one that points down.
    # Three times the middle is a point of the lattice, and says which triangle it is.
    row, column = cell
    points_down = (row + column) % 2
    middle = 3 * row + 2 - points_down, 3 * column
    down, right = _rotate(middle, sixths, mirror)
    return down // 3, right // 3


def _triangle_turns(dimensions: int, mirror: bool) -> list[Turn]:
    """Return the 6 rotations of triangles, and the 6 reflections if ``mirror``.

    The argument ``dimensions`` is not used: it is always 2.
    """
    sides = (False, True)[: 1 + mirror]
    return [partial(_triangle_turned, sixths=sixths, mirror=side) for side in sides for sixths in range(6)]


def _triangle_neighbours(cell: Cell) -> list[Cell]:
    """Return the three triangles that share a side with a triangle.

    A triangle (row, column) points up if row + column is even.
    """
    row, column = cell
    beyond_base = row + 1
    if (row + column) % 2:
        beyond_base = row - 1
    return [(row, column - 1), (row, column + 1), (beyond_base, column)]


def _triangle_corners(cell: Cell) -> list[Point]:
    """Return the corners (x, y) of a triangle, clockwise."""
    row, column = cell
    points_down = (row + column) % 2
    offsets = [(1, 0), (2, 1), (0, 1)]
    if points_down:
        offsets = [(0, 0), (2, 0), (1, 1)]
    corners = []
    for x, y in offsets:
        corner_y = (row + y) * HALF_HEXAGON
        corners.append(((column + x) / 2, round(corner_y, 6)))
    return corners


HEX = Lattice("hex", _hexagon_turns, _hexagon_neighbours, _hexagon_corners, True)
TRIANGLE = Lattice("triangle", _triangle_turns, _triangle_neighbours, _triangle_corners, True)


@cache
def identity_grid(lattice: Lattice) -> Lattice:
    """Return a grid in which nothing is turned: its only turn is the identity."""
    return lattice._replace(turns=_identity)


def _identity(dimensions: int, mirror: bool) -> list[Turn]:
    """Return a list of the identity; the arguments are not used."""
    return [tuple]
