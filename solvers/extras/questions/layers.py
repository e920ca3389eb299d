"""python -m solvers layers PUZZLE: all positions of a puzzle of moves, by their distance from its goals."""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from models.puzzle import Step
from solvers.backends.protocol import Backend
from solvers.backends.registry import made
from solvers.endings import DONE
from solvers.errors import CheckError
from solvers.files.catalogue import Declaration, offering
from solvers.terminal.arguments import PuzzleParser, arguments_of
from solvers.terminal.command import EndedEarly, aside, command, complain

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Position = tuple[int, ...]
"""The values of the variables that make a position, in the order in which its puzzle lists them."""

POSITIONS_PER_QUERY = 500
"""The number of positions whose predecessors one query asks for; solvers are slow on longer tables."""

POSITIONS_SHOWN, PER_LINE = 24, 6
"""The number of farthest positions that are printed, and printed on a line; the JSON has all."""


def layers(step: Step, prepare: Callable[["CpModel", list[int]], Backend]) -> Iterator[list[Position]]:
    """Yield the positions at distance 0, 1, 2 ... from the goals, each layer sorted.

    A position's distance is the least number of moves that lead from it to a goal. step: the model of a move. prepare:
    makes a backend for a model and the indices of its key variables. Raises `CheckError` if the backend returns a move
    that violates a constraint.
    """
    layer = sorted({tuple(goal[label] for label in step.before) for goal in step.goals})
    known = set(layer)
    while layer:
        yield layer
        farther: set[Position] = set()
        for start in range(0, len(layer), POSITIONS_PER_QUERY):
            farther |= _predecessors(step, layer[start : start + POSITIONS_PER_QUERY], known | farther, prepare)
        known |= farther
        layer = sorted(farther)


def _predecessors(
    step: Step, positions: list[Position], known: set[Position], prepare: Callable[["CpModel", list[int]], Backend]
) -> set[Position]:
    """Return the positions from which one move leads to one of these positions, except the known ones.

    step: the model of a move. prepare: makes a backend for a model and the proto indices of its key. Raises
    `CheckError` if the backend returns a move that violates a constraint.
    """
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


def shown_layers(step: Step, backend: str, stop: threading.Event) -> tuple[str, Iterator[list[str]]]:
    """Return (the name of the backend, an iterator over the layers).

    A layer is the list of the sorted texts of its positions. step: the model of a move. Raises `InputError` if the
    backend cannot take the model; the layers raise `Stopped` once the event is set. The layers also raise `CheckError`
    if the backend returns a move that violates a constraint.
    """

    def ready(model: "CpModel", key: list[int]) -> Backend:
        return made(backend, model, key, stop)

    def shown(position: Position) -> str:
        return step.show(dict(zip(step.before, position, strict=True)))

    return ready(step.model, []).name, (sorted(map(shown, layer)) for layer in layers(step, ready))


def main(words: list[str]) -> int:
    """Run the command ``layers`` with the words of its command line and print the layers.

    Returns the exit code. Raises `InputError` for options that are wrong, or if the backend cannot take the model.
    """
    parser = PuzzleParser(
        "python -m solvers layers",
        "Find all positions by their distance from the goals, and the hardest ones.",
        f"Puzzles of moves: {', '.join(offering('step'))}.\nExample: python -m solvers layers flip-it --size 5",
    )
    run = parser.add_argument_group("the run")
    run.add_argument("--backend", default="auto", help="auto, cp-sat, cp, sat or sat:NAME (default: auto)")
    run.add_argument("--json", action="store_true", help="print one JSON object and nothing else, with all positions")
    unnamed = f"name a puzzle of moves: {' or '.join(offering('step'))}"
    return _run(*parser.parse_puzzle(words, unnamed, "step"))


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    """Search all layers of the puzzle and print them, as a table or as JSON; return the exit code.

    declaration: the puzzle. chosen: the parsed options.
    """
    from solvers.show.versions import source_checksum, versions
    from solvers.symmetry.key import Key, checksum

    began, parameters = time.perf_counter(), arguments_of(declaration, chosen)
    sizes: list[int] = []
    last: list[str] = []
    name, model, ended = chosen.backend, "", None

    def work(stop: threading.Event) -> None:
        nonlocal last, name, model
        step = declaration.declare(**parameters)
        name, found = shown_layers(step, chosen.backend, stop)
        before = {label: variable.index for label, variable in step.before.items()}
        model = checksum(step.model, Key(step.model, before))
        for last in found:
            if not chosen.json:
                heading = "" if sizes else "distance  positions\n"
                print(f"{heading}{len(sizes):8}  {len(last):9}", flush=True)
            sizes.append(len(last))

    try:
        aside(work)
    except EndedEarly as early:
        ended = early
    report = {
        "puzzle": declaration.name,
        "parameters": parameters,
        "backend": name,
        "complete": ended is None,
        "reachable": sum(sizes),
        "depth": len(sizes) - 1 if sizes else None,
        "layers": sizes,
        "last": last,
        "seconds": time.perf_counter() - began,
        "versions": versions(),
        "checksums": {"model": model, "kazoeru": source_checksum()},
    }
    if chosen.json:
        print(json.dumps(report))
    elif ended is None:
        print(_summary(sizes, last))
    if ended is None:
        return DONE
    return complain(f"{declaration.name}: ended by {ended}; there may be more positions, farther away", ended.code)


def _summary(sizes: list[int], last: list[str]) -> str:
    """Return the closing lines of the table.

    They tell the number of positions, the greatest distance, and the farthest positions. sizes: the number of positions
    at each distance. last: the texts of the farthest ones.
    """
    farthest = [" ".join(last[start : start + PER_LINE]) for start in range(0, POSITIONS_SHOWN, PER_LINE)]
    more = f"and {len(last) - POSITIONS_SHOWN} more (--json has all)" if len(last) > POSITIONS_SHOWN else ""
    heading = f"{sum(sizes)} positions reach a goal; the greatest distance is {len(sizes) - 1}, that of"
    return "\n".join(["", heading, *filter(None, [*farthest, more])])


if __name__ == "__main__":
    sys.exit(command(main))
