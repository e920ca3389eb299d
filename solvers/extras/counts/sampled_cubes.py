"""Predict a search by a sample of its cubes, each searched until it ends: for every model.

The space is split into disjoint cubes as for a search by several jobs. Some of them, drawn at random, are searched one
after another on one backend. Their mean, times the number of cubes, is an unbiased prediction of the solutions and of
the time, as long as every cube that is begun also ends.

References
----------
J.-C. Régin, M. Rezgui, A. Malapert, "Embarrassingly parallel search", CP 2013, doi:10.1007/978-3-642-40627-0_45
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean, stdev

from ortools.sat.python.cp_model import CpModel
from tabulate import tabulate

from models.puzzle import Puzzle
from solvers.backends.auto import BackendTrial
from solvers.backends.protocol import Task, ignore
from solvers.backends.registry import choose
from solvers.base.errors import InputError
from solvers.base.options import Options
from solvers.cubes.branch import SampleCubes, branch_plan
from solvers.cubes.conquer import Job, Patience, conquer
from solvers.cubes.cube import Cube
from solvers.model.reading import has_objective
from solvers.symmetry.breaking import for_search
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key

CUBES = 300
"""The number of cubes into which the space is split."""

SPLITTING_SHARE = 0.3
"""The share of the time after which cubes are not split any more."""

GROUPS = 10
"""The number of groups of probes, each with an average of its own, from which a lower bound follows."""

CERTAINTY = 0.95
"""The probability with which a lower bound holds, at least."""


@dataclass(frozen=True)
class Spread:
    """The mean of unbiased random values of at least 0."""

    mean: float
    error: float
    """The standard error of these values, which is too small where a few values carry most of the weight."""
    low: float = 0.0
    """A lower bound of the expected value, which holds with the probability `CERTAINTY` at least."""

    @classmethod
    def from_values(cls, values: list[float]) -> Spread:
        """Return the mean, its standard error and a lower bound for independent values, at least `GROUPS`.

        By Markov's inequality, an average exceeds c times the expected value with probability 1 / c at most, so that
        the least of n independent averages does with (1 / c)**n at most. For c = (1 - CERTAINTY)**(-1 / n), this is
        1 - CERTAINTY; otherwise the least average, divided by c, is a lower bound.
        """
        averages = [fmean(values[number::GROUPS]) for number in range(GROUPS)]  # n = GROUPS
        low = min(averages) * (1 - CERTAINTY) ** (1 / GROUPS)
        return cls(fmean(values), stdev(values) / len(values) ** 0.5, low)

    @classmethod
    def of_sample(cls, values: list[float], population: int) -> Spread:
        """Return the prediction of the sum of all values from those of a sample, drawn without repetition.

        Each value, times the size of the population, is an unbiased prediction by itself. The sum is exact if the
        sample is the whole population. population: the number of all values.
        """
        if len(values) == population:
            return cls(sum(values), 0.0, sum(values))
        return cls.from_values([value * population for value in values])

    def __str__(self) -> str:
        """Return the mean and the lower bound in words, as whole numbers."""
        return format(self)

    def __format__(self, spec: str) -> str:
        """Return the mean and the lower bound in words; an exact value, with both equal, is the number alone.

        spec: the format of each number, by default of whole numbers.
        """
        spec = spec or ",.0f"
        if self.mean == self.low:
            return format(self.mean, spec)
        return f"about {self.mean:{spec}}; at least {self.low:{spec}}, with {CERTAINTY:.0%} certainty"


@dataclass(frozen=True)
class SampleEstimate:
    """The predicted size and time of a search, by a sample of its cubes."""

    backend: str
    searched: int
    """The number of cubes in the sample, all of which were searched until they ended."""
    cubes: int
    solutions: Spread
    """The number of solutions that the search visits."""
    duration: Spread
    """The seconds that all cubes take on the backend and one processor, without the checks of the solutions."""

    @property
    def seconds(self) -> float:
        """The mean of `duration`."""
        return self.duration.mean

    def __str__(self) -> str:
        """Return the estimate as a table in text."""
        rows = [
            ("cubes", f"{self.searched} of {self.cubes}, drawn at random"),
            ("solutions visited", f"{self.solutions}"),
            (f"seconds on {self.backend}, one job", f"{self.duration:,.2g}, without the checks"),
        ]
        table = tabulate(rows, tablefmt="plain", disable_numparse=True)
        if self.searched == self.cubes:
            return f"{table}\nAll cubes were searched, so these numbers are those of a search in cubes."
        return f"{table}\nThe truth may be far above: a few cubes that were not drawn may hold most of the work."


def estimate_by_cubes(
    puzzle: Puzzle, model: CpModel, key: Key, group: Group, options: Options, stop: threading.Event, seconds: float
) -> SampleEstimate:
    """Predict the search for the solutions of a model that is no exact cover, symmetry breaking included.

    Cubes, parts of the space, are drawn without repetition and searched one by one until the time is over. model: the
    puzzle's with its givens. key, group: its key and symmetries. options: those of the run. seconds: the time for the
    sample. Raises `InputError` if the model has an objective or cannot be split, or if too few cubes end
    in the time; `Stopped` once the event is set.
    """
    if has_objective(model):
        raise InputError(f"{puzzle.name} asks for a best value, and the search for that cannot be predicted")
    broken = for_search(model, group, is_cover=False, stop=stop)  # the model with symmetry breaking, and its cases
    backend = _backend_name(broken.model, key, options, stop)
    job = Job(backend, options.seed, dict(options.solver_parameters), tuple(key.variables), b"")
    cases = [Cube(*case) for case in broken.cases]
    began = time.perf_counter()
    plan = branch_plan(broken.model, key.variables, job, CUBES, stop, cases, began + SPLITTING_SHARE * seconds)
    cubes = [part for part in plan.cubes() if isinstance(part, Cube)]  # others are solved while splitting
    Random(options.seed).shuffle(cubes)
    solutions = list[float]()
    times = list[float]()
    ends = began + seconds
    for cube in cubes:
        seconds_left = ends - time.perf_counter()
        # The result of the cube, with a row for each solution; empty if the search does not end in the time.
        results = conquer(plan.job, [cube], Patience(seconds_left), stop) if seconds_left > 0 else []
        if not results:
            break
        solutions.append(float(len(results[0].rows)))
        times.append(results[0].seconds)
    if len(times) < min(GROUPS, len(cubes)):
        raise InputError(
            f"{puzzle.name}: only {len(times)} of {len(cubes)} cubes ended in {seconds:.0f} s, too few for a "
            "prediction; allow more with `--time-limit S`"
        )
    counts, durations = (Spread.of_sample(values, len(cubes)) for values in (solutions, times))
    return SampleEstimate(backend, len(times), len(cubes), counts, durations)


def _backend_name(model: CpModel, key: Key, options: Options, stop: threading.Event) -> str:
    """Return the name of the backend that a run takes: the one of the options, or the choice of a short trial.

    In the trial, each backend searches a few cubes, and the fastest is chosen.
    """
    choice = choose(options.backend, model, None, options.solver_parameters)  # None: the model is no exact cover
    if not choice.is_tried:
        return choice.backend
    task = Task(model, key.variables, stop, seed=options.seed, parameters=options.solver_parameters)
    trial = BackendTrial(task, partial(SampleCubes, key=key.variables))
    return trial.run(ignore, further_seconds=lambda _: 0.0, chosen=lambda _: None).backend.name
