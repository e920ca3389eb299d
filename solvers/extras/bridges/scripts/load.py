"""Reads the model that a program solves: the program runs, in a process of its own, up to that model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from models.puzzle import FileReading, Puzzle
from solvers.base.deadline import waiting
from solvers.base.errors import InputError, Stopped
from solvers.extras.bridges.formats.saved_model import puzzle_of_text
from solvers.extras.bridges.scripts.reach import AUTHORED, CONSTRAINTS, LINES, PLACE, SAID
from solvers.extras.shared.programs import run_tied
from solvers.files.load import check_file

if TYPE_CHECKING:
    from cpmpy import Model as CpmpyModel
    from pysat.formula import CNF

REACH = "solvers.extras.bridges.scripts.reach"
"""The module that runs a program up to its model."""

PARITY_LENGTH = 5
"""The most literals of a parity that is written as clauses without new variables."""

NO_MODEL = (
    "it declares no puzzle (none of its functions has the return type Puzzle), and it ends without solving a model of "
    "OR-Tools' CP-SAT, CPMpy, PySAT or PyCSP3"
)


def script(path: str, key: Sequence[str] = (), model: int = 1, argument: Sequence[str] = ()) -> Puzzle:
    """A program that solves a model with OR-Tools, CPMpy, PySAT or PyCSP3.

    key: the variables that make solutions different: names, or patterns with * and ?; all variables if left out
    model: which call of a solver; the calls before it solve
    argument: a word of the program's command line; all that follow behind --

    The program runs with the user's rights, in a process of its own, up to the call that would solve; its model is
    counted as it is then. If it never solves, a model that it leaves in its names is taken.

    Raises `InputError`, with the line, if the program fails, or if it has no model.
    """
    check_file(Path(path))
    chosen = {"key": tuple(key), "model": model, "argument": tuple(argument)}
    given = {name: value for name, value in chosen.items() if value and value != 1}
    with TemporaryDirectory() as folder:
        answer = _run(path, Path(folder), model, argument)
        return _puzzle(path, Path(folder), answer, key, given)


def cpmpy_model(path: str, model: int = 1, argument: Sequence[str] = ()) -> tuple[CpmpyModel, Mapping[str, Any]] | None:
    """Return the model of CPMpy that a program solves, and its named constraints; None for another library's model.

    The second part maps the name of a Python variable of the program to the constraints that are its value, in a list.
    The arguments and what is raised are as for `script`.
    """
    from cpmpy.expressions.utils import flatlist

    with TemporaryDirectory() as folder:
        answer = _run(path, Path(folder), model, argument)
        if answer["kind"] != "cpmpy":
            return None
        script_model = _read_model(Path(folder))
        places_by_name = json.loads((Path(folder) / CONSTRAINTS).read_text(encoding="utf-8"))
    constraints = flatlist(script_model.constraints)
    return script_model, {name: [constraints[place] for place in places] for name, places in places_by_name.items()}


def author_names(path: str, model: int = 1, argument: Sequence[str] = ()) -> Sequence[str]:
    """Return the names that the author of a program gave to the variables of its model of OR-Tools, in their order.

    The program runs again. The result is empty for a model of another library. Raises `InputError` if it fails. model,
    argument: as for `script`.
    """
    with TemporaryDirectory() as folder:
        _run(path, Path(folder), model, argument)
        file = Path(folder) / AUTHORED
        names: list[str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        return names


def _read_model(folder: Path) -> CpmpyModel:
    """Return the model of CPMpy that a program's process has written."""
    from cpmpy import Model

    return Model.from_file(str(folder / "model.pickle"))


def _run(path: str, folder: Path, model: int, arguments: Sequence[str]) -> Mapping[str, Any]:
    """Run the program up to its model, and return the message of its process: a ``kind``, perhaps with a ``sentence``.

    path: the program. folder: where the process writes the model and its message. model: the number of the call whose
    model it writes. arguments: the words of the program's command line. Raises `Stopped` if the run is told to stop
    before, with the place in the program that runs, ValueError if the process dies.
    """
    words = [str(folder), str(model), path, *arguments]

    def location() -> str:
        """Return in words the place in the program that runs; "" if it is not known."""
        with suppress(OSError):
            return f" (the program is in {(folder / PLACE).read_text(encoding='utf-8')})"
        return ""

    try:
        with waiting(location):
            code = run_tied(REACH, words, folder / SAID, stdout=subprocess.DEVNULL)
    except Stopped:
        raise Stopped(location()) from None
    if not (folder / SAID).exists():
        raise ValueError(f"it ends with exit code {code} before it solves a model")
    answer: Mapping[str, Any] = json.loads((folder / SAID).read_text(encoding="utf-8"))
    return answer


def _puzzle(
    path: str, folder: Path, message: Mapping[str, Any], key: Sequence[str], given: Mapping[str, Any]
) -> Puzzle:
    """Return the puzzle that a program's process has written into a folder.

    path: the program. folder: where its process has written. message: what the process says; its ``kind`` is the
    library of the model, "clauses" for PySAT. key: as for `script`. given: the parameters of the puzzle, for reports.
    Raises `InputError` if there is no model, ValueError if it cannot be read.
    """
    if message["kind"] == "ortools":
        puzzle = puzzle_of_text((folder / "model.pbtxt").read_text(encoding="utf-8"), path, key, given)
        lines = {place: (line, "") for place, line in json.loads((folder / LINES).read_text(encoding="utf-8"))}
        return replace(puzzle, file=(puzzle.file or FileReading([]))._replace(lines=lambda: lines))
    if message["kind"] == "cpmpy":
        from solvers.extras.bridges.cpmpy.model import puzzle_of

        return puzzle_of(_read_model(folder), key, path, given)
    if message["kind"] == "pycsp3":
        from solvers.extras.bridges.xcsp3.load import puzzle_of as puzzle_of_xcsp3
        from solvers.extras.bridges.xcsp3.load import translations

        text = (folder / "model.xml").read_text(encoding="utf-8")
        return replace(puzzle_of_xcsp3(translations([text], path)[0], text, path, key), parameters=given)
    if message["kind"] == "clauses":
        return _formula(path, json.loads((folder / "clauses.json").read_text(encoding="utf-8")), key, given)
    sentence = str(message.get("sentence", NO_MODEL))
    raise InputError(f"{path}{', ' if sentence.startswith(('line ', 'cell ')) else ': '}{sentence}")


def _formula(path: str, content: Mapping[str, Any], key: Sequence[str], given: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle of clauses, of bounds on sums of literals and of parities, with names for some variables.

    path: the program. content: as `write_clauses` has written it: "clauses"; "at_most", with [literals, bound, perhaps
    weights]; "parities", with [literals, 0 or 1]; and "names", by the number of a variable. key: patterns of names;
    without any, all variables are the key. A variable without a name is called by its number. given: the parameters of
    the puzzle, for reports. Raises ValueError if a pattern of the key fits no variable.
    """
    from pysat.formula import CNF, CNFPlus

    from solvers.extras.bridges.formats.saved_model import matching

    formula = CNFPlus() if content["at_most"] else CNF()
    formula.extend(content["clauses"])
    for constraint in content["at_most"]:
        formula.append(constraint, is_atmost=True)
    parity_variables = {abs(literal) for literals, _ in content["parities"] for literal in literals}
    last_variable = max([formula.nv, *parity_variables])
    for literals, parity in content["parities"]:
        _add_parity(formula, literals, parity, last_variable)
    names = {int(number): name for number, name in content["names"].items()}
    labels = {number: names.get(number, str(number)) for number in range(1, last_variable + 1)}
    key_names = set(labels.values())
    if key:
        key_names = {name for pattern in key for name in matching(pattern, list(labels.values()))}
    return Puzzle(path, given, formula, {label: number for number, label in labels.items() if label in key_names})


def _add_parity(formula: CNF, literals: Sequence[int], parity: int, last_variable: int) -> None:
    """Add the clauses that hold if and only if the number of true literals has this parity, 0 or 1.

    Each clause forbids one choice of true literals with the other parity. Long ones are cut: a new variable beyond all
    others has the parity of the literals before it, which determine it. last_variable: the greatest number of a
    variable that the program uses.
    """
    remaining = [*literals]
    while len(remaining) > PARITY_LENGTH:
        parity_variable = max(last_variable, formula.nv) + 1
        _add_parity(formula, [*remaining[: PARITY_LENGTH - 1], parity_variable], 0, last_variable)
        remaining = [parity_variable, *remaining[PARITY_LENGTH - 1 :]]
    for signs in product((1, -1), repeat=len(remaining)):
        if signs.count(-1) % 2 != parity:  # the clause forbids that exactly the literals with the sign -1 are true
            formula.append([sign * literal for sign, literal in zip(signs, remaining, strict=True)])
