"""The start of a process of this machine, apart as `multiprocessing` takes long to load."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.context import SpawnContext, SpawnProcess

from solvers.base.errors import is_worded_for_command, word_for_command
from solvers.base.without_pandas import defer_pandas

_hiding = threading.RLock()


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Within the block, hide the main module from processes that are started, which need nothing of it.

    A spawned process imports the file that ``__spec__`` or ``__file__`` of the main module names; without these it does
    not run it again, so that a script needs no ``if __name__ == "__main__":``.
    """
    main = vars(sys.modules["__main__"])
    with _hiding:
        kept_names = {name: main[name] for name in ("__spec__", "__file__") if main.get(name)}
        main["__spec__"] = None
        main.pop("__file__", None)
        try:
            yield
        finally:
            main.update(kept_names)


class _Process(SpawnProcess):
    """Does not import the main module."""

    def start(self) -> None:
        """Start the process without the main module; see `multiprocessing.Process`."""
        with _main_hidden():
            super().start()


class _Context(SpawnContext):
    """A context of `multiprocessing` whose processes are of the class `_Process`."""

    Process = _Process


def process_executor() -> ProcessPoolExecutor:
    """Return an executor with one process, which is started at the first call."""
    return ProcessPoolExecutor(1, _Context(), _begin, (is_worded_for_command(),))


def _begin(for_command: bool) -> None:
    """Prepare a worker process: it ignores Ctrl-C, which is for the parent, and ends with the parent.

    for_command: whether messages are worded for a command.
    """
    if for_command:
        word_for_command()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    defer_pandas()
    import_module("ortools.sat.python.cp_model")  # which each call needs, before there is another thread
    parent = multiprocessing.parent_process()

    def end_with_the_parent() -> None:
        if parent:
            parent.join()
        os._exit(1)

    threading.Thread(target=end_with_the_parent, daemon=True).start()
