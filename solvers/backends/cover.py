"""The exact-cover backend: asks the compiled search of `solvers.model.cover_search`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from solvers.backends.protocol import Task, ignore
from solvers.base.errors import InputError, NoCoverError
from solvers.base.values import Values
from solvers.checks.covers import check_exclusions, check_reading
from solvers.model.compiled import Native, Recipe, native
from solvers.model.cover_search import CoverTables, Leaf, leaves, solutions
from solvers.model.exact_cover import ExactCover, exact_cover

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


class Cover:
    """The backend `cover`, our own search for exact covers; see `solvers.backends.protocol.Backend`."""

    name = "cover"

    can_go_on = True

    rests_on = ()
    """Nothing: what is read of the model, and what follows from it, is verified."""

    def __init__(self, task: Task) -> None:
        """Make the backend ready for a task.

        Raises `InputError` if the model is not an exact cover in its key, or if there are parameters; `CheckError` if
        the tables for the search leave out what they should not.
        """
        cover = task.cover
        if cover is None or task.parameters:
            cover = require_cover(task.model, task.key, task.parameters)  # or an error that says why there is none
        self._stop = task.stop
        self.tables = CoverTables(cover, task.seed, task.is_long)  # the options as sets of bits
        check_tables(cover, self.tables)
        items = len(cover.items) + len(cover.optional) + len(cover.counts)
        self.size = {"items": items, "options": len(self.tables.options)}
        self.implied: Mapping[str, int] = {}  # what it makes of the rules is part of its search
        self.statistics = {"nodes": 0}

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Raise `InputError`, as an exact cover has no objective; see `Backend.optimum`."""
        raise InputError("cover does not take objectives; choose another backend")

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, a solution that agrees with it, or None; see `Backend.extend`.

        assignments: the values of some variables in each, by proto index. The key has every variable, so nothing is
        searched: the values are those of the assignment.
        """
        return [[fixed[index] for index in range(self.tables.variables)] for fixed in assignments]

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` for each assignment of the key in the cube; see `Backend.enumerate`.

        report: called with the values of all variables. cube: literals that hold, in the proto's convention.
        """
        for batch in solutions(self.tables, self._stop, cube):  # the solutions at some nodes of the search
            self.statistics["nodes"] += batch.nodes
            for values in batch.solutions:
                report(values)

    def leaves(self, cube: Sequence[int] = (), small: int = -1) -> Iterator[Leaf]:
        """Yield the leaves of the search tree in a cube; see `solvers.model.cover_search.leaves`."""
        return leaves(self.tables, self._stop, cube, small)


def check_tables(cover: ExactCover, tables: CoverTables) -> None:
    """Raise `CheckError` unless everything that the tables of a cover leave out follows from it."""
    check_exclusions(cover, *tables.take_claims(), take_out)


@cache
def take_out() -> Native:
    """Return `solvers.checks.pair_kernel.take_out_pairs` in machine code."""
    words, reasons = np.zeros((1, 1), np.uint64), np.zeros((1, 3), np.int64)
    (kernel,) = native(Recipe("solvers.checks.pair_kernel", "take_out_pairs", (words, words, reasons)))
    return kernel


def require_cover(model: CpModel, key: Sequence[int], parameters: Mapping[str, str]) -> ExactCover:
    """Return the model as an exact cover, for a user who asked for the backend `cover`.

    Raises `InputError` if the model is not an exact cover in its key variables, or if there are parameters. key: the
    proto indices of the key variables. parameters: the solver parameters that the user set.
    """
    if parameters:
        raise InputError(f"cover has no parameters, so {min(parameters)} cannot be set")
    try:
        return cover_of_key(model, key)
    except NoCoverError as error:
        raise InputError(f"{error}; choose another backend than cover") from None


def cover_of_key(model: CpModel, key: Sequence[int]) -> ExactCover:
    """Return the model as an exact cover.

    Raises `NoCoverError` if the model is not an exact cover, or if a variable is not in the key; `CheckError` if it was
    read wrongly. key: the proto indices of the key variables.
    """
    cover = exact_cover(model)
    check_reading(model, cover)  # by code that does not share that of `exact_cover`
    if not set(range(cover.variables)) <= set(key):
        raise NoCoverError("the model has variables that are not in its key")
    return cover


def as_cover(model: CpModel, key: Sequence[int]) -> ExactCover | None:
    """Return the model as an exact cover; None if it is not one, or if a variable is not in the key.

    key: the proto indices of the key variables.
    """
    try:
        return cover_of_key(model, key)
    except NoCoverError:
        return None
