"""Random models over domains of 2^3 to 2^60 values, with gaps.

Few variables are free: they have few values, which may be far apart. Every other variable is a function of them, by a
constraint of the model. So the oracle can list all solutions, however wide the domains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import prod
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain, IntVar

from tests.attack import oracle

EXPONENTS = (3, 8, 16, 24, 31, 36, 40, 45, 50, 52, 54, 56, 58, 59, 60)
"""Binary logarithms of how far the numbers of a model may be from 0."""

MOST_ASSIGNMENTS = 3000
"""A model gets no further free variable once those that it has can take so many values together."""

LARGEST = 2**62
"""What OR-Tools' tables and automata do not take, nor its domains."""


class Expression:
    """A coefficient times a variable, plus an offset; what it is for OR-Tools, and what it comes to."""

    def __init__(self, coefficient: int, variable: IntVar | None, offset: int) -> None:
        self.coefficient = coefficient
        self.variable = variable
        self.offset = offset

    @property
    def linear(self) -> Any:
        return self.offset if self.variable is None else self.coefficient * self.variable + self.offset

    def __call__(self, values: Sequence[int] | Mapping[int, int]) -> int:
        return self.offset if self.variable is None else self.coefficient * values[self.variable.index] + self.offset


class WideSketch:
    """A model being drawn. One assignment of its variables is to be a solution, so that most models have some."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.model = CpModel()
        self.exponent = chance.choice(EXPONENTS)
        self.free: dict[IntVar, list[int]] = {}
        self.derived: list[IntVar] = []
        self.planted: dict[int, int] = {}
        """The values of that assignment, by the indices of the variables."""
        for _ in range(chance.randint(1, 2)):
            self.literal(new=True)
        for _ in range(chance.randint(1, 2)):
            self.new(self.number())
        for _ in range(chance.randint(0, 2)):
            self.derive()

    def number(self) -> int:
        """A number of any size that is allowed, often next to a power of 2."""
        exponent: int = self.chance.choice((2, 3, self.chance.randint(0, self.exponent), self.exponent))
        if self.chance.randrange(4) == 0:
            size = (1 << exponent) - self.chance.choice((0, 0, 1))
        else:
            size = self.chance.randint(0, 2**exponent)
        return size if self.chance.randrange(2) else -size

    def near(self, value: int) -> int:
        """Some number, often not far from this one."""
        return value + self.chance.randint(-3, 3) if self.chance.randrange(3) else self.number()

    def cases(self) -> list[Sequence[int]]:
        """Some of the solutions so far."""
        return [values for values, _ in oracle.listed(self.model)[:8]]

    def new(self, value: int, likely: Sequence[int] = ()) -> IntVar:
        """A new free variable that can have this value, and perhaps some of the others."""
        allowed = {value, *(v for v in likely if self.chance.randrange(2))}
        while len(allowed) < 4 and self.chance.randrange(3):
            allowed.add(self.near(value))
        if prod(map(len, self.free.values())) > MOST_ASSIGNMENTS:
            allowed = {value}
        domain = Domain.from_values(sorted(allowed))
        variable = self.model.new_int_var_from_domain(domain, f"x{len(self.planted)}")
        self.free[variable] = sorted(allowed)
        self.planted[variable.index] = value
        return variable

    def domain(self, value: int) -> list[list[int]]:
        """A wide domain with this value, perhaps with gaps, as intervals."""
        bound = 2**self.exponent
        low, high = self.chance.choice(((-bound, bound), (min(0, value), max(bound, value)), (-bound, max(0, value))))
        domain = Domain(min(low, value), max(high, value))
        for _ in range(self.chance.choice((0, 0, 1, 2))):
            gap = sorted((self.chance.randint(low, high), self.chance.choice((self.near(value), self.number()))))
            rest = domain.intersection_with(Domain(*gap).complement())
            domain = rest if rest.contains(value) else domain
        flat = domain.flattened_intervals()
        return [list(pair) for pair in zip(flat[::2], flat[1::2], strict=True)]

    def determined(self, value: int) -> IntVar:
        """A new variable of a wide domain with this value; the caller adds a constraint that determines it."""
        domain = Domain.from_intervals(self.domain(value))
        variable = self.model.new_int_var_from_domain(domain, f"w{len(self.planted)}")
        self.derived.append(variable)
        self.planted[variable.index] = value
        return variable

    def derive(self) -> None:
        """A new variable that is an affine function of one or two others."""
        terms = [
            Expression(self.chance.choice((1, -1, 3, self.number())), variable, 0)
            for variable in self.chance.sample([*self.free, *self.derived], self.chance.randint(1, 2))
        ]
        offset = self.chance.choice((0, self.number()))
        variable = self.determined(sum(term(self.planted) for term in terms) + offset)
        self.model.add(variable == sum(term.linear for term in terms) + offset)

    def literal(self, new: bool = False) -> Any:
        """A Boolean variable or its negation."""
        booleans = [v for v, values in self.free.items() if values == [0, 1]]
        if new or not booleans:
            boolean = self.model.new_bool_var(f"b{len(self.planted)}")
            self.free[boolean] = [0, 1]
            self.planted[boolean.index] = self.chance.randrange(2)
        else:
            boolean = self.chance.choice(booleans)
        return ~boolean if self.chance.randrange(2) else boolean

    def variable(self) -> IntVar:
        return self.chance.choice([*self.free, *self.derived])

    def expression(self) -> Expression:
        kind = self.chance.randrange(8)
        if kind == 0:
            return Expression(0, None, self.number())
        variable = self.variable() if kind < 6 else self.new(self.number())
        coefficient = self.chance.choice((1, 1, -1, 2, -3, self.number() or 1))
        return Expression(coefficient, variable, self.chance.choice((0, 0, 1, -2, self.number())))

    def expressions(self, least: int, most: int) -> list[Expression]:
        return [self.expression() for _ in range(self.chance.randint(least, most))]

    def fitting(self, value: int, likely: Sequence[int] = ()) -> Expression:
        """An expression that has this value in the planted assignment."""
        kind = self.chance.randrange(8)
        if kind == 0:
            return Expression(0, None, value)
        if kind < 3:
            variable = self.variable()
            coefficient = self.chance.choice((1, -1, 2))
            return Expression(coefficient, variable, value - coefficient * self.planted[variable.index])
        coefficient = self.chance.choice((1, 1, -1, *(c for c in (2, -3) if value % c == 0)))
        others = [v // coefficient for v in likely if v % coefficient == 0]
        return Expression(coefficient, self.new(value // coefficient, others), 0)

    def add(self, constraint: Any) -> None:
        """Perhaps enforce a constraint."""
        constraint.only_enforce_if([self.literal() for _ in range(self.chance.choice((0, 0, 1, 1, 2)))])

    def add_function(
        self, declare: Callable[[Any], Any], function: Callable[..., int], terms: Sequence[Expression]
    ) -> None:
        """Say that some expression is this function of the terms, or a new variable, which that determines."""

        def of(values: Sequence[int] | Mapping[int, int]) -> int:
            return function(*(term(values) for term in terms))

        if self.chance.randrange(3):
            self.add(declare(self.fitting(of(self.planted), list(map(of, self.cases()))).linear))
            return
        target = self.determined(of(self.planted))
        constraint = declare(target)
        if self.chance.randrange(2):
            literal = self.literal()
            constraint.only_enforce_if(literal)
            self.model.add(target == target.proto.domain[0]).only_enforce_if(~literal)


def linear(sketch: WideSketch) -> None:
    terms = sketch.expressions(1, 4)
    value = sum(term(sketch.planted) for term in terms)
    domain = sketch.domain(value)
    if sketch.chance.randrange(2):
        low, high = domain[0][0], domain[-1][1]
        domain = [[sketch.chance.choice((value, low)), sketch.chance.choice((value, high))]]
    sketch.add(
        sketch.model.add_linear_expression_in_domain(sum(term.linear for term in terms), Domain.from_intervals(domain))
    )


def comparison(sketch: WideSketch) -> None:
    left = Expression(sketch.chance.choice((1, -1, 3)), sketch.variable(), sketch.number())
    right = sketch.fitting(sketch.near(left(sketch.planted)))
    is_less = left.linear <= right.linear
    sketch.add(sketch.model.add(left.linear != right.linear if sketch.chance.randrange(2) else is_less))


def all_diff(sketch: WideSketch) -> None:
    sketch.add(sketch.model.add_all_different([term.linear for term in sketch.expressions(2, 4)]))


def element(sketch: WideSketch) -> None:
    array = sketch.expressions(1, 4)
    if sketch.chance.randrange(3) == 0:
        array = [Expression(0, None, sketch.number()) for _ in array]
    entries = [term.linear for term in array]
    if sketch.chance.randrange(2):
        places = range(len(array))
        index = sketch.model.new_int_var(0, len(array) - 1, f"i{len(sketch.planted)}")
        sketch.free[index] = [*places]
        sketch.planted[index.index] = sketch.chance.choice(places)
        sketch.add_function(
            lambda target: sketch.model.add_element(index, entries, target),
            lambda place, *values: values[place],
            [Expression(1, index, 0), *array],
        )
        return
    place = sketch.fitting(sketch.chance.randrange(len(array)), range(-1, len(array) + 1))
    chosen = array[place(sketch.planted)]
    target = sketch.fitting(chosen(sketch.planted), [term(sketch.planted) for term in array])
    sketch.add(sketch.model.add_element(place.linear, entries, target.linear))


def table(sketch: WideSketch) -> None:
    terms = sketch.expressions(1, 3)
    rows = {
        tuple(sketch.near(term(case)) if sketch.chance.randrange(6) == 0 else term(case) for term in terms)
        for case in islice(sketch.cases(), sketch.chance.randint(1, 8))
    }
    rows = {row for row in rows if all(-LARGEST < value < LARGEST for value in row)} or {(0,) * len(terms)}
    model = sketch.model
    add = sketch.chance.choice((model.add_allowed_assignments, model.add_forbidden_assignments))
    sketch.add(add([term.linear for term in terms], sorted(rows)))


def inverse(sketch: WideSketch) -> None:
    size = sketch.chance.randint(1, 3)
    order = sketch.chance.sample(range(size), size)
    direct, back = (
        [sketch.new(place, [*range(size)]) if sketch.chance.randrange(3) else sketch.variable() for place in places]
        for places in (order, map(order.index, range(size)))
    )
    sketch.add(sketch.model.add_inverse(direct, back))


def automaton(sketch: WideSketch) -> None:
    word = sketch.expressions(1, 3)
    steps: dict[tuple[int, int], int] = {}
    for case in sketch.cases()[:3]:
        state = 0
        for term in word:
            state = steps.setdefault((state, term(case)), sketch.chance.randint(0, 2))
    steps = {key: state for key, state in steps.items() if -LARGEST < key[1] < LARGEST} or {(0, 0): 0}
    finals = sorted({sketch.chance.randint(0, 2) for _ in range(2)})
    triples = [(tail, label, head) for (tail, label), head in steps.items()]
    sketch.add(sketch.model.add_automaton([term.linear for term in word], 0, finals, triples))


def maximum(sketch: WideSketch) -> None:
    terms = sketch.expressions(1, 3)
    add, function = sketch.chance.choice(
        (
            (sketch.model.add_max_equality, lambda *values: max(values)),
            (sketch.model.add_min_equality, lambda *v: min(v)),
        )
    )
    sketch.add_function(lambda target: add(target, [term.linear for term in terms]), function, terms)


def absolute(sketch: WideSketch) -> None:
    term = sketch.expression()
    sketch.add_function(lambda target: sketch.model.add_abs_equality(target, term.linear), abs, [term])


def int_prod(sketch: WideSketch) -> None:
    factors = sketch.expressions(1, 3)
    if sketch.chance.randrange(3) == 0:
        factors = [factors[0]] * 2
    sketch.add_function(
        lambda target: sketch.model.add_multiplication_equality(target, [factor.linear for factor in factors]),
        lambda *values: prod(values),
        factors,
    )


def int_div(sketch: WideSketch) -> None:
    _divide(sketch, sketch.model.add_division_equality, "int_div", lambda value: value != 0)


def int_mod(sketch: WideSketch) -> None:
    _divide(sketch, sketch.model.add_modulo_equality, "int_mod", lambda value: value > 0)


def _divide(sketch: WideSketch, add: Callable[..., Any], kind: str, is_allowed: Callable[[int], bool]) -> None:
    dividend, by = sketch.expression(), Expression(0, None, abs(sketch.number()) or 1)
    for _ in range(5):
        chosen = sketch.expression()
        if chosen.variable in sketch.free and all(
            is_allowed(chosen.coefficient * value + chosen.offset) for value in sketch.free[chosen.variable]
        ):
            by = chosen
    sketch.add_function(
        lambda target: add(target, dividend.linear, by.linear),
        lambda *values: oracle.function(kind, values),
        [dividend, by],
    )


KINDS: Sequence[Callable[[WideSketch], None]] = (
    linear,
    comparison,
    all_diff,
    element,
    table,
    inverse,
    automaton,
    maximum,
    absolute,
    int_prod,
    int_div,
    int_mod,
)


def wide_model(chance: Random, kinds: Sequence[Callable[[WideSketch], None]] = KINDS) -> CpModel:
    """A model that OR-Tools accepts, of one or two constraints of these kinds besides what determines variables."""
    while True:
        try:
            sketch = WideSketch(chance)
            for _ in range(chance.choice((1, 1, 2))):
                chance.choice(kinds)(sketch)
            bounds = [bound for variable in sketch.model.proto.variables for bound in variable.domain]
        except (OverflowError, RuntimeError, TypeError, ValueError, oracle.TooMany):
            continue  # a number beyond 64 bits
        if all(-LARGEST < bound < LARGEST for bound in bounds) and not sketch.model.validate():
            return sketch.model
