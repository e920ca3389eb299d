"""The values of all variables of a model, from those of its key."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cnf.propagation import ParallelPropagation


class Completion:
    """Finds the values of all variables of a model from those of its key, by unit propagation.

    It does so in many assignments at once.
    """

    def __init__(self, lowering: Any, variables: Sequence[int], stop: Event) -> None:
        """Prepare unit propagation.

        lowering: the model lowered to clauses. variables: proto indices of the key. stop: ends the work when set.
        """
        self._variables, self._stop, self._lowering = list(variables), stop, lowering
        formula = self._lowering.formula
        self._propagation = ParallelPropagation(formula.clauses, formula.variables)

    def rows(self, assignments: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return (values of all variables, whether they follow): a row and an entry for each assignment.

        assignments: the values of the key variables, a row for each assignment, a column for each variable.

        The values follow if unit propagation determines them all. Such a row is a solution; it is the only one with
        these key values, except for variables that no rule mentions. The content of the other rows means nothing: the
        assignment may have no solution, or several.
        """
        given = self._lowering.truth_values(self._variables, assignments)
        true, follows = self._propagation.values(given, len(assignments), self._stop)
        rows = self._lowering.rows(true)
        # A given value outside of its variable's domain comes back as another; such an assignment has no solution.
        return rows, follows & (rows[:, self._variables] == assignments).all(axis=1)
