"""Many assignments at once give what each gives by itself."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.dissection import dissection
from solvers.backends.sat import Sat
from solvers.cnf.propagation import ParallelPropagation
from solvers.running.stated import stated
from tests.support.random_models import brute_force, keys, models, values_of

VARIABLES = 8
LITERALS = st.integers(1, VARIABLES).flatmap(lambda v: st.sampled_from([v, -v]))
CLAUSES = st.lists(st.lists(LITERALS, min_size=1, max_size=4, unique=True), max_size=20)


def implied(clauses: Sequence[Sequence[int]], assumed: Sequence[int]) -> set[int] | None:
    """What follows by unit propagation; None if that is a contradiction."""
    true = set(assumed)
    while not any(-literal in true for literal in true):
        units = set[int]()
        for clause in clauses:
            rest = {literal for literal in clause if -literal not in true}
            if not rest:
                return None
            if len(rest) == 1:
                units |= rest - true
        if not units:
            return true
        true |= units
    return None


@settings(deadline=None, max_examples=300)
@given(CLAUSES, st.lists(st.lists(LITERALS, max_size=6), min_size=1, max_size=20))
def test_as_one_by_one(clauses: list[list[int]], assignments: list[list[int]]) -> None:
    masks: dict[int, int] = {}
    for number, assumed in enumerate(assignments):
        for literal in assumed:
            masks[literal] = masks.get(literal, 0) | 1 << number
    needed = {abs(literal) for clause in clauses for literal in clause}
    true, follows = ParallelPropagation(clauses, VARIABLES).values(masks, len(assignments))
    for number, assumed in enumerate(assignments):
        expected = implied(clauses, assumed)
        assert follows[number] == (expected is not None and needed <= set(map(abs, expected)))
        if expected is not None:
            assert {v + 1 for v in range(VARIABLES) if true[v, number]} == {v for v in expected if v > 0}


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_solutions_are_extended_as_one_by_one(data: st.DataObject) -> None:
    model = data.draw(models())
    model.proto.clear_objective()
    key = data.draw(keys(model))
    variables = [model.get_int_var_from_proto_index(v) for v in key]
    some = st.fixed_dictionaries({v: st.sampled_from([*values_of(x), 99]) for v, x in zip(key, variables, strict=True)})
    assignments = data.draw(st.lists(some, max_size=20))
    solutions = brute_force(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solvers.backends.sat.MANY", 1)
        extended = Sat(model, key, threading.Event()).extend(assignments)
    for fixed, values in zip(assignments, extended, strict=True):
        able = {solution for solution in solutions if all(solution[v] == value for v, value in fixed.items())}
        assert (values is None and not able) or tuple(values if values is not None else ()) in able


def test_a_dissection_follows_from_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of other variables, distances along winding parts among them, without the solver."""
    model, labelled, _, _ = stated(dissection("square-4"), "declared", (), threading.Event())
    key = labelled.variables
    sat = Sat(model, key, threading.Event())
    found: list[list[int]] = []
    sat.enumerate(lambda values: found.append(list(values)))
    monkeypatch.setattr("solvers.backends.sat.MANY", 1)
    monkeypatch.setattr(sat, "_extended", None)
    assert len(found) == 44
    assert np.array_equal(np.array(sat.extend([{v: values[v] for v in key} for values in found])), np.array(found))
