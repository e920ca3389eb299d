"""Cubes of models that are not exact covers: branching on key variables, with the unit propagation of a SAT solver.

The cube that leaves most open is split next, on the variable whose values leave least: M. Heule, O. Kullmann, S.
Wieringa, A. Biere, "Cube and conquer", HVC 2011.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Propagator
from solvers.backends.registry import propagator
from solvers.base.backend_rows import row_of
from solvers.base.tuning import TUNING
from solvers.cubes.conquer import Job, Plan
from solvers.cubes.cube import WHOLE, Cube, Found
from solvers.cubes.processes import pack_model
from solvers.model.reading import domain_of, negation, size_of, values_of, variable_of
from solvers.model.writing import value_literal

BRANCHING_CANDIDATES, SAMPLE_CANDIDATES = 24, 6
"""The number of variables that are tried at each branching: those with the fewest values. Fewer do for a sample."""

Choice = Sequence[int]
"""Literals of the model exactly one of which holds."""


def choices(model: CpModel, key: Sequence[int]) -> list[Choice]:
    """Return, for each key variable of at most `Tuning.max_branching_values` values, the literals of its values.

    key: proto indices. Literals are in the proto's convention (-v - 1 is the negation of variable v); exactly one of
    each list is true. For integer variables, new Booleans are added to the model; each of them is determined by its
    variable. A variable with one value has no choice.
    """
    choices_found: list[Choice] = []
    for index in key:
        domain = domain_of(model.proto.variables[index])
        if domain == ((0, 1),):
            choices_found.append((index, negation(index)))
        elif 2 <= size_of(domain) <= TUNING.max_branching_values:
            choices_found.append(tuple(value_literal(model, index, value).index for value in values_of(domain)))
    return choices_found


def branches(
    propagation: Propagator,
    among: Sequence[Choice],
    most: int,
    within: Cube = WHOLE,
    candidates: int = BRANCHING_CANDIDATES,
    ends: float = float("inf"),
) -> Iterator[Cube | Found]:
    """Split a cube into at most ``most`` disjoint cubes by branching on the choices.

    Yields the cubes, and a `Found` without solutions for each part that unit propagation refutes. The weights of both
    add up to the weight of the cube ``within``, as each branch gets an equal share of its cube.

    propagation: unit propagation on the model. among: the choices, as literals of the model. most: at least 1.
    candidates: the number of choices that are tried at each branching. ends: the time by `time.perf_counter` after
    which no cube is split.
    """
    order = count()
    # All literals that follow from those of the cube; None if they contradict each other.
    implied_within = propagation.consequences(within.literals)
    if implied_within is None:
        yield Found([], within.weight)
        return
    # A heap of (number of implied literals, order of making, cube, implied literals): most is open where least follows.
    open_cubes = [(0, next(order), within, implied_within)]
    finished: list[Cube] = []
    while open_cubes and len(open_cubes) + len(finished) < most and time.perf_counter() < ends:
        _, _, cube, implied = heapq.heappop(open_cubes)
        options = _best_options(propagation, cube.literals, implied, among, candidates)
        if options is None:  # all choices are decided
            finished.append(cube)
            continue
        if not options:  # refuted
            yield Found([], cube.weight)
        elif len(open_cubes) + len(finished) + len(options) > most:
            finished.append(cube)
            break
        for literal, implied_with_it in options:
            part = Cube((*cube.literals, literal), cube.weight / len(options))
            heapq.heappush(open_cubes, (len(implied_with_it), next(order), part, implied_with_it))
    yield from finished
    # The cubes that leave most open come first.
    yield from (cube for _, _, cube, _ in sorted(open_cubes))


def _best_options(
    propagation: Propagator, literals: tuple[int, ...], implied: set[int], among: Sequence[Choice], candidates: int
) -> list[tuple[int, set[int]]] | None:
    """Return the literals of the best choice to branch on, as (literal, all literals that it implies).

    Literals that unit propagation refutes are left out: an empty list means that the cube has no solution. The result
    is None if every choice is decided. The best choice leaves the least space open: each further implied literal is
    taken to halve the space of its branch.

    literals: the literals of the cube. implied: all literals that follow from these. among: the choices. candidates:
    the number of choices that are tried, those with the fewest literals left.
    """
    # A choice is decided if one of its literals is implied.
    undecided = (choice for choice in among if implied.isdisjoint(choice))
    options_left = [[literal for literal in choice if negation(literal) not in implied] for choice in undecided]
    best_branches, least_open = None, float("inf")
    for options in sorted(options_left, key=len)[:candidates]:
        branches_tried = [(literal, propagation.consequences((*literals, literal))) for literal in options]
        possible = [(literal, consequences) for literal, consequences in branches_tried if consequences is not None]
        left_open = sum(0.5 ** (len(consequences) - len(implied)) for _, consequences in possible)
        if left_open < least_open:
            best_branches, least_open = possible, left_open
    return best_branches


def choices_and_propagator(
    model: CpModel, key: Sequence[int], stop: threading.Event
) -> tuple[Sequence[Choice], Propagator]:
    """Return (choices to branch on, unit propagation on the model).

    key: proto indices. A choice is a list of literals of the model, exactly one of which is true; the Booleans of
    `choices` are added to the model. Raises `InputError` if the model cannot be lowered to CNF, `Stopped` once the
    event is set.
    """
    to_branch_on = choices(model, key)
    variables = {variable_of(literal) for choice in to_branch_on for literal in choice}
    return to_branch_on, propagator(model, variables, stop)


class SampleCubes:
    """Random disjoint cubes of a model, a sample of the work on which backends are compared."""

    def __init__(self, model: CpModel, key: Sequence[int]) -> None:
        """Make a copy of the model with the Booleans of its choices; key: proto indices."""
        self.model = model.clone()
        """The model whose literals are those of the cubes."""
        self._choices = choices(self.model, key)

    def cubes(
        self, model: CpModel, within: Sequence[int], stop: threading.Event, lowering: Any = None
    ) -> list[Sequence[int]]:
        """Return cubes, each as a list of literals, in a random order.

        The cube ``within`` is split by `branches` into `Tuning.sample_cubes` parts, of which those are returned that
        unit propagation does not refute. model: `model`, perhaps with further constraints. within: the literals of the
        cube that is split. lowering: that of the model, if there is one. Raises `InputError` if the model cannot be
        lowered to CNF, `Stopped` once the event is set.
        """
        variables = {variable_of(literal) for choice in self._choices for literal in choice}
        propagation = propagator(model, variables, stop, lowering)
        cube = Cube(tuple(within), Fraction(1))
        parts = branches(propagation, self._choices, TUNING.sample_cubes, cube, SAMPLE_CANDIDATES)
        cubes: list[Sequence[int]] = [part.literals for part in parts if isinstance(part, Cube)]
        Random(0).shuffle(cubes)
        return cubes


def branch_plan(
    model: CpModel,
    key: Sequence[int],
    job: Job,
    most: int | None,
    stop: threading.Event,
    cases: Sequence[Cube] = (WHOLE,),
    ends: float = float("inf"),
) -> Plan:
    """Return a plan that splits a model that is not an exact cover, by branching on key variables.

    key: proto indices. job: the backend and its settings; the model is added to it here. most: the most cubes; None for
    the default, with cubes that may be split again later. cases: the parts of the space to search. ends: as for
    `branches`.

    Raises `InputError` if the model cannot be lowered to CNF, `Stopped` once the event is set.

    The model of the job has the Booleans for values of key variables, whose literals are in the cubes.
    """
    augmented, row = model.clone(), row_of(job.backend)
    among, propagation = choices_and_propagator(augmented, key, stop)
    # A backend that branches where the fewest values are left gets the top of its own search tree as cubes.
    candidates = 1 if row and row.branches_on_fewest else BRANCHING_CANDIDATES

    def cubes() -> Iterator[Cube | Found]:
        most_of_case = max(1, (most or TUNING.max_model_cubes) // len(cases))
        for case in cases:
            yield from branches(propagation, among, most_of_case, case, candidates, ends)

    def smaller(cube: Cube) -> list[Cube | Found]:
        return list(branches(propagation, among, TUNING.max_parts_of_cube, cube, candidates))

    return Plan(replace(job, model=pack_model(augmented)), cubes, smaller if most is None else None, of_cover=False)
