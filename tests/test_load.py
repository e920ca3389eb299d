"""Own models: what their files say is what is counted, and files that say nothing get one line."""

import itertools
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from solvers.errors import InputError
from solvers.files.catalogue import find
from solvers.running.stated import modelled
from tests.support.command import HERE, run, run_apart
from tests.support.covers import dlx_text, knuth_covers
from tests.support.own_models import solutions
from tests.support.random_models import brute_force, keys, models

RUN = "solvers.run"
ROOMY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
BACKENDS = ("cp-sat", "cp", "sat")


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path, **arguments: Any) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        modelled(find(str(path)).declare(**arguments))
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert str(path) in sentence
    return sentence


# CNF

LITERALS = st.integers(1, 5).flatmap(lambda variable: st.sampled_from([variable, -variable]))


@ROOMY
@given(st.lists(st.lists(LITERALS, max_size=4), max_size=7), st.none() | st.lists(st.integers(1, 6)), st.randoms())
def test_a_formula_is_counted_on_what_it_shows(
    tmp_path: Path, clauses: list[list[int]], show: list[int] | None, shuffled: random.Random
) -> None:
    expected = {
        tuple((v, values[v - 1]) for v in (range(1, 7) if show is None else sorted(set(show))))
        for values in itertools.product((0, 1), repeat=6)
        if all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
    }
    numbers = " ".join(f"{literal}" for clause in clauses for literal in (*clause, 0))
    broken = "".join(shuffled.choice([" ", "\n", "\nc in between\n"]) if c == " " else c for c in numbers)
    text = f"c a comment\n\np  cnf 6 {len(clauses)}\n{broken}\n"
    if show is not None:
        text += f"c p show {' '.join(map(str, [*show, 0]))}\n"
    file = write(tmp_path / "f.cnf", text)
    for backend in BACKENDS:
        found, total = solutions(file, backend=backend)
        assert {tuple((v, solution[v]) for v, _ in next(iter(expected))) for solution in found} == expected
        assert total == len(expected)


def test_several_show_lines_and_the_end_of_satlib(tmp_path: Path) -> None:
    file = write(tmp_path / "f.cnf", "c p show 1 0\np cnf 3 1\n1 2 0\nc p show 3 1 0\n%\n0\n")
    assert solutions(file)[1] == 4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "no header"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not text"),
        ("hello\n", "line 1 comes before a header"),
        (
            "p cnf 100000000000000 1\n1 0\n",
            "the header has 100000000000000 variables and 1 clauses; at most 250000 and 2000000",
        ),
        (f"p cnf {'9' * 5000} 1\n1 0\n", "no number"),
        ("p cnf 2 100000000000000\n1 0\n", "100000000000000 clauses; at most"),
        ("p cnf -2 1\n1 0\n", "counts below 0"),
        ("p cnf 2\n", "no header such as"),
        ("p wcnf 2 1\n1 1 2 0\n", "no header such as p cnf"),
        ("p cnf 2 1\np cnf 2 1\n1 0\n", "second header"),
        ("p cnf 2 1\n1 3 0\n", "line 2 names variable 3"),
        ("p cnf 2 1\n1 2\n", "one without its 0"),
        ("p cnf 2 2\n1 2 0\n", "2 clauses, but 1 follow"),
        ("p cnf 2 1\n1 2 0\n1 0\n", "1 clauses, but 2 follow"),
        ("p cnf 2 1\n1 two 0\n", "'two', which is no number"),
        ("p cnf 2 1\n1 ² 0\n", "no number"),
        ("p cnf 2 1\n1 1_0 0\n", "no number"),
        ("p cnf 2 1\nx 1 2 0\n", "'x', which is no number"),
        ("p cnf 2 1\n1 0\nc p show 3 0\n", "names variable 3"),
        ("p cnf 2 1\n1 0\nc p show -1 0\n", "something else than variables"),
        ("p cnf 2 1\n1 0\nc p show\n", "something else than variables"),
        ("p cnf 2 1\n1 0\nc p show 1\n", "something else than variables"),
    ],
)
def test_formulas_that_are_none(content: str | bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(write(tmp_path / "f.cnf", content))


# Exact covers in Knuth's format


def is_cover(primary: list[str], chosen: list[dict[str, str]]) -> bool:
    """Knuth's definition: TAOCP 7.2.2.1, exact covering with colours."""
    given_to: dict[str, list[str]] = {}
    for option in chosen:
        for item, colour in option.items():
            given_to.setdefault(item, []).append(colour)
    return all(
        len(colours) == 1 if item in primary else len(colours) == 1 or ("" not in colours and len(set(colours)) == 1)
        for item, colours in given_to.items()
    ) and given_to.keys() >= set(primary)


@ROOMY
@given(knuth_covers())
def test_covers_are_counted_as_knuth_defines_them(
    tmp_path: Path, cover: tuple[list[str], list[str], list[dict[str, str]]]
) -> None:
    primary, _, options = cover
    file = write(tmp_path / "c.dlx", dlx_text(*cover))
    usable = [option for option in options if set(option) & set(primary)]
    expected = sum(
        is_cover(primary, list(itertools.compress(usable, choice)))
        for choice in itertools.product((0, 1), repeat=len(usable))
    )
    for backend in (*BACKENDS, "cover"):
        assert solutions(file, backend=backend)[1] == expected


KNUTH = """| a letter box, TAOCP 7.2.2.1 (49)
p q r | x y
p q x y:A
p r x:A y
p x:B
q x:A
r y:B
"""


def test_the_example_of_the_book(tmp_path: Path) -> None:
    file = write(tmp_path / "c.dlx", KNUTH)
    for backend in (*BACKENDS, "cover"):
        assert solutions(file, backend=backend)[0] == [{"p r x:A y": 1, "q x:A": 1}]


def test_options_that_are_written_alike_are_two(tmp_path: Path) -> None:
    file = write(tmp_path / "c.dlx", "a b\na b\n a  b\nb a\n")
    found, total = solutions(file)
    assert total == 3
    assert {label for solution in found for label in solution} == {("a b", 2), ("a b", 3), "b a"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "names no items"),
        ("| only comments\n\n", "names no items"),
        (b"\x00\xff\xfe\x00", "is not text"),
        ("| x y\n", "names no items"),
        ("a b a\na b\n", "names the item 'a' twice"),
        ("a | b | c\na\n", "'|' is no item"),
        ("a:b\na\n", "'a:b' is no item"),
        ("a b\na c\n", "line 2 covers 'c', which is none of the items"),
        ("a b\na a\n", "covers 'a' twice"),
        ("a | b\na:R b\n", "gives the primary item 'a' a colour"),
        ("a | b\na b:\n", "no item with its colour"),
        ("a | b\na b:c:d\n", "no item with its colour"),
        (f"a {'x' * 5000}\nq\n", "'q', which is none"),
        ("a b\n" + "a |\n", "'|', which is none of the items"),
    ],
)
def test_covers_that_are_none(content: str | bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(write(tmp_path / "c.dlx", content))


@pytest.mark.thorough
def test_too_many_items_or_options(tmp_path: Path) -> None:
    for text in ("a\n" + "a\n" * 250_001, " ".join(map(str, range(250_001))) + "\n"):
        assert "more than 250000 items or options" in refusal(write(tmp_path / "c.dlx", text))
    assert "at most 250000 are read" in refusal(write(tmp_path / "m.pbtxt", "variables { domain: 0 }" * 250_001))


def test_too_many_pairs_kept_apart(tmp_path: Path) -> None:
    options = "".join(f"p{n} s:{'AB'[n % 2]}\n" for n in range(5000))
    primary = " ".join(f"p{n}" for n in range(5000))
    assert "more than 5000000 pairs" in refusal(write(tmp_path / "c.dlx", f"{primary} | s\n{options}"))


# CP-SAT models


@pytest.mark.thorough
@ROOMY
@given(st.data())
def test_saved_models_are_counted_on_their_key(tmp_path: Path, data: st.DataObject) -> None:
    model = data.draw(models())
    key = sorted(data.draw(keys(model)))
    names = [model.proto.variables[index].name for index in key]
    expected = {tuple(values[index] for index in key) for values in brute_force(model)}
    for ending in ("pb", "pbtxt"):
        file = tmp_path / f"m.{ending}"
        model.export_to_file(str(file))
        for backend in BACKENDS:
            found, total = solutions(file, {"key": names}, backend=backend)
            assert {tuple(solution[name] for name in names) for solution in found} == expected
            assert total == len(expected)


def queens(n: int) -> CpModel:
    model = CpModel()
    row = [model.new_int_var(0, n - 1, f"row[{column}]") for column in range(n)]
    model.add_all_different(row)
    model.add_all_different(row[column] + column for column in range(n))
    model.add_all_different(row[column] - column for column in range(n))
    return model


def saved(model: CpModel, path: Path) -> Path:
    assert model.export_to_file(str(path))
    return path


@pytest.mark.parametrize("ending", ["pb", "pbtxt"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_stored_symmetries_are_used(ending: str, backend: str, tmp_path: Path) -> None:
    model = queens(6)
    model.proto.symmetry.permutations.add().parse_text_format("support: [0,5,1,4,2,3] cycle_sizes: [2,2,2]")
    found, total = solutions(saved(model, tmp_path / f"q.{ending}"), backend=backend)
    assert (len(found), total) == (2, 4)
    assert solutions(tmp_path / f"q.{ending}", backend=backend, all=True)[1] == 4


def test_orbitopes_are_exchanges_of_columns(tmp_path: Path) -> None:
    model = CpModel()
    cells = [[model.new_bool_var(f"x[{row},{column}]") for column in range(3)] for row in range(2)]
    for row in cells:
        model.add_exactly_one(row)
    orbitope = "num_rows: 2 num_cols: 3 entries: [0,1,2,3,4,5]"
    model.proto.symmetry.orbitopes.add().parse_text_format(orbitope)
    found, total = solutions(saved(model, tmp_path / "m.pb"))
    assert (len(found), total) == (2, 9)


def test_a_stored_symmetry_that_leaves_the_key_is_not_used(tmp_path: Path) -> None:
    model = queens(6)
    model.proto.symmetry.permutations.add().parse_text_format("support: [0,5,1,4,2,3] cycle_sizes: [2,2,2]")
    file = saved(model, tmp_path / "q.pb")
    found, total = solutions(file, {"key": ["row[0]"]})
    assert (len(found), total) == (4, 4)
    found, total = solutions(file, {"key": ["row[0]", "row[5]"]})
    assert (len(found), total) == (2, 4)


def test_which_variables_are_the_key(tmp_path: Path) -> None:
    model = CpModel()
    for name in ("a", "b[1]", "b[2]", "", "b1", "a*"):
        model.new_bool_var(name)
    file = saved(model, tmp_path / "m.pbtxt")

    def key(*patterns: str) -> list[Any]:
        return list(find(str(file)).declare(key=patterns).key)

    assert key() == ["a", "b[1]", "b[2]", "b1", "a*"]
    assert key("b[*") == ["b[1]", "b[2]"]
    assert key("b[1]") == ["b[1]"]
    assert key("b?", "a") == ["a", "b1"]
    assert "no variable is called c; there is '" in refusal(file, key=["c"])
    model = CpModel()
    model.new_bool_var("")
    model.new_bool_var("")
    assert solutions(saved(model, file))[1] == 4
    assert key() == [0, 1]
    assert "none of its variables has a name" in refusal(file, key=["c"])


def test_names_that_two_variables_have(tmp_path: Path) -> None:
    model = CpModel()
    for name in ("a", "b", "b"):
        model.new_bool_var(name)
    file = saved(model, tmp_path / "m.pb")
    assert "variables 1 and 2 are both called b" in refusal(file)
    assert solutions(file, {"key": ["a"]})[1] == 2


def test_kinds_that_only_cp_sat_knows(tmp_path: Path) -> None:
    model = CpModel()
    start = [model.new_int_var(0, 3, f"start[{n}]") for n in range(2)]
    model.add_no_overlap(model.new_fixed_size_interval_var(s, 2, "") for s in start)
    file = saved(model, tmp_path / "m.pb")
    assert solutions(file, backend="cp-sat")[1] == 6
    done = run(RUN, str(file), "--backend", "sat")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is understood by cp-sat only; use --backend cp-sat" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("m.pbtxt", "", "holds no variable"),
        ("m.pb", "", "holds no variable"),
        ("m.pbtxt", "garbage", "no CP-SAT model as text"),
        ("m.pbtxt", b"\xff\x00\x01", "is not text"),
        ("m.pbtxt", "variables {\n domain: [0, 1]\n} nonsense: 3", "line 3: "),
        ("m.pbtxt", "variables { domain: 99999999999999999999999 }", "out of range"),
        ("m.pbtxt", "variables { domain: [0, 1]", "no CP-SAT model as text"),
        ("m.pbtxt", "variables { " * 100_000, "no CP-SAT model as text"),
        ("m.pbtxt", "variables { domain: [1, 0] }", "OR-Tools does not accept the model"),
        ("m.pbtxt", "variables { domain: [0, 1] } constraints { bool_or { literals: 7 } }", "does not accept"),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } floating_point_objective { vars: 0 coeffs: nan }",
            "no finite number",
        ),
        ("m.pbtxt", "variables { domain: [0, 1] } floating_point_objective { vars: 7 coeffs: 1 }", "does not have"),
        ("m.pbtxt", "variables { domain: [0, 1] } floating_point_objective { vars: 0 }", "not as many coefficients"),
        ("m.pbtxt", 'variables { name: "\\377" domain: [0, 1] }', "no UTF-8 text"),
        ("m.pb", b"\xff" * 20, "no CP-SAT model in binary"),
        ("m.pb", b"\xfa\x01\x03abc", "what OR-Tools 9.15 does not know"),
        ("m.pbtxt", "variables { domain: [0, 1] } symmetry { permutations { support: 0 } }", "cycles that do not fit"),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } symmetry { permutations { support: [0, 5] cycle_sizes: 2 } }",
            "a variable that it does not have",
        ),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } symmetry { permutations { support: [0, 0] cycle_sizes: [1, 1] } }",
            "moves a variable twice",
        ),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } variables { domain: [0, 2] } "
            "symmetry { permutations { support: [0, 1] cycle_sizes: 2 } }",
            "different values",
        ),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } symmetry { orbitopes { num_rows: 1000000000 num_cols: 1000000000 } }",
            "no matrix of different variables",
        ),
    ],
)
def test_models_that_are_none(
    name: str, content: str | bytes, sentence: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refusal(write(tmp_path / name, content))
    assert capfd.readouterr() == ("", "")


def test_a_model_that_was_cut_off(tmp_path: Path) -> None:
    data = saved(queens(6), tmp_path / "whole.pb").read_bytes()
    for length in range(1, len(data), 7):
        file = write(tmp_path / "m.pb", data[:length])
        try:
            find(str(file)).declare()
        except InputError as refused:
            assert str(file) in str(refused)  # noqa: PT017 - a cut between two constraints leaves a model


# Python


def test_a_python_file(tmp_path: Path) -> None:
    example = (HERE / "models" / "magic.py").read_text(encoding="utf-8")
    file = write(tmp_path / "squares.py", example.replace("def magic(", "def squares("))
    done = run(RUN, str(file), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["puzzle"], report["solutions"], report["total"]) == (0, str(file), 1, 8)
    done = run(RUN, str(file), "--help")
    assert done.returncode == 0
    assert "--order" in done.stdout


PUZZLE = """
from collections.abc import Sequence
from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle

def mine(n: int, allow: Sequence[str] = ()) -> Puzzle:
    '''Count to n.

    n: how far
    allow: what is allowed
    '''
    model = CpModel()
    x = model.new_int_var(1, n, "x")
    {0}
    return Puzzle("mine", {{"n": n}}, model, {1})
"""


def mine(tmp_path: Path, line: str = "pass", rest: str = '{"x": x}') -> Path:
    return write(tmp_path / "mine.py", PUZZLE.format(line, rest))


def test_required_and_repeated_parameters(tmp_path: Path) -> None:
    file = mine(tmp_path, "assert list(allow) == (['a', 'b'] if n == 7 else [])")
    done = run(RUN, str(file), "--n", "7", "--allow", "a", "--allow", "b", "--json")
    report = json.loads(done.stdout)
    assert (report["total"], report["parameters"]) == (7, {"n": 7, "allow": "a b"})
    assert json.loads(run(RUN, str(file), "--n", "3", "--json").stdout)["total"] == 3
    done = run(RUN, str(file))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--n" in done.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "declares no puzzle"),
        ("def f(:\n", "line 1: "),
        ("x\0", "is no Python"),
        ("(" * 10_000, "is no Python"),
        (b"\xff\xfe", "is no Python"),
        (
            "def f() -> Puzzle: pass\ndef g() -> 'models.puzzle.Puzzle': pass\n",
            "declares f, g; rename one of them to mine",
        ),
        ("N = len('')\ndef f(n: int = N) -> Puzzle: pass\n", "no plain value"),
        ("import nowhere_at_all\ndef f() -> Puzzle: pass\n", "line 1: ModuleNotFoundError: No module named 'nowhere"),
        (
            "from __future__ import annotations\nimport sys\nsys.exit(7)\ndef f() -> Puzzle: pass\n",
            "line 3: SystemExit",
        ),
        ("def f() -> 'Puzzle': pass\n", "f returns a NoneType, not a models.puzzle.Puzzle"),
        ("def f() -> 'Puzzle': raise KeyError('x')\n", "line 1: KeyError: 'x'"),
    ],
)
def test_python_files_that_declare_nothing(content: str | bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(write(tmp_path / "mine.py", content))


@pytest.mark.parametrize(
    ("line", "rest", "sentence"),
    [
        ("raise ValueError('n is odd')", "{}", "n is odd"),
        ("raise RuntimeError('two\\nlines')", "{}", "line 14: RuntimeError: two lines"),
        ("model = 3", '{"x": x}', "declares a int as its model"),
        ("pass", "x", "as its key; give a dictionary"),
        ("pass", '{"x": x + 1}', "for 'x' in its key; give a variable of the model"),
        ("pass", '{"x": 1}', "for 'x' in its key; give a variable of the model"),
        (
            "y = [CpModel().new_bool_var('y'), CpModel()]; z = y[1].new_bool_var(''); z = y[1].new_bool_var('')",
            '{"x": z}',
            "for 'x' in its key",
        ),
        ("pass", '{"x": x}, is_solution=lambda s: s["y"]', "line 15: KeyError: 'y'"),
        ("pass", '{"x": x}, feature=lambda s: s.nothing', "line 15: AttributeError"),
    ],
)
def test_mistakes_in_a_python_file_get_one_line(line: str, rest: str, sentence: str, tmp_path: Path) -> None:
    done = run(RUN, str(mine(tmp_path, line, rest)), "--n", "3", "--jobs", "1")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


# Whatever the format


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.cnf").mkdir()
    huge = tmp_path / "huge.cnf"
    with huge.open("wb") as stream:
        stream.truncate(10**9)
    for name, sentence in [
        ("nowhere.cnf", "there is no file"),
        ("folder.cnf", "is no plain file"),
        ("huge.cnf", "larger than 50 MB"),
    ]:
        assert sentence in refusal(tmp_path / name)
    assert "ends in .py, .cnf, .dlx, .fzn, .mzn, .pb, .pbtxt" in refusal(write(tmp_path / "model.lp", ""))
    for name, sentence in [("a" * 5000 + ".cnf", "File name too long"), ("/dev/zero", "is no plain file")]:
        with pytest.raises(InputError, match=sentence):
            find(name)


def test_a_hostile_file_is_refused_at_once(tmp_path: Path) -> None:
    file = write(tmp_path / "f.cnf", "p cnf 100000000000000 3\n1 0\n")
    began = time.monotonic()
    done = run(RUN, str(file))
    assert time.monotonic() - began < 5
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"kazoeru: {file}: ")


def test_limits_and_files_of_solutions(tmp_path: Path) -> None:
    file = write(tmp_path / "f.cnf", "p cnf 3 1\n1 2 0\nc p show 1 2 0\n")
    written = tmp_path / "found.jsonl"
    done = run(RUN, str(file), "--json", "--solutions", str(written))
    assert json.loads(done.stdout)["solutions"] == 3
    assert [json.loads(line) for line in written.read_text().splitlines()] == [[[1, 1]], [[1, 1], [2, 1]], [[2, 1]]]
    report = json.loads(run(RUN, str(file), "--json", "--limit", "2").stdout)
    assert (report["complete"], report["solutions"]) == (False, 2)


def test_what_a_file_leaves_open_is_written_at_the_end(tmp_path: Path) -> None:
    own, log = tmp_path / "logged.py", tmp_path / "log.txt"
    own.write_text(
        "from ortools.sat.python.cp_model import CpModel\n"
        "from models.puzzle import Puzzle\n"
        f"log = open({str(log)!r}, 'w')\n"
        "def logged() -> Puzzle:\n"
        "    log.write('declared')\n"
        "    model = CpModel()\n"
        "    return Puzzle('logged', {}, model, {'a': model.new_bool_var('a')})\n"
    )
    assert run_apart("solvers.run", str(own), "--quiet").returncode == 0
    assert log.read_text() == "declared"
