"""One question about single solutions and facts, from what was chosen on a command line or in a call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from models.puzzle import FileReading, Puzzle
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, Stopped
from solvers.base.options import Options
from solvers.extras.questions.invent import candidates as of_candidates
from solvers.extras.questions.invent import hints as of_hints
from solvers.extras.questions.invent import possible as of_possible
from solvers.extras.questions.invent import repair as of_repair
from solvers.extras.questions.invent.ask import Answer, Asked
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.reasons import conflict as of_conflict
from solvers.extras.questions.reasons import grade as of_grade
from solvers.extras.questions.reasons import steps as of_steps
from solvers.extras.questions.reasons import why as of_why
from solvers.extras.questions.reasons.reason import Wanted
from solvers.files.given import Fact
from solvers.files.lines import note_lines
from solvers.running.runner import Run


@dataclass(frozen=True)
class Inquiry:
    """A question about single solutions and facts."""

    name: str
    """The command that asks it."""
    subject: str = ""
    """What it is about, such as a fact, a file or a kind of change; "" for nothing."""
    cells: bool = False
    """Whether the answer is about the contents of cells rather than about literals."""
    every: bool = False
    """Whether all smallest sets are asked for, and not only one; of a grade, whether its steps are."""
    wanted: Wanted = Wanted.ANY
    """Which contradictions, or which reason, `why` is asked for."""
    path: str = ""
    """The Python file that declares the puzzle, whose lines `why` names; "" if there is none."""
    possible: bool = False
    """Whether candidates are only told apart, not counted."""


def answer(
    declare: Callable[..., Puzzle],
    question: Inquiry,
    options: Options,
    stop: threading.Event,
    note: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """Declare a puzzle, prepare it for a question, and answer the question.

    declare: declares the puzzle; called with changed parameters by some questions. options: those of a run. stop: ends
    the search when set. note: called with answers that are not finished, and at the end with the answer.

    Raises `InputError` for what cannot be done, `Stopped` once the event is set or the time limit is over.
    """
    symmetry = options.symmetry if question.name == "repair" else "none"  # the others ask of all solutions
    asked = pose(_declare(declare, question.path), options.given, symmetry, options.time_limit, stop, note)
    result = _find_answer(asked, declare, question, options)
    asked.note(result)
    return result


def _declare(declare: Callable[..., Puzzle], path: str) -> Puzzle:
    """Declare a puzzle; one of a Python file gets `FileReading.lines`: which line of the file adds each constraint.

    path: the Python file that declares the puzzle; "" if there is none.
    """
    if not path.endswith(".py"):
        return declare()
    with note_lines(path) as lines:  # `lines(model)` maps the place of a constraint to (line, its text)
        puzzle = declare()
    line_of_constraint = {place: (line, "") for place, (line, _) in lines(puzzle.model).items()}
    return puzzle if puzzle.file else replace(puzzle, file=FileReading([], lines=lambda: line_of_constraint))


def _find_answer(asked: Asked, declare: Callable[..., Puzzle], question: Inquiry, options: Options) -> Answer:
    """Call the function that answers the question, and return its answer.

    asked: the prepared puzzle. declare: declares it with other parameters. options: those of a run. Raises `InputError`
    for what cannot be done.
    """
    # A function that some questions call: whether there is one solution up to symmetry.
    is_unique = partial(_is_unique, asked, options)
    subject = question.subject
    cells = question.cells
    finds_all = question.every

    def ask_again(changed: Puzzle) -> Asked:
        """Return a changed puzzle, prepared without givens."""
        return pose(changed, (), options.symmetry, time_limit=None, stop=asked.stop)

    match question.name:
        case "hints":
            return of_hints.hints_of_solution(asked, of_hints.solution_in(asked, subject), cells, finds_all)
        case "minimal":
            return of_hints.minimal(asked, of_hints.facts_in(asked, subject, cells), finds_all, is_unique)
        case "repair":
            return of_repair.repair(asked, subject, cells, declare, ask_again, is_unique)
        case "candidates":
            if question.possible:
                return of_possible.possible(asked, cells)
            return of_candidates.candidates(asked, cells)
        case "why":
            wanted = question.wanted
            return of_why.why(asked, subject, wanted) if subject else of_conflict.why_none(asked, wanted)
        case "explain":
            return of_steps.explain(asked, is_unique)
        case "grade":
            return of_grade.grade(
                asked, is_unique, partial(of_steps.explain, is_unique=is_unique) if finds_all else None
            )
    raise CheckError(f"there is no question {question.name!r}")


def _is_unique(asked: Asked, options: Options, hints: Sequence[Fact] = ()) -> bool:
    """Tell whether all solutions are images of one under the symmetries, by a run with the option `--unique`.

    asked: the prepared puzzle, with its givens. options: those of the question, of which the givens and the symmetries
    count. hints: further givens. Raises `Stopped` if the question is ended before that is known.
    """
    given = [*options.given, *(hint.text for hint in hints)]
    options_of_run = Options(unique=True, given=given, symmetry=options.symmetry, jobs=1)
    run = Run(asked.puzzle.name, asked.puzzle.parameters, lambda **_: asked.puzzle, options_of_run)
    for _ in run:  # it yields each solution and, a few times a second, None
        if asked.stop.is_set():
            run.stop(Ending.CLOSED)
    if run.report.unique is None:
        raise Stopped
    return run.report.unique


REPAIRS = ("givens", "forbidden", "holes")
"""The kinds of changes by which a puzzle is repaired."""
