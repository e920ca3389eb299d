"""Where a run writes: over nothing that it reads, and nothing twice."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from solvers import solve
from solvers.base.plugs import OUTPUTS
from tests.support.command import refusal
from tests.support.own_models import FORMULA, write
from tests.support.refusals import refused

OFFERED = {"--board", "--given", "--store", *(f"--{output}" for output in OUTPUTS)}
"""The options below that this copy has: wings add outputs."""


def offered(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows all of whose options are offered."""
    return [words for words in rows if OFFERED.issuperset(word for word in words if word.startswith("--"))]


@pytest.mark.parametrize("name", ["model.cnf", "./../{folder}/model.cnf", "soft.cnf", "hard.cnf", "whole.cnf"])
@pytest.mark.parametrize("option", sorted({"--solutions", "--gallery"} & OFFERED, reverse=True))
def test_the_model_is_not_overwritten(name: str, option: str, formula: Path) -> None:
    formula.with_name("soft.cnf").symlink_to(formula)
    formula.with_name("hard.cnf").hardlink_to(formula)
    formula.with_name("whole.cnf.part").symlink_to(formula)
    output = f"{formula.parent}/{name.format(folder=formula.parent.name)}"
    assert f"{option} would overwrite {formula}, which is the model" in refusal(str(formula), option, output)
    assert formula.read_text() == FORMULA


@pytest.mark.parametrize(
    "words",
    offered(
        [
            ["--given", "input", "--solutions", "input"],
            ["--given", "out.part", "--solutions", "out"],
            ["--given", "input", "--store", "input"],
            ["--given", "out-wal", "--store", "out"],
            ["--given", "input", "--marginals", "input"],
            ["--given", "out.json.part", "--marginals", "out.json"],
            ["--board", "input", "--svg", "input"],
            ["--solutions", "a", "--store", "a"],
            ["--solutions", "a", "--store", "link"],
            ["--solutions", "a-wal", "--store", "a"],
            ["--solutions", "a", "--gallery", "a.part"],
            ["--certify", "a", "--svg", "a"],
            ["--certify", "./a", "--svg", "b/../a"],
            ["--svg", "a", "--solutions", "a/found"],
            ["--certify", "link", "--store", "a/store"],
        ]
    ),
)
def test_nothing_is_read_and_written(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "b").mkdir()
    for name in ("input", "out.part", "out-wal", "out.json.part"):
        (tmp_path / name).write_text("F=1")
    before = sorted(tmp_path.iterdir())
    sentence = refusal("pentomino", *(word if word.startswith("--") else str(tmp_path / word) for word in words))
    assert "choose another name" in sentence or "give each a name of its own" in sentence
    assert sorted(tmp_path.iterdir()) == before
    assert {file.read_text() for file in before if file.is_file()} == {"F=1"}


@pytest.mark.parametrize(
    "option",
    [
        option
        for option in ("--solutions", "--gallery", "--svg", "--marginals", "--certify", "--store")
        if option in OFFERED
    ],
)
def test_a_link_to_itself(option: str, formula: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop.cnf"
    loop.symlink_to(loop)
    name = tmp_path / "loop.json"
    os.symlink(name, name)
    refusal(str(formula), option, str(name if option == "--marginals" else loop))
    refusal(str(loop))
    refusal(str(formula), "--given", str(loop))
    refusal("store", str(loop))


def test_the_library_overwrites_nothing(formula: Path, tmp_path: Path) -> None:
    log = write(tmp_path / "store-wal", "1=1")
    refused("would overwrite", solve, formula, given=str(log), store=tmp_path / "store", jobs=1)
    assert log.read_text() == "1=1"
