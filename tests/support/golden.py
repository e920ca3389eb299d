"""Known numbers, each with its source. Solutions are counted up to symmetry, totals in all."""

from typing import Any, NamedTuple

from tests.support import backends


class Golden(NamedTuple):
    """What a complete run has to say."""

    puzzle: str
    parameters: dict[str, Any]
    solutions: int | None
    """None where no source gives it."""
    total: int | None
    """None where no source gives it."""
    symmetries: int
    source: str
    objective: int | None = None
    thorough: str = ""
    """The backends on which it takes some seconds."""
    slow: str = ""
    """The backends on which it takes minutes, or some seconds for what other numbers hold too."""
    endless: str = ""
    """The backends on which it takes an hour or more, as far as one can tell, so that it is never run there."""

    @property
    def is_cover(self) -> bool:
        """Whether the model is an exact cover."""
        boards = ("pentomino", "packing", "checker", "edge-matching", "coloured-packing")
        return self.puzzle in (*boards, "queens", "langford")

    def __str__(self) -> str:
        return " ".join([self.puzzle, *(f"{name}={value!s:.30}" for name, value in self.parameters.items())])


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

NEW_YEAR = "\n".join([".#####", "######", ".######", "#######", "#######", "#######", "###"])
"""The board of A-Puzzle-A-Day without 1 January."""

SUBSETS = "counted by several programs; see K. Gong's polyomino pages"

CONWAY_BLOCKS = "J. H. Conway's puzzle in E. Berlekamp, J. Conway, R. Guy, Winning Ways (1982)"
ASAHI = "Asahi Shimbun, Puzzle Yokocho"
HIROI = "M. Hiroi, Lisp pages"
PLANS = f"{HIROI} (moves); breadth-first search in tests (plans)"
TWICE = "two independent programs"
ACROSS = "one program: cuts across cells add nothing"
A003155 = "OEIS A003155"
A006052 = "OEIS A006052"

GENERAL = " ".join(backends.GENERAL)
"""A new backend takes as long as the others, until somebody has measured it."""


PENTOMINO = [
    Golden("pentomino", {"board": "3x20"}, 2, 8, 4, FLETCHER, thorough=GENERAL),
    Golden("pentomino", {"board": "2x30"}, 0, 0, 4, "the X is three cells wide and three high"),
    Golden("pentomino", {"board": "5x3", "subset": True}, 7, 28, 4, SUBSETS),
    Golden("pentomino", {"board": "5x4", "subset": True}, 50, 200, 4, SUBSETS),
    Golden("pentomino", {"board": "5x5", "subset": True}, 107, 856, 8, SUBSETS, slow=GENERAL),
    Golden("pentomino", {"board": "5x6", "subset": True}, 541, 2164, 4, SUBSETS, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "5x7", "subset": True}, 1396, 5584, 4, SUBSETS, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "5x8", "subset": True}, 3408, 13632, 4, SUBSETS, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "4x15"}, 368, 1472, 4, FLETCHER, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "5x12"}, 1010, 4040, 4, FLETCHER, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "6x10"}, 2339, 9356, 4, f"{FLETCHER}; {TENYO}", slow=GENERAL),
    Golden("pentomino", {"board": "8x8-centre"}, 65, 520, 8, SCOTT, slow=GENERAL),
    Golden("pentomino", {"board": "8x8-corners"}, 2170, 17360, 8, TENYO, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "8x8", "square": True}, 16146, 129168, 8, TENYO_BOX, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "2x3x10"}, 12, 96, 8, BOX, slow=GENERAL),
    Golden("pentomino", {"board": "2x5x6"}, 264, 2112, 8, BOX, thorough="cover", slow=GENERAL),
    Golden("pentomino", {"board": "3x4x5"}, 3940, 31520, 8, BOX, thorough="cover", endless=GENERAL),
    Golden("pentomino", {"board": "3x30", "pieces": "one-sided"}, 46, 184, 4, GOLOMB, slow=GENERAL),
]

CHECKER = [
    Golden("checker", {}, 2, 4, 2, "Tenyo, case of the Checker Puzzle", thorough=GENERAL, slow="clasp"),
    Golden("checker", {"flip": True, "coloured": False, "centre": True}, 65, 520, 8, TENYO_BOX, slow=GENERAL),
    Golden("checker", {"flip": True}, 30, 120, 4, "the census of tilings", slow=GENERAL),
    Golden("checker", {"coloured": False}, 536, 2144, 4, "the census of tilings", thorough="cover", slow=GENERAL),
    Golden("checker", {"pieces": "FILNPTUVWXYZO"}, 0, 0, 2, "its colours do not balance"),
    Golden("checker", {"flip": True, "coloured": False}, 16146, 129168, 8, TENYO_BOX, thorough="cover", slow=GENERAL),
]

BLOCKS = "1x2x4 x13 + 2x2x2 + 1x2x2 + 1x1x3 x3"
RIGHT = "L x*\n##\n#.\n"
TRIANGLE_OF_FOUR = "T x3\n..#\n.###\n"
STONES_AND_BONES = "S x*\n.#\n#.#\n\nB x*\n#.#.#\n"
CLIPPED = "\n".join(["..#.#.#.#.#.#.#.#.#", ".#.#.#.#.#.#.#.#.#.#", "..#.#.#.#.#.#.#.#.#"])


def _packing(
    board: str, pieces: str, solutions: int | None, total: int | None, symmetries: int, source: str, **more: Any
) -> Golden:
    own: dict[str, Any] = {name: more.pop(name) for name in ("grid", "flip", "holes") if name in more}
    return Golden("packing", {"board": board, "pieces": pieces, **own}, solutions, total, symmetries, source, **more)


HEX, TRIANGLE = {"grid": "hex"}, {"grid": "triangle"}
LATE: dict[str, Any] = {"thorough": GENERAL}
RARE: dict[str, Any] = {"slow": GENERAL}

PACKING = [
    Golden("packing", {"board": "3x3x3", "pieces": "soma"}, 240, 11520, 48, CONWAY, slow=GENERAL, thorough="cover"),
    Golden("packing", {"board": "4x4x4", "pieces": "bedlam"}, 19186, 460464, 24, BEDLAM, slow="cover", endless=GENERAL),
    _packing(
        "5x5x5", BLOCKS, 572, 27456, 48, f"{CONWAY_BLOCKS}; listed, and by layers", thorough="cover", slow=GENERAL
    ),
    _packing("3x3x3", "2x2x1 x6 + monomino x3", 1, None, 48, "J. Slothouber and W. Graatsma, Cubics (1970)"),
    _packing("2x4x4", "tetracubes", None, 8 * 1390, 16, f"{GOODGER}: 1390, mirror images apart", **RARE),
    _packing("2x2x4", "dominoes x*", None, 121, 16, "OEIS A006253"),
    _packing("6x10", "pentominoes", 2339, 9356, 4, FLETCHER, thorough="cover", slow=GENERAL),
    Golden("packing", {"board": NEW_YEAR, "pieces": "UVZPLNY + 2x3"}, None, 64, 1, DRAGON_FJORD, **LATE),
    _packing("4x7", "one-sided-tetrominoes", 0, 0, 4, "colours of a chessboard: T alone is uneven", flip=False, **LATE),
    _packing("4x6", "trominoes x*", None, 939, 4, "OEIS A233339", **LATE),
    _packing("4x4", "dominoes x* + trominoes x*", None, 1352, 8, "OEIS A364457", **LATE),
    _packing("6x6", RIGHT, None, 162, 8, "OEIS A165791"),
    _packing("3x5", f"o x*\n#\n\n{RIGHT}", None, 849, 4, "OEIS A127867", **LATE),
    _packing("6x6", "1x3 x* + 2x2 x*", None, 267, 8, "OEIS A219967"),
    _packing("4x7", "L x*\n###\n#..\n\nO x*\n##\n##\n", None, 378, 4, "OEIS A226322", **LATE),
    _packing("4x6", "L x*\n###\n#..\n\nZ x*\n##.\n.##\n", None, 102, 4, "OEIS A232497"),
    _packing("4x4", "tetrominoes x*", None, 117, 8, "OEIS A230031"),
    _packing("3x3", "dominoes x* + monomino x*", None, 131, 8, "OEIS A028420"),
    _packing("triangle-5", TRIANGLE_OF_FOUR, None, 63, 6, "OEIS A286436", holes=13, **TRIANGLE, **LATE),
    _packing("triangle-6", TRIANGLE_OF_FOUR, None, 494, 6, "OEIS A286436", holes=24, **TRIANGLE, **LATE),
    _packing("triangle-4", "D x3\n##\n", None, 434, 6, "OEIS A326368", holes=10, **TRIANGLE, **LATE),
    _packing("hexagon-2", "D x*\n##\n", None, 20, 12, MACMAHON, **TRIANGLE),
    Golden("packing", {"board": "hexagon-3", "pieces": "D x*\n##\n", **TRIANGLE}, None, 980, 12, MACMAHON, **LATE),
    _packing("triangle-6", STONES_AND_BONES, None, 246, 6, "OEIS A377309", **HEX, **LATE),
    Golden(
        "packing",
        {"board": "parallelogram-4x9", "pieces": "hexiamonds", **TRIANGLE},
        74,
        148,
        2,
        GOODGER,
        thorough="cover",
        **RARE,
    ),
    Golden("packing", {"board": "parallelogram-6x6", "pieces": "hexiamonds", **TRIANGLE}, 156, 624, 4, GOODGER, **RARE),
    _packing("parallelogram-3x12", "hexiamonds", 0, 0, 2, GOODGER, **TRIANGLE, **RARE),
    _packing("parallelogram-4x7", "tetrahexes", 9, 18, 2, GOODGER, **HEX, **LATE),
    Golden("packing", {"board": "7x4", "pieces": "tetrahexes", **HEX}, 23, 46, 2, GOODGER, **LATE),
    _packing("triangle-7", "tetrahexes", 0, 0, 6, GOODGER, **HEX, **LATE),
    _packing(CLIPPED, "tetrahexes", 2, 8, 4, GOODGER, **HEX, **LATE),
]

SQUARES = "H. Fernández Long (1977), as in M. Gardner; tests.support.edge_matching"
COLOURED = "tests.support.edge_matching, which colours edges"
ETERNITY = "..ab ..bb ..cb ..cc .aac .baa .bac .bbc .bca .cab .ccb .ccc aabb acbc accc bbcc".replace(" ", "\n")

EDGES = [
    Golden("edge-matching", {}, 13328, 106624, 8, SQUARES, thorough="cover", slow=GENERAL),
    Golden("edge-matching", {"board": "4x4", "tiles": ETERNITY, "border": "."}, 1, 4, 4, COLOURED, **LATE),
    Golden("coloured-packing", {}, 1, 1, 1, "brute force in tests"),
]

DISSECTION = [
    Golden("dissection", {}, 1, 2, 2, f"{ASAHI}, 1 April 2005", thorough=GENERAL),
    Golden("dissection", {"require": "both-connected"}, 25, 50, 2, TWICE, thorough=GENERAL),
    Golden("dissection", {"require": "connected"}, 38245, 38245, 1, TWICE, slow=GENERAL),
    Golden("dissection", {"mirror": False}, 0, 0, 2, "one program"),
    Golden("dissection", {"cells": "halves"}, 1, 2, 2, ACROSS, slow=GENERAL),
    Golden("dissection", {"cells": "quarters"}, 1, 2, 2, ACROSS, slow=GENERAL),
    Golden("dissection", {"region": "square-8"}, 92263, None, 16, A003155, slow="sat", endless="cp-sat cp clasp"),
    Golden("dissection", {"region": "square-2"}, 1, 4, 16, A003155),
    Golden("dissection", {"region": "square-3"}, 1, 8, 16, A003155),
    Golden("dissection", {"region": "square-4"}, 6, 44, 16, A003155, thorough=GENERAL),
    Golden("dissection", {"region": "square-5"}, 15, 120, 16, A003155, thorough="sat", slow="cp-sat cp clasp"),
    Golden("dissection", {"region": "square-6"}, 255, 2036, 16, A003155, slow=GENERAL),
    Golden("dissection", {"region": "square-7"}, 1897, 15176, 16, A003155, slow=GENERAL),
]

DISPLAY = [
    Golden("matchsticks", {}, 1, 1, 1, f"{ASAHI}, 30 March 2007", objective=97, thorough="cp-sat sat clasp"),
    Golden("matchsticks", {"goal": "any", "positive": False}, 112, 112, 1, TWICE, slow=GENERAL),
    Golden(
        "matchsticks",
        {"goal": "any", "positive": False, "moves": 1},
        solutions=14,
        total=14,
        symmetries=1,
        source=TWICE,
        thorough="cp",
        slow="cp-sat sat clasp",
    ),
    Golden("matchsticks", {"leading_zero": True}, 1, 1, 1, TWICE, objective=1, thorough="cp", slow="cp-sat sat clasp"),
    Golden(
        "matchsticks",
        {"goal": "any", "positive": False, "leading_zero": True},
        solutions=128,
        total=128,
        symmetries=1,
        source=TWICE,
        slow=GENERAL,
    ),
    Golden("matchsticks", {"expression": "6+4=4", "moves": 1}, 2, 2, 1, TWICE, thorough=GENERAL),
    Golden("matchsticks", {"expression": "0-5=6", "moves": 1}, 1, 1, 1, TWICE, thorough="cp", slow="cp-sat sat clasp"),
    Golden("matchsticks", {"expression": "5+7=2", "moves": 1}, 1, 1, 1, TWICE, thorough="cp", slow="cp-sat sat clasp"),
    Golden("matchsticks", {"expression": "3+3=5", "moves": 1}, 2, 2, 1, TWICE, thorough="cp", slow="cp-sat sat clasp"),
    Golden("matchsticks", {"expression": "9-5=8", "moves": 1}, 2, 2, 1, TWICE, thorough="cp", slow="cp-sat sat clasp"),
    Golden("matchsticks", {"expression": "9-5=8", "moves": 2}, 6, 6, 1, TWICE, thorough="cp", slow="cp-sat sat clasp"),
    Golden(
        "matchsticks",
        {"expression": "9999999-1234567"},
        solutions=2,
        total=2,
        symmetries=1,
        source="brute force in tests",
        objective=765432,
        slow=GENERAL,
    ),
]

MAGIC = [
    Golden("magic", {}, 1, 8, 8, f"C Magazine, August 1998; {HIROI}"),
    Golden("magic", {"kind": "ring"}, 6, 48, 8, HIROI),
    *(
        Golden("magic", {"kind": "ring", "sum": total}, count, 8 * count, 8, HIROI)
        for total, count in ((11, 0), (12, 1), (13, 2), (14, 2), (15, 1), (16, 0))
    ),
    Golden("magic", {"sum": 10**30}, 0, 0, 8, "no numbers reach it"),
    Golden("magic", {"kind": "ring", "numbers": "odd"}, 6, 48, 8, HIROI),
    Golden("magic", {"kind": "ring", "numbers": "even"}, 6, 48, 8, HIROI),
    Golden("magic", {"kind": "ring", "numbers": "primes"}, 1, 8, 8, HIROI),
    Golden("magic", {"kind": "square"}, 1, 8, 8, A006052),
    Golden("magic", {"kind": "square", "order": 4}, 880, 7040, 8, A006052, slow=GENERAL),
]

FLIP_IT = [
    Golden(
        "flip-it", {}, 7, 7, 1, "M. Hiroi, Lisp pages (8 moves)", objective=8, thorough="sat", slow="cp-sat cp clasp"
    ),
    Golden("flip-it", {"board": "b_wbbbb"}, 41, 41, 1, PLANS, objective=8, thorough="sat", slow="cp-sat cp clasp"),
    Golden("flip-it", {"board": "b_wwwbbb"}, 73, 73, 1, PLANS, objective=8, slow=GENERAL),
    Golden("flip-it", {"goal": "_wwwww"}, 12, 12, 1, PLANS, objective=9, thorough="sat", slow="cp-sat cp clasp"),
    Golden("flip-it", {"board": "_bbbbb"}, 2, 2, 1, PLANS, objective=4),
    Golden("flip-it", {"board": "bbb_bbb"}, 2, 4, 2, PLANS, objective=7, thorough="sat", slow="cp-sat cp clasp"),
    Golden(
        "flip-it",
        {"board": "bb_wbb", "neighbours": True},
        solutions=36,
        total=36,
        symmetries=1,
        source=PLANS,
        objective=6,
        thorough="cp-sat sat clasp",
        slow="cp clasp",
    ),
    Golden("flip-it", {"horizon": 7}, 0, 0, 1, PLANS),
]

CLASSIC = [
    Golden("queens", {"n": 8}, 12, 92, 8, "OEIS A000170, A002562"),
    Golden("langford", {"n": 8}, 150, 300, 2, "OEIS A014552"),
    Golden("costas", {"n": 8}, 60, 444, 8, "OEIS A008404, A001441"),
    Golden("all-interval", {"n": 10}, None, 296, 4, "OEIS A006967"),
    Golden("golomb", {"marks": 8}, 1, 2, 2, "OEIS A036501", objective=34, slow="cp-sat sat clasp"),
]

KILLER = (
    "AABBBCDEF/GGHHCCDEF/GGIICJKKF/LMMINJKOF/LPPQNJOOR/SPTQNUVVR/STTQWUUXX/SYZWWaaXX/SYZWbbbcc "
    "A=3 B=15 C=22 D=4 E=16 F=15 G=25 H=17 I=9 J=8 K=20 L=6 M=14 N=17 O=17 P=13 Q=20 R=12 S=27 T=6 U=20 "
    "V=6 W=10 X=14 Y=8 Z=16 a=15 b=13 c=17"
)
"""The killer sudoku of Wikipedia's article."""

WIKIPEDIA = "Wikipedia"

PENCIL = [
    Golden("sudoku", {"rows": 3, "columns": 3, "cages": KILLER}, 1, 1, 1, f"{WIKIPEDIA}, Killer sudoku"),
    Golden("nonogram", {}, 1, 1, 1, "J. Wolter, Web Paint-by-Number, puzzle 1"),
    Golden("star-battle", {}, 1, 1, 1, "Abigail, Logic Puzzles, star battle"),
    Golden("skyscrapers", {}, 1, 1, 1, "Codewars, 4 By 4 Skyscrapers"),
    Golden("futoshiki", {}, 1, 1, 1, f"{WIKIPEDIA}, Futoshiki"),
    Golden("calcudoku", {}, 1, 1, 1, "S. Tatham, Keen"),
    Golden("dominosa", {}, 1, 1, 1, "S. Tatham, Dominosa"),
    Golden("kakuro", {}, 1, 1, 1, f"{WIKIPEDIA}, Kakuro"),
    Golden("numbrix", {"board": "3x3"}, 3, 40, 16, "OEIS A096969"),
    Golden("numbrix", {}, 38, 552, 16, "OEIS A096969", thorough=GENERAL),
    Golden("numbrix", {"board": "5x5"}, None, 8648, 16, "OEIS A096969", slow=GENERAL),
]

LOOPS_IN_SQUARES = "OEIS A140517"
TRIED = "all ways are tried in tests"


def _pencil(puzzle: str, clues: str, total: int, source: str = TRIED, symmetries: int = 1) -> Golden:
    solutions = total if symmetries == 1 else None
    return Golden(puzzle, {"puzzle": clues}, solutions, total, symmetries, source)


PENCIL_LOOPS = [
    Golden("slitherlink", {}, 1, 1, 1, "Wikipedia, Slitherlink"),
    _pencil("slitherlink", "013./.2.3/..../.3.0", 2),
    _pencil("slitherlink", "..03/0.1./11../1..2", 0),
    _pencil("slitherlink", "3x3t0:i", 213, LOOPS_IN_SQUARES, 8),
    Golden("masyu", {}, 1, 1, 1, "Wikipedia, Masyu"),
    _pencil("masyu", ".W.../...../...../.B.B./....B", 2),
    _pencil("masyu", "....W/WB..B/...../.W.../..B..", 0),
    _pencil("masyu", "..../..../..../....", 213, LOOPS_IN_SQUARES, 8),
    Golden("akari", {}, 1, 1, 1, "Wikipedia, Light Up"),
    _pencil("akari", ".B.../.0.0./.1B../...0./.....", 2),
    _pencil("akari", "2B.../.0.../.B0../B0.../2..2.", 0),
    _pencil("akari", ".../.../...", 6, "permutations of three", 8),
    Golden("numberlink", {}, 1, 1, 1, "Wikipedia, Numberlink"),
    _pencil("numberlink", "1../.../..1", 2, TRIED, 4),
    _pencil("numberlink", "12/21", 0, TRIED, 4),
    _pencil("numberlink", "1..../...../...../...../....1", 104, "OEIS A001184", 4),
    Golden("hashi", {}, 1, 1, 1, "the course from which it is"),
    _pencil("hashi", "3.321.2/....1.3/.23..../3..8..4/1...1../.3.53.2/241232.", 2, "one program"),
    _pencil("hashi", "1.2", 0),
    Golden("nurikabe", {}, 1, 1, 1, "Wikipedia, Nurikabe", slow="cp sat clasp"),
    _pencil("nurikabe", "...3/..../..../...4", 2),
    _pencil("nurikabe", "..../..4./1.4./.22.", 0),
    Golden("heyawake", {}, 1, 1, 1, "Nikoli's page on the puzzle"),
    _pencil("heyawake", "AB A=0", 2),
    _pencil("heyawake", "AAB/AAB A=4", 0, TRIED, 2),
]

BEYOND_LISTING = [
    Golden("pentomino", {"board": "5x18", "pieces": "one-sided"}, 686628, 2746512, 4, GOODGER),
    Golden("pentomino", {"board": "6x15", "pieces": "one-sided"}, 2567183, 10268732, 4, GOODGER),
    Golden("packing", {"board": "8x8", "pieces": "dominoes x*"}, None, 12988816, 8, "OEIS A004003"),
    _packing("5x6", "trominoes x*", None, 8342, 4, "OEIS A233340"),
    _packing("5x5", "dominoes x* + trominoes x*", None, 226922, 8, "OEIS A364457"),
    _packing("5x5", f"I x*\n##\n\n{RIGHT}", None, 21272, 8, "OEIS A219994"),
    _packing("8x8", "1x3 x* + 2x2 x*", None, 66653, 8, "OEIS A219967"),
    _packing("4x4", "dominoes x* + monomino x*", None, 10012, 8, "OEIS A028420"),
    _packing("5x5", "dominoes x* + monomino x*", None, 2810694, 8, "OEIS A028420"),
    _packing("triangle-8", STONES_AND_BONES, None, 25321, 6, "OEIS A377309", **HEX),
    _packing("hexagon-4", "D x*\n##\n", None, 232848, 12, MACMAHON, **TRIANGLE),
]
"""Covers that are counted but not listed; the second takes 2 GB of memory, those of packing next to none."""

SHELF = [*PENCIL, *PENCIL_LOOPS]

GOLDEN = [*PENTOMINO, *CHECKER, *PACKING, *EDGES, *DISSECTION, *DISPLAY, *MAGIC, *FLIP_IT, *CLASSIC, *SHELF]
