"""Backends by name: chosen, made ready, and asked for what does not depend on which it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.backends.protocol import Backend, Propagator, Task, ignore
from solvers.base.backend_rows import BACKENDS, row_of
from solvers.base.errors import InputError
from solvers.base.plugs import function
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.model.reading import SCHEDULING, has_boolean_rules_only, has_objective, is_boolean, kind_of, pair_count
from solvers.model.wide import is_wide
from solvers.model.writing import model_at_sum

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.model.exact_cover import ExactCover


class BackendChoice(NamedTuple):
    """The backend that will search a model, and why it was chosen."""

    backend: str
    """The backend's name; if a trial decides, the backend that is taken where no trial is made."""

    why: str = ""
    """The reason for the choice; empty if a trial decides, or if the user named the backend."""

    is_tried: bool = False
    """True if a trial of several backends decides."""

    stays_cover: bool = False
    """True if the model is an exact cover that has to stay one when its symmetry is broken."""


def choose(
    name: str, model: CpModel, cover: ExactCover | None = None, parameters: Mapping[str, str] = MappingProxyType({})
) -> BackendChoice:
    """Return the backend that will search a model, and the reason for the choice.

    name: the backend that the user named, which is returned as it is, or "auto". cover: the model as an exact cover;
    None if it is not one. parameters: the solver parameters that the user set; with any, `cover` is not chosen, as it
    has none.
    """
    suits_cover = cover is not None and cover.suits_branching_on_items
    if name != "auto":
        return BackendChoice(name, stays_cover=suits_cover or name == "cover")
    if cover and suits_cover and not parameters:
        if cover.options <= TUNING.max_small_cover_options:
            return BackendChoice(
                "cp", "an exact cover of few options, which no solver takes long for", stays_cover=True
            )
        again = "ask OR-Tools for a second opinion with --backend cp"
        why = f"an exact cover, {cover.items_per_option:.1f} items per option; {again}"
        return BackendChoice("cover", why, stays_cover=True)
    return _choice_by_kinds(model)._replace(stays_cover=suits_cover)


def _choice_by_kinds(model: CpModel) -> BackendChoice:
    """Return the backend for a model that is not searched as an exact cover, by its kinds of constraints.

    A choice with ``is_tried`` names the backend that is taken where no trial of several backends is made.
    """
    if has_boolean_rules_only(model):
        if len(model.proto.constraints) > TUNING.max_tried_boolean_constraints:
            return BackendChoice("sat", "all rules are about Booleans")
        return BackendChoice("sat", is_tried=True)
    if pair_count(model) > TUNING.max_tried_interval_pairs:
        return BackendChoice("cp-sat", "many pairs of intervals, which others compare one by one")
    if has_objective(model) or not all(map(is_boolean, model.proto.variables)):
        return BackendChoice("sat" if is_wide(model.proto) else "cp-sat", is_tried=True)
    kinds = set(map(kind_of, model.proto.constraints))
    return BackendChoice("sat" if kinds.isdisjoint(SCHEDULING) else "cp-sat", is_tried=True)


def backend_kind(name: str) -> tuple[type[Backend], str]:
    """Return (class, solver name) for a backend's name.

    The solver name is empty unless the name has two parts, such as sat:glucose42. Raises `InputError` if there is no
    such backend, no such solver, or if the backend's package is not installed.
    """
    kind, colon, solver = name.partition(":")
    row = BACKENDS.get(kind)  # the table's row: the backend's module, class (``kind``), and what it needs
    if row is None or (colon and not row.has_solvers):
        names = ", ".join(backend.words for backend in BACKENDS.values())
        raise InputError(
            f"there is no backend {name!r}; choose auto, {names} (see python -m solvers.run --list-backends)"
        )
    if not row.is_installed:
        raise InputError(f"the backend {kind} needs {row.need}")
    module = module_of(kind)
    return getattr(module, row.kind), module.solver_name(solver) if solver else ""


def module_of(kind: str) -> Any:
    """Return the module of a backend; kind: its name in the table. Raises `InputError` if its wing is missing."""
    place = BACKENDS[kind].module  # empty if a wing has the backend
    return import_module(place) if place else import_module(function(f"backend {kind}", kind).__module__)


def make_backend(name: str, task: Task) -> Backend:
    """Return the backend of this name, made ready for a task.

    For "auto" it is the backend that `choose` names, without a trial. Raises `InputError` if there is no such backend,
    or if it refuses the model or a parameter.
    """
    choice = choose(name, task.model, task.cover, task.parameters)
    kind, solver = backend_kind(choice.backend)
    return kind(replace(task, solver=solver))


def trial_seconds(name: str) -> float:
    """Return the seconds for which a backend searches in one piece before the space is split.

    name: the name of the backend, which must exist.
    """
    row = row_of(name)
    assert row
    return row.trial


def extension_backend(model: CpModel, key: Sequence[int], stop: threading.Event) -> Backend:
    """Return a backend for calls of `Backend.extend`, which completes assignments to solutions.

    It is a SAT solver, or CP-SAT if the model has no lowering to CNF. key: proto indices. stop: ends a search when set;
    it then raises `Stopped`. Raises `InputError` if CP-SAT does not take the model either.
    """
    try:
        return make_backend("sat", Task(model, key, stop))
    except InputError:
        return make_backend("cp-sat", Task(model, key, stop))


def model_at_optimum(
    model: CpModel,
    key: Sequence[int],
    stop: threading.Event,
    backend: str = "auto",
    improved: Callable[[Values], object] = ignore,
) -> CpModel:
    """Return a copy of the model in which the objective is replaced by the constraint that it has its best value.

    A search finds the best value. If the model has no solution, neither has the copy. A model without an objective is
    returned as it is.

    key: the indices of the key variables. backend: the name of the backend that searches for the best value. improved:
    called with the values of all variables in each solution of the search, which is better than those before.

    Raises `Stopped` once the event ``stop`` is set. Raises `InputError` if the backend does not take the model.
    """
    if not has_objective(model):
        return model
    return model_at_sum(model, make_backend(backend, Task(model, key, stop)).optimum(improved))


def propagator(model: CpModel, key: Iterable[int], stop: threading.Event, lowering: Any = None) -> Propagator:
    """Return unit propagation on a model, for the literals of its key.

    key: proto indices. lowering: that of the model, if there is one. Raises `InputError` if the model cannot be lowered
    to CNF, `Stopped` once ``stop`` is set.
    """
    propagation: Propagator = import_module("solvers.backends.sat").Propagation(model, key, stop, lowering)
    return propagation


def check_backend(name: str) -> None:
    """Raise `InputError` if there is no backend of that name."""
    if name != "auto":
        backend_kind(name)
