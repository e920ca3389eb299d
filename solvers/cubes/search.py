"""Search a model, in one piece or in cubes, on the backend that was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial

from ortools.sat.python.cp_model import CpModel

from solvers.backends.auto import CLOCK, Auto
from solvers.backends.cover import Cover
from solvers.backends.implied import exclusions
from solvers.backends.protocol import Backend, Task
from solvers.backends.registry import BackendChoice, choose, make_backend, trial
from solvers.cubes.branch import branch_plan
from solvers.cubes.conquer import Job, Plan, compact
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.split import cover_plan, cut_plan, whole_plan
from solvers.cubes.store import Store
from solvers.cubes.workers import conquered
from solvers.deadline import Deadline
from solvers.errors import CheckError, InputError, Stopped
from solvers.model.exact_cover import ExactCover
from solvers.model.reading import has_objective
from solvers.model.writing import held_to
from solvers.options import Options
from solvers.symmetry.key import Key, checksum
from solvers.values import Values

SHARE_BEFORE_CUTTING = 0.2
"""The share of a backend's trial time for which an exact cover is searched in one piece before it is cut.

To cut it costs nothing, and the work of the trial is done again in the cubes.
"""


class MetBefore:
    """The solutions that were met so far, by searches that were not finished; each is told once."""

    def __init__(self, of_key: Sequence[int], found: Callable[[Values], None]) -> None:
        """Begin with no solution. of_key: proto indices. found: called with each new solution."""
        self._of_key, self._found = of_key, found
        self._seen: set[tuple[int, ...]] = set()
        self.missed: set[tuple[int, ...]] = set()
        """The solutions that the current search has not met again."""

    def begin_anew(self) -> None:
        """Note that another search of the whole space begins, which has to meet all solutions again."""
        self.missed = set(self._seen)

    def tell(self, values: Values) -> None:
        """Tell of a solution unless it was remembered; values: those of all variables."""
        if self._seen and (key := tuple(values[v] for v in self._of_key)) in self._seen:
            self.missed.discard(key)
        else:
            self._found(values)

    def remember(self, values: Values) -> None:
        """Tell of a solution unless it was remembered, and remember it; values: those of all variables."""
        self.tell(values)
        self._seen.add(tuple(values[v] for v in self._of_key))


class Search:
    """A model made ready for a backend.

    The backend `cover` splits from the start. Others begin on the model in one piece; if that takes long and there are
    several jobs, it is split into cubes, and what was found before is passed over when it is met again.

    Raises `InputError` if the model is none of the backend's.
    """

    backend: Backend
    """The backend that searches in one piece."""

    store: Store | None = None
    """The open store, which records what was searched; None if there is none, or it is not open yet."""

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
        cover: ExactCover | None = None,
    ) -> None:
        """Choose the backend and make it ready, or prepare its choice; nothing is searched yet.

        key: the key of the puzzle. options: those of the run, such as the backend and the number of jobs. identity:
        texts by name, by which a store recognises the search, besides the model, its key and the cases. cases: the
        disjoint parts of the space that are searched; their weights add up to 1. cover: the model as an exact cover, if
        it is one and the key holds or determines all variables. stop: ends the search when set. Raises `InputError` if
        the backend does not take the model, `Stopped` once the event is set.
        """
        self.has_objective = has_objective(model)
        self._model, self._key, self._options, self._stop = model, key, options, stop
        self._identity, self._cases, self._cover = identity, cases, cover
        self._choice = choose(options.backend, model, cover, options.solver_parameters)
        self._deadline = Deadline(stop, CLOCK)
        self._plan: Plan | None = None
        self._is_long = False
        """True once a search in one piece did not end within its trial time."""
        if self._choice.is_tried:
            self.backend = Auto(self._task(model))
            return
        self.backend = self._made(self._choice.backend)
        if isinstance(self.backend, Cover) and (options.cubes != 1 or options.store):
            self._plan = cover_plan(self.backend, self._job(), options.cubes, cases)

    @property
    def size(self) -> Mapping[str, int]:
        """The size of the model as the backend searches it, such as its numbers of variables and clauses."""
        return self.backend.size

    @property
    def reason(self) -> str:
        """The reason why `auto` chose its backend.

        The text is empty if the user named the backend, or if none is chosen yet.
        """
        if isinstance(self.backend, Auto):
            return self.backend.reason
        return self._choice.why

    @property
    def name(self) -> str:
        """The name of the backend; "auto" as long as none is chosen."""
        is_open = isinstance(self.backend, Auto) and not self.reason
        return "auto" if is_open else self.backend.name

    def _made(self, name: str) -> Backend:
        """Return a new backend of this name for the model; raise `Stopped` if the run was told to end.

        Raises `InputError` if the backend does not take the model.
        """
        if self._stop.is_set():  # to make a solver ready may take seconds
            raise Stopped
        return make_backend(name, self._task(self._model, self._cover))

    def _task(self, model: CpModel, cover: ExactCover | None = None) -> Task:
        """Return the task of searching a model with the settings of the run; cover: the same as an exact cover."""
        options = self._options
        return Task(
            model,
            self._key.variables,
            self._deadline,
            seed=options.seed,
            parameters=options.solver_parameters,
            cover=cover,
        )

    def _job(self) -> Job:
        """Return the job for workers on this backend, without the model.

        `branch_plan` and the other functions that make plans add the model to it.
        """
        options, backend = self._options, self.backend
        tables = backend.tables if isinstance(backend, Cover) else None
        return Job(
            backend=backend.name,
            seed=options.seed,
            parameters=dict(options.solver_parameters),
            key=tuple(self._key.variables),
            model=b"",
            cover=None if tables else self._cover,
            tables=tables,
        )

    def run(self, found: Callable[[Values], None], account: Callable[[Found], None]) -> None:
        """Search the whole space. When this method returns, nothing was left out.

        If the model has an objective, only the solutions with the best value are found.

        found: called with the values of all variables in each solution. If the model was split, the values of auxiliary
        variables may follow those of the model's variables.

        account: called with each finished part of the work: its share of the space and the solver's figures.

        Raises `Stopped` if the search was told to end; `CheckError` if it contradicts itself; `InputError` if the
        backend does not take the model.
        """
        options, plan = self._options, self._plan
        if options.store is not None:
            self.store = Store(
                options.store,
                fingerprint(self._model, self._key, self._identity, self._cases),
                backend=self.name,
                jobs=options.jobs,
            )
        began = CLOCK()
        best = self.store.best if self.store else None
        if self.has_objective and best is None:
            best = self.backend.optimum()
            if best is None:
                return account(Found([], Fraction(1), statistics=self.backend.statistics))
            if self.store:
                self.store.best = best
        self.best = best
        optimising = CLOCK() - began
        is_alone = options.jobs == 1 and options.executor is None
        in_one_piece = options.cubes == 1 or (options.cubes is None and is_alone)
        if plan is None and in_one_piece and not self.store:
            return self._enumerate(self.backend, found, account)
        met = MetBefore(self._key.variables, lambda values: self._deadline.wait_for(partial(found, values)))
        is_asked_to_cut = bool(self.store) or options.cubes is not None
        if isinstance(self.backend, Auto):
            is_done = self._try_out(self.backend, best, met.remember)
            if is_done and not is_asked_to_cut:
                return account(Found([], Fraction(1), statistics=self.backend.statistics))
        if plan is None and not is_asked_to_cut:
            seconds = max(trial(self.backend.name), optimising)
            if self._may_cut:
                seconds *= SHARE_BEFORE_CUTTING
            met.begin_anew()
            if self._ends_soon(seconds, met.remember, account):
                return self._refuse(met.missed)
            self._is_long = True
        if plan is None:
            plan = self._split(best)
        if plan is None and self.store:
            plan = whole_plan(self._held(best), self._job(), self._cases)
        met.begin_anew()
        if plan is None:
            backend = self._made(self.backend.name)
            if best is not None:
                backend.optimum()
            self._enumerate(backend, met.tell, account)
        else:
            self._conquer(plan, met.tell, account)
        self._refuse(met.missed)

    def _refuse(self, missed: Collection[object]) -> None:
        """Raise `CheckError` if the search is complete, but solutions that were found before are missed."""
        if missed:
            raise CheckError(f"{self.name} finished its search, but missed {len(missed)} solutions found before")

    def _try_out(self, backend: Auto, best: int | None, found: Callable[[Values], None]) -> bool:
        """Let `auto` choose the backend that goes on, by trials on the cases; tell whether they searched everything.

        The choice looks at processor time and at solutions, so that it is the same on a busy machine. best: the value
        that the objective is held to; None if there is no objective. found: called with each solution that the trials
        find. The store records the chosen backend.
        """
        if best is not None and backend.best is None:  # it was proved in an earlier run
            backend = Auto(self._task(self._held(best)))
        is_done = True
        for case in self._cases:
            is_done = not backend.is_decided and backend.try_out(found, case.literals) and is_done
        self.backend, self._choice = backend.chosen, BackendChoice(backend.name, backend.reason)
        if self.store:
            self.store.name_backend(self.name)
        return is_done

    def _conquer(self, plan: Plan, found: Callable[[Values], None], account: Callable[[Found], None]) -> None:
        """Search all cubes of a plan.

        found, account: called with each solution and each finished part, as in `run`. Raises `Stopped` if the search
        was told to end, `CheckError` if a part of the space was left out.
        """
        options = self._options
        for part in conquered(plan, options.jobs, self._stop, self.store, options.executor, self._is_long):
            for values in part.rows:
                found(values)
            account(part)

    def _enumerate(self, backend: Backend, found: Callable[[Values], None], account: Callable[[Found], None]) -> None:
        """Search all cases on the backend, without splitting them. found, account: as in `run`.

        ``account`` is called once at the end; its share is 0 if the search was not finished, because the search then
        begins again in cubes.
        """
        searched = Fraction()
        try:
            for case in self._cases:
                backend.enumerate(lambda values: found(compact(values)), case.literals)
                searched += case.weight
        finally:
            if not self._stop.is_set() and searched < 1:  # it begins again, in cubes
                searched = Fraction()
            with suppress(Stopped):
                account(Found([], searched, statistics=backend.statistics))

    def _ends_soon(self, seconds: float, found: Callable[[Values], None], account: Callable[[Found], None]) -> bool:
        """Search in one piece for this many seconds of the processor; tell whether everything was searched.

        found, account: as in `run`. Raises `Stopped` if the run was told to end.
        """
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

    def _split(self, best: int | None) -> Plan | None:
        """Return a plan that splits the model into cubes; None if the model cannot be split.

        best: the value that the objective is held to; None if there is no objective. Raises `Stopped` once the event is
        set.
        """
        options = self._options
        model = self._held(best)
        if self._cover and self._may_cut:
            implied = exclusions(self._cover)
            ruled_out = implied.ruled_out if implied else ()
            return cut_plan(model, self._cover, self._job(), options.cubes, self._cases, options.jobs, ruled_out)
        try:
            return branch_plan(model, self._key.variables, self._job(), options.cubes, self._stop, self._cases)
        except InputError:  # by the lowering, which is what tells how far values propagate
            return None

    @property
    def _may_cut(self) -> bool:
        """Tell whether the model is an exact cover that can be cut at its items.

        A cover that has both counts and slack options cannot be cut.
        """
        return self._cover is not None and not (self._cover.counts and self._cover.slack)

    def _held(self, best: int | None) -> CpModel:
        """Return the model with its objective held to a value; the model itself if ``best`` is None."""
        return self._model if best is None else held_to(self._model, best)


def fingerprint(
    model: CpModel, key: Key, identity: Mapping[str, str], cases: Sequence[Cube] = (WHOLE,)
) -> dict[str, str]:
    """Return the identity of a search, texts by name, by which a store recognises it.

    It is the same for every backend. model, key: what is searched. identity: what the run adds, such as the puzzle and
    its parameters. cases: the parts of the space that are searched.
    """
    besides = f"\n{[case.literals for case in cases]}" if list(cases) != [WHOLE] else ""
    return {**identity, "model": checksum(model, key, besides)}
