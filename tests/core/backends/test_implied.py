"""What solvers are told of exact covers beyond the rules: it follows from these, and changes no answer."""

import inspect
import sys
from collections import Counter
from collections.abc import Sequence
from functools import wraps
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.backends.implied import exclusions
from solvers.base.tuning import override_tuning
from solvers.model.exact_cover import exact_cover
from tests.support.backends import Assignment, made, visits, within
from tests.support.covers import covers
from tests.support.random_models import brute_force, cubes

BACKENDS = ("cp", "cp-sat", "sat", "sat:glucose42", "sat:minicard")


def told(model: CpModel, name: str, cube: Sequence[int] = (), seed: int = 0) -> Counter[Assignment]:
    """The solutions in a cube, on a backend that is given the model as a cover."""
    return visits(made(name, model, seed=seed, cover=exact_cover(model)), cube)


@pytest.mark.thorough
@pytest.mark.parametrize("name", BACKENDS)
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_random_covers(name: str, data: st.DataObject) -> None:
    model = data.draw(covers)
    cube = data.draw(cubes(model))
    with override_tuning(min_items_per_option=0.0, max_small_cover_options=0):
        found = told(model, name, cube, data.draw(st.integers(0, 1)))
    assert found == Counter(within(brute_force(model), cube))


@pytest.mark.thorough
@settings(max_examples=50, deadline=None)
@given(covers)
def test_exclusions_remove_no_solution(model: CpModel) -> None:
    with override_tuning(min_items_per_option=0.0, max_small_cover_options=0):
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
        with override_tuning(**{bound: 10}):
            assert exclusions(exact_cover(model)) is None


BEGINNINGS = {"exclusions", "add_ruled_out", "_add_exclusions", "_exclusion_clauses"}
"""The functions that derive exclusions, and those that give them to a solver."""


def calls_that_derive(name: str, puzzle: Puzzle) -> list[tuple[str, str]]:
    """The functions, by module and name, that run between the derivation of exclusions and a solver."""
    met: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith(("solvers.backends", "solvers.model")):
            return
        caller: FrameType | None = frame
        while caller and caller.f_code.co_name not in BEGINNINGS:
            caller = caller.f_back
        if caller:
            met[module, frame.f_code.co_qualname] = None

    exclusions.cache_clear()
    sys.setprofile(note)
    try:
        made(name, puzzle.model, cover=exact_cover(puzzle.model))
    finally:
        sys.setprofile(None)
    return [called for called in met if "<" not in called[1]]


def corrupted(value: Any) -> Any:
    """A value that differs a little: a number more, an element changed; what has no numbers stays."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | np.integer):
        return value + 1
    if isinstance(value, list):
        return [*value, max(value, default=0) + 1] if all(isinstance(one, int) for one in value) else value
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype == np.int64:
        return np.column_stack([value[:, :-1], np.roll(value[:, -1], 7)])
    if isinstance(value, np.ndarray) and value.size:
        changed = value.copy()
        last = changed.reshape(-1)[-1:]
        last[:] = ~last if changed.dtype == np.bool_ else last ^ last.dtype.type(1)
        return changed
    return type(value)(map(corrupted, value)) if type(value) is tuple else value


def replaced(call: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a function, by module and name, return something else, wherever it is known."""
    module, path = call
    owner: Any = sys.modules[module]
    for part in path.split(".")[:-1]:
        owner = getattr(owner, part)
    own: Any = inspect.getattr_static(owner, path.rpartition(".")[2])
    true: Any = own.fget if isinstance(own, property) else own

    @wraps(true)
    def false(*arguments: Any, **named: Any) -> Any:
        return corrupted(true(*arguments, **named))

    replacement = property(false) if isinstance(own, property) else false
    if isinstance(owner, type):
        monkeypatch.setattr(owner, path.rpartition(".")[2], replacement)
    for user in [each for each in sys.modules.values() if each.__name__.startswith("solvers.")]:
        for attribute in [attribute for attribute, value in vars(user).items() if value is own]:
            monkeypatch.setattr(user, attribute, replacement)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["sat", "cp"])
def test_a_fault_on_the_way_to_a_solver_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function that runs between the derivation of exclusions and a solver returns something else, in turn."""
    puzzle = pentomino("5x4", subset=True)
    calls = calls_that_derive(name, puzzle)
    noticed = set()
    for call in calls:
        with monkeypatch.context() as patch:
            replaced(call, patch)
            exclusions.cache_clear()
            try:
                assert solve(puzzle, backend=name, jobs=1).total == 200, call
            except (InputError, AssertionError):
                raise
            except Exception:  # of whatever kind: the command ends with exit code 1
                noticed.add(call[1])
            finally:
                exclusions.cache_clear()
    last = {"cp": "all_negated", "cp-sat": "all_negated", "sat": "Sat._exclusion_clauses"}[name]
    assert {"CoverTables.dead_options", "CoverTables.exclusions", "CoverTables.take_claims", last} <= noticed
