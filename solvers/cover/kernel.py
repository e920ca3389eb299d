"""The compiled part of the exact-cover search: options are bits, and all state lies in arrays.

Arrays are named as in `cover.Tables` and `cover.State`. Every function releases the GIL, so that threads share it.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

FAILED, SOLUTION, CUBE = 0, 1, 2

DEPTH, FRESH, NODES = 0, 1, 2
"""Places in the array of counters: the level of the search, whether it was just entered, how many were."""


@intrinsic
def popcount(context: Any, word: Any) -> Any:
    """How many bits of a word are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def lowest_bit(context: Any, word: Any) -> Any:
    """The place of the lowest bit of a word that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


def compile_kernel(cache: bool) -> tuple[Any, Any]:
    """(advance, exclude_pairs), from the cache where there is one."""
    words, numbers, ints = "uint64[:,::1]", "int32[:,::1]", "int64[::1]"
    advance_type = (
        f"int64({words},{words},{numbers},{numbers},{words},{words},{numbers},{ints},int32[::1],{ints},"
        f"float64[::1],{ints},int64,int64,{numbers},float64[::1])"
    )
    exclude_type = f"int64({words},{words},{numbers},{numbers})"
    return (
        njit(advance_type, cache=cache, nogil=True)(_advance),
        njit(exclude_type, cache=cache, nogil=True)(_exclude_pairs),
    )


def _advance(  # type: ignore[no-untyped-def]
    rows,
    keep,
    span,
    items,
    available,
    branches,
    open_items,
    open_count,
    chosen,
    chosen_count,
    weight,
    counters,
    most_nodes,
    small,
    out,
    out_weight,
):
    """Search on from the state, until it is exhausted (depth -1), or for so many nodes, or until ``out`` is full.

    Writes a row of ``out`` for each solution, and for each node at which at most ``small`` options are left, where it
    turns back: SOLUTION or CUBE, how many options were chosen, and these. Failed nodes only add to
    ``out_weight[-1]``, the share of the space that was seen. Returns the number of rows.
    """
    words = available.shape[1]
    width = items.shape[1]
    depth = counters[DEPTH]
    fresh = counters[FRESH]
    nodes = counters[NODES]
    last_node = nodes + most_nodes
    found = 0
    while depth >= 0:
        if fresh:
            if nodes == last_node or found == out.shape[0]:
                break
            nodes += 1
            n = chosen_count[depth]
            while True:
                fewest = np.int64(1) << 60
                best = -1
                for j in range(open_count[depth]):
                    item = open_items[depth, j]
                    count = np.int64(0)
                    for w in range(span[item, 0], span[item, 1]):
                        count += np.int64(popcount(rows[item, w] & available[depth, w]))
                    if count < fewest:
                        fewest = count
                        best = item
                        if count <= 1:
                            break
                if fewest != 1:
                    break
                option = 0
                for w in range(span[best, 0], span[best, 1]):
                    word = rows[best, w] & available[depth, w]
                    if word:
                        option = w * 64 + np.int64(lowest_bit(word))
                        break
                chosen[n] = option
                n += 1
                still_open = 0
                for j in range(open_count[depth]):
                    item = open_items[depth, j]
                    covered = False
                    for i in range(width):
                        if items[option, i] == item:
                            covered = True
                            break
                    if not covered:
                        open_items[depth, still_open] = item
                        still_open += 1
                open_count[depth] = still_open
                for w in range(words):
                    available[depth, w] &= keep[option, w]
            chosen_count[depth] = n
            outcome = FAILED
            if open_count[depth] == 0:
                outcome = SOLUTION
            elif fewest > 0:
                left = np.int64(0)
                for w in range(words):
                    left += np.int64(popcount(available[depth, w]))
                if left <= small:
                    outcome = CUBE
            if outcome != FAILED:
                out[found, 0] = outcome
                out[found, 1] = n
                for i in range(n):
                    out[found, i + 2] = chosen[i]
                out_weight[found] = weight[depth]
                found += 1
            elif fewest == 0:
                out_weight[-1] += weight[depth]
            if outcome != FAILED or fewest == 0:
                depth -= 1
                fresh = 0
                continue
            for w in range(words):
                branches[depth, w] = rows[best, w] & available[depth, w]
            weight[depth] /= fewest
        option = -1
        for w in range(words):
            word = branches[depth, w]
            if word:
                option = w * 64 + np.int64(lowest_bit(word))
                branches[depth, w] = word & (word - np.uint64(1))
                break
        if option < 0:
            depth -= 1
            fresh = 0
            continue
        n = chosen_count[depth]
        chosen[n] = option
        chosen_count[depth + 1] = n + 1
        still_open = 0
        for j in range(open_count[depth]):
            item = open_items[depth, j]
            covered = False
            for i in range(width):
                if items[option, i] == item:
                    covered = True
                    break
            if not covered:
                open_items[depth + 1, still_open] = item
                still_open += 1
        open_count[depth + 1] = still_open
        for w in range(words):
            available[depth + 1, w] = available[depth, w] & keep[option, w]
        weight[depth + 1] = weight[depth]
        depth += 1
        fresh = 1
    counters[DEPTH] = depth
    counters[FRESH] = fresh
    counters[NODES] = nodes
    return found


def _exclude_pairs(rows, keep, span, items):  # type: ignore[no-untyped-def]
    """Take out of ``keep`` each pair of options that together leave some item without any; how many were taken out.

    A pair with an option that does so by itself is taken out like others.
    """
    words = rows.shape[1]
    width = items.shape[1]
    candidates = np.zeros(words, np.uint64)
    removed = 0
    for option in range(keep.shape[0]):
        for item in range(rows.shape[0]):
            covered = False
            for i in range(width):
                if items[option, i] == item:
                    covered = True
                    break
            if covered:
                continue
            # The options that exclude everything that is left to cover the item.
            for w in range(words):
                candidates[w] = keep[option, w] & ~rows[item, w]
            some = True
            for w in range(span[item, 0], span[item, 1]):
                word = rows[item, w] & keep[option, w]
                while word and some:
                    other = w * 64 + np.int64(lowest_bit(word))
                    word &= word - np.uint64(1)
                    union = np.uint64(0)
                    for v in range(words):
                        candidates[v] &= ~keep[other, v]
                        union |= candidates[v]
                    some = union != 0
                if not some:
                    break
            if some:
                for w in range(words):
                    word = candidates[w]
                    keep[option, w] &= ~word
                    while word:
                        other = w * 64 + np.int64(lowest_bit(word))
                        word &= word - np.uint64(1)
                        keep[other, option >> 6] &= ~(np.uint64(1) << np.uint64(option & 63))
                        removed += 1
    return removed
