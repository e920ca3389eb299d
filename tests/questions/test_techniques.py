"""Techniques of sudokus: each on a board that needs it, and never against the solution."""

from itertools import permutations, product

import pytest

from models.boards.grid import Cell
from models.digits.sudoku import sudoku
from solvers import grade, make
from solvers.extras.questions.make.techniques import TECHNIQUES, House, Techniques, techniques

ROWS: list[House] = [tuple((r, c) for c in range(9)) for r in range(9)]
COLUMNS: list[House] = [tuple((r, c) for r in range(9)) for c in range(9)]
BLOCKS: list[House] = [
    tuple((3 * a + r, 3 * b + c) for r in range(3) for c in range(3)) for a in range(3) for b in range(3)
]


def candidates(text: str) -> list[tuple[tuple[int, int], int]]:
    """The candidates of a sudoku of 9 rows, as its text gives them."""
    signs = enumerate(text)
    return [(divmod(n, 9), s) for n, sign in signs for s in range(1, 10) if sign in (".", str(s))]


PUBLISHED = {
    "naked single": "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
    "locked candidates": "984000000002500040001904002006097230003602000209035610195768423427351896638009751",
    "naked pair": "095001720600007000100600030000802400050000010002106000060003004000200001017400380",
    "X-wing": "100000569492056108056109240009640801064010000218035604040500016905061402621000005",
}
"""Wikipedia's sudoku, examples of A. Stuart's SudokuWiki, and one that S. Tatham's Solo calls advanced."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published(name: str) -> None:
    found = techniques([*ROWS, *COLUMNS, *BLOCKS], candidates(PUBLISHED[name].replace("0", ".")))
    assert name in found.used, found.words
    assert found.left == 0


def test_they_keep_the_solution() -> None:
    """Of minimal sudokus: a symbol of the solution is never ruled out, and what is left open is not solved."""
    for puzzle in make("sudoku", count=5, seed=4, minimal=True):
        found = techniques([*ROWS, *COLUMNS, *BLOCKS], candidates(puzzle.line))
        held: dict[Cell, int] = {(r, c): v + 1 for (r, c, v), is_there in puzzle.answer.items() if is_there}
        assert all(held[cell] in symbols for cell, symbols in found.symbols.items())
        assert found.hardest == len(TECHNIQUES) if found.left else found.hardest < len(TECHNIQUES)


def test_houses_of_one_row() -> None:
    """In a row, the techniques leave just the symbols of the permutations that its candidates leave, by brute force."""
    row: House = tuple((0, c) for c in range(4))
    for masks in product([(1, 2), (3, 4), (1, 2, 3), (1, 2, 3, 4)], repeat=4):
        ways = [way for way in permutations(range(1, 5)) if all(s in mask for s, mask in zip(way, masks, strict=True))]
        if not ways:
            continue
        found: Techniques = techniques([row], [((0, c), s) for c, mask in enumerate(masks) for s in mask])
        assert all(found.symbols[0, c] == {way[c] for way in ways} for c in range(4))


def test_grade_names_them() -> None:
    found = grade(sudoku(puzzle=PUBLISHED["X-wing"]))
    assert found.as_json()["techniques"]["X-wing"] >= 1
    assert "X-wing" in str(found)
