"""Constraints said with sums, products and clauses, for a model, a formula or a solver alike.

Every new variable is determined by those that were there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import combinations, product
from typing import Any, NamedTuple, Protocol

from solvers.errors import InputError
from solvers.model.reading import (
    CP_SAT_ALONE,
    NONNEGATIVE,
    POSITIVE,
    UNBOUNDED_VALUE,
    Domain,
    LinearSum,
    all_negated,
    expression,
    kind_of,
    negated,
    target_and_expressions,
)


def plain_kind_of(constraint: Any) -> str:
    """The name of a constraint's kind; raises `InputError` for a kind that CP-SAT alone understands."""
    kind = kind_of(constraint)
    if kind in CP_SAT_ALONE:
        raise InputError(f"{kind} is understood by cp-sat only")
    return kind


class Writer(Protocol):
    """Adds variables and constraints to a model, to a formula or to a solver."""

    def new(self, low: int, high: int) -> LinearSum:
        """A new variable."""

    def new_literal(self) -> int:
        """A new Boolean."""

    def range(self, total: LinearSum, /) -> tuple[int, int]:
        """The least and the greatest value of a sum by the domains of its variables."""

    def clause(self, literals: Iterable[int]) -> None:
        """Require that one of the literals is true."""

    def require(self, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
        """Require that the sum lies in the domain unless one of the literals is true."""

    def product(self, a: LinearSum, b: LinearSum, bounds: tuple[int, int], most: int, /) -> LinearSum:
        """The product of two sums, of which ``bounds`` follow from their ranges.

        The rules leave it no larger than ``most``, whatever its sign; who makes use of that has to require it.
        """


def truth(writer: Writer, total: LinearSum, domain: Domain, otherwise: Domain) -> int:
    """A new literal that is true iff the sum lies in the domain, and not ``otherwise``, where the rest lies."""
    result = writer.new_literal()
    writer.require(total, domain, [negated(result)])
    writer.require(total, otherwise, [result])
    return result


def is_negative(writer: Writer, total: LinearSum) -> int:
    """A new literal that is true iff the sum is below 0."""
    return truth(writer, total.times(-1), POSITIVE, ((-NONNEGATIVE[0][1], 0),))


def at_most(writer: Writer, a: LinearSum, b: LinearSum) -> int:
    """A new literal that is true iff the one sum is at most the other."""
    return negated(is_negative(writer, b - a))


def all_of(writer: Writer, literals: Sequence[int]) -> int:
    """A literal that is true iff all of these are."""
    if len(literals) == 1:
        return literals[0]
    result = writer.new_literal()
    writer.clause([result, *all_negated(literals)])
    for literal in literals:
        writer.clause([negated(result), literal])
    return result


def multiply(writer: Writer, a: LinearSum, b: LinearSum, most: int = UNBOUNDED_VALUE) -> LinearSum:
    """The product of two sums; the rules leave it no larger than ``most``, whatever its sign."""
    if not (a.coefficients and b.coefficients):
        return a.times(b.offset) if a.coefficients else b.times(a.offset)
    corners = [p * q for p, q in product(writer.range(a), writer.range(b))]
    return writer.product(a, b, (min(corners), max(corners)), most)


def computed(writer: Writer, kind: str, arguments: Any) -> LinearSum:
    """The target of a product, a division or a remainder, less what it has to be."""
    target, sums = target_and_expressions(arguments)
    if kind == "int_prod":
        return target - reduce(partial(multiply, writer), sums, LinearSum({}, 1))
    dividend, divisor = sums
    quotient, remainder = divide(writer, dividend, divisor)
    return target - (quotient if kind == "int_div" else remainder)


def divide(
    writer: Writer,
    dividend: LinearSum,
    divisor: LinearSum,
    quotient: LinearSum | None = None,
    unless: Sequence[int] = (),
) -> tuple[LinearSum, LinearSum]:
    """The quotient, rounded towards 0, and the remainder, which has the sign of the dividend.

    If the quotient is given, it is required to be that unless one of the literals is true.
    """
    most = UNBOUNDED_VALUE
    if quotient is None:
        most = max(map(abs, writer.range(dividend)))
        low, high = writer.range(divisor)
        largest = most // max(low, -high, 1)
        quotient = writer.new(-largest, largest)
    remainder = dividend - multiply(writer, quotient, divisor, most)
    for sign, otherwise in _signs(writer, divisor):
        writer.require(divisor.times(sign) - remainder, POSITIVE, [*unless, *otherwise])
        writer.require(divisor.times(sign) + remainder, POSITIVE, [*unless, *otherwise])
    for sign, otherwise in _signs(writer, dividend):
        writer.require(remainder.times(sign), NONNEGATIVE, [*unless, *otherwise])
    return quotient, remainder


def _signs(writer: Writer, total: LinearSum) -> list[tuple[int, list[int]]]:
    """The signs that the sum may have, each with the literals without which it has it; 0 counts as positive."""
    low, high = writer.range(total)
    if low >= 0:
        return [(1, [])]
    if high < 0:
        return [(-1, [])]
    negative = is_negative(writer, total)
    return [(1, [negative]), (-1, [negated(negative)])]


class IntervalEnds(NamedTuple):
    """The ends of an interval, and the literals that are true where it is there."""

    start: LinearSum
    end: LinearSum
    present: Sequence[int]


def intervals(proto: Any, numbers: Iterable[int]) -> list[IntervalEnds]:
    """The intervals that are the constraints of these numbers."""
    constraints = [proto.constraints[number] for number in numbers]
    return [
        IntervalEnds(expression(ct.interval.start), expression(ct.interval.end), list(ct.enforcement_literal))
        for ct in constraints
    ]


def keep_apart(writer: Writer, boxes: Iterable[Sequence[IntervalEnds]], unless: Sequence[int]) -> None:
    """Require of each two boxes that are there that one ends before the other begins along some axis."""
    for a, b in combinations(boxes, 2):
        apart = []
        for one, other in zip(a, b, strict=True):
            apart += [at_most(writer, one.end, other.start), at_most(writer, other.end, one.start)]
        present = [literal for interval in (*a, *b) for literal in interval.present]
        writer.clause([*apart, *all_negated(present), *unless])
