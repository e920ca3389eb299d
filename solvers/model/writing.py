"""The proto of a CpModel, written: sums held to domains, Booleans for values, objectives held to a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from solvers.base.errors import InputError
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
    """Adds variables and constraints to a CpModel; implements `solvers.model.decomposed.Writer`.

    Literals are in the proto's convention: i for variable i, -i - 1 for its negation.
    """

    def __init__(self, model: CpModel) -> None:
        """Store the model, to which the other methods add."""
        self.model = model

    def add_variable(self, low: int, high: int) -> LinearSum:
        """Add an integer variable with values from low to high, both included; return it as a sum."""
        return of_variable(self.model.new_int_var(low, high, "").index)

    def new_literal(self) -> int:
        """Add a Boolean variable; return its proto index, which is its positive literal."""
        return int(self.model.new_bool_var("").index)

    def range(self, total: LinearSum) -> tuple[int, int]:
        """Return (least, greatest): the bounds of a sum that follow from the domains of its variables."""
        domains = {v: domain_of(self.model.proto.variables[v]) for v in total.coefficients}
        return range_of(total, {v: (domain[0][0], domain[-1][1]) for v, domain in domains.items()})

    def clause(self, literals: Iterable[int]) -> None:
        """Require that at least one of the literals is true."""
        self.model.proto.constraints.add().bool_or.literals.extend(list(literals))

    def require(self, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
        """Require that the sum is in the domain, unless at least one literal of ``unless`` is true."""
        require(self.model.proto, total, domain, unless)

    def product(self, a: LinearSum, b: LinearSum, bounds: tuple[int, int], most: int) -> LinearSum:
        """Add a variable that equals the product of two sums; return it as a sum.

        Its values are limited to ``bounds``, and to at most ``most`` in absolute value.
        """
        result = self.add_variable(max(bounds[0], -most), min(bounds[1], most))
        arguments = self.model.proto.constraints.add().int_prod
        for place, factor in ((arguments.target, result), (arguments.exprs.add(), a), (arguments.exprs.add(), b)):
            place.vars.extend(list(factor.coefficients))
            place.coeffs.extend(list(factor.coefficients.values()))
            place.offset = factor.offset
        return result


def require(proto: Any, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
    """Add the constraint to a proto that a sum is in a domain.

    The constraint is not enforced where a literal of ``unless`` is true. The sum's offset is subtracted from the ends
    of the domain's intervals, which are clipped to 64 bits.
    """
    ct = proto.constraints.add()
    ct.enforcement_literal.extend(all_negated(unless))
    ct.linear.vars.extend(list(total.coefficients))
    ct.linear.coeffs.extend(list(total.coefficients.values()))
    ct.linear.domain.extend([min(max(end - total.offset, LEAST), GREATEST) for piece in domain for end in piece])


def value_literal(model: CpModel, variable: int, value: int) -> Any:
    """Return a Boolean of the model that is true iff a variable has a certain value.

    variable: its proto index. If it is Boolean, the value has to be 0 or 1, and the result is the variable itself or
    its negation; otherwise a new Boolean is added to the model. The result is OR-Tools' variable or its negation, for
    use in constraints.
    """
    int_var = model.get_int_var_from_proto_index(variable)
    if list(model.proto.variables[variable].domain) in ([0, 1], [0, 0, 1, 1]):
        return int_var if value else ~int_var
    has_value = model.new_bool_var("")
    model.add(int_var == value).only_enforce_if(has_value)
    model.add(int_var != value).only_enforce_if(~has_value)
    return has_value


def any_of(model: CpModel, literals: Sequence[Any]) -> Any:
    """Return a new Boolean of the model that is true iff at least one of the literals is.

    literals: OR-Tools' Boolean variables and their negations, not numbers.
    """
    result = model.new_bool_var("")
    model.add_bool_or(literals).only_enforce_if(result)
    model.add_bool_and([~literal for literal in literals]).only_enforce_if(~result)
    return result


def hold_assumptions(proto: Any) -> None:
    """Replace the assumptions of a proto by a constraint that all of them are true.

    CP-SAT itself uses assumptions only to explain why a model has no solution.
    """
    if assumptions := list(proto.assumptions):
        proto.constraints.add().bool_and.literals.extend(assumptions)
        proto.assumptions.clear()


def take_objective(proto: Any) -> LinearSum:
    """Remove the objective from a proto, and return the sum to minimise, without the objective's offset and scaling.

    An objective to maximise is negated: an integer objective by OR-Tools itself, a floating-point one here. A domain of
    the objective becomes a constraint. Without an objective the sum is empty.

    Raises `InputError` if a coefficient is not a whole number.
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
    """Remove the objective from a proto; do nothing if there is none."""
    proto.clear_objective()
    proto.clear_floating_point_objective()


def model_at_sum(model: CpModel, best: int | None, least: int | None = None) -> CpModel:
    """Return a copy of a model without its objective, in which the objective's sum has a given value.

    best: the value, or the greatest allowed value if ``least`` is given; None makes a copy without solutions. least:
    the least value that is allowed; None for ``best`` itself.

    The sum is that of `take_objective`: an objective to maximise is negated, and the offset is left out. Raises
    `InputError` if a coefficient of the objective is not a whole number.
    """
    model_held = model.clone()
    total = take_objective(model_held.proto)
    if best is None:
        model_held.add_bool_or([])
    else:
        require(model_held.proto, total, ((best if least is None else least, best),))
    return model_held


def model_at_value(model: CpModel, value: int | float) -> CpModel:
    """Return a copy of a model without its objective, in which the objective has this value.

    value: the value as the user sees it, with the objective's offset and scaling: scaling factor * (sum + offset), if
    its coefficients are integers. If the sum would have to be a fraction for this value, the copy has no constraint on
    it.

    Raises `InputError` if a coefficient of a floating-point objective is not a whole number.
    """
    proto = model.proto
    if proto.has_objective():
        objective = proto.objective
        # The sum that gives this value; 0 means that no factor is set.
        cost = Fraction(value) / Fraction(objective.scaling_factor or 1) - Fraction(objective.offset)
    else:
        floating = proto.floating_point_objective
        cost = (Fraction(value) - Fraction(floating.offset)) * (-1 if floating.maximize else 1)
    model_held = model.clone()
    total = take_objective(model_held.proto)
    if cost.denominator == 1:
        require(model_held.proto, total, ((int(cost), int(cost)),))
    return model_held
