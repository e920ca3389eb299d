"""Marginals: the number of solutions in which each literal is true, as a mapping, a heat map and a file."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from models.boards import grid
from models.puzzle import EMPTY, Frame, Literal, Puzzle
from solvers.base.errors import InputError
from solvers.extras.pictures import svg
from solvers.extras.pictures.svg import Picture
from solvers.files.solutions import as_heading
from solvers.outputs.output import EndedRun, FileOutput
from solvers.running.plug import LiteralCounts
from solvers.running.question import Question
from solvers.show import draw
from solvers.show.plain import json_value, plain_label
from solvers.show.printable import printable
from solvers.symmetry.key import Key

LITERALS_NAMED = 12
"""The number of literals, true in all solutions or in none, that are named on the terminal."""


Cell = tuple[int, ...]


class Marginals(LiteralCounts):
    """The number of all solutions in which each literal is true, whether symmetry was broken or not.

    A mapping from literals, pairs of label and value, to numbers. Of a Boolean variable only the value 1 is listed; 0
    can be looked up. Jupyter shows the heat map.

    >>> from solvers import solve
    >>> from models.magic import magic
    >>> marginals = solve(magic(kind="ring"), marginals=True).marginals
    >>> marginals.total, marginals[(0, 0), 1], marginals[(0, 1), 1]
    (48, 8, 4)
    """

    def __init__(self, puzzle: Puzzle, key: Key, counts: Sequence[int], total: int) -> None:
        """Store the counts of the literals that are listed: all but those that say that a Boolean is 0.

        puzzle, key: the puzzle that was counted, and its key. counts: the number of solutions for each literal of the
        key, by its number. total: the number of all solutions.
        """
        self.puzzle = puzzle
        self.total = total
        self._key = key
        self._counts: dict[Literal, int] = {}
        for number, count in enumerate(counts):
            position, value = key.literal(number)
            if value or not key.is_boolean[position]:
                self._counts[key.labels[position], value] = count

    def __getitem__(self, literal: Literal) -> int:
        """Return the number of solutions in which a literal is true.

        Raises KeyError if the key has no such literal.
        """
        position = self._key.position[literal[0]]
        value = literal[1]
        first = self._key.labels[position]  # by which a variable of several labels is listed
        if value == 0 and self._key.is_boolean[position]:
            return self.total - self._counts[first, 1]
        return self._counts[first, value]

    def __iter__(self) -> Iterator[Literal]:
        """Iterate over the literals that are listed, as pairs of label and value."""
        return iter(self._counts)

    def __len__(self) -> int:
        """Return the number of literals that are listed."""
        return len(self._counts)

    def heat_map(self) -> Picture:
        """Return a picture with a frame for each piece, or other thing that covers cells.

        The frame shows in which percentage of the solutions it covers each cell; if it has layers, each layer has a
        frame. Cells are (row, column) or (layer, row, column). The picture is empty if the puzzle does not say what
        lies where (`Puzzle.fills`, which returns the name of a thing and its cells for a literal).
        """
        if not self.puzzle.fills:
            return Picture([])
        count_by_name_and_cell: dict[str, dict[Cell, int]] = defaultdict(lambda: defaultdict(int))
        for (label, value), count in self.items():
            name, cells = self.puzzle.fills(label, value)
            for cell in cells:
                count_by_name_and_cell[name][tuple(cell)] += count
        # For each layer, an empty tuple or (layer,), its cells in order.
        hottest = max(
            (max(counts.values()) for name, counts in count_by_name_and_cell.items() if name != EMPTY), default=0
        )
        layers: dict[Cell, list[Cell]] = defaultdict(list)
        for cell in sorted({cell for counts in count_by_name_and_cell.values() for cell in counts}):
            layers[cell[:-2]].append(cell)
        frames = []
        for name, counts in count_by_name_and_cell.items():
            if name == EMPTY:
                continue
            for layer, cells in layers.items():
                caption = f"{name}, layer {layer[0] + 1}" if layer else name
                frames.append(self._frame(caption, {cell: counts[cell] for cell in cells}, hottest))
        return Picture(frames)

    def _frame(self, caption: str, counts: Mapping[Cell, int], hottest: int) -> Frame:
        """Return the frame of a layer: the percentage of the solutions in each cell, on a colour "heat 1" to "heat 6".

        A percentage of 100 means all solutions, so that others are shown as at most 99. caption: the title of the
        frame. counts: the number of solutions for each cell. hottest: the largest count of all frames.
        """
        words: dict[Cell, str] = {}
        colours: dict[Cell, str | None] = {}
        for cell, count in counts.items():
            place = cell[-2:]
            if count:
                percent = 100 if count == self.total else min(round(100 * count / self.total), 99)
                words[place] = str(percent) if percent else "<1"
                colours[place] = f"heat {(len(draw.HEAT) * count - 1) // hottest + 1}"
            else:
                words[place], colours[place] = "", None
        return grid.board_with_texts(words, self.puzzle.board.lattice or grid.SQUARE, colours, 3, printable(caption))

    def __str__(self) -> str:
        """Return the literals that are true in all solutions and those in none, as text.

        They are named if they are few.
        """
        texts = []
        for title, literals in (("in all solutions", self.in_all), ("in no solution", self.in_none)):
            name_lines = _name_lines([*map(self._name, literals)])
            texts.append(f"{title}: {len(literals)} of {len(self)} literals{name_lines}")
        return "\n".join(texts)

    def __repr__(self) -> str:
        """Return the puzzle's name and the numbers of literals and solutions, in angle brackets."""
        return f"<{self.puzzle.name}: marginals of {len(self)} literals in {self.total} solutions>"

    def _repr_html_(self) -> str:
        """Return the heat map as HTML, or the text if there is no heat map."""
        if heat_map := self.heat_map():
            return heat_map._repr_html_()
        return f"<pre>{escape(str(self))}</pre>"

    def _name(self, literal: Literal) -> str:
        """Return the name of a literal: its label, and "= value" unless the variable is Boolean."""
        label, value = literal
        name = str(label) if self._key.is_boolean[self._key.position[label]] else f"{label} = {value}"
        return printable(name)


def _name_lines(names: Sequence[str]) -> str:
    """Return names as indented lines, at most `LITERALS_NAMED`; each line begins with a line break."""
    if not names:
        return ""
    more = f"\n  and {len(names) - LITERALS_NAMED} more" if len(names) > LITERALS_NAMED else ""
    return "".join(f"\n  {name}" for name in names[:LITERALS_NAMED]) + more


class MarginalsFile(FileOutput):
    """The file of ``--marginals``.

    It holds numbers if its name ends in .json or .csv, the heat map if it ends in .svg or .txt.
    """

    def __init__(self, path: str) -> None:
        """Take the path of the file.

        Raises `InputError` if the name has another ending than those of the class, or if the file cannot be written.
        """
        self._ending = Path(path).suffix.lower()
        if self._ending not in (".json", ".csv", ".svg", ".txt"):
            raise InputError(f"cannot write {path or repr(path)}: name a file that ends in .json, .csv, .svg or .txt")
        super().__init__(path)

    def begin(self, question: Question) -> None:
        """Raise `InputError` if a heat map is asked for and the puzzle has none."""
        if self._ending in (".svg", ".txt") and not question.puzzle.fills:
            raise InputError(
                f"{question.puzzle.name} does not say which cells are filled; write marginals to a .json or .csv file"
            )

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the file, however long that takes; return "", or a sentence that says why it was not written.

        run: the ended run, which has the marginals. is_over: not used.

        Raises OSError if writing fails.
        """
        if (marginals := run.marginals) is None:
            return f"{self.path} was not written, because marginals need all solutions"
        with self.stream() as stream:
            if self._ending == ".json":
                json.dump(_as_json(run, marginals), stream, default=plain_label)
                stream.write("\n")
            elif self._ending == ".csv":
                lines = csv.writer(stream)
                lines.writerow(["label", "value", "solutions"])
                for (label, value), count in marginals.items():
                    lines.writerow([as_heading(label), value, count])
            elif self._ending == ".svg":
                stream.write(svg.picture(marginals.heat_map()) + "\n")
            else:
                stream.write(draw.text(marginals.heat_map()) + "\n")
        return ""


def _as_json(run: EndedRun, marginals: LiteralCounts) -> dict[str, object]:
    """Return the content of the JSON file as a dictionary.

    It has the puzzle and its parameters, the total, [label, value, count] for each literal, and the literals of all and
    of no solutions. run: the ended run. marginals: its counts.
    """
    parameters = {name: json_value(value) for name, value in run.report.parameters.items()}
    counts = [[label, value, count] for (label, value), count in marginals.items()]
    return {
        "puzzle": run.report.puzzle,
        "parameters": parameters,
        "total": marginals.total,
        "marginals": counts,
        "in_all": marginals.in_all,
        "in_none": marginals.in_none,
    }
