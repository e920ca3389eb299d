"""The backend that measures: `cp`, `cp-sat` and `sat` are let go on for a moment each, and the best of them goes on.

Most models are listed by the first before that moment is over. For the others the solutions found in a second tell
which is the best, as all of them have to find the same.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from solvers.backends.cp_sat_flaws import add_linear, take_objective
from solvers.backends.protocol import Backend, Pausing, ignored
from solvers.backends.registry import backend_kind
from solvers.deadline import Deadline
from solvers.errors import InputError, Stopped
from solvers.values import Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

CLAUSES = ("bool_or", "bool_and", "bool_xor", "at_most_one", "exactly_one")

MANY = 2000
"""So many constraints, most of them clauses, take long to build for `cp`, and search without learning gets lost: 8x8
dissected in two, 60 solutions in the first second and 26 orbits in 25, where `sat` finds thousands."""

Round = Sequence[tuple[str, float]]
"""Who is let go on one after another, and for how many seconds."""

SMALL: Sequence[Round] = (
    (("cp", 0.2), ("cp-sat", 0.15), ("cp", 0.1), ("sat", 0.1)),
    (("cp", 0.4), ("cp-sat", 0.4), ("sat", 0.4)),
)
LARGE: Sequence[Round] = (
    (("cp-sat", 0.2), ("sat", 0.1)),
    (("sat", 0.4), ("cp-sat", 0.4)),
    (("sat", 1.5), ("cp-sat", 1.5)),
)
"""Of models with so many clauses. Another round is for models of which the one before finds few solutions.
`tests.benchmarks.auto` shows what comes of it."""

PROVING: Round = (("cp", 0.15), ("sat", 0.2), ("cp-sat", 0.2))
"""Of models with few clauses, before these: who is to prove the best value. Plans of a hundred steps take `cp` and
`cp-sat` seconds, `sat` a tenth of one."""

TRUSTED = 1.0
"""Seconds for which the one that has proved the best value is let go on before the others are."""

ENOUGH = 10
"""Solutions by which the backends can be compared."""

PAUSE = 0.05
"""Seconds more within which `cp` may find a solution, to pause there and go on from there if it is the best."""

CLOCK = time.process_time
"""What they are compared by is not what else the computer has to do."""

FALLBACK = "cp-sat"
"""Goes on where none has found a solution in its time."""


class Auto:
    """Answers `solvers.backends.protocol.Backend`.

    Raises `InputError` where none of the backends takes the model and the parameters.
    """

    reason = ""
    """Why the backend was chosen that goes on; empty while that is not known."""

    def __init__(
        self,
        model: CpModel,
        key: Sequence[int],
        stop: threading.Event,
        *,
        seed: int = 0,
        parameters: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._model, self._key, self._stop = model, key, stop
        self._seed, self._parameters = seed, parameters
        self._deadline = Deadline(stop, CLOCK)
        self._made: dict[str, Backend] = {}
        self._chosen: Backend | None = None
        self._is_decided = False
        self._rounds = LARGE if _is_large(model) else SMALL
        tried = dict.fromkeys([*(name for name, _ in chain(*self._rounds)), "cp"])
        self._names = [FALLBACK, *(name for name in tried if name != FALLBACK)]
        self._first = self._any([*tried, FALLBACK])
        self.size = self._first.size

    def _any(self, names: Sequence[str]) -> Backend:
        """The first of them that takes the model and the parameters."""
        refusals: dict[str, InputError] = {}
        for name in names:
            try:
                return self._candidate(name)
            except InputError as error:
                refusals[name] = error
        raise refusals[FALLBACK]

    @property
    def _fallback(self) -> Backend:
        """Goes on where none has found a solution in its time."""
        return self._any(self._names)

    @property
    def name(self) -> str:
        """The name of the backend that goes on; before that is known, of the one that does if all fail."""
        return (self._chosen or self._fallback).name

    @property
    def statistics(self) -> Mapping[str, int]:
        """What its search took."""
        return (self._chosen or self._first).statistics

    def _candidate(self, name: str) -> Backend:
        if name not in self._made:
            self._deadline.begin(float("inf"))
            self._made[name] = backend_kind(name)[0](
                self._model, self._key, self._deadline, seed=self._seed, parameters=self._parameters
            )
        return self._made[name]

    def _choose(self, backend: Backend, reason: str) -> None:
        self._chosen, self.reason, self.size = backend, reason, backend.size

    def optimum(self, improved: Callable[[Values], object] = ignored) -> int | None:
        """See `protocol.Backend`. The first that proves it in its time does."""
        best: int | None = None
        proved: dict[str, Backend] = {}
        total, least = take_objective(self._model.clone().proto), float("inf")

        def better(values: Values) -> None:
            nonlocal least
            cost = sum(coefficient * int(values[v]) for v, coefficient in total.coefficients.items())
            if cost < least:  # than what another has found
                least = cost
                self._deadline.wait_for(partial(improved, values))

        proving = PROVING if self._rounds is SMALL else ()
        to_the_end = [(name, float("inf")) for name in self._names]
        for name, seconds in [*proving, *chain(*self._rounds), *to_the_end]:
            try:
                backend = self._candidate(name)
            except InputError:
                continue
            self._deadline.begin(seconds)
            try:
                best = backend.optimum(better)
                self._rounds = [[(name, max(seconds, TRUSTED)), *self._rounds[0]], *self._rounds[1:]]
                proved = {name: backend}
                if best is None:
                    self._choose(backend, f"{backend.name} was the first to prove that there is no solution")
                break
            except Stopped:
                del self._made[name]  # what it has learned of the best value is in the middle of something
                self._heed_stop()
        if best is not None:  # for each to find those that have it
            held = self._model.clone()
            add_linear(held.proto, take_objective(held.proto), [best, best])
            self._model, self._made = held, proved
        return best

    def enumerate(self, found: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """See `protocol.Backend`. What several of them find is told once.

        Of several cubes the first that is not done at once decides.
        """
        if self._chosen and self._is_decided:
            return self._chosen.enumerate(found, cube)
        key_of: Callable[[Values], Any] = itemgetter(*self._key) if self._key else lambda _: ()
        seen: set[Any] = set()
        visits, speeds, spent = 0, dict[str, float](), defaultdict[str, float](float)
        paused: dict[str, Generator[Values, None, None]] = {}

        def visit(values: Values) -> None:
            nonlocal visits
            visits += 1
            key = key_of(values)
            if key not in seen:
                seen.add(key)
                self._deadline.wait_for(partial(found, values))

        def visit_rest(values: Values) -> None:
            if key_of(values) not in seen:
                found(values)

        def let_go(backend: Backend, seconds: float, visit: Callable[[Values], None]) -> None:
            if not isinstance(backend, Pausing):
                self._deadline.begin(seconds)
                return backend.enumerate(visit, cube)
            solutions = paused.pop(backend.name, None) or backend.solutions(cube)
            self._deadline.begin(seconds + PAUSE)
            for values in solutions:
                visit(values)
                if self._deadline.left < PAUSE:
                    paused[backend.name] = solutions
                    raise Stopped
            return None

        try:
            for trials in self._rounds:
                most = 0
                for name, seconds in trials:
                    try:
                        backend = self._candidate(name)
                    except InputError:
                        continue
                    visits = 0
                    spent[name] += seconds
                    try:
                        let_go(backend, seconds, visit)
                        return self._choose(backend, f"{backend.name} was done within {spent[name]:g} s")
                    except Stopped:
                        self._heed_stop()
                    most = max(most, visits)
                    speeds[name] = visits / max(self._deadline.spent, 1e-6)
                if most >= ENOUGH:
                    break
            let_go(self._decided(speeds), float("inf"), visit_rest)
        finally:
            for solutions in paused.values():
                solutions.close()
        return None

    def _decided(self, speeds: Mapping[str, float]) -> Backend:
        """The one that finds most solutions in a second goes on."""
        fastest = max(speeds, key=speeds.__getitem__)
        reason = "solutions found in a second: "
        reason += ", ".join(f"{speed:.0f} on {name}" for name, speed in speeds.items())
        if speeds[fastest] > 0:
            chosen = self._candidate(fastest)
        else:
            chosen, reason = self._fallback, "no backend found a solution at once"
        self._choose(chosen, reason)
        self._is_decided = True
        return chosen

    def _heed_stop(self) -> None:
        """Raise `Stopped` if it was not only the time of a trial that is over."""
        if self._stop.is_set():
            raise Stopped

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """See `protocol.Backend`."""
        return self._fallback.extend(assignments)


def _is_large(model: CpModel) -> bool:
    """Whether it holds many constraints, and most of them are clauses or hold on conditions only."""
    constraints = model.proto.constraints
    clauses = sum(
        len(constraint.enforcement_literal) > 0 or any(getattr(constraint, f"has_{kind}")() for kind in CLAUSES)
        for constraint in constraints
    )
    return clauses >= MANY and 2 * clauses > len(constraints)
