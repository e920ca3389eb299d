"""Kept counts: their answers against brute force, and files that are damaged or of something else."""

import json
import os
import random
from collections import Counter
from pathlib import Path
from signal import SIGINT
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.endings import DONE, INCOMPLETE, INTERRUPTED
from solvers.errors import BudgetError
from solvers.extras.counting.frontier import Frontier
from solvers.extras.kept.file import KeptCount, KeptFile
from solvers.library import write_output
from solvers.run import main
from tests.support.command import printed, refusal, run, start, told, wait_for
from tests.support.covers import covers, of_model
from tests.support.random_models import brute_force

MODULE = "solvers.extras.kept.__main__"


def kept(puzzle: Puzzle, path: Path) -> KeptCount:
    write_output(solve(puzzle, jobs=1, backend="cover"), KeptFile(str(path)))
    return KeptCount(path, puzzle)


@pytest.mark.thorough
@given(model=covers, seed=st.integers(0, 2**20))
@settings(max_examples=60, deadline=None)
def test_random_covers(tmp_path_factory: pytest.TempPathFactory, model: CpModel, seed: int) -> None:
    chance, size = random.Random(seed), len(model.proto.variables)
    asked = kept(of_model(model), tmp_path_factory.mktemp("kept") / "count")
    solutions = [*brute_force(model)]
    assert asked.total == asked.count() == len(solutions)
    literals = [(n, chance.randrange(2)) for n in chance.sample(range(size), chance.randint(0, size))]
    left = [values for values in solutions if all(values[n] == value for n, value in literals)]
    assert asked.count(literals) == len(left)
    marginals = asked.marginals(literals)
    assert all(marginals[n, 1] == sum(values[n] for values in left) for n in range(size))
    weights = [chance.choice((0, 0, 1, 3)) for _ in range(size)]
    sums = Counter(sum(w for w, value in zip(weights, values, strict=True) if value) for values in left)
    assert asked.by(lambda n: weights[n], literals) == sums
    drawn = {tuple(sample[n] for n in range(size)) for sample in asked.sample(40, literals)}
    assert drawn <= {*map(tuple, left)}
    assert bool(drawn) == bool(left)


def test_samples_are_fair(tmp_path: Path) -> None:
    asked = kept(packing("2x4", "dominoes x*"), tmp_path / "count")
    drawn = Counter(str(sample) for sample in asked.sample(1000, seed=1))
    assert len(drawn) == asked.total == 5
    assert all(150 < number < 250 for number in drawn.values())


def test_what_contradicts_all_that_is_fixed(tmp_path: Path) -> None:
    """There is one solution, so the graph of the count has no edges."""
    asked = kept(packing("1x2", "dominoes x*"), tmp_path / "count")
    (label,) = asked.puzzle.key
    for facts, total in (([], 1), ([(label, 1)], 1), ([(label, 0)], 0)):
        assert asked.count(facts) == asked.marginals(facts)[label, 1] == total
        assert len(asked.sample(2, facts)) == 2 * total
        assert asked.by(lambda _: 1, facts) == ({1: 1} if total else {})


@pytest.mark.thorough
def test_what_runs_count_with_something_given(tmp_path: Path) -> None:
    """Literals, what lies on a cell, and what does not."""
    puzzle = pentomino("3x20")
    asked, label = kept(puzzle, tmp_path / "count"), next(iter(puzzle.key))
    every: list[list[Any]] = [
        [(label, 1)],
        ["row 1 column 1 = U"],
        ["row 1 column 1 != U"],
        ["row 2 column 1 = U", (label, 0)],
    ]
    for facts in every:
        assert asked.count(facts) == solve(puzzle, given=facts, symmetry="none", jobs=1).total


@pytest.mark.thorough
def test_numbers_beyond_machine_words(tmp_path: Path) -> None:
    result = solve(packing("2x100", "dominoes x*"), backend="cover", count_only=True, symmetry="none", jobs=1)
    path = tmp_path / "count"
    with pytest.raises(InputError, match="only counted"):
        write_output(result, KeptFile(str(path)))
    words = ["packing", "--board", "2x100", "--pieces", "dominoes x*", "--backend", "cover", "--count-only"]
    printed(*words, "--keep", str(path))
    asked = KeptCount(path)
    assert asked.total == asked.count() == result.total == 573147844013817084101  # a Fibonacci number
    upright = asked.by(lambda label: int(label[1][0][1] == label[1][1][1]))
    assert (upright[100], sum(upright.values())) == (1, asked.total)
    assert max(asked.marginals().values()) < asked.total


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "count"
    words = ["packing", "--board", "3x3", "--pieces", "dominoes x* + monomino x*", "--backend", "cover"]
    printed(*words, "--count-only", "--keep", str(path))
    answer = told(str(path), "--pieces", "I1", module=MODULE)
    assert (answer["total"], answer["pieces"]) == (131, {"1": 18, "3": 56, "5": 44, "7": 12, "9": 1})
    assert len({*answer["checksums"].values()}) == 2
    words = ["--given", "row 2 column 2 = I1", "--cell", "1 1", "--sample", "1", "--marginals"]
    shown = printed(str(path), *words, module=MODULE)
    assert shown.startswith("47 of 131 solutions in all, ")
    assert "┌" in shown
    for more, complaint in (
        (["--pieces", "X"], "no piece is called 'X'; choose I1, I2"),
        (["--cell", "9 9"], "nothing can lie on '9 9'"),
        (["--cell", "a"], "'a' is not a cell"),
        (["--cell", ""], "nothing can lie on ''"),
        (["--given", "nothing=1"], "nothing"),
    ):
        assert complaint in refusal(str(path), *more, module=MODULE)


def test_what_cannot_be_kept(tmp_path: Path) -> None:
    assert "magic is not an exact cover" in refusal("magic", "--keep", str(tmp_path / "count"))
    done = run("solvers.run", "pentomino", "--given", "row 1 column 1 = U", "--keep", str(tmp_path / "count"))
    assert "leave out --given" in done.stderr
    done = run("solvers.run", "pentomino", "--board", "3x20", "--limit", "1", "--keep", str(tmp_path / "count"))
    assert not [*tmp_path.iterdir()]


def test_files_that_keep_no_count(tmp_path: Path) -> None:
    path, puzzle = tmp_path / "count", packing("2x4", "dominoes x*")
    kept(puzzle, path)
    data = path.read_bytes()
    for wrong in (b"", data[: len(data) // 2], data[:300] + b"????" + data[304:], b"text\n"):
        path.write_bytes(wrong)
        with pytest.raises(InputError, match=r"is damaged, or was not written by --keep"):
            KeptCount(path)
    path.write_bytes(data)
    with np.load(path) as stored:
        arrays = {**stored}
    facts = json.loads(arrays.pop("facts").tobytes())
    nameless = {name: fact for name, fact in facts.items() if name != "puzzle"}
    for changed in (nameless, {**facts, "total": "7"}, {**facts, "chosen": [0]}):
        text = np.frombuffer(json.dumps(changed).encode(), dtype=np.uint8)
        with path.open("wb") as stream:
            np.savez_compressed(stream, facts=text, **arrays)
        with pytest.raises(InputError, match=r"is damaged, or was not written by --keep"):
            KeptCount(path)
    path.write_bytes(data)
    with pytest.raises(InputError, match="was written for another version of the model"):
        KeptCount(path, packing("2x6", "dominoes x*"))
    with pytest.raises(InputError, match="there is no file"):
        KeptCount(tmp_path / "none")


BEGUN = """
import runpy, pathlib
from solvers.extras.kept.file import KeptCount
sample = KeptCount.sample
def noted(*arguments, **options):
    pathlib.Path(__file__).with_suffix("").touch()
    return sample(*arguments, **options)
KeptCount.sample = noted
runpy.run_module("solvers", run_name="__main__", alter_sys=True)
"""
"""Runs `solvers`, and leaves a file once it draws samples."""


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "count"
    kept(packing("2x4", "dominoes x*"), path)
    (tmp_path / "begun.py").write_text(BEGUN)
    process = start("begun", "kept", str(path), "--sample", "1000000", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    wait_for((tmp_path / "begun").exists)
    process.send_signal(SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (INTERRUPTED, "", f"kazoeru: {path}: ended by Ctrl-C\n")


def test_layers_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run by layers hands them over; one that lists, and one without memory for all layers, do not."""
    counts, whole = list[bool](), Frontier.count

    def counted(frontier: Frontier, *arguments: Any) -> int:
        counts.append(frontier._keep)
        return whole(frontier, *arguments)

    monkeypatch.setattr(Frontier, "count", counted)
    path = tmp_path / "3x5.kept"
    words = ["pentomino", "--board", "3x5", "--subset", "--backend", "cover", "--jobs", "1", "--keep", str(path)]
    assert main([*words, "--count-only"]) == DONE
    assert KeptCount(path).total == 28
    assert counts.count(True) == 1
    counts.clear()
    assert main(words) == DONE
    assert counts == [True]

    def refused(frontier: Frontier, *arguments: Any) -> int:
        if frontier._keep:
            raise BudgetError("there is")
        return whole(frontier, *arguments)

    monkeypatch.setattr(Frontier, "count", refused)
    assert main([*words, "--count-only", "--json"]) == INCOMPLETE
    said = capsys.readouterr()
    assert '"total": 28' in said.out
    assert "pentomino: ended by there is after" in said.err
    assert said.err.endswith("3x5.kept was not written\n")
