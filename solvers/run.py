"""python -m solvers.run PUZZLE (or FILE): count every solution of a puzzle."""

import argparse
import gc
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from models import COLLECTION
from solvers.backends.registry import AUTO, BACKENDS, check_backend
from solvers.endings import DONE, NO, Ending
from solvers.errors import BudgetError, InputError
from solvers.files.catalogue import Declaration, blamed_on, find
from solvers.options import QUESTIONS, Conflict, Inventing, Options, from_zero, refuse_conflicts
from solvers.outputs.paths import check_paths, inputs
from solvers.plugs import COMMANDS, EXTRAS, OUTPUTS, is_installed, plugged
from solvers.show.printable import paint, printable
from solvers.show.versions import told_versions
from solvers.terminal.arguments import (
    Parser,
    PuzzleParser,
    add_options,
    add_parameter,
    arguments_of,
    chosen_options,
    typed,
)
from solvers.terminal.calls import on_cluster
from solvers.terminal.command import command, complain, heed_signals

if TYPE_CHECKING:
    from models.puzzle import Solution
    from solvers.outputs.output import Output
    from solvers.running.question import Question
    from solvers.running.runner import Run

RUN_OPTIONS = (
    "backend all symmetry given unique count_only method memory verify verified limit time_limit jobs cubes "
    "seed store solver_parameters cluster"
).split()
"""The options of `Options` that the help shows under "the run"."""
OUTPUT_OPTIONS = ("which", "by", "sample")
"""The options of `Options` that the help shows under "output"."""
INVENT_OPTIONS = "hints hint_cells hint_sets minimal minimal_sets repair why why_sets explain grade candidates".split()
"""The options of `Inventing`, which the help shows under "inventing"."""

CONFLICTS: "Sequence[Conflict]" = (
    (
        [option for option, row in OUTPUTS.items() if row.needs_all],
        ("count-only", "limit", "unique", "export"),
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
        ("hints",),
        ("limit", "unique", "count-only"),
        "--hints compares a solution with all others, and --{1} does not list all; leave one of them out",
    ),
)
"""The conflicts between options of the command, besides those of `Options`."""

BESIDES = (
    *"limit unique count-only which sample".split(),
    *(option for option in OUTPUTS if option != "gallery"),
    *"export estimate store draw cluster all verify verified".split(),
)
"""The options that cannot be combined with a question that does not list all solutions."""

WRITTEN = ("store", *OUTPUTS, "export")
"""The options whose values are files or folders that are written."""

TITLED = {
    setting: [option for option, row in OUTPUTS.items() if setting in row.settings]
    for setting in ("title", "author", "paper")
}
"""Maps each option that only refines outputs to these outputs; one of them has to be chosen."""

NEEDED = {
    "hint_cells": ("hints", "minimal", "repair", "candidates"),
    "hint_sets": ("hints",),
    "minimal_sets": ("minimal",),
    "why_sets": ("why",),
}
"""Maps each option that refines a question to its questions; one of them has to be asked."""

STOPPED_OUTPUT_SECONDS = 0.4
"""Seconds in which a run that was told to stop writes its files, and prints."""

LONG_LISTING_SECONDS = 10.0
"""Seconds after which the time of a listing is predicted; earlier, this would slow down short ones."""

NONE_FOUND = "There is no solution; the same command with --why tells the reason."
"""The line that is printed if there is no solution."""

EPILOG = """PUZZLE is a name (see --list) or a file of your own: .py, .cnf (also .cnf.gz, .xz,
.bz2), .dlx, .fzn, .mzn, .pbtxt, .pb or .xmpuzzle. A Python file is run when it is
loaded, the other formats run nothing.

examples:
  python -m solvers.run pentomino --help            a puzzle's own parameters
  python -m solvers.run pentomino --backend cover
  python -m solvers.run magic --kind ring --draw 6
  python -m solvers.run mine.cnf --solutions all.txt

other commands: python -m solvers COMMAND --help, where COMMAND is one of
  """ + ", ".join(COMMANDS)


def main(words: list[str]) -> int:
    """Run the command ``run``: find, count and show the solutions of a puzzle; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    options = parser()
    first, _ = options.parse_known_args(words)
    if first.list:
        print("\n".join(f"{name:12} {find(name).summary}" for name in COLLECTION))
        return DONE
    if first.version:
        print(told_versions())
        return DONE
    if first.list_backends:
        return _list_backends()
    if first.runs is not None:
        return _tell_runs(first.runs)
    if first.help and first.puzzle is not None:
        _own_help(find(first.puzzle)).print_help()
        return DONE
    unnamed = "name a puzzle, such as pentomino; --list shows all of them, --help the options"
    declaration, chosen = options.parse_puzzle(words, unnamed)
    with blamed_on(declaration.name, declaration.name not in COLLECTION):
        code = _run(declaration, chosen)
    if declaration.name in COLLECTION:  # a file of one's own may leave something open, which garbage collection closes
        gc.freeze()
    return code


def _own_help(declaration: Declaration) -> Parser:
    """Return the parser whose help shows the parameters of one puzzle only.

    declaration: the puzzle.
    """
    values = [(own.option, str(own.default)) for own in declaration.parameters if own.kind is str and own.default]
    words = [declaration.name, *(values[0] if values else ())]
    result = Parser(
        prog=f"python -m solvers.run {declaration.name}",
        usage="%(prog)s [OPTION ...]",
        description=textwrap.fill(declaration.summary, 78),
        epilog=f"All other options: python -m solvers.run --help\nExample: python -m solvers.run {shlex.join(words)}",
    )
    group = result.add_argument_group(f"parameters of {declaration.name}")
    for parameter in declaration.parameters:
        add_parameter(group, parameter)
    return result


def parser() -> PuzzleParser:
    """Return the parser of the command line with all options.

    Parameters of a puzzle are added once it is known.
    """
    parser = PuzzleParser("python -m solvers.run", "Count every solution of a puzzle.", EPILOG)
    run = parser.add_argument_group("the run")
    add_options(run, RUN_OPTIONS)
    run.add_argument(
        "--estimate", action="store_true", help="predict the nodes and the time of an exact cover, and exit"
    )
    add_options(parser.add_argument_group("inventing"), INVENT_OPTIONS)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    for option, row in OUTPUTS.items():
        output.add_argument(f"--{option}", metavar="FOLDER" if row.is_folder else "FILE", help=row.meaning)
    add_options(output, OUTPUT_OPTIONS)
    output.add_argument("--draw", type=typed(from_zero), metavar="K", help="show the first K solutions (default: 1)")
    output.add_argument("--paper", choices=("a4", "letter"), help="size of the sheets (default: a4)")
    output.add_argument("--title", metavar="TEXT", help="title of the page or the sheets")
    output.add_argument("--author", metavar="TEXT", help="author of the page or the sheets")
    output.add_argument(
        "--export", metavar="FILE", help="write the model (.cnf, .fzn, .pbtxt, .dlx or .xmpuzzle), and exit"
    )
    output.add_argument("--quiet", action="store_true", help="show no progress")
    output.add_argument("--version", action="store_true", help="print the versions and the checksum of the source")
    output.add_argument("--runs", metavar="FILE", help="print the content of a store")
    output.add_argument("--list", action="store_true", help="list the puzzles")
    output.add_argument("--list-backends", action="store_true", help="list the installed backends")
    return parser


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    """Run what the command line asks for, print and write the results, and return the exit code.

    chosen: the values of all options and parameters. Raises `InputError` for options that are wrong or not possible.
    declaration: the puzzle.
    """
    from solvers.running.runner import Run

    inventing = _inventing(chosen)
    check_backend(chosen.backend or "auto")
    refuse_conflicts({name.replace("_", "-"): value for name, value in vars(chosen).items()}, CONFLICTS)
    _refuse_alone(TITLED, chosen)
    arguments = arguments_of(declaration, chosen)
    check_paths(
        inputs(declaration.name, arguments, [*chosen.given, chosen.hints, chosen.minimal], chosen.which),
        {o: getattr(chosen, o) for o in WRITTEN},
    )
    asked = chosen_options(chosen, [*RUN_OPTIONS, *OUTPUT_OPTIONS])
    options = Options(**asked, marginals=chosen.marginals is not None)
    declare = partial(declaration.declare, **arguments)
    if chosen.export is not None:
        return int(plugged(EXTRAS["exported"], "--export")(declare, chosen.export, options))
    if chosen.estimate:
        return int(plugged(EXTRAS["estimated"], "--estimate")(declare, options))
    if inventing.is_apart:
        answered = plugged(EXTRAS["answered"], f"--{inventing.asked[0]}")
        return int(answered(declaration, arguments, inventing, options, chosen))
    options = on_cluster(options, chosen.jobs)
    outputs: list[Output] = [
        plugged(row.place, f"--{option}")(path, **chosen_options(chosen, row.settings))
        for option, row in OUTPUTS.items()
        if (path := getattr(chosen, option)) is not None
    ]

    def begin(question: "Question") -> None:
        for output in outputs:
            output.begin(question)

    run = Run(declaration.name, arguments, declaration.declare, options, begin)
    heed_signals(run.stop)
    _search(run, outputs, chosen.quiet)
    flaw: InputError | None = None
    missing: list[str] = []
    try:
        missing = _finish(run, outputs)
    except InputError as error:  # what the puzzle draws cannot be shown; the numbers can
        flaw = error
    report = run.report
    hints: str = plugged(EXTRAS["hints told"], "--hints")(run, inventing) if inventing.hints is not None else ""
    if report.which and not chosen.json:
        print(printable(str(report.which["sentence"])))
    elif chosen.json:
        print(report.as_json())
    else:
        if chosen.draw is not None:
            most = chosen.draw
        elif chosen.sample:
            most = 0
        else:
            most = 2 if report.unique is False else 1
        marginals_told = str(run.marginals) if run.marginals else ""
        print("\n\n".join(filter(None, (report.as_table(), report.answer(), marginals_told, hints))))
        for pictures in filter(None, (_drawings(run, most), _side_by_side(run, run.samples, "sample {}"))):
            paint(sys.stdout, f"\n{pictures}\n")
    if flaw:
        raise flaw
    code = run.ending.code if run.ending else DONE
    if code != DONE:
        reservations = [
            *([] if report.complete else ["the counts are lower bounds"]),
            *(["whether there is just one is not known"] if chosen.unique and report.unique is None else []),
            *(
                ["the count was not confirmed"]
                if (chosen.verify or chosen.verified) and not report.counted_again
                else []
            ),
            *(["no hints were found"] if chosen.hints and not hints else []),
            *(["no samples were drawn"] if chosen.sample and report.complete and not run.samples else []),
            *filter(None, missing),
        ]
        bound = "".join(f"; {sentence}" for sentence in reservations)
        complain(f"{report.puzzle}: ended by {report.stopped_by} after {report.seconds['all']:.1f} s{bound}", code)
    else:
        for sentence in filter(None, missing):
            complain(f"{report.puzzle}: {sentence}", DONE)
    is_no = (
        report.unique is False
        or "none" in (report.hints or {}).get("sizes", ())
        or (report.which or {}).get("solution") is False
    )
    return NO if code == DONE and is_no else code


def _inventing(chosen: argparse.Namespace) -> "Inventing":
    """Return the questions that were asked besides the count.

    Raises `InputError` for questions that cannot be combined. chosen: the parsed options.
    """
    inventing = Inventing(**chosen_options(chosen, INVENT_OPTIONS))
    _refuse_alone(NEEDED, inventing)
    picked = {name.replace("_", "-"): value for name, value in vars(chosen).items()}
    besides, words = BESIDES if inventing.is_apart else (), "--{0} is a question of its own; leave out --{1}"
    refuse_conflicts(picked, [((one,), [*QUESTIONS[n + 1 :], *besides], words) for n, one in enumerate(QUESTIONS)])
    return inventing


def _refuse_alone(needed: "Mapping[str, Sequence[str]]", chosen: object) -> None:
    """Raise `InputError` if a chosen option needs one of several others, and none of these is chosen.

    needed: maps such an option to the others. chosen: has the values of options as attributes.
    """
    for more, others in needed.items():
        if getattr(chosen, more) and all(getattr(chosen, name) in (None, False) for name in others):
            option, wanted = more.replace("_", "-"), " or ".join(f"--{name}" for name in others)
            raise InputError(f"--{option} needs {wanted}; add it, or leave out --{option}")


def _tell_runs(path: str) -> int:
    """Print the run that is saved in the store at ``path``, and the sessions that worked on it.

    Return the exit code. Raises `InputError` if the file is no store or is in use.
    """
    from tabulate import tabulate

    from solvers.cubes.store import read

    content = read(path)
    rows = [
        (name, printable(value)) for name, value in content.identity.items() if name not in ("model", "order of items")
    ]
    headers = ["backend", "jobs", "seconds", "cubes", "ended by"]
    sessions: list[Sequence[object]] = [*content.sessions]
    if "order of items" in content.identity:
        done = content.progress
        rows.append(("counted", f"{done.layer} of {done.layers} layers, {done.states} states" if done else "no layer"))
        headers.remove("cubes")
        sessions = [(*session[:3], session.ending) for session in content.sessions]
    else:
        cubes = content.cubes + content.open
        rows += [
            ("searched", f"{content.cubes:,} of {cubes:,} cubes, {content.searched:.2%} of the work by a guess"),
            ("solutions met", str(content.solutions)),
        ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    print()
    print(tabulate(sessions, headers=headers, floatfmt=".1f"))
    return DONE


def _search(run: "Run", outputs: "Sequence[Output]", quiet: bool) -> None:
    """Run the search to its end, with a line of progress; each solution is passed to the outputs.

    quiet: show no progress.
    """
    from solvers.terminal.progress import ProgressLine

    began, is_told = time.perf_counter(), quiet or not is_installed(EXTRAS["long listing"])
    watch: Any = None
    progress = ProgressLine(quiet)
    path: object = ""
    try:
        for solution in run:
            progress.show(run.report)
            if not is_told and (seconds := time.perf_counter() - began) > LONG_LISTING_SECONDS:
                watch = watch or plugged(EXTRAS["long listing"], "a prediction")(run)
                if sentence := watch.sentence(seconds):
                    is_told = True
                    progress.clear()
                    print(f"kazoeru: {printable(sentence)}", file=sys.stderr, flush=True)
            if solution is None:
                continue
            for output in outputs:
                path = output.path
                output.add(solution)
    except OSError as error:
        run.stop(Ending.WRITING, _in_writing(error, path))
    finally:
        progress.clear()


def _finish(run: "Run", outputs: "Sequence[Output]") -> list[str]:
    """Finish the outputs after the search.

    Returns, for each output, a sentence on what is missing from it, or "". If an output cannot be written, the run ends
    with that as its cause, and nothing is raised.
    """
    began = time.perf_counter()
    missing = []
    for output in outputs:
        try:
            missing.append(output.finish(run, run.haste(STOPPED_OUTPUT_SECONDS / len(outputs))))
        except OSError as error:
            run.stop(Ending.WRITING, _in_writing(error, output.path))
            missing.append(output.absence)
        except BudgetError as error:
            run.stop(Ending.BUDGET, str(error))
            missing.append(output.absence)
    run.report.seconds["output"] = time.perf_counter() - began - (run.report.seconds["certify"] or 0)
    return missing


def _in_writing(error: OSError, path: object) -> str:
    """Return the words for an error in writing, with the file and the cause.

    path: used if the error names no file.
    """
    return f"{Ending.WRITING.words} {error.filename or path}: {error.strerror or error}"


def _drawings(run: "Run", most: int) -> str:
    """Return the first solutions, at most ``most``, as text; if there is none, the sentence that says so."""
    if run.question is None:
        return ""
    if run.report.complete and not run.report.total:
        return "\n".join(filter(None, (NONE_FOUND, printable(run.question.puzzle.unsolved))))
    found = map(run.question.key.decode, run.in_order()[:most])
    return _side_by_side(run, found, "{}" if most > 1 else "")


def _side_by_side(run: "Run", solutions: "Iterable[Solution]", title: str) -> str:
    """Return solutions as text drawings side by side.

    A stopped run leaves out solutions for which it has no time. title: a format that takes the number of the solution;
    "" for no title.
    """
    from solvers.show import draw

    question, is_over = run.question, run.haste(STOPPED_OUTPUT_SECONDS / 2)
    pictures = [
        [
            *([title.format(number)] if title else []),
            *draw.solution(question.puzzle, found, draw.in_colour(sys.stdout)).split("\n"),
        ]
        for number, found in takewhile(lambda _: not is_over(), enumerate(solutions, 1))
        if question
    ]
    return draw.side_by_side(pictures, shutil.get_terminal_size().columns)


def _list_backends() -> int:
    """Print all backends and the solvers of the backend sat, with what is missing; return the exit code."""
    from solvers.backends.sat import capabilities

    flaws = capabilities()
    for name, meaning in {"auto": AUTO, **{name: row.meaning for name, row in BACKENDS.items()}}.items():
        print(f"{name:<9} {meaning}")
    print("\n".join(f"  sat:{name}" for name, flaw in flaws.items() if not flaw))
    print("\n".join(f"  ({name} {flaw})" for name, flaw in flaws.items() if flaw))
    return DONE


if __name__ == "__main__":
    sys.exit(command(main))
