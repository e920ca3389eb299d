"""Turns drawings into text, in colour where the terminal has it."""

import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, groupby, zip_longest
from math import ceil, dist, sqrt
from operator import itemgetter
from typing import TextIO

from models.puzzle import Drawing, Frame, Letters, Point, Puzzle, Shape, Solution
from solvers.errors import InputError
from solvers.show.printable import printable

WIDE, HIGH = 4, 2
"""Characters from one corner of a cell to the next, across and down; where names are longer, see `wide_for`."""

LONGEST = 40
"""For names longer than this, cells are not widened."""

LINES = " ╶╷┌╴─┐┬╵└│├┘┴┤┼"
"""By the directions in which a line leaves a corner: right 1, down 2, left 4, up 8."""

LEAST_ROWS = 8
"""A table of fewer rows than this is not broken into columns."""

COLOURS = (
    *("#FFB266", "#4488EE", "#F5F0E6", "#CC99FF", "#C76A6A", "#8E7DB2"),
    *("#FFDD44", "#B4F0A4", "#80A0A0", "#F07848", "#A8C8A8", "#88DDFF"),
)
"""Of the colour classes; chosen so that their least distance for normal sight and three kinds of colour blindness is
large and black letters can be read on them (`tests/test_draw.py` measures both)."""

HEAT = {
    f"heat {n}": colour
    for n, colour in enumerate(("#FFFFE5", "#FFF7BC", "#FEE391", "#FEC44F", "#FE9929", "#EC7014"), 1)
}
"""From cool to hot: the lighter six of the nine colours YlOrBr of C. Brewer and M. Harrower, ColorBrewer 2.0."""

TERMINAL = {
    **{
        "light": "48;5;255;38;5;16",
        "dark": "48;5;248;38;5;16",
        "white": "48;5;231;38;5;16",
        "black": "48;5;16;38;5;231",
    },
    **{"kept": "1", "added": "1;38;5;208", "removed": "2"},
}
"""The attributes of the named colours on a terminal (ECMA-48, with the 256 colours of xterm)."""

FARTHEST = 10_000
"""How far from the origin a corner may be, in cell widths; a text takes memory for all between its corners."""

MOST_CORNERS = 16
"""By so many of its corners the place of a shape's label is sought where its middle lies outside."""

BETWEEN = 3
"""Columns between pictures side by side."""

QUARTERS: list[Point] = [(1 / 2, 1 / 6), (1 / 6, 1 / 2), (5 / 6, 1 / 2), (1 / 2, 5 / 6)]
"""A point in each of the four triangles that a cell's diagonals cut it into."""


def text(drawing: Drawing) -> str:
    """The frames of a drawing below each other, each with its caption; lines are drawn with box characters.

    >>> from models import grid
    >>> print(text(grid.tiling([("L", [(0, 0), (1, 0), (1, 1)]), ("I", [(0, 1)])])))
    ┌───┬───┐
    │ L │ I │
    │   └───┤
    │       │
    └───────┘
    """
    return "\n".join(line.rstrip() for line in lines(drawing))


def lines(drawing: Drawing, in_colour: bool = False) -> list[str]:
    """The same line by line, padded to the same width; with the escape sequences of a terminal if in colour."""
    wide = _wide(drawing)
    found = [line for frame in drawing for line in _frame(frame, in_colour, wide)]
    width = max((len(plain) for plain, _ in found), default=0)
    return [painted + " " * (width - len(plain)) for plain, painted in found]


def in_colour(stream: TextIO) -> bool:
    """Whether the stream is a terminal with colours and nobody asks for none (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def side_by_side(pictures: Sequence[Sequence[str]], width: int) -> str:
    """Pictures, given line by line, as many beside each other as fit into so many columns.

    >>> print(side_by_side([["aa", "aa"], ["b"], ["ccc"]], 8))
    aa   b
    aa
    <BLANKLINE>
    ccc
    """
    rows: list[list[Sequence[str]]] = []
    taken = width
    for picture in pictures:
        columns = max(map(_columns, picture), default=0)
        if taken + BETWEEN + columns > width:
            rows.append([])
            taken = -BETWEEN
        rows[-1].append(picture)
        taken += BETWEEN + columns
    return "\n\n".join("\n".join(map(str.rstrip, _beside(row))) for row in rows)


def _beside(pictures: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(map(_columns, picture), default=0) for picture in pictures]
    for parts in zip_longest(*pictures, fillvalue=""):
        padded = (part + " " * (width - _columns(part)) for part, width in zip(parts, widths, strict=True))
        yield (" " * BETWEEN).join(padded)


def _columns(line: str) -> int:
    return len(re.sub(r"\x1b\[[0-9;]*m", "", line))


def wide_for(name: str) -> int:
    """Characters from one corner of a cell to the next, across, where this name has to fit between.

    >>> wide_for("I"), wide_for("Ell"), wide_for("1x2x2")
    (4, 4, 8)
    """
    length = len(name)
    return WIDE if length < WIDE or length > LONGEST else length + 3 + (length + 3) % 2


def _wide(drawing: Drawing) -> int:
    """How wide the cells of a drawing are: all alike, and as the longest name needs that has no room otherwise."""
    return max((wide_for(shape.label) for frame in drawing for shape in _crowded(frame)), default=WIDE)


def _crowded(frame: Frame) -> Iterable[Shape]:
    """The shapes whose label has more characters than a cell, and than the shape has to both sides of it."""
    for shape in frame.shapes if frame.letters is None else ():
        if not shape.mark and len(shape.label) >= WIDE:
            x, y = label_point(shape)
            half = len(shape.label) / 2 / WIDE
            if not all(inside((x + side * half, y), shape.rings) for side in (-1, 1)):
                yield shape


def _frame(frame: Frame, in_colour: bool, wide: int) -> list[tuple[str, str]]:
    """Each line of a frame, plain and painted; wide: characters from one corner of a cell to the next, across."""
    if frame.letters is not None:
        caption = [frame.caption] if frame.caption else []
        return [(line, line) for line in (*caption, *_written(frame.letters))]
    corners = [point for shape in frame.shapes for ring in shape.rings for point in ring]
    left, top = (min((point[axis] for point in corners), default=0) for axis in (0, 1))
    canvas: dict[tuple[int, int], str] = {}
    directions: dict[tuple[int, int], int] = {}
    paint: dict[tuple[int, int], str] = {}

    def at(point: Point) -> tuple[int, int]:
        return round((point[1] - top) * HIGH), round((point[0] - left) * wide)

    for shape in frame.shapes:
        if shape.outline:
            for ring in shape.rings:
                for start, end in zip(ring, (*ring[1:], ring[0]), strict=True):
                    _line(directions, canvas, at(start), at(end))
    canvas |= {spot: LINES[ways] for spot, ways in directions.items()}
    for shape in frame.shapes:
        if in_colour and shape.colour is not None and not shape.mark:
            paint |= dict.fromkeys(_spots(shape, left, top, wide) - canvas.keys(), _attributes(shape.colour))
        elif shape.colour in ("dark", "black"):
            for corner in unit_cells(shape):
                line, place = at(corner)
                shade = {(line + 1, place + step): "░" for step in range(1, wide)}
                canvas |= {spot: mark for spot, mark in shade.items() if spot not in directions}
    for shape in frame.shapes:
        row, middle = at(label_point(shape))
        written = shape.mark or shape.label
        first = middle - len(written) // 2
        for n, mark in enumerate(written):
            canvas[row, first + n] = mark
            if in_colour and shape.mark and shape.colour in ("kept", "added", "removed"):
                paint[row, first + n] = _attributes(shape.colour)
    spots = canvas.keys() | paint.keys()
    height, width = (max((spot[axis] for spot in spots), default=-1) + 1 for axis in (0, 1))
    found = [(frame.caption, frame.caption)] if frame.caption else []
    for row in range(height):
        marks = [(canvas.get((row, column), " "), paint.get((row, column), "")) for column in range(width)]
        runs = [(look, "".join(mark for mark, _ in run)) for look, run in groupby(marks, key=itemgetter(1))]
        painted = "".join(f"\x1b[{look}m{words}\x1b[0m" if look else words for look, words in runs)
        found.append(("".join(mark for mark, _ in marks), painted))
    return found


def _written(letters: Letters) -> list[str]:
    """Names in their lines and columns, beginning with the first line and column that has one."""
    top, left = (min((cell[axis] for cell in letters.names), default=0) for axis in (0, 1))
    lines: dict[int, dict[int, str]] = {
        row: {} for row in range(top, 1 + max((r for r, _ in letters.names), default=-1))
    }
    for (row, column), name in letters.names.items():
        lines[row][(column - left) * letters.pitch] = printable(name)
    return [_line_of(names) for names in lines.values()]


def _line_of(names: dict[int, str]) -> str:
    line = ""
    for column, name in sorted(names.items()):
        line = line.ljust(column) + name
    return line


def _spots(shape: Shape, left: float, top: float, wide: int) -> set[tuple[int, int]]:
    """The characters that lie in a shape."""
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    rows = range(round((min(ys) - top) * HIGH), round((max(ys) - top) * HIGH) + 1)
    columns = range(round((min(xs) - left) * wide), round((max(xs) - left) * wide) + 1)
    return {(r, c) for r in rows for c in columns if inside((left + c / wide, top + r / HIGH), shape.rings)}


@cache
def _attributes(colour: int | str) -> str:
    """What a terminal is told to show a colour class: the nearest of its colours behind black letters."""
    if isinstance(colour, str) and colour in TERMINAL:
        return TERMINAL[colour]
    wanted = COLOURS[colour % len(COLOURS)] if isinstance(colour, int) else HEAT[colour]
    levels = (0, 95, 135, 175, 215, 255)  # of each channel in xterm's cube of colours
    nearest = (min(range(6), key=lambda n: abs(levels[n] - int(wanted[i : i + 2], 16))) for i in (1, 3, 5))
    red, green, blue = nearest
    return f"48;5;{16 + 36 * red + 6 * green + blue};38;5;16"


def _line(
    directions: dict[tuple[int, int], int],
    canvas: dict[tuple[int, int], str],
    start: tuple[int, int],
    end: tuple[int, int],
) -> None:
    (row, column), (last_row, last_column) = sorted((start, end))
    if row == last_row:
        for c in range(column, last_column):
            directions[row, c] = directions.get((row, c), 0) | 1
            directions[row, c + 1] = directions.get((row, c + 1), 0) | 4
    elif column == last_column:
        for r in range(row, last_row):
            directions[r, column] = directions.get((r, column), 0) | 2
            directions[r + 1, column] = directions.get((r + 1, column), 0) | 8
    else:
        falls = last_column > column
        for r in range(row + 1, last_row):
            share = (r - row) / (last_row - row)
            canvas[r, round(column + share * (last_column - column))] = "╲" if falls else "╱"


def unit_cells(shape: Shape) -> Iterable[Point]:
    """The upper left corners of the unit cells whose centres lie in the shape."""
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    for y in range(int(min(ys)), round(max(ys))):
        for x in range(int(min(xs)), round(max(xs))):
            if inside((x + 0.5, y + 0.5), shape.rings):
                yield x, y


def inside(point: Point, rings: Sequence[Sequence[Point]]) -> bool:
    """Whether a point lies in an outline: a ray to the right crosses it an odd number of times."""
    x, y = point
    crossings = 0
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, (*ring[1:], ring[0]), strict=True):
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
                crossings += 1
    return crossings % 2 == 1


def label_point(shape: Shape) -> Point:
    """Where a shape's label stands: in its first whole cell in reading order; if it covers none, in its middle, or away
    from its corners if that lies outside."""
    for x, y in unit_cells(shape):
        if all(inside((x + a, y + b), shape.rings) for a, b in QUARTERS):
            return x + 0.5, y + 0.5
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    if inside(middle, shape.rings):
        return middle
    corners = [point for ring in shape.rings for point in ring]
    middles = [
        ((a[0] + b[0] + c[0]) / 3, (a[1] + b[1] + c[1]) / 3) for a, b, c in combinations(corners[:MOST_CORNERS], 3)
    ]
    within = [point for point in middles if inside(point, shape.rings)]
    return max(within, key=lambda point: min(dist(point, corner) for corner in corners), default=middle)


def solution(puzzle: Puzzle, found: Solution, in_colour: bool = False) -> str:
    """A solution as text: the puzzle's own drawing, or a line for each literal where it has none."""
    if puzzle.draw:
        return "\n".join(map(str.rstrip, lines(drawing(puzzle, found), in_colour)))
    return "\n".join(printable(f"{label} = {value}") for label, value in found.items())


def drawing(puzzle: Puzzle, found: Solution) -> Drawing:
    """A solution as a picture: the puzzle's own drawing, or a plain table of the literals where it has none.

    Raises `InputError` where the puzzle draws what cannot be shown.
    """
    if puzzle.draw:
        return _shown(puzzle, puzzle.draw(found))
    names = {label: printable(str(label)) for label in puzzle.key}
    wide = max(map(len, names.values()), default=0)
    texts = [(f"{names[label]:{wide}}", str(value)) for label, value in found.items()]
    name_width, value_width = 1 + wide / 4, max(1 + len(value) / 4 for _, value in texts) if texts else 1
    tall = max(LEAST_ROWS, ceil(sqrt(len(texts) * (name_width + value_width))))
    shapes = []
    for n, (name, value) in enumerate(texts):
        left, row = n // tall * (name_width + value_width + 1), n % tall
        for x, width, words, colour in (
            (left, name_width, name, "light"),
            (left + name_width, value_width, value, None),
        ):
            ring = [(x, row), (x + width, row), (x + width, row + 1), (x, row + 1)]
            shapes.append(Shape([ring], words.strip(), colour))
    return [Frame(shapes)]


def _shown(puzzle: Puzzle, drawing: Drawing) -> Drawing:
    """What a puzzle draws, without the shapes that have no corner, and with printable words."""
    try:
        return [
            frame._replace(
                shapes=[_shown_shape(shape) for shape in frame.shapes if any(shape.rings)],
                caption=printable(frame.caption),
            )
            for frame in drawing
        ]
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"{puzzle.name} draws what cannot be shown: {error}") from None


def _shown_shape(shape: Shape) -> Shape:
    rings = [ring for ring in shape.rings if ring]
    if not all(abs(x) <= FARTHEST and abs(y) <= FARTHEST for ring in rings for x, y in ring):
        raise ValueError(f"a corner that is farther than {FARTHEST} cells away")
    colour = shape.colour
    if not (colour is None or isinstance(colour, int) or colour in TERMINAL or colour in HEAT):
        raise ValueError(f"the colour {colour!r}")
    if shape.label.isprintable() and shape.mark.isprintable() and len(rings) == len(shape.rings):
        return shape
    return shape._replace(rings=rings, label=printable(shape.label), mark=printable(shape.mark))
