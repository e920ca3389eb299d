"""Linear sums of a CP-SAT model's variables, and new variables for what is not linear.

A truth value is a sum, too, that is 0 or 1. Constraints that only determine new variables are named `DEFINITION`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ortools.sat.python.cp_model import INT_MAX, INT_MIN, CpModel, Domain, LinearExpr

from models.puzzle import DEFINITION

MAX_OPERAND_PAIRS = 100_000
"""The most pairs of values of two operands that are enumerated."""

MAX_EXPONENT = 64
"""A power whose exponent may be as large as this is refused."""

MAX_FORM_VALUE = 2**55
"""The greatest absolute value that a sum may have."""

DIFFERENCES: Mapping[str, Domain] = {
    "lt": Domain(INT_MIN, -1),
    "le": Domain(INT_MIN, 0),
    "ge": Domain(0, INT_MAX),
    "gt": Domain(1, INT_MAX),
    "eq": Domain(0, 0),
    "ne": Domain(0, 0).complement(),
}
"""The domain of left side - right side, for each relation of two sums."""


class Refused(Exception):
    """Raised for what cannot be translated; the message says why."""


@dataclass(frozen=True)
class LinearForm:
    """A linear sum: the coefficient of each variable by its index in the model, and a constant."""

    terms: Mapping[int, int] = field(default_factory=dict)
    constant: int = 0

    def __add__(self, other: LinearForm | int) -> LinearForm:
        """Return this sum plus another one."""
        if isinstance(other, int):
            return LinearForm(self.terms, self.constant + other)
        terms = dict(self.terms)
        for variable, coefficient in other.terms.items():
            terms[variable] = terms.get(variable, 0) + coefficient
        nonzero_terms = {variable: coefficient for variable, coefficient in terms.items() if coefficient}
        return LinearForm(nonzero_terms, self.constant + other.constant)

    def __mul__(self, factor: int) -> LinearForm:
        """Return this sum times a constant."""
        if not factor:
            return LinearForm()
        return LinearForm({variable: c * factor for variable, c in self.terms.items()}, self.constant * factor)

    def __neg__(self) -> LinearForm:
        """Return the negated sum."""
        return self * -1

    def __sub__(self, other: LinearForm | int) -> LinearForm:
        """Return this sum minus another one."""
        return self + -other


def negation(truth: LinearForm) -> LinearForm:
    """Return the truth value that is 1 iff this one is 0."""
    return -truth + 1


def total(sums: Iterable[LinearForm]) -> LinearForm:
    """Return the sum of linear sums; unlike repeated +, which copies the terms each time, it takes linear time."""
    terms: dict[int, int] = {}
    constant = 0
    for added in sums:
        constant += added.constant
        for variable, coefficient in added.terms.items():
            terms[variable] = terms.get(variable, 0) + coefficient
    return LinearForm({variable: c for variable, c in terms.items() if c}, constant)


class FormWriter:
    """A CP-SAT model that is written; `place` is the name of the constraints that follow."""

    def __init__(self) -> None:
        """Begin an empty model."""
        self.model = CpModel()
        self.place = ""
        self._truths: dict[Any, LinearForm] = {}  # truth values of "this sum is in this domain"
        self._domains: list[Domain] = []  # of the variables, by index
        self._constants: dict[int, Any] = {}  # variables of the model that are constant, by value

    def add_variable(self, domain: Domain, name: str = "") -> LinearForm:
        """Return a new variable; raise `Refused` if its values are too large."""
        if domain.is_empty():
            raise Refused("a domain is empty")
        if max(-domain.min(), domain.max()) > MAX_FORM_VALUE:
            raise Refused("its numbers are too large")
        return self._sum_of_variable(self.model.new_int_var_from_domain(domain, name), domain)

    def _sum_of_variable(self, variable: Any, domain: Domain) -> LinearForm:
        """Note the domain of a new variable of the model, and return the variable as a sum."""
        # OR-Tools may have made variables for constants before this one, whose domains nobody asks for.
        self._domains += [domain] * (variable.index + 1 - len(self._domains))
        return LinearForm({variable.index: 1})

    def between(self, low: int, high: int) -> LinearForm:
        """Return a new variable with values from low to high."""
        return self.add_variable(Domain(low, high))

    def add(self, constraint: Any, name: str = "", enforced: Sequence[Any] = ()) -> None:
        """Name a constraint that was added to the model, `place` if no name is given.

        enforced: literals; if there are any, the constraint has to hold only if they are all true.
        """
        constraint.with_name(name or self.place)
        if enforced:
            constraint.only_enforce_if(enforced)

    def domain(self, form: LinearForm) -> Domain:
        """Return the values that a sum can take, or a range that has them all; raise `Refused` for large numbers.

        The result is exact for a constant, and for one variable with coefficient 1 or -1.
        """
        if len(form.terms) == 1:
            ((variable, coefficient),) = form.terms.items()
            if abs(coefficient) == 1:
                domain = self._domains[variable]
                signed_domain = domain if coefficient == 1 else domain.negation()
                return signed_domain.addition_with(Domain(form.constant, form.constant))
        low = high = form.constant  # for other sums, only the bounds are taken
        for variable, coefficient in form.terms.items():
            ends = [coefficient * end for end in _ends(self._domains[variable])]
            low, high = low + min(ends), high + max(ends)
        if max(-low, high) > MAX_FORM_VALUE:
            raise Refused("its numbers are too large")
        return Domain(low, high)

    def values(self, form: LinearForm) -> list[int]:
        """Return the values that a sum can take; raise `Refused` if there are too many."""
        domain = self.domain(form)
        if domain.size() > MAX_OPERAND_PAIRS:
            raise Refused(f"a variable or an expression in it has more than {MAX_OPERAND_PAIRS} values")
        return [value for low, high in intervals(domain) for value in range(low, high + 1)]

    def expression(self, form: LinearForm) -> Any:
        """Return a sum as an expression of OR-Tools."""
        variables = [self.model.get_int_var_from_proto_index(variable) for variable in form.terms]
        return LinearExpr.weighted_sum(variables, [*form.terms.values()]) + form.constant

    def single(self, form: LinearForm) -> LinearForm:
        """Return a sum of one variable or none; a new variable represents a longer one."""
        if len(form.terms) < 2:
            return form
        result = self.add_variable(self.domain(form))
        self.require(result - form, DIFFERENCES["eq"], name=DEFINITION)
        return result

    def affine(self, form: LinearForm) -> Any:
        """Return a sum as an expression of OR-Tools with one variable at most."""
        return self.expression(self.single(form))

    def require(self, form: LinearForm, domain: Domain, *enforced: Any, name: str = "") -> None:
        """Require that a sum is in a domain, if the literals ``enforced`` are true; name: as for `add`.

        Nothing is added if the sum is always in the domain; a false constraint is, if it never is.
        """
        if self.domain(form).is_included_in(domain):
            return
        if not self.domain(form).overlaps_with(domain):
            self.add(self.model.add_bool_or([]), name, enforced)
            return
        # The constant goes to the other side, since CP-SAT's linear constraints have none.
        shifted = domain.addition_with(Domain(-form.constant, -form.constant))
        linear = self.model.add_linear_expression_in_domain(self.expression(LinearForm(form.terms)), shifted)
        self.add(linear, name, enforced)

    def truth_value(self, form: LinearForm, domain: Domain) -> LinearForm:
        """Return a sum that is 1 if a sum is in the domain, else 0: a constant, a literal, or a new variable.

        A literal is a 0-1 variable x, or its negation 1 - x. Sums that differ by a constant, with domains that differ
        by it too, share a new variable: x + 1 in 1..3 and x in 0..2 are the same.
        """
        form_domain = self.domain(form)
        if form_domain.is_included_in(domain):
            return LinearForm({}, 1)
        if not form_domain.overlaps_with(domain):
            return LinearForm({}, 0)
        if len(form.terms) == 1:
            ((variable, coefficient),) = form.terms.items()
            if self._domains[variable].is_included_in(Domain(0, 1)):
                # One of the values 0 and 1 of the variable makes the sum lie in the domain, and the other does not.
                is_high = domain.contains(form.constant + coefficient)
                return LinearForm({variable: 1}) if is_high else LinearForm({variable: -1}, 1)
        shifted_domain = domain.addition_with(Domain(-form.constant, -form.constant))
        key = (*sorted(form.terms.items()), *shifted_domain.flattened_intervals())
        if key not in self._truths:
            truth = self.between(0, 1)
            literal = self.literal(truth)
            self.require(form, domain, literal, name=DEFINITION)
            self.require(form, domain.complement(), ~literal, name=DEFINITION)
            self._truths[key] = truth
        return self._truths[key]

    def equals(self, form: LinearForm, other: LinearForm | int) -> LinearForm:
        """Return the truth value of an equality."""
        return self.truth_value(form - other, DIFFERENCES["eq"])

    def all_true(self, truths: Sequence[LinearForm]) -> LinearForm:
        """Return the truth value of a conjunction."""
        return self.truth_value(total(truths), Domain(len(truths), len(truths)))

    def any_true(self, truths: Sequence[LinearForm]) -> LinearForm:
        """Return the truth value of a disjunction."""
        return self.truth_value(total(truths), DIFFERENCES["gt"])

    def literal(self, truth: LinearForm) -> Any:
        """Return a truth value, a sum that is 0, 1, a 0-1 variable x or 1 - x, as a literal of OR-Tools.

        A constant becomes a variable of the model that is fixed; each of the two is made once.
        """
        if not truth.terms:
            value = int(truth.constant != 0)
            if value not in self._constants:
                self._constants[value] = self.model.new_constant(value)
                self._sum_of_variable(self._constants[value], Domain(value, value))
            return self._constants[value]
        ((variable, coefficient),) = truth.terms.items()
        literal = self.model.get_int_var_from_proto_index(variable)
        return literal if coefficient == 1 else ~literal

    def require_any(self, truths: Iterable[LinearForm]) -> None:
        """Require that one of some truth values is 1."""
        possible = [truth for truth in truths if truth.terms or truth.constant]
        if all(truth.terms for truth in possible):  # otherwise one of them is the constant 1
            self.add(self.model.add_bool_or([self.literal(truth) for truth in possible]))

    def product(self, left: LinearForm, right: LinearForm) -> LinearForm:
        """Return the product of two sums: a new variable, unless one of them is a constant.

        The bounds of the variable are those of the products of the bounds. ``affine`` returns a sum as an expression
        with one variable at most, as CP-SAT requires of factors.
        """
        for operand, other in ((left, right), (right, left)):
            if not other.terms:
                return operand * other.constant
        ends = [a * b for a in _ends(self.domain(left)) for b in _ends(self.domain(right))]
        result = self.between(min(ends), max(ends))
        factors = [self.affine(left), self.affine(right)]
        self.add(self.model.add_multiplication_equality(self.expression(result), factors), DEFINITION)
        return result

    def greatest(self, sums: Sequence[LinearForm]) -> LinearForm:
        """Return the greatest of some sums, as a new variable; raise `Refused` if there is none.

        It is at least the greatest lower bound, and at most the greatest upper bound.
        """
        if not sums:
            raise Refused("it has an empty list")
        lows, highs = zip(*(_ends(self.domain(term)) for term in sums), strict=True)
        result = self.between(max(lows), max(highs))
        expressions = [self.affine(term) for term in sums]
        self.add(self.model.add_max_equality(self.expression(result), expressions), DEFINITION)
        return result

    def smallest(self, sums: Sequence[LinearForm]) -> LinearForm:
        """Return the least of some sums; raise `Refused` if there is none."""
        return -self.greatest([-term for term in sums])

    def absolute(self, form: LinearForm) -> LinearForm:
        """Return the absolute value of a sum."""
        single = self.single(form)
        return self.greatest([single, -single])

    def table_function(self, left: LinearForm, right: LinearForm, function: Callable[[int, int], int]) -> LinearForm:
        """Return a function of two sums, as a new variable that is tied to them by a table of all values.

        function: returns the function's value for a value of each sum. Raises `Refused` if there are too many pairs of
        their values.
        """
        if self.domain(left).size() * self.domain(right).size() > MAX_OPERAND_PAIRS:
            raise Refused(f"div, mod or pow has more than {MAX_OPERAND_PAIRS} pairs of values")
        rows = [(a, b, function(a, b)) for a, b in product(self.values(left), self.values(right))]
        result = self.add_variable(Domain.from_values([v for _, _, v in rows]))
        operands = [self.affine(left), self.affine(right), self.expression(result)]
        self.add(self.model.add_allowed_assignments(operands, rows), DEFINITION)
        return result

    def element(self, index: LinearForm, sums: Sequence[LinearForm]) -> LinearForm:
        """Return the sum at an index, from 0, as a new variable; the index is required to be that of an entry.

        sums: the entries of the list. Raises `Refused` if there are none.
        """
        if not sums:
            raise Refused("it has an empty list")
        places = Domain(0, len(sums) - 1)
        self.require(index, places)
        if not self.domain(index).is_included_in(places):
            # The element constraint below only defines the result, so it has to be satisfiable for each value of the
            # index, even without the requirement. It takes another variable, which equals the index if that is inside.
            place = self.add_variable(places)
            is_inside = self.literal(self.truth_value(index, places))
            self.require(place - index, DIFFERENCES["eq"], is_inside, name=DEFINITION)
            index = place
        lows, highs = zip(*(_ends(self.domain(term)) for term in sums), strict=True)
        result = self.between(min(lows), max(highs))
        expressions = [self.affine(term) for term in sums]
        self.add(self.model.add_element(self.affine(index), expressions, self.expression(result)), DEFINITION)
        return result


def intervals(domain: Domain) -> list[tuple[int, int]]:
    """Return the intervals of a domain, each as (least, greatest)."""
    flat = domain.flattened_intervals()
    return [*zip(flat[::2], flat[1::2], strict=True)]


def _ends(domain: Domain) -> tuple[int, int]:
    """Return the least and the greatest value of a domain."""
    return domain.min(), domain.max()


FUNCTIONS: Mapping[str, Callable[[int, int], int]] = {
    "div": lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else 0,
    "mod": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1) if b else 0,
    "pow": lambda a, b: int(a**b) if b >= 0 else 0,
}
"""Functions of two integers, 0 where they are undefined; div rounds towards 0."""


def operation(writer: FormWriter, name: str, operands: Sequence[LinearForm]) -> LinearForm:
    """Return an operation of XCSP3 on sums, such as "add"; raise `Refused` for another one.

    name: its name in XCSP3. writer: adds variables and constraints to the model where no sum expresses the operation. A
    truth value is a sum that is 0 or 1; any operand of a logical operation but 0 is taken as true.
    """
    count = len(operands)
    truths = [writer.truth_value(operand, DIFFERENCES["ne"]) for operand in operands] if name in LOGICAL else []
    match name, count:
        case ("neg", 1):
            return -operands[0]
        case ("abs", 1):
            return writer.absolute(operands[0])
        case ("sqr", 1):
            single = writer.single(operands[0])
            return writer.product(single, single)
        case ("sub", 2):
            return operands[0] - operands[1]
        case ("dist", 2):
            return writer.absolute(operands[0] - operands[1])
        case ("div" | "mod" | "pow", 2):
            return _integral(writer, name, *operands)
        case (("lt" | "le" | "ge" | "gt" | "ne"), 2):
            return writer.truth_value(operands[0] - operands[1], DIFFERENCES[name])
        case ("not", 1):
            return negation(truths[0])
        case ("imp", 2):
            return writer.any_true([negation(truths[0]), truths[1]])
        case ("if", 3):
            return _choice(writer, writer.truth_value(operands[0], DIFFERENCES["ne"]), operands[1], operands[2])
    # The other operations take any number of operands but 0.
    if not count:
        raise Refused(f"{name} is not understood here")
    match name:
        case "add":
            return total(operands)
        case "mul":
            result = operands[0]
            for operand in operands[1:]:
                result = writer.product(result, operand)
            return result
        case "min":
            return writer.smallest(operands)
        case "max":
            return writer.greatest(operands)
        case "eq" if count > 1:
            return writer.all_true([writer.equals(operands[0], operand) for operand in operands[1:]])
        case "and":
            return writer.all_true(truths)
        case "or":
            return writer.any_true(truths)
        case "iff" if count > 1:  # none or all are true
            return writer.truth_value(total(truths), Domain.from_values([0, count]))
        case "xor":  # an odd number is true
            return writer.truth_value(total(truths), Domain.from_values([*range(1, count + 1, 2)]))
    raise Refused(f"{name} of {count} operands is not understood")


LOGICAL = {"not", "and", "or", "xor", "iff", "imp"}
"""The operations on truth values; an integer other than 0 counts as true."""


def _integral(writer: FormWriter, name: str, left: LinearForm, right: LinearForm) -> LinearForm:
    """Return the quotient, the remainder or the power of two sums; see `FUNCTIONS`.

    The divisor is required to be other than 0, the exponent to be 0 or more. A table of all pairs of values is written
    for powers, for few pairs, and for divisors that may be 0 or less, which CP-SAT's division does not take. The
    remainder is otherwise the dividend minus the product of quotient and divisor.

    name: "div", "mod" or "pow". writer: adds to the model. Raises `Refused` for too many pairs or too large numbers.
    """
    low, high = _ends(writer.domain(left))
    if name == "pow" and writer.domain(right).max() >= MAX_EXPONENT:
        raise Refused("its numbers are too large")
    writer.require(right, DIFFERENCES["ge" if name == "pow" else "ne"])
    is_small = writer.domain(left).size() * writer.domain(right).size() < MAX_OPERAND_PAIRS
    if name == "pow" or is_small or writer.domain(right).min() <= 0:
        return writer.table_function(left, right, FUNCTIONS[name])
    quotient = writer.between(min(low, 0), max(high, 0))
    operands = [writer.expression(quotient), writer.affine(left), writer.affine(right)]
    writer.add(writer.model.add_division_equality(*operands), DEFINITION)
    return quotient if name == "div" else left - writer.product(quotient, right)


def _choice(writer: FormWriter, truth: LinearForm, then: LinearForm, other: LinearForm) -> LinearForm:
    """Return ``then`` if a truth value (a sum that is 0 or 1) is 1, else ``other``.

    A new variable is made only if neither the truth value nor the difference of the two sums is constant.
    """
    if not truth.terms:
        return then if truth.constant else other
    if not (then - other).terms:
        return other + truth * (then - other).constant
    result = writer.add_variable(writer.domain(then).union_with(writer.domain(other)))
    writer.require(result - then, DIFFERENCES["eq"], writer.literal(truth), name=DEFINITION)
    writer.require(result - other, DIFFERENCES["eq"], ~writer.literal(truth), name=DEFINITION)
    return result
