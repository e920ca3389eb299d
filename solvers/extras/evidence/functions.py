"""The certificate of a result as a function."""

import os
from pathlib import Path

from solvers.errors import InputError
from solvers.extras.evidence.certificate import CertificateFolder
from solvers.extras.evidence.checker.check import check
from solvers.files.catalogue import find
from solvers.library import Result, refuse_pickled, solve, write_output


def write_certificate(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a proof of a result's count into a new folder, for ``python -m solvers.check``.

    Raises
    ------
    InputError
        If the folder cannot be written, or the result is not complete or was pickled.
    """
    refuse_pickled(result)
    if not result.complete:
        raise InputError(f"{result.report.puzzle}: a certificate needs all solutions, but the search was not complete")
    write_output(result, CertificateFolder(os.fspath(folder)))


def prepare(folder: str) -> None:
    """Write and check a small certificate, for which everything that certificates need is compiled.

    folder: an empty one.
    """
    small = find("pentomino").declare(board="5x4", subset=True)
    place = Path(folder) / "certificate"
    write_certificate(solve(small, backend="cover", jobs=1), place)
    check(place)
