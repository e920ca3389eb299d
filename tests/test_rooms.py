"""Each thing has its room: who may import whom, who knows solvers, who prints."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from models import PUZZLES
from solvers.files.catalogue import find

HERE = Path(__file__).parent.parent
SOURCES = sorted([*HERE.glob("models/*.py"), *HERE.glob("solvers/*.py")])
BACKENDS = {"cp_sat.py", "sat.py", "cover.py"}
COMMANDS = {"run.py", "compare.py", "layers.py", "check.py"}


def imports(path: Path) -> Iterator[str]:
    """Every module that the file imports, anywhere in it, and for "from a import b" also a.b."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_imports_follow_the_arrows(path: Path) -> None:
    modules = list(imports(path))
    assert not [module for module in modules if module.split(".")[0] in ("tests", "notebooks")]
    if path.parent.name == "models":
        assert not [module for module in modules if module.split(".")[0] == "solvers"]
        engines = [module for module in modules if module.split(".")[0] in ("ortools", "pysat")]
        assert not [m for m in engines if not m.startswith(("ortools.sat.python.cp_model", "pysat.formula"))]
    else:
        collection = {f"models.{puzzle.stem}" for puzzle in HERE.glob("models/*.py")} - {"models.puzzle"}
        assert not collection & set(modules) - {"models.__init__"}, "solvers know no puzzle"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_only_backends_know_solvers(path: Path) -> None:
    solving = {
        "pysat.solvers",
        "ortools.sat.python.cp_model.CpSolver",
        "ortools.sat.python.cp_model.CpSolverSolutionCallback",
    }
    if path.name not in BACKENDS:
        assert not solving & set(imports(path))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_only_commands_print(path: Path) -> None:
    if path.name not in COMMANDS | {"command.py", "report.py", "draw.py"}:
        calls = (
            node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
        )
        assert "print" not in {ast.unparse(function) for function in calls}


@pytest.mark.parametrize("name", PUZZLES)
def test_a_declaration_is_one_screen(name: str) -> None:
    lines, _ = inspect.getsourcelines(find(name).load())
    assert len(lines) <= 45


def test_top_level() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=HERE, capture_output=True, text=True, check=False).stdout
    top = {line.split("/")[0] for line in listed.splitlines()}
    visible = {name for name in top if not name.startswith(".")}
    assert visible <= {"pyproject.toml", "models", "solvers", "tests", "notebooks", "README.md"}


@pytest.mark.parametrize("words", [["--list"], ["--help"], ["pentomino", "--help"], ["--list-backends"]])
def test_help_starts_no_solver(words: list[str]) -> None:
    code = (
        "import sys, solvers.run as run\n"
        "try: run.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'ortools', 'numba', 'numpy', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
