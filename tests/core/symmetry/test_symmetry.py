"""Groups, orbits and symmetry breaking: exactly one solution of each orbit, whatever the group."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain, IntVar

from models.boards import grid
from models.puzzle import Puzzle, Symmetry
from solvers import solve
from solvers.base.errors import WrongSymmetryError
from solvers.base.tuning import override_tuning
from solvers.symmetry import breaking
from solvers.symmetry.breaking import Broken, break_symmetry, for_search
from solvers.symmetry.groups import ListedGroup
from solvers.symmetry.key import Encoded, Key
from tests.support import symmetric
from tests.support.backends import GENERAL
from tests.support.command import on_this_load
from tests.support.declared import BOOLEAN, declared, puzzle, swapping
from tests.support.enumerate import all_solutions
from tests.support.groups import closure, group_of
from tests.support.puzzles import model_of
from tests.support.random_models import literal_permutation
from tests.support.refusals import refused
from tests.support.sudoku import sudoku


def orbits_left(asked: Puzzle) -> None:
    """Assert that of each orbit of solutions exactly one is left, visited once."""
    model, group = model_of(asked), group_of(asked)
    everything = visited(model, group.key)
    orbits = {frozenset(group.images(solution)) for solution in everything}
    assert frozenset().union(*orbits) == everything.keys(), "the model is not closed under its symmetries"
    left = visited(break_symmetry(model, group), group.key)
    assert set(left.values()) <= {1}, "an added variable is not determined by the key"
    assert [len(orbit & left.keys()) for orbit in orbits] == [1] * len(orbits)


def encoded(key: Key, values: Sequence[int]) -> Encoded:
    everywhere = dict(zip(key.variables, values, strict=True))
    return key.encode([everywhere.get(index, 0) for index in range(max(key.variables) + 1)])


def visited(model: CpModel, key: Key) -> Counter[Encoded]:
    """How often each solution is visited."""
    variables = [model.get_int_var_from_proto_index(index) for index in key.variables]
    return Counter({encoded(key, values): times for values, times in all_solutions(model, variables).items()})


@st.composite
def closed_models(draw: Callable[..., Any]) -> Puzzle:
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
    orbits = dict.fromkeys(tuple(group.images(encoded(key, values))) for values in product(*domains))
    allowed = [key.values(image) for orbit in orbits if draw(st.booleans()) for image in orbit]
    model.add_allowed_assignments(list(variables.values()), allowed)
    return Puzzle("closed", {}, model, variables, symmetries)


def _literal(key: Key, variables: Mapping[str, IntVar], number: int) -> Any:
    position, value = key.literal(number)
    variable = variables[str(key.labels[position])]
    return variable if value else ~variable


@pytest.mark.thorough
@settings(max_examples=35, deadline=None)
@given(closed_models())
def test_one_solution_of_each_orbit(asked: Puzzle) -> None:
    orbits_left(asked)


def turned_queens(order: int) -> Puzzle:
    """A turn of the board carries a queen's column to a row."""
    last = order - 1
    turns: list[Symmetry] = [lambda column, r: (r, last - column), lambda column, r: (last - column, r)]
    return replace(symmetric.queens(order), symmetries=turns)


def turned_corners(turn: grid.Turn) -> Symmetry:
    return lambda label, value: ((label[0], turn(label[1])), value)


def place_king_and_queens(m: CpModel, *pieces: IntVar) -> None:
    kings, queens = pieces[:4], pieces[4:]
    m.add_exactly_one(kings)
    m.add(sum(queens) == 2)
    for king, queen in zip(kings, queens, strict=True):
        m.add_at_most_one(king, queen)


CLOSED = {
    **{f"{order} queens": turned_queens(order) for order in range(1, 7)},
    "names of like values": puzzle(
        dict.fromkeys("abcd", (0, 3)),
        lambda m, *colours: m.add_all_different(colours),
        symmetries=[lambda thing, c: (thing, {0: 1, 1: 0}.get(c, c)), lambda thing, c: (thing, (c + 1) % 4)],
    ),
    "things of two kinds that differ from their own": puzzle(
        dict.fromkeys("abAB", (0, 2)),
        lambda m, a, b, *_: m.add_all_different(a, b),
        lambda m, *things: m.add_all_different(things[2:]),
        symmetries=[lambda label, value: (label.swapcase(), value)],
    ),
    # Two queens of one colour and a king on the corners of a square: the king's own mirror axis remains.
    "stabilisers of chosen literals": puzzle(
        dict.fromkeys(product(("king", "queen"), product(range(2), repeat=2)), BOOLEAN),
        place_king_and_queens,
        symmetries=[turned_corners(turn) for turn in grid.symmetries(grid.box(2, 2))[1:]],
    ),
}


@pytest.mark.parametrize("asked", CLOSED.values(), ids=CLOSED)
def test_one_solution_of_each_orbit_of_puzzles(asked: Puzzle) -> None:
    orbits_left(asked)


def members_are_left(group: ListedGroup, model: CpModel, broken: Broken, left: Collection[Encoded]) -> None:
    """Assert that of each orbit of a model's solutions one is left, or some that together stand for all of it."""
    for orbit in {tuple(group.images(solution)) for solution in visited(model, group.key)}:
        there = [solution for solution in orbit if solution in left]
        assert (
            len(there) == 1
            if broken.stands_for is None
            else broken.stands_for(group.key.literal_rows([*there])) == len(orbit)
        )


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(closed_models(), st.integers(0, 12))
def test_constraints_for_a_part_of_the_group(asked: Puzzle, comparisons: int) -> None:
    model, group = model_of(asked), group_of(asked)
    with override_tuning(max_lex_leader_comparisons=comparisons, lex_leader_comparisons_per_row=0):
        broken = breaking.by_constraints(model, group)
    left = visited(broken.model, group.key)
    assert set(left.values()) <= {1}, "an added variable is not determined by the key"
    members_are_left(group, model, broken, left)


def test_elements_that_move_the_fewest_literals_are_led() -> None:
    """Four things, of which any two may change places: six comparisons sort them, which leaves one of each orbit."""
    turn: Symmetry = lambda n, value: ((n + 1) % 4, value)  # noqa: E731
    four = puzzle(dict.fromkeys(range(4), (0, 2)), symmetries=[swapping(0, 1), turn])
    model, group = model_of(four), group_of(four)
    with override_tuning(max_lex_leader_comparisons=6, lex_leader_comparisons_per_row=0):
        broken = breaking.by_constraints(model, group)
    assert len(visited(broken.model, group.key)) == 15


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("points", "count", "backend"),
    [
        (4, 11, "cover"),
        (5, 34, "cp"),
        (5, 34, "cp-sat"),
        (5, 34, "sat"),
        (6, 156, "sat"),
    ],
)
def test_graphs_up_to_isomorphism(points: int, count: int, backend: str) -> None:
    """OEIS A000088."""
    result = solve(symmetric.graphs(points), backend=backend, jobs=1)
    assert (result.solutions, result.total) == (count, 2 ** (points * (points - 1) // 2))
    assert backend == "cover" or (result.report.found or 0) <= 1.2 * count


@pytest.mark.thorough
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


@pytest.mark.parametrize("backend", GENERAL)
def test_a_choice_with_a_variable_that_is_fixed(backend: str) -> None:
    fixed = puzzle(
        {"a": BOOLEAN, "b": BOOLEAN, "fixed": (1, 1)},
        lambda m, a, b, fixed: m.add_exactly_one(a, b, ~fixed),
        symmetries=[swapping("a", "b")],
    )
    result = solve(fixed, backend=backend, jobs=1)
    assert (result.total, result.solutions) == (2, 1)
    refused("it counts negated variables", solve, fixed, backend="cover", jobs=1)


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
    refused(rf"symmetry 1 \(mirror\) .*{sentence}", group_of, ONE_OF_THREE, symmetry, raises=WrongSymmetryError)


def test_a_permutation_that_tears_variables_apart() -> None:
    swap = {("a", 0): ("b", 1), ("b", 1): ("a", 0)}
    group = group_of(puzzle(dict.fromkeys("ab", (0, 2)), symmetries=[lambda *one: swap.get(one, one)]))
    refused("two values", group.images, (0, 3), raises=WrongSymmetryError)


def test_a_group_that_is_too_large() -> None:
    turned: Symmetry = lambda n, value: ((n + 1) % 9, value)  # noqa: E731
    nine = puzzle(dict.fromkeys(range(9), BOOLEAN), symmetries=[swapping(0, 1), turned])
    refused("more than 40320 elements", group_of, nine)


def test_images_agree_with_permuting_by_hand() -> None:
    def renamed(names: Sequence[str]) -> Symmetry:
        return lambda label, value: (dict(zip("abc", names, strict=True))[label], value)

    group = group_of(ONE_OF_THREE, *map(renamed, permutations("abc")))
    assert group.order == 6
    assert group.images((2,)) == [(0,), (2,), (4,)]
    assert group.images((0, 4)) == [(0, 2), (0, 4), (2, 4)]


@pytest.mark.parametrize(("variables", "width"), [(1, 1), (127, 1), (128, 2)])
def test_literals_are_packed_into_few_bytes(variables: int, width: int) -> None:
    model = declared([BOOLEAN] * variables)
    key = Key(model, dict(enumerate(range(variables))))
    solution = key.encode([1] * variables)
    assert (len(key.pack(solution)), key.unpack(key.pack(solution))) == (width * variables, solution)
    packed = key.pack_rows(key.literal_rows([solution, (), solution[:1]]))
    assert packed == [key.pack(solution), b"", key.pack(solution[:1])]
    assert key.unpack_all(packed) == [solution, (), solution[:1]]


@pytest.mark.parametrize("symmetry", ["declared", "found"])
def test_symmetries_of_too_many_values_are_refused_at_once(symmetry: Any) -> None:
    wide = puzzle(
        {"x": (0, 10**10), "y": (0, 10**10)}, lambda m, x, y: m.add(x + y <= 1), symmetries=[swapping("x", "y")]
    )
    began = time.perf_counter()
    refused("the key has 20000000002 literals, too many for its symmetries", solve, wide, symmetry=symmetry)
    assert time.perf_counter() - began < on_this_load(2)
    result = solve(wide, symmetry="none", jobs=1)
    assert sorted((solution["x"], solution["y"]) for solution in result) == [(0, 0), (0, 1), (1, 0)]


def test_a_wide_key_without_symmetries_is_left_as_it_is() -> None:
    """Without a list of its 2^40 values."""
    wide = puzzle({"w": (0, 2**40)})
    model, group = model_of(wide), group_of(wide)
    assert for_search(model, group, is_cover=False, stop=Event()).model is model
    assert str(break_symmetry(model, group).proto) == str(model.proto)


@pytest.mark.parametrize("fixed", [0, 1])
def test_a_sum_of_a_variable_that_is_fixed(fixed: int) -> None:
    """It is an integer of one value, so it has no negation that could be chosen."""
    summed = puzzle(
        {**dict.fromkeys("xyz", BOOLEAN), "alone": (fixed, fixed)},
        lambda m, x, y, z, alone: m.add(x + y + alone == 1),
        lambda m, x, y, z, alone: m.add(alone == fixed),
        symmetries=[swapping("x", "y")],
    )
    orbits_left(summed)
    for symmetry in ("declared", "found", "none"):
        assert solve(summed, symmetry=symmetry, jobs=1).report.total == (2 if fixed else 4)
