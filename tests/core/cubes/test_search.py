"""Models that are not exact covers, searched in one piece, in cubes, and first in one piece and then in cubes."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, IntVar
from pysat.solvers import Solver

from models.classics.arrangements import queens
from models.magic import magic
from models.packing import packing
from models.pentomino import pentomino
from solvers import solve
from solvers.backends.sat import Propagation
from solvers.base.backend_rows import BACKENDS
from solvers.base.tuning import Round, override_tuning
from solvers.cnf.lower import lower
from solvers.cubes import search, workers
from solvers.cubes.branch import branch_plan, branches, choices
from solvers.cubes.conquer import Job, Plan
from solvers.cubes.cube import WHOLE, Cube
from solvers.cubes.split import cover_plan
from solvers.model import cover_search
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.random_models import brute_force, models
from tests.support.runs import complete


@pytest.mark.parametrize(
    "backend", ["sat", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sat:glucose42", "cp-sat"))]
)
@pytest.mark.parametrize(
    ("kind", "least"),
    [
        pytest.param("blocks", 2, marks=pytest.mark.thorough),
        pytest.param("ring", 2, marks=pytest.mark.thorough),
        ("square", 1),
    ],
)
def test_cubes_hold_what_one_piece_holds(backend: str, kind: str, least: int) -> None:
    expected, whole = complete(magic, {"kind": kind}, backend=backend, cubes=1)
    assert whole.cubes == 0
    found, split = complete(magic, {"kind": kind}, backend=backend, cubes=20, jobs=1)
    assert found == expected
    assert least <= split.cubes <= 20


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["cp", "sat", "cp-sat"])
@override_tuning(seconds_per_clause=0)
def test_split_when_it_takes_long(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(trial: float, jobs: int) -> tuple[list[object], int]:
        monkeypatch.setitem(BACKENDS, backend, replace(BACKENDS[backend], trial=trial))
        found, report = complete(magic, {"kind": "ring"}, backend=backend, jobs=jobs)
        return found, report.cubes

    expected, cubes = searched(0, jobs=1)
    assert cubes == 0
    for trial in (0.01, 0):
        found, cubes = searched(trial, jobs=2)
        assert found == expected
    assert cubes > 1
    monkeypatch.setattr(search, "branch_plan", lambda *_: None)
    assert searched(0, jobs=2) == (expected, 0)


def planned(model: CpModel, backend: str = "sat", most: int | None = None, cases: Sequence[Cube] = (WHOLE,)) -> Plan:
    """How the backend searches it for assignments of all its variables."""
    key = tuple(range(len(model.proto.variables)))
    return branch_plan(model, key, Job(backend, 0, {}, key, b""), most, threading.Event(), cases)


def conquer_all(plan: Plan, variables: int) -> list[tuple[int, ...]]:
    """What is found, with the values of so many variables."""
    parts = workers.conquer_all(plan, 1, threading.Event())
    return [tuple(list(row)[:variables]) for part in parts for row in part.rows]


@override_tuning(max_cube_solutions=2)
def test_a_cube_in_the_middle_of_a_chunk_is_split_and_the_others_are_searched_once() -> None:
    """Two of nine choices leave three others open."""
    model = declared(
        [BOOLEAN] * 12,
        lambda m, *x: m.add_exactly_one(x[:9]),
        *(lambda m, *x, n=n: m.add_at_most_one(x[9 + n], *x[:2], *x[3:5], *x[6:9]) for n in range(3)),
    )
    cubes = [Cube((n,), Fraction(1, 9)) for n in range(9)]
    rows = conquer_all(replace(planned(model), cubes=lambda: iter(cubes)), 12)
    assert len(rows) == len(set(rows)) == 7 + 2 * 2**3


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(
    models(objectives=False), st.integers(1, 4), st.sampled_from(["sat:cadical195", "sat:glucose42", "cp", "cp-sat"])
)
def test_split_again_and_again(model: CpModel, many: int, backend: str) -> None:
    with override_tuning(max_cube_solutions=many, max_model_cubes=2, max_parts_of_cube=3):
        found = conquer_all(planned(model, backend), len(model.proto.variables))
    assert sorted(found) == sorted(brute_force(model))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_a_trial_that_decides_in_the_first_case_leaves_no_case_out(jobs: int, turn: float) -> None:
    """The mirror leaves the middle of five places as it is, so that there are two cases."""
    places = range(5)

    def rules(model: CpModel, *variables: IntVar) -> None:
        chosen, numbers = variables[:5], variables[5:]
        model.add_exactly_one(chosen)
        model.add(sum(numbers) == 4)
        for boolean, number in zip(chosen, numbers, strict=True):
            model.add(number <= 1).only_enforce_if(boolean)

    domains = {("chosen", place): BOOLEAN for place in places} | {("number", place): (0, 2) for place in places}
    mirror = [lambda label, value: ((label[0], 4 - label[1]), value)]
    right = sum(
        sum(numbers) == 4 and numbers[place] <= 1 for numbers in product(range(3), repeat=5) for place in places
    )
    rounds = [[("sat", turn)]]
    with override_tuning(trial_rounds=rounds, clause_trial_rounds=rounds, boolean_trial_rounds=rounds):
        result = solve(puzzle(domains, rules, symmetries=mirror), jobs=jobs, breaking="cases")
    assert (result.total, result.complete) == (right, True)


def test_cases_share_the_number_of_cubes() -> None:
    cases = [Cube((0, 1), Fraction(1, 4)), Cube((0, -2), Fraction(1, 4)), Cube((-1,), Fraction(1, 2))]
    cubes = list(planned(declared([BOOLEAN] * 8), most=24, cases=cases).cubes())
    assert 12 <= len(cubes) <= 24
    assert sum(cube.weight for cube in cubes) == 1


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(models(), st.integers(1, 30))
def test_cubes_are_exhaustive_and_disjoint(model: CpModel, most: int) -> None:
    stop = threading.Event()
    among = choices(model, range(len(model.proto.variables)))
    booleans = {max(a, -a - 1) for choice in among for a in choice}
    parts = list(branches(Propagation(model, booleans, stop), among, most))
    cubes = [part for part in parts if isinstance(part, Cube)]
    assert len(cubes) <= most
    assert sum(part.weight for part in parts) == 1
    lowering = lower(model, stop)
    with Solver("glucose4", bootstrap_with=lowering.formula.clauses) as solver:
        for cube in cubes:
            solver.add_clause([-literal for literal in lowering.booleans(cube.literals)])
        assert solver.solve() is False


def test_deep_cubes_hold_each_solution_once() -> None:
    """Cubes of up to five literals: each solution, found by plain enumeration, lies in exactly one of them."""
    domains = [(0, 3)] * 5
    model = declared(domains, lambda m, *x: m.add(sum(x) == 7), lambda m, *x: m.add(x[0] + x[4] != x[2]))
    key = range(len(domains))
    among = choices(model, key)
    booleans = {max(a, -a - 1) for choice in among for a in choice}
    parts = branches(Propagation(model, booleans, threading.Event()), among, 200)
    cubes = [part for part in parts if isinstance(part, Cube)]
    assert max(len(cube.literals) for cube in cubes) >= 3
    literal = {a: (index, value) for index, choice in zip(key, among, strict=True) for value, a in enumerate(choice)}
    solutions = [x for x in product(range(4), repeat=5) if sum(x) == 7 and x[0] + x[4] != x[2]]
    for solution in solutions:
        assert sum(all(solution[literal[a][0]] == literal[a][1] for a in cube.literals) for cube in cubes) == 1


@pytest.mark.thorough
def test_a_first_solution_is_found_before_anything_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pairs of options are looked for either; both take seconds where the search takes a moment."""
    monkeypatch.setattr(search, "cover_plan", Mock(side_effect=AssertionError("it was cut")))
    monkeypatch.setattr(cover_search, "_exclude_pairs", Mock(side_effect=AssertionError("pairs were looked for")))
    for asked in ({"limit": 1}, {"limit": 2}, {"unique": True}):
        assert len(solve(queens(20), jobs=2, **asked)) == asked.get("limit", 2)


@pytest.mark.parametrize("board", ["3x20", "4x5"])
def test_what_has_no_solution_for_long_is_cut(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "trial_seconds", lambda backend: 0)
    cut = Mock(side_effect=cover_plan)
    monkeypatch.setattr(search, "cover_plan", cut)
    with override_tuning(seconds_for_first=0):
        result = solve(pentomino(board, subset=board == "4x5"), backend="cover", unique=True, jobs=1)
    assert cut.call_count == 1
    assert (result.report.unique, len(result)) == (False, 2)


@pytest.mark.parametrize(
    ("rounds", "backend"),
    [
        ([[("sat", 60.0)]], "sat:cadical195"),
        ([[("sat", 0.0), ("cover", 0.0)], [("cover", 60.0)]], "cover"),
        ([[("cover", 0.0)]], "cover"),
        ([[("sat", 0.0)]], "sat:cadical195"),
    ],
)
def test_others_take_turns_where_cover_finds_no_first_solution(
    rounds: Sequence[Round], backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine 1x4 do not fill 6x6; then a board of which there are several solutions."""
    monkeypatch.setattr(search, "trial_seconds", lambda backend: 0.0)
    with override_tuning(first_solution_rounds=rounds, seconds_for_first=0, max_small_cover_options=0):
        none = solve(packing("6x6", "1x4 x9"), limit=1, jobs=1)
        several = solve(packing("4x8", "1x4 x8"), unique=True, jobs=1)
    assert (none.complete, none.total, none.report.backend) == (True, 0, backend)
    assert (several.report.unique, len(several)) == (False, 2)


def test_turns_are_for_the_backend_that_auto_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "trial_seconds", lambda backend: 0.0)
    with override_tuning(first_solution_rounds=[[("sat", 60.0)]], seconds_for_first=0):
        assert solve(packing("6x6", "1x4 x9"), backend="cover", limit=1, jobs=1).report.backend == "cover"
