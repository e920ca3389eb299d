"""Conquer cubes, here or in another process: what travels is data, never code.

A `Job` says how the cubes of one model are to be searched. It is sent along with each handful of cubes; a worker makes
ready for it once.
"""

from __future__ import annotations

import sys
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.backend import Backend, Values, backend_kind
from solvers.cover import Tables

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


class Cube(NamedTuple):
    """A part of the space."""

    literals: tuple[int, ...]
    """What holds in it, as literals of the model."""

    weight: float
    """Its share of the space, by the branches on its path (D. Knuth, Mathematics of Computation 29, 1975)."""


class Answer(NamedTuple):
    """What a cube holds."""

    rows: NDArray[np.int8] | NDArray[np.int64]
    """The values of all variables, a row for each solution; int8 where they are Boolean."""

    seconds: float
    statistics: Mapping[str, int]
    memory: int
    """The most bytes that this process has had."""


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


def conquer(job: Job, cubes: Sequence[Cube], stop: threading.Event | None = None) -> list[Answer]:
    """Search the cubes, one after another.

    Raises `Stopped` once the event is set.
    """
    stop = stop or threading.Event()
    if job.tables:
        return _conquer_parts(job, job.tables, cubes, stop)
    backend = _ready(job, stop)
    return [_conquer_whole(backend, cube) for cube in cubes]


_backends: dict[str, Backend] = {}


def _ready(job: Job, stop: threading.Event) -> Backend:
    """The backend for a job, made once in a process."""
    if job.fingerprint not in _backends:
        _backends.clear()
        _backends[job.fingerprint] = job.backend_for(unpacked(job.model), job.key, stop)
    return _backends[job.fingerprint]


def _conquer_whole(backend: Backend, cube: Cube) -> Answer:
    began, before = time.perf_counter(), dict(backend.statistics)
    found: list[Values] = []
    backend.enumerate(found.append, cube.literals)
    spent = {unit: count - before.get(unit, 0) for unit, count in backend.statistics.items()}
    rows = np.array(found, dtype=np.int64)
    return Answer(rows, time.perf_counter() - began, spent, peak_memory())


def _conquer_parts(job: Job, tables: Tables, cubes: Sequence[Cube], stop: threading.Event) -> list[Answer]:
    parts = [tables.part(cube.literals) for cube in cubes]
    kind, _, solver = job.backend.partition(":")
    if kind == "sat":
        from solvers import sat

        found = sat.enumerate_parts(parts, solver, stop, job.parameters)
    else:
        from solvers import cp_sat

        found = cp_sat.enumerate_parts(parts, stop, job.seed, job.parameters)
    answers, began = [], time.perf_counter()
    for cube, part, (chosen, statistics) in zip(cubes, parts, found, strict=True):
        rows = np.zeros((len(chosen), tables.variables), dtype=np.int8)
        for row, options in zip(rows, chosen, strict=True):
            literals = [*cube.literals, *(part.literals[option] for option in options)]
            row[[literal for literal in literals if literal >= 0]] = 1
        ended = time.perf_counter()
        answers.append(Answer(rows, ended - began, statistics, peak_memory()))
        began = ended
    return answers


def peak_memory() -> int:
    """The most memory that this process has had, in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
