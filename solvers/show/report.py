"""What a run says: the report as a table and as JSON, and a line of progress."""

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

from tabulate import tabulate

from solvers.show.plain import counted, plain, plain_label
from solvers.show.printable import printable

COVER_STARTS = 0.5
"""Seconds that the backend `cover` takes to load its compiled code."""

FRACTIONS = ("half", "a third", "a quarter", "a fifth", "a sixth", "a seventh", "an eighth", "a ninth")


@dataclass
class Report:
    """The facts of a run. Counts are exact iff complete, else lower bounds. Times are wall-clock seconds."""

    puzzle: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    """What the puzzle says of how its parameters were understood."""
    given: list[str] = field(default_factory=list)
    """What solutions are held to, each as label=value."""
    backend: str = ""
    chosen: str = ""
    """Why `auto` has chosen this one; empty if it was asked for."""
    method: str = "listing"
    """How solutions were counted: one by one, or by a frontier of states that lists none."""
    complete: bool = False
    """Whether the whole space was searched."""
    stopped_by: str = ""
    """What ended an incomplete run: the limit, the time limit, Ctrl-C, SIGTERM, a full disk."""
    solutions: int = 0
    """How many orbits of solutions were found: solutions up to symmetry."""
    total: int = 0
    """How many solutions that makes in all."""
    symmetry: str = "declared"
    """Which symmetries make two solutions one: those declared, those found in the model, or none."""
    symmetries: int | None = None
    """The order of the group that these generate."""
    symmetry_proved: bool | None = None
    """Whether each of them was proved, or there is none; if not, they are believed. None where it is not known."""
    unique: bool | None = None
    """Whether there is exactly one solution up to symmetry, where that was asked and is known."""
    which: dict[str, object] | None = None
    """Whether what was to be recognised is a solution, its number in the run's order, and both in a sentence."""
    met: int | None = 0
    """How many different solutions the search met; None where none is listed."""
    repeats: int | None = 0
    """Visits to a solution that had been seen already; None where solutions are not kept."""
    checked: int = 0
    """How many solutions and images were checked against the model and the rules of the puzzle."""
    objective: int | float | None = None
    """The best value, where the puzzle asks for one and it is known."""
    best: str = ""
    """The same in words, where the puzzle has them."""
    features: dict[str, int] = field(default_factory=dict)
    """How many of the solutions up to symmetry have each property that the puzzle names."""
    marginals: dict[str, int] = field(default_factory=dict)
    """If they were asked for and all solutions are known: literals, and how many are in_all solutions and in_none."""
    samples: list[Any] = field(default_factory=list)
    """Solutions that were drawn from all, each as a list of [label, value]."""
    hints: dict[str, Any] | None = None
    """The fewest hints for one solution or for each, where they were asked for; see `invent.hints.Hints`."""
    seconds: dict[str, float | None] = field(
        default_factory=lambda: {"build": None, "first": None, "all": 0.0, "output": 0.0, "certify": None, "left": None}
    )
    """To declare and prepare the model, to the first solution, to the end without output, for output, to certify; and
    of an incomplete run what the rest takes, as it seems, if that is known."""
    jobs: int = 1
    cubes: int = 0
    """How many cubes were conquered; 0 if the space was searched in one piece."""
    resumed: dict[str, int] = field(default_factory=dict)
    """How many of them, or of the layers, were done in earlier runs on the same store, by backend."""
    cover_seconds: float | None = None
    """What the search of the backend `cover` would take by an estimate, where another searches an exact cover."""
    progress: float = 0.0
    """The share of the space that was searched, by the cubes' weights."""
    memory: dict[str, int] = field(default_factory=dict)
    """The most bytes that this process (main) and one of its workers had."""
    model: dict[str, int] = field(default_factory=dict)
    """The size of what the solver was given: variables, constraints or clauses."""
    statistics: dict[str, int] = field(default_factory=dict)
    """What the search took, in the solver's own units."""
    versions: dict[str, str] = field(default_factory=lambda: versions())

    def __getitem__(self, key: str) -> Any:
        """What the JSON has under this key."""
        return json.loads(self.as_json())[key]

    def as_json(self) -> str:
        """One line, with the fields' names as keys."""
        parameters = {name: plain(value) for name, value in self.parameters.items()}
        return json.dumps({**vars(self), "parameters": parameters}, default=plain_label)

    def as_table(self) -> str:
        """Two columns for people."""
        return str(tabulate(self.rows(), tablefmt="plain", disable_numparse=True, preserve_whitespace=True))

    def advice(self) -> str:
        """That another backend would be much faster; empty if none is known to be."""
        share = self.progress if self.cubes and not self.complete else 1.0
        if self.cover_seconds is None or not share:
            return ""
        times = int(self.seconds["all"] / share / (self.cover_seconds + COVER_STARTS)) if self.seconds["all"] else 0
        if times < 2:
            return ""
        part = FRACTIONS[times - 2] if times - 2 < len(FRACTIONS) else "a tenth, or less,"
        return f"the model is an exact cover: --backend cover takes about {part} of the time"

    def answer(self) -> str:
        """What is to be said where it was asked whether the solution is unique; empty if it is not known."""
        if self.unique is None:
            return ""
        found = "best solution" if self.objective is not None else "solution"
        if self.unique:
            return f"Yes, there is exactly one {found} up to symmetry."
        return f"No, there is more than one {found} up to symmetry." if self.solutions else "No, there is no solution."

    def rows(self) -> list[tuple[str, str]]:
        """What people want to know, each fact with its name; what belongs to the fact above is indented."""
        at_least = "" if self.complete else "at least "
        note = "" if self.symmetry == "declared" else f" ({self.symmetry})"
        if self.symmetry_proved is False:
            note = " (declared, not proved)"
        if self.complete:
            complete = "yes, the whole space was searched"
        else:
            complete = f"no, ended by {self.stopped_by}" if self.stopped_by else "no"
        before = "  searched before" if self.cubes else "layers counted before"
        rows: list[tuple[str, object]] = [
            ("puzzle", self.puzzle),
            *(
                (f"  {name}", shown)
                for name, value in self.parameters.items()
                if (shown := plain(value)) not in ("", None)
            ),
            *([("note", self.note)] if self.note else []),
            *(("given", literal) for literal in self.given),
            ("backend", self.backend),
            *([("  chosen", self.chosen)] if self.chosen else []),
            ("method", self.method),
            *([("model", ", ".join(counted(count, unit) for unit, count in self.model.items()))] if self.model else []),
            ("complete", complete),
        ]
        if self.objective is not None:
            rows.append(("best value", self.best or self.objective))
        rows += [
            ("solutions up to symmetry", f"{at_least}{self.solutions}"),
            *((f"  {feature}", f"{at_least}{count}") for feature, count in sorted(self.features.items())),
            ("solutions in all", f"{at_least}{self.total}"),
            *([("symmetries", f"{self.symmetries}{note}")] if self.symmetries else []),
            *([("solutions met", self.met)] if self.met is not None else []),
            *([("repeats", self.repeats)] if self.repeats is not None else []),
            *([("solutions and images checked", self.checked)] if self.method == "listing" else []),
            *([("advice", advice)] if (advice := self.advice()) else []),
            *([("cubes", f"{self.cubes}, by {counted(self.jobs, 'jobs')}")] if self.cubes else []),
            *((before, f"{count}, by {backend}") for backend, count in sorted(self.resumed.items())),
            *((unit, count) for unit, count in self.statistics.items()),
            *((f"seconds, {phase}", f"{s:.2f}") for phase, s in self.seconds.items() if s is not None),
        ]
        return [(printable(name), "" if fact is None else printable(str(fact))) for name, fact in rows]


def versions() -> dict[str, str]:
    """What produced a result."""
    return {
        "python": platform.python_version(),
        "ortools": _version("ortools"),
        "python-sat": _version("python-sat"),
        "kazoeru": _version("kazoeru"),
    }


_version = cache(version)  # takes a millisecond each time
