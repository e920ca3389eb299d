"""The rows of the table of backends, made and asked for solutions, for what each of them has to do."""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Backend, Task
from solvers.backends.registry import backend_kind
from solvers.base.backend_rows import BACKENDS
from tests.support.random_models import brute_force, cubes, keys

EVERY = [name for name, row in BACKENDS.items() if not row.by_name_only]

GENERAL = [name for name in EVERY if not BACKENDS[name].takes_covers_only]
"""Those that take more than exact covers."""

Assignment = tuple[int, ...]


def made(
    name: str, model: CpModel, key: Sequence[int] | None = None, stop: threading.Event | None = None, **options: Any
) -> Backend:
    """The backend of this name for a model, by default with all variables as its key."""
    kind, solver = backend_kind(name)
    every = range(len(model.proto.variables))
    return kind(Task(model, every if key is None else key, stop or threading.Event(), solver=solver, **options))


def visits(backend: Backend, cube: Sequence[int] = ()) -> Counter[Assignment]:
    """How often it tells of each assignment of all variables."""
    found = Counter[Assignment]()
    backend.enumerate(lambda values: found.update([tuple(map(int, values))]), cube)
    return found


def projected(solutions: Counter[Assignment], key: Sequence[int]) -> Counter[Assignment]:
    """How often each assignment of the key is met."""
    return Counter(tuple(values[v] for v in key) for values in solutions.elements())


def within(solutions: set[Assignment], cube: Sequence[int]) -> set[Assignment]:
    """Those in which the cube holds."""
    return {
        values
        for values in solutions
        if all(values[literal] if literal >= 0 else not values[-literal - 1] for literal in cube)
    }


def check_keys(backend: Backend, model: CpModel, key: Sequence[int], asked: Sequence[Sequence[int]]) -> None:
    """Compare the best value, and the solutions in some cubes, with brute force."""
    solutions = brute_force(model)
    if model.proto.has_objective():
        terms = list(zip(model.proto.objective.vars, model.proto.objective.coeffs, strict=True))
        costs = (sum(coefficient * values[v] for v, coefficient in terms) for values in solutions)
        assert backend.optimum() == min(costs, default=None)
    for cube in asked:
        found = visits(backend, cube)
        assert set(found) <= solutions
        expected = {tuple(values[v] for v in key) for values in within(solutions, cube)}
        assert projected(found, key) == Counter(expected)


def check_extensions(backend: Backend, model: CpModel, data: st.DataObject) -> None:
    """Compare the extensions of some assignments with brute force, which knows no objective here."""
    plain = model.clone()
    plain.proto.clear_objective()
    solutions = brute_force(plain)
    numbers = data.draw(keys(model))
    asked = [{v: data.draw(st.integers(-3, 5)) for v in numbers} for _ in "ab"]
    asked += [{v: values[v] for v in numbers} for values in sorted(solutions)[:2]]
    for fixed, values in zip(asked, backend.extend(asked), strict=True):
        able = {solution for solution in solutions if all(solution[v] == value for v, value in fixed.items())}
        assert tuple(map(int, values)) in able if values is not None else not able


def check_model(name: str, model: CpModel, data: st.DataObject, **options: Any) -> None:
    """Compare a backend with brute force: all keys once, in cubes that leave no trace, the best value, extensions."""
    key, cube, other = data.draw(keys(model)), data.draw(cubes(model)), data.draw(cubes(model))
    before = str(model.proto)
    backend = made(name, model, key, seed=data.draw(st.integers(0, 2)), **options)
    check_keys(backend, model, key, [(), cube, other, cube, ()])
    check_extensions(backend, model, data)
    assert str(model.proto) == before
