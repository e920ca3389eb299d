"""Scheduling said with sums, products and clauses, and how constraints of a model are said otherwise.

Every new variable is determined by those that were there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from solvers.base.errors import InputError
from solvers.model.decomposed import all_of, at_most, intervals, keep_apart
from solvers.model.reading import (
    NONNEGATIVE,
    SCHEDULING,
    ZERO,
    LinearSum,
    all_negated,
    arcs_of,
    count,
    expression,
    kind_of,
    negation,
)
from solvers.model.writing import ModelWriter

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Rewriting = Callable[[ModelWriter, Any, Sequence[int]], bool | None]
"""Called with (writer, arguments, unless): says a constraint otherwise, unless a literal of ``unless`` is true.

arguments: the constraint's own message in the proto. It returns False if it adds nothing and the constraint is to stay
as it is.
"""


def without_scheduling(model: CpModel) -> CpModel:
    """Return a copy of a model with sums, products and clauses in place of its scheduling constraints.

    These are the interval, no_overlap, cumulative, reservoir and routes constraints. The new variables come after those
    of the model, and each value of these determines theirs. A model without such constraints is returned as it is.
    Raises `InputError` for routes that may leave out every node; see `routes`.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> start = model.new_int_var(0, 3, "start")
    >>> _ = model.add_no_overlap([model.new_interval_var(start, 1, start + 1, "a")])
    >>> [kind_of(constraint) for constraint in without_scheduling(model).proto.constraints]
    ['', '', 'linear', 'linear']
    """
    if not any(kind_of(constraint) in SCHEDULING for constraint in model.proto.constraints):
        return model
    plain = model.clone()
    rewritings: Mapping[str, Rewriting] = {
        "no_overlap": _no_overlap,
        "no_overlap_2d": no_overlap_2d,
        "cumulative": cumulative,
        "reservoir": reservoir,
        "routes": routes,
    }
    rewrite(plain, rewritings)
    rewrite(plain, {"interval": _interval})  # last, as the others read the intervals
    return plain


def rewrite(model: CpModel, rewritings: Mapping[str, Rewriting]) -> list[tuple[int, str]]:
    """Replace, in place, each constraint of a model whose kind is a key of ``rewritings``.

    A rewriting is called with (writer, the constraint's own message, the negated enforcement literals). It adds
    constraints that say the same, or returns False if the constraint is to stay. A constraint that is replaced becomes
    an empty one, so that the numbers of others do not change. Constraints that a rewriting adds have the name of the
    one that they replace, and are not rewritten themselves. Returns (number, kind) of each constraint that was
    replaced.
    """
    constraints, writer = model.proto.constraints, ModelWriter(model)
    replaced: list[tuple[int, str]] = []
    for number in range(len(constraints)):
        ct = constraints[number]
        kind = kind_of(ct)
        if kind in rewritings:
            unless, before = all_negated(ct.enforcement_literal), len(constraints)
            if rewritings[kind](writer, getattr(ct, kind), unless) is not False:
                for added in range(before, len(constraints)):
                    constraints[added].name = ct.name
                # Not taken away, as intervals are referred to by their numbers.
                ct.parse_text_format("")
                replaced.append((number, kind))
    return replaced


def no_overlap_2d(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Require that no two boxes of a no_overlap_2d constraint overlap; a box is an interval in x and one in y.

    The constraint is not enforced where a literal of ``unless`` is true. writer: the model to which constraints are
    added. arguments: the constraint's own message in the proto.
    """
    sides = (intervals(writer.model.proto, numbers) for numbers in (arguments.x_intervals, arguments.y_intervals))
    keep_apart(writer, list(zip(*sides, strict=True)), unless)


def _no_overlap(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Require that no two intervals of a no_overlap constraint overlap.

    The constraint is not enforced where a literal of ``unless`` is true. writer: the model to which constraints are
    added. arguments: the constraint's own message in the proto.
    """
    keep_apart(writer, [(interval,) for interval in intervals(writer.model.proto, arguments.intervals)], unless)


def _interval(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Require that start + size = end and that the size is at least 0, as an interval constraint does.

    The constraint is not enforced where a literal of ``unless`` is true. writer: the model to which constraints are
    added. arguments: the constraint's own message in the proto.
    """
    start, size, end = map(expression, (arguments.start, arguments.size, arguments.end))
    writer.require(end - start - size, ZERO, unless)
    writer.require(size, NONNEGATIVE, unless)


def cumulative(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the tasks that run at the same time demand at most the capacity, as a cumulative constraint says.

    The load is compared with the capacity at the start of each present task, as it grows only then. The constraint is
    not enforced where a literal of ``unless`` is true. writer: the model to which constraints are added. arguments: the
    constraint's own message in the proto.
    """
    capacity, demands = expression(arguments.capacity), map(expression, arguments.demands)
    tasks = list(zip(intervals(writer.model.proto, arguments.intervals), demands, strict=True))
    writer.require(capacity, NONNEGATIVE, unless)
    for moment, _ in tasks:
        load = LinearSum({})
        for task, demand in tasks:
            has_begun, has_ended = (at_most(writer, end, moment.start) for end in (task.start, task.end))  # literals
            load += _conditional_sum(writer, [has_begun, negation(has_ended), *task.present], demand)
        writer.require(capacity - load, NONNEGATIVE, [*unless, *all_negated(moment.present)])


def reservoir(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the level of a reservoir is always within its bounds.

    After each active event the level, the sum of the changes of all active events until then, is compared with the
    bounds. The constraint is not enforced where a literal of ``unless`` is true. writer: the model to which constraints
    are added. arguments: the constraint's own message in the proto.
    """
    times, changes = map(expression, arguments.time_exprs), map(expression, arguments.level_changes)
    # For each event, the literals that are true iff it is active; none if all events are.
    actives = [[literal] for literal in arguments.active_literals] or [[]] * len(arguments.time_exprs)
    events = list(zip(times, changes, actives, strict=True))
    for moment, _, is_event in events:
        level = LinearSum({})
        for time, change, active in events:
            level += _conditional_sum(writer, [at_most(writer, time, moment), *active], change)
        writer.require(level, ((arguments.min_level, arguments.max_level),), [*unless, *all_negated(is_event)])


def _conditional_sum(writer: ModelWriter, literals: Sequence[int], total: LinearSum) -> LinearSum:
    """Return a new variable, as a sum, that equals the total where all literals are true, else 0.

    writer: the model to which it is added. literals: in the proto's convention, -i - 1 for the negation of variable i.
    """
    are_all_true = all_of(writer, literals)  # a literal
    low, high = writer.range(total)
    part = writer.add_variable(min(low, 0), max(high, 0))
    writer.require(part - total, ZERO, [negation(are_all_true)])
    writer.require(part, ZERO, [are_all_true])
    return part


def routes(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the true arcs form routes that begin and end at node 0, as a routes constraint says.

    Every node but 0 gets one arc in, one arc out, and a variable for its place on its route; a node whose arc to itself
    is true is left out. The constraint is not enforced where a literal of ``unless`` is true.

    Raises `InputError` if every node may be left out, where CP-SAT contradicts itself. writer: the model to which
    constraints are added. arguments: the constraint's own message in the proto.
    """
    arcs = arcs_of(arguments)
    nodes = {node for tail, head, _ in arcs for node in (tail, head)} - {0}
    if nodes <= {tail for tail, head, _ in arcs if tail == head}:
        raise InputError(
            "routes can leave out every node here, and CP-SAT 9.15 contradicts itself on whether they may; "
            "take away one node's arc to itself, or say it with Booleans instead"
        )
    # A node's place is 0 if it is left out, otherwise 1 more than that of the node before; node 0 has the place 0. So
    # no route closes without node 0, and the literals determine all places.
    place = {node: writer.add_variable(0, len(nodes)) for node in nodes}
    for node in nodes:
        for end in (0, 1):  # the tail of an arc, and its head
            writer.require(count(arc[2] for arc in arcs if arc[end] == node), ((1, 1),), unless)
        for literal in unless:  # where the constraint is not enforced, all places are 0
            writer.require(place[node], ZERO, [negation(literal)])
    for tail, head, literal in arcs:
        if head and head == tail:
            writer.require(place[head], ZERO, [negation(literal), *unless])
        elif head:
            before = place[tail] if tail else LinearSum({})
            writer.require(place[head] - before, ((1, 1),), [negation(literal), *unless])
