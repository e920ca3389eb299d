"""Finds puzzles and their parameters without running any of their code, so that help needs no solver's start-up."""

import ast
import difflib
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models import PUZZLES
from solvers.backend import Refused


@dataclass(frozen=True)
class Parameter:
    """A parameter of a puzzle, as its function declares it."""

    name: str
    kind: type
    """str, int, float or bool."""
    choices: tuple[object, ...]
    default: object
    meaning: str

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True)
class Declaration:
    """A puzzle of the collection."""

    name: str
    summary: str
    """One line."""
    parameters: tuple[Parameter, ...]
    load: Callable[[], Callable[..., Any]]
    """Imports the function that declares it."""


def find(name: str, relation: str = "") -> Declaration:
    """The puzzle of that name; `Refused`, with the nearest name, if there is none.

    relation: the function that is meant in place of the puzzle's own; `Refused` if the puzzle does not offer it.

    >>> [parameter.name for parameter in find("pentomino").parameters]
    ['board', 'pieces', 'square', 'subset']
    """
    if name not in PUZZLES:
        near = difflib.get_close_matches(name, PUZZLES, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "see --list"
        raise Refused(f"there is no puzzle {name!r}; {hint}")
    if relation and name not in offering(relation):
        raise Refused(f"{name} offers no {relation} relation; choose {' or '.join(offering(relation))}")
    module, function = PUZZLES[name]
    node = _functions(name)[relation or function]
    docstring = ast.get_docstring(node) or ""
    return Declaration(
        name,
        docstring.partition("\n")[0],
        _parameters(node.args, docstring),
        lambda: getattr(importlib.import_module(module), node.name),
    )


def offering(relation: str) -> list[str]:
    """The puzzles that offer the relation.

    >>> offering("step")
    ['flip-it']
    """
    return [name for name in PUZZLES if relation in _functions(name)]


def _functions(name: str) -> dict[str, ast.FunctionDef]:
    """The functions that a puzzle's module defines."""
    source = find_spec(PUZZLES[name][0]).origin  # type: ignore[union-attr]
    tree = ast.parse(Path(source).read_text(encoding="utf-8"))  # type: ignore[arg-type]
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _parameters(arguments: ast.arguments, docstring: str) -> tuple[Parameter, ...]:
    meanings = dict(re.findall(r"^(\w+): (.+)$", docstring, re.MULTILINE))
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[Any] = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    pairs = zip([*positional, *arguments.kwonlyargs], [*defaults, *arguments.kw_defaults], strict=True)
    return tuple(
        Parameter(
            argument.arg,
            *_kind(argument.annotation),
            ast.literal_eval(default) if default is not None else None,
            meanings.get(argument.arg, ""),
        )
        for argument, default in pairs
    )


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
