"""Packing: anyone's pieces fill anyone's board."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from models.boards import grid
from models.boards.grid import LATTICES, Cells, cells_by_name, components, is_turned, lines_of
from models.boards.lattice import Cell
from models.errors import NoSolutionError, ParameterError
from models.packings.pieces import Piece, Place, Rules, packing_of
from models.packings.sets import CALENDARS, read_pieces, read_placed
from models.puzzle import EMPTY, Puzzle, Region


def packing(
    board: Region = "3x3x3",
    pieces: str = "soma",
    grid: Literal["square", "hex", "triangle"] = "square",
    flip: bool = True,
    holes: int = 0,
    rotate: bool = True,
    mirror: bool = True,
) -> Puzzle:
    """Fill a board with pieces: squares, cubes, hexagons or triangles, each piece as often as one says.

    board: HxW, AxBxC for a box, a name (8x8-centre, hexagon-3, ...), or a drawing (#, ., letters of pieces) or its file
    pieces: sets such as soma or 'dominoes x* + pentominoes', letters of pentominoes, blocks such as 1x2x4, or a file
    grid: the shape of the cells.
    flip: let pieces be turned over in the plane; in a box they are turned and never mirrored.
    holes: the number of cells that stay empty.
    rotate: let pieces be turned; with --no-rotate they lie as they are drawn, and are not turned over either.
    mirror: count a solution and its mirror image as one; with --no-mirror they are two.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> puzzle = packing("8x8", "dominoes x*")
    >>> len(puzzle.key), len(puzzle.symmetries)
    (112, 7)
    """
    parameters: dict[str, object] = {"board": board, "pieces": pieces, "grid": grid, "flip": flip}
    parameters |= {"holes": holes, "rotate": rotate, "mirror": mirror}
    if holes < 0:
        raise ParameterError(f"{holes} holes cannot be left; give a number from 0")
    lattice = LATTICES[grid]
    board = lines_of(board)
    cells, placed = read_placed(board, lattice)  # placed: the cells of each letter
    dimensions = len(min(cells))
    if dimensions > 2 and not flip:
        raise ParameterError(f"{board} is a box, where every flat piece can be turned over; leave out flip=False")
    chosen = read_pieces(pieces, lattice, dimensions, flip and rotate)
    if holes:
        chosen.append(_hole(chosen, holes, dimensions))
    places = CALENDARS.get(board) or cells_by_name(board, cells, lattice)  # cells that have names
    rules = Rules(cells, chosen, flip and dimensions == 2, lattice, named_cells=places, rotate=rotate, reflects=mirror)
    rules = _with_pieces_on_board(rules, placed)
    _refuse_misfits(rules, board, holes)
    groups = [" and ".join(names) for names in rules.congruent_pieces()]
    note = "; ".join(f"{group} have the same shape and count as different" for group in groups)
    return packing_of("packing", parameters, rules, note=note)


def _with_pieces_on_board(rules: Rules, placed: Mapping[str, Cells]) -> Rules:
    """Return the rules that keep pieces where the board shows them; placed: the cells of each letter on the board."""
    piece_at = _pieces_on_board(placed, rules)
    if not piece_at:
        return rules
    places = [*dict.fromkeys(piece_at.values())]
    return rules._replace(allows=_placement_condition(piece_at), placed=places)


def _hole(pieces: Sequence[Piece], holes: int, dimensions: int) -> Piece:
    """Return the piece of one cell that represents the cells that stay empty.

    pieces: the others. holes: how many cells stay empty. dimensions: the dimensions of the board, 2 or 3. Raises
    ValueError if another piece has its name. It is used exactly as often as there are holes.
    """
    names = [piece.name for piece in pieces]
    if EMPTY in names:
        raise ParameterError(f"a piece is called {EMPTY}, which is the name of holes; choose another name")
    cell = (0,) * dimensions
    return Piece(EMPTY, frozenset([cell]), holes, holes)


def _pieces_on_board(placed: Mapping[str, Cells], rules: Rules) -> dict[Cell, tuple[str, Place]]:
    """Return the piece that the board shows in each cell, and its place; empty if the letters only mark the cells.

    Each connected part of a letter's cells is one copy of that piece, so that copies of one piece must not touch.

    placed: the cells of each letter on the board. rules: the board and the pieces that are allowed. Raises ValueError
    if a letter is no piece, or a part has another shape than the piece. `is_turned` says whether the cells are the
    shape of the piece, turned as it may be.
    """
    shapes = {piece.name: piece.shapes for piece in rules.pieces}
    if [*placed.values()] == [rules.board] and shapes.keys().isdisjoint(placed):
        return {}  # one letter, which no piece has, marks all cells
    piece_at: dict[Cell, tuple[str, Place]] = {}
    for name, cells_of_name in placed.items():
        if name not in shapes:
            raise ParameterError(
                f"the board shows {name}, which is not one of the pieces; choose from {', '.join(shapes)}"
            )
        for part in components(cells_of_name, rules.lattice):
            place = tuple(sorted(part))
            if not any(is_turned(shape, place, rules.mirror, rules.turning) for shape in shapes[name]):
                raise ParameterError(
                    f"the board shows {name} where it cannot lie: its {len(place)} cells have another shape"
                )
            piece_at |= dict.fromkeys(place, (name, place))
    return piece_at


def _placement_condition(piece_at: Mapping[Cell, tuple[str, Place]]) -> Callable[[str, Place], bool]:
    """Return the condition that keeps pieces where the board shows them.

    piece_at: the piece that covers a cell, and its place.
    """

    def is_allowed(name: str, place: Place) -> bool:
        piece = name, place
        return all(piece_at.get(cell, piece) == piece for cell in place)

    return is_allowed


def _misfit_of_fixed_pieces(name: str, area: int, use: int, holes: int) -> str:
    """Return the sentence that the pieces, each of which is used a fixed number of times, do not fill the board.

    name, area: those of the board. use: the number of cells that the pieces fill. holes: how many cells stay empty. The
    sentence advises another board or another number of holes.
    """
    # Fewer cells than the board has: more holes; exactly the area, but with holes: no holes.
    holes_that_fit = "no holes"
    if use != area:
        addition = "in all" if holes else "more"
        holes_that_fit = _holes_in_words(area - use, addition)
    filling = f"{use}"
    if holes:
        filling += f" beside {_holes_in_words(holes)}"
    advice = f"choose a board of {use + holes} cells"
    if use < area + bool(holes):
        advice += f", or {holes_that_fit}"
    return f"{name} has {area} cells, but the pieces fill {filling}; {advice}"


def _refuse_misfits(rules: Rules, board: str, holes: int) -> None:
    """Raise `NoSolutionError`, with a sentence, if the pieces cannot fill the board.

    They cannot if no choice of them has the area of the board or of a connected part of it, or if a piece that must be
    used fits nowhere. board: the text that named the board. holes: the number of cells that stay empty. `Rules.areas`
    returns the areas that sets of the pieces cover, as bits.
    """
    name = grid.name_of(board)
    # `Rules.misfit` counts the cells of pieces, and holes apart; a hole is no piece here.
    pieces = [piece for piece in rules.pieces if not holes or piece.name != EMPTY]
    rules_of_pieces = rules._replace(pieces=pieces)
    if misfit := rules_of_pieces.misfit(holes):
        if all(piece.least == piece.most and len(piece.sizes) == 1 for piece in pieces):
            use = sum(piece.least * len(piece.shape) for piece in pieces)
            misfit = _misfit_of_fixed_pieces(name, len(rules.board), use, holes)
        raise NoSolutionError(misfit)
    for part in grid.components(rules.board, rules.lattice):
        size = len(part)
        coverable = rules.areas(size, are_required=False)
        if coverable >> size & 1:  # this bit says whether so many cells can be covered
            continue
        first_cell = min(part)
        axes = ("layer", "row", "column")[-len(first_cell) :]
        ordinates = [f"{axis} {n + 1}" for axis, n in zip(axes, first_cell, strict=True)]
        first_cell_in_words = ", ".join(ordinates)
        verb = "is" if size == 1 else "are"
        cells = "1 cell" if size == 1 else f"{size} cells"
        raise NoSolutionError(
            f"no set of the pieces covers the {cells} of {name} that {verb} connected to {first_cell_in_words}"
        )
    for piece in rules.pieces:
        if not piece.least:
            continue
        places = (grid.placements(shape, rules.board, rules.mirror, rules.turning) for shape in piece.shapes)
        if not any(places):
            raise NoSolutionError(f"the piece {piece.name} fits nowhere on {name}")


def _holes_in_words(holes: int, more: str = "") -> str:
    """Return a number of holes in words, followed by ``more``."""
    words = "1 hole" if holes == 1 else f"{holes} holes"
    if more:
        words += f" {more}"
    return words
