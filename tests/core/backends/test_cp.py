"""The backend of the original constraint solver: every key once; and what OR-Tools 9.15 gets wrong in it, pinned."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.constraint_solver.pywrapcp import Solver
from ortools.sat.python.cp_model import (
    CHOOSE_FIRST,
    CHOOSE_MIN_DOMAIN_SIZE,
    SELECT_MIN_VALUE,
    CpModel,
    Domain,
)

from solvers.backends.cp import PARAMETERS, Cp
from solvers.backends.cp_constraints import KINDS
from solvers.backends.protocol import Task
from solvers.base.values import Values
from solvers.cnf import lower
from solvers.files.catalogue import find
from tests.attack.models import AFFINE, random_model
from tests.support.backends import projected, visits
from tests.support.classics import queens
from tests.support.command import python
from tests.support.declared import BOOLEAN, declared, of
from tests.support.random_models import brute_force
from tests.support.refusals import refused


def backend(model: CpModel, key: Sequence[int] | None = None, **options: Any) -> Cp:
    """The backend for a model, by default with all variables as its key."""
    return Cp(Task(model, range(len(model.proto.variables)) if key is None else key, threading.Event(), **options))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "seeds",
    [range(250)],
)
def test_affine_arguments(seeds: Sequence[int]) -> None:
    for seed in seeds:
        model = random_model(random.Random(seed), AFFINE, objectives=False)
        if not model.validate():
            assert visits(backend(model)) == Counter(brute_force(model)), seed


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 600), marks=pytest.mark.thorough)])
def test_decisions_about_others_than_the_key(seeds: Sequence[int]) -> None:
    """Each key is met once, in any cube, whatever variables the model asks to branch on."""
    for seed in seeds:
        chance = random.Random(seed)
        model = random_model(chance, AFFINE, objectives=False)
        if model.validate():
            continue
        numbers = range(len(model.proto.variables))
        variables = [model.get_int_var_from_proto_index(number) for number in numbers]
        model.add_decision_strategy(
            chance.sample(variables, chance.randint(1, len(variables))), CHOOSE_MIN_DOMAIN_SIZE, SELECT_MIN_VALUE
        )
        key = chance.sample(numbers, chance.randint(0, len(numbers)))
        keys = {tuple(values[v] for v in key) for values in brute_force(model)}
        assert projected(visits(backend(model, key)), key) == Counter(keys), seed


def test_a_search_that_meets_keys_again_begins_anew_with_the_key() -> None:
    model = declared([(0, 2), *[BOOLEAN] * 12])
    variables = list(map(model.get_int_var_from_proto_index, range(13)))
    model.add_decision_strategy(variables[1:], CHOOSE_FIRST, SELECT_MIN_VALUE)
    made = backend(model, [0])
    assert [values[0] for values in visits(made)] == [0, 1, 2]
    assert made.statistics["branches"] < 2**12
    assert [values[0] for values in visits(made)] == [0, 1, 2]


def test_the_index_of_a_matrix_is_a_table() -> None:
    """The only cell that is marked in both matrices is found at once: the bounds of an index leave others."""
    size = 6
    marks = (
        {(0, 1), (1, 3), (2, 2), (3, 2), (5, 0), (5, 2)},
        {(0, 1), (1, 4), (2, 0), (3, 5), (4, 0), (5, 5)},
    )
    model = declared([(0, size - 1)] * 2 + [(0, size * size - 1)] * 2)
    row, column, *places = map(model.get_int_var_from_proto_index, range(4))
    for place, marked in zip(places, marks, strict=True):
        model.add(size * row + column == place)
        model.add_element(place, [int(cell in marked) for cell in product(range(size), repeat=2)], 1)
    made = backend(model)
    assert list(visits(made)) == [(0, 1, 1, 1)]
    assert made.statistics["failures"] == 0


def test_equations_for_indices() -> None:
    """Of one to three variables, with one number, several or none for the sum, and an index that may lead out."""
    for seed in range(200):
        chance, model = random.Random(seed), CpModel()
        size = chance.randint(1, 4)
        terms = [model.new_int_var(chance.randint(-1, 1), size, "") for _ in range(chance.randint(1, 3))]
        index, target = model.new_int_var(-2, size**2 + 2, ""), model.new_int_var(0, 2, "")
        total = sum(chance.choice([-3, -2, -1, 1, 2, 3]) * term for term in terms) + chance.choice([1, -1]) * index
        values = chance.choice([[0], [chance.randint(-3, 3)], [0, 2], []])
        model.add_linear_expression_in_domain(total, Domain.from_values(values))
        model.add_element(index, [chance.randint(0, 2) for _ in range(size**2 + 1)], target)
        assert visits(backend(model)) == Counter(brute_force(model)), seed


def test_many_implied_literals() -> None:
    """They are one sum; some are negations, constants, or the negation of another one, so that all cannot be true."""
    for seed in range(100):
        chance, model = random.Random(seed), CpModel()
        free = [model.new_bool_var("") for _ in range(5)]
        fixed = [model.new_int_var(1, 1, "") for _ in range(16)]
        literals = [chance.choice([b, ~b]) for b in free] + [b if chance.random() < 0.97 else ~b for b in fixed]
        literals += [~b for b in free if chance.random() < 0.05] + [literals[0]]
        unless = [model.new_bool_var("") for _ in range(chance.randint(0, 2))]
        model.add_bool_and(literals).only_enforce_if([chance.choice([b, ~b]) for b in unless])
        assert visits(backend(model)) == Counter(brute_force(model)), seed


def test_kinds_are_those_of_the_lowering() -> None:
    assert list(KINDS) == list(lower.KINDS)


def test_solutions_come_in_order() -> None:
    model = declared([of(-2, 0, 3)] * 2, lambda m, x, y: m.add(x != y))
    assert list(visits(backend(model))) == sorted(brute_force(model))


def test_numbers_beyond_64_bits_are_refused() -> None:
    model = declared([(0, 2**40)] * 3, lambda m, x, y, z: m.add_multiplication_equality(z, [x, y]).with_name("area"))
    refused(r"^cp computes with 64 bits, and int_prod 0 \(area\) may come to 1208925819614", backend, model)
    wide = declared([BOOLEAN], lambda m, x: m.maximize(2.0**62 * x))
    refused("and the objective may come to", backend, wide)


def test_wide_numbers() -> None:
    cp = backend(
        declared(
            [(0, 5, 2**50, 2**50 + 2, 2**55, 2**60)],
            lambda m, x: m.add(3 * x <= 2**52),
            lambda m, x: m.add(x != 2**50 + 1),
            lambda m, x: m.minimize(-x),
        )
    )
    assert sorted(visits(cp).elements()) == [(v,) for v in (0, 1, 2, 3, 4, 5, 2**50, 2**50 + 2)]
    assert cp.optimum() == -(2**50) - 2
    assert visits(cp) == {(2**50 + 2,): 1}


@pytest.mark.parametrize("target", [(-1, 2), (-9, 9)], ids=["narrow", "wide"])
@pytest.mark.parametrize(("kind", "divisors"), [("division", of(-3, -1, 2)), ("modulo", of(1, 2, 4))])
@pytest.mark.parametrize("is_enforced", [True, False])
def test_quotients_and_remainders(kind: str, divisors: Any, target: tuple[int, int], is_enforced: bool) -> None:
    def relate(model: CpModel, x: Any, y: Any, z: Any, condition: Any) -> None:
        constraint = getattr(model, f"add_{kind}_equality")(z, x, y)
        if not is_enforced:
            constraint.only_enforce_if(condition)

    model = declared([(-7, 7), divisors, target, BOOLEAN], relate)
    assert visits(backend(model)) == Counter(brute_force(model))
    keys = {tuple(values[:2]) for values in brute_force(model)}
    assert Counter(tuple(values[:2]) for values in visits(backend(model, [0, 1])).elements()) == Counter(keys)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("luby", "1", "cp has no parameter 'luby'; it has variable, value"),
        ("value", "least", "cp takes for value one of assign_min_value, assign_max_value"),
        ("variable", "", "cp takes for variable one of choose_min_size, "),
    ],
)
def test_parameters_that_are_refused(name: str, value: str, complaint: str) -> None:
    refused(complaint, backend, CpModel(), parameters={name: value})


@pytest.mark.parametrize(
    ("variable", "value"), [*zip(PARAMETERS["variable"], cycle(PARAMETERS["value"]), strict=False)]
)
def test_every_strategy_finds_all(variable: str, value: str) -> None:
    """Each way to choose a variable and each way to choose a value; 8 queens: OEIS A000170."""
    cp = backend(queens(8).model, parameters={"variable": variable, "value": value.upper()})
    found = visits(cp)
    assert len(found) == found.total() == 92


def listed(domains: Sequence[tuple[int, int]], rule: Callable[..., Any]) -> list[tuple[int, ...]]:
    """What the solver itself finds."""
    cp = Solver("")
    variables = [cp.IntVar(*domain) for domain in domains]
    cp.Add(rule(cp, *variables))
    cp.NewSearch(cp.Phase(variables, cp.CHOOSE_FIRST_UNBOUND, cp.ASSIGN_MIN_VALUE))
    found = []
    while cp.NextSolution():
        found.append(tuple(variable.Value() for variable in variables))
    return found


def test_a_multiple_of_a_boolean_forgets_its_upper_bound() -> None:
    """What `cp_variables` goes around, in an equality and in a sum that is a number."""
    assert listed([BOOLEAN], lambda cp, a: cp.BetweenCt((3 * a + 5).Var(), 6, 7)) == [(1,)]
    assert listed([BOOLEAN] * 2, lambda cp, a, b: cp.ScalProdEquality([a, b], [2, 2], 3)) == [(1, 1)]

    for domains, rule in (
        ([BOOLEAN, (4, 5)], lambda m, a, x: m.add(2 * a + 2 * x == 11)),
        ([BOOLEAN, BOOLEAN], lambda m, a, b: m.add_max_equality(a + 3, [3 * a + 2 * b, -3 * a - 2 * b])),
        ([BOOLEAN, (1, 2)], lambda m, a, x: m.add_max_equality(x, [3 * a, -1])),
    ):
        assert not visits(backend(declared(domains, rule)))
    model = declared([of(-2, 0)], lambda m, x: m.add_max_equality(-x + 9, [x - 9, -x + 9]))
    assert set(visits(backend(model))) == {(-2,), (0,)}


def test_an_equality_of_two_variables_one_of_which_has_an_offset() -> None:
    equal = listed([(-2, 1), (0, 3)], lambda cp, x, y: cp.ScalProdEquality([x, (y + 3).Var()], [-3, -1], -3))
    assert equal == [(0, 0), (1, 3)]  # the second is wrong, (-1, 3) is right
    positive = listed([(2, 3)], lambda cp, x: cp.ScalProdGreaterOrEqual([(2 - x).Var()], [1], 0))
    assert positive == [(2,), (3,)]  # the second is wrong

    model = declared([BOOLEAN, (-2, 1)], lambda m, a, x: m.add_max_equality(3 - 3 * x, [3 * a + 3, -23]))
    assert set(visits(backend(model))) == {(0, 0), (1, -1)}


def test_weights_of_booleans_beyond_32_bits() -> None:
    """The solver takes the first for always true, and dies of the second."""
    cp = Solver("")
    a, b, c = cp.BoolVar(), cp.BoolVar(), cp.BoolVar()
    assert str(cp.ScalProdGreaterOrEqual([a, b, c], [2, -2, -(10**12)], -(10**12))) == "TrueConstraint()"
    for x in ((0, 1), (-16750534340, -16750534339)):
        model = declared(
            [x, BOOLEAN, BOOLEAN],
            lambda m, y, b, c: m.add(2 * y + 353286852127 * b - 33501068680 * c >= -33501068680),
            lambda m, y, b, c: m.add(2 * y - 2 * b - 10**12 * c >= -(10**12)),
        )
        assert set(visits(backend(model))) == brute_force(model)


def test_an_index_that_leads_out_of_the_array() -> None:
    """Of this one the solver itself dies."""
    code = (
        "from ortools.constraint_solver.pywrapcp import Solver; cp = Solver('')\n"
        "x = cp.IntVar(0, 3); cp.Add(cp.Element([x, cp.IntVar(0, 3)], cp.IntConst(2)) == x)\n"
        "cp.NewSearch(cp.Phase([x], cp.CHOOSE_FIRST_UNBOUND, cp.ASSIGN_MIN_VALUE)); cp.NextSolution()"
    )
    assert python(code).returncode < 0
    model = declared([(0, 3), (2, 2)], lambda m, x, index: m.add_element(index, [x, x + 1], x))
    assert not visits(backend(model))


def add_sum(sign: int, total: int, model: CpModel, y: Any, x: Any) -> None:
    model.add(sign * y + sign * x == total)


@pytest.mark.parametrize(("sign", "width"), [(1, 1), pytest.param(1, 2, marks=pytest.mark.thorough), (-1, 2)])
def test_sums_of_two_variables_of_which_one_has_two_values(sign: int, width: int) -> None:
    for low, other, total in product(range(-2, 2), range(-2, 2), range(-4, 5)):
        domains, say = [(other, other + width), (low, low + 1)], partial(add_sum, sign, total)
        every = product(range(other, other + width + 1), (low, low + 1))
        assert visits(backend(declared(domains, say))) == Counter((a, b) for a, b in every if sign * (a + b) == total)


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_circuits_are_branched_on_by_successors(chance: random.Random) -> None:
    """Each key is met once, whether or not it has the arcs of all circuits, and whether or not these are enforced."""
    model = CpModel()
    booleans = [model.new_bool_var(f"b{number}") for number in range(chance.randint(3, 9))]
    for _ in range(chance.randint(1, 2)):
        nodes = chance.randint(2, 4)
        pairs = [(chance.randrange(nodes), chance.randrange(nodes)) for _ in range(chance.randint(2, 9))]
        literals = [chance.choice([one, ~one]) for one in chance.choices(booleans, k=len(pairs))]
        circuit = model.add_circuit([(*pair, literal) for pair, literal in zip(pairs, literals, strict=True)])
        if chance.random() < 0.2:
            circuit.only_enforce_if(chance.choice(booleans))
    if model.validate():
        return
    key = chance.sample(range(len(booleans)), chance.randint(1, len(booleans)))
    met: list[tuple[int, ...]] = []
    backend(model, key).enumerate(lambda values: met.append(tuple(values[v] for v in key)))
    assert sorted(met) == sorted({tuple(values[v] for v in key) for values in brute_force(model)})


def test_undirected_cycles_are_branched_on_by_successors() -> None:
    """Their key has the edges, not the arcs: each cycle is met in both directions at most."""
    puzzle = find("cycles").load()(n=4)
    searched = backend(puzzle.model, [v if isinstance(v, int) else v.index for v in puzzle.key.values()])
    found: list[Values] = []
    searched.enumerate(found.append)
    assert len(found) == 6
    assert searched.statistics["failures"] < 30


def test_booleans_that_say_what_a_variable_is() -> None:
    """Such a Boolean is made of the variable, or only when a cube needs it where nothing else speaks of it."""
    domains = [(2, 2), (2, 2), (0, 2), (1, 2), (0, 0), (9, 9)]  # the second says what the first does; the last, nothing
    for used, shown, sign in product(range(3), (1, None), (1, -1)):
        model = CpModel()
        x = model.new_int_var_from_domain(Domain.from_values([0, 1, 2, 4]), "x")
        booleans = [model.new_bool_var(f"b{place}") for place in range(len(domains))]
        for boolean, (low, high) in zip(booleans, domains, strict=True):
            inside = Domain(low, high)
            model.add_linear_expression_in_domain(x, inside).only_enforce_if(boolean)
            model.add_linear_expression_in_domain(x, inside.complement()).only_enforce_if(~boolean)
        model.add(sum(booleans[:used]) <= 1)
        asked = backend(model, [x.index], shown=shown)
        for place, (low, high) in enumerate(domains):
            literal = booleans[place].index
            found: list[list[int]] = []
            for values in asked.solutions([literal if sign > 0 else -literal - 1]):
                found.append(list(values))
            truths = {value: [low <= value <= high for low, high in domains] for value in (0, 1, 2, 4)}
            right = [v for v in truths if (low <= v <= high) == (sign > 0) and sum(truths[v][:used]) <= 1]
            assert [values[0] for values in found] == right
            assert shown or [values[1:7] for values in found] == [truths[value] for value in right]


@pytest.mark.parametrize("seed", range(4))
def test_values_of_many_variables_are_read(seed: int) -> None:
    """They are digits of a few integers, but for those that are too large."""
    chance = random.Random(seed)
    kinds: list[Callable[[], list[int]]] = [
        lambda: [0, 1],
        lambda: sorted(chance.sample(range(-9, 30), chance.randint(1, 4))),
        lambda: [chance.randint(-(10**6), 10**6)] * 2,
        lambda: [chance.choice([-1, 1]) * chance.randint(2**40, 2**41)] * 2,
    ]
    choices = [kinds[number]() for number in [*range(4), *chance.choices(range(4), k=40)]]
    model = CpModel()
    for place, values in enumerate(choices):
        variable = model.new_int_var_from_domain(Domain.from_values(values), f"x{place}")
        if place % 6:  # the others are free
            choices[place] = [chance.choice(values)]
            model.add(variable == choices[place][0])
    expected = Counter(product(*map(set, choices)))
    assert visits(backend(model)) == expected
