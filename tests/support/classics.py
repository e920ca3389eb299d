"""Models of the kinds that other people write: the classics of constraint programming, with all their solutions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise, product
from typing import NamedTuple

from ortools.sat.python.cp_model import CpModel, IntVar

from models.classics import arrangements
from models.puzzle import Puzzle
from tests.support.declared import puzzle
from tests.support.puzzles import model_of


class Classic(NamedTuple):
    """A model, and in which variables its solutions differ."""

    model: CpModel
    key: Sequence[IntVar]


def classic(puzzle: Puzzle) -> Classic:
    """What a classic of the collection is as a model."""
    return Classic(model_of(puzzle), [variable for variable in puzzle.key.values() if not isinstance(variable, int)])


def queens(size: int) -> Classic:
    return classic(
        puzzle(
            {f"q{row}": (0, size - 1) for row in range(size)},
            lambda m, *columns: m.add_all_different(columns),
            lambda m, *columns: m.add_all_different([column + row for row, column in enumerate(columns)]),
            lambda m, *columns: m.add_all_different([column - row for row, column in enumerate(columns)]),
        )
    )


def langford(size: int) -> Classic:
    """Two of each number, k numbers between the two of k."""
    return classic(
        puzzle(
            {f"first{k}": (0, 2 * size - 2 - k) for k in range(1, size + 1)},
            lambda m, *first: m.add_all_different([*first, *(place + k + 1 for k, place in enumerate(first, 1))]),
        )
    )


def magic_square(size: int) -> Classic:
    """Each row, column and diagonal has the same sum; turned and mirrored squares are left out."""
    total = size * (size * size + 1) // 2
    rows = [range(n * size, (n + 1) * size) for n in range(size)]
    columns = [range(n, size * size, size) for n in range(size)]
    diagonals = range(0, size * size, size + 1), range(size - 1, size * size - 1, size - 1)
    corners = [(0, size - 1), (0, size * (size - 1)), (0, size * size - 1), (size - 1, size * (size - 1))]

    def rules(m: CpModel, *cells: IntVar) -> None:
        m.add_all_different(cells)
        for line in [*rows, *columns, *diagonals]:
            m.add(sum(cells[n] for n in line) == total)
        for a, b in corners:
            m.add(cells[a] < cells[b])

    return classic(puzzle(dict.fromkeys(product(range(size), repeat=2), (1, size * size)), rules))


def golomb(marks: int, length: int) -> Classic:
    """Rulers of the least length on which no distance is met twice."""

    def rules(m: CpModel, *places: IntVar) -> None:
        m.add(places[0] == 0)
        for a, b in pairwise(places):
            m.add(a < b)
        m.add_all_different([b - a for a, b in combinations(places, 2)])
        m.minimize(places[-1])

    return classic(puzzle({f"g{n}": (0, length) for n in range(marks)}, rules))


def graceful(nodes: int, edges: Sequence[tuple[int, int]]) -> Classic:
    """Labels of nodes by which the edges get all differences from 1 to how many they are."""
    labels = {f"node{n}": (0, len(edges)) for n in range(nodes)}
    differences = dict.fromkeys(edges, (1, len(edges)))

    def rules(m: CpModel, *x: IntVar) -> None:
        m.add_all_different(x[:nodes])
        for n, (a, b) in enumerate(edges):
            m.add_abs_equality(x[nodes + n], x[a] - x[b])
        m.add_all_different(x[nodes:])

    return classic(puzzle({**labels, **differences}, rules, key=labels))


def colouring(nodes: int, edges: Sequence[tuple[int, int]], colours: int) -> Classic:
    def differ(m: CpModel, *colour: IntVar) -> None:
        for a, b in edges:
            m.add(colour[a] != colour[b])

    return classic(puzzle({f"c{n}": (1, colours) for n in range(nodes)}, differ))


def latin_square(size: int) -> Classic:
    """Latin squares whose first row and column are in order."""
    model, cells = latin(size)
    for n in range(size):
        model.add(cells[n] == n)
        model.add(cells[n * size] == n)
    return Classic(model, cells)


def latin(size: int, least: int = 0) -> Classic:
    """Latin squares, row by row, of numbers from the least on."""
    lines = [slice(*line) for n in range(size) for line in ((n * size, (n + 1) * size), (n, None, size))]

    def differ(m: CpModel, *cells: IntVar) -> None:
        for line in lines:
            m.add_all_different(cells[line])

    places = product(range(size), repeat=2)
    return classic(puzzle({str(place): (least, least + size - 1) for place in places}, differ))


CUBES = [(a, b) for a, b in combinations(range(8), 2) if (a ^ b).bit_count() == 1]
"""The edges of a cube."""

PETERSEN = [*((n, (n + 1) % 5) for n in range(5)), *((n, n + 5) for n in range(5))]
PETERSEN += [(n + 5, (n + 2) % 5 + 5) for n in range(5)]

CLASSICS: Mapping[str, Callable[[], Classic]] = {
    "queens 10": partial(queens, 10),
    "langford 11": partial(langford, 11),
    "costas 9": lambda: classic(arrangements.costas(9)),
    "magic square 4": partial(magic_square, 4),
    "golomb 8": partial(golomb, 8, 40),
    "graceful cube": partial(graceful, 8, CUBES),
    "rook's tours 6": lambda: classic(arrangements.cycles(6)),
    "latin square 6": partial(latin_square, 6),
}
"""By name; each takes a second or two at most on some backend."""
