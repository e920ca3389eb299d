"""For command lines: import OR-Tools' modelling layer without pandas, which few models need; it takes 0.3 s."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class Later(ModuleType):
    """Stands for a module, which is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def import_cp_model() -> None:
    """Import `ortools.sat.python.cp_model`; pandas follows when a model makes variables by the series.

    While it is imported, cp_model names two classes of pandas in annotations; it uses them in its methods only. Whoever
    imports pandas at that moment gets the stand-in, so this is for processes in which nobody else does.
    """
    if "ortools.sat.python.cp_model" in sys.modules or "pandas" in sys.modules:
        return
    stand_in: Any = ModuleType("pandas")
    stand_in.Index = stand_in.Series = object
    sys.modules["pandas"] = stand_in
    try:
        cp_model: Any = import_module("ortools.sat.python.cp_model")
    finally:
        sys.modules.pop("pandas", None)
    cp_model.pd = Later("pandas")
