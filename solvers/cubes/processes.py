"""Processes of this machine: how they are started, what they are sent, how they end."""

from __future__ import annotations

import sys
import threading
import weakref
import zlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from ortools.sat.python.cp_model import CpModel


class Processes(Executor):
    """An executor with ``jobs`` processes of this machine; it goes on when one of them dies.

    A process that died is replaced at the next call, and `is_guilty` says which call it died of.
    """

    def __init__(self, jobs: int) -> None:
        """Prepare this many processes, each of which starts at its first call.

        Each is an executor of its own with one process, so that the death of one does not break the others.
        """
        self._new_executor = _spawner()
        self._executors = [self._new_executor() for _ in range(jobs)]
        self._calls: list[deque[Future[Any]]] = [deque() for _ in range(jobs)]
        """The calls of each process in the order in which it does them; those that ended well are dropped in time."""
        self._calls_beside: dict[Future[Any], deque[Future[Any]]] = {}
        """For each of these calls, all calls of its process."""
        self._is_killed = False
        _alive.add(self)

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Submit a call and return its future; see `concurrent.futures.Executor`.

        The call goes to the process with the fewest unfinished calls. A process that has died is replaced.
        """
        for calls in self._calls:
            # Calls that ended well are forgotten; failed ones stay, as `is_guilty` asks for them.
            while calls and calls[0].done() and not calls[0].cancelled() and calls[0].exception() is None:
                self._calls_beside.pop(calls.popleft(), None)
        number = min(range(len(self._calls)), key=lambda n: sum(not future.done() for future in self._calls[n]))
        try:
            future = self._submit(number, call, *arguments, **keywords)
        except BrokenExecutor:  # the process has died; `is_guilty` may still ask for the calls that it had
            self._executors[number].shutdown(wait=False)
            self._executors[number], self._calls[number] = self._new_executor(), deque()
            future = self._submit(number, call, *arguments, **keywords)
        self._calls[number].append(future)
        self._calls_beside[future] = self._calls[number]
        return future

    def _submit(self, number: int, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Future[Any]:
        """Hand a call to the process of this number; return its future.

        Raises `MemoryError` if the process or its thread cannot be started, BrokenExecutor if the process has died,
        `RuntimeError` once `kill` was called.
        """
        if self._is_killed:
            raise RuntimeError("the processes have been killed")
        executor = self._executors[number]
        try:
            future = executor.submit(call, *arguments, **keywords)
        except BrokenExecutor:
            raise
        except (OSError, RuntimeError) as error:  # no other process or thread can be started
            self.kill()
            raise MemoryError from error
        # Only the process is to hold the end of the pipe that it writes its answers to. If it is open here too, the
        # thread that reads them waits for ever for the rest of an answer in whose middle the process died.
        executor._result_queue._writer.close()  # type: ignore[attr-defined]
        return future

    def check(self) -> None:
        """Raise `MemoryError` if a thread that waits for the processes ended because memory ran out."""
        for executor in self._executors:
            thread: Any = executor._executor_manager_thread
            if thread and not thread.is_alive() and not executor._broken:
                raise MemoryError

    def is_guilty(self, future: Future[Any]) -> bool:
        """Tell whether the worker died during this call; False if it died before it began the call.

        A process does its calls in order, and its death fails those that it has not done. So it died of the first that
        failed. future: a call that failed because its worker died. It is forgotten here, so ask only once.
        """
        calls = self._calls_beside.pop(future)
        return next((call for call in calls if call.exception() is not None), None) is future

    def kill(self) -> None:
        """Kill all processes at once, for good: no call can be submitted after this."""
        self._is_killed = True
        for executor in self._executors:
            for process in list((executor._processes or {}).values()):
                process.kill()
            if sys.version_info < (3, 11, 5):  # it may wait for ever for someone to read what was sent (gh-94777)
                sent = getattr(executor, "_call_queue", None)
                if sent:
                    sent._reader.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes once their calls are done; see `concurrent.futures.Executor`."""
        for executor in self._executors:
            with suppress(RuntimeError):  # its thread was never started
                executor.shutdown(wait, cancel_futures=cancel_futures)


_alive: weakref.WeakSet[Processes] = weakref.WeakSet()


def _kill_all() -> None:
    """Kill the processes of every `Processes`, so that a script ends at once though a search goes on.

    It runs at the exit of Python, before the hook of `concurrent.futures`, which would wait for the calls that were
    submitted.
    """
    for processes in list(_alive):
        processes.kill()


@cache
def _spawner() -> Callable[[], ProcessPoolExecutor]:
    """Return the function that prepares a process; its module is loaded by runs with several processes only."""
    from solvers.cubes.spawning import process_executor

    threading._register_atexit(_kill_all)  # type: ignore[attr-defined]
    return process_executor


def pack_model(model: CpModel) -> bytes:
    """Return a model as compressed text, for sending it to another process."""
    return zlib.compress(str(model.proto).encode())


def unpack_model(data: bytes) -> CpModel:
    """Return the model from which `pack_model` made these bytes."""
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    model.proto.parse_text_format(zlib.decompress(data).decode())
    return model


def peak_memory() -> int:
    """Return the most memory that this process has used, in bytes; 0 if the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
