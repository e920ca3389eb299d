"""python -m solvers.compare PUZZLE: one puzzle on every backend, each in a process of its own, side by side."""

import sys

from solvers.plugs import COMMANDS, plugged
from solvers.terminal.command import command


def main(words: list[str]) -> int:
    """Run the command on the words of its command line; return the exit code."""
    return int(plugged(COMMANDS["compare"], "the command compare")(words))


if __name__ == "__main__":
    sys.exit(command(main))
