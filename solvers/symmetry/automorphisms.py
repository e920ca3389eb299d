"""Finds symmetries that nobody declared: automorphisms of a model's constraint graph, seen on its key.

The graph has a vertex for each literal and for each bag of the model's terms (`solvers.symmetry.constraint_graph`),
joined to what it holds. An automorphism carries each literal to one of the same colour, and whether a literal is one of
the key's is part of its colour: so it permutes the key's literals. What moves none of these is no symmetry of the
solutions and is dropped.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event
from typing import TYPE_CHECKING, Any

from models.puzzle import Symmetry
from solvers.errors import CheckError, InputError, Stopped
from solvers.symmetry.constraint_graph import Bag, Terms, literals_of, renamed
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.groups import Numbered, check_size
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

PATIENCE = 0.1
"""Seconds between two looks at whether the search is to be stopped."""


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
        graph.verify(generator)
        image = graph.on_key(generator)
        if image != tuple(range(key.size)):
            symmetries.setdefault(image, Numbered(key, image))
    return list(symmetries.values())


class _Graph:
    """The constraint graph; its vertices are the literals that matter, and the bags."""

    def __init__(self, said: Terms, key: Key) -> None:
        self._key, self._literals, self._terms = key, said.literals, said.found
        self._positions: dict[int, list[int]] = defaultdict(list)
        for position, variable in enumerate(key.variables):
            self._positions[variable].append(position)
        self._of_key = [self._literal(*key.literal(number)) for number in range(key.size)]
        self._colour: dict[int, Hashable] = {}
        self._holders: dict[int, list[Bag]] = defaultdict(list)
        for literal in self._of_key:
            self._colour[literal] = self._kind(literal)
        for term in said.found:
            for literal in set(literals_of(term)):
                self._colour[literal] = self._kind(literal)
                self._holders[literal].append(term)

    def _literal(self, position: int, value: int) -> int:
        """The literal that stands for one of the key's."""
        variable = self._key.variables[position]
        wide = self._literals.wide(variable)
        if wide is not None:
            return wide
        own = self._literals.own(variable)[value]
        return self._literals.one.get(own, own)

    def _kind(self, literal: int) -> Hashable:
        """What a literal has in common with those that it may be carried to."""
        variable = self._literals.variable[literal]
        domain = tuple(self._literals.domains[variable]) if self._literals.wide(variable) is not None else ()
        positions = self._positions.get(variable)
        if not positions:
            return domain
        if self._literals.is_fixed(variable):
            return "fixed", variable
        return "key", domain, len(positions), self._key.is_boolean[positions[0]]

    def automorphisms(self, stop: Event) -> Iterator[dict[int, int]]:
        """Generators of the group that keeps the colours: the image of each literal that is moved."""
        literals = sorted(self._colour)
        vertex: dict[Any, int] = {literal: number for number, literal in enumerate(literals)}
        colours: list[Hashable] = [("literal", self._colour[literal]) for literal in literals]
        height = [0] * len(literals)
        edges: list[tuple[int, int]] = []

        def add(node: Any) -> int:
            if node not in vertex:
                held = [add(other) for other in node.held]
                number = vertex[node] = len(colours)
                height.append(1 + max((height[other] for other in held), default=0))
                colours.append((node.colour, height[number], node in self._terms))
                edges.extend((number, other) for other in held)
            return vertex[node]

        for term in self._terms:
            add(term)
        numbers: dict[Hashable, int] = {}
        for generator in _bliss(edges, [numbers.setdefault(colour, len(numbers)) for colour in colours], stop):
            yield {
                literal: literals[image]
                for literal, image in zip(literals, generator, strict=False)
                if literals[image] != literal
            }

    def verify(self, image: Mapping[int, int]) -> None:
        """Hold a permutation of literals, of which those that it moves are given, against colours and terms.

        It carries different terms to different ones; so if it carries each to a term of the model, it permutes them.
        """
        touched = {term for literal in image for term in self._holders[literal]}
        if (
            set(image) != set(image.values())
            or any(self._colour[literal] != self._colour[other] for literal, other in image.items())
            or any(renamed(term, image) not in self._terms for term in touched)
        ):
            raise CheckError("the search for symmetries came upon one that does not keep the model")

    def on_key(self, image: Mapping[int, int]) -> tuple[int, ...]:
        """The number of the image of each literal of the key."""
        key, numbers = self._key, []
        for number, literal in enumerate(self._of_key):
            position, value = key.literal(number)
            other = image.get(literal, literal)
            variable = self._literals.variable[other]
            nth = self._positions[key.variables[position]].index(position)
            turned = value if self._literals.wide(variable) is not None else self._literals.value(other)
            numbers.append(key.number(self._positions[variable][nth], turned))
        return tuple(numbers)


def _bliss(edges: Sequence[tuple[int, int]], colours: Sequence[int], stop: Event) -> Sequence[Sequence[int]]:
    """Generators of the group of a graph, in a process that can be ended."""
    with TemporaryFile() as graph:
        pickle.dump((len(colours), edges, colours), graph)
        graph.seek(0)
        script = Path(__file__).with_name("bliss.py")
        process = subprocess.Popen(
            [sys.executable, "-P", script],
            stdin=graph,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us alone
        )
        while not stop.is_set():
            with suppress(subprocess.TimeoutExpired):
                answer, _ = process.communicate(timeout=PATIENCE)
                if process.returncode:
                    raise InputError("the search for symmetries broke down; choose --symmetry declared or none")
                generators: Sequence[Sequence[int]] = pickle.loads(answer)
                return generators
        process.kill()
        process.communicate()
        raise Stopped
