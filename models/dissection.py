"""Dissection: a region is cut into parts of the same size that are connected, or even of the same shape.

The region "asahi" is from the newspaper Asahi ("Puzzle Yokocho", 1 April 2005): cut it into two parts of the same shape
and size, one of which may be turned over. Squares cut into two identical pieces: OEIS A003155.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from math import factorial
from typing import Any, Literal

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import grid
from models.boards.grid import Cell, Cells
from models.boards.lattice import Lattice
from models.boards.paths import all_of, hangs_together
from models.errors import ParameterError
from models.puzzle import Drawing, Label, Puzzle, PuzzleBoard, Region, Solution, Symmetry

ASAHI = grid.cells_of_drawing(
    "...###.",
    "...####",
    "...#.##",
    "######.",
    "######.",
    "..##.#.",
    "..#....",
)

MAX_TILES = 400
"""The most tiles of a region: the model grows with the square of their number, and takes seconds to build for
so many.
"""

MAX_SYMMETRIES = 40_320
"""The largest group of symmetries, the order of all permutations of eight parts."""

BEYOND_ANY_DISTANCE = 10_000
"""A number greater than the distance of any two tiles, and than the number of their kinds."""

SIDES = "nesw"
"""The names of the four quarters of a square that is cut along both diagonals: the sides at which they lie."""

Corners = Sequence[Cell]
"""The corners (x, y) of a tile in half cell widths, its inside to the right hand."""

Tiles = Mapping[Label, Corners]
"""The corners of each tile by its label; tiles are the squares or triangles that no cut divides."""

Place = tuple[Cells, int, int]
"""(corners moved to the origin, x, y): a tile's form and where it lies, in half cell widths."""

Motion = Mapping[Label, Label]
"""A motion of the plane: maps each tile that stays within the region to the tile on which it comes to lie."""


def dissection(
    region: Region = "asahi",
    parts: int = 2,
    require: Literal["area", "connected", "both-connected", "congruent"] = "congruent",
    mirror: bool = True,
    cells: Literal["squares", "halves", "quarters"] = "squares",
) -> Puzzle:
    """Cut a region into connected parts of the same shape and size.

    region: asahi, square-N (N x N, without its centre where N is odd), HxW, or a drawing (# and .) or its file
    parts: how many there are, at least 2.
    require: area (the same for all), connected (part 1 too), both-connected (all parts), congruent (of one shape too).
    mirror: let parts be turned over.
    cells: squares, halves (a square may be cut along one of its diagonals) or quarters (along both).

    >>> puzzle = dissection("2x2")
    >>> puzzle.is_solution({(0, 0): 1, (0, 1): 1, (1, 0): 2, (1, 1): 2})
    True
    """
    squares = _cells_of_region(region)
    tiles = _tiles(squares, quartered=cells != "squares")
    area, neighbours = _area_of_part(region, tiles, cells, parts), _neighbours(tiles)  # area: tiles of a part
    model, names = CpModel(), range(1, parts + 1)
    symmetries = _symmetries(region, tiles, names[1:] if require == "connected" else names)
    hanging: Sequence[int] = {"area": [], "connected": [1]}.get(require, names)  # the parts that must be connected
    part = {tile: model.new_int_var(1, parts, f"part of {tile}") for tile in tiles}
    holds = {name: {tile: model.new_bool_var(f"{name} holds {tile}") for tile in tiles} for name in names}
    # Each tile belongs to one part, and all parts have the same area.
    _share_equally(model, part, holds, area)
    # A square is cut along one of its diagonals at most.
    if cells == "halves":
        _cut_once(model, part, squares, names)
    # Parts are connected.
    for name in hanging:
        _connect(model, holds[name], neighbours, area)
    # Some motion lays the first part on each of the others.
    if require == "congruent":
        _lay_first_on_others(model, holds, [motion for motion in _motions(tiles, mirror) if len(motion) >= area])

    parameters = {"region": region, "parts": parts, "require": require, "mirror": mirror, "cells": cells}
    is_solution = _independent_check(tiles, squares, parts, hanging, cells == "halves", require == "congruent", mirror)
    draw = partial(_draw, grid.SQUARE if cells == "squares" else _triangles(tiles), [*tiles], names)
    fills, places = (_fills, grid.cells_by_name(region, squares)) if cells == "squares" else (None, {})
    board = PuzzleBoard(places=places)
    return Puzzle("dissection", parameters, model, part, symmetries, is_solution, draw, fills=fills, board=board)


def _area_of_part(region: str, tiles: Tiles, cells: str, parts: int) -> int:
    """Return the number of tiles of each part, if ``parts`` parts share all tiles equally.

    A tile is a cell or, unless ``cells`` is "squares", a quarter of one. region: the text that named the region. cells:
    the parameter of `dissection`. Raises ValueError if there are too many tiles or fewer than 2 parts, or if the tiles
    cannot be shared equally.
    """
    called = grid.name_of(region)
    unit = "cells" if cells == "squares" else "quarter cells"
    size = f"{len(tiles)} {unit}"
    if len(tiles) > MAX_TILES:
        raise ParameterError(f"{called} has {size}; choose a region of at most {MAX_TILES}")
    if parts < 2:
        raise ParameterError(f"{parts} parts are too few; cut the region into at least 2")
    if len(tiles) % parts:
        raise ParameterError(
            f"{called} has {size}, which cannot be divided equally among {parts} parts; "
            "choose another number of parts, or another region"
        )
    return len(tiles) // parts


def _symmetries(region: str, tiles: Tiles, alike: Sequence[int]) -> list[Symmetry]:
    """Return the symmetries of the region, and exchanges of the names of two parts; raise ValueError for too many.

    A literal is (tile, name of a part): the tile belongs to the part. Exchanges of neighbouring names generate all
    permutations of names.

    region: the text that names it, for the message. tiles: the corners of each tile. alike: the parts for which the
    rules are the same.
    """

    def turn_symmetry(turn: Motion) -> Symmetry:
        return lambda tile, name: (turn[tile], name)

    def exchange_symmetry(first: int, other: int) -> Symmetry:
        exchanged = {first: other, other: first}
        return lambda tile, name: (tile, exchanged.get(name, name))

    turns = [motion for motion in _motions(tiles, mirror=True) if len(motion) == len(tiles)]
    symmetry_count = len(turns) * factorial(len(alike))
    if symmetry_count > MAX_SYMMETRIES:
        called = f"exchanging the names of {alike[-1]} parts and turning {grid.name_of(region)}"
        raise ParameterError(f"{called} makes more than {MAX_SYMMETRIES} symmetries; choose fewer parts")
    exchanges = [exchange_symmetry(*pair) for pair in pairwise(alike)]
    return [*map(turn_symmetry, turns[1:]), *exchanges]


def _independent_check(
    tiles: Tiles,
    squares: Sequence[Cell],
    parts: int,
    hanging: Sequence[int],
    halves: bool,
    congruent: bool,
    mirror: bool,
) -> Callable[[Solution], bool]:
    """Return the check of a solution against the rules, without the model.

    tiles: the corners of each tile. squares: the cells of the region. parts: their number. hanging: the numbers of the
    parts that have to be connected. halves: whether each square is cut along one diagonal at most. congruent: whether
    parts have the same shape; if mirror, they may be turned over. The check takes a solution, the number of the part of
    each tile.
    """
    names = range(1, parts + 1)
    area = len(tiles) // parts
    neighbours = _neighbours(tiles)
    # The forms of tiles, numbered as `_place_number` meets them.
    kinds: dict[Cells, int] = {}
    # For each turn of the plane, the place to which it takes each tile, as a number.
    places_by_turn: list[dict[Label, int]] = []
    for turn in grid.turns(2, mirror):
        number_of_tile = {}
        for tile, corners in tiles.items():
            place = _tile_place([turn(corner) for corner in corners])
            number_of_tile[tile] = _place_number(place, kinds)
        places_by_turn.append(number_of_tile)

    def is_congruent(labels: Collection[Label], other_labels: Collection[Label]) -> bool:
        """Tell whether some turn and a shift lay the tiles with the first labels on the others.

        `_shape` is equal for two lists of place numbers iff one is a shift of the other.
        """
        shape = _shape([places_by_turn[0][tile] for tile in other_labels])
        return any(_shape([turn[tile] for tile in labels]) == shape for turn in places_by_turn)

    def is_solution(solution: Solution) -> bool:
        """Tell whether the parts are equally large, and connected, cut and congruent as required.

        solution: the part of each tile.
        """
        tiles_of_part = {}
        for name in names:
            tiles_of_part[name] = [tile for tile in tiles if solution[tile] == name]
        if any(len(part) != area for part in tiles_of_part.values()):
            return False
        if not all(hangs_together(tiles_of_part[name], neighbours) for name in hanging):
            return False
        for square in squares if halves else ():
            parts_of_quarters = [solution[*square, side] for side in SIDES]
            if not _along_one_diagonal(*parts_of_quarters):
                return False
        if not congruent:
            return True
        first_part, *other_parts = tiles_of_part.values()
        return all(is_congruent(first_part, other_part) for other_part in other_parts)

    return is_solution


def _triangles(tiles: Mapping[Any, Any]) -> Lattice:
    """Return the lattice whose cells are the quarters of squares.

    tiles: the corners of each quarter by its label. A lattice is a kind of cells, with functions that return the
    corners and the neighbours of a cell.
    """
    neighbours = _neighbours(tiles)
    return grid.SQUARE._replace(polygon=tiles.__getitem__, neighbours=neighbours.__getitem__)


def _draw(lattice: Lattice, tiles: Sequence[Any], names: Sequence[int], solution: Solution) -> Drawing:
    """Draw a solution: the tiles of each part in its colour, with its name.

    lattice: the kind of the tiles. tiles: all tiles. names: the numbers of the parts. solution: the part of each tile,
    or of some tiles.
    """
    tiles_of_part = {}
    for name in names:
        tiles_of_part[name] = [tile for tile in tiles if solution.get(tile) == name]
    pieces = [(str(name), part, name) for name, part in tiles_of_part.items()]
    frame = grid.board_with_pieces(tiles, pieces, lattice)
    if lattice is grid.SQUARE:
        return [frame]
    # The middle of a triangle is not where a text has place for a name.
    shapes = [shape._replace(at=None) for shape in frame.shapes]
    return [frame._replace(shapes=shapes)]


def _fills(tile: Label, name: int) -> tuple[str, list[Any]]:
    """Return ("part N", [tile]) for the literal "this tile belongs to part N"; name: N."""
    return f"part {name}", [tile]


def _cells_of_region(region: str) -> list[Cell]:
    """Return the cells of the region that a text names or draws, sorted.

    If N is odd, square-N lacks its middle cell: without it the number of cells is even, so that they can be halved.

    Raises ValueError if N is less than 2, if the region is a box in space, or if the text is no region. region: as in
    `dissection`.
    """
    match = re.fullmatch(r"square-([0-9]{1,9})", region)
    if match:
        side = int(match[1])
        if side < 2:
            raise ParameterError(f"{region} has no cells to share; choose square-2 or a larger one")
        cells = grid.region(f"{side}x{side}")
        if side % 2:
            middle = side // 2, side // 2
            cells -= {middle}
        return sorted(cells)
    squares = sorted(grid.region(region, {"asahi": ASAHI}))
    if len(squares[0]) != 2:
        raise ParameterError(f"{grid.name_of(region)} is a box; choose a flat region")
    return squares


def _tiles(squares: Iterable[Cell], quartered: bool) -> Tiles:
    """Return the corners of the tiles of these squares, by label.

    The tiles are the squares, with the label (row, column), or, if quartered, the four quarters of each, with the label
    (row, column, side). The corners of a quarter are the two ends of its side, and the middle of the square.
    """
    if not quartered:
        return {square: _corners(*square) for square in squares}
    quarters: dict[Label, list[Cell]] = {}
    for row, column in squares:
        corners = _corners(row, column)
        middle = (2 * column + 1, 2 * row + 1)
        sides = pairwise([*corners, corners[0]])
        for side, (start, end) in zip(SIDES, sides, strict=True):
            quarters[row, column, side] = [start, end, middle]
    return quarters


def _corners(row: int, column: int) -> list[Cell]:
    """Return the corners (x, y) of the square at a row and column, clockwise from the upper left one.

    The unit is half the width of a cell.
    """
    x, y = 2 * column, 2 * row
    return [(x, y), (x + 2, y), (x + 2, y + 2), (x, y + 2)]


def _neighbours(tiles: Tiles) -> dict[Any, list[Any]]:
    """Return the tiles that share an edge with each tile."""
    neighbours = {}
    for tile, corners in tiles.items():
        corner_set = set(corners)
        neighbours[tile] = [other for other in tiles if len(corner_set.intersection(tiles[other])) == 2]
    return neighbours


def _along_one_diagonal(north: int, east: int, south: int, west: int) -> bool:
    """Tell whether at most one cut, along a diagonal of a square, gives its quarters to these parts.

    north, east, south, west: the number of the part to which the quarter at this side belongs.
    """
    is_cut_down = north == east and south == west
    is_cut_up = north == west and south == east
    return is_cut_down or is_cut_up


def _tile_place(corners: Collection[Cell]) -> Place:
    """Return (corners moved to the origin, x, y): the form of a tile with these corners, and where it lies.

    x and y are the least ones of the corners.
    """
    left, top = (min(ordinates) for ordinates in zip(*corners, strict=True))
    return grid.normalise(corners), left, top


def _place_number(place: Place, kinds: dict[Cells, int]) -> int:
    """Return a number for a place; moving two places by the same distance adds the same to their numbers.

    So two sets of tiles have the same shape iff their numbers differ by a constant. kinds: the numbers of the forms met
    so far; it grows.
    """
    corners, left, top = place
    kind = kinds.setdefault(corners, len(kinds))
    number = left * BEYOND_ANY_DISTANCE + top
    return number * BEYOND_ANY_DISTANCE + kind


def _shape(places: Collection[int]) -> frozenset[int]:
    """Return a form that is equal for two sets of places iff one can be moved onto the other.

    Moving does not turn. places: the numbers of the places, as `_place_number` returns them.
    """
    first = min(places)
    return frozenset([place - first for place in places])


def _motions(tiles: Tiles, mirror: bool) -> list[Motion]:
    """Return the motions that lay at least one tile of the region on a tile of it, with reflections if mirror.

    A motion is a turn, or a reflection, and a displacement. The identity comes first. Turns by 90 degrees and
    displacements by whole cells suffice to lay congruent parts on each other: some part has a piece of the region's
    border, so each has straight sides that begin and end at corners of whole cells.
    """
    motions: list[Motion] = []
    place_of_tile = {tile: _tile_place(corners) for tile, corners in tiles.items()}
    for turn in grid.turns(2, mirror):
        image_of_tile_by_displacement: dict[Cell, dict[Label, Label]] = defaultdict(dict)
        for tile, corners in tiles.items():
            shape, left, top = _tile_place([turn(corner) for corner in corners])
            for image, (image_shape, image_left, image_top) in place_of_tile.items():
                if image_shape == shape:
                    displacement = image_left - left, image_top - top
                    image_of_tile_by_displacement[displacement][tile] = image
        motions += image_of_tile_by_displacement.values()
    return motions


def _share_equally(
    model: CpModel, part: Mapping[Label, IntVar], holds: Mapping[int, Mapping[Label, IntVar]], area: int
) -> None:
    """Add to the model that each part holds ``area`` tiles.

    A part holds a tile iff the tile belongs to it. part: the variable with the part of each tile. holds: for each part
    and tile, the variable that is true iff the part holds it.
    """
    for name, tiles in holds.items():
        for tile, is_in_part in tiles.items():
            model.add(part[tile] == name).only_enforce_if(is_in_part)
            model.add(part[tile] != name).only_enforce_if(~is_in_part)
        model.add(sum(tiles.values()) == area)


def _cut_once(model: CpModel, part: Mapping[Label, IntVar], squares: Iterable[Cell], names: Iterable[int]) -> None:
    """Add to the model that each square is cut along one of its diagonals at most.

    part: the variable with the part of each quarter (row, column, side). names: the parts.
    """
    cuts = [sides for sides in product(names, repeat=4) if _along_one_diagonal(*sides)]
    for square in squares:
        quarters = [part[*square, side] for side in SIDES]
        model.add_allowed_assignments(quarters, cuts)


def _connect(
    model: CpModel, holds: Mapping[Label, IntVar], neighbours: Mapping[Label, Sequence[Label]], area: int
) -> None:
    """Add to the model that a part is connected.

    A walk within it leads from its first tile to each of its tiles. A variable says for each tile whether a walk of so
    many steps can end there, as it is determined by those of one step less. A walk may go to and fro, so it suffices to
    consider two lengths: area - 1 steps and one step less.

    holds: for each tile, the variable that is true iff the part holds it. neighbours: the tiles that share an edge with
    each tile. area: the number of its tiles.
    """
    tiles = list(holds)
    # ends_walk: whether a walk ends at the tile; ends_before: the same for one step less. A walk of 0 steps ends at the
    # first tile that the part holds.
    ends_before: dict[Label, IntVar] = {}
    ends_walk = {}
    for n, tile in enumerate(tiles):
        none_earlier = [~holds[earlier] for earlier in tiles[:n]]
        ends_walk[tile] = all_of(model, [holds[tile], *none_earlier])
    for _ in range(area - 1):
        ends_before = ends_walk
        ends_walk = {tile: model.new_bool_var("") for tile in tiles}
        for tile, ends_here in ends_walk.items():
            neighbours_before = [ends_before[neighbour] for neighbour in neighbours[tile]]
            model.add_implication(ends_here, holds[tile])
            model.add_bool_or(neighbours_before).only_enforce_if(ends_here)
            none_before = [~neighbour_before for neighbour_before in neighbours_before]
            model.add_bool_and(none_before).only_enforce_if(holds[tile], ~ends_here)
    for tile in tiles:
        literals = [~holds[tile], ends_walk[tile]]
        if ends_before:
            literals.append(ends_before[tile])
        model.add_bool_or(literals)


def _lay_first_on_others(
    model: CpModel, holds: Mapping[int, Mapping[Label, IntVar]], motions: Sequence[Motion]
) -> None:
    """Add to the model that one of the motions lays the first part exactly on each other part.

    holds: for each part and tile, the variable that is true iff the part holds it.
    """
    first, *others = holds
    for other in others:
        _lay_on(model, holds[first], holds[other], motions, nothing_else=len(others) == 1)


def _lay_on(
    model: CpModel,
    part: Mapping[Label, IntVar],
    other: Mapping[Label, IntVar],
    motions: Iterable[Motion],
    nothing_else: bool,
) -> None:
    """Add to the model that one of the motions lays one part exactly on the other.

    part, other: for each tile, the variable that is true iff the part holds it. nothing_else: whether the two parts
    fill the region.
    """
    # If each tile is in just one of the two parts, "the parts hold both or neither" is the same for (tile, image) and
    # (image, tile), and one variable says both.
    kind: Callable[[tuple[Label, Label]], Hashable] = frozenset if nothing_else else tuple
    matched: dict[Hashable, IntVar] = {}
    carries = []  # for each motion, whether it lays the part exactly on the other
    for motion in motions:
        for tile, image in motion.items():
            pair = kind((tile, image))
            if pair not in matched:
                matched[pair] = model.new_bool_var("")
                model.add_bool_xor([matched[pair], part[tile], other[image]])  # true iff the parts hold both or neither
        # No tile of the part leaves the region, and no tile of the other lacks a preimage.
        images = set(motion.values())
        none_leaves = [~is_in_part for tile, is_in_part in part.items() if tile not in motion]
        none_lacks = [~is_in_part for tile, is_in_part in other.items() if tile not in images]
        matches = [matched[kind(pair)] for pair in motion.items()]
        carries.append(all_of(model, [*matches, *none_leaves, *none_lacks]))
    model.add_bool_or(carries)
