"""Domains of up to 2^60 values, with gaps: every backend finds what an oracle of the tests' own finds."""

import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback, Domain

from solvers.backends.cp import Cp
from solvers.backends.cp_sat import CpSat
from solvers.backends.cp_sat_clauses import MOST
from solvers.backends.cp_sat_flaws import greatest_sum, reach
from solvers.backends.protocol import Backend
from solvers.backends.sat import Sat
from solvers.checks.evaluate import Evaluator
from solvers.cnf import gates
from solvers.errors import InputError, Stopped
from tests.support.wide_models import KINDS, SCHEDULING, Sketch, cumulative, sketched

FEW, MANY = 2, 200
"""Models of each kind in the default tests and in the slow ones."""

PATIENCE = 20
"""Seconds for one of them: products of numbers of 60 bits can be as hard as factoring."""


def found(backend: Backend) -> set[tuple[int, ...]]:
    solutions: list[tuple[int, ...]] = []
    backend.enumerate(lambda values: solutions.append(tuple(map(int, values))))
    assert len(solutions) == len(set(solutions))
    return set(solutions)


def without_presolve(model: CpModel) -> set[tuple[int, ...]] | None:
    """What OR-Tools itself finds of the declared model; None if it is not done after a second."""
    solutions = set()
    size = len(model.proto.variables)

    class Collector(CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            solutions.add(tuple(self.Response().solution)[:size])  # type: ignore[no-untyped-call]

    solver = CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.cp_model_presolve = False
    solver.parameters.max_time_in_seconds = 1
    status = solver.solve(model, Collector())
    return solutions if solver.status_name(status) in ("OPTIMAL", "INFEASIBLE") else None


def agree(kind: Callable[[Sketch], None], seed: int) -> int:
    """All backends that take such a model find the solutions of the model of this seed, or how many are too slow."""
    sketch = sketched(Random(seed), [kind])
    model, solutions = sketch.model, sketch.solutions()
    every = range(len(model.proto.variables))
    evaluator = Evaluator(model)
    backends: list[type[Backend]] = [CpSat] if kind in SCHEDULING else [CpSat, Cp, Sat]
    unfinished = 0
    for backend in backends:
        stop = threading.Event()
        timer = threading.Timer(PATIENCE, stop.set)
        timer.start()
        try:
            assert found(backend(model, every, stop)) == solutions, (kind.__name__, seed, backend.__name__)
        except Stopped:
            unfinished += 1
        except InputError as reason:
            if backend is not Cp or "reckons with 64 bits" not in str(reason):
                raise
        finally:
            timer.cancel()
    assert all(evaluator.violated(values) is None for values in solutions), (kind.__name__, seed)
    return unfinished


@pytest.mark.parametrize("kind", [*KINDS, *SCHEDULING])
def test_a_few_models(kind: Callable[[Sketch], None]) -> None:
    assert not any(agree(kind, seed) for seed in range(FEW))


def test_rewritten_model_beyond_what_or_tools_accepts() -> None:
    assert agree(cumulative, 39) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, *SCHEDULING])
def test_many_models(kind: Callable[[Sketch], None]) -> None:
    unfinished = sum(agree(kind, seed) for seed in range(FEW, MANY))
    assert unfinished < 0.05 * MANY


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, *SCHEDULING])
def test_or_tools_itself_is_mostly_right(kind: Callable[[Sketch], None]) -> None:
    """As a witness for the oracle: what OR-Tools does not find, it loses; it finds nothing that is not there."""
    right = known = 0
    for seed in range(MANY // 4):
        sketch = sketched(Random(seed), [kind])
        solutions, witness = sketch.solutions(), without_presolve(sketch.model)
        if witness is not None:
            known += 1
            right += witness == solutions
    assert right > 0.9 * known > 0.5 * MANY // 4


def division(model: CpModel) -> list[Any]:
    b, i, t = model.new_bool_var("b"), model.new_int_var(0, 2, "i"), model.new_int_var(-4, 4, "t")
    x = model.new_int_var_from_domain(Domain.from_values([-5, 1]), "x")
    w = model.new_int_var(-(2**50), 2**50, "w")
    model.add(w == 14348907 * i - 5)
    model.add_division_equality(t, 3 * w, -2 * x).only_enforce_if(b)
    return [b, i, t, x, w]


def test_enforced_division_of_a_wide_dividend() -> None:
    model = CpModel()
    division(model)
    expected = {
        (b, i, t, x, 14348907 * i - 5)
        for b in (0, 1)
        for i in range(3)
        for t in range(-4, 5)
        for x in (-5, 1)
        if not b or int(abs(3 * (14348907 * i - 5)) // abs(2 * x)) * (1 if (i > 0) == (x < 0) else -1) == t
    }
    assert len(expected) == 55
    assert found(CpSat(model, range(5), threading.Event())) == expected


@pytest.mark.parametrize("maximise", [True, False])
def test_best_value(maximise: bool) -> None:
    model = CpModel()
    _, _, t, x, w = division(model)
    (model.maximize if maximise else model.minimize)(2**9 * w + t - x)
    cp_sat = CpSat(model, range(5), threading.Event())
    best, solutions = cp_sat.optimum(), found(cp_sat)
    plain = CpModel()
    division(plain)
    costs = {
        values: (-1 if maximise else 1) * (2**9 * values[4] + values[2] - values[3])
        for values in found(CpSat(plain, range(5), threading.Event()))
    }
    assert best == min(costs.values())
    assert solutions == {values for values, cost in costs.items() if cost == best}


def test_cubes_and_what_is_held() -> None:
    model = CpModel()
    division(model)
    cp_sat = CpSat(model, [2, 0], threading.Event())
    keys: list[tuple[int, int]] = []
    for cube in ([0], [-1]):
        cp_sat.enumerate(lambda values: keys.append((values[2], values[0])), cube)
    assert sorted(keys) == sorted({(v[2], v[0]) for v in found(all_of(model))})
    there, nowhere = cp_sat.extend([{4: -5, 0: 1}, {4: -4}])
    assert there is not None
    assert (there[4], there[0], nowhere) == (-5, 1, None)
    assert Evaluator(model).violated([int(value) for value in there]) is None


def all_of(model: CpModel) -> CpSat:
    return CpSat(model, range(len(model.proto.variables)), threading.Event())


def test_no_more_than_needed_is_handed_over_as_clauses() -> None:
    model = CpModel()
    x, y = model.new_int_var(0, 2**15, "x"), model.new_int_var(0, 2**15, "y")
    model.add_multiplication_equality(2**30, [x, y])
    model.add_division_equality(1, x, 2**15)
    assert reach(model.proto) == MOST
    assert all_of(model).size == {"variables": 3, "constraints": 6}
    model.add(x + 2**15 * y <= 2**30)
    assert reach(model.proto) == MOST
    assert greatest_sum(model.proto, with_gaps=True) == 0
    assert all_of(model).size == {"variables": 3, "constraints": 7}
    model.add(x + 2**15 * y != 5)
    assert greatest_sum(model.proto, with_gaps=True) > MOST
    assert all_of(model).size["variables"] > 3
    assert found(all_of(model)) == set()


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "MOST_CLAUSES", 2000)
    model = CpModel()
    x, y, z = (model.new_int_var(0, 2**30, "") for _ in range(3))
    model.add_multiplication_equality(2**60, [x, y])
    model.add_multiplication_equality(z, [z, z])
    with pytest.raises(InputError, match=r"CP-SAT 9\.15 loses solutions where numbers go beyond") as refusal:
        all_of(model)
    assert "\n" not in str(refusal.value)
