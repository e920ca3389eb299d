"""All solutions of a model by OR-Tools itself, without any code of the project; a witness for tests."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback, IntVar

from models.puzzle import Puzzle
from tests.support.puzzles import model_of


class Unfinished(Exception):
    """Not all was searched."""


class _Collector(CpSolverSolutionCallback):
    def __init__(self, variables: Sequence[IntVar]) -> None:
        super().__init__()
        self.variables = variables
        self.seen: Counter[tuple[int, ...]] = Counter()

    def on_solution_callback(self) -> None:
        self.seen[tuple(self.value(variable) for variable in self.variables)] += 1


def all_solutions(
    model: CpModel, variables: Sequence[IntVar] | None = None, **parameters: Any
) -> Counter[tuple[int, ...]]:
    """How often each assignment of the variables, by default of all, is visited; all of the model are enumerated."""
    solver = CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    every = map(model.get_int_var_from_proto_index, range(len(model.proto.variables)))
    for name, value in parameters.items():
        setattr(solver.parameters, name, value)
    collector = _Collector([*every] if variables is None else variables)
    status = solver.solve(model, collector)
    if solver.status_name(status) not in ("OPTIMAL", "INFEASIBLE"):
        raise Unfinished
    return collector.seen


def key_solutions(puzzle: Puzzle) -> set[tuple[int, ...]]:
    """The values of a puzzle's key in each of its solutions, which is visited once."""
    visits = all_solutions(
        model_of(puzzle), [variable for variable in puzzle.key.values() if isinstance(variable, IntVar)]
    )
    assert set(visits.values()) <= {1}
    return set(visits)
