"""Unit propagation in many assignments at once: whole numbers are masks, in which bit k stands for assignment k."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


class ParallelPropagation:
    """What follows from clauses in each of many assignments.

    >>> propagation = ParallelPropagation([[1], [-2, 3], [2, 3, -4]], 4)
    >>> true, follows = propagation.values({2: 0b011, -2: 0b100, 4: 0b101, -4: 0b010}, 3)
    >>> true.astype(int).tolist(), follows.tolist()
    ([[1, 1, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1]], [True, True, True])
    """

    def __init__(self, clauses: Sequence[Sequence[int]], variables: int) -> None:
        self.variables = variables
        self._clauses = clauses
        self._holding: list[list[int]] = [[] for _ in range(2 * variables + 1)]
        for number, clause in enumerate(clauses):
            for literal in clause:
                self._holding[literal].append(number)
        self._is_in_clause = np.array([[bool(self._holding[v] or self._holding[-v])] for v in range(1, variables + 1)])

    def values(self, given: Mapping[int, int], assignments: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each variable is true, a row for each variable and a column for each assignment; and in which
        assignments that follows, without contradiction, for all of them that are in a clause.

        ``given`` has the mask of each literal that is known.
        """
        holds = self._implied(given, (1 << assignments) - 1)
        positive, negative = holds[1 : self.variables + 1], holds[: self.variables : -1]
        true = _bits(positive, assignments)
        is_free = ~(true | self._is_in_clause)
        return true, np.all(is_free | (true != _bits(negative, assignments)), axis=0)

    def _implied(self, given: Mapping[int, int], everywhere: int) -> list[int]:
        """In which assignments each literal holds, at the literal's own place: that of a negative one is at the end."""
        holds = [0] * (2 * self.variables + 1)
        for literal, mask in given.items():
            holds[literal] = mask
        waiting: Iterable[int] = range(len(self._clauses))
        is_first_round = True
        while waiting:
            changed = set[int]()
            for number in waiting:
                clause = self._clauses[number]
                none_open, one_open = everywhere, 0
                for literal in clause:
                    false = holds[-literal]
                    one_open = one_open & false | none_open & ~false
                    none_open &= false
                holds[clause[0]] |= none_open
                if one_open:
                    for literal in clause:
                        new = one_open & ~(holds[literal] | holds[-literal])
                        if new:
                            holds[literal] |= new
                            touched = self._holding[-literal]
                            changed.update(touched[: bisect(touched, number)] if is_first_round else touched)
            waiting, is_first_round = sorted(changed), False
        return holds


def _bits(masks: Sequence[int], count: int) -> NDArray[np.bool_]:
    """A row for each mask."""
    width = (count + 7) // 8
    data = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in masks), np.uint8)
    return np.unpackbits(data.reshape(len(masks), width), axis=1, count=count, bitorder="little").astype(np.bool_)
