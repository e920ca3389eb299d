"""The pool of processes that work on chunks of items: what it does after a process died."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future
from random import Random
from threading import Event
from typing import Any, NamedTuple

import pytest

from solvers.extras.studies.survey import pool

ITEMS = 60
DEADLY = {7, 23, 24, 50}
"""The numbers of the items on which processes die."""


class Item(NamedTuple):
    """An item of a pool."""

    number: int


class DyingProcesses:
    """Processes that are only imagined: they die on some items, and now and then without guilt."""

    def __init__(self, random: Random) -> None:
        """Take the source of the deaths without guilt."""
        self._random = random
        self._guilty: set[Future[Any]] = set()
        self.chunks: list[list[int]] = []
        """The numbers of the items of each chunk."""
        self.deaths = Counter[int]()
        """How many processes died on each item."""

    def submit(self, _: object, solve: Callable[[Sequence[Item]], list[int]], chunk: Sequence[Item]) -> Future[Any]:
        """Return a future that is done already."""
        numbers = [item.number for item in chunk]
        assert len(numbers) == 1 or not self.deaths.keys() & {*numbers}, "a suspect is in company"
        future: Future[Any] = Future()
        self.chunks.append(numbers)
        if DEADLY & {*numbers}:
            self.deaths.update(numbers)
            self._guilty.add(future)
            future.set_exception(BrokenExecutor())
        elif self._random.random() < 0.3:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result((solve(chunk), 0.001))
        return future

    def is_guilty(self, future: Future[Any]) -> bool:
        """Whether the process died on this call."""
        return future in self._guilty

    def check(self) -> None:
        """Do nothing."""

    kill = shutdown = check


@pytest.mark.parametrize("seed", range(20))
def test_suspects_come_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = DyingProcesses(Random(seed))
    monkeypatch.setattr(pool, "Processes", lambda _: processes)
    items = [Item(number) for number in range(ITEMS)]
    solved = pool.ChunkPool[Item, int](
        lambda chunk: [item.number for item in chunk], items, 2, Event(), lambda item: -item.number
    )
    rows = [row for row in solved.rows() if row is not None]
    assert sorted(item.number for item, _ in rows) == [*range(ITEMS)]
    assert {item.number for item, row in rows if row < 0} == DEADLY
    assert {number for number, deaths in processes.deaths.items() if deaths > 1} == DEADLY
    assert max(map(len, processes.chunks)) > 1
    assert all(processes.deaths[number] == pool.MAX_ITEM_DEATHS for number in DEADLY)
