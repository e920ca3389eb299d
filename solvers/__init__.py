"""The thin runner: dispatches a declared puzzle to OR-Tools or PySAT and counts every solution."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["CheckFailed", "Refused", "Result", "Search", "Solution", "solve"]

if TYPE_CHECKING:
    from solvers.backend import CheckFailed, Refused
    from solvers.library import Result, Search, Solution, solve


def __getattr__(name: str) -> Any:
    """Import the library's names when they are asked for, so that the command lines start without it."""
    if name in __all__:
        from solvers import backend, library

        return getattr(backend if name in ("CheckFailed", "Refused") else library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
