"""Groups that declared symmetries close to."""

from collections.abc import Sequence
from threading import Event

from models.puzzle import Puzzle, Symmetry
from solvers.symmetry.automorphisms import proved
from solvers.symmetry.groups import ListedGroup, closed, permutations
from solvers.symmetry.key import Key
from tests.support.puzzles import model_of


def closure(key: Key, symmetries: Sequence[Symmetry]) -> ListedGroup:
    """The group by its elements."""
    return closed(key, permutations(key, symmetries))


def group_of(puzzle: Puzzle, *symmetries: Symmetry) -> ListedGroup:
    """The group of these symmetries of a puzzle, by default of those that it declares."""
    return closure(Key(puzzle.model, puzzle.key), symmetries or puzzle.symmetries)


def is_proved(puzzle: Puzzle, *symmetries: Symmetry) -> bool:
    """Whether they are proved to be symmetries."""
    return proved(model_of(puzzle), group_of(puzzle, *symmetries), Event())
