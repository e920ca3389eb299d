"""What counting beyond listing takes: python -m tests.benchmarks.frontier [--large] [--jobs N] [--time-limit S]

For each board a row for the count by states on a frontier, one for a listing by the same backend, and one for xcover's
ZDD (``pip install '.[bench]'``), each in a process of its own. States are those of all layers, for a ZDD its nodes; the
widest are those held at a time. Megabytes are the most that all processes had. A count that differs makes it fail.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from solvers.command import count, seconds
from solvers.conquer import peak_memory
from solvers.trials import end
from solvers.workers import available_processors
from tests.benchmarks.peers import export, read_cover

PUZZLES = {
    "6x10": ["pentomino", "--board", "6x10"],
    "8x8 with the square": ["pentomino", "--board", "8x8", "--square"],
    "one-sided 3x30": ["pentomino", "--board", "3x30", "--pieces", "one-sided"],
    "one-sided 5x18": ["pentomino", "--board", "5x18", "--pieces", "one-sided"],
}
LARGE = {"one-sided 6x15": ["pentomino", "--board", "6x15", "--pieces", "one-sided"]}

METHODS = {
    "frontier": ("solvers.run", "--backend=cover", "--json", "--count-only"),
    "listing": ("solvers.run", "--backend=cover", "--json"),
}


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


def rows(board: str, words: list[str], jobs: int, limit: float) -> Iterator[tuple[object, ...]]:
    said = {name: report(*method, *words, f"--jobs={jobs}", limit=limit) for name, method in METHODS.items()}
    if find_spec("xcover"):
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.dlx")
            if refusal := export([*words, "--all"], file):
                sys.exit(refusal)
            said["xcover's ZDD"] = report("tests.benchmarks.frontier", "--zdd", str(file), limit=limit)
    for name, run in said.items():
        if not run:
            yield board, name, None, None, None, None, f"over {limit:.0f}", None
            continue
        statistics, memory = run["statistics"], run["memory"]
        widest = statistics.get("peak_states")
        bytes_each = f"{memory['states'] / widest:.0f}" if widest else None
        megabytes = (memory["main"] + memory.get("worker", 0) * run.get("jobs", 1)) / 1e6
        states = statistics.get("states")
        yield board, name, run["total"], states, widest, bytes_each, f"{run['seconds']['all']:.2f}", f"{megabytes:.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="one-sided 6x15 too")
    parser.add_argument("--jobs", type=count, default=available_processors(), metavar="N", help="of our own runs")
    parser.add_argument("--time-limit", type=seconds, default=300, metavar="S", help="for each run (default: 300)")
    parser.add_argument("--zdd", type=Path, help=argparse.SUPPRESS)  # what the process is started with
    chosen = parser.parse_args()
    if chosen.zdd:
        print(json.dumps(zdd(chosen.zdd)))
        return 0
    headers = ["board", "method", "in all", "states", "widest", "bytes each", "seconds", "MB"]
    differing = []
    for board, words in {**PUZZLES, **(LARGE if chosen.large else {})}.items():
        table = list(rows(board, words, chosen.jobs, chosen.time_limit))
        print(tabulate(table, headers, disable_numparse=True, colalign=["left", "left", *["right"] * 6]), flush=True)
        print()
        if len({row[2] for row in table} - {None}) != 1:
            differing.append(board)
    if differing:
        print(f"the counts differ, or there is none: {', '.join(differing)}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
