"""Solutions handed over in batches where they come fast, as each handing over costs more than a solution."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.base.values import Values
from solvers.cubes.cube import Rows

MAX_BATCH = 1024
"""The most solutions in a batch."""

MAX_BATCH_SECONDS = 0.05
"""Seconds after which a batch is handed over with the next solution."""

FIRST_ALONE = 64
"""The number of solutions that are handed over one by one before any is held back."""


def compact(values: Values) -> NDArray[np.signedinteger[Any]]:
    """Return the values of a solution as an array of the smallest integer type that holds them.

    It saves memory and time on the way to another process.

    >>> compact([0, 1, 127]).dtype, compact([-129, 0]).dtype
    (dtype('int8'), dtype('int16'))
    """
    if isinstance(values, np.ndarray) and values.dtype == np.int8:
        return values
    array = np.asarray(values, dtype=np.int64)
    least, greatest = int(array.min(initial=0)), int(array.max(initial=0))
    # A signed type holds n if it holds -1 - n. NumPy takes a signed type for a negative number only.
    return array.astype(np.result_type(np.min_scalar_type(min(least, -1)), np.min_scalar_type(-1 - greatest)))


class Batches:
    """Takes solutions one by one, and hands them over in batches.

    The first ones go at once. A later one may wait for the next if solutions come fast, so that `hand_over` has to be
    called at the end of a search.
    """

    def __init__(self, found: Callable[[Rows], None], alone: float = FIRST_ALONE) -> None:
        """Begin without solutions.

        found: called with batches of at least one. alone: the number of the first ones, which are handed over at once.
        """
        self._found = found
        self._left_alone = alone
        """How many of the next solutions are handed over one by one."""
        self._waiting: list[Any] = []
        """The solutions that wait."""
        self._handed_over = time.monotonic()
        """When the last batch was handed over."""

    def add(self, values: Values) -> None:
        """Take the values of a solution: hand them over at once, or keep them until the batch is full or old enough."""
        if self._left_alone > 0:
            self._left_alone -= 1
            # An array with one row.
            self._found(compact(values)[None])
            return
        if self._waiting and len(values) != len(self._waiting[0]):  # another backend, with auxiliary variables
            self.hand_over()
        self._waiting.append(values)
        if len(self._waiting) >= MAX_BATCH or time.monotonic() - self._handed_over > MAX_BATCH_SECONDS:
            self.hand_over()

    def hand_over(self) -> None:
        """Hand over the solutions that wait."""
        if self._waiting:
            batch, self._waiting = compact(np.asarray(self._waiting)), []
            self._found(batch)
        self._handed_over = time.monotonic()
