"""Programs that post a model with PyCSP3: what they post is compiled to XCSP3 and counted."""

from importlib.util import find_spec
from itertools import permutations, product
from pathlib import Path

import pytest

from solvers import InputError, iter_solutions, solve
from solvers.files.catalogue import find
from tests.support.command import report_of

pytestmark = pytest.mark.skipif(find_spec("pycsp3") is None, reason="pip install pycsp3")

QUEENS = """from pycsp3 import *

n = data or 8
q = VarArray(size=n, dom=range(n))
satisfy(
    AllDifferent(q),
    AllDifferent(q[i] + i for i in range(n)),
    AllDifferent(q[i] - i for i in range(n)),
)
"""

SOLVED = """
if solve(sols=ALL) is SAT:
    print(n_solutions())
"""

ELEMENT = """from pycsp3 import *

x = VarArray(size=4, dom=range(4))
y = Var(dom=range(4))
satisfy(x[y] == Sum(x) - 5, x[0] <= x[1], Count(x, value=2) >= 1)
solve()
"""

COSTS = """from pycsp3 import *

x = VarArray(size=3, dom=range(5))
satisfy(x[0] * x[1] >= x[2] + 4)
minimize(Sum(x))
"""


def queens(side: int) -> int:
    """Return the number of placements of queens by trying all permutations."""
    rows = range(side)
    return sum(
        len({column + row for row, column in enumerate(columns)}) == side
        and len({column - row for row, column in enumerate(columns)}) == side
        for columns in permutations(rows)
    )


@pytest.mark.thorough
def test_queens_of_pycsp3(tmp_path: Path) -> None:
    file = tmp_path / "queens.py"
    file.write_text(QUEENS + SOLVED)
    assert report_of(str(file))["total"] == queens(8) == 92


def test_words_for_a_program_of_pycsp3_that_solves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "queens.py"
    file.write_text(QUEENS)
    solutions = [*iter_solutions(find(str(file)).declare(argument=("-data=6",)), jobs=1)]
    assert len(solutions) == queens(6)
    assert {*solutions[0]} == {f"q[{place}]" for place in range(6)}


def test_constraints_of_pycsp3_by_enumeration(tmp_path: Path) -> None:
    file = tmp_path / "element.py"
    file.write_text(ELEMENT)
    right = sum(x[y] == sum(x) - 5 and x[0] <= x[1] and 2 in x for x in product(range(4), repeat=4) for y in range(4))
    assert solve(find(str(file)).declare(), jobs=1).total == right


@pytest.mark.thorough
def test_the_objective_of_a_program_of_pycsp3(tmp_path: Path) -> None:
    file = tmp_path / "costs.py"
    file.write_text(COSTS)
    possible = [x for x in product(range(5), repeat=3) if x[0] * x[1] >= x[2] + 4]
    right = [x for x in possible if sum(x) == min(map(sum, possible))]
    solutions = iter_solutions(find(str(file)).declare(), jobs=1)
    assert {tuple(solution[f"x[{place}]"] for place in range(3)) for solution in solutions} == {*right}


def test_a_program_of_pycsp3_without_variables(tmp_path: Path) -> None:
    file = tmp_path / "empty.py"
    file.write_text("from pycsp3 import *\nsolve()\n")
    with pytest.raises(InputError, match="line 2: it solves a model of PyCSP3 without variables"):
        find(str(file)).declare()
