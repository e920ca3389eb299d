"""The project as a library: `solve` gives the solutions of a puzzle as Python values."""

from __future__ import annotations

import difflib
import inspect
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import MISSING, fields, replace
from functools import partial
from html import escape
from importlib import import_module
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast, overload

from models import PUZZLES
from models.puzzle import Literal, Puzzle
from solvers.endings import Ending
from solvers.errors import CheckError, InputError
from solvers.files.catalogue import Declaration, Parameter, blamed_on, declared, find
from solvers.options import Options, words_of
from solvers.outputs.output import Output
from solvers.outputs.paths import check_paths, inputs
from solvers.running.runner import Run, row_of
from solvers.show.marginals import Marginals
from solvers.show.plain import counted
from solvers.show.report import Report
from solvers.show.shown import SHOWN, Solution, Solutions, Table, side_by_side
from solvers.symmetry.key import Encoded
from solvers.widget.bar import Bar

if TYPE_CHECKING:
    from solvers.invent.ask import Answer
    from solvers.invent.candidates import Candidates
    from solvers.invent.hints import Hints, Minimal
    from solvers.invent.repair import Repair
    from solvers.invent.why import Grade, Steps, Why
    from solvers.survey.rows import Survey

Named = str | os.PathLike[str] | Puzzle | Callable[..., Puzzle]
"""What can be solved: a puzzle of the collection, a file, a declared puzzle, or what declares one."""

Given = Mapping[Any, int] | str | Iterable[str]
"""Values by label, or texts as on the command line."""

CLOSE_SECONDS = 2.0
"""Seconds that a search which was told to stop is waited for."""

NOT_KEPT = "the solutions were only counted; solve it without count_only"

KINDS: Mapping[type, tuple[tuple[type, ...], str]] = {
    str: ((str, os.PathLike, Integral), "text"),
    int: ((Integral,), "a whole number"),
    float: ((Real,), "a number"),
    bool: ((bool,), "True or False"),
}
"""What is taken for each kind of parameter, and how it is called."""


class Result(Sequence[Solution]):
    """The solutions up to symmetry, in the order of their least images, which is the same on every backend.

    Jupyter shows it as pictures of the first ones.

    >>> from solvers import solve
    >>> result = solve("magic", kind="ring")
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
        """run: one that has ended."""
        self.report: Report = run.report
        """What the run says of itself; its fields are the keys of the command line's JSON."""
        self._question = run.question
        self._encoded: list[Encoded] = run.collector.in_order() if run.collector else []
        self.marginals: Marginals | None = run.marginals
        """In how many solutions each literal is, if that was asked for and all solutions were counted."""
        self.samples = Solutions()
        """What was drawn from all solutions, each with the same chance."""
        if self._question:
            key, puzzle = self._question.key, self._question.puzzle
            self.samples += [Solution(drawn, key, puzzle) for drawn in run.samples]
        self._run = run

    @property
    def solutions(self) -> int:
        """How many solutions up to symmetry; a lower bound if the run is not complete."""
        return self.report.solutions

    @property
    def total(self) -> int:
        """How many solutions in all; a lower bound if the run is not complete."""
        return self.report.total

    @property
    def complete(self) -> bool:
        """Whether the whole space was searched."""
        return self.report.complete

    def in_all(self) -> Iterator[Solution]:
        """Every solution, all images of one before those of the next.

        >>> from solvers import solve
        >>> len(set(map(str, solve("magic").in_all())))
        8
        """
        for encoded in self._encoded:
            assert self._question
            yield from map(self._decoded, self._question.group.each_image(encoded))

    def __len__(self) -> int:
        return len(self._encoded)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Solutions: ...
    def __getitem__(self, index: int | slice) -> Solution | Solutions:
        chosen = self._encoded[index]
        return Solutions(map(self._decoded, chosen)) if isinstance(chosen, list) else self._decoded(chosen)

    def where(self, *conditions: Literal | Callable[[Solution], object]) -> Solutions:
        """The solutions for which all of the conditions hold.

        conditions: literals, as (label, value), and functions of a solution. They are asked of the one solution that
            stands for its images; ``Solutions(result.in_all()).where(...)`` asks every image.

        Raises `InputError` for a label that the puzzle lacks.

        >>> from solvers import solve
        >>> rings = solve("magic", kind="ring")
        >>> len(rings.where(((0, 0), 1))), len(rings.where(((0, 0), 1), lambda ring: ring[0, 2] > 6))
        (4, 2)
        """
        return self[:].where(*conditions)

    def hints(self, which: str | int = "each", *, cells: bool = False, every: bool = False) -> Hints:
        """The fewest hints that tell a solution from all others, its own images among them: proved, of all solutions.

        which: the number of a solution as the command line counts them, from 1, or "each". cells: hints say what lies
        on a cell, in place of literals. every: show all of the smallest sets.

        Raises `InputError` if not all solutions are known.

        >>> from solvers import solve
        >>> [fact.text for fact in solve("magic").hints(1).each[0].sets[0]]
        ['(0, 0)=1', '(0, 1)=6']
        """
        from solvers.invent.hints import hints_of_listed

        question = self._question
        if not self.complete or not question or len(self) < self.solutions:
            raise InputError(f"{self.report.puzzle}: hints take all solutions, and these are not all")
        jobs, stop = self._run.options.jobs, threading.Event()
        return hints_of_listed(question, self._encoded, which, of_cells=cells, every=every, jobs=jobs, stop=stop)

    def _decoded(self, encoded: Encoded) -> Solution:
        assert self._question
        key = self._question.key
        return Solution(key.decode(encoded), key, self._question.puzzle)

    def gallery(self) -> Any:
        """Pictures of all solutions with their filter, for a cell of a notebook; `InputError` without anywidget."""
        if len(self) < self.solutions:
            raise InputError(f"{self.report.puzzle}: {NOT_KEPT}")
        gallery = _widgets("gallery").Gallery(self._repr_html_)
        gallery._show(self._question, self._encoded, True)
        return gallery

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page (HTML) with the same pictures and filter; `InputError` if it cannot be written."""
        write_gallery(self, path)

    def __repr__(self) -> str:
        return f"<{self.report.puzzle}: {self._counts()}>"

    def __str__(self) -> str:
        return self.report.as_table()

    def _counts(self) -> str:
        report, at_least = self.report, "" if self.complete else "at least "
        best = "" if report.objective is None else f", best value {report.objective}"
        return (
            f"{at_least}{counted(report.solutions, 'solutions')} up to symmetry, {at_least}{report.total} in all"
            f"{best}, {report.backend}, {report.seconds['all']:.2f} s"
        )

    def _repr_html_(self) -> str:
        title = f"<p><b>{escape(self.report.puzzle)}</b>: {escape(self._counts())}</p>"
        return title + side_by_side(self[:SHOWN], len(self))


class SolutionIterator(Iterator[Solution]):
    """Solutions up to symmetry, each as soon as it is found; what `iter_solutions` returns."""

    def __init__(self, run: Run, is_own: bool, watch: Callable[[Report], object] = lambda _: None) -> None:
        """is_own: whether the puzzle is not one of the collection by its name; watch: called all the time."""
        self.report: Report = run.report
        """What the run says of itself so far."""
        self._run = run
        self._is_own, self._watch = is_own, watch
        self._found = iter(run)
        self.close: Callable[[], object] = weakref.finalize(self, _end, run)
        """End the search. The report then says what was found until now."""

    def __next__(self) -> Solution:
        try:
            with blamed_on(self.report.puzzle, self._is_own):
                for found in self._found:
                    self._watch(self.report)
                    if found is not None:
                        assert self._run.collector
                        question = self._run.collector.question
                        return Solution(found, question.key, question.puzzle)
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
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def result(self) -> Result:
        """What it finds, and has found, once it has ended; waits for that."""
        for _ in self:
            pass
        return Result(self._run)


def _end(run: Run) -> None:
    """Stop a run that has not ended, and see that it leaves nothing behind."""
    if not run.report.complete:
        run.stop(Ending.CLOSED)
    if run.thread.is_alive():
        run.thread.join(CLOSE_SECONDS)
    run.dismiss()


def iter_solutions(puzzle: Named, /, **arguments: Any) -> SolutionIterator:
    """The solutions up to symmetry, each as soon as it is found, in no promised order; see `solve` for the arguments.

    The search goes on between two solutions, but only so far ahead. It ends when it is closed, or left to itself:

    >>> with iter_solutions("pentomino", board="6x10") as solutions:
    ...     first = next(solutions)
    >>> sorted(name for name, place in first) == list("FILNPTUVWXYZ")
    True
    >>> solutions.report.complete
    False
    """
    return SolutionIterator(_begun(puzzle, arguments), _is_own(puzzle))


def _begun(puzzle: Named, arguments: Mapping[str, Any]) -> Run:
    """A run of a puzzle, with these of its parameters and options."""
    options, (name, parameters, declare) = _asked(puzzle, arguments)
    file = os.fspath(puzzle) if isinstance(puzzle, (str, os.PathLike)) else ""
    check_paths(inputs(file, parameters, options.given, options.which), {"store": options.store})
    return Run(name, parameters, declare, options)


def _asked(puzzle: Named, arguments: Mapping[str, Any]) -> tuple[Options, Declared]:
    asked = {name: value for name, value in arguments.items() if name in OPTIONS}
    executor = asked.get("executor")
    if not isinstance(executor, Executor | None):
        raise InputError(f"executor: {executor!r} is no Executor of concurrent.futures")
    options = Options(**{name: _checked(name, value) for name, value in asked.items() if value is not None})
    return options, _question(puzzle, {name: value for name, value in arguments.items() if name not in OPTIONS})


def _is_own(puzzle: Named) -> bool:
    return not isinstance(puzzle, str) or puzzle not in PUZZLES


def solve(puzzle: Named, /, **arguments: Any) -> Result:
    """Find every solution of a puzzle up to symmetry, checked and counted as on the command line.

    puzzle: the name of one of the collection, the path of a file of one's own, a function that declares a puzzle, a
        declared one, or a Model of CPMpy (``key``: the variables that make solutions different, if not all named ones).
    arguments: the options that are listed below, and the puzzle's own parameters. ``given`` takes values by label too,
        ``executor`` any executor of `concurrent.futures` that takes functions by name; ``jobs`` says for how many
        workers. The answers to ``unique`` and ``which`` are in the result's report.

    Raises `InputError`, which is a ValueError, for what cannot be done as it stands; `CheckError` for what should never
    happen; RuntimeError if workers died and could not be replaced, or an executor failed; MemoryError where memory
    does not suffice, OSError where the store cannot be written.

    >>> result = solve("pentomino", board="3x20", backend="cover")
    >>> result.complete, result.solutions, result.total
    (True, 2, 8)
    >>> solve("pentomino", bord="3x20")
    Traceback (most recent call last):
    solvers.errors.InputError: pentomino has no parameter 'bord'; did you mean board?
    """
    bar = Bar()
    search = SolutionIterator(_begun(puzzle, arguments), _is_own(puzzle), bar.show)
    try:
        return search.result()
    except KeyboardInterrupt as interrupt:
        _interrupted[:] = [Result(search._run)]
        interrupt.add_note("solvers.last_interrupted() gives what was found until now")
        raise
    finally:
        bar.clear()


_interrupted: list[Result] = []


def last_interrupted() -> Result:
    """What the last call of `solve` that was interrupted had found until then; `InputError` if none was."""
    if not _interrupted:
        raise InputError("no call of solve was interrupted")
    return _interrupted[0]


def explore(puzzle: Named, /, **arguments: Any) -> Any:
    """Show a puzzle in a notebook with its parameters as controls, search it there, and click on what is found.

    Gives a `solvers.widget.explorer.Explorer`. What is done in it can be had in other cells, too: its method `run`
    searches and waits, `result` and `given` are what was found and chosen, and `code` is the code that does the same.

    puzzle: as for `solve`. A parameter of the type `models.puzzle.Region` is a board to click on.
    arguments: parameters and options as for `solve`, to begin with.

    Raises `InputError` for what cannot be done as it stands, and without anywidget.
    """
    widget = _widgets("explorer")
    options, (name, parameters, declare) = _asked(puzzle, arguments)
    source = None
    if isinstance(puzzle, Puzzle):
        declaration, python = Declaration(name, "", (), lambda: declare), "puzzle"
    elif isinstance(puzzle, (str, os.PathLike)):
        source = os.fspath(puzzle)
        declaration, python = find(source), repr(source)
    else:
        declaration = declared(puzzle)
        python = declaration.name
    subject = widget.Subject(declaration, source, python, _is_own(puzzle), partial(_begun, puzzle), Result)
    asked: dict[str, Any] = {option: getattr(options, option) for option in arguments if option in OPTIONS}
    given = [one if isinstance(one, str) else f"{one[0]}={one[1]}" for one in options.given]
    controls = {parameter.name for parameter in declaration.parameters}
    chosen = {name: value for name, value in parameters.items() if name in controls or name in arguments}
    return widget.Explorer(subject, chosen, {**asked, "given": given})


def _widgets(name: str) -> Any:
    """The module of that name, imported when it is asked for; `InputError` if what widgets need is not installed."""
    try:
        return import_module(f"solvers.widget.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("anywidget", "traitlets"):
            raise
        raise InputError("this needs anywidget; install it with pip install '.[notebooks]'") from None


class Comparison(Table):
    """What several backends said of one puzzle."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self.results = results
        """By the backend's name, as it was asked for."""
        reports = [result.report for result in results.values()]
        rows = [
            (report.backend, "yes" if report.complete else "no", report.solutions, report.total, report.seconds["all"])
            for report in reports
        ]
        super().__init__(rows, ["backend", "complete", "solutions", "in all", "seconds"], floatfmt=".2f")


def compare_backends(puzzle: Named, /, backends: Sequence[str] = (), **arguments: Any) -> Comparison:
    """Solve a puzzle on several backends, one after another in this process, and compare what they find.

    backends: cp-sat, sat and cover where there are none; those of them that are none for the puzzle are left out.
    arguments: as for `solve`.

    Raises `CheckError` if two complete runs found different solutions, and what `solve` raises.

    >>> comparison = compare_backends("magic", kind="ring")
    >>> [(name, result.total) for name, result in comparison.results.items()]
    [('cp-sat', 48), ('sat', 48)]
    """
    results: dict[str, Result] = {}
    for backend in backends or ("cp-sat", "sat", "cover"):
        try:
            results[backend] = solve(puzzle, backend=backend, **arguments)
        except InputError:
            if backends or not results:
                raise
    complete = {name: result for name, result in results.items() if result.complete}
    for name, result in complete.items():
        first, reference = next(iter(complete.items()))
        if (result.total, result[:]) != (reference.total, reference[:]):
            raise CheckError(f"{result.report.puzzle}: {first} and {name} found different solutions")
    return Comparison(results)


def survey_variants(puzzle: Named, /, **arguments: Any) -> Survey:
    """Solve a puzzle in many variants; a row for each.

    arguments: as for `solve`; but for each of the puzzle's parameters also several values, as a list, a tuple or a
        range, of which all combinations are made. What is known by its name or a path is solved in as many processes
        as ``jobs`` says, anything else in this one.

    A variant that is refused is a row with its sentence. Raises `InputError` if all are, and what `solve` raises.

    >>> from solvers import survey_variants
    >>> survey = survey_variants("magic", kind=["blocks", "ring"], corners=[True, False], jobs=1)
    >>> [row.solutions for row in survey], [row.arguments["kind"] for row in survey.only("unique")]
    ([1, 47, 6, 6], ['blocks'])
    """
    from solvers.survey import runs
    from solvers.survey.journal import Journal
    from solvers.survey.rows import Survey, Variant
    from solvers.survey.variants import of_lists

    asked = {name: arguments.pop(name) for name in [*arguments] if name in OPTIONS}
    options = Options(**{name: _checked(name, value) for name, value in asked.items() if value is not None})
    several = {
        name: [*values] for name, values in arguments.items() if isinstance(values, Iterable) and not _is_one(values)
    }
    each = [{**arguments, **values} for values in of_lists(getattr(puzzle, "name", str(puzzle)), several)]
    name, _, declare = _question(puzzle, each[0])
    is_named = isinstance(puzzle, (str, os.PathLike))
    file = os.fspath(puzzle) if isinstance(puzzle, (str, os.PathLike)) else ""
    if is_named:
        declaration = find(file)
        every = [_arguments(declaration, values) for values in each]
    else:
        every = [dict(_question(puzzle, values)[1]) for values in each]
    check_paths(inputs(file, {}, options.given, None), {"store": options.store})
    if options.store is not None and not is_named:
        raise InputError(f"{name}: a store is for puzzles that are known by a name or a path")
    journal = Journal(options.store, file, options) if options.store is not None else None
    found = journal.known(every) if journal else {}
    left = [runs.Variant(place, parameters) for place, parameters in enumerate(every) if place not in found]
    own = None if is_named else declare
    try:
        for row in runs.rows(row_of, name, own, left, replace(options, store=None), options.jobs, threading.Event()):
            if row:
                found[row[0]] = row[1]
                if journal:
                    journal.record([(every[row[0]], row[1])])
    finally:
        if journal:
            journal.close()
    rows = [Variant(parameters, found[place]) for place, parameters in enumerate(every)]
    if all(row.refused for row in rows):
        raise InputError(rows[0].refused)
    return Survey(name, list(several) or list(arguments), rows)


def _is_one(value: object) -> bool:
    """Whether it is one value of a parameter."""
    return isinstance(value, (str, bytes, Mapping))


def write_gallery(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a page (HTML) with pictures of all solutions of a result; `InputError` if it cannot be written."""
    from solvers.outputs.gallery import GalleryFile

    _write(result, GalleryFile(os.fspath(path)))


def write_pictures(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a picture (SVG) of each solution of a result into a new folder; `InputError` if it cannot be written."""
    from solvers.outputs.pictures import SvgFolder

    _write(result, SvgFolder(os.fspath(folder)))


def write_certificate(result: Result, folder: str | os.PathLike[str]) -> None:
    """Leave a proof of a result's count in a new folder, for ``python -m solvers.check``.

    Raises `InputError` if it cannot be written, or the result is not complete.
    """
    from solvers.outputs.certificate import CertificateFolder

    if not result.complete:
        raise InputError(f"{result.report.puzzle}: a certificate is of all solutions, and the search was not complete")
    _write(result, CertificateFolder(os.fspath(folder)))


def _write(result: Result, output: Output) -> None:
    run = result._run
    if run.question is None or len(result) < result.solutions:
        raise InputError(f"{result.report.puzzle}: {NOT_KEPT}")
    output.begin(run.question)
    if missing := output.finish(run, lambda: False):
        raise InputError(f"{result.report.puzzle}: {missing}")


def export_model(puzzle: Named, path: str | os.PathLike[str], /, **arguments: Any) -> dict[str, int]:
    """Write the model that would be searched, by the ending of the path as .cnf, .fzn, .pbtxt or .dlx; the size of it.

    arguments: the options ``all``, ``symmetry`` and ``given`` as for `solve`, and the puzzle's own parameters.

    Raises `InputError` where the format cannot say it or the file cannot be written, OSError if the disk is full.
    """
    from solvers.outputs.export import export

    options = {name: arguments.pop(name) for name in ("all", "symmetry", "given") if name in arguments}
    name, parameters, declare = _question(puzzle, arguments)
    given = _given(options.get("given", ()))
    file = os.fspath(puzzle) if isinstance(puzzle, (str, os.PathLike)) else ""
    check_paths(inputs(file, parameters, given, None), {"export": os.fspath(path)})
    with blamed_on(name, _is_own(puzzle)):
        return export(
            declare(**parameters),
            os.fspath(path),
            every=options.get("all", False),
            symmetry=options.get("symmetry", "declared"),
            given=given,
            stop=threading.Event(),
        )


def _answered(puzzle: Named, arguments: dict[str, Any], **question: Any) -> Answer:
    """The answer to a question about single solutions; what is known of it, if the time limit comes before.

    Raises TimeoutError if nothing is known then.
    """
    from solvers.errors import Stopped
    from solvers.invent.answers import answer
    from solvers.options import Inventing

    asked = {name: arguments.pop(name) for name in ("given", "symmetry", "time_limit", "seed") if name in arguments}
    options = Options(**{name: _checked(name, value) for name, value in asked.items() if value is not None})
    name, parameters, declare = _question(puzzle, arguments)
    known: list[Answer] = []
    is_own = not isinstance(puzzle, str) or puzzle not in PUZZLES
    with blamed_on(name, is_own):
        try:
            return answer(
                partial(declare, **parameters), Inventing(**question), options, threading.Event(), known.append
            )
        except Stopped:
            if known:
                return known[-1]
            raise TimeoutError(f"{name}: ended by the time limit") from None


def why(puzzle: Named, fact: str, /, **arguments: Any) -> Why:
    """Why every solution has a fact, by a smallest set of rules and of what is given; or a solution without it.

    fact: LABEL=VALUE, or what lies on a cell, such as "row 3 column 4 = F".
    arguments: the puzzle's parameters, and ``given``, ``symmetry``, ``time_limit`` and ``seed`` as for `solve`.

    Raises `InputError` if there is no such fact or no solution, TimeoutError.

    >>> from solvers import why
    >>> print(why("magic", "0 0=3", given=["0 1=4", "1 1=5", "2 2=7"]))
    Every solution has (0, 0)=3. The smallest reason:
      all different: (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)
      (0, 0) + (0, 1) + (1, 0) + (1, 1) - sum is 0
      (1, 1) + (1, 2) + (2, 1) + (2, 2) - sum is 0
      (0, 0) + (0, 2) + (2, 0) + (2, 2) - sum is 0
      given or found: (1, 1)=5; (2, 2)=7
    """
    return cast("Why", _answered(puzzle, arguments, why=fact))


def explain(puzzle: Named, /, **arguments: Any) -> Steps:
    """From what is given to the solution, step by step, each with the smallest reason; see `why` for the arguments.

    Jupyter draws each step.

    >>> from solvers import explain
    >>> [step.fact.text for step in explain("magic", given=["0 0=1", "0 1=6"])][-1]
    '(1, 0)=8'
    """
    return cast("Steps", _answered(puzzle, arguments, explain=True))


def grade(puzzle: Named, /, **arguments: Any) -> Grade:
    """How hard the way to the solution is; see `why` for the arguments.

    >>> from solvers import grade
    >>> of_two = grade("magic", given=["0 0=1", "0 1=6"])
    >>> len(of_two.steps), len(of_two.nodes)
    (7, 10)
    """
    return cast("Grade", _answered(puzzle, arguments, grade=True))


def candidates(puzzle: Named, /, *, cells: bool = False, **arguments: Any) -> Candidates:
    """How many solutions each literal leaves, or with ``cells`` what lies on a cell; see `why` for the arguments.

    >>> from solvers import candidates
    >>> left = candidates("magic", given=["0 0=1"])
    >>> left["(0, 1)=6"], left["(1, 1)=5"]
    (1, 2)
    """
    return cast("Candidates", _answered(puzzle, arguments, candidates=True, hint_cells=cells))


def hints(
    puzzle: Named, path: str | os.PathLike[str], /, *, cells: bool = False, every: bool = False, **arguments: Any
) -> Hints:
    """The fewest hints for the solution that is drawn in a file; see `why` for the other arguments.

    The other solutions are asked for one by one, so there may be more than can be listed; `Result.hints` takes a list.

    cells: hints say what lies on a cell, in place of literals. every: show all of the smallest sets.
    """
    return cast("Hints", _answered(puzzle, arguments, hints=os.fspath(path), hint_cells=cells, hint_sets=every))


def minimal(
    puzzle: Named, path: str | os.PathLike[str], /, *, cells: bool = False, every: bool = False, **arguments: Any
) -> Minimal:
    """Which of the hints in a file can be left out, and a smallest set of them; see `why` for the other arguments.

    cells: what a drawing says of cells, in place of literals. every: all sets of the hints that can spare none.
    """
    return cast("Minimal", _answered(puzzle, arguments, minimal=os.fspath(path), hint_cells=cells, minimal_sets=every))


def repair(puzzle: Named, kind: str, /, *, cells: bool = False, **arguments: Any) -> Repair:
    """The fewest "givens", "forbidden" places or "holes" that leave exactly one solution; see `why` for the arguments.

    >>> from solvers import repair
    >>> repair("magic", "givens").size
    2
    """
    if kind not in (kinds := words_of("repair").choices):
        raise InputError(f"repair takes {', '.join(kinds)}, not {kind!r}")
    return cast("Repair", _answered(puzzle, arguments, repair=kind, hint_cells=cells))


OPTIONS = frozenset(option.name for option in fields(Options))
"""The names that a puzzle's parameters cannot have."""


def _show_options(function: Callable[..., Any]) -> None:
    """Make the options part of a function's signature and documentation, where editors and notebooks look."""
    own = inspect.signature(function)
    puzzle, parameters = own.parameters["puzzle"], own.parameters["arguments"].replace(name="parameters")
    options = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if option.default is MISSING else option.default,
            annotation=option.type,
        )
        for option in fields(Options)
    ]
    function.__signature__ = own.replace(parameters=[puzzle, *options, parameters])  # type: ignore[attr-defined]
    listed = "".join(f"\n    {option.name}: {option.metadata['words'].meaning}" for option in fields(Options))
    function.__doc__ = f"{function.__doc__}\n    Options:\n{listed}\n"


_show_options(solve)
_show_options(iter_solutions)


def _given(given: Given) -> tuple[Any, ...]:
    if isinstance(given, Mapping):
        return tuple(given.items())
    return (given,) if isinstance(given, str) else tuple(given)


def _checked(name: str, value: Any) -> Any:
    """The value of an option, held to the rules of the command line."""
    words = words_of(name)
    if name == "given":
        return _given(value)
    if name == "solver_parameters":
        return {setting: str(chosen) for setting, chosen in value.items()}
    if words.kind:
        try:
            return words.kind(str(value))
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    return os.fspath(value) if isinstance(value, os.PathLike) else value


Declared = tuple[str, Mapping[str, Any], Callable[..., Puzzle]]
"""A puzzle's name, its parameters, and what declares it."""


def _question(puzzle: Named, parameters: Mapping[str, Any]) -> Declared:
    """A puzzle's name, its parameters, and what declares it when it is called with them."""
    if _is_of_cpmpy(puzzle):
        from solvers.files.cpmpy_model import puzzle_of

        if unknown := parameters.keys() - {"key", "decompose"}:
            raise InputError(f"a model of CPMpy has no parameter {min(unknown)!r}; it has key and decompose")
        return "model", {}, lambda: _declared("model", puzzle_of, model=puzzle, **parameters)
    if isinstance(puzzle, Puzzle):
        if parameters:
            raise InputError(f"{puzzle.name} is declared already; give {next(iter(parameters))} where you declare it")
        return puzzle.name, puzzle.parameters, lambda **_: puzzle
    if isinstance(puzzle, (str, os.PathLike)):
        declaration = find(os.fspath(puzzle))
        return declaration.name, _arguments(declaration, parameters), declaration.declare
    if not callable(puzzle):
        raise InputError(f"{puzzle!r} is no puzzle; give a name such as 'pentomino', a path, a function or a Puzzle")
    name = getattr(puzzle, "__name__", "puzzle")
    try:
        bound = inspect.signature(puzzle).bind(**parameters)
    except TypeError as error:
        raise InputError(f"{name}: {error}") from None
    bound.apply_defaults()
    _refuse_names_of_options(name, bound.arguments)
    return name, bound.arguments, partial(_declared, name, puzzle)


def _is_of_cpmpy(puzzle: object) -> bool:
    """Whether it is a model of CPMpy, which need not be installed."""
    return any(f"{kind.__module__}.{kind.__qualname__}" == "cpmpy.model.Model" for kind in type(puzzle).__mro__)


def _declared(name: str, declare: Callable[..., Puzzle], **arguments: Any) -> Puzzle:
    try:
        puzzle = declare(**arguments)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error
    if not isinstance(puzzle, Puzzle):
        raise InputError(f"{name} returned no Puzzle but {puzzle!r}")
    return puzzle


def _arguments(declaration: Declaration, given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each parameter of a puzzle."""
    known = {parameter.name: parameter for parameter in declaration.parameters}
    _refuse_names_of_options(declaration.name, known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1) or [", ".join(known) or "none"]
            hint = f"did you mean {near[0]}?" if near[0] in known else f"it has {near[0]}"
            raise InputError(f"{declaration.name} has no parameter {name!r}; {hint}")
    for name, parameter in known.items():
        if parameter.required and name not in given:
            raise InputError(f"{declaration.name}: give a value for {name}")
    return {
        name: _value(declaration.name, parameter, given[name]) if name in given else parameter.default
        for name, parameter in known.items()
    }


def _value(puzzle: str, parameter: Parameter, given: Any) -> Any:
    """What is given for a parameter, as its function expects it; `InputError` if it is of another kind."""
    if parameter.repeated and isinstance(given, Iterable) and not isinstance(given, str):
        return [_value(puzzle, replace(parameter, repeated=False), one) for one in given]
    if given is None and parameter.default is None:
        return None
    accepted, wanted = KINDS[parameter.kind]
    if parameter.choices:
        wanted = ", ".join(map(repr, parameter.choices))
    is_right = isinstance(given, accepted) and isinstance(given, bool) == (parameter.kind is bool)
    if not is_right or parameter.repeated or (parameter.choices and given not in parameter.choices):
        several = "a list with " if parameter.repeated else ""
        raise InputError(f"{puzzle}: {parameter.name} takes {several}{wanted}, not {given!r}")
    return parameter.kind(given)


def _refuse_names_of_options(puzzle: str, parameters: Iterable[str]) -> None:
    for name in parameters:
        if name in OPTIONS:
            raise InputError(f"the parameter {name} of {puzzle} has the name of an option of solve; rename it")
