"""Edge matching: tiles with coloured edges fill a board so that touching edges agree.

P. A. MacMahon, New Mathematical Pastimes (1921), colours the edges of squares, triangles and hexagons in all ways. His
24 squares in three colours fill 4x6 with a border of one colour in 106,624 ways. That is 13,328 up to the symmetries of
the rectangle and the exchange of the two other colours, which is the figure of H. Fernández Long (1977). The figure
12,261 of G. Feldman (1964) is 1,067 too low. It is not a count of the same solutions up to other symmetries, as each of
the 13,328 has eight different images. It is not known what it counted.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, compress, product
from typing import Literal, NamedTuple

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import grid
from models.boards.colours import colour_classes
from models.boards.grid import LATTICES, SQUARE, Cells, cells_by_name
from models.boards.lattice import TRIANGLE, Cell, Lattice, Turn
from models.errors import ParameterError
from models.packings.pieces import MAX_PLACEMENTS, add_use, names_after_change, names_of_equals
from models.packings.sets import read_board, read_use, use_of
from models.puzzle import (
    Drawing,
    Frame,
    Given,
    Point,
    Puzzle,
    PuzzleBoard,
    Region,
    Remarks,
    Shape,
    Solution,
    Symmetry,
    true_labels,
)

Edges = tuple[str, ...]
"""The colours of a tile's edges, clockwise; as it is in a cell, from the top edge or the upper right one."""

Label = tuple[str, Cell, str]
"""(tile, cell, its edges as text): the tile is in the cell, turned so that it has these edges."""

COLOURS = "abcdefghi"

ALL = re.compile(r"macmahon-(?P<colours>[1-9])(\s+x(?P<count>\S*))?")
"""Matches the name of a set of all tiles with some colours, such as "macmahon-3" or "macmahon-3 x2"."""

SCALE = {"square": (2, 2), "hex": (2, 2), "triangle": (3.5, 6 / 3**0.5)}
"""The side of a drawn tile in cell widths, across and down: its edges have room for letters, and in a text each corner
of a triangle is a character."""


class Tile(NamedTuple):
    """A tile, and the least and greatest number of times that it is used."""

    name: str
    edges: Edges
    least: int = 1
    most: int | None = 1
    """None if there is no limit."""

    def merge(self, other: "Tile") -> "Tile":
        """Return this tile with the uses of both."""
        most = None
        if self.most is not None and other.most is not None:
            most = self.most + other.most
        least = self.least + other.least
        return self._replace(least=least, most=most)


class EdgeRules(NamedTuple):
    """The rules: the board, the tiles, the colour of the border, and how tiles may be turned."""

    board: Cells
    tiles: Sequence[Tile]
    border: str
    """Empty if the border may have any colours."""
    flip: bool
    """Whether tiles may be turned over."""
    lattice: Lattice
    rotate: bool = True
    """Whether tiles may be turned; if not, they lie as they are written."""

    @property
    def colours(self) -> list[str]:
        """The colours of all edges, each once, sorted."""
        return sorted({colour for tile in self.tiles for colour in tile.edges})

    def labels(self) -> list[Label]:
        """Return a label for each way in which a tile can be on the board.

        Raises ValueError if there are too many. With a border of one colour, each edge that no neighbour meets has this
        colour.
        """
        # For each cell, whether each of its sides is at the border.
        are_outer = {}
        for cell in self.board:
            neighbours = across(cell, self.lattice)
            are_outer[cell] = [neighbour not in self.board for neighbour in neighbours]
        labels_found = []
        for tile, cell in product(self.tiles, sorted(self.board)):
            for edges in tile_orientations(tile.edges, self.flip, self.rotate):
                outer_edges = set(compress(edges, are_outer[cell]))
                if not self.border or outer_edges <= {self.border}:
                    labels_found.append((tile.name, cell, spelt(edges)))
            if len(labels_found) > MAX_PLACEMENTS:
                raise ParameterError(f"the tiles can lie in more than {MAX_PLACEMENTS} ways; choose a smaller board")
        return labels_found

    def form(self, edges: Edges) -> Edges:
        """Return the least of the ways in which the tile with these edges can lie.

        It is the same however the tile is turned.
        """
        orientations = tile_orientations(edges, self.flip, self.rotate)
        return orientations[0]

    def remark_on_equals(self) -> str:
        """Return a remark on tiles that are equal but for their names; empty if there are none."""
        equals = names_of_equals(self.tiles, lambda tile: self.form(tile.edges))
        groups = [" and ".join(names) for names in equals]
        return "; ".join(f"{group} are equal and count as different" for group in groups)

    def tile_images(self, change: Callable[[Edges], Edges]) -> dict[str, str] | None:
        """Return, for each tile, the name of the tile that a change of the edges makes of it.

        The result is None if the set of tiles changes. `names_after_change` compares forms: tiles of one form are
        alike, however they are turned.
        """

        def form(tile: Tile) -> Edges:
            return self.form(tile.edges)

        def image(tile: Tile) -> Edges:
            return self.form(change(tile.edges))

        return names_after_change(self.tiles, form, image)

    def symmetries(self) -> list[Symmetry]:
        """Return the symmetries of the puzzle: turns of the board, and exchanges of two colours.

        Those that change the set of tiles are left out. A change of colours keeps signs: if it exchanges a and b, it
        exchanges a+ and b+, too.
        """
        symmetries_found: list[Symmetry] = []
        for turn in grid.symmetries(self.board, lattice=self.lattice)[1:]:
            # For each cell, its image and the number of the side that becomes each side of the image.
            images = {cell: _image_and_sides(turn, cell, self.lattice) for cell in self.board}
            _, order = next(iter(images.values()))  # which tile becomes which is the same in all cells
            change = partial(_edges_in_order, order)
            names = self.tile_images(change)
            if names is not None:
                symmetries_found.append(partial(_image_under_turn, images, names))
        bases = {_base(colour) for colour in self.colours} - {_base(self.border)}  # that of the border stays
        for colour_a, colour_b in combinations(sorted(bases), 2):
            change = partial(_edges_with_colours, {colour_a: colour_b, colour_b: colour_a})
            names = self.tile_images(change)
            if names is not None:
                symmetries_found.append(partial(_image_under_exchange, change, names))
        return symmetries_found

    def check(self) -> Callable[[Solution], bool]:
        """Return a function that says whether a solution obeys the rules, without the model."""
        tiles = {tile.name: tile for tile in self.tiles}
        # A number for each side, which is the set of its two end points.
        number_of_side: dict[frozenset[Point], int] = {}

        @cache
        def edges_at(label: Label) -> list[tuple[int, str, str]]:
            """Return (side, its colour, the colour that it has to meet) for each edge of a tile that lies somewhere.

            A side has the same number for both tiles that share it. The list is empty if the tile may not lie so. The
            sides of a cell are in the order of its edges, clockwise.
            """
            name, cell, text = label
            edges = edges_of(text)
            if name not in tiles:
                return []
            if edges not in tile_orientations(tiles[name].edges, self.flip, self.rotate):
                return []
            # A side is the set of its two corners.
            sides = _sides_of(cell, self.lattice)
            edges_found = []
            for side, colour in zip(sides, edges, strict=True):
                number = number_of_side.setdefault(frozenset(side), len(number_of_side))
                edges_found.append((number, colour, mate(colour)))
            return edges_found

        def obeys_rules(solution: Solution) -> bool:
            """Tell whether each cell has one tile, uses are as allowed, and all sides and the border agree."""
            labels = true_labels(solution)
            # For each side with a tile at one side of it so far: the colour that a tile at the other has to show. In
            # the end these are the sides at the border.
            open_sides: dict[int, str] = {}
            for label in labels:
                edges = edges_at(label)
                for side, colour, colour_to_meet in edges:
                    if side not in open_sides:
                        open_sides[side] = colour_to_meet
                    elif open_sides.pop(side) != colour:
                        return False
                if not edges:
                    return False
            times = Counter([name for name, _, _ in labels])
            cells = {cell for _, cell, _ in labels}
            if len(labels) != len(self.board) or cells != self.board:
                return False
            if not all(tile.least <= times[tile.name] <= (tile.most or len(labels)) for tile in self.tiles):
                return False
            if not self.border:
                return True
            return {*open_sides.values()} == {mate(self.border)}

        return obeys_rules


def edge_matching(
    board: Region = "4x6",
    tiles: str = "macmahon-3",
    grid: Literal["square", "hex", "triangle"] = "square",
    border: str = "a",
    flip: bool = False,
    rotate: bool = True,
) -> Puzzle:
    """Fill a board with tiles so that touching edges have the same colour; a colour a+ touches a- instead.

    board: HxW, a name (hexagon-2, triangle-5, ...), or a drawing (# and .) or its file
    tiles: macmahon-N, all with N colours, or a file with a line for each such as 'corner x4: ..ab', clockwise
    grid: what tiles are.
    border: the colour of all edges at the border, or any.
    flip: let tiles be turned over.
    rotate: let tiles be turned; with --no-rotate they lie as they are written, from the top or upper right edge.

    Raises ValueError, with a sentence that says what to change, if a parameter is not possible.

    >>> puzzle = edge_matching()
    >>> len(puzzle.key), len(puzzle.symmetries)
    (1008, 4)
    """
    parameters = {"board": board, "tiles": tiles, "grid": grid, "border": border, "flip": flip, "rotate": rotate}
    lattice = LATTICES[grid]
    cells = _flat_board(board, lattice)
    chosen = read_tiles(tiles, lattice, flip, rotate)
    # The rules make the labels, the symmetries and the check.
    rules = EdgeRules(cells, chosen, "" if border == "any" else border, flip, lattice, rotate)
    _refuse_misfits(rules)
    model, lies = _model(rules)
    names = cells_by_name(board, cells, lattice)
    return Puzzle(
        "edge-matching",
        parameters,
        model,
        lies,
        symmetries=rules.symmetries(),
        is_solution=rules.check(),
        draw=partial(_draw, rules),
        fills=_fills,
        board=PuzzleBoard(None if lattice is SQUARE else lattice, names),
        remarks=Remarks(note=rules.remark_on_equals()),
        sheets=partial(_sheets, rules),
    )


def _flat_board(text: str, lattice: Lattice) -> Cells:
    """Return the cells of a board, as `read_board` does; raise ParameterError if it is a box."""
    cells = read_board(text, lattice)
    if len(min(cells)) > 2:
        raise ParameterError(f"{text} is a box; choose a flat board")
    return cells


def _model(rules: EdgeRules) -> tuple[CpModel, dict[Label, IntVar]]:
    """Return the model and, by label, the Boolean variable that is true iff the tile lies there.

    A label is (tile, cell, edges as text).
    """
    model = CpModel()
    lies = {label: model.new_bool_var(" ".join(map(str, label))) for label in rules.labels()}
    uses: dict[str, list[IntVar]] = defaultdict(list)
    covering: dict[Cell, list[IntVar]] = defaultdict(list)
    for (name, cell, _), variable in lies.items():
        uses[name].append(variable)
        covering[cell].append(variable)
    # Each tile is used as often as it has to be.
    for tile in rules.tiles:
        add_use(model, uses[tile.name], tile.least, tile.most)
    # Each cell holds one tile.
    for cell in sorted(rules.board):
        model.add_exactly_one(covering[cell])
    _add_sides(model, rules, lies)
    return model, lies


def _add_sides(model: CpModel, rules: EdgeRules, lies: Mapping[Label, IntVar]) -> None:
    """Add to a model that touching edges agree; lies: the variable of each label.

    `edges_of` returns the colours of a tile clockwise, `across` the neighbours in the same order, and `mate` the colour
    that has to touch a colour.
    """
    # By (cell, its neighbour) and colour: the variables of the tiles in the cell that show the colour to the neighbour.
    showing: dict[tuple[Cell, Cell], dict[str, list[IntVar]]] = defaultdict(lambda: defaultdict(list))
    for (_, cell, text), variable in lies.items():
        neighbours = across(cell, rules.lattice)
        for colour, neighbour in zip(edges_of(text), neighbours, strict=True):
            showing[cell, neighbour][colour].append(variable)
    # Each side is taken from both of its cells: as each cell holds one tile, one of the two says everything, and the
    # other one helps solvers to propagate.
    for cell in sorted(rules.board):
        cells_beside = rules.board.intersection(across(cell, rules.lattice))
        for neighbour in sorted(cells_beside):
            variables_here = showing[cell, neighbour]
            variables_there = showing[neighbour, cell]
            colours_to_meet = map(mate, variables_there)
            for colour in sorted({*variables_here, *colours_to_meet}):
                # Both cells hold one tile. This tile shows the colour, or the other one shows one that does not go
                # with it; not both, and not neither.
                mismatches_there: list[IntVar] = []
                colour_that_fits = mate(colour)
                for colour_there, variables_of_colour in variables_there.items():
                    if colour_there != colour_that_fits:
                        mismatches_there += variables_of_colour
                model.add_exactly_one(variables_here[colour] + mismatches_there)


def _refuse_misfits(rules: EdgeRules) -> None:
    """Raise ValueError if no tile has the colour of the border, or if there are too few or too many tiles.

    Each cell takes one tile; a tile without a limit may be used for all cells.
    """
    if rules.border not in ("", *rules.colours):
        known = ", ".join(rules.colours)
        raise ParameterError(f"no tile has the colour {rules.border} of the border; there is {known}, or any")
    cell_count = len(rules.board)
    least = sum(tile.least for tile in rules.tiles)
    most = 0
    for tile in rules.tiles:
        most += cell_count if tile.most is None else tile.most
    if least <= cell_count <= most:
        return
    number = f"{least} to {most} tiles"
    if least == most:
        number = f"{least} tile{'s' * (least != 1)}"
    raise ParameterError(f"the board has {cell_count} cells, but {number} have to lie there")


def read_tiles(text: str, lattice: Lattice, flip: bool, rotate: bool = True) -> list[Tile]:
    r"""Return the tiles that a text names or writes line by line, or the file with this path.

    Equal tiles without a name, however they are turned, are one tile that is used several times; those with the same
    name, too.

    flip: whether tiles that are turned over are the same. rotate: whether those that are turned are. Raises ValueError,
    with a sentence that says what is wrong. lattice: the kind of the cells, which says how many edges a tile has.
    `tile_orientations` returns all ways in which a tile can lie; the first one represents it.

    >>> len(read_tiles("macmahon-3", SQUARE, False)), len(read_tiles("macmahon-3", SQUARE, True))
    (24, 21)
    >>> read_tiles("corner x4: ..ab\n.cac", SQUARE, False)[0]
    Tile(name='corner', edges=('.', '.', 'a', 'b'), least=4, most=4)
    >>> read_tiles("abac\nacab", SQUARE, False)
    [Tile(name='abac', edges=('a', 'b', 'a', 'c'), least=2, most=2)]
    """
    if not rotate and (lattice is TRIANGLE or flip):
        other = "grid='triangle', where some tiles point up and others down"
        if flip:
            other = "flip=True"
        raise ParameterError(f"rotate=False cannot be combined with {other}; leave one of them out")
    sides = len(lattice.polygon((0, 0)))
    match = ALL.fullmatch(text)
    if match:
        colour_count = int(match["colours"])
        size = colour_count**sides
        if size > MAX_PLACEMENTS:
            raise ParameterError(f"{text} colours {sides} edges in {size} ways; choose fewer colours")
        least, most = use_of(match["count"] or "1", text)
        every_tile = product(COLOURS[:colour_count], repeat=sides)
        forms = {tile_orientations(edges, flip, rotate)[0] for edges in every_tile}
        return [Tile(spelt(edges), edges, least, most) for edges in sorted(forms)]
    if "\n" not in text:
        wanted = "a set such as macmahon-3 nor a file to be read; give macmahon-N, or the path"
        text = grid.text_of(text, wanted, "with the colours of a tile in each line")
    tile_by_name: dict[str, Tile] = {}
    unnamed: dict[Edges, str] = {}  # the tile that represents those without a name, by the least way it can lie
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        head, _, words = line.rpartition(":")
        edges = edges_of(words.strip())
        where = f"line {number} of the tiles"
        if len(edges) != sides:
            raise ParameterError(
                f"{where} gives {len(edges)} colours; write {sides}, clockwise, as letters or as words"
            )
        form = tile_orientations(edges, flip, rotate)[0]
        name, least, most = _name_and_use(head.strip(), edges, where)
        if not name:
            name = unnamed.setdefault(form, spelt(edges))
        tile = Tile(name, edges, least, most)
        earlier = tile_by_name.get(name)
        if earlier:
            if form != tile_orientations(earlier.edges, flip, rotate)[0]:
                raise ParameterError(
                    f"line {number} is the second tile called {name}, with other colours; give it another name"
                )
            tile = earlier.merge(tile)
        tile_by_name[name] = tile
    if not tile_by_name:
        raise ParameterError("no tile is given; write its colours in a line, clockwise, such as abac")
    return list(tile_by_name.values())


def _name_and_use(head: str, edges: Edges, where: str) -> tuple[str, int, int | None]:
    """Return (name, least, most) of a tile; the name is empty if there is none.

    head: what is written before its colours, which may be these colours in place of a name, as in "1 2 2 1 x2".
    where: begins the message of the ValueError if the text cannot be read.
    """
    if not head:
        return "", 1, 1
    uses = head.removeprefix(" ".join(edges))
    if uses == head:
        return read_use(head, where)
    # The colours are no name; any other word takes its place, so that only the uses are read.
    _, least, most = read_use(f"tile{uses}", where)
    return "", least, most


def edges_of(text: str) -> Edges:
    """Return the colours that a text names, as words with blanks between them or as letters.

    >>> edges_of("abac"), edges_of("a+ b- 12")
    (('a', 'b', 'a', 'c'), ('a+', 'b-', '12'))
    """
    if " " in text:
        return tuple(text.split())
    return tuple(text)


def spelt(edges: Edges) -> str:
    """Return the colours of edges as one text: letters without blanks, longer names with blanks between."""
    if all(len(colour) == 1 for colour in edges):
        return "".join(edges)
    return " ".join(edges)


def mate(colour: str) -> str:
    """Return the colour that an edge must have which touches one of this colour.

    >>> mate("a"), mate("a+"), mate("a-")
    ('a', 'a-', 'a+')
    """
    name = colour[:-1]
    sign = colour[-1:]
    if not name:
        return colour
    opposite = {"+": "-", "-": "+"}
    return name + opposite.get(sign, sign)


def _base(colour: str) -> str:
    """Return a colour without its sign: a for a+ and a-."""
    return colour.rstrip("+-") or colour


@cache
def tile_orientations(edges: Edges, flip: bool, rotate: bool = True) -> list[Edges]:
    """Return the different ways in which a tile can lie, sorted: its rotations, if it may be turned.

    flip: whether the tile may also be turned over.

    >>> tile_orientations(("a", "b", "a", "b"), False)
    [('a', 'b', 'a', 'b'), ('b', 'a', 'b', 'a')]
    """
    if not rotate:
        return [edges]
    faces = (edges, edges[::-1])[: 1 + flip]  # turned over, the edges run the other way round
    orientations = set()
    for face in faces:
        orientations |= {face[n:] + face[:n] for n in range(len(face))}
    return sorted(orientations)


@cache
def across(cell: Cell, lattice: Lattice) -> list[Cell]:
    """Return the neighbours of a cell in the order of its sides, clockwise.

    Neighbours outside the board are among them. A side is (start, end), its corners clockwise.

    >>> across((1, 1), SQUARE)
    [(0, 1), (1, 2), (2, 1), (1, 0)]
    """
    # A neighbour runs along the shared side in the opposite direction.
    neighbour_at_side = {}
    for neighbour in lattice.neighbours(cell):
        for start, end in _sides_of(neighbour, lattice):
            neighbour_at_side[end, start] = neighbour
    return [neighbour_at_side[side] for side in _sides_of(cell, lattice)]


def _sides_of(cell: Cell, lattice: Lattice) -> Iterator[tuple[Point, Point]]:
    """Yield the sides of a cell as (start, end), clockwise."""
    corners = lattice.polygon(cell)
    return zip(corners, (*corners[1:], corners[0]), strict=True)


def _edges_in_order(order: Sequence[int], edges: Edges) -> Edges:
    """Return the edges in another order, such as that of the tile's image under a turn of the board."""
    return tuple(edges[n] for n in order)


def _edges_with_colours(names: Mapping[str, str], edges: Edges) -> Edges:
    """Return the edges with other colours.

    names: the new colour of each colour, without signs, which are kept.
    """
    changed = []
    for colour in edges:
        base = _base(colour)
        sign = colour[len(base) :]
        changed.append(names.get(base, base) + sign)
    return tuple(changed)


def _image_and_sides(turn: Turn, cell: Cell, lattice: Lattice) -> tuple[Cell, list[int]]:
    """Return (image of a cell under a turn of the board, numbers of sides).

    Entry s of the numbers is the number of the side of the cell that the turn maps to side s of its image. Sides are
    numbered clockwise from 0, as in `across`.
    """
    image = turn(cell)
    neighbours = across(cell, lattice)
    number = {turn(neighbour): n for n, neighbour in enumerate(neighbours)}
    return image, [number[neighbour] for neighbour in across(image, lattice)]


def _image_under_turn(
    images: Mapping[Cell, tuple[Cell, list[int]]], names: Mapping[str, str], label: Label, value: int
) -> tuple[object, int]:
    """Return the literal (label, value) to which a turn of the board maps a literal; the value stays.

    images: the result of `_image_and_sides` for each cell. names: for each tile, the name of its image, which differs
    for some mirror images. label: (tile, cell, edges as text).
    """
    name, cell, text = label
    image, order = images[cell]
    edges_after = _edges_in_order(order, edges_of(text))
    text_after = spelt(edges_after)
    return (names[name], image, text_after), value


def _image_under_exchange(
    change: Callable[[Edges], Edges], names: Mapping[str, str], label: Label, value: int
) -> tuple[object, int]:
    """Return the literal (label, value) to which an exchange of two colours on all tiles maps a literal.

    change: exchanges the colours of edges. names: for each tile, the name of its image. The value stays. label: (tile,
    cell, edges as text).
    """
    name, cell, text = label
    edges_after = change(edges_of(text))
    text_after = spelt(edges_after)
    return (names[name], cell, text_after), value


def _fills(label: Label, lying: int) -> tuple[str, list[Cell]]:
    """Return the name of the tile and the cells, only one, that a literal fills.

    label: the literal's label, which has both. lying: the literal's value, which is not used.
    """
    name, cell, _ = label
    return name, [cell]


def _draw(rules: EdgeRules, solution: Solution) -> Drawing:
    """Draw a solution: the tiles in their cells."""
    edges_of_cell = {cell: edges_of(text) for _, cell, text in true_labels(solution)}
    shapes: list[Shape] = []
    for cell in sorted(rules.board):
        edges = edges_of_cell.get(cell, ())
        shapes += _tile(rules, cell, edges)
    return [Frame(shapes)]


def _tile(rules: EdgeRules, cell: Cell, edges: Edges) -> list[Shape]:
    """Draw the tile with these edges in a cell; without edges, an empty cell.

    rules: say the lattice and the colours. Each edge is a triangle from its side to the middle of the cell, in the
    colour class of the edge; a+ and a- have one class.
    """
    scale_x, scale_y = SCALE[rules.lattice.name]
    corners = [(scale_x * x, scale_y * y) for x, y in rules.lattice.polygon(cell)]
    middle_x, middle_y = rules.lattice.middle(cell)
    middle = scale_x * middle_x, scale_y * middle_y
    classes = colour_classes(map(_base, rules.colours))
    shapes = [Shape([corners])]
    # Without edges there are no triangles, hence not strict.
    next_corners = (*corners[1:], corners[0])
    for colour, start, end in zip(edges, corners, next_corners, strict=False):
        triangle = (start, end, middle)
        xs, ys = zip(*triangle, strict=True)
        centroid = sum(xs) / 3, sum(ys) / 3
        colour_class = classes[_base(colour)]
        shapes.append(Shape([triangle], colour, colour_class, outline=False, at=centroid))
    return shapes


def _sheets(rules: EdgeRules, given: Given, solutions: Sequence[Solution]) -> list[Drawing]:
    """Return the drawings to print: the board with what is given and the other tiles, then each solution.

    Each tile that is not used up is a drawing of its own, with how many copies are left (* for any number). given: what
    is known, by label.
    """
    given_copies = Counter(name for name, *_ in true_labels(given.values))
    board_caption = "board"
    if rules.border:
        board_caption = f"board with the border {rules.border}"
    initial_drawing = [frame._replace(caption=board_caption) for frame in _draw(rules, given.values)]
    for tile in rules.tiles:
        copies_left = None if tile.most is None else tile.most - given_copies[tile.name]
        if copies_left == 0:
            continue
        caption = tile.name
        if copies_left != 1:
            caption += f" x{copies_left or '*'}"
        shapes = _tile(rules, (0, 0), tile.edges)
        initial_drawing.append(Frame(shapes, caption))
    solution_drawings = [_draw(rules, solution) for solution in solutions]
    return [initial_drawing, *solution_drawings]
