"""The disassembly of solutions: their pieces, and the property by which a run counts them."""

from __future__ import annotations

from models.packings.isometric import Tile
from models.puzzle import EMPTY, Puzzle, Solution
from solvers.base.errors import InputError
from solvers.extras.questions.disassembly.disassembly import MAX_POSITIONS, Disassembly, disassembly


def tiles(puzzle: Puzzle, solution: Solution) -> list[Tile]:
    """Return the pieces (name, cells) of a solution, without the cells that stay empty.

    Raises `InputError` if the puzzle is no packing of squares or cubes.
    """
    if not puzzle.fills or not puzzle.is_packing_of_cubes:
        raise InputError(f"{puzzle.name} is no packing of squares or cubes, so nothing can be taken apart")
    names_and_cells = [puzzle.fills(label, value) for label, value in solution.items() if value]
    pieces = [(name, [tuple(cell) for cell in cells]) for name, cells in names_and_cells if name != EMPTY]
    return [(name, cells) for name, cells in pieces if cells]


def disassembly_of(puzzle: Puzzle, solution: Solution, most: int = MAX_POSITIONS) -> Disassembly:
    """Take the pieces of a solution apart.

    Pieces stay together as the puzzle says. most: how many positions to look at. Raises `InputError` if the puzzle is
    no packing of squares or cubes, or has groups of pieces that are not understood.
    """
    check_groups(puzzle)
    return disassembly(tiles(puzzle, solution), most, puzzle.board.groups)


def check_groups(puzzle: Puzzle) -> None:
    """Raise `InputError` if the puzzle has pieces whose copies belong to several groups."""
    if several := [name for name, group in puzzle.board.groups.items() if not group]:
        raise InputError(
            f"the copies of {several[0]} belong to several groups of pieces that may stay together, which is not "
            "understood; put them into one group, or make them different pieces"
        )


class Level:
    """The property by which a run counts how assemblies come apart."""

    takes_apart = True
    """True for this property, by which pictures know that moves are asked for."""

    def __init__(self, puzzle: Puzzle) -> None:
        """Take the puzzle; raise `InputError` for groups of pieces that are not understood."""
        check_groups(puzzle)
        self._puzzle = puzzle
        self.is_of_orbits = puzzle.board.packing is not None
        """True if all symmetries turn the board, so that an assembly has the level of its images."""

    def __call__(self, solution: Solution) -> str:
        """Return the level of a solution, or words if it has none."""
        return disassembly_of(self._puzzle, solution).level


def prepare(folder: str) -> None:
    """Take a small assembly apart, for which the search is compiled; folder: not used."""
    disassembly([("A", [(0, 1), (1, 0)]), ("B", [(0, 0), (1, 1)])])
