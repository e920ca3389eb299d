"""Checks the sizes of orbits in a second way: the images under the generators alone, and the stabilizer.

The orbit-stabilizer theorem: the order of a group is the size of an orbit times the number of elements that fix one of
its members. So the size of each orbit divides the order of the group.
"""

from __future__ import annotations

import numpy as np

from solvers.symmetry.groups import Group, ListedGroup, OrbitRows

MAX_LITERALS = 200_000
"""The most literals of images of one solution that are made, by the generators or by all elements."""


class OrbitCheck:
    """Checks each orbit by the order of the group, and the orbits number 1, 2, 4, 8 and so on by the generators."""

    def __init__(self, group: Group) -> None:
        """Begin without orbits; group: the symmetries whose orbits are checked."""
        self._group = group
        self._orbits_before = 0
        """The number of orbits that were checked."""
        self._next_sampled = 1
        """The number, from 1, of the next orbit that is checked by the generators."""

    def flaw(self, orbits: OrbitRows) -> str:
        """Return what is wrong with the sizes of some further orbits, as a sentence; empty if nothing is.

        Each size has to divide the order of the group; some orbits are checked in a second way. orbits: those that
        follow the orbits of earlier calls.
        """
        order = self._group.order
        if order == 1:
            return ""
        for size in sorted(set(orbits.sizes)):
            if order % size:
                return f"an orbit has {size} solutions, which does not divide the {order} elements of the group"
        # The orbits given here follow those of earlier calls; each of them whose number is a power of 2 is a sample.
        while (place := self._next_sampled - self._orbits_before - 1) < len(orbits.sizes):
            if sentence := self._flaw_of_sample(orbits, place):
                return sentence
            self._next_sampled *= 2
        self._orbits_before += len(orbits.sizes)
        return ""

    def _flaw_of_sample(self, orbits: OrbitRows, place: int) -> str:
        """Return what is wrong with the size of one orbit, as a sentence; empty if nothing is.

        The images under the generators are counted, as far as `MAX_LITERALS` allows; they have to be as many as the
        orbit has solutions. Where the group is listed and small, the elements that fix the solution (its stabilizer)
        are counted, too: their number times the size has to be the order of the group. place: the orbit's place in
        ``orbits``.
        """
        group, size = self._group, orbits.sizes[place]
        (solution,) = group.key.tuples(orbits.met[place : place + 1])
        values = group.key.values(solution)
        # The literals of all key variables; a set of them, sorted, is an image.
        literals = np.array([group.key.number(position, value) for position, value in enumerate(values)])
        start = np.sort(literals)
        seen, unexpanded = {start.tobytes()}, [start]
        while unexpanded and len(seen) <= min(size, MAX_LITERALS // len(literals)):
            image = unexpanded.pop()
            for generator in group.generators:
                next_image = np.sort(generator[image]).astype(start.dtype)
                if next_image.tobytes() not in seen:
                    seen.add(next_image.tobytes())
                    unexpanded.append(next_image)
        if len(seen) > size:
            return f"an orbit has {size} solutions, and by the generators of the group it has more"
        if not unexpanded and len(seen) < size:
            return f"an orbit has {size} solutions, and by the generators of the group it has {len(seen)}"
        if isinstance(group, ListedGroup) and group.order * len(literals) <= MAX_LITERALS:
            fixing_count = int((np.sort(group.elements[:, literals], axis=1) == start).all(axis=1).sum())
            if fixing_count * size != group.order:
                return (
                    f"an orbit has {size} solutions, and {fixing_count} of the {group.order} elements of the group "
                    "fix one, which is not possible"
                )
        return ""
