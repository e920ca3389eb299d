"""Puzzles that are made: drafts, clues, and random shapes for solutions.

A genre says in its own file how a random solution comes about and which clues it gives; the rest is the same for all.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from models.boards import clues, grid
from models.boards.grid import Cell
from models.puzzle import Literal, Solution, true_labels

AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
"""The steps to the eight cells around a cell, clockwise."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The names of regions, rooms and cages that are made."""


Fixed = Mapping[str, Any]
"""What is fixed of a puzzle that is made before there are clues, by name; see `Draft.arguments`."""


class Draft(NamedTuple):
    """The beginning of a puzzle that is made."""

    arguments: Fixed
    """What is fixed before there are clues."""
    solution: Solution | None = None
    """The solution; None if it is to be any solution of the puzzle without clues."""
    is_given: bool = False
    """Whether the user gives the solution, so that as little as possible is to be changed."""


class MadeClue(NamedTuple):
    """A clue that the solution of a puzzle gives."""

    place: Cell
    """The cell in which it stands."""
    mark: str
    """The text that is written for it."""
    rule: str = ""
    """The name of the constraints that say it, in the model with this clue."""
    literal: Literal | None = None
    """The literal that it gives. A clue with neither a rule nor a literal is never left out."""


class Making(NamedTuple):
    """The additions of a genre for puzzles that are made."""

    draft: Callable[..., Draft]
    """Takes a generator of random numbers, and sizes by name, which are options of the command."""
    clues: Callable[[Fixed, Solution], Sequence[MadeClue]]
    """Takes the fixed part of a draft and its solution, and returns all clues; those to keep least come first."""
    write: Callable[[Fixed, Sequence[MadeClue]], dict[str, Any]]
    """Takes the fixed part of a draft and some clues, and returns the parameters of the puzzle with these clues."""
    change: Callable[[Random, Fixed, Solution, Sequence[Solution]], Draft | None] | None = None
    """Takes also other solutions that the clues leave, and returns a draft nearby whose clues exclude them, or None."""
    line: Callable[[Fixed, Sequence[MadeClue]], str] | None = None
    """Takes the parameters of the puzzle and its clues, and returns the line that `unique` reads; None for `puzzle`."""
    lazy: Collection[str] = ()
    """The names of constraints that are long as clauses; solutions are found without them first."""
    cuts: Callable[[Fixed, Solution], Sequence[Sequence[Literal]]] | None = None
    """Takes also what obeys all but `lazy` constraints, and returns clauses that it contradicts and solutions hold."""
    near: Callable[[Fixed, Solution, Solution], Sequence[Draft]] | None = None
    """Takes also one other solution that the clues leave, and returns drafts with one change more. Any changes that
    lead to one solution have one of these among them. Only for genres whose drafts may be given."""
    ease: Callable[[Random, Fixed, Solution], Draft | None] | None = None
    """Takes the fixed part of a draft and its solution, and returns a draft nearby that is easier, or None."""


def rows_of_marks(rows: int, columns: int, marks: Mapping[Cell, str]) -> str:
    """Return a board as rows with / between them, where a dot is a cell without a mark.

    >>> rows_of_marks(2, 2, {(0, 1): "3"})
    '.3/..'
    """
    lines = []
    for r in range(rows):
        lines.append("".join(marks.get((r, c), ".") for c in range(columns)))
    return "/".join(lines)


def of_marks(arguments: Fixed, subset: Sequence[MadeClue]) -> dict[str, Any]:
    """Return the parameter ``puzzle`` of a board with clues in its cells.

    arguments: the fixed part of a draft, with "rows" and "columns", and perhaps "marks" that stay, by cell. subset:
    the clues that are written besides. `rows_of_marks` writes them, with dots for cells without a mark.
    """
    marks = dict(arguments.get("marks", {}))
    marks |= {clue.place: clue.mark for clue in subset}
    puzzle = rows_of_marks(arguments["rows"], arguments["columns"], marks)
    return {"puzzle": puzzle}


def number_clues(numbers: Solution) -> list[MadeClue]:
    """Return the number of each cell as a clue that gives it."""
    return [MadeClue(cell, str(value), literal=(cell, value)) for cell, value in numbers.items()]


def count_clues(counts: Mapping[Cell, int]) -> list[MadeClue]:
    """Return a number in each of some cells as a clue, whose words name the constraint in the model."""
    made_clues = []
    for cell, number in counts.items():
        rule = f"the clue of {clues.cell_name(cell)} is {number}"
        made_clues.append(MadeClue(cell, str(number), rule))
    return made_clues


def random_disc(random: Random, rows: int, columns: int, share: float = 0.55) -> set[Cell]:
    """Return cells whose border is one loop that touches itself nowhere, at random.

    share: the share of the cells at which the set stops growing. random: the generator of random numbers. rows,
    columns: those of the board.
    """
    board = grid.box(rows, columns)
    first_cell = random.choice(sorted(board))
    inside = {first_cell}
    while len(inside) < share * len(board):
        beside = _cells_beside(inside)
        adjacent = beside & board - inside
        candidates = [cell for cell in sorted(adjacent) if _is_simple(cell, inside)]
        if not candidates:
            break
        # Cells with few neighbours inside are likelier, which makes the shape branch.
        weights = []
        for cell in candidates:
            neighbours_inside = inside.intersection(grid.neighbours(cell))
            weights.append(8.0 ** -len(neighbours_inside))
        (chosen,) = random.choices(candidates, weights)
        inside.add(chosen)
    return inside


def _cells_beside(cells: Iterable[Cell]) -> set[Cell]:
    """Return the neighbours of some cells, on the board or not; some of them may be among these cells."""
    return {neighbour for cell in cells for neighbour in grid.neighbours(cell)}


def _is_simple(cell: Cell, inside: Collection[Cell]) -> bool:
    """Tell whether a cell beside some cells can join them while their border stays one loop.

    It can if the cells inside among the eight around it are one run on the way around it (`AROUND`): then the number of
    changes between inside and outside is 2. inside: the cells so far.
    """
    row, column = cell
    around = [(row + down, column + right) for down, right in AROUND]
    are_inside = [cell in inside for cell in around]
    changes = sum(a != b for a, b in pairwise([*are_inside, are_inside[0]]))
    return changes == 2


def border_edges(inside: Collection[Cell]) -> set[tuple[Cell, Cell]]:
    """Return the sides between cells that are inside and others, each as two corners in reading order.

    >>> sorted(border_edges([(0, 0)]))
    [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (1, 1))]
    """
    edges: set[tuple[Cell, Cell]] = set()
    for r, c in inside:
        # For each neighbour, the two corners of the side that it shares with the cell.
        upper_left, upper_right, lower_left, lower_right = grid.square_at((r, c))
        sides = {
            (r - 1, c): (upper_left, upper_right),
            (r + 1, c): (lower_left, lower_right),
            (r, c - 1): (upper_left, lower_left),
            (r, c + 1): (upper_right, lower_right),
        }
        edges |= {side for neighbour, side in sides.items() if neighbour not in inside}
    return edges


def random_parts(
    random: Random, cells: Iterable[Cell], low: int, high: int, may_join: Callable[..., bool] = lambda *_: True
) -> list[list[Cell]]:
    """Return a partition of cells into connected parts at random.

    low, high: each part grows to a random size from low to high, or until no free cell beside it may join it. may_join:
    takes a cell and a part, and says whether the cell may join it; by default all may.
    """
    free_cells = sorted(cells)
    parts = []
    while free_cells:
        place = random.randrange(len(free_cells))
        part = [free_cells.pop(place)]
        size = random.randint(low, high)
        while len(part) < size:
            adjacent = _cells_beside(part)
            candidates = [cell for cell in free_cells if cell in adjacent and may_join(cell, part)]
            if not candidates:
                break
            chosen = random.choice(candidates)
            part.append(chosen)
            free_cells.remove(chosen)
        parts.append(part)
    return parts


def random_latin_square(random: Random, side: int) -> dict[Cell, int]:
    """Return a random Latin square, by cell, with the numbers from 1.

    It is made row by row. A row that cannot be completed is begun again: as any rows can be followed by another one,
    that succeeds in the end. side: the number of rows.
    """
    rows: list[list[int]] = []
    numbers = {*range(1, side + 1)}
    while len(rows) < side:
        row: list[int] = []
        for column in range(side):
            used = [previous_row[column] for previous_row in rows]
            candidates = numbers.difference(row, used)
            if not candidates:
                break
            number = random.choice(sorted(candidates))
            row.append(number)
        if len(row) == side:
            rows.append(row)
    return clues.by_cell(rows)


def separations(solution: Solution, value: int, roots: Collection[Cell] | None = None) -> Iterator[Sequence[Literal]]:
    """Yield clauses that exclude parts of cells with a value, where these have to be connected.

    A clause is a list of literals (cell, value). It says of a cell in a wrong part: it has the other value, or the part
    has a way out, as a cell of its border has the value; or, where one part is required, a cell of the largest part has
    the other value. All solutions satisfy it, and this one does not.

    solution: the value of each cell, 0 or 1. value: of the cells that have to be connected. roots: cells; each part has
    to contain one of them; None if there is one part.

    >>> [*separations({(0, 0): 1, (0, 1): 0, (0, 2): 1}, 1)]
    [[((0, 2), 0), ((0, 0), 0), ((0, 1), 1)]]
    """
    cells = frozenset(c for c in solution if solution[c] == value)
    parts = [sorted(part) for part in grid.components(cells)]
    largest = max(parts, key=len, default=[])
    for part in parts:
        if part == largest and roots is None:
            continue
        if roots is not None and not set(roots).isdisjoint(part):
            continue
        beside = _cells_beside(part).difference(part)
        border = sorted(solution.keys() & beside)
        border_literals = [(neighbour, value) for neighbour in border]
        outside_literals: list[Literal] = []
        if roots is None:
            outside_literals = [(largest[0], 1 - value)]
        for cell in part:
            yield [(cell, 1 - value), *outside_literals, *border_literals]


def loop_separations(solution: Mapping[Any, int]) -> Iterator[Sequence[Literal]]:
    """Yield clauses that exclude several loops, or none, where there has to be one.

    A clause is a list of literals (edge, value). That of a loop: an edge of it is not taken, or an edge of another loop
    is not, or an edge is taken that leads from a point of the loop to another point. Without a loop, it says that some
    edge is taken.

    solution: for each edge (point, point), whether it is taken; loops of them touch nowhere.

    >>> [*loop_separations({((0, 0), (0, 1)): 0})]
    [[(((0, 0), (0, 1)), 1)]]
    """
    loop_points_at: dict[Cell, set[Cell]] = {}
    taken = true_labels(solution)
    # As loops touch nowhere, the points that edges join are those of one loop; in the end each point has its loop.
    for edge in taken:
        points_before = [loop_points_at.get(end, ()) for end in edge]
        points = set().union(edge, *points_before)
        loop_points_at |= dict.fromkeys(points, points)
    edge_of_loop = {}  # an edge, by the least point of its loop
    for edge in taken:
        least_point = min(loop_points_at[edge[0]])
        edge_of_loop[least_point] = edge
    if not edge_of_loop:
        yield [(edge, 1) for edge in solution]
    if len(edge_of_loop) < 2:
        return
    for least_point, loop_edge in edge_of_loop.items():
        other_edge = next(edge for point, edge in edge_of_loop.items() if point != least_point)
        loop_points = loop_points_at[least_point]
        leaving_edges = [edge for edge in solution if len(loop_points.intersection(edge)) == 1]
        leaving_literals = [(edge, 1) for edge in leaving_edges]
        yield [(loop_edge, 0), (other_edge, 0), *leaving_literals]


def loop_cuts(_: Fixed, solution: Solution) -> list[Sequence[Literal]]:
    """Return clauses that several loops contradict; they are the cuts of a genre with one loop."""
    return [*loop_separations(solution)]
