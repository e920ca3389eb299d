"""Edge matching counted by halves of the board: a count that shares no code with the models, and knows no exact cover.

For each colouring of the edges between the halves, each half is filled in all ways by colouring its edges. Two fillings
go together where the tiles of one are those that the other leaves.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]

Sides = list[tuple[int, ...]]
"""Of each cell the numbers of its edges, clockwise."""

MAX_FILLINGS = 2_000_000
"""Of a half whose edges to the other half are coloured."""


def squares(rows: int, columns: int) -> Sides:
    """The edges of each square of a rectangle."""
    down = (rows + 1) * columns
    return [
        (
            row * columns + column,
            down + row * (columns + 1) + column + 1,
            (row + 1) * columns + column,
            down + row * (columns + 1) + column,
        )
        for row in range(rows)
        for column in range(columns)
    ]


def count(sides: Sides, tiles: Sequence[tuple[int, ...]], colours: int, outer: int | None) -> int:
    """The number of solutions in all; each tile, of which none is another one turned, is used once.

    outer: the colour of the border; None if it may have any.
    """
    number = np.full(colours ** len(sides[0]), -1, np.int64)
    for tile, edges in enumerate(tiles):
        for n in range(len(edges)):
            number[sum(c * colours**i for i, c in enumerate(edges[n:] + edges[:n]))] = tile
    halves = sides[: len(sides) // 2], sides[len(sides) // 2 :]
    own = [{edge for cell in half for edge in cell} for half in halves]
    between = sorted(own[0] & own[1])
    seen = [edge for cell in sides for edge in cell]
    total = 0
    for chosen in product(range(colours), repeat=len(between)):
        shown = np.full(1 + max(seen), -1, np.int64)
        if outer is not None:
            shown[[edge for edge in seen if seen.count(edge) == 1]] = outer
        shown[between] = chosen
        fillings = []
        for half in halves:
            found = np.zeros(MAX_FILLINGS, np.int64)
            size = _fill(0, 0, np.array(half, np.int64), number, shown, colours, found, 0)
            assert size <= len(found)
            fillings.append(np.unique(found[:size], return_counts=True))
        (masks, times), (others, other_times) = fillings
        _, here, there = np.intersect1d(masks, (1 << len(tiles)) - 1 - others, True, return_indices=True)
        total += int(times[here] @ other_times[there])
    return total


@njit(cache=True)
def _fill(
    depth: int, used: int, half: Integers, number: Integers, shown: Integers, colours: int, found: Integers, size: int
) -> int:
    """Add the tiles of each filling, as a set of bits, to those found; how many there are then."""
    cells, edges = half.shape
    if depth == cells:
        if size < len(found):
            found[size] = used
        return size + 1
    own = half[depth]
    choices, free = 1, np.zeros(edges, np.bool_)
    for i in range(edges):
        free[i] = shown[own[i]] < 0
        if free[i]:
            choices *= colours
    for choice in range(choices):
        code, rest, power = 0, choice, 1
        for i in range(edges):
            if free[i]:
                shown[own[i]] = rest % colours
                rest //= colours
            code += shown[own[i]] * power
            power *= colours
        tile = number[code]
        if tile >= 0 and not used >> tile & 1:
            size = _fill(depth + 1, used | 1 << tile, half, number, shown, colours, found, size)
    for i in range(edges):
        if free[i]:
            shown[own[i]] = -1
    return size
