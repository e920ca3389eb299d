"""The contract of backends (`solvers/backends/protocol.py`), which every row of the table has to keep."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, IntVar

from models.pentomino import pentomino
from solvers.backends.auto import with_all
from solvers.backends.registry import backend_kind, make_backend
from solvers.backends.sat import DEFAULT, capabilities
from solvers.base.backend_rows import BACKENDS, available_backends, backend_words, backends_to_compare
from solvers.base.errors import Stopped
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.run import main
from solvers.show.evidence import searcher
from tests.support.backends import check_model, made, projected, visits
from tests.support.classic_covers import pigeons
from tests.support.classics import queens
from tests.support.command import on_this_load
from tests.support.covers import covers
from tests.support.declared import BOOLEAN, Rule, declared, of
from tests.support.random_models import SCHEDULING, brute_force, models
from tests.support.refusals import refused
from tests.support.tiers import sampled


@pytest.mark.parametrize(
    "examples",
    [15, pytest.param(60, marks=pytest.mark.thorough)],
)
def test_random_models(backend: str, examples: int) -> None:
    @settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck), print_blob=True)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        check_model(backend, data.draw(models()), data)

    check()


@settings(deadline=None, max_examples=15)
@given(covers, st.data())
def test_random_covers(backend: str, model: CpModel, data: st.DataObject) -> None:
    """Cover itself, which has no key of its own and nothing to extend, has its own test of this."""
    check_model(backend, model, data)


@pytest.mark.parametrize("kind", sampled(SCHEDULING, 2))
def test_kinds_that_only_cp_sat_takes_as_they_are(backend: str, kind: Callable[..., Any]) -> None:
    @settings(deadline=None, max_examples=12)
    @given(models([kind], objectives=False).filter(lambda model: not model.validate()))
    def check(model: CpModel) -> None:
        assert visits(made(backend, model)) == Counter(brute_force(model))

    check()


def test_known_count(backend: str) -> None:
    """8 queens: OEIS A000170."""
    asked = made(backend, queens(8).model)
    found = visits(asked)
    assert (len(found), found.total()) == (92, 92)
    assert asked.size["variables"] >= 8
    assert any(asked.statistics.values())


def test_nothing_and_no_solution(backend: str) -> None:
    assert visits(made(backend, CpModel())) == {(): 1}
    assert visits(made(backend, declared([(0, 500)]), [])).total() == 1
    model = declared([(0, 500)], lambda m, x: m.add(x > 500))
    assert visits(made(backend, model, [])).total() == 0
    assert made(backend, model).extend([{}, {0: 1}]) == [None, None]
    asked = made(backend, declared([(0, 500)], lambda m, x: m.add(x > 500), lambda m, x: m.minimize(x)))
    assert asked.optimum() is None
    assert visits(asked).total() == 0


def test_the_key_is_visited_once(backend: str) -> None:
    """Every assignment of the key comes with dozens of assignments of what is not in it."""
    model = declared([*[BOOLEAN] * 6, (0, 5)], lambda m, *every: m.add_bool_or(every[:6]))
    for key, expected in (([0, 1], 4), ([0, 0], 2), ([6], 6), ([], 1)):
        assert visits(made(backend, model, key)).total() == expected
    for cube, total in (([0, -1], 0), ([0, 0], 32), ([-1, -2, -3, -4, -5], 1)):
        assert visits(made(backend, model, range(6)), cube).total() == total


def test_hidden_variables_do_not_repeat_solutions(backend: str) -> None:
    """An enforced automaton has a state for each step, of which any will do where it is not enforced."""
    steps = [(0, 0, 0), (0, 1, 1), (1, 1, 0), (0, 2, 1)]
    model = declared(
        [(0, 3), BOOLEAN], lambda m, x, off: m.add_automaton([x, x], 0, [0, 1], steps).only_enforce_if(~off)
    )
    assert visits(made(backend, model)) == Counter(brute_force(model))


def test_an_objective_is_held_and_forgotten(backend: str) -> None:
    model = declared([(-7, 7)] * 2, lambda m, x, y: m.add(x * 2 <= 5 - y), lambda m, x, y: m.maximize(3 * x + y))
    asked, better = made(backend, model), list[int]()
    assert asked.optimum(lambda values: better.append(-3 * values[0] - values[1])) == -11
    assert better == sorted(set(better), reverse=True)
    assert better[-1] == -11
    assert visits(asked) == {(6, -7): 1}
    extended, too_high, too_far = asked.extend([{0: 0, 1: 0}, {0: 7}, {0: 8}])
    assert extended is not None
    assert list(extended) == [0, 0]
    assert too_high is too_far is None


def minimize_to_3_or_4(m: CpModel, x: IntVar, y: IntVar) -> None:
    m.minimize(x + y)
    m.proto.objective.domain.extend([3, 4])


@pytest.mark.parametrize(
    ("rule", "best", "solutions"),
    [
        (minimize_to_3_or_4, 3, {(0, 3), (1, 2), (2, 1), (3, 0)}),
        (lambda m, x, y: m.maximize(2.0 * x - 3.0 * y + 0.5), -10, {(5, 0)}),
    ],
    ids=["domain", "whole floats"],
)
def test_objectives_with_a_domain_and_with_whole_floats(
    backend: str, rule: Rule, best: int, solutions: set[tuple[int, int]]
) -> None:
    asked = made(backend, declared([(0, 5)] * 2, rule))
    assert asked.optimum() == best
    assert set(visits(asked)) == solutions


def test_an_objective_with_a_fraction(backend: str) -> None:
    model = declared([(0, 5)], lambda m, x: m.maximize(0.5 * x))
    refused(r"coefficient 0\.5.*multiply", made, backend, model)


def test_enforced_division(backend: str) -> None:
    """CP-SAT 9.15 itself calls 2 optimal here."""
    model = declared(
        [of(0, 3), of(-2, 4), of(1, 3), BOOLEAN],
        lambda m, quotient, x, divisor, b: m.add_division_equality(quotient, x, divisor).only_enforce_if(b),
        lambda m, quotient, x, divisor, b: m.maximize(100 * b - x),
    )
    asked = made(backend, model)
    assert asked.optimum() == -102
    assert projected(visits(asked), range(4)) == {(0, -2, 3, 1): 1}


def choices(count: int) -> CpModel:
    """More solutions than anybody can wait for, in whole numbers, and an exact cover."""

    def choose(m: CpModel, *x: IntVar) -> None:
        for n in range(0, len(x), 10):
            m.add_exactly_one(x[n : n + 10])

    return declared([BOOLEAN] * 10 * count, choose)


def assert_stops(search: Callable[[], object], seconds: float) -> None:
    """Within so many seconds it raises that it was stopped."""
    began = time.perf_counter()
    refused("^", search, raises=Stopped)
    assert time.perf_counter() - began < on_this_load(seconds)


@pytest.mark.parametrize("width", [300, pytest.param(100, marks=pytest.mark.thorough)])
def test_stops_within_two_seconds(any_backend: str, width: int) -> None:
    stop = threading.Event()
    asked = made(any_backend, choices(30), range(300 if BACKENDS[any_backend].takes_covers_only else width), stop)
    threading.Timer(0.2, stop.set).start()
    assert_stops(lambda: asked.enumerate(lambda values: None), 2.5)


CHASE = declared([(0, 2**50)] * 2, lambda m, x, y: m.add(x < y), lambda m, x, y: m.add(y < x))
"""Two numbers that push each other upwards, one at a time, within a single propagation."""

PIGEONS = pigeons(31, 30).model

PRESOLVED = {"cp_model_presolve": "false", "symmetry_level": "0"}
"""With its presolve or symmetries CP-SAT sees that there are too many pigeons."""


@pytest.mark.parametrize(
    ("name", "model", "key", "options"),
    [
        pytest.param("cp", PIGEONS, range(930), {}, marks=pytest.mark.thorough),
        pytest.param("cp", PIGEONS, range(30), {}, marks=pytest.mark.thorough),
        ("cp", PIGEONS, [], {}),
        ("cp", CHASE, range(2), {}),
        pytest.param("cp", CHASE, [], {}, marks=pytest.mark.thorough),
        ("cp-sat", PIGEONS, range(930), {"parameters": PRESOLVED}),
        *(
            pytest.param(f"sat:{name}", PIGEONS, range(20), {}, marks=() if name == DEFAULT else pytest.mark.thorough)
            for name, flaw in capabilities().items()
            if not flaw
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_stops_where_nothing_is_found(name: str, model: CpModel, key: Sequence[int], options: dict[str, Any]) -> None:
    stop = threading.Event()
    asked = made(name, model, key, stop, **options)
    threading.Timer(0.2, stop.set).start()
    for _ in range(2):
        assert_stops(lambda: asked.enumerate(lambda values: None), 1.5 if name.startswith("sat:") else 2.5)
    if name == "cp":  # it searches for a best value without an objective
        assert_stops(asked.optimum, 2.5)


def test_stops_where_it_tells_of_a_solution(any_backend: str) -> None:
    stop, found = threading.Event(), list[Values]()
    asked = made(any_backend, choices(10), stop=stop)

    def stop_at_the_tenth(values: Values) -> None:
        found.append(values)
        if len(found) == 10:
            stop.set()

    assert_stops(lambda: asked.enumerate(stop_at_the_tenth), 60)
    assert 10 <= len(found) < 10**5
    assert_stops(lambda: asked.enumerate(found.append), 60)


def test_it_goes_on_after_a_stop(any_backend: str) -> None:
    stop = threading.Event()
    asked = made(any_backend, choices(1), stop=stop)
    stop.set()
    assert_stops(lambda: visits(asked), 60)
    stop.clear()
    assert visits(asked).total() == 10


def test_what_the_caller_raises_comes_through(any_backend: str) -> None:
    asked = made(any_backend, choices(2))
    with pytest.raises(KeyError, match="enough"):
        asked.enumerate(Mock(side_effect=KeyError("enough")))
    assert visits(asked).total() == 100


def test_equal_seeds_search_alike(any_backend: str) -> None:
    model = pentomino("5x3", subset=True).model
    orders = [list(visits(made(any_backend, model, seed=seed))) for seed in (0, 1, 1, 2)]
    assert orders[1] == orders[2]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(orders[3])
    assert not BACKENDS[any_backend].seed_varies or not orders[0] == orders[1] == orders[3]


def test_parameters_that_there_are_none_of(any_backend: str) -> None:
    refused(r"no.* parameter", made, any_backend, choices(1), parameters={"no_such_thing": "1"})


def test_a_new_row_is_known_everywhere(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    row = replace(BACKENDS["cp"], words="twin", searcher="the twin of cp", turn=0.1)
    monkeypatch.setitem(BACKENDS, "twin", row)
    assert backend_words().endswith(" or twin")
    assert available_backends()[-1] == backends_to_compare()[-1] == "twin"
    assert searcher("twin", "listing") == "the twin of cp"
    assert {name for trials in with_all(TUNING.trial_rounds) for name, _ in trials} == {"cp", "cp-sat", "sat", "twin"}
    assert main(["--list-backends"]) == 0
    assert "\ntwin " in capsys.readouterr().out
    refused("choose auto, .*, twin ", backend_kind, "none")


def test_a_backend_whose_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "cp", replace(BACKENDS["cp"], package="no-such-package"))
    assert "cp" not in available_backends()
    assert "cp" not in backends_to_compare()
    refused("cp needs the package no-such-package: pip install no-such-package", make_backend, "cp", Mock())
