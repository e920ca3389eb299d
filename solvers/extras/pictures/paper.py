"""Drawings on sheets of paper: what belongs together stays together, all in one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import floor, inf
from typing import NamedTuple

from models.puzzle import Drawing, Point
from solvers.base.errors import InputError
from solvers.extras.pictures import svg
from solvers.show.printable import columns

PAPERS: Mapping[str, tuple[float, float]] = {"a4": (297, 210), "letter": (279.4, 215.9)}
"""Width and height of sheets that are on their side, in millimetres."""

EDGE, HEADING = 10.0, 17.0
"""The width of each edge and the height of the heading, in millimetres."""

TITLE, AUTHOR = 11.0, 5.0
"""The size of the letters of the title, which are larger than all others, and of the author, in millimetres."""

LARGEST, SMALLEST = 30.0, 4.5
"""The largest width of a cell, and the smallest if several things share a sheet, in millimetres."""

READABLE = 6.0
"""The smallest width of a cell if a drawing with several frames can be on several sheets, in millimetres."""

FOOT = 3.5
"""The size of the letters below the things of a sheet, in millimetres."""

GAP_WIDTH, MAX_GAP_WIDTH = 1.0, 3.0
"""The least and the largest distance between things, in cell widths."""


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


def frame_blocks(drawing: Drawing) -> list[Block]:
    """Return the frames of a drawing as blocks, with captions of one size."""
    bare = [Block(*svg.picture_of_frames([frame._replace(caption="")])) for frame in drawing]
    # The letters of captions grow with the drawing, so that they can be read beside it.
    letter_size = min(1.0, max(svg.CAPTION_SIZE, max(block.height for block in bare) / CELLS_OVER_LETTER))
    return [_add_caption(block, frame.caption, letter_size) for block, frame in zip(bare, drawing, strict=True)]


def item(drawing: Drawing, number: int, paper: str) -> Block:
    """Return the frames of a drawing as one block, as large as a sheet allows.

    number: the number of the drawing, which is above it. paper: a key of `PAPERS`.
    """
    frames = frame_blocks(drawing)
    sheet_width, sheet_height = _space(paper)
    # The frames in rows that are as wide as the first one, the first two and so on: the arrangement that fits best.
    widths = accumulate(frame.width + GAP_WIDTH for frame in frames)
    arrangements = [_combine_blocks(_place_items(_rows(frames, width, inf), GAP_WIDTH, GAP_WIDTH)) for width in widths]
    best_arrangement = max(arrangements, key=lambda block: min(sheet_width / block.width, sheet_height / block.height))
    letter_size = min(1.0, max(svg.CAPTION_SIZE, max(block.height for block in frames) / CELLS_OVER_LETTER))
    return _add_caption(best_arrangement, f"No. {number}", letter_size)


def is_readable(block: Block, paper: str) -> bool:
    """Tell whether a sheet has room for a block in a size that can be read; paper: a key of `PAPERS`."""
    sheet_width, sheet_height = _space(paper)
    return min(sheet_width / block.width, sheet_height / block.height) >= READABLE


def _space(paper: str) -> tuple[float, float]:
    """Return the width and height of the space for things on a sheet, in millimetres; paper: a key of `PAPERS`."""
    sheet_width, sheet_height = PAPERS[paper]
    return sheet_width - 2 * EDGE, sheet_height - 2 * EDGE - HEADING


def _add_caption(block: Block, words: str, size: float) -> Block:
    """Return a block with a line of text above it, with letters of this size.

    If ``words`` is empty, the block is returned as it is.
    """
    if not words:
        return block
    line = 1.6 * size
    width = 2 * svg.MARGIN + 0.6 * size * columns(words)
    caption = svg.caption(svg.MARGIN, size, words, size)
    return Block(max(block.width, width), block.height + line, caption + _translate(0, line, block.body))


def _combine_blocks(placed: Sequence[tuple[Point, Block]]) -> Block:
    """Return one block that contains several, each at its place."""
    width = max(x + item.width for (x, _), item in placed)
    height = max(y + item.height for (_, y), item in placed)
    return Block(width, height, "".join(_translate(x, y, item.body) for (x, y), item in placed))


def _translate(x: float, y: float, body: str) -> str:
    """Return the SVG content ``body``, moved right by x and down by y."""
    return f'<g transform="translate({svg.number(x)} {svg.number(y)})">{body}</g>'


class Page(NamedTuple):
    """The things on a sheet."""

    placed: Sequence[tuple[Point, Block]]
    """The things with their places (x, y), in cell widths."""
    scale: float
    """The width of a cell, in millimetres."""


def pages(items: Sequence[Block], paper: str, least: float = SMALLEST, cell: float | None = None) -> list[Page]:
    """Return the pages for these things: as few as can be read, in the largest scale for that number.

    Scales are tried from the largest down; the first that needs no more pages than the least scale is taken.
    paper: a key of `PAPERS`. least: the smallest width of a cell in millimetres at which things share a sheet. cell:
    the width of a cell in millimetres, if it is given. Raises `InputError` if something does not fit on a sheet with
    cells of this width.
    """
    room = _space(paper)
    max_scale = min(min(room[0] / item.width, room[1] / item.height) for item in items)
    if cell is not None:
        if cell > max_scale:
            raise InputError(f"cells of {cell:g} mm do not fit on {paper}; give at most {floor(10 * max_scale) / 10:g}")
        return [Page(placed, cell) for placed in _pages(items, room[0] / cell, room[1] / cell)]
    scale = min(least, max_scale)
    pages_found = _pages(items, room[0] / scale, room[1] / scale)
    larger = min(LARGEST, max_scale)
    while larger > scale:
        if len(placed := _pages(items, room[0] / larger, room[1] / larger)) == len(pages_found):
            return [Page(items_of_page, larger) for items_of_page in placed]
        larger *= 0.98  # steps of 2 %, whose difference is hardly seen
    return [Page(items_of_page, scale) for items_of_page in pages_found]


def _pages(items: Sequence[Block], wide: float, high: float) -> list[list[tuple[Point, Block]]]:
    """Return, for each page, its items with their places (x, y); items are set in rows, which fill the page.

    wide, high: the size of a page, in cell widths.
    """
    pages, items_left = [], [*items]
    while items_left:
        rows = _rows(items_left, wide, high)
        pages.append(_spread(rows, wide, high))
        items_left = items_left[sum(map(len, rows)) :]
    return pages


class _Rows(NamedTuple):
    """The best rows for the first so many items; lengths in cell widths."""

    height: float
    width: float
    """That of the widest row."""
    first: int
    """The place of the first item of the last row."""


def _rows(items: Sequence[Block], wide: float, high: float) -> list[list[Block]]:
    """Return the rows of one page, with as many of the first items as it has room for, at least one.

    The rows are as low as possible together; of several such ways, the widest row is as narrow as possible. The best
    rows of the items up to each one follow from those up to the item before its row, as in dynamic programming.

    wide, high: the size of the page, in cell widths.
    """
    best = [_Rows(-GAP_WIDTH, 0.0, 0)]  # entry n: the best rows of the first n items
    for last in range(len(items)):
        # The last row may begin at any earlier item, as long as it is not too wide.
        candidates, width, height = [], -GAP_WIDTH, 0.0
        for first in range(last, -1, -1):
            width = width + GAP_WIDTH + items[first].width
            height = max(height, items[first].height)
            if width > wide and first < last:
                break
            above = best[first]
            candidates.append(_Rows(round(above.height + GAP_WIDTH + height, 6), max(above.width, width), first))
        best_rows = min(candidates)
        if best_rows.height > high and last:
            break
        best.append(best_rows)
    # From the last row back to the first one.
    rows, end = [], len(best) - 1
    while end:
        rows.append([*items[best[end].first : end]])
        end = best[end].first
    return rows[::-1]


def _spread(rows: Sequence[Sequence[Block]], wide: float, high: float) -> list[tuple[Point, Block]]:
    """Return the items of a page with their places (x, y): the room that is left is between them, the same in all.

    wide, high: the size of the page, in cell widths.
    """
    heights = [max(item.height for item in row) for row in rows]
    widths_in_rows = [[item.width for item in row] for row in rows if len(row) > 1]
    spaces_in_rows = [(wide - sum(widths)) / (len(widths) - 1) for widths in widths_in_rows]
    gap_in_row = min([MAX_GAP_WIDTH, *spaces_in_rows])
    gap_below_row = min(MAX_GAP_WIDTH, (high - sum(heights)) / (len(rows) - 1)) if len(rows) > 1 else 0.0
    return _place_items(rows, gap_in_row, gap_below_row)


def _place_items(rows: Sequence[Sequence[Block]], beside: float, below: float) -> list[tuple[Point, Block]]:
    """Return the items of a page, row by row, with their places (x, y).

    beside, below: the distances between two items of a row, and between two rows.
    """
    placed, y = [], 0.0
    for row in rows:
        x = 0.0
        for item in row:
            placed.append(((x, y), item))
            x += item.width + beside
        y += max(item.height for item in row) + below
    return placed


def _title_size(heading: Heading, wide: float) -> float:
    """Return the size of the title's letters, in millimetres, in which it has room beside the author.

    wide: the width of the sheet, in millimetres.
    """
    room = wide - 2 * EDGE - AUTHOR * (svg.label_width(heading.author) + 1)
    return min(TITLE, room / svg.label_width(heading.title))


def _text_svg(x: float, y: float, size: float, anchor: str, words: str) -> str:
    """Return words as SVG at (x, y), where they begin or end; size: of the letters. Lengths are in cell widths."""
    place = f'x="{svg.number(x)}" y="{svg.number(y)}" font-size="{svg.number(size)}"'
    return f'<text {place} text-anchor="{anchor}">{words}</text>'


def sheet(page: Page, paper: str, heading: Heading, foot: str = "") -> str:
    """Return the SVG of a sheet: the heading, the things and the foot.

    page: the things on it, with their places. paper: a key of `PAPERS`. heading, foot: the words above and below them;
    empty ones are left out. The view box is in cell widths, so that the things are copied as they are; millimetres are
    divided by the scale.
    """
    millimetres, scale = PAPERS[paper], page.scale
    sheet_width, sheet_height = (length / scale for length in millimetres)
    edge, heading_height = EDGE / scale, HEADING / scale  # all lengths are in cell widths
    base = (EDGE + 0.75 * TITLE) / scale  # the line on which the heading stands: its letters reach up to the edge
    title = svg.text(heading.title)
    words = _text_svg(edge, base, _title_size(heading, millimetres[0]) / scale, "start", title) if title else ""
    words += (
        _text_svg(sheet_width - edge, base, AUTHOR / scale, "end", svg.text(heading.author)) if heading.author else ""
    )
    top = edge + heading_height
    content = "".join(_translate(edge + x, top + y, item.body) for (x, y), item in page.placed)
    if foot:
        below_content = sheet_height - 0.4 * edge  # within the lower edge
        content += _text_svg(edge, below_content, FOOT / scale, "start", svg.text(foot))
    attributes = f'width="{millimetres[0]}mm" height="{millimetres[1]}mm"'
    return svg.element(sheet_width, sheet_height, attributes, "background:#FFFFFF", words + content)
