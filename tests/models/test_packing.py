"""Packing: sets, files of pieces, boards of hexagons and triangles, what is refused, and pictures."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from models.boards import grid
from models.boards.grid import LATTICES, SQUARE, Cells
from models.boards.lattice import HEX, TRIANGLE, Lattice
from models.errors import ParameterError
from models.packing import packing
from models.packings import isometric
from models.packings.pieces import Piece, Rules
from models.packings.sets import KNOWN, polyforms, read_board, read_pieces, set_of_pieces
from solvers import solve
from solvers.files.catalogue import find
from solvers.show import draw
from tests.support.command import refusal
from tests.support.own_models import write
from tests.support.refusals import refused
from tests.support.tiers import sampled

MIXED = "A x0-2\n##\n#.\n\nB x*\n##\n\nC x1\n#\n"


@pytest.mark.parametrize(
    ("counts", "options"),
    [
        ([1, 1, 2, 5, 12, 35], {}),  # OEIS A000105
        ([1, 1, 2, 7, 18, 60], {"mirror": False}),  # OEIS A000988
        ([1, 1, 1, 3, 4, 12, 24], {"lattice": TRIANGLE}),  # OEIS A000577
        ([1, 1, 1, 4, 6, 19], {"lattice": TRIANGLE, "mirror": False}),  # OEIS A006534
        ([1, 1, 3, 7, 22], {"lattice": HEX}),  # OEIS A000228
        ([1, 1, 3, 10, 33], {"lattice": HEX, "mirror": False}),  # OEIS A006535
        pytest.param([1, 1, 2, 8, 29], {"dimensions": 3, "mirror": False}, marks=pytest.mark.thorough),  # OEIS A000162
    ],
)
def test_polyforms(counts: list[int], options: dict[str, Any]) -> None:
    assert [len(polyforms(size, **options)) for size in range(1, len(counts) + 1)] == counts


def test_every_set_can_be_named() -> None:
    for name in KNOWN.split(", "):
        lattice, dimensions, shapes = set_of_pieces(name)
        assert len(set(shapes)) == len(shapes) > 0
        assert [piece.name for piece in read_pieces(name, lattice, dimensions, flip=True)] == list(shapes)
    assert len(set_of_pieces("one-sided-hexominoes")[2]) == 60
    assert sorted(map(len, set_of_pieces("bedlam")[2].values())) == [4] + [5] * 12


def moved(cells: Iterable[grid.Cell], by: Sequence[int]) -> Cells:
    return frozenset(tuple(x + d for x, d in zip(cell, by, strict=True)) for cell in cells)


def brute_force(board: Cells, pieces: list[Piece], lattice: Lattice, mirror: bool) -> int:
    """Fills the first open cell with each piece in each way, by moving and turning cell by cell."""
    dimensions = len(min(board))
    places = set()
    for name, shape, *_ in pieces:
        lifted = [(0,) * (dimensions - len(cell)) + cell for cell in shape]
        for turn, cell in product(lattice.turns(dimensions, mirror), board):
            form = list(map(turn, lifted))
            by = [x - y for x, y in zip(cell, form[0], strict=True)]
            if moved(form, by) <= board and not (lattice.is_skew and sum(by) % 2):
                places.add((name, moved(form, by)))

    def filled(left: Cells, used: list[str]) -> int:
        if left:
            return sum(filled(left - place, [*used, name]) for name, place in places if min(left) in place <= left)
        return all(least <= used.count(name) <= (most or 99) for name, _, least, most, _ in pieces)

    return filled(board, [])


@pytest.mark.parametrize(
    ("board", "pieces", "asked"),
    sampled(
        [
            ("3x4", MIXED, {}),
            ("3x5", "L x*\n###\n#..\n\nS x0-1\n.##\n##.\n\nV x1-*\n##\n#.\n", {"flip": False}),
            ("2x2x3", "A x*\n##\n\nB x0-1\n##\n#.\n-\n#.\n..\n\nC x0-1\n##\n.#\n-\n#.\n..\n", {}),
            ("hexagon-2", "A x0-3\n#.#\n\nB x*\n#.#\n.#\n\nC x1\n#\n", {"grid": "hex"}),
            ("triangle-3", "A x*\n##\n\nB x0-2\n###\n\nC x1-2\n#\n", {"grid": "triangle"}),
            ("2x7", "A x*\n###\n\nB x0-2\n####\n\nC x0-2\n#\n", {"grid": "triangle", "flip": False}),
            ("3x4", MIXED, {"rotate": False}),
            ("2x2x3", "A x*\n##\n\nB x0-3\n#\n-\n#\n", {"rotate": False}),
            ("hexagon-2", "A x0-3\n#.#\n\nC x*\n#\n", {"grid": "hex", "rotate": False}),
            ("3x4", MIXED, {"mirror": False}),
        ],
        2,
    ),
)
def test_against_brute_force(board: str, pieces: str, asked: dict[str, Any]) -> None:
    lattice, mirror = LATTICES[asked.get("grid", "square")], asked.get("flip", True)
    cells = read_board(board, lattice)
    dimensions = len(min(cells))
    read = read_pieces(pieces, lattice, dimensions, mirror)
    way = lattice if asked.get("rotate", True) else lattice._replace(turns=lambda *_: [tuple])
    expected = brute_force(cells, read, way, mirror and dimensions == 2)
    assert expected > 0
    result = solve(packing(board, pieces, **asked), backend="cover", jobs=1)
    assert result.total == expected
    assert result.report.symmetry_proved
    assert solve(packing(board, pieces, **asked), backend="sat", jobs=1, unbroken=True).total == expected


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "solutions", "total"),
    [
        ({"pieces": "soma:VLTZABP"}, 240, 11520),
        ({"mirror": False}, 480, 11520),
        ({"board": "3x5", "pieces": "pentominoes x0-1", "mirror": False}, 14, 28),
    ],
)
def test_letters_and_mirror_images(asked: dict[str, Any], solutions: int, total: int) -> None:
    result = solve(packing(**asked), backend="cover", count_only=True)
    assert (result.solutions, result.total) == (solutions, total)


def test_a_set_by_letters() -> None:
    soma, both = (read_pieces(text, SQUARE, 3, True) for text in ("soma", "soma:LTZ x2 + soma:VABP"))
    assert {piece.name: piece.shape for piece in soma} == {piece.name: piece.shape for piece in both}
    assert [(piece.name, piece.most) for piece in both] == [
        *((name, 2) for name in "LTZ"),
        *((name, 1) for name in "VABP"),
    ]
    one_sided = read_pieces("one-sided-pentominoes:FF'L", SQUARE, 2, False)
    assert [piece.name for piece in one_sided] == ["F", "F'", "L"]


def test_the_rule_by_pencil_and_paper() -> None:
    bar, tee = Piece("I", grid.cells_of_drawing("##"), most=3), Piece("T", grid.cells_of_drawing("###\n.#."), 0, 1)
    rules = Rules(grid.box(2, 3), [bar, tee], mirror=True)
    rows = [("I", ((0, column), (1, column))) for column in range(3)]
    right, lying = dict.fromkeys(rows, 1), ("T", ((0, 0), (0, 1), (0, 2), (1, 1)))
    assert rules.check()(right)
    assert rules.check()({**right, lying: 0})
    for wrong in (
        rows[:2],
        [*rows, lying],
        [*rows[:2], ("I", ((0, 1), (1, 1)))],
        [*rows[:2], ("I", ((0, 2), (1, 1)))],
        [*rows[:2], ("I", ((0, 2), (0, 3)))],
        [*rows[:2], ("I", ((0, 2), (0, 2)))],
        [*rows[:2], ("J", rows[2][1])],
        [*rows[:2], ("I", ())],
    ):
        assert not rules.check()(dict.fromkeys(wrong, 1)), wrong
    for changed in (
        rules._replace(pieces=[bar._replace(most=2)]),
        rules._replace(pieces=[bar._replace(least=4, most=None)]),
        rules._replace(allows=lambda name, place: place != rows[0][1]),
    ):
        assert not changed.check()(right), changed


@pytest.mark.parametrize(
    ("board", "pieces", "order"),
    [
        ("2x2x2", "tetracubes x*", 48),
        ("3x3x3", "soma", 48),
        ("4x4x4", "bedlam", 24),
        ("2x2x2", "A x*\n##\n#.\n-\n..\n#.\n\nI x*\n##\n", 24),
    ],
)
def test_symmetries_carry_the_set_to_itself(board: str, pieces: str, order: int) -> None:
    """A mirror image of a box is a symmetry only where each piece's mirror image is there as often."""
    assert len(packing(board, pieces).symmetries) == order - 1


def test_holes_and_notes() -> None:
    assert solve(packing(board="3x3", pieces="dominoes x*", holes=1), jobs=1).total == 18
    report = solve(packing(board="2x2", pieces="A\n##\n\nB\n#\n#\n"), jobs=1).report
    assert (report.total, report.note) == (4, "A and B have the same shape and count as different")
    assert ("note", report.note) in report.rows()


REFUSED = [
    ({"board": "5x5"}, "5x5 has 25 cells, but the pieces fill 27|soma are solid"),
    ({"board": "5x5", "pieces": "pentominoes"}, "5x5 has 25 cells, but the pieces fill 60; choose a board of 60 cells"),
    ({"board": "3x3", "pieces": "dominoes x*"}, "no set of the pieces covers 9 cells; the nearest cover 8 and 10"),
    ({"board": "8x8", "pieces": "pentominoes"}, "or 4 holes more"),
    ({"board": "##.#\n##.#\n...#", "pieces": "2x2 + V\n"}, "line 1 of the drawing"),
    (
        {"board": "#.##\n..##\n..##\n..#.", "pieces": "dominoes x*"},
        "no set of the pieces covers the 1 cell of the drawing that is connected to row 1, column 1",
    ),
    ({"board": "2x6", "pieces": "XL + 1x2"}, "the piece X fits nowhere on 2x6"),
    (
        {"board": "2x6", "pieces": "nonsense"},
        "'nonsense' is neither a set of pieces nor a file; give a set such as soma",
    ),
    ({"board": "2x6", "pieces": "dominoes + nonsense"}, "'nonsense' is neither a set of pieces nor a file"),
    ({"board": "2x6", "pieces": "dominoes x2-1"}, "write the smaller number first"),
    ({"board": "2x6", "pieces": "dominoes xx"}, "xx is not a number of pieces; write x3, x0-2"),
    ({"board": "2x6", "pieces": "FF"}, "two pieces are called F; write F x2 for two of them"),
    ({"board": "2x6", "pieces": "hexiamonds"}, "made for another grid; add grid='triangle'"),
    ({"board": "2x6", "pieces": "one-sided-tetrominoes"}, "add flip=False"),
    ({"board": "3x3x3", "flip": False}, "leave out flip=False"),
    ({"board": "2x3x4", "grid": "hex", "pieces": "trihexes"}, "2x3x4 is a box, which is made of cubes"),
    (
        {"board": "##\n##", "grid": "hex", "pieces": "trihexes"},
        "line 1, column 2 of the drawing is not the place of a hexagon",
    ),
    ({"board": "hexagon-0", "grid": "hex", "pieces": "trihexes"}, "has no cells"),
    ({"board": "2x2", "pieces": "A\n##\n\nA\n#\n"}, "two pieces are called A, the second in line 4 of the drawing"),
    ({"board": "2x2", "pieces": "##\n##\n"}, "line 1 of the drawing draws a piece without a name"),
    ({"board": "2x2", "pieces": "A\n\nB\n#\n"}, "line 1 of the drawing: the piece A is not drawn"),
    ({"board": "2x2", "pieces": "A\n#?\n"}, "line 2 of the drawing holds '\\?'; draw with # and . only"),
    ({"board": "2x2", "pieces": "A\n#.#\n"}, "line 1 of the drawing: the piece A does not hang together"),
    ({"board": "2x2", "pieces": "A\n#\n-\n#\n"}, "the piece A is solid, and the board is flat"),
    ({"board": "2x2", "pieces": "A b\n#\n"}, "'A b' is not a name"),
    ({"board": "2x2", "pieces": "dominoes x*", "holes": -1}, "-1 holes cannot be left"),
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
    ({"board": "3x5", "pieces": "FIL + "}, "a [+] needs pieces on both sides; give a set such as soma"),
    (
        {"board": "3x5", "pieces": "trominos x*"},
        "^packing: there is no set of pieces 'trominos'; did you mean trominoes.$",
    ),
    ({"board": "3x5", "pieces": "I + one-sided-tetrominos"}, "did you mean one-sided-tetrominoes.$"),
    (
        {"board": "4x5", "pieces": "FPUQ"},
        "'FPUQ': Q is not a letter of a pentomino; these are FILNPTUVWXYZ; write soma:FPUQ for",
    ),
    ({"board": "4x5", "pieces": "soma.txt"}, "'soma.txt' is neither a set of pieces nor a file; .* path of a file"),
    ({"board": "4x5", "pieces": "tests"}, "'tests' is a folder; give a set such as soma"),
    (
        {"board": "hexagon-2", "pieces": "trihexes x*"},
        "hexagon-2 is made of hexagons or triangles; add grid='hex' or grid='triangle'$",
    ),
]


@pytest.mark.parametrize(("asked", "complaint"), REFUSED)
def test_what_is_refused(asked: dict[str, Any], complaint: str) -> None:
    refused(complaint, lambda: solve(find("packing").declare(**asked)))


def test_too_many_places() -> None:
    rules = Rules(grid.box(8, 8), [Piece("domino", grid.cells_of_drawing("##"))], mirror=True)
    refused("more than 100 places", rules.placements, 100, raises=ValueError)
    assert len(rules.placements(112)) == 112


def test_layers_may_be_divided_by_a_dash() -> None:
    assert grid.region("##\n-\n##") == grid.region("##\n\n##") == grid.box(2, 1, 2)


@pytest.mark.thorough
def test_opened_solids_have_labels() -> None:
    """They lie inside, also of areas without a whole square whose middle lies outside."""
    choice = random.Random(1)
    for found in solve("packing", backend="cover", jobs=1, limit=4):
        tiles: list[isometric.Tile] = [*found]
        choice.shuffle(tiles)
        colours = {name: number for number, (name, _) in enumerate(tiles)}
        labelled = [shape for shape in isometric.draw_exploded_view(tiles, colours).shapes if shape.label]
        assert sorted(shape.label for shape in labelled) == sorted(colours)
        assert all(draw.is_inside(draw.label_point(shape), shape.rings) for shape in labelled)


def test_pieces_are_drawn_from_two_sides_with_their_cubes() -> None:
    """Each cube is seen in one of the views; a dashed outline says where one is hidden in the other."""
    turned_under = [(1, 0, 0), (1, 0, 1), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2), (0, 0, 1), (0, 1, 1)]
    corner = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    for cells, hidden in ((turned_under, 2), (corner, 1), ([(0, 0, 0)], 0)):
        shapes = isometric.two_views("A", cells, 0).shapes
        assert [shape.colour for shape in shapes].count("hidden") == hidden
        assert [shape.label for shape in shapes if shape.colour == "words"] == [*isometric.VIEWS]
        named = [shape for shape in shapes if shape.label == "A"]
        assert all(draw.is_inside(draw.label_point(shape), shape.rings) for shape in named)
        assert len(named) == 2
    units = [shape for shape in isometric.scene([("A", [(0, 0, 0), (0, 0, 1)], 0)]).shapes if shape.colour == "unit"]
    assert sorted(len(shape.rings) for shape in units) == [2, 2]


def test_pairs_of_sets_have_names_of_their_own() -> None:
    for one, other in combinations(("dominoes", "trominoes", "tetrominoes", "pentominoes"), 2):
        names = [piece.name for piece in read_pieces(f"{one} + {other}", SQUARE, 2, True)]
        assert len(set(names)) == len(names)


def test_sets_and_files_are_joined(tmp_path: Path) -> None:
    file = write(tmp_path / "elbow.pieces", "elbow\n##\n#.\n")
    board, joined = "#####\n#####\n###..\n", f"PU + {file}"
    total = solve(packing(board, joined), jobs=1).total
    file.write_text("P\n##\n##\n#.\n\nU\n##\n#.\n##\n\nelbow\n##\n#.\n")
    assert solve(packing(board, str(file)), jobs=1).total == total > 0
    assert "would overwrite" in refusal("packing", "--board", board, "--pieces", joined, "--solutions", str(file))


def test_solutions_are_counted_by_the_pieces_used() -> None:
    asked = packing("3x5", "pentominoes x0-1")
    expected = Counter(
        "".join(sorted(str(label)[2] for label in found)) for found in solve(asked, backend="cover", jobs=1)
    )
    for options in ({"count_only": True}, {"backend": "cover"}):
        told = solve(asked, jobs=1, by="pieces", **options).report
        assert [*told.features.items()] == sorted(expected.items(), key=lambda row: (row[1], row[0]))
        single = [*expected.values()].count(1)
        assert ("  by pieces", f"{len(expected)} different, {single} of them in one solution") in told.rows()


def test_properties_by_name() -> None:
    told = solve(packing("2x3", "dominoes x*", holes=2), symmetry="none", by="holes").report
    assert told.features["row 1 column 1, row 1 column 2"] == 1
    assert sum(told.features.values()) == told.total == 11
    used = solve(packing("2x3", "A x*\n##\n\nB x1-6\n#\n"), symmetry="none", by="pieces").report
    assert used.features == {"A x2 B x2": 11, "A B x4": 7, "B x6": 1}


def test_properties_that_cannot_be_counted() -> None:
    sentence = "packing has no property 'holes'; there is level, pieces"
    refused(sentence, solve, packing("2x3", "dominoes x*", holes=0), by="holes")


def test_pieces_in_one_drawing() -> None:
    for board, drawing, total in (
        ("2x3", "AAB\nABB\n", 4),
        ("2x3", "A\n##\n#.\n\nB\n.#\n##\n", 4),
        ("2x2x2", "AA\nAB\n-\nAB\nBB\n", None),
    ):
        found = solve(packing(board, drawing), backend="cover", unbroken=True).total
        assert found == total if total else found > 0
    refused("the piece B does not hang together", packing, "2x3", "BAB\nAAA\n", raises=ValueError)


def test_pieces_that_lie_on_the_board_already() -> None:
    own, place = "pentominoes x0-1 + 1x2", ((0, 0), (1, 0), (2, 0), (3, 0), (3, 1))
    result = solve(packing("L##\nL##\nL##\nLL#\n", own), backend="cover", unbroken=True)
    held = solve(packing("4x3", own), backend="cover", unbroken=True, given={("L", place): 1})
    assert result.total == held.total > 0
    assert {frozenset(found) for found in result} == {frozenset(found) for found in held}
    assert result.report.symmetries == 1
    for board, said in (
        ("##Q\nQQ#\n", "the board shows Q, which is not one of the pieces; choose from L, I"),
        ("##L\nLL#\n", "the board shows L where it cannot lie"),
        ("LLL\n###\n", "the board shows L where it cannot lie: its 3 cells"),
    ):
        refused(said, packing, board, "L\n##\n#.\n\nI\n###\n", raises=ValueError)


@pytest.mark.parametrize(
    ("letters", "board", "same"),
    [
        ("LTZABP", "2x3x4", "soma:LTZABP"),
        ("VLTZABP", "3x3x3", "soma"),
        ("OABP", "2x2x4", "tetracubes:OABP"),
        ("ILTOS x0-1", "4x4", "tetrominoes x0-1"),
        ("LTOS x0-4", "1x4x4", "tetrominoes:LTOS x0-4"),
    ],
)
def test_letters_alone_name_the_set_that_has_them(letters: str, board: str, same: str) -> None:
    assert packing(board, letters).key.keys() == packing(board, same).key.keys()


@pytest.mark.parametrize(
    ("letters", "board"), [("LTZABQ", "2x3x4"), ("LTZABP", "4x6"), ("SOS", "3x4"), ("FABP", "2x2x4")]
)
def test_letters_that_no_set_has(letters: str, board: str) -> None:
    said = "'.*': . is not a letter of a pentomino|two pieces are called S"
    refused(said, packing, board, letters, raises=ValueError)


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("##\n##\n\na b\nc d e", "line 5 of the drawing has 3 words for 2 cells"),
        ("##\n##\n\nJan Feb", "the drawing draws 2 rows of cells and 1 row of names"),
        ("##\n##\n\na b\nc a", "line 5 of the drawing gives the name a to a second cell"),
        ("##\n##\n\na b\nc d=", "line 5 of the drawing names a cell 'd='; leave out = and !"),
    ],
)
def test_names_that_do_not_fit_a_board(board: str, said: str) -> None:
    refused(said, packing, board, "1x1 x*", raises=ValueError)


def test_layers_are_no_names() -> None:
    for board in ("##\n##\n\nAA\nA#", "##\n##\n-\n##\n##", "A A\n\nA B"):
        assert grid.split_names(board) == (board, "")
    assert grid.split_names("# #\n # #\n\na b\nc d", HEX)[1] == "a b\nc d"


@pytest.mark.parametrize("drawing", ["##\n#.\n##", "**\n*.\n**", "11\n10\n11", "oo\no \noo", "AB\nA\nCC", "**\n* \n**"])
def test_cells_may_have_other_marks(drawing: str, tmp_path: Path) -> None:
    """Boards, layers and pieces are drawn with # or with what can mean nothing else."""
    cells = frozenset([(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)])
    assert grid.region(drawing) == cells
    (tmp_path / "board").write_text(drawing, encoding="utf-8")
    assert grid.region(str(tmp_path / "board")) == cells
    assert len(grid.region(f"{drawing}\n-\n{drawing}")) == 10
    if len(set(drawing) - set(".\n 0")) == 1:
        drawn, known = (packing(board, "dominoes x* + 1x1").key.keys() for board in (drawing, "##\n#.\n##"))
        assert drawn == known


@pytest.mark.parametrize("drawing", ["#*\n##", "*A\n**", "12\n11", "ab\nba", "A1\nAA", "(hello)\nworld"])
def test_marks_that_may_mean_more_are_no_cells(drawing: str) -> None:
    with pytest.raises(ValueError, match="line 1 of the drawing holds"):
        grid.region(drawing)


def test_pieces_drawn_with_stars() -> None:
    stars, hashes = "I x*\n**\n\nV x0-2\n**\n*.\n", "I x*\n##\n\nV x0-2\n##\n#.\n"
    assert read_pieces(stars, SQUARE, 2, True) == read_pieces(hashes, SQUARE, 2, True)
    assert packing("**\n**", stars).key.keys() == packing("2x2", hashes).key.keys()


def test_letters_of_pieces_lie_where_they_are_drawn() -> None:
    assert len(packing("II\nVV", "I\n##\n\nV\n##\n").key) < len(packing("XX\nXX", "I\n##\n\nV\n##\n").key)


@pytest.mark.parametrize(
    ("board", "terms"),
    [
        ("3x4", ["I|L", "trominoes:V|tetrominoes:T", "tetrominoes:I|tetrominoes:O"]),
        ("2x5", ["a=I|P|1x2", "b=U|L|P"]),
        ("4x4", ["tetrominoes:I|tetrominoes:L", "tetrominoes:T|tetrominoes:S", "tetrominoes:O", "c=tetrominoes:L|V"]),
        ("2x2x2", ["trominoes:V|1x2", "tetrominoes:O|tetracubes:T", "1x2"]),
    ],
)
def test_pieces_of_several_shapes_are_any_choice_of_these(board: str, terms: list[str]) -> None:
    """A piece of several shapes is none of the others, so each choice of shapes gives solutions of its own."""
    cells, dimensions = len(read_board(board)), board.count("x") + 1
    total = 0
    for shapes in product(*(term.partition("=")[2].split("|") if "=" in term else term.split("|") for term in terms)):
        pieces = [read_pieces(shape, SQUARE, dimensions, True)[0] for shape in shapes]
        if sum(len(piece.shape) for piece in pieces) == cells:
            drawn = "\n\n".join(f"{n}\n{_drawing(piece.shape)}" for n, piece in enumerate(pieces))
            with suppress(ParameterError):  # a shape fits nowhere
                total += solve(packing(board, drawn + "\n"), symmetry="none", jobs=1).report.total
    result = solve(packing(board, " + ".join(terms)), jobs=1)
    assert result.report.total == total
    assert result.report.complete


def _drawing(shape: Cells) -> str:
    flat = grid.normalise(shape)
    if len(min(flat)) == 3:
        flat = frozenset(cell[1:] for cell in flat)
    rows, columns = (max(cell[axis] for cell in flat) + 1 for axis in (0, 1))
    return "\n".join("".join("#" if (r, c) in flat else "." for c in range(columns)) for r in range(rows))


def test_shapes_of_a_piece_in_a_file(tmp_path: Path) -> None:
    file = write(tmp_path / "two.pieces", "a x2\n##\n##\nor\n####\n\nb\n####\n")
    assert (
        solve(packing("2x6", str(file)), jobs=1).total
        == solve(packing("2x6", "a=tetrominoes:O|1x4 x2 + 1x4"), jobs=1).total
    )
    assert "or of the piece a needs a drawing on both sides" in refusal(
        "packing", "--board", "2x4", "--pieces", str(write(tmp_path / "half.pieces", "a\nor\n##\n"))
    )
    assert "'tetrominoes' is not one piece" in refusal("packing", "--board", "2x4", "--pieces", "I|tetrominoes")
