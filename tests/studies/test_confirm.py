"""A count confirmed by the programs of others: what each is told, what it may do wrong, and how all of it ends."""

import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from models.puzzle import Puzzle
from solvers import confirm
from solvers.extras.bridges.minizinc import builtins
from solvers.extras.bridges.minizinc.interpreters import program_path
from solvers.extras.studies.confirm.counted import Limits, count
from solvers.extras.studies.confirm.foreign import PROGRAMS, Unsayable
from solvers.extras.studies.confirm.forms import write_forms
from solvers.extras.studies.confirm.witness import FORMS
from solvers.extras.studies.confirm.witnesses import WITNESSES
from tests.support import declared
from tests.support.command import on_this_load, printed, refusal, run, start, wait_for
from tests.support.minizinc import needed, output_of, solutions, with_gecode
from tests.support.own_models import write
from tests.support.random_models import brute_force, random_puzzle
from tests.support.tiers import sampled

CONFIRM = "solvers"
SMALL = ["confirm", "pentomino", "--board", "5x3", "--subset"]
LONG = ["confirm", "pentomino", "--programs", "cp-sat", "--quiet"]


def foreign() -> Iterator[tuple[str, str, list[str]]]:
    """The functions that count, with their forms and further words; those of one program take their time to start."""
    yield from (("xcover", ".dlx", []), ("exact-cover", ".dlx", []), ("clingo", ".cnf", []))
    yield from (("pysat", ".cnf", ["glucose42"]), ("cp-sat", ".pbtxt", []), ("cp", ".pbtxt", []))
    for name, form, program in (("miniexact", ".dlx", "miniexact"), ("flatzinc", ".fzn", "fzn-gecode")):
        if place := program_path(program):
            yield name, form, [place]


def counts_of(puzzle: Puzzle, folder: Path) -> dict[str, int]:
    """What all programs say that can be asked in this process, of the forms that the puzzle has."""
    plain, found = write_forms(puzzle, (), FORMS, folder, 60, threading.Event()), {}
    for name, form, more in foreign():
        written = plain.forms[form]
        if written.reason or (name == "cp-sat" and plain.cp_sat_flaw):
            continue
        try:
            found[name] = PROGRAMS[name](written.path, *more)
        except Unsayable:
            continue
    return found


def key_count(puzzle: Puzzle) -> int:
    """How many assignments of the key belong to a solution, and to a best one of a model with an objective."""
    indices = [variable.index for variable in puzzle.key.values()]  # type: ignore[union-attr]
    return len({tuple(values[index] for index in indices) for values in brute_force(puzzle.model)})


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 55), marks=pytest.mark.thorough)])
def test_what_the_key_does_not_determine_counts_once(seeds: range, tmp_path: Path) -> None:
    """On random models, some of whose variables are not in the key and free."""
    met = set[str]()
    for seed in seeds:
        puzzle = random_puzzle(seed)
        found = counts_of(puzzle, tmp_path)
        assert set(found.values()) <= {key_count(puzzle)}, (seed, found)
        met |= set(found)
    assert {"clingo", "pysat", "cp", "cp-sat"} <= met


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [3, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(4, 12))])
def test_counters_of_formulas_project(seed: int) -> None:
    """They have processes of their own."""
    puzzle = random_puzzle(seed)
    found = confirm(puzzle, programs=["d4", "ganak"])
    assert {row.number for row in found.counts} <= {key_count(puzzle), None}
    assert {row.verdict for row in found.counts} <= {"agrees", "not asked", "not installed"}


@pytest.mark.parametrize("seed", sampled(range(10), 5))
def test_random_covers(seed: int, tmp_path: Path) -> None:
    """With items that may be left uncovered, options that are never taken, and none at all."""
    rng = random.Random(seed)
    puzzle = declared.puzzle(dict.fromkeys(range(rng.randint(1, 7)), declared.BOOLEAN))
    variables = list(puzzle.key.values())
    for _ in range(rng.randint(0, 5)):
        some = rng.sample(variables, rng.randint(1, len(variables)))
        getattr(puzzle.model, rng.choice(["add_exactly_one", "add_at_most_one"]))(some)
    found = counts_of(puzzle, tmp_path)
    assert set(found.values()) == {key_count(puzzle)}
    assert {"xcover", "exact-cover"} <= set(found)


@pytest.fixture
def liar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a program called miniexact on the path, with this text in Python."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")

    def install(text: str) -> None:
        program = place / "miniexact"
        program.write_text(f"#!{sys.executable}\nimport os, signal, sys, time\n{text}\n")
        program.chmod(0o755)

    return install


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("print('Found 28 solutions!')", "agrees", 0),
        ("print('Found 27 solutions!')", "differs", 1),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "failed", 3),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(99)", "not done in time", 3),
        ("x = bytearray(3 * 10**9); print('Found 28 solutions!')", "not done in memory", 3),
    ],
)
def test_a_program_that_lies_dies_or_does_not_end_is_a_row(
    liar: Callable[[str], None], text: str, verdict: str, code: int
) -> None:
    liar(text)
    words = ["--programs", "miniexact,as usual", "--time-limit", "4", "--memory", "2.5", "--json", "--quiet"]
    done = run(CONFIRM, *SMALL, *words)
    assert done.returncode == code, done.stderr
    rows = {row["program"]: row for row in json.loads(done.stdout)["witnesses"]}
    assert rows["miniexact"]["verdict"] == verdict
    assert rows["the run as usual"]["number"] == 28
    assert not done.stderr or done.stderr.count("\n") == 1


def test_a_lack_of_memory_is_a_row() -> None:
    witness = next(one for one in WITNESSES if one.name == "xcover")
    words = [sys.executable, "-c", "x = bytearray(10**9)"]
    verdict, *_ = count(witness, words, os.devnull, Limits(60, 500_000_000), threading.Event())
    assert verdict == "not done in memory"


@pytest.mark.thorough
def test_what_is_not_installed_is_said_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    found = confirm("magic", programs=["gecode", "miniexact", "cp-sat"])
    missing = [row.detail for row in found.counts if row.verdict == "not installed"]
    assert missing == ["pip install miniexact", "apt install flatzinc"]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_behind(number: int) -> None:
    with start("solvers", *LONG) as process:
        own = psutil.Process(process.pid)
        wait_for(lambda: any("cp-sat" in " ".join(p.cmdline()) for p in own.children(recursive=True) if p.is_running()))
        started = own.children(recursive=True)
        process.send_signal(number)
        told = time.monotonic()
        out, err = process.communicate(timeout=10)
        assert time.monotonic() - told < on_this_load(2.5)
    _, left = psutil.wait_procs(started, timeout=2)
    assert not left
    if number != signal.SIGKILL:
        assert process.returncode == 128 + number
        assert "ended early" in out
        assert err.startswith("kazoeru: ended by")


@pytest.mark.thorough
def test_a_program_that_does_not_end_is_stopped_with_all_it_has_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    text = (
        "import pathlib, subprocess, time\n"
        f"pathlib.Path({str(note)!r}).write_text(str(subprocess.Popen(['sleep', '98']).pid))\n"
        "time.sleep(98)"
    )
    verdict, *_ = count(WITNESSES[0], [sys.executable, "-c", text], os.devnull, Limits(2, 10**9), threading.Event())
    assert verdict == "not done in time"
    wait_for(lambda: not psutil.pid_exists(int(note.read_text())), seconds=2)


def test_mistakes_get_one_line(tmp_path: Path) -> None:
    assert "no program is called 'nobody'; there are" in refusal("confirm", "magic", "--programs", "nobody")
    assert "no program is named" in refusal("confirm", "magic", "--programs", ",")
    assert "cannot write" in refusal("confirm", "magic", "--page", "/nowhere/page.html")
    assert "is not a time" in refusal("confirm", "magic", "--time-limit", "0")
    assert "name a puzzle" in refusal("confirm")


def test_too_little_time_confirms_nothing() -> None:
    assert "not done in time" in printed(*LONG, "--time-limit", "0.5", module=CONFIRM, code=3)


def test_a_count_of_gecodes_library_that_the_page_tells(tmp_path: Path) -> None:
    """Once this fails, OTHERS.md is to say so."""
    needed()
    model = "var 1..2: x; var -1..2: y; var 0..4: z;\nconstraint z = pow(x, y);\n"
    path = write(tmp_path / "power.mzn", f"{model}solve satisfy;\noutput [show([x, y, z])];\n")
    assert len(solutions(output_of(["minizinc", "--solver", "Gecode", "-a", str(path)]))) == 2
    assert len(with_gecode(path)) == 8


@pytest.mark.thorough
def test_programs_read_the_file_of_its_author_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With "at most" misread as "less than", all searches by our reader agree on 3; the programs on the file do not."""
    needed()
    text = "var 1..3: x :: output_var;\nvar 1..3: y :: output_var;\nconstraint int_le(x, y);\nsolve satisfy;\n"
    path = write(tmp_path / "le.fzn", text)
    found = confirm(path, programs=["cp-sat", "gecode"])
    assert {row.number for row in found.counts} == {6}
    assert "Of these, Gecode on the file read the file without our reader." in found.agreement
    monkeypatch.setitem(builtins.BUILTINS, "int_le", builtins.BUILTINS["int_lt"])
    found = confirm(path, programs=["cp-sat", "gecode"])
    assert {row.witness.name: row.number for row in found.counts}["Gecode on the file"] == 6
    assert found.differing == ["Gecode on the file"]


@pytest.mark.parametrize(
    ("name", "text", "total", "programs"),
    sampled(
        [
            ("a.cnf", "p cnf 3 2\n1 2 0\n-1 3 0\n", 4, ["clingo on", "d4 on", "ganak on"]),
            ("b.cnf", "c p show 1 2 0\np cnf 3 2\n1 2 0\n-1 3 0\n", 3, ["clingo on", "d4 on", "ganak on"]),
            ("c.dlx", "a b | c\na c\nb c\na\nb\n", 3, ["miniexact on", "xcover on"]),
        ],
        2,
    ),
)
def test_files_that_other_programs_read(name: str, text: str, total: int, programs: list[str], tmp_path: Path) -> None:
    found = confirm(write(tmp_path / name, text), programs=programs)
    assert len(found.counts) == len(programs)
    for row in found.counts:
        assert row.verdict in ("agrees", "not installed")
        assert row.number in (total, None)
        assert row.rests_on == ["the author's file"]
