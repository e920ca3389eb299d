"""``python -m tests.attack --models N --seed S [--jobs J] [--first K]``: exit code 1 if something failed, else 0.

Model K of a seed is the same in every attack; ``--runs`` and ``--modes`` say how it is run. With ``--jobs 0`` all
happens in this process.
"""

import argparse
import sys
import time

from tests.attack.rows import MODES
from tests.attack.run import RUNS, Tally, attack

EVERY = 10.0
"""Seconds between two lines on what was done so far."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description="Attack the counts.")
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes; 0: none besides this one")
    parser.add_argument("--runs", type=int, default=RUNS, help="ways in which each is run")
    parser.add_argument("--modes", nargs="+", default=(), choices=[mode.__name__ for mode in MODES])
    parser.add_argument("--first", type=int, default=0, help="the number of the first model")
    chosen = parser.parse_args()
    began = told_at = time.monotonic()
    tally = Tally()
    parts = attack(chosen.seed, chosen.first, chosen.models, chosen.jobs, chosen.runs, chosen.modes)
    for done, part in enumerate(parts, 1):
        for message in part.failures.keys() - tally.failures.keys():
            print(f"failed: {message}\n\n{part.failures[message][0]}\n", flush=True)
        tally.add(part)
        if time.monotonic() - told_at > EVERY:
            told_at = time.monotonic()
            failed = sum(map(len, tally.failures.values()))
            print(f"{done} models, {failed} failures, {told_at - began:.0f} s", file=sys.stderr, flush=True)
    print(tally)
    print(f"\nseconds   {time.monotonic() - began:.0f}")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
