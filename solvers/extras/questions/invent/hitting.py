"""Smallest hitting sets: by PySAT, or of the solutions of a list, to tell each of these from all others.

Facts of a solution distinguish it from each other solution that lacks one of them. So they have to hit, of each other
solution, the set of facts that it lacks.

References: R. Reiter, "A theory of diagnosis from first principles", Artificial Intelligence 32 (1987),
doi:10.1016/0004-3702(87)90062-2: the tree whose nodes branch on a set that is not hit.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import Stopped

CONFLICTS_PER_SLICE = 2000
"""The conflicts of a search between two looks at whether to stop."""


class StoppableSolver:
    """A solver that a program of PySAT uses, whose searches raise `Stopped` once an event is set.

    By itself it would not even let another thread, or the handler of a signal, have its turn.
    """

    def __init__(self, solver: Any, stop: threading.Event) -> None:
        """Take the program's solver, an object of `pysat.solvers.Solver`, and the event."""
        self._solver, self._stop = solver, stop
        self._has_budget = False
        """Whether the program limits its searches itself."""

    def __getattr__(self, name: str) -> Any:
        """Return what else the solver has."""
        return getattr(self._solver, name)

    def conf_budget(self, budget: int = -1) -> None:
        """Limit the conflicts of a search; budget: their number, or -1 for no limit."""
        self._has_budget = budget >= 0
        self._solver.conf_budget(budget)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Return whether the formula has a model in which the assumptions hold."""
        return self.solve_limited(assumptions)

    def solve_limited(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> bool | None:
        """Return what `solve` returns, or None if a limit that the program has set comes first.

        expect_interrupt: not used, as the event ends the search.
        """
        if self._has_budget:
            limited: bool | None = self._solver.solve_limited(assumptions=assumptions)
            return limited
        answer: bool | None = None
        while answer is None:
            if self._stop.is_set():
                raise Stopped
            self._solver.conf_budget(CONFLICTS_PER_SLICE)
            answer = self._solver.solve_limited(assumptions=assumptions)
        self._solver.conf_budget(-1)
        return answer


@contextmanager
def hitting_sets(stop: threading.Event, **options: Any) -> Iterator[Any]:
    """Give a `pysat.examples.hitman.Hitman` of smallest hitting sets that raises `Stopped` once the event is set.

    options: those of its constructor.
    """
    from pysat.examples.hitman import Hitman

    with Hitman(htype="sorted", **options) as hitman:
        hitman.oracle.oracle = StoppableSolver(hitman.oracle.oracle, stop)
        yield hitman


class Smallest(NamedTuple):
    """The smallest sets of facts that distinguish a solution from all others."""

    size: int | None
    """The number of facts in each set; None if another solution has all facts of this one, so that there is no set."""

    sets: list[list[int]]
    """The sets, each a list of the numbers of its facts: all of them, or only the first that was found."""


class Listed:
    """A table of all solutions, each by the numbers of its facts.

    >>> table = Listed(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 2, 1, 2], dtype=np.int32), 3)
    >>> table.smallest([0, 1], finds_all=True, stop=threading.Event())
    Smallest(size=2, sets=[[0, 1]])
    """

    def __init__(self, starts: NDArray[np.int64], facts: NDArray[np.int32], most: int) -> None:
        """Store, for each fact, the solutions that have it.

        facts: the numbers of the facts of all solutions, one solution after the other. starts: the place in ``facts``
        at which each solution begins, and the end. most: the number of different facts, which are 0, 1, 2 and so on.
        """
        self._solutions = len(starts) - 1
        """The number of solutions."""
        solution_of_entry = np.repeat(np.arange(self._solutions), np.diff(starts))  # for each entry of ``facts``
        ends = np.bincount(facts, minlength=most).cumsum()  # where each fact's entries end if they are sorted
        self._solutions_with = np.split(solution_of_entry[np.argsort(facts, kind="stable")], ends[:-1])
        """For each fact, the numbers of the solutions that have it."""

    def smallest(self, facts: Sequence[int], finds_all: bool, stop: threading.Event) -> Smallest:
        """Find the smallest subsets of a solution's facts that no other solution contains.

        A subset has to contain, for each other solution, a fact that this one lacks. facts: the numbers of the
        solution's facts; the solution is one of the table. finds_all: find all smallest subsets, not only one.

        Raises `Stopped` once the event is set.
        """
        lacks = np.ones((len(facts), self._solutions), dtype=bool)  # whether a solution lacks the fact at a place
        for place, fact in enumerate(facts):
            lacks[place, self._solutions_with[fact]] = False
        is_distinguished = lacks.any(axis=0)
        if np.count_nonzero(is_distinguished) < self._solutions - 1:  # all but the solution itself have to be
            return Smallest(size=None, sets=[])
        size, sets = smallest_hitting(lacks[:, is_distinguished], finds_all, stop)
        return Smallest(size, [[facts[place] for place in places] for places in sets])


def smallest_hitting(hits: NDArray[np.bool_], finds_all: bool, stop: threading.Event) -> tuple[int, list[list[int]]]:
    """Find minimum hitting sets; return (their size, the sets, each a list of places, sorted).

    The sizes 0, 1, 2 and so on are tried. hits: a row for each place, a column for each set to hit, True where the
    place is in the set; no set is empty. finds_all: find all, not one. Raises `Stopped` once the event is set.

    >>> smallest_hitting(np.array([[True, False], [True, True], [False, True]]), True, threading.Event())
    (1, [[1]])
    """
    wanted_sets = None if finds_all else 1
    for size in count():
        sets = sorted(map(sorted, islice(hitting_of_size(hits, size, stop), wanted_sets)))
        if sets:
            return size, sets
    raise AssertionError("all places together hit all sets")


def hitting_of_size(hits: NDArray[np.bool_], size: int, stop: threading.Event) -> Iterator[list[int]]:
    """Yield all sets of ``size`` places that hit each set; there must be no smaller ones.

    hits: a row for each place, a column for each set to hit, True where the place is in the set. The search branches on
    the places of the smallest set. After a branch, its place is removed from all sets, so that no set is found twice; a
    set without places ends the search. Raises `Stopped` once the event is set.
    """
    if stop.is_set():
        raise Stopped
    if size == 0:
        if not hits.size:  # there is nothing to hit
            yield []
        return
    if size == 1:
        yield from ([int(place)] for place in np.flatnonzero(hits.all(axis=1)))
        return
    set_sizes = np.count_nonzero(hits, axis=0)
    if not set_sizes.all() or has_more_disjoint(hits, size):
        return
    hits = hits.copy()
    for place in np.flatnonzero(hits[:, set_sizes.argmin()]):
        for other_places in hitting_of_size(hits[:, ~hits[place]], size - 1, stop):
            yield [int(place), *other_places]
        hits[place] = False


def has_more_disjoint(hits: NDArray[np.bool_], size: int) -> bool:
    """Tell whether more than ``size`` disjoint sets are found: then ``size`` places cannot hit all of them.

    They are found greedily: the first set, then the first that is disjoint from it, and so on. hits: a row for each
    place, a column for each set to hit, True where the place is in the set.
    """
    for _ in range(size):
        if not hits.shape[1]:
            return False
        first_set = hits[:, 0]
        hits = hits[:, ~hits[first_set].any(axis=0)]
    return bool(hits.shape[1])
