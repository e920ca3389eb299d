"""Small random models over every kind of constraint, and their solutions by brute force."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain, IntVar

from solvers.checks.evaluate import Evaluator

SMALL = st.integers(-3, 3)
NONZERO = st.sampled_from([-3, -2, -1, 1, 2, 3])


class Sketch:
    """A model being drawn, with its variables by type."""

    def __init__(self, draw: Callable[..., Any]) -> None:
        self.draw = draw
        self.model = CpModel()
        self.booleans = [self.model.new_bool_var(f"b{number}") for number in range(draw(st.integers(1, 4)))]
        domains = draw(st.lists(st.sets(st.integers(-2, 4), min_size=1, max_size=4), min_size=1, max_size=3))
        self.integers = [
            self.model.new_int_var_from_domain(Domain.from_values(sorted(domain)), f"x{number}")
            for number, domain in enumerate(domains)
        ]

    def literal(self) -> Any:
        boolean = self.draw(st.sampled_from(self.booleans))
        return ~boolean if self.draw(st.booleans()) else boolean

    def literals(self, least: int = 0) -> list[Any]:
        return [self.literal() for _ in range(self.draw(st.integers(least, 4)))]

    def variable(self) -> Any:
        return self.draw(st.sampled_from(self.booleans + self.integers))

    def term(self) -> Any:
        return self.draw(NONZERO) * self.variable() + self.draw(SMALL)

    def affine(self) -> Any:
        """A coefficient times a variable, and an offset; or a constant."""
        return self.term() if self.draw(st.integers(0, 5)) else self.draw(SMALL)

    def affines(self, least: int, most: int) -> list[Any]:
        return [self.affine() for _ in range(self.draw(st.integers(least, most)))]

    def linear(self) -> Any:
        return sum(self.draw(NONZERO) * self.variable() for _ in range(self.draw(st.integers(1, 4)))) + self.draw(SMALL)

    def divisor(self, allowed: Callable[[int], bool]) -> Any:
        """An affine expression none of whose values is forbidden, else a constant."""
        coefficient, variable, offset = self.draw(NONZERO), self.variable(), self.draw(SMALL)
        if all(allowed(coefficient * value + offset) for value in values_of(variable)):
            return coefficient * variable + offset
        return self.draw(SMALL.filter(allowed))


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
    values = sketch.draw(st.sets(st.integers(-6, 8), min_size=1, max_size=8))
    return sketch.model.add_linear_expression_in_domain(sketch.linear(), Domain.from_values(sorted(values)))


def inequality(sketch: Sketch) -> Any:
    left, right = sketch.linear(), sketch.affine()
    return sketch.model.add(sketch.draw(st.sampled_from([left <= right, left != right, left == right])))


def all_diff(sketch: Sketch) -> Any:
    return sketch.model.add_all_different(sketch.affines(1, 3))


def element(sketch: Sketch) -> Any:
    return sketch.model.add_element(sketch.term(), sketch.affines(1, 4), sketch.affine())


def table(sketch: Sketch) -> Any:
    expressions = sketch.affines(1, 3)
    tuples = sketch.draw(st.lists(st.tuples(*[st.integers(-3, 5)] * len(expressions)), max_size=12))
    return sketch.model.add_allowed_assignments(expressions, tuples)


def negated_table(sketch: Sketch) -> Any:
    expressions = sketch.affines(1, 3)
    tuples = sketch.draw(st.lists(st.tuples(*[st.integers(-3, 5)] * len(expressions)), max_size=12))
    return sketch.model.add_forbidden_assignments(expressions, tuples)


def inverse(sketch: Sketch) -> Any:
    size = sketch.draw(st.integers(1, 3))
    return sketch.model.add_inverse([sketch.variable() for _ in range(size)], [sketch.variable() for _ in range(size)])


def circuit(sketch: Sketch) -> Any:
    nodes = st.integers(0, 3)
    ends = sketch.draw(st.lists(st.tuples(nodes, nodes), min_size=1, max_size=6))
    # CP-SAT allows several arcs from one node to another, but one loop at most.
    arcs = [(tail, head) for tail, head in ends if tail != head]
    arcs += {(tail, head) for tail, head in ends if tail == head}
    return sketch.model.add_circuit([(tail, head, sketch.literal()) for tail, head in sorted(arcs)])


def automaton(sketch: Sketch) -> Any:
    states = st.integers(0, 2)
    steps = sketch.draw(st.dictionaries(st.tuples(states, SMALL), states, min_size=1, max_size=10))
    return sketch.model.add_automaton(
        sketch.affines(1, 3),
        sketch.draw(states),
        sketch.draw(st.lists(states, min_size=1, max_size=2, unique=True)),
        [(tail, label, head) for (tail, label), head in steps.items()],
    )


def lin_max(sketch: Sketch) -> Any:
    return sketch.model.add_max_equality(
        sketch.affine(), [sketch.linear() for _ in range(sketch.draw(st.integers(1, 3)))]
    )


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
    start, end = sketch.draw(st.sampled_from(sketch.integers)), sketch.draw(st.sampled_from(sketch.integers))
    size = sketch.draw(st.integers(0, 2))
    if sketch.draw(st.booleans()):
        return sketch.model.new_fixed_size_interval_var(start, size, "")
    return sketch.model.new_optional_interval_var(start, size, end, sketch.literal(), "")


def intervals(sketch: Sketch) -> list[Any]:
    return [interval(sketch) for _ in range(sketch.draw(st.integers(1, 3)))]


def no_overlap(sketch: Sketch) -> Any:
    return sketch.model.add_no_overlap(intervals(sketch))


def no_overlap_2d(sketch: Sketch) -> Any:
    horizontal = intervals(sketch)
    return sketch.model.add_no_overlap_2d(horizontal, [interval(sketch) for _ in horizontal])


def cumulative(sketch: Sketch) -> Any:
    tasks = intervals(sketch)
    demands = [sketch.draw(st.sampled_from([0, 1, 2, *sketch.booleans])) for _ in tasks]
    return sketch.model.add_cumulative(tasks, demands, sketch.affine())


def reservoir(sketch: Sketch) -> Any:
    times = sketch.affines(1, 3)
    changes = [sketch.draw(st.integers(-2, 2)) for _ in times]
    bounds = sketch.draw(st.integers(-2, 0)), sketch.draw(st.integers(0, 2))
    if sketch.draw(st.booleans()):
        return sketch.model.add_reservoir_constraint(times, changes, *bounds)
    return sketch.model.add_reservoir_constraint_with_active(times, changes, [sketch.literal() for _ in times], *bounds)


def routes(sketch: Sketch) -> Any:
    nodes = st.integers(0, 3)
    ends = sketch.draw(st.lists(st.tuples(nodes, nodes), min_size=1, max_size=6))
    # No loop at node 0, nor at one of the others, so that not every node can be left out.
    arcs = [(tail, head) for tail, head in ends if tail != head]
    arcs += {(tail, head) for tail, head in ends if tail == head > 1}
    arcs += [(0, 1), (1, 0)]
    return sketch.model.add_multiple_circuit([(tail, head, sketch.literal()) for tail, head in sorted(arcs)])


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


@st.composite
def models(
    draw: Callable[..., Any],
    kinds: Sequence[Callable[[Sketch], Any]] = KINDS,
    objectives: bool | None = None,
) -> CpModel:
    """A model of up to four Boolean and three integer variables and up to four constraints of the given kinds.

    objectives: whether it has an objective; None: perhaps.
    """
    sketch = Sketch(draw)
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=4)):
        constraint = kind(sketch)
        constraint.only_enforce_if([sketch.literal() for _ in range(draw(st.sampled_from([0, 0, 1, 2])))])
    if draw(st.integers(0, 7)) == 0:
        sketch.model.add_assumption(sketch.literal())
    if draw(st.booleans()) if objectives is None else objectives:
        optimise = draw(st.sampled_from([sketch.model.minimize, sketch.model.maximize]))
        optimise(sketch.linear())
    return sketch.model


@st.composite
def cubes(draw: Callable[..., Any], model: CpModel) -> list[int]:
    """Up to three literals over the model's Boolean variables, perhaps contradictory, perhaps none."""
    booleans = [number for number, variable in enumerate(model.proto.variables) if list(variable.domain) == [0, 1]]
    chosen = draw(st.lists(st.sampled_from(booleans), max_size=3))
    return [number if draw(st.booleans()) else -number - 1 for number in chosen]


def keys(model: CpModel) -> st.SearchStrategy[list[int]]:
    """Some of the model's variables, by index, in any order."""
    numbers = range(len(model.proto.variables))
    return st.lists(st.sampled_from(numbers), min_size=1, unique=True)


def values_of(variable: IntVar) -> list[int]:
    bounds = list(variable.proto.domain)
    return [v for low, high in zip(bounds[::2], bounds[1::2], strict=True) for v in range(low, high + 1)]


def brute_force(model: CpModel) -> set[tuple[int, ...]]:
    """Every assignment of all variables that is a solution, and with an objective a best one."""
    variables = [model.get_int_var_from_proto_index(number) for number in range(len(model.proto.variables))]
    evaluator = Evaluator(model)
    solutions = {values for values in product(*map(values_of, variables)) if evaluator.violated(values) is None}
    if not (solutions and model.proto.has_objective()):
        return solutions
    terms = list(zip(model.proto.objective.vars, model.proto.objective.coeffs, strict=True))
    # CP-SAT writes every objective as one to minimise.
    cost = {values: sum(coefficient * values[v] for v, coefficient in terms) for values in solutions}
    least = min(cost.values())
    return {values for values in solutions if cost[values] == least}
