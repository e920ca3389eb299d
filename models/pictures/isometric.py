"""Boxes as one picture, in isometric projection: opened up so that every piece is seen, and put together from below.

The corners of cubes are projected to points of a lattice of triangles, and each face of a cube to two of its
triangles; so what hides what is said triangle by triangle. Layer 1 is the lowest.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from graphlib import CycleError, TopologicalSorter
from math import sqrt

from models import grid
from models.lattice import Cell
from models.puzzle import Frame, Point, Shape

Tile = tuple[str, Collection[Cell]]
"""A piece with its cells, (layer, row, column)."""

Corner = tuple[int, int]
"""(right, down), in half widths and half heights of a cube's upper face."""

Triangle = frozenset[Corner]

FACES = {
    "top": ((1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)),
    "right": ((0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)),
    "left": ((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)),
}
"""The corners of the faces that one sees, counted from the cube's own."""

SEEN = 2
"""So many triangles, the size of a face, of each piece have to be seen."""

WIDEST = 6
"""Pieces are moved apart until they are so many times as far from the middle."""


def opened(tiles: Sequence[Tile], caption: str = "") -> Frame:
    """The pieces of a box, each moved away from the middle, as little as lets something of each be seen.

    >>> frame = opened([("A", [(0, 0, 0)]), ("B", [(1, 0, 0)])])
    >>> {shape.label for shape in frame.shapes} - {""} == {"A", "B"}
    True
    """
    colours: dict[str, int] = {}
    for name, _ in tiles:
        colours.setdefault(name, len(colours))
    seen: dict[Triangle, tuple[int, int, str, int]] = {}
    for step in range(2 * WIDEST + 1):
        moved = _apart(tiles, step / 2)
        if len(set().union(*moved)) < sum(map(len, moved)):
            continue
        seen = _seen(moved)
        of_tile = Counter(tile for _, tile, _, _ in seen.values())
        if all(of_tile[number] >= SEEN for number in range(len(tiles))):
            break
    areas: dict[tuple[int, str, int], list[Triangle]] = {}
    for triangle, (_, tile, face, plane) in seen.items():
        areas.setdefault((tile, face, plane), []).append(triangle)
    widest = {tile: max((len(area), key) for key, area in areas.items() if key[0] == tile)[1] for tile, _, _ in areas}
    shapes = [
        Shape(
            grid.border(map(_ring, area)), tiles[key[0]][0] if widest[key[0]] == key else "", colours[tiles[key[0]][0]]
        )
        for key, area in sorted(areas.items())
    ]
    return Frame(shapes, caption)


def _apart(tiles: Sequence[Tile], factor: float) -> list[set[Cell]]:
    """The cells of the pieces, each moved from the middle of all by so many times its distance."""
    every = [cell for _, cells in tiles for cell in cells]
    middle = [sum(cell[axis] for cell in every) / len(every) for axis in range(3)]
    moved = []
    for _, cells in tiles:
        own = [sum(cell[axis] for cell in cells) / len(cells) for axis in range(3)]
        by = [round(factor * (here - there)) for here, there in zip(own, middle, strict=True)]
        moved.append({tuple(x + d for x, d in zip(cell, by, strict=True)) for cell in cells})
    return moved


def _seen(pieces: Sequence[Collection[Cell]]) -> dict[Triangle, tuple[int, int, str, int]]:
    """Of each triangle the face in it that is nearest: how near, of which piece, which face, and in which plane."""
    seen: dict[Triangle, tuple[int, int, str, int]] = {}
    for number, cells in enumerate(pieces):
        for layer, row, column in cells:
            planes = {"top": layer, "right": column, "left": row}
            for face, corners in FACES.items():
                a, b, c, d = (_projected(layer + z, row + y, column + x) for z, y, x in corners)
                if (abs(a[0] - c[0]), abs(a[1] - c[1])) in ((1, 1), (0, 2)):
                    halves = frozenset((a, b, c)), frozenset((a, c, d))
                else:
                    halves = frozenset((a, b, d)), frozenset((b, c, d))
                for triangle in halves:
                    here = layer + row + column, number, face, planes[face]
                    seen[triangle] = max(here, seen.get(triangle, here))
    return seen


def _projected(layer: int, row: int, column: int) -> Corner:
    return column - row, column + row - 2 * layer


def _ring(triangle: Triangle) -> list[Point]:
    """The corners of a triangle with its inside to the right hand."""
    a, b, c = sorted((round(right * sqrt(3) / 2, 6), down / 2) for right, down in triangle)
    turns_right = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0
    return [a, b, c] if turns_right else [a, c, b]


def assembly(tiles: Sequence[Tile]) -> list[int] | None:
    """An order in which the pieces can be put in from above, by their numbers; None where there is none.

    A piece waits for those that lie below some cell of it.

    >>> assembly([("A", [(1, 0, 0)]), ("B", [(0, 0, 0), (0, 0, 1)])])
    [1, 0]
    """
    owner = {tuple(cell): number for number, (_, cells) in enumerate(tiles) for cell in cells}
    below: dict[int, set[int]] = {number: set() for number in range(len(tiles))}
    for (layer, row, column), number in owner.items():
        for lower in range(layer):
            below[number] |= {owner.get((lower, row, column), number)} - {number}
    try:
        return list(TopologicalSorter({number: sorted(others) for number, others in below.items()}).static_order())
    except CycleError:
        return None
