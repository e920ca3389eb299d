"""Slitherlink: one loop along the sides of cells, of which numbers count the sides."""

import re
from collections.abc import Mapping
from functools import partial
from random import Random

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid, marks, paths
from models.errors import ParameterError
from models.pencil.making import (
    Draft,
    Fixed,
    MadeClue,
    Making,
    border_edges,
    count_clues,
    loop_cuts,
    of_marks,
    random_disc,
)
from models.pencil.second_reading import Cell, cells_of, rows_of
from models.puzzle import Drawing, Puzzle, Shape, Solution, true_labels

WIKIPEDIA = "....0./33..1./..12../..20../.1..11/.2...."
"""The example of the article in Wikipedia."""


def slitherlink(puzzle: str = WIKIPEDIA) -> Puzzle:
    """Draw one loop along the sides of cells. A number in a cell says how many of its sides belong to the loop.

    The loop does not touch or cross itself.

    puzzle: rows such as 2../3.0/..., or a game ID of Loopy on squares, such as 5x5t0:..., or a file with one.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # `given.marks` maps each cell that has a mark to its character; `given.cells` are all cells.
    given = marks.read(puzzle, "01234", "2../3.0/... or 3x3t0:2b3a0c")
    if not re.match(r"(t0)?([^t0-9]|$)", given.variant):
        kind = repr(given.variant)
        raise ParameterError(f"{kind} behind the size is for cells that are not squares; give a game of type t0")
    corners = grid.box(given.rows + 1, given.columns + 1)

    model = CpModel()
    # A line lies between two corners (row, column) that are side by side.
    line = {edge: model.new_bool_var(f"{edge}") for edge in paths.edges(corners)}
    # The lines that are drawn form one loop; the words name a corner in the names of constraints.
    paths.add_one_loop(model, line, partial(_corner_in_words, given))
    for cell, number in given.marks.items():
        with clues.rule(model, f"the clue of {clues.cell_name(cell)} is {number}"):
            lines_here = [line[side] for side in _sides(cell)]
            model.add(sum(lines_here) == int(number))

    def draw(solution: Solution) -> Drawing:
        """Draw the numbers, and the sides of cells that are known."""
        labels = {cell: given.marks.get(cell, "") for cell in given.cells}
        page = paths.paper(labels)
        dots = [paths.disc((x, y), 0.06, "black", mark="·") for y, x in sorted(corners)]
        lines = [_draw_side(edge) for edge in true_labels(solution)]
        return [page.with_shapes(*dots, *lines)]

    # The turns of the corners that map the numbers to each other.
    turns = [paths.edge_symmetry(turn) for turn in given.turns(more=1)]
    says = partial(_edge_in_words, given)
    # The check reads the text a second time, and does not use the model.
    marks_again = cells_of(rows_of(puzzle))
    is_solution = partial(_obeys, marks_again)
    return Puzzle("slitherlink", {"puzzle": puzzle}, model, line, turns, is_solution, draw, says=says)


def _corner_in_words(given: marks.Clues, corner: grid.Cell) -> str:
    """Return a corner of cells in words; given: gives the number of rows and columns."""
    row, column = corner
    # A corner at the lower or right border belongs to the last cells.
    beside = _nearest_cell(given, corner)
    vertical = "upper"
    if row == given.rows:
        vertical = "lower"
    horizontal = "left"
    if column == given.columns:
        horizontal = "right"
    return f"the {vertical} {horizontal} corner of {clues.cell_name(beside)}"


def _nearest_cell(given: marks.Clues, corner: grid.Cell) -> grid.Cell:
    """Return the cell that begins at a corner, or a last cell of the board that ends there; given: the board."""
    row, column = corner
    return min(row, given.rows - 1), min(column, given.columns - 1)


def _edge_in_words(given: marks.Clues, edge: paths.Edge, is_drawn: int) -> str:
    """Return in words whether a side of a cell belongs to the loop; given: gives the number of rows and columns.

    A line at the lower or right border is below or right of the last cells. edge: its two corners (row, column).
    """
    start, (other_row, _) = edge
    row, column = start
    line = "a line lies" if is_drawn else "no line lies"
    # The last cells are above or left of the border.
    cell = _nearest_cell(given, start)
    if row == other_row:
        side = "below" if row == given.rows else "above"
    else:
        side = "right of" if column == given.columns else "left of"
    return f"{line} {side} {clues.cell_name(cell)}"


def _obeys(marks: Mapping[Cell, str], solution: Solution) -> bool:
    """Tell whether a loop obeys the rules; marks: the content of each cell, as the text is read a second time.

    solution: whether the loop takes each edge between two corners (row, column); the corners of cell (r, c) begin with
    (r, c).
    """
    taken = {*true_labels(solution)}
    for (r, c), mark in marks.items():
        if mark == ".":
            continue
        horizontal_sides = [((row, c), (row, c + 1)) for row in (r, r + 1)]
        vertical_sides = [((r, column), (r + 1, column)) for column in (c, c + 1)]
        sides = taken.intersection(horizontal_sides + vertical_sides)
        if len(sides) != int(mark):
            return False
    return paths.is_one_loop(taken)


def _draw_side(edge: paths.Edge) -> Shape:
    """Draw the line between two corners (row, column)."""
    (y, x), (v, u) = edge
    middle = (x + u) / 2, (y + v) / 2
    return paths.line_with_sign((x, y), (u, v), middle)


def _sides(cell: grid.Cell) -> list[paths.Edge]:
    """Return the four sides of a cell, each between two corners."""
    return paths.edges(grid.square_at(cell))


def _draft(random: Random, rows: int = 7, columns: int = 7) -> Draft:
    """Return a board with a random loop.

    rows: how many rows of cells there are.
    columns: how many columns of cells there are.
    """
    # The loop is the border of a random set of cells.
    inside = random_disc(random, rows, columns)
    edges = border_edges(inside)
    corners = grid.box(rows + 1, columns + 1)
    solution = {edge: int(edge in edges) for edge in paths.edges(corners)}
    return Draft({"rows": rows, "columns": columns}, solution)


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the number of each cell as a clue.

    fixed: the numbers of rows and columns. solution: whether the loop takes each edge. The words are the name of the
    constraint in the model.
    """
    counts = {}
    cells = sorted(grid.box(fixed["rows"], fixed["columns"]))
    for cell in cells:
        counts[cell] = sum(solution[side] for side in _sides(cell))
    return count_clues(counts)


MAKING = Making(_draft, _clues_of_solution, of_marks, lazy=(paths.ONE_LOOP,), cuts=loop_cuts)
"""The additions for puzzles that are made."""
