"""A part of the solutions of a run: those that fulfil conditions, as the outputs of the run take them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from solvers.base.errors import InputError
from solvers.base.options import LEVEL
from solvers.outputs.output import EndedRun
from solvers.running.plug import LiteralCounts
from solvers.running.question import Question, property_of
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded, Key

ORBIT = "orbit"
"""The property of a solution that is its number of different images."""

MAX_VALUES_NAMED = 5
"""The most values of a property that a message names."""


class PropertyCondition:
    """A condition on solutions, written PROPERTY=VALUE.

    The property is "orbit" or one by which a run counts. A solution fulfils the condition if it or an image of it has
    the value.
    """

    def __init__(self, question: Question, text: str) -> None:
        """Read the condition for the solutions of a question.

        Raises `InputError` if the puzzle has no such property, or the property cannot have the value.
        """
        self.text, self._question = text, question
        self.name, equals, self.value = (part.strip() for part in text.partition("="))
        if not equals or not self.name or not self.value:
            raise InputError(f"{text!r} is no condition; write PROPERTY=VALUE, such as {ORBIT}=1")
        self.values_met: set[str] = set()
        """The values of the solutions that were looked at."""
        order = question.group.order
        if self.name == ORBIT:
            # The size of an orbit divides the order of the group.
            if not self.value.isascii() or not self.value.isdigit() or not int(self.value) or order % int(self.value):
                raise InputError(f"{text}: there are {order} symmetries, so the number of images divides {order}")
            self.value = str(int(self.value))
            return
        self._property = property_of(question.puzzle, self.name, also=(ORBIT,))

    def is_fulfilled(self, encoded: Encoded) -> bool:
        """Tell whether a solution fulfils the condition; encoded: the numbers of its literals."""
        group, key = self._question.group, self._question.key
        if self.name == ORBIT:
            return group.orbit_size(encoded) == int(self.value)
        # Images have the same value, or are too many to look at: then the solution itself stands for them.
        is_of_orbits = getattr(self._property, "is_of_orbits", False) or group.most_images != group.order
        images = [encoded] if is_of_orbits else group.images(encoded)
        values = {str(self._property(key.decode(image).whole())) for image in images}
        values.add(" or ".join(sorted(values)))  # as the run counts them
        self.values_met |= values
        return self.value in values

    def refuse_unknown(self, report: Report) -> None:
        """Raise `InputError` if all solutions have other values: the value may be misspelt.

        A number of images or of moves that no solution has is not refused. report: that of the run whose solutions were
        looked at.
        """
        is_number = self.name == ORBIT or (self.name == LEVEL and re.fullmatch(r"\d+(\.\d+)*", self.value))
        if not report.complete or is_number or not self.values_met or self.value in self.values_met:
            return
        values_named = sorted(self.values_met)[:MAX_VALUES_NAMED]
        other_count = len(self.values_met) - len(values_named)
        more = f" and {other_count} others" if other_count else ""
        raise InputError(f"no solution has {self.text}; {self.name} is {', '.join(map(repr, values_named))}{more}")


class Selection:
    """Some solutions of a run that has ended: what outputs take in place of the run."""

    def __init__(self, run: EndedRun, encoded: Sequence[Encoded], where: Iterable[str] = ()) -> None:
        """Take a part of the solutions of a run.

        encoded: the solutions in their order, each as its literal numbers. where: the conditions in words, for the
        report.
        """
        self._run, self._encoded = run, list(encoded)
        self.question = run.question
        self.marginals: LiteralCounts | None = None
        """None: those of the run are about all solutions."""
        self.selected = {"where": [*where], "solutions": len(self._encoded)}
        """The field of the report that says how many solutions were selected."""

    @property
    def report(self) -> Report:
        """The report of the whole run, which also says that these are a part of its solutions."""
        return replace(self._run.report, selected=self.selected)

    def in_order(self, most: int | None = None) -> list[Encoded]:
        """Return the solutions; most: how many, the first ones; None for all."""
        return self._encoded[:most]

    def add_facts(self, **fields: Any) -> None:
        """Leave out what was established about these solutions only: the report is of all."""

    def add_seconds(self, **seconds: float) -> None:
        """Have the report of the run say how long something took; see `EndedRun`."""
        self._run.add_seconds(**seconds)

    def work_on(self, work: Callable[..., object]) -> float:
        """Do further work after the search, and return its seconds; see `EndedRun`."""
        return self._run.work_on(work)


def select(run: EndedRun, conditions: Sequence[PropertyCondition], is_over: Callable[[], bool]) -> Selection:
    """Return the solutions of a run that fulfil all conditions.

    is_over: says whether there is no more time; the solutions that were not looked at by then are left out.
    """
    chosen = []
    for encoded in run.in_order():
        if is_over():
            break
        # Each condition looks at all solutions, so that it knows all values.
        fulfilled = [condition.is_fulfilled(encoded) for condition in conditions]
        if all(fulfilled):
            chosen.append(encoded)
    return Selection(run, chosen, [condition.text for condition in conditions])


def literal_numbers(solution: Decoded, key: Key) -> Encoded:
    """Return a solution as the numbers of its literals."""
    return tuple(sorted({key.number(key.position[label], value) for label, value in solution.items()}))
