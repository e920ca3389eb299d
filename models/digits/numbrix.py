"""Numbrix: the numbers from 1 are a path on the board, from each cell to a neighbour.

M. vos Savant, Parade (2008). With steps to all eight neighbours: Hidato, by G. Benedek (2005).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from random import Random
from typing import Any
from typing import Literal as Choice

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid
from models.boards.grid import Cell
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making
from models.pencil.second_reading import cells_of
from models.puzzle import Drawing, Literal, Puzzle, Region, Solution, Symmetry, true_labels

MAX_PATH = 400
"""The most cells of a board; the model grows with the square of their number."""


def numbrix(board: Region = "4x4", steps: Choice["sides", "corners"] = "sides") -> Puzzle:
    """Fill a board with the numbers from 1, so that each next number is in a neighbouring cell.

    The numbers of a printed puzzle are given: --given FILE, or the lines of `unique`.

    board: HxW, or a drawing in which # is a cell and . is none, here or in a file.
    steps: sides (neighbours share a side: Numbrix) or corners (or only a corner: Hidato).

    Raises ValueError, with a sentence that says what to change, if the board is not possible.

    >>> numbrix("1x2").is_solution({(0, 0, 1): 1, (0, 1, 2): 1})
    True
    """
    # By cell, the cells that may have the next number.
    neighbours = _neighbours(board, steps)
    last = len(neighbours)
    model = CpModel()
    numbers = range(1, last + 1)
    holds = {(*cell, n): model.new_bool_var(f"{cell} holds {n}") for cell, n in product(neighbours, numbers)}
    # Each cell holds one number, and each number is in one cell.
    for cell in neighbours:
        model.add_exactly_one(holds[*cell, n] for n in numbers)
    for n in numbers:
        model.add_exactly_one(holds[*cell, n] for cell in neighbours)
    # The number before and the number after are in neighbouring cells.
    for cell in neighbours:
        name_of_cell = clues.cell_name(cell)
        for n in range(1, last):
            for number, beside in ((n, n + 1), (n + 1, n)):
                name = f"if {name_of_cell} holds {number}, a neighbour holds {beside}"
                holders = [holds[*neighbour, beside] for neighbour in neighbours[cell]]
                model.add_bool_or(holders).only_enforce_if(holds[*cell, number]).with_name(name)

    def backwards(label: tuple[int, int, int], value: int) -> Literal:
        row, column, n = label
        return (row, column, last + 1 - n), value

    # Counting from the other end, and the turns of the board.
    turns = clues.clue_symmetries(neighbours, ())
    symmetries = [backwards, *map(_turn_symmetry, turns)]
    # The check reads the text a second time, and does not use the model.
    is_solution = partial(_obeys, _read_again(board), steps)
    draw = partial(_draw, [*neighbours])
    parameters = {"board": board, "steps": steps}
    return Puzzle("numbrix", parameters, model, holds, symmetries, is_solution, draw, fills=_fills)


def _read_again(board: str) -> set[Cell]:
    """Return the cells of a board, by a second reading of its text.

    board: HxW, or a drawing or its file, in which cells are # or *, else 1, or else all marks.
    """
    size = re.fullmatch("([0-9]+)x([0-9]+)", board)
    if size:
        rows, columns = map(int, size.groups())
        return {*product(range(rows), range(columns))}
    text = board
    if "\n" not in board:
        text = grid.text_of(board, "a board; write HxW")
    drawing = [line.rstrip() for line in text.strip("\n").splitlines()]
    if "" in drawing:  # names of cells may be below an empty line
        drawing = drawing[: drawing.index("")]
    marks = set("".join(drawing)) - {*" .-"}
    inside_marks = {*"#*"} & marks or {"1"} & marks or marks
    return {cell for cell, mark in cells_of(drawing).items() if mark in inside_marks}


def _obeys(cells: Collection[Cell], steps: str, solution: Solution) -> bool:
    """Tell whether a solution is a path through all cells.

    cells: those of the board. steps: sides or corners. solution: 0 or 1 by (row, column, number). The distances of two
    neighbours in rows and columns, sorted, are [0, 1], or [1, 1] if they share a corner only.
    """
    numbers_and_cells = sorted((n, (row, column)) for row, column, n in true_labels(solution))
    numbers = [n for n, _ in numbers_and_cells]
    path = [cell for _, cell in numbers_and_cells]
    wanted = [*range(1, len(cells) + 1)]
    if numbers != wanted or {*path} != cells:
        return False
    allowed = [[0, 1]]
    if steps == "corners":
        allowed.append([1, 1])
    for (r, c), (s, d) in pairwise(path):
        distances = sorted((abs(r - s), abs(c - d)))
        if distances not in allowed:
            return False
    return True


def _draw(cells: Sequence[Cell], solution: Solution) -> Drawing:
    """Draw a solution: the number in each cell."""
    numbers: dict[Cell, str] = {}
    for row, column, n in true_labels(solution):
        numbers[row, column] = str(n)
    texts = {cell: numbers.get(cell, "") for cell in cells}
    return [grid.board_with_texts(texts)]


def _fills(label: tuple[int, int, int], _: int) -> tuple[str, list[Cell]]:
    """Return what a label says: the number, and its cell."""
    row, column, n = label
    return str(n), [(row, column)]


def _turn_symmetry(turn: grid.Turn) -> Symmetry:
    """Return the symmetry that turns the board."""

    def symmetry(label: tuple[int, int, int], value: int) -> Literal:
        return (*turn(label[:2]), label[2]), value

    return symmetry


def _neighbours(board: str, steps: str) -> dict[Cell, list[Cell]]:
    """Return the neighbours of each cell of a board; raise ValueError if the board is not possible.

    board: as in `numbrix`. steps: sides (neighbours share a side) or corners (or only a corner).
    """
    cells = grid.region(board)
    if len(min(cells)) > 2:
        raise ParameterError(f"{grid.name_of(board)} is a box; choose a flat board")
    if len(cells) > MAX_PATH:
        raise ParameterError(f"{grid.name_of(board)} has {len(cells)} cells; choose a board of at most {MAX_PATH}")
    steps_to_neighbours = []
    for step in product((-1, 0, 1), repeat=2):
        lengths = sorted(map(abs, step))
        if lengths == [0, 1] or (lengths == [1, 1] and steps == "corners"):
            steps_to_neighbours.append(step)
    neighbours: dict[Cell, list[Cell]] = {}
    for r, c in sorted(cells):
        around: list[Cell] = [(r + a, c + b) for a, b in steps_to_neighbours]
        neighbours[r, c] = [cell for cell in around if cell in cells]
    return neighbours


def _draft(random: Random, rows: int = 6, columns: int = 6, steps: Choice["sides", "corners"] = "sides") -> Draft:
    """Return a board with a random path.

    rows: how many rows there are.
    columns: how many columns there are.
    steps: whether neighbours share sides, or corners too.
    """
    board = f"{rows}x{columns}"
    neighbours = _neighbours(board, steps)
    path: list[Cell] = []
    for r in range(rows):
        row = [(r, c) for c in range(columns)]
        path += reversed(row) if r % 2 else row
    for _ in range(10 * len(path)):
        # A backbite move: join the end path[0] to a neighbour path[neighbour_index], and reverse the part before that
        # neighbour, so that it stays a path through all cells.
        path = path[:: random.choice((1, -1))]
        neighbour = random.choice(neighbours[path[0]])
        neighbour_index = path.index(neighbour)
        path = [*reversed(path[:neighbour_index]), *path[neighbour_index:]]
    number: dict[Cell, int] = {cell: n for n, cell in enumerate(path, 1)}
    numbers = range(1, len(path) + 1)
    solution = {}
    for cell, n in product(neighbours, numbers):
        solution[*cell, n] = int(number[cell] == n)
    return Draft({"board": board, "steps": steps}, solution)


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the number of each cell as a clue."""
    clues_of_cells = []
    for row, column, n in true_labels(solution):
        clues_of_cells.append(MadeClue((row, column), str(n), literal=((row, column, n), 1)))
    return clues_of_cells


def _with_clues(fixed: Fixed, _: Sequence[MadeClue]) -> dict[str, Any]:
    """Return the parameters of the board; the numbers are given apart."""
    return dict(fixed)


def _line(arguments: Mapping[str, Any], subset: Sequence[MadeClue]) -> str:
    """Return the line that `unique` reads: the content of each cell in reading order, a dot where there is no clue."""
    marks = {clue.place: clue.mark for clue in subset}
    cells = sorted(grid.region(arguments["board"]))
    return " ".join(marks.get(cell, ".") for cell in cells)


MAKING = Making(_draft, _clues_of_solution, _with_clues, line=_line)
"""The additions for puzzles that are made."""
