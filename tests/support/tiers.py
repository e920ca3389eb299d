"""The tier in which a test runs: by a mark, by its place among the cases of a test, or by how long it takes."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

THOROUGH_SECONDS, SLOW_SECONDS = 0.5, 1.5
"""The processor seconds from which on a test is thorough, or slow."""

THOROUGH_CASE_SECONDS, SLOW_CASE_SECONDS = 0.4, 0.8
"""Those from which on a case of a test is so, if a quicker case of the same test stays."""

KEPT = {
    "test_what_is_left_of_the_wings_works",
    "test_nothing_is_left_to_compile",
    "test_goes_on_after_a_kill",
    "test_killed_and_run_again",
    "test_many_submissions",
    "test_an_installed_package_has_the_same_sources",
    "test_shows_what_a_run_gives",
}
"""Tests that stay thorough though they are long, as nothing that is shorter holds the same."""


@cache
def seconds() -> dict[str, float]:
    """The processor seconds of long tests, by their names, as `tests.support.seconds` has measured them."""
    lines = (Path(__file__).parent.parent / "seconds.txt").read_text(encoding="utf-8").splitlines()
    return {name: float(took) for took, _, name in (line.partition(" ") for line in lines)}


def give_to_tiers(items: Sequence[pytest.Item]) -> None:
    """Mark tests that take long as thorough or slow."""
    least = dict[str, float]()
    for item in items:
        test = _test_of(item)
        least[test] = min(least.get(test, SLOW_SECONDS), _seconds_of(item))
    for item in items:
        took, test = _seconds_of(item), _test_of(item)
        thorough = THOROUGH_CASE_SECONDS if least[test] < THOROUGH_CASE_SECONDS else THOROUGH_SECONDS
        slow = SLOW_CASE_SECONDS if least[test] < SLOW_CASE_SECONDS else SLOW_SECONDS
        if took >= slow and test.rpartition("::")[2] not in KEPT:
            item.own_markers = [mark for mark in item.own_markers if mark.name != "thorough"]
            item.add_marker(pytest.mark.slow)
        if took >= thorough and not item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.thorough)


def _seconds_of(item: pytest.Item) -> float:
    """Return the processor seconds of a test, 0 if they are few."""
    return seconds().get(item.nodeid, 0.0)


def _test_of(item: pytest.Item) -> str:
    """Return the name of a test without that of the case."""
    return item.nodeid.partition("[")[0]


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Leave the first of so many cases to the default tier, and give the others to the thorough one.

    A case that has a mark keeps it.
    """
    return [case if number % every == 0 else _thorough(case) for number, case in enumerate(cases)]


def _thorough(case: Any) -> Any:
    if not isinstance(case, type(pytest.param())):
        return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
    return case if case.marks else pytest.param(*case.values, marks=pytest.mark.thorough, id=case.id)
