"""The CP-SAT backend: OR-Tools' own solver on the model as it is declared.

CP-SAT enumerates assignments of all variables, its own hidden ones too, so that an assignment of the key can come up
many times. Therefore a search that repeats itself too often is broken off, the keys that it has seen are blocked, and
it begins anew: native speed where the key determines everything, one solve for each key at worst. Nothing has to be
proved about the model beforehand, where a mistake would cost solutions.

The solver is called as OR-Tools' own CpSolver calls it: importing that takes 0.3 s, and workers need no more of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, wait
from copy import deepcopy
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python.cp_model_helper import (
    INFEASIBLE,
    MODEL_INVALID,
    OPTIMAL,
    SatParameters,
    SolutionCallback,
    SolveWrapper,
)

from solvers.backends.cp_sat_flaws import rewrite_flawed
from solvers.backends.implied import add_ruled_out, exclusions
from solvers.backends.protocol import Task, ignore
from solvers.base.backend_rows import READING
from solvers.base.deadline import start_in_thread
from solvers.base.errors import InputError, Stopped
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.checks.covers import check_added_exclusions
from solvers.model.reading import is_boolean, negation, of_variable
from solvers.model.wide import is_wide
from solvers.model.writing import hold_assumptions, require, take_objective

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.backends.implied import Exclusions

STOP_CHECK_SECONDS = 0.1
"""Seconds between two looks at whether to stop."""

OURS = {
    "num_workers": "with several workers CP-SAT loses solutions",
    "num_search_workers": "with several workers CP-SAT loses solutions",
    "enumerate_all_solutions": "it is set automatically when all solutions are asked for",
    "fill_tightened_domains_in_response": "with it CP-SAT loses solutions",
    "instantiate_all_variables": "without it CP-SAT loses solutions",
    "keep_all_feasible_solutions_in_presolve": "without it CP-SAT loses solutions",
    "fix_variables_to_their_hinted_value": "with it CP-SAT loses solutions",
    "absolute_gap_limit": "it can end before the best value is proved",
    "relative_gap_limit": "it can end before the best value is proved",
    "disable_constraint_expansion": "with it CP-SAT breaks off",
    "max_presolve_iterations": "with too few of them CP-SAT loses solutions",
    "catch_sigint_signal": "an interrupt has to stop the whole run",
    "log_search_progress": "standard output is for the report",
}
"""Parameters of OR-Tools 9.15 that are not for the user to set, and why."""

MERGING = "merge_at_most_one_work_limit"
"""How long CP-SAT may merge exclusions into at-most-ones before it searches: for covers not at all.

With two hundred thousand exclusions it takes a second or more, again for each cube, and the search is no quicker.
"""


class CpSat:
    """The backend `cp-sat`, OR-Tools CP-SAT; see `solvers.backends.protocol.Backend`.

    Parameters have the names that they have in sat_parameters.proto. By default, ``linearization_level`` is 0 in
    enumerations, because a linear relaxation seldom helps to find every solution.

    >>> import threading
    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y, unnoticed = (model.new_int_var(0, 2, name) for name in ("x", "y", "unnoticed"))
    >>> _ = model.add(x + y == 3)
    >>> found = []
    >>> backend = CpSat(Task(model, [x.index, y.index], threading.Event()))
    >>> backend.enumerate(lambda values: found.append(values[:2].tolist()))
    >>> sorted(found)
    [[1, 2], [2, 1]]
    """

    name = "cp-sat"

    can_go_on = True

    def __init__(self, task: Task) -> None:
        """Make the backend ready for a task; raise `InputError` for a model or a parameter that it does not take."""
        model, key = task.model, task.key
        if invalid := model.validate():
            raise InputError(f"CP-SAT does not accept the model: {invalid.splitlines()[0]}")
        self._stop = task.stop
        self._optimising, self._enumerating = _settings(task.seed, task.parameters)
        """CP-SAT's parameters where one solution is asked for, and where all are."""
        self._parameters = ", ".join(task.parameters)
        """The names of the parameters that the user set, for messages."""
        self._model = model.clone()
        proto = self._model.proto
        if is_wide(proto):
            raise InputError(
                "CP-SAT 9.15 loses solutions if numbers exceed 2^30; choose `--backend sat`, "
                "or give the variables smaller domains"
            )
        self._objective = take_objective(self._model.proto)
        self._best: int | None = None
        """The least value of the objective, once `optimum` has found it."""
        hold_assumptions(self._model.proto)
        self._model.proto.search_strategy.clear()  # what the model advises is for cp
        self._model.proto.clear_symmetry()  # where the runner broke it, it is no more
        self._key = np.array(key, dtype=np.intp)
        self._variables = len(self._model.proto.variables)
        """The number of the model's own variables; rewriting adds others after them."""
        self._is_boolean = all(is_boolean(self._model.proto.variables[v]) for v in key)
        """Whether all variables of the key are Boolean."""
        self._kind = np.int8 if self._is_boolean else np.int64
        """The type in which the values of a key are remembered."""
        # Constraints that CP-SAT gets wrong are replaced; if there were any, the answers rest on our reading of them.
        self.rests_on = [READING] if rewrite_flawed(self._model) else []
        implied = exclusions(task.cover)  # pairs of options that exclude each other, and options in no solution
        self.implied = implied.size if implied else {}
        if implied:
            first = len(self._model.proto.constraints)
            _add_exclusions(self._model.proto, implied)
            check_added_exclusions(self._model.proto, first, implied.pairs, implied.ruled_out)
            if MERGING not in task.parameters:
                for settings in (self._optimising, self._enumerating):
                    settings.merge_at_most_one_work_limit = 0
        self.size = {"variables": len(self._model.proto.variables), "constraints": len(self._model.proto.constraints)}
        self.statistics = {"conflicts": 0, "branches": 0}

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Return the least value of the objective, and hold the model to it; see `Backend.optimum`.

        improved: called with the values of all variables in each better solution.

        Raises `InputError` if a parameter ended the search.
        """
        model = self._model.clone()  # which has no objective: the constructor has taken it
        model.proto.objective.vars.extend(list(self._objective.coefficients))
        model.proto.objective.coeffs.extend(list(self._objective.coefficients.values()))
        values = self._solve(model, self._optimising, improved)
        if values is None:
            return None
        self._best = sum(coefficient * int(values[v]) for v, coefficient in self._objective.coefficients.items())
        return self._best

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` for each assignment of the key in the cube; see `Backend.enumerate`.

        report: called with the values of all variables. cube: literals that hold, in the proto's convention.

        CP-SAT enumerates assignments of all variables, so that it can meet an assignment of the key many times. If it
        does so too often, the assignments found so far are forbidden, and the search begins anew. Raises `InputError`
        if a parameter ended the search.
        """
        model = self._model.clone()
        model.proto.constraints.add().bool_and.literals.extend(list(cube))
        if self._best is not None:  # the objective has to have its best value
            require(model.proto, self._objective, ((self._best, self._best),))
        while True:
            seen: set[bytes] = set()
            try:
                return self._enumerate_once(model, report, seen)
            except _RepeatsItself:
                self._forbid_keys(model.proto, seen)

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, a solution that agrees with it, or None; see `Backend.extend`.

        assignments: the values of some variables in each, by proto index.
        """
        return list(map(self._extension, assignments))

    def _extension(self, fixed: Mapping[int, int]) -> Values | None:
        """Return the values of all variables in some solution in which some variables have given values.

        The result is None if there is no such solution. fixed: the given values, by proto index. Raises `Stopped` if
        the search is told to end, `InputError` if a parameter ended it.
        """
        model = self._model.clone()
        for variable, value in fixed.items():
            require(model.proto, of_variable(variable), ((value, value),))
        return self._solve(model, self._optimising)

    def _enumerate_once(self, model: CpModel, report: Callable[[Values], None], seen: set[bytes]) -> None:
        """Enumerate the solutions of a model in one search.

        report: called for each new assignment of the key, with the values of all variables. seen: the assignments of
        the key that this search has met, as bytes of `_kind`; it is added to.

        Raises `_RepeatsItself` if the search met assignments again too often, `Stopped` if it is told to end,
        `InputError` if a parameter ended it.
        """
        repeats, most = 0, TUNING.max_cp_sat_repeats

        def visit(values: NDArray[np.int64]) -> None:
            """Report a solution if its key is new; otherwise count the repeat, and end the search if it is too many."""
            nonlocal repeats
            key = values[self._key].astype(self._kind).tobytes()
            if key not in seen:
                seen.add(key)
                report(values)
            elif repeats > most + len(seen):
                raise _RepeatsItself
            else:
                repeats += 1

        self._solve(model, self._enumerating, visit)

    def _forbid_keys(self, proto: Any, seen: Collection[bytes]) -> None:
        """Add constraints to a proto that forbid assignments of the key; seen: their values, as bytes of `_kind`.

        If the key has Booleans only, each assignment gets a clause; otherwise one negated table forbids all.
        """
        rows = np.frombuffer(b"".join(seen), self._kind).reshape(len(seen), len(self._key))
        key = self._key.tolist()
        if self._is_boolean:
            for values in rows.tolist():
                clause = [negation(v) if value else v for v, value in zip(key, values, strict=True)]
                proto.constraints.add().bool_or.literals.extend(clause)
            return
        table = proto.constraints.add().table
        table.negated = True
        for v in key:
            table.exprs.add().parse_text_format(f"vars: {v} coeffs: 1")
        table.values.extend(rows.ravel().tolist())

    def _solve(
        self, model: CpModel, parameters: SatParameters, visit: Callable[[NDArray[np.int64]], object] | None = None
    ) -> NDArray[np.int64] | None:
        """Solve a model, and return the values of the declared variables in the last solution found.

        The declared variables are the first ones; rewriting has added others. The result is None if there is no
        solution. parameters: one of the two objects that `_settings` returns. visit: called with the values in each
        solution.

        Raises `Stopped` unless CP-SAT has proved that the solution is best, that all solutions were found, or that
        there is no solution; `InputError` if a parameter ended the search; whatever ``visit`` raises.
        """
        if self._stop.is_set():
            raise Stopped
        solver = SolveWrapper()
        solver.set_parameters(parameters)
        visitor = _Visitor(self._variables, visit) if visit else None
        if visitor:
            solver.add_solution_callback(visitor)
        solving: Future[Any] = start_in_thread(partial(solver.solve, model.proto))
        while wait([solving], STOP_CHECK_SECONDS).not_done:
            if self._stop.is_set():
                solver.stop_search()
        if visitor:
            solver.clear_solution_callback(visitor)
        response = solving.result()
        spent = {"conflicts": response.num_conflicts, "branches": response.num_branches}
        self.statistics = {unit: count + spent[unit] for unit, count in self.statistics.items()}
        if visitor and visitor.error:
            raise visitor.error
        if response.status == MODEL_INVALID:
            raise InputError(f"CP-SAT does not accept the model or a parameter: {response.solution_info}")
        if response.status in (OPTIMAL, INFEASIBLE):
            return _read_solution(response)[: self._variables] if response.status == OPTIMAL else None
        # The search ended without a proof.
        if self._stop.is_set() or not self._parameters:
            raise Stopped
        raise InputError(f"cp-sat: with {self._parameters} the search ends too early; leave these parameters out")


def _settings(seed: int, parameters: Mapping[str, str]) -> tuple[SatParameters, SatParameters]:
    """Return (parameters for a search for one solution, parameters for a search for all solutions).

    seed: the seed of CP-SAT's random numbers. parameters: the parameters of the user, by name, as texts. Raises
    `InputError` for a parameter that cannot be set.
    """
    for_one = SatParameters()
    for name, value in {"random_seed": str(seed), **parameters}.items():
        _set_parameter(for_one, name, value)
    # With several workers CP-SAT 9.15 loses solutions. An interrupt is for the whole run.
    for_one.num_workers = 1
    for_one.catch_sigint_signal = False
    for_all = deepcopy(for_one)  # of OR-Tools 9.15, `copy` returns the same object
    for_all.enumerate_all_solutions = True
    if "linearization_level" not in parameters:
        for_all.linearization_level = 0
    return for_one, for_all


class _RepeatsItself(Exception):
    """Raised in a search that finds again and again what it has found before."""


class _Visitor(SolutionCallback):
    """Calls ``visit`` with the values of the first ``variables`` variables in every solution.

    An exception must not pass through C++: it ends the search and is kept in ``error``.
    """

    def __init__(self, variables: int, visit: Callable[[NDArray[np.int64]], object]) -> None:
        """Prepare a callback for one search.

        variables: the number of variables whose values are passed on, the first ones of the model. visit: called with
        these values in every solution.
        """
        super().__init__()
        self._variables = variables
        self._visit = visit
        self.error: BaseException | None = None

    def OnSolutionCallback(self) -> None:
        """Pass the current solution to ``visit``; called by CP-SAT, by this name."""
        if self.error is None:
            try:
                self._visit(_read_solution(self.Response())[: self._variables])  # type: ignore[no-untyped-call]
            except BaseException as error:
                self.error = error
                self.StopSearch()


def _read_solution(response: Any) -> NDArray[np.int64]:
    """Return the values of all variables in a response of CP-SAT, in proto order; empty if it has no solution.

    OR-Tools hands them over one by one, which takes six times as long as to read the text in which it lists them.
    """
    values = response.solution
    if not len(values):
        return np.empty(0, dtype=np.int64)
    return np.fromstring(str(values).strip("[]"), dtype=np.int64, sep=",", count=len(values))


def _set_parameter(parameters: SatParameters, name: str, value: str) -> None:
    """Set a parameter of CP-SAT by its name, from a text.

    parameters: the object in which it is set. Raises `InputError` if there is no such parameter, if it is one of
    `OURS`, or if the text is not a value that it takes.
    """
    if reason := OURS.get(name):
        raise InputError(f"cp-sat: {name} cannot be set: {reason}")
    if not hasattr(parameters, f"clear_{name}"):
        raise InputError(f"cp-sat has no parameter {name!r}; sat_parameters.proto of OR-Tools lists them")
    kind = type(getattr(parameters, name))  # of the value that it has now
    try:
        if kind is bool:
            setattr(parameters, name, {"true": True, "false": False}[value.lower()])
        elif hasattr(kind, "__members__"):  # an enumeration
            setattr(parameters, name, kind.__members__[value.upper()])
        else:
            setattr(parameters, name, kind(value))
    except (KeyError, TypeError, ValueError):
        raise InputError(f"cp-sat: {value!r} is not a value for the parameter {name}") from None


def _add_exclusions(proto: Any, implied: Exclusions) -> None:
    """Add the exclusions that an exact cover implies, and that the model does not state, to a proto.

    There is one constraint, "literal implies that the others are false", for all options that a literal excludes.
    Options that are ruled out are set to false. implied: has the pairs of literals, sorted by the first, and the
    options that are ruled out.
    """
    add_ruled_out(proto, implied)
    for literal, pairs in groupby(implied.derived.tolist(), itemgetter(0)):
        constraint = proto.constraints.add()
        constraint.enforcement_literal.append(literal)
        constraint.bool_and.literals.extend([negation(other) for _, other in pairs])
