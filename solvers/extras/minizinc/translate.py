"""FlatZinc as a CP-SAT model, with the variables that it outputs.

What is said to be equal becomes one variable. Every variable besides those declared is determined by these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain, IntVar, LinearExpr

from solvers.extras.minizinc.bounds import narrowed
from solvers.extras.minizinc.syntax import FlatZinc, Ranges, Variable

EQUALITIES = ("int_eq", "bool_eq", "bool2int")


class Translation:
    """A CP-SAT model in the making; what the arguments of constraints are in it.

    >>> from solvers.extras.minizinc.syntax import parsed
    >>> flat = parsed("var bool: b; var int: x; constraint bool2int(b, x); solve satisfy;")
    >>> translation = Translation(flat)
    >>> translation.integer(flat.variables[0]) is translation.integer(flat.variables[1])
    True
    """

    def __init__(self, flat: FlatZinc) -> None:
        """Unite what is equal; ValueError where a constraint has arguments of another kind."""
        self.model = CpModel()
        self._same: dict[Variable, Variable] = {}
        self._domains: dict[Variable, Ranges] = {variable: variable.domain for variable in flat.variables}
        self._variables: dict[Variable, IntVar] = {}
        self._constants: dict[int, IntVar] = {}
        self._literals: dict[tuple[int, int], IntVar] = {}
        self.rest = [call for call in flat.constraints if not (call.name in EQUALITIES and self._unite(call.arguments))]
        """The constraints that say more than that two variables are one."""
        for call in self.rest:
            if call.name == "set_in" and isinstance(call.arguments[0], Variable):
                self._narrow(call.arguments[0], call.arguments[1])
            elif call.name in ("int_div", "int_mod") and isinstance(call.arguments[1], Variable):
                self._narrow(call.arguments[1], Ranges(((0, 0),)).complement())
        for variable, domain in narrowed(self.rest, self.domain, self.root).items():
            self._narrow(variable, domain)

    def root(self, variable: Variable) -> Variable:
        """The one that stands for it and for what is equal."""
        while variable in self._same:
            variable = self._same[variable]
        return variable

    def domain(self, variable: Variable) -> Ranges:
        return self._domains[self.root(variable)]

    def _narrow(self, variable: Variable, domain: Ranges) -> None:
        self._domains[self.root(variable)] = self.domain(variable) & domain

    def _unite(self, arguments: Sequence[Any]) -> bool:
        """Take two variables for one, or a variable for a constant; whether that could be done."""
        variables = [self.root(one) for one in arguments if isinstance(one, Variable)]
        constants = [int(one) for one in arguments if isinstance(one, int)]
        if len(variables) + len(constants) != 2 or not variables:
            return False
        for constant in constants:
            self._narrow(variables[0], Ranges(((constant, constant),)))
        if len(variables) == 2 and variables[0] is not variables[1]:
            one, other = variables
            if not one.is_boolean and other.is_boolean:
                one, other = other, one
            self._narrow(one, self._domains[other])
            self._same[other] = one
        return True

    def integer(self, argument: Any) -> IntVar | int:
        """A variable or a constant; a Boolean is 0 or 1."""
        if isinstance(argument, Variable):
            return self.variable(argument)
        if isinstance(argument, int):
            return int(argument)
        raise ValueError("an argument is neither an integer nor a Boolean")

    def variable(self, variable: Variable) -> IntVar:
        """The variable of the model; ValueError if nothing bounds it."""
        root = self.root(variable)
        if root not in self._variables:
            domain = self._domains[root]
            if not domain:
                self.model.add_bool_or([])
                domain = Ranges(((0, 0),))
            if domain.size > 2**60:
                raise ValueError(f"nothing bounds {variable.name}; declare it as a range, such as -1000..1000")
            self._variables[root] = self.model.new_int_var_from_domain(as_domain(domain), root.name)
        return self._variables[root]

    def integers(self, arguments: Iterable[Any]) -> list[IntVar | int]:
        return list(map(self.integer, arguments))

    def bounds(self, argument: Any) -> tuple[int, int]:
        """The least and the greatest value."""
        if not isinstance(argument, Variable):
            return int(argument), int(argument)
        domain = self.domain(argument)
        return (domain.low, domain.high) if domain else (0, 0)

    def new(self, low: int, high: int) -> IntVar:
        """A variable that constraints have to determine."""
        return self.model.new_int_var(low, high, "")

    def constant(self, value: int) -> IntVar:
        """A variable with one value only."""
        if value not in self._constants:
            self._constants[value] = self.model.new_constant(value)
        return self._constants[value]

    def literal(self, argument: Any) -> Any:
        """A Boolean, as constraints over literals take it."""
        whole = self.integer(argument)
        return whole if isinstance(whole, IntVar) else self.constant(whole)

    def literals(self, arguments: Iterable[Any]) -> list[Any]:
        return list(map(self.literal, arguments))

    def equals(self, argument: Any, value: Any) -> Any:
        """The literal that says that an argument has a value, which may be a variable too."""
        one, other = self.integer(argument), self.integer(value)
        if isinstance(one, int):
            one, other = other, one
        if isinstance(one, int):
            return self.constant(int(one == other))
        if not isinstance(other, int):
            return self.holds(LinearExpr.weighted_sum([one, other], [1, -1]), Domain(0, 0))
        domain = self.domain_of(one)
        if not domain.contains(other):
            return self.constant(0)
        if domain.size() == 1:
            return self.constant(1)
        if domain.min() >= 0 and domain.max() <= 1:
            return one if other else ~one
        if (one.index, other) not in self._literals:
            self._literals[one.index, other] = self.holds(one, Domain(other, other))
        return self._literals[one.index, other]

    def name_equality(self, argument: Any, value: Any, literal: Any) -> bool:
        """Let this literal say that the argument has the value; whether that says it all."""
        whole, named = self.integer(argument), self.integer(literal)
        if isinstance(whole, int) or isinstance(named, int) or isinstance(value, Variable):
            return False
        domain = self.domain_of(whole)
        value = int(value)
        if domain.size() < 3 or not domain.contains(value) or (whole.index, value) in self._literals:
            return False
        self._literals[whole.index, value] = named
        self._say(whole, Domain(value, value), named)
        return True

    @staticmethod
    def domain_of(variable: IntVar) -> Domain:
        return Domain.from_flat_intervals(list(variable.proto.domain))

    def holds(self, expression: Any, domain: Domain) -> Any:
        """A literal that says whether the expression lies in the domain."""
        literal = self.model.new_bool_var("")
        self._say(expression, domain, literal)
        return literal

    def _say(self, expression: Any, domain: Domain, literal: Any) -> None:
        self.model.add_linear_expression_in_domain(expression, domain).only_enforce_if(literal)
        self.model.add_linear_expression_in_domain(expression, domain.complement()).only_enforce_if(~literal)

    def linear(self, coefficients: Iterable[int], arguments: Iterable[Any]) -> tuple[Any, int]:
        """A sum of coefficients times arguments, as an expression and a constant."""
        terms: dict[int, tuple[IntVar, int]] = {}
        constant = 0
        for coefficient, argument in zip(coefficients, arguments, strict=True):
            whole = self.integer(argument)
            if isinstance(whole, int):
                constant += coefficient * whole
            else:
                terms[whole.index] = whole, terms.get(whole.index, (whole, 0))[1] + coefficient
        some = [term for term in terms.values() if term[1]]
        return LinearExpr.weighted_sum([one for one, _ in some], [coefficient for _, coefficient in some]), constant

    def shown(self, elements: Iterable[Variable | int], numbers: Mapping[Variable, int]) -> list[int]:
        """The values of what is output, by the numbers of the variables."""
        return [numbers[self.root(one)] if isinstance(one, Variable) else int(one) for one in elements]


def as_domain(ranges: Ranges) -> Domain:
    """Convert a set of ranges to a domain of OR-Tools."""
    return Domain.from_intervals([list(interval) for interval in ranges.intervals])
