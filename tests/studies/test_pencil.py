"""Pencil puzzles judged, many lines at a time."""

import threading
from pathlib import Path

import pytest

from solvers import solve, unique
from solvers.extras.studies.unique.judge import MOST_VALUES, WarmSolver
from solvers.files.catalogue import find
from tests.support.command import run
from tests.support.golden import KILLER
from tests.support.own_models import write
from tests.support.pencil import boards_by_clues


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("slitherlink", ["6x6t0:d0a33b1c12d20c1b11a2d", "2.2./3.../.22./.2.1", "0", "4"]),
        ("masyu", [".W.../W..B./...../....W/..W..", ".W.../...../...../.B.B./....B", "W./..", "../.."]),
        ("akari", ["..2../...B./..0../....2/....0", "..", "1B.", "B.B"]),
        ("numberlink", ["...4.../.3..25./...31../...5.../......./..1..../2...4..", "1../.../..1", "12/21", "1..1"]),
        ("hashi", ["4.....3/......./..1.1../......./......./..3.4.2/4..2...", "3.3/.../3.3", "1.2", "3x1m2:2a2"]),
        pytest.param(
            "nurikabe", [".4../..../1.../....", "3.../..../...3", "1.../....", "1"], marks=pytest.mark.thorough
        ),
        ("heyawake", ["AB A=1 B=0", "AAB/AAB A=1", "AAB/AAB A=4", "A A=1"]),
    ],
)
def test_lines_are_judged(name: str, lines: list[str]) -> None:
    assert [verdict.solutions for verdict in unique(name, lines, jobs=1)] == ["1", "2+", "0", "1"]


@pytest.mark.parametrize("puzzle", ["AB A=1 B=0", "AAB/AAB A=1", "AAB/AAB A=4", "A A=1"])
def test_models_of_many_values_need_no_clauses(puzzle: str) -> None:
    """CP-SAT judges as the clauses do."""
    declared = find("heyawake").declare(puzzle=puzzle)
    found = [WarmSolver(declared, threading.Event(), most).first_two() for most in (-1, MOST_VALUES)]
    assert len(found[0]) == len(found[1]) == min(2, solve(declared, jobs=1).total)


MANY_ROOMS = (
    "https://puzz.link/p?heyawake/20/20"
    "/u02lt55bqa99llai3ahk5p3d7i6qb4d4m2q985kmg99dh7ib2f4l8q9ahlil3b5auj6lt6cdg4or9vu00e1vsefo3scvs3v03v0"
    "001g13vnu00foce07jgfvfu0041vuc0003g30000ufvs200fsvvf0j4g0h0i2h0m0h3j5g0h023g3g040m23g125g32h1g01h121"
    "0l2g22"
)
"""A link with a heyawake of 84 rooms."""


@pytest.mark.thorough
def test_a_heyawake_of_many_rooms() -> None:
    assert [verdict.solutions for verdict in unique("heyawake", [MANY_ROOMS], jobs=1)] == ["1"]


@pytest.mark.thorough
def test_a_killer_sudoku_with_one_sum_less() -> None:
    texts = [KILLER, KILLER.replace("A=3", "A=4"), "A"]
    verdicts = unique("sudoku", texts, parameter="cages", rows=3, columns=3)
    assert [verdict.solutions for verdict in verdicts] == ["1", "0", ""]


def test_numbrix_with_numbers_given() -> None:
    texts = ["1 2 3|. . .|. . 9", "1 . .|. . .|. . .", "1 9 .|. . .|. . .", "1 2 10|. . .|. . ."]
    assert [verdict.solutions for verdict in unique("numbrix", texts, board="3x3")] == ["1", "2+", "0", ""]


@pytest.mark.parametrize(
    ("name", "one", "two", "none"),
    [
        ("nonogram", "2/1 1 | 2/1/1", "1/1 | 1/1", "2/2 | 2/0"),
        ("star-battle", "AAABBC/AAACCC/AAADEE/AADDEE/FFDDDE/FFFDDE", "AABB/AABB/CCDD/CCDD", "ABC/ABC/ABC"),
        ("skyscrapers", "3:3///////////,b2f", "3:///////////", "3:1/1//////////"),
        ("futoshiki", "2:1,0,0,0", "2:0,0,0,0", "2:0R,0,0R,0"),
        ("kakuro", r"# 4\ 3\ / \4 . . / \3 . .", r"# 10\ 9\ / \9 . . / \10 . .", r"# 3\ 4\ / \3 . . / \5 . ."),
    ],
)
def test_one_two_and_none_in_lines(name: str, one: str, two: str, none: str) -> None:
    assert [verdict.solutions for verdict in unique(name, [one, two, none, "??/?"])] == ["1", "2+", "0", ""]


@pytest.mark.thorough
def test_nonograms_of_3x4_by_enumeration() -> None:
    boards = boards_by_clues(3, 4)
    asked = list(boards)[:120]
    answers = [verdict.solutions for verdict in unique("nonogram", asked)]
    assert answers == ["1" if len(boards[clues]) == 1 else "2+" for clues in asked]


def test_a_nonogram_in_the_format_non(tmp_path: Path) -> None:
    """It is read as a parameter, in a folder, and by itself."""
    text = 'title "a | b"\nwidth 3\nheight 3\n\nrows\n2\n1,1\n0\n\ncolumns\n2\n1\n1\n\ngoal 110101000\n'
    path = write(tmp_path / "own.non", text)
    for words in ([text], [str(path)]):
        assert [verdict.solutions for verdict in unique("nonogram", words)] == ["1"]
    assert solve(find("nonogram").declare(puzzle=str(path)), jobs=1).total == 1
    for place in (path, tmp_path):
        assert "1 puzzle: 1 with one" in run("solvers", "unique", "nonogram", str(place)).stdout
