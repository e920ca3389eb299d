"""Every kind of constraint for OR-Tools' original constraint solver, each with enforcement literals.

What the solver has is used where nothing enforces it and its numbers have few values; else it is said with clauses and
sums. The meaning of every kind is that of `solvers.cnf.lower`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import combinations, product
from threading import Event
from typing import TYPE_CHECKING, Any

from solvers.backends.cp_sat_flaws import LinearSum
from solvers.backends.cp_variables import Variables
from solvers.cnf.lower import NONNEGATIVE, NONZERO, POSITIVE, ZERO, as_domain, kind_of
from solvers.errors import Stopped

if TYPE_CHECKING:
    from ortools.constraint_solver.pywrapcp import Solver

LOOK = 256
"""After so many constraints it is asked whether to stop."""


def translate(proto: Any, solver: Solver, stop: Event) -> Variables:
    """The variables and constraints of a proto in the solver; those of the proto come first.

    Raises `InputError` for kinds that only CP-SAT knows, and where numbers might not be exact in 64 bits; `Stopped`
    once ``stop`` is set.
    """
    variables = Variables(solver, (as_domain(variable.domain) for variable in proto.variables))
    for number, constraint in enumerate(proto.constraints):
        if number % LOOK == 0 and stop.is_set():
            raise Stopped
        if kind := kind_of(constraint):
            variables.concerned = f"{kind} {number}" + (f" ({constraint.name})" if constraint.name else "")
            unless = [_not(literal) for literal in constraint.enforcement_literal]
            KINDS[kind](variables, getattr(constraint, kind), unless)
    for literal in proto.assumptions:
        variables.clause([literal])
    return variables


def _bool_or(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    variables.clause([*unless, *arguments.literals])


def _bool_and(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    for literal in arguments.literals:
        variables.clause([*unless, literal])


def _bool_xor(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """An odd number of them is true, with one more literal that is false where that is enforced."""
    literals = list(arguments.literals)
    if unless:
        literals.append(variables.new_literal())
        variables.clause([*unless, _not(literals[-1])])
    half = variables.new(0, len(literals) // 2)
    variables.require(variables.count(literals) - half.times(2), ((1, 1),))


def _at_most_one(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    variables.require(variables.count(arguments.literals), ((0, 1),), unless)


def _exactly_one(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    variables.require(variables.count(arguments.literals), ((1, 1),), unless)


def _linear(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    expression = variables.sum(arguments.vars, arguments.coeffs)
    variables.require(expression, as_domain(arguments.domain), unless)


def _all_diff(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    expressions = list(map(variables.expression, arguments.exprs))
    if unless or len(expressions) < 2 or variables.are_wide(expressions):
        for a, b in combinations(expressions, 2):
            variables.require(_difference(a, b), NONZERO, unless)
    else:
        variables.solver.Add(variables.solver.AllDifferent(list(map(variables.number, expressions))))


def _element(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    if len(arguments.vars):
        index, target = LinearSum({arguments.index: 1}), LinearSum({arguments.target: 1})
    else:
        index = variables.expression(arguments.linear_index) if arguments.has_linear_index() else LinearSum({})
        target = variables.expression(arguments.linear_target) if arguments.has_linear_target() else LinearSum({})
    array = variables.expressions(arguments)
    low, high = variables.range(index)
    # Of an index that leads out of the array the solver dies.
    if unless or low < 0 or high >= len(array) or variables.are_wide([target, *array]):
        _choose(
            variables, [[(index, place), (_difference(target, entry), 0)] for place, entry in enumerate(array)], unless
        )
    else:
        entry = variables.solver.Element(list(map(variables.number, array)), variables.number(index))
        variables.solver.Add(entry == variables.number(target))


def _choose(variables: Variables, rows: Iterable[Iterable[tuple[LinearSum, int]]], unless: Sequence[int]) -> None:
    """In one of the rows each expression has the value that stands beside it."""
    chosen = list(unless)
    for row in rows:
        chosen.append(variables.new_literal())
        for expression, value in row:
            variables.clause([_not(chosen[-1]), *variables.ways(expression, ((value, value),))])
    variables.clause(chosen)


def _table(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    columns = variables.expressions(arguments)
    flat = iter(arguments.values)
    rows = sorted(set(zip(*[flat] * len(columns), strict=True)))
    if arguments.negated:
        for row in rows:
            others = (
                variables.ways(column - LinearSum({}, value), NONZERO)
                for column, value in zip(columns, row, strict=True)
            )
            variables.clause([*unless, *(literal for literals in others for literal in literals)])
    elif columns:
        _one_of(variables, columns, rows, unless)


def _one_of(
    variables: Variables, columns: Sequence[LinearSum], rows: Iterable[Sequence[int]], unless: Sequence[int]
) -> None:
    """The expressions, of one variable or none, have the values of one of the rows."""
    possible = []
    for row in rows:
        values: dict[int, int] = {}
        for column, value in zip(columns, row, strict=True):
            ((variable, coefficient),) = column.coefficients.items() or ((-1, 1),)
            quotient, remainder = divmod(value - column.offset, coefficient)
            if remainder or values.setdefault(variable, quotient) != quotient:
                break
        else:
            ranges = ((variables.ranges[v], value) for v, value in values.items() if v >= 0)
            if values.get(-1, 0) == 0 and all(low <= value <= high for (low, high), value in ranges):
                possible.append(values)
    used = [LinearSum({v: 1}) for v in sorted({v for column in columns for v in column.coefficients})]
    rows = sorted({tuple(values[v] for (v,) in (column.coefficients for column in used)) for values in possible})
    if unless or not rows or not used or variables.are_wide(used):
        _choose(variables, [zip(used, row, strict=True) for row in rows], unless)
    else:
        variables.solver.Add(variables.solver.AllowedAssignments(list(map(variables.number, used)), rows))


def _inverse(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    direct, inverse = ([LinearSum({v: 1}) for v in side] for side in (arguments.f_direct, arguments.f_inverse))
    if unless or any(low < 0 or high >= len(direct) for low, high in map(variables.range, direct + inverse)):
        for i, image in enumerate(direct):
            _choose(variables, [[(image, j), (back, i)] for j, back in enumerate(inverse)], unless)
    elif direct:
        left, right = (list(map(variables.number, side)) for side in (direct, inverse))
        variables.solver.Add(variables.solver.InversePermutationConstraint(left, right))


def _circuit(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Each node has a next one, itself if it is on no tour; the arcs say which, where that is enforced."""
    ways: dict[tuple[int, int], list[int]] = defaultdict(list)
    for tail, head, literal in zip(arguments.tails, arguments.heads, arguments.literals, strict=True):
        ways[tail, head].append(literal)
    nodes = sorted({node for arc in ways for node in arc})
    following = [variables.new(0, len(nodes) - 1) for _ in nodes]
    if nodes:
        variables.solver.Add(variables.solver.SubCircuit(list(map(variables.number, following))))
    for (tail, after), (place, head) in product(zip(nodes, following, strict=True), enumerate(nodes)):
        is_next = variables.ways(after, ((place, place),))
        if (tail, head) in ways:
            chosen = _difference(variables.count(ways[tail, head]), variables.count(is_next))
            variables.require(chosen, ZERO, unless)
        else:
            free = unless if tail == head else ()
            variables.require(variables.count(is_next), ZERO, free)


def _automaton(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """The word passes from state to state; where it is enforced only, by letters that are then those of the word."""
    word = variables.expressions(arguments)
    steps = sorted(
        set(zip(arguments.transition_tail, arguments.transition_label, arguments.transition_head, strict=True))
    )
    reached, layers = {arguments.starting_state}, []
    for _ in word:
        layers.append([step for step in steps if step[0] in reached])
        reached = {head for _, _, head in layers[-1]}
    reached &= set(arguments.final_states)
    for number, layer in reversed(list(enumerate(layers))):
        layers[number] = [step for step in layer if step[2] in reached]
        reached = {tail for tail, _, _ in layers[number]}
    if not reached:
        return variables.clause(unless)
    places = {state: place for place, state in enumerate(sorted({s for tail, _, head in steps for s in (tail, head)}))}
    labels = {label: place for place, label in enumerate(sorted({label for _, label, _ in steps}))}
    is_direct = not unless and not any(variables.are_wide([letter]) for letter in word)
    state = variables.new(0, len(places))
    for expression, layer in zip(word, layers, strict=True):
        letter, after = expression, variables.new(0, len(places))
        if not is_direct:
            letter = variables.new(0, len(labels))
            for label, place in labels.items():
                differs = variables.ways(letter - LinearSum({}, place), NONZERO)
                variables.clause([*unless, *differs, *variables.ways(expression, ((label, label),))])
        rows = [(places[tail], label if is_direct else labels[label], places[head]) for tail, label, head in layer]
        _one_of(variables, [state, letter, after], rows, ())
        state = after


def _lin_max(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    target, expressions = variables.expression(arguments.target), list(map(variables.expression, arguments.exprs))
    if len(expressions) > 1:
        lows, highs = zip(*map(variables.range, expressions), strict=True)
        greatest = variables.solver.Max(list(map(variables.number, expressions)))
        expressions = [variables.named(greatest, max(lows), max(highs))]
    if expressions:
        variables.require(_difference(target, expressions[0]), ZERO, unless)
    else:
        variables.clause(unless)


def _int_prod(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    factors = map(variables.expression, arguments.exprs)
    result = reduce(lambda a, b: _product(variables, a, b), factors, LinearSum({}, 1))
    variables.require(_difference(variables.expression(arguments.target), result), ZERO, unless)


def _product(variables: Variables, a: LinearSum, b: LinearSum) -> LinearSum:
    for factor, other in ((a, b), (b, a)):
        if not factor.coefficients:
            return LinearSum(
                {v: factor.offset * c for v, c in other.coefficients.items() if factor.offset},
                factor.offset * other.offset,
            )
    corners = [p * q for p, q in product(variables.range(a), variables.range(b))]
    variables.check(max(map(abs, corners)))
    return variables.named(variables.number(a) * variables.number(b), min(corners), max(corners))


def _int_div(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    quotient, _ = _divide(variables, *map(variables.expression, arguments.exprs))
    variables.require(_difference(variables.expression(arguments.target), quotient), ZERO, unless)


def _int_mod(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    _, remainder = _divide(variables, *map(variables.expression, arguments.exprs))
    variables.require(_difference(variables.expression(arguments.target), remainder), ZERO, unless)


def _divide(variables: Variables, dividend: LinearSum, divisor: LinearSum) -> tuple[LinearSum, LinearSum]:
    """The quotient, rounded towards 0, and the remainder, which has the sign of the dividend."""
    most = max(map(abs, variables.range(dividend)))
    low, high = variables.range(divisor)
    most //= max(low, -high, 1)
    quotient = variables.new(-most, most)
    remainder = _difference(dividend, _product(variables, quotient, divisor))
    for sign, unless in _signs(variables, divisor):
        variables.require(_difference(divisor.times(sign), remainder), POSITIVE, unless)
        variables.require(_difference(divisor.times(sign), remainder.times(-1)), POSITIVE, unless)
    for sign, unless in _signs(variables, dividend):
        variables.require(remainder.times(sign), NONNEGATIVE, unless)
    return quotient, remainder


def _signs(variables: Variables, expression: LinearSum) -> list[tuple[int, list[int]]]:
    """The signs that the expression may have, each with a literal without which it has it; 0 counts as positive."""
    low, high = variables.range(expression)
    if low >= 0:
        return [(1, [])]
    if high < 0:
        return [(-1, [])]
    negative = variables.new_literal()
    variables.require(expression, NONNEGATIVE, [negative])
    variables.require(expression.times(-1), POSITIVE, [_not(negative)])
    return [(1, [negative]), (-1, [_not(negative)])]


def _difference(a: LinearSum, b: LinearSum) -> LinearSum:
    total = a - b
    return LinearSum({v: c for v, c in total.coefficients.items() if c}, total.offset)


def _not(literal: int) -> int:
    return -literal - 1


KINDS: dict[str, Callable[[Variables, Any, Sequence[int]], None]] = {
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
