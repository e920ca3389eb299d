"""Writes the solutions of a packing, and how they come apart, into a puzzle of BurrTools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple
from xml.etree import ElementTree

from models.puzzle import EMPTY, Puzzle, Solution
from solvers.extras.bridges.formats.burrtools import burrtools_tree
from solvers.extras.questions.disassembly.of_solutions import disassembly_of

Point = tuple[int, ...]
"""(x, y, z), or (column, row, layer)."""

AWAY = 20_000
"""The distance by which BurrTools writes that a piece has left."""


class PackedSolutions:
    """A writer of solutions for BurrTools; called with a solution, it returns its XML element."""

    def __init__(self, puzzle: Puzzle) -> None:
        """Take the puzzle, a packing; raise `InputError` for what BurrTools cannot express.

        `_point` turns a cell (layer, row, column) into BurrTools' (x, y, z). A piece called EMPTY stands for cells that
        stay empty.
        """
        self._root = burrtools_tree(puzzle)
        """The puzzle in the XML of BurrTools, without solutions."""
        self._puzzle = puzzle
        assert puzzle.board.packing
        self._origin = [min(along) for along in zip(*map(_point, puzzle.board.packing.board), strict=True)]
        """The least coordinates of the board: BurrTools writes the board, and so places, relative to them."""
        pieces = [piece for piece in puzzle.board.packing.pieces if piece.name != EMPTY]
        self._shapes = {piece.name: [_point(cell) for cell in piece.colours] for piece in pieces}
        """The points of each piece, by its name."""
        uses = self._root.findall("./problems/problem/shapes/shape")  # one for each piece, in the order of `pieces`
        copies = [int(use.get("count") or use.get("max") or 1) for use in uses]
        self._copies = sum(copies)
        """The number of copies of all pieces."""
        self._first_copy = {piece.name: sum(copies[:position]) for position, piece in enumerate(pieces)}
        """The number of each piece's first copy: BurrTools numbers all copies through, piece by piece."""

    def __call__(self, solution: Solution) -> ElementTree.Element:
        """Return the XML element of a solution: where the pieces lie, and how they come apart if they do.

        For each copy of each piece, the assembly has its vector and the number of its rotation, or x if it is not used.
        `disassembly_of` returns the pieces as (name, cells), and the moves by which they come apart.
        """
        assembly = disassembly_of(self._puzzle, solution)
        copies_used = dict.fromkeys(self._first_copy, 0)
        # For each piece that lies in the solution its number and place; for each copy its text, x if it is not used.
        numbers = list[int]()
        places = list[Point]()
        placements = ["x"] * self._copies
        for name, cells in assembly.tiles:
            numbers.append(self._first_copy[name] + copies_used[name])
            copies_used[name] += 1
            rotation, shift = _placement(self._shapes[name], [difference(_point(cell), self._origin) for cell in cells])
            places.append(shift)
            placements[numbers[-1]] = " ".join(map(str, (*shift, rotation)))
        element = ElementTree.Element("solution")
        ElementTree.SubElement(element, "assembly").text = " ".join(placements)
        if assembly.steps:
            tree = _SeparationTree(numbers, dict(enumerate(places)), _steps_by_part(assembly.steps))
            tree.add(element, frozenset(range(len(numbers))), "")
        return element

    def text(self, solutions: Sequence[ElementTree.Element]) -> str:
        """Return the puzzle with the elements of all solutions, in plain XML.

        solutions: as `PackedSolutions` has made them. Each gets a number among all, and one among those that come
        apart.
        """
        problem = self._root.find("./problems/problem")
        assert problem is not None
        stored = ElementTree.SubElement(problem, "solutions")
        separated_solutions = 0
        for number, element in enumerate(solutions):  # BurrTools leaves out a number that is 0
            numbers = {"asmNum": number}
            if element.find("separation") is not None:
                numbers["solNum"] = separated_solutions
                separated_solutions += 1
            element.attrib |= {name: str(value) for name, value in numbers.items() if value}
            stored.append(element)
        problem.attrib |= {"state": "2", "assemblies": str(len(solutions)), "solutions": str(separated_solutions)}
        return ElementTree.tostring(self._root, encoding="unicode") + "\n"


def _point(cell: Sequence[int]) -> Point:
    """Return the point of a cell, in the order of BurrTools' axes."""
    return (*cell[::-1], *(0,) * (3 - len(cell)))


def difference(point: Sequence[int], other: Sequence[int]) -> Point:
    """Return the vector from the other point to the first."""
    return tuple(a - b for a, b in zip(point, other, strict=True))


def _turns() -> Iterator[tuple[Point, ...]]:
    """Yield the 24 rotations of a cube, each as the rows of its matrix, in the order of BurrTools' numbers.

    Each is a number of quarter turns about x, and then one of six turns that take the x axis to each of six directions.
    """
    about_x = (1, 0, 0), (0, 0, -1), (0, 1, 0)
    about_y = (0, 0, -1), (0, 1, 0), (1, 0, 0)
    about_z = (0, -1, 0), (1, 0, 0), (0, 0, 1)
    identity = (1, 0, 0), (0, 1, 0), (0, 0, 1)

    def power(matrix: tuple[Point, ...], times: int) -> tuple[Point, ...]:
        """Return a power of a matrix, the identity for 0 times."""
        result: tuple[Point, ...] = identity
        for _ in range(times):
            result = tuple(_image(tuple(zip(*result, strict=True)), row) for row in matrix)
        return result

    second_turns = [power(about_y, 0), about_y, power(about_y, 2), power(about_y, 3), about_z, power(about_z, 3)]
    for second_turn, times in product(second_turns, range(4)):
        # A product of matrices has the rows of the first, each multiplied by the columns of the second.
        columns = tuple(zip(*power(about_x, times), strict=True))
        yield tuple(_image(columns, row) for row in second_turn)


def _image(rows: Sequence[Sequence[int]], point: Sequence[int]) -> Point:
    """Return a point, multiplied by the rows of a matrix."""
    return tuple(sum(a * b for a, b in zip(row, point, strict=True)) for row in rows)


TURNS = [*_turns()]
"""The rotations, by BurrTools' numbers."""


def _placement(shape: Collection[Point], covered: Collection[Point]) -> tuple[int, Point]:
    """Return the number of the rotation, and the vector, that carry a shape to its place.

    shape: the cells of the piece, which is first moved so that its least coordinates are 0, as it is written. covered:
    the cells that it covers in the solution. Each rotation is tried; the least points tell by which vector it would
    have to be moved.
    """
    low = [min(coordinates) for coordinates in zip(*shape, strict=True)]
    cells = [difference(cell, low) for cell in shape]
    least_covered = min(covered)
    for number, rows in enumerate(TURNS):
        image = [_image(rows, cell) for cell in cells]
        shift = difference(least_covered, min(image))  # a shift keeps the order of points
        if {tuple(map(sum, zip(cell, shift, strict=True))) for cell in image} == {*covered}:
            return number, shift
    raise AssertionError("a piece lies where no rotation carries it")


def _steps_by_part(steps: Iterable[Any]) -> Mapping[frozenset[int], list[Any]]:
    """Return the steps of each separation, by the pieces that it separates."""
    result: dict[frozenset[int], list[Any]] = {}
    for step in steps:
        result.setdefault(step.part, []).append(step)
    return result


class _SeparationTree(NamedTuple):
    """The separations of a solution, from which XML elements are made."""

    numbers: Sequence[int]
    """BurrTools' number of each piece."""
    places: dict[int, Point]
    """The place of each piece now."""
    steps: Mapping[frozenset[int], list[Any]]
    """The steps of each separation, by the pieces that it separates."""

    def add(self, parent: ElementTree.Element, part: frozenset[int], kind: str) -> None:
        """Add the separation of some pieces, and those of what it leaves, to an XML element.

        A state has the places of these pieces: one before each move, and one in which the group that leaves is far
        away. A step has the group of pieces that it moves, an axis, and the distance with its sign.

        parent: takes the element. part: the pieces. kind: "removed" or "left"; "" for the first.
        """
        separation = ElementTree.SubElement(parent, "separation", {"type": kind} if kind else {})
        order = sorted(part, key=self.numbers.__getitem__)
        pieces = ElementTree.SubElement(separation, "pieces", count=str(len(order)))
        pieces.text = " ".join(str(self.numbers[piece]) for piece in order)
        self._add_state(separation, order, {})
        *moves, last = self.steps[part]
        for step in moves:
            for piece in step.group:
                self.places[piece] = _point_after(self.places[piece], step.axis, step.far)
            self._add_state(separation, order, {})
        points_away = {piece: _point_after(self.places[piece], last.axis, AWAY * last.far) for piece in last.group}
        self._add_state(separation, order, points_away)
        for group, kind_of_group in ((last.group, "removed"), (part - last.group, "left")):
            if group in self.steps:
                self.add(separation, group, kind_of_group)

    def _add_state(self, separation: ElementTree.Element, order: Sequence[int], out: Mapping[int, Point]) -> None:
        """Add the places of some pieces; out: those of the pieces that leave."""
        state = ElementTree.SubElement(separation, "state")
        for axis, name in enumerate(("dx", "dy", "dz")):
            coordinates = (out.get(piece, self.places[piece])[axis] for piece in order)
            ElementTree.SubElement(state, name).text = " ".join(map(str, coordinates))


def _point_after(point: Point, axis: int, far: int) -> Point:
    """Return a point moved along an axis, which is numbered as those of cells in space are."""
    return tuple(x + far * (number == 2 - axis) for number, x in enumerate(point))
