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
from solvers.cover import Part, Tables

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
        return [_conquer_part(job, job.tables, cube, stop) for cube in cubes]
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


def _conquer_part(job: Job, tables: Tables, cube: Cube, stop: threading.Event) -> Answer:
    began = time.perf_counter()
    part = tables.part(cube.literals)
    kind, _, solver = job.backend.partition(":")
    if kind == "sat":
        from solvers.sat import enumerate_part

        chosen, statistics = enumerate_part(part, solver, stop, job.parameters)
    else:
        chosen, statistics = _enumerate_part(job, part, stop)
    rows = np.zeros((len(chosen), tables.variables), dtype=np.int8)
    for row, options in zip(rows, chosen, strict=True):
        literals = [*cube.literals, *(part.literals[option] for option in options)]
        row[[literal for literal in literals if literal >= 0]] = 1
    return Answer(rows, time.perf_counter() - began, statistics, peak_memory())


def _enumerate_part(job: Job, part: Part, stop: threading.Event) -> tuple[list[list[int]], Mapping[str, int]]:
    """The solutions of a small exact cover, each the options chosen, and what the search took."""
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    options = [model.new_bool_var("") for _ in part.literals]
    for item in part.items:
        model.add_exactly_one(options[option] for option in item)
    for a, b in part.exclusions:
        model.add_bool_or(~options[a], ~options[b])
    backend = job.backend_for(model, range(len(options)), stop)
    found: list[Values] = []
    backend.enumerate(found.append)
    return [[option for option, value in enumerate(values) if value] for values in found], backend.statistics


def peak_memory() -> int:
    """The most memory that this process has had, in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
