"""The progress of a run: in words, and as a line on the terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from solvers.base.plugs import FUNCTIONS, function
from solvers.model.compiled import is_compiling
from solvers.show.plain import number_with_unit
from solvers.show.printable import paint
from solvers.show.report import Report

CLEAR = "\r\x1b[K"
"""The text that clears a line of a terminal."""


BAR_CHARACTERS = 30
"""Characters of the bar that shows the share of the space."""


UNITS = ("conflicts", "failures", "nodes")
"""The statistics that say how much solvers have searched; the first one that a solver has is shown."""

MIN_FORECAST_SHARE = 0.05
"""The share of the space to be searched before the time left is forecast.

Earlier forecasts were wrong by a factor of 20.
"""


class Reporting(Protocol):
    """Whatever has a report of its state so far, such as a run."""

    @property
    def report(self) -> Report:
        """The report so far."""


class Pace:
    """The time that a run has taken, and a forecast of the time left."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start the clock, a function that returns seconds."""
        self._clock, self._began = clock, clock()
        self._since = 0.0, 0.0
        self._resumed: dict[str, int] | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since this object was made."""
        return self._clock() - self._began

    def left(self, report: Report) -> float | None:
        """Return the forecast of the seconds that the rest of a run takes.

        The result is None if too little of the space was searched for a forecast.
        """
        if not report.progress:
            return None
        if self._resumed != report.resumed:  # what earlier runs searched took no time
            self._since, self._resumed = (self.elapsed, report.progress), dict(report.resumed)
        began, before = self._since
        if (seconds_left := report.seconds["left"]) is not None:
            return seconds_left
        done = report.progress - before
        return (self.elapsed - began) * (1 - report.progress) / done if done >= MIN_FORECAST_SHARE else None

    def state(self, report: Report) -> str:
        """Return the state of a running run in words, such as "5 solutions up to symmetry, 12 nodes, 3 s".

        The forecast of the time left follows if there is one.
        """
        seconds = f"{self.elapsed:.0f} s"
        if is_compiling():
            return f"preparing the search, once: about 5 s; {seconds}"
        if not report.model:
            return f"building the model, {seconds}"
        if report.complete:
            return f"{number_with_unit(report.solutions, 'solutions')} up to symmetry, counting once more, {seconds}"
        if layers := report.statistics.get("layers"):
            done, states = report.statistics["layers_done"], report.statistics["states"]
            return f"{done} of {number_with_unit(layers, 'layers')}, {number_with_unit(states, 'states')}, {seconds}"
        left = self.left(report)
        time_left = "" if left is None else f" ({left:.0f} s left)"
        spent = [number_with_unit(report.statistics[unit], unit) for unit in UNITS if report.statistics.get(unit)]
        return ", ".join(
            [f"{number_with_unit(report.solutions, 'solutions')} up to symmetry", *spent[:1], f"{seconds}{time_left}"]
        )


class CellBar(Protocol):
    """Whatever shows progress below the cell of a notebook."""

    def show(self, run: Reporting) -> None:
        """Show the state of a run."""

    def show_progress(self, words: Callable[[], str], share: Callable[[], float] = float) -> None:
        """Show what ``words`` returns, with the share, from 0 to 1, that is done."""


class NoBar:
    """Shows nothing, as outside of notebooks."""

    def show(self, run: Reporting) -> None:
        """Show nothing."""

    def show_progress(self, words: Callable[[], str], share: Callable[[], float] = float) -> None:
        """Show nothing."""


@contextmanager
def below_cell() -> Iterator[CellBar]:
    """Yield what shows progress below the cell of a notebook that is run, and clear it at the end.

    Outside of notebooks, nothing is shown.
    """
    if "IPython" not in sys.modules or "bar" not in FUNCTIONS:
        yield NoBar()
        return
    bar = function("bar", "progress")()
    try:
        yield bar
    finally:
        bar.clear()


class ProgressLine:
    """A line on stderr that shows the progress.

    Nothing is written if stderr is not a terminal or ``quiet`` is true.
    """

    def __init__(self, quiet: bool) -> None:
        """Start the clock; quiet: write nothing."""
        self._stream: TextIO | None = sys.stderr if sys.stderr.isatty() and not quiet else None
        self._pace, self._shown = Pace(), 0.0

    def show(self, run: Reporting) -> None:
        """Show the state of a run, with a bar of the share that was searched; at most a few times a second."""
        self.show_progress(lambda: self._state(run.report))

    def _state(self, report: Report) -> str:
        """Return the state of a run in words, with a bar of the share that was searched."""
        bar = ""
        if report.progress and not is_compiling():
            filled = round(BAR_CHARACTERS * report.progress)
            bar = f"[{'#' * filled}{'.' * (BAR_CHARACTERS - filled)}] {report.progress:.0%}, "
        return f"{report.puzzle} {bar}{self._pace.state(report)}"

    def show_answer(self, puzzle: str, head: Callable[[], str]) -> None:
        """Show the first line of a question's answer and the time; at most a few times a second.

        puzzle: its name. head: returns the first line of the answer so far, "" if there is none.
        """
        self.show_progress(lambda: ": ".join(filter(None, [puzzle, head(), f"{self._pace.elapsed:.0f} s"])))

    def show_progress(self, text: Callable[[], str]) -> None:
        """Replace the line by what ``text`` returns; at most a few times a second."""
        if self._stream and self._pace.elapsed - self._shown > 0.2:
            self._shown = self._pace.elapsed
            paint(self._stream, CLEAR)
            self._stream.write(f"{text()} ")
            self._stream.flush()

    def clear(self) -> None:
        """Clear the line, so that other output starts on an empty one."""
        if self._stream:
            paint(self._stream, CLEAR)
            self._stream.flush()
