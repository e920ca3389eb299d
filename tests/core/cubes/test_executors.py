"""Executors of `concurrent.futures`, whoever's they are: with any of them a run finds all, or says that it did not."""

import gc
import os
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from pickle import PicklingError
from typing import Any
from unittest.mock import Mock

import pytest

from models.pentomino import pentomino
from solvers import InputError, iter_solutions, solve
from solvers.cubes.processes import Processes
from tests.support.refusals import refused
from tests.support.tiers import sampled

BOARD: Mapping[str, Any] = {"board": "5x4", "subset": True}
"""It has 50 solutions, 200 in all."""


def solved(**options: Any) -> list[str]:
    """All solutions, in order."""
    result = solve(pentomino(**BOARD), **options)
    assert (result.complete, result.solutions, result.total, result.report.repeats) == (True, 50, 200, 0)
    return list(map(str, result))


def processes() -> Executor:
    return ProcessPoolExecutor(2, get_context("spawn"))


def threads() -> Executor:
    return ThreadPoolExecutor(2)


@contextmanager
def dask() -> Iterator[Executor]:
    from distributed.client import Client

    client: Any = Client
    with client(n_workers=2, threads_per_worker=1, dashboard_address=None) as started:
        yield started.get_executor()


@pytest.mark.thorough
@pytest.mark.parametrize("started", [threads, processes])
def test_the_same_with_any_executor(started: Callable[[], Any]) -> None:
    expected = solved(backend="cover")
    with started() as executor:
        for backend in ("sat", "cp-sat", "cp", "cover"):
            assert solved(backend=backend, executor=executor, jobs=2, cubes=30) == expected


Failure = Callable[[ThreadPoolExecutor], Any]
"""What an executor answers when it is asked to do something more."""


@contextmanager
def failing(fail: Failure) -> Iterator[Executor]:
    """The fourth future fails, in one of several ways."""
    with ThreadPoolExecutor(2) as executor:
        submit, numbers = executor.submit, count(1)
        executor.submit = Mock(  # type: ignore[method-assign]
            side_effect=lambda *call, **named: fail(executor) if next(numbers) == 4 else submit(*call, **named)
        )
        yield executor


def a_future(prepare: Callable[[Future[Any]], Any]) -> Failure:
    """One that has this done to it."""
    future: Future[Any] = Future()
    prepare(future)
    return lambda _: future


def with_exception(error: BaseException) -> Failure:
    return a_future(lambda future: future.set_exception(error))


def shut_down(executor: ThreadPoolExecutor) -> Future[Any]:
    executor.shutdown(cancel_futures=True)
    return ThreadPoolExecutor.submit(executor, abs, -1)


class Unheard(Exception):
    """Of an executor's own kind."""


FAILURES: dict[str, tuple[Failure, str]] = {
    "broken": (with_exception(BrokenExecutor("gone")), r"a failure of the executor \(BrokenExecutor: gone\)"),
    "broken at once": (Mock(side_effect=BrokenExecutor("gone")), r"a failure of the executor \(BrokenExecutor: gone\)"),
    "of its own kind": (with_exception(Unheard("two\nlines")), r"a failure of the executor \(.*Unheard: two\)"),
    "without a word": (with_exception(Unheard()), r"a failure of the executor \(.*Unheard\)"),
    "a worker without the project": (
        with_exception(ModuleNotFoundError("No module named 'solvers'")),
        r"a failure of the executor \(ModuleNotFoundError: No module named 'solvers'\)",
    ),
    "cannot pickle": (Mock(side_effect=PicklingError("no")), r"a failure of the executor \(PicklingError: no\)"),
    "cancelled": (a_future(Future.cancel), r"a failure of the executor \(.*CancelledError\)"),
    "cancelled and told so": (with_exception(CancelledError()), r"a failure of the executor \(.*CancelledError\)"),
    "shut down": (shut_down, r"a failure of the executor \(RuntimeError: cannot schedule .* after shutdown\)"),
}


@pytest.mark.parametrize(
    ("fail", "sentence"), sampled([pytest.param(*failure, id=name) for name, failure in FAILURES.items()], 2)
)
def test_what_fails_is_said(fail: Failure, sentence: str) -> None:
    with failing(fail) as executor:
        search = iter_solutions(pentomino(**BOARD), backend="sat", executor=executor, jobs=2, cubes=30)
        began = time.monotonic()
        refused(f"^pentomino: ended by {sentence} after", deque, search, raises=RuntimeError)
        assert time.monotonic() - began < 30
        assert search.report.stopped_by
        assert not search.report.complete


@pytest.mark.thorough
def test_memory_and_refusals_are_what_they_are() -> None:
    for error in (MemoryError(), InputError("not so")):
        with failing(with_exception(error)) as executor, pytest.raises(type(error)):
            solve(pentomino(**BOARD), backend="sat", executor=executor, jobs=2, cubes=30)


def die_in_the_middle_of_an_answer() -> None:
    """In a worker: tell of a thousand bytes, write one of them, and end."""
    for queue in [one for one in gc.get_objects() if isinstance(one, SimpleQueue)]:
        os.write(queue._writer.fileno(), struct.pack("!ix", 1000))  # type: ignore[attr-defined]
    os._exit(1)


@pytest.mark.thorough
def test_nobody_waits_for_the_rest_of_an_answer() -> None:
    workers = Processes(1)
    try:
        with pytest.raises(BrokenExecutor):
            workers.submit(die_in_the_middle_of_an_answer).result(timeout=60)
        assert workers.submit(os.getpid).result(timeout=60) != os.getpid()
    finally:
        workers.kill()
        workers.shutdown()
