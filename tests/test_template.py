"""The template, against OEIS A018807, plain enumeration and all backends."""

from itertools import product

import pytest

from models.boards import grid
from models.template import kings
from solvers import solve
from tests.support.backends import GENERAL
from tests.support.puzzles import is_right


@pytest.mark.parametrize(("board", "best", "total"), [("2x2", 1, 4), ("4x4", 4, 79)])
@pytest.mark.parametrize("backend", sorted(GENERAL))
def test_published_counts(backend: str, board: str, best: int, total: int) -> None:
    result = solve(kings(board), backend=backend)
    assert (result.complete, result.total, result.report.objective) == (True, total, best)


@pytest.mark.parametrize("board", ["3x4", "##.\n###\n.##"])
@pytest.mark.parametrize("number", [0, 1, 3, 7])
def test_all_subsets(board: str, number: int) -> None:
    cells = sorted(grid.region(board))
    puzzle = kings(board, number)
    subsets = (dict(zip(cells, chosen, strict=True)) for chosen in product((0, 1), repeat=len(cells)))
    assert solve(puzzle).total == sum(is_right(puzzle, subset) for subset in subsets)
