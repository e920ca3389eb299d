"""Predict a search before it is begun: random probes of its tree.

A probe goes down the tree and takes one of a node's d children at random; each node on its way stands for as many nodes
as the product of the d above it. The average over probes is unbiased, and its spread says how far it is to be trusted:
D. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, stdev

import numpy as np
from tabulate import tabulate

from solvers.cover.search import Tables, first_level, kernel, leaves
from solvers.errors import Stopped

PROBES = 2000

SECONDS = 5.0
"""No more probes are made after so many, unless others are said, if there were some."""

FEWEST = 30
"""Probes without which nothing is said."""

TRIAL = 0.1
"""The part of the time of the probes for which the search itself is let go on besides, which tells a node's time."""


@dataclass(frozen=True)
class Spread:
    """An average, and how far it may be off: the standard error of its mean."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """Of independent values, at least two."""
        return cls(fmean(values), stdev(values) / len(values) ** 0.5)


@dataclass(frozen=True)
class Estimate:
    """What a search will take."""

    probes: int
    nodes: Spread
    solutions: Spread
    """Those that the search visits."""
    seconds: float
    """On cover and one processor, by the speed of its first moments."""

    def as_table(self) -> str:
        """For people."""
        rows = [
            ("nodes", f"{self.nodes.mean:,.0f} ± {self.nodes.error:,.0f}"),
            ("solutions visited", f"{self.solutions.mean:,.0f} ± {self.solutions.error:,.0f}"),
            ("seconds on cover, one job", f"{self.seconds:,.1f}"),
            ("random probes", f"{self.probes}"),
        ]
        return tabulate(rows, tablefmt="plain", disable_numparse=True)


def estimate(
    tables: Tables,
    seed: int,
    stop: threading.Event,
    cases: Sequence[Sequence[int]] = ((),),
    patience: float = SECONDS,
) -> Estimate:
    """Predict the search of an exact cover, of these parts of it, with probes for so many seconds.

    Raises `Stopped` once the event is set.
    """
    rng = random.Random(seed)
    began = time.perf_counter()
    probes: list[tuple[float, float]] = []
    while len(probes) < PROBES and (len(probes) < FEWEST or time.perf_counter() - began < patience):
        if stop.is_set():
            raise Stopped
        probes.append(_probe(tables, rng, cases))
    nodes, solutions = (Spread.of(list(values)) for values in zip(*probes, strict=True))
    return Estimate(
        len(probes), nodes, solutions, nodes.mean * _seconds_of_a_node(tables, stop, cases, TRIAL * patience)
    )


def _probe(tables: Tables, rng: random.Random, cases: Sequence[Sequence[int]]) -> tuple[float, float]:
    """For how many nodes those on one way down stand, and for how many solutions its end; as `bitsets` searches."""
    levels = first_level(tables, cases[rng.randrange(len(cases))])
    if levels.counters[0] < 0:
        return 0.0, 0.0
    available, open_items = levels.available[0], levels.open_items[0, : levels.open_count[0]]
    used = levels.used[0]
    nodes = weight = float(len(cases))
    while True:
        if (used + np.bitwise_count(tables.counted & available).sum(axis=1) < tables.bounds[:, 0]).any():
            return nodes, 0.0
        if not len(open_items):
            return nodes, weight
        left = tables.rows[open_items] & available
        counts = np.bitwise_count(left).sum(axis=1)
        fewest = int(counts.min())
        if fewest == 0:
            return nodes, 0.0
        options = np.flatnonzero(np.unpackbits(left[counts.argmin()].view(np.uint8), bitorder="little"))
        option = int(options[rng.randrange(fewest)])
        if fewest > 1:
            weight *= fewest
            nodes += weight
        used = used + ((tables.counted[:, option >> 6] >> np.uint64(option & 63)).astype(np.int64) & 1)
        full = np.bitwise_or.reduce(tables.counted[used == tables.bounds[:, 1]])
        available = available & tables.keep[option] & ~full
        open_items = np.setdiff1d(open_items, tables.items[option])


def _seconds_of_a_node(tables: Tables, stop: threading.Event, cases: Sequence[Sequence[int]], patience: float) -> float:
    kernel()
    began, nodes = time.perf_counter(), 0
    for leaf in chain.from_iterable(leaves(tables, stop, case) for case in cases):
        nodes += leaf.nodes
        if nodes and time.perf_counter() - began > patience:
            break
    return (time.perf_counter() - began) / max(nodes, 1)
