"""Former names of modules.

Importing or running one gives the module at its new place, with a warning.
"""

import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType

from solvers.plugs import MOVED


class FormerNames(MetaPathFinder):
    """An import hook that finds modules by the names that they had before they moved.

    `MOVED` maps these to today's.
    """

    def __init__(self) -> None:
        """Begin without any name for which there was a warning."""
        self._warned = set[str]()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that has moved, and warn once for each name; None for any other module."""
        former = next((name for name in MOVED if f"{fullname}.".startswith(f"{name}.")), "")
        if not former:
            return None
        real = find_spec(MOVED[former] + fullname.removeprefix(former))
        if real is None:
            return None
        if former not in self._warned:
            self._warned.add(former)
            warnings.warn(
                f"{former} is now {MOVED[former]}; the former name will be removed", FutureWarning, stacklevel=2
            )
        is_package = real.submodule_search_locations is not None
        return ModuleSpec(fullname, Alias(real), origin=real.origin, is_package=is_package)


class Alias(Loader):
    """A loader that loads the module of another name in place of the one that is asked for."""

    def __init__(self, real: ModuleSpec) -> None:
        """Take the spec of the module at its new place."""
        assert isinstance(real.loader, InspectLoader)
        self._real, self._loader = real, real.loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import and return the module at its new place."""
        return import_module(self._real.name)

    def exec_module(self, module: ModuleType) -> None:
        """Restore the name and spec of the module, which importing it by another name has overwritten."""
        module.__spec__, module.__loader__ = self._real, self._loader
        module.__name__ = self._real.name

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module at its new place, as ``python -m`` needs it."""
        return self._loader.get_code(self._real.name)
