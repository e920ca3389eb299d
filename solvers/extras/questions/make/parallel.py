"""Makes puzzles of one genre in several processes: the same as one process makes, in the same order."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, wait

from solvers.base.errors import InputError, Stopped
from solvers.cubes.processes import Processes
from solvers.extras.questions.make.maker import MadePuzzle, Maker, PuzzleParts

NewMaker = Callable[[threading.Event], Maker]
"""Returns a maker, and takes an event that stops it; other processes can be sent it."""

SECONDS_BETWEEN_LOOKS = 0.1
"""The seconds between two looks at whether the work has to end."""


class ParallelMaker:
    """Makes puzzles of one genre in several processes."""

    def __init__(self, new_maker: NewMaker, jobs: int, stop: threading.Event) -> None:
        """Take the number of processes; none is started yet.

        new_maker: returns a maker, in each process its own. jobs: the number of processes. stop: ends the work when
        set.
        """
        self._new_maker = new_maker
        self._jobs = jobs
        self._stop = stop

    def puzzles(self, count: int) -> Iterator[MadePuzzle]:
        """Yield ``count`` puzzles in their order; at most two for each process are in work or wait to be yielded.

        Each puzzle is determined by its number, so that any process can make it; its parts are sent back, of which this
        process makes the puzzle. Raises `InputError` if none is as wished or a process dies, `Stopped` once the event
        is set.
        """
        maker = self._new_maker(self._stop)
        processes = Processes(min(self._jobs, count))
        queue: deque[Future[PuzzleParts]] = deque()  # in the order of the numbers
        ahead = 2 * self._jobs  # puzzle n - ahead is yielded after puzzle n is begun
        try:
            for number in range(count + ahead):
                if number < count:
                    queue.append(processes.submit(_parts_of_number, self._new_maker, number))
                if number >= ahead and queue:
                    yield maker.puzzle_of_parts(self._result(queue.popleft()))
        finally:
            processes.kill()
            processes.shutdown()

    def _result(self, future: Future[PuzzleParts]) -> PuzzleParts:
        """Wait for the parts of a puzzle, and return them.

        Raises `InputError` if the process dies, `Stopped` once the event is set.
        """
        while not wait([future], timeout=SECONDS_BETWEEN_LOOKS).done:
            if self._stop.is_set():
                raise Stopped
        try:
            return future.result()
        except BrokenExecutor as error:
            raise InputError("a process that made puzzles died; ask for fewer --jobs") from error


_makers: dict[bytes, Maker] = {}
"""The maker of this process, by what it makes."""


def _parts_of_number(new_maker: NewMaker, number: int) -> PuzzleParts:
    """Return the parts of the puzzle of a number, in a process of its own, which keeps one maker."""
    name = pickle.dumps(new_maker)
    if name not in _makers:
        _makers.clear()
        _makers[name] = new_maker(threading.Event())
    return _makers[name].parts_of_number(number)
