"""Groups that are too large to list: the same counts as by listing, and those that are known."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, permutations, product
from math import factorial, prod
from pathlib import Path
from random import Random
from threading import Event
from typing import Any, NamedTuple

import igraph
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, IntVar
from pysat.formula import CNF

from models.puzzle import Puzzle
from solvers import CheckError, InputError, iter_solutions, solve
from solvers.base.tuning import override_tuning
from solvers.extras.shared.large_groups import conjugacy, prefixes
from solvers.extras.shared.large_groups.group import LargeGroup
from solvers.extras.shared.large_groups.schreier_sims import Chain
from solvers.symmetry import automorphisms
from solvers.symmetry.groups import MAX_GROUP_ELEMENTS
from solvers.symmetry.key import Key
from tests.support import random_models, symmetric
from tests.support.classics import PETERSEN
from tests.support.declared import puzzle, swapping
from tests.support.groups import order
from tests.support.own_models import write
from tests.support.tiers import sampled


@pytest.mark.thorough
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_ways_give_the_same(data: st.DataObject) -> None:
    """Most random models have no symmetry, and are passed over."""
    puzzle = random_models.random_puzzle(data.draw(st.integers(0, 2**30)))
    random_models.assume_small(puzzle.model)
    options: dict[str, Any] = {"symmetry": "found", "jobs": 1}
    backend = data.draw(st.sampled_from(["sat", "cp-sat", "cp"]))
    listed = solve(puzzle, backend="sat", **options)
    assume(listed.report.symmetries != 1)
    with override_tuning(max_listed_elements=0):
        large = solve(puzzle, backend=backend, **options)
        every = solve(puzzle, backend=backend, unbroken=True, **options)
    expected = (listed.solutions, listed.total, listed.report.symmetries)
    assert (large.solutions, large.total, large.report.symmetries) == expected
    assert (every.solutions, every.total, every.report.symmetries) == expected
    assert large[:] == every[:]
    assert sorted(map(str, large.in_all())) == sorted(map(str, listed.in_all()))


@pytest.mark.thorough
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_orders_are_those_of_the_listed_group(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 5))
    generators = data.draw(st.lists(st.permutations(range(size)), min_size=1, max_size=3))
    elements, more = set[tuple[int, ...]](), {tuple(range(size))}
    while more:
        elements |= more
        more = {tuple(own[point] for point in one) for one in more for own in generators} - elements
    chain = Chain([np.array(generator, dtype=np.int32) for generator in generators], None, Event())
    assert chain.order == len(elements)
    drawn = {tuple(chain.draw(Random(seed), size).tolist()) for seed in range(10 * len(elements))}
    assert drawn <= elements
    assert len(drawn) > 0.9 * len(elements)


class Known(NamedTuple):
    """What a complete run has to say."""

    puzzle: Puzzle
    backends: str
    solutions: int
    total: int
    symmetries: int
    symmetry: Any = "found"

    def __str__(self) -> str:
        return f"{self.puzzle.name} {self.puzzle.parameters}".replace("'", "")


ALL = "sat cp-sat cp cover"
GENERAL = "sat cp-sat cp"

KNOWN = [
    # OEIS A003090 (paratopy), A002860 (in all)
    *(
        Known(symmetric.latin(order), ALL, solutions, total, 6 * factorial(order) ** 3)
        for order, solutions, total in ((3, 1, 12), (4, 2, 576), (5, 2, 161280))
    ),
    *(
        Known(symmetric.latin_by_integers(order), GENERAL, 2, total, 6 * factorial(order) ** 3)
        for order, total in ((4, 576), (5, 161280))
    ),
    # OEIS A040082 (isotopy), A002860 (in all)
    Known(symmetric.latin(4, isotopy=True), ALL, 2, 576, 24**3, "declared"),
    Known(symmetric.latin(5, isotopy=True), "sat cover", 2, 161280, 120**3, "declared"),
    # OEIS A107739 (in all), A109741 (up to symmetry)
    Known(symmetric.sudoku(2, 2), ALL, 2, 288, 3072),
    # C. J. Colbourn, A. Rosa, Triple Systems (1999); OEIS A030129, A030128
    Known(symmetric.steiner(7), ALL, 1, 30, factorial(7)),
    Known(symmetric.steiner(9), ALL, 1, 840, factorial(9)),
    # OEIS A000474 (up to symmetry), A000438 (in all, factors without names)
    Known(symmetric.one_factorisation(6), GENERAL, 1, 6 * factorial(5), factorial(6) * factorial(5)),
    # The chromatic polynomial (in all), Burnside's lemma by brute force (up to symmetry)
    Known(symmetric.colouring(PETERSEN, 3), GENERAL, 1, 120, 120 * 6),
    Known(symmetric.colouring(PETERSEN, 4), GENERAL, 11, 12960, 120 * 24),
    Known(symmetric.colouring(symmetric.K33, 9), GENERAL, 6, 187560, 72 * factorial(9)),
    # Brute force, below
    Known(symmetric.golfers(3, 2, 3), GENERAL, 2, 103680, 933120),
    # OEIS A002562, A000170
    Known(symmetric.queens(6), GENERAL, 1, 4, 8),
    Known(symmetric.queens(8), "cp-sat", 12, 92, 8),
]

LARGER = [
    Known(symmetric.one_factorisation(8), "cp-sat", 6, 6240 * factorial(7), factorial(8) * factorial(7)),
]


def cases(known: Sequence[Known], marks: Any = ()) -> list[Any]:
    return [
        pytest.param(number, backend, id=f"{number} {backend}", marks=marks)
        for number in known
        for backend in number.backends.split()
    ]


@pytest.mark.parametrize(
    ("known", "backend"),
    [*sampled(cases(KNOWN)[::2], 7), *cases(LARGER, pytest.mark.thorough)],
)
def test_known_numbers(known: Known, backend: str) -> None:
    result = solve(known.puzzle, backend=backend, symmetry=known.symmetry, jobs=1 if known.total < 10**6 else 2)
    report = result.report
    assert (report.complete, report.symmetry_proved, report.repeats) == (True, True, 0)
    assert (result.solutions, result.total, report.symmetries) == known[2:5]
    assert len(result) == known.solutions


@pytest.mark.thorough
@pytest.mark.parametrize(
    "known", [known for known in (*KNOWN, *LARGER) if "cover" in known.backends and known.total < 10**8], ids=str
)
def test_known_numbers_by_classes_of_symmetries(known: Known) -> None:
    if not conjugacy.gap_command() and known.symmetries > MAX_GROUP_ELEMENTS:
        pytest.skip("GAP is not installed")
    options: dict[str, Any] = {"symmetry": known.symmetry, "method": "frontier", "count_only": True, "jobs": 2}
    result = solve(known.puzzle, **options)
    assert (result.report.method, result.report.found) == ("frontier", None)
    assert (result.solutions, result.total, result.report.symmetries) == known[2:5]
    assert result.report.statistics["classes"] > 1


@pytest.mark.thorough
def test_classes_that_do_not_add_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Some other program in the place of GAP; and none at all."""
    program = tmp_path / "gap"
    options: dict[str, Any] = {"symmetry": "found", "backend": "cover", "count_only": True, "jobs": 1}
    for prints, error in (("1 [ 1 ]", "not those of the"), ("", "not those of the"), ("$(exit 1)", "GAP failed")):
        program.write_text(f'#!/bin/sh\ncat > /dev/null\necho "{prints}"\nexit {int("exit" in prints)}\n')
        program.chmod(0o755)
        monkeypatch.setattr(conjugacy, "gap_command", lambda: [str(program)])
        with pytest.raises((CheckError, InputError), match=error):
            solve(symmetric.latin(4), method="frontier" if "exit" in prints else None, **options)
    monkeypatch.setattr(conjugacy, "gap_command", list)
    result = solve(symmetric.latin(4), **options)
    assert (result.solutions, result.total, result.report.method) == (2, 576, "listing")


def partitions(edges: list[tuple[int, int]], colours: int, chosen: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Colourings up to renaming, one by one: colours are numbered as they come first."""
    node = len(chosen)
    if node > max(map(max, edges)):
        yield chosen
        return
    taken = {chosen[n] for n in range(node) if {(n, node), (node, n)} & {*edges}}
    for colour in {*range(min(colours, len({*chosen}) + 1))} - taken:
        yield from partitions(edges, colours, (*chosen, colour))


@pytest.mark.thorough
@pytest.mark.parametrize(("edges", "colours"), [(PETERSEN, 3), (PETERSEN, 4), (symmetric.K33, 4)])
def test_colourings_by_brute_force(edges: list[tuple[int, int]], colours: int) -> None:
    """Colourings up to renaming, and the orbits of these under the graph's automorphisms."""
    classes = [
        [[n for n, colour in enumerate(chosen) if colour == c] for c in {*chosen}]
        for chosen in partitions(edges, colours)
    ]
    total = sum(prod(range(colours, colours - len(parts), -1)) for parts in classes)
    group = igraph.Graph(edges).get_automorphisms_vf2()
    orbits = {
        min(tuple(sorted(tuple(sorted(image[n] for n in part)) for part in parts)) for image in group)
        for parts in classes
    }
    found = solve(symmetric.colouring(edges, colours), symmetry="found", jobs=1)
    assert (found.solutions, found.total) == (len(orbits), total)
    assert found.report.symmetries == len(group) * factorial(colours)


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_the_same_solutions_are_shown_on_every_backend() -> None:
    shown = [solve(symmetric.latin(5), backend=name, symmetry="found", jobs=1)[:] for name in ("sat", "cover")]
    every = solve(symmetric.latin(4), backend="cover", symmetry="found", unbroken=True, jobs=1)
    assert shown[0] == shown[1]
    assert every.report.found == every.total == 576
    assert every[:] == solve(symmetric.latin(4), backend="sat", symmetry="found", jobs=1)[:]


@pytest.mark.thorough
def test_what_is_given_shrinks_the_group() -> None:
    options: dict[str, Any] = {"given": {(0, 0, 0): 1, (1, 1, 1): 1}, "backend": "cover", "jobs": 1}
    free, held = (solve(symmetric.latin(4), symmetry=name, **options) for name in ("none", "found"))
    assert held.total == free.total
    assert held.report.symmetries in range(2, 82944)
    for most in (0, 1000):  # a subgroup that is told, and one that is listed
        with override_tuning(max_listed_elements=most):
            held = solve(symmetric.latin(4, isotopy=True), given=["(0, 0, 0)=1"], backend="cover", jobs=1)
        assert (held.solutions, held.total, held.report.symmetries) == (2, 576 // 4, 6**3)


@pytest.mark.thorough
def test_which(tmp_path: Path) -> None:
    puzzle = symmetric.latin(4)
    found = solve(puzzle, symmetry="found", jobs=1)
    cells = [((r, c, (r + c) % 4), 1) for r in range(4) for c in range(4)]
    drawn = write(tmp_path / "drawn", json.dumps(cells) + "\n")
    which: Any = solve(puzzle, symmetry="found", which=drawn, jobs=1).report.which
    question: Any = found._question
    cyclic = [question.group.orbit_size(one) for one in found._encoded].index(432) + 1
    assert (which["solution"], which["number"]) == (True, cyclic)


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["sat"])
def test_a_store_is_gone_on_with(backend: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"symmetry": "found", "store": tmp_path / "store", "jobs": 1}
    puzzle = symmetric.latin(4)
    with iter_solutions(puzzle, backend=backend, **options) as solutions:
        next(solutions)
    resumed, again = (solve(puzzle, backend=backend, **options) for _ in range(2))
    for result in (resumed, again):
        assert (result.solutions, result.total, result.complete) == (2, 576, True)
    assert again[:] == resumed[:]
    assert sum(again.report.resumed.values()) == again.report.cubes


@pytest.mark.thorough
def test_executors() -> None:
    with ThreadPoolExecutor(2) as executor:
        result = solve(symmetric.latin(4), symmetry="found", backend="cover", executor=executor, jobs=2)
    assert (result.solutions, result.total) == (2, 576)


@pytest.mark.thorough
def test_collisions_of_hashes_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two orbits for one, or two solutions for one: then the sizes of orbits contradict the weights of cases."""
    with monkeypatch.context() as patch:
        patch.setattr(Key, "digests", lambda _, solutions: [b"1" * 16] * len(solutions))
        with pytest.raises(CheckError, match="solutions were found, from which"):
            solve(symmetric.latin(4), symmetry="found", backend="cover", jobs=1)
    monkeypatch.setattr(LargeGroup, "forms", lambda _, solutions: (b"1" * 16 for _ in solutions))
    for every in (False, True):
        with pytest.raises(CheckError, match="solutions"):
            solve(symmetric.sudoku(2, 2), symmetry="found", backend="cover", jobs=1, unbroken=every)


@pytest.mark.thorough
def test_declared_symmetries_that_move_what_is_fixed() -> None:
    names = "abcdefg"
    cycle = dict(zip(names, names[1:] + names[0], strict=True))
    symmetries = [lambda label, value: (cycle[label], value), swapping("a", "b")]
    result = solve(puzzle(dict.fromkeys(names, (0, 0)), symmetries=symmetries), backend="sat", jobs=1)
    assert (result.total, result.solutions, result.report.symmetries) == (1, 1, 5040)


@pytest.mark.thorough
def test_declared_symmetries_that_cannot_be_told() -> None:
    def named(*images: int) -> Any:
        return lambda node, colour: (node, images[colour - 1])

    puzzle = symmetric.colouring(symmetric.K33, 9)
    turn = named(2, 3, 4, 5, 6, 7, 8, 9, 1)
    every, even = [turn, named(2, 1, 3, 4, 5, 6, 7, 8, 9)], [turn, named(2, 3, 1, 4, 5, 6, 7, 8, 9)]
    result = solve(replace(puzzle, symmetries=every), jobs=1)
    assert (result.report.symmetries, result.total) == (factorial(9), 187560)
    assert result.solutions == len([*partitions(symmetric.K33, 9)])
    with pytest.raises(InputError, match=r"181440 declared symmetries .* shows 362880 that have the same orbits"):
        solve(replace(puzzle, symmetries=even), jobs=1)
    puzzle.model.add(puzzle.key[0] <= puzzle.key[1])
    with pytest.raises(InputError, match=r"362880 declared symmetries"):
        solve(replace(puzzle, symmetries=every), jobs=1)


@pytest.mark.parametrize("seed", sampled(range(3), 3))
def test_values_that_never_occur_are_worth_no_case(seed: int) -> None:
    """Three hidden variables of two values differ if a value is 3 or more: only a search shows that none is."""
    chance = Random(seed)
    pairs = [pair for pair in combinations(range(5), 2) if chance.random() < 0.5]

    def pigeons(model: CpModel, *x: IntVar) -> None:
        *holes, is_great = [model.new_bool_var("") for _ in range(4)]
        for one in x:
            model.add(one < 3).only_enforce_if(~is_great)
        model.add_bool_and(holes).only_enforce_if(~is_great)
        for first, second in combinations(holes, 2):
            model.add(first != second).only_enforce_if(is_great)

    rules = (lambda model, *x, a=a, b=b: model.add(x[a] != x[b]) for a, b in pairs)
    coloured = puzzle(dict.fromkeys(range(5), (0, 8)), pigeons, *rules)
    group = LargeGroup(
        automorphisms.find_automorphism_group(coloured.model, Key(coloured.model, coloured.key), Event())
    )
    cases = prefixes.FixedPrefixes(coloured.model, group, Event())
    group.dismiss()
    assert not any(group.key.literal(literal)[1] > 2 for case in cases._cases for literal in case.literals)
    expected = sum(all(x[a] != x[b] for a, b in pairs) for x in product(range(3), repeat=5))
    with override_tuning(max_listed_elements=0):
        assert solve(coloured, symmetry="found", jobs=1, backend="sat").total == expected


@pytest.mark.thorough
def test_marginals_where_a_literal_is_carried_to_its_negation() -> None:
    """Six variables are free, so each may be turned round."""
    model = CNF(from_clauses=[[7, 3, -2]])
    model.nv = 9
    puzzle = Puzzle("free", {}, model, {number: number for number in range(1, 10)}, [])
    found, plain = (solve(puzzle, symmetry=name, marginals=True, jobs=1) for name in ("found", "none"))
    assert found.report.total == plain.report.total == 448
    assert found.marginals == plain.marginals


@pytest.mark.thorough
def test_representatives_are_not_called_all() -> None:
    """Of nine different numbers one order stands for all of them."""
    alike = puzzle(dict.fromkeys(range(9), (0, 8)), lambda m, *x: m.add_all_different(x))
    rows = dict(solve(alike, symmetry="found", jobs=1).report.rows())
    assert rows["solutions and images checked"].endswith(", standing for 362880; generators proved")
    assert rows["evidence"] == "representatives checked"


def test_known_orders() -> None:
    """6 * 3!^3: rows, columns and symbols, and their roles."""
    assert order(symmetric.latin_by_integers(3)) == 1296
