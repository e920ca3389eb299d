"""The plot of a survey: how many solutions each variant has."""

from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator

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
    the heading. varied: the names of the parameters that vary, for the axis.
    """
    numeric = bool(points) and all(isinstance(point.value, (int, float)) for point in points)
    step = -(-len(points) // MAX_NAMED_VARIANTS)
    with matplotlib.style.context(LOOK):
        high = 5.0 if numeric else max(2.5, 1.2 + INCHES_PER_NAME * min(len(points), MAX_NAMED_VARIANTS))
        figure = Plot(figsize=(8, high), layout="constrained")
        axes = figure.subplots()
        for complete, look, label in ((True, "o", "complete"), (False, "^", "at least")):
            points_shown = [(n, point) for n, point in enumerate(points) if point.complete == complete]
            if points_shown:
                counts = [point.solutions for _, point in points_shown]
                places = [point.value if numeric else n for n, point in points_shown]
                axes.plot(*((places, counts) if numeric else (counts, places)), look, label=label)
        of_counts = axes.yaxis if numeric else axes.xaxis
        of_counts.set_label_text("solutions up to symmetry")
        if max((point.solutions for point in points), default=0) > 100:
            (axes.set_yscale if numeric else axes.set_xscale)("symlog")
        else:
            of_counts.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        (axes.xaxis if numeric else axes.yaxis).set_label_text(varied)
        if numeric and all(isinstance(point.value, int) for point in points):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        elif not numeric:
            axes.set_yticks(range(0, len(points), step or 1), [str(point.value) for point in points[:: step or 1]])
            axes.invert_yaxis()
            axes.grid(axis="y", linewidth=0.4)
        axes.set_title(title)
        if not all(point.complete for point in points):
            axes.legend()
    return figure
