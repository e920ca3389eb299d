"""A model as a set of terms: what its constraints say about literals, so that renaming literals renames the terms.

A literal is "this variable has this value", numbered; a variable of very many values is one literal, its values keep
their names. A term is a vertex that holds literals and other vertices, in no order, with a colour that says how to
read it; what it means depends on its colours and its literals alone. So a permutation of the literals that carries the
set of terms to itself carries solutions to solutions.

The same rule can be said in several ways; the more often that gives the same terms, the more symmetries are seen. So
constraints on few values are taken value by value, sums are counted from their least value or down from their greatest,
all-different is at most one for each value, and literals that the model says are equal are one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, pairwise, product
from math import gcd, prod
from threading import Event
from typing import Any, NamedTuple

from solvers.base.errors import InputError, Stopped
from solvers.base.tuning import TUNING
from solvers.model.reading import Domain, LinearSum, negation, size_of, values_of

TRUE, FALSE = -1, -2
"""Values in place of a literal that is always true, and of one that is never true."""


REMEMBERED_COLOURS = 10_000
"""Weights whose colours are kept: all sums of a model use the same few."""


class Vertex(NamedTuple):
    """A vertex with a colour, and the set of literals or other vertices that it holds."""

    colour: Hashable
    held: frozenset[Any]


def vertex(colour: Hashable, held: Iterable[Any] = ()) -> Vertex:
    """Return a vertex with this colour that holds literals or other vertices.

    held: the literals or vertices; a repeated one is held once.
    """
    return Vertex(colour, frozenset(held))


def multiplicity_vertex(colour: Hashable, held: Iterable[Any]) -> Vertex:
    """Return a vertex with this colour that holds literals or other vertices, with their multiplicities.

    It holds, for each of them, a vertex of the colour ("times", number) that holds it. held: the literals or vertices;
    one may be listed several times.
    """
    return vertex(colour, (vertex(("times", times), [node]) for node, times in Counter(held).items()))


def literals_of(term: Vertex) -> Iterator[int]:
    """Yield all literals in a term and in the vertices that it holds, some of them more than once."""
    for node in term.held:
        if isinstance(node, Vertex):
            yield from literals_of(node)
        else:
            yield node


def replace_literals(term: Vertex, image: Mapping[int, int]) -> Vertex:
    """Return a term in which each literal is replaced by its image; a literal without an image stays."""
    replaced = [
        replace_literals(node, image) if isinstance(node, Vertex) else image.get(node, node) for node in term.held
    ]
    return Vertex(term.colour, frozenset(replaced))


class Literals:
    """The literals "variable has value" of a model, numbered from 0.

    A variable of more than `Tuning.max_value_nodes` values is wide: one literal represents all of its values.
    """

    def __init__(self, domains: Iterable[Domain]) -> None:
        """Number the literals of the variables with these domains, in the order of the proto.

        Raises `InputError` if there are more than `Tuning.max_graph_nodes`.
        """
        self.domains = list(domains)
        self.variable: list[int] = []
        """For each literal, the proto index of its variable."""

        self.one: dict[int, int] = {}
        """For each literal that is replaced by an equal one, that other literal."""

        self._number: list[dict[int, int]] = []
        """For each variable, the number of the literal of each value; empty if the variable is wide."""
        self._value: dict[int, int] = {}
        """The value of each literal, but of those of wide variables."""
        for variable, domain in enumerate(self.domains):
            first = len(self.variable)
            if size_of(domain) > TUNING.max_value_nodes:
                self._number.append({})
                self.variable.append(variable)
            else:
                values = list(values_of(domain))
                self._number.append({value: first + rank for rank, value in enumerate(values)})
                self._value.update(enumerate(values, first))
                self.variable += [variable] * len(values)
            if len(self.variable) > TUNING.max_graph_nodes:
                raise _too_large()
        self._wide = {variable: n for n, variable in enumerate(self.variable) if not self._number[variable]}
        """The only literal of each wide variable."""

    def add_boolean(self) -> tuple[int, int]:
        """Add a Boolean that the model does not have; return the numbers of its literals, (false, true)."""
        false, true = len(self.variable), len(self.variable) + 1
        self.variable += [len(self._number)] * 2
        self._number.append({0: false, 1: true})
        return false, true

    def wide(self, variable: int) -> int | None:
        """Return the only literal of a wide variable; None for any other variable."""
        return self._wide.get(variable)

    def literals_by_value(self, variable: int) -> Mapping[int, int]:
        """Return the literals of a variable by value; empty if the variable is wide.

        Unlike `number`, it does not replace a literal by an equal one.
        """
        return self._number[variable]

    def is_fixed(self, variable: int) -> bool:
        """Tell whether a variable has only one value."""
        return len(self._number[variable]) == 1

    def value(self, literal: int) -> int:
        """Return the value in "variable has value"; the literal must not be that of a wide variable."""
        return self._value[literal]

    def number(self, variable: int, value: int) -> int:
        """Return the number of the literal "this variable has this value".

        If another literal, equal to this one, represents it, the result is the number of that literal. It is `TRUE` if
        the variable has no other value, and `FALSE` if it cannot have this value.
        """
        numbers = self._number[variable]
        number_of_value = numbers.get(value)
        if number_of_value is None:
            return FALSE
        return TRUE if len(numbers) == 1 else self.one.get(number_of_value, number_of_value)

    def true_literal(self, reference: int) -> int:
        """Return the literal that is true where a reference of the proto is true.

        reference: i, or -i - 1 for its negation. The result may be `TRUE` or `FALSE`; see `number`.
        """
        return self.number(reference, 1) if reference >= 0 else self.number(negation(reference), 0)

    def false(self, reference: int) -> int:
        """Return the literal that is true where a reference of the proto is false; see `true_literal`."""
        return self.true_literal(negation(reference))


class OwnValues(NamedTuple):
    """The values of a variable, and the literal of each."""

    values: list[int]
    literals: list[int]
    together: frozenset[int]
    """All the literals: those of another variable if the two are equal."""


@dataclass(frozen=True)
class Total:
    """A sum: an offset and, for each variable, the weights of its literals.

    The least of these weights is 0. The value is the offset plus the weights of the literals that are true.
    """

    offset: Any
    parts: Sequence[Mapping[int, Any]]
    wide: Mapping[int, Any]
    """Coefficients of the variables of very many values, by their literals."""

    @cached_property
    def peaks(self) -> list[Any]:
        """The greatest weight of each part."""
        return [max(part.values()) for part in self.parts]

    @cached_property
    def greatest(self) -> Any:
        """The greatest value of the sum, without its offset and its wide variables."""
        return sum(self.peaks)

    @cached_property
    def weights(self) -> Mapping[int, Any]:
        """The weight that each literal adds if true; weights of 0 are left out."""
        return _sum_weights(self.parts)

    def complement(self) -> Total:
        """Return the sum counted down from its greatest value.

        Without the offset, the new sum is `greatest` minus the old one. Each weight becomes its difference from the
        greatest weight of the same variable; coefficients of wide variables are negated. For example, x + y of two
        Booleans becomes (1 - x) + (1 - y).
        """
        parts = [
            {n: peak - weight for n, weight in part.items()} for part, peak in zip(self.parts, self.peaks, strict=True)
        ]
        return Total(self.offset, parts, {n: -coefficient for n, coefficient in self.wide.items()})

    def divide(self, divisor: int) -> Total:
        """Return the sum with the same offset, and all weights and coefficients divided by a common divisor of them."""
        return Total(
            self.offset,
            [{n: weight // divisor for n, weight in part.items()} for part in self.parts],
            {n: coefficient // divisor for n, coefficient in self.wide.items()},
        )

    def vertices(self) -> list[Vertex]:
        """Return a vertex for each weight and each coefficient, which holds all literals that have it."""
        return _weight_vertices("weight", self.weights) + _weight_vertices("coefficient", self.wide)


def _sum_weights(parts: Iterable[Mapping[int, Any]]) -> dict[int, Any]:
    """Return the sum of the weights of each literal in all parts; sums of 0 are left out."""
    weights: dict[int, Any] = {}
    for part in parts:
        if weights.keys().isdisjoint(part):  # as in most sums
            weights.update(part)
        else:
            weights.update({literal: weights.get(literal, 0) + weight for literal, weight in part.items()})
    return {literal: weight for literal, weight in weights.items() if weight}


def _weight_vertices(kind: str, weights: Mapping[int, Any]) -> list[Vertex]:
    """Return a vertex for each weight, which holds the literals of this weight.

    Its colour is (kind, weight).
    """
    literals_by_weight = defaultdict(list)
    for literal, weight in weights.items():
        literals_by_weight[weight].append(literal)
    return [vertex(_colour(kind, weight), literals) for weight, literals in literals_by_weight.items()]


@lru_cache(REMEMBERED_COLOURS, typed=True)
def _colour(kind: str, weight: Any) -> Hashable:
    """Return the colour (kind, weight), the same object each time."""
    return kind, weight


@dataclass
class Terms:
    """Collects the terms of a model, the statements that its constraints make about literals."""

    literals: Literals
    proto: Any
    stop: Event
    found: set[Vertex] = field(default_factory=set)
    rigid: set[str] = field(default_factory=set)
    """Kinds of constraints whose arguments keep their places: no symmetries were looked for in them."""
    levels: list[list[Vertex]] = field(default_factory=list)
    """All vertices of the terms, each once.

    First those that hold nothing but literals, then those that hold these and literals, and so on.
    """
    mentioned: set[int] = field(default_factory=set)
    """All literals in the terms."""
    _height: dict[Vertex, int] = field(default_factory=dict)
    """The number of its level for each vertex, from 1."""
    _nodes: int = 0
    """The number of vertices, and of literals that they hold."""
    _own_values: dict[int, OwnValues] = field(default_factory=dict)
    """The values of each variable that was looked up, with their literals."""

    def add(self, term: Vertex, enforced: Sequence[int] = ()) -> None:
        """Add a term that holds if all literals of ``enforced`` are true; nothing if they can never all be true.

        Raises `InputError` if there are too many terms, `Stopped` once the event is set.
        """
        if enforced:
            conditions = {*enforced} - {TRUE}
            if not self._can_hold(conditions):
                return
            if conditions:
                term = vertex("if", [vertex("enforced", conditions), term])
        self.found.add(term)
        if term not in self._height:
            self._enter(term)
            if self._nodes > TUNING.max_graph_nodes:
                raise _too_large()
        if self.stop.is_set():
            raise Stopped

    def _enter(self, node: Vertex) -> int:
        """Add a new vertex to its level, after the new vertices that it holds; return the level's number.

        A vertex that holds literals only has the level 1; any other has the next level after those that it holds.
        """
        inner = [other for other in node.held if isinstance(other, Vertex)]
        if inner:
            self.mentioned |= node.held.difference(inner)  # the literals
            height = 1 + max([self._height.get(other) or self._enter(other) for other in inner])
        else:
            self.mentioned |= node.held
            height = 1
        self._nodes += 1 + len(node.held) - len(inner)
        self._height[node] = height
        while len(self.levels) < height:
            self.levels.append([])
        self.levels[height - 1].append(node)
        return height

    def _can_hold(self, literals: Collection[int]) -> bool:
        """Tell whether literals, each given once, can all be true: none is `FALSE`, and no two are of one variable.

        `TRUE` must not be among them, as it belongs to no variable.
        """
        if FALSE in literals:
            return False
        return len(literals) < 2 or len({self.literals.variable[literal] for literal in literals}) == len(literals)

    def add_nogood(self, literals: Iterable[int], enforced: Sequence[int] = ()) -> None:
        """Add the term that not all of these literals and those of ``enforced`` are true.

        Nothing is added if they can never all be true, because `FALSE` is among them, or two values of one variable.
        `TRUE` is left out. Raises `InputError` if there are too many terms, `Stopped` once the event is set.
        """
        distinct = {*literals, *enforced}
        distinct.discard(TRUE)
        if self._can_hold(distinct):
            self.add(vertex("nogood", distinct))

    def copy(self, literal: int) -> int:
        """Return a new literal that is equal to this one, which may be `TRUE`.

        It belongs to a new Boolean; terms say that they are equal. A caller that uses a new literal in each place can
        tell the places apart. Raises `InputError` if there are too many terms, `Stopped` once the event is set.
        """
        false, true = self.literals.add_boolean()
        self.add(vertex("exactly one", [false, true]))
        if literal == TRUE:
            self.add_nogood([false])
        else:
            self.add(vertex("same", [true, literal]))
        return true

    def add_all(self, references: Iterable[int], enforced: Sequence[int] = ()) -> None:
        """Add terms that each of these Booleans, given as references of the proto, is true.

        enforced: literals; this holds only where all of them are true. Raises `InputError` if there are too many terms,
        `Stopped` once the event is set.
        """
        for reference in references:
            self.add_nogood([self.literals.false(reference)], enforced)

    def assignments(self, expressions: Iterable[LinearSum]) -> list[dict[int, int]] | None:
        """Return all combinations of values of the variables in expressions.

        Each is a mapping from variable, by proto index, to value; it gives 0 for any other variable. The result is None
        if there are more than `Tuning.max_constraint_cases`, or if a variable is wide.
        """
        choices = self._own_values_in(expressions)
        if choices is None:
            return None
        cases = product(*(choice.values for choice in choices.values()))
        # A rule may look up variables that are not in the expressions; its result does not depend on their values.
        return [defaultdict(int, zip(choices, case, strict=True)) for case in cases]

    def _own_values_in(self, expressions: Iterable[LinearSum]) -> dict[int, OwnValues] | None:
        """Return the values of each variable in expressions, with their literals; variables are sorted.

        The result is None if the values make more than `Tuning.max_constraint_cases` combinations, or if a variable is
        wide.
        """
        variables = sorted({v for expression in expressions for v in expression.coefficients})
        sizes = [len(self.literals.literals_by_value(v)) for v in variables]  # 0 if the variable is wide
        if not 0 < prod(sizes) <= TUNING.max_constraint_cases:
            return None
        return {v: self.own_values(v) for v in variables}

    def add_cases(self, expressions: Sequence[LinearSum], rule: Callable[[Any], bool], enforced: Sequence[int]) -> bool:
        """Add a rule on some expressions as nogoods, or as a list of allowed combinations of values.

        rule: called with an assignment, a mapping from variable to value; returns whether it is allowed. enforced:
        literals; the rule holds only where all of them are true.

        Returns False, and adds nothing, if there are too many combinations. Raises `InputError` if there are too many
        terms, `Stopped` once the event is set.
        """
        choices, assignments = self._own_values_in(expressions), self.assignments(expressions)
        if choices is None or assignments is None:
            return False
        self._add_listed(choices.values(), map(rule, assignments), enforced)
        return True

    def _add_sum_cases(self, expression: LinearSum, domain: Sequence[tuple[int, int]], enforced: Sequence[int]) -> bool:
        """Add the rule that an expression's value is in the domain by cases, as `add_cases` does for any rule.

        domain: intervals (low, high). enforced: literals; the rule holds only where all of them are true. Returns
        False, and adds nothing, if there are too many combinations. It is quicker than `add_cases`, as it adds up the
        products of coefficients and values.
        """
        choices = self._own_values_in([expression])  # the values of each variable, with their literals
        if choices is None:
            return False
        weights = ([expression.coefficients[v] * value for value in choice.values] for v, choice in choices.items())
        shifted = [(low - expression.offset, high - expression.offset) for low, high in domain]
        totals = [*map(sum, product(*weights))]
        are_within = {total: _is_within(total, shifted) for total in set(totals)}
        self._add_listed(choices.values(), map(are_within.__getitem__, totals), enforced)
        return True

    def _add_listed(self, choices: Iterable[OwnValues], are_allowed: Iterable[bool], enforced: Sequence[int]) -> None:
        """Add a nogood for each forbidden combination, or one term that lists the allowed ones if these are fewer.

        choices: the values of each variable, with their literals. are_allowed: for each combination, in the order of
        `itertools.product`, whether it is allowed. enforced: literals; the terms hold only where all of them are true.
        """
        allowed: list[tuple[int, ...]] = []
        forbidden: list[tuple[int, ...]] = []
        for literals, is_allowed in zip(product(*(choice.literals for choice in choices)), are_allowed, strict=True):
            (allowed if is_allowed else forbidden).append(literals)
        if len(forbidden) <= len(allowed) or not allowed:
            for row in forbidden:
                self.add_nogood(row, enforced)
        else:
            self.add(vertex("one of", (vertex("all", {*row} - {TRUE}) for row in allowed)), enforced)

    def total(self, expression: LinearSum) -> Total:
        """Return a linear expression as a `Total`: an offset, and for each variable the weight of each of its literals.

        The weight of "variable has value" is coefficient * value, minus the least such weight of the variable, which
        goes to the offset. Variables of one value go to the offset, too. Equal variables make one part. Wide variables
        keep their coefficients.
        """
        offset, wide = expression.offset, dict[int, int]()
        parts: dict[frozenset[int], dict[int, Any]] = {}  # weights by literal; equal variables share literals and part
        for variable, coefficient in expression.coefficients.items():
            literal_of_all = self.literals.wide(variable)  # None unless the variable is wide
            if literal_of_all is not None:
                wide[literal_of_all] = coefficient
                continue
            values, literals, together = self.own_values(variable)
            if len(values) == 1:
                offset += coefficient * values[0]
                continue
            weights = dict(zip(literals, [coefficient * value for value in values], strict=True))
            part = parts.get(together)
            parts[together] = weights if part is None else {n: part[n] + weight for n, weight in weights.items()}
        shifted = []
        for part in parts.values():
            least = min(part.values())  # it goes to the offset, so that the least weight becomes 0
            offset += least
            if least < max(part.values()):
                shifted.append({n: weight - least for n, weight in part.items()} if least else part)
        return Total(offset, shifted, wide)

    def own_values(self, variable: int) -> OwnValues:
        """Return the values of a variable that is not wide, with their literals; see `Literals.number`."""
        if variable not in self._own_values:
            values = list(self.literals.literals_by_value(variable))
            numbers = [self.literals.number(variable, value) for value in values]
            self._own_values[variable] = OwnValues(values, numbers, frozenset(numbers))
        return self._own_values[variable]

    def value(self, expression: LinearSum) -> Vertex:
        """Return a vertex that represents the value of an expression, for use in a term."""
        total = self.total(expression)
        return vertex(("value", total.offset), total.vertices())

    def add_within(self, expression: LinearSum, domain: Sequence[tuple[int, int]], enforced: Sequence[int]) -> None:
        """Add the rule that the value of the expression is in the domain.

        It is brought into a normal form, as rules that mean the same should be the same term: offset 0, weights without
        a common divisor, and the first kind of term that can express it, of these: a rule on the number of true
        literals (a clause, say), cases, rules on pairs of values, a sum. domain: intervals (low, high). enforced:
        literals; the rule holds only where all of them are true. Raises `InputError` if there are too many terms,
        `Stopped` once the event is set.
        """
        total = self.total(expression)
        # The weights are those of each part, not their sums: a literal may represent several variables, and the sum of
        # its weights may have a divisor that they do not have.
        divisor = gcd(*chain.from_iterable(part.values() for part in total.parts), *total.wide.values())
        if not divisor:  # the expression is a constant
            if not _is_within(total.offset, domain):
                self.add_nogood([], enforced)
            return
        if divisor > 1:
            total = total.divide(divisor)
        shifted = [(low - total.offset, high - total.offset) for low, high in domain]
        # Divided, and rounded inwards: the lower ends up, the upper ends down.
        allowed = _merge_intervals((-(-low // divisor), high // divisor) for low, high in shifted)
        if total.wide:
            self.add(self._sum(total, allowed), enforced)
        else:
            allowed = _merge_intervals([(max(low, 0), min(high, total.greatest)) for low, high in allowed])
            # Each of these returns whether it has added the rule.
            if not (
                self._add_count(total, allowed, enforced)
                or self._add_sum_cases(expression, domain, enforced)
                or self._add_pairs(total, allowed, enforced)
            ):
                self.add(self._sum(total, allowed), enforced)

    def _add_count(self, total: Total, allowed: Sequence[tuple[int, int]], enforced: Sequence[int]) -> bool:
        """Add the rule that a total is in the allowed intervals as a rule on how many literals are true.

        It is possible if every weight is 1, and at-most-one, exactly-one or nogoods say the rule; also if all or no
        values are allowed. total: without wide variables; its value is from 0 to its greatest. allowed: intervals
        within these bounds. enforced: literals; the rule holds only where all are true. Returns False, and adds
        nothing, for any other total. Raises `InputError` if there are too many terms, `Stopped` once the event is set.
        """
        weights, greatest = total.weights, total.greatest
        if not allowed or allowed == [(0, greatest)]:
            if not allowed:
                self.add_nogood([], enforced)
            return True
        if any(weight != 1 for weight in weights.values()):
            return False
        if allowed == [(0, 0)]:
            for literal in weights:
                self.add_nogood([literal], enforced)
        elif allowed == [(0, greatest - 1)] and len(weights) == greatest:  # not all are true, of a variable each
            self.add_nogood(weights, enforced)
        elif allowed == [(1, greatest)] and all(len(part) == 2 for part in total.parts):  # not all negations are true
            self.add_nogood((n for part in total.parts for n, weight in part.items() if not weight), enforced)
        elif allowed == [(0, 1)]:
            self.add(vertex("at most one", weights), enforced)
        elif allowed == [(1, 1)] and len(weights) > 2:
            self.add(vertex("exactly one", weights), enforced)
        else:
            return False
        return True

    def _add_pairs(self, total: Total, allowed: Sequence[tuple[int, int]], enforced: Sequence[int]) -> bool:
        """Add the rule that a total is in the allowed intervals as rules on pairs of values.

        It is possible for two variables, if all totals but one are forbidden or only one is: then each value of the
        first requires or excludes at most one value of the second. total, allowed: as for `_add_count`. enforced:
        literals; the rule holds only where all are true. Returns False, and adds nothing, for any other total. Raises
        `InputError` if there are too many terms, `Stopped` once the event is set.
        """
        if len(total.parts) != 2:
            return False
        first, second = total.parts
        if any(len(set(part.values())) < len(part) for part in total.parts):
            return False  # a part may be a sum of equal variables
        is_one_allowed = len(allowed) == 1 and allowed[0][0] == allowed[0][1]
        # Every total is from 0 to the greatest. With these two bounds, the gaps are all that is not allowed.
        bounded = [(-1, -1), *allowed, (total.greatest + 1, total.greatest + 1)]
        # At most two totals of each gap are listed, as two are too many already.
        forbidden = [
            value for (_, high), (low, _) in pairwise(bounded) for value in range(high + 1, min(low, high + 3))
        ]
        if not is_one_allowed and len(forbidden) != 1:
            return False
        literal_by_weight = {weight: literal for literal, weight in second.items()}
        special_total = allowed[0][0] if is_one_allowed else forbidden[0]  # the only one allowed, or forbidden
        # For each literal of the first variable, that of the second with which it makes this total.
        pairs = {literal: literal_by_weight.get(special_total - weight) for literal, weight in first.items()}
        for literal, other in pairs.items():
            if other is None:  # no value of the second variable gives this total
                if is_one_allowed:
                    self.add_nogood([literal], enforced)
            elif not is_one_allowed:
                self.add_nogood([literal, other], enforced)
            elif literal != other:
                self.add(vertex("same", [literal, other]), enforced)
        if is_one_allowed:  # values of the second variable that no value of the first makes the total with
            for literal in set(second) - set(pairs.values()):
                self.add_nogood([literal], enforced)
        return True

    def _sum(self, total: Total, allowed: Sequence[tuple[int, int]]) -> Vertex:
        """Return the term that the total is in the allowed intervals.

        "The total is in [low, high]" says the same as "its complement is in [greatest - high, greatest - low]", where
        the complement is the total counted down from its greatest value. Of these two forms, the term has the one that
        comes first in a fixed order, or both if neither does. So the same rule always gives the same term. allowed:
        intervals (low, high).
        """
        greatest = total.greatest
        down = _merge_intervals([(greatest - high, greatest - low) for low, high in allowed])
        forms = [(allowed, total)]
        if down <= [*allowed]:  # else the first form comes first by its intervals alone
            forms.append((down, total.complement()))
            forms.sort(key=_shape)
            forms = [form for form in forms if _shape(form) == _shape(forms[0])]
        return vertex("either", (vertex(("sum", tuple(domain)), form.vertices()) for domain, form in forms))


def _is_within(value: int, domain: Iterable[tuple[int, int]]) -> bool:
    """Tell whether a value is in a domain, given as intervals (low, high), both ends included."""
    return any(low <= value <= high for low, high in domain)


def _shape(form: tuple[Sequence[tuple[int, int]], Total]) -> tuple[Any, ...]:
    """Return the sort key of a rule that a sum is in a domain: its intervals and weights, without names of literals.

    form: (domain, sum), one of the two ways to say the rule; see `Terms._sum`.
    """
    domain, total = form
    return domain, sorted(total.wide.values()), sorted(total.weights.values())


def _merge_intervals(domain: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the intervals of a domain in order, without empty ones.

    Overlapping and adjacent intervals are joined.
    """
    joined: list[tuple[int, int]] = []
    for low, high in sorted(domain):
        if low > high:
            continue
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined


def _too_large() -> InputError:
    """Return the error that says that the model is too large to search it for symmetries."""
    return InputError(
        "the model is too large to search it for symmetries; choose `--symmetry declared` or `--symmetry none`"
    )
