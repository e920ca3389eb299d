"""Have cubes searched, here or by workers: processes of this machine, its threads, or any executor's."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import isfinite
from multiprocessing.context import SpawnContext, SpawnProcess
from random import Random
from typing import Any, Protocol

from solvers.cubes.conquer import ENDLESS, Job, Patience, conquer
from solvers.cubes.cube import Answer, Cube, Found
from solvers.errors import CheckError, ExecutorError, InputError, Stopped, WorkerDiedError

WORTH_STARTING = 1.0
"""Seconds of work that have to be left, as it seems, for other processes to be started: twice what that takes."""

JUDGED_AFTER = 0.1
"""Seconds of work after which the rest is judged."""

CHUNK_SECONDS = 0.25
"""Seconds for which the cubes that are sent at once should keep a worker busy."""

LEAST_CHUNK_SECONDS = 0.05
"""The same towards the end, so that all workers come to it at about the same time."""

LONG = 0.05
"""The share of the time that a run seems to take for which a cube may keep one worker busy; then it is split again."""

SHORT = 0.5
"""Seconds for which any cube may."""

MANY = 4096
"""Solutions that are held of one cube; one that has more is split again."""

MOST_DEATHS = 3
"""Workers that a cube may cost before the run gives up on it."""


@dataclass(frozen=True)
class Plan:
    """How a space is split, and how its cubes are conquered."""

    job: Job

    cubes: Callable[[], Iterator[Cube | Found]]
    """The cubes, and what the splitter came upon itself."""

    smaller: Callable[[Cube], Sequence[Cube | Found]] | None
    """The same for what is in a cube: itself where it cannot be split. None if no cube is to be split again."""

    of_cover: bool = True
    """Whether the model is an exact cover. The search of another has taken long already; and as a solver that learns
    may need as long for each part of a cube as for all, only what has many solutions is split again."""


class Journal(Protocol):
    """Remembers what was searched; see `store.Store`."""

    def begin(self, cubes: Callable[[], Iterator[Cube | Found]]) -> Iterator[Cube | Found]:
        """Of a plan that was begun before, or else is begun now: what was found, and then the cubes that are open."""

    def record(self, cubes: Sequence[Cube], answers: Sequence[Answer]) -> None:
        """These cubes were searched."""

    def split(self, cube: Cube, parts: Sequence[Cube | Found]) -> None:
        """A cube was split again."""


class Workers:
    """Searches cubes by chunks: at first in this process, then by others (or by threads) if that pays."""

    def __init__(
        self,
        plan: Plan,
        jobs: int,
        stop: threading.Event,
        journal: Journal | None = None,
        executor: Executor | None = None,
    ) -> None:
        self._plan, self._jobs, self._stop, self._journal = plan, jobs, stop, journal
        self._began = time.perf_counter()
        self._searched = self._before = 0.0
        self._done = self._open = 0.0
        self._shares: dict[Cube, float] = {}  # of parts of cubes that were split
        self._executor, self._is_ours = executor, executor is None
        self._running: dict[Future[Sequence[Answer]], Sequence[Cube]] = {}
        self._waiting: deque[Cube] = deque()
        self._indivisible: set[Cube] = set()
        self._deaths: dict[Cube, int] = {}
        self._size = 1

    def search(self, cubes: Iterator[Cube | Found]) -> Iterator[Found]:
        """What the cubes hold, in any order."""
        first = True
        for part in cubes:
            if isinstance(part, Found):
                yield self._known(part)
                continue
            if first:
                first, self._before = False, self._searched
            self._waiting.append(part)
            self._open += 1
            if self._plan.of_cover:
                continue
            if len(self._waiting) >= self._size:
                yield from self._search_handful()
            if len(self._running) >= 3 * self._jobs:
                yield from self._finished()
        if self._plan.of_cover:  # in no order, so that those which are done tell how long the others take
            Random(0).shuffle(self._waiting)
            self._began = time.perf_counter()
        while self._waiting or self._running:
            if self._waiting and len(self._running) < 3 * self._jobs:
                yield from self._search_handful()
            else:
                yield from self._finished()

    def dismiss(self) -> None:
        """End the workers that were started here, at once if they are still at it."""
        if not self._is_ours:
            for future in self._running:
                future.cancel()
        elif self._executor:
            if isinstance(self._executor, Processes):  # to wait until they have ended by themselves takes a while
                self._executor.kill()
            self._executor.shutdown(cancel_futures=True)

    def _known(self, found: Found) -> Found:
        self._searched += found.weight
        return found

    def _search_handful(self) -> Iterator[Found]:
        if self._stop.is_set():
            raise Stopped
        cubes = [self._waiting.popleft()]
        size = 1 if self._is_apart(cubes[0]) else self._size
        while self._waiting and len(cubes) < size and not self._is_apart(self._waiting[0]):
            cubes.append(self._waiting.popleft())
        if self._executor is None and self._jobs > 1 and self._is_worth_sharing():
            self._executor = ThreadPoolExecutor(self._jobs) if self._has_threads else Processes(self._jobs)
        if self._executor is None:
            yield from self._gathered(cubes, conquer(self._plan.job, cubes, self._patience(cubes), self._stop))
            return
        stop = self._stop if self._is_ours and self._has_threads else None
        with self._in_one_sentence():
            self._running[self._executor.submit(conquer, self._plan.job, cubes, self._patience(cubes), stop)] = cubes

    def _is_apart(self, cube: Cube) -> bool:
        """Whether a cube goes to a worker by itself."""
        return cube in self._indivisible or cube in self._deaths

    @property
    def _has_threads(self) -> bool:
        """The compiled search leaves Python alone, so that threads suffice."""
        return self._plan.job.backend == "cover"

    def _is_worth_sharing(self) -> bool:
        """Whether more workers would gain: by the weight of what was searched so far, and how long that took."""
        if self._has_threads or not self._plan.of_cover:
            return True
        return time.perf_counter() - self._began > JUDGED_AFTER and self._seconds_left() > WORTH_STARTING

    def _seconds_left(self) -> float:
        """Seconds that the rest takes, by those that took what was searched here; endless where nothing was."""
        if self._plan.of_cover:
            done, left = self._done, self._open
        else:  # not all cubes are known yet
            done, left = self._searched - self._before, 1 - self._searched
        return (time.perf_counter() - self._began) * left / done if done else float("inf")

    def _patience(self, cubes: Sequence[Cube]) -> Patience:
        if self._plan.smaller is None or cubes[0] in self._indivisible:
            return ENDLESS
        if self._executor is None or not self._plan.of_cover:
            return Patience(rows=MANY)
        left = self._seconds_left()
        seconds = time.perf_counter() - self._began + left
        return Patience(max(SHORT, LONG * seconds if isfinite(left) else 0), MANY)

    def _finished(self) -> Iterator[Found]:
        """Wait until something is."""
        done: list[Future[Sequence[Answer]]] = []
        while not done:
            wait(self._running, timeout=0.1, return_when=FIRST_COMPLETED)
            done = [future for future in self._running if future.done()]  # wait overlooks those that are cancelled
            if self._stop.is_set():
                raise Stopped
            if isinstance(self._executor, Processes) and not done:
                self._executor.check()
        for future in done:
            cubes = self._running.pop(future)
            try:
                with self._in_one_sentence():
                    answers = future.result()
            except BrokenExecutor:
                self._take_back(cubes, future)
            else:
                yield from self._gathered(cubes, answers)

    @contextmanager
    def _in_one_sentence(self) -> Iterator[None]:
        """What goes wrong with an executor that is not ours becomes an `ExecutorError`; what `conquer` says stays."""
        try:
            yield
        except (CheckError, MemoryError, InputError, Stopped):
            raise
        except Exception as error:
            if self._is_ours:
                if str(error) == "can't start new thread":
                    raise MemoryError from error
                raise
            what = ": ".join(filter(None, [type(error).__name__, str(error).partition("\n")[0]]))
            raise ExecutorError(f"a failure of the executor ({what})") from error

    def _take_back(self, cubes: Sequence[Cube], future: Future[Any]) -> None:
        """A worker died: search its cubes again, one by one; give up on one that cost several."""
        assert isinstance(self._executor, Processes)
        is_guilty = self._executor.is_guilty(future)
        for cube in cubes:
            deaths = self._deaths[cube] = self._deaths.get(cube, 0) + is_guilty
            if deaths == MOST_DEATHS:
                literals = " ".join(map(str, cube.literals)) or "the whole space"
                raise WorkerDiedError(f"the death of {MOST_DEATHS} workers, one after another, on the cube {literals}")
        self._waiting.extendleft(reversed(cubes))

    def _gathered(self, cubes: Sequence[Cube], answers: Sequence[Answer]) -> Iterator[Found]:
        """What was found in a chunk; the next one is made as large as its time allows."""
        done = cubes[: len(answers)]
        if done:
            if self._journal:
                self._journal.record(done, answers)
            seconds = sum(answer.seconds for answer in answers)
            share = sum(self._shares.pop(cube, 1.0) for cube in done)
            left = self._end(share)
            seconds_left = self._seconds_left()
            aim = min(CHUNK_SECONDS, max(LEAST_CHUNK_SECONDS, seconds_left / (4 * self._jobs)))
            self._size = max(1, min(2 * self._size, int(aim * len(done) / max(seconds, 1e-9))))
            statistics = Counter[str]()
            for answer in answers:
                statistics.update(answer.statistics)
            rows = [row for answer in answers for row in answer.rows]
            memory = max(answer.memory for answer in answers)
            weight = sum(cube.weight for cube in done)
            yield self._known(Found(rows, weight, len(done), statistics, memory, done=share, open=left))
        if len(done) < len(cubes):
            self._waiting.extendleft(reversed(cubes[len(done) + 1 :]))
            yield from self._split_again(cubes[len(done)])

    def _end(self, share: float) -> float | None:
        """So much is done, in cubes as they were made first; how much is left, if all are known."""
        self._done += share
        self._open -= share
        return self._open if self._plan.of_cover else None

    def _split_again(self, cube: Cube) -> Iterator[Found]:
        """A cube that takes long becomes several, so that no worker waits for the one that has it."""
        assert self._plan.smaller
        parts = self._plan.smaller(cube)
        if any(isinstance(part, Cube) and part.literals == cube.literals for part in parts):
            self._indivisible.add(cube)
            self._waiting.appendleft(cube)
            return
        if self._journal:
            self._journal.split(cube, parts)
        share = self._shares.pop(cube, 1.0)
        for part in reversed(parts):
            of_share = share * part.weight / (cube.weight or 1.0)
            if isinstance(part, Found):
                yield self._known(part._replace(done=of_share, open=self._end(of_share)))
            else:
                self._shares[part] = of_share
                self._waiting.appendleft(part)


class Processes(Executor):
    """Processes of this machine; one that dies is replaced, and it is known at what it died."""

    def __init__(self, jobs: int) -> None:
        self._executors = [_process() for _ in range(jobs)]
        self._given: list[deque[Future[Any]]] = [deque() for _ in range(jobs)]
        self._of: dict[Future[Any], deque[Future[Any]]] = {}

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """See `concurrent.futures.Executor`."""
        for given in self._given:
            while given and given[0].done() and not given[0].cancelled() and given[0].exception() is None:
                self._of.pop(given.popleft(), None)
        number = min(range(len(self._given)), key=lambda n: sum(not future.done() for future in self._given[n]))
        try:
            future = self._submit(number, call, *arguments, **named)
        except BrokenExecutor:
            self._executors[number].shutdown(wait=False)
            self._executors[number], self._given[number] = _process(), deque()
            future = self._submit(number, call, *arguments, **named)
        self._given[number].append(future)
        self._of[future] = self._given[number]
        return future

    def _submit(self, number: int, call: Callable[..., Any], *arguments: Any, **named: Any) -> Future[Any]:
        executor = self._executors[number]
        try:
            future = executor.submit(call, *arguments, **named)
        except BrokenExecutor:
            raise
        except (OSError, RuntimeError) as error:  # no other process or thread can be started
            self.kill()
            raise MemoryError from error
        # Its process writes there and nobody else. Or, where that dies in the middle of an answer, who reads it would
        # wait for the rest.
        executor._result_queue._writer.close()  # type: ignore[attr-defined]
        return future

    def check(self) -> None:
        """Raise `MemoryError` if one of the threads that wait for the processes ended for want of it."""
        for executor in self._executors:
            thread: Any = executor._executor_manager_thread
            if thread and not thread.is_alive() and not executor._broken:
                raise MemoryError

    def is_guilty(self, future: Future[Any]) -> bool:
        """Whether its worker died while it was at this, not before it had begun on it."""
        given = self._of.pop(future)
        return next((f for f in given if f.exception() is not None), None) is future

    def kill(self) -> None:
        """End them at once."""
        for executor in self._executors:
            for process in list((executor._processes or {}).values()):
                process.kill()
            if sys.version_info < (3, 11, 5):  # it may wait for ever for someone to read what was sent (gh-94777)
                sent = getattr(executor, "_call_queue", None)
                if sent:
                    sent._reader.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See `concurrent.futures.Executor`."""
        for executor in self._executors:
            with suppress(RuntimeError):  # its thread was never started
                executor.shutdown(wait, cancel_futures=cancel_futures)


_hiding = threading.RLock()


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Leave nothing by which a process that is started now would find the main module, and run it once more.

    Nothing of it is needed there. So a script needs no ``if __name__ == "__main__":``.
    """
    main = vars(sys.modules["__main__"])
    with _hiding:
        shown = {name: main[name] for name in ("__spec__", "__file__") if main.get(name)}
        main["__spec__"] = None
        main.pop("__file__", None)
        try:
            yield
        finally:
            main.update(shown)


class _Process(SpawnProcess):
    """Does not import the main module."""

    def start(self) -> None:
        """See `multiprocessing.Process`."""
        with _main_hidden():
            super().start()


class _Context(SpawnContext):
    Process = _Process


def _process() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, _Context(), _begin)


def _begin() -> None:
    """Ctrl-C is for the parent, and without it there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def end_with_the_parent() -> None:
        if parent:
            parent.join()
        os._exit(1)

    threading.Thread(target=end_with_the_parent, daemon=True).start()
