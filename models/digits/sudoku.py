"""Sudoku: symbols in a square, each once in each row, column and region, and what else a variant asks for.

H. Garns (Number Place, Dell, 1979). With cages: killer sudoku, or sumdoku (Japan, 1990s).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise, product
from random import Random
from typing import Any, NamedTuple

from ortools.sat.python.cp_model import CpModel, IntVar, LinearExpr

from models.boards import clues, grid
from models.boards.marks import DIGITS, LETTERS, square_in
from models.classics.covering import cover, generators, number_permutation, option_symmetry, permutation_symmetries
from models.classics.designs import check_order
from models.errors import ParameterError, number_with_unit
from models.pencil.making import LETTERS as CAGE_NAMES
from models.pencil.making import Draft, Fixed, MadeClue, Making, random_parts, rows_of_marks
from models.pencil.second_reading import Cell, board, cells_of, content, numbers_in, side_neighbours, square
from models.puzzle import Drawing, Puzzle, Solution, Symmetry, true_labels

KNIGHT, KING = (1, 2), (1, 1)
"""The lengths of these moves in rows and columns, in order; a king's move along a row or column changes nothing."""

KNIGHT_JUMPS = [(1, 2), (1, -2), (2, 1), (2, -1)]
"""For the check, the steps (down, right) of a knight; those upwards are the same pairs of cells."""

KING_JUMPS = [(1, 1), (1, -1)]
"""The same for a king, without those along a row or column."""


WIKIPEDIA = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
"""The example of the article in Wikipedia, which has one solution."""

PARAMETERS = ("rows", "columns", "regions", "cages", "diagonals", "knight", "king", "puzzle", "rules")
"""The parameters of `sudoku`, in order."""

SIZES = ("rows", "columns", "regions", "cages", "puzzle")
"""The parameters that say how many rows the square has."""


MOST_ROWS_OF_DIGITS = 9
"""The most rows of a square whose numbers have one digit each."""


class CellRule(NamedTuple):
    """A rule about some cells, such as a thermometer."""

    kind: str
    cells: tuple[grid.Cell, ...]
    value: int


class Kind(NamedTuple):
    """A kind of rules about the numbers of some cells."""

    pairs: str
    """The pairs of its cells that exclude numbers: next, all, ends (first and last, and so on), first, each."""
    is_allowed: Callable[[int, int, int, int], bool]
    """Whether two cells of a pair may hold two numbers: by these, the value, and the number of cells."""
    holds: Callable[[Sequence[int], int], bool]
    """Whether all numbers and the value obey the rule, said independently, for the check."""
    value: int = 0
    """The value of a rule that tells none."""


KINDS = {
    "different": Kind("all", lambda a, b, *_: a != b, lambda held, _: len({*held}) == len(held)),
    "thermometer": Kind("next", lambda a, b, *_: a < b, lambda held, _: [*held] == sorted({*held})),
    "whispers": Kind(
        "next", lambda a, b, v, _: abs(a - b) >= v, lambda held, v: all(abs(a - b) >= v for a, b in pairwise(held)), 5
    ),
    "renban": Kind(
        "all",
        lambda a, b, _, n: a != b and abs(a - b) < n,
        lambda held, _: sorted(held) == [*range(min(held), min(held) + len(held))],
    ),
    "palindrome": Kind("ends", lambda a, b, *_: a == b, lambda held, _: [*held] == [*reversed(held)]),
    "difference": Kind(
        "next", lambda a, b, v, _: abs(a - b) == v, lambda held, v: held[1] in (held[0] - v, held[0] + v), 1
    ),
    "ratio": Kind("next", lambda a, b, v, _: a == b * v or b == a * v, lambda held, v: max(held) == v * min(held), 2),
    "even": Kind("each", lambda a, *_: a % 2 == 0, lambda held, _: not any(number & 1 for number in held)),
    "odd": Kind("each", lambda a, *_: a % 2 == 1, lambda held, _: all(number & 1 for number in held)),
    "minimum": Kind(
        "first",
        lambda a, b, *_: a < b,
        lambda held, _: sorted(held)[:2] == [held[0], min(held[1:])] and held.count(held[0]) == 1,
    ),
    "maximum": Kind("first", lambda a, b, *_: a > b, lambda held, _: max(held[1:]) < held[0]),
    "nonconsecutive": Kind("next", lambda a, b, *_: abs(a - b) != 1, lambda held, _: held[1] - held[0] not in (1, -1)),
    "sum": Kind("", lambda *_: True, lambda held, v: sum(held) == v),
    "arrow": Kind(
        "", lambda *_: True, lambda held, v: int("".join(str(number) for number in held[:v])) == sum(held[v:]), 1
    ),
}
"""The kinds of rules: cells along thermometers and lines are in their order; an arrow begins with its circle.

The value of an arrow is the number of cells in its circle, whose digits are read as one number.
"""

PAIRS: dict[str, Callable[[Sequence[grid.Cell]], Sequence[tuple[grid.Cell, grid.Cell]]]] = {
    "next": lambda cells: [*pairwise(cells)],
    "all": lambda cells: [*combinations(cells, 2)],
    "ends": lambda cells: [*zip(cells[: len(cells) // 2], cells[::-1], strict=False)],
    "first": lambda cells: [(cells[0], cell) for cell in cells[1:]],
    "each": lambda cells: [(cell, cell) for cell in cells],
    "": lambda _: [],
}

RULE = re.compile(r"(?P<kind>[a-z]+)(?:=(?P<value>[0-9]{1,4}))?(?::(?P<cells>(?:r[0-9]{1,2}c[0-9]{1,2})+))?")

Letters = Mapping[Cell, str]
"""The letter of each cell, such as that of its region."""

RuleAgain = tuple[str, list[Cell], int]
"""(kind, cells, value) of a rule, by the second reading."""


class Cage(NamedTuple):
    """Cells with different numbers and a known sum."""

    cells: grid.Cells
    total: int


def sudoku(
    rows: int = 0,
    columns: int = 0,
    regions: str = "",
    cages: str = "",
    diagonals: bool = False,
    knight: bool = False,
    king: bool = False,
    puzzle: str = "",
    rules: str = "",
) -> Puzzle:
    """Fill a square with symbols so that each stands once in each row, column and block.

    rows: how many rows a block has; by default what the other parameters show, or 3.
    columns: how many columns a block has; by default as rows. Without any parameter, the puzzle is Wikipedia's.
    regions: instead of blocks, the region of each cell as a letter, rows divided by /, or the file that holds it.
    cages: the cage of each cell as a letter (. none) and the sums, such as 'AAB./.BB./... A=3 B=9', or the file.
    diagonals: each symbol stands once in both diagonals too.
    knight: equal symbols are no knight's move apart.
    king: equal symbols are no king's move apart.
    puzzle: the content of the cells, such as 81 characters with . or 0 for no number, or the file that shows them.
    rules: more rules, such as 'nonconsecutive thermometer:r1c1r1c2r2c2 ratio=2:r1c1r2c1 even:r3c3', or the file.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.
    """
    if not any((rows, columns, regions, cages, diagonals, knight, king, puzzle, rules)):
        puzzle = WIKIPEDIA
    rows, columns = _block_size(rows, columns, regions, cages, puzzle)
    region, side = _read_regions(rows, columns, regions)  # the name of the region of each cell; the rows
    given_symbols = _clue_symbols(puzzle, side)  # by cell, counted from 0
    cage_list = _read_cages(cages, side)
    moves = [KNIGHT] * knight + [KING] * king
    model, holds = _square_model(region, given_symbols, diagonals, moves)  # holds: by (row, column, symbol)
    for cage in cage_list:
        _add_cage(model, holds, cage, side)
    for rule in _read_rules(rules, side):
        _add_rule(model, holds, rule, side)
    read_again = _read_again(rows, columns, regions, cages, puzzle, rules)
    is_solution = partial(_obeys, *read_again, diagonals, KNIGHT_JUMPS * knight + KING_JUMPS * king)
    draw = partial(_draw, region, cage_list)
    block = None if regions or cage_list or diagonals or moves or given_symbols else (rows, columns)
    symmetries = [] if rules else _symmetries(block, region, cage_list, given_symbols)
    values = (rows, columns, regions, cages, diagonals, knight, king, puzzle, rules)
    parameters = dict(zip(PARAMETERS, values, strict=True))
    return Puzzle("sudoku", parameters, model, holds, symmetries, is_solution, draw, fills=_fills)


def _square_model(
    region: Mapping[grid.Cell, str],
    given: Mapping[grid.Cell, int],
    diagonals: bool,
    moves: Collection[tuple[int, int]],
) -> tuple[CpModel, dict[tuple[int, ...], IntVar]]:
    """Return a model of a square without cages and rules, and the variable of each (row, column, symbol).

    The variable is true iff the cell holds the symbol; symbols are numbered from 0. region: the name of the region of
    each cell. given: the symbols that are given, from 0. diagonals: whether these hold each symbol once. moves:
    (shorter, longer) distances in rows and columns, such as (1, 2) for a knight, that equal symbols may not be apart.
    """
    side = max(region)[0] + 1
    # A house is a row, column, region or diagonal. As an exact cover: an option is a symbol in a cell; it covers the
    # cell, and its symbol in each house of the cell.
    houses = {cell: _houses(cell, region, diagonals) for cell in region}
    options: dict[grid.Cell, list[Hashable]] = {}
    for cell in sorted(region):
        for v in range(side):
            symbol_in_houses = [(*house, v) for house in houses[cell]]
            options[*cell, v] = [cell, *symbol_in_houses]
    model, holds = cover(options)
    # Equal symbols may be no move apart.
    for cell_a, cell_b in _pairs_by_moves(region, moves):
        for v in range(side):
            model.add_at_most_one(holds[*cell_a, v], holds[*cell_b, v])
    for cell, v in given.items():
        name = f"{clues.cell_name(cell)} is given as {v + 1}"
        model.add(holds[*cell, v] == 1).with_name(name)
    return model, holds


def _symmetries(
    block: tuple[int, int] | None,
    region: Mapping[grid.Cell, str],
    closed: Sequence[Cage],
    given: Mapping[grid.Cell, int],
) -> list[Symmetry]:
    """Return generators of the symmetries of a square, as permutations of literals.

    Without cages and given symbols, all symbols may be exchanged, too. block: (rows, columns) of a block if blocks are
    the only rule besides rows and columns; None otherwise: then only turns of the square are looked at. region: the
    name of the region of each cell. closed: the cages. given: the symbols that are given, from 0.
    """
    symmetries = _of_blocks(*block) if block else _of_square(region, closed, given)
    if closed or given:
        return symmetries
    # Generators of all permutations of the symbols; a label is (row, column, symbol).
    side = len({row for row, _ in region})

    def renaming(image: Sequence[int]) -> Callable[[tuple[int, int, int]], tuple[int, int, int]]:
        return lambda label: (label[0], label[1], image[label[2]])

    return symmetries + permutation_symmetries(side, renaming)


def parameters_with_size(arguments: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the parameters of `sudoku`, with the size of a block that a text of the content implies.

    arguments: the values of parameters; if one of them says the size (see SIZES), they are returned as they are. text:
    the content of all cells, whose number gives the size; facts such as r1c1=5, or "", are about a square of 9 rows.
    Raises ValueError for other texts.
    """
    if any(arguments.get(name) for name in SIZES):
        return {**arguments}
    side = 9
    if text and "=" not in text:
        side = round(len(square_in(text)) ** 0.5)
    rows, columns = _blocks_of(side)
    return {**arguments, "rows": rows, "columns": columns}


def _block_size(rows: int, columns: int, regions: str, cages: str, puzzle: str) -> tuple[int, int]:
    """Return (rows, columns) of a block; the parameters are those of `sudoku`.

    Of rows and columns, one that is 0 is as the other. With regions there are no blocks, and the result is (1, 1).
    Otherwise the square that is shown, or one of 9 rows, says the size.
    """
    # The side of the square is the root of the number of cells, or the number of rows of cages.
    if rows or columns:
        return rows or columns, columns or rows
    if regions:
        return 1, 1
    if puzzle:
        numbers = _square_numbers(puzzle)
        return _blocks_of(round(len(numbers) ** 0.5))
    side = 9
    if cages:
        letters, _ = _cage_letters_and_sums(cages)
        side = len(letters)
    return _blocks_of(side)


def _blocks_of(side: int) -> tuple[int, int]:
    """Return (rows, columns) of the blocks of a square: wide rather than high, and nearly square."""
    divisors = [n for n in range(1, int(side**0.5) + 1) if side % n == 0]
    rows = divisors[-1]
    return rows, side // rows


def _square_numbers(puzzle: str) -> list[str]:
    """Return the number in each cell that a text or the file with this path shows, "" where nothing is known."""
    text = clues.text_in(puzzle, WIKIPEDIA)
    return square_in(text)


def _clue_symbols(puzzle: str, side: int) -> dict[grid.Cell, int]:
    """Return the symbol of each cell that is given, counted from 0; raise ValueError if the square has another size.

    puzzle: the parameter of `sudoku`, empty for none. side: the number of rows.
    """
    if not puzzle:
        return {}
    numbers = _square_numbers(puzzle)
    cell_count = side * side
    if len(numbers) != cell_count:
        cells = number_with_unit(len(numbers), "cells")
        raise ParameterError(f"the puzzle has {cells}, and the square {cell_count}; make them alike")
    return {divmod(place, side): int(number) - 1 for place, number in enumerate(numbers) if number}


def _read_rules(text: str, side: int) -> list[CellRule]:
    """Return the rules that a text lists, or the file with this path; raise ValueError, which names one that is none.

    side: the number of rows of the square. Cells are counted from 1 in the text, and from 0 in the result. A rule
    nonconsecutive without cells is about all pairs of neighbours. The value is that of the kind where the text gives
    none.
    """
    if not text:
        return []
    board_cells = grid.box(side, side)
    words = clues.text_in(text, "'even:r1c1 thermometer:r1c1r1c2'").lower().split()
    cell_rules = []
    for word in words:
        match = RULE.fullmatch(word)
        if not match or match["kind"] not in KINDS:
            raise ParameterError(f"{word!r:.40} is no rule; write such as even:r1c1, of {', '.join(KINDS)}")
        places = re.findall("r([0-9]+)c([0-9]+)", match["cells"] or "")
        cells = tuple((int(row) - 1, int(column) - 1) for row, column in places)
        distinct = {*cells}
        if len(distinct) < len(cells) or not distinct <= board_cells:
            raise ParameterError(f"{word!r:.40} names a cell twice, or one outside the {side} rows")
        kind = match["kind"]
        value = int(match["value"] or KINDS[kind].value)
        if kind == "nonconsecutive" and not cells:
            cell_rules += [CellRule(kind, pair, value) for pair in _neighbouring_pairs(board_cells)]
            continue
        fewest_cells = 2
        if kind in ("even", "odd", "sum", "different"):
            fewest_cells = 1
        is_of_two = kind in ("difference", "ratio", "nonconsecutive")
        if len(cells) < fewest_cells or (is_of_two and len(cells) != 2):
            count = number_with_unit(len(cells), "cells")
            need = "two" if fewest_cells > 1 else "some"
            raise ParameterError(f"{word!r:.40} has {count}; give it {need}")
        if kind == "arrow" and not 1 <= value < len(cells):
            raise ParameterError(f"{word!r:.40} has {value} cells in its circle; leave at least one to the arrow")
        if kind == "arrow" and value > 1 and side > MOST_ROWS_OF_DIGITS:
            raise ParameterError(f"{word!r:.40} reads digits, and numbers up to {side} have two; give it one cell")
        cell_rules.append(CellRule(kind, cells, value))
    return cell_rules


def _neighbouring_pairs(cells: Collection[grid.Cell]) -> list[tuple[grid.Cell, grid.Cell]]:
    """Return the pairs of cells that share a side, the left or upper one first."""
    pairs: list[tuple[grid.Cell, grid.Cell]] = []
    for cell in sorted(cells):
        row, column = cell
        neighbours = [(row, column + 1), (row + 1, column)]
        pairs += [(cell, neighbour) for neighbour in neighbours if neighbour in cells]
    return pairs


def _add_rule(model: CpModel, holds: Mapping[tuple[int, ...], IntVar], rule: CellRule, side: int) -> None:
    """Add a rule about some cells to the model.

    holds: whether a cell holds a symbol, by (row, column, symbol). side: the number of symbols. `KINDS` says for each
    kind which pairs of cells exclude which numbers: for each excluded pair of numbers a clause forbids both literals.
    Sums and arrows have no pairs, but a linear constraint.
    """
    place = f"{rule.kind} of {grid.cell_ranges_from_zero(rule.cells)}"
    kind = KINDS[rule.kind]
    for cell_a, cell_b in PAIRS[kind.pairs](rule.cells):
        for symbol_a, symbol_b in product(range(side), repeat=2):
            if cell_a == cell_b and symbol_a != symbol_b:
                continue  # a cell that is paired with itself has one symbol
            if kind.is_allowed(symbol_a + 1, symbol_b + 1, rule.value, len(rule.cells)):
                continue
            # By index, as both literals may be the same one: that of a pair of a cell with itself.
            holds_a = holds[*cell_a, symbol_a]
            holds_b = holds[*cell_b, symbol_b]
            literals = {holds_a.index: ~holds_a, holds_b.index: ~holds_b}
            model.add_bool_or(literals.values()).with_name(place)
    numbers = []
    for cell in rule.cells:
        symbols = [(v + 1) * holds[*cell, v] for v in range(side)]
        numbers.append(LinearExpr.sum(symbols))
    if rule.kind == "sum":
        name = f"{place} is {rule.value}"
        model.add(LinearExpr.sum(numbers) == rule.value).with_name(name)
    if rule.kind == "arrow":
        # The first cells are the circle, whose digits are read as one decimal number.
        powers = [10 ** (rule.value - 1 - n) for n in range(rule.value)]
        digits = [power * number for power, number in zip(powers, numbers, strict=False)]
        arrow = LinearExpr.sum(numbers[rule.value :])
        model.add(arrow == LinearExpr.sum(digits)).with_name(place)


def _add_cage(model: CpModel, holds: Mapping[tuple[int, ...], IntVar], cage: Cage, side: int) -> None:
    """Add to the model that the numbers of a cage are different, and add up to its sum.

    holds: whether a cell holds a symbol, by (row, column, symbol). side: the number of symbols.
    """
    cells = sorted(cage.cells)
    place = f"the cage of {grid.cell_ranges_from_zero(cage.cells)}"
    for v in range(side):
        name = f"{place} holds different numbers"
        model.add_at_most_one(holds[*cell, v] for cell in cells).with_name(name)
    numbers = []
    for cell in cells:
        numbers += [(v + 1) * holds[*cell, v] for v in range(side)]
    name = f"{place} adds up to {cage.total}"
    total = LinearExpr.sum(numbers)
    model.add(total == cage.total).with_name(name)


def _houses(cell: grid.Cell, region: Mapping[grid.Cell, str], diagonals: bool) -> list[tuple[object, ...]]:
    """Return the houses in which a cell lies, each of which holds every symbol once.

    A house has a name such as ("row", 3), ("block", name of the region) or ("down",), a diagonal. region: the name of
    the region of each cell. diagonals: whether the diagonals are houses.
    """
    row, column = cell
    last_column = max(region)[0]
    houses: list[tuple[object, ...]] = [("row", row), ("column", column), ("block", region[row, column])]
    if diagonals and row == column:
        houses.append(("down",))
    if diagonals and row + column == last_column:
        houses.append(("up",))
    return houses


def _pairs_by_moves(
    cells: Collection[grid.Cell], moves: Collection[tuple[int, int]]
) -> list[tuple[grid.Cell, grid.Cell]]:
    """Return the pairs of cells that are one of these moves apart.

    A move is the shorter and the longer distance in rows and columns, such as (1, 2) for a knight.
    """
    if not moves:
        return []
    pairs = []
    for cell_a, cell_b in combinations(sorted(cells), 2):
        (row_a, column_a), (row_b, column_b) = cell_a, cell_b
        distances = sorted((abs(row_a - row_b), abs(column_a - column_b)))
        if tuple(distances) in moves:
            pairs.append((cell_a, cell_b))
    return pairs


def _read_again(
    rows: int, columns: int, regions: str, cages: str, puzzle: str, rules: str
) -> tuple[Letters, Letters, list[tuple[str, int]], dict[Cell, int], list[RuleAgain]]:
    """Return (region, cages, sums, given, rules): a second reading of the parameters, for the check.

    region: the name of the region of each cell. cages: the letter of each cell's cage, or ".". sums: (letter, sum) of
    cages. given: the numbers, from 1, that are given. rules: (kind, cells, value), see `_rules_again`.

    rows, columns: those of a block, which names the regions if ``regions`` is empty. The other arguments are those of
    `sudoku`.
    """
    cage_words = board(cages)
    order = range(rows * columns)
    blocks = [[f"{r // rows} {c // columns}" for c in order] for r in order]
    rows_of_regions: Sequence[Sequence[str]] = blocks
    if regions:
        rows_of_regions = board(regions)
    region = cells_of(rows_of_regions)
    sums = []
    letters = []
    for word in cage_words:
        if "=" in word:
            sums.append((word[0], int(word[2:])))  # such as A=9
        else:
            letters.append(word)
    cage = cells_of(letters)
    return region, cage, sums, square(puzzle), _rules_again(rules, region)


def _rules_again(text: str, region: Letters) -> list[RuleAgain]:
    """Return (kind, cells, value) of each rule that a text lists, by a second reading.

    region: the region of each cell. A word is such as ratio=2:r1c1r2c1; its numbers behind the colon are rows and
    columns in turn, counted from 1, and its value is that of the kind if it has none.
    """
    listed = []
    for word in content(text).lower().split():
        head, _, tail = word.partition(":")
        kind, _, value = head.partition("=")
        numbers = numbers_in(tail)
        rows_and_columns = zip(numbers[::2], numbers[1::2], strict=True)
        cells = [(row - 1, column - 1) for row, column in rows_and_columns]
        cells_of_rules = [cells]
        if kind == "nonconsecutive" and not cells:  # about each cell and each of its neighbours
            cells_of_rules = [[cell, other] for cell in region for other in side_neighbours(cell) if other in region]
        number = KINDS[kind].value
        if value:
            number = int(value)
        listed += [(kind, rule_cells, number) for rule_cells in cells_of_rules]
    return listed


def _obeys(
    region: Letters,
    cage: Letters,
    sums: Sequence[tuple[str, int]],
    given: Mapping[Cell, int],
    rules: Sequence[RuleAgain],
    diagonals: bool,
    jumps: Sequence[tuple[int, int]],
    solution: Solution,
) -> bool:
    """Tell whether a solution obeys the rules; the model is not used.

    region, cage, sums, given, rules: what `_read_again` returns. diagonals: as in `sudoku`. jumps: the steps (down,
    right) between cells with different symbols. solution: 0 or 1 by (row, column, symbol), with symbols from 0.
    """
    labels = true_labels(solution)
    digits = {(r, c): v + 1 for r, c, v in labels}
    if len(labels) != len(region) or digits.keys() != region.keys():
        return False
    if not given.items() <= digits.items():
        return False
    last_index = max(region)[0]
    # A house is a row, column, region, cage or diagonal; both diagonals count if there are any.
    symbols_of_house: dict[Hashable, list[int]] = defaultdict(list)
    for cell, symbol in digits.items():
        r, c = cell
        houses_of_cell: list[Hashable] = [("row", r), ("column", c), ("region", region[cell])]
        letter = cage.get(cell, ".")
        if letter != ".":
            houses_of_cell.append(("cage", letter))
        if diagonals and r == c:
            houses_of_cell.append("down")
        if diagonals and r + c == last_index:
            houses_of_cell.append("up")
        for house in houses_of_cell:
            symbols_of_house[house].append(symbol)
    if any(len({*symbols}) < len(symbols) for symbols in symbols_of_house.values()):
        return False
    if any(sum(symbols_of_house["cage", letter]) != total for letter, total in sums):
        return False
    for (r, c), symbol in digits.items():
        steps = [(r + down, c + right) for down, right in jumps]
        if any(digits.get(cell) == symbol for cell in steps):
            return False
    for kind, cells, value in rules:
        symbols = [digits[cell] for cell in cells]
        if not KINDS[kind].holds(symbols, value):
            return False
    return True


def _of_blocks(rows: int, columns: int) -> list[Symmetry]:
    """Return generators of the symmetries of a square of blocks: exchanges of rows and columns, and the reflection.

    A band is all blocks side by side (above each other). Rows (columns) are exchanged within the first band, and bands
    with each other; together these also exchange those of other bands. If blocks are squares, the reflection exchanges
    rows with columns.

    rows, columns: those of a block.
    """
    order = rows * columns
    symmetries = []
    # For rows, which are at place 0 of a label, and columns, at place 1: how many a band has, and how many bands are.
    for place, size, bands in ((0, rows, columns), (1, columns, rows)):
        # Permutations of all rows (columns), as lists of images: those within the first band, and those of bands;
        # `generators` returns two permutations of 0, 1, ... that generate all.
        within = [[*image, *range(size, order)] for image in generators(size)]
        block_images = []
        for image in generators(bands):
            images = [image[n // size] * size + n % size for n in range(order)]
            block_images.append(images)
        for image in (*within, *block_images):
            permutation = number_permutation(place, image)
            symmetries.append(option_symmetry(permutation))
    if rows == columns:
        reflection = option_symmetry(lambda label: (label[1], label[0], label[2]))
        symmetries.append(reflection)
    return symmetries


def _of_square(
    region: Mapping[grid.Cell, str], cages: Sequence[Cage], given: Mapping[grid.Cell, int]
) -> list[Symmetry]:
    """Return the turns of the square that map its regions, its cages and what is given to each other.

    region: the name of the region of each cell. given: the symbols that are given. `clues.clue_symmetries` returns the
    turns of all cells that map each (cells, value) to one with the same value. cages: each is such a pair, (cells,
    sum).
    """
    region_clues = [(cells, "region") for cells in clues.parts_of(region).values()]
    given_clues = [(frozenset([cell]), ("given", v)) for cell, v in given.items()]
    turns = clues.clue_symmetries(region, [*region_clues, *cages, *given_clues])
    return [option_symmetry(_label_turn(turn)) for turn in turns]


def _label_turn(turn: grid.Turn) -> Callable[[tuple[int, int, int]], tuple[int, ...]]:
    """Return the map of labels that turns the square."""
    return lambda label: (*turn(label[:2]), label[2])


def _fills(label: tuple[int, int, int], _: int) -> tuple[str, list[grid.Cell]]:
    """Return what a label says: the symbol, counted from 1, and its cell."""
    row, column, symbol = label
    return str(symbol + 1), [(row, column)]


def _draw(region: Mapping[grid.Cell, str], cages: Sequence[Cage], taken: Solution) -> Drawing:
    """Draw a solution, with walls between regions, and with the cages and their sums.

    region: the name of the region of each cell. taken: the solution, 0 or 1 by (row, column, symbol), or a part of it.
    Each cage has a colour, and its sum in the corner of its first cell.
    """
    digits: dict[grid.Cell, str] = {}
    for r, c, v in true_labels(taken):
        digits[r, c] = str(v + 1)
    colours = {cell: number for number, cage in enumerate(cages) for cell in cage.cells}
    walls = [*clues.parts_of(region).values()]
    walls += [cage.cells for cage in cages]
    labels = {cell: digits.get(cell, "") for cell in sorted(region)}
    frame = clues.draw_regions(labels, walls, colours)
    sums = [clues.corner_text(min(cage.cells), str(cage.total)) for cage in cages]
    return [frame._replace(shapes=[*sums, *frame.shapes])]


def _read_regions(rows: int, columns: int, regions: str) -> tuple[dict[grid.Cell, str], int]:
    """Return (the region of each cell, the number of rows).

    rows, columns, regions: the parameters of `sudoku`. Raises ValueError if a region has not as many cells as there are
    rows. Without regions, the blocks are regions with names such as "0 1". With them, the letters of the text are their
    names.
    """
    if not regions:
        check_order(min(rows, columns) and rows * columns)
        side = rows * columns
        places = product(range(side), repeat=2)
        blocks: dict[grid.Cell, str] = {(r, c): f"{r // rows} {c // columns}" for r, c in places}
        return blocks, side
    text = clues.text_in(regions, "AABB/AABB/CCDD/CCDD")
    letters = clues.cell_letters(text, "the regions")
    side, width = clues.size_of(letters)
    check_order(side)
    if side != width:
        size_of_rows = number_with_unit(side, "rows")
        size_of_columns = number_with_unit(width, "columns")
        raise ParameterError(f"the regions have {size_of_rows} and {size_of_columns}; draw a square")
    for letter, cells in clues.parts_of(letters).items():
        if len(cells) != side:
            size = number_with_unit(len(cells), "cells")
            needed = number_with_unit(side, "rows")
            raise ParameterError(f"region {letter} has {size}, and the square has {needed}; give it {side}")
    return letters, side


def _read_cages(text: str, side: int) -> list[Cage]:
    """Return the cages that a text draws and lists; raise ValueError if it cannot be read, or a cage cannot be filled.

    side: the number of rows of the square. text: letters of cells in rows, with . for no cage, then sums such as A=9.
    """
    if not text:
        return []
    rows, words = _cage_letters_and_sums(text)
    letters = clues.cell_letters("/".join(rows), "the cages")
    if letters.keys() != grid.box(side, side):
        rows_drawn = number_with_unit(len({row for row, _ in letters}), "rows")
        columns_drawn = number_with_unit(len({column for _, column in letters}), "columns")
        raise ParameterError(f"the cages have {rows_drawn} and {columns_drawn}, and the square has {side} of each")
    cells_of_cages = {cell: letter for cell, letter in letters.items() if letter != "."}
    parts = clues.parts_of(cells_of_cages)
    sums: dict[str, str] = {}
    for word in words:
        letter, _, total = word.partition("=")
        if sums.setdefault(letter, total) != total:
            raise ParameterError(f"cage {letter} has two sums, {sums[letter]} and {total}; give one")
    # Letters that have only a sum, or only cells.
    stray = sorted(sums.keys() ^ parts.keys())
    if stray:
        raise ParameterError(f"cage {stray[0]} needs both cells and a sum, such as {stray[0]}=9")
    cages = []
    for letter, cells in parts.items():
        total_of_cage = _read_total(sums[letter], letter, len(cells), side)
        cages.append(Cage(cells, total_of_cage))
    return cages


def _cage_letters_and_sums(text: str) -> tuple[list[str], list[str]]:
    """Return (the rows of letters, the sums as in A=3) of the parameter ``cages``."""
    words = clues.text_in(text, "'AAB./.BB./..../.... A=3 B=9'").split()
    rows = "/".join(word for word in words if "=" not in word).split("/")
    sums = [word for word in words if "=" in word]
    return rows, sums


def _read_total(word: str, letter: str, size: int, side: int) -> int:
    """Return the sum of a cage; raise ValueError if no different numbers up to ``side`` have it.

    letter: names the cage. size: the number of its cells.
    """
    if size > side:
        raise ParameterError(f"cage {letter} has {size} cells, more than there are numbers; make it smaller")
    least = sum(range(1, size + 1))
    most = sum(range(side - size + 1, side + 1))
    return clues.number_in_range(word, f"cage {letter}", least, most)


def _draft(
    random: Random,
    rows: int = 3,
    columns: int = 0,
    regions: str = "",
    killer: bool = False,
    diagonals: bool = False,
    knight: bool = False,
    king: bool = False,
    rules: str = "",
) -> Draft:
    """Return the square of a sudoku that is made.

    rows: how many rows a block has.
    columns: how many columns a block has; by default as rows.
    regions: instead of blocks, the region of each cell as a letter, or the file that holds it.
    killer: cages with sums take the place of numbers.
    diagonals: each symbol stands once in both diagonals too.
    knight: equal symbols are no knight's move apart.
    king: equal symbols are no king's move apart.
    rules: more rules, such as 'nonconsecutive thermometer:r1c1r1c2', or the file.
    """
    columns = columns or rows
    size: dict[str, Any] = {"rows": rows, "columns": columns}
    side = rows * columns
    if regions:
        size = {"regions": regions}
        side = len(clues.text_in(regions, "").split("/"))
    variant = {"diagonals": diagonals, "knight": knight, "king": king, "rules": rules}
    # The seed gives the cages of a killer sudoku.
    seed: float = 0
    if killer:
        seed = random.random()
    return Draft({**size, **variant, "killer": killer, "side": side, "seed": seed})


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the number of each cell as a clue; of a killer sudoku, the cages, which are one clue.

    fixed: what `_draft` returns; "parts" is the list of cages, each a list of cells, if they are chosen already.
    solution: by (row, column, symbol), with symbols from 0. The one clue of cages is a text: rows of letters, then
    sums. Cages beyond the number of names (``CAGE_NAMES``) are left out.
    """
    digits: dict[grid.Cell, int] = {(r, c): v for r, c, v in true_labels(solution)}
    if fixed["killer"]:
        return _clues_of_cages(fixed, digits)
    signs = DIGITS + LETTERS
    made_clues = []
    for cell, v in digits.items():
        literal = (*cell, v), 1
        made_clues.append(MadeClue(cell, signs[v], literal=literal))
    return made_clues


def _clues_of_cages(fixed: Fixed, digits: Mapping[grid.Cell, int]) -> list[MadeClue]:
    """Return the cages of a killer sudoku, which are one clue; fixed, digits: see `_clues_of_solution`."""
    parts = fixed.get("parts") or _random_cages(Random(fixed["seed"]), digits)
    letter: dict[grid.Cell, str] = dict.fromkeys(digits, ".")
    sums = []
    for name, part in zip(CAGE_NAMES, parts, strict=False):
        letter |= dict.fromkeys(part, name)
        total = sum(digits[cell] + 1 for cell in part)
        sums.append(f"{name}={total}")
    letters = rows_of_marks(fixed["side"], fixed["side"], letter)
    return [MadeClue((0, 0), " ".join([letters, *sums]))]


def _random_cages(random: Random, digits: Mapping[grid.Cell, int], largest: int = 4) -> list[list[grid.Cell]]:
    """Return the cells of cages at random, each with different numbers; largest: the most cells of a cage.

    digits: the number of each cell. `random_parts` joins neighbouring cells to parts of 2 to ``largest`` cells as long
    as the condition allows it.
    """

    def may_join(cell: grid.Cell, part: Sequence[grid.Cell]) -> bool:
        digits_of_part = [digits[other] for other in part]
        return digits[cell] not in digits_of_part

    return random_parts(random, digits, 2, largest, may_join)


def _change(random: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft:
    """Return the square with cages that exclude most of the other solutions that are known.

    Thirty choices of cages are tried at random. fixed: what `_draft` returns, of a killer sudoku. solution: the square,
    which stays. rivals: other solutions that the cages so far leave. A solution is 0 or 1 by (row, column, symbol).
    """
    squares: list[dict[grid.Cell, int]] = []
    for values in (solution, *rivals):
        squares.append({(r, c): v for r, c, v in true_labels(values)})
    digits, *rival_squares = squares  # the symbol of each cell, from 0
    cages = []
    for _ in range(30):
        largest = random.choice((3, 4))
        cages.append(_random_cages(random, digits, largest))

    # How many rivals each choice of cages leaves: those in which all cages have the sums of the solution.
    def count_of_rivals(parts: Sequence[Sequence[grid.Cell]]) -> int:
        remaining = 0
        for rival in rival_squares:
            if all(sum(rival[cell] - digits[cell] for cell in part) == 0 for part in parts):
                remaining += 1
        return remaining

    best = min(cages, key=count_of_rivals)
    return Draft({**fixed, "parts": best}, solution)


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, Any]:
    """Return the parameters of a sudoku with these clues.

    fixed: what `_draft` returns: parameters of `sudoku`, and others that are left out. subset: numbers, or the cages of
    a killer sudoku, which are one clue. Without clues, the parameter for these is left out.
    """
    arguments = {name: value for name, value in fixed.items() if name in PARAMETERS and value}
    if not subset:
        return arguments
    if fixed["killer"]:
        return {**arguments, "cages": subset[0].mark}
    marks = {clue.place: clue.mark for clue in subset}
    # A cell without a clue is a dot.
    cells = product(range(fixed["side"]), repeat=2)
    contents = "".join(marks.get(cell, ".") for cell in cells)
    return {**arguments, "puzzle": contents}


def _line(arguments: Mapping[str, Any], _: Sequence[MadeClue]) -> str:
    """Return the numbers of a sudoku, or its cages."""
    return str(arguments.get("puzzle") or arguments["cages"])


MAKING = Making(_draft, _clues_of_solution, _with_clues, _change, _line)
"""The additions for sudokus that are made."""
