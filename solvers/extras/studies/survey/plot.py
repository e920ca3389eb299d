"""Plots: how many solutions each variant has, and methods on several questions held against each other."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from itertools import cycle
from statistics import median
from typing import Any, NamedTuple

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator

from solvers.base.errors import InputError
from solvers.show.draw import LINE_COLOURS

LOOK = {"axes.prop_cycle": cycler(color=LINE_COLOURS)}
"""The settings of matplotlib for all plots."""

INCHES_PER_NAME = 0.25
"""Inches that the name of a variant takes."""

MAX_NAMED_VARIANTS = 200
"""The most variants that are all named; of more, only every second, third, ... is named, so that names can be read."""


class Point(NamedTuple):
    """A variant in the plot."""

    value: object
    """The value of the parameter that varies; if several vary, the values of all as text."""
    solutions: int
    complete: bool


class Plot(Figure):
    """A figure that shows itself in Jupyter, whatever was loaded there."""

    def _repr_png_(self) -> bytes:
        """Return the figure as PNG, which Jupyter shows."""
        content = BytesIO()
        self.savefig(content, format="png")
        return content.getvalue()


def plot(title: str, varied: str, points: Sequence[Point]) -> Plot:
    """Return a plot of the numbers of solutions of variants.

    They are drawn over the values if these are numbers, else as a line for each variant. points: the variants. title:
    the heading. varied: the names of the parameters that vary, for the axis. Incomplete runs have a mark of their own;
    counts above 100 are drawn on a logarithmic axis.
    """
    has_numbers = bool(points) and all(isinstance(point.value, (int, float)) for point in points)
    # Every so many variants one is named.
    label_step = -(-len(points) // MAX_NAMED_VARIANTS)
    with matplotlib.style.context(LOOK):
        height = 5.0 if has_numbers else max(2.5, 1.2 + INCHES_PER_NAME * min(len(points), MAX_NAMED_VARIANTS))
        figure = Plot(figsize=(8, height), layout="constrained")
        axes = figure.subplots()
        for complete, look, label in ((True, "o", "complete"), (False, "^", "at least")):
            points_shown = [(n, point) for n, point in enumerate(points) if point.complete == complete]
            if points_shown:
                counts = [point.solutions for _, point in points_shown]
                places = [point.value if has_numbers else n for n, point in points_shown]
                axes.plot(*((places, counts) if has_numbers else (counts, places)), look, label=label)
        count_axis = axes.yaxis if has_numbers else axes.xaxis
        count_axis.set_label_text("solutions up to symmetry")
        if max((point.solutions for point in points), default=0) > 100:
            (axes.set_yscale if has_numbers else axes.set_xscale)("symlog")
        else:
            count_axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        (axes.xaxis if has_numbers else axes.yaxis).set_label_text(varied)
        if has_numbers and all(isinstance(point.value, int) for point in points):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        elif not has_numbers:
            axes.set_yticks(
                range(0, len(points), label_step or 1), [str(point.value) for point in points[:: label_step or 1]]
            )
            axes.invert_yaxis()
            axes.grid(axis="y", linewidth=0.4)
        axes.set_title(title)
        if not all(point.complete for point in points):
            axes.legend()
    return figure


LEAST_SECONDS_DRAWN = 0.001
"""The least time that is drawn, as the axes are logarithmic."""


class MethodRun(NamedTuple):
    """A run of a method on a question."""

    method: str
    question: object
    """Equal for the runs of all methods on the same question."""
    value: Any
    """The value of the parameter over which growth is drawn."""
    seconds: float
    is_solved: bool


def methods_of(runs: Sequence[MethodRun]) -> dict[str, list[MethodRun]]:
    """Return the runs of each method, in order."""
    by_method: dict[str, list[MethodRun]] = {}
    for run in runs:
        by_method.setdefault(run.method, []).append(run)
    return by_method


def cactus(axes: Any, runs: Sequence[MethodRun], _: str) -> None:
    """Draw, for each method, the seconds within which so many questions are solved, the quickest first.

    axes: those of Matplotlib, on which it draws. runs: of all methods. The words for what varies are not used.
    """
    for (method, of_method), mark, dashes in _runs_with_looks(runs):
        seconds = sorted(max(run.seconds, LEAST_SECONDS_DRAWN) for run in of_method if run.is_solved)
        axes.plot(range(1, len(seconds) + 1), seconds, marker=mark, linestyle=dashes, label=method)
    axes.set(xlabel="runs that are complete", ylabel="seconds of the slowest of them", yscale="log")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.legend()


def scatter(axes: Any, runs: Sequence[MethodRun], _: str) -> None:
    """Draw a point for each question: the seconds of one method against those of another.

    axes: those of Matplotlib, on which it draws. runs: of both methods. The words for what varies are not used. Raises
    `InputError` unless there are two methods. A question is drawn if both methods have a run of it.
    """
    by_method = methods_of(runs)
    if len(by_method) != 2:
        raise InputError(f"a scatter plot holds two methods against each other, and there are {len(by_method)}")
    runs_a, runs_b = ({run.question: run for run in of_method} for of_method in by_method.values())
    for is_solved, mark, label in ((True, "o", "both complete"), (False, "^", "not both complete")):
        all_pairs = [(run, runs_b[question]) for question, run in runs_a.items() if question in runs_b]
        pairs = [(run_a, run_b) for run_a, run_b in all_pairs if (run_a.is_solved and run_b.is_solved) == is_solved]
        if pairs:
            points = zip(*([max(run.seconds, LEAST_SECONDS_DRAWN) for run in pair] for pair in pairs), strict=True)
            axes.plot(*points, mark, label=label)
    axes.axline((1, 1), slope=1, color="grey", linewidth=0.8)
    names = [f"seconds of {method}" for method in by_method]
    axes.set(xlabel=names[0], ylabel=names[1], xscale="log", yscale="log")
    axes.legend()


def growth(axes: Any, runs: Sequence[MethodRun], parameter: str) -> None:
    """Draw, for each method, the median seconds over a parameter, with bars from the least to the greatest.

    Values at which not all runs are complete are left out. Raises `InputError` if the parameter has no numbers. axes:
    those of Matplotlib, on which it draws. runs: of all methods. parameter: the words below the axis.
    """
    if not all(isinstance(run.value, (int, float)) for run in runs):
        raise InputError("growth is drawn over one parameter of numbers; vary one, such as --n 4..8")
    for (method, of_method), mark, dashes in _runs_with_looks(runs):
        seconds: dict[Any, list[float]] = {}
        open_values = {run.value for run in of_method if not run.is_solved}
        for run in of_method:
            if run.value not in open_values:
                seconds.setdefault(run.value, []).append(max(run.seconds, LEAST_SECONDS_DRAWN))
        values = sorted(seconds)
        medians = [median(seconds[value]) for value in values]
        lengths_below = [middle - min(seconds[value]) for value, middle in zip(values, medians, strict=True)]
        lengths_above = [max(seconds[value]) - middle for value, middle in zip(values, medians, strict=True)]
        bar_lengths = [lengths_below, lengths_above]
        axes.errorbar(values, medians, bar_lengths, marker=mark, linestyle=dashes, label=method, capsize=3)
    axes.set(xlabel=parameter, ylabel="seconds, median", yscale="log")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.legend()


def _runs_with_looks(runs: Sequence[MethodRun]) -> Any:
    """Return (method and its runs, mark, dashes) for each method, which are told apart without colours."""
    return zip(methods_of(runs).items(), cycle("os^Dv"), cycle(("-", "--", ":", "-.")), strict=False)


KINDS: Mapping[str, Callable[[Any, Sequence[MethodRun], str], None]] = {
    "cactus": cactus,
    "scatter": scatter,
    "growth": growth,
}
"""The functions that draw, by the kind of plot."""


def plot_methods(kind: str, title: str, runs: Sequence[MethodRun], parameter: str = "") -> Plot:
    """Return a plot of methods; kind: of `KINDS`. title: the heading. parameter: over which growth is drawn."""
    with matplotlib.style.context(LOOK):
        figure = Plot(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        KINDS[kind](axes, runs, parameter)
        axes.set_title(title)
    return figure
