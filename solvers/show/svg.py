"""Turns a drawing into SVG.

What is drawn on is white and what is drawn with is dark, on light pages and on dark ones; what stands beside a board,
such as a caption, takes the colour of the text around it.
"""

import math
import re
from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from models.puzzle import Drawing, Frame, Point, Shape
from solvers.show.draw import COLOURS, HEAT, label_point
from solvers.show.draw import text as drawn_as_text

PATTERNS = (
    "",
    '<pattern id="kazoeru-1" width=".25" height=".25" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path d="M0 0V.25" stroke="#111111" stroke-width=".06"/></pattern>',
    '<pattern id="kazoeru-2" width=".25" height=".25" patternUnits="userSpaceOnUse">'
    '<circle cx=".125" cy=".125" r=".045" fill="#111111"/></pattern>',
)
"""What lies on the colours of the first classes, of the next and of those behind them."""

INK, PAPER = "#111111", "#FFFFFF"

NAMED: Mapping[str | None, str] = {
    "light": 'fill="#FAF7F0"',
    "dark": 'fill="#A9B1BC"',
    "white": f'fill="{PAPER}" stroke="{INK}" stroke-width=".05"',
    "black": 'fill="#33363D"',
    "kept": 'fill="currentColor"',
    "added": 'fill="#E8590C"',
    "removed": 'fill="none" stroke="currentColor" stroke-width=".04" stroke-dasharray=".09 .06"',
    **{name: f'fill="{colour}"' for name, colour in HEAT.items()},
    None: 'fill="currentColor" fill-opacity=".1"',
}
"""How shapes of the named colours look, and those that have neither a colour nor an outline."""

PIXELS = 32
"""A cell's width where nobody asks for another size."""

PAGE = 297, 210
"""Millimetres: a sheet of A4 lying on its side."""

MARGIN, GAP, CAPTION = 0.15, 0.8, 0.75
"""Around the frames, between them and for a caption's line, in cell widths."""

ASPECT = 1.4
"""The ratio of width to height that the frames of a drawing are arranged for."""


class SvgShape(NamedTuple):
    """A shape as SVG sees it; lengths in cell widths."""

    path: str
    colour: int | str | None
    outline: bool
    label: str
    x: float
    y: float
    size: float
    """Of the label's letters; (x, y) is the middle of their base line."""


class PictureLayout(NamedTuple):
    """Where the frames of a drawing stand."""

    width: float
    height: float
    places: tuple[Point, ...]
    """What each frame is moved by; its caption begins at the upper left corner of what it shows."""
    corners: tuple[Point, ...]
    """Where each frame's caption begins, within the frame."""


class Picture(tuple[Frame, ...]):
    """A drawing, such as ``puzzle.draw(solution)`` or ``grid.tiling(pieces)``, that shows itself.

    >>> from models import grid
    >>> Picture(grid.tiling([("I", [(0, 0), (0, 1)])]))
    ┌───────┐
    │ I     │
    └───────┘
    """

    def __new__(cls, drawing: Drawing) -> "Picture":
        """drawing: frames, as `models.puzzle.Drawing` has them."""
        return super().__new__(cls, drawing)

    def __str__(self) -> str:
        return drawn_as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return picture(self)


def picture(drawing: Drawing) -> str:
    """A whole ``<svg>`` element that needs nothing else, for a file or a page; frames side by side with their captions.

    >>> from models import grid
    >>> picture(grid.tiling([("L", [(0, 0), (1, 0), (1, 1)]), ("I", [(0, 1)])])).count("<path")
    3
    """
    arranged = layout(drawing)
    size = f'width="{number(PIXELS * arranged.width)}" height="{number(PIXELS * arranged.height)}"'
    return _whole(drawing, arranged, f'{size} role="img"', "max-width:100%;height:auto")


def sheet(drawing: Drawing) -> str:
    """The same on a sheet of paper, `PAGE` millimetres wide and high, as large as fits; all frames in one scale.

    >>> 'width="297mm" height="210mm"' in sheet([Frame([])])
    True
    """
    arranged = layout(drawing)
    wide, high = PAGE
    scale = max(arranged.width / wide, arranged.height / high)
    whole = arranged._replace(width=wide * scale, height=high * scale)
    return _whole(drawing, whole, f'width="{wide}mm" height="{high}mm"', "background:#FFFFFF")


def _whole(drawing: Drawing, arranged: PictureLayout, attributes: str, style: str) -> str:
    width, height = number(arranged.width), number(arranged.height)
    framed = zip(drawing, arranged.places, arranged.corners, strict=True)
    body = "".join(_frame(frame, place, corner) for frame, place, corner in framed)
    used = {shape.colour for frame in drawing for shape in frame.shapes}
    patterns = "".join(
        pattern for level, pattern in enumerate(PATTERNS) if any(_level(colour) == level for colour in used)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {attributes} '
        f'font-family="system-ui, sans-serif" text-anchor="middle" style="{style}">'
        f"{f'<defs>{patterns}</defs>' if patterns else ''}{body}</svg>"
    )


def layout(drawing: Drawing) -> PictureLayout:
    """The arrangement in rows and columns of equal width that comes nearest to the usual form of a page."""
    boxes = [box(frame) for frame in drawing]
    lines = [CAPTION * bool(frame.caption) for frame in drawing]
    written = [0.25 * len(frame.caption) for frame in drawing]
    wide = max([1.0, *written, *(right - left for left, _, right, _ in boxes)])
    high = max([1.0, *(line + bottom - top for line, (_, top, _, bottom) in zip(lines, boxes, strict=True))])

    def size(columns: int) -> Point:
        rows = math.ceil(max(1, len(drawing)) / columns)
        return columns * (wide + GAP) - GAP + 2 * MARGIN, rows * (high + GAP) - GAP + 2 * MARGIN

    def strangeness(columns: int) -> float:
        width, height = size(columns)
        return abs(math.log(width / height / ASPECT))

    columns = min(range(1, max(1, len(drawing)) + 1), key=strangeness)
    places = []
    for n, (line, (left, top, _, _)) in enumerate(zip(lines, boxes, strict=True)):
        x = MARGIN + n % columns * (wide + GAP) - left
        y = MARGIN + n // columns * (high + GAP) - top + line
        places.append((x, y))
    return PictureLayout(*size(columns), tuple(places), tuple((left, top) for left, top, _, _ in boxes))


def box(frame: Frame) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of what a frame shows."""
    xs, ys = ([p[axis] for shape in frame.shapes for ring in shape.rings for p in ring] or [0.0] for axis in (0, 1))
    return min(xs), min(ys), max(xs), max(ys)


def part(shape: Shape) -> SvgShape:
    """A shape ready to be drawn."""
    path = "".join(f"M{' '.join(f'{number(x)} {number(y)}' for x, y in ring)}Z" for ring in shape.rings)
    if not shape.label:
        return SvgShape(path, shape.colour, shape.outline, "", 0, 0, 0)
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    is_short = len(shape.label) <= 2
    width = 1 if is_short else max(xs) - min(xs)
    x, y = label_point(shape) if is_short else ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    size = min(0.5, 0.9 * width / (0.6 * len(shape.label)))
    return SvgShape(path, shape.colour, shape.outline, shape.label, x, y + 0.35 * size, size)


def _frame(frame: Frame, place: Point, corner: Point) -> str:
    parts = [part(shape) for shape in frame.shapes]
    outlined = "".join(p.path for p in parts if p.outline)
    blank = "".join(p.path for p in parts if p.outline and p.colour is None)
    lines = [f'<path d="{blank}" fill="{PAPER}"/>'] if blank else []
    lines += [painted for p in parts if (painted := _painted(p))]
    if outlined:
        lines.append(f'<path d="{outlined}" fill="none" stroke="{INK}" stroke-width=".07" stroke-linejoin="round"/>')
    lines += [_label(p) for p in parts if p.label]
    if frame.caption:
        x, y = number(corner[0]), number(corner[1] - 0.3)
        lines.append(f'<text x="{x}" y="{y}" font-size=".42" text-anchor="start" fill="currentColor">')
        lines.append(f"{text(frame.caption)}</text>")
    return f'<g transform="translate({number(place[0])} {number(place[1])})">{"".join(lines)}</g>'


def _painted(part: SvgShape) -> str:
    if isinstance(part.colour, int):
        fill = f'<path d="{part.path}" fill="{COLOURS[part.colour % len(COLOURS)]}"/>'
        level = _level(part.colour)
        return fill + (f'<path d="{part.path}" fill="url(#kazoeru-{level})"/>' if level else "")
    if part.colour is None and part.outline:
        return ""
    return f'<path d="{part.path}" {NAMED[part.colour]}/>'


def _level(colour: int | str | None) -> int:
    """Which pattern lies on the colour."""
    return colour // len(COLOURS) % len(PATTERNS) if isinstance(colour, int) else 0


def _label(part: SvgShape) -> str:
    x, y, size = map(number, (part.x, part.y, part.size))
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{INK}">{text(part.label)}</text>'


def number(value: float) -> str:
    """A length in as few characters as a thousandth of a cell takes.

    >>> number(0.5), number(12.0), number(-0.12345)
    ('.5', '12', '-.123')
    """
    return re.sub(r"^(-?)0\.", r"\1.", format(round(value, 3), ".10g"))


def text(words: str) -> str:
    """Words as XML allows them."""
    return escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", words))
