"""A frontier count from behind: in how many solutions each option is, and solutions drawn uniformly.

The ways to reach a state times the ways to complete it are the solutions that go through it. Once the layers have been
counted forwards, a pass backwards gives the second factor and drops the states that nothing completes.

References
----------
D. Knuth, "The Art of Computer Programming", volume 4A, section 7.1.4 (random solutions of Boolean functions), 2011
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.values import random_ranks
from solvers.extras.counts.counting.frontier import LOAD_FACTOR, Frontier, Layer, kernel

BYTES_PER_SUM = 200
"""The memory that a state takes for each sum of the ways to it: a rough estimate."""

Words = NDArray[np.uint64]


class _Ahead(NamedTuple):
    """A run of the steps in the buffer that lead to states of one table."""

    table: Words
    layer: int
    begin: int
    end: int
    """The steps from ``begin`` up to ``end``, in their order, lead to this table."""


class BackwardStep(NamedTuple):
    """Steps out of some of a table's states into those of another."""

    source: Words
    target: Words
    """The table of the states that the steps lead to; ``source`` has those that they start from."""
    slots: NDArray[np.int32]
    """For each step, the slot in ``source`` of the state that it starts from."""
    found: NDArray[np.int64]
    """For each step, the slot in ``target`` of the state that it leads to."""
    options: NDArray[np.int64]
    """For each step, the option that it takes."""


class _Step(NamedTuple):
    """A step from a state to a later one, for drawing solutions."""

    option: int
    ways: int
    """The number of ways to complete the state that the step leads to."""
    layer: int
    state: bytes


class Backward:
    """A pass over the layers of a count, from the last to the first.

    It computes in how many ways each state is completed. That number replaces the number of ways to reach the state.
    frontier: a count that has kept its layers. total: the solutions that it found. tell: called a few times a second.
    Raises `Stopped` and `BudgetError` as a count does; it takes at most the memory of one layer more than the count.
    """

    def __init__(self, frontier: Frontier, total: int, tell: Callable[[], None] = lambda: None) -> None:
        """Go through all layers of a count, from the last to the first.

        A slot of a table has the words of a state, then its number of ways in limbs, words of 64 bits with the lowest
        first. The last layer has one state, everything covered, which is completed in 1 way. ``_uses`` adds up, for
        each option, the solutions through its steps. frontier: a count that has kept its layers. total: the solutions
        that it found. tell: called a few times a second. Raises `Stopped`, and `BudgetError` if memory is short.
        """
        layout = frontier.layout
        self._frontier = frontier
        self._total = total
        self._kernel = kernel(layout.words, frontier.limbs)
        self._steps = frontier.new_steps()
        self._found = np.zeros(len(self._steps.groups), dtype=np.int64)
        self._uses = np.zeros(len(layout.options) * frontier.limbs, dtype=np.uint64)
        if not total:
            return
        last_layer = frontier.done[layout.layers]
        (last_table,) = (table for table, size in zip(last_layer.tables, last_layer.sizes, strict=True) if size)
        slots = last_table.reshape(-1, frontier.stride)
        is_taken = slots[:, layout.words :].any(axis=1)  # an empty slot has 0 ways
        slots[is_taken, layout.words :] = [1] + [0] * (frontier.limbs - 1)
        for t in range(layout.layers - 1, -1, -1):
            if t in frontier.done:
                self._complete(t, frontier.done[t], tell)

    def option_counts(self) -> list[int]:
        """Return the number of solutions that contain each option, by the option's number."""
        uses = [0] * len(self._frontier.layout.options)
        for option, number in zip(self._frontier.layout.options, self._numbers(self._uses), strict=True):
            uses[option] = number
        return uses

    def steps(self) -> Iterator[BackwardStep]:
        """Yield every step between states that can be reached and completed, layer by layer.

        Each result has all steps of a buffer that lead from one table to another. The buffer's array ``details`` has
        two entries for a step: the slot from which it starts, and the place of its option.
        """
        layout, steps = self._frontier.layout, self._steps
        option_at_place = np.array(layout.options)
        for t in range(layout.layers if self._total else 0):
            for table in self._frontier.done[t].tables if t in self._frontier.done else ():
                for _, _, ahead in self._expand(table, t):
                    for part in ahead:
                        rows = steps.order[part.begin : part.end]
                        rows = rows[self._found[rows] >= 0]  # those whose target is in the table
                        slots = steps.details[2 * rows]
                        options = option_at_place[steps.details[2 * rows + 1]]
                        yield BackwardStep(table, part.table, slots, self._found[rows], options)

    def sums(self, weights: Sequence[int]) -> dict[int, int]:
        """Return the number of solutions for each sum of the weights of their options.

        The steps are gone through once more from the first layer on. Each state gets the number of ways to reach it for
        each sum of the weights; a table whose steps are all done is dropped, and its memory is given back. weights: the
        weight of each option, by its number.
        """
        frontier, last = self._frontier, self._frontier.layout.layers
        if not self._total:
            return {}
        # By the identity of each table, and by slot of the state, the number of ways to the state, by the sum.
        start = {slot: {0: 1} for table in frontier.done[0].tables for slot in range(len(table) // frontier.stride)}
        reached = {id(table): start for table in frontier.done[0].tables}
        last_source: Words | None = None
        for step in self.steps():
            if last_source is not None and last_source is not step.source:
                frontier.reserve_memory(-BYTES_PER_SUM * sum(map(len, reached.pop(id(last_source)).values())))
            last_source = step.source
            behind = reached[id(step.source)]
            ahead = reached.setdefault(id(step.target), {})
            new_sums = 0
            columns = step.slots.tolist(), step.found.tolist(), step.options.tolist()
            for slot, slot_ahead, option in zip(*columns, strict=True):
                ways_by_sum = ahead.setdefault(slot_ahead, {})
                weight = weights[option]
                new_sums -= len(ways_by_sum)
                for number, ways in behind[slot].items():
                    ways_by_sum[number + weight] = ways_by_sum.get(number + weight, 0) + ways
                new_sums += len(ways_by_sum)
            frontier.reserve_memory(BYTES_PER_SUM * new_sums)
        # The last layer has one state.
        (solutions_by_sum,) = (
            ways_by_sum for table in frontier.done[last].tables for ways_by_sum in reached.get(id(table), {}).values()
        )
        return solutions_by_sum

    def sample(self, count: int, seed: int, is_distinct: bool = False) -> list[list[int]]:
        """Draw solutions uniformly at random; return each as the list of its option numbers.

        count: how many to draw; the list is empty if there is no solution. seed: the seed of the random numbers.
        is_distinct: draw no solution twice; at most all are drawn. In the code, the rank of a solution is its number,
        from 0, among those that begin with the same steps. All samples go from layer to layer together; those that come
        to the same state share its steps.
        """
        layout, stride = self._frontier.layout, self._frontier.stride
        rng = random.Random(seed)
        samples: list[list[int]] = []
        start = bytes(8 * layout.words)  # the state in which nothing is covered
        # By layer and by state: (rank, number) of each sample that has come to this state.
        waiting: dict[int, dict[bytes, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        for number, rank in enumerate(random_ranks(self._total, count, is_distinct, rng)):
            self._frontier.check_stop()
            samples.append([])
            waiting[0][start].append((rank, number))
        for t in range(layout.layers):
            if not (samples_by_state := waiting.pop(t, {})):
                continue
            # A table of these states alone, in the form from which steps are written.
            table = np.zeros((len(samples_by_state), stride), dtype=np.uint64)
            states = np.frombuffer(b"".join(samples_by_state), dtype=np.uint64)
            table[:, : layout.words] = states.reshape(-1, layout.words)
            table[:, layout.words] = 1
            # The solutions through a state are numbered step by step: ``bounds`` ends the numbers of each step.
            for steps, samples_here in zip(self._steps_from(table.ravel(), t), samples_by_state.values(), strict=True):
                bounds = list(accumulate(step.ways for step in steps))
                for rank, number in samples_here:
                    self._frontier.check_stop()
                    place = bisect_right(bounds, rank)
                    step = steps[place]
                    samples[number].append(layout.options[step.option])
                    waiting[step.layer][step.state].append((rank - (bounds[place] - step.ways), number))
        return samples

    def _complete(self, t: int, layer: Layer, tell: Callable[[], None]) -> None:
        """Compute in how many ways each state of layer ``t`` is completed, from those of the later layers.

        In the tables of ``layer``, the number replaces the number of ways to reach the state, and states that cannot be
        completed are dropped. The kernel's ``credit`` adds, for each step, the completions of its target to those of
        its source, and this times the ways to the source to the uses of its option. tell: called now and then. Raises
        `BudgetError` if memory is short.
        """
        frontier = self._frontier
        steps = self._steps
        words = self._frontier.layout.words
        for partition, table in enumerate(layer.tables):
            slots = table.reshape(-1, frontier.stride)
            for first, end, ahead in self._expand(table, t):
                completions = np.zeros((end - first) * frontier.limbs, dtype=np.uint64)
                for part in ahead:
                    self._kernel.credit(
                        part.table, steps, part.begin, part.end, first, self._found, completions, self._uses
                    )
                slots[first:end, words:] = completions.reshape(-1, frontier.limbs)
                tell()
            live = int(slots[:, words:].any(axis=1).sum())
            if live < layer.sizes[partition]:
                smaller = np.zeros((int(live / LOAD_FACTOR) + 1) * frontier.stride if live else 0, dtype=np.uint64)
                frontier.reserve_memory(smaller.nbytes)
                self._kernel.move(table, smaller, frontier.partition_bits)
                layer.tables[partition], layer.sizes[partition] = smaller, live
                frontier.reserve_memory(-table.nbytes)

    def _expand(self, table: Words, t: int) -> Iterator[tuple[int, int, list[_Ahead]]]:
        """Write the steps from a table of layer ``t`` into the buffer, a range of slots at a time.

        Yields (first slot, end of the slots, the steps by the table that they lead to). Until the next range is asked
        for, ``self._found`` has the slot to which each step leads, or -1 if that state was dropped. ``place`` of the
        buffer has the next slot that is read, and the number of steps. Steps are sorted into groups; a group's number
        is made of how many layers it leads ahead, less one, and of its partition.
        """
        frontier, steps = self._frontier, self._steps
        steps.place[:] = 0
        while steps.place[0] * frontier.stride < len(table):
            frontier.check_stop()
            first = int(steps.place[0])
            steps.place[1] = 0
            self._kernel.expand(table, t, frontier.transitions, steps)
            self._kernel.group(steps)
            ahead = []
            for number in np.flatnonzero(np.diff(steps.starts)).tolist():
                later, partition = divmod(number, 1 << frontier.partition_bits)
                begin, end = steps.starts[number : number + 2].tolist()
                target = frontier.done[t + 1 + later].tables[partition] if t + 1 + later in frontier.done else table[:0]
                if len(target):
                    self._kernel.find(target, frontier.partition_bits, steps, begin, end, self._found)
                    ahead.append(_Ahead(target, t + 1 + later, begin, end))
            yield first, int(steps.place[0]), ahead

    def _steps_from(self, table: Words, t: int) -> list[list[_Step]]:
        """Return, for each state in a table of layer ``t``, the sorted steps to states that can be completed.

        They are sorted by their options, so that a seed draws the same solutions however the table is laid out.
        """
        stride = self._frontier.stride
        words = self._frontier.layout.words
        steps = self._steps
        steps_by_slot: list[list[_Step]] = [[] for _ in range(len(table) // stride)]
        for _, _, ahead in self._expand(table, t):
            for part in ahead:
                rows = steps.order[part.begin : part.end]
                rows = rows[self._found[rows] >= 0]
                counts_of_rows = self._numbers(part.table.reshape(-1, stride)[self._found[rows], words:])
                for row, number in zip(rows.tolist(), counts_of_rows, strict=True):
                    slot, option = steps.details[2 * row : 2 * row + 2].tolist()
                    state = steps.rows[row * stride : row * stride + words].tobytes()
                    steps_by_slot[slot].append(_Step(option, number, part.layer, state))
        return [sorted(steps) for steps in steps_by_slot]

    def _numbers(self, limbs: Words) -> list[int]:
        """Convert limbs, the lowest first, to integers."""
        raw = limbs.astype("<u8").tobytes()
        size = 8 * self._frontier.limbs
        return [int.from_bytes(raw[place : place + size], "little") for place in range(0, len(raw), size)]
