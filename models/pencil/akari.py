"""Akari, or Light Up: lamps that light all cells, and of which none shines on another."""

from collections.abc import Iterable, Mapping
from functools import partial
from random import Random

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid, marks
from models.classics.covering import option_symmetry
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making, count_clues, of_marks
from models.pencil.second_reading import Cell, cells_of, rows_of, side_neighbours
from models.puzzle import Drawing, Puzzle, Solution, true_labels

WIKIPEDIA = (
    "B..B.....B/.......B../.3....0.../..2..B...1/...10B..../....1BB.../B...2..2../...B....B./..1......./0.....1..0"
)
"""The example of the article in Wikipedia."""


def akari(puzzle: str = WIKIPEDIA) -> Puzzle:
    """Put lamps into white cells so that each of these is lit, and no lamp shines on another.

    A lamp shines along its row and column as far as the next black cells. A number in a black cell says how many lamps
    there are next to it, by sides.

    puzzle: rows such as .B./.../.3., where B or # is black; or a game ID of Light Up, such as 3x3:aBe3a, or a file.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # `given.marks` maps each cell that has a mark to its character; `given.cells` are all cells.
    given = marks.read(puzzle, "B#01234", ".B./.../.3. or 3x3:aBe3a")
    white = [cell for cell in given.cells if cell not in given.marks]
    if not white:
        raise ParameterError("the puzzle has no white cell; leave some cells without a mark, as .")
    # Runs of white cells in rows, and in columns.
    runs = [*_runs(white, 0), *_runs(white, 1)]

    model = CpModel()
    lamp = {cell: model.new_bool_var(f"lamp {cell}") for cell in white}
    for run in runs:
        name = f"no lamp shines on another in {grid.cell_ranges_from_zero(run)}"
        model.add_at_most_one(lamp[cell] for cell in run).with_name(name)
    for cell in white:
        cells_in_sight = {other for run in runs if cell in run for other in run}  # with the cell itself
        name = f"{clues.cell_name(cell)} is lit"
        model.add_bool_or(lamp[other] for other in cells_in_sight).with_name(name)
    for cell, mark in given.marks.items():
        if mark.isdigit():
            with clues.rule(model, f"the clue of {clues.cell_name(cell)} is {mark}"):
                lamps_beside = [lamp[near] for near in grid.neighbours(cell) if near in lamp]
                model.add(sum(lamps_beside) == int(mark))

    def draw(solution: Solution) -> Drawing:
        """Draw the black cells with their numbers, and the lamps that are known."""
        labels = {cell: given.marks.get(cell, "").strip("B#") for cell in given.cells}
        colours = dict.fromkeys(labels, "empty") | dict.fromkeys(given.marks, "dark")
        labels |= {cell: "●" for cell in white if solution.get(cell)}
        return [grid.board_with_texts(labels, colours=colours)]

    # The turns that map the marks to marks like them.
    turns = [option_symmetry(turn) for turn in given.turns()]
    # The check reads the text a second time, and does not use the model.
    is_solution = partial(_obeys, cells_of(rows_of(puzzle)))
    return Puzzle("akari", {"puzzle": puzzle}, model, lamp, turns, is_solution, draw, fills=_fills)


def _runs(white: Iterable[grid.Cell], axis: int) -> list[list[grid.Cell]]:
    """Return the runs of white cells in rows (axis 0) or columns (axis 1), each as long as possible.

    white: the white cells.
    """
    lines = sorted(white, key=lambda cell: (cell[axis], cell[1 - axis]))
    # Along a run, the place in the line grows as the number in the list does, so their difference is the same.
    runs: dict[tuple[int, int], list[grid.Cell]] = {}
    for number, cell in enumerate(lines):
        line = cell[axis]
        place = cell[1 - axis]
        runs.setdefault((line, place - number), []).append(cell)
    return list(runs.values())


def _obeys(marks: Mapping[Cell, str], solution: Solution) -> bool:
    """Tell whether lamps obey the rules; marks: the content of each cell, as the text is read a second time.

    A white cell is a dot, and a digit is a black cell with a number. solution: whether there is a lamp in each white
    cell.
    """
    lamps = {*true_labels(solution)}
    for cell, mark in marks.items():
        if mark.isdigit():
            lamps_beside = lamps.intersection(side_neighbours(cell))
            if len(lamps_beside) != int(mark):
                return False
        # A lamp sees no other, and what is no lamp sees one.
        if mark == ".":
            sees_lamp = not lamps.isdisjoint(_in_sight(marks, cell))
            if sees_lamp == (cell in lamps):
                return False
    return all(marks[lamp] == "." for lamp in lamps)


def _in_sight(marks: Mapping[Cell, str], cell: Cell) -> list[Cell]:
    """Return the cells that are seen from a white cell, without itself; marks: the content of each cell."""
    seen: list[Cell] = []
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        r = cell[0] + down
        c = cell[1] + right
        while marks.get((r, c)) == ".":
            seen.append((r, c))
            r, c = r + down, c + right
    return seen


def _fills(cell: grid.Cell, _: int) -> tuple[str, Iterable[grid.Cell]]:
    """Return what a lamp in a cell is called, and the cell."""
    return "●", [cell]


def _draft(random: Random, rows: int = 7, columns: int = 7) -> Draft:
    """Return a board with random black cells, and lamps.

    rows: how many rows there are.
    columns: how many columns there are.
    """
    cells: list[Cell] = [(r, c) for r in range(rows) for c in range(columns)]
    black = {cell for cell in cells if random.random() < 0.25}
    if not black:
        black = {cells[0]}
    marks = {cell: "B" if cell in black else "." for cell in cells}
    dark = [cell for cell in cells if cell not in black]
    solution = dict.fromkeys(cells, 0)
    # Lamps are put into dark cells at random until all cells are lit.
    while dark:
        lamp = random.choice(dark)
        solution[lamp] = 1
        lit = {lamp, *_in_sight(marks, lamp)}
        dark = [cell for cell in dark if cell not in lit]
    black_marks = dict.fromkeys(sorted(black), "B")
    parameters = {"rows": rows, "columns": columns, "marks": black_marks}
    lamps = {c: n for c, n in solution.items() if c not in black}
    return Draft(parameters, lamps)


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the number of each black cell as a clue: how many lamps there are beside it.

    fixed: what `_draft` returns; its "marks" are the black cells. solution: whether there is a lamp, by white cell. The
    words are the name of the constraint in the model.
    """
    counts = {}
    for cell in fixed["marks"]:
        counts[cell] = sum(solution.get(near, 0) for near in grid.neighbours(cell))
    return count_clues(counts)


MAKING = Making(_draft, _clues_of_solution, of_marks)
"""The additions for puzzles that are made."""
