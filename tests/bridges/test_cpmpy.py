"""Models of CPMpy, against plain enumeration by CPMpy's own evaluation; kazoeru as a solver of CPMpy."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from solvers import solve
from solvers.extras.bridges.cpmpy.model import puzzle_of
from tests.support.backends import GENERAL
from tests.support.refusals import refused

cp = pytest.importorskip("cpmpy", reason="needs cpmpy, of the extra of that name")


@pytest.fixture(name="solver_class", scope="module")
def registered() -> Any:
    from solvers.extras.bridges.cpmpy.solver import CPM_kazoeru, register

    register()
    register()  # does nothing again
    return CPM_kazoeru


def queens(n: int) -> tuple[Any, Any]:
    q = cp.intvar(1, n, shape=n, name="q")
    diagonals = [cp.AllDifferent([q[i] + sign * i for i in range(n)]) for sign in (1, -1)]
    return cp.Model(cp.AllDifferent(q), *diagonals), q


def random_cpmpy(seed: int) -> tuple[Any, list[Any]]:
    """A model with named variables, all of which are in its constraints."""
    rng = random.Random(seed)
    x = cp.intvar(-1, 2, shape=3, name="x")
    b = cp.boolvar(shape=2, name="b")

    def term() -> Any:
        one, other = rng.choice([*x]), rng.choice([*x, 2, -1])
        terms: list[Callable[[], Any]] = [
            lambda: one + other,
            lambda: one * other,
            lambda: abs(one),
            lambda: cp.max([one, other]),
            lambda: one // other,
            lambda: one % other,
            lambda: cp.sum(b) - one,
            lambda: cp.Count(x, other),
            lambda: cp.Element([3, 1, 0, 1], one),
            lambda: cp.NValue(x),
        ]
        return rng.choice(terms)()

    def relation() -> Any:
        left, right = term(), term()
        return rng.choice([left == right, left != right, left <= right, left < right])

    def constraint() -> Any:
        constraints: list[Callable[[], Any]] = [
            relation,
            lambda: b[0].implies(relation()),
            lambda: b[1] == relation(),
            lambda: relation() | relation(),
            lambda: ~(relation() & b[0]),
            lambda: cp.Xor([relation(), b[0], b[1]]),
            lambda: cp.AllDifferent(x),
            lambda: cp.AllDifferentExcept0(x),
            lambda: cp.AllEqual(x[:2]),
            lambda: cp.Increasing(x),
            lambda: cp.LexLess(x, [1, 0, 1]),
            lambda: cp.Table(x, [[rng.randint(-1, 2) for _ in range(3)] for _ in range(9)]),
            lambda: cp.NegativeTable(x, [[rng.randint(-1, 2) for _ in range(3)] for _ in range(9)]),
            lambda: cp.Among(x, [0, 2]) == rng.randint(0, 3),
            lambda: cp.GlobalCardinalityCount(x, [0, 1], [rng.randint(0, 1), rng.randint(0, 2)]),
            lambda: cp.Circuit(x + 0) if rng.random() < 0.2 else relation(),
            lambda: (
                cp.Cumulative(x, [1, 2, 1], [a + 1 for a in range(-1, 2)], [1, 2, 1], 2)
                if rng.random() < 0.2
                else relation()
            ),
        ]
        return rng.choice(constraints)()

    model = cp.Model([constraint() for _ in range(rng.randint(1, 3))])
    model += cp.sum(x) >= -3
    model += cp.sum(b) <= 2
    return model, [*x, *b]


def brute_force(model: Any, variables: list[Any]) -> int:
    """How many assignments CPMpy says are solutions."""
    from cpmpy.expressions.utils import argval, flatlist

    constraints = flatlist(model.constraints)
    count = 0
    for values in product(*(range(variable.lb, variable.ub + 1) for variable in variables)):
        for variable, value in zip(variables, values, strict=True):
            variable._value = bool(value) if variable.is_bool() else value
        count += all(argval(constraint) for constraint in constraints)
    return count


@pytest.mark.thorough
@pytest.mark.parametrize(
    "seeds",
    [range(12)],
)
def test_random_models(seeds: range, solver_class: Any) -> None:
    for seed in seeds:
        model, variables = random_cpmpy(seed)
        expected = brute_force(model, variables)
        assert solve(model, jobs=1).total == expected, seed
        for backend in GENERAL:
            assert solver_class(model, subsolver=backend).solveAll(jobs=1) == expected, (seed, backend)


def test_all_solutions(solver_class: Any) -> None:
    model, q = queens(6)
    shown: list[tuple[int, ...]] = []
    assert model.solveAll(solver="kazoeru", display=lambda: shown.append(tuple(q.value()))) == 4
    assert len({*shown}) == 4
    assert tuple(q.value()) == shown[-1]
    assert (model.status().exitstatus.name, model.status().solver_name) == ("OPTIMAL", "kazoeru")


def test_limits_and_states(solver_class: Any) -> None:
    model, q = queens(6)
    assert model.solveAll(solver="kazoeru:cp", solution_limit=2) == 2
    assert model.status().exitstatus.name == "FEASIBLE"
    assert model.solve(solver="kazoeru")
    assert model.status().exitstatus.name == "FEASIBLE"
    model += q[0] == q[1]
    assert not model.solve(solver="kazoeru")
    assert model.status().exitstatus.name == "UNSATISFIABLE"
    assert q.value().tolist() == [None] * 6
    refused("positive", model.solveAll, solver="kazoeru", time_limit=-1, raises=ValueError)
    refused("lists the options", model.solveAll, solver="kazoeru", colour="red")


def test_the_best_ones(solver_class: Any) -> None:
    x, y = cp.intvar(0, 9, name="x"), cp.intvar(0, 9, name="y")
    model = cp.Model(x + y <= 12, x != y, maximize=x + y)
    assert model.solveAll(solver="kazoeru") == 6
    assert (model.objective_value(), model.status().exitstatus.name) == (12, "OPTIMAL")
    assert model.solve(solver="kazoeru:sat")
    assert (model.objective_value(), model.status().exitstatus.name) == (12, "OPTIMAL")


def test_hints_for_a_solution(solver_class: Any) -> None:
    model, q = queens(6)
    for wanted in ([2, 4, 6, 1, 3, 5], [5, 3, 1, 6, 4, 2], [3, 6, 2, 5, 1, 4]):
        for backend in (None, "cp-sat"):
            solver = solver_class(model, backend)
            solver.solution_hint(list(q), wanted)
            assert solver.solve(jobs=1)
            assert list(q.value()) == wanted
        assert solver.solveAll(jobs=1) == 4
    for backend in ("cp", "sat"):
        solver = solver_class(model, backend)
        solver.solution_hint(list(q), wanted)
        with pytest.warns(UserWarning, match=f"only cp-sat follows solution hints; {backend} leaves them out"):
            assert solver.solve(jobs=1)


def test_one_of_each_orbit(solver_class: Any) -> None:
    assert solver_class(queens(6)[0]).solveAll(symmetry="found", jobs=1) < 4


def test_keys() -> None:
    model, q = queens(6)
    unnamed = cp.boolvar()
    model += unnamed | (q[0] > 2)
    report = solve(model).report
    assert report.total == model.solveAll() > 4
    assert f"7 of the model's 18 variables; {report.total} over these; 4 over the 6 that have" in report.counted_over
    assert solve(puzzle_of(model, key=q)).total == 4
    assert solve(puzzle_of(model, key=q[0])).total == 4
    assert solve(puzzle_of(model, key=[q, unnamed])).total > 4
    assert solve(puzzle_of(model, key=["q[1]"])).total == len({solution["q[1]"] for solution in solve(model)})
    refused("no variable is called r", puzzle_of, model, key=["r"], raises=ValueError)
    refused("not a variable of CPMpy", puzzle_of, model, key=[3], raises=ValueError)
    assert set(solve(cp.Model(cp.boolvar() | cp.boolvar()))[0])
