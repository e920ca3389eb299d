"""How many solutions hold each literal: what all of them share, what none uses, and where pieces like to lie."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from models.puzzle import Drawing, Frame, Literal, Puzzle, Shape
from solvers import draw, svg
from solvers.backend import Refused
from solvers.key import Key
from solvers.report import plain
from solvers.solutions import opened, plain_label

if TYPE_CHECKING:
    from solvers.runner import Run

NAMED = 12
"""So many literals that all solutions share, or none uses, are named on the terminal."""


Cell = tuple[int, ...]


class Marginals(Mapping[Literal, int]):
    """Of each literal, in how many of all solutions it holds, whether symmetry was broken or not.

    Of a Boolean variable only "it is 1" is listed; "it is 0" can be looked up. Jupyter shows the heat map.

    >>> from solvers import solve
    >>> marginals = solve("magic", kind="ring", marginals=True).marginals
    >>> marginals.total, marginals[(0, 0), 1], marginals[(0, 1), 1]
    (48, 8, 4)
    """

    def __init__(self, puzzle: Puzzle, key: Key, counts: Sequence[int], total: int) -> None:
        """counts: by the numbers of the key's literals; total: of all solutions."""
        self.puzzle = puzzle
        self.total = total
        self._key = key
        self._counts: dict[Literal, int] = {}
        for number, count in enumerate(counts):
            position, value = key.literal(number)
            if value or not key.is_boolean[position]:
                self._counts[key.labels[position], value] = count

    def __getitem__(self, literal: Literal) -> int:
        label, value = literal
        if value == 0 and self._key.is_boolean[self._key.position[label]]:
            return self.total - self._counts[label, 1]
        return self._counts[literal]

    def __iter__(self) -> Iterator[Literal]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def in_all(self) -> list[Literal]:
        """What all solutions share; nothing if there is none."""
        return [literal for literal, count in self.items() if count == self.total > 0]

    @property
    def in_none(self) -> list[Literal]:
        """What no solution uses."""
        return [literal for literal, count in self.items() if not count]

    def heat_map(self) -> Drawing:
        """A frame for each thing that lies on cells, with the percentage of the solutions in which it covers a cell.

        Nothing where the puzzle does not say what lies where (`Puzzle.fills`).
        """
        if not self.puzzle.fills:
            return []
        heat: dict[str, dict[Cell, int]] = defaultdict(lambda: defaultdict(int))
        for (label, value), count in self.items():
            name, cells = self.puzzle.fills(label, value)
            for cell in cells:
                heat[name][cell] += count
        board = sorted({cell for counts in heat.values() for cell in counts})
        hottest = max((count for counts in heat.values() for count in counts.values()), default=0)
        return [
            Frame(
                [self._square(cell, counts[cell], hottest) for cell in board if cell[:-2] == layer],
                f"{name}, layer {layer[0] + 1}" if layer else name,
            )
            for name, counts in heat.items()
            for layer in sorted({cell[:-2] for cell in board})
        ]

    def _square(self, cell: Cell, count: int, hottest: int) -> Shape:
        row, column = cell[-2:]
        outline = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
        if not count:
            return Shape([outline])
        percent = 100 if count == self.total else min(round(100 * count / self.total), 99)
        level = (len(draw.HEAT) * count - 1) // hottest + 1
        return Shape([outline], str(percent) if percent else "<1", f"heat {level}")

    def __str__(self) -> str:
        """What all solutions share and what none uses, by name where these are few."""
        return "\n".join(
            f"{title}: {len(literals)} of {len(self)} literals{_named([self._name(literal) for literal in literals])}"
            for title, literals in (("in all solutions", self.in_all), ("in no solution", self.in_none))
        )

    def __repr__(self) -> str:
        return f"<{self.puzzle.name}: marginals of {len(self)} literals in {self.total} solutions>"

    def _repr_html_(self) -> str:
        return svg.picture(heat_map) if (heat_map := self.heat_map()) else f"<pre>{escape(str(self))}</pre>"

    def _name(self, literal: Literal) -> str:
        label, value = literal
        return str(label) if self._key.is_boolean[self._key.position[label]] else f"{label} = {value}"


def _named(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f"\n  and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "".join(f"\n  {name}" for name in names[:NAMED]) + more


class MarginalsFile:
    """Where marginals go: numbers if the file's name ends in .json or .csv, the heat map if it ends in .svg or .txt.

    Raises `Refused` at once if the file cannot be written.
    """

    def __init__(self, path: str) -> None:
        self._ending = Path(path).suffix.lower()
        if self._ending not in (".json", ".csv", ".svg", ".txt"):
            raise Refused(f"cannot write {path or repr(path)}: name a file that ends in .json, .csv, .svg or .txt")
        self.path, stream = opened(path, "--marginals")
        stream.close()
        self._part = Path(stream.name)
        self._part.unlink()

    def check(self, puzzle: Puzzle) -> None:
        """Raises `Refused` if a heat map is asked for and the puzzle has none."""
        if self._ending in (".svg", ".txt") and not puzzle.fills:
            raise Refused(f"{puzzle.name} does not say which cells are filled; write marginals to a .json or .csv file")

    def finish(self, run: Run, seconds: float) -> str:
        """Write it, however long that takes; a sentence if the run does not know the numbers. OSError if it fails."""
        if (marginals := run.marginals) is None:
            return f"{self.path} was not written, as marginals are of all solutions"
        try:
            with self._part.open("w", encoding="utf-8", newline="") as stream:
                if self._ending == ".json":
                    json.dump(_as_json(run, marginals), stream, default=plain_label)
                    stream.write("\n")
                elif self._ending == ".csv":
                    lines = csv.writer(stream)
                    lines.writerow(["label", "value", "solutions"])
                    for (label, value), count in marginals.items():
                        name = label if isinstance(label, str) else json.dumps(label, default=plain_label)
                        lines.writerow([name, value, count])
                elif self._ending == ".svg":
                    stream.write(svg.picture(marginals.heat_map()) + "\n")
                else:
                    stream.write(draw.text(marginals.heat_map()) + "\n")
            self._part.replace(self.path)
        finally:
            self._part.unlink(missing_ok=True)
        return ""


def _as_json(run: Run, marginals: Marginals) -> dict[str, object]:
    return {
        "puzzle": run.report.puzzle,
        "parameters": {name: plain(value) for name, value in run.report.parameters.items()},
        "total": marginals.total,
        "marginals": [[label, value, count] for (label, value), count in marginals.items()],
        "in_all": marginals.in_all,
        "in_none": marginals.in_none,
    }
