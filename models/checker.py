"""Checker: thirteen pieces, each cell dark or light, fill a chessboard so that the whole board is chequered.

Tenyo's CHECKER PUZZLE: the twelve pentominoes and the square, printed on one side. Its case says that there are exactly
two solutions. Without colours and with pieces that may be turned over it is the 8x8 board with the square of
`models.pentomino`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from models.boards import grid
from models.boards.grid import Cell, Cells
from models.errors import ParameterError
from models.packings.pieces import Piece as Used
from models.packings.pieces import Place, Rules, packing_of
from models.packings.sets import BOARDS, PENTOMINOES, SQUARE_TETROMINO, one_sided_set
from models.puzzle import Drawing, Puzzle, Shape, Solution

BOARD = grid.box(8, 8)
CENTRE = BOARD - BOARDS["8x8-centre"]

PRINTED = (
    "IIIIIZSS",
    "KKKTZZSJ",
    "KTTTZSSJ",
    "KEETZWWJ",
    "OOEEWWJJ",
    "OOEXWCCC",
    "PPXXXCFC",
    "PPPXFFFF",
)
"""One of the two solutions printed with Tenyo's puzzle, in its own letters; it fixes each piece's side and colours."""


class PrintedPiece(NamedTuple):
    """A piece as it is on the table, printed side up."""

    shape: Cells
    dark: int
    """The number of its dark cells; unless it is half of them, it determines which cells are dark."""


def _dark(cells: Iterable[Cell]) -> int:
    """Count the cells (row, column) that are dark on the board whose upper left cell is dark."""
    return sum((row + column) % 2 == 0 for row, column in cells)


def _spellings() -> dict[str, PrintedPiece]:
    """Return the printed piece that each spelling means, such as "F", "f" or "F'"; see `SPELLINGS`.

    `one_sided_set` returns each shape and, as F', its mirror image if that is another shape. The name is in capitals if
    at least half of the cells are dark, and small otherwise.
    """
    printed_pieces = {}
    shapes = one_sided_set({**PENTOMINOES, "O": SQUARE_TETROMINO})
    for name, shape in shapes.items():
        # Moved by one cell on the board, the shape has its dark and light cells exchanged.
        dark_cells = _dark(shape)
        for dark in {dark_cells, len(shape) - dark_cells}:
            spelling = name
            if 2 * dark < len(shape):
                spelling = name.lower()
            printed_pieces[spelling] = PrintedPiece(shape, dark)
    return printed_pieces


SPELLINGS = _spellings()
"""The piece that each spelling in a set of pieces means.

A pentomino's letter is a capital where most of its cells are dark and small where most are light; ' behind it says that
the piece is the mirror image of the one drawn in `models.pentomino`. The square, O, is the same both ways.
"""

LETTERS = "".join(sorted(name for name in SPELLINGS if len(name) == 1 and name.isupper()))


def read_set(text: str) -> dict[str, PrintedPiece]:
    """Read a text that spells each of the 13 pieces once, in any order; return them by capital letter.

    A letter is a capital if most of its cells are dark, small if most are light (O is always O); ' behind it means the
    mirror image. See `SPELLINGS`.

    Raises ValueError, with a sentence that says what is wrong. A `PrintedPiece` is a shape with the number of its dark
    cells.

    >>> read_set("FIL'NPTUVwXYZO")["W"].dark
    2
    """
    spelt = re.findall(r"\S'?", text)
    for spelling in spelt:
        if spelling not in SPELLINGS:
            symmetric_letters = [letter for letter in LETTERS if f"{letter}'" not in SPELLINGS]
            same = ", ".join(symmetric_letters)
            raise ParameterError(
                f"{spelling!r} is not a piece; write each letter of {LETTERS} once, small (except O) if most of its "
                f"cells are light, with ' behind it for its mirror image (except {same})"
            )
    count = Counter(spelling[0].upper() for spelling in spelt)
    for letter in LETTERS:
        if count[letter] != 1:
            raise ParameterError(
                f"the pieces hold {letter} {count[letter]} times; write tenyo or each of {LETTERS} once"
            )
    return {spelling[0].upper(): SPELLINGS[spelling] for spelling in spelt}


def set_of(tiling: Iterable[Cells]) -> str:
    """Return the set of coloured, one-sided pieces that fills the board in this way, as text.

    It is written as `read_set` reads it. Each tiling belongs to exactly one such set. tiling: the cells of each of the
    thirteen pieces.
    """
    spellings = map(_spelling, tiling)
    return "".join(sorted(spellings, key=str.upper))


@cache
def _spelling(place: Cells) -> str:
    """Return the spelling of the printed piece that is in this place of the board."""
    dark = _dark(place)
    candidates = [spelling for spelling, piece in SPELLINGS.items() if piece.dark == dark]
    return next(name for name in candidates if grid.is_turned(SPELLINGS[name].shape, place, mirror=False))


def cells_by_letter(rows: Iterable[str]) -> dict[str, Cells]:
    """Return the cells (row, column) of each letter on a board whose rows are drawn with letters.

    >>> sorted(cells_by_letter(["LLI", "L.I"])["L"])
    [(0, 0), (0, 1), (1, 0)]
    """
    areas = defaultdict(set)
    for row, line in enumerate(rows):
        for column, letter in enumerate(line):
            areas[letter].add((row, column))
    return {letter: frozenset(cells) for letter, cells in areas.items()}


TENYO = set_of(cells_by_letter(PRINTED).values())


def checker(pieces: str = "tenyo", flip: bool = False, coloured: bool = True, centre: bool = False) -> Puzzle:
    """Fill a chessboard with the pentominoes and the square, each cell of them dark or light.

    pieces: tenyo or 13 letters, capital for more dark cells, small for more light, ' for a mirror image (FIl'N...).
    flip: let pieces be turned over.
    coloured: match the colours of the board, whose upper left cell is dark.
    centre: put the square in the middle of the board.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> puzzle = checker()
    >>> len(puzzle.key), len(puzzle.symmetries)
    (801, 1)
    """
    # By letter, the shape of each piece and the number of its dark cells, which says where it fits the chequers.
    spellings = TENYO if pieces == "tenyo" else pieces
    chosen = read_set(spellings)

    def allows(letter: str, place: Place) -> bool:
        if centre and letter == "O" and set(place) != CENTRE:
            return False
        return not coloured or _dark(place) == chosen[letter].dark

    used_pieces = [Used(letter, piece.shape) for letter, piece in chosen.items()]
    rules = Rules(BOARD, used_pieces, flip, allows=allows)
    parameters = {"pieces": pieces, "flip": flip, "coloured": coloured, "centre": centre}
    # `packing_of` makes a puzzle in which the pieces fill the board, each once.
    puzzle = packing_of("checker", parameters, rules)
    # The pieces have as many dark cells as the board; searching would not soon show that they have not.
    dark = sum(piece.dark for piece in chosen.values())
    if coloured and dark != _dark(BOARD):
        puzzle.model.add_exactly_one([])
    return replace(puzzle, draw=partial(_draw, coloured))


def _chequer(cell: Cell) -> Shape:
    """Return the dark or light square of a cell."""
    colour = "light" if sum(cell) % 2 else "dark"
    return Shape(grid.outline([cell]), colour=colour, outline=False)


CHEQUERS = [*map(_chequer, sorted(BOARD))]
"""The dark and light squares of the board, as shapes to be drawn under the pieces."""


def _draw(coloured: bool, solution: Solution) -> Drawing:
    """Draw a solution; if ``coloured``, on the chequered board.

    The pieces lose their colours then, so that the chequers show through. Only shapes with a label are kept, which are
    the pieces: the chequers take the place of the empty cells and of the border. solution: 0 or 1 by (letter, cells).
    `grid.tiling` draws pieces, (name, cells), on a board.
    """
    tiles = sorted(label for label, lying in solution.items() if lying)
    drawing = grid.tiling(tiles, board=BOARD)
    if not coloured:
        return drawing
    (frame,) = drawing
    shapes = [shape._replace(colour=None) for shape in frame.shapes if shape.label]
    return [frame._replace(shapes=[*CHEQUERS, *shapes])]
