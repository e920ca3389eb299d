"""Counts of formulas, against listing and against another counter."""

import random
import threading
from dataclasses import replace
from importlib.util import find_spec
from math import factorial
from pathlib import Path
from typing import Any

import pytest

from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.tuning import override_tuning
from solvers.extras.counts.counting.formula import predict_solutions
from solvers.extras.shared.large_groups import conjugacy
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.show.report import Report
from tests.support import declared, symmetric
from tests.support.command import RUN, report_of, run
from tests.support.covers import free
from tests.support.own_models import write
from tests.support.puzzles import model_of
from tests.support.random_models import random_puzzle
from tests.support.refusals import refused


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"needs {package}, of the extras count and test")


def counted_as_listed(puzzle: Puzzle, method: Any = None, **options: Any) -> Report:
    listed = solve(puzzle, count_only=True, method="listing", jobs=1, **options)
    counted = solve(puzzle, count_only=True, method=method, jobs=1, **options)
    assert (counted.solutions, counted.total) == (listed.solutions, listed.total), puzzle.name
    assert counted.report.objective == listed.report.objective
    return counted.report


@needs("py_d4")
def test_symmetries_that_are_few_enough_to_list_need_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conjugacy, "gap_command", list)
    report = counted_as_listed(symmetric.graphs(6), "counter", symmetry="declared")
    assert (report.symmetries, report.solutions) == (720, 156), "of the graphs with 6 vertices, OEIS A000088"


@pytest.mark.thorough
@needs("py_d4")
@pytest.mark.parametrize(
    "seeds",
    [
        range(2),
        pytest.param(range(2, 4), marks=pytest.mark.thorough),
    ],
)
def test_random_models(seeds: range) -> None:
    for seed in seeds:
        puzzle = random_puzzle(seed)
        try:
            report = counted_as_listed(puzzle, "counter", symmetry="found")
        except InputError as refusal:
            if conjugacy.gap_command() or "needs GAP for so many symmetries" not in str(refusal):
                raise
            continue
        assert (report.method, report.checked) == ("counter", 0)


@needs("py_d4")
@needs("pyganak")
@pytest.mark.parametrize(
    "seeds",
    [
        range(3),
    ],
)
def test_another_counter_agrees(seeds: range) -> None:
    for seed in seeds:
        puzzle = random_puzzle(seed)
        total = solve(puzzle, count_only=True, symmetry="none", method="counter", jobs=1).total
        other = solve(puzzle, count_only=True, symmetry="none", method="ganak", jobs=1)
        assert (other.total, other.report.evidence.grade) == (total, "by formula, probably right"), seed


@pytest.mark.thorough
@needs("py_d4")
@needs("pyganak")
def test_ganak_is_advised_where_d4_does_not_end(tmp_path: Path) -> None:
    """Such a formula takes D4 more than a minute."""
    chance, formula = random.Random(5), tmp_path / "hard.cnf"
    clauses = [[chance.choice((-1, 1)) * v for v in chance.sample(range(1, 401), 3)] for _ in range(997)]
    shown = " ".join(map(str, range(1, 21)))
    lines = [f"{' '.join(map(str, clause))} 0" for clause in clauses]
    formula.write_text("\n".join([f"p cnf 400 {len(lines)}", f"c p show {shown} 0", *lines, ""]), encoding="utf-8")
    ended = run(RUN, str(formula), "--count-only", "--method", "counter", "--time-limit", "1")
    assert (ended.returncode, ended.stderr.count("; Ganak may be quicker")) == (3, 1)
    report = report_of(str(formula), "--count-only", "--method", "ganak")
    assert (report["total"], report["evidence"]["grade"]) == (2**20, "by formula, probably right")


@needs("py_d4")
def test_a_formula_that_is_refuted_at_once() -> None:
    refuted = declared.puzzle({"x": declared.BOOLEAN}, lambda model, x: model.add_bool_or([]))
    result = solve(refuted, count_only=True, method="counter")
    assert (result.complete, result.total) == (True, 0)


@needs("py_d4")
def test_free_choices_are_counted_at_once() -> None:
    result = solve(free(30), count_only=True)
    assert (result.report.method, result.total) == ("counter", 3 * 2**28)
    assert "checked" not in result.report.as_table()


@needs("py_d4")
def test_symmetries_of_a_puzzle() -> None:
    puzzle = replace(free(12), symmetries=[declared.swapping(0, 1)])
    result = solve(puzzle, count_only=True, method="counter")
    assert (result.solutions, result.total, result.report.symmetries) == (2 * 2**10, 3 * 2**10, 2)


def test_few_solutions_are_listed() -> None:
    assert solve(free(8), count_only=True).report.method == "listing"


@pytest.mark.parametrize("size", [3, 10, 24])
def test_predictions(size: int) -> None:
    prediction = predict_solutions(model_of(free(size)), range(size), 0, threading.Event())
    assert prediction == pytest.approx(3 * 2 ** (size - 2), rel=0.5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": "counter"}, "add count_only=True"),
        ({"method": "guess", "count_only": True}, "no method 'guess'"),
        ({"method": "counter", "count_only": True, "marginals": True}, "only the number of solutions"),
        ({"method": "frontier", "count_only": True}, "not an exact cover"),
        ({"method": "listing", "limit": 3}, "leave one of them out"),
    ],
)
def test_what_does_not_go_together(arguments: dict[str, Any], sentence: str) -> None:
    refused(sentence, solve, declared.puzzle({"x": (0, 5)}), **arguments)


@needs("py_d4")
def test_on_the_command_line(tmp_path: Path) -> None:
    file = write(tmp_path / "free.cnf", "p cnf 40 1\n1 2 0\n")
    report = report_of(str(file), "--count-only", "--method", "counter")
    assert (report["method"], report["total"]) == ("counter", 3 * 2**38)


@pytest.mark.thorough
def test_counters_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.extras.counts.counting.formula.find_spec", lambda _: None)
    refused(r"pip install '\.\[count\]'", solve, free(5), count_only=True, method="counter")
    assert solve(free(22), count_only=True, limit=None, time_limit=1).report.method == "listing"


@pytest.mark.thorough
@pytest.mark.parametrize("head_start", [0, 60])
def test_a_race_counts_what_listing_does(head_start: float) -> None:
    raced = 0
    for puzzle in (*map(random_puzzle, range(12)), symmetric.queens(5), symmetric.colouring(symmetric.K33, 3)):
        if puzzle.model.proto.assumptions:
            continue
        with override_tuning(EXTRAS_TUNING, max_listed_solutions=0, head_start_seconds=head_start):
            report = counted_as_listed(puzzle)
        raced += report.method == "counter" or "quicker than counting" in report.backend_reason
    assert raced > 4


@pytest.mark.thorough
@pytest.mark.parametrize("head_start", [0, 60])
def test_layers_and_a_listing_race(head_start: float) -> None:
    for puzzle in (
        pentomino("5x3", subset=True),
        packing("4x4", "dominoes x*"),
        packing("2x3x3", "1x2x3 x1-* + monomino x*"),
    ):
        with override_tuning(EXTRAS_TUNING, head_start_seconds=head_start), override_tuning(max_small_cover_options=0):
            report = counted_as_listed(puzzle)
        assert head_start == 0 or report.method == "frontier"


@pytest.mark.thorough
@override_tuning(EXTRAS_TUNING, listing_prediction_seconds=0.1)
def test_a_listing_counts_where_layers_need_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.extras.counts.counting.count.free_memory", lambda: 1_000)
    found = solve(pentomino("3x20"), count_only=True, jobs=1)
    assert (found.report.method, found.solutions, found.report.complete) == ("listing", 2, True)
    assert "quicker than counting" in found.report.backend_reason
    with override_tuning(EXTRAS_TUNING, max_listed_solutions=0):
        found = solve(packing("6x6", "dominoes x*"), count_only=True, jobs=1)
    assert (found.report.complete, found.total) == (False, 0)


@pytest.mark.thorough
def test_permutations_are_counted_by_their_symmetries() -> None:
    """D4 alone does not come to an end."""
    places = dict.fromkeys(range(14), (1, 14))
    report = solve(declared.puzzle(places, lambda model, *x: model.add_all_different(x)), count_only=True).report
    assert (report.method, report.solutions, report.total) == ("listing", factorial(14), factorial(14))
