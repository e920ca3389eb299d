"""When a search has to stop: it was told to, or its time is over."""

import threading
import time
from collections.abc import Callable


class Deadline(threading.Event):
    """Set once another event is, or a time has come."""

    def __init__(self, stop: threading.Event) -> None:
        super().__init__()
        self.stop = stop
        self._time = float("inf")

    def begin(self, seconds: float) -> None:
        """The time comes in so many seconds from now."""
        self._time = time.perf_counter() + seconds

    def wait_for(self, call: Callable[[], object]) -> None:
        """Call what takes none of the time."""
        left = self._time - time.perf_counter()
        self._time = float("inf")
        call()
        self._time = time.perf_counter() + left

    def is_set(self) -> bool:
        return self.stop.is_set() or time.perf_counter() > self._time
