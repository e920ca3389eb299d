"""Constraints that break symmetry: they keep exactly one solution of each orbit.

Where the literals of a constraint "exactly one of these" are permuted among themselves, one literal of each orbit is
allowed, and what still moves the others while that literal stays (its stabiliser) is broken in turn, on the condition
that this literal is the chosen one. What remains is broken by lex-leader constraints, one for each element left: no
image of a solution comes before it (J. Crawford, M. Ginsberg, E. Luks, A. Roy, "Symmetry-breaking predicates for search
problems", KR 1996).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import InputError
from solvers.symmetry.choices import choice_of
from solvers.symmetry.groups import Group, Permutation
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


MOST_COMPARISONS = 2_000_000
"""The largest product of elements and key variables for which lex-leader constraints are written."""


def break_symmetry(model: "CpModel", group: Group) -> "CpModel":
    """A copy of the model that has exactly one solution of each orbit.

    Every variable that is added is determined by the key. Raises `InputError` where that takes too many constraints.
    """
    broken = model.clone()
    if group.order > 1:
        _Breaker(broken, group.key).leave_one_of_each_orbit(group.elements, choices_of_key(model, group.key), [])
    return broken


def choices_of_key(model: "CpModel", key: Key) -> list[list[int]]:
    """The sets of key literals of which the model says that exactly one is true."""
    position = {variable: p for p, variable in enumerate(key.variables)}
    choices = [list(range(key.first[p], key.first[p + 1])) for p, boolean in enumerate(key.is_boolean) if not boolean]
    for constraint in model.proto.constraints:
        found = choice_of(constraint, model.proto)
        if not found or not found.is_exact or len(constraint.enforcement_literal):
            continue
        literals = found.literals
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
                raise InputError(
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
