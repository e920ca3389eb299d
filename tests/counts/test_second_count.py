"""Counts that are confirmed by another way, and the evidence that a report gives."""

import re
import threading
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from models.magic import magic
from models.packing import packing
from models.puzzle import Puzzle
from solvers import CheckError, InputError, Result, solve
from solvers.backends.cp import Cp
from solvers.base.backend_rows import BACKENDS
from solvers.base.endings import INCOMPLETE, SHOULD_NEVER_HAPPEN
from solvers.extras.counts.second_count import SecondWay, second_ways
from solvers.running.runner import Run
from solvers.show.evidence import SecondCount
from tests.support.command import run, told
from tests.support.covers import free
from tests.support.without import without_counters


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend `cp` loses one solution."""
    whole = Cp.solutions

    def lossy(self: Cp, cube: Any = ()) -> Any:
        solutions = whole(self, cube)
        next(solutions, None)
        yield from solutions

    monkeypatch.setattr(Cp, "solutions", lossy)


RING, FPU = magic(kind="ring"), packing(board="3x5", pieces="FPU")
CP = "OR-Tools' original constraint solver, without breaking symmetry"
LAYERS = "our own count by layers"
MODEL, SYMMETRIES = "the declared model", "its symmetries"


def again_of(result: Result) -> SecondCount:
    again = result.report.evidence.counted_again
    assert again
    return again


@pytest.mark.parametrize(
    ("puzzle", "options", "searched", "checked", "again", "shared"),
    [
        (RING, {"backend": "cp-sat"}, "OR-Tools' CP-SAT", "48 of 48 solutions", CP, [MODEL, SYMMETRIES]),
        (FPU, {}, "our own search of exact covers", "4 of 4 solutions", LAYERS, [MODEL, SYMMETRIES]),
        (FPU, {"count_only": True}, LAYERS, "0 of 4 solutions", CP, [MODEL, SYMMETRIES]),
    ],
)
def test_another_way_confirms(
    puzzle: Puzzle, options: dict[str, Any], searched: str, checked: str, again: str, shared: list[str]
) -> None:
    result = solve(puzzle, **{"backend": "cover", "verify": True, "jobs": 1, **options})
    evidence, second = result.report.evidence, again_of(result)
    assert (evidence.searched_by, evidence.checked, second.by) == (searched, checked, again)
    assert second.shared == shared
    assert (evidence.taken_on_trust, evidence.certified) == ([], False)
    assert (result.report.seconds["verify"] or 0) > 0


def test_a_new_backend_is_tried_in_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "twin", replace(BACKENDS["cp"], turn=0.1))
    assert second_ways().index("twin") < second_ways().index("cp-sat")


@pytest.mark.thorough
@pytest.mark.skipif(not (find_spec("py_d4") and find_spec("pyganak")), reason="needs d4Solver and pyganak")
def test_ganak_confirms_what_nobody_lists() -> None:
    again = again_of(solve(free(60), count_only=True, verify=True))
    assert (again.by, again.probable) == ("Ganak", True)
    assert "the translation to clauses" in again.shared


def test_a_count_that_is_contradicted_fails_the_run(two: str, forgetful: None) -> None:
    done = run("solvers.run", two, "--backend", "cp-sat", "--verify", "--jobs", "1")
    assert done.returncode == SHOULD_NEVER_HAPPEN
    assert re.search("two counts differ: OR-Tools' CP-SAT says 2 solutions.* 1 solution", done.stderr)
    with pytest.raises(CheckError, match="two counts differ"):
        solve(two, backend="cp", verify=True, jobs=1)


def test_other_solutions_of_the_same_number_are_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "in_order", lambda run: [run.report.backend])
    with pytest.raises(CheckError, match="CP-SAT and OR-Tools' original constraint solver list different solutions"):
        solve(free(3), backend="cp-sat", verify=True, jobs=1)


@pytest.mark.thorough
def test_the_evidence_is_in_the_report_and_its_json() -> None:
    report = solve("magic", backend="cp", jobs=1).report
    assert report["evidence"] == {
        "searched_by": "OR-Tools' original constraint solver",
        "checked": "8 of 8 solutions",
        "counted_again": None,
        "certified": False,
        "certificate": "",
        "rests_on": [MODEL, SYMMETRIES, "symmetry breaking", "the reading of constraints"],
        "taken_on_trust": ["that no solution was left out"],
        "grade": "listed and checked",
    }
    rows = dict(report.rows())
    assert rows["searched by"] == "OR-Tools' original constraint solver"
    assert rows["  taken on trust"] == "that no solution was left out"


def test_a_count_that_no_other_way_takes_stays_unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondWay, "_by_run", Mock(side_effect=InputError("it takes other models")))
    result = solve("magic", backend="cp", verify=True, jobs=1)
    assert isinstance(result._run, Run)
    report, ending = result.report, result._run.ending
    assert (report.complete, report.solutions, report.evidence.counted_again) == (True, 1, None)
    assert report.stopped_by == "the lack of another way to count it"
    assert ending
    assert ending.code == INCOMPLETE


def test_a_limit_leaves_nothing_to_confirm() -> None:
    with pytest.raises(InputError, match="leave one of them out"):
        solve("magic", verify=True, limit=1)


@pytest.mark.thorough
def test_a_second_count_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(self: SecondWay, stop: threading.Event) -> None:
        stop.wait()

    monkeypatch.setattr(SecondWay, "confirm", endless)
    done = run("solvers.run", "magic", "--verify", "--time-limit", "3")
    assert done.returncode == INCOMPLETE
    assert "the count was not confirmed" in done.stderr
    assert "yes, the whole space was searched" in done.stdout


def test_a_certificate_is_evidence(tmp_path: Path) -> None:
    evidence = told("magic", "--kind", "ring", "--certify", str(tmp_path / "magic"))["evidence"]
    assert (evidence["certified"], evidence["certificate"]) == (True, "written and checked")
    assert evidence["grade"] == "refutation of all others"
    assert evidence["taken_on_trust"] == ["what solvers/TRUST.md lists for a certificate"]


@pytest.mark.thorough
def test_a_listing_that_cannot_end_in_time_is_not_begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """How long it takes at least is known by the first count."""
    without_counters(monkeypatch, tmp_path)
    many = packing(board="8x8", pieces="dominoes x*")
    result = solve(many, backend="cover", count_only=True, verify=True)
    assert result.report.complete
    told = "the lack of another way to count it in time (to list 1629189 solutions again takes more than "
    assert result.report.stopped_by.startswith(told)
    assert result.report.stopped_by.endswith(" s; a longer --time-limit allows it)")
