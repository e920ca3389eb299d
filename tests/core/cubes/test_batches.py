"""Solutions are handed over at once, or in batches where they come fast; each once, whichever search found it."""

from typing import Any

import numpy as np

from solvers.base.errors import Stopped
from solvers.cubes.batches import FIRST_ALONE, MAX_BATCH, Batches
from solvers.cubes.conquer import CubeRows
from solvers.cubes.search import MetBefore
from tests.support.refusals import refused


def test_each_solution_is_handed_over_once_in_order() -> None:
    for count in (0, 1, FIRST_ALONE, FIRST_ALONE + 1, FIRST_ALONE + 2 * MAX_BATCH + 3):
        rows: list[Any] = []
        batches = Batches(rows.append)
        for number in range(count):
            batches.add([number, number % 7])
        batches.hand_over()
        batches.hand_over()
        assert sum(map(len, rows)) == count
        assert [row.tolist() for batch in rows for row in batch] == [[n, n % 7] for n in range(count)]
        assert all(len(batch) == 1 for batch in rows[:FIRST_ALONE])


def test_values_of_several_sizes_keep_their_values() -> None:
    rows: list[Any] = []
    batches = Batches(rows.append)
    values: list[Any] = [[0] * 3] * FIRST_ALONE + [
        np.array([1, 2, 3], np.int8),
        [10**12, -1, 0],
        np.array([300, 0, 1]),
        [1, 2],
    ]
    for solution in values:
        batches.add(solution)
    batches.hand_over()
    assert [row.tolist() for batch in rows for row in batch] == [[*map(int, solution)] for solution in values]


def test_a_first_solution_does_not_wait() -> None:
    rows: list[Any] = []
    batches = Batches(rows.append, alone=float("inf"))
    for number in range(3 * FIRST_ALONE):
        batches.add([number])
        assert len(rows) == number + 1


def test_the_solutions_of_a_cube() -> None:
    """They have the values that they had, however large; one too many ends the search."""
    values = [[0, 1]] * MAX_BATCH + [[300, -1]] * MAX_BATCH + [[2**62, 0], [1, 1]]
    for count in (0, 1, MAX_BATCH + 1, len(values) - 1):
        rows = CubeRows(count)
        for solution in values[:count]:
            rows.add(solution)
        assert rows.as_array().tolist() == values[:count]
        refused("^", rows.add, values[-1], raises=Stopped)


def test_what_was_found_before_is_told_once() -> None:
    """Of an earlier search two solutions are known; a later one meets them in another order and other types."""
    told: list[list[int]] = []
    met = MetBefore([0, 2], lambda rows: told.extend(rows.tolist()))
    met.remember(np.array([[1, 0, 5], [2, 0, 6]], np.int8))
    met.begin_anew()
    assert len(met.missed) == 2
    met.report_new(np.array([[300, 9, 1], [2, 9, 6]], np.int16))
    assert len(met.missed) == 1
    met.report_new(np.array([[1, 9, 5], [1, 9, 6]], np.int64))
    assert not met.missed
    met.report_new(np.array([[7, 9, 7]], np.int8))
    assert told == [[1, 0, 5], [2, 0, 6], [300, 9, 1], [1, 9, 6], [7, 9, 7]]
