"""The thin runner: dispatches a declared puzzle to OR-Tools or PySAT and counts every solution."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solvers.errors import CheckError, InputError
    from solvers.library import Result, Search, Solution, solve

_HOMES = {
    **dict.fromkeys(("CheckError", "InputError"), "solvers.errors"),
    **dict.fromkeys(("Result", "Search", "Solution", "solve"), "solvers.library"),
}
__all__ = ["CheckError", "InputError", "Result", "Search", "Solution", "solve"]


def __getattr__(name: str) -> Any:
    """Import the library's names when they are asked for, so that the command lines start without it."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
