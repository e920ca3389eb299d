"""Each thing has its room: who may import whom, how the house is built, who knows solvers, who prints."""

import ast
import inspect
import pydoc
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from models import PENCIL, PUZZLES
from solvers.base.plugs import TABLES, WINGS
from solvers.files.catalogue import find
from tests.support.command import HERE, python
from tests.support.imports import imported

SOURCES = {
    ".".join(path.relative_to(HERE).with_suffix("").parts).removesuffix(".__init__"): path
    for top in ("models", "solvers")
    for path in sorted((HERE / top).rglob("*.py"))
}
FOLDERS = "extras terminal outputs running cubes files show backends cnf symmetry model checks base".split()
"""Each imports only from those behind it; wings of extras also from the wings before them."""
GEOMETRY = {
    "models.errors",
    "models.puzzle",
    "models.classics",
    "models.classics.known",
    "models.boards.lattice",
    "models.boards.grid",
    "models.boards",
    "models.packings.isometric",
    "models.boards.colours",
    "models.boards.compressed",
    "models.boards.clues",
    "models.boards.marks",
    "models.pencil.making",
}
"""All may import these: what a declaration and a drawing are made of, and which counts are known."""
MOST_LEVELS, MOST_IN_FOLDER = 12, 12
FRAGMENTS = set("What How Who Whether Where Which Why When That So As If Of In For With From To By Up".split())
"""Words that begin a clause or a fragment; docstrings begin with a noun phrase or a verb (PEP 257)."""


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


@cache
def nodes(name: str) -> list[ast.AST]:
    return list(ast.walk(tree(name)))


@cache
def imports(name: str) -> frozenset[str]:
    """Every module that the module imports, anywhere in it; for "from a import b" it is a.b if there is such a one."""
    found = set[str]()
    for node in nodes(name):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {one if one in SOURCES else node.module for one in whole} | (whole - set(SOURCES))
    return frozenset(found - {name})


RANKS = {
    **{folder: number for number, folder in enumerate(reversed(FOLDERS), 1)},
    "extras": len(FOLDERS) + 3,
}


def rank(name: str) -> int:
    """How high a module stands: the commands and the library on top, then the folders in their order."""
    if name.startswith("models"):
        return -1
    room = name.split(".")[1] if name != "solvers" else ""
    return RANKS.get(room, len(FOLDERS) + 1 + (name == "solvers"))


def levels() -> dict[str, int]:
    """How many modules stand on each other up to each; where imports go in a circle, an exception names it."""
    heights: dict[str, int] = {}
    for name in TopologicalSorter({name: own(name) for name in SOURCES}).static_order():
        heights[name] = 1 + max((heights[one] for one in own(name)), default=0)
    return heights


def own(name: str) -> frozenset[str]:
    """What it imports of the project."""
    return imports(name) & frozenset(SOURCES)


@pytest.mark.thorough
def test_imports_go_downwards() -> None:
    assert max(levels().values()) <= MOST_LEVELS
    for name in SOURCES:
        for other in own(name):
            same_folder = name.rpartition(".")[0] == other.rpartition(".")[0]
            is_in_models = name.startswith("models") and other.startswith("models")
            is_in_wings = 0 <= wing(other) <= wing(name)
            assert same_folder or is_in_models or is_in_wings or rank(other) < rank(name), (
                f"{name} may not import {other}"
            )
            assert not (name.startswith("solvers.model.") and other.startswith("solvers.checks.")), "a second reading"
    base = {name for name in SOURCES if name.startswith("solvers.base")}
    assert all(own(name) <= base | {"models.puzzle"} for name in base)


@pytest.mark.thorough
def test_folders_of_a_wing_have_an_order() -> None:
    order = TopologicalSorter[str]()
    for name in SOURCES:
        package = name if SOURCES[name].name == "__init__.py" else name.rpartition(".")[0]
        for other in own(name):
            folder = other if SOURCES[other].name == "__init__.py" else other.rpartition(".")[0]
            if wing(name) == wing(other) >= 0 and package != folder:
                order.add(package, folder)
    order.prepare()  # raises an error that names the circle, if there is one


def wing(name: str) -> int:
    """The place of a module's wing in the order of the wings; -1 if it is in none."""
    words = name.split(".")
    return WINGS.index(words[2]) if words[:2] == ["solvers", "extras"] and len(words) > 2 else -1


@pytest.mark.thorough
def test_no_text_names_a_later_wing() -> None:
    """What is imported by its name in a text keeps to the order, too; the core names no wing."""
    for name in SOURCES:
        texts = [str(node.value) for node in nodes(name) if isinstance(node, ast.Constant)]
        named = re.findall(r"solvers\.extras(?:\.\w+)+", "\n".join(texts))
        assert all(wing(one) <= wing(name) for one in named), (name, named)


def test_wings_add_what_is_their_own() -> None:
    for number, table in enumerate(TABLES[1:]):
        rows = [row.place for kind in (table.commands, table.outputs) for row in kind.values()]
        rows += [row.place for row in table.preparations]
        for kind in (table.counters, table.second_ways, table.formats, table.exports, table.functions, table.library):
            rows += kind.values()
        for place in rows:
            module, _, name = place.partition(":")
            assert wing(module) == number or module.startswith("models."), place
            assert hasattr(import_module(module), name), place


def test_each_wing_has_a_page() -> None:
    for name in WINGS:
        page = (HERE / "solvers" / "extras" / name / "README.md").read_text(encoding="utf-8")
        assert 5 < page.count("\n") <= 130, name
        assert (HERE / "tests" / name).is_dir()


def test_folders_can_be_overlooked() -> None:
    for folder in {path.parent for path in SOURCES.values()}:
        modules = [path for path in folder.glob("*.py") if path.name not in ("__init__.py", "__main__.py")]
        assert len(modules) <= (
            len(PENCIL) + 3 if folder.name == "pencil" else MOST_IN_FOLDER
        )  # a shelf has a file for each, one for their checks, one for what is made, and one for pictures
    for name in FOLDERS[1:]:
        docstring = ast.get_docstring(tree(f"solvers.{name}")) or ""
        assert len(docstring.splitlines()) <= 8
        assert (HERE / "solvers" / name / docstring.partition("`")[2].partition("`")[0]).is_file()


@pytest.mark.thorough
def test_models_know_no_solver_and_solvers_no_puzzle() -> None:
    puzzles = {name for name in SOURCES if name.startswith("models.")} - GEOMETRY
    for name in SOURCES:
        modules = imports(name)
        assert not [m for m in modules if m.split(".")[0] in ("tests", "notebooks")]
        if name.startswith("models"):
            unwanted = [m for m in modules if re.match(r"(solvers|ortools|pysat)\b", m)]
            assert not [m for m in unwanted if not m.startswith(("ortools.sat.python.cp_model", "pysat.formula"))]
        else:
            assert not puzzles & modules


def defined(inside: list[ast.AST]) -> Iterator[str]:
    """The names that code defines, also as attributes; what it imports is defined elsewhere."""
    for node in inside:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


@pytest.mark.thorough
def test_docstrings_refer_to_what_there_is() -> None:
    """A name in backquotes is one of the project, with as much of its path as is written, or one that Python finds.

    So is the name of a file. In a folder's own docstring, one without a path is that of a file in this folder.
    """
    names = set[str]()
    for module in SOURCES:
        names |= {module, *(f"{module}.{name}" for name in defined(nodes(module)))}
        for one in nodes(module):
            if isinstance(one, ast.ClassDef):
                names |= {f"{module}.{one.name}.{member}" for member in defined(list(ast.walk(one)))}
    files = [path.as_posix() for top in ("models", "solvers", "tests") for path in (HERE / top).rglob("*.*")]
    files.append((HERE / "README.md").as_posix())
    known = {".".join(name.split(".")[start:]) for name in names for start in range(name.count(".") + 1)}
    for module in SOURCES:
        texts = (str(node.value) for node in nodes(module) if isinstance(node, ast.Constant))
        references = set(re.findall(r"(?<!`)`([A-Za-z_][\w./]*)(?:\(\))?`(?!`)", "\n".join(texts)))
        named = {word for word in references if Path(word).suffix in (".py", ".md", ".js", ".html", ".v", ".ml")}
        dangling = [word for word in references - named - known if "/" not in word and not pydoc.locate(word)]
        source = SOURCES[module]
        own = f"{source.parent}/" if source.name == "__init__.py" else "/"
        ends = {word: f"/{word}" if "/" in word else f"{own}{word}" for word in named}
        dangling += [word for word, end in ends.items() if not any(file.endswith(end) for file in files)]
        assert not dangling, f"{module} refers to {dangling}"


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    for module in SOURCES:
        for node in nodes(module):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                words = (ast.get_docstring(node) or "The").split()
                assert words[0].strip(".,:;") not in FRAGMENTS, f"{module}: {' '.join(words[:12])}"


def test_names_stand_for_one_thing() -> None:
    """No two modules define a class, or a constant that is a number, by the same name."""
    names = Counter[str]()
    for module in SOURCES:
        numbers = (
            node
            for node in tree(module).body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            if isinstance(node.value.value, (int, float))
        )
        names.update({ast.unparse(node.targets[0]) for node in numbers})
        names.update({node.name for node in nodes(module) if isinstance(node, ast.ClassDef)})
    assert not [name for name, times in names.items() if times > 1]


@pytest.mark.parametrize("name", [*PUZZLES, *PENCIL])
def test_a_declaration_is_one_screen(name: str) -> None:
    lines, _ = inspect.getsourcelines(find(name).load())
    assert len(lines) <= 45


@cache
def code_of_tests() -> list[tuple[Path, list[ast.AST]]]:
    """The nodes of each file of tests; benchmarks are for themselves."""
    benchmarks = HERE / "tests" / "benchmarks"
    paths = sorted({*(HERE / "tests").rglob("*.py")} - {*benchmarks.rglob("*.py")})
    return [(path, list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))) for path in paths]


@pytest.mark.thorough
def test_no_test_imports_another() -> None:
    """What tests share stands in tests/support; what those of one wing share, in a module beside them."""
    for path, code in code_of_tests():
        assert not [m for m in imported(code) if ".test_" in m or "tests.benchmarks" in m], path


@pytest.mark.thorough
def test_no_test_patches_a_constant() -> None:
    """A test that needs another value passes it to `solvers.base.tuning.override_tuning`, or as an argument."""
    for path, code in code_of_tests():
        for call in (node for node in code if isinstance(node, ast.Call)):
            if re.search(r"\b(setattr|patch|patch\.(object|multiple))$", ast.unparse(call.func)):
                named = [str(node.value) for node in call.args if isinstance(node, ast.Constant)]
                named += [keyword.arg or "" for keyword in call.keywords]
                assert not [name for name in named if name.rpartition(".")[2].isupper()], (path, call.lineno)


@pytest.mark.thorough
def test_long_tests_are_listed() -> None:
    """The page lists the tests that take minutes or hours, and are run by hand."""
    page = (HERE / "tests" / "benchmarks" / "README.md").read_text(encoding="utf-8").partition("## Slow tests")[2]
    listed = {*re.findall(r"^\| `(tests/\S+::\w+)`", page, re.MULTILINE)}
    functions = [
        (f"{path.relative_to(HERE).as_posix()}::{node.name}", node)
        for path, code in code_of_tests()
        for node in code
        if isinstance(node, ast.FunctionDef)
    ]
    marked = {name for name, node in functions if any("mark.slow" in ast.unparse(d) for d in node.decorator_list)}
    assert marked <= listed <= {name for name, _ in functions}


def test_tests_of_the_core_have_its_folders() -> None:
    """What stands below tests/core stands in the folder of the same name below solvers."""
    core = HERE / "tests" / "core"
    folders = {path.parent.relative_to(core).as_posix() for path in core.rglob("test_*.py")}
    assert folders <= {*FOLDERS[1:]}


def test_top_level() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=HERE, capture_output=True, text=True, check=False).stdout
    visible = {line.split("/")[0] for line in listed.splitlines() if not line.startswith(".")}
    assert visible <= {"pyproject.toml", "models", "solvers", "tests", "notebooks", "README.md"}


def test_help_starts_no_solver() -> None:
    code = (
        "import sys, solvers.run as run\n"
        "for words in (['--list'], ['--help'], ['pentomino', '--help'], ['--list-backends']):\n"
        "    print('<', words)\n"
        "    try: run.main(words)\n"
        "    except SystemExit: pass\n"
        "    heavy = {'ortools', 'numba', 'numpy', 'pandas'} & set(sys.modules)\n"
        "    assert not heavy, (words, heavy)\n"
    )
    done = python(code)
    assert done.returncode == 0, done.stderr
    assert [said.count("\n") > 3 for said in done.stdout.split("< ")[1:]] == [True] * 4
