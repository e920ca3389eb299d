"""Patterns drawn as lines and dots, for formats that have no patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil, floor

from models.puzzle import Point
from solvers.extras.pictures.svg import INK, number
from solvers.show.draw import is_inside

PATTERNED = re.compile(r'<path d="([^"]*)" fill="url\(#kazoeru-(\d)\)"/>')
"""Matches a shape with a pattern in an SVG: its path, and the number of the pattern."""

SPACING = 0.25
"""The distance between two lines and between two dots, in cell widths, as in `svg.PATTERNS`."""


def hatch_patterns(sheet: str) -> str:
    """Return an SVG, ``sheet``, with lines or dots in place of each pattern.

    Each path that is filled with a pattern is replaced by another path.

    >>> hatch_patterns('<path d="M0 0 1 0 1 1 0 1Z" fill="url(#kazoeru-2)"/>').count("M")
    16
    """

    def draw_path(match: re.Match[str]) -> str:
        """Return the lines or dots in place of a path that is filled with a pattern.

        match: the text of the path, and the level of its pattern: 1 for lines, otherwise dots.
        """
        path, level = match.groups()
        *ring_texts, _ = path.split("Z")
        points_of_rings = [re.findall(r"(-?[\d.]+) (-?[\d.]+)", ring_text) for ring_text in ring_texts]
        rings = [[(float(x), float(y)) for x, y in points] for points in points_of_rings]
        if level == "1":
            return f'<path d="{"".join(_hatching_lines(rings))}" fill="none" stroke="{INK}" stroke-width=".06"/>'
        return f'<path d="{"".join(_dots(rings))}" fill="{INK}"/>'

    return PATTERNED.sub(draw_path, sheet)


def _hatching_lines(rings: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Yield, as SVG paths, the parts inside the polygons of lines on which x + y is a multiple of a step.

    In the coordinates (sum, difference) = ((x + y) / step, x - y), these lines have a whole sum. A line is inside from
    its first crossing with a side to its second, from the third to the fourth, and so on.

    rings: the corners of each polygon. A side that is crossed has ends with different sums, so that no divisor is 0.
    """
    step = SPACING * 2**0.5
    rings_turned = [[((x + y) / step, x - y) for x, y in ring] for ring in rings]
    sides = [side for ring in rings_turned for side in zip(ring, (*ring[1:], ring[0]), strict=True)]
    sums = [corner_sum for (corner_sum, _), _ in sides]
    for line in range(ceil(min(sums)), floor(max(sums)) + 1):
        crossings = sorted(
            start_difference + (line - start_sum) * (end_difference - start_difference) / (end_sum - start_sum)
            for (start_sum, start_difference), (end_sum, end_difference) in sides
            if (start_sum > line) != (end_sum > line)
        )
        # Back from (sum, difference) to (x, y).
        corner_sum = line * step
        for ends in zip(crossings[::2], crossings[1::2], strict=True):
            (x, y), (u, v) = (((corner_sum + difference) / 2, (corner_sum - difference) / 2) for difference in ends)
            yield f"M{number(x)} {number(y)}L{number(u)} {number(v)}"


def _dots(rings: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Yield, as SVG paths, small discs at the points of a grid that lie inside the polygons.

    rings: the corners of each polygon. The points are `SPACING` apart, and a disc has the radius 0.045.
    """
    points = [point for ring in rings for point in ring]
    columns, rows = (
        range(floor(min(coordinates) / SPACING), ceil(max(coordinates) / SPACING))
        for coordinates in zip(*points, strict=True)
    )
    for row, column in product(rows, columns):
        x, y = ((place + 0.5) * SPACING for place in (column, row))
        if is_inside((x, y), rings):
            yield f"M{number(x - 0.045)} {number(y)}a.045 .045 0 1 0 .09 0a.045 .045 0 1 0 -.09 0Z"
