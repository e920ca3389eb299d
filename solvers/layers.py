"""python -m solvers.layers PUZZLE: all positions of a puzzle of moves, by their distance from its goals."""

import argparse
import json
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from models.puzzle import Step
from solvers.backends.protocol import Backend
from solvers.backends.registry import backend_kind
from solvers.endings import DONE, Ending
from solvers.errors import CheckError, Stopped
from solvers.files.catalogue import Declaration, offering
from solvers.terminal.arguments import Parser, add_parameters, parsed
from solvers.terminal.command import command, complain, heed_signals

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Position = tuple[int, ...]
"""The values of the variables that make a position, in the order in which its puzzle lists them."""

AT_ONCE = 500
"""Of so many positions the predecessors are asked for at once; solvers get slow on longer tables."""

MOST_SHOWN, SHOWN_A_LINE = 24, 6
"""So many of the farthest positions are shown to people; the JSON has all."""


def layers(step: Step, prepare: Callable[["CpModel", list[int]], Backend]) -> Iterator[list[Position]]:
    """The positions at distance 0, 1, 2 ... from the goals, each layer sorted.

    A position's distance is the least number of moves that lead from it to a goal.

    prepare: makes a backend for a model and the indices of its key variables.
    """
    layer = sorted({tuple(goal[label] for label in step.before) for goal in step.goals})
    known = set(layer)
    while layer:
        yield layer
        farther: set[Position] = set()
        for start in range(0, len(layer), AT_ONCE):
            farther |= _predecessors(step, layer[start : start + AT_ONCE], known | farther, prepare)
        known |= farther
        layer = sorted(farther)


def _predecessors(
    step: Step, positions: list[Position], known: set[Position], prepare: Callable[["CpModel", list[int]], Backend]
) -> set[Position]:
    """The positions, but for the known ones, from which one move leads to one of the given."""
    import numpy as np

    from solvers.checks.evaluate import Evaluator

    model = step.model.clone()
    before = [model.get_int_var_from_proto_index(variable.index) for variable in step.before.values()]
    after = [model.get_int_var_from_proto_index(step.after[label].index) for label in step.before]
    model.add_allowed_assignments(after, positions)
    model.add_forbidden_assignments(before, sorted(known))
    found: list[Any] = []
    backend = prepare(model, [variable.index for variable in before])
    backend.enumerate(found.append)
    violations = Evaluator(model).violations(np.array(found, np.int64)) if found else []
    if violated := next(filter(None, violations), None):
        raise CheckError(f"{backend.name} found a move that violates {violated}")
    return {tuple(int(values[variable.index]) for variable in before) for values in found}


class LayerSearch:
    """Layers found in a thread of their own, so that `stop` is heeded whatever a solver does."""

    def __init__(self, declare: Callable[[], Step], backend: str) -> None:
        self.backend = backend
        self.ending: Ending | None = None
        self.complete = False
        self._declare = declare
        self._stop = threading.Event()
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._work, daemon=True)

    def stop(self, ending: Ending) -> None:
        self.ending = ending
        self._stop.set()

    def __iter__(self) -> Iterator[list[str]]:
        """Each layer as soon as it is found, its positions as lines of text in their order."""
        from solvers.running.runner import GRACE

        self.thread.start()
        give_up = float("inf")
        while time.monotonic() < give_up:
            if self._stop.is_set():
                give_up = min(give_up, time.monotonic() + GRACE)
            try:
                message = self._messages.get(timeout=0.1)
            except queue.Empty:
                continue
            if message is None:
                self.complete = True
                return
            if isinstance(message, Stopped):
                return
            if isinstance(message, BaseException):
                raise message
            yield message

    def _work(self) -> None:
        """What the other thread does; it sends layers, and at the end None or what went wrong."""
        try:
            step = self._declare()
            self._prepare(step.model, [])  # refuses a backend that cannot take it before anything is shown
            for layer in layers(step, self._prepare):
                shown = (step.show(dict(zip(step.before, position, strict=True))) for position in layer)
                self._messages.put(sorted(shown))
            self._messages.put(None)
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            self._messages.put(error)

    def _prepare(self, model: "CpModel", key: list[int]) -> Backend:
        kind, solver = backend_kind(self.backend, model)
        backend = kind(model, key, self._stop, solver=solver)
        self.backend = backend.name
        return backend


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    unnamed = f"name a puzzle of moves: {' or '.join(offering('step'))}"
    return _run(*parsed(words, _add_options, parser, unnamed, "step"))


def parser(declaration: Declaration | None) -> Parser:
    """The command line: the parameters of the puzzle's step relation, and what every puzzle has."""
    result = Parser(
        prog=f"python -m solvers.layers {declaration.name if declaration else 'PUZZLE'}",
        usage="%(prog)s [OPTION ...]",
        description="Find all positions by their distance from the goals, and the hardest ones.",
        epilog=f"Puzzles of moves: {', '.join(offering('step'))}.\nExample: python -m solvers.layers flip-it --size 5",
    )
    result.add_argument("puzzle", nargs="?", help=argparse.SUPPRESS)
    own = result.add_argument_group("parameters of the puzzle")
    _add_options(result)
    if declaration:
        add_parameters(own, declaration)
    return result


def _add_options(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("the run")
    run.add_argument("--backend", default="auto", help="auto, cp-sat, cp, sat or sat:NAME (default: auto)")
    run.add_argument("--json", action="store_true", help="print one JSON object and nothing else, with all positions")


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    from solvers.show.report import versions

    began = time.perf_counter()
    parameters = {parameter.name: getattr(chosen, parameter.name) for parameter in declaration.parameters}
    search = LayerSearch(partial(declaration.declare, **parameters), chosen.backend)
    heed_signals(search.stop)
    sizes: list[int] = []
    last: list[str] = []
    for last in search:
        if not chosen.json:
            heading = "" if sizes else "distance  positions\n"
            print(f"{heading}{len(sizes):8}  {len(last):9}", flush=True)
        sizes.append(len(last))
    report = {
        "puzzle": declaration.name,
        "parameters": parameters,
        "backend": search.backend,
        "complete": search.complete,
        "reachable": sum(sizes),
        "depth": len(sizes) - 1 if sizes else None,
        "layers": sizes,
        "last": last,
        "seconds": time.perf_counter() - began,
        "versions": versions(),
    }
    if chosen.json:
        print(json.dumps(report))
    elif search.complete:
        print(_summary(sizes, last))
    if search.complete or search.ending is None:
        return DONE
    sentence = f"{declaration.name}: ended by {search.ending.words}; there may be more positions, farther away"
    return complain(sentence, search.ending.code)


def _summary(sizes: list[int], last: list[str]) -> str:
    farthest = [" ".join(last[start : start + SHOWN_A_LINE]) for start in range(0, MOST_SHOWN, SHOWN_A_LINE)]
    more = f"and {len(last) - MOST_SHOWN} more (--json has all)" if len(last) > MOST_SHOWN else ""
    heading = f"{sum(sizes)} positions reach a goal; the greatest distance is {len(sizes) - 1}, that of"
    return "\n".join(["", heading, *filter(None, [*farthest, more])])


if __name__ == "__main__":
    sys.exit(command(main))
