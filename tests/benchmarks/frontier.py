"""What counting beyond listing takes: python -m tests.benchmarks.frontier [--board NAME] [--method NAME] [--jobs N]

For each board a row for the count by states on a frontier, one for a listing by the same backend, and one for xcover's
ZDD (``pip install '.[bench]'``), each in a process of its own. States are those of all layers, for a ZDD its nodes; the
widest are those held at a time. Megabytes are the most that all processes had. A count that differs makes it fail.
``--board 5x18 --board 6x15 --board 3x4x5 --method frontier`` are the large boards without what takes hours on them.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from solvers.cubes.processes import peak_memory
from solvers.extras.survey.trials import end
from solvers.options import available_processors, count, seconds
from solvers.terminal.arguments import typed
from tests.benchmarks.peers import export, read_cover

BOARDS = {
    "6x10": ["pentomino", "--board", "6x10"],
    "8x8": ["pentomino", "--board", "8x8", "--square"],
    "3x30": ["pentomino", "--board", "3x30", "--pieces", "one-sided"],
    "5x18": ["pentomino", "--board", "5x18", "--pieces", "one-sided"],
    "6x15": ["pentomino", "--board", "6x15", "--pieces", "one-sided"],
    "3x4x5": ["pentomino", "--board", "3x4x5"],
}
"""Those of 64 cells with the square tetromino, those of 90 with the one-sided pentominoes."""

USUAL = ["6x10", "8x8", "3x30", "5x18"]

OURS = {
    "frontier": ("solvers.run", "--backend=cover", "--json", "--count-only"),
    "listing": ("solvers.run", "--backend=cover", "--json"),
}
ZDD = "zdd"


def zdd(file: Path) -> dict[str, Any]:
    """Build the ZDD of a cover, and count its solutions from the ends."""
    import xcover

    list(xcover.covers_zdd([["a"], ["b"]]))  # loads what was compiled
    cover = read_cover(file)
    began = time.perf_counter()
    counts = {0: 0, 1: 1}
    # Its cache of positions is left alone: with that, xcover 0.2.6 counts 9351 on 6x10, and 4041 on 5x12.
    for node, _, low, high in xcover.covers_zdd(cover.options, cover.primary, cover.secondary):
        counts[node] = counts[low] + counts[high]
    return {
        "total": counts[max(counts)] if len(counts) > 2 else 0,
        "statistics": {"states": len(counts)},
        "seconds": {"all": time.perf_counter() - began},
        "memory": {"main": peak_memory()},
    }


def report(module: str, *words: str, limit: float) -> dict[str, Any]:
    """What a run says as JSON; nothing if it does not come to its end."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *words], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return {}
    finally:
        end(process)
    return json.loads(out) if process.returncode == 0 else {}


def rows(board: str, methods: Sequence[str], jobs: int, limit: float) -> Iterator[tuple[object, ...]]:
    words = BOARDS[board]
    said = {name: report(*OURS[name], *words, f"--jobs={jobs}", limit=limit) for name in methods if name != ZDD}
    if ZDD in methods:
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.dlx")
            if refusal := export([*words, "--all"], file):
                sys.exit(refusal)
            said[ZDD] = report("tests.benchmarks.frontier", "--zdd", str(file), limit=limit)
    for name, run in said.items():
        if not run:
            yield board, name, None, None, None, None, None, f"over {limit:.0f}", None
            continue
        statistics, memory = run["statistics"], run["memory"]
        widest = statistics.get("peak_states")
        bytes_each = f"{memory['states'] / widest:.0f}" if widest else None
        megabytes = (memory["main"] + memory.get("worker", 0) * run.get("jobs", 1)) / 1e6
        seconds_taken = f"{run['seconds']['all']:.2f}"
        counts = run["total"], run.get("solutions")
        yield board, name, *counts, statistics.get("states"), widest, bytes_each, seconds_taken, f"{megabytes:.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", action="append", choices=BOARDS, help="may be repeated (default: all but two)")
    methods = [*OURS, *([ZDD] if find_spec("xcover") else [])]
    parser.add_argument("--method", action="append", choices=methods, help="may be repeated (default: all)")
    parser.add_argument(
        "--jobs", type=typed(count), default=available_processors(), metavar="N", help="of our own runs"
    )
    parser.add_argument(
        "--time-limit", type=typed(seconds), default=300, metavar="S", help="for each run (default: 300)"
    )
    parser.add_argument("--zdd", type=Path, help=argparse.SUPPRESS)  # what the process is started with
    chosen = parser.parse_args()
    if chosen.zdd:
        print(json.dumps(zdd(chosen.zdd)))
        return 0
    headers = ["board", "method", "in all", "up to symmetry", "states", "widest", "bytes each", "seconds", "MB"]
    differing = []
    for board in chosen.board or USUAL:
        table = list(rows(board, chosen.method or methods, chosen.jobs, chosen.time_limit))
        print(tabulate(table, headers, disable_numparse=True, colalign=["left", "left", *["right"] * 7]), flush=True)
        print()
        if len({row[2] for row in table} - {None}) != 1:
            differing.append(board)
    if differing:
        print(f"the counts differ, or there is none: {', '.join(differing)}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
