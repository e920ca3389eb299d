"""Parts that plug into a run: ways to count without listing, readers of drawings, and counts of literals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from models.puzzle import Drawing, Literal
from solvers.show.report import Report
from solvers.symmetry.key import Encoded


class Tally(NamedTuple):
    """The state of a count."""

    statistics: Mapping[str, int]
    memory: Mapping[str, int]
    solutions: int = 0
    total: int = 0
    marginals: Sequence[int] | None = None
    """The number of solutions that hold each literal of the key, by the literal's number; None if not asked for."""
    samples: Sequence[Encoded] = ()
    features: Mapping[str, int] = MappingProxyType({})
    """The number of solutions up to symmetry for each value of the property that was asked for."""
    resumed: int = 0
    """Layers that an earlier run had done."""
    objective: int | float | None = None
    """The best value, if the model asks for one."""
    listed: Report | None = None
    """The report of the run that listed the solutions, if a listing was quicker than the count; otherwise None."""


class Counter(Protocol):
    """Counts the solutions of one question."""

    name: str
    """The program that counts, as the report shows it."""
    method: str
    size: Mapping[str, int]
    store: Any
    """The open store, closed with `close(ending)`; None if there is none."""
    jobs: int

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count, telling the state now and then; raises `Stopped`, `BudgetError` and `InputError`."""


class LiteralCounts(Mapping[Literal, int]):
    """The number of all solutions that hold each literal, whether symmetry was broken or not."""

    total: int
    """The number of solutions in all."""

    @property
    def in_all(self) -> list[Literal]:
        """The literals that all solutions share; empty if there is no solution."""
        return [literal for literal, count in self.items() if count == self.total > 0]

    @property
    def in_none(self) -> list[Literal]:
        """The literals that no solution holds."""
        return [literal for literal, count in self.items() if not count]

    @abstractmethod
    def heat_map(self) -> Drawing:
        """Draw the share of the solutions in which each piece covers each cell; empty if cells are unknown."""


class Recognition(Protocol):
    """A drawing that was read, and its answer once the solutions are known."""

    @property
    def is_solution(self) -> bool:
        """Tell whether it keeps the rules."""

    def answer(self, in_order: Sequence[Encoded], report: Report) -> dict[str, object]:
        """Return the answer for the report: ``solution``, ``number`` and ``sentence``."""
