"""Packed refutations: LRAT in a third of the bytes that gzip leaves, read block by block.

A step is its clause, and hints that refute the clause's negation. Most hints are clauses of two literals of which one
is false already, so that only its place among the false literals and the variable of the other need to be told. What
is alike stands together, in columns that are compressed. A packed refutation need not be believed: what is unpacked
is LRAT, which is checked, by `unpack_kernel` or by a checker of others.

Needs numpy and numba, unlike the rest of the checker, as to unpack takes billions of steps.
"""

from __future__ import annotations

import bz2
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from .lrat import Wrong
from .unpack_kernel import COLUMNS, EMPTY_CLAUSE, WRONG_STEP, Arena, PackState, UnpackKernel, compile_kernel

PACKED_MAGIC = b"packed LRAT 1\n"

LEAST_PAIR_STEP = 5
"""The least size of a step whose clause has two literals: its number, two lengths and two literals."""

MAX_BLOCK_NUMBERS = 1 << 26
"""The most numbers in the steps of a block that is read, so that no file fills the memory."""

MAX_CLAUSE_NUMBER = 1 << 27
"""The largest number of a clause in a file that is read."""

Flat = NDArray[np.int32]
"""Steps as a sequence of numbers.

A step that adds a clause is: its number, the count of literals, these, the count of hints, these. One that deletes
clauses is: its number, -1, the count of clauses, these.
"""

HEADER = struct.Struct(f"<{2 + 2 * COLUMNS}I")
"""The header of a block: the size of its steps, the largest number in them, and each column's size before and
after compression.
"""


@cache
def kernel() -> UnpackKernel:
    """Return the compiled functions; they are compiled, and kept, at the first use."""
    try:
        return compile_kernel(cache=True)
    except RuntimeError:  # numba finds no folder that it may write to
        return compile_kernel(cache=False)


class PackTables:
    """The tables that packing or unpacking keeps about earlier steps; they grow."""

    def __init__(self, clauses: Sequence[Sequence[int]], variables: int) -> None:
        """Begin with the clauses of the formula; variables: the number of its variables."""
        self.variables = variables
        self.state = PackState(
            pairs=np.zeros(2, dtype=np.int32),
            keys=np.zeros(1 << 16, dtype=np.int64),
            values=np.zeros(1 << 16, dtype=np.int32),
            place=np.zeros(2 * variables + 2, dtype=np.int32),
            trail=np.zeros(max(1 << 16, 2 * variables + 2), dtype=np.int32),
            counters=np.array([0, len(clauses), len(clauses), 0, 0], dtype=np.int64),
        )
        pairs = [(number, clause) for number, clause in enumerate(clauses, 1) if len(clause) == 2]
        self.reserve(len(clauses), len(pairs))
        for number, (a, b) in pairs:
            kernel().remember(self.state, number, a, b)

    @property
    def room(self) -> int:
        """The most steps that can follow.

        Each step has a greater number than the one before, and the tables take numbers up to a limit.
        """
        return len(self.state.pairs) // 2 - 1 - int(self.state.counters[1])

    def reserve(self, most: int, new: int) -> None:
        """Make room for clauses up to the number ``most``, and for ``new`` more clauses of two literals."""
        state = self.state
        if 2 * most + 2 > len(state.pairs):
            pairs = np.zeros(max(2 * most + 2, int(1.5 * len(state.pairs)) // 2 * 2), dtype=np.int32)
            pairs[: len(state.pairs)] = state.pairs
            state = state._replace(pairs=pairs)
        size = len(state.keys)
        while 5 * (int(state.counters[0]) + new) > 4 * size:
            size *= 2
        if size > len(state.keys):
            keys, values = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int32)
            kernel().rehash(state.keys, state.values, keys, values)
            state = state._replace(keys=keys, values=values)
        self.state = state


def largest_number(flat: Flat, size: int) -> int:
    """Return the largest number in the steps; no clause has a greater number."""
    return int(flat[:size].max(initial=0))


def unpacked_steps(stream: IO[bytes], clauses: Sequence[Sequence[int]], variables: int) -> Iterator[tuple[Flat, int]]:
    """Yield (steps, their size) for each block of a packed file; raise `Wrong` if the file is damaged.

    clauses: the clauses of the formula; variables: the number of its variables.
    """
    damaged = Wrong("the packed proof is damaged or cut short")
    if stream.read(len(PACKED_MAGIC)) != PACKED_MAGIC:
        raise damaged
    known = PackTables(clauses, variables)
    while head := stream.read(HEADER.size):
        if len(head) < HEADER.size:
            raise damaged
        size, most, *sizes = HEADER.unpack(head)
        raw, small = sizes[:COLUMNS], sizes[COLUMNS:]
        if size > MAX_BLOCK_NUMBERS or most > MAX_CLAUSE_NUMBER or max(raw) > 5 * size:
            raise damaged
        columns = np.zeros((COLUMNS, max(*raw, 1)), dtype=np.uint8)
        for column, whole, length in zip(columns, raw, small, strict=True):
            column[:whole] = np.frombuffer(_decompress(stream.read(length), whole), dtype=np.uint8)
        known.reserve(most, 0)
        known.reserve(most, min(size // LEAST_PAIR_STEP, known.room))
        flat: Flat = np.zeros(size + 4, dtype=np.int32)
        if kernel().unpack(columns, np.array(raw, dtype=np.int64), flat, known.state, variables) != size:
            raise damaged
        del columns  # before the next block's
        yield flat, size


def _decompress(data: bytes, size: int) -> bytes:
    """Decompress a column; raise `Wrong` if it does not have this size."""
    reader = bz2.BZ2Decompressor()
    try:
        column = reader.decompress(data, size + 1)
    except (OSError, ValueError):
        column = b""
    if len(column) != size or not reader.eof:
        raise Wrong("the packed proof is damaged or cut short")
    return column


def unpacked_text(stream: IO[bytes], clauses: Sequence[Sequence[int]], variables: int) -> Iterator[bytes]:
    """Yield the parts of a packed refutation as text LRAT.

    clauses: the clauses of the formula. variables: the number of its variables. Raises `Wrong` if the file is damaged.
    """
    for flat, size in unpacked_steps(stream, clauses, variables):
        text = np.zeros(13 * size + 16, dtype=np.uint8)
        yield text[: kernel().print_steps(flat, size, text)].tobytes()


def check_packed(stream: IO[bytes], clauses: Sequence[Sequence[int]], variables: int) -> int:
    """Check a packed derivation of the empty clause and return the number of its steps.

    clauses: the clauses of the formula; variables: the number of its variables. Raises `Wrong` at the first step that
    does not follow.
    """
    lengths = np.array([len(clause) for clause in clauses], dtype=np.int64)
    literals = np.array([literal for clause in clauses for literal in clause], dtype=np.int32)
    arena = Arena(
        literals=literals,
        start=np.concatenate([[0], np.cumsum(lengths) - lengths]).astype(np.int64),
        size=np.concatenate([[-1], lengths]).astype(np.int32),
        stamp=np.zeros(2 * variables + 2, dtype=np.int32),
        counters=np.array([len(literals), len(clauses), 0], dtype=np.int64),
    )
    for flat, size in unpacked_steps(stream, clauses, variables):
        arena = _with_room(arena, largest_number(flat, size), size)
        answer = kernel().check(flat, size, arena)
        if answer == WRONG_STEP:
            raise Wrong(f"step {int(arena.counters[2])} of the proof does not follow")
        if answer == EMPTY_CLAUSE:
            return int(arena.counters[2])
    raise Wrong("the proof ends before the empty clause")


def _with_room(arena: Arena, most: int, more: int) -> Arena:
    """Return the clauses with room for ``more`` literals, and for clauses up to the number ``most``.

    First the literals of deleted clauses are removed; if less than a third of the array is free then, it grows.
    """
    if int(arena.counters[0]) + more > len(arena.literals):
        kernel().compact(arena)
        if 3 * (int(arena.counters[0]) + more) > 2 * len(arena.literals):
            arena = arena._replace(literals=_longer(arena.literals, int(arena.counters[0]) + more, 0))
    if most >= len(arena.size):
        arena = arena._replace(start=_longer(arena.start, most + 1, 0), size=_longer(arena.size, most + 1, -1))
    return arena


def _longer(array: NDArray[Any], size: int, fill: int) -> NDArray[Any]:
    """Return a copy of the array with at least this size, with ``fill`` in the new places."""
    longer = np.full(max(size, int(1.5 * len(array))), fill, dtype=array.dtype)
    longer[: len(array)] = array
    return longer
