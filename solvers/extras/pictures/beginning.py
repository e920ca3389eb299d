"""The puzzle as it is before it is solved, and its solutions, as they are printed."""

import os
from collections.abc import Sequence
from pathlib import Path

from models.puzzle import Drawing, Given, Solution
from solvers.extras.pictures import solid
from solvers.running.question import Question
from solvers.show.plain import first_words

MAX_GIVENS = 6
"""The most givens that are written below the board."""


def without_path(words: str) -> str:
    """Return a name or the value of a parameter; of a file, only its name: where it lies is nobody's business."""
    return Path(words).name if os.path.isfile(words) else words


def printable_drawings(question: Question, solutions: Sequence[Solution]) -> list[Drawing]:
    """Return the drawings of the puzzle before it is solved, and of these solutions; nothing if it has no drawings.

    The first drawing is that of the beginning, with the givens that name one value. Drawings come from the puzzle's
    ``sheets`` or, without that, from its ``draw``. The layers of a solid are followed by the moves that take it apart.
    question: the question of the run. solutions: values by label.
    """
    puzzle = question.puzzle
    certain = [fact.literals[0] for fact in question.given if len(fact.literals) == 1]
    known = question.key.partial_solution(dict(question.key.label_and_value(literal) for literal in certain))
    if puzzle.sheets:
        # Givens that name the content of a cell, which several literals can be.
        contents = {fact.cell: fact.name for fact in question.given if len(fact.literals) > 1 and fact.cell}
        beginning, *others = puzzle.sheets(Given(known, contents), solutions)
        others = [
            [*drawing, *solid.step_frames(puzzle, solution, drawing)]
            for drawing, solution in zip(others, solutions, strict=True)
        ]
    elif puzzle.draw:
        beginning, *others = map(puzzle.draw, [known, *solutions])
    else:
        return []
    return [_with_givens(beginning, [fact.text for fact in question.given]), *others]


def _with_givens(beginning: Drawing, texts: Sequence[str]) -> Drawing:
    """Return the drawing of a beginning with the givens, as texts, in the caption of its first frame."""
    if not texts:
        return beginning
    first_frame, *later_frames = beginning
    words = f"given: {first_words(texts, MAX_GIVENS)}"
    return [
        first_frame._replace(caption=f"{first_frame.caption}; {words}" if first_frame.caption else words),
        *later_frames,
    ]
