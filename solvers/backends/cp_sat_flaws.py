"""Rewrites a model around what CP-SAT 9.15 gets wrong; its solutions stay the same.

Every new variable is determined by those that were there. The wrong answers are pinned in tests/test_cp_sat.py, each
by the smallest model that was found, so that one sees when a rewriting is no longer needed.

No rewriting helps where numbers are large. From 2^33 on, CP-SAT 9.15 loses solutions of random models (tests/
wide_models.py): of products, divisions and remainders, as they are declared and rewritten in any way that was tried;
of tables, elements and plain sums, too. Presolve is to blame for some of it; other solutions are lost without presolve
only (a table of one variable with the values 16750534338 and 16750534339, for instance). Bounds as tight as can be do
not help. Nothing of the kind was seen where no expression of the declared model can be beyond 2^30: `reach` says how
far they go, and what goes further is handed to CP-SAT as clauses (see `solvers.backends.cp_sat_clauses`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.errors import InputError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

LEAST, GREATEST = -(2**63), 2**63 - 1
"""How domains of cp_model.proto write that there is no bound."""

ZERO, NOT_ZERO, POSITIVE, NOT_NEGATIVE = (0, 0), (LEAST, -1, 1, GREATEST), (1, GREATEST), (0, GREATEST)


class LinearSum(NamedTuple):
    """Coefficients by variable, and an offset."""

    coefficients: Mapping[int, int]
    offset: int = 0

    def __add__(self, other: LinearSum) -> LinearSum:  # type: ignore[override]
        return self - other.times(-1)

    def __sub__(self, other: LinearSum) -> LinearSum:
        total = Counter(self.coefficients)
        total.subtract(other.coefficients)
        return LinearSum(total, self.offset - other.offset)

    def times(self, factor: int) -> LinearSum:
        return LinearSum({v: factor * c for v, c in self.coefficients.items()}, factor * self.offset)


class Interval(NamedTuple):
    """Where an interval lies, and the literals that are true where it is there."""

    start: LinearSum
    end: LinearSum
    present: Sequence[int]


def rewrite_flawed(model: CpModel) -> None:
    """Rewrite the constraints of the model that CP-SAT gets wrong, or may."""
    rewritings: Mapping[str, Callable[..., bool]] = {
        "element": partial(_element, {}),
        "circuit": _circuit,
        "int_prod": _int_prod,
        "int_div": _int_div,
        "int_mod": _int_mod,
        "cumulative": _cumulative_of_optional,
        "no_overlap_2d": _no_overlap_2d,
        "reservoir": _reservoir,
        "routes": _routes,
    }
    _rewrite(model, rewritings)


def _rewrite(model: CpModel, rewritings: Mapping[str, Callable[..., bool]]) -> None:
    """Rewrite each constraint of these kinds; what a rewriting adds is left as it is."""
    constraints = model.proto.constraints
    for number in range(len(constraints)):
        ct = constraints[number]
        kind = next((kind for kind in rewritings if getattr(ct, f"has_{kind}")()), "")
        if kind and rewritings[kind](model, getattr(ct, kind), list(ct.enforcement_literal)):
            # Not taken away, as intervals are referred to by their numbers.
            ct.parse_text_format("")


def greatest_sum(proto: Any, *, with_gaps: bool) -> int:
    """The greatest absolute value of a sum by its variables' domains: of those held to one interval, or to several.

    Of 20,000 random models with narrow variables and large weights CP-SAT got three wrong, all with a sum that is held
    to two intervals; one with sums of about 2^41, two with 2^55.
    """
    largest = [max(-variable.domain[0], variable.domain[len(variable.domain) - 1]) for variable in proto.variables]
    linears = [constraint.linear for constraint in proto.constraints if constraint.has_linear()]
    sums = [linear for linear in linears if (len(linear.domain) > 2) == with_gaps]
    if proto.has_objective() and not with_gaps:
        sums.append(proto.objective)
    if proto.has_floating_point_objective() and not with_gaps:
        sums.append(proto.floating_point_objective)
    return max(
        (sum(abs(int(c)) * largest[v] for v, c in zip(terms.vars, terms.coeffs, strict=True)) for terms in sums),
        default=0,
    )


def reach(proto: Any) -> int:
    """The greatest absolute value that a variable, a product, a load or an argument may have by its domains.

    Linear constraints and objectives count by their variables alone; see `greatest_sum`.
    """
    domains = (variable.domain for variable in proto.variables)
    largest: list[int] = [max(-domain[0], domain[len(domain) - 1]) for domain in domains]

    def total(terms: Any) -> int:
        return sum(abs(int(c)) * largest[v] for v, c in zip(terms.vars, terms.coeffs, strict=True))

    def size(expression: Any) -> int:
        return total(expression) + abs(int(expression.offset))

    sizes = list(largest)
    for ct in proto.constraints:
        if ct.has_int_prod():
            sizes += [prod(map(size, ct.int_prod.exprs)), size(ct.int_prod.target)]
        elif ct.has_int_div():
            sizes += [*map(size, ct.int_div.exprs), size(ct.int_div.target)]
        elif ct.has_int_mod():
            sizes += [*map(size, ct.int_mod.exprs), size(ct.int_mod.target)]
        elif ct.has_lin_max():
            sizes += [*map(size, ct.lin_max.exprs), size(ct.lin_max.target)]
        elif ct.has_all_diff():
            sizes += map(size, ct.all_diff.exprs)
        elif ct.has_element() and ct.element.has_linear_index():
            sizes += [size(ct.element.linear_index), size(ct.element.linear_target), *map(size, ct.element.exprs)]
        elif ct.has_table():
            sizes += map(size, ct.table.exprs)
        elif ct.has_automaton():
            sizes += map(size, ct.automaton.exprs)
        elif ct.has_interval():
            sizes += [size(ct.interval.start), size(ct.interval.end), size(ct.interval.size)]
        elif ct.has_cumulative():
            # CP-SAT reckons with areas, too.
            durations = [size(proto.constraints[number].interval.size) for number in ct.cumulative.intervals]
            areas = [(duration + 1) * size(d) for duration, d in zip(durations, ct.cumulative.demands, strict=True)]
            sizes += [sum(areas), size(ct.cumulative.capacity)]
        elif ct.has_no_overlap_2d():
            sides = zip(ct.no_overlap_2d.x_intervals, ct.no_overlap_2d.y_intervals, strict=True)
            sizes += [prod(size(proto.constraints[side].interval.size) for side in box) for box in sides]
        elif ct.has_reservoir():
            sizes += [*map(size, ct.reservoir.time_exprs), sum(map(size, ct.reservoir.level_changes))]
    return max(sizes, default=0)


def without_scheduling(model: CpModel) -> None:
    """Say with sums, products and clauses what the model says of intervals, reservoirs and routes."""
    constraints = model.proto.constraints
    numbers = range(len(constraints))
    rewritings = {
        "no_overlap": _no_overlap,
        "no_overlap_2d": _no_overlap_2d,
        "cumulative": _cumulative,
        "reservoir": _reservoir,
        "routes": _routes,
    }
    _rewrite(model, rewritings)
    for number in numbers:
        ct = constraints[number]
        if ct.has_interval():
            start, size, end = map(_affine, (ct.interval.start, ct.interval.size, ct.interval.end))
            enforcement = list(ct.enforcement_literal)
            add_linear(model.proto, end - start - size, ZERO, enforcement)
            add_linear(model.proto, size, NOT_NEGATIVE, enforcement)
            ct.parse_text_format("")


def add_linear(proto: Any, expression: LinearSum, domain: Iterable[int], enforcement: Sequence[int] = ()) -> None:
    """The expression lies in the domain where all the enforcement literals hold."""
    ct = proto.constraints.add()
    ct.enforcement_literal.extend(list(enforcement))
    ct.linear.vars.extend(list(expression.coefficients))
    ct.linear.coeffs.extend(list(expression.coefficients.values()))
    ct.linear.domain.extend([b if b in (LEAST, GREATEST) else b - expression.offset for b in domain])


def take_objective(proto: Any) -> LinearSum:
    """The sum to be minimised; the proto is left without an objective, and with the objective's domain."""
    total: Counter[int] = Counter()
    if proto.has_objective():
        for v, coefficient in zip(proto.objective.vars, proto.objective.coeffs, strict=True):
            total[v] += coefficient
        if domain := list(proto.objective.domain):
            add_linear(proto, LinearSum(total), domain)
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
    return LinearSum(total)


def _element(places: dict[Hashable, int], model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """For each place: where the index is that, the target is what stands there.

    ``places``: the literals that say where the index is, by index and place: elements often share their index.

    Presolve goes wrong where an entry and the target come down to the same variable, be it by way of other constraints.
    """
    if arguments.has_linear_index():
        if not any(len(entry.vars) for entry in arguments.exprs):
            return False
        index, target = _affine(arguments.linear_index), _affine(arguments.linear_target)
        array = [_affine(entry) for entry in arguments.exprs]
    else:
        index, target = LinearSum({arguments.index: 1}), LinearSum({arguments.target: 1})
        array = [LinearSum({entry: 1}) for entry in arguments.vars]
    for place, entry in enumerate(array):
        difference = index._replace(offset=index.offset - place)
        of = tuple(sorted(difference.coefficients.items())), difference.offset
        if of not in places:
            places[of] = model.new_bool_var("").index
            add_linear(model.proto, difference, ZERO, [places[of]])
            add_linear(model.proto, difference, NOT_ZERO, [_not(places[of])])
        add_linear(model.proto, target - entry, ZERO, [places[of], *enforcement])
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
            add_linear(proto, LinearSum({copy: 1}) - _truth(literal), ZERO, [_not(off)])
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
    result = LinearSum({model.new_int_var(low, high, "").index: 1})
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


def _divide(model: CpModel, dividend: LinearSum, divisor: LinearSum) -> tuple[LinearSum, LinearSum]:
    """The quotient, rounded towards 0, and the remainder, which has the sign of the dividend."""
    proto = model.proto
    most = max(map(abs, _range(proto, dividend)))
    quotient = LinearSum({model.new_int_var(-most, most, "").index: 1})
    if any(divisor.coefficients.values()):
        multiple = LinearSum({model.new_int_var(-most, most, "").index: 1})
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
    sides = (_intervals(model.proto, numbers) for numbers in (arguments.x_intervals, arguments.y_intervals))
    _keep_apart(model, list(zip(*sides, strict=True)), enforcement)
    return True


def _no_overlap(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Of each two intervals that are both there, one ends before the other begins."""
    _keep_apart(model, [(interval,) for interval in _intervals(model.proto, arguments.intervals)], enforcement)
    return True


def _keep_apart(model: CpModel, boxes: Iterable[Sequence[Interval]], enforcement: Sequence[int]) -> None:
    """Of each two boxes that are there, one ends before the other begins along some axis."""
    for a, b in combinations(boxes, 2):
        apart = []
        for one, other in zip(a, b, strict=True):
            apart += [_at_most(model, one.end, other.start), _at_most(model, other.end, one.start)]
        present = [literal for interval in (*a, *b) for literal in interval.present]
        _add_literals(model.proto, "bool_or", [*apart, *map(_not, (*present, *enforcement))])


def _cumulative_of_optional(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Where some tasks may be absent.

    Presolve loses solutions in which a task of no length is absent and its demand is above the capacity. With tasks
    that are always there 28,000 random models were right, and sums take several times as long.
    """
    tasks = (model.proto.constraints[number] for number in arguments.intervals)
    return any(len(task.enforcement_literal) for task in tasks) and _cumulative(model, arguments, enforcement)


def _cumulative(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """Whenever a task begins, the load is within the capacity; it grows only then."""
    proto = model.proto
    capacity = _affine(arguments.capacity)
    add_linear(proto, capacity, NOT_NEGATIVE, enforcement)
    tasks = _intervals(proto, arguments.intervals)
    for moment in tasks:
        load = LinearSum({})
        for task, demand in zip(tasks, map(_affine, arguments.demands), strict=True):
            has_begun, has_ended = _at_most(model, task.start, moment.start), _at_most(model, task.end, moment.start)
            load = load + _where(model, [has_begun, _not(has_ended), *task.present], demand)
        add_linear(proto, capacity - load, NOT_NEGATIVE, [*enforcement, *moment.present])
    return True


def _where(model: CpModel, literals: Sequence[int], expression: LinearSum) -> LinearSum:
    """A new variable that is the expression where all of the literals are true, else 0."""
    proto = model.proto
    counts = _all_of(model, literals)
    low, high = _range(proto, expression)
    part = LinearSum({model.new_int_var(min(low, 0), max(high, 0), "").index: 1})
    add_linear(proto, part - expression, ZERO, [counts])
    add_linear(proto, part, ZERO, [_not(counts)])
    return part


def _intervals(proto: Any, numbers: Iterable[int]) -> list[Interval]:
    constraints = [proto.constraints[number] for number in numbers]
    return [
        Interval(_affine(ct.interval.start), _affine(ct.interval.end), list(ct.enforcement_literal))
        for ct in constraints
    ]


def _reservoir(model: CpModel, arguments: Any, enforcement: Sequence[int]) -> bool:
    """The level is within its bounds after each event, by all the events until then.

    CP-SAT breaks off on some models.
    """
    proto = model.proto
    times, changes = map(_affine, arguments.time_exprs), map(_affine, arguments.level_changes)
    actives = [[literal] for literal in arguments.active_literals] or [[]] * len(arguments.time_exprs)
    events = list(zip(times, changes, actives, strict=True))
    for moment, _, is_event in events:
        level = LinearSum({})
        for time, change, active in events:
            level = level + _where(model, [_at_most(model, time, moment), *active], change)
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
    place = {node: LinearSum({model.new_int_var(0, len(nodes), "").index: 1}) for node in nodes}
    for node in nodes:
        for end in (0, 1):
            total = LinearSum({}, -1)
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
            before = place[tail] if tail else LinearSum({})
            add_linear(proto, place[head] - before - LinearSum({}, 1), ZERO, [literal, *enforcement])
    return True


def _at_most(model: CpModel, a: LinearSum, b: LinearSum) -> int:
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


def _signs(model: CpModel, expression: LinearSum) -> list[tuple[int, list[int]]]:
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


def _affine(expression: Any) -> LinearSum:
    total: Counter[int] = Counter()
    for v, coefficient in zip(expression.vars, expression.coeffs, strict=True):
        total[v] += coefficient
    return LinearSum(total, expression.offset)


def _range(proto: Any, expression: LinearSum) -> tuple[int, int]:
    low = high = expression.offset
    for v, coefficient in expression.coefficients.items():
        domain = list(proto.variables[v].domain)
        ends = sorted((coefficient * domain[0], coefficient * domain[-1]))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _not(literal: int) -> int:
    return -literal - 1


def _truth(literal: int) -> LinearSum:
    return LinearSum({literal: 1}) if literal >= 0 else LinearSum({_not(literal): -1}, 1)


def _add_literals(proto: Any, kind: str, literals: Iterable[int], enforcement: Sequence[int] = ()) -> None:
    ct = proto.constraints.add()
    ct.enforcement_literal.extend(list(enforcement))
    getattr(ct, kind).literals.extend(list(literals))


def _add_product(proto: Any, result: LinearSum, factors: Iterable[LinearSum]) -> None:
    arguments = proto.constraints.add().int_prod
    for place, expression in [(arguments.target, result), *((arguments.exprs.add(), factor) for factor in factors)]:
        place.vars.extend(list(expression.coefficients))
        place.coeffs.extend(list(expression.coefficients.values()))
        place.offset = expression.offset
