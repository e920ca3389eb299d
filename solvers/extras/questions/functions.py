"""The questions about single solutions and facts, as functions of the library."""

from __future__ import annotations

import os
import threading
from functools import partial
from typing import Any, cast, overload

from models.puzzle import Puzzle
from solvers.base.errors import InputError, Stopped
from solvers.extras.questions.answers import REPAIRS, Inquiry, answer
from solvers.extras.questions.invent import candidates as of_candidates
from solvers.extras.questions.invent import hints as of_hints
from solvers.extras.questions.invent import possible as of_possible
from solvers.extras.questions.invent import repair as of_repair
from solvers.extras.questions.invent.ask import Answer
from solvers.extras.questions.reasons import conflict as of_conflict
from solvers.extras.questions.reasons import grade as of_grade
from solvers.extras.questions.reasons import steps as of_steps
from solvers.extras.questions.reasons import why as of_why
from solvers.extras.questions.reasons.reason import Wanted
from solvers.files.catalogue import blame_declaration, in_collection, parameters_with_size
from solvers.library import solve
from solvers.terminal.calls import (
    Named,
    givens_of_link,
    givens_tuple,
    is_own,
    options_of,
    path_of,
    question,
    refuse_others,
)

OF_QUESTIONS = {"given", "symmetry", "time_limit", "seed"}
"""The options of a run that matter to the questions here."""


def _answer(puzzle: Named, arguments: dict[str, Any], asked: Inquiry) -> Answer:
    """Answer a question of the library.

    If the time limit comes before the end, return what is known by then. puzzle: as for `solve`. arguments: keyword
    arguments of the call. asked: the question. Raises `InputError` for other options, TimeoutError if nothing is known
    in time.
    """
    refuse_others(arguments)  # raises for a name that is no option of any run
    if unknown := arguments.keys() - OF_QUESTIONS:
        raise InputError(f"these questions have no option {min(unknown)}; they have {', '.join(sorted(OF_QUESTIONS))}")
    options = options_of({**arguments, "given": (*givens_of_link(puzzle), *givens_tuple(arguments.get("given") or ()))})
    parameters: dict[str, Any] = {}
    if isinstance(puzzle, Puzzle) and asked.name == "repair" and (source := in_collection(puzzle)):
        parameters, puzzle = dict(puzzle.parameters), source  # so that it can be declared with others
    # `question` returns the name, the parameters, and the function that declares the puzzle with them. The givens may
    # determine the size of the puzzle, which is one of the parameters.
    name, values, declare = question(puzzle, parameters, takes_given=True)
    values = parameters_with_size(path_of(puzzle), values, options.given)
    unfinished_answers: list[Answer] = []
    # Errors in the declaration of a user's own puzzle become `InputError`.
    with blame_declaration(name, is_own(puzzle)):
        try:
            return answer(partial(declare, **values), asked, options, threading.Event(), unfinished_answers.append)
        except Stopped:
            if unfinished_answers:
                return unfinished_answers[-1]
            raise TimeoutError(f"{name}: ended by the time limit") from None


@overload
def why(puzzle: Named, fact: str, /, *, smallest: bool = False, **arguments: Any) -> of_why.Why: ...


@overload
def why(puzzle: Named, /, *, smallest: bool = False, every: bool = False, **arguments: Any) -> of_conflict.WhyNone: ...


def why(
    puzzle: Named, fact: str = "", /, *, smallest: bool = False, every: bool = False, **arguments: Any
) -> of_why.Why | of_conflict.WhyNone:
    """Explain why every solution has a fact, or show a solution without it.

    The explanation is a minimal set of rules and givens, a smallest one if that is found in five seconds. If no fact is
    given, explain why there is no solution, by a minimal set of rules and givens that cannot hold together (a MUS).

    Parameters
    ----------
    puzzle
        As for `solve`.
    fact
        LABEL=VALUE, or the content of a cell, such as "row 3 column 4 = F".
    smallest
        Whether to look for a smallest set, however long that takes.
    every
        Whether to show all minimal sets that cannot hold together, the smallest first. If the time limit comes first,
        those that are known by then are shown, and the answer's ``is_complete`` is false.
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
    >>> from solvers import why
    >>> print(why("magic", "row 1 column 2 != 1", given=["0 0=1"]))
    In every solution, row 1 column 2 != 1. The reason with the fewest rules:
      all different: rows 1-3 columns 1-3
      given or found: row 1 column 1 = 1
    ┌───┬───┬───┐
    │(1)│[ ]│( )│
    ├───┼───┼───┤
    │( )│( )│( )│
    ├───┼───┼───┤
    │( )│( )│( )│
    └───┴───┴───┘
    [ ] or a thick line marks what follows, ( ) the cells that the reason names
    >>> print(why("magic", given=["0 0=1", "0 1=1"]))
    A minimal contradiction (MUS), of 1 rule and 2 givens, of which nothing can be left out:
      all different: rows 1-3 columns 1-3
      given: row 1 column 1 = 1; row 1 column 2 = 1
    ┌───┬───┬───┐
    │(1)│(1)│( )│
    ├───┼───┼───┤
    │( )│( )│( )│
    ├───┼───┼───┤
    │( )│( )│( )│
    └───┴───┴───┘
    ( ) marks the cells that the reason names
    """
    if every and (fact or smallest):
        raise InputError("every is for puzzles without a solution, and finds the smallest, too; leave the others out")
    wanted = Wanted.EVERY if every else Wanted.SMALLEST if smallest else Wanted.ANY
    return cast(
        of_why.Why | of_conflict.WhyNone,
        _answer(puzzle, arguments, Inquiry("why", fact, wanted=wanted, path=path_of(puzzle))),
    )


def explain(puzzle: Named, /, **arguments: Any) -> of_steps.Steps:
    """Lead from the givens to the solution, step by step, each with the reason of fewest rules.

    Parameters and errors are those of `why`. Jupyter draws each step.

    Examples
    --------
    >>> from solvers import explain
    >>> steps = explain("magic", given=["0 0=1", "0 1=6"])
    >>> [len(step.rules) for step in steps]
    [5, 4, 3, 2, 3, 2, 1]
    """
    return cast(of_steps.Steps, _answer(puzzle, arguments, Inquiry("explain")))


def grade(puzzle: Named, /, *, steps: bool = False, **arguments: Any) -> of_grade.Grade:
    """Grade how hard it is to find the solution; other parameters and errors are those of `why`.

    Parameters
    ----------
    puzzle
        As for `solve`.
    steps
        Whether to find the steps of `explain` and a person's walk as well.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Grade
        Its ``reasoning`` has the level, from 1 (forced) to 4 (search), and the figures behind it.

    Examples
    --------
    >>> from solvers import grade
    >>> found = grade("magic", given=["0 0=1", "0 1=6"])
    >>> found.reasoning.level, found.reasoning.name
    (4, 'hard')
    """
    return cast(of_grade.Grade, _answer(puzzle, arguments, Inquiry("grade", every=steps)))


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
    >>> from solvers import candidates
    >>> left = candidates("magic", given=["0 0=1"])
    >>> left["(0, 1)=6"], left["(1, 1)=5"]
    (1, 2)
    """
    return cast(of_candidates.Candidates, _answer(puzzle, arguments, Inquiry("candidates", cells=cells)))


def possible(puzzle: Named, /, *, cells: bool = True, **arguments: Any) -> of_possible.Possible:
    """Tell of each candidate whether it is impossible, forced, or neither; this is quick, and counts nothing.

    Parameters
    ----------
    puzzle
        As for `solve`.
    cells
        Whether candidates are the contents of cells, not literals.
    **arguments
        ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Returns
    -------
    Possible
        Shows the board in Jupyter, with the candidates of each cell in colours.

    Raises
    ------
    InputError
        If an argument is wrong, or the model cannot be written as clauses.
    TimeoutError
        If the time limit ended the search without an answer.

    Examples
    --------
    >>> from solvers import possible
    >>> left = possible("magic", given=["0 0=1", "0 1=6"])
    >>> left.state("row 1 column 2 = 6"), left.state("row 1 column 3 = 1")
    ('forced', 'impossible')
    """
    question = Inquiry("candidates", cells=cells, possible=True)
    return cast(of_possible.Possible, _answer(puzzle, arguments, question))


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
    if not isinstance(path, str | os.PathLike):
        raise InputError(
            f"hints takes a file with a drawing, not {path!r}; of listed solutions, ask solve(...).hints(1)"
        )
    return cast(of_hints.Hints, _answer(puzzle, arguments, Inquiry("hints", os.fspath(path), cells=cells, every=every)))


def minimal(
    puzzle: Named, path: str | os.PathLike[str], /, *, cells: bool = False, finds_all: bool = False, **arguments: Any
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
    finds_all
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
    question = Inquiry("minimal", os.fspath(path), cells=cells, every=finds_all)
    return cast(of_hints.Minimal, _answer(puzzle, arguments, question))


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
    >>> from solvers import repair
    >>> repair(magic(kind="ring"), "givens").size
    2
    """
    if kind not in REPAIRS:
        raise InputError(f"repair takes {', '.join(REPAIRS)}, not {kind!r}")
    return cast(of_repair.Repair, _answer(puzzle, arguments, Inquiry("repair", kind, cells=cells)))


def which(puzzle: Named, path: str | os.PathLike[str], /, **arguments: Any) -> dict[str, Any] | None:
    """Say which solution a file shows, if any.

    Parameters
    ----------
    puzzle
        As for `solve`.
    path
        A drawing, or a line of a file of solutions.
    **arguments
        Options as for `solve`.

    Returns
    -------
    dict or None
        The answer as in the report: whether it is a solution, its number, and a sentence. None if the search was not
        complete.

    Raises
    ------
    InputError
        If the file cannot be read, or an argument is wrong.
    """
    answer = solve(puzzle, which=path, **arguments).report.which
    return None if answer is None else dict(answer)
