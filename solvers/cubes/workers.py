"""Have cubes searched, here or by workers: processes of this machine, its threads, or any executor's."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite
from random import Random
from typing import Any

import numpy as np

from solvers.base.deadline import Deadline, thread_pool
from solvers.base.errors import CheckError, ExecutorError, InputError, Stopped, WorkerDiedError
from solvers.base.tuning import TUNING
from solvers.cubes.conquer import ENDLESS, Patience, Plan, conquer, ready_backend
from solvers.cubes.cube import Cube, CubeResult, Found
from solvers.cubes.processes import Processes
from solvers.cubes.store import Store

CUBE_CHUNK_SECONDS = 0.25
"""Seconds for which the cubes that are sent at once should keep a worker busy."""

MIN_CUBE_CHUNK_SECONDS = 0.05
"""The same towards the end of the run, so that all workers finish at about the same time."""

MIN_CHUNKS_PER_JOB = 4
"""Chunks into which the cubes left are shared out for each worker: some take a hundred times as long as others."""

CHUNKS_SENT_PER_JOB = 2
"""The most chunks that a worker has before it, so that it need not wait for the next one."""

MAX_CUBE_SHARE = 0.05
"""The share of the time that a run seems to take for which a cube may keep one worker busy; then it is split again."""

MAX_CUBE_DEATHS = 3
"""Workers that a cube may cost before the run gives up on it."""


class Workers:
    """Searches cubes in chunks: first in this process, then in workers if that saves time.

    Workers are other processes or threads.
    """

    def __init__(
        self,
        plan: Plan,
        jobs: int,
        stop: threading.Event,
        journal: Store | None = None,
        executor: Executor | None = None,
        is_long: bool = False,
    ) -> None:
        """Prepare the search of a plan; no worker is started yet.

        plan: how the cubes are made and split, and the job that a worker does with them. jobs: the most workers. stop:
        ends the search when set. journal: the store to record results in, or None. executor: the caller's own workers;
        None to start some here if they are worth it. is_long: whether the search is known to take long, so that workers
        are started at once.
        """
        self._plan, self._jobs, self._stop, self._journal = plan, jobs, stop, journal
        self._began = time.perf_counter()
        self.searched = self._before = Fraction()
        """The share of the space that was searched, and that of it before the first cube."""
        self._work_done = self._work_left = 0.0
        """The work that is done, and that of the cubes known so far, counted in shares."""
        self._shares: dict[Cube, float] = {}
        """The share of a cube in the work, if it is not 1: its expected work, or less for a part of a cube."""
        self._executor, self._is_ours = executor, executor is None
        """The workers, None as long as there are none; and whether they are started here."""
        self._own_thread: Executor | None = None
        """The thread of this process that is one of the jobs beside other processes; None if there is none."""
        self._running_here: Future[Sequence[CubeResult]] | None = None
        """The chunk that was sent to this thread last."""
        self._deadline = Deadline(stop)
        """Ends the search of this thread."""
        self._running: dict[Future[Sequence[CubeResult]], Sequence[Cube]] = {}
        """The cubes of each chunk that was sent to a worker."""
        self._waiting: deque[Cube] = deque()
        self._indivisible: set[Cube] = set()
        """The cubes that were to be split again, and cannot be."""
        self._deaths: dict[Cube, int] = {}
        """How many workers have died while they searched a cube; 0 for other cubes of the same chunks."""
        self._chunk_size = 1
        """The number of cubes in the next chunk."""
        self._is_long = is_long
        """Whether the search is known to take long: it did in one piece, or some cubes here."""
        self._have_answered = False
        """True once a worker has returned a result."""

    def search(self, cubes: Iterator[Cube | Found]) -> Iterator[Found]:
        """Search cubes; yield the results of each chunk once it is done, in any order.

        The cubes of an exact cover are made quickly: the search begins once all are known. Those of another model are
        searched while the next ones are made. cubes: the cubes to search, and parts that were searched already, which
        are passed on as results. Raises `Stopped` once the event is set, `InputError` if the backend does not take the
        model, `WorkerDiedError` if a cube has killed too many workers.
        """
        is_first_cube = True
        for part in cubes:
            if isinstance(part, Found):
                yield self._note_weight(part)
                continue
            if is_first_cube:
                is_first_cube, self._before = False, self.searched
            self._waiting.append(part)
            self._work_left += 1
            if self._plan.of_cover:
                continue
            if len(self._waiting) >= self._chunk_size:
                yield from self._search_handful()
            # All workers have enough before them: no more cubes are made until some are done.
            if not self._may_send:
                yield from self._wait_for_chunks()
        if self._plan.work:
            self._order_by_work(self._plan.work)
        elif self._plan.of_cover:  # in no order, so that those which are done tell how long the others take
            Random(0).shuffle(self._waiting)
        if self._plan.of_cover:
            self._began = time.perf_counter()
        while self._waiting or self._running:
            if not self._waiting and self._is_idle_here and self._are_starting:
                self._take_back_last()
            if self._waiting and self._may_send:
                yield from self._search_handful()
            else:
                yield from self._wait_for_chunks()

    def dismiss(self) -> None:
        """End the workers that were started here without waiting for them.

        Processes are killed; threads end by the event that stops the search. If the executor is the caller's own,
        cancel the calls that have not begun.
        """
        self._deadline.begin(0)
        if self._own_thread:
            self._own_thread.shutdown(wait=False, cancel_futures=True)
        if not self._is_ours:
            for future in self._running:
                future.cancel()
        elif self._executor:
            if isinstance(self._executor, Processes):  # to wait until they have ended by themselves takes a while
                self._executor.kill()
            self._executor.shutdown(cancel_futures=True)

    def _note_weight(self, part: Found) -> Found:
        """Add the weight of a searched part to the share of the space that is searched; return the part."""
        self.searched += part.weight
        return part

    def _search_handful(self) -> Iterator[Found]:
        """Search the next waiting cubes here and yield the results, or hand the cubes to a worker.

        If it hands them over it yields nothing, and `_wait_for_chunks` yields the results later. It starts the workers
        once they are worth it.

        Raises `Stopped` if the event is set. Raises `ExecutorError` if the caller's executor fails, `MemoryError` if no
        thread can be started.
        """
        if self._stop.is_set():
            raise Stopped
        if self._executor is None and self._jobs > 1 and self._is_worth_sharing():
            self._start_workers()
        if self._executor is None:
            yield from self._search_here(self._handful(least=self._jobs > 1 and self._plan.work is not None))
            return
        if self._own_thread and self._may_send_here:
            cubes = self._handful(least=True)
            limits = self._chunk_limits(cubes)
            with self._wrap_executor_failures():
                self._running_here = self._own_thread.submit(conquer, self._plan.job, cubes, limits, self._deadline)
            self._running[self._running_here] = cubes
            return
        cubes = self._handful()
        # Threads share the event; processes are killed instead.
        stop = self._stop if self._is_ours and self._has_threads else None
        with self._wrap_executor_failures():
            self._running[self._executor.submit(conquer, self._plan.job, cubes, self._chunk_limits(cubes), stop)] = (
                cubes
            )

    def _start_workers(self) -> None:
        """Start the workers: threads, or other processes.

        If the cubes are all known, this process is one of the jobs, so that one process fewer has to start: a thread
        goes on with the backend that is ready here, while this one hands out the cubes.
        """
        if self._has_threads:
            self._executor = thread_pool(self._jobs)
        elif self._plan.of_cover:
            self._executor, self._own_thread = Processes(self._jobs - 1), thread_pool(1)
            with self._wrap_executor_failures():
                self._own_thread.submit(ready_backend())
        else:
            self._executor = Processes(self._jobs)

    def _order_by_work(self, work: Callable[[Cube], float]) -> None:
        """Put the waiting cubes that are expected to take longest first.

        In this order no worker is busy with a long cube when the others are done. From now on progress is measured by
        expected work (``_shares``). work: estimates the work for a cube, in any unit; see `Plan.work`.
        """
        self._shares = {cube: work(cube) for cube in self._waiting}
        self._work_left = sum(self._shares.values())
        self._waiting = deque(sorted(self._shares, key=self._shares.__getitem__, reverse=True))

    def _handful(self, least: bool = False) -> list[Cube]:
        """Take the cubes of the next chunk from those that wait, and return them.

        They are the first waiting cubes; if ``least`` is true the last ones, which have the least work if the plan
        knows that. A cube that has to be searched by itself makes a chunk alone. Otherwise a chunk has as
        many cubes as `_chunk_size` says, and no more work than leaves each worker several chunks.
        """
        waiting = self._waiting
        # The end of the queue from which cubes are taken.
        end, pop = (-1, waiting.pop) if least else (0, waiting.popleft)
        cubes = [pop()]
        size = 1 if self._is_apart(cubes[0]) else self._chunk_size
        share_of_chunk = self._shares.get(cubes[0], 0.0)
        largest_share = self._work_left / (MIN_CHUNKS_PER_JOB * self._jobs) if self._plan.work else float("inf")
        while waiting and len(cubes) < size and not self._is_apart(waiting[end]):
            share_of_chunk += self._shares.get(waiting[end], 0.0)
            if share_of_chunk > largest_share:
                break
            cubes.append(pop())
        return cubes

    def _search_here(self, cubes: Sequence[Cube]) -> Iterator[Found]:
        """Search cubes in this process; yield the results of those that were finished in time.

        `conquer` searches cubes until its limits are exceeded, and returns the results of those that it has finished.
        If there are several jobs and the search takes long, the unfinished cubes wait again, for workers. Raises
        `Stopped` once the event is set, `InputError` if the backend does not take the model.
        """
        patience, began = self._chunk_limits(cubes), time.perf_counter()
        if self._jobs > 1:
            patience = patience._replace(seconds=TUNING.min_parallel_seconds)
        answers = _without_memory(conquer(self._plan.job, cubes, patience, self._stop))
        if len(answers) < len(cubes) and time.perf_counter() - began > patience.seconds:
            self._is_long = True
            self._waiting.extendleft(reversed(cubes[len(answers) :]))
            cubes = cubes[: len(answers)]
        yield from self._gather(cubes, answers)

    @property
    def _is_idle_here(self) -> bool:
        """Tell whether the thread of this process that is one of the jobs has no chunk."""
        return self._own_thread is not None and self._running_here not in self._running

    @property
    def _may_send_here(self) -> bool:
        """Tell whether this thread is to search the last waiting cube; it takes none of which a worker has died."""
        return self._is_idle_here and not self._deaths.get(self._waiting[-1])

    @property
    def _may_send(self) -> bool:
        """Tell whether there is a worker that has few chunks before it; some cube has to wait."""
        if self._own_thread is None:
            return len(self._running) < CHUNKS_SENT_PER_JOB * self._jobs
        chunks_of_processes = len(self._running) - (not self._is_idle_here)
        return self._may_send_here or chunks_of_processes < CHUNKS_SENT_PER_JOB * (self._jobs - 1)

    @property
    def _are_starting(self) -> bool:
        """Tell whether the workers are processes of this machine and none of them has answered yet."""
        return (
            isinstance(self._executor, Processes)
            and not self._have_answered
            and not any(future.done() for future in self._running if future is not self._running_here)
        )

    def _is_apart(self, cube: Cube) -> bool:
        """Tell whether a cube goes to a worker by itself: it cannot be split, or a worker died in its chunk."""
        return cube in self._indivisible or cube in self._deaths

    @property
    def _has_threads(self) -> bool:
        """Tell whether threads suffice as workers: the compiled search of `cover` releases Python's lock."""
        return self._plan.job.tables is not None

    def _is_worth_sharing(self) -> bool:
        """Tell whether starting workers would save time, judged by the work so far and the time it took.

        Threads cost nothing, and cubes of models that are no exact covers take long.
        """
        if self._has_threads or not self._plan.of_cover or self._is_long:
            return True
        return (
            time.perf_counter() - self._began > TUNING.forecast_after_seconds
            and self._seconds_left() > TUNING.min_parallel_seconds
        )

    def _seconds_left(self) -> float:
        """Estimate the seconds that the remaining work takes, from the time for what was searched here.

        The work is counted in cubes or, while not all cubes are known, as a share of the space. The result is infinite
        if nothing was searched here.
        """
        if self._plan.of_cover:
            done, left = self._work_done, self._work_left
        else:  # not all cubes are known yet
            done, left = float(self.searched - self._before), float(1 - self.searched)
        return (time.perf_counter() - self._began) * left / done if done else float("inf")

    def _chunk_limits(self, cubes: Sequence[Cube]) -> Patience:
        """Return the limits for the search of a chunk: cubes that exceed them are split again.

        `Patience` limits the number of solutions and the seconds. Cubes that cannot be split have no limits. Only
        searches of the backend `cover` have a limit of seconds, a small share of the time that the run seems to take,
        as other solvers would begin again from nothing.
        """
        is_divisible = self._plan.smaller is not None and cubes[0] not in self._indivisible
        patience = Patience(rows=TUNING.max_cube_solutions) if is_divisible else ENDLESS
        if self._executor is None or not self._has_threads or not is_divisible:  # solvers would begin from nothing
            return patience
        seconds_left = self._seconds_left()
        seconds_in_all = time.perf_counter() - self._began + seconds_left
        share = MAX_CUBE_SHARE * seconds_in_all if isfinite(seconds_left) else 0
        return patience._replace(seconds=max(TUNING.min_cube_seconds, share))

    def _wait_for_chunks(self) -> Iterator[Found]:
        """Wait until at least one chunk is done; yield what was found in those that are.

        The cubes of a worker that has died wait again. Raises `Stopped` once the event is set, `WorkerDiedError` if a
        cube has killed too many workers. Raises `ExecutorError` if the caller's executor fails.
        """
        done: list[Future[Sequence[CubeResult]]] = []
        while not done:
            wait(self._running, timeout=0.1, return_when=FIRST_COMPLETED)
            done = [future for future in self._running if future.done()]  # wait overlooks those that are cancelled
            if self._stop.is_set():
                raise Stopped
            if isinstance(self._executor, Processes) and not done:
                # It looks for workers that have died.
                self._executor.check()
        for future in done:
            cubes = self._running.pop(future)
            self._have_answered = self._have_answered or future is not self._running_here
            try:
                with self._wrap_executor_failures():
                    answers = future.result()
            except BrokenExecutor:
                self._take_back(cubes, future)
            else:
                if future is self._running_here:
                    answers = _without_memory(answers)
                yield from self._gather(cubes, answers)

    @contextmanager
    def _wrap_executor_failures(self) -> Iterator[None]:
        """Turn a failure of the caller's executor within the block into an `ExecutorError` of one sentence.

        Errors that `conquer` raises stay as they are. If the workers were started here, all other errors stay as they
        are, too, except for one: a thread that cannot be started for lack of memory is a `MemoryError`, which the run
        reports.
        """
        try:
            yield
        except (CheckError, MemoryError, InputError, Stopped):  # what `conquer` raises
            raise
        except Exception as error:
            if self._is_ours:
                # Python's message for a thread that the system refuses.
                if str(error) == "can't start new thread":
                    raise MemoryError from error
                raise
            first_line = str(error).partition("\n")[0]
            what = f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
            raise ExecutorError(f"a failure of the executor ({what})") from error

    def _take_back_last(self) -> None:
        """Let the cubes that were sent last wait again, as no worker has begun to search; any result is ignored."""
        _, cubes = self._running.popitem()
        self._waiting.extend(cubes)

    def _take_back(self, cubes: Sequence[Cube], future: Future[Any]) -> None:
        """Let the cubes of a dead worker wait again, each to be searched by itself.

        cubes: those of its chunk. future: the call that failed. It is guilty if its own worker died, not another worker
        of the same pool. Raises `WorkerDiedError` if one cube has cost `MAX_CUBE_DEATHS` workers.
        """
        assert isinstance(self._executor, Processes)
        is_guilty = self._executor.is_guilty(future)
        for cube in cubes:
            deaths = self._deaths[cube] = self._deaths.get(cube, 0) + is_guilty
            if deaths == MAX_CUBE_DEATHS:
                literals = " ".join(map(str, cube.literals)) or "the whole space"
                raise WorkerDiedError(
                    f"the death of {MAX_CUBE_DEATHS} workers, one after another, on the cube {literals}"
                )
        self._waiting.extendleft(reversed(cubes))

    def _gather(self, cubes: Sequence[Cube], answers: Sequence[CubeResult]) -> Iterator[Found]:
        """Record and yield the results of a chunk; set the size of the next chunk by the time of this one.

        answers: the results of the first cubes, in the same order. If there are fewer than cubes, the first cube
        without a result is split again, and the others wait again.
        """
        done = cubes[: len(answers)]
        if done:
            if self._journal:
                self._journal.record(done, answers)
            seconds = sum(answer.seconds for answer in answers)
            share = sum(self._shares.pop(cube, 1.0) for cube in done)
            work_left = self._note_work_done(share)
            seconds_left = self._seconds_left()
            # The next chunk should take ``aim`` seconds at the pace of this one, but is at most twice as large.
            aim = min(CUBE_CHUNK_SECONDS, max(MIN_CUBE_CHUNK_SECONDS, seconds_left / (4 * self._jobs)))
            self._chunk_size = max(1, min(2 * self._chunk_size, int(aim * len(done) / max(seconds, 1e-9))))
            statistics = Counter[str]()
            for answer in answers:
                statistics.update(answer.statistics)
            rows_found = [answer.rows for answer in answers if len(answer.rows)]
            rows = np.concatenate(rows_found) if rows_found else ()
            memory = max(answer.memory for answer in answers)
            weight = sum((cube.weight for cube in done), Fraction())
            # ``done`` and ``open`` are the work of this chunk and what is left, from which the time left is estimated.
            yield self._note_weight(Found(rows, weight, len(done), statistics, memory, done=share, open=work_left))
        if len(done) < len(cubes):
            self._waiting.extendleft(reversed(cubes[len(done) + 1 :]))
            yield from self._split_again(cubes[len(done)])

    def _note_work_done(self, share: float) -> float | None:
        """Note that a share of the work is done; return the work that is left.

        Shares are counted in the cubes that were made first, or in expected work. Returns None where the work that is
        left tells nothing of the time: not all cubes are known, or they are not in random order.
        """
        self._work_done += share
        self._work_left -= share
        return self._work_left if self._plan.of_cover and not self._plan.work else None

    def _split_again(self, cube: Cube) -> Iterator[Found]:
        """Split a cube that takes long, so that no worker waits for the one that has it; the parts wait next.

        Yields the parts that splitting itself has searched. A cube that cannot be split waits again, and is then
        searched without limits.
        """
        assert self._plan.smaller
        parts = self._plan.smaller(cube)
        # One of the parts is the cube itself: nothing is left to decide in it.
        if any(isinstance(part, Cube) and part.literals == cube.literals for part in parts):
            self._indivisible.add(cube)
            self._waiting.appendleft(cube)
            return
        if self._journal:
            self._journal.split(cube, parts)
        share = self._shares.pop(cube, 1.0)
        for part in reversed(parts):
            share_of_part = share * float(part.weight / cube.weight)
            if isinstance(part, Found):
                yield self._note_weight(part._replace(done=share_of_part, open=self._note_work_done(share_of_part)))
            else:
                self._shares[part] = share_of_part
                self._waiting.appendleft(part)


def _without_memory(answers: Sequence[CubeResult]) -> list[CubeResult]:
    """Return results of this process, which is no worker: the report names its memory elsewhere."""
    return [answer._replace(memory=0) for answer in answers]


def conquer_all(
    plan: Plan,
    jobs: int,
    stop: threading.Event,
    journal: Store | None = None,
    executor: Executor | None = None,
    is_long: bool = False,
) -> Iterator[Found]:
    """Search all cubes of a plan; yield the results, in any order.

    plan: how the cubes are made, split and searched. jobs: the number of workers. stop: ends the search when set.
    journal: the store to record results in, and to continue from; None for no store. executor: workers to use in place
    of own processes; None to start own ones. is_long: whether the search is known to take long, so that other processes
    are started at once.

    After the last result the weights of all parts have to add up to exactly 1, so that no cube was left out; otherwise
    it raises `CheckError`. Raises `Stopped` once the event is set.
    """
    workers = Workers(plan, jobs, stop, journal, executor, is_long)
    try:
        yield from workers.search(journal.begin(plan.cubes) if journal else plan.cubes())
    finally:
        workers.dismiss()
    if workers.searched != 1:
        raise CheckError(f"the cubes that were searched lack {float(1 - workers.searched):.3g} of the space")
