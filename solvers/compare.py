"""python -m solvers.compare PUZZLE: one puzzle on every backend, each in a process of its own, side by side."""

import argparse
import csv
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from models.puzzle import Puzzle
from solvers.backends.registry import backend_kind
from solvers.endings import BAD_INPUT, DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN, Ending
from solvers.errors import InputError
from solvers.files.catalogue import Declaration
from solvers.files.solutions import from_json
from solvers.options import count
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.show import draw
from solvers.show.plain import counted
from solvers.show.printable import paint, printable
from solvers.show.report import Report
from solvers.terminal.arguments import (
    Parser,
    add_options,
    add_parameters,
    check_plottable,
    chosen_options,
    parsed,
    typed,
    words_for,
)
from solvers.terminal.command import Ended, aside, command, complain, heed_signals
from solvers.terminal.progress import CLEAR
from solvers.terminal.trials import Trial, disagreements, summary, try_out

BACKENDS = ("cp-sat", "cp", "sat:cadical195", "sat:cadical153", "sat:glucose42", "sat:maplecm", "sat:minicard", "cover")
"""Compared by default; of the SAT solvers one of each kind: two CaDiCaLs that differ in how they restart and simplify,
a Glucose, a Maple, and MiniSat's kind with native cardinality constraints. What does not apply is left out."""


EPILOG = """PUZZLE is as for solvers.run. Exit code 1: the backends disagree; 3: one of
them ran out of time.

examples:
  python -m solvers.compare pentomino --board 3x20
  python -m solvers.compare magic --kind ring --backends cp-sat,sat --repeat 5"""


RUN_OPTIONS = ("all", "symmetry", "given", "time_limit", "jobs", "cubes", "seed")
"""Those of `solvers.options.Options` that each run is given."""


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    unnamed = "name a puzzle, such as pentomino; python -m solvers.run --list shows all of them"
    return _run(*parsed(words, _add_options, parser, unnamed))


def parser(declaration: Declaration | None) -> Parser:
    """The command line of a puzzle: its own parameters and what a comparison asks."""
    result = Parser(
        prog=f"python -m solvers.compare {declaration.name if declaration else 'PUZZLE'}",
        usage="%(prog)s [OPTION ...]",
        description="Run a puzzle on several backends in turn; compare times and solutions.",
        epilog=EPILOG,
    )
    result.add_argument("puzzle", nargs="?", help=argparse.SUPPRESS)
    own = result.add_argument_group(f"parameters of {declaration.name if declaration else 'the puzzle'}")
    _add_options(result)
    if declaration:
        add_parameters(own, declaration)
    return result


def _add_options(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("the comparison")
    run.add_argument(
        "--backends",
        type=typed(_backends),
        metavar="LIST",
        help="separated by commas (default: cp-sat, cp, some of sat, cover)",
    )
    run.add_argument(
        "--repeat", type=typed(count), default=1, metavar="K", help="run each K times, show medians (default: 1)"
    )
    add_options(run, RUN_OPTIONS)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print a list of the runs' JSON objects and nothing else")
    output.add_argument("--csv", metavar="FILE", help="write all that runs report, and medians (- prints it)")
    output.add_argument("--plot", metavar="FILE", help="draw solutions over time (.png, .svg or .pdf)")
    output.add_argument("--quiet", action="store_true", help="no line of progress on the terminal")


def _backends(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise InputError("no backend is named; give some, such as cp-sat,sat,cover")
    return names


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    for name in chosen.backends or ():
        backend_kind(name)
    stop, endings = threading.Event(), list[Ending]()

    def end(ending: Ending) -> None:
        endings.append(ending)
        stop.set()

    heed_signals(end)
    if chosen.plot is not None:
        check_plottable(chosen.plot)
    arguments = {parameter.name: getattr(chosen, parameter.name) for parameter in declaration.parameters}
    prints_csv = chosen.csv == "-"
    if prints_csv and chosen.json:
        raise InputError("--json prints nothing else; name a file for --csv")
    path = None if prints_csv else chosen.csv
    check_paths(inputs(declaration.name, arguments, chosen.given, None), {"csv": path, "plot": chosen.plot})
    table = FileOutput(path, "--csv") if path is not None else None
    plot = FileOutput(chosen.plot, "--plot") if chosen.plot is not None else None
    try:
        puzzle = aside(lambda _: declaration.declare(**arguments))
    except Ended:  # then nothing is tried
        puzzle = None
    with TemporaryDirectory() as folder:
        blank = Report(declaration.name, arguments)
        tried = _tried(blank, _words(declaration, chosen), chosen, Path(folder), stop)
        left_out = {backend: trials[0].complaint for backend, trials in tried.items() if trials[0].is_refusal}
        if left_out and len(left_out) == len(tried):
            raise InputError(next(iter(left_out.values())))
        for backend in left_out:
            del tried[backend]
        rows = [summary(trials) for trials in tried.values()]
        for row in rows:
            if endings and not row["complete"]:
                row["stopped_by"] = endings[0].words
        lines = as_csv(tried) if chosen.csv else ""
        text = json.dumps(rows) if chosen.json else as_table(rows, chosen.repeat)
        print(lines if prints_csv else text, end="" if prints_csv else "\n", flush=True)
        code = complain(f"ended by {endings[0].words}", endings[0].code) if endings else DONE
        for backend, why in left_out.items():
            code = max(code, complain(f"{backend} is left out: {why}", BAD_INPUT if chosen.backends else DONE))
        try:
            if table:
                with table.stream() as stream:
                    stream.write(lines)
            if plot:
                draw_plot({backend: trials[0] for backend, trials in tried.items()}, blank.puzzle, plot)
        except OSError as error:
            code = max(code, complain(f"cannot write the rows or the plot: {error.strerror}", INCOMPLETE))
        return _judged([trial for trials in tried.values() for trial in trials], puzzle, code, chosen.json)


def _judged(trials: Sequence[Trial], puzzle: Puzzle | None, code: int, quiet: bool) -> int:
    """Say which runs failed and which contradict each other, and show a solution on which they do; the exit code."""
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
            print(draw.solution(puzzle, from_json(disagreement.line, puzzle.key)))
    return code


def _words(declaration: Declaration, chosen: argparse.Namespace) -> list[str]:
    """The command line of each run, but for its backend."""
    arguments = {parameter.name: getattr(chosen, parameter.name) for parameter in declaration.parameters}
    return [chosen.puzzle, *words_for(declaration.parameters, arguments, chosen_options(chosen, RUN_OPTIONS))]


def _tried(
    blank: Report, words: Sequence[str], chosen: argparse.Namespace, folder: Path, stop: threading.Event
) -> dict[str, list[Trial]]:
    """The runs of each backend, round by round; one that does not come to its end is not tried again."""
    backends: Sequence[str] = chosen.backends or BACKENDS
    terminal = sys.stderr if sys.stderr.isatty() and not chosen.quiet else None
    trials: dict[str, list[Trial]] = {}
    for number in range(chosen.repeat):
        for place, backend in enumerate(backends, 1):
            if stop.is_set() or not all(trial.is_complete for trial in trials.get(backend, ())):
                continue
            began = time.monotonic()

            def watch(
                solutions: int, title: str = f"{backend} ({place} of {len(backends)})", began: float = began
            ) -> None:
                if terminal:
                    seconds = time.monotonic() - began
                    paint(terminal, CLEAR)
                    terminal.write(f"{title}: {counted(solutions, 'solutions')} up to symmetry, {seconds:.0f} s ")
                    terminal.flush()

            file = folder / f"{place}-{number}.jsonl"
            trials.setdefault(backend, []).append(try_out(blank, words, backend, file, stop, watch))
    if terminal:
        paint(terminal, CLEAR)
        terminal.flush()
    return trials


def as_table(rows: Sequence[Mapping[str, Any]], repeat: int) -> str:
    """The rows for people, with the ratio of each time to the best of a complete run."""
    fastest = min((row["seconds"]["all"] for row in rows if row["complete"]), default=None)

    def cells(row: Mapping[str, Any]) -> Iterator[str]:
        seconds, at_least = row["seconds"], "" if row["complete"] else "≥ "
        yield row["backend"]
        yield "yes" if row["complete"] else f"no ({row['stopped_by']})"
        yield from (f"{at_least}{row[count]}" for count in ("solutions", "total"))
        yield from ("" if seconds[phase] is None else f"{seconds[phase]:.2f}" for phase in ("build", "first", "all"))
        yield f"{max(row['memory'].values()) / 1e6:.0f}" if row["memory"] else ""
        yield from (str(row["statistics"].get(unit, "")) for unit in ("conflicts", "nodes"))
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
        "conflicts",
        "nodes",
        "ratio",
    )
    note = f"\nmedians of {repeat} runs" if repeat > 1 else ""
    return tabulate(map(cells, rows), headers, disable_numparse=True, colalign=["left"] * 2 + ["right"] * 9) + note


def as_csv(tried: Mapping[str, Sequence[Trial]]) -> str:
    """Each run of each backend with all that it reports, and behind several their medians, if all came to their end.

    What is nested goes into columns such as seconds.all; seconds.cpu are those of all its processes together.
    """
    rows: list[Mapping[str, Any]] = []
    for trials in tried.values():
        rows += [_row(number, trial.row, trial.cpu) for number, trial in enumerate(trials, 1)]
        if len(trials) > 1 and all(trial.is_complete for trial in trials):
            rows.append(_row("median", summary(trials), median(trial.cpu for trial in trials)))
    flat = [dict(_flat(row)) for row in rows]
    columns = dict.fromkeys(column for row in flat for column in row)
    fields = list(rows[0]) if rows else []
    text = StringIO(newline="")
    writer = csv.DictWriter(text, sorted(columns, key=lambda column: fields.index(column.partition(".")[0])))
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _row(run: int | str, row: Mapping[str, Any], cpu: float) -> dict[str, Any]:
    return {"run": run, **row, "seconds": {**row["seconds"], "cpu": round(cpu, 3)}}


def _flat(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + printable(name), printable(value) if isinstance(value, str) else value


def draw_plot(trials: Mapping[str, Trial], title: str, output: FileOutput) -> None:
    """Solutions up to symmetry over time, a line for each backend; a dot ends those that searched the whole space."""
    import matplotlib.style
    from matplotlib.figure import Figure

    with matplotlib.style.context("tableau-colorblind10"):
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for backend, trial in trials.items():
            times, counts = zip(*trial.timeline, strict=True)
            (line,) = axes.step(times, counts, where="post", label=backend)
            if trial.is_complete:
                axes.plot(times[-1:], counts[-1:], "o", color=line.get_color())
        axes.set(title=title, xlabel="seconds, start-up included", ylabel="solutions up to symmetry", ylim=(0, None))
        axes.legend()
        with output.stream() as stream:
            figure.savefig(stream.buffer, format=output.path.suffix[1:])  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(command(main))
