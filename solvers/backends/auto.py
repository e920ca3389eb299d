"""Trials: several backends search for a moment each, and the best of them goes on.

Most models are listed by the first before that moment is over. For the others the solutions found in a second tell
which is the best, as all of them have to find the same. The space of a large model is split into small cubes, and all
backends search the same few, drawn at random: the one that needs least time for them goes on. The cubes are a fair
sample of the whole, which the solutions found in the first moment are not.

References
----------
J.-C. Régin, M. Rezgui, A. Malapert, "Embarrassingly parallel search", CP 2013, doi:10.1007/978-3-642-40627-0_45
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from operator import itemgetter
from threading import Event
from typing import Any, Protocol

from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Backend, Lowered, Pausing, Task, ignore
from solvers.backends.registry import make_backend
from solvers.base.backend_rows import BACKENDS
from solvers.base.deadline import Deadline
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.tuning import TUNING, Round
from solvers.base.values import Values
from solvers.model.reading import CLAUSE_KINDS, has_boolean_rules_only
from solvers.model.writing import model_at_sum, take_objective

PROVER_SECONDS = 1.0
"""Seconds for which the backend that has proved the best value goes on before others are tried."""

MIN_COMPARED_SOLUTIONS = 10
"""The number of solutions that a backend has to find in a round for speeds to be compared."""

MIN_SECONDS_OF_SPEED = 0.2
"""The least time, from a backend's first solution on, by which its solutions are divided."""

CP_PAUSE_SECONDS = 0.05
"""Seconds more within which `cp` may find a solution, to pause there and go on from there if it is the best."""

SHARE_FOR_PREPARATION = 0.5
"""The time that one more try of a slow starter may take, as a share of all that the choice has taken so far."""

MIN_SAMPLE_CUBES = 8
"""The number of cubes below which the space is too small to be compared by a sample."""

SAMPLE_SHARE = 0.15
"""The time for the sample, as a share of all that the trials before have taken."""

SLOW, MIN_SLOW_SECONDS = 3.0, 0.03
"""A backend leaves the comparison that took so many times as long as the best for the same cubes, and so many more
seconds."""

RETRY = 4
"""A backend that was not ready in time is made again where it has at least so many times as long."""

JOINS_LATE = "cp"
"""The backend that is compared on cubes only where all of them may take long, as it takes long to be ready."""

CLAUSE_TIMES = 4.0
"""That is so if they may take so many times as long as the clauses took, as it takes about as long as these."""

CLOCK = time.process_time
"""Backends are compared by processor time, so that other programs do not distort the comparison."""

CLOSE = 1.25
"""Where another backend is at most so many times as fast, the first in a fixed order is chosen.

So two runs of one model seldom choose differently.
"""

FALLBACK = next(iter(BACKENDS))
"""The backend that goes on if no backend found a solution in its time, if it takes the model.

For a model of Boolean rules only, it is the last choice: the backends of the trials go before it.
"""


class Sample(Protocol):
    """Random disjoint cubes of a model; see `solvers.cubes.branch.SampleCubes`."""

    model: CpModel
    """The model whose literals are those of the cubes; its first variables are those of the model that was given."""

    def cubes(self, model: CpModel, within: Sequence[int], stop: Event, lowering: Any = None) -> list[Sequence[int]]:
        """Return cubes of a model, in a random order."""


@dataclass(frozen=True)
class Proof:
    """The best value of an objective, as proved by the first backend that finished."""

    best: int | None
    """The least value of the proto objective's sum; None if there is no solution."""

    backend: Backend
    """The backend that has proved it."""

    @property
    def why(self) -> str:
        """The reason why this backend is the one of the report, if there is no solution."""
        return f"{self.backend.name} was the first to prove that there is no solution"


@dataclass(frozen=True)
class TrialResult:
    """The backend that a trial on a cube has chosen."""

    backend: Backend
    """The chosen backend, ready to search without a limit of time."""

    why: str
    """The reason for the choice, a clause for the report."""

    is_searched: bool
    """Whether the whole cube was searched during the trial."""

    decides: bool
    """Whether the backend is to search all later cubes, without another trial."""

    speeds: Mapping[str, float] = field(default_factory=dict)
    """Solutions found in a second, by backend, in the turns that the choice looked at."""


class BackendTrial:
    """Backends that are measured on a task, so that the best of them goes on.

    Raises `InputError` if none of the backends takes the model and the parameters.
    """

    best: int | None = None
    """The best value of the proto objective's sum, once `prove` has found it."""

    def __init__(
        self, task: Task, sample: Callable[[CpModel], Sample] | None = None, rounds: Sequence[Round] | None = None
    ) -> None:
        """Make the first of the candidates ready for a task; raise `InputError` if no backend takes it.

        sample: makes the `Sample` of a large model, on whose cubes backends are compared; None to compare the solutions
        found in a second. Small models are always compared by these: there the cubes would cost more than they save.
        rounds: the turns of each round, as (name of a backend, seconds); None for those that suit the constraints of
        the model, in which only `cover` is given the exact cover of the task.

        All backends get the same `Deadline`: an event that counts as set once the time of the current turn is over, or
        the run is to stop. So each turn is limited by one call of its method ``begin``.
        """
        self._gives_cover = rounds is not None
        self._sample = sample(task.model) if sample and _is_large(task.model) else None
        if self._sample:
            # The model of the sample has the literals of the cubes.
            task = replace(task, model=self._sample.model, cover=None)
        self._is_boolean = rounds is None and has_boolean_rules_only(task.model)
        """Whether the rules are all about Booleans, so that all backends of the first round need clauses."""
        if rounds is None:
            is_small_cover = task.cover is not None and task.cover.options <= TUNING.max_paired_options
            rounds = with_all(_rounds_for(task.model, is_small_cover, self._is_boolean))
        self._began = CLOCK()
        self._stop, self._deadline = task.stop, Deadline(task.stop, CLOCK)
        self._task = replace(task, stop=self._deadline)
        self._made: dict[str, Backend] = {}
        """The backends that are ready, by name."""
        self._late: dict[str, float] = {}
        """The seconds of those that were not ready in time, by name."""
        self._clause_seconds = 0.0
        """The seconds that the clauses have taken, with the first backend that needs them."""
        self._rounds = [*rounds]
        self._without_cubes: Sequence[str] = ()
        """The backends that have turns only as no cubes could be made on which to compare them."""
        tried = dict.fromkeys(name for name, _ in chain(*self._rounds))
        # A backend is preferred to later ones that are nearly as fast. The first that takes the model is the fallback.
        if self._gives_cover:
            self._names_by_preference = [*tried, FALLBACK]
        elif self._is_boolean:
            learning = [name for name in tried if name != "cover"]
            self._names_by_preference = [*dict.fromkeys([*learning, FALLBACK, *tried])]
        else:
            self._names_by_preference = [FALLBACK, *(name for name in (*tried, "cp") if name != FALLBACK)]
        self.first = self._first_usable([*tried, *self._names_by_preference])
        """The first candidate, which says how large the model is as long as no backend is chosen."""

    def _first_usable(self, names: Sequence[str]) -> Backend:
        """Return the first of the backends with these names that takes the model and the parameters.

        Raises the `InputError` of the backend `FALLBACK`, which ``names`` has to include, if none does.
        """
        refusals: dict[str, InputError] = {}
        for name in names:
            try:
                return self._candidate(name)
            except InputError as error:
                refusals[name] = error
        raise refusals[FALLBACK]

    @property
    def fallback(self) -> Backend:
        """The backend that goes on if no backend found a solution in its time, or if there is no time for a trial.

        It is the first backend, in a fixed order of preference, that takes the model.
        """
        return self._first_usable(self._names_by_preference)

    def _candidate(self, name: str, seconds: float = float("inf")) -> Backend:
        """Return the backend of this name, which is made at the first call.

        Raises `InputError` if it refuses the model or a parameter, `Stopped` if it is not ready within the seconds, or
        if these are so few that it is hardly worth another try: it begins anew.
        """
        if name not in self._made:
            if seconds < RETRY * self._late.get(name, 0):
                raise Stopped
            self._deadline.begin(seconds)
            task = self._task
            if not self._gives_cover:  # `cover` searches without the pairs that exclude each other, which take long
                task = replace(task, is_long=False) if name == "cover" else replace(task, cover=None)
            try:
                backend = self._made[name] = make_backend(name, task)
            except Stopped:
                self._late[name] = self._deadline.spent
                raise
            # The next backends share its formula; not that of an exact cover, which may lack the pairs of options that
            # exclude each other.
            if isinstance(backend, Lowered) and not task.cover:
                self._clause_seconds = self._clause_seconds or self._deadline.spent
                self._task = replace(self._task, lowering=backend.lowering)
        return self._made[name]

    def prove(self, improved: Callable[[Values], object] = ignore) -> Proof:
        """Find and prove the least value of the objective, and hold the model to it; see `Backend.optimum`.

        improved: called with the values of all variables in each better solution.

        Backends try in turn, each for a limited time, and in the end without a limit; the first proof counts. The
        backend that gave it gets the first turn in the later trials. CP-SAT is best for large models and for intervals,
        so that these go without the short trials before the rounds.

        Raises `CheckError` if another backend has found a better value, `InputError` if no backend takes the model.
        """
        total, least = take_objective(self._task.model.clone().proto), float("inf")  # the sum to minimise

        def better(values: Values) -> None:
            """Pass on a solution unless another backend has found one that is as good."""
            nonlocal least
            cost = sum(coefficient * int(values[v]) for v, coefficient in total.coefficients.items())
            if cost < least:
                least = cost
                self._deadline.wait_for(partial(improved, values))

        is_for_cp_sat = _is_large(self._task.model) or _has_intervals(self._task.model)
        proving = () if is_for_cp_sat else TUNING.proving_trials
        unlimited_turns = [(name, float("inf")) for name in self._names_by_preference]
        for name, seconds in [*proving, *chain(*self._rounds), *unlimited_turns]:
            try:
                backend = self._candidate(name)
            except InputError:
                continue
            self._deadline.begin(seconds)
            try:
                proof = Proof(backend.optimum(better), backend)
                break
            except Stopped:
                del self._made[name]  # an optimisation that was broken off may have left bounds on the objective
                self._heed_stop()
        self._deadline.begin(float("inf"))
        best = proof.best
        if least < (float("inf") if best is None else best):
            raise CheckError(f"{name} has proved that nothing is better than {best}, but another has found {least}")
        self._rounds = [[(name, max(seconds, PROVER_SECONDS)), *self._rounds[0]], *self._rounds[1:]]
        if best is not None:
            # From now on the other backends get a model whose solutions all have the best value.
            self._task = replace(self._task, model=model_at_sum(self._task.model, best), lowering=None)
            self._made, self.best = {name: backend}, best
        return proof

    def run(
        self,
        report: Callable[[Values], None],
        cube: Sequence[int] = (),
        *,
        further_seconds: Callable[[Backend], float],
        chosen: Callable[[TrialResult], None],
    ) -> TrialResult:
        """Let the backends search a cube in turn, for a limited time each; choose one and return it.

        A backend that has searched the whole cube is chosen; otherwise the one that found most solutions per second is.
        report: called once with each solution found, with the values of all variables; these are all solutions of the
        cube only if the result is marked ``is_searched``. cube: the literals that hold in it, in the proto's
        convention. further_seconds: returns how long the backend that it is given may go on once it is chosen. When
        this time is over, the backend may be replaced by one that takes longer to prepare. chosen: called with each
        choice once it is made, before that backend goes on.

        Raises `Stopped` if the search was told to end, `CheckError` if a backend has searched everything but missed a
        solution of another, `InputError` if no backend takes the model.
        """
        race = _Race(self._task.key, self._deadline, report, cube)
        try:
            result = self._run_rounds(race)
            chosen(result)
            if not result.is_searched and (seconds := further_seconds(result.backend)) > 0:
                result = self._continue_search(race, result, seconds, chosen)
            self._deadline.begin(float("inf"))
            return result
        finally:
            race.end()

    def _continue_search(
        self, race: _Race, result: TrialResult, seconds: float, chosen: Callable[[TrialResult], None]
    ) -> TrialResult:
        """Let the chosen backend go on; if it does not finish, also try those that found nothing for lack of time.

        These are the backends that need long to prepare a search (``preparation`` in `BACKENDS`, in seconds). race: the
        search of the cube. result: the choice so far. seconds: how long the chosen backend may go on. chosen: called
        with a new choice. Returns the result of the first late one that finishes or is clearly faster than the chosen
        one; ``result`` if none does. Raises `Stopped` if the search was told to end.
        """
        if race.is_won_by(result.backend, seconds):
            return replace(result, is_searched=True)
        if seconds == float("inf"):  # only the end of the run can have stopped it
            raise Stopped
        self._heed_stop()
        speed, name = race.speed, result.backend.name
        for late, row in BACKENDS.items():
            if not row.preparation or result.speeds.get(late) != 0 or late == name:  # 0 solutions in a second
                continue
            backend = self._candidate(late)
            patience = max(row.preparation, SHARE_FOR_PREPARATION * (CLOCK() - self._began))
            is_done = race.is_won_by(backend, patience, goes_on_above=CLOSE * speed, further=row.trial)
            self._heed_stop()
            if is_done or race.speed > CLOSE * speed:
                why = f"solutions found in a second: {speed:.0f} on {name}, {race.speed:.0f} on {late} once prepared"
                better = TrialResult(backend, why, is_searched=is_done, decides=True)
                chosen(better)
                return better
        return result

    def _run_rounds(self, race: _Race) -> TrialResult:
        """Run the rounds of trials in a race; return the backend that was done, or else the best.

        A turn is (name of a backend, seconds). After the first round, the backends are compared on a sample of cubes if
        the model is large. If that does not decide, the rounds end when a backend has found enough solutions in a turn,
        and the one with most solutions in a second of its last turn is chosen.
        """
        speeds, spent = dict[str, float](), defaultdict[str, float](float)  # by name of the backend
        for turns in self._rounds:
            longest = max((seconds for _, seconds in turns), default=0)
            most_visits = 0
            for name, seconds in [*((name, longest) for name in self._without_cubes if name in self._made), *turns]:
                try:
                    backend = self._candidate(name, max(TUNING.min_preparation_seconds, CLOCK() - self._began))
                except InputError:
                    continue
                except Stopped:  # its clauses take longer than all else so far, so that others go first
                    self._heed_stop()
                    continue
                is_first = name == self._names_by_preference[0] and name not in spent
                if self._is_boolean and is_first:  # what its clauses took is not to be in vain
                    seconds = max(seconds, CLOCK() - self._began)
                spent[name] += seconds
                if race.is_won_by(backend, seconds):
                    why = f"{backend.name} was done within {spent[name]:g} s"
                    return TrialResult(backend, why, is_searched=True, decides=False)
                self._heed_stop()
                most_visits = max(most_visits, race.visits)
                speeds[name] = race.visits / max(self._deadline.spent, 1e-6)
            if self._sample:
                race.end()  # closes paused searches: a backend has one search at a time
            if result := self._compare_on_cubes(race.cube):
                return result
            if most_visits >= MIN_COMPARED_SOLUTIONS:
                break
        return self.fastest(speeds)

    def _compare_on_cubes(self, within: Sequence[int]) -> TrialResult | None:
        """Choose the backend that needs least time for a few random cubes; None if no cube decides.

        Each cube is searched by the quickest backend so far that ends; the others get at most `SLOW` times as long in
        all, or else leave the comparison. within: the literals of the cube that is to be searched. The result is also
        None if there is no sample, or at the second call: the sample is used once. Raises `Stopped` if the search was
        told to end, `CheckError` if two backends find different numbers of solutions.
        """
        sample, self._sample = self._sample, None
        if sample is None:
            return None
        budget = max(TUNING.sample_seconds, SAMPLE_SHARE * (CLOCK() - self._began))  # in seconds
        # Not much longer than the trials so far: the model may not suit a backend that is not ready then.
        patience = min(TUNING.sample_preparation_seconds, 1.5 * (CLOCK() - self._began))
        backends = self._backends_within(max(budget, patience))
        self._deadline.begin(max(1.0, budget))
        try:
            if self._late and self._task.lowering is None:  # the clauses that cubes need take too long
                raise Stopped
            cubes = sample.cubes(self._task.model, within, self._deadline, self._task.lowering)
        except (InputError, Stopped):
            self._heed_stop()
            tried = {name for name, _ in chain(*self._rounds)}
            self._without_cubes = [name for name in self._names_by_preference if name not in tried]
            if JOINS_LATE in self._without_cubes:
                with suppress(InputError, Stopped):
                    self._candidate(JOINS_LATE, max(budget, CLOCK() - self._began))
            return None
        spent, counts = self._seconds_on_cubes(cubes if len(cubes) >= MIN_SAMPLE_CUBES else (), backends, budget)
        seconds_for_all = min(spent.values(), default=0.0) / max(1, len(counts)) * len(cubes)
        may_join = JOINS_LATE in self._names_by_preference and JOINS_LATE not in backends
        if may_join and seconds_for_all > CLAUSE_TIMES * self._clause_seconds:
            self._add_to_comparison(JOINS_LATE, cubes, spent, counts)
        return self._cheapest(spent, len(counts))

    def _seconds_on_cubes(
        self, cubes: Sequence[Sequence[int]], backends: Mapping[str, Backend], budget: float
    ) -> tuple[dict[str, float], list[int]]:
        """Search cubes with several backends until ``budget`` seconds are over, or only one is left.

        Returns (seconds, counts): the seconds of each backend that has searched all these cubes, and the number of
        solutions in each of the cubes. Raises as `_compare_on_cubes` does.
        """
        spent = dict.fromkeys(backends, 0.0)  # the seconds of each backend that has searched all cubes so far
        counts, began = list[int](), CLOCK()
        for cube in cubes:
            quickest = sorted(spent, key=lambda name: spent[name])
            first, count = self._first_done([(name, backends[name]) for name in quickest], cube, budget)
            if count is None:
                break
            counts.append(count)
            spent[first] += self._deadline.spent
            for name in [name for name in quickest if name != first]:
                self._search_as_well(name, backends[name], cube, count, spent[first], spent)
            if len(spent) == 1 or CLOCK() - began > budget:
                break
        return spent, counts

    def _search_as_well(
        self, name: str, backend: Backend, cube: Sequence[int], count: int, least: float, spent: dict[str, float]
    ) -> None:
        """Let a backend search a cube that another one has searched; take it out of ``spent`` if it takes too long.

        count: the solutions that the other one found in the cube. least: the seconds of that one for all cubes so far.
        spent: those of each backend, to which this time is added. Raises `CheckError` if the numbers of solutions
        differ.
        """
        found = self._solution_count(backend, cube, SLOW * least + MIN_SLOW_SECONDS - spent[name])
        if found is None:
            del spent[name]
            return
        spent[name] += self._deadline.spent
        if found != count:
            raise CheckError(f"of the solutions in one cube, {name} found {found}, and another backend {count}")

    def _add_to_comparison(
        self, name: str, cubes: Sequence[Sequence[int]], spent: dict[str, float], counts: Sequence[int]
    ) -> None:
        """Compare one more backend on the cubes that others have searched, if it is ready in time.

        spent, counts: as `_seconds_on_cubes` returns them; ``spent`` gets its seconds.
        """
        least = min(spent.values())
        with suppress(InputError, Stopped):
            backend = self._candidate(name, CLAUSE_TIMES * self._clause_seconds)
            spent[name] = 0.0
            for cube, count in zip(cubes, counts, strict=False):
                if name in spent:
                    self._search_as_well(name, backend, cube, count, least, spent)
        self._heed_stop()

    def _backends_within(self, seconds: float) -> dict[str, Backend]:
        """Return the candidates that take the model and are ready within so many seconds each, by name.

        Those that prepare a search longest (``preparation`` in `BACKENDS`) come last: they need not begin with a cube
        that another backend ends at once. `JOINS_LATE` is among them only if it is ready already.
        """
        candidates = [name for name in BACKENDS if name in self._names_by_preference]
        backends = dict[str, Backend]()
        for name in sorted(candidates, key=lambda name: BACKENDS[name].preparation):
            if name == JOINS_LATE and name not in self._made:
                continue
            with suppress(InputError, Stopped):
                backends[name] = self._candidate(name, seconds)
            self._heed_stop()
        return backends

    def _first_done(
        self, backends: Sequence[tuple[str, Backend]], cube: Sequence[int], budget: float
    ) -> tuple[str, int | None]:
        """Let backends search a cube in turn, twice as long in each round; return the first that ends.

        The result is (its name, the number of solutions). It is ("", None) if none has ended before a turn would be
        longer than ``budget`` seconds. backends: (name, backend) in the order of their turns. cube: literals in the
        proto's convention.
        """
        patience = MIN_SLOW_SECONDS
        while patience <= budget:
            for name, backend in backends:
                count = self._solution_count(backend, cube, patience)
                if count is not None:
                    return name, count
            patience *= 2
        return "", None

    def _solution_count(self, backend: Backend, cube: Sequence[int], seconds: float) -> int | None:
        """Return how many solutions a cube has; None if the backend does not search it within the seconds.

        cube: literals in the proto's convention. Raises `Stopped` if the run was told to end.
        """
        count = 0

        def add(_: Values) -> None:
            nonlocal count
            count += 1

        self._deadline.begin(seconds)
        try:
            backend.enumerate(add, cube)
        except Stopped:
            self._heed_stop()
            return None
        return count

    def _cheapest(self, spent: Mapping[str, float], searched: int) -> TrialResult | None:
        """Choose the backend that needed least time for the cubes; None if no cube was searched.

        Of the backends that are nearly as fast it is the first in a fixed order. spent: by name, the seconds of the
        backends that searched all cubes; a name is missing if the backend took too long. searched: the number of cubes.
        """
        if not searched:
            return None
        least = min(spent.values())
        chosen = next(name for name in self._names_by_preference if spent.get(name, float("inf")) <= CLOSE * least)
        slower = "".join(f", {name} {seconds:.2f}" for name, seconds in spent.items() if name != chosen)
        why = f"seconds for {searched} cube{'s' * (searched > 1)} drawn at random: {chosen} {spent[chosen]:.2f}{slower}"
        if too_slow := [name for name in self._names_by_preference if name not in spent]:
            why += f"; more than {SLOW:g} times as long: {', '.join(too_slow)}"
        return TrialResult(self._candidate(chosen), why, is_searched=False, decides=True)

    def fastest(self, speeds: Mapping[str, float]) -> TrialResult:
        """Choose the fastest backend, or the fallback if none found a solution.

        Of the backends that are nearly as fast it is the first in a fixed order. speeds: solutions found in a second,
        by name of the backend. Raises `InputError` if no backend takes the model.
        """
        most = max(speeds.values(), default=0)
        if most > 0:
            chosen = self._candidate(
                next(name for name in self._names_by_preference if speeds.get(name, 0) * CLOSE >= most)
            )
            why = "solutions found in a second: "
            why += ", ".join(f"{speed:.0f} on {name}" for name, speed in speeds.items())
        else:
            chosen, why = self.fallback, "no backend found a solution at once"
        return TrialResult(chosen, why, is_searched=False, decides=True, speeds=speeds)

    def _heed_stop(self) -> None:
        """Raise `Stopped` if the run was told to end; do nothing if only the time of a trial is over."""
        if self._stop.is_set():
            raise Stopped


class _Race:
    """Backends that search the same cube one after another, each for a while; each solution is reported once."""

    def __init__(
        self, key: Sequence[int], deadline: Deadline, report: Callable[[Values], None], cube: Sequence[int]
    ) -> None:
        """Begin a race on a cube; no backend has searched yet.

        key: proto indices. deadline: the event of all backends; its ``begin`` and ``extend`` set how many seconds the
        backend that searches now has left. report: called with the values of all variables in each new solution. cube:
        literals in the proto's convention that hold in the cube.
        """
        self._key_of: Callable[[Values], Any] = itemgetter(*key) if key else lambda _: ()
        self._deadline, self._found, self.cube = deadline, report, cube
        self._shown: set[Any] = set()
        """The keys of the solutions that were reported."""
        self._paused: dict[str, tuple[Generator[Values, None, None], set[Any]]] = {}
        """For each backend that has paused, its search, and the keys that it has met."""
        self.visits = 0
        """The number of solutions that the last backend met in its last turn, those of others included."""
        self._first = 0.0
        """The seconds after which it met the first of them."""

    @property
    def speed(self) -> float:
        """The solutions in a second that the last backend met in its last turn, from the first of them on."""
        return self.visits / max(self._deadline.spent - self._first, MIN_SECONDS_OF_SPEED)

    def is_won_by(
        self, backend: Backend, seconds: float, *, goes_on_above: float = float("inf"), further: float = 0.0
    ) -> bool:
        """Let a backend search for at most ``seconds`` seconds; return whether it has searched the whole cube.

        A backend that can pause goes on where it paused; others begin anew. seconds: infinite if no other backend is to
        search afterwards. goes_on_above: if its `speed` becomes greater than this, the backend is given ``further``
        more seconds, once.

        Raises `CheckError` if it searched everything but did not meet all solutions that other backends have found.
        """
        self.visits, self._first = 0, 0.0
        # Without a paused search the backend begins anew, and has to meet all that was reported.
        solutions, already_seen = self._paused.pop(backend.name, (None, set[Any]()))
        missed = self._shown - already_seen  # the keys that others have found, and this backend not yet

        def visit(values: Values) -> None:
            """Count a solution, and report it if it is new."""
            nonlocal goes_on_above
            self.visits += 1
            if self.visits == 1:
                self._first = self._deadline.spent
            # Only where it matters, as `speed` asks the clock.
            may_go_on = goes_on_above < float("inf") and self.visits >= MIN_COMPARED_SOLUTIONS
            if may_go_on and self.speed > goes_on_above:
                self._deadline.extend(further)
                goes_on_above = float("inf")
            key = self._key_of(values)
            missed.discard(key)
            already_seen.add(key)
            if key not in self._shown:
                self._shown.add(key)
                self._deadline.wait_for(partial(self._found, values))

        def visit_last(values: Values) -> None:
            """Report a solution if it is new; as no other backend searches later, it need not be remembered."""
            key = self._key_of(values)
            missed.discard(key)
            if key not in self._shown:
                self._found(values)

        try:
            if seconds == float("inf"):
                self._deadline.begin(seconds)
                for values in solutions or ():
                    visit_last(values)
                if solutions is None:
                    backend.enumerate(visit_last, self.cube)
            elif isinstance(backend, Pausing):
                solutions = solutions or backend.solutions(self.cube)
                self._deadline.begin(seconds + CP_PAUSE_SECONDS)
                for values in solutions:
                    visit(values)
                    if self._deadline.left < CP_PAUSE_SECONDS:  # its own time is over: pause at this solution
                        self._paused[backend.name] = solutions, already_seen
                        return False
            else:
                self._deadline.begin(seconds)
                backend.enumerate(visit, self.cube)
        except Stopped:
            return False
        if missed:
            raise CheckError(
                f"{backend.name} finished its search, but missed {len(missed)} solutions that others found"
            )
        return True

    def end(self) -> None:
        """Close the searches that are paused; their backends begin anew."""
        for solutions, _ in self._paused.values():
            solutions.close()
        self._paused.clear()


def _rounds_for(model: CpModel, is_small_cover: bool, is_boolean: bool) -> Sequence[Round]:
    """Return the rounds of trials that suit the constraints of a model.

    is_small_cover: whether it is an exact cover of which `cover` is soon ready. is_boolean: whether all its rules are
    about Booleans.
    """
    if is_boolean:
        first_rounds = [TUNING.cover_trial] if is_small_cover else []
        is_formula = all(constraint.has_bool_or() for constraint in model.proto.constraints)
        first_rounds += [TUNING.large_boolean_trial] if _is_large(model) and not is_formula else []
        return [*first_rounds, *TUNING.boolean_trial_rounds]
    if _has_circuit(model) or _has_intervals(model):
        return TUNING.circuit_trial_rounds
    return TUNING.clause_trial_rounds if _is_large(model) else TUNING.trial_rounds


def _has_circuit(model: CpModel) -> bool:
    """Tell whether a model has a circuit."""
    return any(constraint.has_circuit() for constraint in model.proto.constraints)


def _has_intervals(model: CpModel) -> bool:
    """Tell whether a model has intervals, which `cp-sat` takes as they are."""
    return any(constraint.has_interval() for constraint in model.proto.constraints)


def _is_large(model: CpModel) -> bool:
    """Tell whether a model has many constraints, most of them clauses or with enforcement literals.

    A model with a circuit never counts as large: the backend `cp` branches on the successor of each node, and many
    clauses do not slow that down.
    """
    if _has_circuit(model):
        return False
    constraints = model.proto.constraints
    clauses = sum(
        len(constraint.enforcement_literal) > 0 or any(getattr(constraint, f"has_{kind}")() for kind in CLAUSE_KINDS)
        for constraint in constraints
    )
    return clauses >= TUNING.max_constraints_for_cp and 2 * clauses > len(constraints)


def with_all(rounds: Sequence[Round]) -> list[Round]:
    """Return the rounds, each followed by turns of the backends that are in no round.

    A round is a list of turns (name of a backend, seconds). A backend gets additional turns only if its row in
    `BACKENDS` gives their length in seconds, ``turn``.
    """
    names_in_rounds = {name for name, _ in chain(*rounds)}
    others = [(name, row.turn) for name, row in BACKENDS.items() if row.turn and name not in names_in_rounds]
    return [[*trials, *others] for trials in rounds]
