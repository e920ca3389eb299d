"""Several backends on one puzzle in this process, side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from solvers.base.backend_rows import available_backends
from solvers.base.errors import CheckError, InputError
from solvers.extras.studies.survey.trials import TERMS, terms
from solvers.library import Result, solve
from solvers.show.evidence import agreement
from solvers.show.shown import Table
from solvers.terminal.calls import Named

if TYPE_CHECKING:
    from solvers.extras.studies.survey.plot import Plot


FRAME_COLUMNS = (
    "backend",
    "seconds.all",
    "seconds.build",
    "complete",
    "solutions",
    "total",
    "met",
    "method",
    "jobs",
    "stopped_by",
)
"""The columns of `Comparison.to_frame`, the most telling first."""


class Comparison(Table):
    """The reports of several backends on one puzzle, side by side.

    They say how far each backend searched, and what it was given.
    """

    def __init__(self, results: Mapping[str, Result]) -> None:
        """Take the results by the names of the backends."""
        self.results = results
        """The results by the backend's name, as the caller wrote it."""
        self._reports = [result.report for result in results.values()]
        self.agreement = agreement(report.completed for report in self._reports if report.complete)
        """How many independent searches found the same solutions, in a sentence."""
        rows = [
            (
                report.backend,
                "yes" if report.complete else "no",
                report.solutions,
                report.total,
                report.seconds["all"],
                *terms(report),
            )
            for report in self._reports
        ]
        super().__init__(rows, ["backend", "complete", "solutions", "in all", "seconds", *TERMS], floatfmt=".2f")

    def __str__(self) -> str:
        """Return the table and the sentence on agreement as text."""
        return f"{super().__str__()}\n\n{self.agreement}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table and the sentence on agreement as HTML, which Jupyter shows."""
        return f"{super()._repr_html_()}<p>{escape(self.agreement)}</p>"

    def to_frame(self) -> Any:
        """Return a table of pandas with a row for each backend and the columns `FRAME_COLUMNS`.

        `results` has the whole reports. Raises `InputError` if pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise InputError("a frame needs pandas; install it with pip install pandas") from None
        reports = pandas.json_normalize([json.loads(report.as_json()) for report in self._reports])
        return reports[list(FRAME_COLUMNS)]

    def plot(self) -> Plot:
        """Return a plot with the seconds of each backend as bars; those of incomplete runs are hatched.

        The time to prepare the model is a part of each bar of its own, with dots.

        Raises `InputError` if matplotlib is not installed.
        """
        try:
            import matplotlib.style

            from solvers.extras.studies.survey.plot import LOOK, Plot
        except ImportError:
            raise InputError("a plot needs matplotlib; install it with pip install '.[plot]'") from None
        with matplotlib.style.context(LOOK):
            figure = Plot(figsize=(8, 1 + 0.8 * len(self._reports)), layout="constrained")
            axes = figure.subplots()
            for place, report in enumerate(self._reports):
                seconds, (did, model, _) = report.seconds["all"] or 0.0, terms(report)
                preparing = min(seconds, report.seconds["build"] or 0.0)
                hatch, is_first = "" if report.complete else "///", place == 0
                axes.barh(place, preparing, color="C1", height=0.4, hatch="..", label="preparing" if is_first else None)
                axes.barh(
                    place,
                    seconds - preparing,
                    left=preparing,
                    color="C0",
                    height=0.4,
                    hatch=hatch,
                    label="searching" if is_first else None,
                )
                axes.text(0, place - 0.25, f"{did} ({model})", fontsize="small", va="bottom")
            names = [report.backend for report in self._reports]
            axes.set(title=self._reports[0].puzzle, xlabel="seconds", yticks=range(len(names)), yticklabels=names)
            axes.set_ylim(len(names) - 0.5, -0.8)  # the first on top, with room for the words above it
            figure.legend(fontsize="small", loc="outside lower right", ncols=2)
        return figure


def compare_backends(puzzle: Named, /, backends: Sequence[str] = (), **arguments: Any) -> Comparison:
    """Solve a puzzle on several backends, one after another in this process, and compare their solutions.

    Parameters
    ----------
    puzzle
        As for `solve`.
    backends
        Names of backends. By default those of cp-sat, cp, sat and cover that take the puzzle.
    **arguments
        Options as for `solve`.

    Returns
    -------
    Comparison
        The result of each backend, and a sentence on their agreement.

    Raises
    ------
    CheckError
        If two complete runs found different solutions.
    InputError
        As for `solve`.

    Examples
    --------
    >>> from models.magic import magic
    >>> comparison = compare_backends(magic(kind="ring"))
    >>> [(name, result.total) for name, result in comparison.results.items()]
    [('cp-sat', 48), ('cp', 48), ('sat', 48), ('clasp', 48)]
    >>> print(comparison.agreement)
    2 independent searches found the same solutions: cp-sat; cp, sat:cadical195, clasp (which share the reading of
    constraints). All rest on the declared model, its symmetries, symmetry breaking.
    """
    results: dict[str, Result] = {}
    for backend in backends or available_backends():
        try:
            results[backend] = solve(puzzle, backend=backend, **arguments)
        except InputError:
            if backends or not results:
                raise
    complete = {name: result for name, result in results.items() if result.complete}
    for name, result in complete.items():
        first, reference = next(iter(complete.items()))
        if (result.total, result[:]) != (reference.total, reference[:]):
            raise CheckError(f"{result.report.puzzle}: {first} and {name} found different solutions")
    return Comparison(results)
