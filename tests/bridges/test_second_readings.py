"""Second readings of files: each assignment against brute force, and faults of a reader that they notice."""

import random
from itertools import product
from pathlib import Path

import pytest

from solvers import solve
from solvers.base.errors import CheckError
from solvers.extras.bridges.evaluators.flatzinc import FlatFile
from solvers.extras.bridges.formats import dlx as covers
from solvers.extras.bridges.formats import opb as sums
from solvers.extras.bridges.minizinc import builtins
from solvers.files import load
from solvers.files.catalogue import find
from tests.support.own_models import write

FLAT = "var 1..3: x :: output_var;\nvar 1..3: y :: output_var;\nconstraint int_le(x, y);\nsolve satisfy;\n"


def test_a_relation_that_the_reader_takes_for_another_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three programs agreed on 3 solutions, which are those of "less than"."""
    path = write(tmp_path / "le.fzn", FLAT)
    result = solve(path, jobs=1)
    assert (result.total, result.report.own_checks) == (6, {"file": 6})
    assert "our reader of FlatZinc" in result.report.rests_on
    monkeypatch.setitem(builtins.BUILTINS, "int_le", builtins.BUILTINS["int_ge"])
    with pytest.raises(CheckError, match=r"a second reading of the file violates int_le in line 3"):
        solve(path, jobs=1)


@pytest.mark.parametrize(
    ("name", "text", "module", "attribute", "fault", "violated"),
    [
        ("a.cnf", "p cnf 2 2\n1 2 0\n-1 -2 0\n", load, "_integers", lambda f: lambda w, n: [abs(a) for a in f(w, n)],
         "clause 2"),
        ("a.opb", "+1 x1 +1 x2 >= 2 ;\n", sums, "_statement",
         lambda f: lambda *a: f(*a)._replace(bound=1), "constraint 1"),
        ("a.dlx", "a b | c\na c:1\nb c:1\nb c:2\n", covers, "_compatible",
         lambda f: lambda item, covering, options: [covering], "the item c"),
    ],
)  # fmt: skip
def test_a_fault_of_a_reader_is_noticed(
    name: str, text: str, module: object, attribute: str, fault: object, violated: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = write(tmp_path / name, text)
    assert solve(path, jobs=1).report.own_checks["file"] > 0
    monkeypatch.setattr(module, attribute, fault(getattr(module, attribute)))  # type: ignore[operator]
    with pytest.raises(CheckError, match=violated):
        solve(path, jobs=1)


def test_random_pseudo_boolean_files(tmp_path: Path) -> None:
    """The second reading takes the assignments that satisfy all sums, as they are made, and no others."""
    chance = random.Random(8)
    for number in range(40):
        sides = [
            ([(chance.choice([-3, -1, 1, 2]), chance.sample(range(1, 5), chance.randint(1, 2)), chance.random() < 0.3)
              for _ in range(chance.randint(1, 4))], chance.choice([">=", "=", "<="]), chance.randint(-2, 3))
            for _ in range(2)
        ]  # fmt: skip
        text = "".join(
            " ".join(f"{c:+d} {' '.join('~' * negated + f'x{v}' for v in names)}" for c, names, negated in terms)
            + f" {relation} {bound} ;\n"
            for terms, relation, bound in sides
        )
        puzzle = find(str(write(tmp_path / f"{number}.opb", "* #variable= 4 #constraint= 2\n" + text))).declare()
        assert puzzle.file
        assert puzzle.file.violation
        for values in product((0, 1), repeat=4):
            expected = all(
                {">=": total >= bound, "=": total == bound, "<=": total <= bound}[relation]
                for terms, relation, bound in sides
                for total in [sum(c * all(values[v - 1] != negated for v in names) for c, names, negated in terms)]
            )
            assert (puzzle.file.violation(values) == "") == expected, (text, values)


def test_all_forms_of_flatzinc_declarations() -> None:
    file = FlatFile(
        "predicate p(var int: a);\n"
        "array [1..2] of int: numbers = [-1, 0x10];\n"
        "set of int: s = {1, 3};\n"
        "var bool: b :: is_defined_var; % a comment with ; in it\n"
        "var {1, 3, 5}: x;\n"
        "var -2..16: y = x;\n"
        "array [1..2] of var int: a :: output_array([1..2]) = [x, 4];\n"
        "constraint set_in_reif(x, s, b) :: defines_var(b);\n"
        "constraint array_int_element(2, numbers, 16) :: domain;\n"
        "constraint int_lin_le([1, -1], a, -1);\n"
        "solve :: int_search([x], input_order, indomain_min) minimize x;\n"
    )
    values = {"b": 1, "x": 3, "y": 3}
    assert file.violation(values.__getitem__) == ""
    assert file.violation({**values, "b": 0}.__getitem__) == "set_in_reif in line 8"
    assert file.violation({**values, "y": 1}.__getitem__) == "the definition of y"
    assert file.violation({**values, "x": 2}.__getitem__) == "the domain of x"
    assert file.violation({"b": 0, "x": 5, "y": 5}.__getitem__) == "int_lin_le in line 10"


def test_each_constraint_that_is_read_is_evaluated() -> None:
    from solvers.extras.bridges.evaluators.flatzinc import HOLDS, _base_and_form
    from solvers.extras.bridges.minizinc.globals import GLOBALS

    assert [name for name in [*builtins.BUILTINS, *GLOBALS] if _base_and_form(name)[0] not in HOLDS] == []
