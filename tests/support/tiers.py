"""The tiers of tests: default without a mark, thorough, slow; each test has its mark, or its place among cases.

How long a test takes decides nothing: who writes it says which tier it is in. Pages and docstrings have no marks;
theirs are in `PAGES`.
"""

from collections.abc import Iterable
from typing import Any

import pytest

PAGES = {
    **{
        f"solvers/cookbook/{page}.md": "thorough"
        for page in ("boards", "comparing", "counting", "counts", "models", "programs", "python", "puzzles")
    },
    "solvers/extras/audits/audit/README.md": "thorough",
    "solvers/extras/studies/confirm/functions.py": "thorough",
    "solvers/extras/studies/survey/functions.py": "thorough",
    "solvers/extras/studies/compare/side_by_side.py": "thorough",
    "solvers/extras/studies/confirm/OTHERS.md": "thorough",
    "solvers/symmetry/README.md": "thorough",
}
"""The tier of the examples of a page, or of a module, that take long; a page is run as a whole and has no marks."""


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Leave the first of so many cases to the default tier, and give the others to the thorough one.

    A case that has a mark keeps it.
    """
    return [case if number % every == 0 else _thorough(case) for number, case in enumerate(cases)]


def later(cases: Iterable[Any], *names: Any) -> list[Any]:
    """Give some cases to the thorough tier: those that are one of these names, or have one as their first value."""
    return [_thorough(case) if _name(case) in names else case for case in cases]


def _name(case: Any) -> Any:
    values = case.values if isinstance(case, type(pytest.param())) else case
    return values[0] if isinstance(values, tuple) else values


def _thorough(case: Any) -> Any:
    if not isinstance(case, type(pytest.param())):
        return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
    return case if case.marks else pytest.param(*case.values, marks=pytest.mark.thorough, id=case.id)
