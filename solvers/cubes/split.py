"""Split, then conquer: disjoint cubes that together are the whole space, and workers that search them.

The backend `cover` gets the places where its own search has few options left; for other backends an exact cover is cut
into some cubes (`cut`), and other models by branching on key variables with a SAT solver's propagation (`branch`).
Parallelism, progress and resuming all come from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from typing import Protocol, runtime_checkable

from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Backend
from solvers.cubes.conquer import Job, Plan
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.cut import Cutter
from solvers.cubes.processes import pack_model
from solvers.model.cover_search import CoverTables, Leaf, Outcome
from solvers.model.exact_cover import ExactCover

SEVERAL, TURNS = 100, 5
"""The number of cubes of a cover for another backend: SEVERAL, or TURNS for each job where that is more."""

MIN_CUBE_OPTIONS = 12
"""The fewest options that a cube of the backend `cover` is left with, however finely it is split."""

MANY = 200
"""The most cubes for the backend `cover`, which takes half a millisecond to begin one; those that take long are split
again."""


@runtime_checkable
class Splitting(Backend, Protocol):
    """A backend, such as `cover`, whose own search splits the space; workers search by its tables."""

    @property
    def tables(self) -> CoverTables:
        """The tables of its search."""
        ...

    def leaves(self, cube: Sequence[int] = (), small: int = -1) -> Iterator[Leaf]:
        """Yield the leaves of the search tree in a cube; see `solvers.model.cover_search.leaves`."""
        ...


def cover_plan(cover: Splitting, job: Job, most: int | None, cases: Sequence[Cube] = (WHOLE,)) -> Plan:
    """Return a plan that splits an exact cover for the backend `cover`.

    Its cubes are the nodes of a search at which few options are left, as `_most_options_left` says. If the search was
    over when the tables were made (as of small covers), there are no cubes, only its result.

    cover: the backend, whose tables its workers search. job: the backend and the tables of the cover. most: the most
    cubes; None for no limit, with cubes that may be split again later. cases: disjoint parts of the space to search.
    """
    searched = cover.tables.searched if most is None and list(cases) == [WHOLE] else None

    def cubes() -> Iterator[Cube | Found]:
        if searched:
            yield Found(searched.solutions, WHOLE.weight, statistics={"nodes": searched.nodes})
            return
        most_left = _most_options_left(cover, most, cases)
        for case in cases:
            yield from _leaves(cover, most_left, case)

    def smaller(cube: Cube) -> list[Cube | Found]:
        return list(_leaves(cover, cover.tables.left(cube.literals) // 2, cube))

    return Plan(job, cubes, smaller if most is None else None)


def cut_plan(
    model: CpModel,
    cover: ExactCover,
    job: Job,
    most: int | None,
    cases: Sequence[Cube] = (WHOLE,),
    jobs: int = 1,
    ruled_out: Sequence[int] = (),
) -> Plan:
    """Return a plan that cuts an exact cover for a backend other than `cover`.

    model, cover: the model, and the same as an exact cover. job: the backend and its settings. most: the most cubes;
    None for a number that suits ``jobs``, the number of workers, with cubes that may be split again later. cases:
    disjoint parts of the space to search. ruled_out: literals of options that are taken to be in no solution.
    """
    cutter = Cutter(cover, ruled_out)
    cube_count = most or max(SEVERAL, TURNS * jobs)

    def cubes() -> Iterator[Cube | Found]:
        return cutter.cubes(cube_count, cases)

    def smaller(cube: Cube) -> list[Cube | Found]:
        return list(cutter.cubes(SEVERAL, [cube]))

    return Plan(
        replace(job, model=pack_model(model)), cubes, smaller if most is None else None, work=cutter.work_estimate
    )


def whole_plan(model: CpModel, job: Job, cases: Sequence[Cube] = (WHOLE,)) -> Plan:
    """Return a plan that does not split: each case, a part of the space, is one cube.

    job: the backend and its settings; the model is added to it here.
    """
    return Plan(replace(job, model=pack_model(model)), lambda: iter(cases), None)


def _leaves(cover: Splitting, most_left: int, within: Cube) -> Iterator[Cube | Found]:
    """Yield the cubes below ``within`` with few options left, and the solutions met before them.

    most_left: the most options that a cube may have left. A leaf of the search is such a cube, a solution, or refuted.
    At the end it yields a `Found` without solutions for all parts that were refuted, with the number of nodes.
    """
    excluded = cover.tables.options_excluded_by(within.literals)
    refuted, nodes = Fraction(), 0
    for leaf in cover.leaves(within.literals, small=most_left):
        weight = within.weight * leaf.weight
        nodes += leaf.nodes
        if leaf.outcome is Outcome.CUBE:
            # The cube also states which options its literals exclude, which others need not derive.
            yield Cube((*leaf.cube, *excluded.negative_literals(leaf.cube)), weight)
        elif leaf.outcome is Outcome.SOLUTION:
            yield Found([cover.tables.values(leaf.cube)], weight)
        else:
            refuted += weight
    yield Found([], refuted, statistics={"nodes": nodes})


def _most_options_left(cover: Splitting, most: int | None, cases: Sequence[Cube]) -> int:
    """Return how many options may be left in a cube, so that a split makes at most ``most`` cubes, or `MANY` if None.

    It is the least such number of those tried, so that there are many cubes: `MIN_CUBE_OPTIONS` unless ``most`` is
    None, then from half of all options to all of them, in steps of a twentieth. cover, cases: the parts of a cover that
    are split.
    """
    options, limit = len(cover.tables.options), MANY if most is None else most
    candidates = (options - options * n // 20 for n in range(10, -1, -1))
    for most_left in candidates if most is None else (MIN_CUBE_OPTIONS, *candidates):
        if _cube_count(cover, most_left, cases, limit + 1) <= limit:
            return most_left
    return options


def _cube_count(cover: Splitting, most_left: int, cases: Sequence[Cube], most: int) -> int:
    """Count the cubes of a split that ends at ``most_left`` options left; the result is at most ``most``.

    cases: the parts of the space that are split.
    """
    leaves = chain.from_iterable(cover.leaves(case.literals, small=most_left) for case in cases)
    return sum(1 for _ in islice((leaf for leaf in leaves if leaf.outcome is Outcome.CUBE), most))
