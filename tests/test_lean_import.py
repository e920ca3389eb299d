"""The command goes without pandas until a model of one's own has a use for it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.command import HERE, run

SERIES = """
import pandas as pd
from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle

def two_of_four() -> Puzzle:
    model = CpModel()
    chosen = model.new_bool_var_series("chosen", pd.Index(["a", "b", "c", "d"]))
    model.add(chosen.sum() == 2)
    return Puzzle("two of four", {}, model, dict(chosen.items()))
"""


def modules(*words: str) -> set[str]:
    """What the command has imported at its end."""
    code = "import sys; from solvers import run; run.main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=HERE, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_puzzle_needs_no_pandas() -> None:
    imported = modules("pentomino", "--board", "3x20", "--jobs", "1", "--quiet")
    assert "ortools.sat.python.cp_model" in imported
    assert not {"pandas", "solvers.certify"} & imported


def test_series_of_variables(tmp_path: Path) -> None:
    path = tmp_path / "two_of_four.py"
    path.write_text(SERIES)
    done = run("solvers.run", str(path), "--symmetry", "none", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["total"] == 6
