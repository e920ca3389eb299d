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

BLOCKS: list[Group] = [(0, 1, 3, 4), (1, 2, 4, 5), (3, 4, 6, 7), (4, 5, 7, 8)]
CORNERS = (0, 2, 6, 8)

GROUPS: dict[tuple[Any, int], list[Group]] = {
    ("ring", 2): [(0, 1), (2, 3), (0, 2), (1, 3)],
    ("blocks", 2): [(0, 1, 2, 3)],
    ("square", 2): [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)],
    ("square", 1): [(0,)],
}
"""Places with equal sums, by kind and order of the square; they are numbered in reading order."""


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
        ({"kind": "square", "sum": 14}, {}),
        ({"sum": 100}, {}),
        ({"sum": -20}, {}),
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


@pytest.mark.thorough
def test_blocks_by_all_permutations() -> None:
    without = ways(BLOCKS, range(1, 10), None)
    right = {values for values in without if sum(values[p] for p in CORNERS) == sum(values[p] for p in BLOCKS[0])}
    assert 0 < len(right) < len(without)
    for corners, expected in ((True, right), (False, without)):
        puzzle = magic(corners=corners)
        assert key_solutions(puzzle) == expected
        assert orbits(puzzle, expected) == len(expected) // 8


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([*GROUPS]),
    st.lists(st.integers(-9, 30), min_size=4, max_size=7, unique=True),
    st.none() | st.integers(-10, 60),
)
def test_random_numbers(shape: tuple[Any, int], numbers: list[int], total: int | None) -> None:
    puzzle = magic(shape[0], numbers=",".join(map(str, numbers)), sum=total, order=shape[1])
    right = ways(GROUPS[shape], numbers, total)
    assert key_solutions(puzzle) == right
    assert orbits(puzzle, right) is not None
    for values in permutations(numbers, len(puzzle.key)):
        assert is_right(puzzle, valued(puzzle, values)) == (values in right)


@pytest.mark.parametrize("options", [{}, {"kind": "ring"}, {"kind": "ring", "numbers": "1..9"}, {"kind": "square"}])
def test_changed_solutions_are_none(options: dict[str, Any]) -> None:
    puzzle = magic(**options)
    values = min(key_solutions(puzzle))
    solution = valued(puzzle, values)
    changed = [{**solution, (7, 7): 10}]
    for place in puzzle.key:
        repeated = values[0] if place != (0, 0) else values[1]
        without = {other: value for other, value in solution.items() if other != place}
        changed += [{**solution, place: 0}, {**solution, place: repeated}, without]
    assert not any(is_right(puzzle, one) for one in changed)
    assert not is_right(magic(**{**options, "sum": 1}), solution)


@pytest.mark.parametrize(
    ("spelt", "written"), [("1..8", "1,2,3,4,5,6,7,8"), ("-3..4", "4, 3,2,1,0,-1,-2,-3"), ("8,1..7", "1..8")]
)
def test_numbers_are_listed_or_given_as_ranges(spelt: str, written: str) -> None:
    assert key_solutions(magic("ring", numbers=spelt)) == key_solutions(magic("ring", numbers=written))


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
