"""Hold solutions, known by the values of their key, against a model's own constraints."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, wait
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.backends.cp_sat_flaws import add_linear, take_objective
from solvers.backends.protocol import Backend
from solvers.backends.registry import backend_kind
from solvers.checks.evaluate import Evaluator
from solvers.cubes.conquer import packed, peak_memory, unpacked
from solvers.cubes.workers import Processes
from solvers.errors import InputError, Stopped
from solvers.symmetry.key import Encoded, Key
from solvers.values import Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


BATCH = 2048
"""How many solutions or images are checked at a time."""

BATCH_ENTRIES = 2**24
"""How many values are held of them: fewer are checked at a time where the model has many variables."""

WORTH_STARTING = 1.0
"""Seconds of work after which it is shared with other processes."""

Flaws = list[str | None]


class Verifier:
    """Finds the values of a solution's other variables, and what a solution violates.

    Where there are other variables that may take long; so, after a while, other processes do their share.
    """

    def __init__(self, model: CpModel, key: Key, stop: threading.Event, jobs: int = 1) -> None:
        self._model, self._key, self._stop = model, key, stop
        self._size = len(model.proto.variables)
        self._is_key_all = set(key.variables) >= set(range(self._size))
        self._extending = lru_cache(1)(self._backend)
        self._jobs = 1 if self._is_key_all else jobs
        self._others: Processes | None = None
        self._seconds = 0.0
        self.memory = 0
        """The most bytes that one of the other processes has had."""

    @cached_property
    def evaluator(self) -> Evaluator:
        """Evaluates the model's constraints; made when it is asked for first, as many a model has no solution."""
        return Evaluator(self._model)

    def _extended(
        self, solutions: Sequence[Encoded], best: int | float | None
    ) -> Sequence[Any] | NDArray[np.int8] | NDArray[np.int64]:
        """The values of all variables in each solution, with this value of the objective if it is given.

        None where there is no such solution.
        """
        if self._is_key_all:
            return self._key.spread(solutions, self._size)
        of_key = self._key.variables
        assignments = [dict(zip(of_key, self._key.values(solution), strict=True)) for solution in solutions]
        return self._extending(best).extend(assignments)

    def flaws(self, solutions: Sequence[Encoded], best: int | float | None) -> Flaws:
        """What each solution violates; None where it is one and has the best value, if there is such."""
        return self.begin(solutions, best)()

    def begin(self, solutions: Sequence[Encoded], best: int | float | None) -> Callable[[], Flaws]:
        """The same, as a call that waits for it: other processes, if there are some, have it in hand meanwhile."""
        if self._jobs > 1 and self._others is None and self._seconds > WORTH_STARTING:
            self._others = Processes(self._jobs)
            self._statement = packed(self._model), tuple(self._key.variables)
        if self._others is None:
            flaws = self._flaws(solutions, best)
            return lambda: flaws
        share = max(1, -(-len(solutions) // self._jobs))
        shares = [
            self._others.submit(_flaws, *self._statement, solutions[start : start + share], best)
            for start in range(0, len(solutions), share)
        ]
        return partial(self._gathered, shares, solutions, best)

    def _gathered(
        self, shares: Sequence[Future[FoundFlaws]], solutions: Sequence[Encoded], best: int | float | None
    ) -> Flaws:
        while wait(shares, timeout=0.1).not_done:
            if self._stop.is_set():
                raise Stopped
            if self._others:
                self._others.check()
        try:
            answers = [future.result() for future in shares]
        except BrokenExecutor:  # one died; then without them
            self.dismiss()
            return self._flaws(solutions, best)
        self.memory = max([self.memory, *(answer.memory for answer in answers)])
        return [flaw for answer in answers for flaw in answer.flaws]

    @property
    def is_shared(self) -> bool:
        """Whether other processes do the work."""
        return self._others is not None

    def dismiss(self) -> None:
        """End the other processes."""
        if self._others:
            self._others.kill()
            self._others.shutdown()
        self._others, self._jobs = None, 1

    def _flaws(self, solutions: Sequence[Encoded], best: int | float | None) -> Flaws:
        size = max(1, min(BATCH, BATCH_ENTRIES // max(1, self._size)))
        batches = (solutions[start : start + size] for start in range(0, len(solutions), size))
        flaws: Flaws = []
        for batch in batches:
            if flaws and self._stop.is_set():
                raise Stopped
            flaws += self._flaws_of_batch(batch, best)
        return flaws

    def _flaws_of_batch(self, solutions: Sequence[Encoded], best: int | float | None) -> Flaws:
        began = time.perf_counter()
        rows = self._extended(solutions, best)
        if self._stop.is_set() and not self._is_key_all:
            raise Stopped
        solved = rows if isinstance(rows, np.ndarray) else [row for row in rows if row is not None]
        violated = iter(self.evaluator.violations(np.asarray(solved)) if len(solved) else [])
        flaws = [self._flaw(row, next(violated), best) if row is not None else "the model" for row in rows]
        self._seconds += time.perf_counter() - began
        return flaws

    def _flaw(self, values: Values, violated: str | None, best: int | float | None) -> str | None:
        if violated is None and best is not None and self.evaluator.objective(values) != best:
            return f"the best value, {best}"
        return violated

    def _backend(self, best: int | float | None) -> Backend:
        held = self._model if best is None else _held(self._model, best)
        try:
            return backend_kind("sat")[0](held, self._key.variables, self._stop)
        except InputError:  # it has no lowering
            return backend_kind("cp-sat")[0](held, self._key.variables, self._stop)


class FoundFlaws(NamedTuple):
    """What another process found."""

    flaws: Flaws
    memory: int
    """The most bytes that it has had."""


def _flaws(model: bytes, key: tuple[int, ...], solutions: Sequence[Encoded], best: int | float | None) -> FoundFlaws:
    return FoundFlaws(_verifier(model, key).flaws(solutions, best), peak_memory())


@lru_cache(1)
def _verifier(model: bytes, key: tuple[int, ...]) -> Verifier:
    own = unpacked(model)
    return Verifier(own, Key(own, dict(enumerate(key))), threading.Event())


def _held(model: CpModel, best: int | float) -> CpModel:
    """The model with this value of its objective, in place of the objective.

    Not held, where the coefficients of a floating-point objective are not whole.
    """
    held = model.clone()
    proto = held.proto
    if proto.has_objective():
        objective = proto.objective
        cost = Fraction(best) / Fraction(objective.scaling_factor or 1) - Fraction(objective.offset)
    else:
        floating = proto.floating_point_objective
        cost = (Fraction(best) - Fraction(floating.offset)) * (-1 if floating.maximize else 1)
    try:
        total = take_objective(proto)
    except InputError:
        proto.clear_floating_point_objective()
    else:
        if cost.denominator == 1:
            add_linear(proto, total, [int(cost), int(cost)])
    return held
