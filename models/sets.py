"""Boards and sets of pieces, by name and as people draw them.

Letters of pentominoes: S. W. Golomb, Polyominoes (1965); of the Soma pieces: P. Hein, as in M. Gardner, Scientific
American, September 1958. The Bedlam cube is B. Bedlam's (2002).
"""

import difflib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from models import grid
from models.grid import SQUARE, Cells
from models.lattice import HEX, TRIANGLE, Cell, Lattice
from models.pieces import Piece

PENTOMINOES = {
    "F": grid.drawn(".##", "##.", ".#."),
    "I": grid.drawn("#####"),
    "L": grid.drawn("####", "#..."),
    "N": grid.drawn("###.", "..##"),
    "P": grid.drawn("###", "##."),
    "T": grid.drawn("###", ".#.", ".#."),
    "U": grid.drawn("#.#", "###"),
    "V": grid.drawn("###", "#..", "#.."),
    "W": grid.drawn("#..", "##.", ".##"),
    "X": grid.drawn(".#.", "###", ".#."),
    "Y": grid.drawn("####", ".#.."),
    "Z": grid.drawn("##.", ".#.", ".##"),
}

SQUARE_TETROMINO = grid.drawn("##", "##")

BEDLAM = (
    ("AAAB", "AyyB", "yyxh", "yxxx"),
    ("ACBB", "DCCh", "fwCh", "fwxh"),
    ("DeBv", "DeCh", "Dwgg", "ffgz"),
    ("eeev", "Dvvv", "wwzz", "fggz"),
)
"""One of its solutions, which fixes the pieces, layer by layer."""

BOARDS = {
    "8x8-centre": grid.box(8, 8) - {(3, 3), (3, 4), (4, 3), (4, 4)},
    "8x8-corners": grid.box(8, 8) - {(0, 0), (0, 7), (7, 0), (7, 7)},
    "a-puzzle-a-day": grid.drawn(*["######"] * 2, *["#######"] * 4, "###"),
}

SHAPES = r"(hexagon|triangle)-([0-9]{1,3})|(parallelogram)-([0-9]{1,3})x([0-9]{1,3})"
"""Boards of hexagons or triangles."""

GRIDS = {lattice.name: lattice for lattice in (SQUARE, HEX, TRIANGLE)}

LETTERS = ascii_uppercase + ascii_lowercase


class _Set(NamedTuple):
    """Pieces that are generated: all shapes of so many cells that hang together."""

    size: int
    letters: str = LETTERS
    """Their names, in the order of their cells."""
    lattice: Lattice = SQUARE
    dimensions: int = 2


SETS = {
    "monomino": _Set(1, "I"),
    "dominoes": _Set(2, "I"),
    "trominoes": _Set(3, "IV"),
    "tetrominoes": _Set(4, "ILTOS"),
    "pentominoes": _Set(5),
    "hexominoes": _Set(6),
    "tetracubes": _Set(4, "ILTOPABZ", dimensions=3),
    "pentacubes": _Set(5, dimensions=3),
    "tetriamonds": _Set(4, lattice=TRIANGLE),
    "pentiamonds": _Set(5, lattice=TRIANGLE),
    "hexiamonds": _Set(6, lattice=TRIANGLE),
    "heptiamonds": _Set(7, lattice=TRIANGLE),
    "trihexes": _Set(3, lattice=HEX),
    "tetrahexes": _Set(4, lattice=HEX),
    "pentahexes": _Set(5, lattice=HEX),
}
ONE_SIDED = "one-sided-"
KNOWN = ", ".join([*SETS, "solid-pentominoes", "soma", "bedlam"])
WANTED = "a set such as soma or dominoes, letters of pentominoes such as FIL, a block such as 2x3"

COUNT = re.compile(r"(?P<before>.*\S)\s+x(?P<count>\S*)")
""""tetrominoes x5": a set or a piece, and how many."""


def polyforms(size: int, lattice: Lattice = SQUARE, dimensions: int = 2, mirror: bool = True) -> list[Cells]:
    """All shapes of so many cells that hang together, each once, in the order of their cells.

    >>> [len(polyforms(size)) for size in range(1, 6)], len(polyforms(4, dimensions=3, mirror=False))
    ([1, 1, 2, 5, 12], 8)
    """
    found = {frozenset([(0,) * dimensions])}
    for _ in range(size - 1):
        found = {
            grid.orientations(shape | {cell}, mirror, lattice)[0]
            for shape in found
            for neighbour in shape
            for cell in lattice.neighbours(neighbour)
            if cell not in shape
        }
    return sorted(found, key=sorted)


def one_sided_set(shapes: Mapping[str, Cells], lattice: Lattice = SQUARE) -> dict[str, Cells]:
    """The pieces of a set whose mirror images count as other pieces; the mirror image of F is called F'.

    >>> len(one_sided_set(PENTOMINOES))
    18
    """
    both = dict(shapes)
    reflected = lattice.turns(2, True)[len(lattice.turns(2, False))] if lattice is not SQUARE else _left_to_right
    for name, shape in shapes.items():
        mirrored = frozenset(map(reflected, shape))
        if not grid.is_turned(shape, mirrored, mirror=False, lattice=lattice):
            both[f"{name}'"] = grid.normalised(mirrored, lattice)
    return both


def _left_to_right(cell: Cell) -> Cell:
    return cell[0], -cell[1]


@cache
def named_set(name: str) -> tuple[Lattice, int, Mapping[str, Cells]]:
    """The lattice and the dimensions of a set of pieces, and its shapes by their names; KeyError if there is none."""
    if name == "bedlam":
        lettered: dict[str, set[Cell]] = defaultdict(set)
        for layer, rows in enumerate(BEDLAM):
            for row, letters in enumerate(rows):
                for column, letter in enumerate(letters):
                    lettered[letter].add((layer, row, column))
        bedlam = [grid.orientations(frozenset(cells), mirror=False)[0] for cells in lettered.values()]
        return SQUARE, 3, dict(zip(LETTERS, sorted(bedlam, key=sorted), strict=False))
    if name == "soma":
        _, _, four = named_set("tetracubes")
        return SQUARE, 3, {"V": polyforms(3)[1], **{letter: four[letter] for letter in "LTZABP"}}
    if name == "solid-pentominoes":
        return SQUARE, 3, PENTOMINOES
    if name.startswith(ONE_SIDED):
        lattice, dimensions, shapes = named_set(name.removeprefix(ONE_SIDED))
        if dimensions > 2:
            raise KeyError(name)
        return lattice, 2, one_sided_set(shapes, lattice)
    size, letters, lattice, dimensions = SETS[name]
    if name == "pentominoes":
        return lattice, dimensions, PENTOMINOES
    return lattice, dimensions, dict(zip(letters, polyforms(size, lattice, dimensions, dimensions < 3), strict=False))


def read_board(text: str, lattice: Lattice = SQUARE) -> Cells:
    """The cells of a board that a person names or draws.

    Of hexagons and triangles there are hexagon-N and triangle-N, with N cells or edges along a side, and
    parallelogram-AxB. Raises ValueError, with a sentence that says what is wrong.

    >>> len(read_board("hexagon-3", HEX)), len(read_board("triangle-3", TRIANGLE))
    (19, 9)
    """
    shape = re.fullmatch(SHAPES, text)
    if lattice is SQUARE:
        if shape and not os.path.exists(text):
            raise ValueError(f"{text} is made of hexagons or triangles; add --grid hex or --grid triangle")
        return grid.region(text, BOARDS)
    named = {name: frozenset[Cell]() for name in ("hexagon-3", "triangle-6", "parallelogram-4x7")}
    if shape:
        hexagon_or_triangle, side, parallelogram, high, wide = shape.groups()
        sides = (int(high), int(wide)) if parallelogram else (int(side), int(side))
        if not all(sides):
            raise ValueError(f"{text} has no cells; every side must be at least 1")
        named = {text: _of_rows(_rows(lattice, hexagon_or_triangle or parallelogram, *sides), lattice)}
    return grid.region(text, named, lattice=lattice)


def _rows(lattice: Lattice, kind: str, high: int, wide: int) -> list[tuple[int, int]]:
    """Of each row of a shape the column in which it begins, and how many cells it has."""
    is_hex, last = lattice is HEX, high - 1
    if kind == "triangle":
        return [(last - row, row + 1 if is_hex else 2 * row + 1) for row in range(high)]
    if kind == "parallelogram":
        return [(last - row, wide if is_hex else 2 * wide) for row in range(high)]
    if is_hex:
        return [(abs(last - row), 2 * high - 1 - abs(last - row)) for row in range(2 * high - 1)]
    half = [(last - row, 2 * (high + row) + 1) for row in range(high)]
    return half + half[::-1]


def _of_rows(rows: Iterable[tuple[int, int]], lattice: Lattice) -> Cells:
    """The rows side by side; the first cell is a hexagon, or a triangle that points up."""
    ordered = list(rows)
    step, shift = 2 if lattice is HEX else 1, ordered[0][0] % 2
    return frozenset(
        (row, shift + first + step * place) for row, (first, count) in enumerate(ordered) for place in range(count)
    )


def read_pieces(text: str, lattice: Lattice, dimensions: int, flip: bool) -> list[Piece]:
    """The pieces that a person names or draws, here or in a file.

    dimensions: of the board. flip: whether pieces may be turned over. Raises ValueError, with a sentence that says
    what is wrong.

    >>> [(piece.name, piece.most) for piece in read_pieces("trominoes x* + 2x3", SQUARE, 2, True)]
    [('I', None), ('V', None), ('2x3', 1)]
    """
    if "\n" in text:
        return _drawn(text, "the drawing", lattice, dimensions)
    terms = [_term(term.strip(), lattice, dimensions, flip) for term in text.split("+")]
    if terms == [None] and os.path.exists(text):
        wanted = f"a set of pieces nor a file to be read; give {WANTED}, or the path"
        return _drawn(grid.text_of(text, wanted), repr(text), lattice, dimensions)
    pieces: list[Piece] = []
    names = [set[str](piece.name for piece in term or ()) for term in terms]
    for number, (words, term) in enumerate(zip(text.split("+"), terms, strict=True)):
        if term is None:
            raise ValueError(_unknown(words.strip(), is_alone=len(terms) == 1))
        others = set[str]().union(*(own for other, own in enumerate(names) if other != number))
        is_told_apart = any(piece.shape not in PENTOMINOES.values() and piece.name in others for piece in term)
        pieces += [piece._replace(name=f"{piece.name}{len(piece.shape)}") if is_told_apart else piece for piece in term]
    _refuse_twice((piece.name, "") for piece in pieces)
    return pieces


def _unknown(words: str, is_alone: bool) -> str:
    """What is wrong with words that name no pieces; alone they might have been a file's name."""
    or_file = ", or the path of a file that draws them" if is_alone else ""
    if not words:
        return f"{'no pieces are named' if is_alone else 'a + lacks the pieces beside it'}; give {WANTED}{or_file}"
    match = COUNT.fullmatch(words)
    name = match["before"] if match else words
    sets = KNOWN.split(", ")
    sets += [f"{ONE_SIDED}{one}" for one in sets]
    near = [] if "." in name or "/" in name else difflib.get_close_matches(name.lower(), sets, n=1, cutoff=0.75)
    if near:
        return f"there is no set of pieces {name!r}; did you mean {near[0]}?"
    if re.fullmatch("[A-Z]+", name):
        stray = next(letter for letter in name if letter not in PENTOMINOES)
        return f"{name!r}: {stray} is no letter of a pentomino; these are {''.join(PENTOMINOES)}"
    kind = "neither a set of pieces nor a file" if is_alone else "no set of pieces"
    return f"{name!r} is {kind}; give {WANTED}{or_file}"


def _term(words: str, lattice: Lattice, dimensions: int, flip: bool) -> list[Piece] | None:
    """The pieces of a set, of some letters or of a block; None where it is none of them."""
    match = COUNT.fullmatch(words)
    name = match["before"] if match else words
    least, most = _how_many(match["count"], words) if match else (1, 1)
    shapes: Mapping[str, Cells]
    if re.fullmatch(r"[0-9]{1,3}(x[0-9]{1,3}){1,2}", name) and lattice is SQUARE:
        of, solid, shapes = SQUARE, name.count("x") + 1, {name: grid.region(name)}
        if solid > dimensions:
            sides = sorted(map(int, name.split("x")))
            solid, shapes = (2, {name: grid.box(*sides[1:])}) if sides[0] == 1 else (solid, shapes)
    elif name and all(letter in PENTOMINOES for letter in name):
        of, solid, shapes = SQUARE, 2, {letter: PENTOMINOES[letter] for letter in name}
        _refuse_twice((letter, "; write F x2 for two of them") for letter in name)
    else:
        try:
            of, solid, shapes = named_set(name)
        except KeyError:
            return None
    if of is not lattice:
        raise ValueError(f"{name} are made for another grid; add --grid {of.name}")
    if solid > dimensions:
        raise ValueError(f"{name} are solid, and the board is flat; choose a box such as 3x4x5")
    if name.startswith(ONE_SIDED) and (flip or dimensions > 2):
        advice = "choose a flat board" if dimensions > 2 else "add --no-flip"
        raise ValueError(
            f"{name} hold pieces and their mirror images, for boards on which none is turned over; {advice}"
        )
    return [Piece(own, shape, least, most) for own, shape in shapes.items()]


def _how_many(text: str, where: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"(?:([0-9]{1,6})-)?([0-9]{1,6}|\*)", text)
    if not match:
        raise ValueError(f"{where}: x{text} is no number of pieces; write x3, x0-2, x1-* or x*")
    low, high = match.groups()
    most = None if high == "*" else int(high)
    least = int(low) if low else most or 0
    if most is not None and (most < least or most == 0):
        raise ValueError(
            f"{where}: x{text} leaves no number of pieces; write the smaller number first, and at least x1"
        )
    return least, most


def _refuse_twice(named: Iterable[tuple[str, str]]) -> None:
    seen: set[str] = set()
    for name, advice in named:
        if name in seen:
            raise ValueError(f"two pieces are called {name}{advice}")
        seen.add(name)


@dataclass
class _Block:
    """The lines of one piece in a file."""

    number: int
    """Of the first line."""
    lines: list[str]


def _blocks(text: str) -> Iterator[_Block]:
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            block = None
            continue
        if block is None:
            block = _Block(number, [])
            yield block
        block.lines.append(line)


def _drawn(text: str, file: str, lattice: Lattice, dimensions: int) -> list[Piece]:
    """The pieces of a file: of each a line with its name and how many, then its rows; an empty line between two."""
    pieces, named = [], []
    for block in list(_blocks(text)):
        head, *rows = block.lines
        where = f"line {block.number} of {file}"
        if not set(head) - set("#. "):
            raise ValueError(f"{where} draws a piece without a name; write its name on a line of its own above")
        match = COUNT.fullmatch(head.strip())
        name = match["before"] if match else head.strip()
        if re.search(r"\s", name) or not name.isprintable():
            raise ValueError(f"{where}: {head.strip()!r} is no name; write one word, and x3, x0-2 or x* behind it")
        least, most = _how_many(match["count"], where) if match else (1, 1)
        if not rows:
            raise ValueError(
                f"{where}: the piece {name} is not drawn; draw it with # and . in the lines below its name"
            )
        shape = grid.read("\n".join(rows), file, lattice, block.number + 1)
        if len(min(shape)) > dimensions:
            raise ValueError(f"{where}: the piece {name} is solid, and the board is flat; choose a box such as 3x4x5")
        if len(grid.parts(shape, lattice)) > 1:
            advice = "; a triangle points up where line plus column is even" if lattice is TRIANGLE else ""
            raise ValueError(f"{where}: the piece {name} does not hang together{advice}")
        pieces.append(Piece(name, shape, least, most))
        named.append((name, f", the second in {where}"))
    if not pieces:
        raise ValueError(f"{file} holds no piece; write a line with its name, and below it rows of # and .")
    _refuse_twice(named)
    return pieces
