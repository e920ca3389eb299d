"""Processes that work on many items, some at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import Generic, Protocol, TypeVar

from solvers.cubes.processes import Processes

CHUNK_SECONDS = 0.3
"""The time for which a chunk of items should keep a process busy; finished chunks are stored."""

MAX_CHUNK_ITEMS = 64
"""The most items in a chunk."""

MAX_ITEM_DEATHS = 2
"""The number of processes that may die on an item before it is given up.

It is at least 2: the first may have died on another item of the same chunk, but after that each item is solved alone.
"""


class Numbered(Protocol):
    """An item with a number of its own."""

    @property
    def number(self) -> int:
        """The number."""


Item = TypeVar("Item", bound=Numbered)
Row = TypeVar("Row")


class ChunkPool(Generic[Item, Row]):
    """Processes that make a row of each item, in chunks that take about as long each."""

    def __init__(
        self,
        solve: Callable[[Sequence[Item]], list[Row]],
        items: Sequence[Item],
        jobs: int,
        stop: threading.Event,
        give_up: Callable[[Item], Row],
    ) -> None:
        """Take the items, and the number of processes, ``jobs``; none is started yet.

        solve: called in the processes with a chunk of items, returns a row for each. stop: ends the work when set.
        give_up: returns the row of an item on which too many processes have died.
        """
        self._solve = solve
        self._stop = stop
        self._jobs = jobs
        self._give_up = give_up
        self._waiting = deque(items)
        self._deaths: dict[int, int] = {}
        """How many processes have died on an item, by its number."""
        self._chunk_size = 1
        """The number of items in the next chunk."""

    def rows(self) -> Iterator[tuple[Item, Row] | None]:
        """Yield (item, row) as chunks end, in any order, and None a few times a second.

        Raises what ``solve`` raises, and `MemoryError` if no process can be started. Two chunks are handed over for
        each process. At the speed of the last chunk the next one takes `CHUNK_SECONDS`, but it is at most twice as
        large.
        """
        processes = Processes(self._jobs)
        running: dict[Future[tuple[list[Row], float]], list[Item]] = {}
        try:
            while (self._waiting or running) and not self._stop.is_set():
                while self._waiting and len(running) < 2 * self._jobs:
                    chunk = self._next_chunk()
                    running[processes.submit(_solve_with_time, self._solve, chunk)] = chunk
                done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                processes.check()
                for future in done:
                    chunk = running.pop(future)
                    try:
                        chunk_rows, seconds = future.result()
                    except BrokenExecutor:
                        # A process did its chunks in order and died of one of them; its others only go back.
                        if processes.is_guilty(future):
                            yield from self._requeue_chunk(chunk)
                        else:
                            self._waiting.extendleft(reversed(chunk))
                        continue
                    items_in_time = int(CHUNK_SECONDS * len(chunk) / max(seconds, 1e-9))
                    self._chunk_size = max(1, min(2 * self._chunk_size, MAX_CHUNK_ITEMS, items_in_time))
                    yield from zip(chunk, chunk_rows, strict=True)
                yield None
        finally:
            processes.kill()
            processes.shutdown()

    def _next_chunk(self) -> list[Item]:
        """Take the next items from those that wait; one on which a process has died comes alone.

        It has `_chunk_size` items at most.
        """
        chunk = [self._waiting.popleft()]
        if chunk[0].number in self._deaths:
            return chunk
        while len(chunk) < self._chunk_size and self._waiting and self._waiting[0].number not in self._deaths:
            chunk.append(self._waiting.popleft())
        return chunk

    def _requeue_chunk(self, chunk: Sequence[Item]) -> Iterator[tuple[Item, Row]]:
        """Put the items of a chunk, whose process died, back into the queue, each to be solved alone.

        The death counts for every item of the chunk, as any may have caused it. Yields a row for each item on which too
        many processes have died; such an item was solved alone at its last death.
        """
        for item in reversed(chunk):
            self._deaths[item.number] = self._deaths.get(item.number, 0) + 1
            if self._deaths[item.number] < MAX_ITEM_DEATHS:
                self._waiting.appendleft(item)
            else:
                yield item, self._give_up(item)


def _solve_with_time(solve: Callable[[Sequence[Item]], list[Row]], chunk: Sequence[Item]) -> tuple[list[Row], float]:
    """Return (rows, seconds): what ``solve`` makes of a chunk, and how long that took."""
    began = time.perf_counter()
    return solve(chunk), time.perf_counter() - began
