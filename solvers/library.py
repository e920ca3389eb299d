"""The project as a library: `solve` gives the solutions of a puzzle as Python values."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from html import escape
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar, overload

from models import puzzle as of_puzzles
from solvers.base.endings import Ending
from solvers.base.errors import InputError
from solvers.base.options import WORDS, Options
from solvers.base.plugs import LIBRARY, function
from solvers.files.catalogue import blame_declaration, parameters_with_size
from solvers.outputs.output import EndedRun
from solvers.outputs.paths import check_paths, inputs
from solvers.outputs.published import Published, Solution, Solutions
from solvers.running.question import Question
from solvers.running.runner import Run
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.show.report import Report
from solvers.show.shown import SOLUTIONS_SHOWN, pictures_html
from solvers.symmetry.key import Encoded
from solvers.terminal.calls import (
    OPTIONS,
    Named,
    givens_of_link,
    givens_tuple,
    is_declared,
    is_own,
    options_of,
    path_of,
    question,
)
from solvers.terminal.progress import below_cell

CLOSE_SECONDS = 2.0
"""Seconds to wait for a search that was told to stop."""

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

NOT_KEPT = "the solutions were only counted; solve it without count_only"
"""The message for a result that has no solutions because they were only counted."""


class Result(Published, Sequence[Solution]):
    """The solutions up to symmetry, in the order of their least images.

    This order is the same on every backend. Jupyter shows it as pictures of the first ones.

    >>> from solvers import solve
    >>> from models.magic import magic
    >>> result = solve(magic(kind="ring"))
    >>> len(result), result.solutions, result.total, result.complete
    (6, 6, 48, True)
    >>> result[0][0, 0], result[-1][0, 0]
    (1, 3)
    >>> print(solve("magic")[0])
    sum 20
    ┌───┬───┬───┐
    │ 1 │ 6 │ 7 │
    ├───┼───┼───┤
    │ 8 │ 5 │ 2 │
    ├───┼───┼───┤
    │ 3 │ 4 │ 9 │
    └───┴───┴───┘
    """

    def __init__(self, run: Run) -> None:
        """Take the solutions of a run that has ended, and its report."""
        self.report: Report = run.report
        """The report of the run; its fields are the keys of the command line's JSON."""
        self._question = run.question
        """The question of the run; None if it ended before it was prepared."""
        self._encoded: list[Encoded] = run.in_order()
        """The solutions that were kept: fewer than were counted if the run kept none."""
        self.marginals = run.marginals
        """The number of solutions in which each literal is true, if that was asked for and all solutions were
        counted."""
        self.samples = Solutions([Solution(sample, run) for sample in run.samples], run)
        """The solutions that were drawn uniformly at random."""
        self._run = run

    @property
    def solutions(self) -> int:
        """The number of solutions up to symmetry; a lower bound if the run is not complete."""
        return self.report.solutions

    @property
    def total(self) -> int:
        """The number of solutions in all; a lower bound if the run is not complete."""
        return self.report.total

    @property
    def complete(self) -> bool:
        """True if the whole space was searched."""
        return self.report.complete

    def in_all(self) -> Iterator[Solution]:
        """Yield every solution: all images of the first one, then all images of the next one, and so on.

        >>> from solvers import solve
        >>> len(set(map(str, solve("magic").in_all())))
        8
        """
        for encoded in self._encoded:
            assert self._question
            yield from map(self._solution_of, self._question.group.each_image(encoded))

    def __len__(self) -> int:
        """Return the number of solutions up to symmetry that were kept."""
        return len(self._encoded)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Solutions: ...
    def __getitem__(self, index: int | slice) -> Solution | Solutions:
        """Return one solution or, for a slice, a list of solutions; indices are in the run's order."""
        chosen = self._encoded[index]
        if isinstance(chosen, tuple):
            return self._solution_of(chosen)
        return Solutions(map(self._solution_of, chosen), self._run)

    def where(self, *conditions: of_puzzles.Literal | Callable[[Solution], object] | str) -> Solutions:
        """Select the solutions that satisfy all conditions; they are saved and shown as the result is.

        Parameters
        ----------
        *conditions
            Literals, as (label, value), functions of a solution, and texts such as "orbit=1", as ``--where`` takes
            them. Literals and functions are asked of the solution that stands for its images only;
            ``Solutions(result.in_all()).where(...)`` asks them of every image.

        Raises
        ------
        InputError
            For a label or a property that the puzzle lacks, or a value that the property cannot have.

        Examples
        --------
        >>> from solvers import solve
        >>> from models.magic import magic
        >>> rings = solve(magic(kind="ring"))
        >>> len(rings.where(((0, 0), 1))), len(rings.where(((0, 0), 1), lambda ring: ring[0, 2] > 6))
        (4, 2)
        >>> len(rings.where("feature=sum 12"))
        1
        """
        return self[:].where(*conditions)

    def hints(self, which: str | int = "each", *, cells: bool = False, every: bool = False) -> Any:
        """Find smallest sets of hints that only one solution has; images count as other solutions.

        Parameters
        ----------
        which
            The number of a solution in the run's order, from 1, or "each".
        cells
            Whether hints are contents of cells rather than literals.
        every
            Whether to find all smallest sets.

        Raises
        ------
        InputError
            If not all solutions are known.

        Examples
        --------
        >>> from solvers import solve
        >>> [fact.text for fact in solve("magic").hints(1).each[0].sets[0]]
        ['(0, 0)=1', '(0, 1)=6']
        """
        hints_of_listed = function("hints of listed", "hints")
        question = self._question
        if not self.complete or not question or len(self) < self.solutions:
            raise InputError(f"{self.report.puzzle}: hints need all solutions, and these are not all")
        return hints_of_listed(question, self._encoded, which, of_cells=cells, every=every, stop=threading.Event())

    def _solution_of(self, encoded: Encoded) -> Solution:
        """Return a solution from the numbers of its literals in the key."""
        assert self._question
        return Solution(self._question.key.decode(encoded), self._run)

    def _run_and_question(self) -> tuple[EndedRun, Question]:
        """Return the run and its question; raise `InputError` if it does not keep its solutions."""
        if self._question is None or len(self) < self.solutions:
            raise InputError(f"{self.report.puzzle}: {NOT_KEPT}")
        return self._run, self._question

    def __repr__(self) -> str:
        """Return the puzzle's name and the counts in one line."""
        is_none = self.complete and not self.report.total and "why" in LIBRARY
        return f"<{self.report.puzzle}: {self._counts()}{'; why(puzzle) gives the reason' * is_none}>"

    def __str__(self) -> str:
        """Return the report as a table in text."""
        return self.report.as_table()

    def _counts(self) -> str:
        """Return the counts, the best value, the backend and the time in one line."""
        report, at_least = self.report, "" if self.complete else "at least "
        best = "" if report.objective is None else f", best value {report.objective}"
        return (
            f"{at_least}{number_with_unit(report.solutions, 'solutions')} up to symmetry, "
            f"{at_least}{report.total} in all{best}, {report.backend}, {report.seconds['all']:.2f} s"
        )

    def _repr_html_(self) -> str:
        """Return the counts and the pictures of the first solutions, which Jupyter shows."""
        title = f"<p><b>{escape(self.report.puzzle)}</b>: {escape(self._counts())}</p>"
        return title + self._why_none() + pictures_html(self[:SOLUTIONS_SHOWN], len(self))

    def _why_none(self) -> str:
        """Return a line in HTML that says how to ask why there is no solution.

        It is "" if there is one, if the run is not complete, or if this copy of kazoeru has no function `why`.
        """
        if not self.complete or self.report.total or "why" not in LIBRARY:
            return ""
        sentence = printable(self._question.puzzle.remarks.unsolved).rstrip(".") if self._question else ""
        given = f", given={[*self.report.given]!r}" if self.report.given else ""
        call = f"<code>from solvers import why; why(puzzle{escape(given)})</code>"
        return (
            f"<p>{escape(sentence or 'There is no solution')}; the whole space was searched. In a cell, {call} tells "
            "which rules exclude each other.</p>"
        )


class SolutionIterator(Iterator[Solution]):
    """An iterator over the solutions up to symmetry, each as soon as it is found.

    `iter_solutions` returns it.
    """

    def __init__(self, run: Run, is_own: bool, watch: Callable[[Run], object] | None = None) -> None:
        """Take a run that has not begun; the first solution that is asked for starts it.

        is_own: whether the puzzle is the user's own, so that wrong symmetries are the user's error. watch: called with
        the run for each solution, and a few times a second while there is none.
        """
        self._run = run
        self._name = run.report.puzzle
        self._is_own, self._watch = is_own, watch
        self._found = iter(run)
        # It also runs when the iterator is deleted, and only once.
        self.close: Callable[[], object] = weakref.finalize(self, _end_run, run)
        """End the search. The report then says what was found until now."""

    @property
    def report(self) -> Report:
        """The report of the run so far."""
        return self._run.report

    def __next__(self) -> Solution:
        """Return the next solution found; raise StopIteration after the last one.

        Raises an exception if the run failed, for example by a lack of memory; see `Ending.failure`. Any exception ends
        the run.
        """
        try:
            with blame_declaration(self._name, self._is_own):
                for next_solution in self._found:
                    if self._watch:
                        self._watch(self._run)
                    if next_solution is not None:
                        return Solution(next_solution, self._run)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                self._run.stop(Ending.CTRL_C)
            self.close()
            raise
        self.close()
        ending, report = self._run.ending, self.report
        if ending and ending.failure:
            raise ending.failure(
                f"{report.puzzle}: ended by {report.stopped_by} after {report.seconds['all']:.1f} s{ending.advice}"
            )
        raise StopIteration

    def __enter__(self) -> SolutionIterator:
        """Return the iterator itself, whose search ends when the ``with`` block does."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the search."""
        self.close()

    def result(self) -> Result:
        """Wait until the search has ended, and return the result.

        It has all solutions found, also those that were yielded.
        """
        for _ in self:
            pass
        return Result(self._run)


def _end_run(run: Run) -> None:
    """Stop a run that has not ended, wait for its thread for `CLOSE_SECONDS`, and free what it holds."""
    if not run.report.complete:
        run.stop(Ending.CLOSED)
    if run.thread.is_alive():
        run.thread.join(CLOSE_SECONDS)
    run.dismiss()


def new_run(puzzle: Named, parameters: Mapping[str, Any], asked: Mapping[str, Any]) -> Run:
    """Return a run of a puzzle, which does not search yet.

    puzzle: as for `solve`. parameters: the puzzle's own. asked: the options, as keywords of `solve`. What a link gives
    in cells is added to the givens, and the size of some puzzles follows from givens.

    Raises `InputError` if an option is invalid, or if the run would write over a file that it reads.
    """
    name, parameters, declare = question(puzzle, parameters, takes_given=True)
    options = options_of({**asked, "given": (*givens_of_link(puzzle), *givens_tuple(asked.get("given") or ()))})
    parameters = parameters_with_size(path_of(puzzle), parameters, options.given)
    check_paths(inputs(path_of(puzzle), parameters, options.given, options.which), {"store": options.store})
    return Run(name, parameters, declare, options)


def _parameters_and_options(puzzle: Named, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (parameters of a puzzle that is not declared yet, options) among the keywords of `solve`.

    Keywords that are no options are parameters. A puzzle that is declared has its parameters already: then all keywords
    are options, so that an unknown one is refused as such. arguments: the keywords, with their values.
    """
    is_option = {name: name in OPTIONS or is_declared(puzzle) for name in arguments}
    parameters = {name: value for name, value in arguments.items() if not is_option[name]}
    return parameters, {name: value for name, value in arguments.items() if is_option[name]}


def _with_options(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Give a function of a puzzle the options of a run as keyword arguments, in its signature and its docstring.

    Each field of `Options` becomes a keyword, and its meaning is inserted before the section "Returns". The function
    itself is changed and returned.
    """
    puzzle = next(iter(signature(function).parameters.values()))
    keywords = []
    for option in fields(Options):
        # A field without a default value has a factory; as a keyword it may be None.
        default, kind = (None, f"{option.type} | None") if option.default is MISSING else (option.default, option.type)
        keywords.append(Parameter(option.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    further_parameters = Parameter("parameters", Parameter.VAR_KEYWORD, annotation="Any")
    options = signature(function).replace(parameters=[puzzle, *keywords, further_parameters])
    function.__signature__ = options  # type: ignore[attr-defined]
    meanings = "".join(f"    {option.name}\n        {WORDS[option.name].meaning}\n" for option in fields(Options))
    function.__doc__ = (function.__doc__ or "").replace("\n    Returns\n", f"{meanings}\n    Returns\n")
    return function


@_with_options
def solve(puzzle: Named, /, **arguments: Any) -> Result:
    """Find every solution of a puzzle up to symmetry, checked and counted as on the command line.

    Parameters
    ----------
    puzzle
        A declared puzzle, its name in the collection, the path of a file, the function that declares it, or a Model of
        CPMpy.
    parameters
        Those of a puzzle that is not declared yet, such as ``n=8``; the others have their defaults.

    Returns
    -------
    Result
        A sequence of the solutions up to symmetry, with both counts and the report. The answers to ``unique`` and
        ``which`` are in the report.

    Raises
    ------
    InputError
        If an argument is invalid, or what was asked for is not possible; it is a ValueError.
    CheckError
        For an internal contradiction, such as a solution that fails a check.
    RuntimeError
        If workers died and could not be replaced, or an executor failed.
    MemoryError, OSError
        If the memory does not suffice; if the store cannot be written.

    Notes
    -----
    The other parameters are the options of the command line; see `solvers.base.options.Options`. ``given`` also takes a
    mapping from labels to values. ``executor`` is an executor of `concurrent.futures` that takes functions by name;
    ``jobs`` is its number of workers.

    Examples
    --------
    >>> from models.pentomino import pentomino
    >>> result = solve(pentomino(board="3x20"), backend="cover")
    >>> result.complete, result.solutions, result.total
    (True, 2, 8)
    >>> solve("queens", n=6).total
    4
    >>> solve("pentomin")
    Traceback (most recent call last):
    solvers.base.errors.InputError: there is no puzzle 'pentomin'; did you mean pentomino?
    """
    run = new_run(puzzle, *_parameters_and_options(puzzle, arguments))
    with below_cell() as bar:
        search = SolutionIterator(run, is_own(puzzle), bar.show)
        try:
            return search.result()
        except KeyboardInterrupt as interrupt:
            # `last_interrupted` returns it.
            _interrupted[:] = [Result(search._run)]
            interrupt.add_note("solvers.last_interrupted() gives what was found until now")
            raise


@_with_options
def iter_solutions(puzzle: Named, /, **arguments: Any) -> SolutionIterator:
    """Yield the solutions up to symmetry as soon as they are found, in no particular order.

    The search continues between two solutions, up to a limit. Closing or deleting the iterator ends it.

    Parameters
    ----------
    puzzle
        A declared puzzle, its name in the collection, the path of a file, the function that declares it, or a Model of
        CPMpy.

    Returns
    -------
    SolutionIterator
        An iterator and context manager; its ``report`` has the counts so far.

    Raises
    ------
    InputError
        If an argument is invalid, or what was asked for is not possible; it is a ValueError.
    CheckError
        For an internal contradiction, such as a solution that fails a check.
    RuntimeError
        If workers died and could not be replaced, or an executor failed.
    MemoryError, OSError
        If the memory does not suffice; if the store cannot be written.

    Examples
    --------
    >>> from models.pentomino import pentomino
    >>> with iter_solutions(pentomino(board="6x10")) as solutions:
    ...     first = next(solutions)
    >>> sorted(name for name, place in first) == list("FILNPTUVWXYZ")
    True
    >>> solutions.report.complete
    False
    """
    return SolutionIterator(new_run(puzzle, *_parameters_and_options(puzzle, arguments)), is_own(puzzle))


_interrupted: list[Result] = []
"""The result of the last interrupted call of `solve`; empty if no call was interrupted."""


def last_interrupted() -> Result:
    """Return the solutions found by the last interrupted call of `solve`.

    Raises
    ------
    InputError
        If no call was interrupted.
    """
    if not _interrupted:
        raise InputError("no call of solve was interrupted")
    return _interrupted[0]
