"""The meaning of each kind of constraint, as a function of the values of all variables.

The meaning is that of cp_model.proto (OR-Tools 9.15) where it says it, else what the solver was seen to do. Nothing
here is shared with a backend.

The functions of `RULES` each return the rule of one kind of constraint; their ``arguments`` are the constraint's own
message in the proto, such as ``constraint.all_diff``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import prod
from operator import itemgetter
from typing import Any

from solvers.base.values import Values

Rule = Callable[[Values], bool]


@dataclass(frozen=True)
class Affine:
    """An affine expression: the sum of coefficients times variables, plus an offset.

    Variables are given by their indices in the model's proto. Calling it with the values of all variables returns its
    value.
    """

    variables: Sequence[int]
    coefficients: Sequence[int]
    offset: int = 0

    def __call__(self, values: Values) -> int:
        """Return the value of the expression where variable v has the value values[v]."""
        total = self.offset
        for v, coefficient in zip(self.variables, self.coefficients, strict=True):
            total += coefficient * values[v]
        return total


@dataclass(frozen=True)
class InDomain:
    """The rule that an affine expression is in a union of intervals (low, high), bounds included.

    All kinds of constraints that only count true literals have this form.
    """

    expression: Affine
    domain: Sequence[tuple[int, int]]

    def __call__(self, values: Values) -> bool:
        """Tell whether the rule holds where variable v has the value values[v]."""
        total = self.expression(values)
        return any(low <= total <= high for low, high in self.domain)


@dataclass(frozen=True)
class AllDifferent:
    """The rule that affine expressions have pairwise different values."""

    expressions: Sequence[Affine]

    def __call__(self, values: Values) -> bool:
        """Tell whether the rule holds where variable v has the value values[v]."""
        return len({expression(values) for expression in self.expressions}) == len(self.expressions)


def _entries(field: Any) -> list[Any]:
    """Return the entries of a repeated field of a proto as a list.

    By their indices: if it is iterated, the end is an exception, which OR-Tools throws in C++ and which takes as long
    as five entries. `solvers.model.reading` has the same for the first reading; the two share no code.
    """
    return list(map(field.__getitem__, range(len(field))))


def intervals(bounds: Any) -> list[tuple[int, int]]:
    """Return the intervals (low, high) of a proto's domain.

    bounds: the domain as the flat list low, high, low, high, ...
    """
    flat = _entries(bounds)
    return list(zip(flat[::2], flat[1::2], strict=True))


def affine(proto: Any) -> Affine:
    """Read a LinearExpressionProto as an affine expression."""
    return Affine(_entries(proto.vars), _entries(proto.coeffs), proto.offset)


def _function_of(expression: Affine) -> Callable[[Values], int]:
    """Return a function for the value of an affine expression: a quick one for a constant or a variable plus it."""
    offset = expression.offset
    if not expression.variables:
        return lambda values: offset
    if list(expression.coefficients) != [1]:
        return expression
    (variable,) = expression.variables
    return (lambda values: values[variable] + offset) if offset else itemgetter(variable)


def affines(variables: Iterable[int], expressions: Iterable[Any]) -> list[Affine]:
    """Return the arguments of a constraint as affine expressions, those in ``variables`` first.

    variables: proto indices, as older protos have them. expressions: LinearExpressionProto messages.
    """
    return [Affine([v], [1]) for v in variables] + [affine(expression) for expression in expressions]


def count_of(literals: Any) -> Affine:
    """Return the affine expression that counts the true ones among literals.

    Literal v is variable v, literal -v - 1 its negation.
    """
    literals = _entries(literals)
    # A negation is 1 - v: a coefficient of -1, and 1 in the offset.
    variables = [literal if literal >= 0 else -literal - 1 for literal in literals]
    signs = [1 if literal >= 0 else -1 for literal in literals]
    return Affine(variables, signs, sum(literal < 0 for literal in literals))


def all_of(literals: Any) -> InDomain:
    """Return the rule that all these literals are true; -v - 1 is the negation of variable v."""
    return InDomain(count_of(literals), [(len(literals), len(literals))])


ALWAYS = all_of([])
"""The rule that always holds."""


def _bool_or(arguments: Any, _: Any) -> Rule:
    """Return the rule of a bool_or constraint with these arguments: at least one literal is true."""
    literals = _entries(arguments.literals)
    return InDomain(count_of(literals), [(1, len(literals))])


def _bool_and(arguments: Any, _: Any) -> Rule:
    """Return the rule of a bool_and constraint with these arguments: all literals are true."""
    return all_of(arguments.literals)


def _count_rule(domain: Sequence[tuple[int, int]], arguments: Any, _: Any) -> Rule:
    """Return the rule that the number of true literals is in the domain.

    domain: intervals (low, high). arguments: the arguments of a constraint that has literals, such as exactly_one.
    """
    return InDomain(count_of(arguments.literals), domain)


def _bool_xor(arguments: Any, _: Any) -> Rule:
    """Return the rule of a bool_xor constraint with these arguments: an odd number of literals is true."""
    literals = _entries(arguments.literals)
    return InDomain(count_of(literals), [(odd, odd) for odd in range(1, len(literals) + 1, 2)])


def _linear(arguments: Any, _: Any) -> Rule:
    """Return the rule of a linear constraint with these arguments.

    The sum of coefficients times variables is in the domain. arguments: the constraint's own message in the proto.
    """
    return InDomain(Affine(_entries(arguments.vars), _entries(arguments.coeffs)), intervals(arguments.domain))


def _all_diff(arguments: Any, _: Any) -> Rule:
    """Return the rule of an all_diff constraint: its expressions have pairwise different values.

    arguments: the constraint's own message in the proto, which has ``exprs``.
    """
    return AllDifferent([affine(expression) for expression in arguments.exprs])


def _element(arguments: Any, _: Any) -> Rule:
    """Return the rule of an element constraint with these arguments.

    The entry of the array at the index equals the target; an index outside the array violates it. Index, target and
    entries are affine expressions; in the older fields of the proto they are variables.
    """
    has_older_fields = not arguments.has_linear_index()
    index = _function_of(Affine([arguments.index], [1]) if has_older_fields else affine(arguments.linear_index))
    target = _function_of(Affine([arguments.target], [1]) if has_older_fields else affine(arguments.linear_target))
    array = list(map(_function_of, affines(arguments.vars, arguments.exprs)))

    def rule(values: Values) -> bool:
        position = index(values)
        return 0 <= position < len(array) and array[position](values) == target(values)

    return rule


def _table(arguments: Any, _: Any) -> Rule:
    """Return the rule of a table constraint: the values of its expressions are a listed tuple.

    If the constraint is negated, they are none of the listed tuples. arguments: the constraint's own message in the
    proto.
    """
    expressions = list(map(_function_of, affines(arguments.vars, arguments.exprs)))
    if not expressions:
        return lambda values: True
    flat = iter(arguments.values)
    # The proto lists the values of all tuples one after another; one iterator, repeated, yields them tuple by tuple.
    tuples = set(zip(*[flat] * len(expressions), strict=True))
    negated = arguments.negated
    return lambda values: (tuple(expression(values) for expression in expressions) in tuples) != negated


def _inverse(arguments: Any, _: Any) -> Rule:
    """Return the rule of an inverse constraint with these arguments.

    The constraint relates two lists of variables, direct and inverse: for each i, direct[i] is an index j of inverse,
    and inverse[j] == i. arguments: the constraint's own message in the proto.
    """
    direct = affines(arguments.f_direct, [])
    inverse = affines(arguments.f_inverse, [])

    def rule(values: Values) -> bool:
        images = [image(values) for image in direct]
        return all(0 <= j < len(inverse) and inverse[j](values) == i for i, j in enumerate(images))

    return rule


def _arcs(arguments: Any) -> list[tuple[int, int, InDomain]]:
    """Return (tail, head, rule that the arc is used) for each arc of a circuit or routes constraint.

    arguments: the constraint's own message in the proto. Tail and head are nodes, which are integers.
    """
    return [(t, h, all_of([ct])) for t, h, ct in zip(arguments.tails, arguments.heads, arguments.literals, strict=True)]


@dataclass(frozen=True)
class OneCircuit:
    """The rule that every node has one used arc in and one out, and that arcs that are no loops form at most one cycle.

    tails, heads, literals: those of each arc; a literal is true if its arc is used, -v - 1 being the negation of
    variable v.
    """

    tails: Sequence[int]
    heads: Sequence[int]
    literals: Sequence[int]

    def __call__(self, values: Values) -> bool:
        """Tell whether the rule holds where variable v has the value values[v]."""
        nodes = {*self.tails, *self.heads}
        used_arcs = [
            (tail, head)
            for tail, head, literal in zip(self.tails, self.heads, self.literals, strict=True)
            if (values[literal] if literal >= 0 else 1 - values[-literal - 1])
        ]
        successor = dict(used_arcs)
        # Each node has exactly one used arc out and one in.
        if len(used_arcs) != len(nodes) or successor.keys() != nodes or set(successor.values()) != nodes:
            return False
        unvisited = {tail for tail, head in used_arcs if tail != head}
        node = start = min(unvisited, default=0)
        # Walk round one cycle, back to its start, as each node has one arc in; it has to have all nodes but loops.
        while unvisited:
            unvisited.discard(node)
            node = successor[node]
            if node == start:
                break
        return not unvisited


def _circuit(arguments: Any, _: Any) -> Rule:
    """Return the rule of a circuit constraint; arguments: the constraint's own message in the proto."""
    return OneCircuit(list(arguments.tails), list(arguments.heads), list(arguments.literals))


def _routes(arguments: Any, _: Any) -> Rule:
    """Return the rule of a routes constraint with these arguments.

    The used arcs form a circuit, except that one or more of them leave node 0 and as many enter it; every cycle passes
    through node 0. arguments: the constraint's own message in the proto.
    """
    arcs = _arcs(arguments)
    nodes = {node for tail, head, _ in arcs for node in (tail, head)} - {0}

    def rule(values: Values) -> bool:
        used_arcs = [(tail, head) for tail, head, is_used in arcs if is_used(values)]
        tails = sorted(tail for tail, _ in used_arcs if tail != 0)
        heads = sorted(head for _, head in used_arcs if head != 0)
        if tails != sorted(nodes) or heads != sorted(nodes):  # one arc out of each node but 0, and one in
            return False
        successor = dict(used_arcs)
        reached = {tail for tail, head in used_arcs if tail == head}
        starts = [head for tail, head in used_arcs if tail == 0]
        for node in starts:
            # Follow the route until it is back at node 0.
            while node:
                reached.add(node)
                node = successor[node]
        # The solver also wants an arc out of node 0 where all other nodes have loops; cp_model.proto does not say so.
        return reached == nodes and bool(starts)

    return rule


def _automaton(arguments: Any, _: Any) -> Rule:
    """Return the rule of an automaton constraint with these arguments.

    The values of the expressions, as a word, lead from the starting state to a final one. arguments: the constraint's
    own message in the proto.
    """
    tails, labels, heads = arguments.transition_tail, arguments.transition_label, arguments.transition_head
    # The next state for each (state, letter).
    step = {(tail, label): head for tail, label, head in zip(tails, labels, heads, strict=True)}
    start, final = arguments.starting_state, set(arguments.final_states)
    word = list(map(_function_of, affines(arguments.vars, arguments.exprs)))

    def rule(values: Values) -> bool:
        state: int | None = start  # None once there is no step, which is no final state
        for letter in word:
            state = step.get((state, letter(values)))
        return state in final

    return rule


def _result_rule(result: Callable[[Sequence[int]], int | None], arguments: Any, _: Any) -> Rule:
    """Return the rule that the target of a constraint equals ``result`` of the values of its expressions.

    result: called with a list of integers; None, which equals no value, where nothing can be computed. arguments: the
    constraint's own message in the proto.
    """
    target = _function_of(affine(arguments.target))
    expressions = list(map(_function_of, affines([], arguments.exprs)))
    return lambda values: target(values) == result([expression(values) for expression in expressions])


def _quotient(numbers: Sequence[int]) -> int:
    """Return dividend / divisor, rounded towards zero, of a pair of integers; OR-Tools allows no divisor with 0."""
    dividend, divisor = numbers
    towards_zero = abs(dividend) // abs(divisor)
    return towards_zero if (dividend < 0) == (divisor < 0) else -towards_zero


def _remainder(numbers: Sequence[int]) -> int:
    """Return the remainder of a pair (dividend, positive modulus); it has the sign of the dividend."""
    dividend, modulus = numbers
    return dividend % modulus if dividend >= 0 else -(-dividend % modulus)


@dataclass(frozen=True)
class Interval:
    """A stretch of time [start, end), which exists where the rule ``present`` holds."""

    present: InDomain
    start: Affine
    size: Affine
    end: Affine

    def __call__(self, values: Values) -> tuple[int, int]:
        """Return (start, end) where variable v has the value values[v]."""
        return self.start(values), self.end(values)


def _read_interval(arguments: Any, enforcement: Iterable[int]) -> Interval:
    """Read an IntervalConstraintProto.

    The interval is present where all literals of ``enforcement`` are true.
    """
    start, size, end = arguments.start, arguments.size, arguments.end
    return Interval(all_of(enforcement), affine(start), affine(size), affine(end))


def _read_intervals(numbers: Iterable[int], proto: Any) -> list[Interval]:
    """Read the interval constraints with these numbers in the model's proto."""
    constraints = [proto.constraints[number] for number in numbers]
    return [_read_interval(ct.interval, ct.enforcement_literal) for ct in constraints]


def _interval(arguments: Any, _: Any) -> Rule:
    """Return the rule of an interval constraint with these arguments: start + size == end >= start."""
    interval = _read_interval(arguments, [])
    return lambda values: (
        interval.start(values) + interval.size(values) == interval.end(values) >= interval.start(values)
    )


def _are_disjoint(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Tell whether two intervals (start, end) share no time."""
    return a[1] <= b[0] or b[1] <= a[0]


def _no_overlap(arguments: Any, proto: Any) -> Rule:
    """Return the rule of a no_overlap constraint: no two present intervals share time.

    arguments: the constraint's own message. proto: the proto of the model, which has the intervals.
    """
    intervals = _read_intervals(arguments.intervals, proto)

    def rule(values: Values) -> bool:
        return all(_are_disjoint(a, b) for a, b in combinations([i(values) for i in intervals if i.present(values)], 2))

    return rule


def _no_overlap_2d(arguments: Any, proto: Any) -> Rule:
    """Return the rule of a no_overlap_2d constraint: no two boxes overlap.

    Interval n of x and interval n of y make a box. Two boxes are apart if their intervals are along one axis. A box
    counts where both its intervals are present. arguments: the constraint's own message. proto: the proto of the model,
    which has the intervals.
    """
    xs = _read_intervals(arguments.x_intervals, proto)
    ys = _read_intervals(arguments.y_intervals, proto)

    def rule(values: Values) -> bool:
        boxes = [(x(values), y(values)) for x, y in zip(xs, ys, strict=True) if x.present(values) and y.present(values)]
        return all(_are_disjoint(ax, bx) or _are_disjoint(ay, by) for (ax, ay), (bx, by) in combinations(boxes, 2))

    return rule


def _cumulative(arguments: Any, proto: Any) -> Rule:
    """Return the rule of a cumulative constraint with these arguments.

    At no time may the demands of the present intervals add up to more than the capacity, which must not be negative.
    arguments: the constraint's own message. proto: the proto of the model, which has the intervals.
    """
    capacity = affine(arguments.capacity)
    demands = [affine(demand) for demand in arguments.demands]
    tasks = list(zip(_read_intervals(arguments.intervals, proto), demands, strict=True))

    def rule(values: Values) -> bool:
        present_tasks = [(*interval(values), demand(values)) for interval, demand in tasks if interval.present(values)]
        # The load only grows where a task starts.
        loads = [
            sum(amount for start, end, amount in present_tasks if start <= moment < end)
            for moment, _, _ in present_tasks
        ]
        return max(loads, default=0) <= capacity(values) >= 0

    return rule


def _reservoir(arguments: Any, _: Any) -> Rule:
    """Return the rule of a reservoir constraint with these arguments.

    Each active event changes the level, which is 0 at first, at its time; after each of them the level lies within its
    bounds. All events are active if the constraint has no literals for that. arguments: the constraint's own message in
    the proto.
    """
    times = [affine(time) for time in arguments.time_exprs]
    changes = [affine(change) for change in arguments.level_changes]
    activity = [all_of([literal]) for literal in arguments.active_literals] or [ALWAYS] * len(times)
    events = list(zip(times, changes, activity, strict=True))
    lowest, highest = arguments.min_level, arguments.max_level

    def rule(values: Values) -> bool:
        happened = [(time(values), change(values)) for time, change, activity in events if activity(values)]
        # Events at one time happen together.
        return all(
            lowest <= sum(change for time, change in happened if time <= moment) <= highest for moment, _ in happened
        )

    return rule


RULES: dict[str, Callable[[Any, Any], Rule]] = {
    "bool_or": _bool_or,
    "bool_and": _bool_and,
    "exactly_one": partial(_count_rule, [(1, 1)]),
    "at_most_one": partial(_count_rule, [(0, 1)]),
    "bool_xor": _bool_xor,
    "linear": _linear,
    "all_diff": _all_diff,
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "routes": _routes,
    "automaton": _automaton,
    "lin_max": partial(_result_rule, partial(max, default=None)),
    "int_prod": partial(_result_rule, prod),
    "int_div": partial(_result_rule, _quotient),
    "int_mod": partial(_result_rule, _remainder),
    "interval": _interval,
    "no_overlap": _no_overlap,
    "no_overlap_2d": _no_overlap_2d,
    "cumulative": _cumulative,
    "reservoir": _reservoir,
}
"""Maps each kind of constraint to a function (arguments, whole proto) -> rule.

The arguments are the field of this name in the constraint's proto. These are all kinds of OR-Tools 9.15 that restrict
something.
"""
