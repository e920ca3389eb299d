"""Messages about options of extras."""

from pathlib import Path

from tests.support.command import RUN, refusal, run


def test_the_nearest_option(own: Path) -> None:
    assert refusal("magic", "--drw", "3").endswith("; did you mean --draw?")
    assert refusal("pentomino", "--bord=3x20").endswith("; did you mean --board?")
    assert refusal(str(own), "--cleus", "1").endswith("; did you mean --clues?")
    assert refusal("pentomino", "--bord=3x20", module="solvers.compare").endswith("; did you mean --board?")


def test_an_option_of_other_models(own: Path) -> None:
    readers = ".fzn or .mzn or .pb or .pbtxt or .py with CPMpy"
    assert refusal(str(own), "--key", "x").endswith(f"arguments: --key x; --key is for models that end in {readers}")
    assert refusal("magic", "--data=x").endswith("; --data is for models that end in .mzn")


def test_a_file_is_named_once() -> None:
    assert refusal("magic", "--which", "nofile") == "there is no file nofile"


def test_advice_that_helps() -> None:
    assert refusal("magic", "--export", "/tmp/no.dlx", "--all").endswith("is not a Boolean; export it to .cnf")
    assert refusal("magic", "--export", "/tmp/no.dlx").endswith("is not a Boolean; export it to .cnf")
    sentence = refusal("magic", "--estimate")
    assert sentence.endswith("is not a Boolean, and --estimate predicts the search of exact covers only")
    assert refusal("magic", "--backend", "cover").endswith("; choose another backend than cover")


def test_a_repair_says_which_ways_it_shows(two: str) -> None:
    told = run(RUN, two, "--repair", "givens").stdout
    assert "1 further given leaves exactly one, and no fewer do.\nOne way for each solution that needs" in told
    assert "1 forbidden place leaves exactly one" in run(RUN, two, "--repair", "forbidden").stdout
    assert "2 further givens leave exactly one" in run(RUN, "magic", "--kind", "ring", "--repair", "givens").stdout
    holes = run(RUN, "dissection", "--region", "square-3", "--repair", "holes").stdout
    assert holes.startswith("2 holes leave exactly one, and no fewer do.\nEach way, up to symmetry:\n")


def test_holes_where_there_are_no_cells(two: str) -> None:
    assert refusal(two, "--repair", "holes").endswith("; choose --repair givens or forbidden")
    assert refusal("magic", "--repair", "holes").endswith("; choose --repair givens or forbidden")


def test_an_explanation_of_several_solutions(two: str) -> None:
    advice = "add a --given, or ask --repair givens\n"
    one = f"1 step; there are several solutions, and 1 fact of one does not hold in all; {advice}"
    assert run(RUN, two, "--explain").stdout.endswith(one)
    assert "by 1 rule:" in run(RUN, two, "--explain").stdout
    several = run(RUN, "magic", "--kind", "ring", "--explain").stdout
    assert several == f"0 steps; there are several solutions, and 8 facts of one do not hold in all; {advice}"
