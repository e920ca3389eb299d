"""Writes packings as puzzles of BurrTools (.xmpuzzle), which `models.packings.burrtools` reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from xml.etree import ElementTree

from models.puzzle import EMPTY, Packed, Packing, Puzzle
from solvers.base.errors import InputError
from solvers.extras.questions.disassembly.of_solutions import check_groups
from solvers.show.draw import COLOURS

Cell = tuple[int, ...]

MAX_COLOURS = 63
"""The colours that BurrTools has besides the default one, which fits everywhere."""


def burrtools_xml(puzzle: Puzzle) -> str:
    """Return the text of a packing of squares or cubes as a puzzle of BurrTools, in plain XML.

    Raises `InputError` for other puzzles, and for rules that BurrTools cannot express.
    """
    return ElementTree.tostring(burrtools_tree(puzzle), encoding="unicode") + "\n"


def burrtools_tree(puzzle: Puzzle) -> ElementTree.Element:
    """Return a packing of squares or cubes as a puzzle of BurrTools, as an XML element.

    It has colours, a shape for each piece and one for the result, and a problem: how many copies of each shape make up
    the result, how many holes it may have, and which colours of pieces and result may coincide.

    Raises `InputError` for other puzzles, and for rules that BurrTools cannot express.
    """
    packing = puzzle.board.packing
    if packing is None or puzzle.board.lattice is not None:
        raise InputError(f"{puzzle.name} is no packing of squares or cubes that may be turned over; export it to .dlx")
    if not packing.board:
        raise InputError(f"{puzzle.name}: all pieces are placed already, and nothing is left to export")
    check_groups(puzzle)
    root = ElementTree.Element("puzzle", version="2")
    ElementTree.SubElement(root, "gridType", type="0")
    colours = ElementTree.SubElement(root, "colors")
    shapes = ElementTree.SubElement(root, "shapes")
    problem = ElementTree.SubElement(ElementTree.SubElement(root, "problems"), "problem", state="0")
    used_shapes = ElementTree.SubElement(problem, "shapes")
    pieces = [piece for piece in packing.pieces if piece.name != EMPTY]
    holes = _holes(packing)
    states, result, pairs = _states(puzzle, packing.board, pieces)
    if holes:
        problem.set("maxHoles", str(holes))
    # A state is a sign and the number of a colour.
    colour_count = max(int(state[1:] or 0) for cubes in (*states, result) for state in cubes.values())
    for number in range(colour_count):
        code = COLOURS[number % len(COLOURS)]
        # The code is such as #ff8000.
        red, green, blue = (str(int(code[n : n + 2], 16)) for n in (1, 3, 5))
        parts = {"red": red, "green": green, "blue": blue}
        ElementTree.SubElement(colours, "color", parts)
    for number, (piece, cubes_of_piece) in enumerate(zip(pieces, states, strict=True)):
        _add_voxels(shapes, piece.name, cubes_of_piece)
        # A piece that is too large for the board stays one that may be used.
        most = max(len(result) // len(cubes_of_piece), 1) if piece.most is None else piece.most
        uses = {"count": str(most)} if piece.least == most else {"min": str(piece.least), "max": str(most)}
        group = {"group": str(puzzle.board.groups[piece.name])} if piece.name in puzzle.board.groups else {}
        ElementTree.SubElement(used_shapes, "shape", {"id": str(number), **uses, **group})
    _add_voxels(shapes, "", result)
    ElementTree.SubElement(problem, "result", id=str(len(pieces)))
    bitmap = ElementTree.SubElement(problem, "bitmap")
    for piece_colour, other_colour in sorted(pairs):
        ElementTree.SubElement(bitmap, "pair", piece=str(piece_colour - 1), result=str(other_colour - 1))
    return root


States = Mapping[Cell, str]
"""The state of each cube, as BurrTools writes it: "#" or "+" and the number of its colour."""

Written = tuple[Sequence[States], States, set[tuple[int, int]]]
"""(the cubes of each piece, those of the result, the pairs of a piece's and a result's colour that may coincide)"""


def _holes(packing: Packing) -> int:
    """Return how many cells may stay empty: those that the pieces called EMPTY, single cells, fill.

    Raises `InputError` if a certain number has to stay empty, and the pieces do not say how many.
    """
    holes = [piece for piece in packing.pieces if piece.name == EMPTY]
    are_counted = any(piece.least for piece in holes)
    if are_counted and any(piece.least != piece.most for piece in packing.pieces):
        raise InputError("BurrTools cannot say how many holes there are where pieces have ranges; export it to .dlx")
    return sum(piece.most or 0 for piece in holes)


def _states(puzzle: Puzzle, board: Collection[Cell], pieces: Sequence[Packed]) -> Written:
    """Return (the cubes of each piece, those of the result, the pairs of colours that may coincide); see `Written`.

    A cube is "#" or, if it may stay empty, "+", and the number of its colour. Without colours there are no pairs. With
    colours, each set of colours that pieces may put on a cube of the result becomes a colour of the result's cubes;
    that of the cubes that no piece can cover is in no pair.

    puzzle: the packing, whose key has the placements (name, cells, perhaps the colour of each). board: the cells of the
    board. pieces: the pieces. Raises `InputError` if there are too many colours.
    """
    every_colour = sorted({colour for piece in pieces for colour in piece.colours.values()} - {""})
    colour_number = {colour: number for number, colour in enumerate(every_colour, 1)}
    colours_at: dict[Cell, set[str]] = {cell: set() for cell in sorted(board)}
    may_be_empty = {cell for name, place, *_ in puzzle.key if name == EMPTY for cell in place}
    for name, place, *colours in puzzle.key:
        if name != EMPTY and colours:
            for cell, colour in zip(place, colours[0], strict=True):
                colours_at[cell].add(colour)
    states = [{cell: f"#{colour_number.get(colour, '')}" for cell, colour in piece.colours.items()} for piece in pieces]
    signs = {cell: "+" if cell in may_be_empty else "#" for cell in colours_at}
    if not every_colour:
        return states, signs, set()
    number_of_set = {frozenset([colour]): number for colour, number in colour_number.items()}
    result = {}
    for cell, colours in colours_at.items():
        set_number = number_of_set.setdefault(frozenset(colours), len(number_of_set) + 1)
        result[cell] = f"{signs[cell]}{set_number}"
    if len(number_of_set) > MAX_COLOURS:
        raise InputError(f"{puzzle.name} needs {len(number_of_set)} colours, and BurrTools has {MAX_COLOURS}")
    pairs = {(colour_number[colour], set_number) for colours, set_number in number_of_set.items() for colour in colours}
    return states, result, pairs


def _add_voxels(shapes: ElementTree.Element, name: str, states: States) -> None:
    """Add an XML element for a shape to ``shapes``: its size, and the state of each cube of the box around it.

    name: the name of the piece, empty for the result. states: the state of each cube that is there, such as "#1"; the
    others of the box are "_". Cells are (layer, row, column), or (row, column).
    """
    solid = {(0,) * (3 - len(cell)) + cell: state for cell, state in states.items()}
    low, high = (tuple(map(edge, zip(*solid, strict=True))) for edge in (min, max))
    layers, rows, columns = (range(first, last + 1) for first, last in zip(low, high, strict=True))
    voxel = ElementTree.SubElement(shapes, "voxel", x=str(len(columns)), y=str(len(rows)), z=str(len(layers)), type="0")
    if name:
        voxel.set("name", name)
    voxel.text = "".join(solid.get(cell, "_") for cell in product(layers, rows, columns))
