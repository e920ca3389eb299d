"""Magic against all ways to place the numbers, one after the other."""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.magic import magic
from models.puzzle import Puzzle
from solvers.show.draw import text
from tests.attack import oracle
from tests.support.enumerate import key_solutions
from tests.support.puzzles import drawn, is_right, valued
from tests.support.refusals import refused

Group = tuple[int, ...]

RING: list[Group] = [(0, 1, 2), (5, 6, 7), (0, 3, 5), (2, 4, 7)]
BLOCKS: list[Group] = [(0, 1, 3, 4), (1, 2, 4, 5), (3, 4, 6, 7), (4, 5, 7, 8)]
CORNERS = (0, 2, 6, 8)
LINES: list[Group] = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
"""Sums of a square of order 3, its places numbered in reading order."""

GROUPS: dict[tuple[str, bool, int], list[Group]] = {
    ("ring", True, 3): RING,
    ("blocks", True, 3): [*BLOCKS, CORNERS],
    ("blocks", False, 3): BLOCKS,
    ("square", True, 3): LINES,
    ("ring", True, 2): [(0, 1), (2, 3), (0, 2), (1, 3)],
    ("blocks", True, 2): [(0, 1, 2, 3)],
    ("square", True, 2): [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)],
    ("square", True, 1): [(0,)],
}


def orbits(puzzle: Puzzle, solutions: set[tuple[int, ...]]) -> int | None:
    """How many solutions there are up to the declared symmetries; None if an image is none."""
    assert all(is_right(puzzle, valued(puzzle, values)) for values in solutions)
    return oracle.orbits((frozenset(valued(puzzle, values).items()) for values in solutions), puzzle.symmetries)


def ways(groups: list[Group], numbers: Iterable[int], total: int | None) -> set[tuple[int, ...]]:
    def sums(values: tuple[int, ...]) -> set[int]:
        return {sum(values[place] for place in group) for group in groups}

    places = 1 + max(place for group in groups for place in group)
    return {v for v in permutations(numbers, places) if len(sums(v)) == 1 and total in (None, *sums(v))}


@pytest.mark.parametrize(
    ("options", "sums"),
    [
        ({}, {20: 1}),
        ({"kind": "ring"}, {12: 1, 13: 2, 14: 2, 15: 1}),
        ({"kind": "ring", "numbers": "odd"}, {21: 1, 23: 2, 25: 2, 27: 1}),
        ({"kind": "ring", "numbers": "even"}, {24: 1, 26: 2, 28: 2, 30: 1}),
        ({"kind": "ring", "numbers": "primes"}, {31: 1}),
        ({"kind": "ring", "sum": 13}, {13: 2}),
        ({"kind": "ring", "sum": 16}, {}),
        ({"kind": "square"}, {15: 1}),
        ({"kind": "square", "order": 1}, {1: 1}),
        ({"kind": "square", "order": 2}, {}),
    ],
)
def test_known_squares(options: dict[str, Any], sums: dict[int, int]) -> None:
    puzzle = magic(**options)
    assert puzzle.feature is not None
    solutions = key_solutions(puzzle)
    by_sum: dict[str, set[tuple[int, ...]]] = {}
    for values in solutions:
        by_sum.setdefault(puzzle.feature(valued(puzzle, values)), set()).add(values)
    assert {feature: orbits(puzzle, alike) for feature, alike in by_sum.items()} == {
        f"sum {total}": count for total, count in sums.items()
    }
    assert len(solutions) == (1 if options.get("order") == 1 else 8 * sum(sums.values()))


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ({}, "183654729"),
        ({"kind": "ring", "sum": 12}, "18357642"),
        ({"kind": "ring", "sum": 13}, "17546832"),
        ({"kind": "ring", "sum": 13}, "18473526"),
        ({"kind": "ring", "sum": 14}, "16753824"),
        ({"kind": "ring", "sum": 14}, "37462518"),
        ({"kind": "ring", "sum": 15}, "35742816"),
    ],
)
def test_printed_solutions(options: dict[str, Any], printed: str) -> None:
    puzzle, values = magic(**options), tuple(map(int, printed))
    assert is_right(puzzle, valued(puzzle, values))
    assert values in key_solutions(puzzle)


def test_blocks_by_all_permutations() -> None:
    without = ways(BLOCKS, range(1, 10), None)
    right = {values for values in without if sum(values[p] for p in CORNERS) == sum(values[p] for p in BLOCKS[0])}
    assert 0 < len(right) < len(without)
    for corners, expected in ((True, right), (False, without)):
        puzzle = magic(corners=corners)
        assert key_solutions(puzzle) == expected
        assert orbits(puzzle, expected) == len(expected) // 8


def with_numbers(shape: tuple[Any, bool, int], numbers: list[int], total: int | None = None) -> Puzzle:
    """The puzzle, once it has been compared with all permutations."""
    kind, corners, order = shape
    puzzle = magic(kind, corners, ",".join(map(str, numbers)), total, order)
    right = ways(GROUPS[shape], numbers, total)
    assert key_solutions(puzzle) == right
    assert orbits(puzzle, right) is not None
    return puzzle


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([("ring", True, 2), ("blocks", True, 2), ("square", True, 2), ("square", True, 1)]),
    st.lists(st.integers(-9, 30), min_size=4, max_size=7, unique=True),
    st.none() | st.integers(-10, 60),
)
def test_random_numbers(shape: tuple[Any, bool, int], numbers: list[int], total: int | None) -> None:
    puzzle, right = with_numbers(shape, numbers, total), ways(GROUPS[shape], numbers, total)
    for values in permutations(numbers, len(puzzle.key)):
        assert is_right(puzzle, valued(puzzle, values)) == (values in right)


@settings(max_examples=3, deadline=None)
@given(
    st.sampled_from([("ring", True, 3), ("blocks", True, 3), ("blocks", False, 3), ("square", True, 3)]),
    st.lists(st.integers(-3, 12), min_size=9, max_size=9, unique=True),
)
@pytest.mark.thorough
def test_random_numbers_of_order_3(shape: tuple[Any, bool, int], numbers: list[int]) -> None:
    with_numbers(shape, numbers)


@pytest.mark.parametrize("options", [{}, {"kind": "ring"}, {"kind": "ring", "numbers": "1..9"}, {"kind": "square"}])
def test_changed_solutions_are_none(options: dict[str, Any]) -> None:
    puzzle = magic(**options)
    values = min(key_solutions(puzzle))
    solution = valued(puzzle, values)
    for place in puzzle.key:
        assert not is_right(puzzle, {**solution, place: 0})
        assert not is_right(puzzle, {**solution, place: values[0] if place != (0, 0) else values[1]})
        assert not is_right(puzzle, {other: value for other, value in solution.items() if other != place})
    assert not is_right(puzzle, {**solution, (7, 7): 10})
    assert not is_right(magic(**{**options, "sum": 1}), solution)


@pytest.mark.parametrize(
    ("spelt", "written"), [("1..8", "1,2,3,4,5,6,7,8"), ("-3..4", "4, 3,2,1,0,-1,-2,-3"), ("8,1..7", "1..8")]
)
def test_numbers_are_listed_or_given_as_ranges(spelt: str, written: str) -> None:
    assert key_solutions(magic("ring", numbers=spelt)) == key_solutions(magic("ring", numbers=written))


@pytest.mark.parametrize(
    "options",
    [
        {"sum": 100},
        {"sum": -20},
        {"kind": "ring", "sum": 16},
        {"kind": "square", "sum": 14},
        {"kind": "square", "numbers": "2,4,6,8,10,12,14,16,19"},
        {"kind": "square", "order": 2},
    ],
)
def test_what_is_merely_impossible_has_no_solution(options: dict[str, Any]) -> None:
    assert not key_solutions(magic(**options))


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "cube"},
        {"order": 0},
        {"order": 1},
        {"order": -3, "kind": "square"},
        {"order": 32, "kind": "square"},
        {"order": 10**9, "kind": "ring"},
        {"numbers": ""},
        {"numbers": "prime"},
        {"numbers": "1..8"},
        {"numbers": "1..9,5"},
        {"numbers": "9..1"},
        {"numbers": "1...9"},
        {"numbers": "1,2,x"},
        {"numbers": "1.5,2"},
        {"numbers": "1..99999999"},
        {"numbers": "1..900,2000..2900"},
        {"numbers": "9" * 30},
    ],
)
def test_nonsense_is_refused_in_one_sentence(options: dict[str, Any]) -> None:
    refused(";", magic, **options, raises=ValueError)


def test_drawing() -> None:
    puzzle = magic("ring", numbers="1..9", sum=13)
    picture = """
        sum 13, left over: 8
        ┌───┬───┬───┐
        │ 1 │ 9 │ 3 │
        ├───┼───┼───┤
        │ 5 │░░░│ 6 │
        ├───┼───┼───┤
        │ 7 │ 2 │ 4 │
        └───┴───┴───┘
    """
    drawing = drawn(puzzle, valued(puzzle, (1, 9, 3, 5, 6, 7, 2, 4)))
    assert text(drawing) == "\n".join(line[8:] for line in picture.splitlines()[1:-1])
    assert len(drawing[0].shapes) == 9, "the place inside the ring is a hole"
