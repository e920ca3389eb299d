"""A small task for which the counts by layers are compiled.

Counts that are wider than a board of 16x16 dominoes compile a variant of their own when they need it.
"""

from solvers.files.catalogue import find
from solvers.library import solve


def prepare(folder: str) -> None:
    """Count the tilings of two boards by layers; folder: not used."""
    for board, has_marginals in (("4x4", True), ("16x16", False)):
        dominoes = find("packing").declare(board=board, pieces="dominoes x*")
        solve(dominoes, backend="cover", method="frontier", count_only=True, marginals=has_marginals)
