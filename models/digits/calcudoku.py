"""Calcudoku: a Latin square with cages, whose numbers have a given sum, difference, product or ratio.

Invented by T. Miyamoto as KenKen (2004). Also called Mathdoku, and Keen (S. Tatham).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from math import prod
from random import Random
from typing import NamedTuple

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid
from models.boards.grid import Cell
from models.errors import ParameterError, number_with_unit
from models.pencil.making import (
    LETTERS,
    Draft,
    Fixed,
    MadeClue,
    Making,
    random_latin_square,
    random_parts,
    rows_of_marks,
)
from models.pencil.second_reading import cells_of, content, is_latin_square
from models.puzzle import Drawing, Puzzle, Solution

EXAMPLE = "AAB/CDB/CDD A=2x B=1- C=5+ D=3x"
"""A puzzle with one solution."""

SIX = "6:_a_10ba_ba_aa_aa__a_3a__aa_a__b__a,s1s3d2m3m30m6s2s1m96m6s4a6d2d3a7a6a6"
"""A puzzle of S. Tatham's generator."""

OPERATIONS = {"+": "sum", "-": "difference", "x": "product", "/": "ratio"}
"""What a number with each sign is."""

GAME_SIGNS = {"a": "+", "s": "-", "m": "x", "d": "/"}
"""The sign for each letter of a game ID."""

OTHER_SIGNS = {"*": "x", "×": "x", "−": "-", "÷": "/"}
"""The sign that others represent."""

MAX_CALCUDOKU_SIDE = 16
"""The greatest side of a square; products of larger ones are beyond what solvers list."""

MAX_TRIED_SUMS = 10_000
"""The most lists of numbers that are tried to write a sum as a table."""


class CageWithResult(NamedTuple):
    """Cells whose numbers have a given sum, difference, product or ratio."""

    cells: list[Cell]
    sign: str
    number: int

    @property
    def label(self) -> str:
        """The number with its sign, as puzzles show it: 6+; without a sign for one cell."""
        if len(self.cells) == 1:
            return str(self.number)
        return f"{self.number}{self.sign}"


def calcudoku(puzzle: str = SIX) -> Puzzle:
    """Put the numbers 1 to n in a square, each once in each row and column; each cage has the result that it shows.

    A difference or a ratio is that of two numbers, the less from or in the greater.

    puzzle: the cage of each cell as a letter, and the result of each cage, such as AAB/CDB/CDD A=2x B=1- C=5+ D=3x; or
        a game ID of Keen, such as 3:b__ab_a,a7m3m12; or a file with one of these.

    Raises ValueError, with a sentence that names the cage, if a clue is not possible.

    >>> calcudoku("AA/BB A=1- B=2x").is_solution({(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 1})
    True
    """
    # A cage has its cells, the sign of its operation and its result.
    side, cages = _read(puzzle)
    along = range(side)
    model = CpModel()
    cells = product(along, repeat=2)
    number = {cell: model.new_int_var(1, side, f"number[{cell}]") for cell in cells}
    for i in along:
        name = f"row {i + 1} has each number once"
        model.add_all_different(number[i, c] for c in along).with_name(name)
        name = f"column {i + 1} has each number once"
        model.add_all_different(number[r, i] for r in along).with_name(name)
    for cage in cages:
        numbers_of_cage = [number[cell] for cell in cage.cells]
        _add_cage(model, numbers_of_cage, cage, side)

    def draw(numbers: Solution) -> Drawing:
        """Draw the cages with their results, and the numbers that are known."""
        labels = {cell: str(numbers.get(cell, "")) for cell in number}
        regions = [cage.cells for cage in cages]
        frame = clues.draw_regions(labels, regions)
        results = [clues.corner_text(cage.cells[0], cage.label) for cage in cages]
        return [frame._replace(shapes=[*results, *frame.shapes])]

    # The turns that map the clues to each other; a clue is (cells, what it says of them).
    labelled_cages = [(frozenset(cage.cells), cage.label) for cage in cages]
    turns = clues.clue_symmetries(number, labelled_cages)
    symmetries = [clues.cell_symmetry(turn) for turn in turns]
    # The check reads the text a second time, and does not use the model.
    side_again, cages_again = _read_again(puzzle)
    is_solution = partial(_obeys, side_again, cages_again)
    return Puzzle("calcudoku", {"puzzle": puzzle}, model, number, symmetries, is_solution, draw, fills=clues.in_cell)


def _add_cage(model: CpModel, numbers: Sequence[IntVar], cage: CageWithResult, side: int) -> None:
    """Add to a model that the numbers of a cage have its result; numbers: the variables of its cells."""
    place = grid.cell_ranges_from_zero(cage.cells)
    name = f"the {OPERATIONS[cage.sign]} of {place} is {cage.number}"
    if cage.sign == "+" and side ** len(numbers) > MAX_TRIED_SUMS:
        model.add(sum(numbers) == cage.number).with_name(name)
        return
    # A table rules out more at once than a sum does; `_contents` returns all lists of numbers with the result.
    if len(numbers) > 1:
        name += ", of numbers that differ in each line"
    contents = _contents(cage, side)
    model.add_allowed_assignments(numbers, contents).with_name(name)


def _contents(cage: CageWithResult, side: int) -> list[tuple[int, ...]]:
    """Return all lists of numbers, each from 1 to the side, for the cells of a cage; in a line each number is once.

    cage: its sign is one of `OPERATIONS`. The lists grow cell by cell.

    >>> _contents(CageWithResult([(0, 0), (0, 1)], "x", 4), 4)
    [(1, 4), (4, 1)]
    """
    contents: list[tuple[int, ...]] = [()]
    for place, (row, column) in enumerate(cage.cells):
        # The places, in the list of cells, of earlier cells in the same row or column.
        earlier_cells = cage.cells[:place]
        places_in_line = [n for n, (r, c) in enumerate(earlier_cells) if r == row or c == column]
        longer: list[tuple[int, ...]] = []
        for numbers in contents:
            for number in range(1, side + 1):
                if any(numbers[n] == number for n in places_in_line):
                    continue
                # Each part of a product divides it, which keeps the lists few.
                if cage.sign != "x" or cage.number % (prod(numbers) * number) == 0:
                    longer.append((*numbers, number))
        contents = longer
    return [numbers for numbers in contents if _has_result(cage, numbers)]


def _has_result(cage: CageWithResult, numbers: Sequence[int]) -> bool:
    """Tell whether numbers have the result of a cage; a difference or a ratio is that of exactly two numbers."""
    if cage.sign == "+":
        return sum(numbers) == cage.number
    if cage.sign == "x":
        return prod(numbers) == cage.number
    # A cage with - or / has two cells.
    low, high = sorted(numbers)
    if cage.sign == "-":
        return high == low + cage.number
    return high == low * cage.number


def _read(puzzle: str) -> tuple[int, list[CageWithResult]]:
    """Return (side, the cages in the order of their first cells); raise ValueError if the text is wrong.

    A difference or a ratio has two cells, and the cells of a cage are connected.
    """
    text = clues.text_in(puzzle, EXAMPLE)
    read = _read_letters
    if ":" in text:
        read = _read_game
    side, cages = read(text)
    for cage in cages:
        place = grid.cell_ranges_from_zero(cage.cells)
        size = len(cage.cells)
        if cage.sign in "-/" and size != 2:
            raise ParameterError(f"{place}: a {OPERATIONS[cage.sign]} is that of 2 cells, not of {size}")
        parts = grid.components(frozenset(cage.cells))
        if len(parts) > 1:
            raise ParameterError(f"{place}: the cage is not connected; give each cage a letter of its own")
    return side, cages


def _read_letters(text: str) -> tuple[int, list[CageWithResult]]:
    """Return (side, the cages in the order of their first cells) of a text such as AAB/CDB/CDD A=2x B=1- C=5+ D=3x.

    It has the letter of each cell's cage, by rows, and then the result of each cage. A cage of one cell needs no sign.
    Raises ValueError if the text is wrong.
    """
    # The / of a ratio becomes another sign first, so that / only divides rows.
    text_with_ratios = re.sub(r"(=[0-9]+)/", r"\1÷", text)
    words = re.split(r"[\s/]+", text_with_ratios)
    rows = "/".join(word for word in words if "=" not in word)
    letters = clues.cell_letters(rows, "the board")
    side = _side_of_square(letters)
    # For each letter: (number, sign), where a sign that is written otherwise becomes + - x or /.
    results: dict[str, tuple[int, str]] = {}
    words_of_results = [word for word in words if "=" in word]
    for word in words_of_results:
        match = re.fullmatch(r"(.)=([0-9]{1,9})([-+−x*×÷]?)", word)
        if not match or match[1] not in letters.values() or match[1] in results:
            raise ParameterError(f"{word.replace('÷', '/')!r} gives no cage its result; write such as A=6+, once")
        letter, digits, sign = match.groups()
        results[letter] = int(digits), OTHER_SIGNS.get(sign, sign)
    cages = []
    for letter, cells in clues.parts_of(letters).items():
        if letter not in results:
            raise ParameterError(f"the cage {letter} has no result; write such as {letter}=6+")
        number, sign = results[letter]
        if not sign and len(cells) > 1:
            raise ParameterError(f"the result of cage {letter} has no sign; write such as {letter}={number}+")
        cages.append(CageWithResult(sorted(cells), sign or "+", number))
    return side, cages


def _side_of_square(cells: Mapping[Cell, str]) -> int:
    """Return the side of a square of cells; raise ValueError if they are none."""
    rows, columns = clues.size_of(cells)
    if rows != columns or rows > MAX_CALCUDOKU_SIDE:
        size_of_rows = number_with_unit(rows, "rows")
        size_of_columns = number_with_unit(columns, "columns")
        raise ParameterError(
            f"the board has {size_of_rows} and {size_of_columns}; give a square of 1 to {MAX_CALCUDOKU_SIDE}"
        )
    return rows


def _read_game(text: str) -> tuple[int, list[CageWithResult]]:
    """Return (side, the cages in the order of their first cells) of a game ID such as 3:b__ab_a,a7m3m12.

    It has the size, the walls between cells (see `_walls`) and, for each cage, the letter of an operation and a number.
    Raises ValueError if the text is wrong.
    """
    side, remaining = clues.of_game_id(text, SIX)
    if side > MAX_CALCUDOKU_SIDE:
        raise ParameterError(f"a square of {side} is too large; give one of 1 to {MAX_CALCUDOKU_SIDE}")
    walls, comma, results = remaining.partition(",")
    if not comma:
        raise ParameterError(f"the game ID has no comma before its results; write such as {SIX}")
    # Between the cells of a square there are side - 1 borders in each row, and as many in each column.
    border_count = 2 * side * (side - 1)
    wall_signs = list(_walls(walls, border_count))
    cages = _parts_between(wall_signs, side)
    words = re.findall("([asmd])([0-9]{1,9})", results)
    known = "".join(letter + number for letter, number in words)
    if known != results or len(words) != len(cages):
        raise ParameterError(f"the game ID has {len(cages)} cages and {len(words)} results such as a7 after the comma")
    cages_with_results = []
    for cells, (letter, number) in zip(cages, words, strict=True):
        cage = CageWithResult(cells, GAME_SIGNS[letter], int(number))
        cages_with_results.append(cage)
    return side, cages_with_results


def _walls(text: str, count: int) -> Iterator[bool]:
    """Yield for each of so many borders between cells whether there is a wall.

    text: as S. Tatham's collection writes it. Each letter is a number of borders without a wall, _ for 0 and a letter
    for 1 to 25, and then a wall; z is 25 borders without a wall, and no wall. A number behind a letter repeats it. One
    wall more, behind the last border, ends the text.

    Raises ValueError if it is no such text.
    """
    walls: list[bool] = []
    for letter, times in re.findall("([a-z_])([0-9]{0,4})", text):
        for _ in range(int(times or 1)):
            if letter != "_":
                walls += [False] * (ord(letter) - ord("a") + 1)
            if letter == "z":  # 26 in the alphabet, and 25 borders
                walls.pop()
            else:
                walls.append(True)
            if len(walls) > count + 1:
                raise ParameterError(f"the walls of the game ID are more than the {count} of its board")
    if len(walls) != count + 1 or re.sub("[a-z_][0-9]*", "", text):
        raise ParameterError(f"the walls of the game ID are not the {count} of its board")
    yield from walls[:-1]


def _parts_between(walls: Sequence[bool], side: int) -> list[list[Cell]]:
    """Return the parts into which walls divide a square, in the order of their first cells.

    walls: whether there is one right of each cell, row by row, then below each cell, column by column.
    """
    across = []
    down = []
    for line in range(side):
        for place in range(side - 1):
            across.append(((line, place), (line, place + 1)))
            down.append(((place, line), (place + 1, line)))

    # For each cell, the list of the cells of its part; parts that no wall divides are merged.
    part_of = {cell: [cell] for cell in product(range(side), repeat=2)}
    borders = [*across, *down]
    for (cell, neighbour), is_wall in zip(borders, walls, strict=True):
        part = part_of[cell]
        other_part = part_of[neighbour]
        if not is_wall and part is not other_part:
            merged = [*part, *other_part]
            part_of |= dict.fromkeys(merged, merged)
    # All cells of a part share one list, which is taken once.
    parts = {id(part): sorted(part) for part in part_of.values()}
    return sorted(parts.values())


def _read_again(puzzle: str) -> tuple[int, list[tuple[list[Cell], str]]]:
    """Return (side, the cells and the result of each cage), by a second reading of the text; a result is such as 6+."""
    text = content(puzzle)
    if ":" in text:
        return _read_game_again(text)
    # The letters and results such as A=6+ are taken out first; they may contain a / for a ratio.
    results = re.findall(r"(\S)=(\S+)", text)
    letters = re.sub(r"\S=\S+", "", text).strip(" /\n")
    rows = re.split(r"[\s/]+", letters)
    board = cells_of(rows)
    cages: list[tuple[list[Cell], str]] = []
    for letter, result in results:
        cells: list[Cell] = [cell for cell in board if board[cell] == letter]
        cages.append((cells, result))
    return len(rows), cages


def _read_game_again(text: str) -> tuple[int, list[tuple[list[Cell], str]]]:
    """Return (side, the cells and the result of each cage) of a game ID such as 3:b__ab_a,a7m3m12.

    Each letter of the middle part stands for borders between neighbouring cells, row by row and then column by column:
    _ is a wall (#); a to y are 1 to 25 borders without a wall (.), then a wall; z is 25 borders without a wall. A
    number behind a letter repeats it. Behind the comma are the results, of the cages in the order of their first cells.
    """
    size, _, remaining = text.partition(":")
    side = int(re.match("[0-9]+", size)[0])  # type: ignore[index]
    border_letters, _, results = remaining.partition(",")
    border_letters = re.sub("([a-z_])([0-9]+)", lambda run: run[1] * int(run[2]), border_letters)
    borders_without_wall = {letter: n for n, letter in enumerate("_abcdefghijklmnopqrstuvwxy")}
    borders_without_wall["z"] = 25
    border_signs = ""
    for letter in border_letters:
        border_signs += "." * borders_without_wall[letter]
        if letter != "z":
            border_signs += "#"
    board: list[list[Cell]] = [[(r, c) for c in range(side)] for r in range(side)]
    # For each cell, the least cell so far of its cage.
    least_cell = {cell: cell for row in board for cell in row}
    lines: list[Sequence[Cell]] = [*board, *zip(*board, strict=True)]
    pairs = [pair for line in lines for pair in pairwise(line)]
    # The last sign is the wall that ends the text, behind all borders.
    open_pairs = [pair for pair, sign in zip(pairs, border_signs, strict=False) if sign == "."]
    # The least cell of each cage spreads through borders without walls; so many rounds as there are cells suffice.
    for _ in least_cell:
        for a, b in open_pairs:
            least = min(least_cell[a], least_cell[b])
            least_cell[a] = least_cell[b] = least
    cages = []
    first_cells = {*least_cell.values()}
    for first_cell in sorted(first_cells):
        cages.append([cell for cell in least_cell if least_cell[cell] == first_cell])
    words = re.findall("([asmd])([0-9]+)", results)
    signs = {"a": "+", "s": "-", "m": "x", "d": "/"}
    labels = [number + signs[letter] for letter, number in words]
    return side, list(zip(cages, labels, strict=True))


def _obeys(side: int, cages: Sequence[tuple[Sequence[Cell], str]], numbers: Solution) -> bool:
    """Tell whether numbers obey the rules; side, cages: see `_read_again`.

    numbers: the number in each cell. A result is a number with its sign; without a sign it is that of a single cell.
    """
    if not is_latin_square(side, numbers):
        return False

    for cells, result in cages:
        numbers_inside = sorted(numbers[cell] for cell in cells)
        target = int(re.sub("[^0-9]", "", result))
        sign = re.sub("[0-9]", "", result)
        if sign in ("-", "−"):
            is_right = numbers_inside[1] - numbers_inside[0] == target
        elif sign in ("/", "÷"):
            is_right = numbers_inside[1] == numbers_inside[0] * target
        elif sign in ("x", "*", "×"):
            is_right = prod(numbers_inside) == target
        else:
            is_right = sum(numbers_inside) == target
        if not is_right:
            return False
    return True


def _draft(random: Random, side: int = 6) -> Draft:
    """Return a random Latin square with cages.

    side: how many rows there are.
    """
    order = clues.number_in_range(str(side), "the side", 2, 9)
    square = random_latin_square(random, order)
    # For each part one of the first two results, which few squares have.
    cages = []
    for part in random_parts(random, square, 2, 3):
        likeliest = _cages_of_cells(part, square)[:2]
        cages.append(random.choice(likeliest))
    return Draft({"side": side, "cages": cages}, square)


def _cages_of_cells(cells: Sequence[Cell], square: Solution) -> list[CageWithResult]:
    """Return a cage with each result that it can have in a square; those that most squares do not have come first.

    cells: of the cage. square: the number in each cell. Differences and ratios are for two cells only, and a ratio must
    be whole.
    """
    numbers = sorted(square[cell] for cell in cells)
    results = {"+": sum(numbers)}
    if len(numbers) > 1:
        results = {"x": prod(numbers), **results}
    if len(numbers) == 2:
        low, high = numbers
        results = {"-": high - low, **results}
        ratio, remainder = divmod(high, low)
        if remainder == 0:
            results = {"/": ratio, **results}
    return [CageWithResult(sorted(cells), sign, number) for sign, number in results.items()]


def _clues_of_solution(fixed: Fixed, _: Solution) -> list[MadeClue]:
    """Return the cages, which are one clue: its text is the parameter of the puzzle, letters and results.

    fixed: what `_draft` returns, with the side and the cages.
    """
    cages: Sequence[CageWithResult] = fixed["cages"]
    side = fixed["side"]
    letter: dict[Cell, str] = {}
    results = []
    for cage, name in zip(cages, LETTERS, strict=False):
        letter |= dict.fromkeys(cage.cells, name)
        results.append(f"{name}={cage.label}")
    board = rows_of_marks(side, side, letter)
    mark = " ".join([board, *results])
    return [MadeClue((0, 0), mark)]


def _with_clues(_: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of the puzzle with these cages."""
    return {"puzzle": subset[0].mark}


def _change(random: Random, fixed: Fixed, square: Solution, rivals: Sequence[Solution]) -> Draft | None:
    """Return the square with other cages: one gets another result, or is cut in two, to exclude a rival.

    fixed: the side and the cages so far. square: the numbers, which stay. rivals: other squares with the same results,
    of which the last is to be excluded. The result is None if no such change does. A change is (old cage, new cages);
    `_cages_of_cells` returns a cage with each possible result.
    """
    cages: Sequence[CageWithResult] = fixed["cages"]
    changes: list[tuple[CageWithResult, list[CageWithResult]]] = []
    for cage in cages:
        changes += [(cage, [new]) for new in _cages_of_cells(cage.cells, square)]
        if len(cage.cells) == 1 or len(cages) >= len(LETTERS):
            continue
        for cell in cage.cells:
            other_cells = [other for other in cage.cells if other != cell]
            parts = grid.components(frozenset(other_cells))
            if len(parts) == 1:
                new_cages = [_cages_of_cells(part, square)[0] for part in ([cell], other_cells)]
                changes.append((cage, new_cages))
    random.shuffle(changes)
    # A rival is excluded if one of the new cages has another result in it.
    excluding = []
    for old, new_cages in changes:
        fit_rival = all(new in _cages_of_cells(new.cells, rivals[-1]) for new in new_cages)
        if not fit_rival:
            excluding.append((old, new_cages))
    if not excluding:
        return None
    old, new_cages = min(excluding, key=lambda change: len(change[1]))  # rather another result than one cage more
    other_cages = [cage for cage in cages if cage is not old]
    return Draft({**fixed, "cages": [*other_cages, *new_cages]}, square)


MAKING = Making(_draft, _clues_of_solution, _with_clues, _change)
"""The additions for puzzles that are made."""
