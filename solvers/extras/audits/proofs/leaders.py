"""Proofs that symmetry breakings keep a solution of each orbit, without a list of the solutions.

Each orbit has a first solution in any order of the solutions, and no symmetry maps it to an earlier one. So a search
looks for a solution that no element of a set of symmetries maps to an earlier one, and that a marked constraint
removes. If there is none, the constraint keeps the first solution of each orbit. The set need not be the whole group:
with a smaller one, the search only finds more solutions that are no first ones. The set grows by elements that map
such solutions to earlier ones.

References
----------
J. Crawford, M. Ginsberg, E. Luks, A. Roy, "Symmetry-breaking predicates for search problems", KR 1996
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label, Puzzle
from solvers.backends.protocol import Task
from solvers.backends.registry import make_backend
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.extras.audits.reading.lines import space_of
from solvers.extras.audits.reading.orbits import are_extendable
from solvers.model.reading import NONNEGATIVE, POSITIVE, LinearSum, has_objective, linear_sum, negation, of_variable
from solvers.model.writing import ModelWriter, drop_objective, value_literal
from solvers.running.stated import model_and_variables
from solvers.symmetry.automorphisms import are_generators_proved, find_automorphism_group, group_of_symmetries
from solvers.symmetry.groups import Group, Permutation
from solvers.symmetry.key import Key

MOST_ELEMENTS, MOST_ENTRIES = 1000, 4_000_000
"""The most symmetries that are at hand, and the most literals in all of them together."""

MOST_HELD = 60
"""The most symmetries that one search holds solutions to."""

MOST_FIRST, MOST_MORE = 20, 5
"""How many symmetries a search begins with, and how many are added after each solution that it finds."""

MOST_IN_COMPARISON = 60
"""The most variables that a comparison of a solution and its image looks at."""

MOST_SUMMED = 20_000
"""The most literals in sums that represent values of an image."""

MOST_APART = 1000
"""The most elements of a group for which it is asked whether a constraint keeps just one solution of each orbit."""

MOST_SPURIOUS = 20
"""The most solutions of a search that the constraint does not remove after all."""

MOST_FIRSTS = 40
"""The most variables that an order begins with out of turn."""

MOST_NAMED_OF_ORDER = 3
"""The most variables of an order that are named."""


class Order(NamedTuple):
    """An order of solutions: the first variable in which two differ decides."""

    positions: Sequence[int]
    """The places of all variables in the key, the most important first."""
    sign: int
    """1 if smaller values come first, -1 if greater ones do."""

    def in_words(self, labels: Sequence[Label]) -> str:
        """Return the order in words, such as "x[1], x[2], x[3], ..., least values first"; labels: those of the key."""
        names = [str(labels[position]) for position in self.positions[:MOST_NAMED_OF_ORDER]]
        names += ["..."] * (len(self.positions) > MOST_NAMED_OF_ORDER)
        return f"{', '.join(names)}, {'least' if self.sign > 0 else 'greatest'} values first"


class FirstKept(NamedTuple):
    """A proof that symmetry breakings keep the first solution of each orbit."""

    order: str
    """The order of solutions, in words."""
    keeps_one: bool | None
    """Whether no other solution is kept; None if that is not known."""


@dataclass
class Symmetries:
    """Symmetries of a model's solutions, and where each maps a given solution."""

    key: Key
    elements: Sequence[Permutation]
    """As images of the literals of the key; the simplest first."""
    order: int
    """The number of elements of the group."""
    first: Sequence[Permutation]
    """Generators of the group, as far as a search begins with these."""
    _position: NDArray[np.int64] = field(init=False)
    _value: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        """Note the variable and the value of each literal."""
        literals = [self.key.literal(number) for number in range(self.key.size)]
        self._position = np.array([position for position, _ in literals], dtype=np.int64)
        self._value = np.array([value for _, value in literals], dtype=np.int64)

    @property
    def is_whole(self) -> bool:
        """Tell whether all elements of the group but the identity are listed."""
        return len(self.elements) == self.order - 1

    def earlier(self, values: Sequence[int], order: Order) -> Iterator[Permutation]:
        """Yield the elements that map a solution to an earlier one in an order.

        The first variable, in the order, whose values in image and solution differ decides. values: those of the
        variables of the key in the solution.
        """
        literals = [self.key.number(position, value) for position, value in enumerate(values)]
        positions = np.array(order.positions)
        ordered_values = np.array(values)[positions]
        for element in self.elements:
            image_literals = element[literals]
            image = np.zeros(len(values), dtype=np.int64)  # the values of the variables in the image
            image[self._position[image_literals]] = self._value[image_literals]
            differences = (image[positions] - ordered_values) * order.sign
            nonzero = np.flatnonzero(differences)
            if len(nonzero) and differences[nonzero[0]] < 0:
                yield element

    def sources(self, element: Permutation) -> Iterator[tuple[int, Sequence[tuple[int, int]], Sequence[int]]]:
        """Yield (position, literals, values) for each variable whose value an element may change.

        Literals and values go together: in the image, the variable has the n-th value if and only if the solution has
        the n-th literal, which is a pair (position, value). position: the variable's place in the key. An example: for
        the exchange of x and y, with values 0 and 1, x has the literals ((1, 0), (1, 1)), those of y, and the values
        (0, 1).
        """
        inverse = np.argsort(element)
        moved = np.flatnonzero(element != np.arange(len(element)))  # an element maps these to each other
        for position in np.unique(self._position[moved]).tolist():
            begin, end = self.key.first[position : position + 2]  # the numbers of the variable's literals
            sources = inverse[begin:end]  # the numbers of the literals that are mapped to these
            literals = list(zip(self._position[sources].tolist(), self._value[sources].tolist(), strict=True))
            yield position, literals, self._value[begin:end].tolist()


def symmetries_of(key: Key, generators: Collection[Permutation], order: int) -> Symmetries:
    """Return the symmetries of a group that move few literals, as many as the limits allow.

    They are found from the generators, by conjugation with generators and by multiplication, the simplest first: each
    element from the queue, a heap, is multiplied in both ways with each generator. key: numbers the literals.
    generators: each has the number of each literal's image. order: the number of elements of the group.
    """
    generator_arrays = [np.asarray(generator, dtype=np.int32) for generator in generators]
    identity = np.arange(key.size, dtype=np.int32)
    most_allowed = min(MOST_ELEMENTS, MOST_ENTRIES // max(1, key.size))
    most = min(order - 1, max(len(generator_arrays), most_allowed))  # all but the identity, if that are not too many
    number = count()  # decides between elements of the same rank, as arrays cannot be compared
    seen = {identity.tobytes()}
    queue: list[tuple[tuple[bool, int], int, Permutation]] = []  # (rank, number, element)
    value = np.array([key.literal(literal)[1] for literal in range(key.size)], dtype=np.int64)

    def rank(element: Permutation) -> tuple[bool, int]:
        """Tell whether an element changes values, and how many literals it moves: simple ones come first."""
        return bool((value[element] != value).any()), int((element != identity).sum())

    def add_element(element: Permutation) -> None:
        """Put an element into the queue, unless it was there before or there are enough."""
        if len(seen) <= most and element.tobytes() not in seen:
            seen.add(element.tobytes())
            heapq.heappush(queue, (rank(element), next(number), element))

    for generator in generator_arrays:
        add_element(generator)
    elements: list[Permutation] = []
    inverses = [np.argsort(generator).astype(np.int32) for generator in generator_arrays]
    while queue:
        _, _, element = heapq.heappop(queue)
        elements.append(element)
        for generator, inverse in zip(generator_arrays, inverses, strict=True):
            add_element(generator[element[inverse]])  # the conjugate: first the inverse, last the generator
        for generator in generator_arrays:
            add_element(generator[element])
    return Symmetries(key, sorted(elements, key=rank), order, sorted(generator_arrays, key=rank)[:MOST_FIRST])


class _Search:
    """A search for a solution of a puzzle that no symmetry maps to an earlier one."""

    def __init__(self, puzzle: Puzzle, symmetries: Symmetries, order: Order, stop: threading.Event) -> None:
        """Begin with the rules of a puzzle, whose labels are those of the symmetries' key, without its objective.

        order: the order by which one solution is earlier than another one. stop: ends the search when set. Raises
        `InputError` if the puzzle is invalid, or lacks a label. ``_variables`` has the proto index of each variable of
        the key, ``_writer`` adds constraints to the copy of the model.
        """
        model, variables = model_and_variables(puzzle)
        self._symmetries = symmetries
        self._order = order
        self._stop = stop
        missing = [label for label in symmetries.key.labels if label not in variables]
        if missing:
            raise InputError(f"{puzzle.name}: there is no variable {missing[0]}")
        self._variables = [variables[label] for label in symmetries.key.labels]
        self._model = model.clone()
        drop_objective(self._model.proto)
        self._writer = ModelWriter(self._model)
        self._literals: dict[tuple[int, int], LinearSum] = {}
        """The sum of `_literal` for each position and value that was asked for."""
        self._rank = {position: rank for rank, position in enumerate(order.positions)}
        """The rank, in the order, of each position of the key."""

    def require_order(self, element: Permutation, is_reversed: bool = False) -> bool:
        """Require that the image under an element is not earlier; if reversed, that it is earlier.

        The comparison is lexicographic: each difference, image minus solution, has to be at least 0 (for an order with
        the least values first), unless an earlier one is positive. It may stop after `MOST_IN_COMPARISON` variables,
        which only requires less; reversed, it has to be complete, and the last difference positive. Returns whether
        that took few enough terms; otherwise nothing is required.
        """
        differences = self._differences(element)
        if differences is None or (is_reversed and not differences):
            return False
        sign = -self._order.sign if is_reversed else self._order.sign
        if not is_reversed:
            differences = differences[:MOST_IN_COMPARISON]
        # `require` puts a sum into a domain, unless one of the literals is true.
        unless: list[int] = []  # a literal that may be true only if an earlier difference is positive
        for number, difference in enumerate(differences):
            total = difference.times(sign)
            if is_reversed and number == len(differences) - 1:
                self._writer.require(total, POSITIVE, unless)
                break
            self._writer.require(total, NONNEGATIVE, unless)
            may_be_equal = self._writer.new_literal()  # if false, this difference, or an earlier one, is positive
            self._writer.require(total, POSITIVE, [*unless, may_be_equal])
            unless = [negation(may_be_equal)]
        return True

    def _differences(self, element: Permutation) -> list[LinearSum] | None:
        """Return, for each variable that an element moves, its value in the image minus that in the solution.

        These are sums of the model's variables, the most important variable first. A sum that is 0 wherever earlier
        ones are is left out: one that is constantly 0, or equal to an earlier one up to the sign. The result is None if
        the sums are too long.
        """
        sums: dict[int, LinearSum] = {}  # by the position of the variable in the key
        for position, pairs, values in self._symmetries.sources(element):  # the literals that give it these values
            total = self._value_in_image(pairs, values)
            if total is None:
                return None
            sums[position] = total - of_variable(self._variables[position])
        seen = set[tuple[frozenset[tuple[int, int]], int]]()  # sums as (pairs of variable and coefficient, offset)
        differences = []
        for position in sorted(sums, key=self._rank.__getitem__):
            difference = sums[position]
            if not difference.coefficients and not difference.offset:
                continue
            with_both_signs = [
                (frozenset(total.coefficients.items()), total.offset) for total in (difference, difference.times(-1))
            ]
            if seen.isdisjoint(with_both_signs):
                differences.append(difference)
            seen.update(with_both_signs)
        return differences

    def _value_in_image(self, pairs: Sequence[tuple[int, int]], values: Sequence[int]) -> LinearSum | None:
        """Return the value of a variable in the image, as a sum; None if it is too long.

        If all literals are of one variable x, and the values are x + c or c - x for a constant c, the sum has this
        variable only. Otherwise it has a term, value times literal, for each literal. pairs: the literals, as (position
        in the key, value). values: the value that the variable has in the image if the literal at the same place is
        true.
        """
        first_position = pairs[0][0]
        if all(position == first_position for position, _ in pairs):
            for sign in (1, -1):
                offsets = {value - sign * source for (_, source), value in zip(pairs, values, strict=True)}
                if len(offsets) == 1:
                    return linear_sum([self._variables[first_position]], [sign], offsets.pop())
        if len(self._literals) + len(pairs) > MOST_SUMMED:
            return None
        total = LinearSum({}, 0)
        for pair, value in zip(pairs, values, strict=True):
            total += self._literal(*pair).times(value)
        return total

    def _literal(self, position: int, value: int) -> LinearSum:
        """Return a sum that is 1 if a variable has a value, otherwise 0; position: of the variable in the key.

        The sum of a negated literal ~x is 1 - x. OR-Tools writes it as a negative index.
        """
        pair = position, value
        if pair not in self._literals:
            literal = int(value_literal(self._model, self._variables[position], value).index)
            is_positive = literal >= 0
            index = literal if is_positive else negation(literal)
            self._literals[pair] = LinearSum({index: 1}) if is_positive else LinearSum({index: -1}, 1)
        return self._literals[pair]

    def forbid(self, values: Sequence[int]) -> None:
        """Require that a solution differs from this one; values: of the variables of the key."""
        pairs = zip(self._variables, values, strict=True)
        literals = (value_literal(self._model, variable, value) for variable, value in pairs)
        self._writer.clause(negation(int(literal.index)) for literal in literals)

    def solution_values(self) -> list[int] | None:
        """Return the values of the variables of the key in a solution; None if there is certainly none.

        Raises `Stopped` once the time is over, `InputError` if no backend takes the model.
        """
        # A solution that agrees with an assignment of no variable, that is, any solution.
        (values,) = make_backend("cp-sat", Task(self._model, self._variables, self._stop)).extend([{}])
        return None if values is None else [int(values[variable]) for variable in self._variables]


class MarkedModel(Protocol):
    """The model with marked constraints, given by their places; see `reading.marks.Marked`."""

    def puzzle(self, kept_marks: Collection[int]) -> Puzzle:
        """Return the model with only these of its marked constraints."""

    def violating(self, kept_marks: Collection[int], mark: int) -> Puzzle | None:
        """Return the model with these marks in which another one is violated; None if that cannot be said."""


class Prover:
    """Looks for an order in which marked constraints keep the first solution of each orbit."""

    def __init__(self, marked: MarkedModel, base: Puzzle, symmetries: Symmetries, stop: Deadline) -> None:
        """Store the model with its marks, which are constraints that should break symmetry.

        base: the model without them. symmetries: those by which the marks are judged. stop: ends the work when set.
        """
        self._marked = marked
        self._base = base
        self._symmetries = symmetries
        self._stop = stop
        self._posed: dict[int, tuple[Puzzle, Callable[[Mapping[Label, int]], bool]]] = {}
        """What `_pose` has returned for each mark, by its place."""

    def proofs(self, breaking: Sequence[int]) -> list[FirstKept | None]:
        """Return the proof for each of some marks alone, and for all of them together; None where there is none.

        Orders are tried one after the other. A mark alone may be proved in any of them; all together are proved if each
        mark is proved in the same one, as then all of them keep the first solution of that order. breaking: the places
        of the marks. If there is only one, there is no entry for all together.
        """
        order_by_place: dict[int, Order] = {}
        together: Order | None = None
        with suppress(Stopped):
            for order in self._orders():
                refuting: list[Permutation] = []  # symmetries that helped earlier searches in this order
                is_kept = []
                for place in breaking:
                    if self._stop.is_set():
                        raise Stopped
                    with suppress(InputError):  # a model that is refused proves nothing in this order
                        is_kept.append(self._keeps_first(place, order, refuting))
                        if is_kept[-1]:
                            order_by_place.setdefault(place, order)
                if is_kept == [True] * len(breaking):  # each mark alone keeps the first solutions of this order
                    together = together or order
                if together and len(order_by_place) == len(breaking):
                    break
        places_and_orders = [([place], order_by_place.get(place)) for place in breaking]
        places_and_orders += [([*breaking], together)] if len(breaking) > 1 else []
        return [order and self._proof(places, order) for places, order in places_and_orders]

    def _orders(self) -> Iterator[Order]:
        """Yield orders of the solutions, the more usual ones first.

        They take the variables in the order of the key, array by array with the last index first (so column by column
        for a matrix), with one array or one variable before all others, and most of these reversed; each once with the
        least values first, and once with the greatest.
        """
        key = self._symmetries.key
        every_position = range(len(key.labels))
        arrays = space_of(key, {}).arrays  # for each array, the label of each tuple of indices
        across = []  # the last index first
        for array in arrays.values():
            labels = [label for _, label in sorted(array.items(), key=lambda item: item[0][::-1])]
            across += [key.position[label] for label in labels]
        sequences = [[*every_position], [*reversed(every_position)], across, across[::-1]]
        for name in arrays:
            positions_of_array = [key.position[label] for label in arrays[name].values()]
            other_positions = [position for position in every_position if position not in {*positions_of_array}]
            sequences += [[*positions_of_array, *other_positions], [*positions_of_array[::-1], *other_positions]]
        sequences += [
            [first, *(other for other in every_position if other != first)] for first in every_position[:MOST_FIRSTS]
        ]
        for positions in dict.fromkeys(map(tuple, sequences)):
            for sign in (1, -1):
                yield Order(positions, sign)

    def _keeps_first(self, place: int, order: Order, permutations: list[Permutation]) -> bool:
        """Tell whether it is proved that a mark keeps the first solution of each orbit.

        A search looks for a solution that violates the mark, and that no symmetry of a set maps to an earlier one. If
        it finds one, further symmetries that map this one to an earlier one join the set, and the search goes on. If
        there are none, or the set is full, this may be a first solution: if the mark removes it, nothing is proved. If
        not, because other values of hidden variables satisfy the mark, it is spurious: it is forbidden, and the search
        goes on. If nothing is left to find, it is proved. place: that of the mark. order: of the solutions of an orbit.
        permutations: symmetries that helped before, to which the search adds more. Raises `Stopped` once the time is
        over.
        """
        violating, is_removed = self._pose(place)
        symmetries = self._symmetries
        search = _Search(violating, symmetries, order, self._stop)
        for element in (*symmetries.first, *permutations):
            search.require_order(element)
        spurious = 0
        while (values := search.solution_values()) is not None:
            added = []
            for element in symmetries.earlier(values, order):
                if search.require_order(element):
                    added.append(element)
                if len(added) == MOST_MORE:
                    break
            permutations += added
            if added and len(permutations) <= MOST_HELD:
                continue
            if spurious == MOST_SPURIOUS or is_removed(dict(zip(symmetries.key.labels, values, strict=True))):
                return False
            spurious += 1
            search.forbid(values)
        return True

    def _pose(self, place: int) -> tuple[Puzzle, Callable[[Mapping[Label, int]], bool]]:
        """Return the model in which a mark is violated, and a function that says whether it removes a solution.

        The function takes a value for each label. A mark that cannot be negated has the model without marks in place of
        the first. place: that of the mark. Results are remembered.
        """
        if place not in self._posed:
            violating = self._marked.violating((), place) or self._base  # without any other mark
            model, variables = model_and_variables(self._marked.puzzle([place]))
            marked_model = model.clone()
            drop_objective(marked_model.proto)
            backend = make_backend("cp-sat", Task(marked_model, [*variables.values()], self._stop))

            def is_removed(solution: Mapping[Label, int]) -> bool:
                """Tell whether the model with the mark lacks a solution."""
                return not all(are_extendable(backend, variables, [solution]))

            self._posed[place] = violating, is_removed
        return self._posed[place]

    def _proof(self, places: Sequence[int], order: Order) -> FirstKept:
        """Return the proof that marks keep the first solutions in an order, and whether they keep no others."""
        words = order.in_words(self._symmetries.key.labels)
        keeps_one: bool | None = None
        with suppress(Stopped, InputError):
            keeps_one = self._keeps_one(places, order)
        return FirstKept(words, keeps_one)

    def _keeps_one(self, places: Sequence[int], order: Order) -> bool | None:
        """Tell whether marks that keep the first solution of each orbit keep no others; None if that is not known.

        They keep another one iff some element of the group maps a solution that they keep to an earlier one; a search
        looks for such a solution, for each element. That is not known for a group that is too large, or not all of
        whose elements are listed. places: those of the marks. order: of the solutions of an orbit.
        """
        if not self._symmetries.is_whole or self._symmetries.order > MOST_APART:
            return None
        puzzle = self._marked.puzzle(places)
        for element in self._symmetries.elements:
            search = _Search(puzzle, self._symmetries, order, self._stop)
            if not search.require_order(element, is_reversed=True):  # the image is earlier
                return None  # this takes too many terms
            if search.solution_values() is not None:
                is_perhaps_worse = has_objective(model_and_variables(puzzle)[0])  # the search ignores the objective
                return None if is_perhaps_worse else False
        return True


def symmetries_without_list(
    base: Puzzle, group: Group | None, symmetry: str, stop: threading.Event
) -> Symmetries | None:
    """Return the proved symmetries of a model; None if there is no proof, or no time for it.

    Automorphisms that are found are proved by that. Declared symmetries are proved by being automorphisms, too. base:
    the model. group: its group, if that is known. symmetry: found or declared. stop: ends the work when set.
    """
    model, variables = model_and_variables(base)
    key = Key(model, variables)
    with suppress(InputError, Stopped):
        if symmetry == "found" and not group:
            automorphisms = find_automorphism_group(model, key, stop)  # its generators are named
            return symmetries_of(key, [*automorphisms.generators.values()], automorphisms.order)
        group = group or group_of_symmetries(model, key, base.symmetries, stop)
        if group.is_proved or are_generators_proved(model, group, stop):
            return symmetries_of(key, group.generators, group.order)
    return None
