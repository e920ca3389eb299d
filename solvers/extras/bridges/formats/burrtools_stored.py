"""Reads the solutions that a puzzle of BurrTools holds, and how they come apart there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple
from xml.etree import ElementTree

from models.errors import ParameterError
from models.packings.isometric import Tile
from solvers.base.errors import InputError
from solvers.base.plugs import function
from solvers.extras.bridges.formats.burrtools_solutions import TURNS, Point, difference
from solvers.extras.questions.disassembly.disassembly import Disassembly, GroupMove, disassembly

FAR = 10_000
"""The distance beyond which a piece has left; it is BurrTools' own."""

Cells = frozenset[Point]
"""The cells (column, row, layer) of a piece."""


class Separation(NamedTuple):
    """A part that falls into two, as BurrTools has stored it."""

    moves: int
    """The number of moves until the two leave each other, that move included."""
    left: Separation | None
    """The separation of what stays; None if it stays as it is."""
    removed: Separation | None
    """The same for what leaves."""
    steps: Sequence[GroupMove] = ()
    """The moves; empty if BurrTools has stored their number only."""

    @property
    def all_moves(self) -> tuple[int, ...]:
        """The number of moves of this separation, and then of those of the two parts."""
        below = (part.all_moves for part in (self.left, self.removed) if part)
        return (self.moves, *(number for moves in below for number in moves))

    @property
    def all_steps(self) -> list[GroupMove]:
        """The moves of this separation, and then those of the two parts."""
        below = (part.all_steps for part in (self.left, self.removed) if part)
        return [*self.steps, *(step for steps in below for step in steps)]

    @property
    def level(self) -> str:
        """The level as BurrTools writes it: parts that come apart by single moves only are left out."""
        below = (part for part in (self.left, self.removed) if part and max(part.all_moves) > 1)
        return ".".join([str(self.moves), *(part.level for part in below)])


@dataclass(frozen=True)
class StoredSolution:
    """A solution that a puzzle of BurrTools holds."""

    number: int
    """Its number among all assemblies, from 1."""
    tiles: Sequence[Tile]
    """(name, cells) of each piece; a cell is (layer, row, column)."""
    separation: Separation | None
    """How it comes apart there; None if nothing is stored."""
    together: Mapping[str, int]
    """The groups of pieces that may stay together, by their names; see `PuzzleBoard.groups`."""

    @property
    def level(self) -> str:
        """The level as BurrTools writes it; empty if nothing is stored."""
        return self.separation.level if self.separation else ""

    @property
    def moves(self) -> tuple[int, ...]:
        """The number of moves of each separation."""
        return self.separation.all_moves if self.separation else ()

    @property
    def steps(self) -> list[GroupMove]:
        """The moves that are stored, in their order; each was tried."""
        return self.separation.all_steps if self.separation else []

    @property
    def disassembly(self) -> Disassembly:
        """The way in which it comes apart by our own search, to be compared."""
        return disassembly(self.tiles, together=self.together)


def xmpuzzle_solutions(path: str, problem: int = 1) -> list[StoredSolution]:
    """Read the solutions that a puzzle of BurrTools (.xmpuzzle) holds, and how they come apart there.

    Parameters
    ----------
    path
        The file.
    problem
        The number of the problem in the file, from 1.

    Returns
    -------
    list
        Each solution with its ``tiles``, and with the ``level``, ``moves`` and ``steps`` that BurrTools has stored. Its
        ``disassembly`` is found anew.

    Raises
    ------
    InputError
        If the file cannot be read, pieces overlap or lie outside of the result, or a move is not possible.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from solvers import solve, xmpuzzle_solutions
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve("packing", limit=1, jobs=1).save(f"{folder}/soma.xmpuzzle")
    ...     (stored,) = xmpuzzle_solutions(f"{folder}/soma.xmpuzzle")
    >>> stored.level, stored.moves
    ('1', (1, 1, 1, 1, 1, 1))
    """
    # The puzzle's own reader, from the table of functions of other folders, returns the problem.
    try:
        problem_read = function("problem of burrtools", "stored solutions")(path, problem)
    except ParameterError as error:
        raise InputError(f"{path}: {error}") from None
    solutions = []
    for number, element in enumerate(problem_read.element.findall("./solutions/solution"), 1):
        try:
            solutions.append(_solution(element, problem_read))
        except ParameterError as error:
            raise InputError(f"{path}: the stored solution {number} is wrong: {error}") from None
    return solutions


def _solution(element: ElementTree.Element, problem: Any) -> StoredSolution:
    """Return a solution; raise `ParameterError` if it is not one.

    element: its assembly has for each copy of each piece x if it is not used, otherwise x, y, z and the number of a
    rotation. Its separations, or numbers of moves, may follow. problem: the problem of the file, with its pieces as
    (name, cells, least, most number of copies). BurrTools writes points as (x, y, z), and cells here are (layer, row,
    column): ``[::-1]`` turns one into the other.
    """
    lying = _Lying([], [], [], [])
    words = iter((element.findtext("assembly") or "").split())
    copies = [(name, cells) for name, cells, _, most in problem.pieces for _ in range(most)]
    for number, (name, cells) in enumerate(copies):
        if (word := next(words, "x")) == "x":
            continue
        x, y, z, rotation = _integers([word, *(next(words, "") for _ in range(3))])
        if not 0 <= rotation < len(TURNS):
            raise ParameterError(f"there is no rotation {rotation}")
        lying.numbers.append(number)
        lying.names.append(name)
        lying.shapes.append(frozenset(_image_of_cells(cell[::-1], rotation) for cell in _solid(cells)))
        lying.places.append((x, y, z))
    covered_cells = [
        cell
        for shape, shift in zip(lying.shapes, lying.places, strict=True)
        for cell in _cells_after_move(shape, shift)
    ]
    result_cells = {cell[::-1] for cell in _solid(problem.result)}
    if len(covered_cells) != len({*covered_cells}) or not {*covered_cells} <= result_cells:
        raise ParameterError("pieces overlap, or lie outside of the result")
    stored_separation = None
    if (separation := element.find("separation")) is not None:
        stored_separation = _separation(separation, lying, lying.places)
    elif (text := element.findtext("separationInfo")) is not None:
        stored_separation = _separation_of_numbers(iter(_integers(text.split())))
    tiles = [
        (name, sorted(cell[::-1] for cell in _cells_after_move(shape, shift)))
        for name, shape, shift in zip(lying.names, lying.shapes, lying.places, strict=True)
    ]
    (number,) = _integers([element.get("asmNum", "0")])
    return StoredSolution(number + 1, tiles, stored_separation, problem.together)


class _Lying(NamedTuple):
    """The pieces of a solution, one after the other."""

    numbers: list[int]
    """BurrTools' number of each."""
    names: list[str]
    """The name of each."""
    shapes: list[Cells]
    """The cells of each, turned as it lies, relative to its place."""
    places: list[Point]
    """Its place."""


def _separation(element: ElementTree.Element, lying: _Lying, places: Sequence[Point]) -> Separation:
    """Return a stored separation: moves, the last of which takes a part away, and the separations of both parts.

    A state has the places of all its pieces; between two states is a move, and all moves are tried. BurrTools may have
    moved the whole part before, so that all pieces are shifted alike. In the last state, the part that leaves is far
    away.

    element: its XML, in which a piece has BurrTools' number. Here a piece is its place in ``lying``. places: the place
    of each piece at the beginning. Raises `ParameterError` for moves that are not possible.
    """
    pieces = [lying.numbers.index(number) if number in lying.numbers else -1 for number in _pieces(element)]
    if len(pieces) < 2 or -1 in pieces or len(pieces) != len({*pieces}):
        raise ParameterError("its separations have other pieces")
    states = [_state(state, pieces) for state in element.findall("state")]
    if len(states) < 2:
        raise ParameterError("a separation has no moves")
    shift = difference(states[0][pieces[0]], places[pieces[0]])
    if any(difference(states[0][piece], places[piece]) != shift for piece in pieces):
        raise ParameterError("its separations do not begin where pieces are")
    steps = [_step(lying, before, after) for before, after in pairwise(states)]
    if [step.leaves for step in steps] != [False] * (len(steps) - 1) + [True]:
        raise ParameterError("a separation ends without a part that leaves")
    leaving = {piece for piece, point in states[-1].items() if any(abs(x) > FAR for x in point)}
    # Both parts go on from where their pieces are before the last move, which only takes one of them away.
    places_before_end = [states[-2].get(piece, point) for piece, point in enumerate(lying.places)]
    parts = dict[str, Separation]()
    for child in element.findall("separation"):
        kind = child.get("type", "")
        part = leaving if kind == "removed" else {*pieces} - leaving
        if {lying.numbers[piece] for piece in part} != {*_pieces(child)}:
            raise ParameterError("its separations have other pieces")
        parts[kind] = _separation(child, lying, places_before_end)
    return Separation(len(steps), parts.get("left"), parts.get("removed"), steps)


def _separation_of_numbers(numbers: Iterator[int]) -> Separation | None:
    """Return the separation whose numbers of states are next; None for a part that stays as it is.

    A separation is written as its number of states, one more than its moves, and then the same for what stays and what
    leaves; 0 is a part that stays as it is. Raises `ParameterError` if there are not enough numbers.
    """
    states = next(numbers, -1)
    if states < 0:
        raise ParameterError("the numbers of its moves are incomplete")
    if states == 0:
        return None
    left = _separation_of_numbers(numbers)
    return Separation(states - 1, left, _separation_of_numbers(numbers))


def _pieces(element: ElementTree.Element) -> list[int]:
    """Return the numbers of the pieces of a separation."""
    return _integers((element.findtext("pieces") or "").split())


def _state(element: ElementTree.Element, pieces: Sequence[int]) -> dict[int, Point]:
    """Return the place of each piece in a state; raise `ParameterError` if there are too many or too few."""
    shifts_by_axis = [_integers((element.findtext(name) or "").split()) for name in ("dx", "dy", "dz")]
    if any(len(values) != len(pieces) for values in shifts_by_axis):
        raise ParameterError("a state does not have a place for each piece")
    return dict(zip(pieces, zip(*shifts_by_axis, strict=True), strict=True))


def _step(lying: _Lying, before: Mapping[int, Point], after: Mapping[int, Point]) -> GroupMove:
    """Return the move between two states; raise `ParameterError` if it is not one that is possible.

    Some pieces, but not all, have to move by the same vector along one axis, or leave. lying: the pieces. before,
    after: the place (x, y, z) of each, by its number in ``lying``.
    """
    shifts = {piece: difference(after[piece], point) for piece, point in before.items()}
    moving = [piece for piece, shift in shifts.items() if any(shift)]
    leaves = any(abs(x) > FAR for piece in moving for x in shifts[piece])
    # A group that leaves is stored far away, so that only the direction of its shift counts.
    directions = {tuple((x > 0) - (x < 0) if leaves else x for x in shifts[piece]) for piece in moving}
    if len(directions) != 1 or len(moving) == len(shifts) or sum(map(bool, *directions)) != 1:
        raise ParameterError("a step is not the move of one group along an axis")
    (direction,) = directions
    axis = next(number for number, x in enumerate(direction) if x)
    moving_cells = frozenset().union(*(_cells_after_move(lying.shapes[piece], before[piece]) for piece in moving))
    still_cells = [
        _cells_after_move(lying.shapes[piece], point) for piece, point in before.items() if piece not in moving
    ]
    _try_move(moving_cells, frozenset().union(*still_cells), axis, direction[axis], leaves)
    axis_of_cells = 2 - axis  # of (layer, row, column), where BurrTools has (x, y, z)
    return GroupMove(frozenset(shifts), frozenset(moving), axis_of_cells, direction[axis], leaves)


def _try_move(moving: Cells, still: Cells, axis: int, far: int, leaves: bool) -> None:
    """Raise `ParameterError` if some cells, moved along an axis, meet others.

    Only cells on the same line along the axis can meet, that is, with the same other coordinates. Coordinates are
    negated for moves backwards, so that all moves go to greater ones.

    moving, still: the cells that move, and the others. axis: the place of the coordinate that changes. far: the
    distance, with its sign. leaves: whether they move for ever.
    """
    sign = 1 if far > 0 else -1
    coordinates_by_line: dict[Point, list[int]] = {}
    for cell in still:
        coordinates_by_line.setdefault((*cell[:axis], *cell[axis + 1 :]), []).append(sign * cell[axis])
    for cell in moving:
        coordinate = sign * cell[axis]
        for other_coordinate in coordinates_by_line.get((*cell[:axis], *cell[axis + 1 :]), ()):
            if coordinate < other_coordinate and (leaves or other_coordinate <= coordinate + abs(far)):
                raise ParameterError("a piece goes through another one")


def _integers(words: Sequence[str]) -> list[int]:
    """Return the whole numbers that words are; raise `ParameterError` if one is none."""
    for word in words:
        if not re.fullmatch("-?[0-9]{1,9}", word):
            raise ParameterError(f"{word!r:.40} is no number")
    return [int(word) for word in words]


def _solid(cells: Sequence[Point] | Mapping[Point, str]) -> list[Point]:
    """Return cells with three coordinates."""
    return [(0,) * (3 - len(cell)) + cell for cell in cells]


def _image_of_cells(cell: Point, number: int) -> Point:
    """Return a cell turned by the rotation of a number."""
    return tuple(sum(a * b for a, b in zip(row, cell, strict=True)) for row in TURNS[number])


def _cells_after_move(cells: Cells, by: Point) -> Cells:
    """Return cells moved by a vector."""
    return frozenset(tuple(a + b for a, b in zip(cell, by, strict=True)) for cell in cells)
