"""Drawings read back: whole and partly drawn ones, with other letters, without walls, and nonsense."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.boards import grid
from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Label, Puzzle, Solution
from solvers import InputError, solve
from solvers.extras.questions.recognise.drawings import read_drawing
from solvers.files.catalogue import find
from solvers.show import draw
from solvers.symmetry.key import Key
from tests.support import symmetric
from tests.support.command import printed, refusal
from tests.support.own_models import write
from tests.support.tiers import later

FAMILIES = [
    ("pentomino", {"board": "5x4", "subset": True}, "cover"),
    pytest.param("pentomino", {"board": "2x3x5", "subset": True}, "cover", marks=pytest.mark.thorough),
    ("checker", {}, "cover"),
    pytest.param("dissection", {"region": "2x6", "parts": 3}, "sat", marks=pytest.mark.thorough),
    ("magic", {}, "sat"),
    pytest.param("magic", {"kind": "square", "order": 4}, "sat", marks=pytest.mark.thorough),
    ("magic", {"kind": "ring"}, "sat"),
    pytest.param("matchsticks", {"expression": "6+4=4", "moves": 1}, "cp-sat", marks=pytest.mark.thorough),
    pytest.param("flip-it", {"board": "bb_bb", "horizon": 10}, "cp-sat", marks=pytest.mark.thorough),
]


def read(puzzle: Puzzle, text: str) -> tuple[dict[Label, int], list[str]]:
    """What is shown, and what is stray."""
    assert isinstance(puzzle.model, CpModel)
    return read_drawing(puzzle, Key(puzzle.model, puzzle.key), text)[:2]


def check_reading(puzzle: Puzzle, solutions: Iterable[Solution]) -> None:
    """Each drawing is read as the solution that it shows."""
    for number, solution in enumerate(solutions, 1):
        shown, stray = read(puzzle, f"{number}\n{draw.solution(puzzle, solution)}\n\n")
        assert {label: value for label, value in shown.items() if value or label in solution} == dict(solution)
        assert stray == []


@pytest.mark.parametrize(("name", "parameters", "backend"), later(FAMILIES, "checker", "magic"))
def test_what_is_drawn_is_read(name: str, parameters: dict[str, Any], backend: str) -> None:
    puzzle = find(name).load()(**parameters)
    check_reading(puzzle, solve(puzzle, backend=backend, jobs=1, limit=2))


def test_rows_of_long_names() -> None:
    puzzle = packing("2x3", "Tower\n###\n\nSlab\n##\n\nI\n#\n")
    solution = [("Tower", ((0, 0), (0, 1), (0, 2))), ("Slab", ((1, 0), (1, 1))), ("I", ((1, 2),))]
    assert read(puzzle, "Tower Tower Tower\nSlab Slab I") == (dict.fromkeys(solution, 1), [])
    assert read(puzzle, "Tower Tower Tower\n. . I") == ({solution[0]: 1, solution[2]: 1}, [])
    drawn = draw.solution(puzzle, dict.fromkeys(solution, 1))
    assert read(puzzle, drawn.replace("Slab", "    ")) == ({solution[0]: 1, solution[2]: 1}, [])


def test_a_drawing_of_ones_own() -> None:
    puzzle = replace(
        symmetric.queens(6), draw=lambda rows: grid.board(6, 6, {(r, column): "Q" for column, r in rows.items()})
    )
    solution = solve(puzzle, jobs=1)[0]
    assert read(puzzle, str(solution)) == (dict(solution), [])
    assert read(puzzle, str(solution).replace("Q", "♕")) == (dict(solution), [])


PARTLY = """
┌───────────┐
│ X         │
│   ┌───┐   │
│   │ I │   │
│   │   │   │
│   │   │   │
│   │   │   │
│   │   │   │
│   │   │   │
│   │   │   │
│   │   │   │
│   └───┘   │
└───────────┘
"""


def test_partly_drawn() -> None:
    puzzle = find("pentomino").load()(board="6x3", subset=True)
    place = tuple((row, 1) for row in range(1, 6))
    shown, stray = read(puzzle, PARTLY)
    assert (shown, stray) == ({("I", place): 1}, ["'X' in row 1, column 1"])
    rows = "..." + "\n.I." * 5
    for text in (PARTLY.replace("X", " "), rows, rows.replace("I", " I ").replace(".", " . ")):
        assert read(puzzle, text) == ({("I", place): 1}, [])
    assert read(puzzle, rows.replace("I", ".")) == ({}, [])
    assert read(puzzle, "hello there")[0] == {}


@pytest.mark.parametrize(
    ("puzzle", "text", "complaint"),
    [
        ("magic", "1 2 3\n4 12 6\n7 8 X", "has nothing that looks like '12' in row 2, column 2"),
        ("magic", "1 . .\n. X .\n. . .", "has nothing that looks like 'X'"),
        ("magic", "", "shows nothing"),
        ("magic", "...", "shows nothing"),
        ("magic", "[[", "no solution of magic in JSON"),
        ("magic", "[[1, 2]]", "no solution of magic in JSON"),
        ("magic", "[[[0, 0], 77]]", "takes 1 to 9, not '77'"),
        ("magic", "[[[0, 0], 1]]\n[[[0, 0], 2]]", "holds 2 lines"),
        ("magic", "0 0 = 1\n0 0 = 2", "given as 1 and as 2"),
        ("magic", "z = 1", "has no label 'z'"),
        (pentomino("3x5", subset=True), "hello", "has nothing that looks like"),
        (pentomino("3x5", subset=True), "\0\0", "has nothing that looks like"),
        ("flip-it", "start\n┌───┬───┐", "shows nothing"),
    ],
)
def test_files_of_what_is_given(tmp_path: Path, puzzle: str | Puzzle, text: str, complaint: str) -> None:
    file = write(tmp_path / "given.txt", text)
    with pytest.raises(InputError, match=complaint):
        solve(puzzle, given=str(file), jobs=1)


def test_the_command(tmp_path: Path) -> None:
    file = write(tmp_path / "given.txt", "1 . .\n. . .\n. . 9\n")
    given = "given                         row 1 column 1 = 1\ngiven                         row 3 column 3 = 9\n"
    assert given in printed("magic", "--given", str(file), "--unique")
    file.write_bytes(b"\xff\xfe")
    assert "is not text" in refusal("magic", "--given", str(file))
    refusal("magic", "--given", str(tmp_path))


def test_a_drawing_that_needs_whole_solutions() -> None:
    puzzle = find("magic").load()()
    whole = replace(
        puzzle, fills=None, draw=lambda found: grid.board(3, 3, {place: str(found[place]) for place in puzzle.key})
    )
    with pytest.raises(InputError, match="needs whole solutions"):
        read(whole, "1 2 3")
