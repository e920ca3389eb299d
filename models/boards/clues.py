"""Clues of pencil puzzles: read from a line of text, kept by symmetries, and drawn around and on a board."""

import os
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from models.boards import grid
from models.boards.grid import Cell, Turn
from models.errors import ParameterError, number_with_unit
from models.puzzle import Frame, Literal, Point, Shape, Symmetry

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

ContentT = TypeVar("ContentT")

MAX_SIDE = 100
"""The most rows or columns of a board with clues."""

DOT = "·"
"""The sign in an empty cell of a board that has no lines between cells."""

GAME_ID = re.compile(r"\s*(?P<size>[0-9]{1,3}(?:x[0-9]{1,3})?)[a-z]*:(?P<clues>.*)", re.DOTALL)
"""Matches an ID of S. Tatham's collection, such as 5:1/2/3: the size, the level as letters, and the clues."""


def text_in(puzzle: str, sample: str) -> str:
    """Return the text of a puzzle, or that of the file with this path.

    sample: shows how a puzzle is written, for the message. Raises ValueError if there is nothing to read.
    """
    if os.path.isfile(puzzle):
        puzzle = grid.text_of(puzzle, "a puzzle; write", f"such as {sample}")
    if not puzzle.strip():
        raise ParameterError(f"there are no clues; write such as {sample}")
    return puzzle.strip()


def of_game_id(puzzle: str, sample: str, least: int = 1) -> tuple[int, str]:
    """Return (side, clues) of an ID of S. Tatham's collection, or of the file that holds it.

    sample: such an ID, for the message. least: the least side. Raises ValueError if the text is none, or if the side is
    too small or too large.

    >>> of_game_id("5de:1/2", "4:")
    (5, '1/2')
    """
    text = text_in(puzzle, sample)
    match = GAME_ID.fullmatch(text)
    if not match or "x" in match["size"]:
        raise ParameterError(f"{text:.40} does not begin with a size and a colon; write such as {sample}")
    side = number_in_range(match["size"], "the size", least, MAX_SIDE)
    return side, match["clues"].strip()


def number_in_range(word: str, place: str, low: int, high: int) -> int:
    """Return the number that a word says; raise ValueError if it is none, or not from low to high.

    place: where it stands, for the message.

    >>> number_in_range("7", "column 1", 0, 9)
    7
    """
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise ParameterError(f"{place}: {word!r} is no number; write one from {low} to {high}")
    number = int(word)
    if not low <= number <= high:
        raise ParameterError(f"{place}: {number} is not possible; write a number from {low} to {high}")
    return number


def contents(text: str, side: int) -> dict[Cell, int]:
    """Return the numbers in the cells of a square, as IDs of S. Tatham's collection write them, row by row.

    text: numbers, with _ between two, and letters for empty cells: a for one, b for two and so on. side: the rows of
    the square, and its greatest number. Raises ValueError if there are too many or too few cells.

    >>> contents("1_2b", 2)
    {(0, 0): 1, (0, 1): 2}
    """
    numbers: dict[Cell, int] = {}
    place = 0
    for letter, word in re.findall(r"([a-z])|([^a-z_]+)", text):
        if letter:  # as many cells as its place in the alphabet
            place += ord(letter) - ord("a") + 1
            continue
        cell = divmod(place, side)
        numbers[cell] = number_in_range(word, cell_name(cell), 1, side)
        place += 1
    if place != side**2:
        raise ParameterError(f"the contents have {place} cells, and a square of {side} has {side**2}")
    return numbers


def cell_name(cell: Cell) -> str:
    """Return a cell in words, counted from 1.

    >>> cell_name((0, 4))
    'row 1 column 5'
    """
    row, column = cell
    return f"row {row + 1} column {column + 1}"


@contextmanager
def rule(model: "CpModel", text: str) -> Iterator[None]:
    """Name the constraints that are added to a model meanwhile, unless they have a name.

    text: the rule in words, or `models.puzzle.DEFINITION`. All constraints with the same name are one rule. A
    constraint that is added within the with statement gets the name when the statement ends.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> with rule(model, "x is 1"):
    ...     _ = model.add(model.new_bool_var("x") == 1)
    >>> model.proto.constraints[0].name
    'x is 1'
    """
    constraints = model.proto.constraints
    first = len(constraints)
    yield
    for place in range(first, len(constraints)):
        if not constraints[place].name:
            constraints[place].name = text


def add_given(model: "CpModel", variables: Mapping[Cell, "IntVar"], given: Mapping[Cell, int]) -> None:
    """Add to a model that cells hold the numbers that are given."""
    for cell, value in given.items():
        name = f"{cell_name(cell)} is given as {value}"
        model.add(variables[cell] == value).with_name(name)


def latin_square(model: "CpModel", side: int, word: str) -> dict[Cell, "IntVar"]:
    """Return new variables of a model, by cell: the numbers from 1 on, each once in each row and column of a square.

    side: the number of rows. word: names the variables.
    """
    along = range(side)
    cells = product(along, repeat=2)
    number = {cell: model.new_int_var(1, side, f"{word}[{cell}]") for cell in cells}
    for i in along:
        model.add_all_different(number[i, c] for c in along)
        model.add_all_different(number[r, i] for r in along)
    return number


def by_cell(rows: Iterable[Sequence[ContentT]]) -> dict[Cell, ContentT]:
    """Return the content of each cell of some rows.

    >>> by_cell(["ab"])
    {(0, 0): 'a', (0, 1): 'b'}
    """
    contents: dict[Cell, ContentT] = {}
    for r, row in enumerate(rows):
        for c, content in enumerate(row):
            contents[r, c] = content
    return contents


def size_of(cells: Iterable[Cell]) -> tuple[int, int]:
    """Return how many rows and columns a board has, whose cells begin at (0, 0)."""
    last_row, last_column = map(max, zip(*cells, strict=True))
    return last_row + 1, last_column + 1


def cell_letters(text: str, subject: str) -> dict[Cell, str]:
    """Return the character in each cell of a drawing whose rows are divided by / or blanks.

    subject: names the drawing in the message of the ValueError if it has no cell, or rows that are not equally long.

    >>> cell_letters("ab/cb", "the board")
    {(0, 0): 'a', (0, 1): 'b', (1, 0): 'c', (1, 1): 'b'}
    """
    rows = [row for row in re.split(r"[/\s]+", text) if row]
    if not rows:
        raise ParameterError(f"there is no cell of {subject}; write a letter for each")
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            size = number_with_unit(len(row), "cells")
            raise ParameterError(f"row {number} of {subject} has {size}, and row 1 has {width}; give all one length")
        if len(row) > MAX_SIDE or number > MAX_SIDE:
            raise ParameterError(f"row {number} of {subject} is beyond {MAX_SIDE} rows and columns; make it smaller")
    return by_cell(rows)


def parts_of(letters: Mapping[Cell, str]) -> dict[str, frozenset[Cell]]:
    """Return the cells of each letter, in the order of their first cells.

    letters: the letter of each cell.
    """
    cells_by_letter: dict[str, list[Cell]] = {}
    for cell in sorted(letters):
        cells_by_letter.setdefault(letters[cell], []).append(cell)
    return {letter: frozenset(cells) for letter, cells in cells_by_letter.items()}


Clue = tuple[tuple[Cell, ...] | frozenset[Cell], Hashable]
"""(the cells of which it speaks, what it says); the cells are in order where their order matters."""


def clue_symmetries(cells: Collection[Cell], clues: Iterable[Clue]) -> list[Turn]:
    """Return the turns and reflections of a board that map its clues to each other, without the identity.

    cells: the board. clues: a line of which something is said in both directions is two clues. For a clue whose cells
    have an order, the image must be a clue with the same order; a set of cells has none.

    >>> len(clue_symmetries(grid.box(2, 2), [(((0, 0), (0, 1)), 1), (((1, 1), (1, 0)), 1)]))
    1
    """
    known_clues = set(clues)
    turns = []
    for turn in grid.symmetries(frozenset(cells))[1:]:
        # The image keeps the type: a set for clues without an order. Most turns fail at once.
        images = ((type(part)(map(turn, part)), statement) for part, statement in known_clues)
        if all(image in known_clues for image in images):
            turns.append(turn)
    return turns


def cell_symmetry(turn: Turn) -> Symmetry:
    """Return the symmetry that turns a board whose labels are cells."""

    def symmetry(cell: Cell, value: int) -> Literal:
        return turn(cell), value

    return symmetry


def in_cell(cell: Cell, value: int) -> tuple[str, list[Cell]]:
    """Return the name and the cells of what a literal fills: the number, and the cell that is its label."""
    return str(value), [cell]


def draw_regions(
    labels: Mapping[Cell, str], regions: Iterable[Collection[Cell]], colours: Mapping[Cell, int] | None = None
) -> Frame:
    """Draw a board with walls between its regions only, a text in some cells, and a dot in the others.

    labels: the text of each cell, empty for a dot, by which cells are counted where no lines divide them. colours: the
    colours of cells that have some. regions: the cells of each.
    """
    texts = {cell: words or DOT for cell, words in labels.items()}
    frame = grid.board_with_texts(texts)
    colour_by_cell = colours or {}
    cell_shapes = []
    for cell, shape in zip(labels, frame.shapes, strict=True):
        colour = colour_by_cell.get(cell, "empty")
        cell_shapes.append(shape._replace(outline=False, colour=colour))
    walls = [Shape(grid.outline(region), colour="empty") for region in regions]
    return frame._replace(shapes=[*walls, *cell_shapes])


def corner_text(cell: Cell, text: str) -> Shape:
    """Return a text at the top of a cell, such as the sum of the cage that begins there."""
    row, column = cell
    at = (column + 0.38, row + 0.22)
    ring = grid.outline([cell])
    return Shape(ring, "", "sign", outline=False, mark=text, at=at)


def frame_with_outer_clues(frame: Frame, clues: Mapping[Cell, str], rows: int, columns: int) -> Frame:
    """Return the frame with clues in strips along the four sides of its board.

    clues: the text in each place, counted as cells of the board are, so that row -1 is above it. rows, columns: those
    of the board. A strip is drawn even where it has no clue.
    """
    strips = [[(r, c) for c in range(columns)] for r in (-1, rows)]
    strips += [[(r, c) for r in range(rows)] for c in (-1, columns)]
    shapes = [Shape(grid.outline(strip)) for strip in strips]
    for place, words in clues.items():
        ring = grid.outline([place])
        shapes.append(Shape(ring, words, "empty", outline=False))
    return frame.with_shapes(*shapes)


def lists(left: Sequence[Sequence[int]], above: Sequence[Sequence[int]]) -> list[Shape]:
    """Return lists of numbers before the rows of a board, and above its columns, each in a strip.

    left: the numbers of each row; each takes a cell, and the last one is beside the board. above: those of each column,
    which stand closer, a line of text each: half a cell. x is 0 at the left border of the board, and y at the upper
    one.
    """
    longest_row = max([1, *map(len, left)])
    longest_column = max([1, *map(len, above)])
    height = (longest_column + 1) / 2
    shapes = []
    for row in range(len(left)):
        strip = _rectangle(-longest_row, row, 0, row + 1)
        shapes.append(Shape([strip]))
    for column in range(len(above)):
        strip = _rectangle(column, -height, column + 1, 0)
        shapes.append(Shape([strip]))
    for row, numbers in enumerate(left):
        for place, number in enumerate(reversed(numbers), 1):
            ring = _rectangle(-place, row, 1 - place, row + 1)
            shapes.append(Shape([ring], str(number), "empty", outline=False))
    for column, numbers in enumerate(above):
        for place, number in enumerate(reversed(numbers), 1):
            height_of_middle = -place / 2
            ring = _rectangle(column, height_of_middle - 1 / 2, column + 1, height_of_middle + 1 / 2)
            middle = column + 1 / 2, height_of_middle
            shapes.append(Shape([ring], str(number), "empty", outline=False, at=middle))
    return shapes


def _rectangle(left: float, top: float, right: float, bottom: float) -> list[Point]:
    """Return the corners of a rectangle, clockwise."""
    return [(left, top), (right, top), (right, bottom), (left, bottom)]
