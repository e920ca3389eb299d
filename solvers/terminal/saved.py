"""python -m solvers store FILE: print what a store contains."""

from collections.abc import Sequence

from tabulate import tabulate

from solvers.base.endings import DONE
from solvers.cubes.store import read
from solvers.show.printable import printable
from solvers.terminal.arguments import Parser


def main(words: list[str]) -> int:
    """Print the run that is saved in a store, and the sessions that worked on it; return the exit code.

    words: the command line, without the command's own name. Raises `InputError` if the file is no store.
    """
    parser = Parser(
        prog="python -m solvers store",
        description="Print the run that `run --store FILE` has saved, and the sessions that worked on it.",
    )
    parser.add_argument("file", help="what --store has written")
    content = read(parser.parse_args(words).file)
    rows = [
        (name, printable(value)) for name, value in content.identity.items() if name not in ("model", "order of items")
    ]
    headers = ["backend", "jobs", "seconds", "cubes", "ended by"]
    sessions: list[Sequence[object]] = [*content.sessions]
    # A count by layers has this entry in its identity; other stores have cubes.
    if "order of items" in content.identity:
        done = content.progress
        rows.append(("counted", f"{done.layer} of {done.layers} layers, {done.states} states" if done else "no layer"))
        headers.remove("cubes")
        sessions = [(*session[:3], session.ending) for session in content.sessions]
    else:
        cubes = content.cubes + content.open
        rows += [
            ("searched", f"{content.cubes:,} of {cubes:,} cubes, {content.searched:.2%} of the work by a guess"),
            ("solutions found", str(content.solutions)),
        ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    print()
    print(tabulate(sessions, headers=headers, floatfmt=".1f"))
    return DONE
