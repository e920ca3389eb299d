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
from solvers.cubes.conquer import FEW_OPTIONS, Job, packed
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.workers import Journal, Plan, Workers
from solvers.errors import CheckError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


SOME_THOUSANDS, TURNS = 2000, 20
"""Cubes of a cover for another backend: so many at the least, and so many for each job. Whoever searches one splits it
again; to make these takes some hundredths of a second."""


def cover_plan(cover: Cover, job: Job, most: int | None, cases: Sequence[Cube] = (WHOLE,), jobs: int = 1) -> Plan:
    """The cases of an exact cover in cubes: some hundreds for its own search, some thousands for other backends.

    Its own search gets cubes in which half of the options are left.
    """
    options = len(cover.tables.options)
    if most is not None:
        small = _threshold(cover, most, cases)
    elif job.backend == Cover.name:
        small = options // 2
    else:
        wanted = max(SOME_THOUSANDS, TURNS * jobs)
        sizes = (options * n // 20 for n in range(10, 0, -1))
        small = next((size for size in sizes if _count(cover, size, cases, wanted) == wanted), FEW_OPTIONS)

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
    """A number of options left for which there are no more cubes than that."""
    options = len(cover.tables.options)
    coarser = (options - options * n // 20 for n in range(10, -1, -1))
    for small in (FEW_OPTIONS, *coarser):
        if _count(cover, small, cases, most + 1) <= most:
            return small
    return options


def _count(cover: Cover, small: int, cases: Sequence[Cube], most: int) -> int:
    """How many cubes of so many options there are, if no more than ``most``."""
    leaves = chain.from_iterable(cover.leaves(case.literals, small=small) for case in cases)
    return sum(1 for _ in islice((leaf for leaf in leaves if leaf.outcome is Outcome.CUBE), most))


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
