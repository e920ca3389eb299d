"""Finds symmetries that nobody declared, and proves declared ones: automorphisms of a model's constraint graph.

The graph has a vertex for each literal and for each vertex of the model's terms (`constraint_graph`), joined to what it
holds. An automorphism carries terms to terms, and so solutions to solutions. Those that are found carry each literal
to one of the same colour, and whether a literal is one of the key's is part of its colour: so they permute the key's
literals. What moves none of these is no symmetry of the solutions and is dropped. Of a declared symmetry the images of
the key's literals are known, and those of the other literals are searched for.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from models.puzzle import Symmetry
from solvers.deadline import Deadline
from solvers.errors import CheckError, InputError, Stopped
from solvers.symmetry.constraint_graph import Terms, Vertex, literals_of, renamed
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.groups import Group, Numbered, Permutation, check_size
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

POLL_SECONDS = 0.1
"""Seconds between two looks at whether the search is to be stopped."""

MOST_SECONDS = 10.0
"""What a proof may take; longer, and the symmetries are believed."""

SETS = ("bool_or", "bool_and", "at_most_one", "exactly_one")
"""Constraints on a set of literals, each of which is there once."""


def found(model: CpModel, key: Key, stop: Event) -> list[Symmetry]:
    """Generators of the group that a model's constraint graph has on the key, each verified against the model.

    Every one of them is a symmetry of the solutions; there may be others that the graph does not show.

    Raises `InputError` for a model that is too large; `Stopped` once the event is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_int_var(0, 9, "x"), model.new_int_var(0, 9, "y")
    >>> _ = model.add(x + y <= 9)
    >>> [symmetry("x", 3) for symmetry in found(model, Key(model, {"x": x, "y": y}), Event())]
    [('y', 3)]
    """
    check_size(key)
    said = terms(model, key.variables, stop)
    graph = _Graph(said, key)
    symmetries: dict[tuple[int, ...], Symmetry] = {}
    for generator in graph.automorphisms(stop):
        if not graph.is_kept_by(generator):
            raise CheckError("the search for symmetries came upon one that does not keep the model")
        image = graph.on_key(generator)
        if image != tuple(range(key.size)):
            symmetries.setdefault(image, Numbered(key, image))
    return list(symmetries.values())


def proved(model: CpModel, group: Group, stop: Event) -> bool:
    """Whether each generator of the group was proved to carry solutions of the model to solutions of the same value.

    False says only that there is no such proof.

    Raises `Stopped` once the event is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_int_var(0, 9, "x"), model.new_int_var(0, 9, "y")
    >>> _ = model.add(x + y <= 9)
    >>> group = Group(Key(model, {"x": x, "y": y}), [lambda label, value: ("y" if label == "x" else "x", value)])
    >>> proved(model, group, Event())
    True
    >>> _ = model.add(x == 0)
    >>> proved(model, group, Event())
    False
    """
    if group.order == 1 or all(map(_Clauses(model, group.key).is_kept_by, group.generators)):
        return True
    patience = Deadline(stop)
    patience.begin(MOST_SECONDS)
    try:
        graph = _Graph(terms(model, group.key.variables, patience), group.key)
        return graph.extends([generator.tolist() for generator in group.generators], patience)
    except InputError:
        return False
    except Stopped:
        if stop.is_set():
            raise
        return False


class _Clauses:
    """The constraints of a model that holds literals of the key in sets, and nothing else: quicker than its graph."""

    def __init__(self, model: CpModel, key: Key) -> None:
        proto = model.clone().proto  # merely looking at a field of a proto may set it
        self._key = key
        self._are_all = (
            key.is_plain
            and len(key.variables) == len(proto.variables)
            and not (proto.has_objective() or proto.has_floating_point_objective() or len(proto.assumptions))
        )
        self._said: set[tuple[str, frozenset[int], frozenset[int]]] = set()
        for constraint in proto.constraints if self._are_all else ():
            kind = next((kind for kind in SETS if getattr(constraint, f"has_{kind}")()), None)
            literals = list(getattr(constraint, kind).literals) if kind else []
            if not kind or len(set(literals)) < len(literals):
                self._are_all = False
                break
            self._said.add((kind, frozenset(constraint.enforcement_literal), frozenset(literals)))

    def is_kept_by(self, element: Permutation) -> bool:
        """Whether it carries the constraints to each other, and the two literals of each variable to those of one."""
        if not self._are_all or (element[1::2] != element[::2] ^ 1).any():
            return False
        variables, image = self._key.variables, dict[int, int]()
        for variable, number in zip(variables, element[::2].tolist(), strict=True):
            true = variables[number // 2]
            image[variable], image[-variable - 1] = (-true - 1, true) if number % 2 else (true, -true - 1)
        return all(
            (kind, frozenset(map(image.__getitem__, enforced)), frozenset(map(image.__getitem__, literals)))
            in self._said
            for kind, enforced, literals in self._said
        )


class _Graph:
    """The constraint graph; its vertices are the literals that matter, and those of the terms."""

    def __init__(self, said: Terms, key: Key) -> None:
        self._key, self._literals, self._terms = key, said.literals, said.found
        self._position = {variable: position for position, variable in enumerate(key.variables)}
        self._of_key = [self._literal(*key.literal(number)) for number in range(key.size)]
        self._holders: dict[int, list[Vertex]] = {literal: [] for literal in self._of_key}
        for term in said.found:
            for literal in set(literals_of(term)):
                self._holders.setdefault(literal, []).append(term)
        self._vertices, self._edges, self._colours = self._drawn()

    def _literal(self, position: int, value: int) -> int:
        """The literal that stands for one of the key's."""
        variable = self._key.variables[position]
        wide = self._literals.wide(variable)
        if wide is not None:
            return wide
        own = self._literals.own(variable)[value]
        return self._literals.one.get(own, own)

    def _values(self, literal: int) -> tuple[tuple[int, int], ...]:
        """Those that keep their names where the literal is carried to another: of a variable of very many values."""
        variable = self._literals.variable[literal]
        return tuple(self._literals.domains[variable]) if self._literals.wide(variable) is not None else ()

    def _kind(self, literal: int) -> Hashable:
        """What a literal has in common with those that an automorphism may carry it to."""
        variable = self._literals.variable[literal]
        position = self._position.get(variable)
        if position is None:
            return self._values(literal)
        if self._literals.is_fixed(variable):
            return "fixed", variable
        return "key", self._values(literal), self._key.is_boolean[position]

    def _drawn(self) -> tuple[list[int], list[tuple[int, int]], list[Hashable]]:
        """The literals, which are the first vertices, all edges, and the colours of the other vertices."""
        literals = sorted(self._holders)
        vertex: dict[Any, int] = {literal: number for number, literal in enumerate(literals)}
        colours: list[Hashable] = []
        height = [0] * len(literals)
        edges: list[tuple[int, int]] = []

        def add(node: Any) -> int:
            if node not in vertex:
                held = [add(other) for other in node.held]
                number = vertex[node] = len(height)
                height.append(1 + max((height[other] for other in held), default=0))
                colours.append((node.colour, height[number], node in self._terms))
                edges.extend((number, other) for other in held)
            return vertex[node]

        for term in self._terms:
            add(term)
        return literals, edges, colours

    def automorphisms(self, stop: Event) -> Iterator[dict[int, int]]:
        """Generators of the group that keeps the colours: the image of each literal that is moved."""
        numbers: dict[Hashable, int] = {}
        colours = [*(("literal", self._kind(literal)) for literal in self._vertices), *self._colours]
        for generator in _bliss(self._edges, [numbers.setdefault(colour, len(numbers)) for colour in colours], stop):
            yield self._moved(generator)

    def extends(self, generators: Sequence[Sequence[int]], stop: Event) -> bool:
        """Whether each permutation of the key's literals is part of one of all literals that keeps the terms."""
        images = [self._given(generator) for generator in generators]
        if None in images:
            return False
        if set(self._vertices) == set(self._of_key):
            return all(self.is_kept_by({a: b for a, b in image.items() if a != b}) for image in images if image)
        numbers: dict[Hashable, int] = {}

        def numbered(names: Mapping[int, int]) -> list[int]:
            literals = (("named", names[n]) if n in names else ("literal", self._kind(n)) for n in self._vertices)
            return [numbers.setdefault(colour, len(numbers)) for colour in (*literals, *self._colours)]

        named = numbered({literal: literal for literal in self._of_key})
        others = [numbered(image) for image in images if image is not None]
        for image, mapping in zip(images, _bliss(self._edges, named, stop, others), strict=True):
            if image is None or mapping is None:
                return False
            moved = self._moved(mapping)
            if any(moved.get(a, a) != b for a, b in image.items()) or not self.is_kept_by(moved):
                raise CheckError("the search for symmetries came upon one that does not keep the model")
        return True

    def _given(self, generator: Sequence[int]) -> dict[int, int] | None:
        """The image of each literal that stands for one of the key's; None where there is no such."""
        image: dict[int, int] = {}
        for number, other in enumerate(generator):
            here, there = self._of_key[number], self._of_key[other]
            is_fixed, becomes_fixed = self._is_fixed(here), self._is_fixed(there)
            if self._values(here) != self._values(there) or is_fixed != becomes_fixed:
                return None
            if self._values(here) and self._key.literal(number)[1] != self._key.literal(other)[1]:
                return None
            if image.setdefault(here, there) != there:
                return None
        return image

    def _is_fixed(self, literal: int) -> bool:
        return self._literals.is_fixed(self._literals.variable[literal])

    def _moved(self, generator: Sequence[int]) -> dict[int, int]:
        literals = self._vertices
        return {
            literal: literals[image]
            for literal, image in zip(literals, generator, strict=False)
            if literals[image] != literal
        }

    def is_kept_by(self, image: Mapping[int, int]) -> bool:
        """Whether a permutation of literals, of which those that it moves are given, carries terms to terms.

        It carries different terms to different ones; so if it carries each to a term of the model, it permutes them.
        """
        touched = {term for literal in image for term in self._holders[literal]}
        return (
            set(image) == set(image.values())
            and all(self._values(literal) == self._values(other) for literal, other in image.items())
            and all(renamed(term, image) in self._terms for term in touched)
        )

    def on_key(self, image: Mapping[int, int]) -> tuple[int, ...]:
        """The number of the image of each literal of the key."""
        key, numbers = self._key, []
        for number, literal in enumerate(self._of_key):
            other = image.get(literal, literal)
            variable = self._literals.variable[other]
            is_wide = self._literals.wide(variable) is not None
            turned = key.literal(number)[1] if is_wide else self._literals.value(other)
            numbers.append(key.number(self._position[variable], turned))
        return tuple(numbers)


def _bliss(
    edges: Sequence[tuple[int, int]],
    colours: Sequence[int],
    stop: Event,
    others: Sequence[Sequence[int]] | None = None,
) -> Sequence[Any]:
    """What `bliss` finds: generators of the group of a graph, or what carries other colours to its colours.

    In a process that can be ended.
    """
    script = Path(__file__).with_name("bliss.py")
    process = subprocess.Popen(
        [sys.executable, "-P", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for us alone
    )
    unsent: bytes | None = pickle.dumps((len(colours), edges, colours, others))
    while not stop.is_set():
        with suppress(subprocess.TimeoutExpired):
            answer, _ = process.communicate(unsent, timeout=POLL_SECONDS)
            if process.returncode:
                raise InputError("the search for symmetries broke down; choose --symmetry declared or none")
            found: Sequence[Any] = pickle.loads(answer)
            return found
        unsent = None  # what is left of it, further calls send
    process.kill()
    process.communicate()
    raise Stopped
