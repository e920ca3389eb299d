"""What is searched where symmetry is broken: cases, or the model with constraints that keep one solution of each orbit.

Exact covers are searched by `cases`; so they stay exact covers. Other models get constraints. Where the literals of a
constraint "exactly one of these" are permuted among themselves, one literal of each orbit is allowed, and what still
moves the others while that literal stays (its stabiliser) is broken in turn, on the condition that this literal is the
chosen one. What remains is broken by lex-leader constraints, one for each element left: no image of a solution comes
before it (J. Crawford, M. Ginsberg, E. Luks, A. Roy, "Symmetry-breaking predicates for search problems", KR 1996). Of a
group for which these would take too many comparisons only a subgroup is broken.

An orbit that may be met more than once is recognised by its least image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from solvers.errors import InputError
from solvers.symmetry.cases import Cases, Listed, best_within
from solvers.symmetry.choices import choice_of
from solvers.symmetry.groups import Group, Permutation
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


MOST_COMPARISONS = 2_000_000
"""The largest product of elements and key variables for which lex-leader constraints are written."""

WORTHWHILE, SHARE = 2_000, 1
"""For a search, which can do without, it is no more than this and so many times the model's variables and constraints.
"""


@dataclass(frozen=True)
class Broken:
    """What is searched in place of a model; every variable that is added is determined by the key."""

    model: CpModel

    cases: Sequence[tuple[tuple[int, ...], float]]
    """What is searched of it: disjoint cubes, each with its share of the space."""

    members: Callable[[Sequence[Encoded]], Sequence[Encoded]] | None = None
    """Of the solutions of an orbit those that the search meets; None if that is one of each."""

    is_whole: bool = False
    """Whether it meets all of them."""


def unbroken(model: CpModel) -> Broken:
    """The model as it is."""
    return Broken(model, [((), 1.0)], lambda orbit: orbit, is_whole=True)


def by_cases(model: CpModel, group: Group, most: int | None = None) -> Broken:
    """An exact cover, with all of its variables in the key, by cases; no more of them than ``most``."""
    key = group.key
    if group.order == 1:
        return Broken(model, [((), 1.0)])
    is_true = [key.literal(number)[1] == 1 for number in range(key.size)]
    choices = [choice for choice in key_choices(model, key) if all(is_true[number] for number in choice)]
    cases = Cases(Listed(group.elements), choices, most)
    held = model.clone()
    variable = {number: key.variables[key.literal(number)[0]] for choice in choices for number in choice}
    for number in cases.never:
        held.add_bool_or([~held.get_bool_var_from_proto_index(variable[number])])
    cubes: list[tuple[tuple[int, ...], float]] = []
    for case in cases.cases:
        positive, negative = cases.cube(case)
        literals = *(variable[number] for number in positive), *(-variable[number] - 1 for number in negative)
        cubes.append((literals, case.weight))
    return Broken(held, cubes, None if cases.is_exact else cases.members)


def by_constraints(model: CpModel, group: Group) -> Broken:
    """A model with constraints, of a subgroup if those of the group would be many beside what the model holds.

    Of a subgroup they are lex-leader constraints alone, so that it is known which solutions are left: the least.
    """
    if group.order == 1:
        return Broken(model, [((), 1.0)])
    most = min(MOST_COMPARISONS, WORTHWHILE + SHARE * (len(model.proto.variables) + len(model.proto.constraints)))
    broken, choices = group, key_choices(model, group.key)
    while broken.order > 1:
        breaker = _Breaker(model, group.key, most, choices)
        with suppress(InputError):
            breaker.leave_one_of_each_orbit(broken)
            return Broken(breaker.model, [((), 1.0)], None if broken is group else broken.least)
        broken, choices = group.subgroup(min(broken.order // 2, breaker.led)), []
    return unbroken(model)


def break_symmetry(model: CpModel, group: Group) -> CpModel:
    """A copy of the model that has exactly one solution of each orbit.

    Every variable that is added is determined by the key. Raises `InputError` where that takes too many constraints.
    """
    if group.order == 1:
        return model.clone()
    breaker = _Breaker(model, group.key, MOST_COMPARISONS, key_choices(model, group.key))
    breaker.leave_one_of_each_orbit(group)
    return breaker.model


def key_choices(model: CpModel, key: Key) -> list[list[int]]:
    """The sets of key literals of which the model says that exactly one is true."""
    # A Boolean that is fixed has one literal only, so it is none of those that a choice is made of.
    position = {variable: p for p, variable in enumerate(key.variables) if key.is_boolean[p]}
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


class _Breaker:
    """Adds constraints to a model. A condition is a list of its literals: what is added holds where all of them do."""

    def __init__(self, model: CpModel, key: Key, most: int, choices: list[list[int]]) -> None:
        """``most``: so many comparisons; then `InputError` is raised. ``choices``: those that may be split."""
        self.model = model.clone()
        self.key = key
        self.comparisons = self.led = 0
        """How many comparisons were written, and for how many elements."""

        self._most = most
        self._choices = choices
        self._literals: dict[int, Any] = {}
        self._different = _different(model, key)

    def leave_one_of_each_orbit(self, group: Group) -> None:
        if group.order > 1:
            self._leave_one(Listed(group.elements), self._choices, [])

    def _leave_one(self, group: Listed, choices: list[list[int]], condition: list[Any]) -> None:
        best = best_within(group, choices)
        if best is None or best.left >= group.order - 1:
            for element in group.elements:
                self._lex_leader(element, condition)
                self.led += 1
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
                    self._leave_one(stabiliser, others, [*condition, literal])

    def _lex_leader(self, element: Permutation, condition: list[Any]) -> None:
        """The solution does not come after its image, whose literal n is the solution's literal element[n].

        Coordinate by coordinate, as long as all before were equal: an integer is at most its image, a literal is true
        if its image is.
        """
        equal_so_far = condition
        for here, there, integers in self._coordinates(element):
            self.comparisons += 1
            if self.comparisons > self._most:
                raise InputError(
                    f"breaking the symmetries takes more than {self._most} comparisons; "
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


def _different(model: CpModel, key: Key) -> list[set[int]]:
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
