"""What a puzzle's declaration says: its model, and of solutions whether they are right, and how they look."""

from collections.abc import Iterable

from ortools.sat.python.cp_model import CpModel

from models.puzzle import Drawing, Puzzle, Solution


def model_of(puzzle: Puzzle) -> CpModel:
    """The model, which is no formula."""
    assert isinstance(puzzle.model, CpModel)
    return puzzle.model


def valued(puzzle: Puzzle, values: Iterable[int]) -> Solution:
    """The labels of the key with these values, in their order."""
    return dict(zip(puzzle.key, values, strict=True))


def is_right(puzzle: Puzzle, solution: Solution) -> bool:
    """What the puzzle's own check says."""
    assert puzzle.is_solution is not None
    return puzzle.is_solution(solution)


def drawn(puzzle: Puzzle, solution: Solution) -> Drawing:
    """The picture of a solution."""
    assert puzzle.draw is not None
    return puzzle.draw(solution)
