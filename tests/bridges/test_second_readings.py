"""Second readings of files: each assignment against brute force, and faults of a reader that they notice."""

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from solvers import solve
from solvers.base.errors import CheckError
from solvers.extras.bridges.evaluators.flatzinc import COLUMNWISE, COMPARISONS, RESULTS, FlatFile
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


def test_many_assignments_at_once_are_judged_like_each_alone() -> None:
    """Of all constraints that have a function for arrays, with all forms, and of some that have none."""
    chance = random.Random(5)
    numbers, literals = ["x", "y", "z", "2", "-1", "0"], ["a", "b", "true", "false"]

    def listed(words: list[str], size: int) -> str:
        return f"[{', '.join(chance.choices(words, k=size))}]"

    comparisons = [f"{kind}_{name}" for kind in ("int", "bool") for name in COMPARISONS]
    arguments: dict[str, Callable[[int], list[str]]] = {
        **dict.fromkeys(comparisons, lambda n: chance.choices(numbers, k=2)),
        **dict.fromkeys(
            [name.replace("_", "_lin_") for name in comparisons],
            lambda n: [listed(["-2", "1", "3"], n), listed(numbers, n), chance.choice(numbers)],
        ),
        "bool_clause": lambda n: [listed(literals, n), listed(literals, chance.randint(0, 2))],
        **dict.fromkeys(["bool_not", "bool2int"], lambda n: chance.choices(literals, k=2)),
        "bool_xor": lambda n: chance.choices(literals, k=chance.randint(2, 3)),
        **dict.fromkeys(["bool_and", "bool_or"], lambda n: chance.choices(literals, k=3)),
        **dict.fromkeys(["array_bool_and", "array_bool_or"], lambda n: [listed(literals, n), chance.choice(literals)]),
        "array_bool_xor": lambda n: [listed(literals, n)],
        **dict.fromkeys(
            ["int_plus", "int_minus", "int_times", "int_div", "int_max"], lambda n: chance.choices(numbers, k=3)
        ),
        **dict.fromkeys(["int_negate", "int_abs"], lambda n: chance.choices(numbers, k=2)),
        "fzn_all_different_int": lambda n: [listed(numbers, n)],
        "fzn_count_eq": lambda n: [listed(numbers, n), *chance.choices(numbers, k=2)],
        "set_in": lambda n: [chance.choice(numbers), "{-1, 1}"],
    }
    assert arguments.keys() >= COLUMNWISE.keys()
    declared = "var bool: a; var bool: b; var -2..2: x; var {-1, 0, 2}: y; var int: z; "
    rows = np.array([*product((0, 1), (0, 1), (-3, -1, 0, 2), (-1, 0, 1, 2), (-2, 0, 1))])
    for name, make in arguments.items():
        forms = [""] if name in RESULTS else ["", "_reif", "_imp"]
        for form, size in product(forms, range(4)):
            words = [*make(size), *([chance.choice(literals)] if form else [])]
            text = f"{declared}constraint {name}{form}({', '.join(words)}); solve satisfy;"
            file = FlatFile(text)
            suspects = file.suspects(lambda variable: rows[:, "abxyz".index(variable)], len(rows))
            for row, suspect in zip(rows.tolist(), suspects, strict=True):
                assert bool(file.violation(dict(zip("abxyz", row, strict=True)).__getitem__)) == suspect, (text, row)


def test_numbers_that_are_not_exact_make_suspects_of_all() -> None:
    file = FlatFile(f"var int: x; constraint int_times(x, x, {2**40}); solve satisfy;")
    assert file.suspects(lambda name: np.array([2**20, 2**20 + 2**31]), 2).tolist() == [True, True]


def test_each_constraint_that_is_read_is_evaluated() -> None:
    from solvers.extras.bridges.evaluators.flatzinc import HOLDS, _base_and_form
    from solvers.extras.bridges.minizinc.globals import GLOBALS

    assert [name for name in [*builtins.BUILTINS, *GLOBALS] if _base_and_form(name)[0] not in HOLDS] == []
