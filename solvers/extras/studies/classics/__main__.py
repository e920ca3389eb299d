"""python -m solvers classics: counts what others have counted, by two ways each, and compares."""

import json
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from models.classics.known import KNOWN, KnownCount
from solvers.base.endings import DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN
from solvers.base.errors import InputError, Stopped
from solvers.base.options import seconds
from solvers.extras.studies.classics.counted import CountedClassic, command_of, count_classic
from solvers.extras.studies.confirm.counted import Limits
from solvers.extras.studies.confirm.forms import write_forms
from solvers.extras.studies.confirm.functions import ask_witnesses, bytes_of, forms_of
from solvers.extras.studies.confirm.witnesses import WITNESSES
from solvers.files.catalogue import find
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths
from solvers.show.versions import source_checksum
from solvers.terminal.arguments import Parser, argparse_reader
from solvers.terminal.command import EndedEarly, command, complain, run_in_thread

COLUMNS = "{:44} {:>10} {:>31}  {:34} {:>7} {:>6}"
HEADINGS = ("question", "solutions", "in all", "evidence", "seconds", "MB")


class ProgramsAsked(NamedTuple):
    """The programs of others that are asked to count, too."""

    least: int = 0
    """Programs are asked, one after another, until so many agree."""
    seconds: float = 60.0
    """The time for each."""


def main(words: list[str], known_counts: Sequence[KnownCount] = KNOWN) -> int:
    """Run the command ``classics`` with the words of its command line and print the table.

    known_counts: those that may be asked for. Returns the exit code. Raises `InputError` for options that are wrong, or
    files that cannot be read or written.
    """
    parser = Parser(
        prog="python -m solvers classics",
        description="Count classics whose numbers are known, confirm each by another way, and compare.",
        epilog="Times are in processor seconds. Where the verified counter is built\n"
        "(python -m solvers verified --build), it confirms exact covers.",
    )
    parser.add_argument("--quick", action="store_true", help="count only those that take a few seconds")
    parser.add_argument("--only", metavar="TEXT", help="count only questions that contain this text")
    parser.add_argument(
        "--programs",
        type=argparse_reader(_natural),
        default=0,
        metavar="N",
        help="ask programs of others, too, until N of them count the same (3 is a good number)",
    )
    parser.add_argument(
        "--program-seconds",
        type=argparse_reader(seconds),
        default=ProgramsAsked().seconds,
        metavar="SECONDS",
        help=f"the time for each of them (default: {ProgramsAsked().seconds:.0f})",
    )
    parser.add_argument("--store", metavar="FILE", help="save finished rows in this file, and do not count them again")
    parser.add_argument("--page", metavar="FILE", help="write the table as a page (.html)")
    parser.add_argument("--list", action="store_true", help="show questions, commands and sources, and exit")
    chosen = parser.parse_args(words)
    if chosen.only == "":
        raise InputError("--only needs a text; leave it out to count all questions")
    text = chosen.only or ""
    asked = [known for known in known_counts if (known.quick or not chosen.quick) and text in known.question]
    if not asked:
        raise InputError(f"no question holds {chosen.only!r}; --list shows all")
    if chosen.list:
        for known in asked:
            print(f"{known.question}\n    {command_of(known)}\n    {known.source}")
        return DONE
    for option in ("store", "page"):
        if (path := getattr(chosen, option)) is not None:
            FileOutput(path)
    check_paths({}, {"store": chosen.store, "page": chosen.page})
    programs = ProgramsAsked(chosen.programs, chosen.program_seconds)
    return _count(asked, programs, chosen.store and Path(chosen.store), chosen.page and Path(chosen.page))


def _natural(text: str) -> int:
    """Read the option --programs, a number that is not negative; raise `InputError` for anything else."""
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{text!r} is no number of programs; give one such as 3")
    return int(text)


def _count(asked: Sequence[KnownCount], programs: ProgramsAsked, store: Path | None, page: Path | None) -> int:
    """Count the classics one by one, print their rows and write the page; return the exit code.

    store: the file that keeps finished rows, None for none. page: the file for the table as HTML, None for none. Raises
    `InputError` if a run fails, or if a file cannot be read or written. asked: the known counts, each of which is
    counted again. programs: the programs of others that are asked.
    """
    known_rows, rows, code = _rows_in_store(store) if store else {}, list[CountedClassic](), DONE
    print(COLUMNS.format(*HEADINGS), flush=True)
    try:
        for known in asked:
            row = known_rows.get(command_of(known))
            if row is None or (programs.least and [*row.asked] != [*programs]):
                try:
                    row = run_in_thread(partial(_count_and_confirm, known, programs))
                except InputError as error:
                    code = complain(f"{known.question}: {error}", max(code, INCOMPLETE))
                    continue
                if store:
                    _keep(store, row)
            rows.append(row)
            print(_line(row), flush=True)
            if programs.least:
                print(f"    {_programs_in_words(row)}", flush=True)
    except EndedEarly as ended:
        code = complain(f"ended by {ended}; {len(asked) - len(rows)} rows left", ended.code)
    if page:
        _write(page, _page(rows))
    if wrong := [row.question for row in rows if not row.is_right]:
        return complain(f"these counts differ from the known ones: {', '.join(wrong)}", SHOULD_NEVER_HAPPEN)
    if differing := [f"{row.question} ({', '.join(row.differing)})" for row in rows if row.differing]:
        return complain(f"programs of others count another number: {'; '.join(differing)}", SHOULD_NEVER_HAPPEN)
    return code


def _count_and_confirm(known: KnownCount, asked: ProgramsAsked, stop: threading.Event) -> CountedClassic:
    """Count a classic, confirm the count, ask programs of others, and return the row.

    Raises `InputError` with the message of a run that failed, `Stopped` once the event is set.
    """
    row = count_classic(known, stop)
    if not asked.least:
        return row
    agreeing, differing = list[str](), list[str]()
    foreign = [witness for witness in WITNESSES if witness.is_foreign and not witness.probable]
    with tempfile.TemporaryDirectory() as scratch:
        puzzle = find(known.puzzle).declare(**known.parameters)
        limits = Limits(asked.seconds, bytes_of(None))
        plain = write_forms(puzzle, (), forms_of(foreign), Path(scratch), asked.seconds, stop)
        for answer in ask_witnesses(foreign, plain, (), limits, stop):
            if stop.is_set():
                raise Stopped
            if answer.number is not None:
                (agreeing if answer.number == row.total else differing).append(answer.witness.name)
            if len(agreeing) == asked.least:
                break
    return row._replace(asked=[*asked], programs=agreeing, differing=differing)


def _line(row: CountedClassic) -> str:
    """Return a row as a line of the printed table."""
    counts = row.solutions, f"{row.total}{'' if row.is_right else ' (!)'}"
    return COLUMNS.format(row.question, *counts, row.evidence, f"{row.seconds:.1f}", f"{row.megabytes:.0f}").rstrip()


def _programs_in_words(row: CountedClassic) -> str:
    """Return the programs of others that count the same, and those that do not, in words."""
    sentence = f"also counted by {', '.join(row.programs)}" if row.programs else "no other program finished"
    return f"{sentence}; ANOTHER NUMBER: {', '.join(row.differing)}" if row.differing else sentence


def _rows_in_store(store: Path) -> dict[str, CountedClassic]:
    """Return the rows that the file ``store`` keeps, by their commands.

    Rows that another version of the source has counted are left out. Raises `InputError` if the file holds anything
    else.
    """
    rows = {}
    try:
        lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
        for line in lines:
            if line.endswith("}"):  # the last line of a command that was killed may be cut off
                fields = json.loads(line)
                if fields["checksum"] == source_checksum():  # rows of another version may have other fields
                    row = CountedClassic(**fields)
                    rows[row.command] = row
    except (OSError, KeyError, ValueError, TypeError):
        raise InputError(f"{store} keeps no rows of classics; choose another file for --store") from None
    return rows


def _keep(store: Path, row: CountedClassic) -> None:
    """Append a row to the file ``store``; raise `InputError` if that is not possible."""
    try:
        with store.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row._asdict()) + "\n")
    except OSError as error:
        raise InputError(f"{store} cannot be written: {error.strerror}") from None


def _page(rows: Sequence[CountedClassic]) -> str:
    """Return a table of these rows, and the commands that count them, as an HTML page."""
    counts = [
        {
            **{"question": row.question, "up to symmetry": row.solutions, "in all": str(row.total)},
            **{"source": row.source, "counted by": row.first, "confirmed by": row.second},
            "also counted by": ", ".join(row.programs),
            **{"evidence": row.evidence, "seconds": row.seconds, "MB": row.megabytes},
        }
        for row in rows
    ]
    commands = [{"question": row.question, "command": row.command} for row in rows]
    tables = [tabulate(table, headers="keys", tablefmt="html", disable_numparse=True) for table in (counts, commands)]
    style = "body { font-family: sans-serif } td, th { padding: 0.2em 0.8em; text-align: left }"
    title = "Known counts, counted again"
    head = f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title><style>{style}</style>"
    return f"{head}<h1>{title}</h1>{tables[0]}<h2>Commands</h2>{tables[1]}</html>\n"


def _write(page: Path, text: str) -> None:
    """Write the text of the page to a file; raise `InputError` if that is not possible."""
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{page} cannot be written: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(command(main))
