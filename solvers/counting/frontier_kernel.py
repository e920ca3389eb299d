"""The compiled part of the frontier count: hash tables of states, and the steps from one to the next.

A state is a set of bits, `layout.Layout` says which; in a table it stands beside the number of ways in which it is
reached, and an empty slot has no ways. A table is a flat array of slots of ``words`` words for the bits and ``limbs``
for the number. Every function releases the GIL, so that threads share the work.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvers.counting.wide_integers import (
    inverted,
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

WORDS, BYTES, NUMBERS, INTEGERS = "uint64[::1]", "uint8[::1]", "int32[::1]", "int64[::1]"


AHEAD = 16
"""So many states before its turn the processor fetches a state's slot; tables are larger than its caches."""


class Kernel(NamedTuple):
    """The compiled functions for states and numbers of so many words."""

    expand: Any
    group: Any
    insert: Any
    move: Any
    find: Any
    credit: Any
    assign: Any


def compile_kernel(words: int, limbs: int, cache: bool) -> Kernel:
    """The functions below, from the cache where there is one."""
    stride = words + limbs
    bits = 64 * words

    def expand(table, place, t, end, test, put, live, must, edges, offsets, sizes, shape, rows, groups, details):
        """Write a row for each step out of the slots from ``place[0]`` on, until they end or ``rows`` is full.

        ``place`` is the next slot and the number of rows so far; it is brought up to date. A row is a state and its
        number; ``groups`` tells where it belongs, ``details`` its slot and option. t: the item that is covered; the
        options from ``place[2]`` to ``end`` do that. shape: how many bits are fixed, how many items are near, how
        many far, the number of partitions' binary logarithm.
        """
        fixed, near, all_items, partition_bits = shape[0], shape[1], shape[2], shape[3]
        most_rows = groups.shape[0]
        slots = table.shape[0] // stride
        n = place[1]
        first = place[2]
        offset_count = offsets.shape[0]
        low = load(live, (all_items + 1) * words, words)
        far = load(live, (all_items + 2) * words, words)
        slot = place[0]
        while slot < slots:
            ways = load(table, slot * stride + words, limbs)
            if is_zero(ways):
                slot += 1
                continue
            if n + end - first > most_rows:
                break
            state = load(table, slot * stride, words)
            for option in range(first, end):
                if not is_zero(state & load(test, option * words, words)):
                    continue
                after = state | load(put, option * words, words)
                if t < near:
                    covered = trailing_zeros(inverted(after >> fixed))
                    to = t + covered
                else:
                    to = near
                if to >= near:
                    to = near + trailing_zeros(inverted(after | inverted(far)))
                    if to > all_items:
                        to = all_items
                    after = after & load(live, to * words, words)
                else:
                    kept = after & load(live, to * words, words)
                    after = ((after >> covered) & inverted(low)) | kept
                if not is_zero(load(must, to * words, words) & inverted(after)):
                    continue
                if sizes.shape[0] and to < near:
                    window = after >> fixed
                    beyond = bits - leading_zeros(window)
                    if beyond:
                        room = beyond + offsets[offset_count - 1]
                        ones = inverted(window ^ window)
                        sees_end = room >= near - to
                        if sees_end:
                            room = near - to
                        free = inverted(window) & (ones >> (bits - room))
                        if sees_end:
                            rest = free
                        else:
                            reached = (free >> beyond) << beyond
                            while True:
                                before = reached
                                for j in range(offset_count):
                                    edge = load(edges, (to * offset_count + j) * words, words)
                                    d = offsets[j]
                                    reached = reached | ((reached & edge) << d) | ((reached >> d) & edge)
                                    reached = reached & free
                                if is_zero(reached ^ before):
                                    break
                            rest = free ^ reached
                        dead = False
                        while not is_zero(rest):
                            pocket = lowest(rest)
                            while True:
                                before = pocket
                                for j in range(offset_count):
                                    edge = load(edges, (to * offset_count + j) * words, words)
                                    d = offsets[j]
                                    pocket = pocket | ((pocket & edge) << d) | ((pocket >> d) & edge)
                                    pocket = pocket & rest
                                if is_zero(pocket ^ before):
                                    break
                            if not sizes[population(pocket)]:
                                dead = True
                                break
                            rest = rest ^ pocket
                        if dead:
                            continue
                store(rows, n * stride, after)
                store(rows, n * stride + words, ways)
                partition = np.int64(hashed(after, words) >> np.uint64(64 - partition_bits)) if partition_bits else 0
                groups[n] = ((to - t - 1) << partition_bits) + partition
                details[2 * n] = slot
                details[2 * n + 1] = option
                n += 1
            slot += 1
        place[0] = slot
        place[1] = n

    def group(groups, n, starts, order):
        """Sort the numbers of the first n rows by group; those of group g begin at ``starts[g]`` in ``order``."""
        starts[:] = 0
        for i in range(n):
            starts[groups[i] + 1] += 1
        for g in range(1, starts.shape[0]):
            starts[g] += starts[g - 1]
        for i in range(n):
            g = groups[i]
            order[starts[g]] = i
            starts[g] += 1
        for g in range(starts.shape[0] - 1, 0, -1):
            starts[g] = starts[g - 1]
        starts[0] = 0

    def insert(table, partition_bits, rows, order, begin, end):
        """Add rows to a table, which has room for them; returns how many states are new."""
        slots = table.shape[0] // stride
        new = 0
        for i in range(begin, end):
            if i + AHEAD < end:
                later = load(rows, order[i + AHEAD] * stride, words)
                prefetch(table, slot_of(later, words, partition_bits, slots) * stride)
            row = order[i] * stride
            state = load(rows, row, words)
            ways = load(rows, row + words, limbs)
            slot = slot_of(state, words, partition_bits, slots)
            while True:
                there = load(table, slot * stride + words, limbs)
                if is_zero(there):
                    store(table, slot * stride, state)
                    store(table, slot * stride + words, ways)
                    new += 1
                    break
                if is_zero(load(table, slot * stride, words) ^ state):
                    store(table, slot * stride + words, there + ways)
                    break
                slot += 1
                if slot == slots:
                    slot = 0
        return new

    def move(source, table, partition_bits):
        """Put all states of a table into another one, which is empty and has room for them."""
        slots = table.shape[0] // stride
        for origin in range(source.shape[0] // stride):
            ways = load(source, origin * stride + words, limbs)
            if is_zero(ways):
                continue
            state = load(source, origin * stride, words)
            slot = slot_of(state, words, partition_bits, slots)
            while not is_zero(load(table, slot * stride + words, limbs)):
                slot += 1
                if slot == slots:
                    slot = 0
            store(table, slot * stride, state)
            store(table, slot * stride + words, ways)

    def find(table, partition_bits, rows, order, begin, end, found):
        """Write to ``found`` the slots in which the rows' states are, -1 where a state is in none."""
        slots = table.shape[0] // stride
        for i in range(begin, end):
            state = load(rows, order[i] * stride, words)
            slot = slot_of(state, words, partition_bits, slots)
            while True:
                if is_zero(load(table, slot * stride + words, limbs)):
                    slot = -1
                    break
                if is_zero(load(table, slot * stride, words) ^ state):
                    break
                slot += 1
                if slot == slots:
                    slot = 0
            found[order[i]] = slot

    def credit(table, rows, details, order, begin, end, first_slot, found, completions, uses):
        """Hand back the numbers in the slots that were found: in how many ways each state is completed.

        They are added to the completions of the slot that a row came from, counted from ``first_slot``; and to the
        uses of its option, as often as the row is reached.
        """
        for n in range(begin, end):
            i = order[n]
            if found[i] < 0:
                continue
            ahead = load(table, found[i] * stride + words, limbs)
            slot = (details[2 * i] - first_slot) * limbs
            store(completions, slot, load(completions, slot, limbs) + ahead)
            used = details[2 * i + 1] * limbs
            store(uses, used, load(uses, used, limbs) + load(rows, i * stride + words, limbs) * ahead)

    def assign(rows, n, partition_bits, groups):
        """Write to ``groups`` the partitions that the first n rows belong to."""
        for i in range(n):
            state = load(rows, i * stride, words)
            groups[i] = np.int64(hashed(state, words) >> np.uint64(64 - partition_bits)) if partition_bits else 0

    def compiled(signature, function):
        return njit(signature, cache=cache, nogil=True)(function)

    return Kernel(
        compiled(
            f"void({WORDS},{INTEGERS},int64,int64,{WORDS},{WORDS},{WORDS},{WORDS},{WORDS},{INTEGERS},{BYTES},"
            f"{INTEGERS},{WORDS},{NUMBERS},{NUMBERS})",
            expand,
        ),
        compiled(f"void({NUMBERS},int64,{INTEGERS},{NUMBERS})", group),
        compiled(f"int64({WORDS},int64,{WORDS},{NUMBERS},int64,int64)", insert),
        compiled(f"void({WORDS},{WORDS},int64)", move),
        compiled(f"void({WORDS},int64,{WORDS},{NUMBERS},int64,int64,{INTEGERS})", find),
        compiled(f"void({WORDS},{WORDS},{NUMBERS},{NUMBERS},int64,int64,int64,{INTEGERS},{WORDS},{WORDS})", credit),
        compiled(f"void({WORDS},int64,int64,{NUMBERS})", assign),
    )


@njit(nogil=True)
def hashed(state, words):
    """A number whose bits all depend on all bits of the state."""
    number = np.uint64(0)
    for i in range(words):
        number = (number ^ word(state, i)) * np.uint64(0x9E3779B97F4A7C15)
        number ^= number >> np.uint64(32)
        number *= np.uint64(0xD6E8FEB86659FD93)
        number ^= number >> np.uint64(32)
    return number


@njit(nogil=True)
def slot_of(state, words, partition_bits, slots):
    """Where to look for a state first: by 32 bits of its hash behind those that tell its partition."""
    number = (hashed(state, words) << np.uint64(partition_bits)) >> np.uint64(32)
    return np.int64((number * np.uint64(slots)) >> np.uint64(32))
