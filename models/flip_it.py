"""Flip It: counters jump into the only empty cell of a row and turn over those that they jump over.

N. Yoshigahara's puzzle as M. Hiroi's Lisp pages pose it: turn all counters white in as few moves as possible.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise, product
from math import cos, pi, sin
from typing import NamedTuple

from ortools.sat.python.cp_model import CpModel, Domain, IntVar, LinearExprT

from models.boards import grid
from models.boards.grid import Cell
from models.errors import ParameterError, number_with_unit
from models.puzzle import Board, Drawing, Frame, Label, Literal, Puzzle, Remarks, Shape, Solution

MAX_MODEL_ENTRIES = 1_000_000
"""The most entries of the model's tables, one for each move, cell and jump; so many take seconds to build."""

ROUND_SYMBOLS = str.maketrans("●○ ", "bw_")
"""Replaces the round symbols of counters by letters."""


class PositionVariables(NamedTuple):
    """The variables of the model for one position."""

    space: IntVar
    """The number of the empty cell."""

    black: Sequence[IntVar]
    """For each cell, whether a black counter is in it; 0 for the empty one."""


def flip_it(board: str = "bb_bbb", goal: str = "any", neighbours: bool = False, horizon: int = 20) -> Puzzle:
    """Turn all counters of a row white in as few moves as possible.

    board: b or ● for a black counter, w or ○ for a white one, _ or a space for the only empty cell.
    goal: any (all white, the empty cell anywhere) or a row such as _wwwww.
    neighbours: let a counter next to the empty cell slide into it.
    horizon: the most moves that a plan may take.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> plan = flip_it("_bbbbb", horizon=5)
    >>> plan.is_solution({1: 5, 2: 2, 3: 0, 4: 5, 5: 5})  # where the empty cell is after each move
    True
    """
    start, finish = _ends(board, goal, horizon)
    size = len(start)
    model = CpModel()
    # A position says which cell is empty, and which of the others hold black counters; the first one is given.
    space = model.new_constant(start.index("_"))
    is_black = [model.new_constant(mark == "b") for mark in start]
    first = PositionVariables(space, is_black)
    rows = [first, *(_new_row(model, size, f"after {move}") for move in range(1, horizon + 1))]
    moved = [model.new_bool_var(f"moved {move}") for move in range(1, horizon + 1)]
    # In each move a counter jumps into the empty cell. A plan that takes fewer moves rests at its end.
    leaps = [0, *_leaps(size, neighbours)]
    for (before, after), moves in zip(pairwise(rows), moved, strict=True):
        _add_move(model, before, after, leaps)
        model.add(after.space != before.space).only_enforce_if(moves)
        model.add(after.space == before.space).only_enforce_if(~moves)
    for earlier, later in pairwise(moved):  # all rests are at the end
        model.add_implication(later, earlier)
    # At the end all counters are white, or as the goal says.
    _add_end(model, rows[-1], finish)
    # As few moves as possible.
    model.minimize(sum(moved))

    parameters = {"board": board, "goal": goal, "neighbours": neighbours, "horizon": horizon}
    key = {move: row.space for move, row in enumerate(rows[1:], 1)}
    symmetries = []
    if start == start[::-1] and (finish is None or finish == finish[::-1]):
        symmetries.append(partial(_mirror_image, size))
    is_solution = partial(_is_plan, start, finish, neighbours, horizon)
    draw = partial(_draw, start, horizon)
    remarks = Remarks(unsolved=f"no plan of {horizon} moves or fewer", best=_best)
    return Puzzle("flip-it", parameters, model, key, symmetries, is_solution, draw, remarks=remarks)


def _add_end(model: CpModel, last: PositionVariables, finish: str | None) -> None:
    """Add to the model that all counters of the last position are white, or that it is the row ``finish``."""
    row = finish or "w" * len(last.black)
    for is_black, mark in zip(last.black, row, strict=True):
        model.add(is_black == (mark == "b"))
    if finish is not None:
        model.add(last.space == finish.index("_"))


def _best(moves: int) -> str:
    """Return the least number of moves in words."""
    if moves == 1:
        return "1 move, the fewest"
    return f"{moves} moves, the fewest"


def _ends(board: str, goal: str, horizon: int) -> tuple[str, str | None]:
    """Return (start, goal) of a plan as rows of b, w and _; the goal is None for "any".

    board: the row at the start. goal: any, or the row at the end. horizon: the most moves. Raises ValueError if a row
    cannot be read, the horizon is below 1, or the model would be too large.
    """
    start = _read(board, "board")
    size = len(start)
    finish = None
    if goal != "any":
        finish = _read(goal, "goal", size)
    if horizon < 1:
        raise ParameterError(f"a plan cannot take at most {horizon} moves; choose a horizon of at least 1")
    if horizon * size**3 > MAX_MODEL_ENTRIES:
        raise ParameterError(
            f"{horizon} moves of {size} cells are too many to write down; shorten the board or the horizon"
        )
    return start, finish


def _read(text: str, name: str, size: int | None = None) -> str:
    """Return a row in the letters b, w and _ from its text, which may also have the signs ● and ○.

    name: what the row is called in a message. size: the number of cells that it must have, if that is known. Raises
    ValueError if the text is not a row. text: b or ● for black, w or ○ for white, _ or a space for the empty cell.
    """
    row = text.translate(ROUND_SYMBOLS)
    stray = set(row) - set("bw_")
    if stray:
        raise ParameterError(f"the {name} {text!r} holds {min(stray)!r}; write it with b, w (or ●, ○) and one _")
    empty_cells = row.count("_")
    if empty_cells != 1:
        raise ParameterError(f"the {name} {text!r} has {empty_cells or 'no'} empty cells; mark exactly one with _")
    if len(row) < 2:
        raise ParameterError(f"the {name} {text!r} has no counters; write b or w for each")
    if size is not None and len(row) != size:
        length = number_with_unit(len(row), "cells")
        raise ParameterError(f"the {name} {text!r} has {length} where the row has {size}; give it {size}")
    return row


def _new_row(model: CpModel, size: int, name: str) -> PositionVariables:
    """Return new variables of the model for a position of ``size`` cells; name: the end of their names."""
    space = model.new_int_var(0, size - 1, f"space {name}")
    is_black = [model.new_bool_var(f"black[{cell}] {name}") for cell in range(size)]
    return PositionVariables(space, is_black)


def _leaps(size: int, neighbours: bool) -> list[int]:
    """Return the distances, in cells and with their sign, by which the empty cell can move in one jump.

    size: the number of cells in the row. neighbours: whether a distance of 1 is allowed.
    """
    least = 1 if neighbours else 2
    return [leap for leap in range(1 - size, size) if abs(leap) >= least]


def _add_move(model: CpModel, before: PositionVariables, after: PositionVariables, leaps: Sequence[int]) -> None:
    """Add to the model that a counter jumps into the empty cell.

    The empty cell moves by one of the leaps, to where the counter lay. before, after: the variables of the two
    positions. black[s] of a position is 0 for its empty cell s. A leap of 0 is a rest: nothing changes.
    """
    size = len(before.black)
    distance = after.space - before.space
    model.add_linear_expression_in_domain(distance, Domain.from_values(leaps))
    # By space * size + source, the cell after the jump.
    number_of_jump = before.space * size + after.space
    spaces_and_sources = [*product(range(size), repeat=2)]
    for cell in range(size):
        # The leaps exclude the entries with source == space, unless the plan rests: then the cell stays as it is.
        jumps = [_after_jump(before.black, cell, space, source) for space, source in spaces_and_sources]
        model.add_element(number_of_jump, jumps, after.black[cell])


def _after_jump(black: Sequence[IntVar], cell: int, space: int, source: int) -> LinearExprT:
    """Return an expression that is 1 if a cell is black after a jump, otherwise 0.

    The counter in the cell ``source`` jumps into the empty cell ``space``, and the counters between are turned over.
    black: for each cell, the variable that says whether it is black before the jump. cell: the cell that is asked
    about.
    """
    if cell == space:
        return black[source]
    if cell == source:
        return 0
    if min(space, source) < cell < max(space, source):
        return 1 - black[cell]
    return black[cell]


def _mirror_image(size: int, move: Label, space: int) -> Literal:
    """Return the mirror image of the literal "after this move, this cell is the empty one".

    size: the number of cells in the row. move: the label, a number from 1. space: the value, a cell from 0.
    """
    return move, size - 1 - space


def _empty_cells(start: str, horizon: int, solution: Solution) -> list[int]:
    """Return the empty cell at the start and after each move, as far as the solution has moves.

    start: the first row. horizon: the most moves. Cells are numbered from 0. solution: the empty cell after each move,
    by the number of the move from 1; a part of a solution may lack later moves.
    """
    places = [start.index("_")]
    with suppress(KeyError):
        for move in range(1, horizon + 1):
            places.append(solution[move])
    return places


def _empty_cells_of_plan(start: str, horizon: int, solution: Solution) -> list[int]:
    """Return the empty cell at the start and after each move, up to the last move that changes anything.

    start: the first row. horizon: the most moves. The moves at the end that leave the empty cell where it is are rests.
    solution: the empty cell after each move.
    """
    places = _empty_cells(start, horizon, solution)
    while len(places) > 1 and places[-1] == places[-2]:
        places.pop()
    return places


def _is_plan(start: str, finish: str | None, neighbours: bool, horizon: int, solution: Solution) -> bool:
    """Tell whether a solution obeys the rules and leads from the first row to the last.

    It is tested without the model. start, finish: the rows; a finish of None means that any white row will do.
    neighbours: whether a counter may slide by one cell. horizon: the number of moves that the solution has. solution:
    the empty cell after each move, by the number of the move from 1.
    """
    # The empty cell at the start and after each move; a rest before the last move has length 0, which is too short.
    if len(_empty_cells(start, horizon, solution)) <= horizon:
        return False
    places = _empty_cells_of_plan(start, horizon, solution)
    if not set(places) <= set(range(len(start))):
        return False
    lengths = [abs(target - source) for target, source in pairwise(places)]
    least = 1 if neighbours else 2
    if min(lengths, default=least) < least:
        return False
    *_, row = _positions(start, places)
    if finish:
        return row == finish
    return "b" not in row


def _draw(start: str, horizon: int, solution: Solution) -> Drawing:
    """Draw a plan, a frame for each row; start: the first row. horizon: the most moves."""
    places = _empty_cells_of_plan(start, horizon, solution)
    moves = []
    for move, (target, source) in enumerate(pairwise(places), 1):
        moves.append(f"move {move}: {source} to {target}")
    captions = ["start", *moves]
    rows = _positions(start, places)
    return [_picture(row, caption) for row, caption in zip(rows, captions, strict=True)]


def _positions(row: str, spaces: Sequence[int]) -> list[str]:
    """Return the rows of a plan, as texts of b, w and _, from the first row on.

    In each move the counter in the next empty cell jumps into the empty cell, and the counters between are turned over.
    row: the first one. spaces: the cell, from 0, that is empty in each row.
    """
    rows = [row]
    for target, source in pairwise(spaces):
        marks = list(rows[-1])
        first, last = sorted((source, target))
        for cell in range(first + 1, last):
            marks[cell] = "w" if marks[cell] == "b" else "b"
        marks[target], marks[source] = marks[source], "_"
        rows.append("".join(marks))
    return rows


def _picture(row: str, caption: str) -> Frame:
    """Draw a row, a text of b, w and _, with its counters and with this caption."""
    cells = [Shape(grid.outline([(0, cell)])) for cell in range(len(row))]
    counters = [_counter(cell, mark) for cell, mark in enumerate(row) if mark != "_"]
    names: dict[Cell, str] = {(0, cell): mark for cell, mark in enumerate(row)}
    return Frame([*cells, *counters], caption, Board(names, grid.SQUARE))


def _counter(cell: int, mark: str) -> Shape:
    """Return a disc in a cell, as a polygon with enough corners to look round.

    mark: "b" for a black disc, anything else for a white one.
    """
    angles = [turn * pi / 16 for turn in range(32)]
    disc = [(cell + 0.5 + 0.4 * cos(angle), 0.5 + 0.4 * sin(angle)) for angle in angles]
    sign = "○"
    colour = "white"
    if mark == "b":
        sign = "●"
        colour = "black"
    return Shape([disc], colour=colour, outline=False, mark=sign)
