"""Each thing has its room: who may import whom, how the house is built, who knows solvers, who prints."""

import ast
import inspect
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from models import PUZZLES
from solvers.files.catalogue import find

HERE = Path(__file__).parent.parent
SOURCES = {
    ".".join(path.relative_to(HERE).with_suffix("").parts).removesuffix(".__init__"): path
    for top in ("models", "solvers")
    for path in sorted((HERE / top).rglob("*.py"))
}
FOLDERS = (
    *("minizinc", "cpmpy", "widget", "survey", "terminal", "invent", "outputs", "running", "counting", "cubes"),
    *("proofs", "files", "show", "backends", "cnf", "cover", "symmetry", "checks"),
)
"""Each imports only from those behind it."""
GROUND = {"solvers.deadline", "solvers.endings", "solvers.errors", "solvers.options", "solvers.values"}
"""All may import these."""
COMMANDS = {
    *("solvers.run", "solvers.compare", "solvers.layers", "solvers.check"),
    *("solvers.survey.__main__", "solvers.minizinc.__main__"),
}
MOST_LEVELS = MOST_IN_FOLDER = 12


@cache
def imports(name: str) -> frozenset[str]:
    """Every module that the module imports, anywhere in it; for "from a import b" it is a.b if there is such a one."""
    found = set[str]()
    for node in ast.walk(ast.parse(SOURCES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {one if one in SOURCES else node.module for one in whole} | (whole - set(SOURCES))
    return frozenset(found - {name})


def rank(name: str) -> int:
    """How high a module stands: the commands and the library on top, then the folders in their order."""
    if name.startswith("models"):
        return -1
    folder = name.split(".")[1] if name.count(".") == 2 else ""
    if folder:
        return len(FOLDERS) - FOLDERS.index(folder)
    return 0 if name in GROUND else len(FOLDERS) + 1 + (name == "solvers")


def levels() -> dict[str, int]:
    """How many modules stand on each other up to each; fails where imports go in a circle."""
    heights: dict[str, int] = {}

    def height(name: str, above: tuple[str, ...]) -> int:
        assert name not in above, f"a circle of imports: {' -> '.join([*above[above.index(name) :], name])}"
        if name not in heights:
            heights[name] = 1 + max((height(one, (*above, name)) for one in own(name)), default=0)
        return heights[name]

    for name in SOURCES:
        height(name, ())
    return heights


def own(name: str) -> frozenset[str]:
    """What it imports of the project."""
    return imports(name) & frozenset(SOURCES)


def test_imports_go_downwards() -> None:
    assert max(levels().values()) <= MOST_LEVELS
    for name in SOURCES:
        for other in own(name):
            same_folder = name.rpartition(".")[0] == other.rpartition(".")[0]
            are_models = name.startswith("models") and other.startswith("models")
            assert same_folder or are_models or rank(other) < rank(name), f"{name} may not import {other}"
    assert all(own(name) <= GROUND | {"models.puzzle"} for name in GROUND)


def test_folders_can_be_overlooked() -> None:
    for folder in {path.parent for path in SOURCES.values()}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_IN_FOLDER
    for name in FOLDERS:
        docstring = ast.get_docstring(ast.parse(SOURCES[f"solvers.{name}"].read_text(encoding="utf-8"))) or ""
        assert len(docstring.splitlines()) <= 8
        assert (HERE / "solvers" / name / docstring.partition("`")[2].partition("`")[0]).is_file()


def test_models_know_no_solver_and_solvers_no_puzzle() -> None:
    puzzles = {name for name in SOURCES if name.startswith("models.")} - {"models.puzzle"}
    for name in SOURCES:
        modules = imports(name)
        assert not [module for module in modules if module.split(".")[0] in ("tests", "notebooks")]
        if name.startswith("models"):
            assert not [module for module in modules if module.split(".")[0] == "solvers"]
            engines = [module for module in modules if module.split(".")[0] in ("ortools", "pysat")]
            assert not [m for m in engines if not m.startswith(("ortools.sat.python.cp_model", "pysat.formula"))]
        else:
            assert not puzzles & modules


def test_only_backends_know_solvers() -> None:
    solving = {
        "pysat.solvers",
        "ortools.sat.python.cp_model.CpSolver",
        "ortools.sat.python.cp_model.CpSolverSolutionCallback",
    }
    assert not [name for name in SOURCES if not name.startswith("solvers.backends.") and solving & imports(name)]


def test_only_commands_print() -> None:
    for name in set(SOURCES) - COMMANDS - {"solvers.terminal.command"}:
        calls = (
            node.func for node in ast.walk(ast.parse(SOURCES[name].read_text("utf-8"))) if isinstance(node, ast.Call)
        )
        assert "print" not in {ast.unparse(function) for function in calls}, name


@pytest.mark.parametrize("name", PUZZLES)
def test_a_declaration_is_one_screen(name: str) -> None:
    lines, _ = inspect.getsourcelines(find(name).load())
    assert len(lines) <= 45


def test_no_test_imports_another() -> None:
    """What tests share stands in tests/support."""
    for path in sorted((HERE / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            assert not [m for m in modules if ".test_" in m], f"{path.name} imports {modules}"


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
