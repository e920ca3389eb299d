"""Pentomino: the twelve shapes of five squares fill a board of 60 cells, each used once.

Tenyo's "Pla-Puzzle" (1968) gives 2339 for 6x10, found with a FACOM 270-20; John G. Fletcher, "A program to solve the
pentomino problem by the recursive use of macros", CACM 8(10), 1965.
"""

from typing import Literal

from models.boards import grid
from models.errors import ParameterError
from models.packings.pieces import Piece, Rules, packing_of
from models.packings.sets import BOARDS, PENTOMINOES, SQUARE_TETROMINO, one_sided_set
from models.puzzle import Puzzle, Region


def pentomino(
    board: Region = "6x10",
    pieces: Literal["free", "one-sided"] = "free",
    square: bool = False,
    subset: bool = False,
) -> Puzzle:
    """Fill a board with the pentominoes, each used once.

    board: HxW, AxBxC for a box, 8x8-centre or 8x8-corners (what is missing there), or a drawing (# and .) or its file
    pieces: free (12, may be flipped) or one-sided (18, the mirror image F' of F is a piece of its own).
    square: add the square tetromino O.
    subset: use each piece at most once, so that smaller boards can be filled.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> puzzle = pentomino("3x20")
    >>> len(puzzle.key), len(puzzle.symmetries)
    (1236, 3)
    """
    one_sided = pieces == "one-sided"
    shapes = dict(PENTOMINOES)
    if one_sided:
        shapes = one_sided_set(PENTOMINOES)
    if square:
        shapes["O"] = SQUARE_TETROMINO
    area = sum(map(len, shapes.values()))
    cells = grid.region(board, BOARDS, None if subset else area)
    board_name = grid.name_of(board)
    if one_sided and len(min(cells)) > 2:
        raise ParameterError(
            f"{board_name} is a box, where every piece can be turned over; choose a flat board or free pieces"
        )
    if subset and len(cells) > area:
        raise ParameterError(f"{board_name} has {len(cells)} cells, but all the pieces together fill only {area}")
    least = 0 if subset else 1
    used_pieces = [Piece(name, shape, least) for name, shape in shapes.items()]
    named_cells = grid.cells_by_name(board, cells)
    # `Rules` makes the model, the check and the symmetries; pieces that may be mirrored may be turned over.
    rules = Rules(cells, used_pieces, mirror=not one_sided, named_cells=named_cells)
    parameters = {"board": board, "pieces": pieces, "square": square, "subset": subset}
    return packing_of("pentomino", parameters, rules, unsolved=rules.misfit())
