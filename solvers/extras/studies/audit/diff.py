"""python -m solvers diff REFERENCE SUBMISSION: have two models the same solutions? Or many, one by one."""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from solvers.endings import DONE, INCOMPLETE, NO, Ending
from solvers.errors import InputError
from solvers.extras.counts.counting.count import FREE_MEMORY_SHARE, free_memory
from solvers.extras.counts.counting.frontier import GIGABYTE
from solvers.extras.ground.programs import start_tied
from solvers.extras.studies.audit.difference import (
    DIFFERENT,
    NOT_SETTLED,
    OTHER_VARIABLES,
    Difference,
    difference,
    some_of,
)
from solvers.files.catalogue import LOADERS, Declaration, blamed_on, ending, find
from solvers.files.load import read_text
from solvers.options import Options, gigabytes
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.show.plain import plain_label
from solvers.show.printable import printable
from solvers.terminal.arguments import PuzzleParser, arguments_of, typed
from solvers.terminal.command import EndedEarly, StopEvent, aside, command, complain
from solvers.terminal.progress import ProgressLine

SUBMISSION_SECONDS = 60.0
"""Seconds for each of many submissions, where no other limit is given."""

LATE_SECONDS = 2.0
"""Seconds after its time limit at which a comparison that does not end is given up."""

KILLED_AFTER_SECONDS = 5.0
"""Seconds after its time limit at which the process of a submission is killed."""

SHORTEST = 0.1
"""Seconds that a comparison has at least, even if the models took all the time to declare."""

POLL_SECONDS = 0.2
"""Seconds between two looks whether to stop."""

COLUMNS = (
    "file",
    "verdict",
    "solutions",
    "only_reference",
    "only_submission",
    "example",
    "missing",
    "extra",
    "seconds",
    "complaint",
)

REFUSED, CRASHED, ENDLESS = "refused", "crashed", "endless"
"""The verdicts on files that are no model, on those whose process broke down, and on those that do not end themselves.

A submission is endless if it has not declared its model when the time is over.
"""

OUT_OF_MEMORY = re.compile(
    rf"{Ending.NO_MEMORY.words}|MemoryError|bad_alloc|out of memory|allocate memory", re.IGNORECASE
)
"""What a process says that was refused memory: ours, Python, C++ and the system."""

EPILOG = """Models are named as for solvers.run. The parameters of the reference go to the
submission, too, where it has them. Both have to have the same labels; --map says
which are the same under other names, --on which of the reference are compared.
Exit code 4: different, or other variables; 3: not settled in time.

examples:
  python -m solvers diff queens.py other.mzn --n 6
  python -m solvers diff queens.py --submissions homework --csv marks.csv"""


PLAIN = {".csv", ".npy", ".txt"}
"""The endings of files that are models only beside a model of such an ending: lists of marks and notes have them."""


def main(words: list[str]) -> int:
    """Run the command ``diff`` with the words of its command line and print the comparison.

    Returns the exit code. Raises `InputError` for options or models that are wrong.
    """
    options = parser()
    declaration, chosen = options.parse_puzzle(words, "name a model to compare with, such as queens.py")
    if (chosen.submission is None) == (chosen.submissions is None):
        raise InputError("name a model to be compared with the reference, or a folder with --submissions")
    if chosen.submissions is not None:
        return _run_many(chosen, words)
    if chosen.csv is not None:
        raise InputError("--csv needs --submissions; for one submission, use --json")
    return _run_one(declaration, chosen, Options(symmetry=chosen.symmetry, **{"jobs": 1, **options.of_a_run(chosen)}))


def parser() -> PuzzleParser:
    """Return the parser of the command line.

    It has the options of the comparison, and those with which a model is read.
    """
    parser = PuzzleParser("python -m solvers diff", "Compare the solutions of two models.", EPILOG)
    parser.add_argument("submission", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--declared", help=argparse.SUPPRESS)  # a file that is made once both models are declared
    group = parser.add_argument_group("the comparison")
    group.add_argument(
        "--submissions", metavar="FOLDER", help="compare every model in a folder, each in a process of its own"
    )
    group.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="OURS=THEIRS",
        help="a label or array of the reference, and its name in the submission, such as x=y or 'x[0..]=y[1..]'; "
        "may be repeated",
    )
    group.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="OURS",
        help="compare by this label or array of the reference only; may be repeated (default: by all labels of both)",
    )
    group.add_argument(
        "--symmetry",
        choices=("found", "declared"),
        default="found",
        metavar="KIND",
        help="also match solutions up to these symmetries of the reference: found or declared (default: found)",
    )
    parser.offer("backend time_limit jobs", group)
    group.add_argument(
        "--memory",
        type=typed(gigabytes),
        metavar="GB",
        help="memory limit of each process, not on Windows (default for many submissions: most of the free memory)",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    output.add_argument("--csv", metavar="FILE", help="write a row for each of many submissions")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _labels(texts: list[str]) -> dict[str, str]:
    """Parse the texts "OURS=THEIRS" of ``--map``; return the reference's name for each submission's name.

    A name is that of a label or of an array. Raises `InputError` for a text of another form.
    """
    labels = {}
    for text in texts:
        ours, equals, theirs = text.partition("=")
        if not (ours and equals and theirs):
            raise InputError(f"{text!r} maps no label; write OURS=THEIRS")
        labels[theirs.strip()] = ours.strip()
    return labels


def _run_one(declaration: Declaration, chosen: argparse.Namespace, options: Options) -> int:
    """Compare the reference with one submission in this process and print the difference.

    The time limit counts from here, so that it holds for declaring the models, too. Returns the exit code. Raises
    `InputError` if the submission cannot be read, or for a name that no label has. declaration: the puzzle. chosen: the
    parsed options.
    """
    timed = _TimedDifference(declaration, chosen, options)
    if chosen.memory is not None:
        _hold_to(int(chosen.memory * GIGABYTE))
    try:
        result = aside(timed.run, tick=timed.check_time)
    except EndedEarly as early:
        return complain(f"{chosen.submission}: ended by {early}; nothing is known yet", early.code)
    except _Late:
        if timed.declaring == declaration.name:
            sentence = f"{declaration.name} has declared no model within {options.time_limit:g} s"
            raise InputError(sentence) from None
        verdict = ENDLESS if timed.declaring else NOT_SETTLED
        if chosen.json:
            print(json.dumps({"verdict": verdict}))
        more = f"; {_endless(options.time_limit)}" if timed.declaring else ""
        return complain(f"{chosen.submission}: {verdict}{more}", int(INCOMPLETE))
    print(json.dumps(result.as_json(), default=plain_label) if chosen.json else result)
    if ending := getattr(timed.stop, "ending", None):
        return complain(f"{chosen.submission}: ended by {ending.words}", int(ending.code))
    if result.verdict == NOT_SETTLED:
        return complain(f"{chosen.submission}: {NOT_SETTLED}; no difference was found", result.code)
    return result.code


class _TimedDifference:
    """The comparison of the reference with one submission, and how far it is.

    The time limit counts from its making, so that it holds for declaring the models, too.
    """

    declaring: str
    """The model that is being declared; empty once both are."""

    stop: threading.Event | None = None
    """The event that ends the work; its ``ending`` tells why it ended."""

    def __init__(self, declaration: Declaration, chosen: argparse.Namespace, options: Options) -> None:
        """Take what was chosen; raise `InputError` for a text of ``--map`` of another form.

        declaration: the reference. chosen: the parsed options. options: those of the searches.
        """
        self._began = time.perf_counter()
        self._reference, self._chosen, self._options = declaration, chosen, options
        self._labels, self._arguments = _labels(chosen.map), arguments_of(declaration, chosen)
        self.declaring = declaration.name

    def run(self, stop: threading.Event) -> Difference:
        """Declare both models and compare them until the event is set."""
        self.stop = stop
        chosen = self._chosen
        with blamed_on(self._reference.name, True):
            reference = self._reference.declare(**self._arguments)
            self.declaring = chosen.submission
            other = find(chosen.submission)
            submission = other.declare(**_shared(self._arguments, other))
            self.declaring = ""
            if chosen.declared:  # tells who compares a folder that declaring has not taken all the time
                Path(chosen.declared).touch()
            return difference(reference, submission, self._labels, chosen.on, self._with_time_left(), stop)

    def check_time(self) -> None:
        """Raise `_Late` if the work should have ended.

        Declaring heeds no time limit, so it is late at once; a comparison does, so it has a moment to end.
        """
        if self._options.time_limit is None:
            return
        grace = 0.0 if self.declaring else LATE_SECONDS
        if self._elapsed() > self._options.time_limit + grace:
            raise _Late

    def _with_time_left(self) -> Options:
        """Return the options with the time that is left of the limit."""
        if self._options.time_limit is None:
            return self._options
        left = self._options.time_limit - self._elapsed()
        return replace(self._options, time_limit=max(SHORTEST, left))

    def _elapsed(self) -> float:
        """Return the seconds since the comparison was made."""
        return time.perf_counter() - self._began


class _Late(Exception):
    """Raised if a model is not declared when the time is over, or if the comparison does not end then."""


def _endless(seconds: float | None) -> str:
    """Return what is said of a submission that has not declared its model within so many seconds."""
    return f"it has declared no model within {seconds:g} s"


def _hold_to(size: int) -> None:
    """Limit the data memory of this process, and of each process that it starts, to ``size`` bytes.

    Raises `InputError` on Windows, which has no such limit.
    """
    try:
        import resource
    except ImportError:
        raise InputError("--memory has no effect on Windows; leave it out") from None
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    most = size if most == resource.RLIM_INFINITY else min(size, most)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _shared(arguments: Mapping[str, Any], other: Declaration) -> dict[str, Any]:
    """Return those of the reference's parameters that the submission has too, with their values, by name.

    arguments: the reference's parameters by name. other: the submission. A MiniZinc submission has no parameter list
    but "define": it gets "n=8" for each integer n of the reference that its text leaves open. Raises `InputError` if
    the submission's file cannot be read, ValueError if it is not text.
    """
    own = {parameter.name for parameter in other.parameters}
    shared = {name: value for name, value in arguments.items() if name in own}
    if "define" in own and "define" not in arguments:
        text = read_text(Path(other.name))
        shared["define"] = [
            f"{name}={value}" for name, value in arguments.items() if re.search(rf"\bint\s*:\s*{name}\s*;", text)
        ]
    return shared


def _run_many(chosen: argparse.Namespace, words: list[str]) -> int:
    """Compare the reference with each model of a folder, print a table and write the CSV file.

    Returns the exit code. words: the command line, from which the command for each submission is made. Raises
    `InputError` if the folder is missing or holds no model. chosen: the parsed options.
    """
    folder = Path(chosen.submissions)
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    endings = {f".{format.split()[0].lstrip('.')}" for format in LOADERS} | {".py"}
    if ending(Path(chosen.puzzle)) not in PLAIN:
        endings -= PLAIN
    files = sorted(path for path in folder.iterdir() if ending(path) in endings)
    if not files:
        raise InputError(f"{folder} holds no model; their names end in {', '.join(sorted(endings))}")
    check_paths({**inputs(chosen.puzzle, {}, (), None), "a submission": list(map(str, files))}, {"csv": chosen.csv})
    output = FileOutput(chosen.csv, "--csv") if chosen.csv is not None else None
    own = _without(words, "--submissions", "--csv", "--time-limit", "--jobs")
    if chosen.memory is None and os.name == "posix":
        own += ["--memory", f"{FREE_MEMORY_SHARE * free_memory() / GIGABYTE / (chosen.jobs or 1):.3f}"]
    seconds = chosen.time_limit or SUBMISSION_SECONDS
    stop, line, rows = StopEvent(), ProgressLine(chosen.quiet), []
    with ThreadPoolExecutor(chosen.jobs or 1) as executor:
        for row in executor.map(lambda path: _row(path, own, seconds, stop), files):
            rows.append(row)
            line.say(lambda: f"{len(rows)} of {len(files)} submissions")
    line.clear()
    shown = [[printable(str("" if row[name] is None else row[name])) for name in COLUMNS] for row in rows]
    if chosen.json:
        print(json.dumps(rows))
    else:
        print(tabulate(shown, [name.replace("_", " ") for name in COLUMNS], disable_numparse=True))
    if output:
        text = StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerows([COLUMNS, *shown])
        with output.stream() as stream:
            stream.write(text.getvalue())
    if stop.ending:
        return complain(f"{folder}: ended by {stop.ending.words}", stop.ending.code)
    verdicts = {row["verdict"] for row in rows}
    if verdicts & {DIFFERENT, OTHER_VARIABLES}:
        return NO
    return INCOMPLETE if verdicts & {NOT_SETTLED, REFUSED, CRASHED, ENDLESS} else DONE


def _without(words: list[str], *options: str) -> list[str]:
    """Return the words of a command line without these options and their values.

    ``--json`` and ``--quiet`` are left out, too.
    """
    left: list[str] = []
    skip = False
    for word in words:
        if not skip and word not in options and not word.startswith(tuple(f"{option}=" for option in options)):
            left += [] if word in ("--json", "--quiet") else [word]
        skip = not skip and word in options
    return left


def _row(path: Path, words: list[str], seconds: float, stop: threading.Event) -> Mapping[str, Any]:
    """Compare one submission with the reference in a process of its own; return its row of the table.

    The row has a value for each of `COLUMNS`. path: the file of the submission. words: the reference and its options,
    as on the command line. seconds: the time limit; a process that outlives it by `KILLED_AFTER_SECONDS` is killed.
    stop: ends the comparison when set. A failure is a verdict and a complaint in the row, not an exception.
    """
    row = {**dict.fromkeys(COLUMNS), "file": path.name, "verdict": CRASHED}
    if stop.is_set():
        return {**row, "verdict": NOT_SETTLED, "complaint": "not tried"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
    with TemporaryDirectory() as folder:
        declared = Path(folder) / "declared"
        more = ["--json", "--time-limit", str(seconds), "--declared", str(declared)]
        asked = [words[0], str(path), *words[1:], *more]
        with start_tied("solvers.extras.studies.audit.diff", asked, **streams) as process:
            said = _communicate(process, seconds + KILLED_AFTER_SECONDS, stop)
        is_declared = declared.exists()
    if said is None and stop.is_set():
        return {**row, "verdict": NOT_SETTLED, "complaint": "ended before it was done"}
    if said is None:
        verdict, complaint = (NOT_SETTLED, None) if is_declared else (ENDLESS, _endless(seconds))
        return {**row, "verdict": verdict, "seconds": seconds, "complaint": complaint}
    out, err = said
    try:
        told = json.loads(out.strip().rpartition("\n")[2])
        if told["verdict"] in (ENDLESS, NOT_SETTLED) and "reference" not in told:
            complaint = None if is_declared else _endless(seconds)
            return {**row, "verdict": told["verdict"], "seconds": seconds, "complaint": complaint}
        sides = told["reference"], told["submission"]
    except (ValueError, KeyError, TypeError):
        if OUT_OF_MEMORY.search(err):
            return {**row, "complaint": "out of memory"}
        words_of_end = err.strip().rpartition("\n")[2].removeprefix("kazoeru: ") or f"exit code {process.returncode}"
        return {**row, "verdict": REFUSED if process.returncode == 2 else CRASHED, "complaint": words_of_end}
    example = next((side["example"] for side in sides if side["example"]), None)
    return {
        **row,
        "verdict": told["verdict"],
        "solutions": sides[1]["solutions"],
        "only_reference": sides[0]["only"],
        "only_submission": sides[1]["only"],
        "example": json.dumps(example) if example else None,
        "missing": some_of(sides[0]["left_out"]) or None,
        "extra": some_of(sides[1]["left_out"]) or None,
        "seconds": round(told["seconds"], 2),
        "complaint": "; ".join(f"try --map '{text}'" for text in told["proposals"]) or None,
    }


def _communicate(process: subprocess.Popen[str], seconds: float, stop: threading.Event) -> tuple[str, str] | None:
    """Wait for a process and return the texts of its stdout and stderr.

    The result is None if the process has not ended after ``seconds`` seconds, or if ``stop`` is set before.
    """
    ends = time.monotonic() + seconds
    while not stop.is_set() and time.monotonic() < ends:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=POLL_SECONDS)
    return None


if __name__ == "__main__":
    sys.exit(command(main))
