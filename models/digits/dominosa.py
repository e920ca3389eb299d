"""Dominosa: find the dominoes of a complete set in a rectangle of numbers. Invented by O. S. Adler (1874)."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement
from random import Random

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid, marks, paths
from models.boards.grid import Cell
from models.errors import ParameterError, number_with_unit
from models.pencil.making import Draft, Fixed, MadeClue, Making, rows_of_marks
from models.pencil.second_reading import cells_of, content
from models.puzzle import Drawing, Puzzle, Solution

SIX = "6:64534023111653105131265602304610364066243140525022325544"
"""A puzzle of S. Tatham's generator."""

EXAMPLE = "2201/0121/0120"


def dominosa(puzzle: str = SIX) -> Puzzle:
    """Divide a rectangle of numbers into dominoes, so that no two dominoes have the same two numbers.

    A set has each two numbers from 0 to n, and each number with itself, on one domino; all of them are laid.

    puzzle: rows of digits, such as 2201/0121/0120, where a number of more digits is in brackets, such as [10]; or a
        game ID, such as 2:220101210120, for n + 1 rows and n + 2 columns; or a file with one of these.

    Raises ValueError, with a sentence that names the number, if the numbers are not those of a set.
    """
    number = _read(puzzle)
    model = CpModel()
    # `paths.edges` returns the pairs of cells that are side by side, each in reading order.
    laid = {edge: model.new_bool_var(f"{edge}") for edge in paths.edges(number)}
    # `edges_at` returns the variables of the edges at each cell; `clues.rule` names the constraints that are added
    # within it.
    for cell, edges_here in paths.edges_at(laid).items():
        with clues.rule(model, f"one domino lies on {clues.cell_name(cell)}"):
            model.add_exactly_one(edges_here)
    # By the two numbers of a domino, the variables of the places that show them.
    places = defaultdict(list)
    for (cell_a, cell_b), is_laid in laid.items():
        low, high = sorted((number[cell_a], number[cell_b]))
        places[low, high].append(is_laid)
    largest = max(number.values())
    for low, high in combinations_with_replacement(range(largest + 1), 2):
        with clues.rule(model, f"the domino {low}-{high} is in one place"):
            model.add_exactly_one(places[low, high])

    def fills(edge: paths.Edge, _: int) -> tuple[str, list[Cell]]:
        low, high = sorted(number[cell] for cell in edge)
        return f"{low}-{high}", list(edge)

    clue_cells = [((cell,), value) for cell, value in number.items()]
    turns = clues.clue_symmetries(number, clue_cells)
    number_again = _read_again(puzzle)
    is_solution = partial(_obeys, number_again)
    draw = partial(_draw, number)
    symmetries = [paths.edge_symmetry(turn) for turn in turns]
    parameters = {"puzzle": puzzle}
    return Puzzle("dominosa", parameters, model, laid, symmetries, is_solution, draw, fills=fills, says=_says_domino)


def _draw(number: Mapping[Cell, int], solution: Solution) -> Drawing:
    """Draw the numbers with borders around the dominoes that are known; number: that of each cell."""
    dominoes = [frozenset(edge) for edge in paths.edges(number.keys()) if solution.get(edge)]
    uncovered = frozenset(number).difference(*dominoes)
    labels = {cell: str(value) for cell, value in number.items()}
    parts = dominoes
    if uncovered:
        parts = [*dominoes, uncovered]
    frame = clues.draw_regions(labels, parts)
    lines = paths.through_middles(solution, number.keys())
    return [frame.with_shapes(*lines)]


def _says_domino(edge: paths.Edge, is_laid: int) -> str:
    """Return in words whether a domino is on two cells."""
    article = "a" if is_laid else "no"
    return f"{article} domino lies on {grid.cell_ranges_from_zero(edge)}"


def _read(puzzle: str) -> dict[Cell, int]:
    """Return the number in each cell; raise ValueError if the text is none, or the numbers are not those of a set.

    A set with the numbers 0 to n has (n + 1)(n + 2) halves, n + 2 of each number. A game ID says n before the colon.
    """
    text = clues.text_in(puzzle, EXAMPLE)
    match = clues.GAME_ID.fullmatch(text)
    if match:
        largest = clues.number_in_range(match["size"], "the greatest number", 0, 48)
        words = _numbers_in_text(match["clues"])
        width = largest + 2  # a game has as many columns, and a row less
        halves = width * (largest + 1)
        if len(words) != halves:
            raise ParameterError(f"a game of {largest} has {halves} numbers, and there are {len(words)}")
        rows = _rows_of_width(words, width)
    else:
        rows = [_numbers_in_text(row) for row in re.split(r"[/\s]+", text) if row]
    number = clues.by_cell(rows)
    width = len(rows[0])
    for place, row in enumerate(rows, 1):
        if len(row) != width:
            raise ParameterError(f"row {place} has {len(row)} numbers, and row 1 has {width}; give equally many")
    largest = max(number.values())
    halves = (largest + 1) * (largest + 2)
    if len(number) > marks.MOST_PENCIL_CELLS or len(number) != halves:
        raise ParameterError(
            f"the numbers 0 to {largest} are on {halves} halves of dominoes, and there are {len(number)}"
        )
    counts = Counter(number.values())
    needed = largest + 2
    for value in range(largest + 1):
        if counts[value] != needed:
            size = number_with_unit(counts[value], "cells")
            raise ParameterError(f"the number {value} stands in {size}; in a set it is on {needed} halves")
    return number


def _rows_of_width(numbers: Sequence[int], width: int) -> list[Sequence[int]]:
    """Return numbers in rows of so many."""
    starts = range(0, len(numbers), width)
    return [numbers[start : start + width] for start in starts]


def _numbers_in_text(text: str) -> list[int]:
    """Return the numbers of a text: digits, and numbers of up to three digits in brackets, such as [10].

    Raises ValueError if there is anything else.
    """
    words = re.findall(r"\[([0-9]{1,3})\]|([0-9])|(.)", text)
    for _, _, other in words:
        if other:
            raise ParameterError(f"{other!r} is no number; write digits, and such as [10], as in {EXAMPLE}")
    if not words:
        raise ParameterError(f"there are no numbers; write such as {EXAMPLE}")
    return [int(long or digit) for long, digit, _ in words]


def _read_again(puzzle: str) -> dict[Cell, int]:
    """Return the number in each cell, by a second reading of the text.

    A game ID such as 2:220101210120 says the greatest number; its rows have two cells more.
    """
    size, colon, cells = content(puzzle).rpartition(":")
    lines = [cells]
    if not colon:
        lines = re.split(r"[\s/]+", cells)
    rows = []
    for line in lines:
        words = re.findall(r"\[[0-9]+\]|[0-9]", line)
        rows.append([word.strip("[]") for word in words])
    if colon:
        (words,) = rows
        width = int(re.sub("[^0-9]", "", size)) + 2
        starts = range(0, len(words), width)
        rows = [words[start : start + width] for start in starts]
    return {cell: int(value) for cell, value in cells_of(rows).items()}


def _obeys(number: dict[Cell, int], solution: Solution) -> bool:
    """Tell whether dominoes obey the rules; number: see `_read_again`.

    Each cell is covered once, and no two dominoes have the same numbers. solution: whether a domino lies on each edge,
    a pair of cells.
    """
    dominoes = [edge for edge, is_laid in solution.items() if is_laid]
    covered = Counter(cell for edge in dominoes for cell in edge)
    numbers = Counter(frozenset(number[cell] for cell in edge) for edge in dominoes)
    if covered != Counter([*number]):
        return False
    return max(numbers.values()) == 1


def _draft(random: Random, most: int = 6) -> Draft:
    """Return a random set of dominoes in a rectangle.

    most: the greatest number on a domino.
    """
    side = clues.number_in_range(str(most), "the greatest number", 1, 9)
    rows = side + 1
    columns = side + 2
    cells = sorted(grid.box(rows, columns))
    laid = _random_tiling(random, rows, columns)
    pairs = [*combinations_with_replacement(range(most + 1), 2)]
    random.shuffle(pairs)
    # Each domino of the tiling gets a pair of numbers, in random order: the number of each cell.
    number = {}
    for edge, pair in zip(laid, pairs, strict=True):
        halves = random.sample(pair, 2)
        for cell, half in zip(edge, halves, strict=True):
            number[cell] = half
    solution = {edge: int(edge in laid) for edge in paths.edges(cells)}
    return Draft({"number": number}, solution)


def _random_tiling(random: Random, rows: int, columns: int) -> list[paths.Edge]:
    """Return dominoes that cover a rectangle, one of whose sides is even, at random.

    They begin in parallel, along an even side; then pairs that fill a square of 2x2 are turned at random.
    """
    down = columns % 2
    right = 1 - down
    starts = [(r, c) for r in range(0, rows, 1 + down) for c in range(0, columns, 1 + right)]
    dominoes: set[paths.Edge] = {((r, c), (r + down, c + right)) for r, c in starts}
    # Two dominoes that fill a square are turned: the exclusive or removes one pair and adds the other.
    for _ in range(20 * rows * columns):
        r = random.randrange(rows - 1)
        c = random.randrange(columns - 1)
        corner, beside, below, opposite = grid.square_at((r, c))
        horizontal_pair = {(corner, beside), (below, opposite)}
        vertical_pair = {(corner, below), (beside, opposite)}
        if horizontal_pair <= dominoes or vertical_pair <= dominoes:
            dominoes ^= horizontal_pair | vertical_pair
    return sorted(dominoes)


def _clues_of_solution(fixed: Fixed, _: Solution) -> list[MadeClue]:
    """Return the number in each cell, none of which can be left out."""
    numbers = sorted(fixed["number"].items())
    return [MadeClue(cell, str(value)) for cell, value in numbers]


def _with_clues(fixed: Fixed, _: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of the puzzle with these numbers."""
    number = fixed["number"]
    rows, columns = max(number)
    marks_of_cells = {cell: str(value) for cell, value in number.items()}
    puzzle = rows_of_marks(rows + 1, columns + 1, marks_of_cells)
    return {"puzzle": puzzle}


def _change(random: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft:
    """Return the tiling with the numbers of two dominoes exchanged, so that most of the other solutions become wrong.

    Thirty exchanges are tried at random; one of the two dominoes is where the last of the rivals has none. fixed: has
    the number of each cell. solution: the tiling, which stays. rivals: the other tilings that the numbers so far leave.
    """
    number: dict[Cell, int] = fixed["number"]
    laid = [edge for edge, is_laid in solution.items() if is_laid]
    wrong = [edge for edge in laid if not rivals[-1][edge]]
    drafts = []
    for _ in range(30):
        edge = random.choice(wrong)
        other = random.choice(laid)
        turned_edge = random.sample(edge, 2)
        halves = [number[cell] for cell in (*other, *turned_edge)]
        exchanged = dict(zip([*edge, *other], halves, strict=True))
        drafts.append({**number, **exchanged})

    def count_remaining(draft: dict[Cell, int]) -> int:
        return sum(_obeys(draft, rival) for rival in rivals)

    chosen = min(drafts, key=count_remaining)
    return Draft({"number": chosen}, solution)


MAKING = Making(_draft, _clues_of_solution, _with_clues, _change)
"""The additions for puzzles that are made."""
