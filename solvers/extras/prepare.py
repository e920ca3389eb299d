"""python -m solvers prepare: compiles, once, what runs would compile when they first need it."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from solvers.cnf import propagation
from solvers.endings import DONE
from solvers.extras.tuning import EXTRAS_TUNING
from solvers.files.catalogue import find
from solvers.library import solve
from solvers.model import cover_search
from solvers.terminal.arguments import Parser
from solvers.terminal.command import aside, command
from solvers.tuning import tuned


class Preparation(NamedTuple):
    """A part of kazoeru that is compiled, and a small task that needs all of it."""

    part: str
    work: Callable[[], object]


def preparations(folder: Path) -> Iterator[Preparation]:
    """Yield what there is to prepare, the most needed first; folder: an empty one, for files.

    Counts by layers that are wider than a board of 16x16 dominoes compile a variant of their own when they need it.
    """
    small = find("pentomino").declare(board="5x4", subset=True)

    def certify() -> None:
        from solvers.extras.proofs.checker import check
        from solvers.extras.proofs.functions import write_certificate

        with tuned(EXTRAS_TUNING, max_plain_proof_bytes=0):
            write_certificate(solve(small, backend="cover", jobs=1), folder / "certificate")
        check(folder / "certificate")

    def count_by_layers() -> None:
        for board, has_marginals in (("4x4", True), ("16x16", False)):
            dominoes = find("packing").declare(board=board, pieces="dominoes x*")
            solve(dominoes, backend="cover", method="frontier", count_only=True, marginals=has_marginals)

    yield Preparation("the search of exact covers", cover_search.kernel)
    yield Preparation("unit propagation", propagation.kernel)
    yield Preparation("certificates", certify)
    yield Preparation("counts by layers", count_by_layers)
    yield Preparation("hints", lambda: solve(small, backend="cover", jobs=1).hints("each"))


def main(words: list[str]) -> int:
    """Run the command ``prepare``; return the exit code. words: its command line, without the command's own name."""
    parser = Parser(
        prog="python -m solvers prepare",
        description="Compile, once, what runs would compile when they first need it. It takes about two minutes.",
        epilog="What is compiled lies beside the program or, if that cannot be written to, in the user's cache.",
    )
    parser.parse_args(words)
    with TemporaryDirectory() as folder:
        for part, work in preparations(Path(folder)):
            print(f"preparing {part} ...", end=" ", flush=True)
            began = time.perf_counter()
            aside(_quietly(work))
            print(f"{time.perf_counter() - began:.1f} s", flush=True)
    return DONE


def _quietly(work: Callable[[], object]) -> Callable[[threading.Event], object]:
    """Return a function that does the work without printing anything; it takes the event by which it is stopped."""

    def do(_: threading.Event) -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return work()

    return do


if __name__ == "__main__":
    sys.exit(command(main))
