"""Symmetries that are found: never one that is none, and those that everybody knows."""

from collections.abc import Mapping
from itertools import product
from threading import Event, Timer
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import solve
from solvers.errors import CheckError, InputError, Stopped
from solvers.files.catalogue import find
from solvers.symmetry import automorphisms
from solvers.symmetry import constraint_graph as terms
from solvers.symmetry.automorphisms import Bliss as in_a_process
from solvers.symmetry.automorphisms import group_of, proved
from solvers.symmetry.groups import Group, closed, permutations
from solvers.symmetry.key import Key
from tests.support import command, random_models
from tests.support.bliss import InThisProcess
from tests.support.classics import queens
from tests.support.command import refusal
from tests.support.declared import BOOLEAN, puzzle
from tests.support.groups import closure
from tests.support.random_models import Sketch
from tests.support.runs import finished
from tests.support.symmetric import latin_by_integers


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Starting a process takes longer than the search."""
    monkeypatch.setattr(automorphisms, "Bliss", InThisProcess)


def full_circuit(sketch: Sketch) -> Any:
    """Most of the literals are its own, so that its nodes may move."""
    nodes = sketch.chance.randint(2, 3)
    arcs = [(i, j) for i in range(nodes) for j in range(nodes) if sketch.chance.randint(0, 4)]
    shared: list[Any] = [True, sketch.model.new_bool_var(""), sketch.model.new_bool_var("")]

    def literal() -> Any:
        return sketch.chance.choice(shared) if sketch.chance.randint(0, 2) == 0 else sketch.model.new_bool_var("")

    return sketch.model.add_circuit([(i, j, literal()) for i, j in arcs or [(0, 0)]])


@pytest.mark.parametrize(
    ("most_cases", "most_values"),
    [(0, 2), *(pytest.param(*most, marks=pytest.mark.thorough) for most in ((1000, 1000), (0, 1000), (6, 3)))],
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_solutions_are_closed(
    data: st.DataObject, most_cases: int, most_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "MAX_CONSTRAINT_CASES", most_cases)
    monkeypatch.setattr(terms, "MAX_VALUE_NODES", most_values)
    kinds = data.draw(st.sampled_from([random_models.KINDS, (*random_models.SCHEDULING, full_circuit)]))
    model = data.draw(random_models.models(kinds))
    random_models.assume_small(model)
    numbers = data.draw(random_models.keys(model))
    key = Key(model, {f"v{number}": number for number in numbers})
    symmetries = automorphisms.found(model, key, Event()).generators
    if symmetries:
        solutions = {
            frozenset(key.number(position, values[n]) for position, n in enumerate(key.variables))
            for values in random_models.brute_force(model)
        }
        for symmetry in symmetries.values():
            assert {frozenset(symmetry[list(solution)].tolist()) for solution in solutions} == solutions


def order(model: Any, variables: Mapping[Any, Any]) -> int:
    key = Key(model, variables)
    found = automorphisms.found(model, key, Event())
    group = group_of(found)
    assert group.order == found.order
    return group.order


TURNS_AND_COMPLEMENT = "the complement v -> 10 - v of the numbers is not a turn of the board"
NUMBERED = "connected parts are told by walks from their first cell, so turning the board is hidden from the graph"


@pytest.mark.parametrize(
    ("name", "parameters", "declared", "found", "why"),
    [
        ("pentomino", {"board": "3x20"}, 4, 4, ""),
        pytest.param("pentomino", {"board": "8x8-centre"}, 8, 8, "", marks=pytest.mark.thorough),
        pytest.param("pentomino", {"board": "8x8-corners"}, 8, 8, "", marks=pytest.mark.thorough),
        pytest.param("pentomino", {"board": "8x8", "square": True}, 8, 8, "", marks=pytest.mark.thorough),
        ("pentomino", {"board": "5x5", "subset": True}, 8, 8, ""),
        ("pentomino", {"board": "2x3x5", "subset": True}, 8, 8, ""),
        pytest.param("pentomino", {"board": "3x30", "pieces": "one-sided"}, 4, 4, "", marks=pytest.mark.thorough),
        ("checker", {}, 2, 2, ""),
        pytest.param("checker", {"flip": True}, 4, 4, "", marks=pytest.mark.thorough),
        pytest.param("checker", {"coloured": False}, 4, 4, "", marks=pytest.mark.thorough),
        ("checker", {"flip": True, "coloured": False}, 8, 8, ""),
        ("dissection", {}, 2, 2, ""),
        ("dissection", {"require": "both-connected"}, 2, 2, ""),
        ("dissection", {"require": "connected"}, 1, 1, ""),
        ("dissection", {"region": "2x3", "cells": "halves"}, 8, 2, NUMBERED),
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
    one = find(name).load()(**parameters)
    assert closure(Key(one.model, one.key), one.symmetries).order == declared
    assert order(one.model, one.key) == found
    assert (declared == found) == (why == "")


def test_queens() -> None:
    for n in range(4, 9):
        model, rows = queens(n)
        assert order(model, dict(enumerate(rows))) == 8


def test_latin_squares() -> None:
    """Rows, columns and symbols may each be permuted, and change roles: 6 * 3!^3."""
    squares = latin_by_integers(3)
    assert order(squares.model, squares.key) == 1296


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
    two = puzzle({"x": (0, 5), "y": (0, 5)}, lambda m, x, y: m.add(x + y >= 3))
    assert order(two.model, two.key) == 72, "3, 4 and 5 do the same; x and y change places"


def test_a_rule_that_two_opposite_literals_enforce_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_CONSTRAINT_CASES", 0)
    square = puzzle(
        {"x": (0, 2), "y": (0, 2), "b": BOOLEAN},
        lambda m, x, y, b: m.add_multiplication_equality(x, [y, y]).only_enforce_if(b, ~b),
        key="xy",
    )
    assert order(square.model, square.key) == 72


@pytest.mark.parametrize(("least", "most", "expected"), [(0, 1, (1, 1, 2)), (1, 1, (0, 0, 8)), (2, 2, (2, 1, 4))])
def test_sums_of_variables_that_are_equal(least: int, most: int, expected: tuple[int, int, int]) -> None:
    """One literal then stands for two variables, and weighs as much as both in the sum."""
    pairs = puzzle(
        dict.fromkeys("abcd", BOOLEAN),
        lambda m, a, b, c, d: m.add(a == c),
        lambda m, a, b, c, d: m.add(b == d),
        lambda m, *four: m.add_linear_constraint(sum(four), least, most),
        key="ab",
    )
    result = solve(pairs, symmetry="found", backend="sat", jobs=1)
    assert (result.total, result.solutions, result.report.symmetries) == expected


@pytest.mark.parametrize("most_cases", [9, 1000])
def test_a_sum_of_variables_of_which_one_is_a_permutation_of_the_other(
    most_cases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several values of the pair weigh the same, so they are not told by the weight of the pair."""
    monkeypatch.setattr(terms, "MAX_CONSTRAINT_CASES", most_cases)
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
    implying = puzzle(
        dict.fromkeys("abc", BOOLEAN),
        lambda m, a, b, c: m.add_bool_or(a, b),
        lambda m, a, b, c: m.add_implication(b, c),
    )

    class Wrong(InThisProcess):
        """Exchanges the first two Booleans."""

        def ask(self, stop: Event, question: str, *arguments: Any) -> Any:
            if question == "generators":
                return [[2, 3, 0, 1, *range(4, len(arguments[0]))]]
            return super().ask(stop, question, *arguments)

    monkeypatch.setattr(automorphisms, "Bliss", Wrong)
    with pytest.raises(CheckError, match="one that changes the model"):
        automorphisms.found(implying.model, Key(implying.model, implying.key), Event())


def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = find("magic").load()()
    monkeypatch.setattr(terms, "MAX_GRAPH_NODES", 300)
    with pytest.raises(InputError, match="too large to search it for symmetries"):
        order(blocks.model, blocks.key)


def test_a_search_in_a_process_of_its_own() -> None:
    square = SimpleNamespace(colours=[0] * 4, edges=[(0, 1), (1, 2), (2, 3), (3, 0)])
    bliss = in_a_process(square)
    assert {tuple(sorted(generator)) for generator in bliss.ask(Event(), "generators", [0] * 4)} == {(0, 1, 2, 3)}
    assert bliss.ask(Event(), "order", [0, 0, 0, 1]) == 2
    large = in_a_process(SimpleNamespace(colours=[0] * 1000, edges=[(a, b) for a in range(1000) for b in range(a)]))
    stop = Event()
    Timer(0.1, stop.set).start()
    with pytest.raises(Stopped):
        large.ask(stop, "generators", [0] * 1000)


def test_a_run_searches_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automorphisms, "Bliss", in_a_process)
    assert counts("magic", backend="cp", symmetry="found") == (3, 48, 16)
    assert counts("magic", backend="cp") == (6, 48, 8)


def counts(name: str, **options: Any) -> tuple[int, int, int | None]:
    report = finished(find(name).load(), QUESTIONS[name], jobs=1, **options).report
    assert report.complete
    return report.solutions, report.total, report.symmetries


QUESTIONS: Mapping[str, dict[str, Any]] = {
    "pentomino": {"board": "5x3", "subset": True},
    "magic": {"kind": "ring"},
    "dissection": {},
}


@pytest.mark.parametrize(
    ("name", "backend", "expected"),
    [
        ("pentomino", "cp-sat", (7, 28, 4)),
        ("pentomino", "sat", (7, 28, 4)),
        ("pentomino", "cover", (7, 28, 4)),
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
    report = solve(find("magic").load()(kind="ring"), symmetry="found").report
    assert report.features == {
        "sum 12 or sum 15": 1,
        "sum 13 or sum 14": 2,
    }


def test_the_command() -> None:
    done = command.run("solvers.run", "magic", "--symmetry", "found")
    assert "symmetries                    16 (found)\n" in done.stdout
    refusal("magic", "--symmetry", "all")
    with pytest.raises(InputError, match="no symmetries called 'any'"):
        solve("magic", symmetry="any")  # type: ignore[arg-type]


def paths(size: int, fixed: Any, model: CpModel) -> dict[Any, Any]:
    """Corner to corner on a board, as a circuit with an arc from the end to the beginning; the key."""
    cells = [(row, column) for row in range(size) for column in range(size)]
    number = {cell: place for place, cell in enumerate(cells)}
    arcs = {
        (a, b): model.new_bool_var(f"{a} {b}")
        for a in cells
        for b in ((a[0] + 1, a[1]), (a[0] - 1, a[1]), (a[0], a[1] + 1), (a[0], a[1] - 1), a)
        if (b in number and b != a) or (a == b and a not in (cells[0], cells[-1]))
    }
    listed = [(number[a], number[b], literal) for (a, b), literal in arcs.items()]
    model.add_circuit([*listed, (number[cells[-1]], 0, fixed)])
    return arcs


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("how", ["constant", "True", "added"])
def test_an_arc_that_is_always_there(how: str, size: int) -> None:
    """Paths of a board from corner to corner (OEIS A007764), of which none is its own mirror image."""

    def declare() -> Puzzle:
        model = CpModel()
        fixed: Any = {"constant": model.new_constant(1), "True": True, "added": model.new_bool_var("fixed")}[how]
        if how == "added":
            model.add(fixed == 1)
        return Puzzle("paths", {}, model, paths(size, fixed, model))

    result = solve(declare, symmetry="found")
    total = {3: 12, 4: 184}[size]
    assert (result.total, result.solutions, result.report.symmetries) == (total, total // 2, 2)
    assert result.report.rigid == []


def test_a_literal_of_several_arcs() -> None:
    """Three nodes change places with those that they are joined to by the same two literals."""
    model = CpModel()
    pairs = [model.new_bool_var(f"{n}") for n in range(3)]
    loops = [model.new_bool_var(f"loop {n}") for n in range(3)]
    arcs = [(0, 1, pairs[0]), (1, 2, pairs[1]), (2, 0, pairs[2]), (1, 0, pairs[0]), (2, 1, pairs[1]), (0, 2, pairs[2])]
    model.add_circuit([*arcs, *((n, n, loop) for n, loop in enumerate(loops))])
    assert order(model, dict(enumerate([*pairs, *loops]))) == 6


def test_what_is_taken_as_rigid_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_CONSTRAINT_CASES", 3)
    rigid = puzzle(
        dict.fromkeys("xyz", (0, 9)),
        lambda m, x, y, z: m.add_division_equality(z, x, 2 * y + 1),
        lambda m, x, y, z: m.add_automaton([x, y], 0, [0], [(0, 1, 0), (0, 2, 0)]),
    )
    report = solve(rigid, symmetry="found").report
    assert report.rigid == ["automaton", "int_div"]
    assert ("symmetries", "1 (found, but not in: automaton, int_div)") in report.rows()


def test_clauses_are_compared_without_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automorphisms, "Graph", lambda *_: pytest.fail("the clauses tell"))
    model = CpModel()
    a, b, c, d = variables = [model.new_bool_var(name) for name in "abcd"]
    model.add_bool_or(~a, ~b, ~c, ~d)
    model.add_at_most_one(a, ~b, ~c)
    key = Key(model, dict(zip("abcd", variables, strict=True)))

    def group(moved: Mapping[str, tuple[str, int]]) -> Group:
        """Return the group of one symmetry: for each letter, the letter it goes to, and 1 if its value changes."""

        def image(label: Any, value: int) -> tuple[str, int]:
            to, changes = moved.get(label, (label, 0))
            return to, value ^ changes

        return closed(key, permutations(key, [image]))

    assert proved(model, group({"b": ("c", 0), "c": ("b", 0)}), Event())
    model.add_bool_or(a, ~d).only_enforce_if(~b)
    model.add_bool_or(a, ~d).only_enforce_if(~c)
    assert proved(model, group({"b": ("c", 0), "c": ("b", 0)}), Event())
    with pytest.raises(pytest.fail.Exception):
        proved(model, group({"a": ("d", 0), "d": ("a", 0)}), Event())
    model = CpModel()
    e, f = model.new_bool_var("e"), model.new_bool_var("f")
    model.add_bool_or(e, ~f)
    model.add_bool_or(~e, f)
    key = Key(model, {"e": e, "f": f})
    assert proved(model, group({"e": ("f", 0), "f": ("e", 0)}), Event())
    assert proved(model, group({"e": ("e", 1), "f": ("f", 1)}), Event())
