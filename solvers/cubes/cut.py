"""Cubes of an exact cover for the solvers of others: some tens or hundreds, and nothing in them is decided here.

A cube is cut in the item that has the fewest options left: one part for each of these options but one or more, and one
in which none of the others holds. So the parts make up the whole cube, whatever was assumed of the options left, and
what is solved or refuted already is left for the solver to find. Cutting goes on with the cube that has most options.

Options that are ruled out count as taken, as they do in the solver, so that both branch on the same item first. If they
are counted, cubes are cut in other items, and `cp` meets a third more failures on 4x15.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count

import numpy as np
from numpy.typing import NDArray

from solvers.cubes.cube import Cube, Found
from solvers.model.exact_cover import ExactCover
from solvers.model.reading import all_negated, negation

WORK_POWER = 4
"""The power of a cube's options that says how long it takes: on 6x10, 1500 take 3 s, 850 take 0.3 s, 500 0.01 s."""

Alive = NDArray[np.bool_]
"""For each option, whether it can still be chosen."""


class Cutter:
    """Cuts an exact cover into cubes for a solver that searches them by itself."""

    def __init__(self, cover: ExactCover, ruled_out: Sequence[int] = ()) -> None:
        """Read which options cover each item, and which options exclude each other; no cube is made yet.

        cover: options are numbered from 0; those that are no variables (slack options) are chosen where a variable is
        0. ruled_out: literals of options that are taken to be in no solution; see `solvers.backends.implied`.
        """
        self._variables = cover.variables
        self._literals = [negation(cover.slack[o]) if o in cover.slack else o for o in range(cover.options)]
        """The literal of the model that is true iff an option is chosen, by the option's number."""
        self._slack = {variable: option for option, variable in cover.slack.items()}
        """The option that a variable rules out, by the variable."""
        self._fixed = [option if chosen else negation(option) for option, chosen in cover.fixed.items()]
        self._fixed += all_negated(ruled_out)
        self._items = [np.array(item, np.int64) for item in cover.items]
        self._options = np.concatenate([*self._items, np.zeros(0, np.int64)])
        """The options of all items, one item after the other; ``_item_of`` has the item of each entry."""
        self._item_of = np.repeat(np.arange(len(self._items)), [len(item) for item in self._items])
        self._together: list[list[NDArray[np.int64]]] = [[] for _ in range(cover.options)]
        """For each option, the sets with it of which at most one option is chosen."""
        for options_together in [*self._items, *(np.array(s, np.int64) for s in (*cover.optional, *cover.exclusions))]:
            for option in options_together.tolist():
                self._together[option].append(options_together)

    def cubes(self, most: int, cases: Sequence[Cube]) -> Iterator[Cube | Found]:
        """Yield the cubes into which the cases are cut, in the order of a search.

        Before them it yields a `Found` without solutions, with the number of nodes that cutting took, named "cut".
        cases: disjoint parts of the space. There are at most ``most`` cubes, unless there are more cases. Their weights
        add up to those of the cases.

        The cube with most available options is cut next, in the item with the fewest: a part for each of its options,
        but one part for all that would exceed ``most``, in which none of the others is chosen.
        """
        order = count()
        # A heap of (- available options, order of making, cube, path, alive); paths sort cubes as a search would.
        open_cubes: list[tuple[int, int, Cube, tuple[int, ...], Alive]] = []
        for number, case in enumerate(cases):
            alive = self._options_in(case)
            heapq.heappush(open_cubes, (-int(alive.sum()), next(order), case, (number,), alive))
        finished: list[tuple[tuple[int, ...], Cube]] = []
        while open_cubes and len(open_cubes) + len(finished) < most:
            _, _, cube, path, alive = heapq.heappop(open_cubes)
            options = self._fewest_options(alive)
            if not options:
                finished.append((path, cube))
                continue
            # The number of options that get a part of their own: as many as ``most`` allows, and at least one is left
            # for the last part.
            single_parts = min(len(options), most - len(open_cubes) - len(finished)) - 1
            literals = [self._literals[option] for option in options[:single_parts]]
            # Each part: its further literals, and how many of the options it has.
            parts: list[tuple[tuple[int, ...], int]] = [((literal,), 1) for literal in literals]
            parts.append((tuple(all_negated(literals)), len(options) - single_parts))
            for number, (part, size) in enumerate(parts):
                alive_in_part = self._alive_after(alive, part)
                smaller = Cube((*cube.literals, *part), cube.weight * size / len(options))
                heapq.heappush(
                    open_cubes, (-int(alive_in_part.sum()), next(order), smaller, (*path, number), alive_in_part)
                )
        yield Found([], Fraction(), statistics={"cut": next(order)})
        finished += [(path, cube) for _, _, cube, path, _ in open_cubes]
        yield from (cube for _, cube in sorted(finished))

    def work_estimate(self, cube: Cube) -> float:
        """Estimate the work to search a cube, in no particular unit, from the number of options left in it.

        The estimate was measured on boards; it is right to a factor of about 3.
        """
        return float(self._options_in(cube).sum()) ** WORK_POWER

    def _options_in(self, cube: Cube) -> Alive:
        """Return, for each option, whether it can still be chosen in a cube.

        Consequences of its literals and of the fixed options are taken into account.
        """
        return self._alive_after(np.ones(len(self._literals), np.bool_), [*self._fixed, *cube.literals])

    def _alive_after(self, alive: Alive, literals: Sequence[int]) -> Alive:
        """Return, for each option, whether it can still be chosen once these literals hold, too.

        alive: the options that could be chosen before; it stays as it is. Consequences are taken into account: a chosen
        option excludes others, and the only option left of an item is chosen. If no literal chooses an option, only the
        options that the literals exclude are taken out. Literals that contradict each other or ``alive`` raise nothing:
        they leave an item without options.
        """
        alive = alive.copy()
        for literal in literals:
            if literal < 0:
                alive[negation(literal)] = False
            elif literal in self._slack:
                alive[self._slack[literal]] = False
        # A literal that is not negated is the number of an option, as options and variables share their numbers.
        newly_chosen = {literal for literal in literals if literal >= 0}
        chosen: set[int] = set()
        while newly_chosen:
            for option in newly_chosen:
                was_alive = alive[option]  # the sets that it is in rule it out, too
                for options_together in self._together[option]:
                    alive[options_together] = False
                alive[option] = was_alive
            chosen |= newly_chosen
            # Entries of ``_options`` that are the only available option of their item.
            is_only = alive[self._options] & (self._left_by_item(alive) == 1)[self._item_of]
            newly_chosen = set(self._options[is_only].tolist()) - chosen
        return alive

    def _left_by_item(self, alive: Alive) -> NDArray[np.int64]:
        """Return, for each item, the number of its options that are alive, that is, can still be chosen."""
        return np.bincount(self._item_of[alive[self._options]], minlength=len(self._items))

    def _fewest_options(self, alive: Alive) -> list[int]:
        """Return the available options of an item that has at least two, but as few as possible.

        The list is empty if every item has one available option, so that all is decided, or if some item has none.
        alive: for each option, whether it is available.
        """
        left_by_item = self._left_by_item(alive)
        undecided = np.flatnonzero(left_by_item > 1)
        if not len(undecided) or not left_by_item.all():
            return []
        # The first of the undecided items with the fewest options left.
        item = self._items[undecided[left_by_item[undecided].argmin()]]
        options: list[int] = item[alive[item]].tolist()
        return options
