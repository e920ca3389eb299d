"""Gecode through MiniZinc, as a witness that shares no code with the project; skips where that is missing."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

POWER = """predicate int_pow(var int: x, var int: y, var int: z) =
  forall (i in dom(x), j in dom(y)) (
    (x = i /\\ y = j) -> if j >= 0 then z = pow(i, j) elseif i = 0 then false else z = 1 div pow(i, -j) endif);"""
"""What fzn-gecode does not have; a negative exponent as the handbook says, which pow of constants in 2.6.4 does not."""


def needed() -> None:
    """Skip the test where MiniZinc or Gecode is missing; in CI it fails."""
    for program in ("minizinc", "fzn-gecode"):
        if shutil.which(program) is None:
            assert not os.environ.get("CI"), f"{program} is missing"
            pytest.skip(f"needs {program}, of Debian's packages minizinc and flatzinc")


def gecode(folder: Path) -> Path:
    """What tells MiniZinc of Gecode, with MiniZinc's own decompositions; written into the folder.

    Gecode's own library of Debian's version does not fit to its MiniZinc: parts of it do not compile.
    """
    library = folder / "gecode"
    library.mkdir(exist_ok=True)
    (library / "redefinitions.mzn").write_text(POWER)
    solver = folder / "gecode.msc"
    solver.write_text(
        json.dumps(
            {
                "id": "tests.gecode",
                "name": "gecode",
                "version": "6",
                "executable": shutil.which("fzn-gecode"),
                "mznlib": str(library),
                "stdFlags": ["-a", "-n"],
                "supportsFzn": True,
                "needsSolns2Out": True,
            }
        )
    )
    return solver


def with_gecode(path: Path, *words: str) -> list[str]:
    """All solutions as Gecode finds them; of an objective, which has to be output, all best ones."""
    solver = gecode(path.parent)
    found = solutions(output_of(["minizinc", "--solver", str(solver), "-a", str(path), *words]))
    text = path.read_text(encoding="utf-8")
    if goal := re.search(r"solve\s+(?:minimize|maximize)\s+(.*?);", text):
        best = re.search(rf"\b{goal[1]} = (-?\d+);", found[-1])
        assert best
        held = path.with_name(f"held_{path.name}")
        held.write_text(f"{text.replace(goal[0], 'solve satisfy;')} constraint {goal[1]} = {best[1]};")
        found = solutions(output_of(["minizinc", "--solver", str(solver), "-a", str(held), *words]))
    return found


def output_of(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stdout, done.stderr
    return done.stdout


def solutions(printed: str) -> list[str]:
    """What stands before each line that ends a solution; all different."""
    found = re.split(r"-{10}\n", printed)[:-1]
    assert len(set(found)) == len(found)
    return found
