"""Facts of a puzzle: all that one may be told of a solution, and those that people write, or draw in its cells."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.boards.grid import cell_ranges
from models.boards.lattice import HEX
from models.boards.marks import contents_of, is_line_of
from models.puzzle import Board, Literal, Puzzle
from solvers.base.errors import InputError
from solvers.extras.questions.recognise.drawings import Reading, read_once
from solvers.extras.questions.recognise.from_drawing import with_fills
from solvers.files.given import Fact, Labels, fact_of_literal
from solvers.files.load import read_text
from solvers.show.draw import half_width
from solvers.show.printable import quotation
from solvers.symmetry.key import Encoded, Key

CELL = re.compile(
    r"\s*(?:layer ([0-9]{1,6}),?\s+)?row ([0-9]{1,6}),?\s+column ([0-9]{1,6})\s*(!?=)\s*(\S.*?)\s*", re.IGNORECASE
)
"""Matches a fact about a cell, such as "row 3 column 4 = F"."""

SHORT_CELL = re.compile(r"\s*r([0-9]{1,6})c([0-9]{1,6})\b", re.IGNORECASE)
"""Matches the beginning of such a fact in its short form, such as "r3c4 = F"."""

Cell = tuple[int, ...]


class DrawingContent(NamedTuple):
    """The content of a drawing, in one of the ways in which it can be read."""

    literals: list[Literal]
    names: dict[Cell, str]
    """For single cells, the name of what lies there."""
    pieces: list[tuple[frozenset[Cell], frozenset[Literal]]]
    """Sets of cells that belong together, each with its literals: some of these fill the cells, and no others do."""
    drawn: frozenset[Cell]
    """All cells in which the drawing shows something."""
    is_by_shape: bool
    """True if the names in the drawing are not the puzzle's. In `pieces`, a set may be several copies of a piece."""


AXES = ("layer", "row", "column")
"""The names of the coordinates of a cell."""


class CellReader:
    """The literals that may fill each cell of a puzzle; it reads facts about cells."""

    def __init__(self, puzzle: Puzzle, key: Key) -> None:
        """Collect the cells that each literal fills; the negation of a Boolean fills none.

        `Puzzle.fills` returns (name, cells) for a literal: what it puts into which cells. `with_fills` adds this
        function, made from the drawings, if the puzzle lacks it. key: numbers the literals. Raises `InputError` if
        there is no such function.
        """
        self._labels = Labels(key, puzzle)
        puzzle = with_fills(puzzle, key)
        if not puzzle.fills:
            example = self._labels.example()
            raise InputError(f"{puzzle.name} does not say what lies where; write LABEL=VALUE, such as {example}")
        self._puzzle = puzzle
        self._key = key
        self.covering: dict[Cell, dict[Literal, str]] = defaultdict(dict)
        """For each cell, the literals that fill it, with the name of what lies there."""
        for number in range(key.size):
            position, value = key.literal(number)
            if value or not key.is_boolean[position]:
                literal = key.labels[position], value
                name, cells = puzzle.fills(*literal)
                for cell in cells:
                    self.covering[tuple(cell)][literal] = name
        self.names = sorted({name for literals in self.covering.values() for name in literals.values()})
        self._cells_of_literal: dict[Literal, set[Cell]] = defaultdict(set)
        for cell, literals in self.covering.items():
            for literal in literals:
                self._cells_of_literal[literal].add(cell)
        self.has_pieces = any(len(cells) > 1 for cells in self._cells_of_literal.values())
        """Whether something is in several cells at once."""
        self._corner = tuple(map(min, zip(*self.covering, *_cells_of_board(puzzle, key), strict=True)))
        """The least of each coordinate of all cells; users count from there."""
        self._content = cache(partial(self.fact, is_there=True))
        """Returns the fact that a cell (first argument) contains the thing of a name (second argument)."""

    def cell(self, counted: Sequence[int]) -> Cell:
        """Return the cell with these coordinates, which are counted from 1.

        Raises `InputError` if the puzzle has no such cell.
        """
        cell = tuple(n - 1 + least for n, least in zip(counted, self._corner, strict=False))
        if len(counted) != len(self._corner) or cell not in self.covering:
            axes = "layer, row and column" if len(self._corner) > 2 else "row and column"
            raise InputError(
                f"{self._puzzle.name} has no cell in {self.cell_in_words(cell)}; name {axes}, counted from 1"
            )
        return cell

    def cell_in_words(self, cell: Cell) -> str:
        """Return a cell in words, counted from 1, such as "row 3 column 4"."""
        axes = AXES[-len(cell) :]
        return " ".join(f"{axis} {n}" for axis, n in zip(axes, self.coordinates_from_one(cell), strict=False))

    def coordinates_from_one(self, cell: Cell) -> Cell:
        """Return the coordinates of a cell, counted from 1."""
        corner = self._corner[-len(cell) :]
        return tuple(n - least + 1 for n, least in zip(cell, corner, strict=False))

    def cells_of(self, literal: Literal) -> Collection[Cell]:
        """Return the cells that a literal fills."""
        return self._cells_of_literal.get(literal, ())

    def name(self, literal: Literal) -> str:
        """Return the name of what a literal puts into its cells."""
        return self.covering[min(self._cells_of_literal[literal])][literal]

    def fact(self, cell: Cell, name: str, is_there: bool) -> Fact:
        """Return the fact that the thing of this name is in the cell or, if not ``is_there``, that it is not.

        Raises `InputError` if that thing cannot lie there.
        """
        literals = self._literals_in_cell(cell, name)
        if not is_there:
            return Fact(f"{self.cell_in_words(cell)} != {name}", (), excluded=self._numbers(literals))
        fact = self._fact_of_cells(f"{self.cell_in_words(cell)} = {name}", [cell], literals)
        return fact._replace(cell=cell, name=name)

    def contents(self, text: str) -> list[Fact] | None:
        """Return the facts that a text gives as the contents of all cells, row by row.

        The result is None if the text is not of this kind, if things of this puzzle are in several cells, or if cells
        are not (row, column). Raises `InputError` if the text is a line of too many or too few cells.
        """
        if self.has_pieces or len(self._corner) != 2:
            return None
        cells = sorted(self.covering)
        contents = contents_of(text, len(cells), self.names)  # a name for each cell, "" for an unknown one; or None
        if contents is None:
            line = text.strip()
            if is_line_of(line, self.names):
                raise InputError(f"the line has {len(line)} cells, and {self._puzzle.name} has {len(cells)}")
            return None
        return [self._content(cell, name) for cell, name in zip(cells, contents, strict=True) if name]

    def facts(self, content: DrawingContent) -> list[Fact]:
        """Return the facts that a drawing gives, each once: of its literals, its named cells, and its pieces.

        The fact of a piece is that one of its literals is true and no other literal that fills its cells. Raises
        `InputError` for a name that cannot be in its cell.
        """
        facts = [fact_of_literal(self._key, number) for number in self._numbers(content.literals)]
        facts += [self.fact(cell, name, is_there=True) for cell, name in content.names.items()]
        for cells, options in content.pieces:
            if len(options) == 1:
                facts.append(fact_of_literal(self._key, *self._numbers(options)))
                continue
            first, *other_cells = map(self.cell_in_words, sorted(cells))
            names = " or ".join(dict.fromkeys(sorted(map(self.name, options))))
            extent = f"with {', '.join(other_cells)}" if other_cells else "alone"
            facts.append(self._fact_of_cells(f"{first} = {names} {extent}", cells, options))
        return list(dict.fromkeys(facts))

    def _fact_of_cells(self, text: str, cells: Iterable[Cell], options: Collection[Literal]) -> Fact:
        """Return the fact, with this text, that one of the options is true and no other literal that fills the cells.

        options: literals. If all have the same label, its other values need not be excluded: a label has one value
        anyway.
        """
        labels = {label for label, _ in options}
        excluded = {literal for cell in cells for literal in self.covering[cell]}.difference(options)
        if len(labels) == 1:
            excluded = {literal for literal in excluded if literal[0] not in labels}
        return Fact(text, self._numbers(options), self._numbers(excluded))

    def _numbers(self, literals: Iterable[Literal]) -> tuple[int, ...]:
        """Return the numbers of literals in the key, ascending."""
        return tuple(sorted(self._key.number(self._key.position[label], value) for label, value in literals))

    def _literals_in_cell(self, cell: Cell, name: str) -> set[Literal]:
        """Return the literals that put the thing of this name into the cell.

        Raises `InputError` if no literal does.
        """
        if name not in self.names:
            names = ", ".join(self.names)
            or_label = f"; a label is given as in {self._labels.example()}" if name.isdecimal() else ""
            raise InputError(f"{self._puzzle.name} has nothing called {quotation(name)}; there is {names}{or_label}")
        literals = {literal for literal, name_of_literal in self.covering[cell].items() if name_of_literal == name}
        if not literals:
            raise InputError(f"{self._puzzle.name}: {name} cannot lie in {self.cell_in_words(cell)}")
        return literals

    def in_file(self, path: Path, read_literals: Callable[[], Reading]) -> list[DrawingContent]:
        """Return the contents of a drawing in a file, one for each way to read it: by names first, then by shapes.

        On hexagons and triangles, names in cells are read from the text itself. On squares, `read_literals` reads the
        same file by comparing it with the drawings of single literals; only if that leaves words unexplained, it is
        read by cells. The list is empty if the file is not read by cells, or cannot be. Raises `InputError` for a file
        that cannot be read.
        """
        # Hexagons and triangles. If some names are not the puzzle's own, the shapes alone count if they fit.
        if board := self._skew_board():
            try:
                text = read_text(path)
            except ValueError as error:
                raise InputError(f"{path}: {error}") from None
            if text.lstrip().startswith("["):
                return []
            names = self._names_of_letters(text, path, board)
            content_by_name = DrawingContent(
                literals=[], names=names, pieces=[], drawn=frozenset(names), is_by_shape=False
            )
            by_shape = self._by_shape(_cells_by_name(names))
            return [content_by_name, *by_shape] if self._knows(names) or not by_shape else by_shape
        reading = read_literals()
        if not reading.stray:
            return []
        areas: dict[int, dict[Cell, str]] = defaultdict(dict)  # the text in each cell of each area
        for place, (area, text) in reading.cells.items():
            if (cell := self._cell_at(place)) in self.covering:
                areas[area][cell] = text
        stray = {self._cell_at(place): text for *place, text in reading.words}  # the words without explanation, by cell
        by_name = [self._by_name(reading, stray, areas)] if self._knows(stray) else []
        if _has_text_in_area(areas):
            return [*by_name, *self._by_areas(areas)]
        name_of_cell = {cell: text for area in areas.values() for cell, text in area.items() if text}
        if not name_of_cell.keys() >= stray.keys():  # some unexplained word stands outside of the cells
            return by_name
        return [*by_name, *self._by_shape(_cells_by_name(name_of_cell))]

    def _skew_board(self) -> Board | None:
        """Return the board as the puzzle draws it, if its cells are hexagons or triangles; None otherwise.

        None, too, if the puzzle can draw whole solutions only.
        """
        if not self._puzzle.draw or self._puzzle.board.lattice is None or not self._puzzle.board.lattice.is_skew:
            return None
        try:
            frames = self._puzzle.draw(self._key.partial_solution({}))
        except Exception:  # its draw needs whole solutions
            return None
        return frames[0].board if frames else None

    def _knows(self, names: Mapping[Cell, str]) -> bool:
        """Tell whether the puzzle has all these cells and names."""
        return all(cell in self.covering and name in self.names for cell, name in names.items())

    def _cell_at(self, place: Sequence[int]) -> Cell:
        """Return the cell at a place of a drawing: frame, row and column, each counted from 0.

        A cell of two coordinates ignores the frame; of three, the frame is its layer.
        """
        coordinates = place[-len(self._corner) :]
        return tuple(n + least for n, least in zip(coordinates, self._corner, strict=True))

    def _by_name(
        self, reading: Reading, stray: Mapping[Cell, str], areas: Mapping[int, Mapping[Cell, str]]
    ) -> DrawingContent:
        """Read a drawing whose names are the puzzle's own; an area that can be one piece counts as one.

        reading: the same drawing, read literal by literal. stray: the words that the literals do not explain, by cell.
        areas: the text in each cell of each area, by the area's number.
        """
        pieces: list[tuple[frozenset[Cell], frozenset[Literal]]] = []
        names = dict(stray)
        if reading.has_walls and self.has_pieces:
            filling_literals = {
                literal for literal in self._cells_of_literal if self._fills_areas(literal, areas, is_named=True)
            }
            covers_board = self._union_of_cells(filling_literals) == self.covering.keys()
            has_text_in_area = _has_text_in_area(areas)
            for area in areas.values():
                options = filling_literals.intersection(self.covering[min(area)])
                # If pieces cannot cover the board, an area is one only if it has a word without explanation.
                is_piece = covers_board or (has_text_in_area and not stray.keys().isdisjoint(area))
                if options and is_piece:
                    pieces.append((frozenset(area), frozenset(options)))
                    names = {cell: name for cell, name in names.items() if cell not in area}
        cells_shown = self._union_of_cells(reading.shown.items())
        drawn_cells = cells_shown.union(names, *(cells for cells, _ in pieces))
        return DrawingContent(list(reading.shown.items()), names, pieces, frozenset(drawn_cells), is_by_shape=False)

    def _by_shape(self, groups: Mapping[str, frozenset[Cell]]) -> list[DrawingContent]:
        """Read a drawing in which each name represents one piece or, if that fails, several copies of one piece.

        groups: the cells in which each name stands. Returns a list of at most one content; it is empty if no pieces
        have these shapes.
        """
        if not self.has_pieces or not all(cells <= self.covering.keys() for cells in groups.values()):
            return []
        single_pieces, copies = [], []  # (cells, literals) of each name, read in the one way and in the other
        for name, cells in groups.items():
            options = {literal for literal in self.covering[min(cells)] if self._cells_of_literal[literal] == cells}
            single_pieces.append((cells, self._literals_named(name, options)))
            copies.append((cells, self._copies(cells)))
        return self._contents_of_pieces(single_pieces) or self._contents_of_pieces(copies)

    def _copies(self, cells: frozenset[Cell]) -> frozenset[Literal]:
        """Return the literals that can be true if copies of one thing fill exactly these cells.

        They are the literals of every thing whose places within the cells together cover all these cells.
        """
        literals_within: dict[str, set[Literal]] = defaultdict(set)  # by the name of the thing
        for cell in cells:
            for literal, name in self.covering[cell].items():
                if self._cells_of_literal[literal] <= cells:
                    literals_within[name].add(literal)
        copies = [literals for literals in literals_within.values() if self._union_of_cells(literals) == cells]
        return frozenset[Literal]().union(*copies)

    def _union_of_cells(self, literals: Iterable[Literal]) -> set[Cell]:
        """Return all cells that these literals fill."""
        return {cell for literal in literals for cell in self.cells_of(literal)}

    def _by_areas(self, areas: Mapping[int, Mapping[Cell, str]]) -> list[DrawingContent]:
        """Read a drawing in which each area between walls is a piece, or the part of a piece in a layer.

        areas: the text in each cell of each area, by the area's number; it need not be the piece's name. Returns a list
        of at most one content; it is empty if no pieces have these shapes.
        """
        if not self.has_pieces:
            return []
        filling_literals = {
            literal for literal in self._cells_of_literal if self._fills_areas(literal, areas, is_named=False)
        }
        # If pieces cannot cover the whole board, the areas without a text are holes.
        covers_board = self._union_of_cells(filling_literals) == self.covering.keys()
        pieces = []
        for area in areas.values():
            if covers_board or any(area.values()):
                options = filling_literals.intersection(self.covering[min(area)])
                pieces.append((frozenset(area), self._literals_named(max(area.values()), options)))
        return self._contents_of_pieces(pieces)

    def _literals_named(self, name: str, options: set[Literal]) -> frozenset[Literal]:
        """Return those of the literals ``options`` whose thing has this name; all of them if none has it."""
        return frozenset({option for option in options if self.name(option) == name} or options)

    def _contents_of_pieces(self, pieces: list[tuple[frozenset[Cell], frozenset[Literal]]]) -> list[DrawingContent]:
        """Return a list of one element: the content of a drawing that shows these pieces by their shapes.

        pieces: (cells, literals that may fill them) of each. The list is empty if there is no piece, or one without
        literals.
        """
        if not pieces or not all(literals for _, literals in pieces):
            return []
        drawn_cells = frozenset[Cell]().union(*(cells for cells, _ in pieces))
        return [DrawingContent(literals=[], names={}, pieces=pieces, drawn=drawn_cells, is_by_shape=True)]

    def _fills_areas(self, literal: Literal, areas: Mapping[int, Mapping[Cell, str]], is_named: bool) -> bool:
        """Tell whether a literal fills whole areas, with the same text in all cells of each layer's first area.

        The other areas of a layer have no text, as a drawing labels only the first connected part of a shape. areas:
        the text in each cell of each area, by the area's number. is_named: whether the text has to be the name of the
        literal's thing; else it may be any but the empty one.
        """
        cells_of_literal = self._cells_of_literal[literal]
        touched_areas = [area for area in areas.values() if not cells_of_literal.isdisjoint(area)]
        if set().union(*touched_areas) != cells_of_literal:
            return False
        texts = set()
        for layer in {cell[:-2] for cell in cells_of_literal}:  # () if there are no layers
            first_area, *later_areas = sorted((area for area in touched_areas if min(area)[:-2] == layer), key=min)
            texts |= set(first_area.values())
            if any(text for area in later_areas for text in area.values()):
                return False
        if is_named:
            return texts == {self.name(literal)}
        return len(texts) == 1 and "" not in texts

    def _names_of_letters(self, text: str, path: Path, board: Board) -> dict[Cell, str]:
        """Return the names that a text shows in cells of hexagons or triangles, by cell.

        The names stand between walls, or one beside the other. Every ``pitch`` characters a column begins. Between
        walls, the middle of a name is ``pitch`` characters right of the beginning of its column, and every second line
        has walls only. path: the file of the text, for messages. board: says how wide the puzzle draws its cells.
        Raises `InputError` if a name stands where there is no cell, or if the text has no name.
        """
        name_of_cell: dict[Cell, str] = {}
        top, left = self._corner
        lines, pitch, offset = text.rstrip().splitlines(), board.pitch, 0  # offset: columns from a cell to its name
        if is_walled := WALLED.search(text) is not None:
            pitch = half_width(board.width, board.lattice is HEX)
            offset = 1
            lines = lines[1::2]  # the other lines hold walls only
        name_pattern = r"[^\s.]+" if is_walled or pitch > 1 else r"[^\s.]"
        for row, line in enumerate(lines):
            for match in re.finditer(name_pattern, WALLED.sub(" ", line)):
                place = match.start() + len(match[0]) // 2 if is_walled else match.start()
                cell = top + row, left + place // pitch - offset
                if cell not in self.covering:
                    line_number = 2 * row + 2 if is_walled else row + 1
                    raise InputError(
                        f"{path}: {quotation(match[0])} stands in line {line_number}, where there is no cell"
                    )
                name_of_cell[cell] = match[0]
        if not name_of_cell:
            raise InputError(f"{path} shows nothing that could be given; write the names of pieces in their cells")
        return name_of_cell


WALLED = re.compile("[\u2500-\u259f]")
"""Matches the characters of walls."""


def _has_text_in_area(areas: Mapping[int, Mapping[Cell, str]]) -> bool:
    """Tell whether some area of several cells has a text; areas: the text in each cell, by the area's number."""
    return any(len(area) > 1 and any(area.values()) for area in areas.values())


def _cells_of_board(puzzle: Puzzle, key: Key) -> Collection[Cell]:
    """Return the cells of the board as a puzzle draws it, among them those on which nothing can lie; empty if unknown.

    Only boards of squares count: their drawing begins with their first row and column.
    """
    if not puzzle.draw or puzzle.board.lattice is not None:
        return ()
    try:
        frames = puzzle.draw(key.partial_solution({}))
    except Exception:  # its draw needs whole solutions
        return ()
    board = frames[0].board if len(frames) == 1 else None
    if board and not board.lattice.is_skew:
        return [cell for cell in board.names if len(cell) == 2]
    return ()


class FactReader:
    """Reads what people write or draw of a puzzle's solutions; every question uses it.

    A text names a label by its words: brackets, quotes and commas make no difference, so that ``0 2=5``, ``(0, 2)=5``
    and ``[0,2]=5`` say the same; ``0 2 != 5`` says that it has another value. Cells are counted from 1: ``row 3 column
    4 = F``, ``row 3 column 4 != F``. Of a puzzle that says its literals in words (`Puzzle.says`), these are read.
    """

    def __init__(self, puzzle: Puzzle, key: Key) -> None:
        """Take the puzzle and its key."""
        self._puzzle = puzzle
        self._key = key
        self._labels = Labels(key, puzzle)

    @cached_property
    def _cell_reader(self) -> CellReader:
        """The reader of facts about cells, made at its first use.

        Raises `InputError` if the puzzle does not say what lies where.
        """
        return CellReader(self._puzzle, self._key)

    @cached_property
    def _has_fills_of_drawings(self) -> bool:
        """True if the puzzle's drawings, and only these, say what lies where."""
        return not self._puzzle.fills and with_fills(self._puzzle, self._key).fills is not None

    @cached_property
    def _literal_of_words(self) -> dict[str, Literal]:
        """The literals by the words in which the puzzle says them."""
        says, key = self._puzzle.says, self._key
        if says:
            return {says(*literal): literal for literal in map(key.label_and_value, range(key.size))}
        return {}

    def read(self, text: str) -> list[Fact]:
        """Return the facts of a text, or of the file with this path.

        Raises `InputError` for a label, a value or a cell that the puzzle lacks.
        """
        if os.path.isfile(text):
            return self.in_file(text)
        return [self.fact(text)]

    def fact(self, text: str) -> Fact:
        """Return the fact that a text states; the class says in which ways.

        Raise `InputError` for a label, a value or a cell that the puzzle lacks.
        """
        if (literal := self._literal_of_words.get(" ".join(text.split()))) is not None:
            return self._labels.fact(*literal)
        name, _, value = text.rpartition("=")  # of "0 2 != 5", the name is "0 2 !"
        # The content of a cell that has a name, such as "Jan = F".
        if (cell := self._puzzle.board.places.get(name.strip(" !"))) is not None:
            return self._cell_reader.fact(cell, value.strip(), is_there=not name.rstrip().endswith("!"))
        # The content of a cell by its row and column, as "row 3 column 4 = F" or, in short, "r3c4 = F".
        if SHORT_CELL.match(text) and not self._labels.knows(name.rstrip(" !")):
            text = SHORT_CELL.sub(r"row \1 column \2", text)
        if (matched := CELL.fullmatch(text)) and name.strip(" !") not in map(str, self._key.labels):
            *axes, sign, content = matched.groups()
            return self._cell_reader.fact(
                self._cell_reader.cell([int(axis) for axis in axes if axis]), content, sign == "="
            )
        # A label and a value, or a value that the label does not have: of a Boolean, it has the other one.
        if not name.endswith("!"):
            return self._labels.fact_of_text(text)
        negated_fact = self._labels.fact_of_text(f"{name[:-1]}={value}")
        position, excluded_value = self._key.literal(negated_fact.literals[0])
        if self._key.is_boolean[position]:
            return fact_of_literal(self._key, self._key.number(position, 1 - excluded_value))
        return Fact(f"{self._key.labels[position]} != {excluded_value}", (), excluded=negated_fact.literals)

    def in_file(self, file: str) -> list[Fact]:
        """Return the facts that a file states or draws; raise `InputError` if it has none.

        The first of these ways is taken that fits the file:

        1. Each line is a fact.
        2. The text is the content of all cells, row by row.
        3. It is a drawing with names in cells.
        4. It is read literal by literal: a line of JSON, or a drawing of some literals.
        """
        path = Path(file)
        read_literals = read_once(path, self._key, self._puzzle)  # a function that reads the file literal by literal
        try:
            text = read_text(path)
        except ValueError as error:
            raise InputError(f"{file}: {error}") from None
        if facts_of_lines := self._facts_of_lines(text):
            return facts_of_lines
        if self._puzzle.fills or self._has_fills_of_drawings:
            try:
                facts = self._cell_reader.contents(text)
            except InputError as error:
                raise InputError(f"{file}: {error}") from None
            if facts:
                return facts
        if self._puzzle.fills and self._puzzle.draw:
            every_cell = self._cell_reader.covering.keys()
            # If only part of the board is drawn, do not guess pieces by shape: an unknown name is probably a typing
            # error.
            contents = [
                content
                for content in self._cell_reader.in_file(path, read_literals)
                if not content.is_by_shape or content.drawn == every_cell
            ]
            if contents:
                return self._cell_reader.facts(contents[0])
        reading = read_literals()
        if reading.stray:
            raise InputError(f"{file}: {self._puzzle.name} has nothing that looks like {reading.stray[0]}")
        if not reading.shown:
            raise InputError(
                f"{file} shows nothing that could be given; write LABEL=VALUE, or draw as --solutions FILE.txt does"
            )
        return [self._labels.fact(*literal) for literal in reading.shown.items()]

    def _facts_of_lines(self, text: str) -> list[Fact]:
        """Return the facts that a text states, one in each line; the list is empty if the lines are no facts.

        They are facts if each has an equals sign, or if one is a literal in the puzzle's own words. Raises `InputError`
        for a label, a value or a cell that the puzzle lacks.
        """
        lines = [line for line in text.splitlines() if line.strip()]
        is_json = bool(lines) and lines[0].lstrip().startswith("[")
        has_words_of_literal = any(" ".join(line.split()) in self._literal_of_words for line in lines)
        if is_json or not (has_words_of_literal or all("=" in line for line in lines)):
            return []
        return list(dict.fromkeys(map(self.fact, lines)))


class Facts:
    """A numbered list of all facts of a puzzle.

    Facts are the literals (of a Boolean, that it is 1), or what is on each cell. Raises `InputError` if cells are
    asked for and the puzzle does not say what lies where (`Puzzle.fills`).

    >>> from models.magic import magic
    >>> puzzle = magic()
    >>> facts = Facts(puzzle, Key(puzzle.model, puzzle.key), of_cells=True)
    >>> facts.listed[2].text, len(facts.listed)
    ('row 1 column 1 = 3', 81)
    """

    def __init__(self, puzzle: Puzzle, key: Key, of_cells: bool) -> None:
        """List the facts about a solution of the puzzle.

        key: numbers the literals. of_cells: list contents of cells, not literals. A fact about a cell says that one of
        the literals that put a name there is true. The negation of a Boolean is no fact.
        """
        self.puzzle = puzzle
        self.key = key
        self.of_cells = of_cells
        self.listed: list[Fact] = []
        if of_cells:
            reader = CellReader(puzzle, key)
            numbers_of_content: dict[tuple[Cell, str], list[int]] = defaultdict(list)  # of literals, by (cell, name)
            for cell, name_of_literal in reader.covering.items():
                for (label, value), name in name_of_literal.items():
                    numbers_of_content[cell, name].append(key.number(key.position[label], value))
            for (cell, name), numbers in sorted(numbers_of_content.items()):
                text = f"{reader.cell_in_words(cell)} = {name}"
                self.listed.append(Fact(text, literals=tuple(sorted(numbers)), cell=cell, name=name))
        else:
            for number in range(key.size):
                position, value = key.literal(number)
                if value or not key.is_boolean[position]:
                    self.listed.append(fact_of_literal(key, number))
        self._facts_of_literal: dict[int, list[int]] = {}
        """For each literal, by number, the places in `listed` of the facts that it makes true."""
        for number, fact in enumerate(self.listed):
            for literal in fact.literals:
                self._facts_of_literal.setdefault(literal, []).append(number)

    @property
    def kind(self) -> str:
        """The kind of the facts in a word: cells or literals."""
        return "cells" if self.of_cells else "literals"

    def facts_in(self, solution: Encoded) -> list[int]:
        """Return the numbers of the facts that hold in a solution."""
        return sorted({fact for literal in solution for fact in self._facts_of_literal.get(literal, ())})

    def table(self, solutions: Sequence[Encoded]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return arrays (starts, numbers): the numbers of solution k's facts are numbers[starts[k]:starts[k + 1]]."""
        rows = list(map(self.facts_in, solutions))
        starts = np.cumsum([0, *map(len, rows)])
        return starts, np.fromiter((fact for row in rows for fact in row), dtype=np.int32)

    def texts(self, numbers: Iterable[int]) -> list[str]:
        """Return the texts of the facts with these numbers."""
        return [self.listed[number].text for number in numbers]


def has_pieces(puzzle: Puzzle, key: Key) -> bool:
    """Tell whether some literal of a puzzle's key fills several cells."""
    return puzzle.fills is not None and CellReader(puzzle, key).has_pieces


def words_of(puzzle: Puzzle, key: Key) -> Callable[[Fact], str]:
    """Return a function that puts a fact into words.

    The words are the first of these that there is:

    - the name of the value, if the puzzle's file names it and the fact has or excludes one literal;
    - the fact's own text, if it is about a cell or has not exactly one literal;
    - the puzzle's own words (`Puzzle.says`);
    - what is on which cells, counted from 1, if the puzzle says what lies where (`Puzzle.fills`);
    - the fact's own text.

    >>> from models.pentomino import pentomino
    >>> puzzle = pentomino("3x5", subset=True)
    >>> key = Key(puzzle.model, puzzle.key)
    >>> words_of(puzzle, key)(Fact("", (0,)))
    'F lies on row 1 columns 1-2; row 2 columns 2-3; row 3 column 2'
    """
    reader = CellReader(puzzle, key) if puzzle.fills else None
    names_of_values = puzzle.file.values if puzzle.file else {}  # for each label, the name of a value

    def fact_in_words(fact: Fact) -> str:
        """Return a fact in words: the first of the list above that there is."""
        if names_of_values and len(numbers := fact.literals or fact.excluded) == 1:
            label, value = key.label_and_value(numbers[0])
            if name := names_of_values.get(label, {}).get(value):
                return f"{label}{'=' if fact.literals else ' != '}{name}"
        if fact.cell or len(fact.literals) != 1:
            return fact.text
        label, value = key.label_and_value(fact.literals[0])
        if puzzle.says:
            return puzzle.says(label, value)
        return (reader and _words_on_cells(reader, key, label, value)) or fact.text

    return fact_in_words


def _words_on_cells(reader: CellReader, key: Key, label: object, value: int) -> str:
    """Return in words that something lies, or does not lie, on the cells of a literal; "" if it has none.

    reader: the reader of the puzzle's cells. label, value: the literal. If it says that a Boolean is 0, the words say
    that what lies there if the Boolean is 1 does not.
    """
    is_there = value == 1 or not key.is_boolean[key.position[label]]
    literal = label, value if is_there else 1
    counted_from_1 = [reader.coordinates_from_one(cell) for cell in reader.cells_of(literal)]
    if not counted_from_1:
        return ""
    place, name = cell_ranges(counted_from_1), reader.name(literal)
    if len(counted_from_1) == 1 and not reader.has_pieces:
        return f"{place} {'=' if is_there else '!='} {name}"
    return f"{name} {'lies' if is_there else 'does not lie'} on {place}"


def _cells_by_name(names: Mapping[Cell, str]) -> dict[str, frozenset[Cell]]:
    """Return the cells in which each name stands."""
    cells_by_name: dict[str, set[Cell]] = defaultdict(set)
    for cell, name in names.items():
        cells_by_name[name].add(cell)
    return {name: frozenset(cells) for name, cells in cells_by_name.items()}
