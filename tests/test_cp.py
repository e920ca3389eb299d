"""The backend of the original constraint solver: every key once; and what OR-Tools 9.15 gets wrong in it, pinned."""

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.constraint_solver.pywrapcp import Solver
from ortools.sat.python.cp_model import CpModel, Domain

from solvers.backends.cp import PARAMETERS, Cp, enumerate_parts
from solvers.backends.cp_constraints import KINDS
from solvers.cnf import lower
from solvers.cover.search import Subcover, Tables
from solvers.errors import InputError, Stopped
from solvers.values import Values
from tests.support.affine_models import affine_model
from tests.support.random_models import SCHEDULING, brute_force, cubes, keys, models

MANY = int(os.environ.get("KAZOERU_EXAMPLES", "10000"))


def backend(model: CpModel, key: Sequence[int] | None = None, **options: Any) -> Cp:
    """The backend for a model, by default with all variables as its key."""
    every = range(len(model.proto.variables))
    return Cp(model, every if key is None else key, threading.Event(), **options)


def visits(cp: Cp, cube: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """The values of all variables, each time that `enumerate` calls."""
    found: list[tuple[int, ...]] = []
    cp.enumerate(lambda values: found.append(tuple(values)), cube)
    return found


def holds(cube: Sequence[int], values: Sequence[int]) -> bool:
    return all(values[literal] if literal >= 0 else not values[-literal - 1] for literal in cube)


def agrees(data: st.DataObject) -> None:
    """A random model, with cubes and perhaps an objective, against brute force."""
    model = data.draw(models())
    key, cube, seed = data.draw(keys(model)), data.draw(cubes(model)), data.draw(st.integers(0, 2))
    before = str(model.proto)
    solutions = brute_force(model)
    cp = backend(model, key, seed=seed)
    if model.proto.has_objective():
        terms = list(zip(model.proto.objective.vars, model.proto.objective.coeffs, strict=True))
        costs = (sum(coefficient * values[v] for v, coefficient in terms) for values in solutions)
        assert cp.optimum() == min(costs, default=None)
    for literals in (cube, [], cube):
        found = visits(cp, literals)
        assert set(found) <= solutions
        expected = {tuple(values[v] for v in key) for values in solutions if holds(literals, values)}
        assert Counter(tuple(values[v] for v in key) for values in found) == Counter(expected)
    assert str(model.proto) == before


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_random_models(data: st.DataObject) -> None:
    agrees(data)


@pytest.mark.slow
@settings(deadline=None, max_examples=MANY, suppress_health_check=list(HealthCheck), print_blob=True)
@given(st.data())
def test_many_random_models(data: st.DataObject) -> None:
    agrees(data)


@pytest.mark.parametrize(
    "seeds", [range(1000), pytest.param(range(1000, 100_000), marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_affine_arguments(seeds: Sequence[int]) -> None:
    for seed in seeds:
        model = affine_model(random.Random(seed))
        if not model.validate():
            assert Counter(visits(backend(model))) == Counter(brute_force(model)), seed


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_extend(data: st.DataObject) -> None:
    model = data.draw(models(objectives=False))
    cp, solutions = backend(model), brute_force(model)
    numbers = data.draw(keys(model))
    asked = [dict(zip(numbers, data.draw(st.tuples(*[st.integers(-3, 5)] * len(numbers))), strict=True)) for _ in "abc"]
    asked += [{v: values[v] for v in numbers} for values in sorted(solutions)[:2]]
    for fixed, values in zip(asked, cp.extend(asked), strict=True):
        possible = {s for s in solutions if all(s[v] == value for v, value in fixed.items())}
        assert tuple(values) in possible if values is not None else not possible


def test_kinds_are_those_of_the_lowering() -> None:
    assert list(KINDS) == list(lower.KINDS)


@pytest.mark.parametrize("kind", SCHEDULING)
def test_kinds_that_only_cp_sat_knows(kind: Callable[..., Any]) -> None:
    @settings(deadline=None, max_examples=10)
    @given(models(kinds=[kind]))
    def refuses(model: CpModel) -> None:
        names = [
            name for name in lower.CP_SAT_ALONE if any(getattr(c, f"has_{name}")() for c in model.proto.constraints)
        ]
        if names and not model.validate():
            with pytest.raises(InputError, match=r"is understood by cp-sat only; use --backend cp-sat"):
                backend(model)

    refuses()


def test_the_key_is_visited_once() -> None:
    model = CpModel()
    clause = [model.new_bool_var("") for _ in range(6)]
    model.add_bool_or(clause)
    assert len(visits(backend(model, [0, 1]))) == 4
    assert len(visits(backend(model, [0, 0]))) == 2
    assert len(visits(backend(model, []))) == 1
    model.add_bool_and(~literal for literal in clause)
    assert visits(backend(model, [])) == []


def test_models_with_nothing_in_them() -> None:
    model = CpModel()
    assert visits(backend(model)) == [()]
    model.add_bool_or([])
    assert visits(backend(model)) == []
    assert backend(model).extend([{}]) == [None]


def test_a_cube_that_contradicts_itself() -> None:
    model = CpModel()
    model.new_bool_var("")
    cp = backend(model)
    assert visits(cp, [0, -1]) == []
    assert visits(cp, [0, 0]) == [(1,)]


def test_solutions_come_in_order() -> None:
    model = CpModel()
    x, y = (model.new_int_var_from_domain(Domain.from_values([-2, 0, 3]), "") for _ in "xy")
    model.add(x != y)
    assert visits(backend(model)) == sorted(brute_force(model))


def test_domains_of_the_objective_and_whole_floats() -> None:
    model = CpModel()
    x, y = model.new_int_var(0, 5, ""), model.new_int_var(0, 5, "")
    model.minimize(x + y)
    model.proto.objective.domain.extend([3, 4])
    cp = backend(model)
    assert cp.optimum() == 3
    assert visits(cp) == [(0, 3), (1, 2), (2, 1), (3, 0)]
    model.maximize(2.0 * x - 3.0 * y + 0.5)
    cp = backend(model)
    assert cp.optimum() == -10
    assert visits(cp) == [(5, 0)]
    model.maximize(0.5 * x)
    with pytest.raises(InputError, match=r"coefficient 0\.5.*multiply"):
        backend(model)


def test_what_the_caller_raises_comes_through() -> None:
    model = CpModel()
    for _ in range(3):
        model.new_bool_var("")
    cp = backend(model)

    def refuse(values: Values) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cp.enumerate(refuse)
    assert len(visits(cp)) == 8


def choices(count: int) -> CpModel:
    """More solutions than anybody can wait for."""
    model = CpModel()
    for _ in range(count):
        model.add_exactly_one(model.new_bool_var("") for _ in range(10))
    return model


def pigeons(count: int) -> CpModel:
    """One more than there are holes, where a proof is out of reach."""
    model = CpModel()
    sits = [[model.new_bool_var("") for _ in range(count)] for _ in range(count + 1)]
    for pigeon in sits:
        model.add_bool_or(pigeon)
    for hole in zip(*sits, strict=True):
        model.add_at_most_one(hole)
    return model


def chase(most: int) -> CpModel:
    """Two numbers that push each other upwards, one at a time, within a single propagation."""
    model = CpModel()
    x, y = model.new_int_var(0, most, ""), model.new_int_var(0, most, "")
    model.add(x < y)
    model.add(y < x)
    return model


@pytest.mark.parametrize(
    ("model", "key"),
    [
        (choices(30), range(300)),
        pytest.param(pigeons(30), range(930), marks=pytest.mark.thorough),
        pytest.param(pigeons(30), range(30), marks=pytest.mark.thorough),
        (pigeons(30), ()),
        (chase(2**50), range(2)),
        pytest.param(chase(2**50), (), marks=pytest.mark.thorough),
    ],
    ids=["solutions", "failures", "failures beyond the key", "failures without a key", "propagation", "without a key"],
)
def test_stops_within_two_seconds(model: CpModel, key: Sequence[int]) -> None:
    stop = threading.Event()
    cp = Cp(model, key, stop)
    threading.Timer(0.5, stop.set).start()
    began = time.perf_counter()
    with pytest.raises(Stopped):
        cp.enumerate(lambda values: None)
    assert time.perf_counter() - began < 2.5
    with pytest.raises(Stopped):
        cp.optimum()


def test_it_goes_on_after_a_stop() -> None:
    stop = threading.Event()
    cp = Cp(choices(1), range(10), stop)
    stop.set()
    with pytest.raises(Stopped):
        visits(cp)
    stop.clear()
    assert len(visits(cp)) == 10


@pytest.mark.thorough
def test_other_threads_run_during_a_search() -> None:
    stop, ticks = threading.Event(), []

    def tick() -> None:
        while not stop.wait(0.01):
            ticks.append(time.perf_counter())

    cp = Cp(pigeons(30), range(930), stop)
    threading.Thread(target=tick, daemon=True).start()
    threading.Timer(1, stop.set).start()
    with pytest.raises(Stopped):
        cp.enumerate(lambda values: None)
    assert ticks


def test_numbers_beyond_64_bits_are_refused() -> None:
    model = CpModel()
    x, y, z = (model.new_int_var(0, 2**40, name) for name in "xyz")
    model.add_multiplication_equality(z, [x, y]).with_name("area")
    with pytest.raises(
        InputError, match=r"^cp reckons with 64 bits, and int_prod 0 \(area\) may come to 1208925819614"
    ):
        backend(model)
    model = CpModel()
    model.maximize(2.0**62 * model.new_bool_var("x"))
    with pytest.raises(InputError, match="and the objective may come to"):
        backend(model)


def test_wide_numbers() -> None:
    model = CpModel()
    x = model.new_int_var_from_domain(Domain.from_intervals([[0, 5], [2**50, 2**50 + 2], [2**55, 2**60]]), "x")
    model.add(3 * x <= 2**52)
    model.add(x != 2**50 + 1)
    model.minimize(-x)
    cp = backend(model)
    assert sorted(visits(cp)) == [(v,) for v in (0, 1, 2, 3, 4, 5, 2**50, 2**50 + 2)]
    assert cp.optimum() == -(2**50) - 2
    assert visits(cp) == [(2**50 + 2,)]


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("luby", "1", "cp has no parameter 'luby'; it has variable, value"),
        ("value", "least", "cp takes for value one of assign_min_value, assign_max_value"),
        ("variable", "", "cp takes for variable one of choose_min_size, "),
    ],
)
def test_parameters_that_are_refused(name: str, value: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        backend(CpModel(), parameters={name: value})


@pytest.mark.parametrize("value", PARAMETERS["value"])
@pytest.mark.parametrize("variable", PARAMETERS["variable"])
def test_every_strategy_finds_all(variable: str, value: str) -> None:
    """8 queens: OEIS A000170."""
    model = CpModel()
    rows = [model.new_int_var(0, 7, "") for _ in range(8)]
    for sign in (-1, 0, 1):
        model.add_all_different(row + sign * column for column, row in enumerate(rows))
    cp = backend(model, parameters={"variable": variable, "value": value.upper()})
    assert len(set(visits(cp))) == len(visits(cp)) == 92
    assert cp.size == {"variables": 8, "constraints": 3}
    assert cp.statistics["branches"] > cp.statistics["failures"] > 0


def test_equal_seeds_search_alike() -> None:
    orders = [visits(backend(choices(2), seed=seed)) for seed in (0, 0, 5, 5)]
    assert orders[0] == orders[1] != orders[2] == orders[3]
    assert sorted(orders[0]) == sorted(orders[2])


def parts_of(model: CpModel) -> list[Subcover]:
    from solvers.cover.exact_cover import exact_cover

    tables = Tables(exact_cover(model), 0)
    return [tables.part((), tables.left_out(()))]


def test_parts_of_a_cover() -> None:
    def found(most: float, stop: threading.Event) -> Any:
        return list(enumerate_parts(parts_of(choices(3)), most, stop, solver="", seed=0, parameters={}))

    ((chosen, statistics),) = found(1000, threading.Event())
    assert len({tuple(options) for options in chosen}) == len(chosen) == 1000
    assert statistics["branches"] > 0
    with pytest.raises(Stopped):
        found(999, threading.Event())
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        found(1000, stop)


def listed(cp: Solver, variables: Sequence[Any]) -> list[tuple[int, ...]]:
    """What the solver itself finds."""
    cp.NewSearch(cp.Phase(variables, cp.CHOOSE_FIRST_UNBOUND, cp.ASSIGN_MIN_VALUE))
    found = []
    while cp.NextSolution():
        found.append(tuple(variable.Value() for variable in variables))
    return found


def test_a_multiple_of_a_boolean_forgets_its_upper_bound() -> None:
    """What `cp_variables` goes around, in an equality and in a sum that is a number."""
    cp = Solver("")
    a, b = cp.BoolVar(), cp.BoolVar()
    cp.Add(cp.BetweenCt((3 * a + 5).Var(), 6, 7))
    assert listed(cp, [a]) == [(1,)]
    cp = Solver("")
    a, b = cp.BoolVar(), cp.BoolVar()
    cp.Add(cp.ScalProdEquality([a, b], [2, 2], 3))
    assert listed(cp, [a, b]) == [(1, 1)]

    model = CpModel()
    a, x = model.new_bool_var("a"), model.new_int_var(4, 5, "x")
    model.add(2 * a + 2 * x == 11)
    assert visits(backend(model)) == []
    model = CpModel()
    a, b = model.new_bool_var("a"), model.new_bool_var("b")
    model.add_max_equality(a + 3, [3 * a + 2 * b, -3 * a - 2 * b])
    assert visits(backend(model)) == []
    model = CpModel()
    a, x = model.new_bool_var("a"), model.new_int_var(1, 2, "x")
    model.add_max_equality(x, [3 * a, -1])
    assert visits(backend(model)) == []
    model = CpModel()
    x = model.new_int_var_from_domain(Domain.from_values([-2, 0]), "x")
    model.add_max_equality(-x + 9, [x - 9, -x + 9])
    assert set(visits(backend(model))) == {(-2,), (0,)}


def test_an_equality_of_two_variables_one_of_which_has_an_offset() -> None:
    cp = Solver("")
    x, y = cp.IntVar(-2, 1), cp.IntVar(0, 3)
    cp.Add(cp.ScalProdEquality([x, (y + 3).Var()], [-3, -1], -3))
    assert listed(cp, [x, y]) == [(0, 0), (1, 3)]  # the second is wrong, (-1, 3) is right
    cp = Solver("")
    x = cp.IntVar(2, 3)
    cp.Add(cp.ScalProdGreaterOrEqual([(2 - x).Var()], [1], 0))
    assert listed(cp, [x]) == [(2,), (3,)]  # the second is wrong

    model = CpModel()
    a, x = model.new_bool_var("a"), model.new_int_var(-2, 1, "x")
    model.add_max_equality(3 - 3 * x, [3 * a + 3, -23])
    assert set(visits(backend(model))) == {(0, 0), (1, -1)}


def test_weights_of_booleans_beyond_32_bits() -> None:
    """The solver takes the first for always true, and dies of the second."""
    cp = Solver("")
    a, b, c = cp.BoolVar(), cp.BoolVar(), cp.BoolVar()
    assert str(cp.ScalProdGreaterOrEqual([a, b, c], [2, -2, -(10**12)], -(10**12))) == "TrueConstraint()"
    for x in ((0, 1), (-16750534340, -16750534339)):
        model = CpModel()
        y, b, c = model.new_int_var(*x, "y"), model.new_bool_var("b"), model.new_bool_var("c")
        model.add(2 * y + 353286852127 * b - 33501068680 * c >= -33501068680)
        model.add(2 * y - 2 * b - 10**12 * c >= -(10**12))
        assert set(visits(backend(model))) == brute_force(model)


def test_an_index_that_leads_out_of_the_array() -> None:
    """Of this one the solver itself dies."""
    code = (
        "from ortools.constraint_solver.pywrapcp import Solver; cp = Solver('')\n"
        "x = cp.IntVar(0, 3); cp.Add(cp.Element([x, cp.IntVar(0, 3)], cp.IntConst(2)) == x)\n"
        "cp.NewSearch(cp.Phase([x], cp.CHOOSE_FIRST_UNBOUND, cp.ASSIGN_MIN_VALUE)); cp.NextSolution()"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode < 0
    model = CpModel()
    x, index = model.new_int_var(0, 3, "x"), model.new_int_var(2, 2, "index")
    model.add_element(index, [x, x + 1], x)
    assert visits(backend(model)) == []


@pytest.mark.parametrize(("sign", "width"), [(1, 1), (1, 2), (-1, 2)])
def test_sums_of_two_variables_of_which_one_has_two_values(sign: int, width: int) -> None:
    for low, other, total in product(range(-3, 3), range(-3, 3), range(-6, 7)):
        model = CpModel()
        y, x = model.new_int_var(other, other + width, "y"), model.new_int_var(low, low + 1, "x")
        model.add(sign * y + sign * x == total)
        found: list[Values] = []
        Cp(model, [x.index, y.index], threading.Event()).enumerate(found.append)
        every = product((low, low + 1), range(other, other + width + 1))
        assert sorted((v[x.index], v[y.index]) for v in found) == [(a, b) for a, b in every if sign * (a + b) == total]
