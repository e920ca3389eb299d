"""A process of its own that counts the solutions of a formula, as no counter can be stopped while it counts.

Its argument names the counter. It reads DIMACS from its standard input and writes how many assignments of the variables
in the line ``c p show`` are part of a solution.

- D4 (J.-M. Lagniez, P. Marquis, "An Improved Decision-DNNF Compiler", IJCAI 2017) is exact: its cache compares whole
  components of the formula.
- Ganak (S. Sharma, S. Roy, M. Soos, K. Meel, "GANAK: A Scalable Probabilistic Exact Model Counter", IJCAI 2019) tells
  components apart by their hashes, so it is right with high probability only.
"""

import os
import sys

FIRST_PAGE_BYTES = 2**28
"""Bytes that D4 allocates at once. Its own default, 4 GiB, is refused on a machine with less memory."""


def d4() -> int:
    """Count with D4 the models of the formula on standard input, projected onto its shown variables."""
    from py_d4 import Solver, load_options_from_dict

    options = load_options_from_dict({"cache": {"bucket": {"sizeFirstPage": str(FIRST_PAGE_BYTES)}}})
    return int(Solver("/dev/stdin", options).count().getIntResult())


def ganak() -> int:
    """Count with Ganak the models of the formula on standard input, projected onto its shown variables.

    The formula is in DIMACS format: the line "p cnf variables clauses", the line "c p show variables 0", and clauses
    that end with 0.
    """
    from pyganak import Counter

    counter = Counter()
    for line in sys.stdin:
        words = line.split()
        if words[0] == "p":
            counter.new_vars(int(words[2]))
        elif words[:3] == ["c", "p", "show"]:
            counter.set_sampling_set([int(word) for word in words[3:-1]])
        elif words[0] != "c":
            counter.add_clause([int(word) for word in words[:-1]])
    return int(counter.count())


if __name__ == "__main__":
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as answer:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # where the counters print what they are about
        answer.write(str({"d4": d4, "ganak": ganak}[sys.argv[1]]()))
