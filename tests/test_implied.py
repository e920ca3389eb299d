"""What solvers are told of exact covers beyond the rules: it follows from these, and changes no answer."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.pentomino import pentomino
from solvers.backends.implied import exclusions
from solvers.model.exact_cover import exact_cover
from solvers.tuning import tuned
from tests.support.backends import Assignment, made, visits, within
from tests.support.covers import covers
from tests.support.random_models import brute_force, cubes

BACKENDS = ("cp", "cp-sat", "sat", "sat:glucose42", "sat:minicard")


def told(model: CpModel, name: str, cube: Sequence[int] = (), seed: int = 0) -> Counter[Assignment]:
    """The solutions in a cube, on a backend that is given the model as a cover."""
    return visits(made(name, model, seed=seed, cover=exact_cover(model)), cube)


@pytest.mark.parametrize("name", BACKENDS)
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_random_covers(name: str, data: st.DataObject) -> None:
    model = data.draw(covers)
    cube = data.draw(cubes(model))
    with tuned(min_items_per_option=0.0, max_small_cover_options=0):
        found = told(model, name, cube, data.draw(st.integers(0, 1)))
    assert found == Counter(within(brute_force(model), cube))


@settings(max_examples=50, deadline=None)
@given(covers)
def test_exclusions_remove_no_solution(model: CpModel) -> None:
    with tuned(min_items_per_option=0.0, max_small_cover_options=0):
        found = exclusions(exact_cover(model))
    if found is None:
        return
    for values in brute_force(model):
        true = {literal for v, value in enumerate(values) for literal in [v if value else -v - 1]}
        assert true.isdisjoint(found.ruled_out)
        for first, second in [*found.stated.tolist(), *found.derived.tolist()]:
            assert not {first, second} <= true


def test_what_follows_is_counted() -> None:
    """The cell in a corner of 3x20 that most placements of the X, and others, would cut off."""
    found = exclusions(exact_cover(pentomino("3x20").model))
    assert found
    assert found.size["options ruled out"] > 100
    assert found.size["exclusions"] > 1000


def test_too_many_are_left_out() -> None:
    model = pentomino("5x4", subset=True).model
    for bound in ("max_paired_options", "max_exclusions"):
        assert exclusions(exact_cover(model)) is not None
        with tuned(**{bound: 10}):
            assert exclusions(exact_cover(model)) is None
