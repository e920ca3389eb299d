"""Sheets to be printed: the board with the pieces beside it, and solutions."""

from collections.abc import Sequence

from models import grid
from models.grid import Cells
from models.lattice import Cell, Lattice
from models.pictures.isometric import assembly, opened
from models.puzzle import Drawing, Frame, Shape, Solution

Piece = tuple[str, Cells, int, int | None]
"""Its name and shape, and how often it is used at least and at most."""


def sheets(board: Cells, pieces: Sequence[Piece], lattice: Lattice, solutions: Sequence[Solution]) -> list[Drawing]:
    """Two drawings: what one begins with, in one scale, and the solutions."""
    names = [name for name, *_ in pieces]
    return [
        _beginning(board, pieces, lattice),
        [frame for solution in solutions for frame in _solved(names, lattice, solution)],
    ]


def _beginning(board: Cells, pieces: Sequence[Piece], lattice: Lattice) -> Drawing:
    is_solid = len(min(board)) > 2
    frames = []
    for layer in sorted({cell[:-2] for cell in board}):
        flat = sorted(cell[-2:] for cell in board if cell[:-2] == layer)
        squares = [Shape(grid.outline([cell], lattice)) for cell in flat]
        frames.append(Frame(squares, f"board, layer {layer[0] + 1}" if layer else "board"))
    for colour, (name, own, least, most) in enumerate(pieces):
        shape = grid.normalised(own, lattice)
        if is_solid:
            lifted = [(0,) * (3 - len(cell)) + cell for cell in shape]
            shapes = [part._replace(colour=colour) for part in opened([(name, lifted)]).shapes]
        else:
            shapes = [Shape(grid.outline(shape, lattice), name, colour)]
        frames.append(Frame(shapes, _use(least, most)))
    return frames


def _use(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more" if least else "any number"
    if least == most:
        return f"{least} times" if least > 1 else ""
    return f"{least} to {most} times"


def _solved(names: Sequence[str], lattice: Lattice, solution: Solution) -> list[Frame]:
    where: dict[str, list[tuple[Cell, ...]]] = {name: [] for name in names}
    for (name, place), lying in solution.items():
        if lying:
            where[name].append(place)
    tiles = [(name, place) for name, places in where.items() for place in sorted(places) or [()]]
    frames = [frame._replace(letters=None) for frame in grid.tiling(tiles, lattice)]
    lying_there = [(name, place) for name, place in tiles if place]
    if any(len(cell) > 2 for _, place in lying_there for cell in place):
        order = assembly(lying_there)
        words = "" if order is None else f"from below: {', '.join(lying_there[number][0] for number in order)}"
        frames.append(opened(lying_there, words or "cannot be put together piece by piece from below"))
    return frames
