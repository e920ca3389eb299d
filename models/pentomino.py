"""Pentomino: the twelve shapes of five squares fill a board of 60 cells, each used once.

Tenyo's "Pla-Puzzle" (1968) gives 2339 for 6x10, found with a FACOM 270-20; C. J. Fletcher, "A program to solve the
pentomino problem by the recursive use of macros", CACM 8 (1965). Letters: S. W. Golomb, Polyominoes (1965).
"""

from collections.abc import Mapping
from typing import Literal

from ortools.sat.python.cp_model import CpModel

from models import grid
from models.puzzle import Drawing, Puzzle, Solution, Symmetry

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
    board: str = "6x10",
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
    shapes = one_sided_set(PENTOMINOES) if one_sided else dict(PENTOMINOES)
    if square:
        shapes["O"] = SQUARE
    area = sum(map(len, shapes.values()))
    cells = grid.region(board, BOARDS, None if subset else area)
    called = grid.name_of(board)
    if one_sided and len(min(cells)) > 2:
        raise ValueError(f"{called} is a box, where every piece can be turned over; choose a flat board or free pieces")
    if subset and len(cells) > area:
        raise ValueError(f"{called} has {len(cells)} cells, but all the pieces together fill only {area}")

    places = {
        tuple(sorted(place)): name
        for name, shape in shapes.items()
        for place in grid.placements(shape, cells, mirror=not one_sided)
    }
    model = CpModel()
    lies = {(name, place): model.new_bool_var(f"{name} at {place}") for place, name in places.items()}
    for piece in shapes:
        copies = [lies[name, place] for name, place in lies if name == piece]
        if subset:
            model.add_at_most_one(copies)
        else:
            model.add_exactly_one(copies)
    for cell in sorted(cells):
        model.add_exactly_one(lies[name, place] for name, place in lies if cell in place)

    def turned(turn: grid.Turn) -> Symmetry:
        image_of = {cell: turn(cell) for cell in cells}

        def symmetry(label: tuple[str, tuple[grid.Cell, ...]], value: int) -> tuple[object, int]:
            image = tuple(sorted(image_of[cell] for cell in label[1]))
            return (places[image], image), value

        return symmetry

    def is_solution(solution: Solution) -> bool:
        placed = [label for label, lying in solution.items() if lying]
        used = sorted(name for name, _ in placed)
        covered = [cell for _, place in placed for cell in place]
        return (
            len(covered) == len(cells)
            and cells == set(covered)
            and used == sorted(set(used) if subset else shapes)
            and all(grid.is_turned(shapes[name], place, mirror=not one_sided) for name, place in placed)
        )

    def draw(solution: Solution) -> Drawing:
        where = {name: place for (name, place), lying in solution.items() if lying}
        return grid.tiling((name, where.get(name, ())) for name in shapes)

    parameters = {"board": board, "pieces": pieces, "square": square, "subset": subset}
    symmetries = [turned(turn) for turn in grid.symmetries(cells)[1:]]
    return Puzzle("pentomino", parameters, model, lies, symmetries, is_solution, draw, fills=lambda label, lying: label)
