"""Variables whose values follow from those of others by linear equations, one after another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.model.reading import EXACT_IN_INT64, LinearSum, domain_of, expression, terms_of

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


class Step(NamedTuple):
    """An equation by which the value of one variable follows: the sum of all its terms is 0."""

    variable: int
    """The proto index of the variable."""

    coefficient: int
    known: LinearSum
    """The other terms, whose values are known before."""


class Determined:
    """The variables of a model that linear equations determine, given the values of some variables.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, twice, more = (model.new_int_var(0, 9, name) for name in ("x", "twice", "more"))
    >>> _ = model.add(twice == 2 * x)
    >>> _ = model.add(twice + 1 == more)
    >>> determined = Determined(model, [0])
    >>> determined.are_all, determined.rows(np.array([[3], [4]]))
    (True, (array([[3, 6, 7],
           [4, 8, 9]]), array([ True,  True])))
    """

    def __init__(self, model: CpModel, given: Sequence[int]) -> None:
        """Find the equations; the model is not changed. given: the proto indices of the variables that are known.

        Variables with one value only are known, too. Each step of the result determines one more variable.
        """
        proto = model.clone().proto  # merely looking at a field of a proto may set it
        domains = [domain_of(variable) for variable in proto.variables]
        self._given = list(given)
        self._fixed = {v: domain[0][0] for v, domain in enumerate(domains) if domain[0][0] == domain[-1][1]}
        self._size = len(domains)
        ranges = [(domain[0][0], domain[-1][1]) for domain in domains]
        # Equations with too large numbers are left out, so that all arithmetic of `rows` is exact in 64 bits.
        exact = [equation for equation in _equations(proto) if _is_exact(equation, ranges)]
        self._steps = list(_steps(exact, {*given, *self._fixed}))
        self.are_all = len({*given, *self._fixed, *(step.variable for step in self._steps)}) == self._size
        """True if all variables of the model are known, determined or fixed by their domains."""

    def rows(self, assignments: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return (values of all variables, whether they are whole numbers): a row and an entry for each assignment.

        If they are not whole numbers, the assignment has no solution, and the row means nothing. Otherwise it may still
        have none: no rule but the equations is looked at, nor the domains. assignments: the values of the given
        variables, a row for each assignment.
        """
        rows = np.zeros((len(assignments), self._size), np.int64)
        rows[:, list(self._fixed)] = list(self._fixed.values())
        rows[:, self._given] = assignments
        are_whole = np.ones(len(rows), np.bool_)
        for variable, coefficient, known in self._steps:  # coefficient * variable + known = 0
            total = rows[:, list(known.coefficients)] @ np.array([*known.coefficients.values()], np.int64)
            rows[:, variable], remainder = np.divmod(-total - known.offset, coefficient)
            are_whole &= remainder == 0
        return rows, are_whole


def _equations(proto: Any) -> Iterator[LinearSum]:
    """Yield sums that are 0 in every solution of a model: from linear equations, and from start + size = end.

    proto: the proto of the model. Constraints with enforcement literals are left out.
    """
    for constraint in proto.constraints:
        if len(constraint.enforcement_literal):
            continue
        if constraint.has_linear():
            domain = list(constraint.linear.domain)
            if len(domain) == 2 and domain[0] == domain[1]:
                yield terms_of(constraint.linear) - LinearSum({}, domain[0])
        elif constraint.has_interval():
            interval = constraint.interval
            yield expression(interval.start) + expression(interval.size) - expression(interval.end)


def _is_exact(equation: LinearSum, ranges: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a sum and all its parts can be computed in 64 bits, where no variable leaves its domain.

    ranges: the least and the greatest value of each variable.
    """
    sizes = (abs(c) * max(map(abs, ranges[v])) for v, c in equation.coefficients.items())
    return abs(equation.offset) + sum(sizes) < EXACT_IN_INT64


def _steps(equations: Iterable[LinearSum], known: Collection[int]) -> Iterator[Step]:
    """Yield steps by which the equations determine further variables, in an order in which each can be taken.

    equations: sums that are 0. known: the variables that are known before. An equation is ready once only one of its
    variables is unknown. When this variable is determined, it is removed from the unknown variables of all equations,
    which may make others ready.
    """
    all_equations = list(equations)
    unknown = [set(equation.coefficients).difference(known) for equation in all_equations]  # of each equation
    equations_with: dict[int, list[int]] = defaultdict(list)
    for number, variables in enumerate(unknown):
        for variable in variables:
            equations_with[variable].append(number)
    ready = [number for number, variables in enumerate(unknown) if len(variables) == 1]
    while ready:
        number = ready.pop()
        equation = all_equations[number]
        if len(unknown[number]) != 1:  # another equation has determined it
            continue
        (variable,) = unknown[number]
        others = {v: c for v, c in equation.coefficients.items() if v != variable}
        yield Step(variable, equation.coefficients[variable], LinearSum(others, equation.offset))
        for other in equations_with[variable]:
            unknown[other].discard(variable)
            if len(unknown[other]) == 1:
                ready.append(other)
