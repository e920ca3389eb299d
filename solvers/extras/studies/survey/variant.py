"""A variant of a puzzle: its parameters, and what its run reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from solvers.extras.studies.survey.variants import Row
from solvers.show.plain import json_value
from solvers.show.printable import printable
from solvers.show.report import level_texts


class Variant(NamedTuple):
    """A variant of a puzzle with the report of its run."""

    arguments: Mapping[str, Any]
    """The values of the puzzle's parameters."""
    report: Row
    """The run's JSON object."""

    @property
    def refused(self) -> str:
        """The reason why the variant was refused; "" if it was run."""
        return str(self.report.get("refused", ""))

    @property
    def solutions(self) -> int:
        """The count up to symmetry; a lower bound if the run is not complete."""
        return int(self.report["solutions"])

    @property
    def total(self) -> int:
        """The number of solutions in all; a lower bound if the run is not complete."""
        return int(self.report["total"])

    @property
    def complete(self) -> bool:
        """True if the whole space was searched."""
        return bool(self.report["complete"])

    @property
    def unique(self) -> bool | None:
        """True if there is exactly one solution up to symmetry; None if that is not known."""
        if self.refused or (not self.complete and self.solutions < 2):
            return None
        return self.solutions == 1

    @property
    def apart(self) -> int | None:
        """The number of solutions up to symmetry that come apart; None if that was not asked for."""
        return self.report.get("apart")

    @property
    def level(self) -> str:
        """The levels of the solutions that come apart, the highest first."""
        return "" if self.apart is None else ", ".join(level_texts(self.report["features"]))

    @property
    def seconds(self) -> float:
        """The seconds that the run took, without output."""
        return float(self.report["seconds"]["all"] or 0)

    @property
    def walk(self) -> Mapping[str, Any] | None:
        """A person's walk to a solution, whose figures are the parts of the grade; None if it is not graded."""
        walk: Mapping[str, Any] | None = (self.report.get("grade") or {}).get("walk")
        return walk

    @property
    def ungraded(self) -> str:
        """The reason why the variant has no grade although one was asked for; "" otherwise."""
        return str((self.report.get("grade") or {}).get("ungraded", ""))

    def __repr__(self) -> str:
        """Return the parameters and the counts in one line."""
        values = ", ".join(f"{name} {json_value(value)}" for name, value in self.arguments.items())
        at_least = "" if self.complete else "at least "
        counts_in_words = self.refused or f"{at_least}{self.solutions} up to symmetry, {at_least}{self.total} in all"
        return printable(f"{values}: {counts_in_words}")
