"""Matrices of zeros and ones as exact covers: against plain enumeration; names; what is refused."""

import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.files.catalogue import find

Matrix = list[list[int]]


def declared(path: Path, content: str | bytes) -> Puzzle:
    """The puzzle of a file with this content."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    puzzle = find(str(path)).declare()
    assert isinstance(puzzle, Puzzle)
    return puzzle


def chosen(puzzle: Puzzle) -> set[frozenset[object]]:
    """The labels of the rows that each solution chooses."""
    result = solve(puzzle, symmetry="none", jobs=1)
    assert result.complete
    return {frozenset(label for label, value in solution.items() if value) for solution in result}


def covers(rows: Matrix) -> set[frozenset[int]]:
    """The exact covers, as sets of the numbers of rows, from 1; rows without a 1 are left out."""
    used = [number for number, row in enumerate(rows) if any(row)]
    every = (some for size in range(len(used) + 1) for some in combinations(used, size))
    return {
        frozenset(number + 1 for number in some)
        for some in every
        if all(sum(rows[number][column] for number in some) == 1 for column in range(len(rows[0])))
    }


@pytest.mark.parametrize("seed", range(5))
def test_random_matrices(seed: int, tmp_path: Path) -> None:
    """All forms of one matrix have the same solutions, those of plain enumeration."""
    rng = random.Random(seed)
    columns = rng.randint(1, 5)
    rows = [[int(rng.random() < 0.4) for _ in range(columns)] for _ in range(rng.randint(1, 8))]
    rows[rng.randrange(len(rows))][rng.randrange(columns)] = 1
    expected = {frozenset(f"row {number}" for number in one) for one in covers(rows)}
    lines = [[str(cell) for cell in row] for row in rows]
    np.save(tmp_path / "m.npy", np.array(rows, dtype=rng.choice([bool, np.uint8, np.int64, float])))
    forms: dict[str, str | bytes] = {
        "a.txt": "\n".join(map("".join, lines)),
        "b.txt": "# a comment\n\n" + "\n".join(map(" ".join, lines)) + "\n",
        "c.txt": str(np.array(rows)),
        "d.csv": "\r\n".join(map(",".join, lines)),
        "m.npy": (tmp_path / "m.npy").read_bytes(),
    }
    for name, content in forms.items():
        assert chosen(declared(tmp_path / name, content)) == expected, name
    table = [["", *(f"c{n}" for n in range(columns))], *([f"r{n}", *line] for n, line in enumerate(lines, 1))]
    puzzle = declared(tmp_path / "e.csv", "\ufeff" + "\n".join(map(";".join, table)))
    assert chosen(puzzle) == {frozenset(f"r{number}" for number in one) for one in covers(rows)}


@pytest.mark.parametrize(
    ("name", "text", "rows", "columns"),
    [
        ("m.txt", "10\n01\n", ["row 1", "row 2"], ["column 1", "column 2"]),
        ("m.csv", "a,b\n1,0\n0,1\n", ["row 1", "row 2"], ["a", "b"]),
        ("m.csv", "x,1,0\ny,0,1\n", ["x", "y"], ["column 1", "column 2"]),
        ("m.csv", ",a,b\n0,1,0\n1,0,1\n", ["0", "1"], ["a", "b"]),  # as pandas writes it
        ("m.csv", "a,b\nx,1,0\ny,0,1\n", ["x", "y"], ["a", "b"]),
        ("m.csv", "item\ta\tb\nx\t1\t0\ny\t0\t1\n", ["x", "y"], ["a", "b"]),
    ],
)
def test_names(name: str, text: str, rows: list[str], columns: list[str], tmp_path: Path) -> None:
    puzzle = declared(tmp_path / name, text)
    assert [*puzzle.key] == rows
    assert [constraint.name for constraint in puzzle.model.proto.constraints] == columns


def test_a_row_without_a_one_is_left_out(tmp_path: Path) -> None:
    puzzle = declared(tmp_path / "m.txt", "10\n00\n01\n")
    assert [*puzzle.key] == ["row 1", "row 3"]
    assert puzzle.remarks.warnings[0].endswith("left out, as it covers nothing: row 2")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("m.txt", "10\n011\n", "line 2 has 3 numbers, but the first row has 2"),
        ("m.txt", "10\n02\n", "line 2 has 1 numbers"),
        ("m.txt", "1 0\n0 2\n", "line 2 holds '2'"),
        ("m.txt", "# nothing\n", "it holds no line"),
        ("m.txt", "00\n00\n", "it has no 1"),
        ("m.csv", "a,b\n", "m.csv"),
        ("m.csv", "a,b\n1,x\n", "line 2 holds 'x'"),
        ("m.csv", "a,b\n1,0,1,1\n", "line 1 has 2 names"),
        ("m.csv", "a,a\n1,0\n", "two columns are called 'a'"),
        ("m.csv", "x,1\nx,1\n", "two rows are called 'x'"),
        ("m.csv", 'a,b\n1,"0\n', "is this a table?"),
        ("m.npy", "10\n", "not a matrix of NumPy"),
    ],
)
def test_what_is_refused(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=name) as refused:
        declared(tmp_path / name, text)
    assert said in str(refused.value)


@pytest.mark.parametrize("array", [np.ones(3), np.ones((1, 1, 1)), np.full((2, 2), 2), np.full((1, 1), np.nan)])
def test_other_arrays(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", array)
    with pytest.raises(InputError, match=r"m.npy: (it holds no matrix|row 1, column 1 is)"):
        find(str(tmp_path / "m.npy")).declare()
