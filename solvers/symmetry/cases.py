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
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import CheckError
from solvers.symmetry.key import Numbered

MAX_CASES = 64
"""No case is split again once there are so many."""

MIN_CASE_GAIN = 0.01
"""A case is not split again if its `OrbitCase.excess` is no more than this."""


class Moves:
    """A group of permutations of literals, given by all its elements.

    They are an array of shape (elements, literals).
    """

    def __init__(self, elements: NDArray[np.int32]) -> None:
        """Store the elements: entry n of a row is the number of the image of literal n."""
        self.elements = elements

    @property
    def order(self) -> int:
        """The number of elements in the group."""
        return len(self.elements)

    def literal_orbits(self) -> NDArray[np.int32]:
        """Return, for each literal by its number, the least literal of its orbit.

        All images of a literal are its orbit, and a column of `elements` has all images of one literal.
        """
        first: NDArray[np.int32] = self.elements.min(axis=0)
        return first

    def stabilisers(self, literals: Iterable[int]) -> list[tuple[list[int], Moves]]:
        """Divide literals by their stabilisers; return (literals, stabiliser) for each stabiliser.

        literals: by number. The stabiliser of a literal is the subgroup of the elements that map it to itself.
        """
        literals_by_stabiliser: dict[bytes, list[int]] = {}  # a stabiliser is a byte for each element
        for literal in literals:
            literals_by_stabiliser.setdefault((self.elements[:, literal] == literal).tobytes(), []).append(literal)
        return [
            (same, Moves(self.elements[self.elements[:, same[0]] == same[0]]))
            for same in literals_by_stabiliser.values()
        ]


class InvariantChoice(NamedTuple):
    """A choice (literals of which exactly one is true) that every element of a group maps to itself."""

    choice: Sequence[int]
    representatives: Sequence[int]
    """The first literal of each orbit."""
    left: int
    """The number of elements in the stabilisers of all representatives together, without the identities."""


def best_within(group: Moves, choices: Iterable[Sequence[int]]) -> InvariantChoice | None:
    """Return the choice that leaves the least symmetry to break: the fewest elements in its literals' stabilisers.

    choices: sets of literals, by number, exactly one of which is true. Only choices that every element of the group
    maps to themselves are considered. The result is None if no such choice has a literal that the group moves.
    """
    orbit_of = group.literal_orbits()  # for each literal, the least literal of its orbit, which represents it
    sizes = np.bincount(orbit_of, minlength=len(orbit_of))
    best: InvariantChoice | None = None
    for choice in choices:
        representatives = sorted(set(orbit_of[list(choice)].tolist()))
        if len(representatives) == len(choice) or sizes[representatives].sum() != len(choice):
            continue  # the group moves no literal of the choice, or maps some out of it: orbits are not subsets of it
        # The stabiliser of a literal has group.order / orbit size elements.
        left = sum(group.order // int(sizes[literal]) - 1 for literal in representatives)
        if best is None or (left, len(representatives)) < (best.left, len(best.representatives)):
            best = InvariantChoice(choice, representatives, left)
    return best


@dataclass(frozen=True)
class OrbitCase:
    """A part of the space, given by literals of the key, and the group of symmetries left in it."""

    held: tuple[int, ...]
    """The literals that are true in it."""

    left_out: tuple[int, ...]
    """The literals that are false in it."""

    weight: Fraction
    """Its share of the space: at each choice, the representatives share the space equally."""

    group: Moves
    """The symmetries that map the case to itself, as far as they are still to be broken in it."""

    shared: tuple[frozenset[int], ...] = ()
    """Sets of literals, each an orbit by which a case was split.

    For each literal of such a set that is true in a solution, the solution has an image in this case.
    """

    @property
    def excess(self) -> Fraction:
        """The weight of the case times the number of its symmetries besides the identity.

        It estimates how many solutions the search of the case would meet for nothing.
        """
        return self.weight * (self.group.order - 1)


class OrbitCases:
    """Disjoint cases that together hold at least one solution of each orbit.

    >>> from itertools import permutations
    >>> cases = OrbitCases(Moves(np.array(list(permutations(range(3))), dtype=np.int32)), [[0, 1, 2]])
    >>> [(case.held, case.left_out, case.group.order) for case in cases.cases]
    [((0,), (1, 2), 2)]
    """

    def __init__(self, group: Moves, choices: Sequence[Sequence[int]], most: int | None = None) -> None:
        """Split the space into cases, again and again the case whose search would meet most solutions for nothing.

        `OrbitCase.excess` estimates that number. A case stays whole if its excess is small, if no choice splits it, or
        if there would be too many cases. group: permutations of literals. choices: sets of literals, by number, exactly
        one of which is true; no literal of them may be the negation of a Boolean. most: the most cases; None for
        `MAX_CASES`.
        """
        self.cases: list[OrbitCase] = []
        most = min(most or MAX_CASES, MAX_CASES)
        self._choices = choices
        serial_numbers = count()  # so that the heap never compares two cases
        root = OrbitCase((), (), Fraction(1), group)
        # A heap of (- excess, serial number, case, the choices by which it may be split).
        to_split = [(-root.excess, next(serial_numbers), root, choices)]
        while to_split:
            _, _, case, choices_left = heappop(to_split)
            # Each part is (case, choices by which it may be split).
            parts = list(_split_case(case, choices_left)) if case.excess > MIN_CASE_GAIN else []
            if not parts or len(self.cases) + len(to_split) + len(parts) > most:
                self.cases.append(case)
            else:
                for part, choices_of_part in parts:
                    heappush(to_split, (-part.excess, next(serial_numbers), part, choices_of_part))
        self.never = sorted(set[int].intersection(*(set(case.left_out) for case in self.cases)))
        """The literals that are false in all cases."""
        self.is_exact = not any(case.shared or case.group.order > 1 for case in self.cases)
        """True if the cases together hold exactly one solution of each orbit."""

        self._order, self._literals = group.elements.shape  # the numbers of elements and of literals

    def cube(self, case: OrbitCase) -> tuple[list[int], list[int]]:
        """Return (true, false): the literals, by number, that are true in a case and those that are false.

        False literals that the model excludes without the cube are left out: those of `never`, which the model gets as
        constraints, and those of a choice with a true literal. A case that was split by one choice after another may be
        empty; then some literal is in both lists.
        """
        held = set(case.held)
        decided_choices = (choice for choice in self._choices if held.intersection(choice))
        excluded = set(self.never).union(*decided_choices) - held
        return list(case.held), [literal for literal in case.left_out if literal not in excluded]

    def stands_for(self, solutions: Numbered) -> Fraction:
        """Return the number of solutions that some solutions, each in a case, represent, summed over them.

        A solution represents the order of the whole group, divided by the number of ways in which a solution of its
        orbit is mapped into the case: the order of the case's group times, for each set of `OrbitCase.shared`, the
        number of its literals that are true. Over all solutions of an orbit that are in the cases, these numbers add up
        to the size of the orbit. solutions: a row for each, with the numbers of its literals, filled up with the number
        of all literals. Raises `CheckError` if a solution is in no case.
        """
        # A column for each literal, and a last one for what fills the rows.
        holds = np.zeros((len(solutions), self._literals + 1), np.bool_)
        np.put_along_axis(holds, solutions, True, axis=1)
        solutions_by_ways = Counter[int]()  # how many solutions are mapped into the case in so many ways
        unplaced = np.arange(len(solutions))  # the rows of the solutions whose case was not reached yet
        for case in self.cases:
            held, left_out = holds[unplaced][:, list(case.held)], holds[unplaced][:, list(case.left_out)]
            are_inside = held.all(axis=1) & ~left_out.any(axis=1)
            ways = np.full(int(are_inside.sum()), case.group.order)
            for orbit in case.shared:
                ways *= holds[unplaced[are_inside]][:, sorted(orbit)].sum(axis=1)
            solutions_by_ways.update(ways.tolist())
            unplaced = unplaced[~are_inside]
        if len(unplaced):
            raise CheckError(f"the solution {solutions[unplaced[0]].tolist()} is in no case that was searched")
        return sum((Fraction(self._order * count, ways) for ways, count in solutions_by_ways.items()), Fraction(0))


def _split_case(
    case: OrbitCase, choices: Sequence[Sequence[int]]
) -> Iterator[tuple[OrbitCase, Sequence[Sequence[int]]]]:
    """Split a case; yield the parts, each with the choices by which it may be split again.

    case: the part of the space to split. choices: sets of literals exactly one of which is true, by which it may be
    split.

    If the case's group maps a choice to itself, one literal of the choice is true, and an element maps it to the
    representative of its orbit. So each solution has an image in which a representative is true, and representatives
    with the same stabiliser (the elements that map them to themselves) make one part. Otherwise the case is split by
    the orbits of literals. Yields nothing if the case cannot be split.
    """
    if within := best_within(case.group, choices):
        other_choices = [choice for choice in choices if choice is not within.choice]
        for literals, stabiliser in case.group.stabilisers(within.representatives):
            share = case.weight * Fraction(len(literals), len(within.representatives))
            # One of several literals is true because all others of the choice are false.
            chosen_literals = (*case.held, *literals) if len(literals) == 1 else case.held
            excluded = sorted(set(within.choice).difference(literals))
            part = OrbitCase(chosen_literals, (*case.left_out, *excluded), share, stabiliser, case.shared)
            yield part, other_choices
    else:
        for part in _parts_by_orbits(case, choices):
            yield part, choices


def _parts_by_orbits(case: OrbitCase, choices: Iterable[Sequence[int]]) -> Iterator[OrbitCase]:
    """Split a case by the orbits of the literals of a choice; yield one part for each orbit.

    In a part, the representative of its orbit is true, and all literals of the orbits before it are false. Each
    solution has an image in the part of the first orbit of which it has a literal. The choice taken is the one whose
    orbits have the fewest literals in proportion to its size. Yields nothing if no choice can be used: the orbits must
    have more literals than the choice, and each of their literals must be in one of ``choices``. If the orbits have no
    more than the choice, the group maps it to itself, and `_split_case` splits by it in another way.
    """
    orbit_of = case.group.literal_orbits()
    literals_of_choices = set(chain.from_iterable(choices))
    best: tuple[float, dict[int, list[int]]] | None = None  # (literals in proportion to the choice's size, orbits)
    for choice in choices:
        orbits: dict[int, list[int]] = {}  # those of the choice's literals, by their least literal
        is_orbit_met = np.zeros(len(orbit_of), np.bool_)  # by the least literal of the orbit
        is_orbit_met[orbit_of[list(choice)]] = True
        for literal in np.flatnonzero(is_orbit_met[orbit_of]).tolist():
            orbits.setdefault(int(orbit_of[literal]), []).append(literal)
        size = sum(map(len, orbits.values()))
        is_better = size > len(choice) and (best is None or size / len(choice) < best[0])
        if is_better and literals_of_choices.issuperset(chain.from_iterable(orbits.values())):
            best = size / len(choice), orbits
    if best is None:
        return
    _, orbits = best
    left_out = list(case.left_out)
    for representative, orbit in orbits.items():
        ((_, stabiliser),) = case.group.stabilisers([representative])
        chosen_literals = (*case.held, representative)
        yield OrbitCase(
            chosen_literals, tuple(left_out), case.weight / len(orbits), stabiliser, (*case.shared, frozenset(orbit))
        )
        left_out += orbit
