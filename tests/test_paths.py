"""Where a run writes: over nothing that it reads, and nothing twice."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from solvers import solve
from solvers.errors import InputError
from tests.support.command import run

RUN = "solvers.run"
FORMULA = "p cnf 2 1\n1 2 0\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.cnf"
    file.write_text(FORMULA)
    return file


def linked(link: Callable[[Path, Path], None]) -> Callable[[Path], Path]:
    def name(file: Path) -> Path:
        other = file.with_name("other.cnf")
        link(file, other)
        return other

    return name


NAMES: dict[str, Callable[[Path], Path]] = {
    "itself": lambda file: file,
    "spelt in another way": lambda file: file.parent / "." / ".." / file.parent.name / file.name,
    "a symbolic link": linked(lambda file, other: other.symlink_to(file)),
    "a hard link": linked(lambda file, other: other.hardlink_to(file)),
    "its part": linked(lambda file, other: Path(f"{other}.part").symlink_to(file)),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["--solutions", "--gallery", "--export"])
def test_the_model_is_not_overwritten(name: str, option: str, model: Path) -> None:
    output = NAMES[name](model)
    done = run(RUN, str(model), option, str(output))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{option} would overwrite {model}, which is the model" in done.stderr
    assert model.read_text() == FORMULA


@pytest.mark.parametrize(
    "words",
    [
        ["--given", "input", "--solutions", "input"],
        ["--given", "out.part", "--solutions", "out"],
        ["--given", "input", "--store", "input"],
        ["--given", "out-wal", "--store", "out"],
        ["--which", "input", "--marginals", "input"],
        ["--which", "out.json.part", "--marginals", "out.json"],
        ["--board", "input", "--svg", "input"],
        ["--solutions", "a", "--store", "a"],
        ["--solutions", "a", "--store", "link"],
        ["--solutions", "a-wal", "--store", "a"],
        ["--solutions", "a", "--gallery", "a.part"],
        ["--certify", "a", "--svg", "a"],
        ["--certify", "./a", "--svg", "b/../a"],
        ["--svg", "a", "--solutions", "a/found"],
        ["--certify", "link", "--store", "a/store"],
        ["--export", "a.cnf", "--store", "a.cnf"],
    ],
)
def test_nothing_is_read_and_written(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "b").mkdir()
    for name in ("input", "out.part", "out-wal", "out.json.part"):
        (tmp_path / name).write_text("F=1")
    before = sorted(tmp_path.iterdir())
    done = run(RUN, "pentomino", *(word if word.startswith("--") else str(tmp_path / word) for word in words))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "choose another name" in done.stderr or "give each a name of its own" in done.stderr
    assert sorted(tmp_path.iterdir()) == before
    assert {file.read_text() for file in before if file.is_file()} == {"F=1"}


def test_compare_and_the_library(model: Path, tmp_path: Path) -> None:
    for option, name in (("--csv", model), ("--plot", tmp_path / "link.svg")):
        if name != model:
            name.symlink_to(model)
        done = run("solvers.compare", str(model), option, str(name))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "would overwrite" in done.stderr
    done = run("solvers.compare", str(model), "--csv", str(tmp_path / "a.svg"), "--plot", str(tmp_path / "a.svg"))
    assert (done.returncode, "two outputs" in done.stderr) == (2, True)
    log = tmp_path / "store-wal"
    log.write_text("1=1")
    with pytest.raises(InputError, match="would overwrite"):
        solve(model, given=str(log), store=tmp_path / "store", jobs=1)
    assert (model.read_text(), log.read_text()) == (FORMULA, "1=1")


@pytest.mark.parametrize(
    "option", ["--solutions", "--gallery", "--svg", "--marginals", "--export", "--certify", "--store"]
)
def test_a_link_to_itself(option: str, model: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop.cnf"
    loop.symlink_to(loop)
    name = tmp_path / "loop.json"
    os.symlink(name, name)
    done = run(RUN, str(model), option, str(name if option == "--marginals" else loop))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    done = run(RUN, str(loop))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    for word in ("--given", "--which", "--runs"):
        done = run(RUN, str(model), word, str(loop))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_links_that_lead_nowhere_yet(model: Path, tmp_path: Path) -> None:
    for option in ("--solutions", "--svg", "--certify"):
        link = tmp_path / f"link{option}"
        link.symlink_to(f"there{option}")
        assert run(RUN, str(model), option, str(link)).returncode == 0
        assert link.is_symlink()
        assert (tmp_path / f"there{option}").exists()
