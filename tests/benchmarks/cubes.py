"""What splitting gives: python -m tests.benchmarks.cubes [TABLE] [--repeat K] [--time-limit S], where TABLE is one of

sizes: 6x10 in small cubes, at most a thousand, a hundred, and in one piece, with one job and two.
growth: boards and boxes, from 3x20 to 8x8 with the square tetromino, and one-sided 5x18, counted without listing.
slow: puzzles that are not exact covers and take long, with one job and two; square-8 takes half an hour.
others: whether what needs no splitting loses by it: the other puzzles as they come, and in one piece with one job.
progress: what the bar predicts at some moments, against what the run took.
ends: for which share of a run with two jobs one of the workers has nothing more to do.
overhead: what a cube takes beyond its own time in a pool and on a Dask cluster, with stubs of known durations.
scale: how far the cubes of 8x8 with the square could be shared out, by the measured times of each and of splitting them
    (one process splits, and as many workers as said take the next cube when they have nothing to do and it has been
    made; sending cubes and checking what is found take nothing).

Seconds are those of the search, from the declaration to the last check, without the start of Python; medians.
"""

import argparse
import heapq
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from tabulate import tabulate

from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers.backends.cover import Cover, cover_of_key
from solvers.cubes import workers
from solvers.cubes.conquer import Job, Patience, Plan, conquer
from solvers.cubes.cube import Cube, CubeResult, Found
from solvers.cubes.processes import Processes
from solvers.cubes.split import cover_plan, cut_plan
from solvers.cubes.workers import conquered
from solvers.options import Options, count, seconds
from solvers.running.runner import Run
from solvers.symmetry.breaking import break_symmetry
from solvers.symmetry.key import Key
from solvers.terminal.arguments import typed
from tests.support.groups import closure

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
    ("--board", "5x18", "--pieces", "one-sided", "--count-only"),
)

OTHERS: Sequence[Sequence[str]] = (
    ("checker",),
    ("checker", "--flip"),
    ("dissection",),
    ("matchsticks",),
    ("flip-it",),
    ("magic",),
    ("magic", "--kind", "ring"),
    ("magic", "--kind", "square", "--order", "4"),
)


SLOW: Sequence[Sequence[str]] = (
    ("magic", "--kind", "square", "--order", "4", "--backend", "sat"),
    ("flip-it", "--board", "b_wwwbbb", "--backend", "cp-sat"),
    ("dissection", "--region", "square-7", "--backend", "sat"),
    ("dissection", "--region", "square-8", "--backend", "sat"),
)


def report(*words: str, puzzle: str = "pentomino") -> dict[str, Any]:
    """What a run in a process of its own says of itself."""
    command = [sys.executable, "-m", "solvers.run", puzzle, *words, "--json"]
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
        for backend in ("cover",) if "--count-only" in board else ("cover", "sat", "cp-sat"):
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


def slow(repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    yield "puzzle", "solutions", "in all", "cubes", "seconds, one job", "two jobs", "ratio"
    for puzzle, *words in SLOW:
        runs: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
        for _ in range(repeat):
            for jobs in runs:
                runs[jobs].append(report(*words, "--jobs", str(jobs), "--time-limit", str(time_limit), puzzle=puzzle))
        (one, *_), (two, *_) = runs.values()
        at_least = "" if one["complete"] and two["complete"] else "at least "
        alone, shared = (statistics.median(run["seconds"]["all"] for run in of) for of in runs.values())
        title = " ".join([puzzle, *words])
        found = f"{at_least}{one['solutions']}", f"{at_least}{one['total']}", two["cubes"]
        yield title, *found, f"{alone:.1f}", f"{shared:.1f}", f"{alone / shared:.2f}" if not at_least else ""


def others(repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    yield "puzzle", "backend", "in all", "seconds in one piece", "as it comes", "ratio"
    for puzzle, *parameters in OTHERS:
        for backend in ("sat", "cp-sat"):
            words = [*parameters, "--backend", backend, "--time-limit", str(time_limit)]
            whole: list[float] = []
            split: list[float] = []
            totals = set()
            for _ in range(repeat):
                for how, times in ((["--cubes", "1", "--jobs", "1"], whole), ([], split)):
                    run = report(*words, *how, puzzle=puzzle)
                    times.append(run["seconds"]["all"])
                    totals.add(f"{'' if run['complete'] else 'at least '}{run['total']}")
            before, now = statistics.median(whole), statistics.median(split)
            title = " ".join([puzzle, *parameters])
            yield title, backend, " or ".join(sorted(totals)), f"{before:.2f}", f"{now:.2f}", f"{now / before:.2f}"


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


def noted(job: Job, cubes: Sequence[Cube], patience: Patience, stop: threading.Event | None) -> list[CubeResult]:
    """Conquers, and leaves a line that says who has done so, and when."""
    answers = conquer(job, cubes, patience, stop)
    with open(os.environ["KAZOERU_NOTES"], "a", encoding="utf-8") as notes:
        notes.write(f"{os.getpid()}.{threading.get_ident()} {time.monotonic()}\n")
    return answers


def ends(repeat: int, time_limit: float) -> Iterator[Sequence[object]]:
    yield "board", "backend", "seconds", "one worker idle at the end, s", "share"
    for board, square, backend in (("6x10", False, "sat"), ("6x10", False, "cp-sat"), ("8x8", True, "cover")):
        for _ in range(repeat):
            with tempfile.TemporaryDirectory() as folder:
                notes = Path(folder, "notes")
                environment = patch.dict(os.environ, {"KAZOERU_NOTES": str(notes)})
                with environment, patch.object(workers, "conquer", _by_name("noted")):
                    arguments = {"board": board, "square": square}
                    run = Run("pentomino", arguments, pentomino, Options(backend, jobs=2, time_limit=time_limit))
                    deque(run, maxlen=0)
                last = {who: float(when) for who, when in map(str.split, notes.read_text().splitlines())}
            *_, first, end = sorted(last.values())
            taken = run.report.seconds["all"]
            assert taken is not None
            yield board, backend, f"{taken:.1f}", f"{end - first:.2f}", f"{(end - first) / taken:.3f}"


def _by_name(function: str) -> Any:
    """A function of this file as workers find it, which know no main module."""
    return getattr(import_module("tests.benchmarks.cubes"), function)


STUBS = 2000

HANDFUL = 100
"""Cubes that are sent at once."""


def stub(job: Job, cubes: Sequence[Cube], patience: Patience, stop: object) -> list[CubeResult]:
    """Takes for each cube the milliseconds that its one literal says."""
    answers = []
    for cube in cubes:
        time.sleep(cube.literals[0] / 1000)
        answers.append(CubeResult([], cube.literals[0] / 1000, {}, 0))  # type: ignore[arg-type]
    return answers


def overhead(executor: Executor | None, jobs: int, milliseconds: int) -> float:
    """Seconds that a cube takes beyond its own, with so many jobs."""
    cubes = [Cube((milliseconds, number), Fraction(1, STUBS)) for number in range(STUBS)]
    plan = Plan(Job("stub", 0, {}, (), b""), lambda: iter(cubes), None, of_cover=False)
    patched = patch.object(workers, "conquer", _by_name("stub"))
    patched.start()
    try:
        began = time.perf_counter()
        found: list[Found] = list(conquered(plan, jobs, threading.Event(), executor=executor))
        taken = time.perf_counter() - began
    finally:
        patched.stop()
    assert sum(part.cubes for part in found) == STUBS
    return (taken - STUBS * milliseconds / 1000 / jobs) / STUBS


def overheads(repeat: int, _: float) -> Iterator[Sequence[object]]:
    yield "two workers", "milliseconds of a cube", "milliseconds more"
    for name, started in (("processes", partial(Processes, 2)), ("a Dask cluster", _dask)):
        with suppress(ImportError), started() as executor:
            executor.submit(abs, -1).result()
            for milliseconds in (1, 10):
                times = [overhead(executor, 2, milliseconds) for _ in range(repeat)]
                yield name, milliseconds, f"{1000 * statistics.median(times):.3f}"


def scale(repeat: int, _: float) -> Iterator[Sequence[object]]:
    numbers = 2, 8, 64, 1000
    yield "cubes of", "cubes", "splitting, s", "together, s", "longest, s", *(f"times as fast on {n}" for n in numbers)
    square = pentomino("8x8", square=True)
    cover_cubes, sat_cubes = plan_of(square, "cover", 1), plan_of(square, "sat", 1)
    for plan in (cover_cubes, sat_cubes):  # to have everything loaded and compiled
        conquer(plan.job, [next(part for part in plan.cubes() if isinstance(part, Cube))])
    by_time = sorted(measured(cover_cubes, repeat)[1], key=lambda one: one.seconds, reverse=True)
    tenth, hundredth = ({one.cube for one in by_time[: len(by_time) // n]} for n in (10, 100))
    for name, plan in (
        ("cover", cover_cubes),
        ("cover, the longest hundredth split again", split_again(cover_cubes, hundredth)),
        ("cover, the longest tenth split again", split_again(cover_cubes, tenth)),
        ("sat", sat_cubes),
        ("sat, made for 1000 jobs", plan_of(square, "sat", 1000)),
    ):
        splitting, cubes = measured(plan, repeat)
        together = sum(one.seconds for one in cubes)
        gains = [(splitting + together) / max(splitting, shared_out(cubes, n)) for n in numbers]
        seconds = (f"{taken:.3f}" for taken in (splitting, together, max(one.seconds for one in cubes)))
        yield name, len(cubes), *seconds, *(f"{gain:.1f}" for gain in gains)


def plan_of(puzzle: Puzzle, backend: str, jobs: int) -> Plan:
    key = Key(puzzle.model, puzzle.key)
    model = break_symmetry(puzzle.model, closure(key, puzzle.symmetries))
    if backend == "cover":
        own = Cover(model, key.variables, threading.Event())
        return cover_plan(own, Job(backend, 0, {}, (), b"", tables=own.tables), None)
    cover = cover_of_key(model, key.variables)
    return cut_plan(model, cover, Job(backend, 0, {}, tuple(key.variables), b"", cover), None, jobs=jobs)


def split_again(plan: Plan, again: Container[Cube]) -> Plan:
    def cubes() -> Iterator[Cube | Found]:
        assert plan.smaller
        for part in plan.cubes():
            yield from plan.smaller(part) if isinstance(part, Cube) and part in again else [part]

    return replace(plan, cubes=cubes)


class Measured(NamedTuple):
    cube: Cube
    ready: float
    """Seconds after the begin at which it was made."""
    seconds: float
    """What it takes."""


def measured(plan: Plan, repeat: int) -> tuple[float, list[Measured]]:
    """The seconds that splitting takes, and the cubes."""
    began = time.perf_counter()
    parts = [(part, time.perf_counter() - began) for part in plan.cubes()]
    splitting = time.perf_counter() - began
    made = [(part, ready) for part, ready in parts if isinstance(part, Cube)]
    handfuls = [[cube for cube, _ in made[start : start + HANDFUL]] for start in range(0, len(made), HANDFUL)]
    runs = [[answer.seconds for cubes in handfuls for answer in conquer(plan.job, cubes)] for _ in range(repeat)]
    taken = map(statistics.median, zip(*runs, strict=True))
    return splitting, [Measured(*one, seconds) for one, seconds in zip(made, taken, strict=True)]


def shared_out(cubes: Sequence[Measured], many: int) -> float:
    """When the last of many workers ends, if each takes the next cube as soon as both are ready."""
    free = [0.0] * many
    for cube in cubes:
        heapq.heapreplace(free, max(cube.ready, free[0]) + cube.seconds)
    return max(free)


@contextmanager
def _dask() -> Iterator[Executor]:
    from distributed.client import Client

    make: Any = Client
    with make(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client.get_executor(pure=False)


TABLES: dict[str, Callable[[int, float], Iterator[Sequence[object]]]] = {
    "sizes": sizes,
    "growth": growth,
    "slow": slow,
    "others": others,
    "progress": progress,
    "ends": ends,
    "overhead": overheads,
    "scale": scale,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("table", nargs="?", choices=TABLES, default="sizes")
    parser.add_argument("--repeat", type=typed(count), default=3, metavar="K", help="medians of K runs (default: 3)")
    parser.add_argument("--time-limit", type=typed(seconds), default=600, metavar="S", help="end a run after S seconds")
    chosen = parser.parse_args()
    header, *rows = TABLES[chosen.table](chosen.repeat, chosen.time_limit)
    print(tabulate(rows, headers=list(map(str, header)), disable_numparse=True))


if __name__ == "__main__":
    main()
