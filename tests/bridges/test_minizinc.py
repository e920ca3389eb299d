"""MiniZinc and FlatZinc read, against Gecode; kazoeru as a solver of MiniZinc."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from solvers import InputError, Result, solve
from solvers.extras.bridges.minizinc.syntax import COMPLETE, SOLUTION
from solvers.extras.questions.functions import why
from solvers.files.catalogue import find
from tests.bridges.minizinc_models import MODELS
from tests.bridges.random_minizinc import random_model
from tests.support.backends import GENERAL
from tests.support.command import printed, refusal, run_apart
from tests.support.minizinc import needed, output_of, solutions, with_gecode
from tests.support.own_models import write

SOME = ("queens", "regular_nfa", "inverse", "cumulative", "lex_less", "sort", "arithmetic", "logic", "sets", "best")
EVERYWHERE: tuple[dict[str, Any], ...] = (
    {},
    {"backend": "sat"},
    {"backend": "cp"},
)


def streamed(*words: str) -> str:
    """What the solver prints."""
    return printed(*words, module="solvers.extras.bridges.minizinc.__main__")


def in_this_way(path: Any, **options: Any) -> Result:
    """The solutions of a model."""
    return solve(find(str(path)).declare(), jobs=1, **options)


@pytest.fixture(name="solver", scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The solver, as MiniZinc finds it."""
    needed()
    folder = tmp_path_factory.mktemp("solvers")
    streamed("--install", str(folder))
    return folder / "kazoeru.msc"


def model(folder: Path, text: str) -> Path:
    return write(folder / "model.mzn", text)


def flat(folder: Path, text: str) -> Path:
    return write(folder / "model.fzn", text)


@pytest.mark.thorough
@pytest.mark.parametrize("source", [*[*MODELS][::4], *range(3)])
def test_gecode_finds_as_many(source: str | int, tmp_path: Path) -> None:
    """Models by their names, and random ones by their seeds."""
    needed()
    path = model(tmp_path, MODELS[source] if isinstance(source, str) else random_model(source))
    found = with_gecode(path)
    for arguments in EVERYWHERE if isinstance(source, int) or source in SOME else EVERYWHERE[:1]:
        result = in_this_way(path, **arguments)
        assert (result.complete, result.total) == (True, len(found)), arguments


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("var opt bool: o;", 3),
        ("var opt bool: o; constraint absent(o);", 1),
        ("var opt bool: o; constraint occurs(o);", 2),
        ("var opt bool: o; var bool: b; constraint deopt(o) <-> b;", 4),
        ("array[1..2] of var opt bool: o; var bool: b; constraint occurs(o[1]) <-> b;", 9),
    ],
)
def test_optional_booleans_have_three_values(text: str, total: int, tmp_path: Path) -> None:
    needed()
    assert solve(model(tmp_path, f"{text} solve satisfy;"), jobs=1).total == total


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MODELS["lex_less"] + 'output ["\\(x) and \\(y)\\n"];', id="lex_less"),
        *(pytest.param(MODELS[name], id=name) for name in ("sets", "optional")),
    ],
)
def test_solver_prints_what_gecode_does(text: str, solver: Path, tmp_path: Path) -> None:
    path = model(tmp_path, text)
    printed = output_of(["minizinc", "--solver", str(solver), "-a", str(path)])
    assert sorted(solutions(printed)) == sorted(with_gecode(path))
    assert printed.endswith("----------\n==========\n")


QUEENS = "predicate fzn_all_different_int(array [int] of var int: x);\n" + "".join(
    f"var 1..6: q{i} :: output_var;\n" for i in range(6)
)
QUEENS += "array [1..6] of var int: q :: output_array([0..5]) = [q0, q1, q2, q3, q4, q5];\n"
QUEENS += "constraint fzn_all_different_int(q);\n" + "".join(
    f"constraint int_lin_ne([1, -1], [q{i}, q{j}], {sign * (j - i)});\n"
    for i in range(6)
    for j in range(i + 1, 6)
    for sign in (1, -1)
)
BEST = """var 0..9: x :: output_var; var 0..9: y :: output_var; var bool: b :: output_var;
constraint int_lin_le([2, 3], [x, y], 12); constraint int_le_reif(4, x, b);
var 0..99: s :: output_var; constraint int_plus(x, y, s); solve maximize s;"""


@pytest.mark.parametrize(
    ("words", "text", "lines", "last"),
    [
        (["-a"], QUEENS, 4, "=========="),
        (["-n", "0"], QUEENS, 4, "=========="),
        ([], QUEENS, 1, "----------"),
        (["-n", "2", "-b", "sat"], QUEENS, 2, "----------"),
        (["-a", "--orbits"], QUEENS, 1, "=========="),
        (["-a"], QUEENS + "constraint int_lt(q0, q0);", 0, "=====UNSATISFIABLE====="),
        (["-a-o"], BEST, 1, "=========="),
        (["-n-o", "1"], BEST, 1, "----------"),
        ([], BEST, 1, "=========="),
        ([], BEST + "constraint int_lt(x, x);", 0, "=====UNSATISFIABLE====="),
    ],
)
def test_stream(words: list[str], text: str, lines: int, last: str, tmp_path: Path) -> None:
    text = text if "solve" in text else f"{text}solve satisfy;"
    printed = streamed(*words, str(flat(tmp_path, text)))
    assert printed.count("----------\n") == lines
    assert printed.splitlines()[-1] == last


def test_values_in_the_stream(tmp_path: Path) -> None:
    text = """var 0..1: x :: output_var; var bool: b :: output_var; constraint bool2int(b, x); constraint int_eq(x, 1);
    array [1..4] of var int: a :: output_array([0..1, 1..2]) = [x, 7, -2, x];
    array [1..0] of var int: none :: output_array([1..0]) = []; solve satisfy;"""
    assert streamed("-a", str(flat(tmp_path, text))).splitlines() == [
        "x = 1;",
        "b = true;",
        "a = array2d(0..1,1..2,[1,7,-2,1]);",
        "none = array1d(1..0,[]);",
        "----------",
        "==========",
    ]


@pytest.mark.parametrize("backend", GENERAL)
def test_improving_solutions(backend: str, tmp_path: Path) -> None:
    printed = streamed("-a", "-b", backend, str(flat(tmp_path, BEST)))
    sums = [int(line[4:-1]) for line in printed.splitlines() if line.startswith("s = ")]
    assert sums == sorted(set(sums))
    assert sums[-1] == 6
    assert printed.endswith("==========\n")


def test_only_counts(tmp_path: Path) -> None:
    printed = streamed("--count-only", "--orbits", str(flat(tmp_path, f"{QUEENS}solve satisfy;")))
    assert "----------" not in printed
    assert {"%%%mzn-stat: solutions=1", "%%%mzn-stat: total=4"} <= {*printed.splitlines()}


def test_certificates_and_stores(tmp_path: Path) -> None:
    path, proof, store = flat(tmp_path, f"{QUEENS}solve satisfy;"), tmp_path / "proof", tmp_path / "run.db"
    streamed("-a", "--certify", str(proof), "--store", str(store), str(path))
    assert store.exists()
    printed(str(proof), module="solvers.check")
    printed("--certify", str(proof), str(path), module="solvers.extras.bridges.minizinc.__main__", code=2)


@pytest.mark.thorough
def test_what_was_installed_starts_anywhere(solver: Path, tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text("raise SystemExit('this is not meant')")
    words = [str(solver.parent / "fzn-kazoeru"), "-a", str(flat(tmp_path, f"{QUEENS}solve satisfy;"))]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.count("----------") == 4, done.stderr


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("var 2..2: x :: output_var; solve maximize x;", 2),
        ("int: k = 2; var 2..2: x :: output_var; solve maximize k;", 2),
        ("var 1..3: x :: output_var; constraint int_eq(x, 2); solve minimize 3;", 3),
        ("var 1..3: x :: output_var; constraint int_eq(x, 2); solve maximize -3;", -3),
    ],
)
@pytest.mark.parametrize("backend", ["auto", *GENERAL])
def test_an_objective_that_is_fixed(text: str, best: int, backend: str, tmp_path: Path) -> None:
    path = flat(tmp_path, text)
    for words in ([], ["-a-o"], ["-i"]) if backend == "auto" else (["-a"],):
        assert streamed("-b", backend, *words, str(path)).split("\n")[:-1] == ["x = 2;", SOLUTION, COMPLETE]
    assert in_this_way(path, backend=backend).report.objective == best


@pytest.mark.parametrize("choice", ["indomain_median", "indomain_middle"])
@pytest.mark.parametrize(("last", "are_followed"), [(100_000, True), (100_001, False), (10**7, False)])
def test_a_hint_that_cannot_be_followed_is_left_out(choice: str, last: int, are_followed: bool, tmp_path: Path) -> None:
    text = f"var 1..{last}: x :: output_var; var 1..3: y :: output_var; constraint int_lin_eq([1, -1000], [x, y], 0);"
    path = flat(tmp_path, f"{text} solve :: int_search([x, y], first_fail, {choice}, complete) satisfy;")
    declared = find(str(path)).declare()
    assert len(declared.model.proto.search_strategy) == are_followed
    for backend in GENERAL:
        assert in_this_way(path, backend=backend).total == 3


THREE = "array [1..3] of var int: x"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "total"),
    [
        (f'include "regular.mzn"; {THREE}; constraint regular(x, 2, 2, [|1, 2 | 2, 0|], 1, {{1, 2}});', 4),
        (
            f'include "regular_nfa.mzn"; {THREE};'
            "constraint regular_nfa(x, 2, 2, [|{1}, {2} | {2}, {}|], 1, {2});",
            3,
        ),
        (f'include "inverse.mzn"; {THREE}; array [0..2] of var int: y; constraint inverse(x, y);', 6),
        ('include "circuit.mzn"; array [2..4] of var int: x; constraint circuit(x);', 2),
        (f'include "subcircuit.mzn"; {THREE}; constraint subcircuit(x);', 6),
        ("var int: i; var int: v; constraint [3, 1, 2][i] = v;", 3),
        ("array [2..3] of var 1..2: a; var int: i; var int: v; constraint a[i] = v;", 8),
        (f'include "sort.mzn"; array [1..3] of var 1..2: y; {THREE}; constraint sort(y, x);', 8),
        (
            f'include "global_cardinality.mzn"; array [1..2] of var 1..4: y; {THREE};'
            "constraint global_cardinality(y, [1, 2, 3], x);",
            16,
        ),
        ("array [1..0] of var set of 0..4: empty; var 1..3: y;", 3),
        ("array [1..0] of var float: empty; var 1..3: y;", 3),
    ],
)
def test_what_constraints_bound(text: str, total: int, tmp_path: Path) -> None:
    needed()
    path = model(tmp_path, f"{text} solve satisfy;")
    for way in EVERYWHERE:
        assert in_this_way(path, **way).total == total


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'include "alldifferent.mzn"; array [0..1, 1..2] of var int: g; constraint alldifferent(array1d(g));',
            "g[0,1]; declare it",
        ),
        ("var int: y; constraint y mod 3 = 1;", "y; declare it as a range"),
        ("var int: y; constraint (y * y + 1) mod 3 = 1;", "a part of an expression; declare the variables in it"),
    ],
)
def test_what_nothing_bounds_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    needed()
    assert f"nothing bounds {sentence}" in refusal(str(model(tmp_path, f"{text} solve satisfy;")))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("var float: x; solve satisfy;", "line 1: floats are not understood"),
        ("\nvar 1.5..2.0: x; solve satisfy;", "line 2: floats are not understood"),
        ("var set of 1..3: s; solve satisfy;", "set variables are not supported"),
        ("var 1..3: x;\nconstraint chuffed_magic(x); solve satisfy;", "line 2: the constraint chuffed_magic"),
        ("var int: x :: output_var; solve satisfy;", "nothing bounds x"),
        ("var 1..3: x;", "no solve item"),
        ("var 1..3 x; solve satisfy;", "'x' stands where : was expected"),
        (f"var 1..3: x; constraint int_eq(x, {'[' * 1500}1{']' * 1500}); solve satisfy;", "is nested too deeply"),
        (f"var 1..3: x; constraint int_eq(x, {'{' * 1500}1{'}' * 1500}); solve satisfy;", "is nested too deeply"),
        (f"var 1..3: x :: {'a(' * 1500}1{')' * 1500}; solve satisfy;", "is nested too deeply"),
        (
            f"array [1..1] of int: a = [1]; var 1..3: x = {'a[' * 1500}1{']' * 1500}; solve satisfy;",
            "nested too deeply",
        ),
        (f"var 1..3: x; solve :: {'seq_search([' * 500}x{'])' * 500} satisfy;", "is nested too deeply"),
        (f"var 1..3: x; constraint int_eq(x, {'9' * 6000}); solve satisfy;", "exceeds what solvers accept"),
        ("var 1..3: x; constraint int_eq(x, {[1]}); solve satisfy;", "only sets of integers are understood"),
        ("var 1..3: x; constraint int_eq(x, {x}); solve satisfy;", "only sets of integers are understood"),
        ("var 1..3: x; array [1..1] of var int: y :: output_array(x) = [x]; solve satisfy;", "name its index sets"),
        ("var 1..3: x; var 1..3: x; solve satisfy;", "x is declared twice"),
        ("var 1..3: x; constraint int_le(x); solve satisfy;", "int_le has the wrong arguments"),
        ("var 1..3: x; constraint int_le(x, [1]); solve satisfy;", "is neither an integer"),
        ("var 1..3: x & y; solve satisfy;", "is not FlatZinc"),
        ("array [1..2] of var int: a = [1, 2]; var 0..3: x = a[3]; solve satisfy;", "a has no element 3"),
        ("var 1..99999999999999999999: x; solve satisfy;", "nothing bounds"),
    ],
)
def test_what_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    path = flat(tmp_path, text)
    with pytest.raises(InputError) as caught:
        solve(path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    refusal(str(path), module="solvers.extras.bridges.minizinc.__main__")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("constraint int_times(y, y, x);", 4),
        ("constraint int_lin_eq([1, -3, 2], [x, y, y], 5);", 4),
        ("constraint int_max(y, 7, x);", 4),
        ("constraint array_int_element(y, [5, 5, 9], x);", 3),
        ("constraint int_abs(x, y);", 7),
        ("constraint int_lin_le([1], [x], 5); constraint int_le(y, x);", 6 + 5 + 4 + 3),
    ],
)
def test_bounds_that_follow(text: str, values: int, tmp_path: Path) -> None:
    whole = f"var int: x :: output_var; var 0..3: y :: output_var; {text} solve satisfy;"
    assert solve(flat(tmp_path, whole), jobs=1).total == values


def test_key(tmp_path: Path) -> None:
    path = flat(tmp_path, f"{QUEENS}solve satisfy;")
    assert solve(find(str(path)).declare(key=["q0"])).total == 4
    assert list(solve(find(str(path)).declare(key=["q1", "q[5]"]))[0]) == ["q1", "q[5]"]
    with pytest.raises(InputError, match="no variable is called r"):
        solve(find(str(path)).declare(key=["r"]))


def test_errors_of_minizinc(tmp_path: Path) -> None:
    needed()
    told = refusal(str(model(tmp_path, "var 1..3: x;\nconstraint x = y;")))
    assert f"{tmp_path / 'model.mzn'}: line 2: MiniZinc's type error: undefined identifier `y'" in told


@pytest.mark.parametrize(
    "text",
    [
        "var bool: b; var 1..4: x :: output_var; var 0..1: i :: is_defined_var; constraint int_eq(i, 2);"
        " constraint bool2int(b, i) :: defines_var(i);",
        "var 1..3: y; var 1..4: x :: output_var; constraint int_eq(y, 5);",
        "var bool: b; var bool: c; var 1..4: x :: output_var; constraint bool_eq(b, c); constraint bool_eq(b, true);"
        " constraint bool_eq(c, false);",
        "var 2..1: y; var 1..4: x :: output_var;",
        "var 1..4: y; var 1..4: x :: output_var; constraint set_in(y, 5..6);",
    ],
)
def test_a_variable_without_a_value_that_nothing_else_names(text: str, tmp_path: Path) -> None:
    """No solution, though what is output could have four values."""
    assert solve(str(write(tmp_path / "model.fzn", f"{text} solve satisfy;"))).total == 0


@pytest.mark.parametrize("text", ["", "\n \n", "% nothing\n/* nothing\nat all */"])
def test_a_model_that_holds_nothing(text: str, tmp_path: Path) -> None:
    path = model(tmp_path, text)
    assert refusal(str(path)) == f"{path}: it holds nothing; is this a model in MiniZinc?"


def test_data(tmp_path: Path) -> None:
    needed()
    path = model(tmp_path, "int: n; int: m; array[1..n] of var 1..m: x;")
    (tmp_path / "size.dzn").write_text("n = 3;")
    assert solve(find(str(path)).declare(data=[tmp_path / "size.dzn"], define=["m=2"])).total == 8


def test_minizinc_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.extras.bridges.minizinc.load.shutil.which", lambda _: None)
    with pytest.raises(InputError, match="the program minizinc is not on the path"):
        solve(model(tmp_path, "var 1..3: x;"))


def test_search_annotations_guide_cp(tmp_path: Path) -> None:
    for order, first in (("indomain_min", 2), ("indomain_max", 5)):
        path = flat(tmp_path, f"{QUEENS}solve :: int_search(q, input_order, {order}, complete) satisfy;")
        assert solve(path, backend="cp", limit=1, symmetry="none", jobs=1)[0]["q0"] == first


def test_what_occurs_most_is_branched_on_first(tmp_path: Path) -> None:
    text = """var 1..3: x :: output_var; var 1..3: y :: output_var; constraint int_ne(x, y); constraint int_le(y, 3);
    constraint int_lin_le([1, 1], [x, y], 5); constraint int_lin_le([1], [y], 3);
    solve :: int_search([x, y], occurrence, indomain_max, complete) satisfy;"""
    (solution,) = solve(flat(tmp_path, text), backend="cp", limit=1, symmetry="none", jobs=1)
    assert (solution["x"], solution["y"]) == (2, 3)


@pytest.mark.slow
def test_models_of_others() -> None:
    """Forty models of a folder that MINIZINC_MODELS names, such as hakank's collection."""
    needed()
    folder = os.environ.get("MINIZINC_MODELS")
    if not folder:
        pytest.skip("needs a folder with models in MiniZinc, named by MINIZINC_MODELS")
    done = run_apart("tests.benchmarks.minizinc", folder, "--models", "40", "--seconds", "5", seconds=3600)
    assert done.returncode == 0, done.stdout


OUTPUTS = """var bool: p; var 1..3: x; var 1..3: y; var 1..3: z; array[1..3] of var 1..3: a; array[0..0] of var bool: q;
constraint p; constraint x = y; constraint x < 3; constraint z = 2; constraint a[1] = 2 /\\ a[2] = a[3];
constraint q[0]; solve satisfy;"""


@pytest.mark.thorough
def test_outputs_that_are_equal_or_fixed(tmp_path: Path) -> None:
    needed()
    path = model(tmp_path, OUTPUTS)
    labels = ["a[1]", "a[2]", "a[3]", "p", "q[0]", "x", "y", "z"]
    result = solve(path, jobs=1)
    assert result.total == 6
    assert all(sorted(label for label in labels if one[label]) == labels for one in result)
    assert all((one["x"], one["z"], one["a[1]"]) == (one["y"], 2, 2) for one in result)
    assert solve(path, jobs=1, given=["y=1", "a[3] != 1"]).total == 2
    assert solve(path, jobs=1, symmetry="found").total == 6
    assert why(path, "a[1]=2").reason
    assert why(path, "y=2", given="x=2").reason


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "solution"),
    [
        ('var bool: p; constraint p; solve satisfy; output ["p=", show(p)];', {"p": 1}),
        ('solve satisfy; output ["nothing"];', {}),
    ],
)
def test_all_outputs_are_fixed(text: str, solution: dict[str, int], tmp_path: Path) -> None:
    needed()
    result = solve(model(tmp_path, "var 1..3: x; var 1..3: y; constraint x < 3 \\/ y < 3;\n" + text), jobs=1)
    assert (result.total, dict(result[0])) == (1, solution)
    assert bool(result.report.warnings) == (not solution)


@pytest.mark.parametrize("kind", ["int_div", "int_mod"])
@pytest.mark.parametrize(("divisor", "total"), [("0", 0), ("var 0..0: z;", 0), ("var -1..1: z;", None)])
def test_nothing_is_divided_by_zero(kind: str, divisor: str, total: int | None, tmp_path: Path) -> None:
    declared, name = (divisor, "z") if divisor != "0" else ("", "0")
    text = f"var 0..5: x :: output_var; {declared} constraint {kind}(x, {name}, 0); solve satisfy;"
    wanted = {"int_div": 1, "int_mod": 6}[kind] if total is None else total
    assert solve(flat(tmp_path, text), jobs=1).total == wanted


@pytest.mark.parametrize("name", ["array_bool_or", "array_bool_and"])
def test_connectives_are_two_constraints(name: str, tmp_path: Path) -> None:
    declarations = "".join(f"var bool: {x} :: output_var; " for x in "abcr")
    path = flat(tmp_path, f"{declarations} constraint {name}([a, b, c], r); solve satisfy;")
    assert len(find(str(path)).declare().model.proto.constraints) == 2
    assert in_this_way(path, backend="cp").total == 8


@pytest.mark.parametrize(("cover", "sums", "total"), [("0, 1", 1, 27), ("1, 1", 0, 27)])
def test_counts_of_different_values_have_a_bound(cover: str, sums: int, total: int, tmp_path: Path) -> None:
    places, counts = ["x1", "x2", "x3"], ["m", "n"]
    declarations = "".join(f"var 0..2: {x} :: output_var; " for x in places)
    declarations += "".join(f"var 0..3: {count} :: output_var; " for count in counts)
    call = f"fzn_global_cardinality([{', '.join(places)}], [{cover}], [{', '.join(counts)}])"
    path = flat(tmp_path, f"{declarations} constraint {call}; solve satisfy;")
    proto = find(str(path)).declare().model.proto
    summed = [{proto.variables[v].name for v in rule.linear.vars} for rule in proto.constraints if rule.has_linear()]
    assert summed.count({*counts}) == sums
    assert in_this_way(path, backend="cp").total == total
