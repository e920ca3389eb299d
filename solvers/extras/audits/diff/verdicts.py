"""The verdicts on two models, and the result of their comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.puzzle import Label
from solvers.base.endings import DONE, INCOMPLETE, NO
from solvers.extras.audits.reading.labels import Grid
from solvers.extras.questions.invent.ask import Answer
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.show.versions import source_checksum, versions

SAME, SAME_UP_TO_SYMMETRY, DIFFERENT = "same", "same up to symmetry", "different"
OTHER_VARIABLES, NOT_SETTLED = "other variables", "not settled in time"
"""The verdicts on two models."""

MOST_NAMED = 6
"""The most labels that are named where a model lacks some."""

Values = tuple[int, ...]
"""The values of the labels that both models have, in their order."""


@dataclass
class Side:
    """One of the two models."""

    name: str
    checksum: str
    """The checksum of the model and its key."""
    solutions: int | None = None
    """The number of its solutions, told apart by the labels that both models have; None if they were not counted."""
    only: int | None = None
    """The number of its solutions that the other model does not have."""
    example: str = ""
    """A solution that the other model does not have, as text."""
    literals: list[tuple[Any, int]] = field(default_factory=list)
    """The same solution as pairs of label and value."""
    left_out: list[str] = field(default_factory=list)
    """The labels that the other model does not have."""
    samples: list[dict[Label, int]] = field(default_factory=list)
    """Some solutions that the other model does not have, by the reference's labels."""

    def as_json(self) -> dict[str, Any]:
        """Return this model's part of the JSON object that the command prints; the example is pairs (label, value)."""
        return {
            "name": self.name,
            "checksum": self.checksum,
            "solutions": self.solutions,
            "only": self.only,
            "example": self.literals,
            "left_out": self.left_out,
        }


@dataclass
class Difference(Answer):
    """The verdict on two models, with what only one of them has."""

    verdict: str
    reference: Side
    submission: Side
    labels: int
    """The number of labels that both models have, and on which they are compared."""
    symmetries: int | None = None
    """The number of symmetries of the reference if the solutions are the same only up to symmetry; otherwise None."""
    ignored: list[str] = field(default_factory=list)
    """The labels of the submission that were not compared, as the reference has none for them."""
    mapped: list[str] = field(default_factory=list)
    """Texts for ``--map`` that left no choice, so that the labels were matched as these say."""
    unfit: list[str] = field(default_factory=list)
    """The texts of ``--map`` that do not fit the submission, so that it was compared without them."""
    author_names: bool = False
    """Whether labels of the submission are the names that its author gave to variables, not those of the program."""
    proposals: list[str] = field(default_factory=list)
    """Texts for ``--map`` that would match labels which only one of the models has; some may be alternatives."""
    pairs: Mapping[Label, Label] = field(default_factory=dict)
    """The submission's label for each label of the reference that both have."""
    grids: tuple[Grid, Grid] = field(default_factory=lambda: ({}, {}))
    """The integers of each model that are written as Booleans: the label of the Boolean for each value, by label."""
    recoded: Mapping[Label, Mapping[int, int]] = field(default_factory=dict)
    """For labels of the submission whose values have other numbers: the reference's number of each of its values."""
    names: Mapping[Label, Mapping[int, str]] = field(default_factory=dict)
    """The names of values, by the reference's labels and numbers."""
    listed: tuple[Collection[Values], Collection[Values]] | None = None
    """The solutions of both models, if all were listed."""
    orbits: Callable[[], Mapping[Values, object] | None] | None = None
    """Returns the orbit of each solution of the reference under its symmetries; None if there is no time for it."""
    seconds: float = 0.0

    @property
    def code(self) -> int:  # type: ignore[override]
        """The command's exit code.

        The code is `NO` if the models or their labels differ, `INCOMPLETE` if that is not known, otherwise `DONE`.
        """
        return {DIFFERENT: NO, OTHER_VARIABLES: NO, NOT_SETTLED: INCOMPLETE}.get(self.verdict, DONE)

    @property
    def notes(self) -> list[str]:
        """Sentences on how the labels of the submission were matched."""
        lines = [f"compared without --map '{text}', which does not fit" for text in self.unfit]
        lines += ["compared by the names that the author gave to variables"] * self.author_names
        lines += [f"compared as with --map '{text}'" for text in self.mapped]
        number = number_with_unit(len(self.ignored), "labels")
        return lines + ([f"{number} ignored: {some_of(self.ignored)}"] if self.ignored else [])

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object that the command prints, as a dictionary."""
        return {
            "verdict": self.verdict,
            "reference": self.reference.as_json(),
            "submission": self.submission.as_json(),
            "labels": self.labels,
            "symmetries": self.symmetries,
            "mapped": self.mapped,
            "unfit": self.unfit,
            "author_names": self.author_names,
            "ignored": self.ignored,
            "notes": self.notes,
            "proposals": self.proposals,
            "seconds": self.seconds,
            "versions": versions(),
            "checksums": {"kazoeru": source_checksum()},
        }

    def __str__(self) -> str:
        """Return the verdict, the numbers of labels and solutions, and examples of differences, as text."""
        sides = (self.reference, self.submission)
        lines = [f"{self.verdict}, by {number_with_unit(self.labels, 'labels')}"]
        if self.verdict == OTHER_VARIABLES:
            lines[0] = (
                f"{self.verdict}: both have {number_with_unit(self.labels, 'labels')}; solutions were not compared"
            )
        if self.symmetries is not None:
            lines[0] += (
                f": the {number_with_unit(self.symmetries, 'symmetries')} of {self.reference.name} "
                "account for all differences"
            )
        for side in sides:
            if side.left_out:
                number = number_with_unit(len(side.left_out), "labels")
                lines.append(f"{number} of {side.name} only: {some_of(side.left_out)}")
        lines += self.notes
        lines += [f"perhaps the same, if you say --map '{text}'" for text in self.proposals]
        if self.verdict == OTHER_VARIABLES and not self.reference.left_out:
            lines.append(f"--on NAME compares by the labels or arrays of {self.reference.name} that you name, alone")
        for side in sides:
            if side.solutions is not None:
                lines.append(f"{side.name}: {number_with_unit(side.solutions, 'solutions')}")
        for side, other in (sides, sides[::-1]):
            if side.example:
                number = "at least 1 solution" if side.only is None else number_with_unit(side.only, "solutions")
                lines += ["", f"{number} of {side.name} that {other.name} lacks, such as"]
                lines += [f"  {line}" for line in side.example.splitlines()]
        return "\n".join(map(printable, lines))


def some_of(labels: Sequence[str]) -> str:
    """Return at most `MOST_NAMED` of some labels as text."""
    return ", ".join(labels[:MOST_NAMED]) + (", ..." if len(labels) > MOST_NAMED else "")
