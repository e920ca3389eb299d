"""Drawings of the collection's puzzles."""

from functools import cache
from typing import Any

import pytest

from models.puzzle import Drawing, Solution
from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run

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


@cache
def first(name: str, **arguments: object) -> Drawing:
    run = Run(name, arguments, find(name).load(), Options(jobs=1, limit=1))
    found: list[Solution] = [solution for solution in run if solution]
    assert run.collector is not None
    puzzle = run.collector.question.puzzle
    assert puzzle.draw is not None
    return puzzle.draw(found[0])
