"""A model with large numbers as clauses for CP-SAT, which loses solutions of such models: see `cp_sat_flaws`."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from ortools.sat.python.cp_model import CpModel

from solvers.backends.cp_sat_flaws import LinearSum, without_scheduling
from solvers.cnf.arithmetic import total
from solvers.cnf.gates import MOST_CLAUSES
from solvers.cnf.lower import lower
from solvers.errors import InputError, TooManyClausesError
from solvers.values import Values

MOST_IN_SUM = 2**50
"""Of sums of narrow variables with large weights that are held to one interval: see `cp_sat_flaws.greatest_sum`."""

MOST = 2**30
"""CP-SAT 9.15 was never seen to lose solutions of a model whose expressions are not beyond; see `cp_sat_flaws`."""


class Narrow:
    """A model of Booleans and clauses that has the solutions of another, one for one.

    Raises `InputError` for more than `gates.MOST_CLAUSES` clauses; `Stopped` once ``stop`` is set.

    >>> model = CpModel()
    >>> x = model.new_int_var(0, 2**50, "x")
    >>> _ = model.add(3 * x == 2**50 - 1)
    >>> narrow = Narrow(model, [x.index], LinearSum({}), threading.Event())
    >>> {ct.has_bool_or() for ct in narrow.model.proto.constraints}
    {True}
    """

    def __init__(self, model: CpModel, key: Sequence[int], objective: LinearSum, stop: threading.Event) -> None:
        self._variables = len(model.proto.variables)
        whole = model.clone()
        without_scheduling(whole)
        try:
            # OR-Tools may refuse what was rewritten: the sum of all domains is to be in 64 bits.
            self._lowering = lower(whole, stop, validate=False)
            decisive = self._lowering.projection(key)
            terms = self._lowering.sum(objective.coefficients, objective.coefficients.values())
            self._objective = total(self._lowering.formula, terms)
        except TooManyClausesError:
            raise InputError(
                f"CP-SAT 9.15 loses solutions where numbers go beyond {MOST}, and this model takes more than"
                f" {MOST_CLAUSES} clauses, which would do without numbers; give the variables smaller domains"
            ) from None
        self.key = sorted({abs(literal) - 1 for literal in decisive})
        """The Booleans that tell the values of the key."""
        self.model = CpModel()
        self._clauses = 0
        self._load()

    def literal(self, reference: int) -> int:
        """What stands for a reference to a Boolean of the model."""
        return self._reference(self._lowering.boolean(reference))

    def fixed(self, assignment: Mapping[int, int]) -> list[int]:
        """What has to be true where variables of the model have these values."""
        return [self._reference(self._lowering.literal(v, value)) for v, value in assignment.items()]

    def bits(self) -> list[int]:
        """The literals that make the objective greater, the weightiest first."""
        return [self._reference(bit) for bit in reversed(self._objective.bits)]

    def decoded(self, values: Sequence[int]) -> Values:
        """The value of each variable of the model."""
        return list(self._lowering.values([value or -1 for value in values]))[: self._variables]

    def _reference(self, literal: int) -> int:
        self._load()
        return literal - 1 if literal > 0 else literal

    def _load(self) -> None:
        """Add to the model what the formula has that is new."""
        formula, proto = self._lowering.formula, self.model.proto
        for _ in range(len(proto.variables), formula.variables):
            proto.variables.add().domain.extend([0, 1])
        for clause in formula.clauses[self._clauses :]:
            proto.constraints.add().bool_or.literals.extend([n - 1 if n > 0 else n for n in clause])
        self._clauses = len(formula.clauses)
