"""Constraints said with sums, products and clauses, for a model, a formula or a solver alike.

Every new variable is determined by those that were there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import combinations, product
from typing import Any, NamedTuple, Protocol

from solvers.model.reading import (
    NONNEGATIVE,
    POSITIVE,
    UNBOUNDED_VALUE,
    Domain,
    LinearSum,
    all_negated,
    expression,
    negation,
    target_and_expressions,
)


class Writer(Protocol):
    """The interface for adding variables and constraints to a model, a formula or a solver.

    Literals are in the proto's convention: i for variable i, -i - 1 for its negation.
    """

    def add_variable(self, low: int, high: int) -> LinearSum:
        """Add an integer variable with values from low to high, both included; return it as a sum."""

    def new_literal(self) -> int:
        """Add a Boolean variable; return the literal that is true where it is 1."""

    def range(self, total: LinearSum, /) -> tuple[int, int]:
        """Return (least, greatest): the bounds of a sum that follow from the domains of its variables."""

    def clause(self, literals: Iterable[int]) -> None:
        """Require that at least one of the literals is true."""

    def require(self, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
        """Require that the sum is in the domain, unless at least one literal of ``unless`` is true."""

    def product(self, a: LinearSum, b: LinearSum, bounds: tuple[int, int], most: int, /) -> LinearSum:
        """Return a sum that equals the product of two sums.

        bounds: the least and the greatest product that the ranges of the sums allow. most: the greatest absolute value
        that other constraints allow the product. A writer that limits the product to this value must do so by a
        constraint of its own.
        """


def truth(writer: Writer, total: LinearSum, domain: Domain, otherwise: Domain) -> int:
    """Return a new literal that is true iff the sum is in the domain.

    otherwise: a domain, disjoint from the first, with all values of the sum that are not in the first. writer: the
    model to which the literal and constraints are added.
    """
    result = writer.new_literal()
    writer.require(total, domain, [negation(result)])
    writer.require(total, otherwise, [result])
    return result


def is_negative(writer: Writer, total: LinearSum) -> int:
    """Return a new literal that is true iff the sum is below 0.

    writer: the model to which the literal and constraints are added.
    """
    return truth(writer, total.times(-1), POSITIVE, ((-NONNEGATIVE[0][1], 0),))


def at_most(writer: Writer, a: LinearSum, b: LinearSum) -> int:
    """Return a literal that is true iff a <= b.

    writer: the model to which a new literal and constraints are added.
    """
    return negation(is_negative(writer, b - a))


def all_of(writer: Writer, literals: Sequence[int]) -> int:
    """Return a literal that is true iff all of these are.

    It is a new one unless only one literal is given. writer: the model to which it is added.
    """
    if len(literals) == 1:
        return literals[0]
    result = writer.new_literal()
    writer.clause([result, *all_negated(literals)])
    for literal in literals:
        writer.clause([negation(result), literal])
    return result


def multiply(writer: Writer, a: LinearSum, b: LinearSum, most: int = UNBOUNDED_VALUE) -> LinearSum:
    """Return the product of two sums, as a sum; if neither is a constant, it consists of a new variable.

    writer: the model to which variables and constraints are added. most: the greatest absolute value that other
    constraints allow the product, to which a writer may limit the new variable.
    """
    if not (a.coefficients and b.coefficients):  # one is a constant
        return a.times(b.offset) if a.coefficients else b.times(a.offset)
    # The bounds of the product are among the products of the bounds.
    corners = [p * q for p, q in product(writer.range(a), writer.range(b))]
    return writer.product(a, b, (min(corners), max(corners)), most)


def residual(writer: Writer, kind: str, arguments: Any, is_enforced: bool = False) -> LinearSum:
    """Return a sum that is 0 iff an int_prod, int_div or int_mod constraint holds.

    It is the target minus the product, quotient or remainder, which is computed by new variables. writer: the model to
    which variables and constraints are added. kind: one of these names. arguments: the constraint's own message in the
    proto. is_enforced: the sum will be required to be 0; then the target itself is taken as the remainder, or as the
    quotient if it cannot have values that no quotient has.
    """
    target, sums = target_and_expressions(arguments)
    if kind == "int_prod":
        return target - reduce(partial(multiply, writer), sums, LinearSum({}, 1))
    dividend, divisor = sums
    if is_enforced and kind == "int_mod":
        return target - divide(writer, dividend, divisor, remainder=target)[1]
    is_quotient = is_enforced and max(map(abs, writer.range(target))) <= _greatest_quotient(writer, dividend, divisor)
    quotient, remainder = divide(writer, dividend, divisor, target if is_quotient else None)
    return target - (quotient if kind == "int_div" else remainder)


def divide(
    writer: Writer,
    dividend: LinearSum,
    divisor: LinearSum,
    quotient: LinearSum | None = None,
    unless: Sequence[int] = (),
    remainder: LinearSum | None = None,
) -> tuple[LinearSum, LinearSum]:
    """Return (quotient, remainder) of two sums, as sums. The quotient is rounded towards 0.

    The remainder is dividend - quotient * divisor. Constraints require that its absolute value is less than that of the
    divisor, and that it is 0 or has the sign of the dividend; so the quotient is determined, and the divisor cannot be
    0. quotient: a sum that has to be the quotient, unless a literal of ``unless`` is true; None for a new variable.
    remainder: a sum that is required to be the remainder elsewhere, to which the constraints then apply. writer: the
    model to which variables and constraints are added.
    """
    most = UNBOUNDED_VALUE
    if quotient is None:
        most = max(map(abs, writer.range(dividend)))
        largest = _greatest_quotient(writer, dividend, divisor)
        quotient = writer.add_variable(-largest, largest)
    difference = dividend - multiply(writer, quotient, divisor, most)
    remainder = difference if remainder is None else remainder
    for sign, otherwise in _signs(writer, divisor):
        writer.require(divisor.times(sign) - remainder, POSITIVE, [*unless, *otherwise])
        writer.require(divisor.times(sign) + remainder, POSITIVE, [*unless, *otherwise])
    for sign, otherwise in _signs(writer, dividend):
        writer.require(remainder.times(sign), NONNEGATIVE, [*unless, *otherwise])
    return quotient, difference


def _greatest_quotient(writer: Writer, dividend: LinearSum, divisor: LinearSum) -> int:
    """Return the greatest absolute value of the quotient of two sums that their ranges allow."""
    low, high = writer.range(divisor)
    # Divided by the least absolute value of the divisor, at least 1.
    return max(map(abs, writer.range(dividend))) // max(low, -high, 1)


def _signs(writer: Writer, total: LinearSum) -> list[tuple[int, list[int]]]:
    """Return the signs that a sum may have, as (1 or -1, literals) pairs; 0 counts as positive.

    The sum has the sign iff none of the literals is true. The list of literals is empty if the sum always has the sign,
    and otherwise has one new literal. writer: the model to which it is added.
    """
    low, high = writer.range(total)
    if low >= 0:
        return [(1, [])]
    if high < 0:
        return [(-1, [])]
    negative = is_negative(writer, total)
    return [(1, [negative]), (-1, [negation(negative)])]


class IntervalEnds(NamedTuple):
    """The start and the end of an interval, and its enforcement literals.

    The interval is present iff all of these are true.
    """

    start: LinearSum
    end: LinearSum
    present: Sequence[int]


def intervals(proto: Any, numbers: Iterable[int]) -> list[IntervalEnds]:
    """Return the intervals of a model whose constraints have these numbers, in the same order.

    proto: the proto of the model.
    """
    constraints = [proto.constraints[number] for number in numbers]
    return [
        IntervalEnds(expression(ct.interval.start), expression(ct.interval.end), list(ct.enforcement_literal))
        for ct in constraints
    ]


def keep_apart(writer: Writer, boxes: Iterable[Sequence[IntervalEnds]], unless: Sequence[int]) -> None:
    """Require that no two boxes overlap, unless a literal of ``unless`` is true.

    A box is a list of intervals, one for each axis; see `intervals`. It is absent where one of its intervals is absent,
    and then overlaps nothing. Two boxes are apart if, along some axis, one ends before or where the other starts.
    writer: the model to which constraints are added.
    """
    for a, b in combinations(boxes, 2):
        one_before_other = []  # literals "one ends before or where the other starts", two for each axis
        for side_a, side_b in zip(a, b, strict=True):
            one_before_other += [at_most(writer, side_a.end, side_b.start), at_most(writer, side_b.end, side_a.start)]
        present = [literal for interval in (*a, *b) for literal in interval.present]
        writer.clause([*one_before_other, *all_negated(present), *unless])
