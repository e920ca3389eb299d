"""The certificate of a result as a function."""

import os

from solvers.errors import InputError
from solvers.extras.proofs.certificate import CertificateFolder
from solvers.library import Result, write_output


def write_certificate(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a proof of a result's count into a new folder, for ``python -m solvers.check``.

    Raises
    ------
    InputError
        If the folder cannot be written, or the result is not complete.
    """
    if not result.complete:
        raise InputError(f"{result.report.puzzle}: a certificate needs all solutions, but the search was not complete")
    write_output(result, CertificateFolder(os.fspath(folder)))
