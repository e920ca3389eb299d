"""A puzzle to explore in a notebook: its parameters as controls, a search that can be stopped, pictures to click on."""

from __future__ import annotations

import os
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import traitlets

from models import COLLECTION
from models.boards import grid
from models.puzzle import Puzzle
from solvers.base.backend_rows import available_backends
from solvers.base.deadline import set_stop_event
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, InputError
from solvers.extras.bridges.formats.export import write_model
from solvers.extras.notebook.comparison import compare
from solvers.extras.notebook.fields import SHOWN_OPTIONS, Field, control_value, of_option, of_parameter, region_cells
from solvers.extras.notebook.gallery import Gallery
from solvers.extras.notebook.pointed import part_at_point, texts
from solvers.extras.pictures import solid, svg
from solvers.extras.studies.compare.trials import words_for
from solvers.files.catalogue import Declaration, blame_declaration, declaration_of_function, find, in_collection
from solvers.library import Result, new_run
from solvers.running.runner import Run
from solvers.show.draw import LINE_COLOURS
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.show.report import Report
from solvers.terminal.calls import Named, foreign_kind, is_own, options_of, path_of, question
from solvers.terminal.progress import Pace

SEARCH_REFRESH_SECONDS = 0.25
"""Seconds between two reports on a search that goes on."""

DEFAULT_SAMPLES = 4
"""The number of random solutions that are drawn by default."""

STOP_WAIT_SECONDS = 3.0
"""Seconds to wait for a search that was told to stop."""

COMPARED = ("jobs", "time_limit", "symmetry", "given")
"""The options that each run of a comparison is given."""


@dataclass(frozen=True)
class Subject:
    """The puzzle that is explored."""

    declaration: Declaration
    source: str | None
    """The name of the puzzle on the command line; None if the command line does not know the puzzle."""
    puzzle: Named
    """The puzzle as a program names it; see `solve`."""
    begin: Callable[[Mapping[str, Any], Mapping[str, Any]], Run]
    """Prepares a run of the puzzle from its parameters and the options."""
    result: Callable[[Run], Any]
    """Returns the result of a run."""


class Code(NamedTuple):
    """The code that does the same as the widget."""

    python: str
    command: str
    """The command; empty if the command line does not know the puzzle."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Write the lines to IPython's printer; ``cycle``, a part of its protocol, is not used."""
        printer.text("\n".join(filter(None, self)))


class Explorer(Gallery):
    """A widget that shows a puzzle with its parameters as controls, and searches on request.

    `explore` makes it. The search runs in a thread, so that other cells can be run meanwhile.
    """

    _form = traitlets.Dict().tag(sync=True)
    """The description of the controls, which does not change."""
    _chosen = traitlets.Dict().tag(sync=True)
    """The values of the controls: parameters and options."""
    _regions = traitlets.Dict().tag(sync=True)
    """The cells of each parameter that is a region; null where they cannot be clicked on."""
    _tags: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """The givens: for each, its words, its texts as the option takes them, and whether it is kept or excluded."""
    _compared = traitlets.Dict().tag(sync=True)
    """The result of the comparison."""

    def __init__(self, subject: Subject, parameters: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Make the controls.

        The attributes that traitlets synchronises (`_form`, `_chosen`, `_tags`, `_compared`, `_state`) are the page's
        only source. subject: the puzzle. parameters: a value for each parameter. options: the chosen options, givens as
        texts.
        """
        super().__init__(self._picture)
        self._subject = subject
        # A `Field` describes a control: its kind, default and how its value is read.
        self._parameters = {parameter.name: of_parameter(parameter) for parameter in subject.declaration.parameters}
        self._options = {name: of_option(name) for name in SHOWN_OPTIONS}
        # What was given besides the controls: these values stay as they are.
        self._fixed = {name: value for name, value in parameters.items() if name not in self._parameters}
        self._fixed_options = {name: value for name, value in options.items() if name not in (*self._options, "given")}
        self._run: Run | None = None
        self._error = ""
        """The reason why the last search failed, in a sentence."""
        self._searched = tuple[object, ...]()
        """The settings of the last search; if the controls have others, its result is shown as stale."""
        self._why = ""
        """The call that explains why the last search found nothing."""
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._stop_comparison = threading.Event()
        self._comparing: threading.Thread | None = None
        self._form = {
            "title": printable(subject.declaration.name),
            "summary": printable(subject.declaration.summary),
            "parameters": [field.as_json() for field in self._parameters.values()],
            "options": [field.as_json() for field in self._options.values()],
            "backends": available_backends(),
            "lines": LINE_COLOURS,
        }
        settings = {"marginals": True, "sample": DEFAULT_SAMPLES, **options}
        # What the page shows: each given as a tag, and the values of the controls.
        self._tags = [{"words": text, "given": [text], "kept": "!=" not in text} for text in options.get("given", ())]
        chosen_parameters = {name: control_value(field, parameters[name]) for name, field in self._parameters.items()}
        chosen_options = {
            name: control_value(field, settings.get(name, field.default)) for name, field in self._options.items()
        }
        self._chosen = {"parameters": chosen_parameters, "options": chosen_options}
        self._compared = {"running": "", "lines": {}, "rows": [], "wrong": []}
        self._state = {**self._state, "phase": "new", "words": "", "error": ""}
        self._follow_cells(self._subject.puzzle)

    @property
    def given(self) -> tuple[str, ...]:
        """The givens, as texts of the option `given`."""
        return tuple(text for tag in self._tags for text in tag["given"])

    @property
    def result(self) -> Any:
        """The result of the last search, with what was found so far; None before the first search."""
        return self._subject.result(self._run) if self._run else None

    def start(self) -> None:
        """Begin to search in a thread; end a running search first."""
        self.stop()
        previous_thread, self._stop = self._thread, threading.Event()
        self._thread = threading.Thread(target=self._search_in_thread, args=(previous_thread, self._stop), daemon=True)
        self._state = {**self._state, "phase": "running", "error": "", "words": "", "share": None}
        self._thread.start()

    def stop(self) -> None:
        """End a running search and a running comparison; what was found is kept."""
        self._stop.set()
        self._stop_comparison.set()

    def run(self) -> Any:
        """Search, wait for the end, and return the result.

        An interrupt ends the search; what it found is in `result`. Raises `InputError` if the search is not possible.
        """
        self.start()
        assert self._thread
        try:
            while self._thread.is_alive():
                self._thread.join(0.1)
        except KeyboardInterrupt:
            self.stop()
            self._thread.join(STOP_WAIT_SECONDS)
            raise
        if self._error:
            raise InputError(self._error)
        return self.result

    def code(self) -> Code:
        """Return the Python code and the command line that do the same, without what the controls leave at its default.

        Marginals and samples are left out, as they are only shown. Raises `InputError` if a control has a wrong value.
        """
        subject = self._subject
        parameters, options = self._non_default_settings()
        for name in ("marginals", "sample"):
            options.pop(name, None)
        arguments = [
            declaration_of(subject.puzzle, parameters),
            *(f"{name}={value!r}" for name, value in options.items()),
        ]
        command = ""
        if subject.source is not None:
            # `words_for` turns values into words of the command line.
            chosen = [parameter for parameter in subject.declaration.parameters if parameter.name in parameters]
            words = words_for(chosen, parameters, {n: v for n, v in options.items() if n != "executor"})
            command = shlex.join(["python", "-m", "solvers.run", subject.source, *words])
        return Code(f"solve({', '.join(arguments)})", command)

    def _non_default_settings(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return (parameters, options), values by name, whose controls differ from the defaults.

        What was passed besides the controls is added. Raises `InputError` for a wrong value.
        """

        def read(fields: Mapping[str, Field], kind: str) -> dict[str, Any]:
            """Return the values of controls that differ from the defaults; kind: "parameters" or "options"."""
            values = {name: field.read(self._chosen[kind].get(name)) for name, field in fields.items()}
            return {
                name: value
                for name, value in values.items()
                # An empty list is the same as no value.
                if value != fields[name].default and not (value == [] and not fields[name].default)
            }

        options = {**self._fixed_options, **read(self._options, "options")}
        if "limit" in options or options.get("unique"):  # these are about all solutions
            options = {name: value for name, value in options.items() if name not in ("marginals", "sample")}
        if self.given:
            options["given"] = list(self.given)
        return {**self._fixed, **read(self._parameters, "parameters")}, options

    def _search_in_thread(self, before: threading.Thread | None, stop: threading.Event) -> None:
        """Search in the thread, after the thread ``before`` has ended, and show the result.

        stop: ends the search when set; what was found is kept. Errors are shown in the widget instead of raised.
        """
        # Long work of this thread, also outside the run, ends once the event is set.
        set_stop_event(stop)
        if before:
            before.join()
        if stop.is_set():
            return
        self._error, self._searched = "", self._settings()
        self._state = {**self._state, "phase": "running", "stale": False}
        run, pace = None, Pace()
        try:
            parameters, options = self._non_default_settings()
            given = f", given={options['given']!r}" if "given" in options else ""
            self._why = f"why({declaration_of(self._subject.puzzle, parameters)}{given})"
            run = self._run = self._subject.begin(parameters, options)
            # In a user's own puzzle, a wrong symmetry or check is an `InputError`, else a `CheckError`.
            with blame_declaration(run.report.puzzle, is_own(self._subject.puzzle)):
                self._search(run, pace, stop)
            if run.ending and run.ending.failure:
                self._error = f"{run.report.puzzle}: ended by {run.report.stopped_by}{run.ending.advice}"
        except CheckError as error:
            self._error = f"this should never happen: {error}"
        except InputError as error:
            self._error = str(error)
        except Exception as error:  # of whatever kind: whoever looks at the widget has to hear of it
            self._error = f"{self._subject.declaration.name}: {type(error).__name__}: {error}"
        finally:
            if run:
                run.dismiss()
        self._conclude(run if run and run.question else None, pace)

    def _search(self, run: Run, pace: Pace, stop: threading.Event) -> None:
        """Run the search until it ends or ``stop`` is set, and show its progress.

        pace: has the time that the run has taken.
        """
        last_shown = float("-inf")
        for _ in run:
            if stop.is_set():
                run.stop(Ending.CLOSED, "Stop")
            if pace.elapsed - last_shown > SEARCH_REFRESH_SECONDS:
                last_shown = pace.elapsed
                self._show_progress(run, pace)

    def _show_progress(self, run: Run, pace: Pace) -> None:
        """Show the progress of a run and the solutions found so far; pace: has the time that it took.

        Before the search is prepared, only words are shown.
        """
        report, collector = run.report, run.collector
        with self._lock:
            # The search is prepared: begin to show solutions of this question.
            if collector and self._question is not collector.question:
                self._show(collector.question, [], is_complete=False, heat="", samples=[])
            changes = {"words": pace.state(report), "share": report.progress or None}
            if collector:
                # Only the solutions since the last call are added.
                self._encoded = [*self._encoded, *collector.as_found(len(self._encoded))]
                changes["available"] = len(self._encoded)
                searched = f", {report.progress:.0%} of the space searched" if report.progress else ""
                time_left = report.time_left()
                changes["words"] = (
                    f"{self._counts(report)}{searched}, {pace.elapsed:.0f} s{time_left and f' ({time_left} left)'}"
                )
            self._state = {**self._state, **changes}

    def _conclude(self, run: Run | None, pace: Pace) -> None:
        """Show the result of a run that has ended, or an empty result if no search began.

        run: the run; None if it was not prepared. pace: has the time that the run has taken. A heat map shows how often
        each literal is true; samples are pictures of random solutions.
        """
        heat, samples = "", list[str]()
        if run and run.question:
            puzzle = run.question.puzzle
            samples = [svg.picture(solid.drawing_in_space(puzzle, sample)) for sample in run.samples]
            if run.report.total and run.marginals and (heat_counts := run.marginals.heat_map()):
                heat = svg.picture(heat_counts)
        report = run.report if run else Report()
        self._show(
            run.question if run else None,
            run.in_order() if run else [],
            is_complete=True,
            phase="done" if run else "new",
            error=printable(self._error),
            words=self._counts(report) + f", {pace.elapsed:.1f} s" if run else "",
            note=self._counts_sentence(run) if run else "",
            stale=self._searched != self._settings(),
            share=None,
            facts=report.rows() if run else [],
            heat=heat,
            samples=samples,
        )

    def _counts_sentence(self, run: Run) -> str:
        """Return the sentence about the counts: that they are lower bounds, or why there is no solution; else "".

        run: the run that has ended.
        """
        report = run.report
        if not report.complete:
            return f"Ended by {report.stopped_by}: these are lower bounds."
        if report.total:
            return ""
        reason = f"In a cell, {self._why} says which rules exclude each other."
        if self._tags:
            return f"No solution has all that is given. Take something of it away below. {reason}"
        unsolved = run.question.puzzle.remarks.unsolved if run.question else ""
        return f"{printable(unsolved).rstrip('.') or 'There is no solution'}; the whole space was searched. {reason}"

    def _settings(self) -> tuple[object, ...]:
        """Return the values of all controls and givens, on which a search depends."""
        return dict(self._chosen["parameters"]), dict(self._chosen["options"]), self.given

    @traitlets.observe("_chosen", "_tags")
    def _mark_stale(self, change: Any) -> None:
        """Note whether the shown result belongs to other settings than the controls now have.

        traitlets calls it whenever a control or a given has changed. change: the change; it is not used.
        """
        if self._state.get("phase") == "done" and (stale := self._searched != self._settings()) != self._state.get(
            "stale"
        ):
            self._state = {**self._state, "stale": stale}

    def _counts(self, report: Report) -> str:
        """Return the counts and the best value in words."""
        at_least = "" if report.complete else "at least "
        solutions = number_with_unit(report.solutions, "solutions")
        words = f"{at_least}{solutions} up to symmetry, {at_least}{report.total} in all"
        if report.objective is None:
            return words
        return f"{words}: {report.best or f'the best value is {report.objective}'}"

    def _handle(self, widget: Any, content: Any, buffers: Any) -> None:
        """Handle a message of the browser: run, stop, point, forget a given, compare, or ask for pictures.

        content: the message, whose entry "kind" says which of these it is, with further entries: "tag", the number of
        the given to forget; "backends", those to compare. widget, buffers: as ipywidgets passes them.
        """
        kind = content.get("kind")
        if kind == "run":
            self.start()
        elif kind == "stop":
            self.stop()
        elif kind == "point":
            self._point(content)
        elif kind == "forget":
            self._tags = [tag for number, tag in enumerate(self._tags) if number != content["tag"]]
            self.start()
        elif kind == "compare":
            self._compare(content["backends"])
        else:
            super()._handle(widget, content, buffers)

    def _point(self, content: Mapping[str, Any]) -> None:
        """Keep or exclude the part of a picture at which the user pointed, and search again.

        content: the message of the browser, with the solution, the frame, the point (x, y) and whether to keep the
        part. Its ``generation`` numbers the result that the page shows, its ``turn`` the way in which the picture is
        turned. A message about an earlier result is ignored.
        """
        try:
            with self._lock:
                question = self._question
                if question is None or content["generation"] != self._state["generation"]:
                    return
                solution = self._encoded[content["solution"]]
                turn = self._turns[content["turn"]]
            # The part is a piece or a cell, with its words; `texts` turns it into givens.
            part = part_at_point(question, solution, turn, content["frame"], (content["x"], content["y"]))
            given = texts(question.puzzle, question, part, content["kept"])
        except InputError as error:
            self._state = {**self._state, "error": printable(str(error))}
            return
        self._tags = [*self._tags, {"words": printable(part.words), "given": given, "kept": content["kept"]}]
        self.start()

    @traitlets.observe("_chosen")
    def _find_regions(self, change: Any) -> None:
        """Find the cells of each region whose control has changed; a new kind of grid changes all of them.

        change: the change that traitlets has seen, with the values of all controls before (old) and now (new).
        """
        new_parameters = change["new"]["parameters"]
        old_parameters = (change["old"] or {}).get("parameters", {})
        lattice = grid.LATTICES.get(new_parameters.get("grid"), grid.SQUARE)
        regions = dict(self._regions)
        is_new = new_parameters.get("grid") != old_parameters.get("grid")
        for name, field in self._parameters.items():
            if field.kind == "region" and (is_new or new_parameters.get(name) != old_parameters.get(name)):
                regions[name] = region_cells(str(new_parameters.get(name) or ""), lattice, self._declare_puzzle)
        self._regions = regions

    def _declare_puzzle(self) -> Any:
        """Return the puzzle with the parameters that the controls have.

        Raises `InputError` if a value is not allowed.
        """
        parameters, _ = self._non_default_settings()
        return self._subject.declaration.declare(**parameters)

    def _compare(self, backends: Sequence[str]) -> None:
        """Begin to compare these backends in a thread; end a running comparison first.

        The new thread waits for the previous one.
        """
        self._stop_comparison.set()
        previous, self._stop_comparison = self._comparing, threading.Event()
        self._comparing = threading.Thread(
            target=self._run_comparison, args=(previous, self._stop_comparison, backends), daemon=True
        )
        self._compared = {"running": "the model", "lines": {}, "rows": [], "wrong": []}
        self._comparing.start()

    def _run_comparison(self, before: threading.Thread | None, stop: threading.Event, backends: Sequence[str]) -> None:
        """Compare backends in the thread, after the thread ``before`` has ended; errors are shown.

        stop: ends the current run when set; the others are left out.
        """
        if before:
            before.join()

        try:
            with TemporaryDirectory() as folder:
                words = list(self._command_words(Path(folder), stop))
                # `compare` runs the command once for each backend, and passes what to show to the last function.
                compare(
                    words, Report(self._subject.declaration.name), backends, stop, partial(setattr, self, "_compared")
                )
        except Exception as error:  # of whatever kind: whoever looks at the widget has to hear of it
            self._compared = {**self._compared, "running": "", "wrong": [printable(str(error))]}

    def _command_words(self, folder: Path, stop: threading.Event) -> Iterator[str]:
        """Yield the words of the command line for the same search: first the puzzle or the path of a model.

        A puzzle that the command line does not know is written as a model into the folder. Only the options in
        `COMPARED` are passed on. Raises `InputError` if a value is not allowed. stop: ends the work when set.
        """
        subject = self._subject
        parameters, options = self._non_default_settings()
        options = {name: value for name, value in options.items() if name in COMPARED}
        if subject.source is None:
            path = str(folder / "model.pbtxt")
            puzzle = subject.declaration.declare(**parameters)
            # The model is written with the givens and the symmetries, which are no options of its command then.
            given = options.pop("given", ())
            symmetry = options.pop("symmetry", "declared")
            write_model(puzzle, path, symmetry=symmetry, given=given, stop=stop)
            yield from (path, *words_for((), {}, options))
        else:
            chosen = [parameter for parameter in subject.declaration.parameters if parameter.name in parameters]
            yield from (subject.source, *words_for(chosen, parameters, options))

    def _picture(self) -> str:
        """Return HTML for notebooks that are only rendered: the result or, if there is none, the parameters."""
        if self._run is not None and self._run.question is not None:
            html: str = self.result._repr_html_()
            return html
        parameters = "".join(
            f"<tr><td>{escape(str(name))}</td><td>{escape(str(value))}</td></tr>"
            for name, value in self._chosen["parameters"].items()
        )
        return (
            f"<p><b>{escape(self._form['title'])}</b>: {escape(self._form['summary'])}</p><table>{parameters}</table>"
        )


def declaration_of(puzzle: Named, parameters: Mapping[str, Any]) -> str:
    """Return the Python expression, for a cell of the notebook, that declares a puzzle with these parameters.

    puzzle: as for `solve`: a declared puzzle, a name or a path, a model of another program, or a function.

    >>> declaration_of("flip-it", {"size": 3}), declaration_of("own.cnf", {})
    ('flip_it(size=3)', "'own.cnf'")
    >>> declaration_of("own.mzn", {"data": "own.dzn"})
    "find('own.mzn').declare(data='own.dzn')"
    """
    values = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    if isinstance(puzzle, Puzzle):
        return "puzzle"
    if isinstance(puzzle, (str, os.PathLike)):
        name = os.fspath(puzzle)
        function_name = COLLECTION[name][1] if name in COLLECTION else f"find({name!r}).declare"
        return f"{function_name}({values})" if values else repr(name)
    if foreign_kind(puzzle):
        return f"puzzle_of(model, {values})"
    function_name = getattr(puzzle, "__name__", "puzzle")
    return f"{function_name}({values})" if values else function_name


def explore(puzzle: Named, values: Mapping[str, Any] | None = None, /, **arguments: Any) -> Explorer:
    """Show a puzzle in a notebook with its parameters as controls.

    It is searched there, and what is found can be clicked on. Returns an `Explorer`. The state of the result can be
    used in other cells: its method `run` searches and waits, `result` and `given` are what was found and chosen, and
    `code` returns the code that does the same.

    puzzle: as for `solve`. A puzzle of the collection has its parameters as controls. A parameter of the type
    `models.puzzle.Region` is a board to click on.

    values: the values of parameters, to begin with. arguments: options as for `solve`, to begin with.

    Raises `InputError` if an argument is invalid, if what was asked for is not possible, or without anywidget.
    """
    parameters = dict(values or {})
    # A function or a puzzle of the collection is explored by its name, so that the command line knows it, too.
    if (name := in_collection(puzzle) if callable(puzzle) or isinstance(puzzle, Puzzle) else None) is not None:
        parameters = {**puzzle.parameters, **parameters} if isinstance(puzzle, Puzzle) else parameters
        puzzle = name
    options = options_of(arguments)
    name, chosen, declare = question(puzzle, parameters)
    source = path_of(puzzle) or None
    # A puzzle that is declared already has no parameters to choose.
    declaration = Declaration(name, "", (), lambda: declare)
    if source is not None:
        declaration = find(source)
    elif callable(puzzle):
        declaration = declaration_of_function(puzzle)
    subject = Subject(declaration, source, puzzle, partial(new_run, puzzle), Result)
    begins_with: dict[str, Any] = {option: getattr(options, option) for option in arguments}
    given = [fact if isinstance(fact, str) else f"{fact[0]}={fact[1]}" for fact in options.given]
    parameters_with_control = {parameter.name for parameter in declaration.parameters}
    settings = {name: value for name, value in chosen.items() if name in parameters_with_control or name in parameters}
    return Explorer(subject, settings, {**begins_with, "given": given})
