"""CpModel -> CNF: a formula whose solutions are, one for one, those of the model.

Each auxiliary variable is determined by the model's variables, whether a constraint is enforced or not. A Boolean is
lowered to one literal, an integer to the literals [x <= v], and one of many values to its bits. The meaning of every
kind is that of cp_model.proto (OR-Tools 9.15) where it says it, else what the solver was seen to do.

The functions of `KINDS` each add one kind of constraint to the formula, unless a literal of ``unless`` is true; these
are literals of the formula. ``arguments`` is the constraint's own message in the proto, such as
``constraint.all_diff``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from itertools import product as combinations_of
from math import prod
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.base.errors import InputError
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.cnf.arithmetic import (
    Binary,
    Number,
    Ordered,
    Sum,
    domain_literal,
    new_number,
    product,
    total,
)
from solvers.cnf.gates import FALSE, TRUE, Formula
from solvers.cnf.linear import is_within, require_within
from solvers.model.decomposed import divide, residual
from solvers.model.reading import (
    EXACT_IN_INT64,
    NONNEGATIVE,
    NONZERO,
    ZERO,
    Domain,
    LinearSum,
    arcs_of,
    choice_of,
    domain_of,
    element_of,
    expression,
    expressions,
    kind_of,
    of_variable,
    range_of,
    rows_of,
    steps_of,
    target_and_expressions,
    terms_of,
    variable_of,
)
from solvers.model.scheduling import without_scheduling
from solvers.model.writing import take_objective

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from ortools.sat.python.cp_model import CpModel


class Increments(NamedTuple):
    """The literals that raise variables above their least values, and by how much."""

    literals: NDArray[np.int64]
    weights: NDArray[Any]
    """The amount by which each literal raises its variable if it is true."""
    variables: NDArray[np.int64]
    first: NDArray[np.int64]
    """For each variable, the place of its first literal; empty if every variable has exactly one literal."""


class Lowering:
    """A formula made from a model, and the link between its variables and those of the model.

    It implements `solvers.model.decomposed.Writer`; variables added by that have indices after those of the model.
    """

    numbers: Sequence[Number]
    """For each variable of the model, the number in the formula that represents it."""

    objective: Binary | None = None
    """The value to minimise: the proto's objective, or the negative of a floating-point objective to maximise."""

    def __init__(
        self, formula: Formula, domains: Sequence[Domain], order: Iterable[int] = (), declared: int | None = None
    ) -> None:
        """Add a number to the formula for each variable of a model.

        domains: the domains of the model's variables, in the order of its proto. order: the variables, by proto index,
        in the order in which the formula numbers theirs; empty for the order of the proto. declared: how many of the
        variables, from the first on, `rows` returns the values of; None for all. A number is `Ordered` (a literal for
        each bound "at most v") if it has few values, else `Binary` (a literal for each bit).
        """
        self.formula, self._declared = formula, declared
        created = {variable: new_number(formula, domains[variable]) for variable in order or range(len(domains))}
        self.numbers = [created[variable] for variable in range(len(domains))]
        # Booleans that a positive literal represents: the bound "at most 0" is its negation.
        booleans = [n for n in self.numbers if isinstance(n, Ordered) and n.values == [0, 1] and n.bounds[0] < 0]
        self._columns = [-n.bounds[0] - 1 for n in booleans] if len(booleans) == len(created) else None
        """For each variable of the model, the number of its variable in the formula minus 1; None unless all of the
        model's variables are Booleans."""
        self._added: list[Number] = []
        """The numbers of the variables that were added after those of the model."""
        self._booleans: dict[int, int] = {}
        """The literal of each reference that was asked for."""
        self._named: dict[tuple[frozenset[tuple[int, int]], int], Number] = {}
        """By (terms, offset), the number that equals the sum."""

    def boolean(self, reference: int) -> int:
        """Return the formula's literal for a reference to a Boolean of the model.

        reference: i for variable i, -i - 1 for its negation.
        """
        literal = self._booleans.get(reference)
        if literal is None:
            is_one = self._number(variable_of(reference)).equals(1)  # the literal "the variable is 1"
            literal = is_one if reference >= 0 else -is_one
            self._booleans[reference] = literal
        return literal

    def booleans(self, references: Iterable[int]) -> list[int]:
        """Return the formula's literals for references to Booleans of the model; see `boolean`."""
        return list(map(self.boolean, references))

    def literal(self, variable: int, value: int) -> int:
        """Return a literal that is true iff the variable of the model has the value; clauses may be added."""
        return self.numbers[variable].equals(value)

    @cached_property
    def size(self) -> Mapping[str, int]:
        """The numbers of variables and clauses when they are first asked for, without the constant true, which is ours.

        Backends that share a lowering ask before they search, as a search adds variables of its own.
        """
        return {"variables": self.formula.variables - 1, "clauses": len(self.formula.clauses) - 1}

    def projection(self, key: Iterable[int]) -> list[int]:
        """Return literals of the formula of which the true ones identify an assignment of the key.

        A Boolean or a bit contributes itself and its negation, so that one of the two is true; a variable of more
        values contributes a literal for each value. If the formula says that exactly one of some literals is true, and
        all of them are Booleans of the key, these literals suffice. key: proto indices.
        """
        literals: dict[int, None] = {}
        booleans: dict[int, None] = {}
        for encoding in map(self.numbers.__getitem__, key):
            if isinstance(encoding, Binary):
                booleans.update((bit, None) for bit in encoding.bits)
            elif len(encoding.values) == 2:
                booleans[abs(encoding.bounds[0])] = None
            else:
                literals.update((encoding.equals(value), None) for value in encoding.values)
        covered = {TRUE}  # variables whose negations are not needed; a Boolean may have been found to be constant
        for choice in self.formula.choices:
            if all(abs(literal) in booleans for literal in choice):
                literals.update((literal, None) for literal in choice)
                covered.update(map(abs, choice))
        for boolean in booleans:
            if boolean not in covered:
                literals.update({boolean: None, -boolean: None})
        return list(literals)

    def values(self, model: Sequence[int]) -> Values:
        """Return the value of each variable of the CpModel, in proto order.

        model: a model of the formula; entry i - 1 is the true literal of its variable i.
        """
        import numpy as np

        values: Values = self.rows(np.array(model)[:, np.newaxis] > 0)[0]
        return values

    def rows(self, true: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the values of the CpModel's variables in several solutions, a row for each solution.

        The columns are all variables in proto order, or the first ones if the constructor was told how many. true:
        whether each variable of the formula is true; a row for each variable, a column for each solution.

        Each value is the variable's least one plus the weights of its true literals.
        """
        import numpy as np

        if self._columns is not None:
            return true[self._columns[: self._declared]].T
        low, single, several = self._least_and_increments
        values = np.repeat(low[:, np.newaxis], true.shape[1], axis=1)
        for literals, weights, variables, first in (single, several):
            # A negative literal is true where its variable is not.
            holds = true[np.abs(literals) - 1] ^ (literals < 0)[:, np.newaxis]
            raised = holds * weights[:, np.newaxis]
            if len(first):  # the rows of each variable's literals are added up; first: where these rows begin
                values[variables] += np.add.reduceat(raised, first, dtype=values.dtype)
            else:
                values[variables] += raised
        return values.T

    def truth_values(self, variables: Sequence[int], assignments: NDArray[np.int64]) -> Mapping[int, NDArray[np.bool_]]:
        """Return, for each literal that encodes one of the variables, in which assignments it is true.

        The result maps literals of the formula, and their negations, to an array with an entry for each assignment.
        variables: by proto index. assignments: their values, a row for each assignment, a column for each variable.
        """
        given: dict[int, NDArray[np.bool_]] = {}
        for variable, values in zip(variables, assignments.T, strict=True):
            for literal, holds in self.numbers[variable].truth_values(values):
                given |= {literal: holds, -literal: ~holds}
        return given

    @cached_property
    def _least_and_increments(self) -> tuple[NDArray[Any], Increments, Increments]:
        """Return (least values, single, several): each variable's least value, and the literals that raise it.

        A variable is its least value plus the weights of its true literals. ``single`` has the variables with exactly
        one such literal, ``several`` those with more.
        """
        import numpy as np

        declared = self.numbers[: self._declared]
        steps = [number.steps() for number in declared]  # for each variable, its (literal, weight) pairs
        largest = max((max(-number.low, number.high) for number in declared), default=0)
        # Offsets and sums of weights are at most twice the largest value; the type has to hold them.
        integer_type = np.min_scalar_type(-2 * largest - 1) if largest < EXACT_IN_INT64 else np.dtype(object)
        low = np.array([n.offset if isinstance(n, Binary) else n.low for n in declared], integer_type)

        def increments_of(variables: Sequence[int]) -> Increments:
            """Return the literals that raise these variables, those of one variable together; see `Increments`."""
            flat = [step for variable in variables for step in steps[variable]]
            sizes = [len(steps[variable]) for variable in variables]
            first = np.cumsum([0, *sizes[:-1]]) if len(flat) > len(sizes) else np.arange(0)
            literals = np.array([literal for literal, _ in flat], np.int64)
            weights = np.array([weight for _, weight in flat], integer_type)
            return Increments(literals, weights, np.array(variables, np.int64), first)

        numbers = range(len(steps))
        return (
            low,
            increments_of([n for n in numbers if len(steps[n]) == 1]),
            increments_of([n for n in numbers if len(steps[n]) > 1]),
        )

    def _number(self, variable: int) -> Number:
        """Return the number of the formula for a variable: one of the model, or one that was added."""
        count_of_model = len(self.numbers)
        return self.numbers[variable] if variable < count_of_model else self._added[variable - count_of_model]

    def sum(self, total: LinearSum) -> Sum:
        """Convert a sum of the model's variables to a `Sum`: coefficients by number of the formula, and an offset.

        Numbers with only one possible value become part of the offset.
        """
        terms: dict[Number, int] = defaultdict(int)
        offset = total.offset
        for variable, coefficient in total.coefficients.items():
            number = self._number(variable)
            if number.low == number.high:
                offset += coefficient * number.low
            else:
                terms[number] += coefficient
        return Sum({number: coefficient for number, coefficient in terms.items() if coefficient}, offset)

    def number(self, total: LinearSum) -> Number:
        """Return one number that equals the sum; equal sums share one number."""
        key = frozenset(total.coefficients.items()), total.offset
        if key not in self._named:
            self._named[key] = self._new_number_of(self.sum(total))
        return self._named[key]

    def require_within_domain(self, total: LinearSum, domain: Domain, unless: Sequence[int]) -> None:
        """Require that the sum is in the domain, unless one of these literals of the formula is true."""
        require_within(self.formula, self.sum(total), domain, unless)

    def _add(self, number: Number) -> LinearSum:
        """Add a number as a variable after those of the model; return it as a sum."""
        self._added.append(number)
        return of_variable(len(self.numbers) + len(self._added) - 1)

    def add_variable(self, low: int, high: int) -> LinearSum:
        """Add an integer variable with values from low to high; see `Writer.add_variable`."""
        return self._add(new_number(self.formula, ((low, high),)))

    def reference(self, literal: int) -> int:
        """Return a reference, as in the proto, to a new Boolean that equals a literal of the formula."""
        (variable,) = self._add(Ordered(self.formula, [0, 1], [-literal])).coefficients
        return variable

    def new_literal(self) -> int:
        """Add a Boolean variable and return its literal; see `Writer.new_literal`."""
        return self.reference(self.formula.add_variable())

    def range(self, total: LinearSum) -> tuple[int, int]:
        """Return the least and the greatest value that a sum may have; see `Writer.range`."""
        numbers = {v: self._number(v) for v in total.coefficients}
        return range_of(total, {v: (number.low, number.high) for v, number in numbers.items()})

    def clause(self, literals: Iterable[int]) -> None:
        """Require that at least one of the literals is true; see `Writer.clause`."""
        self.formula.add(self.booleans(literals))

    def require(self, total: LinearSum, domain: Domain, unless: Sequence[int] = ()) -> None:
        """Require that a sum is in a domain, unless a literal of ``unless`` is true; see `Writer.require`.

        ``unless`` has references of the proto, not literals of the formula.
        """
        self.require_within_domain(total, domain, self.booleans(unless))

    def product(self, a: LinearSum, b: LinearSum, *_: object) -> LinearSum:
        """Return a sum that equals the product of two sums; see `Writer.product`.

        The further arguments, bounds of the product, are not used.
        """
        return self._add(product(self.number(a), self.number(b)))

    def _new_number_of(self, expression: Sum) -> Number:
        """Return one number that equals the expression.

        The number is in the order encoding if it has few values, otherwise in binary. Without terms it is a constant;
        with one term no new variable of the formula is needed.
        """
        if not expression.terms:
            return Ordered(self.formula, [expression.offset], [])
        if len(expression.terms) == 1:
            ((number, coefficient),) = expression.terms.items()
            return number.affine(coefficient, expression.offset)
        values = {expression.offset}  # that the sum of the offset and the numbers so far may have
        for number in expression.scale_terms():  # each number times its coefficient
            if isinstance(number, Ordered):
                values = {a + b for a in values for b in number.values}
            if isinstance(number, Binary) or len(values) > TUNING.max_order_encoded_values:
                return total(self.formula, expression)
        # In the order encoding, a bound says that the sum is from its least value to this one.
        ordered = sorted(values)
        bounds = [is_within(self.formula, expression, ((ordered[0], value),)) for value in ordered[:-1]]
        return Ordered(self.formula, ordered, bounds)


def lower(model: CpModel, stop: Event, *, order: Iterable[int] = ()) -> Lowering:
    """Return a model lowered to CNF: a `Lowering`, whose formula has the same solutions one for one.

    The variables of the formula that are not the model's are determined by these. order: the model's variables in the
    order in which the formula numbers theirs; empty for proto order.

    Raises `InputError` if OR-Tools does not accept the model, if `without_scheduling` refuses its routes, or if it
    takes more than `Tuning.max_clauses` clauses; `Stopped` once ``stop`` is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_bool_var("x"), model.new_bool_var("y")
    >>> _ = model.add(x != y)
    >>> lower(model, Event()).formula.clauses
    [[1], [2, 3], [-2, -3]]
    """
    if invalid := model.validate():
        raise InputError(f"OR-Tools does not accept the model: {' '.join(invalid.split())}")
    declared, model = len(model.proto.variables), without_scheduling(model)  # which adds variables at the end
    proto = model.proto
    order = [*order, *range(declared, len(proto.variables))] if order else ()
    lowering = Lowering(Formula(stop), list(map(domain_of, proto.variables)), order, declared)
    formula = lowering.formula
    kinds = list(map(kind_of, proto.constraints))
    for kind, constraint in zip(kinds, proto.constraints, strict=True):
        unless = [-literal for literal in lowering.booleans(constraint.enforcement_literal)]
        if not kind or TRUE in unless:  # it requires nothing, or is never enforced
            continue
        if kind == "linear" and (choice := choice_of(constraint, proto)):  # a sum that says at-most-one, say
            require_count = formula.exactly_one if choice.is_exact else formula.at_most_one
            require_count(lowering.booleans(choice.literals), unless)
        else:
            KINDS[kind](lowering, getattr(constraint, kind), unless)
    for literal in lowering.booleans(proto.assumptions):
        formula.add([literal])
    if proto.has_objective():
        objective = proto.objective
        lowering.objective = total(formula, lowering.sum(terms_of(objective)))
        if len(objective.domain):
            formula.add([domain_literal(lowering.objective, domain_of(objective))])
    elif proto.has_floating_point_objective():
        lowering.objective = total(formula, lowering.sum(take_objective(model.clone().proto)))
    return lowering


def _bool_or(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that a literal of the bool_or is true, unless a literal of ``unless`` (of the formula) is.

    lowering: the clauses are added to its formula. arguments: the constraint's own message in the proto.
    """
    lowering.formula.add([*unless, *lowering.booleans(arguments.literals)])


def _bool_and(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that all literals of the bool_and are true, unless a literal of ``unless`` (of the formula) is.

    lowering: the clauses are added to its formula. arguments: the constraint's own message in the proto.
    """
    for literal in lowering.booleans(arguments.literals):
        lowering.formula.add([*unless, literal])


def _bool_xor(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that an odd number of the literals is true, unless a literal of ``unless`` (of the formula) is.

    lowering: the clauses are added to its formula. arguments: the constraint's own message in the proto.
    """
    lowering.formula.add([*unless, lowering.formula.parity(lowering.booleans(arguments.literals))])


def _require_count(say: Callable[..., object], lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that at most one, or exactly one, literal is true, unless a literal of ``unless`` (of the formula) is.

    say: `Formula.at_most_one` or `Formula.exactly_one`, which add the clauses. lowering: the clauses are added to its
    formula. arguments: the constraint's own message in the proto.
    """
    say(lowering.formula, lowering.booleans(arguments.literals), unless)


def _linear(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the sum of a linear constraint is in its domain.

    The constraint is not enforced where a literal of ``unless`` (of the formula) is true. lowering: the clauses are
    added to its formula. arguments: the constraint's own message in the proto.
    """
    lowering.require_within_domain(terms_of(arguments), domain_of(arguments), unless)


def _all_diff(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the expressions of an all_diff have different values.

    The constraint is not enforced where a literal of ``unless`` (of the formula) is true. For each value of a number in
    the order encoding, at most one number has it. Numbers in binary may share other values; so these are also compared
    pair by pair. lowering: the clauses are added to its formula; its method ``number`` returns the `Ordered` or
    `Binary` number that equals a sum. arguments: the constraint's own message in the proto.
    """
    formula = lowering.formula
    sums = list(map(expression, arguments.exprs))
    numbers = list(map(lowering.number, sums))
    ordered = [number for number in numbers if isinstance(number, Ordered)]
    formula.reserve(sum(len(few_valued.values) for few_valued in ordered))  # an error now if they cannot fit
    holders: dict[int, list[int]] = defaultdict(list)  # for each value, a literal of each number that may have it
    for few_valued in ordered:
        for value in few_valued.values:
            holders[value].append(few_valued.equals(value))
    binary = [(number, e) for number, e in zip(numbers, sums, strict=True) if isinstance(number, Binary)]
    for many_valued, _ in binary:
        for value, literals in holders.items():
            literals.append(many_valued.equals(value))
    if not binary and len(holders) < len(numbers):  # fewer values than numbers: it cannot hold
        formula.add([*unless])
    for literals in holders.values():
        if not binary and len(holders) == len(numbers):  # as many values as numbers: each value is taken
            formula.exactly_one(literals, unless)
        else:
            formula.at_most_one(literals, unless)
    # An error now if they cannot fit: a pair takes two clauses at least for each bit, of which a binary number has more
    # than the most values in the order encoding need.
    formula.reserve(len(binary) * (len(binary) - 1) * TUNING.max_order_encoded_values.bit_length())
    for (_, a), (_, b) in combinations(binary, 2):
        lowering.require_within_domain(a - b, NONZERO, unless)


def _element(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the entry of an array at the index equals the target.

    The constraint is not enforced where a literal of ``unless`` (of the formula) is true. Constant entries make it a
    table. lowering: the clauses are added to its formula; its method ``number`` returns the number of the formula that
    equals a sum. arguments: the message of the element constraint in the proto, which has the index, the entries and
    the target.
    """
    index, target, entries = element_of(arguments)  # linear sums
    position = lowering.number(index)
    if not any(entry.coefficients for entry in entries):  # a row is (index, target)
        rows = [(place, entry.offset) for place, entry in enumerate(entries)]
        _require_row(lowering.formula, [position, lowering.number(target)], rows, unless)
        return
    lowering.formula.add([*unless, domain_literal(position, ((0, len(entries) - 1),))])
    for place, entry in enumerate(entries):
        lowering.require_within_domain(target - entry, ZERO, [*unless, -position.equals(place)])


def _table(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the expressions of a table have the values of some row.

    The constraint is not enforced where a literal of ``unless`` (of the formula) is true. If the table is negated, they
    must not have the values of any row. A table without expressions requires nothing. lowering: the clauses are added
    to its formula; its method ``number`` returns the number of the formula that equals a sum. arguments: the
    constraint's own message in the proto.
    """
    formula = lowering.formula
    columns = list(map(lowering.number, expressions(arguments)))
    rows = rows_of(arguments)
    if not columns:
        return
    formula.reserve(len(rows))
    if arguments.negated:
        for row in rows:
            formula.add([*unless, *(-number.equals(value) for number, value in zip(columns, row, strict=True))])
    else:
        _require_row(formula, columns, rows, unless)


def _require_row(
    formula: Formula, columns: Sequence[Number], rows: Iterable[Sequence[int]], unless: Sequence[int]
) -> None:
    """Require that the numbers have the values of some row, unless a literal of ``unless`` is true.

    A new literal for each row is true iff the numbers have its values; one of these is true. Clauses that this implies
    are added, too, so that unit propagation excludes values: if a number has a value, a row with this value is the one.
    A row with a value that a number cannot have is left out. formula: the clauses are added to it. columns: the
    numbers. rows: each has a value for each number.
    """
    # For each literal "number has value", the literals of the rows with this value; the list of a value that no row has
    # stays empty, so that the value is excluded.
    rows_with: dict[int, list[int]] = {literal: [] for literal in _value_literals(columns)}
    chosen = []  # the literals of the rows
    for row in rows:
        literals = [number.equals(value) for number, value in zip(columns, row, strict=True)]
        if FALSE not in literals:
            chosen.append(formula.conjunction(literals))
            for literal in literals:
                rows_with.setdefault(literal, []).append(chosen[-1])
    formula.add([*unless, *chosen])
    for literal, rows_with_it in rows_with.items():
        formula.add([*unless, -literal, *rows_with_it])


def _value_literals(numbers: Iterable[Number]) -> Iterator[int]:
    """Yield the literal of each value of the numbers in the order encoding."""
    return (number.equals(value) for number in numbers if isinstance(number, Ordered) for value in number.values)


def _inverse(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that two lists of variables are inverse permutations: direct[i] = j iff inverse[j] = i, from 0.

    The constraint is not enforced where a literal of ``unless`` (of the formula) is true. lowering: the clauses are
    added to its formula, and it has the number of the formula for each variable. arguments: the constraint's own
    message in the proto.
    """
    formula = lowering.formula
    direct = [lowering.numbers[v] for v in arguments.f_direct]
    inverse = [lowering.numbers[v] for v in arguments.f_inverse]
    formula.reserve(len(direct) ** 2)  # an error now if they cannot fit; there will be about twice as many
    for number in direct + inverse:
        formula.add([*unless, domain_literal(number, ((0, len(direct) - 1),))])
    for i, j in combinations_of(range(len(direct)), repeat=2):
        forward, back = direct[i].equals(j), inverse[j].equals(i)
        formula.add([*unless, -forward, back])
        formula.add([*unless, forward, -back])


def _circuit(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the arcs that are true form one circuit, unless a literal of ``unless`` is true.

    Each node has one arc in and one out; a node with a loop is skipped. The least node that is not skipped is the first
    one. The places of the nodes, in binary, exclude a second circuit: that of the head of an arc is one more than that
    of its tail, unless the head is the first node. The place is 0 for the first node, for skipped nodes, and for all
    where the constraint is not enforced, so that it is determined. unless: literals of the formula. lowering: the
    clauses are added to its formula. arguments: the constraint's own message in the proto.
    """
    formula = lowering.formula
    arcs = [(tail, head, lowering.boolean(literal)) for tail, head, literal in arcs_of(arguments)]
    nodes = sorted({node for tail, head, _ in arcs for node in (tail, head)})
    for node in nodes:
        formula.exactly_one([literal for tail, _, literal in arcs if tail == node], unless)
        formula.exactly_one([literal for _, head, literal in arcs if head == node], unless)
    enforced = formula.conjunction(-literal for literal in unless)
    skipped = {tail: literal for tail, head, literal in arcs if tail == head}  # a node is skipped iff its loop is true
    # For each node: the literal "it is the first node", the bits of its place, and those of its place plus 1.
    is_first: dict[int, int] = {}
    place: dict[int, list[int]] = {}
    next_place: dict[int, list[int]] = {}
    all_skipped_so_far = TRUE
    for node in nodes:
        is_skipped = skipped.get(node, FALSE)
        is_first[node] = formula.conjunction([all_skipped_so_far, -is_skipped])
        all_skipped_so_far = formula.conjunction([all_skipped_so_far, is_skipped])
        place[node] = [formula.add_variable() for _ in range((len(nodes) - 1).bit_length())]
        for bit in place[node]:
            for may_be_one in (enforced, -is_skipped, -is_first[node]):  # if one of these is false, the place is 0
                formula.add([may_be_one, -bit])
        next_place[node] = _successor(formula, place[node])
    for tail, head, literal in arcs:
        if tail != head:
            for bit, next_bit in zip(place[head], next_place[tail], strict=True):
                formula.add([*unless, -literal, is_first[head], -bit, next_bit])
                formula.add([*unless, -literal, is_first[head], bit, -next_bit])


def _successor(formula: Formula, bits: Iterable[int]) -> list[int]:
    """Return the bits of a number plus 1, without its last carry; all bits are literals, the lowest first."""
    bits_after, carry = [], TRUE
    for bit in bits:
        bits_after.append(formula.parity([bit, carry]))
        carry = formula.conjunction([bit, carry])
    return bits_after


def _automaton(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the automaton accepts the expressions' values, unless a literal of ``unless`` is true.

    For each state, a literal says whether the automaton is in it after the expressions so far. It is true iff one of
    the steps to the state is taken. A state and a value each imply that one of the steps with it is taken, so that unit
    propagation excludes every value that no accepted word has (Quimper, Walsh, 2007, doi:10.1007/978-3-540-74970-7_42).
    unless: literals of the formula. lowering: the clauses are added to its formula. arguments: the constraint's own
    message in the proto.
    """
    formula = lowering.formula
    states = {arguments.starting_state: TRUE}  # the literal of each state that is possible so far
    for number in map(lowering.number, expressions(arguments)):
        arrivals: dict[int, list[int]] = defaultdict(list)  # for each state, the literals of the steps to it
        # For each literal of a state or of a value of the number, the literals of the steps with it.
        steps_with: dict[int, list[int]] = {literal: [] for literal in [*states.values(), *_value_literals([number])]}
        for tail, label, head in steps_of(arguments):  # state before, value read, state after
            tail_and_label = [states.get(tail, FALSE), number.equals(label)]
            step = formula.conjunction(tail_and_label)
            arrivals[head].append(step)
            for literal in tail_and_label:
                steps_with.setdefault(literal, []).append(step)  # `FALSE` and values without an order encoding are new
        for literal, steps in steps_with.items():
            formula.add([*unless, -literal, *steps])
        states = {state: formula.disjunction(literals) for state, literals in arrivals.items()}
    # The last state is a final one. That each other state is excluded follows, but helps unit propagation.
    formula.add([*unless, *(states.get(state, FALSE) for state in arguments.final_states)])
    for state in states.keys() - {*arguments.final_states}:
        formula.add([*unless, -states[state]])


def _lin_max(lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require that the target is the greatest of the expressions, unless a literal of ``unless`` is true.

    If all are in the order encoding: the target is at most a value iff all expressions are. Otherwise the target is not
    below any of them, and some expression is not below the target. Without expressions there is no greatest one, so
    that a literal of ``unless`` has to be true. unless: literals of the formula. lowering: the clauses are added to its
    formula. arguments: the constraint's own message in the proto.
    """
    formula = lowering.formula
    target, sums = target_and_expressions(arguments)
    greatest, numbers = lowering.number(target), list(map(lowering.number, sums))
    values = {value for number in (greatest, *numbers) if isinstance(number, Ordered) for value in number.values}
    if not numbers:
        formula.add([*unless])
    elif all(isinstance(number, Ordered) for number in (greatest, *numbers)):
        for value in sorted(values):
            for number in numbers:
                formula.add([*unless, -greatest.at_most(value), number.at_most(value)])
            formula.add([*unless, greatest.at_most(value), *(-number.at_most(value) for number in numbers)])
    else:
        for operand in sums:
            lowering.require_within_domain(target - operand, NONNEGATIVE, unless)
        formula.add([*unless, *(is_within(formula, lowering.sum(operand - target), NONNEGATIVE) for operand in sums)])


def _require_computation(kind: str, lowering: Lowering, arguments: Any, unless: Sequence[int]) -> None:
    """Require an int_prod, int_div or int_mod constraint, unless a literal of ``unless`` is true.

    kind: the name of the constraint's kind. A case is a combination of the operands' values; it implies the value of
    the target. If there are too many cases, or an operand is in binary, the constraint is said by products and sums.
    unless: literals of the formula. lowering: the clauses are added to its formula. arguments: the constraint's own
    message in the proto.
    """
    target, sums = target_and_expressions(arguments)
    numbers = list(map(lowering.number, sums))
    values = [number.values for number in numbers if isinstance(number, Ordered)]
    if len(values) < len(numbers) or prod(map(len, values)) > TUNING.max_enumerated_cases:
        if kind == "int_div":  # the target itself is the quotient
            dividend, divisor = sums
            divide(lowering, dividend, divisor, target, list(map(lowering.reference, unless)))
        else:
            lowering.require_within_domain(residual(lowering, kind, arguments), ZERO, unless)
        return
    result = lowering.number(target)
    for case in combinations_of(*values):
        guards = (-number.equals(value) for number, value in zip(numbers, case, strict=True))
        lowering.formula.add([*unless, *guards, result.equals(FUNCTIONS[kind](*case))])


def _quotient_towards_zero(dividend: int, divisor: int) -> int:
    """Return the quotient of two integers, rounded towards 0; the divisor must not be 0."""
    towards_zero = abs(dividend) // abs(divisor)
    return towards_zero if (dividend < 0) == (divisor < 0) else -towards_zero


FUNCTIONS: dict[str, Callable[..., int]] = {
    "int_prod": lambda *factors: prod(factors),
    "int_div": _quotient_towards_zero,
    "int_mod": lambda dividend, divisor: dividend - divisor * _quotient_towards_zero(dividend, divisor),
}
"""For each kind of computation, the function that computes its target from the other arguments."""

KINDS: dict[str, Callable[[Lowering, Any, Sequence[int]], None]] = {
    "bool_or": _bool_or,
    "bool_and": _bool_and,
    "bool_xor": _bool_xor,
    "at_most_one": partial(_require_count, Formula.at_most_one),
    "exactly_one": partial(_require_count, Formula.exactly_one),
    "linear": _linear,
    "all_diff": _all_diff,
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "automaton": _automaton,
    "lin_max": _lin_max,
    **{kind: partial(_require_computation, kind) for kind in FUNCTIONS},
}
"""For each kind of constraint, the function that adds it to the formula."""
