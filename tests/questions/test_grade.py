"""Walks of a person: those of known puzzles, and small ones by hand."""

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.digits.dominosa import dominosa
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import solve
from solvers.base.errors import Stopped
from solvers.extras.questions.functions import grade
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.make.formula import ClueFormula
from solvers.extras.questions.make.reasoning import Reasoning, reasoning
from solvers.extras.questions.reasons.walk import Walk, walk_like_a_person
from solvers.running.stated import problem_statement
from tests.support.sudoku import sudoku


def walk(puzzle: Puzzle, given: Sequence[Any] = ()) -> Walk:
    return walk_like_a_person(pose(puzzle, given, "none", None, threading.Event()))


def test_a_given_that_is_the_only_value() -> None:
    model = CpModel()
    key = {"x": model.new_int_var(0, 0, "x"), "y": model.new_int_var(1, 2, "y")}
    assert walk(Puzzle("small", {}, model, key), [("x", 0), ("y", 1)]) == walk(
        Puzzle("small", {}, model, key), [("y", 1)]
    )


def test_false_starts_by_hand() -> None:
    """Of the three options for x, 1 fails at once: then y is 2, which leaves z 0 or 1, and 1 goes with z = 2 only."""
    model = CpModel()
    x, y, z = (model.new_int_var(0, 2, name) for name in "xyz")
    model.add_allowed_assignments([x, y], [(0, 0), (0, 1), (1, 2), (2, 2), (2, 1)])
    model.add_allowed_assignments([y, z], [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 1)])
    model.add_allowed_assignments([x, z], [(0, 2), (1, 2), (2, 0), (2, 1)])
    found = walk(Puzzle("by hand", {}, model, {"x": x, "y": y, "z": z}))
    solutions = {tuple(one[n] for n in "xyz") for one in solve(Puzzle("", {}, model, {"x": x, "y": y, "z": z}), jobs=1)}
    assert solutions == {(0, 1, 2), (2, 2, 0), (2, 2, 1), (2, 1, 1)}
    assert (found.unit, found.things, found.forced) == ("variables", 3, 0)
    assert (found.hardest, found.false_starts, found.longest) == (3, 0, 0)


def test_forced_and_given() -> None:
    found = walk(sudoku(2, 2), [((0, 0), 1), ((0, 1), 2), ((1, 0), 3), ((2, 0), 2), ((2, 2), 1), ((3, 1), 1)])
    assert found.things == 10
    assert found.forced <= 10
    assert walk(pentomino("3x5", subset=True), ["row 1 column 2 = F"]).unit == "pieces"


def test_levels_by_hand() -> None:
    """No clause has one literal; that x is false leads to y and to its contrary. From x, all follows."""
    model = CpModel()
    x, y, z = (model.new_bool_var(name) for name in "xyz")
    for signs in ((x, y), (x, ~y), (~x, z)):
        model.add_bool_or(signs)
    model.add_bool_or(~z, y)
    found = grade(Puzzle("by hand", {}, model, {"x": x, "y": y, "z": z}))
    assert found.reasoning is not None
    assert (found.reasoning.level, found.reasoning.looks, found.reasoning.left) == (2, 1, 0)
    assert "1 value" in str(found)
    forced = grade(Puzzle("by hand", {}, model, {"x": x, "y": y, "z": z}), given=[("x", 1)]).reasoning
    assert forced is not None
    assert forced.level == 1


def test_grade_of_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    from solvers.extras.questions.commands import grade as command

    assert command(["sudoku", "1...|..2.|.3..|...4", "--json", "--quiet"]) == 0
    of_line = json.loads(capsys.readouterr().out)["grade"]
    assert (of_line["level"], of_line["name"], of_line["left_to_search"]) == (1, "easy", 0)
    assert of_line["ruled_out_by_single_rules"] == 64


def test_what_is_known_when_the_time_ends() -> None:
    """The event is set after the first look; the figures until then are noted."""
    stop, noted = threading.Event(), list[Reasoning]()
    model, key, _, _ = problem_statement(dominosa("2201/0121/0120"), "none", (), stop)
    formula = ClueFormula(model, key, stop)
    solution = formula.solution([])
    assert solution is not None

    def note(so_far: Reasoning) -> None:
        noted.append(so_far)
        stop.set()

    with pytest.raises(Stopped):
        reasoning(formula, [], solution, note)
    assert [so_far.level for so_far in noted] == [1]
    assert noted[0].left > 0
