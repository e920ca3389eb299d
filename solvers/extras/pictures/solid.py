"""Solids: what lies where in space, and how it comes apart; also how the pieces of a flat board do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from models.boards import grid
from models.packings import isometric
from models.packings.isometric import Tile, draw_exploded_view, scene
from models.puzzle import EMPTY, Drawing, Frame, Puzzle, Shape, Solution
from solvers.base.plugs import FUNCTIONS, function
from solvers.outputs.output import EndedRun
from solvers.show import draw

MOST_POSITIONS = 100_000
"""The most positions that are looked at for a picture of how a solid comes apart."""

MAX_STEP_FRAMES = 40
"""The most moves that are drawn one by one."""

GAP = 1
"""The number of empty cells between pieces that lie apart."""

MAX_PUSHES = 200
"""The number of times that pieces that have left are pushed farther, at most."""


def tiles(puzzle: Puzzle, solution: Solution) -> list[Tile]:
    """Return the pieces (name, cells) of a solution in space; empty if the cells are in a plane.

    A cell is (layer, row, column). A literal with the value 0 fills nothing.
    """
    if not puzzle.fills:
        return []
    fillings = (puzzle.fills(label, value) for label, value in solution.items() if value)
    tiles_found = [(name, [tuple(cell) for cell in cells]) for name, cells in fillings if name != EMPTY]
    # `fills` of a puzzle says which cells a literal fills, and by what.
    is_solid = all(len(cell) == 3 for _, cells in tiles_found for cell in cells)
    return [tile for tile in tiles_found if is_solid and tile[1]]


def colours(drawing: Drawing) -> dict[str, int | str | None]:
    """Return the colour that each name has in a drawing."""
    return {shape.label: shape.colour for frame in drawing for shape in frame.shapes if shape.label}


def drawing_in_space(puzzle: Puzzle, solution: Solution) -> Drawing:
    """Return a solution's drawing; for a solid, a frame in space comes first.

    `scene` draws pieces in space, in their colours of the flat drawing. Raises `InputError` if the puzzle draws
    something that cannot be shown.
    """
    drawing = draw.drawing(puzzle, solution)
    if not (solid := tiles(puzzle, solution)):
        return drawing
    colour_of_piece = colours(drawing)
    return [scene([(name, cells, colour_of_piece.get(name) or 0) for name, cells in solid]), *drawing]


def tiles_that_move(puzzle: Puzzle, solution: Solution) -> list[Tile]:
    """Return the pieces (name, cells) of which pictures show how they come apart; empty if there are none.

    A cell is (layer, row, column). For a flat board, pictures show that only if a run counts by it: the layer of its
    cells is 0.
    """
    if solid := tiles(puzzle, solution):
        return solid
    if not getattr(puzzle.feature, "takes_apart", False):
        return []
    labels = (label for label, value in solution.items() if value)
    return [(name, [(0, *cell) for cell in cells]) for name, cells, *_ in labels if name != EMPTY]


def disassembly(puzzle: Puzzle, solution: Solution) -> Any:
    """Return the way in which the pieces of `tiles_that_move` come apart; None if there are none.

    It is a `Disassembly`, which the wing of questions computes: ``is_apart`` (None if the search was given up),
    ``is_flat``, ``steps`` and others. Without that wing the result is None, too.
    """
    is_known = "disassembly" in FUNCTIONS and puzzle.is_packing_of_cubes and all(puzzle.board.groups.values())
    if not is_known or not tiles_that_move(puzzle, solution):
        return None
    return function("disassembly", "a disassembly")(puzzle, solution, MOST_POSITIONS)


def motion(puzzle: Puzzle, solution: Solution, drawing: Drawing) -> dict[str, Any]:
    """Return the pieces of `tiles_that_move` and the moves that take them apart, as `solid.js` reads them.

    A piece is a list of its name, its colour and the coordinates of its cells, one behind the other. A move is a list
    of its axis, its steps with their sign, whether the pieces leave (0 or 1), and the numbers of the pieces. ``end`` is
    a sentence if there are no moves, ``flat`` says whether the board is flat (0 or 1). The result is empty if there are
    no such pieces. drawing: the drawing of the solution, which has the colours.
    """
    if not (solid := tiles_that_move(puzzle, solution)):
        return {}
    colour_of_piece, assembly = colours(drawing), disassembly(puzzle, solution)
    steps = assembly.steps if assembly else []
    moves = [
        [step.axis, distance, int(step.leaves), *sorted(step.group)]
        for step, distance in zip(steps, _distances(solid, steps), strict=True)
    ]
    rows = [[name, colour_of_piece.get(name), *chain.from_iterable(cells)] for name, cells in solid]
    end = "" if moves or not assembly else f"{str(assembly).capitalize()}."
    return {"pieces": rows, "moves": moves, "end": end, "flat": int(bool(assembly and assembly.is_flat))}


Box = list[tuple[int, int]]
"""The least and the greatest coordinate along each axis."""


def _box(cells: Iterable[Sequence[int]]) -> Box:
    """Return the box around some cells."""
    return [(min(along), max(along)) for along in zip(*cells, strict=True)]


def _shift(box: Box, axis: int, far: int) -> Box:
    """Return a box moved along an axis."""
    box_moved = [*box]
    low, high = box[axis]
    box_moved[axis] = low + far, high + far
    return box_moved


def _distances(solid: Sequence[Tile], steps: Sequence[Any]) -> list[int]:
    """Return how far the pieces go in each step, so that those that leave are beside all others.

    The numbers have the sign of the direction. Where a piece would meet others that left before it, these go farther:
    they are pushed at most `MAX_PUSHES` times.

    solid: (name, cells) of each piece. steps: the moves; a step has its axis, its distance ``far``, whether the pieces
    leave, the ``group`` of the pieces that move, and the ``part``, the pieces that are still together before it, as
    places in the list.
    """
    distances = [step.far for step in steps]
    boxes = [_box(cells) for _, cells in solid]
    for number, step in enumerate(steps):
        if step.leaves:
            distances[number] = step.far * (_steps_to_clear(boxes, step) + GAP)
    for _ in range(MAX_PUSHES):
        meeting = _first_meeting(boxes, steps, distances)
        if meeting is None:
            break
        distances[meeting] += steps[meeting].far
    return distances


def _steps_to_clear(boxes: Sequence[Box], step: Any) -> int:
    """Return the least number of steps after which a group that leaves is beside the rest of its part.

    If it goes forwards, its first coordinate has to be behind the last one of the rest; backwards, the reverse. boxes:
    the box around each piece. step: see `_distances`.
    """
    groups: Sequence[frozenset[int]] = (step.group, step.part - step.group)
    leading_intervals, passed_intervals = [
        [boxes[n][step.axis] for n in group] for group in groups[:: 1 if step.far > 0 else -1]
    ]
    steps_needed: int = max(last for _, last in passed_intervals) + 1 - min(first for first, _ in leading_intervals)
    return max(1, steps_needed)


def _first_meeting(boxes: Sequence[Box], steps: Sequence[Any], far: Sequence[int]) -> int | None:
    """Return the number of the step that has to go farther, as a piece meets one that it has left; None if none does.

    boxes: the box around each piece, (first, last) along each axis. steps: the moves. far: how far each step goes.
    """
    boxes_moved = [*boxes]
    for number, step in enumerate(steps):
        # Pieces that have left the part before this step.
        pieces_away = [n for n in range(len(boxes_moved)) if n not in step.part]
        for piece in step.group:
            low, high = min(0, far[number]), max(0, far[number])
            ends = _shift(boxes_moved[piece], step.axis, low), _shift(boxes_moved[piece], step.axis, high)
            swept = [(first, last) for (first, _), (_, last) in zip(*ends, strict=True)]  # what the box goes through
            for other in pieces_away:
                # Two boxes meet if their intervals overlap along all axes.
                if all(a <= d and c <= b for (a, b), (c, d) in zip(swept, boxes_moved[other], strict=True)):
                    # The last step that has moved one of the two away from the other has to go farther.
                    pair = {piece, other}
                    shared = [n for n in range(number) if pair <= steps[n].part]
                    return max(n for n in shared if len(pair & steps[n].group) == 1)
            boxes_moved[piece] = _shift(boxes_moved[piece], step.axis, far[number])
    return None


def step_frames(puzzle: Puzzle, solution: Solution, drawing: Drawing) -> list[Frame]:
    """Draw how the pieces of `tiles_that_move` come apart, in a frame for each move; empty if there are none.

    A frame shows the pieces that are together before the move, those that move in their colours where they go, the
    dashed outline of where they come from, and an arrow from there. If a solid does not come apart, one frame shows it
    opened up; if there are too many moves for a reader, one frame says that. drawing: the drawing of the solution,
    which has the colours.
    """
    assembly = disassembly(puzzle, solution)
    if not assembly:
        return []
    colour_of_piece = {name: colour or 0 for name, colour in colours(drawing).items()}
    if not assembly.is_apart:
        return [
            Frame([], str(assembly))
            if assembly.is_flat
            else draw_exploded_view(assembly.tiles, colour_of_piece, str(assembly))
        ]
    if len(assembly.steps) > MAX_STEP_FRAMES:
        return [Frame([], f"{len(assembly.steps)} moves: too many for a picture of each")]
    frames = []
    cells_moved = [[*cells] for _, cells in tiles_that_move(puzzle, solution)]
    for number, (step, words) in enumerate(zip(assembly.steps, assembly.texts(), strict=True), 1):
        # A group that leaves is drawn one cell farther than beside the rest of its part.
        distance = (
            step.far * (_steps_to_clear([_box(cells) for cells in cells_moved], step) + 1) if step.leaves else step.far
        )
        start_cells = [cell for piece in step.group for cell in cells_moved[piece]]
        for piece in step.group:
            # The coordinate along the axis of the step changes.
            axis = step.axis
            cells_moved[piece] = [
                (*cell[:axis], cell[axis] + distance, *cell[axis + 1 :]) for cell in cells_moved[piece]
            ]
        names = {piece: assembly.tiles[piece][0] for piece in sorted(step.group)}
        resting = [("", cells_moved[piece], "light") for piece in sorted(step.part - step.group)]
        moving = [(name, cells_moved[piece], colour_of_piece[name]) for piece, name in names.items()]
        middle = [sum(coordinates) / len(start_cells) + 0.5 for coordinates in zip(*start_cells, strict=True)]
        # The arrow goes from the middle of the pieces that move to where this middle is afterwards.
        ends = middle, [x + distance * (axis == step.axis) for axis, x in enumerate(middle)]
        draw_step = _flat_step if assembly.is_flat else _solid_step
        frames.append(Frame(draw_step([*resting, *moving], start_cells, *ends), f"{number}. {words}"))
    return frames


Painted = Sequence[tuple[str, Sequence[tuple[int, ...]], int | str]]
"""(name, cells (layer, row, column), colour) of each piece."""


def _solid_step(
    pieces: Painted, before: Sequence[tuple[int, ...]], start: Sequence[float], end: Sequence[float]
) -> Sequence[Shape]:
    """Return the shapes of a step in space: the pieces after it, the outline of where they come from, and an arrow.

    pieces: (name, cells, colour) of each. before: the cells from which pieces come. start, end: the points of the
    arrow.
    """
    return [*scene(pieces, "", before).shapes, isometric.arrow(start, end)]


def _flat_step(
    pieces: Painted, before: Sequence[tuple[int, ...]], start: Sequence[float], end: Sequence[float]
) -> Sequence[Shape]:
    """Return the shapes of a step in the plane, without the layer of cells: the pieces after it, an outline, an arrow.

    pieces: (name, cells, colour) of each. before: the cells from which pieces come, whose outline is dashed. start,
    end: the points of the arrow. A point is (layer, row, column), and on paper (x, y) is (column, row).
    """
    piece_shapes = []
    for name, cells, colour in pieces:
        squares = tuple(cell[1:] for cell in cells)
        piece_shapes += grid.piece(name, squares, colour, grid.SQUARE)
    goal = Shape(grid.outline([cell[1:] for cell in before]), "", "hidden", outline=False)
    return [*piece_shapes, goal, grid.arrow((start[2], start[1]), (end[2], end[1]))]


def report_apart(run: EndedRun, is_over: Callable[[], bool]) -> None:
    """Add to the report of a run how many solutions come apart, and for how many that is not known.

    The report stays as it is if the solutions are not solids or are a part of all, if it says so already, or if
    ``is_over`` returns True before all were tried.
    """
    encoded = run.in_order()
    if run.question is None or not encoded or run.report.apart is not None or run.report.selected:
        return
    counts = {"apart": 0, "undecided": 0}
    for solution in map(run.question.key.decode, encoded):
        if is_over() or not (assembly := disassembly(run.question.puzzle, solution)):
            return
        counts["apart"] += assembly.is_apart is True
        counts["undecided"] += assembly.is_apart is None
    run.add_facts(**counts)
