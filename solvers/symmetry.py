"""Symmetry: the group that the declared generators close to, orbits of solutions, and constraints that break it.

Breaking keeps exactly one solution of each orbit. Where the literals of a constraint "exactly one of these" are
permuted among themselves, one literal of each orbit is allowed, and what still moves the others while that literal
stays (its stabiliser) is broken in turn, on the condition that this literal is the chosen one. What remains is broken
by lex-leader constraints, one for each element left: no image of a solution comes before it (J. Crawford, M. Ginsberg,
E. Luks, A. Roy, "Symmetry-breaking predicates for search problems", KR 1996).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label, Literal, Symmetry
from solvers.backend import CheckFailed, Refused
from solvers.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Permutation = NDArray[np.int32]
"""The number of each literal's image."""

MOST_ELEMENTS = 40_320
"""The largest group that is closed: 8!, the names of eight like parts."""

MOST_IMAGES = 200_000_000
"""The largest product of elements and literals: what a group takes in memory is four bytes for each."""

AT_ONCE = 100_000
"""Literals of images that are made at once, unless one orbit has more: a few megabytes."""

MOST_COMPARISONS = 2_000_000
"""The largest product of elements and key variables for which lex-leader constraints are written."""


class WrongSymmetry(CheckFailed):
    """A declared symmetry is none; the message names it."""


class Group:
    """The permutations of a key's literals that the generators close to, the identity first.

    Raises `WrongSymmetry` if a generator does not permute the literals, `Refused` if the group is too large.
    """

    def __init__(self, key: Key, generators: Sequence[Symmetry]) -> None:
        self.key = key
        self._variable = np.repeat(np.arange(len(key.labels)), np.diff(key.first)) if generators else np.arange(0)
        self._generators = {
            f"symmetry {number} ({getattr(symmetry, '__name__', 'unnamed')})": symmetry
            for number, symmetry in enumerate(generators, 1)
        }
        self.generators = [permutation(key, symmetry, name) for name, symmetry in self._generators.items()]
        self.elements = _closure(key, self.generators)
        self._literal_wise = not all(_keeps_booleans(key, element) for element in self.elements)

    @property
    def order(self) -> int:
        """How many elements the group has."""
        return len(self.elements)

    def images(self, solution: Encoded) -> list[Encoded]:
        """The different images of a solution, the least first; the orbit's size is how many there are.

        Raises `WrongSymmetry` if an image gives a variable two values.
        """
        return next(self.orbits([solution]))

    def orbits(self, solutions: Iterable[Encoded]) -> Iterator[list[Encoded]]:
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
                raise WrongSymmetry(f"a declared symmetry gives a variable two values in an image of {shown}")
            encoded: Callable[[list[int]], Encoded] = self._without_false if self._literal_wise else tuple
            yield sorted(set(map(encoded, orbit)))

    def keeping(self, literals: Collection[int]) -> "Group":
        """The subgroup whose elements permute these literals, by number, among themselves."""
        if self.order == 1 or not literals:
            return self
        held = np.array(sorted(literals))
        elements = self.elements[(np.sort(self.elements[:, held], axis=1) == held).all(axis=1)]
        generators: list[Permutation] = []
        generated = {elements[0].tobytes()}
        for element in elements:
            if element.tobytes() not in generated:
                generators.append(element)
                generated = {product.tobytes() for product in _closure(self.key, generators)}
        return Group(self.key, [Numbered(self.key, generator.tolist()) for generator in generators])

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


def permutation(key: Key, symmetry: Symmetry, name: str) -> Permutation:
    """A declared symmetry as a permutation of the key's literals; `WrongSymmetry`, which names it, if it is none."""
    if key.size > MOST_IMAGES:
        raise Refused(
            f"the key has {key.size} literals, too many for its symmetries; declare none or use smaller domains"
        )
    image = np.empty(key.size, dtype=np.int32)
    for source in range(key.size):
        position, value = key.literal(source)
        literal = key.labels[position], value
        try:
            label, turned = symmetry(*literal)
            image[source] = key.number(key.position[label], turned)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise WrongSymmetry(f"{name} carries the literal {literal} to none of the key ({error})") from error
    if len(np.unique(image)) < key.size:
        twice = int(np.bincount(image).argmax())
        position, value = key.literal(twice)
        raise WrongSymmetry(f"{name} carries two literals to the same one, {(key.labels[position], value)}")
    return image


def _closure(key: Key, generators: Sequence[Permutation]) -> NDArray[np.int32]:
    identity = np.arange(key.size if generators else 0, dtype=np.int32)
    elements, seen = [identity], {identity.tobytes()}
    for element in elements:
        for generator in generators:
            product = generator[element]
            if product.tobytes() not in seen:
                if len(elements) == MOST_ELEMENTS or len(elements) * key.size > MOST_IMAGES:
                    raise Refused(
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


def break_symmetry(model: "CpModel", group: Group) -> "CpModel":
    """A copy of the model that has exactly one solution of each orbit.

    Every variable that is added is determined by the key. Raises `Refused` where that takes too many constraints.
    """
    broken = model.clone()
    if group.order > 1:
        _Breaker(broken, group.key).leave_one_of_each_orbit(group.elements, _choices(model, group.key), [])
    return broken


def _choices(model: "CpModel", key: Key) -> list[list[int]]:
    """The sets of key literals of which the model says that exactly one is true."""
    position = {variable: p for p, variable in enumerate(key.variables)}
    choices = [list(range(key.first[p], key.first[p + 1])) for p, boolean in enumerate(key.is_boolean) if not boolean]
    for constraint in model.proto.constraints:
        if not constraint.has_exactly_one() or len(constraint.enforcement_literal):
            continue
        literals = list(constraint.exactly_one.literals)
        positions = [position.get(max(literal, -literal - 1)) for literal in literals]
        choice = {key.first[p] + (literal < 0) for p, literal in zip(positions, literals, strict=True) if p is not None}
        if len(choice) == len(literals):
            choices.append(sorted(choice))
    return choices


def _cost(group: NDArray[np.int32], choice: list[int]) -> tuple[int, int] | None:
    """How many elements are left to break if one of each orbit of the choice is allowed, and how many those are.

    None where the group does not permute the choice within itself, or where that leaves as much to break as there was.
    """
    images = group[:, choice]
    if not np.isin(images, choice).all():
        return None
    least = images.min(axis=0) == choice
    left = int(((images == choice).sum(axis=0) - 1)[least].sum())
    return (left, int(least.sum())) if left < len(group) - 1 else None


class _Breaker:
    """Adds constraints to a model. A condition is a list of its literals: what is added holds where all of them do."""

    def __init__(self, model: "CpModel", key: Key) -> None:
        self.model = model
        self.key = key
        self.comparisons = 0
        self._literals: dict[int, Any] = {}
        self._different = _different(model, key)

    def leave_one_of_each_orbit(self, group: NDArray[np.int32], choices: list[list[int]], condition: list[Any]) -> None:
        best = min(((cost, n) for n, choice in enumerate(choices) if (cost := _cost(group, choice))), default=None)
        if best is None:
            for element in group:
                self._lex_leader(element, condition)
            return
        choice = choices[best[1]]
        others = [other for other in choices if other is not choice]
        for number in choice:
            literal, images = self._literal(number), group[:, number]
            if images.min() < number:
                self._clause([~literal], condition)
            elif len(stabiliser := group[images == number]) > 1:
                self.leave_one_of_each_orbit(stabiliser, others, [*condition, literal])

    def _lex_leader(self, element: Permutation, condition: list[Any]) -> None:
        """The solution does not come after its image, whose literal n is the solution's literal element[n].

        Coordinate by coordinate, as long as all before were equal: an integer is at most its image, a literal is true
        if its image is.
        """
        equal_so_far = condition
        for here, there, integers in self._coordinates(element):
            self.comparisons += 1
            if self.comparisons > MOST_COMPARISONS:
                raise Refused(
                    f"breaking the symmetries takes more than {MOST_COMPARISONS} comparisons; "
                    "break none with --all, or declare fewer"
                )
            if integers:
                x, y = self._variable(here), self._variable(there)
                if any(here in positions and there in positions for positions in self._different):
                    self.model.add(x < y).only_enforce_if(equal_so_far)
                    return
                self.model.add(x <= y).only_enforce_if(equal_so_far)
                not_before = self.model.new_bool_var("")
                self.model.add(x >= y).only_enforce_if(not_before)
                self.model.add(x < y).only_enforce_if(~not_before)
            else:
                a, b = self._literal(here), self._literal(there)
                self._clause([a, ~b], equal_so_far)
                if a.index == (~b).index:
                    return
                not_before = self._any_of([~a, b])
            equal_so_far = [~self._any_of([~literal for literal in (*equal_so_far, not_before)])]

    def _coordinates(self, element: Permutation) -> Iterator[tuple[int, int, bool]]:
        """What a solution and its image differ in at most: pairs of positions (integers) or else of literals."""
        key, seen = self.key, set[tuple[frozenset[int], bool]]()
        for position, boolean in enumerate(key.is_boolean):
            numbers = range(key.first[position], key.first[position + 1])
            images = element[numbers.start : numbers.stop].tolist()
            other = key.literal(images[0])[0]
            integers = not boolean and key.domains[other] == key.domains[position] and images == [*self._numbers(other)]
            pairs = [(position, other)] if integers else zip(numbers, images[:1] if boolean else images, strict=False)
            for here, there in pairs:
                pair = frozenset((here, there)), integers
                if here != there and pair not in seen:
                    seen.add(pair)
                    yield here, there, integers

    def _numbers(self, position: int) -> range:
        return range(self.key.first[position], self.key.first[position + 1])

    def _variable(self, position: int) -> Any:
        return self.model.get_int_var_from_proto_index(self.key.variables[position])

    def _literal(self, number: int) -> Any:
        if number not in self._literals:
            position, value = self.key.literal(number)
            variable = self._variable(position)
            if self.key.is_boolean[position]:
                literal = variable if value else ~variable
            else:
                literal = self.model.new_bool_var("")
                self.model.add(variable == value).only_enforce_if(literal)
                self.model.add(variable != value).only_enforce_if(~literal)
            self._literals[number] = literal
        return self._literals[number]

    def _any_of(self, literals: list[Any]) -> Any:
        """A new variable that is true iff one of the literals is."""
        result = self.model.new_bool_var("")
        self.model.add_bool_or(literals).only_enforce_if(result)
        self.model.add_bool_and([~literal for literal in literals]).only_enforce_if(~result)
        return result

    def _clause(self, literals: list[Any], condition: list[Any]) -> None:
        self.model.add_bool_or([*literals, *(~literal for literal in condition)])


def _different(model: "CpModel", key: Key) -> list[set[int]]:
    """Sets of key variables, by position, that the model says are all different."""
    position = {variable: p for p, variable in enumerate(key.variables)}
    sets: list[set[int]] = []
    for constraint in model.proto.constraints:
        if constraint.has_all_diff() and not len(constraint.enforcement_literal):
            alike: dict[tuple[int, int], set[int]] = {}
            for expression in constraint.all_diff.exprs:
                if len(expression.vars) == 1 and expression.vars[0] in position:
                    form = expression.coeffs[0], expression.offset
                    alike.setdefault(form, set()).add(position[expression.vars[0]])
            sets.extend(alike.values())
    return sets
