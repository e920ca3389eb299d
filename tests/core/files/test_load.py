"""Own models: what their files say is what is counted, and files that say nothing get one line."""

import bz2
import gzip
import itertools
import lzma
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solvers import solve
from solvers.files.catalogue import find
from tests.support.backends import GENERAL
from tests.support.command import HERE, printed, refusal, report_of, run_apart
from tests.support.own_models import refusal_of, solutions, write
from tests.support.random_models import ROOMY, brute_force, keys, models
from tests.support.refusals import refused

# CNF

LITERALS = st.integers(1, 5).flatmap(lambda variable: st.sampled_from([variable, -variable]))


@pytest.mark.thorough
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
    for backend in GENERAL:
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
        (f"p cnf {'9' * 5000} 1\n1 0\n", "not a number"),
        ("p cnf 2 100000000000000\n1 0\n", "100000000000000 clauses; at most"),
        ("p cnf -2 1\n1 0\n", "contains a negative count"),
        ("p cnf 2\n", "not a header such as"),
        ("p wcnf 2 1\n1 1 2 0\n", "not a header such as p cnf"),
        ("p cnf 2 1\np cnf 2 1\n1 0\n", "second header"),
        ("p cnf 2 1\n1 3 0\n", "line 2 names variable 3"),
        ("p cnf 2 1\n1 2\n", "one without its 0"),
        ("p cnf 2 2\n1 2 0\n1", "2 clauses, but 1 and one without its 0 follow; is it complete?"),
        ("c t wmc\np cnf 2 1\nc p weight 1 0.4 0\n1 2 0\n", "line 3 gives weights, and solutions are counted without"),
        ("p cnf 2 1\nc p weight -1 1/3 0\n1 2 0\n", "line 2 gives weights"),
        ("p cnf 2 1\nw 1 0.4\n1 2 0\n", "line 2 gives weights"),
        ("p cnf 2 1\nc weights 0.4 0.6 0.5 0.5\n1 2 0\n", "line 2 gives weights"),
        ("p cnf 2 1\n1 two 0\n", "'two', which is not a number"),
        ("p cnf 2 1\n1 ² 0\n", "not a number"),
        ("p cnf 2 1\n1 1_0 0\n", "not a number"),
        ("p cnf 2 1\nx 1 2 0\n", "'x', which is not a number"),
        ("p cnf 2 1\n1 0\nc p show 3 0\n", "names variable 3"),
        ("p cnf 2 1\n1 0\nc p show -1 0\n", "has to list variables and end with 0"),
        ("p cnf 2 1\n1 0\nc p show\n", "has to list variables and end with 0"),
        ("p cnf 2 1\n1 0\nc p show 1\n", "has to list variables and end with 0"),
    ],
)
def test_formulas_that_are_none(content: str | bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal_of(write(tmp_path / "f.cnf", content))


@pytest.mark.parametrize(
    ("content", "total", "told"),
    [
        ("p cnf 2 1\n1 2 0\n-1 -2 0\n", 2, "the header has 1 clauses, but 2 follow; these are read"),
        ("p cnf 2 3\n1 2 0\n", 3, "the header has 3 clauses, but 1 follow; these are read"),
        ("p cnf 2 1\n", 4, "the header has 1 clauses, but 0 follow; these are read"),
        ("c weights of the pieces\np cnf 2 1\n1 2 0\n", 3, ""),
    ],
)
def test_a_header_with_another_number_of_clauses(content: str, total: int, told: str, tmp_path: Path) -> None:
    file = write(tmp_path / "f.cnf", content)
    report = report_of(str(file))
    assert report["total"] == total
    assert report["warnings"] == [f"{file}: {told}"] * bool(told)


@pytest.mark.parametrize(
    ("ending", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
def test_compressed_formulas(ending: str, compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    first, second = b"p cnf 3 2\n1 2 0\n", b"-1 -2 0\n"
    for data in (compress(first + second), compress(first) + compress(second) + bytes(512)):
        file = write(tmp_path / f"f.x.cnf{ending}", data)
        assert report_of(str(file))["total"] == solve(str(file)).total == 4
    whole = compress(first + second)
    for data in (whole[:-1], whole[:-9], whole[: len(whole) // 2], whole[:3]):
        assert "is damaged" in refusal(str(write(file, data))) or len(data) == 3
    assert "is damaged" in refusal(str(write(file, whole[:-12] + b"?" * 12)))
    assert "f.x.gz has an ending that no model has" in refusal(str(write(tmp_path / "f.x.gz", whole)))


@pytest.mark.thorough
def test_a_compressed_file_may_not_be_too_large(tmp_path: Path) -> None:
    file = write(tmp_path / "f.cnf.gz", gzip.compress(b"p cnf 3 1\n1 2 0\n" + bytes(50_000_000)))
    assert "it holds more than 50000000 bytes when it is decompressed" in refusal_of(file)


# Exact covers in Knuth's format


# CP-SAT models


@pytest.mark.thorough
@ROOMY
@given(st.data())
def test_saved_models_are_counted_on_their_key(tmp_path: Path, data: st.DataObject) -> None:
    model = data.draw(models())
    key = [index for index in sorted(data.draw(keys(model))) if model.proto.variables[index].name]
    assume(key)  # without names there is no key to give
    names = [model.proto.variables[index].name for index in key]
    expected = {tuple(values[index] for index in key) for values in brute_force(model)}
    for ending in ("pb", "pbtxt"):
        file = tmp_path / f"m.{ending}"
        model.export_to_file(str(file))
        for backend in GENERAL:
            found, total = solutions(file, {"key": names}, backend=backend)
            assert {tuple(solution[name] for name in names) for solution in found} == expected
            assert total == len(expected)


# Python


def test_a_python_file(tmp_path: Path) -> None:
    example = (HERE / "models" / "magic.py").read_text(encoding="utf-8")
    file = write(tmp_path / "squares.py", example.replace("def magic(", "def squares("))
    assert report_of(str(file)).items() >= {"puzzle": str(file), "solutions": 1, "total": 8}.items()
    assert "--order" in printed(str(file), "--help")


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
    file = str(mine(tmp_path, "assert list(allow) == (['a', 'b'] if n == 7 else [])"))
    report = report_of(file, "--n", "7", "--allow", "a", "--allow", "b")
    assert (report["total"], report["parameters"]) == (7, {"n": 7, "allow": "a b"})
    assert report_of(file, "--n", "3")["total"] == 3
    assert "--n" in refusal(file)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "declares no puzzle"),
        ("import models.puzzle\ndef f(n=2):\n    return models.puzzle.Puzzle('f', {})\n", "as in def f(...) -> Puzzle"),
        ("def f(:\n", "line 1: "),
        ("x\0", "is not Python"),
        ("(" * 10_000, "is not Python"),
        (b"\xff\xfe", "is not Python"),
        (
            "def f() -> Puzzle: pass\ndef g() -> 'models.puzzle.Puzzle': pass\n",
            "declares f, g; name one of them, such as ",
        ),
        ("N = len('')\ndef f(n: int = N) -> Puzzle: pass\n", "must be a plain value"),
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
    assert sentence in refusal_of(write(tmp_path / "mine.py", content))


@pytest.mark.parametrize("name", ["", ":f"])
def test_a_function_without_its_return_type(name: str, tmp_path: Path) -> None:
    """Its options are unknown, but that is not what is wrong."""
    path = write(tmp_path / "mine.py", "from models.puzzle import Puzzle\ndef f(n=2):\n    return Puzzle('f', {}, n)\n")
    assert "f lacks its return type; write -> Puzzle behind its parameters" in refusal(f"{path}{name}", "--n", "3")


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
    assert sentence in refusal(str(mine(tmp_path, line, rest)), "--n", "3", "--jobs", "1")


# Whatever the format


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.cnf").mkdir()
    os.truncate(write(tmp_path / "huge.cnf", ""), 10**9)
    write(tmp_path / "model.lp", "")
    for name, sentence in (
        ("nowhere.cnf", "there is no file"),
        ("folder.cnf", "is not a regular file"),
        ("huge.cnf", "larger than 50 MB"),
        ("model.lp", "ends in .py, .cnf"),
    ):
        assert sentence in refusal_of(tmp_path / name)
    refused("File name too long", find, "a" * 5000 + ".cnf")
    refused("is not a regular file", find, "/dev/zero")


@pytest.mark.thorough
def test_what_a_file_leaves_open_is_written_at_the_end(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    own = write(
        tmp_path / "logged.py",
        "from ortools.sat.python.cp_model import CpModel\n"
        "from models.puzzle import Puzzle\n"
        f"log = open({str(log)!r}, 'w')\n"
        "def logged() -> Puzzle:\n"
        "    log.write('declared')\n"
        "    model = CpModel()\n"
        "    return Puzzle('logged', {}, model, {'a': model.new_bool_var('a')})\n",
    )
    assert run_apart("solvers.run", str(own), "--quiet").returncode == 0
    assert log.read_text() == "declared"
