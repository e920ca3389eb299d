"""Symmetries of the listed solutions: those that a person says in a line, and those that are seen at two sizes.

The model's automorphisms are not all of its symmetries. A line that maps each solution of a complete list to one of the
list is a symmetry of these solutions: that is its proof. A line that nobody said might be one by chance, if the
solutions are few. So it counts only if the same line is a symmetry at another size of the data, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label
from solvers.errors import InputError, Stopped
from solvers.extras.ground.large_groups.group import least_of_orbits
from solvers.extras.ground.large_groups.schreier_sims import Chain
from solvers.extras.studies.audit.lines import Element, Space, elements, space_of
from solvers.extras.studies.audit.orbits import MOST_WHOLE, Orbits, moved
from solvers.symmetry.key import Decoded, Encoded

Moved = NDArray[np.int32]
"""A permutation of the solutions: the number of each solution's image."""

MOST_ORDERED = 2000
"""The most solutions for which the number of elements of a group is computed."""


@dataclass
class AllSolutions:
    """All solutions of a model, in an order."""

    orbits: Orbits
    space: Space
    every: list[Encoded]
    decoded: list[Decoded]

    def permutation(self, element: Element) -> Moved | tuple[int, dict[Label, int]]:
        """Return how an element permutes the solutions.

        If an image is no solution, the result is the number of the first such solution, and the values that its image
        has. If the moved arrays tell all solutions apart, the other variables follow from them; otherwise these keep
        their values.
        """
        labels = [label for array in element for label in self.space.arrays[array].values()]
        place = {tuple(one[label] for label in labels): n for n, one in enumerate(self.decoded)}
        if len(place) < len(self.decoded):
            labels = self.orbits.key.labels
            place = {tuple(one[label] for label in labels): n for n, one in enumerate(self.decoded)}
        image = np.zeros(len(self.decoded), dtype=np.int32)
        for number, solution in enumerate(self.decoded):
            values = self._image(element, solution)
            held = tuple(values[label] if label in values else solution[label] for label in labels)
            other = place.get(held) if values else None
            if other is None:
                return number, values
            image[number] = other
        return image if len(set(image.tolist())) == len(image) else (0, {})

    def _image(self, element: Element, solution: Decoded) -> dict[Label, int]:
        """Return the values of the moved variables in the image of a solution.

        The result is empty if the image has two values for a variable, or a variable that there is not.
        """
        image: dict[Label, int] = {}
        count = 0
        for array, goes in element.items():
            targets = self.space.arrays[goes.array]
            for indices, label in self.space.arrays[array].items():
                try:
                    there, value = goes.of(indices, solution[label])
                except ZeroDivisionError:
                    return {}
                if there in targets:
                    image[targets[there]] = value
                count += 1
        return image if len(image) == count else {}


def solutions_of(orbits: Orbits, numbers: Mapping[str, int]) -> AllSolutions | None:
    """Return all solutions, in an order; None if not all are known, or if they are none or too many.

    numbers: the integer parameters of the model.
    """
    key, group = orbits.key, orbits.group
    if not (orbits.is_complete and group and 0 < orbits.total * len(key.labels) <= MOST_WHOLE):
        return None
    best = {"best": int(orbits.best)} if orbits.best is not None else {}
    every = [*chain.from_iterable(map(group.each_image, orbits.shown.values()))]
    decoded = [key.decode(one) for one in every]
    space = space_of(key, {**numbers, **best})
    for label in space.bounds:  # a symmetry that reverses values reverses those that occur
        own = {solution[label] for solution in decoded}
        space.bounds[label] = min(own), max(own)
    return AllSolutions(orbits, space, every, decoded)


@dataclass
class Claim:
    """A symmetry in a line, and whether it is one of the solutions."""

    words: str
    is_symmetry: bool | None
    """None if that is not known."""
    size: str = ""
    """The other data at which it is a symmetry, too, if nobody said it."""
    example: str = ""
    """A solution whose image is none, as text, and this image."""
    generators: Sequence[Moved] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return this line's part of the JSON object that the command prints."""
        return {"line": self.words, "symmetry": self.is_symmetry, "also_at": self.size, "example": self.example}

    def __str__(self) -> str:
        """Return what is known of the line, as text."""
        if self.is_symmetry is None:
            return f"not known: {self.words}; not all solutions could be listed"
        if self.size:
            return f"{self.words} (here and with {self.size}, of all solutions)"
        return f"{self.words} (proved: all solutions were listed)" if self.is_symmetry else self._refuted()

    def _refuted(self) -> str:
        """Return the example by which the line is refuted, as text."""
        return f"refuted: {self.words} maps a solution to none\n  {self.example}"


def judge_line(words: str, solutions: AllSolutions) -> Claim:
    """Tell whether a line is a symmetry of the solutions; raise `InputError` if it is none that is allowed."""
    generators = []
    for element in elements(words, solutions.space):
        image = solutions.permutation(element)
        if isinstance(image, tuple):
            number, values = image
            return Claim(words, False, example=_example(solutions, number, values))
        generators.append(image)
    return Claim(words, True, generators=generators)


def _example(solutions: AllSolutions, number: int, values: Mapping[Label, int]) -> str:
    """Return the solution of this number and the values that its image has, as text."""
    labels = solutions.orbits.key.labels
    here = ", ".join(f"{label}={solutions.decoded[number][label]}" for label in labels)
    there = ", ".join(f"{label}={values[label]}" for label in labels if label in values)
    return f"{here} -> {there or 'a variable with two values, or one that there is not'}"


def proposals(space: Space) -> Iterator[str]:
    """Yield lines that are often symmetries, without regard to the model.

    They name the ends of arrays and of domains, so that they mean the same at each size of the data.
    """
    for x in space.arrays:
        size = space.size(x)
        if size > 3:
            continue
        yield from (f"{x} -> least+most-{x}", f"{x} -> best-{x}")
        if size == 0:
            continue
        names = "ijk"[:size]
        here = f"{x}[{','.join(names)}]"
        yield f"{here} = v -> {here} = low+high-v"
        for n, name in enumerate(names):
            back = f"{x}[{','.join([*names[:n], f'first+last-{name}', *names[n + 1 :]])}]"
            turn = f"first+({name}-first+1) mod (last-first+1)"
            yield f"{here} -> {back}"
            yield from (f"{here} = v -> {back} = {value}" for value in ("least+most-v", "best-v", "low+high-v"))
            yield f"{here} -> {x}[{','.join([*names[:n], turn, *names[n + 1 :]])}]"
            yield f"{here} = v -> {x}[{','.join([*names[:n], 'v', *names[n + 1 :]])}] = {name}"
            yield f"swap {('rows', 'columns', 'layers')[n] if size > 1 else 'elements'} of {x}"
        if size == 2:
            yield f"transpose {x}"
            yield f"{x}[i,j] -> {x}[first+last-i,first+last-j]"
        yield f"{x} -> least+({x}-least+1) mod (most-least+1)"
        yield f"swap values of {x}"


class Parts:
    """The orbits of all solutions under some permutations of them."""

    def __init__(self, solutions: AllSolutions) -> None:
        """Begin with the orbits under the symmetries that were found, or declared."""
        group = solutions.orbits.group
        assert group
        self._solutions = solutions
        number = {solution: n for n, solution in enumerate(solutions.every)}
        key = solutions.orbits.key
        self.generators: list[Moved] = [
            np.array([number[moved(key, one, solution)] for solution in solutions.every], dtype=np.int32)
            for one in group.generators
        ]
        self._least = least_of_orbits(self.generators, len(solutions.every))

    def add(self, generators: Collection[Moved]) -> None:
        """Join orbits by further permutations."""
        self.generators += generators
        self._least = least_of_orbits(self.generators, len(self._solutions.every))

    def are_kept_by(self, generators: Iterable[Moved]) -> bool:
        """Tell whether each permutation maps each orbit to itself."""
        least = np.array(self._least)
        return all((least[image] == least).all() for image in generators)

    @property
    def orbit(self) -> dict[Encoded, int]:
        """The number of its orbit, by solution."""
        return dict(zip(self._solutions.every, self._least, strict=True))

    def chosen(self, some: Collection[Encoded]) -> NDArray[np.bool_]:
        """Return, for each solution, whether it is one of ``some``."""
        own = set(some)
        return np.array([solution in own for solution in self._solutions.every])

    def joined(self, orbit: Mapping[Encoded, int]) -> dict[Encoded, int]:
        """Return the number of each solution's part if these orbits are joined with those of another group.

        orbit: the number of its orbit under that group, by solution.
        """
        members: dict[int, list[int]] = {}
        for number, solution in enumerate(self._solutions.every):
            members.setdefault(orbit[solution], []).append(number)
        cycles = np.arange(len(self._solutions.every), dtype=np.int32)
        for own in members.values():
            cycles[own] = [*own[1:], own[0]]
        least = least_of_orbits([*self.generators, cycles], len(cycles))
        return dict(zip(self._solutions.every, least, strict=True))

    def order(self, stop: threading.Event) -> int | None:
        """Return the number of elements of the group; those that permute the solutions alike count once.

        The result is None if there are many solutions, or no time is left.
        """
        if len(self._solutions.every) > MOST_ORDERED:
            return None
        try:
            return Chain(self.generators, None, stop).order
        except Stopped:
            return None


def seen(
    solutions: AllSolutions, parts: Parts, others: Callable[[], Iterable[tuple[str, AllSolutions]]]
) -> Iterator[Claim]:
    """Yield the proposed lines that are symmetries here and at another size, and that join orbits.

    parts: the orbits so far. others: lists the solutions at other sizes of the data, the first of which decides.
    """
    new = []
    for words in dict.fromkeys(proposals(solutions.space)):
        line = _tried(words, solutions)
        if line and not parts.are_kept_by(line.generators):
            new.append(line)
    if not new:
        return
    for size, there in others():
        for line in new:
            if _tried(line.words, there) and not parts.are_kept_by(line.generators):
                line.size = size
                parts.add(line.generators)
                yield line
        return


def _tried(words: str, solutions: AllSolutions) -> Claim | None:
    """Return a proposed line if it is a symmetry of these solutions; None if it is none, or means nothing here."""
    try:
        line = judge_line(words, solutions)
    except InputError:
        return None
    return line if line.is_symmetry else None


@dataclass
class Known:
    """The symmetries by which symmetry breakings are judged, and the orbits under all of them together."""

    group: str
    """The symmetries beyond those that were found: said, or seen; otherwise found or declared."""
    order: int | None
    lines: list[Claim] = field(default_factory=list)
    parts: Parts | None = None
    """The orbits of all solutions; None if these could not be listed."""

    def broken(self, kept: Collection[Encoded]) -> list[str]:
        """Return the lines that map a kept solution to one that is not kept."""
        if not self.parts:
            return []
        own = self.parts.chosen(kept)
        return [line.words for line in self.lines if any(not own[image[own]].all() for image in line.generators)]


def known_symmetries(
    orbits: Orbits,
    symmetry: str,
    said: Sequence[str],
    numbers: Mapping[str, int],
    others: Callable[[], Iterable[tuple[str, AllSolutions]]],
    stop: threading.Event,
) -> Known:
    """Judge the lines that a person said, look for others, and return all symmetries of the solutions.

    orbits: those under the symmetries that were found or declared. symmetry: "found" or "declared". said: the lines.
    numbers: the integers that lines may name. others: lists the solutions at other sizes of the data. stop: ends the
    work when set. Raises `InputError` for a line that is none that is allowed.
    """
    result = Known(symmetry, orbits.group.order if orbits.group else None)
    solutions = solutions_of(orbits, numbers)
    if not solutions:
        result.lines = [Claim(words, None) for words in said]
        return result
    result.parts = parts = Parts(solutions)
    result.lines = [judge_line(words, solutions) for words in said]
    for line in result.lines:
        parts.add(line.generators)
    if any(line.is_symmetry for line in result.lines):
        result.group = "said"
    if symmetry == "found":
        more = [*seen(solutions, parts, others)]
        result.lines += more
        result.group = "seen" if more and result.group == "found" else result.group
    if result.group in ("said", "seen"):
        result.order = parts.order(stop)
    return result
