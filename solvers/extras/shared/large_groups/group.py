"""Groups that are too large to list: orbits by canonical forms of a model's constraint graph.

A solution is marked in the graph. Two are images of each other iff the marked graphs have the same canonical form; the
size of an orbit is the order of the group divided by that of the subgroup that keeps the marks. Both are what bliss
tells (B. McKay, A. Piperno, "Practical graph isomorphism, II", Journal of Symbolic Computation 60, 2014).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import chain, islice
from random import Random
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import CheckError, InputError, Stopped
from solvers.extras.shared.large_groups.schreier_sims import Chain
from solvers.symmetry.automorphisms import Bliss, FoundGroup, Graph, group_of
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.groups import (
    MAX_GROUP_ELEMENTS,
    FormsAndOrbits,
    Group,
    ListedGroup,
    OrbitRows,
    Permutation,
    generate_group,
)
from solvers.symmetry.key import Encoded, Key, Numbered

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

FORMS_PER_REQUEST = 32
"""Solutions whose forms a process is asked for at once."""


class CanonicalOrbit(NamedTuple):
    """An orbit, given by a solution that represents it."""

    image: Encoded
    """A solution that represents the orbit; it is the same for every solution of the orbit."""

    size: int
    """The number of its solutions."""


def group_of_generators(model: CpModel, key: Key, generators: Mapping[str, Permutation], stop: Event) -> Group:
    """Return the group that declared symmetries generate.

    If it is the automorphism group of the model's constraint graph, with vertices coloured by the group's orbits, it is
    returned as a `LargeGroup`; otherwise its elements are listed. The two groups are compared by their orders, as the
    second contains the first.

    key: numbers the literals. generators: the symmetries by name, each an array whose entry n is the number of the
    image of literal n.

    Raises `InputError` for a group that the graph does not show and that is too large to list; `Stopped` once the event
    is set.
    """
    # `Chain` is a chain of stabilisers; without a known order it computes the order of the group.
    order = Chain(list(generators.values()), order=None, stop=stop).order
    try:
        return LargeGroup(
            _group_of_graph(model, key, list(generators.values()), order, stop)._replace(generators=generators)
        )
    except InputError:
        if order > MAX_GROUP_ELEMENTS:
            raise
    return generate_group(key, generators)


def _group_of_graph(model: CpModel, key: Key, generators: Sequence[Permutation], order: int, stop: Event) -> FoundGroup:
    """Return the automorphism group of the constraint graph that has this order and these elements.

    generators: permutations of the key's literals that the group contains. order: the order of the group that they
    generate. model: the puzzle's, which makes the graph. Raises `InputError` if one is not an automorphism of the
    graph, or if the graph's group is larger; `CheckError` if one does not keep the generators' orbits, which should
    never happen; `Stopped` once the event is set.
    """
    refusal = f"{order} declared symmetries are too many to list, and "
    advice = "; take those that the model shows with `--symmetry found`, or declare fewer"
    try:
        graph = Graph(terms(model, key.variables, stop), key)
    except InputError as error:
        raise InputError(f"{refusal}{error}") from None
    # Each permutation of literals is extended to the vertices; None if that is not possible.
    automorphisms = graph.extensions([generator.tolist() for generator in generators], stop)
    if automorphisms is None:
        raise InputError(f"{refusal}the model does not show that they are symmetries{advice}")
    # The orbits of the vertices under the generators, and under automorphisms that move no literal, are the colours.
    kernel = Bliss(graph).ask(stop, "generators", graph.colours_with_fixed_key(graph.colours))
    arrays = [np.array(automorphism, dtype=np.int32) for automorphism in (*automorphisms, *kernel)]
    least_vertices = least_of_orbits(arrays, len(graph.colours))
    colour_of: dict[int, int] = {}
    colours = [colour_of.setdefault(least_vertex, len(colour_of)) for least_vertex in least_vertices]
    if any((np.array(colours)[array] != colours).any() for array in arrays):
        raise CheckError("the declared symmetries do not keep their own orbits")
    graph_group = graph.automorphism_group(colours, stop)
    if Chain(generators, graph_group.order, stop).order != graph_group.order:
        raise InputError(f"{refusal}the model shows {graph_group.order} that have the same orbits{advice}")
    return graph_group


class LargeGroup(Group):
    """A group given by its generators and a coloured constraint graph.

    Bliss answers questions about orbits. Bliss runs in several processes and can be stopped.
    """

    most_images = 2
    is_proved = True

    def __init__(self, group_found: FoundGroup) -> None:
        """Make the group from what was found on the constraint graph; no process is started yet.

        group_found: the generators and the order of the group, the graph with its colours, and ``of_key``, the vertex
        of each literal of the key.
        """
        super().__init__(group_found.graph.key, group_found.generators, group_found.order)
        self.found = group_found
        self._stop, self._jobs = Event(), 1
        self._processes: list[Bliss] = []
        graph = group_found.graph
        # The colours are even, so that those of a solution's literals can be the odd numbers above them.
        self._colours = 2 * np.array(group_found.colours, dtype=np.int64)
        self._vertices = np.array(graph.of_key, dtype=np.int64)
        # A wide variable has one vertex for all its values; other ones have a vertex for each literal.
        self._wide = [position for position in range(len(self.key.labels)) if graph.is_wide(position)]
        self._first_wide = int(self._colours.max(initial=0)) + 2
        narrow = [n for p in range(len(self.key.labels)) if not graph.is_wide(p) for n in self._numbers(p)]
        self._literal_of_vertex = {int(self._vertices[number]): number for number in narrow}
        self._wide_position_of_vertex = {int(self._vertices[self.key.first[p]]): p for p in self._wide}

    def __reduce__(self) -> Any:
        """Return how a pickled group is made again, without its processes."""
        return LargeGroup, (self.found,)

    def serve(self, stop: Event, jobs: int) -> None:
        """Set the event that stops the work of the group, and the number of processes that it uses."""
        self._stop, self._jobs = stop, jobs

    def list_elements(self) -> ListedGroup:
        """Return the group with all its elements listed; raise `InputError` if there are too many."""
        return generate_group(self.key, self._named)

    def dismiss(self) -> None:
        """End the processes of the group; later questions start new ones."""
        for process in self._processes:
            process.end()
        self._processes = []
        self._stop = Event()

    def new_orbits(self, solutions: Numbered, known: Container[bytes] = ()) -> FormsAndOrbits:
        """Return the orbits of several solutions; see `Group.new_orbits`.

        An orbit is new if its form, a hash that is the same for all its solutions, is not in ``known``. Each orbit has
        two images: its canonical image, and the solution (or one, if these are equal). Raises `Stopped` once the event
        is set. Raises `CheckError` if the answers of bliss contradict each other.
        """
        encoded = self.key.tuples(solutions)
        forms = list(self.forms(encoded))
        first_place: dict[bytes, int] = {}  # of each form that is new
        for place, form in enumerate(forms):
            if form not in known:
                first_place.setdefault(form, place)
        new_places = list(first_place.values())
        new_solutions = [encoded[place] for place in new_places]
        canonical_orbits = self._canonical_images(new_solutions)
        images = [
            list(dict.fromkeys((image, solution)))
            for (image, _), solution in zip(canonical_orbits, new_solutions, strict=True)
        ]
        all_images = self.key.literal_rows(list(chain.from_iterable(images)))
        # (the solutions, all images one orbit behind the other, the numbers of images, the sizes of the orbits)
        orbits = OrbitRows(
            solutions[new_places], all_images, list(map(len, images)), [size for _, size in canonical_orbits]
        )
        return FormsAndOrbits(forms, new_places, orbits)

    def forms(self, solutions: Iterable[Encoded]) -> Iterator[bytes]:
        """Yield a hash for each solution.

        Two solutions have the same hash if and only if they are images of each other. It is made of the canonical form
        of the marked graph and of the values that the marks do not show. Raises `Stopped` once the event is set.
        """
        solutions = iter(solutions)
        while solutions_at_once := list(islice(solutions, FORMS_PER_REQUEST * self._jobs)):
            marked = list(map(self._mark, solutions_at_once))
            answers = self._ask_bliss("forms", [colours for colours, _ in marked])
            for (_, values), form in zip(marked, answers, strict=True):
                yield blake2b(form + values, digest_size=len(form)).digest() if values else form

    def _canonical_images(self, solutions: Sequence[Encoded]) -> list[CanonicalOrbit]:
        """Return the canonical image and the size of the orbit of each solution.

        Raises `Stopped` once the event is set, `CheckError` if the answers of bliss contradict each other.
        """
        marked = [colours for colours, _ in map(self._mark, solutions)]
        # For each marked graph: the image of each vertex under an automorphism that maps the marks to canonical ones,
        # and the order of the group that keeps the marks.
        answers = self._ask_bliss("images", marked, self._colours)
        # The group of the graph: the kernel is the number of its automorphisms that fix all literals. The size of an
        # orbit is that of the group divided by that of the stabiliser.
        size_of_group = self.order * self.found.kernel
        orbits = []
        for solution, (image, stabiliser) in zip(solutions, answers, strict=True):
            size, remainder = divmod(size_of_group, stabiliser)
            if remainder:
                raise CheckError("the symmetries that keep a solution are not a subgroup of all")
            orbits.append(CanonicalOrbit(self._image_of(solution, image), size))
        return orbits

    def random_image(self, solution: Encoded, rank: int, chance: Random) -> Encoded:
        """Return an image of the solution, drawn uniformly at random from its orbit; ``rank`` is not used.

        The solution is mapped by a random element of the group. chance: the random numbers.
        """
        element = self._chain.draw(chance, self.key.size)
        return self._without_false(element[self._with_false(solution)].tolist())

    @cached_property
    def _chain(self) -> Chain:
        """The chain of stabilisers from which elements are drawn."""
        return Chain(self.generators, self.order, self._stop)

    def literal_counts(self, orbits: OrbitRows) -> NDArray[Any]:
        """Return, for each literal of the key by its number, how many solutions of the orbits hold it.

        The orbits' solutions need not be listed. The group maps any literal of an orbit of literals to any other, so
        each of them is in equally many images of a solution. All images hold equally many literals of that orbit. So if
        an orbit of ``images`` solutions holds ``held`` out of ``literals`` each, a literal is in images * held /
        literals of them. For example, if 8 solutions hold 2 of the 4 corners each, each corner is in 8 * 2 / 4 = 4 of
        them.
        """
        orbit_number = np.array(self.literal_orbits)
        literals_in_orbit = np.bincount(orbit_number, minlength=self.key.size)[orbit_number].astype(object)
        counts = np.zeros(self.key.size, dtype=object)  # Python integers, as an orbit may be larger than 64 bits
        for solution, images in zip(self.key.with_false(orbits.met), orbits.sizes, strict=True):
            held_in_orbit = np.bincount(orbit_number[solution], minlength=self.key.size)[orbit_number].astype(object)
            counts += images * held_in_orbit // literals_in_orbit
        return counts

    def each_image(self, solution: Encoded) -> Iterator[Encoded]:
        """Yield the different images of a solution, itself included, found by the generators from a first one.

        They are the same, in the same order, for each solution of the orbit.
        """
        representative = self.orbit(solution).images[0]
        unexpanded = [representative]
        seen = {self.key.pack(representative)}
        while unexpanded:
            image = unexpanded.pop()
            yield image
            # The literals that say that a Boolean is 0 are moved, too, and left out of the image.
            literals = np.array(self._with_false(image))
            for generator in self.generators:
                next_image = self._without_false(generator[literals].tolist())
                packed = self.key.pack(next_image)
                if packed not in seen:
                    seen.add(packed)
                    unexpanded.append(next_image)

    def stabilizer(self, literals: Collection[int]) -> Group:
        """Return the subgroup of the elements that map this set of literals, given by number, to itself.

        Raises `InputError` if bliss breaks down, `Stopped` once the event is set.
        """
        if not literals:
            return self
        colours = list(self.found.colours)
        # The marked vertices get new colours, so that automorphisms map them among themselves.
        offset = max(colours) + 1
        fixed_vertices = {int(self._vertices[number]) for number in literals}
        for vertex in fixed_vertices:
            colours[vertex] += offset
        return group_of(self.found.graph.automorphism_group(colours, self._stop))

    @cached_property
    def literal_orbits(self) -> list[int]:
        """Return, for each literal of the key, the least literal of its orbit."""
        return least_of_orbits(self.generators, self.key.size)

    def _mark(self, solution: Encoded) -> tuple[NDArray[np.int64], bytes]:
        """Mark a solution in the graph, by other colours for the vertices of its literals.

        The vertex of a literal gets the odd colour above its old one. The vertex of a wide variable (one vertex for all
        values) gets a colour for its old colour and the rank of its value among those of wide variables in the
        solution.

        Returns (colours of all vertices, these values as text in bytes, as the colours have only their ranks).
        """
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

    def _image_of(self, solution: Encoded, image: Sequence[int]) -> Encoded:
        """Return the image of a solution under an automorphism of the graph.

        Each key variable with its value becomes another one: the vertex of a literal is mapped to that of a literal;
        the vertex of a wide variable is mapped to that of another one, which takes over the value. image: the image of
        each vertex, by number.
        """
        numbers = []
        for position, value in enumerate(self.key.values(solution)):
            vertex = image[self._vertices[self.key.number(position, value)]]
            if vertex in self._wide_position_of_vertex:  # the vertex of a variable, which takes over the value
                numbers.append(self.key.number(self._wide_position_of_vertex[vertex], value))
            else:  # the vertex of a literal
                numbers.append(self._literal_of_vertex[vertex])
        return self._without_false(numbers)

    def _ask_bliss(self, question: str, marked: Sequence[Any], *arguments: Any) -> list[Any]:
        """Ask bliss, in several processes, about each of the marked graphs; return the answers in order.

        question: the name of the question, such as "forms". marked: the colours of the vertices of each graph.
        arguments: further arguments of the question. Raises `Stopped` once the event is set.
        """
        share = max(1, -(-len(marked) // self._jobs))
        shares = [marked[start : start + share] for start in range(0, len(marked), share)]
        while len(self._processes) < len(shares):
            self._processes.append(Bliss(self.found.graph))
        try:
            working = list(zip(self._processes, shares, strict=False))
            for process, chunk in working:
                process.begin(question, *arguments, chunk)
            return [answer for process, _ in working for answer in process.answer(self._stop)]
        except Stopped:
            self.dismiss()
            raise

    def _numbers(self, position: int) -> range:
        """Return the numbers of the literals of the key variable at this position."""
        return range(self.key.first[position], self.key.first[position + 1])


def least_of_orbits(generators: Collection[NDArray[np.int32]], size: int) -> list[int]:
    """Return the least point of the orbit of each of ``size`` points, numbered from 0.

    The group is the one that ``generators`` generate: permutations, each as the image of every point. Each point takes
    over the least point that is known of its image, of its preimage and of that point itself, until nothing changes.
    """
    least = np.arange(size)
    is_changed = True
    while is_changed:
        previous = least
        for generator in generators:
            least = np.minimum(least, least[generator])  # that of the image
            of_preimage = least.copy()
            np.minimum.at(of_preimage, generator, least)
            least = of_preimage[of_preimage]  # that of the least point so far
        is_changed = bool((previous != least).any())
    return least.tolist()
