"""Messages about options of extras."""

from pathlib import Path

import pytest

from tests.support.command import refusal, run
from tests.support.own_models import write

READERS = ".fzn or .mzn or .opb or .pb or .pbtxt or .xml or .ipynb or .py as a program"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["magic", "--drw", "3"], "; did you mean --draw?"),
        (["pentomino", "--bord=3x20"], "; did you mean --board?"),
        (["own.py", "--cleus", "1"], "; did you mean --clues?"),
        (["own.py", "--key", "x"], f"arguments: --key x; --key is for models that end in {READERS}"),
        (["magic", "--data=x"], "; --data is for models that end in .mzn"),
        (["export", "magic", "/tmp/no.dlx", "--symmetry", "none"], "is not a Boolean; export it to .cnf"),
        (["export", "magic", "/tmp/no.dlx"], "is not a Boolean; export it to .cnf"),
        (["estimate", "golomb"], "asks for a best value, and the search for that cannot be predicted"),
        (["magic", "--why", "0 0=1"], "; why is a command of its own: python -m solvers why --help"),
        (["magic", "--backend", "cover"], "; choose another backend than cover"),
        (["repair", "two.py", "holes"], "; repair givens or forbidden"),
        (["repair", "magic", "holes"], "; repair givens or forbidden"),
    ],
)
def test_advice_that_helps(words: list[str], advice: str, own: Path, two: str) -> None:
    files = {"own.py": str(own), "two.py": two}
    assert refusal(*(files.get(word, word) for word in words)).endswith(advice)


def test_a_file_is_named_once() -> None:
    assert refusal("which", "magic", "nofile") == "there is no file nofile"


@pytest.mark.thorough
def test_a_repair_says_which_ways_it_shows(two: str) -> None:
    told = run("solvers", "repair", two, "givens").stdout
    assert "1 further given leaves exactly one, and no fewer do.\nOne way for each solution that needs" in told
    assert "1 forbidden place leaves exactly one" in run("solvers", "repair", two, "forbidden").stdout
    assert "2 further givens leave exactly one" in run("solvers", "repair", "magic", "givens", "--kind", "ring").stdout
    holes = run("solvers", "repair", "dissection", "holes", "--region", "square-3").stdout
    assert holes.startswith("2 holes leave exactly one, and no fewer do.\nEach way, up to symmetry:\n")


@pytest.mark.thorough
def test_an_explanation_of_several_solutions(two: str) -> None:
    advice = "add a --given, or repair givens\n"
    one = f"0 steps; there are several solutions, and 1 fact of one does not hold in all; {advice}"
    assert run("solvers", "explain", two).stdout == one  # what a rule about one variable states needs no step
    several = run("solvers", "explain", "magic", "--kind", "ring").stdout
    assert several == f"0 steps; there are several solutions, and 8 facts of one do not hold in all; {advice}"


def test_a_file_that_declares_no_puzzle(tmp_path: Path) -> None:
    """It is run as a program."""
    file = write(tmp_path / "a-b.py", "import os\nimport models.puzzle as p\nraise ValueError\n")
    assert refusal(str(file)).startswith(f"{file}, line 3: ValueError")
