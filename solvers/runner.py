"""Build, break symmetry, search, check, count: one run of one puzzle on one backend."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from models.puzzle import Puzzle
from solvers.backend import Backend, CheckFailed, Refused, Stopped, Values
from solvers.evaluate import Evaluator
from solvers.key import Decoded, Encoded, Key
from solvers.report import Report
from solvers.symmetry import Group, WrongSymmetry, break_symmetry

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

GRACE = 1.0
"""Seconds that a search which was told to stop is given to do so; then it is left behind."""

BATCH = 256
"""Solutions that are checked at a time, where they come fast."""


@dataclass(frozen=True)
class Options:
    """What a run is asked for besides the puzzle."""

    backend: str = "auto"
    """auto, cp-sat, sat, sat:NAME or cover."""
    all: bool = False
    """Break no symmetry."""
    limit: int | None = None
    """End at so many solutions (up to symmetry, unless all)."""
    time_limit: float | None = None
    """End after so many seconds."""
    seed: int = 0
    solver_parameters: Mapping[str, str] = field(default_factory=dict)
    """Handed to the solver as they are."""


@dataclass(frozen=True)
class Prepared:
    """A puzzle made ready to be searched."""

    puzzle: Puzzle
    model: CpModel
    key: Key
    group: Group
    is_broken: bool
    """Whether the search meets one solution of each orbit; else the least images are picked out of all it meets."""
    evaluator: Evaluator
    has_objective: bool
    backend: Backend
    extend: Callable[[Sequence[Encoded]], list[Values | None]]
    """The values of all variables of the model in the solutions that have these keys; None where there is none."""


class Run:
    """One run: iterate over it for the solutions up to symmetry, each as soon as it is found; the report grows along.

    Each orbit is shown by its least image. Every solution, and every image of one, is checked before it is shown.
    Declaring, preparing and searching happen in a thread of their own, so that `stop` is heeded whatever a solver does.

    Raises, while it is iterated over: what declaring the puzzle raises; `Refused` for what cannot be done;
    `CheckFailed` and `WrongSymmetry` for what should never happen.
    """

    def __init__(self, name: str, declare: Callable[[], Puzzle], options: Options) -> None:
        self.report = Report(name, backend=options.backend)
        self.prepared: Prepared | None = None
        self._declare = declare
        self._options = options
        self._stop = threading.Event()
        self._messages: queue.Queue[Any] = queue.Queue(maxsize=16 * BATCH)
        self._orbits: dict[Encoded, Encoded] = {}  # the least image of each, and the one that was visited
        self._visited: set[Encoded] = set()  # only without symmetry breaking, where an orbit is visited often
        self._began = time.perf_counter()
        self._spent_outside = 0.0
        self._ended = False
        self.thread = threading.Thread(target=self._work, daemon=True)

    def stop(self, reason: str) -> None:
        """End the run early; the report says why."""
        self.report.stopped_by = self.report.stopped_by or reason
        self._stop.set()

    def in_order(self) -> list[Encoded]:
        """The least images of all orbits found so far, in key order."""
        return sorted(self._orbits)

    def __iter__(self) -> Iterator[Decoded | None]:
        """Each new solution, and None a few times a second while there is none."""
        self.thread.start()
        give_up = float("inf")
        while not self._ended:
            if self._options.time_limit is not None and self._elapsed() > self._options.time_limit:
                self.stop("the time limit")
            if self._stop.is_set():
                give_up = min(give_up, time.perf_counter() + GRACE)
            if time.perf_counter() > give_up:
                break
            found = self._received()
            for solution in self._new(found):
                left = time.perf_counter()
                yield solution
                self._spent_outside += time.perf_counter() - left
            if not found:
                yield None
            self.report.seconds["all"] = self._elapsed() - self._spent_outside
        if self.report.complete:
            self.report.stopped_by = ""
            self._check_orbits()

    def _elapsed(self) -> float:
        return time.perf_counter() - self._began

    def _work(self) -> None:
        """What the other thread does; everything it has to say goes through the queue, None at the end."""
        try:
            prepared = _prepare(self._declare(), self._options, self._stop)
            self._send(prepared)
            if not prepared.has_objective or prepared.backend.optimum() is not None:
                prepared.backend.enumerate(self._send)
            self._send(None)
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            self._messages.put(error)

    def _send(self, message: Any) -> None:
        while True:
            try:
                return self._messages.put(message, timeout=0.1)
            except queue.Full:
                if self._stop.is_set():
                    raise Stopped from None

    def _received(self) -> list[Values]:
        """What was found since the last call, at most a batch; waits a moment if there is nothing."""
        found: list[Values] = []
        try:
            message = self._messages.get(timeout=0.1)
            while True:
                if isinstance(message, Prepared):
                    self._start(message)
                elif message is None:
                    self._ended = self.report.complete = True
                elif isinstance(message, Stopped):
                    self._ended = True
                elif isinstance(message, BaseException):
                    raise message
                else:
                    found.append(message)
                if self._ended or len(found) == BATCH:
                    break
                message = self._messages.get_nowait()
        except queue.Empty:
            pass
        return found

    def _start(self, prepared: Prepared) -> None:
        self.prepared = prepared
        report = self.report
        report.parameters = prepared.puzzle.parameters
        report.backend, report.model = prepared.backend.name, dict(prepared.backend.size)
        report.symmetries = prepared.group.order
        report.seconds["build"] = self._elapsed()

    def _new(self, found: Sequence[Values]) -> list[Decoded]:
        """Count what was found; the orbits that are new, checked."""
        if not found or self.prepared is None:
            return []
        prepared, report = self.prepared, self.report
        if report.seconds["first"] is None:
            report.seconds["first"] = self._elapsed() - self._spent_outside
        rows = np.array(found, dtype=np.int64)[:, : len(prepared.model.proto.variables)]
        new: dict[Encoded, list[Encoded]] = {}
        for values, violated in zip(rows, prepared.evaluator.violations(rows), strict=True):
            solution = prepared.key.encode(values)
            if violated:
                raise CheckFailed(f"{report.backend} found {self._shown(solution)}, which violates {violated}")
            if self._is_full():
                report.complete = False
                break
            images = prepared.group.images(solution)
            if self._is_new(solution, images):
                new[images[0]] = images
                self._orbits[images[0]] = solution
                report.solutions += 1
        self._check(new.values())
        if self._is_full() and not report.complete:
            self.stop("the limit")
            self._ended = True
        solutions = [prepared.key.decode(least) for least in new]
        if prepared.puzzle.feature:
            for feature in map(prepared.puzzle.feature, solutions):
                report.features[feature] = report.features.get(feature, 0) + 1
        return solutions

    def _is_full(self) -> bool:
        count = self.report.total if self._options.all else self.report.solutions
        return self._options.limit is not None and count >= self._options.limit

    def _is_new(self, solution: Encoded, images: Sequence[Encoded]) -> bool:
        """Whether the solution is the first of its orbit, or the one that stands for it; counts it."""
        assert self.prepared is not None
        visited = self._orbits.get(images[0])
        if solution == visited or solution in self._visited:
            self.report.repeats += 1
        elif self._options.all:
            self._visited.add(solution)
            self.report.total += 1
        elif not self.prepared.is_broken and solution != images[0]:
            return False
        elif visited is None:
            self.report.total += len(images)
        else:
            raise CheckFailed(f"{self._shown(solution)} was found besides its image {self._shown(visited)}")
        return visited is None

    def _check(self, orbits: Collection[Sequence[Encoded]]) -> None:
        """Hold every image of every solution against the model's constraints and the puzzle's rules."""
        prepared, report = self.prepared, self.report
        assert prepared is not None
        images = [(image, orbit) for orbit in orbits for image in orbit]
        rows = prepared.extend([image for image, _ in images])
        solved = [row for row in rows if row is not None]
        violations = iter(prepared.evaluator.violations(np.array(solved, dtype=np.int64)) if solved else [])
        for (image, orbit), values in zip(images, rows, strict=True):
            violated = "the model" if values is None else next(violations)
            if violated is None and prepared.puzzle.is_solution:
                violated = None if prepared.puzzle.is_solution(prepared.key.decode(image)) else "is_solution"
            if violated is None and values is not None and prepared.has_objective:
                objective = prepared.evaluator.objective(values)
                if report.objective is None:
                    report.objective = objective
                violated = None if objective == report.objective else f"the best value, {report.objective}"
            if violated:
                self._blame(image, orbit, violated)
            report.checked += 1

    def _blame(self, image: Encoded, orbit: Sequence[Encoded], violated: str) -> None:
        """Raise an error that says why the image of a solution is none."""
        prepared = self.prepared
        assert prepared is not None
        visited = self._orbits[orbit[0]]
        if image == visited:
            raise CheckFailed(f"{self._shown(image)} solves the model, but violates {violated}")
        names = prepared.group.blame(orbit, image)
        raise WrongSymmetry(f"{names} carries solutions to {self._shown(image)}, which violates {violated}")

    def _check_orbits(self) -> None:
        """A complete search that breaks no symmetry has to find every image of every solution."""
        prepared, report = self.prepared, self.report
        if prepared is not None and self._options.all:
            expected = sum(len(prepared.group.images(solution)) for solution in self._orbits)
            if expected != report.total:
                raise CheckFailed(
                    f"{report.total} solutions were found, but their images under the symmetries are {expected}"
                )

    def _shown(self, solution: Encoded) -> str:
        assert self.prepared is not None
        return str(dict(self.prepared.key.decode(solution)))


def _prepare(puzzle: Puzzle, options: Options, stop: threading.Event) -> Prepared:
    from ortools.sat.python.cp_model import CpModel

    if isinstance(puzzle.model, CpModel):
        model, variables = puzzle.model, puzzle.key
    else:
        from solvers.lift import lift

        model, variables = lift(puzzle.model), {label: number - 1 for label, number in puzzle.key.items()}
    if invalid := model.validate():
        raise Refused(f"{puzzle.name}: OR-Tools does not accept the model: {invalid.splitlines()[0]}")
    key = Key(model, variables)
    group = Group(key, puzzle.symmetries)
    kind, solver = backend_kind(options.backend, model)

    def made(searched: CpModel) -> Backend:
        parameters = options.solver_parameters
        return kind(searched, key.variables, stop, solver=solver, seed=options.seed, parameters=parameters)

    try:
        backend, is_broken = made(break_symmetry(model, group) if not options.all else model), not options.all
    except Refused:
        if options.all or group.order == 1:
            raise
        backend, is_broken = made(model), False
    has_objective = model.proto.has_objective() or model.proto.has_floating_point_objective()
    extend = _extension(model, key, stop)
    return Prepared(puzzle, model, key, group, is_broken, Evaluator(model), has_objective, backend, extend)


def _extension(model: CpModel, key: Key, stop: threading.Event) -> Callable[[Sequence[Encoded]], list[Values | None]]:
    variables = len(model.proto.variables)
    if set(key.variables) >= set(range(variables)):
        return lambda solutions: list(key.spread(solutions, variables))
    from solvers.cp_sat import CpSat
    from solvers.sat import Sat

    try:
        backend: Backend = Sat(model, key.variables, stop)
    except Refused:
        backend = CpSat(model, key.variables, stop)
    return lambda solutions: [
        backend.extend(dict(zip(key.variables, key.values(solution), strict=True))) for solution in solutions
    ]


def backend_kind(name: str, model: CpModel | None = None) -> tuple[type[Backend], str]:
    """The class that answers to a backend's name, and the solver it is to use; for auto the model decides.

    Raises `Refused` if there is no backend of that name.
    """
    if name == "auto" and model is not None:
        proto = model.proto
        boolean = all(v.domain[0] >= 0 and v.domain[len(v.domain) - 1] <= 1 for v in proto.variables)
        plain = boolean and not proto.has_objective() and not proto.has_floating_point_objective()
        name = "sat" if plain else "cp-sat"
    kind, _, solver = name.partition(":")
    if name == "cp-sat":
        from solvers.cp_sat import CpSat

        return CpSat, ""
    if kind == "sat":
        from solvers.sat import Sat, solver_names

        if solver and solver not in solver_names():
            raise Refused(f"there is no SAT solver {solver!r} here; choose one of {', '.join(solver_names())}")
        return Sat, solver
    if name == "cover":
        from solvers.cover import Cover

        return Cover, ""
    raise Refused(f"there is no backend {name!r}; choose auto, cp-sat, sat, sat:NAME or cover (see --list-backends)")
