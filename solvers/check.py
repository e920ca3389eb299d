"""python -m solvers check DIR: check a certificate again, from its files alone.

The checker shares nothing with the other commands, not even how it complains.
"""

import sys

from solvers.base.endings import BAD_INPUT
from solvers.base.plugs import COMMANDS, load


def main(words: list[str]) -> int:
    """Run the command ``check``, which checks a certificate; return the exit code.

    words: its command line, without the command's own name. The code is 2 if the checker is not installed.
    """
    if "check" not in COMMANDS:
        print("the command check is not installed: this copy of kazoeru lacks solvers/extras/evidence", file=sys.stderr)
        return BAD_INPUT
    return int(load(COMMANDS["check"].place, "the command check")(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
