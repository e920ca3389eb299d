"""Certificates are made of every puzzle and of random models, and accepted by our checker and by ACL2's.

What the checkers take for granted, that the clauses say what the puzzle says, is held against the puzzles' own rules.
"""

import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, islice, product
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel, IntVar
from pysat.solvers import Solver

from models.flip_it import flip_it
from models.magic import magic
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import CheckError
from solvers.base.endings import DONE, INCOMPLETE, INTERRUPTED, SHOULD_NEVER_HAPPEN
from solvers.extras.evidence import certificate
from solvers.extras.evidence.checker.check import check
from solvers.extras.evidence.checker.lrat import read_cnf
from solvers.show.evidence import UNCHECKED
from tests.evidence.certificates import certificate_of, certified, certify_anew, lines_of, map_of, read_by_map
from tests.support import declared
from tests.support.command import (
    RUN,
    complaint,
    full_disk,
    on_this_load,
    printed,
    refusal,
    report_of,
    run,
    start,
    wait_for,
)
from tests.support.random_models import values_of

SMALL: list[tuple[Callable[..., Puzzle], dict[str, Any], int, int]] = [
    (flip_it, {}, 7, 7),
    (magic, {"kind": "ring"}, 6, 48),
    (pentomino, {"board": "2x30"}, 0, 0),
    (pentomino, {"board": "5x4", "subset": True}, 50, 200),
]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            case,
            marks=() if "kind" in case[1] else pytest.mark.thorough,
            id=f"{case[0].__name__}-{case[3]}",
        )
        for case in SMALL
    ],
)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A certificate, and what it has to prove."""
    declare, parameters, solutions, total = request.param
    directory = tmp_path_factory.mktemp("certificates") / "certificate"
    run = certified(directory, declare, **parameters)
    best = "" if run.report.objective is None else f" with the least value, {run.report.objective},"
    noun = "solution" if solutions == 1 else "solutions"
    return directory, f"{solutions} {noun} up to symmetry{best} and {total} in all, and there are no others"


def test_the_puzzles(case: tuple[Path, str]) -> None:
    directory, proved = case
    assert proved in check(directory)


NEEDS_ACL2 = pytest.mark.skipif(
    not shutil.which("acl2"), reason="needs the Debian packages acl2-books and acl2-books-certs"
)


def acl2(directory: Path, timeout: float = 300) -> str:
    """What ACL2's checker says, by the command that the certificate names."""
    command = certificate_of(directory)["commands"][-1].replace("DIR", f"'{directory}'")
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=timeout).stdout


@pytest.mark.thorough
@NEEDS_ACL2
def test_a_verified_checker_accepts_them(case: tuple[Path, str]) -> None:
    assert "s VERIFIED" in acl2(case[0])


@pytest.mark.thorough
@NEEDS_ACL2
def test_a_verified_checker_rejects_a_wrong_proof(tmp_path: Path) -> None:
    directory = tmp_path / "certificate"
    certified(directory, magic, kind="ring")
    proof = directory / "puzzle.lrat.xz"
    lines = lines_of(proof)
    proof.write_bytes(lzma.compress("".join(lines[len(lines) // 2 :]).encode()))
    assert "s VERIFIED" not in acl2(directory)


def check_clauses(
    directory: Path,
    declare: Callable[[], Puzzle],
    candidates: Iterable[Mapping[Any, int]],
    rules: Callable[[Any], bool] | None = None,
) -> tuple[int, int]:
    """The clauses of the model hold exactly for the candidates that the rules allow; how many, and how many there are.

    A candidate gives each variable of the key its value; the rules are the puzzle's own, where no others are given.
    """
    certified(directory, declare)
    puzzle = declare()
    allows: Any = rules or puzzle.is_solution
    _, clauses = read_cnf(next(directory.glob("*.cnf")).read_text().splitlines())
    certificate = certificate_of(directory)
    name_of = {json.dumps(label): label for label in puzzle.key}
    literals = {(name_of[json.dumps(label)], value): literal for literal, label, value in map_of(directory)}
    allowed = 0
    model = clauses[: len(clauses) - certificate["clauses"]["excluded"]]
    with Solver("minisat22", bootstrap_with=map(list, model)) as solver:
        for candidate in candidates:
            assumed = [literals[pair] for pair in candidate.items()]
            assert solver.solve(assumed) == bool(allows(candidate)), candidate
            allowed += allows(candidate)
    return allowed, certificate["total"]


def assignments(puzzle: Puzzle) -> list[dict[Any, int]]:
    domains = [values_of(variable) for variable in puzzle.key.values()]  # type: ignore[arg-type]
    return [dict(zip(puzzle.key, values, strict=True)) for values in product(*domains)]


def test_the_clauses_say_that_nothing_is_better(tmp_path: Path) -> None:
    declare = partial(flip_it, "_bbbb", horizon=5)
    puzzle = declare()
    rules: Any = puzzle.is_solution

    def moves(plan: Mapping[int, int]) -> int:
        return max((move for move in plan if plan[move] != plan.get(move - 1, 0)), default=0)

    plans = assignments(puzzle)
    fewest = min(moves(plan) for plan in plans if rules(plan))
    are_best = (tmp_path / "certificate", declare, plans, lambda plan: rules(plan) and moves(plan) == fewest)
    allowed, total = check_clauses(*are_best)
    assert allowed == total > 0


@pytest.mark.thorough
def test_the_clauses_of_pentominoes(tmp_path: Path) -> None:
    """No three of them fit on ten cells: all sets of up to two, and each seventieth of three."""
    declare = partial(pentomino, "####\n####\n##..\n", subset=True)
    labels = list(declare().key)
    sets = chain(*(islice(combinations(labels, size), 0, None, step) for size, step in enumerate((1, 1, 1, 70))))
    candidates = ({label: int(label in chosen) for label in labels} for chosen in sets)
    allowed, total = check_clauses(tmp_path / "certificate", declare, candidates)
    assert allowed == total > 0


@pytest.mark.thorough
def test_a_variable_of_many_values_is_mapped_bit_by_bit(tmp_path: Path) -> None:
    puzzle = declared.puzzle({"x": (-5, 10**6), "y": (0, 10**6)}, lambda model, x, y: model.add(x + y == 3))
    certified(tmp_path / "certificate", lambda: puzzle, "sat")
    assert "9 in all" in check(tmp_path / "certificate")
    found = read_by_map(tmp_path / "certificate", ["x", "y"])
    assert {(values["x"], values["y"]) for values in map(dict, found)} == {(3 - y, y) for y in range(9)}


def test_a_solution_that_was_missed(tmp_path: Path) -> None:
    """A count that is too small cannot be certified."""
    run = certified(tmp_path / "certificate", magic, kind="ring")
    with pytest.raises(CheckError, match="still has a solution"):
        certify_anew(run, run.in_order()[1:], tmp_path)


@pytest.mark.parametrize(
    ("backend", "every", "solutions"),
    [
        pytest.param("cp-sat", [], 7, marks=pytest.mark.thorough),
        pytest.param("cp", [], 7, marks=pytest.mark.thorough),
        ("sat", ["--symmetry", "none"], 28),
        ("cover", [], 7),
    ],
)
def test_the_option(tmp_path: Path, backend: str, every: list[str], solutions: int) -> None:
    directory = tmp_path / "deep" / "certificate"
    words = ["pentomino", "--board", "5x3", "--subset", "--backend", backend, "--certify", str(directory), *every]
    done = run(RUN, *words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["seconds"]["certify"] > 0
    assert f"{solutions} solutions up to symmetry and 28 in all" in check(directory)
    assert [path.name for path in directory.parent.iterdir()] == ["certificate"]


def test_a_model_from_a_file(tmp_path: Path, formula: Path) -> None:
    printed(str(formula), "--certify", str(tmp_path / "certificate"))
    assert "3 in all" in check(tmp_path / "certificate")
    assert (tmp_path / "certificate" / "model.lrat.xz").exists()


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    sentence = f"cannot write to {tmp_path}: it is not empty; choose another folder"
    assert refusal("magic", "--certify", str(tmp_path)) == sentence
    for name in ("file", "file/certificate", "/proc/certificate"):
        assert "choose another folder" in refusal("magic", "--certify", str(tmp_path / name))
    for words in (["--limit", "1"], ["--count-only"]):
        assert f"and {words[0]} does not" in refusal("magic", "--certify", str(tmp_path / "new"), *words)
    (tmp_path / "file").unlink()
    assert not list(tmp_path.iterdir())


def test_intervals(tmp_path: Path) -> None:
    """Constraints that only CP-SAT takes as they are get clauses like others."""

    def apart(model: CpModel, *starts: IntVar) -> None:
        model.add_no_overlap(model.new_fixed_size_interval_var(start, 2, "") for start in starts)

    certified(tmp_path / "certificate", lambda: declared.puzzle({"x": (0, 3), "y": (0, 3)}, apart))
    assert "6 in all" in check(tmp_path / "certificate")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sign", "code"),
    [
        (signal.SIGTERM, 143),
        (signal.SIGINT, 130),
        (signal.SIGKILL, -9),
    ],
)
def test_an_end_in_the_middle(tmp_path: Path, sign: signal.Signals, code: int) -> None:
    directory = tmp_path / "certificate"
    process = start(RUN, "checker", "--backend", "cover", "--certify", str(directory))
    wait_for(lambda: any(tmp_path.glob("*.part/checker.cnf")))
    time.sleep(0.3)
    process.send_signal(sign)
    began = time.perf_counter()
    _, err = process.communicate(timeout=60)
    assert time.perf_counter() - began < on_this_load(3)
    assert process.returncode == code
    assert not directory.exists()
    if sign is not signal.SIGKILL:
        assert err.endswith("there is no certificate\n")
        assert not list(tmp_path.iterdir())


COVER = ("pentomino", "--board", "5x3", "--subset", "--backend", "cover")


@pytest.mark.parametrize(
    ("words", "size"),
    [
        pytest.param(["magic"], 1_000, marks=pytest.mark.thorough),
        (["magic"], 60_000),
        pytest.param(["magic"], 300_000, marks=pytest.mark.thorough),
        (COVER, 90_000),
    ],
)
def test_a_full_disk(tmp_path: Path, words: Sequence[str], size: int) -> None:
    """The list of solutions does not fit, the formula, CaDiCaL's own proof, or the proof."""
    with full_disk(size):
        said = complaint(*words, "--certify", str(tmp_path / "certificate"))
    assert re.search("an error in writing .*there is no certificate\n$", said)
    assert not list(tmp_path.iterdir())


def fake_checker(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    """Put a program in the place of the checker."""
    folder.mkdir()
    (folder / "__main__.py").write_text(program)
    monkeypatch.setattr("solvers.extras.evidence.checker.__file__", str(folder / "__init__.py"))


RING = ("magic", "--kind", "ring", "--backend", "sat", "--jobs", "1")


def test_a_proof_that_is_damaged_gets_no_grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_apart = certificate.check_apart

    def damage(directory: Path) -> None:
        os.truncate(directory / "magic.lrat.xz", 1000)
        check_apart(directory)

    monkeypatch.setattr(certificate, "check_apart", damage)
    done = run(RUN, *RING, "--certify", str(tmp_path / "proof"), "--json")
    assert (done.returncode, done.stdout) == (SHOULD_NEVER_HAPPEN, "")
    assert re.search("the checker refuses what was written: .* does not match its fingerprint\n$", done.stderr)
    assert not list(tmp_path.iterdir())


def not_checked(tmp_path: Path, *words: str, code: int = INCOMPLETE) -> str:
    """What is said by a run that leaves a right certificate, and does not say that it was checked."""
    done = run(RUN, *RING, "--certify", str(tmp_path / "proof"), "--json", *words)
    assert done.returncode == code, done.stderr
    report = json.loads(done.stdout)
    told = report["evidence"]
    assert (told["certificate"], told["certified"], told["grade"]) == (UNCHECKED, False, "listed and checked")
    assert (report["complete"], told["taken_on_trust"]) == (True, ["that no solution was left out"])
    assert "48 in all" in check(tmp_path / "proof")
    return done.stderr


@pytest.mark.parametrize("end", ["sys.exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_checker_without_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    fake_checker(monkeypatch, tmp_path / "fake", f"import os, sys\n{end}\n")
    said = not_checked(tmp_path)
    assert re.search("ended by a lack of memory .*; the certificate is written, not checked\n$", said)


@pytest.mark.thorough
def test_a_check_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_checker(monkeypatch, tmp_path / "fake", "import time\ntime.sleep(60)\n")
    said = not_checked(tmp_path, "--time-limit", "4")
    assert re.search("ended by the time limit .*; the certificate is written, not checked\n$", said)


def test_without_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_checker(monkeypatch, tmp_path / "fake", "raise AssertionError")
    assert not_checked(tmp_path, "--no-check", code=DONE) == ""
    assert refusal(*RING, "--no-check") == "--no-check needs --certify; add it, or leave out --no-check"


@pytest.mark.thorough
def test_an_end_in_the_check(tmp_path: Path) -> None:
    """The checker ends with the run, and with all that it has started."""
    program, begun = tmp_path / "cake_lpr", tmp_path / "begun"
    program.write_text(f"#!/bin/sh\necho $$ > '{begun}.part'\nmv '{begun}.part' '{begun}'\nexec sleep 60\n")
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    process = start(RUN, *RING, "--certify", str(tmp_path / "proof"), env={**os.environ, "PATH": path})
    wait_for(begun.exists)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert re.search("  certificate +written, not checked\n", shown)
    assert said.endswith("; the certificate is written, not checked\n")
    wait_for(lambda: not Path(f"/proc/{begun.read_text().strip()}").exists(), 5)


@pytest.mark.slow
@NEEDS_ACL2
def test_all_pentominoes_on_6x10(tmp_path: Path) -> None:
    """Minutes, and 6 GB for ACL2."""
    certified(tmp_path / "certificate", pentomino, "cover")
    assert "2339 solutions up to symmetry and 9356 in all, and there are no others" in check(tmp_path / "certificate")
    assert "s VERIFIED" in acl2(tmp_path / "certificate", timeout=1800)


def test_a_certificate_needs_no_belief(tmp_path: Path) -> None:
    report = report_of("dissection", "--region", "square-2", "--certify", str(tmp_path / "proof"))
    assert report["symmetry_proved"] is True


def test_what_does_not_go_together() -> None:
    assert "--unique does not" in refusal("magic", "--unique", "--certify", "nowhere")
