"""The protocol of backends; `cp_sat.CpSat`, `cp.Cp`, `sat.Sat` and `cover.Cover` implement it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from solvers.base.values import Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def ignore(values: Values) -> None:
    """Do nothing with a solution; the default for callbacks."""


@dataclass(frozen=True)
class Task:
    """A model that a backend is to search, with the settings of the search."""

    model: CpModel
    """The model; the backend does not change it."""

    key: Sequence[int]
    """The proto indices of the key variables."""

    stop: threading.Event
    """Ends the searches once it is set."""

    seed: int = 0
    """Varies the order of the search; 0 is the default."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    """The parameters of the solver that the user set, by name."""

    cover: Any = None
    """The model as an `ExactCover` whose variables the key holds or determines; None if it is none, or if that
    is not known.
    """

    is_long: bool | None = None
    """Whether to derive what speeds up long searches only: not where a first solution is wanted at once.

    None if a look at the search is to tell.
    """

    solver: str = ""
    """The solver that is asked for, of a backend that has several; empty for its default."""

    shown: int | None = None
    """The number of variables, the first ones, whose values are asked for in each solution; None for all.

    A backend may tell more.
    """

    lowering: Any = None
    """The model's lowering, if another backend has made it (see `Lowered`); both may add gates to it."""


class Backend(Protocol):
    """A model made ready for one solver; built once from a `Task`, then asked for the solutions of one or many cubes.

    Once the task's ``stop`` is set, a running call raises `Stopped` as soon as the solver can be brought to a halt, in
    any case within a second.

    Raises `InputError` where the model or a parameter is none of this backend's.
    """

    @property
    def name(self) -> str:
        """The backend's full name, such as sat:cadical195."""

    @property
    def size(self) -> Mapping[str, int]:
        """The size of the model in the solver: numbers of variables, constraints or clauses, by name."""

    @property
    def implied(self) -> Mapping[str, int]:
        """The redundant facts that were added to the rules: the number of each kind, by name."""

    @property
    def rests_on(self) -> Sequence[str]:
        """The parts of our code by which the model gets to the solver, in words; see `solvers.show.evidence`."""

    @property
    def can_go_on(self) -> bool:
        """True if it can search again after a search that was stopped, which then left no trace."""

    @property
    def statistics(self) -> Mapping[str, int]:
        """The figures of all searches so far, in the solver's own units, such as conflicts or nodes, by name."""

    def __init__(self, task: Task) -> None: ...

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Return the least value of the objective, proved, and hold the model to it.

        The result is None if there is no solution. The value is the proto objective's sum of coefficients times
        variables, without offset and scaling. CP-SAT writes every objective as one to minimise (coefficients negated,
        scaling factor -1 where the model maximises). From then on `enumerate` finds all solutions that have this value.

        It is called once, before `enumerate`, exactly where the model has an objective.

        improved: called with the values of all variables in solutions on the way, each better than the one before, the
        last one best.
        """

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` once for each assignment of the key variables that extends to a solution in the cube.

        The cube is a conjunction of Boolean literals in the proto's convention (i, or -i - 1 for the negation of
        variable i). Each call gets the values of all variables of one such solution, or of those that are shown
        (`Task.shown`). Returning means that the whole cube was searched. Cubes of one backend are independent of each
        other: none leaves a trace in the next.

        Raises `Stopped` once the event of the task is set.
        """

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, the values of all variables in some solution that agrees with it.

        assignments: the values of some variables, by proto index. The entry is None if no solution agrees with the
        assignment. An objective and what was enumerated before do not matter.
        """


class Propagator(Protocol):
    """A backend part that does unit propagation on a model; see `sat.Propagation`."""

    def consequences(self, literals: Sequence[int]) -> set[int] | None:
        """Return the key's literals that follow from these by unit propagation, these included.

        Literals are i for variable i, -i - 1 for its negation. The result is None if they contradict each other.
        """

    def is_impossible(self, literals: Sequence[int], conflicts: int) -> bool:
        """Tell whether a search with so many conflicts shows that no solution has all these literals of the key."""


@runtime_checkable
class Lowered(Backend, Protocol):
    """A backend that searches a formula; see `solvers.cnf.lower.Lowering`."""

    lowering: Any


@runtime_checkable
class Pausing(Backend, Protocol):
    """A backend, such as `cp`, whose search can pause at each solution."""

    def solutions(self, cube: Sequence[int] = ()) -> Generator[Values, None, None]:
        """Yield the solutions that `enumerate` would report for a cube, each as the values of all variables.

        Only one such search may be open at a time; closing the generator ends it.
        """
