"""A puzzle made ready for a question about single solutions and facts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from models.puzzle import Literal, Puzzle
from solvers.base.deadline import Deadline
from solvers.extras.questions.invent.ask import Answer, Asked
from solvers.extras.questions.invent.rivals import with_best_value
from solvers.extras.questions.recognise.from_drawing import with_fills
from solvers.files.given import require_facts
from solvers.running.stated import model_and_variables, problem_statement
from solvers.symmetry.key import checksum


def pose(
    puzzle: Puzzle,
    given: Sequence[str | Literal],
    symmetry: str,
    time_limit: float | None,
    stop: threading.Event,
    note: Callable[[Answer], None] = lambda _: None,
) -> Asked:
    """Prepare a puzzle for a question: its key, and its model with the givens and the best value as constraints.

    given: facts as texts or literals. symmetry: as in `Options`. time_limit: in seconds, for the search for the best
    value and all later work. stop: ends the work when set. note: called with answers that are not finished. Raises
    `InputError` for givens or symmetries that are wrong, `Stopped` if the time is over.
    """
    deadline = Deadline(stop)
    if time_limit is not None:
        deadline.begin(time_limit)
    model, key, group, facts = problem_statement(puzzle, symmetry, given, stop)
    bare, _ = model_and_variables(puzzle)
    rules = with_best_value(bare, key, deadline, held=model)
    model_with_givens = rules.clone()
    require_facts(model_with_givens, key, facts)
    model_checksum = checksum(model, key)

    def note_with_checksum(answer: Answer) -> None:
        """Note an answer after its checksum is set."""
        answer.checksum = model_checksum
        note(answer)

    return Asked(with_fills(puzzle, key), model_with_givens, rules, key, group, facts, deadline, note_with_checksum)
