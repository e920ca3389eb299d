"""The smallest sets of facts that tell each of some solutions from all others, where all solutions are listed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import Stopped
from solvers.model.compiled import kernel_of

HITTING_NODES_PER_SLICE = 50_000
"""Nodes between two looks at whether to stop."""

HITTING_SETS_PER_BATCH = 256
"""Sets that are handed over at a time."""


class Smallest(NamedTuple):
    """The smallest sets of facts that distinguish a solution from all others."""

    size: int | None
    """The number of facts in each set; None if another solution has all facts of this one, so that there is no set."""

    sets: list[list[int]]
    """The sets, each a list of the numbers of its facts: all of them, or only the first that was found."""


class Listed:
    """A table of all solutions, each by the numbers of its facts.

    >>> table = Listed(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 2, 1, 2], dtype=np.int32), 3)
    >>> table.smallest([0, 1], finds_all=True, stop=threading.Event())
    Smallest(size=2, sets=[[0, 1]])
    """

    def __init__(self, starts: NDArray[np.int64], facts: NDArray[np.int32], most: int) -> None:
        """Store the table.

        facts: the facts of all solutions, one solution after the other. starts: the place in ``facts`` at which each
        solution begins, and the end; see `Facts.table`. most: the number of different facts.
        """
        self._starts, self._facts, self._most = starts, facts, most
        self._room = threading.local()

    def smallest(self, facts: Sequence[int], finds_all: bool, stop: threading.Event) -> Smallest:
        """Find the smallest subsets of a solution's facts that no other solution contains.

        facts: the facts of the solution. finds_all: find all smallest subsets, not only one.

        Raises `Stopped` once the event is set.
        """
        lacking, _ = kernel()
        local = np.full(self._most, -1, dtype=np.int32)
        local[list(facts)] = np.arange(len(facts))
        solutions, words = len(self._starts) - 1, max(1, -(-len(facts) // 64))
        sets = getattr(self._room, "sets", np.empty((0, 0), dtype=np.uint64))
        if sets.shape != (solutions, words):
            sets = self._room.sets = np.empty((solutions, words), dtype=np.uint64)
        if lacking(self._starts, self._facts, local, len(facts), sets) > 1:
            return Smallest(None, [])
        others = sets[sets.any(axis=1)]
        size, sets_found = smallest_hitting(others, finds_all, stop)
        return Smallest(size, [[facts[place] for place in chosen] for chosen in sets_found])


def smallest_hitting(sets: NDArray[np.uint64], finds_all: bool, stop: threading.Event) -> tuple[int, list[list[int]]]:
    """Find minimum hitting sets; return (their size, the sets, each a list of places, sorted).

    sets: the sets to hit, a row for each, whose bits are the places in it; none is empty. finds_all: find all, not one.
    Raises `Stopped` once the event is set.

    >>> smallest_hitting(np.array([[0b011], [0b110]], dtype=np.uint64), True, threading.Event())
    (1, [[1]])
    """
    size = 0
    while True:
        sets_found = []
        for chosen in hitting_of_size(sets, size, stop):
            sets_found.append(sorted(chosen))
            if not finds_all:
                break
        if sets_found:
            return size, sorted(sets_found)
        size += 1


def hitting_of_size(sets: NDArray[np.uint64], size: int, stop: threading.Event) -> Iterator[list[int]]:
    """Yield all sets of ``size`` places that hit each row of ``sets``; there must be no smaller ones.

    Raises `Stopped` once the event is set.
    """
    from solvers.extras.questions.invent.hitting_kernel import DEPTH, FRESH, HittingLevels

    _, advance = kernel()
    count, words = sets.shape
    levels = HittingLevels(
        alive=np.empty((size + 1, count), dtype=np.int32),
        left=np.zeros(size + 1, dtype=np.int64),
        branches=np.zeros((size + 1, words), dtype=np.uint64),
        excluded=np.zeros((size + 1, words), dtype=np.uint64),
        chosen=np.zeros(size + 1, dtype=np.int32),
        counters=np.zeros(2, dtype=np.int64),
    )
    levels.counters[FRESH] = 1  # level 0 was just entered
    levels.alive[0] = np.arange(count)
    levels.left[0] = count
    batch = np.empty((HITTING_SETS_PER_BATCH, size), dtype=np.int32)
    while levels.counters[DEPTH] >= 0:
        if stop.is_set():
            raise Stopped
        rows = advance(sets, levels, size, batch, HITTING_NODES_PER_SLICE)
        yield from batch[:rows].tolist()


@cache
def kernel() -> tuple[Any, Any]:
    """Return the compiled functions (lacking, advance) of `hitting_kernel`.

    They are compiled at the first call after installing.
    """
    from solvers.extras.questions.invent import hitting_kernel

    return kernel_of(hitting_kernel.compile_kernel)
