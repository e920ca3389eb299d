"""Random models over domains of 2^3 to 2^60 values, with gaps, and all their solutions.

Few variables are free: they have few values, which may be far apart. Every other variable is a function of them, by a
constraint of the model. So all solutions can be enumerated, however wide the domains. What the constraints mean is
said here once more, by code that shares nothing with `solvers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain, IntVar

EXPONENTS = (3, 8, 16, 24, 31, 36, 40, 45, 50, 52, 54, 56, 58, 59, 60)
"""Binary logarithms of how far the numbers of a model may be from 0."""

MOST_ASSIGNMENTS = 3000
"""A model gets no further free variable once those that it has can take so many values together."""

Values = Mapping[int, int]
"""The value of each variable, by its index in the proto."""


class Expression:
    """A coefficient times a variable, plus an offset; what it is for OR-Tools, and what it comes to."""

    def __init__(self, coefficient: int, variable: IntVar | None, offset: int) -> None:
        self.coefficient = coefficient
        self.variable = variable
        self.offset = offset

    @property
    def linear(self) -> Any:
        return self.offset if self.variable is None else self.coefficient * self.variable + self.offset

    def __call__(self, values: Values) -> int:
        return self.offset if self.variable is None else self.coefficient * values[self.variable.index] + self.offset


class Sketch:
    """A model being drawn. One assignment of its free variables is to be a solution, so that most models have some."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.model = CpModel()
        self.exponent = random.choice(EXPONENTS)
        self.free: dict[IntVar, list[int]] = {}
        self.derived: dict[IntVar, tuple[Callable[[Values], int], list[int]]] = {}
        self.rules: list[Callable[[Values], bool]] = []
        self.planted: dict[int, int] = {}
        for _ in range(random.randint(1, 2)):
            self.literal(new=True)
        for _ in range(random.randint(1, 2)):
            self.new(self.number())
        for _ in range(random.randint(0, 2)):
            self.derive()

    def number(self) -> int:
        """A number of any size that is allowed, often next to a power of 2."""
        exponent: int = self.random.choice((2, 3, self.random.randint(0, self.exponent), self.exponent))
        if self.random.randrange(4) == 0:
            size = (1 << exponent) - self.random.choice((0, 0, 1))
        else:
            size = self.random.randint(0, 2**exponent)
        return size if self.random.randrange(2) else -size

    def near(self, value: int) -> int:
        """Some number, often not far from this one."""
        return value + self.random.randint(-3, 3) if self.random.randrange(3) else self.number()

    def new(self, value: int, likely: Sequence[int] = ()) -> IntVar:
        """A new free variable that can have this value, and perhaps some of the others."""
        allowed = {value, *(v for v in likely if self.random.randrange(2))}
        while len(allowed) < 4 and self.random.randrange(3):
            allowed.add(self.near(value))
        if prod(map(len, self.free.values())) > MOST_ASSIGNMENTS:
            allowed = {value}
        domain = Domain.from_values(sorted(allowed))
        variable = self.model.new_int_var_from_domain(domain, f"x{len(self.planted)}")
        self.free[variable] = sorted(allowed)
        self.planted[variable.index] = value
        return variable

    def domain(self, value: int) -> list[int]:
        """A wide domain with this value, perhaps with gaps, as the bounds of its intervals."""
        bound = 2**self.exponent
        low, high = self.random.choice(((-bound, bound), (min(0, value), max(bound, value)), (-bound, max(0, value))))
        low, high = min(low, value), max(high, value)
        bounds = [low, high]
        for _ in range(self.random.choice((0, 0, 1, 2))):
            a, b = sorted((self.random.randint(low, high), self.random.choice((self.near(value), self.number()))))
            if (
                low < a
                and b < high
                and not a <= value <= b
                and all(
                    not x - 2 < a <= y + 2 and not x - 2 <= b < y + 2 and not (a <= x and y <= b)
                    for x, y in zip(bounds[1:-1:2], bounds[2:-1:2], strict=True)
                )
            ):
                at = sum(x < a for x in bounds[1:-1:2])
                bounds[1 + 2 * at : 1 + 2 * at] = [a - 1, b + 1]
        return bounds

    def determined(self, function: Callable[[Values], int]) -> IntVar:
        """A new variable of a wide domain, for the value of a function; the caller adds a constraint that says so."""
        value = function(self.planted)
        bounds = self.domain(value)
        intervals = [list(pair) for pair in zip(bounds[::2], bounds[1::2], strict=True)]
        variable = self.model.new_int_var_from_domain(Domain.from_intervals(intervals), f"w{len(self.planted)}")
        self.derived[variable] = function, bounds
        self.planted[variable.index] = value
        return variable

    def derive(self) -> IntVar:
        """A new variable that is an affine function of one or two others."""
        terms = self.random.sample(list(self.planted), min(len(self.planted), self.random.randint(1, 2)))
        coefficients = [self.random.choice((1, -1, 3, self.number())) for _ in terms]
        offset = self.random.choice((0, self.number()))
        pairs = list(zip(terms, coefficients, strict=True))
        variable = self.determined(lambda values: sum(c * values[v] for v, c in pairs) + offset)
        self.model.add(variable == sum(c * self.model.get_int_var_from_proto_index(v) for v, c in pairs) + offset)
        return variable

    def literal(self, new: bool = False) -> Any:
        """A Boolean variable or its negation."""
        booleans = [v for v, values in self.free.items() if values == [0, 1]]
        if new or not booleans:
            boolean = self.model.new_bool_var(f"b{len(self.planted)}")
            self.free[boolean] = [0, 1]
            self.planted[boolean.index] = self.random.randrange(2)
        else:
            boolean = self.random.choice(booleans)
        return ~boolean if self.random.randrange(2) else boolean

    def variable(self) -> IntVar:
        return self.random.choice([*self.free, *self.derived])

    def expression(self) -> Expression:
        kind = self.random.randrange(8)
        if kind == 0:
            return Expression(0, None, self.number())
        variable = self.variable() if kind < 6 else self.new(self.number())
        coefficient = self.random.choice((1, 1, -1, 2, -3, self.number() or 1))
        return Expression(coefficient, variable, self.random.choice((0, 0, 1, -2, self.number())))

    def expressions(self, least: int, most: int) -> list[Expression]:
        return [self.expression() for _ in range(self.random.randint(least, most))]

    def fitting(self, value: int, likely: Sequence[int] = ()) -> Expression:
        """An expression that has this value in the planted assignment."""
        kind = self.random.randrange(8)
        if kind == 0:
            return Expression(0, None, value)
        if kind < 3:
            variable = self.variable()
            coefficient = self.random.choice((1, -1, 2))
            return Expression(coefficient, variable, value - coefficient * self.planted[variable.index])
        coefficient = self.random.choice((1, 1, -1, *(c for c in (2, -3) if value % c == 0)))
        others = [v // coefficient for v in likely if v % coefficient == 0]
        return Expression(coefficient, self.new(value // coefficient, others), 0)

    def add(self, constraint: Any, rule: Callable[[Values], bool]) -> None:
        """Add what the rule says, perhaps where some literals hold only."""
        literals = [self.literal() for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        if literals:
            constraint.only_enforce_if(literals)
        self.rules.append(lambda values: not all(map(truth(values), literals)) or rule(values))

    def result(self, function: Callable[[Values], int]) -> Expression:
        """What is to be the value of the function: some expression, or a variable that the function determines."""
        if self.random.randrange(3) == 0:
            return Expression(1, self.determined(function), 0)
        return self.fitting(
            function(self.planted), [function(values) for _, values in zip(range(8), self.all(), strict=False)]
        )

    def add_function(self, declare: Callable[[Any], Any], function: Callable[[Values], int]) -> None:
        """Say that an expression is this function."""
        target = self.result(function)
        constraint = declare(target.linear)
        if target.variable in self.derived and self.derived[target.variable][0] is function:
            literals = [self.literal() for _ in range(self.random.choice((0, 1)))]
            if literals:
                # Where the function is not enforced, the variable is fixed.
                constraint.only_enforce_if(literals)
                bounds = self.derived[target.variable][1]
                self.model.add(target.variable == bounds[0]).only_enforce_if(~literals[0])
                self.derived[target.variable] = (
                    lambda values: function(values) if truth(values)(literals[0]) else bounds[0],
                    bounds,
                )
        else:
            self.add(constraint, lambda values: target(values) == function(values))

    def all(self) -> Iterator[Values]:
        """Every assignment in which what is determined is so and lies in its domain; values by index."""
        for case in product(*self.free.values()):
            values = {variable.index: value for variable, value in zip(self.free, case, strict=True)}
            for variable, (function, bounds) in self.derived.items():
                value = values[variable.index] = function(values)
                if not any(low <= value <= high for low, high in zip(bounds[::2], bounds[1::2], strict=True)):
                    break
            else:
                yield values

    def solutions(self) -> set[tuple[int, ...]]:
        """All solutions: the values of all variables in the order of the proto."""
        return {
            tuple(values[v] for v in range(len(values)))
            for values in self.all()
            if all(rule(values) for rule in self.rules)
        }


def truth(values: Values) -> Callable[[Any], bool]:
    """Whether a literal is true."""
    return lambda literal: bool(values[literal.index]) if literal.index >= 0 else not values[-literal.index - 1]


def truncated(dividend: int, divisor: int) -> int:
    size = abs(dividend) // abs(divisor)
    return size if (dividend >= 0) == (divisor > 0) else -size


def linear(sketch: Sketch) -> None:
    terms = sketch.expressions(1, 4)

    def total(values: Values) -> int:
        return sum(term(values) for term in terms)

    value = total(sketch.planted)
    bounds = sketch.domain(value)
    if sketch.random.randrange(2):
        bounds = [sketch.random.choice((value, bounds[0])), sketch.random.choice((value, bounds[-1]))]
    pairs = list(zip(bounds[::2], bounds[1::2], strict=True))
    sketch.add(
        sketch.model.add_linear_expression_in_domain(
            sum(term.linear for term in terms), Domain.from_intervals([list(pair) for pair in pairs])
        ),
        lambda values: any(low <= total(values) <= high for low, high in pairs),
    )


def comparison(sketch: Sketch) -> None:
    left = Expression(sketch.random.choice((1, -1, 3)), sketch.variable(), sketch.number())
    right = sketch.fitting(sketch.near(left(sketch.planted)))
    if sketch.random.randrange(2):
        sketch.add(sketch.model.add(left.linear != right.linear), lambda values: left(values) != right(values))
    else:
        sketch.add(sketch.model.add(left.linear <= right.linear), lambda values: left(values) <= right(values))


def all_diff(sketch: Sketch) -> None:
    terms = sketch.expressions(2, 4)
    sketch.add(
        sketch.model.add_all_different([term.linear for term in terms]),
        lambda values: len({term(values) for term in terms}) == len(terms),
    )


def element(sketch: Sketch) -> None:
    array = sketch.expressions(1, 4)
    if sketch.random.randrange(3) == 0:
        array = [Expression(0, None, sketch.number()) for _ in array]
    place = sketch.fitting(sketch.random.randrange(len(array)), range(-1, len(array) + 1))

    if sketch.random.randrange(2):
        # Where the index is outside, there is no such thing as the entry.
        places = list(range(len(array)))
        index = sketch.model.new_int_var(0, len(array) - 1, f"i{len(sketch.planted)}")
        sketch.free[index] = places
        sketch.planted[index.index] = sketch.random.choice(places)
        place = Expression(1, index, 0)
        sketch.add_function(
            lambda target: sketch.model.add_element(index, [term.linear for term in array], target),
            lambda values: array[values[index.index]](values),
        )
        return
    target = sketch.fitting(array[place(sketch.planted)](sketch.planted), [term(sketch.planted) for term in array])
    if place.variable is None:
        place = Expression(1, sketch.new(place.offset), 0)
    sketch.add(
        sketch.model.add_element(place.linear, [term.linear for term in array], target.linear),
        lambda values: 0 <= place(values) < len(array) and array[place(values)](values) == target(values),
    )


def table(sketch: Sketch) -> None:
    terms = sketch.expressions(1, 3)
    rows = {
        tuple(
            sketch.random.choice((term(case), sketch.near(term(case))))
            if sketch.random.randrange(3) == 0
            else term(case)
            for term in terms
        )
        for _, case in zip(range(sketch.random.randint(1, 12)), sketch.all(), strict=False)
    }
    rows = {row for row in rows if all(-(2**62) < value < 2**62 for value in row)} or {(0,) * len(terms)}
    listed = sorted(rows)
    if sketch.random.randrange(2):
        sketch.add(
            sketch.model.add_allowed_assignments([term.linear for term in terms], listed),
            lambda values: tuple(term(values) for term in terms) in rows,
        )
    else:
        sketch.add(
            sketch.model.add_forbidden_assignments([term.linear for term in terms], listed),
            lambda values: tuple(term(values) for term in terms) not in rows,
        )


def inverse(sketch: Sketch) -> None:
    size = sketch.random.randint(1, 3)
    order = sketch.random.sample(range(size), size)
    direct = [
        sketch.new(order[i], [*range(size)]) if sketch.random.randrange(3) else sketch.variable() for i in range(size)
    ]
    back = [
        sketch.new(order.index(i), [*range(size)]) if sketch.random.randrange(3) else sketch.variable()
        for i in range(size)
    ]

    def holds(values: Values) -> bool:
        f, g = ([values[v.index] for v in array] for array in (direct, back))
        return all(0 <= v < size for v in f + g) and all(g[v] == i for i, v in enumerate(f))

    sketch.add(sketch.model.add_inverse(direct, back), holds)


def automaton(sketch: Sketch) -> None:
    word = sketch.expressions(1, 3)
    steps: dict[tuple[int, int], int] = {}
    for _, case in zip(range(3), sketch.all(), strict=False):
        state = 0
        for term in word:
            state = steps.setdefault((state, term(case)), sketch.random.randint(0, 2))
    steps = {key: state for key, state in steps.items() if -(2**62) < key[1] < 2**62} or {(0, 0): 0}
    finals = sorted({sketch.random.randint(0, 2) for _ in range(2)})

    def accepts(values: Values) -> bool:
        state: int | None = 0
        for term in word:
            state = None if state is None else steps.get((state, term(values)))
        return state in finals

    sketch.add(
        sketch.model.add_automaton(
            [term.linear for term in word], 0, finals, [(tail, label, head) for (tail, label), head in steps.items()]
        ),
        accepts,
    )


def maximum(sketch: Sketch) -> None:
    terms = sketch.expressions(1, 3)
    sketch.add_function(
        lambda target: sketch.model.add_max_equality(target, [term.linear for term in terms]),
        lambda values: max(term(values) for term in terms),
    )


def minimum(sketch: Sketch) -> None:
    terms = sketch.expressions(1, 3)
    sketch.add_function(
        lambda target: sketch.model.add_min_equality(target, [term.linear for term in terms]),
        lambda values: min(term(values) for term in terms),
    )


def absolute(sketch: Sketch) -> None:
    term = sketch.expression()
    sketch.add_function(
        lambda target: sketch.model.add_abs_equality(target, term.linear), lambda values: abs(term(values))
    )


def int_prod(sketch: Sketch) -> None:
    factors = sketch.expressions(1, 3)
    sketch.add_function(
        lambda target: sketch.model.add_multiplication_equality(target, [factor.linear for factor in factors]),
        lambda values: prod(factor(values) for factor in factors),
    )


def square(sketch: Sketch) -> None:
    factor = sketch.expression()
    sketch.add_function(
        lambda target: sketch.model.add_multiplication_equality(target, [factor.linear] * 2),
        lambda values: factor(values) ** 2,
    )


def divisor(sketch: Sketch, is_allowed: Callable[[int], bool]) -> Expression:
    """An expression none of whose values is forbidden, else a constant."""
    for _ in range(5):
        chosen = sketch.expression()
        if all(is_allowed(chosen(values)) for values in sketch.all()):
            return chosen
    return Expression(0, None, abs(sketch.number()) or 1)


def int_div(sketch: Sketch) -> None:
    dividend, by = sketch.expression(), divisor(sketch, lambda value: value != 0)
    sketch.add_function(
        lambda target: sketch.model.add_division_equality(target, dividend.linear, by.linear),
        lambda values: truncated(dividend(values), by(values)),
    )


def int_mod(sketch: Sketch) -> None:
    dividend, by = sketch.expression(), divisor(sketch, lambda value: value > 0)
    sketch.add_function(
        lambda target: sketch.model.add_modulo_equality(target, dividend.linear, by.linear),
        lambda values: dividend(values) - by(values) * truncated(dividend(values), by(values)),
    )


KINDS: Sequence[Callable[[Sketch], None]] = (
    linear,
    comparison,
    all_diff,
    element,
    table,
    inverse,
    automaton,
    maximum,
    minimum,
    absolute,
    int_prod,
    square,
    int_div,
    int_mod,
)


class Interval:
    """An interval of a sketch: what it is for OR-Tools, and where it lies."""

    def __init__(self, sketch: Sketch) -> None:
        self.start = sketch.expression()
        self.size = Expression(0, None, abs(sketch.number()))
        if sketch.random.randrange(2):
            self.size = Expression(1, sketch.new(abs(sketch.number())), 0)
        self.literal = sketch.literal() if sketch.random.randrange(2) else None
        start, size = self.start, self.size
        self.end = Expression(1, sketch.determined(lambda values: start(values) + size(values)), 0)
        sketch.model.add(self.end.linear == start.linear + size.linear)
        place = start.linear, size.linear, self.end.linear
        if self.literal is None:
            self.interval = sketch.model.new_interval_var(*place, "")
        else:
            self.interval = sketch.model.new_optional_interval_var(*place, self.literal, "")

    def is_present(self, values: Values) -> bool:
        return self.literal is None or truth(values)(self.literal)

    def rule(self, values: Values) -> bool:
        return not self.is_present(values) or self.size(values) >= 0


def intervals(sketch: Sketch, count: int) -> list[Interval]:
    made = [Interval(sketch) for _ in range(count)]
    sketch.rules += [interval.rule for interval in made]
    return made


def no_overlap(sketch: Sketch) -> None:
    several = intervals(sketch, sketch.random.randint(1, 3))

    def holds(values: Values) -> bool:
        # An interval of size 0 can lie anywhere but inside another.
        present = [interval for interval in several if interval.is_present(values)]
        return all(
            a.end(values) <= b.start(values) or b.end(values) <= a.start(values) for a, b in combinations(present, 2)
        )

    sketch.add(sketch.model.add_no_overlap([interval.interval for interval in several]), holds)


def no_overlap_2d(sketch: Sketch) -> None:
    count = 2
    across, down = intervals(sketch, count), intervals(sketch, count)

    def holds(values: Values) -> bool:
        boxes = [box for box in zip(across, down, strict=True) if all(side.is_present(values) for side in box)]
        return all(
            any(p.end(values) <= q.start(values) or q.end(values) <= p.start(values) for p, q in zip(a, b, strict=True))
            for a, b in combinations(boxes, 2)
        )

    sketch.add(sketch.model.add_no_overlap_2d([i.interval for i in across], [i.interval for i in down]), holds)


def cumulative(sketch: Sketch) -> None:
    tasks = intervals(sketch, sketch.random.randint(1, 3))
    demands = [Expression(1, sketch.new(abs(sketch.number()), [0, 1]), 0) for _ in tasks]
    capacity = sketch.fitting(sketch.near(sum(demand(sketch.planted) for demand in demands)))

    def holds(values: Values) -> bool:
        present = [(t, d) for t, d in zip(tasks, demands, strict=True) if t.is_present(values)]
        return (
            all(
                sum(d(values) for t, d in present if t.start(values) <= moment.start(values) < t.end(values))
                <= capacity(values)
                for moment, _ in present
                if moment.start(values) < moment.end(values)
            )
            and capacity(values) >= 0
            and all(d(values) >= 0 for _, d in present)
        )

    sketch.add(
        sketch.model.add_cumulative([t.interval for t in tasks], [d.linear for d in demands], capacity.linear), holds
    )


def reservoir(sketch: Sketch) -> None:
    times = sketch.expressions(1, 3)
    changes = [Expression(0, None, sketch.number()) for _ in times]
    actives = [sketch.literal() for _ in times]
    low, high = -abs(sketch.number()), abs(sketch.number())

    def holds(values: Values) -> bool:
        events = [
            (time(values), change(values))
            for time, change, active in zip(times, changes, actives, strict=True)
            if truth(values)(active)
        ]
        return all(low <= sum(change for time, change in events if time <= moment) <= high for moment, _ in events)

    sketch.add(
        sketch.model.add_reservoir_constraint_with_active(
            [time.linear for time in times], [change.linear for change in changes], actives, low, high
        ),
        holds,
    )


SCHEDULING: Sequence[Callable[[Sketch], None]] = (no_overlap, no_overlap_2d, cumulative, reservoir)
"""Kinds that only CP-SAT knows."""


def sketched(random: Random, kinds: Sequence[Callable[[Sketch], None]] = KINDS) -> Sketch:
    """A model that OR-Tools accepts, of one or two constraints of these kinds besides what determines variables."""
    while True:
        try:
            sketch = Sketch(random)
            for _ in range(random.choice((1, 1, 2))):
                random.choice(kinds)(sketch)
            bounds = [bound for variable in sketch.model.proto.variables for bound in variable.domain]
        except (OverflowError, RuntimeError, TypeError, ValueError):
            continue  # a number beyond 64 bits
        if all(-(2**62) < bound < 2**62 for bound in bounds) and not sketch.model.validate():
            return sketch
