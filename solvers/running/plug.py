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
    """The state of a count: the numbers of solutions so far, and the figures of the program that counts."""

    statistics: Mapping[str, int]
    """Figures of the count, such as its number of nodes, by name."""
    memory: Mapping[str, int]
    """The peak memory in bytes of each kind of process, by name."""
    solutions: int = 0
    """The number of solutions up to symmetry."""
    total: int = 0
    """The number of solutions in all."""
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
    """A program that counts the solutions of one question without listing them."""

    name: str
    """The program that counts, as the report shows it."""
    method: str
    """The name of the method, as ``--method`` takes it."""
    size: Mapping[str, int]
    """The size of the model as the program counts it, by name, for the report."""
    store: Any
    """The open store, closed with `close(ending)`; None if there is none."""
    jobs: int
    advice: str
    """The advice for a count that does not end, a clause; empty if there is none."""

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count the solutions; return the final state.

        tell: called now and then with the state so far.

        Raises `Stopped` if the run was told to end, `BudgetError` if it would take more memory than allowed,
        `InputError` if the question cannot be counted in this way.
        """


class LiteralCounts(Mapping[Literal, int]):
    """A mapping from each literal, as (label, value), to the number of solutions that hold it.

    All solutions count, whether symmetry was broken or not.
    """

    total: int
    """The number of solutions in all."""

    @property
    def in_all(self) -> list[Literal]:
        """The literals that all solutions hold; an empty list if there is no solution."""
        return [literal for literal, count in self.items() if count == self.total > 0]

    @property
    def in_none(self) -> list[Literal]:
        """The literals that no solution holds."""
        return [literal for literal, count in self.items() if not count]

    @abstractmethod
    def heat_map(self) -> Drawing:
        """Draw the share of the solutions in which each piece covers each cell.

        The drawing is empty if the puzzle does not say which cells its literals fill.
        """


class Recognition(Protocol):
    """A drawing that was read as an assignment, and the answer which solution it shows."""

    @property
    def is_solution(self) -> bool:
        """Tell whether the drawing satisfies the rules of the puzzle."""

    def answer(self, in_order: Sequence[Encoded], report: Report) -> dict[str, object]:
        """Return the answer for the report, a dictionary.

        Its keys are ``solution``, ``number`` and ``sentence``. in_order: the least image of each orbit of solutions, in
        key order. report: the report of the finished run.
        """
