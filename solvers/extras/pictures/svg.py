"""Turns a drawing into SVG.

What is drawn on is white and what is drawn with is dark, on light pages and on dark ones; what is beside a board,
such as a caption, takes the colour of the text around it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import product, zip_longest
from typing import Any, NamedTuple

from models.boards.clues import DOT
from models.boards.lattice import Cell, Lattice
from models.puzzle import Drawing, Frame, Point, Shape
from solvers.show.draw import COLOURS, HEAT, is_code, is_dark, label_point
from solvers.show.draw import text as drawn_as_text
from solvers.show.printable import columns

PATTERNS = (
    "",
    '<pattern id="kazoeru-1" width=".25" height=".25" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path d="M0 0V.25" stroke="#111111" stroke-width=".06"/></pattern>',
    '<pattern id="kazoeru-2" width=".25" height=".25" patternUnits="userSpaceOnUse">'
    '<circle cx=".125" cy=".125" r=".045" fill="#111111"/></pattern>',
)
"""The patterns over the colours: none for the first colour classes, one for the next, and one for those after them."""

INK, PAPER = "#111111", "#FFFFFF"

SIGN_SIZE, NUMBER_SIZE = 0.42, 0.26
"""The size of a sign, such as one between cells, and of the letters of one that is a number, in cell widths."""

WALL = 0.06
"""The width of the lines around pieces and regions, in cell widths; those within are a third of it, and grey.

Pages draw both in proportion to the picture, but never so thin that they vanish nor so thick that they are bars.
"""

SEAM = 0.03
"""The width of the line around a coloured shape without an outline, in its own colour and in cell widths.

Without it, paper would shine through between neighbours of one colour, as browsers smooth each edge by itself.
"""

WALL_DISTANCE = 0.2
"""The room beside a name of several letters, in cell widths, so that it does not touch the walls."""

MIN_LETTER_SIZE, MAX_LETTER_SIZE = 0.2, 0.5
"""The least and the greatest size of letters, in cell widths; a name that fits only in smaller ones is shortened."""

LETTER_ROOM = 0.9
"""The share of the room for a label that its letters may take."""

BASE_LINE = 0.35
"""How far the base line of letters is below their middle, as a multiple of their size."""

CAPTION_COLUMN = 0.25
"""The width of a letter of a caption, in cell widths."""

NAMED: Mapping[str | None, str] = {
    "light": 'fill="#FAF7F0"',
    "dark": 'fill="#A9B1BC"',
    "white": f'fill="{PAPER}" stroke="{INK}" stroke-width=".05"',
    "black": 'fill="#33363D"',
    "kept": 'fill="currentColor"',
    "added": 'fill="#E8590C"',
    "removed": 'fill="none" stroke="currentColor" stroke-width=".04" stroke-dasharray=".09 .06"',
    "empty": f'class="fine" fill="{PAPER}" stroke="#B4B4B4" stroke-width="{WALL / 3:g}"',
    "hole": 'fill="#4A4E57"',
    "shade": 'fill="#000000" fill-opacity=".12"',
    "sign": 'fill="none"',
    "unit": f'fill="none" stroke="{INK}" stroke-opacity=".45" stroke-width=".02"',
    "hidden": f'fill="none" stroke="{INK}" stroke-width=".03" stroke-dasharray=".12 .09"',
    "arrow": f'fill="{INK}" stroke="{PAPER}" stroke-width=".05" stroke-linejoin="round"',
    "words": 'fill="none"',
    **{name: f'fill="{colour}"' for name, colour in HEAT.items()},
    None: 'fill="currentColor" fill-opacity=".1"',
}
"""The SVG attributes of the named colours, and of shapes without colour and outline."""

WIDE_LETTERS = frozenset("mwMW@%ÆŒæœДЖМФШЩЫЮжмфшщыюΩΦΨΜωψ")
"""Letters that are wider than others."""

CELL_PIXELS = 32
"""The width of a cell in pixels, by default."""

MARGIN, GAP, CAPTION = 0.15, 0.8, 0.75
"""The distance around the frames, between them, and the height of a caption's line, in cell widths."""

CAPTION_SIZE = 0.42
"""The size of a caption's letters, in cell widths."""

ASPECT_RATIO = 1.4
"""The ratio of width to height that the frames of a drawing are arranged for."""


class SvgShape(NamedTuple):
    """A shape with the values that its SVG needs; lengths in cell widths."""

    path: str
    colour: int | str | None
    outline: bool
    label: str
    x: float
    y: float
    size: float
    """The size of the label's letters; (x, y) is the middle of their base line."""


class PictureLayout(NamedTuple):
    """The arrangement of a drawing's frames."""

    width: float
    height: float
    places: tuple[Point, ...]
    """The distance (x, y) by which each frame is moved."""
    corners: tuple[Point, ...]
    """Where each frame's caption begins, within the frame."""
    cells: tuple[tuple[tuple[str, str], ...], ...]
    """For each frame, the cells that can be pointed at, each by its name and its path."""


class Picture(tuple[Frame, ...]):
    """A drawing, such as ``puzzle.draw(solution)`` or ``grid.tiling(pieces)``, that shows itself.

    >>> from models.boards import grid
    >>> Picture(grid.tiling([("I", [(0, 0), (0, 1)])]))
    ┌───────┐
    │ I     │
    └───────┘
    """

    def __new__(cls, drawing: Drawing) -> "Picture":
        """Take the frames of a drawing, see `models.puzzle.Drawing`."""
        return super().__new__(cls, drawing)

    def __str__(self) -> str:
        """Return the drawing as text."""
        return drawn_as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the drawing as SVG, which Jupyter shows."""
        return picture(self)


def picture(drawing: Drawing, strong: Drawing = (), marked: Drawing = (), pixels: float = CELL_PIXELS) -> str:
    """Return a drawing as a whole ``<svg>`` element; the frames are side by side with their captions.

    strong: shapes that are drawn over the drawing, which is then faint. marked: shapes that then get a thick border.
    Each has as many frames as the drawing, or none. pixels: the width of a cell.

    >>> from models.boards import grid
    >>> picture(grid.tiling([("L", [(0, 0), (1, 0), (1, 1)]), ("I", [(0, 1)])])).count("<path")
    3
    """
    width, height, body = picture_of_frames(drawing, strong, marked)
    size = f'width="{number(pixels * width)}" height="{number(pixels * height)}"'
    style = f"--across:{number(width)};--down:{number(height)};max-width:100%;height:auto"
    return element(width, height, f'class="picture" {size} role="img"', style, body)


def picture_of_frames(drawing: Drawing, strong: Drawing = (), marked: Drawing = ()) -> tuple[float, float, str]:
    """Return (width, height, SVG content) of a picture with all frames; lengths are in cell widths.

    Below it are lines that explain the abbreviations of names, if there are any. strong: shapes that are drawn over the
    drawing, which is then faint. marked: shapes that then get a thick border. Each has as many frames as the drawing,
    or none.
    """
    arranged, abbreviations = layout(drawing), Abbreviations()
    # Where ``strong`` or ``marked`` has no frames, each frame gets None for it.
    framed = zip_longest(drawing, strong, marked, arranged.places, arranged.corners)
    body = []
    for frame, shapes, thick, place, corner in framed:
        body.append(_frame(frame, place, corner, abbreviations))
        if strong or marked:
            body.append(_veil(frame, shapes, thick, place, abbreviations))
    legend = abbreviations.legend
    lines = (caption(MARGIN, arranged.height + n * CAPTION - 0.3, words) for n, words in enumerate(legend, 1))
    width = max([arranged.width, *(2 * MARGIN + CAPTION_COLUMN * columns(words) for words in legend)])
    return width, arranged.height + CAPTION * len(legend), "".join([*body, *lines])


def element(width: float, height: float, attributes: str, style: str, body: str) -> str:
    """Return a whole ``<svg>`` element with this content, ``body``, and the patterns that it uses.

    width, height: the width and height of the view box, in cell widths. attributes: further attributes, as text. style:
    the value of its attribute of this name.
    """
    used = "".join(pattern for level, pattern in enumerate(PATTERNS) if level and f"url(#kazoeru-{level})" in body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" {attributes} '
        f'font-family="system-ui, sans-serif" text-anchor="middle" style="{style}">'
        f"{used and f'<defs>{used}</defs>'}{body}</svg>"
    )


def caption(x: float, y: float, words: str, size: float = CAPTION_SIZE) -> str:
    """Return a line of text as SVG that begins at (x, y); size: the size of its letters, in cell widths."""
    start = f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="start" fill="currentColor">'
    return f"{start}{text(words)}</text>"


def layout(drawing: Drawing) -> PictureLayout:
    """Return the arrangement of the frames in rows and columns whose form is nearest to that of a page.

    Every number of frames in a row is tried. All frames have the room of the widest and of the highest one, with their
    captions. Lengths are in cell widths.
    """
    boxes = [box(frame) for frame in drawing]
    caption_heights = [CAPTION * bool(frame.caption) for frame in drawing]
    widths = [CAPTION_COLUMN * columns(frame.caption) for frame in drawing]
    frame_width = max([1.0, *widths, *(right - left for left, _, right, _ in boxes)])
    heights = [
        caption_height + bottom - top
        for caption_height, (_, top, _, bottom) in zip(caption_heights, boxes, strict=True)
    ]
    frame_height = max([1.0, *heights])
    step_across = frame_width + GAP
    step_down = frame_height + GAP

    def size(across: int) -> Point:
        """Return (width, height) of the picture with so many frames in a row."""
        rows = math.ceil(max(1, len(drawing)) / across)
        return across * step_across - GAP + 2 * MARGIN, rows * step_down - GAP + 2 * MARGIN

    def aspect_error(across: int) -> float:
        """Return how far the picture is from the form of a page; as a logarithm, too wide counts as too high."""
        width, height = size(across)  # not 0, as a frame and its margin are not
        return abs(math.log(width / height / ASPECT_RATIO))

    across = min(range(1, max(1, len(drawing)) + 1), key=aspect_error)
    # The shift of each frame, in rows of ``across`` frames, below its caption.
    places = []
    for n, (caption_height, (left, top, _, _)) in enumerate(zip(caption_heights, boxes, strict=True)):
        row, column = divmod(n, across)
        x = MARGIN + column * step_across - left
        y = MARGIN + row * step_down - top + caption_height
        places.append((x, y))
    beginnings = tuple((left, top) for left, top, _, _ in boxes)
    cells = tuple(_cells(tuple(frame.board.names), frame.board.lattice) if frame.board else () for frame in drawing)
    return PictureLayout(*size(across), tuple(places), beginnings, cells)


@lru_cache
def _cells(cells: tuple[Cell, ...], lattice: Lattice) -> tuple[tuple[str, str], ...]:
    """Return (name, SVG path) of each cell of a frame; lattice: the kind of its grid."""
    first = corner(cells)
    return tuple((cell_name(cell, first), path([lattice.polygon(cell)])) for cell in cells)


def corner(cells: Iterable[Sequence[Any]]) -> tuple[int, int]:
    """Return the first row and the first column of some cells; (0, 0) if there are none."""
    top, left = [min(axis) for axis in zip(*cells, strict=True)][:2] or (0, 0)
    return top, left


def cell_name(cell: Sequence[Any], first: tuple[int, int]) -> str:
    """Return a cell in words, counted from the first row and column.

    >>> cell_name((2, 3), (2, 1))
    'row 1, column 3'
    """
    row, column, *side = cell
    return ", ".join([f"row {row - first[0] + 1}", f"column {column - first[1] + 1}", *side])


def box(frame: Frame) -> tuple[float, float, float, float]:
    """Return the bounding box (left, top, right, bottom) of a frame, in cell widths."""
    rings = [ring for shape in frame.shapes for ring in shape.rings]
    xs = [x for ring in rings for x, _ in ring] or [0.0]
    ys = [y for ring in rings for _, y in ring] or [0.0]
    return min(xs), min(ys), max(xs), max(ys)


class Abbreviations(dict[str, str]):
    """The abbreviations of labels that do not fit into their shapes.

    >>> Abbreviations()["Rhombus"]
    'R1*'
    """

    def __missing__(self, label: str) -> str:
        """Make an abbreviation for a label, and return it."""
        self[label] = f"{label[0]}{len(self) + 1}*"
        return self[label]

    @property
    def legend(self) -> list[str]:
        """The lines that explain the abbreviations."""
        return [f"{short} {label}" for label, short in self.items()]


def shape_with_label(shape: Shape, abbreviations: Abbreviations) -> SvgShape:
    """Return a shape with its path and the place of its label, which is abbreviated if it does not fit.

    A label that is empty or a dot is left out. A sign has its mark as the label, in a fixed size. abbreviations: those
    of long labels, which are kept for the legend.
    """
    outline_path = path(shape.rings)
    if shape.colour == "sign":
        x, y = label_point(shape)
        size = NUMBER_SIZE if shape.mark.isalnum() else SIGN_SIZE
        return SvgShape(outline_path, "sign", outline=False, label=shape.mark, x=x, y=y + BASE_LINE * size, size=size)
    if shape.label in ("", DOT):
        return SvgShape(outline_path, shape.colour, shape.outline, "", 0, 0, 0)
    # The middle of the label, and the width of the room for it.
    x, y, width = _label_room(shape)
    size = _letters(shape.label, width)
    label = shape.label
    if size < MIN_LETTER_SIZE:
        label = abbreviations[label]
        size = min(MAX_LETTER_SIZE, LETTER_ROOM * width / label_width(label))
    return SvgShape(outline_path, shape.colour, shape.outline, label, x, y + BASE_LINE * size, size)


def _letters(label: str, width: float) -> float:
    """Return the size of the letters of a label in a room of this width; a word keeps away from the walls."""
    room = min(LETTER_ROOM * width, width - WALL_DISTANCE) if len(label) > 2 else LETTER_ROOM * width
    return min(MAX_LETTER_SIZE, max(room, 0.1) / label_width(label))


def label_width(label: str) -> float:
    """Estimate the width of a label, as a multiple of the size of its letters.

    >>> label_width("il"), label_width("W")
    (1.2, 1.0)
    """
    return round(sum(1.0 if mark in WIDE_LETTERS else 0.6 * columns(mark) for mark in label), 1) or 0.6


def path(rings: Iterable[Iterable[Point]]) -> str:
    """Return closed polygons as the text of an SVG path, for its attribute d.

    rings: the corners (x, y) of each polygon.
    """
    points_of_rings = (" ".join(f"{number(x)} {number(y)}" for x, y in ring) for ring in rings)
    return "".join(f"M{points}Z" for points in points_of_rings)


def _label_room(shape: Shape) -> tuple[float, float, float]:
    """Return (x, y, width): the middle of a shape's label, and the width of its room.

    Horizontal lines are tried: that through the shape's own place for labels, and those through the middles of its rows
    of cells. The one is taken on which the label fits in full size, or else the one with most room; the shape's own is
    preferred. A shape too low for letters has room of one cell. Lengths are in cell widths.
    """
    x, y = label_point(shape)
    heights = [height for ring in shape.rings for _, height in ring]
    middles_of_rows = [min(heights) + row + 0.5 for row in range(int(max(heights) - min(heights)))]
    # Each is (width, height of the line, middle).
    spans = [
        (right - left, line, (left + right) / 2)
        for line in [y, *middles_of_rows]
        for left, right in _spans(shape, line)
    ]
    full_width = MAX_LETTER_SIZE * label_width(shape.label)
    needed_width = full_width / LETTER_ROOM + WALL_DISTANCE * (len(shape.label) > 2)  # a word keeps away from the walls
    width, line, middle = max(
        spans, key=lambda span: (min(span[0], needed_width), span[1] == y, span[0]), default=(1, y, x)
    )
    if columns(shape.label) <= 2:  # no abbreviation is shorter, so its letters are not smaller than in this room
        width = max(width, 0.4)
    if width > needed_width and line == y:  # it stays where it is, or moves just so far that it is inside
        return min(max(x, middle - (width - needed_width) / 2), middle + (width - needed_width) / 2), y, width
    return middle, line, width


def _spans(shape: Shape, line: float) -> Iterator[tuple[float, float]]:
    """Yield the spans (left, right) in which a line of letters at this height lies inside a shape.

    They are the intersections of those in which the upper and the lower edge of the letters (0.2 above and below) are
    inside. On a horizontal line, the sides of a shape are crossed in turn into it and out of it.
    """
    crossings = []
    for height in (line - 0.2, line + 0.2):
        sides = (side for ring in shape.rings for side in zip(ring, (*ring[1:], ring[0]), strict=True))
        sides_across = (((x, y), (u, v)) for (x, y), (u, v) in sides if (y > height) != (v > height))
        # The x coordinate at which each side that passes the height crosses it.
        crossings_of_row = sorted(x + (height - y) * (u - x) / (v - y) for (x, y), (u, v) in sides_across)
        crossings.append([*zip(crossings_of_row[::2], crossings_of_row[1::2], strict=True)])
    for (left, right), (other_left, other_right) in product(*crossings):
        if min(right, other_right) > max(left, other_left):
            yield max(left, other_left), min(right, other_right)


def _frame(frame: Frame, place: Point, corner: Point, abbreviations: Abbreviations) -> str:
    """Return the SVG of a frame: grounds and colours first, then walls, labels, arrows and the caption.

    place: the distance by which the frame is moved. corner: where its caption begins. abbreviations: those of long
    labels, which are kept for the legend.
    """
    parts = _cells_with_texts([shape_with_label(shape, abbreviations) for shape in frame.shapes])
    # The paths of all shapes with an outline, and of those without colour, which are white like paper.
    outlined = "".join(p.path for p in parts if p.outline)
    uncoloured = "".join(p.path for p in parts if p.outline and p.colour is None)
    elements = [f'<path d="{uncoloured}" fill="{PAPER}"/>'] if uncoloured else []
    elements += [painted for p in parts if p.colour != "arrow" and (painted := _fill_svg(p))]
    if outlined:
        stroke = f'stroke="{INK}" stroke-width="{number(WALL)}" stroke-linejoin="round"'
        elements.append(f'<path class="walls" d="{outlined}" fill="none" {stroke}/>')
    elements += [_label(p) for p in parts if p.label]
    elements += [_fill_svg(p) for p in parts if p.colour == "arrow"]
    if frame.caption:
        elements.append(caption(corner[0], corner[1] - 0.3, frame.caption))
    return f'<g transform="translate({number(place[0])} {number(place[1])})">{"".join(elements)}</g>'


def _cells_with_texts(parts: Sequence[SvgShape]) -> list[SvgShape]:
    """Return the parts of a frame, with labels that are words or numbers brought to one size, the least of theirs.

    In a calendar, for example, all months and days have letters of one size. Words beside what is drawn (of the colour
    "words") have a size of their own. Other parts stay as they are.
    """
    sizes: dict[bool, float] = {}
    for part in filter(_is_word, parts):
        is_beside = part.colour == "words"
        sizes[is_beside] = min(part.size, sizes.get(is_beside, part.size))
    alike = []
    for part in parts:
        if _is_word(part):
            size = sizes[part.colour == "words"]
            part = part._replace(size=size, y=part.y + BASE_LINE * (size - part.size))
        alike.append(part)
    return alike


def _is_word(part: SvgShape) -> bool:
    """Tell whether the label of a part is a word of several characters or a number."""
    return len(part.label) > 1 or part.label.isdecimal()


def _veil(frame: Frame, strong: Frame | None, marked: Frame | None, place: Point, abbreviations: Abbreviations) -> str:
    """Return the SVG of a veil, nearly opaque paper, over the pieces of a frame.

    The strong shapes are above the veil, and the marked shapes have thick borders. Shapes without a name only belong to
    the board, and are left out. strong, marked: the frames of these shapes, or None. place: the distance by which the
    frame is moved. abbreviations: those of long labels, which are kept for the legend.
    """
    all_shapes, strong_shapes, marked_shapes = (
        [shape for shape in layer.shapes if name_of(shape)] if layer else [] for layer in (frame, strong, marked)
    )
    veil, border = ("".join(path(shape.rings) for shape in shapes) for shapes in (all_shapes, marked_shapes))
    moved = f'<g transform="translate({number(place[0])} {number(place[1])})">'
    return (
        f'{moved}<path d="{veil}" fill="{PAPER}" fill-opacity=".75"/></g>'
        + _frame(Frame(strong_shapes), place, (0, 0), abbreviations)
        + f'{moved}<path d="{border}" fill="none" stroke="{INK}" stroke-width=".2" stroke-linejoin="round"/></g>'
    )


def _fill_svg(part: SvgShape) -> str:
    """Return the SVG of a shape's colour and pattern; "" if it has neither."""
    if part.colour is None and part.outline:
        return ""
    fill = f'<path d="{part.path}" {colour_attributes(part.colour)}{_gap_line(part)}/>'
    level = _level(part.colour)
    return fill + (f'<path d="{part.path}" fill="url(#kazoeru-{level})"/>' if level else "")


def _gap_line(part: SvgShape) -> str:
    """Return the SVG attributes of a line that closes the gap to a neighbour of the same colour; "" if a wall does."""
    if part.outline or not (isinstance(part.colour, int) or is_code(part.colour)):
        return ""
    colour = COLOURS[part.colour % len(COLOURS)] if isinstance(part.colour, int) else part.colour
    return f' stroke="{colour}" stroke-width="{SEAM}"'


def name_of(shape: Shape) -> str:
    """Return a shape's name in the filter of a gallery page; empty if it only belongs to the board.

    It is the label or the mark; without these, the colour; of matches, whether they are kept, added or removed.
    """
    if shape.colour in ("kept", "added", "removed"):
        return str(shape.colour)
    if shape.colour == "sign" or shape.label == DOT:
        return ""
    if not (shape.label or shape.mark) and isinstance(shape.colour, int):
        return f"colour {shape.colour + 1}"
    if not (shape.label or shape.mark) and is_code(shape.colour):
        return f"colour {shape.colour}"
    return shape.label or shape.mark


def colour_attributes(colour: int | str | None) -> str:
    """Return the SVG attributes of a colour, without the pattern that may be on it."""
    if isinstance(colour, int):
        return f'fill="{COLOURS[colour % len(COLOURS)]}"'
    return f'fill="{colour}"' if is_code(colour) else NAMED[colour]


def ink_on(colour: int | str | None) -> str:
    """Return the colour of letters on a colour: dark, but light on dark codes."""
    return PAPER if is_dark(colour) else INK


def _level(colour: int | str | None) -> int:
    """Return the index in `PATTERNS` of the pattern over a colour."""
    return colour // len(COLOURS) % len(PATTERNS) if isinstance(colour, int) else 0


def _label(part: SvgShape) -> str:
    """Return the SVG of a shape's label, on a disc where it would be hard to read without.

    The part's (x, y) is the middle of the base line of the letters.
    """
    x, y, size = map(number, (part.x, part.y, part.size))
    ground = ""
    if part.colour == "sign" and not part.label.isalnum():  # it may be on a wall
        middle = number(part.y - BASE_LINE * part.size)
        ground = f'<circle cx="{x}" cy="{middle}" r="{number(0.55 * part.size)}" fill="{PAPER}"/>'
    if _level(part.colour):  # letters on a pattern are hard to read
        middle = number(part.y - BASE_LINE * part.size)
        ground = f'<circle cx="{x}" cy="{middle}" r="{number(0.6 * part.size)}" {colour_attributes(part.colour)}/>'
    return f'{ground}<text x="{x}" y="{y}" font-size="{size}" fill="{ink_on(part.colour)}">{text(part.label)}</text>'


def number(value: float) -> str:
    """Return a length as text, rounded to a thousandth, in as few characters as possible.

    >>> number(0.5), number(12.0), number(-0.12345)
    ('.5', '12', '-.123')
    """
    return re.sub(r"^(-?)0\.", r"\1.", format(round(value, 3), ".10g"))


def text(words: str) -> str:
    """Return words as XML text; characters that XML does not allow are replaced."""
    return escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", words))
