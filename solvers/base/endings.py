"""The ways in which a run ends early: the sentence, the exit code, and the library's exception; and all exit codes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from solvers.base.errors import BudgetError, ExecutorError, StoreError, WorkerDiedError

DONE, SHOULD_NEVER_HAPPEN, BAD_INPUT, INCOMPLETE, NO, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143
"""The exit codes of every command."""

_ADVICE = "; memory has to suffice (jobs=1 starts no process)"


class Ending(Enum):
    """The cause that ended a run early."""

    LIMIT = "the limit", DONE
    SECOND_SOLUTION = "the second solution", DONE
    SECOND_APART = "the second assembly that comes apart", DONE
    TIME_LIMIT = "the time limit", INCOMPLETE
    CTRL_C = "Ctrl-C", INTERRUPTED
    SIGTERM = "SIGTERM", TERMINATED
    CLOSED = "being closed", INCOMPLETE
    BUDGET = "the memory budget", INCOMPLETE
    WRITING = "an error in writing", INCOMPLETE
    NO_MEMORY = "a lack of memory", INCOMPLETE, MemoryError, _ADVICE
    WORKER = "the death of a worker", INCOMPLETE, RuntimeError, _ADVICE
    EXECUTOR = "a failure of the executor", INCOMPLETE, RuntimeError
    UNCONFIRMED = "the lack of another way to count it", INCOMPLETE
    STORE = "an error in writing the store", INCOMPLETE, OSError
    SEARCH = "a search that gave up", INCOMPLETE, RuntimeError

    def __init__(self, words: str, code: int, failure: type[Exception] | None = None, advice: str = "") -> None:
        """Make an ending.

        words: the cause in words, for reports. code: the exit code. failure: the exception that the library raises, or
        None. advice: what the user can do.
        """
        self.words = words
        """The words that follow "ended by", if no exception gives more details."""
        self.code = code
        """The exit code of a command."""
        self.failure = failure
        """The exception that the library raises; None if the library returns what was found."""
        self.advice = advice
        """The advice at the end of the exception's message."""


ENDED_BY: Mapping[type[Exception], Ending] = {
    BudgetError: Ending.BUDGET,
    WorkerDiedError: Ending.WORKER,
    ExecutorError: Ending.EXECUTOR,
    StoreError: Ending.STORE,
}
"""The ending of a search that raised such an exception; the exception's message gives the details."""
