"""Masyu: one loop through the middles of cells, which turns at black pearls and goes straight through white ones."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from random import Random

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid, marks, paths
from models.errors import ParameterError, number_with_unit
from models.pencil.making import Draft, Fixed, MadeClue, Making, border_edges, loop_cuts, of_marks, random_disc
from models.pencil.second_reading import Cell, cells_of, rows_of
from models.puzzle import Drawing, Point, Puzzle, Shape, Solution, true_labels

WIKIPEDIA = (
    "..W.W...../....W...B./..B.B.W.../...W..W.../B....W...W/..W....W../..B...W.../W...B....W/......WW../..B......B"
)
"""The example of the article in Wikipedia."""

PEARLS = {"B": "black", "W": "white"}
"""The colour of the pearl with each mark."""

STEPS = [(-1, 0), (0, -1), (0, 1), (1, 0)]
"""The steps (down, right) upwards, to the left, to the right and downwards."""


def masyu(puzzle: str = WIKIPEDIA) -> Puzzle:
    """Draw one loop from cell to cell, through all pearls. It does not touch or cross itself.

    At a black pearl the loop turns, and it goes straight through the next cell on both sides. Through a white pearl it
    goes straight, and it turns in the next cell on at least one side.

    puzzle: rows such as .W../..../B..B/...., or a game ID of Pearl, such as 4x4:aWfBbBd, or a file with one.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # `given.marks` maps each cell that has a mark to its character; `given.cells` are all cells.
    given = marks.read(puzzle, "BW", ".W../..../B..B/.... or 4x4:aWfBbBd")
    if min(given.rows, given.columns) < 2:
        rows = number_with_unit(given.rows, "rows")
        columns = number_with_unit(given.columns, "columns")
        size = f"{rows} and {columns}"
        raise ParameterError(f"{size} have no loop; give at least 2 of each")

    model = CpModel()
    line = {edge: model.new_bool_var(f"{edge}") for edge in paths.edges(given.cells)}
    # The edges that are drawn form one loop; through: the variable of each cell that is true iff the loop goes through
    # it.
    through = paths.add_one_loop(model, line, clues.cell_name)
    outside = model.new_constant(0)
    for cell, pearl in given.marks.items():
        # `clues.rule` names the constraints that are added within it.
        with clues.rule(model, f"the {PEARLS[pearl]} pearl of {clues.cell_name(cell)}"):
            model.add(through[cell] == 1)
            # No line leaves the board: there, the variable is the constant 0.
            directions = [[line.get(edge, outside) for edge in _edges_ahead(cell, step)] for step in STEPS]
            _require_pearl(model, pearl, directions)

    def draw(solution: Solution) -> Drawing:
        """Draw the pearls, and the lines between cells that are known."""
        page = paths.paper(dict.fromkeys(given.cells, ""))
        border = Shape(grid.outline(given.cells))
        pearls = [_pearl(grid.SQUARE.middle(cell), mark) for cell, mark in given.marks.items()]
        lines = paths.through_middles(solution)
        return [page.with_shapes(border, *pearls, *lines)]

    # The turns that map the marks to marks like them.
    turns = [paths.edge_symmetry(turn) for turn in given.turns()]
    # The check reads the text a second time, and does not use the model.
    is_solution = partial(_obeys, cells_of(rows_of(puzzle)))
    return Puzzle("masyu", {"puzzle": puzzle}, model, line, turns, is_solution, draw, says=paths.says_line)


def _require_pearl(model: CpModel, pearl: str, directions: Sequence[Sequence[IntVar]]) -> None:
    """Add to the model what a pearl (B or W) asks of a loop through it.

    directions: the first and the second edge on the way from it up, left, right and down. Of the edges at the pearl the
    loop takes two. The second edge of a direction leads on from the next cell.
    """
    (up, up2), (left, left2), (right, right2), (down, down2) = directions
    if pearl == "B":
        model.add(left + right == 1)
        model.add(up + down == 1)
        for next_edge, edge_behind in directions:  # straight through the next cell
            model.add_implication(next_edge, edge_behind)
    else:
        model.add(left == right)
        model.add(up == down)
        # If the loop goes from left to right, it does not go on straight at both sides; so for up and down.
        model.add_bool_or(~left, ~left2, ~right2)
        model.add_bool_or(~up, ~up2, ~down2)


def _pearl(middle: Point, mark: str) -> Shape:
    """Draw a white pearl (W) or a black one (B) at a point."""
    colour = "white"
    sign = "○"
    if mark == "B":
        colour = "black"
        sign = "●"
    return paths.disc(middle, 0.3, colour, mark=sign)


def _edges_ahead(cell: grid.Cell, step: tuple[int, int]) -> list[paths.Edge]:
    """Return the first and the second edge on the way from a cell in steps of (down, right)."""
    row, column = cell
    down, right = step
    way = [(row + n * down, column + n * right) for n in range(3)]
    return [(min(pair), max(pair)) for pair in pairwise(way)]


def _obeys(marks: Mapping[Cell, str], solution: Solution) -> bool:
    """Tell whether a loop obeys the rules; marks: the content of each cell, as the text is read a second time."""
    taken: list[tuple[Cell, Cell]] = true_labels(solution)
    neighbours = grid.neighbours_along(taken)
    pearls = {cell: mark for cell, mark in marks.items() if mark != "."}
    if not paths.is_one_loop(taken):
        return False
    return all(_is_right(pearl, cell, neighbours) for cell, pearl in pearls.items())


def _is_straight(cell: Cell, near: Mapping[Cell, list[Cell]]) -> bool:
    """Tell whether the loop goes straight through a cell, which is then the middle of its two neighbours.

    near: the two cells next to each cell on the loop.
    """
    (row_a, column_a), (row_b, column_b) = near[cell]
    row, column = cell
    return (row_a + row_b, column_a + column_b) == (2 * row, 2 * column)


def _is_right(pearl: str, cell: Cell, near: Mapping[Cell, list[Cell]]) -> bool:
    """Tell whether the loop goes through a pearl as it has to.

    At B it turns, and goes straight through both next cells. Through W it goes straight, and turns in a next cell.

    pearl: B or W. cell: that of the pearl. near: the two cells next to each cell on the loop, and none for others.
    """
    if not near[cell]:
        return False
    is_straight = _is_straight(cell, near)
    are_straight = all(_is_straight(neighbour, near) for neighbour in near[cell])
    if pearl == "B":
        return are_straight and not is_straight
    return is_straight and not are_straight


def _draft(random: Random, rows: int = 6, columns: int = 6) -> Draft:
    """Return a board with a random loop.

    rows: how many rows there are.
    columns: how many columns there are.
    """
    # The border of a random set of cells is a loop through corners; these are taken as the cells of the board.
    cells = grid.box(rows, columns)
    inside = random_disc(random, rows - 1, columns - 1, 0.6)
    edges = border_edges(inside)
    solution = {edge: int(edge in edges) for edge in paths.edges(cells)}
    return Draft({"rows": rows, "columns": columns}, solution)


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return each pearl that fits the loop as a clue.

    fixed: the numbers of rows and columns. solution: whether the loop takes each edge, a pair of cells. `_edges_ahead`
    returns the first and the second edge in a direction.
    """
    pearl_clues = []
    cells = sorted(grid.box(fixed["rows"], fixed["columns"]))
    for cell in cells:
        # For each direction, whether the loop takes the first edge in it, and the second.
        taken = [[solution.get(edge, 0) for edge in _edges_ahead(cell, step)] for step in STEPS]
        near, after = zip(*taken, strict=True)
        # In the order of STEPS: up, left, right, down.
        is_straight = near in ((1, 0, 0, 1), (0, 1, 1, 0))
        straight_ways = sum(a and b for a, b in zip(near, after, strict=True))
        # W: the loop turns in at least one of the next cells. B: it goes straight through both.
        mark = "B"
        allowed_ways = [2]
        if is_straight:
            mark = "W"
            allowed_ways = [0, 1]
        if sum(near) == 2 and straight_ways in allowed_ways:
            name = f"the {PEARLS[mark]} pearl of {clues.cell_name(cell)}"
            pearl_clues.append(MadeClue(cell, mark, name))
    return pearl_clues


def _change(_: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft | None:
    """Return the other loop that most pearls fit, if more than fit this one; None if there is none.

    fixed: the numbers of rows and columns. solution: this loop. rivals: other loops that fit the same pearls.
    """
    pearls_of_solution = len(_clues_of_solution(fixed, solution))
    pearls_of_rivals = [len(_clues_of_solution(fixed, rival)) for rival in rivals]
    most = max(pearls_of_rivals)
    if most <= pearls_of_solution:
        return None
    best = rivals[pearls_of_rivals.index(most)]
    return Draft(fixed, best)


MAKING = Making(_draft, _clues_of_solution, of_marks, _change, lazy=(paths.ONE_LOOP,), cuts=loop_cuts)
"""The additions for puzzles that are made."""
