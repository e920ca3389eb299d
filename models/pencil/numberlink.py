"""Numberlink: each two cells with the same sign are joined by a way, and no ways meet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from random import Random

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid, marks, paths
from models.errors import ParameterError, number_with_unit
from models.pencil.making import Draft, Fixed, MadeClue, Making, of_marks
from models.pencil.second_reading import Cell, cells_of, rows_of
from models.puzzle import DEFINITION, Drawing, Puzzle, Shape, Solution, true_labels

WIKIPEDIA = "...4.../.3..25./...31../...5.../......./..1..../2...4.."
"""The example of the article in Wikipedia."""

SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def numberlink(puzzle: str = WIKIPEDIA, fill: bool = True) -> Puzzle:
    """Join each two cells with the same sign by a way from cell to cell; no two ways share a cell.

    puzzle: rows such as 1../22./1.., with digits or letters as signs, or a file with them.
    fill: whether the ways go through all cells.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # `given.marks` maps each cell that has a mark to its character; `given.cells` are all cells.
    given = marks.read(puzzle, SIGNS, "1../22./1..", has_games=False)
    ends = _ends(given)  # (start, end) for each sign

    model = CpModel()
    line = {edge: model.new_bool_var(f"{edge}") for edge in paths.edges(given.cells)}
    sign = {cell: model.new_int_var(0, len(ends), f"sign of {cell}") for cell in given.cells}  # 0: no way
    number = {cell: place for place, cell in enumerate(given.cells)}
    for (cell_a, cell_b), variable in line.items():
        model.add(sign[cell_a] == sign[cell_b]).only_enforce_if(variable).with_name(DEFINITION)
    for place, (start, end) in enumerate(ends, 1):
        places = f"{clues.cell_name(start)} and of {clues.cell_name(end)}"
        with clues.rule(model, f"a way joins the {given.marks[start]} of {places}"):
            model.add(sign[start] == place)
            model.add(sign[end] == place)
    # One circuit goes along all ways, and from the end of each to the start of the next. Without fill, a cell may have
    # an arc to itself instead, which takes it out of the circuit.
    arcs = []
    for (cell_a, cell_b), arc in paths.arcs_along(model, line).items():
        arcs.append((number[cell_a], number[cell_b], arc))
    yes = model.new_constant(1)
    for place, (_, end) in enumerate(ends, 1):
        next_start, _ = ends[place % len(ends)]
        arcs.append((number[end], number[next_start], yes))
    if not fill:
        for cell, cell_sign in sign.items():
            is_blank = _blank_variable(model, cell_sign)
            arcs.append((number[cell], number[cell], is_blank))
    model.add_circuit(arcs).with_name("no way closes in itself")
    if fill:
        _add_meetings(model, line, given)

    turns = [paths.edge_symmetry(turn) for turn in given.turns()]
    parameters = {"puzzle": puzzle, "fill": fill}
    is_solution = partial(_obeys, cells_of(rows_of(puzzle)), fill)
    draw = partial(_draw, given)
    return Puzzle("numberlink", parameters, model, line, turns, is_solution, draw, says=paths.says_line)


def _draw(given: marks.Clues, solution: Solution) -> Drawing:
    """Draw the signs, and the lines between cells that are known."""
    labels = {cell: given.marks.get(cell, "") for cell in given.cells}
    page = paths.paper(labels)
    border = Shape(grid.outline(given.cells))
    lines = paths.through_middles(solution, given.marks)
    return [page.with_shapes(border, *lines)]


def _blank_variable(model: CpModel, sign: IntVar) -> IntVar:
    """Return a new variable of the model that is true iff a cell has no sign."""
    unused = model.new_bool_var(f"no {sign.name}")
    model.add(sign == 0).only_enforce_if(unused).with_name(DEFINITION)
    model.add(sign != 0).only_enforce_if(~unused).with_name(DEFINITION)
    return unused


def _add_meetings(model: CpModel, line: Mapping[paths.Edge, IntVar], given: marks.Clues) -> None:
    """Add to a model what its circuit says of single cells, for reasons: how many lines there are at each.

    It is implied where the ways fill the board: one line at a cell with a sign, two at others. line: the variable of
    each edge.
    """
    for cell, edges in paths.edges_at(line).items():
        number = 2
        words = "two lines meet"
        if cell in given.marks:
            number = 1
            words = "one line ends"
        name = f"{words} at {clues.cell_name(cell)}"
        model.add(sum(edges) == number).with_name(name)


def _ends(given: marks.Clues) -> list[list[grid.Cell]]:
    """Return the two cells of each sign; raise ValueError if a sign has not two, or if there is none.

    given: the board, with the mark of each cell that has one.
    """
    cells: dict[str, list[grid.Cell]] = defaultdict(list)
    for cell, mark in given.marks.items():
        cells[mark].append(cell)
    for mark, cells_of_mark in cells.items():
        if len(cells_of_mark) != 2:
            names = [f"row {r + 1}, column {c + 1}" for r, c in cells_of_mark]
            places = ", ".join(names)
            count = number_with_unit(len(cells_of_mark), "cells")
            raise ParameterError(f"{mark} stands in {count} ({places}); write each sign twice")
    if not cells:
        raise ParameterError("the puzzle has no signs; write each sign twice, as in 1../22./1..")
    return list(cells.values())


def _obeys(marks: Mapping[Cell, str], fill: bool, solution: Solution) -> bool:
    """Tell whether lines are ways between equal signs, and nothing else.

    Each way is followed from a cell with a sign. marks: the content of each cell, as the text is read a second time.
    fill: whether the ways have to fill the board. solution: whether a line joins the two cells of each edge.
    """
    signs = {cell: mark for cell, mark in marks.items() if mark != "."}
    taken: list[tuple[Cell, Cell]] = true_labels(solution)
    neighbours = grid.neighbours_along(taken)
    covered_cells: set[Cell] = set()
    for start, mark in signs.items():
        if start in covered_cells:
            continue
        path = [start]
        next_cells = neighbours[start]
        # It ends at a cell without a further neighbour, or where it branches: a way from an end cannot close in itself.
        while len(next_cells) == 1:
            path += next_cells
            next_cells = [cell for cell in neighbours[path[-1]] if cell != path[-2]]
        end = path[-1]
        is_at_sign = len(path) > 1 and signs.get(end) == mark
        if next_cells or not is_at_sign:
            return False
        if signs.keys() & path[1:-1]:
            return False
        covered_cells.update(path)
    if fill and covered_cells != marks.keys():
        return False
    return covered_cells == neighbours.keys()


def _draft(random: Random, rows: int = 7, columns: int = 7) -> Draft:
    """Return ways that fill a rectangle, of at least three cells each.

    rows: how many rows there are.
    columns: how many columns there are.
    """
    least_side = min(rows, columns)
    clues.number_in_range(str(least_side), "the less of rows and columns", 2, 30)
    paths_drawn: list[Sequence[grid.Cell]] = [_random_way(random, rows, columns)]
    for _ in range((rows + columns) // 4):
        steps = [edge for way in paths_drawn for edge in pairwise(way)]
        paths_drawn = _with_cut(random, paths_drawn, steps)
    return _draft_of_ways(rows, columns, paths_drawn)


def _random_way(random: Random, rows: int, columns: int) -> list[grid.Cell]:
    """Return a way through all cells of a rectangle at random, as a list of cells.

    It begins as a way to and fro along the rows, and is then changed by random steps.
    """
    cells = grid.box(rows, columns)
    way: list[grid.Cell] = []
    for r in range(rows):
        row = [(r, c) for c in range(columns)]
        way += row if r % 2 else reversed(row)
    # Each step of this random walk (backbite) joins the end to a cell beside it, and reverses what is behind that
    # cell, so that the way goes through all cells again. Then either end may be the next to change.
    for _ in range(20 * len(way)):
        beside_end = [neighbour for neighbour in grid.neighbours(way[-1]) if neighbour in cells]
        joined_cell = random.choice(beside_end)
        behind = way.index(joined_cell) + 1
        way = [*way[:behind], *reversed(way[behind:])]
        if random.random() < 0.5:
            way.reverse()
    return way


def _with_cut(
    random: Random, paths_drawn: Sequence[Sequence[grid.Cell]], where: Sequence[tuple[grid.Cell, grid.Cell]]
) -> list[Sequence[grid.Cell]]:
    """Return the ways with one of them cut in two, of at least three cells each; the same ways if none can be cut.

    paths_drawn: the ways, each a list of cells. where: pairs of cells between which a way may be cut.
    """
    edges = {*map(frozenset, where)}
    most_ways = len(SIGNS) - 1  # every sign but 0 is used: made puzzles begin with 1
    cuts = []
    for way in paths_drawn:
        for n in range(3, len(way) - 2):
            edge = frozenset(way[n - 1 : n + 1])
            if edge in edges:
                cuts.append((way, n))
    if not cuts or len(paths_drawn) == most_ways:
        return [*paths_drawn]
    chosen, place = random.choice(cuts)
    others = [way for way in paths_drawn if way != chosen]
    return [*others, chosen[:place], chosen[place:]]


def _draft_of_ways(rows: int, columns: int, paths_drawn: Sequence[Sequence[grid.Cell]]) -> Draft:
    """Return a draft with these ways."""
    taken = {tuple(sorted(edge)) for way in paths_drawn for edge in pairwise(way)}
    cells = sorted(grid.box(rows, columns))
    all_edges = paths.edges(cells)
    solution = {edge: int(edge in taken) for edge in all_edges}
    return Draft({"rows": rows, "columns": columns, "ways": paths_drawn}, solution)


def _clues_of_solution(fixed: Fixed, _: Solution) -> list[MadeClue]:
    """Return the signs at the ends of the ways, none of which can be left out.

    fixed: what `_draft` returns; its "ways" are lists of cells.
    """
    ends = sorted(sorted([way[0], way[-1]]) for way in fixed["ways"])
    made_clues = []
    for pair, sign in zip(ends, SIGNS[1:], strict=False):
        for cell in pair:
            made_clues.append(MadeClue(cell, sign))
    return made_clues


def _change(random: Random, fixed: Fixed, _: Solution, rivals: Sequence[Solution]) -> Draft | None:
    """Return the ways with one of them cut where the last of other solutions has no line; None if none can be cut."""
    absent = [edge for edge, is_drawn in rivals[-1].items() if not is_drawn]
    ways = _with_cut(random, fixed["ways"], absent)
    if len(ways) <= len(fixed["ways"]):
        return None
    return _draft_of_ways(fixed["rows"], fixed["columns"], ways)


def _easier(random: Random, fixed: Fixed, solution: Solution) -> Draft | None:
    """Return the ways with one of them cut anywhere; None if none can be cut."""
    nothing_drawn = dict.fromkeys(solution, 0)
    return _change(random, fixed, solution, [nothing_drawn])


MAKING = Making(_draft, _clues_of_solution, of_marks, _change, ease=_easier)
"""The additions for puzzles that are made."""
