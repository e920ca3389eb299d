"""Turns drawings into text, in colour where the terminal has it."""

import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, groupby, product, zip_longest
from math import ceil, dist, sqrt
from operator import itemgetter
from typing import NamedTuple, TextIO

from models.boards import grid
from models.boards.colours import CODE
from models.boards.lattice import HALF_HEXAGON, HEX
from models.puzzle import Drawing, Frame, Point, Puzzle, Shape, Solution
from solvers.base.errors import InputError
from solvers.show.printable import columns, printable
from solvers.symmetry.key import Decoded

WIDE, HIGH = 4, 2
"""Characters from one corner of a cell to the next, across and down; where labels are longer, see `wide_for`."""

MAX_WIDENING_NAME = 40
"""The length of the longest name for which cells are widened."""

LINES = " ╶╷┌╴─┐┬╵└│├┘┴┤┼"
"""The box character for each set of directions in which lines leave a corner.

Its index is the sum of right 1, down 2, left 4, up 8.
"""

MIN_ROWS_PER_COLUMN = 8
"""A table of fewer rows than this is not broken into columns."""

COLOURS = "#6195CF #F4A736 #E65518 #CAE0AB #CAACCB #99DDFF #90C987 #CC6677 #F7CB45 #EE8026 #AE76A3 #44BB99".split()
"""The colours of the colour classes, by number: twelve of P. Tol's schemes light, muted and rainbow (Colour Schemes,
technical note SRON/EPS/TN/09-002, issue 3.2, 2021), which colour-blind people can tell apart.

They are chosen so that their least distance is large for normal sight and three kinds of colour blindness, the first
ones farthest apart: 0.071 or more among the first ten, 0.065 among all twelve, where 0.02 is just noticeable; no other
twelve of these schemes have more than 0.067. None looks like paper, and black letters can be read on them
(`tests/pictures/test_svg.py` measures all that).
"""

LINE_COLOURS = "#5790FC #F89C20 #E42536 #964A8B #9C9CA1 #7A21DD".split()
"""The colours of lines and bars in plots: the six of M. Petroff (Accessible Color Sequences for Data Visualization,
arXiv 2107.02270, 2021), made for lines on white; their least distance, measured in the same way, is 0.11.
"""

DARK = 110
"""The brightness, of 255, below which letters on a colour are light."""

HEAT = {
    f"heat {n}": colour
    for n, colour in enumerate(("#FFFFE5", "#FFF7BC", "#FEE391", "#FEC44F", "#FE9929", "#EC7014"), 1)
}
"""The colours heat 1 (cool) to heat 6 (hot): the lighter six of YlOrBr of C. Brewer and M.

Harrower, ColorBrewer 2.0.
"""

TERMINAL = {
    **{
        "light": "48;5;255;38;5;16",
        "dark": "48;5;248;38;5;16",
        "white": "48;5;231;38;5;16",
        "black": "48;5;16;38;5;231",
    },
    **{"kept": "1", "added": "1;38;5;208", "removed": "2", "hole": "48;5;245;38;5;16"},
    **dict.fromkeys(("empty", "shade", "sign", "unit", "hidden", "arrow", "words"), ""),
}
"""The terminal attributes of each named colour (ECMA-48, with the 256 colours of xterm)."""

BARE = (None, "empty", "shade", "sign", "unit", "hidden", "arrow", "words")
"""The colours that a terminal leaves out."""

MAX_DISTANCE = 10_000
"""The greatest distance of a corner from the origin, in cell widths, as the text takes memory for the whole picture."""

MAX_LABEL_CORNERS = 16
"""The most corners from which the place of a label is sought if the middle of the shape lies outside."""

COLUMNS_BETWEEN = 3
"""Columns between pictures side by side."""

QUARTERS: list[Point] = [(1 / 2, 1 / 6), (1 / 6, 1 / 2), (5 / 6, 1 / 2), (1 / 2, 5 / 6)]
"""A point in each of the four triangles that a cell's diagonals cut it into."""


def text(drawing: Drawing) -> str:
    """Return a drawing as plain text, in box characters.

    Its frames are below each other, each with its caption.

    >>> from models.boards import grid
    >>> print(text(grid.tiling([("L", [(0, 0), (1, 0), (1, 1)]), ("I", [(0, 1)])])))
    ┌───┬───┐
    │ L │ I │
    │   └───┤
    │       │
    └───────┘
    """
    return "\n".join(line.rstrip() for line in lines(drawing))


def lines(drawing: Drawing, in_colour: bool = False) -> list[str]:
    """Return the lines of a drawing as text, padded to the same width.

    in_colour: add a terminal's escape sequences.

    Frames are below each other; all cells have the same width.
    """
    wide = _cell_width(drawing)
    lines_found = [line for frame in drawing for line in _lines_of_frame(frame, in_colour, wide)]
    # `_lines_of_frame` returns (plain text, painted text); escape sequences take no columns.
    width = max((columns(plain) for plain, _ in lines_found), default=0)
    return [painted + " " * (width - columns(plain)) for plain, painted in lines_found]


def in_colour(stream: TextIO) -> bool:
    """Tell whether the stream is a terminal with colours that the user has not disabled.

    They are disabled as https://no-color.org says.
    """
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def side_by_side(pictures: Sequence[Sequence[str]], width: int) -> str:
    """Return pictures as one text, in rows of as many pictures as fit into ``width`` columns.

    pictures: each a list of lines, which may have escape sequences for colours. Rows of pictures are separated by an
    empty line.

    >>> print(side_by_side([["aa", "aa"], ["b"], ["ccc"]], 8))
    aa   b
    aa
    <BLANKLINE>
    ccc
    """
    rows: list[list[Sequence[str]]] = []
    # The columns that the last row of pictures takes; at first, as if a row were full.
    taken = width
    for picture in pictures:
        columns = max(map(_columns, picture), default=0)
        if taken + COLUMNS_BETWEEN + columns > width:
            rows.append([])
            # The first picture of a row has no gap before it.
            taken = -COLUMNS_BETWEEN
        rows[-1].append(picture)
        taken += COLUMNS_BETWEEN + columns
    return "\n\n".join("\n".join(map(str.rstrip, _lines_side_by_side(row))) for row in rows)


def _lines_side_by_side(pictures: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the lines of one row of pictures, each padded to its own width."""
    widths = [max(map(_columns, picture), default=0) for picture in pictures]
    for parts in zip_longest(*pictures, fillvalue=""):
        padded = (part + " " * (width - _columns(part)) for part, width in zip(parts, widths, strict=True))
        yield (" " * COLUMNS_BETWEEN).join(padded)


def _columns(line: str) -> int:
    """Count the columns of a terminal that a line takes; escape sequences for colours take none."""
    return columns(re.sub(r"\x1b\[[0-9;]*m", "", line))


def wide_for(name: str) -> int:
    """Return the width of a cell, in characters from corner to corner, in which this name fits.

    It is even, so that a cell has a middle. A name longer than `MAX_WIDENING_NAME` widens no cell.

    >>> wide_for("I"), wide_for("Ell"), wide_for("1x2x2")
    (4, 4, 8)
    """
    # Three more than the name, rounded up to an even number.
    length = columns(name)
    return WIDE if length < WIDE or length > MAX_WIDENING_NAME else length + 3 + (length + 3) % 2


class Canvas(NamedTuple):
    """The mapping between the points of a frame, in cell widths, and characters (line, column) of a text."""

    left: float
    """The x coordinate of column 0."""
    top: float
    """The y coordinate of line 0."""
    right: float
    """The number of characters in a unit of width."""
    down: float
    """The number of lines in a unit of height."""
    is_hex: bool = False
    """True if each side of a cell is one character, drawn at the middle of the side."""

    def position(self, point: Point) -> tuple[int, int]:
        """Return the (line, column) nearest to a point."""
        return round((point[1] - self.top) * self.down), round((point[0] - self.left) * self.right)

    def point(self, line: float, column: float) -> Point:
        """Return the point (x, y) that a line and a column represent."""
        return self.left + column / self.right, self.top + line / self.down


def half_width(width: int, is_hex: bool) -> int:
    """Return half the width of a hexagon or triangle, in characters, in which names fit.

    The width of a hexagon has to be at least ``width`` + 1; a triangle is narrower at its sides, so it needs twice
    that. The result is even and at least 2. width: the length of the longest name.

    >>> half_width(1, is_hex=True), half_width(4, is_hex=True), half_width(1, is_hex=False), half_width(2, is_hex=False)
    (2, 4, 2, 4)
    """
    least = ceil((width + 1) / 2) if is_hex else width + 1
    return max(2, least + least % 2)


def _canvas(frame: Frame, wide: int) -> Canvas:
    """Return the mapping from the points of a frame to characters.

    wide: characters from one corner of a square cell to the next, across.
    """
    rings = [ring for shape in frame.shapes for ring in shape.rings]
    left = min((x for ring in rings for x, _ in ring), default=0)
    top = min((y for ring in rings for _, y in ring), default=0)
    if frame.board is None:
        return Canvas(left, top, wide, HIGH)
    if not frame.board.lattice.is_skew:
        # Lines that mark a cell reach a little beyond its corners.
        return Canvas(round(2 * left) / 2, round(2 * top) / 2, wide, HIGH)
    # The distance in characters from the middle of a cell to the next column.
    is_hex = frame.board.lattice is HEX
    pitch = half_width(frame.board.width, is_hex)
    if is_hex:
        # Line 0 has the upper sides, whose middle is 1/4 below the highest corner. Rows are 3/2 apart, and two lines.
        return Canvas(left, top + 1 / 4, pitch / HALF_HEXAGON, HIGH / (3 / 2), is_hex)
    # A triangle of side 1 is as high as half a hexagon is wide.
    return Canvas(left, top, 2 * pitch, HIGH / HALF_HEXAGON)


def _cell_width(drawing: Drawing) -> int:
    """Return the width of all cells of a drawing, in characters.

    It is the width that the longest crowded label needs.
    """
    return max((wide_for(shape.label) for frame in drawing for shape in _shapes_with_long_labels(frame)), default=WIDE)


def _shapes_with_long_labels(frame: Frame) -> Iterable[Shape]:
    """Yield the shapes whose label is too long for its place.

    Such a label is longer than a cell, and longer than the part of the shape around the label's point. Skew boards
    (hexagons, triangles) have none: their cells are made wide enough by `half_width`.
    """
    for shape in () if _is_skew(frame) else frame.shapes:
        if not shape.mark and columns(shape.label) >= WIDE:
            x, y = label_point(shape)
            half_length = (columns(shape.label) + 1) / 2 / WIDE  # in cell widths
            if not all(is_inside((x + side * half_length, y), shape.rings) for side in (-1, 1)):
                yield shape


def _is_skew(frame: Frame) -> bool:
    """Tell whether the cells of a frame are hexagons or triangles; each of these cells shows its name."""
    return frame.board is not None and frame.board.lattice.is_skew


def _lines_of_frame(frame: Frame, in_colour: bool, wide: int) -> list[tuple[str, str]]:
    """Return each line of a frame as (plain text, text with escape sequences if in colour).

    Three dictionaries from (row, column) are filled: with outlines first, then with colours, then with labels. wide:
    characters from one corner of a square cell to the next, across.
    """
    # By (row, column): the character, the directions of lines as in `_draw_line`, the escape attributes.
    characters: dict[tuple[int, int], str] = {}
    directions: dict[tuple[int, int], int] = {}
    paint: dict[tuple[int, int], str] = {}
    scale = _canvas(frame, wide)
    for shape in frame.shapes:
        if shape.outline:
            for ring in shape.rings:
                for start, end in zip(ring, (*ring[1:], ring[0]), strict=True):
                    if scale.is_hex:
                        characters[scale.position(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))] = (
                            _side_character(start, end)
                        )
                    else:
                        _draw_line(directions, characters, scale.position(start), scale.position(end))
    characters |= {spot: "─" if _is_skew(frame) else LINES[ways] for spot, ways in directions.items()}
    line_places = frozenset(characters)  # the places of lines, which no colour covers
    for shape in frame.shapes:
        if in_colour and shape.colour not in BARE and not shape.mark:
            paint |= dict.fromkeys(_spots_inside(shape, scale) - line_places, _attributes(shape.colour))
        # Without colours, dark shapes are hatched, except near their borders.
        elif shape.colour in ("dark", "black", "hole"):
            characters |= dict.fromkeys(_spots_inside(shape, scale, 1 / 4) - line_places, "░")
    labelled: Iterable[tuple[Point, Shape]] = ((label_point(shape), shape) for shape in frame.shapes)
    if frame.board and frame.board.lattice.is_skew:
        middle_of = frame.board.lattice.middle
        # On a skew board the cells show their names, in place of labels of shapes.
        labelled = ((middle_of(cell), Shape([], name)) for cell, name in frame.board.names.items())
    for point, shape in labelled:
        row, middle = scale.position(point)
        # The width of the shape is the room for its label; a name of a skew cell has no shape, and all the room that it
        # needs.
        xs = [x for ring in shape.rings for x, _ in ring] or [0.0, float(len(shape.label))]
        room = max(1, round((max(xs) - min(xs)) * wide) - 1)
        # What does not fit is cut with a sign, and does not run over its neighbour.
        words = shape.mark or (
            shape.label if columns(shape.label) <= room else f"{shape.label[: (room - 1) // 2 * 2]}…"
        )
        column_of_mark = middle - columns(words) // 2
        # A mark of two columns, such as a Chinese character, also covers the next place.
        for mark in words:
            if columns(mark):
                characters[row, column_of_mark] = mark
                if in_colour and shape.mark and shape.colour in ("kept", "added", "removed"):
                    paint[row, column_of_mark] = _attributes(shape.colour)
                characters |= {
                    (row, column_of_mark + n): "" for n in range(1, columns(mark))
                }  # it covers these columns, too
                column_of_mark += columns(mark)
            elif (row, column_of_mark - 1) in characters:  # a combining character, which has no column of its own
                characters[row, column_of_mark - 1] += mark
    spots = characters.keys() | paint.keys()
    height, width = (max((spot[axis] for spot in spots), default=-1) + 1 for axis in (0, 1))
    lines_found = [(frame.caption, frame.caption)] if frame.caption else []
    for row in range(height):
        marks = [(characters.get((row, column), " "), paint.get((row, column), "")) for column in range(width)]
        # Neighbours with the same attributes share one pair of escape sequences.
        runs = [(look, "".join(mark for mark, _ in run)) for look, run in groupby(marks, key=itemgetter(1))]
        painted = "".join(f"\x1b[{look}m{words}\x1b[0m" if look else words for look, words in runs)
        lines_found.append(("".join(mark for mark, _ in marks), painted))
    return lines_found


def _side_character(start: Point, end: Point) -> str:
    """Return the character that looks like the side of a hexagon from ``start`` to ``end``.

    The y coordinate grows downwards, so a side on which x and y grow together falls.
    """
    (x, y), (u, v) = start, end
    if abs(x - u) < 1e-6:
        return "│"
    return "╲" if (x < u) == (y < v) else "╱"


def _spots_inside(shape: Shape, scale: Canvas, within: float = 0) -> set[tuple[int, int]]:
    """Return the characters (line, column) whose centres are in a shape.

    shape: its rings are in cell widths. scale: maps points to characters. within: the least distance of a centre from
    the shape's border, in characters: so far away, four points around the centre have to be inside.
    """
    corners = [scale.position(point) for ring in shape.rings for point in ring]
    (top, left), (bottom, right) = (tuple(map(edge, zip(*corners, strict=True))) for edge in (min, max))
    offsets = {*product((within, -within), repeat=2)}  # to four points around the centre; one if ``within`` is 0
    return {
        (row, column)
        for row in range(top, bottom + 1)
        for column in range(left, right + 1)
        if all(is_inside(scale.point(row + down, column + right), shape.rings) for down, right in offsets)
    }


@cache
def _attributes(colour: int | str) -> str:
    """Return the terminal's attributes, as in an escape sequence, for a colour: a named one, a class number or a code.

    For a class or a code they are the nearest of the terminal's 256 colours as the ground, and black letters, or white
    ones if the colour is dark.
    """
    if isinstance(colour, str) and colour in TERMINAL:
        return TERMINAL[colour]
    if isinstance(colour, int):
        colour = COLOURS[colour % len(COLOURS)]
    code = HEAT.get(colour, colour)  # "#rrggbb"
    levels = (0, 95, 135, 175, 215, 255)  # of each channel in xterm's cube of colours
    # The nearest level of each channel.
    red, green, blue = (min(range(6), key=lambda n: abs(levels[n] - int(code[i : i + 2], 16))) for i in (1, 3, 5))
    return f"48;5;{16 + 36 * red + 6 * green + blue};38;5;{231 if is_dark(colour) else 16}"


def is_code(colour: int | str | None) -> bool:
    """Tell whether a colour is a code, #rrggbb, and no class or name."""
    return isinstance(colour, str) and CODE.fullmatch(colour) is not None


def is_dark(colour: int | str | None) -> bool:
    """Tell whether a colour is a code so dark that letters on it have to be light."""
    if not isinstance(colour, str) or not is_code(colour):
        return False
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < DARK


def _draw_line(
    directions: dict[tuple[int, int], int],
    canvas: dict[tuple[int, int], str],
    start: tuple[int, int],
    end: tuple[int, int],
) -> None:
    """Draw a line between two characters (line, column), ``start`` and ``end``.

    Horizontal and vertical lines are added to ``directions``: for each character, the sum of right 1, down 2, left 4
    and up 8 for the directions in which lines leave it. Slanted lines are written into ``canvas`` as characters.
    """
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
            canvas[r, int(column + share * (last_column - column) + 0.5)] = "╲" if falls else "╱"


def unit_cells(shape: Shape) -> Iterable[Point]:
    """Yield the upper left corners (x, y) of the unit cells whose centres are in the shape."""
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    for y in range(int(min(ys)), round(max(ys))):
        for x in range(int(min(xs)), round(max(xs))):
            if is_inside((x + 0.5, y + 0.5), shape.rings):
                yield x, y


def is_inside(point: Point, rings: Sequence[Sequence[Point]]) -> bool:
    """Tell whether a point lies inside the rings of an outline.

    A ray from it to the right then crosses them an odd number of times (a ring within another one is a hole).
    """
    x, y = point
    crossings = 0
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, (*ring[1:], ring[0]), strict=True):
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
                crossings += 1
    return crossings % 2 == 1


def label_point(shape: Shape) -> Point:
    """Return the point (x, y) at which a shape's label is centred.

    It is the point that the shape names; otherwise the middle of the first unit cell, in reading order, that is inside
    the shape (all its four quarters are); otherwise the middle of the shape's box. If that lies outside, it is the
    middle of three corners that is inside and farthest from all corners.
    """
    if shape.at:
        return shape.at
    for x, y in unit_cells(shape):
        if all(is_inside((x + a, y + b), shape.rings) for a, b in QUARTERS):
            return x + 0.5, y + 0.5
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    if is_inside(middle, shape.rings):
        return middle
    corners = [point for ring in shape.rings for point in ring]
    middles = [
        ((a[0] + b[0] + c[0]) / 3, (a[1] + b[1] + c[1]) / 3) for a, b, c in combinations(corners[:MAX_LABEL_CORNERS], 3)
    ]
    middles_inside = [point for point in middles if is_inside(point, shape.rings)]
    return max(middles_inside, key=lambda point: min(dist(point, corner) for corner in corners), default=middle)


def solution(puzzle: Puzzle, found: Solution, in_colour: bool = False) -> str:
    """Return a solution as text: the puzzle's own drawing, or a line LABEL = VALUE for each literal.

    found: the solution, values by label. in_colour: add a terminal's escape sequences to a drawing. A file may have
    words for values (``puzzle.file.values``, by label), which are then shown. Raises `InputError` if the puzzle draws
    something that cannot be shown.
    """
    if puzzle.draw:
        return "\n".join(map(str.rstrip, lines(drawing(puzzle, found), in_colour)))
    words_of_values = puzzle.file.values if puzzle.file else {}
    of_literals = (f"{label} = {words_of_values.get(label, {}).get(value, value)}" for label, value in found.items())
    return "\n".join(map(printable, of_literals))


def drawing(puzzle: Puzzle, found: Solution) -> Drawing:
    """Return a solution as a drawing: the puzzle's own, if it has one.

    Otherwise it is a board with the values if all labels are (row, column), and a table of the literals if not. Raises
    `InputError` if the puzzle draws something that cannot be shown. found: the solution, values by label.
    """
    if puzzle.draw:
        return _printable_drawing(puzzle, puzzle.draw(found.whole() if isinstance(found, Decoded) else found))
    if has_board(puzzle):
        return [grid.board_with_texts({label: printable(str(found.get(label, ""))) for label in sorted(puzzle.key)})]
    names = {label: printable(str(label)) for label in puzzle.key}
    name_length = max(map(len, names.values()), default=0)
    # Each literal is a row of two cells, the label and the value; a cell width has room for four letters.
    texts = [(f"{names[label]:{name_length}}", str(value)) for label, value in found.items()]
    name_width, value_width = 1 + name_length / 4, max(1 + len(value) / 4 for _, value in texts) if texts else 1
    # Broken into columns of so many rows that the table is about square.
    rows_per_column = max(MIN_ROWS_PER_COLUMN, ceil(sqrt(len(texts) * (name_width + value_width))))
    shapes = []
    for n, (name, value) in enumerate(texts):
        left, row = n // rows_per_column * (name_width + value_width + 1), n % rows_per_column
        for x, width, words, colour in (
            (left, name_width, name, "light"),
            (left + name_width, value_width, value, None),
        ):
            ring = [(x, row), (x + width, row), (x + width, row + 1), (x, row + 1)]
            shapes.append(Shape([ring], words.strip(), colour))
    return [Frame(shapes)]


def has_board(puzzle: Puzzle) -> bool:
    """Tell whether all labels of a puzzle's key are cells (row, column) of a board of drawable size."""
    return all(
        isinstance(label, tuple) and len(label) == 2 and all(type(n) is int and abs(n) <= MAX_DISTANCE for n in label)
        for label in puzzle.key
    )


def _printable_drawing(puzzle: Puzzle, drawing: Drawing) -> Drawing:
    """Return a puzzle's drawing without shapes that have no corners, and with printable words.

    Raises `InputError` if the drawing is not a list of frames or cannot be shown.
    """
    if not isinstance(drawing, Sequence) or not all(isinstance(frame, Frame) for frame in drawing):
        if drawing is None:
            what = "nothing"
        elif isinstance(drawing, str):
            what = "text"
        else:
            what = repr(drawing)
        raise InputError(f"{puzzle.name} draws {what}; its draw has to return a list of models.puzzle.Frame")
    try:
        return [
            frame._replace(
                shapes=[_printable_shape(shape) for shape in frame.shapes if any(shape.rings)],
                caption=printable(frame.caption),
            )
            for frame in drawing
        ]
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"{puzzle.name} draws something that cannot be shown: {error}") from None


def _printable_shape(shape: Shape) -> Shape:
    """Return a shape without empty rings and with printable words.

    Raises ValueError if a corner is too far away, or if the colour is unknown.
    """
    rings = [ring for ring in shape.rings if ring]
    if not all(abs(x) <= MAX_DISTANCE and abs(y) <= MAX_DISTANCE for ring in rings for x, y in ring):
        raise ValueError(f"a corner that is farther than {MAX_DISTANCE} cells away")
    colour = shape.colour
    is_named = colour in TERMINAL or colour in HEAT or is_code(colour)
    if not (colour is None or isinstance(colour, int) or is_named):
        raise ValueError(f"the colour {colour!r}")
    if shape.label.isprintable() and shape.mark.isprintable() and len(rings) == len(shape.rings):
        return shape
    return shape._replace(rings=rings, label=printable(shape.label), mark=printable(shape.mark))
