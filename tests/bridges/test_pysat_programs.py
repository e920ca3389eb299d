"""Programs that give a solver of PySAT more than clauses: bounds, parities and propagators."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from solvers import InputError, solve
from solvers.extras.bridges.scripts import pysat_calls
from solvers.extras.bridges.scripts.load import _formula
from tests.support.own_models import write

pysat_solvers = pytest.importorskip("pysat.solvers")

HEAD = "from pysat.engines import BooleanEngine\nfrom pysat.solvers import Solver\n"

CONNECTED = (
    HEAD
    + """
solver = Solver(name='cadical195', bootstrap_with=[[1, 2, 3, 4, 5]])
engine = BooleanEngine({constraints})
solver.connect_propagator(engine)
engine.setup_observe(solver)
{then}
list(solver.enum_models())
"""
)


@pytest.mark.parametrize(
    ("constraints", "then", "total"),
    [
        ("[('linear', [[1, 2, 3, 4, 5], 2])], adaptive=False", "", 15),
        ("[('parity', [[1, -2, 3], 1])]", "", 15),  # the clause leaves out the assignment 00000, of even parity
        ("", "engine.add_constraint(('linear', [[1, 2, 3, 4, 5], 3, [2, 2, 2, 1, 1]]))", 12),
        ("[('linear', [[1, 2, 3, 4, 5], 1, {1: 1, 2: 1, 3: 1, 4: 1, 5: 2}])]", "", 4),
        ("[('linear', [[1, 2, 3, 4, 5], 2])]", "solver.disable_propagator()", 15),
        ("[('linear', [[1, 2, 3, 4, 5], 2])]", "solver.disconnect_propagator()", 31),
    ],
)
def test_constraints_of_a_propagator_are_read(constraints: str, then: str, total: int, tmp_path: Path) -> None:
    path = write(tmp_path / "program.py", CONNECTED.format(constraints=constraints, then=then))
    assert solve(path, jobs=1).total == total


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (CONNECTED.format(constraints="", then="").replace("BooleanEngine()", "type('Mine', (BooleanEngine,), {})()"),
         "nobody but Mine knows what this propagator forbids"),
        (CONNECTED.format(constraints="", then="solver.ignore(1)"), "sees some of its variables only"),
        (CONNECTED.format(constraints="", then="").replace("engine.setup_observe(solver)", ""), "observes no variable"),
        (CONNECTED.format(constraints="[('linear', [[1, 2], 1, [1, -1]])]", then=""), "no whole numbers from 0 on"),
    ],
)  # fmt: skip
def test_a_propagator_that_cannot_be_read_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        solve(write(tmp_path / "program.py", text), jobs=1)


def _is_model(literals: list[int], clauses: list[list[int]], at_most: list[Any], parities: list[Any]) -> bool:
    """Tell whether the literals, one of each variable, satisfy clauses, bounds and parities."""
    true = set(literals)
    return (
        all(true.intersection(clause) for clause in clauses)
        and all(sum(w for v, w in zip(given, ws, strict=True) if v in true) <= bound for given, bound, ws in at_most)
        and all(sum(literal in true for literal in given) % 2 == parity for given, parity in parities)
    )


def test_random_bounds_and_parities_have_the_models_that_plain_enumeration_finds() -> None:
    draw = random.Random(5)
    for _ in range(25):
        clauses = [[draw.choice((1, -1)) * draw.randint(1, 7) for _ in range(3)] for _ in range(3)]
        at_most = [[[draw.choice((1, -1)) * draw.randint(1, 7) for _ in range(4)], draw.randint(0, 5), [3, 1, 2, 1]]]
        parities = [
            [[draw.choice((1, -1)) * draw.randint(1, 7) for _ in range(draw.randint(0, 7))], draw.randint(0, 1)]
            for _ in range(2)
        ]
        content = {"clauses": clauses, "at_most": at_most, "parities": parities, "names": {}}
        literals = [*clauses, at_most[0][0], *(given for given, _ in parities)]
        last = max(abs(literal) for given in literals for literal in given)  # type: ignore[attr-defined]

        expected = sum(
            _is_model([sign * n for n, sign in enumerate(signs, 1)], clauses, at_most, parities)
            for signs in product((-1, 1), repeat=last)
        )
        assert solve(_formula("program", content, (), {}), jobs=1).total == expected, content


def test_each_public_method_of_the_solvers_is_read_refused_or_harmless() -> None:
    known = pysat_calls.SOLVING | pysat_calls.RECORDED | pysat_calls.REFUSED | pysat_calls.HARMLESS
    public = {
        name
        for kind in [pysat_solvers.Solver, *pysat_calls.solver_classes(pysat_solvers)]
        for name in dir(kind)
        if not name.startswith("_") and callable(getattr(kind, name))
    }
    assert public - known == set()


@pytest.mark.thorough
def test_hints_that_a_parameter_fixes_are_constraints(tmp_path: Path) -> None:
    text = """
from ortools.sat.python import cp_model
model = cp_model.CpModel()
x = [model.new_int_var(0, 4, f"x{i}") for i in range(3)]
model.add_all_different(x)
model.add_hint(x[0], 3)
solver = cp_model.CpSolver()
solver.parameters.fix_variables_to_their_hinted_value = True
solver.solve(model)
"""
    assert solve(write(tmp_path / "fixed.py", text), jobs=1).total == 12
    assert solve(write(tmp_path / "free.py", text.replace("= True", "= False")), jobs=1).total == 60
