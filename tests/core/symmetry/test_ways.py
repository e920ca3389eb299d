"""Every way to break symmetry leads to the same counts."""

import random
from itertools import product
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.options import BREAKINGS
from tests.support import symmetric
from tests.support.command import RUN, refusal, report_of, run

Permutation = tuple[int, ...]


def closure(generators: list[Permutation]) -> set[Permutation]:
    """All products of some permutations."""
    elements = {tuple(range(len(generators[0])))}
    while new := {tuple(e[p] for p in g) for e in elements for g in generators} - elements:
        elements |= new
    return elements


class RandomModel:
    """A small model with rules that are closed under random permutations of its variables."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.size = chance.randint(4, 5)
        generators = [tuple(chance.sample(range(self.size), self.size)) for _ in range(chance.randint(1, 2))]
        self.elements, self.generators = closure(generators), generators
        self.top = chance.choice((1, 1, 2))
        self.choices, self.clauses = set[frozenset[int]](), set[frozenset[tuple[int, int]]]()
        for _ in range(chance.randint(0, 2)):
            cells = chance.sample(range(self.size), chance.randint(2, self.size))
            self.choices |= {frozenset(e[cell] for cell in cells) for e in self.elements}
        for _ in range(chance.randint(0, 3)):
            clause = [(chance.randrange(self.size), chance.randint(0, self.top)) for _ in range(3)]
            self.clauses |= {frozenset((e[cell], value) for cell, value in clause) for e in self.elements}
        if self.top > 1:
            self.choices = set()

    def puzzle(self) -> Puzzle:
        """The puzzle that declares it, with a hidden variable."""
        model = CpModel()
        x: dict[Any, Any] = {n: model.new_int_var(0, self.top, f"x{n}") for n in range(self.size)}
        if self.top == 1:
            x = {n: model.new_bool_var(f"x{n}") for n in range(self.size)}
        hidden = model.new_int_var(0, self.size * self.top, "hidden")
        model.add(hidden == sum(x.values()))
        for choice in self.choices:
            model.add_exactly_one(x[n] for n in choice)
        for clause in self.clauses:
            literals = []
            for n, value in clause:
                literal = model.new_bool_var("")
                model.add(x[n] != value).only_enforce_if(literal)
                model.add(x[n] == value).only_enforce_if(~literal)
                literals.append(literal)
            model.add_bool_or(literals)
        symmetries = [lambda n, value, g=g: (g[n], value) for g in self.generators]
        return Puzzle("random", {}, model, x, symmetries)

    def counts(self) -> tuple[int, int]:
        """The solutions up to symmetry and in all, found among all assignments."""
        solutions = {
            values
            for values in product(range(self.top + 1), repeat=self.size)
            if all(sum(values[n] for n in choice) == 1 for choice in self.choices)
            if all(any(values[n] != value for n, value in clause) for clause in self.clauses)
        }
        orbits = {min(tuple(values[e[n]] for n in range(self.size)) for e in self.elements) for values in solutions}
        return len(orbits), len(solutions)


def check_ways(seed: int) -> int:
    """Hold each way against the count; return the number of those that were taken."""
    model, taken = RandomModel(seed), 0
    for place, way in enumerate(BREAKINGS):
        backend = ("cp-sat", "sat", "cp", "clasp")[(seed + place) % 4]
        try:
            result = solve(model.puzzle(), breaking=way, backend=backend, jobs=1)
        except InputError:
            assert way == "cases"
            with pytest.raises(InputError, match="needs a rule that exactly one of some Booleans is true"):
                solve(model.puzzle(), breaking=way)
            continue
        assert (result.solutions, result.total) == model.counts(), (seed, way, backend)
        met = result.report.found
        assert met == (result.total if way == "none" else result.solutions if way == "lex-leader" else met)
        taken += 1
    return taken


def test_random_models() -> None:
    assert {check_ways(seed) for seed in range(3)} == {4, 5}


@pytest.mark.thorough
def test_many_random_models() -> None:
    for seed in range(100, 110):
        check_ways(seed)


def test_an_exact_cover() -> None:
    words = ("packing", "--board", "4x4", "--pieces", "dominoes x*", "--jobs", "1", "--breaking")
    for way in BREAKINGS:
        report = report_of(*words, way, "--count-only")
        assert (report["breaking"], report["solutions"], report["total"]) == (way, 9, 36)
    assert "broken by                   generators" in run(RUN, *words, "generators").stdout
    constraints = (
        "adds constraints, so the model is no exact cover; choose another backend than cover, or --breaking cases"
    )
    assert refusal(*words, "lex-leader", "--backend", "cover") == f"--breaking lex-leader {constraints}"
    assert "needs a rule that exactly one of some Booleans" in refusal("magic", "--breaking", "cases")
    assert "is for a search" in refusal(*words, "cases", "--count-only", "--method", "frontier")


def test_a_store_belongs_to_a_way(tmp_path: Any) -> None:
    words = ("queens", "--n", "6", "--jobs", "1", "--backend", "sat", "--store", str(tmp_path / "run.db"), "--breaking")
    assert report_of(*words, "generators")["total"] == 4
    assert report_of(*words, "generators")["resumed"]
    assert run(RUN, *words, "lex-leader").returncode == 2


def test_a_large_group() -> None:
    with pytest.raises(InputError, match="82944 are too many; choose breaking='auto' or none"):
        solve(symmetric.latin(4), symmetry="found", breaking="generators", jobs=1)
    assert solve(symmetric.latin(4), symmetry="found", breaking="none", backend="sat", jobs=1).total == 576
