"""Runs files as a command line would, in this process."""

from functools import partial
from pathlib import Path
from typing import Any

from solvers.catalogue import find
from solvers.command import declared
from solvers.key import Decoded
from solvers.runner import Options, Run


def solutions(path: Path, arguments: dict[str, Any] | None = None, **options: Any) -> tuple[list[Decoded], int]:
    """The solutions up to symmetry of the model in the file, and how many there are in all."""
    declaration = find(str(path))
    given = {parameter.name: parameter.default for parameter in declaration.parameters} | (arguments or {})
    run = Run(str(path), given, partial(declared, declaration), Options(jobs=1, **options))
    found = [solution for solution in run if solution is not None]
    assert run.report.complete
    assert run.report.solutions == len(found)
    return found, run.report.total
