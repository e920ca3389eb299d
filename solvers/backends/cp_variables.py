"""Variables, clauses and sums in OR-Tools' original constraint solver, whose numbers have 64 bits.

Where a number could pass them the model is refused. A literal is written as in a proto: i, or -i - 1 for the negation
of variable i. Where many values are between the least and the greatest of a number, only these two are reasoned with:
the solver keeps a bit for each value between as soon as one of them is taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from solvers.base.errors import InputError
from solvers.model.reading import (
    EXACT_IN_INT64,
    Domain,
    LinearSum,
    all_negated,
    clip,
    count,
    negation,
    of_variable,
    values_of,
)

if TYPE_CHECKING:
    from ortools.constraint_solver.pywrapcp import Solver

WIDE_RANGE = 2**16
"""A number whose greatest value is at least this much above its least is reasoned with by these two only."""


IN_INT32 = 2**31
"""Integers below are exact in 32 bits."""


class Variables:
    """The variables of a model in the solver, by proto index, followed by those that constraints add.

    It implements `solvers.model.decomposed.Writer`.
    """

    def __init__(
        self,
        solver: Solver,
        domains: Iterable[Domain],
        meanings: Mapping[int, tuple[int, Domain]] = MappingProxyType({}),
    ) -> None:
        """Add the model's variables to the solver.

        domains: the domains of the model's variables, in the order of its proto. meanings: for some Booleans, the
        (variable, domain) that they speak of: a Boolean is true iff the variable is in the domain. Such a Boolean is
        the constant 0 until `define` makes its variable.
        """
        self.meanings = meanings
        self.solver = solver
        self.variables: list[Any] = []
        """The solver's own object for each variable."""
        self.ranges: list[tuple[int, int]] = []
        """The least and the greatest value of each variable, by its domain."""
        self.successors: list[tuple[set[int], list[int]]] = []
        """For each circuit, the variables of its arcs, and those that follow from them: the successor of each node."""
        self.indices: set[int] = set()
        """The variables in the indices of element constraints."""
        self.index_rows = 0
        """The rows of all tables that take the place of equations for indices."""
        self.concerned = "the model"
        """The part of the model that is being added, for error messages."""
        self._made: set[int] = set()
        """The variables that the solver made of its own expressions."""
        self._negations: dict[int, Any] = {}
        """The solver's variable for each negative literal that was asked for."""
        self._multiples: dict[tuple[int, int], int] = {}
        """By (variable, coefficient), the variable that equals their product."""
        self._truths: dict[tuple[frozenset[tuple[int, int]], int, Domain], int] = {}
        """By (terms, offset, domain), the literal that is true iff the sum is in the domain."""
        self._numbers: dict[tuple[frozenset[tuple[int, int]], int], Any] = {}
        """By (terms, offset), the solver's variable that equals the sum."""
        # Variables that are made with their least and greatest value; their domains are required at the end.
        with_bounds: list[tuple[LinearSum, Domain]] = []
        for index, domain in enumerate(domains):
            if index in meanings:
                self._adopt(self.solver.IntConst(0), 0, 1)  # until it is defined
                continue
            low, high = domain[0][0], domain[-1][1]
            # Of two values the solver makes a multiple of a Boolean: see `_multiple`.
            if len(domain) > 1 and high - low < WIDE_RANGE and len(values := list(values_of(domain))) > 2:
                self._adopt(self.solver.IntVar(values), low, high)
            else:
                with_bounds.append((self.add_variable(low, high), domain))
        for variable, domain in with_bounds:
            self.require(variable, domain)

    def define(self, boolean: int) -> Any:
        """Make the solver's variable for a Boolean that has a meaning; return it."""
        index, domain = self.meanings[boolean]
        truth = self._truth(of_variable(index), domain, *self.ranges[index])
        self.variables[boolean] = self.variables[truth]
        return self.variables[boolean]

    def _adopt(self, variable: Any, low: int, high: int) -> int:
        """Store a variable of the solver with its least and greatest value; return its index in this object."""
        self.variables.append(variable)
        self.ranges.append((low, high))
        return len(self.variables) - 1

    def add_variable(self, low: int, high: int) -> LinearSum:
        """Add an integer variable with values from low to high, both included; return it as a sum."""
        return of_variable(self._adopt(self.solver.IntVar(low, high), low, high))

    def add_expression_variable(self, expression: Any, low: int, high: int) -> LinearSum:
        """Add a variable that equals an expression of the solver; return it as a sum.

        low, high: the least and the greatest value of the expression.
        """
        number = self._adopt(expression.Var(), low, high)
        self._made.add(number)
        return of_variable(number)

    def new_literal(self) -> int:
        """Add a Boolean variable; return its index, which is also its literal."""
        return self._adopt(self.solver.BoolVar(), 0, 1)

    def range(self, expression: LinearSum) -> tuple[int, int]:
        """Return (least, greatest): bounds of an expression that follow from its variables' domains.

        Raises `InputError` if its parts might not be exact in 64 bits.
        """
        low = high = expression.offset
        size = abs(expression.offset)  # a bound of the absolute value of every partial sum
        for variable, coefficient in expression.coefficients.items():
            first, last = self.ranges[variable] if coefficient > 0 else self.ranges[variable][::-1]
            low, high = low + coefficient * first, high + coefficient * last
            size += max(-coefficient * first, coefficient * last, abs(coefficient))
        self.check(size)
        return low, high

    def product(self, a: LinearSum, b: LinearSum, bounds: tuple[int, int], _: int) -> LinearSum:
        """Return a new variable, as a sum, that equals the product of two sums.

        bounds: the least and the greatest value of the product. The last argument is part of `Writer.product` and not
        used. Raises `InputError` if the product might not be exact in 64 bits.
        """
        self.check(max(map(abs, bounds)))
        return self.add_expression_variable(self.number(a) * self.number(b), *bounds)

    def check(self, size: int) -> None:
        """Raise `InputError` if integers of the absolute value ``size`` might not be exact in 64 bits."""
        if size >= EXACT_IN_INT64:
            raise InputError(
                f"cp computes with 64 bits, and {self.concerned} may come to {size}, which is too close to 2^63; "
                "give the variables smaller domains or choose another backend"
            )

    def _without_constants(self, expression: LinearSum) -> LinearSum:
        """Return the expression without coefficients of 0; variables of one value become part of the offset."""
        coefficients, offset = {}, expression.offset
        for variable, coefficient in expression.coefficients.items():
            low, high = self.ranges[variable]
            if low == high:
                offset += coefficient * low
            elif coefficient:
                coefficients[variable] = coefficient
        return LinearSum(coefficients, offset)

    def are_wide(self, expressions: Iterable[LinearSum]) -> bool:
        """Tell whether several expressions together span a wide range of values.

        The greatest value of any of them is then at least `WIDE_RANGE` above the least value of any.
        """
        lows, highs = zip(*map(self.range, expressions), strict=True)
        span: int = max(highs) - min(lows)
        return span >= WIDE_RANGE

    def number(self, expression: LinearSum) -> Any:
        """Return an expression as a variable of the solver; equal expressions share one.

        Raises `InputError` if the expression might not be exact in 64 bits.
        """
        low, high = self.range(expression)
        terms, offset = self._without_constants(expression)  # coefficients by variable, and the constant
        key = frozenset(terms.items()), offset
        if key not in self._numbers:
            if not terms:
                number = self.solver.IntConst(offset)
            elif len(terms) == 1:
                ((variable, coefficient),) = terms.items()
                if self._is_two_valued(variable) and coefficient != 1:
                    # The solver's own product would be wrong.
                    variable, coefficient = self._multiple(variable, coefficient), 1
                number = self.variables[variable]
                number = number if coefficient == 1 else number * coefficient
                number = number + offset if offset else number
            else:
                # In place of a variable that the solver makes of a sum, it puts that sum into others: see `_compare`.
                result = self.add_variable(low, high)
                number = self.number(result)
                self.require(expression - result, ((0, 0),))
            self._numbers[key] = number.Var()
        return self._numbers[key]

    def literal(self, literal: int) -> Any:
        """Return a literal as a variable of the solver, which is 1 where the literal is true.

        literal: i, or -i - 1 for the negation of variable i, whose variable is made at the first call.
        """
        if literal >= 0:
            return self.variables[literal]
        if literal not in self._negations:
            self._negations[literal] = (1 - self.variables[negation(literal)]).Var()
        return self._negations[literal]

    def clause(self, literals: Iterable[int]) -> None:
        """Require that at least one of the literals is true; add nothing if two of them are negations of each other."""
        distinct = sorted(set(literals))
        if len(distinct) == 2 and distinct[0] < 0 <= distinct[1]:  # an implication, which needs no negation
            if negation(distinct[0]) != distinct[1]:
                self.solver.Add(self.variables[negation(distinct[0])] <= self.variables[distinct[1]])
        elif not distinct:
            self.solver.Add(self.solver.FalseConstraint())
        elif not {*all_negated(distinct)} & {*distinct}:
            self.solver.Add(self.solver.SumGreaterOrEqual(list(map(self.literal, distinct)), 1))

    def require(self, expression: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
        """Require that the expression is in the domain, unless at least one literal of ``unless`` is true.

        Raises `InputError` if the expression might not be exact in 64 bits.
        """
        low, high = self.range(expression)
        pieces = clip(domain, low, high)  # the intervals of the domain within these bounds
        if pieces == ((low, high),):  # always true
            return
        if len(pieces) == 1:
            return self._require_bounds(expression, (low, high), *pieces[0], unless)
        terms, offset = self._without_constants(expression)
        hole = _hole(pieces, low, high)  # the only value that is excluded; None if there are none or several
        if len(terms) == 2 and hole is not None and not unless and high - low < WIDE_RANGE:
            # The sum p * a + q * b + offset is not the hole iff p * a + offset != hole - q * b.
            (a, p), (b, q) = terms.items()
            self.solver.Add(self.number(LinearSum({a: p}, offset)) != self.number(LinearSum({b: -q}, hole)))
        else:
            self.clause([*unless, *self.domain_literals(expression, pieces)])

    def _require_bounds(
        self, expression: LinearSum, bounds: tuple[int, int], least: int, most: int, unless: Sequence[int]
    ) -> None:
        """Require that the expression, which has these bounds, is from least to most, unless one of ``unless`` is true.

        A bound is weakened by the number of true literals of ``unless`` times its distance from the expression's own
        bound, so that one true literal makes it require nothing ("big M"): expression - number * (high - most) <= most.
        Raises `InputError` if the expression might not be exact in 64 bits.
        """
        low, high = bounds
        excuses = count(unless)  # the number of true literals, as a sum
        if least == most and not unless:
            return self._compare(expression, least, "Equality")
        if most < high:
            self._compare(expression - excuses.times(high - most), most, "LessOrEqual")
        if least > low:
            self._compare(expression + excuses.times(least - low), least, "GreaterOrEqual")

    def _compare(self, expression: LinearSum, bound: int, relation: str) -> None:
        """Add a comparison of the expression with the number ``bound``, in a form that the solver gets right.

        relation: "Equality", "LessOrEqual" or "GreaterOrEqual". The solver gets some forms wrong: multiples of
        variables with two values, large coefficients of these, and some equalities, which become two inequalities.
        Raises `InputError` if the expression might not be exact in 64 bits.
        """
        self.range(expression)  # raises the error
        terms, offset = self._without_constants(expression)
        bound -= offset
        self.check(abs(bound))
        is_made = not self._made.isdisjoint(terms)  # some variable is the solver's own for an expression
        if not is_made and all(c in (1, -1) and self.ranges[v] == (0, 1) for v, c in terms.items()):
            # The solver has propagators of its own for sums of Booleans.
            literals = [self.literal(v if c > 0 else negation(v)) for v, c in terms.items()]
            bound += sum(c < 0 for c in terms.values())  # as -v is (not v) - 1
            self.solver.Add(getattr(self.solver, f"Sum{relation}")(literals, bound))
            return
        two_valued = {v: c for v, c in terms.items() if self._is_two_valued(v)}
        heavy = {v: c for v, c in two_valued.items() if abs(c) >= IN_INT32}  # replaced by variables for their multiples
        terms = {v: c for v, c in terms.items() if v not in heavy} | {self._multiple(v, c): 1 for v, c in heavy.items()}
        # Of two variables, one of them a Boolean or another one with an offset, the solver may take an equality for
        # another equality. The greatest of several, to it, may be just that.
        is_flawed = len(terms) == 2 or is_made or any(c not in (1, -1) for c in two_valued.values())
        for side in ["LessOrEqual", "GreaterOrEqual"] if relation == "Equality" and is_flawed else [relation]:
            self._post(terms, bound, side)

    def _post(self, terms: Mapping[int, int], bound: int, relation: str) -> None:
        """Add a comparison of a sum with the number ``bound`` to the solver as it is.

        terms: coefficients by variable. relation: "Equality", "LessOrEqual" or "GreaterOrEqual".
        """
        variables, coefficients = [self.variables[v] for v in terms], list(terms.values())
        self.solver.Add(getattr(self.solver, f"ScalProd{relation}")(variables, coefficients, bound))

    def _is_two_valued(self, variable: int) -> bool:
        """Tell whether a variable has two adjacent values; the solver treats it as a Boolean plus an offset."""
        low, high = self.ranges[variable]
        return high - low == 1

    def _multiple(self, variable: int, coefficient: int) -> int:
        """Return the index of a new variable that equals ``coefficient`` times a variable with two values.

        Two inequalities say so, 1 * new - coefficient * variable <= 0 and >= 0. The solver's own product is not used,
        because it takes 1..2 for the range of 3b where b is true; neither are its sums of Booleans, because they cut
        coefficients down to 32 bits.
        """
        if (variable, coefficient) not in self._multiples:
            low, high = sorted(coefficient * end for end in self.ranges[variable])
            multiple = self._adopt(self.solver.IntVar(low, high), low, high)
            for side in ("LessOrEqual", "GreaterOrEqual"):
                self._post({multiple: 1, variable: -coefficient}, 0, side)
            self._multiples[variable, coefficient] = multiple
        return self._multiples[variable, coefficient]

    def domain_literals(self, expression: LinearSum, domain: Domain) -> list[int]:
        """Return literals that allow to require that the expression is in the domain.

        If one of them is true, the expression is in the domain; if it lies there, one of them can be true. So a
        clause of them requires it. The list is empty if the expression cannot be in the domain. Raises `InputError` if
        the expression might not be exact in 64 bits.
        """
        self.range(expression)  # raises the error
        expression = self._without_constants(expression)
        if len(expression.coefficients) == 1:  # as a question about the variable itself: more of these are the same
            ((variable, coefficient),) = expression.coefficients.items()
            expression, domain = of_variable(variable), _quotient_domain(domain, coefficient, expression.offset)
        low, high = self.range(expression)
        pieces = clip(domain, low, high)
        if not pieces:
            return []
        if high - low < WIDE_RANGE:
            return [self._truth(expression, pieces, low, high)]
        literals = []
        for piece in pieces:  # a new literal for each interval implies that the expression is in it
            literals.append(self.new_literal())
            self.require(expression, (piece,), [-literals[-1] - 1])
        return literals

    def _truth(self, expression: LinearSum, pieces: Domain, low: int, high: int) -> int:
        """Return a literal that is true iff the expression is in the pieces.

        pieces: a domain, its intervals in order, within the expression's bounds, low and high. The solver's function
        with the least work for these pieces makes the literal; equal questions share one. Raises `InputError` if the
        expression might not be exact in 64 bits.
        """
        number, solver = self.number(expression), self.solver
        key = frozenset(expression.coefficients.items()), expression.offset, pieces
        if key in self._truths:
            return self._truths[key]
        least, most = pieces[0][0], pieces[-1][1]
        if len(pieces) > 1:
            hole = _hole(pieces, low, high)
            if hole is not None:
                truth = solver.IsDifferentCstVar(number, hole)
            else:
                truth = solver.IsMemberVar(number, list(values_of(pieces)))
        elif least == most:
            truth = solver.IsEqualCstVar(number, least)
        elif least == low:
            truth = solver.IsLessOrEqualCstVar(number, most)
        elif most == high:
            truth = solver.IsGreaterOrEqualCstVar(number, least)
        else:
            truth = solver.IsBetweenVar(number, least, most)
        self._truths[key] = self._adopt(truth, 0, 1)
        return self._truths[key]


def _quotient_domain(domain: Domain, coefficient: int, offset: int) -> Domain:
    """Return the integers x for which coefficient * x + offset is in the domain; the coefficient must not be 0."""
    intervals = []
    for first, last in domain:
        # A negative coefficient exchanges the ends: the least x gives the greatest value.
        at_low, at_high = (first, last) if coefficient > 0 else (last, first)
        # The ends are the quotients (at - offset) / coefficient: the lower one rounded up, the upper one down.
        low, high = -((offset - at_low) // coefficient), (at_high - offset) // coefficient
        if low <= high:
            intervals.append((low, high))
    return tuple(sorted(intervals))


def _hole(pieces: Domain, low: int, high: int) -> int | None:
    """Return the only value from low to high that the pieces lack; None if they lack none or several.

    pieces: a domain within low and high, as intervals in order. A value that is ``low`` or ``high`` is no hole: for
    example, ((0, 3), (5, 9)) has the hole 4 within 0 and 9.
    """
    # Two pieces from end to end, with a single value between them.
    ends = [end for piece in pieces for end in piece]
    if len(ends) == 4 and ends[2] - ends[1] == 2 and (ends[0], ends[3]) == (low, high):
        return ends[1] + 1
    return None
