"""Symmetries that are found: never one that is none, and those that everybody knows."""

from collections.abc import Mapping
from functools import partial
from itertools import product
from math import prod
from threading import Event, Timer
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import solve
from solvers.checks.constraints import intervals
from solvers.errors import CheckError, InputError, Stopped
from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.symmetry import automorphisms
from solvers.symmetry import constraint_graph as terms
from solvers.symmetry.automorphisms import Bliss as in_a_process
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key
from solvers.symmetry.large_group import group_of
from tests.support import command, random_models
from tests.support.bliss import InThisProcess
from tests.support.random_models import Sketch


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Starting a process takes longer than the search."""
    monkeypatch.setattr(automorphisms, "Bliss", InThisProcess)


def full_circuit(sketch: Sketch) -> Any:
    """Its own literals, so that its nodes may move."""
    nodes = sketch.chance.randint(2, 3)
    arcs = [(i, j) for i in range(nodes) for j in range(nodes) if sketch.chance.randint(0, 4)]
    return sketch.model.add_circuit([(i, j, sketch.model.new_bool_var("")) for i, j in arcs or [(0, 0)]])


MOST_ASSIGNMENTS = 10_000
"""What brute force tries in a moment."""


@pytest.mark.parametrize(
    ("most_cases", "most_values"),
    [(0, 2), *(pytest.param(*most, marks=pytest.mark.thorough) for most in ((1000, 1000), (0, 1000), (6, 3)))],
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_solutions_are_closed(
    data: st.DataObject, most_cases: int, most_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "MOST_CASES", most_cases)
    monkeypatch.setattr(terms, "MOST_VALUES", most_values)
    kinds = data.draw(st.sampled_from([random_models.KINDS, (*random_models.SCHEDULING, full_circuit)]))
    model = data.draw(random_models.models(kinds))
    assume(
        prod(sum(high - low + 1 for low, high in intervals(variable.domain)) for variable in model.proto.variables)
        <= MOST_ASSIGNMENTS
    )
    assume(not model.validate())
    numbers = data.draw(random_models.keys(model))
    symmetries = automorphisms.found(
        model, Key(model, {f"v{number}": number for number in numbers}), Event()
    ).generators
    if symmetries:
        solutions = {frozenset((f"v{n}", values[n]) for n in numbers) for values in random_models.brute_force(model)}
        for symmetry in symmetries:
            images = {frozenset(symmetry(*literal) for literal in solution) for solution in solutions}
            assert images == solutions


def order(model: CpModel, variables: Mapping[Any, Any]) -> int:
    key = Key(model, variables)
    found = automorphisms.found(model, key, Event())
    group = group_of(found)
    assert group.order == found.order
    return group.order


TURNS_AND_COMPLEMENT = "the complement v -> 10 - v of the numbers is no turn of the board"
NUMBERED = "connected parts are told by walks from their first cell, so turning the board is hidden from the graph"


@pytest.mark.parametrize(
    ("name", "parameters", "declared", "found", "why"),
    [
        ("pentomino", {}, 4, 4, ""),
        ("pentomino", {"board": "8x8-centre"}, 8, 8, ""),
        ("pentomino", {"board": "8x8", "square": True}, 8, 8, ""),
        ("pentomino", {"board": "5x5", "subset": True}, 8, 8, ""),
        ("pentomino", {"board": "3x4x5"}, 8, 8, ""),
        ("pentomino", {"board": "3x30", "pieces": "one-sided"}, 4, 4, ""),
        ("checker", {}, 2, 2, ""),
        ("checker", {"flip": True}, 4, 4, ""),
        ("checker", {"coloured": False}, 4, 4, ""),
        ("checker", {"flip": True, "coloured": False}, 8, 8, ""),
        ("dissection", {}, 2, 2, ""),
        ("dissection", {"require": "both-connected"}, 2, 2, ""),
        ("dissection", {"require": "connected"}, 1, 1, ""),
        pytest.param("dissection", {"cells": "halves"}, 2, 2, "", marks=pytest.mark.thorough),
        ("dissection", {"region": "square-4"}, 16, 2, NUMBERED),
        pytest.param(
            *("dissection", {"region": "2x6", "parts": 3}, 24, 2, f"{NUMBERED}; all parts are compared with the first"),
            marks=pytest.mark.thorough,
        ),
        (
            "dissection",
            {"region": "2x2", "require": "area"},
            16,
            48,
            "cells may change places where nothing hangs together",
        ),
        ("matchsticks", {}, 1, 1, ""),
        ("matchsticks", {"expression": "6+4=4", "moves": 1}, 1, 1, ""),
        pytest.param("flip-it", {}, 1, 1, "", marks=pytest.mark.thorough),
        pytest.param("flip-it", {"board": "bbb_bbb"}, 2, 2, "", marks=pytest.mark.thorough),
        ("magic", {}, 8, 16, TURNS_AND_COMPLEMENT),
        ("magic", {"kind": "ring"}, 8, 16, TURNS_AND_COMPLEMENT),
        ("magic", {"kind": "square"}, 8, 16, TURNS_AND_COMPLEMENT),
        ("magic", {"kind": "square", "order": 4}, 8, 64, f"{TURNS_AND_COMPLEMENT}, and lines may change places"),
        ("magic", {"kind": "ring", "numbers": "primes"}, 8, 8, ""),
    ],
)
def test_the_collection(name: str, parameters: dict[str, Any], declared: int, found: int, why: str) -> None:
    puzzle = find(name).load()(**parameters)
    model = puzzle.model
    assert Group(Key(model, puzzle.key), puzzle.symmetries).order == declared
    assert order(model, puzzle.key) == found
    assert (declared == found) == (why == "")


def test_queens() -> None:
    for n in range(4, 9):
        model = CpModel()
        row = {column: model.new_int_var(0, n - 1, "") for column in range(n)}
        model.add_all_different(row.values())
        model.add_all_different(row[column] + column for column in row)
        model.add_all_different(row[column] - column for column in row)
        assert order(model, row) == 8


def test_latin_squares() -> None:
    """Rows, columns and symbols may each be permuted, and change roles: 6 * 3!^3."""
    model = CpModel()
    symbol = {(r, c): model.new_int_var(1, 3, "") for r in range(3) for c in range(3)}
    for line in range(3):
        model.add_all_different(symbol[line, c] for c in range(3))
        model.add_all_different(symbol[r, line] for r in range(3))
    assert order(model, symbol) == 1296


def test_colours_of_a_pentagon() -> None:
    """Ten turns, six permutations of the colours; whether differences, literals or tables say it."""
    for says in ("difference", "literals", "table"):
        model = CpModel()
        colour = [model.new_int_var(0, 2, "") for _ in range(5)]
        for here, there in zip(colour, colour[1:] + colour[:1], strict=True):
            if says == "difference":
                model.add(here != there)
            elif says == "table":
                model.add_allowed_assignments([here, there], [(a, b) for a in range(3) for b in range(3) if a != b])
            else:
                for value in range(3):
                    is_here, is_there = model.new_bool_var(""), model.new_bool_var("")
                    for literal, variable in ((is_here, here), (is_there, there)):
                        model.add(variable == value).only_enforce_if(literal)
                        model.add(variable != value).only_enforce_if(~literal)
                    model.add_bool_or(~is_here, ~is_there)
        assert order(model, dict(enumerate(colour))) == 60


def test_only_the_key_counts() -> None:
    model = CpModel()
    a, b, c, d = (model.new_bool_var(name) for name in "abcd")
    model.add_exactly_one(a, b, c, d)
    assert order(model, {"a": a, "b": b}) == 2
    assert order(model, {"a": a}) == 1
    assert order(model, {}) == 1


def test_variables_of_many_values_move_as_a_whole() -> None:
    model = CpModel()
    x, y, z = (model.new_int_var(0, 2000, name) for name in "xyz")
    model.add(x + y == 2 * z)
    assert order(model, {"x": x, "y": y, "z": z}) == 2
    assert order(model, {"x": x, "z": z}) == 1


def test_the_best_value_is_kept() -> None:
    model = CpModel()
    x, y = model.new_int_var(0, 9, "x"), model.new_int_var(0, 9, "y")
    model.add(x + y <= 9)
    assert order(model, {"x": x, "y": y}) == 2
    model.minimize(x + 2 * y)
    assert order(model, {"x": x, "y": y}) == 1


def test_values_that_make_no_difference() -> None:
    model = CpModel()
    x, y = model.new_int_var(0, 5, "x"), model.new_int_var(0, 5, "y")
    model.add(x + y >= 3)
    assert order(model, {"x": x, "y": y}) == 72, "3, 4 and 5 do the same; x and y change places"


@pytest.mark.parametrize(("least", "most", "expected"), [(0, 1, (1, 1, 2)), (1, 1, (0, 0, 8)), (2, 2, (2, 1, 4))])
def test_sums_of_variables_that_are_equal(least: int, most: int, expected: tuple[int, int, int]) -> None:
    """One literal then stands for two variables, and weighs as much as both in the sum."""
    model = CpModel()
    a, b, c, d = map(model.new_bool_var, "abcd")
    model.add(a == c)
    model.add(b == d)
    model.add_linear_constraint(a + b + c + d, least, most)
    result = solve(Puzzle("pairs", {}, model, {"a": a, "b": b}), symmetry="found", backend="sat", jobs=1)
    assert (result.total, result.solutions, result.report.symmetries) == expected


@pytest.mark.parametrize("most_cases", [9, 1000])
def test_a_sum_of_variables_of_which_one_is_a_permutation_of_the_other(
    most_cases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several values of the pair weigh the same, so they are not told by the weight of the pair."""
    monkeypatch.setattr(terms, "MOST_CASES", most_cases)
    model = CpModel()
    x, y, z = model.new_int_var(0, 2, "x"), model.new_int_var(0, 2, "y"), model.new_int_var(0, 3, "z")
    for value, other in {*product(range(3), repeat=2)} - {(0, 0), (1, 2), (2, 1)}:
        model.add_forbidden_assignments([x, y], [(value, other)])
    model.add(x + y + z == 3)
    expected = {(0, 3), (1, 0), (2, 0)}
    result = solve(Puzzle("permuted", {}, model, {"x": x, "z": z}), symmetry="found", backend="sat", jobs=1)
    assert {(solution["x"], solution["z"]) for solution in result.in_all()} == expected
    assert result.report.symmetries in (2, 4)  # 1 and 2 of x change places; so may 1 and 2 of z, which never occur


def test_every_generator_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    model = CpModel()
    a, b, c = (model.new_bool_var(name) for name in "abc")
    model.add_bool_or(a, b)
    model.add_implication(b, c)

    class Wrong(InThisProcess):
        """Exchanges the first two Booleans."""

        def ask(self, stop: Event, question: str, *arguments: Any) -> Any:
            if question == "generators":
                return [[2, 3, 0, 1, *range(4, len(arguments[0]))]]
            return super().ask(stop, question, *arguments)

    monkeypatch.setattr(automorphisms, "Bliss", Wrong)
    with pytest.raises(CheckError, match="does not keep the model"):
        automorphisms.found(model, Key(model, {"a": a, "b": b, "c": c}), Event())


def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = find("magic").load()()
    monkeypatch.setattr(terms, "MOST_NODES", 300)
    with pytest.raises(InputError, match="too large to search it for symmetries"):
        order(puzzle.model, puzzle.key)


@pytest.mark.thorough
def test_a_search_in_a_process_of_its_own() -> None:
    square = SimpleNamespace(colours=[0] * 4, edges=[(0, 1), (1, 2), (2, 3), (3, 0)])
    bliss = in_a_process(square)  # type: ignore[arg-type]
    assert {tuple(sorted(generator)) for generator in bliss.ask(Event(), "generators", [0] * 4)} == {(0, 1, 2, 3)}
    assert bliss.ask(Event(), "order", [0, 0, 0, 1]) == 2
    large = in_a_process(SimpleNamespace(colours=[0] * 2000, edges=[(a, b) for a in range(2000) for b in range(a)]))  # type: ignore[arg-type]
    stop = Event()
    Timer(1, stop.set).start()
    with pytest.raises(Stopped):
        large.ask(stop, "generators", [0] * 2000)


def counts(name: str, **options: Any) -> tuple[int, int, int | None]:
    run = Run(name, {}, partial(find(name).load(), **QUESTIONS[name]), Options(jobs=1, **options))
    list(run)
    assert run.report.complete
    return run.report.solutions, run.report.total, run.report.symmetries


QUESTIONS: Mapping[str, dict[str, Any]] = {
    "pentomino": {"board": "5x4", "subset": True},
    "magic": {"kind": "ring"},
    "dissection": {},
}


@pytest.mark.parametrize(
    ("name", "backend", "expected"),
    [
        ("pentomino", "cp-sat", (50, 200, 4)),
        ("pentomino", "sat", (50, 200, 4)),
        ("pentomino", "cover", (50, 200, 4)),
        ("magic", "cp-sat", (3, 48, 16)),
        ("magic", "sat", (3, 48, 16)),
        pytest.param("dissection", "sat", (1, 2, 2), marks=pytest.mark.thorough),
    ],
)
def test_runs(name: str, backend: str, expected: tuple[int, int, int]) -> None:
    total = expected[1]
    assert counts(name, backend=backend, symmetry="found") == expected
    assert counts(name, backend=backend, symmetry="found", all=True) == expected
    assert counts(name, backend=backend, symmetry="none") == (total, total, 1)


def test_features_that_symmetric_solutions_do_not_share() -> None:
    run = Run("magic", {}, partial(find("magic").load(), kind="ring"), Options(symmetry="found"))
    list(run)
    assert run.report.features == {"sum 12 or sum 15": 1, "sum 13 or sum 14": 2}


def test_the_command() -> None:
    done = command.run("solvers.run", "magic", "--symmetry", "found")
    assert "symmetries                    16 (found)\n" in done.stdout
    done = command.run("solvers.run", "magic", "--symmetry", "all")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    with pytest.raises(InputError, match="no symmetries called 'any'"):
        solve("magic", symmetry="any")
