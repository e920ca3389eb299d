"""Runs files as a command line would, in this process."""

from pathlib import Path
from typing import Any

from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.symmetry.key import Decoded


def solutions(path: Path, arguments: dict[str, Any] | None = None, **options: Any) -> tuple[list[Decoded], int]:
    """The solutions up to symmetry of the model in the file, and how many there are in all."""
    declaration = find(str(path))
    given = {parameter.name: parameter.default for parameter in declaration.parameters} | (arguments or {})
    run = Run(str(path), given, declaration.declare, Options(jobs=1, **options))
    found = [solution for solution in run if solution is not None]
    assert run.report.complete
    assert run.report.solutions == len(found)
    return found, run.report.total
