"""kazoeru, or python -m solvers: the commands under one name.

Without the name of another command it is `run`.
"""

import sys

from solvers.plugs import COMMANDS, load


def main() -> int:
    """Run the command that the first word of the command line names, or ``run``, on the other words.

    Return the exit code.
    """
    name = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in COMMANDS else "run"
    from importlib import import_module

    if name == "check":
        return int(import_module("solvers.check").main(sys.argv[1:]))
    from solvers.terminal.command import command

    def run(words: list[str]) -> int:
        return int(load(COMMANDS[name].place, f"the command {name}")(words))

    return command(run)


if __name__ == "__main__":
    sys.exit(main())
