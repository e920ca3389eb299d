"""Models in XCSP3 (.xml), which CPMpy reads with the parser of PyCSP3, in a process of its own.

Importing PyCSP3 changes the command line, the operators of Python and what happens at the end of the process.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.puzzle import Puzzle
from solvers.errors import InputError
from solvers.extras.ground.programs import run_tied
from solvers.files.load import read_text
from solvers.show.printable import shown

MODEL, DECLARED, FAILURE = "model.pickle", "declared.json", "failure.json"
"""The names of the files in which the process leaves the model and the names of all variables, or a sentence."""

MAX_NAMED = 3
"""The most variables that the warning about those without a constraint names."""

SIZE_OF_RECURSION = 20_000
"""The depth of calls that deep expressions need."""


def xcsp3(path: str, key: Sequence[str] = (), decompose: bool = False) -> Puzzle:
    """A model in XCSP3, as CPMpy reads it.

    key: the variables that make solutions different: names, or patterns with * and ?; all variables if left out
    decompose: say without intervals what only cp-sat understands

    Variables that no constraint names are left out.

    Raises ValueError if CPMpy or PyCSP3 cannot read the file, `InputError` if they are not installed, or if the file
    cannot be read.
    """
    for package in ("cpmpy", "pycsp3"):
        if find_spec(package) is None:
            raise InputError(f"{path}: a model in XCSP3 needs {package}; install it with pip install '.[xcsp3]'")
    from cpmpy import Model
    from cpmpy.transformations.get_variables import get_variables

    from solvers.extras.bridges.cpmpy.model import puzzle_of

    text = read_text(Path(path))
    given = {name: value for name, value in (("key", tuple(key)), ("decompose", decompose)) if value}
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "instance.xml"
        plain.write_text(text, encoding="utf-8")
        streams: Mapping[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        code = run_tied("solvers.extras.bridges.cpmpy.xcsp3", [str(plain), folder], **streams)
        failure = Path(folder) / FAILURE
        if failure.exists():
            raise ValueError(json.loads(failure.read_text(encoding="utf-8")))
        if not (Path(folder) / MODEL).exists():
            raise ValueError(f"the process that reads it ends with exit code {code}; is this XCSP3?")
        model = Model.from_file(str(Path(folder) / MODEL))
        declared = json.loads((Path(folder) / DECLARED).read_text(encoding="utf-8"))
    if not model.constraints:
        raise ValueError("it holds no constraint; is this a model in XCSP3?")
    used = {variable.name for variable in get_variables([*model.constraints, model.objective_])}
    puzzle = puzzle_of(model, key, path, decompose, given)
    if free := [name for name in declared if name not in used]:
        rest = f" and {len(free) - MAX_NAMED} more" if len(free) > MAX_NAMED else ""
        left_out = f"no constraint names {', '.join(free[:MAX_NAMED])}{rest}, so solutions have no value there"
        return replace(puzzle, warnings=[*puzzle.warnings, f"{path}: {left_out}"])
    return puzzle


def _noting(kind: Any) -> tuple[Any, list[Any]]:
    """Return (a class like CPMpy's reader, the list of all its objects), as CPMpy keeps the variables in them only."""
    made: list[Any] = []

    class Noting(kind):  # type: ignore[misc]
        """A reader that is noted when it is made."""

        def __init__(self) -> None:
            """Make the reader."""
            super().__init__()
            made.append(self)

    return Noting, made


def main(instance: str, folder: str) -> None:
    """Read a file and leave its model, or a sentence that says what is wrong, in the folder; end the process."""
    sys.argv = ["xcsp3.py", "-nocompile"]  # what PyCSP3 does without a command line of its own
    sys.setrecursionlimit(SIZE_OF_RECURSION)
    try:
        from cpmpy.tools.io.xcsp3 import load_xcsp3
        from cpmpy.tools.xcsp3 import parser_callbacks

        parser_callbacks.CallbacksCPMPy, made = _noting(parser_callbacks.CallbacksCPMPy)
        model = load_xcsp3(io.StringIO(Path(instance).read_text(encoding="utf-8")))
        declared = [variable.name for variable in made[0].cpm_variables.values()]
        (Path(folder) / DECLARED).write_text(json.dumps(declared), encoding="utf-8")
        model.to_file(str(Path(folder) / MODEL))
    except BaseException as error:
        said = " ".join(str(error).split())
        kind = f"{type(error).__name__}: {shown(said)}" if said else type(error).__name__
        sentence = f"CPMpy does not read it as XCSP3: {kind}"
        (Path(folder) / FAILURE).write_text(json.dumps(sentence), encoding="utf-8")
    os._exit(0)  # nothing that PyCSP3 does at the end


if __name__ == "__main__":
    main(*sys.argv[1:])
