"""A line on the terminal that says how far a run is."""

import sys
import time
from typing import TextIO

from solvers.cover.compiled import is_compiling
from solvers.show.plain import counted
from solvers.show.printable import paint
from solvers.show.report import Report

CLEAR = "\r\x1b[K"
"""Takes away a line of a terminal."""


BAR = 30
"""Characters of the bar that shows the share of the space."""


class ProgressLine:
    """A line on a terminal that says that the run is alive; nothing where the stream is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self._stream: TextIO | None = sys.stderr if sys.stderr.isatty() and not quiet else None
        self._began = self._shown = time.perf_counter()
        self._since = 0.0, 0.0
        self._resumed: dict[str, int] | None = None

    def show(self, report: Report) -> None:
        """Rewrite the line, at most a few times a second."""
        now = time.perf_counter()
        if self._stream and now - self._shown > 0.2:
            self._shown = now
            paint(self._stream, CLEAR)
            self._stream.write(f"{report.puzzle} {self._state(report, now - self._began)}")
            self._stream.flush()

    def _state(self, report: Report, elapsed: float) -> str:
        if is_compiling():
            return f"compiling the search, {elapsed:.0f} s "
        if not report.model:
            return f"building the model, {elapsed:.0f} s "
        if layers := report.statistics.get("layers"):
            done, states = report.statistics["layers_done"], report.statistics["states"]
            return f"{done} of {counted(layers, 'layers')}, {counted(states, 'states')}, {elapsed:.0f} s "
        state = f"{counted(report.solutions, 'solutions')} up to symmetry, {elapsed:.0f} s "
        if report.progress:
            if self._resumed != report.resumed:  # what earlier runs searched took no time
                self._since, self._resumed = (elapsed, report.progress), dict(report.resumed)
            began, before = self._since
            left = report.seconds["left"]
            if left is None:
                left = (elapsed - began) * (1 - report.progress) / max(report.progress - before, 1e-9)
            filled = round(BAR * report.progress)
            state = f"[{'#' * filled}{'.' * (BAR - filled)}] {report.progress:.0%}, {state}({left:.0f} s left) "
            if advice := report.advice():
                state += f"({advice}) "
        return state

    def clear(self) -> None:
        """Take the line away, so that what follows starts on a clean one."""
        if self._stream:
            paint(self._stream, CLEAR)
            self._stream.flush()
