"""The time at which a search has to stop: it was told to, or its time is over."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

Result = TypeVar("Result")

ENDLESS = float("inf")
"""The time that never comes."""


class Deadline(threading.Event):
    """An event that is set once another event is set, or a time has come.

    Ask `is_set` only: the method ``wait`` notices neither the other event nor the time.
    """

    def __init__(
        self,
        stop: threading.Event,
        clock: Callable[[], float] = time.perf_counter,
        *,
        seconds: float | None = None,
    ) -> None:
        """Make a deadline of an event and a clock.

        stop: the other event. clock: returns seconds. seconds: when the time comes, from now; if left out, it never
        comes until `begin` sets it.
        """
        super().__init__()
        self.stop = stop
        self._clock = clock
        self._began = clock()
        self._time = ENDLESS if seconds is None else self._began + seconds
        """When the deadline comes, by the clock."""

    def begin(self, seconds: float) -> None:
        """Set the time: it comes ``seconds`` seconds from now, on this deadline's clock."""
        self._began = self._clock()
        self._time = self._began + seconds

    def extend(self, seconds: float) -> None:
        """Put the time off by some seconds."""
        self._time += seconds

    @property
    def left(self) -> float:
        """The seconds until the time comes; negative once it has passed."""
        return self._time - self._clock()

    @property
    def spent(self) -> float:
        """The seconds since the last call of `begin`, without those of `wait_for`."""
        return self._clock() - self._began

    def wait_for(self, call: Callable[[], object]) -> None:
        """Call a function whose time counts neither in `left` nor in `spent`; the deadline does not come meanwhile.

        The time and the begin are moved by the seconds that the call took.
        """
        left, spent = self.left, self.spent
        self._time = ENDLESS
        try:
            call()
        finally:
            now = self._clock()
            self._time, self._began = now + left, now - spent

    def is_set(self) -> bool:
        """Tell whether the other event is set or the time has come."""
        # The clock, which is slow, is asked only if there is a limit.
        return self.stop.is_set() or (self._time < ENDLESS and self._clock() > self._time)


def wait_for(stop: threading.Event, call: Callable[[], object]) -> None:
    """Call a function; if ``stop`` is a deadline, its clock stands still meanwhile.

    The clock of another deadline on which ``stop`` depends goes on.
    """
    if isinstance(stop, Deadline):
        stop.wait_for(call)
    else:
        call()


_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


def set_stop_event(stop: threading.Event) -> None:
    """Have this thread, and those that it starts in the ways below, stop waiting once ``stop`` is set.

    It is for what they may have to wait for without being told of the event, such as code that is compiled.
    """
    _stop.set(stop)


@contextmanager
def replace_stop_event(stop: threading.Event) -> Iterator[None]:
    """Have this thread heed another event during the block; see `set_stop_event`."""
    before = _stop.get()
    _stop.set(stop)
    try:
        yield
    finally:
        _stop.set(before)


def is_told_to_stop() -> bool:
    """Tell whether the event is set that this thread heeds; see `set_stop_event`."""
    stop = _stop.get()
    return stop is not None and stop.is_set()


_awaited: list[Callable[[], str]] = []


@contextmanager
def waiting(words: Callable[[], str]) -> Iterator[None]:
    """Have a run that is ended during the block say what it waits for.

    words: returns what follows "ended by the time limit".
    """
    _awaited.append(words)
    try:
        yield
    finally:
        _awaited.remove(words)


def waits_in_words() -> str:
    """Return the words for what this process waits for now; see `waiting`."""
    return "".join(words() for words in [*_awaited])


def thread_pool(threads: int | None = None) -> ThreadPoolExecutor:
    """Return a pool of threads that heed the same event as this thread; see `set_stop_event`."""
    return ThreadPoolExecutor(threads, initializer=_stop.set, initargs=(_stop.get(),))


def start_in_thread(work: Callable[[], Result]) -> Future[Result]:
    """Start ``work`` in a daemon thread, which heeds the same event as this one; return a future of its result."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            done.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return done
