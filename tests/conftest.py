"""Fixtures that several tests ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import settings

from tests.support.backends import EVERY, GENERAL
from tests.support.command import HERE
from tests.support.minizinc import needed
from tests.support.own_models import FORMULA, OWN, TWO, write
from tests.support.tiers import PAGES

settings.register_profile("same", derandomize=True, database=None)
settings.load_profile("same")
"""Each run tries the same examples; `tests.attack` tries new ones."""

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the examples of pages, before those of one tier are chosen."""
    for item in items:
        if isinstance(item, DoctestItem) and (tier := PAGES.get(item.path.relative_to(HERE).as_posix())):
            item.add_marker(tier)


@pytest.fixture(autouse=True)
def _symmetries_in_this_process(request: pytest.FixtureRequest) -> Iterator[None]:
    """Searches for symmetries have no process of their own: to start it takes ten times as long as most runs.

    Commands that tests start in another process have it, and so have tests that ask for `symmetries_apart`.
    """
    if request.node.get_closest_marker("slow") or "symmetries_apart" in request.fixturenames:
        yield
        return
    from tests.support.bliss import InThisProcess

    with patch("solvers.symmetry.automorphisms.Bliss", InThisProcess):
        yield


@pytest.fixture
def symmetries_apart() -> None:
    """Searches for symmetries have a process of their own, as they have for users, and can be ended."""


@pytest.fixture(scope="session", params=GENERAL)
def backend(request: pytest.FixtureRequest) -> str:
    """The name of each backend that takes more than exact covers."""
    return str(request.param)


@pytest.fixture(scope="session", params=EVERY)
def any_backend(request: pytest.FixtureRequest) -> str:
    """The name of each backend."""
    return str(request.param)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a run keeps what it has found or counted."""
    return tmp_path / "run.db"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file with a puzzle of a user's own."""
    return write(tmp_path / "own.py", OWN)


@pytest.fixture
def two(tmp_path: Path) -> str:
    """A file with a puzzle of two solutions."""
    return str(write(tmp_path / "two.py", TWO))


@pytest.fixture
def formula(tmp_path: Path) -> Path:
    """A file with a formula of three solutions."""
    return write(tmp_path / "model.cnf", FORMULA)


@pytest.fixture
def minizinc() -> None:
    """MiniZinc and Gecode; the test is skipped where they are missing."""
    needed()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser without a window; not for the whole session, as Playwright keeps asyncio busy."""
    from tests.support.browser import launched

    with launched() as started:
        yield started
