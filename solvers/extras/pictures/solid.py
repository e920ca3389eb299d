"""Solids: what lies where in space, and whether it can be put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from models.boards.isometric import Move, Tile, disassembly, scene
from models.puzzle import EMPTY, Drawing, Puzzle, Solution
from solvers.show import draw


def tiles(puzzle: Puzzle, solution: Solution) -> list[Tile]:
    """Return the pieces (name, cells) of a solution that fills a box; empty if the cells are in a plane."""
    if not puzzle.fills:
        return []
    lying = (puzzle.fills(label, value) for label, value in solution.items())
    found = [(name, [tuple(cell) for cell in cells]) for name, cells in lying if name != EMPTY]
    return [tile for tile in found if tile[1]] if all(len(cell) == 3 for _, cells in found for cell in cells) else []


def colours(drawing: Drawing) -> dict[str, int | str | None]:
    """Return the colour that each name has in a drawing."""
    return {shape.label: shape.colour for frame in drawing for shape in frame.shapes if shape.label}


def drawing_in_space(puzzle: Puzzle, solution: Solution) -> Drawing:
    """Return a solution's drawing; for a solid, a frame in space comes first.

    Raises `InputError` if the puzzle draws something that cannot be shown.
    """
    drawing = draw.drawing(puzzle, solution)
    if not (solid := tiles(puzzle, solution)):
        return drawing
    of = colours(drawing)
    return [scene([(name, cells, of.get(name) or 0) for name, cells in solid]), *drawing]


def pieces(puzzle: Puzzle, solution: Solution, drawing: Drawing) -> list[list[Any]]:
    """Return the pieces of a solid in the order in which they come out, as `solid.js` reads them.

    A piece is a list of its name, its colour, the axis, sign and length of its move, and the coordinates of its cells.
    The result is empty if the solution is not a solid. drawing: the drawing of the solution, which has the colours.
    """
    if not (solid := tiles(puzzle, solution)):
        return []
    of, moves = colours(drawing), disassembly(solid)
    moves += [Move(tile, 0, 1, 0) for tile in range(len(solid)) if tile not in {move.tile for move in moves}]
    return [
        [solid[tile][0], of.get(solid[tile][0]), axis, sign, far, *chain.from_iterable(solid[tile][1])]
        for tile, axis, sign, far in moves
    ]


def assembly_count(puzzle: Puzzle, solutions: Iterable[Solution], is_over: Callable[[], bool]) -> int | None:
    """Return how many solutions can be assembled by straight moves of single pieces.

    The result is None if the solutions are not solids, or if ``is_over`` returns True before all were tried.
    """
    count = 0
    for solution in solutions:
        if not (solid := tiles(puzzle, solution)) or is_over():
            return None
        count += len(disassembly(solid)) == len(solid)
    return count
