"""One question about single solutions and facts, from what was chosen on a command line or in a call."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from models.puzzle import Literal, Puzzle
from solvers.deadline import Deadline
from solvers.files.given import hold
from solvers.invent.ask import Answer, Asked
from solvers.invent.candidates import candidates
from solvers.invent.hints import hints_of_drawn, minimal
from solvers.invent.repair import repair
from solvers.invent.rivals import settled
from solvers.invent.why import explain, grade, why
from solvers.options import QUESTIONS, Inventing, Options
from solvers.running.stated import modelled, stated
from solvers.show.plain import plain, plain_label
from solvers.show.report import versions


def asked(
    puzzle: Puzzle,
    given: Sequence[str | Literal],
    symmetry: str,
    time_limit: float | None,
    stop: threading.Event,
    note: Callable[[Answer], None] = lambda _: None,
) -> Asked:
    """Make a question ready; `InputError` for what cannot be done, `Stopped` where finding the best takes too long."""
    deadline = Deadline(stop)
    if time_limit is not None:
        deadline.begin(time_limit)
    model, key, group, literals = stated(puzzle, symmetry, given, stop)
    bare, _ = modelled(puzzle)
    rules = settled(bare, key, deadline, held=model)
    return Asked(puzzle, hold(rules, key, literals), rules, key, group, literals, deadline, note)


def answer(
    declare: Callable[..., Puzzle],
    inventing: Inventing,
    options: Options,
    stop: threading.Event,
    note: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """The answer to the question that was chosen.

    declare: what declares the puzzle; some of its parameters can be changed.

    Raises `InputError` for what cannot be done, `Stopped` once the event is set or the time limit is over.
    """
    symmetry = options.symmetry if inventing.repair is not None else "none"  # the others ask of all solutions
    question = asked(declare(), options.given, symmetry, options.time_limit, stop, note)
    if inventing.hints is not None:
        return hints_of_drawn(question, inventing.hints, inventing.hint_cells, inventing.hint_sets)
    if inventing.minimal is not None:
        return minimal(question, inventing.minimal, inventing.hint_cells, inventing.minimal_sets)
    if inventing.repair is not None:
        return repair(
            question,
            inventing.repair,
            inventing.hint_cells,
            declare,
            lambda changed: asked(changed, (), symmetry, None, question.stop),
        )
    if inventing.candidates:
        return candidates(question, inventing.hint_cells)
    if inventing.why is not None:
        return why(question, inventing.why)
    if inventing.explain:
        return explain(question)
    return grade(question, options.seed)


def told_as_json(
    puzzle: str,
    parameters: Mapping[str, Any],
    inventing: Inventing,
    options: Options,
    answered: Answer,
    is_complete: bool,
    began: float,
) -> str:
    """One line of JSON; the answer stands under the option's name."""
    question = next(name for name in QUESTIONS if getattr(inventing, name) not in (None, False))
    content = {
        "puzzle": puzzle,
        "parameters": {name: plain(value) for name, value in parameters.items()},
        "given": [one if isinstance(one, str) else "{}={}".format(*one) for one in options.given],
        question: answered.as_json(),
        "complete": is_complete,
        "seconds": time.perf_counter() - began,
        "versions": versions(),
    }
    return json.dumps(content, default=plain_label)
