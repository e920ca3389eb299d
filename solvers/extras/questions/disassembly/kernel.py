"""The compiled part of `disassembly`: positions of pieces that lock each other, breadth first.

A position is the place of each piece relative to the first one. For two pieces and an axis, their free steps are how
far one can move until it meets the other. A piece that moves farther takes the other along, so the groups that can
move a number of steps are the sets that are closed under this relation. If a group moves backwards, the others move
forwards relative to it; so only moves forwards are made.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.model.cover_kernel import part_of_kernel

ENDLESS = 1 << 14
"""The free steps of a piece that never meets the other; no piece of a puzzle is as long."""

HEAD, TAIL, LAYER_END, DEPTH, IS_FOUND = range(5)
"""Places in the array of counters: the next position to look at, the number of positions, the end of the layer of
positions after ``DEPTH`` moves, and whether a position of the layer falls apart."""

GOING_ON, ENDED, FULL = range(3)
"""The states of a search: it paused, it is over, or there is no room for further positions."""

MAX_LOCKED_PIECES = 62
"""The most pieces that the search can move: a group is a word of bits."""

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""The factor of a multiplicative hash: 2**64 divided by the golden ratio (D. Knuth, TAOCP 3, section 6.4)."""

HASH_START, FNV_PRIME = np.uint64(1469598103934665603), np.uint64(1099511628211)
"""The first value, any large one, and the 64-bit prime of the FNV-1a hash (Fowler, Noll, Vo), which here takes a
coordinate at a time."""

COORDINATE_BITS = 15
"""The bits of a coordinate in a key of `Cache`: with `ENDLESS` added, it is from 0 to 2 * `ENDLESS` - 1."""


class Bodies(NamedTuple):
    """The shapes of the pieces."""

    cells: NDArray[np.int32]
    """The cells (layer, row, column) of all pieces, one piece after the other."""
    starts: NDArray[np.int64]
    """The place in ``cells`` at which each piece begins, and the end."""
    first_axis: int
    """The first axis along which pieces move: 0, or 1 if they are in a plane."""


class Cache(NamedTuple):
    """The free steps of pairs that were looked at last."""

    keys: NDArray[np.int64]
    """The pair and its relative place in each row, or -1."""
    steps: NDArray[np.int16]
    """For each row: the free steps of the first piece along each axis, then those of the second one."""


class Positions(NamedTuple):
    """The positions that were found; arrays have a row for each unless said otherwise."""

    places: NDArray[np.int16]
    """The place (layer, row, column) of each piece, relative to the first one."""
    parents: NDArray[np.int32]
    groups: NDArray[np.int64]
    """The group that has moved forwards from the parent, as bits."""
    moves: NDArray[np.int16]
    """The axis and the steps of that move."""
    parts: NDArray[np.int32]
    """The number of parts that leave each other from here, one after the other; see `_label_parts`."""
    table: NDArray[np.int32]
    """A hash table of rows, or -1; its length is a power of two."""
    counters: NDArray[np.int64]


class Scratch(NamedTuple):
    """Room for the look at a position."""

    free: NDArray[np.int16]
    """For each axis, the free steps of each piece until it meets each other one."""
    reach: NDArray[np.int64]
    """The pieces that a piece takes along, as bits."""
    takers: NDArray[np.int64]
    """The pieces that take a piece along, as bits."""
    moving: NDArray[np.int64]
    """The stack of an enumeration of groups: the pieces that move, as bits."""
    staying: NDArray[np.int64]
    """On the same stack: the pieces that stay, as bits."""
    linked: NDArray[np.bool_]
    """Whether a piece takes another along."""
    labels: NDArray[np.int64]
    """The number of each piece's part."""


@part_of_kernel
def _write_pair(bodies, a, b, by, steps):
    """Write the free steps of piece a along each axis, then those of piece b, into ``steps``, an array of six numbers.

    The free steps of a are how far it can move, towards higher coordinates, until it meets b; those of b, until it
    meets a. Two cells limit them if they are in one line along an axis: exactly one of their differences z, y, x is not
    0. bodies: the cells of all pieces. a, b: the numbers of two pieces. by: the place (z, y, x) of b relative to a.
    """
    steps[:] = ENDLESS
    for i in range(bodies.starts[a], bodies.starts[a + 1]):
        for j in range(bodies.starts[b], bodies.starts[b + 1]):
            z = bodies.cells[j, 0] + by[0] - bodies.cells[i, 0]
            y = bodies.cells[j, 1] + by[1] - bodies.cells[i, 1]
            x = bodies.cells[j, 2] + by[2] - bodies.cells[i, 2]
            if (z != 0) + (y != 0) + (x != 0) == 1:
                axis = 0 if z else (1 if y else 2)
                distance = z + y + x  # from the cell of a to that of b
                if distance > 0:
                    steps[axis] = min(steps[axis], distance - 1)
                else:
                    steps[3 + axis] = min(steps[3 + axis], -distance - 1)


@part_of_kernel
def _write_free_steps(bodies, pieces, places, cache, free):
    """Write the free steps of piece m until it meets piece n into ``free[axis, m, n]``, for each pair.

    m and n are places in ``pieces``, which has the numbers of the pieces in ``bodies``. A cache keeps the steps of
    recent pairs, by a key of both pieces and their relative place; its row is a hash of the key, and a new pair
    overwrites the last one there. places: the place of each piece, in one row: z, y, x of the first piece, then of the
    second, and so on.
    """
    for m in range(len(pieces)):
        for n in range(m + 1, len(pieces)):
            key = pieces[m] * (len(bodies.starts) - 1) + pieces[n]
            by = (
                np.int64(places[3 * n]) - places[3 * m],
                np.int64(places[3 * n + 1]) - places[3 * m + 1],
                np.int64(places[3 * n + 2]) - places[3 * m + 2],
            )
            for axis in range(3):
                key = (key << COORDINATE_BITS) + by[axis] + ENDLESS  # the sum with ENDLESS is not negative
            code = np.uint64(key) * GOLDEN_RATIO
            row = np.int64(code >> np.uint64(32)) & (len(cache.keys) - 1)  # the number of rows is a power of two
            if cache.keys[row] != key:
                cache.keys[row] = key
                _write_pair(bodies, pieces[m], pieces[n], by, cache.steps[row])
            for axis in range(3):
                free[axis, m, n] = cache.steps[row, axis]
                free[axis, n, m] = cache.steps[row, 3 + axis]


@part_of_kernel
def _label_parts(scratch, first_axis, count):
    """Write the part of each piece into ``labels``, and return the number of parts.

    Parts remain if groups leave the others for ever, one after the other, as long as there is one that can. They do not
    depend on the order, as a group that can leave can also leave fewer others. Along one axis, parts are the sets of
    pieces that take each other along: the strong components of ``linked``, within the parts so far. The axes take turns
    until none of them divides a part.

    scratch: holds ``free``, the free steps of each pair, and ``labels``, which is written. first_axis: 0, or 1 if the
    pieces are flat and axis 0 does not count. count: the number of pieces.
    """
    labels, linked, free = scratch.labels, scratch.linked, scratch.free
    parts, unchanged, axis = 1, 0, first_axis  # unchanged: the axes in a row that divided nothing
    labels[:count] = 0
    while unchanged < 3 - first_axis and parts < count:
        for m in range(count):
            for n in range(count):
                linked[m, n] = labels[m] == labels[n] and (m == n or free[axis, m, n] < ENDLESS)
        for k in range(count):  # the transitive closure, by Warshall's algorithm
            for m in range(count):
                if linked[m, k]:
                    for n in range(count):
                        linked[m, n] |= linked[k, n]
        parts_before, parts = parts, 0
        for m in range(count):
            n = 0  # becomes the first piece of m's part, at the latest m itself
            while not (linked[m, n] and linked[n, m]):
                n += 1
            if n == m:  # the first piece of a part
                labels[m] = parts
                parts += 1
            else:
                labels[m] = labels[n]
        unchanged = unchanged + 1 if parts == parts_before else 1
        axis = first_axis if axis == 2 else axis + 1
    return parts


@part_of_kernel
def _close(free, steps, count, reach, takers):
    """Write the pieces that each piece takes along if it moves ``steps``, as bits, into ``reach``.

    A piece takes along each piece that it meets before, those that these take along, and itself. takers: gets the
    transpose, the pieces that take each piece along. free: ``free[m, n]`` is the number of steps until m meets n along
    the axis of the move. count: the number of pieces. Returns whether each piece takes all others along: then no group
    can move so far.
    """
    for m in range(count):
        reach[m] = np.int64(1) << m
        for n in range(count):
            if n != m and free[m, n] < steps:
                reach[m] |= np.int64(1) << n
    for k in range(count):  # the transitive closure, by Warshall's algorithm
        for m in range(count):
            if (reach[m] >> k) & 1:
                reach[m] |= reach[k]
    all_pieces = (np.int64(1) << count) - 1
    is_rigid = True
    for m in range(count):
        takers[m] = 0
        is_rigid = is_rigid and reach[m] == all_pieces
    for m in range(count):
        for n in range(count):
            takers[n] |= ((reach[m] >> n) & 1) << m
    return is_rigid


@part_of_kernel
def _insert(positions, row, count):
    """Enter the position in a row of ``places`` into the hash table; return False if the table has an equal one.

    A slot of the table holds the row of a position, or -1 if it is free. The search for an equal position begins at the
    slot that the hash of the coordinates gives, and ends at the first free slot, which then gets the row.

    count: the number of pieces, with three coordinates each.
    """
    places = positions.places
    code = HASH_START
    for n in range(3 * count):
        code = (code ^ np.uint64(places[row, n] + ENDLESS)) * FNV_PRIME
    mask = len(positions.table) - 1  # the length is a power of two
    slot = np.int64((code ^ (code >> np.uint64(29))) & np.uint64(mask))  # the low bits alone are less mixed
    while positions.table[slot] >= 0:
        entered_row = positions.table[slot]
        is_same = True
        for n in range(3 * count):
            if places[entered_row, n] != places[row, n]:
                is_same = False
                break
        if is_same:
            return False
        slot = (slot + 1) & mask
    positions.table[slot] = row
    return True


@part_of_kernel
def _add_moved(positions, head, count, group, axis, steps):
    """Add the position that a move of a group makes of the one in row ``head``, unless it was added before.

    It is written into the next free row, with ``head`` as its parent, and the move that leads to it. If it was added
    before, the row stays free.

    count: the number of pieces. group: the pieces that move, bit m for piece m. axis, steps: where to, and how far; a
    negative number moves them backwards. Returns False if no row is free, else True.
    """
    row, places = positions.counters[TAIL], positions.places
    if row == len(places):
        return False
    for n in range(3 * count):
        places[row, n] = places[head, n]
    # Places are relative to the first piece. If it moves, the pieces that stay go the other way from it.
    steps_of_first = steps if group & 1 else 0
    for m in range(count):
        places[row, 3 * m + axis] += (steps if (group >> m) & 1 else 0) - steps_of_first
    if _insert(positions, row, count):
        positions.parents[row], positions.groups[row] = head, group
        positions.moves[row, 0], positions.moves[row, 1] = axis, steps
        positions.parts[row] = 1
        positions.counters[TAIL] += 1
    return True


@part_of_kernel
def _add_groups(positions, head, count, axis, steps, scratch):
    """Add the positions after each group that can move ``steps`` along the axis; return whether there was room.

    A depth-first search with a stack of (moving pieces, staying pieces), as bits, enumerates the groups. The first
    undecided piece moves with all that it takes along, or stays with all that take it along. These are disjoint from
    what is decided, as both sets are closed.

    positions: the list to extend. head: the number in it of the position to start from. count: the number of pieces.
    scratch: holds the stack, and the sets ``reach`` and ``takers`` that `_close` has written.
    """
    all_pieces = (np.int64(1) << count) - 1
    scratch.moving[0] = scratch.staying[0] = 0
    level = 0  # the top of the stack
    while level >= 0:
        moving, staying = scratch.moving[level], scratch.staying[level]
        level -= 1
        piece = 0
        while piece < count and ((moving | staying) >> piece) & 1:
            piece += 1
        if piece == count:
            if moving and moving != all_pieces and not _add_moved(positions, head, count, moving, axis, steps):
                return False
            continue
        scratch.moving[level + 1], scratch.staying[level + 1] = moving, staying | scratch.takers[piece]
        scratch.moving[level + 2], scratch.staying[level + 2] = moving | scratch.reach[piece], staying
        level += 2
    return True


def _begin(positions, places):
    """Clear the positions, and let the search begin at one; places: (layer, row, column) of each piece, in one row."""
    count = len(places) // 3
    positions.table[:] = -1
    for n in range(len(places)):
        positions.places[0, n] = places[n] - places[n % 3]  # relative to the first piece
    positions.parents[0] = -1
    positions.parts[0] = 1
    _insert(positions, 0, count)
    positions.counters[HEAD], positions.counters[TAIL], positions.counters[LAYER_END] = 0, 1, 1
    positions.counters[DEPTH], positions.counters[IS_FOUND] = 0, 0


def _search(bodies, pieces, positions, cache, scratch, most):
    """Look at further positions, at most ``most``, until a layer has some that fall apart.

    Return `GOING_ON` after ``most`` positions, `ENDED` once the search is over, and `FULL` if there is no room for a
    new position. The search is breadth-first: a layer has the positions that need the same number of moves. The groups
    that can move one step are added first, then those that can move two, until each piece takes all others along, so
    that none can move so far, nor farther. Once a position falls apart, the other positions of its layer are looked at,
    but no new ones are added. If the search has ended and `IS_FOUND` is 0, no position that can be reached falls apart.

    pieces: the numbers of the pieces in `Bodies`. positions: those found so far, and the counters: the row of the next
    position to look at (`HEAD`), the number of rows (`TAIL`), the end of the layer. cache, scratch: arrays to work in.
    """
    counters, count = positions.counters, len(pieces)
    for _ in range(most):
        head = counters[HEAD]
        if head == counters[LAYER_END]:  # all positions of the layer were looked at
            if counters[IS_FOUND] or head == counters[TAIL]:
                return ENDED
            counters[LAYER_END] = counters[TAIL]
            counters[DEPTH] += 1
        _write_free_steps(bodies, pieces, positions.places[head], cache, scratch.free)
        positions.parts[head] = _label_parts(scratch, bodies.first_axis, count)
        if positions.parts[head] > 1:
            counters[IS_FOUND] = 1
        elif not counters[IS_FOUND]:
            for axis in range(bodies.first_axis, 3):
                steps = 1
                while not _close(scratch.free[axis], steps, count, scratch.reach, scratch.takers):
                    if not _add_groups(positions, head, count, axis, steps, scratch):
                        return FULL
                    steps += 1
        counters[HEAD] += 1
    return GOING_ON


def _divide(bodies, pieces, places, cache, scratch):
    """Return the number of parts into which pieces fall in a position; their labels and free steps are in ``scratch``.

    pieces: the numbers of the pieces. places: the place of each, in one row.
    """
    _write_free_steps(bodies, pieces, places, cache, scratch.free)
    return _label_parts(scratch, bodies.first_axis, len(pieces))


def compile_kernel(cache: bool) -> tuple[Any, ...]:
    """Compile and return (divide, begin, search); cache: keep the result on disk."""
    compiled = njit(cache=cache, nogil=True)
    return compiled(_divide), compiled(_begin), compiled(_search)
