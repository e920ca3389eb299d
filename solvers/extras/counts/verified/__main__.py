"""python -m solvers verified: proves and builds the verified counter, and counts exact covers in files."""

import sys
from pathlib import Path

from solvers.base.endings import DONE
from solvers.base.errors import InputError
from solvers.extras.counts.verified.counter import NEEDED, NEEDED_TO_PROVE, build, count, prove
from solvers.files.load import read_text
from solvers.terminal.arguments import Parser
from solvers.terminal.command import command, run_in_thread


def main(words: list[str]) -> int:
    """Run the command ``verified``, which builds the verified counter, checks its proof and counts with it.

    words: its command line, without the command's own name. Returns the exit code. Each task runs in a thread, which
    Ctrl-C stops. The count prints the number of solutions; symmetries, which are comments in a file, are left out.
    Raises `InputError` for options or files that are wrong.
    """
    parser = Parser(
        prog="python -m solvers verified",
        description="Count exact covers by a program that is extracted from a proof.",
        epilog=f"To build it, {NEEDED}.\nTo check its proof, {NEEDED_TO_PROVE}.",
    )
    parser.add_argument("file", nargs="?", help="an exact cover in Knuth's format (.dlx), without colours")
    parser.add_argument("--build", action="store_true", help="compile the counter")
    parser.add_argument("--prove", action="store_true", help="let Coq check the proof, and write the counter from it")
    chosen = parser.parse_args(words)
    if not (chosen.build or chosen.prove or chosen.file):
        raise InputError("name a file, or give --build or --prove")
    if chosen.prove:
        print(run_in_thread(lambda stop: prove(stop, lambda step: print(step, flush=True)), time_limit=None))
    if chosen.build:
        print(run_in_thread(lambda stop: build(stop, lambda step: print(step, flush=True)), time_limit=None))
    if chosen.file is not None:
        try:
            text = read_text(Path(chosen.file))
        except ValueError as error:
            raise InputError(f"{chosen.file}: {error}") from None
        print(*run_in_thread(lambda stop: count(with_bounds(text), stop), time_limit=None), sep="\n")
    return DONE


def with_bounds(text: str) -> str:
    """Return an exact cover as the counter reads it: a secondary item, behind a bar, is one that is covered 0:1 times.

    The text is in Knuth's format: the first line has the names of all items, each further line those of an option.
    Comments, which are lines that begin with a bar, are left out.

    >>> with_bounds("| a comment\\na | b\\na b\\n")
    'a 0:1|b\\na b\\n'
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("|")]
    primary, bar, secondary = (lines[0] if lines else "").partition(" | ")
    if bar:
        lines[0] = " ".join([primary, *(f"0:1|{item}" for item in secondary.split())])
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(command(main))
