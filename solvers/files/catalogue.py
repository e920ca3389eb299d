"""Finds puzzles and their parameters without running any of their code, so that help needs no solver's start-up.

A puzzle is one of the collection, or a file of one's own.
"""

import ast
import difflib
import importlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models import PUZZLES
from solvers.errors import InputError
from solvers.files import load

LOADERS = {
    ".cnf": ("solvers.files.load", "cnf"),
    ".dlx": ("solvers.files.dlx", "dlx"),
    ".pb": ("solvers.files.saved_model", "saved_model"),
    ".pbtxt": ("solvers.files.saved_model", "saved_model"),
}
"""The module and function that reads each format, by the ending of the file's name; Python files (.py) run."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a puzzle, as its function declares it."""

    name: str
    kind: type
    """str, int, float or bool; where it is repeated, of each value."""
    choices: tuple[object, ...]
    default: object
    meaning: str
    required: bool = False
    repeated: bool = False
    """Whether it takes a sequence of values."""

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True)
class Declaration:
    """A puzzle of the collection, or a file of one's own."""

    name: str
    """On the command line: the file's path."""
    summary: str
    """One line."""
    parameters: tuple[Parameter, ...]
    load: Callable[[], Callable[..., Any]]
    """Imports the function that declares it."""

    def declare(self, **arguments: Any) -> Any:
        """What its function makes of the arguments; `InputError`, with the puzzle's name, where they are nonsense."""
        try:
            return self.load()(**arguments)
        except ValueError as error:
            raise InputError(f"{self.name}: {error}") from error


def find(name: str, relation: str = "") -> Declaration:
    """The puzzle of that name, or the one in the file; `InputError`, with the nearest name, if there is none.

    A name that holds a slash or has an ending, such as queens.py, is that of a file. What is wrong inside a file other
    than Python shows when the declaration is loaded.

    relation: the function that is meant in place of the puzzle's own; `InputError` if the puzzle does not offer it.

    >>> [parameter.name for parameter in find("pentomino").parameters]
    ['board', 'pieces', 'square', 'subset']
    """
    path = Path(name)
    if path.suffix or os.path.dirname(name):
        return _in_file(path, relation)
    if name not in PUZZLES:
        near = difflib.get_close_matches(name, PUZZLES, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "see --list"
        raise InputError(f"there is no puzzle {name!r}; {hint}")
    if relation and name not in offering(relation):
        raise InputError(f"{name} offers no {relation} relation; choose {' or '.join(offering(relation))}")
    module, function = PUZZLES[name]
    node = _functions(_source(module))[relation or function]
    return _declaration(name, node, lambda: getattr(importlib.import_module(module), node.name))


def _in_file(path: Path, relation: str) -> Declaration:
    load.check_file(path)
    if path.suffix == ".py":
        node = _puzzle_function(path, relation)
        return _declaration(str(path), node, lambda: load.python(path, node.name))
    if path.suffix not in LOADERS:
        raise InputError(f"{path} is no model by its ending; give a file that ends in .py, {', '.join(LOADERS)}")
    if relation:
        raise InputError(f"{path} offers no {relation} relation; that takes Python")
    module, function = LOADERS[path.suffix]
    node = _functions(_source(module))[function]
    del node.args.args[0]  # the path
    return _declaration(str(path), node, lambda: partial(getattr(importlib.import_module(module), function), str(path)))


def _puzzle_function(path: Path, relation: str) -> ast.FunctionDef:
    """The function that a Python file declares its puzzle (or the relation) with."""
    try:
        functions = _functions(path)
    except InputError:
        raise
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno or 1}: {error.msg}; this is no Python") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{path} is no Python: {error or 'it is nested too deeply'}") from None
    if relation:
        if relation not in functions:
            raise InputError(f"{path} offers no {relation} relation: it has no function {relation}")
        return functions[relation]
    declaring = {name: node for name, node in functions.items() if _returns(node) == "Puzzle"}
    named = path.stem.replace("-", "_")
    if len(declaring) == 1:
        return next(iter(declaring.values()))
    if named in declaring:
        return declaring[named]
    if declaring:
        raise InputError(f"{path} declares {', '.join(declaring)}; call one of them {named}, as the file")
    raise InputError(
        f"{path} declares no puzzle: none of its functions is marked to return one, as in def f() -> Puzzle"
    )


def _returns(node: ast.FunctionDef) -> str:
    return ast.unparse(node.returns).strip("'\"").rpartition(".")[2] if node.returns else ""


def _declaration(name: str, node: ast.FunctionDef, loaded: Callable[[], Callable[..., Any]]) -> Declaration:
    docstring = ast.get_docstring(node) or ""
    try:
        parameters = _parameters(node.args, docstring)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except ValueError:
        raise InputError(
            f"{name}: a default or a choice of {node.name} is no plain value, such as 8 or '6x10'"
        ) from None
    return Declaration(name, docstring.partition("\n")[0], parameters, loaded)


@contextmanager
def blamed_on(name: str, is_own: bool) -> Iterator[None]:
    """A wrong symmetry of a puzzle that somebody declared for themselves is `InputError`: it is their input."""
    from solvers.errors import WrongSymmetryError

    try:
        yield
    except WrongSymmetryError as wrong:
        if not is_own:
            raise
        raise InputError(f"{name}: {wrong}") from wrong


def offering(relation: str) -> list[str]:
    """The puzzles that offer the relation.

    >>> offering("step")
    ['flip-it']
    """
    return [name for name, (module, _) in PUZZLES.items() if relation in _functions(_source(module))]


def _source(module: str) -> Path:
    return Path(find_spec(module).origin)  # type: ignore[union-attr,arg-type]


def _functions(source: Path) -> dict[str, ast.FunctionDef]:
    """The functions that a file defines."""
    tree = ast.parse(load.read(source))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _parameters(arguments: ast.arguments, docstring: str) -> tuple[Parameter, ...]:
    meanings = dict(re.findall(r"^(\w+): (.+)$", docstring, re.MULTILINE))
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[Any] = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    pairs = zip([*positional, *arguments.kwonlyargs], [*defaults, *arguments.kw_defaults], strict=True)
    return tuple(_parameter(argument, default, meanings.get(argument.arg, "")) for argument, default in pairs)


def _parameter(argument: ast.arg, default: ast.expr | None, meaning: str) -> Parameter:
    value = ast.literal_eval(default) if default else None
    annotation, repeated = argument.annotation, False
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).rpartition(".")[2] == "Sequence":
        if value:
            raise InputError(f"{argument.arg} takes several values, so its default has to be empty")
        annotation, repeated = annotation.slice, True
    return Parameter(argument.arg, *_kind(annotation), value, meaning, default is None, repeated)


def _kind(annotation: ast.expr | None) -> tuple[type, tuple[object, ...]]:
    """The type of a parameter's values and, of a Literal, the choices; "int | None" is an int that may be missing."""
    if isinstance(annotation, ast.BinOp):
        return _kind(annotation.left)
    if isinstance(annotation, ast.Subscript):
        choices = ast.literal_eval(annotation.slice)
        choices = choices if isinstance(choices, tuple) else (choices,)
        return type(choices[0]), choices
    kinds: dict[str, type] = {"int": int, "bool": bool, "float": float}
    return kinds.get(ast.unparse(annotation) if annotation else "str", str), ()
