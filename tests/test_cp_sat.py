"""The CP-SAT backend: every key once, whatever the model; and what OR-Tools 9.15 itself gets wrong, pinned."""

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback, Domain

from models.puzzle import Puzzle
from solvers import solve
from solvers.backends.cp_sat import CpSat
from solvers.errors import InputError, Stopped
from solvers.values import Values
from tests.support.enumerate import all_solutions
from tests.support.random_models import SCHEDULING, brute_force, cubes, keys, models

Visits = Counter[tuple[int, ...]]


def backend(model: CpModel, key: Sequence[int] | None = None, **options: Any) -> CpSat:
    """The backend for a model, by default with all variables as its key."""
    every = range(len(model.proto.variables))
    return CpSat(model, every if key is None else key, threading.Event(), **options)


def visits(cp_sat: CpSat, cube: Sequence[int] = ()) -> Visits:
    """How often `enumerate` calls with each assignment of all variables."""
    found: Visits = Counter()
    cp_sat.enumerate(lambda values: found.update([tuple(values)]), cube)
    return found


def projected(solutions: Any, key: Sequence[int]) -> Visits:
    counter: Visits = Counter()
    for values, times in Counter(solutions).items():
        counter[tuple(values[v] for v in key)] += times
    return counter


def holds(cube: Sequence[int], values: Sequence[int]) -> bool:
    return all(values[literal] if literal >= 0 else not values[-literal - 1] for literal in cube)


@settings(deadline=None, max_examples=150)
@given(models(objectives=False))
def test_every_solution_once(model: CpModel) -> None:
    before = str(model.proto)
    assert visits(backend(model)) == Counter(brute_force(model))
    assert str(model.proto) == before


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_every_key_once(data: st.DataObject) -> None:
    model = data.draw(models(objectives=False))
    key = data.draw(keys(model))
    solutions = brute_force(model)
    found = visits(backend(model, key))
    assert set(found) <= solutions
    assert projected(found, key) == Counter(set(projected(solutions, key)))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_every_key_once_where_searches_are_broken_off_early(data: st.DataObject) -> None:
    model = data.draw(models(objectives=False))
    key = data.draw(keys(model))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solvers.backends.cp_sat.MOST_REPEATS", -1)
        found = visits(backend(model, key))
    assert projected(found, key) == Counter(set(projected(brute_force(model), key)))


@pytest.mark.thorough
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_cubes_are_independent(data: st.DataObject) -> None:
    model = data.draw(models(objectives=False))
    key = data.draw(keys(model))
    chosen = data.draw(st.lists(cubes(model), min_size=1, max_size=4))
    solutions = brute_force(model)
    cp_sat = backend(model, key)
    for cube in [*chosen, *chosen[::-1], []]:
        expected = {values for values in solutions if holds(cube, values)}
        assert projected(visits(cp_sat, cube), key) == Counter(set(projected(expected, key)))


@settings(deadline=None, max_examples=100)
@given(models(objectives=True))
def test_all_the_best(model: CpModel) -> None:
    best = brute_force(model)
    cp_sat = backend(model)
    optimum = cp_sat.optimum()
    assert (optimum is None) == (not best)
    if best:
        objective = model.proto.objective
        value = {sum(c * values[v] for v, c in zip(objective.vars, objective.coeffs, strict=True)) for values in best}
        assert {optimum} == value
        assert visits(cp_sat) == Counter(best)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_extend(data: st.DataObject) -> None:
    model = data.draw(models())
    solutions = all_solutions_without_objective(model)
    cp_sat = backend(model)
    cp_sat.optimum()
    fixed = {v: data.draw(st.integers(-2, 4)) for v in data.draw(keys(model))}
    (values,) = cp_sat.extend([fixed])
    able = {solution for solution in solutions if all(solution[v] == value for v, value in fixed.items())}
    assert (values is None and not able) or tuple(values or ()) in able


def all_solutions_without_objective(model: CpModel) -> set[tuple[int, ...]]:
    plain = model.clone()
    plain.proto.clear_objective()
    return brute_force(plain)


def test_one_free_clause() -> None:
    """Every assignment of a key of two comes with dozens of assignments of what is not in it."""
    model = CpModel()
    literals = [model.new_bool_var("") for _ in range(6)]
    key = [model.new_int_var(0, 5, "").index]
    model.add_bool_or(literals)
    assert all_solutions(model, [model.get_int_var_from_proto_index(key[0])]).total() == 378
    assert projected(visits(backend(model, key)), key) == Counter({(value,): 1 for value in range(6)})


def test_an_empty_key_is_visited_once_or_never() -> None:
    model = CpModel()
    x = model.new_int_var(0, 500, "")
    assert visits(backend(model, [])).total() == 1
    model.add(x > 500)
    assert visits(backend(model, [])).total() == 0


def test_hidden_variables_do_not_repeat_solutions() -> None:
    """An enforced automaton has a state for each step, of which any will do where it is not enforced."""
    model = CpModel()
    x, off = model.new_int_var(0, 3, ""), model.new_bool_var("")
    model.add_automaton([x, x], 0, [0, 1], [(0, 0, 0), (0, 1, 1), (1, 1, 0), (0, 2, 1)]).only_enforce_if(~off)
    assert visits(backend(model)) == Counter(brute_force(model))


def queens(n: int) -> CpModel:
    model = CpModel()
    row = [model.new_int_var(0, n - 1, "") for _ in range(n)]
    for slope in (0, 1, -1):
        model.add_all_different(row[column] + slope * column for column in range(n))
    return model


def test_known_count() -> None:
    """OEIS A000170."""
    cp_sat = backend(queens(8))
    assert visits(cp_sat).total() == 92
    assert cp_sat.size == {"variables": 8, "constraints": 3}
    assert cp_sat.statistics["branches"] > 0


def choices(count: int) -> CpModel:
    """More solutions than anybody can wait for."""
    model = CpModel()
    for _ in range(count):
        model.add_exactly_one(model.new_bool_var("") for _ in range(10))
    return model


@pytest.mark.parametrize("key", [range(300), range(100)])
def test_stops_within_two_seconds(key: Sequence[int]) -> None:
    stop = threading.Event()
    cp_sat = CpSat(choices(30), key, stop)
    threading.Timer(0.5, stop.set).start()
    began = time.perf_counter()
    with pytest.raises(Stopped):
        cp_sat.enumerate(lambda values: None)
    assert time.perf_counter() - began < 2.5
    with pytest.raises(Stopped):
        cp_sat.optimum()


def test_stops_a_search_that_finds_nothing() -> None:
    """Pigeons and holes, where a proof is out of reach."""
    model = CpModel()
    sits = [[model.new_bool_var("") for _ in range(30)] for _ in range(31)]
    for pigeon in sits:
        model.add_bool_or(pigeon)
    for hole in zip(*sits, strict=True):
        for i, one in enumerate(hole):
            for other in hole[:i]:
                model.add_bool_or(~one, ~other)
    stop = threading.Event()
    cp_sat = CpSat(model, range(930), stop, parameters={"cp_model_presolve": "false", "symmetry_level": "0"})
    threading.Timer(1, stop.set).start()
    began = time.perf_counter()
    with pytest.raises(Stopped):
        cp_sat.enumerate(lambda values: None)
    assert time.perf_counter() - began < 2


def test_a_limit_of_the_users_own_is_no_proof() -> None:
    cp_sat = backend(choices(30), parameters={"max_time_in_seconds": "0.2"})
    with pytest.raises(Stopped):
        cp_sat.enumerate(lambda values: None)


def test_what_the_caller_raises_comes_through() -> None:
    def refuse(values: Values) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        backend(queens(6)).enumerate(refuse)


def test_objective_with_a_domain_and_with_whole_floats() -> None:
    model = CpModel()
    x, y = model.new_int_var(0, 5, ""), model.new_int_var(0, 5, "")
    model.minimize(x + y)
    model.proto.objective.domain.extend([3, 4])
    cp_sat = backend(model)
    assert cp_sat.optimum() == 3
    assert set(visits(cp_sat)) == {(0, 3), (1, 2), (2, 1), (3, 0)}
    model.maximize(2.0 * x - 3.0 * y + 0.5)
    cp_sat = backend(model)
    assert cp_sat.optimum() == -10
    assert set(visits(cp_sat)) == {(5, 0)}
    model.maximize(0.5 * x)
    with pytest.raises(InputError, match=r"coefficient 0\.5.*multiply"):
        backend(model)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("num_workers", "8", "loses solutions"),
        ("instantiate_all_variables", "false", "loses solutions"),
        ("no_such_thing", "1", "no parameter 'no_such_thing'"),
        ("copy_from", "1", "no parameter"),
        ("random_seed", "many", "'many' is no value"),
        ("random_seed", "99999999999", "no value"),
        ("random_seed", "1 num_workers: 8", "no value"),
        ("search_branching", "SIDEWAYS", "no value"),
        ("cp_model_presolve", "maybe", "no value"),
    ],
)
def test_parameters_that_are_refused(name: str, value: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        backend(queens(4), parameters={name: value})


def test_parameters_that_are_taken() -> None:
    taken = {"search_branching": "fixed_search", "cp_model_presolve": "False", "linearization_level": "2"}
    assert visits(backend(queens(6), seed=7, parameters=taken)).total() == 4
    with pytest.raises(InputError, match="CP-SAT does not accept"):
        visits(backend(queens(4), parameters={"max_time_in_seconds": "nan"}))


def test_models_that_are_refused() -> None:
    model = CpModel()
    x = model.new_int_var(-1, 1, "")
    with pytest.raises(InputError, match="glucose"):
        backend(model, solver="glucose")
    model.add_division_equality(x, 1, x)
    with pytest.raises(InputError, match="CP-SAT does not accept the model: The domain of the divisor"):
        backend(model)


@pytest.mark.parametrize("kind", SCHEDULING)
def test_kinds_that_only_cp_sat_knows(kind: Callable[..., Any]) -> None:
    @settings(deadline=None, max_examples=60)
    @given(models([kind], objectives=False))
    def every_solution_once(model: CpModel) -> None:
        assume(model.validate() == "")
        assert visits(backend(model)) == Counter(brute_force(model))

    every_solution_once()


def test_routes_that_can_leave_out_every_node() -> None:
    model = CpModel()
    arcs = [(tail, head) for tail in range(3) for head in range(3) if tail or head]
    model.add_multiple_circuit([(*arc, model.new_bool_var("")) for arc in arcs])
    with pytest.raises(InputError, match="routes can leave out every node here"):
        backend(model)


# What OR-Tools 9.15 itself gets wrong: once one of these tests fails, the code that it stands for may go.


def domain(model: CpModel, *allowed: int) -> Any:
    return model.new_int_var_from_domain(Domain.from_values(allowed), "")


def enforced_division(model: CpModel) -> None:
    enforced = model.new_bool_var("")
    quotient, dividend, divisor = domain(model, 0, 3), domain(model, -2, 4), domain(model, 1, 3)
    model.add_division_equality(quotient, dividend, divisor).only_enforce_if(enforced)


def enforced_remainder(model: CpModel) -> None:
    enforced = model.new_bool_var("")
    remainder, dividend, divisor = domain(model, 0, 3), domain(model, -2, 4), domain(model, 1, 3)
    model.add_modulo_equality(remainder, dividend, divisor).only_enforce_if(enforced)


def enforced_product_of_three(model: CpModel) -> None:
    enforced = model.new_bool_var("")
    x, y = domain(model, -3, 1, 2, 3, 4), domain(model, -2, 0, 3)
    model.add_multiplication_equality(-2, [-x - 2, y - 2, 2 * y]).only_enforce_if(enforced)


def element_of_its_target(model: CpModel) -> None:
    index, x = model.new_bool_var(""), domain(model, -3, 0, 4)
    model.add_element(index, [-1, x + 2], x - 1)


def element_of_its_target_by_another_constraint(model: CpModel) -> None:
    index, x, target = model.new_bool_var(""), domain(model, -3, 0, 4), model.new_int_var(-9, 9, "")
    model.add(target == x - 1)
    model.add_element(index, [-1, x + 2], target)


def circuit_with_literals_in_common(model: CpModel) -> None:
    b, c = model.new_bool_var(""), model.new_bool_var("")
    model.add_circuit([(0, 0, c), (1, 0, b), (0, 1, c), (0, 1, b)])


def boxes_on_one_spot(model: CpModel) -> None:
    here, x = model.new_bool_var(""), model.new_int_var(0, 2, "")
    point = model.new_interval_var(x, 0, x, "")
    heights = [model.new_optional_interval_var(x, 0, x, ~here, ""), model.new_optional_interval_var(x, 2, x, here, "")]
    model.add_no_overlap_2d([point, point], heights)


def enforced_table_of_large_numbers(model: CpModel) -> None:
    enforced, x, y = model.new_bool_var(""), domain(model, -243992838149616031), domain(model, *LARGE)
    rows = [(0, 0, 0), (-243992838149616031, -3, LARGE[0] + 1)]
    model.add_allowed_assignments([x, -3, y + 1], rows).only_enforce_if(enforced)


LARGE = (-13949364832449588, -13949364832449589, -13949364832449590)


@pytest.mark.parametrize(
    "declare",
    [
        boxes_on_one_spot,
        enforced_table_of_large_numbers,
        enforced_division,
        enforced_remainder,
        enforced_product_of_three,
        element_of_its_target,
        element_of_its_target_by_another_constraint,
        circuit_with_literals_in_common,
    ],
)
def test_mended(declare: Callable[[CpModel], None]) -> None:
    model = CpModel()
    declare(model)
    variables = [model.get_int_var_from_proto_index(number) for number in range(len(model.proto.variables))]
    truth = Counter(brute_force(model))
    assert all_solutions(model, variables) != truth
    assert visits(backend(model)) == truth


def remainder_of_its_own_result(model: CpModel) -> None:
    x = domain(model, -2, 1)
    model.add_modulo_equality(2 * x - 3, 2 * x + 3, 2)


def reservoir_of_two_events_at_one_time(model: CpModel) -> None:
    b, c, time = model.new_bool_var(""), model.new_bool_var(""), model.new_constant(2)
    model.add_reservoir_constraint_with_active([2 * time + 1] * 2, [2, -2], [~b, c], -1, 1)


@pytest.mark.parametrize("declare", [remainder_of_its_own_result, reservoir_of_two_events_at_one_time])
def test_breaks_off(declare: Callable[[CpModel], None]) -> None:
    """CP-SAT does, and the whole process with it."""
    model = CpModel()
    declare(model)
    code = (
        "import sys; from ortools.sat.python.cp_model import CpModel, CpSolver; solver, model = CpSolver(), CpModel()\n"
    )
    code += "solver.parameters.num_workers = 1; solver.parameters.enumerate_all_solutions = True\n"
    code += "model.proto.parse_text_format(sys.stdin.read()); solver.solve(model)"
    alone = subprocess.run([sys.executable, "-c", code], input=str(model.proto), text=True, capture_output=True)
    assert alone.returncode < 0
    assert visits(backend(model)) == Counter(brute_force(model))


def test_division_without_presolve() -> None:
    model = CpModel()
    x = domain(model, -1, 3, 5)
    model.add_division_equality(2 * x - 1, 3 * x + 1, -3)
    assert visits(backend(model, parameters={"cp_model_presolve": "false"})) == Counter(brute_force(model))


def test_best_value_of_an_enforced_division() -> None:
    model = CpModel()
    enforced_division(model)
    b, a = model.get_bool_var_from_proto_index(0), model.get_int_var_from_proto_index(2)
    model.maximize(100 * b - a)
    solver = CpSolver()
    solver.parameters.num_workers = 1
    assert solver.status_name(solver.solve(model)) == "OPTIMAL"
    assert solver.objective_value == 2
    assert backend(model).optimum() == -102


def test_several_workers_lose_solutions() -> None:
    class Count(CpSolverSolutionCallback):
        solutions = 0

        def on_solution_callback(self) -> None:
            self.solutions += 1

    found = set()
    for seed in range(20):  # how many are lost differs from run to run
        solver, count = CpSolver(), Count()
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 2
        solver.parameters.random_seed = seed
        assert solver.status_name(solver.solve(queens(8), count)) == "OPTIMAL"
        found.add(count.solutions)
    assert min(found) < 92
    assert visits(backend(queens(8))).total() == 92


def test_an_absent_task_may_demand_more_than_the_capacity() -> None:
    model = CpModel()
    a, b = model.new_bool_var("a"), model.new_bool_var("b")
    start, other, fixed = model.new_int_var(-2, 4, "start"), model.new_int_var(0, 4, "other"), model.new_constant(-1)
    tasks = [
        model.new_optional_interval_var(fixed, 0, fixed, ~b, "empty"),
        model.new_interval_var(other, 2, other + 2, "always"),
        model.new_optional_interval_var(start, 1, fixed, a, "one"),
    ]
    model.add_cumulative(tasks, [b, a, b], 0)
    model.maximize(other)
    result = solve(Puzzle("absent", {}, model, {"b": b}), backend="cp-sat", jobs=1)
    assert sorted(solution["b"] for solution in result) == [0, 1]
