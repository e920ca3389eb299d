"""Whether there is exactly one solution: yes, no, none, and not known."""

from functools import partial
from typing import Any

import pytest

from solvers import solve
from solvers.base.endings import Ending
from solvers.base.options import Options
from solvers.files.catalogue import find
from solvers.running.end_request import EndRequest
from solvers.running.facts import RunFacts
from solvers.running.runner import Run
from solvers.show.report import Report
from tests.support.backends import EVERY, GENERAL
from tests.support.command import complaint, printed, refusal, report_of
from tests.support.refusals import refused

SINGLE, SEVERAL = [*EVERY, "sat:minicard"], [*GENERAL, "sat:minicard"]


@pytest.mark.parametrize(
    ("name", "parameters", "backends", "solutions"),
    [
        ("pentomino", {"board": "1x5", "subset": True}, SINGLE, 1),
        pytest.param("pentomino", {"board": "5x3", "subset": True}, SINGLE, 2, marks=pytest.mark.thorough),
        pytest.param("pentomino", {"board": "5x5", "subset": True}, SINGLE, 2, marks=pytest.mark.thorough),
        ("pentomino", {"board": "2x2", "subset": True}, SINGLE, 0),
        ("magic", {"kind": "square"}, SEVERAL, 1),
        pytest.param("magic", {"kind": "ring", "sum": 13}, SEVERAL, 2, marks=pytest.mark.thorough),
        pytest.param("dissection", {"region": "square-3"}, SEVERAL, 1, marks=pytest.mark.thorough),
        ("flip-it", {"horizon": 3}, SEVERAL, 0),
        pytest.param("matchsticks", {}, ("cp-sat", "cp"), 1, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_answers(name: str, parameters: dict[str, Any], backends: tuple[str, ...], solutions: int, jobs: int) -> None:
    for backend in backends if jobs == 1 else backends[-1:]:
        asked = Run(name, {}, partial(find(name).load(), **parameters), Options(backend, unique=True, jobs=jobs))
        assert len(list(filter(None, asked))) == solutions
        assert asked.report.unique == (solutions == 1)
        assert asked.report.complete == (solutions < 2)


@pytest.mark.parametrize(
    ("facts", "ending"),
    [
        ({"is_over": False}, None),
        ({"is_complete": True}, None),
        ({"is_answered": True}, None),
        ({}, Ending.SEARCH),
        ({"options": Options(time_limit=1)}, Ending.TIME_LIMIT),
        ({"cause": Ending.CTRL_C}, Ending.CTRL_C),
        ({"cause": Ending.TIME_LIMIT, "full": Ending.SECOND_SOLUTION}, Ending.SECOND_SOLUTION),
        ({"cause": Ending.CTRL_C, "full": Ending.SECOND_SOLUTION}, Ending.CTRL_C),
        ({"cause": Ending.LIMIT, "full": Ending.LIMIT, "is_output_late": True}, Ending.TIME_LIMIT),
    ],
)
def test_a_search_that_is_over_and_not_complete_has_an_ending(facts: dict[str, Any], ending: Ending | None) -> None:
    request = EndRequest()
    if cause := facts.pop("cause", None):
        request.set_reason(cause)
    asked = RunFacts(Report("p", {}), request=request, **{"options": Options(), "is_over": True, **facts})
    assert asked.ending is ending
    assert asked.stopped_by == (ending.words if ending else "")


@pytest.mark.parametrize("limit", ["0.001", "0.02", "0.05", pytest.param("0.1", marks=pytest.mark.thorough)])
def test_a_time_limit_that_the_searching_thread_sees_first(limit: str) -> None:
    said = complaint("dissection", "--unique", "--time-limit", limit, code=3)
    assert "ended by the time limit" in said


def test_up_to_which_symmetry() -> None:
    assert solve("magic", unique=True).report.unique is True
    assert solve("magic", unique=True, symmetry="none").report.unique is False
    assert solve("magic").report.unique is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "code", "answer", "drawn"),
    [
        (["dissection"], 0, "\nYes, there is exactly one solution up to symmetry.\n", 0),
        (["pentomino", "--board", "3x20"], 4, "\nNo, there is more than one solution up to symmetry.\n", 2),
        (["flip-it", "--horizon", "3"], 4, "\nNo, there is no solution.\n", 0),
    ],
)
def test_the_command(words: list[str], code: int, answer: str, drawn: int) -> None:
    shown = printed(*words, "--unique", code=code)
    assert answer in shown
    assert shown.count("│ V") == drawn


@pytest.mark.thorough
def test_the_report_of_a_command() -> None:
    assert report_of("matchsticks", "--unique")["unique"] is True
    said = complaint("dissection", "--require", "connected", "--unique", "--time-limit", "0.05")
    assert "whether there is just one is not known" in said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--limit", "3"], "leave out --limit"),
        (["--count-only"], "leave out --count-only"),
    ],
)
def test_what_does_not_go_together(words: list[str], complaint: str) -> None:
    assert complaint in refusal("magic", "--unique", *words)


def test_a_program_hears_of_it_too() -> None:
    refused("leave out limit=...", solve, "magic", unique=True, limit=1)
