"""The question of a run, as its search and its checks see it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.puzzle import EMPTY, Puzzle, Solution
from solvers.backends.registry import BackendChoice
from solvers.base.errors import InputError
from solvers.base.options import LEVEL, Options
from solvers.base.plugs import FUNCTIONS, function
from solvers.files.given import Fact
from solvers.model.exact_cover import ExactCover
from solvers.running.verify import Verifier
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

FEATURE = "feature"
"""The property that the puzzle itself names, such as the sum of a magic square."""


@dataclass(frozen=True)
class UsedPieces:
    """A property of solutions: the names of the pieces that a solution uses."""

    fills: Callable[[Any, int], tuple[str, Iterable[Any]]]
    """The puzzle's own function of this name; see `models.puzzle.Puzzle.fills`."""

    def __call__(self, solution: Solution) -> str:
        """Return the names of the pieces that a solution uses."""
        return self.piece_names(Counter(self.fills(label, value)[0] for label, value in solution.items() if value))

    @staticmethod
    def piece_names(times: Mapping[str, int]) -> str:
        """Return the names of pieces in alphabetical order, as one text.

        times: how often each name is used; a number above 1 follows the name. One-letter names are not separated.

        >>> UsedPieces.piece_names({"P": 1, "L": 1}), UsedPieces.piece_names({"L": 2})
        ('LP', 'L x2')
        """
        named = [f"{name} x{number}" if number > 1 else name for name, number in sorted(times.items())]
        return ("" if all(len(name) == 1 for name in named) else " ").join(named)


@dataclass(frozen=True)
class EmptyCells:
    """A property of solutions of a packing: the cells that stay empty, in words."""

    places: Mapping[str, tuple[int, ...]]
    """The cells that have names."""

    def __call__(self, solution: Solution) -> str:
        """Return the names of the cells that stay empty, in the order of the cells, with commas between.

        A key label of an empty cell is (EMPTY, (cell,)); a cell without a name is called by its place, such as "row 1
        column 2".
        """
        names = {cell: name for name, cell in self.places.items()}
        cells = sorted(label[1][0] for label, value in solution.items() if value and label[0] == EMPTY)
        axes = ("layer", "row", "column")
        return ", ".join(
            names.get(cell) or " ".join(f"{axis} {n + 1}" for axis, n in zip(axes[-len(cell) :], cell, strict=True))
            for cell in cells
        )


def property_of(puzzle: Puzzle, name: str, also: Sequence[str] = ()) -> Callable[[Solution], str]:
    """Return the function of the property with this name, from a solution to a text.

    The names are "holes" for a packing that leaves cells empty; "level" for a packing of squares or cubes, the numbers
    of moves that take it apart; "pieces" for a puzzle with ``fills``, the names of the pieces that a solution uses; and
    "feature" for a puzzle that names one. also: further names, for the message. Raises `InputError` if the puzzle has
    no such property.
    """
    properties: dict[str, Callable[[Solution], str]] = {}
    if any(isinstance(label, tuple) and label[:1] == (EMPTY,) for label in puzzle.key):
        properties["holes"] = EmptyCells(puzzle.board.places)
    if LEVEL in FUNCTIONS and puzzle.is_packing_of_cubes:
        # Made only if it is asked for; otherwise ``str`` holds its place, for the names in the message.
        properties[LEVEL] = function(LEVEL, "--by level")(puzzle) if name == LEVEL else str
    if puzzle.fills:
        properties["pieces"] = UsedPieces(puzzle.fills)
    # The feature of a puzzle that is counted by a property already is none of its own.
    is_counted_by = isinstance(puzzle.feature, UsedPieces | EmptyCells) or hasattr(puzzle.feature, "takes_apart")
    if puzzle.feature and not is_counted_by:
        properties[FEATURE] = puzzle.feature
    if name not in properties:
        names = ", ".join([*properties, *also]) or "none"
        raise InputError(f"{puzzle.name} has no property {name!r}; there is {names}")
    return properties[name]


@dataclass(frozen=True)
class Question:
    """A puzzle with its model, key, symmetry group and verifier, as the search and the checks use it."""

    puzzle: Puzzle
    model: CpModel
    key: Key
    group: Group
    has_objective: bool
    verifier: Verifier

    given: Sequence[Fact]
    """The givens, which the model has besides the puzzle's rules."""


@dataclass(frozen=True)
class Request:
    """A question whose solutions are to be counted without listing them, with the options of the run."""

    question: Question
    cover: ExactCover | None
    """The model as an exact cover, if it is one."""
    choice: BackendChoice
    """The backend that would list the solutions."""
    options: Options
    identity: dict[str, str]
    """The identity of the run, for its store; a counter adds the key "search"."""
    is_proved: Callable[[], bool]
    """Tells whether the symmetries are proved."""
    stop: threading.Event

    def refuse_method(self, reason: str) -> None:
        """Raise `InputError` with the reason if the user named a method of counting; otherwise do nothing.

        The reason follows "the method NAME" in the message.
        """
        if self.options.method is not None:
            raise InputError(f"{self.question.puzzle.name}: the method {self.options.method} {reason}")
