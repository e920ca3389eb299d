"""All pencil puzzles against their rules: small ones by chance, of which each assignment is tried."""

import re
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from models import PENCIL
from models.puzzle import Solution
from solvers import InputError, solve
from solvers.files.catalogue import find
from tests.support.command import HERE
from tests.support.own_models import write
from tests.support.pencil_rules import SMALL
from tests.support.puzzles import is_right
from tests.support.tiers import sampled

COUNTED = [
    ("kakuro", r"# 3\ / # .", 1),
    ("kakuro", r"# 3\ / \4 .", 0),
    ("kakuro", r"# \3 .", 1),
    ("kakuro", r"# 3\ # / \4 . #", 0),
    ("nonogram", "0 | 1", 0),
    ("nonogram", "1x1:1/0", 0),
    ("nonogram", "1 | 1", 1),
]
"""Boards of which a line across and a line down have the same cell."""


@pytest.mark.parametrize(("name", "puzzle", "count"), COUNTED)
def test_a_cell_by_itself_has_two_clues(name: str, puzzle: str, count: int) -> None:
    assert solve(find(name).declare(puzzle=puzzle), jobs=1).total == count


def check(name: str, seed: int) -> None:
    """The count is that of the assignments that obey the rules; the puzzle's own check says so of each."""
    small = SMALL[name](Random(f"{name} {seed}"))
    puzzle = find(name).declare(**small.parameters)
    assert {*puzzle.key} == {*small.labels}, small.parameters
    count = 0
    for values in small.assignments:
        solution = dict(zip(small.labels, values, strict=True))
        is_solution = small.obeys(solution)
        count += is_solution
        assert is_right(puzzle, solution) is is_solution, (small.parameters, solution)
    assert solve(puzzle, backend="sat", jobs=1).total == count, small.parameters


@pytest.mark.parametrize("name", sampled(SMALL, 3))
def test_every_assignment_of_small_puzzles(name: str) -> None:
    for seed in range(2):
        check(name, seed)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SMALL)
def test_every_assignment_of_many_small_puzzles(name: str) -> None:
    for seed in range(2, 10):
        check(name, seed)


def test_each_genre_has_its_rules() -> None:
    assert SMALL.keys() == PENCIL.keys()


@pytest.mark.parametrize("name", ["sudoku", "numbrix"])
def test_no_cell_holds_two_numbers_or_none(name: str) -> None:
    for seed in range(8):
        small = SMALL[name](Random(seed))
        puzzle = find(name).declare(**small.parameters)
        right: Solution = next(iter(solve(puzzle, limit=1, jobs=1).in_all()), {})
        for label in right:
            assert not is_right(puzzle, {**right, label: 1 - right[label]})


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("heyawake", {"puzzle": "AAB/AAB A=1 A=2"}, "the room A has two numbers, 1 and 2"),
        ("sudoku", {"cages": "AA../..../..../.... A=3 A=5"}, "cage A has two sums, 3 and 5"),
    ],
)
def test_a_second_number_is_no_other_one(name: str, parameters: dict[str, str], said: str) -> None:
    with pytest.raises(InputError) as refused:
        find(name).declare(**parameters)
    assert said in str(refused.value)


@pytest.mark.parametrize("name", SMALL)
def test_no_check_reads_what_the_model_reads(name: str) -> None:
    module = import_module(PENCIL[name][0])
    check = find(name).declare().is_solution
    assert isinstance(check, partial)
    assert check.func is module._obeys
    used = {part for function in (module._obeys, getattr(module, "_read_again", None)) for part in _names(function)}
    assert not used & {"clues", "marks", "_read"}


def _names(function: Any) -> tuple[str, ...]:
    """The global names in a function."""
    return function.__code__.co_names if function else ()


def examples() -> list[tuple[str, str]]:
    """The name and each example in the table of the shelf's page."""
    page = (HERE / "models" / "pencil" / "README.md").read_text(encoding="utf-8")
    rows = [re.split(r" (?<!\\)\| ", line) for line in page.splitlines() if line.startswith("| `")]
    found = [
        (row[0].strip("| `"), span.replace(r"\|", "|")) for row in rows for span in re.findall("`([^`]+)`", row[2])
    ]
    return [(name, span) for name, span in found if span != "\\" and "--" not in span]


def test_each_puzzle_has_an_example() -> None:
    assert [*dict(examples())] == [*PENCIL]


@pytest.mark.parametrize(("name", "example"), sampled(examples(), 3))
def test_each_example_has_one_solution(name: str, example: str, tmp_path: Path) -> None:
    parameters, given = {"puzzle": example}, []
    if name in ("sudoku", "numbrix"):
        kind = "cages" if "=" in example else "regions" if "/" in example else ""
        parameters = {kind: example} if kind else {"board": "3x3"} if name == "numbrix" else {}
        cells = next(first for other, first in examples() if other == name)
        given = [str(write(tmp_path / "cells.txt", cells))] if kind != "cages" else []
    parameters = parameters or {"rows": "2"}
    assert solve(find(name).declare(**parameters), given=given, jobs=1).total == 1


def test_blanks_around_rooms_say_nothing() -> None:
    plain, blanks = (find("heyawake").declare(puzzle=puzzle) for puzzle in ("AAB/ABB A=1", " AAB/ABB  A=1 "))
    assert [*plain.key] == [*blanks.key]
    assert solve(plain, jobs=1).total == solve(blanks, jobs=1).total


def test_rooms_have_letters_of_all_alphabets() -> None:
    counts = [
        solve(find("heyawake").declare(puzzle=f"{a}{a}{b}/{a}{b}{b} {a}=1"), jobs=1).total for a, b in ("AB", "ĀЖ")
    ]
    assert counts[0] == counts[1] > 0


def test_other_signs_of_a_white_cell_of_kakuro() -> None:
    assert solve(find("kakuro").declare(puzzle=r"# 4\ 3\ / \4 - _ / \3 _ ."), jobs=1).total == 1
    assert solve(find("kakuro").declare(puzzle=r"# 4\ 3\ / \9 - _ / \3 _ ."), jobs=1).total == 0
