"""Nurikabe: islands of given sizes in one sea without pools."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from random import Random

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid, marks, paths
from models.classics.covering import option_symmetry
from models.errors import ParameterError, number_with_unit
from models.pencil.making import Draft, Fixed, MadeClue, Making, of_marks, separations
from models.pencil.second_reading import Cell, cells_of, is_connected, piece, rows_of
from models.puzzle import Drawing, Literal, Puzzle, Solution, true_labels

WIKIPEDIA = "2........2/......2.../.2..7...../........../......3.3./..2....3../2..4....../........../.1....2.4."
"""The example of the article in Wikipedia."""

SIZES = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The mark of 1, of 2, and so on."""

SEA, ISLANDS = "the sea is connected", "each island is connected"
"""The rules whose clauses are long."""


def nurikabe(puzzle: str = WIKIPEDIA) -> Puzzle:
    """Divide the cells into islands and a sea. Each island has one number, which is the number of its cells.

    Islands do not touch each other, except at corners. The sea is connected, by sides, and fills no square of 2x2.

    puzzle: rows such as 2.3./..../...., where A to Z are 10 to 35, or a file with them.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # `given.marks` maps each cell that has a mark to its character; `given.cells` are all cells.
    given = marks.read(puzzle, SIZES, "2.3./..../....", has_games=False)
    if not given.marks:
        raise ParameterError("the puzzle has no numbers; give at least one, as in 2.3./..../....")
    size = {cell: SIZES.index(mark) + 1 for cell, mark in given.marks.items()}
    squares = [grid.square_at(corner) for corner in grid.box(given.rows - 1, given.columns - 1)]

    model = CpModel()
    sea = {cell: model.new_bool_var(f"sea at {cell}") for cell in given.cells}
    for square in squares:
        name = f"the sea has no pool in {grid.cell_ranges_from_zero(square)}"
        model.add_bool_or(~sea[cell] for cell in square).with_name(name)
    # The number of cells of the sea. `add_one_region` needs a bound on the steps from its first cell to each other one.
    wet_cells = len(sea) - sum(size.values())
    # `clues.rule` names the constraints that are added within it.
    with clues.rule(model, SEA):
        farthest = min(wet_cells - 1, paths.longest_way(sea.keys()))
        paths.add_one_region(model, sea, farthest=max(0, farthest))
    _add_islands(model, sea, size)
    # Each cell of the land is connected with the number of an island.
    land = {cell: ~is_sea for cell, is_sea in sea.items()}
    with clues.rule(model, ISLANDS):
        paths.add_one_region(model, land, roots=size.keys(), farthest=max(size.values()) - 1)

    def draw(solution: Solution) -> Drawing:
        """Draw the numbers of the islands, and the sea as far as it is known."""
        labels = {cell: str(size.get(cell, "")) for cell in given.cells}
        colours = {cell: "dark" if solution.get(cell) else "empty" for cell in given.cells}
        frame = grid.board_with_texts(labels, colours=colours)
        return [frame.with_shapes(*(paths.cell_sign(cell) for cell in given.cells if solution.get(cell)))]

    # The turns that map the marks to marks like them.
    turns = [option_symmetry(turn) for turn in given.turns()]
    # The check reads the text a second time, and does not use the model.
    is_solution = partial(_obeys, cells_of(rows_of(puzzle)))
    return Puzzle("nurikabe", {"puzzle": puzzle}, model, sea, turns, is_solution, draw, fills=_fills)


def _add_islands(model: CpModel, sea: dict[grid.Cell, IntVar], size: dict[grid.Cell, int]) -> None:
    """Add to the model that each cell is in the sea or in one island, that these have their sizes and do not touch.

    sea: for each cell, the variable that is true iff it is in the sea. size: the size of each island, by the cell of
    its number, its root. An island has a variable for each cell that it can reach; neighbours of its cells are in the
    sea or in the same island.
    """
    variables_by_root = {root: _island_variables(model, root, number, sea) for root, number in size.items()}
    for cell, is_sea in sea.items():
        islands_here = [island_cells[cell] for island_cells in variables_by_root.values() if cell in island_cells]
        words = "is reached by no island"
        if islands_here:
            words = "belongs to the sea or to one island that reaches it"
        name = f"{clues.cell_name(cell)} {words}"
        model.add_exactly_one(is_sea, *islands_here).with_name(name)
    for root, island_cells in variables_by_root.items():
        island = f"the island of {clues.cell_name(root)}"
        cells = number_with_unit(size[root], "cells")
        area = sum(island_cells.values())
        model.add(area == size[root]).with_name(f"{island} has {cells}")
        with clues.rule(model, f"{island} touches no other"):
            for cell, is_held in island_cells.items():
                neighbours = sea.keys() & grid.neighbours(cell)
                for neighbour in sorted(neighbours):
                    literals = [~is_held, sea[neighbour]]
                    if neighbour in island_cells:
                        literals.append(island_cells[neighbour])
                    model.add_bool_or(literals)


def _island_variables(
    model: CpModel, root: grid.Cell, size: int, cells: Iterable[grid.Cell]
) -> dict[grid.Cell, IntVar]:
    """Return, for each cell that an island can reach, a variable that is true iff the island holds the cell.

    An island of ``size`` cells reaches cells that are fewer than ``size`` steps away. root: the cell with its number.
    size: the number. cells: all cells of the board.
    """
    row, column = root
    near = []
    for cell in cells:
        r, c = cell
        if abs(r - row) + abs(c - column) < size:
            near.append(cell)
    island_cells = {cell: model.new_bool_var(f"the island of {root} holds {cell}") for cell in near}
    name = f"the island of {clues.cell_name(root)} holds its number"
    model.add(island_cells[root] == 1).with_name(name)
    return island_cells


def _obeys(marks: Mapping[Cell, str], solution: Solution) -> bool:
    """Tell whether a sea obeys the rules; marks: the content of each cell, as the text is read a second time.

    `piece` returns the cells that are connected with a cell. A pool is a square of 2x2 cells in the sea. solution:
    whether each cell is in the sea.
    """
    wet = {cell for cell in marks if solution.get(cell)}
    numbers = {cell: int(mark, 36) for cell, mark in marks.items() if mark != "."}
    land = marks.keys() - wet
    numbered_land = set[Cell]()
    for cell, number in numbers.items():
        if cell in wet:
            return False
        island = piece(land, cell)
        numbered_cells = numbers.keys() & island
        if len(island) != number or numbered_cells != {cell}:
            return False
        numbered_land |= island
    for r, c in wet:
        pool = {(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)}
        if wet >= pool:
            return False
    return numbered_land == land and is_connected(wet)


def _fills(cell: grid.Cell, _: int) -> tuple[str, list[grid.Cell]]:
    """Return what the sea in a cell is called, and the cell."""
    return "#", [cell]


def _draft(random: Random, rows: int = 6, columns: int = 6, largest: int = 6) -> Draft:
    """Return a random sea with islands.

    rows: how many rows there are.
    columns: how many columns there are.
    largest: the greatest size of an island; many puzzles have only smaller ones, and are easier.
    """
    # Cells are dried one by one, while islands stay small and the sea connected; in pools always, elsewhere sometimes.
    largest_here = random.randint(min(2, largest), largest)
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    wet = {*cells}
    for cell in random.sample(cells, len(cells)) * 2:  # twice, as a cell that could not be dried may be able to later
        is_in_pool = any(map(wet.issuperset, _squares_with(cell)))
        land = {*cells} - wet
        island = piece(land | {cell}, cell)
        may_dry = len(island) <= largest_here and is_connected(wet - {cell})
        if cell not in wet or not may_dry:
            continue
        if is_in_pool or random.random() < 0.2:
            wet.remove(cell)
    squares = [grid.square_at((r, c)) for r in range(rows - 1) for c in range(columns - 1)]
    has_pool = any(map(wet.issuperset, squares))
    # Without an island, or with a pool that is left, begin again.
    if has_pool or len(wet) == len(cells):
        return _draft(random, rows, columns, largest)
    solution = {cell: int(cell in wet) for cell in cells}
    fixed = {"rows": rows, "columns": columns}
    return _with_numbers(random, fixed, solution)


def _islands(solution: Solution) -> list[set[Cell]]:
    """Return the islands of a solution."""
    land = {cell for cell, is_wet in solution.items() if not is_wet}
    islands = []
    for cell in sorted(land):
        island = piece(land, cell)
        if cell == min(island):
            islands.append(island)
    return islands


def _with_numbers(random: Random, fixed: Fixed, solution: Solution) -> Draft:
    """Return a draft with the number of each island in one of its cells at random."""
    numbers = {}
    for island in _islands(solution):
        place = random.choice(sorted(island))
        numbers[place] = len(island)
    return Draft({**fixed, "numbers": numbers}, solution)


def _clues_of_solution(fixed: Fixed, _: Solution) -> list[MadeClue]:
    """Return the number of each island, none of which can be left out."""
    made_clues = []
    for cell, size in sorted(fixed["numbers"].items()):
        mark = SIZES[size - 1]
        made_clues.append(MadeClue(cell, mark))
    return made_clues


def _change(random: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft | None:
    """Return the same islands with numbers in cells that exclude all other solutions; None if some are not excluded.

    A number excludes a rival in which its cell is in no island of this size. Each is put where it excludes most of
    those that are left. fixed: what `_draft` returns, without its "numbers". solution: whether each cell is in the sea.
    rivals: the other solutions.
    """
    # For each rival, the size of the island of each cell on land.
    remaining_rivals = []
    for rival in rivals:
        size_by_cell = {cell: len(island) for island in _islands(rival) for cell in island}
        remaining_rivals.append(size_by_cell)
    # numbers: the size of an island by the cell of its number.
    islands = _islands(solution)
    numbers = {}
    for island in random.sample(islands, len(islands)):
        size = len(island)
        # For each cell: how many of the rivals that are left a number there excludes.
        excluded = {}
        for cell in island:
            excluded[cell] = sum(sizes.get(cell) != size for sizes in remaining_rivals)
        most = max(excluded.values())
        best_cells = [cell for cell in sorted(island) if excluded[cell] == most]
        cell = random.choice(best_cells)
        numbers[cell] = size
        remaining_rivals = [sizes for sizes in remaining_rivals if sizes.get(cell) == size]
    if remaining_rivals:
        return None
    return Draft({**fixed, "numbers": numbers}, solution)


def _easier(random: Random, fixed: Fixed, solution: Solution) -> Draft | None:
    """Return the islands without a cell of each that has three or more, where that makes no pool; None if all do.

    fixed: what `_draft` returns. An island keeps the place of its number if that stays on land.
    """
    # A cell of each such island goes to the sea; what is left of it may be several islands, each with a number of its
    # own.
    wet = {*true_labels(solution)}
    numbers = dict(fixed["numbers"])
    large_islands = [island for island in _islands(solution) if len(island) > 2]
    for island in large_islands:
        in_random_order = random.sample(sorted(island), len(island))
        cells = [cell for cell in in_random_order if _may_be_wet(cell, wet)]
        if cells:
            wet.add(cells[0])
            numbers = {cell: size for cell, size in numbers.items() if cell not in island}
            parts = grid.components(frozenset(island - wet))
            for part in sorted(map(sorted, parts)):
                chosen = random.choice(part)
                place = next((cell for cell in part if cell in fixed["numbers"]), chosen)
                numbers[place] = len(part)
    eased = {cell: int(cell in wet) for cell in solution}
    if eased == solution:
        return None
    return Draft({**fixed, "numbers": numbers}, eased)


def _squares_with(cell: Cell) -> list[set[grid.Cell]]:
    """Return the squares of 2x2 cells, on the board or not, that contain a cell."""
    r, c = cell
    corners = [(top, left) for top in (r - 1, r) for left in (c - 1, c)]
    return [{*grid.square_at(corner)} for corner in corners]


def _may_be_wet(cell: Cell, wet: Collection[Cell]) -> bool:
    """Tell whether a cell beside the sea can join it without a pool.

    A pool is a square of 2x2 cells in the sea. wet: the cells of the sea.
    """
    sea = {*wet}
    if sea.isdisjoint(grid.neighbours(cell)):
        return False
    return not any(pool - {cell} <= sea for pool in _squares_with(cell))


def _cuts(fixed: Fixed, solution: Solution) -> list[Sequence[Literal]]:
    """Return clauses that a sea in several parts contradicts, or an island without a number."""
    parts_of_sea = separations(solution, 1)
    islands_without_number = separations(solution, 0, fixed["numbers"])
    return [*parts_of_sea, *islands_without_number]


MAKING = Making(_draft, _clues_of_solution, of_marks, _change, lazy=(SEA, ISLANDS), cuts=_cuts, ease=_easier)
"""The additions for puzzles that are made."""
