"""The PySAT backend: each key once, on every solver that is listed, and it stops when told."""

import os
import random
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from unittest.mock import Mock, patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel
from pysat.engines import Propagator
from pysat.examples.genhard import PHP
from pysat.formula import CNF
from pysat.solvers import Solver

from models.pentomino import pentomino
from solvers import solve
from solvers.backends import sat
from solvers.backends.protocol import Task
from solvers.backends.sat import (
    DEFAULT,
    LISTING,
    PARAMETERS,
    Oracle,
    Propagation,
    Sat,
    capabilities,
    solver_name,
)
from solvers.base.errors import Stopped
from solvers.base.tuning import override_tuning
from solvers.base.values import Values
from solvers.cnf.gates import TRUE
from solvers.cnf.listing import SOLUTIONS_PER_COMPLETION, Listing
from solvers.cubes.conquer import CubeRows
from solvers.model.lift import lift
from tests.support.backends import check_model, projected, visits
from tests.support.classics import queens
from tests.support.command import python
from tests.support.declared import BOOLEAN, declared
from tests.support.random_models import brute_force, cubes, keys, models
from tests.support.refusals import refused
from tests.support.tiers import sampled

NAMES = [name for name, flaw in capabilities().items() if not flaw]


def keys_of(backend: Sat, key: Sequence[int], cube: Sequence[int] = ()) -> list[tuple[int, ...]]:
    return sorted(projected(visits(backend, cube), key).elements())


@pytest.mark.parametrize(
    ("name", "examples"),
    [
        (DEFAULT, 4),
        *(pytest.param(name, 40 if name == DEFAULT else 5, marks=pytest.mark.thorough) for name in NAMES),
    ],
)
def test_each_key_once(name: str, examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        with override_tuning(solutions_before_listing=data.draw(st.sampled_from([1, 3, 10]))):
            check_model(f"sat:{name}", data.draw(models()), data)

    check()


@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_searches_with_many_conflicts(name: str) -> None:
    found = keys_of(Sat(Task(queens(8).model, range(8), threading.Event(), solver=name)), range(8))
    assert len(found) == len(set(found)) == 92  # OEIS A000170


@pytest.mark.parametrize("name", LISTING)
def test_values_that_do_not_follow_are_asked_for(name: str) -> None:
    model = declared(
        [(0, 499), (0, 2), BOOLEAN],
        lambda m, x, y, low: m.add(x < 50).only_enforce_if(low),
        lambda m, x, y, low: m.add(x >= 50).only_enforce_if(~low),
        lambda m, x, y, low: m.add(y == 1).only_enforce_if(low),
        lambda m, x, y, low: m.add(y > 0),
    )
    backend = Sat(Task(model, [0], threading.Event(), solver=name))
    with override_tuning(solutions_before_listing=1):
        low, found = visits(backend, [2]), visits(backend)
    assert backend._listing
    assert projected(low, [0]) == {(n,): 1 for n in range(50)}
    assert projected(found, [0]) == {(n,): 1 for n in range(500)}
    assert all(y == 1 if x < 50 else y in (1, 2) for x, y, _ in [*low, *found])


def test_what_only_the_cube_or_the_objective_says_holds_in_a_listing() -> None:
    backend = Sat(Task(declared([BOOLEAN] * 7, lambda m, *seven: m.maximize(seven[6])), range(5), threading.Event()))
    assert backend.optimum() == -1
    for cube in ([5], [-6]):
        found = visits(backend, cube)
        assert found.total() == 32
        assert {values[5:] for values in found} == {(cube == [5], 1)}
    assert backend._listing


@pytest.mark.parametrize("name", LISTING)
def test_a_listing_ends_where_who_is_told_says_so(name: str) -> None:
    backend = Sat(Task(declared([BOOLEAN] * 12), range(12), threading.Event(), solver=name))
    for most in (5, 100, 2000, 2100):
        refused("^", backend.enumerate, CubeRows(most).add, raises=Stopped)
        assert backend.extend([{0: 1}])[0] is not None
    assert len(keys_of(backend, range(12))) == len(set(keys_of(backend, range(12)))) == 2**12


def test_what_one_listing_raises_ends_no_other() -> None:
    one, other = (Sat(Task(declared([BOOLEAN] * 12), range(12), threading.Event())) for _ in range(2))
    found = list[Values]()

    def end_the_other(values: Values) -> None:
        found.append(values)
        if len(found) == 1000:
            with ThreadPoolExecutor(1) as thread:
                refused("^", thread.submit(one.enumerate, CubeRows(300).add).result, raises=Stopped)

    other.enumerate(end_the_other)
    assert len(found) == 2**12


def test_a_solver_that_shows_nothing_is_asked_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a version of PySAT whose propagators differ."""
    assert all(sat.can_list(name) for name in sat.LISTING)
    sat.can_list.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(sat.Oracle, "connect", lambda *_: None)
        assert not sat.can_list(sat.DEFAULT)
        sat.can_list.cache_clear()
        patched.setattr(sat.Oracle, "connect", Mock(side_effect=AttributeError))
        with override_tuning(solutions_before_listing=1):
            assert solve(pentomino(board="5x4", subset=True), backend="sat", jobs=1).total == 200
        assert not sat.can_list(sat.DEFAULT)
    sat.can_list.cache_clear()


def test_a_model_that_nobody_was_shown_is_no_end() -> None:
    assert sat.can_list(sat.DEFAULT)  # once and for all, before that is patched
    backend = Sat(Task(queens(6).model, range(6), threading.Event()))
    with (
        override_tuning(solutions_before_listing=1),
        patch.object(Listing, "check_model", lambda *_: True),
        pytest.raises(AssertionError),
    ):
        keys_of(backend, range(6))


@pytest.mark.parametrize("name", NAMES)
def test_variables_in_no_clause(name: str) -> None:
    cnf = CNF(from_clauses=[[2, 4]])
    cnf.nv = 6
    backend = Sat(Task(lift(cnf), range(6), threading.Event(), solver=name))
    assert len(visits(backend)) == 48
    assert keys_of(backend, range(6), [0, -2, -5, -6]) == [(1, 0, 0, 1, 0, 0), (1, 0, 1, 1, 0, 0)]
    (values,) = backend.extend([{5: 1, 0: 1, 3: 0}])
    assert values is not None
    assert [values[n] for n in (5, 0, 3, 1)] == [1, 1, 0, 1]


def test_large_optimum() -> None:
    model = declared(
        [(-(2**31), 2**31)] * 2,
        lambda m, x, y: m.add(3 * x + 7 * y == 1),
        lambda m, x, y: m.minimize(5 * x - 1_000_000_007 * y),
    )
    # 3 x = 1 - 7 y, so y is 1 modulo 3 and at most (3 * 2**31 + 1) / 7; the greatest such y is best.
    y_best = max(y for y in range(920_350_130, 920_350_136) if y % 3 == 1)
    x_best = (1 - 7 * y_best) // 3
    backend = Sat(Task(model, [0, 1], threading.Event()))
    assert backend.optimum() == 5 * x_best - 1_000_000_007 * y_best
    assert keys_of(backend, [0, 1]) == [(x_best, y_best)]


def test_what_is_listed() -> None:
    flaws = capabilities()
    assert {"cadical153", "cadical195", "glucose4", "minisat22", "maplechrono"} <= set(NAMES)
    assert (flaws["kissat404"], flaws["lingeling"]) == ("ignores assumptions", "cannot be stopped")
    assert flaws["cryptosat"] in ("needs the package pycryptosat", "cannot be stopped")


def test_names() -> None:
    assert solver_name("cd15") == solver_name("Cadical153") == "cadical153"
    assert solver_name("minisat-gh") == solver_name("minisatgh") == "minisatgh"
    refused("there is no SAT solver 'glucos4'; did you mean glucose4", solver_name, "glucos4")
    refused("the SAT solver kissat404 ignores assumptions; choose another", solver_name, "kissat")


@pytest.mark.parametrize("solver", [solver for solver in PARAMETERS if solver in capabilities()])
def test_parameters(solver: str) -> None:
    for name in PARAMETERS[solver]:
        backend = Sat(Task(queens(5).model, range(5), threading.Event(), solver=solver, parameters={name: "1"}))
        assert len(keys_of(backend, range(5))) == 10, name


@pytest.mark.parametrize(
    ("solver", "name", "value", "message"),
    [
        ("cadical195", "restartin", "3", "sat:cadical195 has no parameter 'restartin'; it has block, bump"),
        ("cadical195", "restartint", "often", "sat:cadical195 takes a number for restartint, not 'often'"),
        ("cadical195", "restartint", "nan", "sat:cadical195 takes a number for restartint, not 'nan'"),
        ("cadical195", "restartint", "0.5", "sat:cadical195 does not take 0.5 for restartint"),
        ("cadical195", "seed", str(2**70), f"sat:cadical195 does not take {2**70} for seed"),
        ("minisat22", "seed", "1", "sat:minisat22 has no parameter 'seed'; it has none"),
    ],
)
def test_parameters_that_are_refused(solver: str, name: str, value: str, message: str) -> None:
    task = Task(queens(5).model, range(5), threading.Event(), solver=solver, parameters={name: value})
    refused(f"^{message}", Sat, task)


@pytest.mark.parametrize("name", NAMES)
def test_an_oracle_answers_again_and_again(name: str) -> None:
    oracle = Oracle(name, threading.Event())
    oracle.add(PHP(nof_holes=4).clauses)
    for assumed in ([], [], [1, -1]):
        assert oracle.solve(assumed) is None


def weighty(chance: random.Random) -> tuple[CpModel, int]:
    """A model whose objective has more bits than the model has variables, most of them constant; how many are best."""
    clauses = [[chance.choice([1, -1]) * (n + 1) for n in chance.sample(range(8), 3)] for _ in range(22)]
    model = lift(CNF(from_clauses=clauses))
    solutions = brute_force(model)
    first, second = map(model.get_bool_var_from_proto_index, range(2))
    model.maximize(2**56 * first + 2**55 * second)
    values = [values[:2] for values in solutions]
    return model, values.count(max(values, default=()))


def count_weighty(name: str) -> None:
    chance = random.Random(1)
    for _ in range(40):
        model, expected = weighty(chance)
        backend = Sat(Task(model, range(8), threading.Event(), solver=name))
        assert (backend.optimum() is None) == (not expected)
        assert len(keys_of(backend, range(8), [0, 0, -1] if not expected else ())) == expected


def count_weighty_apart(*names: str) -> None:
    """Each in a process of its own, which is a copy of this one."""
    for name in names:
        if (child := os.fork()) == 0:
            with suppress(Exception):
                count_weighty(name)
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0, name


@pytest.mark.thorough
@pytest.mark.parametrize("names", [[DEFAULT]])
def test_no_solver_is_given_more_assumptions_than_variables(names: list[str]) -> None:
    """Glucose and those made of it wrote beyond their arrays; so each has a process of its own."""
    done = python(f"from tests.core.backends.test_sat import count_weighty_apart; count_weighty_apart(*{names!r})")
    assert (done.returncode, done.stderr) == (0, "")


class Watched(Solver):  # type: ignore[misc]
    """Asserts that assumptions are distinct, and known neither to hold nor to be false."""

    def append_formula(self, formula: Any, **how: Any) -> Any:
        self.fixed = getattr(self, "fixed", set()) | {abs(clause[0]) for clause in formula if len(clause) == 1}
        return super().append_formula(formula, **how)

    def _check(self, assumptions: Sequence[int]) -> None:
        assumed = set(map(abs, assumptions))
        assert len(assumed) == len(assumptions)
        assert assumed.isdisjoint(getattr(self, "fixed", ()))

    def solve_limited(self, assumptions: Sequence[int] = (), **how: Any) -> Any:
        self._check(assumptions)
        return super().solve_limited(assumptions, **how)

    def propagate(self, assumptions: Sequence[int] = (), **how: Any) -> Any:
        self._check(assumptions)
        assert TRUE not in assumptions
        return super().propagate(assumptions, **how)


@pytest.mark.thorough
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_assumptions_are_distinct_and_not_constant(data: st.DataObject) -> None:
    model = data.draw(models())
    key = data.draw(keys(model))
    cube = data.draw(cubes(model))
    solutions = sorted(brute_force(model))
    with patch("pysat.solvers.Solver", Watched):
        backend = Sat(Task(model, key, threading.Event()))
        if model.proto.has_objective():
            backend.optimum()
        for _ in range(2):
            backend.enumerate(lambda _: None, cube + cube)
        for solution in solutions[:3]:
            (values,) = backend.extend([dict(enumerate(solution))])
            assert values is not None
            assert tuple(values) == solution
        Propagation(model, [], threading.Event()).consequences((*cube, *cube))


def test_a_stop_ends_a_listing_at_its_next_batch() -> None:
    stop, found = threading.Event(), list[Values]()
    backend = Sat(Task(declared([BOOLEAN] * 20), range(20), stop))

    def stop_at_the_tenth(values: Values) -> None:
        found.append(values)
        if len(found) == 10:
            stop.set()

    refused("^", backend.enumerate, stop_at_the_tenth, raises=Stopped)
    assert 10 <= len(found) < 10 + SOLUTIONS_PER_COMPLETION


class Asking(Propagator):  # type: ignore[misc]
    """Accepts every model, and asks in another thread for the figures of the search."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle, self.figures = oracle, list[dict[str, int]]()

    def check_model(self, model: list[int]) -> bool:
        thread = threading.Thread(target=lambda: self.figures.append(dict(self.oracle.statistics)))
        thread.start()
        thread.join()
        return True

    def propagate(self) -> list[int]:
        return []

    def add_clause(self) -> list[int]:
        return []

    def decide(self) -> int:
        return 0


def test_any_thread_reads_the_figures_of_a_search() -> None:
    """CaDiCaL ends the process if it is asked while it searches."""
    oracle = Oracle("cadical195", threading.Event())
    asking = Asking(oracle)
    oracle.connect(asking, [1, 2])
    oracle.add([[1, 2]])
    assert oracle.has_model([])
    assert [counts.keys() for counts in asking.figures] == [oracle.statistics.keys()]
