"""What people are told: a sentence that helps, for mistakes that people who are new here make."""

from pathlib import Path

import pytest

from tests.support.command import run

RUN = "solvers.run"

OWN = """\
from models.puzzle import Puzzle
from ortools.sat.python.cp_model import CpModel

SIZE = 3
CLUES, OTHERS = "", ()
CLUES: str = "12."
FAR = -SIZE

def own(clues: str = CLUES, far: int = FAR, flaw: str = "") -> Puzzle:
    if flaw == "key":
        {}[7]
    if flaw == "value":
        int(flaw)
    if flaw == "refused":
        raise ValueError("this is not to be had")
    model = CpModel()
    x = {n: model.new_bool_var(f"{n}") for n in range(SIZE)}
    model.add(x[0] + 2 * x[1] + 3 * x[2] == SIZE)

    def mirror(label, value):
        return 2 - label, value

    def is_solution(solution):
        return flaw != "check" and bool(solution if flaw != "checking" else [][0])

    symmetries = [mirror] if flaw == "symmetry" else []
    return Puzzle("own", {"clues": clues, "far": far}, model, x, symmetries, is_solution)
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A puzzle of one's own."""
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    return file


def refusal(*words: str, module: str = RUN, code: int = 2) -> str:
    """The one line on stderr."""
    done = run(module, *words)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    return done.stderr.removeprefix("kazoeru: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("flaw", "sentence"),
    [
        ("key", "{file}, line 11: KeyError: 7"),
        ("value", "{file}, line 13: ValueError: invalid literal for int() with base 10: 'value'"),
        ("refused", "{file}: this is not to be had"),
        ("checking", "{file}, line 24: IndexError: list index out of range"),
        ("check", "the check or the model of {file} is wrong: {{2: 1}} solves the model, but violates is_solution"),
        (
            "symmetry",
            "symmetry 1 (mirror) of {file} is wrong: it carries solutions to {{1: 1, 2: 1}}, which violates linear 0",
        ),
    ],
)
def test_what_is_wrong_with_ones_own_file(flaw: str, sentence: str, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(str(own), "--flaw", flaw) == sentence.format(file=own)


def test_a_place_in_a_file_that_is_named_from_where_one_stands(own: Path) -> None:
    near = Path(*[".."] * len(Path(__file__).parents), *own.parts[1:])
    assert refusal(str(near), "--flaw", "key") == f"{near}, line 11: KeyError: 7"


def test_defaults_that_are_constants(own: Path) -> None:
    done = run(RUN, str(own), "--help")
    assert "--clues CLUES  (default: 12.)" in done.stdout
    assert "--far FAR      (default: -3)" in done.stdout
    assert "clues                         12." in run(RUN, str(own)).stdout


@pytest.mark.parametrize(
    "change", ["CLUES = input()", "from os import name as CLUES", "def CLUES(): pass", "del CLUES"]
)
def test_defaults_that_are_no_constants(change: str, own: Path) -> None:
    own.write_text(OWN.replace("FAR = -SIZE", f"{change}\nFAR = 0"), encoding="utf-8")
    assert "a default or a choice of own is no plain value" in refusal(str(own), "--help")


def test_the_nearest_option(own: Path) -> None:
    assert refusal("magic", "--drw", "3").endswith("; did you mean --draw?")
    assert refusal("pentomino", "--bord=3x20").endswith("; did you mean --board?")
    assert refusal(str(own), "--cleus", "1").endswith("; did you mean --clues?")
    assert refusal("pentomino", "--bord=3x20", module="solvers.compare").endswith("; did you mean --board?")


def test_unique_among_all() -> None:
    assert "--symmetry none" in refusal("magic", "--unique", "--all")
