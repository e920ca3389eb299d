"""Ours against other programs: python -m tests.benchmarks.peers [--board 5x12] [--repeat K] [--time-limit S]

Prints one table with whatever is installed (``pip install '.[bench]'``, and Debian's flatzinc for Gecode): each program
is given the same symmetry-reduced model, as ``--export`` writes it, in a process of its own. Seconds are those of all
processors and those on the clock, for the whole command, and those on the clock for the search alone, after reading and
building (ours with its checks); medians. A count that differs makes it fail.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tabulate import tabulate

from solvers.extras.shared.programs import end
from tests.benchmarks import parser


class Cover(NamedTuple):
    """An exact cover as a .dlx file says it."""

    primary: list[str]
    secondary: list[str]
    options: list[list[str]]

    def items(self) -> Iterator[tuple[bool, list[int]]]:
        """Whether each item has to be covered, and the numbers of the options that cover it."""
        for item in self.primary + self.secondary:
            yield item in self.primary, [number for number, option in enumerate(self.options) if item in option]


def read_cover(file: Path) -> Cover:
    items, *options = [line.split() for line in file.read_text().splitlines() if not line.startswith("|")]
    bar = items.index("|")
    return Cover(items[:bar], items[bar + 1 :], options)


# Each of these reads a file and returns what then searches, and counts the solutions.


def cp_sat(file: Path) -> Callable[[], int]:
    from ortools.sat.python.cp_model import CpModel

    from tests.support.enumerate import all_solutions

    model = CpModel()
    assert model.proto.parse_text_format(file.read_text())
    return lambda: all_solutions(model, variables=[]).total()


def cadical(file: Path) -> Callable[[], int]:
    from pysat.formula import CNF
    from pysat.solvers import Solver

    shown = next(line for line in file.read_text().splitlines() if line.startswith("c p show"))
    variables = [int(word) for word in shown.split()[3:-1]]
    solver = Solver("cadical195", bootstrap_with=CNF(from_file=str(file)).clauses)

    def search() -> int:
        found = 0
        while solver.solve():
            found += 1
            model = solver.get_model()
            solver.add_clause([-model[variable - 1] for variable in variables])
        return found

    return search


def cpmpy(solver: str, file: Path) -> Callable[[], int]:
    import cpmpy as cp

    cover = read_cover(file)
    chosen = cp.boolvar(shape=len(cover.options))
    sums = [(must, cp.sum(chosen[options])) for must, options in cover.items()]
    model = cp.Model([total == 1 if must else total <= 1 for must, total in sums])
    return lambda: int(model.solveAll(solver=solver))


def clingo(file: Path) -> Callable[[], int]:
    import clingo

    control = clingo.Control(["0"])
    bodies = ((must, "; ".join(f"x({option})" for option in options)) for must, options in read_cover(file).items())
    control.add("base", [], "\n".join(f"{'1 ' if must else ''}{{ {body} }} 1." for must, body in bodies))
    control.ground([("base", [])])

    def search() -> int:
        with control.solve(yield_=True) as answers:
            return sum(1 for _ in answers)

    return search


def exact_cover(file: Path) -> Callable[[], int]:
    import exact_cover
    import numpy as np

    cover = read_cover(file)
    columns = {item: column for column, item in enumerate(cover.primary + cover.secondary)}
    alone = [[item] for item in cover.secondary]  # it knows no items that may stay uncovered
    matrix = np.zeros((len(cover.options) + len(alone), len(columns)), dtype=bool)
    for row, option in zip(matrix, cover.options + alone, strict=True):
        row[[columns[item] for item in option]] = True
    return lambda: int(exact_cover.get_solution_count(matrix))


def xcover(file: Path) -> Callable[[], int]:
    import xcover

    list(xcover.covers([["a"], ["b"], ["c"]]))  # loads what was compiled
    cover = read_cover(file)
    return lambda: sum(1 for _ in xcover.covers(cover.options, cover.primary, cover.secondary))


def our_cover(file: Path) -> Callable[[], int]:
    from threading import Event

    from ortools.sat.python.cp_model import CpModel

    from solvers.backends.cover import Cover
    from solvers.backends.protocol import Task
    from solvers.model.cover_search import Outcome

    model = CpModel()
    assert model.proto.parse_text_format(file.read_text())
    search = Cover(Task(model, range(len(model.proto.variables)), Event()))
    return lambda: sum(leaf.outcome is Outcome.SOLUTION for leaf in search.leaves())


def miniexact(file: Path) -> Callable[[], int]:
    program = Path(sys.executable).with_name("miniexact")  # which the package installs

    def search() -> int:
        (found,) = re.findall(r"Found (\d+) solution", printed([program, "-c", "-e", "-D", file], code=20))
        return int(found)

    return search


def gecode(file: Path) -> Callable[[], int]:
    """A variable for each item that has to be covered, whose values are options, and a Boolean for each option."""
    cover = read_cover(file)
    flat, rules, chosen = file.with_suffix(".fzn"), [], []
    for number, (must, options) in enumerate(cover.items()):
        if must:
            chosen.append(f"i{number}")
            rules += [f"constraint int_eq_reif(i{number}, {option}, o{option});" for option in options]
        else:
            ones = [1] * len(options)
            booleans = ", ".join(f"o{option}" for option in options)
            rules.append(f"constraint bool_lin_le({ones}, [{booleans}], 1);")
    declared = [f"var bool: o{option};" for option in range(len(cover.options))]
    for number, (must, options) in enumerate(cover.items()):
        declared += [f"var {{{', '.join(map(str, options))}}}: i{number};"] if must else []
    branching = f"int_search([{', '.join(chosen)}], first_fail, indomain_min, complete)"
    flat.write_text("\n".join([*declared, *rules, f"solve :: {branching} satisfy;\n"]))
    return lambda: printed(["fzn-gecode", "-a", flat]).count("-" * 10)


def printed(command: Sequence[str | Path], code: int = 0) -> str:
    """What a program prints; code: its exit code when it is done."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise RuntimeError(f"{command[0]}: exit code {done.returncode}")
    return done.stdout


class Peer(NamedTuple):
    """Another program, or the search of our own without what is around it."""

    package: str
    """That of Python, or a program."""
    ending: str
    """Of the file that it reads."""
    prepare: Callable[[Path], Callable[[], int]]


PEERS = {
    "CP-SAT, plain": Peer("ortools", ".pbtxt", cp_sat),
    "CaDiCaL 1.9.5 and blocking clauses": Peer("python-sat", ".cnf", cadical),
    "CPMpy solveAll, CP-SAT": Peer("cpmpy", ".dlx", partial(cpmpy, "ortools")),
    "CPMpy solveAll, CaDiCaL 1.9.5": Peer("cpmpy", ".dlx", partial(cpmpy, "pysat:cadical195")),
    "clingo": Peer("clingo", ".dlx", clingo),
    "exact-cover": Peer("exact-cover", ".dlx", exact_cover),
    "xcover": Peer("xcover", ".dlx", xcover),
    "miniexact": Peer("miniexact", ".dlx", miniexact),
    "Gecode": Peer("fzn-gecode", ".dlx", gecode),
    "ours, cover, nothing but the search": Peer("kazoeru", ".pbtxt", our_cover),
}
OURS = {
    "ours, cp-sat, 1 job": ("--backend=cp-sat", "--jobs=1"),
    "ours, cp-sat": ("--backend=cp-sat",),
    "ours, sat, 1 job": ("--backend=sat", "--jobs=1"),
    "ours, sat": ("--backend=sat",),
    "ours, cp, 1 job": ("--backend=cp", "--jobs=1"),
    "ours, cp": ("--backend=cp",),
    "ours, cover, 1 job": ("--backend=cover", "--jobs=1"),
    "ours, cover": ("--backend=cover",),
}


class Outcome(NamedTuple):
    """What came of one run of a program: seconds of all processors, on the clock, and of the search on the clock."""

    processor: float
    seconds: float
    search: float
    solutions: int | None
    """None if it did not finish."""
    note: str = ""


def outcome(command: Sequence[str], limit: float) -> Outcome:
    """Run a program once."""
    began, before = time.perf_counter(), spent_by_children()
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return Outcome(0, limit, 0, None, "out of time")
    finally:
        end(process)
        process.wait()  # otherwise its seconds would be those of the next one
    processor, spent = spent_by_children() - before, time.perf_counter() - began
    if process.returncode:
        return Outcome(processor, spent, 0, None, err.strip().rpartition("\n")[2])
    said = json.loads(out)
    if "seconds" not in said:
        return Outcome(processor, spent, **said)
    effort = {"cubes": said["cubes"], **said["statistics"]}
    units = ("cubes", "nodes", "conflicts", "failures")
    note = ", ".join(f"{effort[unit]} {unit}" for unit in units if effort.get(unit))
    return Outcome(processor, spent, said["seconds"]["all"] - said["seconds"]["build"], said["solutions"], note)


def spent_by_children() -> float:
    """The seconds of all processors that the programs took which this one has started, and which have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def median(command: Sequence[str], limit: float, repeat: int) -> Outcome:
    """Run a program several times, or until it does not come to its end."""
    outcomes = [outcome(command, limit)]
    while len(outcomes) < repeat and outcomes[-1].solutions is not None:
        outcomes.append(outcome(command, limit))
    processor, seconds, search = (statistics.median(some) for some in zip(*(one[:3] for one in outcomes), strict=True))
    return outcomes[-1]._replace(processor=processor, seconds=seconds, search=search)


def export(puzzle: Sequence[str], file: Path) -> str:
    """Write the model that is to be searched, unless it is there; why it cannot be written."""
    if file.exists():
        return ""
    command = [sys.executable, "-m", "solvers.run", *puzzle, "--export", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip().removeprefix("kazoeru: ")


def installed(package: str) -> str:
    """The name and version of a package, or the name of a program; "" if it is not installed."""
    with suppress(PackageNotFoundError):
        return f"{package} {version(package)}"
    return package if shutil.which(package) else ""


def rows(puzzle: Sequence[str], folder: Path, limit: float, repeat: int) -> Iterator[tuple[str, Outcome]]:
    """Each program with its outcome; what is not installed is left out."""
    for name, peer in PEERS.items():
        if not (package := installed(peer.package)):
            continue
        title = f"{name} ({package})"
        file = folder / f"model{peer.ending}"
        if refusal := export(puzzle, file):
            yield title, Outcome(0, 0, 0, None, refusal)
            continue
        yield title, median(["tests.benchmarks.peers", "--count", name, str(file)], limit, repeat)
    for name, words in OURS.items():
        yield name, median(["solvers.run", *puzzle, "--json", *words], limit, repeat)


def main() -> int:
    words = parser(__doc__, repeat=3, time_limit=300)
    words.add_argument("--puzzle", default="pentomino", help="(default: pentomino); other options are its own")
    words.add_argument("--count", nargs=2, help=argparse.SUPPRESS)  # what the processes are started with
    chosen, own = words.parse_known_args()
    if chosen.count:
        name, file = chosen.count
        search = PEERS[name].prepare(Path(file))
        began = time.perf_counter()
        print(json.dumps({"solutions": search(), "search": time.perf_counter() - began}))
        return 0
    with TemporaryDirectory() as folder:
        puzzle = [chosen.puzzle, *own]
        if refusal := export(puzzle, Path(folder, "model.pbtxt")):
            print(refusal, file=sys.stderr)
            return 2
        table = list(rows(puzzle, Path(folder), chosen.time_limit, chosen.repeat))
    fastest = min((one.processor for _, one in table if one.solutions is not None), default=0)
    cells = []
    for title, one in table:
        times = (one.processor, one.processor / fastest, one.seconds, one.search)
        if one.solutions is not None:
            cells.append((title, one.solutions, *map("{:.2f}".format, times), one.note))
        else:
            cells.append((title, None, None, None, f"over {one.seconds:.0f}" if one.seconds else None, None, one.note))
    headers = ["", "solutions", "processor", "ratio", "clock", "search", ""]
    print(tabulate(cells, headers, disable_numparse=True, colalign=["left", *["right"] * 5, "left"]))
    counts = {one.solutions for _, one in table} - {None}
    if len(counts) != 1:
        print(
            f"the counts differ: {sorted(counts, key=str)}" if counts else "no program came to its end", file=sys.stderr
        )
    return 0 if len(counts) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
