"""The circuit of an exact cover: what a count by layers has gone through.

Nodes are states that are reached and completed. Each term is a step: the option that it takes, times the state to which
it leads.
"""

from __future__ import annotations

import numpy as np

from solvers.extras.counts.counting.backward import Backward
from solvers.extras.counts.counting.frontier import Frontier
from solvers.extras.counts.counting.reduced_cover import Instance
from solvers.extras.counts.kept.circuit import Circuit, KeptCircuit, Numbers
from solvers.symmetry.key import Key


def of_layers(part: Instance, frontier: Frontier, total: int, key: Key) -> KeptCircuit:
    """Return what is kept of a count by layers, which has kept them.

    part: the reduced cover. total: the number of its solutions. key: of the model, whose variables are the first
    options of the cover. Raises `Stopped` and `BudgetError` as a count does.
    """
    options = len(part.members)
    option_of = {member: option for option, (member,) in enumerate(part.members)} | dict.fromkeys(part.chosen, options)
    literals = []
    for position, value in map(key.literal, range(key.size)):
        true = option_of.get(key.variables[position])
        code = -(options + 1) if true is None else true + 1
        literals.append(code if value else -code)
    covering: list[list[int]] = [[] for _ in range(part.mandatory)]
    for option, row in enumerate(part.covers):
        for item in row:
            if item < part.mandatory:
                covering[item].append(option)
    return KeptCircuit(_circuit_of(frontier, options, total), literals, covering)


def _circuit_of(frontier: Frontier, options: int, total: int) -> Circuit:
    """Return the circuit of a count by layers whose inputs are so many options; total: as for `of_layers`."""
    backward = Backward(frontier, total, lambda: None)
    numbers: dict[int, Numbers] = {}
    levels, nodes = [0], 0
    words, stride = frontier.layout.words, frontier.stride
    for t in reversed(range(frontier.layout.layers + 1 if total else 0)):
        for table in frontier.done[t].tables if t in frontier.done else ():
            live = table.reshape(-1, stride)[:, words:].any(axis=1)
            numbers[id(table)] = np.where(live, np.cumsum(live) - 1 + nodes, -1)
            nodes += int(live.sum())
        if nodes > levels[-1]:
            levels.append(nodes)
    empty = np.zeros(0, dtype=np.int64)
    columns = [(empty, empty, empty)]
    for step in backward.steps():
        columns.append((numbers[id(step.source)][step.slots], numbers[id(step.target)][step.found], step.options))
    sources, targets, taken = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(sources, kind="stable")
    # State 0 is the one in which all is covered: the constant, so that it is no node.
    starts = np.searchsorted(sources[order], np.arange(1, max(nodes, 1) + 1))
    return Circuit(options, taken[order], options + targets[order], starts, np.array(levels[1:] or [1]) - 1, total)
