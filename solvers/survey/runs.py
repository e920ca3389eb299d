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

from models.puzzle import Puzzle
from solvers.cubes.workers import Processes
from solvers.errors import CheckError, Stopped
from solvers.files.catalogue import find
from solvers.options import Options
from solvers.show.report import Report
from solvers.survey.variants import Row

CHUNK_SECONDS = 0.3
"""For which the variants that a process is sent at once should keep it busy; what it has done is kept when it is."""

MOST_IN_CHUNK = 64

MOST_DEATHS = 2
"""Processes that a variant may cost."""

Solve = Callable[..., Row]
"""`running.runner.row_of`, which solves a variant; it is named by who asks, so that this stands below the runner."""


class Variant(NamedTuple):
    """One of them."""

    number: int
    arguments: Mapping[str, Any]


def rows(
    solve: Solve,
    name: str,
    declare: Callable[..., Puzzle] | None,
    variants: Sequence[Variant],
    options: Options,
    jobs: int,
    stop: threading.Event,
) -> Iterator[tuple[int, Row] | None]:
    """The rows of all variants as they come, each with the variant's number; None a few times a second.

    declare: what declares the puzzle, if it is not known by its name; then all is solved in this process.

    Ends early once the event is set. Raises `CheckError` for what should never happen.
    """
    options = replace(options, jobs=1, executor=None)
    if declare is not None or jobs == 1 or len(variants) < 2:
        declare = declare or _declare(name)
        for number, arguments in variants:
            if stop.is_set():
                return
            with suppress(Stopped):
                yield number, solve(name, declare, arguments, options, stop)
    else:
        yield from _Pool(solve, name, variants, options, jobs, stop).rows()


class _Pool:
    def __init__(
        self, solve: Solve, name: str, variants: Sequence[Variant], options: Options, jobs: int, stop: threading.Event
    ) -> None:
        self._solve, self._name, self._options, self._stop, self._jobs = solve, name, options, stop, jobs
        self._waiting = deque(variants)
        self._deaths: dict[int, int] = {}
        self._size = 1

    def rows(self) -> Iterator[tuple[int, Row] | None]:
        processes = Processes(self._jobs)
        running: dict[Future[tuple[list[Row], float]], list[Variant]] = {}
        try:
            while (self._waiting or running) and not self._stop.is_set():
                while self._waiting and len(running) < 2 * self._jobs:
                    suspects = self._deaths.keys() & {self._waiting[0].number}
                    chunk = [self._waiting.popleft() for _ in range(1 if suspects else self._size) if self._waiting]
                    running[processes.submit(_solved, self._solve, self._name, chunk, self._options)] = chunk
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
                        1, min(2 * self._size, MOST_IN_CHUNK, int(CHUNK_SECONDS * len(chunk) / max(seconds, 1e-9)))
                    )
                    for variant, row in zip(chunk, found, strict=True):
                        yield variant.number, row
                yield None
        finally:
            processes.kill()
            processes.shutdown()

    def _bury(self, chunk: Sequence[Variant]) -> Iterator[tuple[int, Row]]:
        """A process died; each of its variants gets one of its own, and one that costs that, too, is given up."""
        for variant in reversed(chunk):
            self._deaths[variant.number] = self._deaths.get(variant.number, 0) + 1
            if self._deaths[variant.number] < MOST_DEATHS + (len(chunk) > 1):
                self._waiting.appendleft(variant)
            else:
                report = Report(self._name, variant.arguments, backend=self._options.backend)
                report.stopped_by = "the death of its process; perhaps memory did not suffice"
                yield variant.number, json.loads(report.as_json())


def _solved(solve: Solve, name: str, chunk: Sequence[Variant], options: Options) -> tuple[list[Row], float]:
    """In another process: the rows, and how many seconds they took."""
    began = time.perf_counter()
    declare = _declare(name)
    try:
        found = [solve(name, declare, variant.arguments, options) for variant in chunk]
    except CheckError as error:  # some cannot be pickled
        raise CheckError(str(error)) from None
    return found, time.perf_counter() - began


@lru_cache(1)
def _declare(name: str) -> Callable[..., Puzzle]:
    return find(name).declare
