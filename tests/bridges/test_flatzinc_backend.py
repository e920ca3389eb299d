"""Other people's solvers of FlatZinc as backends: held against brute force, told to stop, and broken."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from solvers import solve
from solvers.backends.registry import backend_kind
from solvers.base.backend_rows import BACKENDS, FLATZINC, available_backends, backends_to_compare
from solvers.base.errors import WorkerDiedError
from solvers.extras.bridges.minizinc import interpreters
from solvers.show.evidence import Completed, agreement
from tests.support.backends import check_model, made, visits
from tests.support.command import HERE, RUN, on_this_load, refusal, run
from tests.support.covers import covers
from tests.support.declared import declared
from tests.support.random_models import models
from tests.support.refusals import refused

GECODE = "fzn:gecode"

pytestmark = pytest.mark.skipif(interpreters.program_path("fzn-gecode") is None, reason="there is no Gecode")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program of the name fzn-chuffed, first on the PATH, that a test writes."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    interpreters.flaw.cache_clear()
    yield tmp_path / "fzn-chuffed"
    interpreters.flaw.cache_clear()


def write_program(path: Path, last: str) -> None:
    """Write a solver that counts the small model as it should, and then does what the last lines say."""
    solution = "print('----------'); " * 6
    path.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        f"if 'small.fzn' in sys.argv[-1]: {solution}print('=========='); sys.exit()\n{last}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.thorough
@pytest.mark.parametrize("examples", [4, pytest.param(12, marks=pytest.mark.thorough)])
def test_random_models(examples: int) -> None:
    @settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck), print_blob=True)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        check_model(GECODE, data.draw(models()), data)

    check()


@pytest.mark.thorough
@settings(deadline=None, max_examples=5)
@given(covers, st.data())
def test_random_covers(model: CpModel, data: st.DataObject) -> None:
    check_model(GECODE, model, data)


def test_a_run_names_what_it_shares() -> None:
    result = solve("magic", backend=GECODE, jobs=1)
    assert (result.solutions, result.total, result.complete, result.report.repeats) == (1, 8, True, 0)
    assert result.report.statistics["nodes"] > result.report.statistics["failures"] > 0
    row = json.loads(result.report.as_json())
    assert FLATZINC in row["evidence"]["rests_on"]
    assert row["evidence"]["searched_by"] == "the FlatZinc solver gecode"
    pair = [Completed(name, ["the declared model", FLATZINC]) for name in (GECODE, "fzn:other")]
    assert agreement(pair).startswith("2 searches found the same solutions: fzn:gecode, fzn:other. They are not")


def test_only_who_names_it_gets_it() -> None:
    assert "fzn" in BACKENDS
    assert not any(name.startswith("fzn") for name in (*available_backends(), *backends_to_compare()))
    assert backend_kind("fzn:org.gecode.gecode".replace("org.gecode.", ""))[1] == "gecode"


def test_seeds_search_in_other_orders() -> None:
    model = declared([(0, 3)] * 4, lambda m, *x: m.add_all_different(x))
    orders = [list(visits(made(GECODE, model, seed=seed))) for seed in (0, 1, 1)]
    assert orders[1] == orders[2] != orders[0]
    assert sorted(orders[0]) == sorted(orders[1])


def test_stops_within_two_seconds() -> None:
    began = time.monotonic()
    result = solve("pentomino", board="6x10", backend=GECODE, jobs=1, time_limit=1)
    assert not result.complete
    assert time.monotonic() - began < on_this_load(4)


@pytest.mark.thorough
def test_the_solver_ends_with_a_run_that_is_killed() -> None:
    words = [sys.executable, "-m", RUN, "pentomino", "--backend", GECODE, "--jobs", "1", "--quiet"]
    process = subprocess.Popen(words, cwd=HERE, stdout=subprocess.DEVNULL)
    try:
        while not (pids := gecodes(process.pid)):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        began = time.monotonic()
        while any(Path(f"/proc/{pid}").exists() for pid in pids):
            assert time.monotonic() - began < on_this_load(2)
            time.sleep(0.05)
    finally:
        process.kill()


def gecodes(process: int) -> list[int]:
    """The processes of Gecode that a process has started."""
    found = list[int]()
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text(encoding="ascii").split()):
            name = Path(f"/proc/{child}/comm").read_text(encoding="utf-8").strip()
            found += [child] if name.startswith("fzn-gecode") else gecodes(child)
    return found


def test_a_solver_that_breaks_off(program: Path) -> None:
    model = declared([(0, 1)] * 2)
    write_program(program, "print('shown = array1d(1..2, [0, 1]);\\n----------')")
    backend = made("fzn:chuffed", model)
    with pytest.raises(WorkerDiedError, match="fzn:chuffed did not say that these are all solutions"):
        visits(backend)
    write_program(program, "sys.exit('no such constraint')")
    refused("fzn:chuffed does not take the model: no such constraint", visits, backend)
    write_program(program, "print('shown = array1d(1..2, [0, 1]);\\n----------\\n' * 2 + '==========')")
    assert visits(backend) == {(0, 1): 1}


def test_a_solver_that_loses_count(program: Path) -> None:
    program.write_text(f"#!{sys.executable}\nprint('----------\\n==========')\n")
    program.chmod(0o755)
    refused("the FlatZinc solver chuffed loses count", backend_kind, "fzn:chuffed")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--backend", "fzn:nobody"], "there is no FlatZinc solver 'nobody'; there are gecode, chuffed"),
        (["--backend", GECODE, "--solver-parameter", "a=1"], "fzn:gecode has no parameters, so a cannot be set"),
    ],
)
def test_mistakes_get_one_line(words: list[str], sentence: str) -> None:
    assert sentence in refusal("magic", *words)


def test_the_list_of_backends() -> None:
    assert "\n  fzn:gecode\n" in run(RUN, "--list-backends").stdout
