"""FlatZinc as a CP-SAT model, with the variables that it outputs.

What is said to be equal becomes one variable. Every variable besides those declared is determined by these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain, IntVar, LinearExpr

from solvers.extras.bridges.minizinc.bounds import derive_bounds
from solvers.extras.bridges.minizinc.syntax import FlatZinc, Ranges, Variable

EQUALITIES = ("int_eq", "bool_eq", "bool2int")


class Translation:
    """A CP-SAT model that is built from a FlatZinc file.

    Its methods convert the arguments of constraints.

    >>> from solvers.extras.bridges.minizinc.syntax import parse_flatzinc
    >>> flat = parse_flatzinc("var bool: b; var int: x; constraint bool2int(b, x); solve satisfy;")
    >>> translation = Translation(flat)
    >>> translation.integer(flat.variables[0]) is translation.integer(flat.variables[1])
    True
    """

    def __init__(self, flat: FlatZinc) -> None:
        """Merge variables that constraints equate, and compute domains; the other constraints are left in `rest`.

        The domain of a variable loses the values that constraints on it alone rule out, such as a divisor 0, and is
        bounded by `derive_bounds`, which reads bounds off all constraints. A variable without a value makes the model
        infeasible.

        flat: the file that was read. Raises ValueError where a constraint has arguments of a wrong kind.
        """
        self.model = CpModel()
        self._flat = flat
        self._same: dict[Variable, Variable] = {}
        """For each variable that was merged with another one, that other one."""
        self._domains: dict[Variable, Ranges] = {variable: variable.domain for variable in flat.variables}
        """The domain of each variable; that of a merged one is no longer used."""
        self._variables: dict[Variable, IntVar] = {}
        """The model's variables that were made, by the roots of the declared ones."""
        self._constants: dict[int, IntVar] = {}
        """The model's variable for each constant that was needed as one."""
        self._literals: dict[tuple[int, int], IntVar] = {}
        """The literal that is true if a variable of the model, by its index, has a value."""
        self.rest = [call for call in flat.constraints if not (call.name in EQUALITIES and self._unite(call.arguments))]
        """The constraints that are left once equal variables are merged."""
        for call in self.rest:
            if call.name == "set_in" and isinstance(call.arguments[0], Variable):
                self._intersect_domain(call.arguments[0], call.arguments[1])
            elif call.name in ("int_div", "int_mod") and isinstance(call.arguments[1], Variable):
                self._intersect_domain(call.arguments[1], Ranges(((0, 0),)).complement())
        for variable, domain in derive_bounds(flat.variables, self.rest, self.domain, self.root).items():
            self._intersect_domain(variable, domain)
        if not all(map(self.domain, flat.variables)):  # also of one that no other constraint and no output names
            self.model.add_bool_or([])

    def root(self, variable: Variable) -> Variable:
        """Return the variable that represents this one and for all variables merged with it."""
        while variable in self._same:
            variable = self._same[variable]
        return variable

    def domain(self, variable: Variable) -> Ranges:
        """Return the domain of a variable, without the values that constraints rule out."""
        return self._domains[self.root(variable)]

    def _intersect_domain(self, variable: Variable, domain: Ranges) -> None:
        """Intersect the domain of a variable with another one."""
        self._domains[self.root(variable)] = self.domain(variable) & domain

    def _unite(self, arguments: Sequence[Any]) -> bool:
        """Merge the two arguments of an equality; return False for arguments that are not two variables or constants.

        Two variables become one, with the common values; a constant fixes a variable. Two constants are not merged.
        """
        variables = [self.root(argument) for argument in arguments if isinstance(argument, Variable)]
        constants = [int(argument) for argument in arguments if isinstance(argument, int)]
        if len(variables) + len(constants) != 2 or not variables:
            return False
        for constant in constants:
            self._intersect_domain(variables[0], Ranges(((constant, constant),)))
        if len(variables) == 2 and variables[0] is not variables[1]:
            variable, other = variables
            if not variable.is_boolean and other.is_boolean:  # the Boolean is kept
                variable, other = other, variable
            self._intersect_domain(variable, self._domains[other])
            self._same[other] = variable
        return True

    def integer(self, argument: Any) -> IntVar | int:
        """Return the model's variable for an argument, or its value if it is a constant; a Boolean is 0 or 1.

        Raises ValueError for any other argument.
        """
        if isinstance(argument, Variable):
            return self.variable(argument)
        if isinstance(argument, int):
            return int(argument)
        raise ValueError("an argument is neither an integer nor a Boolean")

    def variable(self, variable: Variable) -> IntVar:
        """Return the model's variable for a declared one, made at the first call, with the domain that is known.

        All variables that were merged have one variable of the model. Raises ValueError if nothing bounds it.
        """
        root = self.root(variable)
        if root not in self._variables:
            domain = self._domains[root]
            if not domain:  # the model is infeasible already, and a variable needs some value
                domain = Ranges(((0, 0),))
            if domain.size > 2**60:
                raise ValueError(f"nothing bounds {self._name_without_bounds(variable)}, such as -1000..1000")
            self._variables[root] = self.model.new_int_var_from_domain(as_domain(domain), root.name)
        return self._variables[root]

    def index_or_value(self, variable: Variable) -> tuple[int | None, int]:
        """Return (index, 0) of the model's variable for a declared one; (None, a value) if the model has none for it.

        The model has none if no constraint, objective, search order or output needs it. Then only its domain restricts
        it, so its least value serves as well as any other when a solution is checked against the file.
        """
        root = self.root(variable)
        if root in self._variables:
            return self._variables[root].index, 0
        domain = self._domains[root]
        return None, domain.low if domain else 0

    def _name_without_bounds(self, variable: Variable) -> str:
        """Return how the author calls a variable that nothing bounds, and what to declare as a range."""
        name = self._flat.author_name(variable)
        if name is None:
            return "a part of an expression; declare the variables in it as ranges"
        return f"{name}; declare it as a range"

    def integers(self, arguments: Iterable[Any]) -> list[IntVar | int]:
        """Return the model's variable or the constant for each argument."""
        return list(map(self.integer, arguments))

    def bounds(self, argument: Any) -> tuple[int, int]:
        """Return the least and the greatest value of an argument; (0, 0) if it has no value."""
        if not isinstance(argument, Variable):
            return int(argument), int(argument)
        domain = self.domain(argument)
        return (domain.low, domain.high) if domain else (0, 0)

    def add_variable(self, low: int, high: int) -> IntVar:
        """Return a new variable with values from low to high.

        Constraints have to determine its value by the declared variables.
        """
        return self.model.new_int_var(low, high, "")

    def constant(self, value: int) -> IntVar:
        """Return a variable whose only value is this one."""
        if value not in self._constants:
            self._constants[value] = self.model.new_constant(value)
        return self._constants[value]

    def literal(self, argument: Any) -> Any:
        """Return the model's variable for an argument, also for a constant.

        Constraints over literals take variables only. Raises ValueError if the argument is neither a variable nor a
        constant.
        """
        number = self.integer(argument)
        return number if isinstance(number, IntVar) else self.constant(number)

    def literals(self, arguments: Iterable[Any]) -> list[Any]:
        """Return the model's variable for each argument, also for constants."""
        return list(map(self.literal, arguments))

    def equals(self, argument: Any, value: Any) -> Any:
        """Return a literal that is true if and only if an argument equals a value, which may be a variable, too.

        The literal is a constant if the equality is decided, a 0-1 variable or its negation if that says the same, and
        otherwise a new Boolean; that of a variable and a constant is made once. Raises ValueError for an argument that
        is neither an integer nor a Boolean.
        """
        left, right = self.integer(argument), self.integer(value)
        if isinstance(left, int):
            left, right = right, left
        if isinstance(left, int):
            return self.constant(int(left == right))
        if not isinstance(right, int):
            return self.truth_literal(LinearExpr.weighted_sum([left, right], [1, -1]), Domain(0, 0))
        domain = self.domain_of(left)
        if not domain.contains(right):
            return self.constant(0)
        if domain.size() == 1:
            return self.constant(1)
        if domain.min() >= 0 and domain.max() <= 1:
            return left if right else ~left
        if (left.index, right) not in self._literals:
            self._literals[left.index, right] = self.truth_literal(left, Domain(right, right))
        return self._literals[left.index, right]

    def name_equality(self, argument: Any, value: Any, literal: Any) -> bool:
        """Make ``literal`` the model's literal for "the argument has the value", and require that it is.

        Returns False, and changes nothing, if the model has another literal for this equality, or if it needs none: if
        one side is decided, or the argument has two values at most. Raises ValueError for an argument of another kind.
        """
        number = self.integer(argument)
        literal_variable = self.integer(literal)
        if isinstance(number, int) or isinstance(literal_variable, int) or isinstance(value, Variable):
            return False
        domain = self.domain_of(number)
        value = int(value)
        if domain.size() < 3 or not domain.contains(value) or (number.index, value) in self._literals:
            return False
        self._literals[number.index, value] = literal_variable
        self._require_equivalence(number, Domain(value, value), literal_variable)
        return True

    @staticmethod
    def domain_of(variable: IntVar) -> Domain:
        """Return the domain of a variable of the model."""
        return variable.domain

    def truth_literal(self, expression: Any, domain: Domain) -> Any:
        """Return a new literal that is true if and only if the expression is in the domain."""
        literal = self.model.new_bool_var("")
        self._require_equivalence(expression, domain, literal)
        return literal

    def _require_equivalence(self, expression: Any, domain: Domain, literal: Any) -> None:
        """Require that the literal is true if and only if the expression is in the domain."""
        self.model.add_linear_expression_in_domain(expression, domain).only_enforce_if(literal)
        self.model.add_linear_expression_in_domain(expression, domain.complement()).only_enforce_if(~literal)

    def linear(self, coefficients: Iterable[int], arguments: Iterable[Any]) -> tuple[Any, int]:
        """Return the sum of coefficients times arguments as (an expression without constants, a constant).

        A variable that occurs several times gets the sum of its coefficients, and none if that is 0. Raises ValueError
        for an argument that is neither an integer nor a Boolean.
        """
        terms: dict[int, tuple[IntVar, int]] = {}
        constant = 0
        for coefficient, argument in zip(coefficients, arguments, strict=True):
            number = self.integer(argument)
            if isinstance(number, int):
                constant += coefficient * number
            else:
                _, coefficient_before = terms.get(number.index, (number, 0))
                terms[number.index] = number, coefficient_before + coefficient
        nonzero_terms = [term for term in terms.values() if term[1]]
        variables = [variable for variable, _ in nonzero_terms]
        return LinearExpr.weighted_sum(variables, [coefficient for _, coefficient in nonzero_terms]), constant


def as_domain(ranges: Ranges) -> Domain:
    """Return a set of ranges as a domain of OR-Tools."""
    return Domain.from_intervals([list(interval) for interval in ranges.intervals])
