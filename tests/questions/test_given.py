"""What is given by other names than those of the key."""

from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import solve
from tests.support.refusals import refused


def test_a_variable_is_also_called_as_in_the_model() -> None:
    model = CpModel()
    row = {column: model.new_int_var(0, 5, f"row[{column}]") for column in range(6)}
    model.add_all_different(row.values())
    rows = Puzzle("rows", {}, model, row)
    by_name, by_label = (solve(rows, given=given).report for given in ("row[0]=3", "0=3"))
    assert (by_name.total, by_name.given) == (by_label.total, by_label.given) == (120, ["0=3"])
    assert solve(rows, given="row[1] != 3").total == 600
    assert solve(rows, given="row 0=3").report.given == ["0=3"]
    known = r"rows has no label 'row.9.'; its labels are 0, 1, 2, \.\.\., also called row.0., row.1., row.2."
    refused(known, solve, rows, given="row[9]=3")
    refused("write LABEL=VALUE, such as '0=0' or 'row.0.=0'", solve, rows, given="row 1 column 1 = 3")
    refused("its labels are .*; a cell is given as in 'row 1 column 1 = NAME'", solve, "magic", given="z=1")
