"""The core without the extras: it works, and says of an option that it is not installed."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import HERE, python
from tests.support.imports import imported


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without `solvers/extras`."""
    folder = tmp_path_factory.mktemp("core")
    unwanted = shutil.ignore_patterns("extras", "__pycache__")
    for package in ("models", "solvers"):
        shutil.copytree(HERE / package, folder / package, ignore=unwanted)
    return folder


ALONE = """
import json, runpy, sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
sys.path.insert(0, "")
for words in json.loads(sys.argv[1]):
    sys.argv = words
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        print(end.code, file=sys.stderr)
"""
"""Runs modules of the working folder, though an installed copy may be found elsewhere, and prints their exit codes."""


def run(core: Path, *commands: str) -> tuple[str, list[str]]:
    """What is printed, and the lines on stderr."""
    words = json.dumps([command.split() for command in commands])
    done = subprocess.run([sys.executable, "-c", ALONE, words], cwd=core, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr.splitlines()


def test_the_core_works_alone(core: Path) -> None:
    out, said = run(core, "solvers.run magic --backend sat --jobs 1 --json")
    assert said == ["0"]
    assert '"total": 8,' in out


def test_options_of_extras_are_refused(core: Path) -> None:
    (core / "model.fzn").write_text("solve satisfy;\n", encoding="utf-8")
    commands = [
        "solvers survey pentomino",
        "solvers layers flip-it",
        "solvers.check folder",
        "solvers.compare magic",
        "solvers.run magic --which models/magic.py",
        "solvers.run magic --given models/magic.py",
        "solvers.run magic --sheet sheet.svg",
        "solvers.run magic --certify proof",
        "solvers.run magic --count-only --method counter",
        "solvers.run magic --estimate",
        "solvers.run magic --explain",
        "solvers.run magic --hints each",
        "solvers.run magic --export model.fzn",
        "solvers.run magic --cluster here",
        "solvers.run model.fzn",
    ]
    _, said = run(core, *commands)
    for command, sentence, code in zip(commands, said[::2], said[1::2], strict=True):
        assert "is not installed" in sentence, command
        assert code == "2", command


def test_no_extra_is_loaded_by_the_core() -> None:
    code = (
        "import sys; from solvers import solve; solve('magic', backend='sat', jobs=1)\n"
        "assert not [name for name in sys.modules if name.startswith('solvers.extras')]\n"
    )
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_the_cores_own_tests_import_no_extra() -> None:
    asked = sorted((HERE / "tests").glob("test_*.py"))
    for path in asked:
        modules = imported(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        assert not [module for module in modules if module.startswith("solvers.extras")], path
        files = [HERE / f"{module.replace('.', '/')}.py" for module in modules if module.startswith("tests.")]
        asked += [file for file in files if file.is_file() and file not in asked]
