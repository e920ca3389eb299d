"""Groups that are too large to list: orbits by canonical forms of a model's constraint graph.

A solution is marked in the graph. Two are images of each other iff the marked graphs have the same canonical form; the
size of an orbit is the order of the group divided by that of the subgroup that keeps the marks. Both are what bliss
tells (B. McKay, A. Piperno, "Practical graph isomorphism, II", Journal of Symbolic Computation 60, 2014).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from random import Random
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Symmetry
from solvers.errors import CheckError, InputError, Stopped
from solvers.symmetry.automorphisms import Bliss, FoundGroup, Graph
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.groups import MOST_ELEMENTS, MOST_IMAGES, Group, check_size, named, permutation
from solvers.symmetry.key import Encoded, Key
from solvers.symmetry.schreier_sims import Chain

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_LISTED = 500
"""The largest group that is listed if it can be told without a list. To break the symmetries of a larger one by its
elements costs more than to tell orbits apart: for 3072 of them, of 4x4 sudokus, a minute on CP-SAT; without a list 2 s.
"""

AT_ONCE = 32
"""Solutions whose forms a process is asked for at once."""


class Shown(NamedTuple):
    """An orbit as it is shown."""

    image: Encoded
    """One of its solutions: the same, whichever of them it was asked for."""

    size: int
    """How many solutions it has."""


def group_of(found: FoundGroup) -> Group:
    """The group, listed if it is small enough."""
    is_small = found.order <= MOST_LISTED and found.order * found.graph.key.size <= MOST_IMAGES
    return Group(found.graph.key, found.generators) if is_small else LargeGroup(found)


def declared_group(model: CpModel, key: Key, symmetries: Sequence[Symmetry], stop: Event) -> Group:
    """The group that declared symmetries generate.

    A large one is told from others by its orbits on the constraint graph of the model: a graph whose vertices are
    coloured by them may have more automorphisms, but none if the orders are the same.

    Raises `WrongSymmetryError` if one does not permute the literals, `InputError` for a group that cannot be told;
    `Stopped` once the event is set.
    """
    if len(symmetries) > 1:
        check_size(key)
        generators = [permutation(key, symmetry, name) for name, symmetry in named(symmetries).items()]
        order = Chain(generators, None, stop).order
        if order > MOST_LISTED or order * key.size > MOST_IMAGES:
            try:
                return _told(model, key, symmetries, generators, order, stop)
            except InputError:
                if order > MOST_ELEMENTS:
                    raise
    return Group(key, symmetries)


def _told(
    model: CpModel,
    key: Key,
    symmetries: Sequence[Symmetry],
    generators: Sequence[NDArray[np.int32]],
    order: int,
    stop: Event,
) -> Group:
    refusal = f"the {order} symmetries that are declared are too many to be listed, and "
    advice = "; take those that the model shows with --symmetry found, or declare fewer"
    try:
        graph = Graph(terms(model, key.variables, stop), key)
    except InputError as error:
        raise InputError(f"{refusal}{error}") from None
    automorphisms = graph.extended([generator.tolist() for generator in generators], stop)
    if automorphisms is None:
        raise InputError(f"{refusal}the model does not show that they are symmetries{advice}")
    kernel = graph.bliss().ask(stop, "generators", graph.told_apart(graph.colours))
    arrays = [np.array(automorphism, dtype=np.int32) for automorphism in (*automorphisms, *kernel)]
    least = least_of_orbits(arrays, len(graph.colours))
    numbers: dict[int, int] = {}
    colours = [numbers.setdefault(first, len(numbers)) for first in least]
    if any((np.array(colours)[array] != colours).any() for array in arrays):
        raise CheckError("the orbits of the declared symmetries are not what they carry to each other")
    found = graph.found(colours, stop)
    if Chain(generators, found.order, stop).order != found.order:
        raise InputError(f"{refusal}the model shows {found.order} that have the same orbits{advice}")
    return LargeGroup(found._replace(generators=symmetries))


class LargeGroup(Group):
    """A group by its generators. What bliss is asked for can be stopped, and is asked of several processes."""

    is_listed = False

    def __init__(self, found: FoundGroup) -> None:
        self._name(found.graph.key, found.generators)
        self._literal_wise = True
        self.found = found
        self._order = found.order
        self._stop, self._jobs = Event(), 1
        self._processes: list[Bliss] = []
        graph = found.graph
        self._colours = 2 * np.array(found.colours, dtype=np.int64)
        self._vertices = np.array(graph.of_key, dtype=np.int64)
        self._wide = [position for position in range(len(self.key.labels)) if graph.is_wide(position)]
        self._first_wide = int(self._colours.max(initial=0)) + 2
        narrow = [n for p in range(len(self.key.labels)) if not graph.is_wide(p) for n in self._numbers(p)]
        self._number_of = {int(self._vertices[number]): number for number in narrow}
        self._position_of = {int(self._vertices[self.key.first[p]]): p for p in self._wide}

    def serve(self, stop: Event, jobs: int) -> None:
        """Heed this event from now on, and ask so many processes."""
        self._stop, self._jobs = stop, jobs

    def listed(self) -> Group:
        """The same group by its elements; `InputError` if they are too many."""
        return Group(self.key, self.found.generators)

    def dismiss(self) -> None:
        """End the processes; later questions start others."""
        for process in self._processes:
            process.end()
        self._processes = []
        self._stop = Event()

    @property
    def order(self) -> int:
        return self._order

    def forms(self, solutions: Iterable[Encoded]) -> Iterator[bytes]:
        """A hash for each solution that is the same for those which are images of each other."""
        solutions = iter(solutions)
        while some := list(islice(solutions, AT_ONCE * self._jobs)):
            marked = list(map(self._marked, some))
            answers = self._asked("forms", [colours for colours, _ in marked])
            for (_, values), form in zip(marked, answers, strict=True):
                yield blake2b(form + values, digest_size=len(form)).digest() if values else form

    def shown(self, solutions: Sequence[Encoded]) -> list[Shown]:
        """The orbit of each solution."""
        marked = [colours for colours, _ in map(self._marked, solutions)]
        answers = self._asked("images", marked, self._colours)
        whole = self._order * self.found.kernel
        orbits = []
        for solution, (image, stabiliser) in zip(solutions, answers, strict=True):
            size, rest = divmod(whole, stabiliser)
            if rest:
                raise CheckError("the symmetries that keep a solution are no subgroup of all")
            orbits.append(Shown(self._carried(solution, image), size))
        return orbits

    def images(self, solution: Encoded) -> Sequence[Encoded]:
        """The different images of a solution, the one that is shown first; all in memory."""
        return list(self.each_image(solution))

    def drawn(self, solution: Encoded, rank: int, chance: Random) -> Encoded:
        """One of them, each with the same chance, whatever the rank."""
        element = self._chain.draw(chance, self.key.size)
        return self._without_false(element[self._with_false(solution)].tolist())

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.generators, self.order, self._stop)

    def holding(self, images: Sequence[Encoded]) -> NDArray[Any]:
        """All literals of an orbit of the group are in the same number of an orbit's solutions."""
        solution, size = images[0], self.orbit_size(images[0])
        least = np.array(self.literal_orbits)
        members = np.bincount(least, minlength=self.key.size)
        held = np.bincount(least[list(self._with_false(solution))], minlength=self.key.size)
        counts = [size * int(held[orbit]) // int(members[orbit]) for orbit in least]
        return np.array(counts, dtype=object)

    def each_image(self, solution: Encoded) -> Iterator[Encoded]:
        """The same, one after another."""
        ((first, _),) = self.shown([solution])
        reached, seen = [first], {self.key.pack(first)}
        while reached:
            image = reached.pop()
            yield image
            literals = np.array(self._with_false(image))
            for generator in self.generators:
                other = self._without_false(generator[literals].tolist())
                packed = self.key.pack(other)
                if packed not in seen:
                    seen.add(packed)
                    reached.append(other)

    def orbits(self, solutions: Iterable[Encoded]) -> Iterator[Sequence[Encoded]]:
        return map(self.images, solutions)

    def first_image(self, solution: Encoded) -> Encoded:
        return self.shown([solution])[0].image

    def orbit_size(self, solution: Encoded) -> int:
        return self.shown([solution])[0].size

    def keeping(self, literals: Collection[int]) -> Group:
        if not literals:
            return self
        colours = list(self.found.colours)
        top = max(colours) + 1
        kept = {int(self._vertices[number]) for number in literals}
        for vertex in kept:
            colours[vertex] += top
        return group_of(self.found.graph.found(colours, self._stop))

    @cached_property
    def literal_orbits(self) -> list[int]:
        """Of each of the key's literals the least of those that the group carries it to."""
        return least_of_orbits(self.generators, self.key.size)

    def _marked(self, solution: Encoded) -> tuple[NDArray[np.int64], bytes]:
        """The colours of the graph's vertices with the solution marked, and the values that have no vertices."""
        numbers = self._with_false(solution)
        colours = self._colours.copy()
        colours[self._vertices[numbers]] += 1
        if not self._wide:
            return colours, b""
        values = {position: self.key.literal(numbers[position])[1] for position in self._wide}
        ranks = {value: rank for rank, value in enumerate(sorted(set(values.values())))}
        for position, value in values.items():
            vertex = self._vertices[numbers[position]]
            colours[vertex] = self._first_wide + self._colours[vertex] * len(ranks) + ranks[value]
        return colours, repr(list(ranks)).encode()

    def _carried(self, solution: Encoded, image: Sequence[int]) -> Encoded:
        """The image of a solution under a permutation of the graph's vertices."""
        numbers = []
        for position, value in enumerate(self.key.values(solution)):
            vertex = image[self._vertices[self.key.number(position, value)]]
            if vertex in self._position_of:
                numbers.append(self.key.number(self._position_of[vertex], value))
            else:
                numbers.append(self._number_of[vertex])
        return self._without_false(numbers)

    def _asked(self, question: str, marked: Sequence[Any], *arguments: Any) -> list[Any]:
        """The answers on each of the marked graphs, each process working on a share of them."""
        share = max(1, -(-len(marked) // self._jobs))
        shares = [marked[start : start + share] for start in range(0, len(marked), share)]
        while len(self._processes) < len(shares):
            self._processes.append(self.found.graph.bliss())
        try:
            working = list(zip(self._processes, shares, strict=False))
            for process, some in working:
                process.begin(question, *arguments, some)
            return [answer for process, _ in working for answer in process.answer(self._stop)]
        except Stopped:
            self.dismiss()
            raise

    def _numbers(self, position: int) -> range:
        return range(self.key.first[position], self.key.first[position + 1])


def least_of_orbits(generators: Collection[NDArray[np.int32]], size: int) -> list[int]:
    """Of each literal the least of those that the generators carry it to."""
    least = np.arange(size)
    is_changed = True
    while is_changed:
        before = least
        for generator in generators:
            least = np.minimum(least, least[generator])
            np.minimum.at(carried := least.copy(), generator, least)
            least = carried[carried]
        is_changed = bool((before != least).any())
    return least.tolist()
