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

Side = tuple[int, str, int]
"""(number of a piece, direction of a face, its plane): faces of the piece that are side by side in the picture."""

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
        distinct = set().union(*moved)
        if len(distinct) < sum(map(len, moved)):  # rounded distances have brought two pieces together
            continue
        visible_faces = _visible_faces(moved).values()
        triangles_of_piece = Counter(face.tile for face in visible_faces)
        if all(triangles_of_piece[number] >= MIN_VISIBLE_TRIANGLES for number in range(len(tiles))):
            break
    moved_pieces = [(name, cells, colours[name]) for (name, _), cells in zip(tiles, moved, strict=True)]
    return scene(moved_pieces, caption)


def scene(pieces: Sequence[grid.ColouredCells], caption: str = "", goal: Collection[Cell] = ()) -> Frame:
    """Draw pieces in space where they lie, with thin lines between their cubes; hidden faces are left out.

    pieces: (name, which may be empty, cells (layer, row, column), colour). caption: the text of the frame. goal: the
    cells to which the last piece goes, whose outline is dashed. A name is written once, in the largest visible face of
    its piece. `_visible_faces` returns the nearest face in each triangle of the picture.
    """
    # By (number of the piece, direction of the face, its plane): the visible triangles of each cube.
    areas: dict[Side, dict[Cell, list[list[Point]]]] = {}
    visible = _visible_faces([cells for _, cells, _ in pieces])
    for triangle, (_, tile, face, plane, cell) in visible.items():
        triangles_by_cell = areas.setdefault((tile, face, plane), {})
        triangles_by_cell.setdefault(cell, []).append(_ring(triangle))
    # For each piece, (size, key) of the area with the most triangles, which gets the name of the piece.
    largest_side: dict[int, tuple[int, Side]] = {}
    for side, triangles_of_cube in areas.items():
        tile, _, _ = side
        size = sum(map(len, triangles_of_cube.values()))
        largest_side[tile] = max((size, side), largest_side.get(tile, (0, side)))
    shapes: list[list[Shape]] = [[] for _ in pieces]
    for side, triangles_of_cube in sorted(areas.items()):
        number, direction, _ = side
        name, _, colour = pieces[number]
        triangles = triangles_of_cube.values()
        rings = grid.border(chain.from_iterable(triangles))
        shape = Shape(rings, "", colour)
        if name and largest_side[number][1] == side:
            shape = shape._replace(label=name, at=_middle(triangles))
        # The darker the direction, the more often the shade is laid over it.
        shade = Shape(rings, "", "shade", outline=False)
        shapes[number] += [shape, *[shade] * SHADES[direction]]
        if len(triangles_of_cube) > 1:
            unit_lines = [*chain.from_iterable(map(grid.border, triangles))]
            shapes[number].append(Shape(unit_lines, "", "unit", outline=False))
    if goal:  # over all pieces but the last
        outline_of_goal = _outline_in_dashes(goal)
        shapes.insert(-1, [outline_of_goal])
    return Frame([*chain.from_iterable(shapes)], caption)


def arrow(start: Sequence[float], end: Sequence[float]) -> Shape:
    """Return an arrow between two points in space, (layer, row, column)."""
    layer, row, column = start
    end_layer, end_row, end_column = end
    tail = (column - row, column + row - 2 * layer)
    head = (end_column - end_row, end_column + end_row - 2 * end_layer)
    return grid.arrow(_point(tail), _point(head))


def _middle(units: Iterable[Sequence[Sequence[Point]]]) -> Point:
    """Return where a name is written on a side: the middle of the face that is nearest to the middle of all.

    Only faces are taken that are seen whole or, if there are none, of which most is seen. units: for each face of the
    side, the triangles of it that are seen, up to two.
    """
    faces = [*units]
    middle = _mean(chain.from_iterable(faces))
    most = max(map(len, faces))
    middles = [_mean(face) for face in faces if len(face) == most]
    return min(middles, key=lambda at: (dist(at, middle), at))


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

    def rank(position: grid.Cells) -> tuple[int, int]:
        return _count_hidden_in_all(position), _height(position)

    positions = [given_position, *grid.orientations(given_position, False)]
    best_turn = min(positions, key=rank)
    views = list[Shape]()
    offset = 0.0  # the x at which the next view begins
    turned_pieces = [_half_turn(best_turn, sign) for sign in VIEWS.values()]
    view_shapes = [scene([(name, turned, colour)]).shapes for turned in turned_pieces]
    extents = [_extent(shapes) for shapes in view_shapes]
    height = max(bottom - top for _, top, _, bottom in extents)
    words_box = [(0.0, 0.0), (VIEW_WIDTH, 0), (VIEW_WIDTH, WORDS_HEIGHT), (0, WORDS_HEIGHT)]
    for words, turned, scene_shapes in zip(VIEWS, turned_pieces, view_shapes, strict=True):
        shapes = [*scene_shapes, *_outline_of_hidden(turned)]
        left_edge, _, right_edge, bottom = _extent(shapes)
        width = max(VIEW_WIDTH, right_edge - left_edge)
        # The drawing stands in the middle of its width, with its lower end at the common height.
        shift_right = offset + (width - right_edge + left_edge) / 2 - left_edge
        shift = shift_right, height - bottom
        views += [_shift(shape, shift) for shape in shapes]
        words_shape = Shape([words_box], words, "words", outline=False)
        words_shift = offset + (width - VIEW_WIDTH) / 2, height + 0.1
        views.append(_shift(words_shape, words_shift))
        offset += width + BESIDE
    return Frame(views, caption)


def _half_turn(cells: Collection[Cell], sign: int) -> list[Cell]:
    """Return the cells, turned half around the upright axis if ``sign`` is -1."""
    return [(layer, sign * row, sign * column) for layer, row, column in cells]


def _height(cells: Collection[Cell]) -> int:
    """Return the number of layers between the lowest and the highest of these cells."""
    layers = [layer for layer, _, _ in cells]
    return max(layers) - min(layers)


def _invisible_cells(cells: Collection[Cell]) -> set[Cell]:
    """Return the cells of which nothing is seen."""
    visible_faces = _visible_faces([cells]).values()
    return set(cells).difference(face.cell for face in visible_faces)


def _count_hidden_in_all(cells: Collection[Cell]) -> int:
    """Return how many cells are hidden in all views."""
    hidden = []
    for sign in VIEWS.values():
        turned = _half_turn(cells, sign)
        hidden_in_view = _half_turn(_invisible_cells(turned), sign)
        hidden.append({*hidden_in_view})
    return len(set.intersection(*hidden))


def _outline_of_hidden(cells: Collection[Cell]) -> list[Shape]:
    """Return the dashed outline of the cells that are hidden, if there are any."""
    hidden = _invisible_cells(cells)
    if not hidden:
        return []
    return [_outline_in_dashes(hidden)]


def _outline_in_dashes(cells: Collection[Cell]) -> Shape:
    """Return the dashed outline of some cubes."""
    triangles = map(_ring, _visible_faces([cells]))
    return Shape(grid.border(triangles), "", "hidden", outline=False)


def _extent(shapes: Sequence[Shape]) -> tuple[float, float, float, float]:
    """Return the least x and y and the greatest x and y of some shapes."""
    rings = [ring for shape in shapes for ring in shape.rings]
    xs, ys = zip(*chain.from_iterable(rings), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _shift(shape: Shape, by: Point) -> Shape:
    """Return the shape moved by this vector (x, y)."""
    right, down = by
    rings = [[(x + right, y + down) for x, y in ring] for ring in shape.rings]
    if not shape.at:
        return shape._replace(rings=rings)
    x, y = shape.at
    return shape._replace(rings=rings, at=(x + right, y + down))


def _middle_cell(cells: Collection[Cell]) -> list[float]:
    """Return the mean of each coordinate of some cells."""
    return [sum(cell[axis] for cell in cells) / len(cells) for axis in range(3)]


def _move_apart(tiles: Sequence[Tile], factor: float) -> list[set[Cell]]:
    """Return the cells of each piece, moved away from the middle of the solid.

    A piece moves by ``factor`` times its distance from the middle. tiles: (name, cells) for each piece. The distances
    are rounded to whole cells.
    """
    all_cells = [cell for _, cells in tiles for cell in cells]
    middle = _middle_cell(all_cells)
    moved = []
    for _, cells in tiles:
        centre = _middle_cell(cells)
        distances = [own_x - solid_x for own_x, solid_x in zip(centre, middle, strict=True)]
        shift = [round(factor * distance) for distance in distances]
        moved_cells = set()
        for cell in cells:
            ordinates = [x + distance for x, distance in zip(cell, shift, strict=True)]
            moved_cells.add(tuple(ordinates))
        moved.append(moved_cells)
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
                is_edge = (abs(a[0] - c[0]), abs(a[1] - c[1])) in ((1, 1), (0, 2))
                if is_edge:
                    halves = frozenset((a, b, c)), frozenset((a, c, d))
                else:
                    halves = frozenset((a, b, d)), frozenset((b, c, d))
                nearness = layer + row + column
                candidate = Face(nearness, number, face, planes[face], (layer, row, column))
                for triangle in halves:
                    nearest_face[triangle] = max(candidate, nearest_face.get(triangle, candidate))
    return nearest_face


def _project(layer: int, row: int, column: int) -> Corner:
    """Return the point of the picture at which a corner of a cube appears; see `Corner`."""
    return column - row, column + row - 2 * layer


def _point(corner: Point) -> Point:
    """Return (x, y) of a point of the picture, in lengths of an edge."""
    x, y = corner
    right = x * sqrt(3) / 2
    return round(right, 6), y / 2


def _ring(triangle: Triangle) -> list[Point]:
    """Return the corners (x, y) of a triangle in the picture, its inside to the right hand."""
    a, b, c = sorted(map(_point, triangle))
    (ax, ay), (bx, by), (cx, cy) = a, b, c
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if area > 0:
        return [a, b, c]
    return [a, c, b]
