"""The proto of a CpModel, written: sums held to domains, Booleans for values, objectives held to a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from solvers.errors import InputError
from solvers.model.reading import (
    Domain,
    LinearSum,
    all_negated,
    domain_of,
    linear_sum,
    of_variable,
    range_of,
    terms_of,
)

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

LEAST, GREATEST = -(2**63), 2**63 - 1
"""The bounds that mean "unbounded" in domains of cp_model.proto."""


class ModelWriter:
    """Adds variables and constraints to a model; see `solvers.model.decomposed.Writer`."""

    def __init__(self, model: CpModel) -> None:
        self.model = model

    def new(self, low: int, high: int) -> LinearSum:
        """A new variable."""
        return of_variable(self.model.new_int_var(low, high, "").index)

    def new_literal(self) -> int:
        """A new Boolean."""
        return int(self.model.new_bool_var("").index)

    def range(self, total: LinearSum) -> tuple[int, int]:
        """Return the least and the greatest value that a sum can have, given the domains of its variables."""
        domains = {v: domain_of(self.model.proto.variables[v]) for v in total.coefficients}
        return range_of(total, {v: (domain[0][0], domain[-1][1]) for v, domain in domains.items()})

    def clause(self, literals: Iterable[int]) -> None:
        """Require that one of the literals is true."""
        self.model.proto.constraints.add().bool_or.literals.extend(list(literals))

    def require(self, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
        """Require that the sum lies in the domain unless one of the literals is true."""
        require(self.model.proto, total, domain, unless)

    def product(self, a: LinearSum, b: LinearSum, bounds: tuple[int, int], most: int) -> LinearSum:
        """The product of two sums, as a new variable."""
        result = self.new(max(bounds[0], -most), min(bounds[1], most))
        arguments = self.model.proto.constraints.add().int_prod
        for place, one in ((arguments.target, result), (arguments.exprs.add(), a), (arguments.exprs.add(), b)):
            place.vars.extend(list(one.coefficients))
            place.coeffs.extend(list(one.coefficients.values()))
            place.offset = one.offset
        return result


def require(proto: Any, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
    """Require that a sum lies in the domain unless one of the literals is true."""
    ct = proto.constraints.add()
    ct.enforcement_literal.extend(all_negated(unless))
    ct.linear.vars.extend(list(total.coefficients))
    ct.linear.coeffs.extend(list(total.coefficients.values()))
    ct.linear.domain.extend([min(max(end - total.offset, LEAST), GREATEST) for piece in domain for end in piece])


def value_literal(model: CpModel, variable: int, value: int) -> Any:
    """A Boolean that is true iff the variable has the value; it is added unless the variable is a Boolean itself."""
    own = model.get_int_var_from_proto_index(variable)
    if list(model.proto.variables[variable].domain) in ([0, 1], [0, 0, 1, 1]):
        return own if value else ~own
    holds = model.new_bool_var("")
    model.add(own == value).only_enforce_if(holds)
    model.add(own != value).only_enforce_if(~holds)
    return holds


def any_of(model: CpModel, literals: Sequence[Any]) -> Any:
    """A new Boolean that is true iff one of the literals is."""
    result = model.new_bool_var("")
    model.add_bool_or(literals).only_enforce_if(result)
    model.add_bool_and([~literal for literal in literals]).only_enforce_if(~result)
    return result


def hold_assumptions(proto: Any) -> None:
    """Say as a constraint what CP-SAT takes for a mere question."""
    if assumptions := list(proto.assumptions):
        proto.constraints.add().bool_and.literals.extend(assumptions)
        proto.assumptions.clear()


def take_objective(proto: Any) -> LinearSum:
    """Remove the objective, keep its domain as a constraint, and return the sum that was to be minimised.

    Raises `InputError` where a coefficient is not whole.
    """
    total = LinearSum({})
    if proto.has_objective():
        total = terms_of(proto.objective)
        if domain := domain_of(proto.objective):
            require(proto, total, domain)
    elif proto.has_floating_point_objective():
        floating = proto.floating_point_objective
        for coefficient in floating.coeffs:
            if not coefficient.is_integer():
                raise InputError(
                    f"the objective has the coefficient {coefficient}, and only whole ones are exact; "
                    "multiply the objective by a number that makes all of them whole"
                )
        total = linear_sum(floating.vars, map(int, floating.coeffs)).times(-1 if floating.maximize else 1)
    drop_objective(proto)
    return total


def drop_objective(proto: Any) -> None:
    """Remove the objective, if there is one."""
    proto.clear_objective()
    proto.clear_floating_point_objective()


def held_to(model: CpModel, best: int | None, least: int | None = None) -> CpModel:
    """A copy without its objective, whose sum has this value, or lies between ``least`` and it.

    The copy has no solution if the value is None.
    """
    held = model.clone()
    total = take_objective(held.proto)
    if best is None:
        held.add_bool_or([])
    else:
        require(held.proto, total, ((best if least is None else least, best),))
    return held


def held_to_value(model: CpModel, value: int | float) -> CpModel:
    """A copy without its objective, held to a value of the objective as it is declared.

    Not held, where the coefficients of a floating-point objective are not whole.
    """
    proto = model.proto
    if proto.has_objective():
        objective = proto.objective
        cost = Fraction(value) / Fraction(objective.scaling_factor or 1) - Fraction(objective.offset)
    else:
        floating = proto.floating_point_objective
        cost = (Fraction(value) - Fraction(floating.offset)) * (-1 if floating.maximize else 1)
    held = model.clone()
    try:
        total = take_objective(held.proto)
    except InputError:
        drop_objective(held.proto)
        return held
    if cost.denominator == 1:
        require(held.proto, total, ((int(cost), int(cost)),))
    return held
