"""Command lines: the options of a run, the parameters of a puzzle, and complaints in one line."""

import argparse
import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from solvers.endings import BAD_INPUT
from solvers.errors import InputError
from solvers.files.catalogue import NEAR, Declaration, Parameter, find, taking
from solvers.options import setting, whole, words_of
from solvers.show.printable import printable


class Parser(argparse.ArgumentParser):
    """Complains in one line; shows the examples in its epilog line by line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)

    _met: set[str]
    """The options with one value that were read so far."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does, but an option that has one value is not to be given twice."""
        self._met = set()
        return super().parse_known_args(args, namespace)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and isinstance(action, argparse._StoreAction):
            option = action.option_strings[0]
            if option in self._met:
                both = f"write all its values behind one {option}" if action.nargs else "leave one of them out"
                self.error(f"{option} is given twice; {both}")
            self._met.add(option)
        if action.option_strings and arg_strings == ["--"]:  # argparse takes it away and gives an empty list
            self.error(f"argument {action.option_strings[0]}: expected one argument")
        return super()._get_values(action, arg_strings)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Complains of an option that there is none of, with the nearest one that there is."""
        chosen, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._advice(unknown[0].partition('=')[0])}")
        return chosen

    def _advice(self, option: str) -> str:
        if not option.startswith("-"):
            return ""
        if endings := taking(option):
            return f"; {option} is for models that end in {' or '.join(endings)}"
        names = {name.lstrip("-"): name for name in self._option_string_actions}
        near = difflib.get_close_matches(option.lstrip("-"), names, n=1, cutoff=NEAR)
        return f"; did you mean {names[near[0]]}?" if near else ""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"kazoeru: {printable(message)}\n")


def typed(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """What reads a value, for argparse, which shows the sentence of no other error."""

    def read(text: str) -> Any:
        try:
            return kind(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def add_options(group: Any, names: Sequence[str]) -> None:
    """Add these of the options of `Options` to an argument group."""
    for name in names:
        words = words_of(name)
        extra: dict[str, Any] = {"dest": name, "help": words.meaning}
        if not words.metavar:
            extra["action"] = "store_true"
        else:
            extra["metavar"] = words.metavar
            if words.kind:
                extra["type"] = typed(words.kind)
            if words.choices:
                extra["choices"] = words.choices
            if words.repeated:
                extra["action"] = "append"
            extra["default"] = [] if words.repeated else None
        group.add_argument(words.option or f"--{name.replace('_', '-')}", **extra)


def chosen_options(chosen: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """What was chosen of these options, for `Options`; those that were not given are left out."""
    given = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    if "solver_parameters" in given:
        given["solver_parameters"] = dict(given["solver_parameters"])
    return given


def words_for(
    parameters: Iterable[Parameter], arguments: Mapping[str, Any], options: Mapping[str, Any]
) -> Iterator[str]:
    """What a command line says to choose these values of a puzzle's parameters, and these options of a run."""
    for name, value in options.items():
        words = words_of(name)
        option = words.option or f"--{name.replace('_', '-')}"
        values = value if words.repeated else [value]
        if words.kind is setting:
            values = [f"{key}={one}" for key, one in value.items()]
        yield from [option] * value if isinstance(value, bool) else [f"{option}={one}" for one in values]
    for parameter in parameters:
        value = arguments[parameter.name]
        if parameter.kind is bool:
            yield parameter.option if value else f"--no-{parameter.option[2:]}"
        else:
            values = (value or ()) if parameter.repeated else () if value is None else (value,)
            yield from (f"{parameter.option}={one}" for one in values)


def parsed(
    words: Sequence[str],
    add_common: Callable[[argparse.ArgumentParser], None],
    parser: Callable[[Declaration | None], Parser],
    unnamed: str,
    offers: str = "",
) -> tuple[Declaration, argparse.Namespace]:
    """The puzzle that a command line names, and what was chosen.

    ``add_common`` adds what is there for every puzzle, ``parser`` makes the command line of a puzzle. ``offers``: a
    function that the puzzle has to offer. Raises `InputError`, with the sentence ``unnamed``, where none is named.
    """
    first = Parser(add_help=False)
    add_common(first)
    first.add_argument("puzzle", nargs="?")
    first.add_argument("-h", "--help", action="store_true")
    name = first.parse_known_args(words)[0].puzzle
    if name is None:
        parser(None).parse_args(words)
        raise InputError(unnamed)
    declaration = find(name, offers)
    return declaration, parser(declaration).parse_args(words)


def check_name(group: Any, puzzle: str, parameter: Parameter) -> None:
    """Raise `InputError` for a parameter that is called as one of the options that the parser of the group has."""
    if parameter.option in group._option_string_actions:
        raise InputError(
            f"the parameter {parameter.name} of {puzzle} has the name of the runner's option "
            f"{parameter.option}; rename it"
        )


def check_plottable(path: str) -> None:
    """Raise `InputError` if no plot can be drawn there."""
    if Path(path).suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"cannot tell how to draw {path or repr(path)}; let its name end in .png, .svg or .pdf")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib; install it with pip install '.[plot]'")


def add_parameters(group: Any, declaration: Declaration) -> None:
    """Add an option for each parameter of a puzzle to an argument group; the parser has all its other options."""
    for parameter in declaration.parameters:
        check_name(group, declaration.name, parameter)
        extra: dict[str, Any] = {"type": typed(whole) if parameter.kind is int else parameter.kind}
        if parameter.kind is bool:
            extra = {"action": argparse.BooleanOptionalAction}
        elif parameter.choices:
            extra["choices"] = parameter.choices
        else:
            extra["metavar"] = parameter.name.upper()
        default: Any = parameter.default
        note = f"default: {parameter.default}"
        if parameter.repeated:
            extra["action"] = "append"
            default, note = [], "may be repeated"
        if parameter.required:
            extra["required"] = True
            note = "required"
        meaning = f"{parameter.meaning} ({note})".replace("%", "%%")
        group.add_argument(parameter.option, dest=parameter.name, default=default, help=meaning, **extra)
