"""Symmetries that are found: never one that is none, and those that everybody knows."""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations, permutations, product
from random import Random
from threading import Event, Timer
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain, IntVar

from models.boards import grid
from models.puzzle import Literal, Puzzle
from solvers import solve
from solvers.base.errors import CheckError, Stopped
from solvers.base.tuning import override_tuning
from solvers.files.catalogue import find
from solvers.symmetry import automorphisms
from solvers.symmetry.automorphisms import Bliss as in_a_process
from solvers.symmetry.automorphisms import Graph
from solvers.symmetry.bliss import Questions
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.key import Key
from solvers.symmetry.refinement import extend_automorphism
from tests.support import groups, random_models, symmetric
from tests.support.bliss import InThisProcess
from tests.support.command import RUN, refusal, run
from tests.support.declared import BOOLEAN, Rule, of, puzzle, swapping
from tests.support.groups import order
from tests.support.puzzles import model_of
from tests.support.random_models import Sketch
from tests.support.refusals import refused
from tests.support.runs import finished
from tests.support.tiers import sampled


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
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_solutions_are_closed(data: st.DataObject, most_cases: int, most_values: int) -> None:
    kinds = data.draw(st.sampled_from([random_models.KINDS, (*random_models.SCHEDULING, full_circuit)]))
    model = data.draw(random_models.models(kinds))
    random_models.assume_small(model)
    numbers = data.draw(random_models.keys(model))
    key = Key(model, {f"v{number}": number for number in numbers})
    with override_tuning(max_constraint_cases=most_cases, max_value_nodes=most_values):
        symmetries = automorphisms.find_automorphism_group(model, key, Event()).generators
    if symmetries:
        solutions = {
            frozenset(key.number(position, values[n]) for position, n in enumerate(key.variables))
            for values in random_models.brute_force(model)
        }
        for symmetry in symmetries.values():
            assert {frozenset(symmetry[list(solution)].tolist()) for solution in solutions} == solutions


TURNS_AND_COMPLEMENT = "the complement v -> 10 - v of the numbers is not a turn of the board"
NUMBERED = "connected parts are told by walks from their first cell, so turning the board is hidden from the graph"


@pytest.mark.parametrize(
    ("name", "parameters", "declared", "found", "why"),
    sampled(
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
                "dissection",
                {"region": "2x6", "parts": 3},
                24,
                2,
                f"{NUMBERED}; all parts are compared with the first",
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
        2,
    ),
)
def test_the_collection(name: str, parameters: dict[str, Any], declared: int, found: int, why: str) -> None:
    one = find(name).load()(**parameters)
    assert groups.group_of(one).order == declared
    assert order(one) == found
    assert (declared == found) == (why == "")


LETTERS = puzzle(dict.fromkeys("abcd", BOOLEAN), lambda m, *four: m.add_exactly_one(four))


MEAN = puzzle(dict.fromkeys("xyz", (0, 2000)), lambda m, x, y, z: m.add(x + y == 2 * z))


SUM: list[Rule] = [lambda m, x, y: m.add(x + y <= 9)]


@pytest.mark.parametrize(
    ("asked", "labels", "known"),
    [
        *(pytest.param(symmetric.queens(n), None, 8, id=f"{n} queens on a square") for n in range(4, 9)),
        pytest.param(LETTERS, "ab", 2, id="two letters are in the key"),
        pytest.param(LETTERS, "a", 1, id="one letter is in the key"),
        pytest.param(LETTERS, "", 1, id="nothing is in the key"),
        pytest.param(
            puzzle(dict.fromkeys("xy", of(3, 5)), lambda m, *both: m.add_all_different(both)),
            "x",
            2,
            id="3 and 5 change places, for what is not in the key, too",
        ),
        pytest.param(
            puzzle(dict.fromkeys("xy", BOOLEAN), lambda m, x, y: m.add_inverse([x], [y])),
            "xy",
            2,
            id="a value that is out of range is none of the others",
        ),
        pytest.param(
            puzzle({"s": (0, 1), "d": (0, 2), "e": (0, 3)}, lambda m, s, d, e: m.new_interval_var(s, d, e, "")),
            "sd",
            2,
            id="an interval is turned back to front",
        ),
        pytest.param(MEAN, "xyz", 2, id="variables of many values move as a whole"),
        pytest.param(MEAN, "xz", 1, id="the other is not in the key"),
        pytest.param(puzzle(dict.fromkeys("xy", (0, 9)), *SUM), "xy", 2, id="without a best value"),
        pytest.param(
            puzzle(dict.fromkeys("xy", (0, 9)), *SUM, lambda m, x, y: m.minimize(x + 2 * y)),
            "xy",
            1,
            id="the best value is kept",
        ),
        pytest.param(
            puzzle(dict.fromkeys("xy", (0, 5)), lambda m, x, y: m.add(x + y >= 3)),
            "xy",
            72,
            id="3, 4 and 5 do the same, and x and y change places",
        ),
        pytest.param(
            puzzle(
                dict.fromkeys(range(6), BOOLEAN),
                lambda m, a, b, c, *loops: m.add_circuit(
                    [
                        (0, 1, a),
                        (1, 2, b),
                        (2, 0, c),
                        (1, 0, a),
                        (2, 1, b),
                        (0, 2, c),
                        *((n, n, loop) for n, loop in enumerate(loops)),
                    ]
                ),
            ),
            None,
            6,
            id="three nodes change places with those that they are joined to by the same two literals",
        ),
    ],
)
def test_known_orders(asked: Puzzle, labels: str | None, known: int) -> None:
    assert order(asked, labels) == known


def _by_difference(model: CpModel, here: IntVar, there: IntVar) -> None:
    model.add(here != there)


def _by_table(model: CpModel, here: IntVar, there: IntVar) -> None:
    model.add_allowed_assignments([here, there], list(permutations(range(3), 2)))


def _by_literals(model: CpModel, *pair: IntVar) -> None:
    for value in range(3):
        chosen = [model.new_bool_var("") for _ in pair]
        for literal, variable in zip(chosen, pair, strict=True):
            model.add(variable == value).only_enforce_if(literal)
            model.add(variable != value).only_enforce_if(~literal)
        model.add_bool_or(~literal for literal in chosen)


@pytest.mark.parametrize("differ", [_by_difference, _by_table, _by_literals])
def test_colours_of_a_pentagon(differ: Callable[[CpModel, IntVar, IntVar], None]) -> None:
    """Ten turns, six permutations of the colours."""
    pentagon = puzzle(dict.fromkeys(range(5), (0, 2)))
    colours: Any = pentagon.key
    for n in range(5):
        differ(model_of(pentagon), colours[n], colours[(n + 1) % 5])
    assert order(pentagon) == 60


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda m, *three: m.add_bool_or(three), lambda m, *three: m.add(sum(three) >= 1)),
        (
            lambda m, a, b, c: m.add_bool_or(~a, ~b, ~c),
            lambda m, a, b, c: m.add_linear_expression_in_domain(2 * (a + b + c), Domain.from_values([0, 2, 4])),
        ),
    ],
    ids=["at least one", "not all"],
)
@override_tuning(max_constraint_cases=0)
def test_a_rule_that_is_said_in_two_ways(one: Rule, other: Rule) -> None:
    """The three variables of one change places with the three of the other."""
    six = puzzle(dict.fromkeys("abcdef", BOOLEAN), lambda m, *x: one(m, *x[:3]), lambda m, *x: other(m, *x[3:]))
    assert order(six) == 72


@override_tuning(max_constraint_cases=0)
def test_a_rule_that_two_opposite_literals_enforce_says_nothing() -> None:
    square = puzzle(
        {"x": (0, 2), "y": (0, 2), "b": BOOLEAN},
        lambda m, x, y, b: m.add_multiplication_equality(x, [y, y]).only_enforce_if(b, ~b),
        key="xy",
    )
    assert order(square) == 72


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
def test_a_sum_of_variables_of_which_one_is_a_permutation_of_the_other(most_cases: int) -> None:
    """Several values of the pair weigh the same, so they are not told by the weight of the pair."""
    forbidden = {*product(range(3), repeat=2)} - {(0, 0), (1, 2), (2, 1)}
    permuted = puzzle(
        {"x": (0, 2), "y": (0, 2), "z": (0, 3)},
        *(lambda m, x, y, z, pair=pair: m.add_forbidden_assignments([x, y], [pair]) for pair in forbidden),
        lambda m, x, y, z: m.add(x + y + z == 3),
        key="xz",
    )
    with override_tuning(max_constraint_cases=most_cases):
        result = solve(permuted, symmetry="found", backend="sat", jobs=1)
    assert {(solution["x"], solution["z"]) for solution in result.in_all()} == {(0, 3), (1, 0), (2, 0)}
    assert result.report.symmetries in (2, 4)  # 1 and 2 of x change places; so may 1 and 2 of z, which never occur


def test_every_generator_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    implying = puzzle(
        dict.fromkeys("abc", BOOLEAN),
        lambda m, a, b, c: m.add_bool_or(a, b),
        lambda m, a, b, c: m.add_implication(b, c),
    )
    exchanged: Any = lambda _, stop, question, colours: [[2, 3, 0, 1, *range(4, len(colours))]]  # noqa: E731
    monkeypatch.setattr(InThisProcess, "ask", exchanged)
    refused("one that changes the model", order, implying, raises=CheckError)


@override_tuning(max_graph_nodes=300)
def test_too_large() -> None:
    refused("too large to search it for symmetries", order, find("magic").load()())


@pytest.mark.thorough
def test_a_search_in_a_process_of_its_own() -> None:
    square = SimpleNamespace(colours=[0] * 4, edges=[(0, 1), (1, 2), (2, 3), (3, 0)])
    bliss = in_a_process(square)
    assert {tuple(sorted(generator)) for generator in bliss.ask(Event(), "generators", [0] * 4)} == {(0, 1, 2, 3)}
    assert bliss.ask(Event(), "order", [0, 0, 0, 1]) == 2
    large = in_a_process(SimpleNamespace(colours=[0] * 1000, edges=[*combinations(range(1000), 2)]))
    stop = Event()
    Timer(0.1, stop.set).start()
    refused("^", large.ask, stop, "generators", [0] * 1000, raises=Stopped)


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "backend", "expected"),
    [
        ("pentomino", "cp-sat", (7, 28, 4)),
        ("pentomino", "sat", (7, 28, 4)),
        ("pentomino", "cover", (7, 28, 4)),
        ("magic", "cp-sat", (3, 48, 16)),
        ("magic", "sat", (3, 48, 16)),
    ],
)
def test_runs(name: str, backend: str, expected: tuple[int, int, int]) -> None:
    total = expected[1]
    assert counts(name, backend=backend, symmetry="found") == expected
    assert counts(name, backend=backend, symmetry="found", unbroken=True) == expected
    assert counts(name, backend=backend, symmetry="none") == (total, total, 1)


def test_features_that_symmetric_solutions_do_not_share() -> None:
    report = solve(find("magic").load()(kind="ring"), symmetry="found").report
    assert report.features == {"sum 12 or sum 15": 1, "sum 13 or sum 14": 2}


def test_the_command() -> None:
    assert "symmetries                    16 (found)\n" in run(RUN, "magic", "--symmetry", "found").stdout
    refusal("magic", "--symmetry", "all")
    refused("no symmetries called 'any'", solve, "magic", symmetry="any")


def paths(size: int, fixed: Any, model: CpModel) -> dict[Any, Any]:
    """Corner to corner on a board, as a circuit with an arc from the end to the beginning; the key."""
    cells = sorted(grid.box(size, size))
    loops = [(cell, cell) for cell in cells[1:-1]]
    steps = [(a, b) for a in cells for b in cells if b in {*grid.neighbours(a)}]
    arcs = {arc: model.new_bool_var(str(arc)) for arc in [*steps, *loops]}
    model.add_circuit(
        [*((cells.index(a), cells.index(b), literal) for (a, b), literal in arcs.items()), (len(cells) - 1, 0, fixed)]
    )
    return arcs


@pytest.mark.parametrize(("size", "total"), [(3, 12), pytest.param(4, 184, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("how", ["constant", "True", "added"])
def test_an_arc_that_is_always_there(how: str, size: int, total: int) -> None:
    """Paths of a board from corner to corner (OEIS A007764), of which none is its own mirror image."""
    model = CpModel()
    fixed: Any = {"constant": model.new_constant(1), "True": True, "added": model.new_bool_var("fixed")}[how]
    if how == "added":
        model.add(fixed == 1)
    result = solve(Puzzle("paths", {}, model, paths(size, fixed, model)), symmetry="found")
    assert (result.total, result.solutions, result.report.symmetries) == (total, total // 2, 2)
    assert result.report.skipped_kinds == []


@override_tuning(max_value_nodes=1)
def test_places_in_an_inverse_of_many_values_are_kept() -> None:
    inverse = puzzle(dict.fromkeys("abcd", BOOLEAN), lambda m, a, b, c, d: m.add_inverse([a, b], [c, d]))
    assert order(inverse) == 1


@override_tuning(max_constraint_cases=3)
def test_what_is_taken_as_rigid_is_named() -> None:
    rigid = puzzle(
        dict.fromkeys("xyz", (0, 9)),
        lambda m, x, y, z: m.add_division_equality(z, x, 2 * y + 1),
        lambda m, x, y, z: m.add_automaton([x, y], 0, [0], [(0, 1, 0), (0, 2, 0)]),
    )
    report = solve(rigid, symmetry="found").report
    assert report.skipped_kinds == ["automaton", "int_div"]
    assert ("symmetries", "1 (found, but not in: automaton, int_div)") in report.rows()


def test_clauses_are_compared_without_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automorphisms, "Graph", lambda *_: pytest.fail("the clauses tell"))

    def flipped(label: str, value: int) -> Literal:
        return label, 1 - value

    four = puzzle(
        dict.fromkeys("abcd", BOOLEAN),
        lambda m, a, b, c, d: m.add_bool_or(~a, ~b, ~c, ~d),
        lambda m, a, b, c, d: m.add_at_most_one(a, ~b, ~c),
    )
    a, b, c, d = map(four.model.get_bool_var_from_proto_index, range(4))
    assert groups.is_proved(four, swapping("b", "c"))
    four.model.add_bool_or(a, ~d).only_enforce_if(~b)
    four.model.add_bool_or(a, ~d).only_enforce_if(~c)
    assert groups.is_proved(four, swapping("b", "c"))
    with pytest.raises(pytest.fail.Exception):
        groups.is_proved(four, swapping("a", "d"))
    two = puzzle(
        dict.fromkeys("ef", BOOLEAN), lambda m, e, f: m.add_bool_or(e, ~f), lambda m, e, f: m.add_bool_or(~e, f)
    )
    assert groups.is_proved(two, swapping("e", "f"))
    assert groups.is_proved(two, flipped)


def test_a_model_whose_only_variable_is_fixed() -> None:
    """A rule on a literal that is never false, with no other literal in the model."""
    one = puzzle({"a": (1, 1)}, lambda m, a: m.add_bool_or(a), lambda m, a: m.add_exactly_one(a))
    assert solve(one, symmetry="found", jobs=1).total == 1


@pytest.mark.parametrize("seed", range(3))
def test_what_refinement_settles_is_as_bliss_says(seed: int) -> None:
    """Graphs of up to nine vertices; half of the colourings are images of the other one."""
    chance, told = Random(seed), Counter[tuple[bool, bool]]()
    for _ in range(200):
        size = chance.randint(1, 9)
        density = chance.choice((0.2, 0.4, 0.6))
        joined = [pair for pair in combinations(range(size), 2) if chance.random() < density]
        edges = np.array(joined, dtype=np.int64).reshape(-1, 2)
        questions = Questions(size, edges)
        target = np.array([chance.randrange(size) for _ in range(size)])
        moved = chance.choice([*questions.generators(np.zeros(size, int)), list(range(size))])
        source = chance.choice((target[moved], chance.choices(range(size), k=size)))
        mapping, is_settled = extend_automorphism(size, edges, np.array(source), target, Event())
        (wanted,) = questions.mappings(target, [np.array(source)])
        if mapping is not None:
            assert (target[mapping] == source).all()
            kept = {frozenset(mapping[list(pair)].tolist()) for pair in joined}
            assert kept == {frozenset(pair) for pair in joined}
        if is_settled:
            assert (mapping is None) == (wanted is None)
        told[is_settled, wanted is not None] += 1
    assert min(told[key] for key in ((True, True), (True, False), (False, True))) > 10, told


def test_variables_of_very_many_values_change_places() -> None:
    """Their literals are moved in a row."""
    model = CpModel()
    x, y, z = (model.new_int_var(0, 30_000, name) for name in "xyz")
    model.add(x + y + 2 * z == 40_000)
    group = automorphisms.find_automorphism_group(model, Key(model, {"x": x, "y": y, "z": z}), Event())
    (image,) = group.generators.values()
    assert group.order == 2
    size = 30_001
    assert image.tolist() == [*range(size, 2 * size), *range(size), *range(2 * size, 3 * size)]


def test_a_graph_that_is_not_drawn_in_time() -> None:
    model = CpModel()
    x, y = (model.new_int_var(0, 9, name) for name in "xy")
    model.add(x + 2 * y <= 9)
    key, stop = Key(model, {"x": x, "y": y}), Event()
    said = terms(model, key.variables, stop)
    stop.set()
    with pytest.raises(Stopped):
        Graph(said, key)
