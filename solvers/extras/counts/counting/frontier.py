"""Counts the solutions of an exact cover without listing them: in how many ways is each set of open items reached?

Items are covered in a fixed order, always the first that is open. The rest of the search depends only on the items that
are covered already and the options that are excluded. So nodes of the search that agree in these are merged into one
state, with the number of ways to reach it. The states with the same first open item are a layer.

References
----------
M. Nishino, N. Yasuda, S. Minato, M. Nagata, "Dancing with decision diagrams: a combined approach to exact cover",
AAAI 2017, doi:10.1609/aaai.v31i1.10662

J. Kawahara, T. Inoue, H. Iwashita, S. Minato, "Frontier-based search for enumerating all constrained subgraphs with
compressed representation", IEICE Transactions E100-A (2017), doi:10.1587/transfun.E100.A.1773

D. Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1, 2022
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solvers.base.deadline import thread_pool
from solvers.base.errors import BudgetError, Stopped
from solvers.extras.counts.counting.layout import StateLayout
from solvers.extras.counts.counting.reduced_cover import Instance
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.model.compiled import kernel_of

if TYPE_CHECKING:
    from solvers.extras.counts.counting.frontier_kernel import Kernel, TransitionBuffer, Transitions

LOAD_FACTOR = 0.8
"""The share of a table's slots that may be taken; then it grows."""

TABLE_GROWTH = 1.6
"""How many times as many slots it has then."""

GIGABYTE = 1_000_000_000


@cache
def kernel(words: int, limbs: int) -> Kernel:
    """Return the compiled functions for states of ``words`` words and numbers of ``limbs`` words.

    They are compiled if needed. A word has 64 bits. The functions write steps out of states, sort them by their
    targets, and insert them there.
    """
    from solvers.extras.counts.counting.frontier_kernel import compile_kernel

    return kernel_of(compile_kernel, words, limbs)


class Layer:
    """The states whose first open item is the same, in a hash table for each partition."""

    def __init__(self, partitions: int) -> None:
        """Make as many empty tables as there are partitions."""
        self.tables = [np.zeros(0, dtype=np.uint64)] * partitions
        self.sizes = [0] * partitions

    @property
    def states(self) -> int:
        """The number of states."""
        return sum(self.sizes)


def empty_steps(rows: int, stride: int, groups: int) -> TransitionBuffer:
    """Return an empty buffer for steps from states to later states.

    rows: its capacity in steps. stride: words per step, those of a state and of its number of ways. groups: the number
    of groups to sort into, one for each layer ahead and each partition of it.
    """
    from solvers.extras.counts.counting.frontier_kernel import TransitionBuffer

    return TransitionBuffer(
        rows=np.zeros(rows * stride, dtype=np.uint64),
        groups=np.zeros(rows, dtype=np.int32),
        details=np.zeros(2 * rows, dtype=np.int32),
        order=np.zeros(rows, dtype=np.int32),
        starts=np.zeros(groups + 1, dtype=np.int64),
        place=np.zeros(2, dtype=np.int64),
    )


class Frontier:
    """A count of a reduced cover's solutions, layer by layer. Its figures can be read at any time."""

    def __init__(
        self, problem: Instance, stop: threading.Event, *, budget: int, jobs: int = 1, keep: bool = False
    ) -> None:
        """Lay out the states; nothing is counted yet.

        The tables of a layer are partitioned by the hashes of states, so that threads can fill them at the same time;
        there are at least as many partitions, a power of 2, as threads. A slot of a table has the words of a state, and
        then its number of ways as limbs: words of 64 bits, the lowest first. An empty slot has 0 ways. problem: the
        reduced cover. stop: ends the count when set. budget: the bytes that tables of states may take. jobs: the number
        of threads. keep: hold every layer, for `solvers.extras.counts.counting.backward`.
        """
        self.layout = StateLayout(problem)
        self.layer = 0
        """The number of finished layers."""
        self.states = 0
        """The number of states in these layers."""
        self.peak = 0
        """The most states that were held at a time."""
        self.peak_bytes = 0
        """The most bytes that tables of states took."""
        self.partition_bits = (jobs - 1).bit_length()
        self.limbs = 1
        """The number of words that a number takes."""
        self.done: dict[int, Layer] = {}
        """The layers that are kept."""
        self.begun: dict[int, Layer] = {}
        """The layers ahead that steps lead to."""
        self.held: list[int] = []
        """How many states were ahead of each layer that is done."""
        self._restored = 0  # states that an earlier run has counted
        self._bytes = 0  # that tables of states take now
        self._budget = budget
        self._standing: Callable[[], str] = lambda: "less than the saved states take, from which the count resumes"
        """Returns what the error of a short budget adds, which depends on the stage of the count."""
        self._began = time.perf_counter()
        self._is_contradictory = problem.is_contradictory
        self._stop = stop
        self._jobs = jobs
        self._partitions = 1 << self.partition_bits
        self._keep = keep
        self._bounds: dict[int, int] = {}  # no number in a layer is larger, as the sum of them is not
        self._lock = threading.Lock()

    def restore(self, layer: int, limbs: int, states: int, peak: int, states_held: Sequence[int]) -> None:
        """Continue after the layers that an earlier run has finished; `restore_layer` then loads the states.

        layer: the number of finished layers. limbs: words of a number. states, peak, states_held: the figures of that
        run, see the attributes `states`, `peak` and `held`.
        """
        self.layer = layer
        self.limbs = limbs
        self.states = states
        self.peak = peak
        self.held = list(states_held)
        self._restored = states

    def restore_layer(self, t: int, states: int, parts: Iterable[NDArray[np.uint64]]) -> None:
        """Load the stored states of layer ``t``.

        states: their number. parts: arrays with a row for each state, the words of the state and then its number of
        ways, which may have fewer limbs than now. Raises `BudgetError` if they need more memory than the budget.
        """
        layer = (self.begun if t >= self.layer else self.done).setdefault(t, Layer(self._partitions))
        # Rows come sorted by their hashes: in small tables that grow, all would fall into the same few slots. So each
        # table has its full size at once, for the mean number of states and four standard deviations more.
        mean = states / self._partitions
        slots = int((mean + 4 * sqrt(mean)) / LOAD_FACTOR) + 1
        for partition in range(self._partitions):
            self.reserve_memory(slots * self.stride * 8)
            layer.tables[partition] = np.zeros(slots * self.stride, dtype=np.uint64)
        functions = kernel(self.layout.words, self.limbs)
        for rows in parts:
            # The states are inserted as steps are: each gets the partition of its hash, by which steps are grouped.
            steps = empty_steps(len(rows), self.stride, self._partitions)
            steps.place[1] = len(rows)  # the number of steps in the buffer
            steps.rows.reshape(-1, self.stride)[:, : rows.shape[1]] = rows
            functions.assign(steps, self.partition_bits)
            functions.group(steps)
            for partition in np.flatnonzero(np.diff(steps.starts)).tolist():
                self._insert(layer, partition, steps, partition)

    def count(self, tell: Callable[[], None] = lambda: None, finished: Callable[[], None] = lambda: None) -> int:
        """Count the layers that are left and return the number of solutions.

        The count begins with one state in layer 0, in which nothing is covered; the states of the layer behind the last
        item have covered everything. A layer that no step leads to is passed over. The numbers of a layer may need
        another word; then the buffers are made anew. tell: called a few times a second. finished: called when a layer
        is done. Raises `Stopped` once the
        event is set, and `BudgetError` if the tables need more memory than the budget.
        """
        layout = self.layout
        if self._is_contradictory:
            return 0
        self._began = time.perf_counter()
        self._standing = self._forecast
        if not self.layer:
            start = Layer(1)  # one state without any bit, reached in 1 way
            start.tables[0] = np.array([0] * layout.words + [1], dtype=np.uint64)
            start.sizes[0] = 1
            self.begun[0] = start
        for t, layer in self.begun.items():
            self._bounds[t] = self._sum_ways(layer)
        steps = [self.new_steps() for _ in range(self._jobs)]
        with thread_pool(self._jobs) as pool:
            for t in range(self.layer, layout.layers):
                if t in self.begun:
                    if self._widen(t):
                        steps = [self.new_steps() for _ in range(self._jobs)]
                    self._advance(t, steps, pool, tell)
                self.layer = t + 1
                self.held.append(sum(layer.states for layer in self.begun.values()))
                finished()
        self._standing = self._memory_of_way_back
        last = self.begun.get(layout.layers)
        if self._keep:
            self.done |= self.begun
        return self._sum_ways(last) if last else 0

    @property
    def stride(self) -> int:
        """The number of words in a slot of a table."""
        return self.layout.words + self.limbs

    @cached_property
    def transitions(self) -> Transitions:
        """The layout's data in the form that the compiled functions take."""
        from solvers.extras.counts.counting.frontier_kernel import Transitions

        layout = self.layout
        # `StateLayout` explains these arrays.
        test, put, live, must, edges, offsets, sizes, more, fields, least = layout.arrays
        return Transitions(
            test=test,
            put=put,
            live=live,
            must=must,
            edges=edges,
            offsets=offsets,
            sizes=sizes,
            more=more,
            fields=fields,
            least=least,
            begin=np.array(layout.begin, dtype=np.int64),
            fixed=layout.fixed,
            near=layout.near,
            layers=layout.layers,
            partition_bits=self.partition_bits,
        )

    def new_steps(self) -> TransitionBuffer:
        """Return an empty buffer that can hold the steps out of at least one state.

        A state has at most one step for each option of its position; `layout.begin` has where the options of each
        position begin.
        """
        rows = max(EXTRAS_TUNING.transitions_per_buffer, *np.diff(self.layout.begin).tolist(), 0)
        return empty_steps(rows, self.stride, self.layout.layers + 1 << self.partition_bits)

    def check_stop(self) -> None:
        """Raise `Stopped` if the stop event is set."""
        if self._stop.is_set():
            raise Stopped

    def _sum_ways(self, layer: Layer) -> int:
        """Return the sum, over all states of a layer, of the number of ways to reach them.

        A number is in limbs of 64 bits, the lowest first; an empty slot has 0. The halves of each limb are summed
        apart, so that the sums do not overflow.
        """
        total = 0
        for table in layer.tables:
            limbs = table.reshape(-1, self.stride)[:, self.layout.words :]
            for place in range(self.limbs):
                total += int((limbs[:, place] & np.uint64(0xFFFFFFFF)).sum()) << 64 * place
                total += int((limbs[:, place] >> np.uint64(32)).sum()) << 64 * place + 32
        return total

    def _widen(self, t: int) -> bool:
        """Add a limb to all numbers if some could overflow in the step out of layer ``t``; return whether it did.

        A limb is a word of 64 bits of a number. No number in a later layer grows by more than the sum of this layer
        times its number of options. Raises `BudgetError` if memory is short.
        """
        # What the steps out of this layer can add to a number of a later one, and the greatest number that limbs hold.
        option_count = self.layout.begin[t + 1] - self.layout.begin[t]
        incoming = self._sum_ways(self.begun[t]) * option_count
        largest = (1 << 64 * self.limbs) - 1
        later_layers = range(t + 1, self.layout.layers + 1)
        for later in later_layers:
            bound = self._bounds[later] if later in self.begun else 0
            if bound + incoming > largest and later in self.begun:  # the sum of the layer itself is a better bound
                bound = self._sum_ways(self.begun[later])
            self._bounds[later] = bound + incoming
        if all(self._bounds[later] <= largest for later in later_layers):
            return False
        before = self.stride
        self.limbs += 1
        for layer in (*self.done.values(), *self.begun.values()):
            for number, table in enumerate(layer.tables):
                wider = np.zeros((len(table) // before, self.stride), dtype=np.uint64)
                self.reserve_memory(wider.nbytes)
                wider[:, :before] = table.reshape(-1, before)
                layer.tables[number] = wider.ravel()
                self.reserve_memory(-table.nbytes)  # the old table is freed
        return True

    def _advance(
        self, t: int, steps: Sequence[TransitionBuffer], pool: ThreadPoolExecutor, tell: Callable[[], None]
    ) -> None:
        """Take all steps out of layer ``t``; then drop the layer, unless layers are kept.

        Two phases take turns until all tables are empty: threads fill their buffers with steps, and then insert them
        into the layers ahead, each into partitions of its own. ``place`` of a buffer has the next slot of the table
        that is read, and the number of steps in the buffer.

        steps: a buffer for each thread. pool: the threads. tell: called each time the buffers were emptied. Raises
        `Stopped` once the event is set, `BudgetError` if memory is short.
        """
        layout, layer = self.layout, self.begun[t]
        # The compiled functions that write the steps out of a table into a buffer, and sort these by their targets.
        expand, group = kernel(layout.words, self.limbs)[:2]
        workers = self._jobs if layer.states >= EXTRAS_TUNING.max_states_for_one_thread else 1
        sources = [[table for table in layer.tables[worker::workers] if len(table)] for worker in range(workers)]
        transitions = self.transitions
        for step_buffer in steps:
            step_buffer.place[:] = 0

        def write_steps(worker: int) -> None:
            """Write steps out of a worker's tables into its buffer until it is full, and group them by target.

            A table that is done is taken off the worker's list; one that is not is continued at the next call, from the
            slot in ``place[0]`` of the buffer.
            """
            step_buffer, tables = steps[worker], sources[worker]
            step_buffer.place[1] = 0
            while tables:
                expand(tables[0], t, transitions, step_buffer)
                if step_buffer.place[0] * self.stride < len(tables[0]):  # full before the end of the table
                    break
                tables.pop(0)
                step_buffer.place[0] = 0
            group(step_buffer)

        def insert_steps(worker: int) -> None:
            """Insert the steps of all buffers that lead to a worker's partitions, so that no two share a table."""
            for step_buffer in steps[:workers]:
                # A group's number is made of how many layers it leads ahead, less one, and of its partition.
                for number in np.flatnonzero(np.diff(step_buffer.starts)).tolist():
                    later = number >> self.partition_bits
                    partition = number % self._partitions
                    if partition % workers == worker:
                        self._insert(self._layer(t + 1 + later), partition, step_buffer, number)

        while any(sources):
            self.check_stop()
            for phase in write_steps, insert_steps:
                if workers == 1:
                    phase(0)
                else:
                    list(pool.map(phase, range(workers)))
            tell()
        self.states += layer.states
        states_in_memory = sum(part.states for part in (*self.done.values(), *self.begun.values()))
        self.peak = max(self.peak, states_in_memory)
        del self.begun[t]
        if self._keep:
            self.done[t] = layer
        else:
            self.reserve_memory(-sum(table.nbytes for table in layer.tables))

    def _layer(self, t: int) -> Layer:
        """Return layer ``t``, a later layer than the one in work; make it if no step has led to it yet."""
        with self._lock:
            return self.begun.setdefault(t, Layer(self._partitions))

    def _insert(self, layer: Layer, partition: int, steps: TransitionBuffer, group: int) -> None:
        """Add the states of one group of steps to the table of a layer's partition.

        A state that is there already gets the sum of both numbers of ways. The table grows if it has to. group: the
        number of the group; the group's steps are those from `steps.starts[group]` to the start of the next. Raises
        `BudgetError` if memory is short.
        """
        functions = kernel(self.layout.words, self.limbs)
        begin, end = steps.starts[group : group + 2].tolist()
        table = layer.tables[partition]
        states = layer.sizes[partition]
        slots = len(table) // self.stride
        if states + end - begin > LOAD_FACTOR * slots:
            slots = int(max((states + end - begin) / LOAD_FACTOR + 1, TABLE_GROWTH * slots))
            larger = np.zeros(slots * self.stride, dtype=np.uint64)
            self.reserve_memory(larger.nbytes)
            functions.move(table, larger, self.partition_bits)
            self.reserve_memory(-table.nbytes)
            table = layer.tables[partition] = larger
        # The number of new states.
        layer.sizes[partition] += functions.insert(table, self.partition_bits, steps, begin, end)

    def reserve_memory(self, more: int) -> None:
        """Add ``more`` bytes to the memory that tables take, negative if it is freed.

        Raises `BudgetError` if the sum is then above the budget, with words on how far the count is.
        """
        with self._lock:  # several threads insert states
            if more > 0 and self._bytes + more > self._budget:
                raise BudgetError(f"the memory budget of {self._budget / GIGABYTE:.3g} GB ({self._standing()})")
            self._bytes += more
            self.peak_bytes = max(self.peak_bytes, self._bytes)

    def _forecast(self) -> str:
        """Describe the state of the count and the memory that the whole count would take.

        The logarithm of the number of states in a layer is taken to grow with the entropy of its items, and with the
        square root of its distance from the nearer end; on boards this was right within a factor of three. The weights
        of the two are fitted to the layers so far, by least squares. The budget is full now, so memory is predicted as
        a multiple of it: of all states if layers are kept, otherwise of those of the widest layer to come.
        """
        layout = self.layout
        states_now = sum(layer.states for layer in self.begun.values())
        states_by_layer = np.array([*self.held, states_now], dtype=float)
        place = np.arange(layout.layers)
        nearer_end = np.minimum(place, layout.near - place).clip(0)
        terms = np.stack([np.ones(layout.layers), layout.entropy, np.sqrt(nearer_end)], axis=1)
        counted = np.flatnonzero(states_by_layer)  # the layers that have states
        weights, *_ = np.linalg.lstsq(terms[counted], np.log2(states_by_layer[counted]), rcond=None)
        fitted = terms @ weights
        last = counted[-1]
        # The fitted curve, moved so that it is exact in the last counted layer, behind that layer.
        to_come = np.exp2(fitted - fitted[last] + np.log2(states_by_layer[last]))[len(states_by_layer) :]
        growth = (states_by_layer.sum() + to_come.sum()) / states_by_layer.sum()
        memory = self._budget * (growth if self._keep else max([1.0, *(to_come / states_now)]))
        share_of_this_run = max(1, self.states - self._restored) / max(1, self.states)  # an earlier run counted others
        seconds = (time.perf_counter() - self._began) / share_of_this_run * growth
        return (
            f"layer {self.layer + 1} of {layout.layers}, with {states_now} states; "
            f"at this growth, the whole count takes about {memory / GIGABYTE:.2g} GB and {seconds:.2g} s"
        )

    def _memory_of_way_back(self) -> str:
        """Describe, for an error message, the memory that going back through all layers takes at most."""
        largest = max(table.nbytes for layer in self.done.values() for table in layer.tables)
        most = (self._bytes + largest) / GIGABYTE
        return f"all {self.layout.layers} layers were counted; to go back through them takes at most {most:.2g} GB"
