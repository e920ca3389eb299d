"""Models that are no exact covers, searched in one piece, in cubes, and first in one piece and then in cubes."""

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel
from pysat.solvers import Solver

from models.dissection import dissection
from models.magic import magic
from models.puzzle import Puzzle
from solvers.backends.sat import Propagation
from solvers.cnf.lower import lower
from solvers.cubes import branch, search, split, workers
from solvers.cubes.branch import branches, choices
from solvers.cubes.conquer import Job
from solvers.options import Options
from solvers.running.runner import Run
from tests.support.random_models import brute_force, models


def solved(declare: Any, arguments: Mapping[str, Any], **options: Any) -> tuple[list[Any], Any]:
    run = Run("tested", arguments, declare, Options(**options))
    found = sum(solution is not None for solution in run)
    assert run.report.complete
    assert run.report.repeats == 0
    assert run.report.progress == pytest.approx(1)
    assert run.collector is not None
    assert found == run.report.solutions
    return run.collector.in_order(), run.report


@pytest.mark.parametrize(
    "backend", ["sat", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sat:glucose42", "cp-sat"))]
)
def test_cubes_hold_what_one_piece_holds(backend: str) -> None:
    for arguments, least in (({}, 2), ({"kind": "ring"}, 2), ({"kind": "square"}, 1)):
        expected, whole = solved(magic, arguments, backend=backend, cubes=1)
        assert whole.cubes == 0
        found, split = solved(magic, arguments, backend=backend, cubes=20, jobs=1)
        assert found == expected
        assert least <= split.cubes <= 20


@pytest.mark.parametrize(
    "backend", ["cp", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sat", "cp-sat"))]
)
def test_split_when_it_takes_long(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = solved(magic, {"kind": "ring"}, backend=backend, jobs=1)
    monkeypatch.setitem(search.TRIAL, backend, 0.01)
    found, report = solved(magic, {"kind": "ring"}, backend=backend, jobs=2)
    assert found == expected
    monkeypatch.setitem(search.TRIAL, backend, 0)
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
    expected, _ = solved(dissection, {"region": "square-5"}, backend="sat", jobs=1)
    monkeypatch.setitem(search.TRIAL, "sat", 0)
    monkeypatch.setattr(workers, "MANY", 1)
    monkeypatch.setattr(branch, "SEVERAL", 3)
    found, report = solved(dissection, {"region": "square-5"}, backend="sat", jobs=2)
    assert found == expected
    assert report.cubes > branch.SEVERAL


@settings(max_examples=60, deadline=None)
@given(models(), st.integers(2, 12), st.sampled_from(["sat", "cp-sat", "cp"]))
def test_random_models(model: CpModel, cubes: int, backend: str) -> None:
    key = {index: model.get_int_var_from_proto_index(index) for index in range(len(model.proto.variables))}

    def declare() -> Puzzle:
        return Puzzle("random", {}, model, key)

    expected, whole = solved(declare, {}, backend=backend, cubes=1)
    found, split = solved(declare, {}, backend=backend, cubes=cubes, jobs=1)
    assert found == expected
    assert split.objective == whole.objective


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(
    models(objectives=False), st.integers(1, 4), st.sampled_from(["sat:cadical195", "sat:glucose42", "cp", "cp-sat"])
)
def test_split_again_and_again(model: CpModel, many: int, backend: str) -> None:
    key = range(len(model.proto.variables))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "MANY", many)
        patch.setattr(branch, "SEVERAL", 2)
        patch.setattr(branch, "PARTS", 3)
        plan = branch.branch_plan(model, key, Job(backend, 0, {}, tuple(key), b""), None, threading.Event())
        parts = list(split.conquered(plan, 1, threading.Event()))
    assert sorted(tuple(list(row)[: len(key)]) for part in parts for row in part.rows) == sorted(brute_force(model))


@settings(max_examples=60, deadline=None)
@given(models(), st.integers(1, 30))
def test_cubes_are_exhaustive_and_disjoint(model: CpModel, most: int) -> None:
    stop = threading.Event()
    among = choices(model, range(len(model.proto.variables)))
    booleans = {max(a, -a - 1) for choice in among for a in choice}
    cubes = list(branches(Propagation(model, booleans, stop), among, most))
    assert sum(not cube.is_refuted for cube in cubes) <= most
    assert sum(cube.weight for cube in cubes) == pytest.approx(1)
    lowering = lower(model, stop)
    with Solver("glucose4", bootstrap_with=lowering.formula.clauses) as solver:
        for cube in cubes:
            if cube.is_refuted:
                assert solver.solve(lowering.booleans(cube.literals)) is False
        for cube in cubes:
            assumed = lowering.booleans(cube.literals)
            if not cube.is_refuted:
                solver.add_clause([-literal for literal in assumed])
        assert solver.solve() is False
