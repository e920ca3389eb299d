"""python -m solvers confirm: a puzzle's count by every other program that is installed."""

import sys
import threading
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from models import COLLECTION
from solvers.base.endings import DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN
from solvers.base.errors import InputError
from solvers.base.options import gigabytes, seconds
from solvers.extras.studies.confirm.counted import Limits
from solvers.extras.studies.confirm.forms import PlainModel, write_forms
from solvers.extras.studies.confirm.functions import (
    SECONDS,
    Confirmation,
    ask_witnesses,
    bytes_of,
    forms_of,
    witnesses_by_name,
    words_of_run,
)
from solvers.extras.studies.confirm.witness import Witness
from solvers.files.catalogue import blame_declaration
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.terminal.arguments import PuzzleParser, argparse_reader, arguments_of
from solvers.terminal.command import StopEvent, command, complain, run_in_thread, run_within_limit
from solvers.terminal.progress import ProgressLine

EPILOG = """The programs read the plain model: no symmetry is broken, and nothing is
added. pip install '.[confirm]' installs those that pip has; Debian's package
flatzinc brings Gecode. Exit code 1: a program counts another number; 3: no
other program finished.

example: python -m solvers confirm pentomino --board 3x20"""


def main(words: list[str]) -> int:
    """Run the command ``confirm``, which counts a puzzle by other programs; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong, or a puzzle
    that cannot be declared.
    """
    parser = PuzzleParser(
        "python -m solvers confirm", "Count all solutions once more by each program that is installed.", EPILOG
    )
    group = parser.add_argument_group("the count")
    parser.offer("given", group)
    group.add_argument(
        "--time-limit",
        type=argparse_reader(seconds),
        default=SECONDS,
        metavar="SECONDS",
        help=f"the time for each program (default: {SECONDS:.0f})",
    )
    group.add_argument(
        "--memory",
        type=argparse_reader(gigabytes),
        metavar="GB",
        help="the memory for each program (default: most of what is free)",
    )
    group.add_argument(
        "--programs",
        type=argparse_reader(_names),
        default=(),
        metavar="LIST",
        help="only programs whose names contain one of these texts, separated by commas",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print the matrix as a JSON object, nothing else")
    output.add_argument("--page", metavar="FILE", help="write the matrix as a page (.html)")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    declaration, chosen = parser.parse_puzzle(words, "name a puzzle, such as pentomino")
    arguments = arguments_of(declaration, chosen)
    page = FileOutput(chosen.page) if chosen.page is not None else None
    check_paths(inputs(declaration.name, arguments, chosen.given, drawing=None), {"page": chosen.page})
    # A witness is a way to count: a program and the form of the model that it reads.
    asked = witnesses_by_name(chosen.programs)
    stop, line = StopEvent(), ProgressLine(chosen.quiet)

    def write(folder: Path, stop: threading.Event) -> PlainModel:
        """Declare the puzzle and write its model into a folder in all forms."""
        with blame_declaration(declaration.name, declaration.name not in COLLECTION):
            puzzle = run_within_limit(chosen.time_limit, stop, partial(declaration.declare, **arguments))
            return write_forms(puzzle, chosen.given, forms_of(asked), folder, chosen.time_limit, stop)

    def show_witness(witness: Witness) -> None:
        """Show which witness counts."""
        line.show_progress(lambda: f"{witness.name} ({asked.index(witness) + 1} of {len(asked)})")

    with TemporaryDirectory() as folder:
        try:
            plain = run_in_thread(
                partial(write, Path(folder)), tick=lambda: line.show_progress(lambda: "writing the model")
            )
            # The words of a command line, for the witness that runs the puzzle as usual.
            run = words_of_run(chosen.puzzle, arguments, chosen.given)
            limits = Limits(chosen.time_limit, bytes_of(chosen.memory))
            rows = [*ask_witnesses(asked, plain, run, limits, stop, show_witness)]
        finally:
            line.clear()
    confirmation = Confirmation(declaration.name, arguments, rows)
    print(confirmation.as_json() if chosen.json else confirmation, flush=True)
    return max(_write(page, confirmation), _report_matrix(confirmation, stop))


def _names(text: str) -> tuple[str, ...]:
    """Read the option --programs, texts separated by commas; raise `InputError` if there is none."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise InputError("no program is named; give some, such as miniexact,cp-sat")
    return names


def _report_matrix(confirmation: Confirmation, stop: StopEvent) -> int:
    """Complain of what the matrix shows, and return the exit code.

    confirmation: the counts of all witnesses, side by side. stop: says what ended the count, if anything did.
    `complain` writes a sentence to stderr and returns the exit code that it is given.
    """
    if confirmation.differing:
        names = ", ".join(confirmation.differing)
        return complain(f"{names}: another number than {confirmation.total}", SHOULD_NEVER_HAPPEN)
    if stop.ending:
        return complain(f"ended by {stop.ending.words}", stop.ending.code)
    if not confirmation.foreign:
        return complain("no program of others confirms a number; --time-limit gives each more time", INCOMPLETE)
    return DONE


def _write(page: FileOutput | None, confirmation: Confirmation) -> int:
    """Write the page if one was asked for; return the exit code, which is not 0 if that is not possible."""
    if page is None:
        return DONE
    try:
        page.write(confirmation.page())
    except OSError as error:
        return complain(f"the page was not written: {error.strerror}", INCOMPLETE)
    return DONE


if __name__ == "__main__":
    sys.exit(command(main))
