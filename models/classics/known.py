"""Known counts: each with its question, its source, and the option by which a run confirms it.

The golden tests take these numbers from here.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class KnownCount(NamedTuple):
    """A count from the literature, with the puzzle that gives it."""

    question: str
    puzzle: str
    """The name of the puzzle in the collection."""
    parameters: Mapping[str, Any]
    solutions: int | None
    """The count up to symmetry; None if no source gives it."""
    total: int | None
    """The number of all solutions; None if no source gives it."""
    source: str
    confirm: str = "verified"
    """The option that confirms it: verified, certify or verify; empty where each of these takes hours."""
    count_only: bool = False
    """Whether it is counted by layers, as there are too many solutions to list."""
    is_weighty: bool = False
    """Whether it takes each way but the verified counter hours to confirm it."""
    quick: bool = False
    """Whether it takes some seconds at most."""


FLETCHER = "J. G. Fletcher, CACM 8 (1965)"
SCOTT = "D. S. Scott, Programming a combinatorial puzzle (1958)"
TENYO = "Tenyo, Pla-Puzzle leaflet (1968)"
TENYO_BOX = "Tenyo, box of Pla-Puzzle 64; also A. Wassermann's lists"
BOX = "C. J. Bouwkamp, Catalogue of solutions of the rectangular 3x4x5 solid pentomino problem (1967)"
GOODGER = "D. Goodger, Polyform Puzzler"
GOLOMB = "S. W. Golomb, Polyominoes (1965)"
CONWAY = "J. H. Conway and M. Guy (1961); M. Gardner, Scientific American, September 1972"
BEDLAM = "B. Bedlam, The Bedlam Cube (2002); several programs"
DRAGON_FJORD = "several programs for DragonFjord's A-Puzzle-A-Day"
MACMAHON = "P. A. MacMahon, Combinatory Analysis II (1916), section 429; OEIS A008793"

FERNANDEZ_LONG = "H. Fernández Long (1977); a program of 1964 had found 12,261"
A006052 = "OEIS A006052"

NEW_YEAR = "\n".join([".#####", "######", ".######", "#######", "#######", "#######", "###"])
"""The board of A-Puzzle-A-Day without 1 January."""


def _pentomino(board: str, solutions: int, total: int, source: str, **more: Any) -> KnownCount:
    """Return the known count of pentominoes on a board, a text such as 6x10.

    solutions, total, source: the fields of `KnownCount`. more: further fields of `KnownCount`, and further parameters
    of the puzzle `pentomino`.
    """
    parameters: dict[str, Any] = {"board": board}
    parameters |= {name: more.pop(name) for name in ("pieces", "square") if name in more}
    return KnownCount(f"pentominoes on {board}", "pentomino", parameters, solutions, total, source, **more)


def _packing(
    question: str, board: str, pieces: str, solutions: int | None, total: int | None, source: str, **more: Any
) -> KnownCount:
    """Return a known count of the puzzle `packing`, with this board and these pieces.

    question, solutions, total, source: the fields of `KnownCount`. more: further fields of `KnownCount`, or the
    parameter ``grid``.
    """
    grid_parameter = {"grid": more.pop("grid")} if "grid" in more else {}
    parameters = {"board": board, "pieces": pieces, **grid_parameter}
    return KnownCount(question, "packing", parameters, solutions, total, source, **more)


KNOWN = [
    _pentomino("3x20", 2, 8, FLETCHER, quick=True),
    _pentomino("4x15", 368, 1472, FLETCHER, quick=True),
    _pentomino("5x12", 1010, 4040, FLETCHER, quick=True),
    _pentomino("6x10", 2339, 9356, f"{FLETCHER}; {TENYO}", quick=True),
    _pentomino("8x8-centre", 65, 520, SCOTT),
    _pentomino("8x8-corners", 2170, 17360, TENYO),
    _pentomino("8x8", 16146, 129168, TENYO_BOX, square=True)._replace(question="pentominoes and the square on 8x8"),
    _pentomino("2x3x10", 12, 96, BOX),
    _pentomino("2x5x6", 264, 2112, BOX),
    _pentomino("3x4x5", 3940, 31520, BOX),
    _pentomino("3x30", 46, 184, GOLOMB, pieces="one-sided")._replace(question="one-sided pentominoes on 3x30"),
    _pentomino("5x18", 686628, 2746512, GOODGER, pieces="one-sided", count_only=True, is_weighty=True)._replace(
        question="one-sided pentominoes on 5x18"
    ),
    _pentomino("6x15", 2567183, 10268732, GOODGER, pieces="one-sided", count_only=True, is_weighty=True)._replace(
        question="one-sided pentominoes on 6x15"
    ),
    _packing("Soma cube", "3x3x3", "soma", 240, 11520, CONWAY, quick=True),
    _packing("Bedlam cube", "4x4x4", "bedlam", 19186, 460464, BEDLAM, confirm=""),
    _packing("A-Puzzle-A-Day, 1 January", NEW_YEAR, "UVZPLNY + 2x3", None, 64, DRAGON_FJORD, quick=True),
    _packing(
        "hexiamonds on the parallelogram 4x9", "parallelogram-4x9", "hexiamonds", 74, 148, GOODGER, grid="triangle"
    ),
    _packing("hexiamonds on the rhombus 6x6", "parallelogram-6x6", "hexiamonds", 156, 624, GOODGER, grid="triangle"),
    _packing("tetrahexes on 7x4", "7x4", "tetrahexes", 23, 46, GOODGER, grid="hex", quick=True),
    _packing("lozenges on a hexagon of side 3", "hexagon-3", "D x*\n##\n", None, 980, MACMAHON, grid="triangle"),
    _packing(
        "heptiamonds on the parallelogram 3x28",
        "parallelogram-3x28",
        "heptiamonds",
        solutions=101438,
        total=202876,
        source=GOODGER,
        grid="triangle",
        count_only=True,
        is_weighty=True,
    ),
    KnownCount("MacMahon's squares on 4x6", "edge-matching", {}, 13328, 106624, FERNANDEZ_LONG, "verify"),
    _packing("dominoes on 8x8", "8x8", "dominoes x*", None, 12988816, "OEIS A004003", count_only=True, quick=True),
    _packing(
        "dominoes on 16x16",
        "16x16",
        "dominoes x*",
        solutions=None,
        total=2444888770250892795802079170816,
        source="OEIS A004003",
        count_only=True,
    ),
    KnownCount("queens on 8x8", "queens", {"n": 8}, 12, 92, "OEIS A000170, A002562", quick=True),
    KnownCount("queens on 12x12", "queens", {"n": 12}, 1787, 14200, "OEIS A000170, A002562"),
    KnownCount("Langford's problem, 8 pairs", "langford", {"n": 8}, 150, 300, "OEIS A014552", quick=True),
    KnownCount("Langford's problem, 12 pairs", "langford", {"n": 12}, 108144, 216288, "OEIS A014552"),
    KnownCount("Latin squares of order 5, all symmetries", "latin", {"order": 5}, 2, 161280, "OEIS A002860, A003090"),
    KnownCount(
        "Latin squares of order 6, all symmetries",
        "latin",
        {"order": 6},
        solutions=12,
        total=812851200,
        source="OEIS A002860, A003090",
        count_only=True,
    ),
    KnownCount("sudokus of 4x4", "sudoku", {"rows": 2}, 2, 288, "OEIS A107739, A109741", quick=True),
    KnownCount("triple systems of 9 points", "triples", {"points": 9}, 1, 840, "OEIS A030128, A030129", quick=True),
    KnownCount(
        "magic squares of order 4", "magic", {"kind": "square", "order": 4}, 880, 7040, "OEIS A006052", "verify"
    ),
    KnownCount("Costas arrays of order 8", "costas", {"n": 8}, 60, 444, "OEIS A008404, A001441", "certify", quick=True),
    KnownCount("Costas arrays of order 10", "costas", {"n": 10}, 277, 2160, "OEIS A008404, A001441", "certify"),
    KnownCount("Golomb rulers of 8 marks", "golomb", {"marks": 8}, 1, 2, "OEIS A036501", "verify"),
    KnownCount("all-interval rows of 10", "all-interval", {"n": 10}, None, 296, "OEIS A006967", "certify", quick=True),
    KnownCount("all-interval rows of 12", "all-interval", {"n": 12}, None, 1328, "OEIS A006967", "certify"),
    KnownCount("rook's cycles on 6x6", "cycles", {}, 149, 1072, "OEIS A003763, A209077", "certify"),
    KnownCount(
        "knight's cycles on 6x6",
        "cycles",
        {"traveller": "knight"},
        solutions=1245,
        total=9862,
        source="OEIS A001230",
        confirm="verify",
    ),
    KnownCount(
        "halves of 6x6 of one shape",
        "dissection",
        {"region": "square-6"},
        solutions=255,
        total=2036,
        source="OEIS A003155",
        confirm="certify",
    ),
    KnownCount("Flip It, bb_bbb", "flip-it", {}, 7, 7, "M. Hiroi, Lisp pages (8 moves)", "certify", quick=True),
]
"""The classics, in the order in which they are counted."""
