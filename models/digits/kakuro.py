"""Kakuro: digits in white cells, different in each row or column of them, with the sums that the clues say.

Published by Dell as Cross Sums (J. Funk, 1966).
"""

import re
from collections.abc import Collection, Sequence
from functools import partial
from itertools import groupby, permutations, takewhile
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid
from models.boards.grid import Cell
from models.errors import ParameterError, number_with_unit
from models.pencil.making import Draft, Fixed, MadeClue, Making, number_clues
from models.pencil.second_reading import cells_of, content
from models.puzzle import Drawing, Puzzle, Solution

SEVEN = r"""
#    23\  30\  #     #     27\   12\   16\
\16  .    .    #     17\24 .     .     .
\17  .    .    15\29 .     .     .     .
\35  .    .    .     .     .     12\   #
#    \7   .    .     7\8   .     .     7\
#    11\  10\16 .    .     .     .     .
\21  .    .    .     .     \5    .     .
\6   .    .    .     #     \3    .     .
"""
"""The puzzle of Wikipedia's article, as a drawing: sum down\\sum across, # for a black and . for a white cell."""

CLUE = re.compile(r"(?P<down>[0-9]*)\\(?P<across>[0-9]*)")

Run = tuple[Cell, ...]
"""White cells next to each other in a row or column, from one black cell to the next."""

MAX_CELLS_OF_TABLE = 4
"""The most cells of a run whose digits are given as a table, which rules out more at once than a sum does."""


def kakuro(puzzle: str = SEVEN) -> Puzzle:
    r"""Put digits 1 to 9 in white cells, different in each run between black cells and with the sum before it.

    puzzle: cells with blanks between them, rows divided by / or line breaks, or the file that draws them: . is white, a
        digit is given, # is black, and 16\7 is black with the sum 16 below and the sum 7 to the right.

    Raises ValueError, with a sentence that names the cell, if a clue is not possible.

    >>> kakuro(r"# 4\ 3\ / \4 . . / \3 . .").is_solution({(1, 1): 3, (1, 2): 1, (2, 1): 1, (2, 2): 2})
    True
    """
    cells = _read(puzzle)  # the content of each cell: ., a digit, # or a clue such as 16\7
    white = [cell for cell, word in cells.items() if _is_white(word)]
    # (run, sum or None), where a run is a tuple of white cells.
    sums = _runs_with_sums(cells)
    model = CpModel()
    digit = {cell: model.new_int_var(1, 9, f"digit[{cell}]") for cell in white}
    given = {cell: int(cells[cell]) for cell in white if cells[cell].isdigit()}
    clues.add_given(model, digit, given)
    for run, total in sums:
        place = f"the run of {grid.cell_ranges_from_zero(run)}"
        digits_of_run = [digit[cell] for cell in run]
        _add_run(model, digits_of_run, total, place)

    def draw(digits: Solution) -> Drawing:
        """Draw the sums in the black cells, and the digits that are known."""
        labels = {cell: "" if word == "#" else word for cell, word in cells.items()}
        labels |= {cell: str(digits.get(cell, "")) for cell in white}
        black = {cell: "empty" for cell in cells if cell not in digit}
        return [grid.board_with_texts(labels, colours=black)]

    # The turns that map the clues to each other; a clue is (cells, what it says of them). The digits of a run may be in
    # any order.
    clue_cells: list[clues.Clue] = [(frozenset(run), total) for run, total in sums]
    clue_cells += [(frozenset([cell]), ("digit", cells[cell])) for cell in white]
    turns = clues.clue_symmetries(white, clue_cells)
    symmetries = [clues.cell_symmetry(turn) for turn in turns]
    rows = _read_again(puzzle)
    is_solution = partial(_obeys, rows)
    return Puzzle("kakuro", {"puzzle": puzzle}, model, digit, symmetries, is_solution, draw, fills=clues.in_cell)


def _read_again(puzzle: str) -> list[list[str]]:
    """Return the words of each row, by a second reading of the text; a word is the content of a cell.

    A hyphen or an underscore alone is a white cell, as a dot is.
    """
    text = re.sub(r"(?<!\S)[-_](?!\S)", ".", content(puzzle))
    rows = [row.split() for row in re.split(r"[/\n]", text)]
    return [row for row in rows if row]


def _obeys(rows: Sequence[Sequence[str]], digits: Solution) -> bool:
    """Tell whether digits obey the rules; rows: the content of each cell, see `_read_again`.

    In each line, a run of digits has the sum of the clue in the cell before it, if there is one. digits: the digit in
    each white cell.
    """
    # The board with digits (numbers) in place of white cells; black cells keep their words.
    filled: list[list[Any]] = []
    for r, row in enumerate(rows):
        contents: list[Any] = []
        for c, word in enumerate(row):
            is_white = word == "." or word.isdigit()
            contents.append(digits[r, c] if is_white else word)
        filled.append(contents)
    for (r, c), word in cells_of(rows).items():
        if word.isdigit() and filled[r][c] != int(word):
            return False
    # Of the two numbers of a clue, the second is for rows, and the first for columns.
    lines = [(line, 1) for line in filled]
    lines += [(list(line), 0) for line in zip(*filled, strict=True)]
    wanted = {*range(1, 10)}
    for line, place in lines:
        clue = "#"
        for is_white, stretch in groupby(line, key=lambda content: isinstance(content, int)):
            run = list(stretch)
            if not is_white:
                clue = str(run[-1])
                continue
            down, _, across = clue.partition("\\")
            total = (down, across)[place]
            if total.isdigit() and sum(run) != int(total):
                return False
            distinct = {*run}
            if len(distinct) != len(run) or not distinct <= wanted:
                return False
    return True


def _add_run(model: CpModel, digits: Sequence[IntVar], total: int | None, place: str) -> None:
    """Add to a model that the digits of a run are different, and have the sum that is before it.

    digits: the variables of the run. total: the sum; None for any. place: the run in words.
    """
    if total is not None and len(digits) <= MAX_CELLS_OF_TABLE:
        choices = permutations(range(1, 10), len(digits))
        contents = [numbers for numbers in choices if sum(numbers) == total]
        name = f"{place} has different digits, with sum {total}"
        model.add_allowed_assignments(digits, contents).with_name(name)
        return
    model.add_all_different(digits).with_name(f"{place} has different digits")
    if total is not None:
        model.add(sum(digits) == total).with_name(f"{place} has the sum {total}")


def _is_white(word: str) -> bool:
    """Tell whether the content of a cell, a word, is that of a white cell."""
    return word == "." or word.isdigit()


def _read(puzzle: str) -> dict[Cell, str]:
    """Return the content of each cell: ., # or a digit or a clue; raise ValueError if the text cannot be read."""
    text = clues.text_in(puzzle, r"'# 4\ 3\ / \4 . . / \3 . .'")
    words_of_rows = [row.split() for row in re.split(r"[/\n]", text)]
    rows = [["." if word in ("-", "_") else word for word in words] for words in words_of_rows if words]
    cells = clues.by_cell(rows)
    for number, row in enumerate(rows, 1):
        width = len(row)
        first_width = len(rows[0])
        if width != first_width:
            size = number_with_unit(width, "cells")
            raise ParameterError(f"row {number} has {size}, and row 1 has {first_width}; write each cell")
        if max(number, width) > clues.MAX_SIDE:
            raise ParameterError(f"row {number} is beyond {clues.MAX_SIDE} rows and columns; make the board smaller")
    for cell, word in cells.items():
        if not re.fullmatch("[.#1-9]", word) and not CLUE.fullmatch(word):
            raise ParameterError(
                rf"{clues.cell_name(cell)}: {word!r} is no cell; write ., #, a digit, or sums such as 16\7"
            )
    if not any(map(_is_white, cells.values())):
        raise ParameterError("there is no white cell; write . for each")
    return cells


def _runs_with_sums(cells: dict[Cell, str]) -> list[tuple[Run, int | None]]:
    """Return each run of white cells with its sum, None if no clue says it; raise ValueError if no digits have it.

    A white cell with black ones on both sides is a run of one cell. cells: the content of each cell.
    """
    white = {cell for cell, word in cells.items() if _is_white(word)}
    runs: list[tuple[Run, int | None]] = []
    # A run begins behind a cell that is not white; so those at the upper and left border need black cells before them.
    cells_and_border = {**cells, **_border(cells)}
    distances = range(1, len(cells) + 2)
    for (row, column), word in sorted(cells_and_border.items()):
        clue = CLUE.fullmatch(word)
        place = clues.cell_name((row, column))
        for direction, (down, right) in {"down": (1, 0), "across": (0, 1)}.items():
            # A clue says the sum of the run behind it downwards and to the right; the run ends at a cell that is not
            # white.
            cells_ahead = ((row + n * down, column + n * right) for n in distances)
            run = tuple(takewhile(white.__contains__, cells_ahead))
            text = ""
            if clue:
                text = clue[direction]
            if (row, column) not in white and run:
                total: int | None = None
                if text:
                    total = _read_total(text, len(run), place)
                runs.append((run, total))
            elif text:
                raise ParameterError(f"{place}: no white cell follows the sum {text}; leave it out")
    return runs


def _border(cells: dict[Cell, str]) -> dict[Cell, str]:
    """Return black cells without clues above and left of the board, before runs that begin at its border."""
    last_row, last_column = max(cells)
    border: dict[Cell, str] = {(-1, c): "#" for c in range(last_column + 1)}
    border |= {(r, -1): "#" for r in range(last_row + 1)}
    return border


def _read_total(word: str, length: int, place: str) -> int:
    """Return the sum that a clue says; raise ValueError if so many different digits do not have it.

    length: the number of digits. place: names the cell of the clue. Different digits from 1 on have the least sum,
    those from 9 down the greatest one.
    """
    if length > 9:
        raise ParameterError(f"{place}: {length} white cells follow the sum {word}; no more than 9 digits differ")
    least = sum(range(1, length + 1))
    most = sum(range(10 - length, 10))
    return clues.number_in_range(word, f"{place}, a sum of {length} digits", least, most)


def _draft(random: Random, rows: int = 6, columns: int = 6) -> Draft:
    """Return white cells at random, in runs of 2 to 9.

    rows: how many rows there are, with the first, which is black.
    columns: how many columns there are, with the first, which is black.
    """
    inside = [(r, c) for r in range(1, rows) for c in range(1, columns)]
    white = {*inside}
    for cell in random.sample(inside, len(inside)):
        # A cell becomes black if more than half stay white, and no run of a white neighbour becomes a single cell.
        remaining = white - {cell}
        neighbours = remaining.intersection(grid.neighbours(cell))
        if len(remaining) <= len(inside) // 2:
            continue
        if all(_is_in_long_run(remaining, cell) for cell in neighbours):
            white = remaining
    words = []
    for r in range(rows):
        row = ["." if (r, c) in white else "#" for c in range(columns)]
        words.append(" ".join(row))
    return Draft({"board": " / ".join(words)})


def _is_in_long_run(white: Collection[Cell], cell: Cell) -> bool:
    """Tell whether a white cell has a white neighbour in its row and one in its column.

    white: all white cells.
    """
    r, c = cell
    has_neighbour_in_column = (r - 1, c) in white or (r + 1, c) in white
    has_neighbour_in_row = (r, c - 1) in white or (r, c + 1) in white
    return has_neighbour_in_column and has_neighbour_in_row


def _clues_of_solution(fixed: Fixed, digits: Solution) -> list[MadeClue]:
    """Return each digit as a clue, and the sums, none of which is left out."""
    cells = _read(fixed["board"])
    # For the black cell before a run: [the sum of the run below, the sum of the run to the right], as texts.
    sums: dict[Cell, list[str]] = {}
    for run, _ in _runs_with_sums(cells):
        row, column = run[0]
        is_across = len(run) > 1 and run[1][0] == row
        cell_before = (row - 1, column)
        if is_across:
            cell_before = (row, column - 1)
        total = sum(digits[cell] for cell in run)
        sums.setdefault(cell_before, ["", ""])[is_across] = str(total)
    made_clues = number_clues(digits)
    for cell, texts in sums.items():
        mark = "\\".join(texts)
        made_clues.append(MadeClue(cell, mark))
    return made_clues


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of the puzzle with these digits and sums."""
    cells = _read(fixed["board"])
    cells |= {clue.place: clue.mark for clue in subset}
    rows, columns = clues.size_of(cells)
    lines = []
    for r in range(rows):
        row = [cells[r, c] for c in range(columns)]
        lines.append(" ".join(row))
    return {"puzzle": " / ".join(lines)}


MAKING = Making(_draft, _clues_of_solution, _with_clues)
"""The additions for puzzles that are made."""
