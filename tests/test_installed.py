"""The project where it is installed: its console script, and its own `models` whatever else is called so."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.command import HERE, wait_for
from tests.support.own_models import write

SCRIPTS = Path(sys.executable).parent
FOREIGN = "raise ImportError('the wrong models')\n"


def run(folder: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*words], cwd=folder, capture_output=True, text=True, check=False)


SCRIPT = "from solvers import solve\nprint(solve('magic', backend='sat', jobs=1).report.as_json())\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([SCRIPTS / "kazoeru", "magic", "--json"], "models.py"),
        ([SCRIPTS / "kazoeru", "compare", "magic", "--backends", "sat", "--json"], "models/__init__.py"),
        ([sys.executable, "-m", "solvers.run", "magic", "--json"], "models.py"),
        ([sys.executable, "script.py"], "models/__init__.py"),
    ],
    ids=["console script", "another command", "module", "script"],
)
def test_a_folder_with_other_models(tmp_path: Path, words: list[str | Path], name: str) -> None:
    """They are found first, as those would be that python-sat installs beside the console script."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    write(tmp_path / name, FOREIGN)
    write(tmp_path / "script.py", SCRIPT)
    done = run(tmp_path, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"solutions": 1' in done.stdout


def test_a_file_with_the_name_of_a_command(tmp_path: Path) -> None:
    write(tmp_path / "check", "")
    done = run(tmp_path, SCRIPTS / "kazoeru", "./check")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has an ending that no model has" in done.stderr


def test_another_package_installs_other_models() -> None:
    assert (SCRIPTS / "models.py").exists(), "python-sat does; once it does not, what makes way for it may go"


def test_other_models_imported_before(tmp_path: Path) -> None:
    write(tmp_path / "models.py", "")
    done = run(tmp_path, sys.executable, "-c", "import models, solvers")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: solvers needs its own package models, but ")


@pytest.mark.thorough
def test_dask_worker_as_the_pages_give_it(tmp_path: Path) -> None:
    write(tmp_path / "models.py", FOREIGN)
    file = tmp_path / "scheduler.json"
    quiet = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with ExitStack() as stack:
        for words in (
            ["scheduler", "--scheduler-file", str(file), "--port", "0", "--no-dashboard"],
            ["worker", "--scheduler-file", str(file), "--nthreads", "1", "--nworkers", "1", "--no-dashboard"],
        ):
            process = subprocess.Popen([SCRIPTS / "dask", *words], **quiet)  # type: ignore[call-overload]
            stack.callback(process.wait)
            stack.callback(process.terminate)
            wait_for(file.exists)
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        done = run(tmp_path, SCRIPTS / "kazoeru", "pentomino", "--board", "4x15", "--cluster", address, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["solutions"] == 368


def test_what_is_installed_holds_the_page() -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
    listed = {
        f"{package.replace('.', '/')}/{name}"
        for package, names in project["tool"]["setuptools"]["package-data"].items()
        for name in names
    }
    files = (HERE / "solvers").rglob("*.*")
    pages = {path.relative_to(HERE).as_posix() for path in files if path.suffix in (".html", ".css", ".js", ".txt")}
    assert {path for path in listed if "*" not in path} == pages


@pytest.mark.slow
def test_editable_install_after_an_install_that_has_run(tmp_path: Path) -> None:
    """The uninstall leaves nothing that hides the new install."""
    for name in ("models", "solvers"):
        shutil.copytree(HERE / name, tmp_path / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(HERE / name, tmp_path / "source")
    venv.create(tmp_path / "new", symlinks=True, with_pip=True)
    (packages,) = (tmp_path / "new").glob("lib/python*/site-packages")
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    scripts = tmp_path / "new" / "bin"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)

    def succeed(*words: str | Path) -> str:
        done = subprocess.run([*words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for ways in ([], ["--editable"]):
        succeed(scripts / "python", "-m", "pip", "--quiet", "install", "--no-deps", *ways, tmp_path / "source")
        succeed(scripts / "kazoeru", "pentomino", "--board", "3x20", "--backend", "cover")
        assert "1\n" in succeed(scripts / "python", "-c", "from solvers import solve; print(len(solve('magic')))")
        assert not [path for path in packages.rglob("*") if path.suffix in (".nbi", ".nbc")]
    assert not (packages / "solvers").exists()
    assert [*tmp_path.glob("kazoeru/*/cover_kernel.*")]
