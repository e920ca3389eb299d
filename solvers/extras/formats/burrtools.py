"""Writes packings as puzzles of BurrTools (.xmpuzzle), which `models.boards.burrtools` reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from xml.etree import ElementTree

from models.puzzle import EMPTY, Puzzle
from solvers.errors import InputError
from solvers.show.draw import COLOURS

Cell = tuple[int, ...]

MAX_COLOURS = 63
"""The colours that BurrTools has besides the default one, which fits everywhere."""


def written(puzzle: Puzzle) -> str:
    """Return the text of a packing of squares or cubes as a puzzle of BurrTools, in plain XML.

    Raises `InputError` for other puzzles, and for rules that BurrTools cannot express.
    """
    if not puzzle.pieces or puzzle.lattice is not None:
        raise InputError(f"{puzzle.name} is no packing of squares or cubes that may be turned over; export it to .dlx")
    root = ElementTree.Element("puzzle", version="2")
    ElementTree.SubElement(root, "gridType", type="0")
    colours = ElementTree.SubElement(root, "colors")
    shapes = ElementTree.SubElement(root, "shapes")
    problem = ElementTree.SubElement(ElementTree.SubElement(root, "problems"), "problem", state="0")
    used = ElementTree.SubElement(problem, "shapes")
    states, result, pairs = _coloured(puzzle) if any(len(label) > 2 for label in puzzle.key) else _plain(puzzle)
    own = [piece for piece in puzzle.pieces if piece[0] in states and piece[0] != EMPTY]
    holes = sum(most or 0 for name, _, _, most in puzzle.pieces if name == EMPTY)
    if holes:
        problem.set("maxHoles", str(holes))
    for number in range(max((n for pair in pairs for n in pair), default=0)):
        of_colour = COLOURS[number % len(COLOURS)]
        parts = {part: str(int(of_colour[n : n + 2], 16)) for n, part in ((1, "red"), (3, "green"), (5, "blue"))}
        ElementTree.SubElement(colours, "color", parts)
    for number, (name, cells, least, most) in enumerate(own):
        _add_voxels(shapes, name, states[name])
        top = len(result) // len(cells) if most is None else most
        uses = {"count": str(top)} if least == top else {"min": str(least), "max": str(top)}
        ElementTree.SubElement(used, "shape", {"id": str(number), **uses})
    _add_voxels(shapes, "", result)
    ElementTree.SubElement(problem, "result", id=str(len(own)))
    bitmap = ElementTree.SubElement(problem, "bitmap")
    for piece, there in sorted(pairs):
        ElementTree.SubElement(bitmap, "pair", piece=str(piece - 1), result=str(there - 1))
    return ElementTree.tostring(root, encoding="unicode") + "\n"


States = Mapping[Cell, str]
"""The state of each cube, as BurrTools writes it: "#" or "+" and the number of its colour."""

Written = tuple[Mapping[str, States], States, set[tuple[int, int]]]
"""(the cubes of each piece, those of the result, the pairs of a piece's and a result's colour that may coincide)"""


def _plain(puzzle: Puzzle) -> Written:
    """Return what BurrTools needs for a packing without colours; see `Written`, whose pairs are empty.

    Raises `InputError` if BurrTools cannot express the number of holes.
    """
    has_holes = any(name == EMPTY for name, *_ in puzzle.pieces)
    if has_holes and any(least != most for _, _, least, most in puzzle.pieces):
        raise InputError("BurrTools cannot say how many holes there are where pieces have ranges; export it to .dlx")
    state = "+" if has_holes else "#"
    result = {cell: state for label in puzzle.key for cell in label[1]}
    return {name: dict.fromkeys(cells, "#") for name, cells, _, _ in puzzle.pieces}, result, set()


def _coloured(puzzle: Puzzle) -> Written:
    """Return what BurrTools needs for a packing with colours; see `Written`.

    Each set of colours that pieces may put on a cube of the result becomes a colour of the result's cubes. Raises
    `InputError` if a piece fits nowhere or there are too many colours.
    """
    states: dict[str, States] = {}
    taken: dict[Cell, set[str]] = defaultdict(set)
    for name, place, colours in puzzle.key:
        states.setdefault(name, dict(zip(place, colours, strict=True)))
        for cell, colour in zip(place, colours, strict=True):
            taken[cell].add(colour)
    for name, _, least, _ in puzzle.pieces:
        if name not in states and least:
            raise InputError(f"{puzzle.name}: {name} fits nowhere, so that its colours are not known")
    every = sorted(set().union(*taken.values()) - {EMPTY})
    number = {colour: n for n, colour in enumerate(every, 1)}
    of_sets = {frozenset([colour]): n for colour, n in number.items()}
    result = {}
    for cell, own in sorted(taken.items()):
        there = of_sets.setdefault(frozenset(own - {EMPTY}), len(of_sets) + 1)
        result[cell] = f"{'+' if EMPTY in own else '#'}{there}"
    if len(of_sets) > MAX_COLOURS:
        raise InputError(f"{puzzle.name} needs {len(of_sets)} colours, and BurrTools has {MAX_COLOURS}")
    pairs = {(number[colour], there) for own, there in of_sets.items() for colour in own}
    return (
        {name: {c: f"#{number[own[c]]}" for c in own} for name, own in states.items() if name != EMPTY},
        result,
        pairs,
    )


def _add_voxels(shapes: ElementTree.Element, name: str, states: States) -> None:
    """Add an XML element for a shape to ``shapes``.

    name: the name of the piece, empty for the result. states: the state of each cube; see `States`.
    """
    solid = {(0,) * (3 - len(cell)) + cell: state for cell, state in states.items()}
    low, high = (tuple(map(edge, zip(*solid, strict=True))) for edge in (min, max))
    layers, rows, columns = (range(first, last + 1) for first, last in zip(low, high, strict=True))
    voxel = ElementTree.SubElement(shapes, "voxel", x=str(len(columns)), y=str(len(rows)), z=str(len(layers)), type="0")
    if name:
        voxel.set("name", name)
    voxel.text = "".join(solid.get(cell, "_") for cell in product(layers, rows, columns))
