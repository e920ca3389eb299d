"""The request that a run ends early, with its reason."""

from __future__ import annotations

import threading

from solvers.base.deadline import waits_in_words
from solvers.base.endings import Ending
from solvers.model.compiled import is_compiling

UNPREPARED = " (while the search was compiled, which happens once)"
"""The words for a run that is ended while it waits for that."""


class EndRequest(threading.Event):
    """An event that is set once a run has to end early; only the first reason counts.

    >>> request = EndRequest()
    >>> request.end(Ending.TIME_LIMIT)
    >>> request.end(Ending.CTRL_C)
    >>> request.is_set(), request.words
    (True, 'the time limit')
    """

    ending: Ending | None = None
    """The reason; None if there is none."""

    words: str = ""
    """The reason in words, which follow "ended by"."""

    def end(self, ending: Ending, detail: str = "") -> None:
        """Request the end.

        ending: the reason. detail: words in place of the ending's own.
        """
        self.set_reason(ending, detail)
        self.set()

    def set_reason(self, ending: Ending, detail: str = "") -> None:
        """Set the reason, unless there is one already; the event stays as it is."""
        if self.ending is None:
            self.ending = ending
            self.words = (detail or ending.words) + (UNPREPARED if is_compiling() else waits_in_words())

    def forget(self) -> tuple[Ending | None, str]:
        """Return the reason and its words, and forget them; the event stays as it is."""
        reason = self.ending, self.words
        self.ending, self.words = None, ""
        return reason
