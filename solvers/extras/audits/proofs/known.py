"""Symmetries of the listed solutions: those that a person says in a line, and those that are seen at two sizes.

The model's automorphisms are not all of its symmetries. A line that maps each solution of a complete list to one of the
list is a symmetry of these solutions: that is its proof. A line that nobody said might be one by chance, if the
solutions are few. So it counts only if the same line is a symmetry at another size of the data, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, combinations, islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label
from solvers.backends.registry import extension_backend
from solvers.base.errors import InputError, Stopped
from solvers.extras.audits.proofs.by_rules import ListedRules
from solvers.extras.audits.reading.lines import Element, Space, elements, space_of
from solvers.extras.audits.reading.orbits import MOST_WHOLE, Orbits, are_extendable, image_of
from solvers.extras.shared.large_groups.group import least_of_orbits
from solvers.extras.shared.large_groups.schreier_sims import Chain
from solvers.model.reading import has_objective
from solvers.running.stated import model_and_variables
from solvers.symmetry.automorphisms import Graph
from solvers.symmetry.constraint_kinds import terms
from solvers.symmetry.groups import Permutation
from solvers.symmetry.key import Decoded, Encoded, Key

Moved = NDArray[np.int32]
"""A permutation of the solutions: the number of each solution's image."""

MOST_TRIED = 100
"""The most solutions whose images are looked for if not all solutions are listed."""

MOST_ALIKE = 12
"""The most arrays, or single variables, of one shape for which each swap of two is proposed."""

MOST_ORDERED = 2000
"""The most solutions for which the number of elements of a group is computed."""


@dataclass
class AllSolutions:
    """All solutions of a model, in an order."""

    orbits: Orbits
    space: Space
    every: list[Encoded]
    decoded: list[Decoded]
    orbit: list[int]
    """The number of the orbit of each solution under the symmetries that were found, or declared."""
    _places: dict[tuple[str, ...], tuple[Sequence[Label], dict[tuple[int, ...], int]]] = field(default_factory=dict)

    def permutation(self, element: Element) -> Moved | tuple[int, dict[Label, int]]:
        """Return how an element permutes the solutions: an array of the number of each solution's image.

        An element maps the name of an array of variables to its image, which has a target array and a function of
        indices and value. If the image of a solution is not a solution, the result is the number of the first such
        solution and the values of the moved variables in its image; these are empty if it has no image, see
        `image_values`. If two solutions have the same image, the result is (0, {}).

        The moved arrays are those that the element maps. If no two solutions agree on them, the image is found by these
        arrays, whatever the other variables are; otherwise the other variables keep their values.
        """
        labels, number_of_values = self._distinguishing_labels(tuple(element))
        image = np.zeros(len(self.decoded), dtype=np.int32)
        for number, solution in enumerate(self.decoded):
            moved_values = image_values(element, self.space, solution)
            all_values = tuple(moved_values[label] if label in moved_values else solution[label] for label in labels)
            image_number = number_of_values.get(all_values) if moved_values else None
            if image_number is None:
                return number, moved_values
            image[number] = image_number
        is_injective = len(set(image.tolist())) == len(image)
        return image if is_injective else (0, {})

    def _distinguishing_labels(self, arrays: tuple[str, ...]) -> tuple[Sequence[Label], dict[tuple[int, ...], int]]:
        """Return (labels on which no two solutions agree, the number of each solution by its values of these labels).

        They are the labels of these arrays if no two solutions agree on them, otherwise all of the key. arrays: names;
        empty for all labels. Results are remembered in ``_places``.
        """
        if arrays not in self._places:
            labels: Sequence[Label] = [label for array in arrays for label in self.space.arrays[array].values()]
            labels = labels or self.orbits.key.labels
            number_of_values = {
                tuple(solution[label] for label in labels): number for number, solution in enumerate(self.decoded)
            }
            is_enough = len(number_of_values) == len(self.decoded)
            self._places[arrays] = (labels, number_of_values) if is_enough else self._distinguishing_labels(())
        return self._places[arrays]


def image_values(element: Element, space: Space, solution: Mapping[Label, int]) -> dict[Label, int]:
    """Return the values of the moved variables in the image of a solution.

    The result is empty if the image has two values for a variable, if a target is no variable, or if a line divides by
    0. element: maps each moved array to its image: an array, and a function of (indices, value) that returns the new
    indices and the new value. space: has the label of each variable by array and indices. solution: a value for each
    label.
    """
    image: dict[Label, int] = {}
    moved_count = 0
    for array, mapping in element.items():
        label_of_indices = space.arrays[mapping.array]
        for indices, label in space.arrays[array].items():
            try:
                new_indices, value = mapping.of(indices, solution[label])
            except ZeroDivisionError:
                return {}
            if new_indices in label_of_indices:
                image[label_of_indices[new_indices]] = value
            moved_count += 1
    return image if len(image) == moved_count else {}


def solutions_of(orbits: Orbits, numbers: Mapping[str, int]) -> AllSolutions | None:
    """Return all solutions, orbit by orbit; None if not all are known, or if they are none or too many.

    orbits: has one solution of each orbit in ``shown``, by the orbit's form; the group makes its images. numbers: the
    integer parameters of the model, which lines may name; so may ``best``, the best value of an objective.
    """
    key, group = orbits.key, orbits.group
    if not (orbits.is_complete and group and 0 < orbits.total * len(key.labels) <= MOST_WHOLE):
        return None
    best = {"best": int(orbits.best)} if orbits.best is not None else {}
    images_by_orbit = [[*group.each_image(solution)] for solution in orbits.shown.values()]
    solutions = [*chain.from_iterable(images_by_orbit)]
    decoded = [key.decode(encoded) for encoded in solutions]
    space = space_of(key, {**numbers, **best})
    for label in space.bounds:  # a symmetry that reverses values reverses those that occur
        values_of_label = {solution[label] for solution in decoded}
        space.bounds[label] = min(values_of_label), max(values_of_label)
    orbit_numbers = [number for number, images in enumerate(images_by_orbit) for _ in images]
    return AllSolutions(orbits, space, solutions, decoded, orbit_numbers)


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
    images: Sequence[Permutation] = field(default_factory=list)
    """The image of each literal of the key under its generators, if it is proved as an automorphism of the model."""
    is_by_rules: bool = False
    """True if nobody said it, and it maps each rule of the model to a rule."""

    @property
    def is_seen(self) -> bool:
        """Tell whether nobody said the line."""
        return bool(self.size) or self.is_by_rules

    @property
    def is_change(self) -> bool:
        """Tell whether a solution is mapped to another one."""
        return any((image != np.arange(len(image))).any() for image in self.generators)

    def as_json(self) -> dict[str, Any]:
        """Return this line's part of the JSON object that the command prints."""
        return {
            "line": self.words,
            "symmetry": self.is_symmetry,
            "also_at": self.size,
            "by_rules": self.is_by_rules,
            "example": self.example,
        }

    def __str__(self) -> str:
        """Return whether the line is a symmetry, and how that is known, as text; a refuted line has an example."""
        if self.is_symmetry is None:
            return f"not known: {self.words}; not all solutions could be listed"
        if self.size:
            return f"{self.words} (here and with {self.size}, of all solutions)"
        if self.is_by_rules:
            return f"{self.words} (proved, rule by rule)"
        how = "all solutions were listed" if self.generators else "as an automorphism of the model"
        refutation = f"refuted: {self.words} maps a solution to none\n  {self.example}"
        return f"{self.words} (proved: {how})" if self.is_symmetry else refutation


def judge_line(words: str, solutions: AllSolutions) -> Claim:
    """Return whether a line is a symmetry of the solutions, with a counterexample if not.

    A line has one or several elements (as ``swap rows of x`` has one for each two neighbours); each has to permute the
    solutions. words: the line. Raises `InputError` if it is not allowed.
    """
    generators = []
    for element in elements(words, solutions.space):
        image = solutions.permutation(element)
        if isinstance(image, tuple):  # no permutation: the number of a solution, and its image
            number, values = image
            return Claim(
                words,
                is_symmetry=False,
                example=_example(solutions.orbits.key.labels, solutions.decoded[number], values),
            )
        generators.append(image)
    return Claim(words, is_symmetry=True, generators=generators)


def judge_unlisted(words: str, orbits: Orbits, numbers: Mapping[str, int], stop: threading.Event) -> Claim:
    """Return whether a line is a symmetry of solutions that are not all listed.

    It is one if it is an automorphism of the model. It is none if a solution that was found is mapped to an assignment
    that is no solution. Otherwise, that is not known; with an objective, no solution is tried. words: the line. orbits:
    the solutions that were found, with their puzzle. numbers: the integers that lines may name. stop: ends the work
    when set. Raises `InputError` if the line is not allowed.
    """
    key, claim = orbits.key, Claim(words, is_symmetry=None)
    model, variables = model_and_variables(orbits.puzzle)
    best = {"best": int(orbits.best or 0)} if has_objective(model) else {}
    space = space_of(key, {**numbers, **best})
    generators = elements(words, space)
    images = [_images_of_literals(element, space, key) for element in generators]
    with suppress(Stopped, InputError):
        # Is it an automorphism: do the images extend to a permutation of all literals that maps constraints to such?
        if None not in images and Graph(terms(model, key.variables, stop), key).extends(images, stop):  # type: ignore[arg-type]
            return Claim(words, is_symmetry=True, images=[np.array(image, dtype=np.int32) for image in images])
        backend = extension_backend(model, [*variables.values()], stop)
        tried = [] if best else [key.decode(encoded) for encoded in islice(orbits.shown.values(), MOST_TRIED)]
        for element, solution in product(generators, tried):
            values = image_values(element, space, solution)
            image = {label: values.get(label, solution[label]) for label in key.labels}
            is_in_domains = all(map(_is_in_domain, key.domains, image.values()))
            # The backend searches for a solution of the model with the values of the image.
            is_solution = is_in_domains and all(are_extendable(backend, variables, [image]))
            if not values or not is_solution:
                return Claim(words, is_symmetry=False, example=_example(key.labels, solution, values))
    return claim


def _is_in_domain(domain: Iterable[tuple[int, int]], value: int) -> bool:
    """Tell whether a value is in a domain, which is given by its intervals."""
    return any(low <= value <= high for low, high in domain)


def _images_of_literals(element: Element, space: Space, key: Key) -> list[int] | None:
    """Return the number of each literal's image; None if the element does not permute the literals of the key.

    element: maps each moved array to its image, see `image_values`. The key numbers literals, each a pair (position of
    the variable, value), variable by variable; ``first`` has the number of the first literal at each position.
    """
    image = [*range(key.size)]
    for array, mapping in element.items():
        for indices, label in space.arrays[array].items():
            position = key.position[label]
            for number in range(key.first[position], key.first[position + 1]):
                _, value = key.literal(number)
                try:
                    new_indices, new_value = mapping.of(indices, value)
                    new_label = space.arrays[mapping.array][new_indices]
                    image[number] = key.number(key.position[new_label], new_value)
                except (KeyError, ValueError, ZeroDivisionError):  # no variable, outside its domain, or a division by 0
                    return None
    return image if len(set(image)) == key.size else None


def _example(labels: Sequence[Label], solution: Mapping[Label, int], values: Mapping[Label, int]) -> str:
    """Return a solution and the values that its image has, as text.

    values: those of the variables that are moved, by label; empty if there is no image.
    """
    solution_words = ", ".join(f"{label}={solution[label]}" for label in labels)
    image_text = ", ".join(f"{label}={values[label]}" for label in labels if label in values)
    return f"{solution_words} -> {image_text or 'a variable with two values, or one that there is not'}"


def proposals(space: Space) -> Iterator[str]:
    """Yield lines that are often symmetries, without regard to the model.

    For each array, these reverse or rotate indices or values, or exchange an index with the value; then lines for
    several arrays with the same values or the same indices. They name the ends of arrays and of domains, so that they
    mean the same at each size of the data. ``first`` and ``last`` are the ends of an index, ``least`` and ``most``
    those of the values of an array, ``low`` and ``high`` those of one variable's domain; ``best`` is the best value of
    the objective. An example is ``x[i,j] -> x[first+last-i,j]``, the reflection of a matrix.

    space: the arrays of the key. Arrays with more than three dimensions have lines for several arrays only.
    """
    for x in space.arrays:
        dimension = space.size(x)
        if dimension > 3:
            continue
        yield from (f"{x} -> least+most-{x}", f"{x} -> best-{x}")
        if dimension == 0:
            continue
        names = "ijk"[:dimension]
        entry = f"{x}[{','.join(names)}]"
        yield f"{entry} = v -> {entry} = low+high-v"
        for axis, name in enumerate(names):
            # The entry with another index at this axis: the reflected index, the next one, and the value.
            mirrored = _entry_with(x, names, axis, f"first+last-{name}")
            rotated = _entry_with(x, names, axis, f"first+({name}-first+1) mod (last-first+1)")
            exchanged = _entry_with(x, names, axis, "v")
            yield f"{entry} -> {mirrored}"
            yield from (f"{entry} = v -> {mirrored} = {value}" for value in ("least+most-v", "best-v", "low+high-v"))
            yield f"{entry} -> {rotated}"
            yield f"{entry} = v -> {exchanged} = {name}"
            parts = ("rows", "columns", "layers")[axis] if dimension > 1 else "elements"
            yield f"swap {parts} of {x}"
        if dimension == 2:
            yield f"transpose {x}"
            yield f"{x}[i,j] -> {x}[first+last-i,first+last-j]"
        if dimension > 1:
            yield f"swap indices of {x}"
        yield f"swap numbers of {x}"
        yield f"{x} -> least+({x}-least+1) mod (most-least+1)"
        yield f"swap values of {x}"
    arrays_of_shape: dict[Collection[tuple[int, ...]], list[str]] = {}  # by the set of indices
    for x, labels_of_array in space.arrays.items():
        arrays_of_shape.setdefault(frozenset(labels_of_array), []).append(x)
    arrays_of_range: dict[tuple[int, int], list[str]] = {}  # by the least and the greatest value
    for x in space.arrays:
        arrays_of_range.setdefault(space.values(x), []).append(x)
    for alike in arrays_of_range.values():
        if 1 < len(alike) <= MOST_ALIKE:
            yield "; ".join(f"{x} -> least+({x}-least+1) mod (most-least+1)" for x in alike)
            yield "; ".join(f"{x} -> least+most-{x}" for x in alike)
    for alike in arrays_of_shape.values():
        yield from (f"{x} -> {y}; {y} -> {x}" for x, y in combinations(alike[:MOST_ALIKE], 2))


def _entry_with(array: str, names: str, axis: int, index: str) -> str:
    """Return an entry such as x[i,v] with another index at one axis; names: a letter for each index."""
    return f"{array}[{','.join([*names[:axis], index, *names[axis + 1 :]])}]"


class Parts:
    """The orbits of all solutions under some permutations of them."""

    def __init__(self, solutions: AllSolutions, has_found: bool = True) -> None:
        """Begin with the orbits under the symmetries that were found, or declared.

        Orbits are computed from permutations of the solutions, by number: the first one has the given orbits as its
        cycles, others are added. has_found: False to begin with orbits of one solution each instead.
        """
        self._solutions, self._has_found = solutions, has_found
        self._cycles = _cycles(solutions.orbit if has_found else range(len(solutions.every)))
        self._added: list[Moved] = []
        self._least = least_of_orbits([self._cycles], len(self._cycles))  # of each solution's orbit, its least number

    def add(self, generators: Collection[Moved]) -> None:
        """Join orbits by further permutations."""
        self._added += generators
        self._least = least_of_orbits([self._cycles, *self._added], len(self._cycles))

    def are_kept_by(self, generators: Iterable[Moved]) -> bool:
        """Tell whether each permutation maps each orbit to itself."""
        least = np.array(self._least)
        return all((least[image] == least).all() for image in generators)

    @property
    def orbit(self) -> dict[Encoded, int]:
        """The number of its orbit, by solution."""
        return dict(zip(self._solutions.every, self._least, strict=True))

    def membership(self, solutions: Collection[Encoded]) -> NDArray[np.bool_]:
        """Return, for each solution, whether it is one of ``solutions``."""
        members = set(solutions)
        return np.array([solution in members for solution in self._solutions.every])

    def join_orbits(self, orbit: Mapping[Encoded, int]) -> dict[Encoded, int]:
        """Return the number of each solution's part if these orbits are joined with those of another group.

        Two solutions have the same number if a chain of orbits of either kind, each sharing a solution with the next,
        leads from one to the other. orbit: the number of its orbit under that group, by solution.
        """
        cycles = _cycles([orbit[solution] for solution in self._solutions.every])
        least = least_of_orbits([self._cycles, *self._added, cycles], len(cycles))
        return dict(zip(self._solutions.every, least, strict=True))

    def order(self, stop: threading.Event) -> int | None:
        """Return the order of the group that all permutations of these parts generate.

        Elements that permute the solutions alike count once. The result is None if there are more than `MOST_ORDERED`
        solutions, if no symmetries of the model were looked for, or if no time is left. The order comes from a chain of
        stabilisers (Schreier and Sims) of permutations of the solutions.
        """
        every_solution, orbits = self._solutions.every, self._solutions.orbits
        if len(every_solution) > MOST_ORDERED or not orbits.group:
            return None
        index_of = {solution: index for index, solution in enumerate(every_solution)}
        permutations = [np.arange(len(every_solution), dtype=np.int32), *self._added]
        for generator in orbits.group.generators if self._has_found else ():
            images = [index_of[image_of(orbits.key, generator, solution)] for solution in every_solution]
            permutations.append(np.array(images, dtype=np.int32))
        try:
            return Chain(permutations, order=None, stop=stop).order
        except Stopped:
            return None


def _cycles(orbit: Sequence[Hashable]) -> Moved:
    """Return a permutation whose cycles are orbits: each point goes to the next one of its orbit.

    orbit: the name of the orbit of each point.
    """
    points_of_orbit: dict[Hashable, list[int]] = {}
    for point, name in enumerate(orbit):
        points_of_orbit.setdefault(name, []).append(point)
    image = np.arange(len(orbit), dtype=np.int32)
    for points in points_of_orbit.values():
        image[points] = [*points[1:], points[0]]
    return image


def confirm_lines(
    solutions: AllSolutions,
    parts: Parts,
    others: Callable[[], Iterable[tuple[str, AllSolutions]]],
    stop: threading.Event,
) -> Iterator[Claim]:
    """Yield the proposed lines that are symmetries here and at another size, and that join orbits.

    Lines that are proved rule by rule need no other size; they come first. A line whose generators map each orbit to
    itself joins none, and is left out. parts: the orbits so far, which this joins. others: yields (text that says the
    data, the solutions) at other sizes of the data; only its first size is used. stop: ends the work when set.
    """
    claims = []
    for words in dict.fromkeys(proposals(solutions.space)):
        claim = None if stop.is_set() else _test_line(words, solutions)
        if claim and not parts.are_kept_by(claim.generators):
            claims.append(claim)
    for claim in _lines_proved_by_rules(claims, solutions, stop) if claims else ():
        if not parts.are_kept_by(claim.generators):
            claim.is_by_rules = True
            parts.add(claim.generators)
            yield claim
    claims = [claim for claim in claims if not claim.is_by_rules and not parts.are_kept_by(claim.generators)]
    for size, other_solutions in islice(others(), 1) if claims else ():
        for claim in claims:
            other_claim = _test_line(claim.words, other_solutions)
            if other_claim and other_claim.is_change and not parts.are_kept_by(claim.generators):
                claim.size = size
                parts.add(claim.generators)
                yield claim


def _lines_proved_by_rules(claims: Iterable[Claim], solutions: AllSolutions, stop: threading.Event) -> Iterator[Claim]:
    """Yield the lines that map each rule of the model to a rule.

    A rule is the set of values that constraints, with the hidden variables they share, allow for their key variables.
    claims: the lines. stop: ends the work when set.
    """
    key, space = solutions.orbits.key, solutions.space
    model, _ = model_and_variables(solutions.orbits.puzzle)
    rules = ListedRules(model, key, stop)
    for claim in claims:
        with suppress(InputError):
            images = [_images_of_literals(element, space, key) for element in elements(claim.words, space)]
            if all(image is not None and rules.are_mapped(image) for image in images):
                yield claim


def _test_line(words: str, solutions: AllSolutions) -> Claim | None:
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
    """Which they are: joined (found and said), said (besides those that are declared), seen, found or declared."""
    order: int | None
    lines: list[Claim] = field(default_factory=list)
    parts: Parts | None = None
    """The orbits of all solutions; None if these could not be listed."""
    said: Known | None = None
    """Those that a person said, alone, as far as they are proved; None if there are none, or others are declared."""

    @property
    def images(self) -> list[Permutation]:
        """The images of the literals of the key under lines that are proved without a list of the solutions."""
        return [image for line in self.lines for image in line.images]

    def violations(self, kept_solutions: Collection[Encoded]) -> list[str]:
        """Return the lines that map a kept solution to one that is not kept; none if not all solutions are listed."""
        if not self.parts:
            return []
        is_kept = self.parts.membership(kept_solutions)  # for each solution, by number
        return [
            line.words
            for line in self.lines
            if any(
                not is_kept[image[is_kept]].all() for image in line.generators
            )  # `image[is_kept]`: images of kept ones
        ]


def find_symmetries(
    orbits: Orbits,
    symmetry: str,
    line_texts: Sequence[str],
    numbers: Mapping[str, int],
    others: Callable[[], Iterable[tuple[str, AllSolutions]]],
    stop: threading.Event,
) -> Known:
    """Judge the lines that a person said, look for others, and return all symmetries of the solutions.

    Further symmetries are looked for only if all solutions are listed and the symmetries were found, not declared.
    orbits: those under the symmetries that were found or declared. symmetry: "found" or "declared". line_texts: the
    lines. numbers: the integers that lines may name. others: lists the solutions at other sizes of the data. stop: ends
    the work when set. Raises `InputError` for a line that is none that is allowed.
    """
    result = Known(symmetry, orbits.group.order if orbits.group else None)
    solutions = solutions_of(orbits, numbers)
    if not solutions:
        result.lines = [judge_unlisted(words, orbits, numbers, stop) for words in line_texts]
        _note_group(result, solutions=None, stop=stop)
        return result
    result.parts = parts = Parts(solutions)
    result.lines = [judge_line(words, solutions) for words in line_texts]
    for line in result.lines:
        parts.add(line.generators)
    _note_group(result, solutions, stop)
    if symmetry == "found":
        confirmed = [*confirm_lines(solutions, parts, others, stop)]
        result.lines += confirmed
        result.group = "seen" if confirmed and result.group == "found" else result.group
    if result.group in ("joined", "said", "seen"):  # the group is larger than that of the orbits
        result.order = parts.order(stop)
    return result


def _note_group(known: Known, solutions: AllSolutions | None, stop: threading.Event) -> None:
    """Note in ``known`` which group its lines make, if some of them are proved to be symmetries.

    It is that of the lines alone if no other symmetries are known; otherwise it is joined with these, and the group of
    the lines alone is noted, too. solutions: all of them; None if they could not be listed. stop: ends the work when
    set.
    """
    proved = [line for line in known.lines if line.is_symmetry]
    if not proved:
        return
    if known.group == "declared":
        known.group = "said"
        return
    known.group = "joined"
    alone = known.said = Known("said", order=None, lines=[*known.lines])
    if solutions:
        alone.parts = Parts(solutions, has_found=False)
        for line in proved:
            alone.parts.add(line.generators)
        alone.order = alone.parts.order(stop)
    elif images := alone.images:  # of the literals, under lines that are automorphisms
        with suppress(Stopped):
            alone.order = Chain(images, order=None, stop=stop).order
