"""Lifting: a formula's models are the solutions of the CpModel, variable for variable."""

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pysat.formula import CNF, CNFPlus

from solvers.model.lift import lift
from tests.support.random_models import brute_force

LITERALS = st.integers(1, 4).flatmap(lambda variable: st.sampled_from([variable, -variable]))


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(LITERALS, max_size=4), max_size=6), st.integers(4, 5))
@example([], 4)
@example([[1], []], 4)
def test_models_are_solutions(clauses: list[list[int]], variables: int) -> None:
    cnf = CNF(from_clauses=clauses)
    cnf.nv = variables
    expected = {
        values
        for values in itertools.product((0, 1), repeat=variables)
        if all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
    }
    model = lift(cnf)
    assert model.validate() == ""
    assert brute_force(model) == expected


def test_cardinality_constraints() -> None:
    cnf = CNFPlus()
    cnf.append([1, 2])
    cnf.append([[1, 2, -3], 1], is_atmost=True)
    cnf.append([[1, 2, 4], 2, [2, 1, 3]], is_atmost=True)
    expected = {
        (a, b, c, d)
        for a, b, c, d in itertools.product((0, 1), repeat=4)
        if a + b and a + b + (1 - c) <= 1 and 2 * a + b + 3 * d <= 2
    }
    assert brute_force(lift(cnf)) == expected
