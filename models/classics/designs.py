"""Squares of symbols and systems of sets, under all exchanges of what has no name of its own."""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

from models.boards import grid
from models.boards.grid import Cell
from models.classics.covering import cover, option_symmetry, permutation_symmetries
from models.errors import ParameterError
from models.puzzle import Drawing, Puzzle, Solution, true_labels

MOST_SYMBOLS = 30
"""The largest order; larger squares have more variables than solvers take."""


def check_order(order: int, least: int = 1) -> None:
    """Raise ValueError if an order is less than ``least`` or more than `MOST_SYMBOLS`."""
    if not least <= order <= MOST_SYMBOLS:
        raise ParameterError(f"{order} is not a possible order; choose a number from {least} to {MOST_SYMBOLS}")


def latin(order: int = 4) -> Puzzle:
    """Fill a square with symbols so that each stands once in each row and column.

    order: how many rows, columns and symbols there are; they may be permuted, and change their roles.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    check_order(order)
    cells = {}
    for r, c, v in product(range(order), repeat=3):
        cells[r, c, v] = [("cell", r, c), ("row", r, v), ("column", c, v)]
    # An exact cover: symbol v in cell (r, c) covers the cell, v in row r and v in column c.
    model, chosen = cover(cells)
    houses = [lambda r, c: r, lambda r, c: order + c]  # rows have the numbers from 0, columns those from ``order``

    def renaming(image: Sequence[int]) -> Callable[[tuple[int, int, int]], tuple[int, int, int]]:
        return lambda label: (image[label[0]], *label[1:])

    rows = permutation_symmetries(order, renaming)
    # A label is (row, column, symbol); its three places may be permuted.
    next_role = option_symmetry(lambda label: (*label[1:], label[0]))
    exchange = option_symmetry(lambda label: (label[1], label[0], label[2]))
    is_solution, draw = _check_and_drawing(order, houses)
    symmetries = [*rows, next_role, exchange]
    return Puzzle("latin", {"order": order}, model, chosen, symmetries, is_solution, draw, fills=_symbol)


def triples(points: int = 7) -> Puzzle:
    """Choose triples of points so that each two points are in exactly one: Steiner's triple systems.

    points: how many there are; they may be permuted.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    check_order(points, 3)
    # An exact cover: the items are pairs of points, and a triple covers its three pairs.
    triples_of_points = combinations(range(points), 3)
    pairs_of_triple = {triple: list(combinations(triple, 2)) for triple in triples_of_points}
    model, chosen = cover(pairs_of_triple)

    def is_solution(solution: Solution) -> bool:
        pairs = [pair for triple in true_labels(solution) for pair in pairs_of_triple[triple]]
        pair_count = points * (points - 1) // 2
        return len(pairs) == len(set(pairs)) == pair_count

    def draw(solution: Solution) -> Drawing:
        """Draw the triples that are chosen, one in each row."""
        chosen = sorted(true_labels(solution))
        labels: dict[Cell, str] = {}
        for row, triple in enumerate(chosen):
            labels |= {(row, at): str(point) for at, point in enumerate(triple)}
        return grid.board(len(chosen), 3, labels)

    def renaming(image: Sequence[int]) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        return lambda triple: tuple(sorted(image[point] for point in triple))

    renamed = permutation_symmetries(points, renaming)
    return Puzzle("triples", {"points": points}, model, chosen, renamed, is_solution, draw)


def _symbol(label: Any, _: int) -> tuple[str, list[Cell]]:
    """Return what a label of a square says: the symbol, counted from 1, and its cell."""
    row, column, symbol = label
    return str(symbol + 1), [(row, column)]


def _check_and_drawing(
    order: int, houses: Sequence[Callable[[int, int], int]]
) -> tuple[Callable[[Solution], bool], Callable[[Solution], Drawing]]:
    """Return (is_solution, draw) of a square in which each symbol stands once in each house.

    order: the number of rows, columns and symbols. houses: functions from (row, column) to the number of a house, such
    as a row or block; two functions never return the same number. A solution is 0 or 1 by (row, column, symbol), with
    symbols from 0.
    """

    cells_of_square = [*product(range(order), repeat=2)]
    houses_of = {(r, c): [house(r, c) for house in houses] for r, c in cells_of_square}

    def is_solution(solution: Solution) -> bool:
        """Tell whether each cell has one symbol, and each house has each symbol."""
        labels = true_labels(solution)
        symbols_of_houses = {(house, v) for r, c, v in labels for house in houses_of[r, c]}
        cells = {(r, c) for r, c, _ in labels}
        if not len(labels) == len(cells) == order**2:
            return False
        return len(symbols_of_houses) == len(houses) * order**2

    def draw(solution: Solution) -> Drawing:
        texts: dict[Cell, str] = dict.fromkeys(cells_of_square, "")
        for r, c, v in true_labels(solution):
            texts[r, c] = str(v + 1)
        return [grid.board_with_texts(texts)]

    return is_solution, draw
