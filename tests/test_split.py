"""Cubes: disjoint, exhaustive, and conquered to the same solutions in whatever way they are shared out."""

import threading
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from pysat.solvers import Solver

from models.pentomino import pentomino
from solvers.backends.cover import Cover
from solvers.cnf.lower import lower
from solvers.cover.search import Outcome
from solvers.cubes.conquer import Job
from solvers.cubes.split import conquered, cover_plan
from solvers.errors import CheckError
from solvers.options import Options
from solvers.running.runner import Run
from solvers.symmetry.breaking import by_cases
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Decoded, Key

BOARDS: list[dict[str, Any]] = [
    {"board": "3x20"},
    {"board": "4x5", "subset": True},
    {"board": "5x5", "subset": True},
    {"board": "8x8-centre"},
]


@pytest.mark.parametrize("arguments", [*BOARDS[1:3], pytest.param(BOARDS[0], marks=pytest.mark.thorough)], ids=str)
@pytest.mark.parametrize("small", [200, pytest.param(10, marks=pytest.mark.thorough)])
def test_cubes_are_exhaustive(arguments: dict[str, Any], small: int) -> None:
    """A case, and none of the cubes and solutions that the splitter names in it: a SAT solver finds that impossible."""
    puzzle = pentomino(**arguments)
    key = Key(puzzle.model, puzzle.key)
    broken = by_cases(puzzle.model, Group(key, puzzle.symmetries))
    cover = Cover(broken.model, key.variables, threading.Event())
    lowering = lower(broken.model, threading.Event())
    for case, _ in broken.cases:
        leaves = list(cover.leaves(case, small=small))
        with Solver("glucose4", bootstrap_with=lowering.formula.clauses) as solver:
            for leaf in leaves:
                if leaf.outcome is not Outcome.REFUTED:
                    solver.add_clause([-literal for literal in lowering.booleans(leaf.cube)])
            assert solver.solve(lowering.booleans(case)) is False
        assert sum(leaf.weight for leaf in leaves) == pytest.approx(1)


def solutions(arguments: dict[str, Any], **options: Any) -> tuple[list[Any], int]:
    run = Run("pentomino", arguments, pentomino, Options(**options))
    for solution in run:
        assert solution is None or isinstance(solution, Decoded)
    assert run.report.complete
    assert run.report.repeats == 0
    assert run.collector is not None
    return run.collector.in_order(), run.report.cubes


@pytest.mark.parametrize(
    "arguments",
    [*BOARDS[1:3], *(pytest.param(board, marks=pytest.mark.thorough) for board in (BOARDS[0], BOARDS[3]))],
    ids=str,
)
def test_shared_out_in_any_way(arguments: dict[str, Any]) -> None:
    expected, no_cubes = solutions(arguments, backend="cover", cubes=1)
    assert no_cubes == 0
    for backend, jobs, cubes in (
        ("cover", 2, None),
        ("cover", 1, None),
        ("sat", 2, None),
        ("sat:minisat22", 1, 20),
        ("cp-sat", 2, None),
    ):
        found, _ = solutions(arguments, backend=backend, jobs=jobs, cubes=cubes)
        assert found == expected, (backend, jobs, cubes)


def test_at_most_so_many_cubes() -> None:
    _, many = solutions({"board": "8x8-centre"}, backend="sat")
    _, few = solutions({"board": "8x8-centre"}, backend="sat", cubes=50)
    assert 1 < few <= 50 < many


def test_a_cube_that_gets_lost_is_noticed() -> None:
    puzzle = pentomino("3x20")
    cover = Cover(puzzle.model, Key(puzzle.model, puzzle.key).variables, threading.Event())
    plan = cover_plan(cover, Job("cover", 0, {}, (), b"", cover.tables), None)
    lossy = replace(plan, cubes=lambda: islice(plan.cubes(), 1, None))
    with pytest.raises(CheckError, match="of the space"):
        list(conquered(lossy, 1, threading.Event()))
