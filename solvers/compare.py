"""python -m solvers.compare PUZZLE: one puzzle on every backend, each in a process of its own, side by side."""

import sys

from solvers.plugs import COMMANDS, plugged
from solvers.terminal.command import command


def main(words: list[str]) -> int:
    """Run the command ``compare``, which runs a puzzle on several backends; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` if it is not installed.
    """
    return int(plugged(COMMANDS["compare"], "the command compare")(words))


if __name__ == "__main__":
    sys.exit(command(main))
