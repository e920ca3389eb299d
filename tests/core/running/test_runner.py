"""Runs of small puzzles of their own: what is checked, what is refused, what is counted."""

import time
from dataclasses import replace
from typing import Any
from unittest.mock import DEFAULT, Mock

import numpy as np
import pytest
from ortools.sat.python.cp_model import CpModel
from pysat.formula import CNF

from models.classics.arrangements import queens
from models.puzzle import Puzzle, Symmetry
from solvers import solve
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, WrongSymmetryError
from solvers.base.options import Options
from solvers.base.tuning import TUNING, override_tuning
from solvers.running.collect import Collector
from solvers.running.runner import Run
from solvers.running.searching import MessageQueue, SearchSignal
from solvers.show.report import Report
from solvers.symmetry.key import Decoded
from tests.support.backends import GENERAL
from tests.support.command import on_this_load
from tests.support.declared import BOOLEAN, puzzle, swapping
from tests.support.refusals import refused
from tests.support.runs import finished

BACKENDS = [*GENERAL, "sat:glucose4", "sat:minicard"]


def outcome(asked: Puzzle, **options: Any) -> tuple[Report, list[dict[Any, int]]]:
    run = Run("test", {}, lambda: asked, Options(**options))
    found = [dict(solution) for solution in run if isinstance(solution, Decoded)]
    return run.report, found


def two_of_three(symmetries: tuple[Symmetry, ...] = (), **more: Any) -> Puzzle:
    """Two of a, b and c are true, or one of a and b: five solutions."""
    return puzzle(
        dict.fromkeys("abc", BOOLEAN),
        lambda m, *three: m.add_linear_constraint(sum(three), 1, 2),
        lambda m, a, b, c: m.add_bool_or(a, b),
        symmetries=symmetries,
        **more,
    )


swap = swapping("a", "b")


def rotate(label: str, value: int) -> tuple[str, int]:
    return {"a": "b", "b": "c", "c": "a"}[label], value


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("unbroken", [False, True])
def test_both_counts(backend: str, unbroken: bool) -> None:
    report, _ = outcome(two_of_three((swap,)), backend=backend, unbroken=unbroken)
    assert (report.complete, report.solutions, report.total, report.symmetries) == (True, 3, 5, 2)
    assert (report.repeats, report.checked) == (0, 5)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("unbroken", [False, True])
def test_a_wrong_symmetry_is_named(backend: str, unbroken: bool) -> None:
    sentence = r"symmetry 2 \(rotate\) carries solutions to .*bool_or 1"
    refused(sentence, outcome, two_of_three((swap, rotate)), backend=backend, unbroken=unbroken, raises=CheckError)


@pytest.mark.parametrize(
    ("symmetries", "is_solution"),
    [
        ((), lambda solution: not solution["c"]),
        ((swap,), lambda solution: solution["a"] >= solution["b"]),
    ],
    ids=["a model that misses a rule", "a rule that knows less symmetry than the model"],
)
def test_rules_that_the_model_does_not_keep(symmetries: tuple[Symmetry, ...], is_solution: Any) -> None:
    refused("violates is_solution", outcome, two_of_three(symmetries, is_solution=is_solution), raises=CheckError)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_puzzle_that_is_clauses(backend: str) -> None:
    formula = CNF(from_clauses=[[1, 2], [-1, -2, 3]])
    formula.nv = 4
    report, found = outcome(Puzzle("test", {}, formula, {"a": 1, "b": 2, "free": 4}, [swap]), backend=backend)
    assert (report.complete, report.solutions, report.total, report.repeats) == (True, 4, 6, 0)
    assert all(solution.get("a", 0) + solution.get("b", 0) >= 1 for solution in found)


def test_a_key_that_the_formula_lacks() -> None:
    refused("3, for 'z' in its key", outcome, Puzzle("test", {}, CNF(from_clauses=[[1, 2]]), {"a": 1, "z": 3}))


def test_features_are_counted() -> None:
    report, _ = outcome(two_of_three((swap,), feature=lambda solution: f"{sum(solution.values())} true"))
    assert report.features == {"1 true": 1, "2 true": 2}


def test_models_that_or_tools_does_not_take() -> None:
    wrong = puzzle({"x": BOOLEAN})
    wrong.model.proto.variables[0].domain[1] = -5
    refused("OR-Tools does not accept the model", outcome, wrong)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("maximise", [False, True])
def test_the_best_value_where_the_key_does_not_tell_it(backend: str, maximise: bool) -> None:
    hidden = puzzle(
        {"a": BOOLEAN, "b": BOOLEAN, "x": (0, 5)},
        lambda m, a, b, x: m.add_bool_or(a, b),
        lambda m, a, b, x: m.maximize(3 * x + 1) if maximise else m.minimize(4 - 2 * x),
        key="ab",
        symmetries=[swap],
    )
    report, found = outcome(hidden, backend=backend)
    assert (report.solutions, report.total, report.repeats, len(found)) == (2, 3, 0, 2)
    assert (report.complete, report.objective) == (True, 16 if maximise else -6)


ONE_OF_300 = puzzle({"x": (0, 299)})


@override_tuning(grace_seconds=0.05)
def test_what_is_left_unchecked_is_not_counted_as_complete() -> None:
    run = Run("test", {}, lambda: ONE_OF_300, Options(time_limit=0.5))
    for _ in run:
        time.sleep(0.006)
    assert (run.report.complete, run.report.stopped_by) == (False, "the time limit")
    assert 0 < run.report.solutions < 300


@override_tuning(solutions_per_check=64)
def test_without_memory_in_the_last_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    end = Mock(wraps=Collector._end_check, side_effect=[DEFAULT, MemoryError])
    monkeypatch.setattr(Collector, "_end_check", lambda collector, checking: end(collector, checking))
    report, _ = outcome(ONE_OF_300)
    assert (report.complete, report.stopped_by) == (False, "a lack of memory")
    assert 0 < report.solutions < 300


def test_an_empty_key() -> None:
    report, found = outcome(replace(two_of_three(), key={}))
    assert (report.complete, report.solutions, report.total, found) == (True, 1, 1, [{}])


def test_the_rules_are_asked_of_solutions_of_the_model_only() -> None:
    names = {0: "a", 1: "b", 2: "c"}
    named = puzzle(
        {"x": (0, 3)},
        lambda m, x: m.add(x <= 2),
        symmetries=[lambda label, value: (label, (value + 1) % 4)],
        is_solution=lambda solution: names[solution["x"]] != "",
    )
    refused("linear", outcome, named, unbroken=True, raises=WrongSymmetryError)


@pytest.mark.thorough
@override_tuning(solutions_per_check=16)
def test_the_time_limit_holds_while_solutions_are_checked() -> None:
    def is_solution(_: object) -> bool:
        time.sleep(0.02)
        return True

    turned: Symmetry = lambda number, value: ((number + 1) % 10, value)  # noqa: E731
    slow = puzzle(dict.fromkeys(range(10), BOOLEAN), symmetries=[turned], is_solution=is_solution)
    report, _ = outcome(slow, time_limit=0.5)
    assert (report.complete, report.stopped_by) == (False, "the time limit")
    assert 0 < report.total == report.checked < 1024
    assert report.seconds["all"] is not None
    assert report.seconds["all"] < 10  # to check all takes 20 s


@pytest.mark.thorough
def test_samples_of_a_large_group_that_take_too_long_are_not_forgotten() -> None:
    double = puzzle({"x": (0, 2), "y": (0, 256)}, lambda m, x, y: m.add(y == 2 * x))
    run = finished(lambda: double, backend="sat", symmetry="found", sample=3, time_limit=2, jobs=1)
    assert (run.report.complete, run.report.total) == (True, 3)
    assert (run.report.stopped_by, run.samples) == ("the time limit", [])


@pytest.mark.parametrize("count_only", [False])
@pytest.mark.thorough
def test_the_time_limit_holds_while_samples_are_drawn(count_only: bool) -> None:
    one_of_all = puzzle(dict.fromkeys(range(300), BOOLEAN), lambda m, *options: m.add_exactly_one(options))
    began = time.monotonic()
    run = finished(lambda: one_of_all, backend="cover", sample=10**9, time_limit=3, count_only=count_only, jobs=1)
    assert time.monotonic() - began < on_this_load(3 + 4)
    assert (run.report.stopped_by, run.samples) == ("the time limit", [])
    assert count_only or (run.report.complete, run.report.solutions) == (True, 300)
    run.thread.join(10)
    assert not run.thread.is_alive()


def test_odd_keys_are_told() -> None:
    model = CpModel()
    same = [model.new_int_var(0, 1, "x") for _ in range(3)]
    model.add(sum(same) <= 2)
    report = solve(Puzzle("same", {}, model, {variable.name: variable for variable in same}), jobs=1).report
    assert report.warnings == ["3 variables are called x, and the key has 1 of them; give each a name of its own"]
    assert "warning" in report.as_table()
    assert solve(Puzzle("none", {}, model, {}), jobs=1).report.warnings[0].startswith("the key has no variable")
    assert not solve(Puzzle("apart", {}, model, dict(enumerate(same))), jobs=1).report.warnings


@pytest.mark.thorough
def test_a_run_without_symmetry_has_one_number() -> None:
    """Also where it is stopped, and some solutions are met but not checked."""
    report = solve(queens(14), symmetry="none", unbroken=True, backend="cp-sat", time_limit=1.5, jobs=1).report
    assert not report.complete
    assert report.solutions == report.total


def test_a_queue_is_full_once_it_holds_so_many_solutions() -> None:
    messages = MessageQueue(maxsize=3)
    messages.put_nowait(SearchSignal.PROVED)
    assert not messages.full()
    messages.put_nowait(np.zeros((2, 5), np.int8))
    assert messages.full()
    assert messages.get_nowait() is SearchSignal.PROVED
    assert not messages.full()
    assert isinstance(messages.get_nowait(), np.ndarray)
    assert messages.empty()


TURNED = puzzle(dict.fromkeys(range(10), BOOLEAN), symmetries=[lambda number, value: ((number + 1) % 10, value)])
"""1024 solutions in 108 orbits."""


@pytest.mark.parametrize("most", [0, 100, 10_000])
def test_the_own_check_of_orbits_and_of_a_sample_of_images(most: int) -> None:
    asked: list[tuple[int, ...]] = []

    def is_solution(solution: Any) -> bool:
        asked.append(tuple(solution[number] for number in range(10)))
        return True

    with override_tuning(max_own_checks=most):
        report, found = outcome(replace(TURNED, is_solution=is_solution))
    assert report.own_checks == {"solutions": 108, "images": len(asked) - 108}
    assert set(asked) >= {tuple(solution.get(number, 0) for number in range(10)) for solution in found}
    assert (report.checked, len(asked) == len(set(asked))) == (1024, True)
    if most == 10_000:
        assert len(asked) == 1024
        assert "own check" not in report.as_table()
    else:
        assert most <= len(asked) - 108 < most + 60  # about one of a hundred of the others
        assert f"1024; by the puzzle's own check: 108 and {len(asked) - 108} images" in report.as_table()


@pytest.mark.parametrize("unbroken", [False, True])
@override_tuning(max_own_checks=0)
def test_a_rule_that_one_orbit_breaks_is_found_without_its_images(unbroken: bool) -> None:
    wrong = replace(TURNED, is_solution=lambda solution: sum(solution.values()) < 10)
    refused("violates is_solution", outcome, wrong, unbroken=unbroken, raises=CheckError)


def test_a_check_for_arrays_is_asked_about_all_images() -> None:
    shapes: list[tuple[int, ...]] = []

    def are_solutions(rows: Any) -> Any:
        shapes.append(rows.shape)
        return rows.max(axis=1) <= 1

    report, _ = outcome(replace(TURNED, are_solutions=are_solutions))
    assert report.own_checks == {"solutions": 108, "images": 916}
    assert (sum(rows for rows, _ in shapes), {columns for _, columns in shapes}) == (1024, {10})


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_check_for_arrays_that_is_wrong(backend: str) -> None:
    """About an image that is not the one that is shown, as the first column is 1 in all of those."""
    wrong = replace(two_of_three((swap,)), are_solutions=lambda rows: rows[:, 0] >= rows[:, 1])
    refused("violates is_solution", outcome, wrong, backend=backend, raises=CheckError)
    rowless = replace(two_of_three(), are_solutions=lambda rows: True)
    refused(r"are_solutions returned an array of shape \(\) for [0-9]+ sol", outcome, rowless, backend=backend)


def test_a_check_for_arrays_of_integers_by_their_labels() -> None:
    """The columns are those of the key's labels, also of a second label of a variable."""
    declared = puzzle({"x": (0, 3), "y": (-2, 1), "b": BOOLEAN}, lambda m, x, y, b: m.add(x + y == b))
    more = replace(declared, key={**declared.key, "again": declared.key["x"]})
    asked: list[list[int]] = []

    def are_solutions(rows: Any) -> Any:
        asked.extend(rows.tolist())
        return (rows[:, 0] + rows[:, 1] == rows[:, 2]) & (rows[:, 3] == rows[:, 0])

    _, found = outcome(replace(more, are_solutions=are_solutions))
    assert sorted(asked) == sorted([s["x"], s["y"], s.get("b", 0), s["again"]] for s in found)
    assert len(asked) == 7


@pytest.mark.parametrize("unbroken", [False, True])
def test_a_run_that_is_not_heard_counts_the_same(unbroken: bool) -> None:
    ended = []
    for is_heard in (True, False):
        run = Run("test", {}, lambda: queens(7), Options(backend="cover", unbroken=unbroken))
        run.is_heard = is_heard
        heard = [solution for solution in run if solution is not None]
        assert len(heard) == (run.report.solutions if is_heard else 0)
        report = run.report
        ended.append((report.solutions, report.total, report.checked, report.own_checks, run.in_order()))
    assert ended[0] == ended[1]


@pytest.mark.parametrize(("backend", "unit"), [("cp", "failures"), ("sat", "conflicts")])
def test_a_search_in_one_piece_reports_its_work_while_it_goes_on(backend: str, unit: str) -> None:
    """The count only grows, and is never said to be complete."""
    run, counts = Run("queens", {}, lambda: queens(13), Options(backend=backend, jobs=1)), [0]
    for _ in run:
        report = run.report
        counts.append(report.statistics.get(unit, 0))
        if not report.cubes and len({*counts}) > 3:
            assert not report.complete
            break
    run.stop(Ending.CLOSED)
    assert len({*counts}) > 3
    assert counts == sorted(counts)


@pytest.mark.thorough
def test_no_check_of_the_puzzle_is_begun_after_the_time_limit() -> None:
    """A check of more than the grace is waited for, and no second one is made."""
    calls = []

    def is_solution(_: object) -> bool:
        calls.append(time.perf_counter())
        time.sleep(TUNING.grace_seconds + 0.4)
        return True

    checked = puzzle({"x": (0, 4)}, is_solution=is_solution)
    result = solve(checked, time_limit=0.2, jobs=1)
    assert (result.complete, len(calls)) == (False, 1)
