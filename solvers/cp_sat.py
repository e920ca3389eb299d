"""The CP-SAT backend: OR-Tools' own solver on the model as it is declared.

CP-SAT enumerates assignments of all variables, its own hidden ones too, so that an assignment of the key can come up
many times. Therefore a search that repeats itself too often is broken off, the keys that it has seen are blocked, and
it begins anew: native speed where the key determines everything, one solve for each key at worst. Nothing has to be
proved about the model beforehand, where a mistake would cost solutions.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any

from ortools.sat.python.cp_model import (
    INFEASIBLE,
    MODEL_INVALID,
    OPTIMAL,
    CpModel,
    CpSolver,
    CpSolverSolutionCallback,
)
from ortools.sat.python.cp_model_helper import SatParameters

from solvers.backend import Refused, Stopped, Values
from solvers.mend import Affine, add_linear, mend, take_objective

PATIENCE = 100
"""A search may repeat itself this often, and once more for each key it has found, before it is broken off."""

HEED_STOP = 0.1
"""Seconds between two looks at whether to stop."""

OURS = {
    "num_workers": "with several workers CP-SAT loses solutions",
    "num_search_workers": "with several workers CP-SAT loses solutions",
    "enumerate_all_solutions": "it is set where all solutions are asked for",
    "fill_tightened_domains_in_response": "with it CP-SAT loses solutions",
    "instantiate_all_variables": "without it CP-SAT loses solutions",
    "fix_variables_to_their_hinted_value": "with it CP-SAT loses solutions",
    "absolute_gap_limit": "a best value has to be proved",
    "relative_gap_limit": "a best value has to be proved",
    "disable_constraint_expansion": "with it CP-SAT breaks off",
    "max_presolve_iterations": "with too few of them CP-SAT loses solutions",
    "catch_sigint_signal": "an interrupt is for the whole run",
    "log_search_progress": "standard output is for the report",
}
"""Parameters of OR-Tools 9.15 that are not for the user to set, and why."""


class CpSat:
    """Answers `solvers.backend.Backend`.

    Parameters are those of sat_parameters.proto, by name; by default ``linearization_level`` is 0 in enumerations,
    as a relaxation seldom pays where every solution is wanted.

    >>> model = CpModel()
    >>> x, y, unnoticed = (model.new_int_var(0, 2, name) for name in ("x", "y", "unnoticed"))
    >>> _ = model.add(x + y == 3)
    >>> found = []
    >>> CpSat(model, [x.index, y.index], threading.Event()).enumerate(lambda values: found.append(values[:2]))
    >>> sorted(found)
    [[1, 2], [2, 1]]
    """

    name = "cp-sat"

    def __init__(
        self,
        model: CpModel,
        key: Sequence[int],
        stop: threading.Event,
        *,
        solver: str = "",
        seed: int = 0,
        parameters: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        if solver:
            raise Refused(f"cp-sat is a single solver and knows none called {solver!r}; leave that out")
        if invalid := model.validate():
            raise Refused(f"CP-SAT does not accept the model: {invalid.splitlines()[0]}")
        self._key = key
        self._stop = stop
        self._parameters = SatParameters()
        for name, value in {"random_seed": str(seed), **parameters}.items():
            _set(self._parameters, name, value)
        # With several workers CP-SAT 9.15 loses solutions. An interrupt is for the whole run.
        self._parameters.num_workers = 1
        self._parameters.catch_sigint_signal = False
        self._relaxes = "linearization_level" in parameters
        self._variables = range(len(model.proto.variables))
        self._is_boolean = all(_is_boolean(model.proto.variables[v]) for v in key)
        self._model = model.clone()
        self._objective = take_objective(self._model.proto)
        self._best: int | None = None
        _hold_assumptions(self._model.proto)
        self._model.proto.clear_symmetry()  # where the runner broke it, it is no more
        mend(self._model)
        self.size = {"variables": len(self._model.proto.variables), "constraints": len(self._model.proto.constraints)}
        self.statistics = {"conflicts": 0, "branches": 0}

    def optimum(self) -> int | None:
        model = self._model.clone()
        model.proto.objective.vars.extend(list(self._objective.coefficients))
        model.proto.objective.coeffs.extend(list(self._objective.coefficients.values()))
        values = self._solve(model, self._parameters)
        if values is None:
            return None
        self._best = sum(coefficient * values[v] for v, coefficient in self._objective.coefficients.items())
        return self._best

    def enumerate(self, found: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        model = self._model.clone()
        model.proto.constraints.add().bool_and.literals.extend(list(cube))
        if self._best is not None:
            add_linear(model.proto, self._objective, [self._best, self._best])
        while True:
            seen: set[Sequence[int]] = set()
            try:
                return self._enumerate_once(model, found, seen)
            except _RepeatsItself:
                self._block(model.proto, seen)

    def extend(self, fixed: Mapping[int, int]) -> Values | None:
        model = self._model.clone()
        for variable, value in fixed.items():
            add_linear(model.proto, Affine({variable: 1}), [value, value])
        return self._solve(model, self._parameters)

    def _enumerate_once(self, model: CpModel, found: Callable[[Values], None], seen: set[Sequence[int]]) -> None:
        repeats = 0

        def visit(values: list[int]) -> None:
            nonlocal repeats
            # Bytes are sequences of small integers, too, and eight times smaller than tuples.
            key = (bytes if self._is_boolean else tuple)([values[v] for v in self._key])
            if key not in seen:
                seen.add(key)
                found(values)
            elif repeats > PATIENCE + len(seen):
                raise _RepeatsItself
            else:
                repeats += 1

        parameters = copy(self._parameters)
        parameters.enumerate_all_solutions = True
        if not self._relaxes:
            parameters.linearization_level = 0
        self._solve(model, parameters, visit)

    def _block(self, proto: Any, assignments: Iterable[Sequence[int]]) -> None:
        """Forbid these assignments of the key."""
        if self._is_boolean:
            for values in assignments:
                clause = [-v - 1 if value else v for v, value in zip(self._key, values, strict=True)]
                proto.constraints.add().bool_or.literals.extend(clause)
            return
        table = proto.constraints.add().table
        table.negated = True
        for v in self._key:
            table.exprs.add().parse_text_format(f"vars: {v} coeffs: 1")
        table.values.extend([value for values in assignments for value in values])

    def _solve(
        self, model: CpModel, parameters: SatParameters, visit: Callable[[list[int]], None] | None = None
    ) -> list[int] | None:
        """The last solution found, each of them handed to ``visit``; None if there is none.

        Raises `Stopped` unless CP-SAT has proved that this solution is best, that these are all, that there is none.
        """
        if self._stop.is_set():
            raise Stopped
        solver = CpSolver()
        solver.parameters = parameters
        visitor = _Visitor(self._variables, visit) if visit else None
        ended = threading.Event()

        def heed_stop() -> None:
            while not ended.wait(HEED_STOP):
                if self._stop.is_set():
                    solver.stop_search()

        watcher = threading.Thread(target=heed_stop, daemon=True)
        watcher.start()
        try:
            status = solver.solve(model, visitor)
        finally:
            ended.set()
            watcher.join()
        self.statistics["conflicts"] += solver.num_conflicts
        self.statistics["branches"] += solver.num_branches
        if visitor and visitor.error:
            raise visitor.error
        if status == MODEL_INVALID:
            raise Refused(f"CP-SAT does not accept the model or a parameter: {solver.solution_info()}")
        if status not in (OPTIMAL, INFEASIBLE):
            raise Stopped
        return list(solver.response_proto.solution)[: len(self._variables)] if status == OPTIMAL else None


class _RepeatsItself(Exception):
    """A search finds again and again what it has found before."""


class _Visitor(CpSolverSolutionCallback):
    """Hands on the values of every solution. An exception must not pass through C++: it ends the search and is kept."""

    def __init__(self, variables: Iterable[int], visit: Callable[[list[int]], None]) -> None:
        super().__init__()
        self._variables = variables
        self._visit = visit
        self.error: BaseException | None = None

    def on_solution_callback(self) -> None:
        if self.error is None:
            try:
                self._visit(list(map(self.SolutionIntegerValue, self._variables)))
            except BaseException as error:
                self.error = error
                self.stop_search()


def _set(parameters: SatParameters, name: str, value: str) -> None:
    if reason := OURS.get(name):
        raise Refused(f"cp-sat: {name} is not for you to set: {reason}")
    if not hasattr(parameters, f"clear_{name}"):
        raise Refused(f"cp-sat has no parameter {name!r}; sat_parameters.proto of OR-Tools lists them")
    kind = type(getattr(parameters, name))
    try:
        if kind is bool:
            setattr(parameters, name, {"true": True, "false": False}[value.lower()])
        elif hasattr(kind, "__members__"):
            setattr(parameters, name, kind.__members__[value.upper()])
        else:
            setattr(parameters, name, kind(value))
    except (KeyError, TypeError, ValueError):
        raise Refused(f"cp-sat: {value!r} is no value for the parameter {name}") from None


def _is_boolean(variable: Any) -> bool:
    return set(variable.domain) <= {0, 1}


def _hold_assumptions(proto: Any) -> None:
    """Say as a constraint what CP-SAT takes for a mere question."""
    if assumptions := list(proto.assumptions):
        proto.constraints.add().bool_and.literals.extend(assumptions)
        proto.assumptions.clear()
