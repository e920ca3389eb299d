"""Magic squares transformed: different numbers on a square, so that its blocks, its sides or its lines have equal sums.

Blocks and ring: C Magazine, August 1998, as solved on M. Hiroi's Lisp pages. Magic squares: OEIS A006052.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import count, islice, pairwise
from math import isqrt
from typing import Any, Literal

from ortools.sat.python.cp_model import CpModel, Domain, LinearExpr

from models.boards import grid
from models.boards.grid import Cell
from models.errors import ParameterError
from models.puzzle import Drawing, Label, Puzzle, Solution, Symmetry

MAX_NUMBERS = 1000
"""The most numbers and places; the pairs of more would fill the memory."""

MAX_DIGITS = 9
"""The most digits of a number; sums of a thousand such numbers are far below the 64 bits of solvers."""


def magic(
    kind: Literal["blocks", "ring", "square"] = "blocks",
    corners: bool = True,
    numbers: str = "natural",
    sum: int | None = None,
    order: int = 3,
) -> Puzzle:
    """Put different numbers on a square so that its 2x2 blocks, its sides or its lines have the same sum.

    kind: blocks (of 2x2 places), ring (four sides, nothing inside) or square (rows, columns, both diagonals).
    corners: of blocks, the four corners have that sum as well.
    numbers: natural, odd, even or primes (from 3), as many as places; or a list such as 1..8,10, of more if you like.
    sum: what each adds up to; any if not given.
    order: how many places a side has.

    >>> puzzle = magic()
    >>> puzzle.is_solution(dict(zip(puzzle.key, [1, 8, 3, 6, 5, 4, 7, 2, 9])))
    True
    """
    places, chosen = _number_cells(kind, order), _numbers_to_choose(kind, order, numbers)
    groups = _groups(kind, corners, order)
    model = CpModel()
    # Each place holds one of the numbers, and no number is used twice.
    domain = Domain.from_values(chosen)
    number = {place: model.new_int_var_from_domain(domain, f"number[{place}]") for place in places}
    model.add_all_different(number.values())
    # All groups of places add up to the same sum, which may be given.
    size = len(groups[0])
    low, high = _total(chosen[:size]), _total(chosen[-size:])
    total = model.new_int_var(low, high, "sum")
    if sum is not None and low <= sum <= high:
        model.add(total == sum)
    elif sum is not None:
        model.add_bool_or([])  # no numbers reach it
    for group in groups:
        model.add(LinearExpr.sum([number[place] for place in group]) == total)
    # If no number is left over, the rows of a square hold all of them: no single rule above says so to a solver.
    if kind == "square" and len(chosen) == len(places):
        model.add(order * total == _total(chosen))

    parameters = {"kind": kind, "corners": corners, "numbers": numbers, "sum": sum, "order": order}
    symmetries = [_turn_symmetry(turn) for turn in grid.symmetries(frozenset(places))[1:]]
    is_solution = partial(_is_magic, places, chosen, sum, partial(_sums, kind, corners, order))
    draw, feature = partial(_draw, places, chosen, groups[0]), partial(_feature, groups[0])
    return Puzzle("magic", parameters, model, number, symmetries, is_solution, draw, feature, _fills)


_total = sum  # inside magic, sum is the parameter


def _numbers_to_choose(kind: str, order: int, numbers: str) -> list[int]:
    """Return the numbers to choose from, ascending; raise ParameterError if they are too few for the places.

    kind: blocks, ring or square. order: the number of places on a side. numbers: a name such as natural, or a list as
    text. NAMED has, for each name, a function that returns the first so many numbers of a kind.
    """
    size = len(_number_cells(kind, order))
    listed = NAMED[numbers](size) if numbers in NAMED else _read_list(numbers)
    chosen = sorted(listed)
    if len(chosen) < size:
        raise ParameterError(f"the {size} places need as many different numbers; give at least {size}")
    return chosen


def _number_cells(kind: str, order: int) -> list[Cell]:
    """Return the cells (row, column) that hold numbers.

    kind: blocks, ring or square. order: the number of places on a side. Raises ValueError if the kind is unknown or the
    order too small or large.
    """
    if kind not in ("blocks", "ring", "square"):
        raise ParameterError(f"there is no kind {kind!r}; choose blocks, ring or square")
    least = 1 if kind == "square" else 2
    if order < least:
        raise ParameterError(f"a {kind} of order {order} cannot be drawn; choose an order of at least {least}")
    count = order**2
    if kind == "ring":
        count = 4 * (order - 1)
    if count > MAX_NUMBERS:
        raise ParameterError(f"a {kind} of order {order} has more than {MAX_NUMBERS} places; choose a smaller order")
    ends = (0, order - 1)
    cells = sorted(grid.box(order, order))
    if kind != "ring":
        return cells
    return [cell for cell in cells if cell[0] in ends or cell[1] in ends]


def _groups(kind: str, corners: bool, order: int) -> list[list[Cell]]:
    """Return the sets of places (row, column) that must have the same sum.

    kind: blocks, ring or square. corners: of blocks, whether the four corners are such a set. order: the number of
    places on a side.
    """
    along = range(order)
    last = order - 1
    if kind == "blocks":
        corners_of_blocks = [(r, c) for r in range(last) for c in range(last)]
        blocks = [grid.square_at(corner) for corner in corners_of_blocks]
        if corners:
            blocks.append([(0, 0), (0, last), (last, 0), (last, last)])
        return blocks
    lines = [*along]
    if kind == "ring":
        lines = [0, last]
    groups: list[list[Cell]] = [[(line, i) for i in along] for line in lines]
    groups += [[(i, line) for i in along] for line in lines]
    if kind == "square":
        groups.append([(i, i) for i in along])
        groups.append([(i, last - i) for i in along])
    return groups


def _sums(kind: str, corners: bool, order: int, solution: Solution) -> list[int]:
    """Return the sums of a solution that must be equal, computed without `_groups`.

    kind: blocks, ring or square. corners: of blocks, whether the four corners count. order: the number of places on a
    side. A place that the solution lacks counts as 0. solution: the number in each place (row, column).
    """
    along = range(order)
    rows = [[solution.get((r, c), 0) for c in along] for r in along]
    columns = list(zip(*rows, strict=True))
    if kind == "ring":
        sides = (rows[0], rows[-1], columns[0], columns[-1])
        return [*map(sum, sides)]
    if kind == "square":
        down = sum([rows[r][r] for r in along])
        up = sum([rows[r][-1 - r] for r in along])
        return [*map(sum, rows), *map(sum, columns), down, up]
    blocks = []
    for upper, lower in pairwise(rows):
        for c in range(order - 1):
            block = upper[c : c + 2] + lower[c : c + 2]
            blocks.append(sum(block))
    if corners:
        first, last = rows[0], rows[-1]
        blocks.append(first[0] + first[-1] + last[0] + last[-1])
    return blocks


Sums = Callable[[Solution], Sequence[int]]
"""A function from a solution to the sums that must be equal."""


def _is_magic(
    places: Sequence[Cell], numbers: Sequence[int], given: int | None, sums: Sums, solution: Solution
) -> bool:
    """Tell whether a solution obeys the rules.

    places, numbers: those that it must fill and may use. given: the sum that is required; None for any. sums: returns
    the sums of a solution that must be equal. solution: the number in each place.
    """
    values = set(solution.values())
    if solution.keys() != {*places}:
        return False
    if len(values) != len(places) or not values <= set(numbers):
        return False
    distinct_sums = set(sums(solution))
    return len(distinct_sums) == 1 and given in (None, *distinct_sums)


def _turn_symmetry(turn: grid.Turn) -> Symmetry:
    """Return the symmetry that turns the square."""
    return lambda place, value: (turn(place), value)


def _feature(group: Collection[Cell], solution: Solution) -> str:
    """Return the sum of a solution, as "sum 12"; group: places that have this sum."""
    total = sum(solution[place] for place in group)
    return f"sum {total}"


def _fills(place: Label, value: int) -> tuple[str, list[Any]]:
    """Return the name and the cells of what a literal fills: the number, and the place that is its label."""
    return str(value), [place]


def _draw(places: Sequence[Cell], numbers: Sequence[int], group: Collection[Cell], solution: Solution) -> Drawing:
    """Draw a solution, with its sum and the numbers that are left over.

    places, numbers: those that it fills and may use. group: places that have the sum. A part of a solution is drawn
    without sum and numbers. solution: the number in each place.
    """
    labels = {place: str(solution.get(place, "")) for place in places}
    frame = grid.board_with_texts(labels)
    if len(solution) < len(places):
        return [frame]
    left_over = " ".join(str(value) for value in numbers if value not in solution.values())
    caption = _feature(group, solution)
    if left_over:
        caption += f", left over: {left_over}"
    return [frame._replace(caption=caption)]


def _odd_primes(most: int) -> list[int]:
    """Return the first ``most`` odd primes."""
    primes = filter(_is_odd_prime, count(3, 2))
    return list(islice(primes, most))


def _is_odd_prime(n: int) -> bool:
    """Tell whether an odd number from 3 on is prime."""
    divisors = range(3, isqrt(n) + 1, 2)
    return all(n % d for d in divisors)


NAMED: dict[str, Callable[[int], Sequence[int]]] = {
    "natural": lambda most: range(1, most + 1),
    "odd": lambda most: range(1, 2 * most, 2),
    "even": lambda most: range(2, 2 * most + 1, 2),
    "primes": _odd_primes,
}
"""For each name of a kind of numbers, the function that returns the first so many of them."""


def _read_list(numbers: str) -> list[int]:
    """Read a list such as "1..8,10".

    Raises ValueError, with a sentence, if it cannot be read or repeats a number. A part between commas is a number, or
    a range of numbers from the first to the last.
    """
    listed: list[int] = []
    for part in numbers.split(","):
        number = rf"(-?[0-9]{{1,{MAX_DIGITS}}})"
        ends = re.fullmatch(rf"\s*{number}(?:\.\.{number})?\s*", part)
        if not ends:
            known = ", ".join(NAMED)
            raise ParameterError(
                f"{part!r} is not a number of up to {MAX_DIGITS} digits; give {known} or a list such as 1..8,10"
            )
        first = int(ends[1])
        last = int(ends[2] or first)
        if last < first:
            raise ParameterError(f"the range {part.strip()} runs backwards; write the smaller number first")
        if last - first >= MAX_NUMBERS - len(listed):
            raise ParameterError(f"there are more than {MAX_NUMBERS} numbers; give fewer")
        listed += range(first, last + 1)
    repeated = [number for number, times in Counter(listed).items() if times > 1]
    if repeated:
        raise ParameterError(f"{repeated[0]} is given more than once; name each number once")
    return listed
