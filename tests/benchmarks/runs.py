"""Tables of runs: python -m tests.benchmarks.runs TABLE [--repeat K] [--time-limit S], where TABLE is one of

sizes: 6x10 in one piece, in a hundred cubes, in a thousand, and as it comes, with one job and two.
growth: boards and boxes, from 3x20 to 8x8 with the square tetromino.
slow: puzzles that are not exact covers and take long, with one job and two; square-8 takes half an hour.
others: whether what needs no splitting loses by it: the other puzzles as they come, and in one piece with one job.
counts: boards counted without listing, by states on a frontier, and the same boards listed.
large: boards that are counted only, as to list them takes hours.

Each row is a command of its own. Seconds are those of the search, from the declaration to the last check, without the
start of Python; medians. Megabytes are the most that all processes had. Counts of one puzzle that differ make it fail.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tabulate import tabulate

from tests.benchmarks import parser

BOARDS = ("3x20", "4x15", "5x12", "6x10", "8x8-centre", "3x4x5", "2x5x6", "3x30 --pieces one-sided", "8x8 --square")
COUNTED = ("6x10", "8x8 --square", "3x30 --pieces one-sided", "5x18 --pieces one-sided")
LARGE = ("5x18 --pieces one-sided", "6x15 --pieces one-sided", "3x4x5")

TABLES: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "sizes": (
        ["pentomino --board 6x10"],
        [
            f"--backend {backend} {cubes}"
            for backend in ("sat", "cp-sat")
            for cubes in ("--cubes 1 --jobs 1", "--cubes 100 --jobs 1", "--cubes 1000 --jobs 1", "--jobs 1", "--jobs 2")
        ],
    ),
    "growth": (
        [f"pentomino --board {board}" for board in BOARDS],
        ["--backend cover", "--backend sat", "--backend cp-sat"],
    ),
    "slow": (
        [
            "magic --kind square --order 4 --backend sat",
            "flip-it --board b_wwwbbb --backend cp-sat",
            "dissection --region square-7 --backend sat",
            "dissection --region square-8 --backend sat",
        ],
        ["--jobs 1", "--jobs 2"],
    ),
    "others": (
        [
            "checker",
            "checker --flip",
            "dissection",
            "matchsticks",
            "flip-it",
            "magic",
            "magic --kind ring",
            "magic --kind square --order 4",
        ],
        [f"--backend {backend} {cubes}" for backend in ("sat", "cp-sat") for cubes in ("--cubes 1 --jobs 1", "")],
    ),
    "counts": (
        [f"pentomino --board {board} --backend cover" for board in COUNTED],
        ["--count-only", ""],
    ),
    "large": (
        [f"pentomino --board {board} --backend cover" for board in LARGE],
        ["--count-only"],
    ),
}
"""By name: puzzles, and the ways in which each is run."""


def report(words: str, time_limit: float) -> dict[str, Any]:
    """What a run in a process of its own says of itself."""
    command = [sys.executable, "-m", "solvers.run", *words.split(), "--json", "--time-limit", str(time_limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{words}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(table: str, repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    puzzles, ways = TABLES[table]
    for puzzle in puzzles:
        totals = set()
        for way in ways:
            runs = [report(f"{puzzle} {way}", time_limit) for _ in range(repeat)]
            run, memory = runs[0], runs[0]["memory"]
            totals |= {one["total"] for one in runs if one["complete"]}
            at_least = "" if run["complete"] else "at least "
            yield (
                f"{puzzle} {way}",
                f"{at_least}{run['solutions']}",
                f"{at_least}{run['total']}",
                f"{statistics.median(one['seconds']['all'] for one in runs):.2f}",
                run["cubes"],
                run["statistics"].get("nodes", run["statistics"].get("states", "")),
                run["statistics"].get("peak_states", ""),
                (memory["main"] + memory.get("worker", 0) * run.get("jobs", 1)) // 10**6,
            )
        if len(totals) > 1:
            sys.exit(f"{puzzle}: the counts differ: {sorted(totals)}")


def main() -> None:
    words = parser(__doc__, repeat=3, time_limit=600)
    words.add_argument("table", choices=TABLES)
    chosen = words.parse_args()
    headers = ["run", "solutions", "in all", "seconds", "cubes", "nodes or states", "at the widest", "MB"]
    print(tabulate(rows(chosen.table, chosen.repeat, chosen.time_limit), headers, disable_numparse=True))


if __name__ == "__main__":
    main()
