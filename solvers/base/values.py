"""The values of a model's variables in a solution, as all rooms pass them on."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Protocol


class Values(Protocol):
    """The values of all variables of a model: a list or an array.

    They are in the order of the variables' indices in the model's proto.
    """

    def __getitem__(self, variable: int, /) -> Any:
        """Return the value of the variable with this index."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the values in the order of the variables."""

    def __len__(self) -> int:
        """Return the number of variables."""


def random_ranks(total: int, count: int, is_distinct: bool, rng: Random) -> Iterator[int]:
    """Yield ``count`` whole numbers from 0 to ``total`` - 1, each with the same chance; none if ``total`` is 0.

    is_distinct: yield none twice; then at most ``total`` numbers come.

    >>> sorted(random_ranks(3, 5, True, Random(1)))
    [0, 1, 2]
    """
    if not is_distinct:
        yield from (rng.randrange(total) for _ in range(count if total else 0))
    # Many of all are drawn at once; few are drawn one by one, as a range may be too long for a sample.
    elif 2 * count >= total:
        yield from rng.sample(range(total), min(count, total))
    else:
        seen: set[int] = set()
        while len(seen) < count:
            rank = rng.randrange(total)
            if rank not in seen:
                seen.add(rank)
                yield rank
