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

    frame: int
    """The number of its frame in the text."""
    line: int
    column: int
    text: str


class TextFrame:
    """One frame of a text: its words, and the areas that walls enclose."""

    def __init__(self, number: int, caption: str, lines: Sequence[str], wide: int) -> None:
        """Find the words in the lines of a frame.

        A word is a double bar, or characters without a gap; lines and shades are no words. number, caption: the number
        and caption of the frame in the text. wide: the width of a cell in characters.
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
        """Return a set of one word: the one that shows this mark with its middle at the spot; empty if none does.

        Only the first and the last character are compared, because another mark may be drawn over the middle.
        """
        line, first = spot[0], spot[1] - len(text) // 2
        last = first + len(text) - 1
        if (self._character_at(line, first), self._character_at(line, last)) != (text[0], text[-1]):
            return frozenset()
        if text in WALLS:  # `words` has no wall characters
            return frozenset({Word(self.number, line, first, text)})
        return frozenset({self.words[line, first]} if (line, first) in self.words else ())

    def label(self, spot: Spot) -> frozenset[Word]:
        """Return the words that may label a spot.

        They are all words in the spot's area if these have the same text; otherwise only the word at the spot, if any.
        """
        _, words = self._area(spot)
        if len({word.text for word in words}) > 1:
            return frozenset({self.words[spot]} if spot in self.words else ())
        return words

    def area(self, spot: Spot) -> int:
        """Return the number of the area, enclosed by walls, in which a spot lies."""
        return self._area(spot)[0]

    def cells(self) -> dict[tuple[int, int], tuple[int, str]]:
        """Return (number of its area, text in the cell) for each cell (row, column).

        The text is the label of the cell's middle. If that has none, it is the least of the words in the cell's line.
        """
        area_and_text = {}
        for row in range(len(self._lines) // HIGH):
            line = row * HIGH + 1  # a cell's first line and first column are its border
            for column in range(self._width // self.wide):
                columns = range(column * self.wide + 1, (column + 1) * self.wide)
                middle = line, columns[len(columns) // 2]
                words = self.label(middle) or {self.words[line, x] for x in columns if (line, x) in self.words}
                text = min((word.text for word in words), default="")
                area_and_text[row, column] = self.area(middle), text
        return area_and_text

    def _area(self, spot: Spot) -> tuple[int, frozenset[Word]]:
        """Return (number, words) of the area of a spot: all spots that it reaches without crossing a line.

        Areas have different numbers, with gaps. A flood fill finds each area once, and stores it for all its spots.
        """
        if spot not in self._areas:
            area, fringe = {spot}, [spot]
            while fringe:
                line, column = fringe.pop()
                neighbours = ((line, column - 1), (line, column + 1), (line - 1, column), (line + 1, column))
                for neighbour in neighbours:
                    is_wall = self._character_at(*neighbour) in WALLS  # also outside of the text
                    if neighbour not in area and neighbour not in self._diagonals and not is_wall:
                        area.add(neighbour)
                        fringe.append(neighbour)
            words = frozenset(self.words[place] for place in area if place in self.words)
            number = len(self._areas)  # each area adds its spots, so no earlier area has this number
            self._areas |= dict.fromkeys(area, (number, words))
        return self._areas[spot]

    def _character_at(self, line: int, column: int) -> str:
        """Return the character at a line and column: a blank behind the end of a short line, a wall outside the text.

        The column behind the longest line is not outside yet.
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
    """Return a function without arguments that reads the file by `in_file` when it is first called.

    Later calls return the same reading again. Reading takes long, and several ways to read a drawing need its result,
    or none does.
    """
    return cache(partial(in_file, path, key, puzzle))


def in_file(path: Path, key: Key, puzzle: Puzzle) -> Reading:
    """Read the literals in a file: a line of JSON, lines ``LABEL=VALUE``, or a drawing.

    A file is read as a drawing if the puzzle has drawings, and some line has no equals sign. Raises `InputError` for a
    file that cannot be read, shows nothing or contradicts itself. key: numbers the literals of the puzzle.
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
        # Both calls raise `InputError`: `fact` for a label or value that the puzzle lacks, `check_agreement` if a label
        # has two values.
        facts = [labels.fact(*literal) for literal in literals]
        check_agreement(facts, key, puzzle.name)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    value_of_label = dict(key.label_and_value(number) for fact in facts for number in fact.literals)
    return Reading(shown=value_of_label, stray=[], blank=[], words=[], cells={}, has_walls=False)


def read_drawing(puzzle: Puzzle, key: Key, text: str) -> Reading:
    """Read a solution from a text, as the puzzle draws it or with other labels for the same areas.

    If some words are not explained and no area has several labelled cells, the text is read again as if its walls were
    only a grid. If some words are still not explained, the puzzle's labels are replaced by those of the text, provided
    that this explains more words. Raises `InputError` if the puzzle's drawings cannot be read back.
    """
    reader = _Reader(puzzle, key, text)
    reading = reader.reading({})
    if reading.stray and not reader.has_areas(reading):
        reader.minds_walls = False
        reading = reader.reading({})
    if reading.stray and (text_name_of_label := reader.names_in_text()):
        with_text_labels = reader.reading(text_name_of_label)
        if len(with_text_labels.stray) < len(reading.stray):
            return with_text_labels
    return reading


class _Reader:
    """Reads one text by comparing it with the drawings of all literals."""

    def __init__(self, puzzle: Puzzle, key: Key, text: str) -> None:
        """Draw each literal by itself and find the frames of the text.

        A literal has the traits that its drawing has more than the drawing of no literal. key: numbers the literals of
        the puzzle. text: the drawing to read. Raises `InputError` if there are too many literals, or if the puzzle
        cannot draw single literals.
        """
        if key.size > MAX_DRAWN_LITERALS:
            raise InputError(f"{puzzle.name} has too many literals for its drawings to be read; give a line of JSON")
        self._puzzle, self._key = puzzle, key
        self._extents: dict[int | str, _Extent] = defaultdict(_Extent)
        """The bounding box of each frame that the puzzle draws, by its number and by its caption; see `_traits`."""
        self._blank = self._traits({})
        """The traits of the drawing of no literal."""
        self._added_traits: dict[Label, dict[int, list[Trait]]] = {}
        """For each label and value, the traits that this literal by itself adds to the drawing of no literal."""
        for position, label in enumerate(key.labels):
            if key.is_boolean[position]:
                traits_of_true = self._traits({label: 1})
                # What disappears from the drawing when the literal is true, shows that it is false.
                removed = [trait for trait in _difference(self._blank, traits_of_true) if trait.text != UNKNOWN]
                self._added_traits[label] = {1: _difference(traits_of_true, self._blank), 0: removed}
            else:
                # A variable's literals have successive numbers; `first` is the number of its first one.
                values = [key.literal(n)[1] for n in range(key.first[position], key.first[position + 1])]
                self._added_traits[label] = {
                    value: _difference(self._traits({label: value}), self._blank) for value in values
                }
        self._text_frames = self._without_border(text) or _text_frames(text, self._extents)
        """The frames of the text."""
        self._has_walls = self.minds_walls = DRAWN.search(text) is not None
        self._goes_by_captions = any(text_frame.caption in self._extents for text_frame in self._text_frames)
        """True if frames are identified by their captions, False if by their numbers."""
        self._labels: dict[str, str] = {}
        """The label in the text for each label of the puzzle that has another one there."""

    def reading(self, labels: Mapping[str, str]) -> Reading:
        """Read the text: of each label, the first value whose traits the text shows.

        Literals that do not fill their areas alone are then left out, see `_filling_areas`. labels: maps some of the
        labels that the puzzle draws in areas to the labels that the text has instead.
        """
        self._labels = dict(labels)
        traits_of: dict[Literal, list[Trait]] = {}  # dict(traits_of.keys()) is the value by label
        for label, traits_of_value in self._added_traits.items():
            if not any(traits_of_value.values()):  # such as a move, which is drawn only if the moves before it are, too
                values_before = dict(traits_of.keys())
                traits_before = self._traits(values_before)
                traits_of_value = {
                    value: _difference(self._traits({**values_before, label: value}), traits_before)
                    for value in traits_of_value
                }
            for value, traits in traits_of_value.items():
                if traits and all(map(self._words_showing, traits)) and self._hangs_together(traits):
                    traits_of[label, value] = traits
                    break
        traits_of = self._filling_areas(traits_of)
        explained_words = {
            word
            for traits in (self._blank, *traits_of.values())
            for trait in traits
            for word in self._words_showing(trait)
        }
        stray = {word for text_frame in self._text_frames for word in text_frame.words.values()} - explained_words
        blank = [place for place, words in self._labelled.items() if not words]  # a label could be there
        stray_in_order = sorted(stray)
        return Reading(
            shown=dict(traits_of.keys()),
            stray=[*map(self._describe_word, stray_in_order)],
            blank=[self._position_text(*place) for place in sorted(blank, key=str)],
            words=[*map(self._cell_of, stray_in_order)],
            cells=self._cells,
            has_walls=self._has_walls,
        )

    def has_areas(self, reading: Reading) -> bool:
        """Tell whether some area of a drawing, enclosed by walls, has a text in several of its cells."""
        labelled_cells = Counter(area for area, text in reading.cells.values() if text)
        return any(count > 1 for count in labelled_cells.values())

    def _without_border(self, text: str) -> list[TextFrame]:
        """Return the frames of a text if the puzzle's drawing has no border but signs that all solutions show.

        The signs are the traits of the drawing of no literal. They locate the drawing in the text: it starts at the
        line from which most of them are at their places. (It may begin with empty lines, or with lines that look like a
        caption.) A drawing above or below it is a frame, too. The result is empty if the puzzle's drawing has a border,
        a caption, several frames or no such sign, or if less than half of the signs are at their places.
        """
        assert self._puzzle.draw
        frames = draw.drawing(self._puzzle, self._key.partial_solution({}))
        has_one_frame = [*self._extents] == [0]  # and no caption, which would be another key
        if not self._blank or not has_one_frame or any(shape.outline for shape in frames[0].shapes):
            return []
        lines = [line.rstrip() for line in text.expandtabs().splitlines()]
        extent = self._extents[0]
        wides = [WIDE, _wide(lines, [extent])] if any(map(DRAWN.search, lines)) else [WIDE]

        def signs_at(start_and_width: tuple[int, int]) -> int:
            """Return how many signs are at their places for this first line of the drawing and this cell width."""
            start, wide = start_and_width
            spots = [(extent.spot(trait.point, wide), trait.text) for trait in self._blank]
            return sum(_stands_at(lines, (start + line, column), text) for (line, column), text in spots)

        starts = sorted(range(1 - extent.lines, len(lines)), key=abs)  # of equally good ones, the nearest to 0 counts
        start, wide = max(product(starts, wides), key=signs_at)
        if 2 * signs_at((start, wide)) < len(self._blank):
            return []
        end = start + extent.lines
        missing_rows = [""] * max(0, -start)  # if the text begins below the first rows of the drawing
        rows = missing_rows + lines[max(0, start) : end]
        above = lines[: max(0, start)]
        below = lines[end:]
        other_frames = [side_lines for side_lines in (above, below) if any(map(DRAWN.search, side_lines))]
        return [TextFrame(number, "", frame_lines, wide) for number, frame_lines in enumerate([rows, *other_frames])]

    @cached_property
    def _cells(self) -> dict[tuple[int, int, int], tuple[int, str]]:
        """The (number of the area, text) of each cell (frame, row, column); numbers are unique across frames."""
        numbers: dict[tuple[int, int], int] = {}  # by (frame, number of the area in it)
        return {
            (self._frame_of(text_frame), *cell): (numbers.setdefault((text_frame.number, area), len(numbers)), text)
            for text_frame in self._text_frames
            for cell, (area, text) in text_frame.cells().items()
        }

    def _cell_of(self, word: Word) -> tuple[int, int, int, str]:
        """Return (frame, row, column, text) of a word; frame, row and column are those of its cell, from 0."""
        text_frame = self._text_frames[word.frame]
        return self._frame_of(text_frame), word.line // HIGH, word.column // text_frame.wide, word.text

    def _frame_of(self, text_frame: TextFrame) -> int:
        """Return the number of the puzzle's frame that a frame of the text shows."""
        captions = [name for name in self._extents if isinstance(name, str)]
        return captions.index(text_frame.caption) if text_frame.caption in captions else text_frame.number

    def _hangs_together(self, traits: Iterable[Trait]) -> bool:
        """Tell whether, for each shape of these traits, all its labels are in one area of the text.

        It is always true if walls do not matter (`minds_walls`).
        """
        areas: dict[tuple[FrameName, int], set[int]] = defaultdict(set)
        for trait in traits if self.minds_walls else ():
            if not trait.is_mark and (located := self._locate(trait)):
                text_frame, spot = located
                areas[trait.frame, trait.shape].add(text_frame.area(spot))
        return all(len(numbers) == 1 for numbers in areas.values())

    def _filling_areas(self, traits_of: Mapping[Literal, list[Trait]]) -> dict[Literal, list[Trait]]:
        """Return those of the literals, with their traits, that fill whole areas of the text alone.

        traits_of: the traits of each literal that the text shows. An area is represented by its set of words. First, a
        literal that fills areas exactly displaces all others from these areas. Then a literal stays if, at each place
        of each area that it labels, it is the only one that puts a label there.
        """
        places_of_area: dict[frozenset[Word], set[Place]] = defaultdict(set)
        for place, words in self._labelled.items():
            places_of_area[words].add(place)
        if self.minds_walls:
            # A literal is displaced if it touches an area that others fill exactly, and it does not.
            exact_areas = {literal: self._exact_areas(traits, places_of_area) for literal, traits in traits_of.items()}
            taken_areas = set().union(*exact_areas.values())
            traits_of = {
                literal: traits
                for literal, traits in traits_of.items()
                if taken_areas.intersection(map(self._words_at, traits)) <= exact_areas[literal]
            }
        number_of_labels = Counter(
            self._frame_and_spot(trait) for traits in traits_of.values() for trait in traits if not trait.is_mark
        )

        def has_single_labels(trait: Trait) -> bool:
            """Tell whether each place of the trait's area has one label; true of a mark, which labels no area."""
            return trait.is_mark or all(number_of_labels[place] == 1 for place in places_of_area[self._words_at(trait)])

        return {literal: traits for literal, traits in traits_of.items() if all(map(has_single_labels, traits))}

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
        """Return the text's name for each of the puzzle's labels; empty if the names cannot be assigned.

        Names are texts in areas: a name is one in the text, a label one that the puzzle draws. A name may mean a label
        if literals of that label fit into the places with this name, and together cover them. If each name may mean
        exactly one label, and no two the same, this is the result. Otherwise, labels may be interchangeable, as the
        numbers of regions are. So if there are as many names as labels, no name is a label and each name is at several
        places, names are assigned to labels in the order in which both occur.
        """
        places_of_name: dict[str, set[Place]] = defaultdict(set)
        for place, words in self._labelled.items():
            for word in words:
                places_of_name[word.text].add(place)
        literals_of_label: dict[str, list[set[Place]]] = defaultdict(list)  # the places that each literal labels
        for traits in (traits for by_value in self._added_traits.values() for traits in by_value.values()):
            if traits and not any(trait.is_mark for trait in traits):
                literals_of_label[traits[0].text].append(set(map(self._frame_and_spot, traits)))

        def is_covered(places: set[Place], literals: Iterable[set[Place]]) -> bool:
            """Tell whether the literals that fit into some places together cover them."""
            fitting = (labelled for labelled in literals if labelled <= places)
            return places == set().union(*fitting)

        candidates = {
            name: [label for label, literals in literals_of_label.items() if is_covered(places, literals)]
            for name, places in places_of_name.items()
        }
        if all(len(labels) == 1 for labels in candidates.values()):
            name_of_label = {label: name for name, (label,) in candidates.items()}
            return name_of_label if len(name_of_label) == len(candidates) else {}
        if (
            len(places_of_name) == len(literals_of_label)
            and places_of_name.keys().isdisjoint(literals_of_label)
            and all(len(places) > 1 for places in places_of_name.values())
        ):
            return dict(zip(literals_of_label, places_of_name, strict=True))
        return {}

    @cached_property
    def _labelled(self) -> dict[Place, frozenset[Word]]:
        """The words at each place where a label can be."""
        traits = (trait for by_value in self._added_traits.values() for traits in by_value.values() for trait in traits)
        return {self._frame_and_spot(trait): self._words_at(trait) for trait in traits if not trait.is_mark}

    def _traits(self, solution: Mapping[Label, int]) -> list[Trait]:
        """Return the traits of the drawing of a part of a solution, and enlarge the extents of the frames to it.

        solution: the values by label that are drawn. Raises `InputError` if the puzzle cannot draw a part of one.
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
            for shape_number, shape in enumerate(frame.shapes):
                corners = [corner for ring in shape.rings for corner in ring]
                self._extents[number].add(corners)
                if frame.caption:
                    self._extents[frame.caption].add(corners)
                if shape.label or shape.mark:
                    # A label may be in any cell of its shape; a mark is at one point.
                    points = [] if shape.mark else _middles(shape)
                    for x, y in points or [label_point(shape)]:
                        spot = round(y * HIGH), round(x * WIDE)  # a cell takes HIGH lines and WIDE columns
                        text = shape.mark or shape.label
                        frame_name = number, frame.caption
                        traits.append(Trait(frame_name, spot, text, bool(shape.mark), (x, y), shape_number))
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
        label_in_text = self._labels.get(trait.text, trait.text)
        if trait.is_mark or all(word.text == label_in_text for word in words):
            return words
        return frozenset()

    def _words_at(self, trait: Trait) -> frozenset[Word]:
        """Return the words of the text at the place of a trait; empty if the text lacks its frame.

        For a label these are the words of its area, whatever they say, or the word at its spot if the area has
        different words. For a mark it is the word that shows it, if there is one.
        """
        if (located := self._locate(trait)) is None:
            return frozenset()
        text_frame, spot = located
        return text_frame.mark(spot, trait.text) if trait.is_mark else text_frame.label(spot)

    def _locate(self, trait: Trait) -> tuple[TextFrame, Spot] | None:
        """Return (frame of the text, spot there) where the text would show a trait; None if the text lacks the frame.

        The puzzle's frame gives the spot: its origin, the upper left corner of its extent, is that of the text's frame.
        """
        name = self._name(trait.frame)
        for text_frame in self._text_frames:
            if name in (text_frame.caption, text_frame.number) and name in self._extents:
                return text_frame, self._extents[name].spot(trait.point, text_frame.wide)
        return None

    def _position_text(self, name: int | str, spot: Spot) -> str:
        """Return a place for messages, such as "row 1, column 2 of start".

        spot: the place, from the origin of the puzzle's drawing. name: the number or caption of its frame.
        """
        extent = self._extents[name]
        row = spot[0] - round(extent.top * HIGH)
        column = spot[1] - round(extent.left * WIDE)
        name_text = f" of {name}" if isinstance(name, str) else ""
        return f"row {row // HIGH + 1}, column {column // WIDE + 1}{name_text}"

    def _describe_word(self, word: Word) -> str:
        """Return a word with its place, for messages."""
        text_frame = self._text_frames[word.frame]
        frame_text = f" of {text_frame.caption or f'drawing {word.frame + 1}'}" if len(self._text_frames) > 1 else ""
        return f"{word.text!r} in {text_frame.place_in_words(word)}{frame_text}"


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
    """Tell whether lines contain a text whose middle character is at a spot (line, column)."""
    line, first = spot[0], spot[1] - len(text) // 2
    return 0 <= line < len(lines) and first >= 0 and lines[line][first : first + len(text)] == text


def _middles(shape: Shape) -> list[Point]:
    """Return the middles of the cells of a shape in which its label may be; of a triangle, its middle.

    If the shape is not connected, only the cells of its first part count, because that part has the label.
    """
    if [len(ring) for ring in shape.rings] == [3]:  # one outline of three corners: a triangle
        xs, ys = zip(*shape.rings[0], strict=True)
        return [(sum(xs) / 3, sum(ys) / 3)]
    return [(x + 0.5, y + 0.5) for x, y in _first_piece(unit_cells(shape))]


def _first_piece(cells: Iterable[Point]) -> list[Point]:
    """Return the cells that are connected with the first one, by common edges."""
    remaining = list(cells)
    piece = remaining[:1]
    for x, y in piece:  # the loop also visits the cells that it appends
        remaining = [cell for cell in remaining if cell not in piece]
        piece += [cell for cell in remaining if abs(cell[0] - x) + abs(cell[1] - y) == 1]
    return piece


def _difference(traits: Sequence[Trait], others: Iterable[Trait]) -> list[Trait]:
    """Return the traits that are not among the others; frame number, spot and text decide, as captions may vary."""
    others_at = {(trait.frame[0], trait.spot, trait.text) for trait in others}
    return [trait for trait in traits if (trait.frame[0], trait.spot, trait.text) not in others_at]


def _text_frames(text: str, extents: Mapping[int | str, _Extent]) -> list[TextFrame]:
    """Split a text into frames, each with its caption.

    A frame begins at a line with drawing characters, or behind a caption: a line without such characters. It takes as
    many lines as the puzzle's own frame with this caption or number. extents: the boxes of the frames that the
    puzzle may draw, by number and by caption.
    """
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    if not any(map(DRAWN.search, lines)):
        return _frames_of_labels(lines)
    heights = {name: extent.lines for name, extent in extents.items()}
    wide = _wide(lines, extents.values())
    # The puzzle draws one frame, without a caption. An empty first line then belongs to a board without a border.
    if [*heights] == [0] and not lines[0] and len(lines) <= heights[0]:
        return [TextFrame(0, "", lines, wide)]
    text_frames: list[TextFrame] = []
    caption, line = "", 0
    while line < len(lines):
        is_caption = lines[line] and not DRAWN.search(lines[line])
        if is_caption:
            caption = lines[line].strip()
            line += 1
        first_line = lines[line : line + 1]  # empty at the end of the text
        if first_line and (DRAWN.search(first_line[0]) or (is_caption and not first_line[0])):
            height = heights.get(caption) or heights.get(len(text_frames)) or max(heights.values(), default=1)
            text_frames.append(TextFrame(len(text_frames), caption, lines[line : line + height], wide))
            caption, line = "", line + height
        elif not is_caption:
            line += 1
    return text_frames


def _wide(lines: Sequence[str], extents: Iterable[_Extent]) -> int:
    """Return the width of a cell of a text, in characters.

    It is a width in which some word fits exactly, and in which the longest line is as long as a frame of the puzzle; if
    there is no such width, it is the usual one. extents: the boxes of these frames.
    """
    words = {word for line in lines for word in re.findall(f"[^\\s{WALLS}]+", line)}
    length = max(len(line) for line in lines if DRAWN.search(line))
    width_in_cells = max((extent.right - extent.left for extent in extents), default=0)
    widths = sorted(map(wide_for, words))  # `wide_for`: the width of a cell into which a word fits
    return next((wide for wide in widths if round(width_in_cells * wide) + 1 == length), WIDE)


def _frames_of_labels(lines: Sequence[str]) -> list[TextFrame]:
    """Return the frames of a text that has only rows of labels, redrawn with a wall around each cell.

    An empty line ends a frame. A row without blanks has a label in each character; a dot is an empty cell.
    """
    blocks: list[list[list[str]]] = [[]]  # for each frame, its rows of labels
    for line in lines:
        if line:
            blocks[-1].append(line.split() if re.search(r"\S\s", line) else list(line))
        else:
            blocks.append([])
    wide = max((wide_for(label) for rows in blocks for row in rows for label in row), default=WIDE)
    text_frames = []
    for number, rows in enumerate(filter(None, blocks)):
        cells = [[label.strip(".").center(wide - 1) for label in row] for row in rows]
        drawn_rows = [f"│{'│'.join(row)}│" for row in cells]
        border = "─" * max(map(len, drawn_rows))
        frame_lines = [line for row in drawn_rows for line in (border, row)]  # a border above each row
        text_frames.append(TextFrame(number, "", frame_lines, wide))
    return text_frames
