"""Cubes: disjoint, exhaustive, and conquered to the same solutions in whatever way they are shared out."""

import threading
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel
from pysat.solvers import Solver

from models.pentomino import pentomino
from solvers import solve
from solvers.backends.cover import Cover
from solvers.backends.protocol import Task
from solvers.base.errors import CheckError, WorkerDiedError
from solvers.base.tuning import override_tuning
from solvers.cnf.lower import lower
from solvers.cubes import conquer as conquering
from solvers.cubes.conquer import Job, Plan
from solvers.cubes.cube import WHOLE, Cube, CubeResult
from solvers.cubes.cut import Cutter
from solvers.cubes.processes import Processes
from solvers.cubes.split import cover_plan, whole_plan
from solvers.cubes.workers import CHUNKS_SENT_PER_JOB, MIN_CHUNKS_PER_JOB, Workers, conquer_all
from solvers.model import cover_search
from solvers.model.cover_search import Outcome
from solvers.model.exact_cover import exact_cover
from solvers.symmetry.breaking import by_cases
from solvers.symmetry.key import Key
from tests.support.covers import covers, domino
from tests.support.declared import BOOLEAN, declared
from tests.support.groups import group_of
from tests.support.random_models import brute_force
from tests.support.refusals import refused
from tests.support.runs import complete

BOARDS: list[dict[str, Any]] = [
    {"board": "3x20"},
    {"board": "4x5", "subset": True},
    {"board": "5x5", "subset": True},
    {"board": "8x8-centre"},
]


@pytest.mark.parametrize("arguments", [BOARDS[1], pytest.param(BOARDS[2], marks=pytest.mark.thorough)], ids=str)
@pytest.mark.parametrize("small", [200, pytest.param(10, marks=pytest.mark.thorough)])
def test_cubes_are_exhaustive(arguments: dict[str, Any], small: int) -> None:
    """A case, and none of the cubes and solutions that the splitter names in it: a SAT solver finds that impossible."""
    puzzle = pentomino(**arguments)
    group = group_of(puzzle)
    broken = by_cases(puzzle.model, group)
    cover = Cover(Task(broken.model, group.key.variables, threading.Event()))
    lowering = lower(broken.model, threading.Event())
    for case, _ in broken.cases:
        leaves = list(cover.leaves(case, small=small))
        with Solver("glucose4", bootstrap_with=lowering.formula.clauses) as solver:
            for leaf in leaves:
                if leaf.outcome is not Outcome.REFUTED:
                    solver.add_clause([-literal for literal in lowering.booleans(leaf.cube)])
            assert solver.solve(lowering.booleans(case)) is False
        assert sum(leaf.weight for leaf in leaves) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        BOARDS[1],
    ],
    ids=str,
)
def test_shared_out_in_any_way(arguments: dict[str, Any]) -> None:
    expected, whole = complete(pentomino, arguments, backend="cover", cubes=1)
    assert whole.cubes == 0
    for backend, jobs, cubes in (
        ("cover", 2, None),
        ("cover", 1, None),
        ("sat", 2, None),
        ("sat:minisat22", 1, 20),
        ("cp-sat", 2, None),
    ):
        found, _ = complete(pentomino, arguments, backend=backend, jobs=jobs, cubes=cubes)
        assert found == expected, (backend, jobs, cubes)


@pytest.mark.parametrize(("backend", "finely"), [("cover", 200), ("sat", 60)])
def test_at_most_so_many_cubes(backend: str, finely: int) -> None:
    few, many = (complete(pentomino, BOARDS[1], backend=backend, cubes=most, jobs=1)[1] for most in (20, finely))
    assert 1 <= few.cubes <= 20 < many.cubes <= finely
    assert many.splitting_nodes == 0 if backend == "cover" else 0 < many.splitting_nodes <= 2 * many.cubes


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["sat", "sat:minisat22", "cp", "cp-sat"])
def test_the_backend_that_is_named_does_the_search(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own search never begins, and what was cut by us holds all that is to be searched."""
    refuse = Mock(side_effect=AssertionError("our own search"))
    _, exclude_pairs = cover_search.kernel()  # by which follows what solvers are told besides the rules
    monkeypatch.setattr(cover_search, "kernel", lambda: (refuse, exclude_pairs))
    monkeypatch.setattr(cover_search, "first_level", refuse)
    puzzle = pentomino("5x3", subset=True)
    for cubes in (1, 10):
        result = solve(puzzle, backend=backend, cubes=cubes, jobs=1)
        assert (result.complete, result.solutions, result.total) == (True, 7, 28)
        assert (result.report.cubes > 1) == (cubes > 1)
        assert result.report.statistics
        assert "nodes" not in result.report.statistics
    refused("our own search", solve, puzzle, backend="cover", raises=AssertionError)


@pytest.mark.thorough
@settings(deadline=None, max_examples=50)
@given(covers, st.integers(1, 40), st.sets(st.integers(0, 9)))
def test_cubes_for_other_backends_leave_nothing_out(model: CpModel, most: int, believed: set[int]) -> None:
    """That each assignment lies in a cube rests neither on a rule of the model nor on what is believed ruled out."""
    cover = exact_cover(model)
    ruled_out = [option for option in believed if option < cover.variables]
    parts = list(Cutter(cover, ruled_out).cubes(most, [WHOLE]))
    cubes = [part for part in parts if isinstance(part, Cube)]
    assert len(cubes) <= most
    assert sum(part.weight for part in parts) == 1
    with Solver("glucose4") as solver:
        for cube in cubes:
            solver.add_clause([-(literal + 1) if literal >= 0 else -literal for literal in cube.literals])
        assert solver.solve() is False
    for values in brute_force(model):
        assert sum(all(values[max(a, -a - 1)] == (a >= 0) for a in cube.literals) for cube in cubes) == 1


@pytest.mark.parametrize("most", range(2, 12))
def test_parts_of_a_wide_item_do_not_overlap(most: int) -> None:
    """Each choice of one option in both items, of six and of five options, lies in exactly one cube."""
    model = declared([BOOLEAN] * 11, lambda m, *x: m.add_exactly_one(x[:6]), lambda m, *x: m.add_exactly_one(x[6:]))
    cubes = [part for part in Cutter(exact_cover(model)).cubes(most, [WHOLE]) if isinstance(part, Cube)]
    for chosen in product(range(6), range(6, 11)):
        assert sum(all((max(a, -a - 1) in chosen) == (a >= 0) for a in cube.literals) for cube in cubes) == 1


@override_tuning(min_parallel_seconds=0.0, forecast_after_seconds=float("inf"))
def test_the_cube_with_most_options_is_cut_next() -> None:
    """On a board of which each cube is cut in two."""
    cutter = Cutter(exact_cover(domino(6, 6).model))
    cubes = [{part for part in cutter.cubes(most, [WHOLE]) if isinstance(part, Cube)} for most in range(1, 7)]
    for before, after in pairwise(cubes):
        (cut,) = before - after
        assert cutter.work_estimate(cut) == max(map(cutter.work_estimate, before))


@override_tuning(max_cube_solutions=1)
def test_a_cube_of_our_own_search_is_split_at_half_of_its_options() -> None:
    puzzle = domino(4, 4)
    cover = Cover(Task(puzzle.model, Key(puzzle.model, puzzle.key).variables, threading.Event()))
    plan = cover_plan(cover, Job("cover", 0, {}, (), b"", tables=cover.tables), None)
    assert plan.smaller
    for cube in plan.cubes():
        if isinstance(cube, Cube):
            parts = plan.smaller(cube)
            assert sum(part.weight for part in parts) == cube.weight
            most = cover.tables.left(cube.literals) // 2
            assert all(cover.tables.left(part.literals) <= most for part in parts if isinstance(part, Cube))
    rows = [tuple(row) for part in conquer_all(plan, 1, threading.Event()) for row in part.rows]
    assert len(rows) == len(set(rows)) == 36


def test_a_cube_that_gets_lost_is_noticed() -> None:
    puzzle = pentomino("3x20")
    cover = Cover(Task(puzzle.model, Key(puzzle.model, puzzle.key).variables, threading.Event()))
    plan = cover_plan(cover, Job("cover", 0, {}, (), b"", tables=cover.tables), None)
    lossy = replace(plan, cubes=lambda: islice(plan.cubes(), 1, None))
    refused("of the space", list, conquer_all(lossy, 1, threading.Event()), raises=CheckError)


def one_of(weights: Sequence[Fraction]) -> Plan:
    """A search for all ways to choose one thing, a cube of such a weight for each of them."""
    key = tuple(range(len(weights)))
    model = declared([BOOLEAN] * len(key), lambda m, *things: m.add_exactly_one(things))
    return whole_plan(model, Job("sat", 0, {}, key, b""), [Cube((n,), weights[n]) for n in key])


def test_a_cube_that_weighs_next_to_nothing_gets_lost() -> None:
    """Fifty cubes, each of which is half of what the ones before leave; each holds one solution."""
    plan = one_of([Fraction(1, 2 ** min(n + 1, 49)) for n in range(50)])
    found = list(conquer_all(plan, 1, threading.Event()))
    assert sum(len(part.rows) for part in found) == 50
    lossy = replace(plan, cubes=lambda: islice(plan.cubes(), 49))
    refused(r"lack 1\.78e-15 of the space", list, conquer_all(lossy, 1, threading.Event()), raises=CheckError)


@pytest.mark.thorough
def test_workers_begin_with_what_takes_longest_and_this_process_helps() -> None:
    """Weights are the work here; this process takes the least of it while others search."""
    plan = replace(one_of([Fraction(n, 435) for n in range(30)]), work=lambda cube: float(cube.weight))
    parts = list(conquer_all(plan, 2, threading.Event(), is_long=True))
    weights = [part.weight for part in parts]
    assert sorted(weights)[:3] == sorted(weights[:3])
    assert [sum(len(part.rows) for part in parts), *{part.open for part in parts}] == [30, None]


def test_this_process_searches_all_if_no_worker_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes back what it has sent, and has no need of an answer."""
    monkeypatch.setattr(Processes, "submit", lambda *_: Future())
    plan = replace(one_of([Fraction(1, 30)] * 30), work=lambda cube: float(cube.weight))
    assert sum(len(part.rows) for part in conquer_all(plan, 2, threading.Event(), is_long=True)) == 30


@pytest.mark.thorough
def test_a_backend_that_is_ready_searches_the_cubes_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is not given to another solver, which would take as long as a short search."""
    monkeypatch.setattr(conquering, "make_backend", Mock(side_effect=AssertionError))
    monkeypatch.setattr(Processes, "submit", lambda *_: Future())
    result = solve(pentomino(board="3x20"), backend="sat", jobs=2, cubes=20)
    assert (result.solutions, result.total, result.report.cubes) == (2, 8, 5)


def test_what_is_left_is_shared_out() -> None:
    """Each worker can have some chunks more, where cubes may take a hundred times as long as others."""
    works, jobs, many = list[list[float]](), 5, 400

    def at_once(call: Any, job: Job, cubes: Sequence[Cube], *more: Any) -> Future[Any]:
        """No cube has a solution or takes any time."""
        works.append([work(cube) for cube in cubes])
        future: Future[Any] = Future()
        future.set_result([CubeResult(np.zeros((0, 0), np.int8), 0.0, {}, 0) for _ in cubes])
        return future

    def work(cube: Cube) -> float:
        return float(cube.literals[0])

    plan = replace(one_of([Fraction(1, many)] * many), work=work)
    executor = Mock(submit=at_once)
    assert sum(part.cubes for part in conquer_all(plan, jobs, threading.Event(), executor=executor)) == many
    assert max(map(len, works)) > 1
    for number, chunk in enumerate(works):
        unfinished = sum(map(sum, works[max(0, number - CHUNKS_SENT_PER_JOB * jobs) :]))
        assert len(chunk) == 1 or sum(chunk) <= unfinished / (MIN_CHUNKS_PER_JOB * jobs)


@pytest.mark.parametrize(("literals", "named"), [((), "the whole space"), ((0, -2), "0 -2")])
def test_a_cube_that_kills_its_workers_is_named(
    literals: tuple[int, ...], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: Future[Any] = Future()
    died.set_exception(BrokenExecutor())
    monkeypatch.setattr(Processes, "submit", Mock(return_value=died))
    monkeypatch.setattr(Processes, "is_guilty", Mock(return_value=True))
    monkeypatch.setattr(Workers, "_may_send_here", False)  # or this process searches the cube
    plan = replace(one_of([Fraction(1)]), cubes=lambda: iter([Cube(literals, Fraction(1))]))
    search = conquer_all(plan, 2, threading.Event(), is_long=True)
    refused(f"^the death of 3 workers, one after another, on the cube {named}$", list, search, raises=WorkerDiedError)
