"""Puzzles from FlatZinc (.fzn), and from MiniZinc (.mzn, .dzn) by the program minizinc, which compiles them."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from models.boards.compressed import ENDINGS
from models.puzzle import FileReading, Puzzle
from solvers.base.version import VERSION
from solvers.extras.bridges.evaluators.flatzinc import FlatFile
from solvers.extras.bridges.formats.saved_model import key_variables
from solvers.extras.bridges.minizinc.builtins import BUILTINS
from solvers.extras.bridges.minizinc.enumerations import Members, enumerations_of
from solvers.extras.bridges.minizinc.globals import GLOBALS, conjunction
from solvers.extras.bridges.minizinc.syntax import INTRODUCED, Call, FlatZinc, Variable, parse_flatzinc
from solvers.extras.bridges.minizinc.translate import Translation
from solvers.extras.shared.programs import run_program
from solvers.files.load import MAX_MODEL_VARIABLES, read_decompressed, read_text
from solvers.show.printable import quotation

LIBRARY = Path(__file__).parent / "library"
"""Our own declarations of global constraints, for the program minizinc."""

ORDERS: Mapping[str, Any] = {
    "input_order": cp_model.CHOOSE_FIRST,
    "occurrence": cp_model.CHOOSE_FIRST,  # in the order of `_by_occurrence`
    "first_fail": cp_model.CHOOSE_MIN_DOMAIN_SIZE,
    "dom_w_deg": cp_model.CHOOSE_MIN_DOMAIN_SIZE,
    "most_constrained": cp_model.CHOOSE_MIN_DOMAIN_SIZE,
    "anti_first_fail": cp_model.CHOOSE_MAX_DOMAIN_SIZE,
    "smallest": cp_model.CHOOSE_LOWEST_MIN,
    "largest": cp_model.CHOOSE_HIGHEST_MAX,
}
CHOICES: Mapping[str, Any] = {
    "indomain_min": cp_model.SELECT_MIN_VALUE,
    "indomain": cp_model.SELECT_MIN_VALUE,
    "indomain_max": cp_model.SELECT_MAX_VALUE,
    "indomain_split": cp_model.SELECT_LOWER_HALF,
    "indomain_reverse_split": cp_model.SELECT_UPPER_HALF,
    "indomain_median": cp_model.SELECT_MEDIAN_VALUE,
    "indomain_middle": cp_model.SELECT_MEDIAN_VALUE,
}
"""MiniZinc's names of what a search branches on, and those of CP-SAT's models that come nearest; the rest are left."""

MAX_MEDIAN_VALUES = 100_000
"""The most values of a variable whose median CP-SAT takes; it refuses the model for a greater domain."""

OPTIONAL = re.compile(r"\breverse_map_var_opt_bool\((\w+), *(\w+)\)")
"""The pattern by which MiniZinc's output names an optional Boolean: whether it occurs, and its value."""

RENAMED = re.compile(r"^(?:bool|int): (\w+) = ([\w-]+);$", re.MULTILINE)
"""The pattern by which it names a variable that has another name, or only a value, in the compiled model."""

ROUND = re.compile(r"\w+=[-\w]+$")
"""The value of a variable of a loop, in its table of paths."""

CONSTANTS = {"false": 0, "true": 1}

UNDEFINED = "undefined result becomes false"
"""How MiniZinc's warning of an undefined result begins."""


class Loaded:
    """A FlatZinc file, its translation to a CP-SAT model, and the key."""

    def __init__(self, path: str, key: Sequence[str] = (), output: str | None = None) -> None:
        """Read and translate the file; raise ValueError if it is not understood.

        The key maps the label of each output that is chosen to the model's variable. An optional Boolean of MiniZinc is
        two variables, whether it occurs and its value, and counts as its value if it occurs, else as 0.

        path: the path of the file. key: names or patterns of the variables in the key; all outputs if empty. output:
        the text of MiniZinc's output model, if it is known. Raises `InputError` if the file cannot be read.
        """
        self._text = read_text(Path(path))
        self.flat = parse_flatzinc(self._text)
        if len(self.flat.variables) > MAX_MODEL_VARIABLES:
            raise ValueError(f"it has {len(self.flat.variables)} variables; at most {MAX_MODEL_VARIABLES} are accepted")
        self.translation, self._stated = _translate(self.flat)
        labelled = key_variables(_output_variables(self.flat, output), key)
        key_by_label = {label: self.translation.integer(variable) for label, variable in labelled.items()}
        declared = {variable.name: variable for variable in self.flat.variables}
        # In place of a variable, "false" says that an optional Boolean never occurs.
        for name, (occurs, value) in _optional_outputs(output or "").items():
            if occurs == "false" and value in key_by_label:
                key_by_label[name] = 0
            elif {occurs, value} <= declared.keys() and value in key_by_label:
                occurrence, outcome = (self.translation.literal(declared[argument]) for argument in (occurs, value))
                key_by_label[name] = conjunction(self.translation, occurrence, outcome)
        model = self.translation.model
        self.key = {
            label: model.new_int_var(variable, variable, "") if isinstance(variable, int) else variable
            for label, variable in key_by_label.items()
        }

    def puzzle(
        self,
        name: str,
        parameters: Mapping[str, object],
        readers: Sequence[str] = (),
        source_lines: Callable[[], Mapping[int, tuple[int, str]]] = dict,
        names: Mapping[str, Members] = MappingProxyType({}),
    ) -> Puzzle:
        """Return the puzzle under this name; parameters: the parameters of the Puzzle, for reports.

        readers: the programs that wrote the FlatZinc. source_lines: returns (line, text) of the model in MiniZinc by
        the number of a constraint in the FlatZinc. names: the names of values, by variable or array; the first name is
        that of 1.
        """

        def lines_of_constraints() -> dict[int, tuple[int, str]]:
            """Return (number, text) of the line in MiniZinc for each constraint of the model whose line is known."""
            number_of_call = {call.place: number for number, call in enumerate(self.flat.constraints)}
            line_by_number = source_lines()
            lines_found = (
                (place, line_by_number.get(number_of_call[call.place])) for place, call in self._stated.items()
            )
            return {place: line for place, line in lines_found if line}

        versions = {"minizinc": _minizinc_version()} if readers else {}
        array_by_label = {label: label.partition("[")[0] for label in self.key}
        names_by_label = {
            label: dict(enumerate(names[array], 1)) for label, array in array_by_label.items() if array in names
        }
        violation, suspects = self._second_reading()
        file = FileReading(
            [*readers, "our reader of FlatZinc"],
            violation=violation,
            suspects=suspects,
            versions=versions,
            lines=lines_of_constraints,
            values=names_by_label,
        )
        return Puzzle(name, parameters, self.translation.model, self.key, file=file)

    def _second_reading(self) -> tuple[Callable[[Sequence[int]], str], Callable[[NDArray[Any]], NDArray[np.bool_]]]:
        """Return the functions that evaluate assignments of the model's variables against the file.

        The first returns what an assignment violates, "" for nothing; the second tells for each row of an array whether
        the first may find something. `FlatFile` reads the file by code of its own. A variable of the file that the
        model does not need has a constant value.
        """
        file = FlatFile(self._text)
        places = dict[str, int]()
        constants: dict[str, int] = {}
        for variable in self.flat.variables:
            index, value = self.translation.index_or_value(variable)
            if index is None:
                constants[variable.name] = value
            else:
                places[variable.name] = index

        def violation(values: Sequence[int]) -> str:
            """Return what an assignment violates in the file; values: of the model's variables by index."""
            return file.violation(lambda name: values[places[name]] if name in places else constants[name])

        def suspects(rows: NDArray[Any]) -> NDArray[np.bool_]:
            """Tell which assignments may violate something; rows: the values of the model's variables in each."""

            def column(name: str) -> NDArray[Any]:
                """Return the values of a variable in all assignments."""
                return rows[:, places[name]] if name in places else np.full(len(rows), constants[name])

            return file.suspects(column, len(rows))

        return violation, suspects


def flatzinc(path: str, key: Sequence[str] = ()) -> Puzzle:
    """A model in FlatZinc.

    key: the variables that make solutions different: names, or patterns with * and ?; if left out, what is output

    Raises ValueError, with the line, if the file is not understood, `InputError` if it cannot be read.
    """
    parameters = {"key": tuple(key)} if key else {}
    return Loaded(path, key).puzzle(path, parameters)


def minizinc(path: str, data: Sequence[str] = (), define: Sequence[str] = (), key: Sequence[str] = ()) -> Puzzle:
    """A model in MiniZinc, which the program minizinc compiles.

    data: a file with data, .dzn or .json
    define: an assignment such as n=8
    key: the variables that make solutions different: names, or patterns with * and ?; if left out, what is output

    Raises ValueError if the model does not compile or is not understood, `InputError` if a file cannot be read.
    """
    return compile_minizinc(path, text=None, data=data, define=define, key=key)


def compile_minizinc(
    path: str,
    text: str | None,
    data: Sequence[str] = (),
    define: Sequence[str] = (),
    key: Sequence[str] = (),
    only_defined: bool = False,
) -> Puzzle:
    """Compile a MiniZinc file, or ``text`` in its place if there is one, and return it as a puzzle.

    path: the file, whose name the puzzle gets in any case. data: files with data. define: assignments such as n=8. key:
    as for `minizinc`. only_defined: refuse models with undefined results that MiniZinc takes for false, such as an
    index outside its array. Raises ValueError if the model does not compile, or if the program minizinc is missing.
    Raises `InputError` if the file cannot be read.
    """
    settings = {"data": tuple(data), "define": tuple(define), "key": tuple(key)}
    with tempfile.TemporaryDirectory() as folder:
        # The model in FlatZinc, MiniZinc's output model, and the text if it is given.
        compiled_path, output_path, source = (
            os.path.join(folder, name) for name in ("model.fzn", "model.ozn", "model.mzn")
        )
        if text is not None:
            Path(source).write_text(text, encoding="utf-8")
        warnings = _compile(
            path if text is None else source, data, define, bool(key), folder, compiled_path, output_path
        )
        if only_defined and (undefined := [warning for warning in warnings if warning.startswith(UNDEFINED)]):
            raise ValueError(f"MiniZinc warns: {quotation(undefined[0])}")
        loaded = Loaded(compiled_path, key, read_text(Path(output_path)))
        settings_used = {name: value for name, value in settings.items() if value}
        source_lines = partial(_source_lines, path, text, data, define, bool(key))
        model = read_text(Path(path)) if text is None else text
        names = enumerations_of(model, data).values if "enum" in model else {}
        return loaded.puzzle(path, settings_used, ["MiniZinc's compiler"], source_lines, names)


def _source_lines(
    path: str, text: str | None, data: Sequence[str], define: Sequence[str], prints_all: bool
) -> dict[int, tuple[int, str]]:
    """Compile a model once more; return the line of each constraint of its FlatZinc, by number, and its words.

    The words are the author's constraint, or its first line, and the values of the variables of loops around it.
    Constraints of files that the model includes are left out. MiniZinc writes the paths: a row "number, name, steps"
    for each constraint, where each step is file|line|column|last line|last column|...|word.

    prints_all: as for `_compile`. The other parameters, and what is raised, are as for `compile_minizinc`.
    """
    lines = dict[int, tuple[int, str]]()
    with tempfile.TemporaryDirectory() as folder:
        compiled_path, output_path, source, paths_file = (
            os.path.join(folder, f"model.{ending}") for ending in ("fzn", "ozn", "mzn", "paths")
        )
        source = path if text is None else source
        if text is not None:
            Path(source).write_text(text, encoding="utf-8")
        _compile(
            source, data, define, prints_all, folder, compiled_path, output_path, ["--output-paths-to-file", paths_file]
        )
        source_lines = read_text(Path(source)).splitlines()
        for row in read_text(Path(paths_file)).splitlines():
            number, _, steps = row.partition("\t")
            step_fields = [step.split("|") for step in steps.rpartition("\t")[2].split(";") if step]
            if number.isdigit() and os.path.basename(step_fields[0][0]) == os.path.basename(source):
                line, first_column, last_line, last_column = map(int, step_fields[0][1:5])
                end_column = last_column if line == last_line else None
                words = source_lines[line - 1][first_column - 1 : end_column].strip()
                loop_values = [fields[-1] for fields in step_fields if ROUND.match(fields[-1])]
                lines[int(number)] = line, f"{words} [{', '.join(loop_values)}]" if loop_values else words
    return lines


def configuration(executable: str) -> dict[str, Any]:
    """Return the configuration by which MiniZinc knows a solver; executable: the path of its program.

    Its names are those of MiniZinc's files .msc. Debian's version 2.6.4 takes no fields but its own.
    """
    return {
        "id": "org.kazoeru.kazoeru",
        "name": "kazoeru",
        "description": "Finds and counts every solution",
        "version": VERSION,
        "mznlib": str(LIBRARY),
        "executable": executable,
        "tags": ["cp", "int"],
        "supportsMzn": False,
        "supportsFzn": True,
        "needsSolns2Out": True,
    }


def _optional_outputs(text: str) -> dict[str, tuple[str, str]]:
    """Return, for each output that is an optional Boolean, the names of two variables.

    The first variable says whether the output occurs; the second has its value, which FlatZinc leaves open if the
    output does not occur. text: MiniZinc's output model.
    """
    renamed = dict(RENAMED.findall(text))
    return {value: (renamed.get(occurs, occurs), renamed.get(value, value)) for occurs, value in OPTIONAL.findall(text)}


def _compile(
    path: str,
    data: Sequence[str],
    define: Sequence[str],
    prints_all: bool,
    folder: str,
    compiled: str,
    output: str,
    options: Sequence[str] = (),
) -> list[str]:
    """Run the program minizinc: write the model in FlatZinc, and its output model. Return its warnings.

    path: the path of the model. data: files with data. define: assignments such as n=8. prints_all: output all
    variables of the model, not only those of its output item. folder: for temporary files. compiled, output: the paths
    of the two files that are written. options: further options of the program. Raises ValueError, with MiniZinc's own
    words, if the model does not compile, or if the program or a data file is missing; `InputError` if the model cannot
    be read; `Stopped` if told to stop.
    """
    # Nothing is left without comments and white space.
    if not re.sub(r"%.*|/\*(?s:.*?)\*/|\s", "", read_text(Path(path))):
        raise ValueError("it holds nothing; is this a model in MiniZinc?")
    program = shutil.which("minizinc")
    if program is None:
        raise ValueError("the program minizinc is not on the path; install it, or compile the model elsewhere to .fzn")
    # MiniZinc wants to know a solver; its program is not run, so one that does nothing serves.
    solver = Path(folder) / "kazoeru.msc"
    solver.write_text(json.dumps(configuration(shutil.which("true") or program)), encoding="utf-8")
    words = [program, "--solver", str(solver), "-c", "--json-stream"]
    for name in data:
        if not os.path.isfile(name):
            raise ValueError(f"there is no file {name}")
    model_folder = os.path.dirname(path)
    path, *data = [_readable_path(name, folder) for name in (path, *data)]
    words += ["--ozn", output, "--fzn", compiled, "-I", model_folder or ".", path, *data]
    words += [word for assignment in define for word in ("-D", assignment)]
    words += [*["--output-mode", "dzn"] * prints_all, *options]
    result = run_program(words)
    messages = [_message(line) for line in (result.stdout + result.stderr).splitlines()]
    for message in messages:
        if message.get("type") == "error":
            raise ValueError(_error_text(message, path))
    if result.returncode or not os.path.exists(compiled):
        first_line = next(iter((result.stderr or result.stdout).split("\n")), "")
        raise ValueError(f"minizinc could not compile it: {quotation(first_line)}")
    return [str(message.get("message", "")) for message in messages if message.get("type") == "warning"]


def _readable_path(path: str, folder: str) -> str:
    """Return the path of a file that MiniZinc can read: the file itself, or a copy of a compressed one in the folder.

    The copy is decompressed, and has the name without the ending. Raises ValueError if the file is damaged.
    """
    if Path(path).suffix not in ENDINGS:
        return path
    plain = Path(folder) / Path(path).stem
    plain.write_bytes(read_decompressed(Path(path)))
    return str(plain)


def _message(line: str) -> Mapping[str, Any]:
    """Parse a line of MiniZinc's JSON stream; return an empty object if the line is not part of it."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _error_text(error: Mapping[str, Any], path: str) -> str:
    """Return MiniZinc's error message with its line, and with the file unless this is the model itself.

    error: the message as MiniZinc's JSON stream has it. path: the path of the model.
    """
    place = error.get("location") or {}
    where = f"line {place['firstLine']}: " if "firstLine" in place and place.get("filename") else ""
    if where and os.path.abspath(place["filename"]) != os.path.abspath(path):
        where = f"{os.path.basename(place['filename'])}, {where}"
    return f"{where}MiniZinc's {error.get('what', 'error')}: {' '.join(str(error.get('message', '')).split())}"


def _translate(flat: FlatZinc) -> tuple[Translation, dict[int, Call]]:
    """Translate the whole file to a CP-SAT model; return it, and the file's constraint for each place in the model.

    Each constraint is added by the function of its name in `BUILTINS` or `GLOBALS`. Search annotations become decision
    strategies where CP-SAT has such a one. Raises ValueError, with the line, if that fails. flat: the parsed file.
    """
    translation = Translation(flat)
    translators = {**BUILTINS, **GLOBALS}
    constraints = translation.model.proto.constraints
    call_of_place = dict[int, Call]()
    for call in translation.rest:
        if call.name not in translators:
            raise ValueError(f"line {flat.line(call.place)}: the constraint {call.name} is not understood")
        count_before = len(constraints)
        try:
            translators[call.name](translation, *call.arguments)
        except (TypeError, AttributeError, IndexError):
            raise ValueError(f"line {flat.line(call.place)}: {call.name} has the wrong arguments") from None
        except ValueError as error:
            raise ValueError(f"line {flat.line(call.place)}: {call.name}: {error}") from None
        for place in range(count_before, len(constraints)):
            call_of_place[place] = call
            constraints[place].name = constraints[place].name or call.label
    if flat.goal != "satisfy":
        objective = translation.integer(flat.objective)
        if flat.goal == "minimize":
            translation.model.minimize(objective)
        else:
            translation.model.maximize(objective)
    for order in _strategies(flat.search):
        variables, choose, select = order.arguments[:3]  # which variable comes next, and which of its values
        order_variables = [variable for variable in variables if isinstance(variable, Variable)]
        if choose.name == "occurrence":
            order_variables = _by_occurrence(order_variables, flat.constraints)
        if order_variables and choose.name in ORDERS and select.name in CHOICES:
            searched_variables = [translation.variable(variable) for variable in order_variables]
            if (
                CHOICES[select.name] != cp_model.SELECT_MEDIAN_VALUE
                or max(map(_size, searched_variables)) <= MAX_MEDIAN_VALUES
            ):
                translation.model.add_decision_strategy(searched_variables, ORDERS[choose.name], CHOICES[select.name])
    return translation, call_of_place


def _by_occurrence(variables: Iterable[Variable], constraints: Iterable[Call]) -> list[Variable]:
    """Return variables in a new order: those first that most constraints are about."""
    occurrences = Counter[str]()
    for call in constraints:
        arguments = chain.from_iterable(part if isinstance(part, list) else [part] for part in call.arguments)
        occurrences.update({argument.name for argument in arguments if isinstance(argument, Variable)})
    return sorted(variables, key=lambda variable: -occurrences[variable.name])


def _size(variable: cp_model.IntVar) -> int:
    """Return the number of values in the domain of a variable."""
    return int(cp_model.Domain.from_flat_intervals(list(variable.proto.domain)).size())


@cache
def _minizinc_version() -> str:
    """Return the version of the program minizinc."""
    match = re.search(r"version ([0-9][^\s,]*)", run_program(["minizinc", "--version"]).stdout)
    return match[1] if match else "unknown"


def _strategies(annotations: Sequence[Any]) -> list[Call]:
    """Return the calls int_search and bool_search of a goal's annotations, in their order.

    They may stand in a seq_search, whose arguments are calls or lists of them. Other annotations are left out.
    """
    strategies = []
    for annotation in annotations:
        if not isinstance(annotation, Call):
            continue
        if annotation.name == "seq_search":
            for searches in annotation.arguments:
                strategies += _strategies(searches if isinstance(searches, list) else [searches])
        elif annotation.name in ("int_search", "bool_search") and len(annotation.arguments) >= 3:
            strategies.append(annotation)
    return strategies


def _output_variables(flat: FlatZinc, output: str | None) -> dict[str, Variable | int]:
    """Return the output variables and constants by label, such as x or x[1,2].

    flat: the parsed file. output: MiniZinc's output model, or None if it is not known. If it is not known and nothing
    is output, all variables that the author named are returned. Raises ValueError if the index sets of an array do not
    fit its elements.
    """
    variables_by_name: dict[str, Variable | int] = {}
    for output_item in flat.outputs:
        names = output_item.labels
        if len(names) != len(output_item.elements):
            raise ValueError(f"{output_item.name} has {len(output_item.elements)} elements, but {len(names)} indices")
        variables_by_name |= zip(names, output_item.elements, strict=True)
    # Names in the output model that stand for another name, or a value, in the compiled one.
    renamed = dict(RENAMED.findall(output or ""))
    for name, value in renamed.items():
        while value in renamed:  # a name may stand for one that is renamed, too
            value = renamed[value]
        if name.startswith(INTRODUCED):
            continue
        if value in variables_by_name:
            variables_by_name[name] = variables_by_name[value]
        elif value in CONSTANTS:
            variables_by_name[name] = CONSTANTS[value]
        elif value.lstrip("-").isdigit():
            variables_by_name[name] = int(value)
    if not flat.outputs and output is None:
        for variable in flat.variables:
            if not any(annotation.name == "var_is_introduced" for annotation in variable.annotations):
                variables_by_name[variable.name] = variable
    return variables_by_name
