"""What the backends of SAT solvers share: the search for the best value, and the extension of assignments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from solvers.backends.protocol import Task, ignore
from solvers.base.values import Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solvers.cnf.lower import Lowering


class ByClauses(ABC):
    """A backend that asks a SAT solver for models of a lowered model, with literals that hold."""

    def __init__(self, lowering: Lowering, task: Task) -> None:
        """Begin without what is known of the best value; lowering: the formula of the task's model."""
        self.lowering = lowering
        self.stop = task.stop
        self.literal = cache(lowering.literal)
        self.held: list[int] = []
        """The literals of the formula that hold the objective to its best value."""

    @abstractmethod
    def solve(self, assumptions: Sequence[int]) -> NDArray[np.bool_] | None:
        """Return, for each variable of the formula, whether it is true in a model; None if there is no model.

        assumptions: literals of the formula that have to hold. Variables that the solver does not know are False.
        Raises `Stopped` once the event is set.
        """

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Return the least value of the objective, and hold the model to it; see `Backend.optimum`.

        improved: called with the values of all variables in each better solution.

        It decides the bits of the objective one by one, the most significant first.
        """
        objective = self.lowering.objective
        assert objective is not None
        true = self.solve([])
        if true is None:
            return None
        improved(self.lowering.rows(true[:, None])[0])
        for bit in reversed(objective.bits):
            if literal_truths(true, bit):
                better = self.solve([*self.held, -bit])
                self.held.append(bit if better is None else -bit)
                if better is not None:
                    true = better
                    improved(self.lowering.rows(true[:, None])[0])
            else:
                self.held.append(-bit)
        return objective.value([v if holds else -v for v, holds in enumerate(true.tolist(), 1)])

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, a solution that agrees with it, or None; see `Backend.extend`.

        assignments: the values of some variables in each, by proto index.
        """
        literals = ([self.literal(variable, value) for variable, value in fixed.items()] for fixed in assignments)
        solved = map(self.solve, literals)
        return [None if true is None else self.lowering.rows(true[:, None])[0] for true in solved]


def literal_truths(true: NDArray[np.bool_], literals: Any) -> Any:
    """Tell whether literals of the formula hold, one or an array of them.

    true: for each variable of the formula, from variable 1 on, whether it is true.
    """
    return true[abs(literals) - 1] == (literals > 0)
