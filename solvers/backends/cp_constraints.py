"""Every kind of constraint for OR-Tools' original constraint solver, each with enforcement literals.

What the solver has is used where nothing enforces it and its numbers have few values; else it is said with clauses and
sums. The meaning of every kind is that of `solvers.cnf.lower`.

The functions of `KINDS` each add one kind of constraint to the solver, unless a literal of ``unless`` is true;
``arguments`` is the constraint's own message in the proto, such as ``constraint.all_diff``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations, product
from math import prod
from operator import mul
from threading import Event
from typing import TYPE_CHECKING, Any

from ortools.sat.python.cp_model import Domain as CpDomain

from solvers.backends.cp_variables import WIDE_RANGE, Variables
from solvers.base.errors import Stopped
from solvers.model.decomposed import residual
from solvers.model.reading import (
    NONZERO,
    ZERO,
    Domain,
    LinearSum,
    all_negated,
    arcs_of,
    count,
    domain_of,
    element_of,
    entries_of,
    expression,
    expressions,
    index_of,
    kind_of,
    negation,
    of_variable,
    rows_of,
    size_of,
    steps_of,
    target_and_expressions,
    terms_of,
    variable_of,
    variables_in,
)

if TYPE_CHECKING:
    from ortools.constraint_solver.pywrapcp import Solver

MAX_INDEX_ROWS, MAX_INDEX_ROWS_IN_ALL = 1000, 100_000
"""The most rows of a table that takes the place of an equation for an index, and of all such tables of a model."""

MANY_LITERALS = 16
"""From so many implied literals on, a bool_and is one sum."""

CONSTRAINTS_BETWEEN_STOP_CHECKS = 256
"""The number of constraints between two looks at whether to stop."""


def translate(proto: Any, solver: Solver, stop: Event, needed: Container[int]) -> tuple[Variables, set[int]]:
    """Add the variables and constraints of a proto to the solver; return (variables, undefined).

    variables: the solver's variables, those of the proto first. undefined: the proto indices of Booleans that only say
    whether a variable is in a domain, and that neither a constraint nor ``needed`` has. The solver gets no variable for
    them: only cubes name them, and with one for each value the search is a third slower. needed: proto indices of
    variables that are read or branched on. The proto has no scheduling constraints; see `without_scheduling`. Raises
    `InputError` if numbers might not be exact in 64 bits; `Stopped` once ``stop`` is set.
    """
    # ``replaced`` has the numbers of the constraints that say what a Boolean means: `define` takes their place.
    meanings, undefined, replaced = _meanings_of_booleans(proto, needed)
    variables = Variables(solver, map(domain_of, proto.variables), meanings)
    for boolean in meanings.keys() - undefined:
        variables.define(boolean)
    variables.indices = _indices(proto)
    for number, constraint in enumerate(proto.constraints):
        if number % CONSTRAINTS_BETWEEN_STOP_CHECKS == 0 and stop.is_set():
            raise Stopped
        if number not in replaced and (kind := kind_of(constraint)):
            variables.concerned = f"{kind} {number}" + (f" ({constraint.name})" if constraint.name else "")
            KINDS[kind](variables, getattr(constraint, kind), all_negated(entries_of(constraint.enforcement_literal)))
    for literal in proto.assumptions:
        variables.clause([literal])
    return variables, undefined


def _indices(proto: Any) -> set[int]:
    """Return the proto indices of the variables in the indices of a proto's element constraints."""
    indices: set[int] = set()
    for constraint in proto.constraints:
        if constraint.has_element():
            indices.update(index_of(constraint.element).coefficients)
    return indices


def _meanings_of_booleans(
    proto: Any, needed: Container[int]
) -> tuple[dict[int, tuple[int, Domain]], set[int], set[int]]:
    """Return (meanings, undefined, constraints): Booleans that say whether a variable is in a domain.

    ``meanings`` has the (variable, domain) that each Boolean speaks of. The solver makes such a Boolean of the variable
    itself, at less cost than of the two constraints that say the meaning: ``constraints`` has the numbers of these,
    which the solver does not get. ``undefined`` has those Booleans that are not needed and that no other constraint
    speaks of. If several other Booleans have the same meaning, only the first is taken; the others keep their
    constraints. needed: proto indices of variables that are read or branched on.
    """
    meanings = dict[int, tuple[int, Domain]]()
    definitions = dict[int, tuple[int, int]]()  # the numbers of the two constraints that say the meaning
    for boolean, meaning, constraints in _meaning_pairs(proto):
        # A Boolean may have several meanings. The first is taken, and the constraints of the others stay.
        meanings.setdefault(boolean, meaning)
        definitions.setdefault(boolean, constraints)
    undefined = {boolean for boolean in meanings if boolean not in needed}
    if undefined:
        defining = set(chain.from_iterable(definitions.values()))
        other_rules = (constraint for number, constraint in enumerate(proto.constraints) if number not in defining)
        undefined.difference_update(*(variables_in(rule, proto) for rule in other_rules))
    # In reverse, so that of several Booleans with one meaning the first replaces the others.
    first = {meaning: boolean for boolean, meaning in reversed(meanings.items()) if boolean not in undefined}
    chosen = undefined.union(first.values())
    replaced = set(chain.from_iterable(definitions[boolean] for boolean in chosen))
    return {boolean: meanings[boolean] for boolean in meanings if boolean in chosen}, undefined, replaced


def _meaning_pairs(proto: Any) -> Iterator[tuple[int, tuple[int, Domain], tuple[int, int]]]:
    """Yield (Boolean, meaning, constraints) for each pair of constraints that say what a Boolean means.

    The meaning is (variable, domain), the constraints are two numbers. If the Boolean is true, one of them requires
    that the variable is in the domain; if it is false, the other requires that it is not. For example, "b implies x <=
    3" and "not b implies x >= 4" say that b means (x, values up to 3). Only variables of more than two values are
    taken, so that no meaning is about a Boolean with a meaning.
    """
    # By (literal, variable): the last constraint that holds the variable in a domain if the literal is true.
    halves: dict[tuple[int, int], tuple[int, CpDomain]] = {}
    wholes = dict[int, CpDomain]()  # the domain of each variable that was met
    for number, constraint in enumerate(proto.constraints):
        if not constraint.has_linear() or len(constraint.enforcement_literal) != 1:
            continue
        arguments, literal = constraint.linear, constraint.enforcement_literal[0]
        if entries_of(arguments.coeffs) != [1]:
            continue
        variable = arguments.vars[0]
        if variable not in wholes:
            wholes[variable] = CpDomain.from_flat_intervals(entries_of(proto.variables[variable].domain))
        whole = wholes[variable]
        part = whole.intersection_with(CpDomain.from_flat_intervals(entries_of(arguments.domain)))
        halves[literal, variable] = number, part
        # Without a constraint for the negation so far, ``other_part`` is the part itself, which fails the next test.
        other, other_part = halves.get((negation(literal), variable), (number, part))
        if part.overlaps_with(other_part) or part.size() + other_part.size() != whole.size():
            continue
        where_true, where_false = (part, other_part) if literal >= 0 else (other_part, part)
        if not where_true.size() or where_false.size() < 2 or whole.max() - whole.min() >= WIDE_RANGE:
            continue  # never true, or false for at most one value (so three values at least), or of too many values
        if entries_of(proto.variables[variable_of(literal)].domain) == [0, 1]:
            flat = where_true.flattened_intervals()  # low, high, low, high ...
            meaning = variable, tuple(zip(flat[::2], flat[1::2], strict=True))
            yield variable_of(literal), meaning, (other, number)


def _bool_or(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that a literal of the bool_or is true, unless one of ``unless`` is.

    variables: the solver's variables, to which the constraint is added. arguments: the constraint's own message in the
    proto.
    """
    variables.clause([*unless, *entries_of(arguments.literals)])


def _bool_and(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that all literals of the bool_and are true, unless one of ``unless`` is.

    Many literals are one sum: that takes less time to make than as many clauses, but a fifth longer in a search.
    variables: the solver's variables, to which the constraint is added. arguments: the constraint's own message in the
    proto.
    """
    literals = sorted(set(entries_of(arguments.literals)))
    if unless and len(literals) >= MANY_LITERALS:
        variables.require(count(literals), ((len(literals), len(literals)),), unless)
        return
    for literal in literals:
        variables.clause([*unless, literal])


def _bool_xor(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that an odd number of the literals is true, unless one of ``unless`` is.

    Of three variables the third is 1 iff the others are equal, or differ if the number of negations is odd; in place of
    a missing one it is 0. For that the solver has constraints of its own. If ``unless`` is not empty, a new literal is
    counted, too, which has to be false where the constraint is enforced; elsewhere it makes the number odd, whatever
    the other literals are. variables: the solver's variables, to which the constraint is added. arguments: the
    constraint's own message in the proto.
    """
    literals = entries_of(arguments.literals)
    if len(literals) in (2, 3) and not unless:
        solver, negations = variables.solver, sum(literal < 0 for literal in literals)
        numbers = [*(variables.variables[variable_of(literal)] for literal in literals), solver.IntConst(0)]
        relation = solver.IsDifferentCt if negations % 2 else solver.IsEqualCt
        solver.Add(relation(*numbers[:3]))
        return
    if unless:
        literals.append(variables.new_literal())
        variables.clause([*unless, negation(literals[-1])])
    # The number of true literals is odd iff it is 2 * half + 1 for some ``half``.
    half = variables.add_variable(0, len(literals) // 2)
    variables.require(count(literals) - half.times(2), ((1, 1),))


def _require_count(domain: Domain, variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the number of true literals is in the domain.

    The constraint is not enforced where a literal of ``unless`` is true. variables: the solver's variables, to which
    the constraint is added. arguments: the constraint's own message in the proto.
    """
    variables.require(count(entries_of(arguments.literals)), domain, unless)


def _linear(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the sum of a linear constraint is in its domain.

    The constraint is not enforced where a literal of ``unless`` is true. variables: the solver's variables, to which
    the constraint is added. arguments: the constraint's own message in the proto.

    An equation that defines the index of an element constraint, such as that of a matrix, is a table if that is small:
    the solver compares only bounds of sums, so that it would not see which rows and columns are left.
    """
    total, domain = terms_of(arguments), domain_of(arguments)
    columns, rows = ([], []) if unless else _table_of_index(variables, total, domain)
    if rows:
        _one_of(variables, columns, rows, ())
    else:
        variables.require(total, domain, unless)


def _table_of_index(
    variables: Variables, total: LinearSum, domain: Domain
) -> tuple[list[LinearSum], list[tuple[int, ...]]]:
    """Return (columns, rows), a table of the variables of a sum and the values with which the sum is in its domain.

    The last column is the index of an element constraint, which follows from the others. The table is empty if the
    domain is not one number, the sum has no such variable with the coefficient 1 or -1, or there would be more rows
    than `MAX_INDEX_ROWS`. variables: those of the solver.
    """
    terms = total.coefficients
    index = next((v for v, coefficient in terms.items() if v in variables.indices and abs(coefficient) == 1), None)
    if index is None or len(terms) < 2 or size_of(domain) != 1:
        return [], []
    ((number, _),) = domain
    others = [v for v in terms if v != index]
    ranges = [range(least, most + 1) for least, most in map(variables.ranges.__getitem__, others)]
    row_count = prod(map(len, ranges))
    if row_count > min(MAX_INDEX_ROWS, MAX_INDEX_ROWS_IN_ALL - variables.index_rows):
        return [], []
    variables.index_rows += row_count
    coefficients = [terms[v] for v in others]
    sums = ((values, total.offset + sum(map(mul, coefficients, values))) for values in product(*ranges))
    rows = [(*values, (number - sum_of_others) * terms[index]) for values, sum_of_others in sums]
    return [of_variable(v) for v in (*others, index)], rows


def _all_diff(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the expressions of an all_diff have different values.

    The constraint is not enforced where a literal of ``unless`` is true. variables: the solver's variables, to which
    the constraint is added. arguments: the constraint's own message in the proto.
    """
    sums = list(map(expression, arguments.exprs))
    # The solver's own constraint is always enforced, and slow where the sums span a wide range of values.
    if unless or len(sums) < 2 or variables.are_wide(sums):
        for a, b in combinations(sums, 2):
            variables.require(a - b, NONZERO, unless)
    else:
        variables.solver.Add(variables.solver.AllDifferent(list(map(variables.number, sums))))


def _element(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the entry of an array at the index equals the target.

    The constraint is not enforced where a literal of ``unless`` is true. variables: the solver's variables, to which
    the constraint is added. arguments: the message of the element constraint in the proto, which has the index, the
    entries and the target.
    """
    index, target, array = element_of(arguments)
    low, high = variables.range(index)
    # Where the solver's own constraint cannot be used, some row has to hold: for each place, "the index is the place,
    # and the target minus the entry there is 0". With an index that may lead out of the array, the solver crashes.
    if unless or low < 0 or high >= len(array) or variables.are_wide([target, *array]):
        _choose(variables, [[(index, place), (target - entry, 0)] for place, entry in enumerate(array)], unless)
    else:
        entries = list(map(variables.number, array))
        variables.solver.Add(
            variables.solver.ElementEquality(entries, variables.number(index), variables.number(target))
        )


def _choose(variables: Variables, rows: Iterable[Iterable[tuple[LinearSum, int]]], unless: Sequence[int]) -> None:
    """Require that some row holds, unless a literal of ``unless`` is true.

    A row is a list of (sum, value) pairs; it holds if each sum has its value. Each row gets a new literal, which
    implies that the row holds; one of these literals has to be true. variables: the variables of the solver, to which
    the literals are added.
    """
    chosen = list(unless)
    for row in rows:
        chosen.append(variables.new_literal())
        # One of the literals that `domain_literals` returns can be true iff the sum has the value.
        for total, value in row:
            variables.clause([negation(chosen[-1]), *variables.domain_literals(total, ((value, value),))])
    variables.clause(chosen)


def _table(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the expressions of a table have the values of some row.

    The constraint is not enforced where a literal of ``unless`` is true. If the table is negated, they must not have
    the values of any row. variables: the solver's variables, to which the constraint is added. arguments: the
    constraint's own message in the proto.
    """
    columns, rows = expressions(arguments), rows_of(arguments)
    if arguments.negated:
        for row in rows:
            # For each column, literals of which one can be true iff its value is not that of the row.
            differences = (
                variables.domain_literals(column - LinearSum({}, value), NONZERO)
                for column, value in zip(columns, row, strict=True)
            )
            variables.clause([*unless, *chain.from_iterable(differences)])
    elif columns:  # a table without columns requires nothing
        _one_of(variables, columns, rows, unless)


def _one_of(
    variables: Variables, columns: Sequence[LinearSum], rows: Iterable[Sequence[int]], unless: Sequence[int]
) -> None:
    """Require that the columns have the values of one of the rows.

    The constraint is not enforced where a literal of ``unless`` is true. variables: the solver's variables, to which
    the constraint is added. columns: sums of at most one variable each. rows: a value for each column.

    A row is solved for the variables: with the column 2 * x + 1, the value 7 means x = 3. A row is left out if it gives
    one variable two values, or a value that it cannot have.
    """
    possible = []  # for each row that is possible, the value of each variable
    for row in rows:
        values: dict[int, int] = {}
        for column, value in zip(columns, row, strict=True):
            # A constant column counts as a variable -1, which has to be 0.
            ((variable, coefficient),) = column.coefficients.items() or ((-1, 1),)
            quotient, remainder = divmod(value - column.offset, coefficient)
            if remainder or values.setdefault(variable, quotient) != quotient:
                break
        else:
            ranges = ((variables.ranges[v], value) for v, value in values.items() if v >= 0)
            if values.get(-1, 0) == 0 and all(low <= value <= high for (low, high), value in ranges):
                possible.append(values)
    indices = sorted({v for column in columns for v in column.coefficients})
    used = [of_variable(v) for v in indices]
    rows = sorted({tuple(values[v] for v in indices) for values in possible})
    if unless or not rows or not used or variables.are_wide(used):  # not for the solver's own constraint
        _choose(variables, [zip(used, row, strict=True) for row in rows], unless)
    else:
        variables.solver.Add(variables.solver.AllowedAssignments(list(map(variables.number, used)), rows))


def _inverse(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that two lists of variables are inverse permutations: direct[i] = j iff inverse[j] = i, from 0.

    The constraint is not enforced where a literal of ``unless`` is true. variables: the solver's variables, to which
    the constraint is added. arguments: the constraint's own message in the proto.
    """
    direct, inverse = (list(map(of_variable, side)) for side in (arguments.f_direct, arguments.f_inverse))
    # The solver's own constraint is for variables whose values are all places in the lists; it is always enforced.
    # Otherwise, for each i, one row has to hold: direct[i] = j and inverse[j] = i.
    if unless or any(low < 0 or high >= len(direct) for low, high in map(variables.range, direct + inverse)):
        for i, image in enumerate(direct):
            _choose(variables, [[(image, j), (back, i)] for j, back in enumerate(inverse)], unless)
    elif direct:
        left, right = (list(map(variables.number, side)) for side in (direct, inverse))
        variables.solver.Add(variables.solver.InversePermutationConstraint(left, right))


def _circuit(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the arcs that are true form one circuit, unless a literal of ``unless`` is true.

    A new variable for each node is the next node on the circuit, or the node itself if it is not on it; where the
    constraint is enforced, it agrees with the arcs. variables: the solver's variables, to which the constraint is
    added. arguments: the constraint's own message in the proto.
    """
    arcs: dict[tuple[int, int], list[int]] = defaultdict(list)  # the literals of all arcs from a tail to a head
    for tail, head, literal in arcs_of(arguments):
        arcs[tail, head].append(literal)
    nodes = sorted({node for arc in arcs for node in arc})
    # The value of ``following[place]`` is the place in ``nodes`` of the node after nodes[place].
    following = [variables.add_variable(0, len(nodes) - 1) for _ in nodes]
    if not unless:  # the arcs determine these variables, so that a search may branch on them
        arc_variables = {variable_of(literal) for literals in arcs.values() for literal in literals}
        successors = [variable for after in following for variable in after.coefficients]
        variables.successors.append((arc_variables, successors))
    if nodes:
        variables.solver.Add(variables.solver.SubCircuit(list(map(variables.number, following))))
    for (tail, after), (place, head) in product(zip(nodes, following, strict=True), enumerate(nodes)):
        is_next = variables.domain_literals(after, ((place, place),))  # the literal "the next node is the head", if any
        if (tail, head) in arcs:
            variables.require(count(arcs[tail, head]) - count(is_next), ZERO, unless)
        else:  # no such arc; but all nodes may have themselves as next ones where the constraint is not enforced
            variables.require(count(is_next), ZERO, unless if tail == head else ())


def _automaton(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the automaton accepts the expressions' values, unless a literal of ``unless`` is true.

    A new variable for each expression is the state after it. Each step of the word is a table of (state before, letter
    read, state after). If the constraint is enforced by literals, or an expression has many values, a new variable is
    the letter that is read; it equals the expression only where the constraint is enforced. variables: the solver's
    variables, to which the constraint is added. arguments: the constraint's own message in the proto.
    """
    word, steps = expressions(arguments), sorted(set(steps_of(arguments)))
    # A step is (state before, label, state after). A layer has the steps that are possible at one letter of the word:
    # first those reachable from the start; then, backwards, only those of them that lead to a final state.
    states, layers = {arguments.starting_state}, []
    for _ in word:
        layers.append([step for step in steps if step[0] in states])
        states = {head for _, _, head in layers[-1]}
    states &= set(arguments.final_states)
    for number, layer in reversed(list(enumerate(layers))):
        layers[number] = [step for step in layer if step[2] in states]
        states = {tail for tail, _, _ in layers[number]}
    if not states:  # no word is accepted
        return variables.clause(unless)
    places = {state: place for place, state in enumerate(sorted({s for tail, _, head in steps for s in (tail, head)}))}
    labels = {label: place for place, label in enumerate(sorted({label for _, label, _ in steps}))}
    # Whether the expressions themselves are read. Otherwise new variables are, whose values are places of labels.
    is_direct = not unless and not any(variables.are_wide([letter]) for letter in word)
    state = variables.add_variable(0, len(places))
    for read, layer in zip(word, layers, strict=True):
        letter, after = read, variables.add_variable(0, len(places))
        if not is_direct:
            letter = variables.add_variable(0, len(labels))
            for label, place in labels.items():  # if the new variable is the label's place, the label is read
                differs = variables.domain_literals(letter - LinearSum({}, place), NONZERO)
                variables.clause([*unless, *differs, *variables.domain_literals(read, ((label, label),))])
        rows = [(places[tail], label if is_direct else labels[label], places[head]) for tail, label, head in layer]
        _one_of(variables, [state, letter, after], rows, ())
        state = after


def _lin_max(variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the target is the greatest of the expressions, unless a literal of ``unless`` is true.

    Without expressions there is no greatest one, so that a literal of ``unless`` has to be true. variables: the
    solver's variables, to which the constraint is added. arguments: the constraint's own message in the proto.
    """
    target, sums = target_and_expressions(arguments)
    if not sums:
        return variables.clause(unless)
    greatest = sums[0]  # the solver makes a variable of the maximum only if there are several
    if len(sums) > 1:
        lows, highs = zip(*map(variables.range, sums), strict=True)
        maximum_expression = variables.solver.Max(list(map(variables.number, sums)))
        greatest = variables.add_expression_variable(maximum_expression, max(lows), max(highs))
    variables.require(target - greatest, ZERO, unless)


def _require_computation(kind: str, variables: Variables, arguments: Any, unless: Sequence[int]) -> None:
    """Require an int_prod, int_div or int_mod constraint, unless a literal of ``unless`` is true.

    kind: the name of the constraint's kind. variables: the solver's variables, to which the constraint is added.
    arguments: the constraint's own message in the proto. `residual` computes the product, quotient or remainder by new
    variables, and returns the target minus this value.
    """
    variables.require(residual(variables, kind, arguments, not unless), ZERO, unless)


KINDS: dict[str, Callable[[Variables, Any, Sequence[int]], None]] = {
    "bool_or": _bool_or,
    "bool_and": _bool_and,
    "bool_xor": _bool_xor,
    "at_most_one": partial(_require_count, ((0, 1),)),
    "exactly_one": partial(_require_count, ((1, 1),)),
    "linear": _linear,
    "all_diff": _all_diff,
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "automaton": _automaton,
    "lin_max": _lin_max,
    **{kind: partial(_require_computation, kind) for kind in ("int_prod", "int_div", "int_mod")},
}
"""For each kind of constraint, the function that adds it to the solver."""
