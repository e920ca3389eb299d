"""How long the hardest positions of Flip It take to find: python -m tests.benchmarks.layers [LARGEST]"""

import sys
import threading
import time

from tabulate import tabulate

from models.flip_it import step
from solvers.extras.layers import shown_layers

KNOWN = {
    # By N: reachable states; the greatest distance and how many positions have it, without and with the neighbour rule.
    # N. Yoshigahara's puzzle in M. Hiroi's Lisp pages for N = 5 to 8, two independent programs beyond.
    5: (80, (10, 3), (6, 1)),
    6: (192, (8, 4), (6, 6)),
    7: (448, (8, 4), (7, 3)),
    8: (1024, (8, 6), (7, 20)),
    9: (2304, (8, 52), (8, 10)),
    10: (5120, (8, 224), (8, 70)),
    11: (11264, (9, 127), (9, 35)),
    12: (24576, (9, 680), (9, 252)),
}


def measured(size: int, neighbours: bool, backend: str) -> tuple[object, ...]:
    """A row of the table; the last column says whether the result is the known one."""
    began = time.perf_counter()
    name, layers = shown_layers(step(size, neighbours), backend, threading.Event())
    sizes = [len(layer) for layer in layers]
    seconds = time.perf_counter() - began
    reachable, *hardest = KNOWN[size]
    right = (sum(sizes), (len(sizes) - 1, sizes[-1])) == (reachable, hardest[neighbours])
    return size, neighbours, name, sum(sizes), len(sizes) - 1, sizes[-1], seconds, "yes" if right else "NO"


def main() -> None:
    sizes = [size for size in KNOWN if size <= int(sys.argv[1] if len(sys.argv) > 1 else max(KNOWN))]
    rows = (measured(s, n, backend) for s in sizes for n in (False, True) for backend in ("cp-sat", "sat"))
    headers = ["N", "neighbours", "backend", "reachable", "depth", "farthest", "seconds", "as known"]
    print(tabulate(rows, headers, floatfmt=".1f"))


if __name__ == "__main__":
    main()
