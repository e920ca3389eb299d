"""Two models compared, and many: against lists of all their solutions."""

import csv
import json
from itertools import product
from pathlib import Path
from random import Random
from signal import SIGINT
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import InputError
from solvers.endings import INTERRUPTED
from solvers.extras.audit.difference import Difference, diff
from tests.support.audits import breakings, rules
from tests.support.command import refusal, run, start, wait_for
from tests.support.own_models import write

DIFF = "solvers.extras.audit.diff"

QUEENS = '''from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle
def queens(n: int = 6) -> Puzzle:
    """Place n queens."""
    model = CpModel()
    q = [model.new_int_var(1, n, f"q[{c}]") for c in range(1, n + 1)]
    model.add_all_different(q)
    model.add_all_different(x + c for c, x in enumerate(q))
    model.add_all_different(x - c for c, x in enumerate(q))
    return Puzzle("queens", {}, model, {x.name: x for x in q})
'''

IN_MINIZINC = """include "alldifferent.mzn";
int: n;
array[1..n] of var 1..n: q;
constraint alldifferent(q) /\\ alldifferent([q[i] + i | i in 1..n]) /\\ alldifferent([q[i] - i | i in 1..n]);
solve satisfy;
"""


def random_model(chance: Random, is_indirect: bool) -> tuple[Puzzle, set[tuple[int, ...]]]:
    """Some rules on three variables, and its solutions; indirect: it has variables besides."""
    size = [chance.randint(2, 3) for _ in range(3)]
    chosen = chance.sample(rules(3) + breakings(3), chance.randint(0, 3))
    model = CpModel()
    x = [model.new_int_var(0, top - 1, f"x{n}") for n, top in enumerate(size)]
    for _, rule in chosen:
        model.add(rule(x))
    if is_indirect:
        total = model.new_int_var(0, 9, "")
        model.add_max_equality(total, x)
    solutions = {values for values in product(*map(range, size)) if all(rule(values) for _, rule in chosen)}
    return Puzzle("random", {}, model, dict(enumerate(x))), solutions


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 60), marks=pytest.mark.thorough)])
def test_random_models(seeds: range) -> None:
    verdicts = set()
    for seed in seeds:
        chance = Random(seed)
        (one, first), (other, second) = (random_model(chance, chance.random() < 0.5) for _ in range(2))
        result = diff(one, other)
        verdicts.add(result.verdict)
        if first == second:
            assert (result.verdict, result.code) == ("same", 0)
            continue
        assert (result.reference.solutions, result.submission.solutions) == (len(first), len(second)), seed
        assert (result.reference.only, result.submission.only) == (len(first - second), len(second - first))
        for side, own in ((result.reference, first - second), (result.submission, second - first)):
            assert tuple(value for _, value in side.literals) in own if own else not side.literals
        assert result.verdict == "different" or second < first
    assert {"different", "same up to symmetry"} <= verdicts


def permuted(breaking: Any = None) -> Puzzle:
    model = CpModel()
    x = [model.new_int_var(0, 2, f"x{n}") for n in range(3)]
    model.add_all_different(x)
    if breaking:
        model.add(breaking(x))
    return Puzzle("permuted", {}, model, {(0, n): variable for n, variable in enumerate(x)})


def test_up_to_symmetry() -> None:
    result = diff(permuted(), permuted(lambda x: x[0] < x[1]))
    assert (result.verdict, result.symmetries, result.code, result.reference.only) == ("same up to symmetry", 72, 0, 3)
    assert diff(permuted(lambda x: x[0] < x[1]), permuted()).verdict == "different"
    assert diff(permuted(), permuted(lambda x: x[0] + x[1] == 7)).verdict == "different"
    assert diff(permuted(), permuted(lambda x: x[0] < x[1]), symmetry="declared").verdict == "different"


def test_labels_that_only_one_has() -> None:
    whole, part = permuted(), permuted()
    part = Puzzle("part", {}, part.model, {f"y[{n}]": part.key[0, n] for n in range(2)})
    with pytest.raises(InputError, match="no label in common"):
        diff(whole, part)
    result = diff(whole, part, labels={"y[0]": (0, 1), "y[1]": (0, 0)})
    assert (result.verdict, result.labels, result.reference.left_out) == ("same", 2, ["(0, 2)"])
    assert "only permuted has these labels: (0, 2)" in str(result)


def test_best_values() -> None:
    def best(goal: int) -> Puzzle:
        puzzle = permuted()
        assert isinstance(puzzle.model, CpModel)
        puzzle.model.maximize(puzzle.key[0, goal])
        return puzzle

    assert diff(best(0), best(0)).verdict == "same"
    result = diff(best(0), best(1))
    assert (result.reference.solutions, result.reference.only, result.submission.only) == (2, 2, 2)


def test_time_is_over() -> None:
    result: Difference = diff(permuted(), permuted(), time_limit=1e-6)
    assert (result.verdict, result.code) == ("not known", 3)


@pytest.fixture(name="homework")
def written(tmp_path: Path) -> Path:
    """A folder with a reference and submissions of all sorts."""
    write(tmp_path / "reference.py", QUEENS)
    folder = tmp_path / "homework"
    folder.mkdir()
    broken = "    model.add(q[0] < q[-1])\n    return"
    files = {
        "a_same.py": QUEENS.replace("queens", "mine"),
        "b_broken.py": QUEENS.replace("    return", broken),
        "c_forgot.py": QUEENS.replace("model.add_all_different(q)\n", "pass\n"),
        "d_loop.py": f"{QUEENS}\nopen({str(tmp_path / 'begun')!r}, 'w')\nwhile True: pass\n",
        "e_crash.py": f"{QUEENS}    os.abort()\n".replace("    model =", "    import os; os.abort()\n    model ="),
        "f_syntax.py": "def queens(:",
        "h_memory.py": QUEENS.replace("    model =", "    all_boards = bytearray(1 << 40)\n    model ="),
        "g_prints.py": f"print('hello')\n{QUEENS}",
        "notes.txt": "this is no model",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return tmp_path


def test_one_submission(homework: Path) -> None:
    reference, folder = str(homework / "reference.py"), homework / "homework"
    done = run(DIFF, reference, str(folder / "c_forgot.py"), "--n", "4", "--json")
    assert done.returncode == 4
    told = json.loads(done.stdout)
    assert (told["verdict"], told["reference"]["solutions"], told["reference"]["only"]) == ("different", 2, 0)
    assert len({told["reference"]["checksum"], told["submission"]["checksum"], told["checksums"]["kazoeru"]}) == 3
    assert told["submission"]["only"] == told["submission"]["solutions"] - 2
    for words in (
        [reference],
        [reference, "nowhere.mzn"],
        [reference, reference, "--map", "q"],
        [reference, reference, "--map", "q=p"],
    ):
        refusal(*words, module=DIFF)


@pytest.mark.usefixtures("minizinc")
def test_a_submission_in_minizinc(homework: Path) -> None:
    path = write(homework / "other.mzn", IN_MINIZINC)
    done = run(DIFF, str(homework / "reference.py"), str(path), "--n", "5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("same, by 5 labels")


@pytest.mark.thorough
def test_memory_of_submissions(homework: Path) -> None:
    """What takes a gigabyte little by little: while it declares the model, then, and when it is imported."""
    hoard = "hoard = [b'x' * 10**6 + bytes([n % 256]) for n in range(1000)]"
    folder = homework / "greedy"
    folder.mkdir()
    for number, where in enumerate(["    model =", "    return", "from models"]):
        indent = where[: len(where) - len(where.lstrip())]
        (folder / f"greedy_{number}.py").write_text(QUEENS.replace(where, f"{indent}{hoard}\n{where}"))
    (folder / "modest.py").write_text(QUEENS)
    words = [str(homework / "reference.py"), "--submissions", str(folder), "--n", "4", "--json"]
    done = run(DIFF, *words, "--memory", "0.7")
    told = [(row["verdict"], row["complaint"]) for row in json.loads(done.stdout)]
    assert told == [("failed", "out of memory")] * 3 + [("same", None)]
    assert done.returncode == 3
    done = run(DIFF, *words, "--memory", "3")
    assert [row["verdict"] for row in json.loads(done.stdout)] == ["same"] * 4
    refusal(*words, "--memory", "much", module=DIFF)


@pytest.mark.thorough
def test_ctrl_c_ends_many_submissions(homework: Path) -> None:
    words = [str(homework / "reference.py"), "--submissions", str(homework / "homework"), "--n", "4"]
    process = start("solvers", "diff", *words)
    wait_for((homework / "begun").exists)
    process.send_signal(SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == INTERRUPTED
    assert "ended before it was done" in out
    assert err.endswith("ended by Ctrl-C\n")


@pytest.mark.thorough
def test_many_submissions(homework: Path) -> None:
    table = homework / "table.csv"
    words = [str(homework / "reference.py"), "--submissions", str(homework / "homework"), "--csv", str(table)]
    done = run(DIFF, *words, "--time-limit", "4", "--n", "6")
    assert done.returncode == 4, done.stderr
    rows = {row["file"][0]: row for row in csv.DictReader(table.open())}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        **{"a": "same", "b": "same up to symmetry", "c": "different", "d": "failed", "e": "failed"},
        **{"f": "refused", "g": "same", "h": "failed"},
    }
    assert rows["h"]["complaint"] == "out of memory"
    assert "did not end within 4 s" in rows["d"]["complaint"]
    assert (rows["b"]["solutions"], rows["b"]["only_reference"]) == ("2", "2")
