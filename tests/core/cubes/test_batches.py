"""Solutions are handed over at once, or in batches where they come fast."""

from typing import Any

import numpy as np

from solvers.cubes.batches import FIRST_ALONE, MAX_BATCH, Batches


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
