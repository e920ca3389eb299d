"""Starting positions of packings that are made, and sets of pieces that come apart in many moves."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from models.packing import packing
from solvers import make, solve
from solvers.extras.questions.disassembly.of_solutions import disassembly_of
from solvers.extras.questions.make.command import main
from tests.support.refusals import refused

SHAPES = {
    "L": ["###", "#.."],
    "V": ["##", "#."],
    "I": ["###"],
}
"""Pieces of a small board, by rows."""

PIECES_FILE = "\n\n".join("\n".join([name, *rows]) for name, rows in SHAPES.items()) + "\n"
BOARD = "2x5"


def turned(rows: list[str]) -> set[frozenset[tuple[int, int]]]:
    """All ways in which a piece may lie, at the corner."""
    cells = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#"]
    found = set()
    for flips, swap in product(product((1, -1), repeat=2), (False, True)):
        turn = [(flips[0] * (c if swap else r), flips[1] * (r if swap else c)) for r, c in cells]
        low = [min(along) for along in zip(*turn, strict=True)]
        found.add(frozenset((r - low[0], c - low[1]) for r, c in turn))
    return found


def count(lines: list[str]) -> int:
    """The number of ways to place the pieces that are left, by brute force."""
    free = frozenset((r, c) for r, row in enumerate(lines) for c, sign in enumerate(row) if sign == "#")
    left = [name for name in SHAPES if not any(name in row for row in lines)]

    def ways(open_cells: frozenset[tuple[int, int]], names: list[str]) -> int:
        if not names:
            return not open_cells
        places = {
            frozenset((r + dr, c + dc) for r, c in shape)
            for shape in turned(SHAPES[names[0]])
            for dr, dc in product(range(5), repeat=2)
        }
        return sum(ways(open_cells - place, names[1:]) for place in places if place <= open_cells)

    return ways(free, left)


def test_positions_have_one_solution() -> None:
    made = [*make("packing", board=BOARD, pieces=PIECES_FILE, given="1..2", count=3, seed=5)]
    assert len({puzzle.line for puzzle in made}) == 3
    for puzzle in made:
        assert count(puzzle.line.split("/")) == 1
        assert puzzle.is_solution is not None
        assert puzzle.is_solution(puzzle.answer)
    assert count(["#####", "#####"]) > 1
    levels = [(puzzle.reasoning.level, puzzle.reasoning.looks) for puzzle in made]
    assert levels == sorted(levels)
    again = make("packing", board=BOARD, pieces=PIECES_FILE, given="1..2", count=3, seed=5)
    assert [puzzle.line for puzzle in again] == [puzzle.line for puzzle in made]
    assert [solve(packing(puzzle.line, PIECES_FILE), jobs=1).total for puzzle in made] == [1] * 3


def test_command_writes_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = tmp_path / "own.pieces"
    pieces.write_text(PIECES_FILE)
    pytest.importorskip("fpdf")
    words = ["packing", "--board", BOARD, "--pieces", str(pieces), "--given", "1..2", "--count", "2", "--quiet"]
    assert main([*words, "--cards", str(tmp_path / "card.txt"), "--sheet", str(tmp_path / "cards.pdf")]) == 0
    lines = capsys.readouterr().out.splitlines()
    for number, line in enumerate(lines, 1):
        card = tmp_path / f"card-{number}.txt"
        assert card.read_text().split() == line.split("/")
        assert solve(packing(str(card), PIECES_FILE), jobs=1).total == 1
    assert (tmp_path / "cards.pdf").read_bytes().startswith(b"%PDF")


def test_solids_are_drawn_layer_by_layer() -> None:
    (puzzle,) = make("packing", board="2x2x3", pieces="A\n###\n\nB\n###\n\nC\n###\n\nD\n###\n", given="3", seed=1)
    assert re.fullmatch(r"[#ABCD]{3}/[#ABCD]{3}/-/[#ABCD]{3}/[#ABCD]{3}", puzzle.line)
    assert solve(packing(puzzle.line, puzzle.parameters["pieces"]), jobs=1).total == 1


@pytest.mark.parametrize(
    ("level", "least", "sizes"),
    [
        ("1.", (1,), {"parts": 2, "board": "2x2x3"}),
        pytest.param("2.", (2,), {"parts": 3, "board": "3x3x3", "holes": 3}, marks=pytest.mark.thorough),
    ],
)
def test_pieces_that_come_apart_in_so_many_moves(level: str, least: tuple[int, ...], sizes: dict[str, Any]) -> None:
    (puzzle,) = make("packing", level=level, seed=1, **sizes)
    result = solve(puzzle, unique_apart=True, jobs=1)
    assert result.report.unique_apart
    assert disassembly_of(puzzle, puzzle.answer).moves >= least
    assert puzzle.is_solution is not None
    assert puzzle.is_solution(puzzle.answer)


def test_wishes_that_cannot_be() -> None:
    refused("is no number of pieces", lambda: make("packing", given="4..2"))
    refused("leave out other wishes", lambda: make("packing", minimal=True))
    refused("call each piece by a letter", lambda: [*make("packing", board="2x2", pieces="AB x2\n##\n")])
    refused("0 starting positions", lambda: [*make("packing", board="2x2", pieces="A\n##\n\nB\n##\n", given="2")])
    refused("13 pieces cannot be made", lambda: make("packing", level="2.", parts=13, board="3x4"))


@pytest.mark.thorough
def test_pieces_of_a_board_without_any_are_pentominoes() -> None:
    (puzzle,) = make("packing", board="3x20", given="2..4")
    (again,) = make("packing", board="3x20", pieces="pentominoes", given="2..4")
    assert puzzle.line == again.line
