"""Predictions against what was counted, and the command."""

import threading

import pytest

from models.pentomino import pentomino
from solvers.backends.cover import asked_cover
from solvers.cover.estimate import estimate
from solvers.cover.search import Outcome, Tables, leaves
from solvers.symmetry.breaking import by_cases
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key
from tests.support import command


@pytest.mark.parametrize(
    "board", ["5x5", *(pytest.param(board, marks=pytest.mark.thorough) for board in ("3x20", "8x8-centre", "5x12"))]
)
def test_nodes(board: str) -> None:
    puzzle = pentomino(board, subset=board == "5x5")
    key = Key(puzzle.model, puzzle.key)
    broken = by_cases(puzzle.model, Group(key, puzzle.symmetries))
    cases = [literals for literals, _ in broken.cases]
    assert (len(cases) > 1) == (board == "5x5")
    tables = Tables(asked_cover(broken.model, key.variables, {}), 0)
    found = [leaf for case in cases for leaf in leaves(tables, threading.Event(), case)]
    nodes = sum(leaf.nodes for leaf in found)
    predicted = estimate(tables, 1, threading.Event(), cases)
    assert abs(predicted.nodes.mean - nodes) <= 5 * predicted.nodes.error + 1e-9
    solutions = sum(leaf.outcome is Outcome.SOLUTION for leaf in found)
    if board in ("3x20", "5x5"):  # where solutions are far apart, probes seldom meet one
        assert abs(predicted.solutions.mean - solutions) <= 5 * predicted.solutions.error + 1e-9


def test_the_command() -> None:
    done = command.run("solvers.run", "pentomino", "--board", "4x5", "--subset", "--estimate")
    assert done.returncode == 0
    assert "±" in done.stdout
    refused = command.run("solvers.run", "magic", "--estimate")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "no exact cover" in refused.stderr
