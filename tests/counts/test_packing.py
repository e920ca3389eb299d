"""Packing puzzles that are counted without a list."""

from typing import Any

import pytest

from models.packing import packing
from solvers import solve
from tests.support.refusals import refused


@pytest.mark.parametrize(
    ("holes", "options", "sentence"),
    [
        (
            2,
            {"by": "holes", "method": "frontier"},
            "the method frontier lists no solutions, so it does not count by holes",
        ),
        (0, {"by": "pieces", "method": "counter"}, "counter gives only the number of solutions"),
    ],
)
def test_properties_that_cannot_be_counted(holes: int, options: dict[str, Any], sentence: str) -> None:
    refused(sentence, solve, packing("2x3", "dominoes x*", holes=holes), count_only=True, **options)
