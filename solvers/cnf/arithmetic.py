"""Whole numbers in a formula: their representations, sums, products, and the literals that compare them.

Literals are those of the formula, as in DIMACS: variable i is i, its negation -i. Every literal made here is determined
by the literals of the numbers it speaks of.

References
----------
N. Tamura, A. Taga, S. Kitagawa, M. Banbara, "Compiling finite linear CSP into SAT", Constraints 14 (2009),
doi:10.1007/s10601-008-9061-0 (the order encoding)
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from solvers.base.tuning import TUNING
from solvers.cnf.gates import FALSE, TRUE, Formula
from solvers.model.reading import Domain, clip, size_of, values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Weighted = tuple[int, int]
"""A weight and the literal that, if true, contributes it to a sum."""


@dataclass(eq=False)
class Ordered:
    """A number in the order encoding: bounds[i] is true iff it is at most values[i].

    The values ascend; the greatest one has no bound.
    """

    formula: Formula
    values: Sequence[int]
    bounds: Sequence[int]

    @property
    def low(self) -> int:
        """The least value of the number."""
        return self.values[0]

    @property
    def high(self) -> int:
        """The greatest value of the number."""
        return self.values[-1]

    def at_most(self, value: int) -> int:
        """Return a literal that is true iff the number is at most ``value``.

        The literal is `TRUE` or `FALSE` if the domain alone decides.
        """
        position = bisect_right(self.values, value)
        if position == 0:
            return FALSE
        return self.bounds[position - 1] if position < len(self.values) else TRUE

    def equals(self, value: int) -> int:
        """Return a literal that is true iff the number has this value; `FALSE` if it cannot have it."""
        return self.interval_literal(value, value)

    def interval_literal(self, low: int, high: int) -> int:
        """Return a literal that is true iff the number is from ``low`` to ``high``, both included.

        It is `TRUE` or `FALSE` if the domain alone decides. Clauses are added unless one bound is enough.
        """
        below, up_to = self.at_most(low - 1), self.at_most(high)
        if below == up_to:  # no value is from ``low`` to ``high``
            return FALSE
        if below == FALSE:
            return up_to
        return -below if up_to == TRUE else self.formula.conjunction([up_to, -below])

    def affine(self, coefficient: int, offset: int) -> "Ordered":
        """Return the number coefficient * self + offset; the coefficient must not be 0."""
        values = [coefficient * value + offset for value in self.values]
        if coefficient > 0:
            return Ordered(self.formula, values, self.bounds)
        # A negative coefficient reverses the order: the result is at most the value that values[i + 1] becomes iff the
        # number is not at most values[i].
        return Ordered(self.formula, values[::-1], [-bound for bound in reversed(self.bounds)])

    def literal_weights(self) -> tuple[int, list[Weighted]]:
        """Return (constant, pairs): the number is the constant plus the weights of the true literals.

        Each pair is (weight, literal). The constant is the least value, and the weights are powers of 2: the literals
        are the bits of the number minus its least value. A bit is 1 in some runs of consecutive values; its literal
        says that the number is in one of them.
        """
        base = self.low
        bits = []
        for place in range((self.high - base).bit_length()):
            runs: list[list[int]] = []  # [first value, last value]
            previous_set = False
            for value in self.values:
                is_set = bool((value - base) >> place & 1)
                if is_set and previous_set:
                    runs[-1][1] = value
                elif is_set:
                    runs.append([value, value])
                previous_set = is_set
            in_runs = (self.formula.conjunction([self.at_most(b), -self.at_most(a - 1)]) for a, b in runs)
            bits.append((1 << place, self.formula.disjunction(in_runs)))
        return base, bits

    def steps(self) -> list[tuple[int, int]]:
        """Return (literal, amount) pairs that make up the number.

        The number is its least value plus the amounts of the true literals.
        """
        return [(-bound, high - low) for bound, (low, high) in zip(self.bounds, pairwise(self.values), strict=True)]

    def truth_values(self, values: "NDArray[Any]") -> list[tuple[int, "NDArray[Any]"]]:
        """Return (literal, truth values) for each literal that encodes the number.

        Entry k of the truth values says whether the literal is true where the number is values[k].
        """
        return [(bound, values <= value) for bound, value in zip(self.bounds, self.values[:-1], strict=True)]


@dataclass(eq=False)
class Binary:
    """A number in the binary encoding: offset + coefficient * u, where u is from 0 to top.

    The bits of u are literals, the lowest first.
    """

    formula: Formula
    bits: Sequence[int]
    top: int
    offset: int
    coefficient: int = 1

    @property
    def low(self) -> int:
        """The least value of the number."""
        return self.offset + min(0, self.coefficient * self.top)

    @property
    def high(self) -> int:
        """The greatest value of the number."""
        return self.offset + max(0, self.coefficient * self.top)

    def at_most(self, value: int) -> int:
        """Return a literal that is true iff the number is at most ``value``.

        The literal is `TRUE` or `FALSE` if the domain alone decides.
        """
        if self.coefficient > 0:
            return self._bits_at_most((value - self.offset) // self.coefficient)
        # Division by a negative coefficient: u is at least the quotient, rounded up.
        least = -((value - self.offset) // -self.coefficient)
        return -self._bits_at_most(least - 1)

    def _bits_at_most(self, bound: int) -> int:
        """Return a literal that is true iff u, the number that the bits make up, is at most the bound.

        It is `TRUE` or `FALSE` if the bound is outside 0 to ``top``.
        """
        if bound < 0:
            return FALSE
        if bound >= self.top:
            return TRUE
        # ``result`` says whether the bits so far, from the lowest up, are at most those of the bound. The next bit: if
        # the bound's is 1, "the bit is 0, or the lower bits decide"; if it is 0, "the bit is 0, and they decide".
        result = TRUE
        for place, bit in enumerate(self.bits):
            combine = self.formula.disjunction if bound >> place & 1 else self.formula.conjunction
            result = combine([-bit, result])
        return result

    def equals(self, value: int) -> int:
        """Return a literal that is true iff the number has this value; `FALSE` if it cannot have it."""
        u, remainder = divmod(value - self.offset, self.coefficient)
        if remainder or not 0 <= u <= self.top:
            return FALSE
        return self.formula.conjunction(bit if u >> place & 1 else -bit for place, bit in enumerate(self.bits))

    def affine(self, coefficient: int, offset: int) -> "Binary":
        """Return the number coefficient * self + offset; the coefficient must not be 0."""
        return replace(self, coefficient=coefficient * self.coefficient, offset=coefficient * self.offset + offset)

    def literal_weights(self) -> tuple[int, list[Weighted]]:
        """Return (constant, pairs): the number is the constant plus the weights of the true literals.

        Each pair is (weight, literal).
        """
        return self.offset, [(self.coefficient << place, bit) for place, bit in enumerate(self.bits)]

    def value(self, model: Sequence[int]) -> int:
        """Return the value of the number in a model, whose entry i - 1 is the true literal of variable i."""
        u = sum(1 << place for place, bit in enumerate(self.bits) if model[abs(bit) - 1] == bit)
        return self.offset + self.coefficient * u

    def steps(self) -> list[tuple[int, int]]:
        """Return (literal, amount) pairs: the number is its offset plus the amounts of the true literals."""
        return [(bit, self.coefficient << place) for place, bit in enumerate(self.bits)]

    def truth_values(self, values: "NDArray[Any]") -> list[tuple[int, "NDArray[Any]"]]:
        """Return (literal, truth values) for each literal that encodes the number.

        Entry k of the truth values says whether the literal is true where the number is values[k].
        """
        u = (values - self.offset) // self.coefficient
        return [(bit, (u >> place) % 2 == 1) for place, bit in enumerate(self.bits)]


Number = Ordered | Binary


def new_number(formula: Formula, domain: Domain) -> Number:
    """Return a new number that can take exactly the values of the domain, a tuple of intervals (low, high).

    Its variables and clauses are added to the formula. It is in the order encoding if it has few values, else in
    binary.
    """
    size = size_of(domain)
    if size <= TUNING.max_order_encoded_values:
        values = list(values_of(domain))
        if size == 2:  # such as a Boolean: its variable is true where the value is the greater one
            return Ordered(formula, values, [-formula.add_variable()])
        bounds = [formula.add_variable() for _ in values[1:]]
        for lower, higher in pairwise(bounds):
            formula.add([-lower, higher])
        return Ordered(formula, values, bounds)
    low, high = domain[0][0], domain[-1][1]
    bits = [formula.add_variable() for _ in range((high - low).bit_length())]
    number = Binary(formula, bits, high - low, low)
    # A clause keeps the bits within the domain. For it, the number may be as large as its bits can make it: with the
    # right ``top`` its bound "at most high" would count as always true.
    any_bits = replace(number, top=(1 << len(bits)) - 1)
    formula.add([domain_literal(any_bits, domain)])
    return number


def domain_literal(number: Number, domain: Domain) -> int:
    """Return a literal that is true iff the number is in the domain, a tuple of intervals (low, high) in order.

    It says that the number is from the least to the greatest value of the domain, and in no gap between its intervals.
    """
    if isinstance(number, Ordered) and len(domain) == 1:
        return number.interval_literal(*domain[0])
    domain = clip(domain, number.low, number.high)
    if not domain:
        return FALSE
    low, high = domain[0][0], domain[-1][1]
    if low == high:
        return number.equals(low)
    gaps = [(a + 1, b - 1) for (_, a), (b, _) in pairwise(domain)]
    formula = number.formula
    outside_gaps = (
        -number.equals(a) if a == b else -formula.conjunction([number.at_most(b), -number.at_most(a - 1)])
        for a, b in gaps
    )
    return formula.conjunction([number.at_most(high), -number.at_most(low - 1), *outside_gaps])


@dataclass(frozen=True)
class Sum:
    """A linear expression: a mapping from numbers to coefficients, none of them 0, and an offset."""

    terms: Mapping[Number, int]
    offset: int = 0

    def scale_terms(self) -> list[Number]:
        """Return each number times its coefficient; the expression is their sum plus the offset."""
        return [number.affine(coefficient, 0) for number, coefficient in self.terms.items()]


def sum_of_literals(formula: Formula, base: int, weighted: Iterable[Weighted]) -> Binary:
    """Return the number, in binary, that is ``base`` plus the weights of the true literals.

    formula: the clauses are added to it. weighted: (weight, literal) pairs; weights may be negative, and literals may
    be repeated.

    Bits are added column by column with full and half adders: L. Dadda, Some Schemes for Parallel Multipliers (1965).
    """
    # One weight for each variable: weight * not x is weight - weight * x.
    weights: dict[int, int] = {}
    for weight, literal in weighted:
        if abs(literal) == TRUE:
            base += weight * (literal == TRUE)
        else:
            weights[abs(literal)] = weights.get(abs(literal), 0) + (weight if literal > 0 else -weight)
            base += weight * (literal < 0)
    # All weights made positive in the same way: those below 0 go to the negation of the variable.
    base += sum(weight for weight in weights.values() if weight < 0)
    top = sum(map(abs, weights.values()))
    columns: list[list[int]] = [[] for _ in range(top.bit_length() + 1)]
    for variable, weight in weights.items():
        for place in range(abs(weight).bit_length()):
            if abs(weight) >> place & 1:
                columns[place].append(variable if weight > 0 else -variable)
    # Column k has the literals that are worth 2^k. An adder replaces two or three of them by their parity, and adds a
    # carry to the next column, until each column has one literal: bit k of the result.
    bits = []
    for column, carries in pairwise(columns):
        while len(column) > 1:
            addends, column[:3] = column[:3], []
            column.append(formula.parity(addends))
            carry = formula.majority(*addends) if len(addends) == 3 else formula.conjunction(addends)
            carries.append(carry)
        bits.append(column[0] if column else FALSE)
    return Binary(formula, bits, top, base)


def product(x: Number, y: Number) -> Binary:
    """Return a new number in binary that equals the product of two numbers.

    It is multiplied out: each number is a constant plus weighted bits (literals), so that the product is a sum of the
    product of the constants, of weighted bits and of weighted conjunctions of two bits. Clauses are added to the
    formula of the numbers.
    """
    (x_base, x_bits), (y_base, y_bits) = x.literal_weights(), y.literal_weights()
    formula = x.formula
    formula.reserve(10 * len(x_bits) * len(y_bits))  # raises an error if so many clauses would be too many
    weighted = [(y_base * weight, bit) for weight, bit in x_bits] + [(x_base * weight, bit) for weight, bit in y_bits]
    weighted += [(v * w, formula.conjunction([a, b])) for v, a in x_bits for w, b in y_bits]
    return sum_of_literals(formula, x_base * y_base, weighted)


def total(formula: Formula, expression: Sum) -> Binary:
    """Return a number in binary that equals a linear expression; clauses are added to the formula.

    Each number times its coefficient is a constant plus the weights of its true literals; all of these are added up.
    """
    base, weighted = expression.offset, []
    for number in expression.scale_terms():
        least, bits = number.literal_weights()
        base += least
        weighted += bits
    return sum_of_literals(formula, base, weighted)
