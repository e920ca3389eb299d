"""Known numbers, each with its source. Counts are up to symmetry and in all."""

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
    slow: frozenset[str] = frozenset()
    """On which backends it takes longer than a few seconds."""


BOTH = frozenset({"cp-sat", "sat"})

FLETCHER = "C. J. Fletcher, CACM 8 (1965); Tenyo, Pla-Puzzle leaflet (1968) for 6x10"
SCOTT = "D. S. Scott, Programming a combinatorial puzzle, Princeton (1958)"
SUBSETS = "pentominoes from any subset of the twelve, known counts"

PENTOMINO = [
    Golden("pentomino", {"board": "3x20"}, 2, 8, 4, FLETCHER),
    Golden("pentomino", {"board": "4x15"}, 368, 1472, 4, FLETCHER, slow=BOTH),
    Golden("pentomino", {"board": "5x12"}, 1010, 4040, 4, FLETCHER, slow=BOTH),
    Golden("pentomino", {"board": "6x10"}, 2339, 9356, 4, FLETCHER, slow=BOTH),
    Golden("pentomino", {"board": "8x8-centre"}, 65, 520, 8, SCOTT, slow=BOTH),
    Golden("pentomino", {"board": "8x8-corners"}, 2170, 17360, 8, "Tenyo, Pla-Puzzle leaflet (1968)", slow=BOTH),
    Golden("pentomino", {"board": "2x30"}, 0, 0, 4, "the V, W, X, Z and others are three cells wide"),
]
