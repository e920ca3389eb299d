"""Choices said as sums are those that are said by their kind."""

from collections.abc import Sequence
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, LinearExpr

from models.puzzle import Puzzle
from solvers import solve
from solvers.model.exact_cover import exact_cover
from solvers.model.reading import choice_of


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-2, -1, 1, 2]))),
    st.integers(-4, 4),
    st.sampled_from(["==", "<=", ">=", "!="]),
)
def test_a_choice_is_what_the_sum_says(terms: Sequence[tuple[int, int]], bound: int, relation: str) -> None:
    model = CpModel()
    variables = [model.new_bool_var(f"x{n}") for n in range(4)]
    total = LinearExpr.weighted_sum([variables[n] for n, _ in terms], [weight for _, weight in terms])
    relations = {"==": total == bound, "<=": total <= bound, ">=": total >= bound, "!=": total != bound}
    if isinstance(relations[relation], bool):
        return
    choice = choice_of(model.add(relations[relation]).proto, model.proto)
    if choice is None:
        return
    for values in product((0, 1), repeat=4):
        value = sum(weight * values[n] for n, weight in terms)
        holds = {"==": value == bound, "<=": value <= bound, ">=": value >= bound, "!=": value != bound}[relation]
        true = sum(values[literal] if literal >= 0 else 1 - values[-literal - 1] for literal in choice.literals)
        assert holds == (true == 1 if choice.is_exact else true <= 1)


def dominoes(way: str) -> Puzzle:
    """Dominoes on a 4x4 board, their rules said in one way or another."""
    model = CpModel()
    places = [((r, c), (r + 1, c)) for r in range(3) for c in range(4)]
    places += [((r, c), (r, c + 1)) for r in range(4) for c in range(3)]
    used = {place: model.new_bool_var(str(place)) for place in places}
    for cell in product(range(4), repeat=2):
        options = [used[place] for place in places if cell in place]
        if way == "kind":
            model.add_exactly_one(options)
        elif way == "sum":
            model.add(sum(options) == 1)
        elif way == "scaled":
            model.add(7 - 3 * LinearExpr.sum(options) == 4)
        else:
            model.add(sum(~option for option in options) == len(options) - 1)
    return Puzzle("dominoes", {"way": way}, model, used)


def test_sums_are_covers() -> None:
    covers = [exact_cover(dominoes(way).model) for way in ("kind", "sum", "scaled", "negated")]
    assert all(cover == covers[0] for cover in covers)
    for backend in ("cover", "sat", "cp-sat"):
        for way in ("kind", "sum", "scaled", "negated"):
            assert solve(dominoes(way=way), backend=backend, jobs=1).total == 36
