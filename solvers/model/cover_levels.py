"""The data of the compiled search of exact covers: named tuples of arrays, and the meaning of their numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

REFUTED, SOLUTION, CUBE, BRANCHES = range(4)
"""What a node of the search is: a leaf of the first three kinds, or one that has branches."""

DEPTH, FRESH, NODES = range(3)
"""Places in the array of counters: the level of the search, whether it was just entered, how many were."""

UNBOUNDED_COUNT = 1 << 60
"""More options than any item has."""


class Matrix(NamedTuple):
    """An exact cover: which options cover which items, and which options go together."""

    rows: NDArray[np.uint64]
    """For each item that has to be covered, the options that do."""
    span: NDArray[np.int32]
    """The words of a row that are not 0: the first, and the one behind the last."""
    keep: NDArray[np.uint64]
    """For each option, the options that can be chosen besides; it is none of them."""
    counted: NDArray[np.uint64]
    """For each item that several options may cover, those that do."""
    bounds: NDArray[np.int64]
    """For each such item, how many have to cover it, and how many may."""


class Levels(NamedTuple):
    """The state of a search; arrays have an entry for each level of its tree, unless said otherwise."""

    available: NDArray[np.uint64]
    """The options that go with all that were chosen."""
    branches: NDArray[np.uint64]
    """Those that are still to be tried."""
    open_items: NDArray[np.int32]
    open_count: NDArray[np.int64]
    """How many items are open; they stand first in their row."""
    chosen: NDArray[np.int32]
    """The options on the path; one array for all levels."""
    chosen_count: NDArray[np.int64]
    width: NDArray[np.int64]
    """How many branches a node has."""
    used: NDArray[np.int64]
    """How many of the chosen options cover each item that several may."""
    counters: NDArray[np.int64]
    """DEPTH, FRESH and NODES; the depth is -1 at the end."""


class Leaves(NamedTuple):
    """The leaves of the search tree."""

    rows: NDArray[np.int32]
    """For each leaf, its kind, how many options were chosen, and these."""
    widths: NDArray[np.int32]
    """For each leaf, how many nodes are above it, and how many branches each of them has."""
