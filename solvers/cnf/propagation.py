"""Unit propagation in many assignments at once, by compiled code in which bit k represents assignment k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from threading import Event

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import Stopped
from solvers.cnf.propagation_kernel import WORDS
from solvers.model.compiled import Native, Recipe, native

ASSIGNMENTS_PER_CALL = 64 * WORDS
"""The number of assignments that the compiled function takes at once."""


class ParallelPropagation:
    """Unit propagation of clauses in many assignments at a time.

    >>> propagation = ParallelPropagation([[1], [-2, 3], [2, 3, -4]], 4)
    >>> given = {2: [1, 1, 0], -2: [0, 0, 1], 4: [1, 0, 1], -4: [0, 1, 0]}
    >>> true, follows = propagation.values({literal: np.array(known) > 0 for literal, known in given.items()}, 3)
    >>> true.astype(int).tolist(), follows.tolist()
    ([[1, 1, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1]], [True, True, True])
    """

    def __init__(self, clauses: Sequence[Sequence[int]], variables: int) -> None:
        """Store the clauses in the form of the compiled code.

        clauses: literals as in DIMACS, i for variable i and -i for its negation. variables: the number of variables.
        """
        self._imply = kernel()
        self.variables = variables
        sizes = np.fromiter(map(len, clauses), np.int64, len(clauses))
        signed = np.fromiter(chain.from_iterable(clauses), np.int64, sizes.sum())
        literals = 2 * (np.abs(signed) - 1) + (signed < 0)  # from 0: two for each variable, the positive one first
        numbers = np.repeat(np.arange(len(clauses)), sizes)
        uses = np.bincount(literals, minlength=2 * variables)
        # Lists of lists as two arrays: where each inner list begins, and all entries.
        self._clauses = np.concatenate([[0], np.cumsum(sizes)]), literals
        """The literals of each clause."""
        self._uses = np.concatenate([[0], np.cumsum(uses)]), numbers[np.argsort(literals, kind="stable")]
        """For each literal, the numbers of the clauses that hold it."""
        self._is_in_clause = uses.reshape(variables, 2).any(axis=1)  # the two literals of a variable are neighbours
        """For each variable, whether some clause has it."""

    def values(
        self, given: Mapping[int, NDArray[np.bool_]], assignments: int, stop: Event | None = None
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Propagate units in many assignments at once; return (truth values, whether they follow).

        The truth values have a row for each variable, from variable 1 on, and a column for each assignment. The values
        follow in an assignment if propagation decides every variable that is in a clause, without contradiction.

        given: for each known literal, as in DIMACS, in which assignments it is true. assignments: their number.

        The compiled code takes 64 * `WORDS` assignments at once. Assignment k of these is bit k of the ``holds`` of a
        literal, which says whether the literal is true in it. Raises `Stopped` once ``stop`` is set.
        """
        first_literal, literals = self._clauses
        first_use, uses = self._uses
        # As in the compiled code, 2 v is variable v, counted from 0, and 2 v + 1 its negation.
        known = np.array([2 * (abs(literal) - 1) + (literal < 0) for literal in given], np.int64)
        masks = np.array([*given.values()], np.bool_).reshape(len(given), assignments)
        true = np.empty((self.variables, assignments), np.bool_)
        follows = np.empty(assignments, np.bool_)
        # Room for the compiled code to work in; what is in it before and after a call does not matter.
        is_waiting = np.empty(len(first_literal) - 1, np.bool_)  # a truth value of each clause
        scratch = np.empty((2, WORDS), np.uint64)
        for start in range(0, assignments, ASSIGNMENTS_PER_CALL):
            if stop and stop.is_set():
                raise Stopped
            part = slice(start, min(assignments, start + ASSIGNMENTS_PER_CALL))
            holds = np.zeros((2 * self.variables, WORDS), np.uint64)
            bits = np.packbits(masks[:, part], axis=1, bitorder="little")
            holds.view(np.uint8)[known, : bits.shape[1]] = bits
            all_follow = np.empty((1, WORDS), np.uint64)
            self._imply(
                first_literal, literals, first_use, uses, self._is_in_clause, holds, all_follow[0], is_waiting, scratch
            )
            size = part.stop - part.start
            true[:, part] = _bits(holds[::2], size)
            follows[part] = _bits(all_follow, size)[0]
        return true, follows


def _bits(words: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Return the first ``count`` bits of each row of 64-bit words, the lowest bit of a word first."""
    packed = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(packed, axis=1, count=count, bitorder="little").view(np.bool_)


@cache
def kernel() -> Native:
    """Return `solvers.cnf.propagation_kernel.imply` in machine code."""
    numbers, flags, words = np.zeros(1, np.int64), np.zeros(1, np.bool_), np.zeros((2, WORDS), np.uint64)
    like = numbers, numbers, numbers, numbers, flags, words, words[0], flags, words
    (imply,) = native(Recipe("solvers.cnf.propagation_kernel", "imply", like))
    return imply
