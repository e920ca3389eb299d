"""Choices said as sums are those that are said by their kind."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, IntVar, LinearExpr
from pysat.formula import CNF

from models.puzzle import Puzzle
from solvers import solve
from solvers.base.errors import CheckError, NoCoverError
from solvers.checks.covers import check_reading
from solvers.model.exact_cover import ExactCover, exact_cover
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


def by_clauses(model: CpModel, options: list[IntVar]) -> None:
    """Say that exactly one is chosen as DIMACS files do: at least one, and of each two at most one."""
    model.add_bool_or(options)
    for first, second in combinations(options, 2):
        model.add_bool_or([~first, ~second])


def test_clauses_are_covers() -> None:
    puzzle = dominoes(by_clauses)
    cover = exact_cover(puzzle.model)
    assert (cover.items, cover.exclusions) == (exact_cover(dominoes(WAYS[0]).model).items, [])
    assert {solve(puzzle, backend=backend, jobs=1).total for backend in ("cover", "sat", "cp-sat")} == {36}


def test_a_clause_of_which_two_may_be_chosen_is_no_item() -> None:
    model = CpModel()
    options = [model.new_bool_var(name) for name in "abc"]
    model.add_bool_or(options)
    for other in options[1:]:
        model.add_bool_or([~options[0], ~other])
    with pytest.raises(NoCoverError, match="a clause that is not an exclusion"):
        exact_cover(model)
    cover = replace(ExactCover(3), items=[[0, 1, 2]], joins_clauses=True)
    with pytest.raises(CheckError, match="a wrong exact cover"):
        check_reading(model, cover)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sets(st.integers(1, 6), min_size=1, max_size=4), min_size=1, max_size=4), st.randoms())
def test_formulas_that_are_covers(groups: list[set[int]], chance: Random) -> None:
    clauses = [sorted(group) for group in groups]
    clauses += [[-first, -second] for group in groups for first, second in combinations(sorted(group), 2)]
    chance.shuffle(clauses)
    truth = sum(
        all(any((values[abs(literal) - 1] == 1) == (literal > 0) for literal in clause) for clause in clauses)
        for values in product((0, 1), repeat=6)
    )
    formula = CNF(from_clauses=clauses)
    formula.nv = 6
    puzzle = Puzzle("groups", {}, formula, {variable: variable for variable in range(1, 7)})
    assert solve(puzzle, backend="cover", jobs=1).total == truth
