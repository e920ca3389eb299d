"""Finds symmetries that nobody declared, and proves declared ones: automorphisms of a model's constraint graph.

The graph has a vertex for each literal and for each vertex of the model's terms (`constraint_graph`), joined to what it
holds. An automorphism carries terms to terms, and so solutions to solutions. Those that are found carry each literal
to one of the same colour, and the colour of a literal says whether it belongs to the key: so they permute the key's
literals. Automorphisms that move none of these are not symmetries of the solutions and are dropped. For a declared
symmetry, the images of the key's literals are known, and the images of the other literals are searched for.

References
----------
T. Junttila, P. Kaski, "Engineering an efficient canonical labeling tool for large and sparse graphs", ALENEX 2007,
doi:10.1137/1.9781611972870.13

J.-F. Puget, "Automatic detection of variable and value symmetries", CP 2005, doi:10.1007/11564751_36
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import weakref
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from select import select
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Symmetry
from solvers.base.deadline import Deadline
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.plugs import FUNCTIONS, function
from solvers.base.tuning import TUNING
from solvers.model.reading import has_objective
from solvers.symmetry.constraint_graph import Terms, Vertex, literals_of, replace_literals
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.groups import MAX_GROUP_ENTRIES, Group, Permutation, check_size, generate_group, permutations
from solvers.symmetry.key import Key
from solvers.symmetry.refinement import extend_automorphism

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

PROOF_POLL_SECONDS = 0.1
"""Seconds between two looks at whether the search is to be stopped."""

SETS = ("bool_or", "bool_and", "at_most_one", "exactly_one")
"""The kinds of constraints on a set of literals, in which the order of the literals means nothing."""


def find_automorphism_group(model: CpModel, key: Key, stop: Event) -> FoundGroup:
    """Return the group of the automorphisms of a model's constraint graph, as it acts on the key.

    Its generators are verified against the model. Every element is a symmetry of the solutions; there may be others
    that the graph does not show.

    Raises `InputError` for a model that is too large; `Stopped` once the event is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_int_var(0, 9, "x"), model.new_int_var(0, 9, "y")
    >>> _ = model.add(x + y <= 9)
    >>> group = find_automorphism_group(model, Key(model, {"x": x, "y": y}), Event())
    >>> group.order, [image.tolist() for image in group.generators.values()]
    (2, [[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
    """
    check_size(key)
    graph = Graph(terms(model, key.variables, stop), key)
    return graph.automorphism_group(graph.colours, stop)


def group_of(found: FoundGroup) -> Group:
    """Return a found group as a `Group`; its elements are listed if there are few enough.

    For a group that is not listed, a wing of the program provides the function that makes it; `function` raises
    `InputError` if that wing is needed and not installed.
    """
    key = found.graph.key
    is_small = found.order <= TUNING.max_listed_elements and found.order * key.size <= MAX_GROUP_ENTRIES
    group: Group
    if is_small:
        group = generate_group(key, found.generators)
    else:
        group = function("large group", f"telling the orbits of {found.order} symmetries")(found)
    group.rigid, group.is_proved = found.graph.rigid, True
    return group


def group_of_symmetries(model: CpModel, key: Key, symmetries: Sequence[Symmetry], stop: Event) -> Group:
    """Return the group that declared symmetries generate; its elements are listed if there are few enough.

    key: numbers the literals. symmetries: functions from (label, value) to the image (label, value). Raises
    `WrongSymmetryError` if one does not permute the literals, `InputError` if the group is too large to handle;
    `Stopped` once the event is set.
    """
    generators = permutations(key, symmetries)  # by name; each is the number of every literal's image
    with suppress(InputError):  # too many elements to list at once
        return generate_group(key, generators, TUNING.max_listed_elements)
    if "declared large group" not in FUNCTIONS:  # without the wing that handles groups which are not listed
        return generate_group(key, generators)
    group: Group = function("declared large group", "a large group")(model, key, generators, stop)
    return group


def are_generators_proved(model: CpModel, group: Group, stop: Event) -> bool:
    """Tell whether each generator of a group is proved to map solutions to solutions of the same objective value.

    A generator is proved if it maps the model's constraints to each other. If the variables besides the key may have to
    move, too, a search in the constraint graph finds out how. False only says that no proof was found, for instance
    because the time for it was too short. stop: ends the search for a proof when set.

    Raises `Stopped` once the event is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> from solvers.symmetry.groups import generate_group, permutations
    >>> model = CpModel()
    >>> x, y = model.new_int_var(0, 9, "x"), model.new_int_var(0, 9, "y")
    >>> _ = model.add(x + y <= 9)
    >>> key = Key(model, {"x": x, "y": y})
    >>> exchange = permutations(key, [lambda label, value: ("y" if label == "x" else "x", value)])
    >>> group = generate_group(key, exchange)
    >>> are_generators_proved(model, group, Event())
    True
    >>> _ = model.add(x == 0)
    >>> are_generators_proved(model, group, Event())
    False
    """
    if group.order == 1:
        return True
    if all(map(_Clauses(model, group.key).is_kept_by, group.generators)):
        return True
    # An event that is set once ``stop`` is, or the time is over.
    patience = Deadline(stop, seconds=TUNING.max_proof_seconds)
    try:
        graph = Graph(terms(model, group.key.variables, patience), group.key)
        return graph.extends([generator.tolist() for generator in group.generators], patience)
    except InputError:  # the model has too many terms, or the process that searches the graph broke down
        return False
    except Stopped:
        if stop.is_set():
            raise
        return False  # only the time for the proof was over


class _Clauses:
    """The constraints of a model, all of which are about sets of Boolean key variables.

    For such a model `is_kept_by` is quicker than the graph; for any other it always returns False.
    """

    def __init__(self, model: CpModel, key: Key) -> None:
        """Read the constraints of a model, if all of them are about sets of Boolean key variables.

        A model with other variables, an objective or assumptions is not read, nor one with a literal that is repeated
        in a constraint.
        """
        proto = model.clone().proto  # merely looking at a field of a proto may set it
        self._key = key
        self._are_all_sets = (
            key.is_plain
            and len(key.variables) == len(proto.variables)
            and not (has_objective(model) or len(proto.assumptions))
        )
        """False if the model has another constraint or variable."""
        self._constraints: set[tuple[str, frozenset[int], frozenset[int]]] = set()
        """The kind, enforcement literals and literals of each constraint."""
        for constraint in proto.constraints if self._are_all_sets else ():
            kind = next((kind for kind in SETS if getattr(constraint, f"has_{kind}")()), None)
            literals = list(getattr(constraint, kind).literals) if kind else []
            if not kind or len(set(literals)) < len(literals):
                self._are_all_sets = False
                break
            self._constraints.add((kind, frozenset(constraint.enforcement_literal), frozenset(literals)))

    def is_kept_by(self, element: Permutation) -> bool:
        """Tell whether a permutation of the key's literals maps the constraints to each other.

        The result is also False if it maps the two literals of a variable to literals of different variables, or if the
        model has other constraints or variables. element: the permutation, as the number of each literal's image.
        """
        # The variable at position p of the key has the literals 2 p (true) and 2 p + 1 (false); ^ 1 negates one.
        if not self._are_all_sets or (element[1::2] != element[::2] ^ 1).any():
            return False
        variables = self._key.variables
        image = dict[int, int]()  # from references of the proto to references: v, or -v - 1 if negated
        for variable, number in zip(variables, element[::2].tolist(), strict=True):
            other = variables[number // 2]
            image[variable], image[-variable - 1] = (-other - 1, other) if number % 2 else (other, -other - 1)
        return all(
            (kind, frozenset(map(image.__getitem__, enforced)), frozenset(map(image.__getitem__, literals)))
            in self._constraints
            for kind, enforced, literals in self._constraints
        )


class FoundGroup(NamedTuple):
    """The permutations of a key's literals that extend to automorphisms of the constraint graph.

    The automorphisms have to keep the given colours.
    """

    graph: Graph
    colours: Sequence[int]
    """The colour of each vertex."""
    generators: Mapping[str, Permutation]
    """Permutations of the key's literals that generate the group, by a name for messages."""
    order: int
    """The number of permutations in the group."""
    kernel: int
    """The number of automorphisms of the graph to which each of these permutations extends."""


class Graph:
    """The constraint graph; its vertices are the literals that matter, and those of the terms.

    Vertices and colours are numbered by what the model says, so that they are the same in every process.
    """

    colours: list[int]
    """The colour of each vertex, which automorphisms preserve."""

    def __init__(self, said: Terms, key: Key) -> None:
        """Make the graph of a model's terms.

        A term is what a constraint says: a vertex that holds literals "variable has value" and further vertices. said:
        the terms, made by `solvers.symmetry.constraint_kinds.terms` for this key. Raises `Stopped` once the event of
        the terms is set.
        """
        self.key, self._literals, self._terms = key, said.literals, said.found
        self.rigid = sorted(said.rigid)
        """The kinds of constraints in which no symmetries were looked for."""
        self._position = {variable: position for position, variable in enumerate(key.variables)}
        self._of_key = [literal for position in range(len(key.variables)) for literal in self._key_literals(position)]
        """The literal of the graph for each literal of the key, by its number."""
        self._vertices = sorted(said.mentioned.union(self._of_key))
        """The literals of the graph: the first vertices, in this order."""
        self.edges, looks = self._edges_and_colours(said.levels, said.stop)
        colour_by_look: dict[Hashable, int] = {}  # colours are numbers; vertices of the same look get the same
        literal_looks = [("literal", self._literal_colour(literal)) for literal in self._vertices]
        self.colours = [colour_by_look.setdefault(look, len(colour_by_look)) for look in (*literal_looks, *looks)]
        vertex_of = {literal: vertex for vertex, literal in enumerate(self._vertices)}
        self.of_key = [vertex_of[literal] for literal in self._of_key]
        """The vertex of each of the key's literals, by its number."""

    def is_wide(self, position: int) -> bool:
        """Tell whether one vertex represents all values of the key variable at this position of the key.

        It does if the variable has more than `Tuning.max_value_nodes` values.
        """
        return self._literals.wide(self.key.variables[position]) is not None

    def _literal(self, position: int, value: int) -> int:
        """Return the literal of the constraint graph for a key variable and a value.

        position: the position of the variable in the key. A wide variable, one of very many values, has the same
        literal for all values. If the model says that the literal equals another, that one is returned.
        """
        variable = self.key.variables[position]
        literal_of_all = self._literals.wide(variable)  # None if the variable is not wide
        if literal_of_all is not None:
            return literal_of_all
        literal_of_value = self._literals.literals_by_value(variable)[value]
        return self._literals.one.get(literal_of_value, literal_of_value)

    def _key_literals(self, position: int) -> list[int]:
        """Return the literal of the constraint graph for each literal of the key variable at a position of the key."""
        begin, end = self.key.first[position : position + 2]
        if self.is_wide(position):
            return [self._literal(position, self.key.literal(begin)[1])] * (end - begin)
        return [self._literal(*self.key.literal(number)) for number in range(begin, end)]

    def _wide_domain(self, literal: int) -> tuple[tuple[int, int], ...]:
        """Return the domain of the literal's variable if the variable is wide, otherwise an empty tuple.

        Automorphisms map wide variables only to those with the same domain, and leave the values as they are.
        """
        variable = self._literals.variable[literal]
        return tuple(self._literals.domains[variable]) if self._literals.wide(variable) is not None else ()

    def _literal_colour(self, literal: int) -> Hashable:
        """Return the colour of a literal: automorphisms map it only to literals of the same colour.

        Literals of Booleans in the key have one colour, and those of integers in the key another. The literal of a key
        variable with a single value has a colour of its own, as no term mentions it. All literals outside the key have
        one colour. The literal of a wide variable, which represents all values, also has the domain in its colour.
        """
        variable = self._literals.variable[literal]
        position = self._position.get(variable)
        if position is None:
            return self._wide_domain(literal)
        if self._literals.is_fixed(variable):
            return "fixed", variable
        return "key", self._wide_domain(literal), self.key.is_boolean[position]

    def _edges_and_colours(
        self, levels: Sequence[Sequence[Vertex]], stop: Event
    ) -> tuple[NDArray[np.int64], list[tuple[str, int, bool]]]:
        """Return (edges, looks) of the graph.

        edges: a row (vertex, vertex that it holds) for each edge. looks: for each vertex of the terms, in the order of
        their numbers, (colour as text, level, whether it is a whole term); automorphisms map vertices to those of the
        same look. Vertices are numbered from 0: first the literals, then those of the terms, level by level, sorted by
        what the model says and not by the order of sets. levels: the vertices of the terms, first those that hold
        literals only, then those that hold these, and so on. Raises `Stopped` once the event is set.
        """
        number: dict[Any, int] = {literal: n for n, literal in enumerate(self._vertices)}
        first = len(number)
        degrees: list[int] = []  # of each vertex of the terms: how many vertices it holds
        ends: list[int] = []  # the numbers of the vertices that are held, in the order of the vertices that hold them
        looks: list[tuple[str, int, bool]] = []
        for height, level in enumerate(levels, 1):
            for colour, by_held_numbers in _vertices_by_colour(level, number, stop):
                look, look_of_term = (colour, height, False), (colour, height, True)  # shared, as there are many
                if stop.is_set():
                    raise Stopped
                for held_numbers in sorted(by_held_numbers):
                    node = by_held_numbers[held_numbers]
                    number[node] = len(number)
                    degrees.append(len(held_numbers))
                    ends.extend(held_numbers)
                    looks.append(look_of_term if node in self._terms else look)
        starts = np.repeat(np.arange(first, first + len(degrees)), degrees)
        return np.column_stack((starts, np.array(ends, dtype=np.int64))), looks

    def automorphism_group(self, colours: Sequence[int], stop: Event) -> FoundGroup:
        """Return the group of the automorphisms that keep these colours.

        colours: the colour of each vertex. The elements are given as permutations of the key's literals. The library
        bliss finds generators in a process of its own; each is verified. Raises `Stopped` once the event is set,
        `InputError` if the process broke down, `CheckError` if a generator changes the model.
        """
        bliss = Bliss(self)
        images: dict[tuple[int, ...], Permutation] = {}  # without repeats and the identity
        generators = bliss.ask(stop, "generators", colours)
        if not generators:  # as in most large models
            return FoundGroup(self, colours, {}, 1, 1)
        for generator in generators:
            if stop.is_set():
                raise Stopped
            moved = self._literal_images(generator)  # of the literals that it moves
            if not self.is_kept_by(moved):
                raise CheckError("the search for symmetries returned one that changes the model")
            image = self.on_key(moved)  # the same permutation, of the key's literals by number
            if image != tuple(range(self.key.size)):
                images.setdefault(image, np.array(image, dtype=np.int32))
        # Each permutation of the key extends to equally many automorphisms: as many as leave the key as it is, which
        # the identity does. So the quotient is the number of permutations of the key.
        kernel = bliss.ask(stop, "order", self.colours_with_fixed_key(colours))
        order, remainder = divmod(bliss.ask(stop, "order", colours), kernel)
        if remainder:
            raise CheckError("the order of the group of symmetries is not a whole number")
        named = {f"symmetry {number} (found)": image for number, image in enumerate(images.values(), 1)}
        return FoundGroup(self, colours, named, order, kernel)

    def colours_with_fixed_key(self, colours: Sequence[int]) -> list[int]:
        """Return the colours, changed so that each key literal has its own and no automorphism moves it.

        colours: the colour of each vertex. The new colours are the numbers after the greatest one.
        """
        colour_by_vertex = {
            vertex: n for n, vertex in enumerate(dict.fromkeys(self.of_key), max(colours, default=0) + 1)
        }
        return [colour_by_vertex.get(vertex, colour) for vertex, colour in enumerate(colours)]

    def extends(self, generators: Sequence[Sequence[int]], stop: Event) -> bool:
        """Tell whether each permutation of the key's literals extends to a permutation of all literals.

        The extension has to map the terms to each other. generators: for each permutation, the number of each key
        literal's image. Raises `Stopped` once the event is set. Raises `CheckError` if an automorphism that bliss
        returns changes the model.
        """
        if set(self._vertices) > set(self._of_key):  # literals besides the key's, whose images have to be searched
            return self.extensions(generators, stop) is not None
        # All literals are the key's: their images are known, and only have to be verified.
        for image in map(self._image_of_literals, generators):
            if image is None or not self.is_kept_by({a: b for a, b in image.items() if a != b}):
                return False
        return True

    def extensions(self, generators: Sequence[Sequence[int]], stop: Event) -> list[list[int]] | None:
        """Return, for each permutation of the key's literals, an automorphism of the graph that extends it.

        generators: for each permutation, the number of each key literal's image. An automorphism is the list of the
        image of each vertex. Returns None if one permutation cannot be extended.

        The permutation is put into colours: an automorphism that maps the colouring in which each key literal has the
        colour of its image, to the colouring in which each has its own, maps each key literal to its image.

        Raises `Stopped` once the event is set. Raises `CheckError` if an automorphism that bliss returns changes the
        model.
        """
        images = [self._image_of_literals(generator) for generator in generators]
        if None in images:
            return None
        vertex_of = {literal: vertex for vertex, literal in enumerate(self._vertices)}
        own_colours = self.colours_with_fixed_key(self.colours)  # each key literal has a colour of its own

        def image_colours(image: Mapping[int, int]) -> list[int]:
            """Return the colour of each vertex, that of a key literal being the one of its image."""
            colours = list(own_colours)
            for literal, other in image.items():
                colours[vertex_of[literal]] = own_colours[vertex_of[other]]
            return colours

        colourings = [image_colours(image) for image in images if image is not None]
        mappings = self._mappings(own_colours, colourings, stop)
        if mappings is None:
            return None
        for image, mapping in zip(images, mappings, strict=True):
            assert image is not None
            moved = self._literal_images(mapping)
            if any(moved.get(a, a) != b for a, b in image.items()) or not self.is_kept_by(moved):
                raise CheckError("the search for symmetries returned one that changes the model")
        return mappings

    def _mappings(
        self, target: Sequence[int], colourings: Sequence[Sequence[int]], stop: Event
    ) -> list[list[int]] | None:
        """Return, for each of the colourings, an automorphism of the graph that maps it to the colours ``target``.

        An automorphism is the list of the image of each vertex, whose colour in ``target`` is that of the vertex in the
        colouring. `extend_automorphism` finds most of them by colour refinement, without a search. From the first that
        it leaves open, all are asked of the library bliss. Returns None if some colouring has no such automorphism.
        Raises `Stopped` once the event is set.
        """
        target_colours = np.array(target)
        refined: list[list[int]] = []
        for colouring in colourings:
            mapping, is_settled = extend_automorphism(
                len(target), self.edges, np.array(colouring), target_colours, stop
            )
            if mapping is not None:
                refined.append(mapping.tolist())
            elif is_settled:  # there is none
                return None
            else:  # the question is open
                break
        if len(refined) == len(colourings):
            return refined
        answers: list[list[int] | None] = Bliss(self).ask(stop, "mappings", target, colourings[len(refined) :])
        searched = [mapping for mapping in answers if mapping is not None]
        return refined + searched if len(searched) == len(answers) else None

    def _image_of_literals(self, generator: Sequence[int]) -> dict[int, int] | None:
        """Return the image of each graph literal under a permutation of the key's literals.

        Only graph literals that represent literals of the key have an image. A graph literal may represent several: all
        values of a wide variable, or literals that are equal. generator: the number of each key literal's image. The
        result is None if no automorphism can extend it: it changes a value of a wide variable, or gives one graph
        literal two images.
        """
        image: dict[int, int] = {}
        for number, other in enumerate(generator):
            literal, image_literal = self._of_key[number], self._of_key[other]
            is_wide = bool(self._wide_domain(literal))
            if is_wide and self.key.literal(number)[1] != self.key.literal(other)[1]:
                return None
            if image.setdefault(literal, image_literal) != image_literal:
                return None
        return image

    def _literal_images(self, generator: Sequence[int]) -> dict[int, int]:
        """Return the image of each literal that an automorphism moves, by literal.

        generator: the image of each vertex, by number; the literals are the first vertices.
        """
        literals = self._vertices
        return {
            literal: literals[image]
            for literal, image in zip(literals, generator, strict=False)
            if literals[image] != literal
        }

    def is_kept_by(self, image: Mapping[int, int]) -> bool:
        """Tell whether a mapping permutes literals, keeps domains of wide variables, and maps the terms to terms.

        Then it maps solutions to solutions. Only terms with a literal that is moved have to be looked at. image: the
        image of each literal that is moved.
        """
        changed_terms = {term for literal in image for term in self._holders.get(literal, ())}
        return (
            set(image) == set(image.values())
            and all(self._wide_domain(literal) == self._wide_domain(other) for literal, other in image.items())
            and all(replace_literals(term, image) in self._terms for term in changed_terms)
        )

    def on_key(self, image: Mapping[int, int]) -> tuple[int, ...]:
        """Return, for each literal of the key, the number of its image.

        image: the image of each literal of the model that is moved.
        """
        numbers = [*self._images_without_moves]  # most literals of a large key stay where they are
        self._write_images(numbers, image)
        return tuple(numbers)

    def _write_images(self, numbers: list[int], image: Mapping[int, int]) -> None:
        """Write the images of the key's literals into ``numbers``: entry n is the number of the image of key literal n.

        image: the images of some graph literals. Only the entries of the key's literals that these represent change. A
        graph literal represents one or more literals of the key; that of a wide variable represents all its values.
        """
        first = self.key.first
        for literal, other in image.items():
            if literal not in self._numbers_by_literal:
                continue
            variable = self._literals.variable[other]
            position = self._position[variable]
            if self._literals.wide(variable) is None:
                first_number = self.key.number(position, self._literals.value(other))
                images = range(first_number, first_number + 1)
            else:  # one literal represents all values: the images are all values of the other variable, in order
                images = range(first[position], first[position + 1])
            for number in self._numbers_by_literal[literal]:
                numbers[number : number + len(images)] = images

    @cached_property
    def _holders(self) -> dict[int, list[Vertex]]:
        """The terms in which each literal occurs, by literal."""
        holders: dict[int, list[Vertex]] = defaultdict(list)
        for term in self._terms:
            for literal in set(literals_of(term)):
                holders[literal].append(term)
        return dict(holders)

    @cached_property
    def _images_without_moves(self) -> list[int]:
        """The images of the key's literals if none of the model's literals is moved."""
        numbers = [*range(self.key.size)]
        self._write_images(numbers, {literal: literal for literal in self._numbers_by_literal})
        return numbers

    @cached_property
    def _numbers_by_literal(self) -> dict[int, list[int]]:
        """The numbers of the key's literals that each graph literal represents, by graph literal.

        Of a wide variable, it is only the number of its first value; those of the other values follow it.
        """
        numbers: dict[int, list[int]] = {}
        for position, (begin, end) in enumerate(pairwise(self.key.first)):
            for number in range(begin, begin + 1 if self.is_wide(position) else end):
                numbers.setdefault(self._of_key[number], []).append(number)
        return numbers


def _vertices_by_colour(
    level: Iterable[Vertex], number: Mapping[Any, int], stop: Event
) -> list[tuple[str, dict[tuple[int, ...], Vertex]]]:
    """Return (colour, vertices) for each colour in a level, as text and sorted as text.

    The vertices of a colour are a dictionary: its keys are the numbers of the literals and vertices that a vertex
    holds, ascending, by which two vertices of one colour differ. level: vertices of terms. number: the number of each
    literal and of each vertex of the levels before. Raises `Stopped` once the event is set.
    """
    by_colour: dict[Hashable, dict[tuple[int, ...], Vertex]] = defaultdict(dict)
    for node in level:
        if stop.is_set():
            raise Stopped
        held_numbers = sorted([number[other] for other in node.held])
        by_colour[node.colour][(*held_numbers,)] = node
    return sorted(((repr(colour), vertices) for colour, vertices in by_colour.items()), key=itemgetter(0))


class Coloured(Protocol):
    """A graph with a colour for each vertex; edges are pairs of vertex numbers."""

    @property
    def edges(self) -> Sequence[tuple[int, int]] | NDArray[np.int64]:
        """The edges; an array has a row for each."""

    @property
    def colours(self) -> Sequence[int]:
        """The colour of each vertex, by number."""


class Bliss:
    """A process that answers questions about a graph, see `solvers.symmetry.bliss`.

    It can be ended at any time.
    """

    def __init__(self, graph: Coloured) -> None:
        """Start the process and send it the graph.

        Raises `InputError` if the process breaks down.
        """
        script = Path(__file__).with_name("bliss.py")  # it answers questions from its standard input
        self._process = subprocess.Popen(
            [sys.executable, "-P", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us alone
        )
        self.end = weakref.finalize(self, _end, self._process)  # also called when this object is no longer used
        self._send((len(graph.colours), graph.edges))

    def ask(self, stop: Event, question: str, *arguments: Any) -> Any:
        """Ask a question and return its answer.

        question: the name of a method of `solvers.symmetry.bliss.Questions`. arguments: those of the method.

        Raises `Stopped` once the event is set, `InputError` if the process broke down.
        """
        self.begin(question, *arguments)
        return self.answer(stop)

    def begin(self, question: str, *arguments: Any) -> None:
        """Send a question without waiting for its answer.

        question: the name of a method of `solvers.symmetry.bliss.Questions`. arguments: those of the method. Raises
        `InputError` if the process has ended.
        """
        self._send((question, arguments))

    def answer(self, stop: Event) -> Any:
        """Wait for the answer to the oldest open question, and return it.

        Raises `Stopped` once the event is set; the process is ended then. Raises `InputError` if the process broke
        down.
        """
        stream = self._process.stdout
        assert stream
        while not select([stream], [], [], PROOF_POLL_SECONDS)[0]:
            if stop.is_set():
                self.end()
                raise Stopped
        try:
            return pickle.load(stream)
        except (EOFError, pickle.UnpicklingError):
            raise _search_failure() from None

    def _send(self, message: Any) -> None:
        """Send a message to the process, pickled; raise `InputError` if the process has ended."""
        stream = self._process.stdin
        assert stream
        try:
            pickle.dump(message, stream)
            stream.flush()
        except BrokenPipeError:
            raise _search_failure() from None


def _search_failure() -> InputError:
    """Return the error that says that the search for symmetries failed."""
    return InputError("the search for symmetries failed; choose `--symmetry declared` or `--symmetry none`")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and close its pipes."""
    process.kill()
    with suppress(OSError):
        process.communicate()
