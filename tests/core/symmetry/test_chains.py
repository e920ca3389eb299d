"""Chains of products and maxima: joined, they have the same solutions, and their operands change places."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from ortools.sat.python.cp_model import CpModel, IntVar

from models.puzzle import Puzzle
from solvers.symmetry.chains import join_chains
from tests.support.declared import swapping
from tests.support.groups import is_proved
from tests.support.random_models import brute_force


@pytest.mark.parametrize(
    ("between", "more", "is_symmetry"),
    [
        ((1, 16), None, True),
        ((0, 20), None, True),
        ((1, 11), None, False),
        ((1, 16), lambda model, two: model.add(two != 4), False),
        ((1, 16), lambda model, two: model.maximize(two), False),
        ((1, 16), lambda model, two: model.add(two == 4).only_enforce_if(model.new_bool_var("")), False),
    ],
)
def test_operands_of_a_product_change_places(
    between: tuple[int, int], more: Callable[[CpModel, IntVar], object] | None, is_symmetry: bool
) -> None:
    """Of a * b * c, a and c do where the product of two is used once, and its domain takes nothing away."""
    model = CpModel()
    a, b, c = (model.new_int_var(1, 4, name) for name in "abc")
    two = model.new_int_var(*between, "two")
    model.add_multiplication_equality(two, [a, b])
    model.add_multiplication_equality(12, [two, c])
    if more:
        more(model, two)
    asked = Puzzle("chain", {}, model, {"a": a, "b": b, "c": c})
    assert is_proved(asked, swapping("a", "c")) == is_symmetry


def chained(chance: Random) -> tuple[CpModel, Sequence[int]]:
    """A model with chains of products and maxima, some of which must not be joined, and the indices of its key."""
    model = CpModel()
    pool = [model.new_int_var(chance.choice([-1, 0]), chance.choice([1, 2]), "") for _ in range(3)]
    key = [variable.index for variable in pool]
    for _ in range(chance.randint(2, 4)):
        narrow = chance.choice([(-9, 9), (-9, 9), (0, 2)])
        target = model.new_int_var(*narrow, "")
        sign = chance.choice([1, 1, -1])
        operands = [chance.choice([1, sign]) * variable for variable in chance.choices(pool, k=2)]
        if chance.random() < 0.5:
            model.add_multiplication_equality(sign * target, operands)
        else:
            model.add_max_equality(sign * target, operands)
        if chance.random() < 0.2:
            key.append(target.index)
        pool.append(target)
    used = model.add(sum(chance.sample(pool, 2)) <= chance.randint(0, 3))
    if chance.random() < 0.3:
        used.only_enforce_if(model.new_bool_var(""))
    return model, key


def projected(model: CpModel, key: Sequence[int]) -> set[tuple[int, ...]]:
    """The values of the key in all solutions, told by CP-SAT's own rules for each assignment of what is hidden."""
    return {tuple(solution[index] for index in key) for solution in brute_force(model)}


@pytest.mark.parametrize("seed", range(40))
def test_joined_chains_have_the_same_solutions(seed: int) -> None:
    """Of random models with few values, by brute force."""
    model, key = chained(Random(seed))
    for variable in model.proto.variables:
        low, high = variable.domain
        variable.domain.clear()
        variable.domain.extend([max(low, -4), min(high, 4)])
    before = projected(model, key)
    join_chains(model, key)
    assert projected(model, key) == before
