"""Models in MiniZinc against Gecode."""

from pathlib import Path

import pytest

from solvers import solve
from tests.support.minizinc import needed, with_gecode
from tests.support.minizinc_models import MODELS
from tests.support.random_minizinc import random_model


@pytest.mark.parametrize("name", MODELS)
def test_gecode_finds_as_many(name: str, tmp_path: Path) -> None:
    needed()
    path = tmp_path / f"{name}.mzn"
    path.write_text(MODELS[name])
    found = with_gecode(path)
    result = solve(path, jobs=1)
    assert result.complete
    assert result.total == len(found)


@pytest.mark.parametrize("seed", range(3))
def test_random_models(seed: int, tmp_path: Path) -> None:
    needed()
    path = tmp_path / "random.mzn"
    path.write_text(random_model(seed))
    found = with_gecode(path)
    for arguments in ({}, {"backend": "sat", "decompose": True}, {"backend": "cp", "decompose": True}):
        assert solve(path, jobs=1, **arguments).total == len(found)
