"""The page on trust: each promise, and each way of counting, names tests that there are."""

import re

import pytest

from tests.support.command import HERE

PAGE = (HERE / "solvers" / "TRUST.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the rows of the first table below a heading."""
    below = PAGE.partition(f"{heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table
    return [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in table[0].splitlines()[2:]]


HELD = {name: re.findall(r"`(tests/[^`]*)`", tests) for name, tests in rows("### The tests that hold these promises")}


def test_each_promise_and_each_way_has_a_test() -> None:
    promises = re.findall(r"^- \*\*(.*?)\.?\*\*", PAGE.partition("## The evidence")[0], re.MULTILINE)
    ways = [cells[0] for cells in rows("## By way of counting")]
    assert sorted(HELD) == sorted([*promises, *ways])


@pytest.mark.parametrize("name", HELD)
def test_the_tests_are_there(name: str) -> None:
    assert HELD[name]
    for test in HELD[name]:
        path, _, function = test.partition("::")
        text = (HERE / path).read_text(encoding="utf-8")
        assert f"def {function}(" in text if function else "def test_" in text, test
