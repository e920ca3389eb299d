"""Packing: sets, files of pieces, boards of hexagons and triangles, what is refused, pictures, and sheets."""

import random
from itertools import combinations, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from models import grid
from models import pieces as rules_of_packing
from models.grid import SQUARE, Cells
from models.lattice import HEX, TRIANGLE, Lattice
from models.packing import packing
from models.pictures import isometric
from models.sets import KNOWN, named_set, polyforms, read_board, read_pieces
from solvers import solve
from solvers.errors import InputError
from solvers.show import draw
from tests.support import command

MIXED = "A x0-2\n##\n#.\n\nB x*\n##\n\nC x1\n#\n"


@pytest.mark.parametrize(
    ("lattice", "counts", "one_sided"),
    [
        (SQUARE, [1, 1, 2, 5, 12, 35], [1, 1, 2, 7, 18, 60]),  # OEIS A000105, A000988
        (TRIANGLE, [1, 1, 1, 3, 4, 12, 24], [1, 1, 1, 4, 6, 19]),  # OEIS A000577, A006534
        (HEX, [1, 1, 3, 7, 22], [1, 1, 3, 10, 33]),  # OEIS A000228, A006535
    ],
)
def test_polyforms(lattice: Lattice, counts: list[int], one_sided: list[int]) -> None:
    assert [len(polyforms(size, lattice)) for size in range(1, len(counts) + 1)] == counts
    assert [len(polyforms(size, lattice, mirror=False)) for size in range(1, len(one_sided) + 1)] == one_sided


def test_polycubes() -> None:
    assert [len(polyforms(size, dimensions=3, mirror=False)) for size in range(1, 6)] == [1, 1, 2, 8, 29]  # A000162


def test_every_set_can_be_named() -> None:
    for name in KNOWN.split(", "):
        lattice, dimensions, shapes = named_set(name)
        assert len(set(shapes)) == len(shapes) > 0
        assert [piece.name for piece in read_pieces(name, lattice, dimensions, flip=True)] == list(shapes)
    assert len(named_set("one-sided-hexominoes")[2]) == 60
    assert len(named_set("bedlam")[2]) == 13
    assert sorted(map(len, named_set("bedlam")[2].values())) == [4] + [5] * 12


def brute_force(
    board: Cells, used_pieces: list[tuple[str, Cells, int, int | None]], lattice: Lattice, mirror: bool
) -> int:
    """Fills the first open cell with each piece in each way, by moving and turning cell by cell."""
    forms = {
        name: {grid.normalised(list(map(turn, shape)), lattice) for turn in lattice.turns(len(min(board)), mirror)}
        for name, shape, _, _ in used_pieces
    }
    used = {name: 0 for name, *_ in used_pieces}

    def filled(left: Cells) -> int:
        if not left:
            return all(low <= used[name] <= (high or 99) for name, _, low, high in used_pieces)
        first, total = min(left), 0
        for name, _, _, high in used_pieces:
            if high is not None and used[name] == high:
                continue
            for form in forms[name]:
                for anchor in form:
                    by = [x - y for x, y in zip(first, anchor, strict=True)]
                    place = {tuple(x + d for x, d in zip(cell, by, strict=True)) for cell in form}
                    if place <= left and min(place) == first and (lattice is SQUARE or sum(by) % 2 == 0):
                        used[name] += 1
                        total += filled(left - place)
                        used[name] -= 1
        return total

    return filled(board)


@pytest.mark.parametrize(
    ("board", "pieces", "asked"),
    [
        ("4x4", MIXED, {}),
        ("3x5", "L x*\n###\n#..\n\nS x0-1\n.##\n##.\n\nV x1-*\n##\n#.\n", {"flip": False}),
        ("2x2x3", "A x*\n##\n\nB x0-1\n##\n#.\n-\n#.\n..\n\nC x0-1\n##\n.#\n-\n#.\n..\n", {}),
        ("hexagon-2", "A x0-3\n#.#\n\nB x*\n#.#\n.#\n\nC x1\n#\n", {"grid": "hex"}),
        ("triangle-3", "A x*\n##\n\nB x0-2\n###\n\nC x1-2\n#\n", {"grid": "triangle"}),
        ("2x7", "A x*\n###\n\nB x0-2\n####\n\nC x0-2\n#\n", {"grid": "triangle", "flip": False}),
    ],
)
def test_against_brute_force(board: str, pieces: str, asked: dict[str, Any]) -> None:
    lattice = {"hex": HEX, "triangle": TRIANGLE}.get(asked.get("grid", ""), SQUARE)
    cells = read_board(board, lattice)
    dimensions = len(min(cells))
    read = [
        (piece.name, frozenset((0,) * (dimensions - len(min(piece.shape))) + cell for cell in piece.shape), *piece[2:])
        for piece in read_pieces(pieces, lattice, dimensions, asked.get("flip", True))
    ]
    expected = brute_force(cells, read, lattice, asked.get("flip", True) and dimensions == 2)
    assert expected > 0
    result = solve("packing", board=board, pieces=pieces, backend="cover", jobs=1, **asked)
    assert result.total == expected
    assert result.report.symmetry_proved
    assert solve("packing", board=board, pieces=pieces, backend="sat", jobs=1, all=True, **asked).total == expected


def test_the_rule_by_pencil_and_paper() -> None:
    pieces = [rules_of_packing.Piece("I", grid.drawn("##")), rules_of_packing.Piece("T", grid.drawn("###\n.#."), 0, 1)]
    board = grid.box(2, 3)
    rules = rules_of_packing.Rules(board, [pieces[0]._replace(most=3), pieces[1]], mirror=True)
    is_kept = rules.check()
    rows = [("I", ((0, column), (1, column))) for column in range(3)]
    assert is_kept(dict.fromkeys(rows, 1))
    assert is_kept({**dict.fromkeys(rows, 1), ("T", ((0, 0), (0, 1), (0, 2), (1, 1))): 0})
    tee = "T", ((0, 0), (0, 1), (0, 2), (1, 1))
    for wrong in (
        rows[:2],
        [*rows, tee],
        [*rows[:2], ("I", ((0, 1), (1, 1)))],
        [*rows[:2], ("I", ((0, 2), (1, 1)))],
        [*rows[:2], ("I", ((0, 2), (0, 3)))],
        [*rows[:2], ("I", ((0, 2), (0, 2)))],
        [*rows[:2], ("J", rows[2][1])],
        [*rows[:2], ("I", ())],
    ):
        assert not is_kept(dict.fromkeys(wrong, 1)), wrong
    assert not rules._replace(pieces=[pieces[0]._replace(most=2)]).check()(dict.fromkeys(rows, 1))
    assert not rules._replace(pieces=[pieces[0]._replace(least=4, most=None)]).check()(dict.fromkeys(rows, 1))
    assert not rules._replace(allows=lambda name, place: place != rows[0][1]).check()(dict.fromkeys(rows, 1))


def test_symmetries_carry_the_set_to_itself() -> None:
    """A mirror image of a box is a symmetry only where each piece's mirror image is there as often."""
    for pieces, order in (("tetracubes x*", 48), ("soma", 48), ("bedlam", 24)):
        board = "4x4x4" if pieces == "bedlam" else "3x3x3" if pieces == "soma" else "2x2x2"
        assert len(packing(board, pieces).symmetries) == order - 1
    one = "A x*\n##\n#.\n-\n..\n#.\n\nI x*\n##\n"
    assert len(packing("2x2x2", one).symmetries) == 23


def test_holes_and_notes(tmp_path: Path) -> None:
    assert solve("packing", board="3x3", pieces="dominoes x*", holes=1, jobs=1).total == 18
    twins = "A\n##\n\nB\n#\n#\n"
    result = solve("packing", board="2x2", pieces=twins, jobs=1)
    assert (result.total, result.report.note) == (4, "A and B have the same shape and count as different")
    file = tmp_path / "twins"
    file.write_text(twins)
    done = command.run("solvers.run", "packing", "--board", "2x2", "--pieces", str(file))
    assert "note                          A and B have the same shape and count as different\n" in done.stdout


REFUSED = [
    ({"board": "5x5"}, "5x5 has 25 cells, but the pieces fill 27|soma are solid"),
    ({"board": "5x5", "pieces": "pentominoes"}, "5x5 has 25 cells, but the pieces fill 60; choose a board of 60 cells"),
    ({"board": "3x3", "pieces": "dominoes x*"}, "no set of the pieces covers 9 cells; the nearest cover 8 and 10"),
    ({"board": "8x8", "pieces": "pentominoes"}, "or 4 holes more"),
    ({"board": "##.#\n##.#\n...#", "pieces": "2x2 + V\n"}, "line 1 of the drawing"),
    (
        {"board": "#.##\n..##\n..##\n..#.", "pieces": "dominoes x*"},
        "no set of the pieces covers the 1 cell of the drawing that hangs with row 1, column 1",
    ),
    ({"board": "2x6", "pieces": "XL + 1x2"}, "the piece X fits nowhere on 2x6"),
    (
        {"board": "2x6", "pieces": "nonsense"},
        "'nonsense' is neither a set of pieces nor a file; give a set such as soma",
    ),
    ({"board": "2x6", "pieces": "dominoes + nonsense"}, "'nonsense' is no set of pieces"),
    ({"board": "2x6", "pieces": "dominoes x2-1"}, "write the smaller number first"),
    ({"board": "2x6", "pieces": "dominoes xx"}, "xx is no number of pieces; write x3, x0-2"),
    ({"board": "2x6", "pieces": "FF"}, "two pieces are called F; write F x2 for two of them"),
    ({"board": "2x6", "pieces": "hexiamonds"}, "made for another grid; add --grid triangle"),
    ({"board": "2x6", "pieces": "one-sided-tetrominoes"}, "add --no-flip"),
    ({"board": "3x3x3", "flip": False}, "leave out --no-flip"),
    ({"board": "2x3x4", "grid": "hex", "pieces": "trihexes"}, "2x3x4 is a box, which is made of cubes"),
    (
        {"board": "##\n##", "grid": "hex", "pieces": "trihexes"},
        "line 1, column 2 of the drawing is no place of a hexagon",
    ),
    ({"board": "hexagon-0", "grid": "hex", "pieces": "trihexes"}, "has no cells"),
    ({"board": "2x2", "pieces": "A\n##\n\nA\n#\n"}, "two pieces are called A, the second in line 4 of the drawing"),
    ({"board": "2x2", "pieces": "##\n##\n"}, "line 1 of the drawing draws a piece without a name"),
    ({"board": "2x2", "pieces": "A\n\nB\n#\n"}, "line 1 of the drawing: the piece A is not drawn"),
    ({"board": "2x2", "pieces": "A\n#?\n"}, "line 2 of the drawing holds '\\?'; draw with # and . only"),
    ({"board": "2x2", "pieces": "A\n#.#\n"}, "line 1 of the drawing: the piece A does not hang together"),
    ({"board": "2x2", "pieces": "A\n#\n-\n#\n"}, "the piece A is solid, and the board is flat"),
    ({"board": "2x2", "pieces": "A b\n#\n"}, "'A b' is no name"),
    ({"board": "2x2", "pieces": "dominoes x*", "holes": -1}, "-1 holes are none"),
    ({"board": "2x2", "pieces": "_ x*\n##\n", "holes": 2}, "a piece is called _"),
    (
        {"board": "3x5", "pieces": "trominoes x*", "holes": 1},
        "^packing: 1 hole leaves 14 cells, which no set of the pieces covers; the nearest cover 12 and 15$",
    ),
    ({"board": "3x5", "pieces": "trominoes x*", "holes": 14}, "14 holes leave 1 cell, .*; the nearest cover 0 and 3$"),
    ({"board": "3x5", "pieces": "trominoes x*", "holes": 16}, "16 holes are more than the 15 cells of the board"),
    (
        {"board": "3x5", "pieces": "FI", "holes": 2},
        "3x5 has 15 cells, but the pieces fill 10 beside 2 holes; choose a board of 12 cells, or 5 holes in all",
    ),
    ({"board": "3x5", "pieces": "FIL", "holes": 2}, "choose a board of 17 cells, or no holes$"),
    ({"board": "3x5", "pieces": "FILP", "holes": 2}, "choose a board of 22 cells$"),
    ({"board": "3x5", "pieces": "trominoes + 2x4"}, "choose a board of 14 cells, or 1 hole more$"),
    ({"board": "3x5", "pieces": ""}, "^packing: no pieces are named; give a set such as soma"),
    ({"board": "3x5", "pieces": "FIL + "}, "a [+] lacks the pieces beside it; give a set such as soma"),
    (
        {"board": "3x5", "pieces": "trominos x*"},
        "^packing: there is no set of pieces 'trominos'; did you mean trominoes.$",
    ),
    ({"board": "3x5", "pieces": "I + one-sided-tetrominos"}, "did you mean one-sided-tetrominoes.$"),
    ({"board": "4x5", "pieces": "FPUQ"}, "'FPUQ': Q is no letter of a pentomino; these are FILNPTUVWXYZ$"),
    ({"board": "4x5", "pieces": "soma.txt"}, "'soma.txt' is neither a set of pieces nor a file; .* path of a file"),
    ({"board": "4x5", "pieces": "tests"}, "'tests' is a folder; give a set such as soma"),
    (
        {"board": "hexagon-2", "pieces": "trihexes x*"},
        "hexagon-2 is made of hexagons or triangles; add --grid hex or --grid triangle$",
    ),
]


@pytest.mark.parametrize(("asked", "complaint"), REFUSED)
def test_what_is_refused(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        solve("packing", **asked)
    assert "\n" not in str(caught.value)


def test_too_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_of_packing, "MOST_PLACES", 100)
    with pytest.raises(InputError, match="more than 100 places"):
        solve("packing", board="8x8", pieces="dominoes x*")


def test_layers_may_be_divided_by_a_dash() -> None:
    assert grid.region("##\n-\n##") == grid.region("##\n\n##") == grid.box(2, 1, 2)


def test_texts_of_hexagons_and_triangles() -> None:
    """Names stand where `#` stands in a drawing; with longer names there is a blank between columns."""
    found = solve("packing", board=" # #\n# #", pieces="A x2\n#.#\n", grid="hex", jobs=1)
    assert str(found[0]) == " A A\nA A"
    found = solve("packing", board="2x4", pieces="Aa x*\n##\n", grid="triangle", jobs=1)
    assert str(found[0]).splitlines()[0] == "Aa Aa Aa Aa"


def test_heat_maps_have_the_cells_of_the_grid() -> None:
    result = solve("packing", board="hexagon-2", pieces="A x*\n#.#\n\nB\n#\n", grid="hex", marginals=True)
    assert result.marginals is not None
    shapes = result.marginals.heat_map()[0].shapes
    assert {len(shape.rings[0]) for shape in shapes} == {6}


def in_order(tiles: list[isometric.Tile], order: list[int]) -> bool:
    """Whether nothing lies above a piece when it is put in."""
    lying: set[tuple[int, ...]] = set()
    for number in order:
        cells = set(tiles[number][1])
        if any((layer, *cell[1:]) in lying for cell in cells for layer in range(cell[0] + 1, 9)):
            return False
        lying |= cells
    return True


def test_pieces_are_put_in_from_above() -> None:
    choice = random.Random(1)
    listed = solve("packing", backend="cover", jobs=1, limit=60)
    for found in listed:
        tiles: list[isometric.Tile] = [*found]
        choice.shuffle(tiles)
        order = isometric.assembly(tiles)
        assert order is None or in_order(tiles, order)
        shown = isometric.opened(tiles)
        assert sorted(shape.label for shape in shown.shapes if shape.label) == sorted(name for name, _ in tiles)
    linked: list[isometric.Tile]
    linked = [("A", [(0, 0, 0), (1, 0, 0), (1, 0, 1)]), ("B", [(0, 0, 1), (0, 0, 2), (2, 0, 2), (2, 0, 0)])]
    assert isometric.assembly(linked) is None


def test_assembly_against_all_orders() -> None:
    """Of three pieces of a small box, there is an order iff one of the six does."""
    cells = sorted(grid.box(2, 2, 2))
    choice = random.Random(2)
    for _ in range(100):
        owner = [choice.randrange(3) for _ in cells]
        tiles: list[isometric.Tile] = [
            (str(n), [cell for cell, own in zip(cells, owner, strict=True) if own == n]) for n in range(3)
        ]
        tiles = [tile for tile in tiles if tile[1]]
        orders = [order for order in product(range(len(tiles)), repeat=len(tiles)) if len(set(order)) == len(tiles)]
        possible = any(in_order(tiles, list(order)) for order in orders)
        found = isometric.assembly(tiles)
        assert (found is not None) == possible
        assert found is None or in_order(tiles, found)


@pytest.mark.parametrize(
    "words", [("packing",), ("packing", "--board", "7x4", "--grid", "hex", "--pieces", "tetrahexes")]
)
def test_sheets(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "sheet.svg"
    done = command.run("solvers.run", *words, "--backend", "cover", "--sheet", str(file), "--draw", "0", "--jobs", "1")
    assert done.returncode == 0
    for path in (file, tmp_path / "sheet-solutions.svg"):
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert (root.get("width"), root.get("height")) == ("297mm", "210mm")
        _, _, width, height = map(float, root.get("viewBox", "").split())
        assert width / height == pytest.approx(297 / 210, rel=0.01)
    assert "V" in file.read_text() or "G" in file.read_text()


def test_sheets_that_cannot_be_written(tmp_path: Path) -> None:
    for words, complaint in (
        (("magic", "--sheet", str(tmp_path / "a.svg")), "magic has no board and no pieces to print"),
        (("packing", "--sheet", str(tmp_path / "a.pdf")), "does not end in .svg"),
        (("packing", "--count-only", "--sheet", str(tmp_path / "a.svg")), "--sheet has nothing to write"),
        (
            ("packing", "--sheet", str(tmp_path / "a.svg"), "--marginals", str(tmp_path / "a-solutions.svg")),
            "same file",
        ),
    ):
        done = command.run("solvers.run", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert complaint in done.stderr


def test_labels_lie_inside() -> None:
    """Also of areas that hold no whole square and whose middle lies outside."""
    listed = solve("packing", backend="cover", jobs=1, limit=5)
    for found in listed:
        for shape in isometric.opened([*found]).shapes:
            assert draw.inside(draw.label_point(shape), shape.rings)


def test_pairs_of_sets_have_names_of_their_own() -> None:
    for one, other in combinations(("dominoes", "trominoes", "tetrominoes", "pentominoes"), 2):
        names = [piece.name for piece in read_pieces(f"{one} + {other}", SQUARE, 2, True)]
        assert len(set(names)) == len(names)
