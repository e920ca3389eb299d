"""The contract of the ways to count (`COUNTERS`): each counts what brute force lists, or says that it cannot."""

from random import Random

import pytest
from ortools.sat.python.cp_model import CpModel, IntVar

from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.options import METHODS
from tests.attack.models import random_cover
from tests.support.random_models import brute_force, random_puzzle
from tests.support.tiers import later


def random_formula(rng: Random) -> CpModel:
    """Clauses over up to seven Boolean variables."""
    model = CpModel()
    variables = [model.new_bool_var(f"x{n}") for n in range(rng.randint(1, 7))]
    for _ in range(rng.randint(0, 8)):
        chosen = rng.sample(variables, rng.randint(1, min(3, len(variables))))
        model.add_bool_or([~one if rng.random() < 0.5 else one for one in chosen])
    return model


def puzzles(seed: int) -> list[Puzzle]:
    """A cover and a formula, whose keys have all variables, and a model of any kind."""
    rng = Random(seed)
    found = []
    for make in (random_cover, random_formula):
        model = make(rng)
        key = {n: model.get_bool_var_from_proto_index(n) for n in range(len(model.proto.variables))}
        found.append(Puzzle(make.__name__, {}, model, key))
    return [*found, random_puzzle(seed)]


def expected(puzzle: Puzzle) -> int:
    assert isinstance(puzzle.model, CpModel)
    places = [variable.index for variable in puzzle.key.values() if isinstance(variable, IntVar)]
    return len({tuple(values[place] for place in places) for values in brute_force(puzzle.model)})


@pytest.mark.thorough
@pytest.mark.parametrize("method", later(METHODS, "counter"))
def test_random_models(method: str) -> None:
    counted = 0
    for seed in range(5):
        for puzzle in puzzles(seed):
            try:
                result = solve(puzzle, count_only=True, method=method, jobs=1)
            except InputError:  # it says that it cannot
                continue
            assert (result.complete, result.total) == (True, expected(puzzle)), (puzzle.name, seed)
            assert result.report.method == method
            counted += 1
    assert counted >= 4
