"""python -m solvers verified: builds the verified counter, and counts exact covers in files."""

import sys
from pathlib import Path

from solvers.endings import DONE
from solvers.errors import InputError
from solvers.extras.counts.verified.counter import NEEDED, build, count
from solvers.files.load import read_text
from solvers.terminal.arguments import Parser
from solvers.terminal.command import aside, command


def main(words: list[str]) -> int:
    """Run the command ``verified``, which builds the verified counter and counts with it.

    words: its command line, without the command's own name. Returns the exit code. Raises `InputError` for options or
    files that are wrong.
    """
    parser = Parser(
        prog="python -m solvers verified",
        description="Count exact covers by a program that is extracted from a proof.",
        epilog=f"To build it, {NEEDED}.",
    )
    parser.add_argument("file", nargs="?", help="an exact cover in Knuth's format (.dlx), without colours")
    parser.add_argument("--build", action="store_true", help="check the proof, and build the counter from it")
    chosen = parser.parse_args(words)
    if not chosen.build and chosen.file is None:
        raise InputError("name a file, or give --build")
    if chosen.build:
        print(aside(lambda stop: build(stop, lambda step: print(step, flush=True)), None))
    if chosen.file is not None:
        try:
            text = read_text(Path(chosen.file))
        except ValueError as error:
            raise InputError(f"{chosen.file}: {error}") from None
        print(*aside(lambda stop: count(text, stop), None), sep="\n")
    return DONE


if __name__ == "__main__":
    sys.exit(command(main))
