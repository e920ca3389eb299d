"""Solutions and separations for BurrTools, read back by a reader that shares no code with the writer."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from models.packing import packing
from solvers import solve, xmpuzzle_solutions
from solvers.files.catalogue import find
from tests.support.burr import BOARD, BURR
from tests.support.refusals import refused
from tests.support.tiers import sampled

Point = tuple[int, ...]
AWAY = 10_000


def cells_of(voxel: ElementTree.Element) -> set[Point]:
    x, y, _ = (int(voxel.get(axis, "")) for axis in "xyz")
    text = [sign for sign in voxel.text or "" if sign in "#_+"]
    return {(n % x, n // x % y, n // x // y) for n, sign in enumerate(text) if sign != "_"}


def rotations() -> Iterator[list[Point]]:
    """BurrTools' rotations: by quarter turns about x, after none to three about y, or one about z forth or back."""

    def about_x(p: Point) -> Point:
        return p[0], -p[2], p[1]

    def about_y(p: Point) -> Point:
        return -p[2], p[1], p[0]

    def about_z(p: Point) -> Point:
        return -p[1], p[0], p[2]

    for turn, times in ((about_y, 0), (about_y, 1), (about_y, 2), (about_y, 3), (about_z, 1), (about_z, 3)):
        for first in range(4):
            axes: list[Point] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
            for _ in range(first):
                axes = [about_x(axis) for axis in axes]
            for _ in range(times):
                axes = [turn(axis) for axis in axes]
            yield axes


TURNS = [*rotations()]


def turned(cells: set[Point], number: int, at: Point) -> set[Point]:
    axes = TURNS[number]
    return {tuple(at[n] + sum(cell[axis] * axes[axis][n] for axis in range(3)) for n in range(3)) for cell in cells}


def check_solution(solution: ElementTree.Element, shapes: list[set[Point]], result: set[Point]) -> list[int]:
    """Put the pieces where they lie, and take them apart as it says; return the numbers of moves."""
    words = iter((solution.findtext("assembly") or "").split())
    lying: dict[int, tuple[set[Point], Point]] = {}
    for piece, shape in enumerate(shapes):
        if (word := next(words)) != "x":
            x, y, z, turn = int(word), *(int(next(words)) for _ in range(3))
            lying[piece] = turned(shape, turn, (0, 0, 0)), (x, y, z)
    covered = [cell for cells, at in lying.values() for cell in shifted(cells, at)]
    assert len(covered) == len({*covered})
    assert {*covered} <= result
    separation = solution.find("separation")
    if separation is None:
        return []
    return [
        *separate(separation, {n: cells for n, (cells, _) in lying.items()}, {n: at for n, (_, at) in lying.items()})
    ]


def shifted(cells: set[Point], by: Point) -> set[Point]:
    return {tuple(map(sum, zip(cell, by, strict=True))) for cell in cells}


def separate(separation: ElementTree.Element, cells: dict[int, set[Point]], there: dict[int, Point]) -> Iterator[int]:
    pieces = [int(word) for word in (separation.findtext("pieces") or "").split()]
    assert {*pieces} == {*there}
    states = []
    for state in separation.findall("state"):
        along = [map(int, (state.findtext(name) or "").split()) for name in ("dx", "dy", "dz")]
        states.append(dict(zip(pieces, zip(*along, strict=True), strict=True)))
    assert states[0] == there
    for before, after in pairwise(states):
        by = {piece: tuple(b - a for a, b in zip(before[piece], after[piece], strict=True)) for piece in pieces}
        still = [piece for piece in pieces if not any(by[piece])]
        (way,) = {by[piece] for piece in pieces if piece not in still}
        (axis,) = (n for n in range(3) if way[n])
        for far in range(1, min(abs(way[axis]), 60) + 1):
            step = tuple(far * (1 if x > 0 else -1) * (n == axis) for n, x in enumerate(way))
            moving = set().union(*(shifted(shifted(cells[n], before[n]), step) for n in pieces if n not in still))
            assert not moving & set().union(*(shifted(cells[n], before[n]) for n in still))
    last, there = states[-1], states[-2]
    out = {piece for piece in pieces if any(abs(x) > AWAY for x in last[piece])}
    yield len(states) - 1
    parts = {"removed": out, "left": {*pieces} - out}
    below = {lower.get("type", ""): lower for lower in separation.findall("separation")}
    assert {name for name, part in parts.items() if len(part) > 1} == {*below}
    for name, lower in below.items():
        yield from separate(lower, {n: cells[n] for n in parts[name]}, {n: there[n] for n in parts[name]})


@pytest.mark.parametrize(
    ("board", "pieces", "holes"),
    sampled([("2x2x3", "dominoes x*", 0), ("3x4", "dominoes x2 + 1x3 x2", 2), (BOARD, BURR, 0)], 3),
)
def test_written_solutions(board: str, pieces: str, holes: int, tmp_path: Path) -> None:
    result = solve(packing(board, pieces, holes=holes), jobs=1, apart=True)
    file = tmp_path / "solved.xmpuzzle"
    result.save(file)
    problem, shapes, goal = read(file)
    moves = [check_solution(solution, shapes, goal) for solution in problem.findall("./solutions/solution")]
    assert sorted(map(sorted, moves)) == sorted(sorted(solution.disassembly.moves) for solution in result)
    assert problem.get("assemblies") == str(result.solutions)
    assert problem.get("solutions") == str(result.report.apart)
    assert solve(find(str(file)).declare(), jobs=1).total == result.total
    stored = xmpuzzle_solutions(str(file))
    assert sorted(map(sorted, moves)) == sorted(sorted(solution.moves) for solution in stored)
    assert [solution.number for solution in stored] == [*range(1, result.solutions + 1)]
    for solution in stored:
        solid = sorted(sorted((0,) * (3 - len(cell)) + cell for cell in cells) for _, cells in solution.tiles)
        assert any(
            solid == sorted(sorted((0,) * (3 - len(c)) + tuple(c) for c in cells) for _, cells in of.disassembly.tiles)
            for of in result
        )


def read(file: Path) -> tuple[ElementTree.Element, list[set[Point]], set[Point]]:
    """The problem of a file, the shape of each piece as often as it may be used, and the result."""
    root = ElementTree.parse(file).getroot()
    voxels = [cells_of(voxel) for voxel in root.findall("./shapes/voxel")]
    problem = root.find("./problems/problem")
    assert problem is not None
    shapes = []
    for shape in problem.findall("./shapes/shape"):
        shapes += [voxels[int(shape.get("id", ""))]] * int(shape.get("count") or shape.get("max") or 1)
    goal = problem.find("result")
    assert goal is not None
    return problem, shapes, voxels[int(goal.get("id", ""))]


CAGE = """\
<puzzle version="2"><gridType type="0"/><colors/><shapes>
<voxel x="5" y="1" z="1" type="0">####_</voxel><voxel x="2" y="1" z="1" type="0">##</voxel>
<voxel x="1" y="1" z="1" type="0">#</voxel><voxel x="1" y="1" z="1" type="0">#</voxel></shapes><problems>
<problem state="2" assemblies="1" solutions="1"><shapes><shape id="1" count="1" GROUP/><shape id="2" count="1" GROUP/>
<shape id="3" count="1"/></shapes><result id="0"/><bitmap/><solutions><solution asmNum="4">
<assembly>0 0 0 0 2 0 0 0 3 0 0 0</assembly><separation><pieces count="3">0 1 2</pieces>
<state><dx>0 2 3</dx><dy>0 0 0</dy><dz>0 0 0</dz></state><state><dx>0 2 20003</dx><dy>0 0 0</dy><dz>0 0 0</dz></state>
<separation type="left"><pieces count="2">0 1</pieces>
<state><dx>7 9</dx><dy>0 0</dy><dz>0 0</dz></state><state><dx>7 9</dx><dy>0 0</dy><dz>0 1</dz></state>
<state><dx>7 9</dx><dy>20000 0</dy><dz>0 1</dz></state></separation></separation></solution></solutions></problem>
</problems></puzzle>"""
"""A bar of three pieces; the separation of two begins elsewhere, as BurrTools writes it."""


def test_stored_separations(tmp_path: Path) -> None:
    file = tmp_path / "own.xmpuzzle"
    file.write_text(CAGE.replace("GROUP", ""))
    (stored,) = xmpuzzle_solutions(str(file))
    assert (stored.number, stored.level, stored.moves) == (5, "1.2", (1, 2))
    assert [(step.axis, step.far, step.leaves) for step in stored.steps] == [(2, 1, True), (0, 1, False), (1, 1, True)]
    assert stored.disassembly.moves == (1, 1)
    file.write_text(CAGE.replace("<dx>0 2 20003<", "<dx>0 -19998 3<").replace("GROUP", ""))
    refused("the stored solution 1 is wrong: a piece goes through another one", lambda: xmpuzzle_solutions(str(file)))
    file.write_text(CAGE.replace("2 0 0 0 3 0 0 0", "1 0 0 0 3 0 0 0").replace("GROUP", ""))
    refused("pieces overlap", lambda: xmpuzzle_solutions(str(file)))


def test_groups_stay_together(tmp_path: Path) -> None:
    """Two pieces of one group need not come apart; pieces with copies in several groups are refused."""
    file, again = tmp_path / "own.xmpuzzle", tmp_path / "again.xmpuzzle"
    file.write_text(CAGE.replace("GROUP", 'group="1"'))
    puzzle = find(str(file)).declare()
    result = solve(puzzle, apart=True, jobs=1)
    assert [solution.disassembly.moves for solution in result] == [(1,)] * result.solutions
    result.save(again)
    assert {solution.moves for solution in xmpuzzle_solutions(str(again))} == {(1,)}
    assert find(str(again)).declare().board.groups == puzzle.board.groups == {"S2": 1, "S3": 1}
    groups = '<group group="1" count="1"/><group group="2" count="1"/>'
    own = '<shape id="2" count="1" GROUP/>'
    file.write_text(CAGE.replace(own, f'<shape id="2" count="1">{groups}</shape>').replace("GROUP", ""))
    refused("the copies of S3 belong to several groups", lambda: solve(find(str(file)).declare(), apart=True))


def test_other_puzzles_are_refused(tmp_path: Path) -> None:
    result = solve("magic", jobs=1)
    refused("is no packing", lambda: result.save(tmp_path / "magic.xmpuzzle", output="solutions"))
