"""Calls of the library's functions: the puzzle, its parameters and the options, held to the command line's rules."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import fields, replace
from functools import partial
from typing import Any

from models import COLLECTION
from models.puzzle import Puzzle
from solvers.base.errors import InputError
from solvers.base.options import WORDS, Options
from solvers.base.plugs import function
from solvers.files.catalogue import declaration_of_function, find

Path = str | os.PathLike[str]

Named = Path | Puzzle | Callable[..., Puzzle]
"""The types that can be solved: a puzzle's name, a path, a declared puzzle, or a function that declares one."""

Given = Mapping[Any, int] | str | Iterable[str]
"""The types of givens: values by label, or texts as on the command line."""

FOREIGN = {
    "ortools.sat.python.cp_model.CpModel": "ortools",
    "cpmpy.model.Model": "cpmpy",
    "pysat.formula.CNF": "pysat",
}
"""The classes of models that are taken as they are, and the libraries that they belong to."""

OPTIONS = frozenset(option.name for option in fields(Options))
"""The names of the options of a run."""


def options_of(chosen: Mapping[str, Any]) -> Options:
    """Return the options that the keyword arguments of a call choose.

    chosen: the arguments by name; a value of None represents the default. Each value is held to the rules of the
    command line. If a cluster is named, the options get an executor for it. Raises `InputError` for a name that is no
    option, or for a value that is not allowed.
    """
    refuse_others(chosen)
    if not isinstance(executor := chosen.get("executor"), Executor | None):
        raise InputError(f"executor: {executor!r} is not an Executor of concurrent.futures")
    options = Options(**{name: option_value(name, value) for name, value in chosen.items() if value is not None})
    return on_cluster(options, chosen.get("jobs"))


def refuse_others(chosen: Mapping[str, Any]) -> None:
    """Raise `InputError` if a keyword argument of a call is no option.

    chosen: the arguments by name.
    """
    for name in chosen:
        if name not in OPTIONS:
            where = "give a puzzle's parameters where you declare it, such as pentomino(board='3x20')"
            raise InputError(f"there is no option {name!r}; {where}")


def on_cluster(options: Options, jobs: int | None) -> Options:
    """Return the options, with an executor for the cluster that they name; unchanged if they name none.

    jobs: the number of workers, or None if the cluster decides. Raises `InputError` if the options have an executor
    already.
    """
    if options.cluster is None:
        return options
    if options.executor is not None:
        raise InputError("a cluster brings an executor of its own; leave one of cluster and executor out")
    cluster = function("cluster", "--cluster")(options.cluster)
    return replace(options, executor=cluster, jobs=jobs or cluster.jobs)


def is_declared(puzzle: Named) -> bool:
    """Tell whether a puzzle is a `Puzzle`, whose parameters were given where it was declared."""
    return isinstance(puzzle, Puzzle)


def is_own(puzzle: Named) -> bool:
    """Tell whether a puzzle is the user's own, that is, not the name of one in the collection."""
    return not isinstance(puzzle, str) or puzzle not in COLLECTION


def path_of(puzzle: Named) -> str:
    """Return a puzzle's name or path as text; "" if it is a Puzzle or a function."""
    return os.fspath(puzzle) if isinstance(puzzle, (str, os.PathLike)) else ""


def givens_tuple(given: Given) -> tuple[Any, ...]:
    """Return givens as a tuple of texts or (label, value) literals, as `Options` takes them."""
    if isinstance(given, Mapping):
        return tuple(given.items())
    return (given,) if isinstance(given, str) else tuple(given)


def option_value(name: str, value: Any) -> Any:
    """Return the value of the option ``name`` in the form that `Options` takes.

    Where the command line reads the option by a function (`Words.kind`), the value is read by it, as text. Raises
    `InputError` if the value is not allowed.
    """
    words = WORDS[name]
    if name == "given":
        return givens_tuple(value)
    if name == "solver_parameters":
        return {setting: str(chosen) for setting, chosen in value.items()}
    if words.kind:
        try:
            return words.kind(str(value))
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    return os.fspath(value) if isinstance(value, os.PathLike) else value


Declared = tuple[str, Mapping[str, Any], Callable[..., Puzzle]]
"""A puzzle's name, its parameters, and the function that declares it when it is called with them."""


def givens_of_link(puzzle: Named) -> tuple[str, ...]:
    """Return what a puzzle gives in cells if it is a link; nothing for other puzzles. Raises `InputError` as `find`."""
    return find(os.fspath(puzzle)).given if isinstance(puzzle, (str, os.PathLike)) else ()


def question(puzzle: Named, parameters: Mapping[str, Any], takes_given: bool = False) -> Declared:
    """Return a puzzle's name, its parameters, and the function that declares it when it is called with them.

    puzzle: a model of another library, a declared `Puzzle`, a name or a path, or a function that declares one.
    takes_given: whether the caller heeds `givens_of_link`. Raises `InputError` if there is no such puzzle, if it cannot
    take these parameters, or for a link that gives what the caller does not heed.
    """
    if foreign_kind(puzzle):
        # It makes a `Puzzle` of the model; its parameters are bound here already.
        puzzle_of = function("foreign model", "a model of another library")
        if unknown := parameters.keys() - {"key"}:
            raise InputError(f"a model has no parameter {min(unknown)!r}; it has key")
        return "model", {}, lambda: _declare_puzzle("model", puzzle_of, model=puzzle, **parameters)
    if isinstance(puzzle, Puzzle):
        if parameters:
            raise InputError(f"{puzzle.name} is declared already; give {next(iter(parameters))} where you declare it")
        return puzzle.name, puzzle.parameters, lambda **_: puzzle
    if isinstance(puzzle, (str, os.PathLike)):
        declaration = find(os.fspath(puzzle))
        if declaration.given and not takes_given:
            raise InputError(f"{declaration.name}: the link gives the content of cells, which cannot be taken here")
        return declaration.name, declaration.arguments(parameters), declaration.declare
    if not callable(puzzle):
        raise InputError(f"{puzzle!r} is not a puzzle; give a name such as 'pentomino', a path, a function or a Puzzle")
    name = getattr(puzzle, "__name__", "puzzle")
    try:
        bound = inspect.signature(puzzle).bind(**parameters)
    except TypeError as error:
        raise InputError(f"{name}: {error}") from None
    bound.apply_defaults()
    return name, bound.arguments, partial(_declare_puzzle, name, puzzle)


def foreign_kind(model: object) -> str:
    """Return the library of a model: "ortools", "cpmpy" or "pysat"; "" for any other object.

    None of these libraries is imported.
    """
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(model).__mro__]
    return next((FOREIGN[name] for name in names if name in FOREIGN), "")


def _declare_puzzle(name: str, declare: Callable[..., Puzzle], **arguments: Any) -> Puzzle:
    """Return the puzzle that ``declare`` returns for these arguments.

    Raises `InputError`, with the puzzle's name, if it raises a ValueError, if an argument is of another kind than
    declared, or if it returns something else.
    """
    try:
        puzzle = declare(**arguments)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error
    except TypeError:  # a value of another kind may be the cause
        declaration = declaration_of_function(declare)
        names_of_parameters = [parameter.name for parameter in declaration.parameters]
        # It raises `InputError` for such a value; otherwise the TypeError stays as it is.
        declaration.arguments(
            {parameter: value for parameter, value in arguments.items() if parameter in names_of_parameters}
        )
        raise
    if not isinstance(puzzle, Puzzle):
        raise InputError(f"{name} returned no Puzzle but {puzzle!r}")
    return puzzle
