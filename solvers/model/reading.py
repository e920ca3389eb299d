"""The proto of a CpModel, read: kinds of constraints, literals, domains, linear sums, and which literals are a choice.

A literal is a reference to a Boolean: i, or -i - 1 for the negation of variable i. In a choice, exactly one or at most
one literal is true; a constraint may say so by its kind, or as a sum of Booleans in any form: x + y + z == 1,
2 * x + 2 * y <= 3, x >= y.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import methodcaller
from typing import Any, NamedTuple

SCHEDULING = ("cumulative", "interval", "no_overlap", "no_overlap_2d", "reservoir", "routes")
"""The kinds of cp_model.proto (OR-Tools 9.15) that only CP-SAT takes as they are."""

COMPARED_LISTS = {
    "no_overlap": "intervals",
    "no_overlap_2d": "x_intervals",
    "cumulative": "intervals",
    "reservoir": "time_exprs",
}
"""For each kind whose members are compared pair by pair, the field of its message that lists them."""

CLAUSE_KINDS = ("bool_or", "bool_and", "bool_xor", "at_most_one", "exactly_one")
"""The kinds that speak of Booleans only, and count as clauses."""

LOWERED = (
    "bool_or bool_and bool_xor at_most_one exactly_one linear all_diff element table "
    "inverse circuit automaton lin_max int_prod int_div int_mod"
).split()
"""The kinds that have a lowering."""

KINDS = (*LOWERED, *SCHEDULING)
"""All kinds of cp_model.proto (OR-Tools 9.15)."""

HAS_KIND = [(kind, methodcaller(f"has_{kind}")) for kind in sorted(KINDS, key="linear".__ne__)]
"""For each kind, the function that tells whether a constraint is of it; the most frequent kind comes first."""

REFERENCES = ("vars", "literals", "active_literals", "f_direct", "f_inverse")
"""The fields of constraints that list variables, or their negations."""

EXPRESSIONS = ("target", "linear_index", "linear_target", "capacity", "start", "end", "size")
"""The fields of constraints that are a linear expression; in an old element, "target" is a variable."""

MANY_EXPRESSIONS = ("exprs", "demands", "time_exprs", "level_changes")
"""The fields of constraints that list linear expressions."""

INTERVALS = ("intervals", "x_intervals", "y_intervals")
"""The fields of constraints that list interval constraints, by their place in the model."""

Domain = tuple[tuple[int, int], ...]
"""A union of intervals, both ends included; ascending, disjoint and not adjacent."""

EXACT_IN_INT64 = 2**62
"""Differences of integers below are exact in 64 bits."""

UNBOUNDED_VALUE = 2**128
"""Beyond every sum and product: CP-SAT takes no model whose expressions might leave 64 bits."""

ZERO: Domain = ((0, 0),)
NONZERO: Domain = ((-UNBOUNDED_VALUE, -1), (1, UNBOUNDED_VALUE))
NONNEGATIVE: Domain = ((0, UNBOUNDED_VALUE),)
POSITIVE: Domain = ((1, UNBOUNDED_VALUE),)


def kind_of(constraint: Any) -> str:
    """Return the name of a constraint's kind, as in cp_model.proto.

    The result is empty if the constraint has no kind, and so requires nothing.
    """
    return next((kind for kind, has in HAS_KIND if has(constraint)), "")


def negation(literal: int) -> int:
    """Return the negation of a literal: -i - 1 for i, and i for -i - 1."""
    return -literal - 1


def all_negated(literals: Iterable[int]) -> list[int]:
    """Return the negation of each literal, in the same order; see `negation`."""
    return [-literal - 1 for literal in literals]


def variable_of(literal: int) -> int:
    """Return the index of the variable that a literal refers to."""
    return max(literal, -literal - 1)


def has_objective(model: Any) -> bool:
    """Tell whether a CpModel has an objective, with integer or floating-point coefficients."""
    proto = model.proto
    return bool(proto.has_objective() or proto.has_floating_point_objective())


def has_boolean_rules_only(model: Any) -> bool:
    """Tell whether a model without an objective has Boolean variables only, and clauses and sums of these."""
    if has_objective(model) or not all(map(is_boolean, model.proto.variables)):
        return False
    return set(map(kind_of, model.proto.constraints)) <= {*CLAUSE_KINDS, "linear", ""}


def entries_of(field: Any) -> list[Any]:
    """Return the entries of a repeated field of a proto as a list.

    By their indices: if it is iterated, the end is an exception, which OR-Tools throws in C++ and which takes as long
    as five entries.
    """
    return list(map(field.__getitem__, range(len(field))))


def domain_of(proto: Any) -> Domain:
    """Return the domain of a part of a proto, as intervals (low, high).

    The part is a variable, a linear constraint or an objective.
    """
    flat = entries_of(proto.domain)
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def size_of(domain: Iterable[tuple[int, int]]) -> int:
    """Return the number of values in a domain."""
    return sum(high - low + 1 for low, high in domain)


def values_of(domain: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the values in a domain, in ascending order."""
    return (value for low, high in domain for value in range(low, high + 1))


def clip(domain: Domain, low: int, high: int) -> Domain:
    """Return the part of a domain that lies from low to high, both included.

    >>> clip(((1, 3), (5, 9)), 2, 6)
    ((2, 3), (5, 6))
    """
    return tuple((max(a, low), min(b, high)) for a, b in domain if a <= high and b >= low)


def shift(domain: Domain, by: int) -> Domain:
    """Return the domain with a number added to each value."""
    return tuple((a + by, b + by) for a, b in domain)


def is_boolean(variable: Any) -> bool:
    """Tell whether a variable of a proto can only take the values 0 and 1, or one of them."""
    return set(entries_of(variable.domain)) <= {0, 1}


class LinearSum(NamedTuple):
    """A linear sum: coefficients by variable, and a constant offset.

    Variables are proto indices; no coefficient is 0.
    """

    coefficients: Mapping[int, int]
    offset: int = 0

    def __add__(self, other: LinearSum) -> LinearSum:  # type: ignore[override]
        """Return the sum of two linear sums; coefficients that become 0 are left out."""
        return linear_sum(
            [*self.coefficients, *other.coefficients],
            [*self.coefficients.values(), *other.coefficients.values()],
            self.offset + other.offset,
        )

    def __call__(self, values: Mapping[int, int]) -> int:
        """Return the value of the sum; values: the value of each of its variables, by proto index."""
        return self.offset + sum(coefficient * values[v] for v, coefficient in self.coefficients.items())

    def __sub__(self, other: LinearSum) -> LinearSum:
        """Return the difference of two linear sums; coefficients that become 0 are left out."""
        return self + other.times(-1)

    def times(self, factor: int) -> LinearSum:
        """Return the sum multiplied by an integer."""
        return LinearSum({v: factor * c for v, c in self.coefficients.items() if factor}, factor * self.offset)


def linear_sum(variables: Iterable[int], coefficients: Iterable[int], offset: int = 0) -> LinearSum:
    """Return the sum of coefficients times variables, plus an offset.

    A variable may be repeated: its coefficients are added. There has to be one coefficient for each variable.
    """
    total: dict[int, int] = defaultdict(int)
    for variable, coefficient in zip(variables, coefficients, strict=True):
        total[variable] += coefficient
    return LinearSum({v: c for v, c in total.items() if c}, offset)


def terms_of(proto: Any) -> LinearSum:
    """Return the sum in a linear constraint or an objective of a proto.

    The offset of an objective is left out.
    """
    return linear_sum(entries_of(proto.vars), entries_of(proto.coeffs))


def expression(proto: Any) -> LinearSum:
    """Return a linear expression of a proto as a sum."""
    return linear_sum(entries_of(proto.vars), entries_of(proto.coeffs), proto.offset)


def of_variable(variable: int) -> LinearSum:
    """Return the sum that consists of one variable, given by its proto index, with coefficient 1."""
    return LinearSum({variable: 1})


def expressions(arguments: Any) -> list[LinearSum]:
    """Return the expressions of a constraint such as all_diff or table as sums.

    arguments: the constraint's own message in the proto. Older models list variables in its ``vars``, newer ones linear
    expressions in its ``exprs``; both are read.
    """
    return [*map(of_variable, arguments.vars), *map(expression, arguments.exprs)]


def target_and_expressions(arguments: Any) -> tuple[LinearSum, list[LinearSum]]:
    """Return (target, operands) of an int_prod, int_div, int_mod or lin_max constraint, as sums.

    arguments: the constraint's own message in the proto.
    """
    return expression(arguments.target), [expression(expr) for expr in arguments.exprs]


def element_of(arguments: Any) -> tuple[LinearSum, LinearSum, list[LinearSum]]:
    """Return (index, target, entries) of an element constraint, as sums.

    The entry at the index equals the target. arguments: the constraint's own message in the proto; the older form with
    ``vars`` is read, too.
    """
    if len(arguments.vars):
        target = of_variable(arguments.target)
    else:
        target = expression(arguments.linear_target) if arguments.has_linear_target() else LinearSum({})
    return index_of(arguments), target, expressions(arguments)


def index_of(arguments: Any) -> LinearSum:
    """Return the index of an element constraint as a sum; arguments: the constraint's own message in the proto."""
    if len(arguments.vars):
        return of_variable(arguments.index)
    return expression(arguments.linear_index) if arguments.has_linear_index() else LinearSum({})


def rows_of(arguments: Any) -> list[tuple[int, ...]]:
    """Return the rows of a table constraint, sorted and without repeats.

    A row has a value for each expression of the constraint. arguments: the constraint's own message in the proto.
    """
    flat = iter(arguments.values)  # all rows in one list; zip takes one value for each column from the same iterator
    return sorted(set(zip(*[flat] * (len(arguments.vars) + len(arguments.exprs)), strict=True)))


def arcs_of(arguments: Any) -> list[tuple[int, int, int]]:
    """Return (tail, head, literal) for each arc of a circuit or routes constraint; nodes are numbers.

    arguments: the constraint's own message in the proto.
    """
    return list(zip(arguments.tails, arguments.heads, arguments.literals, strict=True))


def steps_of(arguments: Any) -> list[tuple[int, int, int]]:
    """Return (tail, label, head) for each transition of an automaton: from state, read value, to state.

    arguments: the constraint's own message in the proto.
    """
    return list(zip(arguments.transition_tail, arguments.transition_label, arguments.transition_head, strict=True))


def variables_in(constraint: Any, proto: Any) -> set[int]:
    """Return the proto indices of all variables that a constraint speaks of.

    The variables of its enforcement literals belong to them, and all variables of the intervals that it uses, also of
    their enforcement literals. proto: the proto of the model.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y, z = (model.new_int_var(0, 1, name) for name in "xyz")
    >>> optional = model.new_optional_interval_var(y, 2, y + 2, ~z, "")
    >>> variables_in(model.add_no_overlap([optional]).proto, model.proto)
    {1, 2}
    """
    kind = kind_of(constraint)
    variables_found = set(map(variable_of, constraint.enforcement_literal))
    if not kind:
        return variables_found
    arguments = getattr(constraint, kind)
    for field in REFERENCES:
        variables_found |= set(map(variable_of, getattr(arguments, field, ())))
    # The linear expressions in all fields that have some; a kind of constraint has few of these fields.
    messages = [expression for field in MANY_EXPRESSIONS for expression in getattr(arguments, field, ())]
    messages += [getattr(arguments, field) for field in EXPRESSIONS if getattr(arguments, f"has_{field}", bool)()]
    if kind == "routes":
        messages = [expr for dimension in arguments.dimensions for expr in dimension.exprs]
    for message in messages:
        variables_found |= expression(message).coefficients.keys()
    if kind == "element" and len(arguments.vars):  # the older form, whose index and target are variables
        variables_found |= set(map(variable_of, (arguments.index, arguments.target)))
    for field in INTERVALS:
        for number in getattr(arguments, field, ()):  # of the interval's own constraint
            variables_found |= variables_in(proto.constraints[number], proto)
    return variables_found


def count(literals: Iterable[int]) -> LinearSum:
    """Return a sum that equals the number of true literals: i, or -i - 1 for the negation of variable i.

    The literal -i - 1 is worth 1 - (variable i): the coefficient -1, and 1 in the offset.
    """
    references = list(literals)
    signs = [1 if literal >= 0 else -1 for literal in references]
    return linear_sum(map(variable_of, references), signs, signs.count(-1))


def range_of(total: LinearSum, ranges: Mapping[int, tuple[int, int]] | Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return (least, greatest): the bounds of a sum that follow from those of its variables.

    ranges: (least, greatest) of each variable, by proto index.
    """
    low = high = total.offset
    for variable, coefficient in total.coefficients.items():
        least, greatest = sorted(coefficient * end for end in ranges[variable])
        low, high = low + least, high + greatest
    return low, high


class Choice(NamedTuple):
    """Literals, in the proto's convention, of which exactly one is true (``is_exact``) or at most one."""

    literals: list[int]
    is_exact: bool


class Count(NamedTuple):
    """Boolean variables, by proto index, of which at least ``low`` and at most ``high`` are true."""

    options: list[int]
    low: int
    high: int


def count_of(constraint: Any, proto: Any) -> Count | None:
    """Return the Booleans that a linear constraint counts, with their bounds.

    The result is None for any other constraint. Enforcement literals of the constraint are ignored. proto: the proto of
    the model.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y, z = (model.new_bool_var(name) for name in "xyz")
    >>> for constraint in (model.add(x + y + z == 2), model.add(2 * x + 2 * y >= 1), model.add(x - y + z == 0)):
    ...     print(count_of(constraint.proto, model.proto))
    Count(options=[0, 1, 2], low=2, high=2)
    Count(options=[0, 1], low=1, high=2)
    None
    """
    literals_and_numbers = _linear_count(constraint, proto.variables)
    if literals_and_numbers is None:
        return None
    literals, allowed = literals_and_numbers  # how many of the literals may be true
    if all(literal < 0 for literal in literals):  # the variables themselves are counted instead
        literals, allowed = all_negated(literals), {len(literals) - count for count in allowed}
    if any(literal < 0 for literal in literals):
        return None
    # If no number is allowed, the bounds are 1 and 0, which nothing satisfies. A set with gaps has no bounds.
    low, high = min(allowed, default=1), max(allowed, default=0)
    return Count(literals, low, high) if len(allowed) == high - low + 1 else None


def choice_of(constraint: Any, proto: Any) -> Choice | None:
    """Return the literals of which a constraint allows exactly one, or at most one, to be true.

    The result is None if the constraint says neither. Enforcement literals of the constraint are ignored. proto: the
    proto of the model.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_bool_var("x"), model.new_bool_var("y")
    >>> for constraint in (model.add(3 * x + 3 * y == 3), model.add(x + y <= 1), model.add(~x + y >= 1)):
    ...     print(choice_of(constraint.proto, model.proto))
    Choice(literals=[0, 1], is_exact=True)
    Choice(literals=[0, 1], is_exact=False)
    Choice(literals=[0, -2], is_exact=False)
    """
    if constraint.has_exactly_one():
        return Choice(list(constraint.exactly_one.literals), True)
    if constraint.has_at_most_one():
        return Choice(list(constraint.at_most_one.literals), False)
    literals_and_numbers = _linear_count(constraint, proto.variables)
    if literals_and_numbers is None:
        return None
    literals, allowed = literals_and_numbers  # how many of the literals may be true
    size = len(literals)
    # Exactly one of the negations is true iff all literals but one are; none of the negations iff all literals are.
    choices = [
        Choice(listed, is_exact)
        for listed, count_for_one, count_for_none in ((literals, 1, 0), (all_negated(literals), size - 1, size))
        for is_exact in (True, False)
        if allowed == ({count_for_one} if is_exact else {count_for_one, count_for_none})
    ]
    # With two literals both forms may fit; that with more variables is preferred.
    return max(choices, key=lambda choice: sum(literal >= 0 for literal in choice.literals), default=None)


def _linear_count(constraint: Any, variables: Any) -> tuple[list[int], set[int]] | None:
    """Return (literals, numbers) if a linear constraint says that one of these numbers of literals is true.

    It does if all variables are Boolean and all coefficients have one absolute value; a negative coefficient counts the
    negation. For example, 2 * x - 2 * y = 0 says that one of x and "not y" is true: ([x, not y], {1}). variables: the
    variables of the proto. Returns None for any other constraint.
    """
    weights = terms_of(constraint.linear).coefficients if constraint.has_linear() else {}
    sizes = {abs(weight) for weight in weights.values()}
    if len(sizes) != 1:  # none if the constraint is not linear, or has no terms
        return None
    (size,) = sizes
    literals = [variable if weight > 0 else negation(variable) for variable, weight in weights.items()]
    for literal in literals:
        domain = variables[variable_of(literal)].domain
        if domain[0] < 0 or domain[len(domain) - 1] > 1:
            return None
    # The sum is size * (the number of true literals - the number of negations), as size * -v is size * (not v) - size.
    negations = sum(literal < 0 for literal in literals)
    # An interval of the sum gives an interval of numbers: its ends divided by the size, rounded inwards.
    return literals, {
        count
        for low, high in domain_of(constraint.linear)
        for count in range(max(0, -(-low // size) + negations), min(len(literals), high // size + negations) + 1)
    }


def pair_count(model: Any) -> int:
    """Return how many pairs of intervals or events `model.scheduling.without_scheduling` compares.

    Each pair adds a dozen constraints. A list of n members counts as n * n pairs.
    """
    return sum(
        len(getattr(getattr(constraint, kind), COMPARED_LISTS[kind])) ** 2
        for constraint in model.proto.constraints
        if (kind := kind_of(constraint)) in COMPARED_LISTS
    )
