"""The puzzle as it stands before it is solved, and its solutions, as they are printed."""

import os
from collections.abc import Sequence
from pathlib import Path

from models.puzzle import Drawing, Solution
from solvers.running.question import Question


def without_path(words: str) -> str:
    """Return a name or the value of a parameter; of a file, only its name: where it lies is nobody's business."""
    return Path(words).name if os.path.isfile(words) else words


def printed(question: Question, solutions: Sequence[Solution]) -> list[Drawing]:
    """Return the drawings of the puzzle before it is solved, and of these solutions; nothing if it has no drawings.

    The givens stand in the first drawing, those of them that name one value.
    """
    puzzle = question.puzzle
    if puzzle.sheets:
        return [*puzzle.sheets(solutions)]
    if puzzle.draw is None:
        return []
    certain = [fact.literals[0] for fact in question.given if len(fact.literals) == 1]
    known = dict(question.key.label_and_value(literal) for literal in certain)
    return [puzzle.draw(question.key.part(known)), *map(puzzle.draw, solutions)]
