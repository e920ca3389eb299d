"""Small random models over every kind of constraint, exact covers, formulas: whatever the attack searches.

All of it is drawn from a `random.Random`; hypothesis has one too, which shrinks (`tests/support/random_models.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from operator import invert
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain
from pysat.formula import CNF

SMALL = range(-3, 4)
NONZERO = [-3, -2, -1, 1, 2, 3]


class Sketch:
    """A model being drawn, with its variables by type."""

    def __init__(self, chance: Random, scale: int = 1, *, alike: bool = False) -> None:
        """scale: how far apart the values of integers are; alike: whether all have the same."""
        self.chance = chance
        self.model = CpModel()
        self.booleans = [
            self.model.new_bool_var(f"b{number}") for number in range(chance.randint(1, 6 if alike else 4))
        ]
        domains = [self.values(-2, 4, 4) for _ in range(chance.randint(1, 3))]
        self.integers = [
            self.model.new_int_var_from_domain(Domain.from_values([scale * value for value in domain]), f"x{number}")
            for number, domain in enumerate([domains[0] for _ in domains] if alike else domains)
        ]

    def values(self, low: int, high: int, most: int) -> list[int]:
        """Some values from a range, ascending; up to so many."""
        return sorted(self.chance.sample(range(low, high + 1), self.chance.randint(1, most)))

    def literal(self) -> Any:
        """One that may be repeated, or opposite to another; once in a while one that is fixed."""
        if self.chance.random() < 0.05:
            return self.model.new_constant(self.chance.randint(0, 1))
        boolean = self.chance.choice(self.booleans)
        return ~boolean if self.chance.random() < 0.5 else boolean

    def literals(self, least: int = 0) -> list[Any]:
        return [self.literal() for _ in range(self.chance.randint(least, 4))]

    def variable(self) -> Any:
        return self.chance.choice(self.booleans + self.integers)

    def term(self) -> Any:
        return self.chance.choice(NONZERO) * self.variable() + self.chance.choice(SMALL)

    def affine(self) -> Any:
        """A coefficient times a variable, and an offset; or a constant."""
        return self.term() if self.chance.randint(0, 5) else self.chance.choice(SMALL)

    def affines(self, least: int, most: int) -> list[Any]:
        """Several, one of them perhaps twice."""
        some = [self.affine() for _ in range(self.chance.randint(least, most))]
        return [*some, some[0]] if some and self.chance.random() < 0.1 else some

    def linear(self) -> Any:
        terms = [self.chance.choice(NONZERO) * self.variable() for _ in range(self.chance.randint(1, 4))]
        return sum(terms) + self.chance.choice(SMALL)

    def divisor(self, allowed: Callable[[int], bool]) -> Any:
        """An affine expression none of whose values is forbidden, else a constant."""
        coefficient, variable, offset = self.chance.choice(NONZERO), self.variable(), self.chance.choice(SMALL)
        bounds = list(variable.proto.domain)
        values = [v for low, high in zip(bounds[::2], bounds[1::2], strict=True) for v in range(low, high + 1)]
        if all(allowed(coefficient * value + offset) for value in values):
            return coefficient * variable + offset
        return self.chance.choice([value for value in SMALL if allowed(value)])

    def rows(self, width: int) -> list[tuple[int, ...]]:
        """Rows of a table."""
        return [tuple(self.chance.randint(-3, 5) for _ in range(width)) for _ in range(self.chance.randint(0, 12))]

    def ends(self) -> list[tuple[int, int]]:
        """Tails and heads of arcs."""
        return [(self.chance.randint(0, 3), self.chance.randint(0, 3)) for _ in range(self.chance.randint(1, 6))]

    def constrain(self, kind: Callable[[Sketch], Any]) -> None:
        """Add a constraint of this kind, perhaps enforced."""
        kind(self).only_enforce_if([self.literal() for _ in range(self.chance.choice([0, 0, 1, 2]))])


def linear(sketch: Sketch) -> Any:
    values = sketch.values(-6, 8, 8)
    return sketch.model.add_linear_expression_in_domain(sketch.linear(), Domain.from_values(sorted(values)))


def inequality(sketch: Sketch) -> Any:
    left, right = sketch.linear(), sketch.affine()
    return sketch.model.add(sketch.chance.choice([left <= right, left != right, left == right]))


def table(sketch: Sketch) -> Any:
    expressions = sketch.affines(1, 3)
    return sketch.model.add_allowed_assignments(expressions, sketch.rows(len(expressions)))


def negated_table(sketch: Sketch) -> Any:
    expressions = sketch.affines(1, 3)
    return sketch.model.add_forbidden_assignments(expressions, sketch.rows(len(expressions)))


def inverse(sketch: Sketch) -> Any:
    size = sketch.chance.randint(1, 3)
    return sketch.model.add_inverse([sketch.variable() for _ in range(size)], [sketch.variable() for _ in range(size)])


def circuit(sketch: Sketch) -> Any:
    ends = sketch.ends()
    # CP-SAT allows several arcs from one node to another, but one loop at most.
    arcs = [(tail, head) for tail, head in ends if tail != head]
    arcs += {(tail, head) for tail, head in ends if tail == head}
    return sketch.model.add_circuit([(tail, head, sketch.literal()) for tail, head in sorted(arcs)])


def full_circuit(sketch: Sketch) -> Any:
    """All arcs between some nodes, most of them of a variable of their own, so that the nodes may be exchanged."""
    nodes = range(sketch.chance.randint(2, 3))
    arcs = [(tail, head) for tail in nodes for head in nodes if tail != head or sketch.chance.random() < 0.2]
    own = [*sketch.booleans, *(sketch.literal() for _ in arcs)]
    fixed = sketch.model.new_constant(1)
    add = sketch.chance.choice([sketch.model.add_circuit, sketch.model.add_multiple_circuit])
    return add([(*arc, fixed if sketch.chance.random() < 0.1 else own[place]) for place, arc in enumerate(arcs)])


def automaton(sketch: Sketch) -> Any:
    chance = sketch.chance
    steps = {(chance.randint(0, 2), chance.choice(SMALL)): chance.randint(0, 2) for _ in range(chance.randint(1, 10))}
    return sketch.model.add_automaton(
        sketch.affines(1, 3),
        chance.randint(0, 2),
        chance.sample(range(3), chance.randint(1, 2)),
        [(tail, label, head) for (tail, label), head in steps.items()],
    )


def interval(sketch: Sketch) -> Any:
    start, end = sketch.chance.choice(sketch.integers), sketch.chance.choice(sketch.integers)
    size = sketch.chance.randint(0, 2)
    if sketch.chance.random() < 0.5:
        return sketch.model.new_fixed_size_interval_var(start, size, "")
    return sketch.model.new_optional_interval_var(start, size, end, sketch.literal(), "")


def intervals(sketch: Sketch) -> list[Any]:
    some = [interval(sketch) for _ in range(sketch.chance.randint(0, 3))]
    return [*some, some[0]] if some and sketch.chance.random() < 0.1 else some


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


def count_of_all(sketch: Sketch) -> Any:
    values = sketch.values(0, 4, 3)
    return sketch.model.add_linear_expression_in_domain(sum(sketch.booleans), Domain.from_values(values))


def nothing(sketch: Sketch) -> Any:
    """A constraint of any kind without expressions."""
    constraint = sketch.model.add_bool_or([])
    getattr(constraint.proto, sketch.chance.choice(BARE))  # to look at a field makes it one of that kind
    return constraint


BARE = "bool_and bool_or bool_xor at_most_one exactly_one linear all_diff table inverse circuit automaton".split()
"""Kinds that need no expressions."""

Kind = Callable[[Sketch], Any]

OF_KIND: Mapping[str, Kind] = {
    "bool_or": lambda s: s.model.add_bool_or(s.literals()),
    "bool_and": lambda s: s.model.add_bool_and(s.literals()),
    "bool_xor": lambda s: s.model.add_bool_xor(s.literals()),
    "at_most_one": lambda s: s.model.add_at_most_one(s.literals()),
    "exactly_one": lambda s: s.model.add_exactly_one(s.literals()),
    "linear": linear,
    "inequality": inequality,
    "all_diff": lambda s: s.model.add_all_different(s.affines(0, 3)),
    "element": lambda s: s.model.add_element(s.term(), s.affines(1, 4), s.affine()),
    "table": table,
    "negated_table": negated_table,
    "inverse": inverse,
    "circuit": circuit,
    "automaton": automaton,
    "lin_max": lambda s: s.model.add_max_equality(s.affine(), [s.linear() for _ in range(s.chance.randint(0, 3))]),
    "lin_min": lambda s: s.model.add_min_equality(s.linear(), s.affines(0, 3)),
    "absolute": lambda s: s.model.add_abs_equality(s.affine(), s.linear()),
    "int_prod": lambda s: s.model.add_multiplication_equality(s.affine(), s.affines(0, 3)),
    "int_div": lambda s: s.model.add_division_equality(s.affine(), s.affine(), s.divisor(lambda d: d != 0)),
    "int_mod": lambda s: s.model.add_modulo_equality(s.affine(), s.affine(), s.divisor(lambda m: m > 0)),
    "nothing": nothing,
}

KINDS: Sequence[Kind] = tuple(OF_KIND.values())

AFFINE: Sequence[Kind] = tuple(
    OF_KIND[name]
    for name in "linear inequality all_diff element table lin_max lin_min absolute int_prod int_div int_mod".split()
)
"""Kinds in whose arguments solvers put variables of their own."""

SCHEDULING: Sequence[Kind] = (no_overlap, no_overlap_2d, cumulative, reservoir, routes)
"""Kinds that only CP-SAT knows. What they draw need not be valid."""

EVEN: Sequence[Kind] = (
    sum_of_all,
    lambda s: s.model.add_all_different(s.integers),
    count_of_all,
    lambda s: s.model.add_exactly_one(s.booleans),
)
"""Kinds that leave symmetries."""


def random_model(
    chance: Random,
    kinds: Sequence[Kind] = KINDS,
    objectives: bool | None = None,
    scale: int = 1,
) -> CpModel:
    """A model of up to four Boolean and three integer variables and up to four constraints of the given kinds.

    objectives: whether it has an objective; None: perhaps.
    scale: how far apart the values of integers are.
    """
    sketch = Sketch(chance, scale)
    for _ in range(chance.randint(0, 4)):
        sketch.constrain(chance.choice(kinds))
    if chance.randint(0, 7) == 0:
        sketch.model.add_assumption(sketch.literal())
    if chance.random() < 0.5 if objectives is None else objectives:
        chance.choice([sketch.model.minimize, sketch.model.maximize])(sketch.linear())
    return sketch.model


def random_symmetric(chance: Random) -> CpModel:
    """Each constraint with its images under a permutation of the variables."""
    sketch = Sketch(chance, alike=True)
    turns = [chance.sample(range(len(some)), len(some)) for some in (sketch.booleans, sketch.integers)]
    for _ in range(chance.randint(1, 2)):
        kind, state = chance.choice((*KINDS, *SCHEDULING, *EVEN, *[full_circuit] * 4)), chance.getstate()
        places = list(map(list, turns))
        while True:
            chance.setstate(state)
            sketch.constrain(kind)
            sketch.booleans, sketch.integers = (
                [some[place] for place in turn]
                for some, turn in zip((sketch.booleans, sketch.integers), turns, strict=True)
            )
            if places == list(map(sorted, places)):
                break
            places = [[place[n] for n in turn] for place, turn in zip(places, turns, strict=True)]
    if chance.random() < 0.2:
        chance.choice([sketch.model.minimize, sketch.model.maximize])(
            chance.choice([sum(sketch.booleans), sum(sketch.integers)])
        )
    return sketch.model


def random_circuit(chance: Random) -> tuple[CpModel, dict[str, str]]:
    """A circuit through four nodes, or tours from the first, and the images of arcs where the nodes change places.

    Some of the arcs are always there, some never; each then with its images.
    """
    model, has_depot = CpModel(), chance.random() < 0.3
    turn = [0, *chance.sample(range(1, 4), 3)] if has_depot else chance.sample(range(4), 4)
    one = model.new_int_var(1, 1, "one")
    arcs: dict[tuple[int, int], Any] = {}
    for tail, head in product(range(4), repeat=2):
        draw = chance.random()
        if tail != head:
            draw *= 0.5
        elif has_depot:
            draw *= 2.5
        while (tail, head) not in arcs:
            if draw > 0.45:
                arcs[tail, head] = None
            elif draw < 0.04:
                arcs[tail, head] = one
            else:
                arcs[tail, head] = model.new_bool_var(f"a{tail}{head}")
            tail, head = turn[tail], turn[head]
    add = model.add_multiple_circuit if has_depot else model.add_circuit
    add([(*arc, literal) for arc, literal in arcs.items() if literal is not None] or [(0, 0, one)])
    return model, {f"a{tail}{head}": f"a{turn[tail]}{turn[head]}" for tail, head in arcs}


def random_minizinc(chance: Random) -> tuple[CpModel, str, list[str]]:
    """A model, the same in MiniZinc, and what that outputs; some variables are fixed, or equal to others."""
    sketch = Sketch(chance)
    variables = [*sketch.booleans, *sketch.integers]
    lines = [f"var bool: {boolean.name};" for boolean in sketch.booleans]
    for integer in sketch.integers:
        flat = list(integer.proto.domain)
        values = [str(v) for low, high in zip(flat[::2], flat[1::2], strict=True) for v in range(low, high + 1)]
        lines.append(f"var {{{', '.join(values)}}}: {integer.name};")
    for _ in range(chance.randint(1, 4)):
        some = [chance.choice(variables) for _ in range(2)]
        wanted = chance.choice([0, 1, 1, 2])
        draw = chance.randint(0, 3)
        if draw == 0:
            sketch.model.add(some[0] == wanted)
            lines.append(f"constraint {some[0].name} = {wanted};")
        elif draw == 1:
            sketch.model.add(some[0] == some[1])
            lines.append(f"constraint {some[0].name} = {some[1].name};")
        elif draw == 2:
            sketch.model.add(2 * some[0] + some[1] <= wanted)
            lines.append(f"constraint 2 * {some[0].name} + {some[1].name} <= {wanted};")
        else:
            ahead = [sketch.model.new_bool_var("") for _ in some]
            for one, variable in zip(ahead, some, strict=True):
                sketch.model.add(variable > wanted).only_enforce_if(one)
            sketch.model.add_bool_or(ahead)
            lines.append(f"constraint {some[0].name} > {wanted} \\/ {some[1].name} > {wanted};")
    lines.append("solve satisfy;")
    shown = [variable.name for variable in variables]
    if chance.random() < 0.6:
        shown = chance.sample(shown, chance.randint(1, len(shown)))
        lines.append(f"output [{', '.join(f'show({name})' for name in shown)}];")
    return sketch.model, "\n".join(lines) + "\n", shown


def random_cover(chance: Random, odd: bool = False) -> CpModel:
    """Items (some empty), optional items, exclusions, variables that are fixed, and those that nothing mentions.

    odd: each item has an option twice, or its opposite.
    """
    model = CpModel()
    options = [model.new_bool_var(f"o{number}") for number in range(chance.randint(1, 10))]

    def some() -> list[Any]:
        held: list[Any] = chance.sample(options, chance.randint(chance.random() > 0.03, min(5, len(options))))
        return [*held, chance.choice([*held, *map(invert, held)])] if odd and held else held

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
    return "| random\n" + "\n\n".join(lines) + "\n"
