"""kazoeru as a solver of CPMpy, which finds all solutions, and all best ones of an objective."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from cpmpy import Model
from cpmpy.expressions.variables import _BoolVarImpl
from cpmpy.solvers.ortools import CPM_ortools
from cpmpy.solvers.solver_interface import ExitStatus, SolverStatus
from cpmpy.solvers.utils import SolverLookup

from models.puzzle import Puzzle, Solution
from solvers.base.backend_rows import available_backends
from solvers.base.endings import DONE, Ending
from solvers.base.errors import InputError
from solvers.base.options import Options
from solvers.extras.bridges.cpmpy.model import variables_of
from solvers.model.wide import is_wide
from solvers.running.runner import Run

NAME = "kazoeru"


class CPM_kazoeru(CPM_ortools):  # type: ignore[misc]
    """All solutions of a CPMpy model, counted exactly; the constraints are translated as for OR-Tools.

    ``solution_hint`` guides `solve`, which then lets cp-sat search unless another backend is named; it says nothing
    about all solutions. Options of `solvers.solve` are taken as keyword arguments: ``backend``, ``jobs``, ``seed``,
    ``store`` and more;
    ``symmetry="found"`` shows one solution of each orbit under the symmetries that are found. The subsolver, as in
    "kazoeru:cp", is the backend.

    >>> import cpmpy
    >>> x = cpmpy.intvar(1, 3, shape=3, name="x")
    >>> model = cpmpy.Model(cpmpy.AllDifferent(x), x[0] < x[2])
    >>> CPM_kazoeru(model).solveAll(jobs=1)
    3
    """

    def __init__(self, cpm_model: Model | None = None, subsolver: str | None = None) -> None:
        """Make the solver for a model.

        cpm_model: the model whose constraints are added. subsolver: the backend; "auto" if left out.
        """
        super().__init__(cpm_model)
        self.name = NAME
        self.backend = subsolver or "auto"
        self.report: Any = None
        """The report of the last run."""

    @staticmethod
    def solvernames(installed: bool = True) -> list[str]:
        """Return the names of the backends; ``installed`` is part of CPMpy's interface and not used."""
        return available_backends()

    def solve(self, time_limit: float | None = None, **options: Any) -> bool:
        """Find one solution, or a best one, and set the values of the variables.

        Returns whether one was found. If the time ends before one is found, the result is false too, and
        ``status().exitstatus`` is UNKNOWN.

        time_limit: in seconds. options: the options of `solvers.solve`. Raises ValueError if the limit is not positive,
        `InputError` for options or a model that are not accepted, or the failure that ended the run.
        """
        return self._run(time_limit, 1, display=None, options=options) > 0

    def solveAll(
        self,
        display: Any = None,
        time_limit: float | None = None,
        solution_limit: int | None = None,
        call_from_model: bool = False,
        **options: Any,
    ) -> int:
        """Find all solutions, or all best ones, and return how many there are.

        Variables keep the values of the last.

        display: an expression or a list of them that is printed for each solution, or a function that is called.
        time_limit: in seconds. solution_limit: the most solutions to find. call_from_model: ignored. options: the
        options of `solvers.solve`. A reached limit shows in ``status()``: FEASIBLE, not OPTIMAL. Raises ValueError if a
        limit is not positive, `InputError` for options or a model that are not accepted, or the failure that ended the
        run.
        """
        return self._run(time_limit, solution_limit, display, options)

    def _run(self, time_limit: float | None, limit: int | None, display: Any, options: dict[str, Any]) -> int:
        """Search for solutions, set values and CPMpy's status, and return the number of solutions found.

        The run yields solutions, and None where there is no new one yet. Variables keep the values of the last
        solution, None if there is none.

        time_limit: in seconds. limit: the most solutions to find, None for all. display: an expression or a list of
        them that is printed for each solution, or a function that is called. options: the options of `solvers.solve`.
        Raises ValueError, `InputError` or the failure that ended the run.
        """
        if time_limit is not None and time_limit <= 0:
            raise ValueError("Time limit must be positive")
        variables = variables_of(self)
        options_by_name = {"backend": self.backend, "symmetry": "none", **options}
        if limit == 1:
            options_by_name["backend"] = self._backend_for_hints(options_by_name["backend"])
        try:
            run_options = Options(**options_by_name, limit=limit, time_limit=time_limit)
        except TypeError as error:
            raise InputError(f"{NAME}: {error}; `solvers.solve` lists the options") from None
        native = self.ort_model
        key = {variable.name: self.solver_var(variable) for variable in variables}
        run = Run("model", {}, lambda: Puzzle("model", {}, native, key), run_options)
        solutions_found = 0
        try:
            for solution in run:
                if solution is None:
                    continue
                solutions_found += 1
                self._assign(variables, solution)
                if display is not None:
                    self.print_display(display)
        except KeyboardInterrupt:
            run.stop(Ending.CTRL_C)
            raise
        self.report = run.report
        if not solutions_found:
            for variable in variables:
                variable._value = None
        self.objective_value_ = None
        if solutions_found and self.has_objective():
            self.objective_value_ = int(self.objective_.value())
        self.cpm_status = SolverStatus(NAME)
        self.cpm_status.solve_time = run.report.seconds["all"]
        self.cpm_status.exitstatus = self._status(run, solutions_found, limit)
        if run.ending and run.ending.failure:
            raise run.ending.failure(f"ended by {run.report.stopped_by}{run.ending.advice}")
        return solutions_found

    def _backend_for_hints(self, backend: str) -> str:
        """Return the backend that looks for one solution: cp-sat in place of auto if there are hints, which it follows.

        Hints are values that the program suggests for variables. A wide model, with very large numbers, stays with
        auto, as cp-sat was seen to lose solutions of such models; see `is_wide`. Warns if there are hints and the
        backend does not follow them. backend: the one that was asked for.
        """
        proto = self.ort_model.proto
        if not len(proto.solution_hint.vars):
            return backend
        if backend == "auto" and not is_wide(proto):
            return "cp-sat"
        if backend != "cp-sat":
            # The warning is for the line that calls `solve` or `solveAll`, which call `_run`, which calls this.
            warnings.warn(f"{NAME}: only cp-sat follows solution hints; {backend} leaves them out", stacklevel=4)
        return backend

    def _status(self, run: Run, solutions: int, limit: int | None) -> ExitStatus:
        """Return CPMpy's status of a run: OPTIMAL if it is proved that all solutions, or the best one, were found.

        solutions: the number of solutions that it found. limit: the most solutions that it was to find; None for all.
        """
        if run.report.complete and not solutions:
            return ExitStatus.UNSATISFIABLE
        if not solutions:
            return ExitStatus.UNKNOWN
        # A run for one best solution is proved if it ended by itself; it does not search the whole space for others.
        is_proved = run.report.complete or (
            self.has_objective() and limit == 1 and run.ending and run.ending.code == DONE
        )
        return ExitStatus.OPTIMAL if is_proved else ExitStatus.FEASIBLE

    @staticmethod
    def _assign(variables: Iterable[Any], solution: Solution) -> None:
        """Set the values of the variables to those in a solution."""
        for variable in variables:
            value = solution.get(variable.name, 0)
            variable._value = bool(value) if isinstance(variable, _BoolVarImpl) else int(value)


def register() -> None:
    """Make the name known to CPMpy: ``model.solveAll(solver="kazoeru")``, or "kazoeru:sat" for a backend."""
    before: Callable[[], list[Any]] = SolverLookup.base_solvers
    if (NAME, CPM_kazoeru) not in before():
        SolverLookup.base_solvers = classmethod(lambda _: [*before(), (NAME, CPM_kazoeru)])
