"""kazoeru, or python -m solvers: the commands under one name; without the name of another command it is `run`."""

import sys
from importlib import import_module

COMMANDS = ("run", "compare", "layers", "check", "survey")


def main() -> int:
    """Run the command that the first word names, on the other words; the exit code."""
    name = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in COMMANDS else "run"
    module = import_module("solvers.survey.__main__" if name == "survey" else f"solvers.{name}")
    if name == "check":  # shares nothing with the others, not even how it complains
        return int(module.main(sys.argv[1:]))
    from solvers.terminal.command import command

    return command(module.main)


if __name__ == "__main__":
    sys.exit(main())
