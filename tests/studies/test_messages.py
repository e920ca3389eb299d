"""Messages about commands of the studies."""

from tests.support.command import refusal


def test_names_that_are_not_near_and_options() -> None:
    assert refusal("adit") == "there is no puzzle 'adit'; did you mean the command python -m solvers audit?"


def test_the_nearest_option_of_a_comparison() -> None:
    assert refusal("compare", "pentomino", "--bord=3x20").endswith("; did you mean --board?")
