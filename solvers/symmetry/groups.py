"""Symmetry: groups that generators make, and the orbits of solutions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from random import Random
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Literal, Symmetry
from solvers.base.errors import InputError, WrongSymmetryError
from solvers.symmetry.key import Encoded, Key, Numbered

Permutation = NDArray[np.int32]
"""The number of each literal's image."""

MAX_GROUP_ELEMENTS = 40_320
"""The largest group that is closed: 8!, the names of eight like parts."""

MAX_SYMMETRIC_LITERALS = 4_000_000
"""The most literals of a key with symmetries: each is asked for its image, which takes some ten seconds for so many."""

MAX_GROUP_ENTRIES = 200_000_000
"""The largest product of elements and literals; in memory a group takes four bytes for each entry."""

SOLUTIONS_TOLD_AT_ONCE = 256
"""Solutions whose orbits are told at once, where they come one by one."""

LITERALS_PER_BATCH = 100_000
"""Literals of images that are made at once, unless one orbit has more: a few megabytes."""


class Orbit(NamedTuple):
    """A set of solutions that the symmetries map to each other."""

    met: Encoded
    """The solution whose orbit was asked for."""
    images: Sequence[Encoded]
    """Solutions of the orbit, first the one that is shown; all of them, if the elements of the group are listed."""
    size: int
    """The number of solutions in the orbit."""


class OrbitRows(NamedTuple):
    """Several orbits as arrays, each with a solution that was found."""

    met: Numbered
    images: Numbered
    """Solutions of each orbit, those of one orbit together, first the one that is shown; see `Orbit.images`."""
    counts: list[int]
    """How many images of each orbit there are."""
    sizes: list[int]
    """The number of solutions in each orbit."""

    @property
    def starts(self) -> list[int]:
        """The row of the first image of each orbit, and behind them the number of images."""
        return [0, *accumulate(self.counts)]

    def first(self, most: int) -> OrbitRows:
        """Return the first so many of the orbits."""
        images = self.images[: sum(self.counts[:most])]
        return OrbitRows(self.met[:most], images, self.counts[:most], self.sizes[:most])


class FormsAndOrbits(NamedTuple):
    """The forms of several solutions, and the orbits of those whose form is new."""

    forms: list[bytes]
    """The form of each solution. Two solutions have the same form iff they are in the same orbit."""
    new: list[int]
    """The places of the solutions whose forms were not known, the first of each form."""
    orbits: OrbitRows
    """The orbits of these."""


class Group(ABC):
    """A group of permutations of a key's literals, given by named generators."""

    rigid: Sequence[str] = ()
    """The kinds of constraints in which no symmetries were looked for, if the group was found and not declared."""

    is_proved = False
    """True if it is proved that the elements map solutions to solutions."""

    most_images: int
    """The largest number of images that `orbits` returns for one orbit."""

    def __init__(self, key: Key, generators: Mapping[str, Permutation], order: int) -> None:
        """Store the key, the generators by name, and the number of elements."""
        self.key = key
        self.order = order
        """The number of elements in the group."""
        self._named = generators
        self.generators = list(generators.values())

    @property
    def names(self) -> str:
        """The names of all generators, joined by "or", for messages about a symmetry that is wrong."""
        return " or ".join(self._named)

    @abstractmethod
    def new_orbits(self, solutions: Numbered, known: Container[bytes] = ()) -> FormsAndOrbits:
        """Return the orbits of several solutions.

        known: forms that were seen before, whose orbits are left out.

        Raises `WrongSymmetryError` if an image gives a variable two values.
        """

    def orbits(
        self, solutions: Iterable[Encoded], known: Container[bytes] = ()
    ) -> Iterator[tuple[bytes, Orbit | None]]:
        """Yield (form, orbit) for each solution in turn.

        Two solutions have the same form iff they are in the same orbit. The orbit is None if the form is one of
        ``known``. Some solutions at a time are computed together.
        """
        solutions = iter(solutions)
        while solutions_at_once := list(islice(solutions, SOLUTIONS_TOLD_AT_ONCE)):
            computed = self.new_orbits(self.key.literal_rows(solutions_at_once), known)
            images, starts = self.key.tuples(computed.orbits.images), computed.orbits.starts
            orbit_numbers = {computed.forms[place]: n for n, place in enumerate(computed.new)}
            for solution, form in zip(solutions_at_once, computed.forms, strict=True):
                orbit = None
                n = orbit_numbers.get(form)
                if n is not None:
                    orbit = Orbit(solution, images[starts[n] : starts[n + 1]], computed.orbits.sizes[n])
                yield form, orbit

    def orbit(self, solution: Encoded) -> Orbit:
        """Return the orbit of one solution."""
        ((_, orbit),) = self.orbits([solution])
        assert orbit
        return orbit

    def orbit_size(self, solution: Encoded) -> int:
        """Return the number of different images of a solution, itself included."""
        return self.orbit(solution).size

    def images(self, solution: Encoded) -> Sequence[Encoded]:
        """Return all different images of a solution, itself included; the one that is shown comes first."""
        return list(self.each_image(solution))

    @abstractmethod
    def each_image(self, solution: Encoded) -> Iterator[Encoded]:
        """Yield the different images of a solution, itself included, one after another."""

    @abstractmethod
    def random_image(self, solution: Encoded, rank: int, chance: Random) -> Encoded:
        """Return an image of a solution, drawn uniformly at random from its orbit.

        rank: a random integer from 0 to the orbit's size - 1. chance: a generator of further random numbers. A group
        may use only one of ``rank`` and ``chance``.
        """

    @abstractmethod
    def literal_counts(self, orbits: OrbitRows) -> NDArray[Any]:
        """Return, for each literal of the key by its number, how many solutions of the orbits hold it.

        The number for the negation of a Boolean means nothing: it may be 0, as it follows from that of the Boolean.
        """

    @abstractmethod
    def list_elements(self) -> ListedGroup:
        """Return the group with all its elements listed; raise `InputError` if there are too many."""

    @abstractmethod
    def stabilizer(self, literals: Collection[int]) -> Group:
        """Return the subgroup of the elements that map this set of literals, given by number, to itself."""

    def serve(self, stop: Event, jobs: int) -> None:  # noqa: B027
        """Set the event that stops long work of the group, and the number of processes that it may use.

        The default does nothing.
        """

    def dismiss(self) -> None:  # noqa: B027
        """End the processes that the group has started to compute orbits. The default does nothing."""

    def blame(self, solutions: Collection[Encoded], image: Encoded) -> str:
        """Return the names of the generators that map one of the solutions to the image, joined by "or".

        The text is empty if no generator does. The literals that say that a Boolean is 0 are compared, too.
        """
        image_literals = set(self._with_false(image))
        literals_of_solutions = [np.array(self._with_false(solution), dtype=np.int64) for solution in solutions]
        return " or ".join(
            name
            for name, generator in self._named.items()
            if any(image_literals == set(generator[literals].tolist()) for literals in literals_of_solutions)
        )

    def _with_false(self, solution: Encoded) -> list[int]:
        """Return the literals of a solution, by number, with the negations of Booleans that are 0."""
        return [self.key.number(position, value) for position, value in enumerate(self.key.values(solution))]

    def _without_false(self, literals: Sequence[int]) -> Encoded:
        """Return the solution with these literals, by number: sorted, without those that say that a Boolean is 0."""
        key = self.key
        false = (position for position in range(len(key.labels)) if key.is_boolean[position])
        return tuple(sorted(set(literals) - {key.number(position, 0) for position in false}))


class ListedGroup(Group):
    """A group with a list of all its elements; the identity comes first.

    elements: an array of shape (elements, literals), each row a permutation.
    """

    def __init__(self, key: Key, generators: Mapping[str, Permutation], elements: NDArray[np.int32]) -> None:
        """Store the generators by name, and all elements.

        key: numbers the literals. elements: a row for each element, with the number of each literal's image.
        """
        super().__init__(key, generators, len(elements))
        self.elements = elements
        self.most_images = self.order
        if generators:
            self._moved = np.column_stack([elements, np.full(self.order, key.size, elements.dtype)])
            """The image of each literal, and a last column that maps `Key.size`, which fills up rows of solutions, to
            itself."""
            self.elements = self._moved[:, :-1]  # a view, so that there is one copy
            self._variable = np.append(np.repeat(np.arange(len(key.labels)), np.diff(key.first)), -1)
            """The position in the key of each literal's variable, and -1 for the padding."""
        self._needs_false = not all(_keeps_booleans(key, generator) for generator in self.generators)
        """Whether images need the literals of false Booleans, too: some element maps the 1 of a Boolean to a 0."""

    def new_orbits(self, solutions: Numbered, known: Container[bytes] = ()) -> FormsAndOrbits:
        """Return the form of each of several solutions, and the orbits of the solutions whose form is new.

        The form is the digest of the least image; it is new if it is not one of ``known``, nor that of a solution
        before. The images are all solutions of the orbit, in ascending order, so that there are as many as the orbit's
        size. solutions: a row for each, with the numbers of its literals. Some rows at a time are computed, to save
        memory.
        """
        length = len(self.key.labels) if self._needs_false else solutions.shape[1]
        batch_size = max(1, LITERALS_PER_BATCH // max(1, self.order * length))
        forms: list[bytes] = []
        new: list[int] = []
        images: list[Numbered] = []
        counts: list[int] = []
        seen = set[bytes]()
        for start in range(0, len(solutions), batch_size):
            # By solution and element; ``differ`` is False for an image that repeats the one before it.
            images_of_batch, differ = self._images(solutions[start : start + batch_size])
            forms_of_batch = self.key.digests(images_of_batch[:, 0])
            # From last to first, so that the first of equal forms overwrites the others.
            first_place = dict(zip(forms_of_batch[::-1], range(len(forms_of_batch) - 1, -1, -1), strict=True))
            places = sorted(place for form, place in first_place.items() if form not in known and form not in seen)
            seen.update(forms_of_batch)
            forms += forms_of_batch
            images.append(images_of_batch[places][differ[places]])  # without repeats
            counts += differ[places].sum(axis=1).tolist()
            new += [start + place for place in places]
        every_image = stack_solutions(images, self.key.size) if images else solutions
        return FormsAndOrbits(forms, new, OrbitRows(solutions[new], every_image, counts, counts))

    def _images(self, solutions: Numbered) -> tuple[Numbered, NDArray[np.bool_]]:
        """Return (images, differ): all images of each solution in order, the least first, and which are not repeats.

        images: an array of shape (solutions, elements, literals), sorted along the second axis, so that equal images of
        a solution are neighbours. differ: an array of shape (solutions, elements), False where an image equals the one
        before it. solutions: a row for each, with the numbers of its literals, filled up with `Key.size`, the padding.
        Raises `WrongSymmetryError` if an image gives a variable two values.
        """
        if self.order == 1:
            return solutions[:, np.newaxis], np.ones((len(solutions), 1), np.bool_)
        size = self.key.size
        # Whether the literals "Boolean is 0" are needed, as an element maps some of them to a literal "is 1".
        literals = self.key.with_false(solutions) if self._needs_false else solutions
        images = np.sort(self._moved[:, literals].swapaxes(0, 1), axis=2)
        variables = self._variable[images]
        # The literals are sorted, and so those of one variable are neighbours. The padding, ``size``, is no literal.
        are_alike = (variables[:, :, 1:] == variables[:, :, :-1]) & (images[:, :, 1:] < size)
        if are_alike.any():
            wrong = solutions[are_alike.any(axis=(1, 2))][:1]
            values = dict(self.key.decode(self.key.tuples(wrong)[0]))
            raise WrongSymmetryError(self.names, f"gives a variable two values in an image of {values}")
        if self._needs_false:
            images = self.key.without_false(images)
        # NumPy sorts texts byte by byte. As texts of big-endian numbers from 1, images sort like tuples; the padding
        # becomes 0, so that a solution comes before those that it begins.
        written = np.where(images == size, 0, images + 1).astype(">u4", order="C")
        texts = written.view(f"S{4 * images.shape[2]}")[:, :, 0]
        order = np.arange(len(texts))[:, np.newaxis], np.argsort(texts, axis=1, kind="stable")
        texts = texts[order]
        differ = np.ones(texts.shape, np.bool_)
        differ[:, 1:] = texts[:, 1:] != texts[:, :-1]
        return images[order], differ

    def each_image(self, solution: Encoded) -> Iterator[Encoded]:
        """Yield the different images of a solution in ascending order; see `Group.each_image`."""
        return iter(self.orbit(solution).images)

    def random_image(self, solution: Encoded, rank: int, chance: Random) -> Encoded:
        """Return the image of a solution with the number ``rank``, in ascending order; see `Group.random_image`.

        ``chance`` is not used.
        """
        return self.images(solution)[rank]

    def literal_counts(self, orbits: OrbitRows) -> NDArray[Any]:
        """Return, for each literal by its number, how many solutions of the orbits hold it."""
        literals = orbits.images[orbits.images < self.key.size]
        return np.bincount(literals, minlength=self.key.size)

    def list_elements(self) -> ListedGroup:
        """Return the group itself, whose elements are listed already; see `Group.list_elements`."""
        return self

    def stabilizer(self, literals: Collection[int]) -> Group:
        """Return the subgroup of the elements that map this set of literals, given by number, to itself.

        Its generators have the names of declared symmetries, or "product n of the symmetries".

        Raises `InputError` if the subgroup is too large to list.
        """
        if self.order == 1 or not literals:
            return self
        kept_set = np.array(sorted(literals))
        # An element maps the set to itself iff its images of the set, sorted, are the set. The identity comes first.
        elements = self.elements[(np.sort(self.elements[:, kept_set], axis=1) == kept_set).all(axis=1)]
        declared = {generator.tobytes(): name for name, generator in self._named.items()}  # names, by permutation
        generators: dict[str, Permutation] = {}
        generated = {elements[0].tobytes()}  # the elements that the generators so far generate
        for element in elements:  # each that the generators so far do not generate becomes one
            if element.tobytes() not in generated:
                name = declared.get(element.tobytes(), f"product {len(generators) + 1} of the symmetries")
                generators[name] = element
                generated = {product.tobytes() for product in generate_group(self.key, generators).elements}
        return ListedGroup(self.key, generators, elements)


def stack_solutions(solutions: Sequence[Numbered], behind: int) -> Numbered:
    """Return arrays of solutions, at least one, as one array; rows are filled up to the width of the widest array.

    behind: the number that fills a row where its literals end.
    """
    width = max(solution.shape[1] for solution in solutions)
    wide = [
        np.pad(solution, ((0, 0), (0, width - solution.shape[1])), constant_values=behind)
        if solution.shape[1] < width
        else solution
        for solution in solutions
    ]
    return np.concatenate(wide) if len(wide) > 1 else wide[0]


def permutations(key: Key, symmetries: Sequence[Symmetry]) -> dict[str, Permutation]:
    """Return each declared symmetry as a permutation: the number of each literal's image.

    Each has a name such as "symmetry 1 (turned)". symmetries: functions from (label, value) to the image (label,
    value). Raises `WrongSymmetryError` if one does not permute the literals, `InputError` if the key has too many
    literals.
    """
    if symmetries:
        check_size(key)
    names = (f"symmetry {n} ({getattr(symmetry, '__name__', 'unnamed')})" for n, symmetry in enumerate(symmetries, 1))
    literals = list(map(key.label_and_value, range(key.size if symmetries else 0)))
    return {name: _permutation(key, literals, symmetry, name) for name, symmetry in zip(names, symmetries, strict=True)}


def check_size(key: Key) -> None:
    """Raise `InputError` if the key has too many literals to compute symmetries."""
    if key.size > MAX_SYMMETRIC_LITERALS:
        raise InputError(
            f"the key has {key.size} literals, too many for its symmetries; count each solution separately "
            "with `--symmetry none`, or use smaller domains"
        )


def _permutation(key: Key, literals: Sequence[Literal], symmetry: Symmetry, name: str) -> Permutation:
    """Return a declared symmetry as a permutation: the number of each key literal's image.

    literals: (label, value) of each literal of the key, by number. symmetry: called with a label and a value; returns
    those of the image. name: for messages. Raises `WrongSymmetryError` if it maps a literal to none of the key, or two
    to the same one.
    """
    images: list[int] = []
    for literal in literals:
        try:
            label, value = symmetry(*literal)
            images.append(key.number(key.position[label], value))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise WrongSymmetryError(name, f"carries the literal {literal} to none of the key ({error})") from error
    image = np.array(images, dtype=np.int32)
    if len(set(images)) < key.size:
        twice = int(np.bincount(image).argmax())
        raise WrongSymmetryError(name, f"carries two literals to the same one, {key.label_and_value(twice)}")
    return image


def generate_group(key: Key, generators: Mapping[str, Permutation], most: int = MAX_GROUP_ELEMENTS) -> ListedGroup:
    """Return the group that the generators generate, with all its elements.

    A generator that the ones before generate is left out; so what is proved of the others is proved of all elements.

    key: numbers the literals. generators: permutations of the literals, by name. Raises `InputError` if the group has
    more than ``most`` elements, or if these would take too much memory.
    """
    # ``elements`` grows while a loop goes through it, until no product of an element and a generator is new.
    identity = np.arange(key.size if generators else 0, dtype=np.int32)
    elements, seen = [identity], {identity.tobytes()}
    needed: dict[str, Permutation] = {}
    for name, new in generators.items():
        if new.tobytes() in seen:
            continue
        needed[name] = new
        for element in elements:
            for generator in needed.values():
                product = generator[element]
                if product.tobytes() not in seen:
                    if len(elements) >= most or len(elements) * key.size > MAX_GROUP_ENTRIES:
                        raise InputError(
                            f"the symmetries generate a group of more than {len(elements)} elements, which is too "
                            "many; declare fewer, or count each solution separately with `--symmetry none`"
                        )
                    seen.add(product.tobytes())
                    elements.append(product)
    return ListedGroup(key, needed, np.stack(elements))


def _keeps_booleans(key: Key, element: Permutation) -> bool:
    """Tell whether the element maps Booleans to Booleans, each literal "is 1" to an "is 1".

    element: the permutation, as the number of each literal's image; it is empty in a group without generators, which
    moves nothing. key: numbers the literals.
    """
    if not len(element):
        return True
    # "Is 1" has the first number of a Boolean, "is 0" the next.
    true = np.array([key.first[p] for p, boolean in enumerate(key.is_boolean) if boolean], dtype=np.int64)
    return bool(np.isin(element[true], true).all() and (element[true + 1] == element[true] + 1).all())
