"""Drawings for a puzzle of your own, one call for each: regions, a path, a graph; a grid of texts is `grid.board`.

`regions` reads a board with regions; `grid.box` has the cells of a rectangle, and `paths.edges` the pairs of cells that
lie side by side. More that puzzles share is in `boards/grid.py`, `boards/clues.py` and `boards/paths.py`.
"""

from collections.abc import Collection, Iterable, Mapping
from math import dist
from typing import TypeVar

from models.boards import clues, grid, paths
from models.boards.grid import Cell, Cells
from models.puzzle import Drawing, Frame, Point, Shape

RADIUS_OF_A_NODE = 0.32
"""The radius of the disc of a node, in cell widths."""

NodeT = TypeVar("NodeT")


def regions(text: str) -> dict[str, Cells]:
    """Return the cells of each region of a board by its letter; the text has a letter for each cell.

    Rows are divided by / or blanks. Raises ValueError if rows are not equally long.

    >>> sorted(regions("AB/AA")["A"])
    [(0, 0), (1, 0), (1, 1)]
    """
    return clues.parts_of(clues.cell_letters(text, "the board"))


def draw_regions(regions: Iterable[Collection[Cell]], labels: Mapping[Cell, str]) -> Drawing:
    """Draw a board with walls between its regions.

    regions: the cells of each; a mapping by letters, as `regions` returns it, has them as ``values()``. labels: the
    text in each cell that has one.

    >>> drawing = draw_regions(regions("AB/AA").values(), {(0, 1): "★"})
    >>> [shape.label for shape in drawing[0].shapes if shape.label == "★"]
    ['★']
    """
    parts = [*regions]
    cells = sorted(cell for part in parts for cell in part)
    texts = {cell: labels.get(cell, "") for cell in cells}
    return [clues.draw_regions(texts, parts)]


def draw_path(cells: Collection[Cell], steps: Iterable[tuple[Cell, Cell]], labels: Mapping[Cell, str] = {}) -> Drawing:
    """Draw lines from cell to cell on a board of squares: a loop, a tour or several paths.

    cells: those of the board. steps: the pairs of cells that a line joins, whether side by side or not. labels: the
    text in each cell that has one, which lines do not touch.

    >>> drawing = draw_path(grid.box(1, 2), [((0, 0), (0, 1))])
    >>> drawing[0].shapes[-1].rings
    [[(0.5, 0.5), (1.5, 0.5)]]
    """
    texts = {cell: labels.get(cell, "") for cell in sorted(cells)}
    page = paths.paper(texts)
    border = Shape(grid.outline(cells))
    lines = paths.through_middles(dict.fromkeys(steps, 1), labels)
    return [page.with_shapes(border, *lines)]


def draw_graph(
    places: Mapping[NodeT, tuple[float, float]],
    edges: Iterable[tuple[NodeT, NodeT]],
    labels: Mapping[NodeT, str] = {},
    colours: Mapping[NodeT, int | str] = {},
) -> Drawing:
    """Draw a graph: a disc for each node, and a line for each edge.

    places: where each node lies, as (row, column); two apart, so that a text has room for the lines. edges: the pairs
    of nodes that a line joins. labels: the text of each node; its name if it has none. colours: the colour of each node
    that has one, such as the number of its class; see `Shape.colour`.

    >>> drawing = draw_graph({"a": (0, 0), "b": (0, 2)}, [("a", "b")], colours={"a": 1})
    >>> [(shape.label, shape.colour) for shape in drawing[0].shapes if shape.label]
    [('a', 1), ('b', 'white')]
    """
    middles = {node: (column + 0.5, row + 0.5) for node, (row, column) in places.items()}
    lines = [_line_between(middles[start], middles[other]) for start, other in edges]
    discs = []
    for node, middle in middles.items():
        colour = colours.get(node, "white")
        label = labels.get(node, str(node))
        discs.append(paths.disc(middle, RADIUS_OF_A_NODE, colour, label))
    return [Frame([*lines, *discs])]


def _line_between(node: Point, other: Point) -> Shape:
    """Draw a line between two nodes, from border to border of their discs; node, other: their middles."""
    (x, y), (u, v) = node, other
    part = RADIUS_OF_A_NODE / (dist(node, other) or 1)
    right = part * (u - x)
    down = part * (v - y)
    start = x + right, y + down
    end = u - right, v - down
    return paths.line(start, end)
