"""The compiled part of unit propagation in many assignments at once.

They are bits, `WORDS` words at a time.
"""

import numpy as np

WORDS = 4
"""The number of words that one instruction of today's processors (AVX2) handles."""


def imply(first, literals, first_use, uses, is_in_clause, holds, follows, is_waiting, scratch):
    """Propagate units in 64 * `WORDS` assignments at once.

    Literal 2 v is variable v, literal 2 v + 1 its negation. An array "with a bit for each assignment" has `WORDS` words
    of 64 bits, and all assignments are computed by operations on whole words. Clauses wait until they are looked at; a
    clause waits again once one of its literals becomes false in some assignment.

    first, literals: the literals of clause n are literals[first[n]] up to, not including, literals[first[n + 1]].

    first_use, uses: likewise, for each literal, the numbers of the clauses that hold it.

    is_in_clause: for each variable, whether a clause holds it or its negation.

    holds: for each literal, a bit for each assignment in which it is known to be true; what follows is added.

    follows: overwritten with a bit for each assignment in which all variables that are in a clause follow, without
    contradiction.

    is_waiting, scratch: room for a truth value of each clause, and for two rows of `WORDS` words.

    Returns 0.
    """
    clauses = len(first) - 1
    is_waiting[:] = True
    # A bit for each assignment: whether, of a clause's literals so far, exactly one is not false, or none.
    one_open, none_open = scratch[0], scratch[1]
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
            candidates = np.uint64(0)
            for w in range(WORDS):
                # No literal can be true: noted as a contradiction, where a literal and its negation hold.
                holds[literals[first[number]], w] |= none_open[w]
                candidates |= one_open[w]
            if not candidates:
                continue
            for place in range(first[number], first[number + 1]):
                literal = literals[place]
                is_new = np.uint64(0)
                for w in range(WORDS):
                    # Where it is undecided, it is the one literal that is not false.
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
    return 0
