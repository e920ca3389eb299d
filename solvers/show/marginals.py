"""How many solutions hold each literal: what all of them share, what none uses, and where pieces like to lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from models.puzzle import Frame, Literal, Point, Puzzle, Shape
from solvers.show import draw
from solvers.show.printable import printable
from solvers.show.svg import Picture
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    pass

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

    def heat_map(self) -> Picture:
        """A frame for each thing that lies on cells, with the percentage of the solutions in which it covers a cell.

        Nothing where the puzzle does not say what lies where (`Puzzle.fills`).
        """
        if not self.puzzle.fills:
            return Picture([])
        heat: dict[str, dict[Cell, int]] = defaultdict(lambda: defaultdict(int))
        for (label, value), count in self.items():
            name, cells = self.puzzle.fills(label, value)
            for cell in cells:
                heat[name][cell] += count
        board = sorted({cell for counts in heat.values() for cell in counts})
        hottest = max((count for counts in heat.values() for count in counts.values()), default=0)
        frames = [
            Frame(
                [self._square(cell, counts[cell], hottest) for cell in board if cell[:-2] == layer],
                printable(f"{name}, layer {layer[0] + 1}" if layer else name),
            )
            for name, counts in heat.items()
            for layer in sorted({cell[:-2] for cell in board})
        ]
        return Picture(frames)

    def _square(self, cell: Cell, count: int, hottest: int) -> Shape:
        row, column = cell[-2:]
        outline: list[Point] = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
        if self.puzzle.polygon:
            outline = list(self.puzzle.polygon(cell))
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
        return heat_map._repr_html_() if (heat_map := self.heat_map()) else f"<pre>{escape(str(self))}</pre>"

    def _name(self, literal: Literal) -> str:
        label, value = literal
        name = str(label) if self._key.is_boolean[self._key.position[label]] else f"{label} = {value}"
        return printable(name)


def _named(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f"\n  and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "".join(f"\n  {name}" for name in names[:NAMED]) + more
