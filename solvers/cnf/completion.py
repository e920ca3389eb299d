"""The values of all variables of a model, from those of its key."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvers.cnf.lower import lower
from solvers.cnf.propagation import ParallelPropagation

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


class Completion:
    """The values of all variables of a model, as they follow from those of some, in many assignments at once.

    Raises `InputError` where the model has no lowering.
    """

    def __init__(self, model: CpModel, variables: Sequence[int], stop: Event) -> None:
        self._variables, self._stop = list(variables), stop
        self._lowering = lower(model, stop)
        formula = self._lowering.formula
        self._propagation = ParallelPropagation(formula.clauses, formula.variables)

    def rows(self, assignments: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Of each row of values, those of all the model's variables, and whether they follow: then they are a solution
        with these values, the only one but for variables of which nothing is said. Where they do not follow, there may
        be several or none.
        """
        given: dict[int, NDArray[np.bool_]] = {}
        for variable, values in zip(self._variables, assignments.T, strict=True):
            for literal, holds in self._lowering.numbers[variable].holding(values):
                given |= {literal: holds, -literal: ~holds}
        true, follows = self._propagation.values(given, len(assignments), self._stop)
        rows = self._lowering.rows(true)
        # What lies outside of a variable's domain is given as another value.
        return rows, follows & (rows[:, self._variables] == assignments).all(axis=1)
