"""kazoeru, or python -m solvers: the commands under one name.

Without the name of another command it is `run`.
"""

import sys

from solvers.base.plugs import COMMANDS, load

FIRST_STEPS = """Three commands to try:
  python -m solvers run magic                     count the solutions of a puzzle
  python -m solvers run pentomino --board 3x20    the same on another board
  python -m solvers run nonogram --unique         is there exactly one?
"""
"""What somebody sees who does not know a command yet."""

HELP = f"""usage: python -m solvers COMMAND [OPTION ...]

{FIRST_STEPS}
Commands (python -m solvers COMMAND --help):
""" + "\n".join(f"  {name:<11} {row.meaning}" for name, row in COMMANDS.items())


def main() -> int:
    """Run the command that the first word of the command line names, or ``run``, on the other words.

    Return the exit code.
    """
    is_help = sys.argv[1:] in ([], ["-h"], ["--help"])
    name = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in COMMANDS else "run"
    from importlib import import_module

    # The checker shares nothing with the other commands, not even how it complains.
    if name == "check":
        return int(import_module("solvers.check").main(sys.argv[1:]))
    from solvers.terminal.command import command

    def show(words: list[str]) -> int:
        print(HELP if words else f"{FIRST_STEPS}\npython -m solvers --help shows all commands")
        return 0

    def run(words: list[str]) -> int:
        return int(load(COMMANDS[name].place, f"the command {name}")(words))

    return command(show if is_help else run)


if __name__ == "__main__":
    sys.exit(main())
