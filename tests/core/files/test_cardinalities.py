"""Formulas with bounds on how many literals are true, and formulas whose key stands in "vp" lines."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from solvers import solve
from solvers.files.load import cnf

Literal = Callable[[int], bool]

FORMULAS: dict[str, tuple[str, int, Callable[[Literal], bool]]] = {
    "minicard": (
        "c the example of MiniCARD\np cnf+ 7 3\n1 -2 3 5 -7 <= 3\n4 5 6 -7 >= 2\n3 5 7 0\n",
        7,
        lambda x: (
            x(1) + (not x(2)) + x(3) + x(5) + (not x(7)) <= 3
            and x(4) + x(5) + x(6) + (not x(7)) >= 2
            and (x(3) or x(5) or x(7))
        ),
    ),
    "twice": ("p cnf+ 3 1\n1 1 2 3 <= 2\n", 3, lambda x: 2 * x(1) + x(2) + x(3) <= 2),
    "klauses": (
        "p knf 4 3\nk 2 1 -2 3 0\n1 2\n4 0\nk 3 -1 -2 -3 -4 0\n",
        4,
        lambda x: x(1) + (not x(2)) + x(3) >= 2 and (x(1) or x(2) or x(4)) and x(1) + x(2) + x(3) + x(4) <= 1,
    ),
    "too many": ("p knf 2 1\nk 3 1 2 0\n", 2, lambda x: False),
    "none asked": ("p knf 2 1\nk 0 1 2 0\n", 2, lambda x: True),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_bounds_by_enumeration(name: str, tmp_path: Path) -> None:
    text, size, holds = FORMULAS[name]
    file = tmp_path / "formula.knf"
    file.write_text(text)
    puzzle = cnf(str(file))
    right = 0
    for values in product((0, 1), repeat=size):
        is_right = holds(lambda number, values=values: bool(values[number - 1]))  # type: ignore[misc]
        assert puzzle.file is not None
        assert puzzle.file.violation is not None
        assert (puzzle.file.violation(values) == "") == is_right
        right += is_right
    for backend in ("cp-sat", "sat"):
        assert solve(puzzle, backend=backend, jobs=1).total == right


def test_a_key_in_vp_lines(tmp_path: Path) -> None:
    file = tmp_path / "projected.cnf"
    file.write_text("p pcnf 4 2 2\nvp 1 3 0\n1 2 0\n-3 4 0\n")
    holds = [x for x in product((0, 1), repeat=4) if (x[0] or x[1]) and (not x[2] or x[3])]
    puzzle = cnf(str(file))
    assert [*puzzle.key] == [1, 3]
    assert solve(puzzle, jobs=1).total == len({(x[0], x[2]) for x in holds})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p knf 2 1\nk 1 1 2\n", "line 2 has to give"),
        ("p knf 2 1\nk\n", "line 2 has to give"),
        ("p knf 2 1\nk 1 1 1 0\n", "different literals"),
        ("p knf 2 1\nk 1 1 3 0\n", "names variable 3"),
        ("p knf 2 2\n1 2\nk 1 1 2 0\n", "before the 0 of a clause"),
        ("p cnf 2 1\nk 1 1 2 0\n", "not a number of a variable"),
        ("p cnf 2 1\n1 2 <= 1\n", "not a number of a variable"),
        ("p cnf+ 2 1\n1 0 2 <= 1\n", "a 0 among its literals"),
        ("p cnf+ 2 1\n1 2 < 1\n", "not a number of a variable"),
        ("p pcnf 2 1\n1 2 0\n", "is not a header"),
    ],
)
def test_bounds_that_are_wrong_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.cnf"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        cnf(str(file))
