"""Puzzles of BurrTools (.xmpuzzle), read: cubes, pieces with ranges, results with variable cubes, and colours."""

from __future__ import annotations

import codecs
import re
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from models.boards.compressed import decompress
from models.boards.grid import MAX_BOARD_CELLS, SQUARE
from models.coloured_packing import ColouredPiece, ColouredRules, puzzle_of_coloured_rules
from models.errors import ParameterError
from models.packings.pieces import Piece, Place, Rules, packing_of
from models.puzzle import EMPTY, Puzzle

MAX_XML_BYTES = 50_000_000

UTF_8 = {b"utf-8", b"utf8"}
"""How a file may say that it is UTF-8."""

WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
"""The characters that Windows-1252 has where Latin-1 has signs that cannot be seen; five bytes represent nothing."""


def xmpuzzle(path: str, problem: int = 1, mirror: bool = True) -> Puzzle:
    """A puzzle of BurrTools: cubes are packed into a result.

    problem: the number of the problem in the file, from 1
    mirror: count a solution and its mirror image as one; with --no-mirror they are two, as BurrTools counts them

    A cube of the result that is variable may stay empty. Where everything is one layer high, it is a flat board, on
    which pieces may be turned over. A coloured cube of a piece is on a coloured cube of the result only if the
    problem allows the two colours. Pieces of one group need not come apart from each other. Other grids are refused.

    Raises ValueError, with a sentence that says what is wrong.
    """
    # The XML element of the problem, the state of each cube of the result, (name, cubes, least, most) of each piece,
    # and the groups of pieces that may stay together.
    chosen, result, pieces, together = read_problem(path, problem)
    all_states = [result, *(states for _, states, _, _ in pieces)]
    is_flat = all(len({cell[0] for cell in states}) == 1 for states in all_states)
    if is_flat:
        result = _without_layer(result)
        pieces = [(name, _without_layer(states), least, most) for name, states, least, most in pieces]
    # The cells of the board, and those that may stay empty.
    board = frozenset(result)
    variable = frozenset(_cubes_with_sign(result, "+"))
    if variable:  # a piece EMPTY of one cell is in each variable cell that stays empty
        most_holes = _whole_number(chosen, "maxHoles", len(variable))
        most = min(most_holes, len(variable))
        if most:
            hole = {(0,) * len(min(board)): EMPTY}
            pieces.append((EMPTY, hole, 0, most))
    parameters = {"problem": problem, "mirror": mirror}
    # The first sign of a state is # or +, a second one the colour of the cube.
    all_states = [result, *(states for _, states, _, _ in pieces)]
    colour_signs = {state[1:] for states in all_states for state in states.values()}
    if colour_signs != {""}:
        # The last sign of a state is the colour, # for a cube of a piece that has none, or EMPTY.
        coloured = []
        for name, states, *use in pieces:
            colours_of_cells = {cell: state[-1] for cell, state in states.items()}
            coloured.append(ColouredPiece(name, colours_of_cells, *use))
        colours = {colour for piece in coloured for colour in piece.colours.values()}
        # The pairs (colour of a cube of a piece, state of a cube of the result) that may meet.
        allowed = _colour_pairs(chosen)
        states_of_result = set(result.values())
        pairs = {pair for pair in product(colours, states_of_result) if _may_meet(*pair, allowed)}
        coloured_rules = ColouredRules(result, coloured, is_flat, SQUARE, "any", pairs, reflects=mirror)
        puzzle = puzzle_of_coloured_rules(path, parameters, coloured_rules)
        return replace(puzzle, board=puzzle.board._replace(groups=together))

    def allows(name: str, place: Place) -> bool:
        return name != EMPTY or variable.issuperset(place)

    plain = [Piece(name, frozenset(states), least, most) for name, states, least, most in pieces]
    condition = allows if variable else None
    rules = Rules(board, plain, is_flat, allows=condition, reflects=mirror)
    puzzle = packing_of(path, parameters, rules, unsolved=rules.misfit())
    # The packing needs no list of variable cells: the labels of the key have all places of the piece EMPTY.
    return replace(puzzle, board=puzzle.board._replace(packing=rules.packing(), groups=together))


class ReadProblem(NamedTuple):
    """A problem of a file."""

    element: ElementTree.Element
    """The XML element of the problem."""
    result: States
    """The cubes of the result."""
    pieces: list[Used]
    """The pieces, in the order of the file, without those that are used 0 times."""
    together: Mapping[str, int]
    """The groups of pieces; see `PuzzleBoard.groups`."""


def read_problem(path: str, problem: int) -> ReadProblem:
    """Return a problem of a BurrTools file, by its number from 1.

    Raises ValueError, with a sentence that says what is wrong. A shape is named by its number in the file, from 0.
    """
    root = _parse(Path(path))
    shapes = [_voxels(voxel, number) for number, voxel in enumerate(root.findall("./shapes/voxel"))]
    problems = root.findall("./problems/problem")
    if not 1 <= problem <= len(problems):
        raise ParameterError(f"there is no problem {problem}; it holds {len(problems)}")
    chosen = problems[problem - 1]
    _, result = _shape_named_by(chosen.find("result"), shapes)
    if not result:
        raise ParameterError("the result of the problem has no cubes")
    elements = chosen.findall("./shapes/shape")
    pieces = _pieces(elements, shapes)
    # Pieces that are used 0 times are left out, as `_pieces` does.
    used_elements = [element for element in elements if _number_of_uses(element)[1]]
    together = {}
    for (name, *_), element in zip(pieces, used_elements, strict=True):
        group = _group(element)
        if group is not None:
            together[name] = group
    return ReadProblem(chosen, result, pieces, together)


def _number_of_uses(element: ElementTree.Element) -> tuple[int, int]:
    """Return how often a piece is used, at least and at most."""
    if element.get("count") is None:
        return _whole_number(element, "min", 1), _whole_number(element, "max", 1)
    count = _whole_number(element, "count")
    return count, count


def _group(element: ElementTree.Element) -> int | None:
    """Return the group of a piece; None if it has none, 0 if its copies are not all in the same one.

    element: has an element for each group with the number of copies in it, or the group as an attribute.
    """
    # For each group, how many copies of the piece are in it.
    copies_of_group = {}
    for subelement in element.findall("group"):
        number = _whole_number(subelement, "group")
        copies_of_group[number] = _whole_number(subelement, "count")
    if not copies_of_group:
        return _whole_number(element, "group", 0) or None
    (group, count), *other_groups = copies_of_group.items()
    _, most = _number_of_uses(element)
    if other_groups or count != most:
        return 0
    return group


def _colour_pairs(problem: ElementTree.Element) -> set[tuple[str, str]]:
    """Return the pairs (colour of a piece, colour of the result) that a problem allows to meet, as signs.

    problem: the XML element. A sign is a character of ``SIGNS``. Raises ValueError if there are too many colours. The
    problem numbers colours from 0.
    """
    pairs = problem.findall("./bitmap/pair")
    numbers = [(_whole_number(pair, "piece"), _whole_number(pair, "result")) for pair in pairs]
    if any(max(pair) >= len(SIGNS) for pair in numbers):
        raise ParameterError(f"it has more than {len(SIGNS)} colours")
    return {(SIGNS[colour], SIGNS[other_colour]) for colour, other_colour in numbers}


def _may_meet(colour: str, result_state: str, allowed: Collection[tuple[str, str]]) -> bool:
    """Tell whether a cube of a piece may be on a cube of the result.

    A piece `EMPTY` may be on variable cubes only. If one of the two cubes has no colour, they may meet.

    colour: the sign of the piece's cube: `EMPTY`, # for no colour, or a colour. result_state: # or + (variable), then
    the colour, if any. allowed: the pairs of colours that may meet.
    """
    if colour == EMPTY:
        return result_state.startswith("+")
    if colour == "#" or len(result_state) == 1:
        return True
    return (colour, result_state[1:]) in allowed


def _parse(path: Path) -> ElementTree.Element:
    """Return the root element of a BurrTools file, which may be compressed.

    Raises ValueError if the file cannot be read, is damaged, is too large, or has a grid other than cubes. `decompress`
    returns the content of a compressed file, and other data as they are.
    """
    try:
        data = decompress(path.read_bytes(), MAX_XML_BYTES)
    except OSError as error:
        raise ParameterError(f"it cannot be read: {error.strerror}") from None
    if len(data) > MAX_XML_BYTES:
        raise ParameterError(f"it holds more than {MAX_XML_BYTES} bytes")
    try:
        root = ElementTree.fromstring(_decode(data))
    except ElementTree.ParseError as error:
        raise ParameterError(f"it is not XML: {error}") from None
    except (LookupError, ValueError) as error:
        raise ParameterError(f"its encoding cannot be read: {error}; save it as UTF-8") from None
    kind = root.find("gridType")
    if root.tag != "puzzle":
        raise ParameterError(f"it is not a BurrTools puzzle: its outermost element is {root.tag!r}")
    if kind is None:
        return root
    if kind.get("type", "0") != "0":
        raise ParameterError("its grid is not made of cubes; only grids of cubes can be read")
    return root


def _decode(data: bytes) -> bytes | str:
    """Return an XML file as it has to be parsed: the data itself, or its text if it is not what it says.

    BurrTools writes names and comments in the encoding of the system, and no line that says which. Data that would have
    to be UTF-8 and is not is read as Windows-1252, which has the letters of Latin-1 in their places.
    """
    declared_encoding = re.match(rb"""\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)""", data)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    if declared_encoding and declared_encoding[1].lower() not in UTF_8:
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").translate(WINDOWS)
    return data


SIGNS = string.digits[1:] + string.ascii_letters + "αβ"
"""The signs of the 63 colours."""

States = Mapping[tuple[int, ...], str]
"""The cubes of a shape: # if filled, + if it may be filled, followed by the sign of its colour, if any."""

Voxels = tuple[str, States]
"""The name of a shape, and its cubes by (layer, row, column)."""

Used = tuple[str, States, int, int]
"""(name, cubes, least, most): a piece, and how often it is used at least and at most."""


def _voxels(element: ElementTree.Element, number: int) -> Voxels:
    """Return the shape that an XML element describes, as (name, cubes).

    The text of the element has a sign for each cube, by layers, rows and columns: _ none, # filled, + may stay empty; #
    and + may have the number of a colour behind them, from 1. number: the number of the shape in the file, which names
    a shape without a name. Raises ValueError if the text of the element is wrong, or if the shape is too large.
    """
    given_name = element.get("name", "").strip()
    name = re.sub(r"\s+", "_", given_name) or f"S{number + 1}"
    columns, rows, layers = (_whole_number(element, axis) for axis in "xyz")
    states = (element.text or "").strip()
    if not re.fullmatch(r"(_|[#+][0-9]{0,2})*", states):
        raise ParameterError(f"the shape {name!r} contains a sign other than _, # and +")
    voxels = re.findall(r"_|[#+][0-9]*", states)
    voxel_count = len(voxels)
    if voxel_count != columns * rows * layers:
        size = f"{columns}x{rows}x{layers}"
        raise ParameterError(f"the shape {name!r} has {voxel_count} places, but its size is given as {size}")
    if voxel_count > MAX_BOARD_CELLS:
        raise ParameterError(f"the shape {name!r} is larger than {MAX_BOARD_CELLS} cubes")
    places = product(range(layers), range(rows), range(columns))
    voxel_states: dict[tuple[int, ...], str] = {}
    for place, state in zip(places, voxels, strict=True):
        colour = int(state[1:] or 0)
        if colour > len(SIGNS):
            raise ParameterError(f"the shape {name!r} has a colour beyond {len(SIGNS)}")
        if state == "_":
            continue
        sign_of_colour = SIGNS[colour - 1] if colour else ""
        voxel_states[place] = state[0] + sign_of_colour
    return name, voxel_states


def _whole_number(element: ElementTree.Element, name: str, default: int | None = None) -> int:
    """Return an element's attribute of this name as a whole number.

    Raises ValueError if the attribute is not a whole number of at most nine digits, or if it is missing and there is no
    default.
    """
    text = element.get(name)
    if text is None and default is not None:
        return default
    text = text or ""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ParameterError(f"a {element.tag} has no number {name}")
    return int(text)


def _shape_named_by(element: ElementTree.Element | None, shapes: Sequence[Voxels]) -> Voxels:
    """Return the shape that an element names by its number in ``shapes``.

    Raises ValueError if there is no such shape, or no element.
    """
    number = -1
    if element is not None:
        number = _whole_number(element, "id")
    if not 0 <= number < len(shapes):
        raise ParameterError("a problem names a shape that the file does not hold")
    return shapes[number]


def _cubes_with_sign(states: States, first: str) -> States:
    """Return the cubes whose state begins with the sign ``first``, # or +."""
    return {cell: state for cell, state in states.items() if state.startswith(first)}


def _without_layer(states: States) -> States:
    """Return the cubes by (row, column), without the layer."""
    return {cell[1:]: state for cell, state in states.items()}


def _pieces(elements: Sequence[ElementTree.Element], shapes: Sequence[Voxels]) -> list[Used]:
    """Return the pieces of a problem, without those that are used 0 times.

    elements: the XML elements that name the pieces. shapes: the shapes of the file. Raises ValueError if there are no
    pieces, or if a piece is empty or has variable cubes.
    """
    pieces: list[Used] = []
    for element in elements:
        shape_name, states = _shape_named_by(element, shapes)
        least, most = _number_of_uses(element)
        if most < least:
            raise ParameterError(f"the piece {shape_name!r} is used at least {least} and at most {most} times")
        if most == 0:
            continue
        if not states or _cubes_with_sign(states, "+"):
            raise ParameterError(f"the piece {shape_name!r} is empty or has variable cubes, which only results have")
        # Several pieces of the same name are called name, name.2, name.3, ...
        names_in_use = {EMPTY, *(name for name, *_ in pieces)}
        name = shape_name
        number = 1
        while name in names_in_use:
            number += 1
            name = f"{shape_name}.{number}"
        pieces.append((name, states, least, most))
    if not pieces:
        raise ParameterError("the problem has no pieces")
    return pieces
