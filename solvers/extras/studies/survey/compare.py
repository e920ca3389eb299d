"""The command compare: one puzzle on every backend, each in a process of its own, side by side."""

import argparse
import csv
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import StringIO
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from models.puzzle import Puzzle
from solvers.backends.registry import check_backend
from solvers.base.backend_rows import backends_to_compare
from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN
from solvers.base.errors import InputError
from solvers.base.options import count
from solvers.extras.studies.survey.tables import TableOutputs
from solvers.extras.studies.survey.trials import (
    TERMS,
    Trial,
    agreeing,
    disagreements,
    summary,
    terms,
    try_out,
    words_for,
)
from solvers.files.catalogue import Declaration
from solvers.files.solutions import literals_from_json
from solvers.outputs.paths import inputs
from solvers.show import draw
from solvers.show.evidence import agreement
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.show.report import Report
from solvers.terminal.arguments import (
    PuzzleParser,
    argparse_reader,
    arguments_of,
)
from solvers.terminal.command import EndedEarly, StopEvent, complain, run_in_thread, run_within_limit
from solvers.terminal.progress import ProgressLine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPILOG = """PUZZLE is as for solvers.run. Exit code 1: the backends disagree; 3: one of
them ran out of time.

examples:
  python -m solvers compare pentomino --board 3x20
  python -m solvers compare magic --kind ring --backends cp-sat,sat --repeat 5"""


def main(words: list[str]) -> int:
    """Run the command ``compare``, which runs a puzzle on several backends; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    unnamed = "name a puzzle, such as pentomino; python -m solvers.run --list shows all of them"
    options = parser()
    declaration, chosen = options.parse_puzzle(words, unnamed)
    return _run(declaration, chosen, options.run_values(chosen))


def parser() -> PuzzleParser:
    """Return the parser of the command line, with the options that all puzzles share."""
    description = "Run a puzzle on several backends in turn; compare times and solutions."
    parser = PuzzleParser("python -m solvers compare", description, EPILOG)
    run = parser.add_argument_group("the comparison")
    run.add_argument(
        "--backends",
        type=argparse_reader(_backends),
        metavar="LIST",
        help=f"backends, separated by commas (default: {', '.join(backends_to_compare())})",
    )
    run.add_argument(
        "--repeat",
        type=argparse_reader(count),
        default=1,
        metavar="K",
        help="run each K times, show medians (default: 1)",
    )
    parser.offer("symmetry given time_limit jobs cubes seed", run)
    output = parser.add_argument_group("output")
    TableOutputs.add_options(output, "all that runs report, and medians", "solutions over time")
    return parser


def _backends(text: str) -> tuple[str, ...]:
    """Read the option --backends, names separated by commas; raise `InputError` if it names none."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise InputError("no backend is named; give some, such as cp-sat,sat,cover")
    return names


def _run(declaration: Declaration, chosen: argparse.Namespace, run_values: Mapping[str, Any]) -> int:
    """Run the comparison, print and write its results, and return the exit code.

    declaration: the puzzle. chosen: the values of all options. run_values: those of `Options`. Raises `InputError` if
    no backend takes the puzzle, or an option is wrong.
    """
    for name in chosen.backends or ():
        check_backend(name)
    stop, arguments = StopEvent(), arguments_of(declaration, chosen)
    tables = TableOutputs(chosen, inputs(declaration.name, arguments, chosen.given, None))
    try:
        puzzle = run_in_thread(
            lambda stop: run_within_limit(chosen.time_limit, stop, partial(declaration.declare, **arguments))
        )
    except EndedEarly:  # then nothing is tried
        puzzle = None
    with TemporaryDirectory() as folder:
        blank = Report(declaration.name, arguments)
        tried = _try_backends(blank, _command_words(declaration, chosen, run_values), chosen, Path(folder), stop)
        left_out = {backend: trials[0].complaint for backend, trials in tried.items() if trials[0].is_refusal}
        if left_out and len(left_out) == len(tried):
            raise InputError(next(iter(left_out.values())))
        for backend in left_out:
            del tried[backend]
        rows = [summary(trials) for trials in tried.values()]
        for row in rows:
            if stop.ending and not row["complete"]:
                row["stopped_by"] = stop.ending.words
        runs = [trial for trials in tried.values() for trial in trials]
        table_text = tables.text(
            lambda: json.dumps(rows),
            partial(as_csv, tried),
            lambda: f"{as_table(rows, chosen.repeat)}\n\n{agreement(agreeing(runs))}",
        )
        print(table_text, end="", flush=True)
        code = complain(f"ended by {stop.ending.words}", stop.ending.code) if stop.ending else DONE
        for backend, why in left_out.items():
            code = max(code, complain(f"{backend} is left out: {why}", BAD_INPUT if chosen.backends else DONE))
        first = {backend: trials[0] for backend, trials in tried.items()}
        plot = partial(plot_trials, first, declaration.name) if any(row["solutions"] for row in rows) else None
        if chosen.plot is not None and plot is None:
            complain("no backend found a solution, so nothing is plotted", code)
        code = max(code, tables.write(partial(as_csv, tried), plot))
        return _report_contradictions(runs, puzzle, code, chosen.json)


def _report_contradictions(trials: Sequence[Trial], puzzle: Puzzle | None, code: int, quiet: bool) -> int:
    """Report the runs that failed or that contradict each other, with a solution as an example.

    Returns the exit code. puzzle: draws the solution; None if the puzzle could not be declared. code: the exit code so
    far. quiet: draw no solution.
    """
    for trial in trials:
        if not trial.is_complete and code in (DONE, INCOMPLETE):
            code = complain(
                f"{trial.backend}: ended by {trial.row['stopped_by']}; its counts are lower bounds", INCOMPLETE
            )
        if trial.complaint:
            code = complain(f"{trial.backend}: {trial.complaint}", SHOULD_NEVER_HAPPEN)
    for disagreement in disagreements(trials):
        code = complain(disagreement.sentence, SHOULD_NEVER_HAPPEN)
        if disagreement.line and puzzle and not quiet:
            zeros = dict.fromkeys(puzzle.key, 0) if puzzle.draw else {}  # lines without zeros are a list of literals
            print(draw.solution(puzzle, zeros | dict(literals_from_json(disagreement.line, puzzle.key))))
    return code


def _command_words(declaration: Declaration, chosen: argparse.Namespace, run_values: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line of each run, without its backend.

    declaration: the puzzle. chosen: the parsed options. run_values: those of `Options`.
    """
    arguments = arguments_of(declaration, chosen)
    return [chosen.puzzle, *words_for(declaration.parameters, arguments, run_values)]


def _try_backends(
    blank: Report, words: Sequence[str], chosen: argparse.Namespace, folder: Path, stop: threading.Event
) -> dict[str, list[Trial]]:
    """Run each backend as often as asked, round by round; return the trials by backend.

    A backend whose run is not complete is not tried again. blank: the report to use for a run that gives none. words:
    the command line of each run. folder: for files of solutions. stop: ends the current run, and later runs are left
    out. chosen: the parsed options.
    """
    backends: Sequence[str] = chosen.backends or backends_to_compare()
    line = ProgressLine(chosen.quiet)
    trials: dict[str, list[Trial]] = {}
    for number in range(chosen.repeat):
        for place, backend in enumerate(backends, 1):
            if stop.is_set() or not all(trial.is_complete for trial in trials.get(backend, ())):
                continue
            began = time.monotonic()

            def watch(
                solutions: int, title: str = f"{backend} ({place} of {len(backends)})", began: float = began
            ) -> None:
                seconds = time.monotonic() - began
                line.show_progress(
                    lambda: f"{title}: {number_with_unit(solutions, 'solutions')} up to symmetry, {seconds:.0f} s"
                )

            file = folder / f"{place}-{number}.jsonl"
            trials.setdefault(backend, []).append(try_out(blank, words, backend, file, stop, watch))
    line.clear()
    return trials


def as_table(rows: Sequence[Mapping[str, Any]], repeat: int) -> str:
    """Return two tables in text: times and counts, and the statistics of each solver.

    Times have their ratio to the fastest complete run. rows: the reports of the backends. repeat: the number of runs of
    each.
    """
    fastest = min((row["seconds"]["all"] for row in rows if row["complete"]), default=None)

    def cells(row: Mapping[str, Any]) -> Iterator[str]:
        seconds, at_least = row["seconds"], "" if row["complete"] else "≥ "
        yield row["backend"]
        yield "yes" if row["complete"] else f"no ({row['stopped_by']})"
        yield from (f"{at_least}{row[count]}" for count in ("solutions", "total"))
        yield from ("" if seconds[phase] is None else f"{seconds[phase]:.2f}" for phase in ("build", "first", "all"))
        yield f"{max(row['memory'].values()) / 1e6:.0f}" if row["memory"] else ""
        yield f"{at_least}{seconds['all'] / fastest:.1f}" if fastest else ""

    headers = (
        "backend",
        "complete",
        "solutions",
        "in all",
        "build s",
        "first s",
        "all s",
        "MB",
        "ratio",
    )
    note = f"\nmedians of {repeat} runs" if repeat > 1 else ""
    times = tabulate(map(cells, rows), headers, disable_numparse=True, colalign=["left"] * 2 + ["right"] * 7) + note
    terms_text = tabulate([(row["backend"], *terms(row)) for row in rows], ("backend", *TERMS), disable_numparse=True)
    return f"{times}\n\n{terms_text}"


def as_csv(tried: Mapping[str, Sequence[Trial]]) -> str:
    """Return the runs as a table in CSV, with a line for each; tried: the runs of each backend.

    A backend with several complete runs also gets a line with their medians. Nested values become columns such as
    seconds.all; seconds.cpu is the processor time of all processes of a run.
    """
    rows: list[Mapping[str, Any]] = []
    for trials in tried.values():
        rows += [_row(number, trial.row, trial.cpu) for number, trial in enumerate(trials, 1)]
        if len(trials) > 1 and all(trial.is_complete for trial in trials):
            rows.append(_row("median", summary(trials), median(trial.cpu for trial in trials)))
    flat = [dict(_report_columns(row)) for row in rows]
    columns = dict.fromkeys(column for row in flat for column in row)
    fields = list(rows[0]) if rows else []
    text = StringIO(newline="")
    writer = csv.DictWriter(text, sorted(columns, key=lambda column: fields.index(column.partition(".")[0])))
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _row(run: int | str, row: Mapping[str, Any], cpu: float) -> dict[str, Any]:
    """Return the report of a run as a row of the table, with two more entries.

    run: the number of the run, or "median" for medians. row: the report. cpu: the processor time in seconds.
    """
    return {"run": run, **row, "seconds": {**row["seconds"], "cpu": round(cpu, 3)}}


def _report_columns(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (column, value) pairs of a report; the names of nested values are joined with dots.

    prefix: begins each column; a dot ends it.
    """
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _report_columns(value, f"{prefix}{name}.")
        else:
            yield prefix + printable(name), printable(value) if isinstance(value, str) else value


def plot_trials(trials: Mapping[str, Trial], title: str) -> "Figure":
    """Return a plot of solutions up to symmetry over time, with a line for each backend.

    A mark ends a complete run. Dashes and marks tell the lines apart without colours. trials: one run of each backend,
    by its name. title: the heading.
    """
    import matplotlib.style
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from solvers.extras.studies.survey.plot import LOOK

    with matplotlib.style.context(LOOK):
        figure = Figure(figsize=(8, 5 + 0.4 * len(trials)), layout="constrained")
        axes = figure.subplots()
        looks = zip(trials.items(), cycle(("-", "--", ":", "-.")), cycle("os^Dv"), strict=False)
        for (backend, trial), dashes, mark in looks:
            times, counts = zip(*trial.timeline, strict=True)
            did, model, _ = terms(trial.row)
            label = f"{backend}: {did}\n  {model}"
            ends = [len(times) - 1] if trial.is_complete else []
            axes.step(times, counts, dashes, where="post", label=label, marker=mark, markevery=ends)
        axes.set(title=title, xlabel="seconds, start-up included", ylabel="solutions up to symmetry", ylim=(0, None))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        figure.legend(loc="outside lower center", fontsize="small")
    return figure
