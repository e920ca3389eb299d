"""python -m solvers prepare: compiles, once, what runs would compile when they first need it."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryDirectory

from solvers.backends import cover
from solvers.base.endings import DONE
from solvers.base.plugs import PREPARATIONS, load
from solvers.cnf import propagation
from solvers.model import cover_search
from solvers.terminal.arguments import Parser
from solvers.terminal.command import command, run_in_thread


def main(words: list[str]) -> int:
    """Run the command ``prepare``; return the exit code.

    Each part is compiled by doing some work with it, and its seconds are printed. words: the command line, without the
    command's own name.
    """
    parser = Parser(
        prog="python -m solvers prepare",
        description="Compile, once, what runs would compile when they first need it. It takes about two minutes.",
        epilog="The machine code is kept in the user's folder for caches; it can be deleted at any time.",
    )
    parser.parse_args(words)
    _prepare_part("the search of exact covers", cover_search.kernel)
    _prepare_part("the check of exclusions", cover.take_out)
    _prepare_part("unit propagation", propagation.kernel)
    # The parts that wings add; each works in a temporary folder.
    for row in PREPARATIONS:
        with TemporaryDirectory() as folder:
            _prepare_part(row.part, partial(load(row.place, row.part), folder))
    return DONE


def _prepare_part(part: str, work: Callable[[], object]) -> None:
    """Do the work for which a part is compiled, and print the part and the seconds that it took."""
    print(f"preparing {part} ...", end=" ", flush=True)
    began = time.perf_counter()
    run_in_thread(_silence(work))
    print(f"{time.perf_counter() - began:.1f} s", flush=True)


def _silence(work: Callable[[], object]) -> Callable[[threading.Event], object]:
    """Return a function that does the work without printing anything; it takes the event by which it is stopped."""

    def work_silently(_: threading.Event) -> object:
        """Do the work to its end, whether or not the event is set."""
        with contextlib.redirect_stdout(io.StringIO()):
            return work()

    return work_silently


if __name__ == "__main__":
    sys.exit(command(main))
