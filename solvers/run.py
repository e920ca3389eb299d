"""python -m solvers.run PUZZLE: count every solution of a puzzle."""

import argparse
import math
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from models import PUZZLES
from models.puzzle import Puzzle
from solvers.backend import CheckFailed, Refused
from solvers.catalogue import Declaration, find

if TYPE_CHECKING:
    from solvers.runner import Run
    from solvers.solutions import SolutionsFile

DONE, SHOULD_NEVER_HAPPEN, BAD_INPUT, INCOMPLETE, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143
ENDED_BY = {"": DONE, "the limit": DONE, "Ctrl-C": INTERRUPTED, "SIGTERM": TERMINATED}
"""Exit codes by what ended a run; everything else leaves it incomplete."""


class Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"kazoeru: {message}\n")


def command(main: Callable[[list[str]], int]) -> int:
    """Run a command's main function on the arguments given; its exit code, and one line on stderr for every error."""
    try:
        return main(sys.argv[1:])
    except Refused as error:
        return complain(str(error), BAD_INPUT)
    except CheckFailed as error:
        return complain(f"this should never happen: {error}", SHOULD_NEVER_HAPPEN)
    except KeyboardInterrupt:
        return complain("ended by Ctrl-C", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def complain(sentence: str, code: int) -> int:
    """Say what is wrong on stderr; the exit code."""
    print(f"kazoeru: {sentence}", file=sys.stderr)
    return code


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    first = Parser(add_help=False, allow_abbrev=False)
    _add_options(first)
    first.add_argument("puzzle", nargs="?")
    first.add_argument("-h", "--help", action="store_true")
    chosen, _ = first.parse_known_args(words)
    if chosen.list:
        print("\n".join(f"{name:12} {find(name).summary}" for name in PUZZLES))
        return DONE
    if chosen.list_backends:
        return _list_backends()
    if chosen.puzzle is None:
        parser(None).parse_args(words)
        raise Refused("name a puzzle, such as pentomino; --list shows all of them, --help the options")
    declaration = find(chosen.puzzle)
    return _run(declaration, parser(declaration).parse_args(words))


def parser(declaration: Declaration | None) -> Parser:
    """The command line of a puzzle: its own parameters and the runner's options."""
    result = Parser(
        prog=f"python -m solvers.run {declaration.name if declaration else 'PUZZLE'}",
        usage="%(prog)s [OPTION ...]",
        description=declaration.summary if declaration else "Count every solution of a puzzle.",
        epilog="" if declaration else "PUZZLE --help shows the puzzle's own parameters; --list shows the puzzles.",
        allow_abbrev=False,
    )
    result.add_argument("puzzle", nargs="?", help=argparse.SUPPRESS)
    own = result.add_argument_group(f"parameters of {declaration.name if declaration else 'the puzzle'}")
    _add_options(result)
    for parameter in declaration.parameters if declaration else ():
        if parameter.option in result._option_string_actions:
            raise Refused(
                f"the parameter {parameter.name} of {result.prog.split()[-1]} has the name of the runner's option "
                f"{parameter.option}; rename it"
            )
        extra: dict[str, Any] = {"type": parameter.kind}
        if parameter.kind is bool:
            extra = {"action": argparse.BooleanOptionalAction}
        elif parameter.choices:
            extra["choices"] = parameter.choices
        else:
            extra["metavar"] = parameter.name.upper()
        meaning = f"{parameter.meaning} (default: {parameter.default})".replace("%", "%%")
        own.add_argument(parameter.option, dest=parameter.name, default=parameter.default, help=meaning, **extra)
    return result


def _add_options(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("the run")
    run.add_argument("--backend", default="auto", help="auto, cp-sat, sat, sat:NAME or cover (default: auto)")
    run.add_argument("--all", action="store_true", help="break no symmetry; visit every solution")
    run.add_argument("--limit", type=_count, metavar="N", help="end at N solutions")
    run.add_argument("--time-limit", type=_seconds, metavar="S", help="end after S seconds")
    run.add_argument("--seed", type=int, default=0, metavar="N", help="random seed of the solver (default: 0)")
    run.add_argument(
        "--solver-parameter",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="hand a parameter to the solver as it is; may be repeated",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    output.add_argument(
        "--solutions", metavar="FILE", help="write every solution up to symmetry: JSON lines, or drawings in a .txt"
    )
    output.add_argument("--quiet", action="store_true", help="no line of progress on the terminal")
    output.add_argument("--list", action="store_true", help="list the puzzles")
    output.add_argument("--list-backends", action="store_true", help="list the backends that work here")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of solutions; give a whole number from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; give a number of seconds above 0")
    return seconds


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} sets no parameter; write NAME=VALUE")
    return name, value


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    from solvers.runner import Options, Run, backend_kind
    from solvers.solutions import SolutionsFile

    backend_kind(chosen.backend)
    arguments = {parameter.name: getattr(chosen, parameter.name) for parameter in declaration.parameters}
    parameters = dict(chosen.solver_parameter)
    options = Options(chosen.backend, chosen.all, chosen.limit, chosen.time_limit, chosen.seed, parameters)
    run = Run(declaration.name, lambda: _declared(declaration, arguments), options)
    file = SolutionsFile(chosen.solutions) if chosen.solutions else None
    _heed_signals(run)
    _search(run, file, chosen.quiet)
    report = run.report
    print(report.as_json() if chosen.json else "\n\n".join(filter(None, (report.as_table(), _first_drawing(run)))))
    code = ENDED_BY.get(report.stopped_by, INCOMPLETE)
    if code != DONE:
        bound = "" if report.complete else "; the counts are lower bounds"
        complain(f"{report.puzzle}: ended by {report.stopped_by} after {report.seconds['all']:.1f} s{bound}", code)
    if run.thread.is_alive():  # a solver that does not heed its stop would keep the process
        sys.stdout.flush()
        os._exit(code)
    return code


def _declared(declaration: Declaration, arguments: dict[str, object]) -> Puzzle:
    try:
        return declaration.load()(**arguments)
    except ValueError as error:
        raise Refused(f"{declaration.name}: {error}") from error


def _heed_signals(run: "Run") -> None:
    """Let Ctrl-C and SIGTERM end the run in an orderly way; a second one ends the process at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        run.stop("Ctrl-C" if number == signal.SIGINT else "SIGTERM")

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _search(run: "Run", file: "SolutionsFile | None", quiet: bool) -> None:
    """Run to the end, with a line of progress, and fill the file."""
    from solvers.report import Progress

    progress = Progress(quiet)
    try:
        for solution in run:
            progress.show(run.report)
            if file and solution is not None:
                file.add(solution)
        if file and run.prepared:
            began = time.perf_counter()
            file.finish(run.prepared.puzzle, map(run.prepared.key.decode, run.in_order()))
            run.report.seconds["output"] = time.perf_counter() - began
    except OSError as error:
        run.stop(f"an error in writing {error.filename or (file and file.part)}: {error.strerror}")
    finally:
        progress.clear()


def _first_drawing(run: "Run") -> str:
    """The first solution in the run's order, as text; what it means that there is none."""
    from solvers import draw

    if run.prepared is None:
        return ""
    if not run.report.solutions:
        return run.prepared.puzzle.unsolved if run.report.complete else ""
    return draw.solution(run.prepared.puzzle, run.prepared.key.decode(run.in_order()[0]))


def _list_backends() -> int:
    raise Refused("not yet")


if __name__ == "__main__":
    sys.exit(command(main))
