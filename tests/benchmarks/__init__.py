"""Measurements by hand; README.md has their commands."""

import argparse

from solvers.base.options import count, seconds
from solvers.terminal.arguments import argparse_reader


def parser(description: str | None, repeat: int, time_limit: float) -> argparse.ArgumentParser:
    """A parser of command lines that knows how often to run, and for how long."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--repeat", type=argparse_reader(count), default=repeat, metavar="K", help=f"runs (default: {repeat})"
    )
    limited = f"for each run (default: {time_limit})"
    made.add_argument("--time-limit", type=argparse_reader(seconds), default=time_limit, metavar="S", help=limited)
    return made
