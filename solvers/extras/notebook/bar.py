"""The progress of a search or of other work, below the cell of a notebook that waits for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from html import escape
from typing import Any

from solvers.running.runner import Run
from solvers.terminal.progress import Pace

SECONDS_BEFORE_BAR = 1.0
"""Seconds of work after which its progress is shown."""

BAR_REFRESH_SECONDS = 0.3
"""Seconds between two looks at the progress."""


class Bar:
    """A bar that shows the progress of a search or of other work below a cell of a notebook, after a second.

    It disappears at the end.
    """

    def __init__(self) -> None:
        """Start the clock; the bar is shown only in the main thread of a notebook."""
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        is_main = threading.current_thread() is threading.main_thread()
        self._is_wanted = is_main and getattr(shell, "kernel", None) is not None
        self._pace = Pace()
        self._shown = SECONDS_BEFORE_BAR - BAR_REFRESH_SECONDS
        self._handle: Any = None

    def show(self, run: Run) -> None:
        """Show the progress of a run, at most a few times a second."""
        if self._is_due():
            report = run.report
            backend = f", {report.backend}" if report.backend else ""
            self._draw(f"{report.puzzle}{backend}: {self._pace.state(report)}", self._pace.share(report))

    def show_progress(self, words: Callable[[], str], share: Callable[[], float] = float) -> None:
        """Show what ``words`` returns, and the seconds; at most a few times a second.

        share: returns how much of the work is done, from 0 to 1.
        """
        if self._is_due():
            self._draw(f"{words()}, {self._pace.elapsed:.0f} s", share())

    def _is_due(self) -> bool:
        """Tell whether the bar is to be drawn again; it is not in a program that is no notebook."""
        return self._is_wanted and self._pace.elapsed - self._shown > BAR_REFRESH_SECONDS

    def _draw(self, state: str, share: float | None) -> None:
        """Show a state in words, with a bar of the share that is done, if that is known."""
        self._shown = self._pace.elapsed
        value = f' value="{share:.4f}"' if share else ""
        self._show_html(f'<progress{value} aria-label="{escape(state)}"></progress> {escape(state)}', state)

    def clear(self) -> None:
        """Remove the bar."""
        if self._handle:
            self._show_html("", "")

    def _show_html(self, html: str, text: str) -> None:
        """Show this HTML, or the text if HTML cannot be shown, in place of what was shown before."""
        from IPython.display import display

        data = {"text/html": html, "text/plain": text}
        # The first output gets a handle, by which it is replaced later.
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(data, raw=True)
