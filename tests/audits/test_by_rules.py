"""Symmetries that are proved rule by rule: never one that is none, and none by chance."""

from collections.abc import Callable
from itertools import product
from random import Random
from threading import Event
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers.extras.audits.audit.judge import audit
from solvers.extras.audits.proofs.by_rules import ListedRules
from solvers.symmetry.key import Key
from tests.support import declared
from tests.support.random_models import brute_force

NAMES = "abcd"


def one_apart(model: CpModel, one: Any, other: Any) -> None:
    """The first is one more than the second, of the numbers 1 to 3 in a ring; a hidden variable tells how."""
    wraps = model.new_bool_var("")
    model.add(one == other - 2).only_enforce_if(wraps)
    model.add(one == other + 1).only_enforce_if(~wraps)


def ring() -> Puzzle:
    """Four numbers, each one less than the next in the ring; the first is 1."""
    return declared.puzzle(
        dict.fromkeys(NAMES, (1, 3)),
        *(lambda model, *x, n=n: one_apart(model, x[n + 1], x[n]) for n in range(3)),
        lambda model, *x: model.add(x[0] == 1).with_name("first"),
    )


def test_all_variables_turn_together() -> None:
    result = audit(ring(), breaking=["first"])
    (line,) = result.lines
    assert (line.words.count(";"), line.is_by_rules, line.size) == (3, True, "")
    assert (result.verdict, result.breaking[0].group) == ("complete", "seen")
    assert "symmetries seen" in str(result)
    assert "(proved, rule by rule)" in str(result)
    assert [one["by_rules"] for one in result.as_json()["lines"]] == [True]


@pytest.mark.parametrize("rules", [1, 2])
def test_one_rule_alone_proves_nothing(rules: int) -> None:
    """The same three solutions, said by a table, and the same again with one rule more."""
    turned = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    puzzle = declared.puzzle(
        dict.fromkeys("abc", (1, 3)),
        lambda model, *x: model.add_allowed_assignments(x, turned),
        lambda model, *x: model.add_all_different(x) if rules == 2 else None,
    )
    key = Key(puzzle.model, puzzle.key)
    image = [key.number(*place) for place in ((n, v % 3 + 1) for n, v in product(range(3), range(1, 4)))]
    assert ListedRules(puzzle.model, key, Event()).are_mapped(image) == (rules == 2)


@pytest.mark.parametrize("why", ["objective", "assumption", "large", "stopped"])
def test_rules_that_are_not_known_prove_nothing(why: str) -> None:
    model, stop = CpModel(), Event()
    x = [model.new_int_var(0, 200 if why == "large" else 3, "") for _ in range(3)]
    model.add(x[0] != x[1])
    model.add_all_different(x)
    if why == "objective":
        model.maximize(sum(x))
    if why == "assumption":
        model.add_assumption(model.new_bool_var(""))
    if why == "stopped":
        stop.set()
    key = Key(model, dict(enumerate(x)))
    assert not ListedRules(model, key, stop).are_mapped(range(key.size))


def random_case(chance: Random) -> tuple[CpModel, Key]:
    """Four variables of three values, and some rules with and without hidden variables."""
    model = CpModel()
    x = [model.new_int_var(0, 2, name) for name in NAMES]
    hidden = model.new_int_var(0, 4, "hidden")
    rules: list[Callable[[Any, Any], Any]] = [
        lambda a, b: model.add(a != b),
        lambda a, b: model.add(a + b <= 3),
        lambda a, b: one_apart(model, a + 1, b + 1),
        lambda a, b: model.add(hidden == a + b),
        lambda a, b: model.add_modulo_equality(hidden, a + b, 3),
        lambda a, b: model.add_multiplication_equality(chance.choice(x), a, b),
    ]
    for _ in range(chance.randint(1, 4)):
        chance.choice(rules)(*chance.sample(x, 2))
    return model, Key(model, dict(zip(NAMES, x, strict=True)))


@pytest.mark.parametrize("seeds", [range(30)])
def test_what_maps_rules_to_rules_maps_solutions_to_solutions(seeds: range) -> None:
    """All exchanges of variables, turns of values and both, of random models."""
    proved = 0
    for seed in seeds:
        chance = Random(seed)
        model, key = random_case(chance)
        rules = ListedRules(model, key, Event())
        solutions = {one[: len(NAMES)] for one in brute_force(model)}
        for _ in range(30):
            places = chance.sample(range(4), 4)
            values = chance.choice([[0, 1, 2], [1, 2, 0], [2, 1, 0]])
            image = [key.number(places[n], values[v]) for n, v in product(range(4), range(3))]
            if rules.are_mapped(image):
                proved += places != [0, 1, 2, 3] or values != [0, 1, 2]
                for one in solutions:
                    moved = dict(zip(places, (values[v] for v in one), strict=True))
                    assert tuple(moved[n] for n in range(4)) in solutions
    assert proved > len(seeds) / 10
