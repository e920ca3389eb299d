"""The paths that a run reads and writes: no input is overwritten, and no two outputs go to the same file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from models import COLLECTION
from solvers.errors import InputError
from solvers.plugs import OUTPUTS

STORE_COMPANIONS = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite writes beside a store."""


def check_paths(reads: Mapping[str, Sequence[str]], writes: Mapping[str, str | None]) -> None:
    """Raise `InputError` if something that is written is, under whatever name, something that is read or written too.

    reads: the paths of inputs, by what reads them; those that are not files count for nothing. writes: the path of each
    output that is asked for, by its option.
    """
    inputs = {_identity(path): (what, path) for what, paths in reads.items() for path in paths if os.path.isfile(path)}
    outputs: dict[object, str] = {}
    for option, path in writes.items():
        for file in _files(option, path) if path else ():
            identity = _identity(file)
            if identity in inputs:
                what, name = inputs[identity]
                raise InputError(
                    f"--{option} would overwrite {name}, which is {what}; choose another name for --{option}"
                )
            if identity in outputs:
                raise InputError(f"two outputs would go to the same file, {file}; give each a name of its own")
        outputs |= dict.fromkeys(map(_identity, _files(option, path) if path else ()), option)
    for folder in (option for option, row in OUTPUTS.items() if row.is_folder):
        for option, path in writes.items():
            if path and option != folder and writes.get(folder) and _lies_in(path, str(writes[folder])):
                raise InputError(
                    f"--{option} would go into the folder of --{folder}; choose another name for --{option}"
                )


def inputs(puzzle: str, arguments: Mapping[str, Any], given: Iterable[Any], which: str | None) -> dict[str, list[str]]:
    """Return the texts that may be paths which a run reads, by their meaning; some are not paths."""
    texts: dict[str, list[str]] = {
        "the model": [] if puzzle in COLLECTION else [puzzle],
        "what is given": [text for text in given if isinstance(text, str)],
        "what is to be recognised": [which] if which else [],
    }
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        texts[f"a file that {name} names"] = [
            part.strip() for text in values if isinstance(text, str) for part in {text, *text.split("+")}
        ]
    return texts


def resolved(path: str) -> Path:
    """The path of what a name stands for, through all links; OSError if they lead round in a circle."""
    real = os.path.realpath(path)
    if os.path.islink(real):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return Path(real)


def further_files(option: str, path: str) -> list[str]:
    """Return the paths of the other files that an output may write."""
    endings = OUTPUTS[option].also if option in OUTPUTS else ()
    return [path.removesuffix(old) + new for old, new in endings if path.endswith(old)]


def _files(option: str, path: str) -> Iterator[str]:
    real = _real(path)
    companions = (
        STORE_COMPANIONS if option == "store" else OUTPUTS[option].companions if option in OUTPUTS else (".part",)
    )
    for name in (real, *further_files(option, real)):
        yield from (name + ending for ending in ("", *companions))


def _identity(path: str) -> object:
    """A key that is equal for all names of a file, whether the file exists or not."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _real(path)
    return found.st_dev, found.st_ino


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # no file can have such a name
        return path


def _lies_in(path: str, folder: str) -> bool:
    return _real(path).startswith(os.path.join(_real(folder), ""))
