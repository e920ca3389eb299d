"""Exact covers in which several options cover an item, against brute force; the same in files, stores, proofs."""

import re
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.packing import packing
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.extras.bridges.formats.dlx import dlx
from solvers.extras.counts.counting.frontier import Frontier
from solvers.extras.counts.counting.reduced_cover import instance
from solvers.extras.counts.estimate import estimate
from solvers.model.cover_search import CoverTables
from solvers.model.exact_cover import exact_cover
from tests.support.command import printed
from tests.support.covers import of_model
from tests.support.declared import BOOLEAN, puzzle


@st.composite
def counted_covers(draw: Callable[..., Any]) -> tuple[CpModel, set[tuple[int, ...]]]:
    """A cover with items, optional items, exclusions and counts, some of them trivial; and its solutions."""
    model = CpModel()
    size = draw(st.integers(1, 9))
    options = [model.new_bool_var(f"o{n}") for n in range(size)]
    some = st.lists(st.integers(0, size - 1), min_size=1, max_size=6, unique=True)
    rules: list[tuple[list[int], int, int]] = []
    if draw(st.booleans()):  # items that hold every option, as in packing
        first = draw(st.integers(0, size - 1))
        rules += [(members, 1, 1) for members in (list(range(first + 1)), list(range(first + 1, size))) if members]
    rules += [(draw(some), 1, 1) for _ in range(draw(st.integers(0, 2)))]
    rules += [(draw(some), 0, 1) for _ in range(draw(st.integers(0, 2)))]
    for members, low, _ in rules:
        (model.add_exactly_one if low else model.add_at_most_one)(options[n] for n in members)
    for _ in range(draw(st.integers(1, 3))):
        members = draw(some)
        low = draw(st.integers(0, len(members)))
        high = draw(st.integers(low, len(members)))
        factor = draw(st.sampled_from([1, 3, -1]))
        model.add_linear_constraint(sum(factor * options[n] for n in members), *sorted((factor * low, factor * high)))
        rules.append((members, low, high))
    if draw(st.booleans()):
        number, value = draw(st.integers(0, size - 1)), draw(st.integers(0, 1))
        model.add_bool_or(options[number] if value else ~options[number])
        rules.append(([number], value, value))
    solutions = {
        values
        for values in product((0, 1), repeat=size)
        if all(low <= sum(values[n] for n in members) <= high for members, low, high in rules)
    }
    return model, solutions


def found(puzzle: Puzzle, **options: Any) -> set[tuple[int, ...]]:
    result = solve(puzzle, jobs=1, **options)
    assert (result.complete, result.report.repeats) == (True, 0)
    return {tuple(int(solution[label]) for label in puzzle.key) for solution in result.in_all()}


@pytest.mark.thorough
@settings(max_examples=4, deadline=None)
@given(counted_covers(), st.sampled_from([None, 1, 3]))
def test_the_search_and_the_count(drawn: tuple[CpModel, set[tuple[int, ...]]], cubes: int | None) -> None:
    model, solutions = drawn
    puzzle = of_model(model)
    assert found(puzzle, backend="cover", cubes=cubes) == solutions
    result = solve(puzzle, backend="cover", jobs=1, count_only=True, marginals=True, sample=3)
    assert (result.report.method, result.total) == ("frontier", len(solutions))
    marginals: Any = result.marginals
    for number, label in enumerate(puzzle.key):
        assert marginals[label, 1] == sum(values[number] for values in solutions)
    assert all(tuple(int(sample[label]) for label in puzzle.key) in solutions for sample in result.samples)
    if not solutions:
        assert estimate(CoverTables(exact_cover(model), 0), 0, threading.Event()).solutions.mean == 0


SMALL = [
    ("3x3x3", "2x2x1 x6 + 1x1x1 x3", 1),  # J. Slothouber, W. Graatsma, Cubics (1970)
    ("4x4", "tetrominoes x0-2", None),
    ("2x6", "dominoes x* + 1x3 x1-2", None),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("board", "pieces", "solutions"), SMALL)
def test_every_backend_says_the_same(board: str, pieces: str, solutions: int | None) -> None:
    puzzle = packing(board, pieces)
    listed = [solve(puzzle, backend=backend, jobs=1) for backend in ("cover", "sat", "cp-sat", "cp")]
    assert len({(one.solutions, one.total, tuple(map(str, one))) for one in listed}) == 1
    assert solutions in (None, listed[0].solutions)
    counted = solve(puzzle, method="frontier", jobs=1, count_only=True)
    expected = ("frontier", listed[0].solutions, listed[0].total)
    assert (counted.report.method, counted.solutions, counted.total) == expected
    assert solve(puzzle, backend="cover", jobs=1, unbroken=True).total == listed[0].total


@pytest.mark.thorough
def test_pockets_know_how_many_pieces_there_are() -> None:
    """Three single cells and any number of fours fill parts of sizes such as 4 and 5, and none of size 8 and 8."""
    puzzle = packing("5x5", "2x2 x6 + monomino x1")
    counted = Frontier(instance(exact_cover(puzzle.model)), threading.Event(), budget=10**9)
    assert counted.count() == solve(puzzle, backend="cover", jobs=1, unbroken=True).total


def test_files(tmp_path: Path) -> None:
    exported = tmp_path / "m.dlx"
    words = ("packing", "--board", "2x6", "--pieces", "dominoes x* + 1x3 x0-2 + monomino x2", "--symmetry", "none")
    printed("export", *words, str(exported))
    assert {"0:2", "2:2"} <= {*re.findall(r"(\d:\d)\|", exported.read_text())}
    total = solve(packing(board="2x6", pieces="dominoes x* + 1x3 x0-2 + monomino x2"), jobs=1).total
    assert solve(dlx(str(exported)), backend="cover", jobs=1).total == total
    for text, count in (
        ("2|a b\na\na\na\nb\n", 3),
        ("0:1|a b\na b\nb\na\n", 3),
        ("1:3|a | s\na s\na s\na\n", 5),
        ("0:2|a b\nb\n", 1),
    ):
        exported.write_text(text)
        assert solve(dlx(str(exported)), backend="cover", jobs=1).total == count
    for text, complaint in (
        ("3:2|a\na\n", "smaller number first"),
        ("0|a\na\n", "lets no option"),
        ("2|a 2|a\n", "twice"),
    ):
        exported.write_text(text)
        with pytest.raises(ValueError, match=complaint):
            dlx(str(exported))


@pytest.mark.thorough
def test_a_store_goes_on(tmp_path: Path) -> None:
    puzzle = packing("4x6", "tetrominoes x0-3")
    for store in (None, str(tmp_path / "s"), str(tmp_path / "s")):
        result = solve(puzzle, backend="cover", jobs=1, count_only=bool(store), store=store)
        assert result.total == 1110


def test_a_certificate(tmp_path: Path) -> None:
    folder = str(tmp_path / "c")
    words = ("packing", "--board", "3x4", "--pieces", "1x2 x3 + trominoes x0-2", "--backend", "cover")
    printed(*words, "--certify", folder)
    printed(folder, module="solvers.check")


def test_what_is_no_count() -> None:
    with pytest.raises(InputError, match="nor a count"):
        solve(puzzle(dict.fromkeys("xyz", BOOLEAN), lambda m, x, y, z: m.add(x + 2 * y + z == 2)), backend="cover")
