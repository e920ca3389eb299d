"""All solutions of an exact cover as the paths of a graph: what a count by layers has gone through.

Nodes are states that are reached and completed, edges are options. A path from the first node to the last is a
solution, and each solution is one path. What is asked of some of the solutions is a pass over the edges.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.extras.counting.backward import Backward
from solvers.extras.counting.frontier import Frontier

Numbers = NDArray[Any]

MAX_MACHINE_NUMBER = 2**62
"""Counts beyond are added as Python's own numbers, which is slower."""


class Diagram:
    """A graph whose paths from the first node to the last are the solutions of an exact cover.

    Nodes are numbered layer by layer, so that edges lead from lower numbers to higher ones. In all methods, ``allowed``
    has 1 for each option that may be chosen and 0 for the others.
    """

    def __init__(self, sources: Numbers, targets: Numbers, options: Numbers, layers: Numbers, total: int) -> None:
        """Index the edges by their ends.

        sources, targets, options: the source, target and option of each edge, ordered by target. layers: the first node
        of each layer, and the number of nodes at the end. total: the number of all solutions.
        """
        self.sources, self.targets, self.options, self.layers, self.total = sources, targets, options, layers, total
        nodes = int(layers[-1])
        self._into = np.searchsorted(targets, np.arange(nodes + 1))
        self._order = np.argsort(sources, kind="stable")
        self._out = np.searchsorted(sources[self._order], np.arange(nodes + 1))
        self._kind = np.int64 if total < MAX_MACHINE_NUMBER else object

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(self.layers[-1])

    def ways(self, allowed: Numbers) -> Numbers:
        """Return, for each node, the number of paths to it from the first node by allowed options."""
        ways = np.zeros(self.nodes, dtype=self._kind)
        if not self.nodes:
            return ways
        ways[0] = 1
        passing = allowed[self.options].astype(self._kind)
        for first, end in self._layers(1, 1):
            edges = slice(self._into[first], self._into[end])
            values = ways[self.sources[edges]] * passing[edges]
            ways[first:end] = np.add.reduceat(values, self._into[first:end] - self._into[first])
        return ways

    def completions(self, allowed: Numbers) -> Numbers:
        """Return, for each node, the number of paths from it to the last node by allowed options."""
        completions = np.zeros(self.nodes, dtype=self._kind)
        if not self.nodes:
            return completions
        completions[-1] = 1
        targets = self.targets[self._order]
        passing = allowed[self.options[self._order]].astype(self._kind)
        for first, end in reversed(self._layers(0, -1)):
            edges = slice(self._out[first], self._out[end])
            values = completions[targets[edges]] * passing[edges]
            completions[first:end] = np.add.reduceat(values, self._out[first:end] - self._out[first])
        return completions

    def count(self, allowed: Numbers) -> int:
        """Return the number of solutions all of whose options are allowed."""
        return int(self.ways(allowed)[-1]) if self.nodes else 0

    def uses(self, allowed: Numbers) -> list[int]:
        """Return, for each option, the number of solutions that contain it.

        Only solutions all of whose options are allowed count. allowed: 1 or 0 for each option.
        """
        uses = np.zeros(len(allowed), dtype=self._kind)
        through = self.ways(allowed)[self.sources] * self.completions(allowed)[self.targets]
        np.add.at(uses, self.options, through * allowed[self.options].astype(self._kind))
        return [int(number) for number in uses]

    def sample(self, allowed: Numbers, count: int, seed: int) -> list[list[int]]:
        """Draw solutions of allowed options uniformly at random; return the option numbers of each.

        The list is empty if there is no solution. count: how many to draw, with repetition.
        """
        completions, rng = self.completions(allowed), random.Random(seed)
        drawn: list[list[int]] = []
        for _ in range(count if self.nodes and completions[0] else 0):
            node, taken = 0, list[int]()
            while node < self.nodes - 1:
                edges = self._order[self._out[node] : self._out[node + 1]]
                edges = edges[allowed[self.options[edges]] > 0]
                bounds = list(accumulate(int(completions[target]) for target in self.targets[edges]))
                edge = edges[bisect_right(bounds, rng.randrange(bounds[-1]))]
                taken.append(int(self.options[edge]))
                node = int(self.targets[edge])
            drawn.append(taken)
        return drawn

    def by_sum(self, allowed: Numbers, weights: Numbers) -> dict[int, int]:
        """Return the number of solutions of allowed options for each sum of their weights.

        weights: the weight of each option, at least 0.
        """
        if not self.nodes:
            return {}
        of_edge, passing = weights[self.options], allowed[self.options] > 0
        most = np.zeros(self.nodes, dtype=np.int64)
        for first, end in self._layers(1, 1):
            edges = slice(self._into[first], self._into[end])
            values = most[self.sources[edges]] + of_edge[edges]
            most[first:end] = np.maximum.reduceat(values, self._into[first:end] - self._into[first])
        size = int(most[-1]) + 1
        ways = np.zeros((self.nodes, size), dtype=self._kind)
        ways[0, 0] = 1
        for first, end in self._layers(1, 1):
            edges = slice(self._into[first], self._into[end])
            values = np.zeros((edges.stop - edges.start, size), dtype=self._kind)
            for weight in np.unique(of_edge[edges]).tolist():
                some = passing[edges] & (of_edge[edges] == weight)
                values[some, weight:] = ways[self.sources[edges][some], : size - weight]
            ways[first:end] = np.add.reduceat(values, self._into[first:end] - self._into[first], axis=0)
        return {number: int(count) for number, count in enumerate(ways[-1]) if count}

    def _layers(self, skipped: int, left_out: int) -> list[tuple[int, int]]:
        """Return (first node, end) of each layer that has nodes.

        skipped, left_out: (1, 1) leaves out the first layer, (0, -1) the last one.
        """
        pairs = zip(self.layers[:-1].tolist(), self.layers[1:].tolist(), strict=True)
        found = [(first, end) for first, end in pairs if end > first]
        return found[skipped:] if left_out > 0 else found[:left_out]


def diagram_of(frontier: Frontier, total: int, tell: Callable[[], None] = lambda: None) -> Diagram:
    """Return the graph of a count that has kept its layers.

    total: the number of solutions that it found. tell: called a few times a second. Raises `Stopped` and `BudgetError`
    as a count does.
    """
    backward = Backward(frontier, total, tell)
    numbers: dict[int, Numbers] = {}
    layers, nodes = [0], 0
    words, stride = frontier.layout.words, frontier.stride
    for t in range(frontier.layout.layers + 1 if total else 0):
        for table in frontier.done[t].tables if t in frontier.done else ():
            live = table.reshape(-1, stride)[:, words:].any(axis=1)
            numbers[id(table)] = np.where(live, np.cumsum(live) - 1 + nodes, -1)
            nodes += int(live.sum())
        layers.append(nodes)
    empty = np.zeros(0, dtype=np.int64)
    columns: list[Sequence[Numbers]] = [(empty, empty, empty)]
    for step in backward.steps():
        columns.append((numbers[id(step.source)][step.slots], numbers[id(step.target)][step.found], step.options))
    sources, targets, options = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(targets, kind="stable")
    return Diagram(sources[order], targets[order], options[order], np.array(layers), total)
