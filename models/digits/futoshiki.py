"""Futoshiki: a Latin square in which signs between neighbours say which number is greater.

Invented by T. Seta (2001). Also called Unequal (S. Tatham).
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import product
from random import Random

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid
from models.boards.grid import Cell
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making, number_clues
from models.pencil.second_reading import content, is_latin_square, numbers_in
from models.puzzle import Drawing, Puzzle, Shape, Solution

FIVE = "5:0R,0,0R,0R,0,4,0,0,0,2,0,0,4,0,0,0,0,0,0,4L,0,0L,0L,0,0"
"""The puzzle of Wikipedia's article."""

STEPS = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}
"""The direction from a cell to the neighbour than which it is greater."""

SIGNS = {"U": "∧", "R": ">", "D": "∨", "L": "<"}
"""The sign between these cells, which is open towards the greater one; for U the greater one is below."""


def futoshiki(puzzle: str = FIVE) -> Puzzle:
    """Put the numbers 1 to n in a square, each once in each row and column, so that all signs are true.

    puzzle: a game ID such as 2:1,0L,0,0: the size, then for each cell its number (0: none) and the letters of those
        neighbours (U, R, D, L: up, right, down, left) than which it is greater; or its file.

    Raises ValueError, with a sentence that names the cell, if a clue is not possible.

    >>> futoshiki("2:1,0L,0,0").is_solution({(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 1})
    True
    """
    # given: the number of a cell, where it is given. greater: pairs of cells, the one with the greater number first.
    side, given, greater = _read(puzzle)
    model = CpModel()
    number = clues.latin_square(model, side, "number")
    clues.add_given(model, number, given)

    # A sign says which of two neighbours is greater.
    for cell, neighbour in greater:
        name = f"{clues.cell_name(cell)} is greater than {clues.cell_name(neighbour)}"
        model.add(number[cell] > number[neighbour]).with_name(name)

    def draw(numbers: Solution) -> Drawing:
        """Draw the signs, and the numbers that are known."""
        labels = {cell: str(numbers.get(cell, "")) for cell in number}
        frame = grid.board_with_texts(labels)
        signs = [_sign(*pair) for pair in greater]
        return [frame.with_shapes(*signs)]

    # The turns that map the clues to each other; a clue is (cells, what it says of them).
    clue_cells: list[clues.Clue] = [(pair, "greater") for pair in greater]
    clue_cells += [((cell,), value) for cell, value in given.items()]
    turns = clues.clue_symmetries(number, clue_cells)
    symmetries = [clues.cell_symmetry(turn) for turn in turns]
    # The check reads the text a second time, and does not use the model.
    parameters = {"puzzle": puzzle}
    side_again, words = _read_again(puzzle)
    is_solution = partial(_obeys, side_again, words)
    return Puzzle("futoshiki", parameters, model, number, symmetries, is_solution, draw, fills=clues.in_cell)


def _read_again(puzzle: str) -> tuple[int, list[tuple[str, str]]]:
    """Return (side, the number and the letters of each cell), by a second reading of the text."""
    size, _, cells = content(puzzle).partition(":")
    side, *_ = numbers_in(size)
    words = re.findall("([0-9]+)([URDL]*)", cells)
    return side, words


def _obeys(side: int, words: Sequence[tuple[str, str]], numbers: Solution) -> bool:
    """Tell whether numbers obey the rules; side, words: see `_read_again`.

    A word is (number, letters): the number, 0 for none, and the letters of the neighbours than which the cell is
    greater. numbers: the number in each cell.
    """
    if not is_latin_square(side, numbers):
        return False
    for place, (given, letters) in enumerate(words):
        r, c = divmod(place, side)
        neighbour = {"U": (r - 1, c), "D": (r + 1, c), "L": (r, c - 1), "R": (r, c + 1)}
        number = numbers[r, c]
        if int(given) not in (0, number):
            return False
        less = [numbers[neighbour[letter]] for letter in letters]
        if any(number <= other for other in less):
            return False
    return True


def _sign(cell: Cell, neighbour: Cell) -> Shape:
    """Return the sign on the wall between two cells; cell: the one with the greater number."""
    row, column = cell
    other_row, other_column = neighbour
    step = other_row - row, other_column - column
    letter = next(name for name in STEPS if STEPS[name] == step)
    middle = (column + other_column + 1) / 2, (row + other_row + 1) / 2
    ring = grid.outline([cell])
    return Shape(ring, "", "sign", outline=False, mark=SIGNS[letter], at=middle)


def _read(puzzle: str) -> tuple[int, dict[Cell, int], list[tuple[Cell, Cell]]]:
    """Return (side, the numbers that are given, pairs of cells, the one with the greater number first).

    Raises ValueError if the text cannot be read. A cell is its number, 0 for none, and letters of `STEPS` for the
    neighbours than which it is greater.
    """
    side, text = clues.of_game_id(puzzle, FIVE)
    if re.match("[0-9]+a", clues.text_in(puzzle, FIVE)):
        raise ParameterError("an a behind the size is for signs between numbers that differ by 1, another puzzle")
    words = [word.strip() for word in text.removesuffix(",").split(",")]
    if len(words) != side**2:
        raise ParameterError(f"a square of {side} has {side**2} cells, and there are {len(words)} between commas")
    given: dict[Cell, int] = {}
    greater: list[tuple[Cell, Cell]] = []
    cells = clues.by_cell([words[start : start + side] for start in range(0, len(words), side)])
    for cell, word in cells.items():
        place = clues.cell_name(cell)
        number = word.rstrip("URDL")
        value = clues.number_in_range(number, place, 0, side)
        if value:
            given[cell] = value
        for letter in word.removeprefix(number):
            neighbour = _neighbour(cell, letter)
            if neighbour not in cells:
                raise ParameterError(f"{place}: there is no neighbour to which {letter} points; leave it out")
            greater.append((cell, neighbour))
    return side, given, greater


def _neighbour(cell: Cell, letter: str) -> Cell:
    """Return the cell, on the board or not, to which a letter of `STEPS` points from a cell."""
    row, column = cell
    down, right = STEPS[letter]
    return row + down, column + right


def _draft(random: Random, side: int = 5) -> Draft:
    """Return an empty square.

    side: how many rows there are.
    """
    return Draft({"side": side})


def _clues_of_solution(fixed: Fixed, numbers: Solution) -> list[MadeClue]:
    """Return each number, and a sign between all neighbours, as a clue.

    A sign is a letter of `STEPS` in the cell with the greater number.
    """
    made_clues = number_clues(numbers)
    for cell, letter in product(numbers, STEPS):
        neighbour = _neighbour(cell, letter)
        if neighbour in numbers and numbers[cell] > numbers[neighbour]:
            words = f"{clues.cell_name(cell)} is greater than {clues.cell_name(neighbour)}"
            made_clues.append(MadeClue(cell, letter, words))
    return made_clues


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of a futoshiki with these clues: a game ID such as 2:1,0L,0,0.

    A cell has its number, 0 for none, and then the letters of its signs. fixed: has the side of the square.
    """
    cells = product(range(fixed["side"]), repeat=2)
    marks_of_cells = [[clue.mark for clue in subset if clue.place == cell] for cell in cells]
    # A digit comes before letters in the order of characters.
    words = []
    for marks in marks_of_cells:
        if not any(map(str.isdigit, marks)):
            marks.append("0")
        words.append("".join(sorted(marks)))
    cells_in_words = ",".join(words)
    return {"puzzle": f"{fixed['side']}:{cells_in_words}"}


MAKING = Making(_draft, _clues_of_solution, _with_clues)
"""The additions for puzzles that are made."""
