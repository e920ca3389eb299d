"""Breakings of classic problems, right and wrong ones.

The expected verdicts are those under the group that the books name, which is spelt out here: all solutions are found by
trying all candidates, and carried to each other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

import igraph
import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers.extras.audits.audit.judge import audit

Place = Any
Filled = dict[Place, int]
"""The value of each place of an array."""
Map = Callable[[Filled], Filled]


class Classic(NamedTuple):
    """A problem: a model with the marks "right" and "wrong", and the same in Python."""

    declare: Callable[[int], Puzzle]
    n: int
    solutions: Callable[[int], Iterable[Filled]]
    group: Callable[[int], Sequence[Map]]
    """Generates the known symmetries."""
    right: Callable[[Any, int], Any]
    wrong: Callable[[Any, int], Any]
    """A breaking of each kind, as a list of what holds of variables or of values."""
    verdict: str
    """That on the right one."""


def declared(
    name: str, n: int, model: CpModel, x: Mapping[Place, Any], more: Mapping[str, Any] | None = None
) -> Puzzle:
    """The puzzle, whose labels are as MiniZinc writes them."""
    for mark in ("right", "wrong"):
        for rule in getattr(CLASSICS[name], mark)(x, n):
            model.add(rule).with_name(mark)
    return Puzzle(name, {"n": n}, model, {f"x[{written(place)}]": one for place, one in x.items()} | {**(more or {})})


def written(place: Place) -> str:
    return ",".join(map(str, place)) if isinstance(place, tuple) else str(place)


def variables(model: CpModel, places: Iterable[Place], low: int, high: int) -> dict[Place, Any]:
    return {place: model.new_int_var(low, high, "") for place in places}


def square(n: int) -> list[tuple[int, int]]:
    return [(r, c) for r in range(1, n + 1) for c in range(1, n + 1)]


def golomb(n: int) -> Puzzle:
    """A shortest ruler whose marks have different distances; these are in the key, too."""
    model = CpModel()
    x = variables(model, range(1, n + 1), 0, n * n)
    d = variables(model, combinations(x, 2), 1, n * n)
    model.add(x[1] == 0)
    for i, j in d:
        model.add(d[i, j] == x[j] - x[i])
    model.add_all_different(d.values())
    model.minimize(x[n])
    return declared("golomb", n, model, x, {f"d[{i},{j}]": one for (i, j), one in d.items()})


def rulers(n: int) -> list[Filled]:
    """All rulers of the least length that has one."""
    for length in range(n, n * n):
        found = [
            dict(enumerate((0, *inner, length), 1))
            for inner in combinations(range(1, length), n - 2)
            if len({b - a for a, b in combinations((0, *inner, length), 2)}) == n * (n - 1) // 2
        ]
        if found:
            return found
    raise AssertionError


def queens(n: int) -> Puzzle:
    model = CpModel()
    q = variables(model, range(1, n + 1), 1, n)
    for sign in (0, 1, -1):
        model.add_all_different(q[i] + sign * i for i in q)
    return declared("queens", n, model, q)


def are_peaceful(q: Filled) -> bool:
    return all(abs(q[i] - q[j]) != j - i for i, j in combinations(q, 2))


def langford(n: int) -> Puzzle:
    """The first place of each number; the other is that many places further, and one more."""
    model = CpModel()
    p = variables(model, range(1, n + 1), 1, 2 * n)
    for k in p:
        model.add(p[k] + k + 1 <= 2 * n)
    model.add_all_different([*p.values(), *(p[k] + k + 1 for k in p)])
    return declared("langford", n, model, p)


def pairings(n: int, held: Filled | None = None) -> Iterator[Filled]:
    """Langford's sequences, the greatest number first."""
    held = held or {}
    number = n - len(held)
    taken = {place for k, first in held.items() for place in (first, first + k + 1)}
    if not number:
        yield dict(sorted(held.items()))
    for first in range(1, 2 * n - number) if number else ():
        if taken.isdisjoint({first, first + number + 1}):
            yield from pairings(n, {**held, number: first})


PLAYERS = range(1, 7)


def golfers(n: int) -> Puzzle:
    """Six players in groups of two, in n weeks: who plays with whom. Nobody meets anybody twice."""
    model = CpModel()
    partner = variables(model, product(range(1, n + 1), PLAYERS), 1, len(PLAYERS))
    for week in range(1, n + 1):
        own = [model.new_constant(0), *(partner[week, player] for player in PLAYERS)]
        model.add_inverse(own, own)
        for player in PLAYERS:
            model.add(partner[week, player] != player)
    for player in PLAYERS:
        model.add_all_different(partner[week, player] for week in range(1, n + 1))
    return declared("golfers", n, model, partner)


def schedules(n: int) -> Iterator[Filled]:
    weeks = [p for p in permutations(PLAYERS) if all(p[p[i] - 1] == i + 1 != p[i] for i in range(len(p)))]
    for chosen in permutations(weeks, n):
        if all(len(set(own)) == n for own in zip(*chosen, strict=True)):
            yield {(w, p): week[p - 1] for w, week in enumerate(chosen, 1) for p in PLAYERS}


def renamed(one: int, other: int) -> Map:
    """Two players change places."""
    names = {one: other, other: one}
    return lambda x: {(w, names.get(p, p)): names.get(value, value) for (w, p), value in x.items()}


def bibd(n: int) -> Puzzle:
    """Each block has all points but one."""
    model = CpModel()
    x = variables(model, square(n), 0, 1)
    lines = range(1, n + 1)
    for line in lines:
        model.add(sum(x[line, k] for k in lines) == n - 1)
        model.add(sum(x[k, line] for k in lines) == n - 1)
    for one, other in combinations(lines, 2):
        both = variables(model, lines, 0, 1)
        for k in lines:
            model.add_multiplication_equality(both[k], [x[one, k], x[other, k]])
        model.add(sum(both.values()) == n - 2)
    return declared("bibd", n, model, x)


def designs(n: int) -> Iterator[Filled]:
    for rows in product([row for row in product((0, 1), repeat=n) if sum(row) == n - 1], repeat=n):
        if all(sum(a * b for a, b in zip(*pair, strict=True)) == n - 2 for pair in combinations(rows, 2)):
            yield dict(zip(square(n), (value for row in rows for value in row), strict=True))


def lines_of(n: int) -> list[list[tuple[int, int]]]:
    """The rows and the columns of a square, and its two diagonals."""
    span = range(1, n + 1)
    straight = [[(line, k) for k in span] for line in span] + [[(k, line) for k in span] for line in span]
    return [*straight, [(k, k) for k in span], [(k, n + 1 - k) for k in span]]


def magic(n: int) -> Puzzle:
    model = CpModel()
    x = variables(model, square(n), 1, n * n)
    model.add_all_different(x.values())
    for line in lines_of(n):
        model.add(sum(x[place] for place in line) == n * (n * n + 1) // 2)
    return declared("magic", n, model, x)


def costas(n: int) -> Puzzle:
    model = CpModel()
    x = variables(model, range(1, n + 1), 1, n)
    model.add_all_different(x.values())
    for step in range(1, n - 1):
        model.add_all_different(x[i + step] - x[i] for i in range(1, n - step + 1))
    return declared("costas", n, model, x)


def is_costas(x: Filled) -> bool:
    n = len(x)
    return all(len({x[i + step] - x[i] for i in range(1, n - step + 1)}) == n - step for step in range(1, n))


def latin(n: int) -> Puzzle:
    model = CpModel()
    x = variables(model, square(n), 1, n)
    for line in lines_of(n)[: 2 * n]:
        model.add_all_different(x[place] for place in line)
    return declared("latin", n, model, x)


def latin_squares(n: int) -> Iterator[Filled]:
    for rows in product(permutations(range(1, n + 1)), repeat=n):
        if all(len(set(column)) == n for column in zip(*rows, strict=True)):
            yield dict(zip(square(n), (value for row in rows for value in row), strict=True))


def of_permutations(n: int, holds: Callable[[Filled], bool]) -> Iterator[Filled]:
    return filter(holds, (dict(enumerate(p, 1)) for p in permutations(range(1, n + 1))))


def magic_squares(n: int) -> Iterator[Filled]:
    lines = lines_of(n)
    for p in permutations(range(1, n * n + 1)):
        x = dict(zip(square(n), p, strict=True))
        if len({sum(x[place] for place in line) for line in lines}) == 1:
            yield x


def of_the_square(n: int) -> list[Map]:
    """The symmetries of a permutation as points in a square: a turn and a mirror."""
    return [lambda x: {x[i]: n + 1 - i for i in x}, lambda x: {n + 1 - i: x[i] for i in x}]


def carried(place: Callable[[int, int], tuple[int, int]]) -> Map:
    """A map of the places of a matrix."""
    return lambda x: {place(*one): value for one, value in x.items()}


def swapped(axis: int, k: int) -> Map:
    """Rows, or columns, k and k + 1 change places."""
    names = {k: k + 1, k + 1: k}
    return lambda x: {(names.get(r, r), c) if axis == 0 else (r, names.get(c, c)): value for (r, c), value in x.items()}


def rows_and_columns(n: int) -> list[Map]:
    return [swapped(axis, k) for axis in (0, 1) for k in range(1, n)]


def of_values(k: int) -> Map:
    """The values k and k + 1 change places."""
    names = {k: k + 1, k + 1: k}
    return lambda x: {place: names.get(value, value) for place, value in x.items()}


CLASSICS = {
    "golomb": Classic(
        golomb,
        5,
        rulers,
        lambda n: [lambda x: {n + 1 - i: x[n] - x[i] for i in x}],
        lambda x, n: [x[2] - x[1] < x[n] - x[n - 1]],
        lambda x, n: [x[2] - x[1] > 2],
        "complete",
    ),
    "queens": Classic(
        queens,
        6,
        lambda n: of_permutations(n, are_peaceful),
        of_the_square,
        lambda x, n: [x[1] < x[n]],
        lambda x, n: [x[1] == 1],
        "partial",
    ),
    "langford": Classic(
        langford,
        7,
        pairings,
        lambda n: [lambda x: {k: 2 * n - k - x[k] for k in x}],
        lambda x, n: [2 * x[n] <= n],
        lambda x, n: [x[1] < x[3]],
        "complete",
    ),
    "golfers": Classic(
        golfers,
        3,
        schedules,
        lambda n: [swapped(0, k) for k in range(1, n)] + [renamed(p, p + 1) for p in PLAYERS[:-1]],
        lambda x, n: [x[week, 1] < x[week + 1, 1] for week in range(1, n)],
        lambda x, n: [x[week, a] != b for week in range(1, n + 1) for a, b in ((1, 2), (1, 3), (2, 3))],
        "partial",
    ),
    "bibd": Classic(
        bibd,
        4,
        designs,
        rows_and_columns,
        lambda x, n: [sum(2**c * (x[r, c] - x[r + 1, c]) for c in range(1, n + 1)) >= 0 for r in range(1, n)],
        lambda x, n: [x[1, 1] + x[2, 1] == 0],
        "complete",
    ),
    "magic": Classic(
        magic,
        3,
        magic_squares,
        lambda n: [carried(lambda r, c: (c, n + 1 - r)), carried(lambda r, c: (c, r))],
        lambda x, n: [x[1, 1] < x[1, n], x[1, 1] < x[n, n], x[1, n] < x[n, 1]],
        lambda x, n: [x[1, 1] < x[1, 2], x[1, 1] < x[2, 1], x[1, 1] < x[2, 2], x[1, 1] > 2],
        "complete",
    ),
    "costas": Classic(
        costas,
        5,
        lambda n: of_permutations(n, is_costas),
        of_the_square,
        lambda x, n: [x[1] < x[n]],
        lambda x, n: [x[1] == 1],
        "partial",
    ),
    "latin": Classic(
        latin,
        4,
        latin_squares,
        lambda n: rows_and_columns(n) + [of_values(k) for k in range(1, n)] + [carried(lambda r, c: (c, r))],
        lambda x, n: [x[1, k] == k for k in range(1, n + 1)] + [x[k, 1] == k for k in range(1, n + 1)],
        lambda x, n: [x[k, k] == x[1, 1] for k in (2, 3)] + [x[1, k] == x[k, 1] for k in (2, 3)],
        "partial",
    ),
}


def parts_of(classic: Classic) -> list[list[Filled]]:
    """The orbits of all solutions under the known group."""
    solutions = [*classic.solutions(classic.n)]
    number = {frozenset(solution.items()): place for place, solution in enumerate(solutions)}
    edges = [
        (place, number[frozenset(image(solution).items())])
        for image in classic.group(classic.n)
        for place, solution in enumerate(solutions)
    ]
    parts = igraph.Graph(len(solutions), edges).components()
    return [[solutions[one] for one in part] for part in parts]


def by_definition(parts: Sequence[Sequence[Filled]], n: int, rules: Callable[[Any, int], Any]) -> str:
    """The verdict on a breaking."""
    kept = [sum(all(rules(solution, n)) for solution in part) for part in parts]
    if 0 in kept:
        return "lossy"
    return "complete" if {*kept} == {1} else "partial"


@pytest.mark.thorough
@pytest.mark.parametrize("name", CLASSICS)
def test_breakings_of_classics(name: str) -> None:
    classic = CLASSICS[name]
    parts = parts_of(classic)
    assert by_definition(parts, classic.n, classic.right) == classic.verdict
    assert by_definition(parts, classic.n, classic.wrong) == "lossy"
    result = audit(classic.declare, {"n": classic.n}, breaking=["right", "wrong"])
    assert [one.verdict for one in result.breaking] == [classic.verdict, "lossy"], str(result)
