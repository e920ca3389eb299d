"""Paths of the files that extras read and write."""

from pathlib import Path

import pytest

from tests.support.command import printed


@pytest.mark.parametrize("option", ["--solutions", "--svg", "--certify"])
def test_links_that_lead_nowhere_yet(option: str, formula: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("there")
    printed(str(formula), option, str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").exists()
