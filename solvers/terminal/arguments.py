"""Command lines: the options of a run, the parameters of a puzzle, and complaints in one line."""

import argparse
import difflib
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from solvers.base.endings import BAD_INPUT
from solvers.base.errors import InputError
from solvers.base.options import WORDS, Options
from solvers.base.plugs import COMMANDS
from solvers.base.plugs import OPTIONS as PLUGGED_OPTIONS
from solvers.files.catalogue import SIMILAR_NAME_RATIO, Declaration, Parameter, find, parameters_with_size, taking
from solvers.show.printable import printable

MAX_SIZE_DIGITS = 4
"""The most digits of a word that counts as a number where it is not known what it is for."""


class Parser(argparse.ArgumentParser):
    """A parser of command lines that complains in one line and shows its epilog line by line."""

    def __init__(self, **settings: Any) -> None:
        """Take the arguments of argparse.ArgumentParser; abbreviated options are refused."""
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)

    _met: set[str]
    """The options with one value that were read so far."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but refuse an option with one value that is given twice."""
        self._met = set()
        return super().parse_known_args(args, namespace)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return an option's values as argparse does; end with a complaint if the option is given twice.

        argparse calls it for each option that it reads. An option that takes several values may be repeated. action:
        the option. arg_strings: the words of its values.
        """
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
        """Parse as argparse does, with options between other words, too.

        End with a complaint about an unknown option, which suggests the most similar one.
        """
        chosen, unknown = self.parse_known_intermixed_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._advice(unknown[0])}")
        return chosen

    def _advice(self, option: str) -> str:
        """Return the end of a complaint about an unknown option, "" if there is no advice.

        The advice names the command of this name, the files that the option is for, or a similar option.
        """
        if not option.startswith("-"):
            return ""
        option = option.partition("=")[0]
        name = option.lstrip("-")
        if name in COMMANDS:
            return f"; {name} is a command of its own: python -m solvers {name} --help"
        if endings := taking(option):
            return f"; {option} is for models that end in {' or '.join(endings)}"
        option_by_name = {name.lstrip("-"): name for name in self._option_string_actions}
        similar = difflib.get_close_matches(name, option_by_name, n=1, cutoff=SIMILAR_NAME_RATIO)
        similar = similar or [
            option_name for option_name in option_by_name if len(name) > 1 and option_name.startswith(name)
        ]
        return f"; did you mean {option_by_name[similar[0]]}?" if similar else ""

    def error(self, message: str) -> NoReturn:
        """End the process with exit code `BAD_INPUT` and the message in one line on stderr.

        Argparse's message on missing arguments is reworded: it says what to give.
        """
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            message = f"give {missing if missing.startswith('-') else missing.upper()}; {self.prog} --help shows how"
        self.exit(BAD_INPUT, f"kazoeru: {printable(message)}\n")


def argparse_reader(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a reader of values for argparse.

    kind: reads a value from a text and may raise `InputError`, which becomes argparse's own error with the same
    sentence.
    """

    def read(text: str) -> Any:
        try:
            return kind(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


class PuzzleParser(Parser):
    """The command line of a puzzle; the puzzle's own parameters are added once the words name the puzzle."""

    def __init__(self, command: str, description: str, epilog: str, subject: Mapping[str, Any] | None = None) -> None:
        """Make the parser, still without options.

        command: the command as it is typed, such as "python -m solvers why". description, epilog: the texts above and
        below the options. subject: a second argument behind the puzzle: its settings for argparse, with its name as
        "dest"; None for none. Options other than those of the puzzle are added afterwards.
        """
        behind = f" {subject['metavar']}" if subject else ""
        super().__init__(
            prog=f"{command} PUZZLE{behind}",
            usage="%(prog)s [OPTION ...]",
            description=description,
            epilog=epilog,
            add_help=False,
        )
        self.add_argument("puzzle", nargs="?", help=argparse.SUPPRESS)
        if subject:
            self.add_argument(subject["dest"], nargs="?", **{k: subject[k] for k in subject if k != "dest"})
        self.add_argument("-h", "--help", action="store_true", help=argparse.SUPPRESS)
        self._puzzle_group = self.add_argument_group("parameters of the puzzle")
        self._run_fields: list[str] = []
        """The fields of `Options` that are offered."""
        self._parameters: Sequence[Parameter] = ()

    def _advice(self, option: str) -> str:
        """Return the end of a complaint about an unknown word; it shows that parameters have names.

        It names the parameter of "name=value", or else one that takes a number or a text as this word is, preferably
        the one named "puzzle". Many digits are a text, such as a sudoku in a line.
        """
        if option.startswith("-") or not self._parameters:
            return super()._advice(option)
        name, equals, value = option.partition("=")
        if equals and (named := [parameter for parameter in self._parameters if parameter.name == name]):
            return f"; write {named[0].option} {value}"
        kind = int if option.isdigit() and len(option) <= MAX_SIZE_DIGITS else str
        fitting = [parameter for parameter in self._parameters if parameter.kind is kind]
        parameter = next(
            (candidate for candidate in fitting if candidate.name == "puzzle"), (*fitting, *self._parameters)[0]
        )
        return f"; parameters have names, such as {parameter.option} {option}"

    def offer(self, names: str, group: Any, several: Mapping[str, Callable[[str], Any]] | None = None) -> None:
        """Offer options of a run; those that a missing part of kazoeru would need are left out.

        names: fields of `Options`, divided by spaces. group: the argument group in which they are shown. several: for
        options that may have several values, the readers of these.
        """
        for name in names.split():
            words = WORDS[name]
            if words.is_plugged and name not in PLUGGED_OPTIONS:
                continue
            self._run_fields.append(name)
            # The keywords for argparse.
            keywords: dict[str, Any] = {"dest": name, "help": words.meaning}
            if not words.metavar:
                keywords["action"] = "store_true"
            else:
                keywords["metavar"] = words.metavar
                if words.kind:
                    keywords["type"] = argparse_reader(words.kind)
                if several and name in several:
                    keywords |= {"type": several[name], "metavar": "LIST"}
                elif words.choices:
                    keywords["choices"] = words.choices
                if words.repeated:
                    keywords["action"] = "append"
                keywords["default"] = [] if words.repeated else None
            group.add_argument(words.option or f"--{name.replace('_', '-')}", **keywords)

    def run_options(self, chosen: argparse.Namespace, **defaults: Any) -> Options:
        """Return the options of a run.

        chosen: all values of the command line. defaults: fields of `Options`, for what was not given.
        """
        return Options(**defaults | self.run_values(chosen))

    def run_values(self, chosen: argparse.Namespace) -> dict[str, Any]:
        """Return the values of the offered options of a run, by the names of fields of `Options`.

        chosen: all values of the command line. Options that were not given are left out. Parameters of the solver
        become a dictionary.
        """
        given = {name: getattr(chosen, name) for name in self._run_fields if getattr(chosen, name) is not None}
        if "solver_parameters" in given:
            given["solver_parameters"] = dict(given["solver_parameters"])
        return given

    def parse_puzzle(
        self,
        words: Sequence[str],
        unnamed: str,
        add: Callable[[Any, Parameter], None] | None = None,
        further: Sequence[Parameter] = (),
    ) -> tuple[Declaration, argparse.Namespace]:
        """Return (declaration of the puzzle that the words name, values of all options).

        End the process if they ask for help.

        words: the command line. unnamed: the sentence of the `InputError` if no puzzle is named. add: adds a
        parameter to an argument group; the default is `add_parameter`. further: what is added besides the puzzle's
        parameters, if no option has its name.
        """
        words = [*takewhile(lambda word: word != "--", words), *(f"--argument={word}" for word in _solver_words(words))]
        # Once to find the puzzle, whose parameters are then known; the second time with these.
        first = self.parse_known_intermixed_args(words)[0]
        if first.puzzle is not None:
            declaration = find(first.puzzle)
            self.prog = self.prog.replace("PUZZLE", declaration.name)
            self._puzzle_group.title = f"parameters of {declaration.name}"
            self._parameters = declaration.parameters
            for parameter in declaration.parameters:
                if parameter.option in self._option_string_actions:
                    raise InputError(
                        f"the parameter {parameter.name} of {declaration.name} has the name of the runner's option "
                        f"{parameter.option}; rename it"
                    )
                (add or add_parameter)(self._puzzle_group, parameter)
            for parameter in further:
                if parameter.option not in self._option_string_actions:
                    (add or add_parameter)(self._puzzle_group, parameter)
        if first.help:
            self.print_help()
            self.exit()
        chosen = self.parse_args(words)
        if first.puzzle is None:
            raise InputError(unnamed)
        if declaration.given:  # by a link
            if "given" not in chosen:
                raise InputError(
                    f"{declaration.name}: the link gives the content of cells, which this command cannot take"
                )
            chosen.given = [*declaration.given, *chosen.given]
        values_of_parameters = parameters_with_size(
            declaration.name, arguments_of(declaration, chosen), getattr(chosen, "given", ())
        )
        # A parameter's value is stored as "of NAME", as an option may have the same name.
        vars(chosen).update({f"of {name}": value for name, value in values_of_parameters.items()})
        return declaration, chosen


def _solver_words(words: Sequence[str]) -> Sequence[str]:
    """Return the words behind ``--``, which are for a program that solves a model."""
    return words[words.index("--") + 1 :] if "--" in words else ()


def arguments_of(declaration: Declaration, chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the values that a command line chose for the puzzle's own parameters.

    They are given by the names of the parameters, which may be names of other options, too. declaration: the puzzle.
    chosen: the parsed options.
    """
    return {parameter.name: getattr(chosen, f"of {parameter.name}") for parameter in declaration.parameters}


def add_parameter(group: Any, parameter: Parameter) -> None:
    """Add the option of a puzzle's parameter to an argument group; its value is stored as "of NAME".

    A Boolean parameter gets two options, --NAME and --no-NAME.
    """
    keywords: dict[str, Any] = {"type": argparse_reader(parameter.read), "metavar": parameter.name.upper()}
    if parameter.kind is bool:
        keywords = {"action": argparse.BooleanOptionalAction}
    elif parameter.choices:
        keywords["metavar"] = f"{{{','.join(map(str, parameter.choices))}}}"
    default: Any = parameter.default
    note = f"default: {parameter.default}"
    if parameter.repeated:
        keywords["action"] = "append"
        default, note = [], "may be repeated"
    if parameter.required:
        keywords["required"] = True
        note = "required"
    meaning = f"{parameter.meaning} ({note})".replace("%", "%%")
    group.add_argument(parameter.option, dest=f"of {parameter.name}", default=default, help=meaning, **keywords)
