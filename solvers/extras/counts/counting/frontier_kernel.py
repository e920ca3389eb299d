"""The compiled part of the frontier count: hash tables of states, and the steps from one to the next.

A state is a set of bits, `layout.StateLayout` says which; in a table it is beside the number of ways in which it is
reached, and an empty slot has no ways. A table is a flat array of slots of ``words`` words for the bits and ``limbs``
for the number. Every function releases the GIL, so that threads share the work.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.extras.counts.counting.wide_integers import (
    bit_count,
    bit_length,
    difference,
    intersection,
    is_equal,
    is_zero,
    load,
    low_bits,
    lowest,
    prefetch,
    product,
    shift_down,
    shift_up,
    store,
    total,
    trailing_ones,
    trailing_zeros,
    union,
    zero_of,
)
from solvers.model.cover_kernel import part_of_kernel

PREFETCHED_STATES = 16
"""The number of states by which fetching a slot from memory runs ahead; tables are larger than the processor's
caches."""

GOLDEN_RATIO, MIXING_FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
"""Odd numbers by which `_hash` multiplies, with bits as irregular as those of random numbers."""

FIRST_BIT, MASK, GREATEST, LAST_LAYER = range(4)
"""The columns of `Transitions.fields`."""


class Transitions(NamedTuple):
    """The effect of each option on a state.

    Bit sets lie one behind the other, each in the same number of words.
    """

    test: NDArray[np.uint64]
    """For each option, the bits that have to be clear."""
    put: NDArray[np.uint64]
    """For each option, the bits that it sets."""
    live: NDArray[np.uint64]
    """For each layer, and one more at the end, the fixed bits that still matter. Behind these come two more sets: all
    fixed bits, and the bits of the far items."""
    must: NDArray[np.uint64]
    """For each layer, the bits that must be set already, because no later option sets them."""
    edges: NDArray[np.uint64]
    """For each near position and each offset, the positions that are connected with the position at this offset."""
    offsets: NDArray[np.int64]
    """The differences between connected positions."""
    sizes: NDArray[np.uint8]
    """For each number, 1 if options can fill a region of so many connected positions; empty if they always can."""
    more: NDArray[np.uint64]
    """For each option, what it adds to the fields that count."""
    fields: NDArray[np.int64]
    """A row for each field that counts: its first bit, its mask shifted to bit 0, the greatest value that it may have,
    and the last layer that adds to it. After that layer it is 0."""
    least: NDArray[np.int64]
    """For each layer and each field, the least value that the field may have."""
    begin: NDArray[np.int64]
    """For each layer, where its options begin."""
    fixed: int
    """The number of fixed bits."""
    near: int
    """The number of near items."""
    layers: int
    """The number of items."""
    partition_bits: int
    """The binary logarithm of the number of partitions."""


class TransitionBuffer(NamedTuple):
    """The buffer in which a thread records the steps that lead out of a layer."""

    rows: NDArray[np.uint64]
    """For each step, the state that it leads to, and the number of ways to it."""
    groups: NDArray[np.int32]
    """For each step, the group of the state that it leads to: its layer ahead, and its partition of that layer."""
    details: NDArray[np.int32]
    """For each step, the slot that it comes from, and the option."""
    order: NDArray[np.int32]
    """The steps by their groups."""
    starts: NDArray[np.int64]
    """For each group, where its steps begin in the order."""
    place: NDArray[np.int64]
    """The next slot to be expanded, and the number of steps."""


class Kernel(NamedTuple):
    """The compiled functions for states and numbers of fixed lengths.

    `compile_kernel` says what each does.
    """

    expand: Any
    group: Any
    insert: Any
    move: Any
    find: Any
    credit: Any
    assign: Any


@part_of_kernel
def _hash(state):
    """Return a 64-bit hash of a state.

    A multiplication lets low bits change high ones, a shift the opposite, so that each bit of the state changes all.
    """
    number = np.uint64(0)
    for i in range(len(state)):
        number = (number ^ state[i]) * GOLDEN_RATIO
        number ^= number >> np.uint64(32)
        number *= MIXING_FACTOR
        number ^= number >> np.uint64(32)
    return number


@part_of_kernel
def _partition(state, partition_bits):
    """Return the partition of a layer that a state belongs to: the first bits of its hash.

    partition_bits: how many bits these are.
    """
    return np.int64(_hash(state) >> np.uint64(64 - partition_bits)) if partition_bits else 0


@part_of_kernel
def _first_slot(state, partition_bits, slots):
    """Return the slot at which the search for a state begins, by 32 bits of its hash.

    These bits follow the first ``partition_bits`` bits, which name the partition. Read as a fraction between 0 and 1
    they are multiplied by the number of slots in the table, ``slots``.
    """
    fraction = (_hash(state) << np.uint64(partition_bits)) >> np.uint64(32)
    return np.int64((fraction * np.uint64(slots)) >> np.uint64(32))


@part_of_kernel
def _slot(table, state, partition_bits, zero_count):
    """Return the slot of a table that holds a state, or else the empty slot where it belongs.

    Slots are tried one after another (linear probing), from the first one by the hash up to an empty one, which a table
    always has. table: an array with a state and its number of ways in each slot. zero_count: the number 0, as long as
    numbers of ways are. partition_bits: see `Transitions`.
    """
    words = len(state)
    stride = words + len(zero_count)
    slots = table.shape[0] // stride
    slot = _first_slot(state, partition_bits, slots)
    while not is_zero(load(table, slot * stride + words, zero_count)):
        if is_equal(load(table, slot * stride, state), state):
            break
        slot += 1
        if slot == slots:
            slot = 0
    return slot


@part_of_kernel
def _successor(state, t, transitions, zero):
    """Return (layer, state) to which a state of layer ``t`` leads once an option was added to its bits.

    The layer is the position of the first open item. While that is a near one, the bits of near items are shifted so
    that its bit is the first of them; behind the near items, only fixed bits remain. Bits that no longer matter are
    cleared. transitions: the `Transitions` of the count. zero: the empty state.
    """
    words = len(zero)
    near, layers, live = transitions.near, transitions.layers, transitions.live
    to = near
    covered = 0
    if t < near:
        covered = trailing_ones(shift_down(state, transitions.fixed))
        to = t + covered
    if to < near:
        fixed_bits = load(live, (layers + 1) * words, zero)
        open_ahead = difference(shift_down(state, covered), fixed_bits)
        after = union(open_ahead, intersection(state, load(live, to * words, zero)))
    else:
        far = load(live, (layers + 2) * words, zero)
        to = min(near + trailing_zeros(difference(far, state)), layers)
        after = intersection(state, load(live, to * words, zero))
    return to, after


@part_of_kernel
def _counts_fit(state, t, to, transitions, zero):
    """Tell whether each field of a state is within its bounds after a step from layer ``t`` to layer ``to``.

    A field is the bits of the state that count the options of one item; see ``fields`` of the `Transitions`. state: its
    bits before those are cleared that no longer matter in layer ``to``. zero: the empty state.
    """
    fields = transitions.fields
    for k in range(fields.shape[0]):
        if t > fields[k, LAST_LAYER]:
            continue
        count = np.int64(shift_down(state, fields[k, FIRST_BIT])[0]) & fields[k, MASK]
        if count > fields[k, GREATEST] or count < transitions.least[to, k]:
            return False
    return True


@part_of_kernel
def _flood_fill(start, within, to, transitions, zero):
    """Return the positions in ``within`` that are connected, inside ``within``, with those in ``start``.

    All three are sets of near positions, as bits from position ``to`` on. For each difference d of connected positions,
    all positions that are reached are shifted by d at once, up and down, along the edges of this length; this is
    repeated until nothing is added. transitions: the `Transitions`, whose edges say which positions are connected.
    zero: the empty set.
    """
    count = transitions.offsets.shape[0]
    reached = start
    while True:
        before = reached
        for j in range(count):
            edge = load(transitions.edges, (to * count + j) * len(zero), zero)
            d = transitions.offsets[j]
            above = shift_up(intersection(reached, edge), d)
            below = intersection(shift_down(reached, d), edge)
            reached = intersection(union(reached, union(above, below)), within)
        if is_equal(reached, before):
            break
    return reached


@part_of_kernel
def _has_dead_pocket(state, to, transitions, zero):
    """Tell whether a state has an isolated region of open near positions whose size options cannot fill.

    All positions behind the last covered one are open. A region that is connected with any of them may be large, and is
    passed over, unless all near positions are in view. to: the layer of the state, which is the position of the first
    bit. transitions: the `Transitions`, which say which sizes can be filled. zero: the empty state.
    """
    covered = shift_down(state, transitions.fixed)
    behind = bit_length(covered)  # the first position behind the last covered one
    is_dead = False
    if behind:
        # So many positions are looked at: all before ``behind``, and all that are connected with these.
        in_view = behind + transitions.offsets[transitions.offsets.shape[0] - 1]
        sees_end = in_view >= transitions.near - to
        if sees_end:
            in_view = transitions.near - to
        free = difference(low_bits(in_view, zero), covered)
        pockets = free
        if not sees_end:
            free_behind = difference(free, low_bits(behind, zero))
            pockets = difference(free, _flood_fill(free_behind, free, to, transitions, zero))
        while not is_zero(pockets):
            pocket = _flood_fill(lowest(pockets, zero), pockets, to, transitions, zero)
            if not transitions.sizes[bit_count(pocket)]:
                is_dead = True
                break
            pockets = difference(pockets, pocket)
    return is_dead


@part_of_kernel
def _expand(table, t, transitions, steps, zero, zero_count):
    """Write the steps that lead out of a table of layer ``t`` into ``steps``, from slot ``place[0]`` on.

    Stops at the end of the table or when the buffer is full. place[0] and place[1] of the buffer are then the next slot
    and the number of steps in it. transitions: the `Transitions` of the count. zero, zero_count: the empty state
    and the number 0, as long as states and numbers of ways are.
    """
    words = len(zero)
    stride = words + len(zero_count)
    slots = table.shape[0] // stride
    first, end = transitions.begin[t], transitions.begin[t + 1]
    partition_bits = transitions.partition_bits
    slot, n = steps.place[0], steps.place[1]
    while slot < slots:
        # E1. [Take the next state.]
        count = load(table, slot * stride + words, zero_count)
        if is_zero(count):
            slot += 1
            continue
        if n + end - first > steps.groups.shape[0]:
            break
        state = load(table, slot * stride, zero)
        for option in range(first, end):
            # E2. [Can this option be chosen?]
            if not is_zero(intersection(state, load(transitions.test, option * words, zero))):
                continue
            # E3. [Where does it lead?]
            chosen = union(state, load(transitions.put, option * words, zero))
            if transitions.fields.shape[0]:
                chosen = total(chosen, load(transitions.more, option * words, zero))
            to, after = _successor(chosen, t, transitions, zero)
            # E4. [Can that be completed, as far as one sees?]
            if transitions.fields.shape[0] and not _counts_fit(chosen, t, to, transitions, zero):
                continue
            if not is_zero(difference(load(transitions.must, to * words, zero), after)):
                continue
            if transitions.sizes.shape[0] and to < transitions.near and _has_dead_pocket(after, to, transitions, zero):
                continue
            # E5. [Write the step down.]
            store(steps.rows, n * stride, after)
            store(steps.rows, n * stride + words, count)
            steps.groups[n] = ((to - t - 1) << partition_bits) + _partition(after, partition_bits)
            steps.details[2 * n] = slot
            steps.details[2 * n + 1] = option
            n += 1
        slot += 1
    steps.place[0], steps.place[1] = slot, n


def _group(steps):
    """Sort the ``place[1]`` steps of a buffer by their groups, into ``order`` and ``starts``: a counting sort."""
    groups, starts, order, n = steps.groups, steps.starts, steps.order, steps.place[1]
    # The number of steps in each group, one place further on; their sums are the starts of the groups.
    starts[:] = 0
    for i in range(n):
        starts[groups[i] + 1] += 1
    for g in range(1, starts.shape[0]):
        starts[g] += starts[g - 1]
    # A group's start moves on with each step that is put there, to the start of the next group in the end.
    for i in range(n):
        g = groups[i]
        order[starts[g]] = i
        starts[g] += 1
    for g in range(starts.shape[0] - 1, 0, -1):
        starts[g] = starts[g - 1]
    starts[0] = 0


@part_of_kernel
def _insert(table, partition_bits, steps, begin, end, zero, zero_count):
    """Add the steps at the places ``begin`` to ``end`` of a buffer's order to a table with room for them.

    Returns the number of states that are new in the table. zero, zero_count: as for `_expand`. partition_bits: see
    `Transitions`.
    """
    words = len(zero)
    stride = words + len(zero_count)
    slots = table.shape[0] // stride
    new = 0
    for i in range(begin, end):
        if i + PREFETCHED_STATES < end:
            later = load(steps.rows, steps.order[i + PREFETCHED_STATES] * stride, zero)
            prefetch(table, _first_slot(later, partition_bits, slots) * stride)
        row = steps.order[i] * stride
        state = load(steps.rows, row, zero)
        count = load(steps.rows, row + words, zero_count)
        at = _slot(table, state, partition_bits, zero_count) * stride
        count_before = load(table, at + words, zero_count)
        if is_zero(count_before):
            store(table, at, state)
            new += 1
        store(table, at + words, total(count_before, count))
    return new


@part_of_kernel
def _move(source, table, partition_bits, zero, zero_count):
    """Copy all states of the table ``source`` into ``table``, which is empty and has room for them.

    zero, zero_count: as for `_expand`. partition_bits: see `Transitions`.
    """
    words = len(zero)
    stride = words + len(zero_count)
    for origin in range(source.shape[0] // stride):
        count = load(source, origin * stride + words, zero_count)
        if not is_zero(count):
            state = load(source, origin * stride, zero)
            at = _slot(table, state, partition_bits, zero_count) * stride
            store(table, at, state)
            store(table, at + words, count)


@part_of_kernel
def _find(table, partition_bits, steps, begin, end, slots, zero, zero_count):
    """Write into ``slots`` the slots of the table that hold the targets of steps.

    The entry is -1 if no slot holds the target. begin, end: the steps, as places in the order of the buffer ``steps``.
    zero, zero_count: as for `_expand`. partition_bits: see `Transitions`.
    """
    words = len(zero)
    stride = words + len(zero_count)
    for i in range(begin, end):
        row = steps.order[i]
        slot = _slot(table, load(steps.rows, row * stride, zero), partition_bits, zero_count)
        slots[row] = -1 if is_zero(load(table, slot * stride + words, zero_count)) else slot


@part_of_kernel
def _credit(table, steps, begin, end, first_slot, slots, completions, uses, words, zero_count):
    """Add what each step contributes to the completions of the state it comes from, and to the uses of its option.

    A state is completed through a step in as many ways as the state that the step leads to. The option is used in that
    number of solutions, times the number of ways to the state that the step comes from, which the step has, too.

    table: holds the states that steps lead to, with the number of completions of each. begin, end: the steps, as places
    in the buffer's order. slots: for each step the slot of ``table`` that it leads to, or -1. completions: the sums for
    each slot of the table that steps come from, from ``first_slot`` on. uses: the sums for each option. words: the
    length of a state. zero_count: the number 0, as long as numbers of ways are.
    """
    limbs = len(zero_count)
    stride = words + limbs
    for n in range(begin, end):
        step = steps.order[n]
        if slots[step] < 0:
            continue
        ways_ahead = load(table, slots[step] * stride + words, zero_count)
        source = (steps.details[2 * step] - first_slot) * limbs
        store(completions, source, total(load(completions, source, zero_count), ways_ahead))
        option = steps.details[2 * step + 1] * limbs
        ways_before = load(steps.rows, step * stride + words, zero_count)
        uses_through_step = product(ways_before, ways_ahead, zero_count)
        store(uses, option, total(load(uses, option, zero_count), uses_through_step))


@part_of_kernel
def _assign(steps, partition_bits, zero, limbs):
    """Write into ``groups``, for each step of a buffer, the partition of its state.

    The steps are stored states that are loaded: all of them are of one layer, so that a group is a partition. zero: the
    empty state. limbs: the length of a number of ways, in words. partition_bits: see `Transitions`.
    """
    stride = len(zero) + limbs
    for i in range(steps.place[1]):
        steps.groups[i] = _partition(load(steps.rows, i * stride, zero), partition_bits)


def compile_kernel(words: int, limbs: int, cache: bool) -> Kernel:
    """Compile the functions for states of ``words`` words and numbers of ``limbs`` words.

    These two are constants in the compiled code, which makes it faster. cache: keep the result on disk.
    """
    zero, zero_count = zero_of(words), zero_of(limbs)

    def expand(table, t, transitions, steps):
        """Write the steps that lead out of a table of layer ``t`` into a `TransitionBuffer`, ``steps``.

        transitions: the `Transitions` of the count. It stops when the buffer is full; see `_expand`.
        """
        _expand(table, t, transitions, steps, zero, zero_count)

    def insert(table, partition_bits, steps, begin, end):
        """Add some steps of a `TransitionBuffer`, ``steps``, to a table with room for them.

        Returns the number of states that are new in the table. partition_bits: see `Transitions`. begin, end: the
        steps, as places in the order of the buffer.
        """
        return _insert(table, partition_bits, steps, begin, end, zero, zero_count)

    def move(source, table, partition_bits):
        """Copy all states of the table ``source`` into ``table``, which is empty and has room for them.

        partition_bits: see `Transitions`.
        """
        _move(source, table, partition_bits, zero, zero_count)

    def find(table, partition_bits, steps, begin, end, slots):
        """Write into ``slots`` the slots of a table that hold the targets of steps, -1 for none.

        partition_bits: see `Transitions`. steps: a `TransitionBuffer`. begin, end: the steps, as places in its order.
        """
        _find(table, partition_bits, steps, begin, end, slots, zero, zero_count)

    def credit(table, steps, begin, end, first_slot, slots, completions, uses):
        """Add what each step contributes to the completions of its first state and to its option; see `_credit`.

        steps: a `TransitionBuffer`. begin, end: the steps, as places in its order. first_slot: the slot that the first
        entry of ``completions`` is for. slots: for each step the slot of ``table`` that holds its target, or -1.
        completions, uses: the sums for each slot and for each option.
        """
        _credit(table, steps, begin, end, first_slot, slots, completions, uses, words, zero_count)

    def assign(steps, partition_bits):
        """Write into ``groups``, for each step of a `TransitionBuffer`, the partition of its state.

        partition_bits: see `Transitions`.
        """
        _assign(steps, partition_bits, zero, limbs)

    compiled = njit(cache=cache, nogil=True, _nrt=False)
    return Kernel(*map(compiled, (expand, _group, insert, move, find, credit, assign)))
