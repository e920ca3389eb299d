"""The certificate of a result as a function."""

import os
from pathlib import Path

from solvers.errors import InputError
from solvers.extras.evidence.certificate import CertificateFolder
from solvers.files.catalogue import find
from solvers.library import Result, refuse_pickled, solve, write_output


def write_certificate(result: Result, folder: str | os.PathLike[str], *, check: bool = True) -> None:
    """Write a proof of a result's count into a new folder, and check it as ``python -m solvers.check`` does.

    Parameters
    ----------
    folder
        A folder that is new or empty.
    check
        Whether to check the proof once it is written.

    Raises
    ------
    InputError
        If the folder cannot be written, or the result is not complete or was pickled.
    """
    refuse_pickled(result)
    if not result.complete:
        raise InputError(f"{result.report.puzzle}: a certificate needs all solutions, but the search was not complete")
    write_output(result, CertificateFolder(os.fspath(folder), no_check=not check))


def prepare(folder: str) -> None:
    """Write a small certificate, for which everything that certificates need is compiled.

    folder: an empty one.
    """
    small = find("pentomino").declare(board="5x4", subset=True)
    write_certificate(solve(small, backend="cover", jobs=1), Path(folder) / "certificate")
