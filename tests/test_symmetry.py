"""Groups, orbits and symmetry breaking: exactly one solution of each orbit, whatever the group."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from threading import Event
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain, IntVar

from models.boards import grid
from models.puzzle import Symmetry
from solvers import solve
from solvers.errors import WrongSymmetryError
from solvers.symmetry import breaking
from solvers.symmetry.breaking import Broken, break_symmetry, by_cases, for_search
from solvers.symmetry.groups import ListedGroup
from solvers.symmetry.key import Encoded, Key
from tests.support import symmetric
from tests.support.classics import queens
from tests.support.declared import BOOLEAN, puzzle, swapping
from tests.support.enumerate import all_solutions
from tests.support.groups import closure
from tests.support.random_models import literal_permutation
from tests.support.refusals import refused
from tests.support.sudoku import sudoku


def orbits_left(model: CpModel, variables: Mapping[Any, IntVar], symmetries: Sequence[Symmetry]) -> None:
    """Assert that of each orbit of solutions exactly one is left, visited once."""
    key = Key(model, variables)
    group = closure(key, symmetries)
    everything = {encoded(key, values) for values in all_solutions(model, list(variables.values()))}
    orbits = {frozenset(group.images(solution)) for solution in everything}
    assert frozenset().union(*orbits) == everything, "the model is not closed under its symmetries"
    broken = break_symmetry(model, group)
    visits = all_solutions(broken, list(variables.values()))
    assert set(visits.values()) <= {1}, "an added variable is not determined by the key"
    left = {encoded(key, values) for values in visits}
    assert [len(orbit & left) for orbit in orbits] == [1] * len(orbits)


def encoded(key: Key, values: Sequence[int]) -> Encoded:
    everywhere = dict(zip(key.variables, values, strict=True))
    return key.encode([everywhere.get(index, 0) for index in range(max(key.variables) + 1)])


@st.composite
def closed_models(draw: Callable[..., Any]) -> tuple[CpModel, dict[str, IntVar], list[Symmetry]]:
    """A random group that moves variables and their values, and a random set of whole orbits as the solutions."""
    model = CpModel()
    domains = draw(st.lists(st.sampled_from([(0, 1), (0, 1), (0, 1, 2), (-1, 4)]), min_size=1, max_size=5))
    variables = {
        f"v{n}": model.new_int_var_from_domain(Domain.from_values(list(domain)), f"v{n}")
        for n, domain in enumerate(domains)
    }

    def symmetry() -> Symmetry:
        literals = literal_permutation(draw, dict(zip(variables, domains, strict=True)))
        return lambda label, value: literals[label, value]

    symmetries = [symmetry() for _ in range(draw(st.integers(1, 2)))]
    key = Key(model, variables)
    group = closure(key, symmetries)
    choices = [number for number in range(key.size) if key.is_boolean[key.literal(number)[0]]]
    one_of = sorted(set(group.elements[:, draw(st.sampled_from(choices))].tolist())) if choices else []
    literals = [_literal(key, variables, number) for number in one_of]
    if len({abs(2 * literal.index + 1) for literal in literals}) == len(literals) > 0:
        model.add_exactly_one(literals)
    seen, allowed = set(), []
    for values in product(*domains):
        solution = encoded(key, values)
        if solution not in seen:
            images = group.images(solution)
            seen |= set(images)
            if draw(st.booleans()):
                allowed += [key.values(image) for image in images]
    model.add_allowed_assignments(list(variables.values()), allowed)
    return model, variables, symmetries


def _literal(key: Key, variables: Mapping[str, IntVar], number: int) -> Any:
    position, value = key.literal(number)
    variable = variables[str(key.labels[position])]
    return variable if value else ~variable


@settings(max_examples=70, deadline=None)
@given(closed_models())
def test_one_solution_of_each_orbit(case: tuple[CpModel, dict[str, IntVar], list[Symmetry]]) -> None:
    orbits_left(*case)


@settings(max_examples=150, deadline=None)
@given(closed_models(), st.sampled_from([None, 1, 3]))
@pytest.mark.thorough
def test_cases_hold_a_solution_of_each_orbit(
    model: tuple[CpModel, dict[str, IntVar], list[Symmetry]], most: int | None
) -> None:
    declared, variables, symmetries = model
    key = Key(declared, variables)
    group = closure(key, symmetries)
    broken = by_cases(declared, group, most)
    assert len(broken.cases) <= (most or 64)
    assert sum(weight for _, weight in broken.cases) == 1
    order = list(variables.values())
    left: set[Encoded] = set()
    for literals, _ in broken.cases:
        held = broken.model.clone()
        for literal in literals:
            held.add_bool_or(held.get_bool_var_from_proto_index(literal) if literal >= 0 else _negation(held, literal))
        of_case = {encoded(key, values) for values in all_solutions(held, order)}
        assert not left & of_case
        left |= of_case
    members_are_left(group, declared, order, broken, left)


def _negation(model: CpModel, literal: int) -> Any:
    return ~model.get_bool_var_from_proto_index(-literal - 1)


def members_are_left(
    group: ListedGroup, model: CpModel, variables: Sequence[IntVar], broken: Broken, left: Collection[Encoded]
) -> None:
    """Assert that of each orbit of a model's solutions one is left, or some that together stand for all of it."""
    for orbit in {tuple(group.images(encoded(group.key, values))) for values in all_solutions(model, variables)}:
        there = [solution for solution in orbit if solution in left]
        assert len(there) == 1 if broken.stands_for is None else sum(map(broken.stands_for, there)) == len(orbit)


@settings(max_examples=50, deadline=None)
@given(closed_models(), st.integers(0, 12))
def test_constraints_for_a_part_of_the_group(
    model: tuple[CpModel, dict[str, IntVar], list[Symmetry]], comparisons: int
) -> None:
    declared, variables, symmetries = model
    group = closure(Key(declared, variables), symmetries)
    with patch.multiple(breaking, WORTHWHILE=comparisons, SHARE=0):
        broken = breaking.by_constraints(declared, group)
    order = list(variables.values())
    visits = all_solutions(broken.model, order)
    assert set(visits.values()) <= {1}, "an added variable is not determined by the key"
    members_are_left(group, declared, order, broken, {encoded(group.key, values) for values in visits})


@pytest.mark.parametrize(
    ("points", "count", "backend"),
    [
        (4, 11, "cover"),
        (5, 34, "cp"),
        (5, 34, "cp-sat"),
        (5, 34, "sat"),
        pytest.param(6, 156, "sat", marks=pytest.mark.thorough),
        pytest.param(7, 1044, "sat", marks=pytest.mark.slow),
    ],
)
def test_graphs_up_to_isomorphism(points: int, count: int, backend: str) -> None:
    """OEIS A000088. Few of the 2^21 graphs of seven points are met."""
    result = solve(symmetric.graphs(points), backend=backend, jobs=1)
    assert (result.solutions, result.total) == (count, 2 ** (points * (points - 1) // 2))
    assert backend == "cover" or (result.report.met or 0) <= 1.2 * count


def test_an_empty_sudoku() -> None:
    """Under its 3072 symmetries, which are too many for constraints, the 288 grids are two orbits."""
    swaps: list[Symmetry] = [
        lambda cell, v: ((cell[1], cell[0]), v),
        lambda cell, v: (({0: 1, 1: 0}.get(cell[0], cell[0]), cell[1]), v),
        lambda cell, v: (((cell[0] + 2) % 4, cell[1]), v),
        lambda cell, v: (cell, {1: 2, 2: 1}.get(v, v)),
        lambda cell, v: (cell, v % 4 + 1),
    ]
    result = solve(replace(sudoku(2, 2), symmetries=swaps), backend="cp-sat", jobs=1)
    assert (result.solutions, result.total, result.report.symmetries, result.report.repeats) == (2, 288, 3072, 0)
    assert result.report.model["variables"] < 4000


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_literals_may_be_carried_to_another_variable(n: int) -> None:
    model, rows = queens(n)
    turns: list[Symmetry] = [lambda column, r: (r, n - 1 - column), lambda column, r: (n - 1 - column, r)]
    orbits_left(model, dict(enumerate(rows)), turns)


@pytest.mark.parametrize("backend", ["sat", "cp-sat", "cp", "cover"])
def test_a_choice_with_a_variable_that_is_fixed(backend: str) -> None:
    fixed = puzzle(
        {"a": BOOLEAN, "b": BOOLEAN, "fixed": (1, 1)},
        lambda m, a, b, fixed: m.add_exactly_one(a, b, ~fixed),
        symmetries=[swapping("a", "b")],
    )
    if backend == "cover":
        refused("it counts negated variables", solve, fixed, backend=backend, jobs=1)
    else:
        result = solve(fixed, backend=backend, jobs=1)
        assert (result.total, result.solutions) == (2, 1)


def test_names_of_like_values() -> None:
    """Colourings of four things by four colours, no two alike: 24, one up to the colours' names."""
    four = puzzle(dict.fromkeys("abcd", (0, 3)), lambda m, *colours: m.add_all_different(colours))
    swaps: list[Symmetry] = [
        lambda thing, c: (thing, {0: 1, 1: 0}.get(c, c)),
        lambda thing, c: (thing, (c + 1) % 4),
    ]
    assert closure(Key(four.model, four.key), swaps).order == 24
    orbits_left(four.model, four.key, swaps)  # type: ignore[arg-type]


def test_stabilisers_of_chosen_literals_are_broken() -> None:
    """Two queens of one colour and a king on the corners of a square: the king's own mirror axis remains."""
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
    model = CpModel()
    king = {("king", c): model.new_bool_var("") for c in corners}
    queen = {("queen", c): model.new_bool_var("") for c in corners}
    model.add_exactly_one(king.values())
    model.add(sum(queen.values()) == 2)
    for c in corners:
        model.add_at_most_one(king["king", c], queen["queen", c])

    def turned(turn: grid.Turn) -> Symmetry:
        return lambda label, value: ((label[0], turn(label[1])), value)

    orbits_left(model, king | queen, [turned(turn) for turn in grid.symmetries(grid.box(2, 2))[1:]])


ONE_OF_THREE = puzzle(dict.fromkeys("abc", BOOLEAN), lambda m, *three: m.add_exactly_one(three))


@pytest.mark.parametrize(
    ("symmetry", "sentence"),
    [
        (lambda label, value: ("a", value), "carries two literals to the same one"),
        (lambda label, value: ("z", value), "to none of the key"),
        (lambda label, value: (label, value + 1), "to none of the key"),
    ],
)
def test_a_symmetry_that_does_not_permute_the_literals(symmetry: Symmetry, sentence: str) -> None:
    symmetry.__name__ = "mirror"
    key = Key(ONE_OF_THREE.model, ONE_OF_THREE.key)
    refused(rf"symmetry 1 \(mirror\) .*{sentence}", closure, key, [symmetry], raises=WrongSymmetryError)


def test_a_permutation_that_tears_variables_apart() -> None:
    two = puzzle(dict.fromkeys("ab", (0, 2)))
    swap = {("a", 0): ("b", 1), ("b", 1): ("a", 0)}
    group = closure(Key(two.model, two.key), [lambda *literal: swap.get(literal, literal)])
    refused("two values", group.images, (0, 3), raises=WrongSymmetryError)


def test_a_group_that_is_too_large() -> None:
    nine = puzzle(dict.fromkeys(range(9), BOOLEAN))
    symmetries: list[Symmetry] = [swapping(0, 1), lambda n, value: ((n + 1) % 9, value)]
    refused("more than 40320 elements", closure, Key(nine.model, nine.key), symmetries)


def test_images_agree_with_permuting_by_hand() -> None:
    def renamed(names: Sequence[str]) -> Symmetry:
        return lambda label, value: (dict(zip("abc", names, strict=True))[label], value)

    group = closure(Key(ONE_OF_THREE.model, ONE_OF_THREE.key), list(map(renamed, permutations("abc"))))
    assert group.order == 6
    assert group.images((2,)) == [(0,), (2,), (4,)]
    assert group.images((0, 4)) == [(0, 2), (0, 4), (2, 4)]


@pytest.mark.parametrize("symmetry", ["declared", "found"])
def test_symmetries_of_too_many_values_are_refused_at_once(symmetry: Any) -> None:
    wide = puzzle(
        {"x": (0, 10**10), "y": (0, 10**10)}, lambda m, x, y: m.add(x + y <= 1), symmetries=[swapping("x", "y")]
    )
    began = time.perf_counter()
    refused("the key has 20000000002 literals, too many for its symmetries", solve, wide, symmetry=symmetry)
    assert time.perf_counter() - began < 2
    result = solve(wide, symmetry="none", jobs=1)
    assert sorted((solution["x"], solution["y"]) for solution in result) == [(0, 0), (0, 1), (1, 0)]


def test_a_wide_key_without_symmetries_is_left_as_it_is() -> None:
    """Without a list of its 2^40 values."""
    wide = puzzle({"w": (0, 2**40)})
    group = closure(Key(wide.model, wide.key), ())
    assert isinstance(wide.model, CpModel)
    assert for_search(wide.model, group, is_cover=False, stop=Event()).model is wide.model
    assert str(break_symmetry(wide.model, group).proto) == str(wide.model.proto)


@pytest.mark.parametrize("fixed", [0, 1])
def test_a_sum_of_a_variable_that_is_fixed(fixed: int) -> None:
    """It is an integer of one value, so it has no negation that could be chosen."""
    summed = puzzle(
        {**dict.fromkeys("xyz", BOOLEAN), "alone": (fixed, fixed)},
        lambda m, x, y, z, alone: m.add(x + y + alone == 1),
        lambda m, x, y, z, alone: m.add(alone == fixed),
        symmetries=[swapping("x", "y")],
    )
    orbits_left(summed.model, summed.key, summed.symmetries)  # type: ignore[arg-type]
    for symmetry in ("declared", "found", "none"):
        assert solve(summed, symmetry=symmetry, jobs=1).report.total == (2 if fixed else 4)
