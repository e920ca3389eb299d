"""Numberlink: each two cells with the same sign are joined by a way, and no ways meet."""

from collections import defaultdict
from collections.abc import Mapping
from functools import partial

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid, marks, paths
from models.errors import ParameterError
from models.pencil.second_reading import Cell, cells_of, rows_of
from models.puzzle import DEFINITION, Drawing, Puzzle, Shape, Solution

WIKIPEDIA = "...4.../.3..25./...31../...5.../......./..1..../2...4.."
"""The example of the article in Wikipedia."""

SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def numberlink(puzzle: str = WIKIPEDIA, fill: bool = True) -> Puzzle:
    """Join each two cells with the same sign by a way from cell to cell; no two ways share a cell.

    puzzle: rows such as 1../22./1.., with digits or letters as signs, or a file with them.
    fill: whether the ways go through all cells.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    given = marks.read(puzzle, SIGNS, "1../22./1..", has_games=False)
    ends = _ends(given)

    model = CpModel()
    drawn = {edge: model.new_bool_var(f"{edge}") for edge in paths.edges(given.cells)}
    sign = {cell: model.new_int_var(0, len(ends), f"sign of {cell}") for cell in given.cells}
    number = {cell: place for place, cell in enumerate(given.cells)}
    for (one, other), variable in drawn.items():
        model.add(sign[one] == sign[other]).only_enforce_if(variable).with_name(DEFINITION)
    for place, (start, end) in enumerate(ends, 1):
        with clues.rule(
            model, f"a way joins the {given.marks[start]} of {clues.cell_name(start)} and of {clues.cell_name(end)}"
        ):
            model.add(sign[start] == place)
            model.add(sign[end] == place)
    # One circuit goes along all ways, and from the end of each to the start of the next.
    arcs = [(number[end], number[other], arc) for (end, other), arc in paths.arcs_along(model, drawn).items()]
    yes = model.new_constant(1)
    arcs += [(number[end], number[ends[place % len(ends)][0]], yes) for place, (_, end) in enumerate(ends, 1)]
    if not fill:
        arcs += [(number[cell], number[cell], _blank_variable(model, own)) for cell, own in sign.items()]
    model.add_circuit(arcs).with_name("no way closes in itself")
    if fill:
        _add_meetings(model, drawn, given)

    def draw(solution: Solution) -> Drawing:
        page = paths.paper({cell: given.marks.get(cell, "") for cell in given.cells})
        border = Shape(grid.outline(given.cells))
        return [page._replace(shapes=[*page.shapes, border, *paths.through_middles(solution, given.marks)])]

    turns = [paths.edge_symmetry(turn) for turn in given.turns()]
    parameters, says = {"puzzle": puzzle, "fill": fill}, paths.says_line
    is_solution = partial(_obeys, cells_of(rows_of(puzzle)), fill)
    return Puzzle("numberlink", parameters, model, drawn, turns, is_solution, draw, says=says)


def _blank_variable(model: CpModel, sign: IntVar) -> IntVar:
    """Return a new variable of the model that is true iff a cell has no sign."""
    unused = model.new_bool_var(f"no {sign.name}")
    model.add(sign == 0).only_enforce_if(unused).with_name(DEFINITION)
    model.add(sign != 0).only_enforce_if(~unused).with_name(DEFINITION)
    return unused


def _add_meetings(model: CpModel, drawn: Mapping[paths.Edge, IntVar], given: marks.Clues) -> None:
    """Add to a model what its circuit says of single cells, for reasons: how many lines there are at each."""
    for cell, some in paths.edges_at(drawn).items():
        number, words = (1, "one line ends") if cell in given.marks else (2, "two lines meet")
        model.add(sum(some) == number).with_name(f"{words} at {clues.cell_name(cell)}")


def _ends(given: marks.Clues) -> list[list[grid.Cell]]:
    """Return the two cells of each sign; raise ValueError if a sign has not two, or if there is none."""
    cells: dict[str, list[grid.Cell]] = defaultdict(list)
    for cell, mark in given.marks.items():
        cells[mark].append(cell)
    for mark, some in cells.items():
        if len(some) != 2:
            places = ", ".join(f"row {r + 1}, column {c + 1}" for r, c in some)
            raise ParameterError(f"{mark} stands in {len(some)} cells ({places}); write each sign twice")
    if not cells:
        raise ParameterError("the puzzle has no signs; write each sign twice, as in 1../22./1..")
    return list(cells.values())


def _obeys(marks: Mapping[Cell, str], fill: bool, solution: Solution) -> bool:
    """Tell whether lines are ways between equal signs, and nothing else.

    marks: the content of each cell, as the text is read a second time. fill: whether the ways have to fill the board.
    """
    signs = {cell: mark for cell, mark in marks.items() if mark != "."}
    taken = [edge for edge, is_taken in solution.items() if is_taken]
    near: dict[Cell, list[Cell]] = defaultdict(list)
    for end, other in taken:
        near[end].append(other)
        near[other].append(end)
    seen: set[Cell] = set()
    for start, mark in signs.items():
        if start in seen:
            continue
        way, ahead = [start], near[start]
        while len(ahead) == 1:
            way += ahead
            ahead = [cell for cell in near[way[-1]] if cell != way[-2]]
        if ahead or len(way) < 2 or signs.get(way[-1]) != mark or signs.keys() & way[1:-1]:
            return False
        seen.update(way)
    return seen == near.keys() and (not fill or seen == marks.keys())
