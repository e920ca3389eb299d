"""The progress of a search, below the cell of a notebook that waits for it."""

from __future__ import annotations

import sys
import threading
from html import escape
from typing import Any

from solvers.running.runner import Run
from solvers.terminal.progress import Pace

SECONDS_BEFORE_BAR = 1.0
"""Seconds of a search after which its progress is shown."""

BAR_REFRESH_SECONDS = 0.3
"""Seconds between two looks at the progress."""


class Bar:
    """A bar that shows the progress of a search below a cell of a notebook, after a second.

    It disappears at the end.
    """

    def __init__(self) -> None:
        """Start the clock; the bar is shown only in the main thread of a notebook."""
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        is_main = threading.current_thread() is threading.main_thread()
        self._is_wanted = is_main and getattr(shell, "kernel", None) is not None
        self._pace, self._shown = Pace(), SECONDS_BEFORE_BAR - BAR_REFRESH_SECONDS
        self._handle: Any = None

    def show(self, run: Run) -> None:
        """Show the progress of a run, at most a few times a second."""
        if self._is_wanted and self._pace.elapsed - self._shown > BAR_REFRESH_SECONDS:
            self._shown, report = self._pace.elapsed, run.report
            state = f"{report.puzzle}: {self._pace.state(report)}"
            share = f' value="{report.progress:.4f}"' if report.progress else ""
            self._tell(f'<progress{share} aria-label="{escape(state)}"></progress> {escape(state)}', state)

    def clear(self) -> None:
        """Remove the bar."""
        if self._handle:
            self._tell("", "")

    def _tell(self, html: str, text: str) -> None:
        """Show this HTML, or the text if HTML cannot be shown, in place of what was shown before."""
        from IPython.display import display

        data = {"text/html": html, "text/plain": text}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(data, raw=True)
