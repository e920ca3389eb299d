"""Paths of the files that extras read and write."""

from pathlib import Path

import pytest

from solvers import InputError, solve
from tests.support.command import RUN, refusal, run
from tests.support.own_models import FORMULA, write


def test_compare_and_the_library(formula: Path, tmp_path: Path) -> None:
    for option, name in (("--csv", formula), ("--plot", tmp_path / "link.svg")):
        if name != formula:
            name.symlink_to(formula)
        assert "would overwrite" in refusal(str(formula), option, str(name), module="solvers.compare")
    done = run("solvers.compare", str(formula), "--csv", str(tmp_path / "a.svg"), "--plot", str(tmp_path / "a.svg"))
    assert (done.returncode, "two outputs" in done.stderr) == (2, True)
    log = write(tmp_path / "store-wal", "1=1")
    with pytest.raises(InputError, match="would overwrite"):
        solve(formula, given=str(log), store=tmp_path / "store", jobs=1)
    assert (formula.read_text(), log.read_text()) == (FORMULA, "1=1")


def test_links_that_lead_nowhere_yet(formula: Path, tmp_path: Path) -> None:
    for option in ("--solutions", "--svg", "--certify"):
        link = tmp_path / f"link{option}"
        link.symlink_to(f"there{option}")
        assert run(RUN, str(formula), option, str(link)).returncode == 0
        assert link.is_symlink()
        assert (tmp_path / f"there{option}").exists()
