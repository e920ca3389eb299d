"""Why there is no solution: smallest contradictions held against all subsets, counting arguments against searches."""

import random
import threading
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel, IntVar

from models.packing import packing
from models.pentomino import pentomino
from solvers import InputError, solve
from solvers.extras.questions.functions import why
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.reasons.by_counting import by_counting
from solvers.extras.questions.reasons.conflict import WhyNone
from solvers.extras.questions.reasons.reason import Rule, Wanted
from solvers.extras.questions.reasons.rules import rules
from solvers.extras.questions.reasons.why import make_reasoner
from solvers.files.given import Fact
from solvers.symmetry.key import Key
from tests.support.command import printed, told
from tests.support.declared import BOOLEAN, puzzle
from tests.support.random_models import can_hold, random_puzzle
from tests.support.sudoku import EULER, clues, sudoku


def texts(parts: Iterable[Rule | Fact]) -> list[str]:
    return sorted(part.text for part in parts)


def hold_against_all_subsets(seeds: Iterable[int]) -> int:
    """How many random models had no solution; one MUS, a smallest one and all are as brute force has them."""
    contradictory = 0
    for seed in seeds:
        puzzle, choice = random_puzzle(seed, objectives=False), random.Random(seed)
        key = Key(puzzle.model, puzzle.key)
        if puzzle.model.proto.assumptions or key.size > 60:
            continue
        numbers = choice.sample(range(key.size), min(3, key.size))
        given = {key.labels[position]: value for position, value in map(key.literal, numbers)}
        ready = pose(puzzle, [*given.items()], "none", None, threading.Event())
        parts: list[Rule | Fact] = [*rules(puzzle, key, puzzle.model), *ready.given]
        if len(parts) > 8:
            continue
        minimal: list[set[Rule | Fact]] = []
        for chosen in (chosen for size in range(len(parts) + 1) for chosen in combinations(parts, size)):
            kept = [place for part in chosen if isinstance(part, Rule) for place in part.constraints]
            facts = [part for part in chosen if isinstance(part, Fact)]
            if not any(mus <= {*chosen} for mus in minimal) and not can_hold(puzzle, key, kept, facts):
                minimal.append({*chosen})
        every = why(puzzle, given=given, every=True)
        assert (every.solution is None) == bool(minimal)
        assert every.code == (0 if minimal else 4)
        if minimal:
            contradictory += 1
            (any_mus,) = sets_of(why(puzzle, given=given))
            (smallest,) = sets_of(why(puzzle, given=given, smallest=True))
            assert sorted(map(texts, sets_of(every))) == sorted(map(texts, minimal))
            assert [*map(len, sets_of(every))] == sorted(map(len, minimal))
            assert texts(any_mus) in [*map(texts, minimal)]
            assert len(smallest) == len(minimal[0])
    return contradictory


def sets_of(answer: WhyNone) -> list[list[Rule | Fact]]:
    assert answer.known
    assert answer.is_complete
    return [[*contradiction.rules, *contradiction.facts] for contradiction in answer.known.sets]


def test_minimal_contradictions_of_random_models() -> None:
    assert hold_against_all_subsets(range(12)) > 2


@pytest.mark.thorough
def test_minimal_contradictions_of_many_random_models() -> None:
    assert hold_against_all_subsets(range(12, 80)) > 10


@pytest.mark.thorough
def test_counting_arguments_are_sound() -> None:
    found, choice = 0, random.Random(5)
    for _ in range(60):
        size = choice.choice(((4, 4), (3, 6), (4, 5)))
        board = [["#"] * size[1] for _ in range(size[0])]
        for _ in range(choice.randrange(3)):
            board[choice.randrange(size[0])][choice.randrange(size[1])] = "."
        pieces = choice.choice(
            ("dominoes x*", "1x3 x*", "tetrominoes x0-1", "1x4 x* + dominoes x0-1", "tetrominoes x0-2")
        )
        try:
            puzzle = packing("\n".join(map("".join, board)), pieces)
        except ValueError:
            continue
        ready = pose(puzzle, (), "none", None, threading.Event())
        if by_counting(ready):
            found += 1
            assert not solve(puzzle, backend="sat", jobs=1).total
    assert found > 6


@pytest.mark.parametrize(
    ("board", "pieces", "words"),
    [
        (
            ".#######\n" + "########\n" * 6 + "#######.\n",
            "dominoes x*",
            "30 have an even row + column (one colour of a chessboard); but the pieces can cover 31",
        ),
        ("4x5", "tetrominoes", "cover 9 or 11 of such cells, never 10"),
        ("10x10", "1x4 x25", "25 have an even row and an even column; but the pieces can cover 24 or 26"),
    ],
)
def test_colourings(board: str, pieces: str, words: str) -> None:
    """S. W. Golomb, Polyominoes: the board without corners, the five tetrominoes, 10x10 by 1x4."""
    answer = why(packing(board, pieces))
    assert words in str(answer)
    assert answer.as_json()["counting"] == str(answer)


@pytest.mark.thorough
def test_areas_and_cells_that_nothing_reaches() -> None:
    every = why(pentomino("5x5", subset=True), given=["row 1 column 2 = X"], smallest=True)
    assert str(every).startswith("Nothing can lie on row 1 column 1 once what is given lies there")
    assert every.as_json()["sets"] == [{"rules": ["row 1 column 1 is covered"], "facts": ["row 1 column 2 = X"]}]
    labels = [*product("AB", range(4))]
    of_one = [[label for label in labels if label[0] == name] for name in "AB"]
    on_one = [[label for label in labels if label[1] in (cell - 1, cell)] for cell in range(5)]

    def cover(m: CpModel, *lies: IntVar) -> None:
        for some in of_one + on_one:
            m.add_exactly_one(lies[labels.index(one)] for one in some)

    areas = puzzle(
        dict.fromkeys(labels, BOOLEAN),
        cover,
        fills=lambda label, _: (label[0], [(0, label[1]), (0, label[1] + 1)]),
    )
    assert str(why(areas)) == (
        "There are 5 cells to cover, but the pieces cannot fill just that many; at most 4 of them."
    )


def test_a_sudoku_with_20_clues_too_many() -> None:
    right: dict[Any, int] = dict(solve(sudoku(), given=clues(EULER), jobs=1)[0])
    free = random.Random(1).sample([cell for cell in right if cell not in clues(EULER)], 20)
    given = {**clues(EULER), **{cell: right[cell] % 9 + 1 for cell in free}}
    assert len(sets_of(why(sudoku(), given=given, smallest=True))[0]) == 3


def test_what_is_known_when_the_time_ends() -> None:
    """It says how far it came, which rules are most, and exits with 3; without any time, nothing was left out."""
    right: dict[Any, int] = dict(solve(sudoku(), given=clues(EULER), jobs=1)[0])
    wrong = {**clues(EULER), (0, 0): right[0, 0] % 9 + 1}
    asked = pose(sudoku(), [*wrong.items()], "none", None, threading.Event())
    answer = WhyNone(asked, Wanted.ANY)
    answer.known = next(make_reasoner(asked).contradictions(asked.given, Wanted.ANY))
    (head, *_) = str(answer).splitlines()
    size = answer.known.sets[0].size
    assert f"Of the {answer.known.total} rules and givens, {size} are left; whether {size} of these are needed" in head
    assert "The rules are " in head
    assert 'like "row ' in head
    assert (answer.code, answer.is_complete, answer.as_json()["minimal"]) == (3, False, False)


def test_a_list_of_contradictions_that_the_time_ended_is_not_complete() -> None:
    """Two of 28 pairs of equal numbers are shown, with the words that there may be others."""
    apart = puzzle(
        dict.fromkeys("abcdefgh", (0, 0)),
        *(lambda m, *x, pair=pair: m.add(x[pair[0]] != x[pair[1]]) for pair in combinations(range(8), 2)),
    )
    asked = pose(apart, (), "none", None, threading.Event())
    *some, last = make_reasoner(asked).contradictions((), Wanted.EVERY)
    assert (len(last.sets), last.is_complete, some[-1].is_complete) == (28, True, False)
    answer = WhyNone(asked, Wanted.EVERY)
    answer.known = some[-1]._replace(sets=some[-1].sets[:2])
    assert str(answer).startswith("2 minimal contradictions (MUSes), the first of 1 rule; there may be others:\n1.\n")
    assert (answer.code, answer.as_json()["every"]) == (3, False)
    answer.known = last
    assert str(answer).startswith("28 minimal contradictions (MUSes), the first of 1 rule; there are no others:")
    assert (answer.code, answer.as_json()["every"], answer.as_json()["smallest"]) == (0, True, True)


def test_the_circle_and_its_solution() -> None:
    circle = puzzle(
        dict.fromkeys(("x0", "x1", "x2"), (0, 9)),
        lambda m, *x: m.add(sum(x) == 12),
        lambda m, x, y, z: m.add(x < y),
        lambda m, x, y, z: m.add(y < z),
        lambda m, x, y, z: m.add(z < x),
        name="circle",
    )
    assert str(why(circle)).splitlines()[1:] == ["  x0 < x1", "  x1 < x2", "  x2 < x0"]
    with pytest.raises(InputError, match="circle has no solution; the command why without a fact"):
        why(circle, "x0=1")
    assert str(why("magic")).startswith("There is a solution:")
    circle.model.minimize(circle.key["x0"])
    assert len(why(circle).as_json()["sets"][0]["rules"]) == 3


@pytest.mark.thorough
def test_command(tmp_path: Path) -> None:
    answer = told("why", "magic", "--given", "0 0=1", "--given", "1 1=4", "--every")["why"]
    assert (answer["solvable"], answer["smallest"]) == (False, True)
    assert answer["sets"]
    printed("why", "magic", code=4)


def test_a_part_that_is_cut_off_has_the_wrong_size() -> None:
    given = {("L", ((0, 1), (0, 2), (1, 2), (2, 2), (3, 2))): 1}
    puzzle = packing("4x5", "LPUY")
    answer = str(why(puzzle, given=[*given.items()]))
    assert answer.startswith("The part of row 1 column 1; rows 2-4 columns 1-2 is cut off from the rest:")
    assert answer.endswith("cannot fill its 7 cells.")
    assert not len(solve(puzzle, given=given, symmetry="none", limit=1))
