"""Reads a drawing back: which literals of a puzzle's key a text shows that looks like the puzzle's own drawing.

The puzzle's `draw` is asked what each literal adds to a drawing; a literal is shown where the text has just that. So no
puzzle has to say a second time how it is drawn. All cells within the same walls carry their label. A text without walls
has a label for each cell, with or without spaces between them, and a dot where nothing is known.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from models.puzzle import Label, Literal, Point, Puzzle, Shape
from solvers.errors import InputError
from solvers.show import draw
from solvers.show.draw import HIGH, LINES, WIDE, label_point, unit_cells
from solvers.symmetry.key import Key

WALLS = LINES.strip()
DRAWN = re.compile("[\u2500-\u259f\u25cb\u25cf]")
"""Characters that no caption has: lines, shades and discs."""

BARRED = {
    "╱": ((-1, 2), (0, -1), (0, 0), (0, 1), (1, -2)),
    "╲": ((-1, -2), (0, -1), (0, 0), (0, 1), (1, 2)),
}
"""Of a diagonal the characters, counted from its own, that no area reaches across it; its ends may be blank."""

MOST_LITERALS = 50_000
"""Each is drawn by itself, which takes up to a millisecond."""

Spot = tuple[int, int]
"""The line and the column of a character."""

FrameName = tuple[int, str]
"""The number of a frame in its drawing, and its caption."""

Place = tuple[int | str, Spot]
"""The number or the caption of a frame, and a spot in it."""


class Reading(NamedTuple):
    """What a text shows."""

    shown: dict[Label, int]
    stray: list[str]
    """What it shows besides, and where."""
    blank: list[str]
    """Where a label could be and is none."""
    words: list[tuple[int, int, int, str]]
    """Each stray word with the frame, the row and the column of the cell in which it stands, from 0."""


class Trait(NamedTuple):
    """Something that a drawing shows in a place; spots are counted from the origin of the puzzle's drawing."""

    frame: FrameName
    spot: Spot
    text: str
    is_mark: bool
    """Whether it stands for its shape by itself, and is not the label of an area."""


class Word(NamedTuple):
    """Characters without a gap, and where they begin."""

    picture: int
    line: int
    column: int
    text: str


class Picture:
    """One frame of a text."""

    def __init__(self, number: int, caption: str, lines: Sequence[str]) -> None:
        self.number = number
        self.caption = caption
        self.words: dict[Spot, Word] = {}
        for line, row in enumerate(lines):
            for match in re.finditer(f"[^\\s░╲╱{WALLS}]+", row):
                word = Word(number, line, match.start(), match[0])
                self.words |= {(line, column): word for column in range(*match.span())}
        self._lines = lines
        self._width = max(map(len, lines), default=0)
        self._is_walled = any(wall in line for line in lines for wall in WALLS)
        self._diagonals = {
            (line + down, match.start() + right)
            for line, row in enumerate(lines)
            for match in re.finditer("[╱╲]", row)
            for down, right in BARRED[match[0]]
        }
        self._areas: dict[Spot, frozenset[Word]] = {}

    def mark(self, spot: Spot, text: str) -> frozenset[Word]:
        """The word in which this mark stands, with its middle here; another mark may cross its middle."""
        line, first = spot[0], spot[1] - len(text) // 2
        ends = {(line, first): text[0], (line, first + len(text) - 1): text[-1]}
        is_there = all(self._at(*end) == character for end, character in ends.items())
        return frozenset({self.words[line, first]} if is_there and (line, first) in self.words else ())

    def label(self, spot: Spot) -> frozenset[Word]:
        """The words within the same walls, or only the one that stands here where they differ."""
        if spot not in self._areas:
            area, fringe = {spot}, [spot]
            while fringe:
                line, column = fringe.pop()
                for near in ((line, column - 1), (line, column + 1), (line - 1, column), (line + 1, column)):
                    if near not in area and near not in self._diagonals and self._at(*near) not in WALLS:
                        area.add(near)
                        fringe.append(near)
            self._areas |= dict.fromkeys(area, frozenset(self.words[place] for place in area if place in self.words))
        words = self._areas[spot]
        if len({word.text for word in words}) > 1:
            return frozenset({self.words[spot]} if spot in self.words else ())
        return words

    def _at(self, line: int, column: int) -> str:
        """The character, a blank where a line is too short; outside all is wall."""
        if not 0 <= line < len(self._lines) or column < 0:
            return WALLS[0]
        row = self._lines[line]
        return row[column] if column < len(row) else WALLS[0] if column > self._width else " "

    def place(self, word: Word) -> str:
        """Where a word stands, for people."""
        if self._is_walled:
            return f"row {word.line // HIGH + 1}, column {word.column // WIDE + 1}"
        return f"line {word.line + 1}"


def read_drawing(puzzle: Puzzle, key: Key, text: str) -> Reading:
    """What the text shows of a solution, as the puzzle draws it or with other labels for the same areas.

    Raises `InputError` where the puzzle's drawing cannot be read.
    """
    reader = _Reader(puzzle, key, text)
    reading = reader.reading({})
    if reading.stray and (renamed := reader.renamed()):
        other = reader.reading(renamed)
        if len(other.stray) < len(reading.stray):
            return other
    return reading


class _Reader:
    def __init__(self, puzzle: Puzzle, key: Key, text: str) -> None:
        if key.size > MOST_LITERALS:
            raise InputError(f"{puzzle.name} has too many literals for its drawings to be read; give a line of JSON")
        self._puzzle = puzzle
        self._extents: dict[int | str, _Extent] = defaultdict(_Extent)
        self._blank = self._traits({})
        self._of_key: dict[Label, dict[int, list[Trait]]] = {}  # what each literal adds to a drawing by itself
        for position, label in enumerate(key.labels):
            numbers = range(key.first[position], key.first[position + 1])
            alone = {value: self._traits({label: value}) for _, value in map(key.literal, numbers)}
            if key.is_boolean[position]:
                self._of_key[label] = {1: _without(alone[1], self._blank), 0: _without(self._blank, alone[1])}
            else:
                self._of_key[label] = {value: _without(traits, self._blank) for value, traits in alone.items()}
        self._pictures = _pictures(text, {name: extent.lines for name, extent in self._extents.items()})
        self._goes_by_captions = any(picture.caption in self._extents for picture in self._pictures)
        self._labels: dict[str, str] = {}  # what stands in the text for a label of the puzzle's

    def reading(self, labels: Mapping[str, str]) -> Reading:
        """What the text shows where these stand for some of the puzzle's labels."""
        self._labels = dict(labels)
        found: dict[Literal, list[Trait]] = {}
        for label, by_value in self._of_key.items():
            if not any(by_value.values()):  # such as a move, which is seen only behind those before it
                before = self._traits(dict(found.keys()))
                by_value = {
                    value: _without(self._traits({**dict(found.keys()), label: value}), before) for value in by_value
                }
            fitting = [
                (value, traits) for value, traits in by_value.items() if traits and all(map(self._found, traits))
            ]
            for value, traits in fitting[:1]:
                found[label, value] = traits
        found = self._filling_areas(found)
        read = {word for traits in (self._blank, *found.values()) for trait in traits for word in self._found(trait)}
        stray = {word for picture in self._pictures for word in picture.words.values()} - read
        blank = [place for place, words in self._labelled.items() if not words]
        return Reading(
            dict(found.keys()),
            [self._described(word) for word in sorted(stray)],
            [self._where(*place) for place in sorted(blank, key=str)],
            [(self._frame_of(word), word.line // HIGH, word.column // WIDE, word.text) for word in sorted(stray)],
        )

    def _frame_of(self, word: Word) -> int:
        captions = [name for name in self._extents if isinstance(name, str)]
        caption = self._pictures[word.picture].caption
        return captions.index(caption) if caption in captions else word.picture

    def _filling_areas(self, found: Mapping[Literal, list[Trait]]) -> dict[Literal, list[Trait]]:
        """Those literals that together fill the areas whose labels show them, and do not overlap."""
        times = Counter(self._place(trait) for traits in found.values() for trait in traits if not trait.is_mark)
        whole: dict[frozenset[Word], set[Place]] = defaultdict(set)
        for place, words in self._labelled.items():
            whole[words].add(place)

        def fills(trait: Trait) -> bool:
            return trait.is_mark or all(times[place] == 1 for place in whole[self._words(trait)])

        return {literal: traits for literal, traits in found.items() if all(map(fills, traits))}

    def renamed(self) -> dict[str, str]:
        """For labels of the puzzle what the text has in their place, if their areas tell that."""
        areas: dict[str, set[Place]] = defaultdict(set)
        for place, words in self._labelled.items():
            for word in words:
                areas[word.text].add(place)
        filling: dict[str, list[set[Place]]] = defaultdict(list)
        for traits in (traits for by_value in self._of_key.values() for traits in by_value.values()):
            if traits and not any(trait.is_mark for trait in traits):
                filling[traits[0].text].append(set(map(self._place, traits)))
        candidates = {
            text: [own for own, places in filling.items() if area == set().union(*(p for p in places if p <= area))]
            for text, area in areas.items()
        }
        if all(len(own) == 1 for own in candidates.values()):
            return {own: text for text, (own,) in candidates.items()}
        if len(areas) == len(filling) and not areas.keys() & filling and all(len(area) > 1 for area in areas.values()):
            return dict(zip(filling, areas, strict=True))  # parts of a region, whose names are all the same
        return {}

    @cached_property
    def _labelled(self) -> dict[Place, frozenset[Word]]:
        """Where a label can be, the words that are there."""
        traits = (trait for by_value in self._of_key.values() for traits in by_value.values() for trait in traits)
        return {self._place(trait): self._words(trait) for trait in traits if not trait.is_mark}

    def _traits(self, solution: Mapping[Label, int]) -> list[Trait]:
        """What the drawing of a part of a solution shows."""
        assert self._puzzle.draw
        try:
            drawing = draw.drawing(self._puzzle, solution)
        except Exception as error:
            raise InputError(
                f"the drawings of {self._puzzle.name} cannot be read, as its draw needs whole solutions "
                f"({type(error).__name__}: {error}); give a line of JSON"
            ) from error
        traits = []
        for number, frame in enumerate(drawing):
            for shape in frame.shapes:
                corners = [corner for ring in shape.rings for corner in ring]
                self._extents[number].add(corners)
                if frame.caption:
                    self._extents[frame.caption].add(corners)
                if shape.label or shape.mark:
                    for x, y in (not shape.mark and _middles(shape)) or [label_point(shape)]:
                        spot = round(y * HIGH), round(x * WIDE)
                        name = number, frame.caption
                        traits.append(Trait(name, spot, shape.mark or shape.label, bool(shape.mark)))
        return traits

    def _name(self, frame: FrameName) -> int | str:
        return frame[1] if self._goes_by_captions else frame[0]

    def _place(self, trait: Trait) -> Place:
        return self._name(trait.frame), trait.spot

    def _found(self, trait: Trait) -> frozenset[Word]:
        """The words that show it; none if the text does not."""
        words = self._words(trait)
        text = trait.text if trait.is_mark else self._labels.get(trait.text, trait.text)
        return words if trait.is_mark or all(word.text == text for word in words) else frozenset()

    def _words(self, trait: Trait) -> frozenset[Word]:
        """The words that stand where it is."""
        name = self._name(trait.frame)
        named = [picture for picture in self._pictures if name in (picture.caption, picture.number)]
        if not named or name not in self._extents:
            return frozenset()
        extent = self._extents[name]
        # The same rounding as the drawing's own, which shifts first.
        spot = trait.spot[0] - round(extent.top * HIGH), trait.spot[1] - round(extent.left * WIDE)
        return named[0].mark(spot, trait.text) if trait.is_mark else named[0].label(spot)

    def _where(self, name: int | str, spot: Spot) -> str:
        extent = self._extents[name]
        row, column = spot[0] - round(extent.top * HIGH), spot[1] - round(extent.left * WIDE)
        of = f" of {name}" if isinstance(name, str) else ""
        return f"row {row // HIGH + 1}, column {column // WIDE + 1}{of}"

    def _described(self, word: Word) -> str:
        picture = self._pictures[word.picture]
        of = f" of {picture.caption or f'drawing {word.picture + 1}'}" if len(self._pictures) > 1 else ""
        return f"{word.text!r} in {picture.place(word)}{of}"


class _Extent:
    """How far a frame of the puzzle's drawings reaches."""

    left = top = float("inf")
    bottom = float("-inf")

    def add(self, corners: Iterable[Point]) -> None:
        for x, y in corners:
            self.left, self.top, self.bottom = min(self.left, x), min(self.top, y), max(self.bottom, y)

    @property
    def lines(self) -> int:
        return round((self.bottom - self.top) * HIGH) + 1


def _middles(shape: Shape) -> list[Point]:
    """Of the cells of a shape, or of the one triangle that it is.

    An area in several pieces has its label in the first; the others show nothing.
    """
    if [len(ring) for ring in shape.rings] == [3]:
        xs, ys = zip(*shape.rings[0], strict=True)
        return [(sum(xs) / 3, sum(ys) / 3)]
    return [(x + 0.5, y + 0.5) for x, y in _first_piece(unit_cells(shape))]


def _first_piece(cells: Iterable[Point]) -> list[Point]:
    """Of the cells those that hang together with the first."""
    left = list(cells)
    piece = left[:1]
    for x, y in piece:
        left = [cell for cell in left if cell not in piece]
        piece += [cell for cell in left if abs(cell[0] - x) + abs(cell[1] - y) == 1]
    return piece


def _without(traits: Sequence[Trait], others: Iterable[Trait]) -> list[Trait]:
    known = {(trait.frame[0], trait.spot, trait.text) for trait in others}
    return [trait for trait in traits if (trait.frame[0], trait.spot, trait.text) not in known]


def _pictures(text: str, heights: Mapping[int | str, int]) -> list[Picture]:
    """The frames of a text, each with its caption; heights: of the frames that there may be, by number or caption."""
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    if not any(map(DRAWN.search, lines)):
        return _of_labels(lines)
    pictures: list[Picture] = []
    caption, line = "", 0
    while line < len(lines):
        is_caption = lines[line] and not DRAWN.search(lines[line])
        if is_caption:
            caption = lines[line].strip()
            line += 1
        follows = lines[line : line + 1]
        if follows and (DRAWN.search(follows[0]) or (is_caption and not follows[0])):
            height = heights.get(caption) or heights.get(len(pictures)) or max(heights.values(), default=1)
            pictures.append(Picture(len(pictures), caption, lines[line : line + height]))
            caption, line = "", line + height
        elif not is_caption:
            line += 1
    return pictures


def _of_labels(lines: Sequence[str]) -> list[Picture]:
    """Pictures from rows of labels; an empty line ends one."""
    blocks: list[list[list[str]]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line.split() if re.search(r"\S\s", line) else list(line))
        else:
            blocks.append([])
    pictures = []
    for number, rows in enumerate(filter(None, blocks)):
        cells = [[label.strip(".").center(WIDE - 1) for label in row] for row in rows]
        drawn = [f"│{'│'.join(row)}│" for row in cells]
        border = "─" * max(map(len, drawn))
        pictures.append(Picture(number, "", [line for row in drawn for line in (border, row)]))
    return pictures
