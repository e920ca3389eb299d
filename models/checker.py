"""Checker: thirteen pieces, each cell dark or light, fill a chessboard so that the whole board is chequered.

Tenyo's CHECKER PUZZLE: the twelve pentominoes and the square, printed on one side. Its case says that there are exactly
two solutions. Without colours and with pieces that may be turned over it is the 8x8 board with the square of
`models.pentomino`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from functools import cache, partial
from typing import NamedTuple

from ortools.sat.python.cp_model import CpModel

from models import grid
from models.pentomino import BOARDS, PENTOMINOES, SQUARE, one_sided_set
from models.puzzle import Drawing, Frame, Literal, Puzzle, Shape, Solution, Symmetry

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


class Piece(NamedTuple):
    """A piece as it lies on the table, printed side up."""

    shape: grid.Cells
    dark: int
    """How many of its cells are dark; where that is not half of them, it tells which they are."""


def _dark(cells: Iterable[grid.Cell]) -> int:
    """How many of the cells are dark on the board, whose upper left cell is."""
    return sum((row + column) % 2 == 0 for row, column in cells)


def _spellings() -> dict[str, Piece]:
    found = {}
    for name, shape in one_sided_set({**PENTOMINOES, "O": SQUARE}).items():
        for dark in {_dark(shape), len(shape) - _dark(shape)}:
            found[name if 2 * dark >= len(shape) else name.lower()] = Piece(shape, dark)
    return found


SPELLINGS = _spellings()
"""What the parts of a piece-set string mean. A pentomino's letter is a capital where most of its cells are dark and
small where most are light; ' behind it says that the piece is the mirror image of the one drawn in `models.pentomino`.
The square, O, is the same both ways."""

LETTERS = "".join(sorted(name for name in SPELLINGS if len(name) == 1 and name.isupper()))


def read_set(text: str) -> dict[str, Piece]:
    """The pieces, by capital letter, of a set that names each of the thirteen once, in any order.

    Raises ValueError, with a sentence that says what is wrong.

    >>> read_set("FIL'NPTUVwXYZO")["W"].dark
    2
    """
    spelt = re.findall(r"\S'?", text)
    for spelling in spelt:
        if spelling not in SPELLINGS:
            same = ", ".join(letter for letter in LETTERS if f"{letter}'" not in SPELLINGS)
            raise ValueError(
                f"{spelling!r} is no piece; write each letter of {LETTERS} once, small (but for O) where most of its "
                f"cells are light, with ' behind it for its mirror image (but for {same})"
            )
    count = Counter(spelling[0].upper() for spelling in spelt)
    for letter in LETTERS:
        if count[letter] != 1:
            raise ValueError(f"the pieces hold {letter} {count[letter]} times; write tenyo or each of {LETTERS} once")
    return {spelling[0].upper(): SPELLINGS[spelling] for spelling in spelt}


def set_of(tiling: Iterable[grid.Cells]) -> str:
    """The only set, coloured and one-sided, that fills the board in this way; of all sets, each tiling solves just one.

    tiling: the places of the thirteen pieces.
    """
    return "".join(sorted(map(_spelling, tiling), key=str.upper))


@cache
def _spelling(place: grid.Cells) -> str:
    return next(
        spelling
        for spelling, piece in SPELLINGS.items()
        if piece.dark == _dark(place) and grid.is_turned(piece.shape, place, mirror=False)
    )


def lettered(rows: Iterable[str]) -> dict[str, grid.Cells]:
    """The cells of each letter on a board drawn with letters.

    >>> sorted(lettered(["LLI", "L.I"])["L"])
    [(0, 0), (0, 1), (1, 0)]
    """
    areas = defaultdict(set)
    for row, line in enumerate(rows):
        for column, letter in enumerate(line):
            areas[letter].add((row, column))
    return {letter: frozenset(cells) for letter, cells in areas.items()}


TENYO = set_of(lettered(PRINTED).values())


def checker(pieces: str = "tenyo", flip: bool = False, coloured: bool = True, centre: bool = False) -> Puzzle:
    """Fill a chessboard with the pentominoes and the square, each cell of them dark or light.

    pieces: tenyo or 13 letters, capital for more dark cells, small for more light, ' for a mirror image (FIl'N...).
    flip: let pieces be turned over.
    coloured: match the colours of the board, whose upper left cell is dark.
    centre: put the square in the middle of the board.

    >>> puzzle = checker()
    >>> len(puzzle.key), len(puzzle.symmetries)
    (801, 1)
    """
    chosen = read_set(TENYO if pieces == "tenyo" else pieces)
    model = CpModel()
    lies = {
        (letter, tuple(sorted(place))): model.new_bool_var(f"{letter} at {sorted(place)}")
        for letter, piece in chosen.items()
        for place in ([CENTRE] if centre and letter == "O" else grid.placements(piece.shape, BOARD, mirror=flip))
        if not coloured or _dark(place) == piece.dark
    }
    # Each piece lies in one place.
    for letter in chosen:
        model.add_exactly_one(lies[label] for label in lies if label[0] == letter)
    # Each cell is covered by one piece.
    for cell in sorted(BOARD):
        model.add_exactly_one(lies[label] for label in lies if cell in label[1])
    # The pieces have as many dark cells as the board; searching would not soon show that they have not.
    if coloured and sum(piece.dark for piece in chosen.values()) != _dark(BOARD):
        model.add_exactly_one([])

    def is_solution(solution: Solution) -> bool:
        placed = [label for label, lying in solution.items() if lying]
        return (
            sorted(letter for letter, _ in placed) == sorted(chosen)
            and Counter(cell for _, place in placed for cell in place) == Counter(BOARD)
            and all(grid.is_turned(chosen[letter].shape, place, mirror=flip) for letter, place in placed)
            and (not coloured or all(_dark(place) == chosen[letter].dark for letter, place in placed))
            and (not centre or any(letter == "O" and set(place) == CENTRE for letter, place in placed))
        )

    parameters = {"pieces": pieces, "flip": flip, "coloured": coloured, "centre": centre}
    symmetries, draw = _symmetries(lies), partial(_drawn, coloured)
    return Puzzle("checker", parameters, model, lies, symmetries, is_solution, draw, fills=lambda label, lying: label)


def _symmetries(labels: Collection[tuple[str, tuple[grid.Cell, ...]]]) -> list[Symmetry]:
    """The turns of the board that lead from places to places: they keep its colours, and the sides of the pieces."""

    def turned(turn: grid.Turn) -> Symmetry:
        def symmetry(label: tuple[str, tuple[grid.Cell, ...]], value: int) -> Literal:
            return (label[0], tuple(sorted(map(turn, label[1])))), value

        return symmetry

    turns = map(turned, grid.symmetries(BOARD)[1:])
    return [turn for turn in turns if all(turn(label, 1)[0] in labels for label in labels)]


CHEQUERS = [
    Shape(grid.outline([(row, column)]), colour="light" if (row + column) % 2 else "dark", outline=False)
    for row, column in sorted(BOARD)
]


def _drawn(coloured: bool, solution: Solution) -> Drawing:
    tiles = sorted(label for label, lying in solution.items() if lying)
    if not coloured:
        return grid.tiling(tiles)
    return [Frame([*CHEQUERS, *(Shape(grid.outline(place), letter) for letter, place in tiles)])]
