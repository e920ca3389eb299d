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
from solvers.files.drawings import Reading
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


class Shown(NamedTuple):
    """What a drawing shows, in one of the ways in which it can be read."""

    literals: list[Literal]
    names: dict[Cell, str]
    """What lies in single cells."""
    pieces: list[tuple[frozenset[Cell], frozenset[Literal]]]
    """Cells that belong together, with the literals of which some hold there, and no other."""
    drawn: frozenset[Cell]
    """All cells of which something is shown."""
    is_by_shape: bool
    """Whether the names are not the puzzle's; then each of `pieces` has one name, and may be copies of one piece."""


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

    def add(cell: Cell, name: str, is_there: bool) -> None:
        assert reader
        _add(reader, cell, name, is_there, words, excluded, covered)

    for one in given:
        if not isinstance(one, str):
            plain.append(one)
        elif match := HINT.fullmatch(one):
            reader = reader or CellReader(puzzle, key)
            layer, row, column, sign, name = match.groups()
            counted = [int(n) for n in (layer, row, column) if n]
            add(reader.cell(counted), name, sign == "=")
        elif os.path.isfile(one) and puzzle.fills and puzzle.draw:
            reader = reader or CellReader(puzzle, key)
            whole = reader.covering.keys()
            # Of a part, an unknown name is rather a slip of the pen.
            ways = [way for way in reader.in_file(Path(one)) if not way.is_by_shape or way.drawn == whole]
            if not ways:
                plain.append(one)
            for shown_there in ways[:1]:
                literals, hints = hints_of(shown_there, reader)
                plain += literals
                words += hints.words
                excluded |= hints.excluded
                covered += hints.covered
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


def hints_of(shown: Shown, reader: CellReader) -> tuple[list[Literal], Hints]:
    """What a drawing gives: literals, and hints; `InputError` for a name that the puzzle lacks there."""
    literals = list(shown.literals)
    words: list[str] = []
    excluded: set[Literal] = set()
    covered: list[frozenset[Literal]] = []
    for cell, name in shown.names.items():
        _add(reader, cell, name, True, words, excluded, covered)
    for cells, there in shown.pieces:
        if len(there) == 1:
            literals += there
            continue
        first, *others = sorted(cells)
        names = sorted(map(reader.name, there))
        together = f" with {', '.join(map(reader.place, others))}" if others else " alone"
        words.append(f"{reader.place(first)} = {' or '.join(dict.fromkeys(names))}{together}")
        excluded.update(literal for cell in cells for literal in reader.covering[cell] if literal not in there)
        covered.append(there)
    return list(dict.fromkeys(literals)), Hints(tuple(words), frozenset(excluded), tuple(covered))


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
        self.names = sorted({name for literals in self.covering.values() for name in literals.values()})
        self._cells: dict[Literal, set[Cell]] = defaultdict(set)
        for cell, literals in self.covering.items():
            for literal in literals:
                self._cells[literal].add(cell)
        self.has_pieces = any(len(cells) > 1 for cells in self._cells.values())
        """Whether something lies in several cells at once."""
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

    def name(self, literal: Literal) -> str:
        """What lies somewhere by this literal."""
        return self.covering[min(self._cells[literal])][literal]

    def there(self, cell: Cell, name: str) -> set[Literal]:
        """The literals that have this lie in the cell; `InputError` if there is none."""
        if name not in self.names:
            known = ", ".join(self.names)
            raise InputError(f"{self._puzzle.name} has nothing called {shown(name)}; there is {known}")
        found = {literal for literal, own in self.covering[cell].items() if own == name}
        if not found:
            raise InputError(f"{self._puzzle.name}: {name} cannot lie in {self.place(cell)}")
        return found

    def in_file(self, path: Path) -> list[Shown]:
        """What a drawing shows, in all ways to read it; none where the file is to be read in another way."""
        assert self._puzzle.draw
        (letters,) = [frame.letters for frame in self._puzzle.draw({})][:1] or [None]
        if letters is not None:
            try:
                text = read_text(path)
            except ValueError as error:
                raise InputError(f"{path}: {error}") from None
            if text.lstrip().startswith("["):
                return []
            names = self._of_letters(text, path, letters.pitch)
            by_name = Shown([], names, [], frozenset(names), False)
            by_shape = self._by_shape(_of_names(names))
            return [by_name, *by_shape] if self._knows(names) or not by_shape else by_shape
        reading = in_file(path, self._key, self._puzzle)
        if not reading.stray:
            return []
        areas: dict[int, dict[Cell, str]] = defaultdict(dict)
        for place, (area, text) in reading.cells.items():
            if (cell := self._at(place)) in self.covering:
                areas[area][cell] = text
        stray = {self._at(place): text for *place, text in reading.words}
        has_areas = any(len(area) > 1 and any(area.values()) for area in areas.values())
        if not has_areas:
            named = {cell: text for area in areas.values() for cell, text in area.items() if text}
            by_shape = self._by_shape(_of_names(named)) if named.keys() >= stray.keys() else []
        else:
            by_shape = self._by_areas(areas)
        return [*([self._by_name(reading, stray, areas, has_areas)] if self._knows(stray) else []), *by_shape]

    def _knows(self, names: Mapping[Cell, str]) -> bool:
        return all(cell in self.covering and name in self.names for cell, name in names.items())

    def _at(self, place: Sequence[int]) -> Cell:
        """The cell of a place, which is named by frame, row and column."""
        return tuple(n + least for n, least in zip(place[-len(self._corner) :], self._corner, strict=True))

    def _by_name(
        self, reading: Reading, stray: Mapping[Cell, str], areas: Mapping[int, Mapping[Cell, str]], has_areas: bool
    ) -> Shown:
        """The names are the puzzle's own. Where an area may be one piece, it is one."""
        pieces: list[tuple[frozenset[Cell], frozenset[Literal]]] = []
        names = dict(stray)
        if reading.has_walls and self.has_pieces:
            fitting = {literal for literal in self._cells if self._fills_areas(literal, areas, is_named=True)}
            is_whole = {cell for literal in fitting for cell in self._cells[literal]} == self.covering.keys()
            for area in areas.values():
                there = frozenset(literal for literal in self.covering[min(area)] if literal in fitting)
                if there and (is_whole or (has_areas and any(cell in stray for cell in area))):
                    pieces.append((frozenset(area), there))
                    names = {cell: name for cell, name in names.items() if cell not in area}
        shown = {cell for literal in reading.shown.items() for cell in self._cells.get(literal, ())}
        drawn = shown.union(names, *(cells for cells, _ in pieces))
        return Shown(list(reading.shown.items()), names, pieces, frozenset(drawn), False)

    def _by_shape(self, groups: Mapping[str, frozenset[Cell]]) -> list[Shown]:
        """Each name stands for one piece, of which these are the cells; else for copies of one."""
        if not self.has_pieces or not all(cells <= self.covering.keys() for cells in groups.values()):
            return []
        pieces, copies = [], []
        for name, cells in groups.items():
            there = {literal for literal in self.covering[min(cells)] if self._cells[literal] == cells}
            pieces.append((cells, self._called(name, there)))
            copies.append((cells, self._copies(cells)))
        return self._of_pieces(pieces) or self._of_pieces(copies)

    def _copies(self, cells: frozenset[Cell]) -> frozenset[Literal]:
        """What may lie in these cells only, if all of them are filled with things of one name."""
        inside: dict[str, set[Literal]] = defaultdict(set)
        for cell in cells:
            for literal, name in self.covering[cell].items():
                if self._cells[literal] <= cells:
                    inside[name].add(literal)
        return frozenset(
            literal
            for literals in inside.values()
            if cells == {cell for literal in literals for cell in self._cells[literal]}
            for literal in literals
        )

    def _by_areas(self, areas: Mapping[int, Mapping[Cell, str]]) -> list[Shown]:
        """Each area between walls is a piece, or the part of one that lies in a layer, whatever is written there."""
        if not self.has_pieces:
            return []
        fitting = {literal for literal in self._cells if self._fills_areas(literal, areas, is_named=False)}
        is_whole = {cell for literal in fitting for cell in self._cells[literal]} == self.covering.keys()
        pieces = []
        for area in areas.values():
            if is_whole or any(area.values()):
                there = {literal for literal in self.covering[min(area)] if literal in fitting}
                pieces.append((frozenset(area), self._called(max(area.values()), there)))
        return self._of_pieces(pieces)

    def _called(self, name: str, there: set[Literal]) -> frozenset[Literal]:
        """Of pieces that lie there, those that have this name; all where none has."""
        return frozenset({one for one in there if self.name(one) == name} or there)

    def _of_pieces(self, pieces: list[tuple[frozenset[Cell], frozenset[Literal]]]) -> list[Shown]:
        if not pieces or not all(there for _, there in pieces):
            return []
        return [Shown([], {}, pieces, frozenset().union(*(cells for cells, _ in pieces)), True)]

    def _fills_areas(self, literal: Literal, areas: Mapping[int, Mapping[Cell, str]], is_named: bool) -> bool:
        """Whether what lies there fills areas, as it is drawn: its name stands in the first one of each layer."""
        own = self._cells[literal]
        touched = [area for area in areas.values() if not own.isdisjoint(area)]
        if set().union(*touched) != own:
            return False
        texts = set()
        for layer in {cell[:-2] for cell in own}:
            first, *others = sorted((area for area in touched if min(area)[:-2] == layer), key=min)
            texts |= set(first.values())
            if any(text for area in others for text in area.values()):
                return False
        return len(texts) == 1 and texts <= ({self.name(literal)} if is_named else texts - {""})

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


def _of_names(names: Mapping[Cell, str]) -> dict[str, frozenset[Cell]]:
    """The cells in which each name stands."""
    found: dict[str, set[Cell]] = defaultdict(set)
    for cell, name in names.items():
        found[name].add(cell)
    return {name: frozenset(cells) for name, cells in found.items()}


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
