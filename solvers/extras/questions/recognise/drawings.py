"""Reads a drawing back: which literals of a puzzle's key a text shows that looks like the puzzle's own drawing.

The puzzle's `draw` is asked what each literal adds to a drawing; a literal is shown where the text has just that. So no
puzzle has to say a second time how it is drawn. All cells within the same walls carry their label, and an area lies
within the same walls. A text without walls has a label for each cell, with or without spaces between them, and a dot
where nothing is known.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

from models.puzzle import Label, Literal, Point, Puzzle, Shape
from solvers.base.errors import InputError
from solvers.files.given import Labels, check_agreement
from solvers.files.load import read_text
from solvers.files.solutions import literals_from_json
from solvers.show import draw
from solvers.show.draw import HIGH, LINES, WIDE, label_point, unit_cells, wide_for
from solvers.symmetry.key import Key

WALLS = LINES.strip()
"""The characters of walls."""
BARS = "═║"
"""The characters of double lines, each of which is a sign by itself."""
DRAWN = re.compile("[\u2500-\u259f\u25cb\u25cf]")
"""Characters that no caption has: lines, shades and discs."""

UNKNOWN = "·"
"""What is drawn in a cell of which nothing is known."""

BARRED = {
    "╱": ((-1, 2), (0, -1), (0, 0), (0, 1), (1, -2)),
    "╲": ((-1, -2), (0, -1), (0, 0), (0, 1), (1, 2)),
}
"""For each diagonal character, the offsets (line, column) of the characters through which no area crosses it."""

MAX_DRAWN_LITERALS = 50_000
"""The most literals of a puzzle whose drawings are read; each is drawn by itself, which takes up to a millisecond."""

Spot = tuple[int, int]
"""The line and the column of a character."""

FrameName = tuple[int, str]
"""The number of a frame in its drawing, and its caption."""

Place = tuple[int | str, Spot]
"""The number or the caption of a frame, and a spot in it."""


class Reading(NamedTuple):
    """The content of a text that was read as a drawing."""

    shown: dict[Label, int]
    """The values by label that the text shows."""
    stray: list[str]
    """The words in the text that are not explained by ``shown``, each with its place."""
    blank: list[str]
    """The places where a label could be written, but nothing is."""
    words: list[tuple[int, int, int, str]]
    """The stray words, each as (frame, row, column, word); frame, row and column of its cell are counted from 0."""
    cells: dict[tuple[int, int, int], tuple[int, str]]
    """For each cell (frame, row, column): the number of its area, which walls enclose, and the text in the cell."""
    has_walls: bool
    """True if the text draws walls."""


class Trait(NamedTuple):
    """A text that the drawing of a literal shows at a spot.

    The spot is counted from the origin of the puzzle's drawing.
    """

    frame: FrameName
    spot: Spot
    text: str
    is_mark: bool
    """True if the text represents a shape by itself; False if it is the label of an area."""
    point: Point
    """The place of the spot, measured in cell widths."""
    shape: int
    """The number of its shape in the frame."""


class Word(NamedTuple):
    """Characters of a text without a gap, with the place of the first one."""

    picture: int
    line: int
    column: int
    text: str


class TextFrame:
    """One frame of a text: its words, and the areas that walls enclose."""

    def __init__(self, number: int, caption: str, lines: Sequence[str], wide: int) -> None:
        """Find the words in the lines of a frame.

        number, caption: the number and caption of the frame in the text. wide: the width of a cell in characters.
        """
        self.number = number
        self.caption = caption
        self.wide = wide
        self.words: dict[Spot, Word] = {}
        """The word at each spot, also at those behind its first character."""
        for line, row in enumerate(lines):
            for match in re.finditer(f"[{BARS}]|[^\\s░╲╱{WALLS}{BARS}]+", row):
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
        """The spots that no area crosses, because of a diagonal line."""
        self._areas: dict[Spot, tuple[int, frozenset[Word]]] = {}
        """The number and the words of the area of each spot, as far as it was asked for."""

    def mark(self, spot: Spot, text: str) -> frozenset[Word]:
        """Return a set of the word that shows this mark with its middle at the spot; empty if there is none.

        Another mark may cross the middle of the mark.
        """
        line, first = spot[0], spot[1] - len(text) // 2
        ends = {(line, first): text[0], (line, first + len(text) - 1): text[-1]}
        is_there = all(self._character_at(*end) == character for end, character in ends.items())
        if is_there and text in WALLS:  # a line is a sign of its own here, and no word
            return frozenset({Word(self.number, line, first, text)})
        return frozenset({self.words[line, first]} if is_there and (line, first) in self.words else ())

    def label(self, spot: Spot) -> frozenset[Word]:
        """Return all words in the area of a spot; if their texts differ, only the word at the spot, if there is one."""
        _, words = self._area(spot)
        if len({word.text for word in words}) > 1:
            return frozenset({self.words[spot]} if spot in self.words else ())
        return words

    def area(self, spot: Spot) -> int:
        """Return the number of the area, enclosed by walls, in which a spot lies."""
        return self._area(spot)[0]

    def cells(self) -> dict[tuple[int, int], tuple[int, str]]:
        """Return (number of its area, text in the cell) for each cell (row, column)."""
        cell_texts = {}
        for row in range(len(self._lines) // HIGH):
            for column in range(self._width // self.wide):
                characters = range(column * self.wide + 1, (column + 1) * self.wide)
                line = row * HIGH + 1
                middle = line, characters[len(characters) // 2]
                words = self.label(middle) or {self.words[line, at] for at in characters if (line, at) in self.words}
                cell_texts[row, column] = self.area(middle), min((word.text for word in words), default="")
        return cell_texts

    def _area(self, spot: Spot) -> tuple[int, frozenset[Word]]:
        """Return (number, words) of the area in which a spot lies; areas have different numbers, with gaps."""
        if spot not in self._areas:
            area, fringe = {spot}, [spot]
            while fringe:
                line, column = fringe.pop()
                for near in ((line, column - 1), (line, column + 1), (line - 1, column), (line + 1, column)):
                    is_wall = self._character_at(*near) in WALLS  # so is all that lies outside of the text
                    if near not in area and near not in self._diagonals and not is_wall:
                        area.add(near)
                        fringe.append(near)
            words = frozenset(self.words[place] for place in area if place in self.words)
            number = len(self._areas)  # the spots known so far: no earlier area has this number
            self._areas |= dict.fromkeys(area, (number, words))
        return self._areas[spot]

    def _character_at(self, line: int, column: int) -> str:
        """Return the character at a line and column.

        It is a blank where a line is too short, a wall outside of the text.
        """
        if not 0 <= line < len(self._lines) or column < 0:
            return WALLS[0]
        row = self._lines[line]
        if column < len(row):
            return row[column]
        return WALLS[0] if column > self._width else " "

    def place_in_words(self, word: Word) -> str:
        """Return the place of a word for messages, such as "row 1, column 2" or "line 3"."""
        if self._is_walled:
            return f"row {word.line // HIGH + 1}, column {word.column // self.wide + 1}"
        return f"line {word.line + 1}"


def read_once(path: Path, key: Key, puzzle: Puzzle) -> Callable[[], Reading]:
    """Return a function that reads a file as `in_file` does.

    It reads the file at the first call only, because reading takes long.
    """
    return cache(partial(in_file, path, key, puzzle))


def in_file(path: Path, key: Key, puzzle: Puzzle) -> Reading:
    """Read the literals in a file: a line of JSON, lines ``LABEL=VALUE``, or a drawing.

    Raises `InputError` for a file that cannot be read, or shows nothing.
    """
    try:
        text = read_text(path)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    labels = Labels(key, puzzle)
    literals: Iterable[tuple[object, object]]
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{path} shows nothing; draw as --solutions FILE.txt does, or give a line of JSON")
    if text.lstrip().startswith("["):
        if len(lines) > 1:
            raise InputError(f"{path} holds {len(lines)} lines; give the one that is meant")
        try:
            literals = literals_from_json(lines[0], key.position)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError(
                f"{path} holds no solution of {puzzle.name} in JSON; write [[label, value], ...]"
            ) from None
    elif puzzle.draw and not all("=" in line for line in lines):
        # The number of a drawing begins its line; a number in a cell does not.
        if DRAWN.search(text) and sum(line.rstrip().isdigit() for line in lines) > 1:
            raise InputError(f"{path} holds several drawings; give the one that is meant")
        return read_drawing(puzzle, key, text)
    else:
        literals = map(labels.literal, lines)
    try:
        facts = [labels.fact(*literal) for literal in literals]
        check_agreement(facts, key, puzzle.name)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    shown_there = dict(key.label_and_value(number) for fact in facts for number in fact.literals)
    return Reading(shown_there, [], [], [], {}, False)


def read_drawing(puzzle: Puzzle, key: Key, text: str) -> Reading:
    """Read a solution from a text, as the puzzle draws it or with other labels for the same areas.

    Raises `InputError` if the puzzle's drawings cannot be read back.
    """
    reader = _Reader(puzzle, key, text)
    reading = reader.reading({})
    if reading.stray and not reader.has_areas(reading):
        reader.minds_walls = False
        reading = reader.reading({})
    if reading.stray and (renamed := reader.names_in_text()):
        other = reader.reading(renamed)
        if len(other.stray) < len(reading.stray):
            return other
    return reading


class _Reader:
    """Reads one text by comparing it with the drawings of all literals."""

    def __init__(self, puzzle: Puzzle, key: Key, text: str) -> None:
        """Draw each literal by itself and find the frames of the text.

        Raises `InputError` if there are too many literals, or if the puzzle cannot draw single literals.
        """
        if key.size > MAX_DRAWN_LITERALS:
            raise InputError(f"{puzzle.name} has too many literals for its drawings to be read; give a line of JSON")
        self._puzzle, self._key = puzzle, key
        self._extents: dict[int | str, _Extent] = defaultdict(_Extent)
        self._blank = self._traits({})
        self._of_key: dict[Label, dict[int, list[Trait]]] = {}  # what each literal adds to a drawing by itself
        for position, label in enumerate(key.labels):
            if key.is_boolean[position]:
                holds = self._traits({label: 1})
                lacking = [trait for trait in _difference(self._blank, holds) if trait.text != UNKNOWN]
                self._of_key[label] = {1: _difference(holds, self._blank), 0: lacking}
            else:
                values = [key.literal(n)[1] for n in range(key.first[position], key.first[position + 1])]
                self._of_key[label] = {
                    value: _difference(self._traits({label: value}), self._blank) for value in values
                }
        self._pictures = self._without_border(text) or _pictures(text, self._extents)
        self._has_walls = self.minds_walls = DRAWN.search(text) is not None
        self._goes_by_captions = any(picture.caption in self._extents for picture in self._pictures)
        self._labels: dict[str, str] = {}  # what is in the text for a label of the puzzle's

    def reading(self, labels: Mapping[str, str]) -> Reading:
        """Read the text.

        labels: maps some of the labels that the puzzle draws in areas to the labels that the text has instead.
        """
        self._labels = dict(labels)
        traits_of: dict[Literal, list[Trait]] = {}
        for label, by_value in self._of_key.items():
            if not any(by_value.values()):  # such as a move, which is seen only behind those before it
                before = self._traits(dict(traits_of.keys()))
                by_value = {
                    value: _difference(self._traits({**dict(traits_of.keys()), label: value}), before)
                    for value in by_value
                }
            fitting = [
                (value, traits)
                for value, traits in by_value.items()
                if traits and all(map(self._words_showing, traits)) and self._hangs_together(traits)
            ]
            for value, traits in fitting[:1]:
                traits_of[label, value] = traits
        traits_of = self._filling_areas(traits_of)
        read = {
            word
            for traits in (self._blank, *traits_of.values())
            for trait in traits
            for word in self._words_showing(trait)
        }
        stray = {word for picture in self._pictures for word in picture.words.values()} - read
        blank = [place for place, words in self._labelled.items() if not words]
        return Reading(
            dict(traits_of.keys()),
            [self._describe_word(word) for word in sorted(stray)],
            [self._position_text(*place) for place in sorted(blank, key=str)],
            [self._cell_of(word) for word in sorted(stray)],
            self._cells,
            self._has_walls,
        )

    def has_areas(self, reading: Reading) -> bool:
        """Tell whether some walls enclose several cells with a text in them."""
        areas = Counter(area for area, text in reading.cells.values() if text)
        return any(times > 1 for times in areas.values())

    def _without_border(self, text: str) -> list[TextFrame]:
        """Return the frames of a text if signs, and no border, tell where the puzzle's drawing is in it.

        Such a drawing may begin and end with empty lines, or with lines that look like a caption. It lies where most of
        the signs that all solutions have are at their places. Another drawing above or below it is a frame, too. The
        result is empty if the puzzle's drawing has a border, a caption, several frames or no such sign, or if the text
        has not even half of the signs.
        """
        assert self._puzzle.draw
        frames = draw.drawing(self._puzzle, self._key.partial_solution({}))
        if not self._blank or [*self._extents] != [0] or any(shape.outline for shape in frames[0].shapes):
            return []
        lines = [line.rstrip() for line in text.expandtabs().splitlines()]
        extent = self._extents[0]
        wides = [WIDE, _wide(lines, [extent])] if any(map(DRAWN.search, lines)) else [WIDE]

        def signs_at(start_and_width: tuple[int, int]) -> int:
            """Return how many signs are at their places if the drawing starts there and its cells are as wide."""
            start, wide = start_and_width
            spots = [(extent.spot(trait.point, wide), trait.text) for trait in self._blank]
            return sum(_stands_at(lines, (start + line, column), text) for (line, column), text in spots)

        starts = sorted(range(1 - extent.lines, len(lines)), key=abs)
        start, wide = max(product(starts, wides), key=signs_at)
        if 2 * signs_at((start, wide)) < len(self._blank):
            return []
        end = start + extent.lines
        missing_rows = [""] * max(0, -start)  # if the text begins below the first rows of the drawing
        rows = missing_rows + lines[max(0, start) : end]
        above, below = lines[: max(0, start)], lines[end:]
        others = [side_lines for side_lines in (above, below) if any(map(DRAWN.search, side_lines))]
        return [TextFrame(number, "", frame_lines, wide) for number, frame_lines in enumerate([rows, *others])]

    @cached_property
    def _cells(self) -> dict[tuple[int, int, int], tuple[int, str]]:
        """The number of the area and the text of each cell (frame, row, column) of the text."""
        numbers: dict[tuple[int, int], int] = {}
        return {
            (self._frame_of(picture), *cell): (numbers.setdefault((picture.number, area), len(numbers)), text)
            for picture in self._pictures
            for cell, (area, text) in picture.cells().items()
        }

    def _cell_of(self, word: Word) -> tuple[int, int, int, str]:
        """Return (frame, row, column, text) of a word; the first three are those of its cell, from 0."""
        picture = self._pictures[word.picture]
        return self._frame_of(picture), word.line // HIGH, word.column // picture.wide, word.text

    def _frame_of(self, picture: TextFrame) -> int:
        """Return the number of the puzzle's frame that a frame of the text shows."""
        captions = [name for name in self._extents if isinstance(name, str)]
        return captions.index(picture.caption) if picture.caption in captions else picture.number

    def _hangs_together(self, traits: Iterable[Trait]) -> bool:
        """Tell, for the shapes of these traits, whether no wall separates the labels of one shape."""
        areas: dict[tuple[FrameName, int], set[int]] = defaultdict(set)
        for trait in traits if self.minds_walls else ():
            if not trait.is_mark and (located := self._locate(trait)):
                picture, spot = located
                areas[trait.frame, trait.shape].add(picture.area(spot))
        return all(len(numbers) == 1 for numbers in areas.values())

    def _filling_areas(self, traits_of: Mapping[Literal, list[Trait]]) -> dict[Literal, list[Trait]]:
        """Return the literals that together fill the areas of the text, each area exactly once.

        traits_of: for each literal that the text shows, its traits, of which the result keeps those of the literals it
        has. A literal stays if each of its labels is in an area whose places only this literal labels.
        """
        places_of_words: dict[frozenset[Word], set[Place]] = defaultdict(set)
        for place, words in self._labelled.items():
            places_of_words[words].add(place)
        if self.minds_walls:
            exact = {literal: self._exact_areas(traits, places_of_words) for literal, traits in traits_of.items()}
            settled = set().union(*exact.values())
            traits_of = {
                literal: traits
                for literal, traits in traits_of.items()
                if all(words in exact[literal] for words in map(self._words_at, traits) if words in settled)
            }
        times = Counter(
            self._frame_and_spot(trait) for traits in traits_of.values() for trait in traits if not trait.is_mark
        )

        def fills(trait: Trait) -> bool:
            return trait.is_mark or all(times[place] == 1 for place in places_of_words[self._words_at(trait)])

        return {literal: traits for literal, traits in traits_of.items() if all(map(fills, traits))}

    def _exact_areas(
        self, traits: Iterable[Trait], places_of_area: Mapping[frozenset[Word], set[Place]]
    ) -> set[frozenset[Word]]:
        """Return the areas, each as its set of words, that the shapes of these traits fill.

        The result is empty unless each shape labels all places of one area and no others. places_of_area: the places of
        each area, by its words.
        """
        places: dict[tuple[FrameName, int], set[Place]] = defaultdict(set)
        words: dict[tuple[FrameName, int], frozenset[Word]] = {}
        for trait in traits:
            if not trait.is_mark:
                shape = trait.frame, trait.shape
                places[shape].add(self._frame_and_spot(trait))
                words[shape] = self._words_at(trait)
        is_exact = all(labelled == places_of_area[words[shape]] for shape, labelled in places.items())
        return set(words.values()) if is_exact else set()

    def names_in_text(self) -> dict[str, str]:
        """Return the text's name for each of the puzzle's labels; empty if the areas do not determine them."""
        areas: dict[str, set[Place]] = defaultdict(set)
        for place, words in self._labelled.items():
            for word in words:
                areas[word.text].add(place)
        filling: dict[str, list[set[Place]]] = defaultdict(list)
        for traits in (traits for by_value in self._of_key.values() for traits in by_value.values()):
            if traits and not any(trait.is_mark for trait in traits):
                filling[traits[0].text].append(set(map(self._frame_and_spot, traits)))
        candidates = {
            text: [
                name_of_area
                for name_of_area, places in filling.items()
                if area == set().union(*(p for p in places if p <= area))
            ]
            for text, area in areas.items()
        }
        if all(len(candidate) == 1 for candidate in candidates.values()):
            renamed = {name_of_area: text for text, (name_of_area,) in candidates.items()}
            return renamed if len(renamed) == len(candidates) else {}
        if len(areas) == len(filling) and not areas.keys() & filling and all(len(area) > 1 for area in areas.values()):
            return dict(zip(filling, areas, strict=True))  # parts of a region, whose names are all the same
        return {}

    @cached_property
    def _labelled(self) -> dict[Place, frozenset[Word]]:
        """The words at each place where a label can be."""
        traits = (trait for by_value in self._of_key.values() for traits in by_value.values() for trait in traits)
        return {self._frame_and_spot(trait): self._words_at(trait) for trait in traits if not trait.is_mark}

    def _traits(self, solution: Mapping[Label, int]) -> list[Trait]:
        """Return the traits of the drawing of a part of a solution.

        Raises `InputError` if the puzzle cannot draw a part of a solution.
        """
        assert self._puzzle.draw
        try:
            drawing = draw.drawing(self._puzzle, self._key.partial_solution(solution))
        except Exception as error:
            raise InputError(
                f"the drawings of {self._puzzle.name} cannot be read, because its draw function needs whole solutions "
                f"({type(error).__name__}: {error}); give a line of JSON"
            ) from error
        traits = []
        for number, frame in enumerate(drawing):
            for place, shape in enumerate(frame.shapes):
                corners = [corner for ring in shape.rings for corner in ring]
                self._extents[number].add(corners)
                if frame.caption:
                    self._extents[frame.caption].add(corners)
                if shape.label or shape.mark:
                    for x, y in (not shape.mark and _middles(shape)) or [label_point(shape)]:
                        spot = round(y * HIGH), round(x * WIDE)
                        name = number, frame.caption
                        text = shape.mark or shape.label
                        traits.append(Trait(name, spot, text, bool(shape.mark), (x, y), place))
        return traits

    def _name(self, frame: FrameName) -> int | str:
        """Return the caption or the number of a frame, depending on which of them the text uses."""
        return frame[1] if self._goes_by_captions else frame[0]

    def _frame_and_spot(self, trait: Trait) -> Place:
        """Return (frame, spot) of a trait: the caption or the number of its frame, and its spot there."""
        return self._name(trait.frame), trait.spot

    def _words_showing(self, trait: Trait) -> frozenset[Word]:
        """Return the words of the text that show a trait; empty if the text does not show it."""
        words = self._words_at(trait)
        text = trait.text if trait.is_mark else self._labels.get(trait.text, trait.text)
        return words if trait.is_mark or all(word.text == text for word in words) else frozenset()

    def _words_at(self, trait: Trait) -> frozenset[Word]:
        """Return the words of the text at the place of a trait; empty if the text lacks its frame.

        For a label these are the words of its area, whatever they say; see `TextFrame.label`. For a mark it is the word
        that shows it, if there is one.
        """
        if (located := self._locate(trait)) is None:
            return frozenset()
        picture, spot = located
        return picture.mark(spot, trait.text) if trait.is_mark else picture.label(spot)

    def _locate(self, trait: Trait) -> tuple[TextFrame, Spot] | None:
        """Return (frame, spot): the place in the text where a trait would be.

        The result is None if the text lacks the frame.
        """
        name = self._name(trait.frame)
        named = [picture for picture in self._pictures if name in (picture.caption, picture.number)]
        if not named or name not in self._extents:
            return None
        return named[0], self._extents[name].spot(trait.point, named[0].wide)

    def _position_text(self, name: int | str, spot: Spot) -> str:
        """Return a place for messages, such as "row 1, column 2 of start".

        spot: the place in its frame. name: the number or caption of its frame.
        """
        extent = self._extents[name]
        row, column = spot[0] - round(extent.top * HIGH), spot[1] - round(extent.left * WIDE)
        name_text = f" of {name}" if isinstance(name, str) else ""
        return f"row {row // HIGH + 1}, column {column // WIDE + 1}{name_text}"

    def _describe_word(self, word: Word) -> str:
        """Return a word with its place, for messages."""
        picture = self._pictures[word.picture]
        picture_text = f" of {picture.caption or f'drawing {word.picture + 1}'}" if len(self._pictures) > 1 else ""
        return f"{word.text!r} in {picture.place_in_words(word)}{picture_text}"


class _Extent:
    """The bounding box of a frame of the puzzle's drawings."""

    left = top = float("inf")
    right = bottom = float("-inf")

    def add(self, corners: Iterable[Point]) -> None:
        """Enlarge the box so that it contains these corners."""
        for x, y in corners:
            self.left, self.right = min(self.left, x), max(self.right, x)
            self.top, self.bottom = min(self.top, y), max(self.bottom, y)

    @property
    def lines(self) -> int:
        """The number of lines of text that the box takes."""
        return round((self.bottom - self.top) * HIGH) + 1

    def spot(self, point: Point, wide: int) -> Spot:
        """Return the spot of a point (x, y) in the text of the frame; wide: the width of a cell in characters."""
        x, y = point
        # The same rounding as the drawing's own, which shifts first.
        return round((y - self.top) * HIGH), round((x - self.left) * wide)


def _stands_at(lines: Sequence[str], spot: Spot, text: str) -> bool:
    """Tell whether a text is in some lines with its middle at a spot."""
    line, first = spot[0], spot[1] - len(text) // 2
    return 0 <= line < len(lines) and first >= 0 and lines[line][first : first + len(text)] == text


def _middles(shape: Shape) -> list[Point]:
    """Return the middles of the cells of a shape, or the middle of a triangle.

    If the shape is not connected, only the cells of its first part count, which has the label.
    """
    if [len(ring) for ring in shape.rings] == [3]:
        xs, ys = zip(*shape.rings[0], strict=True)
        return [(sum(xs) / 3, sum(ys) / 3)]
    return [(x + 0.5, y + 0.5) for x, y in _first_piece(unit_cells(shape))]


def _first_piece(cells: Iterable[Point]) -> list[Point]:
    """Return the cells that are connected with the first one."""
    remaining = list(cells)
    piece = remaining[:1]
    for x, y in piece:  # to which the loop adds
        remaining = [cell for cell in remaining if cell not in piece]
        piece += [cell for cell in remaining if abs(cell[0] - x) + abs(cell[1] - y) == 1]
    return piece


def _difference(traits: Sequence[Trait], others: Iterable[Trait]) -> list[Trait]:
    """Return the traits that are not among the others."""
    known = {(trait.frame[0], trait.spot, trait.text) for trait in others}
    return [trait for trait in traits if (trait.frame[0], trait.spot, trait.text) not in known]


def _pictures(text: str, extents: Mapping[int | str, _Extent]) -> list[TextFrame]:
    """Split a text into frames, each with its caption.

    extents: the boxes of the frames that the puzzle may draw, by number and by caption.
    """
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    if not any(map(DRAWN.search, lines)):
        return _of_labels(lines)
    heights = {name: extent.lines for name, extent in extents.items()}
    wide = _wide(lines, extents.values())
    if [*heights] == [0] and not lines[0] and len(lines) <= heights[0]:  # a board without a border
        return [TextFrame(0, "", lines, wide)]
    pictures: list[TextFrame] = []
    caption, line = "", 0
    while line < len(lines):
        is_caption = lines[line] and not DRAWN.search(lines[line])
        if is_caption:
            caption = lines[line].strip()
            line += 1
        follows = lines[line : line + 1]
        if follows and (DRAWN.search(follows[0]) or (is_caption and not follows[0])):
            height = heights.get(caption) or heights.get(len(pictures)) or max(heights.values(), default=1)
            pictures.append(TextFrame(len(pictures), caption, lines[line : line + height], wide))
            caption, line = "", line + height
        elif not is_caption:
            line += 1
    return pictures


def _wide(lines: Sequence[str], extents: Iterable[_Extent]) -> int:
    """Return the width of a cell of a text, in characters.

    It is a width in which some word fits exactly, and in which the longest line is as long as a frame of the puzzle; if
    there is no such width, it is the usual one. extents: the boxes of these frames.
    """
    words = {word for line in lines for word in re.findall(f"[^\\s{WALLS}]+", line)}
    length = max(len(line) for line in lines if DRAWN.search(line))
    width = max((extent.right - extent.left for extent in extents), default=0)
    return next((wide for wide in sorted(map(wide_for, words)) if round(width * wide) + 1 == length), WIDE)


def _of_labels(lines: Sequence[str]) -> list[TextFrame]:
    """Return the frames of a text that has only rows of labels; an empty line ends a frame."""
    blocks: list[list[list[str]]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line.split() if re.search(r"\S\s", line) else list(line))
        else:
            blocks.append([])
    wide = max((wide_for(label) for rows in blocks for row in rows for label in row), default=WIDE)
    pictures = []
    for number, rows in enumerate(filter(None, blocks)):
        cells = [[label.strip(".").center(wide - 1) for label in row] for row in rows]
        drawn = [f"│{'│'.join(row)}│" for row in cells]
        border = "─" * max(map(len, drawn))
        pictures.append(TextFrame(number, "", [line for row in drawn for line in (border, row)], wide))
    return pictures
