"""The number of solutions of a program's first model by the program's own library: CP-SAT, CPMpy or PySAT.

Run as `python -m tests.bridges.own_enumeration FILE ...`; it prints a list of numbers. Nothing of kazoeru is in it.
"""

import json
import runpy
import sys
from collections.abc import Callable
from typing import Any

import cpmpy
from cpmpy.solvers import CPM_ortools
from ortools.sat.python import cp_model
from pysat import solvers as pysat

counts: list[int] = []
"""The count of the program that runs, once it is known."""

is_counting: list[bool] = []
"""Not empty while a count is made, which calls the same functions as the program."""


class _CountedError(BaseException):
    """Raised in the program when its model has been counted."""


def patch(owner: Any, name: str, count: Callable[..., int]) -> None:
    """Let a method of a library count the solutions, and end the program, when a program calls it."""
    original = getattr(owner, name, None)
    if original is None:
        return

    def counted(*arguments: Any, **keywords: Any) -> Any:
        if is_counting:
            return original(*arguments, **keywords)
        record(count, *arguments, **keywords)
        raise _CountedError

    setattr(owner, name, counted)


def record(count: Callable[..., int], *arguments: Any, **keywords: Any) -> None:
    """Note the count of the first model; later ones are left alone."""
    is_counting.append(True)
    if not counts:
        counts.append(count(*arguments, **keywords))
    is_counting.clear()


class _Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self) -> None:
        super().__init__()
        self.found = 0

    def on_solution_callback(self) -> None:
        self.found += 1


def by_cp_sat(_: Any, model: cp_model.CpModel, *__: Any) -> int:
    """All solutions that CP-SAT enumerates, of those with the best value if there is an objective."""
    model = model.clone()
    solver, counter = cp_model.CpSolver(), _Counter()
    if model.has_objective():
        solver.solve(model)
        objective = model.proto.objective  # which is minimised, even if it was declared otherwise
        variables = map(model.get_int_var_from_proto_index, objective.vars)
        terms = [a * x for a, x in zip(objective.coeffs, variables, strict=True)]
        best = sum(solver.value(term) for term in terms)
        model.proto.clear_objective()
        model.add(sum(terms) == best)
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(model, counter)
    return counter.found


def by_cpmpy(model: Any, *_: Any, assumptions: Any = (), **__: Any) -> int:
    """All solutions that CPMpy enumerates, of those with the best value if there is an objective."""
    for assumption in assumptions:
        model += assumption
    if isinstance(model, cpmpy.Model) and model.has_objective():
        model.solve()
        best = model.objective_value()
        model = cpmpy.Model(model.constraints, model.objective_ == best)
    return int(model.solveAll())


def by_pysat(solver: Any, assumptions: Any = (), **_: Any) -> int:
    """All models that PySAT enumerates."""
    return sum(1 for _ in solver.enum_models(assumptions=list(assumptions)))


def count_of(path: str) -> int:
    """Return the number of solutions of the first model that the program at a path solves or, failing that, has."""
    counts.clear()
    sys.argv = [path]
    try:
        found = runpy.run_path(path, run_name="__main__")
    except BaseException:  # the program was ended, and may have done what it wants about it
        found = {}
    for value in [] if counts else found.values():
        if isinstance(value, cp_model.CpModel):
            record(by_cp_sat, None, value)
        elif isinstance(value, cpmpy.Model):
            record(by_cpmpy, value)
    return counts[0]


if __name__ == "__main__":
    for name in ("solve", "Solve", "SearchForAllSolutions", "SolveWithSolutionCallback"):
        patch(cp_model.CpSolver, name, by_cp_sat)
    for one in (cpmpy.Model, CPM_ortools):
        for name in ("solve", "solveAll"):
            patch(one, name, by_cpmpy)
    for one in vars(pysat).values():
        if isinstance(one, type) and hasattr(one, "enum_models"):
            patch(one, "solve", by_pysat)
            patch(one, "enum_models", by_pysat)
    sys.stdout.flush()
    told, sys.stdout = sys.stdout, sys.stderr
    numbers = [count_of(path) for path in sys.argv[1:]]
    sys.stdout = told
    print(json.dumps(numbers))
