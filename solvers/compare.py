"""python -m solvers.compare PUZZLE: one puzzle on every backend, each in a process of its own, side by side."""

import sys

from solvers.errors import InputError
from solvers.plugs import COMMANDS, load
from solvers.terminal.command import command


def main(words: list[str]) -> int:
    """Run the command ``compare``, which runs a puzzle on several backends; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` if it is not installed.
    """
    if "compare" not in COMMANDS:
        raise InputError("the command compare is not installed: this copy of kazoeru lacks solvers/extras/studies")
    return int(load(COMMANDS["compare"].place, "the command compare")(words))


if __name__ == "__main__":
    sys.exit(command(main))
