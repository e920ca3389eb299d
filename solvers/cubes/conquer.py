"""Conquer cubes, here or in another process: what travels is data, never code.

A `Job` says how the cubes of one model are to be searched. It is sent along with each chunk of cubes; a worker makes
ready for it once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from solvers.backends.protocol import Backend, Task
from solvers.backends.registry import make_backend
from solvers.base.deadline import Deadline
from solvers.base.errors import Stopped
from solvers.base.values import Values
from solvers.cubes.batches import Batches
from solvers.cubes.cube import Cube, CubeResult, Found, Rows
from solvers.cubes.processes import peak_memory, unpack_model
from solvers.model.cover_search import CoverTables, solutions
from solvers.model.exact_cover import ExactCover


class CubeRows:
    """The solutions of a cube, whose search ends once they are more than ``most``."""

    def __init__(self, most: float) -> None:
        """Begin without solutions; most: the number of them after which another one raises `Stopped`."""
        self._most, self._count = most, 0
        self._rows: list[Rows] = []
        self._batches = Batches(self._rows.append, alone=0)

    def add(self, values: Values) -> None:
        """Take the values of a solution; raise `Stopped` if there are enough already."""
        if self._count >= self._most:
            raise Stopped
        self._count += 1
        self._batches.add(values)

    def as_array(self) -> Rows:
        """Return the values of all variables in the solutions, a row for each."""
        self._batches.hand_over()
        return np.concatenate(self._rows) if self._rows else np.zeros((0, 0), np.int8)


@dataclass(frozen=True)
class Job:
    """The way in which the cubes of a model are searched.

    It holds the backend, its seed and parameters, and the model itself.
    """

    backend: str
    seed: int
    parameters: Mapping[str, str]
    key: tuple[int, ...]
    model: bytes
    """The model's proto as compressed text; empty if there are tables."""

    cover: ExactCover | None = None
    """The model as an exact cover, if it is one."""

    tables: CoverTables | None = None
    """The tables that the backend `cover` searches instead of the model."""

    shown: int | None = None
    """As in `Task.shown`."""

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256, in hexadecimal, by which jobs are compared.

        It covers the backend, the seed, the parameters, the key and the model.
        """
        asked = repr((self.backend, self.seed, sorted(self.parameters.items()), self.key)).encode()
        return sha256(asked + self.model).hexdigest()


@dataclass(frozen=True)
class Plan:
    """The way in which a space is split into cubes, and in which these are searched."""

    job: Job

    cubes: Callable[[], Iterator[Cube | Found]]
    """Yields the cubes, and the parts that splitting itself has searched (`Found`)."""

    smaller: Callable[[Cube], Sequence[Cube | Found]] | None
    """Splits one cube into smaller parts; returns the cube itself if it cannot be split. None: never split again."""

    of_cover: bool = True
    """True if the model is an exact cover. The search of any other model has taken long already. There, only cubes with
    many solutions are split again: a solver that learns may need as long for a part of a cube as for all of it."""

    work: Callable[[Cube], float] | None = None
    """The work that a cube is expected to be, in any unit; None where all are expected to take alike."""


class Patience(NamedTuple):
    """The limits of a search of several cubes: seconds in all, and solutions in one cube."""

    seconds: float = float("inf")
    rows: float = float("inf")
    """The most solutions in one cube."""


ENDLESS = Patience()


def conquer(
    job: Job, cubes: Sequence[Cube], patience: Patience = ENDLESS, stop: threading.Event | None = None
) -> list[CubeResult]:
    """Search cubes one after another; return the results of the finished ones, in the same order.

    job: the model and the backend. patience: limits at which the search ends early; then the results are those of the
    first cubes, and a cube that is not finished has no result. stop: ends the search when set; None for no such event.

    Raises `Stopped` once the event is set. Raises `InputError` if the backend does not take the model.
    """
    stop = stop or threading.Event()
    deadline = Deadline(stop)
    answers: list[CubeResult] = []
    start = time.perf_counter()
    try:
        if job.tables is None:
            _make_ready(job, deadline)
        deadline.begin(patience.seconds)
        for rows, statistics in _search_cubes(job, cubes, patience.rows, deadline):
            ended = time.perf_counter()
            answers.append(CubeResult(rows, ended - start, statistics))
            start = ended
    except Stopped:
        if stop.is_set():
            raise
    if answers:
        answers[-1] = answers[-1]._replace(memory=peak_memory())  # once, as the system takes long to tell
    return answers


def _search_cubes(
    job: Job, cubes: Sequence[Cube], most_rows: float, stop: threading.Event
) -> Iterator[tuple[Rows, Mapping[str, int]]]:
    """Yield (solutions, figures) for each cube that is searched.

    The solutions are an array with the values of all variables, a row for each; the figures are statistics by name. The
    backend `cover` searches in tables, others in their own model. job: the model and the backend. most_rows: the most
    solutions in one cube. Raises `Stopped` if a cube has more, or once ``stop`` is set.
    """
    if job.tables is None:
        yield from _search_on_backend(job, cubes, most_rows, stop)
    else:
        for cube in cubes:
            yield _search_in_tables(job.tables, cube, most_rows, stop)


_ready = threading.local()
"""The last job's fingerprint and its backend, made once in a thread."""


def _make_ready(job: Job, stop: threading.Event) -> None:
    """Make the backend of a job in this thread, unless the thread's last job was the same.

    The thread keeps the backend, with a deadline of its own that each search attaches to its event. Raises `Stopped`
    once the event is set. Raises `InputError` if the backend does not take the model.
    """
    if getattr(_ready, "job", "") == job.fingerprint:
        return
    _ready.deadline = Deadline(stop)
    _ready.backend = make_backend(
        job.backend,
        Task(
            unpack_model(job.model),
            job.key,
            _ready.deadline,
            seed=job.seed,
            parameters=job.parameters,
            cover=job.cover,
            shown=job.shown,
        ),
    )
    _ready.job = job.fingerprint


def keep_ready(job: Job, backend: Backend, deadline: Deadline) -> None:
    """Have this thread search cubes of a job on a backend that is made already.

    job: the model and the backend. backend: the same, made ready for that model. deadline: ends its searches when set.
    """
    _ready.deadline, _ready.backend, _ready.job = deadline, backend, job.fingerprint


def ready_backend() -> Callable[[], None]:
    """Return a function that makes the backend of this thread that of the thread which calls the function.

    This thread is not to search on it any more.
    """
    state = dict(vars(_ready))
    return lambda: vars(_ready).update(state)


def _search_on_backend(
    job: Job, cubes: Sequence[Cube], most_rows: float, stop: threading.Event
) -> Iterator[tuple[Rows, Mapping[str, int]]]:
    """Yield (solutions, figures) for each cube, searched by the thread's own backend; see `_search_cubes`.

    job: the model and the backend. most_rows: the most solutions in one cube. The backend is made by `_make_ready`. Its
    statistics count from its making on, so a cube's figures are differences. If a search that is stopped half-way
    leaves it unusable, it is made anew for the next chunk.
    """
    backend: Backend = _ready.backend
    # The backend looks at the thread's deadline, which now ends with this search.
    _ready.deadline.stop = stop
    for cube in cubes:
        _ready.job = ""  # no job is ready if an error ends this search
        figures_before = dict(backend.statistics)
        gathered = CubeRows(most_rows)
        try:
            backend.enumerate(gathered.add, cube.literals)
        finally:
            if backend.can_go_on or not stop.is_set():
                _ready.job = job.fingerprint
        figures = {unit: count - figures_before.get(unit, 0) for unit, count in backend.statistics.items()}
        yield gathered.as_array(), figures


def _search_in_tables(
    tables: CoverTables, cube: Cube, most_rows: float, stop: threading.Event
) -> tuple[Rows, Mapping[str, int]]:
    """Return (solutions, figures) of one cube, searched by the backend `cover` in its tables.

    The solutions are an array with the values of all variables, a row for each; the figures are statistics by name.
    Raises `Stopped` if there are more than ``most_rows`` solutions, or once ``stop`` is set.
    """
    batches: list[Rows] = []
    number, nodes = 0, 0
    for batch in solutions(tables, stop, cube.literals):
        nodes += batch.nodes
        number += len(batch.solutions)
        if number > most_rows:
            raise Stopped
        batches.append(batch.solutions)
    rows = np.concatenate(batches) if batches else np.zeros((0, tables.variables), np.int8)
    return rows, {"nodes": nodes}
