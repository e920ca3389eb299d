"""Symmetry broken by fixing literals, orbit by orbit: what a person does who writes down the first row of a square.

One literal of each orbit of a choice, "exactly one of these literals", is looked at. That one is fixed, and the next
choice is taken under the group that keeps what is fixed. So the space is cut down to cases, sets of literals. Cases
that are images of each other are looked at once. No element of the group is listed: a fixed literal gets a colour of
its own in the constraint graph.

An orbit may be met more than once; who searches the cases tells orbits apart by their canonical forms. But each case
has a weight: how many parts of the space, images of each other, it represents. So the solutions that are found, each by
its case's weight, make the number of all solutions.

References
----------
B. McKay, "Isomorph-free exhaustive generation", Journal of Algorithms 26 (1998), doi:10.1006/jagm.1997.0898
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Propagator
from solvers.backends.registry import propagator
from solvers.base.errors import CheckError, InputError
from solvers.base.tuning import TUNING
from solvers.cubes.branch import choices
from solvers.extras.shared.large_groups.group import LargeGroup, least_of_orbits
from solvers.model.reading import all_negated, variable_of
from solvers.symmetry.automorphisms import Bliss
from solvers.symmetry.breaking import WHOLE_SPACE, Broken, key_choices
from solvers.symmetry.key import Key, Numbered, key_literal

MAX_PREFIXES = 400
"""Cases that are searched; each takes some milliseconds to make."""

MAX_COMPARED_PREFIXES = 4000
"""Cases that are compared with each other."""

MAX_ASKED_LITERALS, MAX_CONFLICTS = 500, 100
"""Literals of which a search with so many conflicts asks whether any solution has them."""

MIN_FIXING_GAIN = 1.5
"""By how much to fix one more literal has to cut down the space, at the least.

Fixing more, where no symmetry is left, leaves as much to search: of Latin squares of order 6, 346 cases are on
average for no more than 5 do.
"""


def restrict_to_prefixes(model: CpModel, group: LargeGroup, stop: Event) -> Broken:
    """Return the model restricted to one case for each set of symmetric cases.

    A case, or prefix, is the part of the space in which some literals are true. The result says how many solutions each
    of its solutions represents (``stands_for``). It is one model with all cases, to be searched as a whole. Raises
    `Stopped` once the event is set.
    """
    prefixes = FixedPrefixes(model, group, stop)
    return Broken(prefixes.restrict_model(model), cases=[WHOLE_SPACE], stands_for=prefixes.stands_for)


class FixableChoice(NamedTuple):
    """Literals of the key, exactly ``true`` of which are true in each solution."""

    literals: Sequence[int]
    true: int


Fixed = tuple[int, FixableChoice]
"""A literal that is fixed, and the choice that it is from."""


class _Split(NamedTuple):
    """A choice by which a case is split into one smaller case for each orbit of literals."""

    choice: FixableChoice
    literals: list[int]
    """Those that the case does not fix."""
    representatives: list[int]
    """One literal of each orbit, to be fixed; orbits that no solution has are left out."""
    true: int
    """How many of the literals are true."""
    gain: float
    """By how much the split cuts down the space."""


@dataclass
class _Prefix:
    """A case: the part of the space in which some literals are fixed to be true."""

    fixed: tuple[Fixed, ...]
    weight: Fraction
    """The number of parts of the space that this one represents; they are its images under the group."""

    parts: dict[int, _Prefix | None] = field(default_factory=dict)
    """The smaller parts, by the literal that is fixed next; empty if this part is searched as it is.

    A value of None means that the part holds no solution, or that another part represents it.
    """

    @property
    def literals(self) -> tuple[int, ...]:
        """The literals that are fixed."""
        return tuple(literal for literal, _ in self.fixed)


class FixedPrefixes:
    """The cases to which the search of a model with a large group is restricted."""

    def __init__(self, model: CpModel, group: LargeGroup, stop: Event) -> None:
        """Fix one more literal in each case as long as this saves enough work.

        model, group: the model, and its symmetries on a coloured constraint graph. Bliss, which finds symmetries of
        graphs, runs in another process. Raises `Stopped` once ``stop`` is set.
        """
        self._group, self._stop = group, stop
        self._choices = _choices(model, group.key)
        propagation = _Propagation(model, group.key, stop)
        self._excluded, self._is_impossible = propagation.false_literals, propagation.is_impossible
        self._bliss = Bliss(group.found.graph)
        self._whole = _Prefix((), Fraction(1))
        self._dead = self._without_solutions(propagation)
        self._cases = [self._whole]
        while (finer := self._fix_further_literals()) is not None:
            self._cases = finer
        self._bliss.end()

    def stands_for(self, solutions: Numbered) -> Fraction:
        """Return the sum of the weights of the cases of solutions that the search met, as a fraction.

        solutions: a row of literal numbers for each. The weights of all solutions met add up to the number of all
        solutions.

        Raises `CheckError` if a solution is in no case.
        """
        return sum(map(self._weight, self._group.key.with_false(solutions).tolist()), Fraction(0))

    def _weight(self, numbers: Sequence[int]) -> Fraction:
        """Return the weight of the case of a solution.

        The cases form a tree (`_Prefix.parts`): from the whole space, the way leads to the part whose fixed literal the
        solution has. numbers: the literals of all key variables in the solution, also those that say that a Boolean is
        0. Raises `CheckError` if the solution is in no case.
        """
        literals = set(numbers)
        case: _Prefix | None = self._whole
        while case is not None and case.parts:
            case = next((part for literal, part in case.parts.items() if literal in literals), None)
        if case is None:
            raise CheckError(
                f"the solution {dict(map(self._group.key.label_and_value, numbers))} is in no case that was searched"
            )
        return case.weight

    def restrict_model(self, model: CpModel) -> CpModel:
        """Return a copy of the model that is restricted to the cases.

        What all cases fix is required. Of several cases, one selector, a new Boolean, is true, which requires what its
        case fixes. Cases exclude each other, so that the selectors are determined by the key. Without cases the model
        is made contradictory.
        """
        model_of_case = model.clone()
        if not self._cases:
            model_of_case.add_bool_or([])
            return model_of_case
        common_literals = set(self._cases[0].literals).intersection(*(case.literals for case in self._cases))
        for literal in sorted(common_literals):
            model_of_case.add(self._is_true(model_of_case, literal))
        if len(self._cases) == 1:
            return model_of_case
        selectors = [model_of_case.new_bool_var("") for _ in self._cases]
        model_of_case.add_exactly_one(selectors)
        for selector, case in zip(selectors, self._cases, strict=True):
            for literal, choice in case.fixed:
                if literal in common_literals:
                    continue
                if choice.true == 1 and self._is_boolean(literal):  # as exclusions, which an exact cover may have
                    for other_literal in choice.literals:
                        if other_literal != literal:
                            model_of_case.add_bool_or(
                                ~key_literal(model_of_case, self._group.key, other_literal), ~selector
                            )
                else:
                    model_of_case.add(self._is_true(model_of_case, literal)).only_enforce_if(selector)
        return model_of_case

    def _is_boolean(self, literal: int) -> bool:
        """Tell whether the literal, by its number, is one of a Boolean key variable."""
        return self._group.key.is_boolean[self._group.key.literal(literal)[0]]

    def _is_true(self, model: CpModel, literal: int) -> Any:
        """Return an expression of OR-Tools that is 1 iff the literal of this number is true."""
        position, value = self._group.key.literal(literal)
        return model.get_int_var_from_proto_index(self._group.key.variables[position]) == value

    def _fix_further_literals(self) -> list[_Prefix] | None:
        """Return the cases, with one more literal fixed in each where this saves enough work.

        Cases that are images of each other are merged. The result is None if fixing saves enough in no case, or if
        there would be too many cases.
        """
        cases_kept: list[_Prefix] = []
        parts: list[_Prefix] = []
        split_cases: list[tuple[_Prefix, dict[int, _Prefix | None]]] = []
        for case in self._cases:
            parts_by_literal = self._split_case(case)
            if parts_by_literal is None:
                cases_kept.append(case)
            else:
                split_cases.append((case, parts_by_literal))
                parts.extend(part for part in parts_by_literal.values() if part)
            if len(cases_kept) + len(parts) > MAX_COMPARED_PREFIXES:
                return None
        distinct = self._distinct(parts)
        if not split_cases or len(cases_kept) + len(distinct) > max(MAX_PREFIXES, len(self._cases)):
            return None
        for case, parts_by_literal in split_cases:
            # `distinct` maps the ``id`` of each part that is kept to the part; a merged part becomes None.
            case.parts = {literal: distinct.get(id(part)) for literal, part in parts_by_literal.items()}
        return cases_kept + list(distinct.values())

    def _without_solutions(self, propagation: _Propagation) -> set[int]:
        """Return literals of which it is known that no solution has them, such as values that never occur.

        Their symmetries, which move no solution, are not worth a case. One literal of each orbit is asked about, by a
        short search; if it has no solution, none of its orbit has. propagation: searches.
        """
        orbit = self._orbits(self._whole)
        if orbit is None:
            return set()
        # `_orbits` gives, for each literal by its number, the number of its orbit.
        literal_of_orbit = {orbit[literal]: literal for choice in self._choices for literal in choice.literals}
        if len(literal_of_orbit) > MAX_ASKED_LITERALS:
            return set()
        dead_orbits = {number for number, literal in literal_of_orbit.items() if propagation.is_impossible([literal])}
        return {literal for literal, number in enumerate(orbit) if number in dead_orbits}

    def _orbits(self, case: _Prefix) -> Any:
        """Return the orbit of each literal, as a number, under the group that keeps a case; None if that is trivial.

        The group consists of the automorphisms of the graph in which the literals of the case have colours of their
        own. The result is an array: two literals are in the same orbit iff they have the same number.
        """
        colours = self._case_colours(case)
        generators = [np.array(generator) for generator in self._bliss.ask(self._stop, "generators", colours)]
        if not generators:
            return None
        # From the orbits of the vertices to those of the literals.
        return np.array(least_of_orbits(generators, len(colours)))[self._group.found.graph.of_key]

    def _split_case(self, case: _Prefix) -> dict[int, _Prefix | None] | None:
        """Split a case by the choice that gains most.

        Return the smaller cases by the literal that each fixes in addition. A case is None if it holds no solution. The
        result is None if no choice gains enough.
        """
        # Literals that no solution has at all, and those that unit propagation from the case makes false.
        excluded = self._dead.union(self._excluded(case.literals) or ())
        orbit = self._orbits(case)
        if orbit is None or not (split := self._best_split(case, orbit, {orbit[literal] for literal in excluded})):
            return None
        parts: dict[int, _Prefix | None] = {}
        for literal in split.representatives:
            # The part represents one for each literal of the orbit, in which a solution has ``true`` of them.
            images = sum(orbit[image] == orbit[literal] for image in split.literals)
            part = _Prefix((*case.fixed, (literal, split.choice)), case.weight * images / split.true)
            parts[literal] = None if self._is_impossible(part.literals) else part
        return parts

    def _best_split(self, case: _Prefix, orbit: Any, dead_orbits: Collection[int]) -> _Split | None:
        """Return the split of a case that gains most; None if none gains `MIN_FIXING_GAIN`.

        orbit: the orbit of each literal under the group that keeps the case. dead_orbits: those whose literals no
        solution in the case has.
        """
        fixed = set(case.literals)
        best: _Split | None = None
        for choice in self._choices:
            still_true = choice.true - len(
                fixed.intersection(choice.literals)
            )  # how many are true besides the fixed ones
            literals = [literal for literal in choice.literals if literal not in fixed]
            possible = [literal for literal in literals if orbit[literal] not in dead_orbits]
            representatives = {orbit[literal]: literal for literal in reversed(possible)}.values()
            # With several true literals to come and several orbits, a solution might be counted in several parts.
            if still_true < 1 or len(possible) <= still_true or (still_true > 1 and len(representatives) > 1):
                continue
            # Of all live literals, only one of each orbit is tried; each solution has so many true ones to fix.
            gain = len(possible) / (len(representatives) * still_true)
            if gain >= MIN_FIXING_GAIN and (best is None or gain > best.gain):
                best = _Split(choice, literals, sorted(representatives), still_true, gain)
        return best

    def _distinct(self, parts: Sequence[_Prefix]) -> dict[int, _Prefix]:
        """Merge cases that are images of each other, adding up their weights; return those kept, by ``id``.

        Two cases are images of each other iff their coloured graphs have the same canonical form, which bliss returns
        as bytes.
        """
        part_of_form: dict[bytes, _Prefix] = {}
        forms: list[bytes] = self._bliss.ask(self._stop, "forms", list(map(self._case_colours, parts)))
        distinct: dict[int, _Prefix] = {}
        for part, form in zip(parts, forms, strict=True):
            if form in part_of_form:
                part_of_form[form].weight += part.weight
            else:
                part_of_form[form] = distinct[id(part)] = part
        return distinct

    def _case_colours(self, case: _Prefix) -> list[int]:
        """Return the colours of the graph's vertices, with new colours for literals that the case fixes.

        So an automorphism maps fixed literals to fixed ones.
        """
        group_found = self._group.found
        colours = list(group_found.colours)
        offset = max(colours, default=0) + 1
        for vertex in {group_found.graph.of_key[literal] for literal in case.literals}:
            colours[vertex] += offset
        return colours


class _Propagation:
    """The consequences of literals of the key, by the unit propagation of a SAT solver."""

    def __init__(self, model: CpModel, key: Key, stop: Event) -> None:
        """Lower a model to clauses, if it has a lowering.

        Every value of a key variable gets a literal in a copy of the model. ``_reference`` maps the number of the key's
        literal to this literal, given by its index in the proto (-v - 1 for the negation of variable v); ``_number``
        maps back. key: its literals are propagated. stop: ends the lowering when set.
        """
        augmented = model.clone()
        self._reference: dict[int, int] = {}
        for position, variable in enumerate(key.variables):
            # `choices` adds a Boolean for each value of the variable, and returns these literals in the order of the
            # values.
            for choice in choices(augmented, [variable]):
                self._reference.update(enumerate(choice, key.first[position]))
        self._number = {reference: number for number, reference in self._reference.items()}
        self._propagation: Propagator | None = None
        with suppress(InputError):  # a model that has no lowering
            self._propagation = propagator(augmented, set(map(variable_of, self._number)), stop)

    def false_literals(self, literals: Sequence[int]) -> Collection[int] | None:
        """Return the key's literals that are false if these are true; None if these contradict each other.

        literals: numbers of the key's literals, as in the result. Only literals with a Boolean in the clauses are
        found. The result is empty for a model that has no lowering.
        """
        if self._propagation is None:
            return ()
        implied = self._propagation.consequences([self._reference[literal] for literal in literals])
        if implied is None:
            return None
        return {self._number[reference] for reference in all_negated(implied) if reference in self._number}

    def is_impossible(self, literals: Sequence[int]) -> bool:
        """Tell whether a short search shows that no solution has all these literals of the key."""
        references = [self._reference[literal] for literal in literals if literal in self._reference]
        return self._propagation is not None and self._propagation.is_impossible(references, MAX_CONFLICTS)


def _choices(model: CpModel, key: Key) -> list[FixableChoice]:
    """Return the choices that may be fixed.

    They are the values of an integer variable (one is true), and sets of Booleans of which a fixed number is true.
    Those with very many values, or of which none is true, are left out. key: the key, whose literals are numbered.
    """
    exact = [
        FixableChoice(literals, 1)
        for literals in key_choices(model, key)
        if len(literals) <= TUNING.max_branching_values
    ]
    return exact + [choice for choice in _sums(model, key) if choice.true > 1]


def _sums(model: CpModel, key: Key) -> Iterator[FixableChoice]:
    """Yield a choice for each linear constraint that says how many of some Booleans of the key are true.

    Such a constraint is an equation without enforcement; all its coefficients are equal, and its variables are
    different Booleans of the key. For example, 2a + 2b + 2c = 4 says that two of a, b and c are true.
    """
    position = {variable: p for p, variable in enumerate(key.variables) if key.is_boolean[p]}
    for constraint in model.proto.constraints:
        if not constraint.has_linear() or len(constraint.enforcement_literal):
            continue
        linear = constraint.linear
        coefficients = set(linear.coeffs)
        domain = list(linear.domain)
        positions = [position.get(variable) for variable in linear.vars]
        is_of_key = None not in positions and len(set(positions)) == len(positions)
        if len(coefficients) != 1 or domain[0] != domain[-1] or not is_of_key:
            continue
        true, remainder = divmod(domain[0], coefficients.pop() or 1)
        if not remainder:
            # The first literal of a Boolean key variable says that it is 1.
            yield FixableChoice([key.first[p] for p in positions if p is not None], true)
