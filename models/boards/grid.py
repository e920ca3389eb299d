"""Geometry that puzzles share: cells, turns and reflections, polyominoes and their placements, drawings of cells.

A cell is a tuple of whole numbers, (row, column) in the plane and (layer, row, column) in space; nothing here depends
on how many there are.
"""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from math import atan2, dist, pi, prod, tau
from pathlib import Path
from typing import TypeVar

from models.boards.colours import colour_classes
from models.boards.compressed import decompress
from models.boards.lattice import HEX, TRIANGLE, Lattice
from models.boards.lattice import Cell as Cell
from models.boards.lattice import Turn as Turn
from models.errors import ParameterError, number_with_unit
from models.puzzle import Board, Drawing, Frame, Point, Shape

Cells = frozenset[Cell]

ColouredCells = tuple[str, Collection[Cell], int | str]
"""(name, cells, colour) of a piece; colour: the number of a colour class or a code."""

CellT = TypeVar("CellT", bound=Cell)

MAX_BOARD_CELLS = 10_000
"""The most cells of a region; more are taken for a slip of the pen."""

ARROW_HEAD, ARROW_WIDTH = 0.4, 0.08
"""The length of an arrow's head, and half the width of its shaft, in cell widths."""


def turns(dimensions: int, mirror: bool) -> list[Turn]:
    """Return the rotations about the origin by quarter turns, and the reflections if ``mirror``.

    The identity comes first. dimensions: 2 in the plane, with 4 rotations and 4 reflections; 3 in space, with 24 of
    each.
    """
    turns = []
    for axes in permutations(range(dimensions)):
        for signs in product((1, -1), repeat=dimensions):
            # A turn permutes the axes and changes signs. It is a rotation if its determinant is 1.
            if mirror or _parity(axes) * prod(signs) == 1:
                turns.append(_turn(axes, signs))
    return turns


def _turn(axes: Sequence[int], signs: Sequence[int]) -> Turn:
    """Return the turn that makes coordinate i of the image from coordinate axes[i], times signs[i]."""

    def turn(cell: Cell) -> Cell:
        return tuple(sign * cell[axis] for axis, sign in zip(axes, signs, strict=True))

    return turn


def _parity(axes: Sequence[int]) -> int:
    """Return 1 if a permutation is even, -1 if it is odd; axes: the images of 0, 1, ... in order."""
    parity = 1
    for a, b in combinations(axes, 2):
        parity *= 1 if a < b else -1
    return parity


def neighbours(cell: Cell) -> list[Cell]:
    """Return the cells that share a side with this one, whether on the board or not.

    >>> neighbours((0, 0))
    [(-1, 0), (1, 0), (0, -1), (0, 1)]
    """
    cells = []
    for axis in range(len(cell)):
        before, x, after = cell[:axis], cell[axis], cell[axis + 1 :]
        cells += [(*before, x - 1, *after), (*before, x + 1, *after)]
    return cells


def square_at(corner: Cell) -> list[Cell]:
    """Return the four cells of a square of 2x2, whose upper left cell is given."""
    row, column = corner
    return [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]


def neighbours_along(edges: Iterable[tuple[CellT, CellT]]) -> dict[CellT, list[CellT]]:
    """Return, for each cell at the end of an edge, the cells to which edges lead from it; for other cells, [].

    >>> neighbours_along([((0, 0), (0, 1)), ((0, 1), (0, 2))])[0, 1]
    [(0, 0), (0, 2)]
    """
    neighbours: dict[CellT, list[CellT]] = defaultdict(list)
    for cell_a, cell_b in edges:
        neighbours[cell_a].append(cell_b)
        neighbours[cell_b].append(cell_a)
    return neighbours


def _square(cell: Cell) -> list[Point]:
    """Return the corners (x, y) of a square, clockwise."""
    row, column = cell
    return [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]


SQUARE = Lattice("square", turns, neighbours, _square, False)
"""Squares, and in space cubes."""

LATTICES = {lattice.name: lattice for lattice in (SQUARE, HEX, TRIANGLE)}
"""The kinds of grids by name, which are the choices of a parameter called `grid`."""


def box(*sides: int) -> Cells:
    """Return all cells of a rectangle (two sides: rows, columns) or of a box (layers, rows, columns).

    >>> sorted(box(1, 2))
    [(0, 0), (0, 1)]
    """
    return frozenset(product(*map(range, sides)))


def cells_of_drawing(*rows: str) -> Cells:
    """Return the cells that a drawing marks with ``#``; ``.`` and spaces mark none.

    An empty row, or one of a single ``-``, begins the next layer.

    >>> sorted(cells_of_drawing("##", ".#"))
    [(0, 0), (0, 1), (1, 1)]
    >>> sorted(cells_of_drawing("#", "-", "#"))
    [(0, 0, 0), (1, 0, 0)]
    """
    layers: list[list[str]] = [[]]
    for line in rows:
        if line.strip(" -"):
            layers[-1].append(line)
        elif layers[-1]:
            layers.append([])
    # Empty rows at the end have begun a layer without rows.
    layers = [layer for layer in layers if layer]
    cells = []
    for layer, lines in enumerate(layers):
        for row, line in enumerate(lines):
            cells += [(layer, row, column) for column, mark in enumerate(line) if mark == "#"]
    # A drawing of one layer is flat: its cells are (row, column).
    if len(layers) > 1:
        return frozenset(cells)
    return frozenset(cell[1:] for cell in cells)


def region(
    text: str, named: Mapping[str, Cells] | None = None, area: int | None = None, lattice: Lattice = SQUARE
) -> Cells:
    r"""Return the cells of a region that a text names (``HxW``, ``AxBxC``, a key of ``named``) or draws.

    text: the name, the rows of a drawing with line breaks between them, or the path of a file that holds them. named:
    the cells of each region that has a name. area: how many cells it must have, where that is known. lattice: the
    kind of the cells, which says where those of HxW are; a box needs squares.

    Raises ValueError, with a sentence that says what is wrong.

    >>> len(region("6x10", area=60)), len(region("##\n#."))
    (60, 3)
    """
    name = name_of(text)
    sides = _sides(text, lattice)
    size = prod(sides)
    cells: Cells | None = None  # the cells of a large board are not made before its size is checked
    if not sides:
        cells = _cells_of_text(text, named or {}, lattice)
        size = len(cells)
    if area is not None and size != area:
        raise ParameterError(f"{name} has {size} cells, but the pieces fill {area}; choose a board of {area} cells")
    if size > MAX_BOARD_CELLS:
        raise ParameterError(f"{name} has {size} cells; choose a region of at most {MAX_BOARD_CELLS}")
    if cells is None:
        return rows_of(*sides, lattice=lattice)
    return cells


def _cells_of_text(text: str, named: Mapping[str, Cells], lattice: Lattice) -> Cells:
    """Return the cells that a text names or draws, or that the file with this path draws.

    named: the regions that have names. Raises ValueError if the text is none of these.
    """
    if text in named:
        return named[text]
    if "\n" in text:
        return read(text, name_of(text), lattice)
    return _cells_of_file(text, named, lattice)


def rows_of(*sides: int, lattice: Lattice) -> Cells:
    """Return the cells of a rectangle or box with these sides.

    A row of hexagons takes every second column, so that a hexagon has its neighbours of the next row one column to the
    left and to the right; odd rows begin in column 1.

    >>> sorted(rows_of(2, 2, lattice=HEX))
    [(0, 0), (0, 2), (1, 1), (1, 3)]
    """
    cells = box(*sides)
    if lattice is not HEX:
        return cells
    return frozenset((row, 2 * number_in_row + row % 2) for row, number_in_row in cells)


def name_of(text: str) -> str:
    r"""Return the name of a region that was given by this text, for sentences.

    >>> name_of("6x10"), name_of("##\n#.")
    ('6x10', 'the drawing')
    """
    if "\n" in text:
        return "the drawing"
    return text


def _sides(text: str, lattice: Lattice) -> tuple[int, ...]:
    """Return the sides in a text such as 6x10 or 3x4x5, as numbers.

    The result is () if the text is not of this form. Raises ValueError if a side is 0. They are two, or three for a
    box, which only a lattice of squares can have.
    """
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9}){1,2}", text):
        return ()
    sides = tuple(map(int, text.split("x")))
    if not all(sides):
        raise ParameterError(f"{text} has no cells; every side must be at least 1")
    if len(sides) > 2 and lattice is not SQUARE:
        raise ParameterError(f"{text} is a box, which is made of cubes; choose a flat board")
    return sides


def _cells_of_file(path: str, named: Mapping[str, Cells], lattice: Lattice) -> Cells:
    """Return the cells that the file at a path draws.

    named: the regions that have names, which the error lists. Raises ValueError if there is no such file, or if it
    holds anything but a drawing.
    """
    known = ", ".join(["HxW such as 6x10", *named])
    if not path:
        raise ParameterError(f"no region is named; give {known}, or the path of a file drawn with # and .")
    other_kind = f"a region nor a file to be read; give {known}, or the path"
    drawing = text_of(path, other_kind)
    return read(drawing, repr(path), lattice)


def text_of(path: str, other_kind: str, wanted: str = "drawn with # and .") -> str:
    """Return the text of a file that draws cells, and may be compressed.

    Raises ValueError if it cannot be read, or is too large.

    other_kind, wanted: for the message: what else the path could have been, then advice behind a semicolon, and what
    the file should hold.
    """
    most = 4 * MAX_BOARD_CELLS  # bytes, as a mark takes up to four; one more is read to see whether the file is longer
    try:
        with Path(path).open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = f"is neither {other_kind}"
        if isinstance(error, IsADirectoryError):
            _, _, advice = other_kind.rpartition("; ")
            reason = f"is a folder; {advice}"
        raise ParameterError(f"{path!r} {reason} of a file {wanted}") from None
    if len(raw) > most:
        raise ParameterError(f"the file {path!r} is too large for a drawing; draw at most {MAX_BOARD_CELLS} cells")
    try:
        raw = decompress(raw, most)
    except ValueError as error:
        raise ParameterError(f"the file {path!r} cannot be read: {error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"the file {path!r} is not text; give a file {wanted}") from None


def split_names(drawing: str, lattice: Lattice = SQUARE) -> tuple[str, str]:
    r"""Return (a drawing of cells, the rows of names below it, behind an empty line).

    The rows are empty if there are none. The block below the empty line can also be the next layer of a drawing of
    squares. It is taken for names if it has blanks between words, and is wider than the drawing or has as many words in
    each row as the drawing has cells.

    >>> split_names("##\n.#\n\nJan Feb\nMar"), split_names("##\n\nAB")
    (('##\n.#', 'Jan Feb\nMar'), ('##\n\nAB', ''))
    """
    blocks = re.split(r"\n(?:[ -]*\n)+", drawing.strip("\n"))
    if len(blocks) != 2:
        return drawing, ""
    board, names = blocks
    # Names have other characters than the marks of cells.
    if not re.search(r"[^\s.#*-]", names):
        return drawing, ""
    board_rows = board.splitlines()
    name_rows = names.splitlines()
    cells_in_rows = [len(re.findall(r"[^\s.-]", row)) for row in board_rows]
    words_in_rows = [len(row.split()) for row in name_rows]
    board_width = max(map(len, board_rows))
    is_longer = max(map(len, name_rows)) > board_width
    is_spaced = re.search(r"\S \S", board)
    is_word_for_cell = cells_in_rows == words_in_rows and not is_spaced
    has_blanks = re.search(r"\S[ \t]+\S", names)
    # Only squares have layers, so that below other cells there are always names.
    if lattice is not SQUARE:
        return board, names
    if has_blanks and (is_longer or is_word_for_cell):
        return board, names
    return drawing, ""


def cells_by_name(text: str, cells: Iterable[Cell], lattice: Lattice = SQUARE) -> dict[str, Cell]:
    r"""Return the cell of each name, if the drawing of a region or its file has rows of names below the cells.

    Each row of names belongs to a row of the drawing; it has a word for each cell of that row, or for each of its
    columns. A dot gives no name. text: names or draws the region, as `region` takes it. cells: its cells, as `region`
    returns them. The result is {} without rows of names. Raises ValueError, with the number of the line, if the names
    do not fit.

    >>> text = "##.\n.##\n\nJan Feb .\n. Mar ."
    >>> cells_by_name(text, region(text))
    {'Jan': (0, 0), 'Feb': (0, 1), 'Mar': (1, 1)}
    """
    is_drawing = "\n" in text
    if not is_drawing and not os.path.isfile(text):
        return {}
    drawing = text
    drawing_in_words = name_of(text)
    if not is_drawing:
        drawing = text_of(text, "a region; give HxW, or the path")
        drawing_in_words = repr(text)
    board, names = split_names(drawing, lattice)
    if not names:
        return {}
    rows = names.splitlines()
    drawn_rows = len(board.splitlines())
    if len(rows) != drawn_rows:
        cell_rows = number_with_unit(drawn_rows, "rows")
        named = number_with_unit(len(rows), "rows")
        raise ParameterError(f"{drawing_in_words} draws {cell_rows} of cells and {named} of names; name each row")
    in_row: list[list[Cell]] = [[] for _ in rows]
    for cell in sorted(cells):
        in_row[cell[0]].append(cell)
    text_above_names = drawing[: drawing.rindex(names)]
    number_of_first_name_row = text_above_names.count("\n") + 1
    cell_by_name: dict[str, Cell] = {}
    cells_and_names = zip(in_row, rows, strict=True)
    for number, (row, line) in enumerate(cells_and_names, number_of_first_name_row):
        where = f"line {number} of {drawing_in_words}"
        for cell, name in _names_in_row(row, line, where):
            if "=" in name or "!" in name:
                raise ParameterError(f"{where} names a cell {name!r}; leave out = and !, which end a name in a given")
            if name in cell_by_name:
                raise ParameterError(f"{where} gives the name {name} to a second cell; choose another name")
            cell_by_name[name] = cell
    return cell_by_name


def _names_in_row(cells: Sequence[Cell], line: str, where: str) -> list[tuple[Cell, str]]:
    """Return the cells of a row that have names, each with its name, as (cell, name).

    cells: those of the row, from left to right. line: the row of names: a word for each cell, or a word for each column
    from column 0 on; the word "." gives no name. where: names the line in the message of the ValueError if it has too
    few or too many words.
    """
    # A word of dots only is a dot for each cell.
    words: list[str] = []
    for word_or_dots in line.split():
        if word_or_dots.strip("."):
            words.append(word_or_dots)
        else:
            words += word_or_dots
    cell_by_column = {cell[-1]: cell for cell in cells}
    word_by_column = dict(enumerate(words))
    if len(words) == len(cells):
        columns = [cell[-1] for cell in cells]
        word_by_column = dict(zip(columns, words, strict=True))
    name_by_column = {column: word for column, word in word_by_column.items() if word != "."}
    has_word_for_each = not name_by_column or cell_by_column.keys() <= word_by_column.keys()
    are_names_on_cells = name_by_column.keys() <= cell_by_column.keys()
    if not has_word_for_each or not are_names_on_cells:
        raise ParameterError(
            f"{where} has {len(words)} words for {len(cells)} cells; write a word for each cell of the row, and . for "
            "a cell without a name"
        )
    return [(cell_by_column[column], word) for column, word in name_by_column.items()]


def lines_of(text: str) -> str:
    r"""Return a board that is drawn in one line, with / between its rows, in several lines; other texts as they are.

    >>> lines_of("#AA/###"), lines_of("boards/6x10")
    ('#AA\n###\n', 'boards/6x10')
    """
    rows = text.removesuffix("/").split("/")
    widths = {len(row) for row in rows if row != "-"}
    has_signs = "/" in text and "#" in text and "\n" not in text
    is_drawing = has_signs and len(widths) == 1
    # A path can look like a drawing.
    if not is_drawing or os.path.exists(text):
        return text
    return "\n".join([*rows, ""])


def with_hashes(drawing: str) -> str:
    r"""Return a drawing with # for its cells, where other characters can mean nothing else.

    Without #, these are * or, without both, 1 beside 0, one letter, or capital letters. Spaces, dots and hyphens are no
    marks.

    >>> with_hashes("**\n.*"), with_hashes("01\n11"), with_hashes("AAB"), with_hashes("A#")
    ('##\n.#', '.#\n##', '###', 'A#')
    """
    marks = set(re.sub(r"[\s.-]", "", drawing))
    if "#" in marks:
        return drawing
    if "*" in marks:
        return drawing.replace("*", "#")
    if "1" in marks and marks <= {"0", "1"}:
        return drawing.replace("1", "#").replace("0", ".")
    are_capitals = all("A" <= mark <= "Z" for mark in marks)
    is_one_letter = len(marks) == 1 and min(marks).isalpha()
    if are_capitals or is_one_letter:
        return re.sub(r"[^\W\d_]", "#", drawing)
    return drawing


def read(drawing: str, name: str, lattice: Lattice = SQUARE, first: int = 1) -> Cells:
    """Return the cells of a drawing, which are marked with # or with what `with_hashes` takes for it.

    Raises ValueError, with the number of the line, if the text is no such drawing. name: what the drawing is called in
    a sentence. first: the number of its first line. lattice: the kind of the cells.
    """
    drawing_of_cells, _ = split_names(drawing, lattice)
    rows = with_hashes(drawing_of_cells).splitlines()
    for number, row in enumerate(rows, first):
        stray = set(row.rstrip()) - set("#. ")
        if stray and row.strip() != "-":
            raise ParameterError(f"line {number} of {name} holds {min(stray)!r}; draw with # and . only")
    cells = cells_of_drawing(*rows)
    if not cells:
        raise ParameterError(f"{name} draws no cell; mark each cell with #")
    if lattice is not SQUARE and len(min(cells)) > 2:
        raise ParameterError(
            f"{name} has layers, but only boards of cubes can have layers; draw it without empty lines"
        )
    # The cells of hexagons have an even sum of row and column. A drawing may have odd sums: it is moved by one column.
    if lattice is HEX:
        odd = sum(min(cells)) % 2
        for line, column in sorted(cells):
            if (line + column) % 2 != odd:  # odd is 0 or 1
                place = f"line {first + line}, column {column + 1}"
                raise ParameterError(
                    f"{place} of {name} is not the place of a hexagon; put a blank between two in a line, and shift "
                    "each line by one column against the line above"
                )
        cells = frozenset((line, column + odd) for line, column in cells)
    return cells


def read_marks(drawing: str, name: str, lattice: Lattice = SQUARE, first: int = 1) -> dict[Cell, str]:
    """Return the character of each cell of a drawing.

    The cells are the same as if all characters were #; in rows of hexagons, columns are shifted by one if `read` does
    so. Raises ValueError, with the number of the line, if it is no drawing.

    name: what the drawing is called in a sentence. first: the number of its first line. lattice: the kind of the cells.

    >>> read_marks("ab\\n.b", "a drawing")
    {(0, 0): 'a', (0, 1): 'b', (1, 1): 'b'}
    """
    drawing, _ = split_names(drawing, lattice)
    drawing_with_hashes = re.sub(r"[^\s.-]", "#", drawing)
    read(drawing_with_hashes, name, lattice, first)  # which raises the errors
    rows = drawing.splitlines()
    # For each mark, a drawing in which its cells are # and all other cells are dots. A line of - begins a layer, and
    # stays; `cells_of_drawing` reads layers.
    mark_by_cell: dict[Cell, str] = {}
    for mark in set(drawing) - set(" .-\n\r"):
        others = rf"[^\s{re.escape(mark)}-]"
        drawing_of_mark = [re.sub(others, ".", row).replace(mark, "#") for row in rows]
        cells_of_mark = cells_of_drawing(*drawing_of_mark)
        mark_by_cell |= dict.fromkeys(cells_of_mark, mark)
    # The row and column of a hexagon have an even sum, so that `read` moves a drawing that begins with an odd one.
    shift_of_hexagons = 0
    if lattice is HEX:
        shift_of_hexagons = sum(min(mark_by_cell)) % 2
    marks = {}
    for (*layer_and_row, column), mark in sorted(mark_by_cell.items()):
        marks[*layer_and_row, column + shift_of_hexagons] = mark
    return marks


def _least_coordinates(cells: Collection[Cell]) -> Cell:
    """Return the least value of each coordinate over all cells."""
    return tuple(min(ordinates) for ordinates in zip(*cells, strict=True))


def _sum(cell: Cell, by: Cell) -> Cell:
    """Return a cell moved by a vector."""
    return tuple(x + d for x, d in zip(cell, by, strict=True))


def _difference(cell: Cell, other: Cell) -> Cell:
    """Return the vector that leads from another cell to a cell."""
    return tuple(x - y for x, y in zip(cell, other, strict=True))


def _shift(cells: Iterable[Cell], by: Cell) -> Cells:
    """Return the cells moved by this vector."""
    return frozenset(_sum(cell, by) for cell in cells)


def normalise(cells: Collection[Cell], lattice: Lattice = SQUARE) -> Cells:
    """Return the shape moved so that every least coordinate is 0.

    On a skew lattice (hexagons, triangles) only shifts with an even sum keep the kind of each cell, such as triangles
    that point up. There the least column is 1 where 0 would need an odd sum.

    >>> sorted(normalise([(3, 5), (3, 6)]))
    [(0, 0), (0, 1)]
    """
    # The vector of the shift: its last coordinate is that of columns.
    *shift, columns = (-x for x in _least_coordinates(cells))
    if lattice.is_skew:
        columns += (sum(shift) + columns) % 2
    return _shift(cells, (*shift, columns))


def orientations(shape: Cells, mirror: bool, lattice: Lattice = SQUARE) -> list[Cells]:
    """Return the different ways to turn a shape (and reflect it if ``mirror``), each normalised, sorted.

    >>> len(orientations(cells_of_drawing("##", "#."), mirror=False))
    4
    """
    return _orientations(normalise(shape, lattice), mirror, lattice)


@lru_cache(maxsize=10_000)
def _orientations(shape: Cells, mirror: bool, lattice: Lattice) -> list[Cells]:
    """Return the `orientations` of a shape that is normalised."""
    dimensions = len(next(iter(shape)))
    images = [list(map(turn, shape)) for turn in lattice.turns(dimensions, mirror)]
    turned = {normalise(image, lattice) for image in images}
    return sorted(turned, key=sorted)


@lru_cache(maxsize=100_000)
def is_turned(shape: Cells, place: tuple[Cell, ...] | Cells, mirror: bool, lattice: Lattice = SQUARE) -> bool:
    """Tell whether the cells of a place are the shape, moved and turned (and reflected if ``mirror``).

    >>> is_turned(cells_of_drawing("##"), ((3, 1), (4, 1)), mirror=False)
    True
    """
    dimensions = len(next(iter(place)))
    return normalise(place, lattice) in _orientations_in(shape, dimensions, mirror, lattice)


@cache
def _orientations_in(shape: Cells, dimensions: int, mirror: bool, lattice: Lattice) -> list[Cells]:
    """Return the orientations of a shape in 2 or 3 dimensions; a flat shape may stand up in space.

    mirror: whether it may be reflected. The shape has 2 or 3 coordinates, and no more than ``dimensions``.
    """
    missing = dimensions - len(next(iter(shape)))
    lift = (0,) * missing
    lifted_shape = frozenset(lift + cell for cell in shape)
    return orientations(lifted_shape, mirror, lattice)


def placements(shape: Cells, board: Cells, mirror: bool, lattice: Lattice = SQUARE) -> list[Cells]:
    """Return all places on the board that a piece can take, sorted. A flat piece may stand up in a box.

    mirror: whether it may be reflected.

    >>> len(placements(cells_of_drawing("##"), box(2, 3), mirror=True))
    7
    """
    dimensions = len(next(iter(board)))
    places: set[Cells] = set()
    for turned_shape in _orientations_in(shape, dimensions, mirror, lattice):
        places.update(moves(turned_shape, board, lattice))
    return sorted(places, key=sorted)


def moves(shape: Cells, board: Cells, lattice: Lattice = SQUARE) -> Iterator[Cells]:
    """Yield all places on the board that a shape takes when it is moved and not turned.

    A flat shape on a flat board, or a solid one in a box: both have as many coordinates. Each step is a cell of the
    shape minus its first cell.

    >>> len(list(moves(cells_of_drawing("##"), box(2, 3))))
    4
    """
    first_cell = min(shape)
    steps = [_difference(cell, first_cell) for cell in shape]
    # Each cell becomes one number, its coordinates times strides, so that moving a shape adds to its numbers. A stride
    # has room for a step beyond the board on both sides, so that no such step leads to the number of another cell.
    strides = []
    stride = 1
    ordinates_of_axes = zip(*board, strict=True)
    distances_of_axes = zip(*steps, strict=True)
    for ordinates, distances in zip(ordinates_of_axes, distances_of_axes, strict=True):
        strides.append(stride)
        width = max(ordinates) - min(ordinates) + 1
        longest_step = max(map(abs, distances))
        stride *= width + 2 * longest_step
    cell_by_number = {}
    for cell in board:
        cell_by_number[sum(x * stride for x, stride in zip(cell, strides, strict=True))] = cell
    offsets = [sum(x * stride for x, stride in zip(step, strides, strict=True)) for step in steps]
    # On skew lattices, cells of one kind (such as triangles that point up) have one parity.
    parity = sum(first_cell) % 2
    for number, cell in cell_by_number.items():
        has_same_kind = not lattice.is_skew or sum(cell) % 2 == parity
        if has_same_kind and all(number + offset in cell_by_number for offset in offsets):
            yield frozenset([cell_by_number[number + offset] for offset in offsets])


def symmetries(board: Cells, mirror: bool = True, lattice: Lattice = SQUARE) -> list[Turn]:
    """Return the turns that map the board to itself, each followed by the shift that moves the board back.

    They map cells to cells; the identity comes first. On a skew lattice (hexagons, triangles) the shift must keep the
    kind of each cell: the sum of its coordinates is even.

    mirror: whether reflections count as turns.

    >>> len(symmetries(box(6, 10))), len(symmetries(box(8, 8))), len(symmetries(box(8, 8), mirror=False))
    (4, 8, 4)
    """
    turns_of_board = []
    dimensions = len(next(iter(board)))
    for turn in lattice.turns(dimensions, mirror):
        image = list(map(turn, board))
        back = _difference(_least_coordinates(board), _least_coordinates(image))
        keeps_kind = not lattice.is_skew or sum(back) % 2 == 0
        if keeps_kind and _shift(image, back) == board:
            turns_of_board.append(_turn_and_shift(turn, back))
    return turns_of_board


def _turn_and_shift(turn: Turn, by: Cell) -> Turn:
    """Return the map that first turns a cell and then moves it by the vector ``by``."""
    return lambda cell: _sum(turn(cell), by)


def components(cells: Cells, lattice: Lattice = SQUARE) -> list[Cells]:
    """Return the connected parts of a region, sorted by their first cells.

    >>> [sorted(part) for part in components(frozenset([(0, 0), (0, 2), (0, 3)]))]
    [[(0, 0)], [(0, 2), (0, 3)]]
    """
    unassigned = set(cells)
    parts = []
    while unassigned:
        part = [min(unassigned)]
        unassigned.remove(part[0])
        for cell in part:  # which grows in the loop
            new_neighbours = unassigned.intersection(lattice.neighbours(cell))
            part += new_neighbours
            unassigned -= new_neighbours
        parts.append(frozenset(part))
    return parts


def outline(cells: Collection[Cell], lattice: Lattice = SQUARE) -> list[list[Point]]:
    """Return the border of an area of plane cells as closed polygons of points (x, y).

    The polygons run so that the area lies to the right hand; the borders of holes run the other way round. The unit of
    the points is that of the lattice's polygons.

    >>> outline([(0, 0), (0, 1)])
    [[(0, 0), (2, 0), (2, 1), (0, 1)]]
    """
    return [[*ring] for ring in _outline(frozenset(cells), lattice)]


@lru_cache(maxsize=4096)
def _outline(cells: Collection[Cell], lattice: Lattice) -> Sequence[Sequence[Point]]:
    """Return what `outline` does; boards are drawn again and again, with the same regions."""
    return border(map(lattice.polygon, sorted(cells)))


def border(polygons: Iterable[Sequence[Point]]) -> list[list[Point]]:
    """Return the border of a union of polygons as closed polygons, as `outline` does.

    An edge that two polygons share has a copy in each direction, and is no part of the border. The others are joined
    to rings, in which corners on straight lines are left out.

    polygons: each has its inside to the right hand of its edges. Two polygons share whole edges or none.

    >>> border([[(0, 0), (2, 0), (1, 1)], [(2, 0), (2, 2), (1, 1)]])
    [[(0, 0), (2, 0), (2, 2)]]
    """
    sides: list[tuple[Point, Point]] = []
    for polygon in polygons:
        sides += zip(polygon, (*polygon[1:], polygon[0]), strict=True)
    inner = {(head, tail) for tail, head in sides}
    edges: dict[Point, list[Point]] = {}
    for tail, head in sides:
        if (tail, head) not in inner:
            edges.setdefault(tail, []).append(head)
    rings = []
    while edges:
        # A ring begins at its least corner; edges maps a point to the ends of the edges that begin there.
        ring = [min(edges)]
        direction_back = pi  # from the corner back along the edge that led to it
        while True:
            corner = ring[-1]
            # Where parts of the area touch at a corner only, several edges begin there: turning right as far as
            # possible keeps their borders apart. Each edge is removed once it is taken, and as many enter a corner as
            # leave it, so that the ring closes.
            next_point = min(edges[corner], key=lambda head: (direction_back - _direction(corner, head)) % tau)
            edges[corner].remove(next_point)
            if not edges[corner]:
                del edges[corner]
            direction_back = _direction(next_point, corner)
            if next_point == ring[0]:
                break
            ring.append(next_point)
        corners = []
        befores = [ring[-1], *ring[:-1]]
        afters = [*ring[1:], ring[0]]
        for before, point, after in zip(befores, ring, afters, strict=True):
            if not _are_on_line(before, point, after):
                corners.append(point)
        rings.append(corners)
    return rings


def _direction(start: Point, end: Point) -> float:
    """Return the direction from one point to another, in radians."""
    right = end[0] - start[0]
    down = end[1] - start[1]
    return atan2(down, right)


def _are_on_line(a: Point, b: Point, c: Point) -> bool:
    """Tell whether three points are on a line."""
    (ax, ay), (bx, by), (cx, cy) = a, b, c
    area = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    return abs(area) < 1e-9


def arrow(start: Point, end: Point) -> Shape:
    """Return an arrow from one point (x, y) to another one, as a polygon of seven corners.

    >>> len(arrow((0, 0), (2, 0)).rings[0])
    7
    """
    length = dist(start, end)
    # The direction as a vector of length 1, right and down; a short arrow has a shorter head.
    right, down = ((b - a) / length for a, b in zip(start, end, strict=True))
    neck = length - min(ARROW_HEAD, 0.7 * length)
    # The corners as (distance along the arrow, distance to its right), then as (x, y).
    left_side = [(0, -ARROW_WIDTH), (neck, -ARROW_WIDTH), (neck, -3 * ARROW_WIDTH)]
    right_side = [(along, -across) for along, across in reversed(left_side)]
    x, y = start
    ring = []
    for u, v in (*left_side, (length, 0), *right_side):
        point_x = x + u * right - v * down
        point_y = y + u * down + v * right
        ring.append((round(point_x, 6), round(point_y, 6)))
    return Shape([ring], colour="arrow", outline=False)


@lru_cache(maxsize=100_000)  # a piece is in the same place in many solutions
def piece(name: str, cells: tuple[Cell, ...], colour: int | str, lattice: Lattice) -> list[Shape]:
    """Return a shape for each connected part of a piece, with the name in an inner cell if it has one.

    colour: the number of its class, from 0, or its code; see `models.puzzle.Shape`. cells: those of the piece, in the
    plane. An inner cell is one all of whose neighbours belong to the part.
    """
    shapes = []
    for part in components(frozenset(cells), lattice):
        cells_in_order = sorted(part)
        inner = [cell for cell in cells_in_order if part.issuperset(lattice.neighbours(cell))]
        cell_of_name, *_ = inner or cells_in_order
        rings = outline(part, lattice)
        shapes.append(Shape(rings, name, colour, at=lattice.middle(cell_of_name)))
    return shapes


def holes(cells: Collection[Cell], lattice: Lattice = SQUARE) -> list[Shape]:
    """Return a shape for each area that an area of plane cells encloses.

    >>> [hole.rings for hole in holes(box(3, 3) - {(1, 1)})]
    [[[(1, 1), (1, 2), (2, 2), (2, 1)]]]
    """
    rings = [ring for ring in outline(cells, lattice) if not _runs_right(ring)]
    return [Shape([ring], colour="hole") for ring in rings]


def _runs_right(ring: Sequence[Point]) -> bool:
    """Tell whether the inside of a ring is at the right hand along it: whether its signed area is positive.

    y grows downwards.
    """
    sides = zip(ring, (*ring[1:], ring[0]), strict=True)
    return sum(x * v - u * y for (x, y), (u, v) in sides) > 0


def tiling(
    tiles: Iterable[tuple[str, Collection[Cell]]],
    lattice: Lattice = SQUARE,
    width: int = 1,
    board: Cells = frozenset(),
) -> Drawing:
    """Draw pieces in their places, each with its name and colour; in space a frame for each layer.

    A piece with the name of a colour has that colour.

    tiles: (name, cells) for each piece, in the order in which names get their colours; no cells if it is not used.
    width: where cells are not squares, the length of the longest name, for texts. board: all cells on which something
    may lie; by default those on which something does.
    """
    pieces_by_layer: dict[Cell, list[ColouredCells]] = {}
    tiles = list(tiles)
    colours = colour_classes(name for name, _ in tiles)
    covered: set[Cell] = set()
    for name, cells in tiles:
        covered.update(cells)
        # A cell in space is (layer, row, column), so that cell[:-2] is (layer,), and () in the plane.
        for layer in {cell[:-2] for cell in cells}:
            flat = [cell[-2:] for cell in cells if cell[:-2] == layer]
            pieces_by_layer.setdefault(layer, []).append((name, flat, colours[name]))
    frames = []
    board_cells = board or frozenset(covered)
    for layer, layer_cells in _cells_by_layer(board_cells):
        caption = ""
        if layer:
            caption = f"layer {layer[0] + 1}"
        pieces = pieces_by_layer.get(layer, [])
        frames.append(board_with_pieces(layer_cells, pieces, lattice, width, caption))
    return frames


def board_with_pieces(
    cells: Sequence[Cell],
    pieces: Sequence[ColouredCells],
    lattice: Lattice = SQUARE,
    width: int = 1,
    caption: str = "",
) -> Frame:
    """Draw cells of the plane with pieces on some of them.

    pieces: (name, cells, colour). width: where cells are not squares, the length of the longest name. caption: the text
    of the frame. cells: all cells of the board. colour: the number of a colour class or a code.
    """
    names = dict.fromkeys(cells, "")
    for name, piece_cells, _ in pieces:
        names |= dict.fromkeys(piece_cells, name)
    empty = [cell for cell, name in names.items() if not name]
    shapes = [*_shapes_of_board(empty, tuple(cells), lattice)]
    for name, piece_cells, colour in pieces:
        shapes += piece(name, tuple(piece_cells), colour, lattice)
    return Frame(shapes, caption, Board(names, lattice, width))


def with_names(
    frames: Drawing, named: Mapping[str, Cell], visible_cells: Collection[Cell], lattice: Lattice
) -> Drawing:
    """Return the frames with the names of those cells written on them that are in ``visible_cells``.

    named: the cell of each name. visible_cells: the cells whose names are written. frames: the pictures of the board.
    """
    shapes = []
    for name, cell in named.items():
        if cell in visible_cells:
            ring = outline([cell], lattice)
            shapes.append(Shape(ring, name, "empty", outline=False))
    if not shapes:
        return frames
    return [frame.with_shapes(*shapes) for frame in frames]


@lru_cache
def _cells_by_layer(cells: Cells) -> list[tuple[Cell, tuple[Cell, ...]]]:
    """Return (layer, cells as (row, column)) for each layer, in order.

    The layer is (number,), or () on a flat board.
    """
    cells_by_layer: dict[Cell, list[Cell]] = {}
    for cell in sorted(cells):
        cells_by_layer.setdefault(cell[:-2], []).append(cell[-2:])
    return [(layer, tuple(flat)) for layer, flat in cells_by_layer.items()]


def _shapes_of_board(empty: Iterable[Cell], cells: tuple[Cell, ...], lattice: Lattice) -> list[Shape]:
    """Return the shapes of a board on which nothing lies.

    They are the enclosed areas that are no part of it, its border, and its empty cells. empty: those of its cells on
    which nothing lies.
    """
    enclosed, edge = _holes_and_border(cells, lattice)
    vacant = [_vacant(cell, lattice) for cell in empty]
    # Without an empty cell, the outlines of the pieces show the border.
    if not vacant:
        return [*enclosed]
    return [*enclosed, edge, *vacant]


@lru_cache(maxsize=1000)
def _holes_and_border(cells: tuple[Cell, ...], lattice: Lattice) -> tuple[list[Shape], Shape]:
    """Return (the shapes of the areas that a board encloses, the shape of its border).

    cells: the cells of the board.
    """
    return holes(cells, lattice), Shape(outline(cells, lattice))


@lru_cache(maxsize=100_000)
def _vacant(cell: Cell, lattice: Lattice) -> Shape:
    """Return the shape of an empty cell."""
    return Shape(outline([cell], lattice), "", "empty", False)


def board_with_texts(
    labels: Mapping[Cell, str],
    lattice: Lattice = SQUARE,
    colours: Mapping[Cell, str | None] | None = None,
    width: int = 1,
    caption: str = "",
) -> Frame:
    """Draw cells of the plane with a text in each, which may be empty.

    labels: the text of each cell. colours: the colour of each cell that has one. width: where cells are not squares,
    the length of the longest text. caption: the text of the frame.

    >>> len(board_with_texts({(0, 0): "1", (0, 1): ""}).shapes)
    2
    """
    colour_by_cell = colours or {}
    shapes = []
    for cell, words in labels.items():
        ring = outline([cell], lattice)
        colour = colour_by_cell.get(cell)
        shapes.append(Shape(ring, words, colour, at=lattice.middle(cell)))
    return Frame([*holes(labels, lattice), *shapes], caption, Board(labels, lattice, width))


def board(rows: int, columns: int, labels: Mapping[Cell, str]) -> Drawing:
    """Draw a board of squares with a text on some of them.

    rows, columns: how many there are. labels: the text on each cell (row, column) that has one.
    """
    cells = sorted(box(rows, columns))
    texts = {cell: labels.get(cell, "") for cell in cells}
    return [board_with_texts(texts)]


def cell_ranges_from_zero(cells: Iterable[tuple[int, ...]]) -> str:
    """Return cells, counted from 0, in words, which count from 1.

    >>> cell_ranges_from_zero([(0, 0), (0, 1), (1, 0)])
    'row 1 columns 1-2; row 2 column 1'
    """
    return cell_ranges(tuple(n + 1 for n in cell) for cell in cells)


def cell_ranges(cells: Iterable[tuple[int, ...]]) -> str:
    """Return cells, counted from 1, as text row by row.

    Rows of a layer with cells in the same columns are joined.

    >>> cell_ranges([(1, 1), (1, 2), (1, 3), (2, 5), (1, 7)])
    'row 1 columns 1-3, 7; row 2 column 5'
    >>> cell_ranges([(2, 1, 1), (2, 2, 1)])
    'layer 2 rows 1-2 column 1'
    """
    # By all coordinates of a cell but its column.
    columns: dict[tuple[int, ...], list[int]] = {}
    for cell in sorted(cells):
        columns.setdefault(cell[:-1], []).append(cell[-1])
    # By (layer, columns): the rows that have cells in just these columns; the layer is () in the plane.
    rows_alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for (*layer, row), columns_of_row in columns.items():
        place = tuple(layer), tuple(columns_of_row)
        rows_alike.setdefault(place, []).append(row)
    ranges = []
    for (layers, columns_of_rows), rows in rows_alike.items():
        words = [f"layer {n}" for n in layers]
        words += [_numbers_in_words("row", rows), _numbers_in_words("column", columns_of_rows)]
        ranges.append(" ".join(words))
    return "; ".join(ranges)


def _numbers_in_words(axis: str, numbers: Sequence[int]) -> str:
    """Return ascending numbers as text such as "columns 1-3, 7"; axis: the word, in the singular."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [_span(run[0], run[-1]) for run in runs]
    if len(numbers) > 1:
        axis += "s"
    return f"{axis} {', '.join(spans)}"


def _span(first: int, last: int) -> str:
    """Return the numbers from the first to the last as text: 1-3, or 1 if there is only one."""
    if first == last:
        return str(first)
    return f"{first}-{last}"
