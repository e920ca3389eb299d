"""Runs to their end."""

from collections.abc import Callable, Mapping
from typing import Any

from models.puzzle import Puzzle
from solvers.options import Options
from solvers.running.runner import Run


def finished(declare: Callable[..., Puzzle], arguments: Mapping[str, Any] | None = None, **options: Any) -> Run:
    """A run of a puzzle, once it has ended."""
    run = Run("tested", arguments or {}, declare, Options(**options))
    for _ in run:
        pass
    return run
