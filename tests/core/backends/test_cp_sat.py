"""The CP-SAT backend: every key once, whatever the model; and what OR-Tools 9.15 itself gets wrong, pinned."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import solve
from solvers.backends.cp_sat import CpSat
from solvers.backends.protocol import Task
from solvers.backends.registry import make_backend
from solvers.base.tuning import override_tuning
from tests.support.backends import projected, visits
from tests.support.classics import queens
from tests.support.command import python
from tests.support.declared import BOOLEAN, declared, of
from tests.support.enumerate import all_solutions
from tests.support.random_models import brute_force, keys, models
from tests.support.refusals import refused


def backend(model: CpModel, key: Sequence[int] | None = None, **options: Any) -> CpSat:
    """The backend for a model, by default with all variables as its key."""
    return CpSat(Task(model, range(len(model.proto.variables)) if key is None else key, threading.Event(), **options))


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_every_key_once_where_searches_are_broken_off_early(data: st.DataObject) -> None:
    model = data.draw(models(objectives=False))
    key = data.draw(keys(model))
    with override_tuning(max_cp_sat_repeats=-1):
        found = visits(backend(model, key))
    assert projected(found, key) == Counter({tuple(values[v] for v in key) for values in brute_force(model)})


def test_one_solution_is_found_without_all_others() -> None:
    cp_sat = backend(declared([(0, 9)] * 4))
    assert cp_sat.extend([{0: 7}])[0][0] == 7  # type: ignore[index]
    assert cp_sat.statistics["branches"] < 100


@pytest.mark.parametrize(
    "parameters", [{"max_time_in_seconds": "0.2"}, {"use_ls_only": "true"}, {"stop_after_first_solution": "true"}]
)
def test_a_limit_of_the_users_own_is_no_proof(parameters: dict[str, str]) -> None:
    cp_sat = backend(declared([(0, 9)] * 100), parameters=parameters)
    refused(f"with {min(parameters)} the search ends too early", cp_sat.enumerate, lambda values: None)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("num_workers", "8", "loses solutions"),
        ("instantiate_all_variables", "false", "loses solutions"),
        ("keep_all_feasible_solutions_in_presolve", "false", "loses solutions"),
        ("no_such_thing", "1", "no parameter 'no_such_thing'"),
        ("copy_from", "1", "no parameter"),
        ("random_seed", "many", "'many' is not a value"),
        ("random_seed", "99999999999", "not a value"),
        ("random_seed", "1 num_workers: 8", "not a value"),
        ("search_branching", "SIDEWAYS", "not a value"),
        ("cp_model_presolve", "maybe", "not a value"),
    ],
)
def test_parameters_that_are_refused(name: str, value: str, complaint: str) -> None:
    refused(complaint, backend, queens(4).model, parameters={name: value})


def test_parameters_that_are_taken() -> None:
    taken = {"search_branching": "fixed_search", "cp_model_presolve": "False", "linearization_level": "2"}
    assert visits(backend(queens(6).model, seed=7, parameters=taken)).total() == 4
    endless = backend(queens(4).model, parameters={"max_time_in_seconds": "nan"})
    refused("CP-SAT does not accept", visits, endless)


ARCS = [arc for arc in product(range(3), repeat=2) if any(arc)]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            declared([(-1, 1)], lambda m, x: m.add_division_equality(x, 1, x)),
            "CP-SAT does not accept the model: The domain of the divisor",
        ),
        (
            declared(
                [BOOLEAN] * len(ARCS),
                lambda m, *x: m.add_multiple_circuit([(*arc, b) for arc, b in zip(ARCS, x, strict=True)]),
            ),
            "routes can leave out every node here",
        ),
    ],
    ids=["division by zero", "routes"],
)
def test_models_that_are_refused(model: CpModel, sentence: str) -> None:
    refused(sentence, backend, model)


def test_a_backend_that_there_is_none_of() -> None:
    task = Task(CpModel(), [], threading.Event())
    refused("there is no backend 'cp-sat:glucose'", make_backend, "cp-sat:glucose", task)


# What OR-Tools 9.15 itself gets wrong: once one of these tests fails, the code that it stands for may go.


def boxes_on_one_spot(model: CpModel, here: Any, x: Any) -> None:
    point = model.new_interval_var(x, 0, x, "")
    heights = [model.new_optional_interval_var(x, 0, x, ~here, ""), model.new_optional_interval_var(x, 2, x, here, "")]
    model.add_no_overlap_2d([point, point], heights)


BINARY_OPERATION = [BOOLEAN, of(0, 3), of(-2, 4), of(1, 3)]
"""The domains of what enforces it, of its result, and of what it is done to."""

MENDED: dict[str, Sequence[Any]] = {
    "boxes on one spot": ([BOOLEAN, (0, 2)], boxes_on_one_spot),
    "enforced division": (
        BINARY_OPERATION,
        lambda m, enforced, *three: m.add_division_equality(*three).only_enforce_if(enforced),
    ),
    "enforced remainder": (
        BINARY_OPERATION,
        lambda m, enforced, *three: m.add_modulo_equality(*three).only_enforce_if(enforced),
    ),
    "enforced product of three": (
        [BOOLEAN, of(-3, 1, 2, 3, 4), of(-2, 0, 3)],
        lambda m, b, x, y: m.add_multiplication_equality(-2, [-x - 2, y - 2, 2 * y]).only_enforce_if(b),
    ),
    "element of its target": (
        [BOOLEAN, of(-3, 0, 4)],
        lambda m, index, x: m.add_element(index, [-1, x + 2], x - 1),
    ),
    "element of its target by another constraint": (
        [BOOLEAN, of(-3, 0, 4), (-9, 9)],
        lambda m, index, x, target: m.add(target == x - 1),
        lambda m, index, x, target: m.add_element(index, [-1, x + 2], target),
    ),
    "greatest of its target": (
        [(-1, 0), (-2, 1)],
        lambda m, x, y: m.add_max_equality(y - 3, [x - 3, -2 * y - 3]),
    ),
    "greatest of its target by another constraint": (
        [(-2, 1), (0, 3), (-9, 9)],
        lambda m, x, y, target: m.add(2 * x + target == 0),
        lambda m, x, y, target: m.add_max_equality(target, [x - 3, 2 * y - 3, x]),
    ),
    "circuit with literals in common": (
        [BOOLEAN, BOOLEAN],
        lambda m, b, c: m.add_circuit([(0, 0, c), (1, 0, b), (0, 1, c), (0, 1, b)]),
    ),
}
"""Domains, and what is said of variables that have them."""


@pytest.mark.parametrize("name", MENDED)
def test_mended(name: str) -> None:
    model = declared(*MENDED[name])
    truth = Counter(brute_force(model))
    assert all_solutions(model) != truth
    assert visits(backend(model)) == truth


LARGE = (-13949364832449588, -13949364832449589, -13949364832449590)


def test_large_numbers_lose_solutions_and_are_refused() -> None:
    rows = [(0, 0, 0), (-243992838149616031, -3, LARGE[0] + 1)]
    model = declared(
        [BOOLEAN, of(-243992838149616031), of(*LARGE)],
        lambda m, enforced, x, y: m.add_allowed_assignments([x, -3, y + 1], rows).only_enforce_if(enforced),
    )
    assert all_solutions(model) != Counter(brute_force(model))
    refused("choose backend=.sat.", backend, model)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "model",
    [
        declared([of(-2, 1)], lambda m, x: m.add_modulo_equality(2 * x - 3, 2 * x + 3, 2)),
        declared(
            [BOOLEAN, BOOLEAN, (2, 2)],
            lambda m, b, c, time: m.add_reservoir_constraint_with_active([2 * time + 1] * 2, [2, -2], [~b, c], -1, 1),
        ),
    ],
    ids=["remainder of its own result", "reservoir of two events at one time"],
)
def test_breaks_off(model: CpModel) -> None:
    """CP-SAT does, and the whole process with it."""
    code = (
        "import sys; from ortools.sat.python.cp_model import CpModel, CpSolver; solver, model = CpSolver(), CpModel()\n"
        "solver.parameters.num_workers = 1; solver.parameters.enumerate_all_solutions = True\n"
        "model.proto.parse_text_format(sys.stdin.read()); solver.solve(model)"
    )
    assert python(code, input=str(model.proto)).returncode < 0
    assert visits(backend(model)) == Counter(brute_force(model))


@pytest.mark.parametrize("is_enforced", [True, False])
@pytest.mark.parametrize("declare", [CpModel.add_max_equality, CpModel.add_min_equality])
def test_the_greatest_of_nothing(declare: Callable[..., Any], is_enforced: bool) -> None:
    """There is none, so that what enforces the constraint is false."""
    model = declared([BOOLEAN, (0, 2)], lambda m, b, x: declare(m, x, []).only_enforce_if([b] if is_enforced else []))
    expected = [(0, value) for value in range(3)] if is_enforced else []
    assert visits(backend(model)) == Counter(expected) == Counter(brute_force(model))


def test_division_without_presolve() -> None:
    model = declared([of(-1, 3, 5)], lambda m, x: m.add_division_equality(2 * x - 1, 3 * x + 1, -3))
    assert visits(backend(model, parameters={"cp_model_presolve": "false"})) == Counter(brute_force(model))


@pytest.mark.thorough
def test_several_workers_lose_solutions() -> None:
    # how many are lost differs from run to run
    found = [all_solutions(queens(8).model, num_workers=2, random_seed=seed).total() for seed in range(20)]
    assert min(found) < 92
    assert visits(backend(queens(8).model)).total() == 92


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
