"""Symmetry broken by cases: parts of the space, by literals alone, that hold a solution of each orbit.

A choice is a set of literals exactly one of which is true. Where a group permutes a choice within itself, one literal
of each orbit is allowed: its representative. What still moves the solutions in which that is the chosen one is its
stabiliser, which is broken by another choice in turn. Representatives with the same stabiliser make one case.

Where the group carries a choice to others, the literals of all of these are looked at. Each solution holds some of
them; of the orbits that these are in, one comes first, and an image of the solution holds the representative of that
orbit. So each orbit of literals makes a case: its representative holds, and no literal of the orbits before it. A
solution that holds several literals of the first orbit may have several images in the case.

So a case may hold several solutions of an orbit, there or where no choice is left: those who search it recognise what
they met before by its least image. As cases are cubes, the model stays what it was.

Groups are asked for orbits of literals and for stabilisers alone, so that they need not be listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, count
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from solvers.symmetry.key import Encoded

MOST_CASES = 64
"""No case is split again once there are so many."""

LITTLE = 0.01
"""A case is not split again if its weight times the elements that move it, besides the identity, is no more."""


class Moves(Protocol):
    """A group of permutations of literals."""

    @property
    def order(self) -> int:
        """How many elements it has."""

    def least(self) -> NDArray[np.int32]:
        """Of each literal, by its number, the least that an element carries it to."""

    def stabilisers(self, literals: Iterable[int]) -> Iterable[tuple[list[int], Self]]:
        """What fixes each of the literals; those that have the same stabiliser come together."""


class Listed:
    """A group by all of its elements, the identity first: an array of shape (elements, literals)."""

    def __init__(self, elements: NDArray[np.int32]) -> None:
        self.elements = elements

    @property
    def order(self) -> int:
        """See `Moves`."""
        return len(self.elements)

    def least(self) -> NDArray[np.int32]:
        """See `Moves`."""
        least: NDArray[np.int32] = self.elements.min(axis=0)
        return least

    def stabilisers(self, literals: Iterable[int]) -> list[tuple[list[int], Listed]]:
        """See `Moves`."""
        fixing: dict[bytes, list[int]] = {}
        for literal in literals:
            fixing.setdefault((self.elements[:, literal] == literal).tobytes(), []).append(literal)
        return [(alike, Listed(self.elements[self.elements[:, alike[0]] == alike[0]])) for alike in fixing.values()]


class Within(NamedTuple):
    """A choice that a group permutes within itself."""

    choice: Sequence[int]
    representatives: Sequence[int]
    """The least literal of each orbit."""
    left: int
    """How many elements the stabilisers of the representatives have together, besides the identity."""


def best_within(group: Moves, choices: Iterable[Sequence[int]]) -> Within | None:
    """Of the choices that a group permutes within themselves the one that leaves least of it.

    None if it moves no literal of any such choice.
    """
    least = group.least()
    sizes = np.bincount(least, minlength=len(least))
    best: Within | None = None
    for choice in choices:
        representatives = np.unique(least[list(choice)]).tolist()
        if len(representatives) == len(choice) or sizes[representatives].sum() != len(choice):
            continue  # it moves no literal of the choice, or carries some to others
        left = sum(group.order // int(sizes[literal]) - 1 for literal in representatives)
        if best is None or (left, len(representatives)) < (best.left, len(best.representatives)):
            best = Within(choice, representatives, left)
    return best


@dataclass(frozen=True)
class Case:
    """A part of the space, by literals of the key, and what moves the solutions in it."""

    held: tuple[int, ...]
    """What holds in it."""

    left_out: tuple[int, ...]
    """What does not."""

    weight: float
    """Its share of the space, by the representatives that it has."""

    group: Moves

    is_shared: bool = False
    """Whether elements besides those of the group may carry a solution in it to another."""

    @property
    def excess(self) -> float:
        """How often its solutions are met again, as a share of what one of each orbit makes."""
        return self.weight * (self.group.order - 1)


class Cases:
    """Disjoint cases that together hold a solution of each orbit.

    No literal of the choices is to say that a Boolean is 0.

    >>> from itertools import permutations
    >>> cases = Cases(Listed(np.array(list(permutations(range(3))), dtype=np.int32)), [[0, 1, 2]])
    >>> [(case.held, case.left_out, case.group.order) for case in cases.cases]
    [((0,), (1, 2), 2)]
    """

    def __init__(self, group: Moves, choices: Sequence[Sequence[int]], most: int | None = None) -> None:
        """There are no more of them than ``most``, if that is given."""
        self.cases: list[Case] = []
        most = min(most or MOST_CASES, MOST_CASES)
        self._choices = choices
        made = count()
        whole = Case((), (), 1.0, group)
        to_split: list[tuple[float, int, Case, Sequence[Sequence[int]]]] = [(-whole.excess, next(made), whole, choices)]
        while to_split:
            _, _, case, among = heappop(to_split)  # the one in which most is met again
            parts = list(_parts(case, among)) if case.excess > LITTLE else []
            if not parts or len(self.cases) + len(to_split) + len(parts) > most:
                self.cases.append(case)
            else:
                for part, others in parts:
                    heappush(to_split, (-part.excess, next(made), part, others))
        self.never = sorted(set[int].intersection(*(set(case.left_out) for case in self.cases)))
        """What holds in none of them."""
        self.is_exact = not any(case.is_shared or case.group.order > 1 for case in self.cases)
        """Whether just one solution of each orbit is in one of them."""

    def cube(self, case: Case) -> tuple[list[int], list[int]]:
        """What holds in a case and what does not, without what follows from the choices or holds in no case.

        A case that holds what it leaves out, because it was split by one choice after another, is empty, and says so.
        """
        held = set(case.held)
        known = set(self.never).union(*(choice for choice in self._choices if held.intersection(choice))) - held
        return list(case.held), [literal for literal in case.left_out if literal not in known]

    def members(self, orbit: Sequence[Encoded]) -> list[Encoded]:
        """Of an orbit's solutions those that are in one of the cases."""
        return [
            solution
            for solution in orbit
            if any(case.left_out.isdisjoint(solution) and case.held.issubset(solution) for case in self._sets)
        ]

    @cached_property
    def _sets(self) -> list[_Sets]:
        return [_Sets(frozenset(case.held), frozenset(case.left_out)) for case in self.cases]


class _Sets(NamedTuple):
    held: frozenset[int]
    left_out: frozenset[int]


def _parts(case: Case, choices: Sequence[Sequence[int]]) -> Iterator[tuple[Case, Sequence[Sequence[int]]]]:
    """What a case is split into, and the choices by which that may be split again; nothing if it cannot be split."""
    if within := best_within(case.group, choices):
        others = [choice for choice in choices if choice is not within.choice]
        for literals, stabiliser in case.group.stabilisers(within.representatives):
            share = case.weight * len(literals) / len(within.representatives)
            held = (*case.held, *literals) if len(literals) == 1 else case.held
            out = sorted(set(within.choice).difference(literals))
            yield Case(held, (*case.left_out, *out), share, stabiliser, case.is_shared), others
    else:
        for part in _parts_by_orbits(case, choices):
            yield part, choices


def _parts_by_orbits(case: Case, choices: Iterable[Sequence[int]]) -> Iterator[Case]:
    """One part for each orbit of the literals of a choice and its images; the choice of which there are fewest."""
    least = case.group.least()
    known = set(chain.from_iterable(choices))
    best: tuple[float, dict[int, list[int]]] | None = None
    for choice in choices:
        orbits: dict[int, list[int]] = {}
        for literal in np.flatnonzero(np.isin(least, np.unique(least[list(choice)]))).tolist():
            orbits.setdefault(int(least[literal]), []).append(literal)
        size = sum(map(len, orbits.values()))
        is_better = size > len(choice) and (best is None or size / len(choice) < best[0])
        if is_better and known.issuperset(chain.from_iterable(orbits.values())):
            best = size / len(choice), orbits
    if best is None:
        return
    orbits, before = best[1], list(case.left_out)
    for representative, orbit in orbits.items():
        ((_, stabiliser),) = case.group.stabilisers([representative])
        held = (*case.held, representative)
        yield Case(held, tuple(before), case.weight / len(orbits), stabiliser, is_shared=True)
        before += orbit
