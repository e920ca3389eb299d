"""Models that are not exact covers, searched in one piece, in cubes, and first in one piece and then in cubes."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel
from pysat.solvers import Solver

from models.dissection import dissection
from models.magic import magic
from solvers.backends.registry import BACKENDS
from solvers.backends.sat import Propagation
from solvers.cnf.lower import lower
from solvers.cubes import branch, search, workers
from solvers.cubes.branch import branch_plan, branches, choices
from solvers.cubes.conquer import Job
from solvers.cubes.cube import Cube
from tests.support.random_models import brute_force, models
from tests.support.runs import finished


def solved(declare: Any, arguments: Mapping[str, Any], **options: Any) -> tuple[list[Any], Any]:
    run = finished(declare, arguments, **options)
    assert run.report.complete
    assert run.report.repeats == 0
    assert run.report.progress == pytest.approx(1)
    assert len(run.in_order()) == run.report.solutions
    return run.in_order(), run.report


@pytest.mark.parametrize(
    "backend", ["sat", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sat:glucose42", "cp-sat"))]
)
@pytest.mark.parametrize(
    ("kind", "least"), [pytest.param("blocks", 2, marks=pytest.mark.thorough), ("ring", 2), ("square", 1)]
)
def test_cubes_hold_what_one_piece_holds(backend: str, kind: str, least: int) -> None:
    expected, whole = solved(magic, {"kind": kind}, backend=backend, cubes=1)
    assert whole.cubes == 0
    found, split = solved(magic, {"kind": kind}, backend=backend, cubes=20, jobs=1)
    assert found == expected
    assert least <= split.cubes <= 20


@pytest.mark.parametrize(
    "backend", ["cp", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sat", "cp-sat"))]
)
def test_split_when_it_takes_long(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = solved(magic, {"kind": "ring"}, backend=backend, jobs=1)
    monkeypatch.setitem(BACKENDS, backend, BACKENDS[backend]._replace(trial=0.01))
    found, report = solved(magic, {"kind": "ring"}, backend=backend, jobs=2)
    assert found == expected
    monkeypatch.setitem(BACKENDS, backend, BACKENDS[backend]._replace(trial=0))
    found, report = solved(magic, {"kind": "ring"}, backend=backend, jobs=2)
    assert found == expected
    assert report.cubes > 1
    assert report.jobs == 2
    monkeypatch.setattr(search, "branch_plan", lambda *_: None)
    found, report = solved(magic, {"kind": "ring"}, backend=backend, jobs=2)
    assert found == expected
    assert report.cubes == 0


@pytest.mark.thorough
def test_what_has_many_solutions_is_split_again(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = solved(dissection, {"region": "square-4"}, backend="sat", jobs=1)
    monkeypatch.setitem(BACKENDS, "sat", BACKENDS["sat"]._replace(trial=0))
    monkeypatch.setattr(workers, "MAX_CUBE_SOLUTIONS", 1)
    monkeypatch.setattr(branch, "MODEL_CUBES", 3)
    found, report = solved(dissection, {"region": "square-4"}, backend="sat", jobs=2)
    assert found == expected
    assert report.cubes > branch.MODEL_CUBES


def test_a_cube_in_the_middle_of_a_chunk_is_split_and_the_others_are_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "MAX_CUBE_SOLUTIONS", 2)
    model = CpModel()
    chosen = [model.new_bool_var(f"chosen {n}") for n in range(9)]
    model.add_exactly_one(chosen)
    others = [one for n, one in enumerate(chosen) if n not in (2, 5)]
    for n in range(3):
        model.add_at_most_one(model.new_bool_var(f"free {n}"), *others)
    plan = branch_plan(model, range(12), Job("sat", 0, {}, tuple(range(12)), b""), None, threading.Event())
    cubes = [Cube((n,), Fraction(1, 9)) for n in range(9)]
    parts = list(workers.conquered(replace(plan, cubes=lambda: iter(cubes)), 1, threading.Event()))
    rows = [tuple(list(row)[:12]) for part in parts for row in part.rows]
    assert len(rows) == len(set(rows)) == 7 + 2 * 2**3


def test_cases_share_the_number_of_cubes() -> None:
    model = CpModel()
    for n in range(8):
        model.new_bool_var(f"{n}")
    cases = [Cube((0, 1), Fraction(1, 4)), Cube((0, -2), Fraction(1, 4)), Cube((-1,), Fraction(1, 2))]
    plan = branch_plan(model, range(8), Job("sat", 0, {}, tuple(range(8)), b""), 24, threading.Event(), cases)
    cubes = list(plan.cubes())
    assert 12 <= len(cubes) <= 24
    assert sum(cube.weight for cube in cubes) == 1


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(
    models(objectives=False), st.integers(1, 4), st.sampled_from(["sat:cadical195", "sat:glucose42", "cp", "cp-sat"])
)
def test_split_again_and_again(model: CpModel, many: int, backend: str) -> None:
    key = range(len(model.proto.variables))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "MAX_CUBE_SOLUTIONS", many)
        patch.setattr(branch, "MODEL_CUBES", 2)
        patch.setattr(branch, "PARTS", 3)
        plan = branch_plan(model, key, Job(backend, 0, {}, tuple(key), b""), None, threading.Event())
        parts = list(workers.conquered(plan, 1, threading.Event()))
    assert sorted(tuple(list(row)[: len(key)]) for part in parts for row in part.rows) == sorted(brute_force(model))


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
