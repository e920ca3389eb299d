"""Split, then conquer: disjoint cubes that together are the whole space, and workers that search them.

The cubes of an exact cover are the places where its own search has few options left; those of other models come from
branching on key variables with a SAT solver's propagation. Parallelism, progress and resuming all come from here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from solvers.backends.cover import Cover
from solvers.cover.search import Outcome
from solvers.cubes.conquer import Job, packed
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.workers import Journal, Plan, Workers
from solvers.errors import CheckError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


FEW_OPTIONS = 25
"""Options left in a cube of a cover: with so many, solvers mostly answer at once (tests/benchmarks/cubes.py)."""


def cover_plan(cover: Cover, job: Job, most: int | None, cases: Sequence[Cube] = (WHOLE,)) -> Plan:
    """The cases of an exact cover in cubes: some hundreds for its own search, small ones for other backends.

    Its own search gets cubes in which half of the options are left.
    """
    if most is not None:
        small = _threshold(cover, most, cases)
    else:
        small = len(cover.tables.options) // 2 if job.backend == Cover.name else FEW_OPTIONS

    def cubes() -> Iterator[Cube | Found]:
        for case in cases:
            yield from _leaves(cover, small, case)

    def smaller(cube: Cube) -> list[Cube | Found]:
        return list(_leaves(cover, cover.tables.left(cube.literals) // 2, cube))

    return Plan(job, cubes, smaller if most is None else None)


def whole_plan(model: CpModel, job: Job, cases: Sequence[Cube] = (WHOLE,)) -> Plan:
    """The job's backend on the whole space, each case as one cube."""
    return Plan(replace(job, model=packed(model)), lambda: iter(cases), None)


def _leaves(cover: Cover, small: int, within: Cube) -> Iterator[Cube | Found]:
    left_out = cover.tables.left_out(within.literals)
    for leaf in cover.leaves(within.literals, small=small):
        weight = within.weight * leaf.weight
        if leaf.outcome is Outcome.CUBE:
            yield Cube((*leaf.cube, *left_out.literals(leaf.cube)), weight)
        elif leaf.outcome is Outcome.SOLUTION:
            yield Found([cover.tables.values(leaf.cube)], weight)
        else:
            yield Found([], weight, statistics={"nodes": leaf.nodes})


def _threshold(cover: Cover, most: int, cases: Sequence[Cube]) -> int:
    """A number of options left for which there are no more cubes than that.

    Small cubes or few: with a thousand of 600 options solvers take twice as long as with a hundred of 900.
    """
    options = len(cover.tables.options)
    coarser = (options - options * n // 20 for n in range(10, -1, -1))
    for small in (FEW_OPTIONS, *coarser):
        leaves = chain.from_iterable(cover.leaves(case.literals, small=small) for case in cases)
        cubes = (leaf for leaf in leaves if leaf.outcome is Outcome.CUBE)
        if len(list(islice(cubes, most + 1))) <= most:
            return small
    return options


def conquered(
    plan: Plan,
    jobs: int,
    stop: threading.Event,
    journal: Journal | None = None,
    executor: Executor | None = None,
) -> Iterator[Found]:
    """What the cubes hold, in any order; raises `Stopped` once the event is set.

    When it ends, the weights of all that was found add up to 1: nothing was left out.
    """
    workers = Workers(plan, jobs, stop, journal, executor)
    searched = 0.0
    try:
        for found in workers.search(journal.begin(plan.cubes) if journal else plan.cubes()):
            searched += found.weight
            yield found
    finally:
        workers.dismiss()
    if abs(searched - 1) > 1e-6:
        raise CheckError(f"the cubes that were searched make {searched:.6f} of the space")
