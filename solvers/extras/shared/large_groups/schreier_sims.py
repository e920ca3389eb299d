"""Permutation groups by base and strong generating set: a lower bound of the order, and elements drawn at random.

Every element of the chain is a product of generators, so its order is that of a subgroup, at most the group's. Where it
comes up to an upper bound that is known from elsewhere, nothing is left to chance (the random Schreier-Sims algorithm).

References
----------
D. Holt, B. Eick, E. O'Brien, "Handbook of Computational Group Theory", 2005, section 4.4, doi:10.1201/9781420035216
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random
from threading import Event

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import Stopped

Permutation = NDArray[np.int32]

SIFTED_IN_A_ROW = 40
"""The chain counts as complete after this many random elements without anything new: wrong once in 2^40 times."""

MIXED_ELEMENTS = 10
"""Elements, at least, that are multiplied by each other to make random ones."""

MIXING_PRODUCTS = 60
"""Products by which the elements are mixed that random ones are made of."""


class _Level:
    """A level of a chain of stabilisers: a point, its base, and the orbit of that point.

    The orbit is the one under the elements that fix the bases of the levels before.
    """

    def __init__(self, base: int) -> None:
        """Begin with the orbit of the base alone."""
        self.base = base
        self.generators: list[Permutation] = []
        self.inverses: list[Permutation] = []
        self.reached_by: dict[int, int] = {base: -1}
        """The points of the orbit; for each, the number of a generator that maps another point of the orbit to it.

        -1 for the base.
        """

    def add(self, element: Permutation) -> None:
        """Add a generator, and extend the orbit by it.

        element: the permutation, as the number of each literal's image.
        """
        self.generators.append(element)
        self.inverses.append(_inverse(element))
        points = list(self.reached_by)
        for point in points:  # also those that are appended on the way
            for number, generator in enumerate(self.generators):
                image = int(generator[point])
                if image not in self.reached_by:
                    self.reached_by[image] = number
                    points.append(image)

    def sift(self, element: Permutation) -> Permutation | None:
        """Return the element, multiplied by inverses of generators so that it fixes the base.

        They take the base's image back through the orbit, step by step. The result is None if the element maps the base
        out of the orbit.
        """
        point = int(element[self.base])
        if point not in self.reached_by:
            return None
        while point != self.base:
            inverse = self.inverses[self.reached_by[point]]
            # ``inverse[element]`` is the product: first the element, then the inverse.
            element = inverse[element]
            point = int(inverse[point])
        return element

    def random_element(self, chance: Random, points: Sequence[int]) -> Permutation | None:
        """Return an element that maps the base to a random one of these points.

        It is the product of the generators that reach the point from the base, found from the point back. The result is
        None if that point is the base itself. chance: the random numbers. points: those of the orbit.
        """
        point, element = chance.choice(points), None
        while point != self.base:
            number = self.reached_by[point]
            generator = self.generators[number]
            # The generators that come later are applied last.
            element = generator if element is None else element[generator]
            point = int(self.inverses[number][point])
        return element


class Chain:
    """A chain of stabilisers of the group that permutations generate.

    A permutation is an array of the points' images.

    >>> turn, swap = np.array([1, 2, 3, 4, 0], dtype=np.int32), np.array([1, 0, 2, 3, 4], dtype=np.int32)
    >>> Chain([turn, swap], None, Event()).order
    120
    """

    def __init__(self, generators: Sequence[Permutation], order: int | None, stop: Event) -> None:
        """Build the chain from random products of generators.

        generators: permutations of the same points. order: the order of the group, if it is known, at which the
        construction ends; otherwise None: then it ends after many random elements that the chain contains already.

        Raises `Stopped` once the event is set.
        """
        self._levels: list[_Level] = []
        chance = Random(0)
        for generator in generators:
            if stop.is_set():
                raise Stopped
            self._add_element(generator)
        # Product replacement: elements that are multiplied by each other become nearly random ones.
        mixed = list(generators)
        while mixed and len(mixed) < MIXED_ELEMENTS:
            mixed.append(mixed[len(mixed) % len(generators)])
        steps = 0
        fruitless = 0  # how many random elements, one after another, were in the chain already
        while mixed and self.order != order and fruitless < SIFTED_IN_A_ROW:
            if stop.is_set():
                raise Stopped
            place, other_place = chance.sample(range(len(mixed)), 2)
            factor = mixed[other_place] if chance.random() < 0.5 else _inverse(mixed[other_place])
            mixed[place] = mixed[place][factor] if chance.random() < 0.5 else factor[mixed[place]]
            steps += 1
            if steps > MIXING_PRODUCTS:
                fruitless = 0 if self._add_element(mixed[place]) else fruitless + 1

    @property
    def order(self) -> int:
        """The number of elements of the chain; it is the group's order if the chain is complete."""
        return prod(len(level.reached_by) for level in self._levels)

    def draw(self, chance: Random, size: int) -> Permutation:
        """Return an element of the chain, uniformly at random.

        Each element is a product of one element of each level in just one way, the deepest level first; the identity
        counts. chance: the random numbers. size: the number of points.
        """
        element = np.arange(size, dtype=np.int32)
        for level in reversed(self._levels):
            step = level.random_element(chance, list(level.reached_by))
            element = element if step is None else step[element]
        return element

    def _add_element(self, element: Permutation) -> bool:
        """Add an element to the chain unless it contains it already; return whether it was added.

        Sifting through the levels, one after another, makes the element fix their bases. If it gets through all and is
        the identity, the chain contains it. Otherwise it is a new generator, and a new level is made if it fixes all
        bases.
        """
        depth = 0
        while depth < len(self._levels) and (reduced := self._levels[depth].sift(element)) is not None:
            element, depth = reduced, depth + 1
        if depth == len(self._levels):
            moved_points = np.flatnonzero(element != np.arange(len(element)))
            if not len(moved_points):
                return False
            self._levels.append(_Level(int(moved_points[0])))
        # What sifting has left fixes the bases of all levels before this depth, so it belongs to each of them.
        for level in self._levels[: depth + 1]:
            level.add(element)
        return True


def _inverse(element: Permutation) -> Permutation:
    """Return the inverse permutation.

    element: the permutation, an array whose entry n is the image of point n.
    """
    inverse = np.empty_like(element)
    inverse[element] = np.arange(len(element), dtype=element.dtype)
    return inverse
