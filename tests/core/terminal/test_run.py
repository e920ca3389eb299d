"""The command line: what it prints, how it ends, and one line for every mistake."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from solvers.base.backend_rows import BACKENDS
from solvers.base.plugs import COMMANDS
from solvers.show import versions
from tests.support.backends import EVERY
from tests.support.command import (
    HARD,
    HERE,
    KEYS,
    RUN,
    on_this_load,
    python,
    refusal,
    report_of,
    run,
    run_apart,
    small_files,
    start,
    wait_for,
)
from tests.support.own_models import write


@pytest.mark.parametrize("backend", EVERY)
def test_json(backend: str) -> None:
    report = report_of("pentomino", "--board", "5x3", "--subset", "--backend", backend, "--time-limit", "60")
    assert set(report) == KEYS
    facts = {key: report[key] for key in ("complete", "solutions", "total", "symmetries", "repeats", "checked")}
    assert facts == {"complete": True, "solutions": 7, "total": 28, "symmetries": 4, "repeats": 0, "checked": 28}
    assert report["backend"].startswith(backend)
    assert set(report["seconds"]) == {
        "build",
        "first",
        "all",
        "verify",
        "output",
        "certify",
        "left",
        "left_low",
        "left_high",
    }
    row = BACKENDS[backend]
    own = {*row.built_on, *filter(None, [row.package])}
    assert set(report["versions"]) == {"python", "ortools", "python-sat", "kazoeru", *own}
    assert "unknown" not in report["versions"].values()
    words = f"pentomino --board 5x3 --subset --backend {backend} --time-limit 60"
    assert report["command"].startswith(f"python -m solvers.run {words}")
    assert (report["seed"], report["solver_parameters"], report["schema"]) == (0, {}, 2)
    assert report["limits"] == {"limit": None, "time_limit": 60, "memory": None}
    assert report["machine"]["cores"] == os.cpu_count()
    assert report["machine"]["processor"]


@pytest.mark.thorough
def test_a_stopped_run_says_how_to_go_on(tmp_path: Path) -> None:
    words = ["pentomino", "--board", "5x12", "--backend", "sat", "--jobs", "1", "--time-limit", "1.5"]
    done = run(RUN, *words, "--store", str(tmp_path / "run.db"))
    assert done.returncode == 3
    assert done.stderr.endswith("; the same command goes on\n")
    assert "goes on" not in run(RUN, *words[:-1], "0.3").stderr


def test_versions_in_a_clone_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    versions.version_of.cache_clear()
    told = versions.versions()
    versions.version_of.cache_clear()
    assert (told["kazoeru"], told["ortools"]) == ("0.1.0", "unknown")


@pytest.mark.thorough
def test_table_shows_the_first_solution() -> None:
    done = run(RUN, "pentomino", "--board", "3x20", "--backend", "cover")
    assert (done.returncode, done.stderr) == (0, ""), "progress is shown on a terminal only"
    assert "solutions up to symmetry      2\nsolutions in all              8\n" in done.stdout
    picture = done.stdout.split("\n\n")[1].splitlines()
    assert [len(line) for line in picture] == [81] * 7
    assert sorted(letter for line in picture for letter in line if letter.isalpha()) == sorted("FILNPTUVWXYZ")


@pytest.mark.thorough
def test_no_solution_is_no_error() -> None:
    for backend in EVERY:
        report = report_of("pentomino", "--board", "2x30", "--backend", backend)
        assert (report["complete"], report["solutions"], report["total"]) == (True, 0, 0)
    assert "There is no solution; python -m solvers why" in run(RUN, "magic", "--given", "1 1=4").stdout


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["jsonl"])
def test_solutions_files_are_the_same(kind: str, tmp_path: Path) -> None:
    texts: dict[str, set[str]] = {"none": set(), "declared": set()}
    for backend in EVERY:
        file = tmp_path / f"{backend}.{kind}"
        for symmetry, found in texts.items():
            words = ["pentomino", "--board", "5x4", "--subset", "--backend", backend, "--solutions", str(file)]
            assert run(RUN, *words, "--symmetry", symmetry).returncode == 0
            found.add(file.read_text(encoding="utf-8"))
    assert {*tmp_path.iterdir()} == {tmp_path / f"{backend}.{kind}" for backend in EVERY}
    assert len(texts["none"]) == 1
    (text,) = texts["declared"]
    if kind == "txt":
        assert text.startswith("1\n┌")
    else:
        (letter, _), value = json.loads(text.splitlines()[0])[0]
        assert value == 1
        assert letter in "FILNPTUVWXYZ"


@pytest.mark.parametrize(
    ("words", "facts", "stopped_by"),
    [
        (["5x5", "--subset", "--limit", "3"], {"complete": False, "solutions": 3}, "the limit"),
        (
            ["5x5", "--subset", "--limit", "3", "--symmetry", "none"],
            {"complete": False, "total": 3},
            "the limit",
        ),
        (["3x20", "--limit", "100"], {"complete": True, "solutions": 2}, ""),
    ],
)
def test_limit(words: list[str], facts: dict[str, object], stopped_by: str) -> None:
    report = report_of("pentomino", "--board", *words)
    # A search that is compiled for the first time is named behind the limit.
    assert report["stopped_by"].partition(" (while the search was compiled")[0] == stopped_by
    assert {name: report[name] for name in facts} == facts


def told_to_end(process: "subprocess.Popen[str]", how: "signal.Signals | str", after: float) -> tuple[str, str, float]:
    """What a run prints that gets a signal after so many seconds, its complaints, and how long it took from then on.

    Where it has a time limit instead, how long it took in all.
    """
    began = time.monotonic()
    if isinstance(how, signal.Signals):
        time.sleep(after)
        process.send_signal(how)
        began = time.monotonic()
    out, err = process.communicate(timeout=60)
    return out, err, time.monotonic() - began


@pytest.mark.parametrize(
    ("backend", "after", "how"),
    [
        ("sat", 0.3, "time limit"),
        ("cover", 0.3, signal.SIGTERM),
        *(pytest.param(backend, 1.0, signal.SIGINT, marks=pytest.mark.thorough) for backend in EVERY),
    ],
)
def test_ends_within_two_seconds(backend: str, after: float, how: "signal.Signals | str") -> None:
    limit = ["--time-limit", str(after)] if how == "time limit" else []
    process = start(RUN, *HARD, "--backend", backend, "--json", *limit)
    out, err, seconds = told_to_end(process, how, after)
    assert seconds < on_this_load(after + 4 if limit else 2), "stopped late (2 s are for the start-up)"
    code = {signal.SIGINT: 130, signal.SIGTERM: 143, "time limit": 3}[how]
    if out:
        report = json.loads(out)
        assert report["complete"] is False
        assert process.returncode == code
        assert err.count("\n") == 1
        assert "the counts are lower bounds" in err
    else:  # before the run had begun
        assert process.returncode in (code, -how if isinstance(how, signal.Signals) else code), err


@pytest.mark.thorough
def test_a_time_limit_while_solutions_are_checked() -> None:
    done = run(RUN, "dissection", "--require", "area", "--backend", "sat", "--time-limit", "3", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["complete"], report["stopped_by"]) == (3, False, "the time limit")
    assert report["checked"] == report["total"] == 2 * report["solutions"]
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pentomin"], "did you mean pentomino?"),
        ([], "name a puzzle"),
        (["pentomino", "--backend", "gurobi"], "there is no backend 'gurobi'"),
        (["pentomino", "--backend", "sat:nosat"], "there is no SAT solver 'nosat'"),
        (["pentomino", "--board", "6x9"], "6x9 has 54 cells, but the pieces fill 60"),
        (["pentomino", "--board", "1000000x1000000"], "1000000000000 cells"),
        (["pentomino", "--board", "0x60"], "every side must be at least 1"),
        (["pentomino", "--board", "nowhere.txt"], "nowhere.txt"),
        (["pentomino", "--board", "/"], "is a folder"),
        (["pentomino", "--board", "3x5x6", "--pieces", "one-sided"], "choose a flat board or free pieces"),
        (["pentomino", "--pieces", "many"], "'many' is not one of free, one-sided"),
        (["pentomino", "--limit", "-3"], "'-3' is not a whole number of at least"),
        (["pentomino", "--limit", "many"], "'many' is not a whole number of at least"),
        (["pentomino", "--time-limit", "nan"], "'nan' is not a time"),
        (["pentomino", "--time-limit", "-1"], "'-1' is not a time"),
        (["pentomino", "--seed", "x"], "'x' is not a whole number"),
        (["pentomino", "--seed", "-1"], "'-1' is not a seed"),
        (["pentomino", "--solutions", ""], "cannot write ''"),
        (["pentomino", "--solutions", "/dev/null"], "it is not a regular file"),
        (["pentomino", "--board", ""], "no region is named"),
        (["pentomino", "--solutions", "/nowhere/file"], "cannot write /nowhere/file"),
        (["pentomino", "--solutions", "/"], "cannot write /"),
        (["pentomino", "--solver-parameter", "x"], "write NAME=VALUE"),
        (["pentomino", "--backend", "cp-sat", "--solver-parameter", "no_such=1"], "no_such"),
        (["pentomino", "--backend", "sat", "--solver-parameter", "no_such=1"], "no_such"),
        (["pentomino", "--backend", "cover", "--solver-parameter", "no_such=1"], "no_such"),
        (["pentomino", "--nonsense"], "--nonsense"),
    ],
)
def test_mistakes_get_one_line(words: list[str], sentence: str) -> None:
    assert sentence in refusal(*words)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "draws no cell"),
        (b"...\n", "draws no cell"),
        (b"##X\n", "line 1 of"),
        (b"\xff\xfe#", "is not text"),
        (b"#" * 200_000, "too large"),
        (b"###\n", "has 3 cells, but the pieces fill 60"),
    ],
)
def test_boards_that_are_none(content: bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal("pentomino", "--board", str(write(tmp_path / "board.txt", content)))


def test_a_table_of_solutions(tmp_path: Path) -> None:
    """Each line of it is the solution of the same line of the other file."""
    for name in ("all.csv", "all.jsonl"):
        words = ["--kind", "ring", "--solutions", str(tmp_path / name)]
        assert run(RUN, "magic", *words, "--quiet").returncode == 0
    first, *rows = csv.reader((tmp_path / "all.csv").read_text(encoding="utf-8").splitlines())
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    solutions = [{json.dumps(label): str(value) for label, value in json.loads(line)} for line in lines]
    assert first[:2] == ["[0, 0]", "[0, 1]"]
    assert [dict(zip(first, row, strict=True)) for row in rows] == solutions
    assert len(rows) == 6


def test_a_table_has_a_column_for_each_label(tmp_path: Path) -> None:
    own = write(
        tmp_path / "own.py",
        "from ortools.sat.python.cp_model import CpModel\nfrom models.puzzle import Puzzle\n"
        "def twice() -> Puzzle:\n    model = CpModel()\n    x = model.new_int_var(0, 1, 'x')\n"
        "    return Puzzle('twice', {}, model, {'a': x, 'b': x})\n",
    )
    assert run(RUN, str(own), "--solutions", str(tmp_path / "all.csv"), "--quiet").returncode == 0
    assert (tmp_path / "all.csv").read_text().splitlines() == ["a,b", "0,0", "1,1"]


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_a_file_of_an_unknown_kind(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"all.{ending}"
    sentence = f"cannot write {file}: name a file that ends in .jsonl, .json, .csv, .txt, .url or .xmpuzzle"
    assert refusal("magic", "--solutions", str(file)) == sentence
    assert not file.exists()


@pytest.mark.thorough
def test_a_full_disk(tmp_path: Path) -> None:
    words = ["pentomino", "--board", "5x6", "--subset", "--solutions", str(tmp_path / "found"), "--json"]
    done = run_apart(RUN, *words, "--backend", "cp-sat", preexec_fn=small_files(20_000))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "an error in writing" in done.stderr


def test_a_missing_package() -> None:
    words = [sys.executable, "-S", "-m", RUN, "pentomino"]
    done = subprocess.run(words, cwd=HERE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    wanted = "kazoeru: the package (ortools|numpy) is not installed; install kazoeru with pip\n"
    assert re.fullmatch(wanted, done.stderr)


@pytest.mark.thorough
def test_a_reader_that_leaves_early() -> None:
    process = start(RUN, "pentomino", "--board", "3x20", "--backend", "cover")
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (0, "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--list"], ["pentomino"]),
        (
            ["pentomino", "--help"],
            ["--board", "--pieces", "--square", "--subset", "(default: 6x10)", "pentomino --board 6x10"],
        ),
        (["--help"], ["--backend", "--symmetry", "PUZZLE is a name"]),
        (["--list-backends"], ["cp-sat", "cp ", "sat:cadical153", "cover"]),
    ],
)
def test_list_and_help(words: list[str], told: list[str]) -> None:
    done = run(RUN, *words)
    assert done.returncode == 0
    assert [one for one in told if one not in done.stdout] == []
    assert done.stdout.startswith("pentomino") or words != ["--list"]
    assert done.stdout.count("\n") < 30 or "pentomino" not in words


LEFT_BEHIND = """
import sys, threading, time
from solvers.terminal.command import command

def main(words):
    from solvers.cubes.processes import Processes
    pool = Processes(2)
    pool.submit(abs, -1).result()
    threading.Thread(target=lambda: (time.sleep(60), pool), daemon=True).start()
    return 3

if __name__ == "__main__":
    sys.exit(command(main))
"""


def test_commands_are_listed() -> None:
    command = [sys.executable, "-m", "solvers"]
    told = [subprocess.check_output([*command, *words], cwd=HERE, text=True) for words in ([], ["--help"])]
    assert all("python -m solvers run magic" in text for text in told)
    lines = told[1].partition("Commands")[2].splitlines()[1:]
    assert [line.split()[0] for line in lines] == [*COMMANDS]
    assert len(run(RUN, "--help").stdout.splitlines()) < 60
    recipes = (HERE / "solvers" / "COOKBOOK.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in recipes for name in COMMANDS if name != "run")


@pytest.mark.thorough
def test_a_pool_that_is_left_behind_says_nothing(tmp_path: Path) -> None:
    done = python(write(tmp_path / "left_behind.py", LEFT_BEHIND))
    assert (done.returncode, done.stderr) == (3, "")


SLOW = """
import time
from ortools.sat.python.cp_model import CpModel
from models.puzzle import Frame, Puzzle, Shape

def slow(late: bool = False) -> Puzzle:
    model = CpModel()
    key = {n: model.new_bool_var(str(n)) for n in range(300)}
    model.add_exactly_one(key.values())

    def draw(solution):
        time.sleep(0.1)
        return []

    if late:
        open(__file__ + ".begun", "w").close()
        time.sleep(60)
    return Puzzle("slow", {}, model, key, draw=draw)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("option", "how"),
    [
        ("--solutions", signal.SIGTERM),
        ("--draw", "time limit"),
    ],
)
def test_ends_within_two_seconds_while_it_writes(option: str, how: "signal.Signals | str", tmp_path: Path) -> None:
    model = write(tmp_path / "slow.py", SLOW)
    value = "300" if option in ("--draw", "--sample") else str(tmp_path / "found.txt")
    limit = ["--time-limit", "4"] if how == "time limit" else []
    process = start(RUN, str(model), option, value, "--jobs", "1", *limit)
    if option == "--solutions" and not limit:
        wait_for((tmp_path / "found.txt.part").exists)
    out, err, seconds = told_to_end(process, how, 1 if option == "--solutions" else 10)
    assert seconds < on_this_load(9 if limit else 5), "stopped late (3 s are for the start-up)"
    assert process.returncode == (143 if how == signal.SIGTERM else 3), err
    assert "300" in out
    assert err.count("\n") == 1
    if option == "--solutions":
        assert "found.txt was not written, but" in err
        assert (tmp_path / "found.txt.part").read_text().count("\n") == 300


@pytest.mark.thorough
def test_the_numbers_are_told_though_the_drawing_fails(tmp_path: Path) -> None:
    text = SLOW.replace("return []", 'raise RuntimeError("a\\nb")').replace("slow", "undrawn")
    model = str(write(tmp_path / "undrawn.py", text))
    for words in ([], ["--svg", str(tmp_path / "pictures")], ["--gallery", str(tmp_path / "page.html")]):
        done = run(RUN, model, "--jobs", "1", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "undrawn.py, line" in done.stderr
        assert "solutions in all              300" in done.stdout


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("queens n=8", "write --n 8"),
        ("queens 8", "parameters have names, such as --n 8"),
        ("sudoku mine.txt", "parameters have names, such as --puzzle mine.txt"),
        ("queens --count", "did you mean --count-only?"),
        ("kenken", "did you mean calcudoku?"),
        ("picross", "did you mean nonogram?"),
    ],
)
def test_first_words_of_a_newcomer(words: str, advice: str) -> None:
    assert refusal(*words.split()).endswith(advice)
