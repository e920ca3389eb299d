"""Boards and sets of pieces, by name and as people draw them.

Letters of pentominoes: S. W. Golomb, Polyominoes (1965); of the Soma pieces: P. Hein, as in M. Gardner, Scientific
American, September 1958. The Bedlam cube is B. Bedlam's (2002).
"""

import difflib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from models.boards import grid
from models.boards.grid import SQUARE, Cells
from models.boards.lattice import HEX, TRIANGLE, Cell, Lattice, Turn
from models.errors import ParameterError
from models.packings.pieces import Piece

PENTOMINOES = {
    "F": grid.cells_of_drawing(".##", "##.", ".#."),
    "I": grid.cells_of_drawing("#####"),
    "L": grid.cells_of_drawing("####", "#..."),
    "N": grid.cells_of_drawing("###.", "..##"),
    "P": grid.cells_of_drawing("###", "##."),
    "T": grid.cells_of_drawing("###", ".#.", ".#."),
    "U": grid.cells_of_drawing("#.#", "###"),
    "V": grid.cells_of_drawing("###", "#..", "#.."),
    "W": grid.cells_of_drawing("#..", "##.", ".##"),
    "X": grid.cells_of_drawing(".#.", "###", ".#."),
    "Y": grid.cells_of_drawing("####", ".#.."),
    "Z": grid.cells_of_drawing("##.", ".#.", ".##"),
}

SQUARE_TETROMINO = grid.cells_of_drawing("##", "##")

BEDLAM = (
    ("AAAB", "AyyB", "yyxh", "yxxx"),
    ("ACBB", "DCCh", "fwCh", "fwxh"),
    ("DeBv", "DeCh", "Dwgg", "ffgz"),
    ("eeev", "Dvvv", "wwzz", "fggz"),
)
"""One solution of the Bedlam cube, layer by layer; it fixes the shapes of the pieces."""

BOARDS = {
    "8x8-centre": grid.box(8, 8) - {(3, 3), (3, 4), (4, 3), (4, 4)},
    "8x8-corners": grid.box(8, 8) - {(0, 0), (0, 7), (7, 0), (7, 7)},
    "a-puzzle-a-day": grid.cells_of_drawing(*["######"] * 2, *["#######"] * 4, "###"),
}

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

CALENDARS = {
    "a-puzzle-a-day": {
        **{month: divmod(number, 6) for number, month in enumerate(MONTHS)},
        **{str(day): (2 + (day - 1) // 7, (day - 1) % 7) for day in range(1, 32)},
    }
}
"""For each board with dates, the cell of each name."""

SHAPES = r"(hexagon|triangle)-([0-9]{1,3})|(parallelogram)-([0-9]{1,3})x([0-9]{1,3})"
"""The pattern of the names of boards made of hexagons or triangles."""

LETTERS = ascii_uppercase + ascii_lowercase


class _Polyforms(NamedTuple):
    """A set of pieces that is generated: all connected shapes of so many cells."""

    size: int
    letters: str = LETTERS
    """The names of the pieces, in the order of their cells."""
    lattice: Lattice = SQUARE
    dimensions: int = 2


SETS = {
    "monomino": _Polyforms(1, "I"),
    "dominoes": _Polyforms(2, "I"),
    "trominoes": _Polyforms(3, "IV"),
    "tetrominoes": _Polyforms(4, "ILTOS"),
    "pentominoes": _Polyforms(5),
    "hexominoes": _Polyforms(6),
    "tetracubes": _Polyforms(4, "ILTOPABZ", dimensions=3),
    "pentacubes": _Polyforms(5, dimensions=3),
    "tetriamonds": _Polyforms(4, lattice=TRIANGLE),
    "pentiamonds": _Polyforms(5, lattice=TRIANGLE),
    "hexiamonds": _Polyforms(6, lattice=TRIANGLE),
    "heptiamonds": _Polyforms(7, lattice=TRIANGLE),
    "trihexes": _Polyforms(3, lattice=HEX),
    "tetrahexes": _Polyforms(4, lattice=HEX),
    "pentahexes": _Polyforms(5, lattice=HEX),
}
LETTERED = ("tetrominoes", "soma", "tetracubes")
"""The sets besides the pentominoes whose pieces have letters that people know, so that these may stand alone."""

ONE_SIDED = "one-sided-"
KNOWN = ", ".join([*SETS, "solid-pentominoes", "soma", "bedlam"])
WANTED = "a set such as soma or dominoes, letters such as FIL (pentominoes) or soma:LTZ, a block such as 2x3"

COUNTED = re.compile(r"(?m)^\S+\s+x[0-9*-]+$")

COUNT = re.compile(r"(?P<before>.*\S)\s+x(?P<count>\S*)")
"""The pattern of a set or piece with its number, such as "tetrominoes x5"."""


def polyforms(size: int, lattice: Lattice = SQUARE, dimensions: int = 2, mirror: bool = True) -> list[Cells]:
    """Return all connected shapes of ``size`` cells, each once, sorted by their cells.

    mirror: whether a shape and its mirror image are the same. lattice: the kind of the cells. dimensions: 2, or 3 for
    cubes.

    >>> [len(polyforms(size)) for size in range(1, 6)], len(polyforms(4, dimensions=3, mirror=False))
    ([1, 1, 2, 5, 12], 8)
    """
    # Each shape grows by one cell in all ways; its first orientation represents it and the shapes that are alike.
    shapes = {frozenset([(0,) * dimensions])}
    for _ in range(size - 1):
        larger_shapes = set()
        for shape in shapes:
            beside = {cell for shape_cell in shape for cell in lattice.neighbours(shape_cell)} - shape
            larger_shapes |= {grid.orientations(shape | {cell}, mirror, lattice)[0] for cell in beside}
        shapes = larger_shapes
    return sorted(shapes, key=sorted)


def one_sided_set(shapes: Mapping[str, Cells], lattice: Lattice = SQUARE) -> dict[str, Cells]:
    """Return the shapes of a set, by name, with the mirror images that differ.

    The mirror image of F is called F'. `grid.is_turned` says whether two shapes are the same, turned and not reflected.

    >>> len(one_sided_set(PENTOMINOES))
    18
    """
    both = dict(shapes)
    # Behind the rotations of a hexagonal or triangular lattice come its reflections: take the first one.
    reflected: Turn = _left_to_right
    if lattice is not SQUARE:
        rotations = lattice.turns(2, False)
        reflected = lattice.turns(2, True)[len(rotations)]
    for name, shape in shapes.items():
        mirrored = frozenset(map(reflected, shape))
        if not grid.is_turned(shape, mirrored, mirror=False, lattice=lattice):
            both[f"{name}'"] = grid.normalise(mirrored, lattice)
    return both


def _left_to_right(cell: Cell) -> Cell:
    """Return the mirror image of a cell."""
    row, column = cell
    return row, -column


@cache
def set_of_pieces(name: str) -> tuple[Lattice, int, Mapping[str, Cells]]:
    """Return (lattice, dimensions, shapes by name) of the set of pieces with this name.

    Dimensions are 2 for flat pieces and 3 for those that need a box. A one-sided set has a piece and its mirror image,
    where these differ. Raises KeyError if there is no such set.
    """
    if name == "bedlam":
        cells_of_letter: dict[str, set[Cell]] = defaultdict(set)
        for layer, rows in enumerate(BEDLAM):
            for row, letters in enumerate(rows):
                for column, letter in enumerate(letters):
                    cells_of_letter[letter].add((layer, row, column))
        bedlam = [grid.orientations(frozenset(cells), mirror=False)[0] for cells in cells_of_letter.values()]
        in_order = sorted(bedlam, key=sorted)
        return SQUARE, 3, dict(zip(LETTERS, in_order, strict=False))
    if name == "soma":
        # The Soma pieces are all connected shapes of 3 or 4 cubes that are no boxes: V, and six tetracubes.
        _, _, shape_of_letter = set_of_pieces("tetracubes")
        _, tromino_of_corner = polyforms(3)
        tetracubes = {letter: shape_of_letter[letter] for letter in "LTZABP"}
        return SQUARE, 3, {"V": tromino_of_corner, **tetracubes}
    if name == "solid-pentominoes":
        return SQUARE, 3, PENTOMINOES
    if name.startswith(ONE_SIDED):
        lattice, dimensions, shapes = set_of_pieces(name.removeprefix(ONE_SIDED))
        if dimensions > 2:
            raise KeyError(name)
        return lattice, 2, one_sided_set(shapes, lattice)
    size, letters, lattice, dimensions = SETS[name]  # raises KeyError for other names
    if name == "pentominoes":
        return lattice, dimensions, PENTOMINOES
    # In space a piece and its mirror image are two pieces.
    generated_shapes = polyforms(size, lattice, dimensions, mirror=dimensions < 3)
    return lattice, dimensions, dict(zip(letters, generated_shapes, strict=False))


def read_board(text: str, lattice: Lattice = SQUARE) -> Cells:
    """Return the cells of a board that a text names or draws, or the file with this path.

    On hexagons and triangles these boards have names: hexagon-N and triangle-N, with N cells or edges along a side, and
    parallelogram-AxB. Raises ValueError, with a sentence that says what is wrong. The lattice is the kind of the cells.
    `grid.region` reads HxW, drawings and files, and knows the boards with names that it is given.

    >>> len(read_board("hexagon-3", HEX)), len(read_board("triangle-3", TRIANGLE))
    (19, 9)
    """
    shape = re.fullmatch(SHAPES, text)
    if lattice is SQUARE:
        if shape and not os.path.exists(text):
            raise ParameterError(f"{text} is made of hexagons or triangles; add grid='hex' or grid='triangle'")
        return grid.region(text, BOARDS)
    if not shape:
        example_names = ("hexagon-3", "triangle-6", "parallelogram-4x7")  # for the message, if there is no such file
        return grid.region(text, dict.fromkeys(example_names, frozenset()), lattice=lattice)
    kind, side, parallelogram, high, wide = shape.groups()
    if parallelogram:
        kind = parallelogram
        sides = int(high), int(wide)
    else:
        sides = int(side), int(side)
    if not all(sides):
        raise ParameterError(f"{text} has no cells; every side must be at least 1")
    rows = _rows_of_shape(lattice, kind, *sides)
    cells = _cells_of_rows(rows, lattice)
    return grid.region(text, {text: cells}, lattice=lattice)


def _rows_of_shape(lattice: Lattice, kind: str, high: int, wide: int) -> list[tuple[int, int]]:
    """Return (first column, number of cells) of each row of a hexagon, triangle or parallelogram.

    kind: hexagon, triangle or parallelogram; high, wide: the lengths of its sides. Columns may begin at any number. A
    hexagon takes two columns, so that a row begins one column to the left of the row above if it is longer by one cell;
    so does a row of triangles that is longer by two, one at each end.
    """
    is_hex = lattice is HEX
    last_row = high - 1
    if kind == "triangle":
        widths = [row + 1 if is_hex else 2 * row + 1 for row in range(high)]
        return [(last_row - row, width) for row, width in enumerate(widths)]
    if kind == "parallelogram":
        width = wide if is_hex else 2 * wide
        return [(last_row - row, width) for row in range(high)]
    if is_hex:
        longest = 2 * high - 1
        shifts = [abs(last_row - row) for row in range(longest)]
        return [(shift, longest - shift) for shift in shifts]
    upper_half = [(last_row - row, 2 * (high + row) + 1) for row in range(high)]
    return upper_half + upper_half[::-1]


def _cells_of_rows(rows: Iterable[tuple[int, int]], lattice: Lattice) -> Cells:
    """Return the cells of rows (first column, number of cells) below each other.

    The first cell is a hexagon, or a triangle that points up. On hexagons every second column of a row is a cell.
    """
    rows_from_top = list(rows)
    step = 2 if lattice is HEX else 1
    # Hexagons and triangles that point up have an even sum of row and column; row 0 begins with one.
    first_column, _ = rows_from_top[0]
    shift = first_column % 2
    cells = []
    for row, (first, count) in enumerate(rows_from_top):
        start = shift + first
        cells += [(row, start + step * number_in_row) for number_in_row in range(count)]
    return frozenset(cells)


def read_pieces(text: str, lattice: Lattice, dimensions: int, flip: bool) -> list[Piece]:
    """Return the pieces of a text: of a drawing, or of terms with + between them, each a name or the path of a file.

    lattice: the kind of the cells. dimensions: the dimensions of the board, 2 or 3. flip: whether pieces may be turned
    over. A piece whose name occurs in another term gets its size behind it, so that names differ. Raises ValueError,
    with a sentence that says what is wrong.

    >>> [(piece.name, piece.most) for piece in read_pieces("trominoes x* + 2x3", SQUARE, 2, True)]
    [('I', None), ('V', None), ('2x3', 1)]
    """
    if "\n" in text:
        return _pieces_of_text(text, "the drawing", lattice, dimensions)
    texts_of_terms = [term.strip() for term in text.split("+")]
    terms = [_pieces_of_term(words, lattice, dimensions, flip) for words in texts_of_terms]
    pieces: list[Piece] = []
    names_of_terms = [{piece.name for piece in term or ()} for term in terms]
    for number, (words, term) in enumerate(zip(texts_of_terms, terms, strict=True)):
        if term is None:
            raise ParameterError(_message_for_unknown(words, is_alone=len(terms) == 1))
        other_terms = [*names_of_terms[:number], *names_of_terms[number + 1 :]]
        names_of_other_terms = set[str]().union(*other_terms)
        # One name that another term has, of a piece that is no pentomino, puts the size behind all names of this term.
        others = [piece.name for piece in term if piece.shape not in PENTOMINOES.values()]
        if names_of_other_terms.isdisjoint(others):
            pieces += term
            continue
        for piece in term:
            name = f"{piece.name}{len(piece.shape)}"
            pieces.append(piece._replace(name=name))
    _refuse_twice((piece.name, "") for piece in pieces)
    return pieces


def _message_for_unknown(words: str, is_alone: bool) -> str:
    """Return the message for words that name no pieces; is_alone: whether they are the whole text.

    words: a name, perhaps with a number of uses such as x2; "" if nothing is written.
    """
    or_file = ", or the path of a file that draws them"
    if not words:
        problem = "no pieces are named" if is_alone else "a + needs pieces on both sides"
        return f"{problem}; give {WANTED}{or_file}"
    match = COUNT.fullmatch(words)
    name = match["before"] if match else words
    set_names = KNOWN.split(", ")
    set_names += [f"{ONE_SIDED}{set_name}" for set_name in set_names]
    close_names: list[str] = []
    if "." not in name and "/" not in name:  # it is no path
        close_names = difflib.get_close_matches(name.lower(), set_names, n=1, cutoff=0.75)
    if close_names:
        return f"there is no set of pieces {name!r}; did you mean {close_names[0]}?"
    if re.fullmatch("[A-Z]+", name):
        stray = next(letter for letter in name if letter not in PENTOMINOES)
        known = f"these are {''.join(PENTOMINOES)}; write soma:{name} for pieces of another set"
        return f"{name!r}: {stray} is not a letter of a pentomino; {known}"
    return f"{name!r} is neither a set of pieces nor a file; give {WANTED}{or_file}"


def _pieces_of_term(words: str, lattice: Lattice, dimensions: int, flip: bool) -> list[Piece] | None:
    """Return the pieces that one term of a text names: a set, letters, a block or a file.

    The result is None if the term names none of these. words: the term, perhaps with a number of uses such as x2 at its
    end, which is that of each piece. lattice: the kind of the cells of the board. dimensions: the dimensions of the
    board, 2 or 3. flip: whether pieces may be turned over. Raises ValueError if the pieces do not suit the grid or the
    board.
    """
    match = COUNT.fullmatch(words)
    name = match["before"] if match else words
    least, most = use_of(match["count"], words) if match else (1, 1)
    if "|" in name and not os.path.exists(words):
        return [_piece_of_several_shapes(name, least, most, lattice, dimensions, flip)]
    shapes: Mapping[str, Cells]
    if re.fullmatch(r"[0-9]{1,3}(x[0-9]{1,3}){1,2}", name) and lattice is SQUARE:  # a block
        sides = sorted(map(int, name.split("x")))
        set_lattice, set_dimensions, shapes = SQUARE, len(sides), {name: grid.region(name)}
        if len(sides) > dimensions and sides[0] == 1:  # such as 1x2x3 on a flat board
            set_dimensions = 2
            shapes = {name: grid.box(*sides[1:])}
    elif name and all(letter in PENTOMINOES for letter in name):  # letters of pentominoes
        set_lattice, set_dimensions, shapes = SQUARE, 2, {letter: PENTOMINOES[letter] for letter in name}
        _refuse_twice((letter, "; write F x2 for two of them") for letter in name)
    else:  # a set, or some of its pieces such as soma:VL; or a file
        set_name, colon, letters = name.partition(":")
        if not os.path.exists(words) and (lettered_set := _set_with_letters(name, lattice, dimensions)):
            # Letters alone, such as LTS, name pieces of a set that has them.
            set_name, colon, letters = lettered_set, ":", name
        try:
            set_lattice, set_dimensions, shapes = set_of_pieces(set_name)
        except KeyError:
            if not words or not os.path.exists(words):
                return None
            wanted = f"a set of pieces nor a file to be read; give {WANTED}, or the path"
            return _pieces_of_text(grid.text_of(words, wanted), repr(words), lattice, dimensions)
        if colon:
            shapes = _pieces_by_letter(set_name, shapes, letters)
    if set_lattice is not lattice:
        raise ParameterError(f"{name} are made for another grid; add grid={set_lattice.name!r}")
    if set_dimensions > dimensions:
        raise ParameterError(f"{name} are solid, and the board is flat; choose a box such as 3x4x5")
    if name.startswith(ONE_SIDED) and (flip or dimensions > 2):
        advice = "choose a flat board" if dimensions > 2 else "add flip=False"
        raise ParameterError(
            f"{name} count mirror images as different pieces, so no piece may be turned over; {advice}"
        )
    return [Piece(name_of_piece, shape, least, most) for name_of_piece, shape in shapes.items()]


def _piece_of_several_shapes(
    words: str, least: int, most: int | None, lattice: Lattice, dimensions: int, flip: bool
) -> Piece:
    """Return the piece of words such as P|Q or a=P|Q, where a is its name: each copy has one of the shapes.

    least, most: how often the piece is used. The other arguments are those of `_pieces_of_term`. Raises ValueError if a
    word between the strokes is not one piece.
    """
    name, equals, shapes_text = words.partition("=")
    shapes: list[Cells] = []
    if not equals:
        shapes_text = words
    for word in shapes_text.split("|"):
        shape_text = word.strip()
        pieces = _pieces_of_term(shape_text, lattice, dimensions, flip)
        if pieces is None or len(pieces) != 1 or pieces[0].most != 1:
            raise ParameterError(f"{words!r}: {shape_text!r} is not one piece; write such as L|tetrominoes:T")
        shapes += pieces[0].shapes
    name_of_piece = name.strip() if equals else re.sub(r"\s", "", words)
    first_shape, *other_shapes = shapes
    return Piece(name_of_piece, first_shape, least, most, tuple(other_shapes))


def _set_with_letters(letters: str, lattice: Lattice, dimensions: int) -> str:
    """Return the name of a set that has pieces with all these letters; "" if there is none, or if sets disagree.

    Sets disagree if a letter has different shapes in two of them; of several that agree, the first is returned.
    letters: names of pieces, each a capital. dimensions: the dimensions of the board, 2 or 3.
    """
    if lattice is not SQUARE or not re.fullmatch("[A-Z]+", letters):
        return ""
    orientations_by_set: dict[str, list[list[Cells]]] = {}
    for name in LETTERED:
        _, set_dimensions, shapes = set_of_pieces(name)
        if set_dimensions > dimensions or not shapes.keys() >= set(letters):
            continue
        # Flat pieces in space have layer 0. Pieces are alike if all their orientations are.
        lift = (0,) * (dimensions - set_dimensions)
        lifted_shapes = [frozenset(lift + cell for cell in shapes[letter]) for letter in letters]
        orientations_by_set[name] = [grid.orientations(cells, mirror=dimensions < 3) for cells in lifted_shapes]
    first = next(iter(orientations_by_set), "")
    are_alike = all(pieces == orientations_by_set[first] for pieces in orientations_by_set.values())
    if not are_alike:
        return ""
    return first


def _pieces_by_letter(name: str, shapes: Mapping[str, Cells], letters: str) -> dict[str, Cells]:
    """Return the pieces of a set that letters name.

    name: the name of the set. shapes: all of its pieces, by name. letters: names without blanks; F' is one name. Raises
    ParameterError if no letter is given, the set has no such piece, or a letter is given twice.
    """
    chosen = re.findall(r".'?", letters)
    stray = [letter for letter in chosen if letter not in shapes]
    if stray or not chosen:
        wrong = stray[0] if stray else "nothing"
        raise ParameterError(f"{name}:{letters}: {wrong} is no piece of {name}; these are {''.join(shapes)}")
    _refuse_twice((letter, f"; write {name}:{letter} x2 for two of them") for letter in chosen)
    return {letter: shapes[letter] for letter in chosen}


def use_of(text: str, where: str) -> tuple[int, int | None]:
    """Read a number of uses, 3, 0-2, 1-* or *, as (least, most); most is None if there is no limit.

    where: begins the message of the ValueError if the text cannot be read. A number alone is both; * alone is any
    number, and then least is 0. most is never 0.
    """
    match = re.fullmatch(r"(?:([0-9]{1,6})-)?([0-9]{1,6}|\*)", text)
    if not match:
        raise ParameterError(f"{where}: x{text} is not a number of pieces; write x3, x0-2, x1-* or x*")
    low, high = match.groups()
    most = None if high == "*" else int(high)
    least = most or 0
    if low:
        least = int(low)
    if most is not None and (most < least or most == 0):
        raise ParameterError(
            f"{where}: x{text} is an empty range or 0; write the smaller number first, and at least x1"
        )
    return least, most


def _cells_by_letter(text: str, file: str, lattice: Lattice, dimensions: int) -> dict[str, Cells]:
    """Return the cells of each letter of a drawing; raise ParameterError if a letter's cells are no piece.

    text: the drawing. file: what it is called in messages. dimensions: the dimensions of the board, 2 or 3.
    """
    # A letter is one piece, used once, for the messages of `refuse_shape`.
    cells: dict[str, set[Cell]] = defaultdict(set)
    for cell, letter in grid.read_marks(text, file, lattice).items():
        cells[letter].add(cell)
    shapes = {letter: frozenset(letter_cells) for letter, letter_cells in sorted(cells.items())}
    for letter, shape in shapes.items():
        block = DrawnPiece(letter, 1, 1, text, 1, file)
        refuse_shape(shape, block, lattice, dimensions)
    return shapes


def read_placed(text: str, lattice: Lattice) -> tuple[Cells, dict[str, Cells]]:
    r"""Return (cells of a board, cells of each letter on it): a letter shows where a piece lies.

    text: names or draws the board, or is the path of a file. In a drawing, # marks a cell without a piece. Without
    letters the second place is {}. lattice: the kind of the cells. Raises ValueError, with a sentence that says what is
    wrong.

    >>> sorted(read_placed("##A\n.AA", SQUARE)[1]["A"])
    [(0, 2), (1, 1), (1, 2)]
    """
    drawing = text
    if "\n" not in text and os.path.isfile(text):
        drawing = grid.text_of(text, "a board; give HxW, or the path")
    drawing, _ = grid.split_names(drawing, lattice)
    has_letters = re.search(r"[^\W\d_]", drawing) and "*" not in drawing
    if not has_letters:  # other marks such as * or 1 may be those of cells, which become #
        drawing = grid.with_hashes(drawing)
    if "\n" not in drawing or not re.search(r"[^\s.#-]", drawing):
        return read_board(text, lattice), {}
    name = grid.name_of(text) if "\n" in text else repr(text)
    marks = grid.read_marks(drawing, name, lattice)
    letters = sorted(set(marks.values()) - {"#"})
    cells_by_letter = {}
    for letter in letters:
        cells_by_letter[letter] = frozenset(cell for cell in marks if marks[cell] == letter)
    return frozenset(marks), cells_by_letter


def read_use(text: str, where: str) -> tuple[str, int, int | None]:
    """Read a name and a number of uses, such as "A x0-2", as (name, least, most).

    ``most`` is None if there is no limit. where: begins the message of the ValueError if the text cannot be read.

    >>> read_use("A x0-2", "line 1")
    ('A', 0, 2)
    """
    match = COUNT.fullmatch(text)
    name = match["before"] if match else text
    if re.search(r"\s", name) or not name.isprintable():
        raise ParameterError(f"{where}: {text!r} is not a name; write one word, and x3, x0-2 or x* behind it")
    least, most = use_of(match["count"] if match else "1", where)
    return name, least, most


def _refuse_twice(named: Iterable[tuple[str, str]]) -> None:
    """Raise ValueError if a name occurs twice; named: (name, advice that ends the message)."""
    seen: set[str] = set()
    for name, advice in named:
        if name in seen:
            raise ParameterError(f"two pieces are called {name}{advice}")
        seen.add(name)


class DrawnPiece(NamedTuple):
    """A piece as a file draws it, and the least and greatest number of times that it is used."""

    name: str
    least: int
    most: int | None
    drawing: str
    """Its rows, with line breaks between them."""
    first: int
    """The number of the line with its first row."""
    where: str
    """The line with its name, such as "line 3 of 'own.txt'", for messages."""


def read_blocks(text: str, file: str) -> list[DrawnPiece]:
    """Return the pieces of a file: for each a line with its name and uses, then its rows.

    Empty lines are between pieces.

    text: the content of the file. file: what the file is called in messages. Raises ValueError, with a sentence that
    says where.
    """
    blocks: list[DrawnPiece] = []
    # Runs of lines with text; each line has its number in the file.
    runs_of_lines = groupby(enumerate(text.splitlines(), 1), key=lambda line: bool(line[1].strip()))
    for is_block, lines in runs_of_lines:
        if not is_block:
            continue
        (number, head), *rows = lines
        where = f"line {number} of {file}"
        if set(head) <= set("#. "):
            raise ParameterError(f"{where} draws a piece without a name; write its name on a line of its own above")
        name, least, most = read_use(head.strip(), where)
        if not rows:
            raise ParameterError(
                f"{where}: the piece {name} is not drawn; draw it with # and . in the lines below its name"
            )
        drawing = "\n".join(row for _, row in rows)
        blocks.append(DrawnPiece(name, least, most, drawing, number + 1, where))
    if not blocks:
        raise ParameterError(f"{file} holds no piece; write a line with its name, and below it rows of # and .")
    _refuse_twice((block.name, f", the second in {block.where}") for block in blocks)
    return blocks


def refuse_shape(shape: Cells, block: DrawnPiece, lattice: Lattice, dimensions: int) -> None:
    """Raise ValueError if a shape does not fit the board, or if it is not connected.

    It does not fit if it is solid and the board is flat. block: the drawn piece, for the message. dimensions: the
    dimensions of the board, 2 or 3. lattice: the kind of the cells, which says which cells are neighbours.
    """
    if len(min(shape)) > dimensions:
        raise ParameterError(
            f"{block.where}: the piece {block.name} is solid, and the board is flat; choose a box such as 3x4x5"
        )
    if len(grid.components(shape, lattice)) > 1:
        advice = "; a triangle points up where line plus column is even" if lattice is TRIANGLE else ""
        raise ParameterError(f"{block.where}: the piece {block.name} does not hang together{advice}")


def _pieces_of_text(text: str, file: str, lattice: Lattice, dimensions: int) -> list[Piece]:
    """Return the pieces that a text draws, one by one or as letters in one drawing.

    In a drawing of letters all cells with the same letter are one piece. Drawn one by one, a piece has a line with its
    name (see `read_blocks`), and rows of #; a line "or" divides the shapes that a copy may have. file: what the text is
    called in messages. dimensions: the dimensions of the board, 2 or 3. Raises ValueError if the text cannot be read,
    or if a piece does not suit the board.
    """
    lines = []
    for line in text.splitlines():
        if re.fullmatch("[*. ]*", line):
            line = line.replace("*", "#")
        lines.append(line)
    text = "\n".join(lines)
    drawn_rows = sum(bool(line.strip(" .-")) for line in text.splitlines())
    has_letters = "#" not in text and not COUNTED.search(text)  # a line such as "A x2" names a piece
    if has_letters and drawn_rows > 1:
        cells_by_letter = _cells_by_letter(text, file, lattice, dimensions)
        return [Piece(letter, shape) for letter, shape in cells_by_letter.items()]
    pieces = []
    for block in read_blocks(text, file):
        shapes = []
        first_line = block.first
        for drawing in re.split(r"(?m)^\s*or\s*\n", block.drawing):
            if not drawing.strip():
                raise ParameterError(f"{block.where}: or of the piece {block.name} needs a drawing on both sides")
            shapes.append(grid.read(drawing.rstrip("\n"), file, lattice, first_line))
            refuse_shape(shapes[-1], block, lattice, dimensions)
            first_line += drawing.count("\n") + 1  # the rows and the line "or"
        first_shape, *other_shapes = shapes
        pieces.append(Piece(block.name, first_shape, block.least, block.most, tuple(other_shapes)))
    return pieces
