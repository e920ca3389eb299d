"""How the backends compare on one board: python -m tests.benchmarks.backends [BOARD] [--repeat K] [--plain SECONDS]

Prints one table: ours on each backend, with one job and with all, against one plain CaDiCaL that is given blocking
clauses and one plain CP-SAT enumeration, both on the same symmetry-reduced model. Whole commands, start-up included;
medians; each ratio is taken within this run. A count that differs makes it fail.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

from tabulate import tabulate

PLAIN = {
    "plain CaDiCaL 1.9.5": """
from pysat.solvers import Solver
from solvers.lower import lower
lowering = lower(model, stop)
with Solver("cadical195", bootstrap_with=lowering.formula.clauses) as solver:
    options = lowering.decisive(key.variables)
    while solver.solve():
        found += 1
        true = set(solver.get_model())
        solver.add_clause([-option for option in options if option in true])
""",
    "plain CP-SAT": """
from ortools.sat.python.cp_model import CpSolver, CpSolverSolutionCallback
class Counter(CpSolverSolutionCallback):
    def on_solution_callback(self):
        global found
        found += 1
solver = CpSolver()
solver.parameters.num_workers = 1
solver.parameters.enumerate_all_solutions = True
assert solver.status_name(solver.solve(model, Counter())) == "OPTIMAL"
""",
}
PREPARE = """
import sys, threading
from models.pentomino import pentomino
from solvers.key import Key
from solvers.symmetry import Group, break_symmetry
puzzle = pentomino(sys.argv[1])
key = Key(puzzle.model, puzzle.key)
model = break_symmetry(puzzle.model, Group(key, puzzle.symmetries))
stop, found = threading.Event(), 0
"""


def ours(board: str, *words: str) -> list[str]:
    return [sys.executable, "-m", "solvers.run", "pentomino", "--board", board, "--json", *words]


def timed(command: list[str], limit: float) -> tuple[float, str]:
    """Wall-clock seconds of a whole process, and what it printed; nothing if it took too long."""
    began = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return limit, ""
    return time.perf_counter() - began, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", nargs="?", default="6x10")
    parser.add_argument("--repeat", type=int, default=3, help="runs of ours, of which the median is shown (default: 3)")
    parser.add_argument("--plain", type=float, default=900, help="seconds for a plain solver, once (default: 900)")
    chosen = parser.parse_args()

    rows: list[tuple[str, float, str, int | None, int | None]] = []
    for name, words in {
        "cover, 1 job": ["--backend", "cover", "--jobs", "1"],
        "cover": ["--backend", "cover"],
        "sat, 1 job": ["--backend", "sat", "--jobs", "1"],
        "sat": ["--backend", "sat"],
        "sat, at most 1000 cubes": ["--backend", "sat", "--cubes", "1000"],
        "cp-sat, 1 job": ["--backend", "cp-sat", "--jobs", "1"],
        "cp-sat": ["--backend", "cp-sat"],
    }.items():
        runs = [timed(ours(chosen.board, *words), chosen.plain) for _ in range(chosen.repeat)]
        report = json.loads(runs[-1][1] or "{}")
        rows.append((name, statistics.median(s for s, _ in runs), "", report.get("solutions"), report.get("cubes")))
    for name, code in PLAIN.items():
        seconds, out = timed([sys.executable, "-c", PREPARE + code + "print(found)", chosen.board], chosen.plain)
        rows.append((name, seconds, "" if out else "over ", int(out) if out else None, None))

    plain = {row[0]: row[1] for row in rows[-len(PLAIN) :]}
    table = [
        (name, f"{over}{seconds:.2f}", found, cubes, *(f"{other / seconds:.1f}x" for other in plain.values()))
        for name, seconds, over, found, cubes in rows
    ]
    print(tabulate(table, headers=["", "seconds", "solutions", "cubes", *(f"than {name}" for name in plain)]))
    counts = {found for _, _, _, found, _ in rows if found is not None}
    return 0 if len(counts) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
