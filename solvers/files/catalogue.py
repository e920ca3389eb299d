"""Finds puzzles and their parameters without running any of their code, so that help needs no solver's start-up.

A puzzle is one of the collection, or a file of one's own.
"""

import ast
import difflib
import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from models import PUZZLES
from models.puzzle import Region
from solvers.errors import InputError, WrongCheckError, WrongSymmetryError
from solvers.files import load

LOADERS = {
    ".cnf": ("solvers.files.load", "cnf"),
    ".dlx": ("solvers.files.dlx", "dlx"),
    ".fzn": ("solvers.minizinc.load", "flatzinc"),
    ".mzn": ("solvers.minizinc.load", "minizinc"),
    ".pb": ("solvers.files.saved_model", "saved_model"),
    ".pbtxt": ("solvers.files.saved_model", "saved_model"),
}
"""The module and function that reads each format, by the ending of the file's name; Python files (.py) run."""

CPMPY = ("solvers.files.cpmpy_model", "cpmpy_file")
"""The same for a Python file that declares no puzzle and works with CPMpy."""

NEAR = 0.7
"""How alike two names are, from 0 to 1, of which one may be meant by the other."""


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
    is_region: bool = False
    """Whether it says which cells there are (`models.puzzle.Region`)."""

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
        except InputError:  # which says already where
            raise
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
        if os.path.isdir(name):
            raise InputError(f"{name} is a folder; name a puzzle (see --list) or a file")
        near = difflib.get_close_matches(name, PUZZLES, n=1, cutoff=NEAR)
        hint = f"did you mean {near[0]}?" if near else "see --list"
        raise InputError(f"there is no puzzle {name!r}; {hint}")
    if relation and name not in offering(relation):
        raise InputError(f"{name} offers no {relation} relation; choose {' or '.join(offering(relation))}")
    module, function = PUZZLES[name]
    source = _parsed(_source(module))
    node = _functions(source)[relation or function]
    return _declaration(name, node, source, lambda: getattr(importlib.import_module(module), node.name))


def _in_file(path: Path, relation: str) -> Declaration:
    load.check_file(path)
    if path.suffix == ".py":
        source = _python(path)
        if not relation and _holds_cpmpy(source):
            return _loaded_by(path, *CPMPY)
        node = _puzzle_function(path, source, relation)
        return _declaration(str(path), node, source, lambda: load.python(path, node.name))
    if path.suffix not in LOADERS:
        raise InputError(f"{path} is no model by its ending; give a file that ends in .py, {', '.join(LOADERS)}")
    if relation:
        raise InputError(f"{path} offers no {relation} relation; that takes Python")
    return _loaded_by(path, *LOADERS[path.suffix])


def _loaded_by(path: Path, module: str, function: str) -> Declaration:
    """The model in a file that a function of ours reads; its other parameters are the model's."""
    source = _parsed(_source(module))
    node = _functions(source)[function]
    del node.args.args[0]  # the path

    def loaded() -> Callable[..., Any]:
        return partial(getattr(importlib.import_module(module), function), str(path))

    return _declaration(str(path), node, source, loaded)


def _holds_cpmpy(source: ast.Module) -> bool:
    """Whether a Python file that declares no puzzle works with CPMpy."""
    imported = [
        alias.name if isinstance(node, ast.Import) else node.module or ""
        for node in ast.walk(source)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    ]
    declares = any(_returns(node) == "Puzzle" for node in _functions(source).values())
    return not declares and any(name.split(".")[0] == "cpmpy" for name in imported)


def _python(path: Path) -> ast.Module:
    """What is written in a Python file; `InputError` if it is none."""
    try:
        return _parsed(path)
    except InputError:
        raise
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno or 1}: {error.msg}; this is no Python") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{path} is no Python: {error or 'it is nested too deeply'}") from None


def _puzzle_function(path: Path, source: ast.Module, relation: str) -> ast.FunctionDef:
    """The function that a Python file declares its puzzle (or the relation) with."""
    functions = _functions(source)
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
        raise InputError(f"{path} declares {', '.join(declaring)}; rename one of them to {named}, the name of the file")
    load.do_imports(path, source)
    raise InputError(
        f"{path} declares no puzzle: none of its functions is marked to return one, as in def f() -> Puzzle"
    )


def _returns(node: ast.FunctionDef) -> str:
    return ast.unparse(node.returns).strip("'\"").rpartition(".")[2] if node.returns else ""


def _declaration(
    name: str, node: ast.FunctionDef, source: ast.Module, loaded: Callable[[], Callable[..., Any]]
) -> Declaration:
    docstring = ast.get_docstring(node) or ""
    try:
        parameters = _parameters(_Constants(source, node).visit(node.args), docstring)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except ValueError:
        raise InputError(
            f"{name}: a default or a choice of {node.name} is no plain value, such as 8 or '6x10', nor the name of one"
        ) from None
    return Declaration(name, docstring.partition("\n")[0], parameters, loaded)


@contextmanager
def blamed_on(name: str, is_own: bool) -> Iterator[None]:
    """A wrong symmetry or check of a puzzle that somebody declared for themselves is their input: `InputError`."""
    try:
        yield
    except WrongSymmetryError as wrong:
        if not is_own:
            raise
        raise InputError(f"{wrong.names} of {name} is wrong: it {wrong.does}") from wrong
    except WrongCheckError as wrong:
        if not is_own:
            raise
        raise InputError(f"the check or the model of {name} is wrong: {wrong}") from wrong


def declared(function: Callable[..., Any]) -> Declaration:
    """The same of a function that is here already; parameters of which no kind is told by type or default are left out.

    >>> def queens(n: int = 8): "Place n queens."
    >>> declared(queens).parameters[0].kind
    <class 'int'>
    """
    docstring = inspect.getdoc(function) or ""
    meanings = dict(re.findall(r"^(\w+): (.+)$", docstring, re.MULTILINE))
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        hints = {}
    parameters = []
    for name, parameter in inspect.signature(function).parameters.items():
        required = parameter.default is parameter.empty
        default = None if required else parameter.default
        hint = hints.get(name, type(default))
        if get_origin(hint) in (Union, UnionType):
            hint = get_args(hint)[0]
        repeated = get_origin(hint) in (Sequence, list)
        if repeated:
            hint = (*get_args(hint), str)[0]
        is_region, choices = hint == Region, get_args(hint) if get_origin(hint) is Literal else ()
        kind = str if is_region else type(choices[0]) if choices else hint
        if kind in (str, int, float, bool):
            meaning = meanings.get(name, "")
            parameters.append(Parameter(name, kind, choices, default, meaning, required, repeated, is_region))
    name = getattr(function, "__name__", "puzzle")
    return Declaration(name, docstring.partition("\n")[0], tuple(parameters), lambda: function)


def offering(relation: str) -> list[str]:
    """The puzzles that offer the relation.

    >>> offering("step")
    ['flip-it']
    """
    return [name for name, (module, _) in PUZZLES.items() if relation in _functions(_parsed(_source(module)))]


def taking(option: str) -> list[str]:
    """The endings of the files whose reader takes this option.

    >>> taking("--data"), taking("--decompose")
    (['.mzn'], ['.fzn', '.mzn', '.py with CPMpy'])
    """
    readers = {**LOADERS, ".py with CPMpy": CPMPY}
    return [
        ending
        for ending, (module, function) in readers.items()
        if option in (f"--{one.arg}" for one in _functions(_parsed(_source(module)))[function].args.args[1:])
    ]


def _source(module: str) -> Path:
    return Path(find_spec(module).origin)  # type: ignore[union-attr,arg-type]


def _parsed(path: Path) -> ast.Module:
    return ast.parse(load.read(path))


def _functions(source: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions that a file defines."""
    return {node.name: node for node in source.body if isinstance(node, ast.FunctionDef)}


class _Constants(ast.NodeTransformer):
    """Puts plain values in place of the names that stand for them where a function is defined."""

    def __init__(self, source: ast.Module, function: ast.FunctionDef) -> None:
        self._values: dict[str, str | int | float] = {}
        for statement in source.body[: source.body.index(function)]:
            bound = list(_bound(statement))
            for name in bound:
                self._values.pop(name, None)
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value and len(bound) == 1:
                with suppress(ValueError):
                    value = ast.literal_eval(self.visit(statement.value))
                    if isinstance(value, (str, int, float)):  # others might be changed later on
                        self._values[bound[0]] = value

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """A type is left as it is."""
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name where a value is used."""
        return ast.Constant(self._values[node.id]) if node.id in self._values else node


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives something to."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


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
    is_region = annotation is not None and ast.unparse(annotation).rpartition(".")[2] == "Region"
    return Parameter(argument.arg, *_kind(annotation), value, meaning, default is None, repeated, is_region)


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
