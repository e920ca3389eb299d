"""python -m solvers.run PUZZLE (or FILE): count every solution of a puzzle."""

import argparse
import gc
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from models import COLLECTION
from models.boards.compressed import ENDINGS
from solvers.backends.registry import check_backend, module_of
from solvers.base.backend_rows import AUTO, BACKENDS
from solvers.base.endings import DONE
from solvers.base.errors import InputError
from solvers.base.options import Conflict, Options, from_zero, refuse_conflicts
from solvers.base.plugs import FUNCTIONS, OUTPUTS, SETTINGS, load
from solvers.files.catalogue import AS_PROGRAM, LOADERS, Declaration, blame_declaration, find
from solvers.outputs.paths import check_paths, inputs
from solvers.show.printable import paint, printable
from solvers.terminal.arguments import Parser, PuzzleParser, add_parameter, argparse_reader, arguments_of
from solvers.terminal.calls import on_cluster
from solvers.terminal.command import command

if TYPE_CHECKING:
    from models.puzzle import Solution
    from solvers.outputs.output import EndedRun, Output
    from solvers.outputs.selection import PropertyCondition
    from solvers.running.question import Question
    from solvers.running.runner import Run

CONFLICTS: "Sequence[Conflict]" = (
    (
        [option for option, row in OUTPUTS.items() if row.needs_all],
        ("count-only", "limit", "unique"),
        "a certificate lists all solutions, and --{1} does not; leave one of them out",
    ),
    (
        ("count-only",),
        [option for option, row in OUTPUTS.items() if row.lists_solutions],
        "--count-only keeps no solutions, so --{1} has nothing to write; leave one of them out",
    ),
    (
        ("count-only",),
        ("draw",),
        "--count-only keeps no solutions, so --{1} has nothing to show; leave one of them out",
    ),
    (("json",), ("draw",), "--json prints nothing else; leave out --{1}"),
    (
        ("where",),
        (
            *(option for option, row in OUTPUTS.items() if row.needs_all or not row.lists_solutions),
            "sample",
            "count-only",
        ),
        "--where selects solutions that were listed, and --{1} is about all of them; leave one of them out",
    ),
)
"""The conflicts between options of the command, besides those of `Options`."""

NONE_FOUND = "There is no solution; python -m solvers why, with the same words, gives the reason."
"""The line that is printed if there is no solution."""

FORMATS = textwrap.fill(", ".join(ending for ending in (".py", *LOADERS) if ending != AS_PROGRAM), 74)

EPILOG = f"""PUZZLE is a name (see --list) or a file of your own, which ends in
{FORMATS}.
A Python file or a notebook is run; words behind -- are for it. The other formats
run nothing. Files other than Python may be compressed ({", ".join(ENDINGS)}).
A puzzle's own parameters: python -m solvers.run PUZZLE --help
Other commands: python -m solvers --help"""


def main(words: list[str]) -> int:
    """Run the command ``run``: find, count and show the solutions of a puzzle; return the exit code.

    words: its command line, without the command's own name. Some options print a list or a help text instead. Raises
    `InputError` for options that are wrong.
    """
    options = parser()
    if len(words) > 1 and words[0] not in COLLECTION and words[1] in COLLECTION and not words[0].startswith("-"):
        raise InputError(f"there is no command {words[0]!r}; python -m solvers run {words[1]} counts its solutions")
    # Before the puzzle is known, only the options that ask for lists and help are looked at.
    first, _ = options.parse_known_args(words)
    if first.list:
        print("\n".join(f"{name:12} {find(name).summary}" for name in COLLECTION))
        return DONE
    if first.version:
        from solvers.show.versions import version_lines

        print(version_lines())
        return DONE
    if first.list_backends:
        return _list_backends()
    if first.help and first.puzzle is not None:
        _help_of_puzzle(find(first.puzzle)).print_help()
        return DONE
    unnamed = "name a puzzle, such as pentomino; --list shows all of them, --help the options"
    declaration, chosen = options.parse_puzzle(words, unnamed)
    with blame_declaration(declaration.name, declaration.name not in COLLECTION):
        # Outputs may have an option ``marginals``, for which they have to be counted.
        is_asked = getattr(chosen, "marginals", None) is not None
        code = _run(declaration, chosen, options.run_options(chosen, marginals=is_asked), words)
    if declaration.name in COLLECTION:  # a file of one's own may leave something open, which garbage collection closes
        gc.freeze()
    return code


def _help_of_puzzle(declaration: Declaration) -> Parser:
    """Return the parser whose help shows the parameters of one puzzle only, and an example with one of them.

    declaration: the puzzle. The example gives the first parameter that is a text its default, if there is such a
    parameter.
    """
    text_options = (
        [parameter.option, str(parameter.default)]
        for parameter in declaration.parameters
        if parameter.kind is str and parameter.default
    )
    example = [declaration.name, *next(text_options, [])]
    result = Parser(
        prog=f"python -m solvers.run {declaration.name}",
        usage="%(prog)s [OPTION ...]",
        description=textwrap.fill(declaration.summary, 78),
        epilog=f"All other options: python -m solvers.run --help\nExample: python -m solvers.run {shlex.join(example)}",
    )
    group = result.add_argument_group(f"parameters of {declaration.name}")
    for parameter in declaration.parameters:
        add_parameter(group, parameter)
    return result


def parser() -> PuzzleParser:
    """Return the parser of the command line with all options.

    Each output and each setting of outputs that a wing brings (`OUTPUTS`, `SETTINGS`) is an option. Parameters of a
    puzzle are added once it is known.
    """
    parser = PuzzleParser("python -m solvers.run", "Count every solution of a puzzle.", EPILOG)
    run = parser.add_argument_group("the run")
    # `offer` adds options of a run by the names of fields of `Options`.
    parser.offer("backend symmetry breaking given unique count_only method memory verify verified", run)
    parser.offer("limit time_limit jobs cubes seed store solver_parameters cluster", run)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    for option, row in OUTPUTS.items():
        output.add_argument(f"--{option}", metavar="FOLDER" if row.is_folder else "FILE", help=row.meaning)
    for option, setting in SETTINGS.items():
        form = {"metavar": setting.metavar, "choices": setting.choices}
        output.add_argument(
            f"--{option.replace('_', '-')}",
            help=setting.meaning,
            **({"action": "store_true", "default": None} if setting.is_flag else form),
        )
    parser.offer("by apart unique_apart sample", output)
    output.add_argument(
        "--draw", type=argparse_reader(from_zero), metavar="K", help="show the first K solutions (default: 1)"
    )
    output.add_argument(
        "--where",
        action="append",
        metavar="NAME=VALUE",
        help="write and show only such solutions (orbit=1); repeatable",
    )
    output.add_argument("--quiet", action="store_true", help="show no progress")
    output.add_argument("--version", action="store_true", help="print the versions and the checksum of the source")
    output.add_argument("--list", action="store_true", help="list the puzzles")
    output.add_argument("--list-backends", action="store_true", help="list the installed backends")
    return parser


def _run(declaration: Declaration, chosen: argparse.Namespace, options: Options, words: "Sequence[str]") -> int:
    """Run what the command line asks for, print and write the results, and return the exit code.

    declaration: the puzzle. chosen: the values of its parameters and of the options of the command. options: those of
    the run. words: the command line, for the report. `CommandRun` searches with signals and progress, and writes the
    outputs. Raises `InputError` for options that are wrong or not possible.
    """
    check_backend(options.backend)
    refuse_conflicts({name.replace("_", "-"): value for name, value in vars(chosen).items()}, CONFLICTS)
    _refuse_idle_settings(chosen)
    arguments = arguments_of(declaration, chosen)
    check_paths(
        inputs(declaration.name, arguments, chosen.given, None),
        {option: getattr(chosen, option) for option in ("store", *OUTPUTS)},
    )
    outputs: list[Output] = []
    conditions: list[PropertyCondition] = []
    for option, row in OUTPUTS.items():
        if (path := getattr(chosen, option)) is not None:
            settings = {name: value for name in row.settings if (value := getattr(chosen, name)) is not None}
            # `load` imports the class of the output, which is made with the path and its settings.
            outputs.append(load(row.place, f"--{option}")(path, **settings))

    def begin(question: "Question") -> None:
        if chosen.where:
            from solvers.outputs.selection import PropertyCondition

            conditions.extend(PropertyCondition(question, text) for text in chosen.where)
        for output in outputs:
            output.begin(question)

    from solvers.running.runner import Run
    from solvers.terminal.command_run import CommandRun

    run = Run(declaration.name, arguments, declaration.declare, on_cluster(options, chosen.jobs), begin)
    run.add_facts(command=shlex.join(["python", "-m", "solvers.run", *words]))
    ended = CommandRun(run, outputs, chosen.quiet, lambda: conditions)
    ended.search()
    report = run.report
    if chosen.json:
        print(report.as_json())
    else:
        _print_report(run, ended.listed, chosen)
    # What was asked for and is not known: it is said on stderr, and makes the run incomplete.
    lacks = []
    if options.unique and report.unique is None:
        lacks.append("whether there is just one is not known")
    if options.unique_apart and report.unique_apart is None:
        lacks.append("whether just one comes apart is not known")
    if (options.verify or options.verified) and not report.counted_again:
        lacks.append("the count was not confirmed")
    if run.advice and not report.complete:
        lacks.append(run.advice)
    if options.sample and report.complete and not run.samples:
        lacks.append("no samples were drawn")
    return ended.close(report.unique is False or report.unique_apart is False, lacks)


def _refuse_idle_settings(chosen: argparse.Namespace) -> None:
    """Raise `InputError` if an option that only refines outputs is chosen, and none of these outputs is.

    chosen: the values of all options.
    """
    for setting in SETTINGS:
        outputs = [option for option, row in OUTPUTS.items() if setting in row.settings]
        if getattr(chosen, setting) and all(getattr(chosen, option) is None for option in outputs):
            wanted = " or ".join(f"--{option}" for option in outputs)
            name = setting.replace("_", "-")
            raise InputError(f"--{name} needs {wanted}; add it, or leave out --{name}")


def _print_report(run: "Run", listed: "EndedRun", chosen: argparse.Namespace) -> None:
    """Print the report of a run that has ended, and its first solutions and samples.

    By default it shows one solution; two if the run asked whether there is just one and there are more; none if samples
    were drawn. listed: the run, or the solutions of it that are selected. chosen: the values of all options.
    """
    report = run.report
    if chosen.draw is not None:
        most = chosen.draw
    elif chosen.sample:
        most = 0
    else:
        most = 2 if report.unique is False else 1
    marginals = str(run.marginals) if run.marginals else ""
    print("\n\n".join(filter(None, (report.as_table(), report.answer(), marginals))))
    for pictures in filter(None, (_drawings(run, listed, most), _side_by_side(run, run.samples, "sample {}"))):
        paint(sys.stdout, f"\n{pictures}\n")


def _drawings(run: "Run", listed: "EndedRun", most: int) -> str:
    """Return the first listed solutions, at most ``most``, as text; if there is none, the sentence that says so.

    run: the run. listed: the run, or the solutions of it that are selected. The result is empty for a run that has not
    come to its search. Several solutions have numbers.
    """
    if run.question is None:
        return ""
    if run.report.complete and not run.report.total:
        return "\n".join(filter(None, (NONE_FOUND, printable(run.question.puzzle.remarks.unsolved))))
    solutions_shown = map(run.question.key.decode, listed.in_order(most))
    return _side_by_side(run, solutions_shown, "{}" if most > 1 else "")


def _side_by_side(run: "Run", solutions: "Iterable[Solution]", title: str) -> str:
    """Return solutions as text drawings side by side; "" for a run that has not come to its search.

    A stopped run leaves out solutions for which it has no time. title: a format that takes the number of the solution;
    "" for no title.
    """
    from solvers.show import draw
    from solvers.terminal.command_run import STOPPED_OUTPUT_SECONDS, OutputTime

    if run.question is None:
        return ""
    output_time = OutputTime(run, STOPPED_OUTPUT_SECONDS / 2)
    pictures = []
    for number, solution in takewhile(lambda _: not output_time(), enumerate(solutions, 1)):
        drawing = draw.solution(run.question.puzzle, solution, draw.in_colour(sys.stdout))
        pictures.append([*([title.format(number)] if title else []), *drawing.split("\n")])
    output_time.note_overrun()
    return draw.side_by_side(pictures, shutil.get_terminal_size().columns)


def _list_backends() -> int:
    """Print all backends, and the solvers of those that have several, with what is missing; return the exit code.

    ``capabilities`` of a backend's module gives, for each of its solvers, what is wrong with it, or an empty text.
    """
    print(f"{'auto':<9} {AUTO}")
    for backend, row in BACKENDS.items():
        if not row.module and f"backend {backend}" not in FUNCTIONS:  # its wing is missing
            continue
        missing = "" if row.is_installed else f" (not installed; it needs {row.need})"
        print(f"{backend:<9} {row.meaning}{missing}")
        flaws = module_of(backend).capabilities() if row.has_solvers and row.is_installed else {}
        for line in [f"  {backend}:{name}" for name, flaw in flaws.items() if not flaw]:
            print(line)
        for line in [f"  ({name} {flaw})" for name, flaw in flaws.items() if flaw]:
            print(line)
    return DONE


if __name__ == "__main__":
    sys.exit(command(main))
