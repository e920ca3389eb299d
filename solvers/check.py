"""python -m solvers.check DIR: check a certificate again, from its files alone.

The checker shares nothing with the other commands, not even how it complains.
"""

import sys

from solvers.errors import InputError
from solvers.plugs import COMMANDS, plugged


def main(words: list[str]) -> int:
    """Run the command ``check``, which checks a certificate; return the exit code.

    words: its command line, without the command's own name. The code is 2 if the checker is not installed.
    """
    try:
        check = plugged(COMMANDS["check"], "the command check")
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return int(check(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
