"""Finds puzzles and their parameters without running any of their code, so that help needs no solver's start-up.

A puzzle is one of the collection, or a file of one's own.
"""

import ast
import difflib
import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from models import COLLECTION, OTHER_NAMES, SIZED
from models.boards.compressed import ENDINGS, ending
from models.puzzle import Puzzle, Region
from solvers.base.errors import InputError, WrongCheckError, WrongSymmetryError, is_worded_for_command
from solvers.base.options import parameters_in_command
from solvers.base.plugs import COMMANDS, FORMATS, FUNCTIONS, MISSING_WINGS
from solvers.base.plugs import function as plugged
from solvers.files import load

AS_PROGRAM = ".py as a program"
"""The format of Python files that declare no puzzle: programs that solve a model."""

LOADERS = {**dict.fromkeys((".cnf", ".cnf+", ".knf"), "solvers.files.load:cnf"), **FORMATS}
"""Maps the ending of a file's name to the function, as "module:name", that reads this format.

A second ending may follow, one of `ENDINGS`. Python files (.py) are run.
"""

SIMILAR_NAME_RATIO = 0.7
"""The least similarity, from 0 to 1, at which a message suggests a name in place of an unknown one."""

KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    str: ((str, os.PathLike, Integral), "not text"),
    int: ((Integral,), "not a whole number; give one such as 3"),
    float: ((Real,), "not a number; give one such as 2.5"),
    bool: ((bool,), "neither yes nor no"),
}
"""Maps each kind of parameter to the types that its values may have, and to the complaint about others."""

TRUTH = {"yes": True, "no": False}
"""The truth value of each text that a Boolean parameter accepts."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a puzzle, as its function declares it."""

    name: str
    kind: type
    """The type: str, int, float or bool; if the parameter is repeated, the type of each value."""
    choices: tuple[object, ...]
    default: object
    meaning: str
    required: bool = False
    repeated: bool = False
    """True if the parameter takes a sequence of values."""
    is_region: bool = False
    """True if the parameter is a board, that is, of the type `models.puzzle.Region`."""

    @property
    def option(self) -> str:
        """The option's name on the command line."""
        return "--" + self.name.replace("_", "-")

    def read(self, given: Any) -> Any:
        """Return one value, converted to the parameter's type; raise `InputError` if it is not allowed.

        given: a text, as on the command line, or a Python value.

        A Boolean parameter takes "yes" and "no". Booleans are integers in Python, but no value of an int parameter.
        """
        accepted, complaint = KINDS[self.kind]
        value = given
        if isinstance(given, str) and self.kind is not str:
            with suppress(KeyError, ValueError):
                value = TRUTH[given] if self.kind is bool else self.kind(given)
        if not isinstance(value, accepted) or isinstance(value, bool) != (self.kind is bool):
            raise InputError(f"{given!r} is {complaint}")
        if self.choices and value not in self.choices:
            raise InputError(f"{given!r} is not one of {', '.join(map(str, self.choices))}")
        return self.kind(value)

    def read_all(self, given: Any) -> Any:
        """Return the parameter's value, or the list of its values if it is repeated.

        given: a text or a Python value, or several. The parameter's default is returned as it is. Raises `InputError`
        if a value is not allowed, or if a repeated parameter gets a single one.
        """
        if given is self.default:
            return given
        if not self.repeated:
            return self.read(given)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError(f"{given!r} is not a list of values")
        return [*map(self.read, given)]


@dataclass(frozen=True)
class Declaration:
    """A puzzle of the collection, or a file of one's own."""

    name: str
    """The name on the command line; for a file, its path."""
    summary: str
    """A description in one line."""
    parameters: tuple[Parameter, ...]
    load: Callable[[], Callable[..., Any]]
    """Imports the module and returns the function that declares the puzzle."""
    given: tuple[str, ...] = ()
    """What a link gives in cells, as ``--given`` takes it; the values of the link are the parameters' defaults."""

    def declare(self, **arguments: Any) -> Any:
        """Return the puzzle for these values of its parameters.

        Raises `InputError`, which names the puzzle, if a parameter is unknown or missing or has a value that is not
        allowed.
        """
        try:
            return self.load()(**self.arguments(arguments))
        except InputError:  # which says already where
            raise
        except ValueError as error:
            sentence = str(error)
            if is_worded_for_command():
                sentence = parameters_in_command(sentence, [parameter.name for parameter in self.parameters])
            raise InputError(f"{self.name}: {sentence}") from error

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a value for each parameter, by name: the one given, converted to its type, or the default.

        Raises `InputError` for an unknown name, a value that is not allowed, or a required parameter that is missing.

        given: the values by name, as texts or Python values.
        """
        parameters = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in parameters:
                similar = difflib.get_close_matches(name, parameters, n=1) or [", ".join(parameters) or "none"]
                hint = f"did you mean {similar[0]}?" if similar[0] in parameters else f"it has {similar[0]}"
                raise InputError(f"{self.name} has no parameter {name!r}; {hint}")
        values = {}
        for name, parameter in parameters.items():
            if parameter.required and name not in given:
                raise InputError(f"{self.name}: give a value for {name}")
            try:
                values[name] = parameter.read_all(given[name]) if name in given else parameter.default
            except InputError as error:
                raise InputError(f"{self.name}: {name}: {error}") from None
        return values


def find(name: str) -> Declaration:
    """Return the declaration of the puzzle of this name, or of the one in the file with this path.

    A name with a slash or an ending, such as queens.py, is the path of a file. Errors inside a file other than Python
    show when the puzzle is declared. A link, or a game ID with the name of its game, is read; nothing is fetched.

    Raises `InputError`, with the most similar name, if there is no such puzzle.

    >>> [parameter.name for parameter in find("pentomino").parameters]
    ['board', 'pieces', 'square', 'subset']
    """
    # `FUNCTIONS` are those that wings add, by purpose, and `plugged` imports one: this one tells whether a text is a
    # link.
    if (":" in name or "/" in name) and "is link" in FUNCTIONS and plugged("is link", "a link")(name):
        return _declaration_of_link(name)
    path, function = path_and_function(name)
    if path.suffix or os.path.dirname(name):
        return _declaration_in_file(path, function)
    if name not in COLLECTION:
        if os.path.isdir(name):
            raise InputError(f"{name} is a folder; name a puzzle (see python -m solvers.run --list) or a file")
        similar = [OTHER_NAMES[name]] if name in OTHER_NAMES else []
        similar = similar or difflib.get_close_matches(name, [*COLLECTION, *COMMANDS], n=1, cutoff=SIMILAR_NAME_RATIO)
        command = "the command python -m solvers " if similar and similar[0] in COMMANDS else ""
        hint = f"did you mean {command}{similar[0]}?" if similar else "see python -m solvers.run --list"
        if MISSING_WINGS:
            hint += f" (this copy of kazoeru lacks solvers/extras/{', '.join(MISSING_WINGS)})"
        raise InputError(f"there is no puzzle {name!r}; {hint}")
    # `_declaration` reads the parameters from the source of the module, which is imported when the puzzle is declared.
    module, function = COLLECTION[name]
    source = _syntax_tree(_source(module))
    node = _functions(source)[function]
    return _declaration(name, node, source, lambda: getattr(importlib.import_module(module), node.name))


def parameters_with_size(name: str, arguments: Mapping[str, Any], given: Sequence[object]) -> dict[str, Any]:
    """Return the parameters of a puzzle, whose size may follow from the cells that are given.

    name: the puzzle's. arguments: the values of its parameters. given: facts, and paths of files with cells. The size
    follows only for a puzzle of `SIZED`, from the first file; without a file, the text of the cells is empty. Raises
    `InputError`, which names the file, if such a puzzle is given a file that shows none.
    """
    if name not in SIZED or not given:
        return {**arguments}
    files = [given_file for given_file in given if isinstance(given_file, str) and os.path.isfile(given_file)]
    text = load.read_text(Path(files[0])) if files else ""
    try:
        return contents_sized(name, arguments, text)
    except ValueError as error:
        raise InputError(f"{name}: {files[0]}: {error}") from None


def contents_sized(name: str, arguments: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the parameters of a puzzle of `models.SIZED` for the content of its cells; raise ValueError if it is none.

    `SIZED` maps the puzzle's name to the module and the name of its function that reads off the size. name: the
    puzzle's. arguments: the values of its parameters. text: the cells, as a file shows them.
    """
    module, function = SIZED[name]
    fitted: dict[str, Any] = getattr(importlib.import_module(module), function)(arguments, text)
    return fitted


def _declaration_of_link(link: str) -> Declaration:
    """Return the declaration of the puzzle that a link or a game ID holds; raise `InputError` if it cannot be read.

    It is that of the puzzle in the collection, with the link's arguments as defaults of its parameters.
    """
    # The wing's reader returns the puzzle's name, its arguments by name, and what is given in cells.
    linked = plugged("link", "a link")(link)
    declaration = find(linked.name)
    parameters = [
        replace(parameter, default=linked.arguments.get(parameter.name, parameter.default))
        for parameter in declaration.parameters
    ]
    return replace(declaration, parameters=tuple(parameters), given=linked.given)


def path_and_function(name: str) -> tuple[Path, str]:
    """Return (path, name of the function) of a puzzle such as "own.py:kings"; "" if no function is named.

    >>> path_and_function("own.py:kings")[1], path_and_function("own.py")[1]
    ('kings', '')
    """
    file, _, function = name.rpartition(":")
    if file.endswith(".py") and not os.path.exists(name):
        return Path(file), function
    return Path(name), ""


def _declaration_in_file(path: Path, function: str) -> Declaration:
    """Return the declaration of the puzzle in a file: a link, a Python file, or a model in another format.

    function: the name of the function that declares it, if the file has several; "" if it is not named. Raises
    `InputError` if the file declares none.
    """
    load.check_file(path)
    may_hold_link = ending(path) in (".sav", ".txt", ".url") and "link in" in FUNCTIONS
    if may_hold_link and (link := plugged("link in", "a link")(str(path))):
        return _declaration_of_link(link)
    if path.suffix == ".py":
        source = _tree_of_python(path)
        if function:
            node = _find_function(path, source, function)
            return _declaration(f"{path}:{function}", node, source, lambda: load.python_declaration(path, node.name))
        functions = _functions(source).values()
        is_declared = any(_return_type(node) == "Puzzle" or _makes_puzzle(node) for node in functions)
        # A file without a function that declares or returns a puzzle is taken for a program that solves a model.
        if AS_PROGRAM in LOADERS and not is_declared:
            return _declaration_of_format(path, AS_PROGRAM)
        node = _puzzle_function(path, source)
        return _declaration(str(path), node, source, lambda: load.python_declaration(path, node.name))
    if ending(path) not in LOADERS:
        endings = ", ".join(format for format in LOADERS if format != AS_PROGRAM)
        packed = f" (all but .py may be compressed: {', '.join(ENDINGS)})"
        raise InputError(f"{path} has an ending that no model has; give a file that ends in .py, {endings}{packed}")
    return _declaration_of_format(path, ending(path))


def _declaration_of_format(path: Path, format: str) -> Declaration:
    """Return the declaration of a model in a file of a format that one of our functions reads.

    format: a key of `LOADERS`, which gives the place of the function. Its arguments, but for the path, are the
    parameters of the model; they are read from its source, and the function is imported when the model is declared.
    """
    module, _, function = LOADERS[format].partition(":")
    source = _syntax_tree(_source(module))
    node = _functions(source)[function]
    del node.args.args[0]  # the path

    def loader() -> Callable[..., Any]:
        return partial(getattr(importlib.import_module(module), function), str(path))

    return _declaration(str(path), node, source, loader)


def _tree_of_python(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file; raise `InputError` if the file cannot be parsed."""
    try:
        return _syntax_tree(path)
    except InputError:
        raise
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno or 1}: {error.msg}; this is not Python") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{path} is not Python: {error or 'it is nested too deeply'}") from None


def _puzzle_function(path: Path, source: ast.Module) -> ast.FunctionDef:
    """Return the function in a Python file that declares its puzzle, recognised by its return type.

    Of several that declare puzzles, it is the one with the name of the file. path: the file. source: its syntax tree.
    Raises `InputError` if there is no such function.
    """
    functions = _functions(source)
    declaring = {name: node for name, node in functions.items() if _return_type(node) == "Puzzle"}
    name_of_file = path.stem.replace("-", "_")
    if len(declaring) == 1:
        return next(iter(declaring.values()))
    if name_of_file in declaring:
        return declaring[name_of_file]
    if declaring:
        first = next(iter(declaring))
        raise InputError(f"{path} declares {', '.join(declaring)}; name one of them, such as {path}:{first}")
    # A failing import is the better explanation, so that it is raised first.
    load.do_imports(path, source)
    raise InputError(f"{path} declares no puzzle: {_annotation_advice(functions.values())}")


def _find_function(path: Path, source: ast.Module, function: str) -> ast.FunctionDef:
    """Return the function of this name in a Python file, which declares a puzzle; raise `InputError` without it.

    path: the file, for messages. source: its syntax tree. function: the name. The message lists the functions that do
    declare one, or says that the return type is missing.
    """
    declaring = [name for name, node in _functions(source).items() if _return_type(node) == "Puzzle"]
    if function not in declaring:
        explanation = f"{path} declares {', '.join(declaring)}" if declaring else f"{path} declares no puzzle"
        if function in _functions(source):
            explanation = _annotation_advice([_functions(source)[function]])
        raise InputError(f"there is no puzzle {function!r} in this file; {explanation}")
    return _functions(source)[function]


def _makes_puzzle(node: ast.FunctionDef) -> bool:
    """Tell whether a function returns a call of ``Puzzle``."""
    returned = [ast.unparse(part.value) for part in ast.walk(node) if isinstance(part, ast.Return) and part.value]
    return any(re.match(r"([\w.]+\.)?Puzzle\(", text) for text in returned)


def _annotation_advice(functions: Iterable[ast.FunctionDef]) -> str:
    """Return what is missing where no function has the return type Puzzle, in words."""
    name = next((node.name for node in functions if _makes_puzzle(node)), None)
    if name is None:
        return "none of its functions has the return type Puzzle, as in def f() -> Puzzle"
    return f"{name} lacks its return type; write -> Puzzle behind its parameters, as in def {name}(...) -> Puzzle"


def _return_type(node: ast.FunctionDef) -> str:
    """Return the name of a function's return type without its modules; "" if it has no annotation."""
    return ast.unparse(node.returns).strip("'\"").rpartition(".")[2] if node.returns else ""


def _declaration(
    name: str, node: ast.FunctionDef, source: ast.Module, loader: Callable[[], Callable[..., Any]]
) -> Declaration:
    """Describe a function as the declaration of the puzzle ``name``, from its syntax tree.

    node: the function. source: the file that defines the function. loader: imports the function and returns it. Raises
    `InputError` if a default or a choice of a parameter is not a plain value.
    """
    docstring = ast.get_docstring(node) or ""
    try:
        # Names of constants in defaults and types are replaced by their values first.
        parameters = _parameters(_Constants(source, node).visit(node.args), docstring)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except ValueError:
        raise InputError(
            f"{name}: a default or a choice of {node.name} must be a plain value, such as 8 or '6x10', or its name"
        ) from None
    return Declaration(name, docstring.partition("\n")[0], parameters, loader)


@contextmanager
def blame_declaration(name: str, is_own: bool) -> Iterator[None]:
    """Turn errors of wrong symmetries and checks in the block into `InputError`, for a user's own puzzle.

    name: the name of the puzzle. is_own: whether it is the user's own; if not, the errors are raised as they are.
    """
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


def declaration_of_function(function: Callable[..., Any]) -> Declaration:
    """Return the declaration of a function that declares a puzzle.

    Its parameters of the types str, int, float, bool, a Literal of these, a sequence of these, and Region become
    options; others are left out. A parameter without a type has that of its default. A line "name: text" of the
    docstring is the meaning of that parameter.

    >>> def queens(n: int = 8): "Place n queens."
    >>> declaration_of_function(queens).parameters[0].kind
    <class 'int'>
    """
    docstring = inspect.getdoc(function) or ""
    meanings = dict(re.findall(r"^(\w+): (.+)$", docstring, re.MULTILINE))
    try:
        hints = get_type_hints(function, include_extras=True)
    # An annotation names something that is unknown: the types of the defaults have to do.
    except (NameError, TypeError):
        hints = {}
    parameters = []
    for name, parameter in inspect.signature(function).parameters.items():
        required = parameter.default is parameter.empty
        default = None if required else parameter.default
        hint = hints.get(name, type(default))
        if get_origin(hint) in (Union, UnionType):  # such as int | None
            hint = get_args(hint)[0]
        repeated = get_origin(hint) in (Sequence, list)
        if repeated:  # the type of the values; str if it is not given
            hint = (*get_args(hint), str)[0]
        is_region = hint == Region
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        if is_region:
            kind = str
        elif choices:
            kind = type(choices[0])
        else:
            kind = hint
        if kind in (str, int, float, bool):
            meaning = meanings.get(name, "")
            parameters.append(Parameter(name, kind, choices, default, meaning, required, repeated, is_region))
    name = getattr(function, "__name__", "puzzle")
    return Declaration(name, docstring.partition("\n")[0], tuple(parameters), lambda: function)


def taking(option: str) -> list[str]:
    """Return the endings of the files whose reader takes this option of the command line.

    >>> taking("--data"), taking("--model")
    (['.mzn'], ['.ipynb', '.py as a program'])
    """
    endings_found = []
    for format, reader in LOADERS.items():
        module, _, function = reader.partition(":")
        # The reader's arguments behind the path are options of the command line.
        arguments = _functions(_syntax_tree(_source(module)))[function].args.args[1:]
        endings_found += [format] if option in (f"--{argument.arg}" for argument in arguments) else []
    return endings_found


def _source(module: str) -> Path:
    """Return the path of a module's source file; the module is not imported."""
    return Path(find_spec(module).origin)  # type: ignore[union-attr,arg-type]


def _syntax_tree(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file.

    Raises `InputError` if it cannot be read, and what `ast.parse` raises if it is not Python.
    """
    return ast.parse(load.read(path))


def _functions(source: ast.Module) -> dict[str, ast.FunctionDef]:
    """Return the functions that a file defines at its top level, by name."""
    return {node.name: node for node in source.body if isinstance(node, ast.FunctionDef)}


class _Constants(ast.NodeTransformer):
    """Replaces, in the syntax tree of a function's arguments, names of constants by their values."""

    def __init__(self, source: ast.Module, function: ast.FunctionDef) -> None:
        """Collect the constants: texts and numbers that the file binds to a name.

        source: the syntax tree of the file. Only bindings at its top level and before ``function`` count, and of a name
        that is bound several times only the last one.
        """
        self._values: dict[str, str | int | float] = {}
        for statement in source.body[: source.body.index(function)]:
            bound_names = list(_names_in_statement(statement))
            for name in bound_names:
                self._values.pop(name, None)
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value and len(bound_names) == 1:
                with suppress(ValueError):
                    value = ast.literal_eval(self.visit(statement.value))
                    if isinstance(value, (str, int, float)):  # others might be changed later on
                        self._values[bound_names[0]] = value

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Return an argument as it is: names in its type are not replaced."""
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the value of a name as a constant.

        A name that represents no known value is returned as it is.
        """
        return ast.Constant(self._values[node.id]) if node.id in self._values else node


def _names_in_statement(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a syntax tree binds, by assignment, import or definition."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def _parameters(arguments: ast.arguments, docstring: str) -> tuple[Parameter, ...]:
    """Return the parameters that a function's arguments declare.

    docstring: the function's; a line "name: text" in it is the meaning of that parameter. Raises `InputError` if a
    parameter takes several values and its default is not empty, ValueError if a default is not a literal.
    """
    meanings = dict(re.findall(r"^(\w+): (.+)$", docstring, re.MULTILINE))
    positional = [*arguments.posonlyargs, *arguments.args]
    # Python lists the defaults of the last positional arguments only, and one (or None) for each keyword argument.
    number_without = len(positional) - len(arguments.defaults)
    defaults = [*[None] * number_without, *arguments.defaults, *arguments.kw_defaults]
    pairs = zip([*positional, *arguments.kwonlyargs], defaults, strict=True)
    return tuple(_parameter(argument, default, meanings.get(argument.arg, "")) for argument, default in pairs)


def _parameter(argument: ast.arg, default: ast.expr | None, meaning: str) -> Parameter:
    """Return the parameter that an argument of a function declares; it is required if it has no default.

    argument, default: parts of the syntax tree. meaning: its text in the docstring. Raises `InputError` if it takes
    several values (its type is a Sequence) and its default is not empty, and ValueError if the default is not a
    literal.
    """
    value = ast.literal_eval(default) if default else None
    annotation, repeated = argument.annotation, False
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).rpartition(".")[2] == "Sequence":
        if value:
            raise InputError(f"{argument.arg} takes several values, so its default has to be empty")
        annotation, repeated = annotation.slice, True
    is_region = annotation is not None and ast.unparse(annotation).rpartition(".")[2] == "Region"
    kind, choices = _parameter_type(annotation)
    return Parameter(argument.arg, kind, choices, value, meaning, default is None, repeated, is_region)


def _parameter_type(annotation: ast.expr | None) -> tuple[type, tuple[object, ...]]:
    """Return (type of a parameter's values, choices); there are choices if the annotation is a Literal.

    annotation: a part of the syntax tree; None for no annotation, which means text. "int | None" represents an int that
    may be missing.
    """
    if isinstance(annotation, ast.BinOp):
        return _parameter_type(annotation.left)
    if isinstance(annotation, ast.Subscript):
        choices = ast.literal_eval(annotation.slice)
        choices = choices if isinstance(choices, tuple) else (choices,)
        return type(choices[0]), choices
    kinds: dict[str, type] = {"int": int, "bool": bool, "float": float}
    return kinds.get(ast.unparse(annotation) if annotation else "str", str), ()


def in_collection(puzzle: object) -> str | None:
    """Return the name in the collection of a puzzle, or of a function that declares it.

    The result is None if the puzzle is not in the collection. A declared puzzle is in it if the collection, with the
    same parameters, declares the same puzzle.

    >>> from models.magic import magic
    >>> in_collection(magic), in_collection(magic("ring")), in_collection(lambda: magic())
    ('magic', 'magic', None)
    """
    if not isinstance(puzzle, Puzzle):
        # `COLLECTION` maps a name to (module, name of the function).
        place = getattr(puzzle, "__module__", ""), getattr(puzzle, "__qualname__", "")
        return next((name for name, known in COLLECTION.items() if known == place), None)
    if puzzle.name in COLLECTION:
        # The puzzle may have parameters that the collection's function does not take: then it is not in it.
        with suppress(TypeError, ValueError):
            again = find(puzzle.name).declare(**puzzle.parameters)
            return puzzle.name if _declaration_parts(again) == _declaration_parts(puzzle) else None
    return None


def _declaration_parts(puzzle: Puzzle) -> tuple[object, ...]:
    """Return the parts on which two declarations of a puzzle must agree to be the same.

    These are the model and the key, as texts, and the names of all functions: each declaration makes its functions
    anew, so that the functions themselves are never equal.
    """
    functions = [
        puzzle.is_solution,
        puzzle.are_solutions,
        puzzle.draw,
        puzzle.feature,
        puzzle.fills,
        *puzzle.symmetries,
    ]
    names = [getattr(function, "__qualname__", str(type(function))) for function in functions]
    return str(puzzle.model), str(puzzle.key), names
