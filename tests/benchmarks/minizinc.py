"""Models that others wrote: python -m tests.benchmarks.minizinc FOLDER [--models N] [--seconds S] [--seed N]

Draws models without data files from a folder (hakank's collection for instance, github.com/hakank/hakank, minizinc/),
lists all solutions of each with kazoeru and with Gecode, both started by minizinc, and compares what they print. A
model counts for both if it has no objective, compiles, and both end within so many seconds. A difference makes it fail.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from solvers.base.options import count, read_integer, seconds
from solvers.extras.bridges.minizinc.__main__ import main as install
from solvers.terminal.arguments import argparse_reader
from tests.support.minizinc import gecode


class Ran(NamedTuple):
    """What a solver said of a model."""

    solutions: frozenset[str]
    is_complete: bool
    seconds: float
    complaint: str


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=argparse_reader(count), default=100, help="how many are to be compared")
    parser.add_argument("--seconds", type=argparse_reader(seconds), default=20, help="for each solver and model")
    parser.add_argument("--seed", type=argparse_reader(read_integer), default=0)
    chosen = parser.parse_args(words)
    files = sorted(file for file in chosen.folder.glob("*.mzn") if is_candidate(file))
    random.Random(chosen.seed).shuffle(files)
    rows: list[tuple[object, ...]] = []
    why: Counter[str] = Counter()
    differing: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        install(["--install", scratch])
        solvers = [Path(scratch) / "kazoeru.msc", gecode(Path(scratch))]
        for file in files:
            if len(rows) == chosen.models:
                break
            ours, theirs = (ran(solver, file, chosen.seconds) for solver in solvers)
            if ours.complaint or theirs.complaint:
                why[f"kazoeru: {ours.complaint}" if ours.complaint else "Gecode fails"] += 1
            elif not (ours.is_complete and theirs.is_complete):
                late = [name for name, one in (("kazoeru", ours), ("Gecode", theirs)) if not one.is_complete]
                why[f"not done in time: {' and '.join(late)}"] += 1
            else:
                rows.append((file.stem, len(ours.solutions), ours.seconds, theirs.seconds))
                if ours.solutions != theirs.solutions:
                    differing.append(f"{file.name}: {len(ours.solutions)} and {len(theirs.solutions)}")
                print(f"{rows[-1]}", file=sys.stderr, flush=True)
    print(tabulate(rows, ["model", "solutions", "kazoeru, s", "Gecode, s"], floatfmt=".2f"))
    print(tabulate(sorted(why.items()), ["left out", "models"]))
    print(f"{len(rows)} compared, {len(differing)} differ", *differing, sep="\n")
    return 1 if differing else 0


def is_candidate(file: Path) -> bool:
    """Whether it seems to be a whole model, without an objective."""
    text = re.sub(r"%.*", "", file.read_text(encoding="utf-8", errors="replace"))
    return bool(re.search(r"\bsolve\b[^;]*\bsatisfy\b", text)) and not file.with_suffix(".dzn").exists()


def ran(solver: Path, file: Path, limit: float) -> Ran:
    """List all solutions."""
    began = time.perf_counter()
    words = ["minizinc", "--solver", str(solver), "-a", file.name]
    process = subprocess.Popen(
        words, cwd=file.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    is_late = False
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        is_late = True
        process.terminate()
        out, err = process.communicate()
    parts = re.split(r"-{10}\n", out)
    complaint = "" if is_late else complaint_of(out, err)
    is_complete = not is_late and parts[-1].rstrip().endswith(("==========", "=====UNSATISFIABLE====="))
    return Ran(frozenset(parts[:-1]), is_complete, time.perf_counter() - began, complaint)


def complaint_of(out: str, err: str) -> str:
    """Why there is no answer; without what differs from model to model."""
    if "=====ERROR=====" not in out and "Error:" not in err:
        return ""
    own = next((line for line in err.splitlines() if line.startswith("kazoeru: ")), "")
    if not own:
        return "it does not compile"
    return re.sub(r".*line \d+: ", "", own.removeprefix("kazoeru: "))[:60]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
