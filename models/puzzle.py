"""The declaration type.

A puzzle is a model, the variables that matter, its symmetries, a check and a drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from models.boards.lattice import Lattice
from models.boards.lattice import Point as Point

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar
    from pysat.formula import CNF

Label = Hashable
"""The name of a key variable: a (row, column), a piece with its place, a step. Strings, integers and tuples of them."""

Literal = tuple[Label, int]
"""(label, value): the key variable with this label has this value."""

Solution = Mapping[Any, int]
"""The value of every key variable by its label, also of those that are 0, in the order of the key.

`is_solution`, `draw` and `feature` take a solution so. Only `draw` may be given a part of one.
"""


def true_labels(solution: Solution) -> list[Any]:
    """Return the labels of a solution, or of a part of one, whose value is not 0.

    >>> true_labels({"a": 1, "b": 0})
    ['a']
    """
    return [label for label, value in solution.items() if value]


Symmetry = Callable[[Any, int], Literal]
"""A permutation of the literals that maps solutions to solutions: ``symmetry(label, value)`` is the literal's image."""

Region = Annotated[str, "cells"]
"""The type of a parameter that says which cells there are, in the form that `models.boards.grid.region` reads. A
notebook shows it as a board to click on."""


class Shape(NamedTuple):
    """A coloured area of a drawing."""

    rings: Sequence[Sequence[Point]]
    """Its outline and the outlines of its holes, each a closed polygon without its last corner repeated."""

    label: str = ""
    """The text in it, as a rule one character."""

    colour: int | str | None = None
    """Its colour class: shapes of a class look alike, those of different classes do not. The names "light" and "dark"
    (squares of a board), "white" and "black" (counters), "kept", "added" and "removed" (what moves) and "heat 1" (cool)
    to "heat 6" are taken at their word, as are "empty" (a cell on which nothing lies), "hole" (a place within a
    board that is no part of it), "shade" (on what is behind it), "sign" (only its mark is drawn, in pictures too),
    "unit" (thin lines between the cubes of a solid), "hidden" (the dashed outline of what is not seen), "arrow"
    (above all else), "words" (nothing but a text) and codes (#rrggbb); None is left blank."""

    outline: bool = True
    """Whether its border is drawn."""

    mark: str = ""
    """The character that represents it in a text, if it is too small for lines."""

    at: Point | None = None
    """The middle of its label; None lets whoever draws it choose."""


class Board(NamedTuple):
    """The cells of a frame."""

    names: Mapping[tuple[int, ...], str]
    """The name of the content of each cell, by (row, column); empty for empty cells."""

    lattice: Lattice

    width: int = 1
    """The length of the longest name that may be in a cell."""

    @property
    def pitch(self) -> int:
        """Characters that a column takes in a list of names.

        It is the width, plus a blank if the width is more than 1.
        """
        return self.width + (self.width > 1)


class Frame(NamedTuple):
    """One picture of a drawing; a drawing has several frames for moves or for layers."""

    shapes: Sequence[Shape]
    caption: str = ""
    board: Board | None = None
    """The cells that can be pointed at, where the picture is made of cells."""

    def with_shapes(self, *shapes: Shape) -> Frame:
        """Return the picture with more shapes above the others."""
        return self._replace(shapes=[*self.shapes, *shapes])


Drawing = Sequence[Frame]
"""The frames of a picture, in order."""


class Given(NamedTuple):
    """The part of a solution that is known before the search."""

    values: Solution = MappingProxyType({})
    """The values of the key variables that are known."""

    contents: Mapping[tuple[int, ...], str] = MappingProxyType({})
    """The name of what is in a cell, where it is not known in which place that lies."""


class FileReading(NamedTuple):
    """The way from a file of another program to the model of a puzzle."""

    readers: Sequence[str]
    """The programs between the file and the model, in words; a mistake in one of them is in all counts."""

    violation: Callable[[Sequence[int]], str] | None = None
    """Returns what of the file an assignment violates, "" for nothing: a second reading, which shares nothing with the
    first. It takes the values of all variables of the model, in their order. None if there is no second reading."""

    versions: Mapping[str, str] = MappingProxyType({})
    """The versions of the readers by other people, by their names."""

    named: Sequence[Any] = ()
    """The labels of the key variables that the file names, where others have no name; empty if all have names, or
    none has."""

    lines: Callable[[], Mapping[int, tuple[int, str]]] = dict
    """Returns the line of the file that states a constraint of the model, by the constraint's place, and the words
    that stand for a constraint of this line on variables without names; "" for none."""

    values: Mapping[Any, Mapping[int, str]] = MappingProxyType({})
    """The names of values, such as those of an enumeration, by label."""

    suspects: Callable[[Any], Any] | None = None
    """Tells, for each row of an array with an assignment each, whether ``violation`` may find something in it: quicker
    for many. None if there is no such function."""


DEFINITION = "definition"
"""The name of constraints that only determine new variables; reasons take them for granted."""

EMPTY = "_"
"""The name that `Puzzle.fills` returns for a literal that leaves a cell empty."""


class Packed(NamedTuple):
    """A piece of a packing."""

    name: str
    colours: Mapping[tuple[int, ...], str]
    """The colour of each of its cells; empty texts if colours say nothing."""
    least: int
    """The least number of times that it is used."""
    most: int | None
    """The greatest number of times that it is used; None if there is no limit."""


class Packing(NamedTuple):
    """A board, all of which is filled with pieces that may be turned in all ways.

    Where pieces may lie, the labels of the key tell: they are (name of a piece, cells), or (name, cells, their
    colours). A piece `EMPTY` of one cell lies where a cell stays empty.
    """

    board: Collection[tuple[int, ...]]
    pieces: Sequence[Packed]


class PuzzleBoard(NamedTuple):
    """The cells of a puzzle and the pieces that may be on them, for drawings and for programs that know pieces."""

    lattice: Lattice | None = None
    """The kind of the cells that `Puzzle.fills` names; None for squares and cubes."""

    places: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    """The cells that have names, such as the dates of a calendar; facts may use these."""

    fits: Callable[[int], bool] | None = None
    """Tells whether the areas of the pieces can add up to this number of cells; None if that is not known."""

    packing: Packing | None = None
    """What is packed; None if there is more to the puzzle than pieces on a board."""

    groups: Mapping[str, int] = MappingProxyType({})
    """For pieces that may stay together when a packing is taken apart: the group of each, by its name. Pieces of one
    group need not come apart from each other; 0 says that a piece has copies in several groups."""


class Remarks(NamedTuple):
    """Sentences about a puzzle, for reports."""

    unsolved: str = ""
    """For the case that there is no solution: "no plan of 20 moves or fewer"."""

    best: Callable[[Any], str] | None = None
    """The best value in words, if the puzzle asks for one: "8 moves, the fewest"."""

    note: str = ""
    """How the parameters were understood: "A and B have the same shape"."""

    warnings: Sequence[str] = ()
    """What its author may have meant otherwise, or what may be wrong with its file."""


@dataclass(frozen=True)
class Puzzle:
    """A puzzle, declared once: its rules and nothing but its rules.

    Which solver finds the solutions is not said here. Two assignments are the same solution iff they agree on the key
    variables. The symmetries generate a group under which the set of solutions is closed; no symmetry is broken in the
    model. A model with an objective means: all solutions that have the best value.
    """

    name: str
    parameters: Mapping[str, object]
    """The parameters as given, for reports and for the identity of a stored run."""

    model: CpModel | CNF
    key: Mapping[Any, IntVar | int]
    """A variable of the CpModel, or the number of a variable of the CNF, by its label."""

    symmetries: Sequence[Symmetry] = ()
    is_solution: Callable[[Solution], bool] | None = None
    """A second statement of the rules, which shares nothing with the model; None if there is none."""

    are_solutions: Callable[[Any], Any] | None = field(default=None, kw_only=True)
    """The same for many solutions at once, which is fast: takes a NumPy array of values, with a row for each solution
    and a column for each label in the order of the key, and returns a truth value for each row."""

    draw: Callable[[Solution], Drawing] | None = None
    """A drawing of a solution. Given a part of a solution, it draws that part, so that drawings can be read back.
    In a part, looking up a Boolean that is not known gives 0."""

    feature: Callable[[Solution], str] | None = None
    """A property by which the report also counts, such as "sum 12"; symmetric solutions share it."""

    fills: Callable[[Any, int], tuple[str, Iterable[tuple[int, ...]]]] | None = None
    """Returns the name (such as a piece's) and the cells, (row, column) or (layer, row, column), that a
    literal fills if it is true.

    For a Boolean variable it is called with the value 1 only.
    """

    board: PuzzleBoard = field(default_factory=PuzzleBoard)
    """The cells that `fills` names."""

    remarks: Remarks = field(default_factory=Remarks)
    """Sentences for reports."""

    sheets: Callable[[Given, Sequence[Solution]], Sequence[Drawing]] | None = None
    """The drawings for printed sheets: first the initial position with what is given, then these solutions."""

    file: FileReading | None = None
    """The way from its file to the model, if it is a file of another program."""

    says: Callable[[Any, int], str] | None = None
    """A literal in words, as a clause that counts rows and columns from 1, such as "no line lies above row 1 column 2".
    Each literal has its own. Facts may be written so, too; for literals that `fills` does not tell."""

    @property
    def named(self) -> Sequence[Any]:
        """The labels that its file names, where others have no name; empty if all have names, or none has."""
        return self.file.named if self.file else ()

    @property
    def is_packing_of_cubes(self) -> bool:
        """True if the labels of the key say which piece is on which squares or cubes, as those of a packing do."""
        if self.fills is None or self.board.lattice is not None:
            return False
        return all(map(_is_placement, self.key))


def _is_placement(label: Any) -> bool:
    """Tell whether a label begins with the name of a piece and its cells."""
    if not isinstance(label, tuple) or len(label) < 2:
        return False
    name, cells, *_ = label
    if not isinstance(name, str) or not isinstance(cells, tuple):
        return False
    return all(isinstance(cell, tuple) for cell in cells)
