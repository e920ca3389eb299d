"""Edge matching and coloured packing: compared with brute force, with Tenyo's puzzle, and read back from drawings."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement, pairwise, permutations, product
from pathlib import Path
from typing import Any

import pytest

from models.boards.grid import LATTICES
from models.boards.lattice import Cell, Lattice
from models.checker import PRINTED, cells_by_letter
from models.coloured_packing import coloured_packing
from models.edge_matching import edge_matching, read_tiles
from models.packings.sets import read_board
from models.puzzle import Puzzle
from solvers import solve
from solvers.files.catalogue import find
from tests.support.edge_matching import count, squares
from tests.support.golden import ETERNITY
from tests.support.own_models import write
from tests.support.refusals import refused
from tests.support.tiers import sampled


def turns(edges: str, flip: bool, rotate: bool) -> set[str]:
    if not rotate:
        return {edges}
    return {side[n:] + side[:n] for side in (edges, edges[::-1])[: 1 + flip] for n in range(len(edges))}


def brute_force(board: Sequence[Cell], tiles: Sequence[str], lattice: Lattice, border: str, **asked: bool) -> int:
    """Each arrangement of the tiles, compared by the corners of their edges; tiles written alike are copies."""
    total = 0
    for order in set(permutations(tiles, len(board))):
        for lying in product(*(turns(tile, asked["flip"], asked["rotate"]) for tile in order)):
            shown: dict[frozenset[Any], list[str]] = {}
            for cell, edges in zip(board, lying, strict=True):
                corners = lattice.polygon(cell)
                for n, colour in enumerate(edges):
                    shown.setdefault(frozenset({corners[n], corners[(n + 1) % len(corners)]}), []).append(colour)
            total += all(one[0] == one[-1] and (one[1:] or border in ("any", one[0])) for one in shown.values())
    return total


def totals(puzzle: Puzzle) -> set[int]:
    """How many solutions there are in all, by two searches."""
    return {solve(puzzle, backend="cover", jobs=1).total, solve(puzzle, backend="sat", jobs=1, unbroken=True).total}


@pytest.mark.parametrize(("flip", "rotate"), sampled([(False, True), (True, True), (False, False)], 2))
@pytest.mark.parametrize(
    ("lattice", "board"),
    [
        pytest.param("square", "2x2", marks=pytest.mark.thorough),
        ("square", "##.\n.##"),
        ("triangle", "triangle-2"),
        ("triangle", "1x4"),
        ("hex", "1x3"),
    ],
)
def test_tiles_against_brute_force(lattice: Any, board: str, flip: bool, rotate: bool) -> None:
    if lattice == "triangle" and not rotate:
        asked = {"grid": lattice, "rotate": False}
        refused("cannot be combined with grid='triangle'", edge_matching, board, raises=ValueError, **asked)
        return
    choice = random.Random(f"{lattice} {board} {flip}")
    cells = sorted(read_board(board, LATTICES[lattice]))
    sides, found = len(LATTICES[lattice].polygon((0, 0))), 0
    for border in ("any", "a", "any"):
        tiles = ["a" * sides, *("".join(choice.choices("aaab", k=sides)) for _ in cells[1:])]
        lines = "".join(f"{tile} x{times}: {tile}\n" for tile, times in Counter(tiles).items())
        expected = brute_force(cells, tiles, LATTICES[lattice], border, flip=flip, rotate=rotate)
        assert totals(edge_matching(board, lines, lattice, border, flip, rotate)) == {expected}
        found += expected
    assert found


@pytest.mark.parametrize(
    ("lines", "names", "copies"),
    [
        ("1 2 3 4\n2 3 4 1\n", ["1234"], 2),
        ("t x2: 1 2 3 4\n", ["t"], 2),
        ("1 2 3 4 x2: 1 2 3 4\n", ["1234"], 2),
        ("t: 1 2 3 4\nt: 4 1 2 3\n", ["t"], 2),
        ("1 2 3 4 x0-1: 1 2 3 4\n2 3 4 1\n", ["1234"], 2),
        ("t: 1 2 3 4\nu: 2 3 4 1\n", ["t", "u"], 1),
    ],
)
def test_equal_tiles_are_one_tile_however_they_are_turned(lines: str, names: list[str], copies: int) -> None:
    """Two copies of a tile fill a board of two cells in half as many ways as two tiles with different names."""
    puzzle = edge_matching("1x2", lines, border="any")
    assert [tile.name for tile in read_tiles(lines, LATTICES["square"], flip=False)] == names
    assert puzzle.remarks.note == "t and u are equal and count as different" * (copies == 1)
    expected = brute_force([(0, 0), (0, 1)], ["1234"] * 2, LATTICES["square"], "any", flip=False, rotate=True)
    assert totals(puzzle) == {expected * 2 // copies}


def all_tiles(colours: int, sides: int) -> list[tuple[int, ...]]:
    every = product(range(colours), repeat=sides)
    return sorted({min(tile[n:] + tile[:n] for n in range(sides)) for tile in every})


@pytest.mark.thorough
def test_known_counts_by_halves() -> None:
    """What the golden table says of these, by another way."""
    tiles = [tuple(".abc".index(colour) for colour in line) for line in ETERNITY.split()]
    assert count(squares(4, 4), tiles, 4, 0) == 4
    six = edge_matching(board="3x2", tiles="macmahon-2", border="any")
    assert count(squares(3, 2), all_tiles(2, 4), 2, None) == solve(six, backend="cover").total > 0


@pytest.mark.parametrize(
    ("sides", "colours", "known"),
    [(3, 4, 24), (4, 3, 24), (6, 2, 14), (3, 5, 45), (4, 4, 70), (6, 3, 130)],  # OEIS A006527, A006528, A006565
)
def test_sets_of_all_tiles(sides: int, colours: int, known: int) -> None:
    (lattice,) = (one for one in LATTICES.values() if len(one.polygon((0, 0))) == sides)
    assert len(read_tiles(f"macmahon-{colours}", lattice, flip=False)) == known


@pytest.mark.thorough
def test_sets_of_tiles_that_are_not_turned() -> None:
    """Their board may be turned where its tiles become others of the set."""
    assert len(read_tiles("macmahon-3", LATTICES["square"], flip=False, rotate=False)) == 3**4
    puzzle = edge_matching("2x2", "macmahon-2 x0-1", border="any", rotate=False)
    assert len(puzzle.symmetries) == 8
    tiles = ["".join(edges) for edges in product("ab", repeat=4)]
    squares = [*product(range(2), repeat=2)]
    expected = brute_force(squares, tiles, LATTICES["square"], "any", flip=False, rotate=False)
    assert totals(puzzle) == {expected}


def test_colours_with_a_sign_meet_their_counterparts() -> None:
    tiles = "x: . a+ b- .\ny: . . b+ a-\nz: . . a+ b-\nw: b+ a- . .\n"
    puzzle = edge_matching(board="2x2", tiles=tiles, border=".")
    expected = list(solve(puzzle, backend="cover").in_all())
    assert all(Counter(str(label)[2] for label in way) == Counter("xyzw") for way in expected)
    assert totals(puzzle) == {len(expected)} != {0}


@pytest.mark.thorough
def test_what_is_drawn_or_said_is_read(tmp_path: Path) -> None:
    tiles = edge_matching(board="4x4", tiles=ETERNITY, border=".")
    file = str(write(tmp_path / "one.txt", str(solve(tiles, backend="cover", jobs=1)[0])))
    assert (solve(tiles, backend="cover", jobs=1, which=file).report.which or {}).get("number") == 1
    dominoes = coloured_packing()
    for puzzle, given, total in (
        (tiles, file, 1),
        (dominoes, "row 1 column 1 = 12", 1),
        (dominoes, "row 1 column 1 != 12", 0),
    ):
        assert solve(puzzle, backend="cover", jobs=1, given=[given]).total == total


TENYO = "\n\n".join(
    "\n".join(
        [
            name,
            *(
                "".join("xo"[(row + column) % 2] if (row, column) in cells else "." for column in range(8))
                for row in range(8)
                if any(cell[0] == row for cell in cells)
            ),
        ]
    )
    for name, cells in cells_by_letter(PRINTED).items()
)


@pytest.mark.thorough
def test_triangles_align_in_a_text() -> None:
    puzzle = edge_matching(board="hexagon-2", grid="triangle", tiles="macmahon-2 x*", border="any")
    lines = str(solve(puzzle, limit=1, jobs=1)[0]).splitlines()
    assert [lines[row].count("─") for row in (0, 6, 12, 18, 24)] == [27, 41, 55, 41, 27]
    assert sum(line.count(slant) for line in lines for slant in "╱╲") == 28 * 5
    assert sum(line.count(colour) for line in lines for colour in "ab") == 24 * 3


@pytest.mark.thorough
def test_tenyos_puzzle_as_a_coloured_packing() -> None:
    """Its thirteen pieces, drawn with their colours; any phase of the chessboard will do, so there are 8 and not 4."""
    chessboard = "\n".join(("xo" * 4, "ox" * 4) * 4)
    for board, neighbours, total, symmetries in (("8x8", "different", 8, 4), (chessboard, "any", 4, 2)):
        puzzle = find("coloured-packing").declare(board=board, pieces=TENYO, neighbours=neighbours, flip=False)
        result = solve(puzzle, backend="cover")
        assert (result.solutions, result.total, result.report.symmetries) == (2, total, symmetries)


def packed(pattern: dict[Cell, str], pieces: list[dict[Cell, str]], lattice: Lattice, mirror: bool, rule: str) -> int:
    """Each piece once, in each way, by moving and turning cell by cell; then the rule between neighbours."""
    ways: list[set[frozenset[tuple[Cell, str]]]] = [set() for _ in pieces]
    for (piece, found), turn, anchor in product(zip(pieces, ways, strict=True), lattice.turns(2, mirror), pattern):
        image = {turn(cell): colour for cell, colour in piece.items()}
        by = [x - y for x, y in zip(anchor, min(image), strict=True)]
        moved = {(cell[0] + by[0], cell[1] + by[1]): colour for cell, colour in image.items()}
        is_move = not (lattice.is_skew and sum(by) % 2)
        if is_move and moved.keys() <= pattern.keys() and all(pattern[cell] in ("#", moved[cell]) for cell in moved):
            found.add(frozenset(moved.items()))
    total = 0
    for chosen in product(*ways):
        lying = {cell: (number, colour) for number, way in enumerate(chosen) for cell, colour in way}
        if len(lying) == sum(map(len, chosen)) == len(pattern):
            pairs = [
                (lying[cell], lying[there]) for cell in lying for there in lattice.neighbours(cell) if there in lying
            ]
            agrees = {one[1] == other[1] for one, other in pairs if one[0] != other[0]}
            total += agrees <= {"any": {True, False}, "same": {True}, "different": {False}}[rule]
    return total


def cut(cells: Iterable[Cell], lattice: Lattice, choice: random.Random) -> list[frozenset[Cell]]:
    """Pieces of up to three cells, drawn at random."""
    left, parts = set(cells), []
    while left:
        part = [choice.choice(sorted(left))]
        while len(part) < 3 and (near := sorted(left & set(lattice.neighbours(part[-1])) - set(part))):
            part.append(choice.choice(near))
        left -= set(part)
        parts.append(frozenset(part))
    return parts


@pytest.mark.parametrize("rule", sampled(["any", "same", "different"], 2))
@pytest.mark.parametrize(
    ("lattice", "board"), [("square", "2x4"), ("triangle", "2x4"), ("hex", "2x4"), ("square", "##.\n###\n.##\n")]
)
def test_coloured_pieces_against_brute_force(lattice: Any, board: str, rule: Any) -> None:
    choice = random.Random(f"{lattice} {board} {rule}")
    own, found = LATTICES[lattice], 0
    cells = read_board(board, own)
    for flip in (True, False) * 2:
        parts = cut(cells, own, choice)
        colour = {cell: choice.choice("ab" if rule == "any" else "aab") for cell in cells}
        if flip:  # so that there are solutions
            colour = {cell: "a" if rule == "same" else proper(cell, lattice) for cell in cells}
        pattern = {cell: choice.choice([colour[cell], "#"]) if rule == "any" else "#" for cell in cells}
        pieces = [{cell: colour[cell] for cell in part} for part in parts]
        drawn = "\n\n".join(f"P{n}\n{drawing(piece)}" for n, piece in enumerate(pieces)) + "\n"
        expected = packed(pattern, pieces, own, flip, rule)
        assert totals(coloured_packing(f"{drawing(pattern)}\n", drawn, lattice, rule, flip)) == {expected}
        found += expected
    assert found


@pytest.mark.thorough
@pytest.mark.parametrize("most", [10, 12])
def test_dominoes_above_nine(most: int) -> None:
    """A set on a board that it was laid on: numbers with blanks between them, or A for 10."""
    choice = random.Random(most)
    dominoes = list(combinations_with_replacement(range(most + 1), 2))
    choice.shuffle(dominoes)
    laid_out, wide = [number for domino in dominoes for number in domino], most + 2
    rows = [laid_out[first : first + wide] for first in range(0, len(laid_out), wide)]
    numbers = "\n".join(" ".join(map(str, row)) for row in rows)
    letters = "\n".join("".join("0123456789ABC"[number] for number in row) for row in rows)
    puzzles = [coloured_packing(board, f"dominoes-{most}") for board in (numbers, letters)]
    assert str(puzzles[0].model) == str(puzzles[1].model)
    laid = {
        ("".join(sorted(f"{'0123456789ABC'[one]}{'0123456789ABC'[other]}")), ((r, c), (r, c + 1)))
        for r, row in enumerate(rows)
        for c, (one, other) in enumerate(pairwise(row))
        if c % 2 == 0
    }
    given = {label: 1 for label in puzzles[0].key if label[:2] in laid}
    assert len(given) == (most + 1) * (most + 2) // 2
    assert solve(puzzles[0], backend="cover", given=given).total == 1


def test_coloured_pieces_that_are_not_turned() -> None:
    bars = "A x*\nab\n"
    assert [solve(coloured_packing("2x4", bars, rotate=turn)).total for turn in (True, False)] == [80, 1]
    mirrored = solve(coloured_packing("2x4", bars, mirror=False))
    assert (mirrored.total, mirrored.report.symmetries) == (80, 4)


def proper(cell: Cell, lattice: str) -> str:
    """A colour that the neighbours of a cell have not."""
    row, column = cell
    return "abc"[((column - row) // 2 + 2 * row) % 3 if lattice == "hex" else (row + column) % 2]


def drawing(cells: dict[Cell, str]) -> str:
    rows, columns = (range(min(axis), max(axis) + 1) for axis in zip(*cells, strict=True))
    first = columns[0] - (columns[0] + rows[0]) % 2
    text = "\n".join("".join(cells.get((row, column), " ") for column in (first, *columns)) for row in rows)
    return text if first < columns[0] else "\n".join(line[1:] for line in text.splitlines())


@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("edge-matching", {"board": "3x3"}, "the board has 9 cells, but 24 tiles have to lie there"),
        ("edge-matching", {"border": "x"}, "no tile has the colour x of the border; there is a, b, c, or any"),
        ("edge-matching", {"tiles": "aaa\n"}, "line 1 of the tiles gives 3 colours; write 4, clockwise, as letters"),
        ("edge-matching", {"tiles": "\n\n"}, "no tile is given; write its colours in a line"),
        ("edge-matching", {"tiles": "t: aaaa\nt: aaab\n"}, "line 2 is the second tile called t, with other colours"),
        ("edge-matching", {"tiles": "A x0: aaaa\n"}, "x0 is an empty range or 0"),
        ("edge-matching", {"tiles": "macmahon-9", "grid": "hex"}, "colours 6 edges in 531441 ways; choose fewer"),
        ("edge-matching", {"tiles": "no file"}, "is neither a set such as macmahon-3 nor a file to be read"),
        ("edge-matching", {"board": "2x2x6"}, "2x2x6 is a box; choose a flat board"),
        ("coloured-packing", {"board": "3x3"}, "the board has 9 cells, but the pieces fill 20"),
        ("coloured-packing", {"pieces": "A\na.a\n"}, "the piece A does not hang together"),
        ("coloured-packing", {"pieces": "dominoes-36"}, "dominoes-36: dominoes have at most the number 35"),
        ("coloured-packing", {"pieces": "no file"}, "is neither a set such as dominoes-3 nor a file"),
        ("coloured-packing", {"pieces": "A\n"}, "line 1 of the drawing of pieces: the piece A is not drawn"),
        ("coloured-packing", {"pieces": "A\naa\n\nA\nab\n"}, "two pieces are called A, the second in line 4 of"),
        ("coloured-packing", {"pieces": "A\nab\n-\nab\n"}, "the piece A is solid, and the board is flat"),
        ("coloured-packing", {"board": "no file"}, "'no file' is neither"),
    ],
)
def test_what_is_refused(name: str, asked: dict[str, str], said: str) -> None:
    refused(re.escape(said), lambda: solve(find(name).declare(**asked)), raises=ValueError)
