"""The terms of a model (see `solvers.symmetry.constraint_graph`), by kind of constraint."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any

from solvers.checks.constraints import KINDS, RULES, Affine, affine, affines, count_of, intervals
from solvers.symmetry.constraint_graph import FALSE, TRUE, Literals, Terms, Vertex, repeated, vertex

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def terms(model: CpModel, key: Collection[int], stop: Event) -> Terms:
    """The terms of a model; of literals that are equal, one stands for all. At most one of these is of a key variable.

    key: the indices of the key variables in the model's proto.

    Raises `InputError` if there are too many; `Stopped` once the event is set.
    """
    proto = model.clone().proto  # merely looking at a field of a proto may set it
    literals = Literals(variable.domain for variable in proto.variables)
    written = _written(Terms(literals, proto, stop))
    if equal := _equal(written, set(key)):
        literals.one = equal
        written = _written(Terms(literals, proto, stop))
    return written


def _written(terms: Terms) -> Terms:
    literals, proto = terms.literals, terms.proto
    for variable in range(len(proto.variables)):
        if len(own := literals.own(variable)) > 1:
            kind = "Boolean" if list(own) == [0, 1] else "exactly one"
            terms.add(vertex(kind, (literals.number(variable, value) for value in own)))
    for constraint in proto.constraints:
        kind = next((kind for kind in KINDS if getattr(constraint, f"has_{kind}")()), "dummy_constraint")
        if kind != "dummy_constraint":
            enforced = [literals.true(reference) for reference in constraint.enforcement_literal]
            _HANDLERS[kind](terms, getattr(constraint, kind), enforced)
    terms.add_all(proto.assumptions)
    if proto.has_objective():
        objective = proto.objective
        expression = Affine(list(objective.vars), list(objective.coeffs))
        terms.add(vertex("objective", [terms.value(expression)]))
        if len(objective.domain):
            terms.add_within(expression, intervals(objective.domain), [])
    if proto.has_floating_point_objective():
        floating = proto.floating_point_objective
        terms.add(vertex("objective", [terms.value(Affine(list(floating.vars), list(floating.coeffs)))]))
    return terms


def _equal(terms: Terms, key: Collection[int]) -> dict[int, int]:
    """Literals that each imply the other, by nogoods of two: for each the one that stands for it."""
    literals = terms.literals
    against: dict[int, set[int]] = defaultdict(set)
    for term in terms.found:
        if term.colour == "nogood" and len(term.held) == 2:
            a, b = term.held
            against[a].add(b)
            against[b].add(a)

    def implied(literal: int) -> Iterator[int]:
        """Those whose variable has no other value left where this one is true."""
        excluded = Counter(literals.variable[other] for other in against[literal])
        for variable, count in excluded.items():
            own = literals.own(variable).values()
            if count == len(own) - 1:
                yield next(number for number in own if number not in against[literal])

    implications = {literal: set(implied(literal)) for literal in sorted(against)}
    one = {literal: literal for literal in implications}
    classes = {literal: [literal] for literal in implications}
    for a, others in implications.items():
        for b in sorted(others):
            if a not in implications.get(b, ()) or one[a] == one[b]:
                continue
            first, second = sorted((one[a], one[b]), key=lambda n: (literals.variable[n] not in key, n))
            members = [literals.variable[literal] for stands in (first, second) for literal in classes[stands]]
            if literals.variable[second] in key or len(set(members)) < len(members):
                continue  # two of the key stay apart; values of a variable are equal only where no solution is
            for literal in classes[second]:
                one[literal] = first
            classes[first] += classes.pop(second)
    return {literal: stands for literal, stands in one.items() if literal != stands}


Handler = Callable[[Terms, Any, Sequence[int]], None]
"""Adds the terms of a constraint of one kind, given its arguments and the literals that enforce it."""


def _bool_or(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    terms.add_nogood(map(terms.literals.false, arguments.literals), enforced)


def _bool_and(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    terms.add_all(arguments.literals, enforced)


def _at_most_one(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    terms.add_within(count_of(arguments.literals), [(0, 1)], enforced)


def _exactly_one(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    terms.add_within(count_of(arguments.literals), [(1, 1)], enforced)


def _bool_xor(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    references = list(arguments.literals)
    count = count_of(references)
    if not terms.add_cases([count], lambda values: count(values) % 2 == 1, enforced):
        literals = [terms.literals.true(reference) for reference in references]
        odd = (literals.count(TRUE) + 1) % 2
        terms.add(repeated(("xor", odd), (n for n in literals if n not in (TRUE, FALSE))), enforced)


def _linear(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    terms.add_within(Affine(list(arguments.vars), list(arguments.coeffs)), intervals(arguments.domain), enforced)


def _all_diff(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    expressions = [affine(expression) for expression in arguments.exprs]
    taken: dict[int, list[int]] = defaultdict(list)
    for expression in expressions:
        cases = _cases(terms, expression)
        if cases is None or any(len(ways) != 1 or len(ways[0]) > 1 for ways in cases.values()):
            values = repeated("all different", map(terms.value, expressions))
            terms.add(values, enforced)
            return
        for value, ((*literals,),) in cases.items():
            taken[value] += literals or [TRUE]
    for literals in taken.values():
        count = Counter(literals)
        free = {literal for literal in count if literal != TRUE}
        if count[TRUE]:
            for literal in free:
                terms.add_nogood([literal], enforced)
            if count[TRUE] > 1:
                terms.add_nogood([], enforced)
        elif max(count.values()) > 1:
            terms.add(repeated("at most one", literals), enforced)
        elif len(taken) == len(expressions):
            terms.add(vertex("exactly one", free), enforced)
        elif len(free) == 2:
            terms.add_nogood(free, enforced)
        elif len(free) > 2:
            terms.add(vertex("at most one", free), enforced)


def _cases(terms: Terms, expression: Affine) -> dict[int, list[frozenset[int]]] | None:
    """For each value of an expression the sets of literals that make it; None if it has too many cases."""
    assignments = terms.assignments([expression])
    if assignments is None:
        return None
    cases = defaultdict(list)
    for assignment in assignments:
        literals = {terms.literals.number(v, value) for v, value in assignment.items()}
        cases[expression(assignment)].append(frozenset(literals - {TRUE}))
    return cases


def _element(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    older = not arguments.has_linear_index()
    index = Affine([arguments.index], [1]) if older else affine(arguments.linear_index)
    target = Affine([arguments.target], [1]) if older else affine(arguments.linear_target)
    array = affines(arguments.vars, arguments.exprs)
    if terms.add_cases([index, target, *array], RULES["element"](arguments, terms.proto), enforced):
        return
    cases = _cases(terms, index)
    if cases is None:
        _in_order(terms, "element", [index, target, *array], enforced)
        return
    items = []
    for place, ways in cases.items():
        if 0 <= place < len(array):
            items.append(
                vertex("item", [vertex("at", (vertex("all", way) for way in ways)), terms.value(array[place])])
            )
        else:
            for way in ways:
                terms.add_nogood(way, enforced)
    terms.add(vertex("element", [vertex("target", [terms.value(target)]), *items]), enforced)


def _in_order(terms: Terms, colour: Hashable, expressions: Iterable[Affine], enforced: Sequence[int]) -> None:
    """A constraint whose arguments keep their places."""
    places = (vertex(("place", place), [terms.value(e)]) for place, e in enumerate(expressions))
    terms.add(vertex(colour, places), enforced)


def _table(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    expressions = affines(arguments.vars, arguments.exprs)
    if not expressions or terms.add_cases(expressions, RULES["table"](arguments, terms.proto), enforced):
        return
    flat = iter(arguments.values)
    rows = sorted(set(zip(*[flat] * len(expressions), strict=True)))
    cases = [_cases(terms, expression) for expression in expressions]
    if any(ways is None or any(len(way) > 1 for way in ways.values()) for ways in cases):
        _in_order(terms, ("table", arguments.negated, tuple(rows)), expressions, enforced)
        return
    ways = [
        {literal for value, case in zip(row, cases, strict=True) for literal in case[value][0]}  # type: ignore[index]
        for row in rows
        if all(value in case for value, case in zip(row, cases, strict=True))  # type: ignore[operator]
    ]
    if arguments.negated:
        for way in ways:
            terms.add_nogood(way, enforced)
    else:
        terms.add(vertex("one of", (vertex("all", way) for way in ways)), enforced)


def _inverse(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    direct, inverse = list(arguments.f_direct), list(arguments.f_inverse)
    literals = terms.literals
    if any(literals.wide(v) is not None for v in (*direct, *inverse)):
        _in_order(terms, ("inverse", len(direct)), affines([*direct, *inverse], []), enforced)
        return
    for row, others in ((direct, inverse), (inverse, direct)):
        for place, variable in enumerate(row):
            for value in literals.own(variable):
                here = literals.number(variable, value)
                if not 0 <= value < len(others):
                    terms.add_nogood([here], enforced)
                    continue
                for other in literals.own(others[value]):
                    if other != place:
                        terms.add_nogood([here, literals.number(others[value], other)], enforced)


def _circuit(terms: Terms, arguments: Any, enforced: Sequence[int], depot: bool = False) -> None:
    arcs = list(zip(arguments.tails, arguments.heads, map(terms.literals.true, arguments.literals), strict=True))
    literals = [literal for *_, literal in arcs]
    if TRUE in literals or len(set(literals) - {FALSE}) < len([n for n in literals if n != FALSE]):
        shape = tuple((tail, head) for tail, head, _ in arcs)
        _in_order(terms, ("arcs", depot, shape), (count_of([n]) for n in arguments.literals), enforced)
        return
    nodes = sorted({node for tail, head, _ in arcs for node in (tail, head)})
    terms.add(
        repeated(
            "routes" if depot else "circuit",
            (
                vertex(
                    ("node", depot and node == 0),
                    [
                        vertex("leaving", (n for tail, _, n in arcs if tail == node and n != FALSE)),
                        vertex("entering", (n for _, head, n in arcs if head == node and n != FALSE)),
                    ],
                )
                for node in nodes
            ),
        ),
        enforced,
    )


def _routes(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    _circuit(terms, arguments, enforced, depot=True)


def _automaton(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    word = affines(arguments.vars, arguments.exprs)
    if not terms.add_cases(word, RULES["automaton"](arguments, terms.proto), enforced):
        steps = zip(arguments.transition_tail, arguments.transition_label, arguments.transition_head, strict=True)
        machine = arguments.starting_state, tuple(sorted(set(arguments.final_states))), tuple(sorted(steps))
        _in_order(terms, ("automaton", *machine), word, enforced)


def _lin_max(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    target, expressions = affine(arguments.target), [affine(e) for e in arguments.exprs]
    if not terms.add_cases([target, *expressions], RULES["lin_max"](arguments, terms.proto), enforced):
        terms.add(
            vertex("greatest", [vertex("target", [terms.value(target)]), *map(terms.value, expressions)]), enforced
        )


def _int_prod(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    target, factors = affine(arguments.target), [affine(e) for e in arguments.exprs]
    if not terms.add_cases([target, *factors], RULES["int_prod"](arguments, terms.proto), enforced):
        product_of = repeated("factors", map(terms.value, factors))
        terms.add(vertex("product", [vertex("target", [terms.value(target)]), product_of]), enforced)


def _int_div(terms: Terms, arguments: Any, enforced: Sequence[int], kind: str = "int_div") -> None:
    expressions = [affine(arguments.target), *map(affine, arguments.exprs)]
    if not terms.add_cases(expressions, RULES[kind](arguments, terms.proto), enforced):
        _in_order(terms, kind, expressions, enforced)


def _int_mod(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    _int_div(terms, arguments, enforced, "int_mod")


def _stretch(terms: Terms, number: int) -> Vertex:
    """An interval as part of another constraint."""
    constraint = terms.proto.constraints[number]
    interval = constraint.interval
    return vertex(
        "interval",
        [
            vertex("start", [terms.value(affine(interval.start))]),
            vertex("size", [terms.value(affine(interval.size))]),
            vertex("end", [terms.value(affine(interval.end))]),
            vertex("present", [terms.value(count_of([n])) for n in constraint.enforcement_literal]),
        ],
    )


def _interval(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    parts = {name: terms.value(affine(getattr(arguments, name))) for name in ("start", "size", "end")}
    terms.add(vertex("stretch", (vertex(name, [value]) for name, value in parts.items())), enforced)


def _no_overlap(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    terms.add(repeated("apart", (_stretch(terms, n) for n in arguments.intervals)), enforced)


def _no_overlap_2d(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    boxes = zip(arguments.x_intervals, arguments.y_intervals, strict=True)
    sides = ([vertex(axis, [_stretch(terms, n)]) for axis, n in zip("xy", box, strict=True)] for box in boxes)
    terms.add(repeated("boxes", (vertex("box", box) for box in sides)), enforced)


def _cumulative(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    tasks = repeated(
        "tasks",
        (
            vertex("task", [_stretch(terms, n), vertex("demand", [terms.value(affine(demand))])])
            for n, demand in zip(arguments.intervals, arguments.demands, strict=True)
        ),
    )
    capacity = vertex("capacity", [terms.value(affine(arguments.capacity))])
    terms.add(vertex("cumulative", [capacity, tasks]), enforced)


def _reservoir(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    active = list(arguments.active_literals)
    events = repeated(
        ("events", arguments.min_level, arguments.max_level),
        (
            vertex(
                "event",
                [
                    vertex("time", [terms.value(affine(time))]),
                    vertex("change", [terms.value(affine(change))]),
                    vertex("active", [terms.value(count_of([active[n]]))] if active else []),
                ],
            )
            for n, (time, change) in enumerate(zip(arguments.time_exprs, arguments.level_changes, strict=True))
        ),
    )
    terms.add(events, enforced)


_HANDLERS: dict[str, Handler] = {
    "bool_or": _bool_or,
    "bool_and": _bool_and,
    "exactly_one": _exactly_one,
    "at_most_one": _at_most_one,
    "bool_xor": _bool_xor,
    "linear": _linear,
    "all_diff": _all_diff,
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "routes": _routes,
    "automaton": _automaton,
    "lin_max": _lin_max,
    "int_prod": _int_prod,
    "int_div": _int_div,
    "int_mod": _int_mod,
    "interval": _interval,
    "no_overlap": _no_overlap,
    "no_overlap_2d": _no_overlap_2d,
    "cumulative": _cumulative,
    "reservoir": _reservoir,
}
