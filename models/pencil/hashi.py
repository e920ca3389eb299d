"""Hashi, or Bridges: bridges join all islands, and a number says how many of them end at its island."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise, product
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid, marks, paths
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making, of_marks
from models.pencil.second_reading import Cell, cells_of, content, numbers_in, rows_of
from models.puzzle import DEFINITION, Drawing, Frame, Puzzle, Shape, Solution

LISBON = "4.....3/......./..1.1../......./......./..3.4.2/4..2..."
"""A puzzle of the course Lógica para Programação, Instituto Superior Técnico, Lisbon, 2021/22."""

NUMBERS = "123456789ABCDEFG"
"""The mark of 1, of 2, and so on."""

MOST_BRIDGES = 4
"""The greatest number of bridges side by side that the text drawing has signs for."""

SHORE = 0.35
"""The distance from the middle of an island to where bridges begin, in cell widths."""

SIGNS = ("│║3┃", "─═3━")
"""The signs of 1 to 4 bridges, downwards and to the right."""


def hashi(puzzle: str = LISBON, most: int | None = None) -> Puzzle:
    """Build bridges from island to island, along rows and columns, so that all islands are joined.

    A number says how many bridges end at its island. Bridges do not cross each other, or other islands.

    puzzle: rows such as 1../.../331, where A to G are 10 to 16; or a game ID of Bridges, such as 3x3m2:1e331, or
      a file with one.
    most: how many bridges may be side by side, from 1 to 4; by default as the game ID says, or 2.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # `given.marks` maps each cell that has a mark to its character; `given.cells` are all cells.
    given = marks.read(puzzle, NUMBERS, "1../.../331 or 3x3m2:1e331")
    # The most bridges side by side, and the pairs of islands between which bridges may be.
    limit = _limit(given, most)
    facing = _facing(given)

    model = CpModel()
    bridges = {pair: model.new_int_var(0, limit, f"{pair}") for pair in facing}
    is_built = {pair: _bridge_variable(model, pair, count) for pair, count in bridges.items()}
    for island, mark in given.marks.items():
        number = NUMBERS.index(mark) + 1
        # `clues.rule` names the constraints that are added within it.
        with clues.rule(model, f"the clue of {clues.cell_name(island)} is {number}"):
            bridges_here = [bridges[pair] for pair in facing if island in pair]
            model.add(sum(bridges_here) == number)
    for bridge, other in combinations(facing, 2):
        if _cross(bridge, other):
            name = f"no bridge {_between(bridge)} crosses one {_between(other)}"
            with clues.rule(model, name):
                model.add_at_most_one(is_built[bridge], is_built[other])
    # Built bridges lead from the first island to each other one, over at most as many bridges.
    islands = dict.fromkeys(given.marks, model.new_constant(1))
    with clues.rule(model, "all islands are joined"):
        paths.add_connected(model, islands, is_built, len(islands) - 1, roots=[min(islands)])

    # The turns that map the marks to marks like them.
    turns = [paths.edge_symmetry(turn) for turn in given.turns()]
    # The check reads the text a second time, and does not use the model.
    parameters = {"puzzle": puzzle, "most": most}
    numbers, limit_again = _read_again(puzzle, most)
    is_solution = partial(_obeys, numbers, limit_again)
    draw = partial(_draw, given)
    return Puzzle("hashi", parameters, model, bridges, turns, is_solution, draw, says=_bridges_in_words)


def _bridge_variable(model: CpModel, pair: paths.Edge, count: IntVar) -> IntVar:
    """Return a new variable of the model that is true iff there is a bridge between two islands.

    pair: the islands. count: the variable with the number of bridges between them.
    """
    is_built = model.new_bool_var(f"{pair} is built")
    model.add(count >= 1).only_enforce_if(is_built).with_name(DEFINITION)
    model.add(count == 0).only_enforce_if(~is_built).with_name(DEFINITION)
    return is_built


def _between(pair: paths.Edge) -> str:
    """Return in words between which islands a bridge is."""
    island, other = map(clues.cell_name, pair)
    return f"from {island} to {other}"


def _bridges_in_words(pair: paths.Edge, count: int) -> str:
    """Return in words how many bridges there are between two islands."""
    leads = "bridges lead"
    if count < 2:
        leads = "bridge leads"
    return f"{count or 'no'} {leads} {_between(pair)}"


def _limit(given: marks.Clues, most: int | None) -> int:
    """Return how many bridges may be side by side; raise ValueError if that is not possible.

    given: the board; a game ID says the limit behind its size, as in 7x7m2. most: the parameter, which goes before;
    None if it is not given.
    """
    if "L" in given.variant:
        raise ParameterError("an L before the colon forbids circles of bridges, which is another puzzle; leave it out")
    limit = 2
    variant_limit = re.search(r"m([0-9]{1,2})", given.variant)
    if most is not None:
        limit = most
    elif variant_limit:
        limit = int(variant_limit[1])
    if not 1 <= limit <= MOST_BRIDGES:
        raise ParameterError(f"{limit} bridges cannot be side by side; give a number from 1 to {MOST_BRIDGES}")
    return limit


def _facing(given: marks.Clues) -> list[paths.Edge]:
    """Return the pairs of islands with nothing but water between them in a row or column.

    Raises ValueError if there are less than two islands.
    """
    island_count = len(given.marks)
    if island_count < 2:
        raise ParameterError(f"the puzzle has {island_count} islands; give at least 2")
    pairs = []
    for axis in (0, 1):
        # The islands row by row (column by column): neighbours in this order face each other if they share the line.
        in_lines = sorted(given.marks, key=lambda cell: (cell[axis], cell[1 - axis]))
        for island, other in pairwise(in_lines):
            if island[axis] == other[axis]:
                pairs.append((island, other))
    return sorted(pairs)


def _cross(bridge: paths.Edge, other: paths.Edge) -> bool:
    """Tell whether bridges between these pairs of islands cross: one is horizontal, the other vertical, not at an end.

    Each bridge is ((row, column), (row, column)), its islands in reading order.
    """
    (top, left), (bottom, right) = bridge
    (top2, left2), (bottom2, right2) = other
    if top == bottom:
        return top2 < top < bottom2 and left < left2 < right
    return left2 < left < right2 and top < top2 < bottom


def _read_again(puzzle: str, most: int | None) -> tuple[dict[Cell, int], int]:
    """Return (the number of each island, how many bridges may be side by side), by a second reading of the text.

    A mark is a digit, or a letter from A for 10 on. most: the parameter, which goes before what a game ID such as
    7x7m2:... says.
    """
    size, colon, _ = content(puzzle).partition(":")
    _, _, most_text = size.partition("m")
    marks_of_cells = cells_of(rows_of(puzzle))
    numbers = {cell: int(mark, 36) for cell, mark in marks_of_cells.items() if mark != "."}
    limit = 2
    if most:
        limit = most
    elif colon and most_text:
        limit, *_ = numbers_in(most_text)
    return numbers, limit


def _obeys(numbers: Mapping[Cell, int], most: int, solution: Solution) -> bool:
    """Tell whether bridges obey the rules; numbers, most: see `_read_again`.

    solution: the number of bridges by ((row, column), (row, column)), a pair of islands. Bridges do not cross if no
    cell is below two lines of bridges, and no island is below one.
    """
    built = {pair: count for pair, count in solution.items() if count}
    # For each island, the islands to which bridges lead from it, once for each bridge.
    neighbours: dict[Cell, list[Cell]] = {island: [] for island in numbers}
    bridges_over = Counter[Cell]()  # how many lines of bridges go over each cell; those at their ends are not counted
    for (start, end), count in built.items():
        (top, left), (bottom, right) = start, end
        if count > most or (top != bottom and left != right):
            return False
        cells = product(range(top, bottom + 1), range(left, right + 1))
        bridges_over.update({*cells})
        bridges_over.subtract([start, end])
        neighbours[start] += count * [end]
        neighbours[end] += count * [start]
    ends_of_bridges = {island: len(ends) for island, ends in neighbours.items()}
    if ends_of_bridges != numbers:
        return False
    if max(bridges_over.values(), default=0) > 1:
        return False
    if any(bridges_over[island] for island in numbers):
        return False
    return paths.hangs_together(numbers, neighbours)


def _draw(given: marks.Clues, solution: Solution) -> Drawing:
    """Draw the islands on water, and the bridges that are known."""
    spans = []
    for pair, count in solution.items():
        if count:
            spans += _draw_bridges(pair, count)
    islands = []
    for island, number in given.marks.items():
        middle = grid.SQUARE.middle(island)
        islands.append(paths.disc(middle, SHORE, "white", number))
    board = grid.board_with_texts(dict.fromkeys(given.cells, "")).board
    water = Shape(grid.outline(given.cells), "", "light", False)
    return [Frame([water, *spans, *islands], "", board)]


def _draw_bridges(pair: paths.Edge, count: int) -> list[Shape]:
    """Draw bridges between two islands, side by side; in a text, signs show how many.

    pair: the islands. count: the number of bridges. Along the way there is a sign in each eighth of a cell.
    """
    (x, y), (u, v) = map(grid.SQUARE.middle, pair)
    is_flat = y == v
    # The distances of the bridges from the middle line.
    middle_place = (count - 1) / 2
    shifts_across = [0.16 * (n - middle_place) for n in range(count)]
    if is_flat:
        x, u = x + SHORE, u - SHORE
        lines = [paths.line((x, y + shift), (u, v + shift)) for shift in shifts_across]
    else:
        y, v = y + SHORE, v - SHORE
        lines = [paths.line((x + shift, y), (u + shift, v)) for shift in shifts_across]
    distance = u - x + v - y
    steps = round(8 * distance)
    mark = SIGNS[is_flat][count - 1]
    signs = []
    for n in range(steps + 1):
        place = x + n * (u - x) / steps, y + n * (v - y) / steps
        signs.append(Shape([[place]], outline=False, mark=mark))
    return [*lines, *signs]


def _draft(random: Random, rows: int = 7, columns: int = 7, most: int = 2) -> Draft:
    """Return islands with bridges, which grow from one island.

    rows: how many rows there are.
    columns: how many columns there are.
    most: how many bridges may be side by side.
    """
    cells = grid.box(rows, columns)
    # The islands so far, whose numbers are not known yet, and the number of bridges between two of them.
    first_island = random.choice(sorted(cells))
    islands = {first_island: 0}
    bridges: dict[paths.Edge, int] = {}
    # A bridge leads from an island to a new one, if nothing is on its way and no island beside the new one.
    for _ in range(4 * (rows + columns)):
        island = random.choice([*islands])
        down, right = random.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        row, column = island
        distance = random.randint(2, 5)
        cells_ahead = [(row + n * down, column + n * right) for n in range(1, distance + 1)]
        end = cells_ahead[-1]
        cells_under_bridges = {cell for edge in bridges for cell in _water(edge)}
        taken = {*cells_ahead, *grid.neighbours(end)}
        is_way_free = cells_under_bridges.isdisjoint(cells_ahead) and islands.keys().isdisjoint(taken)
        if is_way_free and cells.issuperset(cells_ahead):
            islands[end] = 0
            first, second = sorted([island, end])
            bridges[first, second] = random.randint(1, most)
    # The number of an island is that of the bridges that end at it.
    marks = {}
    for island in islands:
        marks[island] = sum(count for edge, count in bridges.items() if island in edge)
    board = marks_of_islands(rows, columns, marks)
    # A solution has a number for each two islands that face each other, also where it is 0.
    solution = {pair: bridges.get(pair, 0) for pair in _facing(board)}
    return Draft({"rows": rows, "columns": columns, "most": most}, solution)


def _water(bridge: paths.Edge) -> list[grid.Cell]:
    """Return the cells below a bridge, without its islands."""
    (top, left), (bottom, right) = bridge
    area = product(range(top, bottom + 1), range(left, right + 1))
    return [cell for cell in area if cell not in bridge]


def marks_of_islands(rows: int, columns: int, islands: Mapping[grid.Cell, int]) -> marks.Clues:
    """Return a board with islands of these numbers."""
    signs = {island: NUMBERS[islands[island] - 1] for island in sorted(islands)}
    return marks.Clues(rows, columns, signs)


def _clues_of_solution(_: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the number of each island, none of which can be left out."""
    count: dict[grid.Cell, int] = Counter()
    for pair, bridges in solution.items():
        for island in pair:
            count[island] += bridges
    made_clues = []
    for island, number in sorted(count.items()):
        mark = NUMBERS[number - 1]
        made_clues.append(MadeClue(island, mark))
    return made_clues


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, Any]:
    """Return the parameters of the puzzle with these islands."""
    return {**of_marks(fixed, subset), "most": fixed["most"]}


MAKING = Making(_draft, _clues_of_solution, _with_clues)
"""The additions for puzzles that are made."""
