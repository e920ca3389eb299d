"""One witness counts: its command in a process of its own, with limits of time and memory, and what came of it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from solvers.base.endings import BAD_INPUT
from solvers.extras.shared.programs import PROGRAM_POLL_SECONDS, end, start_tied
from solvers.extras.studies.confirm.foreign import CANNOT as UNSAID
from solvers.extras.studies.confirm.witness import Witness
from solvers.show.printable import printable

AGREES = "agrees"
DIFFERS = "differs"
ALONE = "finished alone"
LATE = "not done in time"
TOO_LARGE = "not done in memory"
NOT_ASKED = "not asked"
MISSING = "not installed"
FAILED = "failed"
ENDED = "ended early"

MOST_READ = 1_000_000
"""Characters of a program's answer that are read."""

MOST_DIGITS = 4000
"""Digits of a number that Python reads without being asked twice."""

OF_MEMORY = (
    "out of memory",
    "memoryerror",
    "bad_alloc",
    "cannot allocate",
    "failed to map segment",
    "ended by a lack of memory",
)
"""The words of programs that had too little memory, in small letters."""


@dataclass(frozen=True)
class WitnessCount:
    """The answer of one witness about a model."""

    witness: Witness
    verdict: str
    """One of the words above."""
    detail: str = ""
    """The reason for the verdict, or what to do; empty if the word says all."""
    version: str = ""
    written: str = ""
    """The size of the file that it read, in words."""
    number: int | None = None
    """The number of solutions that it counted, all of them; None if it did not finish."""
    seconds: float | None = None
    """The seconds on the clock, with the start of the process; None if it was not started."""
    rests_on: Sequence[str] = field(default=())
    """The parts, besides the search itself, in which a mistake would make the count wrong."""


@dataclass(frozen=True)
class Limits:
    """The limits of each program."""

    seconds: float
    memory: int
    """Bytes that it may map."""


def count(
    witness: Witness,
    words: Sequence[str],
    path: str,
    limits: Limits,
    stop: threading.Event,
    tell: Callable[[], object] = lambda: None,
) -> tuple[str, str, int | None, float]:
    """Run a witness's command; return (verdict, detail, number, seconds).

    The verdict is `AGREES` if there is a number, which is yet to be compared. A program that dies, prints nonsense or
    does not end gets its verdict, and no number. words: the command. path: the file that it reads. limits: the seconds
    and the memory. stop: ends the count when set. tell: called a few times a second. `start_tied` starts a process that
    ends with this one.
    """
    input_path = path if witness.reads_input else os.devnull
    with TemporaryDirectory() as folder:
        files = Path(folder) / "answer", Path(folder) / "complaints"
        began = time.monotonic()
        with files[0].open("wb") as answer, files[1].open("wb") as complaints:
            # The module `limited` runs a command with limited memory and a file as its standard input.
            guarded = [str(limits.memory), input_path, *words]
            with start_tied("solvers.extras.shared.limited", guarded, stdout=answer, stderr=complaints) as process:
                while process.poll() is None and not stop.is_set():
                    if time.monotonic() - began > limits.seconds:
                        break
                    tell()
                    stop.wait(PROGRAM_POLL_SECONDS)
                code = process.poll()
                end(process)
        seconds = time.monotonic() - began
        if code is None:
            return (ENDED if stop.is_set() else LATE), "", None, seconds
        answer_text, complaint = (_read(file) for file in files)
    verdict, detail, number = _verdict(code, answer_text, complaint)
    return verdict, detail, number, seconds


def _read(file: Path) -> str:
    """Return the first part of a file's text, which may be of any encoding."""
    with file.open(encoding="utf-8", errors="replace") as stream:
        return stream.read(MOST_READ).strip()


def _verdict(code: int, answer: str, complaint: str) -> tuple[str, str, int | None]:
    """Return (verdict, detail, number) of a program that has ended; see `count`.

    code: its exit code. answer, complaint: what it printed on stdout and on stderr. A program that cannot take the
    model says so in an answer that begins with ``UNSAID``; one of ours ends with `BAD_INPUT`.
    """
    last_complaint = printable(([*complaint.splitlines()] or [""])[-1].removeprefix("kazoeru: "))
    if answer.startswith(UNSAID):
        return NOT_ASKED, printable(answer.splitlines()[0].removeprefix(UNSAID)), None
    number = _number(answer)
    if code == 0 and number is not None:
        return AGREES, "", number
    if any(words in complaint.lower() for words in OF_MEMORY):
        return TOO_LARGE, "", None
    if code == BAD_INPUT and complaint.startswith("kazoeru: "):
        return NOT_ASKED, last_complaint.partition("; ")[0], None  # without advice on what to choose instead
    if code == 0:
        return FAILED, "it told no number", None
    return FAILED, f"exit code {code}{': ' if last_complaint else ''}{last_complaint}", None


def _number(answer: str) -> int | None:
    """Return the number that an answer says, alone or as the total of a complete run's report in JSON; or None."""
    first_line, *other_lines = answer.splitlines() or [""]
    if first_line.isascii() and first_line.isdigit() and len(first_line) <= MOST_DIGITS and not other_lines:
        return int(first_line)
    with suppress(ValueError):
        report = json.loads(answer)
        if isinstance(report, dict) and report.get("complete") is True and isinstance(report.get("total"), int):
            return int(report["total"])
    return None
