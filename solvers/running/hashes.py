"""Remembers what was met, in a few bytes for each."""

from __future__ import annotations

from hashlib import blake2b

BYTES = 16
EMPTY = bytes(BYTES)
FULL = 0.7
"""The share of the places that are taken before there are to be more."""


def hashed(content: bytes) -> bytes:
    """Sixteen bytes; for different contents they differ, as far as anybody knows."""
    return blake2b(content, digest_size=BYTES).digest()


class Hashes:
    """A set of hashes of sixteen bytes; each takes 23 to 46 bytes, where a set of Python's takes over a hundred.

    >>> some = Hashes()
    >>> some.add(hashed(b"one")), some.add(hashed(b"one")), hashed(b"one") in some, hashed(b"two") in some
    (True, False, True, False)
    """

    def __init__(self) -> None:
        self._places = 64
        self._table = bytearray(BYTES * self._places)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, digest: bytes) -> bool:
        return self._table[slice(*self._place(digest))] == digest

    def add(self, digest: bytes) -> bool:
        """Remember it; whether it is new."""
        start, end = self._place(digest)
        if self._table[start:end] == digest:
            return False
        self._table[start:end] = digest
        self._count += 1
        if self._count > FULL * self._places:
            self._grow()
        return True

    def _place(self, digest: bytes) -> tuple[int, int]:
        """Where it is, or would be."""
        place = int.from_bytes(digest[:8], "little") % self._places
        while (here := self._table[BYTES * place : BYTES * (place + 1)]) != EMPTY and here != digest:
            place = (place + 1) % self._places
        return BYTES * place, BYTES * (place + 1)

    def _grow(self) -> None:
        before = self._table
        self._places *= 2
        self._table = bytearray(BYTES * self._places)
        for start in range(0, len(before), BYTES):
            if (digest := bytes(before[start : start + BYTES])) != EMPTY:
                place, end = self._place(digest)
                self._table[place:end] = digest
