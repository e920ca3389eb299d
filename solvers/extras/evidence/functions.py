"""A small certificate, for which all that certificates need is compiled."""

from pathlib import Path

from solvers.files.catalogue import find
from solvers.library import solve


def prepare(folder: str) -> None:
    """Write and check a small certificate, for which everything that certificates need is compiled.

    folder: an empty one.
    """
    small = find("pentomino").declare(board="5x4", subset=True)
    solve(small, backend="cover", jobs=1).save(Path(folder) / "certificate", output="certify")
