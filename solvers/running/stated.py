"""The stated question: the puzzle's declaration, validated, with its givens and symmetries."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.base.errors import InputError
from solvers.base.options import SYMMETRIES
from solvers.files.given import Fact, facts_of_givens, require_facts
from solvers.symmetry.automorphisms import find_automorphism_group, group_of, group_of_symmetries
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar
    from pysat.formula import CNF


class Stated(NamedTuple):
    """A question: the model, its key, the group of its symmetries, and the givens."""

    model: CpModel
    """The model with the givens as constraints."""

    key: Key
    group: Group
    """The symmetries that map the givens to themselves."""

    given: Sequence[Fact]


def problem_statement(puzzle: Puzzle, symmetry: str, given: Iterable[str | Literal], stop: threading.Event) -> Stated:
    """Return the model of a puzzle with the givens, its key, its symmetries, and the givens as facts.

    The givens become constraints of a copy of the model. Only symmetries that map the givens to themselves are kept.
    symmetry: declared, found or none. given: the givens, as in `Options`.

    Raises `InputError` if the puzzle is not declared as `Puzzle` says, OR-Tools does not accept the model, the group is
    too large, or a given names no literal of the key. Raises `Stopped` once ``stop`` is set, and `WrongSymmetryError`
    if a declared symmetry does not permute the literals.
    """
    model, variables = model_and_variables(puzzle)
    key = Key(model, variables)
    if symmetry not in SYMMETRIES:
        raise InputError(f"there are no symmetries called {symmetry!r}; choose declared, found or none")
    facts = facts_of_givens(puzzle, key, given)
    model_with_givens = model
    if facts:
        model_with_givens = model.clone()
        require_facts(model_with_givens, key, facts)
    if symmetry == "found":  # in the model with the givens, which these symmetries keep already
        return Stated(model_with_givens, key, group_of(find_automorphism_group(model_with_givens, key, stop)), facts)
    group = group_of_symmetries(model, key, puzzle.symmetries if symmetry == "declared" else (), stop)
    literals_of_single_facts = {fact.literals[0] for fact in facts if len(fact.literals) == 1}
    excluded = {number for fact in facts for number in fact.excluded}
    # Facts of one literal may be exchanged with each other; alternatives are kept one by one.
    for fixed_literals in (
        literals_of_single_facts,
        excluded,
        *(fact.literals for fact in facts if len(fact.literals) > 1),
    ):
        # The subgroup that maps this set of literals to itself.
        group = group.stabilizer(fixed_literals)
    return Stated(model_with_givens, key, group, facts)


def model_and_variables(puzzle: Puzzle) -> tuple[CpModel, dict[Label, int]]:
    """Return the model of a puzzle, and a mapping from each label to the proto index of its key variable.

    Raises `InputError` if the puzzle is not declared as `Puzzle` says or OR-Tools does not accept the model.
    """
    from ortools.sat.python.cp_model import CpModel

    if not (isinstance(puzzle.model, CpModel) or _is_formula(puzzle.model)):
        raise InputError(
            f"{puzzle.name} declares {_type_name(puzzle.model)} as its model; give a CpModel or a CNF of PySAT"
        )
    if not isinstance(puzzle.key, Mapping):
        raise InputError(
            f"{puzzle.name} declares {_type_name(puzzle.key)} as its key; give a dictionary of variables by label"
        )
    if not isinstance(puzzle.symmetries, Sequence) or not all(map(callable, puzzle.symmetries)):
        raise InputError(f"{puzzle.name} declares symmetries that are not a list of functions")
    try:
        model = puzzle.model if isinstance(puzzle.model, CpModel) else _lift_formula(puzzle.model)
    except ValueError as error:
        raise InputError(f"{puzzle.name}: {error}") from None
    if fault := model.validate() or _invalid_objective(model):
        raise InputError(f"{puzzle.name}: OR-Tools does not accept the model: {fault.splitlines()[0]}")
    # In a formula, the key has numbers of variables.
    index_of = _index_of_variable if isinstance(puzzle.model, CpModel) else _index_of_number
    variables: dict[Label, int] = {}
    for label, variable in puzzle.key.items():
        index = index_of(model, variable)
        if index is None:
            raise InputError(
                f"{puzzle.name} has {_type_name(variable)}, {variable}, for {label!r} in its key; "
                "give a variable of the model"
            )
        variables[label] = index
    return model, variables


def model_copy(puzzle: Puzzle) -> tuple[CpModel, dict[Label, IntVar]]:
    """Return a copy of a puzzle's model, and the variable of each label in the copy.

    Raises what `model_and_variables` raises.
    """
    model, variables = model_and_variables(puzzle)
    copy = model.clone()
    return copy, {label: copy.get_int_var_from_proto_index(variable) for label, variable in variables.items()}


def oddities(model: CpModel, key: Key) -> list[str]:
    """Return a warning for each thing in a key that may be a mistake; an empty list if there is none.

    A key may be empty, or lack variables of the model that have the same name as one of its variables.
    """
    if not key.labels:
        return ["the key has no variable, so all solutions count as one"]
    names = [variable.name for variable in model.proto.variables]
    times_in_model = Counter(filter(None, names))
    times_in_key = Counter(names[v] for v in key.variables if times_in_model[names[v]] > 1)
    return [
        f"{times_in_model[name]} variables are called {name}, and the key has {times_in_key[name]} of them; "
        "give each a name of its own"
        for name in times_in_key
        if times_in_key[name] < times_in_model[name]
    ]


def _index_of_variable(model: CpModel, variable: object) -> int | None:
    """Return the proto index of a variable; None if it is not a variable of the model.

    A model may be a clone: then a variable of the original, or of another clone, counts if it has the same index and
    name.
    """
    from ortools.sat.python.cp_model import IntVar

    variables = model.proto.variables
    if not isinstance(variable, IntVar) or variable.index >= len(variables):
        return None
    is_own = variable.model_proto is model.proto or variable.name == variables[variable.index].name
    return variable.index if is_own else None


def _index_of_number(model: CpModel, number: object) -> int | None:
    """Return the proto index of a CNF variable, its number - 1.

    The result is None if the formula has no variable of this number.
    """
    return number - 1 if type(number) is int and 1 <= number <= len(model.proto.variables) else None


def _invalid_objective(model: CpModel) -> str:
    """Return an error of a floating-point objective that OR-Tools overlooks when it validates a model.

    The result is empty if there is no such error.
    """
    proto = model.proto
    if not proto.has_floating_point_objective():
        return ""
    floating = proto.floating_point_objective
    if len(floating.vars) != len(floating.coeffs):
        return "the objective needs one coefficient for each variable"
    if not all(map(isfinite, [*floating.coeffs, floating.offset])):
        return "a coefficient of the objective is not a finite number"
    if not all(0 <= variable < len(proto.variables) for variable in floating.vars):
        return "the objective names a variable that the model does not have"
    return ""


def _is_formula(model: object) -> bool:
    """Tell whether a declared model is a formula of PySAT, which is imported already if it is one."""
    pysat = sys.modules.get("pysat.formula")
    return pysat is not None and isinstance(model, pysat.CNF)


def _lift_formula(formula: CNF) -> CpModel:
    """Return a formula as a model; see `solvers.model.lift.lift`."""
    from solvers.model.lift import lift

    return lift(formula)


def _type_name(thing: object) -> str:
    """Return "a" and the name of the thing's type, for messages."""
    return f"a {type(thing).__name__}"
