"""The core without the extras: it works, and says of an option that it is not installed."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import HERE
from tests.support.imports import imported
from tests.support.tiers import sampled


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without `solvers/extras`."""
    folder = tmp_path_factory.mktemp("core")
    unwanted = shutil.ignore_patterns("extras", "__pycache__")
    for package in ("models", "solvers"):
        shutil.copytree(HERE / package, folder / package, ignore=unwanted)
    return folder


ALONE = (
    "import runpy, sys; sys.meta_path = [finder for finder in sys.meta_path if 'editable' not in repr(finder)]; "
    "sys.path.insert(0, ''); sys.argv = sys.argv[1:]; "
    "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)
"""Runs a module of the working folder, though an installed copy may be found elsewhere."""


def run(core: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", ALONE, *words]
    return subprocess.run(command, cwd=core, capture_output=True, text=True, check=False)


def test_the_core_works_alone(core: Path) -> None:
    done = run(core, "solvers.run", "magic", "--backend", "sat", "--jobs", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"total": 8,' in done.stdout


@pytest.mark.parametrize(
    "words",
    sampled(
        [
            ["solvers", "survey", "pentomino"],
            ["solvers", "layers", "flip-it"],
            ["solvers.check", "folder"],
            ["solvers.compare", "magic"],
            ["solvers.run", "magic", "--which", "models/magic.py"],
            ["solvers.run", "magic", "--given", "models/magic.py"],
            ["solvers.run", "magic", "--sheet", "sheet.svg"],
            ["solvers.run", "magic", "--certify", "proof"],
            ["solvers.run", "magic", "--count-only", "--method", "counter"],
            ["solvers.run", "magic", "--estimate"],
            ["solvers.run", "magic", "--explain"],
            ["solvers.run", "magic", "--hints", "each"],
            ["solvers.run", "magic", "--export", "model.fzn"],
            ["solvers.run", "magic", "--cluster", "here"],
            ["solvers.run", "model.fzn"],
        ],
        4,
    ),
    ids=" ".join,
)
def test_options_of_extras_are_refused(core: Path, words: list[str]) -> None:
    (core / "model.fzn").write_text("solve satisfy;\n", encoding="utf-8")
    done = run(core, *words)
    assert done.returncode == 2, done.stderr
    assert "is not installed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_extra_is_loaded_by_the_core() -> None:
    code = (
        "import sys; from solvers import solve; solve('magic', backend='sat', jobs=1)\n"
        "assert not [name for name in sys.modules if name.startswith('solvers.extras')]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_cores_own_tests_import_no_extra() -> None:
    asked = sorted((HERE / "tests").glob("test_*.py"))
    for path in asked:
        modules = imported(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        assert not [module for module in modules if module.startswith("solvers.extras")], path
        files = [HERE / f"{module.replace('.', '/')}.py" for module in modules if module.startswith("tests.")]
        asked += [file for file in files if file.is_file() and file not in asked]
