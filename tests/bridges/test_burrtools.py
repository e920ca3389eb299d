"""Puzzles of BurrTools: written and read back, variable cubes, ranges, and what is refused."""

import gzip
import random
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from models.coloured_packing import coloured_packing
from models.packing import packing
from models.packings import pieces as rules
from models.puzzle import EMPTY, Puzzle
from solvers import InputError, export, solve
from solvers.files.catalogue import find
from tests.support import command
from tests.support.own_models import write


def puzzle_of(folder: Path, text: str, packed: bool = False, **parameters: Any) -> Puzzle:
    file = write(folder / "own.xmpuzzle", gzip.compress(text.encode()) if packed else text)
    puzzle: Puzzle = find(str(file)).declare(**parameters)
    return puzzle


def xml(shapes: str, *problems: str) -> str:
    of_problems = "".join(f"<problem state='0'>{problem}</problem>" for problem in problems)
    return (
        f"<puzzle version='2'><gridType type='0'/><shapes>{shapes}</shapes><problems>{of_problems}</problems></puzzle>"
    )


Cell = tuple[int, int, int]
"""Layer, row and column."""

DOMINO = "<voxel x='1' y='1' z='2' type='0' name='long one'>##</voxel>"
CUBE = "<voxel x='1' y='1' z='1' weight='2' type='0'>#</voxel>"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("board", "pieces", "holes"),
    [
        ("3x3x3", "soma", 0),
        ("2x2x3", "dominoes x*", 0),
        ("4x5", "pentominoes x0-1", 0),
        ("3x4", "dominoes x2 + 1x3 x2", 2),
        ("##.\n###", "dominoes x2 + monomino", 0),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_written_and_read_back(board: str, pieces: str, holes: int, packed: bool, tmp_path: Path) -> None:
    file = tmp_path / "out.xmpuzzle"
    words = ("export", "packing", str(file), "--board", board, "--pieces", pieces, "--holes", str(holes))
    command.printed(*words)
    there = solve(puzzle_of(tmp_path, file.read_text(), packed), backend="cover", jobs=1)
    here = solve(packing(board, pieces, holes=holes), backend="cover", jobs=1)
    assert (there.solutions, there.total) == (here.solutions, here.total)


def test_variable_cubes_and_ranges(tmp_path: Path) -> None:
    """Two to four dominoes in 2x2x2, of which the cubes of one layer may stay empty."""
    cells = set(product((0, 1), repeat=3))
    layer = {cell for cell in cells if cell[0] == 0}
    text = xml(DOMINO + solid(cells, "", cells - layer), uses((2, 4)))
    places = [{a, b} for a, b in combinations(cells, 2) if sum(map(lambda p, q: abs(p - q), a, b)) == 1]
    sets = [set().union(*own) for used in (2, 3, 4) for own in combinations(places, used) if disjoint(own)]
    assert solve(puzzle_of(tmp_path, text), backend="cover").total == sum(layer <= covered for covered in sets)


def disjoint(places: Sequence[set[Any]]) -> bool:
    return sum(map(len, places)) == len(set().union(*places))


def test_several_problems(tmp_path: Path) -> None:
    board = "<voxel x='2' y='2' z='1' type='0'>####</voxel>"
    text = xml(
        DOMINO + CUBE + board,
        "<shapes><shape id='0' count='2'/></shapes><result id='2'/>",
        "<shapes><shape id='0' count='1'/><shape id='1' count='2'/></shapes><result id='2'/>",
    )
    assert solve(puzzle_of(tmp_path, text)).total == 2
    second = puzzle_of(tmp_path, text, problem=2)
    assert solve(second).total == 4
    assert {label[0] for label in second.key} == {"long_one", "S2"}


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        ("", "utf-8"),
        ("", "latin-1"),
        ("", "cp1252"),
        ("", "utf-16"),
        ('<?xml version="1.0"?>', "latin-1"),
        ('<?xml version="1.0"?>', "utf-8-sig"),
        ('<?xml version="1.0" encoding="UTF-8"?>', "cp1252"),
        ("<?xml version='1.0' encoding='iso-8859-1'?>", "latin-1"),
        ("<?xml version='1.0' encoding='windows-1252'?>", "cp1252"),
    ],
)
def test_encodings(declaration: str, encoding: str, tmp_path: Path) -> None:
    name = "Würfel\N{EN DASH}ß" if encoding != "latin-1" else "Würfel-ß"
    text = declaration + xml(DOMINO.replace("long one", name) + solid([(0, 0, 0), (0, 0, 1)]), uses((1, 1)))
    text = text.replace("</puzzle>", f"<comment>{name}</comment></puzzle>")
    for data in (text.encode(encoding), gzip.compress(text.encode(encoding))):
        file = write(tmp_path / "own.xmpuzzle", data)
        assert {label[0] for label in find(str(file)).declare().key} == {name}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<?xml version='1.0' encoding='foo'?><a/>", "its encoding cannot be read: unknown encoding: foo; save it as"),
        (b"<?xml version='1.0' encoding='shift_jis'?><a/>", "its encoding cannot be read: multi-byte"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "it is not XML"),
        (gzip.compress(b"<a/>", mtime=0)[:-1], "it is damaged: the end of the compressed file is missing"),
        (gzip.compress(b"<a/>", mtime=0)[:-8], "it is damaged: the end of the compressed file is missing"),
        (gzip.compress(b"<a/>", mtime=0)[:12], "it is damaged: the end of the compressed file is missing"),
        (gzip.compress(b"<a/>", mtime=0)[:-8] + bytes(8), "it is damaged: it cannot be decompressed"),
        (gzip.compress(b"<a/>", mtime=0) + b"more", "it is damaged: something follows"),
    ],
)
def test_what_cannot_be_decoded(data: bytes, said: str, tmp_path: Path) -> None:
    assert said in command.refusal(str(write(tmp_path / "bad.xmpuzzle", data)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<a", "it is not XML"),
        ("<a/>", "it is not a BurrTools puzzle: its outermost element is 'a'"),
        (xml(""), "there is no problem 1; it holds 0"),
        (
            xml("", "<result id='0'/>").replace("type='0'", "type='2'"),
            "its grid is not made of cubes; only grids of cubes can be read",
        ),
        (xml(CUBE.replace("#", "#64"), "<result id='0'/>"), "the shape 'S1' has a colour beyond 63"),
        (xml(CUBE.replace("#", "#100"), "<result id='0'/>"), "contains a sign other than _, # and +"),
        (
            xml(
                CUBE, "<shapes><shape id='0'/></shapes><result id='0'/><bitmap><pair piece='63' result='0'/></bitmap>"
            ).replace("#", "#1"),
            "it has more than 63 colours",
        ),
        (
            xml(CUBE.replace("#", "##"), "<result id='0'/>"),
            "the shape 'S1' has 2 places, but its size is given as 1x1x1",
        ),
        (xml(CUBE.replace("#", "?"), "<result id='0'/>"), "contains a sign other than _, # and +"),
        (xml(CUBE.replace("#", "_"), "<result id='0'/>"), "the result of the problem has no cubes"),
        (xml(CUBE, "<result id='1'/>"), "a problem names a shape that the file does not hold"),
        (xml(CUBE, "<result id='0'/>"), "the problem has no pieces"),
        (xml(CUBE, "<shapes><shape id='0' min='2' max='1'/></shapes><result id='0'/>"), "at least 2 and at most 1"),
    ],
)
def test_what_is_refused(text: str, said: str, tmp_path: Path) -> None:
    assert said in command.refusal(str(write(tmp_path / "bad.xmpuzzle", text)))


def voxel(states: dict[Cell, str], name: str = "") -> str:
    """Cubes in a box of their size."""
    layers, rows, columns = (1 + max(places) for places in zip(*states, strict=True))
    text = "".join(states.get(cell, "_") for cell in product(range(layers), range(rows), range(columns)))
    return f"<voxel x='{columns}' y='{rows}' z='{layers}' type='0' name='{name}'>{text}</voxel>"


Piece = dict[tuple[int, int], str]
"""The states of its cells, or of a board's, by row and column: #, #1 or +2 with a colour."""

Bag = list[tuple[Piece, int, int]]
"""Pieces, and how often each may be used, at least and at most."""


def turned(piece: Piece) -> list[Piece]:
    """A piece as it can be turned and turned over, each way once, with its first cell at the origin."""
    ways: list[Piece] = []
    for mirror, quarters in product((False, True), range(4)):
        way = {(row, -column if mirror else column): state for (row, column), state in piece.items()}
        for _ in range(quarters):
            way = {(column, -row): state for (row, column), state in way.items()}
        top, left = min(way)
        way = {(row - top, column - left): state for (row, column), state in way.items()}
        ways += [] if way in ways else [way]
    return ways


def count(board: Piece, bag: Bag, pairs: list[tuple[int, int]], holes: int) -> int:
    """Fill the first cell of the board in all ways, or leave it empty; pairs: the colours that may meet."""
    if not board:
        return int(all(least <= 0 for _, least, _ in bag))
    row, column = first = min(board)
    found = 0
    if board[first].startswith("+") and holes:
        found = count({cell: state for cell, state in board.items() if cell != first}, bag, pairs, holes - 1)
    for number, (piece, least, most) in enumerate(bag):
        left = [*bag[:number], (piece, least - 1, most - 1), *bag[number + 1 :]]
        for way in turned(piece) if most else ():
            place = {(row + down, column + right): state[1:] for (down, right), state in way.items()}
            if place.keys() <= board.keys() and all(
                not own or not board[cell][1:] or (int(own), int(board[cell][1:])) in pairs
                for cell, own in place.items()
            ):
                rest = {cell: state for cell, state in board.items() if cell not in place}
                found += count(rest, left, pairs, holes)
    return found


def coloured(seed: int) -> tuple[str, int]:
    """A random flat puzzle with colours, and the number of its solutions."""
    chance = random.Random(seed)
    shapes = [[(0, 0)], [(0, 0), (0, 1)], [(0, 0), (0, 1), (0, 2)], [(0, 0), (0, 1), (1, 0)]]
    board = {cell: chance.choice(["#", "#1", "#2", "+", "+1"]) for cell in product(range(2), range(4))}
    bag = []
    for _ in range(3):
        piece = {cell: chance.choice(["#", "#1", "#2"]) for cell in chance.choice(shapes)}
        bag.append((piece, chance.choice([0, 0, 1]), chance.choice([1, 2, 4])))
    pairs = [pair for pair in product((1, 2), (1, 2)) if chance.random() < 0.6]
    holes = chance.choice([0, 1, 2])
    drawn = "".join(
        voxel({(0, *cell): state for cell, state in one.items()}) for one in (*(own[0] for own in bag), board)
    )
    allowed = "".join(f"<pair piece='{own - 1}' result='{there - 1}'/>" for own, there in pairs)
    problem = uses(*((least, most) for _, least, most in bag)) + f"<bitmap>{allowed}</bitmap>"
    text = xml(drawn, problem).replace("state='0'", f"state='0' maxHoles='{holes}'")
    return text, count(board, bag, pairs, holes)


@pytest.mark.thorough
def test_colours_against_brute_force(tmp_path: Path) -> None:
    found, again = 0, str(tmp_path / "again.xmpuzzle")
    for seed in range(20):
        text, expected = coloured(seed)
        if expected:
            puzzle = puzzle_of(tmp_path, text)
            export(puzzle, again)
            read_back = find(again).declare()
            counts = [
                solve(one, backend="cover", unbroken=n > 1, jobs=1).total
                for n, one in enumerate((puzzle, read_back, puzzle))
            ]
            assert counts == [expected] * 3, seed
            found += 1
        else:
            with suppress(InputError):  # where the areas cannot fit
                assert solve(puzzle_of(tmp_path, text), backend="cover", jobs=1).total == 0, seed
    assert found > 2


def test_dominosa_is_written_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "dominosa.xmpuzzle"
    export(find("coloured-packing").declare(), str(file))
    assert file.read_text().count("<color ") == 4
    again = solve(find(str(file)).declare(), backend="cover", jobs=1)
    assert (again.solutions, again.total) == (1, 1)
    with pytest.raises(InputError, match="is no packing of squares or cubes that may be turned over"):
        export(find("coloured-packing").declare(neighbours="same"), str(file))


def again(puzzle: Puzzle, folder: Path) -> int:
    """The number of solutions of a puzzle that is written for BurrTools and read back."""
    file = str(folder / "again.xmpuzzle")
    export(puzzle, file)
    return solve(find(file).declare(), backend="cover", jobs=1).total


@pytest.mark.parametrize(
    ("board", "pieces", "holes", "total"),
    [
        ("###.#\n....##\n", "1x3 x0-2", 0, 0),  # one cell is covered by no placement, and two are
        ("1x2", "1x3 x0-* + 1x2", 0, 1),
        ("1x2", "1x3 x0-* + 1x1 x2", 0, 1),
        ("#.#.#\n", "1x2 x0-1 + 1x1 x3", 0, 1),
        ("###.##\n", "1x3", 2, 1),
        ("LL#\n#L#\n###\n", "L\n##\n.#\n\nI x2\n###\n", 0, 0),  # the piece that the board shows is not written
        ("LL#\n#L#\n###\n", "L x1-*\n##\n.#\n\nI x0-2\n###\n", 0, 1),
    ],
)
def test_no_cell_is_lost(board: str, pieces: str, holes: int, total: int, tmp_path: Path) -> None:
    puzzle = packing(board, pieces, holes=holes)
    assert solve(puzzle, backend="cover", jobs=1).total == again(puzzle, tmp_path) == total


@pytest.mark.parametrize(
    ("board", "pieces", "total"),
    [
        ("ca\nc#\nb.\n", "P x2-*\nc\na\n\nQ x0-1\nc\n", 0),
        ("ca\nc#\n", "P x2-*\nc\na\n\nQ x0-1\nc\n", 1),
        ("bb\n", "P x0-*\na\n\nQ x0-1\na\na\n", 0),  # nothing can lie anywhere
        ("bb\n", "P x0-*\naaa\n\nQ x2\nb\n", 1),
        ("bb\n", "P x1\na\n\nQ x0-2\nb\n", 0),  # a piece that has to be used fits nowhere
        ("##\n", "P x0-1\na\n\nQ x0-1\nb\n", 2),
    ],
)
def test_no_coloured_cell_is_lost(board: str, pieces: str, total: int, tmp_path: Path) -> None:
    puzzle = coloured_packing(board, pieces)
    assert solve(puzzle, backend="cover", jobs=1).total == again(puzzle, tmp_path) == total
    text = (tmp_path / "again.xmpuzzle").read_text()
    assert max(map(int, re.findall("#([0-9]+)", text))) == text.count("<color ")


@pytest.mark.thorough
def test_variable_cubes_are_written_again(tmp_path: Path) -> None:
    cells = set(product((0, 1), repeat=3))
    layer = {cell for cell in cells if cell[0] == 0}
    for most in (0, 1, 2, 4, 9):
        text = xml(DOMINO + CUBE + solid(cells, "", layer), uses((2, 4), (0, 1)))
        puzzle = puzzle_of(tmp_path, text.replace("state='0'", f"state='0' maxHoles='{most}'"))
        assert again(puzzle, tmp_path) == solve(puzzle, backend="cover", jobs=1).total > 0, most


def plain(seed: int) -> Puzzle:
    """A random flat packing, on a board of which some cells may stay empty or are covered by nothing."""
    chance = random.Random(seed)
    cells = [cell for cell in product(range(3), range(4)) if chance.random() < 0.75] or [(0, 0)]
    bag = []
    for shape in chance.sample(["##", "###", "##/#.", "#", "#.#"], 3):
        own = {
            (row, column) for row, line in enumerate(shape.split("/")) for column, at in enumerate(line) if at == "#"
        }
        bag.append(rules.Piece(shape, frozenset(own), chance.choice([0, 0, 1]), chance.choice([1, 2, 4, None])))
    holes = chance.choice([0, 0, 2])
    bag += [rules.Piece(EMPTY, frozenset([(0, 0)]), 0, holes)] if holes else []
    return rules.packing_of("random", {}, rules.Rules(frozenset(cells), bag, mirror=True))


@pytest.mark.thorough
def test_random_packings_are_written_and_read_back(tmp_path: Path) -> None:
    counts = []
    for seed in range(15):
        puzzle = plain(seed)
        counts.append(solve(puzzle, backend="cover", jobs=1, symmetry="none").total)
        assert again(puzzle, tmp_path) == counts[-1], seed
    assert 0 in counts
    assert len(set(counts)) > 4


def solid(cells: Collection[Any], name: str = "", variable: Collection[Any] = ()) -> str:
    return voxel({cell: "+" if cell in variable else "#" for cell in cells}, name)


def uses(*ranges: tuple[int, int]) -> str:
    shapes = "".join(f"<shape id='{n}' min='{low}' max='{high}'/>" for n, (low, high) in enumerate(ranges))
    return f"<shapes>{shapes}</shapes><result id='{len(ranges)}'/>"


BAR = set(product(range(2), range(2), range(6)))
"""The bar of a burr of six pieces."""

REMOVABLE = [(0, 0, 2), (0, 0, 3), *product((1,), range(2), range(1, 5))]
"""Its cubes that a piece may lack."""


def test_the_manuals_mirror_paradox(tmp_path: Path) -> None:
    """Two pieces fill a shape in two ways, which are mirror images: one with two of a piece, one with two of its image.

    The piece is a tetracube that differs from its image, and the shape a cube of eight.
    """
    piece = {(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1)}
    image = {(layer, column, row) for layer, row, column in piece}
    text = xml(solid(piece) + solid(image) + solid([*product(range(2), repeat=3)]), uses((0, 2), (0, 2)))
    puzzle = puzzle_of(tmp_path, text)
    each = solve(puzzle, backend="cover", by="pieces", symmetry="none").report.features
    assert each.keys() == {"S1 x2", "S2 x2"}
    assert each["S1 x2"] == each["S2 x2"]
    result = solve(puzzle, backend="cover", by="pieces")
    assert (result.solutions, result.report.features) == (1, {"S1 x2 or S2 x2": 1})


def test_the_manuals_pieces_of_a_burr(tmp_path: Path) -> None:
    """The least piece and ten single cubes in a bar, whose other cubes may stay empty: 1024 pieces."""
    least = BAR - {*REMOVABLE}
    text = xml(solid(least, "least") + solid({(0, 0, 0)}, "cube") + solid(BAR, "", REMOVABLE), uses((1, 1), (0, 10)))
    puzzle = puzzle_of(tmp_path, text)
    place = next(label for label in puzzle.key if label[0] == "least" and {*label[1]} == least)
    assert solve(puzzle, backend="cover", given={place: 1}, symmetry="none").total == 1024


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all pieces are placed"):
        export(packing("LL\n#L\n".replace("#", "."), "L\n##\n.#\n\nI x0-1\n###\n"), tmp_path / "full.xmpuzzle")
    for words in (
        ("magic",),
        ("packing", "--board", "2x3", "--no-flip", "--pieces", "dominoes x*"),
        ("packing", "--board", "2x3", "--holes", "2", "--pieces", "dominoes x*"),
    ):
        command.refusal("export", *words, str(tmp_path / "a.xmpuzzle"))
    with pytest.raises(InputError, match="holds no givens"):
        export(packing("2x3", "dominoes x*"), str(tmp_path / "a.xmpuzzle"), given=["row 1 column 1 = I"])


def test_a_heading_names_no_folder(tmp_path: Path) -> None:
    bar = "<voxel x='3' y='1' z='1' type='0' name='bar'>###</voxel>"
    problem = "<problem state='0'><shapes><shape id='0' count='1'/></shapes><result id='1'/></problem>"
    parts = f"<gridType type='0'/><shapes>{bar}{bar}</shapes><problems>{problem}</problems>"
    file = write(tmp_path / "own.xmpuzzle", f"<puzzle version='2'>{parts}</puzzle>")
    result = solve(str(file), jobs=1)
    result.save(tmp_path / "sheet.svg")
    result.save(tmp_path / "page.html")
    for written in (tmp_path / "sheet.svg", tmp_path / "page.html"):
        shown = re.findall("<(?:text[^>]*|h1|title)>([^<]*own[^<]*)<", written.read_text(encoding="utf-8"))
        assert {*shown} == {"own.xmpuzzle"}
