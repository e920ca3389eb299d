"""What solutions violate, found alone and with other processes."""

import os
import signal
import threading
from collections.abc import Iterator
from itertools import product
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.dissection import dissection
from solvers.base.errors import Stopped
from solvers.base.tuning import override_tuning
from solvers.running.stated import problem_statement
from solvers.running.verify import Verifier
from solvers.symmetry.key import Key
from tests.support.declared import puzzle
from tests.support.puzzles import model_of
from tests.support.random_models import assume_small, brute_force, models, values_of
from tests.support.refusals import refused

WHOLE = {(row, column): 1 + row // 2 for row in range(4) for column in range(4)}
BROKEN = {cell: 1 + (cell[1] in (0, 2)) for cell in WHOLE}


@pytest.fixture
def verifier() -> Iterator[Verifier]:
    puzzle = dissection(region="4x4")
    model, key, _, _ = problem_statement(puzzle, "declared", (), threading.Event())
    with override_tuning(seconds_before_sharing_checks=-1.0):
        yield Verifier(model, key, threading.Event(), jobs=2)


def encoded(verifier: Verifier) -> list[tuple[int, ...]]:
    key = verifier._key
    return [
        tuple(sorted(key.number(key.position[cell], part) for cell, part in solution.items()))
        for solution in (WHOLE, BROKEN)
    ]


@pytest.mark.thorough
def test_with_other_processes(verifier: Verifier) -> None:
    whole, broken = encoded(verifier)
    try:
        for solutions in ([whole, broken] * 20, [broken], []):
            assert verifier.flaws(solutions, None) == [None if s == whole else "the model" for s in solutions]
        assert verifier._others
        os.kill(verifier._others.submit(os.getpid).result(), signal.SIGKILL)
        assert verifier.flaws([broken, whole], None) == ["the model", None]
    finally:
        verifier.dismiss()
    assert verifier.flaws([whole, broken], None) == [None, "the model"]


def test_ends_when_told(verifier: Verifier) -> None:
    whole, _ = encoded(verifier)
    try:
        threading.Timer(0.3, verifier._stop.set).start()
        refused("^", verifier.flaws, [whole] * 100_000, None, raises=Stopped)
    finally:
        verifier.dismiss()


@pytest.mark.thorough
@override_tuning(seconds_before_sharing_checks=-1.0)
def test_a_variable_that_the_key_lacks() -> None:
    asked = puzzle(dict.fromkeys("xyz", (0, 2)), lambda m, x, y, z: m.add(x + y == z), key="xy")
    key = Key(asked.model, asked.key)
    verifier = Verifier(model_of(asked), key, threading.Event(), jobs=2)
    try:
        solutions = [key.encode(values) for values in ([0, 1], [2, 2], [1, 1])]
        assert verifier.flaws(solutions, None) == [None, "domain of variable 2 (z)", None]
        assert verifier.memory > 0
    finally:
        verifier.dismiss()


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(models(objectives=False), st.data())
def test_variables_that_equations_determine(model: CpModel, data: st.DataObject) -> None:
    """Every assignment of the key is accepted if and only if it extends to a solution."""
    numbers = st.integers(-3, 3)
    known = [model.get_int_var_from_proto_index(number) for number in range(len(model.proto.variables))]
    key = {str(number): variable for number, variable in enumerate(known)}
    for number in range(data.draw(st.integers(1, 3))):
        one, other = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
        low = data.draw(st.integers(-2, 2))
        added = model.new_int_var(low, low + data.draw(st.integers(0, 4)), f"added {number}")
        total = data.draw(numbers) * one + data.draw(numbers) * other + data.draw(numbers)
        model.add(data.draw(st.sampled_from([-2, -1, 1, 2])) * added == total)
        known.append(added)
    assume_small(model)
    own = Key(model, key)
    right = {values[: len(key)] for values in brute_force(model)}
    verifier = Verifier(model, own, threading.Event())
    assert verifier._determined.are_all
    tried = list(product(*map(values_of, key.values())))
    hidden = [0] * (len(known) - len(key))
    flaws = verifier.flaws([own.encode([*values, *hidden]) for values in tried], None)
    assert {values for values, flaw in zip(tried, flaws, strict=True) if flaw is None} == right


def test_no_solver_is_asked_for_what_equations_determine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for the ends of intervals either."""
    model = CpModel()
    start, size, end = (model.new_int_var(0, 4, name) for name in ("start", "size", "end"))
    model.new_interval_var(start, size, end, "interval")
    model.proto.constraints[len(model.proto.constraints) - 1].clear_linear()
    key = Key(model, {"start": start, "size": size})
    verifier = Verifier(model, key, threading.Event())
    monkeypatch.setattr(verifier, "_extending", Mock(side_effect=AssertionError("a solver was asked")))
    flaws = verifier.flaws([key.encode([1, 3, 0]), key.encode([2, 3, 0])], None)
    assert flaws == [None, "domain of variable 2 (end)"]
