"""Cubes: disjoint parts of the space, and what is found in them.

References
----------
M. Heule, O. Kullmann, S. Wieringa, A. Biere, "Cube and conquer: guiding CDCL SAT solvers by lookaheads", HVC 2011,
doi:10.1007/978-3-642-34188-5_8
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.values import Values

Rows = NDArray[np.signedinteger[Any]]
"""The values of all variables in some solutions: an array of shape (solutions, variables)."""


class Cube(NamedTuple):
    """A part of the space, in which some literals are true, with its share of the whole space."""

    literals: tuple[int, ...]
    """The literals of the model that are true in this part of the space: i for variable i, -i - 1 for its negation."""

    weight: Fraction
    """Its share of the space, by the branches on its path (D. Knuth, Mathematics of Computation 29, 1975)."""


WHOLE = Cube((), Fraction(1))
"""All of the space."""


class CubeResult(NamedTuple):
    """The solutions in a cube, and the figures of its search."""

    rows: Rows
    """The values of all variables, a row for each solution, in as few bytes as hold them."""

    seconds: float
    """The time that the search of the cube took."""
    statistics: Mapping[str, int]
    """The figures of the backend for this cube, such as its number of conflicts, by name."""
    memory: int = 0
    """The peak memory, in bytes, of the process that searched; only that of the last of several cubes is measured."""


class Found(NamedTuple):
    """The solutions found in one or more cubes, with the figures of the search."""

    rows: Sequence[Values] | Rows
    """The values of all variables in each solution."""

    weight: Fraction
    """The share of the space that was searched for it."""

    cubes: int = 0
    """The number of cubes that were searched for it."""
    statistics: Mapping[str, int] = MappingProxyType({})
    """The figures of the backend, such as its number of conflicts, by name."""
    memory: int = 0
    """The peak memory, in bytes, of a process that worked on it."""
    resumed: str = ""
    """The backend that searched it in an earlier run; empty if it was this one."""
    done: float = 0.0
    """The number of finished cubes; a part of a cube that was split counts as its share of that cube."""
    open: float | None = None
    """The number of cubes that are left, counted like ``done``; None if not all cubes are known.

    If all are known, they are searched in random order.
    """
