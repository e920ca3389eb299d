"""Counts an exact cover's solutions, all and up to symmetry, without listing them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solvers.counting.backward import Backward
from solvers.counting.burnside import classes, count_orbits, option_images
from solvers.counting.checkpoints import Checkpoints
from solvers.counting.frontier import GIGABYTE, Frontier
from solvers.counting.reduced_cover import Instance
from solvers.cover.exact_cover import ExactCover
from solvers.errors import BudgetError, Stopped
from solvers.symmetry import conjugacy
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Encoded

FREE_SHARE = 0.8
"""Of the memory that is free, what a count may take if nobody says how much."""


class Tally(NamedTuple):
    """How far a count has come."""

    statistics: Mapping[str, int]
    memory: Mapping[str, int]
    solutions: int = 0
    total: int = 0
    marginals: Sequence[int] | None = None
    """Of each literal of the key, by its number, how many solutions hold it; if that was asked for."""
    samples: Sequence[Encoded] = ()
    resumed: int = 0
    """How many layers an earlier run had done."""
    objective: int | float | None = None
    """The best value, if the model asks for one."""


class Asked(NamedTuple):
    """What a count has to say besides the numbers of solutions."""

    marginals: bool
    """How many solutions hold each literal of the key."""
    sample: int
    """So many solutions, drawn by rng."""
    seed: int

    @property
    def looks_back(self) -> bool:
        """Whether all layers are gone through once more."""
        return self.marginals or self.sample > 0


class Counting:
    """The question how many solutions a cover has; each symmetry has been seen to be one of the cover itself."""

    name = "cover"
    method = "frontier"

    store: Checkpoints | None = None
    """Remembers what was counted, once it is opened."""

    def __init__(
        self,
        cover: ExactCover,
        group: Group,
        stop: threading.Event,
        jobs: int,
        gigabytes: float | None,
        asked: Asked,
        file: str | None,
        identity: Mapping[str, str],
    ) -> None:
        """``file`` is to hold the store, if there is to be one; ``identity`` says what that is of."""
        self._cover = cover
        self._group = group
        self._stop = stop
        self._jobs = jobs
        self._asked = asked
        self._file = file
        self._identity = identity
        self._budget = int(gigabytes * GIGABYTE) if gigabytes else int(FREE_SHARE * free_memory())
        self.size = {"items": len(cover.items) + len(cover.optional), "options": cover.options}

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count, and tell a few times a second how far it is; raises `Stopped` and `frontier.BudgetError`."""
        whole: list[Frontier] = []
        others: list[int] = []  # states of the solutions that a class leaves unchanged
        marginals: Sequence[int] | None = None
        samples: Sequence[Encoded] = ()
        told = 0.0

        def tally() -> Tally:
            (frontier,) = whole
            statistics = {
                "width": frontier.layout.width,
                "layers": frontier.layout.layers,
                "layers_done": frontier.layer,
                "states": frontier.states,
                "peak_states": frontier.peak,
            }
            if others:
                statistics |= {"classes": 1 + len(others), "states_of_classes": sum(others)}
            return Tally(statistics, {"states": frontier.peak_bytes}, resumed=self.store.resumed if self.store else 0)

        def tell_sometimes() -> None:
            nonlocal told
            if time.perf_counter() - told > 0.2:
                tell(tally())
                told = time.perf_counter()

        def count(part: Instance) -> int:
            nonlocal marginals, samples
            if whole:
                frontier = Frontier(part, self._stop, budget=self._budget, jobs=self._jobs)
                unchanged = frontier.count(tell_sometimes)
                others.append(frontier.states)
                return unchanged
            frontier = Frontier(part, self._stop, budget=self._budget, jobs=self._jobs, keep=self._asked.looks_back)
            whole.append(frontier)
            if self._file is None:
                total = frontier.count(tell_sometimes)
            else:
                self.store = Checkpoints(self._file, self._identity, self._jobs, frontier)
                self.store.restore()
                total = frontier.count(tell_sometimes, self.store.layer_done)
            if self._asked.looks_back:
                backward = Backward(frontier, total, tell_sometimes)
                marginals = self._of_literals(part, backward.uses(), total)
                samples = [
                    self._encoded(part, options) for options in backward.sample(self._asked.sample, self._asked.seed)
                ]
                frontier.done.clear()
            return total

        try:
            group = self._group
            among = classes(group) if group.is_listed else conjugacy.classes(group, self._stop)
            solutions, total = count_orbits(self._cover, group, among, count)
        except (BudgetError, Stopped):
            if whole:
                tell(tally())
            raise
        return tally()._replace(solutions=solutions, total=total, marginals=marginals, samples=samples)

    def _of_literals(self, part: Instance, uses: Sequence[int], total: int) -> list[int]:
        """The number of solutions that hold each literal of the key."""
        of_variable = [0] * self._cover.options
        for members, count in [*zip(part.members, uses, strict=True), (part.chosen, total)]:
            for option in members:
                of_variable[option] = count
        key = self._group.key
        literals = map(key.literal, range(key.size))
        counts = ((of_variable[key.variables[position]], value) for position, value in literals)
        return [count if value else total - count for count, value in counts]

    def _encoded(self, part: Instance, options: Sequence[int]) -> Encoded:
        """The solution in which these options of the part are chosen."""
        values = np.zeros(self._cover.options, dtype=np.int64)
        values[[member for option in options for member in part.members[option]]] = 1
        values[list(part.chosen)] = 1
        return self._group.key.encode(values[: self._cover.variables])


def has_symmetries(cover: ExactCover, group: Group) -> bool:
    """Whether the cover itself, item by item, has the group's symmetries, and not only its solutions may have them."""
    return all(option_images(cover, group.key, generator) for generator in group.generators)


def free_memory() -> int:
    """How many bytes this machine has free; half of what it has where it does not say."""
    free = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        control_group = Path("/sys/fs/cgroup")
        limit = (control_group / "memory.max").read_text(encoding="ascii").strip()
        if limit != "max":
            free.append(int(limit) - int((control_group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):
        pass
    if free:
        return min(free)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 2 * GIGABYTE
