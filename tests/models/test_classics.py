"""Small numbers of each classic: its counts are known, or it is refused."""

from contextlib import suppress
from typing import Any

import pytest

from models import COLLECTION
from solvers import solve
from solvers.base.errors import InputError
from solvers.files.catalogue import find
from tests.support.refusals import refused
from tests.support.tiers import sampled

SMALL: list[Any] = [
    # By OEIS: A002562 and A000170, A014552, A001441 and A008404, A036501, A006967, A209077 and A003763, A001230.
    ("queens", {"n": 5}, 2, 10),
    ("queens", {"n": 6}, 1, 4),
    ("queens", {"n": 3}, 0, 0),
    ("langford", {"n": 4}, 1, 2),
    ("langford", {"n": 5}, 0, 0),
    ("costas", {"n": 4}, 2, 12),
    ("costas", {"n": 5}, 6, 40),
    ("golomb", {"marks": 5, "horizon": 12}, 2, 4),
    ("golomb", {"marks": 6, "horizon": 20}, 4, 8),
    ("all-interval", {"n": 4}, 1, 4),
    ("all-interval", {"n": 7}, 8, 32),
    ("cycles", {"n": 2}, 1, 1),
    ("cycles", {"n": 3}, 0, 0),
    ("cycles", {"n": 4}, 2, 6),
    ("cycles", {"n": 4, "directed": True}, 2, 12),
    ("cycles", {"n": 2, "traveller": "knight"}, 0, 0),
    ("cycles", {"n": 3, "traveller": "knight"}, 0, 0),
    ("cycles", {"n": 5, "traveller": "knight"}, 0, 0),
    # A003090 and A002860, A109741 and A107739, A030129 and A030128.
    ("latin", {"order": 3}, 1, 12),
    ("latin", {"order": 4}, 2, 576),
    pytest.param("sudoku", {"rows": 2}, 2, 288, marks=pytest.mark.thorough),
    ("triples", {"points": 7}, 1, 30),
    ("triples", {"points": 5}, 0, 0),
]


@pytest.mark.parametrize(("name", "parameters", "solutions", "total"), sampled(SMALL, 5))
def test_small_classics(name: str, parameters: dict[str, Any], solutions: int, total: int) -> None:
    """Each solution and its images are held against `is_solution`."""
    result = solve(find(name).declare(**parameters), jobs=1)
    assert (result.complete, result.solutions, result.total) == (True, solutions, total)
    assert result.report.repeats == 0


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("queens", {"n": 0}), ("latin", {"order": 99}), ("triples", {"points": 2}), ("cycles", {"traveller": "bishop"})],
)
def test_nonsense_is_refused(name: str, parameters: dict[str, Any]) -> None:
    refused("choose|give", find(name).declare, **parameters)


def test_the_smallest_row_of_langford() -> None:
    """There is no number between the two of 1."""
    result = solve(find("langford").declare(n=1), jobs=1)
    assert (result.complete, result.total) == (True, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", COLLECTION)
def test_small_numbers_are_solved_or_refused(name: str) -> None:
    """Nothing else happens to any whole number that a puzzle takes."""
    declaration = find(name)
    for parameter in declaration.parameters:
        for number in range(-1, 4) if parameter.kind is int else ():
            with suppress(InputError):
                solve(declaration.declare(**{parameter.name: number}), jobs=1, time_limit=1)
