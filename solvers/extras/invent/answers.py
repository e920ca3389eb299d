"""One question about single solutions and facts, from what was chosen on a command line or in a call."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast, overload

from models.puzzle import Literal, Puzzle
from solvers.deadline import Deadline
from solvers.endings import INCOMPLETE, Ending
from solvers.errors import InputError, Stopped
from solvers.extras.invent import candidates as of_candidates
from solvers.extras.invent import hints as of_hints
from solvers.extras.invent import repair as of_repair
from solvers.extras.invent.ask import Answer, Asked
from solvers.extras.invent.rivals import settled
from solvers.extras.reasons import conflict as of_conflict
from solvers.extras.reasons import grade as of_grade
from solvers.extras.reasons import steps as of_steps
from solvers.extras.reasons import why as of_why
from solvers.extras.recognise.from_drawing import with_fills
from solvers.extras.survey.variants import in_collection
from solvers.files.catalogue import Declaration, blamed_on
from solvers.files.given import Fact, hold
from solvers.options import WORDS, Inventing, Options
from solvers.outputs.output import FileOutput
from solvers.running.runner import Run
from solvers.running.stated import modelled, stated
from solvers.show.plain import plain, plain_label
from solvers.show.printable import paint
from solvers.show.versions import source_checksum, versions
from solvers.symmetry.key import checksum
from solvers.terminal.calls import Named, is_own, options_of, question, refuse_others
from solvers.terminal.command import EndedEarly, aside, complain
from solvers.terminal.progress import ProgressLine


def asked(
    puzzle: Puzzle,
    given: Sequence[str | Literal],
    symmetry: str,
    time_limit: float | None,
    stop: threading.Event,
    note: Callable[[Answer], None] = lambda _: None,
) -> Asked:
    """Prepare a puzzle for a question.

    Its literals are numbered; it is held to the givens and to the best value of its objective.

    given: facts as texts or literals. symmetry: as in `Options`. time_limit: in seconds, for the search for the best
    value and all later work. stop: ends the work when set. note: called with answers that are not finished. Raises
    `InputError` for givens or symmetries that are wrong, `Stopped` if the time is over.
    """
    deadline = Deadline(stop)
    if time_limit is not None:
        deadline.begin(time_limit)
    model, key, group, facts = stated(puzzle, symmetry, given, stop)
    bare, _ = modelled(puzzle)
    rules = settled(bare, key, deadline, held=model)
    held = rules.clone()
    hold(held, key, facts)
    of_model = checksum(model, key)

    def noted(known: Answer) -> None:
        known.checksum = of_model
        note(known)

    return Asked(with_fills(puzzle, key), held, rules, key, group, facts, deadline, noted)


def answer(
    declare: Callable[..., Puzzle],
    inventing: Inventing,
    options: Options,
    stop: threading.Event,
    note: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """Answer the question that was chosen.

    declare: declares the puzzle; called with changed parameters by some questions. inventing: the question. options:
    those of a run. stop: ends the search when set. note: called with answers that are not finished.

    Raises `InputError` for what cannot be done, `Stopped` once the event is set or the time limit is over.
    """
    symmetry = options.symmetry if inventing.repair is not None else "none"  # the others ask of all solutions
    posed = asked(declare(), options.given, symmetry, options.time_limit, stop, note)
    found = _found(posed, declare, inventing, options)
    posed.note(found)
    return found


def _found(posed: Asked, declare: Callable[..., Puzzle], inventing: Inventing, options: Options) -> Answer:
    """Call the function that answers the chosen question, and return its answer.

    posed: the prepared puzzle. declare: declares it with other parameters. inventing: the question. options: those of a
    run. Raises `InputError` for what cannot be done.
    """
    is_unique = partial(_is_unique, posed, options)
    if inventing.hints is not None:
        return of_hints.hints_of_drawn(posed, inventing.hints, inventing.hint_cells, inventing.hint_sets)
    if inventing.minimal is not None:
        return of_hints.minimal(posed, inventing.minimal, inventing.hint_cells, inventing.minimal_sets, is_unique)
    if inventing.repair is not None:
        return of_repair.repair(
            posed,
            inventing.repair,
            inventing.hint_cells,
            declare,
            lambda changed: asked(changed, (), options.symmetry, None, posed.stop),
            is_unique,
        )
    if inventing.candidates:
        return of_candidates.candidates(posed, inventing.hint_cells)
    if inventing.why is not None:
        return of_why.why(posed, inventing.why) if inventing.why else of_conflict.why_none(posed, inventing.why_sets)
    if inventing.explain:
        return of_steps.explain(posed, is_unique)
    return of_grade.grade(posed, of_steps.explain(posed, is_unique), options.seed)


def _is_unique(posed: Asked, options: Options, hints: Sequence[Fact] = ()) -> bool:
    """Tell whether `--unique` says yes: whether all solutions are images of one under the symmetries.

    posed: the prepared puzzle, with its givens. options: those of the question. hints: further givens. Raises `Stopped`
    if the question is ended before that is known.
    """
    given = [*options.given, *(hint.text for hint in hints)]
    asked = Options(unique=True, given=given, symmetry=options.symmetry, jobs=1)
    run = Run(posed.puzzle.name, posed.puzzle.parameters, lambda **_: posed.puzzle, asked)
    for _ in run:
        if posed.stop.is_set():
            run.stop(Ending.CLOSED)
    if run.report.unique is None:
        raise Stopped
    return run.report.unique


def told_as_json(
    puzzle: str,
    parameters: Mapping[str, Any],
    inventing: Inventing,
    options: Options,
    answered: Answer,
    is_complete: bool,
    began: float,
) -> str:
    """Return one line of JSON for an answer; the answer stands in it under the option's name.

    puzzle, parameters: the puzzle's name and its parameters. inventing: the question. options: those of the run.
    answered: the answer. is_complete: False if the search was ended early. began: the time at which it began, by
    ``time.perf_counter``.
    """
    question = inventing.asked[0]
    content = {
        "puzzle": puzzle,
        "parameters": {name: plain(value) for name, value in parameters.items()},
        "given": [one if isinstance(one, str) else "{}={}".format(*one) for one in options.given],
        question: answered.as_json(),
        "complete": is_complete,
        "seconds": time.perf_counter() - began,
        "versions": versions(),
        "checksums": {"model": answered.checksum, "kazoeru": source_checksum()},
    }
    return json.dumps(content, default=plain_label)


def answered(
    declaration: Declaration,
    arguments: Mapping[str, Any],
    inventing: Inventing,
    options: Options,
    chosen: argparse.Namespace,
) -> int:
    """Answer the question of a command line, print the answer and write the page if asked for.

    Returns the exit code. declaration, arguments: the puzzle and its parameters. inventing: the question. options:
    those of a run. chosen: the parsed options. Raises `InputError` for what cannot be done.
    """
    began = time.perf_counter()
    page = FileOutput(chosen.gallery, "--gallery") if chosen.gallery is not None else None
    known: list[Answer] = []
    ended: EndedEarly | None = None

    def work(stop: threading.Event) -> Answer:
        return answer(partial(declaration.declare, **arguments), inventing, options, stop, known.append)

    line = ProgressLine(chosen.quiet)
    try:
        known.append(
            aside(work, options.time_limit, lambda: line.show_answer(declaration.name, known[-1] if known else None))
        )
    except EndedEarly as early:
        ended = early
    except Stopped:  # by its own look at the time limit
        ended = EndedEarly(Ending.TIME_LIMIT)
    finally:
        line.clear()
    if known and chosen.json:
        print(told_as_json(declaration.name, arguments, inventing, options, known[-1], not ended, began))
    elif known:
        paint(sys.stdout, f"{known[-1]}\n")
    code = complain(f"{declaration.name}: ended by {ended}", ended.code) if ended else known[-1].code
    if page and known:
        try:
            with page.stream() as stream:
                stream.write(known[-1].page(chosen.title or declaration.name, chosen.author or ""))
        except OSError as error:
            return complain(f"{page.path} was not written: {error.strerror}", INCOMPLETE)
    return code


def hints_told(run: Run, inventing: Inventing) -> str:
    """Find the hints for listed solutions that the user asked for.

    run: the listing. inventing: says which solutions and which hints. Return the hints as text and store them in the
    run's report. The text is empty if the solutions were not all listed, or if the run was stopped.
    """
    question, found = run.question, list[of_hints.Hints]()
    if not run.report.complete or question is None:
        return ""

    def work(stop: threading.Event) -> None:
        cells, every, jobs = inventing.hint_cells, inventing.hint_sets, run.options.jobs
        which = str(inventing.hints)
        found.append(
            of_hints.hints_of_listed(question, run.in_order(), which, of_cells=cells, every=every, jobs=jobs, stop=stop)
        )

    try:
        run.work_on(work)
    except Stopped:
        return ""
    run.report.hints = found[0].as_json()
    return str(found[0])


OF_QUESTIONS = {"given", "symmetry", "time_limit", "seed"}
"""The options of a run that matter to the questions here."""


def _answered(puzzle: Named, arguments: dict[str, Any], **asked: Any) -> Answer:
    """Answer a question of the library.

    If the time limit comes before the end, return what is known by then. puzzle: as for `solve`. arguments: keyword
    arguments of the call. asked: the fields of `Inventing` that state the question. Raises `InputError` for other
    options, TimeoutError if nothing is known in time.
    """
    refuse_others(arguments)
    if unknown := arguments.keys() - OF_QUESTIONS:
        raise InputError(f"these questions have no option {min(unknown)}; they have {', '.join(sorted(OF_QUESTIONS))}")
    options = options_of(arguments)
    parameters: dict[str, Any] = {}
    if isinstance(puzzle, Puzzle) and asked.get("repair") and (source := in_collection(puzzle)):
        parameters, puzzle = dict(puzzle.parameters), source  # so that it can be declared with others
    name, values, declare = question(puzzle, parameters)
    known: list[Answer] = []
    with blamed_on(name, is_own(puzzle)):
        try:
            return answer(partial(declare, **values), Inventing(**asked), options, threading.Event(), known.append)
        except Stopped:
            if known:
                return known[-1]
            raise TimeoutError(f"{name}: ended by the time limit") from None


@overload
def why(puzzle: Named, fact: str, /, **arguments: Any) -> of_why.Why: ...


@overload
def why(puzzle: Named, /, *, every: bool = False, **arguments: Any) -> of_conflict.WhyNone: ...


def why(puzzle: Named, fact: str = "", /, *, every: bool = False, **arguments: Any) -> of_why.Why | of_conflict.WhyNone:
    """Explain why every solution has a fact, or show a solution without it.

    The explanation is a smallest set of rules and givens. If no fact is given, explain why there is no solution, by a
    smallest set of rules and givens that cannot hold together.

    Parameters
    ----------
    puzzle
        As for `solve`.
    fact
        LABEL=VALUE, or the content of a cell, such as "row 3 column 4 = F".
    every
        Whether to show all smallest sets that cannot hold together.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Why or WhyNone
        The explanation, or the solution; it shows itself as text and in Jupyter.

    Raises
    ------
    InputError
        If an argument is wrong, or there is no solution where one is needed.
    TimeoutError
        If the time limit ended the search without an answer.

    Examples
    --------
    >>> from solvers.extras.invent.answers import why
    >>> print(why("magic", "row 1 column 2 != 1", given=["0 0=1"]))
    Every solution has row 1 column 2 != 1. The smallest reason:
      all different: rows 1-3 columns 1-3
      given or found: row 1 column 1 = 1
    >>> print(why("magic", given=["0 0=1", "0 1=1"]))
    The smallest contradiction, of 1 rule and 2 givens:
      all different: rows 1-3 columns 1-3
      given: row 1 column 1 = 1; row 1 column 2 = 1
    """
    return cast(of_why.Why | of_conflict.WhyNone, _answered(puzzle, arguments, why=fact, why_sets=every))


def explain(puzzle: Named, /, **arguments: Any) -> of_steps.Steps:
    """Lead from the givens to the solution, step by step, each step with a smallest reason.

    Parameters and errors are those of `why`. Jupyter draws each step.

    Examples
    --------
    >>> from solvers.extras.invent.answers import explain
    >>> steps = explain("magic", given=["0 0=1", "0 1=6"])
    >>> [len(step.rules) for step in steps]
    [5, 4, 3, 2, 3, 2, 1]
    """
    return cast(of_steps.Steps, _answered(puzzle, arguments, explain=True))


def grade(puzzle: Named, /, **arguments: Any) -> of_grade.Grade:
    """Grade how hard it is to find the solution. Parameters and errors are those of `why`.

    Examples
    --------
    >>> from solvers.extras.invent.answers import grade
    >>> of_two = grade("magic", given=["0 0=1", "0 1=6"])
    >>> len(of_two.steps), len(of_two.nodes)
    (7, 10)
    """
    return cast(of_grade.Grade, _answered(puzzle, arguments, grade=True))


def candidates(puzzle: Named, /, *, cells: bool = False, **arguments: Any) -> of_candidates.Candidates:
    """Count the solutions in which each literal is true.

    Parameters
    ----------
    puzzle
        As for `solve`.
    cells
        Whether to count for the contents of cells rather than for literals.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Candidates
        A mapping from each fact, as text, to its number of solutions.

    Raises
    ------
    InputError
        If there is no solution, or an argument is wrong.
    TimeoutError
        If the time limit ended the search without an answer.

    Examples
    --------
    >>> from solvers.extras.invent.answers import candidates
    >>> left = candidates("magic", given=["0 0=1"])
    >>> left["(0, 1)=6"], left["(1, 1)=5"]
    (1, 2)
    """
    return cast(of_candidates.Candidates, _answered(puzzle, arguments, candidates=True, hint_cells=cells))


def hints(
    puzzle: Named, path: str | os.PathLike[str], /, *, cells: bool = False, every: bool = False, **arguments: Any
) -> of_hints.Hints:
    """Find the fewest hints that determine the solution drawn in a file.

    There may be too many other solutions to list, because they are searched for one by one. `Result.hints` finds
    the hints for solutions that are listed.

    Parameters
    ----------
    puzzle
        As for `solve`.
    path
        A file with a drawing of the solution.
    cells
        Whether hints are contents of cells rather than literals.
    every
        Whether to find all smallest sets.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Hints
        The smallest sets of hints for the one solution, at index 0.

    Raises
    ------
    InputError
        If there is no solution, or an argument is wrong.
    TimeoutError
        If the time limit ended the search without an answer.
    """
    return cast(of_hints.Hints, _answered(puzzle, arguments, hints=os.fspath(path), hint_cells=cells, hint_sets=every))


def minimal(
    puzzle: Named, path: str | os.PathLike[str], /, *, cells: bool = False, every: bool = False, **arguments: Any
) -> of_hints.Minimal:
    """Find the hints in a file that can be left out, and a smallest set that suffices.

    Parameters
    ----------
    puzzle
        As for `solve`.
    path
        A file with hints.
    cells
        Whether hints are contents of cells rather than literals.
    every
        Whether to find all minimal sets of the hints.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Minimal
        The hints that are needed, those that can be left out, and the sets that suffice.

    Raises
    ------
    InputError
        If there is no solution, or an argument is wrong.
    TimeoutError
        If the time limit ended the search without an answer.
    """
    return cast(
        of_hints.Minimal, _answered(puzzle, arguments, minimal=os.fspath(path), hint_cells=cells, minimal_sets=every)
    )


def repair(puzzle: Named, kind: str, /, *, cells: bool = False, **arguments: Any) -> of_repair.Repair:
    """Find the fewest changes that leave exactly one solution.

    Parameters
    ----------
    puzzle
        As for `solve`.
    kind
        The kind of change: "givens", "forbidden" or "holes".
    cells
        Whether changes are contents of cells rather than literals.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Repair
        The number of changes, and examples of them.

    Raises
    ------
    InputError
        If there is no solution, or an argument is wrong.
    TimeoutError
        If the time limit ended the search without an answer.

    Examples
    --------
    >>> from models.magic import magic
    >>> from solvers.extras.invent.answers import repair
    >>> repair(magic(kind="ring"), "givens").size
    2
    """
    if kind not in (kinds := WORDS["repair"].choices):
        raise InputError(f"repair takes {', '.join(kinds)}, not {kind!r}")
    return cast(of_repair.Repair, _answered(puzzle, arguments, repair=kind, hint_cells=cells))
