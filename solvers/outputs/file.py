"""How a file is written: beside its place first, then renamed."""

import errno
import os
from pathlib import Path
from typing import IO

from solvers.errors import InputError


def opened(path: str, option: str) -> tuple[Path, IO[str]]:
    """The file that was named in this option, and a stream to FILE.part beside it; `InputError` if it cannot be."""
    try:
        target = Path(path).resolve()
        if not path or (target.exists() and not target.is_file()):
            raise OSError(errno.EINVAL, "it is no plain file")
        if target.exists() and not os.access(target, os.W_OK):
            raise OSError(errno.EACCES, "it is write-protected")
        return target, Path(f"{target}.part").open("w", encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot write {path or repr(path)}: {reason}; choose another file for {option}") from None
