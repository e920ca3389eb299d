"""Coloured packing.

Pieces with a colour for each cell fill a board by its pattern, or by how neighbours agree.

With dominoes and a board of numbers it is Dominosa (O. S. Adler, 1874). A board without colours, and pieces like parts
of a chessboard whose neighbours have to differ, is Tenyo's Checker Puzzle of `models.checker`.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, combinations_with_replacement
from string import ascii_uppercase, digits
from typing import Literal, NamedTuple

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import grid
from models.boards.colours import colour_classes
from models.boards.grid import LATTICES, SQUARE, Cells, cells_by_name
from models.boards.lattice import Cell, Lattice, Turn, identity_grid
from models.errors import ParameterError
from models.packings.pieces import MAX_PLACEMENTS, Place, add_use, names_after_change
from models.packings.sets import read_blocks, read_board, refuse_shape, use_of
from models.puzzle import (
    EMPTY,
    Board,
    Drawing,
    Frame,
    Given,
    Packed,
    Packing,
    Puzzle,
    PuzzleBoard,
    Shape,
    Solution,
    Symmetry,
    true_labels,
)

Colours = Mapping[Cell, str]
"""The colour of each cell, a character."""

Coloured = frozenset[tuple[Cell, str]]
"""Cells with their colours."""

Label = tuple[str, Place, str]
"""(piece, its cells in order, the colour of each of these cells): the piece lies there."""

ANY = "#"
"""The mark of a cell of the board that takes every colour."""

DOMINOES = re.compile(r"dominoes-(?P<most>[0-9]{1,2})(\s+x(?P<count>\S*))?")
NUMBERS = digits + ascii_uppercase
"""The characters of the numbers on dominoes: A is 10, B is 11, and so on."""


class ColouredPiece(NamedTuple):
    """A piece with the colour of each cell, and the least and greatest number of times that it is used."""

    name: str
    colours: Colours
    least: int = 1
    most: int | None = 1
    """None if there is no limit."""


class ColouredRules(NamedTuple):
    """The rules of a coloured packing.

    They are the board with its pattern, the pieces, whether these are mirrored, and what neighbours must do.
    """

    pattern: Colours
    pieces: Sequence[ColouredPiece]
    mirror: bool
    lattice: Lattice
    neighbours: str
    """Cells of different pieces that touch have any, the same or different colours."""
    pairs: Collection[tuple[str, str]] | None = None
    """Which colours of pieces may be on which marks of the board; None: on the same, and all on ANY."""
    rotate: bool = True
    """Whether pieces may be turned; if not, they lie as they are drawn."""
    reflects: bool = True
    """Whether a solution and its mirror image are one solution, where the set of pieces is its own mirror image."""

    def fits(self, colour: str, other: str) -> bool:
        """Tell whether a cell of a piece may be on a cell of the board.

        colour: the colour of the piece's cell. other: the mark of the board's cell.
        """
        if self.pairs is None:
            return other in (ANY, colour)
        return (colour, other) in self.pairs

    @property
    def colours(self) -> list[str]:
        """The colours of all pieces and of the board, sorted; ANY is last if a piece has it."""
        pieces = {colour for piece in self.pieces for colour in piece.colours.values()}
        named = sorted(pieces.union(self.pattern.values()) - {ANY})
        if ANY in pieces:
            named.append(ANY)
        return named

    def labels(self) -> list[Label]:
        """Return a label (piece, cells in order, their colours) for each way in which a piece can be on the board.

        Raises ValueError if there are too many.
        """
        labels_found = []
        for piece in self.pieces:
            # The cells of the piece, turned; two ways to turn it may have the same cells with other colours.
            orientations = [dict(turned) for turned in self.orientations(piece)]
            shapes = {frozenset(colour_by_cell) for colour_by_cell in orientations}
            # The colourings of each shape that the piece has when it is turned: the colour of each cell.
            colourings: dict[Cells, list[dict[Cell, str]]] = {shape: [] for shape in shapes}
            for colour_by_cell in orientations:
                colourings[frozenset(colour_by_cell)].append(colour_by_cell)
            for shape in sorted(shapes, key=sorted):
                # To move a shape keeps the order of its cells.
                colours_of_shape = []
                for colour_by_cell in colourings[shape]:
                    colours_of_shape.append([colour for _, colour in sorted(colour_by_cell.items())])
                for place in grid.moves(shape, frozenset(self.pattern), self.lattice):
                    cells = tuple(sorted(place))
                    marks = [self.pattern[cell] for cell in cells]
                    for colours in colours_of_shape:
                        if all(map(self.fits, colours, marks)):
                            labels_found.append((piece.name, cells, "".join(colours)))
            if len(labels_found) > MAX_PLACEMENTS:
                raise ParameterError(f"the pieces can lie in more than {MAX_PLACEMENTS} ways; choose a smaller board")
        return sorted(labels_found)

    def orientations(self, piece: ColouredPiece) -> list[Coloured]:
        """Return the ways in which a piece can be turned, sorted; each is a set of (cell, colour), moved to the corner.

        If pieces may not be turned, the only way is that in which the piece is drawn; `identity_grid` is the lattice
        without other turns.
        """
        turning = self.lattice if self.rotate else identity_grid(self.lattice)
        coloured = frozenset(piece.colours.items())
        dimensions = len(next(iter(self.pattern)))
        return orientations_of_cells(coloured, dimensions, self.mirror, turning)

    def symmetries(self) -> list[Symmetry]:
        """Return the symmetries of the puzzle: turns of the board, and exchanges of two colours.

        Those that change the pattern of the board or the set of pieces are left out. `names_after_change` returns, for
        each piece, the name of the piece that has the form of its image, or None if the set of pieces changes. Colours
        on the board are not exchanged.
        """
        symmetries_found: list[Symmetry] = []
        cells = frozenset(self.pattern)
        dimensions = len(next(iter(self.pattern)))

        def form(piece: ColouredPiece) -> Coloured:
            """Return the least way in which a piece can lie; equal for pieces that are alike."""
            return self.orientations(piece)[0]

        for turn in grid.symmetries(cells, self.reflects, self.lattice)[1:]:
            image = {cell: turn(cell) for cell in cells}
            if any(self.pattern[image[cell]] != colour for cell, colour in self.pattern.items()):
                continue

            def form_after_turn(piece: ColouredPiece, turn: Turn = turn) -> Coloured:
                missing = dimensions - len(next(iter(piece.colours)))
                lift = (0,) * missing
                colours = {turn(lift + cell): c for cell, c in piece.colours.items()}
                return form(piece._replace(colours=colours))

            names = names_after_change(self.pieces, form, form_after_turn)
            if names is not None:
                symmetries_found.append(partial(_image_under_turn, image, names))
        exchangeable = set(self.colours) - set(self.pattern.values())
        for colour_a, colour_b in combinations(sorted(exchangeable), 2):
            change = {colour_a: colour_b, colour_b: colour_a}
            # Which colours may be on which marks must not change either.
            pairs = self.pairs or ()
            if any((change.get(colour, colour), mark) not in pairs for colour, mark in pairs):
                continue

            def form_after_exchange(piece: ColouredPiece, change: Mapping[str, str] = change) -> Coloured:
                colours = {cell: change.get(c, c) for cell, c in piece.colours.items()}
                return form(piece._replace(colours=colours))

            names = names_after_change(self.pieces, form, form_after_exchange)
            if names is not None:
                symmetries_found.append(partial(_image_under_exchange, change, names))
        return symmetries_found

    def check(self) -> Callable[[Solution], bool]:
        """Return a function that says whether a solution obeys the rules, without the model."""
        pieces = {piece.name: piece for piece in self.pieces}
        # Whether touching cells of different pieces may have the same colour (True), and different ones (False).
        may_be_equal = {"any": {True, False}, "same": {True}, "different": {False}}[self.neighbours]
        board_neighbours = {}
        for cell in self.pattern:
            neighbours = self.lattice.neighbours(cell)
            board_neighbours[cell] = [near for near in neighbours if near in self.pattern]

        @cache
        def cell_colours(label: Label) -> dict[Cell, str]:
            """Return the colours of the cells of a piece in its place; empty if it may not lie there so.

            `orientations` returns the ways to turn the piece, moved to the corner as `_normalise` moves cells.
            """
            name, place, colours = label
            colour_by_cell = dict(zip(place, colours, strict=True))
            if name not in pieces or not colour_by_cell.keys() <= self.pattern.keys():
                return {}
            turned = _normalise(frozenset(colour_by_cell.items()), self.lattice)
            if turned not in self.orientations(pieces[name]):
                return {}
            if not all(self.fits(colour, self.pattern[cell]) for cell, colour in colour_by_cell.items()):
                return {}
            return colour_by_cell

        def are_neighbours_right(labels: Sequence[Label]) -> bool:
            """Tell whether touching cells of different pieces have colours as the rules say.

            labels: those of the pieces, which cover each cell once. A piece is the number of its label here.
            """
            number_and_colour = {}
            for number, label in enumerate(labels):
                for cell, colour in cell_colours(label).items():
                    number_and_colour[cell] = number, colour
            for cell, (number, colour) in number_and_colour.items():
                for neighbour in board_neighbours[cell]:
                    other_number, other_colour = number_and_colour[neighbour]
                    if other_number != number and (colour == other_colour) not in may_be_equal:
                        return False
            return True

        def obeys_rules(solution: Solution) -> bool:
            """Tell whether the pieces cover each cell once, and uses and touching colours are as the rules say."""
            labels = true_labels(solution)
            covered: set[Cell] = set()
            for label in labels:
                colour_by_cell = cell_colours(label)
                if not colour_by_cell or not covered.isdisjoint(colour_by_cell):
                    return False
                covered.update(colour_by_cell)
            times = Counter([name for name, _, _ in labels])
            if covered != self.pattern.keys():
                return False
            if not all(piece.least <= times[piece.name] <= (piece.most or len(labels)) for piece in self.pieces):
                return False
            return self.neighbours == "any" or are_neighbours_right(labels)

        return obeys_rules


def coloured_packing(
    board: str = "12201\n33023\n11020\n03321",
    pieces: str = "dominoes-3",
    grid: Literal["square", "hex", "triangle"] = "square",
    neighbours: Literal["any", "same", "different"] = "any",
    flip: bool = True,
    rotate: bool = True,
    mirror: bool = True,
) -> Puzzle:
    """Fill a board with pieces whose cells carry colours; each lies where its colours are those of the board.

    board: a drawing with the colour of each cell (# for any) or its file, or a board without colours such as 8x8
    pieces: dominoes-N, with the numbers 0 to N (A is 10), or a file as for packing, with a colour in place of each #
    grid: the shape of the cells.
    neighbours: touching cells of different pieces have any, the same, or different colours.
    flip: let pieces be turned over in the plane; in a box they are turned and never mirrored.
    rotate: let pieces be turned; with --no-rotate they lie as they are drawn, and are not turned over either.
    mirror: count a solution and its mirror image as one; with --no-mirror they are two.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> puzzle = coloured_packing()
    >>> len(puzzle.key), len(puzzle.symmetries)
    (31, 0)
    """
    parameters: dict[str, object] = {"board": board, "pieces": pieces, "grid": grid, "neighbours": neighbours}
    parameters |= {"flip": flip, "rotate": rotate, "mirror": mirror}
    lattice = LATTICES[grid]
    # The mark of each cell of the board: a colour, or # for any.
    pattern = read_pattern(board, lattice)
    is_flat = len(next(iter(pattern))) == 2
    dimensions = 2 if is_flat else 3
    chosen = read_coloured(pieces, lattice, dimensions)
    # In a box pieces are turned, and never mirrored.
    rules = ColouredRules(pattern, chosen, flip and is_flat, lattice, neighbours, rotate=rotate, reflects=mirror)
    puzzle = puzzle_of_coloured_rules("coloured-packing", parameters, rules)
    names = cells_by_name(board, pattern, lattice)
    return replace(puzzle, board=puzzle.board._replace(places=names))


def puzzle_of_coloured_rules(name: str, parameters: Mapping[str, object], rules: ColouredRules) -> Puzzle:
    """Return the puzzle with these rules.

    name, parameters: the name and parameters of the Puzzle. Raises ValueError if the pieces cannot have the board's
    area, or if there are too many places.
    """
    _refuse_area(rules)
    model, lies = _model(rules)
    # A `Packing` says nothing of neighbours, and lets pieces be turned in all ways; in space, without mirroring them.
    is_solid = len(next(iter(rules.pattern))) > 2
    may_turn = rules.rotate and (rules.mirror or is_solid)
    packing = None
    if rules.neighbours == "any" and may_turn:
        packed_pieces = [Packed(*piece) for piece in rules.pieces]
        packing = Packing(rules.pattern.keys(), packed_pieces)
    lattice = None if rules.lattice is SQUARE else rules.lattice
    return Puzzle(
        name,
        parameters,
        model,
        lies,
        symmetries=rules.symmetries(),
        is_solution=rules.check(),
        draw=partial(_draw, rules),
        fills=_fills,
        board=PuzzleBoard(lattice, packing=packing),
        sheets=partial(_sheets, rules),
    )


def _model(rules: ColouredRules) -> tuple[CpModel, dict[Label, IntVar]]:
    """Return the model and, by label, the Boolean variable that is true iff the piece lies there.

    A label is (name of the piece, cells, their colours).
    """
    model = CpModel()
    lies = {label: model.new_bool_var(" ".join(map(str, label))) for label in rules.labels()}
    uses: dict[str, list[IntVar]] = defaultdict(list)
    covering: dict[Cell, list[IntVar]] = defaultdict(list)
    for (name, place, _), variable in lies.items():
        uses[name].append(variable)
        for cell in place:
            covering[cell].append(variable)
    # Each piece is used as often as it has to be.
    for piece in rules.pieces:
        add_use(model, uses[piece.name], piece.least, piece.most)
    # Each cell is covered by one piece.
    for cell in sorted(rules.pattern):
        model.add_exactly_one(covering[cell])
    if rules.neighbours != "any":
        _add_neighbours(model, rules, lies)
    return model, lies


def _add_neighbours(model: CpModel, rules: ColouredRules, lies: Mapping[Label, IntVar]) -> None:
    """Add to a model the rule on touching cells of different pieces.

    They have the same colour, or different ones, as the rules say. lies: the variable of each label (piece, cells,
    colours). Each cell is covered by one piece, so that of the labels on one cell exactly one is true.
    """
    # The variables of the labels that show a colour in a cell: by cell, colour and label.
    showing: dict[Cell, dict[str, dict[Label, IntVar]]] = defaultdict(lambda: defaultdict(dict))
    for label, variable in lies.items():
        _, place, colours = label
        for cell, colour in zip(place, colours, strict=True):
            showing[cell][colour][label] = variable
    must_differ = rules.neighbours == "different"
    for cell in sorted(rules.pattern):
        for neighbour in rules.lattice.neighbours(cell):
            if neighbour not in rules.pattern:
                continue
            # That colours differ is the same for (cell, neighbour) and (neighbour, cell), and is said once.
            if must_differ and neighbour < cell:
                continue
            # By colour, the variables of pieces that cover one of the two cells only; then those that cover both.
            here = showing[cell]
            there = showing[neighbour]
            only_here = {colour: _variables_off_cell(by_label, neighbour) for colour, by_label in here.items()}
            only_there = {colour: _variables_off_cell(by_label, cell) for colour, by_label in there.items()}
            covering_both: list[IntVar] = []
            for by_label in here.values():
                covering_both += [variable for label, variable in by_label.items() if neighbour in label[1]]
            # Each cell is covered once: by a piece that covers this cell only, one that covers the other only, or both.
            for colour in sorted({*only_here, *only_there}):
                colour_here = only_here.get(colour, [])
                if must_differ:
                    # At most one of the two cells has the colour, unless they belong to one piece.
                    colour_there = only_there.get(colour, [])
                    model.add_at_most_one(colour_here + colour_there)
                    continue
                # Either this cell has the colour, or the other one has another, or they belong to one piece.
                other_colour_there: list[IntVar] = []
                for colour_of_other, variables_of_colour in only_there.items():
                    if colour_of_other != colour:
                        other_colour_there += variables_of_colour
                model.add_exactly_one(colour_here + other_colour_there + covering_both)


def _variables_off_cell(by_label: Mapping[Label, IntVar], cell: Cell) -> list[IntVar]:
    """Return the variables of those labels whose piece does not cover the cell.

    by_label: a variable by label, (name of the piece, cells, their colours).
    """
    return [lying for label, lying in by_label.items() if cell not in label[1]]


def _refuse_area(rules: ColouredRules) -> None:
    """Raise ValueError, with a sentence, if the pieces have too few or too many cells for the board.

    A piece without a limit can fill the board; so its copies are counted up to the number of cells.
    """
    area = len(rules.pattern)
    least = sum(piece.least * len(piece.colours) for piece in rules.pieces)
    most = 0
    for piece in rules.pieces:
        copies = area if piece.most is None else piece.most
        most += copies * len(piece.colours)
    if not least <= area <= most:
        number = f"{least} to {most}"
        if least == most:
            number = f"{least}"
        raise ParameterError(f"the board has {area} cells, but the pieces fill {number}")


def read_pattern(text: str, lattice: Lattice) -> dict[Cell, str]:
    r"""Return the mark of each cell of a board, which is a colour or ANY.

    text: the name of a board (then all marks are ANY), a drawing, or the path of one. Raises ValueError if the text is
    none of these.

    >>> read_pattern("1#\n", SQUARE), len(read_pattern("2x3", SQUARE))
    ({(0, 0): '1', (0, 1): '#'}, 6)
    """
    is_drawing = "\n" in text
    if not is_drawing and not os.path.exists(text):
        cells_of_board = read_board(text, lattice)
        return dict.fromkeys(sorted(cells_of_board), ANY)
    drawing = text
    if not is_drawing:
        wanted = "a board nor a file to be read; give HxW, or the path"
        drawing = grid.text_of(text, wanted, "with the colour of each cell")
    cells, _ = grid.split_names(drawing, lattice)
    return grid.read_marks(_without_numbers(cells), grid.name_of(text), lattice)


def _without_numbers(drawing: str) -> str:
    """Return a drawing in which each number above 9 is one character, if it is made of numbers divided by blanks.

    A drawing of other words, or without a number of two digits, stays as it is.
    """
    rows = [row.split() for row in drawing.splitlines()]
    words = [word for row in rows for word in row]
    # A single word in each row is a row of one-digit cells.
    if len(words) == len(rows) or not all(map(_is_number_or_any, words)):
        return drawing
    if max(map(len, words), default=0) != 2:
        return drawing
    lines = []
    for row in rows:
        lines.append("".join(word if word == ANY else NUMBERS[int(word)] for word in row))
    return "\n".join(lines)


def _is_number_or_any(word: str) -> bool:
    """Tell whether a word is the number of a domino, or marks a cell of any colour."""
    if word == ANY:
        return True
    return word.isdecimal() and int(word) < len(NUMBERS)


def read_coloured(text: str, lattice: Lattice, dimensions: int) -> list[ColouredPiece]:
    r"""Return the pieces that a text names or draws, or the file with this path.

    dimensions: the dimensions of the board, 2 or 3. Raises ValueError, with a sentence, if the text cannot be read.
    lattice: the kind of the cells. A file has blocks: a line with a name and uses, then rows with a colour for each
    cell.

    >>> [piece.name for piece in read_coloured("dominoes-1", SQUARE, 2)]
    ['00', '01', '11']
    >>> read_coloured("A x2\nab\n.b", SQUARE, 2)[0].most
    2
    """
    match = DOMINOES.fullmatch(text)
    if match:
        least, most = use_of(match["count"] or "1", text)
        largest = int(match["most"])
        if largest >= len(NUMBERS):
            raise ParameterError(f"{text}: dominoes have at most the number {len(NUMBERS) - 1}")
        # dominoes-N: all pairs of the numbers from 0 to N.
        pairs = combinations_with_replacement(NUMBERS[: largest + 1], 2)
        cell_a = (0, 0)
        cell_b = lattice.neighbours(cell_a)[-1]
        return [ColouredPiece(a + b, {cell_a: a, cell_b: b}, least, most) for a, b in pairs]
    file = "the drawing of pieces"
    if "\n" not in text:
        file = repr(text)
        wanted = "a set such as dominoes-3 nor a file to be read; give dominoes-N, or the path"
        text = grid.text_of(text, wanted, "that draws pieces with a colour for each cell")
    pieces = []
    for block in read_blocks(text, file):
        colours = grid.read_marks(block.drawing, file, lattice, block.first)
        refuse_shape(frozenset(colours), block, lattice, dimensions)
        pieces.append(ColouredPiece(block.name, colours, block.least, block.most))
    return pieces


@cache
def orientations_of_cells(coloured: Coloured, dimensions: int, mirror: bool, lattice: Lattice) -> list[Coloured]:
    """Return the different ways to turn coloured cells, each moved to the corner, sorted.

    They are reflected, too, if ``mirror``. coloured: (cell, colour) pairs. dimensions: the dimensions of the board;
    cells of a flat piece are lifted to it.

    >>> len(orientations_of_cells(frozenset({((0, 0), "a"), ((0, 1), "b")}), 2, False, SQUARE))
    4
    """
    first_cell, _ = next(iter(coloured))
    missing = dimensions - len(first_cell)
    lift = (0,) * missing
    orientations = set()
    for turn in lattice.turns(dimensions, mirror):
        turned = frozenset((turn(lift + cell), colour) for cell, colour in coloured)
        orientations.add(_normalise(turned, lattice))
    return sorted(orientations, key=sorted)


def _normalise(coloured: Coloured, lattice: Lattice) -> Coloured:
    """Return the (cell, colour) pairs moved to the corner, as `grid.normalise` moves cells."""
    cells = [cell for cell, _ in coloured]
    # A shift keeps the order of cells, so the least cell goes to the least one.
    least = min(grid.normalise(cells, lattice))
    shift = [new - old for new, old in zip(least, min(cells), strict=True)]
    moved = []
    for cell, colour in coloured:
        ordinates = map(sum, zip(cell, shift, strict=True))
        moved.append((tuple(ordinates), colour))
    return frozenset(moved)


def _image_under_turn(
    image: Mapping[Cell, Cell], names: Mapping[str, str], label: Label, value: int
) -> tuple[object, int]:
    """Return the literal (label, value) to which a turn of the board maps a literal; the value stays.

    image: the image of each cell; names: for each piece, the name of its image, which differs for some mirror images.
    label: (name of the piece, cells in order, the colour of each).
    """
    name, place, colours = label
    cells_and_colours = sorted((image[cell], colour) for cell, colour in zip(place, colours, strict=True))
    cells = tuple(cell for cell, _ in cells_and_colours)
    colours_after = "".join(colour for _, colour in cells_and_colours)
    return (names[name], cells, colours_after), value


def _image_under_exchange(
    change: Mapping[str, str], names: Mapping[str, str], label: Label, value: int
) -> tuple[object, int]:
    """Return the literal (label, value) to which an exchange of two colours on all pieces maps a literal.

    change: maps each of the two colours to the other; names: for each piece, the name of its image. The value stays.
    label: (name of the piece, cells in order, the colour of each).
    """
    name, place, colours = label
    colours_after = "".join(change.get(colour, colour) for colour in colours)
    return (names[name], place, colours_after), value


def _fills(label: Label, lying: int) -> tuple[str, Place]:
    """Return the name of the piece and the cells that a literal fills.

    label: the literal's label, which has both. lying: the literal's value, which is not used.
    """
    name, place, _ = label
    return name, place


def _sheets(rules: ColouredRules, given: Given, solutions: Sequence[Solution]) -> list[Drawing]:
    """Return the drawings to print: the board with what is given and the other pieces, then each solution.

    Each piece that is not used up is a drawing of its own, with how many copies are left (* for any number) in its
    caption. given: what is known, by label.
    """
    given_copies = Counter(name for name, *_ in true_labels(given.values))
    initial_drawing = []
    for frame in _draw(rules, given.values):
        caption = frame.caption or "board"
        initial_drawing.append(frame._replace(caption=caption))
    for piece in rules.pieces:
        copies_left = None if piece.most is None else piece.most - given_copies[piece.name]
        if copies_left == 0:  # all copies are given
            continue
        place = tuple(sorted(piece.colours))
        colours = "".join(piece.colours[cell] for cell in place)
        label = (piece.name, place, colours)
        # The piece is drawn as the solution of a board that has its shape.
        rules_of_piece = rules._replace(pattern=piece.colours)
        caption = piece.name
        if copies_left != 1:
            caption += f" x{copies_left or '*'}"
        drawing = _draw(rules_of_piece, {label: 1})
        initial_drawing += [frame._replace(caption=caption) for frame in drawing]
    solution_drawings = [_draw(rules, solution) for solution in solutions]
    return [initial_drawing, *solution_drawings]


def _draw(rules: ColouredRules, solution: Solution) -> Drawing:
    """Draw a solution, a frame for each layer of the board."""
    lying = sorted(label for label in true_labels(solution) if label[0] != EMPTY)
    tiles = [(name, place) for name, place, _ in lying]
    board = frozenset(rules.pattern)
    frames = grid.tiling(tiles, rules.lattice, 1, board)
    # A frame shows one layer: all coordinates of a cell but row and column.
    colour_by_cell: dict[Cell, str] = {}
    for _, place, colours in lying:
        colour_by_cell |= zip(place, colours, strict=True)
    layers = sorted({cell[:-2] for cell in rules.pattern})
    coloured_frames = []
    for frame, layer in zip(frames, layers, strict=True):
        coloured_frames.append(_frame_with_colours(rules, frame, layer, colour_by_cell))
    return coloured_frames


def _frame_with_colours(rules: ColouredRules, frame: Frame, layer: Cell, visible: Colours) -> Frame:
    """Return the frame of one layer with the colours of the cells under the outlines of the pieces.

    layer: the first coordinates of its cells. visible: the colour of each covered cell, written in it as a letter. A
    cell that no piece covers shows the colour of the pattern, without a letter. The cells of the frame are (row,
    column).
    """
    classes = colour_classes(rules.colours)
    cells = {}
    for cell, colour in rules.pattern.items():
        if cell[:-2] == layer:
            cells[cell[-2:]] = colour
    names = {cell: visible.get(layer + cell, "") for cell in cells}
    # What the frame shows of the board, then colours, then the outlines of the pieces without their own colours.
    shapes = [shape for shape in frame.shapes if shape.colour in ("hole", "empty", None)]
    for cell, colour in cells.items():
        name_or_colour = names[cell] or colour
        if name_or_colour not in classes:
            continue
        middle = rules.lattice.middle(cell)
        outline = grid.outline([cell], rules.lattice)
        colour_class = classes[name_or_colour]
        shapes.append(Shape(outline, names[cell], colour_class, outline=False, at=middle))
    shapes += [shape._replace(colour=None, label="") for shape in frame.shapes if shape.label]
    return frame._replace(shapes=shapes, board=Board(names, rules.lattice))
