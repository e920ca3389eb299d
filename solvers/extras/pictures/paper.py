"""Drawings on sheets of paper: what belongs together stays together, all in one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import floor, inf
from typing import NamedTuple

from models.puzzle import Drawing, Point
from solvers.errors import InputError
from solvers.extras.pictures import svg
from solvers.show.printable import columns

PAPERS: Mapping[str, tuple[float, float]] = {"a4": (297, 210), "letter": (279.4, 215.9)}
"""Width and height of sheets that lie on their side, in millimetres."""

EDGE, HEADING = 10.0, 17.0
"""The width of each edge and the height of the heading, in millimetres."""

TITLE, AUTHOR = 11.0, 5.0
"""The size of the letters of the title, which are larger than all others, and of the author, in millimetres."""

LARGEST, SMALLEST = 30.0, 4.5
"""The largest width of a cell, and the smallest if several things share a sheet, in millimetres."""

GAP_WIDTH = 1.0
"""The distance between things, in cell widths."""


CELLS_OVER_LETTER = 19
"""The least ratio of the height of what is drawn to the size of its caption's letters."""


class Block(NamedTuple):
    """A piece of SVG that stays on one sheet; lengths in cell widths."""

    width: float
    height: float
    body: str


class Heading(NamedTuple):
    """The heading of each sheet."""

    title: str
    author: str = ""


NO_HEADING = Heading("")


def item(drawing: Drawing, number: int | None = None) -> Block:
    """Return the frames of a drawing as one block, tightly in rows.

    number: the number written above the frames; None for no number.
    """
    bare = [Block(*svg.whole([frame._replace(caption="")])) for frame in drawing]
    size = min(1.0, max(svg.CAPTION_SIZE, max(block.height for block in bare) / CELLS_OVER_LETTER))
    frames = [_captioned(block, frame.caption, size) for block, frame in zip(bare, drawing, strict=True)]
    widths = accumulate(frame.width + GAP_WIDTH for frame in frames)
    arranged = (_together(_pages(frames, wide, inf)[0]) for wide in widths)
    width, height, body = min(arranged, key=lambda block: max(block.width / svg.ASPECT_RATIO, block.height))
    return _captioned(Block(width, height, body), "" if number is None else f"No. {number}", size)


def _captioned(block: Block, words: str, size: float) -> Block:
    """Return a block with a line of text above it, with letters of this size.

    If ``words`` is empty, the block is returned as it is.
    """
    if not words:
        return block
    line, width = 1.6 * size, 2 * svg.MARGIN + 0.6 * size * columns(words)
    said = svg.caption(svg.MARGIN, size, words, size)
    return Block(max(block.width, width), block.height + line, said + _at(0, line, block.body))


def _together(placed: Sequence[tuple[Point, Block]]) -> Block:
    """Return one block that contains several, each at its place."""
    width, height = max(x + one.width for (x, _), one in placed), max(y + one.height for (_, y), one in placed)
    return Block(width, height, "".join(_at(x, y, one.body) for (x, y), one in placed))


def _at(x: float, y: float, body: str) -> str:
    """Return the SVG content ``body``, moved right by x and down by y."""
    return f'<g transform="translate({svg.number(x)} {svg.number(y)})">{body}</g>'


def sheets(
    items: Sequence[Block], paper: str, heading: Heading, on_one: bool = False, cell: float | None = None
) -> list[str]:
    """Return an SVG for each sheet: as few sheets as can be read, in the largest scale for that number.

    paper: a key of `PAPERS`. on_one: put all items on one sheet. cell: the width of a cell in millimetres, if it is
    given. Raises `InputError` if something does not fit on a sheet with cells of this width.
    """
    wide, high = PAPERS[paper]
    room = wide - 2 * EDGE, high - 2 * EDGE - HEADING
    if cell is not None:
        most = min(min(room[0] / one.width, room[1] / one.height) for one in items)
        if cell > most:
            raise InputError(f"cells of {cell:g} mm do not fit on {paper}; give at most {floor(10 * most) / 10:g}")
        found = _pages(items, room[0] / cell, room[1] / cell)
        return [_sheet(page, (wide, high), cell, heading) for page in found]
    scale = min([SMALLEST, *(min(room[0] / one.width, room[1] / one.height) for one in items)])
    found = _pages(items, room[0] / scale, room[1] / scale)
    while on_one and len(found) > 1:
        scale *= 0.97
        found = _pages(items, room[0] / scale, room[1] / scale)
    larger = LARGEST
    while larger > scale:
        fits = all(one.width * larger <= room[0] and one.height * larger <= room[1] for one in items)
        if fits and len(pages := _pages(items, room[0] / larger, room[1] / larger)) == len(found):
            scale, found = larger, pages
        larger *= 0.97
    return [_sheet(page, (wide, high), scale, heading) for page in found]


def _pages(items: Sequence[Block], wide: float, high: float) -> list[list[tuple[Point, Block]]]:
    """Return, for each page, its items with their places (x, y); items are set in rows.

    wide, high: the size of a page, in cell widths.
    """
    pages: list[list[tuple[Point, Block]]] = [[]]
    x = y = row = 0.0
    for one in items:
        if x and x + one.width > wide:
            x, y, row = 0.0, y + row + GAP_WIDTH, 0.0
        if pages[-1] and y + one.height > high:
            pages.append([])
            x = y = row = 0.0
        pages[-1].append(((x, y), one))
        x, row = x + one.width + GAP_WIDTH, max(row, one.height)
    return pages


def _fitted(heading: Heading, wide: float) -> float:
    """Return the size of the title's letters, in millimetres, in which it has room beside the author.

    wide: the width of the sheet, in millimetres.
    """
    room = wide - 2 * EDGE - AUTHOR * (svg.ems(heading.author) + 1)
    return min(TITLE, room / svg.ems(heading.title))


def _written(x: float, y: float, size: float, anchor: str, words: str) -> str:
    """Return words as SVG at (x, y), where they begin or end; size: of the letters. Lengths are in cell widths."""
    place = f'x="{svg.number(x)}" y="{svg.number(y)}" font-size="{svg.number(size)}"'
    return f'<text {place} text-anchor="{anchor}">{words}</text>'


def _sheet(page: Sequence[tuple[Point, Block]], size: tuple[float, float], scale: float, heading: Heading) -> str:
    """Return the SVG of a sheet.

    page: its items with their places. size: the width and height of the sheet, in millimetres. scale: millimetres for
    each cell width.
    """
    wide, high = (length / scale for length in size)
    edge, line = EDGE / scale, HEADING / scale
    base = (EDGE + 0.75 * TITLE) / scale
    title = svg.text(heading.title)
    words = _written(edge, base, _fitted(heading, size[0]) / scale, "start", title) if title else ""
    words += _written(wide - edge, base, AUTHOR / scale, "end", svg.text(heading.author)) if heading.author else ""
    things = "".join(_at(edge + x, edge + line + y, one.body) for (x, y), one in page)
    attributes = f'width="{size[0]}mm" height="{size[1]}mm"'
    return svg.element(wide, high, attributes, "background:#FFFFFF", words + things)
