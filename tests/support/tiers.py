"""The tier in which the cases of a parametrized test run."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Leave the first of so many cases to the default tier, and give the others to the thorough one.

    A case that has a mark keeps it.
    """
    return [case if number % every == 0 else _thorough(case) for number, case in enumerate(cases)]


def _thorough(case: Any) -> Any:
    if not isinstance(case, type(pytest.param())):
        return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
    return case if case.marks else pytest.param(*case.values, marks=pytest.mark.thorough, id=case.id)
