"""Packing: anyone's pieces fill anyone's board."""

from typing import Literal

from models import grid
from models.pieces import Piece, Rules, packing_of
from models.puzzle import Puzzle, Region
from models.sets import GRIDS, read_board, read_pieces

HOLE = "_"
"""What a cell that stays empty is called."""


def packing(
    board: Region = "3x3x3",
    pieces: str = "soma",
    grid: Literal["square", "hex", "triangle"] = "square",
    flip: bool = True,
    holes: int = 0,
) -> Puzzle:
    """Fill a board with pieces: squares, cubes, hexagons or triangles, each piece as often as one says.

    board: HxW, AxBxC for a box, a name (8x8-centre, hexagon-3, ...), or a drawing (# and .) or its file
    pieces: sets such as soma or 'dominoes x* + pentominoes', letters of pentominoes, blocks such as 1x2x4, or a file
    grid: what cells are.
    flip: let pieces be turned over in the plane; in a box they are turned and never mirrored.
    holes: so many cells stay empty.

    >>> puzzle = packing("8x8", "dominoes x*")
    >>> len(puzzle.key), len(puzzle.symmetries)
    (112, 7)
    """
    if holes < 0:
        raise ValueError(f"{holes} holes are none; give a number from 0")
    cells = read_board(board, GRIDS[grid])
    dimensions = len(min(cells))
    if dimensions > 2 and not flip:
        raise ValueError(f"{board} is a box, where every flat piece can be turned over; leave out --no-flip")
    chosen = read_pieces(pieces, GRIDS[grid], dimensions, flip)
    if holes:
        chosen.append(Piece(HOLE, frozenset([(0,) * dimensions]), holes, holes))
        if any(piece.name == HOLE for piece in chosen[:-1]):
            raise ValueError(f"a piece is called {HOLE}, which is the name of holes; choose another name")
    rules = Rules(cells, chosen, flip and dimensions == 2, GRIDS[grid])
    _refuse_misfits(rules, board, holes)
    parameters = {"board": board, "pieces": pieces, "grid": grid, "flip": flip, "holes": holes}
    alike = "; ".join(f"{' and '.join(names)} have the same shape and count as different" for names in rules.alike())
    return packing_of("packing", parameters, rules, note=alike)


def _refuse_misfits(rules: Rules, board: str, holes: int) -> None:
    """Raises ValueError, with a sentence, where the pieces can fill no such area, or one of them fits nowhere."""
    area, name = len(rules.board), grid.name_of(board)
    own = rules._replace(pieces=[piece for piece in rules.pieces if not holes or piece.name != HOLE])
    if misfit := own.misfit(holes):
        use = sum(piece.least * len(piece.shape) for piece in own.pieces)
        if all(piece.least == piece.most for piece in own.pieces):
            fewer = "no holes" if use == area else _counted(area - use, "in all" if holes else "more")
            beside = f" beside {_counted(holes)}" if holes else ""
            advice = f", or {fewer}" if use < area + bool(holes) else ""
            misfit = f"{name} has {area} cells, but the pieces fill {use}{beside}; "
            misfit += f"choose a board of {use + holes} cells{advice}"
        raise ValueError(misfit)
    for part in grid.parts(rules.board, rules.lattice):
        if not rules.areas(len(part), are_required=False) >> len(part) & 1:
            axes = ("layer", "row", "column")[-len(min(part)) :]
            first = ", ".join(f"{axis} {n + 1}" for axis, n in zip(axes, min(part), strict=True))
            raise ValueError(
                f"no set of the pieces covers the {len(part)} cell{'s' * (len(part) != 1)} of {name} "
                f"that {'hangs' if len(part) == 1 else 'hang'} with {first}"
            )
    for piece in rules.pieces:
        if piece.least and not grid.placements(piece.shape, rules.board, rules.mirror, rules.lattice):
            raise ValueError(f"the piece {piece.name} fits nowhere on {name}")


def _counted(holes: int, more: str = "") -> str:
    return f"{holes} hole{'s' * (holes != 1)}{more and ' '}{more}"
