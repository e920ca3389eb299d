"""Have CaDiCaL list solutions in one search: it goes on from each where it would else be asked anew.

References
----------
K. Fazekas, A. Niemetz, M. Preiner, M. Kirchweger, S. Szeider, A. Biere, "IPASIR-UP: user propagators for CDCL", SAT
2023, doi:10.4230/LIPIcs.SAT.2023.8
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pysat.engines import Propagator

from solvers.base.values import Values
from solvers.cnf.propagation import ParallelPropagation

Rows = Callable[[NDArray[np.bool_]], NDArray[Any]]
"""Returns the values of all variables in several solutions; see `cnf.lower.Lowering.rows`."""

SOLUTIONS_PER_COMPLETION = 256
"""The number of solutions that are completed at once, if they come fast."""

COMPLETION_SECONDS = 0.1
"""Seconds after which the solutions met so far are completed."""

MAX_UNPROPAGATED = 64
"""The number of solutions whose values do not follow from the projection at which the search pauses."""


class Listing(Propagator):  # type: ignore[misc]
    """A propagator that is shown the solutions of a CaDiCaL search.

    It excludes each solution, so that the search goes on. It sees only the literals of the projection, not all literals
    of a solution. The other values usually follow from them: they are found by unit propagation, in many solutions at
    once.
    """

    def __init__(
        self, propagation: ParallelPropagation, projection: NDArray[np.int64], rows: Rows, stop: Event
    ) -> None:
        """Prepare to report solutions; no search has begun.

        propagation: unit propagation, which completes solutions from the literals of the projection. projection: the
        literals of the formula that tell solutions apart. rows: turns solutions into values of the model's variables.
        stop: ends a search when set.
        """
        super().__init__()
        self.is_lazy = True  # it is asked about whole assignments only
        self._propagation, self._projection, self._rows, self._stop = propagation, projection, rows, stop
        self._literals = frozenset(projection.tolist())
        self.observed = sorted(set(map(abs, self._literals)))
        """The variables that the solver has to show, besides ``here``."""
        self._here = 0
        """The literal without which no clause of this search holds; see `begin`."""
        self._assumed: Sequence[int] = ()
        """The literals that hold in the solutions of this search."""
        self._found: Callable[[Values], None] | None = None
        """Called with each solution; None while nothing is reported."""
        self.shown = 0
        """The number of solutions that the solver has shown since `begin`."""
        self._error: BaseException | None = None
        """The error that ended the reports, which `end` raises."""
        self._excluded: list[int] = []
        """The clause that excludes the last solution; empty once the solver has it."""
        self._met: list[list[int]] = []
        """The solutions that are not completed yet, each as the true literals of the observed variables."""
        self._incomplete: list[list[int]] = []
        """The solutions whose values do not follow, each as the true literals of the projection."""
        self._due = 0.0
        """When the solutions met are completed, even if they are few."""

    def follows(self, solutions: Sequence[NDArray[np.bool_]]) -> bool:
        """Tell whether the values of all variables follow by unit propagation in each of these solutions.

        solutions: for each one, which literals of the projection are true.
        """
        return bool(self._complete(np.array(solutions).T)[1].all())

    def _complete(self, holds: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Complete solutions by unit propagation; return (truth values, follows).

        truth values: whether each variable of the formula is true; a row for each variable, a column for each solution.
        follows: for each solution, whether the values of all variables follow. holds: whether each literal of the
        projection is true; a row for each literal, a column for each solution.
        """
        always = np.ones(holds.shape[1], np.bool_)
        given = dict.fromkeys(self._assumed, always)
        for literal, column in zip(self._projection.tolist(), holds, strict=True):
            given |= {literal: column, -literal: ~column}
        return self._propagation.values(given, holds.shape[1])

    def begin(self, here: int, assumed: Sequence[int], report: Callable[[Values], None]) -> None:
        """Begin to report solutions in which the literals ``assumed`` are true; call it before each search.

        report: called with the values of all variables in each solution. here: a literal, true during the search; each
        clause that excludes a solution has its negation, so that it requires nothing once ``here`` is false.
        """
        self._here, self._assumed, self._found = here, assumed, report
        self._met, self._incomplete, self._excluded, self._due = [], [], [], 0.0
        self.shown, self._error = 0, None

    def end(self) -> tuple[list[list[int]], list[list[int]]]:
        """Stop reporting, so that the solver may answer with any solution again.

        Returns (clauses, literals). ``clauses`` is a list with the clause that excludes the last solution shown, if the
        solver does not have it yet, else an empty list. ``literals`` has, for each solution that was not reported
        because its values do not follow, the literals of the projection that are true in it. Raises the error that
        ended the reports, if any.
        """
        clause, self._excluded = self._excluded, []
        try:
            if self._error:
                raise self._error
            self.report_solutions()
        finally:
            self._found = self._error = None
        return [clause] if clause else [], self._incomplete

    def check_model(self, model: list[int]) -> bool:
        """Take a solution; return True if the solver is to end its search with it, False if it is to go on.

        The solver calls this at each solution. It is to end while nothing is reported, after an error, once the event
        is set, and when too many solutions could not be completed. If it goes on, it asks for the clause that excludes
        the solution. model: the true literals of the observed variables, in the order of the variables.
        """
        if self._found is None:
            return True
        self._excluded = [-self._here, *(-literal for literal in self._literals.intersection(model))]
        self._met.append(model)
        self.shown += 1
        if len(self._met) == SOLUTIONS_PER_COMPLETION or time.perf_counter() > self._due:  # report some at a time
            try:
                self.report_solutions()
            except BaseException as error:  # which in PySAT would end the searches of other threads, too
                self._error = error
                return True
        return len(self._incomplete) >= MAX_UNPROPAGATED or self._stop.is_set()

    def has_clause(self) -> bool:
        """Return whether there is a clause for the solver to add; called by the solver."""
        return bool(self._excluded)

    def add_clause(self) -> list[int]:
        """Return the clause that excludes the last solution; called by the solver."""
        clause, self._excluded = self._excluded, []
        return clause

    def report_solutions(self) -> None:
        """Report the solutions met since the last call; those whose values do not follow are kept for `end`.

        The values of all variables are derived from the projection's literals, in all these solutions at once.
        """
        if self._met and self._found:
            true_literals, self._met = np.array(self._met), []
            # Each row has one literal of each observed variable, in the order of the variables.
            column_of_literal = np.searchsorted(abs(true_literals[0]), abs(self._projection))
            holds = true_literals.T[column_of_literal] == self._projection[:, None]
            true, follows = self._complete(holds)
            for row, is_complete, literals in zip(self._rows(true), follows, holds.T, strict=True):
                if is_complete:
                    self._found(row)
                else:
                    self._incomplete.append(self._projection[literals].tolist())
        self._due = time.perf_counter() + COMPLETION_SECONDS
