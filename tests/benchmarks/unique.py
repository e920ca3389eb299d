"""Many puzzles: python -m tests.benchmarks.unique [sudoku|nonogram|numbrix] [--puzzles N] [--seed S] [--write FILE]

Sudokus have 30 to 50 random cells of a full grid, shuffled by the symmetries of sudokus; nonograms the clues of random
boards of 15x15; numbrix 15 to 45 cells of random paths on 9x9. Many have several solutions. Without --write they are
judged by the command, and the seconds are told.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.pencil import nonograms, numbrixes
from tests.support.sudoku import sudokus

KINDS = {
    "sudoku": (sudokus, 10_000, ["--rows", "3", "--columns", "3"]),
    "nonogram": (nonograms, 1_000, []),
    "numbrix": (numbrixes, 1_000, ["--board", "9x9"]),
}
"""For each kind: what draws the puzzles, how many by default, and the options of the command."""


def main() -> None:
    """Write the puzzles, or judge them."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.unique", description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=KINDS, default="sudoku")
    parser.add_argument("--puzzles", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", metavar="FILE")
    chosen = parser.parse_args()
    drawn, usual, options = KINDS[chosen.kind]
    text = "\n".join(drawn(chosen.puzzles or usual, chosen.seed)) + "\n"
    if chosen.write:
        Path(chosen.write).write_text(text)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "puzzles.txt")
        file.write_text(text)
        words = ["unique", chosen.kind, str(file), *options, "--quiet"]
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "solvers", *words], capture_output=True, text=True, check=False)
        print(done.stdout.splitlines()[-1], f"in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
