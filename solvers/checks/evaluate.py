"""A model's own constraints and objective, evaluated on given values by code that shares nothing with the backends.

The meaning of every kind is that of cp_model.proto (OR-Tools 9.15) where it says it, else what the solver does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, groupby, product
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.checks.constraints import (
    ALWAYS,
    RULES,
    Affine,
    AllDifferent,
    InDomain,
    OneCircuit,
    Rule,
    all_of,
    intervals,
)

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

EXACT_IN_FLOAT64 = 2**53
"""Integers up to here are exact in float64 (IEEE 754: 53 bits of significand)."""

FEW_ASSIGNMENTS = 4
"""So many assignments are checked one by one more quickly than a `Batch` is made, which checks many at once."""

MAX_PADDING = 8
"""The entries of a table for each one that is no padding."""

MAX_CLAUSAL_BOOLEANS = 3
"""A rule about at most so many Boolean variables is turned into clauses, whatever the rule is."""


class Constraint(NamedTuple):
    """A rule that has to hold where all its enforcement literals are true.

    title: the kind, number and name of the constraint, for messages; enforced: the rule that the enforcement literals
    are true.
    """

    title: str
    enforced: InDomain
    rule: Rule


class Evaluator:
    """Reads the constraints and the objective of a model once and evaluates them as often as asked.

    The domains of the variables, the assumptions and a domain of the objective are constraints like others.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x = model.new_int_var(0, 9, "x")
    >>> _ = model.add_division_equality(2, x, 3).with_name("third")
    >>> Evaluator(model).first_violation([5])
    'int_div 0 (third)'
    >>> Evaluator(model).first_violation([6]) is None
    True
    """

    def __init__(self, model: CpModel) -> None:
        """Read the domains, constraints, assumptions and objective of the model; the model is not changed.

        Each constraint becomes a `Constraint`: its title, the rule that it is enforced, and its rule as a function of
        the values.
        """
        # Of a copy, as merely looking at a field of a proto may set it.
        proto = model.clone().proto
        self._domains = [intervals(variable.domain) for variable in proto.variables]
        self._names = [variable.name for variable in proto.variables]
        self._constraints, self._places = [], []
        has_kind = [(kind, methodcaller(f"has_{kind}")) for kind in RULES]
        for number, ct in enumerate(proto.constraints):
            # `RULES` maps a kind of constraint to the function that reads it; a constraint without a kind restricts
            # nothing.
            kind = next((kind for kind, has in has_kind if has(ct)), "")
            if kind:
                title = f"{kind} {number}" + (f" ({ct.name})" if ct.name else "")
                rule = RULES[kind](getattr(ct, kind), proto)
                enforced = all_of(ct.enforcement_literal) if len(ct.enforcement_literal) else ALWAYS
                self._constraints.append(Constraint(title, enforced, rule))
                self._places.append(number)
        self._constraints.append(Constraint("assumptions", ALWAYS, all_of(proto.assumptions)))

        # (variables, weights, offset) of the objective as its user sees it, exact.
        self._objective: tuple[Sequence[int], Sequence[int | Fraction], int | Fraction] | None = None
        if proto.has_objective():
            objective = proto.objective
            terms = Affine(list(objective.vars), list(objective.coeffs))
            if domain := intervals(objective.domain):
                self._constraints.append(Constraint("domain of the objective", ALWAYS, InDomain(terms, domain)))
            scaling = Fraction(objective.scaling_factor or 1)  # "if zero, then it is assumed to be 1"
            weights = [_integer_if_whole(scaling * c) for c in terms.coefficients]
            self._objective = terms.variables, weights, _integer_if_whole(scaling * Fraction(objective.offset))
        elif proto.has_floating_point_objective():
            floating = proto.floating_point_objective
            weights = [_integer_if_whole(Fraction(c)) for c in floating.coeffs]
            self._objective = list(floating.vars), weights, _integer_if_whole(Fraction(floating.offset))

        self._batch: Batch | None = None
        """What checks many assignments at once; None as long as few are known to be checked."""
        self._expected = 0
        """The number of assignments that were announced."""

    def first_violation(self, values: Values) -> str | None:
        """Return the kind, number and name of the first constraint that an assignment violates.

        The result is None if the assignment violates no constraint.

        values: the value of each variable, by its index. Domains of variables are checked, too.
        """
        for number, (value, domain) in enumerate(zip(values, self._domains, strict=True)):
            if not any(low <= value <= high for low, high in domain):
                return f"domain of variable {number}" + (f" ({self._names[number]})" if self._names[number] else "")
        for title, enforced, rule in self._constraints:
            if enforced(values) and not rule(values):
                return title
        return None

    def violation_places(self, values: Values) -> list[int]:
        """Return the indices in the proto of all constraints that an assignment violates; domains are not checked.

        values: the value of each variable, by its index.
        """
        places_and_constraints = zip(
            self._places, self._constraints, strict=False
        )  # assumptions and the like come behind
        return [place for place, (_, enforced, rule) in places_and_constraints if enforced(values) and not rule(values)]

    def prepare(self, assignments: int) -> None:
        """Announce so many more assignments, and make ready what checks many at once if they are not few in all."""
        self._expected += assignments
        if self._batch is None and self._expected > FEW_ASSIGNMENTS:
            self._batch = Batch(self._domains, self._constraints)

    def violations(self, matrix: NDArray[np.integer[Any]]) -> list[str | None]:
        """Return the result of `first_violation` for each row of an array of shape (solutions, variables).

        Only suspects, which `Batch` finds in all rows at once, are looked at one by one. It is fast for constraints
        that only count true literals.
        """
        if self._batch is None and len(matrix) > FEW_ASSIGNMENTS:
            self.prepare(len(matrix))
        if self._batch is None:
            return list(map(self.first_violation, matrix.tolist()))
        suspects = self._batch.suspects(matrix)
        if not suspects.any():
            return [None] * len(matrix)
        return [self.first_violation(matrix[row].tolist()) if suspect else None for row, suspect in enumerate(suspects)]

    def objective(self, values: Values) -> int | float | None:
        """Return the value of the objective as the user of the model sees it, scaled and with its offset.

        The result is None if the model has no objective.

        values: the value of each variable, by its index.
        """
        if self._objective is None:
            return None
        variables, weights, offset = self._objective
        value = offset + sum(w * int(values[v]) for v, w in zip(variables, weights, strict=True))
        if isinstance(value, int):
            return value
        return int(value) if value.denominator == 1 else float(value)


class Batch:
    """Finds those of many assignments at once that violate a constraint or a domain.

    Clauses are evaluated bit-parallel: bit k of a word represents assignment k. Other rules that only count are columns
    of a sparse matrix product, and so are their enforcement literals. Values that have to differ are sorted, for all
    assignments at once. Other rules are called for each assignment.
    """

    def __init__(self, domains: Sequence[Sequence[tuple[int, int]]], constraints: Sequence[Constraint]) -> None:
        """Sort the constraints by the way in which they are evaluated: the first of those in `Batch` that is possible.

        Sums are evaluated in float64, so only those that are exact in it are vectorised. domains: for each variable,
        its intervals (low, high).
        """
        self._domains = domains
        # The first interval of each domain.
        self._lows, self._highs = np.array([domain[0] for domain in domains], np.int64).reshape(-1, 2).T
        largest = [max((abs(bound) for bound in chain(*domain)), default=0) for domain in domains]

        def is_exact(sum_of: Affine) -> bool:
            """Tell whether a sum, and each part of it, is exact in float64 within the domains."""
            terms = zip(sum_of.variables, sum_of.coefficients, strict=True)
            return sum(abs(c) * largest[v] for v, c in terms) + abs(sum_of.offset) < EXACT_IN_FLOAT64

        booleans = {v for v, domain in enumerate(domains) if all(low >= 0 and high <= 1 for low, high in domain)}
        clauses_found: list[list[int]] = []
        at_most_ones: list[InDomain] = []
        self._others = []
        """The constraints that are called for each assignment."""
        self._differing: list[tuple[InDomain, AllDifferent]] = []
        self._circuits: list[tuple[InDomain, OneCircuit]] = []
        columns: list[InDomain] = []
        enforced = {}  # by the number of its column, the rule that a conditional rule is enforced
        for constraint in constraints:
            if (clauses := _clauses(constraint, booleans)) is not None:
                clauses_found += clauses
            elif isinstance(constraint.rule, AllDifferent) and all(map(is_exact, constraint.rule.expressions)):
                self._differing.append((constraint.enforced, constraint.rule))
            elif isinstance(constraint.rule, OneCircuit):
                self._circuits.append((constraint.enforced, constraint.rule))
            elif not (isinstance(constraint.rule, InDomain) and is_exact(constraint.rule.expression)):
                self._others.append(constraint)
            elif constraint.enforced is ALWAYS and _is_at_most_one(constraint.rule, booleans):
                at_most_ones.append(constraint.rule)
            else:
                if constraint.enforced.expression.variables:
                    enforced[len(columns)] = constraint.enforced
                columns.append(constraint.rule)
        if _are_uneven(at_most_ones):
            columns += at_most_ones
            at_most_ones = []
        self._at_most_ones = AtMostOnes(at_most_ones)
        by_size = groupby(sorted(clauses_found, key=len), len)
        self._clauses = [np.array([*clauses_of_size], np.int64).T for _, clauses_of_size in by_size]
        """Those of each size: a row of first literals, one of second, and so on."""
        self._variables = sorted({max(literal, -literal - 1) for clause in clauses_found for literal in clause})
        self._rules = len(columns)
        """The number of rules that are columns of the matrix; the columns behind them say where rules are enforced."""
        self._conditional = list(enforced)
        """The numbers of the rules that such a column enforces, in the order of these columns."""
        self._store_columns([*columns, *enforced.values()])

    def _store_columns(self, columns: Sequence[InDomain]) -> None:
        """Store sums, each with the domain that it has to be in, as the columns of a sparse matrix.

        It sets the attributes that `_accepts` reads. columns: a rule about a sum for each column. For example, the sums
        x + 2y and y give variable y the entries (column 0, 2) and (column 1, 1).
        """
        # `Union` tells whether the values of a column are in its domain.
        self._holds = Union([column.domain for column in columns])
        self._offsets = np.array([column.expression.offset for column in columns], np.float64)

        # The matrix by its variables: where[first[n]:first[n + 1]] are the columns with the n-th variable used, and
        # the same slice of ``weight`` has its coefficients in them.
        entries = sorted(
            (v, number, c)
            for number, column in enumerate(columns)
            for v, c in zip(column.expression.variables, column.expression.coefficients, strict=True)
        )
        times = np.bincount([v for v, _, _ in entries]).astype(np.int64)
        self._used = np.flatnonzero(times)
        occurrences = times[self._used]
        self._first = np.concatenate([[0], np.cumsum(occurrences)]).astype(np.int64)
        self._where = np.array([number for _, number, _ in entries], np.int64)
        self._weight = np.array([c for _, _, c in entries], np.float64)
        # As many assignments are evaluated at once as memory allows.
        width = max(1, len(self._used), len(columns), len(entries))
        self._rows_at_once = max(1, TUNING.max_evaluation_entries // width)

    def suspects(self, matrix: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell, for each assignment, whether it violates a constraint or a domain.

        The kinds of rules are evaluated one after another, the quick ones first, each on the assignments that are not
        suspect yet. matrix: an array of shape (assignments, variables).
        """
        suspects = ~self._are_in_domains(matrix)
        # Only within the domains are the sums known to be exact.
        inside = np.flatnonzero(~suspects)
        unsuspected = matrix if len(inside) == len(matrix) else matrix[inside]
        suspects[inside] = ~self._at_most_ones.are_obeyed(unsuspected)
        used = _columns(unsuspected, self._used)
        for start in range(0, len(inside) if len(self._used) or self._rules else 0, self._rows_at_once):
            rows_at_once = slice(start, start + self._rows_at_once)
            suspects[inside[rows_at_once]] |= ~self._accepts(used[rows_at_once])
        if self._clauses:
            suspects |= self._break_clauses(matrix)
        inside = np.flatnonzero(~suspects)
        unsuspected = matrix if len(inside) == len(matrix) else matrix[inside]
        for enforced, rule in self._differing:
            suspects[inside] |= _are_enforced(enforced, unsuspected) & _have_repeats(rule, unsuspected)
        for enforced, circuit in self._circuits:
            suspects[inside] |= _are_enforced(enforced, unsuspected) & ~_are_tours(circuit, unsuspected)
        if self._others:
            for row in np.flatnonzero(~suspects):
                values = matrix[row].tolist()
                suspects[row] = any(
                    (enforced is ALWAYS or enforced(values)) and not rule(values) for _, enforced, rule in self._others
                )
        return suspects

    def _are_in_domains(self, matrix: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell, for each row of values, whether all of them are in the domains of their variables.

        Most columns are within their first intervals as a whole, which is seen from their least and greatest values;
        the others are looked at entry by entry. matrix: an array of shape (assignments, variables).
        """
        if not matrix.size:
            return np.ones(len(matrix), np.bool_)
        # Where the column is within its first interval, nothing else has to be looked at.
        within_first = (self._lows <= matrix.min(axis=0)) & (matrix.max(axis=0) <= self._highs)
        others = np.flatnonzero(~within_first)
        domains = Union([self._domains[v] for v in others.tolist()])
        inside: NDArray[np.bool_] = np.all(domains.contain(matrix[:, others]), axis=1)
        return inside

    def _break_clauses(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell, for each row of an array of shape (assignments, variables), whether it makes a clause false.

        Each literal has a bit for each assignment, 1 where it is false. A clause is false where all its literals are:
        the bitwise "and" of their bits.
        """
        words = -(-len(rows) // 64)
        # Indexed by literal: -v - 1, the negation of variable v, counts from the end. Bits behind the last row are 0.
        false = np.zeros((2 * rows.shape[1], 8 * words), np.uint8)
        true_bits = np.packbits(rows.T[self._variables] != 0, axis=1, bitorder="little")
        all_bits = np.packbits(np.ones(len(rows), np.bool_), bitorder="little")
        false[[-v - 1 for v in self._variables], : true_bits.shape[1]] = true_bits
        false[self._variables, : true_bits.shape[1]] = all_bits & ~true_bits
        false_words = false.view(np.uint64)
        broken = np.zeros(words, np.uint64)
        clauses_at_once = max(1, TUNING.max_evaluation_entries // 8 // max(1, words))
        for clauses in self._clauses:
            if not len(clauses):  # the empty clause, which is always false
                return np.ones(len(rows), np.bool_)
            for start in range(0, clauses.shape[1], clauses_at_once):
                first, *others = clauses[:, start : start + clauses_at_once]
                all_false = false_words[first]
                for literals in others:
                    all_false &= false_words[literals]
                np.bitwise_or(broken, np.bitwise_or.reduce(all_false, axis=0), out=broken)
        return np.unpackbits(broken.view(np.uint8), count=len(rows), bitorder="little").view(np.bool_)

    def _accepts(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell, for each row of values, whether it obeys all rules that are checked by one matrix product.

        The product is computed from the entries that are not 0 (see `_store_columns`). A rule has to hold only where it
        is enforced. rows: an array of shape (assignments, variables that these rules use).
        """
        places = np.flatnonzero(rows != 0)
        row, variable = np.divmod(places, max(1, rows.shape[1]))  # 7 times as fast as np.nonzero
        first = self._first[variable]
        times = self._first[variable + 1] - first
        # A value that is not 0 has an entry for each column with its variable: first, ..., first + times - 1. ``entry``
        # has these ranges of all values, one behind the other. Their terms are added by the cell (row, column).
        begin = np.cumsum(times) - times
        entry = np.arange(times.sum()) + np.repeat(first - begin, times)
        columns = len(self._offsets)
        cell = np.repeat(row * columns, times) + self._where[entry]
        term = np.repeat(rows.ravel()[places], times) * self._weight[entry]
        sums = np.bincount(cell, term, len(rows) * columns).reshape(len(rows), columns) + self._offsets
        holds = self._holds.contain(sums.astype(np.int64))
        # Behind the columns of the rules are those that enforce the conditional ones, in the same order.
        holds[:, self._conditional] |= ~holds[:, self._rules :]
        accepted: NDArray[np.bool_] = np.all(holds[:, : self._rules], axis=1)
        return accepted


class AtMostOnes:
    """Rules that one of some Booleans is true, or at most one, evaluated on many assignments at once.

    A true Boolean marks each rule that it is in. An assignment obeys all rules if it marks none of them twice, and each
    rule that needs a true Boolean once. Marks are only set, not added up: it marks no rule twice if it has marked as
    many rules as its Booleans are in.
    """

    def __init__(self, rules: Sequence[InDomain]) -> None:
        """Note for each Boolean the rules that it is in; each rule is one that `_is_at_most_one` accepts."""
        rules_of: dict[int, list[int]] = {}
        for number, rule in enumerate(rules):
            for variable in rule.expression.variables:
                rules_of.setdefault(variable, []).append(number)
        self._rules = len(rules)
        self._needed = np.array([number for number, rule in enumerate(rules) if rule.domain[0][0] == 1], np.int64)
        """The rules that need a true Boolean."""
        self._used = np.array(sorted(rules_of), np.int64)
        self._times = np.array([len(rules_of[v]) for v in self._used.tolist()], np.int64)
        """The number of rules of each Boolean that is used."""
        # A row of rules for each of these Booleans, filled up with a number behind those of the rules.
        self._marked = np.full((len(self._used), int(self._times.max(initial=0))), self._rules)
        for marked, variable in zip(self._marked, self._used.tolist(), strict=True):
            marked[: len(rules_of[variable])] = rules_of[variable]

    def are_obeyed(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell, for each row of values within the domains, whether it obeys all rules.

        rows: an array of shape (assignments, variables of the model).
        """
        are_obeyed = np.ones(len(rows), np.bool_)
        if not self._rules:
            return are_obeyed
        used = _columns(rows, self._used)
        rows_at_once = max(1, TUNING.max_evaluation_entries // max(len(self._used), self._rules))
        for start in range(0, len(rows), rows_at_once):
            some = used[start : start + rows_at_once]
            row, boolean = np.divmod(np.flatnonzero(some != 0), max(1, len(self._used)))
            marks = np.zeros((len(some), self._rules + 1), np.bool_)
            marks.ravel()[(row * (self._rules + 1))[:, np.newaxis] + self._marked[boolean]] = True
            marks_set = marks[:, : self._rules].sum(axis=1)
            in_rules = np.bincount(row, self._times[boolean], len(some))
            are_obeyed[start : start + rows_at_once] = marks_set == in_rules
            are_obeyed[start : start + rows_at_once] &= marks[:, self._needed].all(axis=1)
        return are_obeyed


def _is_at_most_one(rule: InDomain, booleans: set[int]) -> bool:
    """Tell whether a rule says that one of some Booleans, each named once, is true, or at most one."""
    variables = rule.expression.variables
    is_plain_sum = rule.expression.offset == 0 and all(c == 1 for c in rule.expression.coefficients)
    has_bounds = len(rule.domain) == 1 and rule.domain[0][0] <= 1 and rule.domain[0][1] == 1
    return is_plain_sum and has_bounds and booleans.issuperset(variables) and len(set(variables)) == len(variables)


def _are_uneven(rules: Sequence[InDomain]) -> bool:
    """Tell whether some Boolean is in so many more rules than others that a table of `AtMostOnes` would be padding."""
    times = Counter(chain.from_iterable(rule.expression.variables for rule in rules))
    return max(times.values(), default=0) * len(times) > MAX_PADDING * times.total()


def _columns(matrix: NDArray[np.integer[Any]], numbers: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
    """Return the columns of a matrix with ascending numbers, row by row in memory, which what follows needs.

    In the other order the sums take three times as long.
    """
    if len(numbers) == matrix.shape[1]:
        return np.ascontiguousarray(matrix)
    by_row = matrix.flags.c_contiguous
    return matrix.take(numbers, axis=1) if by_row else np.ascontiguousarray(matrix.T[numbers].T)


def _are_enforced(enforced: InDomain, rows: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Tell, for each row of values, whether the rule about the enforcement literals holds.

    enforced: the rule that all of them are true, as a sum in one interval. rows: an array of shape (assignments,
    variables).
    """
    if enforced is ALWAYS:
        return np.ones(len(rows), np.bool_)
    ((low, high),) = enforced.domain
    count = _values_of_sum(enforced.expression, rows)
    return (low <= count) & (count <= high)


def _have_repeats(rule: AllDifferent, rows: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Tell, for each row of values, whether two expressions of the rule have the same value.

    Sorted values repeat if two neighbours are equal. rows: an array of shape (assignments, variables).
    """
    if len(rule.expressions) < 2:
        return np.zeros(len(rows), np.bool_)
    values = np.sort([_values_of_sum(expression, rows) for expression in rule.expressions], axis=0)
    have_repeats: NDArray[np.bool_] = np.any(values[1:] == values[:-1], axis=0)
    return have_repeats


def _are_tours(rule: OneCircuit, rows: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Tell, for each row of values, whether the used arcs of the rule make a tour.

    In a tour each node has one used arc in and one out, and the arcs that are no loops form at most one cycle. rows: an
    array of shape (assignments, variables).
    """
    # Nodes are numbered from 0 on.
    names, ends = np.unique(np.array([rule.tails, rule.heads], np.int64), return_inverse=True)
    tails, heads = ends.reshape(2, -1)
    literals = np.array(rule.literals, np.int64)
    used = (rows.take(np.where(literals < 0, -literals - 1, literals), axis=1) != 0) ^ (literals < 0)
    row, arc = np.nonzero(used)
    shape = len(rows), len(names)
    # For each row and node, the numbers of used arcs that leave and that enter it.
    leaving, entering = (
        np.bincount(row * shape[1] + ends[arc], minlength=shape[0] * shape[1]).reshape(shape) for ends in (tails, heads)
    )
    are_tours: NDArray[np.bool_] = np.all((leaving == 1) & (entering == 1), axis=1)
    if not len(names):
        return are_tours
    # For each row and node, the head of its used arc. Rows in which a node has several are no tours already.
    after = np.tile(np.arange(shape[1]), (shape[0], 1))
    after[row, tails[arc]] = heads[arc]
    on_tour = after != np.arange(shape[1])
    # The first node that is no loop; 0 if all are loops.
    start = on_tour.argmax(axis=1)
    every_row = np.arange(len(rows))
    node, length = after[every_row, start], np.ones(len(rows), np.int64)
    for _ in range(shape[1]):  # a step of all tours at once, as far as they are not back
        is_back = node == start
        if is_back.all():
            break
        length += ~is_back
        node = np.where(is_back, node, after[every_row, node])
    # One tour if the cycle from ``start`` has all nodes that are no loops. If all are loops, its length is 1.
    are_tours &= length == np.maximum(1, on_tour.sum(axis=1))
    return are_tours


def _values_of_sum(expression: Affine, rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the value of an affine expression in each row of an array of shape (assignments, variables)."""
    sums = np.full(len(rows), expression.offset, np.int64)
    for variable, coefficient in zip(expression.variables, expression.coefficients, strict=True):
        sums += coefficient * rows[:, variable].astype(np.int64)
    return sums


def _clauses(constraint: Constraint, booleans: set[int]) -> list[list[int]] | None:
    """Return a constraint as clauses; None if it would take many clauses or cannot be said in clauses.

    A constraint that is enforced by a and b, with the clause c, becomes (not a or not b or c). Literal -v - 1 is the
    negation of variable v. booleans: the variables whose domain is within 0 and 1; a constraint about others is not
    turned into clauses.
    """
    rule = constraint.rule
    required = _few_clauses(constraint.enforced, booleans) if constraint.enforced is not ALWAYS else []
    clauses = _few_clauses(rule, booleans) if isinstance(rule, InDomain) else None
    if required is None or clauses is None:
        return None
    # The clauses that require the enforcement literals are single literals.
    unless = [-literal - 1 for (literal,) in required]
    return [[*unless, *clause] for clause in clauses]


def _few_clauses(rule: InDomain, booleans: set[int]) -> list[list[int]] | None:
    """Return the clauses of a counting rule; None if they would be many or a variable is not Boolean.

    Literal -v - 1 is the negation of variable v. booleans: the variables whose domain is within 0 and 1.
    """
    variables, coefficients, offset = rule.expression.variables, rule.expression.coefficients, rule.expression.offset
    if not booleans.issuperset(variables):
        return None
    if all(c in (1, -1) for c in coefficients):
        literals = [v if c > 0 else -v - 1 for v, c in zip(variables, coefficients, strict=True)]
        opposite = [-literal - 1 for literal in literals]
        # The sum is ``least`` plus the number of true literals, and ``most`` if all are true.
        least, size = offset - sum(c < 0 for c in coefficients), len(literals)
        most = least + size
        allowed = {total for low, high in rule.domain for total in range(max(low, least), min(high, most) + 1)}
        if len(allowed) == size and least not in allowed:  # any number but 0
            return [literals]
        if len(allowed) == size and most not in allowed:  # any number but all
            return [opposite]
        # All literals have to be true, or (below) none.
        if len(allowed) == 1 and most in allowed:
            return [[literal] for literal in literals]
        if len(allowed) == 1 and least in allowed:
            return [[literal] for literal in opposite]
    if len(variables) > MAX_CLAUSAL_BOOLEANS:
        return None
    # One clause for each assignment that breaks the rule.
    return [
        [-v - 1 if value else v for v, value in case.items()]
        for case in (dict(zip(variables, values, strict=True)) for values in product((0, 1), repeat=len(variables)))
        if not rule(case)
    ]


class Union:
    """Unions of intervals, one union for each column of an array."""

    def __init__(self, domains: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Take the union of each column as a list of intervals (low, high), bounds included.

        They are stored in layers: a layer has one interval of each column that has so many.
        """
        # First the first interval of every column, then the second of those that have one, and so on.
        self._layers = []
        for layer in range(max(map(len, domains), default=0)):
            columns = [column for column, domain in enumerate(domains) if len(domain) > layer]
            bounds = [domains[column][layer] for column in columns]
            # Equal bounds of all columns are kept as two numbers, which numpy compares faster.
            lows, highs = bounds[0] if len(set(bounds)) == 1 else np.array(bounds, np.int64).T
            self._layers.append((columns if len(columns) < len(domains) else slice(None), lows, highs))

    def contain(self, array: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell for each entry of an array whether it is in the union of its column.

        The result has the array's shape.
        """
        inside = np.zeros(array.shape, np.bool_)
        for columns, lows, highs in self._layers:
            part = array[:, columns]
            inside[:, columns] |= (lows <= part) & (part <= highs)
        return inside


def _integer_if_whole(number: Fraction) -> int | Fraction:
    """Return a fraction as an int if it is whole, else as it is."""
    return int(number) if number.denominator == 1 else number
