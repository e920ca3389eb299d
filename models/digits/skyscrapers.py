"""Skyscrapers: fill a square with houses of different heights; clues say how many houses are seen from its sides.

First seen at the World Puzzle Championship of 1992. Also called Towers (S. Tatham).
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import product
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid
from models.boards.grid import Cell
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making, number_clues
from models.pencil.second_reading import content, is_latin_square, numbers_in
from models.puzzle import Drawing, Puzzle, Solution

FOUR = "4:2/2/1/3/3/2/2/1/3/1/2/3/2/2/3/1"
"""A puzzle of Codewars (4 By 4 Skyscrapers)."""

SIDES = ("above column", "below column", "left of row", "right of row")
"""The sides of the square, in the order of the clues."""

Sight = tuple[Cell, ...]
"""The cells of a row or column, in the order in which somebody at its end looks along it."""


def skyscrapers(puzzle: str = FOUR) -> Puzzle:
    """Put houses of heights 1 to n in a square, each once in each row and column, and see as many as clues say.

    A house hides the lower ones behind it.

    puzzle: a game ID such as 3:3/2/1/1/2/2/3/2/1/1/2/2: the size, then the clues above, below, left and right, any of
        which may be empty; behind a comma the heights that are given; or its file.

    Raises ValueError, with a sentence that names the clue, if it is not possible.

    >>> puzzle = skyscrapers("2:2///////")
    >>> puzzle.is_solution({(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 1})
    True
    """
    # houses_seen: by the cells of a line, the nearest first, its clue. given: the height of a cell, where it is given.
    side, houses_seen, given = _read(puzzle)
    model = CpModel()
    height = clues.latin_square(model, side, "height")
    clues.add_given(model, height, given)

    # From a side with a clue, so many houses are seen.
    for sight, clue in houses_seen.items():
        # `clues.rule` names the constraints that are added within it.
        with clues.rule(model, f"the clue {_side(sight)} is {clue}"):
            heights_along = [height[cell] for cell in sight]
            _add_sight(model, heights_along, clue)

    def draw(heights: Solution) -> Drawing:
        """Draw the clues around the square, and the heights that are known."""
        labels = {cell: str(heights.get(cell, "")) for cell in height}
        frame = grid.board_with_texts(labels)
        outer_clues = {_viewpoint(sight): str(clue) for sight, clue in houses_seen.items()}
        return [clues.frame_with_outer_clues(frame, outer_clues, side, side)]

    # The turns that map the clues to each other; a clue is (cells, what it says of them).
    clue_cells: list[clues.Clue] = [*houses_seen.items()]
    clue_cells += [((cell,), ("height", value)) for cell, value in given.items()]
    turns = clues.clue_symmetries(height, clue_cells)
    symmetries = [clues.cell_symmetry(turn) for turn in turns]
    is_solution = partial(_obeys, *_read_again(puzzle))
    return Puzzle("skyscrapers", {"puzzle": puzzle}, model, height, symmetries, is_solution, draw, fills=clues.in_cell)


def _add_sight(model: CpModel, line: list[IntVar], clue: int) -> None:
    """Add to the model that so many houses of a line are seen: those that are higher than all before them.

    The first house is always seen. No two heights in a line are equal, so that a house is higher or lower than the
    highest before it. line: the heights, the nearest first. clue: how many are seen.
    """
    highest = line[0]
    rises: list[IntVar] = []
    for house in line[1:]:
        rise = model.new_bool_var("")
        higher = model.new_int_var(1, len(line), "")
        model.add(house > highest).only_enforce_if(rise)
        model.add(house < highest).only_enforce_if(~rise)
        model.add_max_equality(higher, [highest, house])
        highest = higher
        rises.append(rise)
    model.add(1 + sum(rises) == clue)


def _read_again(puzzle: str) -> tuple[int, list[str], list[str]]:
    """Return (side, the clues around the square, what is given in each cell), by a second reading of the text.

    The clues come side by side in the order of `SIDES`. Behind a comma are the heights that are given, with letters for
    empty cells: a for one, b for two and so on.
    """
    size, _, remaining = content(puzzle).partition(":")
    around, _, inside = remaining.partition(",")
    cells: list[str] = []
    for word in re.findall("[a-z]|[0-9]+", inside):
        if word.isdigit():
            cells.append(word)
        else:
            cells += [""] * (ord(word) - 96)
    words = [word.strip() for word in around.split("/")]
    side, *_ = numbers_in(size)
    return side, words, cells


def _obeys(side: int, around: Sequence[str], inside: Sequence[str], heights: Solution) -> bool:
    """Tell whether heights obey the rules; side, around, inside: see `_read_again`.

    A line is looked along from each end; a house is seen if it is higher than all before it. heights: the height in
    each cell.
    """
    along = range(side)
    rows = [tuple(heights[r, c] for c in along) for r in along]
    columns = [*zip(*rows, strict=True)]
    houses_seen = [_count_seen(line) for line in _both_ways(columns, rows)]
    if not is_latin_square(side, heights):
        return False
    for word, number in zip(_strip_zeros(around), houses_seen, strict=True):
        if word not in ("", str(number)):
            return False
    for place, word in enumerate(_strip_zeros(inside)):
        row, column = divmod(place, side)
        if word not in ("", str(heights[row, column])):
            return False
    return True


def _both_ways(columns: Sequence[tuple[Any, ...]], rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the lines of a square in the order of `SIDES`: each also backwards, as it is seen from its other end."""
    lines: list[tuple[Any, ...]] = []
    for parallel_lines in (columns, rows):
        lines += parallel_lines
        lines += [line[::-1] for line in parallel_lines]
    return lines


def _count_seen(line: Sequence[int]) -> int:
    """Return how many houses of a line are seen; line: their heights, the nearest first."""
    seen = 0
    highest = 0
    for house in line:
        seen += house > highest
        highest = max(highest, house)
    return seen


def _strip_zeros(words: Sequence[str]) -> list[str]:
    """Return numbers, or empty texts, without zeros in front."""
    return [word.lstrip("0") for word in words]


def _side(sight: Sight) -> str:
    """Return in words from where somebody looks along a line, such as "above column 1".

    sight: the cells of the line, the nearest first.
    """
    (row, column), (second_row, second_column), *_ = sight
    if column == second_column:
        side = SIDES[row > second_row]
        return f"{side} {column + 1}"
    side = SIDES[2 + (column > second_column)]
    return f"{side} {row + 1}"


def _viewpoint(sight: Sight) -> Cell:
    """Return the place outside the board from which somebody looks along a line: the first cell, less one step."""
    (row, column), (second_row, second_column), *_ = sight
    return 2 * row - second_row, 2 * column - second_column


def _read(puzzle: str) -> tuple[int, dict[Sight, int], dict[Cell, int]]:
    """Return (side, how many houses are seen along lines, heights that are given).

    A line is the tuple of its cells, the nearest first; a line without a clue is left out. The clues are in the order
    of `SIDES`. Raises ValueError if the text cannot be read.
    """
    side, text = clues.of_game_id(puzzle, FOUR, least=2)
    outer_clues, _, inside = text.partition(",")
    words = outer_clues.split("/")
    clue_count = 4 * side
    if len(words) != clue_count:
        raise ParameterError(f"a square of {side} has {clue_count} clues around it, and there are {len(words)}")
    along = range(side)
    columns = [tuple((r, i) for r in along) for i in along]
    rows = [tuple((i, c) for c in along) for i in along]
    sights = _both_ways(columns, rows)
    clue_names = [f"the clue {side_name} {i + 1}" for side_name in SIDES for i in along]
    houses_seen: dict[Sight, int] = {}
    for sight, clue_name, word in zip(sights, clue_names, words, strict=True):
        if word.strip():
            houses_seen[sight] = clues.number_in_range(word, clue_name, 1, side)
    given: dict[Cell, int] = {}
    if inside:
        given = clues.contents(inside, side)
    return side, houses_seen, given


def _draft(random: Random, side: int = 5) -> Draft:
    """Return an empty square.

    side: how many rows there are.
    """
    return Draft({"side": side})


def _clues_of_solution(fixed: Fixed, heights: Solution) -> list[MadeClue]:
    """Return each height, and how many houses are seen from each place around the square, as a clue.

    fixed: has the side of the square. heights: the height in each cell. The place of an outer clue is a cell beside the
    board, such as (-1, 0) above the first column.
    """
    height_clues = number_clues(heights)
    side = fixed["side"]
    along = range(side)
    columns = [tuple(heights[r, c] for r in along) for c in along]
    rows = [tuple(heights[r, c] for c in along) for r in along]
    lines = _both_ways(columns, rows)
    titles = [f"{side_name} {n + 1}" for side_name in SIDES for n in along]
    for place, title, line in zip(_places_around(side), titles, lines, strict=True):
        seen = _count_seen(line)
        name = f"the clue {title} is {seen}"
        height_clues.append(MadeClue(place, str(seen), name))
    return height_clues


def _places_around(side: int) -> list[Cell]:
    """Return the places of the clues around a square, beside its lines, in the order of `SIDES`."""
    along = range(side)
    above = [(-1, n) for n in along]
    below = [(side, n) for n in along]
    left = [(n, -1) for n in along]
    right = [(n, side) for n in along]
    return [*above, *below, *left, *right]


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of the puzzle with these clues.

    It is a game ID: the size, the clues around the square, and behind a comma the heights, where a letter a is an empty
    cell.
    """
    side = fixed["side"]
    marks = {clue.place: clue.mark for clue in subset}
    cells = [*product(range(side), repeat=2)]
    # Numbers have _ between them, and none beside the letters of empty cells or at the ends.
    inside = "".join(f"_{marks[cell]}_" if cell in marks else "a" for cell in cells)
    inside = re.sub("_(?=a)|(?<=a)_|^_|_$", "", inside.replace("__", "_"))
    around = "/".join(marks.get(place, "") for place in _places_around(side))
    if marks.keys().isdisjoint(cells):
        return {"puzzle": f"{side}:{around}"}
    return {"puzzle": f"{side}:{around},{inside}"}


MAKING = Making(_draft, _clues_of_solution, _with_clues)
"""The additions for puzzles that are made."""
