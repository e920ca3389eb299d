"""The compiled part of `hitting`: the smallest sets of facts that tell one solution from all others.

Facts of a solution distinguish it from each other solution that lacks one of them. So the facts have to hit, of each
other solution, the set of facts that it lacks. The search takes the set with the fewest facts that is not hit, and
tries each of them; a fact that was tried is left out of what comes behind it, so that no set is found twice. Disjoint
sets that are not hit need a fact each, which says early that the facts do not suffice.

References: R. Reiter, "A theory of diagnosis from first principles", Artificial Intelligence 32 (1987),
doi:10.1016/0004-3702(87)90062-2: the tree whose nodes branch on a set that is not hit.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.model.cover_kernel import lowest_bit, part_of_kernel, popcount

DEPTH, FRESH = range(2)
"""Places in the array of counters: the level of the search, -1 at its end, and whether it was just entered."""


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


@part_of_kernel
def _keep_common_facts(sets, levels, depth):
    """Set the branches of a level to the facts that hit, each alone, all that is left; return whether there is one."""
    branches, excluded = levels.branches[depth], levels.excluded[depth]
    for w in range(len(branches)):
        branches[w] = ~excluded[w]
    for j in range(levels.left[depth]):
        for w in range(len(branches)):
            branches[w] &= sets[levels.alive[depth, j], w]
    union = np.uint64(0)
    for w in range(len(branches)):
        union |= branches[w]
    return union != 0


@part_of_kernel
def _branch_on_smallest(sets, levels, depth, more):
    """Set the branches of a level to the facts of the smallest set that is not hit.

    Return False if ``more`` facts cannot hit all that is left: a set has no fact that may be chosen, or more sets than
    that are disjoint.
    """
    branches, excluded = levels.branches[depth], levels.excluded[depth]
    for w in range(len(branches)):
        branches[w] = 0  # the union of the disjoint sets, for now
    disjoint, fewest, smallest = 0, 64 * len(branches) + 1, -1
    for j in range(levels.left[depth]):
        number = levels.alive[depth, j]
        size = np.int64(0)
        overlap = np.uint64(0)
        for w in range(len(branches)):
            bits = sets[number, w] & ~excluded[w]
            size += np.int64(popcount(bits))
            overlap |= bits & branches[w]
        if size < fewest:
            fewest, smallest = size, number
        if overlap == 0:
            disjoint += 1
            for w in range(len(branches)):
                branches[w] |= sets[number, w] & ~excluded[w]
    if fewest == 0 or disjoint > more:
        return False
    for w in range(len(branches)):
        branches[w] = sets[smallest, w] & ~excluded[w]
    return True


@part_of_kernel
def _take_next_fact(levels, depth):
    """Return the next fact to be tried at a level, and exclude it from what comes behind; -1 if none is left."""
    for w in range(levels.branches.shape[1]):
        word = levels.branches[depth, w]
        if word:
            bit = word & (~word + np.uint64(1))
            levels.branches[depth, w] ^= bit
            levels.excluded[depth, w] |= bit
            return w * 64 + np.int64(lowest_bit(word))
    return -1


@part_of_kernel
def _go_deeper(sets, levels, depth, fact):
    """Give the next level the sets that a chosen fact does not hit."""
    count = 0
    for j in range(levels.left[depth]):
        number = levels.alive[depth, j]
        if not (sets[number, fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
            levels.alive[depth + 1, count] = number
            count += 1
    levels.left[depth + 1] = count
    for w in range(levels.excluded.shape[1]):
        levels.excluded[depth + 1, w] = levels.excluded[depth, w]


def _advance(sets, levels, size, sets_found, most_nodes):
    """Continue the search for hitting sets of ``size`` places.

    Write them into ``sets_found`` and return their number. sets: the sets to hit, a row of bits for each. levels: the
    state of the search; see `HittingLevels`. It pauses after ``most_nodes`` nodes or when ``sets_found`` is full. The
    counter `DEPTH` is -1 once all were found. No set of fewer places may hit all.
    """
    depth, fresh = levels.counters[DEPTH], levels.counters[FRESH]
    nodes, rows = 0, 0
    while depth >= 0:
        if fresh:
            # H1. [Is it a solution?]
            if nodes == most_nodes or rows == len(sets_found):
                break
            nodes += 1
            fresh = 0
            more = size - depth
            if more == 0:
                if levels.left[depth] == 0:
                    for i in range(size):
                        sets_found[rows, i] = levels.chosen[i]
                    rows += 1
                depth -= 1
                continue
            # H2. [Which facts are to be tried?]
            if more == 1:
                can_be_hit = _keep_common_facts(sets, levels, depth)
            else:
                can_be_hit = _branch_on_smallest(sets, levels, depth, more)
            if not can_be_hit:
                depth -= 1
                continue
        # H3. [Try the next fact.]
        fact = _take_next_fact(levels, depth)
        if fact < 0:
            depth -= 1
            continue
        levels.chosen[depth] = fact
        _go_deeper(sets, levels, depth, fact)
        depth += 1
        fresh = 1
    levels.counters[DEPTH], levels.counters[FRESH] = depth, fresh
    return rows


def compile_kernel(cache: bool) -> tuple[Any, Any]:
    """Compile and return (lacking, advance); cache: keep the result on disk."""
    compiled = njit(cache=cache, nogil=True)
    return compiled(_write_missing_facts), compiled(_advance)
