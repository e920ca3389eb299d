"""Other people's solvers of FlatZinc that are installed, by name: those on the PATH, and those that MiniZinc knows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from solvers.base.errors import InputError

MOST_SECONDS = 5.0
"""The seconds that MiniZinc has to list its solvers, and a solver has to solve a small model."""

SMALL_MODEL = """var bool: a :: output_var;
var bool: b :: output_var;
var bool: c :: output_var;
var bool: d :: output_var;
constraint bool_clause([a, b], []);
constraint bool_clause([], [a, b]);
constraint bool_clause([c, d], []);
solve satisfy;
"""
"""A model of six solutions."""


class Interpreter(NamedTuple):
    """A program that solves FlatZinc."""

    title: str
    """The name in words."""
    program: str
    """The program's name, or its path."""
    flags: Sequence[str]
    """The standard flags of MiniZinc's solvers that it takes, such as -a and -s."""
    install: str
    """The command, or the page, by which it is installed."""
    version: str = ""
    """The version that MiniZinc tells; "" if MiniZinc does not know it."""
    asked_version: tuple[str, str] | None = None
    """The option by which the program tells its version, and a regular expression whose group is the version."""
    licence: str = "its own"

    @property
    def path(self) -> str | None:
        """The path of the program; None if it is not installed."""
        return program_path(self.program)


KNOWN: Mapping[str, Interpreter] = {
    "gecode": Interpreter(
        "Gecode",
        "fzn-gecode",
        ("-a", "-s", "-r"),
        "apt install flatzinc",
        asked_version=("-help", r"Version: (\S+)"),
        licence="MIT",
    ),
    "chuffed": Interpreter(
        "Chuffed",
        "fzn-chuffed",
        ("-a", "-s", "-r"),
        "it comes with MiniZinc from www.minizinc.org",
        asked_version=("--version", r"(\d+\.\d+\S*)"),
        licence="MIT",
    ),
}
"""The solvers that are known without MiniZinc, by name."""


def program_path(program: str) -> str | None:
    """Return the path of a program, or None: on the PATH, beside this Python, or beside MiniZinc, which brings some."""
    minizinc = shutil.which("minizinc")
    beside = [str(Path(sys.executable).parent)]
    if minizinc:
        beside.append(str(Path(minizinc).resolve().parent))
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(beside))


@cache
def interpreters() -> Mapping[str, Interpreter]:
    """Return the solvers of FlatZinc by name: those that are known, and those that MiniZinc lists, but for ours.

    The name is the last part of MiniZinc's identity, such as gecode of org.gecode.gecode. A known solver that is
    installed keeps its row, with the version that MiniZinc says.
    """
    solvers = dict(KNOWN)
    for row in _rows_of_minizinc():
        identity = str(row.get("id", ""))
        program = str(row.get("executable", ""))
        name = identity.rpartition(".")[2]
        if not program or not row.get("supportsFzn") or row.get("isGUIApplication") or "kazoeru" in identity:
            continue
        title = str(row.get("name", name))
        version = str(row.get("version", ""))
        solver = Interpreter(title, program, row.get("stdFlags", ()), "", version)
        if name in solvers:
            known = solvers[name]
            solver = known._replace(version=solver.version) if known.path else solver
        solvers[name] = solver
    return solvers


def _rows_of_minizinc() -> list[dict[str, Any]]:
    """Return the solvers as MiniZinc lists them; none if it is not installed, or lists them in another form."""
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        words = ["minizinc", "--solvers-json"]
        result = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=MOST_SECONDS, check=True)
        return [row for row in json.loads(result.stdout) if isinstance(row, dict)]
    return []


def capabilities() -> dict[str, str]:
    """Return, for each solver by name, why it is not offered; the text is empty if it is offered."""
    return {name: flaw(name) for name in interpreters()}


def solver_name(name: str) -> str:
    """Return the name of a solver as it is listed, in lower case.

    Raises `InputError` if there is none, or if it is not offered, for which `flaw` returns the reason.
    """
    lower_name = name.lower()
    if lower_name not in interpreters():
        known = ", ".join(interpreters())
        raise InputError(f"there is no FlatZinc solver {name!r}; there are {known}, and those that MiniZinc lists")
    if reason := flaw(lower_name):
        install = interpreters()[lower_name].install
        advice = f": {install}" if install and not interpreters()[lower_name].path else ""
        raise InputError(f"the FlatZinc solver {lower_name} {reason}{advice}; see --list-backends")
    return lower_name


@cache
def flaw(name: str) -> str:
    """Return the reason why a solver is not offered, as the end of a sentence; "" if it is offered.

    It has to be installed, and to list the six solutions of a small model, each once, and to say that these are all.
    """
    solver = interpreters()[name]
    if solver.path is None:
        return "is not installed"
    if "-a" not in solver.flags:
        return "cannot list all solutions"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.fzn"
        path.write_text(SMALL_MODEL, encoding="ascii")
        try:
            result = subprocess.run(
                [solver.path, "-a", str(path)], capture_output=True, text=True, timeout=MOST_SECONDS
            )
        except (OSError, subprocess.SubprocessError):
            return "does not run"
    lines = result.stdout.splitlines()
    return "" if lines.count("----------") == 6 and "==========" in lines else "loses count"
