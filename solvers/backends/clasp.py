"""The backend of clasp, a solver of the Potassco collection, by its package clingo.

Its one search lists all solutions by backtracking (enumeration by projection), so that no clause excludes a solution
that was found. That is quick where solutions are many.

References
----------
M. Gebser, B. Kaufmann, T. Schaub, "Solution enumeration for projected Boolean search problems", CPAIOR 2009,
doi:10.1007/978-3-642-01929-6_7
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from solvers.backends.protocol import Task
from solvers.backends.sat import ByClauses
from solvers.base.backend_rows import CLAUSES, READING
from solvers.base.deadline import start_in_thread
from solvers.base.errors import InputError, Stopped
from solvers.base.values import Values
from solvers.cnf.lower import lower

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_MODELS = 1024
"""The most solutions that are handed over at once."""

MAX_MODEL_SECONDS = 0.1
"""Seconds after which a solution hands over those before it."""

INTERRUPT_SECONDS = 0.05
"""Seconds between two looks at the event that ends a search."""


class Clasp(ByClauses):
    """The backend `clasp`, a model lowered to CNF; see `solvers.backends.protocol.Backend`.

    The seed, if it is not 0, shuffles the clauses and draws the values that variables get first. Parameters are those
    of clasp's configuration of a solver, such as heuristic=vsids.

    Raises `InputError` for what `lower` refuses, and for parameters that clasp does not have.
    """

    name = "clasp"

    rests_on = (READING, CLAUSES)

    implied: Mapping[str, int] = {}

    can_go_on = True

    def __init__(self, task: Task) -> None:
        """Make the backend ready for a task; raise `InputError` for a model or a parameter that it does not take."""
        import numpy as np
        from clingo import Control

        super().__init__(task.lowering or lower(task.model, task.stop), task)
        words = [f"--seed={task.seed}", "--sign-def=rnd"] if task.seed else []  # values are tried at random
        # 0: all solutions are listed; project: once for each assignment of the variables of `add_project`.
        self._control = Control(["0", "--project=project", "--stats", *words], logger=lambda *_: None)
        self._set_parameters(task.parameters)
        self._projection = self.lowering.projection(task.key)
        """Literals of the formula; which of them are true tells the solutions apart."""
        self._loaded_variables, self._loaded_clauses = 0, 0  # how many of the formula's clasp has
        self._codes = np.zeros(0, np.uint64)
        """The code by which clingo knows each variable, from variable 1 on; `_by_code` has their order."""
        self._seed = task.seed
        self.size = self.lowering.size

    @property
    def statistics(self) -> Mapping[str, int]:
        """The numbers of conflicts, decisions and restarts of all searches; see `Backend.statistics`."""
        # Clasp's own figures, added up ("accu") over all searches; there are none before the first.
        figures = self._control.statistics.get("accu", {}).get("solving", {}).get("solvers", {})
        names = {"conflicts": "conflicts", "decisions": "choices", "restarts": "restarts"}
        return {name: int(figures.get(figure, 0)) for name, figure in names.items()}

    def _set_parameters(self, parameters: Mapping[str, str]) -> None:
        """Set parameters of clasp's search; raise `InputError` for a name or a value that it does not have."""
        solver: Any = self._control.configuration.solver
        for name, value in parameters.items():
            if name not in solver.keys:
                raise InputError(f"clasp has no parameter {name!r}; it has {', '.join(sorted(solver.keys))}")
            try:
                setattr(solver, name, value)
            except RuntimeError:
                raise InputError(f"clasp does not take {value} for {name}") from None

    def _load(self) -> None:
        """Give clasp the variables and clauses of the formula that it does not have yet.

        Variable i becomes the atom v(i) of a logic program, which may be true or false (a choice rule). A clause
        becomes a rule with an empty head: it forbids that all of its literals are false.
        """
        import numpy as np
        from clingo import Function, Number

        formula = self.lowering.formula
        clauses = formula.clauses[self._loaded_clauses :]
        variables = range(self._loaded_variables + 1, formula.variables + 1)
        if not clauses and not variables:
            return
        with self._control.backend() as program:
            symbols = [Function("v", [Number(variable)]) for variable in variables]
            atoms = [program.add_atom(symbol) for symbol in symbols]
            if variables and atoms != [*variables]:  # the literals of the formula are used as those of clingo
                raise InputError("this version of clingo numbers its atoms in a way that is not known here")
            program.add_rule(atoms, choice=True)
            shuffled = random.Random(self._seed).sample(clauses, len(clauses)) if self._seed else clauses
            for place, clause in enumerate(shuffled):
                if place % MAX_MODELS == 0:  # a round number of clauses between two looks at the event
                    self._heed_stop()
                program.add_rule([], [-literal for literal in clause])
            if not self._loaded_variables:  # at the first call
                program.add_project([abs(literal) for literal in self._projection])
        self._loaded_variables, self._loaded_clauses = formula.variables, len(formula.clauses)
        self._codes = np.concatenate([self._codes, np.array([symbol._rep for symbol in symbols], np.uint64)])
        self._by_code = np.argsort(self._codes)

    def _heed_stop(self) -> None:
        """Raise `Stopped` if the event of the task is set."""
        if self.stop.is_set():
            raise Stopped

    @contextmanager
    def _watch_stop_event(self) -> Iterator[None]:
        """Within this context, a thread interrupts clasp's search once the event of the task is set."""
        is_done = threading.Event()

        def watch() -> None:
            while not is_done.wait(INTERRUPT_SECONDS):
                if self.stop.is_set():
                    self._control.interrupt()

        watching = start_in_thread(watch)
        try:
            yield
        finally:
            is_done.set()
            watching.result()

    def solve(self, assumptions: Sequence[int]) -> NDArray[np.bool_] | None:
        """Return, for each variable of the formula, whether it is true in a model; see `ByClauses.solve`."""
        for true in self._models(assumptions, 1):
            return true[:, 0]
        return None

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` for each assignment of the key in the cube; see `Backend.enumerate`.

        report: called with the values of all variables. cube: literals that hold, in the proto's convention.
        """
        assumed = [*self.held, *self.lowering.booleans(cube)]
        for true in self._models(assumed, 0):
            for values in self.lowering.rows(true):
                report(values)

    def _models(self, assumptions: Sequence[int], most: int) -> Iterator[NDArray[np.bool_]]:
        """Yield models in which the assumptions hold, in batches: a row for each variable, a column for each model.

        An entry says whether the variable is true. A batch is handed over when it is full or `MAX_MODEL_SECONDS` have
        passed; its size doubles up to `MAX_MODELS`. assumptions: literals of the formula. most: 1 to end the search
        after one model; 0 to list all. Raises `Stopped` once the event is set, after the models that were found before.
        """
        self._load()
        self._heed_stop()
        solve: Any = self._control.configuration.solve
        solve.models = most
        batch: list[Any] = []
        size, handed_over = 1, time.monotonic()  # of the current batch; when the last one was yielded
        with (
            self._watch_stop_event(),
            self._control.solve(assumptions=[*dict.fromkeys(assumptions)], yield_=True) as models,
        ):
            for model in models:
                batch.append(model.symbols(atoms=True))
                if len(batch) >= size or time.monotonic() - handed_over > MAX_MODEL_SECONDS:
                    yield self._truth_values(batch)
                    batch, size, handed_over = [], min(2 * size, MAX_MODELS), time.monotonic()
            is_whole = models.get().exhausted or most == 1
        if batch:
            yield self._truth_values(batch)
        self._heed_stop()
        if not is_whole:
            raise Stopped

    def _truth_values(self, batch: Sequence[Any]) -> NDArray[np.bool_]:
        """Return whether each variable is true in each of some models.

        A row is for a variable, a column for a model. batch: for each model, clingo's symbols of the variables that are
        true in it. Each symbol is a number of 64 bits in clingo's memory, its code, which is read there: to make a
        Python object of each symbol takes far longer.
        """
        import numpy as np
        from clingo._internal import _ffi  # type: ignore[attr-defined]

        codes = np.concatenate([np.frombuffer(_ffi.buffer(symbols._p_symbols), np.uint64) for symbols in batch])
        # The column of each code is its model; its row is found by a binary search among the variables' codes.
        columns = np.repeat(np.arange(len(batch)), [len(symbols) for symbols in batch])
        rows = self._by_code[np.searchsorted(self._codes, codes, sorter=self._by_code)]
        true = np.zeros((len(self._codes), len(batch)), np.bool_)
        true[rows, columns] = True
        return true
