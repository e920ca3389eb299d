"""The values of a model's variables in a solution, as all rooms pass them on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from solvers.errors import Stopped


class Values(Protocol):
    """The value of every variable of a model, by the variable's index in the model's proto: a list or an array."""

    def __getitem__(self, variable: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...


class AtMost(list[Any]):
    """A list that raises `Stopped` when there would be more in it than so many."""

    def __init__(self, most: float) -> None:
        self._most = most

    def append(self, item: Any) -> None:
        """Add it at the end."""
        if len(self) >= self._most:
            raise Stopped
        super().append(item)
