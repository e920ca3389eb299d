"""Models of CPMpy as puzzles. CPMpy's own translation for OR-Tools makes CP-SAT models of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cpmpy import Model
from cpmpy.exceptions import CPMpyException
from cpmpy.expressions.utils import argval, flatlist
from cpmpy.expressions.variables import NegBoolView, _BoolVarImpl, _NumVarImpl
from cpmpy.solvers.ortools import CPM_ortools

from models.puzzle import FileReading, Puzzle, Solution
from solvers.extras.bridges.formats.saved_model import matching
from solvers.show.versions import version_of

UNNAMED = re.compile(r"(IV|BV)[0-9]+(\[.*\])?")
"""What CPMpy calls variables that nobody named."""


def puzzle_of(
    model: Model,
    key: Any = (),
    name: str = "model",
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> Puzzle:
    """Return a model of CPMpy as a puzzle.

    CPMpy's own translation for OR-Tools makes the CP-SAT model. The model's constraints, as CPMpy itself evaluates
    them, are the check of each solution, unless the key lacks a variable, whose value a solution then does not have.

    model: the model of CPMpy. key: the variables that make solutions different, arrays of them, their names, or
    patterns with * and ?; if left out, all variables. name: the name of the puzzle. parameters: the parameters of the
    puzzle, for reports.

    Raises ValueError if something in the key is not a variable, and for constraints that CPMpy cannot translate.

    >>> import cpmpy
    >>> x = cpmpy.intvar(1, 3, shape=3, name="x")
    >>> puzzle = puzzle_of(cpmpy.Model(cpmpy.AllDifferent(x), x[0] < x[2]))
    >>> list(puzzle.key), puzzle.is_solution({"x[0]": 1, "x[1]": 2, "x[2]": 3})
    (['x[0]', 'x[1]', 'x[2]'], True)
    """
    key = [*key] if isinstance(key, (list, tuple)) else [key]
    try:
        solver = _solver_with_names(model)
    except (CPMpyException, NotImplementedError, TypeError) as error:
        raise ValueError(f"CPMpy cannot translate it: {error}") from error
    key_variables = _key_variables(variables_of(solver), key)
    native = solver.ort_model
    variable_by_label = {variable.name: solver.solver_var(variable) for variable in key_variables}
    has_all_variables = {variable.name for variable in solver.user_vars} <= variable_by_label.keys()
    labels_of_author = [label for label in variable_by_label if not UNNAMED.fullmatch(label)]
    named = labels_of_author if len(labels_of_author) < len(variable_by_label) else ()
    file_reading = FileReading(["CPMpy's translation"], versions={"cpmpy": version_of("cpmpy")}, named=named)
    is_solution = _check(model, key_variables) if has_all_variables else None
    return Puzzle(name, parameters, native, variable_by_label, is_solution=is_solution, file=file_reading)


def _solver_with_names(model: Model) -> Any:
    """Return CPMpy's solver for OR-Tools with a model, whose constraints have the descriptions that their author gave.

    One constraint of CPMpy may become several of OR-Tools; then all are named as CPMpy writes the one. One that becomes
    one, without a description, has no name. The errors are CPMpy's.
    """
    solver = CPM_ortools()
    constraints = solver.ort_model.proto.constraints
    for stated in flatlist(model.constraints):
        count_before = len(constraints)
        solver.add(stated)
        if getattr(stated, "_description", None) or len(constraints) > count_before + 1:
            for added in range(count_before, len(constraints)):
                constraints[added].name = str(stated)
    if model.objective_ is not None:
        solver.objective(model.objective_, model.objective_is_min)
    return solver


def variables_of(solver: Any) -> list[Any]:
    """Return the variables of a solver's model, sorted by name.

    Numbers in names are compared as numbers.
    """
    return sorted(
        solver.user_vars, key=lambda variable: [int(w) if w.isdigit() else w for w in _name_parts(variable.name)]
    )


def _name_parts(name: str) -> list[str]:
    """Split a name into texts and numbers by turns, so that names sort by their numbers."""
    return re.split(r"([0-9]+)", name)


def _key_variables(variables: Sequence[Any], key: Sequence[Any]) -> list[Any]:
    """Return the variables of the key, which are all if it is empty.

    variables: all. key: variables, arrays of them, names or patterns. Raises ValueError for anything else.
    """
    if not key:
        return [*variables]
    variable_by_name: dict[str, Any] = {}
    for item in key:
        if isinstance(item, str):
            names = matching(item, [variable.name for variable in variables])
            variable_by_name |= {variable.name: variable for variable in variables if variable.name in names}
            continue
        for variable in flatlist(item if isinstance(item, Iterable) else [item]):
            if not isinstance(variable, _NumVarImpl) or isinstance(variable, NegBoolView):
                raise ValueError(f"{variable!r} is not a variable of CPMpy, so that it cannot be in the key")
            variable_by_name[variable.name] = variable
    return [*variable_by_name.values()]


def _check(model: Model, variables: Sequence[Any]) -> Any:
    """Return a function that says whether a solution satisfies the model's constraints.

    The function takes the value of each variable by its name. variables: the variables of the key, which are all.
    """
    constraints = flatlist(model.constraints)

    def is_solution(solution: Solution) -> bool:
        """Tell whether CPMpy finds all constraints true for a solution; then give the variables their old values."""
        old_values = [variable._value for variable in variables]
        try:
            for variable in variables:
                value = solution.get(variable.name, 0)
                variable._value = bool(value) if isinstance(variable, _BoolVarImpl) else value
            return all(argval(constraint) for constraint in constraints)
        finally:
            for variable, value in zip(variables, old_values, strict=True):
                variable._value = value

    return is_solution
