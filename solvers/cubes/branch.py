"""Cubes of models that are no exact covers: branching on key variables, with the unit propagation of a SAT solver.

The cube that leaves most open is split next, on the variable whose values leave least: M. Heule, O. Kullmann, S.
Wieringa, A. Biere, "Cube and conquer", HVC 2011.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from solvers.backends.sat import Propagation
from solvers.cubes.conquer import Job, packed
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.workers import Plan

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_VALUES = 64
"""A variable of more values than these is not branched on."""

CANDIDATES = 24
"""So many variables are tried out at each branching, those of fewest values."""

Choice = Sequence[int]
"""Literals of the model exactly one of which holds."""


class Branch(NamedTuple):
    """A part of the space, or of what was refuted."""

    literals: tuple[int, ...]
    weight: float
    is_refuted: bool


def choices(model: CpModel, key: Sequence[int]) -> list[Choice]:
    """What can be branched on: each key variable of few values, by literals for which Booleans may be added.

    Each of the Booleans that are added is determined by its variable.
    """
    found: list[Choice] = []
    for index in key:
        domain = list(model.proto.variables[index].domain)
        size = sum(high - low + 1 for low, high in zip(domain[::2], domain[1::2], strict=True))
        if size == 2 and domain[0] == 0 and domain[-1] == 1:
            found.append((index, -index - 1))
        elif 2 <= size <= MOST_VALUES:
            variable = model.get_int_var_from_proto_index(index)
            values = [v for low, high in zip(domain[::2], domain[1::2], strict=True) for v in range(low, high + 1)]
            literals = [model.new_bool_var("") for _ in values]
            for value, literal in zip(values, literals, strict=True):
                model.add(variable == value).only_enforce_if(literal)
                model.add(variable != value).only_enforce_if(~literal)
            found.append(tuple(literal.index for literal in literals))
    return found


def branches(
    propagation: Propagation, among: Sequence[Choice], most: int, within: tuple[int, ...] = ()
) -> Iterator[Branch]:
    """At most so many cubes, and what is refuted on the way: disjoint, and together what is within these literals."""
    order = count()
    whole = propagation.implied(within)
    if whole is None:
        yield Branch(within, 1.0, True)
        return
    # By how much is decided, so that the one that leaves most open comes first.
    open_cubes: list[tuple[int, int, tuple[int, ...], float, set[int]]] = [(0, next(order), within, 1.0, whole)]
    finished: list[Branch] = []
    while open_cubes and len(open_cubes) + len(finished) < most:
        _, _, literals, weight, implied = heapq.heappop(open_cubes)
        options = _best(propagation, literals, implied, among)
        if options is None:
            finished.append(Branch(literals, weight, False))
            continue
        if not options:
            yield Branch(literals, weight, True)
        elif len(open_cubes) + len(finished) + len(options) > most:
            finished.append(Branch(literals, weight, False))
            break
        for literal, decided in options:
            cube = (*literals, literal)
            heapq.heappush(open_cubes, (len(decided), next(order), cube, weight / len(options), decided))
    yield from finished
    for _, _, literals, weight, _ in sorted(open_cubes):
        yield Branch(literals, weight, False)


def _best(
    propagation: Propagation, literals: tuple[int, ...], implied: set[int], among: Sequence[Choice]
) -> list[tuple[int, set[int]]] | None:
    """The values, of the variable that leaves least open, that propagation does not refute, and what each implies.

    None if every variable is decided.
    """
    open_choices = (choice for choice in among if implied.isdisjoint(choice))
    remaining = [[literal for literal in choice if -literal - 1 not in implied] for choice in open_choices]
    undecided = sorted(remaining, key=len)
    best, least = None, float("inf")
    for options in undecided[:CANDIDATES]:
        tried = [(literal, propagation.implied((*literals, literal))) for literal in options]
        possible = [(literal, decided) for literal, decided in tried if decided is not None]
        left_open = sum(0.5 ** (len(decided) - len(implied)) for _, decided in possible)
        if left_open < least:
            best, least = possible, left_open
    return best


SEVERAL = 100
"""Cubes of a model that is no exact cover: enough to keep workers busy to the end, few enough to be made quickly.

Those that leave most open come first. In a random order, by which the remaining time can be told for covers, 7x7 in
halves took 14 s in place of 10, as a long one came last, and the time told was no better.
"""


PARTS = MOST_VALUES
"""Parts of one of these cubes that has many solutions; so many that every variable can be branched on."""


def propagated_choices(
    model: CpModel, key: Sequence[int], stop: threading.Event
) -> tuple[Sequence[Choice], Propagation]:
    """What can be branched on, and what follows from it; the model gets the variables of `choices`.

    Raises `InputError` if the model cannot be lowered.
    """
    among = choices(model, key)
    return among, Propagation(model, {max(a, -a - 1) for choice in among for a in choice}, stop)


def branch_plan(
    model: CpModel,
    key: Sequence[int],
    job: Job,
    most: int | None,
    stop: threading.Event,
    cases: Sequence[Cube] = (WHOLE,),
) -> Plan:
    """The job's backend on cubes of a model that is no exact cover; on its cases if none of its key can be branched on.

    Raises `InputError` if the model cannot be lowered.
    """
    augmented = model.clone()
    among, propagation = propagated_choices(augmented, key, stop)

    def parts(within: Cube, most: int) -> Iterator[Cube | Found]:
        for branch in branches(propagation, among, most, within.literals):
            weight = within.weight * branch.weight
            yield Found([], weight) if branch.is_refuted else Cube(branch.literals, weight)

    def cubes() -> Iterator[Cube | Found]:
        for case in cases:
            yield from parts(case, max(1, (most or SEVERAL) // len(cases)))

    def smaller(cube: Cube) -> list[Cube | Found]:
        return list(parts(cube, PARTS))

    return Plan(replace(job, model=packed(augmented)), cubes, smaller if most is None else None, of_cover=False)
