"""The progress of a run: in words, and as a line on the terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import floor
from typing import Protocol, TextIO

from solvers.base.plugs import FUNCTIONS, function
from solvers.model.compiled import is_compiling
from solvers.show.plain import number_with_unit
from solvers.show.printable import paint
from solvers.show.report import MAX_SHARE, Report

CLEAR = "\r\x1b[K"
"""The text that clears a line of a terminal."""


BAR_CHARACTERS = 30
"""Characters of the bar that shows the share of the space."""


UNITS = ("conflicts", "failures", "nodes")
"""The statistics that say how much solvers have searched; the first one that a solver has is shown."""


class Reporting(Protocol):
    """Whatever has a report of its state so far, such as a run."""

    @property
    def report(self) -> Report:
        """The report so far."""


class Pace:
    """The time that a run has taken, and how far it has come."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start the clock, a function that returns seconds."""
        self._clock, self._began = clock, clock()
        self._last, self._gain, self._resumed = (0.0, 0.0), (0.0, 0.0), 0
        """(When the share grew last, by `elapsed`; to what), (by how much; in how many seconds), and how many cubes
        earlier runs had searched then."""
        self._estimate = 0.0
        """The share that was shown last, below which no later one falls."""

    @property
    def elapsed(self) -> float:
        """Seconds since this object was made."""
        return self._clock() - self._began

    def share(self, report: Report) -> float:
        """Return the share of the space that is searched, with an estimate of what is searched of the cubes in hand.

        When cubes were finished last, the share grew by a gain in an interval of m seconds. In the t seconds since
        then, t / (t + m) of the same gain is taken to be searched. So the share grows within long cubes, too; it never
        falls, and reaches the whole only in a complete run.
        """
        if report.complete or not report.progress:
            return report.progress
        waited = self._seconds_since_gain(report)
        gain, interval = self._gain
        searched = report.progress + min(gain, 1 - report.progress) * waited / (waited + interval or 1.0)
        self._estimate = min(max(searched, self._estimate), MAX_SHARE)
        return self._estimate

    def _seconds_since_gain(self, report: Report) -> float:
        """Return the seconds since cubes were finished, as far as reports were shown.

        If the share has grown since the last call, the time, the gain and its interval are noted. Cubes that earlier
        runs have searched took no time, so that such a gain counts as 0.
        """
        (last_time, last_progress), resumed = self._last, sum(report.resumed.values())
        if report.progress != last_progress:
            gain = report.progress - last_progress if resumed == self._resumed else 0.0  # earlier runs took no time
            self._last, self._gain, self._resumed = (
                (self.elapsed, report.progress),
                (max(0.0, gain), self.elapsed - last_time),
                resumed,
            )
        return self.elapsed - self._last[0]

    def state(self, report: Report) -> str:
        """Return the state of a running run in words, such as "5 solutions up to symmetry, 12 nodes, 3 s".

        The forecast of the time left follows if there is one. Before the search, and in a count by layers, other words
        say what is done.
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
        left = report.time_left(self._seconds_since_gain(report))
        work_in_words = [
            number_with_unit(report.statistics[unit], unit) for unit in UNITS if report.statistics.get(unit)
        ]
        return ", ".join(
            [
                f"{number_with_unit(report.solutions, 'solutions')} up to symmetry",
                *work_in_words[:1],
                f"{seconds}{left and f' ({left} left)'}",
            ]
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
        self._pace, self._shown = Pace(), 0.0  # when the line was written last

    def show(self, run: Reporting) -> None:
        """Show the state of a run, with a bar of the share that was searched; at most a few times a second."""
        self.show_progress(lambda: self._state(run.report))

    def _state(self, report: Report) -> str:
        """Return the state of a run in words, with the puzzle's name and a bar of the share that was searched.

        While code is compiled, and before anything was searched, there is no bar.
        """
        bar = ""
        if report.progress and not is_compiling():
            share = self._pace.share(report)
            filled = floor(BAR_CHARACTERS * share)
            bar = f"[{'#' * filled}{'.' * (BAR_CHARACTERS - filled)}] {share:.1%}, "
        return f"{report.puzzle} {bar}{self._pace.state(report)}"

    def show_answer(self, puzzle: str, head: Callable[[], str]) -> None:
        """Show the first line of a question's answer and the time; at most a few times a second.

        puzzle: the name of the puzzle. head: returns the first line of the answer so far, "" if there is none.
        """
        self.show_progress(
            lambda: ": ".join([*filter(None, [puzzle, head().removesuffix(":")]), f"{self._pace.elapsed:.0f} s"])
        )

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
