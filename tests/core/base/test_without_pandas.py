"""OR-Tools imports pandas when it is used, and its series work as ever."""

import subprocess
import sys

import pytest

from tests.support.command import HERE, python

BEFORE = "import sys; from solvers.base.without_pandas import defer_pandas; defer_pandas()"
SERIES = """
from ortools.sat.python import cp_model
print("pandas" in sys.modules)
import pandas
model = cp_model.CpModel()
row = model.new_bool_var_series("row", pandas.Index(["a", "b", "c"]))
model.add(row.sum() == 3)
solver = cp_model.CpSolver()
solver.solve(model)
print(solver.values(row).to_dict(), cp_model.pd.Series is pandas.Series)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("pandas", [False, True])
def test_series(pandas: bool) -> None:
    words = [BEFORE, "import pandas"] if pandas else [BEFORE]
    done = python("\n".join([*words, SERIES]))
    assert done.stdout.splitlines() == [str(pandas), "{'a': 1, 'b': 1, 'c': 1} True"]


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["cp", "cover"])
def test_a_command_does_without(backend: str) -> None:
    words = ["-X", "importtime", "-m", "solvers.run", "pentomino", "--board", "3x20", "--backend", backend]
    done = subprocess.run([sys.executable, *words], cwd=HERE, capture_output=True, text=True, check=True)
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "ortools.sat.python.cp_model" in loaded
    assert not loaded & {"pandas.core", "tabulate", "numpy.ma", "numpy.random"}
