"""Whether `auto` chooses well: python -m tests.benchmarks.auto [NAME ...] [--repeat K] [--time-limit S]

Each model, those of the golden table (symmetry broken), classics and exact covers as other people write them, is
searched by every backend in one piece, and by `auto`; of "NAME, first" only one solution is wanted. Seconds are those
of the processor, from the model to the last solution, medians. A command takes some more to start, which is added to
both before `auto` is compared with the best of the others. It fails where that is more than 1.5 times as long, or where
two backends count differently.
"""

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from ortools.sat.python.cp_model import CpModel
from tabulate import tabulate

from solvers.backends.auto import BackendTrial, TrialResult
from solvers.backends.cover import as_cover
from solvers.backends.protocol import Task
from solvers.backends.registry import choose, make_backend
from solvers.base.errors import InputError, Stopped
from solvers.cubes.branch import SampleCubes
from solvers.files.catalogue import find
from solvers.model.cover_search import kernel
from solvers.running.stated import problem_statement
from solvers.symmetry.breaking import break_symmetry
from solvers.symmetry.groups import ListedGroup
from tests.benchmarks import parser
from tests.benchmarks.classics import CLASSICS
from tests.support.classic_covers import COVERS
from tests.support.classics import Classic
from tests.support.golden import GOLDEN, Golden

MOST = 1.5
"""`auto` may take so many times as long as the best."""

BACKENDS = ("cp-sat", "sat", "cp", "cover")

FIRST = ", first"
"""What ends the name of a model of which one solution is wanted."""

Model = tuple[CpModel, Sequence[int]]


def of_golden(golden: Golden) -> Model:
    puzzle = find(golden.puzzle).load()(**golden.parameters)
    model, key, group, _ = problem_statement(puzzle, "declared", (), threading.Event())
    assert isinstance(group, ListedGroup)
    return break_symmetry(model, group), key.variables


def of_classic(declare: Callable[[], Classic]) -> Model:
    model, key = declare()
    return model, [variable.index for variable in key]


def models() -> Mapping[str, Callable[[], Model]]:
    """By name; of the golden table what is not a cover and takes seconds, as symmetry is broken otherwise in covers.

    Some classics are there as exact covers, too.
    """
    golden = [one for one in GOLDEN if not one.is_cover and one.parameters.get("require") != "connected"]
    golden = [one for one in golden if one.parameters.get("region") not in ("square-7", "square-8")]
    return {
        **{str(one): partial(of_golden, one) for one in golden},
        **{name: partial(of_classic, classic) for name, classic in CLASSICS.items()},
        **{
            f"cover: {name}{which}": partial(of_classic, cover)
            for name, cover in COVERS.items()
            for which in ("", FIRST)
        },
    }


class Outcome(NamedTuple):
    """What a backend took, and how many solutions it found; None if it did not finish."""

    seconds: float
    solutions: int | None
    chosen: str


class Enough(Exception):
    """All solutions that are wanted were found."""


def search(name: str, model: CpModel, key: Sequence[int], limit: float, most: float) -> Outcome:
    """List solutions, so many at most, for so many seconds at most."""
    stop = threading.Event()
    began, found, chosen = time.process_time(), 0, name

    def visit(_: object) -> None:
        nonlocal found
        found += 1
        if found >= most:
            raise Enough

    def note(result: TrialResult) -> None:
        nonlocal chosen
        chosen = result.backend.name

    timer = threading.Timer(limit, stop.set)
    timer.start()
    try:
        cover = as_cover(model, key)
        choice = choose(name, model, cover)
        task = Task(model, key, stop, cover=cover)
        with suppress(Enough):
            if choice.is_tried:
                trial = BackendTrial(task, partial(SampleCubes, key=key))
                if not model.proto.has_objective() or trial.prove().best is not None:
                    trial.run(visit, further_seconds=lambda _: float("inf"), chosen=note)
            else:
                backend = make_backend(choice.backend, task)
                chosen = backend.name
                if not model.proto.has_objective() or backend.optimum() is not None:
                    backend.enumerate(visit)
        return Outcome(time.process_time() - began, found, chosen)
    except (InputError, Stopped):
        return Outcome(time.process_time() - began, None, chosen)
    finally:
        timer.cancel()


def median(name: str, model: CpModel, key: Sequence[int], limit: float, repeat: int, most: float) -> Outcome:
    outcomes = [search(name, model, key, limit, most)]
    while len(outcomes) < repeat and outcomes[-1].solutions is not None:
        outcomes.append(search(name, model, key, limit, most))
    return outcomes[-1]._replace(seconds=statistics.median(one.seconds for one in outcomes))


def start() -> float:
    """Seconds of the processor that a command takes before it searches."""
    code = "import sys, time, solvers.run; solvers.run.main(['magic', '--quiet']); print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def rows(names: Sequence[str], limit: float, repeat: int) -> Iterator[tuple[str, Mapping[str, Outcome]]]:
    """Each model with what every backend made of it; one after another, as they are measured."""
    known = models()
    for name in names or known:
        model, key = known[name]()
        most = 1 if name.endswith(FIRST) else float("inf")
        yield name, {backend: median(backend, model, key, limit, repeat, most) for backend in (*BACKENDS, "auto")}


def main() -> int:
    words = parser(__doc__, repeat=1, time_limit=10)
    words.add_argument("names", nargs="*", metavar="NAME", help="models (default: all)")
    chosen = words.parse_args()
    if unknown := set(chosen.names) - models().keys():
        words.error(f"no such model: {', '.join(sorted(unknown))}")
    starting = start()
    kernel()  # compiled once after installing
    table, complaints = [], []
    for name, outcomes in rows(chosen.names, chosen.time_limit, chosen.repeat):
        best = min((one.seconds for one in outcomes.values() if one.solutions is not None), default=chosen.time_limit)
        ratio = (starting + outcomes["auto"].seconds) / (starting + best)
        cells = [f"{'' if one.solutions is not None else 'over '}{one.seconds:.2f}" for one in outcomes.values()]
        table.append((name, outcomes["auto"].solutions, *cells, outcomes["auto"].chosen, f"{ratio:.2f}"))
        print(".", end="", file=sys.stderr, flush=True)
        if ratio > MOST:
            complaints.append(f"{name}: auto takes {ratio:.2f} times as long as the best")
        counts = {one.solutions for one in outcomes.values()} - {None}
        if len(counts) > 1:
            complaints.append(f"{name}: the counts differ: {sorted(counts, key=str)}")
    headers = ["model", "solutions", *BACKENDS, "auto", "chosen", f"ratio, with {starting:.1f} s to start"]
    align = ["left", *["right"] * 6, "left", "right"]
    print("\n" + tabulate(table, headers, disable_numparse=True, colalign=align))
    print("\n".join(complaints), file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
