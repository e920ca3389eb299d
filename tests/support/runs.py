"""Runs to their end."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from models.puzzle import Puzzle
from solvers.base.options import Options
from solvers.running.runner import Run
from solvers.show.report import Report


def finished(declare: Callable[..., Puzzle], arguments: Mapping[str, Any] | None = None, **options: Any) -> Run:
    """A run of a puzzle, once it has ended."""
    run = Run("tested", arguments or {}, declare, Options(**options))
    list(run)
    return run


def complete(
    declare: Callable[..., Puzzle], arguments: Mapping[str, Any] | None = None, **options: Any
) -> tuple[list[Any], Report]:
    """The solutions, in order, of a run that found all, each once."""
    run = finished(declare, arguments, **options)
    assert (run.report.complete, run.report.repeats) == (True, 0)
    assert run.report.progress == pytest.approx(1)
    assert len(run.in_order()) == run.report.solutions
    return run.in_order(), run.report
