"""The thin runner: dispatches a declared puzzle to OR-Tools or PySAT and counts every solution.

Begin with `run.py` (the command) or `library.py` (`solve`); both make a `running.runner.Run`. Folders, from the top:
minizinc, cpmpy, widget, survey, terminal, invent, outputs, running, counting, cubes, proofs, files, show, backends,
cnf, cover, symmetry, checks. Each imports only from those behind it, and from the deadline, endings, errors, options
and values here.
"""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solvers.errors import CheckError, InputError
    from solvers.library import (
        Comparison,
        Result,
        SolutionIterator,
        candidates,
        compare_backends,
        explain,
        explore,
        export_model,
        grade,
        hints,
        iter_solutions,
        last_interrupted,
        minimal,
        repair,
        solve,
        survey_variants,
        why,
        write_certificate,
        write_gallery,
        write_pictures,
    )
    from solvers.show.shown import Solution, Solutions, Table
    from solvers.show.svg import Picture

__all__ = [
    "CheckError",
    "Comparison",
    "InputError",
    "Picture",
    "Result",
    "Solution",
    "SolutionIterator",
    "Solutions",
    "Table",
    "candidates",
    "compare_backends",
    "explain",
    "explore",
    "export_model",
    "grade",
    "hints",
    "iter_solutions",
    "last_interrupted",
    "minimal",
    "repair",
    "solve",
    "survey_variants",
    "why",
    "write_certificate",
    "write_gallery",
    "write_pictures",
]
_HOMES = {
    **dict.fromkeys(__all__, "solvers.library"),
    **dict.fromkeys(("CheckError", "InputError"), "solvers.errors"),
    **dict.fromkeys(("Solution", "Solutions", "Table"), "solvers.show.shown"),
    "Picture": "solvers.show.svg",
}
"""The module of each name; none of them is also that of a module here, which would take its place once imported."""


def _import_models() -> None:
    """Import the package `models` that lies beside this one, whatever else is called so.

    python-sat installs a file models.py beside the console scripts, where these look first, and a folder of one's own
    may hold another. Raises ImportError where such a one was imported before.
    """
    path = Path(__file__).resolve().parent.parent / "models" / "__init__.py"
    if (there := sys.modules.get("models")) is not None:
        if there.__file__ is None or Path(there.__file__).resolve() != path:
            raise ImportError(f"solvers needs its own package models, but {there.__file__} was imported as models")
        return
    spec = spec_from_file_location("models", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"solvers needs its own package models, in {path.parent}")
    module = module_from_spec(spec)
    sys.modules["models"] = module
    spec.loader.exec_module(module)


_import_models()


def __getattr__(name: str) -> Any:
    """Import the library's names when they are asked for, so that the command lines start without it."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
