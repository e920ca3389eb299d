"""How far a run is: in words, and as a line on the terminal."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

from solvers.cover.compiled import is_compiling
from solvers.show.plain import counted
from solvers.show.printable import paint
from solvers.show.report import Report

CLEAR = "\r\x1b[K"
"""Takes away a line of a terminal."""


BAR = 30
"""Characters of the bar that shows the share of the space."""


LEAST_SHARE = 0.01
"""What has to be searched before it is said how long the rest takes."""


class Pace:
    """How far a run is, and how long it may still take."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self._began = clock, clock()
        self._since = 0.0, 0.0
        self._resumed: dict[str, int] | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return self._clock() - self._began

    def left(self, report: Report) -> float | None:
        """Seconds that the rest takes if it goes on as it did; None where no share of the space is known."""
        if not report.progress:
            return None
        if self._resumed != report.resumed:  # what earlier runs searched took no time
            self._since, self._resumed = (self.elapsed, report.progress), dict(report.resumed)
        began, before = self._since
        if (told := report.seconds["left"]) is not None:
            return told
        done = report.progress - before
        return (self.elapsed - began) * (1 - report.progress) / done if done >= LEAST_SHARE else None

    def state(self, report: Report) -> str:
        """What there is to say while it goes on."""
        seconds = f"{self.elapsed:.0f} s"
        if is_compiling():
            return f"compiling the search, {seconds}"
        if not report.model:
            return f"building the model, {seconds}"
        if layers := report.statistics.get("layers"):
            done, states = report.statistics["layers_done"], report.statistics["states"]
            return f"{done} of {counted(layers, 'layers')}, {counted(states, 'states')}, {seconds}"
        left = self.left(report)
        rest = "" if left is None else f" ({left:.0f} s left)"
        advice = f" ({said})" if report.progress and (said := report.advice()) else ""
        return f"{counted(report.solutions, 'solutions')} up to symmetry, {seconds}{rest}{advice}"


class ProgressLine:
    """A line on a terminal that says that the run is alive; nothing where the stream is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self._stream: TextIO | None = sys.stderr if sys.stderr.isatty() and not quiet else None
        self._pace, self._shown = Pace(), 0.0

    def show(self, report: Report) -> None:
        """Rewrite the line, at most a few times a second."""
        if self._stream and self._pace.elapsed - self._shown > 0.2:
            self._shown = self._pace.elapsed
            paint(self._stream, CLEAR)
            bar = ""
            if report.progress and not is_compiling():
                filled = round(BAR * report.progress)
                bar = f"[{'#' * filled}{'.' * (BAR - filled)}] {report.progress:.0%}, "
            self._stream.write(f"{report.puzzle} {bar}{self._pace.state(report)} ")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away, so that what follows starts on a clean one."""
        if self._stream:
            paint(self._stream, CLEAR)
            self._stream.flush()
