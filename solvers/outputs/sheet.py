"""Sheets to be printed: the board with the pieces beside it, and some solutions on a second one."""

from collections.abc import Callable
from pathlib import Path

from solvers.errors import InputError
from solvers.outputs.output import Ended, FileOutput
from solvers.outputs.paths import second_sheet
from solvers.running.question import Question
from solvers.show import svg

MOST_SOLVED = 12
"""So many solutions are on the second sheet."""


class Sheets(FileOutput):
    """Two files, of which FILE-solutions.svg is the second. Raises `InputError` at once if they cannot be written."""

    def __init__(self, path: str) -> None:
        if Path(path).suffix != ".svg":
            raise InputError(f"--sheet {path} does not end in .svg; choose such a name")
        super().__init__(path, "--sheet")
        self._second = FileOutput(second_sheet(path), "--sheet")

    def begin(self, question: Question) -> None:
        """Refuses a puzzle that has nothing to print."""
        if question.puzzle.sheets is None:
            raise InputError(f"{question.puzzle.name} has no board and no pieces to print; leave out --sheet")

    def finish(self, run: Ended, is_over: Callable[[], bool]) -> str:
        """Write both, the second with the first solutions; a sentence if there are more."""
        if run.question is None or run.question.puzzle.sheets is None:
            return ""
        found = run.in_order()
        solutions = [run.question.key.decode(encoded) for encoded in found[:MOST_SOLVED]]
        for output, drawing in zip((self, self._second), run.question.puzzle.sheets(solutions), strict=True):
            with output.stream() as stream:
                stream.write(svg.sheet(drawing) + "\n")
        return "" if len(found) <= MOST_SOLVED else f"the second sheet has {MOST_SOLVED} of {len(found)} solutions"
