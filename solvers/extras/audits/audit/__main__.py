"""python -m solvers audit MODEL: judge what a model's marked constraints do."""

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from functools import partial

from solvers.base.endings import Ending
from solvers.base.errors import Stopped
from solvers.base.options import Options
from solvers.extras.audits.audit.judge import judge_marks, kind_and_lines
from solvers.extras.audits.audit.verdict import UNKNOWN, Audit
from solvers.extras.audits.reading.marks import MARKERS, read_marks
from solvers.files.catalogue import Declaration, blame_declaration
from solvers.show.plain import plain_label
from solvers.terminal.arguments import PuzzleParser, arguments_of
from solvers.terminal.command import EndedEarly, command, complain, run_in_thread, run_within_limit
from solvers.terminal.progress import ProgressLine

SECONDS_OF_DELAY = 0.5
"""Seconds that an audit has to end by itself when its time is over; then it says what is known of its own data."""

EPILOG = f"""{MARKERS};
NAME is another constraint: in MiniZinc "line 7", a text behind
"constraint ::", or a predicate; in a CP-SAT model a constraint's name; in a file
of CPMpy the name of a constraint or of a list of some.
Exit code 4: solutions are lost, or a constraint is not implied; 3: not known.

examples:
  python -m solvers audit queens.mzn --define n=6
  python -m solvers audit queens.mzn --define n=6 --breaking 'line 7' --json"""


def main(words: list[str]) -> int:
    """Run the command ``audit`` with the words of its command line and print the verdicts.

    Returns the exit code. Raises `InputError` for options or a model that are wrong.
    """
    options = parser()
    declaration, chosen = options.parse_puzzle(words, "name a model, such as queens.mzn")
    kind, lines = kind_and_lines(chosen.symmetry)  # found or declared, and the symmetries that are written as lines
    return _run(declaration, chosen, options.run_options(chosen, symmetry=kind, jobs=1), lines)


def parser() -> PuzzleParser:
    """Return the parser of the command line.

    It has the options of the audit, and those with which a model is read.
    """
    parser = PuzzleParser(
        "python -m solvers audit", "Check the symmetry-breaking and redundant constraints of a model.", EPILOG
    )
    group = parser.add_argument_group("the audit")
    group.add_argument(
        "--breaking",
        action="append",
        default=[],
        metavar="NAME",
        help="a constraint that should break symmetry; may be repeated",
    )
    group.add_argument(
        "--redundant",
        action="append",
        default=[],
        metavar="NAME",
        help="a constraint that the others should imply; may be repeated",
    )
    group.add_argument(
        "--symmetry",
        action="append",
        default=[],
        metavar="WHICH",
        help="symmetries to judge by: found (default) or declared, and lines such as 'x[i] -> x[n+1-i]'",
    )
    group.add_argument("--gain", action="store_true", help="measure how much redundant constraints help each backend")
    parser.offer("backend time_limit jobs", group)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _run(declaration: Declaration, chosen: argparse.Namespace, options: Options, lines: Sequence[str]) -> int:
    """Audit the named model with the parsed options and print the result; return the exit code.

    If the audit is ended early, or a verdict is not known, a complaint is printed and the code is not 0. The audit runs
    in a thread; if that is given up, the audit of the model as it is may be known already. declaration: the puzzle.
    chosen: the parsed options. options: those of the run. lines: the symmetries that the user states.
    """
    progress_line, state = ProgressLine(chosen.quiet), declaration.name
    events: list[threading.Event] = []  # the event that ends the work, once the thread has begun
    known: list[Audit] = []  # the audit of the model as it is, before smaller data are judged
    limit = None if options.time_limit is None else options.time_limit + SECONDS_OF_DELAY

    def set_state(words: str) -> None:
        """Set what the progress line says of the work."""
        nonlocal state
        state = f"{declaration.name}: {words}"

    def audit_puzzle(stop: threading.Event) -> Audit:
        """Read the model with its marks, and judge these until ``stop`` is set.

        Reading the model is given up at the time limit, too; judging ends by itself then. If it ends before anything is
        known, `EndedEarly` is raised. The audit of the model as it is goes into ``known``. The error of a symmetry that
        the model declares wrongly becomes `InputError` (`blame_declaration`).
        """
        events.append(stop)
        with blame_declaration(declaration.name, is_own=True):
            arguments = arguments_of(declaration, chosen)
            read = partial(read_marks, chosen.puzzle, arguments, chosen.breaking, chosen.redundant)
            marked = run_within_limit(options.time_limit, stop, read)
            try:
                return judge_marks(marked, options, chosen.gain, stop, set_state, lines, known.append)
            except Stopped:
                raise EndedEarly(Ending.TIME_LIMIT) from None

    try:
        result = run_in_thread(audit_puzzle, limit, tick=lambda: progress_line.show_progress(lambda: state))
    except EndedEarly as early:
        if not known:
            return complain(f"{declaration.name}: ended by {early}; nothing is known yet", early.code)
        result = known[0]
    finally:
        progress_line.clear()
    print(json.dumps(result.as_json(), default=plain_label) if chosen.json else result)
    ending: Ending | None = getattr(events[0], "ending", None)
    if ending:
        return complain(f"{declaration.name}: ended by {ending.words}", ending.code)
    if UNKNOWN in (result.verdict, *(judged.verdict for judged in result.breaking)):
        return complain(f"{declaration.name}: it is not known whether solutions are lost", result.code)
    return result.code


if __name__ == "__main__":
    sys.exit(command(main))
