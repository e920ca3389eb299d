"""Groups that declared symmetries close to."""

from collections.abc import Sequence

from models.puzzle import Symmetry
from solvers.symmetry.groups import ListedGroup, closed, permutations
from solvers.symmetry.key import Key


def closure(key: Key, symmetries: Sequence[Symmetry]) -> ListedGroup:
    """The group by its elements."""
    return closed(key, permutations(key, symmetries))
