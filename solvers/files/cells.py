"""What is given of single cells: "row 3 column 4 = F", "label != value", and drawings in which single cells are named.

A hint is a set of literals that do not hold: all that would have something else lie in the cell.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.errors import InputError
from solvers.files.given import Labels, in_file
from solvers.files.load import read_text, shown
from solvers.symmetry.choices import choice_of
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

HINT = re.compile(r"\s*(?:layer ([0-9]{1,6}),? )?row ([0-9]{1,6}),? column ([0-9]{1,6})\s*(!?=)\s*(\S.*?)\s*")

Cell = tuple[int, ...]


class Hints(NamedTuple):
    """What holds besides the literals that are given."""

    words: tuple[str, ...] = ()
    """As people write them."""
    excluded: frozenset[Literal] = frozenset()
    covered: tuple[frozenset[Literal], ...] = ()
    """Of each of these sets, one literal holds."""


class Given(dict[Label, int]):
    """The values that labels are given, with the hints."""

    def __init__(self, literals: Mapping[Label, int], hints: Hints) -> None:
        super().__init__(literals)
        self.hints = hints

    @property
    def words(self) -> list[str]:
        """All of it, as people write it."""
        return [*(f"{label}={value}" for label, value in self.items()), *self.hints.words]


def take_hints(given: Iterable[str | Literal], key: Key, puzzle: Puzzle) -> tuple[list[str | Literal], Hints]:
    """What is given without the hints, and the hints; `InputError` for a cell or a name that the puzzle lacks."""
    plain: list[str | Literal] = []
    reader: CellReader | None = None
    words: list[str] = []
    excluded: set[Literal] = set()
    covered: list[frozenset[Literal]] = []
    for one in given:
        if not isinstance(one, str):
            plain.append(one)
        elif match := HINT.fullmatch(one):
            reader = reader or CellReader(puzzle, key)
            layer, row, column, sign, name = match.groups()
            counted = [int(n) for n in (layer, row, column) if n]
            _add(reader, reader.cell(counted), name, sign == "=", words, excluded, covered)
        elif os.path.isfile(one) and puzzle.fills and puzzle.draw:
            reader = reader or CellReader(puzzle, key)
            literals, cells = reader.in_file(Path(one))
            plain += [one] if literals is None else literals
            for cell, name in cells.items():
                _add(reader, cell, name, True, words, excluded, covered)
        elif not os.path.isfile(one) and "!=" in one:
            label, value = Labels(key, puzzle.name).literal(one.replace("!=", "=", 1))
            if key.is_boolean[key.position[label]]:
                plain.append((label, 1 - value))
            else:
                excluded.add((label, value))
                words.append(f"{label} != {value}")
        else:
            plain.append(one)
    return plain, Hints(tuple(words), frozenset(excluded), tuple(covered))


def _add(
    reader: CellReader,
    cell: Cell,
    name: str,
    is_there: bool,
    words: list[str],
    excluded: set[Literal],
    covered: list[frozenset[Literal]],
) -> None:
    there = reader.there(cell, name)
    words.append(f"{reader.place(cell)} {'=' if is_there else '!='} {name}")
    if is_there:
        excluded.update(literal for literal in reader.covering[cell] if literal not in there)
        covered.append(frozenset(there))
    else:
        excluded.update(there)


class CellReader:
    """What may lie in each cell of a puzzle that says what lies where."""

    def __init__(self, puzzle: Puzzle, key: Key) -> None:
        if not puzzle.fills:
            raise InputError(f"{puzzle.name} does not say what lies where; write LABEL=VALUE")
        self._puzzle = puzzle
        self._key = key
        self.covering: dict[Cell, dict[Literal, str]] = defaultdict(dict)
        """Of each cell the literals that have something lie there, and what."""
        for number in range(key.size):
            position, value = key.literal(number)
            if value or not key.is_boolean[position]:
                literal = key.labels[position], value
                name, cells = puzzle.fills(*literal)
                for cell in cells:
                    self.covering[tuple(cell)][literal] = name
        self._names = sorted({name for literals in self.covering.values() for name in literals.values()})
        self._corner = tuple(map(min, zip(*self.covering, strict=True)))

    def cell(self, counted: Sequence[int]) -> Cell:
        """The cell that is meant by numbers counted from 1; `InputError` if there is none."""
        cell = tuple(n - 1 + least for n, least in zip(counted, self._corner, strict=False))
        if len(counted) != len(self._corner) or cell not in self.covering:
            axes = "layer, row and column" if len(self._corner) > 2 else "row and column"
            raise InputError(f"{self._puzzle.name} has no cell in {self.place(cell)}; name {axes}, counted from 1")
        return cell

    def place(self, cell: Cell) -> str:
        """A cell as people name it."""
        axes = ("layer", "row", "column")[-len(cell) :]
        return " ".join(
            f"{axis} {n - least + 1}" for axis, n, least in zip(axes, cell, self._corner[-len(cell) :], strict=False)
        )

    def there(self, cell: Cell, name: str) -> set[Literal]:
        """The literals that have this lie in the cell; `InputError` if there is none."""
        if name not in self._names:
            known = ", ".join(self._names)
            raise InputError(f"{self._puzzle.name} has nothing called {shown(name)}; there is {known}")
        found = {literal for literal, own in self.covering[cell].items() if own == name}
        if not found:
            raise InputError(f"{self._puzzle.name}: {name} cannot lie in {self.place(cell)}")
        return found

    def in_file(self, path: Path) -> tuple[list[str | Literal] | None, dict[Cell, str]]:
        """The literals that a drawing shows, and the cells besides in which there is a name.

        None in place of the literals where the file is to be read in another way.
        """
        assert self._puzzle.draw
        (letters,) = [frame.letters for frame in self._puzzle.draw({})][:1] or [None]
        if letters is not None:
            try:
                text = read_text(path)
            except ValueError as error:
                raise InputError(f"{path}: {error}") from None
            if text.lstrip().startswith("["):
                return None, {}
            return [], self._of_letters(text, path, letters.pitch)
        reading = in_file(path, self._key, self._puzzle)
        cells = {}
        for layer, row, column, text in reading.words:
            cell = (layer, row, column)[-len(self._corner) :]
            cell = tuple(n + least for n, least in zip(cell, self._corner, strict=True))
            if cell not in self.covering or text not in self._names:
                return None, {}
            cells[cell] = text
        return (list(reading.shown.items()), cells) if cells else (None, {})

    def _of_letters(self, text: str, path: Path, pitch: int) -> dict[Cell, str]:
        cells: dict[Cell, str] = {}
        top, left = self._corner
        for line, row in enumerate(text.rstrip().splitlines()):
            for match in re.finditer(r"[^\s.]+" if pitch > 1 else r"[^\s.]", row):
                cell = top + line, left + match.start() // pitch
                if cell not in self.covering:
                    raise InputError(f"{path}: {shown(match[0])} stands in line {line + 1}, where there is no cell")
                cells[cell] = match[0]
        if not cells:
            raise InputError(f"{path} shows nothing that could be given; write the names of pieces in their cells")
        return cells


def hold_hints(model: CpModel, key: Key, hints: Hints) -> None:
    """Add to a model that the hints hold."""
    variable = {
        label: model.get_int_var_from_proto_index(v) for label, v in zip(key.labels, key.variables, strict=True)
    }
    for label, value in sorted(hints.excluded, key=lambda literal: key.number(key.position[literal[0]], literal[1])):
        model.add(variable[label] != value)
    choices = [
        set(choice.literals)
        for constraint in (model.proto.constraints if hints.covered else ())
        if not len(constraint.enforcement_literal)
        and (choice := choice_of(constraint, model.proto))
        and choice.is_exact
    ]
    for literals in hints.covered:
        if all(key.is_boolean[key.position[label]] for label, _ in literals):
            own = {variable[label].index for label, _ in literals}
            rest = own | {variable[label].index for label, value in hints.excluded if value == 1}
            if not any(choice <= rest for choice in choices):  # else one of them holds anyway
                model.add(sum(variable[label] for label, _ in literals) >= 1)
        elif len({label for label, _ in literals}) == 1:
            ((label, _), *_) = literals
            model.add_allowed_assignments([variable[label]], [[value] for _, value in sorted(literals)])
        else:
            some = []
            for label, value in sorted(literals, key=repr):
                holds = model.new_bool_var("")
                model.add(variable[label] == value).only_enforce_if(holds)
                model.add(variable[label] != value).only_enforce_if(~holds)
                some.append(holds)
            model.add_bool_or(some)


def keeping(group: Group, key: Key, hints: Hints) -> Group:
    """The subgroup that carries the hints to themselves."""
    for literals in (hints.excluded, *hints.covered):
        group = group.keeping([key.number(key.position[label], value) for label, value in literals])
    return group
