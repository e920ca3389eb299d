"""Beside Gecode: python -m tests.benchmarks.gecode [NAME ...] [--repeat K] [--time-limit S]

The same models with the same constraints against symmetry, all their solutions, by the backend `cp` and by Gecode
through MiniZinc (Debian: minizinc, gecode), which branches as ours does: smallest domain first, least value first.
Seconds are those of the processor, medians. The search: ours from the built model to the last solution, Gecode's the
program that MiniZinc starts with its flat model, fzn-gecode. The command: all of it, ours with every check. It fails
where counts differ, where the median of our searches is slower than Gecode, and where a command of ours takes more than
three times as long as Gecode's and more than a second longer.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from tests.benchmarks import parser
from tests.benchmarks.auto import search
from tests.benchmarks.classics import CLASSICS
from tests.support.classics import CUBES, PETERSEN

GRAPH = "array[1..{m}, 1..2] of int: edges = array2d(1..{m}, 1..2, {edges});\n"


def _graph(edges: Sequence[tuple[int, int]]) -> str:
    return GRAPH.format(m=len(edges), edges=[end for edge in edges for end in edge])


MODELS: Mapping[str, str] = {
    "queens 10": """
        array[1..10] of var 0..9: key;
        constraint alldifferent(key);
        constraint alldifferent([key[i] + i | i in 1..10]);
        constraint alldifferent([key[i] - i | i in 1..10]);""",
    "langford 11": """
        array[1..11] of var 0..20: key;
        constraint forall(k in 1..11)(key[k] <= 20 - k);
        constraint alldifferent(key ++ [key[k] + k + 1 | k in 1..11]);""",
    "costas 9": """
        array[1..9] of var 1..9: key;
        constraint alldifferent(key);
        constraint forall(d in 1..7)(alldifferent([key[i + d] - key[i] | i in 1..9 - d]));""",
    "magic square 4": """
        array[1..16] of var 1..16: key;
        constraint alldifferent(key);
        constraint forall(r in 0..3)(sum([key[4*r + c] | c in 1..4]) = 34 /\\ sum([key[r + 1 + 4*c] | c in 0..3]) = 34);
        constraint key[1] + key[6] + key[11] + key[16] = 34 /\\ key[4] + key[7] + key[10] + key[13] = 34;
        constraint key[1] < key[4] /\\ key[1] < key[13] /\\ key[1] < key[16] /\\ key[4] < key[13];""",
    "graceful cube": _graph(CUBES)
    + """
        array[1..8] of var 0..12: key;
        array[1..12] of var 1..12: d;
        constraint alldifferent(key) /\\ alldifferent(d);
        constraint forall(e in 1..12)(d[e] = abs(key[edges[e, 1] + 1] - key[edges[e, 2] + 1]));""",
    "colouring": _graph(PETERSEN)
    + """
        array[1..10] of var 1..4: key;
        constraint forall(e in 1..15)(key[edges[e, 1] + 1] != key[edges[e, 2] + 1]);""",
    "all-interval 10": """
        array[1..10] of var 0..9: key;
        array[1..9] of var 1..9: d;
        constraint alldifferent(key) /\\ alldifferent(d);
        constraint forall(i in 1..9)(d[i] = abs(key[i] - key[i + 1]));""",
    "independent sets 5": """
        array[1..25] of var 0..1: key;
        constraint forall(r in 0..4, c in 1..4)(key[5*r + c] + key[5*r + c + 1] <= 1);
        constraint forall(r in 0..3, c in 1..5)(key[5*r + c] + key[5*r + c + 5] <= 1);""",
    "latin square 6": """
        array[0..5, 0..5] of var 0..5: cell;
        array[1..36] of var 0..5: key = array1d(1..36, cell);
        constraint forall(n in 0..5)(alldifferent([cell[n, m] | m in 0..5]) /\\ alldifferent([cell[m, n] | m in 0..5]));
        constraint forall(n in 0..5)(cell[0, n] = n /\\ cell[n, 0] = n);""",
    "pythagoras": """
        array[1..3] of var 1..200: key;
        constraint key[1] * key[1] + key[2] * key[2] = key[3] * key[3] /\\ key[1] < key[2];""",
    "change": """
        array[1..6] of int: coins = [1, 2, 5, 10, 20, 50];
        array[1..6] of var 0..100: key;
        constraint sum(i in 1..6)(coins[i] * key[i]) = 100;""",
    "schedule": """
        array[1..7] of int: d = [1, 2, 3, 2, 4, 1, 2];
        array[1..7] of var 0..16: key;
        constraint forall(i in 1..7)(key[i] + d[i] <= 16);
        constraint forall(i, j in 1..7 where i < j)(key[i] + d[i] <= key[j] \\/ key[j] + d[j] <= key[i]);""",
}
"""What each of some classics is in MiniZinc; the solutions differ in ``key``."""

HEAD = 'include "alldifferent.mzn";\n'
TAIL = "\nsolve :: int_search(key, first_fail, indomain_min) satisfy;\noutput [show(key)];\n"


class Outcome(NamedTuple):
    """What a program took: seconds of the processor; None for how many solutions if it did not come to its end."""

    search: float
    command: float
    solutions: int | None


def _spent(command: Sequence[str]) -> tuple[float, str]:
    """Seconds of the processor that a program took, with all that it started; and what it printed."""
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode:
        sys.exit(done.stderr)
    return after.children_user + after.children_system - before.children_user - before.children_system, done.stdout


def gecode(name: str, folder: Path, limit: float) -> Outcome:
    file, flat = folder / "model.mzn", folder / "model.fzn"
    file.write_text(HEAD + MODELS[name] + TAIL)
    all_of_it = ["-a", "--time-limit", str(int(1000 * limit))]
    command, printed = _spent(["minizinc", "--solver", "Gecode", str(file), *all_of_it])
    _spent(["minizinc", "--solver", "Gecode", "-c", str(file), "--fzn", str(flat)])
    searched, _ = _spent(["fzn-gecode", *all_of_it[:1], "-time", *all_of_it[2:], str(flat)])
    return Outcome(searched, command, printed.count("----------") if "==========" in printed else None)


SOURCE = """
from models.puzzle import Puzzle
from tests.benchmarks.classics import CLASSICS

def classic() -> Puzzle:
    model, key = CLASSICS[{name!r}]()
    return Puzzle("classic", {{}}, model, {{variable.name: variable for variable in key}})
"""


def ours(name: str, folder: Path, limit: float) -> Outcome:
    model, key = CLASSICS[name]()
    alone = search("cp", model, [v.index for v in key], limit, float("inf"))
    file = folder / "classic.py"
    file.write_text(SOURCE.format(name=name))
    command = [sys.executable, "-m", "solvers.run", str(file), "--backend", "cp", "--jobs", "1", "--symmetry", "none"]
    spent, printed = _spent([*command, "--json", "--time-limit", str(limit)])
    report = json.loads(printed)
    return Outcome(alone.seconds, spent, report["solutions"] if report["solutions"] == alone.solutions else -1)


def main() -> int:
    words = parser(__doc__, repeat=3, time_limit=60)
    words.add_argument("names", nargs="*", metavar="NAME", help="models (default: all)")
    chosen = words.parse_args()
    table, ratios, complaints = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen.names or MODELS:
            sides = [
                [program(name, Path(folder), chosen.time_limit) for _ in range(chosen.repeat)]
                for program in (ours, gecode)
            ]
            counts = {outcome.solutions for side in sides for outcome in side}
            if len(counts) > 1:
                complaints.append(f"{name}: the counts differ: {sorted(counts, key=str)}")
            search, their_search = (statistics.median(one.search for one in side) for side in sides)
            command, their_command = (statistics.median(one.command for one in side) for side in sides)
            ratios.append(search / their_search)
            if command > max(3 * their_command, 1 + their_command):
                complaints.append(f"{name}: the command takes {command:.2f} s, Gecode's {their_command:.2f}")
            cells = (f"{value:.2f}" for value in (search, their_search, ratios[-1], command, their_command))
            table.append((name, sides[0][0].solutions, *cells, f"{command / their_command:.1f}"))
    headers = ["model", "solutions", "search, cp", "Gecode", "ratio", "command, cp", "Gecode", "ratio"]
    print(tabulate(table, headers, disable_numparse=True, colalign=["left", *["right"] * 7]))
    median = statistics.median(ratios)
    print(f"median of the ratios of the search: {median:.2f}")
    if median > 1:
        complaints.append("the search is slower than Gecode's")
    print("\n".join(complaints), file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
