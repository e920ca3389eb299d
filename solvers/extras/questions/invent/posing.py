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

    given: facts as texts or literals. symmetry: the symmetries that count, "declared", "found" or "none". time_limit:
    in seconds, for the search for the best value and all later work; None for no limit. stop: ends the work when set.
    note: called with answers that are not finished. Raises `InputError` for givens or symmetries that are wrong,
    `Stopped` if the time is over.
    """
    deadline = Deadline(stop, seconds=time_limit)
    # `problem_statement` returns the model with the givens, the key, the symmetry group and the givens as facts.
    model_with_objective, key, group, facts = problem_statement(puzzle, symmetry, given, stop)
    model_without_givens, _ = model_and_variables(puzzle)
    # The best value is that of the solutions with the givens; the rules keep it, without the givens.
    rules = with_best_value(model_without_givens, key, deadline, with_givens=model_with_objective)
    model = rules.clone()
    require_facts(model, key, facts)
    model_checksum = checksum(model_with_objective, key)

    def note_with_checksum(answer: Answer) -> None:
        """Note an answer after its checksum is set."""
        answer.checksum = model_checksum
        note(answer)

    return Asked(
        puzzle=with_fills(puzzle, key),
        model=model,
        rules=rules,
        key=key,
        group=group,
        given=facts,
        stop=deadline,
        note=note_with_checksum,
    )
