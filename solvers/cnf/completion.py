"""The values of all variables of a model, from those of its key."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cnf.propagation import ParallelPropagation


class Completion:
    """The values of all variables of a model, as they follow from those of some, in many assignments at once."""

    def __init__(self, lowering: Any, variables: Sequence[int], stop: Event) -> None:
        self._variables, self._stop, self._lowering = list(variables), stop, lowering
        formula = self._lowering.formula
        self._propagation = ParallelPropagation(formula.clauses, formula.variables)

    def rows(self, assignments: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Extend each row of key values to all variables of the model, and tell which rows follow: these are solutions
        with these values, the only ones but for variables of which nothing is said. Other rows may have several
        solutions or none."""
        given: dict[int, NDArray[np.bool_]] = {}
        for variable, values in zip(self._variables, assignments.T, strict=True):
            for literal, holds in self._lowering.numbers[variable].holding(values):
                given |= {literal: holds, -literal: ~holds}
        true, follows = self._propagation.values(given, len(assignments), self._stop)
        rows = self._lowering.rows(true)
        # What lies outside of a variable's domain is given as another value.
        return rows, follows & (rows[:, self._variables] == assignments).all(axis=1)
