"""OR-Tools without pandas, whose import takes longer than that of OR-Tools itself.

OR-Tools needs pandas for its series of variables only; when it is imported, it takes the names of types from there.
"""

import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

PANDAS = "pandas"


class _Types(ModuleType):
    """A stand-in for pandas while OR-Tools is imported: each name is that of a new type."""

    def __getattr__(self, name: str) -> type:
        """Return a new type of this name."""
        return type(name, (), {})


class _Pandas(ModuleType):
    """A stand-in for pandas in OR-Tools afterwards: the first use of a name imports pandas."""

    def __getattr__(self, name: str) -> Any:
        """Return the object that has this name in pandas."""
        return getattr(import_module(PANDAS), name)


class _Loader(SourceFileLoader):
    """Loads OR-Tools' module with a stand-in for pandas."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code while a stand-in takes the place of pandas; then let its name ``pd`` import pandas."""
        sys.modules[PANDAS] = _Types(PANDAS)
        try:
            super().exec_module(module)
        finally:
            del sys.modules[PANDAS]
        module.__dict__["pd"] = _Pandas(PANDAS)


class _Finder:
    """Finds OR-Tools' module for the loader above, unless pandas is there or another thread may be importing it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of OR-Tools' module ``cp_model``, with our loader; see `importlib.abc.MetaPathFinder`.

        fullname, path, target: as Python passes them to every finder. The result is None, and Python asks other
        finders, for any other module, if pandas is loaded already, or if another thread could meet the stand-in.
        """
        if fullname != "ortools.sat.python.cp_model" or PANDAS in sys.modules or threading.active_count() > 1:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def defer_pandas() -> None:
    """Let OR-Tools import pandas only when it is used; for processes of our own, before OR-Tools is imported."""
    sys.meta_path.insert(0, _Finder())
