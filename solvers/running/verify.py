"""Hold solutions, known by the values of their key, against a model's own constraints."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, wait
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.backends.protocol import Backend
from solvers.backends.registry import extension_backend
from solvers.base.errors import Stopped
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.checks.evaluate import Evaluator
from solvers.cnf.completion import Completion
from solvers.cubes.processes import Processes, pack_model, peak_memory, unpack_model
from solvers.model.determined import Determined
from solvers.model.writing import model_at_value
from solvers.symmetry.key import Encoded, Key, Numbered

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


MAX_CHECK_ENTRIES = 2**24
"""The most values (solutions times variables) in a batch, which is smaller for a model of many variables."""

SECONDS_BEFORE_COMPILING = 0.05
"""Seconds of checking after which compiled code takes over, which is compiled once after installing."""

FIRST_CHECKS = 64
"""The number of solutions that are checked at a time before compiled code takes over."""

Flaws = list[str | None]
"""For each solution that was checked, the name of a rule that it violates; None if it violates none."""


class Verifier:
    """Checks solutions of a model that are known by their key only.

    It finds values for the variables outside the key, and says which rule a solution violates. If that takes long, it
    starts other processes that share the work.
    """

    def __init__(self, model: CpModel, key: Key, stop: threading.Event, jobs: int = 1) -> None:
        """Prepare for checks of solutions of a model; nothing is built yet.

        key: the key by whose values solutions are known. stop: ends the checks when set. jobs: the most processes that
        share them; with all variables in the key, checks are so quick that one does.
        """
        self._model, self._key, self._stop = model, key, stop
        self._size = len(model.proto.variables)
        self._is_key_all = set(key.variables) >= set(range(self._size))
        self._extending = lru_cache(1)(self._backend)
        """Returns the backend for the last best value that was asked for, made once."""
        self._completing = lru_cache(1)(self._completion)
        """The same for unit propagation."""
        self._follows = True
        """False once propagation has left the other values open in most solutions of a batch."""
        self._jobs = 1 if self._is_key_all else jobs
        self._others: Processes | None = None
        """The other processes; None unless some were started."""
        self._seconds = 0.0
        """Seconds that checks in this process have taken."""
        self.memory = 0
        """The most bytes that one of the other processes has had."""

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluator of the model's constraints; built at its first use, as many models have no solution."""
        return Evaluator(self._model)

    @cached_property
    def _determined(self) -> Determined:
        """The variables outside the key that follow from it by equations alone."""
        return Determined(self._model, self._key.variables)

    def _extensions(self, solutions: Numbered, best: int | float | None) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return (values, exists): the values of all variables in each solution, and whether they exist.

        solutions: a row of literal numbers of the key for each. ``values`` has a row for each solution, with the values
        in the order of the model's proto. Where ``exists`` is False, no assignment with these values of the key
        satisfies the model, and the row means nothing. The quickest of four ways that will do is taken: the key has all
        variables; equations determine the others; unit propagation does; a backend searches for what is still open.

        best: the value that the objective must have; None if it does not matter.
        """
        if self._is_key_all:
            return self._key.values_by_index(solutions, self._size), np.ones(len(solutions), np.bool_)
        assignments = self._key.value_rows(solutions)
        if self._determined.are_all:
            return self._determined.rows(assignments)
        # Unit propagation in compiled code, if the model has clauses.
        completion = self._completing(best) if self._is_worth_compiling else None
        if completion:
            rows, exists = completion.rows(assignments)
            self._follows = 2 * exists.sum() > len(exists)  # else propagation is not tried again
        else:
            rows = np.zeros((len(solutions), self._size), np.int64)
            exists = np.zeros(len(solutions), np.bool_)
        incomplete = np.flatnonzero(~exists)  # the backend searches for their values
        fixed = [dict(zip(self._key.variables, values, strict=True)) for values in assignments[incomplete].tolist()]
        # `extend` searches for values of all variables beside the fixed ones; None if there are none.
        for row, values in zip(incomplete, self._extending(best).extend(fixed) if fixed else [], strict=True):
            if values is not None:
                rows[row], exists[row] = values, True
        return rows, exists

    @property
    def _is_worth_compiling(self) -> bool:
        """Tell whether compiled code saves time.

        It does if the checks so far have taken long, and in most solutions the values of the key determined the other
        values.
        """
        return self._follows and self._seconds >= SECONDS_BEFORE_COMPILING

    def flaws(self, solutions: Sequence[Encoded], best: int | float | None) -> Flaws:
        """Return, for each solution, the name of a rule that it violates, or None if it violates none.

        best: the objective value that each solution must have; None if the value does not matter.

        Raises `Stopped` once the run is told to end.
        """
        return self.begin(self._key.literal_rows(solutions), best)()

    def begin(self, solutions: Numbered, best: int | float | None) -> Callable[[], Flaws]:
        """Start to check solutions, and return a function that waits for the result.

        best: the objective value that each solution must have, or None. The function returns what `flaws` returns.
        Without other processes the check is done before `begin` returns.
        """
        if self._jobs > 1 and self._others is None and self._seconds > TUNING.seconds_before_sharing_checks:
            self._others = Processes(self._jobs)
            # The model and its key, as a worker process takes them.
            self._statement = pack_model(self._model), tuple(self._key.variables)
        if self._others is None:
            flaws = self._flaws(solutions, best)
            return lambda: flaws
        size_of_share = max(1, -(-len(solutions) // self._jobs))
        shares = [
            self._others.submit(_flaws, *self._statement, solutions[start : start + size_of_share], best)
            for start in range(0, len(solutions), size_of_share)
        ]
        return partial(self._gather, shares, solutions, best)

    def _gather(self, shares: Sequence[Future[FoundFlaws]], solutions: Numbered, best: int | float | None) -> Flaws:
        """Wait for the processes that check the shares; return their results in the order of the solutions.

        shares: the calls that are running. If a process has died, all solutions are checked here. best: the objective
        value that each solution must have, or None. Raises `Stopped` once the run is told to end.
        """
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
    def may_be_shared(self) -> bool:
        """Tell whether other processes may be started for the checks."""
        return self._jobs > 1

    @property
    def is_shared(self) -> bool:
        """Tell whether other processes were started for the checks."""
        return self._others is not None

    def dismiss(self) -> None:
        """End the other processes; checks after that are done in this process."""
        if self._others:
            self._others.kill()
            self._others.shutdown()
        self._others, self._jobs = None, 1

    def _flaws(self, solutions: Numbered, best: int | float | None) -> Flaws:
        """Return the flaw of each solution, checked batch by batch in this process; see `flaws`.

        best: the objective value that each solution must have, or None.
        """
        flaws: Flaws = []
        while len(flaws) < len(solutions):
            if flaws and self._stop.is_set():
                raise Stopped
            most_at_once = TUNING.solutions_per_check if self._is_key_all or self._is_worth_compiling else FIRST_CHECKS
            size = max(1, min(most_at_once, MAX_CHECK_ENTRIES // max(1, self._size)))
            flaws += self._flaws_of_batch(solutions[len(flaws) : len(flaws) + size], best)
        return flaws

    def _flaws_of_batch(self, solutions: Numbered, best: int | float | None) -> Flaws:
        """Return the flaw of each solution, all checked at once in this process; see `flaws`.

        A solution for which no values of the other variables exist violates "the model". solutions: a row of literal
        numbers each. best: the objective value that each solution must have, or None. The time for the checks is added
        to `_seconds`. Raises `Stopped` if the event is set, as the search for the other values may have been cut short.
        """
        began = time.perf_counter()
        rows, exists = self._extensions(solutions, best)
        if self._stop.is_set() and not self._is_key_all:
            raise Stopped
        flaws: Flaws = ["the model"] * len(solutions)
        violations = self.evaluator.violations(rows if exists.all() else rows[exists])
        if best is None and exists.all():
            flaws = violations
        else:
            for row, violated in zip(np.flatnonzero(exists).tolist(), violations, strict=True):
                flaws[row] = self._flaw_of_solution(rows[row], violated, best)
        self._seconds += time.perf_counter() - began
        return flaws

    def _flaw_of_solution(self, values: Values, violated: str | None, best: int | float | None) -> str | None:
        """Return the rule that an assignment violates; None if it violates none.

        violated: the constraint that it violates, or None; best: the objective value that it must have, or None.
        """
        if violated is None and best is not None and self.evaluator.objective(values) != best:
            return f"the best value, {best}"
        return violated

    def _backend(self, best: int | float | None) -> Backend:
        """Return a backend that finds the values of all variables from those of the key.

        best: the value that the objective must have; None if it does not matter. Raises `Stopped` once the event is
        set, `InputError` if no backend takes the model.
        """
        model_held = self._model if best is None else model_at_value(self._model, best)
        return extension_backend(model_held, self._key.variables, self._stop)

    def _completion(self, best: int | float | None) -> Completion | None:
        """Return unit propagation that completes many solutions at once, if the backend lowers to clauses.

        best: the value that the objective must have; None if it does not matter. Returns None for another backend.
        """
        lowering = getattr(self._extending(best), "lowering", None)
        return Completion(lowering, self._key.variables, self._stop) if lowering else None


class FoundFlaws(NamedTuple):
    """The result of a check in another process."""

    flaws: Flaws
    memory: int
    """The peak memory of that process, in bytes."""


def _flaws(model: bytes, key: tuple[int, ...], solutions: Numbered, best: int | float | None) -> FoundFlaws:
    """Return the flaw of each solution, checked in a worker process; see `Verifier.flaws`.

    model: the model as bytes of `pack_model`. key: the proto indices of the key variables. best: the objective value
    that each solution must have, or None.
    """
    return FoundFlaws(_verifier(model, key).begin(solutions, best)(), peak_memory())


@lru_cache(1)
def _verifier(model: bytes, key: tuple[int, ...]) -> Verifier:
    """Return the verifier for a packed model and the proto indices of its key.

    The last verifier is kept, and returned again for the same arguments: a process gets many batches of one model.
    """
    copy_of_model = unpack_model(model)
    verifier = Verifier(copy_of_model, Key(copy_of_model, dict(enumerate(key))), threading.Event())
    verifier._seconds = SECONDS_BEFORE_COMPILING  # so that compiled code is used at once
    return verifier
