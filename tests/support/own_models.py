"""Files that declare models, written for tests, and run as a command line would, in this process."""

import re
from pathlib import Path
from typing import Any

from solvers.base.options import Options
from solvers.files.catalogue import find
from solvers.running.runner import Run
from solvers.running.stated import model_and_variables
from solvers.symmetry.key import Decoded
from tests.support.refusals import refused

OWN = """\
from models.puzzle import Puzzle
from ortools.sat.python.cp_model import CpModel

SIZE = 3
CLUES, OTHERS = "", ()
CLUES: str = "12."
FAR = -SIZE

def own(clues: str = CLUES, far: int = FAR, flaw: str = "") -> Puzzle:
    if flaw == "key":
        {}[7]
    if flaw == "value":
        int(flaw)
    if flaw == "refused":
        raise ValueError("this is not to be had")
    model = CpModel()
    x = {n: model.new_bool_var(f"{n}") for n in range(SIZE)}
    model.add(x[0] + 2 * x[1] + 3 * x[2] == SIZE)

    def mirror(label, value):
        return 2 - label, value

    def is_solution(solution):
        return flaw != "check" and bool(solution if flaw != "checking" else [][0])

    symmetries = [mirror] if flaw == "symmetry" else []
    return Puzzle("own", {"clues": clues, "far": far}, model, x, symmetries, is_solution)
"""
"""A puzzle with defaults that are constants, and a parameter that chooses a mistake."""

TWO = """\
from models.puzzle import Puzzle
from ortools.sat.python.cp_model import CpModel

def two() -> Puzzle:
    model = CpModel()
    x = {n: model.new_int_var(1, 3, f"x{n}") for n in range(2)}
    model.add(x[0] < x[1])
    model.add(x[1] == 3)
    return Puzzle("two", {}, model, x)
"""
"""A puzzle with two solutions, which differ in one variable."""

FORMULA = "p cnf 2 1\n1 2 0\n"

PIECES = "Ell x2\n##\n#.\n\nBar x1-*\n##\n\nDot x0-1\n#\n"
"""Pieces of which there are copies."""


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal_of(path: Path, **arguments: Any) -> str:
    """The sentence with which a file is refused."""
    return refused(re.escape(str(path)), lambda: model_and_variables(find(str(path)).declare(**arguments)))


def solutions(path: Path, arguments: dict[str, Any] | None = None, **options: Any) -> tuple[list[Decoded], int]:
    """The solutions up to symmetry of the model in the file, and how many there are in all."""
    declaration = find(str(path))
    given = {parameter.name: parameter.default for parameter in declaration.parameters} | (arguments or {})
    run = Run(str(path), given, declaration.declare, Options(jobs=1, **options))
    found = [solution for solution in run if solution is not None]
    assert run.report.complete
    assert run.report.solutions == len(found)
    return found, run.report.total
