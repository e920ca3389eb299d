"""Paths of the files that extras read and write."""

from pathlib import Path

import pytest

from solvers import InputError, solve
from tests.support.command import printed, refusal
from tests.support.own_models import FORMULA, write


def test_compare_and_the_library(formula: Path, tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to(formula)
    for option, name in (("--csv", formula), ("--plot", tmp_path / "link.svg")):
        assert "would overwrite" in refusal(str(formula), option, str(name), module="solvers.compare")
    both = [word for option in ("--csv", "--plot") for word in (option, str(tmp_path / "a.svg"))]
    assert "two outputs" in refusal(str(formula), *both, module="solvers.compare")
    log = write(tmp_path / "store-wal", "1=1")
    with pytest.raises(InputError, match="would overwrite"):
        solve(formula, given=str(log), store=tmp_path / "store", jobs=1)
    assert (formula.read_text(), log.read_text()) == (FORMULA, "1=1")


@pytest.mark.parametrize("option", ["--solutions", "--svg", "--certify"])
def test_links_that_lead_nowhere_yet(option: str, formula: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("there")
    printed(str(formula), option, str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").exists()
