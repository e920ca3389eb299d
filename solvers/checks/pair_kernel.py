"""The compiled part of `solvers.checks.covers`: pairs of options, each taken out for a reason that is verified.

It shares nothing with the search that gives the reasons. `solvers.model.compiled` keeps what numba makes of this file.
"""

import numpy as np


def take_out_pairs(can, items, reasons):
    """Take out of ``can`` each pair of options whose reason follows from what was taken out before.

    Returns how many reasons do not follow, and moves these to the front. Reasons of pairs that are out already are
    forgotten. can: for each option, the options that it can be chosen with, in 64-bit words. items: for each item, its
    options. reasons: a row (option, option, item) for each pair; the two leave the item, which neither of them covers,
    without any option.
    """
    unverified = 0
    for row in range(len(reasons)):
        first, other, item = reasons[row, 0], reasons[row, 1], reasons[row, 2]
        # Option k is bit k & 63 of word k >> 6.
        bit_of_first, bit_of_other = np.uint64(1) << np.uint64(first & 63), np.uint64(1) << np.uint64(other & 63)
        if not can[first, other >> 6] & bit_of_other:
            continue
        # It follows if neither covers the item, and no option of the item is compatible with both.
        follows = not (items[item, first >> 6] & bit_of_first or items[item, other >> 6] & bit_of_other)
        for w in range(items.shape[1]):
            if not follows:
                break
            follows = not can[first, w] & can[other, w] & items[item, w]
        if follows:
            can[first, other >> 6] &= ~bit_of_other
            can[other, first >> 6] &= ~bit_of_first
        else:
            for k in range(3):
                reasons[unverified, k] = reasons[row, k]
            unverified += 1
    return unverified
