"""Turns a drawing into text."""

from collections.abc import Iterable, Sequence

from models.puzzle import Drawing, Frame, Point, Puzzle, Shape, Solution

WIDE, HIGH = 4, 2
"""Characters from one corner of a cell to the next, across and down."""

LINES = " ╶╷┌╴─┐┬╵└│├┘┴┤┼"
"""By the directions in which a line leaves a corner: right 1, down 2, left 4, up 8."""

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
    return "\n".join("\n".join(filter(None, (frame.caption, _frame(frame)))) for frame in drawing)


def _frame(frame: Frame) -> str:
    corners = [point for shape in frame.shapes for ring in shape.rings for point in ring]
    left, top = (min((point[axis] for point in corners), default=0) for axis in (0, 1))
    canvas: dict[tuple[int, int], str] = {}
    directions: dict[tuple[int, int], int] = {}

    def at(point: Point) -> tuple[int, int]:
        return round((point[1] - top) * HIGH), round((point[0] - left) * WIDE)

    for shape in frame.shapes:
        if shape.outline:
            for ring in shape.rings:
                for start, end in zip(ring, (*ring[1:], ring[0]), strict=True):
                    _line(directions, canvas, at(start), at(end))
    for shape in frame.shapes:
        if shape.colour == "dark":
            for corner in _cells(shape):
                line, place = at(corner)
                canvas.update({(line + 1, place + step): "░" for step in range(1, WIDE)})
    canvas |= {spot: LINES[ways] for spot, ways in directions.items()}
    for shape in frame.shapes:
        row, middle = at(label_point(shape))
        written = shape.mark or shape.label
        first = middle - len(written) // 2
        canvas.update({(row, first + n): mark for n, mark in enumerate(written)})
    height, width = (max((spot[axis] for spot in canvas), default=-1) + 1 for axis in (0, 1))
    return "\n".join("".join(canvas.get((r, c), " ") for c in range(width)).rstrip() for r in range(height))


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


def _cells(shape: Shape) -> Iterable[Point]:
    """The upper left corners of the unit cells whose centres lie in the shape."""
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    for y in range(int(min(ys)), round(max(ys))):
        for x in range(int(min(xs)), round(max(xs))):
            if _inside((x + 0.5, y + 0.5), shape.rings):
                yield x, y


def _inside(point: Point, rings: Sequence[Sequence[Point]]) -> bool:
    """Whether a ray from the point to the right crosses the outline an odd number of times."""
    x, y = point
    crossings = 0
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, (*ring[1:], ring[0]), strict=True):
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
                crossings += 1
    return crossings % 2 == 1


def label_point(shape: Shape) -> Point:
    """Where a shape's label stands: in its first whole cell in reading order, or its middle if it covers none."""
    for x, y in _cells(shape):
        if all(_inside((x + a, y + b), shape.rings) for a, b in QUARTERS):
            return x + 0.5, y + 0.5
    xs, ys = ([point[axis] for ring in shape.rings for point in ring] for axis in (0, 1))
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def solution(puzzle: Puzzle, found: Solution) -> str:
    """A solution as text: the puzzle's own drawing, or a line for each literal where it has none."""
    if puzzle.draw:
        return text(puzzle.draw(found))
    return "\n".join(f"{label} = {value}" for label, value in found.items())
