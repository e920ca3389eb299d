"""Drawings to print: the board with the pieces beside it, and solutions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

from models.boards import grid
from models.boards.colours import colour_classes
from models.boards.grid import Cells
from models.boards.lattice import Cell, Lattice
from models.packings.isometric import scene, two_views
from models.puzzle import EMPTY, Drawing, Frame, Given, Shape, Solution, true_labels

LAYER_SCALE = 1.4
"""The width of a cell of a layer, as a multiple of the edge of a cube."""

Tile = tuple[str, tuple[Cell, ...]]
"""(name, cells) of a piece that is on the board."""

Piece = tuple[str, Cells, int, int | None]
"""(name, cells, least, most): a piece, and how often it is used at least and at most (None: no limit)."""


def sheets(
    board: Cells,
    pieces: Sequence[Piece],
    lattice: Lattice,
    named: Mapping[str, Cell],
    placed: Sequence[Tile],
    given: Given,
    solutions: Sequence[Solution],
) -> list[Drawing]:
    """Return the drawings to print: first the board with the pieces, then each solution.

    Pieces that are placed or given are on the board, and not beside it. Pieces of a solid are drawn from two sides, and
    its solutions as layers.

    board: its cells. lattice: their grid. named: the cells that have names, which are written on the board where
    nothing lies. placed: the pieces that the board shows. The last frames of the first drawing are the pieces that are
    left. pieces: (name, cells, least, most), with an entry for each shape of a piece. given: the key variables that are
    known, by label (name, cells), and cells whose content is known.
    """
    names = [name for name, *_ in pieces if name != EMPTY]
    tiles = {*placed}
    tiles |= {(name, tuple(sorted(place))) for name, place in true_labels(given.values)}
    # Contents give the cells of a piece, but not which of its copies covers them: a piece that is used once, and all of
    # whose cells are given, is in these cells.
    for name, cells, _, most in pieces:
        given_cells = [cell for cell, content in given.contents.items() if content == name]
        if most == 1 and len(given_cells) == len(cells):
            tiles.add((name, tuple(sorted(given_cells))))
    tiles = {tile for tile in tiles if tile[0] != EMPTY}
    beginning = _beginning(board, pieces, lattice, named, sorted(tiles), given.contents)
    solution_drawings = [_draw_solved(board, names, lattice, named, solution) for solution in solutions]
    return [beginning, *solution_drawings]


def _beginning(
    board: Cells,
    pieces: Sequence[Piece],
    lattice: Lattice,
    named: Mapping[str, Cell],
    tiles_on_board: Sequence[Tile],
    contents: Mapping[Cell, str],
) -> Drawing:
    """Draw the board, and beside it the pieces that are not on it, each with its number.

    board: its cells. named: the cells that have names, which are written on the board. tiles_on_board: the pieces that
    are on the board. contents: the names of pieces that cover cells though it is not known how they lie. A solid is
    drawn in space, and its layers as well if the picture in space does not show all of it.
    """
    colours = colour_classes(name for name, *_ in pieces if name != EMPTY)
    given_copies = Counter(name for name, _ in tiles_on_board)
    places_on_board = [place for _, place in tiles_on_board]
    free_cells = board.difference(*places_on_board)
    is_solid = len(min(board)) > 2
    empty_cells = sum(least for name, _, least, _ in pieces if name == EMPTY)
    caption = "board"
    if empty_cells:
        stay = "cell stays" if empty_cells == 1 else "cells stay"
        caption += f"; {empty_cells} {stay} empty"
    if tiles_on_board:
        names_on_board = ", ".join(sorted(given_copies))
        caption += f"; given: {names_on_board}"
    # A tile without cells gives a piece its colour, also where the piece is not on the board.
    tiles: list[Tile] = [(name, ()) for name in colours]
    tiles += tiles_on_board
    layer_frames = grid.tiling(tiles, lattice, board=board)
    layer_frames = grid.with_names(layer_frames, named, free_cells, lattice)
    # Contents of a cell are written in it; a solid has no place for them.
    contents_to_write = {} if is_solid else contents
    for cell, name in contents_to_write.items():
        layer_frames = grid.with_names(layer_frames, {name: cell}, free_cells, lattice)
    frames_of_pieces = _pieces_left(pieces, given_copies, lattice, colours, is_solid)
    if not is_solid:
        frames = [frame._replace(caption=caption) for frame in layer_frames]
        return [*frames, *frames_of_pieces]
    picture = scene([("", board, "light")], caption)
    layers: list[Frame] = []
    if _has_gaps(board) or tiles_on_board:
        frames = [frame._replace(caption=f"{caption}, {frame.caption}") for frame in layer_frames]
        layers = _large(frames)
    return [picture, *layers, *frames_of_pieces]


def _pieces_left(
    pieces: Sequence[Piece],
    given_copies: Mapping[str, int],
    lattice: Lattice,
    colours: Mapping[str, int | str],
    is_solid: bool,
) -> Drawing:
    """Draw the pieces that are not all on the board, each with the number of its copies that are left.

    given_copies: how many copies of a piece are on the board. colours: that of each piece. is_solid: whether the board
    is; then each piece is drawn from two sides. pieces: (name, cells, least, most), with an entry for each shape of a
    piece.
    """
    frames: list[Frame] = []
    names_drawn = set()
    for name, shape_cells, least, most in pieces:
        copies_on_board = given_copies[name]
        most = None if most is None else most - copies_on_board
        if name == EMPTY or most == 0:
            continue
        least = max(0, least - copies_on_board)
        shape = grid.normalise(shape_cells, lattice)
        colour = colours[name]
        use_text = _use_text(least, most)
        if name in names_drawn:  # a piece of several shapes is in the list once for each
            use_text = "or this shape"
        if is_solid:
            cubes = [(0,) * (3 - len(cell)) + cell for cell in shape]
            caption = f"{name}, {len(shape)} cube{'s' * (len(shape) > 1)}"
            if use_text:
                caption += f", {use_text}"
            frames.append(two_views(name, cubes, colour, caption))
        else:
            shapes = grid.piece(name, tuple(shape), colour, lattice)
            frames.append(Frame(shapes, use_text))
        names_drawn.add(name)
    return frames


def _has_gaps(board: Cells) -> bool:
    """Tell whether a board in space is no full box, so that its picture does not say all."""
    extents = [max(ordinates) - min(ordinates) + 1 for ordinates in zip(*board, strict=True)]
    volume: int = prod(extents)
    return len(board) < volume


def _large(layers: Drawing) -> list[Frame]:
    """Return the layers of a solid in a size in which their names can be read beside the pictures in space.

    A shape consists of rings of points and the place of its label, which are all scaled.
    """
    frames = []
    for layer in layers:
        shapes = [_enlargement(shape) for shape in layer.shapes]
        frames.append(Frame(shapes, layer.caption))
    return frames


def _enlargement(shape: Shape) -> Shape:
    """Return a shape in the size of layers."""
    rings = [[(LAYER_SCALE * x, LAYER_SCALE * y) for x, y in ring] for ring in shape.rings]
    if not shape.at:
        return shape._replace(rings=rings)
    x, y = shape.at
    return shape._replace(rings=rings, at=(LAYER_SCALE * x, LAYER_SCALE * y))


def _use_text(least: int, most: int | None) -> str:
    """Return, in words, how often a piece is used, ``least`` to ``most`` times; "" if it is once.

    A ``most`` of None means that there is no limit.
    """
    if most is None:
        if least == 0:
            return "any number"
        return f"{least} or more"
    if least != most:
        return f"{least} to {most} times"
    if least < 2:
        return ""
    return f"{least} times"


def _draw_solved(
    board: Cells, names: Sequence[str], lattice: Lattice, named: Mapping[str, Cell], solution: Solution
) -> Drawing:
    """Draw a solution, layer by layer.

    names: the names of the pieces, whose number in this list is their colour. named: the cells that have names. See
    `sheets`.
    """
    places_of_piece: dict[str, list[tuple[Cell, ...]]] = {name: [] for name in names}
    for (name, place), is_there in solution.items():
        if is_there and name != EMPTY:
            places_of_piece[name].append(place)
    tiles: list[Tile] = []
    for name, places in places_of_piece.items():
        tiles += [(name, place) for place in sorted(places) or [()]]
    places_on_board = [place for _, place in tiles]
    empty = board.difference(*places_on_board)
    frames = grid.tiling(tiles, lattice, board=board)
    frames = grid.with_names(frames, named, empty, lattice)
    if len(min(board)) == 2:
        return frames
    lowest, *higher_layers = _large(frames)
    caption = f"{lowest.caption}, the lowest"
    return [lowest._replace(caption=caption), *higher_layers]
