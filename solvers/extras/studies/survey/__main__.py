"""python -m solvers survey PUZZLE: one puzzle in many variants, a row for each."""

import argparse
import sys
from typing import Any

from solvers.backends.registry import check_backend
from solvers.endings import BAD_INPUT, DONE, INCOMPLETE, Ending
from solvers.errors import StoreError
from solvers.extras.studies.survey import runs
from solvers.extras.studies.survey.rows import FACTS, KINDS, Survey, Variant
from solvers.extras.studies.survey.tables import TableOutputs
from solvers.extras.studies.survey.variants import Row, values_of, variants
from solvers.files.catalogue import Declaration, Parameter
from solvers.options import Options
from solvers.outputs.paths import inputs
from solvers.show.plain import counted
from solvers.show.printable import paint
from solvers.terminal.arguments import PuzzleParser
from solvers.terminal.command import StopEvent, command, complain
from solvers.terminal.progress import ProgressLine

EPILOG = """A parameter of the puzzle takes several values: a list, a range of whole numbers
such as 3..8, or a file with a value on each line or with drawings divided by
empty lines. Several parameters make all combinations. --time-limit is for each.

examples:
  python -m solvers survey pentomino --board 3x20 4x15 5x12 6x10 --backend cover
  python -m solvers survey packing --board 4x5 --pieces 'dominoes x*' --holes 0..3"""


def main(words: list[str]) -> int:
    """Run the command ``survey``, which solves many variants of a puzzle; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    unnamed = "name a puzzle, such as pentomino; python -m solvers.run --list shows all of them"
    options = parser()
    declaration, chosen = options.parse_puzzle(words, unnamed, add=_add_values)
    return _run(declaration, chosen, Options(**options.of_a_run(chosen)))


def _add_values(group: Any, parameter: Parameter) -> None:
    """Add the option for a parameter of the puzzle, with several values, to an argument group."""
    meaning = f"{parameter.meaning} (default: {parameter.default})".replace("%", "%%")
    group.add_argument(parameter.option, dest=f"of {parameter.name}", nargs="+", metavar="VALUE", help=meaning)


def parser() -> PuzzleParser:
    """Return the parser of the command line, with the options that all puzzles share."""
    parser = PuzzleParser("python -m solvers survey", "Run a puzzle in many variants; a row for each.", EPILOG)
    run = parser.add_argument_group("each run")
    parser.offer("backend symmetry given unique count_only limit time_limit jobs seed store solver_parameters", run)
    output = parser.add_argument_group("output")
    output.add_argument("--only", choices=[*KINDS], metavar="KIND", help=f"show only these rows: {', '.join(KINDS)}")
    output.add_argument("--sort", metavar="NAME", help=f"sort the rows by a parameter or {', '.join(FACTS)}")
    output.add_argument("--reverse", action="store_true", help="sort the largest first")
    TableOutputs.add_options(output, "the rows", "solutions over variants")
    return parser


def _run(declaration: Declaration, chosen: argparse.Namespace, options: Options) -> int:
    """Run all variants, print and write the rows, and return the exit code.

    chosen: the values of all options. options: those of each run. Raises `InputError` if a value or an option is wrong.
    declaration: the puzzle.
    """
    check_backend(chosen.backend or "auto")
    texts = {p.name: getattr(chosen, f"of {p.name}") for p in declaration.parameters}
    named = {name: some for name, some in texts.items() if some is not None}
    values = {p.name: values_of(p, named[p.name]) for p in declaration.parameters if p.name in named}
    tables = TableOutputs(chosen, inputs(declaration.name, named, chosen.given, None), chosen.store)
    every = variants(declaration, values)
    varied = (
        [name for name in named if len(values[name]) > 1] or list(named) or [p.name for p in declaration.parameters]
    )
    Survey(declaration.name, varied, []).sorted(chosen.sort or "solutions")  # refuses a name before the work
    stop, line, lost = StopEvent(), ProgressLine(chosen.quiet), ""
    found: dict[int, Row] = {}

    def tell() -> None:
        line.say(lambda: f"{declaration.name}: {len(found):,} of {counted(len(every), 'variants')}")

    try:
        runs.collect(found, declaration.name, None, every, options, stop, tell)
    except StoreError as error:
        lost = f"{Ending.STORE.words}: {error}"
    line.clear()
    done = [Variant(arguments, found[place]) for place, arguments in enumerate(every) if place in found]
    survey = Survey(declaration.name, varied, done)
    shown = survey.only(chosen.only) if chosen.only else survey
    shown = shown.sorted(chosen.sort, chosen.reverse) if chosen.sort else shown
    paint(sys.stdout, tables.text(shown.as_json, shown.as_csv, lambda: f"{shown}\n\n{survey.summary()}"))
    code = DONE
    if stop.ending or lost:
        missing = counted(len(every) - len(done), "variants")
        words, code = (stop.ending.words, stop.ending.code) if stop.ending else (lost, INCOMPLETE)
        complain(f"{declaration.name}: ended by {words}; {missing} left", code)
    elif done and all(row.refused for row in done):
        code = complain(f"every variant was refused: {done[0].refused}", BAD_INPUT)
    elif late := [row for row in survey.only("incomplete") if row.report["stopped_by"] not in ENOUGH]:
        sentence = f"{counted(len(late), 'variants')} did not finish, such as one ended by"
        code = complain(f"{declaration.name}: {sentence} {late[0].report['stopped_by']}", INCOMPLETE)
    return max(code, tables.write(shown.as_csv, shown.plot))


ENOUGH = (Ending.LIMIT.words, Ending.SECOND_SOLUTION.words)
"""The endings of a run that the user asked for, so that they are no failure."""


if __name__ == "__main__":
    sys.exit(command(main))
