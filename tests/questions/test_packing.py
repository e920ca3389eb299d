"""Packing puzzles on sheets, in heat maps and read back."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from models.packing import packing
from models.puzzle import Given
from solvers import solve
from solvers.files.catalogue import find
from tests.support import command
from tests.support.command import refusal
from tests.support.own_models import write
from tests.support.refusals import refused


def test_texts_of_hexagons_and_triangles(tmp_path: Path) -> None:
    """Walls stand between pieces, and what is drawn can be read back."""
    found = solve(packing(board=" # #\n# #", pieces="A x2\n#.#\n", grid="hex"), jobs=1)
    assert str(found[0]).splitlines() == ["   ╱ ╲ ╱ ╲", "  │ A   A │", " ╱ ╲ ╱ ╲ ╱", "│ A   A │", " ╲ ╱ ╲ ╱"]
    parameters: dict[str, Any] = {"board": "2x4", "pieces": "Aa x*\n##\n\nB x*\n###\n", "grid": "triangle"}
    found = solve(packing(**parameters), jobs=1)
    file = tmp_path / "mine.txt"
    for one in found:
        file.write_text(str(one), encoding="utf-8")
        assert solve(packing(**parameters), given=[str(file)], jobs=1)[:] == [one]


def test_heat_maps_have_the_cells_of_the_grid() -> None:
    result = solve(packing(board="hexagon-2", pieces="A x*\n#.#\n\nB\n#\n", grid="hex"), marginals=True)
    assert result.marginals is not None
    assert {len(shape.rings[0]) for shape in result.marginals.heat_map()[0].shapes} == {6}


@pytest.mark.thorough
def test_a_sheet_as_pdf(tmp_path: Path) -> None:
    pytest.importorskip("fpdf")
    file = tmp_path / "sheet.pdf"
    words = ("packing", "--board", "2x2x5", "--pieces", "1x2x2 x*", "--sheet", str(file), "--paper", "letter")
    assert command.run("solvers.run", *words).returncode == 0
    assert re.match(rb"(?s)%PDF.*/MediaBox \[0 0 792.00 612.00\]", file.read_bytes())
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize(("hole", "count"), [("###\n#.#\n###", 1), ("###\n.##\n###", 0)])
def test_what_is_no_board_is_dark_on_a_sheet(hole: str, count: int, tmp_path: Path) -> None:
    """And cells that stay empty are not pieces to cut out."""
    found = solve(packing(board=hole, pieces="dominoes x*", holes=2), marginals=True, jobs=1)
    assert found.marginals is not None
    assert [frame.caption for frame in found.marginals.heat_map()] == ["I"]
    puzzle = found[0].puzzle
    assert puzzle.sheets
    beginning, solved = puzzle.sheets(Given(), found[:1])
    assert [frame.caption for frame in beginning] == ["board; 2 cells stay empty", "any number"]
    for frame in (beginning[0], *solved):
        assert [shape.colour for shape in frame.shapes].count("hole") == count
    assert {shape.label for shape in solved[0].shapes} == {"", "I"}
    assert [shape.colour for shape in solved[0].shapes].count("empty") == 2


def test_cells_that_have_names_show_them_on_a_sheet() -> None:
    puzzle = packing(board="a-puzzle-a-day", pieces="UVZPLNY + 2x3", holes=2)
    found = solve(puzzle, given=["Nov=_", "22=_"], backend="cover", limit=1, jobs=1)
    assert puzzle.sheets
    beginning, (solved,) = puzzle.sheets(Given(), found[:1])
    assert {shape.label for shape in beginning[0].shapes} == {"", *puzzle.board.places}
    assert {"Nov", "22"} < {shape.label for shape in solved.shapes}
    assert "Dec" not in {shape.label for shape in solved.shapes}


def test_sheets_that_cannot_be_written(tmp_path: Path) -> None:
    formula = write(tmp_path / "own.cnf", "p cnf 2 1\n1 2 0\n")
    for words, complaint in (
        ((str(formula), "--sheet", str(tmp_path / "a.svg")), "has no board and no pieces to print"),
        (("packing", "--sheet", str(tmp_path / "a.png")), "does not end in .svg or .pdf"),
        (("packing", "--paper", "letter"), "--paper needs --sheet; add it"),
        (("packing", "--title", "A"), "--title needs --gallery or --sheet; add it"),
        (("packing", "--count-only", "--sheet", str(tmp_path / "a.svg")), "--sheet has nothing to write"),
        (
            ("packing", "--sheet", str(tmp_path / "a.svg"), "--marginals", str(tmp_path / "a-solutions.svg")),
            "same file",
        ),
    ):
        assert complaint in refusal(*words)


@pytest.mark.thorough
def test_dates_are_given_by_name() -> None:
    dates = packing("a-puzzle-a-day", "UVZPLNY + 2x3", holes=2)
    result = solve(dates, backend="cover", given=["Jan=_", "1=_"])
    assert result.total == 64
    assert "Jan" in str(result[0])
    by_holes = solve(dates, backend="cover", by="holes", given=["Jan=_", "1 = _"]).report
    assert by_holes.features == {"Jan, 1": 64}
    assert solve(dates, backend="cover", given=["Jan=_", "1 != _", "2=_"]).complete
    refused("packing has nothing called 'Q'", solve, dates, given=["Jan=Q"])
    refused("packing has no cell called 'Jaan'; there are Jan, Feb, Mar, ...", solve, dates, given=["Jaan=_"])


NAMED = "###.\n.###\n\na b c\nd e f\n"


@pytest.mark.parametrize(
    ("names", "cells"),
    [
        ("a b c\nd e f", "abcdef"),
        ("a b c .\n. d e f", "abcdef"),
        ("a . Dec\n...", ["a", None, "Dec"]),
        ("a 10 .\n... d", ["a", "10", None, None, None, "d"]),
    ],
)
def test_names_of_cells_stand_below_a_board(names: str, cells: Sequence[str | None], tmp_path: Path) -> None:
    board = "###.\n.###\n\n" + names
    path = write(tmp_path / "own.board", board)
    for text in (board, str(path)):
        puzzle = packing(text, "dominoes x*", holes=2)
        wanted = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (1, 3)]
        assert puzzle.board.places == {name: cell for name, cell in zip(cells, wanted, strict=False) if name}
        assert puzzle.key.keys() == packing("###.\n.###", "dominoes x*", holes=2).key.keys()
    by_place = solve(puzzle, given=["row 1 column 1 = _"])
    assert solve(puzzle, given=["a=_"]).total == by_place.total > 0
    assert "a" in str(by_place[0])


@pytest.mark.parametrize(
    ("name", "parameters", "given"),
    [
        ("packing", {"board": NAMED, "pieces": "I x*\n###\n"}, "I"),
        ("pentomino", {"board": "#####\n\na b c d e", "subset": True}, "I"),
        ("dissection", {"region": NAMED}, "part 1"),
        ("edge-matching", {"board": "##\n\na b", "tiles": "macmahon-2 x0-1", "border": "any"}, "aabb"),
        ("coloured-packing", {"board": "12\n12\n\na b\nc d", "pieces": "dominoes-2 x*"}, "12"),
    ],
)
def test_names_of_cells_wherever_boards_are_read(name: str, parameters: dict[str, Any], given: str) -> None:
    puzzle = find(name).load()(**parameters)
    by_name, by_place = (solve(puzzle, given=[f"{cell}={given}"]).total for cell in ("a", "row 1 column 1 "))
    assert by_name == by_place > 0
