"""Small random models over every kind of constraint, exact covers, formulas: whatever the attack searches.

All of it is drawn from a `random.Random`; hypothesis has one too, which shrinks (`tests/support/random_models.py`).
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain
from pysat.formula import CNF

SMALL = range(-3, 4)
NONZERO = [-3, -2, -1, 1, 2, 3]


class Sketch:
    """A model being drawn, with its variables by type."""

    def __init__(self, chance: Random, scale: int = 1) -> None:
        """scale: how far apart the values of integers are."""
        self.chance = chance
        self.model = CpModel()
        self.booleans = [self.model.new_bool_var(f"b{number}") for number in range(chance.randint(1, 4))]
        self.integers = [
            self.model.new_int_var_from_domain(
                Domain.from_values([scale * value for value in self.values(-2, 4, 4)]), f"x{number}"
            )
            for number in range(chance.randint(1, 3))
        ]
        self.wide: list[Any] = []
        """Functions of the others, of up to 2^60 values."""

    def values(self, low: int, high: int, most: int) -> list[int]:
        """Some values from a range, ascending; up to so many."""
        return sorted(self.chance.sample(range(low, high + 1), self.chance.randint(1, most)))

    def literal(self) -> Any:
        boolean = self.chance.choice(self.booleans)
        return ~boolean if self.chance.random() < 0.5 else boolean

    def literals(self, least: int = 0) -> list[Any]:
        return [self.literal() for _ in range(self.chance.randint(least, 4))]

    def variable(self) -> Any:
        if self.wide and self.chance.random() < 0.6:
            return self.chance.choice(self.wide)
        return self.chance.choice(self.booleans + self.integers)

    def term(self) -> Any:
        return self.chance.choice(NONZERO) * self.variable() + self.chance.choice(SMALL)

    def affine(self) -> Any:
        """A coefficient times a variable, and an offset; or a constant."""
        return self.term() if self.chance.randint(0, 5) else self.chance.choice(SMALL)

    def affines(self, least: int, most: int) -> list[Any]:
        return [self.affine() for _ in range(self.chance.randint(least, most))]

    def linear(self) -> Any:
        terms = [self.chance.choice(NONZERO) * self.variable() for _ in range(self.chance.randint(1, 4))]
        return sum(terms) + self.chance.choice(SMALL)

    def divisor(self, allowed: Callable[[int], bool]) -> Any:
        """An affine expression none of whose values is forbidden, else a constant."""
        coefficient, variable, offset = self.chance.choice(NONZERO), self.variable(), self.chance.choice(SMALL)
        bounds = list(variable.proto.domain)
        values = [bound for low, high in zip(bounds[::2], bounds[1::2], strict=True) for bound in {low, high}]
        if variable not in self.wide:
            values = [v for low, high in zip(bounds[::2], bounds[1::2], strict=True) for v in range(low, high + 1)]
        divisors = [coefficient * value + offset for value in values]
        # The values of a wide variable lie between those: none is 0 if all have one sign.
        has_one_sign = min(divisors) > 0 or max(divisors) < 0
        if all(map(allowed, divisors)) and (has_one_sign or variable not in self.wide):
            return coefficient * variable + offset
        return self.chance.choice([value for value in SMALL if allowed(value)])

    def rows(self, width: int) -> list[tuple[int, ...]]:
        """Rows of a table."""
        return [tuple(self.chance.randint(-3, 5) for _ in range(width)) for _ in range(self.chance.randint(0, 12))]

    def ends(self) -> list[tuple[int, int]]:
        """Tails and heads of arcs."""
        return [(self.chance.randint(0, 3), self.chance.randint(0, 3)) for _ in range(self.chance.randint(1, 6))]

    def widen(self) -> None:
        """Add a variable with a large domain, which is a function of the others."""
        chance = self.chance
        bits = chance.randint(4, 60)
        reach = 2**bits
        low, high = chance.choice([(-reach, reach), (0, reach), (-reach, -1)])
        domain = Domain(low, high)
        if chance.random() < 0.3:  # with a gap
            middle = chance.randint(low, high)
            domain = Domain.from_intervals([[low, middle], [min(middle + chance.randint(2, 99), high), high]])
        wide = self.model.new_int_var_from_domain(domain, f"w{len(self.wide)}")

        def large() -> int:
            return chance.choice([-1, 1]) * chance.randint(1, 2 ** chance.randint(1, max(1, bits - 3)))

        def expression() -> Any:
            return large() * chance.choice(self.integers) + chance.choice([*SMALL, large()])

        draw = chance.randint(0, 9)
        if draw < 5 or not (self.wide or draw < 7):
            also = large() * self.variable() if chance.random() < 0.5 else 0
            self.model.add(wide == expression() + also)
        elif draw < 7:
            small = chance.choice(NONZERO) * chance.choice(self.integers) + chance.choice(SMALL)
            self.model.add_multiplication_equality(wide, [expression(), small])
        elif draw == 7:
            self.model.add_division_equality(wide, self.term(), self.divisor(lambda d: d != 0))
        elif draw == 8:
            self.model.add_modulo_equality(wide, self.term(), self.divisor(lambda m: m > 0))
        else:
            self.model.add_abs_equality(wide, self.linear())
        self.wide.append(wide)


def bool_or(sketch: Sketch) -> Any:
    return sketch.model.add_bool_or(sketch.literals())


def bool_and(sketch: Sketch) -> Any:
    return sketch.model.add_bool_and(sketch.literals())


def bool_xor(sketch: Sketch) -> Any:
    return sketch.model.add_bool_xor(sketch.literals())


def at_most_one(sketch: Sketch) -> Any:
    return sketch.model.add_at_most_one(sketch.literals())


def exactly_one(sketch: Sketch) -> Any:
    return sketch.model.add_exactly_one(sketch.literals(1))


def linear(sketch: Sketch) -> Any:
    values = sketch.values(-6, 8, 8)
    return sketch.model.add_linear_expression_in_domain(sketch.linear(), Domain.from_values(sorted(values)))


def inequality(sketch: Sketch) -> Any:
    left, right = sketch.linear(), sketch.affine()
    return sketch.model.add(sketch.chance.choice([left <= right, left != right, left == right]))


def all_diff(sketch: Sketch) -> Any:
    return sketch.model.add_all_different(sketch.affines(1, 3))


def element(sketch: Sketch) -> Any:
    return sketch.model.add_element(sketch.term(), sketch.affines(1, 4), sketch.affine())


def table(sketch: Sketch) -> Any:
    expressions = sketch.affines(1, 3)
    tuples = sketch.rows(len(expressions))
    return sketch.model.add_allowed_assignments(expressions, tuples)


def negated_table(sketch: Sketch) -> Any:
    expressions = sketch.affines(1, 3)
    tuples = sketch.rows(len(expressions))
    return sketch.model.add_forbidden_assignments(expressions, tuples)


def inverse(sketch: Sketch) -> Any:
    size = sketch.chance.randint(1, 3)
    return sketch.model.add_inverse([sketch.variable() for _ in range(size)], [sketch.variable() for _ in range(size)])


def circuit(sketch: Sketch) -> Any:
    ends = sketch.ends()
    # CP-SAT allows several arcs from one node to another, but one loop at most.
    arcs = [(tail, head) for tail, head in ends if tail != head]
    arcs += {(tail, head) for tail, head in ends if tail == head}
    return sketch.model.add_circuit([(tail, head, sketch.literal()) for tail, head in sorted(arcs)])


def automaton(sketch: Sketch) -> Any:
    chance = sketch.chance
    steps = {(chance.randint(0, 2), chance.choice(SMALL)): chance.randint(0, 2) for _ in range(chance.randint(1, 10))}
    return sketch.model.add_automaton(
        sketch.affines(1, 3),
        chance.randint(0, 2),
        chance.sample(range(3), chance.randint(1, 2)),
        [(tail, label, head) for (tail, label), head in steps.items()],
    )


def lin_max(sketch: Sketch) -> Any:
    return sketch.model.add_max_equality(sketch.affine(), [sketch.linear() for _ in range(sketch.chance.randint(1, 3))])


def lin_min(sketch: Sketch) -> Any:
    return sketch.model.add_min_equality(sketch.linear(), sketch.affines(1, 3))


def absolute(sketch: Sketch) -> Any:
    return sketch.model.add_abs_equality(sketch.affine(), sketch.linear())


def int_prod(sketch: Sketch) -> Any:
    return sketch.model.add_multiplication_equality(sketch.affine(), sketch.affines(0, 3))


def int_div(sketch: Sketch) -> Any:
    return sketch.model.add_division_equality(sketch.affine(), sketch.affine(), sketch.divisor(lambda d: d != 0))


def int_mod(sketch: Sketch) -> Any:
    return sketch.model.add_modulo_equality(sketch.affine(), sketch.affine(), sketch.divisor(lambda m: m > 0))


def interval(sketch: Sketch) -> Any:
    start, end = sketch.chance.choice(sketch.integers), sketch.chance.choice(sketch.integers)
    size = sketch.chance.randint(0, 2)
    if sketch.chance.random() < 0.5:
        return sketch.model.new_fixed_size_interval_var(start, size, "")
    return sketch.model.new_optional_interval_var(start, size, end, sketch.literal(), "")


def intervals(sketch: Sketch) -> list[Any]:
    return [interval(sketch) for _ in range(sketch.chance.randint(1, 3))]


def no_overlap(sketch: Sketch) -> Any:
    return sketch.model.add_no_overlap(intervals(sketch))


def no_overlap_2d(sketch: Sketch) -> Any:
    horizontal = intervals(sketch)
    return sketch.model.add_no_overlap_2d(horizontal, [interval(sketch) for _ in horizontal])


def cumulative(sketch: Sketch) -> Any:
    tasks = intervals(sketch)
    demands: list[Any] = [sketch.chance.choice([0, 1, 2, *sketch.booleans]) for _ in tasks]
    return sketch.model.add_cumulative(tasks, demands, sketch.affine())


def reservoir(sketch: Sketch) -> Any:
    times = sketch.affines(1, 3)
    changes = [sketch.chance.randint(-2, 2) for _ in times]
    bounds = sketch.chance.randint(-2, 0), sketch.chance.randint(0, 2)
    if sketch.chance.random() < 0.5:
        return sketch.model.add_reservoir_constraint(times, changes, *bounds)
    return sketch.model.add_reservoir_constraint_with_active(times, changes, [sketch.literal() for _ in times], *bounds)


def routes(sketch: Sketch) -> Any:
    ends = sketch.ends()
    # No loop at node 0, nor at one of the others, so that not every node can be left out.
    arcs = [(tail, head) for tail, head in ends if tail != head]
    arcs += {(tail, head) for tail, head in ends if tail == head > 1}
    arcs += [(0, 1), (1, 0)]
    return sketch.model.add_multiple_circuit([(tail, head, sketch.literal()) for tail, head in sorted(arcs)])


def sum_of_all(sketch: Sketch) -> Any:
    values = sketch.values(-6, 12, 8)
    return sketch.model.add_linear_expression_in_domain(sum(sketch.integers), Domain.from_values(values))


def all_differ(sketch: Sketch) -> Any:
    return sketch.model.add_all_different(sketch.integers)


def count_of_all(sketch: Sketch) -> Any:
    values = sketch.values(0, 4, 3)
    return sketch.model.add_linear_expression_in_domain(sum(sketch.booleans), Domain.from_values(values))


def one_of_all(sketch: Sketch) -> Any:
    return sketch.model.add_exactly_one(sketch.booleans)


KINDS: Sequence[Callable[[Sketch], Any]] = (
    bool_or,
    bool_and,
    bool_xor,
    at_most_one,
    exactly_one,
    linear,
    inequality,
    all_diff,
    element,
    table,
    negated_table,
    inverse,
    circuit,
    automaton,
    lin_max,
    lin_min,
    absolute,
    int_prod,
    int_div,
    int_mod,
)

SCHEDULING: Sequence[Callable[[Sketch], Any]] = (no_overlap, no_overlap_2d, cumulative, reservoir, routes)
"""Kinds that only CP-SAT knows. What they draw need not be valid."""

EVEN: Sequence[Callable[[Sketch], Any]] = (sum_of_all, all_differ, count_of_all, one_of_all)
"""Kinds that leave symmetries."""

ARITHMETIC: Sequence[Callable[[Sketch], Any]] = (
    *(linear, inequality, all_diff, element, lin_max, lin_min, absolute, int_prod, int_div, int_mod),
    *(int_div, int_mod),
)
"""Kinds for large numbers; the last ones twice as often."""


def random_model(
    chance: Random,
    kinds: Sequence[Callable[[Sketch], Any]] = KINDS,
    objectives: bool | None = None,
    *,
    wide: int = 0,
    scale: int = 1,
) -> CpModel:
    """A model of up to four Boolean and three integer variables and up to four constraints of the given kinds.

    objectives: whether it has an objective; None: perhaps.
    wide: so many more variables, of large domains, are functions of these.
    """
    sketch = Sketch(chance, scale)
    for _ in range(wide):
        sketch.widen()
    for _ in range(chance.randint(0, 4)):
        constraint = chance.choice(kinds)(sketch)
        # Few values of a large variable keep a rule, so most of those rules can be left.
        enforced = chance.choice([0, 1, 1, 1, 2] if wide else [0, 0, 1, 2])
        constraint.only_enforce_if([sketch.literal() for _ in range(enforced)])
    if chance.randint(0, 7) == 0:
        sketch.model.add_assumption(sketch.literal())
    if chance.random() < 0.5 if objectives is None else objectives:
        optimise = chance.choice([sketch.model.minimize, sketch.model.maximize])
        optimise(sketch.linear())
    return sketch.model


def random_cover(chance: Random) -> CpModel:
    """Items (some empty), optional items, exclusions, variables that are fixed, and those that nothing mentions."""
    model = CpModel()
    options = [model.new_bool_var(f"o{number}") for number in range(chance.randint(1, 10))]

    def some() -> list[Any]:
        return chance.sample(options, chance.randint(chance.random() > 0.03, min(5, len(options))))

    for _ in range(chance.randint(0, 4)):
        model.add_exactly_one(some())
    for _ in range(chance.randint(0, 2)):
        model.add_at_most_one(some())
    for _ in range(chance.randint(0, 3)):
        one, other = chance.choice(options), chance.choice(options)
        if chance.random() < 0.5:
            model.add_implication(one, ~other)
        else:
            model.add_bool_or(~one, ~other)
    for _ in range(chance.choice([0, 0, 1])):
        option = chance.choice(options)
        model.add_bool_or(chance.choice([option, ~option]))
    return model


def random_formula(chance: Random) -> CNF:
    """Clauses over up to nine variables, some of which may be in none."""
    variables = chance.randint(1, 9)
    clauses = [
        [chance.choice([-1, 1]) * chance.randint(1, variables) for _ in range(chance.choice([1, 2, 2, 3, 3, 3, 4]))]
        for _ in range(chance.randint(0, 3 * variables))
    ]
    formula = CNF(from_clauses=clauses)
    formula.nv = variables
    return formula


def random_dlx(chance: Random) -> str:
    """An exact cover in Knuth's format, with secondary items and colours."""
    primary = [f"p{number}" for number in range(chance.randint(1, 3))]
    secondary = [f"s{number}" for number in range(chance.randint(0, 3))]
    lines = [" ".join([*primary, *(["|", *secondary] if secondary else [])])]
    for _ in range(chance.randint(0, 9)):
        items = chance.sample([*primary, *secondary], chance.randint(1, min(4, len(primary + secondary))))
        lines.append(" ".join(i + (chance.choice(["", ":A", ":B"]) if i in secondary else "") for i in items))
    return "\n".join(lines) + "\n"
