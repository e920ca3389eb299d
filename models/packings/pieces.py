"""The rules of packing: pieces fill a board, each used as often as it may be."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import grid
from models.boards.grid import SQUARE, Cells
from models.boards.lattice import Cell, Lattice, Turn, identity_grid
from models.boards.rows import nonzero_positions, tally
from models.errors import ParameterError
from models.packings.sheets import sheets
from models.puzzle import EMPTY, Drawing, Packed, Packing, Puzzle, PuzzleBoard, Remarks, Solution, Symmetry, true_labels

Place = tuple[Cell, ...]
"""The cells that a piece covers, in order."""

Label = tuple[str, Place]
"""(name of a piece, its cells): the piece lies there."""

MAX_PLACEMENTS = 250_000
"""The most places of pieces in a model; solvers do not take more."""


class Piece(NamedTuple):
    """A piece, and the least and greatest number of times that it is used."""

    name: str
    shape: Cells
    least: int = 1
    most: int | None = 1
    """None if there is no limit."""
    others: tuple[Cells, ...] = ()
    """The other shapes that each copy may have instead, such as that of its back."""

    @property
    def shapes(self) -> tuple[Cells, ...]:
        """All shapes that a copy may have."""
        return self.shape, *self.others

    @property
    def sizes(self) -> list[int]:
        """The numbers of cells that a copy may cover, in order."""
        return sorted({len(shape) for shape in self.shapes})


class Rules(NamedTuple):
    """The rules of a packing: the board, the pieces, and how often each is used."""

    board: Cells
    pieces: Sequence[Piece]
    mirror: bool
    """Whether pieces may be mirrored; in the plane, to turn a piece over is to mirror it."""
    lattice: Lattice = SQUARE
    allows: Callable[[str, Place], bool] | None = None
    """A further condition on a piece and a place; None if there is none."""
    named_cells: Mapping[str, Cell] = MappingProxyType({})
    """The cells that have names, which are written on those that stay empty."""
    rotate: bool = True
    """Whether pieces may be turned; if not, they lie as they are drawn."""
    placed: Sequence[tuple[str, Place]] = ()
    """The pieces that the board shows; ``allows`` keeps them where they are."""
    reflects: bool = True
    """Whether a solution and its mirror image are one solution, where the set of pieces is its own mirror image."""

    @property
    def turning(self) -> Lattice:
        """The grid, with the turns that pieces may take."""
        return self.lattice if self.rotate else identity_grid(self.lattice)

    def placements(self, most: int = MAX_PLACEMENTS) -> list[Label]:
        """Return a label for each place of each piece on the board; raise ParameterError if they exceed ``most``.

        `grid.placements` turns and moves a shape in all ways that stay on the board. A piece with several shapes has a
        label once for each set of cells.
        """
        labels_found: list[Label] = []
        for piece in self.pieces:
            places: list[Place] = []
            for shape in piece.shapes:
                orientations_on_board = grid.placements(shape, self.board, self.mirror, self.turning)
                places += map(_in_order, orientations_on_board)
            labels = ((piece.name, place) for place in dict.fromkeys(places))
            labels_found += [label for label in labels if self.allows is None or self.allows(*label)]
            if len(labels_found) > most:
                raise ParameterError(f"the pieces can lie in more than {most} places; choose a smaller board")
        return labels_found

    def areas(self, largest: int, are_required: bool = True) -> int:
        """Return which areas sets of the pieces cover, as bits: bit n says whether n cells can be covered.

        largest: the number of the last bit; larger areas are cut off. are_required: whether the least number of uses of
        each piece counts; if false, a piece may be used less often.
        """
        all_bits = (1 << largest + 1) - 1
        coverable = 1
        for piece in self.pieces:
            size, *larger_sizes = piece.sizes
            # So many copies exceed the largest area, and their bits are cut off; so more need not be looked at.
            enough = largest // size + 1
            least = 0
            if are_required:
                least = min(piece.least, enough)
            most = enough
            if piece.most is not None:
                most = min(piece.most, enough)
            # A shift by n bits adds n cells to each area. First all copies that are required have the smallest size.
            coverable = coverable << size * least & all_bits
            # Each step uses its copies or none. Steps of 1, 2, 4, ... copies, the last one smaller, add up to every
            # number of further copies.
            further_copies = most - least
            step = 1
            while further_copies > 0:
                step = min(step, further_copies)
                coverable |= coverable << size * step & all_bits
                further_copies -= step
                step *= 2
            for larger_size in larger_sizes:  # each copy may have a larger size instead
                for _ in range(most):
                    with_larger = coverable << larger_size - size
                    coverable |= with_larger & all_bits
        return coverable

    def misfit(self, holes: int = 0) -> str:
        """Return a sentence if, by areas, no set of the pieces fills the board; "" if some set may.

        holes: the number of cells that stay empty.
        """
        board_area = len(self.board)
        area = board_area - holes  # the cells that pieces have to cover
        if area < 0:
            return f"{holes} holes are more than the {board_area} cells of the board"
        # Beyond the area, look as far as all pieces together can reach; more copies than cells need not be looked at.
        total = 0
        for piece in self.pieces:
            most = min(piece.most or board_area, board_area)
            copies = max(piece.least, most)
            total += copies * piece.sizes[-1]  # most copies of each
        areas = self.areas(area + total)  # bit n: n cells can be covered
        if areas >> area & 1:
            return ""
        coverable = [size for size in range(area + total + 1) if areas >> size & 1]
        nearest = [str(size) for size in _nearest_areas(coverable, area)]
        nearest_areas = " and ".join(nearest)
        cells = f"{area} cell{'s' * (area != 1)}"
        if holes:
            leave = "1 hole leaves" if holes == 1 else f"{holes} holes leave"
            return f"{leave} {cells}, which no set of the pieces covers; the nearest cover {nearest_areas}"
        return f"no set of the pieces covers {cells}; the nearest cover {nearest_areas}"

    def _may_lie(self, label: Label) -> bool:
        """Tell whether a piece may be in a place; label: (name of the piece, cells of the place).

        It may if one of its shapes, turned as it may be, has just these cells, and ``allows`` does not forbid it.
        """
        name, place = label
        if not self.board.issuperset(place):
            return False
        shapes = {piece.name: piece.shapes for piece in self.pieces}
        alike = [shape for shape in shapes.get(name, ()) if len(shape) == len(place)]
        if not any(grid.is_turned(shape, place, self.mirror, self.turning) for shape in alike):
            return False
        return self.allows is None or self.allows(name, place)

    def check(self) -> Callable[[Solution], bool]:
        """Return a function that says whether a solution obeys the rules, without the model.

        The cells of the board are the bits of a number.
        """
        bits = {cell: 1 << number for number, cell in enumerate(self.board)}

        @cache
        def cell_bits(label: Label) -> int:
            """Return the cells that a piece covers in its place, as a bitset; 0 if the piece may not lie there."""
            if not self._may_lie(label):
                return 0
            _, place = label
            return sum(bits[cell] for cell in place)

        def obeys_rules(solution: Solution) -> bool:
            """Tell whether the pieces cover each cell once, and each is used as often as it may be."""
            labels = true_labels(solution)
            free_bits = (1 << len(self.board)) - 1
            for label in labels:
                cells = cell_bits(label)
                if not cells or cells & ~free_bits:  # not allowed there, or on a cell that is covered
                    return False
                free_bits ^= cells
            if free_bits:
                return False
            times = Counter([name for name, _ in labels])
            # Without a limit (most is None), a piece is used at most as often as there are labels.
            return all(piece.least <= times[piece.name] <= (piece.most or len(labels)) for piece in self.pieces)

        return obeys_rules

    def check_rows(self, labels: Sequence[Label]) -> Callable[[Any], Any]:
        """Return a function that says which rows of an array are solutions, without the model.

        labels: the places that the columns represent; an entry is 1 if the piece lies there, else 0. The returned
        function takes an array with a row for each solution, and returns an array of truth values.
        """
        cells = {cell: number for number, cell in enumerate(self.board)}
        piece_numbers = {piece.name: number for number, piece in enumerate(self.pieces)}
        least = [piece.least for piece in self.pieces]
        most = [len(cells) if piece.most is None else piece.most for piece in self.pieces]

        @cache
        def label_arrays() -> tuple[Any, Any, Any]:
            """Return three arrays with an entry for each label: its cells, its piece, and whether it may lie there.

            Cells and pieces are numbers. Rows of fewer cells are filled up with a number that no cell has.
            """
            lengths = [len(place) for _, place in labels]
            no_cell = len(cells)
            covered = np.full((len(labels), max(lengths)), no_cell)
            for number, (_, place) in enumerate(labels):
                covered[number, : len(place)] = [cells[cell] for cell in place]
            piece = np.array([piece_numbers[name] for name, _ in labels])
            are_allowed = np.array([*map(self._may_lie, labels)])
            return covered, piece, are_allowed

        def obey_rules(rows: Any) -> Any:
            """Return for each row whether it is a solution; see `check`."""
            covered, piece, may_lie = label_arrays()
            # For each entry 1: its row and its label. `tally` counts, for each row, how often each number occurs in it;
            # the last number of cells is no cell.
            row, label = nonzero_positions(rows)
            cell_count = len(cells)
            times_covered = tally(row, covered[label], len(rows), cell_count + 1)[:, :cell_count]
            times_used = tally(row, piece[label], len(rows), len(piece_numbers))
            are_covered_once = (times_covered == 1).all(axis=1)
            are_within_bounds = (least <= times_used) & (times_used <= most)
            are_used_right = are_within_bounds.all(axis=1)
            are_misplaced = rows[:, ~may_lie].any(axis=1)
            return are_covered_once & are_used_right & ~are_misplaced

        return obey_rules

    def symmetries(self, labels: Mapping[Label, IntVar]) -> list[Symmetry]:
        """Return the turns of the board, without the identity, that map places of pieces to places.

        A turn is left out if it maps a piece to none of the pieces, or to one that is used more or less often. labels:
        the labels of the model. A symmetry maps a literal (label, value), where the label is (name of a piece, cells).
        `_Places` maps a place to its image under the turn.
        """
        symmetries_found: list[Symmetry] = []
        for turn in grid.symmetries(self.board, self.reflects, self.lattice)[1:]:
            names = self._names_after_turn(turn)
            if names is None:
                continue
            # The partial takes (label, value) and returns the image of this literal.
            images = _Places({cell: turn(cell) for cell in self.board})
            symmetry = partial(_image_of_literal, images, names)
            # A condition on places may forbid images of places that it allows.
            if self.allows is None or all(symmetry(label, 1)[0] in labels for label in labels):
                symmetries_found.append(symmetry)
        return symmetries_found

    def _names_after_turn(self, turn: Turn) -> dict[str, str] | None:
        """Return, for each piece, the name of the piece that a turn makes of it.

        The result is None if the set of pieces changes. `names_after_change` compares the forms of the pieces with
        those of their images; pieces with equal forms are alike.
        """

        def image(piece: Piece) -> frozenset[Cells]:
            shapes = map(self._add_dimensions, piece.shapes)
            images = [frozenset(map(turn, shape)) for shape in shapes]
            return frozenset(map(self._form, images))

        return names_after_change(self.pieces, self._forms, image)

    def packing(self) -> Packing | None:
        """Return what is left to pack as a `Packing`: the board and the pieces, without those that are placed.

        The result is None if pieces may not be turned in all ways, or have several shapes, as a `Packing` cannot say
        so. Conditions in ``allows`` that go beyond the pieces that are placed are not looked at.
        """
        is_flat = len(min(self.board)) == 2
        if not self.rotate or (not self.mirror and is_flat):
            return None
        if any(piece.others for piece in self.pieces):
            return None
        placed_copies = Counter(name for name, _ in self.placed)
        pieces = []
        for piece in self.pieces:
            placed = placed_copies[piece.name]
            most = piece.most
            if most is not None:
                most -= placed
            least = max(0, piece.least - placed)
            if most != 0:
                cells = dict.fromkeys(piece.shape, "")
                pieces.append(Packed(piece.name, cells, least, most))
        placed_cells = [place for _, place in self.placed]
        return Packing(self.board.difference(*placed_cells), pieces)

    def congruent_pieces(self) -> list[list[str]]:
        """Return groups of names of pieces that have the same shape; only groups of at least two."""
        return names_of_equals(self.pieces, self._forms)

    def _add_dimensions(self, shape: Cells) -> Cells:
        """Return the shape of a piece with as many coordinates as the board has."""
        missing = len(min(self.board)) - len(min(shape))
        lift = (0,) * missing
        return frozenset(lift + cell for cell in shape)

    def _forms(self, piece: Piece) -> frozenset[Cells]:
        """Return the form of each shape of a piece; equal for pieces that are alike."""
        return frozenset(map(self._form, piece.shapes))

    def _form(self, shape: Cells) -> Cells:
        """Return the least of the ways in which a shape can be turned; it is equal for shapes that are alike."""
        shape_on_board = self._add_dimensions(shape)
        return grid.orientations(shape_on_board, self.mirror, self.turning)[0]


def _nearest_areas(areas: Sequence[int], area: int) -> list[int]:
    """Return those of some ascending areas that are nearest to an area, below and above; area: is none of them."""
    below = [size for size in areas if size < area]
    above = [size for size in areas if size > area]
    return below[-1:] + above[:1]


def packing_of(name: str, parameters: Mapping[str, object], rules: Rules, unsolved: str = "", note: str = "") -> Puzzle:
    """Return the puzzle with these rules.

    The other arguments are the fields of `Puzzle` with the same names. Raises ValueError if there are too many places.
    The key has a variable for each place of each piece, true iff the piece lies there. An exact cover: each cell is
    covered once.
    """
    model = CpModel()
    lies = {label: model.new_bool_var(f"{label[0]} at {label[1]}") for label in rules.placements()}
    copies: dict[str, list[IntVar]] = {piece.name: [] for piece in rules.pieces}
    covering: dict[Cell, list[IntVar]] = {cell: [] for cell in sorted(rules.board)}
    for (piece, place), variable in lies.items():
        copies[piece].append(variable)
        for cell in place:
            covering[cell].append(variable)
    # Each piece is in as many places as it is used; one that may be used as often as one likes is not counted.
    for rule in rules.pieces:
        add_use(model, copies[rule.name], rule.least, rule.most)
    # Each cell is covered by one piece.
    for variables in covering.values():
        model.add_exactly_one(variables)

    drawn_pieces = []
    for rule in rules.pieces:
        drawn_pieces += [(rule.name, shape, rule.least, rule.most) for shape in rule.shapes]

    def fits(area: int) -> bool:
        return bool(rules.areas(area) >> area & 1)  # bit n of the areas: n cells can be covered

    lattice = None if rules.lattice is SQUARE else rules.lattice
    packing = None
    if rules.allows is None or rules.placed:
        packing = rules.packing()
    are_solutions = None
    if lies:
        are_solutions = rules.check_rows([*lies])
    return Puzzle(
        name,
        parameters,
        model,
        lies,
        symmetries=rules.symmetries(lies),
        is_solution=rules.check(),
        are_solutions=are_solutions,
        draw=partial(_draw, rules),
        fills=_fills,
        board=PuzzleBoard(lattice, rules.named_cells, fits, packing),
        remarks=Remarks(unsolved=unsolved, note=note),
        sheets=partial(sheets, rules.board, drawn_pieces, rules.lattice, rules.named_cells, rules.placed),
    )


def add_use(model: CpModel, copies: Sequence[IntVar], least: int, most: int | None) -> None:
    """Add to a model that a piece is used ``least`` to ``most`` times (None: no limit).

    copies: the variables of its places.
    """
    if (least, most) == (1, 1):
        model.add_exactly_one(copies)
    elif (least, most) == (0, 1):
        model.add_at_most_one(copies)
    elif most is not None:
        model.add_linear_constraint(sum(copies), least, most)
    elif least:
        model.add(sum(copies) >= least)


class Used(Protocol):
    """A piece or a tile, with the least and greatest number of times that it is used."""

    @property
    def name(self) -> str:
        """The name of the piece."""

    @property
    def least(self) -> int:
        """The least number of times that it is used."""

    @property
    def most(self) -> int | None:
        """The greatest number of times that it is used; None if there is no limit."""


AnyPiece = TypeVar("AnyPiece", bound=Used)


def _in_order(cells: Iterable[Cell]) -> Place:
    """Return the cells of a place as a label has them."""
    return tuple(sorted(cells))


def names_after_change(
    pieces: Sequence[AnyPiece], form: Callable[[AnyPiece], Hashable], image: Callable[[AnyPiece], Hashable]
) -> dict[str, str] | None:
    """Return, for each piece, the name of the piece that a change makes of it.

    The result is None if the change makes another set of pieces. form: returns equal values for pieces that are alike.
    image: returns the form of the piece after the change.
    """
    pieces_by_form: dict[Hashable, list[AnyPiece]] = defaultdict(list)
    for piece in pieces:
        pieces_by_form[form(piece)].append(piece)
    names: dict[str, str] = {}
    for members in pieces_by_form.values():
        # Pieces of one form may take any of each other's names, but a piece gets that of one which is used as often.
        image_members = pieces_by_form.get(image(members[0]), [])  # all members have the same image
        before = sorted(members, key=_piece_bounds)
        after = sorted(image_members, key=_piece_bounds)
        bounds_before = list(map(_piece_bounds, before))
        bounds_after = list(map(_piece_bounds, after))
        if bounds_before != bounds_after:
            return None
        for piece, image_piece in zip(before, after, strict=True):
            names[piece.name] = image_piece.name
    return names


def names_of_equals(pieces: Sequence[AnyPiece], form: Callable[[AnyPiece], Hashable]) -> list[list[str]]:
    """Return groups of names of pieces for which ``form`` returns equal values; only groups of at least two."""
    names: dict[Hashable, list[str]] = defaultdict(list)
    for piece in pieces:
        names[form(piece)].append(piece.name)
    return [group for group in names.values() if len(group) > 1]


def _piece_bounds(piece: Used) -> tuple[int, float]:
    """Return (least, most) of a piece as numbers that can be compared."""
    most = float("inf") if piece.most is None else piece.most
    return piece.least, most


class _Places(dict[Place, Place]):
    """The images of places under a turn of the board, each of which is made when it is asked for."""

    def __init__(self, of_cell: Mapping[Cell, Cell]) -> None:
        """Begin without a place; of_cell: the image of each cell."""
        super().__init__()
        self._of_cell = of_cell

    def __missing__(self, place: Place) -> Place:
        """Return the image of a place, its cells in order."""
        image = _in_order(self._of_cell[cell] for cell in place)
        self[place] = image
        return image


def _image_of_literal(
    image_of: Mapping[Place, Place], names: Mapping[str, str], label: Label, value: int
) -> tuple[object, int]:
    """Return the literal (label, value) to which a turn of the board maps a literal; the value stays.

    image_of: the image of each place. names: for each piece, the name of its image, which differs for some mirror
    images. label: (name of a piece, its cells).
    """
    name, place = label
    return (names[name], image_of[place]), value


def _fills(label: Label, lying: int) -> Label:
    """Return the name of the piece and the cells that a literal fills, which are its label.

    lying: the literal's value, which is not used.
    """
    return label


def _draw(rules: Rules, solution: Solution) -> Drawing:
    """Draw a solution, a frame for each layer of the board.

    solution: 0 or 1 by (name of a piece, cells). Cells that stay empty are the places of the piece `EMPTY`; their names
    are written on them, if they have any.
    """
    places_of_piece: dict[str, list[Place]] = {piece.name: [] for piece in rules.pieces}
    for (name, place), is_there in solution.items():
        if is_there:
            places_of_piece[name].append(place)
    # A piece that is not used is drawn nowhere, but keeps its colour.
    tiles: list[tuple[str, Place]] = []
    for name, places in places_of_piece.items():
        if name == EMPTY:
            continue
        tiles += [(name, place) for place in sorted(places) or [()]]
    width = max(map(len, places_of_piece))
    frames = grid.tiling(tiles, rules.lattice, width, rules.board)
    empty = {cell for place in places_of_piece.get(EMPTY, []) for cell in place}
    return grid.with_names(frames, rules.named_cells, empty, rules.lattice)
