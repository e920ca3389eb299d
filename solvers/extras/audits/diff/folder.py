"""A folder of submissions: each is compared with the reference in a process of its own; a table says what to say."""

import argparse
import json
import os
import re
import shlex
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from html import escape
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from models.boards.compressed import ending
from solvers.base.endings import DONE, INCOMPLETE, NO, Ending
from solvers.base.errors import InputError
from solvers.base.options import available_processors
from solvers.base.version import VERSION
from solvers.extras.audits.diff.parameters import sizes_of
from solvers.extras.audits.diff.sentences import CRASHED, ENDLESS, REFUSED, on_failure
from solvers.extras.audits.diff.verdicts import DIFFERENT, NOT_SETTLED, OTHER_VARIABLES, some_of
from solvers.extras.counts.counting.count import FREE_MEMORY_SHARE, free_memory
from solvers.extras.counts.counting.frontier import GIGABYTE
from solvers.extras.shared.programs import start_tied
from solvers.files.catalogue import LOADERS
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.show.plain import csv_text, number_with_unit
from solvers.show.printable import printable
from solvers.terminal.command import StopEvent, complain
from solvers.terminal.progress import ProgressLine

SUBMISSION_SECONDS = 30.0
"""Seconds for each of many submissions, where no other limit is given."""

KILLED_AFTER_SECONDS = 5.0
"""Seconds after its time limit at which the process of a submission is killed."""

POLL_SECONDS = 0.2
"""Seconds between two looks whether to stop."""

COLUMNS = (
    "file",
    "size",
    "verdict",
    "what_to_say",
    "notes",
    "same_mistake",
    "solutions",
    "only_reference",
    "only_submission",
    "example",
    "missing",
    "extra",
    "seconds",
    "complaint",
)

SHOWN = {"file": 24, "size": 10, "verdict": 12, "solutions": 10, "what_to_say": 60, "notes": 24, "same_mistake": 16}
"""The columns of the table that is printed, and their widths; the page has them, too.

The size and the notes are left out where no row has any.
"""

OPTIONAL = ("size", "notes")

OUT_OF_MEMORY = re.compile(
    rf"{Ending.NO_MEMORY.words}|MemoryError|bad_alloc|out of memory|allocate memory", re.IGNORECASE
)
"""What a process says that was refused memory: ours, Python, C++ and the system."""

RAISED = re.compile(r"line \d+: [A-Z]\w*(: |$)")
"""What a process says of an exception that a submission has raised: its line, and the name of the exception."""

FAULT = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+)')
"""A line of the stack that Python prints when its process breaks down."""

PLAIN = {".csv", ".npy", ".txt"}
"""The endings of files that are models only beside a model of such an ending: lists of marks and notes have them."""

STYLE = """body { font-family: sans-serif; margin: 2em; line-height: 1.4 }
table { border-collapse: collapse; margin: 1em 0 }
td, th { padding: 0.3em 0.8em; text-align: left; vertical-align: top; border-bottom: 1px solid #ccc }
.facts td, .facts th { border: 0; padding: 0.1em 0.8em 0.1em 0 }"""

Row = dict[str, Any]
"""A row of the table: a value for each of `COLUMNS`, and ``mistake``, which is the same for equal mistakes."""


def compare_many(chosen: argparse.Namespace, words: Sequence[str]) -> int:
    """Compare the reference with each model of a folder, print a table and write the CSV file and the page.

    If sizes are chosen, each model, or the only one, has a row for each size. Each row comes from a process of its own,
    which shares the free memory with the others. Returns the exit code. words: the command line without the submission,
    from which the command for each row is made. Raises `InputError` if the folder is missing or holds no model, or for
    sizes that are none. chosen: the parsed options.
    """
    folder = Path(chosen.submissions or chosen.submission)
    files = _models_in(folder, Path(chosen.puzzle)) if chosen.submissions else [folder]
    sizes = sizes_of(chosen.sizes) if chosen.sizes else [""]
    output_paths = {"csv": chosen.csv, "page": chosen.page}
    # No output may replace a file that is read.
    check_paths({**inputs(chosen.puzzle, {}, (), drawing=None), "a submission": list(map(str, files))}, output_paths)
    outputs = {option: FileOutput(path) for option, path in output_paths.items() if path is not None}
    jobs = chosen.jobs or available_processors()
    words_on_page = _drop_options(words, "--submissions", "--csv", "--page", "--sizes")
    about = {
        "reference": Path(chosen.puzzle).name,
        "submissions": f"{folder.name}, {number_with_unit(len(files), 'files')}",
        "sizes": ", ".join(filter(None, sizes)) or "one, by the options",
        "options": shlex.join(words_on_page[1:]) or "none",
        "date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z"),
        "made by": f"kazoeru {VERSION}",
    }
    words_of_submission = _drop_options(words, "--submissions", "--csv", "--page", "--time-limit", "--jobs", "--sizes")
    if chosen.memory is None and os.name == "posix":
        words_of_submission += ["--memory", f"{FREE_MEMORY_SHARE * free_memory() / GIGABYTE / jobs:.3f}"]
    seconds = chosen.time_limit or SUBMISSION_SECONDS
    stop = StopEvent()
    line = ProgressLine(chosen.quiet)
    rows = list[Row]()
    with ThreadPoolExecutor(jobs) as executor:
        tasks = [*product(files, sizes)]
        for row in executor.map(lambda task: _row(task[0], words_of_submission, seconds, stop, task[1]), tasks):
            rows.append(row)
            line.show_progress(lambda: f"{len(rows)} of {len(tasks)} comparisons")
    line.clear()
    rows = _equal_together(rows)
    print(json.dumps(rows) if chosen.json else _table(rows))
    for option, output in outputs.items():
        output.write(_csv(rows) if option == "csv" else _page(rows, about))
    if stop.ending:
        return complain(f"{folder}: ended by {stop.ending.words}", stop.ending.code)
    verdicts = {row["verdict"] for row in rows}
    if verdicts & {DIFFERENT, OTHER_VARIABLES}:
        return NO
    return INCOMPLETE if verdicts & {NOT_SETTLED, REFUSED, CRASHED, ENDLESS} else DONE


def _models_in(folder: Path, reference: Path) -> list[Path]:
    """Return the files of a folder whose names end as those of models; raise `InputError` if there are none."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    endings = {f".{format.split()[0].lstrip('.')}" for format in LOADERS} | {".py"}
    if ending(reference) not in PLAIN:  # such files are then lists of marks or notes, not models
        endings -= PLAIN
    files = sorted(path for path in folder.iterdir() if ending(path) in endings)
    if not files:
        raise InputError(f"{folder} holds no model; their names end in {', '.join(sorted(endings))}")
    return files


def _drop_options(words: Sequence[str], *options: str) -> list[str]:
    """Return the words of a command line without these options and their values.

    A value is the next word, as in "--jobs 4", or a part of the word, as in "--jobs=4". ``--json`` and ``--quiet``,
    which have no values, are left out, too.
    """
    with_value = tuple(f"{option}=" for option in options)
    other_words: list[str] = []
    is_value = False  # of an option that is left out
    for word in words:
        if not is_value and word not in (*options, "--json", "--quiet") and not word.startswith(with_value):
            other_words.append(word)
        is_value = not is_value and word in options
    return other_words


def _equal_together(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with equal mistakes one after the other; each names the other files of its mistake.

    Mistakes are equal at the same size only. A row without a mistake is a group of its own.
    """
    groups: dict[object, list[Row]] = {}  # by size and mistake, or by the row's number
    for number, row in enumerate(rows):
        mistake = row.pop("mistake")
        groups.setdefault((row["size"], mistake) if mistake else number, []).append(row)
    for group in groups.values():
        for row in group if len(group) > 1 else ():
            row["same_mistake"] = ", ".join(other["file"] for other in group if other is not row)
    return [row for group in groups.values() for row in group]


def _cells(row: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    """Return the values of a row as printable texts."""
    return [printable(str("" if row[name] is None else row[name])) for name in columns]


def _headings(columns: Iterable[str]) -> list[str]:
    """Return the names of columns as a reader sees them."""
    return [name.replace("_", " ") for name in columns]


def _visible_columns(rows: Sequence[Row]) -> dict[str, int]:
    """Return the columns that a reader sees, and their widths."""
    names = [name for name in SHOWN if name not in OPTIONAL or any(row[name] for row in rows)]
    return {name: SHOWN[name] for name in names}


def _table(rows: Sequence[Row]) -> str:
    """Return the table that is printed."""
    columns_shown = _visible_columns(rows)
    cells = [_cells(row, columns_shown) for row in rows]
    return tabulate(cells, _headings(columns_shown), disable_numparse=True, maxcolwidths=[*columns_shown.values()])


def _csv(rows: Iterable[Row]) -> str:
    """Return the table as CSV, with all columns."""
    return csv_text([COLUMNS, *(_cells(row, COLUMNS) for row in rows)])


def _totals(rows: Sequence[Row]) -> tuple[list[list[str]], list[str]]:
    """Return (rows, headings) of the table of totals: how often each verdict comes, for each size and in all.

    rows: one for each comparison, with its ``size`` and ``verdict``. With a single size, the column "in all" is enough.
    The last row has the number of comparisons.
    """
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    groups = {}
    if len(sizes) > 1:
        groups = {str(size): [row for row in rows if row["size"] == size] for size in sizes}
    groups["in all"] = [*rows]
    counts = {name: Counter(row["verdict"] for row in group) for name, group in groups.items()}
    verdicts = [verdict for verdict, _ in counts["in all"].most_common()]
    cells = [[verdict, *(str(counts[name][verdict]) for name in groups)] for verdict in verdicts]
    last_row = ["comparisons", *(str(len(group)) for group in groups.values())]
    return [*cells, last_row], ["verdict", *groups]


def _page(rows: Sequence[Row], about: Mapping[str, str]) -> str:
    """Return an HTML page with what was compared, the totals and the table; about: the facts, by name."""
    columns_shown = _visible_columns(rows)
    cells = [_cells(row, columns_shown) for row in rows]  # `tabulate` escapes texts for HTML
    table = tabulate(cells, _headings(columns_shown), tablefmt="html", disable_numparse=True)
    totals = tabulate(*_totals(rows), tablefmt="html", disable_numparse=True)
    facts = "".join(f"<tr><th>{escape(name)}<td>{escape(printable(fact))}" for name, fact in about.items())
    head = f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Submissions</title><style>{STYLE}</style>"
    return (
        f"{head}<h1>Submissions</h1><table class=facts>{facts}</table><h2>Totals</h2>{totals}"
        f"<h2>Files</h2>{table}</html>\n"
    )


def _row(path: Path, words: Sequence[str], seconds: float, stop: threading.Event, size: str) -> Row:
    """Compare one submission with the reference in a process of its own; return its row of the table.

    size: that of both models, such as "n=4"; empty for the one that they have. For the rest, see `_compare`.
    """
    words_of_size = [*words, "--sizes", size] if size else words
    return {**_compare(path, words_of_size, seconds, stop), "size": size or None}


def _compare(path: Path, words: Sequence[str], seconds: float, stop: threading.Event) -> Row:
    """Compare one submission with the reference in a process of its own; return its row without the size.

    path: the file of the submission. words: the reference and its options, as on the command line. seconds: the time
    limit; a process that outlives it by `KILLED_AFTER_SECONDS` is killed. stop: ends the comparison when set. A failure
    is a verdict and a complaint in the row, not an exception. The process makes the file ``declared`` once both models
    are declared; without it, a submission that is late does not end.
    """
    if stop.is_set():
        return _failure_row(path, NOT_SETTLED, "not tried", seconds)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
    with TemporaryDirectory() as folder:
        declared = Path(folder) / "declared"
        more_words = ["--json", "--time-limit", str(seconds), "--declared", str(declared)]
        command_line = [words[0], str(path), *words[1:], *more_words]
        # Leaving the block ends the process.
        with start_tied("solvers.extras.audits.diff.__main__", command_line, **streams) as process:
            texts = _communicate(process, seconds + KILLED_AFTER_SECONDS, stop)
        is_declared = declared.exists()
    if texts is None and stop.is_set():
        return _failure_row(path, NOT_SETTLED, "ended before it was done", seconds)
    answer = _answer(texts[0]) if texts else {"verdict": NOT_SETTLED}
    if answer and "reference" in answer:
        return _comparison_row(path, answer)
    if answer:  # the process was too late to compare
        verdict = NOT_SETTLED if is_declared else ENDLESS
        complaint = "" if is_declared else f"it has declared no model within {seconds:g} s"
        return {**_failure_row(path, verdict, complaint, seconds), "seconds": seconds}
    assert texts
    return _failure_row(path, *_crash_verdict(path, texts[1], process.returncode), seconds)


def _answer(out: str) -> Mapping[str, Any] | None:
    """Return the JSON object in the last line that a process has printed; None if there is none with a verdict."""
    with suppress(ValueError):
        answer = json.loads(out.strip().rpartition("\n")[2])
        return answer if isinstance(answer, dict) and "verdict" in answer else None
    return None


def _crash_verdict(path: Path, err: str, code: int) -> tuple[str, str]:
    """Return the verdict and the complaint on a submission whose process has given no answer.

    The complaint is the last line of what it has written, or the line of the submission at which Python broke down.
    err: what it has written on stderr. code: its exit code; 2 stands for bad input.
    """
    if OUT_OF_MEMORY.search(err):
        return CRASHED, "out of memory"
    if code == 2:
        sentence = err.strip().rpartition("\n")[2].removeprefix("kazoeru: ")
        sentence = sentence.removeprefix(str(path)).lstrip(",: ")
        return (CRASHED if RAISED.search(sentence) else REFUSED), sentence
    lines = [match["line"] for match in FAULT.finditer(err) if Path(match["file"]).name == path.name]
    return CRASHED, (f"line {lines[0]}: " if lines else "") + f"its process breaks down (exit code {code})"


def _failure_row(path: Path, verdict: str, complaint: str, seconds: float) -> Row:
    """Return the row of a submission that was not compared."""
    row: Row = {**dict.fromkeys(COLUMNS), "file": path.name, "verdict": verdict, "complaint": complaint or None}
    return {**row, "what_to_say": on_failure(verdict, complaint, seconds), "mistake": ""}


def _comparison_row(path: Path, answer: Mapping[str, Any]) -> Row:
    """Return the row of a submission that was compared; answer: the JSON object of its process.

    That is the object of `Difference.as_json`, with "what_to_say" and "mistake".
    """
    reference, submission = answer["reference"], answer["submission"]
    example = submission["example"] or reference["example"]
    return {
        "file": path.name,
        "verdict": answer["verdict"],
        "what_to_say": answer["what_to_say"],
        "notes": "; ".join(answer["notes"]) or None,
        "same_mistake": None,
        "solutions": submission["solutions"],
        "only_reference": reference["only"],
        "only_submission": submission["only"],
        "example": json.dumps(example) if example else None,
        "missing": some_of(reference["left_out"]) or None,
        "extra": some_of(submission["left_out"]) or None,
        "seconds": round(answer["seconds"], 2),
        "complaint": "; ".join(f"try --map '{text}'" for text in answer["proposals"]) or None,
        "mistake": answer["mistake"],
    }


def _communicate(process: subprocess.Popen[str], seconds: float, stop: threading.Event) -> tuple[str, str] | None:
    """Wait for a process and return the texts of its stdout and stderr.

    The result is None if the process has not ended after ``seconds`` seconds, or if ``stop`` is set before, which is
    looked at every `POLL_SECONDS`.
    """
    ends = time.monotonic() + seconds
    while not stop.is_set() and time.monotonic() < ends:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=POLL_SECONDS)
    return None
