"""Pentomino: the twelve shapes of five squares fill a board of 60 cells, each used once.

Tenyo's "Pla-Puzzle" (1968) gives 2339 for 6x10, found with a FACOM 270-20; C. J. Fletcher, "A program to solve the
pentomino problem by the recursive use of macros", CACM 8 (1965). Letters: S. W. Golomb, Polyominoes (1965).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from ortools.sat.python.cp_model import CpModel

from models import grid
from models.puzzle import Drawing, Puzzle, Region, Solution, Symmetry

PENTOMINOES = {
    "F": grid.drawn(".##", "##.", ".#."),
    "I": grid.drawn("#####"),
    "L": grid.drawn("####", "#..."),
    "N": grid.drawn("###.", "..##"),
    "P": grid.drawn("###", "##."),
    "T": grid.drawn("###", ".#.", ".#."),
    "U": grid.drawn("#.#", "###"),
    "V": grid.drawn("###", "#..", "#.."),
    "W": grid.drawn("#..", "##.", ".##"),
    "X": grid.drawn(".#.", "###", ".#."),
    "Y": grid.drawn("####", ".#.."),
    "Z": grid.drawn("##.", ".#.", ".##"),
}
SQUARE = grid.drawn("##", "##")

Place = tuple[grid.Cell, ...]
"""The cells that a piece covers, in order."""

BOARDS = {
    "8x8-centre": grid.box(8, 8) - {(3, 3), (3, 4), (4, 3), (4, 4)},
    "8x8-corners": grid.box(8, 8) - {(0, 0), (0, 7), (7, 0), (7, 7)},
}


def one_sided_set(shapes: Mapping[str, grid.Cells]) -> dict[str, grid.Cells]:
    """The pieces of a set whose mirror images count as other pieces; the mirror image of F is called F'.

    >>> len(one_sided_set(PENTOMINOES))
    18
    """
    both = dict(shapes)
    for name, shape in shapes.items():
        mirrored = frozenset((row, -column) for row, column in shape)
        if not grid.is_turned(shape, mirrored, mirror=False):
            both[f"{name}'"] = grid.normalised(mirrored)
    return both


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

    >>> puzzle = pentomino("3x20")
    >>> len(puzzle.key), len(puzzle.symmetries)
    (1236, 3)
    """
    one_sided = pieces == "one-sided"
    shapes = _shapes(one_sided, square)
    cells = _cells(board, shapes, one_sided, subset)
    name_of = {
        tuple(sorted(place)): name
        for name, shape in shapes.items()
        for place in grid.placements(shape, cells, mirror=not one_sided)
    }
    model = CpModel()
    lies = {(name, place): model.new_bool_var(f"{name} at {place}") for place, name in name_of.items()}
    # Each piece lies in one place; where a subset is enough, in one or none.
    for piece in shapes:
        copies = [lies[name, place] for name, place in lies if name == piece]
        if subset:
            model.add_at_most_one(copies)
        else:
            model.add_exactly_one(copies)
    # Each cell is covered by one piece.
    for cell in sorted(cells):
        model.add_exactly_one(lies[name, place] for name, place in lies if cell in place)

    parameters = {"board": board, "pieces": pieces, "square": square, "subset": subset}
    symmetries = [_turned(turn, name_of, cells) for turn in grid.symmetries(cells)[1:]]
    is_solution = partial(_is_filled, cells=cells, shapes=shapes, mirror=not one_sided, subset=subset)
    draw, unsolved = partial(_drawn, list(shapes)), _misfit(len(cells), shapes)
    return Puzzle("pentomino", parameters, model, lies, symmetries, is_solution, draw, None, _fills, unsolved)


def _shapes(one_sided: bool, square: bool) -> dict[str, grid.Cells]:
    shapes = one_sided_set(PENTOMINOES) if one_sided else dict(PENTOMINOES)
    return {**shapes, "O": SQUARE} if square else shapes


def _cells(board: str, shapes: Mapping[str, grid.Cells], one_sided: bool, subset: bool) -> grid.Cells:
    """The board's cells; ValueError if the pieces cannot fill it."""
    area = sum(map(len, shapes.values()))
    cells = grid.region(board, BOARDS, None if subset else area)
    called = grid.name_of(board)
    if one_sided and len(min(cells)) > 2:
        raise ValueError(f"{called} is a box, where every piece can be turned over; choose a flat board or free pieces")
    if subset and len(cells) > area:
        raise ValueError(f"{called} has {len(cells)} cells, but all the pieces together fill only {area}")
    return cells


def _fills(label: tuple[str, Place], lying: int) -> tuple[str, Place]:
    return label


def _misfit(area: int, shapes: Mapping[str, grid.Cells]) -> str:
    """Why no set of the pieces can fill the area; empty if some sets can."""
    areas = {0}
    for shape in shapes.values():
        areas |= {filled + len(shape) for filled in areas}
    if area in areas:
        return ""
    low, high = max(one for one in areas if one < area), min(one for one in areas if one > area)
    return f"no set of the pieces covers {area} cells; the nearest cover {low} and {high}"


def _turned(turn: grid.Turn, name_of: Mapping[Place, str], cells: grid.Cells) -> Symmetry:
    """The board is turned, and each piece with it; the mirror image of a one-sided piece has another name."""
    image_of = {cell: turn(cell) for cell in cells}

    def symmetry(label: tuple[str, Place], value: int) -> tuple[object, int]:
        image = tuple(sorted(image_of[cell] for cell in label[1]))
        return (name_of[image], image), value

    return symmetry


def _is_filled(
    solution: Solution, cells: grid.Cells, shapes: Mapping[str, grid.Cells], mirror: bool, subset: bool
) -> bool:
    placed = [label for label, lying in solution.items() if lying]
    used = sorted(name for name, _ in placed)
    covered = [cell for _, place in placed for cell in place]
    return (
        len(covered) == len(cells)
        and cells == set(covered)
        and used == sorted(set(used) if subset else shapes)
        and all(grid.is_turned(shapes[name], place, mirror) for name, place in placed)
    )


def _drawn(names: Sequence[str], solution: Solution) -> Drawing:
    where = {name: place for (name, place), lying in solution.items() if lying}
    return grid.tiling((name, where.get(name, ())) for name in names)
