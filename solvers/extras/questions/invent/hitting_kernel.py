"""The compiled part of `hitting`: the smallest sets of facts that tell one solution from all others.

Facts of a solution distinguish it from each other solution that lacks one of them. So the facts have to hit, of each
other solution, the set of facts that it lacks. The search takes the set with the fewest facts that is not hit, and
tries each of them; a fact that was tried is left out of what comes behind it, so that no set is met twice. Disjoint
sets that are not hit need a fact each, which says early that the facts do not suffice.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.model.cover_kernel import lowest_bit, popcount

DEPTH, FRESH, NODES = range(3)
"""Places in the array of counters: the level of the search (-1 at its end), whether it was just entered, nodes."""


class HittingLevels(NamedTuple):
    """The state of a search; arrays have an entry for each level unless said otherwise."""

    alive: NDArray[np.int32]
    """The sets that are not hit yet, at the beginning of the level's row."""
    left: NDArray[np.int64]
    """The number of sets that are not hit yet."""
    branches: NDArray[np.uint64]
    """The facts that are still to be tried."""
    excluded: NDArray[np.uint64]
    """The facts that may not be chosen any more."""
    chosen: NDArray[np.int32]
    """The facts on the path; one array for all levels."""
    counters: NDArray[np.int64]


def _write_missing_facts(starts, facts, local, own, sets):
    """Write into ``sets``, for each solution, which facts of one solution it lacks, as bits.

    Returns the number of solutions that lack none.

    facts: the facts of all solutions, one solution after the other. starts: the place in ``facts`` at which each
    begins, and the end. local: for each fact, its place among the facts of that one solution, or -1. own: the number of
    these facts. The solution with these facts lacks none.
    """
    words = sets.shape[1]
    alike = 0
    for t in range(len(starts) - 1):
        for w in range(words):
            left = min(64, own - 64 * w)
            sets[t, w] = ~np.uint64(0) if left == 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
        for i in range(starts[t], starts[t + 1]):
            place = local[facts[i]]
            if place >= 0:
                sets[t, place >> 6] &= ~(np.uint64(1) << np.uint64(place & 63))
        union = np.uint64(0)
        for w in range(words):
            union |= sets[t, w]
        if union == 0:
            alike += 1
    return alike


def _advance(sets, levels, size, found, most_nodes):
    """Continue the search for hitting sets of ``size`` places.

    Write them into ``found`` and return their number. sets: the sets to hit, a row of bits for each. levels: the state
    of the search; see `HittingLevels`. It pauses after ``most_nodes`` nodes or when ``found`` is full. The counter
    `DEPTH` is -1 once all were found.
    """
    words = sets.shape[1]
    depth, fresh, nodes = levels.counters[DEPTH], levels.counters[FRESH], levels.counters[NODES]
    last_node = nodes + most_nodes
    rows = 0
    while depth >= 0:
        if fresh:
            if nodes == last_node or rows == found.shape[0]:
                break
            nodes += 1
            more = size - depth
            is_leaf = False
            if levels.left[depth] == 0:
                # Fewer than so many suffice, which does not happen where smaller sizes were asked for before.
                if more == 0:
                    for i in range(size):
                        found[rows, i] = levels.chosen[i]
                    rows += 1
                is_leaf = True
            elif more == 0:
                is_leaf = True
            elif more == 1:
                # One fact has to hit all that is left.
                is_leaf = True
                for w in range(words):
                    levels.branches[depth, w] = ~levels.excluded[depth, w]
                for j in range(levels.left[depth]):
                    union = np.uint64(0)
                    for w in range(words):
                        levels.branches[depth, w] &= sets[levels.alive[depth, j], w]
                        union |= levels.branches[depth, w]
                    if union == 0:
                        break
                for w in range(words):
                    if levels.branches[depth, w]:
                        is_leaf = False
            else:
                # Disjoint sets need a fact each; branch on the smallest set.
                needed, fewest, pivot = 0, 64 * words + 1, -1
                for w in range(words):
                    levels.branches[depth, w] = 0
                for j in range(levels.left[depth]):
                    t = levels.alive[depth, j]
                    size_of_set = np.int64(0)
                    overlap = np.uint64(0)
                    for w in range(words):
                        bits = sets[t, w] & ~levels.excluded[depth, w]
                        size_of_set += np.int64(popcount(bits))
                        overlap |= bits & levels.branches[depth, w]
                    if size_of_set < fewest:
                        fewest, pivot = size_of_set, t
                    if overlap == 0:
                        needed += 1
                        for w in range(words):
                            levels.branches[depth, w] |= sets[t, w] & ~levels.excluded[depth, w]
                if fewest == 0 or needed > more:
                    is_leaf = True
                else:
                    for w in range(words):
                        levels.branches[depth, w] = sets[pivot, w] & ~levels.excluded[depth, w]
            if is_leaf:
                depth -= 1
                fresh = 0
                continue
        # Try the next fact.
        fact = -1
        for w in range(words):
            word = levels.branches[depth, w]
            if word:
                bit = word & (~word + np.uint64(1))
                fact = w * 64 + np.int64(lowest_bit(word))
                levels.branches[depth, w] = word ^ bit
                levels.excluded[depth, w] |= bit
                break
        if fact < 0:
            depth -= 1
            fresh = 0
            continue
        levels.chosen[depth] = fact
        if depth + 1 == size:
            if rows == found.shape[0]:
                # Put it back; there is no room for it now.
                levels.branches[depth, fact >> 6] |= np.uint64(1) << np.uint64(fact & 63)
                fresh = 0
                break
            for i in range(size):
                found[rows, i] = levels.chosen[i]
            rows += 1
            continue
        count = 0
        for j in range(levels.left[depth]):
            t = levels.alive[depth, j]
            if not (sets[t, fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
                levels.alive[depth + 1, count] = t
                count += 1
        levels.left[depth + 1] = count
        for w in range(words):
            levels.excluded[depth + 1, w] = levels.excluded[depth, w]
        depth += 1
        fresh = 1
    levels.counters[DEPTH], levels.counters[FRESH], levels.counters[NODES] = depth, fresh, nodes
    return rows


def compile_kernel(cache: bool) -> tuple[Any, Any]:
    """Compile and return (lacking, advance); cache: keep the result on disk."""
    compiled = njit(cache=cache, nogil=True)
    return compiled(_write_missing_facts), compiled(_advance)
