"""Functions in machine code: compiled by numba once after installing, then read from its cache.

Numba compiles a function anew when the file changes that it is written in, but not when a function of another file does
that it calls. So what a function reads, the named tuples of arrays, is defined in its file; and who changes
`cover.kernel` or `counting.wide_integers` deletes the folders ``__pycache__``, as `proofs.refutation_kernel`,
`counting.frontier_kernel` and `invent.hitting_kernel` call them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_running: list[object] = []


def is_compiling() -> bool:
    """Whether functions are being compiled at the moment, which takes some seconds."""
    return bool(_running)


def kernel_of(compile_kernel: Callable[..., T], *sizes: int) -> T:
    """What ``compile_kernel`` makes, from the cache if it is there; kept there if there is a folder to write to."""
    _listen()
    try:
        return compile_kernel(*sizes, cache=True)
    except RuntimeError:  # there is no such folder
        return compile_kernel(*sizes, cache=False)


@cache
def _listen() -> None:
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            _running.append(event)

        def on_end(self, event: Any) -> None:
            _running.pop()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
