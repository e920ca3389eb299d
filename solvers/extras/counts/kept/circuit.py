"""All solutions as sums and products of inputs: a smooth d-DNNF, of which a question is one pass.

An input is in some of the solutions, as an option of a cover or a literal of a formula is. A node is a sum of terms,
and a term is the product of two factors, which are inputs or earlier nodes. Read as sets of solutions, a sum is a
disjoint union, and the factors of a product share no input. So each solution is counted once (A. Darwiche, "On the
Tractable Counting of Theory Models", Journal of Applied Non-Classical Logics, 2001).
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import InputError

Numbers = NDArray[Any]

MAX_MACHINE_NUMBER = 2**62
"""Counts beyond are added as Python's own numbers, which is slower."""

MAX_SUM_BYTES = 2**32
"""The most memory for the numbers of solutions by a sum, of all nodes."""


class Circuit:
    """A graph of sums of products whose last node has all solutions.

    Factors are numbered: first the inputs, then the constant, then the nodes, level by level, so that factors have
    lower numbers than what they are factors of. In all methods, ``allowed`` has 1 for each input that may be in a
    solution and 0 for the others.
    """

    def __init__(
        self, inputs: int, left: Numbers, right: Numbers, starts: Numbers, levels: Numbers, total: int
    ) -> None:
        """Store the terms, ordered by node.

        inputs: their number. left, right: the two factors of each term. starts: the first term of each node, and the
        number of terms at the end. levels: the first node of each level, and the number of nodes at the end; a level
        has no factors of its own. total: the number of all solutions.
        """
        self.inputs, self.left, self.right, self.starts, self.levels = inputs, left, right, starts, levels
        self.total = total
        self._kind = np.int64 if total < MAX_MACHINE_NUMBER else object

    @property
    def _levels(self) -> list[tuple[slice, slice, Numbers]]:
        """Return for each level (its factors' numbers, its terms, the first of these of each node, from 0)."""
        bounds, first = self.levels.tolist(), self.inputs + 1
        return [
            (
                slice(first + begin, first + end),
                slice(int(self.starts[begin]), int(self.starts[end])),
                self.starts[begin:end] - self.starts[begin],
            )
            for begin, end in pairwise(bounds)
        ]

    def _values(self, weights: Numbers, add: np.ufunc = np.add, times: np.ufunc = np.multiply, one: int = 1) -> Numbers:
        """Return the value of each factor, in any semiring.

        weights: those of the inputs. add, times, one: the semiring's operations, and its 1.
        """
        values = np.zeros(self.inputs + len(self.starts), dtype=weights.dtype)
        values[: self.inputs] = weights
        values[self.inputs] = one if self.total else 0
        for factors, terms, firsts in self._levels:
            values[factors] = add.reduceat(times(values[self.left[terms]], values[self.right[terms]]), firsts)
        return values

    def _counts(self, allowed: Numbers) -> Numbers:
        """Return the number of ways to make each factor of allowed inputs."""
        return self._values(allowed.astype(self._kind))

    def count(self, allowed: Numbers) -> int:
        """Return the number of solutions all of whose inputs are allowed."""
        return int(self._counts(allowed)[-1])

    def uses(self, allowed: Numbers) -> list[int]:
        """Return, for each input, the number of solutions that contain it, and whose inputs are all allowed."""
        values = self._counts(allowed)
        contexts = np.zeros_like(values)  # the ways to complete each factor to a solution
        contexts[-1] = 1
        for factors, terms, firsts in reversed(self._levels):
            left, right = self.left[terms], self.right[terms]
            of_term = np.repeat(contexts[factors], np.diff(firsts, append=len(left)))
            np.add.at(contexts, left, of_term * values[right])
            np.add.at(contexts, right, of_term * values[left])
        uses: list[int] = (contexts[: self.inputs] * values[: self.inputs]).tolist()
        return uses

    def sample(self, allowed: Numbers, count: int, seed: int) -> list[list[int]]:
        """Draw solutions of allowed inputs uniformly at random; return the inputs of each.

        The list is empty if there is no solution. count: how many to draw, with repetition.
        """
        values, rng, nodes = self._counts(allowed), random.Random(seed), self.inputs + 1
        drawn: list[list[int]] = []
        for _ in range(count if values[-1] else 0):
            open_factors, taken = [len(values) - 1], list[int]()
            while open_factors:
                factor = open_factors.pop()
                if factor < self.inputs:
                    taken.append(factor)
                elif factor >= nodes:
                    first, end = self.starts[factor - nodes : factor - nodes + 2].tolist()
                    left, right = self.left[first:end], self.right[first:end]
                    bounds = list(accumulate((values[left] * values[right]).tolist()))
                    term = bisect_right(bounds, rng.randrange(bounds[-1]))
                    open_factors += [int(right[term]), int(left[term])]
            drawn.append(taken)
        return drawn

    def by_sum(self, allowed: Numbers, weights: Sequence[int]) -> dict[int, int]:
        """Return the number of solutions of allowed inputs by the sum of their weights, each at least 0.

        weights: of each input. The numbers by sum are the coefficients of a polynomial. It is evaluated at a power of
        two above all of them, so that they are the digits of its value (L. Kronecker). Raises `InputError` if that
        takes too much memory.
        """
        size = -(-self.total.bit_length() // 8)
        largest = self._values(np.array(weights, dtype=np.float64), np.maximum, np.add, 0)
        if largest.sum() * size > MAX_SUM_BYTES:
            raise InputError("the sums of this property are too large to count solutions by them; take smaller numbers")
        powers = [may << 8 * size * weight for may, weight in zip(allowed.tolist(), weights, strict=True)]
        value = int(self._values(np.array(powers, dtype=object))[-1])
        digits = value.to_bytes((value.bit_length() + 7) // 8, "little")
        counts = (int.from_bytes(digits[at : at + size], "little") for at in range(0, len(digits), max(1, size)))
        return {number: count for number, count in enumerate(counts) if count}


class KeptCircuit(NamedTuple):
    """All solutions of a puzzle, with what its key means to their circuit."""

    circuit: Circuit
    literals: Sequence[int]
    """For each literal of the key, n + 1 if it is true iff input n is in the solution, -(n + 1) if iff it is not.

    The input that follows the last one is in every solution.
    """
    choices: Sequence[Sequence[int]]
    """Sets of inputs exactly one of which is in each solution."""
