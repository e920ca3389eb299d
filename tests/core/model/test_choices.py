"""Choices said as sums are those that are said by their kind."""

import operator
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, IntVar, LinearExpr

from models.puzzle import Puzzle
from solvers import solve
from solvers.model.exact_cover import exact_cover
from solvers.model.reading import choice_of


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-2, -1, 1, 2]))),
    st.integers(-4, 4),
    st.sampled_from([operator.eq, operator.le, operator.ge, operator.ne]),
)
def test_a_choice_is_what_the_sum_says(terms: Sequence[tuple[int, int]], bound: int, relation: Any) -> None:
    model = CpModel()
    variables = [model.new_bool_var(f"x{n}") for n in range(4)]
    total = LinearExpr.weighted_sum([variables[n] for n, _ in terms], [weight for _, weight in terms])
    assume(not isinstance(relation(total, bound), bool))
    choice = choice_of(model.add(relation(total, bound)).proto, model.proto)
    if choice is None:
        return
    for values in product((0, 1), repeat=4):
        holds = relation(sum(weight * values[n] for n, weight in terms), bound)
        true = sum(values[literal] if literal >= 0 else 1 - values[-literal - 1] for literal in choice.literals)
        assert holds == (true == 1 if choice.is_exact else true <= 1)


WAYS: list[Callable[[CpModel, list[IntVar]], Any]] = [
    lambda model, options: model.add_exactly_one(options),
    lambda model, options: model.add(sum(options) == 1),
    lambda model, options: model.add(7 - 3 * LinearExpr.sum(options) == 4),
    lambda model, options: model.add(sum(~option for option in options) == len(options) - 1),
]
"""To say that exactly one of some options is chosen."""


def dominoes(say: Callable[[CpModel, list[IntVar]], Any]) -> Puzzle:
    """Dominoes on a 4x4 board, their rules said in one way or another."""
    model = CpModel()
    places = [((r, c), (r + 1, c)) for r in range(3) for c in range(4)]
    places += [((r, c), (r, c + 1)) for r in range(4) for c in range(3)]
    used = {place: model.new_bool_var(str(place)) for place in places}
    for cell in product(range(4), repeat=2):
        say(model, [used[place] for place in places if cell in place])
    return Puzzle("dominoes", {}, model, used)


@pytest.mark.parametrize("say", WAYS, ids=["kind", "sum", "scaled", "negated"])
def test_sums_are_covers(say: Callable[[CpModel, list[IntVar]], Any]) -> None:
    assert vars(exact_cover(dominoes(say).model)) == vars(exact_cover(dominoes(WAYS[0]).model))
    for backend in ("cover", "sat", "cp-sat"):
        assert solve(dominoes(say), backend=backend, jobs=1).total == 36
