"""One loop and one connected region, said once; and what a pencil draws: lines and discs.

What is added to a model determines each new variable, so that the model has as many solutions as the rules. Loops go in
circles, which have two directions: the first point in reading order leaves to the right. Regions have distances: the
least number of links from a root.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from math import cos, pi, sin
from typing import TypeVar

from ortools.sat.python.cp_model import CpModel, IntVar, LiteralT

from models.boards import grid
from models.boards.clues import cell_name, rule
from models.boards.grid import Cell
from models.puzzle import DEFINITION, Frame, Literal, Point, Shape, Symmetry

Edge = tuple[Cell, Cell]
"""Two cells, or two corners, that are side by side, in reading order."""

NodeT = TypeVar("NodeT")

CORNERS_OF_A_DISC = 24
"""The number of corners of the polygon that is drawn for a disc."""

BESIDE_A_TEXT = 0.24
"""The distance from the middle of a cell with a text to where a line begins, in cell widths."""

ONE_LOOP = "all lines form one loop"
"""The name of the rule whose clauses are long."""


def edges(cells: Collection[Cell]) -> list[Edge]:
    """Return the pairs of cells that are side by side, in reading order.

    >>> edges([(0, 0), (0, 1), (1, 0)])
    [((0, 0), (0, 1)), ((0, 0), (1, 0))]
    """
    cell_set = set(cells)
    pairs = []
    for cell in sorted(cell_set):
        neighbours = cell_set.intersection(grid.neighbours(cell))
        pairs += [(cell, other) for other in sorted(neighbours) if cell < other]
    return pairs


def edges_at(taken: Mapping[Edge, IntVar]) -> dict[Cell, list[IntVar]]:
    """Return the variables of the edges at each point, in reading order of the points.

    taken: the variable of each edge, true iff the edge is taken.
    """
    points = {point for edge in taken for point in edge}
    variables_by_point: dict[Cell, list[IntVar]] = {point: [] for point in sorted(points)}
    for (start, end), variable in taken.items():
        variables_by_point[start].append(variable)
        variables_by_point[end].append(variable)
    return variables_by_point


def all_of(model: CpModel, literals: Iterable[LiteralT]) -> IntVar:
    """Return a new variable of the model that is true iff all these literals are."""
    required = list(literals)
    result = model.new_bool_var("")
    with rule(model, DEFINITION):
        model.add_bool_and(required).only_enforce_if(result)
        opposites = [~literal for literal in required]
        model.add_bool_or(opposites).only_enforce_if(~result)
    return result


def arcs_along(model: CpModel, taken: Mapping[Edge, IntVar]) -> dict[Edge, IntVar]:
    """Return new variables of a model for the two directions of each edge; one of them is true iff the edge is taken.

    taken: the variable of each edge (cell, other). The result has an entry for (cell, other) and one for the way back.
    """
    arcs: dict[Edge, IntVar] = {}
    for (cell, other), variable in taken.items():
        arc = model.new_bool_var(f"{cell} to {other}")
        back = model.new_bool_var(f"{other} to {cell}")
        arcs[cell, other] = arc
        arcs[other, cell] = back
        model.add_exactly_one(arc, back, ~variable).with_name(DEFINITION)
    return arcs


def add_one_loop(model: CpModel, taken: Mapping[Edge, IntVar], place: Callable[[Cell], str]) -> dict[Cell, IntVar]:
    """Add to a model that the edges that are taken form one loop, which goes through no point twice.

    taken: the variable of each edge between points (row, column). place: puts a point into words. Returns the variable
    of each point that is true iff the loop goes through it. A circuit of CP-SAT goes once through all points; an arc
    from a point to itself lets it leave the point out.
    """
    arcs = arcs_along(model, taken)
    edges_of_points = edges_at(taken)
    through = {point: model.new_bool_var(f"through {point}") for point in edges_of_points}
    for point, edges_here in edges_of_points.items():
        name = f"no line ends or branches at {place(point)}"
        model.add(sum(edges_here) == 2 * through[point]).with_name(name)
    number = {point: index for index, point in enumerate(through)}
    # An arc from a point to itself takes the point out of the circuit.
    stays = []
    for point, variable in through.items():
        stays.append((number[point], number[point], ~variable))
    with rule(model, ONE_LOOP):
        moves = [(number[a], number[b], arc) for (a, b), arc in arcs.items()]
        model.add_circuit([*moves, *stays])
        model.add_bool_or(taken.values())
    # One of the two directions of the loop: its first point, in reading order, has an edge to the right and one
    # downwards, and the loop leaves it to the right, so it does not arrive there from the right.
    is_first = _first_literals(model, through)
    for (cell, other), arc in arcs.items():
        is_leftwards = cell[0] == other[0] and cell > other
        if is_leftwards:
            model.add_implication(is_first[other], ~arc).with_name(DEFINITION)
    return through


def _first_literals(model: CpModel, chosen: Mapping[NodeT, LiteralT]) -> dict[NodeT, IntVar]:
    """Return a new variable for each node that is true iff the node is the first chosen one.

    chosen: a literal for each node that is true iff the node is chosen. The first is the first in the order of this
    mapping. Exactly one of them is true, or none if no node is chosen.
    """
    first_literals: dict[NodeT, IntVar] = {}
    none_before: list[IntVar] = []  # at most one literal: that none of the nodes before is chosen
    for node, literal in chosen.items():
        first_literals[node] = all_of(model, [literal, *none_before])
        is_none_so_far = all_of(model, [~literal, *none_before])
        none_before = [is_none_so_far]
    return first_literals


def add_connected(
    model: CpModel,
    inside: Mapping[NodeT, LiteralT],
    links: Mapping[tuple[NodeT, NodeT], IntVar],
    farthest: int,
    roots: Collection[NodeT] = (),
) -> None:
    """Add to a model that links lead from a root to each node that is inside.

    Each node has its distance from the roots, in links, as a variable. A node inside that is no root needs a link to a
    node whose distance is less by 1. All distances are determined by what is inside, so that solutions are not
    multiplied; they are 0 for nodes that are not inside.

    inside: the literal of each node, in reading order, true iff the node is inside. links: the variable of each pair of
    nodes that may be linked, which is true only if both are inside. farthest: no node is farther from the root, in
    links, whatever is inside. roots: nodes that are inside; without any, the root is the first node inside, so that all
    that is inside is connected.
    """
    is_root = {} if roots else _first_literals(model, inside)
    distance = {}
    for node in inside:
        most = farthest
        if node in roots:
            most = 0
        distance[node] = model.new_int_var(0, most, f"to {node}")
    # For each node, literals each of which gives it a neighbour that is nearer to a root, or makes it the root.
    nearer: dict[NodeT, list[LiteralT]] = {node: [] for node in inside}
    for (node_a, node_b), link in links.items():
        # The ends of a link differ in distance by at most 1; ``is_step`` is true iff ``far`` is farther by just 1.
        for near, far in ((node_a, node_b), (node_b, node_a)):
            difference = distance[far] - distance[near]
            model.add(difference <= 1).only_enforce_if(link)
            is_step = model.new_bool_var(f"{near} is on the way to {far}")
            model.add_implication(is_step, link)
            model.add(difference == 1).only_enforce_if(is_step)
            model.add(difference <= 0).only_enforce_if(link, ~is_step)
            nearer[far].append(is_step)
    for node, variable in inside.items():
        if node in roots:
            continue
        is_at_root = distance[node] == 0
        model.add(is_at_root).only_enforce_if(~variable)
        if is_root:
            model.add(is_at_root).only_enforce_if(is_root[node])
            nearer[node].insert(0, is_root[node])
        model.add_bool_or([~variable, *nearer[node]])


def add_one_region(
    model: CpModel, inside: Mapping[Cell, LiteralT], roots: Collection[Cell] = (), farthest: int | None = None
) -> None:
    """Add to a model that the cells that are inside are connected, by sides; or each of them with one of the roots.

    inside: the literal of each cell, in reading order, true iff the cell is inside. roots: cells that are inside; by
    default the first cell inside is the root. farthest: no cell is farther from its root, in steps, if that is known;
    otherwise `longest_way` gives such a number.
    """
    links = {}
    for start, end in edges(inside.keys()):
        ends = inside[start], inside[end]
        links[start, end] = all_of(model, ends)
    most_steps = farthest
    if most_steps is None:
        most_steps = longest_way(inside.keys())
    add_connected(model, inside, links, most_steps, roots)


def longest_way(cells: Collection[Cell]) -> int:
    """Return a number of steps that no shortest way within a part of these cells exceeds.

    A shortest way of v cells has 2v + 2 sides that are not between cells of it. These are sides of the other cells, at
    most 4 each, or are at the border.

    >>> longest_way(grid.box(1, 5)), longest_way(grid.box(3, 3))
    (4, 6)
    """
    # So 2 v + 2 <= 4 (n - v) + at_border for n cells in all, and v cells are v - 1 steps.
    at_border = sum(neighbour not in cells for cell in cells for neighbour in grid.neighbours(cell))
    sides = 4 * len(cells) + at_border
    return (sides - 2) // 6 - 1


def hangs_together(nodes: Collection[NodeT], neighbours: Mapping[NodeT, Collection[NodeT]]) -> bool:
    """Tell whether the neighbours lead from each of the nodes to all others of them; there is at least one node.

    neighbours: the nodes beside each node.

    >>> hangs_together("ab", {"a": "b", "b": "a"}), hangs_together("ac", {"a": "b", "c": "b"})
    (True, False)
    """
    unreached = set(nodes)
    fringe = [unreached.pop()]
    while fringe:
        reached = unreached.intersection(neighbours[fringe.pop()])
        unreached -= reached
        fringe += reached
    return not unreached


def is_one_loop(taken: Iterable[Edge]) -> bool:
    """Tell whether edges form one loop, which goes through no point twice.

    >>> is_one_loop([((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (1, 1))])
    True
    """
    neighbours = grid.neighbours_along(taken)
    if not neighbours:
        return False
    if any(len(ends) != 2 for ends in neighbours.values()):
        return False
    # Each point has two neighbours, so there are only loops. There is one if the loop from one point goes through all.
    start = previous = min(neighbours)
    current, *_ = neighbours[start]
    length = 1
    while current != start:
        # Go on to the neighbour from which the loop did not come.
        cell_a, cell_b = neighbours[current]
        next_cell = cell_b if cell_a == previous else cell_a
        previous, current = current, next_cell
        length += 1
    return length == len(neighbours)


def edge_symmetry(turn: grid.Turn) -> Symmetry:
    """Return the symmetry of edges that turns the points between which they are."""

    def symmetry(edge: Edge, value: int) -> Literal:
        start, end = sorted(map(turn, edge))
        return (start, end), value

    return symmetry


def line(start: Point, end: Point) -> Shape:
    """Draw a line between two points (x, y)."""
    return Shape([[start, end]])


def line_with_sign(start: Point, end: Point, middle: Point) -> Shape:
    """Draw a line between two points (x, y), with its sign at the middle, by which a text is read again.

    A slanting line has no sign.
    """
    (x, y), (u, v) = start, end
    if x != u and y != v:
        return line(start, end)
    mark = "│"
    if y == v:
        mark = "─"
    return Shape([[start, end]], mark=mark, at=middle)


def says_line(edge: Edge, is_drawn: int) -> str:
    """Return in words whether a line joins two cells.

    >>> says_line(((0, 0), (0, 1)), 1)
    'a line joins row 1 column 1 and row 1 column 2'
    """
    cell, other = map(cell_name, edge)
    article = "a" if is_drawn else "no"
    return f"{article} line joins {cell} and {other}"


def cell_sign(cell: Cell, is_labelled: bool = False) -> Shape:
    """Return the sign in a text for a painted cell, beside the label if it has one; a picture shows the colour only."""
    x, y = grid.SQUARE.middle(cell)
    if is_labelled:
        x += 0.25
    return Shape([[(x, y)]], outline=False, mark="#")


def through_middles(drawn: Mapping[Edge, int], ends: Collection[Cell] = ()) -> list[Shape]:
    """Return a line between the middles of the two cells of each edge that is drawn.

    drawn: for each edge (cell, cell), whether it is drawn. ends: cells with a text, which the lines do not touch: a
    line begins at a distance from the middle of such a cell.
    """
    shapes = []
    for edge, is_drawn in drawn.items():
        if not is_drawn:
            continue
        # The line leads from (x, y) to (u, v); a gap is the share of it that is left out at an end.
        (x, y), (u, v) = map(grid.SQUARE.middle, edge)
        right = u - x
        down = v - y
        start_gap, end_gap = (BESIDE_A_TEXT * (cell in ends) for cell in edge)
        start = x + start_gap * right, y + start_gap * down
        end = u - end_gap * right, v - end_gap * down
        middle = (x + u) / 2, (y + v) / 2
        shapes.append(line_with_sign(start, end, middle))
    return shapes


def disc(middle: Point, radius: float, colour: int | str, label: str = "", mark: str = "") -> Shape:
    """Draw a disc with a label in it; mark: represents a small one in a text."""
    x, y = middle
    angles = [2 * pi * n / CORNERS_OF_A_DISC for n in range(CORNERS_OF_A_DISC)]
    ring = [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]
    return Shape([ring], label, colour, outline=False, mark=mark, at=middle)


def paper(labels: Mapping[Cell, str], dark: Collection[Cell] = ()) -> Frame:
    """Draw cells with pale borders and a text in each, which may be empty.

    labels: the text of each cell. dark: the cells that are painted. A text drawing has a sign in each of these, by
    which it is read again.
    """
    colours = {cell: "dark" if cell in dark else "empty" for cell in labels}
    frame = grid.board_with_texts(labels, colours=colours)
    signs = [cell_sign(cell, labels[cell] != "") for cell in dark]
    cell_shapes = [shape._replace(outline=False) for shape in frame.shapes]
    return frame._replace(shapes=[*cell_shapes, *signs])
