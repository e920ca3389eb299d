"""Puzzles from XCSP3 (.xml).

PyCSP3's parser and our translation make the model, in a process of its own; our evaluator, which reads the file by
itself, checks solutions.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ortools.sat.python.cp_model import CpModel

from models.puzzle import FileReading, Puzzle, Remarks
from solvers.base.errors import InputError
from solvers.extras.bridges.formats.saved_model import key_variables
from solvers.extras.bridges.xcsp3.evaluate import UNREADABLE, SecondReading
from solvers.extras.shared.programs import run_tied
from solvers.files.load import MAX_MODEL_VARIABLES, read_text
from solvers.show.plain import first_words
from solvers.show.versions import version_of

READERS = ("PyCSP3's parser", "our translation of XCSP3")
"""The programs between a file and its model."""

MAX_NAMED_VARIABLES = 3
"""The most variables that the warning about those without a constraint names."""


def xcsp3(path: str, key: Sequence[str] = ()) -> Puzzle:
    """A model in XCSP3.

    key: the variables that make solutions different: names, or patterns with * and ?; all variables if left out

    Variables that no constraint names are left out, unless the key names them.

    Raises ValueError, with the line, if the file is not understood, `InputError` if PyCSP3 is not installed, or if the
    file cannot be read.
    """
    return puzzle_and_marks(path, key)[0]


def puzzle_and_marks(path: str, key: Sequence[str] = ()) -> tuple[Puzzle, Mapping[str, Sequence[str]]]:
    """Return a model as `xcsp3` does, and the names of its constraints by the classes that the file gives them."""
    text = read_text(Path(path))
    (read,) = translations([text], path)
    return puzzle_of(read, text, path, key), read.get("marks", {})


def puzzle_of(read: Mapping[str, Any], text: str, path: str, key: Sequence[str] = ()) -> Puzzle:
    """Return the puzzle of a text in XCSP3.

    read: what `translate.translate_file` returns for the text: a "failure", or "model" as text, "variables" (the index
    in the model by name) and "unused" (the names of variables in no constraint). path, key: as for `xcsp3`. The
    puzzle's ``violation`` evaluates a solution by a second, independent reading of the text; what that does not
    understand is warned of.
    """
    if "failure" in read:
        raise ValueError(read["failure"])
    model = CpModel()
    model.proto.parse_text_format(read["model"])
    if len(model.proto.variables) > MAX_MODEL_VARIABLES:
        raise ValueError(f"it has {len(model.proto.variables)} variables; at most {MAX_MODEL_VARIABLES} are accepted")
    variables: dict[Any, Any] = {
        name: model.get_int_var_from_proto_index(index) for name, index in read["variables"].items()
    }
    unused_names = read["unused"]
    if len(unused_names) == len(variables):
        raise ValueError("no constraint names a variable; is this a model in XCSP3?")
    used_variables = {name: variable for name, variable in variables.items() if name not in {*unused_names}}
    key_by_name: dict[Any, Any] = dict(key_variables(variables if key else used_variables, key))
    warnings = list[str]()
    violation = None
    unchecked_tags = ["the file"]
    # If the second reading understands nothing, ``violation`` stays None.
    with suppress(*UNREADABLE):
        instance = SecondReading(text, used_variables)
        places = [(name, variable.index) for name, variable in used_variables.items()]
        violation = partial(_violation, instance, places)
        unchecked_tags = instance.unread
    if left_out := [name for name in unused_names if name not in key_by_name]:
        names = f"no constraint names {first_words(left_out, MAX_NAMED_VARIABLES)}"
        warnings.append(f"{path}: {names}, so solutions have no value there")
    if unchecked_tags:
        warnings.append(f"{path}: solutions are not checked against {', '.join(unchecked_tags)}")
    parameters = {"key": tuple(key)} if key else {}
    file_reading = FileReading(READERS, violation, {"pycsp3": version_of("pycsp3")})
    return Puzzle(path, parameters, model, key_by_name, remarks=Remarks(warnings=warnings), file=file_reading)


def _violation(instance: SecondReading, places: Sequence[tuple[str, int]], values: Sequence[int]) -> str:
    """Return what of a file an assignment violates, "" for nothing; see `FileReading.violation`.

    instance: the second reading of the file. places: its variables, each with its index in the model. values: those of
    all variables of the model.
    """
    if instance.is_solution({name: values[place] for name, place in places}):
        return ""
    return "a constraint or a domain"


def translations(texts: Sequence[str], name: str) -> list[dict[str, Any]]:
    """Return what `translate.translate_file` returns for each of some texts, all in one process.

    Each text goes into a file of a temporary folder, and the process writes the result as JSON into another one. name:
    the file, for messages. Raises `InputError` if PyCSP3 is not installed, ValueError if the process fails.
    """
    if find_spec("pycsp3") is None:
        raise InputError(f"{name}: a model in XCSP3 needs pycsp3; install it with pip install '.[xcsp3]'")
    with TemporaryDirectory() as folder:
        files = []
        for number, text in enumerate(texts):
            files.append((Path(folder) / f"{number}.xml", Path(folder) / f"{number}.json"))
            files[-1][0].write_text(text, encoding="utf-8")
        streams: Mapping[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = [str(file) for pair in files for file in pair]
        code = run_tied("solvers.extras.bridges.xcsp3.translate", words, **streams)
        if not all(target.exists() for _, target in files):
            raise ValueError(f"the process that reads it ends with exit code {code}; is this XCSP3?")
        return [json.loads(target.read_text(encoding="utf-8")) for _, target in files]
