"""Formulas keep their solutions in the shown variables when others are resolved away."""

import threading
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.base.errors import Stopped
from solvers.cnf.elimination import eliminate

VARIABLES = 9
LITERALS = st.integers(1, VARIABLES).flatmap(lambda variable: st.sampled_from([variable, -variable]))
CLAUSES = st.lists(st.lists(LITERALS, max_size=4), max_size=25)


def solutions(clauses: Sequence[Sequence[int]], shown: Sequence[int]) -> set[tuple[bool, ...]]:
    """The values of the shown variables in all solutions, by trying all assignments."""
    return {
        tuple(values[variable - 1] for variable in shown)
        for values in product((False, True), repeat=VARIABLES)
        if all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
    }


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(CLAUSES, st.sets(st.integers(1, VARIABLES)))
def test_solutions(clauses: list[list[int]], shown: set[int]) -> None:
    left = eliminate(clauses, shown, threading.Event())
    assert solutions(left, sorted(shown)) == solutions(clauses, sorted(shown))


def test_hidden_variables_go() -> None:
    chain = [[variable, -(variable + 1)] for variable in range(1, 50)]
    assert eliminate(chain, {1, 50}, threading.Event()) == [[-50, 1]]


def test_contradiction() -> None:
    assert eliminate([[1, 2], [-1, 2], [-2]], {3}, threading.Event()) == [[]]


def test_stop() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        eliminate([[1, 2], [-2, 3]], {1, 3}, stop)
