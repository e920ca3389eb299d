"""Search a model, in one piece or in cubes, on the backend that was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from ortools.sat.python.cp_model import CpModel

from solvers.backends.auto import CLOCK, BackendTrial, TrialResult
from solvers.backends.implied import exclusions
from solvers.backends.protocol import Backend, Task
from solvers.backends.registry import BackendChoice, make_backend, trial_seconds
from solvers.base.deadline import Deadline
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.options import Options
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.cubes.batches import FIRST_ALONE, Batches
from solvers.cubes.branch import SampleCubes, branch_plan
from solvers.cubes.conquer import Job, Plan, keep_ready
from solvers.cubes.cube import WHOLE, Cube, Found, Rows
from solvers.cubes.split import Splitting, cover_plan, cut_plan, whole_plan
from solvers.cubes.store import Store
from solvers.cubes.workers import conquer_all
from solvers.model.exact_cover import ExactCover
from solvers.model.reading import has_objective
from solvers.model.writing import model_at_sum
from solvers.symmetry.key import Key, checksum

SHARE_BEFORE_CUTTING = 0.2
"""The share of a backend's trial time for which an exact cover is searched in one piece before it is cut.

To cut it costs nothing, and the work of the trial is done again in the cubes.
"""


FIRST_SOLUTIONS = 2
"""The most solutions that a run may ask for to search in one piece first: cutting alone can take many seconds."""


class MetBefore:
    """The solutions that were found so far, by searches that were not finished; each is told once."""

    def __init__(self, of_key: Sequence[int], found: Callable[[Rows], None]) -> None:
        """Begin with no solution.

        of_key: the proto indices of the key's variables, that is, their columns in the rows. found: called with the new
        solutions.
        """
        self._of_key, self._found = of_key, found
        self._seen: set[bytes] = set()
        self.missed: set[bytes] = set()
        """The solutions that the current search has not met again."""

    def begin_anew(self) -> None:
        """Note that another search of the whole space begins, which has to meet all solutions again."""
        self.missed = set(self._seen)

    def report_new(self, rows: Rows) -> None:
        """Call ``found`` with the solutions that are not remembered, and note that the others were met again.

        rows: the values of all variables in each solution. The remembered ones among them are no longer missed. Once
        none is missed, all others are new, as a search meets each solution once.
        """
        if not self.missed:
            self._found(rows)
            return
        keys = self._keys(rows)
        self.missed.difference_update(keys)
        new = rows[[key not in self._seen for key in keys]]
        if len(new):
            self._found(new)

    def remember(self, rows: Rows) -> None:
        """Call ``found`` with the solutions that are not remembered, and remember them; rows: as for `report_new`."""
        self.report_new(rows)
        self._seen.update(self._keys(rows))

    def _keys(self, rows: Rows) -> list[bytes]:
        """Return the values of the key in each solution, as bytes."""
        return [values.tobytes() for values in rows[:, self._of_key].astype(np.int64)]


@dataclass(frozen=True)
class Engine:
    """The backend that searches, as the report shows it."""

    name: str
    """Its name; "auto" as long as none is chosen."""

    why: str
    """The reason why `auto` chose it; empty if the user named it, or if none is chosen yet."""

    size: Mapping[str, int]
    """The size of the model as it searches it, such as its numbers of variables and clauses."""

    implied: Mapping[str, int]
    """The redundant facts that it was given, by kind; see `Backend.implied`."""

    rests_on: Sequence[str]
    """The parts of our code by which the model gets to it; see `Backend.rests_on`."""


def engine_of(backend: Backend, why: str) -> Engine:
    """Return what the report shows of a backend; why: the reason for its choice."""
    return Engine(backend.name, why, backend.size, backend.implied, backend.rests_on)


@dataclass(frozen=True)
class Optimum:
    """The outcome of the search for the best value."""

    value: int | None
    """The least value of the proto objective's sum; None if there is no objective or no solution."""

    exists: bool
    """False if it was proved that there is no solution."""

    seconds: float
    """The processor time that it took."""


class Searcher(NamedTuple):
    """A backend that searches, and the reason for its choice."""

    backend: Backend
    why: str


class Beginning(NamedTuple):
    """The result of the first stage of a search."""

    backend: Backend
    is_searched: bool
    """Whether it has searched the whole space."""


class Listener(NamedTuple):
    """The functions that a search calls while it goes on."""

    found: Callable[[Rows], None]
    """Called with solutions, in batches of at least one. If the model was split, the values of auxiliary variables may
    follow those of the model's variables."""

    account: Callable[[Found], None] = lambda _: None
    """Called with each finished part of the work: its share of the space and the solver's figures."""

    chosen: Callable[[Engine], None] = lambda _: None
    """Called with each choice of a backend that a trial makes."""


class Search:
    """A model made ready for a backend.

    The backend `cover` splits from the start, unless one or two solutions are asked for. Others begin on the model in
    one piece; if that takes long and there are several jobs, it is split into cubes, and what was found before is
    passed over when it is found again.

    Raises `InputError` if the model is none of the backend's.
    """

    store: Store | None = None
    """The open store, which records what was searched; None if there is none, or it is not open yet."""

    def __init__(
        self,
        model: CpModel,
        key: Key,
        options: Options,
        choice: BackendChoice,
        identity: Mapping[str, str],
        stop: threading.Event,
        cases: Sequence[Cube] = (WHOLE,),
        cover: ExactCover | None = None,
        shown: int | None = None,
    ) -> None:
        """Make the chosen backend ready, or the trial that chooses one; nothing is searched yet.

        key: the key of the puzzle. options: those of the run, such as the number of jobs. choice: the backend that
        searches. identity: texts by name, by which a store recognises the search, besides the model, its key and the
        cases. cases: the disjoint parts of the space that are searched; their weights add up to 1. cover: the model as
        an exact cover, if it is one and the key holds or determines all variables. stop: ends the search when set.
        shown: the number of variables, the first ones, whose values are asked for; None for all.
        Raises `InputError` if the backend does not take the model, `Stopped` once the event is set.
        """
        self.has_objective = has_objective(model)
        self._model, self._key, self._options, self._stop = model, key, options, stop
        self._identity, self._cases, self._cover, self._shown = identity, cases, cover, shown
        self._deadline = Deadline(stop, CLOCK)
        self._plan: Plan | None = None
        self._figures: Callable[[], Mapping[str, int]] = dict[str, int]
        self._is_long = False
        """True once a search in one piece did not end within its trial time."""
        self._trial: BackendTrial | None = None
        # `auto` compares several backends on the model, in a `BackendTrial`; otherwise one backend is settled.
        if choice.is_tried:
            self._trial = BackendTrial(self._task(model, cover), self._sample)
            self.engine = Engine("auto", "", self._trial.first.size, {}, ())
            """The backend at the start, for the report."""
            return
        self._named = Searcher(self._make_backend(choice.backend), choice.why)
        self.engine = engine_of(*self._named)
        backend = self._named.backend
        # A `Splitting` backend (`cover`) divides its own search tree. The plan lists the cubes, and the job that
        # workers do.
        if isinstance(backend, Splitting) and (options.cubes != 1 or options.store) and not self._begins_in_one_piece:
            self._plan = cover_plan(backend, self._job(backend), options.cubes, cases)

    def _make_backend(self, name: str) -> Backend:
        """Return a new backend of this name for the model; raise `Stopped` if the run was told to end.

        Raises `InputError` if the backend does not take the model.
        """
        if self._stop.is_set():  # to make a solver ready may take seconds
            raise Stopped
        return make_backend(name, self._task(self._model, self._cover))

    def _task(self, model: CpModel, cover: ExactCover | None = None) -> Task:
        """Return the task of searching a model with the settings of the run, as backends take it.

        cover: the same model as an exact cover; None if it is none, or if that is not to be used.
        """
        options = self._options
        return Task(
            model,
            self._key.variables,
            self._deadline,
            seed=options.seed,
            parameters=options.solver_parameters,
            cover=cover,
            is_long=self._is_expected_to_be_long,
            shown=self._shown,
        )

    def _sample(self, model: CpModel) -> SampleCubes:
        """Return cubes of a model on which backends are compared."""
        return SampleCubes(model, self._key.variables)

    def _job(self, backend: Backend) -> Job:
        """Return the job for workers on this backend: what each needs to make the backend again. It lacks the model.

        `branch_plan` and the other functions that make plans add the model to it. A `Splitting` backend passes its
        compiled tables instead of the cover.
        """
        options = self._options
        tables = backend.tables if isinstance(backend, Splitting) else None
        return Job(
            backend=backend.name,
            seed=options.seed,
            parameters=dict(options.solver_parameters),
            key=tuple(self._key.variables),
            model=b"",
            cover=None if tables else self._cover,
            tables=tables,
            shown=self._shown,
        )

    def run(self, listener: Listener) -> Optimum:
        """Search the whole space, in stages; when this method returns, nothing was left out. Return the best value.

        If the model has an objective, only the solutions with the best value are found. listener: gets the solutions,
        the figures and the choices of backends. Raises `Stopped` if the search was told to end; `CheckError` if it
        contradicts itself; `InputError` if the backend does not take the model.
        """
        self.store = self._open_store()
        optimum = self._optimum(listener)
        if optimum.exists and self._stays_in_one_piece:
            self._search_in_one_piece(listener)
        elif optimum.exists:
            self._search_in_parts(optimum, listener)
        return optimum

    def _open_store(self) -> Store | None:
        """Return the store that the options name, opened; None if they name none."""
        options = self._options
        if options.store is None:
            return None
        identity = fingerprint(self._model, self._key, self._identity, self._cases)
        return Store(options.store, identity, backend=self.engine.name, jobs=options.jobs)

    def _optimum(self, listener: Listener) -> Optimum:
        """Find the best value, or take it from the store, which records it.

        Without an objective nothing is searched, and a solution is taken to exist. If there is no solution, the whole
        space counts as searched, and this is reported to ``listener``.
        """
        if not self.has_objective:
            return Optimum(None, exists=True, seconds=0.0)
        if self.store and self.store.best is not None:
            return Optimum(self.store.best, exists=True, seconds=0.0)
        start = CLOCK()
        if self._trial:
            # The backends of the trial take turns until one proves a best value.
            proof = self._trial.prove()
            best, prover = proof.best, Searcher(proof.backend, proof.why)
        else:
            prover = self._named
            best = prover.backend.optimum()
        if best is None:
            listener.chosen(engine_of(*prover))
            listener.account(Found([], Fraction(1), statistics=prover.backend.statistics))
        elif self.store:
            self.store.best = best
        return Optimum(best, exists=best is not None, seconds=CLOCK() - start)

    @property
    def _begins_in_one_piece(self) -> bool:
        """Tell whether the search begins in one piece, because that may find what is asked for at once.

        It does if the run asks only whether the solution is unique, or for at most `FIRST_SOLUTIONS` solutions, and
        neither for a store nor for a number of cubes: these two take cubes from the start.
        """
        options = self._options
        if options.store is not None or options.cubes is not None:
            return False
        return options.unique or (options.limit is not None and options.limit <= FIRST_SOLUTIONS)

    @property
    def _is_expected_to_be_long(self) -> bool | None:
        """Tell whether the search will take long; None if that is not known.

        It will if a trial in one piece did not end, or if the user asks for a store or for several cubes. It will not
        if only one or two solutions are asked for.
        """
        has_several_parts = self._options.store is not None or self._options.cubes not in (None, 1)
        if self._is_long or has_several_parts:
            return True
        return False if self._begins_in_one_piece else None

    @property
    def _stays_in_one_piece(self) -> bool:
        """Tell whether the whole space is to be searched in one piece, however long that takes.

        It is if the user asked for one cube. It also is if the user asked for no number of cubes, only one job searches
        (in this process), and the backend does not split the space by itself. A plan or a store needs cubes in any
        case.
        """
        options = self._options
        is_alone = options.jobs == 1 and options.executor is None
        is_splitting = not self._trial and isinstance(self._named.backend, Splitting)
        is_asked = options.cubes == 1 or (options.cubes is None and is_alone and not is_splitting)
        return self._plan is None and is_asked and not self.store

    def _search_in_one_piece(self, listener: Listener) -> None:
        """Search all cases, on the backend that was named or on that which a trial chooses meanwhile.

        listener: gets the solutions, the choices of the trial and, at the end, the figures.
        """
        if not self._trial:
            return self._enumerate(self._named.backend, listener)
        trial, results = self._trial, list[TrialResult]()

        def report_trial(result: TrialResult) -> None:
            results.append(result)
            listener.chosen(engine_of(result.backend, result.why))

        # The trial ends once a backend is chosen, and that backend goes on without a time limit.
        def search(found: Callable[[Values], None], cube: Sequence[int]) -> None:
            # The trial on an earlier case has chosen the backend for all later cases.
            if results and results[-1].decides:
                results[-1].backend.enumerate(found, cube)
            else:
                trial.run(found, cube, further_seconds=lambda _: float("inf"), chosen=report_trial)

        def statistics() -> Mapping[str, int]:
            return (results[-1].backend if results else trial.first).statistics

        return self._go_through_cases(search, statistics, listener)

    def _search_in_parts(self, optimum: Optimum, listener: Listener) -> None:
        """Search in stages: choose a backend or begin in one piece, then cut the space and search the cubes.

        The first stage may search everything, and is then the last. Solutions of the first stages are remembered, so
        that each is reported once although the cubes contain it again. optimum: the best value, to which the objective
        is held. Raises `CheckError` if the last stage misses a solution that an earlier one has found.
        """
        # The deadline of a trial does not run while the run checks what was found.
        met = MetBefore(self._key.variables, lambda rows: self._deadline.wait_for(partial(listener.found, rows)))
        remembering = listener._replace(found=met.remember)
        if self._trial:
            beginning = self._try_out(self._trial, optimum, remembering)
        else:
            beginning = self._begin_in_one_piece(self._named.backend, optimum, remembering)
            if self._takes_turns and not beginning.is_searched:
                met.begin_anew()
                turns = BackendTrial(self._task(self._model, self._cover), rounds=TUNING.first_solution_rounds)
                beginning = self._try_out(turns, optimum, remembering)
        if not beginning.is_searched:
            plan = self._plan or self._split(beginning.backend, optimum.value)
            met.begin_anew()
            self._search_all(plan, beginning.backend, optimum, listener._replace(found=met.report_new))
        if met.missed:
            raise CheckError(
                f"{beginning.backend.name} finished its search, but missed {len(met.missed)} solutions found before"
            )

    @property
    def _takes_turns(self) -> bool:
        """Tell whether other backends get their turns once `cover` has not found a first solution at once.

        They do if `auto` chose it. It is usually the quickest, but it learns nothing: where it gets lost, a backend
        that learns may find a solution in a second, or prove that there is none.
        """
        backend, why = self._named
        return self._begins_in_one_piece and isinstance(backend, Splitting) and bool(why)

    @property
    def _is_asked_to_cut(self) -> bool:
        """Tell whether the user asked for cubes, or for a store, which records cubes."""
        return self._options.store is not None or self._options.cubes is not None

    def _seconds_in_one_piece(self, backend: Backend, optimum: Optimum) -> float:
        """Return the processor seconds for which a backend searches in one piece before the space is cut.

        They are 0 if the space is cut at once: the user asked for that, or there is a plan. An exact cover is cut after
        a share of them, as that costs nothing. For other models they are at least what the cut and all workers take to
        make the clauses of the model, so that a search that is about to end is not cut at a price that is many times as
        high. optimum: its search is a trial, too, and gives the least number of seconds.
        """
        if self._plan or self._is_asked_to_cut:
            return 0.0
        seconds = max(trial_seconds(backend.name), optimum.seconds)
        if self._begins_in_one_piece:
            return max(seconds, TUNING.seconds_for_first)
        if self._may_cut:
            return seconds * SHARE_BEFORE_CUTTING
        seconds_for_clauses = TUNING.seconds_per_clause * backend.size.get("clauses", 0)
        return max(seconds, (self._options.jobs + 1) * seconds_for_clauses)

    def _begin_in_one_piece(self, backend: Backend, optimum: Optimum, listener: Listener) -> Beginning:
        """Search in one piece for a while; return the backend, and whether it has searched everything.

        optimum: the outcome of the search for the best value, which says how long a while is. listener: hears of the
        solutions.
        """
        # Where other backends get their turns afterwards, `cover` has the time of a trial only.
        seconds = trial_seconds(backend.name) if self._takes_turns else self._seconds_in_one_piece(backend, optimum)
        if seconds <= 0:
            return Beginning(backend, is_searched=False)
        is_searched = self._ends_soon(backend, seconds, listener)
        self._is_long = not is_searched
        return Beginning(backend, is_searched)

    def _search_all(self, plan: Plan | None, backend: Backend, optimum: Optimum, listener: Listener) -> None:
        """Search the whole space: the cubes of a plan, or in one piece if ``plan`` is None.

        A store records cubes only: with a store, each case is then one cube. backend: only its name is used; a new one
        of the same kind searches. optimum: the best value, to which the objective is held.
        """
        if plan is None and self.store:
            plan = whole_plan(self._model_at_value(optimum.value), self._job(backend), self._cases)
        if plan is not None:
            self._conquer(plan, listener)
            return
        new_backend = self._make_backend(backend.name)
        if optimum.value is not None:
            new_backend.optimum()  # which holds its model to the best value
        self._enumerate(new_backend, listener)

    def _try_out(self, trial: BackendTrial, optimum: Optimum, listener: Listener) -> Beginning:
        """Let a trial on the cases choose the backend that goes on; return it, and whether all cases were searched.

        The choice looks at processor time and at solutions, so that it is the same on a busy machine. The store records
        the chosen backend. optimum: the best value, to which the objective is held. listener: gets the solutions, the
        choices and the figures. If the user asked for cubes, the cases count as not searched even if the trial has
        searched them.
        """
        if optimum.value is not None and trial.best is None:  # an earlier run proved the value: the trial lacks it
            trial = BackendTrial(self._task(self._model_at_value(optimum.value)), self._sample)
        results = self._trial_results(trial, optimum, listener)
        backend = results[-1].backend
        # The cases after a trial that decides have no result: they are not searched.
        tried_cases = zip(self._cases, results, strict=False)
        searched_share = sum((case.weight for case, result in tried_cases if result.is_searched), Fraction())
        is_searched = searched_share == 1 and not self._is_asked_to_cut
        if self.store:
            self.store.name_backend(backend.name)
        # Unless all is searched, the search begins again in cubes, so that nothing counts as searched yet.
        listener.account(Found([], Fraction(int(is_searched)), statistics=backend.statistics))
        self._is_long = not self._is_asked_to_cut
        return Beginning(backend, is_searched)

    def _trial_results(self, trial: BackendTrial, optimum: Optimum, listener: Listener) -> list[TrialResult]:
        """Return the result of a trial on each case in turn, up to the first trial that decides for all later cases.

        The listener gets the solutions and the choices meanwhile. optimum: the chosen backend goes on in one piece for
        at least the seconds that the search for the best value took.
        """
        results: list[TrialResult] = []
        # It collects solutions, and hands them to the listener many at a time.
        batches = self._batches(listener)
        for case in self._cases:
            result = trial.run(
                batches.add,
                case.literals,
                further_seconds=lambda backend: self._seconds_in_one_piece(backend, optimum),
                chosen=lambda result: listener.chosen(engine_of(result.backend, result.why)),
            )
            results.append(result)
            if result.decides:
                break
        batches.hand_over()
        return results

    def _conquer(self, plan: Plan, listener: Listener) -> None:
        """Search all cubes of a plan by workers; pass what each part finds to the listener.

        The store records each part. Raises `Stopped` if the search was told to end, `CheckError` if a part of the space
        was left out.
        """
        options = self._options
        try:
            for part in conquer_all(plan, options.jobs, self._stop, self.store, options.executor, self._is_long):
                if len(part.rows):
                    listener.found(np.asarray(part.rows))
                listener.account(part)
        finally:
            self._deadline.stop = self._stop  # a backend that was kept ready has lent it to the search of cubes

    def _enumerate(self, backend: Backend, listener: Listener) -> None:
        """Search all cases on a backend, without splitting them."""
        self._go_through_cases(backend.enumerate, lambda: backend.statistics, listener)

    @property
    def live_statistics(self) -> Mapping[str, int]:
        """The figures so far of a search in one piece that goes on, from any thread; empty if they are not known."""
        with suppress(RuntimeError):  # clasp has none while it searches
            return self._figures()
        return {}

    def _go_through_cases(
        self,
        search: Callable[[Callable[[Values], None], Sequence[int]], None],
        statistics: Callable[[], Mapping[str, int]],
        listener: Listener,
    ) -> None:
        """Search all cases one by one, without splitting them.

        search: searches a cube, given as literals, and calls a function with each solution. statistics: returns the
        figures of the search so far. The listener's ``account`` is called once at the end; its share is 0 if the search
        was not finished though the run goes on, because the search then begins again in cubes.
        """
        searched_share = Fraction()
        batches = self._batches(listener)
        self._figures = statistics
        try:
            for case in self._cases:
                search(batches.add, case.literals)
                searched_share += case.weight
        finally:
            last_figures = dict(statistics())
            self._figures = lambda: last_figures  # until the listener has them
            batches.hand_over()
            if not self._stop.is_set() and searched_share < 1:  # its trial time is over: it begins again, in cubes
                searched_share = Fraction()
            with suppress(Stopped):  # which may come of the listener, and would replace what ended the search
                listener.account(Found([], searched_share, statistics=last_figures))

    def _batches(self, listener: Listener) -> Batches:
        """Return what hands solutions over to a listener: each at once if a first solution is wanted."""
        may_wait = self._options.limit is None and not self._begins_in_one_piece
        return Batches(listener.found, FIRST_ALONE if may_wait else float("inf"))

    def _ends_soon(self, backend: Backend, seconds: float, listener: Listener) -> bool:
        """Search in one piece for this many seconds of processor time; return whether everything was searched.

        The deadline makes the backend raise `Stopped` after this time; it is lifted at the end. Raises `Stopped` if the
        run was told to end.
        """
        self._deadline.begin(seconds)
        try:
            self._enumerate(backend, listener)
        except Stopped:
            if self._stop.is_set():
                raise
            return False
        finally:
            self._deadline.begin(float("inf"))
        return True

    def _split(self, backend: Backend, best: int | None) -> Plan | None:
        """Return a plan that splits the model into cubes for a backend; None if the model cannot be split.

        best: the value that the objective is held to; None if there is no objective. Raises `Stopped` once the event is
        set.
        """
        options = self._options
        model = self._model_at_value(best)
        if isinstance(backend, Splitting):
            cover_backend = self._make_backend(backend.name)  # anew, with tables for a search that takes long
            assert isinstance(cover_backend, Splitting)
            return cover_plan(cover_backend, self._job(cover_backend), options.cubes, self._cases)
        # Another backend searches an exact cover: the cubes decide items. `exclusions` gives pairs of options that no
        # solution has together, with the options that are in no solution.
        if self._cover and self._may_cut:
            implied = exclusions(self._cover)
            ruled_out = implied.ruled_out if implied else ()
            plan = cut_plan(model, self._cover, self._job(backend), options.cubes, self._cases, options.jobs, ruled_out)
            # The backend is made already, and can search again: in this thread it searches the cubes.
            if not self._trial and backend.can_go_on:
                keep_ready(plan.job, backend, self._deadline)
            return plan
        try:
            return branch_plan(model, self._key.variables, self._job(backend), options.cubes, self._stop, self._cases)
        except InputError:  # by the lowering, which is what says how far values propagate
            return None

    @property
    def _may_cut(self) -> bool:
        """Tell whether the model is an exact cover that is worth cutting at its items.

        `Cutter` looks at items and exclusions, not at counts. An item with a slack option belongs to a variable that no
        exactly-one constraint holds. If the cover also has counts, they are what bounds such variables: a cut at these
        items would be blind. `branch_plan`, which propagates counts too, then splits the model.
        """
        return self._cover is not None and not (self._cover.counts and self._cover.slack)

    def _model_at_value(self, best: int | None) -> CpModel:
        """Return the model with its objective held to a value; the model itself if ``best`` is None."""
        return self._model if best is None else model_at_sum(self._model, best)


def fingerprint(
    model: CpModel, key: Key, identity: Mapping[str, str], cases: Sequence[Cube] = (WHOLE,)
) -> dict[str, str]:
    """Return the identity of a search, texts by name, by which a store recognises it.

    It is the same for every backend. model, key: what is searched; their checksum is the entry "model". identity: what
    the run adds, such as the puzzle and its parameters. cases: the parts of the space that are searched, which also
    enter the checksum unless they are the whole space.
    """
    besides = f"\n{[case.literals for case in cases]}" if list(cases) != [WHOLE] else ""
    return {**identity, "model": checksum(model, key, besides)}
