"""What is counted of what a search finds: repeats within and between batches, and the sizes of orbits."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from models.classics.arrangements import queens
from models.digits.sudoku import sudoku
from models.magic import magic
from models.puzzle import Puzzle
from solvers import solve
from solvers.base.errors import CheckError
from solvers.running.collect import Collector
from solvers.symmetry.groups import Group, ListedGroup, OrbitRows
from tests.support.collectors import collector_of


@pytest.mark.parametrize("batches", [[[0, 1], [0]], [[0, 1], [1]], [[0], [1], [0]], [[1, 0, 1]], [[0, 1, 0]]])
def test_a_solution_that_comes_again_is_a_repeat(batches: list[list[int]]) -> None:
    puzzle = queens(4)
    collector: Collector = collector_of(puzzle, symmetric=False)
    rows = np.array([[int((r, c) in placed) for r, c in puzzle.key] for placed in BOTH], np.int64)
    for batch in batches:
        assert list(collector.add(rows[batch])) is not None
    assert (collector.collected.total, collector.collected.repeats) == (2, 1)


BOTH = [{(0, 1), (1, 3), (2, 0), (3, 2)}, {(0, 2), (1, 0), (2, 3), (3, 1)}]
"""The two solutions for four queens."""


def lacking(element: int) -> Callable[[ListedGroup], None]:
    def change(group: ListedGroup) -> None:
        group._moved = np.delete(group._moved, element, axis=0)
        group.elements = group._moved[:, :-1]

    return change


@pytest.mark.thorough
@pytest.mark.parametrize(
    "puzzle", [queens(6), queens(5), magic("ring", sum=13), sudoku(rows=2, columns=2)], ids=lambda p: p.name
)
@pytest.mark.parametrize("element", [1, -1])
@pytest.mark.parametrize("is_known", [False, True])
def test_a_group_that_lacks_an_element_is_noticed(
    puzzle: Puzzle, element: int, is_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one element, the count stays right or the run stops; is_known: whether the order of the group is less."""
    right = solve(puzzle, jobs=1, backend="cp-sat", symmetry="none").total
    make = ListedGroup.__init__

    def make_without(group: ListedGroup, *rest: Any) -> None:
        make(group, *rest)
        if group.order > 2:
            lacking(element)(group)
            group.order -= is_known

    monkeypatch.setattr(ListedGroup, "__init__", make_without)
    total = None
    with suppress(CheckError):
        total = solve(puzzle, jobs=1, backend="cp-sat", symmetry="declared").total
    assert total in ({None} if puzzle.name == "magic" else {None, right})


def test_a_repeat_that_counts_as_an_image_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    tell = ListedGroup.new_orbits

    def tell_more(group: Group, *rest: Any) -> Any:
        orbits = tell(group, *rest)  # type: ignore[arg-type]
        sizes = [size + 1 for size in orbits.orbits.sizes]
        return orbits._replace(orbits=OrbitRows(*orbits.orbits[:3], sizes))

    monkeypatch.setattr(ListedGroup, "new_orbits", tell_more)
    with pytest.raises(CheckError, match="an orbit has 9 solutions, which does not divide the 8 elements"):
        solve(magic(), jobs=1)
