"""A process of its own that counts the solutions of a formula with Ganak, which cannot be stopped while it counts.

Reads (how many variables, clauses, the variables to project to) from its standard input and writes the count: how many
assignments of these variables are part of a solution. S. Sharma, S. Roy, M. Soos, K. Meel, "GANAK: A Scalable
Probabilistic Exact Model Counter", IJCAI 2019.
"""

import os
import pickle
import sys
from collections.abc import Sequence


def count(variables: int, clauses: Sequence[Sequence[int]], shown: Sequence[int]) -> int:
    """The count."""
    from pyganak import Counter

    counter = Counter()
    counter.new_vars(variables)
    counter.add_clauses(clauses)
    counter.set_sampling_set(shown)
    return int(counter.count())


if __name__ == "__main__":
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answer:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # where Ganak prints what it is about
        pickle.dump(count(*pickle.load(sys.stdin.buffer)), answer)
