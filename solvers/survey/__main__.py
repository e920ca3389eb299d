"""python -m solvers.survey PUZZLE: one puzzle in many variants, a row for each."""

import argparse
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from solvers.backends.registry import backend_kind
from solvers.endings import BAD_INPUT, DONE, INCOMPLETE, Ending
from solvers.errors import InputError, StoreError
from solvers.files.catalogue import Declaration
from solvers.options import Options, available_processors
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.running.runner import row_of
from solvers.show.plain import counted
from solvers.show.printable import paint
from solvers.survey import runs
from solvers.survey.journal import Journal
from solvers.survey.rows import FACTS, KINDS, Survey, Variant
from solvers.survey.variants import Row, values_of, variants
from solvers.terminal.arguments import Parser, add_options, check_name, check_plottable, chosen_options, parsed
from solvers.terminal.command import command, complain, heed_signals
from solvers.terminal.progress import CLEAR

RUN_OPTIONS = (
    *("backend", "all", "symmetry", "given", "unique", "count_only", "limit", "time_limit", "jobs", "seed", "store"),
    "solver_parameters",
)

EPILOG = """A parameter of the puzzle takes several values: a list, a range of whole numbers
such as 3..8, or a file with a value on each line or with drawings divided by
empty lines. Several parameters make all combinations. --time-limit is for each.

examples:
  python -m solvers.survey pentomino --board 3x20 4x15 5x12 6x10 --backend cover
  python -m solvers.survey packing --board 4x5 --pieces 'dominoes x*' --holes 0..3"""


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    unnamed = "name a puzzle, such as pentomino; python -m solvers.run --list shows all of them"
    return _run(*parsed(words, _add_options, parser, unnamed))


def parser(declaration: Declaration | None) -> Parser:
    """The command line of a puzzle: values for its parameters, and the options of all its runs."""
    name = declaration.name if declaration else "PUZZLE"
    result = Parser(
        prog=f"python -m solvers.survey {name}",
        usage="%(prog)s [OPTION ...]",
        description="Run a puzzle in many variants; a row for each.",
        epilog=EPILOG,
    )
    result.add_argument("puzzle", nargs="?", help=argparse.SUPPRESS)
    own = result.add_argument_group(f"parameters of {declaration.name if declaration else 'the puzzle'}")
    _add_options(result)
    for parameter in declaration.parameters if declaration else ():
        check_name(result, name, parameter)
        meaning = f"{parameter.meaning} (default: {parameter.default})".replace("%", "%%")
        own.add_argument(parameter.option, dest=f"of {parameter.name}", nargs="+", metavar="VALUE", help=meaning)
    return result


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_options(parser.add_argument_group("each run"), RUN_OPTIONS)
    output = parser.add_argument_group("output")
    output.add_argument("--only", choices=[*KINDS], metavar="KIND", help=f"show only these rows: {', '.join(KINDS)}")
    output.add_argument("--sort", metavar="NAME", help=f"by a parameter or {', '.join(FACTS)}")
    output.add_argument("--reverse", action="store_true", help="the largest first")
    output.add_argument("--json", action="store_true", help="print a list of the runs' JSON objects and nothing else")
    output.add_argument("--csv", metavar="FILE", help="write the rows (- prints them)")
    output.add_argument("--plot", metavar="FILE", help="draw solutions over variants (.png, .svg or .pdf)")
    output.add_argument("--quiet", action="store_true", help="no line of progress on the terminal")


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    backend_kind(chosen.backend or "auto")
    if chosen.plot is not None:
        check_plottable(chosen.plot)
    if chosen.csv == "-" and chosen.json:
        raise InputError("--json prints nothing else; name a file for --csv")
    texts = {p.name: getattr(chosen, f"of {p.name}") for p in declaration.parameters}
    named = {name: some for name, some in texts.items() if some is not None}
    values = {p.name: _values(p, named[p.name]) for p in declaration.parameters if p.name in named}
    path = None if chosen.csv == "-" else chosen.csv
    writes = {"csv": path, "plot": chosen.plot, "store": chosen.store}
    check_paths(inputs(declaration.name, named, chosen.given, None), writes)
    options = Options(**chosen_options(chosen, RUN_OPTIONS))
    every = variants(declaration, values)
    varied = (
        [name for name in named if len(values[name]) > 1] or list(named) or [p.name for p in declaration.parameters]
    )
    table = FileOutput(path, "--csv") if path is not None else None
    plot = FileOutput(chosen.plot, "--plot") if chosen.plot is not None else None
    Survey(declaration.name, varied, []).sorted(chosen.sort or "solutions")  # refuses a name before the work
    found, endings = _found(declaration, every, options, chosen)
    done = [Variant(arguments, found[place]) for place, arguments in enumerate(every) if place in found]
    survey = Survey(declaration.name, varied, done)
    shown = survey.only(chosen.only) if chosen.only else survey
    shown = shown.sorted(chosen.sort, chosen.reverse) if chosen.sort else shown
    if chosen.json:
        print(shown.as_json())
    elif chosen.csv == "-":
        print(shown.as_csv(), end="")
    else:
        paint(sys.stdout, f"{shown}\n\n{survey.summary()}\n")
    code = DONE
    if endings:
        missing = counted(len(every) - len(done), "variants")
        code = complain(f"{declaration.name}: ended by {endings[0][1]}; {missing} left", endings[0][0])
    elif done and all(row.refused for row in done):
        code = complain(f"every variant was refused: {done[0].refused}", BAD_INPUT)
    elif late := [row for row in survey.only("incomplete") if row.report["stopped_by"] not in ENOUGH]:
        sentence = f"{counted(len(late), 'variants')} did not come to the end, such as one ended by"
        code = complain(f"{declaration.name}: {sentence} {late[0].report['stopped_by']}", INCOMPLETE)
    try:
        if table:
            with table.stream() as stream:
                stream.write(shown.as_csv())
        if plot:
            with plot.stream() as stream:
                shown.plot().savefig(stream.buffer, format=plot.path.suffix[1:])  # type: ignore[attr-defined]
    except OSError as error:
        code = max(code, complain(f"cannot write the rows or the plot: {error.strerror}", INCOMPLETE))
    return code


ENOUGH = (Ending.LIMIT.words, Ending.SECOND_SOLUTION.words)


def _values(parameter: Any, texts: Sequence[str]) -> list[Any]:
    """The values of a parameter; one that takes several takes them all at once."""
    return [[*texts]] if parameter.repeated else values_of(parameter, texts)


def _found(
    declaration: Declaration, every: Sequence[dict[str, Any]], options: Options, chosen: argparse.Namespace
) -> tuple[dict[int, Row], list[tuple[int, str]]]:
    """The rows by the variant's place, and what ended the survey early: an exit code and words."""
    stop, endings = threading.Event(), list[tuple[int, str]]()

    def end(ending: Ending) -> None:
        endings.append((ending.code, ending.words))
        stop.set()

    heed_signals(end)
    journal = Journal(options.store, declaration.name, options) if options.store is not None else None
    found = journal.known(every) if journal else {}
    left = [runs.Variant(place, arguments) for place, arguments in enumerate(every) if place not in found]
    terminal = sys.stderr if sys.stderr.isatty() and not chosen.quiet else None
    shown = time.monotonic()
    new: list[tuple[dict[str, Any], Row]] = []
    each = Options(**{**vars(options), "store": None})
    try:
        for row in runs.rows(row_of, declaration.name, None, left, each, options.jobs or available_processors(), stop):
            if row is not None:
                found[row[0]] = row[1]
                new.append((every[row[0]], row[1]))
            if journal and new and (row is None or len(new) >= runs.MOST_IN_CHUNK):
                journal.record(new)
                new = []
            if terminal and time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                paint(terminal, CLEAR)
                terminal.write(f"{declaration.name}: {len(found):,} of {counted(len(every), 'variants')} ")
                terminal.flush()
        if journal:
            journal.record(new)
    except StoreError as error:
        endings.append((INCOMPLETE, f"{Ending.STORE.words}: {error}"))
    finally:
        if journal:
            journal.close()
        if terminal:
            paint(terminal, CLEAR)
            terminal.flush()
    return found, endings


if __name__ == "__main__":
    sys.exit(command(main))
