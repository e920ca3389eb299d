"""Rewrites a model around what CP-SAT 9.15 gets wrong; its solutions stay the same.

Every new variable is determined by those that were there. The wrong answers are pinned in tests/test_cp_sat.py, each
by the smallest model that was found, so that one sees when a rewriting is no longer needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.errors import InputError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

LEAST, GREATEST = -(2**63), 2**63 - 1
"""How domains of cp_model.proto write that there is no bound."""

ZERO, NOT_ZERO, POSITIVE, NOT_NEGATIVE = (0, 0), (LEAST, -1, 1, GREATEST), (1, GREATEST), (0, GREATEST)


class Affine(NamedTuple):
    """Coefficients by variable, and an offset."""

    coefficients: Mapping[int, int]
    offset: int = 0

    def __sub__(self, other: Affine) -> Affine:
        total = Counter(self.coefficients)
        total.subtract(other.coefficients)
        return Affine(total, self.offset - other.offset)

    def times(self, factor: int) -> Affine:
        return Affine({v: factor * c for v, c in self.coefficients.items()}, factor * self.offset)


def mend(model: CpModel) -> None:
    """Rewrite the constraints of the model that CP-SAT gets wrong, or may."""
    constraints = model.proto.constraints
    for number in range(len(constraints)):
        ct = constraints[number]
        enforcement = list(ct.enforcement_literal)
        if ct.has_element():
            rewritten = _element(model, ct.element, enforcement)
        elif ct.has_circuit():
            rewritten = _circuit(model, ct.circuit, enforcement)
        elif ct.has_int_prod():
            rewritten = _int_prod(model, ct.int_prod, enforcement)
        elif ct.has_int_div():
            rewritten = _int_div(model, ct.int_div, enforcement)
        elif ct.has_int_mod():
            rewritten = _int_mod(model, ct.int_mod, enforcement)
        elif ct.has_no_overlap_2d():
            rewritten = _no_overlap_2d(model, ct.no_overlap_2d, enforcement)
        elif ct.has_reservoir():
            rewritten = _reservoir(model, ct.reservoir, enforcement)
        elif ct.has_routes():
            rewritten = _routes(model, ct.routes, enforcement)
        else:
            rewritten = False
        if rewritten:
            # Not taken away, as intervals are referred to by their numbers.
            ct.parse_text_format("")


def add_linear(proto: Any, expression: Affine, domain: Iterable[int], enforcement: Sequence[int] = ()) -> None:
    """The expression lies in the domain where all the enforcement literals hold."""
    ct = proto.constraints.add()
    ct.enforcement_literal.extend(list(enforcement))
    ct.linear.vars.extend(list(expression.coefficients))
    ct.linear.coeffs.extend(list(expression.coefficients.values()))
    ct.linear.domain.extend([b if b in (LEAST, GREATEST) else b - expression.offset for b in domain])


def take_objective(proto: Any) -> Affine:
    """The sum to be minimised; the proto is left without an objective, and with the objective's domain."""
    total: Counter[int] = Counter()
    if proto.has_objective():
        for v, coefficient in zip(proto.objective.vars, proto.objective.coeffs, strict=True):
            total[v] += coefficient
        if domain := list(proto.objective.domain):
            add_linear(proto, Affine(total), domain)
    elif proto.has_floating_point_objective():
        floating = proto.floating_point_objective
        for v, coefficient in zip(floating.vars, floating.coeffs, strict=True):
            if not coefficient.is_integer():
                raise InputError(
                    f"the objective has the coefficient {coefficient}, and only whole ones are exact; "
                    "multiply the objective by a number that makes all of them whole"
                )
            total[v] += -int(coefficient) if floating.maximize else int(coefficient)
    proto.clear_objective()
    proto.clear_floating_point_objective()
    return Affine(total)


def _element(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """For each place: where the index is that, the target is what stands there.

    Presolve goes wrong where an entry and the target come down to the same variable, be it by way of other constraints.
    """
    if arguments.has_linear_index():
        if not any(len(entry.vars) for entry in arguments.exprs):
            return False
        index, target = _affine(arguments.linear_index), _affine(arguments.linear_target)
        array = [_affine(entry) for entry in arguments.exprs]
    else:
        index, target = Affine({arguments.index: 1}), Affine({arguments.target: 1})
        array = [Affine({entry: 1}) for entry in arguments.vars]
    for place, entry in enumerate(array):
        here = model.new_bool_var("").index
        add_linear(model.proto, index - Affine({}, place), ZERO, [here])
        add_linear(model.proto, index - Affine({}, place), NOT_ZERO, [_not(here)])
        add_linear(model.proto, target - entry, ZERO, [here, *enforcement])
    add_linear(model.proto, index, (0, len(array) - 1), enforcement)
    return True


def _circuit(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Say of every node that one arc enters it and one leaves it, and enforce the literals rather than the circuit.

    Presolve goes wrong where arcs share literals, be it by way of other constraints.
    """
    arcs = list(zip(arguments.tails, arguments.heads, arguments.literals, strict=True))
    nodes = {node for tail, head, _ in arcs for node in (tail, head)}
    proto = model.proto
    if enforcement:
        off = model.new_bool_var("").index
        _add_literals(proto, "bool_and", enforcement, [_not(off)])
        _add_literals(proto, "bool_or", map(_not, enforcement), [off])
        copies = []
        for tail, head, literal in arcs:
            copy = model.new_bool_var("").index
            add_linear(proto, Affine({copy: 1}) - _truth(literal), ZERO, [_not(off)])
            _add_literals(proto, "bool_and", [copy if tail == head else _not(copy)], [off])
            copies.append((tail, head, copy))
        # All loops are a circuit.
        arcs = copies + [(node, node, off) for node in nodes - {tail for tail, head, _ in arcs if tail == head}]
    for node in nodes:
        _add_literals(proto, "exactly_one", (literal for tail, _, literal in arcs if tail == node))
        _add_literals(proto, "exactly_one", (literal for _, head, literal in arcs if head == node))
    circuit = proto.constraints.add().circuit
    circuit.tails.extend([tail for tail, _, _ in arcs])
    circuit.heads.extend([head for _, head, _ in arcs])
    circuit.literals.extend([literal for _, _, literal in arcs])
    return True


def _int_prod(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Multiply always, and enforce that the target is the product.

    An enforced product of three factors repeats each solution in which it is not enforced for every value of a hidden
    variable.
    """
    if not enforcement:
        return False
    low = high = 1
    for factor in arguments.exprs:
        corners = [a * b for a, b in product((low, high), _range(model.proto, _affine(factor)))]
        low, high = min(corners), max(corners)
    result = Affine({model.new_int_var(low, high, "").index: 1})
    _add_product(model.proto, result, map(_affine, arguments.exprs))
    add_linear(model.proto, result - _affine(arguments.target), ZERO, enforcement)
    return True


def _int_div(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Enforced divisions lose solutions; others go wrong without presolve where arguments share a variable."""
    quotient, _ = _divide(model, *map(_affine, arguments.exprs))
    add_linear(model.proto, quotient - _affine(arguments.target), ZERO, enforcement)
    return True


def _int_mod(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Enforced remainders lose solutions; in others presolve goes wrong where arguments share a variable."""
    _, remainder = _divide(model, *map(_affine, arguments.exprs))
    add_linear(model.proto, remainder - _affine(arguments.target), ZERO, enforcement)
    return True


def _divide(model: CpModel, dividend: Affine, divisor: Affine) -> tuple[Affine, Affine]:
    """The quotient, rounded towards 0, and the remainder, which has the sign of the dividend."""
    proto = model.proto
    most = max(map(abs, _range(proto, dividend)))
    quotient = Affine({model.new_int_var(-most, most, "").index: 1})
    if any(divisor.coefficients.values()):
        multiple = Affine({model.new_int_var(-most, most, "").index: 1})
        _add_product(proto, multiple, [quotient, divisor])
    else:
        multiple = quotient.times(divisor.offset)
    remainder = dividend - multiple
    for sign, if_so in _signs(model, divisor):
        add_linear(proto, divisor.times(sign) - remainder, POSITIVE, if_so)
        add_linear(proto, divisor.times(sign) - remainder.times(-1), POSITIVE, if_so)
    for sign, if_so in _signs(model, dividend):
        add_linear(proto, remainder.times(sign), NOT_NEGATIVE, if_so)
    return quotient, remainder


def _no_overlap_2d(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Of each two boxes that are both there, one ends before the other begins, along x or along y.

    CP-SAT loses solutions.
    """
    proto = model.proto

    def read(number: int) -> tuple[Affine, Affine, list[int]]:
        ct = proto.constraints[number]
        return _affine(ct.interval.start), _affine(ct.interval.end), list(ct.enforcement_literal)

    boxes = [(read(x), read(y)) for x, y in zip(arguments.x_intervals, arguments.y_intervals, strict=True)]
    for a, b in combinations(boxes, 2):
        apart = []
        for (a_start, a_end, _), (b_start, b_end, _) in zip(a, b, strict=True):
            apart += [_at_most(model, a_end, b_start), _at_most(model, b_end, a_start)]
        present = [literal for _, _, literals in (*a, *b) for literal in literals]
        _add_literals(proto, "bool_or", [*apart, *map(_not, (*present, *enforcement))])
    return True


def _reservoir(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """The level is within its bounds after each event, by all the events until then.

    CP-SAT breaks off on some models.
    """
    proto = model.proto
    times, changes = map(_affine, arguments.time_exprs), map(_affine, arguments.level_changes)
    actives = [[literal] for literal in arguments.active_literals] or [[]] * len(arguments.time_exprs)
    events = list(zip(times, changes, actives, strict=True))
    for moment, _, is_event in events:
        level = Affine({})
        for time, change, active in events:
            counts = _all_of(model, [_at_most(model, time, moment), *active])
            low, high = _range(proto, change)
            part = model.new_int_var(min(low, 0), max(high, 0), "").index
            add_linear(proto, Affine({part: 1}) - change, ZERO, [counts])
            add_linear(proto, Affine({part: 1}), ZERO, [_not(counts)])
            level -= Affine({part: -1})
        add_linear(proto, level, (arguments.min_level, arguments.max_level), [*enforcement, *is_event])
    return True


def _routes(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Say of every node but 0 that one arc enters it, one leaves it, and which place on its route it has.

    CP-SAT contradicts itself on whether all nodes may be left out, so that this is refused.
    """
    proto = model.proto
    arcs = list(zip(arguments.tails, arguments.heads, arguments.literals, strict=True))
    nodes = {node for tail, head, _ in arcs for node in (tail, head)} - {0}
    if nodes <= {tail for tail, head, _ in arcs if tail == head}:
        raise InputError(
            "routes can leave out every node here, and CP-SAT 9.15 contradicts itself on whether they may; "
            "take away one node's arc to itself, or say it with Booleans instead"
        )
    place = {node: Affine({model.new_int_var(0, len(nodes), "").index: 1}) for node in nodes}
    for node in nodes:
        for end in (0, 1):
            total = Affine({}, -1)
            for arc in arcs:
                if arc[end] == node:
                    total -= _truth(arc[2]).times(-1)
            add_linear(proto, total, ZERO, enforcement)
        for literal in enforcement:
            add_linear(proto, place[node], ZERO, [_not(literal)])
    for tail, head, literal in arcs:
        if head and head == tail:
            add_linear(proto, place[head], ZERO, [literal, *enforcement])
        elif head:
            before = place[tail] if tail else Affine({})
            add_linear(proto, place[head] - before - Affine({}, 1), ZERO, [literal, *enforcement])
    return True


def _at_most(model: CpModel, a: Affine, b: Affine) -> int:
    """A new literal that is true iff the one expression is at most the other."""
    result = model.new_bool_var("").index
    add_linear(model.proto, b - a, NOT_NEGATIVE, [result])
    add_linear(model.proto, a - b, POSITIVE, [_not(result)])
    return result


def _all_of(model: CpModel, literals: Sequence[int]) -> int:
    """A literal that is true iff all of these are."""
    if len(literals) == 1:
        return literals[0]
    result = model.new_bool_var("").index
    _add_literals(model.proto, "bool_and", literals, [result])
    _add_literals(model.proto, "bool_or", map(_not, literals), [_not(result)])
    return result


def _signs(model: CpModel, expression: Affine) -> list[tuple[int, list[int]]]:
    """The signs that the expression may have, each with the literals under which it has it; 0 counts as positive."""
    low, high = _range(model.proto, expression)
    if low >= 0:
        return [(1, [])]
    if high < 0:
        return [(-1, [])]
    negative = model.new_bool_var("").index
    add_linear(model.proto, expression, NOT_NEGATIVE, [_not(negative)])
    add_linear(model.proto, expression.times(-1), POSITIVE, [negative])
    return [(1, [_not(negative)]), (-1, [negative])]


def _affine(expression: Any) -> Affine:
    total: Counter[int] = Counter()
    for v, coefficient in zip(expression.vars, expression.coeffs, strict=True):
        total[v] += coefficient
    return Affine(total, expression.offset)


def _range(proto: Any, expression: Affine) -> tuple[int, int]:
    low = high = expression.offset
    for v, coefficient in expression.coefficients.items():
        domain = list(proto.variables[v].domain)
        ends = sorted((coefficient * domain[0], coefficient * domain[-1]))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _not(literal: int) -> int:
    return -literal - 1


def _truth(literal: int) -> Affine:
    return Affine({literal: 1}) if literal >= 0 else Affine({_not(literal): -1}, 1)


def _add_literals(proto: Any, kind: str, literals: Iterable[int], enforcement: Sequence[int] = ()) -> None:
    ct = proto.constraints.add()
    ct.enforcement_literal.extend(list(enforcement))
    getattr(ct, kind).literals.extend(list(literals))


def _add_product(proto: Any, result: Affine, factors: Iterable[Affine]) -> None:
    arguments = proto.constraints.add().int_prod
    for place, expression in [(arguments.target, result), *((arguments.exprs.add(), factor) for factor in factors)]:
        place.vars.extend(list(expression.coefficients))
        place.coeffs.extend(list(expression.coefficients.values()))
        place.offset = expression.offset
