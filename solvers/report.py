"""What a run says: the report as a table and as JSON, and a line of progress."""

import json
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, TextIO

from tabulate import tabulate

from solvers import __version__
from solvers.compiled import is_compiling
from solvers.solutions import plain_label


@dataclass
class Report:
    """The facts of a run. Counts are exact iff complete, else lower bounds. Times are wall-clock seconds."""

    puzzle: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    """What solutions are held to, each as label=value."""
    backend: str = ""
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
    unique: bool | None = None
    """Whether there is exactly one solution up to symmetry, where that was asked and is known."""
    which: dict[str, object] | None = None
    """Whether what was to be recognised is a solution, its number in the run's order, and both in a sentence."""
    repeats: int | None = 0
    """Visits to a solution that had been seen already; None where solutions are not kept."""
    checked: int = 0
    """How many solutions and images were checked against the model and the rules of the puzzle."""
    objective: int | float | None = None
    """The best value, where the puzzle asks for one and it is known."""
    features: dict[str, int] = field(default_factory=dict)
    """How many of the solutions up to symmetry have each property that the puzzle names."""
    marginals: dict[str, int] = field(default_factory=dict)
    """If they were asked for and all solutions are known: literals, and how many are in_all solutions and in_none."""
    samples: list[Any] = field(default_factory=list)
    """Solutions that were drawn from all, each as a list of [label, value]."""
    seconds: dict[str, float | None] = field(
        default_factory=lambda: {"build": None, "first": None, "all": 0.0, "output": 0.0, "certify": None}
    )
    """To declare and prepare the model, to the first solution, to the end without output, for output, to certify."""
    jobs: int = 1
    cubes: int = 0
    """How many cubes were conquered; 0 if the space was searched in one piece."""
    resumed: dict[str, int] = field(default_factory=dict)
    """How many of them, or of the layers, were done in earlier runs on the same store, by backend."""
    progress: float = 0.0
    """The share of the space that was searched, by the cubes' weights."""
    memory: dict[str, int] = field(default_factory=dict)
    """The most bytes that this process (main) and one of its workers had."""
    model: dict[str, int] = field(default_factory=dict)
    """The size of what the solver was given: variables, constraints or clauses."""
    statistics: dict[str, int] = field(default_factory=dict)
    """What the search took, in the solver's own units."""
    versions: dict[str, str] = field(default_factory=lambda: versions())

    def as_json(self) -> str:
        """One line, with the fields' names as keys."""
        parameters = {name: plain(value) for name, value in self.parameters.items()}
        return json.dumps({**vars(self), "parameters": parameters}, default=plain_label)

    def as_table(self) -> str:
        """Two columns for people."""
        return str(tabulate(self.rows(), tablefmt="plain", disable_numparse=True))

    def answer(self) -> str:
        """What is to be said where it was asked whether the solution is unique; empty if it is not known."""
        if self.unique is None:
            return ""
        found = "best solution" if self.objective is not None else "solution"
        if self.unique:
            return f"Yes, there is exactly one {found} up to symmetry."
        return f"No, there is more than one {found} up to symmetry." if self.solutions else "No, there is no solution."

    def rows(self) -> list[tuple[str, object]]:
        """What people want to know, each fact with its name; what belongs to the fact above is indented."""
        at_least = "" if self.complete else "at least "
        note = "" if self.symmetry == "declared" else f" ({self.symmetry})"
        if self.complete:
            complete = "yes, the whole space was searched"
        else:
            complete = f"no, ended by {self.stopped_by}" if self.stopped_by else "no"
        before = "  searched before" if self.cubes else "layers counted before"
        rows: list[tuple[str, object]] = [
            ("puzzle", self.puzzle),
            *((f"  {name}", plain(value)) for name, value in self.parameters.items()),
            *(("given", literal) for literal in self.given),
            ("backend", self.backend),
            ("method", self.method),
            ("model", ", ".join(f"{count} {unit}" for unit, count in self.model.items())),
            ("complete", complete),
        ]
        if self.objective is not None:
            rows.append(("best value", self.objective))
        rows += [
            ("solutions up to symmetry", f"{at_least}{self.solutions}"),
            *((f"  {feature}", f"{at_least}{count}") for feature, count in sorted(self.features.items())),
            ("solutions in all", f"{at_least}{self.total}"),
            *([("symmetries", f"{self.symmetries}{note}")] if self.symmetries else []),
            *([("repeats", self.repeats)] if self.repeats is not None else []),
            *([("solutions and images checked", self.checked)] if self.method == "listing" else []),
            *([("cubes", f"{self.cubes}, by {self.jobs} jobs")] if self.cubes else []),
            *((before, f"{count}, by {backend}") for backend, count in sorted(self.resumed.items())),
            *((unit, count) for unit, count in self.statistics.items()),
            *((f"seconds, {phase}", f"{s:.2f}") for phase, s in self.seconds.items() if s is not None),
        ]
        return rows


def plain(value: Any) -> object:
    """A parameter's value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def versions() -> dict[str, str]:
    """What produced a result."""
    return {
        "python": platform.python_version(),
        "ortools": version("ortools"),
        "python-sat": version("python-sat"),
        "kazoeru": __version__,
    }


BAR = 30
"""Characters of the bar that shows the share of the space."""


class Progress:
    """A line on a terminal that says that the run is alive; nothing where the stream is no terminal."""

    def __init__(self, quiet: bool, stream: TextIO = sys.stderr) -> None:
        self._stream = stream if stream.isatty() and not quiet else None
        self._began = self._shown = time.perf_counter()
        self._since: tuple[float, float] | None = None

    def show(self, report: Report) -> None:
        """Rewrite the line, at most a few times a second."""
        now = time.perf_counter()
        if self._stream and now - self._shown > 0.2:
            self._shown = now
            self._stream.write(f"\r\x1b[K{report.puzzle} {self._state(report, now - self._began)}")
            self._stream.flush()

    def _state(self, report: Report, elapsed: float) -> str:
        if is_compiling():
            return f"compiling the search, {elapsed:.0f} s "
        if not report.model:
            return f"building the model, {elapsed:.0f} s "
        if layers := report.statistics.get("layers"):
            done, states = report.statistics["layers_done"], report.statistics["states"]
            return f"{done} of {layers} layers, {states} states, {elapsed:.0f} s "
        state = f"{report.solutions} solutions up to symmetry, {elapsed:.0f} s "
        if report.progress:
            if self._since is None:  # what an earlier run searched took no time
                self._since = elapsed, report.progress
            began, before = self._since
            left = (elapsed - began) * (1 - report.progress) / max(report.progress - before, 1e-9)
            filled = round(BAR * report.progress)
            state = f"[{'#' * filled}{'.' * (BAR - filled)}] {report.progress:.0%}, {state}({left:.0f} s left) "
        return state

    def clear(self) -> None:
        """Take the line away, so that what follows starts on a clean one."""
        if self._stream:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
