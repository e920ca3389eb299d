"""Methods side by side: runs of puzzles by several backends, symmetries and jobs, as tables and plots."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from solvers.base.backend_rows import available_backends
from solvers.base.errors import CheckError, InputError
from solvers.extras.studies.compare.trials import TERMS, Trial, agreeing, method_names, summary, terms
from solvers.extras.studies.survey.variants import METHOD, check_values, split_values, vary
from solvers.library import Result, solve
from solvers.show.evidence import agreement
from solvers.show.plain import csv_text
from solvers.show.printable import printable
from solvers.terminal.calls import Named

if TYPE_CHECKING:
    from solvers.extras.studies.survey.plot import Plot


FIRST_COLUMNS = (
    "puzzle",
    "backend",
    "symmetry",
    "breaking",
    "jobs",
    "seed",
    "seconds.all",
    "seconds.build",
    "complete",
    "solutions",
    "total",
    "found",
    "method",
    "stopped_by",
)
"""The first columns of `Comparison.to_frame`, the most telling ones."""

ALL_RUNS = ("cactus", "scatter")
"""The kinds of plots of all runs, see `solvers.extras.studies.survey.plot`."""

PLOTS = ("time", "bars", *ALL_RUNS)
"""The kinds of plots of a comparison."""


class Comparison:
    """Runs of one or several puzzles by several methods, side by side.

    They say how far each method searched, with what effort, and what it was given.
    """

    def __init__(
        self, trials: Sequence[Trial], time_limit: float | None = None, results: Mapping[str, Result] | None = None
    ) -> None:
        """Take the runs, the time limit of each, and, by the names of the methods, results of the first runs.

        The key of a method is (puzzle, backend, symmetry, breaking, jobs); its runs differ in seeds and repetitions.
        `summary` makes one report of the runs of a method.
        """
        self.trials, self.time_limit = list(trials), time_limit
        self.results = dict(results or {})
        """The result of the first run of each method, by the method's name; of a command there are none."""
        self.methods: dict[tuple[Any, ...], list[Trial]] = {}
        """The runs of each method on each puzzle."""
        for trial in trials:
            self.methods.setdefault(trial.method, []).append(trial)
        self.rows = [summary(runs, time_limit) for runs in self.methods.values()]
        """The report of each method on each puzzle, with medians of its runs, and an account of these under "runs"."""

    @property
    def puzzles(self) -> list[str]:
        """The puzzles, as the user named them."""
        return list(dict.fromkeys(trial.puzzle for trial in self.trials))

    @property
    def agreement(self) -> str:
        """Sentences on how many independent searches of each puzzle found the same, and on counts that differ.

        `agreeing` returns the complete runs with the most common answer, and `agreement` the sentence on how
        independent they are. With several kinds of symmetries, the solutions up to symmetry differ, so that only the
        numbers in all count.
        """
        sentences, totals = [], self._totals
        for puzzle in self.puzzles:
            runs = [trial for trial in self.trials if trial.puzzle == puzzle]
            has_one_symmetry = len({trial.row["symmetry"] for trial in runs}) == 1
            words = "found the same solutions" if has_one_symmetry else "found the same number of solutions in all"
            sentence = agreement(agreeing(runs), words)
            sentences.append(f"{puzzle}: {sentence}" if len(self.puzzles) > 1 else sentence)
        if len(totals) > 1:
            counts = ", ".join(f"{puzzle} {total}" for puzzle, total in totals.items())
            difference = "different numbers of solutions in all, so they are not models of one problem"
            numbers = difference if self.has_other_totals else "the same number of solutions in all"
            sentences.append(f"the puzzles have {numbers}: {counts}")
        return "\n".join(sentences)

    @property
    def _totals(self) -> dict[str, int]:
        """The number of solutions in all of each puzzle that a run has completed."""
        return {trial.puzzle: trial.row["total"] for trial in self.trials if trial.is_complete}

    @property
    def has_other_totals(self) -> bool:
        """True if two puzzles have different numbers of solutions in all."""
        return len(set(self._totals.values())) > 1

    def table(self, form: str = "simple") -> str:
        """Return two tables: times and counts, and the statistics of each solver; form: a format of tabulate.

        Times have their ratio to the fastest complete method on the same puzzle. `terms` returns the three texts of a
        method in the second table.
        """
        varied = self._varied  # the names of the columns that name the methods
        is_repeated = any(row["runs"]["all"] > 1 for row in self.rows)
        spread = ["spread"] if is_repeated else []
        scores = ["PAR-2"] if self.time_limit is not None else []
        headers = [*varied, "complete", "solutions", "in all", "build s", "first s", "all s", *spread, "MB", "ratio"]
        text_columns = len(varied) + 1
        align = ["left"] * text_columns + ["right"] * (len(headers) + len(scores) - text_columns)
        cells = [[*self._cells(key, row, is_repeated)] for key, row in zip(self.methods, self.rows, strict=True)]
        times = tabulate(cells, [*headers, *scores], tablefmt=form, disable_numparse=True, colalign=align)
        effort = [(*self._names(key, row), *terms(row)) for key, row in zip(self.methods, self.rows, strict=True)]
        efforts = tabulate(effort, (*varied, *TERMS), tablefmt=form, disable_numparse=True)
        medians = [f"medians of {max(row['runs']['all'] for row in self.rows)} runs"] if is_repeated else []
        empty_line = [""] if form != "html" else []
        return "\n".join([times, *medians, *empty_line, efforts])

    @property
    def _varied(self) -> list[str]:
        """The columns that name the methods: the backend, and what differs."""
        columns = list(zip(*self.methods, strict=True)) or [()] * 5
        names = ("puzzle", *METHOD)
        return [name for name, values in zip(names, columns, strict=True) if name == "backend" or len(set(values)) > 1]

    def _names(self, key: Sequence[Any], row: Mapping[str, Any]) -> list[str]:
        """Return the values of the columns that name a method; key: its puzzle and options. row: its report."""
        values = {**dict(zip(("puzzle", *METHOD), key, strict=True)), "backend": row["backend"]}
        return [printable(str(values[name])) for name in self._varied]

    def _cells(self, key: Sequence[Any], row: Mapping[str, Any], is_repeated: bool) -> Iterator[str]:
        """Yield the cells of a method's row in the first table.

        key: names the puzzle, and then the method, as for `_names`. row: the report of the method, with an account of
        its runs under "runs". is_repeated: whether some method has several runs, so that the table has columns for
        them. A cell is empty where nothing is known. "≥" stands before a count of which no run is complete, and before
        the ratio of a time of incomplete runs, as these may be greater.
        """
        seconds, runs = row["seconds"], row["runs"]
        at_least = "" if runs["complete"] else "≥ "
        longer = "" if row["complete"] else "≥ "
        yield from self._names(key, row)
        if is_repeated and 0 < runs["complete"] < runs["all"]:
            yield f"{runs['complete']} of {runs['all']}"
        else:
            yield "yes" if row["complete"] else f"no ({row['stopped_by']})"
        yield from (f"{at_least}{row[count]}" for count in ("solutions", "total"))
        yield from ("" if seconds[phase] is None else f"{seconds[phase]:.2f}" for phase in ("build", "first", "all"))
        if is_repeated:
            yield "" if runs["spread"] is None else "{:.2f}-{:.2f}".format(*runs["spread"])
        yield f"{max(row['memory'].values()) / 1e6:.0f}" if row["memory"] else ""
        rows_of_puzzle = (  # the puzzle is the first place of a key
            row_of_method
            for other_key, row_of_method in zip(self.methods, self.rows, strict=True)
            if other_key[0] == key[0]
        )
        seconds_of_complete_methods = (other["seconds"]["all"] for other in rows_of_puzzle if other["complete"])
        fastest = min(seconds_of_complete_methods, default=None)
        yield f"{longer}{seconds['all'] / fastest:.1f}" if fastest and seconds["all"] is not None else ""
        if self.time_limit is not None:
            yield f"{runs['par2']:.2f}"

    def __str__(self) -> str:
        """Return the tables and the sentences on agreement as text."""
        return f"{self.table()}\n\n{self.agreement}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the tables and the sentences on agreement as HTML, which Jupyter shows."""
        return f"{self.table('html')}<p>{escape(self.agreement)}</p>"

    def as_json(self) -> str:
        """Return the reports of the methods as a JSON list."""
        return json.dumps(self.rows)

    def as_csv(self) -> str:
        """Return the runs as a table in CSV, with a line for each.

        A method with several runs, all complete, also gets a line with their medians. Nested values become columns such
        as seconds.all; seconds.cpu is the processor time of all processes of a run.
        """
        rows: list[Mapping[str, Any]] = []
        for trials, report in zip(self.methods.values(), self.rows, strict=True):
            rows += [_row(number, trial.row, trial.cpu) for number, trial in enumerate(trials, 1)]
            if len(trials) > 1 and report["complete"]:
                medians = {name: value for name, value in report.items() if name != "runs"}
                rows.append(_row("median", medians, median(trial.cpu for trial in trials)))
        flat = [dict(report_columns(row)) for row in rows]
        columns = dict.fromkeys(column for row in flat for column in row)
        # The columns of one field, such as seconds.all and seconds.cpu, stand together, in the order of the reports.
        fields = list(rows[0]) if rows else []
        ordered = sorted(columns, key=lambda column: fields.index(column.partition(".")[0]))
        return csv_text([ordered, *([row.get(column) for column in ordered] for row in flat)], line_end="\r\n")

    def to_frame(self) -> Any:
        """Return a table of pandas with a row for each run; its first columns are `FIRST_COLUMNS`.

        All other figures of the reports follow, such as statistics.conflicts. Raises `InputError` if pandas is not
        installed.
        """
        try:
            import pandas
        except ImportError:
            raise InputError("a frame needs pandas; install it with pip install pandas") from None
        reports = pandas.json_normalize([dict(trial.row) for trial in self.trials])
        return reports[[*FIRST_COLUMNS, *(column for column in reports if column not in FIRST_COLUMNS)]]

    def plot(self, kind: str = "bars") -> Plot:
        """Return a plot.

        kind: "bars", the seconds of each method; "time", the solutions found over time; "cactus", how many runs each
        method completes within so many seconds; "scatter", the seconds of two methods on each run. Raises `InputError`
        for another kind, if there is not what it needs, or if matplotlib is not installed.
        """
        if kind not in PLOTS:
            raise InputError(f"there is no plot {kind!r} of a comparison; choose {', '.join(PLOTS)}")
        try:
            from solvers.extras.studies.survey.plot import MethodRun, plot_methods
        except ImportError:
            raise InputError("a plot needs matplotlib; install it with pip install '.[plot]'") from None
        title = ", ".join(self.puzzles)
        if kind in ALL_RUNS:
            # Runs of all methods answer the same question: a puzzle with a seed, and the number of the repetition.
            runs = []
            repetitions = dict[tuple[Any, ...], int]()
            for trial in self.trials:
                method_and_seed = (*trial.method, trial.row["seed"])
                repetitions[method_and_seed] = repetitions.get(method_and_seed, 0) + 1
                question = trial.puzzle, trial.row["seed"], repetitions[method_and_seed]
                method = method_names([trial], self.trials, with_puzzle=False)[0]
                runs.append(
                    MethodRun(
                        method,
                        question,
                        value=None,
                        seconds=trial.row["seconds"]["all"] or 0.0,
                        is_solved=trial.is_complete,
                    )
                )
            return plot_methods(kind, title, runs)
        firsts = [runs[0] for runs in self.methods.values()]
        names = method_names(firsts, self.trials)
        return (_plot_bars if kind == "bars" else _plot_time)(title, names, firsts, self.rows)


def _plot_bars(title: str, names: Sequence[str], trials: Sequence[Trial], rows: Sequence[Mapping[str, Any]]) -> Plot:
    """Return a plot with the seconds of each method as bars; those of incomplete runs are hatched.

    The time to prepare the model is a part of each bar of its own, with dots. title: its heading. names: those of the
    methods. rows: their reports, in the same order. trials: the first run of each, which this plot does not need.
    `terms` returns texts on the search, the model and the added constraints, of which the first two are written above
    each bar.
    """
    import matplotlib.style

    from solvers.extras.studies.survey.plot import LOOK, Plot

    with matplotlib.style.context(LOOK):
        figure = Plot(figsize=(8, 1 + 0.8 * len(rows)), layout="constrained")
        axes = figure.subplots()
        for place, row in enumerate(rows):
            seconds = row["seconds"]["all"] or 0.0
            search, model, _ = terms(row)
            preparing = min(seconds, row["seconds"]["build"] or 0.0)
            hatch = "" if row["complete"] else "///"
            is_first = place == 0
            axes.barh(place, preparing, color="C1", height=0.4, hatch="..", label="preparing" if is_first else None)
            axes.barh(
                place,
                seconds - preparing,
                left=preparing,
                color="C0",
                height=0.4,
                hatch=hatch,
                label="searching" if is_first else None,
            )
            axes.text(0, place - 0.25, f"{search} ({model})", fontsize="small", va="bottom")
        axes.set(title=title, xlabel="seconds", yticks=range(len(names)), yticklabels=names)
        axes.set_ylim(len(names) - 0.5, -0.8)  # the first on top, with room for the words above it
        figure.legend(fontsize="small", loc="outside lower right", ncols=2)
    return figure


def _plot_time(
    title: str, names: Sequence[str], trials: Sequence[Trial], rows: Sequence[Mapping[str, Any]] = ()
) -> Plot:
    """Return a plot of solutions up to symmetry over time, with a line for each method.

    A mark ends a complete run. Dashes and marks tell the lines apart without colours. The arguments are those of
    `_plot_bars`. The label of a line has the texts of `terms` on the search and the model.
    """
    import matplotlib.style
    from matplotlib.ticker import MaxNLocator

    from solvers.extras.studies.survey.plot import LOOK, Plot

    with matplotlib.style.context(LOOK):
        figure = Plot(figsize=(8, 5 + 0.4 * len(trials)), layout="constrained")
        axes = figure.subplots()
        looks = zip(names, trials, cycle(("-", "--", ":", "-.")), cycle("os^Dv"), strict=False)
        for name, trial, dashes, mark in looks:
            times, counts = zip(*trial.timeline, strict=True)
            search, model, _ = terms(trial.row)
            end_of_complete = [len(times) - 1] if trial.is_complete else []
            label = f"{name}: {search}\n  {model}"
            axes.step(times, counts, dashes, where="post", label=label, marker=mark, markevery=end_of_complete)
        axes.set(title=title, xlabel="seconds, start-up included", ylabel="solutions up to symmetry", ylim=(0, None))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        figure.legend(loc="outside lower center", fontsize="small")
    return figure


def _row(run: int | str, row: Mapping[str, Any], cpu: float) -> dict[str, Any]:
    """Return the report of a run as a row of the table, with two more entries.

    run: the number of the run, or "median" for medians. row: the report. cpu: the processor time in seconds.
    """
    return {"run": run, **row, "seconds": {**row["seconds"], "cpu": round(cpu, 3)}}


def report_columns(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (column, value) pairs of a report; the names of nested values are joined with dots.

    prefix: begins each column; a dot ends it.
    """
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from report_columns(value, f"{prefix}{name}.")
        else:
            yield prefix + printable(name), printable(value) if isinstance(value, str) else value


def compare_backends(puzzle: Named | Sequence[Named], /, backends: Sequence[str] = (), **arguments: Any) -> Comparison:
    """Solve one or several puzzles by several methods, one after another in this process, and compare the solutions.

    Parameters
    ----------
    puzzle
        As for `solve`, or a list of these.
    backends
        Names of backends. By default those of cp-sat, cp, sat, clasp and cover that take the puzzle.
    **arguments
        Options as for `solve`; ``symmetry``, ``breaking``, ``jobs`` and ``seed`` may be lists. All combinations
        are run.

    Returns
    -------
    Comparison
        The runs, and sentences on their agreement.

    Raises
    ------
    CheckError
        If two complete runs of a puzzle found different solutions.
    InputError
        As for `solve`.

    Examples
    --------
    >>> from models.magic import magic
    >>> comparison = compare_backends(magic(kind="ring"))
    >>> [(name, result.total) for name, result in comparison.results.items()]
    [('cp-sat', 48), ('cp', 48), ('sat', 48), ('clasp', 48)]
    >>> print(comparison.agreement)
    2 independent searches found the same solutions: cp-sat; cp, sat:cadical195, clasp (which share the reading of
    constraints). All rest on the declared model, its symmetries, symmetry breaking.
    >>> compare_backends("queens", ["cp"], symmetry=["none", "declared"], seed=[1, 2]).to_frame()["total"].tolist()
    [92, 92, 92, 92]
    """
    puzzles: list[Any] = list(puzzle) if isinstance(puzzle, (list, tuple)) else [puzzle]
    single, several = split_values(arguments)
    check_values("backend", backends)
    trials = list[Trial]()
    first_results = list[Result]()
    for number, asked_puzzle in enumerate(puzzles):
        for variant in vary("the comparison", [{}], {"backend": list(backends) or available_backends(), **several}):
            options = {name.removeprefix("--"): value for name, value in variant.items()}
            try:
                result = solve(asked_puzzle, **single, **options)
            except InputError:
                # A backend that refuses the puzzle is left out, unless the caller named it, or it is the first.
                if backends or not trials:
                    raise
                continue
            trials.append(_trial_of(result, options["backend"], asked_puzzle, number))
            first_results.append(result)
            _refuse_contradiction(trials, first_results)
    names = method_names(trials, trials, as_asked=True)
    results = dict(reversed([*zip(names, first_results, strict=True)]))  # of several runs of a method, the first
    in_order = {name: results[name] for name in dict.fromkeys(names)}
    return Comparison(trials, arguments.get("time_limit"), in_order)


def _trial_of(result: Result, backend: str, puzzle: Named, number: int) -> Trial:
    """Return a result of this process as a run, as if a command had made it.

    backend: its name as asked. puzzle: as for `solve`. number: the place of the puzzle, from 0, which is added to a
    name that is no path, as several puzzles may have it. There are no files of solutions; the number of solutions
    stands for these where runs are compared.
    """
    row = json.loads(result.report.as_json())
    is_path = isinstance(puzzle, (str, Path))
    name = str(puzzle) if is_path else f"{row['puzzle']}{f' {number + 1}' if number else ''}"
    timeline = [(0.0, 0), (row["seconds"]["all"] or 0.0, row["solutions"])]
    return Trial(backend, row, Path(), timeline, puzzle=name, digest=str(row["total"]))


def _refuse_contradiction(trials: Sequence[Trial], results: Sequence[Result]) -> None:
    """Raise `CheckError` if the last run contradicts an earlier one of its puzzle: both complete, with other solutions.

    Up to symmetry, solutions are the same only by the same symmetries; those in all are the same in any case. trials,
    results: the runs so far, and the result of each.
    """
    last_trial = trials[-1]
    result = results[-1]
    # The earlier runs, each with its result.
    for trial, reference in zip(trials[:-1], results, strict=False):
        if trial.puzzle != last_trial.puzzle or not (trial.is_complete and last_trial.is_complete):
            continue
        is_same_symmetry = trial.row["symmetry"] == last_trial.row["symmetry"]
        if result.total != reference.total or (is_same_symmetry and result[:] != reference[:]):
            raise CheckError(
                f"{last_trial.row['puzzle']}: {trial.backend} and {last_trial.backend} found different solutions"
            )
        if is_same_symmetry:  # the runs before agree with this one
            return
