"""The two statements of a puzzle's rules that need no model, for one solution and for arrays of them, agree."""

from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pytest
from ortools.sat.python.cp_model import CpModel, IntVar

from models.puzzle import Drawing, Puzzle, Solution
from solvers import solve
from solvers.files.catalogue import find
from tests.support.tiers import later, sampled

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


@pytest.mark.parametrize(("name", "parameters"), sampled(later(SMALL, "cycles"), 2))
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


@pytest.mark.parametrize("size", [2, 3])
def test_own_functions_take_every_label_also_where_the_value_is_zero(size: int) -> None:
    model = CpModel()
    value = {place: model.new_int_var(0, size - 1, str(place)) for place in range(size)}
    is_odd = {"odd": model.new_bool_var("odd")}
    model.add_all_different(value.values())
    model.add(value[0] == size - 1).only_enforce_if(is_odd["odd"])
    model.add(value[0] != size - 1).only_enforce_if(~is_odd["odd"])
    key: dict[Any, IntVar] = {**value, **is_odd}
    drawn: list[Solution] = []

    def is_solution(solution: Solution) -> bool:
        numbers = [number for label, number in solution.items() if label != "odd"]
        return list(solution) == list(key) and sorted(numbers) == list(range(size)) and "odd" in solution

    def draw(solution: Solution) -> Drawing:
        drawn.append(solution)
        return []

    def feature(solution: Solution) -> str:
        return f"{len(solution)} labels"

    result = solve(Puzzle("own", {}, model, key, [], is_solution, draw, feature))
    assert result.total == len([*permutations(range(size))])
    assert result.report.features == {f"{size + 1} labels": result.total}
    assert str(result[0]) == ""
    assert set(drawn[-1]) == set(key)
    assert all(result[0][label] == number for label, number in result[0].whole().items())
