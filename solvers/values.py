"""The values of a model's variables in a solution, as all rooms pass them on."""

from __future__ import annotations

from collections.abc import Iterator
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
