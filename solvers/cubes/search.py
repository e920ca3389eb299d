"""Search a model, in one piece or in cubes, on the backend that was asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from solvers.backends.auto import Auto
from solvers.backends.cover import Cover
from solvers.backends.cp_sat_flaws import add_linear, take_objective
from solvers.backends.protocol import Backend
from solvers.backends.registry import backend_kind, is_clear
from solvers.cover.estimate import estimate
from solvers.cubes.branch import branch_plan
from solvers.cubes.conquer import Job, compact
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.split import conquered, cover_plan, whole_plan
from solvers.cubes.store import Store
from solvers.cubes.workers import Plan
from solvers.deadline import Deadline
from solvers.errors import InputError, Stopped
from solvers.symmetry.key import Key
from solvers.values import Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.options import Options

TRIAL = {"sat": 1.0, "cp": 1.0, "cp-sat": 5.0, "auto": 5.0}
"""Seconds for which a model that is no exact cover is searched in one piece before it is split; longer, if to find the
best value took longer. Two jobs take 11 s for 4x4 magic squares on PySAT, 13 if they begin after 5 s; but CP-SAT takes
7 s for the cubes of a 6x6 dissection, and 2 in one piece."""

LONG = 2.0
"""Seconds after which it is told how long `cover` would take, where the model is one."""

PROBING = 0.3
"""Seconds for which that is estimated."""


class Search:
    """A model made ready for a backend.

    An exact cover is split from the start, by its own search. Another model is begun on in one piece; if that takes
    long and there are several jobs, it is split into cubes, and what was found before is passed over when it is met
    again.

    Raises `InputError` if the model is none of the backend's.
    """

    backend: Backend
    """Searches in one piece; where other backends conquer the parts of a cover, it gets nothing to do."""

    store: Store | None = None
    """Remembers what was searched, once it is opened."""

    cover_seconds: float | None = None
    """What the search of the backend `cover` would take, where another conquers a cover's parts for long."""

    best: int | None = None
    """The least value of the proto objective's sum, once it is known."""

    def __init__(
        self,
        model: CpModel,
        key: Key,
        options: Options,
        identity: Mapping[str, str],
        stop: threading.Event,
        cases: Sequence[Cube] = (WHOLE,),
        determined: Sequence[int] = (),
    ) -> None:
        """``identity`` says, besides the model, its key and the cases, what a store of the search is of.

        ``cases``: the disjoint parts of the space that are searched; their weights add up to 1.
        ``determined``: variables beside the key's that the key determines.
        """
        from ortools.sat.python.cp_model import CpModel

        self.has_objective = model.proto.has_objective() or model.proto.has_floating_point_objective()
        self._model, self._key, self._options, self._stop = model, key, options, stop
        self._kind, self._solver = backend_kind(options.backend, model)
        self._identity, self._cases = identity, cases
        self._determining = [*key.variables, *determined]
        self._deadline = Deadline(stop)
        self._plan: Plan | None = None
        self._parts: Cover | None = None
        if self._kind is Cover:
            cover = Cover(model, self._determining, stop, seed=options.seed, parameters=options.solver_parameters)
            self.backend = cover
            if options.cubes != 1 or options.store:
                self._plan = cover_plan(cover, self._job(cover), options.cubes, cases)
        elif (options.cubes != 1 or options.store) and (parts := self._as_cover()):
            self.backend, self._parts = self._made(CpModel(), ()), parts
            self._plan = cover_plan(parts, self._job(parts), options.cubes, cases, options.jobs)
        elif options.backend == "auto" and not (options.cubes or options.store or is_clear(model)):
            self.backend = Auto(
                model, key.variables, self._deadline, seed=options.seed, parameters=options.solver_parameters
            )
        else:
            self.backend = self._made(model, key.variables)

    @property
    def size(self) -> Mapping[str, int]:
        """How big the model is as it is searched."""
        return self._parts.size if self._parts else self.backend.size

    @property
    def reason(self) -> str:
        """Why `auto` has chosen its backend; empty where it was asked for, and while that is not known."""
        if isinstance(self.backend, Auto):
            return self.backend.reason
        return is_clear(self._model) if self._options.backend == "auto" else ""

    @property
    def name(self) -> str:
        """The backend's; `auto` while it is not known which one goes on."""
        return "auto" if isinstance(self.backend, Auto) and not self.reason else self.backend.name

    def _as_cover(self) -> Cover | None:
        """The model as a cover that its own search splits well: one of items, not of counted variables alone."""
        try:
            cover = Cover(self._model, self._determining, self._stop)
        except InputError:
            return None
        return None if len(cover.tables.bounds) and cover.tables.slack else cover

    def _made(self, model: CpModel, key: Sequence[int], name: str = "") -> Backend:
        options = self._options
        kind, solver = backend_kind(name) if name else (self._kind, self._solver)
        parameters = options.solver_parameters
        return kind(model, key, self._deadline, solver=solver, seed=options.seed, parameters=parameters)

    def _job(self, cover: Cover | None = None) -> Job:
        options = self._options
        tables = cover.tables if cover else None
        return Job(
            self.backend.name, options.seed, dict(options.solver_parameters), tuple(self._key.variables), b"", tables
        )

    def run(self, found: Callable[[Values], None], account: Callable[[Found], None]) -> None:
        """Call ``found`` with the values of all variables in each solution, and ``account`` with what cubes took.

        Returning means that the whole space was searched. Of a model with an objective only the solutions that have
        the best value are found. A model that was split may have variables of its own behind the others.
        """
        options, plan = self._options, self._plan
        if options.store is not None:
            self.store = Store(
                *(options.store, fingerprint(self._model, self._key, self._identity, self._cases)),
                *(self.name, options.jobs),
            )
        began = time.perf_counter()
        best = self.store.best if self.store else None
        if self.has_objective and best is None:
            best = self.backend.optimum()
            if best is None:
                return account(Found([], 1, statistics=self.backend.statistics))
            if self.store:
                self.store.best = best
        self.best = best
        if self.store:
            plan = plan or self._branching(best) or whole_plan(self._held(best), self._job(), self._cases)
            return self._conquer(plan, found, account)
        optimising = time.perf_counter() - began
        is_alone = options.jobs == 1 and options.executor is None
        if plan is None and (options.cubes == 1 or (options.cubes is None and is_alone)):
            return self._enumerate(self.backend, found, account)
        of_key = self._key.variables
        seen: set[tuple[int, ...]] = set()

        def found_and_remembered(values: Values) -> None:
            seen.add(tuple(values[v] for v in of_key))
            self._deadline.wait_for(partial(found, values))  # who checks it may be slower than the search

        def found_unless_seen(values: Values) -> None:
            if not seen or tuple(values[v] for v in of_key) not in seen:
                found(values)

        if plan is None:
            trial = max(TRIAL["auto" if isinstance(self.backend, Auto) else self.name.partition(":")[0]], optimising)
            if options.cubes is None and self._ends_soon(trial, found_and_remembered, account):
                return
            plan = self._branching(best)
        if plan is None:
            backend = self._made(self._model, of_key, self.backend.name)
            if best is not None:
                backend.optimum()
            return self._enumerate(backend, found_unless_seen, account)
        self._conquer(plan, found_unless_seen, account)

    def _conquer(self, plan: Plan, found: Callable[[Values], None], account: Callable[[Found], None]) -> None:
        options, began = self._options, time.perf_counter()
        for part in conquered(plan, options.jobs, self._stop, self.store, options.executor):
            for values in part.rows:
                found(values)
            account(part)
            if self._parts and self.cover_seconds is None and time.perf_counter() - began > LONG:
                cases = [case.literals for case in self._cases]
                estimated = estimate(self._parts.tables, options.seed, self._stop, cases, PROBING)
                self.cover_seconds = estimated.seconds / options.jobs

    def _enumerate(self, backend: Backend, found: Callable[[Values], None], account: Callable[[Found], None]) -> None:
        """Search in one piece, or case by case."""
        searched = 0.0
        try:
            for case in self._cases:
                backend.enumerate(lambda values: found(compact(values)), case.literals)
                searched += case.weight
        finally:
            with suppress(Stopped):
                account(Found([], searched, statistics=backend.statistics))

    def _ends_soon(self, seconds: float, found: Callable[[Values], None], account: Callable[[Found], None]) -> bool:
        """Search in one piece, for a while; whether that was enough."""
        self._deadline.begin(seconds)
        try:
            self._enumerate(self.backend, found, account)
        except Stopped:
            if self._stop.is_set():
                raise
            return False
        finally:
            self._deadline.begin(float("inf"))
        return True

    def _branching(self, best: int | None) -> Plan | None:
        """Cubes, of the solutions with the best value if it is given; None if the model cannot be split."""
        model = self._held(best)
        try:
            return branch_plan(model, self._key.variables, self._job(), self._options.cubes, self._stop, self._cases)
        except InputError:  # by the lowering, which is what tells how far values propagate
            return None

    def _held(self, best: int | None) -> CpModel:
        """The model, of the solutions that have this value of its objective."""
        model = self._model.clone()
        if best is not None:
            add_linear(model.proto, take_objective(model.proto), [best, best])
        return model


def fingerprint(
    model: CpModel, key: Key, identity: Mapping[str, str], cases: Sequence[Cube] = (WHOLE,)
) -> dict[str, str]:
    """What a search is of, whatever backend does it."""
    variables = zip(key.labels, key.variables, strict=True)
    content = f"{model.proto}\n{sorted((repr(label), variable) for label, variable in variables)}"
    if list(cases) != [WHOLE]:
        content += f"\n{[case.literals for case in cases]}"
    return {**identity, "model": sha256(content.encode()).hexdigest()}
