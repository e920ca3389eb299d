"""Solves variants one after another in each of some processes, or in this one."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from models import COLLECTION
from models.puzzle import Puzzle
from solvers.cubes.processes import Processes
from solvers.endings import Ending
from solvers.errors import CheckError, InputError, Stopped
from solvers.extras.studies.survey.journal import Journal
from solvers.extras.studies.survey.variants import Row
from solvers.files.catalogue import blamed_on, find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.show.report import Report

CHUNK_SECONDS = 0.3
"""The time for which a chunk of variants should keep a process busy; finished chunks are stored."""

MAX_CHUNK_VARIANTS = 64
"""The most variants in a chunk."""

MAX_VARIANT_DEATHS = 2
"""The number of processes that may die on a variant before it is given up."""


class NumberedVariant(NamedTuple):
    """A variant with its number in the survey."""

    number: int
    arguments: Mapping[str, Any]


def collect(
    found: dict[int, Row],
    name: str,
    declare: Callable[..., Puzzle] | None,
    every: Sequence[Mapping[str, Any]],
    options: Options,
    stop: threading.Event,
    tell: Callable[[], object] = lambda: None,
) -> None:
    """Add the rows of all variants that ``found`` lacks, by the variants' places.

    The store of the options keeps these rows, and rows that it has already are taken from it. tell: called a few times
    a second. every: the parameters of all variants. The other arguments are those of `rows`. Raises `InputError` if the
    store cannot be used, `StoreError` if it cannot be written, and what `rows` raises. Raises `CheckError` for what
    should never happen.
    """
    journal = Journal(options.store, name, options) if options.store is not None else None
    found.update(journal.known(every) if journal else {})
    left = [NumberedVariant(place, arguments) for place, arguments in enumerate(every) if place not in found]
    new: list[tuple[Mapping[str, Any], Row]] = []
    try:
        for row in rows(name, declare, left, replace(options, store=None), options.jobs, stop):
            if row is not None:
                found[row[0]] = row[1]
                new.append((every[row[0]], row[1]))
            if journal and (row is None or len(new) >= MAX_CHUNK_VARIANTS):
                journal.record(new)
                new = []
            tell()
        if journal:
            journal.record(new)
    finally:
        if journal:
            journal.close()


def rows(
    name: str,
    declare: Callable[..., Puzzle] | None,
    variants: Sequence[NumberedVariant],
    options: Options,
    jobs: int,
    stop: threading.Event,
) -> Iterator[tuple[int, Row] | None]:
    """Yield (number of the variant, row) as runs end, in any order, and None a few times a second.

    name: the name or path of the puzzle. declare: the function that declares the puzzle if it is not known by its name;
    then all runs are in this process. variants: those to run. Raises `CheckError` for what should never happen. Raises
    `InputError` if the puzzle cannot be loaded. options: the options of each run. jobs: the number of processes. stop:
    ends the runs early when set.
    """
    options = replace(options, jobs=1, executor=None)
    if declare is not None or jobs == 1 or len(variants) < 2:
        declare = declare or _declare(name)
        for number, arguments in variants:
            if stop.is_set():
                return
            with suppress(Stopped):
                yield number, row_of(name, declare, arguments, options, stop)
    else:
        yield from _Pool(name, variants, options, jobs, stop).rows()


class _Pool:
    """Processes that solve variants in chunks."""

    def __init__(
        self,
        name: str,
        variants: Sequence[NumberedVariant],
        options: Options,
        jobs: int,
        stop: threading.Event,
    ) -> None:
        """Take the puzzle's name, the variants, and the number of processes, ``jobs``; none is started yet.

        stop: ends the work when set. options: those of each run.
        """
        self._name, self._options, self._stop, self._jobs = name, options, stop, jobs
        self._waiting = deque(variants)
        self._deaths: dict[int, int] = {}
        self._size = 1

    def rows(self) -> Iterator[tuple[int, Row] | None]:
        """Yield (number of the variant, row) as chunks end, and None a few times a second.

        Raises the errors of `rows`.
        """
        processes = Processes(self._jobs)
        running: dict[Future[tuple[list[Row], float]], list[NumberedVariant]] = {}
        try:
            while (self._waiting or running) and not self._stop.is_set():
                while self._waiting and len(running) < 2 * self._jobs:
                    suspects = self._deaths.keys() & {self._waiting[0].number}
                    chunk = [self._waiting.popleft() for _ in range(1 if suspects else self._size) if self._waiting]
                    running[processes.submit(_solve_variants, self._name, chunk, self._options)] = chunk
                done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                processes.check()
                for future in done:
                    chunk = running.pop(future)
                    try:
                        found, seconds = future.result()
                    except BrokenExecutor:
                        if processes.is_guilty(future):
                            yield from self._bury(chunk)
                        else:
                            self._waiting.extendleft(reversed(chunk))
                        continue
                    self._size = max(
                        1,
                        min(
                            2 * self._size,
                            MAX_CHUNK_VARIANTS,
                            int(CHUNK_SECONDS * len(chunk) / max(seconds, 1e-9)),
                        ),
                    )
                    for variant, row in zip(chunk, found, strict=True):
                        yield variant.number, row
                yield None
        finally:
            processes.kill()
            processes.shutdown()

    def _bury(self, chunk: Sequence[NumberedVariant]) -> Iterator[tuple[int, Row]]:
        """Put the variants of a chunk, whose process died, back into the queue, each to be solved alone.

        Yields a row for each variant on which too many processes have died; the row says that.
        """
        for variant in reversed(chunk):
            self._deaths[variant.number] = self._deaths.get(variant.number, 0) + 1
            if self._deaths[variant.number] < MAX_VARIANT_DEATHS + (len(chunk) > 1):
                self._waiting.appendleft(variant)
            else:
                report = Report(
                    self._name,
                    variant.arguments,
                    backend=self._options.backend,
                    stopped_by="the death of its process; perhaps memory did not suffice",
                )
                yield variant.number, json.loads(report.as_json())


def _solve_variants(name: str, chunk: Sequence[NumberedVariant], options: Options) -> tuple[list[Row], float]:
    """Solve variants in another process; return (rows, seconds that they took).

    name: the puzzle's name or path. chunk: the variants. options: the options of each run. Raises `CheckError` for what
    should never happen.
    """
    began = time.perf_counter()
    declare = _declare(name)
    try:
        found = [row_of(name, declare, variant.arguments, options) for variant in chunk]
    except CheckError as error:  # some cannot be pickled
        raise CheckError(str(error)) from None
    return found, time.perf_counter() - began


def row_of(
    name: str,
    declare: Callable[..., Puzzle],
    arguments: Mapping[str, Any],
    options: Options,
    stop: threading.Event | None = None,
) -> Row:
    """Run a variant and return its report as a row; if it is refused, the row has the reason.

    name: the puzzle's name. declare: declares the puzzle for the arguments, values of its parameters by name. options:
    those of the run. A refused variant has the reason under ``refused``. Raises `CheckError` for what should never
    happen, `Stopped` once the event is set.
    """
    run = Run(name, arguments, declare, options)
    refused = ""
    try:
        with blamed_on(name, name not in COLLECTION):
            for _ in run:
                if stop and stop.is_set():
                    run.stop(Ending.CLOSED)
    except InputError as error:
        refused = str(error)
    if stop and stop.is_set():
        raise Stopped
    row: Row = json.loads(run.report.as_json())
    return {**row, "refused": refused} if refused else row


@lru_cache(1)
def _declare(name: str) -> Callable[..., Puzzle]:
    """Return the function that declares the puzzle of this name or path; the puzzle is loaded once.

    Raises `InputError` if there is no such puzzle.
    """
    return find(name).declare
