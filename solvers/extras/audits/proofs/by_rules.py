"""Symmetries that are proved rule by rule: they map the rules of a model to rules of the model.

A permutation that maps the few solutions of a model to solutions may do so by chance. One that maps each rule, by its
meaning, to a rule does not: it is a symmetry of what the author wrote, however that was compiled. A rule is what key
variables have to satisfy because of constraints that hidden variables tie together.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from solvers.backends.protocol import Task
from solvers.backends.registry import make_backend
from solvers.base.errors import InputError, Stopped
from solvers.base.values import Values
from solvers.model.reading import has_objective, size_of, variables_in
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_COMBINATIONS = 20_000
"""The most combinations of values of a rule's key variables for which it is listed."""

MOST_LISTED_RULES = 200
"""The most rules that are listed: each takes some milliseconds, more of them if the model is large."""

Relation = frozenset[frozenset[int]]
"""A rule as the combinations of values that it allows, each as the numbers of the key's literals that are true."""


class ListedRules:
    """The rules of a model, each listed as a relation on key variables."""

    def __init__(self, model: CpModel, key: Key, stop: threading.Event) -> None:
        """List the rules of a model.

        There are none if one of them is too large, if the model has an objective or assumptions, or if two labels of
        the key are one variable. stop: ends the work when set; then there are no rules either.
        """
        self._relations: set[Relation] = set()
        has_constraints_only = not has_objective(model) and not len(model.proto.assumptions)
        if not has_constraints_only or len(set(key.variables)) < len(key.variables):
            return
        try:
            self._relations = {*_relations(model, key, stop)}
        except (InputError, Stopped, _TooLargeError):
            self._relations = set()

    def are_mapped(self, image: Sequence[int]) -> bool:
        """Tell whether a permutation of the key's literals maps each rule to a rule.

        A rule is the set of combinations that it allows, each the set of the numbers of its true literals. image: for
        each literal, the number of its image. The result is False if the rules are not known, or if there is one rule
        only: that is the set of all solutions, and to map it to itself proves nothing of what the author wrote.
        """

        def relation_image(relation: Relation) -> Relation:
            """Return the rule to which the permutation maps a rule."""
            return frozenset(frozenset(image[literal] for literal in row) for row in relation)

        return len(self._relations) > 1 and all(
            relation_image(relation) in self._relations for relation in self._relations
        )


class _TooLargeError(Exception):
    """Raised if there are too many rules, or a rule has too many combinations of values."""


def _relations(model: CpModel, key: Key, stop: threading.Event) -> Iterator[Relation]:
    """Yield each rule of a model as a relation on its key variables; rules that allow everything are left out.

    A rule is the constraints that hidden variables tie together, as these alone say what values of the key they allow.
    All of these combinations of values are enumerated on a submodel; each becomes the set of its literals' numbers.
    Raises `_TooLargeError` if they are too many, or one is too large, `Stopped` once the event is set.
    """
    position = {variable: place for place, variable in enumerate(key.variables)}  # in the key, by proto index
    groups = [*_tied_constraints(model, position)]
    if len(groups) > MOST_LISTED_RULES:
        raise _TooLargeError
    for constraints, mentioned in groups:
        key_variables = [variable for variable in key.variables if variable in mentioned]
        if not key_variables:
            continue
        combinations = prod(size_of(key.domains[position[variable]]) for variable in key_variables)
        if combinations > MOST_COMBINATIONS:
            raise _TooLargeError
        rows: list[Values] = []
        submodel = _submodel(model, constraints, mentioned)
        make_backend("cp-sat", Task(submodel, key_variables, stop)).enumerate(rows.append)
        if len(rows) < combinations:
            places = [(variable, position[variable]) for variable in key_variables]
            yield frozenset(
                frozenset(key.number(place, int(values[variable])) for variable, place in places) for values in rows
            )


def _tied_constraints(model: CpModel, key: Collection[int]) -> Iterator[tuple[list[int], set[int]]]:
    """Yield (constraints, variables) for each group of constraints that hidden variables tie together.

    They are the numbers of the constraints, and the proto indices of all variables in these. Each constraint is joined
    with the groups, of the constraints before it, that have a hidden variable of its own. key: the proto indices of the
    variables of the key, which tie nothing together.
    """
    proto = model.proto
    groups: dict[int, tuple[list[int], set[int]]] = {}  # (constraints, variables), by the last constraint's number
    group_of_hidden: dict[int, int] = {}  # for each hidden variable, the number of its group
    for number, constraint in enumerate(proto.constraints):
        mentioned = variables_in(constraint, proto)
        constraints, variables = [number], {*mentioned}
        for joined in {group_of_hidden[variable] for variable in mentioned if variable in group_of_hidden}:
            other_constraints, other_variables = groups.pop(joined)
            constraints += other_constraints
            variables |= other_variables
        groups[number] = constraints, variables
        group_of_hidden.update((variable, number) for variable in variables if variable not in key)
    yield from groups.values()


def _submodel(model: CpModel, places: Collection[int], mentioned: Collection[int]) -> CpModel:
    """Return a copy of a model with some of its constraints; variables that are not mentioned have one value.

    The other constraints become empty, so that all numbers stay. places: the numbers of the constraints that stay.
    mentioned: the proto indices of the variables that stay as they are.
    """
    submodel = model.clone()
    places_kept = {*places}
    for number, constraint in enumerate(submodel.proto.constraints):
        if number not in places_kept:
            constraint.parse_text_format("")  # clears it
    for index, variable in enumerate(submodel.proto.variables):
        if index not in mentioned:
            low = variable.domain[0]
            variable.domain.clear()
            variable.domain.extend([low, low])
    return submodel
