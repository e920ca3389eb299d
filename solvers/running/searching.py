"""The thread of a run that declares the puzzle, prepares the search and searches."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import replace
from enum import Enum, auto
from typing import NamedTuple

import numpy as np

from models.puzzle import Puzzle
from solvers.base.deadline import Deadline, set_stop_event
from solvers.base.endings import ENDED_BY, Ending
from solvers.base.errors import (
    BudgetError,
    ExecutorError,
    InputError,
    Stopped,
    StoreError,
    WorkerDiedError,
)
from solvers.base.options import Options
from solvers.base.plugs import function
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.cubes.cube import Found, Rows
from solvers.cubes.search import Engine, Listener, Search
from solvers.running.end_request import EndRequest
from solvers.running.plug import Recognition, Tally
from solvers.running.prepare import Prepared, prepare
from solvers.running.question import Question

MAX_UNCHECKED_SOLUTIONS = 256
"""The most solutions by which a search may be ahead of their checks, if no other process checks.

Otherwise the search would be done long before the checks. These are faster once nothing else runs, so the forecast of
the remaining time would be wrong.
"""


class SearchSignal(Enum):
    """Messages without data that the searching thread sends to its run."""

    PROVED = auto()
    """The set of all solutions was seen to have the symmetries."""
    SEARCHED = auto()
    """The whole space was searched."""
    STOPPED = auto()
    """The search ended before the whole space was searched."""
    ANSWERED = auto()
    """No search is needed, as the drawing that was read is no solution."""


class SearchOutcome(NamedTuple):
    """The outcome of a finished search, as far as the checks of symmetries need it."""

    first: Values | None = None
    """The values of the first solution that it found; None if it found none."""

    best: int | None = None
    """The least value of the proto objective's sum; None if there is no objective."""


class GivenUp(NamedTuple):
    """The last message of a search that cannot go on."""

    ending: Ending
    words: str
    """In place of the ending's own; may be empty."""


Message = Prepared | Engine | Found | Tally | SearchSignal | GivenUp | BaseException | Rows
"""All messages of the searching thread to the run; solutions are sent in batches."""


class MessageQueue(queue.Queue[Message]):
    """Messages on their way to the run; it is full once it holds so many solutions and other messages."""

    _held = 0
    """The number of solutions and of other messages in the queue."""

    def _qsize(self) -> int:
        """Return the number of solutions and of other messages, by which `queue.Queue` sees that it is full."""
        return self._held

    def _put(self, item: Message) -> None:
        """Add a message at the end; `queue.Queue` calls this while it holds its lock."""
        super()._put(item)
        self._held += len(item) if isinstance(item, np.ndarray) else 1

    def _get(self) -> Message:
        """Remove the first message and return it; `queue.Queue` calls this while it holds its lock."""
        item = super()._get()
        self._held -= len(item) if isinstance(item, np.ndarray) else 1
        return item


class SearchThread(threading.Thread):
    """Goes through the stages up to the search, and sends what it finds, and how it ended, as messages."""

    recognition: Recognition | None = None
    """The drawing of ``which``, once it was read."""

    def __init__(
        self,
        declare: Callable[[], Puzzle],
        options: Options,
        begin: Callable[[Question], None],
        stop: EndRequest,
    ) -> None:
        """Make a thread that is not started yet.

        declare: returns the puzzle. options: those of the run. begin: called with the question before the search.
        stop: ends the search once it is set; it is not set here.
        """
        super().__init__(daemon=True)
        self.messages = MessageQueue(maxsize=4 * TUNING.solutions_per_check)
        self._declare, self._options, self._begin = declare, options, begin
        self._stop_event = stop
        self._start_time = time.perf_counter()

    def run(self) -> None:
        """Go through all stages; every result and error goes through the queue.

        An error that ends a run early, but in order, is sent as `GivenUp` with its ending; others are sent as they are.
        """
        set_stop_event(self._stop_event)
        try:
            self._send(self._go_through_stages())
        except (ExecutorError, BudgetError, StoreError, WorkerDiedError) as reason:
            self._send_last(GivenUp(ENDED_BY[type(reason)], str(reason)))
        except BrokenExecutor:
            self._send_last(GivenUp(Ending.WORKER, ""))
        except MemoryError:
            self._send_last(GivenUp(Ending.NO_MEMORY, ""))
        except Stopped:
            self._send_last(SearchSignal.STOPPED)
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            self._send_last(error)

    def _go_through_stages(self) -> SearchSignal:
        """Declare, prepare, read the drawing, search, and test symmetries that are not proved; return how it ended.

        Raises `Stopped` if the run is stopped, and what the stages raise.
        """
        prepared = prepare(self._declare(), self._options, self._stop_event)
        self._begin(prepared.question)
        if not prepared.question.verifier.may_be_shared:  # else the search would be far ahead of the checks
            self.messages.maxsize = MAX_UNCHECKED_SOLUTIONS
        self._send(prepared)
        if self._options.which is not None and not self._is_solution(self._options.which, prepared.question):
            return SearchSignal.ANSWERED
        listed = self._search(prepared)
        # The search has not met all solutions, so that a wrong symmetry would hide some.
        breaks_symmetry = not prepared.broken.is_whole
        if breaks_symmetry and not prepared.is_proved:
            self._contradict(prepared, listed)
        return SearchSignal.SEARCHED

    def _is_solution(self, path: str, question: Question) -> bool:
        """Read the drawing in a file, and return whether it is a solution."""
        recognise = function("recognise", "which")
        self.recognition = recognise(path, question, self._stop_event)
        return self.recognition.is_solution

    def _search(self, prepared: Prepared) -> SearchOutcome:
        """Run the search or the counter, then close its store; return what was listed, nothing if a counter was run.

        Solutions are sent in small batches, so that the queue's limit works. Raises what the search raises, but only
        after closing the store, so that another process may open it. Raises `Stopped` if the run is stopped.

        prepared: the question, and the search or the counter.
        """
        search, verifier = prepared.search, prepared.question.verifier
        ending, variables = "", len(prepared.question.model.proto.variables)
        first: Values | None = None

        def send_rows(rows: Rows) -> None:
            nonlocal first
            if first is None:
                first = rows[0]
            # To make this ready may take long, in which the main thread could not be stopped.
            verifier.evaluator.prepare(len(rows) * prepared.question.group.most_images)
            rows = rows[:, :variables]  # without auxiliary ones
            rows_per_message = min(most_at_once(prepared.question), MAX_UNCHECKED_SOLUTIONS)
            for start in range(0, len(rows), rows_per_message):
                self._send(rows[start : start + rows_per_message])

        try:
            if not isinstance(search, Search):
                self._send(search.run(self._send))
                return SearchOutcome()
            optimum = search.run(Listener(send_rows, self._send, self._send))
            return SearchOutcome(first, optimum.value)
        except Exception as reason:
            out_of_memory = isinstance(reason, MemoryError)
            ending = self._stop_event.words or (Ending.NO_MEMORY.words if out_of_memory else str(reason))
            raise
        finally:
            if search.store:
                search.store.close(ending)

    def _contradict(self, prepared: Prepared, listed: SearchOutcome) -> None:
        """Look for a solution that contradicts symmetries which were broken but are not proved.

        prepared: the question and its search. listed: what the search has listed. If all solutions were seen and
        have the symmetries, a message tells the run that these are proved; if the time ends before that, there is no
        message.

        Raises `WrongSymmetryError` or `CheckError` if there is such a solution. Raises `Stopped` if the run is stopped,
        `InputError` if the backend cannot search the model.
        """
        from solvers.running.counterexample import contradict, contradict_nothing_found

        question, options = prepared.question, replace(self._options, store=None)
        # Without a solution, the broken symmetries may have hidden all: the unbroken model is searched.
        if listed.first is None:
            contradict_nothing_found(question, options, self._stop_event)
            return self._send(SearchSignal.PROVED)
        elapsed = time.perf_counter() - self._start_time
        seconds = max(TUNING.min_counterexample_seconds, TUNING.counterexample_share * elapsed)
        patience = Deadline(self._stop_event, seconds=seconds)
        with suppress(Stopped, InputError):
            contradict(question, options, listed.first, listed.best, patience)
            self._send(SearchSignal.PROVED)

    def _send(self, message: Message) -> None:
        """Put a message into the queue; wait while it is full, so that the search is not far ahead of the run.

        Raises `Stopped` if the run is stopped meanwhile.
        """
        while True:
            try:
                return self.messages.put(message, timeout=0.1)
            except queue.Full:
                if self._stop_event.is_set():
                    raise Stopped from None

    def _send_last(self, message: Message) -> None:
        """Put a message into the queue, or drop it if the queue is full and the run was stopped."""
        with suppress(Stopped):
            self._send(message)


def most_at_once(question: Question) -> int:
    """Return the most solutions that are checked in one batch.

    The number is such that they have about `Tuning.solutions_per_check` images. If other processes check, it is
    `Tuning.solutions_per_check` solutions, so that the processes always have work.
    """
    if question.verifier.is_shared:
        return TUNING.solutions_per_check
    return max(1, TUNING.solutions_per_check // question.group.most_images)
