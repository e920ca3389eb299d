"""The two statements of a puzzle's rules that need no model, for one solution and for arrays of them, agree."""

from random import Random
from typing import Any

import numpy as np
import pytest

from solvers import solve
from solvers.files.catalogue import find

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("queens", {"n": 6}),
    ("langford", {"n": 7}),
    ("costas", {"n": 5}),
    ("cycles", {"n": 4}),
    ("cycles", {"n": 6, "traveller": "knight"}),
    ("pentomino", {"board": "5x4", "subset": True}),
    ("packing", {"board": "3x4", "pieces": "dominoes x*", "holes": 2}),
    ("packing", {"board": "2x2x3", "pieces": "A x0-2\n###\n\nB x*\n##\n#.\n"}),
]


def wrongly(rows: Any, chance: Random) -> Any:
    """A value of each row changed to one that the column has in another row, or two values exchanged."""
    changed = rows.copy()
    for row in changed:
        one, other = chance.sample(range(len(row)), 2)
        if chance.random() < 0.5:
            row[one] = rows[chance.randrange(len(rows)), one] if chance.random() < 0.5 else chance.choice(rows.ravel())
        else:
            row[[one, other]] = row[[other, one]]
    return changed


@pytest.mark.parametrize(("name", "parameters"), SMALL)
def test_arrays_are_checked_as_solutions_are(name: str, parameters: dict[str, Any]) -> None:
    puzzle = find(name).declare(**parameters)
    result = solve(puzzle, limit=40, jobs=1)
    assert puzzle.is_solution
    assert puzzle.are_solutions
    labels = list(puzzle.key)
    right = np.array([[solution[label] for label in labels] for solution in result.in_all()], np.int8)[:200]
    chance = Random(1)
    rows = np.concatenate([right, wrongly(right, chance), wrongly(wrongly(right, chance), chance), right * 0])
    wanted = [puzzle.is_solution(dict(zip(labels, row.tolist(), strict=True))) for row in rows]
    assert puzzle.are_solutions(rows).tolist() == wanted
    assert all(wanted[: len(right)])
    assert not all(wanted)
