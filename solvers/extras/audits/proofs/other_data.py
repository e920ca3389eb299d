"""A marked model with other data: the verdicts on smaller ones, and what is true of greater or smaller ones, too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.extras.audits.proofs.known import AllSolutions, solutions_of
from solvers.extras.audits.reading.marks import Marked
from solvers.extras.audits.reading.orbits import Lister, orbits_of

SHORTEST_AUDIT = 0.5
"""The least number of seconds that an audit with smaller data is begun with."""

LEAST_SECONDS = 5.0
"""The least number of seconds that the model with other data may take if there is no time limit."""

MOST_PARTS = 3
"""The most parts into which the time that is left is divided for the next size: models may have many sizes."""

SHARE_OF_OTHERS = 2 / 3
"""The part of the time that is left which the model with other data may take."""


class Judged(Protocol):
    """The verdicts on a model with some data, as far as they are asked here; `verdict.Audit` is one."""

    @property
    def is_firm(self) -> bool:
        """Tell whether every verdict is known."""

    @property
    def has_ended(self) -> bool:
        """Tell whether more time would change no verdict, be it that some stay open."""

    @property
    def is_listed(self) -> bool:
        """Tell whether all solutions without the marked constraints are known."""

    @property
    def verdicts(self) -> list[str]:
        """The verdict on each mark, and on all together."""

    @property
    def is_idle(self) -> bool:
        """Tell whether there is certainly nothing to break, so that the verdicts say nothing."""


Verdicts = TypeVar("Verdicts", bound=Judged)


def with_smaller_data(
    marked: Marked,
    judge: Callable[[Marked, float], Verdicts],
    tell: Callable[[str], object],
    stop: threading.Event,
    end: float,
) -> dict[str, Verdicts]:
    """Return the audits of a model with smaller data whose verdicts are all known, by the data.

    A size is an integer parameter. One size grows from its least value, and the others keep theirs. First come those
    that are numbers of things, then these grow together, then come the other sizes, and at last all grow together. The
    result is of the first sizes whose verdicts are the same at the two greatest values; if there are none, of the first
    that give verdicts. marked: the model. judge: judges a model within some seconds. tell: called with the data before
    each audit. stop: ends the work when set. end: when the time is over, by `time.perf_counter`.
    """
    names = [name for name, value in marked.sizes if value > 1]
    counts = [name for name in marked.counts if name in names]
    # The sizes that grow, step by step; those together are left out where they are one size, or all sizes.
    growing = [[name] for name in counts] + [counts] * (1 < len(counts) < len(names))
    growing += [[name] for name in names if name not in counts] + [names] * (len(names) > 1)
    first_audits: dict[str, Verdicts] = {}
    for number, sizes_tried in enumerate(growing):
        now = time.perf_counter()
        parts = min(len(growing) - number, MOST_PARTS)  # into which the time left is divided
        audits = _audits_of_sizes(marked, sizes_tried, judge, tell, stop, now + (end - now) / parts)
        if agree(audits):
            return audits
        first_audits = first_audits or audits
    return first_audits


def agree(audits: Mapping[str, Judged]) -> bool:
    """Tell whether the verdicts are the same with the two greatest data; if there are fewer data, they are not.

    audits: the audits by the data, the smallest first.
    """
    last = [*audits.values()][-2:]
    return len(last) == 2 and last[0].verdicts == last[1].verdicts


def _audits_of_sizes(
    marked: Marked,
    names: Collection[str],
    judge: Callable[[Marked, float], Verdicts],
    tell: Callable[[str], object],
    stop: threading.Event,
    end: float,
) -> dict[str, Verdicts]:
    """Return the audits with smaller values of some sizes whose verdicts are known; see `with_smaller_data`.

    The sizes grow until the time is over, also past verdicts that are open though all solutions are known: larger data
    have more solutions, and fewer accidents among them. If more time would not settle them, verdicts with less data do
    not hold for larger ones, and are forgotten. Data with nothing to break are passed over. names: the sizes that grow.
    end: when the time for these is over; the other arguments are as for `with_smaller_data`.
    """
    audit_by_size: dict[str, Verdicts] = {}
    for size, other in marked.smaller(names):  # the text that says the data, and the model with them
        seconds = end - time.perf_counter()
        if stop.is_set() or seconds < SHORTEST_AUDIT:
            break
        tell(size)
        with suppress(InputError, Stopped):
            audit = judge(other, seconds)
            if audit.is_idle:
                continue
            if audit.is_firm:
                audit_by_size[size] = audit
            elif audit.has_ended:  # it is open, and more time would not settle it
                audit_by_size.clear()
            elif not audit.is_listed:  # too large to list in the time; greater data are larger still
                break
    return audit_by_size


class OtherData(Generic[Verdicts]):
    """The same model with data that are one greater or less."""

    def __init__(
        self,
        marked: Marked,
        judge: Callable[[Marked, float], Verdicts],
        lister: Lister,
        stop: threading.Event,
        began: float,
        end: float | None,
    ) -> None:
        """Store the model, and how it is judged.

        judge: judges a model within some seconds. lister: lists solutions. stop: ends the work when set. began, end:
        when the audit began, and when its time is over, by `time.perf_counter`; None if it has no limit. ``_audits``
        has the audits that were made, by the text that says the data; None for data that gave none.
        """
        self._marked = marked
        self._judge = judge
        self._lister = lister
        self._stop = stop
        self._began, self._end = began, end
        self._audits: dict[str, Verdicts | None] = {}

    def _deadline(self) -> Deadline:
        """Return a deadline for the work on other data.

        The work may take twice the time spent so far, at least `LEAST_SECONDS`; if the audit has a time limit, it may
        take `SHARE_OF_OTHERS` of what is left.
        """
        now = time.perf_counter()
        deadline = Deadline(self._stop)
        if self._end is None:
            deadline.begin(max(LEAST_SECONDS, 2 * (now - self._began)))
        else:
            deadline.begin(max(0.1, (self._end - now) * SHARE_OF_OTHERS))
        return deadline

    def solutions(self) -> Iterator[tuple[str, AllSolutions]]:
        """Yield (text that says the data, the solutions) with other data, in which one parameter is greater or less.

        Data with fewer than two solutions, or whose solutions cannot all be listed in time, are left out. The solutions
        are those without the marked constraints.
        """
        deadline = self._deadline()
        for size, other in self._marked.others():
            if deadline.is_set():
                return
            deadline_of_data = Deadline(self._stop)  # greater data, which may be hard, leave time for smaller ones
            deadline_of_data.begin(deadline.left / 2)
            with suppress(InputError, Stopped):
                orbits = orbits_of(other.puzzle(()), self._lister, deadline_of_data)
                solutions = solutions_of(orbits, other.integers)
                if solutions and len(solutions.every) > 1:
                    yield size, solutions

    def audits(self) -> Iterator[tuple[str, Verdicts]]:
        """Yield (text that says the data, the audit) with other data, while time lasts; each audit is made once.

        Data to which arrays were cut are left out: a list of permutations that is cut has lost its symmetry.
        """
        deadline = self._deadline()
        for size, other in self._marked.others():
            if deadline.is_set():
                return
            if other.cut:
                continue
            if size not in self._audits:
                self._audits[size] = None
                with suppress(InputError, Stopped):
                    self._audits[size] = self._judge(other, max(0.1, deadline.left))
            if audit := self._audits[size]:
                yield size, audit
