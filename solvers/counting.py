"""Counts an exact cover's solutions, all and up to symmetry, without listing them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from solvers.backend import Stopped
from solvers.burnside import count_orbits, option_images
from solvers.exact_cover import ExactCover
from solvers.frontier import GIGABYTE, Frontier, OverBudget
from solvers.instance import Instance
from solvers.symmetry import Group

FREE_SHARE = 0.8
"""Of the memory that is free, what a count may take if nobody says how much."""


class Tally(NamedTuple):
    """How far a count has come."""

    statistics: Mapping[str, int]
    memory: Mapping[str, int]
    solutions: int = 0
    total: int = 0


class Counting:
    """The question how many solutions a cover has; each symmetry has been seen to be one of the cover itself."""

    name = "cover"

    def __init__(
        self, cover: ExactCover, group: Group, stop: threading.Event, jobs: int, gigabytes: float | None
    ) -> None:
        self._cover = cover
        self._group = group
        self._stop = stop
        self._jobs = jobs
        self._budget = int(gigabytes * GIGABYTE) if gigabytes else int(FREE_SHARE * free_memory())
        self.size = {"items": len(cover.items) + len(cover.optional), "options": cover.options}

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count, and tell a few times a second how far it is; raises `Stopped` and `frontier.OverBudget`."""
        whole: list[Frontier] = []
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
            return Tally(statistics, {"states": frontier.peak_bytes})

        def tell_sometimes() -> None:
            nonlocal told
            if time.perf_counter() - told > 0.2:
                tell(tally())
                told = time.perf_counter()

        def count(part: Instance) -> int:
            frontier = Frontier(part, self._stop, budget=self._budget, jobs=self._jobs)
            if not whole:
                whole.append(frontier)
            return frontier.count(tell_sometimes)

        try:
            solutions, total = count_orbits(self._cover, self._group, count)
        except (OverBudget, Stopped):
            tell(tally())
            raise
        return tally()._replace(solutions=solutions, total=total)


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
