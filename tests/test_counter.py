"""Counts of formulas, against listing and against another counter."""

import random
import threading
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import InputError, export_model, solve
from solvers.counting.formula import predicted
from solvers.symmetry import conjugacy
from tests.attack.models import random_model
from tests.support.command import run


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"needs {package}, of the extras count and test")


def free(size: int) -> Puzzle:
    """Choices of which one rule concerns two."""
    model = CpModel()
    chosen = [model.new_bool_var(f"x{number}") for number in range(size)]
    model.add_bool_or(chosen[:2])
    return Puzzle("free", {}, model, dict(enumerate(chosen)))


def drawn(seed: int) -> Puzzle:
    """A random model whose key is some of its variables."""
    rng = random.Random(seed)
    model = random_model(rng, objectives=None)
    numbers = range(len(model.proto.variables))
    some = sorted(rng.sample(numbers, rng.randint(1, len(numbers))))
    return Puzzle("drawn", {}, model, {number: model.get_int_var_from_proto_index(number) for number in some})


@needs("pyganak")
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 16), marks=pytest.mark.thorough)])
def test_random_models(seeds: range) -> None:
    for seed in seeds:
        puzzle = drawn(seed)
        listed = solve(puzzle, count_only=True, symmetry="found", method="listing", jobs=1)
        try:
            counted = solve(puzzle, count_only=True, symmetry="found", method="counter", jobs=1)
        except InputError as refusal:
            if conjugacy.command() or "takes GAP for so many symmetries" not in str(refusal):
                raise
            continue
        assert counted.report.method == "counter"
        assert (counted.solutions, counted.total) == (listed.solutions, listed.total), seed
        assert counted.report.objective == listed.report.objective
        assert counted.report.checked == 0


@needs("py_d4")
@needs("pyganak")
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 40), marks=pytest.mark.thorough)])
def test_another_counter_agrees(seeds: range, tmp_path: Path) -> None:
    from py_d4 import Solver

    file = tmp_path / "model.cnf"
    for seed in seeds:
        puzzle = drawn(seed)
        export_model(puzzle, file, all=True)
        total = solve(puzzle, count_only=True, symmetry="none", method="counter", jobs=1).total
        assert int(Solver(str(file)).count().getIntResult()) == total, seed


@needs("pyganak")
def test_free_choices_are_counted_at_once() -> None:
    result = solve(free(30), count_only=True)
    assert (result.report.method, result.total) == ("counter", 3 * 2**28)
    assert result.report.backend.startswith("ganak ")
    assert "checked" not in result.report.as_table()


@needs("pyganak")
def test_symmetries_of_a_puzzle() -> None:
    puzzle = replace(free(12), symmetries=[lambda label, value: ({0: 1, 1: 0}.get(label, label), value)])
    result = solve(puzzle, count_only=True, method="counter")
    assert (result.solutions, result.total, result.report.symmetries) == (2 * 2**10, 3 * 2**10, 2)


def test_few_solutions_are_listed() -> None:
    assert solve(free(8), count_only=True).report.method == "listing"


@pytest.mark.parametrize("size", [3, 10, 24])
def test_predictions(size: int) -> None:
    puzzle = free(size)
    assert isinstance(puzzle.model, CpModel)
    assert predicted(puzzle.model, range(size), 0, threading.Event()) == pytest.approx(3 * 2 ** (size - 2), rel=0.5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": "counter"}, "add --count-only"),
        ({"method": "guess", "count_only": True}, "no method 'guess'"),
        ({"method": "counter", "count_only": True, "marginals": True}, "nothing else"),
        ({"method": "frontier", "count_only": True}, "no exact cover"),
        ({"method": "listing", "limit": 3}, "leave one of them out"),
    ],
)
def test_what_does_not_go_together(arguments: dict[str, object], sentence: str) -> None:
    model = CpModel()
    x = model.new_int_var(0, 5, "x")
    with pytest.raises(InputError, match=sentence):
        solve(Puzzle("five", {}, model, {"x": x}), **arguments)


@needs("pyganak")
def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "free.cnf"
    file.write_text("p cnf 40 1\n1 2 0\n")
    done = run("solvers.run", str(file), "--count-only", "--method", "counter", "--json")
    assert done.returncode == 0, done.stderr
    assert '"method": "counter"' in done.stdout
    assert f'"total": {3 * 2**38}' in done.stdout


@pytest.mark.thorough
def test_counters_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.counting.formula.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install '\.\[count\]'"):
        solve(free(5), count_only=True, method="counter")
    assert solve(free(22), count_only=True, limit=None, time_limit=1).report.method == "listing"
