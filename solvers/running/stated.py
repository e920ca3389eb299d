"""What is asked: the puzzle's declaration, held against the rules of one, with what is given and its symmetries."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.errors import InputError
from solvers.files.cells import Given, hold_hints, keeping, take_hints
from solvers.files.given import given_literals, hold
from solvers.options import SYMMETRIES
from solvers.symmetry.automorphisms import found
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key
from solvers.symmetry.large_group import declared_group, group_of

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


class Stated(NamedTuple):
    """What is asked."""

    model: CpModel
    """Holds what is given."""

    key: Key
    group: Group
    """Keeps what is given."""

    given: Given


def stated(puzzle: Puzzle, symmetry: str, given: Iterable[str | Literal], stop: threading.Event) -> Stated:
    """The puzzle's model, its key and the group of its symmetries; see `Options` for symmetry and given.

    Raises `InputError` if the puzzle is not declared as `Puzzle` says, OR-Tools does not accept the model, the group is
    too large, or there is no such literal as is given; `Stopped` once ``stop`` is set.
    """
    model, variables = modelled(puzzle)
    key = Key(model, variables)
    if symmetry not in SYMMETRIES:
        raise InputError(f"there are no symmetries called {symmetry!r}; choose declared, found or none")
    plain, hints = take_hints(given, key, puzzle)
    literals = Given(given_literals(plain, key, puzzle), hints)
    held = hold(model, key, literals) if literals or hints.words else model
    if hints.words:
        hold_hints(held, key, hints)
    if symmetry == "found":
        return Stated(held, key, group_of(found(held, key, stop)), literals)
    group = declared_group(model, key, puzzle.symmetries if symmetry == "declared" else (), stop)
    numbers = [key.number(key.position[label], value) for label, value in literals.items()]
    return Stated(held, key, keeping(group.keeping(numbers), key, hints), literals)


def modelled(puzzle: Puzzle) -> tuple[CpModel, dict[Label, int]]:
    """A puzzle's model, and the index of each key variable.

    Raises `InputError` if the puzzle is not declared as `Puzzle` says or OR-Tools does not accept the model.
    """
    from ortools.sat.python.cp_model import CpModel
    from pysat.formula import CNF

    from solvers.cnf.lift import lift

    if not isinstance(puzzle.model, (CpModel, CNF)):
        raise InputError(f"{puzzle.name} declares {_kind(puzzle.model)} as its model; give a CpModel or a CNF of PySAT")
    if not isinstance(puzzle.key, Mapping):
        raise InputError(
            f"{puzzle.name} declares {_kind(puzzle.key)} as its key; give a dictionary of variables by label"
        )
    if not isinstance(puzzle.symmetries, Sequence) or not all(map(callable, puzzle.symmetries)):
        raise InputError(f"{puzzle.name} declares symmetries that are no list of functions")
    try:
        model = puzzle.model if isinstance(puzzle.model, CpModel) else lift(puzzle.model)
    except ValueError as error:
        raise InputError(f"{puzzle.name}: {error}") from None
    if invalid := model.validate() or _invalid_objective(model):
        raise InputError(f"{puzzle.name}: OR-Tools does not accept the model: {invalid.splitlines()[0]}")
    index_of = _index_of_variable if isinstance(puzzle.model, CpModel) else _index_of_number
    variables: dict[Label, int] = {}
    for label, variable in puzzle.key.items():
        index = index_of(model, variable)
        if index is None:
            raise InputError(
                f"{puzzle.name} has {_kind(variable)}, {variable}, for {label!r} in its key; "
                "give a variable of the model"
            )
        variables[label] = index
    return model, variables


def _index_of_variable(model: CpModel, variable: object) -> int | None:
    """None where it is no variable of the model; a clone has the variables of its original."""
    from ortools.sat.python.cp_model import IntVar

    variables = model.proto.variables
    if not isinstance(variable, IntVar) or variable.index >= len(variables):
        return None
    is_own = variable.model_proto is model.proto or variable.name == variables[variable.index].name
    return variable.index if is_own else None


def _index_of_number(model: CpModel, number: object) -> int | None:
    return number - 1 if type(number) is int and 1 <= number <= len(model.proto.variables) else None


def _invalid_objective(model: CpModel) -> str:
    """What OR-Tools overlooks when it validates a model; empty if nothing is wrong."""
    proto = model.proto
    if not proto.has_floating_point_objective():
        return ""
    floating = proto.floating_point_objective
    if len(floating.vars) != len(floating.coeffs):
        return "the objective has not as many coefficients as variables"
    if not all(map(isfinite, [*floating.coeffs, floating.offset])):
        return "a coefficient of the objective is no finite number"
    if not all(0 <= variable < len(proto.variables) for variable in floating.vars):
        return "the objective names a variable that the model does not have"
    return ""


def _kind(thing: object) -> str:
    return f"a {type(thing).__name__}"
