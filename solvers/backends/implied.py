"""Exclusions that follow from an exact cover, for solvers that do not see them by themselves.

Two options that together leave some item without any exclude each other; an option that does so alone is ruled out. A
solver of another kind finds that out in the midst of its search, again and again. On the 6x10 pentominoes CaDiCaL and
CP-SAT take less than half of the conflicts with these exclusions. They remove no solution: the lists are verified by
code that did not derive them, and each backend compares what its solver gets with these lists.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.backends.cover import take_out
from solvers.base.tuning import TUNING
from solvers.checks.covers import check_excluded_literals
from solvers.model.cover_search import CoverTables
from solvers.model.exact_cover import ExactCover
from solvers.model.reading import all_negated


class Exclusions(NamedTuple):
    """Pairs of options that exclude each other, and options in no solution.

    Literals are in the proto's convention.
    """

    stated: NDArray[np.int64]
    """The pairs of literals that the rules forbid to be true together, of shape (pairs, 2)."""

    derived: NDArray[np.int64]
    """The further pairs that cannot be true together, as follows from the rules; of the same shape."""

    ruled_out: list[int]
    """The literals that are false in every solution, as follows from the rules."""

    @property
    def pairs(self) -> NDArray[np.int64]:
        """All pairs of literals that cannot be true together."""
        return np.concatenate([self.stated, self.derived])

    @property
    def size(self) -> dict[str, int]:
        """The number of implied exclusions, by name, for the report."""
        return {"exclusions": len(self.derived), "options ruled out": len(self.ruled_out)}


@lru_cache(maxsize=1)
def exclusions(cover: ExactCover | None) -> Exclusions | None:
    """Return the exclusions that an exact cover implies.

    The result is None if ``cover`` is None or contradictory, or if exclusions would help little: the cover has few
    options, or so many options or exclusions that to find them takes longer than it saves. The result for the last
    cover is kept, as both the cutting into cubes and the backend ask for it. Raises `CheckError` if an exclusion does
    not follow.

    >>> from solvers.base.tuning import override_tuning
    >>> cover = ExactCover(5, [[0, 1, 2], [2, 3, 4], [1, 3, 4], [0, 4]])
    >>> with override_tuning(max_small_cover_options=0):
    ...     found = exclusions(cover)
    >>> found.derived.tolist(), found.ruled_out
    ([], [1, 2, 4])
    """
    if cover is None or cover.contradictory or not cover.suits_branching_on_items:
        return None
    if not TUNING.max_small_cover_options < cover.options <= TUNING.max_paired_options:
        return None
    tables = CoverTables(cover, 0, are_paired=True)  # which derives the exclusions
    # Entries of the square matrix that are 0: two for each pair that excludes each other, and the diagonal.
    zeros = len(tables.options) ** 2 - int(np.bitwise_count(tables.keep).sum())
    if zeros > 2 * TUNING.max_exclusions:
        return None
    result = Exclusions(*tables.exclusions(cover), tables.dead_options(cover))
    _, _, reasons = tables.take_claims()  # for each derived pair, the item that it leaves without options
    check_excluded_literals(cover, result.pairs, result.ruled_out, reasons, take_out)
    return result


def add_ruled_out(proto: Any, implied: Exclusions) -> None:
    """Add to a proto that the literals which are ruled out are false."""
    proto.constraints.add().bool_and.literals.extend(all_negated(implied.ruled_out))
