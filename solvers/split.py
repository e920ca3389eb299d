"""Split, then conquer: disjoint cubes that together are the whole space, and workers that search them.

The cubes of an exact cover are the places where its own search has few options left; those of other models come from
branching on key variables with a SAT solver's propagation. Parallelism and progress both come from here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solvers.backend import CheckFailed, Stopped, Values
from solvers.branch import branches, choices
from solvers.conquer import Answer, Cube, Job, conquer, packed, peak_memory
from solvers.cover import Cover, Outcome
from solvers.sat import Propagation

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

WORTH_STARTING = 1.0
"""Seconds of work that have to be left, as it seems, for other processes to be started: twice what that takes."""

GLANCE = 0.1
"""Seconds of work after which the rest is judged."""

SEVERAL = 100
"""Cubes of a model that is no exact cover: enough to keep workers busy to the end, few enough to be made quickly."""

HANDFUL = 0.25
"""Seconds for which the cubes that are sent at once should keep a worker busy."""

FEW_OPTIONS = 25
"""Options left in a cube of a cover: with so many, solvers mostly answer at once (tests/benchmarks/backends.py)."""


class Found(NamedTuple):
    """What came of one or more cubes."""

    rows: Sequence[Values]
    """The values of all variables in each solution."""

    weight: float
    """The share of the space that was searched for it."""

    cubes: int = 0
    statistics: Mapping[str, int] = MappingProxyType({})
    memory: int = 0
    """The most bytes that a process which worked on it has had."""


@dataclass(frozen=True)
class Plan:
    """How a space is split, and how its cubes are conquered."""

    cubes: Callable[[], Iterator[Cube | Found]]
    """The cubes, and what the splitter came upon itself."""

    conquer: Callable[..., Sequence[Answer]]
    """Called with cubes and, in this process, the event that stops it."""

    shares_memory: bool
    """Whether workers may be threads; else they are processes, and ``conquer`` travels to them."""

    is_long: bool = False
    """Whether it is known beforehand that workers are worth starting."""


def cover_plan(cover: Cover) -> Plan:
    """The exact-cover search itself, on cubes in which half of the options are left: a hundred or some hundreds."""

    def conquer_here(cubes: Sequence[Cube], stop: threading.Event) -> list[Answer]:
        answers = []
        for cube in cubes:
            began, rows, nodes = time.perf_counter(), [], 0
            for leaf in cover.leaves(cube.literals):
                nodes += leaf.nodes
                if leaf.outcome is Outcome.SOLUTION:
                    rows.append(cover.values(leaf))
            seconds = time.perf_counter() - began
            answers.append(Answer(np.array(rows, dtype=np.int8), seconds, {"nodes": nodes}, peak_memory()))
        return answers

    return Plan(partial(_leaves, cover, len(cover.tables.options) // 2), conquer_here, shares_memory=True)


def parts_plan(cover: Cover, job: Job, most: int | None) -> Plan:
    """Another backend on what is left of an exact cover where few options are, or in at most so many cubes."""
    small = FEW_OPTIONS if most is None else _threshold(cover, most)
    return Plan(partial(_leaves, cover, small), partial(conquer, job), shares_memory=False)


def branch_plan(model: CpModel, key: Sequence[int], job: Job, most: int | None, stop: threading.Event) -> Plan | None:
    """The job's backend on cubes of a model that is no exact cover; None if none of its key can be branched on.

    Raises `Refused` if the model cannot be lowered.
    """
    augmented = model.clone()
    among = choices(augmented, key)
    if not among:
        return None
    propagation = Propagation(augmented, {max(a, -a - 1) for choice in among for a in choice}, stop)

    def cubes() -> Iterator[Cube | Found]:
        for branch in branches(propagation, among, most or SEVERAL):
            yield Found([], branch.weight) if branch.is_refuted else Cube(branch.literals, branch.weight)

    job = replace(job, model=packed(augmented))
    return Plan(cubes, partial(conquer, job), shares_memory=False, is_long=True)


def _leaves(cover: Cover, small: int) -> Iterator[Cube | Found]:
    for leaf in cover.leaves(small=small):
        if leaf.outcome is Outcome.CUBE:
            yield Cube(leaf.cube, leaf.weight)
        elif leaf.outcome is Outcome.SOLUTION:
            yield Found([cover.values(leaf)], leaf.weight)
        else:
            yield Found([], leaf.weight, statistics={"nodes": leaf.nodes})


def _threshold(cover: Cover, most: int) -> int:
    """A number of options left for which there are no more cubes than that.

    Small cubes or few: with a thousand of 600 options solvers take twice as long as with a hundred of 900.
    """
    options = len(cover.tables.options)
    coarser = (options - options * n // 20 for n in range(10, -1, -1))
    for small in (FEW_OPTIONS, *coarser):
        cubes = (leaf for leaf in cover.leaves(small=small) if leaf.outcome is Outcome.CUBE)
        if len(list(islice(cubes, most + 1))) <= most:
            return small
    return options


def conquered(plan: Plan, jobs: int, stop: threading.Event) -> Iterator[Found]:
    """What the cubes hold, in any order; raises `Stopped` once the event is set.

    When it ends, the weights of all that was found add up to 1: nothing was left out.
    """
    workers = _Workers(plan, jobs, stop)
    searched = 0.0
    try:
        for found in _searched(plan.cubes(), workers):
            searched += found.weight
            workers.searched = searched
            yield found
    finally:
        workers.dismiss()
    if abs(searched - 1) > 1e-6:
        raise CheckFailed(f"the cubes that were searched make {searched:.6f} of the space")


def _searched(cubes: Iterator[Cube | Found], workers: _Workers) -> Iterator[Found]:
    for cube in cubes:
        if isinstance(cube, Found):
            yield cube
        else:
            yield from workers.give(cube)
    yield from workers.finish()


class _Workers:
    """Searches cubes by handfuls: at first in this process, then in others (or in threads) if that pays."""

    def __init__(self, plan: Plan, jobs: int, stop: threading.Event) -> None:
        self._plan = plan
        self._jobs = jobs
        self._stop = stop
        self._began = time.perf_counter()
        self.searched = 0.0
        self._executor: Executor | None = None
        self._running: dict[Future[Sequence[Answer]], Sequence[Cube]] = {}
        self._handful: list[Cube] = []
        self._size = 1

    def give(self, cube: Cube) -> Iterator[Found]:
        """Have the cube searched, sooner or later; what was found meanwhile."""
        self._handful.append(cube)
        if len(self._handful) >= self._size:
            yield from self._search_handful()
        if len(self._running) >= 3 * self._jobs:
            yield from self._finished()

    def finish(self) -> Iterator[Found]:
        """What the cubes hold that were not yet answered for."""
        if self._handful:
            yield from self._search_handful()
        while self._running:
            yield from self._finished()

    def dismiss(self) -> None:
        """End the workers, at once if they are still at it."""
        if self._executor:
            if self._running:
                for child in multiprocessing.active_children():
                    child.terminate()
            self._executor.shutdown(cancel_futures=True)

    def _search_handful(self) -> Iterator[Found]:
        if self._stop.is_set():
            raise Stopped
        cubes, self._handful = self._handful, []
        if self._executor is None and self._jobs > 1 and self._is_worth_sharing():
            self._executor = _executor(self._plan, self._jobs)
        if self._executor is None:
            yield self._gathered(cubes, self._plan.conquer(cubes, self._stop))
        elif self._plan.shares_memory:
            self._running[self._executor.submit(self._plan.conquer, cubes, self._stop)] = cubes
        else:
            self._running[self._executor.submit(self._plan.conquer, cubes)] = cubes

    def _is_worth_sharing(self) -> bool:
        """Whether more workers would gain: by the weight of what was searched so far, and how long that took."""
        if self._plan.shares_memory or self._plan.is_long:
            return True
        elapsed = time.perf_counter() - self._began
        return elapsed > GLANCE and elapsed * (1 - self.searched) > WORTH_STARTING * self.searched

    def _finished(self) -> Iterator[Found]:
        """Wait until something is."""
        done: set[Future[Sequence[Answer]]] = set()
        while not done:
            done, _ = wait(self._running, timeout=0.1, return_when=FIRST_COMPLETED)
            if self._stop.is_set():
                raise Stopped
        for future in done:
            yield self._gathered(self._running.pop(future), future.result())

    def _gathered(self, cubes: Sequence[Cube], answers: Sequence[Answer]) -> Found:
        """What was found in a handful; the next one is made as large as its time allows."""
        seconds = sum(answer.seconds for answer in answers)
        self._size = max(1, min(2 * self._size, int(HANDFUL * len(cubes) / max(seconds, 1e-9))))
        statistics: dict[str, int] = {}
        for answer in answers:
            for unit, count in answer.statistics.items():
                statistics[unit] = statistics.get(unit, 0) + count
        rows = [row for answer in answers for row in answer.rows]
        memory = max(answer.memory for answer in answers)
        weight = sum(cube.weight for cube, _ in zip(cubes, answers, strict=True))
        return Found(rows, weight, len(cubes), statistics, memory)


def _executor(plan: Plan, jobs: int) -> Executor:
    if plan.shares_memory:
        return ThreadPoolExecutor(jobs)
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _leave_ctrl_c_to_the_parent)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def available_processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
