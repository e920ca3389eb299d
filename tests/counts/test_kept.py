"""Kept counts: their answers against brute force, and files that are damaged or of something else."""

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Collection
from importlib.util import find_spec
from pathlib import Path
from signal import SIGINT, SIGTERM
from threading import Event
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
from solvers.base.endings import DONE, INCOMPLETE, INTERRUPTED, TERMINATED
from solvers.base.errors import BudgetError, CheckError
from solvers.base.tuning import tuned
from solvers.extras.counts.counting.formula import Compiled
from solvers.extras.counts.counting.frontier import Frontier
from solvers.extras.counts.kept.compiled import of_formula
from solvers.extras.counts.kept.file import KeptCount
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.run import main
from solvers.symmetry.key import Key
from tests.support import declared
from tests.support.command import complaint, printed, refusal, run, start, told, wait_for
from tests.support.covers import covers, of_model
from tests.support.declared import BOOLEAN
from tests.support.random_models import brute_force, random_puzzle

MODULE = "solvers.extras.counts.kept.__main__"


MAX_ALL_DRAWN = 6
"""So few solutions are all among 150 samples, but for a chance of one in 10**11."""

needs_d4 = pytest.mark.skipif(find_spec("py_d4") is None, reason="needs d4Solver, of the extra count")


def kept(puzzle: Puzzle, path: Path, backend: str = "cover") -> KeptCount:
    solve(puzzle, jobs=1, backend=backend).save(path, output="keep")
    return KeptCount(path, puzzle)


def compared(asked: KeptCount, solutions: Collection[tuple[int, ...]], chance: random.Random) -> None:
    """Every kind of answer, for random facts, with what these solutions give: the values of all labels, in order."""
    key = asked.key
    values = [[value for low, high in domain for value in range(low, high + 1)] for domain in key.domains]
    assert asked.total == asked.count() == len(solutions)
    facts, left = list[Any](), [*solutions]
    for place in chance.sample(range(len(values)), chance.randint(0, min(4, len(values)))):
        value = chance.choice(chance.choice([[one[place] for one in left], values[place]]) or values[place])
        label, is_excluded = key.labels[place], chance.random() < 0.2
        facts.append(f"{label} != {value}" if is_excluded else (label, value))
        left = [one for one in left if (one[place] == value) != is_excluded]
    assert asked.count(facts) == len(left)
    marginals = asked.marginals(facts)
    for place, label in enumerate(key.labels):
        for value in values[place]:
            assert marginals[label, value] == sum(one[place] == value for one in left)
    weights = {label: chance.choice((0, 0, 1, 3)) for label in key.labels}
    sums = Counter(sum(w * value for w, value in zip(weights.values(), one, strict=True)) for one in left)
    assert asked.by(weights.__getitem__, facts) == sums
    drawn = {tuple(sample[label] for label in key.labels) for sample in asked.sample(150, facts)}
    assert drawn <= {*left}
    assert bool(drawn) == bool(left)
    assert drawn == {*left} or len(left) > MAX_ALL_DRAWN


@pytest.mark.slow
@given(model=covers, seed=st.integers(0, 2**20))
@settings(max_examples=60, deadline=None)
def test_random_covers(tmp_path_factory: pytest.TempPathFactory, model: CpModel, seed: int) -> None:
    asked = kept(of_model(model), tmp_path_factory.mktemp("kept") / "count")
    compared(asked, brute_force(model), random.Random(seed))


@pytest.mark.thorough
@needs_d4
@pytest.mark.parametrize(
    "seeds",
    [
        range(3, 20),
    ],
)
def test_random_formulas(tmp_path: Path, seeds: range) -> None:
    """Objectives, hidden variables, domains with holes, every kind of constraint; some have no solution."""
    for seed in seeds:
        puzzle = random_puzzle(seed)
        assert isinstance(puzzle.model, CpModel)
        solve(puzzle, jobs=1, symmetry="none").save(tmp_path / "count", output="keep")
        places = Key(puzzle.model, puzzle.key).variables
        solutions = {tuple(values[place] for place in places) for values in brute_force(puzzle.model)}
        compared(KeptCount(tmp_path / "count", puzzle), solutions, random.Random(seed))


@pytest.mark.slow
@needs_d4
def test_formulas_of_few_words(tmp_path: Path) -> None:
    """No constraint, none that can hold, a wide domain with a hole, one solution, one label twice, and tasks."""
    wide = [-3, -2, 1, 1, 900, 1400]

    def tasks(model: CpModel, *starts: Any) -> None:
        model.add_no_overlap([model.new_fixed_size_interval_var(start, 2, "") for start in starts])

    for rules, domains, total in (
        ([], {"a": BOOLEAN, "b": BOOLEAN, "c": [0, 3]}, 16),
        ([lambda model, a: model.add_bool_or([])], {"a": BOOLEAN}, 0),
        ([lambda model, a, b: model.add(a + b >= 1380)], {"a": wide, "b": [0, 1]}, 43),
        ([lambda model, a, b: model.add(a + b == 8)], {"a": [0, 4], "b": [0, 4]}, 1),
        ([lambda model, *three: model.add_all_different(three)], {"a": [1, 3], "b": [1, 3], "c": [1, 3]}, 6),
        (
            [lambda model, a, b: model.maximize(a + b), lambda model, a, b: model.add(a + b < 8)],
            {"a": [0, 6], "b": [0, 6]},
            6,
        ),
        ([tasks], {"a": [0, 4], "b": [0, 4]}, 12),
    ):
        puzzle = declared.puzzle(domains, *rules)
        solutions = [tuple(one[label] for label in domains) for one in solve(puzzle, symmetry="none", jobs=1)]
        assert len(solutions) == total
        for seed in range(2):
            compared(kept(puzzle, tmp_path / "count", "auto"), solutions, random.Random(seed))


@needs_d4
def test_numbers_of_a_formula_beyond_machine_words(tmp_path: Path) -> None:
    """The run itself compiles the formula, and its symmetries are counted with D4 as well."""
    (tmp_path / "free.cnf").write_text("p cnf 100 1\n1 2 0\n")
    path = tmp_path / "free.kept"
    words = [str(tmp_path / "free.cnf"), "--count-only", "--method", "counter", "--keep", str(path)]
    assert told(*words)["total"] == 3 * 2**98
    asked = KeptCount(path)
    assert asked.count([(1, 1)]) == 2**99
    assert asked.marginals([(1, 0)])[2, 1] == 2**98
    by = asked.by(lambda _: 1)
    assert (by[1], by[100], sum(by.values())) == (2, 1, asked.total)
    assert len({str(sample) for sample in asked.sample(20)}) == 20
    with pytest.raises(InputError, match="the sums of this property are too large"):
        asked.by(lambda _: 10**12)


SHOWN = "o 1 0\na 2 0\nt 3 0\n"


@pytest.mark.parametrize(
    ("nnf", "said"),
    [
        ("o 1 0\nt 2 0\n1 2 2 3 0\n1 2 3 4 0\n", "branches may hold together"),
        pytest.param(
            "o 1 0\nt 2 0\n1 2 2 0\n1 2 -2 0\n1 2 3 0\n", "branches may hold together", marks=pytest.mark.thorough
        ),
        (f"{SHOWN}2 3 2 0\n2 3 2 0\n1 2 0\n", "share a variable"),
        (f"{SHOWN}2 3 2 -2 0\n1 2 0\n", "share a variable"),
        (f"{SHOWN}2 3 2 0\n1 2 -2 0\n", "share a variable"),
        ("o 1 0\nt 2 0\n1 2 4 -5 0\n", "left open what the formula determines"),
        ("o 1 0\nt 2 0\n1 2 2 4 -5 -6 0\n1 2 -2 4 -5 0\n", "left open what the formula determines"),
        ("o 1 0\nt 2 0\n1 2 7 0\n", "no d-DNNF of the variables that are shown"),
        (f"{SHOWN}1 2 0\n2 3 2 0\n", "no d-DNNF"),
        ("o 1 0\nt 2 0\n1 3 2 0\n", "no d-DNNF"),
        ("o 1 0\n1 1 2 0\n", "no d-DNNF"),
        ("t 1 0\nt 2 0\n1 2 2 0\n", "a constant that has parts"),
        ("or 1 0\n", "no d-DNNF"),
        ("o 1 0\nt 2 0\n1 2 x 0\n", "no d-DNNF"),
        ("", "no d-DNNF"),
    ],
)
def test_graphs_that_are_no_smooth_ddnnf(nnf: str, said: str) -> None:
    """Of two free variables, 2 and 3, and a choice of 4, 5 and 6, which an integer has for its values."""
    puzzle = declared.puzzle({"a": BOOLEAN, "b": BOOLEAN, "c": [1, 3]})
    assert isinstance(puzzle.model, CpModel)
    key = Key(puzzle.model, puzzle.key)
    with pytest.raises(CheckError, match=said):
        of_formula(nnf, [2, -2, 3, -3, 4, 5, 6], [], key, Event())


@needs_d4
def test_a_graph_of_other_solutions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a d-DNNF, but does not have as many solutions as the run."""
    puzzle = declared.puzzle({"a": BOOLEAN, "b": BOOLEAN}, lambda model, a, b: model.add_bool_or(a, b))
    other = Compiled(3, "o 1 0\nt 2 0\n1 2 2 0\n", [2, -2, 3, -3], [])
    monkeypatch.setattr("solvers.extras.counts.kept.file.compile_model", lambda *_: other)
    with pytest.raises(CheckError, match="3 solutions were counted, but 2 are kept"):
        kept(puzzle, tmp_path / "count", "auto")
    assert not [*tmp_path.iterdir()]


@pytest.mark.thorough
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_numbers_beyond_machine_words(tmp_path: Path) -> None:
    result = solve(packing("2x100", "dominoes x*"), backend="cover", count_only=True, symmetry="none", jobs=1)
    path = tmp_path / "count"
    with pytest.raises(InputError, match="only counted"):
        result.save(path, output="keep")
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
    for more, said in (
        (["--pieces", "X"], "no piece is called 'X'; choose I1, I2"),
        (["--cell", "9 9"], "nothing can lie on '9 9'"),
        (["--cell", "a"], "'a' is not a cell"),
        (["--cell", ""], "nothing can lie on ''"),
        (["--given", "nothing=1"], "nothing"),
    ):
        assert said in refusal(str(path), *more, module=MODULE)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Lets a text, as a program, take the place of D4."""

    def written(text: str) -> None:
        (tmp_path / "program.py").write_text(text)

    monkeypatch.setattr("solvers.extras.counts.counting.formula_counters.__file__", str(tmp_path / "program.py"))
    return written


@needs_d4
@pytest.mark.parametrize("words", [[], ["--method", "counter", "--count-only"]])
def test_compilers_that_do_not_answer(tmp_path: Path, program: Callable[[str], None], words: list[str]) -> None:
    """Neither a file nor a part of one is left; without `--method` the solutions are told all the same."""
    folder = tmp_path / "kept"
    folder.mkdir()
    words = ["magic", "--kind", "ring", "--symmetry", "none", *words, "--keep", str(folder / "count")]
    program("import time; time.sleep(60)")
    assert "ended by the time limit" in complaint(*words, "--time-limit", "2")
    program("raise MemoryError")
    assert "ended by a failure of D4's compiler, perhaps for lack of memory, after" in complaint(*words)
    program("print(48)")
    told = run("solvers.run", *words)
    assert (told.returncode, "48 solutions were counted, but 0 are kept" in told.stderr) == (1, True)
    assert not [*folder.iterdir()]


@pytest.mark.thorough
def test_what_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["magic", "--keep", str(tmp_path / "count")]
    with tuned(EXTRAS_TUNING, max_kept_literals=80):
        assert "magic is not an exact cover, and its key has 81 literals; --keep takes at most 80" in refusal(*words)
    monkeypatch.setattr("solvers.extras.counts.kept.file.is_installed", lambda: False)
    assert refusal(*words) == "magic is not an exact cover, so --keep needs D4: pip install '.[count]'"
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
    for changed in (nameless, {**facts, "total": "7"}, {**facts, "inputs": 7}):
        text = np.frombuffer(json.dumps(changed).encode(), dtype=np.uint8)
        with path.open("wb") as stream:
            np.savez_compressed(stream, facts=text, **arrays)
        with pytest.raises(InputError, match=r"is damaged, or was not written by --keep"):
            KeptCount(path)
    with path.open("wb") as stream:
        np.savez_compressed(stream, facts=np.frombuffer(json.dumps({"format": 2}).encode(), dtype=np.uint8))
    with pytest.raises(InputError, match=r"^\S+ was written by another version of kazoeru; count again with --keep$"):
        KeptCount(path)
    path.write_bytes(data)
    with pytest.raises(InputError, match="was written for another version of the model"):
        KeptCount(path, packing("2x6", "dominoes x*"))
    with pytest.raises(InputError, match="there is no file"):
        KeptCount(tmp_path / "none")


BEGUN = """
import runpy, pathlib
from solvers.extras.counts.kept.file import KeptCount
sample = KeptCount.sample
def noted(*arguments, **options):
    pathlib.Path(__file__).with_suffix("").touch()
    return sample(*arguments, **options)
KeptCount.sample = noted
runpy.run_module("solvers", run_name="__main__", alter_sys=True)
"""
"""Runs `solvers`, and leaves a file once it draws samples."""


@pytest.mark.slow
def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "count"
    kept(packing("2x4", "dominoes x*"), path)
    (tmp_path / "begun.py").write_text(BEGUN)
    process = start("begun", "kept", str(path), "--sample", "1000000", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    wait_for((tmp_path / "begun").exists)
    process.send_signal(SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (INTERRUPTED, "", f"kazoeru: {path}: ended by Ctrl-C\n")


COMPILING = """
import runpy, pathlib
from solvers.extras.counts.counting import formula_counters
formula_counters.__file__ = __file__.replace("compiling", "slow")
runpy.run_module("solvers", run_name="__main__", alter_sys=True)
"""
"""Runs `solvers` with another program in the place of D4."""

SLOW = """
import pathlib, time
pathlib.Path(__file__).with_suffix("").touch()
time.sleep(60)
"""


@pytest.mark.thorough
@needs_d4
@pytest.mark.parametrize(("signal", "code"), [(SIGINT, INTERRUPTED), (SIGTERM, TERMINATED)])
def test_a_signal_ends_the_compiler(tmp_path: Path, signal: int, code: int) -> None:
    (tmp_path / "compiling.py").write_text(COMPILING)
    (tmp_path / "slow.py").write_text(SLOW)
    words = ["run", "magic", "--kind", "ring", "--keep", str(tmp_path / "count")]
    process = start("compiling", *words, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    wait_for((tmp_path / "slow").exists)
    process.send_signal(signal)
    _, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert err.endswith(f"{tmp_path / 'count'} was not written\n")
    assert not [*tmp_path.glob("count*")]


@pytest.mark.thorough
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
