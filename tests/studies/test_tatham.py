"""Puzzles of Debian's sgt-puzzles, S. Tatham's collection: they have one solution, and our levels follow his."""

import subprocess
from pathlib import Path
from statistics import correlation

import pytest

from solvers import grade, unique

GAMES = {
    "sudoku": ("solo", ["3x3dt", "3x3db", "3x3di", "3x3da", "3x3de", "3x3du"], 0.8),
    "futoshiki": ("unequal", ["5dt", "5de", "5dk", "5dx"], 0.6),
    "skyscrapers": ("towers", ["5de", "5dh", "5dx"], 0.6),
    "akari": ("lightup", ["7x7b20s4d0", "7x7b20s4d1", "7x7b20s4d2"], 0.6),
    "hashi": ("bridges", ["7x7i30e10m2d0", "7x7i30e10m2d1", "7x7i30e10m2d2"], 0.6),
    "dominosa": ("dominosa", ["6dt", "6db", "6dh", "6de"], 0.6),
    "masyu": ("pearl", ["8x8de", "8x8dt"], 0.6),
    "calcudoku": ("keen", ["5de", "5dn", "5dh", "5dx"], 0.6),
    "slitherlink": ("loopy", ["7x7t0de", "7x7t0dh"], 0.6),
    "nonogram": ("pattern", ["10x10"], None),
}
"""For each genre the name of the game, its levels from easy to hard, and the rank correlation that is held.

The puzzles are those of one seed. With three seeds, sudokus have 0.81, 0.77 and 0.86. Slitherlinks are ordered by what
single rules rule out at once: 0.81, 0.77, 0.82; by our levels, 0.37, 0.56, 0.11, as most need a search. Calcudokus have
0.86, 0.85 and 0.83. The game of nonograms has no levels.
"""

EACH = 6
"""How many puzzles of each level are made."""

PROGRAMS = Path("/usr/games")


@pytest.mark.thorough
@pytest.mark.parametrize("genre", GAMES)
def test_levels_follow(genre: str) -> None:
    name, kinds, least = GAMES[genre]
    program = PROGRAMS / f"sgt-{name}"
    if not program.exists():
        pytest.skip("sgt-puzzles is not installed")
    theirs: list[float] = []
    ours: list[float] = []
    for level, kind in enumerate(kinds):
        made = subprocess.run(
            [program, "--generate", str(EACH), f"{kind}#1"], capture_output=True, text=True, check=True, timeout=60
        )
        verdicts = unique(genre, made.stdout.split(), grade=True)
        assert [verdict.solutions for verdict in verdicts] == ["1"] * EACH
        for verdict in verdicts:
            assert verdict.grade is not None
            theirs.append(level)
            found = verdict.grade
            ours.append(-found.at_once if genre == "slitherlink" else 100 * found.level + found.looks)
    if least is not None:
        assert correlation(ranks(theirs), ranks(ours)) >= least


def ranks(values: list[float]) -> list[float]:
    """The rank of each value; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


@pytest.mark.thorough
def test_techniques_follow() -> None:
    """The levels of Solo are those of our techniques: singles, locked candidates, pairs and triples, more."""
    program = PROGRAMS / "sgt-solo"
    if not program.exists():
        pytest.skip("sgt-puzzles is not installed")
    theirs: list[float] = []
    ours: list[float] = []
    for level, kind in enumerate(GAMES["sudoku"][1]):
        made = subprocess.run(
            [program, "--generate", "3", f"{kind}#2"], capture_output=True, text=True, check=True, timeout=60
        )
        for text in made.stdout.split():
            found = grade(f"solo:{text}").techniques
            assert found is not None
            theirs.append(level)
            ours.append(found.hardest + found.left / 100)
    assert correlation(ranks(theirs), ranks(ours)) >= 0.9
