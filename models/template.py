"""Kings: a small puzzle with everything that a puzzle may have.

Copy this file to declare one of your own. A puzzle needs a name, its parameters, a model and a key; the rest is
optional, and `models.puzzle.Puzzle` says more. Counts on 2x2, 4x4, ...: OEIS A018807.
"""

from collections.abc import Iterable
from itertools import combinations

from ortools.sat.python.cp_model import CpModel

from models.boards import grid
from models.puzzle import Drawing, Literal, Puzzle, PuzzleBoard, Region, Remarks, Solution, Symmetry, true_labels


def kings(board: Region = "4x4", number: int | None = None) -> Puzzle:
    """Place as many kings as possible on a board so that no king attacks another.

    board: HxW, or a drawing in which # is a cell and . is none, here or in a file.
    number: how many kings to place; as many as possible if not given.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> kings().is_solution({(0, 0): 1, (0, 2): 1})  # a cell that is left out has no king
    True
    """
    cells = grid.region(board)
    if number is not None and number < 0:
        raise ValueError(f"{number} kings cannot be placed; give a number from 0")  # bad input: one sentence

    # The model: the rules, and nothing but the rules. It breaks no symmetry.
    model = CpModel()
    king = {cell: model.new_bool_var(f"king[{cell}]") for cell in sorted(cells)}
    for cell_a, other in combinations(king, 2):
        if _attack(cell_a, other):
            model.add_at_most_one(king[cell_a], king[other])
    if number is None:
        model.maximize(sum(king.values()))  # all solutions with the best value are found
    else:
        model.add(sum(king.values()) == number)

    # A second statement of the rules, without the model. The best value need not be checked.
    def is_solution(solution: Solution) -> bool:
        placed = _king_cells(solution)
        if number is not None and len(placed) != number:
            return False
        return not any(_attack(*two) for two in combinations(placed, 2))

    # A picture of a solution, or of a part of one.
    def draw(solution: Solution) -> Drawing:
        labels = dict.fromkeys(cells, "") | dict.fromkeys(_king_cells(solution), "K")
        return [grid.board_with_texts(labels)]

    # A property by which the report counts solutions, too. Symmetric solutions share it.
    def feature(solution: Solution) -> str:
        at_edge = [cell for cell in _king_cells(solution) if not cells.issuperset(grid.neighbours(cell))]
        return f"{len(at_edge)} at the edge"

    # The content of a cell, for --given, hints, which and the galleries.
    def fills(cell: grid.Cell, value: int) -> tuple[str, Iterable[grid.Cell]]:
        return "K", [cell]

    turns = grid.symmetries(cells)[1:]  # generators; the identity is not needed
    symmetries = [_turn_symmetry(turn) for turn in turns]
    # Names of cells, for --given, where a file has rows of names below its drawing.
    names = grid.cells_by_name(board, cells)
    # Sentences for reports.
    remarks = Remarks(
        unsolved=f"the board has no room for {number} kings",
        best=lambda most: f"{most} kings, the most",
        note=f"a board of {len(cells)} cells",
    )
    return Puzzle(
        "kings",
        {"board": board, "number": number},
        model,
        king,  # the key: the variables in which two solutions differ, by their labels
        symmetries=symmetries,
        is_solution=is_solution,
        draw=draw,
        feature=feature,
        fills=fills,
        board=PuzzleBoard(places=names),
        remarks=remarks,
    )


def _king_cells(solution: Solution) -> list[grid.Cell]:
    """Return the cells with a king."""
    return true_labels(solution)


def _attack(cell: grid.Cell, other: grid.Cell) -> bool:
    """Tell whether kings on these two cells attack each other."""
    distances = [abs(a - b) for a, b in zip(cell, other, strict=True)]
    return max(distances) == 1


def _turn_symmetry(turn: grid.Turn) -> Symmetry:
    """Return the symmetry that turns the board."""

    def symmetry(cell: grid.Cell, value: int) -> Literal:
        return turn(cell), value

    return symmetry
