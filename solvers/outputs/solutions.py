"""The file of solutions: streamed as FILE.part while they are found, put in order as FILE at the end."""

from collections.abc import Callable
from pathlib import Path

from solvers.files.solutions import as_json
from solvers.outputs.output import Ended, FileOutput
from solvers.show import draw
from solvers.symmetry.key import Decoded


class SolutionsFile(FileOutput):
    """Where the solutions go: JSON lines, or numbered drawings if the file's name ends in .txt.

    Raises `InputError` at once if the file cannot be written; OSError later, where the disk is full.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path, "--solutions")
        self._stream = self.part.open("w", encoding="utf-8")

    def add(self, solution: Decoded) -> None:
        """Write a solution that was just found."""
        self._stream.write(as_json(solution) + "\n")
        self._stream.flush()

    def finish(self, run: Ended, is_over: Callable[[], bool]) -> str:
        """Write all solutions in their order and drop what was streamed; if it is over before, leave that."""
        if (question := run.question) is None:
            return ""
        self._stream.close()
        sorted_part = Path(f"{self.part}.sorted")
        try:
            with sorted_part.open("w", encoding="utf-8") as stream:
                for number, solution in enumerate(map(question.key.decode, run.in_order()), 1):
                    if is_over():
                        return f"{self.path} was not written, but {self.part} holds the solutions in no order"
                    if self.path.suffix == ".txt":
                        stream.write(f"{number}\n{draw.solution(question.puzzle, solution)}\n\n")
                    else:
                        stream.write(as_json(solution) + "\n")
            sorted_part.replace(self.path)
            self.part.unlink()
        finally:
            sorted_part.unlink(missing_ok=True)
        return ""
