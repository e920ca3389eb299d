"""The attack's random models for hypothesis, which shrinks them, and their solutions by the attack's oracle."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, IntVar

from models.puzzle import Literal, Puzzle
from solvers.checks.constraints import intervals
from solvers.files.given import Fact
from solvers.symmetry.key import Key
from tests.attack.models import KINDS, SCHEDULING, Sketch, random_model
from tests.attack.oracle import listed

__all__ = ["KINDS", "RANDOM", "ROOMY", "SCHEDULING", "Sketch", "assume_small", "brute_force", "cubes", "keys"]
__all__ += ["can_hold", "literal_permutation", "models", "part_of", "random_puzzle", "values_of"]

RANDOM = st.randoms(use_true_random=False)

ROOMY = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""For tests of files, which share a folder among examples."""


@st.composite
def models(
    draw: Callable[..., Any],
    kinds: Sequence[Callable[[Sketch], Any]] = KINDS,
    objectives: bool | None = None,
) -> CpModel:
    """A model of up to four Boolean and three integer variables and up to four constraints of the given kinds.

    objectives: whether it has an objective; None: perhaps.
    """
    return random_model(draw(RANDOM), kinds, objectives)


def random_puzzle(seed: int, objectives: bool | None = None) -> Puzzle:
    """A random model with some of its variables as the key; for objectives see `models`."""
    rng = random.Random(seed)
    model = random_model(rng, KINDS, objectives)
    numbers = rng.sample(range(len(model.proto.variables)), rng.randint(1, len(model.proto.variables)))
    key = {f"v{number}": model.get_int_var_from_proto_index(number) for number in numbers}
    return Puzzle(f"random {seed}", {}, model, key)


def part_of(model: CpModel, constraints: Iterable[int]) -> CpModel:
    """All variables, and some constraints."""
    part = CpModel()
    for variable in model.proto.variables:
        part.proto.variables.add().copy_from(variable)
    for place in constraints:
        part.proto.constraints.add().copy_from(model.proto.constraints[place])
    return part


@st.composite
def cubes(draw: Callable[..., Any], model: CpModel) -> list[int]:
    """Up to three literals over the model's Boolean variables, perhaps contradictory, perhaps none."""
    booleans = [number for number, variable in enumerate(model.proto.variables) if list(variable.domain) == [0, 1]]
    chosen = draw(st.lists(st.sampled_from(booleans), max_size=3))
    return [number if draw(st.booleans()) else -number - 1 for number in chosen]


def keys(model: CpModel) -> st.SearchStrategy[list[int]]:
    """Some of the model's variables, by index, in any order."""
    return st.lists(st.sampled_from(range(len(model.proto.variables))), min_size=1, unique=True)


def literal_permutation(draw: Callable[..., Any], domains: Mapping[str, Sequence[int]]) -> dict[Literal, Literal]:
    """Exchanges variables of one domain, and perhaps the values of some."""
    image: dict[Literal, Literal] = {}
    for domain in dict.fromkeys(map(tuple, domains.values())):
        labels = [label for label, other in domains.items() if tuple(other) == domain]
        for label, other in zip(labels, draw(st.permutations(labels)), strict=True):
            values = draw(st.one_of(st.just(domain), st.just(domain), st.permutations(domain)))
            image |= {(label, v): (other, w) for v, w in zip(domain, values, strict=True)}
    return image


def values_of(variable: IntVar) -> list[int]:
    return [v for low, high in intervals(variable.proto.domain) for v in range(low, high + 1)]


def assume_small(model: CpModel) -> None:
    """Pass over models that OR-Tools does not take, and those with more assignments than brute force tries at once."""
    sizes = (sum(high - low + 1 for low, high in intervals(variable.domain)) for variable in model.proto.variables)
    assume(prod(sizes) <= 5000)
    assume(not model.validate())


def brute_force(model: CpModel) -> set[tuple[int, ...]]:
    """Every assignment of all variables that is a solution, and with an objective a best one."""
    found = listed(model)
    least = min((cost for _, cost in found), default=None)
    return {values for values, cost in found if cost == least}


def can_hold(
    puzzle: Puzzle, key: Key, constraints: Iterable[int], facts: Iterable[Fact], lacking: Iterable[Fact] = ()
) -> bool:
    """Whether some constraints and facts hold together, while other facts do not, by brute force."""
    assert isinstance(puzzle.model, CpModel)
    model = part_of(puzzle.model, constraints)
    model.proto.assumptions.extend([*puzzle.model.proto.assumptions])
    for fact, holds in [*((fact, True) for fact in facts), *((fact, False) for fact in lacking)]:
        position, value = key.literal(fact.literals[0])
        variable = model.get_int_var_from_proto_index(key.variables[position])
        model.add(variable == value if holds else variable != value)
    return bool(brute_force(model))
