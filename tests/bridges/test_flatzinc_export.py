"""FlatZinc that is written, as Gecode and our own reader take it."""

import subprocess
from pathlib import Path

import pytest

from solvers import export, solve
from solvers.files.catalogue import find
from tests.support import declared
from tests.support.random_models import random_puzzle


def by_gecode(path: Path) -> int:
    """How many different solutions Gecode prints."""
    done = subprocess.run(["fzn-gecode", "-a", str(path)], capture_output=True, text=True, check=True)
    return len({*done.stdout.split("----------\n")[:-1]})


@pytest.mark.parametrize(
    "source",
    [
        *range(6),
        *(pytest.param(source, marks=pytest.mark.thorough) for source in (*range(6, 14), "dissection")),
        "magic",
    ],
)
@pytest.mark.usefixtures("minizinc")
def test_there_are_as_many_solutions(source: int | str, tmp_path: Path) -> None:
    """Of puzzles by their names, and of random models by their seeds."""
    puzzle = find(source).declare() if isinstance(source, str) else random_puzzle(source, objectives=False)
    path = tmp_path / "model.fzn"
    export(puzzle, path, symmetry="none")
    total = solve(puzzle, symmetry="none", jobs=1).total
    assert solve(path, jobs=1).total == by_gecode(path) == total


@pytest.mark.parametrize(
    ("way", "three", "four"), [("maximize", 3, 4), ("maximize", 3.0, 4.0), ("minimize", -3, -4), ("minimize", -3.0, -4)]
)
def test_the_best_value_is_the_same(way: str, three: float, four: float, tmp_path: Path) -> None:
    """With what is added to it."""
    own = declared.puzzle(
        dict.fromkeys("xy", (0, 5)),
        lambda model, x, y: model.add(x + 2 * y <= 7),
        lambda model, x, y: getattr(model, way)(three * x + (y if way == "maximize" else -y) - four),
    )
    path = tmp_path / "model.fzn"
    export(own, path)
    assert f"solve {way}" in path.read_text()
    found, same = solve(path, jobs=1), solve(own, jobs=1)
    assert found.report.objective == same.report.objective == (12 if way == "maximize" else -12)
    assert found.solutions == same.solutions == 1
