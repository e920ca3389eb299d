"""The data of the compiled search of exact covers: named tuples of arrays, and the meaning of their numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

REFUTED, SOLUTION, CUBE, BRANCHES = range(4)
"""What a node of the search is: a leaf of the first three kinds, or one that has branches."""

DEPTH, FRESH, NODES = range(3)
"""The places of three numbers in the array of counters.

They are the current level of the search, 1 if its node was just entered and else 0, and the number of nodes entered so
far.
"""

UNBOUNDED_COUNT = 1 << 60
"""More options than any item has."""


class Matrix(NamedTuple):
    """An exact cover: which options cover which items, and which options go together."""

    rows: NDArray[np.uint64]
    """For each item that has to be covered, the options that cover it."""
    span: NDArray[np.int32]
    """For each row, the words that are not all 0: the index of the first, and one more than the index of the last."""
    keep: NDArray[np.uint64]
    """For each option, the other options that can be chosen together with it."""
    counted: NDArray[np.uint64]
    """For each item that several options may cover, the options that cover it."""
    bounds: NDArray[np.int64]
    """For each such item, the least and the greatest number of options that cover it."""


class Levels(NamedTuple):
    """The state of a search; arrays have an entry for each level of its tree, unless said otherwise."""

    available: NDArray[np.uint64]
    """The options that are compatible with all chosen options."""
    branches: NDArray[np.uint64]
    """The options that are still to be tried at this level."""
    open_items: NDArray[np.int32]
    """The numbers of the items that no chosen option covers, at the front of the level's row."""
    open_count: NDArray[np.int64]
    """The number of open items."""
    chosen: NDArray[np.int32]
    """The options on the path; one array for all levels."""
    chosen_count: NDArray[np.int64]
    """The number of options on the path to the level's node, those that were forced included."""
    width: NDArray[np.int64]
    """The number of branches of the level's node."""
    used: NDArray[np.int64]
    """For each item that several options may cover, the number of chosen options that cover it."""
    counters: NDArray[np.int64]
    """DEPTH, FRESH and NODES; the depth is -1 at the end."""


class Leaves(NamedTuple):
    """The leaves of the search tree."""

    rows: NDArray[np.int32]
    """For each leaf, its kind, the number of chosen options, and these options."""
    widths: NDArray[np.int32]
    """For each leaf, the number of nodes above it, and the number of branches of each of these nodes."""
