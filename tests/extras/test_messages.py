"""Messages about options of extras."""

from pathlib import Path

import pytest

from tests.support.command import RUN, refusal, run

READERS = ".fzn or .mzn or .pb or .pbtxt or .py with CPMpy"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["magic", "--drw", "3"], "; did you mean --draw?"),
        (["pentomino", "--bord=3x20"], "; did you mean --board?"),
        (["own.py", "--cleus", "1"], "; did you mean --clues?"),
        (["own.py", "--key", "x"], f"arguments: --key x; --key is for models that end in {READERS}"),
        (["magic", "--data=x"], "; --data is for models that end in .mzn"),
        (["magic", "--export", "/tmp/no.dlx", "--all"], "is not a Boolean; export it to .cnf"),
        (["magic", "--export", "/tmp/no.dlx"], "is not a Boolean; export it to .cnf"),
        (["magic", "--estimate"], "is not a Boolean, and --estimate predicts the search of exact covers only"),
        (["magic", "--backend", "cover"], "; choose another backend than cover"),
        (["two.py", "--repair", "holes"], "; choose --repair givens or forbidden"),
        (["magic", "--repair", "holes"], "; choose --repair givens or forbidden"),
    ],
)
def test_advice_that_helps(words: list[str], advice: str, own: Path, two: str) -> None:
    files = {"own.py": str(own), "two.py": two}
    assert refusal(*(files.get(word, word) for word in words)).endswith(advice)


def test_the_nearest_option_of_a_comparison() -> None:
    assert refusal("pentomino", "--bord=3x20", module="solvers.compare").endswith("; did you mean --board?")


def test_a_file_is_named_once() -> None:
    assert refusal("magic", "--which", "nofile") == "there is no file nofile"


def test_a_repair_says_which_ways_it_shows(two: str) -> None:
    told = run(RUN, two, "--repair", "givens").stdout
    assert "1 further given leaves exactly one, and no fewer do.\nOne way for each solution that needs" in told
    assert "1 forbidden place leaves exactly one" in run(RUN, two, "--repair", "forbidden").stdout
    assert "2 further givens leave exactly one" in run(RUN, "magic", "--kind", "ring", "--repair", "givens").stdout
    holes = run(RUN, "dissection", "--region", "square-3", "--repair", "holes").stdout
    assert holes.startswith("2 holes leave exactly one, and no fewer do.\nEach way, up to symmetry:\n")


def test_an_explanation_of_several_solutions(two: str) -> None:
    advice = "add a --given, or ask --repair givens\n"
    one = f"1 step; there are several solutions, and 1 fact of one does not hold in all; {advice}"
    assert run(RUN, two, "--explain").stdout.endswith(one)
    assert "by 1 rule:" in run(RUN, two, "--explain").stdout
    several = run(RUN, "magic", "--kind", "ring", "--explain").stdout
    assert several == f"0 steps; there are several solutions, and 8 facts of one do not hold in all; {advice}"
