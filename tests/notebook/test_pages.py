"""The pages say what is true: their commands run, their tables are whole, their links lead somewhere.

Their Python examples are doctests. Blocks marked `sh` and commands in the text run here, each in a folder of its own;
those marked `console` have to print what the page shows. `sh thorough` marks a block that takes long, `sh slow` one
that takes very long.
"""

import ast
import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import solvers
from models import PENCIL, PUZZLES
from solvers.base.options import Options
from solvers.base.plugs import COMMANDS, WINGS
from solvers.extras.questions.make.maker import genres
from solvers.files.catalogue import find
from solvers.show.report import Report
from tests.support import command as in_this_process
from tests.support.golden import GOLDEN

HERE = Path(__file__).parent.parent.parent
README = HERE / "README.md"
PAGES = [README, *sorted(page for room in ("solvers", "tests", "notebooks") for page in HERE.glob(f"{room}/**/*.md"))]

TOOLS = {
    "minizinc": "Debian's packages minizinc and flatzinc",
    "acl2": "Debian's packages acl2-books and acl2-books-certs",
    "coqc": "Debian's packages coq, ocaml-nox, ocaml-findlib and libzarith-ocaml-dev",
}
"""What commands need that is not installed with the tests."""

FOLDERS = re.findall(r"\w+", (solvers.__doc__ or "").partition("from the top:")[2].partition(".")[0])
"""Of solvers, from the top."""

THOROUGH = (
    "solvers pentomino",
    "run checker",
    "run flip-it",
    "run dissection",
    "run matchsticks",
    "run packing",
    "survey pentomino",
    "--which mine.txt",
    "compare pentomino",
    "which pentomino",
    "kazoeru pentomino",
)
"""Commands in the text that take long."""

REPEATED = (
    "kazoeru compare",
    "python -m solvers compare pentomino --board 3x20 --plot",
    "python -m solvers verified --build",  # see `test_verified`
    "python -m solvers.run langford --n 11 --backend cp",  # see `test_auto`
    "python -m solvers compare magic",  # see `test_compare`
    "python -m solvers prepare",  # see `test_prepare`
    "python -m dask scheduler",  # see `test_dask_worker_as_the_pages_give_it`
    "python -m solvers.run pentomino --board 5x12 --store",  # see `test_store`
    "python -m solvers.run pentomino --board 5x12 --backend sat --store",  # see `test_store`
    "python dates.py",  # see `test_dates_are_given_by_name`
    "coqc --version\npython -m solvers verified --build",  # see `test_verified`
)
"""Commands that take long and do what another one or a test does."""


def blocks(page: Path) -> list[tuple[str, str]]:
    """The words behind the fence of each block, and what it holds."""
    return re.findall(r"^```(\w+[^\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def tier(page: Path, info: str, command: str) -> Any:
    if "slow" in info or command.startswith(REPEATED):
        return pytest.mark.slow
    return pytest.mark.thorough if "thorough" in info or page != README else ()


def commands(page: Path) -> list[Any]:
    """What is to be run: blocks, and commands in the text that name no placeholder such as FILE."""
    whole = page.read_text(encoding="utf-8")
    spans = dict.fromkeys(re.findall(r"`((?:python -m solvers[. ]|kazoeru )[^`\n]*)`", prose(page)))
    complete = [span for span in spans if not re.search(r"\b[A-Z]{2,}\b", span) and f"$ {span}\n" not in whole]
    found = [(info, text) for info, text in blocks(page) if info in ("sh", "sh thorough", "sh slow")]
    found += [("sh thorough" if any(part in span for part in THOROUGH) else "sh", span) for span in complete]
    return [
        pytest.param(
            page,
            text,
            marks=tier(page, info, text),
            id=f"{'' if page == README else page.parent.name}: {text}",  # whatever the folder of a clone is called
        )
        for info, text in found
        if not text.startswith("python3 -m venv")  # .ci/run takes these from the page
    ]


def every_command() -> list[Any]:
    """The commands of all pages, each once; what the README has too is taken from there."""
    return list({case.values[1].strip(): case for page in reversed(PAGES) for case in commands(page)}.values())


def queens() -> str:
    """The file that the README has its readers save: what it declares as an example."""
    examples = doctest.DocTestParser().get_examples(README.read_text(encoding="utf-8"))
    whole = "".join(example.source for example in examples)
    kept: list[ast.stmt] = [
        node for node in ast.parse(whole).body if isinstance(node, (ast.ImportFrom, ast.FunctionDef))
    ]
    return ast.unparse(ast.Module(kept, []))


def run(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run it as the page's reader would, in a folder with the files that the pages speak of."""
    for tool, package in TOOLS.items():
        if re.search(rf"(^|\| ){tool}\b", command, flags=re.MULTILINE) and not shutil.which(tool, path=path()):
            pytest.skip(f"needs {package}")
    (folder / "queens.py").write_text(queens(), encoding="utf-8")
    (drawing,) = re.findall(r"^┌.*?┘$", dict(blocks(README))["console"], flags=re.MULTILINE | re.DOTALL)
    (folder / "mine.txt").write_text(drawing, encoding="utf-8")
    for page in PAGES:
        for info, text in blocks(page):
            if info.startswith("python "):
                (folder / info.split()[1]).write_text(text, encoding="utf-8")
    lines = command.strip().splitlines()
    if all(map(is_plain, lines)):
        for line in lines:
            _, _, module, *words = shlex.split(line)
            done = in_this_process.run(module, *words, folder=folder)
            if done.returncode:
                break
        return done
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path(), "PYTHONPATH": str(HERE)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def is_plain(line: str) -> bool:
    """Whether a line is a command of this project that needs no shell: see what is not quoted."""
    is_ours = re.match(r"python -m solvers(\.| [a-z])", line)
    return is_ours is not None and not set("|&;<>$*'#").intersection(re.sub("'[^']*'", "", line))


def path() -> str:
    """Where commands are looked for: in this environment first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(("page", "command"), every_command())
def test_commands_run(page: Path, command: str, tmp_path: Path) -> None:
    done = run(command, tmp_path)
    assert done.returncode in (0, 4), done.stderr  # 4 is the answer no
    if "acl2" in command:
        assert "s VERIFIED" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize(
    "session", [text for page in PAGES for info, text in blocks(page) if info == "console"], ids=lambda text: text[:60]
)
def test_sessions_print_what_is_shown(session: str, tmp_path: Path) -> None:
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, flags=re.MULTILINE):
        done = run(command, tmp_path)
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(shown, done.stdout, options), done.stdout


OF_ATTACK = "--models --modes --runs --version".split()
OF_EXTRAS = "--build --pieces --cell".split()
OF_EXAMPLES = (
    "--size --board --method --puzzle --nthreads --nworkers --port --key --problem --n "
    "--points --model --seats --data --define --solver"
).split()
OTHER_OPTIONS = {*OF_ATTACK, *OF_EXTRAS, *OF_EXAMPLES}
"""Options of examples, and those that no parser above has."""


def options_of_commands() -> frozenset[str]:
    """The options that the helps of all commands name, those of the genres of ``make`` too."""
    helps = [in_this_process.run("solvers", name, "--help").stdout for name in COMMANDS]
    helps += [in_this_process.run("solvers", "make", genre, "--help").stdout for genre in (*genres(), "packing")]
    return frozenset(re.findall(r"(?<![\w-])--[a-z][a-z-]*", "\n".join(helps)))


def test_options_exist() -> None:
    known = {*options_of_commands(), *(f"--{field.name.replace('_', '-')}" for field in fields(Options))}
    for puzzle in (*PUZZLES, *PENCIL):
        for parameter in find(puzzle).parameters:
            known |= {parameter.option, f"--no-{parameter.option[2:]}"}
    known |= OTHER_OPTIONS
    for page in PAGES:
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page.read_text(encoding="utf-8")))
        assert named - known - {"--quiet"} == set(), page


def anchors(page: Path) -> set[str]:
    """What its headings can be linked by."""
    headings = re.findall(r"^#+ (.*)", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)]+)\)", prose(page))]
    for page, link in links:
        if not link.startswith("https://"):
            target, _, anchor = link.partition("#")
            other = (page.parent / target).resolve() if target else page
            assert other.exists(), (page, link)
            assert not anchor or anchor in anchors(other), (page, link)


def test_lines_are_wrapped() -> None:
    for page in PAGES:
        assert not [line for line in prose(page).splitlines() if len(line) > 120 and line[0] != "|"], page


def test_readme_takes_ten_minutes() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert len(text.split()) <= 2200


def test_answers_are_the_golden_ones() -> None:
    table = re.findall(r"^\| `python -m solvers.run (\S+)[^`]*` \|[^|]*\|([^|]*)\|", prose(README), flags=re.MULTILINE)
    assert [name for name, _ in table] == list(PUZZLES)
    for name, answer in table:
        defaults = {parameter.name: parameter.default for parameter in find(name).parameters}
        golden = next(one for one in GOLDEN if one.puzzle == name and {**defaults, **one.parameters} == defaults)
        told = [int(number) for number in re.findall(r"\d+", answer)]
        assert {golden.solutions, golden.objective or golden.solutions} <= set(told)
        assert golden.total in told


def test_every_page_is_linked() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in re.findall(r"\]\(([^)]+)\)", prose(page))
        if not link.startswith(("https://", "#"))
    }
    assert set(PAGES) - {README} <= linked


def rows(page: Path, heading: str) -> list[str]:
    """Names in the first cells of the first table behind a heading, without what marks code."""
    (section,) = re.findall(rf"^#+ {heading}\n(.*?)(?=^## |\Z)", prose(page), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| `(\w+)`", section[section.index("|") :].split("\n\n")[0], flags=re.MULTILINE)


def test_every_key_of_the_report_is_told() -> None:
    assert rows(HERE / "solvers/REFERENCE.md", "The report as JSON") == list(json.loads(Report().as_json()))


def first_cells(table: str) -> list[str]:
    return re.findall(r"^\|([^|]*)\|", table, flags=re.MULTILINE)


def test_the_map_shows_every_folder_and_command_once() -> None:
    page = prose(HERE / "solvers/README.md").partition("## The map\n")[2]
    core, wings = (part.partition("\n|")[2].partition("\n\n")[0] for part in page.split("A wing imports")[:2])
    assert len(core.splitlines()) + len(wings.splitlines()) <= 30
    told = [word for cell in first_cells(f"|{core}") for word in re.findall(r"`([^`]+)`", cell)]
    there = [path.relative_to(HERE / "solvers").as_posix() for path in HERE.glob("solvers/**/*.py")]
    folders = {f"{path.split('/')[0]}/" for path in there if "/" in path}
    files = {path for path in there if "/" not in path} - {"__init__.py"}
    assert sorted(told) == sorted(folders | files | {"../models/"})
    assert [name[:-1] for name in told if name in folders] == FOLDERS
    assert re.findall(r"`extras/(\w+)/`", wings) == list(WINGS)
