"""Collectors of solutions, made as a run makes them."""

import threading

from models.puzzle import Puzzle
from solvers.base.options import Options
from solvers.running.collect import Collector
from solvers.running.prepare import prepare


def collector_of(puzzle: Puzzle, symmetric: bool = True) -> Collector:
    """The collector of a run of this puzzle on cp-sat; symmetric: whether its symmetries are broken."""
    options = Options("cp-sat", jobs=1, symmetry="declared" if symmetric else "none")
    prepared = prepare(puzzle, options, threading.Event())
    return Collector(prepared.question, every=False, broken=prepared.broken, limit=None, searched_by=lambda: "cp-sat")
