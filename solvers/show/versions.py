"""The versions of the programs that produce a result, and a checksum of this one's source."""

import platform
import tomllib
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import models

SOLVERS = Path(__file__).parent.parent
"""The folder of the package solvers."""


def versions() -> dict[str, str]:
    """Return the versions of the programs that produce a result, by their names."""
    return {
        "python": platform.python_version(),
        "ortools": _version("ortools"),
        "python-sat": _version("python-sat"),
        "kazoeru": _version("kazoeru"),
    }


@cache  # it takes a millisecond each time
def _version(package: str) -> str:
    """Return the version of an installed package; "unknown" if it is not installed.

    The version of this project is also found if it runs from a clone.
    """
    try:
        return version(package)
    except PackageNotFoundError:
        project = SOLVERS.parent / "pyproject.toml"
        if package != "kazoeru" or not project.is_file():
            return "unknown"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


@cache
def source_checksum() -> str:
    """Return the SHA-256, in hexadecimal, of the names and contents of this project's Python files."""
    digest = sha256()
    for folder in (Path(models.__file__).parent, SOLVERS):
        for file in sorted(folder.rglob("*.py")):
            digest.update(f"{folder.name}/{file.relative_to(folder).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def told_versions() -> str:
    """Return the versions and the checksum of the source as lines of text; this project comes first."""
    found = versions()
    ordered = {"kazoeru": found.pop("kazoeru"), "source": source_checksum(), **found}
    return "\n".join(f"{name} {value}" for name, value in ordered.items())
