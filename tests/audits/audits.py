"""Small models with breakings of symmetry, and verdicts on these by all permutations of all literals."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any, NamedTuple

import igraph
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle

Values = tuple[Any, ...]
Condition = tuple[str, Callable[[Sequence[Any]], Any]]
"""A constraint as a text, and as an expression of variables or of numbers."""

DOMAINS = [(2, 2, 2), (3, 3), (2, 2, 3), (2, 3), (4, 3), (2, 2)]
"""How many values the variables have: seven literals at most."""


RULES: list[Condition] = [
    ("x0 != x1", lambda x: x[0] != x[1]),
    ("sum < 3", lambda x: sum(x) < 3),
    ("sum > 1", lambda x: sum(x) > 1),
    ("sum != 2", lambda x: sum(x) != 2),
    ("x0 < 2", lambda x: x[0] < 2),
    ("x1 != x2", lambda x: x[1] != x[2]),
    ("x0 + x1 != x2", lambda x: x[0] + x[1] != x[2]),
]
BREAKINGS: list[Condition] = [
    ("x0 <= x1", lambda x: x[0] <= x[1]),
    ("x0 < x1", lambda x: x[0] < x[1]),
    ("x1 <= x0", lambda x: x[1] <= x[0]),
    ("x0 <= 1", lambda x: x[0] <= 1),
    ("x0 < 1", lambda x: x[0] < 1),
    ("sum <= 2", lambda x: sum(x) <= 2),
    ("x0 = 0", lambda x: x[0] == 0),
    ("x1 <= x2", lambda x: x[1] <= x[2]),
]
"""The last ones of both speak of a third variable."""


def rules(size: int) -> list[Condition]:
    """Rules that are symmetric in part."""
    return RULES if size > 2 else RULES[:-2]


def breakings(size: int) -> list[Condition]:
    """Breakings that are right for some of them, and wrong for others."""
    return BREAKINGS if size > 2 else BREAKINGS[:-1]


class Sample(NamedTuple):
    """A model, and the same in Python."""

    puzzle: Puzzle
    names: list[str]
    """Of the breakings, which are constraints of these names."""
    solutions: list[Values]
    """Those of the rules alone."""
    kept: list[list[Values]]
    """What each of the breakings leaves of them, and all together."""


def sample(seed: int) -> Sample:
    """A random model with two breakings."""
    chance = Random(seed)
    sizes = chance.choice(DOMAINS)
    chosen = chance.sample(rules(len(sizes)), chance.randint(0, 2))
    broken = chance.sample(breakings(len(sizes)), 2)
    model = CpModel()
    x = [model.new_int_var(0, size - 1, f"x{n}") for n, size in enumerate(sizes)]
    for _, rule in chosen:
        model.add(rule(x))
    for name, rule in broken:
        model.add(rule(x)).with_name(name)
    solutions = [v for v in product(*map(range, sizes)) if all(rule(v) for _, rule in chosen)]
    kept = [[v for v in solutions if rule(v)] for _, rule in broken]
    kept.append([v for v in kept[0] if v in kept[1]])
    return Sample(Puzzle(f"sample {seed}", {}, model, dict(enumerate(x))), [n for n, _ in broken], solutions, kept)


Literal = tuple[int, Any]


def whole_group(sizes: Sequence[int], solutions: Sequence[Values]) -> list[dict[Literal, Literal]]:
    """All permutations of literals that carry solutions to solutions, found by trying all."""
    literals = [(variable, value) for variable, size in enumerate(sizes) for value in range(size)]
    own = {frozenset(enumerate(solution)) for solution in solutions}
    found = []
    for images in permutations(literals):
        image = dict(zip(literals, images, strict=True))
        if {frozenset(image[one] for one in solution) for solution in own} == own:
            found.append(image)
    return found


def orbits(group: Iterable[dict[Literal, Literal]], solutions: Sequence[Values]) -> list[set[Values]]:
    """The solutions, those together that the group carries to each other."""
    number = {solution: n for n, solution in enumerate(solutions)}
    carried = [
        (n, number[tuple(value for _, value in sorted(image[one] for one in enumerate(solution)))])
        for image in group
        for n, solution in enumerate(solutions)
    ]
    return [{solutions[n] for n in part} for part in igraph.Graph(len(solutions), carried).components()]


def verdict(parts: Sequence[set[Values]], kept: Sequence[Values]) -> str:
    """The verdict by definition."""
    numbers = [len(part & set(kept)) for part in parts]
    if 0 in numbers:
        return "lossy"
    return "complete" if set(numbers) == {1} else "partial"


def lost(solutions: Sequence[Values], kept: set[Values]) -> list[Values]:
    """Solutions of which no permutation of literals, that carries all solutions to solutions, makes one that is kept.

    Colours of literals and solutions are refined until they tell apart as much as they can; what such a permutation
    carries to each other has the same colour. This finds no group, and so need not find all that are lost.
    """
    signed = _signatures(tuple(solutions))
    alike = {signed[solution] for solution in kept}
    return [solution for solution in solutions if signed[solution] not in alike]


@cache
def _signatures(solutions: tuple[Values, ...]) -> dict[Values, tuple[int, ...]]:
    """The colours of all solutions if this one is marked, for each of them."""
    refined = _refined(solutions, solutions)
    return {one: tuple(sorted(own.values())) for one, own in zip(solutions, refined, strict=True)}


def _refined(solutions: Sequence[Values], marks: Sequence[Values]) -> list[dict[Values, int]]:
    """The colour of each solution, where one of them is marked, for each of some marks; they can be compared."""
    holders: dict[Literal, list[int]] = {}
    for place, solution in enumerate(solutions):
        for literal in enumerate(solution):
            holders.setdefault(literal, []).append(place)
    colours = [[int(solution == mark) for solution in solutions] for mark in marks]
    classes = 0
    while True:
        numbers: dict[object, int] = {}

        def number(signature: object, numbers: dict[object, int] = numbers) -> int:
            return numbers.setdefault(signature, len(numbers))

        for place, own in enumerate(colours):
            of_literal = {
                literal: number(("literal", tuple(sorted(own[holder] for holder in held))))
                for literal, held in holders.items()
            }
            colours[place] = [
                number((own[n], tuple(sorted(of_literal[literal] for literal in enumerate(solution)))))
                for n, solution in enumerate(solutions)
            ]
        if len(numbers) == classes:
            return [dict(zip(solutions, own, strict=True)) for own in colours]
        classes = len(numbers)
