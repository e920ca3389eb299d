"""What is given: the solutions that have it, and the symmetries that keep it."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from models.puzzle import Literal, Puzzle
from solvers import solve
from solvers.files.catalogue import find
from tests.support.backends import EVERY, GENERAL
from tests.support.declared import puzzle
from tests.support.refusals import refused


def expected(asked: Puzzle, solutions: list[frozenset[Literal]], given: Mapping[Any, int]) -> tuple[int, int, int]:
    """Solutions up to symmetry, in all, and the order of the group, by brute force."""
    literals = sorted(set(given.items()).union(*solutions), key=repr)
    identity = {literal: literal for literal in literals}
    group, fringe = [identity], [identity]
    while fringe:
        element = fringe.pop()
        for symmetry in asked.symmetries:
            product = {literal: symmetry(*element[literal]) for literal in literals}
            if product not in group:
                group.append(product)
                fringe.append(product)
    keeping = [element for element in group if {element[literal] for literal in given.items()} == set(given.items())]
    held = {solution for solution in solutions if set(given.items()) <= solution}
    orbits = {frozenset(frozenset(map(element.__getitem__, solution)) for element in keeping) for solution in held}
    assert all(orbit <= held for orbit in orbits)
    return len(orbits), len(held), len(keeping)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "parameters", "backends"),
    [
        ("pentomino", {"board": "5x3", "subset": True}, EVERY),
        ("dissection", {"region": "2x3", "require": "congruent"}, GENERAL),
    ],
)
def test_against_all_solutions(name: str, parameters: dict[str, Any], backends: tuple[str, ...]) -> None:
    asked = find(name).load()(**parameters)
    solutions = [frozenset(solution.items()) for solution in solve(asked, backend=backends[-1], jobs=1).in_all()]
    choice = random.Random(1)
    for count in (1, 2, 3):
        literals = dict(choice.sample(sorted(choice.choice(solutions), key=repr), count))
        answer = expected(asked, solutions, literals)
        for backend in backends:
            for count_only in (True, False):
                result = solve(asked, backend=backend, given=literals, jobs=1, count_only=count_only)
                assert (result.solutions, result.total, result.report.symmetries) == answer
            assert all(set(literals.items()) <= set(one.items()) for one in result)
        assert solve(asked, backend=backends[-1], given=literals, jobs=1, unbroken=True).total == answer[1]
        assert solve(asked, backend=backends[-1], given=literals, jobs=1, symmetry="found").total == answer[1]


def test_booleans_that_are_false() -> None:
    board = find("pentomino").load()(board="5x4", subset=True)
    solutions = list(solve(board, backend="cover").in_all())
    label = next(iter(solutions[0]))
    assert solve(board, backend="cover", given={label: 0}).total == sum(not one[label] for one in solutions)


def test_the_best_of_those_that_have_it() -> None:
    best = puzzle({"x": (0, 3), "y": (0, 3)}, lambda m, x, y: m.add(x + y <= 4), lambda m, x, y: m.maximize(x + 2 * y))
    assert dict(solve(best)[0]) == {"x": 1, "y": 3}
    result = solve(best, given={"x": 3})
    assert (result.report.objective, dict(result[0])) == (5, {"x": 3, "y": 1})


def labels(*names: Any) -> Puzzle:
    return puzzle(dict.fromkeys(names, (0, 2)))


def test_labels_by_their_words() -> None:
    various = labels((0, 1), "q[3]", "a=b", 7, ("x", (1, 2)))
    for text in ("(0, 1)=2", "0 1=2", "[0,1] = 2", "q[3]=2", "q 3=2", "a=b=2", "7=2", "x 1,2=2", '["x", [1, 2]]=2'):
        assert solve(various, given=text, jobs=1).total == 81
    assert solve(various, given=["7=2", "0 1=0"], jobs=1).report.given == ["7=2", "(0, 1)=0"]
    clash = labels("q 3", "q[3]")
    assert solve(clash, given="q[3]=1").report.given == ["q[3]=1"]
    refused("may be 'q 3' and", solve, clash, given="q,3=1")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("nonsense", "'nonsense' is neither a file nor LABEL=VALUE; write LABEL=VALUE, such as"),
        ("z=1", "magic has no label 'z'; its labels are"),
        ("0 0=10", "magic: 0 0 takes 1 to 9, not '10'"),
        ("0,0 != 0", "magic: 0,0 takes 1 to 9, not '0'"),
        ({(0, 0): 10}, r"\(0, 0\) takes 1 to 9, not '10'"),
        ("0 0=", "'' is not a value"),
        ("0 0=1.5", "'1.5' is not a value"),
        ("z=Q", "magic has no label 'z'; its labels are"),
        (["0 0=1", "0 0=2"], "given as 1 and as 2"),
        ({(0, 0): 1.0}, "takes 1 to 9, not '1.0'"),
        ({(9, 9): 1}, "has no label"),
        ({None: 1}, "has no label"),
    ],
)
def test_what_cannot_be_given(given: Any, complaint: str) -> None:
    refused(complaint, solve, "magic", given=given)
