"""Groups that declared symmetries close to, and those that are found."""

from collections.abc import Iterable, Sequence
from threading import Event
from typing import Any

from models.puzzle import Puzzle, Symmetry
from solvers.symmetry import automorphisms
from solvers.symmetry.groups import ListedGroup, generate_group, permutations
from solvers.symmetry.key import Key
from tests.support.puzzles import model_of


def closure(key: Key, symmetries: Sequence[Symmetry]) -> ListedGroup:
    """The group by its elements."""
    return generate_group(key, permutations(key, symmetries))


def group_of(puzzle: Puzzle, *symmetries: Symmetry) -> ListedGroup:
    """The group of these symmetries of a puzzle, by default of those that it declares."""
    return closure(Key(puzzle.model, puzzle.key), symmetries or puzzle.symmetries)


def is_proved(puzzle: Puzzle, *symmetries: Symmetry) -> bool:
    """Whether they are proved to be symmetries."""
    return automorphisms.are_generators_proved(model_of(puzzle), group_of(puzzle, *symmetries), Event())


def order(asked: Puzzle, labels: Iterable[Any] | None = None) -> int:
    """The order of the group that is found of the model, for these labels of its key or for all."""
    key = Key(asked.model, {label: asked.key[label] for label in (asked.key if labels is None else labels)})
    found = automorphisms.find_automorphism_group(model_of(asked), key, Event())
    group = automorphisms.group_of(found)
    assert group.order == found.order
    assert all((image != range(key.size)).any() for image in found.generators.values()), "one that moves nothing"
    return group.order
