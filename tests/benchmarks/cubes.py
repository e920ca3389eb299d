"""What splitting gives: python -m tests.benchmarks.cubes [sizes|growth|progress|scale] [--repeat K] [--time-limit S]

sizes: 6x10 in small cubes, at most a thousand, a hundred, and in one piece, with one job and two.
growth: boards and boxes, from 3x20 to 8x8 with the square tetromino.
progress: what the bar predicts at some moments, against what the run took.
scale: overhead for each cube in a pool and on a Dask cluster, and how far the cubes of 8x8 with the square could be
    shared out, by their measured times.

Seconds are those of the search, from the declaration to the last check, without the start of Python; medians.
"""

import argparse
import heapq
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any
from unittest.mock import patch

from tabulate import tabulate

from models.pentomino import pentomino
from solvers import workers
from solvers.command import count, seconds
from solvers.conquer import Answer, Cube, Job, Patience, conquer
from solvers.cover import Cover
from solvers.key import Key
from solvers.runner import Options, Run
from solvers.split import conquered, cover_plan
from solvers.symmetry import Group, break_symmetry
from solvers.workers import Found, Plan, Processes

BOARDS: Sequence[Sequence[str]] = (
    ("--board", "3x20"),
    ("--board", "4x15"),
    ("--board", "5x12"),
    ("--board", "6x10"),
    ("--board", "8x8-centre"),
    ("--board", "3x4x5"),
    ("--board", "2x5x6"),
    ("--board", "3x30", "--pieces", "one-sided"),
    ("--board", "8x8", "--square"),
)


def report(*words: str) -> dict[str, Any]:
    """What a run in a process of its own says of itself."""
    command = [sys.executable, "-m", "solvers.run", "pentomino", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def sizes(repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    yield "backend", "cubes", "jobs", "seconds", "times one piece", "nodes of the splitter"
    for backend in ("sat", "cp-sat"):
        whole: float | None = None
        for cubes, jobs in (("1", 1), ("100", 1), ("1000", 1), ("", 1), ("", 2)):
            words = ["--backend", backend, "--jobs", str(jobs), "--time-limit", str(time_limit)]
            runs = [report(*words, *(["--cubes", cubes] if cubes else [])) for _ in range(repeat)]
            median = statistics.median(run["seconds"]["all"] for run in runs)
            whole = whole or median
            known = "" if all(run["complete"] for run in runs) else "at least "
            share = runs[0]["statistics"].get("nodes", 0)
            yield backend, runs[0]["cubes"], jobs, f"{known}{median:.1f}", f"{whole / median:.1f}", share


def growth(repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    yield "board", "backend", "solutions", "in all", "nodes", "cubes", "seconds", "MB, main", "MB, worker"
    for board in BOARDS:
        for backend in ("cover", "sat", "cp-sat"):
            runs = [report(*board, "--backend", backend, "--time-limit", str(time_limit)) for _ in range(repeat)]
            run = runs[0]
            at_least = "" if run["complete"] else "at least "
            yield (
                " ".join(word for word in board[1:] if word != "--pieces").replace("--", ""),
                backend,
                f"{at_least}{run['solutions']}",
                f"{at_least}{run['total']}",
                run["statistics"].get("nodes", ""),
                run["cubes"],
                f"{statistics.median(run['seconds']['all'] for run in runs):.2f}",
                run["memory"]["main"] // 10**6,
                run["memory"].get("worker", 0) // 10**6 or "",
            )


def progress(repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    yield "backend", "share searched", "seconds so far", "predicted", "in the end", "ratio"
    for backend in ("cover", "sat", "cp-sat"):
        for _ in range(repeat):
            run = Run("pentomino", {}, pentomino, Options(backend, time_limit=time_limit))
            moments: list[tuple[float, float]] = []
            began: float | None = None
            for _ in run:
                if run.report.model and began is None:
                    began = time.perf_counter()
                if began is not None and run.report.progress:
                    moments.append((run.report.progress, time.perf_counter() - began))
            assert began is not None
            taken = time.perf_counter() - began
            for share in (0.25, 0.5, 0.75, 0.9):
                done, elapsed = next(moment for moment in moments if moment[0] >= share)
                numbers = done, elapsed, elapsed / done, taken, elapsed / done / taken
                yield backend, *(f"{number:.2f}" for number in numbers)


STUBS = 2000


def stub(job: Job, cubes: Sequence[Cube], patience: Patience, stop: object) -> list[Answer]:
    """Takes for each cube the milliseconds that its one literal says."""
    answers = []
    for cube in cubes:
        time.sleep(cube.literals[0] / 1000)
        answers.append(Answer([], cube.literals[0] / 1000, {}, 0))  # type: ignore[arg-type]
    return answers


def overhead(executor: Executor | None, jobs: int, milliseconds: int) -> float:
    """Seconds that a cube takes beyond its own, with so many jobs."""
    cubes = [Cube((milliseconds, number), 1 / STUBS) for number in range(STUBS)]
    plan = Plan(Job("stub", 0, {}, (), b""), lambda: iter(cubes), None, is_long=True)
    patched = patch.object(workers, "conquer", stub)
    patched.start()
    try:
        began = time.perf_counter()
        found: list[Found] = list(conquered(plan, jobs, threading.Event(), executor=executor))
        taken = time.perf_counter() - began
    finally:
        patched.stop()
    assert sum(part.cubes for part in found) == STUBS
    return (taken - STUBS * milliseconds / 1000 / jobs) / STUBS


def scale(repeat: int, _: float) -> Iterator[Sequence[object]]:
    yield "what", "milliseconds"
    for milliseconds in (1, 10):
        for name, started in (("two processes", lambda: Processes(2)), ("a Dask cluster of two", _dask)):
            try:
                executor = started()
            except ImportError:
                continue
            executor.submit(abs, -1).result()
            times = [overhead(executor, 2, milliseconds) for _ in range(repeat)]
            executor.shutdown()
            yield f"overhead of a cube of {milliseconds} ms, {name}", f"{1000 * statistics.median(times):.3f}"
    puzzle = pentomino("8x8", square=True)
    key = Key(puzzle.model, puzzle.key)
    cover = Cover(break_symmetry(puzzle.model, Group(key, puzzle.symmetries)), key.variables, threading.Event())
    plan = cover_plan(cover, Job("cover", 0, {}, (), b"", cover.tables), None)
    cubes = [part for part in plan.cubes() if isinstance(part, Cube)]
    times = [answer.seconds for cube in cubes for answer in conquer(plan.job, [cube])]
    yield f"8x8 with the square on cover: {len(cubes)} cubes, together", f"{1000 * sum(times):.0f}"
    yield "the longest of them", f"{1000 * max(times):.0f}"
    assert plan.smaller
    longest = cubes[times.index(max(times))]
    parts = [conquer(plan.job, [part])[0].seconds for part in plan.smaller(longest) if isinstance(part, Cube)]
    yield f"the longest of the {len(parts)} that it is split into", f"{1000 * max(parts):.0f}"
    for many in (2, 8, 64, 1024):
        makespan = shared_out(times, many)
        split = shared_out(sorted([t for t in times if t < max(times)] + parts, reverse=True), many)
        gains = f"{sum(times) / makespan:.1f}, or {sum(times) / split:.1f} with the longest split"
        yield f"{many} workers, times as fast", gains


def shared_out(times: Sequence[float], many: int) -> float:
    """When the last worker ends, if each takes the next cube when it has nothing to do."""
    free = [0.0] * many
    for taken in times:
        heapq.heappush(free, heapq.heappop(free) + taken)
    return max(free)


def _dask() -> Executor:
    from distributed import Client

    make: Any = Client
    client = make(n_workers=2, threads_per_worker=1, dashboard_address=None)
    executor: Executor = client.get_executor(pure=False)
    return executor


TABLES: dict[str, Callable[[int, float], Iterator[Sequence[object]]]] = {
    "sizes": sizes,
    "growth": growth,
    "progress": progress,
    "scale": scale,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("table", nargs="?", choices=TABLES, default="sizes")
    parser.add_argument("--repeat", type=count, default=3, metavar="K", help="medians of K runs (default: 3)")
    parser.add_argument("--time-limit", type=seconds, default=600, metavar="S", help="end a run after S seconds")
    chosen = parser.parse_args()
    header, *rows = TABLES[chosen.table](chosen.repeat, chosen.time_limit)
    print(tabulate(rows, headers=list(map(str, header)), disable_numparse=True))


if __name__ == "__main__":
    main()
