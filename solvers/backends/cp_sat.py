"""The CP-SAT backend: OR-Tools' own solver on the model as it is declared.

CP-SAT enumerates assignments of all variables, its own hidden ones too, so that an assignment of the key can come up
many times. Therefore a search that repeats itself too often is broken off, the keys that it has seen are blocked, and
it begins anew: native speed where the key determines everything, one solve for each key at worst. Nothing has to be
proved about the model beforehand, where a mistake would cost solutions.

The solver is called as OR-Tools' own CpSolver calls it: importing that takes 0.3 s, and workers need no more of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ortools.sat.python.cp_model_helper import (
    INFEASIBLE,
    MODEL_INVALID,
    OPTIMAL,
    CpModelProto,
    SatParameters,
    SolutionCallback,
    SolveWrapper,
)

from solvers.backends.cp_sat_clauses import MOST, MOST_IN_SUM, Narrow
from solvers.backends.cp_sat_flaws import LinearSum, add_linear, greatest_sum, reach, rewrite_flawed, take_objective
from solvers.backends.protocol import ignored
from solvers.errors import InputError, Stopped
from solvers.values import AtMost, Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.cover.search import Subcover

MOST_REPEATS = 100
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
    """Answers `solvers.backends.protocol.Backend`.

    Parameters are those of sat_parameters.proto, by name; by default ``linearization_level`` is 0 in enumerations,
    as a relaxation seldom pays where every solution is wanted.

    >>> from ortools.sat.python.cp_model import CpModel
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
            raise InputError(f"cp-sat is a single solver and knows none called {solver!r}; leave that out")
        if invalid := model.validate():
            raise InputError(f"CP-SAT does not accept the model: {invalid.splitlines()[0]}")
        self._stop = stop
        self._optimising, self._enumerating = _settings(seed, parameters)
        self._model = model.clone()
        proto = self._model.proto
        is_wide = (
            max(reach(proto), greatest_sum(proto, with_gaps=True)) > MOST
            or greatest_sum(proto, with_gaps=False) > MOST_IN_SUM
        )
        self._objective = take_objective(self._model.proto)
        self._best: int | None = None
        self._held: list[int] = []
        _hold_assumptions(self._model.proto)
        self._model.proto.search_strategy.clear()  # what the model advises is for cp
        self._model.proto.clear_symmetry()  # where the runner broke it, it is no more
        self._narrow = Narrow(self._model, key, self._objective, stop) if is_wide else None
        if self._narrow:
            self._model, key = self._narrow.model, self._narrow.key
        self._key = key
        self._variables = len(self._model.proto.variables)
        self._is_boolean = all(_is_boolean(self._model.proto.variables[v]) for v in key)
        if not self._narrow:
            rewrite_flawed(self._model)
        self.size = {"variables": len(self._model.proto.variables), "constraints": len(self._model.proto.constraints)}
        self.statistics = {"conflicts": 0, "branches": 0}

    def optimum(self, improved: Callable[[Values], object] = ignored) -> int | None:
        values = self._least_by_bits(self._narrow, improved) if self._narrow else self._least(improved)
        if values is None:
            return None
        self._best = sum(coefficient * int(values[v]) for v, coefficient in self._objective.coefficients.items())
        return self._best

    def _least(self, improved: Callable[[Values], object]) -> Values | None:
        model = self._model.clone()
        model.proto.objective.vars.extend(list(self._objective.coefficients))
        model.proto.objective.coeffs.extend(list(self._objective.coefficients.values()))
        return self._solve(model, self._optimising, improved)

    def _least_by_bits(self, narrow: Narrow, improved: Callable[[Values], object]) -> Values | None:
        """The objective's bits are decided one by one, the weightiest first; those decided are held from then on."""
        least = self._solution(self._held_to([]))
        if least is not None:
            improved(least)
        for bit in narrow.bits() if least is not None else ():
            better = self._solution(self._held_to([*self._held, _not(bit)]))
            self._held.append(bit if better is None else _not(bit))
            if better is not None:
                least = better
                improved(least)
        return least

    def _held_to(self, literals: Iterable[int]) -> CpModel:
        """The model in which these are true."""
        model = self._model.clone()
        model.proto.constraints.add().bool_and.literals.extend(list(literals))
        return model

    def enumerate(self, found: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        model = self._held_to([*self._held, *(map(self._narrow.literal, cube) if self._narrow else cube)])
        if self._best is not None and not self._narrow:
            add_linear(model.proto, self._objective, [self._best, self._best])
        while True:
            seen: set[Sequence[int]] = set()
            try:
                return self._enumerate_once(model, found, seen)
            except _RepeatsItself:
                self._block(model.proto, seen)

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        return list(map(self._extended, assignments))

    def _extended(self, fixed: Mapping[int, int]) -> Values | None:
        if self._narrow:
            return self._solution(self._held_to(self._narrow.fixed(fixed)))
        model = self._model.clone()
        for variable, value in fixed.items():
            add_linear(model.proto, LinearSum({variable: 1}), [value, value])
        return self._solution(model)

    def _solution(self, model: CpModel) -> Values | None:
        """A best solution, or any if nothing says what is best; None if there is none."""
        values = self._solve(model, self._optimising)
        return values if values is None else self._decoded(values)

    def _decoded(self, values: list[int]) -> Values:
        return self._narrow.decoded(values) if self._narrow else values

    def _enumerate_once(self, model: CpModel, found: Callable[[Values], None], seen: set[Sequence[int]]) -> None:
        repeats = 0

        def visit(values: list[int]) -> None:
            nonlocal repeats
            # Bytes are sequences of small integers, too, and eight times smaller than tuples.
            key = (bytes if self._is_boolean else tuple)([values[v] for v in self._key])
            if key not in seen:
                seen.add(key)
                found(self._decoded(values))
            elif repeats > MOST_REPEATS + len(seen):
                raise _RepeatsItself
            else:
                repeats += 1

        self._solve(model, self._enumerating, visit)

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
        self, model: CpModel, parameters: SatParameters, visit: Callable[[list[int]], object] | None = None
    ) -> list[int] | None:
        """See `_Solving.solve`."""
        with _Solving(self._stop) as search:
            try:
                return search.solve(model.proto, parameters, self._variables, visit)
            finally:
                self.statistics = {unit: self.statistics[unit] + n for unit, n in search.statistics.items()}


class _Solving:
    """Calls the solver, and ends its search once the event is set."""

    def __init__(self, stop: threading.Event) -> None:
        self.statistics = {"conflicts": 0, "branches": 0}
        self._stop = stop
        self._solver: SolveWrapper | None = None
        self._changing = threading.Lock()
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._heed_stop, daemon=True)

    def __enter__(self) -> Self:
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watcher.join()

    def _heed_stop(self) -> None:
        while not self._ended.wait(HEED_STOP):
            with self._changing:
                if self._stop.is_set() and self._solver:
                    self._solver.stop_search()

    def solve(
        self,
        proto: CpModelProto,
        parameters: SatParameters,
        variables: int,
        visit: Callable[[list[int]], object] | None = None,
    ) -> list[int] | None:
        """So many first variables in the last solution found, each of them handed to ``visit``; None if there is none.

        Raises `Stopped` unless CP-SAT has proved that this solution is best, that these are all, that there is none.
        """
        if self._stop.is_set():
            raise Stopped
        solver = SolveWrapper()
        solver.set_parameters(parameters)
        visitor = _Visitor(variables, visit) if visit else None
        if visitor:
            solver.add_solution_callback(visitor)
        with self._changing:
            self._solver = solver
        response = solver.solve(proto)  # type: ignore[no-untyped-call]
        with self._changing:
            self._solver = None
        if visitor:
            solver.clear_solution_callback(visitor)
        self.statistics["conflicts"] += response.num_conflicts
        self.statistics["branches"] += response.num_branches
        if visitor and visitor.error:
            raise visitor.error
        if response.status == MODEL_INVALID:
            raise InputError(f"CP-SAT does not accept the model or a parameter: {response.solution_info}")
        if response.status not in (OPTIMAL, INFEASIBLE):
            raise Stopped
        return list(response.solution)[:variables] if response.status == OPTIMAL else None


def enumerate_parts(
    parts: Iterable[Subcover],
    most: float,
    stop: threading.Event,
    *,
    solver: str,
    seed: int,
    parameters: Mapping[str, str],
) -> Iterator[tuple[list[list[int]], Mapping[str, int]]]:
    """Of each small exact cover its solutions, each the options chosen, and what the search took.

    Raises `Stopped` once the event is set or one of them has more solutions than so many.

    With one model and one solver for all of them: for a dozen options, to make those takes longer than the search.
    """
    proto = CpModelProto()
    _, enumerating = _settings(seed, parameters)
    with _Solving(stop) as search:
        for part in parts:
            found = AtMost(most)
            before = search.statistics.copy()
            proto.parse_text_format(_as_text(part))
            search.solve(proto, enumerating, len(part.literals), found.append)
            chosen = [[option for option, value in enumerate(values) if value] for values in found]
            yield chosen, {unit: count - before[unit] for unit, count in search.statistics.items()}


def _as_text(part: Subcover) -> str:
    """A part of a cover as a model; what an option excludes, but for those that share an item, in one constraint."""
    lines = ["variables { domain: [0, 1] }"] * len(part.literals)
    lines += [f"constraints {{ exactly_one {{ literals: {item} }} }}" for item in part.items]
    lines += [
        f"constraints {{ linear {{ vars: {options} coeffs: {[1] * len(options)} domain: {[low, high]} }} }}"
        for options, low, high in part.counts
    ]
    lines += [
        f"constraints {{ enforcement_literal: {option} bool_and {{ literals: {list(map(_not, others))} }} }}"
        for option, others in part.excluded().items()
    ]
    return "\n".join(lines)


def _settings(seed: int, parameters: Mapping[str, str]) -> tuple[SatParameters, SatParameters]:
    """The parameters for a search that wants one solution, and for one that wants all."""
    one = SatParameters()
    for name, value in {"random_seed": str(seed), **parameters}.items():
        _set(one, name, value)
    # With several workers CP-SAT 9.15 loses solutions. An interrupt is for the whole run.
    one.num_workers = 1
    one.catch_sigint_signal = False
    every = copy(one)
    every.enumerate_all_solutions = True
    if "linearization_level" not in parameters:
        every.linearization_level = 0
    return one, every


class _RepeatsItself(Exception):
    """A search finds again and again what it has found before."""


class _Visitor(SolutionCallback):
    """Hands on the values of every solution. An exception must not pass through C++: it ends the search and is kept."""

    def __init__(self, variables: int, visit: Callable[[list[int]], object]) -> None:
        super().__init__()
        self._variables = variables
        self._visit = visit
        self.error: BaseException | None = None

    def OnSolutionCallback(self) -> None:
        if self.error is None:
            try:
                self._visit(list(self.Response().solution)[: self._variables])  # type: ignore[no-untyped-call]
            except BaseException as error:
                self.error = error
                self.StopSearch()


def _set(parameters: SatParameters, name: str, value: str) -> None:
    if reason := OURS.get(name):
        raise InputError(f"cp-sat: {name} is not for you to set: {reason}")
    if not hasattr(parameters, f"clear_{name}"):
        raise InputError(f"cp-sat has no parameter {name!r}; sat_parameters.proto of OR-Tools lists them")
    kind = type(getattr(parameters, name))
    try:
        if kind is bool:
            setattr(parameters, name, {"true": True, "false": False}[value.lower()])
        elif hasattr(kind, "__members__"):
            setattr(parameters, name, kind.__members__[value.upper()])
        else:
            setattr(parameters, name, kind(value))
    except (KeyError, TypeError, ValueError):
        raise InputError(f"cp-sat: {value!r} is no value for the parameter {name}") from None


def _not(literal: int) -> int:
    return -literal - 1


def _is_boolean(variable: Any) -> bool:
    return set(variable.domain) <= {0, 1}


def _hold_assumptions(proto: Any) -> None:
    """Say as a constraint what CP-SAT takes for a mere question."""
    if assumptions := list(proto.assumptions):
        proto.constraints.add().bool_and.literals.extend(assumptions)
        proto.assumptions.clear()
