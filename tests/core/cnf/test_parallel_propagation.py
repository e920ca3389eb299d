"""Many assignments at once give what each gives by itself."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.dissection import dissection
from solvers.backends.protocol import Task
from solvers.backends.sat import Sat
from solvers.base.errors import Stopped
from solvers.cnf.completion import Completion
from solvers.cnf.lower import lower
from solvers.cnf.propagation import ParallelPropagation
from solvers.running.stated import problem_statement
from tests.support.backends import visits
from tests.support.declared import BOOLEAN, declared
from tests.support.random_models import brute_force, keys, models, values_of
from tests.support.refusals import refused

VARIABLES = 8
LITERALS_OF = [literal for v in range(1, VARIABLES + 1) for literal in (v, -v)]
LITERALS = st.integers(1, VARIABLES).flatmap(lambda v: st.sampled_from([v, -v]))
CLAUSES = st.lists(st.lists(LITERALS, min_size=1, max_size=4, unique=True), max_size=20)


def implied(clauses: Sequence[Sequence[int]], assumed: Sequence[int]) -> set[int] | None:
    """What follows by unit propagation; None if that is a contradiction."""
    true = set(assumed)
    for _ in range(2 * VARIABLES):  # each round adds a literal, or nothing follows any more
        true |= {
            literal
            for clause in clauses
            for literal in clause
            if all(-other in true for other in clause if other != literal)
        }
    return None if any(-literal in true for literal in true) else true


@pytest.mark.thorough
@settings(deadline=None, max_examples=40)
@given(CLAUSES, st.lists(st.lists(LITERALS, max_size=6), min_size=1, max_size=20))
def test_as_one_by_one(clauses: list[list[int]], assignments: list[list[int]]) -> None:
    masks = {literal: np.array([literal in assumed for assumed in assignments]) for literal in LITERALS_OF}
    needed = {abs(literal) for clause in clauses for literal in clause}
    true, follows = ParallelPropagation(clauses, VARIABLES).values(masks, len(assignments))
    for number, assumed in enumerate(assignments):
        expected = implied(clauses, assumed)
        assert follows[number] == (expected is not None and needed <= set(map(abs, expected)))
        if expected is not None:
            assert {v + 1 for v in range(VARIABLES) if true[v, number]} == {v for v in expected if v > 0}


@pytest.mark.thorough
@settings(deadline=None, max_examples=30)
@given(st.data())
def test_what_follows_is_a_solution(data: st.DataObject) -> None:
    model = data.draw(models())
    model.proto.clear_objective()
    key = data.draw(keys(model))
    variables = [model.get_int_var_from_proto_index(v) for v in key]
    some = st.tuples(*[st.sampled_from([*values_of(x), 99]) for x in variables])
    assignments = data.draw(st.lists(some, max_size=20))
    solutions = brute_force(model)
    completion = Completion(lower(model, threading.Event()), key, threading.Event())
    rows, follows = completion.rows(np.array(assignments, np.int64).reshape(-1, len(key)))
    for fixed, values, is_sound in zip(assignments, rows.tolist(), follows, strict=True):
        able = {solution for solution in solutions if all(solution[v] == x for v, x in zip(key, fixed, strict=True))}
        assert not is_sound or tuple(values) in able


def test_more_than_fit_in_one_block() -> None:
    """Each assignment is dealt with in the place that it was given."""
    model = declared(
        [(0, 2000), (0, 2000), (0, 2000), BOOLEAN],
        lambda m, x, y, z, b: m.add(y == 3 * x).only_enforce_if(b),
        lambda m, x, y, z, b: m.add(y == x + 1).only_enforce_if(~b),
        lambda m, x, y, z, b: m.add(z == x),
    )
    asked = np.array([(n, n % 2, 3 * n if n % 2 else n + 1) for n in range(600)])
    rows, follows = Completion(lower(model, threading.Event()), [0, 3, 1], threading.Event()).rows(asked)
    assert follows.all()
    assert np.array_equal(rows, np.stack([asked[:, 0], asked[:, 2], asked[:, 0], asked[:, 1]], axis=1))


def test_a_dissection_follows_from_its_key() -> None:
    """Hundreds of other variables, distances along winding parts among them, without the solver."""
    model, labelled, _, _ = problem_statement(dissection("square-4"), "declared", (), threading.Event())
    key = labelled.variables
    solutions = np.array([*visits(Sat(Task(model, key, threading.Event())))])
    rows, follows = Completion(lower(model, threading.Event()), key, threading.Event()).rows(solutions[:, key])
    assert len(solutions) == follows.sum() == 44
    assert np.array_equal(rows, solutions)


def test_ends_when_told() -> None:
    stop = threading.Event()
    model, labelled, _, _ = problem_statement(dissection("2x2"), "declared", (), stop)
    completion = Completion(lower(model, stop), labelled.variables, stop)
    stop.set()
    refused("^", completion.rows, np.ones((1, 4), np.int64), raises=Stopped)
