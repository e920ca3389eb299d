"""Counts a known classic by the commands that anybody can give, each in a process of its own."""

from __future__ import annotations

import json
import os
import shlex
import signal
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models.classics.known import KnownCount
from solvers.base.endings import DONE, INCOMPLETE
from solvers.base.errors import InputError, Stopped
from solvers.extras.counts.verified.counter import program
from solvers.extras.evidence.verified_checkers import check_by_verified
from solvers.extras.shared.programs import end, start_tied
from solvers.extras.studies.compare.trials import words_for
from solvers.files.catalogue import find

RUN_POLL_SECONDS = 0.05

CHECKED = "refutation by a verified checker"
"""The grade of a count whose certificate a verified checker has read."""


class CountedClassic(NamedTuple):
    """A row of the table: a known count, counted again."""

    question: str
    command: str
    solutions: int
    total: int
    is_right: bool
    """Whether both counts are those that are known."""
    source: str
    first: str
    """The backend or method that counted."""
    second: str
    """The backend or method that confirmed the count; empty if none did."""
    evidence: str
    seconds: float
    """Processor time of the run in seconds; for a certificate, the clock time of its check is added."""
    megabytes: float
    """The largest peak memory of one process, in megabytes."""
    checksum: str
    """The checksum of the source of kazoeru that counted."""
    asked: Sequence[float] = ()
    """The number of programs of others that were asked, and the seconds of each; empty if none was."""
    programs: Sequence[str] = ()
    """The programs of others that counted the same."""
    differing: Sequence[str] = ()
    """The programs of others that counted another number."""


def words_of(known: KnownCount) -> list[str]:
    """Return the words behind `python -m solvers.run` that count a classic and confirm it.

    "DIR" represents a folder. Raises `InputError` if the collection has no such puzzle.
    """
    declaration = find(known.puzzle)
    parameters = [parameter for parameter in declaration.parameters if parameter.name in known.parameters]
    options: dict[str, Any] = {"backend": "cover", "count_only": True} if known.count_only else {}
    words = [known.puzzle, *words_for(parameters, known.parameters, options)]
    confirm = known.confirm
    if confirm == "certify":
        return [*words, "--certify", "DIR"]
    if confirm == "verified" and not program().is_file():
        confirm = "" if known.is_weighty else "verify"
    return [*words, f"--{confirm}"] if confirm else words


def command_of(known: KnownCount) -> str:
    """Return the command that counts a classic, as a line for a shell.

    Raises `InputError` if the collection has no such puzzle.
    """
    return shlex.join(["python", "-m", "solvers.run", *words_of(known)])


def count_classic(known: KnownCount, stop: threading.Event) -> CountedClassic:
    """Count a classic in a process of its own, confirm the count, and return the row.

    Raises `InputError` with the message of a run that failed, `Stopped` once the event is set.
    """
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch) / "certificate"
        words = [str(directory) if word == "DIR" else word for word in words_of(known)]
        report, seconds, megabytes = _run([*words, "--json", "--quiet"], stop)
        evidence = report["evidence"]
        grade, confirmed_by = evidence["grade"], (evidence["counted_again"] or {"by": ""})["by"]
        if report["stopped_by"]:
            grade = f"{grade}, not confirmed"
        if known.confirm == "certify":
            began = time.perf_counter()
            try:
                grade, confirmed_by = CHECKED, check_by_verified(directory)
            except (InputError, MemoryError):  # none is installed, or it has too little memory
                confirmed_by = "CaDiCaL"
            seconds += time.perf_counter() - began
    # The source may give only one of the two.
    is_right = known.solutions in (None, report["solutions"]) and known.total in (None, report["total"])
    return CountedClassic(
        question=known.question,
        command=command_of(known),
        solutions=report["solutions"],
        total=report["total"],
        is_right=is_right,
        source=known.source,
        first=evidence["searched_by"],
        second=confirmed_by,
        evidence=grade,
        seconds=round(seconds, 1),
        megabytes=round(megabytes),
        checksum=report["checksums"]["kazoeru"],
    )


def _run(words: Sequence[str], stop: threading.Event) -> tuple[dict[str, Any], float, float]:
    """Run a count in a process of its own.

    Return (its JSON report, seconds of processor time, peak memory in megabytes). The count is complete, but may not be
    confirmed. words: those behind `python -m solvers.run`. Raises `InputError` with the run's message if it fails,
    `Stopped` once the event is set.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as complaints:
        with start_tied("solvers.run", words, stdout=output, stderr=complaints) as process:
            while True:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                if stop.wait(RUN_POLL_SECONDS):
                    end(process)
                    os.wait4(process.pid, 0)
                    process.returncode = -signal.SIGKILL
                    raise Stopped
            process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        complaints.seek(0)
        output_text = output.read()
        # A count that is complete and not confirmed also ends with this code.
        is_counted = process.returncode == INCOMPLETE and output_text and json.loads(output_text)["complete"]
        if process.returncode != DONE and not is_counted:
            complaint_lines = complaints.read().strip().splitlines() or [f"ended with exit code {process.returncode}"]
            raise InputError(complaint_lines[-1].removeprefix("kazoeru: "))
        return json.loads(output_text), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6
