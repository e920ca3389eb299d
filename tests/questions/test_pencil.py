"""The questions on pencil puzzles: cells and rules in words, counted from 1, and drawings that are read again."""

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from models.puzzle import Puzzle
from solvers import solve
from solvers.extras.questions.functions import candidates, explain, hints, minimal, repair, why
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.reasons.rules import rules
from solvers.files.catalogue import find
from tests.support.golden import KILLER
from tests.support.own_models import write
from tests.support.tiers import later, sampled

ONE: dict[str, dict[str, Any]] = {
    "sudoku": {"cages": "AAB./.BB./CC../.... A=3 B=9 C=7", "given": ["row 1 column 1 = 1", "row 3 column 1 = 4"]},
    "nonogram": {"puzzle": "2/1 1 | 2/1/1"},
    "star-battle": {"puzzle": "ABBB/ABDD/CCDD/CCDD"},
    "skyscrapers": {"puzzle": "3:3/2/1/1/2/2/3/2/1/1/2/2"},
    "futoshiki": {"puzzle": "2:1,0L,0,0"},
    "calcudoku": {"puzzle": "AAB/CDB/CDD A=2x B=1- C=5+ D=3x"},
    "dominosa": {"puzzle": "2201/0121/0120"},
    "kakuro": {"puzzle": r"# 4\ 3\ / \4 . . / \3 . ."},
    "numbrix": {"board": "2x3", "given": ["row 1 column 1 = 1", "row 2 column 1 = 6"]},
    "slitherlink": {"puzzle": "2.3/..2/...", "given": ["a line lies above row 2 column 2"]},
    "masyu": {"puzzle": "..W./..../.BW."},
    "akari": {"puzzle": ".2./.B./..."},
    "numberlink": {"puzzle": "..2/.21/..1"},
    "hashi": {"puzzle": "2..3/..../1..2", "given": ["2 bridges lead from row 1 column 1 to row 1 column 4"]},
    "nurikabe": {"puzzle": "2.../..../...3", "given": ["row 3 column 3 = #"]},
    "heyawake": {"puzzle": "AAB/AAB A=1 B=1", "given": ["row 1 column 1 = #", "row 1 column 3 != #"]},
}
"""For each puzzle, parameters and givens that leave one solution."""

SEVERAL: dict[str, dict[str, Any]] = {
    "futoshiki": {"puzzle": "3:0R,0,0,0,0U,0,0,0,0"},
    "slitherlink": {"puzzle": "2.3/..2/..."},
    "hashi": {"puzzle": "2..3/..../1..2"},
    "nurikabe": {"puzzle": "2.../..../...3"},
    "heyawake": {"puzzle": "AAB/AAB A=1"},
}
"""For some puzzles, parameters that leave several solutions."""

INTERNAL = re.compile(r"\(-?[0-9]+, |variable [0-9]|constraint [0-9]|definition|[0-9]·")
"""Matches what no answer says: labels of the key, variables without a name, terms of sums."""


def declared(name: str, chosen: dict[str, Any]) -> tuple[Puzzle, list[str]]:
    """A puzzle, and what is given."""
    parameters = {word: value for word, value in chosen.items() if word != "given"}
    return find(name).load()(**parameters), chosen.get("given", [])


def says_well(answer: object) -> str:
    """The text of an answer, which has no words that only the program knows."""
    for words in (str(answer), answer._repr_html_()):  # type: ignore[attr-defined]
        assert not INTERNAL.search(words), words
    return str(answer)


@pytest.mark.parametrize("name", ONE)
def test_each_rule_has_words(name: str) -> None:
    puzzle, given = declared(name, ONE[name])
    asked = pose(puzzle, given, "none", None, threading.Event())
    for rule in rules(asked.puzzle, asked.key, asked.rules):
        assert not INTERNAL.search(rule.text), rule.text


@pytest.mark.parametrize("name", sampled(later(ONE, "sudoku"), 4))
def test_the_way_to_the_only_solution(name: str) -> None:
    puzzle, given = declared(name, ONE[name])
    steps = explain(puzzle, given=given)
    assert steps.is_unique
    assert says_well(steps).startswith("1. ")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in ONE if name != "sudoku"])  # whose square of 9 rows takes long
def test_each_fact_of_the_only_solution_is_read_as_it_is_told(name: str) -> None:
    puzzle, given = declared(name, ONE[name])
    for step in list(explain(puzzle, given=given))[:5]:
        answer = why(puzzle, step.fact.text, given=given)
        fact = re.match(r"In every solution, (.+)\. (?:The reason with|A minimal reason)", says_well(answer))
        assert fact
        assert why(puzzle, fact[1], given=given).as_json()["forced"]


@pytest.mark.parametrize(
    "name",
    [name if name in ("slitherlink", "heyawake") else pytest.param(name, marks=pytest.mark.thorough) for name in ONE],
)
def test_a_drawn_solution_is_read_again(name: str, tmp_path: Any) -> None:
    puzzle, given = declared(name, ONE[name])
    (solution,) = solve(puzzle, given=given, symmetry="none")
    drawing = tmp_path / "drawn.txt"
    drawing.write_text(str(solution), encoding="utf-8")
    assert says_well(hints(puzzle, str(drawing), given=given)).startswith("This solution is the only one; it needs no")
    assert "There is one solution without any of the hints" in says_well(minimal(puzzle, str(drawing), given=given))
    assert "needs no further givens" in says_well(repair(puzzle, "givens", given=given))
    assert "1 solution in all" in says_well(candidates(puzzle, given=given))


@pytest.mark.parametrize("name", sampled(SEVERAL, 3))
def test_a_repaired_puzzle_has_the_solution_that_was_promised(name: str) -> None:
    puzzle, _ = declared(name, SEVERAL[name])
    says_well(candidates(puzzle))
    answer = repair(puzzle, "givens")
    words = re.search(r"\n1\. (.+)\n", says_well(answer))
    assert words
    (solution,) = solve(puzzle, given=words[1].split("; "), symmetry="none")
    assert dict(answer.as_json()["ways"][0]["solution"]).items() <= dict(solution).items()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sudoku", "the cage of row 1 columns 1-2 adds up to 3"),
        ("nonogram", "the clue of row 2 is 1 1"),
        ("kakuro", "the run of row 3 columns 2-3 has different digits, with sum 3"),
        ("skyscrapers", "the clue above column 1 is 3"),
        ("skyscrapers", "the clue right of row 3 is 2"),
        ("calcudoku", "the product of row 1 columns 1-2 is 2, of numbers that differ in each line"),
        ("dominosa", "the domino 0-1 is in one place"),
        ("slitherlink", "the clue of row 1 column 3 is 3"),
        ("masyu", "the black pearl of row 3 column 2"),
        ("akari", "the clue of row 1 column 2 is 2"),
        ("hashi", "the clue of row 1 column 4 is 3"),
        ("nurikabe", "the island of row 3 column 4 has 3 cells"),
        ("heyawake", "the room of rows 1-2 columns 1-2 has the number 1"),
        ("numberlink", "a way joins the 2 of row 1 column 3 and of row 2 column 2"),
    ],
)
def test_clues_are_named_with_their_cells(name: str, words: str) -> None:
    puzzle, _ = declared(name, ONE[name])
    asked = pose(puzzle, [], "none", None, threading.Event())
    assert words in [rule.text for rule in rules(asked.puzzle, asked.key, asked.rules)]


def test_rows_are_counted_as_they_are_drawn() -> None:
    """The first row and column of this board are black."""
    puzzle, _ = declared("kakuro", ONE["kakuro"])
    assert "row 2 column 2 = 3" in str(explain(puzzle))
    assert why(puzzle, "row 2 column 2 = 3").as_json()["forced"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nonogram", "│ 1   1 │(#)│( )│[#]│"),
        ("slitherlink", "·   ·   ·─━─·"),
        ("masyu", "│    (●)  ○     │"),
        ("kakuro", "│\\3 │   │[2]│"),
    ],
)
def test_the_cells_of_a_reason_are_marked_on_the_board(name: str, line: str) -> None:
    puzzle, given = declared(name, ONE[name])
    steps = explain(puzzle, given=given)
    assert line in str(steps)
    assert "( ) the cells that the reason names" in str(steps)
    assert 'fill="#E8590C"' in steps._repr_html_()


PLAIN: list[tuple[str, dict[str, Any]]] = [
    ("sudoku", {}),
    ("sudoku", {"rows": 3, "columns": 3, "cages": KILLER}),
    ("nonogram", {}),
    ("star-battle", {}),
    ("skyscrapers", {}),
    ("futoshiki", {}),
    ("kakuro", {}),
    ("numbrix", {"board": "2x3"}),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "parameters"), PLAIN[::2], ids=str)
def test_drawings_are_read_back(name: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    puzzle = find(name).declare(**parameters)
    found = solve(puzzle, jobs=1, limit=1)
    file = write(tmp_path / "mine.txt", str(found[0]))
    told = solve(puzzle, which=str(file), jobs=1).report.which
    assert told is not None
    assert told["solution"] is True, told
