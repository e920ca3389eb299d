"""Refutations that the search for exact covers writes: accepted for whatever cover, never written for a wrong count."""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers.base.errors import CheckError
from solvers.extras.evidence.checker.check import check
from solvers.extras.evidence.cover_refutation import is_refutable
from solvers.model.exact_cover import exact_cover
from tests.evidence.certificates import certified, certify_anew
from tests.support import declared
from tests.support.enumerate import all_solutions


def random_covers(count: int) -> Iterator[CpModel]:
    """With items of few options or many, optional ones, exclusions, and variables that no item has."""
    chance = random.Random(6)
    for _ in range(count):
        model = CpModel()
        options = [model.new_bool_var(f"o{n}") for n in range(chance.choice([3, 9, 21, 45]))]
        lonely, first_items = chance.randint(0, 3), chance.randint(1, 3)
        for item in range(first_items):
            model.add_exactly_one(options[lonely + item :: first_items] or options)
        for add, most in ((model.add_exactly_one, 4), (model.add_at_most_one, 3)):
            for _ in range(chance.randint(0, most)):
                add(chance.sample(options, chance.randint(1, len(options))))
        for _ in range(chance.randint(0, len(options) ** 2 // 3)):
            model.add_bool_or(*(~option for option in chance.sample(options, 2)))
        yield model


@pytest.mark.parametrize(
    "count",
    [
        6,
    ],
)
def test_random_covers(tmp_path: Path, count: int) -> None:
    """With all variables for a key, or some; a solution that is left out is missed."""
    chance, totals, part = random.Random(9), list[int](), tmp_path / "part"
    part.mkdir()
    for number, model in enumerate(random_covers(count)):
        variables = [model.get_bool_var_from_proto_index(index) for index in range(len(model.proto.variables))]
        key = chance.sample(variables, chance.randint(1, len(variables))) if chance.random() < 0.2 else variables
        assert is_refutable(exact_cover(model), [option.index for option in key]) == (len(key) == len(variables))
        solutions = len(all_solutions(model, key))
        if solutions > 200:
            continue
        puzzle = Puzzle("random", {}, model, {option.name: option for option in key})
        run = certified(tmp_path / f"{number}", lambda puzzle=puzzle: puzzle)
        assert f"and {solutions} in all" in check(tmp_path / f"{number}")
        totals.append(solutions)
        if solutions:
            left = run.in_order()
            left.remove(chance.choice(left))
            with pytest.raises(CheckError, match="still has a solution"):
                certify_anew(run, left, part)
    assert totals.count(0) > count // 6
    assert sum(total > 1 for total in totals) > count // 4


@pytest.mark.thorough
def test_exclusions_and_free_variables_only(tmp_path: Path) -> None:
    chance = random.Random(10)
    for number, size in enumerate([1, 3, *[chance.randint(2, 5) for _ in range(4)]]):
        pairs = [chance.sample(range(size), 2) for _ in range(chance.randint(0, 4) if number > 1 else 0)]
        rules = [lambda model, *options, a=a, b=b: model.add_bool_or(~options[a], ~options[b]) for a, b in pairs]
        puzzle = declared.puzzle(dict.fromkeys(range(size), declared.BOOLEAN), *rules)
        assert is_refutable(exact_cover(puzzle.model), range(size))
        certified(tmp_path / f"{number}", lambda puzzle=puzzle: puzzle)
        total = sum(not any(v[a] and v[b] for a, b in pairs) for v in product((0, 1), repeat=size))
        assert f"and {total} in all" in check(tmp_path / f"{number}")
