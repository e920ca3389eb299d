"""Symmetry: the group that the declared generators close to, and the orbits of solutions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby, islice
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label, Literal, Symmetry
from solvers.errors import InputError, WrongSymmetryError
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    pass

Permutation = NDArray[np.int32]
"""The number of each literal's image."""

MOST_ELEMENTS = 40_320
"""The largest group that is closed: 8!, the names of eight like parts."""

MOST_LITERALS = 4_000_000
"""The most literals of a key with symmetries: each is asked for its image, which takes some ten seconds for so many."""

MOST_IMAGES = 200_000_000
"""The largest product of elements and literals: what a group takes in memory is four bytes for each."""

AT_ONCE = 100_000
"""Literals of images that are made at once, unless one orbit has more: a few megabytes."""


class Group:
    """The permutations of a key's literals that the generators close to, the identity first.

    Raises `WrongSymmetryError` if a generator does not permute the literals, `InputError` if it has more elements than
    ``most``.
    """

    is_listed = True
    """Whether its elements and the images of a solution are few enough to be listed."""

    def __init__(self, key: Key, generators: Sequence[Symmetry], most: int = MOST_ELEMENTS) -> None:
        self._name(key, generators)
        self.elements = _closure(key, self.generators, most)
        self._literal_wise = not all(_keeps_booleans(key, element) for element in self.elements)

    def _name(self, key: Key, generators: Sequence[Symmetry]) -> None:
        """Take the generators as permutations."""
        if generators:
            check_size(key)
        self.key = key
        self._variable = np.repeat(np.arange(len(key.labels)), np.diff(key.first)) if generators else np.arange(0)
        self._generators = named(generators)
        self.generators = [permutation(key, symmetry, name) for name, symmetry in self._generators.items()]

    @property
    def names(self) -> str:
        """The generators' names, of which one is meant."""
        return " or ".join(self._generators)

    @property
    def order(self) -> int:
        """How many elements the group has."""
        return len(self.elements)

    def first_image(self, solution: Encoded) -> Encoded:
        """The image that its orbit is shown by."""
        return self.images(solution)[0]

    def orbit_size(self, solution: Encoded) -> int:
        """How many different images it has."""
        return len(self.images(solution))

    def drawn(self, solution: Encoded, rank: int, chance: Random) -> Encoded:
        """One of the different images: that of the rank, which is drawn from 0 to the orbit's size."""
        return self.images(solution)[rank]

    def holding(self, images: Sequence[Encoded]) -> NDArray[Any]:
        """Of each literal, how many of an orbit's images hold it; but for those that say that a Boolean is 0.

        images: those that an orbit is told by.
        """
        literals = np.fromiter(chain.from_iterable(images), dtype=np.int64)
        return np.bincount(literals, minlength=self.key.size)

    def listed(self) -> Group:
        """The same group by its elements."""
        return self

    def dismiss(self) -> None:
        """Let go of what was begun to tell orbits."""

    def each_image(self, solution: Encoded) -> Iterator[Encoded]:
        """The different images, the one that is shown first."""
        return iter(self.images(solution))

    def images(self, solution: Encoded) -> Sequence[Encoded]:
        """The different images of a solution, the least first; the orbit's size is how many there are.

        Raises `WrongSymmetryError` if an image gives a variable two values.
        """
        return next(self.orbits([solution]))

    def orbits(self, solutions: Iterable[Encoded]) -> Iterator[Sequence[Encoded]]:
        """The images of each solution; several of one length are moved at once."""
        for length, alike in groupby(solutions, len):
            literals = self.order * (len(self.key.labels) if self._literal_wise else length)
            while some := list(islice(alike, max(1, AT_ONCE // max(1, literals)))):
                yield from self._orbits(some)

    def _orbits(self, solutions: Sequence[Encoded]) -> Iterator[list[Encoded]]:
        if self.order == 1:
            yield from ([solution] for solution in solutions)
            return
        literals = list(map(self._with_false, solutions)) if self._literal_wise else solutions
        images = np.sort(self.elements[:, np.array(literals, dtype=np.int64)], axis=2)
        has_two_values = (np.diff(self._variable[images], axis=2) == 0).any(axis=(0, 2))
        for solution, is_wrong, orbit in zip(solutions, has_two_values, images.swapaxes(0, 1).tolist(), strict=True):
            if is_wrong:
                shown = dict(self.key.decode(solution))
                raise WrongSymmetryError(self.names, f"gives a variable two values in an image of {shown}")
            encoded: Callable[[list[int]], Encoded] = self._without_false if self._literal_wise else tuple
            yield sorted(set(map(encoded, orbit)))

    def least(self, orbit: Sequence[Encoded]) -> list[Encoded]:
        """Of solutions that the group permutes among themselves those that lex-leader constraints leave of its orbits.

        At the first Boolean in which two of an orbit differ, theirs is true.
        """
        least: list[Encoded] = []
        seen: set[Encoded] = set()
        for solution in sorted(orbit, key=lambda one: (*one, self.key.size)):
            if solution not in seen:
                least.append(solution)
                seen.update(self.images(solution))
        return least

    def subgroup(self, most: int) -> Group:
        """What some of the generators make, one after another, that has no more elements than that."""
        chosen: dict[str, Symmetry] = {}
        group = Group(self.key, ())
        for name, symmetry in self._generators.items():
            with suppress(InputError):
                larger = Group(self.key, [*chosen.values(), symmetry], most)
                chosen[name] = symmetry
                group = larger
        group._generators = chosen
        return group

    def keeping(self, literals: Collection[int]) -> Group:
        """The subgroup whose elements permute these literals, by number, among themselves."""
        if self.order == 1 or not literals:
            return self
        held = np.array(sorted(literals))
        elements = self.elements[(np.sort(self.elements[:, held], axis=1) == held).all(axis=1)]
        declared = {
            generator.tobytes(): name for generator, name in zip(self.generators, self._generators, strict=True)
        }
        names: list[str] = []
        generators: list[Permutation] = []
        generated = {elements[0].tobytes()}
        for element in elements:
            if element.tobytes() not in generated:
                names.append(declared.get(element.tobytes(), f"product {len(generators) + 1} of the symmetries"))
                generators.append(element)
                generated = {product.tobytes() for product in _closure(self.key, generators)}
        group = Group(self.key, [Numbered(self.key, generator.tolist()) for generator in generators])
        group._generators = dict(zip(names, group._generators.values(), strict=True))
        return group

    def _with_false(self, solution: Encoded) -> list[int]:
        return [self.key.number(position, value) for position, value in enumerate(self.key.values(solution))]

    def _without_false(self, literals: Sequence[int]) -> Encoded:
        key = self.key
        false = (position for position in range(len(key.labels)) if key.is_boolean[position])
        return tuple(sorted(set(literals) - {key.number(position, 0) for position in false}))

    def blame(self, solutions: Collection[Encoded], image: Encoded) -> str:
        """The names of the declared symmetries that carry one of the solutions to the image."""
        literals = set(self.key.decode(image).items())
        return " or ".join(
            name
            for name, symmetry in self._generators.items()
            if any(literals <= {symmetry(*literal) for literal in self._literals(solution)} for solution in solutions)
        )

    def _literals(self, solution: Encoded) -> list[Literal]:
        return list(zip(self.key.labels, self.key.values(solution), strict=True))


class Numbered:
    """A symmetry by the numbers of its literals' images."""

    def __init__(self, key: Key, image: Sequence[int]) -> None:
        self.__name__ = "by number"
        self._key = key
        self._image = image

    def __call__(self, label: Label, value: int) -> Literal:
        key = self._key
        position, turned = key.literal(self._image[key.number(key.position[label], value)])
        return key.labels[position], turned


def named(symmetries: Iterable[Symmetry]) -> dict[str, Symmetry]:
    """What each of several symmetries is called."""
    return {
        f"symmetry {number} ({getattr(symmetry, '__name__', 'unnamed')})": symmetry
        for number, symmetry in enumerate(symmetries, 1)
    }


def check_size(key: Key) -> None:
    """Raises `InputError` if the key has too many literals for symmetries."""
    if key.size > MOST_LITERALS:
        raise InputError(
            f"the key has {key.size} literals, too many for its symmetries; take every solution for one of its own "
            "with --symmetry none, or use smaller domains"
        )


def permutation(key: Key, symmetry: Symmetry, name: str) -> Permutation:
    """A declared symmetry as a permutation of the key's literals; `WrongSymmetryError`, with its name, if not."""
    image = np.empty(key.size, dtype=np.int32)
    for source in range(key.size):
        position, value = key.literal(source)
        literal = key.labels[position], value
        try:
            label, turned = symmetry(*literal)
            image[source] = key.number(key.position[label], turned)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise WrongSymmetryError(name, f"carries the literal {literal} to none of the key ({error})") from error
    if len(np.unique(image)) < key.size:
        twice = int(np.bincount(image).argmax())
        position, value = key.literal(twice)
        raise WrongSymmetryError(name, f"carries two literals to the same one, {(key.labels[position], value)}")
    return image


def _closure(key: Key, generators: Sequence[Permutation], most: int = MOST_ELEMENTS) -> NDArray[np.int32]:
    identity = np.arange(key.size if generators else 0, dtype=np.int32)
    elements, seen = [identity], {identity.tobytes()}
    for element in elements:
        for generator in generators:
            product = generator[element]
            if product.tobytes() not in seen:
                if len(elements) == most or len(elements) * key.size > MOST_IMAGES:
                    raise InputError(
                        f"the symmetries generate a group of more than {len(elements)} elements, too many to close; "
                        "declare fewer, or take every solution for one of its own with --symmetry none"
                    )
                seen.add(product.tobytes())
                elements.append(product)
    return np.stack(elements)


def _keeps_booleans(key: Key, element: Permutation) -> bool:
    """Whether the element carries Booleans to Booleans, each 1 to a 1."""
    if not len(element):
        return True
    true = np.array([key.first[p] for p, boolean in enumerate(key.is_boolean) if boolean], dtype=np.int64)
    return bool(np.isin(element[true], true).all() and (element[true + 1] == element[true] + 1).all())
