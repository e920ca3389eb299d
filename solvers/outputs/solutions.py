"""The file of solutions: streamed as FILE.part while they are found, put in order as FILE at the end."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from solvers.base.errors import InputError
from solvers.base.plugs import function
from solvers.files.solutions import as_heading, as_json
from solvers.outputs.output import EndedRun, FileOutput
from solvers.running.question import Question
from solvers.show import draw
from solvers.symmetry.key import Decoded, Encoded

LINKS, PACKINGS = ".url", ".xmpuzzle"

ENDINGS = (".jsonl", ".json", ".csv", ".txt", LINKS, PACKINGS)
"""The endings of files of solutions, each of which represents a format."""


class SolutionsFile(FileOutput):
    """The file of solutions, as JSON lines.

    It is one array if its name ends in .json, a table if it ends in .csv, numbered drawings if it ends in .txt, links
    with the puzzle and a solution if it ends in .url, and a puzzle of BurrTools, with the moves that take each solution
    apart, if it ends in .xmpuzzle.
    Raises `InputError` at once if the file cannot be written; OSError later, where the disk is full.
    """

    def __init__(self, path: str) -> None:
        """Check that the file can be written.

        Raises `InputError` if the path has none of the endings that the class names, or if it cannot be written.
        """
        self._ending = Path(path).suffix.lower()
        if self._ending not in ("", *ENDINGS):
            raise InputError(
                f"cannot write {path}: name a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
            )
        super().__init__(path)

    def begin(self, question: Question) -> None:
        """Open the part file for solutions as they are found; see `Output.begin`.

        For links and packings, the functions of wings that write them are imported.
        """
        if self._ending == LINKS:
            # A function that returns the link of a solution.
            self._as_link = function("link of solution", f"a file {LINKS}")(
                question.puzzle, question.given, question.key
            )
        if self._ending == PACKINGS:
            # An object that returns the XML of a solution, and at the end the text of the file.
            self._as_packed = function("burrtools", f"a file {PACKINGS}")(question.puzzle)
        self._stream = self.part.open("w", encoding="utf-8")

    def add(self, solution: Decoded) -> None:
        """Append a solution to the part file, as a line of JSON; see `Output.add`."""
        self._stream.write(as_json(solution) + "\n")
        self._stream.flush()

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write all solutions in key order, and remove the part file; see `Output.finish`.

        They are written into a second part file, which then takes the name of the file. If the time is over before the
        end, the file is not written, and the part file stays, with the solutions as they were found. Raises
        `InputError` if the puzzle draws something that cannot be shown.
        """
        if (question := run.question) is None:
            return ""
        self._stream.close()
        sorted_part = Path(f"{self.part}.sorted")
        try:
            with sorted_part.open("w", encoding="utf-8", newline="") as stream:
                if not self._write(stream, question, run.in_order(), is_over):
                    return f"{self.path} was not written, but {self.part} holds the solutions, unsorted"
            sorted_part.replace(self.path)
            self.part.unlink()
        finally:
            sorted_part.unlink(missing_ok=True)
        return ""

    def _write(
        self, stream: IO[str], question: Question, solutions: Sequence[Encoded], is_over: Callable[[], bool]
    ) -> bool:
        """Write solutions to a stream in the form that the ending asks for; return False if the time is over.

        Without an ending, and for .jsonl, the form is a line of JSON for each. A packing is one text for all solutions,
        which is written at the end. question: that of the run. solutions: in the order in which they are written.
        is_over: says whether the time is over; it is asked before each solution. What is written by then is not
        complete.
        """
        table, labels = csv.writer(stream), list(question.key.position)
        if self._ending == ".csv":
            table.writerow(map(as_heading, labels))
        packed = []
        for number, solution in enumerate(map(question.key.decode, solutions), 1):
            if is_over():
                return False
            if self._ending == ".csv":
                table.writerow(solution[label] for label in labels)
            elif self._ending == ".txt":
                stream.write(f"{number}\n{draw.solution(question.puzzle, solution)}\n\n")
            elif self._ending == PACKINGS:
                packed.append(self._as_packed(solution))
            elif self._ending == LINKS:
                stream.write(self._as_link(solution) + "\n")
            elif self._ending == ".json":
                stream.write(("[\n" if number == 1 else ",\n") + as_json(solution))
            else:
                stream.write(as_json(solution) + "\n")
        if self._ending == PACKINGS:
            stream.write(self._as_packed.text(packed))
        if self._ending == ".json":
            stream.write("\n]\n" if solutions else "[]\n")
        return True
