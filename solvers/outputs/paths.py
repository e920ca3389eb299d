"""The paths that a run reads and writes.

No input is overwritten, and no two outputs go to the same file.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from models import COLLECTION
from solvers.base.errors import InputError
from solvers.base.plugs import OUTPUTS
from solvers.files.catalogue import path_and_function

STORE_COMPANIONS = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite writes beside a store."""


def check_paths(reads: Mapping[str, Sequence[str]], writes: Mapping[str, str | None]) -> None:
    """Raise `InputError` if an output would overwrite an input, or two outputs would write the same file.

    Paths are compared as files, through links. An output must not be in the folder of another one either.

    reads: the paths of inputs, by a noun phrase for what they are (such as "the model"), as `inputs` returns them;
    paths that are not files are ignored. writes: the path of each output, by its option without the dashes; None if it
    is not asked for.
    """
    inputs = {
        _identity(path): (purpose, path) for purpose, paths in reads.items() for path in paths if os.path.isfile(path)
    }
    outputs: dict[object, str] = {}
    for option, path in writes.items():
        for file in _files_of_output(option, path) if path else ():
            identity = _identity(file)
            if identity in inputs:
                purpose, name = inputs[identity]
                raise InputError(
                    f"`--{option}` would overwrite {name}, which is {purpose}; choose another name for `--{option}`"
                )
            if identity in outputs:
                raise InputError(f"two outputs would go to the same file, {file}; give each a name of its own")
        # Only now, as the files of one output may be the same.
        outputs |= dict.fromkeys(map(_identity, _files_of_output(option, path) if path else ()), option)
    for folder in (option for option, row in OUTPUTS.items() if row.is_folder):
        for option, path in writes.items():
            if path and option != folder and writes.get(folder) and _lies_in(path, str(writes[folder])):
                raise InputError(
                    f"`--{option}` would go into the folder of `--{folder}`; choose another name for `--{option}`"
                )


def inputs(
    puzzle: str, arguments: Mapping[str, Any], given: Iterable[Any], drawing: str | None
) -> dict[str, list[str]]:
    """Return the texts that may be paths of files which a run reads, by a noun phrase for what they are.

    Some texts are no paths: `check_paths` ignores those.

    puzzle: a name in the collection, or a path. arguments: the puzzle's parameters, by name. given: the givens, as in
    `solvers.base.options.Options`. drawing: the drawing to recognise, or None.
    """
    texts: dict[str, list[str]] = {
        "the model": [] if puzzle in COLLECTION else [str(path_and_function(puzzle)[0])],
        "what is given": [text for text in given if isinstance(text, str)],
        "what is to be recognised": [drawing] if drawing else [],
    }
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        texts[f"a file that {name} names"] = [
            # A parameter may name several files, with + between them.
            part.strip()
            for text in values
            if isinstance(text, str)
            for part in {text, *text.split("+")}
        ]
    return texts


def real_path(path: str) -> Path:
    """Return the real path of a file, with all links followed.

    Raises OSError if the links form a circle.
    """
    real = os.path.realpath(path)
    if os.path.islink(real):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return Path(real)


def further_files(option: str, path: str) -> list[str]:
    """Return the paths of the other files that an output may write beside ``path``.

    `OUTPUTS` lists them as pairs of endings (``also``): that of ``path``, and the one in place of it. option: the
    output's option without the dashes.
    """
    endings = OUTPUTS[option].also if option in OUTPUTS else ()
    return [path.removesuffix(old) + new for old, new in endings if path.endswith(old)]


def _files_of_output(option: str, path: str) -> Iterator[str]:
    """Yield the paths of all files that an output may write at this path.

    They include the unfinished file (.part), companions such as those of SQLite, and further files. option: the
    output's option without the dashes.
    """
    real = _path_without_links(path)
    companions: Sequence[str] = (".part",)
    if option == "store":
        companions = STORE_COMPANIONS
    elif option in OUTPUTS:
        companions = OUTPUTS[option].companions
    for name in (real, *further_files(option, real)):
        yield from (name + ending for ending in ("", *companions))


def _identity(path: str) -> object:
    """Return a key that is equal for all paths of the same file.

    It is the file's device and inode, or its real path if there is no such file.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return _path_without_links(path)
    return status.st_dev, status.st_ino


def _path_without_links(path: str) -> str:
    """Return the path with all links followed; a path that no file can have is returned as it is."""
    try:
        return os.path.realpath(path)
    except ValueError:  # no file can have such a name
        return path


def _lies_in(path: str, folder: str) -> bool:
    """Tell whether a path is in a folder or below it, with all links followed."""
    return _path_without_links(path).startswith(os.path.join(_path_without_links(folder), ""))
