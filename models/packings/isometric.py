"""Solids in isometric projection, also opened up so that every piece is seen.

The corners of cubes are projected to points of a lattice of triangles, and each face of a cube to two of its
triangles; so what hides what is said triangle by triangle. Layer 1 is the lowest.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from math import dist, sqrt
from typing import NamedTuple

from models.boards import grid
from models.boards.lattice import Cell
from models.puzzle import Frame, Point, Shape

Tile = tuple[str, Collection[Cell]]
"""(name of a piece, its cells (layer, row, column))."""

Corner = tuple[int, int]
"""(right, down), in half widths and half heights of a cube's upper face."""

Triangle = frozenset[Corner]
"""The three corners of half a face."""

FACES = {
    "top": ((1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)),
    "right": ((0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)),
    "left": ((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)),
}
"""The corners (layer, row, column) of the three faces that can be seen, relative to the cube."""

VIEWS = {"above, front right": 1, "above, back left": -1}
"""The two views of a piece, and the factor of its rows and columns in each: -1 turns it half around."""

VIEW_WIDTH = 4.6
"""The least width of a view, in which its words can be read; widths are in lengths of an edge."""

WORDS_HEIGHT = 0.5
"""The height of the words below a view."""

BESIDE = 0.6
"""The distance of two views."""

SHADES = {"top": 0, "left": 1, "right": 2}
"""The darkness of each face, from 0."""

MIN_VISIBLE_TRIANGLES = 2
"""The least number of triangles, each the size of a face, that must be visible of each piece."""

MAX_SPREAD = 6
"""The largest factor by which the distances of pieces from the middle are enlarged."""


def draw_exploded_view(tiles: Sequence[Tile], colours: Mapping[str, int | str], caption: str = "") -> Frame:
    """Draw the pieces of a solid moved away from its middle.

    The pieces move by the least spread at which a part of each piece can be seen, but not farther than `MAX_SPREAD`; at
    that spread the solid is drawn even if a piece is hidden.

    colours: the colour of each piece, by name. tiles: (name, cells) for each piece.

    >>> frame = draw_exploded_view([("A", [(0, 0, 0)]), ("B", [(1, 0, 0)])], {"A": 0, "B": 1})
    >>> {shape.label for shape in frame.shapes} - {""} == {"A", "B"}
    True
    """
    for step in range(2 * MAX_SPREAD + 1):
        moved = _move_apart(tiles, step / 2)
        if len(set().union(*moved)) < sum(map(len, moved)):  # rounded distances have brought two pieces together
            continue
        visible_triangles = Counter(face.tile for face in _visible_faces(moved).values())
        if all(visible_triangles[number] >= MIN_VISIBLE_TRIANGLES for number in range(len(tiles))):
            break
    return scene([(name, cells, colours[name]) for (name, _), cells in zip(tiles, moved, strict=True)], caption)


def scene(
    pieces: Sequence[tuple[str, Collection[Cell], int | str]], caption: str = "", goal: Collection[Cell] = ()
) -> Frame:
    """Draw pieces in space where they lie, with thin lines between their cubes; hidden faces are left out.

    pieces: (name, which may be empty, cells (layer, row, column), colour). caption: the text of the frame. goal: the
    cells to which the last piece goes, whose outline is dashed. A name is written once, in the largest visible face of
    its piece. `_visible_faces` returns the nearest face in each triangle of the picture.
    """
    # By (number of the piece, direction of the face, its plane): the visible triangles of each cube.
    areas: dict[tuple[int, str, int], dict[Cell, list[list[Point]]]] = {}
    for triangle, (_, tile, face, plane, cell) in _visible_faces([cells for _, cells, _ in pieces]).items():
        areas.setdefault((tile, face, plane), {}).setdefault(cell, []).append(_ring(triangle))
    sizes = {key: sum(map(len, triangles_of_cube.values())) for key, triangles_of_cube in areas.items()}
    # For each piece, the key of the area with the most triangles, which gets the name of the piece.
    largest_face = {tile: max((size, key) for key, size in sizes.items() if key[0] == tile)[1] for tile, _, _ in areas}
    shapes: list[list[Shape]] = [[] for _ in pieces]
    for (number, direction, plane), triangles_of_cube in sorted(areas.items()):
        name, _, colour = pieces[number]
        rings = grid.border(chain.from_iterable(triangles_of_cube.values()))
        has_label = name and largest_face[number] == (number, direction, plane)
        label, place = (name, _middle(triangles_of_cube.values())) if has_label else ("", None)
        piece_shapes = [Shape(rings, label, colour, at=place)]
        # The darker the direction, the more often the shade is laid over it.
        piece_shapes += [Shape(rings, "", "shade", outline=False)] * SHADES[direction]
        if len(triangles_of_cube) > 1:
            unit_lines = [*chain.from_iterable(map(grid.border, triangles_of_cube.values()))]
            piece_shapes.append(Shape(unit_lines, "", "unit", outline=False))
        shapes[number] += piece_shapes
    if goal:  # over all pieces but the last
        shapes.insert(-1, [_outline_in_dashes(goal)])
    return Frame([*chain.from_iterable(shapes)], caption)


def arrow(start: Sequence[float], end: Sequence[float]) -> Shape:
    """Return an arrow between two points in space, (layer, row, column)."""
    (a, b, c), (z, y, x) = start, end
    return grid.arrow(_point((c - b, c + b - 2 * a)), _point((x - y, x + y - 2 * z)))


def _middle(units: Iterable[Sequence[Sequence[Point]]]) -> Point:
    """Return where a name is written on a side: the middle of the face that is nearest to the middle of all.

    Only faces are taken that are seen whole or, if there are none, of which most is seen. units: for each face of the
    side, the triangles of it that are seen, up to two.
    """
    units = [*units]
    x, y = _mean(chain.from_iterable(units))
    most = max(map(len, units))
    return min((_mean(unit) for unit in units if len(unit) == most), key=lambda at: (dist(at, (x, y)), at))


def _mean(rings: Iterable[Sequence[Point]]) -> Point:
    """Return the mean of the corners of some polygons."""
    corners = [*chain.from_iterable(rings)]
    xs, ys = zip(*corners, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def two_views(name: str, cells: Collection[Cell], colour: int | str, caption: str = "") -> Frame:
    """Draw a piece from two opposite sides, beside each other, with words that say from where it is seen.

    The outline of the cubes that are hidden in a view is dashed. The piece is turned so that few cubes are hidden in
    both views, and so that it lies flat. name, colour: those of the piece. cells: its cubes (layer, row, column).
    caption: the text of the frame.

    >>> [shape.label for shape in two_views("A", [(0, 0, 0)], 0).shapes if shape.label]
    ['A', 'above, front right', 'A', 'above, back left']
    """
    # First few hidden cubes, then a low height; the given position, if it is as good.
    given_position = frozenset(cells)
    best_turn = min(
        [given_position, *grid.orientations(given_position, False)],
        key=lambda position: (_count_hidden_in_all(position), _height(position)),
    )
    views, offset = list[Shape](), 0.0  # the offset is the x at which the next view begins
    view_shapes = [scene([(name, _half_turn(best_turn, sign), colour)]).shapes for sign in VIEWS.values()]
    height = max(_extent(shapes)[3] - _extent(shapes)[1] for shapes in view_shapes)
    for (words, sign), shapes in zip(VIEWS.items(), view_shapes, strict=True):
        shapes = [*shapes, *_outline_of_hidden(_half_turn(best_turn, sign))]
        left_edge, _, right_edge, bottom = _extent(shapes)
        width = max(VIEW_WIDTH, right_edge - left_edge)
        # The drawing stands in the middle of its width, with its lower end at the common height.
        shift = offset + (width - right_edge + left_edge) / 2 - left_edge, height - bottom
        views += [_shift(shape, shift) for shape in shapes]
        words_box = [(0.0, 0.0), (VIEW_WIDTH, 0), (VIEW_WIDTH, WORDS_HEIGHT), (0, WORDS_HEIGHT)]
        words_shift = offset + (width - VIEW_WIDTH) / 2, height + 0.1
        views.append(_shift(Shape([words_box], words, "words", outline=False), words_shift))
        offset += width + BESIDE
    return Frame(views, caption)


def _half_turn(cells: Collection[Cell], sign: int) -> list[Cell]:
    """Return the cells, turned half around the upright axis if ``sign`` is -1."""
    return [(layer, sign * row, sign * column) for layer, row, column in cells]


def _height(cells: Collection[Cell]) -> int:
    """Return the number of layers between the lowest and the highest of these cells."""
    return max(layer for layer, _, _ in cells) - min(layer for layer, _, _ in cells)


def _invisible_cells(cells: Collection[Cell]) -> set[Cell]:
    """Return the cells of which nothing is seen."""
    return {*cells} - {face.cell for face in _visible_faces([cells]).values()}


def _count_hidden_in_all(cells: Collection[Cell]) -> int:
    """Return how many cells are hidden in all views."""
    return len(
        set.intersection(*(set(_half_turn(_invisible_cells(_half_turn(cells, sign)), sign)) for sign in VIEWS.values()))
    )


def _outline_of_hidden(cells: Collection[Cell]) -> list[Shape]:
    """Return the dashed outline of the cells that are hidden, if there are any."""
    return [_outline_in_dashes(hidden)] if (hidden := _invisible_cells(cells)) else []


def _outline_in_dashes(cells: Collection[Cell]) -> Shape:
    """Return the dashed outline of some cubes."""
    return Shape(grid.border(map(_ring, _visible_faces([cells]))), "", "hidden", outline=False)


def _extent(shapes: Sequence[Shape]) -> tuple[float, float, float, float]:
    """Return the least x and y and the greatest x and y of some shapes."""
    xs, ys = zip(*(point for shape in shapes for ring in shape.rings for point in ring), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _shift(shape: Shape, by: Point) -> Shape:
    """Return the shape moved by this vector (x, y)."""
    rings = [[(x + by[0], y + by[1]) for x, y in ring] for ring in shape.rings]
    return shape._replace(rings=rings, at=shape.at and (shape.at[0] + by[0], shape.at[1] + by[1]))


def _move_apart(tiles: Sequence[Tile], factor: float) -> list[set[Cell]]:
    """Return the cells of each piece, moved away from the middle of the solid.

    A piece moves by ``factor`` times its distance from the middle. tiles: (name, cells) for each piece. The distances
    are rounded to whole cells.
    """
    every_cell = [cell for _, cells in tiles for cell in cells]
    middle = [sum(cell[axis] for cell in every_cell) / len(every_cell) for axis in range(3)]
    moved = []
    for _, cells in tiles:
        centre = [sum(cell[axis] for cell in cells) / len(cells) for axis in range(3)]
        shift = [round(factor * (own_x - solid_x)) for own_x, solid_x in zip(centre, middle, strict=True)]
        moved.append({tuple(x + distance for x, distance in zip(cell, shift, strict=True)) for cell in cells})
    return moved


class Face(NamedTuple):
    """A face of a cube, as it is seen; the nearest is the greatest."""

    nearness: int
    """The sum of layer, row and column."""
    tile: int
    """The number of the piece."""
    side: str
    """A key of `FACES`."""
    plane: int
    """The coordinate in the direction of the face."""
    cell: Cell


def _visible_faces(pieces: Sequence[Collection[Cell]]) -> dict[Triangle, Face]:
    """Return the nearest face in each triangle of the picture.

    The faces of cubes are rhombi in the picture, and each is cut into two triangles, so that a face covers a triangle
    wholly or not at all. Faces are compared by layer + row + column first, which is greater the nearer a cube is.

    pieces: the cells (layer, row, column) of each.
    """
    nearest_face: dict[Triangle, Face] = {}
    for number, cells in enumerate(pieces):
        for layer, row, column in cells:
            planes = {"top": layer, "right": column, "left": row}
            for face, corners in FACES.items():
                a, b, c, d = (_project(layer + z, row + y, column + x) for z, y, x in corners)
                # The corners of the face in order around it. The cut is the diagonal that is an edge of the triangular
                # grid.
                if (abs(a[0] - c[0]), abs(a[1] - c[1])) in ((1, 1), (0, 2)):
                    halves = frozenset((a, b, c)), frozenset((a, c, d))
                else:
                    halves = frozenset((a, b, d)), frozenset((b, c, d))
                for triangle in halves:
                    candidate = Face(layer + row + column, number, face, planes[face], (layer, row, column))
                    nearest_face[triangle] = max(candidate, nearest_face.get(triangle, candidate))
    return nearest_face


def _project(layer: int, row: int, column: int) -> Corner:
    """Return the point of the picture at which a corner of a cube appears; see `Corner`."""
    return column - row, column + row - 2 * layer


def _point(corner: Point) -> Point:
    """Return (x, y) of a point of the picture, in lengths of an edge."""
    return round(corner[0] * sqrt(3) / 2, 6), corner[1] / 2


def _ring(triangle: Triangle) -> list[Point]:
    """Return the corners (x, y) of a triangle in the picture, its inside to the right hand."""
    a, b, c = sorted(map(_point, triangle))
    turns_right = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0
    return [a, b, c] if turns_right else [a, c, b]
