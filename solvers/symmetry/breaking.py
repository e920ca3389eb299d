"""The search where symmetry is broken: by cases, or by constraints that keep one solution of each orbit.

Exact covers are searched by `cases`; so they stay exact covers. Other models get constraints. Where the literals of a
constraint "exactly one of these" are permuted among themselves, one literal of each orbit is allowed, and what still
moves the others while that literal stays (its stabiliser) is broken in turn, on the condition that this literal is the
chosen one. The rest is broken by lex-leader constraints, one for each element left: no image of a solution comes
before it. Of a group for which these would take too many comparisons only some elements are led, those that move the
fewest literals.

An orbit that may be met more than once is recognised by its least image.

References
----------
J. Crawford, M. Ginsberg, E. Luks, A. Roy, "Symmetry-breaking predicates for search problems", KR 1996

J.-F. Puget, "Symmetry breaking using stabilizers", CP 2003
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.base.errors import InputError
from solvers.base.plugs import function
from solvers.base.tuning import TUNING
from solvers.model.reading import choice_of, negation, variable_of
from solvers.symmetry.cases import Moves, OrbitCases, best_within
from solvers.symmetry.groups import LITERALS_PER_BATCH, Group, ListedGroup, Permutation
from solvers.symmetry.key import Key, Numbered, key_literal

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


MAX_LEX_LEADER_ENTRIES = 2_000_000
"""The largest product of elements and key variables for which lex-leader constraints are written."""

WHOLE_SPACE = (), Fraction(1)
"""One case that is the whole space: no literals, weight 1."""


@dataclass(frozen=True)
class Broken:
    """A model to search in place of the original one, so that few solutions of each orbit are found.

    Variables that were added to it are determined by the key.
    """

    model: CpModel

    cases: Sequence[tuple[tuple[int, ...], Fraction]]
    """The parts of the space that are searched: disjoint cubes, each with its share of the space."""

    stands_for: Callable[[Numbered], Fraction | int] | None = None
    """Returns the number of solutions for which some solutions stand together when the search meets them.

    All solutions of an orbit that the search meets stand together for as many as the orbit has. It is None if the
    search meets exactly one solution of each orbit.
    """

    is_whole: bool = False
    """True if the search meets all solutions of each orbit."""

    never: Sequence[int] = ()
    """The proto indices of the variables that are false in every case.

    It is empty if other constraints were added to the model.
    """


def unbroken(model: CpModel) -> Broken:
    """Return the model unchanged, as one case in which every solution stands for itself."""
    return Broken(model, [WHOLE_SPACE], len, is_whole=True)


def for_search(
    model: CpModel, group: Group, *, is_cover: bool, stays_cover: bool = True, most: int | None = None, stop: Event
) -> Broken:
    """Return the model to search in place of the given one, so that few solutions of each orbit are found.

    An exact cover is split into cases, which add no constraints. If that splits nothing, and the model need not stay a
    cover, it gets constraints, as any other model does. A group without a list of its elements is left to a wing of the
    program (`function` returns what the wing provides).

    is_cover: whether the model is an exact cover with all of its variables in the key. stays_cover: whether it has to
    stay one, even if it has no choices by which symmetry could be broken. most: the most cases into which an exact
    cover is split; None for the default.

    Raises `Stopped` once the event is set. Raises `InputError` if an extra that is needed for a large group is not
    installed.
    """
    if group.order == 1:
        return Broken(model, [WHOLE_SPACE])
    if not isinstance(group, ListedGroup):
        broken: Broken = function("held to prefixes", "a group that is not listed")(model, group, stop)
        return broken
    if is_cover:
        broken = by_cases(model, group, most)
        if stays_cover or broken.model is not model or list(broken.cases) != [WHOLE_SPACE]:
            return broken
    return by_constraints(model, group)


def by_way(way: str, model: CpModel, group: Group, most: int | None = None) -> Broken:
    """Return the model to search where the user has chosen how symmetry is broken; see `Broken`.

    way: "none"; "cases"; "lex-leader", a constraint for each element of the group; or "generators", one for each
    generator. most: the most cases; None for the default. Raises `InputError` if this way does not fit: the group is
    too large to list, the model has nothing to split it by, or there would be too many comparisons.
    """
    if way == "none" or group.order == 1:
        return unbroken(model) if way == "none" else Broken(model, [WHOLE_SPACE])
    if not isinstance(group, ListedGroup):
        raise InputError(
            f"`--breaking {way}` needs all symmetries, and {group.order} are too many; choose `--breaking auto` or none"
        )
    if way == "cases":
        broken = by_cases(model, group, most)
        if list(broken.cases) == [WHOLE_SPACE] and broken.model is model:  # nothing was split
            raise InputError(
                "`--breaking cases` needs a rule that exactly one of some Booleans is true, whose Booleans the "
                "symmetries exchange; choose `--breaking lex-leader`"
            )
        return broken
    elements = list(group.elements[1:]) if way == "lex-leader" else group.generators  # the identity comes first
    breaker = _Breaker(model, group.key, MAX_LEX_LEADER_ENTRIES)
    for element in elements:
        breaker.lex_leader(element, [])
    is_full = len(elements) == group.order - 1  # all but the identity, so that one solution of each orbit is left
    return Broken(breaker.model, [WHOLE_SPACE], None if is_full else LexLeast(group, elements).stands_for)


def by_cases(model: CpModel, group: ListedGroup, most: int | None = None) -> Broken:
    """Return a search, split into cases that break its symmetry; see `Broken`.

    The cases are made of choices of Booleans: sets of literals of which exactly one is true. If some Booleans are false
    in every case, a copy of the model gets that as constraints. most: the most cases; None for the default.
    """
    key = group.key
    positive_literals = {key.number(position, 1) for position, boolean in enumerate(key.is_boolean) if boolean}
    choices = [choice for choice in key_choices(model, key) if positive_literals.issuperset(choice)]
    cases = OrbitCases(Moves(group.elements), choices, most)
    # The proto index of each literal's variable; `cases` has literals by their number in the key.
    variable = {number: key.variables[key.literal(number)[0]] for choice in choices for number in choice}
    never = [variable[number] for number in cases.never]
    model_of_case = model.clone() if never else model
    for index in never:
        model_of_case.add_bool_or([~model_of_case.get_bool_var_from_proto_index(index)])
    cubes: list[tuple[tuple[int, ...], Fraction]] = []
    for case in cases.cases:
        positive, negative = cases.cube(case)
        literals = *(variable[number] for number in positive), *(negation(variable[number]) for number in negative)
        cubes.append((literals, case.weight))  # references of the proto, and the share of the space
    return Broken(model_of_case, cubes, None if cases.is_exact else cases.stands_for, never=never)


def by_constraints(model: CpModel, group: ListedGroup) -> Broken:
    """Return the model with constraints that break its symmetries; see `Broken`.

    A lex-leader constraint says that a solution is not greater than its image under an element. If the constraints for
    the whole group would be too many for the size of the model, only some elements of the group get one: those that
    move the fewest literals, such as transpositions of a graph's nodes. Their constraints are short and leave few
    solutions of each orbit. If not even the first of them fits, nothing is broken. The model itself is not changed.
    """
    model_size = len(model.proto.variables) + len(model.proto.constraints)
    worthwhile = TUNING.max_lex_leader_comparisons + TUNING.lex_leader_comparisons_per_row * model_size
    most = min(MAX_LEX_LEADER_ENTRIES, worthwhile)  # comparisons of a variable with its image
    breaker = _Breaker(model, group.key, most)
    with suppress(InputError):  # the constraints for the whole group are too many
        breaker.leave_one(Moves(group.elements), key_choices(model, group.key), [])
        return Broken(breaker.model, [WHOLE_SPACE])
    breaker = _Breaker(model, group.key, most)  # a new copy of the model
    times_moved = (group.elements != group.elements[0]).sum(axis=1)  # the literals that each element moves
    by_moved = np.argsort(times_moved, kind="stable")[1:]  # without the identity, which moves nothing
    led: list[Permutation] = []
    for element in group.elements[by_moved]:
        if not breaker.has_room_for(element):
            break
        breaker.lex_leader(element, [])
        led.append(element)
    return Broken(breaker.model, [WHOLE_SPACE], LexLeast(group, led).stands_for) if led else unbroken(model)


class LexLeast:
    """The lex-least solutions: those not greater than their images under certain elements of a group.

    These elements are the led ones: those that have a lex-leader constraint. The order is lexicographic.
    """

    def __init__(self, group: ListedGroup, led: Sequence[Permutation]) -> None:
        """Store the group and its led elements.

        led: the elements with a lex-leader constraint, each as the number of every literal's image.
        """
        self._group, self._led = group, led

    def stands_for(self, solutions: Numbered) -> Fraction:
        """Return the number of solutions that some lex-least solutions represent, summed over them.

        If an orbit has several lex-least solutions, each represents the same share: the size of the orbit divided by
        their number. As each image of a solution comes from equally many elements, this share is the order of the group
        divided by the number of elements that map the solution to a lex-least one. That number is not 0: the least
        solution of the orbit is lex-least, and some element maps to it.

        solutions: a row for each, with the numbers of its literals. Literal n of an image is literal element[n] of the
        solution.
        """
        key = self._group.key
        solutions_by_elements = Counter[int]()  # by the number of elements that map the solution to a lex-least one
        at_once = max(1, LITERALS_PER_BATCH // max(1, self._group.elements.size))
        for start in range(0, len(solutions), at_once):
            numbers = key.with_false(solutions[start : start + at_once])
            is_true = np.zeros((len(numbers), key.size), dtype=bool)  # a column for each literal
            np.put_along_axis(is_true, numbers, True, axis=1)
            # A row for each solution and element: which literals are true in the image. Then only lex-least images are
            # kept: for each led element, those that are not greater than their own image.
            images = is_true[:, self._group.elements].reshape(-1, key.size)
            solution_of_image = np.repeat(np.arange(len(numbers)), self._group.order)
            for element in self._led:
                differs = images != images[:, element]
                first_difference = differs.argmax(axis=1)
                rows = np.arange(len(images))
                # The lesser one of two has the first literal that only one of them has. So an image is not greater
                # than its own image if it has that literal, or if the two do not differ.
                are_least = images[rows, first_difference] | ~differs[rows, first_difference]
                images, solution_of_image = images[are_least], solution_of_image[are_least]
            solutions_by_elements.update(np.bincount(solution_of_image, minlength=len(numbers)).tolist())
        shares = (Fraction(self._group.order * count, elements) for elements, count in solutions_by_elements.items())
        return sum(shares, Fraction(0))


def break_symmetry(model: CpModel, group: ListedGroup) -> CpModel:
    """Return a copy of the model that has exactly one solution of each orbit.

    Variables that are added are determined by the key.

    Raises `InputError` if that takes too many constraints.
    """
    if group.order == 1:
        return model.clone()
    breaker = _Breaker(model, group.key, MAX_LEX_LEADER_ENTRIES)
    breaker.leave_one(Moves(group.elements), key_choices(model, group.key), [])
    return breaker.model


def key_choices(model: CpModel, key: Key) -> list[list[int]]:
    """Return the sets of key literals, by number, of which exactly one is true.

    They are the literals of each integer key variable, and those of each constraint that requires exactly one to be
    true: an exactly-one, or a sum of Booleans that says the same. A constraint is left out if it has enforcement
    literals, or literals of Booleans outside the key.
    """
    # A Boolean that is fixed has one literal only, so it is none of those that a choice is made of.
    position = {variable: p for p, variable in enumerate(key.variables) if key.is_boolean[p]}
    choices = [list(range(key.first[p], key.first[p + 1])) for p, boolean in enumerate(key.is_boolean) if not boolean]
    for constraint in model.proto.constraints:
        stated_choice = choice_of(constraint, model.proto)  # exactly-one or at-most-one, or None
        if not stated_choice or not stated_choice.is_exact or len(constraint.enforcement_literal):
            continue
        literals = stated_choice.literals  # references of the proto
        positions = [position.get(variable_of(literal)) for literal in literals]
        # The number of "Boolean is 1" is the variable's first, that of "Boolean is 0", a negative reference, the next.
        choice = {key.first[p] + (literal < 0) for p, literal in zip(positions, literals, strict=True) if p is not None}
        if len(choice) == len(literals):  # all variables are in the key, and no literal is repeated
            choices.append(sorted(choice))
    return choices


class _Breaker:
    """Adds constraints that break symmetry to a copy of a model, ``model``.

    A condition is a list of literals of the model: what is added holds where all of them are true.
    """

    def __init__(self, model: CpModel, key: Key, most: int) -> None:
        """Copy the model, without adding constraints yet.

        key: numbers the literals. most: the most comparisons of a solution's value with that of its image, over all
        constraints; one more raises `InputError`.
        """
        self.model = model.clone()
        self.key = key
        self.comparisons = 0
        """The number of comparisons that were written."""

        self._most = most
        self._literals: dict[int, Any] = {}
        """OR-Tools' Boolean of each key literal that was asked for."""
        self._different = _sets_all_different(model, key)

    def leave_one(self, group: Moves, choices: list[list[int]], condition: list[Any]) -> None:
        """Add constraints that leave one solution of each orbit of a group; the group is not trivial.

        choices: sets of key literals, by number, exactly one of which is true. If the group permutes a choice within
        itself, only one literal of each orbit, its representative, is allowed. Where a representative is the true one,
        the elements that map it to itself, its stabiliser, are broken in the same way. Where no choice helps, each
        element gets a lex-leader constraint. Raises `InputError` if that takes too many comparisons. condition:
        OR-Tools' literals; the constraints hold only where all are true.
        """
        best = best_within(group, choices)  # the choice that leaves the fewest elements
        # A lex-leader constraint for each element but the identity, unless a choice leaves fewer elements to break.
        if best is None or best.left >= group.order - 1:
            for element in group.elements:
                self.lex_leader(element, condition)
            return
        others = [other for other in choices if other is not best.choice]
        allowed = set(best.representatives)
        for number in best.choice:
            literal = self._literal(number)
            if number not in allowed:
                self._clause([~literal], condition)
            else:
                ((_, stabiliser),) = group.stabilisers([number])
                if stabiliser.order > 1:
                    self.leave_one(stabiliser, others, [*condition, literal])

    def has_room_for(self, element: Permutation) -> bool:
        """Tell whether ``most`` allows the comparisons that the lex-leader constraint of an element takes."""
        return self.comparisons + sum(1 for _ in self._coordinates(element)) <= self._most

    def lex_leader(self, element: Permutation, condition: list[Any]) -> None:
        """Add the lex-leader constraint of an element: no solution is greater than its image.

        Literal n of the image is the solution's literal element[n]. The first coordinate in which the two differ
        decides: an integer has to be less than its image, and a literal has to be true where its image is false. A new
        Boolean for each coordinate says that the two are equal up to it, and that the next one is compared. Raises
        `InputError` if there are too many comparisons. condition: OR-Tools' literals; the constraint holds only where
        all are true.
        """
        equal_so_far = condition  # literals that are all true if no coordinate so far has decided
        for here, there, are_integers in self._coordinates(element):
            self.comparisons += 1
            if self.comparisons > self._most:
                raise InputError(
                    f"breaking the symmetries takes more than {self._most} comparisons; "
                    "break none with `--symmetry none`, or declare fewer"
                )
            if are_integers:
                x, y = self._variable(here), self._variable(there)  # of the solution and of the image
                # Values that always differ decide; no later coordinate matters.
                if any(here in positions and there in positions for positions in self._different):
                    self.model.add(x < y).only_enforce_if(equal_so_far)
                    return
                still_equal = self.model.new_bool_var("")
                self.model.add(x <= y).only_enforce_if(equal_so_far)
                self.model.add(x >= y).only_enforce_if(still_equal)
                self.model.add(x < y).only_enforce_if(*equal_so_far, ~still_equal)
            else:
                a, b = self._literal(here), self._literal(there)
                self._clause([a, ~b], equal_so_far)  # true comes before false
                if a.index == (~b).index:  # a literal and its negation always differ
                    return
                still_equal = self.model.new_bool_var("")
                self._clause([~a, b], [still_equal])
                self._clause([a, still_equal], equal_so_far)
                self._clause([~b, still_equal], equal_so_far)
            for literal in equal_so_far:  # so ``still_equal`` alone says that all coordinates so far are equal
                self._clause([literal], [still_equal])
            equal_so_far = [still_equal]

    def _coordinates(self, element: Permutation) -> Iterator[tuple[int, int, bool]]:
        """Yield (here, there, are_integers): the coordinates in which a solution and its image can differ.

        Coordinate ``here`` of the image is coordinate ``there`` of the solution. Both are positions of integer key
        variables if ``are_integers``, else numbers of key literals. element: the permutation, as the number of each
        literal's image. An integer variable is one coordinate if the element maps it to another with its values
        unchanged; else each of its literals is one. Coordinates that the element does not move are left out. Of two
        coordinates that are exchanged only the first is yielded: after it, the second cannot decide.
        """
        key, seen = self.key, set[tuple[frozenset[int], bool]]()  # the pairs that were yielded
        for position, boolean in enumerate(key.is_boolean):
            numbers = range(key.first[position], key.first[position + 1])
            images = element[numbers.start : numbers.stop].tolist()
            other = key.literal(images[0])[0]  # the position of the variable to which the first literal is mapped
            have_same_values = not boolean and key.domains[other] == key.domains[position]
            are_integers = have_same_values and images == [*self._numbers(other)]
            # Of a Boolean only the literal "is 1", the first: the other is its negation.
            pairs = (
                [(position, other)] if are_integers else zip(numbers, images[:1] if boolean else images, strict=False)
            )
            for here, there in pairs:
                pair = frozenset((here, there)), are_integers
                if here != there and pair not in seen:
                    seen.add(pair)
                    yield here, there, are_integers

    def _numbers(self, position: int) -> range:
        """Return the numbers of the literals of the key variable at this position."""
        return range(self.key.first[position], self.key.first[position + 1])

    def _variable(self, position: int) -> Any:
        """Return OR-Tools' variable for the key variable at this position."""
        return self.model.get_int_var_from_proto_index(self.key.variables[position])

    def _literal(self, number: int) -> Any:
        """Return OR-Tools' Boolean that is true iff the key literal of this number holds; see `key_literal`."""
        if number not in self._literals:
            self._literals[number] = key_literal(self.model, self.key, number)
        return self._literals[number]

    def _clause(self, literals: list[Any], condition: list[Any]) -> None:
        """Add a clause of OR-Tools' literals that holds where all literals of the condition are true."""
        self.model.add_bool_or([*literals, *(~literal for literal in condition)])


def _sets_all_different(model: CpModel, key: Key) -> list[set[int]]:
    """Return sets of key variables, by position, whose values are all different by an all_diff constraint.

    A constraint on expressions a * x + b gives one set for each pair (a, b), as equal x would make these equal.
    """
    position = {variable: p for p, variable in enumerate(key.variables)}
    sets: list[set[int]] = []
    for constraint in model.proto.constraints:
        if constraint.has_all_diff() and not len(constraint.enforcement_literal):
            positions_by_form: dict[tuple[int, int], set[int]] = {}
            for expression in constraint.all_diff.exprs:
                if len(expression.vars) == 1 and expression.vars[0] in position:
                    form = expression.coeffs[0], expression.offset  # (a, b)
                    positions_by_form.setdefault(form, set()).add(position[expression.vars[0]])
            sets.extend(positions_by_form.values())
    return sets
