"""Groups that are too large to list: the same counts as by listing, and those that are known."""

from collections.abc import Sequence
from itertools import permutations, product
from math import factorial, prod
from random import Random
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from models.puzzle import Puzzle
from solvers import solve
from solvers.checks.constraints import intervals
from solvers.symmetry import automorphisms, large_group
from solvers.symmetry.schreier_sims import Chain
from tests.support import random_models, symmetric
from tests.support.bliss import InThisProcess

MOST_ASSIGNMENTS = 5_000


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automorphisms, "Bliss", InThisProcess)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_ways_give_the_same(data: st.DataObject) -> None:
    model = data.draw(random_models.models(random_models.KINDS))
    sizes = [sum(high - low + 1 for low, high in intervals(variable.domain)) for variable in model.proto.variables]
    assume(prod(sizes) <= MOST_ASSIGNMENTS)
    assume(not model.validate())
    variables = data.draw(random_models.keys(model))
    key = {f"v{n}": model.get_int_var_from_proto_index(n) for n in variables}
    puzzle = Puzzle("random", {}, model, key)
    options: dict[str, Any] = {"symmetry": "found", "jobs": 1}
    backend = data.draw(st.sampled_from(["sat", "cp-sat", "cp"]))
    with pytest.MonkeyPatch.context() as patch:
        listed = solve(puzzle, backend="sat", **options)
        assume(listed.report.symmetries != 1)
        patch.setattr(large_group, "MOST_LISTED", 0)
        large = solve(puzzle, backend=backend, **options)
        every = solve(puzzle, backend=backend, all=True, **options)
    expected = (listed.solutions, listed.total, listed.report.symmetries)
    assert (large.solutions, large.total, large.report.symmetries) == expected
    assert (every.solutions, every.total, every.report.symmetries) == expected
    assert large[:] == every[:]
    assert sorted(map(str, large.in_all())) == sorted(map(str, listed.in_all()))


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_orders_are_those_of_the_listed_group(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    generators = data.draw(st.lists(st.permutations(range(size)), min_size=1, max_size=3))
    arrays = [np.array(generator, dtype=np.int32) for generator in generators]
    elements = {tuple(range(size))}
    waiting = list(elements)
    while waiting:
        element = waiting.pop()
        for generator in generators:
            product = tuple(generator[point] for point in element)
            if product not in elements:
                elements.add(product)
                waiting.append(product)
    chain = Chain(arrays, None, Event())
    assert chain.order == len(elements)
    drawn = {tuple(chain.draw(Random(seed), size).tolist()) for seed in range(40 * len(elements))}
    assert drawn <= elements
    assert len(drawn) > 0.9 * len(elements)


LATIN = "OEIS A003090 (paratopy), A002860 (in all)"
ISOTOPY = "OEIS A040082 (isotopy), A002860 (in all)"
SUDOKUS = "OEIS A107739 (in all), A109741 (up to symmetry)"
SHIDOKU = "E. Russell, F. Jarvis, 28,200,960 and 49 of 2x3 blocks; OEIS A291188"
STEINER = "C. J. Colbourn, A. Rosa, Triple Systems (1999); OEIS A030129, A030128"
FACTORS = "OEIS A000474 (up to symmetry), A000438 (in all, factors without names)"
COLOURS = "the chromatic polynomial (in all), Burnside's lemma by brute force (up to symmetry)"
BRUTE = "brute force in this file"
QUEENS = "OEIS A002562, A000170"


class Known(NamedTuple):
    """What a complete run has to say."""

    puzzle: Puzzle
    backends: str
    solutions: int
    total: int
    symmetries: int
    source: str
    symmetry: str = "found"

    def __str__(self) -> str:
        return f"{self.puzzle.name} {self.puzzle.parameters}".replace("'", "")


ALL = "sat cp-sat cp cover"
GENERAL = "sat cp-sat cp"

KNOWN = [
    *(
        Known(symmetric.latin(order), ALL, solutions, total, 6 * factorial(order) ** 3, LATIN)
        for order, solutions, total in ((3, 1, 12), (4, 2, 576), (5, 2, 161280))
    ),
    *(
        Known(symmetric.latin_by_integers(order), GENERAL, 2, total, 6 * factorial(order) ** 3, LATIN)
        for order, total in ((4, 576), (5, 161280))
    ),
    Known(symmetric.latin(4, isotopy=True), ALL, 2, 576, 24**3, ISOTOPY, "declared"),
    Known(symmetric.latin(5, isotopy=True), "sat cover", 2, 161280, 120**3, ISOTOPY, "declared"),
    Known(symmetric.sudoku(2, 2), ALL, 2, 288, 3072, SUDOKUS),
    Known(symmetric.steiner(7), ALL, 1, 30, factorial(7), STEINER),
    Known(symmetric.steiner(9), ALL, 1, 840, factorial(9), STEINER),
    Known(symmetric.one_factorisation(6), GENERAL, 1, 6 * factorial(5), factorial(6) * factorial(5), FACTORS),
    Known(symmetric.colouring(symmetric.PETERSEN, 3), GENERAL, 1, 120, 120 * 6, COLOURS),
    Known(symmetric.colouring(symmetric.PETERSEN, 4), GENERAL, 11, 12960, 120 * 24, COLOURS),
    Known(symmetric.colouring(symmetric.K33, 9), GENERAL, 6, 187560, 72 * factorial(9), COLOURS),
    Known(symmetric.golfers(3, 2, 3), GENERAL, 2, 103680, 933120, BRUTE),
    Known(symmetric.queens(6), GENERAL, 1, 4, 8, QUEENS),
    Known(symmetric.queens(8), "cp-sat", 12, 92, 8, QUEENS),
]

LARGER = [
    Known(symmetric.latin(6), "sat cover", 12, 812851200, 6 * 720**3, LATIN),
    Known(symmetric.latin(6, isotopy=True), "cover", 22, 812851200, 720**3, ISOTOPY, "declared"),
    Known(symmetric.sudoku(2, 3), "sat cover", 49, 28200960, 2488320, SHIDOKU),
    Known(symmetric.steiner(13), "cover", 2, 1197504000, factorial(13), STEINER),
    Known(symmetric.one_factorisation(8), "cp-sat sat", 6, 6240 * factorial(7), factorial(8) * factorial(7), FACTORS),
]


def cases(known: Sequence[Known]) -> list[Any]:
    return [pytest.param(one, backend, id=f"{one} {backend}") for one in known for backend in one.backends.split()]


def holds(known: Known, backend: str, jobs: int) -> None:
    result = solve(known.puzzle, backend=backend, symmetry=known.symmetry, jobs=jobs)
    report = result.report
    assert (report.complete, report.symmetry_proved, report.repeats) == (True, True, 0)
    assert (result.solutions, result.total, report.symmetries) == known[2:5]
    assert len(result) == known.solutions


@pytest.mark.parametrize(("known", "backend"), cases(KNOWN))
def test_known_numbers(known: Known, backend: str) -> None:
    holds(known, backend, jobs=1)


@pytest.mark.thorough
@pytest.mark.parametrize(("known", "backend"), cases(LARGER))
def test_larger_known_numbers(known: Known, backend: str) -> None:
    holds(known, backend, jobs=2)


@pytest.mark.parametrize(("edges", "colours"), [(symmetric.PETERSEN, 3), (symmetric.PETERSEN, 4), (symmetric.K33, 4)])
def test_colourings_by_brute_force(edges: list[tuple[int, int]], colours: int) -> None:
    """Colourings up to renaming, one by one, and the orbits of these under the graph's automorphisms."""
    nodes = range(1 + max(map(max, edges)))
    neighbours = {frozenset(edge) for edge in edges}
    partitions: set[frozenset[frozenset[int]]] = set()
    total = 0

    def colour(chosen: list[int]) -> None:
        nonlocal total
        if len(chosen) == len(nodes):
            classes = frozenset(frozenset(n for n in nodes if chosen[n] == c) for c in set(chosen))
            partitions.add(classes)
            total += prod(range(colours, colours - len(classes), -1))
            return
        for c in range(min(colours, len(set(chosen)) + 1)):
            if all(chosen[n] != c for n in range(len(chosen)) if frozenset((n, len(chosen))) in neighbours):
                colour([*chosen, c])

    def automorphisms(images: tuple[int, ...]) -> list[tuple[int, ...]]:
        if len(images) == len(nodes):
            return [images]
        node = len(images)
        return [
            whole
            for image in nodes
            if image not in images
            and all(
                (frozenset((n, node)) in neighbours) == (frozenset((images[n], image)) in neighbours)
                for n in range(node)
            )
            for whole in automorphisms((*images, image))
        ]

    colour([])
    group = automorphisms(())
    orbits = {
        min(tuple(sorted(tuple(sorted(image[n] for n in part)) for part in partition)) for image in group)
        for partition in partitions
    }
    found = solve(symmetric.colouring(edges, colours), symmetry="found", jobs=1)
    assert (found.solutions, found.total) == (len(orbits), total)
    assert found.report.symmetries == len(group) * factorial(colours)


def test_golfers_by_brute_force() -> None:
    """Six golfers play in pairs, three weeks: ways to choose three rounds that share no pair."""
    rounds = {frozenset(frozenset(order[n : n + 2]) for n in (0, 2, 4)) for order in permutations(range(6))}
    schedules = {frozenset(some) for some in product(rounds, repeat=3) if len(frozenset().union(*some)) == 9}
    assert len(schedules) * factorial(3) * factorial(3) ** 3 == 103680

    def least(schedule: frozenset[Any]) -> Any:
        return min(
            sorted(sorted(sorted(order[p] for p in pair) for pair in one) for one in schedule)
            for order in permutations(range(6))
        )

    assert len({str(least(schedule)) for schedule in schedules}) == 2
