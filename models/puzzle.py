"""The declaration type: a puzzle is a model, the variables that matter, its symmetries, a check and a drawing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar
    from pysat.formula import CNF

Label = Hashable
"""Names a key variable: a (row, column), a piece with its place, a step. Strings, integers and tuples of them."""

Literal = tuple[Label, int]
"""This key variable takes this value."""

Solution = Mapping[Any, int]
"""The value of every key variable; what `is_solution` and `draw` are given. Boolean key variables that are 0 may be
left out (then looking one up gives 0): a board has thousands of places, of which a dozen are taken."""

Symmetry = Callable[[Any, int], Literal]
"""Permutes the literals, and by that maps solutions to solutions: ``symmetry(label, value)`` is the literal's image."""

Point = tuple[float, float]
"""(x, y) in cell widths; x grows to the right, y downwards."""


Region = Annotated[str, "cells"]
"""What a parameter of a declaring function is that says which cells there are, as `models.grid.region` reads it: in a
notebook it is a board to click on."""


class Shape(NamedTuple):
    """A coloured area of a drawing."""

    rings: Sequence[Sequence[Point]]
    """Its outline and the outlines of its holes, each a closed polygon without its last corner repeated."""

    label: str = ""
    """What is written in it, as a rule one character."""

    colour: int | str | None = None
    """Its colour class: shapes of a class look alike, those of different classes do not. The names "light" and "dark"
    (squares of a board), "white" and "black" (counters), "kept", "added" and "removed" (what moves) and "heat 1" (cool)
    to "heat 6" are taken at their word; None is left blank."""

    outline: bool = True
    """Whether its border is drawn."""

    mark: str = ""
    """What stands for it in a text, where it is too small for lines."""


class Letters(NamedTuple):
    """What a text shows of cells that its characters cannot draw, such as hexagons: their names at their places."""

    names: Mapping[tuple[int, ...], str]
    """By (line, column)."""

    width: int = 1
    """Of the longest name that may stand in a cell."""

    @property
    def pitch(self) -> int:
        """How many characters a column takes: one, and where names are longer, a blank besides."""
        return self.width + (self.width > 1)


class Frame(NamedTuple):
    """One picture; a drawing has several where time or a third dimension passes."""

    shapes: Sequence[Shape]
    caption: str = ""
    letters: Letters | None = None
    """What a text shows in place of the shapes."""


Drawing = Sequence[Frame]


class Step(NamedTuple):
    """One move of a puzzle that has moves: a model that relates a position to the next and says nothing else."""

    model: CpModel
    before: Mapping[Any, IntVar]
    after: Mapping[Any, IntVar]
    """The variables that make a position, under the same labels as before the move."""

    goals: Sequence[Mapping[Any, int]]
    """Positions, as values by those labels."""

    show: Callable[[Mapping[Any, int]], str]
    """A position in one line of text."""


@dataclass(frozen=True)
class Puzzle:
    """A puzzle, declared once: its rules and nothing but its rules. Which solver finds the solutions is not said here.

    Two assignments are the same solution iff they agree on the key variables. The symmetries generate a group under
    which the set of solutions is closed; no symmetry is broken in the model. A model with an objective means: all
    solutions that have the best value.
    """

    name: str
    parameters: Mapping[str, object]
    """As given; for reports and for the identity of a stored run."""

    model: CpModel | CNF
    key: Mapping[Any, IntVar | int]
    """A variable of the CpModel, or the number of a variable of the CNF, by its label."""

    symmetries: Sequence[Symmetry] = ()
    is_solution: Callable[[Solution], bool] | None = None
    """The rules with pencil and paper; shares nothing with the model. None where nobody wrote it down."""

    draw: Callable[[Solution], Drawing] | None = None
    """What solvers show. Given a part of a solution, it draws what that tells; so drawings can be read back."""

    feature: Callable[[Solution], str] | None = None
    """A property by which the report also counts, such as "sum 12"; symmetric solutions share it."""

    fills: Callable[[Any, int], tuple[str, Iterable[tuple[int, ...]]]] | None = None
    """What lies where if a literal holds: a name, such as a piece's, and cells, (row, column) or (layer, row, column).
    Of a Boolean variable it is asked for the value 1 only."""

    unsolved: str = ""
    """What it means that there is no solution, where this is not plain: "no plan of 20 moves or fewer"."""

    best: Callable[[Any], str] | None = None
    """The best value in words, if the puzzle asks for one: "8 moves, the fewest"."""

    note: str = ""
    """What a person should know of how the parameters were understood: "A and B have the same shape"."""

    polygon: Callable[[tuple[int, ...]], Sequence[Point]] | None = None
    """The corners of a cell of those that `fills` names, where cells are no squares."""

    sheets: Callable[[Sequence[Solution]], Sequence[Drawing]] | None = None
    """What is printed on sheets of paper: first what one begins with, then these solutions."""
