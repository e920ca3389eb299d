"""Hints on single cells, against the solutions that have them, for every puzzle that says what lies where."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.boards import grid
from models.digits.sudoku import sudoku
from models.magic import magic
from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Drawing, Puzzle, Solution
from solvers import InputError, solve
from solvers.files.catalogue import find
from tests.support import declared
from tests.support.command import printed, told
from tests.support.drawings import lying
from tests.support.own_models import write

PUZZLES: list[Any] = [
    ("pentomino", {"board": "5x3", "subset": True}, ("cover", "sat")),
    pytest.param(
        "packing",
        {"board": "2x2x4", "pieces": "1x2x2 x* + tetracubes x0-2"},
        ("cover", "cp-sat"),
        marks=pytest.mark.thorough,
    ),
    ("packing", {"board": "triangle-4", "grid": "triangle", "pieces": "tetriamonds x*"}, ("cover", "cp")),
    ("packing", {"board": "4x4", "pieces": "dominoes x*", "holes": 2}, ("cover", "sat")),
    pytest.param(
        "dissection", {"region": "2x4", "require": "congruent"}, ("cp-sat", "sat"), marks=pytest.mark.thorough
    ),
]


def found_by(puzzle: Puzzle, file: Path) -> Any:
    """What is said of the solution that a file draws."""
    return solve(puzzle, backend="cover", jobs=1, which=str(file)).report.which


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "parameters", "backends"), PUZZLES)
def test_against_all_solutions(name: str, parameters: dict[str, Any], backends: tuple[str, ...]) -> None:
    puzzle = find(name).load()(**parameters)
    everything = [lying(puzzle, solution) for solution in solve(puzzle, backend=backends[0], jobs=1).in_all()]
    choice = random.Random(name)
    corner = tuple(min(cell[axis] for cell in everything[0]) for axis in range(len(next(iter(everything[0])))))
    for count in (1, 2):
        wanted = []
        for cell, own in choice.sample(sorted(choice.choice(everything).items()), count):
            is_there = choice.random() < 0.6
            wanted.append((cell, own if is_there else choice.choice(everything)[cell], is_there))
        axes = ("layer", "row", "column")[-len(corner) :]
        texts = [
            " ".join(f"{axis} {n - least + 1}" for axis, n, least in zip(axes, cell, corner, strict=True))
            + f" {'=' if is_there else '!='} {own}"
            for cell, own, is_there in wanted
        ]
        total = sum(all((one[cell] == own) == is_there for cell, own, is_there in wanted) for one in everything)
        asked: list[dict[str, Any]] = [{}, {"unbroken": True}, {"symmetry": "found"}, {"backend": backends[1]}]
        for more in [*asked, *([{"count_only": True}] if backends[0] == "cover" else [])]:
            result = solve(puzzle, **{"backend": backends[0], "given": texts, "jobs": 1, **more})
            assert (result.total, result.report.given) == (total, texts)


def test_cells_that_may_stay_empty() -> None:
    """Of such a cell, a hint also says that something lies there."""
    puzzle = declared.puzzle(
        dict.fromkeys(product("AB", range(3)), declared.BOOLEAN),
        *(lambda model, *lies, one=one: model.add_at_most_one(lies[3 * one : 3 * one + 3]) for one in range(2)),
        *(lambda model, *lies, cell=cell: model.add_at_most_one(lies[cell::3]) for cell in range(3)),
        fills=lambda label, value: (label[0], [(0, label[1])]),
    )
    for backend, (given, total) in product(
        ("cover", "sat", "cp-sat"),
        {"row 1 column 2 = A": 3, "row 1 column 2 != A": 13 - 3, "A, 1 != 1": 13 - 3}.items(),
    ):
        assert solve(puzzle, backend=backend, given=given).total == total


def test_values_that_are_excluded() -> None:
    for excluded, total in (([1], 8), ([2], 6), ([2, 4], 4)):
        given = [f"0 0 != {value}" for value in excluded]
        result = solve(magic(kind="square"), symmetry="none", jobs=1, given=given)
        assert (result.total, result.report.given) == (total, [f"(0, 0) != {value}" for value in excluded])


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("row 9 column 1 = F", "has no cell in row 9 column 1"),
        ("layer 1 row 1 column 1 = F", "name row and column"),
        ("row 1 column 1 = Q", "has nothing called 'Q'; there is F, I"),
        ("row 1 column 1 = X", "X cannot lie in row 1 column 1"),
    ],
)
def test_what_is_no_hint(given: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        solve(pentomino(board="5x4", subset=True), given=given)


def test_a_puzzle_without_cells() -> None:
    with pytest.raises(InputError, match="does not say what lies where"):
        solve(declared.puzzle({"x": (0, 3)}), given="row 1 column 1 = 5")


def queens(draw: Callable[[Solution], Drawing]) -> Puzzle:
    """Six queens, one in each column, without a word on what lies where."""
    model = CpModel()
    row = {column: model.new_int_var(0, 5, f"row[{column}]") for column in range(6)}
    for shift in (-1, 0, 1):
        model.add_all_different(row[column] + shift * column for column in row)
    return Puzzle("queens", {}, model, row, draw=draw)


def test_cells_of_a_puzzle_whose_drawings_say_what_lies_where(tmp_path: Path) -> None:
    puzzle = queens(lambda rows: grid.board(6, 6, {(r, column): "Q" for column, r in rows.items()}))
    by_cell = solve(puzzle, given="row 2 column 1 = Q")
    assert (by_cell.total, by_cell.report.given) == (1, ["row 2 column 1 = Q"])
    assert [dict(one) for one in by_cell] == [dict(one) for one in solve(puzzle, given="row[0]=1")]
    assert solve(puzzle, given="row 2 column 1 != Q").total == 3
    said = "queens has nothing called '5'; there is Q; a label is given as in '0=0' or 'row.0.=0'"
    with pytest.raises(InputError, match=said):
        solve(puzzle, given="row 1 column 1 = 5")
    file = write(tmp_path / "queens.txt", "......\nQ.....\n......\n......\n......\n......\n")
    assert solve(puzzle, given=str(file)).total == 1


def test_a_drawing_of_whole_solutions_is_not_asked_for_more() -> None:
    puzzle = queens(lambda rows: grid.board(6, 6, {(rows[column], column): "Q" for column in range(6)}))
    with pytest.raises(InputError, match=r"does not say what lies where; .* '0=0' or 'row.0.=0'"):
        solve(puzzle, given="row 2 column 1 = Q")


WHOLE = """
from ortools.sat.python.cp_model import CpModel
from models.boards import grid
from models.puzzle import Puzzle
def whole() -> Puzzle:
    model = CpModel()
    row = {column: model.new_int_var(0, 2, f"row[{column}]") for column in range(3)}
    model.add_all_different(row.values())
    return Puzzle(
        "whole", {}, model, row, draw=lambda rows: grid.board(3, 3, {(rows[column], column): "Q" for column in row})
    )
"""


def test_questions_about_a_puzzle_that_draws_whole_solutions(tmp_path: Path) -> None:
    file = str(write(tmp_path / "whole.py", WHOLE))
    assert "0=" in printed("hints", file, "--jobs", "1")
    assert told(file, "--given", "row[0]=1")["total"] == 2


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["3...\n....\n....\n....\n", "(0, 0, 2)=1"])
def test_drawings_look_up_what_is_not_known(text: str, tmp_path: Path) -> None:
    """A Boolean of which nothing is known is 0 to a drawing, as in a solution."""
    puzzle = sudoku(2, 2)
    cells = [*product(range(4), repeat=2)]

    def draw(taken: Solution) -> Drawing:
        found = {(r, c): [str(v + 1) for v in range(4) if taken[r, c, v]] for r, c in cells}
        return [grid.board_with_texts({cell: "".join(names) for cell, names in found.items()})]

    file = str(write(tmp_path / "given.txt", text))
    for asked in (replace(puzzle, draw=draw), replace(puzzle, draw=draw, fills=None)):
        assert solve(asked, given=file, jobs=1).total == 72


@pytest.mark.thorough
def test_drawings_with_single_letters(tmp_path: Path) -> None:
    file = tmp_path / "hint.txt"
    puzzle = packing(board="3x5", pieces="pentominoes x0-1")
    listed = solve(puzzle, backend="cover", jobs=1)
    names = lying(puzzle, listed[0])
    total = sum(lying(puzzle, one)[0, 0] == names[0, 0] for one in listed.in_all())
    write(file, f"{names[0, 0]}....\n.....\n.....\n")
    assert solve(puzzle, backend="cover", jobs=1, given=str(file)).total == total
    words = ("packing", "--board", "3x5", "--pieces", "pentominoes x0-1", "--backend", "cover", "--given", str(file))
    assert told(*words)["total"] == total
    rows = ["".join(names[row, column] for column in range(5)) for row in range(3)]
    which = found_by(puzzle, write(file, "\n".join(rows)))
    assert (which["solution"], which["number"]) == (True, 1)
