"""Packed refutations are made: LRAT in a third of the bytes that gzip leaves; `checker.unpack` describes the form."""

from __future__ import annotations

import bz2
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import cache
from itertools import chain

import numpy as np

from solvers.deadline import thread_pool
from solvers.extras.evidence.checker.unpack import (
    HEADER,
    LEAST_PAIR_STEP,
    PACKED_MAGIC,
    Flat,
    PackTables,
    largest_number,
)
from solvers.extras.evidence.checker.unpack_kernel import COLUMNS
from solvers.extras.evidence.packed_kernel import PackKernel, compile_kernel
from solvers.extras.ground.tuning import EXTRAS_TUNING
from solvers.model.compiled import kernel_of

MAX_BLOCKS_AHEAD = 2
"""The most blocks that wait to be compressed, some 20 MB each."""


@cache
def kernel() -> PackKernel:
    """Return the compiled functions; they are compiled at the first use after installing."""
    return kernel_of(compile_kernel)


def packed(text: Iterable[bytes], clauses: Sequence[Sequence[int]], variables: int) -> Iterator[bytes]:
    """Yield the parts of a packed file for a refutation in text LRAT, which comes in parts.

    clauses: the clauses of the formula; variables: the number of its variables. Raises ValueError if the text is not
    LRAT.

    >>> from io import BytesIO
    >>> from solvers.extras.evidence.checker.unpack import check_packed
    >>> clauses = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
    >>> text = [b"5 1 0 1 2 0\\n6 0 5 3 4 0\\n"]
    >>> check_packed(BytesIO(b"".join(packed(text, clauses, 2))), clauses, 2)
    2
    """
    yield PACKED_MAGIC
    with thread_pool() as executor:  # to compress takes longer than all else
        compressed: deque[Future[bytes]] = deque()
        for size, most, columns in _columns(text, PackTables(clauses, variables)):
            compressed.append(executor.submit(_block, size, most, columns))
            if len(compressed) > MAX_BLOCKS_AHEAD:
                yield compressed.popleft().result()
        for block in compressed:
            yield block.result()


def _columns(text: Iterable[bytes], known: PackTables) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield (size of the steps, largest number in them, the columns as bytes) for each block of a text.

    known: the tables about earlier steps. Raises ValueError if the text is not LRAT.
    """
    flat: Flat = np.zeros(EXTRAS_TUNING.packed_block_numbers, dtype=np.int32)
    rest = bytearray()
    for part in chain(text, [b""]):
        rest += part
        if part and len(rest) < EXTRAS_TUNING.packed_block_bytes:
            continue
        data, begin = np.frombuffer(bytes(rest), dtype=np.uint8), 0
        while True:
            read, size = kernel().parse(data[begin:], len(data) - begin, flat)
            if size < 0:
                raise ValueError("a refutation that is to be packed holds a step of another form")
            if read:
                most = largest_number(flat, size)
                known.reserve(max(most, 1), size // LEAST_PAIR_STEP)
                columns = np.zeros((COLUMNS, 5 * size), dtype=np.uint8)
                ends = np.zeros(COLUMNS, dtype=np.int64)
                kernel().pack(flat, size, columns, ends, known.state)
                yield size, most, [column[:end].tobytes() for column, end in zip(columns, ends.tolist(), strict=True)]
                begin += read
            elif len(data) - begin > len(flat) and 10 in data[begin:]:
                flat = np.zeros(2 * len(flat), dtype=np.int32)
            else:
                break
        rest = bytearray(data[begin:])


def _block(size: int, most: int, columns: Sequence[bytes]) -> bytes:
    """Return a block of a packed file: its header and its compressed columns.

    size: the size of the steps; most: the largest number in them.
    """
    data = list(map(bz2.compress, columns))
    return HEADER.pack(size, most, *map(len, columns), *map(len, data)) + b"".join(data)
