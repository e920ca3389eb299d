"""Known numbers, each with its source. Solutions are counted up to symmetry, totals in all."""

from typing import Any, NamedTuple


class Golden(NamedTuple):
    """What a complete run has to say."""

    puzzle: str
    parameters: dict[str, Any]
    solutions: int
    total: int
    symmetries: int
    source: str
    objective: int | None = None
    slow: str = ""
    """The backends on which it takes longer than some seconds."""

    def __str__(self) -> str:
        return " ".join([self.puzzle, *(f"{name}={value}" for name, value in self.parameters.items())])


FLETCHER = "C. J. Fletcher, CACM 8 (1965)"
SCOTT = "D. S. Scott, Programming a combinatorial puzzle (1958)"
TENYO = "Tenyo, Pla-Puzzle leaflet (1968)"
TENYO_BOX = "Tenyo, box of Pla-Puzzle 64; also A. Wassermann's lists"
SUBSETS = "counted by several programs; see K. Gong's polyomino pages"
BOX = "C. J. Bouwkamp, Catalogue of solutions of the rectangular 3x4x5 solid pentomino problem (1967)"

GENERAL = "cp-sat sat"

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
    Golden("pentomino", {"board": "3x4x5"}, 3940, 31520, 8, BOX, slow=GENERAL),
    Golden("pentomino", {"board": "3x30", "pieces": "one-sided"}, 46, 184, 4, "S. W. Golomb, Polyominoes", slow=GENERAL),
]
