"""The time at which a search has to stop: it was told to, or its time is over."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")

ENDLESS = float("inf")


class Deadline(threading.Event):
    """Set once another event is, or a time has come."""

    def __init__(self, stop: threading.Event, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__()
        self.stop = stop
        self._clock = clock
        self._time = ENDLESS
        self._began = clock()

    def begin(self, seconds: float) -> None:
        """The time comes in so many seconds from now."""
        self._began = self._clock()
        self._time = self._began + seconds

    @property
    def left(self) -> float:
        """Seconds until the time comes."""
        return self._time - self._clock()

    @property
    def spent(self) -> float:
        """Seconds of the time that are over."""
        return self._clock() - self._began

    def wait_for(self, call: Callable[[], object]) -> None:
        """Call what takes none of the time."""
        left, spent = self.left, self.spent
        self._time = ENDLESS
        try:
            call()
        finally:
            now = self._clock()
            self._time, self._began = now + left, now - spent

    def is_set(self) -> bool:
        # To ask the clock takes long.
        return self.stop.is_set() or (self._time < ENDLESS and self._clock() > self._time)


def wait_for(stop: threading.Event, call: Callable[[], object]) -> None:
    """Call what takes none of the time, if the event is a deadline; of one that it depends on it does."""
    stop.wait_for(call) if isinstance(stop, Deadline) else call()


def started(work: Callable[[], Result]) -> Future[Result]:
    """Begin work in a thread of its own, which does not keep the process alive; what it gives or raises is to come."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done
