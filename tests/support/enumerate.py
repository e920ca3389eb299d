"""All solutions of a model by OR-Tools itself, without any code of the project; a witness for tests."""

from collections import Counter
from collections.abc import Sequence

from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback, IntVar


class _Collector(CpSolverSolutionCallback):
    def __init__(self, variables: Sequence[IntVar]) -> None:
        super().__init__()
        self.variables = variables
        self.seen: Counter[tuple[int, ...]] = Counter()

    def on_solution_callback(self) -> None:
        self.seen[tuple(self.value(variable) for variable in self.variables)] += 1


def all_solutions(model: CpModel, variables: Sequence[IntVar], *, presolve: bool = True) -> Counter[tuple[int, ...]]:
    """How often each assignment of the variables is visited, with all variables of the model enumerated."""
    solver = CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.cp_model_presolve = presolve
    collector = _Collector(variables)
    status = solver.solve(model, collector)
    assert solver.status_name(status) in ("OPTIMAL", "INFEASIBLE")
    return collector.seen
