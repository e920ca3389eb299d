"""Assemblies that come apart, against a search without shared code, and burrs whose levels are known."""

import random
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from models.packing import packing
from models.packings.isometric import Tile
from solvers import solve
from solvers.base.options import UNKNOWN
from solvers.extras.pictures.solid import tiles
from solvers.extras.questions.disassembly.disassembly import LOCKED, GroupMove, disassembly
from solvers.files.catalogue import find
from tests.support import command
from tests.support.burr import BOARD, BURR
from tests.support.own_models import write
from tests.support.refusals import refused
from tests.support.tiers import sampled

Place = tuple[int, ...]
Body = frozenset[Place]
SIDE = 5
"""A move by this many steps takes a piece out of all boards of the random assemblies."""


def moved(cells: Collection[Place], by: Sequence[int]) -> Body:
    return frozenset(tuple(x + d for x, d in zip(cell, by, strict=True)) for cell in cells)


def groups(bodies: Sequence[Body]) -> Iterator[tuple[list[int], list[int]]]:
    """Every way to choose the pieces that move and those that stay."""
    for size in range(1, len(bodies)):
        for chosen in combinations(range(len(bodies)), size):
            yield [*chosen], [n for n in range(len(bodies)) if n not in chosen]


def positions_after_a_move(bodies: tuple[Body, ...]) -> Iterator[tuple[tuple[Body, ...], list[int]]]:
    """Each position after a move and, if the move has taken pieces out, their numbers."""
    dimensions = len(min(bodies[0]))
    for moving, staying in groups(bodies):
        still = frozenset().union(*(bodies[n] for n in staying))
        for axis, sign in product(range(dimensions), (1, -1)):
            far = 4 * SIDE
            for steps in range(1, far + 1):
                by = [sign * steps * (n == axis) for n in range(dimensions)]
                if any(moved(bodies[n], by) & still for n in moving):
                    break
                after = tuple(moved(own, by) if n in moving else own for n, own in enumerate(bodies))
                yield after, moving if steps == far else []


def normal(bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    low = min(bodies[0])
    return tuple(moved(own, [-x for x in low]) for own in bodies)


def parts(bodies: tuple[Body, ...]) -> list[tuple[Body, ...]]:
    for _, out in positions_after_a_move(bodies):
        if out:
            left = tuple(own for n, own in enumerate(bodies) if n not in out)
            return parts(left) + parts(tuple(bodies[n] for n in out))
    return [bodies]


@cache
def level(bodies: tuple[Body, ...]) -> tuple[int, ...] | None:
    """The numbers of moves of all separations, the least ones; None if the assembly is locked."""
    if len(bodies) < 2:
        return ()
    layer, met, moves = {normal(bodies)}, {normal(bodies)}, 1
    while layer:
        ends = [divided for there in layer if len(divided := parts(there)) > 1]
        if ends:
            found = [(divided, [level(normal(part)) for part in divided]) for divided in ends]
            if any(None in levels for _, levels in found):
                return None
            return min((moves, *[1] * (len(d) - 2), *sum(sorted(filter(None, own)), ())) for d, own in found)
        layer = {normal(after) for there in layer for after, _ in positions_after_a_move(there)} - met
        met |= layer
        moves += 1
    return None


def random_assembly(chance: random.Random) -> list[Tile]:
    """Some bodies on a small board with holes; a body need not be connected, so that more of them lock each other."""
    sides = chance.choice([(4, 4), (5, 5), (5, 5), (3, 3, 2), (3, 3, 3), (4, 3, 2)])
    count, filled = chance.choice([2, 3, 3, 4]), chance.choice([0.4, 0.55, 0.65])
    lying: dict[Place, int] = {}
    for cell in product(*map(range, sides)):
        if chance.random() < filled:
            before = [lying[n] for a in range(len(sides)) if (n := (*cell[:a], cell[a] - 1, *cell[a + 1 :])) in lying]
            lying[cell] = chance.choice(before) if before and chance.random() < 0.6 else chance.randrange(count)
    numbers = sorted({*lying.values()})
    return [(str(n), [cell for cell, own in lying.items() if own == n]) for n in numbers]


def check_random(count: int, seed: int) -> Counter[str]:
    chance, levels = random.Random(seed), Counter[str]()
    for _ in range(count):
        tiles = random_assembly(chance)
        found, known = disassembly(tiles), level(tuple(frozenset(cells) for _, cells in tiles))
        assert (found.moves if found.is_apart else None) == known, tiles
        if known is not None:
            check_steps(tiles, found.steps, known)
        levels[found.level] += 1
    return levels


def check_steps(tiles: Sequence[Tile], steps: Sequence[GroupMove], moves: tuple[int, ...]) -> None:
    """Make the steps, unit by unit: no piece goes through another, and in the end each is alone."""
    there = {n: frozenset(map(tuple, cells)) for n, (_, cells) in enumerate(tiles)}
    together = {frozenset(there)} if tiles else set()
    for step in steps:
        assert step.part in together
        assert step.group < step.part
        still = frozenset().union(*(there[n] for n in step.part - step.group))
        dimensions = len(min(still))
        sign = 1 if step.far > 0 else -1
        for _ in range(4 * SIDE if step.leaves else abs(step.far)):
            for n in step.group:
                there[n] = moved(there[n], [sign * (axis == step.axis - 3 + dimensions) for axis in range(dimensions)])
                assert not there[n] & still
        if step.leaves:
            together = together - {step.part} | {step.group, step.part - step.group}
    assert all(len(part) == 1 for part in together)
    assert sum(moves) == len(steps)


def test_levels_of_random_assemblies() -> None:
    levels = check_random(25, 1)
    assert len(levels) > 2


@pytest.mark.thorough
def test_levels_of_many_random_assemblies() -> None:
    levels = check_random(2000, 2)
    assert len(levels) > 4, levels


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], "0"),
        ([[(0, 0, 0)]], "0"),
        ([[(0, 0, 0)], [(5, 5, 5)]], "1"),  # they do not touch
        ([[(0, 0)], [(0, 1)], [(3, 3)]], "1"),
        ([[(1, 1)], [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]], LOCKED),  # in a plane
        ([[(0, 1, 1)], [(0, r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]], "1"),  # the same in space
        ([[(0, 1), (1, 1), (1, 0), (1, 2)], [(0, 0), (2, 0), (2, 1), (2, 2), (0, 2), (1, 4)]], LOCKED),
        ([[(0, 0)], [(r, c) for r in (-1, 0, 1) for c in range(-1, 6) if r or c == -1]], "1"),  # out of a long hole
        (
            [
                [(1, 1)],
                [(r, c) for r in range(3) for c in range(6) if r % 2 == 0 or c in (0, 5) if (r, c) != (0, 4)],
            ],
            "2",  # along the hole and out
        ),
    ],
)
def test_levels(pieces: list[list[Place]], expected: str) -> None:
    found = disassembly([(str(n), cells) for n, cells in enumerate(pieces)])
    assert found.level == expected
    assert str(found)


def test_groups_move_together() -> None:
    """The least way begins with a move of two pieces at once."""
    pieces: list[tuple[str, list[Place]]] = [
        ("A", [(0, 2), (3, 0)]),
        ("B", [(0, 0), (1, 4), (3, 2), (3, 3)]),
        ("C", [(1, 0), (2, 1), (2, 3), (3, 1)]),
        ("D", [(1, 2), (3, 4), (4, 4)]),
    ]
    lines = str(disassembly(pieces)).splitlines()
    assert lines == ["1. A, D 1 down", "2. B to the right and out", "3. D down and out", "4. A down and out"]


def test_search_may_be_given_up() -> None:
    """A small piece in a large closed room can be in many places."""
    room = [(r, c) for r in range(60) for c in range(60) if r in (0, 59) or c in (0, 59)]
    found = disassembly([("room", room), ("A", [(1, 1)])], most=2000)
    assert found.is_apart is None
    assert found.level == UNKNOWN
    assert "it is not known" in str(found)
    assert disassembly([("room", room), ("A", [(1, 1)])]).is_apart is False


def test_six_piece_burr() -> None:
    """A burr of notched sticks comes apart, though straight pulls of single pieces do not suffice."""
    result = solve(find("packing").declare(board=BOARD, pieces=BURR), jobs=1)
    levels = [disassembly(tiles(solution.puzzle, solution)).level for solution in result]
    assert sorted(levels) == ["1", "1.1.2"]


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    sampled(
        [
            (["--apart"], 0, "come apart 2 of 2: levels 1.1.2, 1"),
            (["--by", "level"], 0, "come apart 2 of 2: levels 1.1.2, 1"),
            (["--unique-apart"], 4, "No, more than one assembly comes apart."),
        ],
        3,
    ),
)
def test_command(words: list[str], code: int, expected: str, tmp_path: Path) -> None:
    board, pieces = (str(write(tmp_path / name, text)) for name, text in (("board.txt", BOARD), ("pieces.txt", BURR)))
    done = command.run("solvers.run", "packing", "--board", board, "--pieces", pieces, "--jobs", "1", *words)
    assert (done.returncode, done.stderr) == (code, "")
    assert expected in " ".join(done.stdout.split())


@pytest.mark.thorough
def test_counts_by_level() -> None:
    """A piece that fills a closed frame stays in it; whether one of two assemblies comes apart is a question."""
    frame = packing("5x5", "A\n#####\n#...#\n#...#\n#...#\n#####\n\nB\n###\n#.#\n###\n\nC\n#\n")
    report = solve(frame, unique_apart=True, jobs=1).report
    assert (report.apart, report.unique_apart, report.features) == (0, False, {LOCKED: 1})
    slides = solve(packing("2x3", "1x3 x2"), unique_apart=True, jobs=1, symmetry="none").report
    assert (slides.apart, slides.unique_apart, slides.features) == (1, True, {"1": 1})
    listed = solve(packing("4x4", "dominoes x*"), by="level", jobs=1).report
    assert (listed.solutions, listed.apart) == (9, sum(n for level, n in listed.features.items() if level != LOCKED))
    hexagons = packing(board="hexagon-2", pieces="I x*\n#\n", grid="hex")
    refused("has no property 'level'", lambda: solve(hexagons, apart=True))
    refused("magic has no property 'level'", lambda: solve("magic", by="level"))
    refused("latin is no packing of squares or cubes", lambda: solve("latin", limit=1)[0].disassembly)
    refused("not by pieces", lambda: solve(frame, apart=True, by="pieces"))
    refused("no packing of squares or cubes", lambda: solve(hexagons, limit=1)[0].disassembly)


def test_question_ends_at_the_second_assembly_that_comes_apart() -> None:
    found = solve(packing(), unique_apart=True, jobs=1)
    assert (found.report.apart, found.solutions, found.report.unique_apart) == (2, 2, False)
    assert found.report.stopped_by == "the second assembly that comes apart"
    refused("stops earlier", lambda: solve(packing(), unique_apart=True, marginals=True))


@pytest.mark.thorough
def test_time_limit_ends_a_long_search() -> None:
    """Three loose pieces in a closed frame can lie in millions of ways."""
    rows = ["#" * 16, *["#" + "." * 14 + "#"] * 14, "#" * 16]
    pieces = "Frame\n" + "\n".join(rows) + "\n\nA\n##\n\nB\n###\n\nC\n####\n"
    began = time.monotonic()
    report = solve(packing("16x16", pieces, holes=187), apart=True, limit=1, time_limit=1, jobs=1).report
    assert time.monotonic() - began < command.on_this_load(6)
    assert not report.complete
