"""Many sudokus: python -m tests.benchmarks.unique [--puzzles N] [--seed S] [--write FILE]

Each has 30 to 50 random cells of a full grid, shuffled by the symmetries of sudokus, so that many have several
solutions. Without --write they are judged by the command, and the seconds are told.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.sudoku import sudokus


def main() -> None:
    """Write the puzzles, or judge them."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.unique", description=__doc__.splitlines()[0])
    parser.add_argument("--puzzles", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", metavar="FILE")
    chosen = parser.parse_args()
    text = "\n".join(sudokus(chosen.puzzles, chosen.seed)) + "\n"
    if chosen.write:
        Path(chosen.write).write_text(text)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sudokus.txt")
        file.write_text(text)
        words = ["unique", "sudoku", str(file), "--rows", "3", "--columns", "3", "--quiet"]
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "solvers", *words], capture_output=True, text=True, check=False)
        print(done.stdout.splitlines()[-1], f"in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
