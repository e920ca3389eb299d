"""The appearance of a drawing that is turned or mirrored."""

from collections.abc import Sequence
from itertools import pairwise

from models.puzzle import Drawing, Point
from solvers.extras.pictures import svg

Turn = tuple[int, int, int, int, bool]
"""(xx, xy, yx, yy, reversed): x becomes xx x + xy y and y becomes yx x + yy y, about the middle of each frame; the
frames come in the opposite order if reversed."""


TURNS: list[Turn] = [
    (*linear, reverse)
    for reverse in (False, True)
    for linear in [(a, 0, 0, d) for a in (1, -1) for d in (1, -1)] + [(0, b, c, 0) for b in (1, -1) for c in (1, -1)]
]
"""All turns of a drawing: the eight of the plane, then these with the frames in the opposite order.

First the identity.
"""


def appearance(drawing: Drawing, turn: Turn) -> tuple[object, ...]:
    """Return the appearance of a turned drawing, which is equal for drawings that look the same.

    turn: the entries of the matrix (xx, xy; yx, yy) by which each frame is turned about its middle, and whether the
    frames come in reverse order.
    """
    xx, xy, yx, yy, is_reversed = turn
    frame_looks = []
    for frame in drawing:
        left, top, right, bottom = svg.box(frame)
        middle_x = (left + right) / 2
        middle_y = (top + bottom) / 2

        def point_image(point: Point, middle_x: float = middle_x, middle_y: float = middle_y) -> Point:
            """Return a point after the turn, rounded so that equal points are equal."""
            x, y = point[0] - middle_x, point[1] - middle_y
            image_x = middle_x + xx * x + xy * y
            image_y = middle_y + yx * x + yy * y
            return round(image_x, 3), round(image_y, 3)

        def sides(ring: Sequence[Point]) -> frozenset[frozenset[Point]]:
            """Return the sides of a polygon after the turn, without direction and order."""
            corners = list(map(point_image, ring))
            return frozenset(map(frozenset, pairwise([*corners, corners[0]])))

        # The polygons of each shape, and its other fields but for its place of the label.
        frame_looks.append(frozenset((frozenset(map(sides, shape.rings)), *shape[1:5]) for shape in frame.shapes))
    captions = [frame.caption for frame in drawing]
    return (*zip(captions, reversed(frame_looks) if is_reversed else frame_looks, strict=True),)
