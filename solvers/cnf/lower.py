"""CpModel -> CNF: a formula whose solutions are, one for one, those of the model.

Each auxiliary variable is determined by the model's variables, whether a constraint is enforced or not. A Boolean is
lowered to one literal, an integer to the literals [x <= v], and one of many values to its bits. The meaning of every
kind is that of cp_model.proto (OR-Tools 9.15) where it says it, else what the solver was seen to do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, reduce
from itertools import combinations
from itertools import product as combinations_of
from math import prod
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.cnf.arithmetic import (
    MOST_ORDERED,
    Binary,
    Domain,
    Number,
    Ordered,
    Sum,
    constant,
    new_number,
    product,
    total,
    within,
)
from solvers.cnf.gates import FALSE, TRUE, Formula
from solvers.cnf.linear import is_within, require_within
from solvers.errors import InputError
from solvers.symmetry.choices import choice_of
from solvers.values import Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from ortools.sat.python.cp_model import CpModel

MOST_CASES = 10_000
"""A function of several numbers is lowered value by value up to so many combinations of values, else in binary."""

EXACT_IN_INT64 = 2**62
"""Differences of integers below are exact in 64 bits."""

UNBOUNDED = 2**128
"""Beyond every sum and product: CP-SAT takes no model whose expressions might leave 64 bits."""

ZERO: Domain = ((0, 0),)
NONZERO: Domain = ((-UNBOUNDED, -1), (1, UNBOUNDED))
NEGATIVE: Domain = ((-UNBOUNDED, -1),)
NONPOSITIVE: Domain = ((-UNBOUNDED, 0),)
NONNEGATIVE: Domain = ((0, UNBOUNDED),)
POSITIVE: Domain = ((1, UNBOUNDED),)


class Steps(NamedTuple):
    """By which literals variables rise above their least values."""

    literals: NDArray[np.int64]
    weights: NDArray[Any]
    """By how much each raises its variable, if it is true."""
    variables: NDArray[np.int64]
    first: NDArray[np.int64]
    """Where the literals of each variable begin; empty where each has one."""


class Lowering:
    """A formula in the making, and what its variables say about those of the model."""

    numbers: Sequence[Number]
    """Each variable of the model."""

    objective: Binary | None = None
    """What is to be minimised: the objective of the proto, or the negative of a floating-point one to be maximised."""

    def __init__(self, formula: Formula, domains: Iterable[Domain]) -> None:
        self.formula = formula
        self.numbers = [new_number(formula, domain) for domain in domains]
        self._only_booleans = all(
            isinstance(number, Ordered) and number.values == [0, 1] and number.bounds == [-variable]
            for variable, number in enumerate(self.numbers, TRUE + 1)
        )
        self._booleans: dict[int, int] = {}
        self._named: dict[tuple[frozenset[tuple[Number, int]], int], Number] = {}

    def boolean(self, reference: int) -> int:
        """The literal of a reference to a Boolean: i, or -i - 1 for the negation of variable i."""
        literal = self._booleans.get(reference)
        if literal is None:
            literal = self.numbers[max(reference, -reference - 1)].equals(1) * (1 if reference >= 0 else -1)
            self._booleans[reference] = literal
        return literal

    def booleans(self, references: Iterable[int]) -> list[int]:
        return list(map(self.boolean, references))

    def literal(self, variable: int, value: int) -> int:
        """True iff the variable has the value; may add clauses."""
        return self.numbers[variable].equals(value)

    def projection(self, key: Iterable[int]) -> list[int]:
        """Literals; which of them are true tells the values of these variables, and the other way round.

        Where exactly one of some of the key's literals is true, those are enough.
        """
        literals: dict[int, None] = {}
        booleans: dict[int, None] = {}
        for number in map(self.numbers.__getitem__, key):
            if isinstance(number, Binary):
                booleans.update((bit, None) for bit in number.bits)
            elif len(number.values) == 2:
                booleans[abs(number.bounds[0])] = None
            else:
                literals.update((number.equals(value), None) for value in number.values)
        covered = {TRUE}
        for choice in self.formula.choices:
            if all(abs(literal) in booleans for literal in choice):
                literals.update((literal, None) for literal in choice)
                covered.update(map(abs, choice))
        for boolean in booleans:
            if boolean not in covered:
                literals.update({boolean: None, -boolean: None})
        return list(literals)

    def values(self, model: Sequence[int]) -> Values:
        """The value of each variable of the CpModel; the model of the formula lists the true literal of i at i - 1."""
        import numpy as np

        values: Values = self.rows(np.array(model)[:, np.newaxis] > 0)[0]
        return values

    def rows(self, true: NDArray[np.bool_]) -> NDArray[Any]:
        """The values of all variables of the CpModel in several solutions, a row for each.

        ``true`` has a row for each variable of the formula and a column for each solution.
        """
        import numpy as np

        if self._only_booleans:
            return true[TRUE : TRUE + len(self.numbers)].T
        low, single, several = self._steps
        values = np.repeat(low[:, np.newaxis], true.shape[1], axis=1)
        for literal, weight, variable, first in (single, several):
            holds = true[np.abs(literal) - 1] ^ (literal < 0)[:, np.newaxis]
            raised = holds * weight[:, np.newaxis]
            if len(first):
                values[variable] += np.add.reduceat(raised, first, dtype=values.dtype)
            else:
                values[variable] += raised
        return values.T

    @cached_property
    def _steps(self) -> tuple[NDArray[Any], Steps, Steps]:
        """The least value of each variable, and the steps up of those that have one and of those that have several."""
        import numpy as np

        steps = [number.steps() for number in self.numbers]
        largest = max((max(-number.low, number.high) for number in self.numbers), default=0)
        # The steps of a number add up to twice as much at most.
        whole = np.min_scalar_type(-2 * largest - 1) if largest < EXACT_IN_INT64 else np.dtype(object)
        low = np.array([n.offset if isinstance(n, Binary) else n.low for n in self.numbers], whole)

        def of(variables: Sequence[int]) -> Steps:
            flat = [step for variable in variables for step in steps[variable]]
            sizes = [len(steps[variable]) for variable in variables]
            first = np.cumsum([0, *sizes[:-1]]) if len(flat) > len(sizes) else np.arange(0)
            literals = np.array([literal for literal, _ in flat], np.int64)
            return Steps(literals, np.array([w for _, w in flat], whole), np.array(variables, np.int64), first)

        numbers = range(len(steps))
        return low, of([n for n in numbers if len(steps[n]) == 1]), of([n for n in numbers if len(steps[n]) > 1])

    def sum(self, variables: Iterable[int], coefficients: Iterable[int], offset: int = 0) -> Sum:
        terms: dict[Number, int] = defaultdict(int)
        for variable, coefficient in zip(variables, coefficients, strict=True):
            number = self.numbers[variable]
            if number.low == number.high:
                offset += coefficient * number.low
            else:
                terms[number] += coefficient
        return Sum({number: coefficient for number, coefficient in terms.items() if coefficient}, offset)

    def expression(self, proto: Any) -> Sum:
        return self.sum(proto.vars, proto.coeffs, proto.offset)

    def variable(self, index: int) -> Sum:
        return self.sum([index], [1])

    def expressions(self, arguments: Any) -> list[Sum]:
        """The arguments of a constraint, be it in the older spelling or in today's."""
        return [*map(self.variable, arguments.vars), *map(self.expression, arguments.exprs)]

    def number(self, expression: Sum) -> Number:
        """The expression as one number."""
        if not expression.terms:
            return constant(self.formula, expression.offset)
        if len(expression.terms) == 1:
            ((number, coefficient),) = expression.terms.items()
            return number.affine(coefficient, expression.offset)
        key = frozenset(expression.terms.items()), expression.offset
        if key not in self._named:
            self._named[key] = self._name(expression)
        return self._named[key]

    def _name(self, expression: Sum) -> Number:
        values = {expression.offset}
        for number in expression.scaled():
            if isinstance(number, Ordered):
                values = {a + b for a in values for b in number.values}
            if isinstance(number, Binary) or len(values) > MOST_ORDERED:
                return total(self.formula, expression)
        least, *_ = ordered = sorted(values)
        bounds = [is_within(self.formula, expression, ((least, value),)) for value in ordered[:-1]]
        return Ordered(self.formula, ordered, bounds)


def lower(model: CpModel, stop: Event, *, validate: bool = True) -> Lowering:
    """The model as a formula.

    Raises `InputError` for a model that OR-Tools takes for invalid, if it is to ``validate``, for kinds of constraint
    that have no lowering and for more than `gates.MOST_CLAUSES` clauses; `Stopped` once ``stop`` is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_bool_var("x"), model.new_bool_var("y")
    >>> _ = model.add(x != y)
    >>> lower(model, Event()).formula.clauses
    [[1], [2, 3], [-2, -3]]
    """
    if validate and (invalid := model.validate()):
        raise InputError(f"OR-Tools does not accept the model: {' '.join(invalid.split())}")
    proto = model.proto
    lowering = Lowering(Formula(stop), (as_domain(variable.domain) for variable in proto.variables))
    formula = lowering.formula
    kinds = [kind_of(constraint) for constraint in proto.constraints]
    for kind, constraint in zip(kinds, proto.constraints, strict=True):
        unless = [-literal for literal in lowering.booleans(constraint.enforcement_literal)]
        if not kind or TRUE in unless:
            continue
        if kind == "linear" and (choice := choice_of(constraint, proto)):
            say = formula.exactly_one if choice.is_exact else formula.at_most_one
            say(lowering.booleans(choice.literals), unless)
        else:
            KINDS[kind](lowering, getattr(constraint, kind), unless)
    for literal in lowering.booleans(proto.assumptions):
        formula.add([literal])
    if proto.has_objective():
        objective = proto.objective
        lowering.objective = total(formula, lowering.sum(objective.vars, objective.coeffs))
        if len(objective.domain):
            formula.add([within(lowering.objective, as_domain(objective.domain))])
    elif proto.has_floating_point_objective():
        floating = proto.floating_point_objective
        coefficients = [-c if floating.maximize else c for c in floating.coeffs]
        if any(c != int(c) for c in coefficients):
            raise InputError("a SAT solver takes an objective with whole coefficients only; use --backend cp-sat")
        lowering.objective = total(formula, lowering.sum(floating.vars, map(int, coefficients)))
    return lowering


def kind_of(constraint: Any) -> str:
    """The name of its kind; empty if it has none and so says nothing."""
    kind = next((kind for kind in (*KINDS, *CP_SAT_ALONE) if getattr(constraint, f"has_{kind}")()), "")
    if kind in CP_SAT_ALONE:
        raise InputError(f"{kind} is understood by cp-sat only; use --backend cp-sat")
    return kind


def as_domain(bounds: Iterable[int]) -> Domain:
    flat = list(bounds)
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _bool_or(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    lowering.formula.add([*unless, *lowering.booleans(arguments.literals)])


def _bool_and(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    for literal in lowering.booleans(arguments.literals):
        lowering.formula.add([*unless, literal])


def _bool_xor(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    lowering.formula.add([*unless, lowering.formula.parity(lowering.booleans(arguments.literals))])


def _at_most_one(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    lowering.formula.at_most_one(lowering.booleans(arguments.literals), unless)


def _exactly_one(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    lowering.formula.exactly_one(lowering.booleans(arguments.literals), unless)


def _linear(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    expression = lowering.sum(arguments.vars, arguments.coeffs)
    require_within(lowering.formula, expression, as_domain(arguments.domain), unless)


def _all_diff(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    formula = lowering.formula
    expressions = list(map(lowering.expression, arguments.exprs))
    numbers = list(map(lowering.number, expressions))
    ordered = [number for number in numbers if isinstance(number, Ordered)]
    formula.reserve(sum(len(few_valued.values) for few_valued in ordered))
    holders: dict[int, list[int]] = defaultdict(list)
    for few_valued in ordered:
        for value in few_valued.values:
            holders[value].append(few_valued.equals(value))
    binary = [(number, e) for number, e in zip(numbers, expressions, strict=True) if isinstance(number, Binary)]
    for many_valued, _ in binary:
        for value, literals in holders.items():
            literals.append(many_valued.equals(value))
    if not binary and len(holders) < len(numbers):
        formula.add([*unless])
    for literals in holders.values():
        if not binary and len(holders) == len(numbers):
            formula.exactly_one(literals, unless)
        else:
            formula.at_most_one(literals, unless)
    formula.reserve(len(binary) * (len(binary) - 1) * MOST_ORDERED.bit_length())
    for (_, a), (_, b) in combinations(binary, 2):
        require_within(formula, a.minus(b), NONZERO, unless)


def _element(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    if len(arguments.vars):
        index, target = lowering.variable(arguments.index), lowering.variable(arguments.target)
    else:
        index = lowering.expression(arguments.linear_index) if arguments.has_linear_index() else Sum({})
        target = lowering.expression(arguments.linear_target) if arguments.has_linear_target() else Sum({})
    array = lowering.expressions(arguments)
    position = lowering.number(index)
    lowering.formula.add([*unless, within(position, ((0, len(array) - 1),))])
    for place, expression in enumerate(array):
        chosen = position.equals(place)
        require_within(lowering.formula, target.minus(expression), ZERO, [*unless, -chosen])


def _table(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """The tuple is not one of the rows; or it is one of them, and each value is in one of the rows that have it."""
    formula = lowering.formula
    columns = list(map(lowering.number, lowering.expressions(arguments)))
    flat = iter(arguments.values)
    rows = set(zip(*[flat] * len(columns), strict=True))
    if not columns:
        return
    formula.reserve(len(rows))
    if arguments.negated:
        for row in sorted(rows):
            formula.add([*unless, *(-number.equals(value) for number, value in zip(columns, row, strict=True))])
        return
    holders: dict[int, list[int]] = defaultdict(list)
    chosen = []
    for row in sorted(rows):
        literals = [number.equals(value) for number, value in zip(columns, row, strict=True)]
        if FALSE not in literals:
            chosen.append(formula.conjunction(literals))
            for literal in literals:
                holders[literal].append(chosen[-1])
    formula.add([*unless, *chosen])
    for literal, rows_with_it in holders.items():
        formula.add([*unless, -literal, *rows_with_it])


def _inverse(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    formula = lowering.formula
    direct = [lowering.number(lowering.variable(v)) for v in arguments.f_direct]
    inverse = [lowering.number(lowering.variable(v)) for v in arguments.f_inverse]
    formula.reserve(len(direct) ** 2)
    for number in direct + inverse:
        formula.add([*unless, within(number, ((0, len(direct) - 1),))])
    for i, j in combinations_of(range(len(direct)), repeat=2):
        there, back = direct[i].equals(j), inverse[j].equals(i)
        formula.add([*unless, -there, back])
        formula.add([*unless, there, -back])


def _circuit(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Each node has one arc in and one out; each on the tour but the first is one place behind the node before it.

    The place of a node that is not on the tour, and of all nodes where the constraint is not enforced, is 0.
    """
    formula = lowering.formula
    arcs = list(zip(arguments.tails, arguments.heads, lowering.booleans(arguments.literals), strict=True))
    nodes = sorted({node for tail, head, _ in arcs for node in (tail, head)})
    for node in nodes:
        formula.exactly_one([literal for tail, _, literal in arcs if tail == node], unless)
        formula.exactly_one([literal for _, head, literal in arcs if head == node], unless)
    enforced = formula.conjunction(-literal for literal in unless)
    skipped = {tail: literal for tail, head, literal in arcs if tail == head}
    is_first: dict[int, int] = {}
    place: dict[int, list[int]] = {}
    next_place: dict[int, list[int]] = {}
    all_skipped_so_far = TRUE
    for node in nodes:
        is_skipped = skipped.get(node, FALSE)
        is_first[node] = formula.conjunction([all_skipped_so_far, -is_skipped])
        all_skipped_so_far = formula.conjunction([all_skipped_so_far, is_skipped])
        place[node] = [formula.new() for _ in range((len(nodes) - 1).bit_length())]
        next_place[node] = []
        carry = TRUE
        for bit in place[node]:
            for zero_unless in (enforced, -is_skipped, -is_first[node]):
                formula.add([zero_unless, -bit])
            next_place[node].append(formula.parity([bit, carry]))
            carry = formula.conjunction([bit, carry])
    for tail, head, literal in arcs:
        if tail != head:
            for bit, next_bit in zip(place[head], next_place[tail], strict=True):
                formula.add([*unless, -literal, is_first[head], -bit, next_bit])
                formula.add([*unless, -literal, is_first[head], bit, -next_bit])


def _automaton(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    formula = lowering.formula
    transitions = list(
        zip(arguments.transition_tail, arguments.transition_label, arguments.transition_head, strict=True)
    )
    states = {arguments.starting_state: TRUE}
    for number in map(lowering.number, lowering.expressions(arguments)):
        arrivals: dict[int, list[int]] = defaultdict(list)
        for tail, label, head in transitions:
            arrivals[head].append(formula.conjunction([states.get(tail, FALSE), number.equals(label)]))
        states = {state: formula.disjunction(ways) for state, ways in arrivals.items()}
    formula.add([*unless, *(states.get(state, FALSE) for state in arguments.final_states)])


def _lin_max(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    formula = lowering.formula
    target, expressions = lowering.expression(arguments.target), list(map(lowering.expression, arguments.exprs))
    greatest, numbers = lowering.number(target), list(map(lowering.number, expressions))
    values = {value for number in (greatest, *numbers) if isinstance(number, Ordered) for value in number.values}
    if not numbers:
        formula.add([*unless])
    elif all(isinstance(number, Ordered) for number in (greatest, *numbers)):
        for value in sorted(values):
            for number in numbers:
                formula.add([*unless, -greatest.at_most(value), number.at_most(value)])
            formula.add([*unless, greatest.at_most(value), *(-number.at_most(value) for number in numbers)])
    else:
        for expression in expressions:
            require_within(formula, target.minus(expression), NONNEGATIVE, unless)
        reached = (is_within(formula, target.minus(expression), NONPOSITIVE) for expression in expressions)
        formula.add([*unless, *reached])


def _by_cases(
    lowering: Lowering, arguments: Any, function: Callable[..., int], unless: Sequence[int]
) -> tuple[Sum, list[Sum]] | None:
    """Requires that the target is this function of the expressions; the two if there are too many cases to do so."""
    formula = lowering.formula
    target, expressions = lowering.expression(arguments.target), list(map(lowering.expression, arguments.exprs))
    numbers = list(map(lowering.number, expressions))
    values = [number.values for number in numbers if isinstance(number, Ordered)]
    if len(values) < len(numbers) or prod(map(len, values)) > MOST_CASES:
        return target, expressions
    result = lowering.number(target)
    for case in combinations_of(*values):
        guards = (-number.equals(value) for number, value in zip(numbers, case, strict=True))
        formula.add([*unless, *guards, result.equals(function(*case))])
    return None


def _int_prod(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    if many := _by_cases(lowering, arguments, lambda *factors: prod(factors), unless):
        target, factors = many
        result = reduce(product, map(lowering.number, factors))
        require_within(lowering.formula, target.minus(Sum({result: 1})), ZERO, unless)


def _int_div(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """The remainder, dividend - quotient * divisor, has the dividend's sign and is nearer to 0 than the divisor."""
    if many := _by_cases(lowering, arguments, _truncated, unless):
        quotient, (dividend, divisor) = many
        multiple = product(lowering.number(quotient), lowering.number(divisor))
        _require_remainder(lowering, dividend.minus(Sum({multiple: 1})), dividend, divisor, unless)


def _int_mod(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """The remainder, dividend - quotient * divisor, has the dividend's sign and is nearer to 0 than the divisor.

    The quotient is a variable of the formula; it is determined where the constraint is enforced, and fixed elsewhere.
    """
    if many := _by_cases(lowering, arguments, lambda a, m: a - m * _truncated(a, m), unless):
        remainder, (dividend, divisor) = many
        formula = lowering.formula
        a = lowering.number(dividend)
        most = max(abs(a.low), abs(a.high))
        bits = [formula.new() for _ in range((2 * most).bit_length())]
        enforced = formula.conjunction(-literal for literal in unless)
        for bit in bits:
            formula.add([enforced, -bit])
        quotient = Binary(formula, bits, (1 << len(bits)) - 1, -most)
        multiple = product(quotient, lowering.number(divisor))
        require_within(formula, dividend.minus(remainder).minus(Sum({multiple: 1})), ZERO, unless)
        _require_remainder(lowering, remainder, dividend, divisor, unless)


def _truncated(dividend: int, divisor: int) -> int:
    towards_zero = abs(dividend) // abs(divisor)
    return towards_zero if (dividend < 0) == (divisor < 0) else -towards_zero


def _require_remainder(lowering: Lowering, remainder: Sum, dividend: Sum, divisor: Sum, unless: Sequence[int]) -> None:
    """The remainder is 0 or has the dividend's sign, and its absolute value is less than the divisor's."""
    formula = lowering.formula
    below_zero = is_within(formula, dividend, NEGATIVE)
    divides_below_zero = is_within(formula, divisor, NEGATIVE)
    require_within(formula, remainder, NONNEGATIVE, [*unless, below_zero])
    require_within(formula, remainder, NONPOSITIVE, [*unless, -below_zero])
    opposite = Sum({}).minus(divisor)
    require_within(formula, remainder.minus(divisor), NEGATIVE, [*unless, below_zero, divides_below_zero])
    require_within(formula, remainder.minus(opposite), NEGATIVE, [*unless, below_zero, -divides_below_zero])
    require_within(formula, remainder.minus(opposite), POSITIVE, [*unless, -below_zero, divides_below_zero])
    require_within(formula, remainder.minus(divisor), POSITIVE, [*unless, -below_zero, -divides_below_zero])


KINDS: dict[str, Callable[[Lowering, Any, Sequence[int]], None]] = {
    "bool_or": _bool_or,
    "bool_and": _bool_and,
    "bool_xor": _bool_xor,
    "at_most_one": _at_most_one,
    "exactly_one": _exactly_one,
    "linear": _linear,
    "all_diff": _all_diff,
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "automaton": _automaton,
    "lin_max": _lin_max,
    "int_prod": _int_prod,
    "int_div": _int_div,
    "int_mod": _int_mod,
}
"""What requires a constraint of this kind, given its arguments, unless one of some literals is true."""

CP_SAT_ALONE = ("cumulative", "dummy_constraint", "interval", "no_overlap", "no_overlap_2d", "reservoir", "routes")
"""The kinds of cp_model.proto (OR-Tools 9.15) that have no lowering."""
