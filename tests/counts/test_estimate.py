"""Predictions against what was counted, and the command."""

import random
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest

from models.magic import magic
from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers.backends.cover import require_cover
from solvers.base.errors import NoCoverError
from solvers.base.options import Options
from solvers.base.tuning import override_tuning
from solvers.extras.counts import estimate as estimates
from solvers.extras.counts.estimate import LongListing, estimate, predict
from solvers.extras.counts.sampled_cubes import SampleEstimate, Spread
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.model.cover_search import CoverTables, Leaf, Outcome, leaves
from solvers.running.runner import Run
from solvers.symmetry.breaking import by_cases
from solvers.symmetry.key import Key
from tests.support.command import printed, refusal
from tests.support.groups import closure


@pytest.mark.parametrize("board", ["5x5", *(pytest.param(board, marks=pytest.mark.thorough) for board in ("3x20",))])
def test_nodes(board: str) -> None:
    puzzle = pentomino(board, subset=board == "5x5")
    key = Key(puzzle.model, puzzle.key)
    broken = by_cases(puzzle.model, closure(key, puzzle.symmetries))
    cases = [literals for literals, _ in broken.cases]
    assert (len(cases) > 1) == (board == "5x5")
    tables = CoverTables(require_cover(broken.model, key.variables, {}), 0)
    found = [leaf for case in cases for leaf in leaves(tables, threading.Event(), case)]
    nodes = sum(leaf.nodes for leaf in found)
    predicted = estimate(tables, 1, threading.Event(), cases)
    assert abs(predicted.nodes.mean - nodes) <= 5 * predicted.nodes.error + 1e-9
    solutions = sum(leaf.outcome is Outcome.SOLUTION for leaf in found)
    if predicted.solutions.mean:  # where solutions are far apart, no probe may meet one
        assert abs(predicted.solutions.mean - solutions) <= 5 * predicted.solutions.error + 1e-9


def test_lower_bounds_hold_where_few_values_carry_the_weight() -> None:
    """One value in a thousand is a million, so that the mean is 1000; standard errors are of no use here."""
    chance = random.Random(1)
    draws = [[1e6 * (chance.random() < 0.001) for _ in range(300)] for _ in range(400)]
    spreads = [Spread.from_values(values) for values in draws]
    assert sum(spread.low > 1000 for spread in spreads) <= 0.05 * len(spreads)
    assert sum(spread.mean + 3 * spread.error < 1000 for spread in spreads) > 0.3 * len(spreads)
    even = Spread.from_values([chance.uniform(5, 15) for _ in range(1000)])
    assert 6 < even.low < 10


@pytest.mark.thorough
def test_the_time_of_the_checks_counts() -> None:
    def slow(_: Any) -> bool:
        time.sleep(0.02)
        return True

    puzzle = replace(packing("4x6", "dominoes x*"), are_solutions=None)
    quick = predict(puzzle)
    assert predict(replace(puzzle, is_solution=slow)).seconds > quick.seconds + 0.005 * quick.solutions.mean


def test_the_time_of_a_node_is_that_of_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice tells its nodes behind its solutions, which come when its time is over."""

    def slices(*_: object) -> Iterator[Leaf]:
        yield Leaf((), Fraction(0), Outcome.REFUTED, 1)
        time.sleep(0.2)
        yield Leaf((1,), Fraction(1), Outcome.SOLUTION)
        yield Leaf((), Fraction(0), Outcome.REFUTED, 10_000)

    monkeypatch.setattr(estimates, "leaves", slices)
    assert estimates._seconds_of_a_node(Mock(), threading.Event(), [()], 0.1) < 0.01


@pytest.mark.thorough
def test_the_command() -> None:
    assert "certainty" in printed("estimate", "pentomino", "--board", "4x5", "--subset")
    assert "solutions visited       1\n" in printed("estimate", "magic", "--backend", "cp")
    assert "asks for a best value" in refusal("estimate", "golomb")


def test_all_cubes_of_a_model_are_its_search() -> None:
    predicted = predict(magic("ring"), backend="cp")
    assert isinstance(predicted, SampleEstimate)
    assert predicted.searched == predicted.cubes
    assert predicted.solutions == Spread(6.0, 0.0, 6.0)
    assert str(predicted).endswith("these numbers are those of a search in cubes.")


def test_samples_of_cubes_are_right_on_average() -> None:
    """The lower bound holds for 95 % of the samples at least."""
    chance = Random(1)
    values = [chance.paretovariate(1.2) for _ in range(300)]
    spreads = [Spread.of_sample(chance.sample(values, 60), 300) for _ in range(400)]
    assert abs(sum(spread.mean for spread in spreads) / 400 - sum(values)) < 0.1 * sum(values)
    assert sum(spread.low <= sum(values) for spread in spreads) >= 380
    assert Spread.of_sample([1.0, 2.0], 2) == Spread(3.0, 0.0, 3.0)


def predicted(puzzle: Puzzle, met: int, **options: Any) -> tuple[Run, LongListing, str, object]:
    """Its listing, in which so many were met; what is told of it at once, and what went wrong in its prediction."""
    run = Run(puzzle.name, {}, lambda: puzzle, Options(**options, limit=1, jobs=1))
    list(run)
    run.add_facts(found=met, complete=False)
    listing = LongListing(run)
    first = listing.sentence(25)
    assert listing._predicted
    return run, listing, first, listing._predicted.exception(300)


@pytest.mark.thorough
@override_tuning(
    EXTRAS_TUNING, listing_prediction_seconds=60.0, max_cover_probes=400
)  # on a busy machine as many probes
def test_a_listing_that_will_not_end_is_predicted() -> None:
    puzzle = packing("6x6", "dominoes x*")
    _, listing, first, _ = predicted(puzzle, 25, backend="cover", unbroken=True)
    assert first == ""
    told = listing.sentence(25)
    found = re.fullmatch(
        r"packing: 25 solutions met so far, 1 a second; random probes predict about ([0-9,]+), at least ([0-9,]+); "
        r"[0-9,]+ take [0-9,]+ (minutes|hours); --count-only counts without a list",
        told,
    )
    assert found, told
    mean, low = (int(found[place].replace(",", "")) for place in (1, 2))
    assert low < 6728 < 4 * mean
    _, listing, first, _ = predicted(puzzle, 25_000, backend="cover", unbroken=True)
    assert (first, listing.sentence(25)) == ("", "")  # it ends soon


def test_a_listing_of_unknown_length_names_count_only() -> None:
    run, listing, _, wrong = predicted(magic("ring"), 50_000, backend="cp-sat")
    assert isinstance(wrong, NoCoverError)
    assert listing.sentence(15) == ""
    assert listing.sentence(25).startswith("magic: 50,000 solutions met so far, 2,000 a second, and how many")
    run.add_facts(seconds={**run.report.seconds, "left": 12.0})
    assert listing.sentence(25) == ""
