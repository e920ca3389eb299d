"""FlatZinc that is written, as Gecode and our own reader take it."""

import random
import subprocess
from pathlib import Path

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import export_model, solve
from solvers.files.catalogue import find
from tests.attack.models import random_model
from tests.support.minizinc import needed


def drawn(seed: int) -> Puzzle:
    rng = random.Random(seed)
    model = random_model(rng, objectives=False)
    numbers = range(len(model.proto.variables))
    some = sorted(rng.sample(numbers, rng.randint(1, len(numbers))))
    return Puzzle("drawn", {}, model, {number: model.get_int_var_from_proto_index(number) for number in some})


def by_gecode(path: Path) -> int:
    """How many different solutions Gecode prints."""
    done = subprocess.run(["fzn-gecode", "-a", str(path)], capture_output=True, text=True, check=True)
    return len({*done.stdout.split("----------\n")[:-1]})


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 100), marks=pytest.mark.thorough)])
def test_random_models(seeds: range, tmp_path: Path) -> None:
    needed()
    path = tmp_path / "model.fzn"
    for seed in seeds:
        puzzle = drawn(seed)
        total = solve(puzzle, symmetry="none", jobs=1).total
        export_model(puzzle, path, all=True)
        assert solve(path, jobs=1).total == total, seed
        assert by_gecode(path) == total, seed


@pytest.mark.parametrize(
    ("name", "parameters", "solutions"),
    [("magic", {}, 8), ("magic", {"kind": "ring"}, 48), pytest.param("dissection", {}, 2, marks=pytest.mark.thorough)],
)
def test_puzzles(name: str, parameters: dict[str, str], solutions: int, tmp_path: Path) -> None:
    needed()
    path = tmp_path / "model.fzn"
    export_model(find(name).declare(**parameters), path, all=True)
    assert solve(path, jobs=1).total == solutions
    assert by_gecode(path) == solutions


@pytest.mark.thorough
def test_best_value(tmp_path: Path) -> None:
    path = tmp_path / "model.fzn"
    export_model("matchsticks", path)
    assert "solve minimize" in path.read_text()
    assert solve(path, jobs=1).solutions == 1


@pytest.mark.parametrize("kind", ["integer", "floating"])
def test_the_best_value_is_the_same(kind: str, tmp_path: Path) -> None:
    """Of what is maximised, too, with what is added to it."""
    model = CpModel()
    x, y = (model.new_int_var(0, 5, name) for name in "xy")
    model.add(x + 2 * y <= 7)
    model.maximize(3 * x + y - 4 if kind == "integer" else 3.0 * x + y - 4.0)
    own = Puzzle("own", {}, model, {"x": x, "y": y})
    path = tmp_path / "model.fzn"
    export_model(own, path)
    assert "solve maximize" in path.read_text()
    assert solve(path, jobs=1).report.objective == solve(own, jobs=1).report.objective == 12
