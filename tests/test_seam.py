"""The core without wings, or with the first ones of them: what is left works, and what is away is not offered."""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.base.plugs import LIBRARY, TABLES, WINGS
from tests.support.command import HERE, python
from tests.support.imports import imported

COMMANDS = {
    "pictures": "solvers.run magic --svg pictures --json",
    "shared": "solvers prepare --help",
    "evidence": "solvers.run magic --certify proof --json",
    "questions": "solvers why magic 1_1=5",
    "counts": "solvers.run magic --backend cp --jobs 1 --verify --json",
    "bridges": "solvers export magic magic.cnf",
    "audits": "solvers audit --help",
    "studies": "solvers survey magic --kind square --backend cp --jobs 1",
}
"""A command of each wing that has one; an underscore stands for a space in a word."""

ADDED = dict(zip(WINGS, TABLES[1:], strict=True))


def copied(folder: Path, wings: int) -> Path:
    """A copy of the project with so many wings, the first ones."""
    unwanted = shutil.ignore_patterns(*WINGS[wings:], "__pycache__")
    shutil.copytree(HERE / "models", folder / "models", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HERE / "solvers", folder / "solvers", ignore=unwanted)
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


def run(folder: Path, *commands: str) -> tuple[str, list[str]]:
    """What is printed, and the lines on stderr."""
    words = json.dumps([[word.replace("_", " ") for word in command.split()] for command in commands])
    command = [sys.executable, "-W", "ignore", "-c", ALONE, words]  # a module run twice is warned of
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr.splitlines()


def offered(help_text: str) -> set[str]:
    """The options, with their dashes, and the commands that a help names."""
    options = {word for word in help_text.replace(",", " ").split() if word.startswith("--")}
    lines = [line for line in help_text.splitlines() if line.startswith("  ") and line.strip()]
    return options | {line.split()[0] for line in lines}


@pytest.mark.thorough
@pytest.mark.parametrize("wings", [0, 4])
def test_what_is_left_of_the_wings_works(wings: int, tmp_path: Path) -> None:
    folder = copied(tmp_path, wings)
    left, away = WINGS[:wings], WINGS[wings:]
    shown, said = run(folder, "solvers.run --help", "solvers --help")
    formats = shown[shown.index("PUZZLE is a name") : shown.index("A Python file or a notebook")]
    assert said == ["0", "0"]
    for wing, table in ADDED.items():
        options = {f"--{name.replace('_', '-')}" for name in (*table.options, *table.outputs, *table.settings)}
        for name in options | {*table.commands}:
            assert (name in offered(shown)) == (wing in left), (wing, name)
        for ending in table.formats:
            assert " " in ending or (ending in formats.replace(",", " ").replace(".\n", " ").split()) == (wing in left)
    commands = [COMMANDS[wing] for wing in left if wing in COMMANDS]
    refused = [COMMANDS[wing] for wing in away if wing in COMMANDS]
    printed, said = run(folder, "solvers.run magic --backend sat --jobs 1 --json", *commands, *refused)
    done = len(commands) + 1
    assert said[:done] == ["0"] * done
    assert '"total": 8,' in printed
    for command, sentence, code in zip(refused, said[done::2], said[done + 1 :: 2], strict=True):
        assert (code, sentence.startswith("kazoeru: ")) == ("2", True), (command, sentence)


@pytest.mark.thorough
def test_what_the_library_lacks_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path, 0)
    code = (
        "from solvers import InputError, solve\n"
        "for wish in ({'verify': True}, {'method': 'counter'}, {'cluster': 'here'}, {'which': 'README.md'},\n"
        "             {'given': 'models/magic.py'}, {'marginals': True}):\n"
        "    try: solve('magic', jobs=1, **wish)\n"
        "    except InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    sentences = done.stdout.splitlines()
    assert len(sentences) == 6, done
    assert all("is not installed" in one or "there is no method" in one for one in sentences), sentences


@pytest.mark.thorough
def test_no_wing_is_loaded_by_the_core() -> None:
    code = (
        "import sys; from solvers import solve; from solvers.base.plugs import WINGS\n"
        "solve('magic', backend='sat', jobs=1)\n"
        "tables = {'solvers.extras', *(f'solvers.extras.{wing}{end}' for wing in WINGS for end in ('', '.table'))}\n"
        "assert not [name for name in sys.modules if name.startswith('solvers.extras') and name not in tables]\n"
    )
    done = python(code)
    assert done.returncode == 0, done.stderr


def place(module: str) -> int:
    """The place of a module's wing in their order, also of what a wing adds to `solvers`; -1 for the core."""
    found = re.match(r"(?:solvers\.extras|tests)\.(\w+)", LIBRARY.get(module.removeprefix("solvers."), module))
    return WINGS.index(found[1]) if found and found[1] in WINGS else -1


@pytest.mark.thorough
def test_tests_import_no_later_wing() -> None:
    """Those of the core import no wing at all."""
    for path in sorted((HERE / "tests").rglob("*.py")):
        name = ".".join(path.relative_to(HERE).parts)
        modules = imported(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        later = [module for module in modules if place(module) > place(name)]
        assert not later or name.startswith("tests.benchmarks."), (path, later)
