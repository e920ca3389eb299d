"""The table of backends: by which name each is asked for.

A backend's module is imported when the backend is asked for: the solvers' libraries take a while to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from solvers.backends.protocol import Backend
from solvers.errors import InputError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

BACKENDS = {
    "cp-sat": ("solvers.backends.cp_sat", "CpSat"),
    "sat": ("solvers.backends.sat", "Sat"),
    "cp": ("solvers.backends.cp", "Cp"),
    "cover": ("solvers.backends.cover", "Cover"),
}
"""The module and the class that answers to each name."""

SAID_IN_CLAUSES = ("bool_or", "bool_and", "bool_xor", "at_most_one", "exactly_one", "linear")
"""Kinds that a SAT solver does justice to, where they are about Booleans."""


def backend_kind(name: str, model: CpModel | None = None) -> tuple[type[Backend], str]:
    """The class that answers to a backend's name, and the solver it is to use; for auto what the model holds decides.

    A name such as sat:glucose42 names a solver too. Raises `InputError` if there is no backend of that name.
    """
    if name == "auto":
        name = "sat" if model is not None and _is_boolean(model.proto) else "cp-sat"
    kind, colon, solver = name.partition(":")
    if kind not in BACKENDS or (colon and kind != "sat"):
        raise InputError(
            f"there is no backend {name!r}; choose auto, cp-sat, cp, sat, sat:NAME or cover (see --list-backends)"
        )
    module = backend_module(kind)
    return getattr(module, BACKENDS[kind][1]), module.solver_name(solver) if solver else ""


def backend_module(kind: str) -> Any:
    """The module of the backend that is called so."""
    return import_module(BACKENDS[kind][0])


def is_clear(model: CpModel) -> str:
    """Why the best backend for a model is known without a trial; empty if it is not."""
    proto = model.proto
    if not _is_boolean(proto):
        return ""
    if all(any(getattr(constraint, f"has_{kind}")() for kind in SAID_IN_CLAUSES) for constraint in proto.constraints):
        return "all rules are about Booleans"
    return ""


def _is_boolean(proto: Any) -> bool:
    """Whether all variables are Boolean and nothing is optimised."""
    if proto.has_objective() or proto.has_floating_point_objective():
        return False
    return all(v.domain[0] >= 0 and v.domain[len(v.domain) - 1] <= 1 for v in proto.variables)
