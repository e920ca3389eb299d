"""Conquer cubes, here or in another process: what travels is data, never code.

A `Job` says how the cubes of one model are to be searched. It is sent along with each chunk of cubes; a worker makes
ready for it once.
"""

from __future__ import annotations

import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.backends.protocol import Backend
from solvers.backends.registry import backend_kind, backend_module
from solvers.cover.search import Outcome, Tables, leaves
from solvers.cubes.cube import Answer, Cube, Rows
from solvers.deadline import Deadline
from solvers.errors import Stopped
from solvers.values import AtMost, Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


FEW_OPTIONS = 12
"""Options left of a cover: with so many, solvers answer at once. On the 6x10 pentominoes they are asked 2034 times and
find a quarter of the solutions; with 25 options, 11,457 times and half of them, which takes three times as long."""


@dataclass(frozen=True)
class Job:
    """How the cubes of a model are searched.

    Where the model is an exact cover, its tables say what is left of it in a cube, and only that is given to the
    solver, as a model of its own: a few options instead of thousands. Else the whole model is, and the cube is assumed.
    """

    backend: str
    seed: int
    parameters: Mapping[str, str]
    key: tuple[int, ...]
    model: bytes
    """The model's proto as text, compressed; empty where there are tables."""

    tables: Tables | None = None

    @cached_property
    def fingerprint(self) -> str:
        """Tells whether two jobs are the same."""
        asked = repr((self.backend, self.seed, sorted(self.parameters.items()), self.key)).encode()
        return sha256(asked + self.model).hexdigest()

    def backend_for(self, model: CpModel, key: Sequence[int], stop: threading.Event) -> Backend:
        """The backend that searches a model."""
        kind, solver = backend_kind(self.backend)
        return kind(model, key, stop, solver=solver, seed=self.seed, parameters=self.parameters)


def packed(model: CpModel) -> bytes:
    """A model as it travels."""
    return zlib.compress(str(model.proto).encode())


def unpacked(data: bytes) -> CpModel:
    """The model that was packed."""
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    model.proto.parse_text_format(zlib.decompress(data).decode())
    return model


def compact(values: Values) -> NDArray[np.signedinteger[Any]]:
    """The values of a solution in as few bytes as hold them: models have thousands of variables, mostly Boolean.

    >>> compact([0, 1, 127]).dtype, compact([-129, 0]).dtype
    (dtype('int8'), dtype('int16'))
    """
    array = np.asarray(values, dtype=np.int64)
    least, greatest = int(array.min(initial=0)), int(array.max(initial=0))
    return array.astype(np.result_type(np.min_scalar_type(min(least, -1)), np.min_scalar_type(-1 - greatest)))


class CompactRows(AtMost):
    """Solutions in as few bytes as hold them."""

    def append(self, item: Values) -> None:
        """Add it at the end; raises `Stopped` where `AtMost` does."""
        super().append(compact(item))


class Patience(NamedTuple):
    """How much a chunk of cubes may take; then what is not finished comes back."""

    seconds: float = float("inf")
    rows: float = float("inf")
    """Solutions in one cube."""


ENDLESS = Patience()


def conquer(
    job: Job, cubes: Sequence[Cube], patience: Patience = ENDLESS, stop: threading.Event | None = None
) -> list[Answer]:
    """Search the cubes, one after another, as far as patience goes: the answers of those that were finished.

    Raises `Stopped` once the event is set.
    """
    stop = stop or threading.Event()
    deadline = Deadline(stop)
    deadline.begin(patience.seconds)
    answers: list[Answer] = []
    began = time.perf_counter()
    try:
        for rows, statistics in _searched(job, cubes, patience.rows, deadline):
            ended = time.perf_counter()
            answers.append(Answer(rows, ended - began, statistics, peak_memory()))
            began = ended
    except Stopped:
        if stop.is_set():
            raise
    return answers


def _searched(
    job: Job, cubes: Sequence[Cube], most_rows: float, stop: threading.Event
) -> Iterator[tuple[Rows, Mapping[str, int]]]:
    """Of each cube the solutions, and what the search took; raises `Stopped` where patience ends."""
    if job.tables is None:
        yield from _by_model(job, cubes, most_rows, stop)
    elif job.backend == "cover":
        for cube in cubes:
            yield _by_cover(job.tables, cube, most_rows, stop)
    else:
        yield from _by_parts(job, job.tables, cubes, most_rows, stop)


_ready = threading.local()
"""The last job's fingerprint and its backend, made once in a thread."""


def _by_model(
    job: Job, cubes: Sequence[Cube], most_rows: float, stop: threading.Event
) -> Iterator[tuple[Rows, Mapping[str, int]]]:
    if getattr(_ready, "job", "") != job.fingerprint:
        _ready.deadline = Deadline(stop)
        _ready.backend = job.backend_for(unpacked(job.model), job.key, _ready.deadline)
    backend: Backend = _ready.backend
    _ready.deadline.stop = stop
    for cube in cubes:
        _ready.job = ""
        before = dict(backend.statistics)
        found = CompactRows(most_rows)
        try:
            backend.enumerate(found.append, cube.literals)
        finally:
            if not stop.is_set():  # a search that is stopped half-way leaves its solver as it is
                _ready.job = job.fingerprint
        spent = {unit: count - before.get(unit, 0) for unit, count in backend.statistics.items()}
        yield np.array(found) if found else np.zeros((0, 0), np.int8), spent


def _by_cover(tables: Tables, cube: Cube, most_rows: float, stop: threading.Event) -> tuple[Rows, Mapping[str, int]]:
    found, nodes = AtMost(most_rows), 0
    for leaf in leaves(tables, stop, cube.literals):
        nodes += leaf.nodes
        if leaf.outcome is Outcome.SOLUTION:
            found.append(tables.values(leaf.cube))
    return np.array(found, dtype=np.int8), {"nodes": nodes}


def _by_parts(
    job: Job, tables: Tables, cubes: Sequence[Cube], most_rows: float, stop: threading.Event
) -> Iterator[tuple[Rows, Mapping[str, int]]]:
    """Each cube is split until few options are left, and the solver searches what there is."""
    kind, _, solver = job.backend.partition(":")
    enumerate_parts = backend_module(kind).enumerate_parts
    for cube in cubes:
        rows, statistics = AtMost(most_rows), Counter[str]()
        small: list[tuple[int, ...]] = []
        for leaf in leaves(tables, stop, cube.literals, FEW_OPTIONS):
            statistics["nodes"] += leaf.nodes
            if leaf.outcome is Outcome.SOLUTION:
                rows.append(tables.values(leaf.cube))
            elif leaf.outcome is Outcome.CUBE:
                small.append(leaf.cube)
        left_out = tables.left_out(cube.literals)
        parts = [tables.part(chosen, left_out) for chosen in small]
        found = enumerate_parts(parts, most_rows, stop, solver=solver, seed=job.seed, parameters=job.parameters)
        for literals, part, (chosen, spent) in zip(small, parts, found, strict=True):
            statistics.update(spent)
            for options in chosen:
                rows.append(tables.values([*literals, *(part.literals[option] for option in options)]))
        yield np.array(rows, dtype=np.int8) if rows else np.zeros((0, 0), np.int8), statistics


def peak_memory() -> int:
    """The most memory that this process has had, in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
