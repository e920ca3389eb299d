"""The file of marginals: how many solutions hold each literal."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

from solvers.errors import InputError
from solvers.outputs.output import Ended, FileOutput
from solvers.running.question import Question
from solvers.show import draw, svg
from solvers.show.marginals import Marginals
from solvers.show.plain import plain, plain_label
from solvers.show.printable import printable


class MarginalsFile(FileOutput):
    """Where marginals go: numbers if the file's name ends in .json or .csv, the heat map if it ends in .svg or .txt.

    Raises `InputError` at once if the file cannot be written.
    """

    def __init__(self, path: str) -> None:
        self._ending = Path(path).suffix.lower()
        if self._ending not in (".json", ".csv", ".svg", ".txt"):
            raise InputError(f"cannot write {path or repr(path)}: name a file that ends in .json, .csv, .svg or .txt")
        super().__init__(path, "--marginals")

    def begin(self, question: Question) -> None:
        """Raises `InputError` if a heat map is asked for and the puzzle has none."""
        if self._ending in (".svg", ".txt") and not question.puzzle.fills:
            raise InputError(
                f"{question.puzzle.name} does not say which cells are filled; write marginals to a .json or .csv file"
            )

    def finish(self, run: Ended, is_over: Callable[[], bool]) -> str:
        """Write it, however long that takes; a sentence if the run does not know the numbers. OSError if it fails."""
        if (marginals := run.marginals) is None:
            return f"{self.path} was not written, as marginals are of all solutions"
        with self.stream() as stream:
            if self._ending == ".json":
                json.dump(_as_json(run, marginals), stream, default=plain_label)
                stream.write("\n")
            elif self._ending == ".csv":
                lines = csv.writer(stream)
                lines.writerow(["label", "value", "solutions"])
                for (label, value), count in marginals.items():
                    name = printable(label) if isinstance(label, str) else json.dumps(label, default=plain_label)
                    lines.writerow([name, value, count])
            elif self._ending == ".svg":
                stream.write(svg.picture(marginals.heat_map()) + "\n")
            else:
                stream.write(draw.text(marginals.heat_map()) + "\n")
        return ""


def _as_json(run: Ended, marginals: Marginals) -> dict[str, object]:
    return {
        "puzzle": run.report.puzzle,
        "parameters": {name: plain(value) for name, value in run.report.parameters.items()},
        "total": marginals.total,
        "marginals": [[label, value, count] for (label, value), count in marginals.items()],
        "in_all": marginals.in_all,
        "in_none": marginals.in_none,
    }
