"""The compiled part of the exact-cover search: options are bits, and all state is in arrays.

It is D. Knuth's Algorithm X on sets of options in place of linked lists: to choose an option is to keep only those that
go with it, and a level of the search has a copy of its own, so that nothing has to be restored. `advance` is the
search; the functions before it are its steps, of use to the kernel of refutations, too.

What it reads and writes is defined in `cover_levels`. `compiled` keeps what numba makes of this file, and throws it
away when one of the two changes.

References
----------
D. Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1, 2022
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from solvers.model.cover_levels import BRANCHES, CUBE, DEPTH, FRESH, NODES, REFUTED, SOLUTION, UNBOUNDED_COUNT


@intrinsic
def popcount(context: Any, word: Any) -> Any:
    """Count the set bits of a 64-bit word, in compiled code; ``context`` is numba's own."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def lowest_bit(context: Any, word: Any) -> Any:
    """Return, in compiled code, the place of the lowest set bit of a 64-bit word, counted from 0.

    The word must not be 0. ``context`` is numba's own. The result, as for every intrinsic of numba, is the signature
    and a function that writes LLVM's instruction.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


part_of_kernel = njit(nogil=True, inline="always", _nrt=False)
"""Decorates functions that become part of the compiled function that calls them.

They make no arrays. If numba counted the references to those that they are given, the search took 1.4 times as long.
"""


@part_of_kernel
def has(sets, n, place):
    """Tell whether set n has this place; for rows of a matrix: whether item n is covered by the option.

    sets: a matrix of 64-bit words; bit p % 64 of word p // 64 in row n says whether place p is in set n.
    """
    return (sets[n, place >> 6] >> np.uint64(place & 63)) & np.uint64(1) != 0


@part_of_kernel
def remove(sets, n, place):
    """Take a place out of set n.

    sets: a matrix of 64-bit words, a row for each set; see `has`.
    """
    sets[n, place >> 6] &= ~(np.uint64(1) << np.uint64(place & 63))


@part_of_kernel
def take_first(sets, n):
    """Take the first place out of set n and return it.

    The result is -1 if the set is empty. sets: a matrix of 64-bit words, a row for each set; see `has`.
    """
    for w in range(sets.shape[1]):
        word = sets[n, w]
        if word:
            sets[n, w] = word & (word - np.uint64(1))
            return w * 64 + np.int64(lowest_bit(word))
    return -1


@part_of_kernel
def words_of(matrix, item):
    """Return the range of the words in an item's row that are not all 0; matrix: the `Matrix` of the cover.

    Its numbers have no sign: with one, each access in a loop looks whether it counts from the end, and is not
    vectorised well.
    """
    return range(np.uint64(matrix.span[item, 0]), np.uint64(matrix.span[item, 1]))


@part_of_kernel
def fewest_options(matrix, levels, depth, enough):
    """Return (item, options): the open item with the fewest options left, and their number.

    An item is open if no chosen option covers it. Of several such items it is the first. But if some item has at most
    ``enough`` options, the first of these items is returned at once. Without open items it is (-1, UNBOUNDED_COUNT).
    matrix: the `Matrix` of the cover. levels: the `Levels` of the search, of which level ``depth`` is looked at.
    """
    best, fewest = -1, np.int64(UNBOUNDED_COUNT)
    for j in range(levels.open_count[depth]):
        item = levels.open_items[depth, j]
        count = np.int64(0)
        for w in words_of(matrix, item):
            count += np.int64(popcount(matrix.rows[item, w] & levels.available[depth, w]))
        if count < fewest:
            best, fewest = item, count
            if count <= enough:
                break
    return best, fewest


@part_of_kernel
def only_option(matrix, levels, depth, item):
    """Return the first option that is left for an item on level ``depth``, or -1 if none is left.

    matrix, levels: the `Matrix` of the cover and the `Levels` of the search.
    """
    for w in words_of(matrix, item):
        word = matrix.rows[item, w] & levels.available[depth, w]
        if word:
            return np.int64(w) * 64 + np.int64(lowest_bit(word))
    return -1


@part_of_kernel
def choose(matrix, levels, depth, option):
    """Choose an option on level ``depth`` of the search.

    The level keeps the open items that the option does not cover (moved to the front of its row), and the options that
    are compatible with it. matrix, levels: the `Matrix` of the cover and the `Levels` of the search.
    """
    still_open = 0
    for j in range(levels.open_count[depth]):
        item = levels.open_items[depth, j]
        if not has(matrix.rows, item, option):
            levels.open_items[depth, still_open] = item
            still_open += 1
    levels.open_count[depth] = still_open
    for w in range(levels.available.shape[1]):
        levels.available[depth, w] &= matrix.keep[option, w]


@part_of_kernel
def count_use(matrix, levels, depth, option):
    """Count a chosen option in the counted items (which several options may cover) that it covers, on level ``depth``.

    If an item then has as many options as it may have, its other options are no longer available. matrix, levels: the
    `Matrix` of the cover and the `Levels` of the search.
    """
    for k in range(matrix.counted.shape[0]):
        if has(matrix.counted, k, option):
            levels.used[depth, k] += 1
            if levels.used[depth, k] == matrix.bounds[k, 1]:
                for w in range(levels.available.shape[1]):
                    levels.available[depth, w] &= ~matrix.counted[k, w]


@part_of_kernel
def is_short(matrix, levels, depth):
    """Tell whether on level ``depth`` a counted item (one with bounds on the options that cover it) gets too few.

    The chosen options that cover it and all available ones are counted. matrix, levels: the `Matrix` of the cover,
    which has the bounds of the counted items, and the `Levels` of the search.
    """
    for k in range(matrix.counted.shape[0]):
        count = levels.used[depth, k]
        for w in range(levels.available.shape[1]):
            if count >= matrix.bounds[k, 0]:
                break
            count += np.int64(popcount(matrix.counted[k, w] & levels.available[depth, w]))
        if count < matrix.bounds[k, 0]:
            return True
    return False


@part_of_kernel
def copy_level(levels, depth):
    """Copy the open items and the available options of level ``depth`` to the next deeper one.

    levels: the `Levels` of the search.
    """
    levels.open_count[depth + 1] = levels.open_count[depth]
    for j in range(levels.open_count[depth]):
        levels.open_items[depth + 1, j] = levels.open_items[depth, j]
    for w in range(levels.available.shape[1]):
        levels.available[depth + 1, w] = levels.available[depth, w]


@part_of_kernel
def _is_small(levels, depth, small):
    """Tell whether at most ``small`` options are available on level ``depth``.

    levels: the `Levels` of the search.
    """
    count = np.int64(0)
    for w in range(levels.available.shape[1]):
        count += np.int64(popcount(levels.available[depth, w]))
    return count <= small


@part_of_kernel
def _propagate(matrix, levels, depth):
    """Choose the only options of items on level ``depth`` until no open item has exactly one.

    Returns (item, options): the open item with the fewest options, and their number. The number is 0, that is, the node
    is refuted, if an item has no option or a counted item cannot get as many options as it must. Without open items it
    is UNBOUNDED_COUNT. matrix, levels: the `Matrix` of the cover and the `Levels` of the search.
    """
    while True:
        item, fewest = fewest_options(matrix, levels, depth, 1)
        if fewest != 1:
            return item, np.int64(0) if is_short(matrix, levels, depth) else fewest
        option = only_option(matrix, levels, depth, item)
        levels.chosen[levels.chosen_count[depth]] = option
        levels.chosen_count[depth] += 1
        choose(matrix, levels, depth, option)
        count_use(matrix, levels, depth, option)


@part_of_kernel
def _write_leaf(levels, depth, kind, leaves, leaf):
    """Write the node on level ``depth`` into row ``leaf`` of the leaves.

    A row of ``leaves.rows`` is the kind, the number of chosen options, and these; a row of ``leaves.widths`` is the
    number of nodes above, and the number of branches of each. levels: the `Levels` of the search. kind: REFUTED,
    SOLUTION or CUBE.
    """
    chosen = levels.chosen_count[depth]
    leaves.rows[leaf, 0] = kind
    leaves.rows[leaf, 1] = chosen
    for i in range(chosen):
        leaves.rows[leaf, i + 2] = levels.chosen[i]
    leaves.widths[leaf, 0] = depth
    for i in range(depth):
        leaves.widths[leaf, i + 1] = levels.width[i]


def advance(matrix, levels, leaves, most_nodes, small):
    """Continue a search until it is exhausted, has entered ``most_nodes`` nodes, or the leaves are full.

    A node is a set of chosen options. The search chooses all options that are the only ones of their items, branches on
    the options of the open item with the fewest, and keeps a copy of the state for each level. It turns back at refuted
    nodes, at each solution, and at each node at which at most ``small`` options are left; solutions and the last kind
    are written into ``leaves``. If ``small`` is not negative, refuted nodes are written, too. Returns the number of
    leaves written. matrix: the `Matrix` of the cover. levels: the state (`Levels`), from which the next call continues;
    its depth is -1 once the search is exhausted.
    """
    depth, fresh, nodes = levels.counters[DEPTH], levels.counters[FRESH], levels.counters[NODES]
    last_node = nodes + most_nodes
    leaves_found = 0
    while depth >= 0:
        if fresh:
            # X1. [Enter a node.]
            if nodes == last_node or leaves_found == leaves.rows.shape[0]:
                break
            nodes += 1
            # X2. [Take what is forced, choose an item.]
            item, fewest = _propagate(matrix, levels, depth)
            # X3. [Is it a leaf?]
            kind = BRANCHES
            if fewest == 0:
                kind = REFUTED
            elif levels.open_count[depth] == 0:
                kind = SOLUTION
            elif _is_small(levels, depth, small):
                kind = CUBE
            if kind in (SOLUTION, CUBE) or (kind == REFUTED and small >= 0):
                _write_leaf(levels, depth, kind, leaves, leaves_found)
                leaves_found += 1
            # X4. [Branch on the options of the item.]
            if kind == BRANCHES:
                for w in range(levels.branches.shape[1]):
                    levels.branches[depth, w] = matrix.rows[item, w] & levels.available[depth, w]
                levels.width[depth] = fewest
            else:
                depth -= 1
                fresh = 0
                continue
        # X5. [Try the next option.]
        option = take_first(levels.branches, depth)
        if option >= 0:
            chosen = levels.chosen_count[depth]
            levels.chosen[chosen] = option
            levels.chosen_count[depth + 1] = chosen + 1
            copy_level(levels, depth)
            for k in range(levels.used.shape[1]):
                levels.used[depth + 1, k] = levels.used[depth, k]
            depth += 1
            choose(matrix, levels, depth, option)
            count_use(matrix, levels, depth, option)
            fresh = 1
        # X6. [Go back, as all were tried.]
        else:
            depth -= 1
            fresh = 0
    levels.counters[DEPTH], levels.counters[FRESH], levels.counters[NODES] = depth, fresh, nodes
    return leaves_found


@part_of_kernel
def leave_none(matrix, option, item, candidates):
    """Make ``candidates`` the options that together with this one leave an item without any option.

    An option does so if it is compatible with this one, does not cover the item, and is compatible with none of the
    item's options that this one leaves. Returns whether there are such options. If the option alone leaves the item
    without any, they are all options that can be chosen with it. matrix: the `Matrix` of the cover. candidates: one set
    of options, in 64-bit words; it is overwritten.
    """
    for w in range(len(candidates)):
        candidates[w] = matrix.keep[option, w] & ~matrix.rows[item, w]
    for w in words_of(matrix, item):
        word = matrix.rows[item, w] & matrix.keep[option, w]  # options of the item that this one leaves
        while word:
            other = np.int64(w) * 64 + np.int64(lowest_bit(word))
            word &= word - np.uint64(1)  # clears the lowest bit
            union = np.uint64(0)
            for v in range(len(candidates)):
                candidates[v] &= ~matrix.keep[other, v]
                union |= candidates[v]
            if not union:
                return False
    return True


def exclude_pairs(matrix, candidates, reasons):
    """Take out of ``matrix.keep`` each pair of options that together leave some item without any option.

    Returns the number of pairs; it stops once there are as many as ``reasons`` has rows. All pairs of an option that by
    itself leaves an item without options count, too. matrix: the `Matrix` of the cover; in row o of ``keep``, the set
    of the options that can be chosen together with o. candidates: room for one set of options, a row of 64-bit words.
    reasons: gets, for each pair in the order in which they are taken out, a row (option, option, item that the two
    leave without any).
    """
    items = matrix.rows.shape[0]
    removed = 0
    for option in range(matrix.keep.shape[0]):
        for item in range(items):
            if has(matrix.rows, item, option) or not leave_none(matrix, option, item, candidates[0]):
                continue
            other = take_first(candidates, 0)
            while other >= 0:
                if removed == reasons.shape[0]:
                    return removed
                remove(matrix.keep, option, other)
                remove(matrix.keep, other, option)
                reasons[removed, 0] = option
                reasons[removed, 1] = other
                reasons[removed, 2] = item
                removed += 1
                other = take_first(candidates, 0)
    return removed
