"""The compiled part of unit propagation in many assignments at once: they are bits, `WORDS` words at a time."""

from typing import Any

import numpy as np
from numba import njit

WORDS = 4
"""So many are dealt with by one instruction of today's processors (AVX2)."""


def _imply(first, literals, first_use, uses, is_in_clause, holds, follows):
    """Unit propagation; literal 2 v is that of variable v, and 2 v + 1 its negation.

    first, literals: of clause n the literals, at first[n] up to first[n + 1].
    first_use, uses: of each literal the clauses that it is in.
    is_in_clause: of each variable, whether a clause holds it.
    holds: of each literal, in which assignments it is known to hold; here is written what follows.
    follows: gets those in which all variables that are in a clause follow, without contradiction.
    """
    clauses = len(first) - 1
    is_waiting = np.ones(clauses, np.bool_)
    one_open, none_open = np.empty(WORDS, np.uint64), np.empty(WORDS, np.uint64)
    waiting = clauses
    while waiting:
        for number in range(clauses):
            if not is_waiting[number]:
                continue
            is_waiting[number] = False
            waiting -= 1
            for w in range(WORDS):
                one_open[w] = 0
                none_open[w] = ~np.uint64(0)
            for place in range(first[number], first[number + 1]):
                opposite = literals[place] ^ 1
                for w in range(WORDS):
                    false = holds[opposite, w]
                    one_open[w] = (one_open[w] & false) | (none_open[w] & ~false)
                    none_open[w] &= false
            some = np.uint64(0)
            for w in range(WORDS):
                # A contradiction: the literal and its negation hold.
                holds[literals[first[number]], w] |= none_open[w]
                some |= one_open[w]
            if not some:
                continue
            for place in range(first[number], first[number + 1]):
                literal = literals[place]
                is_new = np.uint64(0)
                for w in range(WORDS):
                    new = one_open[w] & ~(holds[literal, w] | holds[literal ^ 1, w])
                    holds[literal, w] |= new
                    is_new |= new
                if is_new:
                    for use in range(first_use[literal ^ 1], first_use[(literal ^ 1) + 1]):
                        if not is_waiting[uses[use]]:
                            is_waiting[uses[use]] = True
                            waiting += 1
    for w in range(WORDS):
        follows[w] = ~np.uint64(0)
    for variable in range(len(is_in_clause)):
        for w in range(WORDS):
            true, false = holds[2 * variable, w], holds[2 * variable + 1, w]
            follows[w] &= true ^ false if is_in_clause[variable] else ~(true & false)


def compile_kernel(cache: bool) -> Any:
    """The function in machine code, from the cache where there is one."""
    return njit(cache=cache, nogil=True)(_imply)
