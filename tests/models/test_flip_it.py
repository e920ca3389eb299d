"""Flip It against a search of its own: breadth first over positions written as text."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from models.flip_it import flip_it
from solvers import solve
from solvers.show.draw import text
from tests.support.flip_it import HARDEST, all_white, jumps, layers
from tests.support.puzzles import drawn, is_right
from tests.support.refusals import refused


def shortest(board: str, goals: list[str], neighbours: bool, horizon: int) -> tuple[int | None, int]:
    """The length of the shortest plans, None beyond the horizon, and how many there are."""
    ways = Counter([board])
    seen = {board}
    for moves in range(horizon + 1):
        if reached := sum(ways[goal] for goal in goals):
            return moves, reached
        jumped = (after for row in ways.elements() for _, after in jumps(row, neighbours))
        ways = Counter(after for after in jumped if after not in seen)
        seen.update(ways)
    return None, 0


def check_shortest(board: str, goal: str, neighbours: bool, horizon: int) -> float | None:
    """Compare the shortest plans, with those that are their mirror images, with this search; how long they are."""
    result = solve(flip_it(board, goal, neighbours, horizon), backend="cp-sat", jobs=1)
    goals = all_white(len(board)) if goal == "any" else [goal]
    assert result.complete
    assert (result.report.objective, result.total) == shortest(board, goals, neighbours, horizon), (board, goal)
    return result.report.objective


def rows(size: int) -> list[str]:
    """Every row of counters and one space."""
    return [row for marks in product("bw_", repeat=size) if (row := "".join(marks)).count("_") == 1]


@pytest.mark.parametrize(("size", "neighbours", "reachable", "depth", "last"), HARDEST)
def test_the_search_of_these_tests_finds_the_published_table(
    size: int, neighbours: bool, reachable: int, depth: int, last: str
) -> None:
    found = layers(all_white(size), neighbours)
    assert (sum(map(len, found)), len(found) - 1, found[-1]) == (reachable, depth, last.split())


@pytest.mark.thorough
@pytest.mark.parametrize("neighbours", [False, True])
@pytest.mark.parametrize("size", [2])
def test_every_small_board_with_every_goal(size: int, neighbours: bool) -> None:
    for board, goal in product(rows(size), ["any", *(rows(size) if size < 3 else [])]):
        check_shortest(board, goal, neighbours, horizon=6)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("board", "goal", "neighbours", "moves"),
    [
        ("bb_bbb", "any", False, 8),
        ("bb_bbb", "_wwwww", False, 9),
        ("_bbbbb", "any", False, 4),
        ("b_wbb", "ww_ww", False, 16),
        ("bb_wbb", "any", True, 6),
        ("bb_bbb", "wwb_ww", True, 7),
    ],
)
def test_shortest_plans(board: str, goal: str, neighbours: bool, moves: int) -> None:
    assert check_shortest(board, goal, neighbours, horizon=moves + 2) == moves


def test_that_there_is_no_plan_is_said_of_the_horizon() -> None:
    assert flip_it(horizon=7).remarks.unsolved == "no plan of 7 moves or fewer"


def test_round_symbols_are_the_letters() -> None:
    for board in ("_bbbbb", "_●●●●●", " ●●●●●"):
        assert is_right(flip_it(board, "○○○○○_", horizon=4), {1: 5, 2: 2, 3: 0, 4: 5})


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        ({1: 5, 2: 2, 3: 0, 4: 0, 5: 0}, "ends early"),
        ({1: 5, 2: 5, 3: 2, 4: 0, 5: 5}, "rests before its end"),
        ({1: 5, 2: 2, 3: 0, 4: 5, 5: 4}, "goes on, with a counter that jumps over none"),
        ({1: 1, 2: 5, 3: 2, 4: 0, 5: 5}, "begins with a counter that jumps over none"),
        ({1: 5, 2: 2, 3: 0, 4: 5}, "says nothing of the last move"),
        ({1: 6, 2: 2, 3: 0, 4: 5, 5: 5}, "leaves the row"),
        ({1: -1, 2: 2, 3: 0, 4: 5, 5: 5}, "leaves the row"),
    ],
)
def test_a_broken_plan_is_no_solution(plan: dict[int, int], fault: str) -> None:
    puzzle = flip_it("_bbbbb", horizon=5)
    assert is_right(puzzle, {1: 5, 2: 2, 3: 0, 4: 5, 5: 5})
    assert not is_right(puzzle, plan), fault


@pytest.mark.parametrize(
    ("board", "goal", "symmetries"),
    [
        ("bbb_bbb", "any", 1),
        ("bwb_bwb", "www_www", 1),
        ("bbb_bbb", "_wwwwww", 0),
        ("bbw_bbb", "any", 0),
        ("bb_bbb", "any", 0),
    ],
)
def test_the_mirror_image_counts_where_board_and_goal_have_one(board: str, goal: str, symmetries: int) -> None:
    assert len(flip_it(board, goal).symmetries) == symmetries


def test_a_plan_is_drawn_move_by_move() -> None:
    assert (
        text(drawn(flip_it("_bbw", horizon=3), {1: 3, 2: 3, 3: 3}))
        == """\
start
┌───┬───┬───┬───┐
│   │░●░│░●░│ ○ │
└───┴───┴───┴───┘
move 1: 3 to 0
┌───┬───┬───┬───┐
│ ○ │ ○ │ ○ │   │
└───┴───┴───┴───┘"""
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"board": "bbbbb"}, "has no empty cell"),
        ({"board": ""}, "has no empty cell"),
        ({"board": "b__bb"}, "has 2 empty cells"),
        ({"board": "bx_bb"}, "holds 'x'"),
        ({"board": "_"}, "has no counter"),
        ({"goal": "_wwww"}, "has 5 cells"),
        ({"goal": "wwwwww"}, "has no empty cell"),
        ({"goal": "white"}, "holds"),
        ({"horizon": 0}, "at least 1"),
        ({"horizon": -1}, "at least 1"),
        ({"horizon": 10**9}, "too many"),
        ({"board": "_" + "b" * 99}, "too many"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(arguments: dict[str, Any], complaint: str) -> None:
    assert not refused(complaint, flip_it, **arguments, raises=ValueError).endswith(".")
