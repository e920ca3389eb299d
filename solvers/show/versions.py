"""The versions of the programs that produce a result, and a checksum of this one's source."""

import os
import platform
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import models
from solvers.base.version import VERSION

SOLVERS = Path(__file__).parent.parent
"""The folder of the package solvers."""


INSTALLED = frozenset([".py", ".html", ".css", ".js", ".mzn", ".v", ".ml", ".mli", ".txt"])
"""The endings of the files that are installed."""


def versions() -> dict[str, str]:
    """Return the versions of the programs that produce a result, by their names."""
    return {
        "python": platform.python_version(),
        "ortools": version_of("ortools"),
        "python-sat": version_of("python-sat"),
        "kazoeru": VERSION,
    }


@cache
def machine() -> dict[str, Any]:
    """Return what this machine is: the name of its processor, and the number of its cores, as "processor" and "cores".

    Where the system does not name the processor, the name is that of its architecture, such as x86_64.
    """
    processor = platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        processor = next(named, "") or processor
    return {"processor": processor, "cores": os.cpu_count()}


@cache  # it takes a millisecond each time
def version_of(package: str) -> str:
    """Return the version of an installed package; "unknown" if it is not installed.

    An installed package has a folder NAME-VERSION.dist-info on Python's path.
    """
    name = package.replace("-", "_")
    for folder in sys.path:  # to import importlib.metadata, which knows more places, takes 0.04 s
        with suppress(OSError):
            for entry in os.listdir(folder or "."):
                if entry.startswith(f"{name}-") and entry.endswith(".dist-info"):
                    return entry.removeprefix(f"{name}-").removesuffix(".dist-info")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


@cache
def source_checksum() -> str:
    """Return the SHA-256, in hexadecimal, of the names and contents of all files that this project installs."""
    digest = sha256()
    for folder in (Path(models.__file__).parent, SOLVERS):
        for file in sorted(file for file in folder.rglob("*") if file.suffix in INSTALLED):
            digest.update(f"{folder.name}/{file.relative_to(folder).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def version_lines() -> str:
    """Return the versions and the checksum of the source as lines of text; this project comes first."""
    version_by_name = versions()
    ordered = {"kazoeru": version_by_name.pop("kazoeru"), "source": source_checksum(), **version_by_name}
    return "\n".join(f"{name} {value}" for name, value in ordered.items())
