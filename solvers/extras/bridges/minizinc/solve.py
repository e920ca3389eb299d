"""Solutions in the form that MiniZinc reads from a solver: FlatZinc's solution stream, and statistics."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from models.puzzle import Solution
from solvers.backends.protocol import Task
from solvers.backends.registry import make_backend
from solvers.base.errors import CheckError
from solvers.checks.evaluate import Evaluator
from solvers.extras.bridges.minizinc.load import Loaded
from solvers.extras.bridges.minizinc.syntax import SOLUTION, OutputItem


def solution_text(loaded: Loaded, solution: Solution) -> str:
    """Return a solution as MiniZinc reads it.

    loaded: the model. There is a line "name = value;" for each output, and the line of dashes.
    """
    return "\n".join([*(_assignment(output, solution) for output in loaded.flat.outputs), SOLUTION])


def _assignment(output: OutputItem, solution: Solution) -> str:
    """Return the line that gives an output item its value, or the values of its array, in a solution.

    For example: x = 3; or, with the index sets of an array, b = array2d(1..1,1..2,[true,false]);
    """
    words = ("false", "true").__getitem__ if output.is_boolean else str
    values = [words(solution.get(label, 0)) for label in output.labels]
    if output.indices is None:
        return f"{output.name} = {values[0]};"
    sets = "".join(f"{low}..{high}," for low, high in output.indices)
    return f"{output.name} = array{len(output.indices)}d({sets}[{','.join(values)}]);"


def improving(
    loaded: Loaded, backend: str, seed: int, stop: threading.Event, report: Callable[[Solution], None]
) -> bool:
    """Search for better and better solutions; call ``report`` with each; return whether there is any.

    The last one has the best value. Each is checked against the model by code that no backend shares. The backend calls
    `check_improvement` with the values of all variables of a solution.

    loaded: the model. backend, seed: the backend and seed of the search. Raises `Stopped` once ``stop`` is set,
    `CheckError` for a solution that violates a constraint. Raises `InputError` if the backend does not take the model.
    """
    model = loaded.translation.model
    evaluator, best = Evaluator(model), None
    index_by_label = {label: variable.index for label, variable in loaded.key.items()}
    sign = 1 if loaded.flat.goal == "minimize" else -1

    def check_improvement(values: Any) -> None:
        """Check a solution, and report it if it is better than all before.

        values: of all variables of the model. ``evaluator.violations`` returns for each of some assignments what it
        violates, "" for nothing.
        """
        nonlocal best
        (flaw,) = evaluator.violations(np.asarray([values]))
        if flaw:
            raise CheckError(f"{backend} found a solution that violates {flaw}")
        objective = evaluator.objective(values)
        if best is None or sign * objective < sign * best:
            best = objective
            report({label: int(values[index]) for label, index in index_by_label.items()})

    task = Task(model, list(index_by_label.values()), stop, seed=seed)
    return make_backend(backend, task).optimum(check_improvement) is not None


def statistics(facts: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines with which MiniZinc reads statistics; facts: the values by name."""
    for name, value in facts.items():
        value_text = json.dumps(value) if isinstance(value, str) else value
        yield f"%%%mzn-stat: {name}={value_text}"
    yield "%%%mzn-stat-end"


def solution_limit(is_optimising: bool, chosen: Mapping[str, Any]) -> int | None:
    """Return the number of solutions that the flags ask for; None for all.

    With neither a number nor the flag for all, it is 1; a number 0 means all. is_optimising: the model has an
    objective, which has flags of its own. chosen: the parsed flags by name.
    """
    option_for_all, number = ("all_optimal", "optimal") if is_optimising else ("all", "number")
    if chosen[option_for_all]:
        return None
    wanted: int = chosen[number] if chosen[number] is not None else 1
    return wanted or None
