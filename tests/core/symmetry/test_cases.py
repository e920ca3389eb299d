"""Symmetry by cases, from the puzzle to the report: counts against brute force, on every backend and in every way."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import Result, solve
from solvers.base.errors import CheckError
from solvers.symmetry.breaking import by_cases
from tests.support.covers import closed_covers
from tests.support.groups import group_of
from tests.support.puzzles import model_of
from tests.support.random_models import brute_force
from tests.support.refusals import refused
from tests.support.tiers import sampled

SUBSET: dict[str, Any] = {"board": "5x5", "subset": True}
"""Its group of 8 is broken by 13 cases, and some solutions are met twice."""

WAYS: list[dict[str, Any]] = [
    {},
    {"cubes": 1},
    {"cubes": 2},
    {"count_only": True, "sample": 1},
    {"count_only": True},
    {"store": "run.db"},
]


def orbits(puzzle: Puzzle) -> tuple[int, int]:
    """By hand: how many orbits the solutions make, and how many they are."""
    group, found = group_of(puzzle), brute_force(model_of(puzzle))
    return len({group.images(group.key.encode(values))[0] for values in found}), len(found)


def held(puzzle: Puzzle, backend: str, way: dict[str, Any]) -> None:
    result = solve(puzzle, backend=backend, jobs=1, **way)
    assert result.complete
    assert (result.solutions, result.total) == orbits(puzzle)
    assert not result.report.repeats


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(closed_covers(), st.sampled_from(WAYS[:-1]))
def test_covers_against_brute_force(puzzle: Puzzle, way: dict[str, Any]) -> None:
    held(puzzle, "cover", way)


@cache
def without_cases() -> Result:
    result = solve(pentomino(**SUBSET), backend="cover", unbroken=True)
    assert result.solutions == 107
    return result


@pytest.mark.parametrize("backend", sampled(["cover", "sat", "cp", "cp-sat"], 2))
def test_many_cases(backend: str) -> None:
    result = solve(pentomino(**SUBSET), backend=backend, jobs=1)
    assert (result.solutions, result.total, result.report.repeats) == (107, 856, 0)
    assert list(result) == list(without_cases())


@pytest.mark.thorough
def test_given_unique_and_limit() -> None:
    found = solve(pentomino(**SUBSET), backend="cover", limit=3)
    assert (found.solutions, found.report.stopped_by) == (3, "the limit")
    first: Any = [(label, 1) for label, value in found[0].items() if value]
    assert solve(pentomino(**SUBSET), backend="sat", given=first, unique=True).report.unique is True
    assert solve(pentomino(**SUBSET), backend="cover", unique=True).report.unique is False


@pytest.mark.thorough
def test_a_store_of_cases_goes_on(tmp_path: Path) -> None:
    begun = solve(pentomino(**SUBSET), backend="cover", store=tmp_path / "run.db", limit=20)
    assert not begun.complete
    ended = solve(pentomino(**SUBSET), backend="sat", store=tmp_path / "run.db")
    assert (ended.solutions, ended.total, ended.report.repeats) == (107, 856, 0)
    refused("differs in its", solve, pentomino(**SUBSET), backend="cover", store=tmp_path / "run.db", unbroken=True)


def test_members_that_are_not_met_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    lossy: Any = lambda *asked: replace(by_cases(*asked), stands_for=len)  # noqa: E731
    monkeypatch.setattr("solvers.symmetry.breaking.by_cases", lossy)
    sentence = "solutions were found, from which .* follow, but with their images they are"
    refused(sentence, solve, pentomino(**SUBSET), backend="cover", raises=CheckError)


@pytest.mark.parametrize(("board", "total"), [("3x5", 28), ("4x5", 200)])
def test_cases_that_contradict_themselves_hold_nothing(board: str, total: int) -> None:
    """Their literal that holds was left out before."""
    assert solve(pentomino(board=board, subset=True), backend="cover").total == total
