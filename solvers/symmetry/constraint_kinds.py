"""The terms of a model (see `solvers.symmetry.constraint_graph`), by kind of constraint.

The functions of `_HANDLERS` each add the terms of one kind of constraint, which holds where all literals of
``enforced`` are true. ``arguments`` is the constraint's own message in the proto, such as ``constraint.all_diff``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from solvers.checks.constraints import RULES
from solvers.model.reading import (
    Domain,
    LinearSum,
    arcs_of,
    count,
    domain_of,
    element_of,
    expressions,
    kind_of,
    of_variable,
    rows_of,
    steps_of,
    target_and_expressions,
    terms_of,
)
from solvers.model.reading import (
    expression as expression_of,
)
from solvers.model.scheduling import without_scheduling
from solvers.symmetry.chains import join_chains
from solvers.symmetry.constraint_graph import FALSE, TRUE, Literals, Terms, multiplicity_vertex, vertex

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def terms(model: CpModel, key: Collection[int], stop: Event) -> Terms:
    """Return the terms of a model's constraints, domains and objective.

    Terms are what these say about the literals "variable has value"; a permutation of the literals that maps the terms
    to each other is a symmetry. If the model says that literals are equal, one of them represents all: the terms are
    made a second time, then. Literals of two key variables are never treated as equal.

    key: the indices of the key variables in the model's proto.

    Raises `InputError` if there are too many terms; `Stopped` once the event is set.
    """
    model = without_scheduling(model).clone()  # merely looking at a field of a proto may set it
    join_chains(model, key)  # a * b * c that is said as (a * b) * c becomes one product, say
    proto = model.proto
    literals = Literals(map(domain_of, proto.variables))
    written = _add_model(Terms(literals, proto, stop))
    if equal := _representatives_of_equal(written, set(key)):
        literals = Literals(map(domain_of, proto.variables))
        literals.one = equal
        written = _add_model(Terms(literals, proto, stop))
    return written


def _add_model(terms: Terms) -> Terms:
    """Add the terms of a whole model to an empty collection, which has its proto; return the collection.

    They say that each variable has exactly one of its values, and what the constraints, assumptions and objective say.
    A function of `_HANDLERS` adds the terms of one constraint, given the literals that enforce it.
    """
    literals, proto = terms.literals, terms.proto
    for variable in range(len(proto.variables)):
        if len(literals.literals_by_value(variable)) > 1:
            terms.add(vertex("exactly one", terms.own_values(variable).together))
    for constraint in proto.constraints:
        kind = kind_of(constraint)
        if kind in _HANDLERS:
            enforced = [literals.true_literal(reference) for reference in constraint.enforcement_literal]
            _HANDLERS[kind](terms, getattr(constraint, kind), enforced)
    terms.add_all(proto.assumptions)
    if proto.has_objective():
        objective = terms_of(proto.objective)
        terms.add(vertex("objective", [terms.value(objective)]))
        if len(proto.objective.domain):
            terms.add_within(objective, domain_of(proto.objective), [])
    if proto.has_floating_point_objective():
        terms.add(vertex("objective", [terms.value(terms_of(proto.floating_point_objective))]))
    return terms


def _representatives_of_equal(terms: Terms, key: Collection[int]) -> dict[int, int]:
    """Return, for each literal that another, equal literal represents, that other literal.

    Literals are equal if nogoods of two literals say that each implies the other: a literal implies a value of a
    variable if it excludes all others. Equal literals are joined to classes, each with one representative, of a key
    variable if possible; it is not in the result itself. key: proto indices; literals of two key variables never
    represent each other.
    """
    literals = terms.literals
    excluded_by: dict[int, set[int]] = defaultdict(set)  # by literal, those that are false where it is true
    for term in terms.found:
        if term.colour == "nogood" and len(term.held) == 2:
            a, b = term.held
            excluded_by[a].add(b)
            excluded_by[b].add(a)

    def consequences(literal: int) -> Iterator[int]:
        """Yield the literals that a literal implies: those of variables that then have no other value left."""
        excluded_values = Counter(literals.variable[other] for other in excluded_by[literal])  # how many, by variable
        for variable, times in excluded_values.items():
            value_literals = literals.literals_by_value(variable).values()
            if times == len(value_literals) - 1:
                yield next(number for number in value_literals if number not in excluded_by[literal])

    implications = {literal: set(consequences(literal)) for literal in sorted(excluded_by)}
    image = {literal: literal for literal in implications}  # the representative of each literal's class
    classes = {literal: [literal] for literal in implications}  # the members, by representative
    for a, others in implications.items():
        for b in sorted(others):
            if a not in implications.get(b, ()) or image[a] == image[b]:  # not equal, or in one class already
                continue
            # The representatives of the two classes; that of a key variable comes first, and will represent both.
            first, second = sorted((image[a], image[b]), key=lambda n: (literals.variable[n] not in key, n))
            variables = [literals.variable[literal] for literal in (*classes[first], *classes[second])]
            if literals.variable[second] in key or len(set(variables)) < len(variables):
                # Literals of two key variables stay apart; two values of one variable are equal only if both are
                # impossible.
                continue
            for literal in classes[second]:
                image[literal] = first
            classes[first] += classes.pop(second)
    return {literal: representative for literal, representative in image.items() if literal != representative}


Handler = Callable[[Terms, Any, Sequence[int]], None]
"""Adds the terms of a constraint of one kind, given its arguments and the literals that enforce it."""


def _bool_or(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a bool_or as a nogood: not all of its literals are false.

    terms: the terms are added to it. arguments: the constraint's own message in the proto. enforced: literals; the
    constraint is enforced only where all of them are true.
    """
    terms.add_nogood(map(terms.literals.false, arguments.literals), enforced)


def _bool_and(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a bool_and as a nogood for each of its literals.

    terms: the terms are added to it. arguments: the constraint's own message in the proto. enforced: literals; the
    constraint is enforced only where all of them are true.
    """
    terms.add_all(arguments.literals, enforced)


def _add_count(domain: Domain, terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add the rule that the number of true literals is in the domain.

    terms: the terms are added to it. arguments: the constraint's own message in the proto. enforced: literals; the
    constraint is enforced only where all of them are true.
    """
    terms.add_within(count(arguments.literals), domain, enforced)


def _bool_xor(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a bool_xor by cases, or as one term if there are too many cases.

    A case is a combination of values of its variables. The one term says that the number of true literals is odd, or
    even if literals that are always true make up for it. terms: the terms are added to it. arguments: the constraint's
    own message in the proto. enforced: literals; the constraint is enforced only where all of them are true.
    """
    references = list(arguments.literals)
    true = count(references)
    if not terms.add_cases([true], lambda values: true(values) % 2 == 1, enforced):  # False: too many cases
        literals = [terms.literals.true_literal(reference) for reference in references]
        odd = (literals.count(TRUE) + 1) % 2  # the parity that is left for those that may be true or false
        terms.add(multiplicity_vertex(("xor", odd), (n for n in literals if n not in (TRUE, FALSE))), enforced)


def _linear(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a linear constraint; see `Terms.add_within`.

    terms: the terms are added to it. arguments: the constraint's own message in the proto. enforced: literals; the
    constraint is enforced only where all of them are true.
    """
    terms.add_within(terms_of(arguments), domain_of(arguments), enforced)


def _all_diff(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add an all_diff value by value: at most one expression has each value.

    Exactly one expression has it if there are as many values as expressions. The constraint is one term if an
    expression has too many values, or several variables. terms: the terms are added to it. arguments: the constraint's
    own message in the proto. enforced: literals; the constraint is enforced only where all of them are true.
    """
    sums = list(map(expression_of, arguments.exprs))
    literals_by_value: dict[int, list[int]] = defaultdict(list)  # a literal for each expression that may have the value
    for total in sums:
        # For each value, the sets of literals that make it; each should be one literal.
        cases = _combinations_by_value(terms, total)
        if cases is None or any(len(case) != 1 or len(case[0]) > 1 for case in cases.values()):
            terms.add(multiplicity_vertex("all different", map(terms.value, sums)), enforced)
            return
        # Each value has one combination, of one literal; of none if the expression always has the value.
        for value, ((*literals,),) in cases.items():
            literals_by_value[value] += literals or [TRUE]
    for literals in literals_by_value.values():
        times = Counter(literals)
        free = {literal for literal in times if literal != TRUE}
        if times[TRUE]:  # an expression always has the value: no other may
            for literal in free:
                terms.add_nogood([literal], enforced)
            if times[TRUE] > 1:
                terms.add_nogood([], enforced)
        elif max(times.values()) > 1:  # of equal expressions
            terms.add(multiplicity_vertex("at most one", literals), enforced)
        elif len(literals_by_value) == len(sums):
            terms.add(vertex("exactly one", free), enforced)
        elif len(free) == 2:
            terms.add_nogood(free, enforced)
        elif len(free) > 2:
            terms.add(vertex("at most one", free), enforced)


def _combinations_by_value(terms: Terms, expression: LinearSum) -> dict[int, list[frozenset[int]]] | None:
    """Return, for each value of an expression, the combinations of values of its variables that make it.

    A combination is a set of literals "variable has value"; a variable of one value has none in it. The result is None
    if there are too many combinations, or if a variable has very many values. terms: has the literals.
    """
    assignments = terms.assignments([expression])
    if assignments is None:
        return None
    cases = defaultdict(list)
    for assignment in assignments:
        literals = {terms.literals.number(v, value) for v, value in assignment.items()}
        cases[expression(assignment)].append(frozenset(literals - {TRUE}))
    return cases


def _element(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add an element by cases, or as one term with the entry at each place.

    A case is a combination of values of all variables; the rule from `RULES` says whether it satisfies the constraint.
    If the index has too many values even for the one term, its arguments keep their places in a term. terms: the terms
    are added to it. arguments: the constraint's own message in the proto. enforced: literals; the constraint is
    enforced only where all of them are true.
    """
    index, target, array = element_of(arguments)
    if terms.add_cases([index, target, *array], RULES["element"](arguments, terms.proto), enforced):
        return  # there were few enough cases
    cases = _combinations_by_value(terms, index)  # for each value of the index, the sets of literals that make it
    if cases is None:
        _in_order(terms, "element", [index, target, *array], enforced)
        return
    items = []  # for each place, a vertex with the combinations that lead there, and the entry
    for place, ways in cases.items():
        if 0 <= place < len(array):
            items.append(
                vertex("item", [vertex("at", (vertex("all", way) for way in ways)), terms.value(array[place])])
            )
        else:
            for way in ways:  # the index must not be outside the array
                terms.add_nogood(way, enforced)
    terms.add(vertex("element", [vertex("target", [terms.value(target)]), *items]), enforced)


def _in_order(
    terms: Terms, kind: str, places: Iterable[LinearSum], enforced: Sequence[int], says: Hashable = ()
) -> None:
    """Add a constraint as one term in which its arguments keep their places.

    So no symmetry exchanges them. kind: the constraint's kind, which is added to the kinds that ``terms`` reports as
    rigid. places: the arguments in order. enforced: literals; the constraint is enforced only where all of them are
    true. says: all else that the constraint says, such as the rows of a table; it becomes part of the colour, so that
    only equal constraints are mapped to each other.
    """
    terms.rigid.add(kind)
    ordered_places = (vertex(("place", number), [terms.value(place)]) for number, place in enumerate(places))
    terms.add(vertex((kind, says), ordered_places), enforced)


def _table(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a table by cases or row by row: a row is the set of the literals that give the columns its values.

    A case is a combination of values of all variables; the rule from `RULES` says whether it satisfies the constraint.
    If several combinations give a column one value, the arguments keep their places in one term, so that no symmetry
    exchanges them. terms: the terms are added to it. arguments: the constraint's own message in the proto. enforced:
    literals; the constraint is enforced only where all of them are true.
    """
    columns = expressions(arguments)
    if not columns or terms.add_cases(columns, RULES["table"](arguments, terms.proto), enforced):
        return  # it requires nothing, or there were few enough cases
    rows = rows_of(arguments)
    cases = [_combinations_by_value(terms, column) for column in columns]  # for each column: sets of literals by value
    if any(case is None or any(len(way) > 1 for way in case.values()) for case in cases):
        _in_order(terms, "table", columns, enforced, (arguments.negated, tuple(rows)))
        return
    ways = [
        {literal for value, case in zip(row, cases, strict=True) for literal in case[value][0]}  # type: ignore[index]
        for row in rows
        # Rows with a value that its column cannot have are left out.
        if all(value in case for value, case in zip(row, cases, strict=True))  # type: ignore[operator]
    ]
    if arguments.negated:
        for way in ways:
            terms.add_nogood(way, enforced)
    else:
        terms.add(vertex("one of", (vertex("all", way) for way in ways)), enforced)


def _inverse(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add an inverse (direct[i] = j iff inverse[j] = i, from 0) as nogoods of two literals.

    If a variable is wide, that is, one literal represents its very many values, the constraint is one term in which the
    arguments keep their places. terms: the terms are added to it. arguments: the constraint's own message in the proto.
    enforced: literals; the constraint is enforced only where all of them are true.
    """
    direct, inverse = list(arguments.f_direct), list(arguments.f_inverse)
    literals = terms.literals
    if any(literals.wide(v) is not None for v in (*direct, *inverse)):
        _in_order(terms, "inverse", map(of_variable, [*direct, *inverse]), enforced, len(direct))
        return
    for row, others in ((direct, inverse), (inverse, direct)):
        for place, variable in enumerate(row):
            for value in literals.literals_by_value(variable):
                here = literals.number(variable, value)
                if not 0 <= value < len(others):  # no place in the other list
                    terms.add_nogood([here], enforced)
                    continue
                for other_value in literals.literals_by_value(others[value]):
                    if other_value != place:
                        terms.add_nogood([here, literals.number(others[value], other_value)], enforced)


def _circuit(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a circuit as one term of nodes, each with the literals of the arcs that leave and enter it.

    In the term an arc is known by its literal. So an arc that is always used, or that shares its literal with another
    arc, gets a new, equal literal. Arcs that are never used are left out. terms: the terms are added to it. arguments:
    the constraint's own message in the proto. enforced: literals; the constraint is enforced only where all of them are
    true.
    """
    times = Counter(map(terms.literals.true_literal, arguments.literals))
    arcs: list[tuple[int, int, int]] = []
    for tail, head, reference in arcs_of(arguments):
        literal = terms.literals.true_literal(reference)
        needs_copy = literal == TRUE or (times[literal] > 1 and literal != FALSE)
        arcs.append((tail, head, terms.copy(literal) if needs_copy else literal))
    node_vertices = []
    for node in sorted({node for tail, head, _ in arcs for node in (tail, head)}):
        leaving = vertex("leaving", (literal for tail, _, literal in arcs if tail == node and literal != FALSE))
        entering = vertex("entering", (literal for _, head, literal in arcs if head == node and literal != FALSE))
        node_vertices.append(vertex("node", [leaving, entering]))
    terms.add(multiplicity_vertex("circuit", node_vertices), enforced)


def _automaton(terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add an automaton by cases, or as one term if there are too many cases.

    A case is a combination of values of all variables; the rule from `RULES` says whether the automaton accepts it. In
    the one term the arguments keep their places, so that no symmetry exchanges them. terms: the terms are added to it.
    arguments: the constraint's own message in the proto. enforced: literals; the constraint is enforced only where all
    of them are true.
    """
    word = expressions(arguments)
    if not terms.add_cases(word, RULES["automaton"](arguments, terms.proto), enforced):
        machine = (
            arguments.starting_state,
            tuple(sorted(set(arguments.final_states))),
            tuple(sorted(steps_of(arguments))),
        )
        _in_order(terms, "automaton", word, enforced, machine)


def _add_computation(kind: str, terms: Terms, arguments: Any, enforced: Sequence[int]) -> None:
    """Add a lin_max, int_prod, int_div or int_mod by cases, or as one term if there are too many.

    A case is a combination of values of all variables; the rule from `RULES` says whether it satisfies the constraint.
    kind: the name of the constraint's kind. In the one term, the arguments of a division or remainder keep their
    places; those of a product or maximum do not, and a maximum may list one of them twice without effect. terms: the
    terms are added to it. arguments: the constraint's own message in the proto. enforced: literals; the constraint is
    enforced only where all of them are true.
    """
    target, sums = target_and_expressions(arguments)
    if terms.add_cases([target, *sums], RULES[kind](arguments, terms.proto), enforced):
        return
    if kind in ("int_div", "int_mod"):
        return _in_order(terms, kind, [target, *sums], enforced)
    made_of = (vertex if kind == "lin_max" else multiplicity_vertex)("arguments", map(terms.value, sums))
    terms.add(vertex(kind, [vertex("target", [terms.value(target)]), made_of]), enforced)


_HANDLERS: dict[str, Handler] = {
    "bool_or": _bool_or,
    "bool_and": _bool_and,
    "exactly_one": partial(_add_count, ((1, 1),)),
    "at_most_one": partial(_add_count, ((0, 1),)),
    "bool_xor": _bool_xor,
    "linear": _linear,
    "all_diff": _all_diff,
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "automaton": _automaton,
    **{kind: partial(_add_computation, kind) for kind in ("lin_max", "int_prod", "int_div", "int_mod")},
}
