"""Known numbers, each with its source. Solutions are counted up to symmetry, totals in all."""

from typing import Any, NamedTuple


class Golden(NamedTuple):
    """What a complete run has to say."""

    puzzle: str
    parameters: dict[str, Any]
    solutions: int
    total: int | None
    """None where no source gives it."""
    symmetries: int
    source: str
    objective: int | None = None
    thorough: str = ""
    """The backends on which it takes some seconds."""
    slow: str = ""
    """The backends on which it takes minutes."""

    @property
    def is_cover(self) -> bool:
        """Whether the model is an exact cover."""
        return self.puzzle in ("pentomino", "checker")

    def __str__(self) -> str:
        return " ".join([self.puzzle, *(f"{name}={value}" for name, value in self.parameters.items())])


FLETCHER = "C. J. Fletcher, CACM 8 (1965)"
SCOTT = "D. S. Scott, Programming a combinatorial puzzle (1958)"
TENYO = "Tenyo, Pla-Puzzle leaflet (1968)"
TENYO_BOX = "Tenyo, box of Pla-Puzzle 64; also A. Wassermann's lists"
SUBSETS = "counted by several programs; see K. Gong's polyomino pages"
BOX = "C. J. Bouwkamp, Catalogue of solutions of the rectangular 3x4x5 solid pentomino problem (1967)"

GOODGER = "D. Goodger, Polyform Puzzler"
GOLOMB = "S. W. Golomb, Polyominoes (1965)"
ASAHI = "Asahi Shimbun, Puzzle Yokocho"
HIROI = "M. Hiroi, Lisp pages"
PLANS = f"{HIROI} (moves); breadth-first search in tests (plans)"
TWICE = "two independent programs"
ACROSS = "one program: cuts across cells add nothing"
A003155 = "OEIS A003155"
A006052 = "OEIS A006052"

GENERAL = "cp-sat cp sat"

PENTOMINO = [
    Golden("pentomino", {"board": "3x20"}, 2, 8, 4, FLETCHER),
    Golden("pentomino", {"board": "2x30"}, 0, 0, 4, "the X is three cells wide and three high"),
    Golden("pentomino", {"board": "5x3", "subset": True}, 7, 28, 4, SUBSETS),
    Golden("pentomino", {"board": "5x4", "subset": True}, 50, 200, 4, SUBSETS),
    Golden("pentomino", {"board": "5x5", "subset": True}, 107, 856, 8, SUBSETS, slow=GENERAL),
    Golden("pentomino", {"board": "5x6", "subset": True}, 541, 2164, 4, SUBSETS, slow=GENERAL),
    Golden("pentomino", {"board": "5x7", "subset": True}, 1396, 5584, 4, SUBSETS, slow=GENERAL),
    Golden("pentomino", {"board": "5x8", "subset": True}, 3408, 13632, 4, SUBSETS, slow=GENERAL),
    Golden("pentomino", {"board": "4x15"}, 368, 1472, 4, FLETCHER, slow=GENERAL),
    Golden("pentomino", {"board": "5x12"}, 1010, 4040, 4, FLETCHER, slow=GENERAL),
    Golden("pentomino", {"board": "6x10"}, 2339, 9356, 4, f"{FLETCHER}; {TENYO}", slow=GENERAL),
    Golden("pentomino", {"board": "8x8-centre"}, 65, 520, 8, SCOTT, slow=GENERAL),
    Golden("pentomino", {"board": "8x8-corners"}, 2170, 17360, 8, TENYO, slow=GENERAL),
    Golden("pentomino", {"board": "8x8", "square": True}, 16146, 129168, 8, TENYO_BOX, slow=f"{GENERAL} cover"),
    Golden("pentomino", {"board": "2x3x10"}, 12, 96, 8, BOX, slow=GENERAL),
    Golden("pentomino", {"board": "2x5x6"}, 264, 2112, 8, BOX, slow=GENERAL),
    Golden("pentomino", {"board": "3x4x5"}, 3940, 31520, 8, BOX, slow=f"{GENERAL} cover"),
    Golden("pentomino", {"board": "3x30", "pieces": "one-sided"}, 46, 184, 4, GOLOMB, slow=GENERAL),
]

CHECKER = [
    Golden("checker", {}, 2, 4, 2, "Tenyo, case of the Checker Puzzle"),
    Golden("checker", {"flip": True, "coloured": False, "centre": True}, 65, 520, 8, TENYO_BOX, slow=GENERAL),
    Golden("checker", {"flip": True}, 30, 120, 4, "the census of tilings", slow=GENERAL),
    Golden("checker", {"coloured": False}, 536, 2144, 4, "the census of tilings", slow=GENERAL),
    Golden("checker", {"pieces": "FILNPTUVWXYZO"}, 0, 0, 2, "its colours do not balance"),
    Golden("checker", {"flip": True, "coloured": False}, 16146, 129168, 8, TENYO_BOX, slow=f"{GENERAL} cover"),
]

DISSECTION = [
    Golden("dissection", {}, 1, 2, 2, f"{ASAHI}, 1 April 2005"),
    Golden("dissection", {"require": "both-connected"}, 25, 50, 2, TWICE),
    Golden("dissection", {"require": "connected"}, 38245, 38245, 1, TWICE, slow=GENERAL),
    Golden("dissection", {"mirror": False}, 0, 0, 2, "one program"),
    Golden("dissection", {"cells": "halves"}, 1, 2, 2, ACROSS, thorough=GENERAL, slow="cp"),
    Golden("dissection", {"cells": "quarters"}, 1, 2, 2, ACROSS, thorough=GENERAL, slow="cp"),
    Golden("dissection", {"region": "square-8"}, 92263, None, 16, A003155, slow=GENERAL),
    Golden("dissection", {"region": "square-2"}, 1, 4, 16, A003155),
    Golden("dissection", {"region": "square-3"}, 1, 8, 16, A003155),
    Golden("dissection", {"region": "square-4"}, 6, 44, 16, A003155),
    Golden("dissection", {"region": "square-5"}, 15, 120, 16, A003155),
    Golden("dissection", {"region": "square-6"}, 255, 2036, 16, A003155, thorough="cp-sat", slow="cp sat"),
    Golden("dissection", {"region": "square-7"}, 1897, 15176, 16, A003155, slow=GENERAL),
]

DISPLAY = [
    Golden("matchsticks", {}, 1, 1, 1, f"{ASAHI}, 30 March 2007", objective=97),
    Golden("matchsticks", {"goal": "any", "positive": False}, 112, 112, 1, TWICE, thorough="sat"),
    Golden("matchsticks", {"goal": "any", "positive": False, "moves": 1}, 14, 14, 1, TWICE, thorough="sat"),
    Golden("matchsticks", {"leading_zero": True}, 1, 1, 1, TWICE, objective=1),
    Golden(
        *("matchsticks", {"goal": "any", "positive": False, "leading_zero": True}, 128, 128, 1, TWICE), thorough=GENERAL
    ),
    Golden("matchsticks", {"expression": "6+4=4", "moves": 1}, 1, 1, 1, TWICE),
    Golden("matchsticks", {"expression": "5+7=2", "moves": 1}, 1, 1, 1, TWICE),
    Golden("matchsticks", {"expression": "3+3=5", "moves": 1}, 2, 2, 1, TWICE),
    Golden("matchsticks", {"expression": "9-5=8", "moves": 1}, 2, 2, 1, TWICE),
    Golden("matchsticks", {"expression": "9-5=8", "moves": 2}, 6, 6, 1, TWICE),
    Golden("matchsticks", {"expression": "9999999-1234567"}, 2, 2, 1, "brute force in tests", objective=765432),
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
    Golden("magic", {"kind": "square", "order": 4}, 880, 7040, 8, A006052, slow="sat"),
]

FLIP_IT = [
    Golden("flip-it", {}, 7, 7, 1, PLANS, objective=8),
    Golden("flip-it", {"board": "b_wbbbb"}, 41, 41, 1, PLANS, objective=8),
    Golden("flip-it", {"board": "b_wwwbbb"}, 73, 73, 1, PLANS, objective=8),
    Golden("flip-it", {"goal": "_wwwww"}, 12, 12, 1, PLANS, objective=9),
    Golden("flip-it", {"board": "_bbbbb"}, 2, 2, 1, PLANS, objective=4),
    Golden("flip-it", {"board": "bbb_bbb"}, 2, 4, 2, PLANS, objective=7),
    Golden("flip-it", {"board": "bb_wbb", "neighbours": True}, 36, 36, 1, PLANS, objective=6),
    Golden("flip-it", {"horizon": 7}, 0, 0, 1, PLANS),
]

BEYOND_LISTING = [
    Golden("pentomino", {"board": "5x18", "pieces": "one-sided"}, 686628, 2746512, 4, GOODGER),
    Golden("pentomino", {"board": "6x15", "pieces": "one-sided"}, 2567183, 10268732, 4, GOODGER),
]
"""Covers that are counted but not listed; the second takes 2 GB of memory."""

GOLDEN = [*PENTOMINO, *CHECKER, *DISSECTION, *DISPLAY, *MAGIC, *FLIP_IT]
