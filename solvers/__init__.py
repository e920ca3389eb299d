"""Dispatches a declared puzzle to OR-Tools or PySAT, and counts every solution.

Begin with `run.py` (the command) or `library.py` (`solve`); both make a `running.runner.Run`. Folders, from the top:
extras, terminal, outputs, running, cubes, files, show, backends, cnf, symmetry, model, checks, base. Each imports only
from those behind it. `base/plugs.py` collects what the wings in extras add.
"""

import os
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solvers.base.errors import CheckError, InputError
    from solvers.library import (
        Result,
        iter_solutions,
        last_interrupted,
        solve,
    )
    from solvers.outputs.published import Solution, Solutions

__all__ = [
    "CheckError",
    "InputError",
    "Result",
    "Solution",
    "Solutions",
    "iter_solutions",
    "last_interrupted",
    "solve",
]
_HOMES = {
    **dict.fromkeys(__all__, "solvers.library"),
    **dict.fromkeys(("CheckError", "InputError"), "solvers.base.errors"),
    **dict.fromkeys(("Solution", "Solutions"), "solvers.outputs.published"),
}
"""The module of each name; none of them is also that of a module here, which would take its place once imported."""


def _start_no_idle_threads() -> None:
    """Have NumPy start no threads for linear algebra if this process runs a command.

    Nothing here has any use for them, and to start them takes as long as the rest of NumPy. A script of the user keeps
    them.
    """
    program = Path(sys.argv[0]).stem if sys.argv else ""
    if program in ("-m", "kazoeru"):  # "-m" while Python looks for the module of a command
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _import_models() -> None:
    """Import the package `models` that is beside this one, even if another module has this name.

    Another module of that name may come first on Python's path: python-sat installs a file models.py beside the console
    scripts, and a user's folder may hold one. Raises ImportError if such a module was imported before.
    """
    path = Path(__file__).resolve().parent.parent / "models" / "__init__.py"
    if (models_module := sys.modules.get("models")) is not None:
        if models_module.__file__ is None or Path(models_module.__file__).resolve() != path:
            raise ImportError(
                f"solvers needs its own package models, but {models_module.__file__} was imported as models"
            )
        return
    # The package is loaded from its file, whatever Python's path has.
    spec = spec_from_file_location("models", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"solvers needs its own package models, in {path.parent}")
    module = module_from_spec(spec)
    sys.modules["models"] = module
    spec.loader.exec_module(module)


_start_no_idle_threads()
_import_models()


def __getattr__(name: str) -> Any:
    """Return an object that the package offers, by its name; it is imported at the first use.

    So the command lines start without the library. Raises AttributeError for any other name.
    """
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if not name.startswith("_"):
        from solvers.base.plugs import LIBRARY, load

        if name in LIBRARY:
            return load(LIBRARY[name], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names that the package and its wings offer, without importing them."""
    from solvers.base.plugs import LIBRARY

    return sorted({*globals(), *__all__, *LIBRARY})
