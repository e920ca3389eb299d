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
    complement,
    is_zero,
    leading_zeros,
    load,
    lowest,
    population,
    prefetch,
    store,
    trailing_zeros,
    word,
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
def _hash(state, words):
    """Return a 64-bit hash of a state of ``words`` words.

    A multiplication lets low bits change high ones, a shift the opposite, so that each bit of the state changes all.
    """
    number = np.uint64(0)
    for i in range(words):
        number = (number ^ word(state, i)) * GOLDEN_RATIO
        number ^= number >> np.uint64(32)
        number *= MIXING_FACTOR
        number ^= number >> np.uint64(32)
    return number


@part_of_kernel
def _partition(state, partition_bits, words):
    """Return the partition of a layer that a state belongs to: the first bits of its hash.

    partition_bits: how many bits these are. words: the length of a state, in words of 64 bits.
    """
    return np.int64(_hash(state, words) >> np.uint64(64 - partition_bits)) if partition_bits else 0


@part_of_kernel
def _first_slot(state, partition_bits, slots, words):
    """Return the slot at which the search for a state begins, by 32 bits of its hash.

    These bits follow the first ``partition_bits`` bits, which name the partition. Read as a fraction between 0 and 1
    they are multiplied by the number of slots in the table, ``slots``. words: the length of a state.
    """
    fraction = (_hash(state, words) << np.uint64(partition_bits)) >> np.uint64(32)
    return np.int64((fraction * np.uint64(slots)) >> np.uint64(32))


@part_of_kernel
def _slot(table, state, partition_bits, words, limbs):
    """Return the slot of a table that holds a state, or else the empty slot where it belongs.

    Slots are tried one after another (linear probing), from the first one by the hash up to an empty one, which a table
    always has. table: an array with a state and its number of ways in each slot. words, limbs: the lengths of these
    two, in words. partition_bits: see `Transitions`.
    """
    stride = words + limbs
    slots = table.shape[0] // stride
    slot = _first_slot(state, partition_bits, slots, words)
    while not is_zero(load(table, slot * stride + words, limbs)):
        if is_zero(load(table, slot * stride, words) ^ state):
            break
        slot += 1
        if slot == slots:
            slot = 0
    return slot


@part_of_kernel
def _successor(state, t, transitions, words):
    """Return (layer, state) to which a state of layer ``t`` leads once an option was added to its bits.

    The layer is the position of the first open item. While that is a near one, the bits of near items are shifted so
    that its bit is the first of them; behind the near items, only fixed bits remain. Bits that no longer matter are
    cleared. transitions: the `Transitions` of the count. words: the length of a state.
    """
    near, layers, live = transitions.near, transitions.layers, transitions.live
    to = near
    covered = 0
    if t < near:
        covered = trailing_zeros(complement(state >> transitions.fixed))
        to = t + covered
    if to < near:
        fixed_bits = load(live, (layers + 1) * words, words)
        after = ((state >> covered) & complement(fixed_bits)) | (state & load(live, to * words, words))
    else:
        far = load(live, (layers + 2) * words, words)
        to = min(near + trailing_zeros(complement(state | complement(far))), layers)
        after = state & load(live, to * words, words)
    return to, after


@part_of_kernel
def _counts_fit(state, t, to, transitions, words):
    """Tell whether each field of a state is within its bounds after a step from layer ``t`` to layer ``to``.

    A field is the bits of the state that count the options of one item; see ``fields`` of the `Transitions`. state: its
    bits before those are cleared that no longer matter in layer ``to``. words: the length of a state, in words.
    """
    fields = transitions.fields
    for k in range(fields.shape[0]):
        if t > fields[k, LAST_LAYER]:
            continue
        count = np.int64(word(state >> fields[k, FIRST_BIT], 0)) & fields[k, MASK]
        if count > fields[k, GREATEST] or count < transitions.least[to, k]:
            return False
    return True


@part_of_kernel
def _flood_fill(start, within, to, transitions, words):
    """Return the positions in ``within`` that are connected, inside ``within``, with those in ``start``.

    All three are sets of near positions, as bits from position ``to`` on. For each difference d of connected positions,
    all positions that are reached are shifted by d at once, up and down, along the edges of this length; this is
    repeated until nothing is added. transitions: the `Transitions`, whose edges say which positions are connected.
    words: the length of a set.
    """
    count = transitions.offsets.shape[0]
    reached = start
    while True:
        before = reached
        for j in range(count):
            edge = load(transitions.edges, (to * count + j) * words, words)
            d = transitions.offsets[j]
            reached = reached | ((reached & edge) << d) | ((reached >> d) & edge)
            reached = reached & within
        if is_zero(reached ^ before):
            break
    return reached


@part_of_kernel
def _has_dead_pocket(state, to, transitions, words):
    """Tell whether a state has an isolated region of open near positions whose size options cannot fill.

    All positions behind the last covered one are open. A region that is connected with any of them may be large, and is
    passed over, unless all near positions are in view. to: the layer of the state, which is the position of the first
    bit. transitions: the `Transitions`, which say which sizes can be filled. words: the length of a state.
    """
    bits = 64 * words
    covered = state >> transitions.fixed
    behind = bits - leading_zeros(covered)  # the first position behind the last covered one
    is_dead = False
    if behind:
        # So many positions are looked at: all before ``behind``, and all that are connected with these.
        in_view = behind + transitions.offsets[transitions.offsets.shape[0] - 1]
        sees_end = in_view >= transitions.near - to
        if sees_end:
            in_view = transitions.near - to
        all_ones = complement(covered ^ covered)
        free = complement(covered) & (all_ones >> (bits - in_view))
        pockets = free
        if not sees_end:
            pockets = free ^ _flood_fill((free >> behind) << behind, free, to, transitions, words)
        while not is_zero(pockets):
            pocket = _flood_fill(lowest(pockets), pockets, to, transitions, words)
            if not transitions.sizes[population(pocket)]:
                is_dead = True
                break
            pockets = pockets ^ pocket
    return is_dead


@part_of_kernel
def _expand(table, t, transitions, steps, words, limbs):
    """Write the steps that lead out of a table of layer ``t`` into ``steps``, from slot ``place[0]`` on.

    Stops at the end of the table or when the buffer is full. place[0] and place[1] of the buffer are then the next slot
    and the number of steps in it. transitions: the `Transitions` of the count. words, limbs: the lengths of a state and
    of its number of ways.
    """
    stride = words + limbs
    slots = table.shape[0] // stride
    first, end = transitions.begin[t], transitions.begin[t + 1]
    partition_bits = transitions.partition_bits
    slot, n = steps.place[0], steps.place[1]
    while slot < slots:
        # E1. [Take the next state.]
        count = load(table, slot * stride + words, limbs)
        if is_zero(count):
            slot += 1
            continue
        if n + end - first > steps.groups.shape[0]:
            break
        state = load(table, slot * stride, words)
        for option in range(first, end):
            # E2. [Can this option be chosen?]
            if not is_zero(state & load(transitions.test, option * words, words)):
                continue
            # E3. [Where does it lead?]
            chosen = state | load(transitions.put, option * words, words)
            if transitions.fields.shape[0]:
                chosen = chosen + load(transitions.more, option * words, words)
            to, after = _successor(chosen, t, transitions, words)
            # E4. [Can that be completed, as far as one sees?]
            if transitions.fields.shape[0] and not _counts_fit(chosen, t, to, transitions, words):
                continue
            if not is_zero(load(transitions.must, to * words, words) & complement(after)):
                continue
            if transitions.sizes.shape[0] and to < transitions.near and _has_dead_pocket(after, to, transitions, words):
                continue
            # E5. [Write the step down.]
            store(steps.rows, n * stride, after)
            store(steps.rows, n * stride + words, count)
            steps.groups[n] = ((to - t - 1) << partition_bits) + _partition(after, partition_bits, words)
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
def _insert(table, partition_bits, steps, begin, end, words, limbs):
    """Add the steps at the places ``begin`` to ``end`` of a buffer's order to a table with room for them.

    Returns the number of states that are new in the table. words, limbs: the lengths of a state and of its number of
    ways. partition_bits: see `Transitions`.
    """
    stride = words + limbs
    slots = table.shape[0] // stride
    new = 0
    for i in range(begin, end):
        if i + PREFETCHED_STATES < end:
            later = load(steps.rows, steps.order[i + PREFETCHED_STATES] * stride, words)
            prefetch(table, _first_slot(later, partition_bits, slots, words) * stride)
        row = steps.order[i] * stride
        state = load(steps.rows, row, words)
        count = load(steps.rows, row + words, limbs)
        at = _slot(table, state, partition_bits, words, limbs) * stride
        count_before = load(table, at + words, limbs)
        if is_zero(count_before):
            store(table, at, state)
            new += 1
        store(table, at + words, count_before + count)
    return new


@part_of_kernel
def _move(source, table, partition_bits, words, limbs):
    """Copy all states of the table ``source`` into ``table``, which is empty and has room for them.

    words, limbs: the lengths of a state and of its number of ways. partition_bits: see `Transitions`.
    """
    stride = words + limbs
    for origin in range(source.shape[0] // stride):
        count = load(source, origin * stride + words, limbs)
        if not is_zero(count):
            state = load(source, origin * stride, words)
            at = _slot(table, state, partition_bits, words, limbs) * stride
            store(table, at, state)
            store(table, at + words, count)


@part_of_kernel
def _find(table, partition_bits, steps, begin, end, slots, words, limbs):
    """Write into ``slots`` the slots of the table that hold the targets of steps.

    The entry is -1 if no slot holds the target. begin, end: the steps, as places in the order of the buffer ``steps``.
    words, limbs: the lengths of a state and of its number of ways. partition_bits: see `Transitions`.
    """
    stride = words + limbs
    for i in range(begin, end):
        row = steps.order[i]
        slot = _slot(table, load(steps.rows, row * stride, words), partition_bits, words, limbs)
        slots[row] = -1 if is_zero(load(table, slot * stride + words, limbs)) else slot


@part_of_kernel
def _credit(table, steps, begin, end, first_slot, slots, completions, uses, words, limbs):
    """Add what each step contributes to the completions of the state it comes from, and to the uses of its option.

    A state is completed through a step in as many ways as the state that the step leads to. The option is used in that
    number of solutions, times the number of ways to the state that the step comes from, which the step has, too.

    table: holds the states that steps lead to, with the number of completions of each. begin, end: the steps, as places
    in the buffer's order. slots: for each step the slot of ``table`` that it leads to, or -1. completions: the sums for
    each slot of the table that steps come from, from ``first_slot`` on. uses: the sums for each option. words, limbs:
    the lengths of a state and of a number.
    """
    stride = words + limbs
    for n in range(begin, end):
        step = steps.order[n]
        if slots[step] < 0:
            continue
        ways_ahead = load(table, slots[step] * stride + words, limbs)
        source = (steps.details[2 * step] - first_slot) * limbs
        store(completions, source, load(completions, source, limbs) + ways_ahead)
        option = steps.details[2 * step + 1] * limbs
        ways_before = load(steps.rows, step * stride + words, limbs)
        store(uses, option, load(uses, option, limbs) + ways_before * ways_ahead)


@part_of_kernel
def _assign(steps, partition_bits, words, limbs):
    """Write into ``groups``, for each step of a buffer, the partition of its state.

    words, limbs: the lengths of a state and of its number of ways. partition_bits: see `Transitions`.
    """
    for i in range(steps.place[1]):
        steps.groups[i] = _partition(load(steps.rows, i * (words + limbs), words), partition_bits, words)


def compile_kernel(words: int, limbs: int, cache: bool) -> Kernel:
    """Compile the functions for states of ``words`` words and numbers of ``limbs`` words.

    These two are constants in the compiled code, which makes it faster. cache: keep the result on disk.
    """

    def expand(table, t, transitions, steps):
        """Write the steps that lead out of a table of layer ``t`` into a `TransitionBuffer`, ``steps``.

        transitions: the `Transitions` of the count. It stops when the buffer is full; see `_expand`.
        """
        _expand(table, t, transitions, steps, words, limbs)

    def insert(table, partition_bits, steps, begin, end):
        """Add some steps of a `TransitionBuffer`, ``steps``, to a table with room for them.

        Returns the number of states that are new in the table. partition_bits: see `Transitions`. begin, end: the
        steps, as places in the order of the buffer.
        """
        return _insert(table, partition_bits, steps, begin, end, words, limbs)

    def move(source, table, partition_bits):
        """Copy all states of the table ``source`` into ``table``, which is empty and has room for them.

        partition_bits: see `Transitions`.
        """
        _move(source, table, partition_bits, words, limbs)

    def find(table, partition_bits, steps, begin, end, slots):
        """Write into ``slots`` the slots of a table that hold the targets of steps, -1 for none.

        partition_bits: see `Transitions`. steps: a `TransitionBuffer`. begin, end: the steps, as places in its order.
        """
        _find(table, partition_bits, steps, begin, end, slots, words, limbs)

    def credit(table, steps, begin, end, first_slot, slots, completions, uses):
        """Add what each step contributes to the completions of its first state and to its option; see `_credit`.

        steps: a `TransitionBuffer`. begin, end: the steps, as places in its order. first_slot: the slot that the first
        entry of ``completions`` is for. slots: for each step the slot of ``table`` that holds its target, or -1.
        completions, uses: the sums for each slot and for each option.
        """
        _credit(table, steps, begin, end, first_slot, slots, completions, uses, words, limbs)

    def assign(steps, partition_bits):
        """Write into ``groups``, for each step of a `TransitionBuffer`, the partition of its state.

        partition_bits: see `Transitions`.
        """
        _assign(steps, partition_bits, words, limbs)

    compiled = njit(cache=cache, nogil=True, _nrt=False)
    return Kernel(*map(compiled, (expand, _group, insert, move, find, credit, assign)))
