"""Taking an assembly apart: the pieces of a packing of squares or cubes, by moves along the axes.

A move takes a group of pieces any number of unit steps in one direction, and nothing is turned. The last move of a
separation takes a group away for ever. Both sides are taken apart in the same way, from where it lies
then. The level is the list of the numbers of moves of the separations, such as 3.1.2, without ones at its end, as
BurrTools writes it.

The first number is the least possible. If several positions can be reached in so few moves from which a group leaves,
BurrTools goes on from the one that it meets first. Here the numbers that follow are the least possible too, the earlier
ones before the later ones, so that an assembly and its image have the same level. Groups that leave at once do so
before others are looked for, in any order, which changes nothing about the rest; and of several parts whose pieces
lock each other, the one with the lesser numbers comes first.

Pieces of one group need not come apart from each other. A part that has only such pieces is left as it is.

If a part cannot be taken apart, the whole cannot: moves can be undone, and what takes the whole apart, also takes its
parts apart. So the search need not go back to other separations.

References: A. Röver, "BurrTools, user guide", chapter "Disassembly"; B. Cutler, "A computer analysis of all 6-piece
burrs", 1994, which has the free steps of pairs. Its shortest paths over these are not needed where all pieces of a
group move as far.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.packings.isometric import Tile
from solvers.base.deadline import is_told_to_stop
from solvers.base.errors import Stopped
from solvers.base.options import UNKNOWN
from solvers.model.compiled import kernel_of

Places = NDArray[np.int16]
"""The place (layer, row, column) of each piece, relative to where it is in the assembly."""

MAX_POSITIONS = 4_000_000
"""The most positions of an assembly that are looked at."""

FIRST_ROOM = 1_000
"""The positions for which there is room at first."""

GROWTH = 8
"""The factor by which the room grows."""

POSITIONS_PER_SLICE = 20_000
"""Positions between two looks at whether to stop."""

CACHE_ROWS = 1 << 12
"""The pairs of pieces whose free steps are kept."""

LOCKED = "cannot be taken apart"
"""The level of an assembly that moves along the axes cannot take apart."""

DIRECTIONS = {(0, 1): "up", (0, -1): "down", (1, 1): "to the front", (1, -1): "to the back"}
DIRECTIONS |= {(2, 1): "to the right", (2, -1): "to the left"}
"""The words for each (axis, sign) in space."""

FLAT_DIRECTIONS = {**DIRECTIONS, (1, 1): "down", (1, -1): "up"}
"""The same in a plane."""


class GroupMove(NamedTuple):
    """A move of a group of pieces along an axis."""

    part: frozenset[int]
    """The numbers of the pieces that are still together."""
    group: frozenset[int]
    """The numbers of those that move."""
    axis: int
    """0 for layers, 1 for rows, 2 for columns."""
    far: int
    """The number of unit steps, negative towards lower coordinates; 1 or -1 if the group leaves."""
    leaves: bool
    """Whether the group goes away for ever."""


class _TooManyError(Exception):
    """The search is given up, as there are too many positions or pieces."""


class Way(NamedTuple):
    """A way to take some pieces apart."""

    moves: tuple[int, ...]
    """The number of moves of each separation."""
    pieces: tuple[int, ...]
    """The numbers of the pieces."""
    before: tuple[GroupMove, ...]
    """The moves until a group can leave."""
    places: Places
    """The place of each piece after these moves."""
    ways_of_parts: tuple[Way, ...]
    """The ways of the parts that are left after all groups have left that can, and that are several pieces."""


@dataclass(frozen=True)
class Disassembly:
    """The way in which an assembly comes apart.

    >>> found = disassembly([("A", [(1, 0, 0)]), ("B", [(0, 0, 0), (0, 0, 1)])])
    >>> found.is_apart, found.level, found.moves
    (True, '1', (1,))
    >>> print(found)
    1. A up and out
    """

    tiles: Sequence[Tile]
    """(name, cells) of each piece."""
    is_apart: bool | None
    """Whether it comes apart; None if that is not known."""
    way: Way | None
    """The least way; None if it does not come apart, or if that is not known."""
    looked_at: int
    """The number of positions that were looked at."""
    together: Sequence[int] = ()
    """The number of each piece's group; 0 for none. Empty if no pieces are in groups."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The number of moves of each separation."""
        return self.way.moves if self.way else ()

    @property
    def level(self) -> str:
        """The numbers of moves without ones at the end, but with the first, such as 3.1.2.

        It is 0 for a single piece, and words if the assembly does not come apart, or if that is not known.
        """
        if not self.is_apart:
            return UNKNOWN if self.is_apart is None else LOCKED
        # Up to the last number above 1.
        length = max((place for place, moves in enumerate(self.moves, 1) if moves > 1), default=1)
        return ".".join(map(str, self.moves[:length])) or "0"

    @cached_property
    def steps(self) -> list[GroupMove]:
        """The moves, in their order."""
        if self.way:
            return [*_steps(self.tiles, self.way, self.together)]
        return []

    @property
    def is_flat(self) -> bool:
        """True if the pieces are in a plane, and move in it."""
        return _is_flat(self.tiles)

    def texts(self) -> Iterator[str]:
        """Yield the words for each step, such as "B 2 up"."""
        for step in self.steps:
            names = ", ".join(self.tiles[number][0] for number in sorted(step.group))
            direction = (FLAT_DIRECTIONS if self.is_flat else DIRECTIONS)[step.axis, 1 if step.far > 0 else -1]
            yield f"{names} {direction} and out" if step.leaves else f"{names} {abs(step.far)} {direction}"

    def __str__(self) -> str:
        """Return the steps, one a line, or a sentence if there are none."""
        if self.is_apart is None:
            return f"it is not known whether it comes apart: the search ended after {self.looked_at} positions"
        if not self.is_apart:
            return "it cannot be taken apart by moves along the axes; turns were not tried"
        lines = (f"{number}. {words}" for number, words in enumerate(self.texts(), 1))
        return "\n".join(lines) or "there is nothing to take apart"


def disassembly(
    tiles: Sequence[Tile], most: int = MAX_POSITIONS, together: Mapping[str, int] = MappingProxyType({})
) -> Disassembly:
    """Return how an assembly comes apart with as few moves as possible.

    Pieces move along the axes and are not turned. tiles: (name, cells) for each piece; cells have two or three
    coordinates. most: how many positions to look at; with more, the result says that nothing is known. together: for
    pieces that may stay together, the number of their group by the piece's name. Raises `Stopped` if this thread is
    told to stop.
    """
    groups = [together.get(name, 0) for name, _ in tiles] if together else []
    search = _PositionSearch(tiles, most, groups)
    try:
        way = search.least_way(tuple(range(len(tiles))), np.zeros((len(tiles), 3), dtype=np.int16))
    except _TooManyError:
        return Disassembly(tiles, is_apart=None, way=None, looked_at=search.looked_at, together=groups)
    return Disassembly(tiles, way is not None, way, search.looked_at, groups)


def _is_flat(tiles: Sequence[Tile]) -> bool:
    """Tell whether all cells have two coordinates."""
    return all(len(cell) == 2 for _, cells in tiles for cell in cells)


def _solid(cell: Sequence[int]) -> tuple[int, ...]:
    """Return a cell of two or three coordinates with three: a flat one is in layer 0."""
    return (0,) * (3 - len(cell)) + tuple(cell)


class _PositionSearch:
    """The search for one assembly."""

    def __init__(self, tiles: Sequence[Tile], most: int, together: Sequence[int]) -> None:
        """Take the pieces, and make the arrays that the compiled search reads.

        tiles: (name, cells) of each piece. most: the most positions to look at. together: the number of each piece's
        group, whose pieces may stay together; 0 for none. Empty if no pieces are in groups.
        """
        from solvers.extras.questions.disassembly.kernel import Bodies

        solid = [_solid(cell) for _, cells in tiles for cell in cells]
        self._bodies = Bodies(
            cells=np.array(solid, dtype=np.int32).reshape(-1, 3),
            starts=np.cumsum([0, *(len(cells) for _, cells in tiles)], dtype=np.int64),
            first_axis=int(_is_flat(tiles)),
        )
        self._tiles = tiles
        self._most = most
        self._together = together
        self._room = _room_of_thread(len(tiles))
        """The arrays in which the compiled search works."""
        self._way_of_state: dict[tuple[tuple[int, ...], bytes], Way | None] = {}
        """The results of `least_way`, by the pieces and the bytes of their places relative to the first."""
        self.looked_at = 0

    def least_way(self, pieces: tuple[int, ...], places: Places) -> Way | None:
        """Return the way with the least numbers of moves to take some pieces apart; None if there is none.

        Pieces that may stay together have a way without moves. pieces: the numbers of the pieces. places: how far each
        is from where it is in the assembly. Raises `_TooManyError` if the search is given up.
        """
        if len(pieces) < 2 or _is_group(pieces, self._together):
            return Way(moves=(), pieces=pieces, before=(), places=places, ways_of_parts=())
        state = pieces, (places - places[0]).tobytes()  # a shift of all pieces changes nothing
        if state not in self._way_of_state:
            self._way_of_state[state] = self._new_way(pieces, places)
        return self._way_of_state[state]

    def _new_way(self, pieces: tuple[int, ...], places: Places) -> Way | None:
        """Return the least way to take two pieces or more apart, as `least_way` does, without looking at stored ones.

        If the pieces lock each other, so that no group can leave at once, all nearest positions in which they fall
        apart are compared. If one of these has a part that cannot be taken apart, there is no way: moves can be undone,
        and what takes the pieces apart from another position also takes this part apart. The least way has the least
        ``moves`` in lexicographic order: the number of moves of each separation.
        """
        if self._divide(pieces, places) > 1:  # a group can leave at once
            return self._way_from_parts(pieces, before=(), places=places)
        best = None
        for before, places_after in self._ends(pieces, places):
            way = self._way_from_parts(pieces, before, places_after)
            if way is None:
                return None
            best = way if best is None else min(best, way, key=lambda way: way.moves)
            if max(best.moves[1:], default=1) == 1:  # no way is better: the first number is the same for all
                break
        return best

    def _divide(self, pieces: Sequence[int], places: Places) -> int:
        """Return the number of parts into which the pieces fall if all groups leave that can; 1 if none can.

        Write the number of each piece's part into ``self._room.scratch.labels``. pieces: the numbers of the pieces.
        places: how far each has moved.
        """
        divide, _, _ = kernel()  # compiled functions
        parts: int = divide(self._bodies, np.array(pieces), places.ravel(), self._room.cache, self._room.scratch)
        return parts

    def _independent_parts(self, pieces: Sequence[int], places: Places) -> list[list[int]]:
        """Return the parts that remain after all groups have left that can, each as a list of places in ``pieces``.

        pieces: the numbers of the pieces. places: how far each has moved. The compiled function finds the parts if all
        pieces have to come apart; otherwise a part of pieces that may stay together is not divided.
        """
        if self._together:
            parts = [frozenset(pieces)]
            for step in _leaving_groups(self._tiles, pieces, places, self._together):
                parts.remove(step.part)
                parts += [step.group, step.part - step.group]
            return [[place for place, piece in enumerate(pieces) if piece in part] for part in parts]
        part_count = self._divide(pieces, places)
        labels = self._room.scratch.labels[: len(pieces)]
        return [np.flatnonzero(labels == part).tolist() for part in range(part_count)]

    def _way_from_parts(self, pieces: tuple[int, ...], before: tuple[GroupMove, ...], places: Places) -> Way | None:
        """Return the way that begins with these moves, to a position that falls into parts.

        before: the moves until a group can leave. places: the places of the pieces after these. Returns None if a part
        cannot be taken apart.
        """
        parts = self._independent_parts(pieces, places)
        ways_of_parts = []
        for part in parts:
            if len(part) > 1:
                way = self.least_way(tuple(pieces[place] for place in part), places[part])
                if way is None:
                    return None
                ways_of_parts.append(way)
        ways_of_parts.sort(key=lambda way: way.moves)
        # One move after those before separates the first part, and one move each of the others but the last.
        separations = [len(before) + 1, *[1] * (len(parts) - 2)]
        later_moves = [number for way in ways_of_parts for number in way.moves]
        return Way((*separations, *later_moves), pieces, before, places, tuple(ways_of_parts))

    def _ends(self, pieces: tuple[int, ...], places: Places) -> Iterator[tuple[tuple[GroupMove, ...], Places]]:
        """Yield (moves, places after these) for the nearest positions in which pieces that lock each other fall apart.

        These are the positions that the fewest moves reach, and of these the ones with the most parts. The search,
        which is breadth-first, leaves a row for each position in the arrays of the room; ``parents`` leads from a row
        back to row 0. pieces: the numbers of the pieces. places: how far each has moved. Raises `_TooManyError` if
        there are too many positions.
        """
        from solvers.extras.questions.disassembly.kernel import IS_FOUND, LAYER_END, MAX_LOCKED_PIECES, TAIL

        if len(pieces) > MAX_LOCKED_PIECES:
            raise _TooManyError
        self._search(pieces, places)
        positions = self._room.positions
        self.looked_at += int(positions.counters[TAIL])
        if not positions.counters[IS_FOUND]:
            return
        end = int(positions.counters[LAYER_END])
        parts = positions.parts[:end]
        rows = np.flatnonzero(parts == parts.max()).tolist()  # only rows of the last layer have more than one part
        # All that is needed is copied, because a search between two results takes the same room.
        row_places = positions.places[rows, : 3 * len(pieces)].reshape(len(rows), -1, 3)
        parents, groups, moves = (
            table[:end].copy() for table in (positions.parents, positions.groups, positions.moves)
        )
        for row, places_after in zip(rows, row_places, strict=True):
            moves_back = list[GroupMove]()
            while row:  # row 0 is the position at the beginning
                axis, far = moves[row].tolist()
                moves_back.append(_step(pieces, int(groups[row]), axis, far))
                row = int(parents[row])
            yield tuple(reversed(moves_back)), places_after

    def _search(self, pieces: tuple[int, ...], places: Places) -> None:
        """Fill the room with positions that pieces reach, until they fall apart or no more are reached.

        The room is the arrays in which the compiled search works. If they are full, they are enlarged, and the search
        starts again. After each slice of the search, the thread looks whether to stop. pieces: the numbers of the
        pieces. places: how far each has moved. Raises `Stopped` if this thread is told to stop, `_TooManyError` if
        there are too many positions.
        """
        from solvers.extras.questions.disassembly.kernel import ENDED, FULL

        _, begin, search = kernel()
        numbers, room = np.array(pieces), self._room
        begin(room.positions, places.ravel())  # `places` is the first position
        while True:
            state = search(self._bodies, numbers, room.positions, room.cache, room.scratch, POSITIONS_PER_SLICE)
            if state == ENDED:
                return
            if is_told_to_stop():
                raise Stopped
            if state == FULL:  # otherwise the slice is over, and the search goes on
                size = len(room.positions.places)
                if self.looked_at + size >= self._most:
                    self.looked_at += size
                    raise _TooManyError
                room.make_positions(min(GROWTH * size, self._most))
                begin(room.positions, places.ravel())


def _step(pieces: Sequence[int], group: int, axis: int, far: int) -> GroupMove:
    """Return a move of a group or, if these are fewer pieces, the opposite move of the others, which comes to the same.

    pieces: the numbers of all pieces. group: a set of them; bit k stands for ``pieces[k]``. axis: 0, 1 or 2, for
    layers, rows or columns. far: the number of unit steps, negative towards lower coordinates.
    """
    part = frozenset(pieces)
    moving = frozenset(piece for place, piece in enumerate(pieces) if group >> place & 1)
    if 2 * len(moving) > len(part):
        moving, far = part - moving, -far
    return GroupMove(part, moving, axis, far, leaves=False)


class _Room:
    """Arrays in which a thread searches; `kernel` says what they hold."""

    def __init__(self, pieces: int) -> None:
        """Make the arrays for this number of pieces; `Cache`, `Scratch` and `Positions` of `kernel` describe them."""
        from solvers.extras.questions.disassembly.kernel import Cache, Scratch

        self.pieces = pieces
        self.cache = Cache(np.full(CACHE_ROWS, -1, dtype=np.int64), np.zeros((CACHE_ROWS, 6), dtype=np.int16))
        self.scratch = Scratch(
            free=np.zeros((3, pieces, pieces), dtype=np.int16),
            reach=np.zeros(pieces, dtype=np.int64),
            takers=np.zeros(pieces, dtype=np.int64),
            moving=np.zeros(pieces + 2, dtype=np.int64),
            staying=np.zeros(pieces + 2, dtype=np.int64),
            linked=np.zeros((pieces, pieces), dtype=np.bool_),
            labels=np.zeros(pieces, dtype=np.int64),
        )
        self.make_positions(FIRST_ROOM)

    def make_positions(self, size: int) -> None:
        """Make room for ``size`` positions; those before are forgotten.

        The table, in which positions are looked up by their hashes, has a power of two of places, and stays at most
        half full.
        """
        from solvers.extras.questions.disassembly.kernel import Positions

        self.positions = Positions(
            places=np.empty((size, 3 * self.pieces), dtype=np.int16),
            parents=np.empty(size, dtype=np.int32),
            groups=np.empty(size, dtype=np.int64),
            moves=np.empty((size, 2), dtype=np.int16),
            parts=np.empty(size, dtype=np.int32),
            table=np.empty(1 << (2 * size).bit_length(), dtype=np.int32),
            counters=np.zeros(5, dtype=np.int64),
        )


_rooms = threading.local()


def _room_of_thread(pieces: int) -> _Room:
    """Return this thread's room for a number of pieces, with an empty cache.

    It is made anew if the last one is for another number of pieces, or has grown large.
    """
    room: _Room | None = getattr(_rooms, "room", None)
    if room is None or room.pieces != pieces or len(room.positions.places) > FIRST_ROOM:
        room = _rooms.room = _Room(pieces)
    room.cache.keys.fill(-1)
    return room


@cache
def kernel() -> tuple[Any, Any, Any]:
    """Return the compiled functions (divide, begin, search) of `kernel`.

    They are compiled at the first call after installing.
    """
    from solvers.extras.questions.disassembly import kernel as compiled_part

    divide, begin, search = kernel_of(compiled_part.compile_kernel)
    return divide, begin, search


def _is_group(pieces: Collection[int], together: Sequence[int]) -> bool:
    """Tell whether all pieces are in the same group; together: the number of each piece's group, 0 for none."""
    groups = {together[piece] for piece in pieces} if together else {0}
    return len(groups) == 1 and 0 not in groups


def _steps(tiles: Sequence[Tile], way: Way, together: Sequence[int]) -> Iterator[GroupMove]:
    """Yield the moves of a way: those until a group can leave, those of all groups that leave, and those of the parts.

    tiles: (name, cells) of each piece. together: the number of each piece's group, whose pieces may stay together; 0
    for none.
    """
    if way.moves:
        yield from way.before
        yield from _leaving_groups(tiles, way.pieces, way.places, together)
    for part in way.ways_of_parts:
        yield from _steps(tiles, part, together)


def _leaving_groups(
    tiles: Sequence[Tile], pieces: Sequence[int], places: Places, together: Sequence[int]
) -> Iterator[GroupMove]:
    """Yield the moves of the groups that leave others, one after the other, until no group can leave.

    The group that leaves in a direction is a piece with all pieces that it pushes. Of all such groups, one that does
    not divide pieces that may stay together is preferred, then a small one. Both the group and the pieces that it
    leaves are then divided further.

    tiles: (name, cells) of each piece. pieces: the numbers of those that are looked at. places: how far each of these
    has moved. together: the number of each piece's group, whose pieces may stay together; 0 for none. Each part that is
    left is smaller, so that the loop ends.
    """
    cells = {}  # the cells of each piece, where it is now
    for piece, place in zip(pieces, places.tolist(), strict=True):
        solid_cells = map(_solid, tiles[piece][1])
        cells[piece] = [tuple(x + d for x, d in zip(cell, place, strict=True)) for cell in solid_cells]
    directions = [direction for direction in DIRECTIONS if direction[0] or not _is_flat(tiles)]
    blocking = {direction: _blocking_pieces(cells, *direction) for direction in directions}
    waiting = [frozenset(pieces)]  # the parts that may be divided further
    while waiting:
        part = waiting.pop()
        if _is_group(part, together):
            continue
        groups = [
            (place, _closure(piece, blocking[direction], part))
            for place, direction in enumerate(directions)
            for piece in part
        ]
        # The least of these is the best: (whether it divides, size, number of the direction, pieces).
        options = [
            (_is_divided(group, part, together), len(group), place, sorted(group))
            for place, group in groups
            if len(group) < len(part)  # else all pieces would move together
        ]
        if options:
            *_, place, leaving = min(options)
            yield GroupMove(part, frozenset(leaving), *directions[place], leaves=True)
            waiting += [frozenset(leaving), part - set(leaving)]


def _is_divided(leaving: Collection[int], part: Collection[int], together: Sequence[int]) -> bool:
    """Tell whether a group of pieces that may stay together is divided when some pieces leave a part.

    leaving: the pieces of the part that leave. together: the number of each piece's group, 0 for none.
    """
    if not together:
        return False
    groups_leaving = {together[piece] for piece in part if piece in leaving}
    groups_staying = {together[piece] for piece in part if piece not in leaving}
    return bool(groups_leaving & groups_staying - {0})


def _closure(piece: int, blocking: dict[int, set[int]], part: Collection[int]) -> set[int]:
    """Return a piece and all pieces of ``part`` that it pushes, directly or by others, when it leaves.

    blocking: for each piece, those in its way.
    """
    closure, waiting = {piece}, [piece]
    while waiting:
        new = blocking[waiting.pop()].intersection(part) - closure
        closure |= new
        waiting += new
    return closure


def _blocking_pieces(cells: dict[int, list[tuple[int, ...]]], axis: int, sign: int) -> dict[int, set[int]]:
    """Return, for each piece, the numbers of the pieces that are in its way in one direction.

    They own a cell farther in this direction, in the same line, than one of its cells. cells: those of each piece.
    axis, sign: the direction: the number of a coordinate, and 1 or -1.
    """
    owner = {cell: piece for piece, cells_of_piece in cells.items() for cell in cells_of_piece}
    blockers: dict[int, set[int]] = {piece: set() for piece in cells}
    pieces_in_line: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for cell in sorted(owner, key=lambda cell: sign * cell[axis], reverse=True):  # the farthest cells first
        line = *cell[:axis], *cell[axis + 1 :]
        blockers[owner[cell]] |= pieces_in_line[line] - {owner[cell]}
        pieces_in_line[line].add(owner[cell])
    return blockers
