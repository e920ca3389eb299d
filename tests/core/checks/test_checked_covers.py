"""Exact covers as they are read, and what follows from them: verified before any solver hears of it."""

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.pentomino import pentomino
from solvers.backends import cover as cover_backend
from solvers.backends.cover import take_out
from solvers.backends.implied import exclusions
from solvers.base.backend_rows import BACKENDS, IMPLIED
from solvers.base.endings import SHOULD_NEVER_HAPPEN
from solvers.base.errors import CheckError
from solvers.base.tuning import override_tuning
from solvers.checks.covers import check_exclusions, check_reading
from solvers.model import cover_search
from solvers.model.cover_search import CoverTables
from solvers.model.exact_cover import ExactCover, exact_cover
from tests.support.backends import EVERY
from tests.support.command import RUN, run
from tests.support.covers import covers
from tests.support.random_models import brute_force
from tests.support.refusals import refused
from tests.support.tiers import sampled


def readings(cover: ExactCover, chance: random.Random) -> list[Callable[[], Any]]:
    """Changes of a cover by which it says something else than its model, or may do so."""
    option = chance.randrange(cover.variables)
    item = chance.choice(cover.items)
    return [
        lambda: cover.items.remove(item),
        lambda: item.remove(chance.choice(item)),
        lambda: cover.optional.append(sorted(chance.sample(range(cover.variables), min(3, cover.variables)))),
        lambda: cover.exclusions.append((option, (option + 1) % cover.variables)),
        lambda: cover.fixed.update({option: not cover.fixed.get(option, chance.random() < 0.5)}),
        lambda: cover.slack.update({cover.options: option}),
    ]


def solutions(cover: ExactCover) -> set[tuple[int, ...]]:
    """The solutions of a cover with few options, by its words and without any search."""
    found = set()
    for bits in range(1 << cover.variables):
        chosen = {option for option in range(cover.variables) if bits >> option & 1}
        values = tuple(bits >> option & 1 for option in range(cover.variables))
        with_slack = chosen | {slack for slack, variable in cover.slack.items() if not values[variable]}
        if (
            not cover.contradictory
            and all(len(with_slack.intersection(item)) == 1 for item in cover.items)
            and all(len(with_slack.intersection(item)) <= 1 for item in [*cover.optional, *cover.exclusions])
            and all(count.low <= len(with_slack.intersection(count.options)) <= count.high for count in cover.counts)
            and all((option in with_slack) == is_chosen for option, is_chosen in cover.fixed.items())
        ):
            found.add(values)
    return found


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(covers, st.integers(0, 5), st.randoms(use_true_random=False))
def test_a_wrong_reading_is_noticed(model: CpModel, number: int, chance: random.Random) -> None:
    """Whatever changes the solutions; what is read rightly passes."""
    cover = exact_cover(model)
    check_reading(model, cover)
    right = set(map(tuple, brute_force(model)))
    assert solutions(cover) == right
    if cover.contradictory or not cover.items or not all(cover.items):
        return
    readings(cover, chance)[number]()
    if solutions(cover) != right:
        refused("was read as a wrong exact cover", check_reading, model, cover, raises=CheckError)


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(covers, st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_wrong_exclusion_is_noticed(model: CpModel, seed: int, chance: random.Random) -> None:
    """One that removes a solution, whatever reason is given; those that are derived pass."""
    cover = exact_cover(model)
    options, together, reasons = CoverTables(cover, seed, are_paired=True).take_claims()
    check_exclusions(cover, options, together, reasons, take_out)
    right = list(brute_force(model))
    if not right or cover.contradictory:
        return
    values = chance.choice(right)
    chosen = [option for option, value in enumerate(values) if value]
    chosen += [slack for slack, variable in cover.slack.items() if not values[variable]]
    chance.shuffle(chosen)
    if not chosen:
        return
    fewer = np.array([option != chosen[0] for option in options])
    left = [option for option in options if option != chosen[0]]
    sentence = "ruled out without a reason"
    refused(sentence, check_exclusions, cover, left, together[fewer][:, fewer], reasons, take_out, raises=CheckError)
    if len(chosen) < 2:
        return
    one, other = chosen[:2]
    first, second = options.index(one), options.index(other)
    apart = together.copy()
    apart[first, second] = apart[second, first] = False
    sentence = "exclude each other without a reason"
    refused(sentence, check_exclusions, cover, options, apart, reasons, take_out, raises=CheckError)
    false = np.concatenate([np.array([[one, other, chance.randrange(len(cover.items))]]), reasons])
    refused("which they do not", check_exclusions, cover, options, apart, false, take_out, raises=CheckError)


def far_too_many(matrix: Any) -> Any:
    """Exclusions of options that have nothing to do with each other, each with a reason."""
    size = len(matrix.keep)
    pairs = [(one, other) for one in range(size) for other in range(one) if (one + other) % 5 == 0]
    for one, other in [*pairs, *((other, one) for one, other in pairs)]:
        matrix.keep[one, other >> 6] &= ~np.uint64(1 << (other & 63))
    return np.array([(one, other, 0) for one, other in pairs], np.int32)


def without_reasons(matrix: Any) -> Any:
    return far_too_many(matrix)[:0]


def too_few_together(cover: ExactCover, options: list[int]) -> Any:
    together = cover_search_are_together(cover, options)
    together[::3, ::3] = 0
    return together


def read_with_an_exclusion(model: CpModel) -> ExactCover:
    cover = exact_cover(model)
    cover.exclusions.append((0, cover.variables - 1))
    return cover


def read_without_an_item(model: CpModel) -> ExactCover:
    cover = exact_cover(model)
    cover.items.pop()
    return cover


cover_search_are_together = cover_search.are_together

FAULTS = {
    "pairs, with false reasons": (cover_search, "_exclude_pairs", far_too_many),
    "pairs, without reasons": (cover_search, "_exclude_pairs", without_reasons),
    "pairs that share an item": (cover_search, "are_together", too_few_together),
    "an exclusion that is read": (cover_backend, "exact_cover", read_with_an_exclusion),
    "an item that is not read": (cover_backend, "exact_cover", read_without_an_item),
}
"""Faults in our own code that would be in the answers of all backends: where they are, and what stands there."""


@pytest.mark.parametrize("backend", sampled(EVERY, 2))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_would_reach_every_backend(fault: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the run, or the backend is not given what is wrong, and finds the 50 ways as `test_golden` has them."""
    words = ("pentomino", "--board", "5x4", "--subset", "--backend", backend, "--jobs", "1", "--quiet")
    monkeypatch.setattr(*FAULTS[fault])
    with override_tuning(plain_nodes=0):
        wrong = run(RUN, *words)
    is_reached = IMPLIED in BACKENDS[backend].shares or BACKENDS[backend].takes_covers_only
    if fault.startswith("pairs") and not is_reached:
        assert wrong.returncode == 0
        assert re.search(r"solutions up to symmetry +50$", wrong.stdout, re.MULTILINE)
        return
    assert wrong.returncode == SHOULD_NEVER_HAPPEN
    assert "exact cover" in wrong.stderr


@pytest.mark.thorough
def test_exclusions_of_a_board_are_verified() -> None:
    """So many are derived that the verification, and not the lack of something to verify, lets them pass."""
    with override_tuning(max_exclusions=10**7):
        found = exclusions(exact_cover(pentomino("6x10").model))
    assert found
    assert len(found.derived) > 100_000
