"""Puzzles from FlatZinc (.fzn), and from MiniZinc (.mzn, .dzn) by the program minizinc, which compiles them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from ortools.sat.python import cp_model

from models.puzzle import Puzzle
from solvers.backends.cp_sat_flaws import without_scheduling
from solvers.files.load import MOST_VARIABLES, matching, read_text, shown
from solvers.minizinc.builtins import BUILTINS
from solvers.minizinc.globals import GLOBALS, both
from solvers.minizinc.syntax import Call, FlatZinc, Output, Variable, parsed
from solvers.minizinc.translate import Translation

LIBRARY = Path(__file__).parent / "library"
"""Our own declarations of global constraints, for the program minizinc."""

ORDERS: Mapping[str, Any] = {
    "input_order": cp_model.CHOOSE_FIRST,
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

OPTIONAL = re.compile(r"\breverse_map_var_opt_bool\((\w+), *(\w+)\)")
"""How MiniZinc's output names an optional Boolean: whether it occurs, and its value."""

RENAMED = re.compile(r"^bool: (\w+) = (\w+);$", re.MULTILINE)
"""How it names a variable that the compiled model has under another name."""


class Loaded:
    """A FlatZinc file as a puzzle, and what it shows of a solution."""

    def __init__(
        self,
        path: str,
        key: Sequence[str] = (),
        decompose: bool = False,
        optional: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """optional: of the values of optional Booleans, by name, what says whether they occur, and what they are."""
        self.flat = parsed(read_text(Path(path)))
        if len(self.flat.variables) > MOST_VARIABLES:
            raise ValueError(f"it has {len(self.flat.variables)} variables; at most {MOST_VARIABLES} are read")
        self.translation = _translated(self.flat, decompose)
        chosen = {label: self.translation.variable(one) for label, one in _chosen(_labelled(self.flat), key).items()}
        declared = {variable.name: variable for variable in self.flat.variables}
        for name, (occurs, value) in (optional or {}).items():
            if occurs == "false" and value in chosen:
                chosen[name] = self.translation.constant(0)
            elif occurs in declared and value in chosen:
                there, whole = (self.translation.literal(declared[one]) for one in (occurs, value))
                chosen[name] = both(self.translation, there, whole)
        self._labels: dict[int, str] = {}
        for label, variable in chosen.items():
            self._labels.setdefault(variable.index, label)
        self.key = {label: chosen[label] for label in self._labels.values()}

    def label(self, variable: Variable) -> str:
        """The label of an output variable in the key."""
        return self._labels[self.translation.variable(variable).index]

    def puzzle(self, name: str, parameters: Mapping[str, object]) -> Puzzle:
        return Puzzle(name, parameters, self.translation.model, self.key)


def flatzinc(path: str, key: Sequence[str] = (), decompose: bool = False) -> Puzzle:
    """A model in FlatZinc.

    key: the variables that make solutions different: names, or patterns with * and ?; if left out, what is output
    decompose: say cumulative, disjunctive and diffn without intervals, which only cp-sat understands
    """
    parameters = {name: value for name, value in (("key", tuple(key)), ("decompose", decompose)) if value}
    return Loaded(path, key, decompose).puzzle(path, parameters)


def minizinc(
    path: str, data: Sequence[str] = (), define: Sequence[str] = (), key: Sequence[str] = (), decompose: bool = False
) -> Puzzle:
    """A model in MiniZinc, which the program minizinc compiles.

    data: a file with data, .dzn or .json
    define: an assignment such as n=8
    key: the variables that make solutions different: names, or patterns with * and ?; if left out, what is output
    decompose: say cumulative, disjunctive and diffn without intervals, which only cp-sat understands
    """
    given = {"data": tuple(data), "define": tuple(define), "key": tuple(key), "decompose": decompose}
    with tempfile.TemporaryDirectory() as folder:
        compiled, output = (os.path.join(folder, name) for name in ("model.fzn", "model.ozn"))
        _compile(path, data, define, bool(key), folder, compiled, output)
        loaded = Loaded(compiled, key, decompose, _optional(Path(output)))
        return loaded.puzzle(path, {name: value for name, value in given.items() if value})


def configuration(executable: str) -> dict[str, Any]:
    """What MiniZinc wants to know of a solver; Debian's version 2.6.4 takes no fields but its own."""
    return {
        "id": "org.kazoeru.kazoeru",
        "name": "kazoeru",
        "description": "Finds and counts every solution",
        "version": version("kazoeru"),
        "mznlib": str(LIBRARY),
        "executable": executable,
        "tags": ["cp", "int"],
        "supportsMzn": False,
        "supportsFzn": True,
        "needsSolns2Out": True,
    }


def _optional(output: Path) -> dict[str, tuple[str, str]]:
    """Of the value of each optional Boolean that is output, by name, what says whether it occurs, and what it is.

    Where it is absent, FlatZinc leaves that value open.
    """
    text = read_text(output) if output.exists() else ""
    renamed = dict(RENAMED.findall(text))
    return {value: (renamed.get(occurs, occurs), renamed.get(value, value)) for occurs, value in OPTIONAL.findall(text)}


def _compile(
    path: str, data: Sequence[str], define: Sequence[str], every: bool, folder: str, compiled: str, output: str
) -> None:
    """Write the model in FlatZinc; every: output all variables of the model, not what its output item names.

    ValueError, with MiniZinc's own words, if it does not compile.
    """
    if not re.sub(r"%.*|/\*(?s:.*?)\*/|\s", "", read_text(Path(path))):
        raise ValueError("it holds nothing; is this a model in MiniZinc?")
    program = shutil.which("minizinc")
    if program is None:
        raise ValueError("the program minizinc is not on the path; install it, or compile the model elsewhere to .fzn")
    solver = Path(folder) / "kazoeru.msc"
    solver.write_text(json.dumps(configuration(shutil.which("true") or program)), encoding="utf-8")
    words = [program, "--solver", str(solver), "-c", "--json-stream", "--ozn", output, "--fzn", compiled, path, *data]
    words += [word for assignment in define for word in ("-D", assignment)]
    words += ["--output-mode", "dzn"] if every else []
    for name in data:
        if not os.path.isfile(name):
            raise ValueError(f"there is no file {name}")
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    for line in (done.stdout + done.stderr).splitlines():
        said = _message(line)
        if said.get("type") == "error":
            raise ValueError(_told(said, path))
    if done.returncode or not os.path.exists(compiled):
        first = next(iter((done.stderr or done.stdout).split("\n")), "")
        raise ValueError(f"minizinc could not compile it: {shown(first)}")


def _message(line: str) -> Mapping[str, Any]:
    """A line of MiniZinc's stream; nothing where it is none."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _told(error: Mapping[str, Any], path: str) -> str:
    """What MiniZinc says, and in which line; the model's own path stands before the sentence already."""
    place = error.get("location") or {}
    where = f"line {place['firstLine']}: " if "firstLine" in place else ""
    if where and os.path.abspath(place["filename"]) != os.path.abspath(path):
        where = f"{os.path.basename(place['filename'])}, {where}"
    return f"{where}MiniZinc's {error.get('what', 'error')}: {' '.join(str(error.get('message', '')).split())}"


def _translated(flat: FlatZinc, decompose: bool) -> Translation:
    translation = Translation(flat)
    known = {**BUILTINS, **GLOBALS}
    for call in translation.rest:
        if call.name not in known:
            raise ValueError(f"line {flat.line(call.place)}: the constraint {call.name} is not understood")
        try:
            known[call.name](translation, *call.arguments)
        except (TypeError, AttributeError, IndexError):
            raise ValueError(
                f"line {flat.line(call.place)}: {call.name} has arguments that are none of its own"
            ) from None
        except ValueError as error:
            raise ValueError(f"line {flat.line(call.place)}: {call.name}: {error}") from None
    if decompose:
        without_scheduling(translation.model)
    if flat.goal != "satisfy":
        objective = translation.integer(flat.objective)
        if not isinstance(objective, int):
            (translation.model.minimize if flat.goal == "minimize" else translation.model.maximize)(objective)
    for order in _strategies(flat.search):
        variables, choose, select = order.arguments[:3]
        listed = [one for one in variables if isinstance(one, Variable)]
        if listed and choose.name in ORDERS and select.name in CHOICES:
            chosen = [translation.variable(one) for one in listed]
            translation.model.add_decision_strategy(chosen, ORDERS[choose.name], CHOICES[select.name])
    return translation


def _strategies(annotations: Sequence[Any]) -> list[Call]:
    """The searches over integers and Booleans, in their order."""
    found = []
    for annotation in annotations:
        if annotation.name == "seq_search" and annotation.arguments:
            found += _strategies(annotation.arguments[0])
        elif annotation.name in ("int_search", "bool_search") and len(annotation.arguments) >= 3:
            found.append(annotation)
    return found


def labels(output: Output) -> list[str]:
    """What the elements of an output are called: x, or x[1,2]."""
    if output.indices is None:
        return [output.name]
    indices = product(*(range(low, high + 1) for low, high in output.indices))
    return [f"{output.name}[{','.join(map(str, index))}]" for index in indices]


def _labelled(flat: FlatZinc) -> dict[str, Variable]:
    """What is output, by label; all variables that a person named where nothing is."""
    found: dict[str, Variable] = {}
    for output in flat.outputs:
        names = labels(output)
        if len(names) != len(output.elements):
            raise ValueError(f"{output.name} has {len(output.elements)} elements, but {len(names)} indices")
        found |= {name: one for name, one in zip(names, output.elements, strict=True) if isinstance(one, Variable)}
    if not flat.outputs:
        named = (one for one in flat.variables if not any(a.name == "var_is_introduced" for a in one.annotations))
        found = {variable.name: variable for variable in named}
    return found


def _chosen(labelled: dict[str, Variable], patterns: Sequence[str]) -> dict[str, Variable]:
    """Those whose labels, or the names of whose arrays, match a pattern; all if there is none."""
    if not patterns:
        return labelled
    arrays = {label.partition("[")[0] for label in labelled}
    chosen: dict[str, Variable] = {}
    for pattern in patterns:
        found = matching(pattern, [*labelled, *(name for name in arrays if name not in labelled)])
        chosen |= {label: one for label, one in labelled.items() if {label, label.partition("[")[0]} & {*found}}
    return chosen
