"""Nonograms in .non and JSON: the published one, what forms the clues may have, and what is refused."""

from pathlib import Path

import pytest

from models.pencil.nonogram import DANCER
from solvers import InputError, solve
from solvers.files.catalogue import find

NON = """catalogue "webpbn.com #1"
title "Demo Puzzle from Front Page"
by "Jan Wolter"
license CC-BY-3.0
width 5
height 10

rows
2
2,1
1,1
3
1,1
1,1
2
1,1
1,2
2

columns
2,1
2,1,3
7
1,3
2,1

goal "01100011010010101110101001010000110010100101111000"
"""
"""The example of the format's description, by J. Wolter."""

OF_ONE = {
    '{"rows": [[1], [0]], "columns": [[1], []]}',
    '{"cols": ["1", ""], "rows": ["1", "0"]}',
    '{"clues": {"rowClues": [1, 0], "columnClues": [1, 0]}, "title": "x"}',
}

REFUSED = {
    "rows\n1\n": (".non", "no line columns with a clue for each column"),
    "width 3\nrows\n1\ncolumns\n1\n1\n": (".non", "the width is 3, and there are 2 columns"),
    "width x\nrows\n1\ncolumns\n1\n": (".non", "line 1 has no width"),
    "3\nrows\n1\ncolumns\n1\n": (".non", "line 1 comes before rows or columns"),
    "rows\n1a\ncolumns\n1a\n": (".non", "blocks of several colours"),
    "rows\n-1\ncolumns\n1\n": (".non", "line 2 has a number below 0: '-1'"),
    "rows\n2\ncolumns\n1\n": (".non", "row 1"),
    "[1": (".json", "it is no JSON"),
    "[]": (".json", 'no lists "rows" and "columns"'),
    '{"rows": [[1]], "columns": [[true]]}': (".json", "column 1: '[True]' is no clue"),
    '{"rows": [[3]], "columns": [[1]]}': (".json", "row 1"),
}


def test_the_example_of_the_format(tmp_path: Path) -> None:
    """The published file is the published puzzle, and its one solution is its goal."""
    file = tmp_path / "dancer.non"
    file.write_text(NON, encoding="utf-8")
    result = solve(str(file))
    assert result.total == 1
    goal = NON.split('"')[-2]
    assert "".join(str(result[0][r, c]) for r in range(10) for c in range(5)) == goal
    assert find(str(file)).declare().parameters["puzzle"] == DANCER


@pytest.mark.parametrize("text", sorted(OF_ONE))
def test_forms_of_clues(text: str, tmp_path: Path) -> None:
    """Clues may be lists, numbers or texts, under the names that are in use."""
    file = tmp_path / "one.json"
    file.write_text(text, encoding="utf-8")
    assert find(str(file)).declare().parameters["puzzle"] == "1/0 | 1/0"
    assert solve(str(file)).total == 1


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str, tmp_path: Path) -> None:
    """A file that is no nonogram gets one sentence."""
    ending, sentence = REFUSED[text]
    file = tmp_path / f"own{ending}"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        find(str(file)).declare()
    assert sentence in str(refused.value)
