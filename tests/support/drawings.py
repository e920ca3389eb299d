"""Drawings of the collection's puzzles."""

from functools import cache
from typing import Any

import pytest

from models.puzzle import Drawing, Puzzle
from solvers import solve
from solvers.files.catalogue import find
from tests.support.puzzles import drawn

DRAWINGS: list[Any] = [
    ("pentomino", {"board": "3x20"}, 1, 12),
    ("pentomino", {"board": "2x3x5", "subset": True}, 2, 7),
    pytest.param("pentomino", {"board": "3x30", "pieces": "one-sided"}, 1, 18, marks=pytest.mark.thorough),
    ("checker", {}, 1, 77),
    pytest.param("dissection", {}, 1, 2, marks=pytest.mark.thorough),
    pytest.param("matchsticks", {}, 1, 49, marks=pytest.mark.thorough),
    ("flip-it", {"board": "_bbbbb"}, 5, 55),
    ("magic", {}, 1, 9),
]
"""Puzzles with the frames of a picture of theirs, and the least number of shapes in these."""


def lying(puzzle: Puzzle, solution: Any) -> dict[tuple[int, ...], str]:
    """What lies on each cell."""
    fills: Any = puzzle.fills
    found: dict[tuple[int, ...], str] = {}
    for label, value in solution.items():
        if value or label not in puzzle.key:
            name, cells = fills(label, value)
            found |= dict.fromkeys(map(tuple, cells), name)
    return found


@cache
def first(name: str, **arguments: object) -> Drawing:
    puzzle = find(name).declare(**arguments)
    return drawn(puzzle, solve(puzzle, jobs=1, limit=1)[0])
