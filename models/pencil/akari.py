"""Akari, or Light Up: lamps that light all cells, and of which none shines on another."""

from collections.abc import Container, Iterable
from itertools import groupby

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid, marks
from models.classics.covering import moved
from models.errors import ParameterError
from models.puzzle import Drawing, Puzzle, Solution

WIKIPEDIA = (
    "B..B.....B/.......B../.3....0.../..2..B...1/...10B..../....1BB.../B...2..2../...B....B./..1......./0.....1..0"
)
"""The example of the article in Wikipedia."""


def akari(puzzle: str = WIKIPEDIA) -> Puzzle:
    """Put lamps into white cells so that each of these is lit, and no lamp shines on another.

    A lamp shines along its row and column as far as the next black cells. A number in a black cell says how many lamps
    there are next to it, by sides.

    puzzle: rows such as ..B/.1./..., where B or # is black; or a game ID of Light Up, such as 3x3:bBa1d, or a file.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    given = marks.read(puzzle, "B#01234", "..B/.1./... or 3x3:bBa1d")
    white = [cell for cell in given.cells if cell not in given.marks]
    if not white:
        raise ParameterError("the puzzle has no white cell; leave some cells without a mark, as .")
    runs = [*_runs(white, 0), *_runs(white, 1)]

    model = CpModel()
    lamp = {cell: model.new_bool_var(f"lamp {cell}") for cell in white}
    for run in runs:
        model.add_at_most_one(lamp[cell] for cell in run).with_name(f"no lamp shines on another in {grid.listed(run)}")
    for cell in white:
        model.add_bool_or(lamp[seen] for seen in {seen for run in runs if cell in run for seen in run}).with_name(
            f"{clues.at(cell)} is lit"
        )
    for cell, mark in given.marks.items():
        if mark.isdigit():
            model.add(sum(lamp[near] for near in grid.neighbours(cell) if near in lamp) == int(mark)).with_name(
                f"the clue of {clues.at(cell)} is {mark}"
            )

    def is_solution(solution: Solution) -> bool:
        lamps = {cell for cell, is_there in solution.items() if is_there}
        rays = [ray for one in lamps for ray in _rays(one, lamp)]
        beside = {cell: len(lamps.intersection(grid.neighbours(cell))) for cell in given.marks}
        counts = all(beside[cell] == int(mark) for cell, mark in given.marks.items() if mark.isdigit())
        return counts and lamps.isdisjoint(rays) and lamps.union(rays) == {*white}

    def draw(solution: Solution) -> Drawing:
        labels = {cell: given.marks.get(cell, "").strip("B#") for cell in given.cells}
        colours = dict.fromkeys(labels, "empty") | dict.fromkeys(given.marks, "dark")
        labels |= {cell: "●" for cell in white if solution.get(cell)}
        return [grid.labelled(labels, colours=colours)]

    turns = [moved(turn) for turn in given.turns()]
    return Puzzle("akari", {"puzzle": puzzle}, model, lamp, turns, is_solution, draw, fills=_fills)


def _runs(white: Iterable[grid.Cell], axis: int) -> list[list[grid.Cell]]:
    """Return the runs of white cells in rows (axis 0) or columns (axis 1), each as long as possible."""
    lines = sorted(white, key=lambda cell: (cell[axis], cell[1 - axis]))
    numbered = enumerate(lines)
    # Along a run, the place in the line grows as the number does.
    grouped = groupby(numbered, key=lambda one: (one[1][axis], one[1][1 - axis] - one[0]))
    return [[cell for _, cell in run] for _, run in grouped]


def _rays(lamp: grid.Cell, white: Container[grid.Cell]) -> list[grid.Cell]:
    """Return the cells on which a lamp shines, without its own; white: the cells that are not black."""
    lit: list[grid.Cell] = []
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        cell = lamp[0] + down, lamp[1] + right
        while cell in white:
            lit.append(cell)
            cell = cell[0] + down, cell[1] + right
    return lit


def _fills(cell: grid.Cell, _: int) -> tuple[str, Iterable[grid.Cell]]:
    """Return what a lamp in a cell is called, and the cell."""
    return "●", [cell]
