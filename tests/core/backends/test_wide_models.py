"""Domains of up to 2^60 values, with gaps: every backend finds what an oracle of the tests' own finds."""

import threading
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from solvers import solve
from solvers.backends.cp_sat import CpSat
from solvers.backends.protocol import Task
from solvers.base.errors import InputError, Stopped
from solvers.checks.evaluate import Evaluator
from solvers.model.wide import is_wide
from tests.attack.wide import KINDS, WideSketch, wide_model
from tests.support.backends import GENERAL, made, visits
from tests.support.declared import BOOLEAN, Rule, declared, of, puzzle
from tests.support.random_models import brute_force
from tests.support.refusals import refused
from tests.support.tiers import sampled

FEW, MANY = 2, 200
"""Models of each kind in the default tests and in the slow ones."""

PATIENCE = 20
"""Seconds for one of them: products of numbers of 60 bits can be as hard as factoring."""


def agree(kind: Callable[[WideSketch], None], seed: int) -> int:
    """All backends that take such a model find the solutions of the model of this seed, or how many are too slow."""
    model = wide_model(Random(seed), [kind])
    solutions = brute_force(model)
    evaluator, unfinished = Evaluator(model), 0
    for backend in ("cp", "sat") if is_wide(model.proto) else GENERAL:
        stop = threading.Event()
        timer = threading.Timer(PATIENCE, stop.set)
        timer.start()
        try:
            assert visits(made(backend, model, stop=stop)) == Counter(solutions), (kind.__name__, seed, backend)
        except Stopped:
            unfinished += 1
        except InputError as reason:
            if backend != "cp" or "computes with 64 bits" not in str(reason):
                raise
        finally:
            timer.cancel()
    assert all(evaluator.first_violation(values) is None for values in solutions), (kind.__name__, seed)
    return unfinished


@pytest.mark.parametrize("kind", sampled(KINDS, 2))
def test_a_few_models(kind: Callable[[WideSketch], None]) -> None:
    assert not any(agree(kind, seed) for seed in range(FEW))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_models(kind: Callable[[WideSketch], None]) -> None:
    unfinished = sum(agree(kind, seed) for seed in range(FEW, MANY))
    assert unfinished < 0.05 * MANY


def test_cp_sat_refuses_what_it_gets_wrong() -> None:
    rules: list[Rule] = [
        lambda m, x, y: m.add_multiplication_equality(2**30, [x, y]),
        lambda m, x, y: m.add(x + 2**15 * y <= 2**30),
    ]
    narrow = declared([(0, 2**15)] * 2, *rules)
    wide = declared([(0, 2**15)] * 2, *rules, lambda m, x, y: m.add(x + 2**15 * y != 5))
    assert [is_wide(model.proto) for model in (narrow, wide)] == [False, True]
    CpSat(Task(narrow, [0, 1], threading.Event()))
    refused("choose backend=.sat.", CpSat, Task(wide, [0, 1], threading.Event()))


def test_auto_takes_another() -> None:
    wide = puzzle(
        {"b": BOOLEAN, "i": (0, 2), "t": (-4, 4), "x": of(-5, 1), "w": (-(2**50), 2**50)},
        lambda m, b, i, t, x, w: m.add(w == 14348907 * i - 5),
        lambda m, b, i, t, x, w: m.add_division_equality(t, 3 * w, -2 * x).only_enforce_if(b),
        key="bitx",
    )
    result = solve(wide, jobs=1)
    assert (result.complete, result.total) == (True, 55)
    assert result.report.backend != "cp-sat"
