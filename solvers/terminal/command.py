"""The skeleton of the commands: every error in one line, signals, and work in a thread of its own."""

import gc
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from types import FrameType
from typing import TypeVar

from solvers.deadline import started
from solvers.endings import BAD_INPUT, DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN, Ending
from solvers.errors import CheckError, InputError
from solvers.show.printable import CannotPrint, Printer, printable

Result = TypeVar("Result")

EXIT_SECONDS = 0.8
"""Seconds in which what runs beside the main thread is expected to end, once that has."""

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""New objects between two searches for garbage; with Python's 700, modules and models are looked through for 0.1 s."""


def command(main: Callable[[list[str]], int]) -> int:
    """Run a command's main function on the arguments given to this process, which ends with the exit code returned."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _on_signal)
    threading.excepthook = _on_error_in_thread
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    code = answered(main, sys.argv[1:])
    end = time.monotonic() + EXIT_SECONDS
    for thread in threading.enumerate():
        if thread.daemon:
            thread.join(timeout=max(0, end - time.monotonic()))
    if any(thread.daemon for thread in threading.enumerate()):  # a solver that does not heed its stop
        sys.stderr.flush()
        if "multiprocessing.util" in sys.modules:  # what a pool has left would be told of on stderr
            sys.modules["multiprocessing.util"]._run_finalizers(0)
        os._exit(code)
    return code


def answered(main: Callable[[list[str]], int], words: list[str]) -> int:
    """Run a command's main function on the arguments; its exit code, and one line on stderr for every error."""
    try:
        _guard_streams()
        code = main(words)
        sys.stdout.flush()
        return code
    except InputError as error:
        return complain(str(error), BAD_INPUT)
    except CheckError as error:
        return complain(f"this should never happen: {error}", SHOULD_NEVER_HAPPEN)
    except MemoryError:
        return complain(f"ended by {Ending.NO_MEMORY.words}", Ending.NO_MEMORY.code)
    except BrokenPipeError:
        _forget_output()
        return DONE
    except CannotPrint as error:
        _forget_output()
        return complain(str(error), INCOMPLETE)


def complain(sentence: str, code: int) -> int:
    """Say what is wrong on stderr; the exit code."""
    print(f"kazoeru: {printable(sentence)}", file=sys.stderr)
    return code


def _guard_streams() -> None:
    """See that only what is printable is printed, and that there is something to print to; else `InputError`."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = Printer(sys.stderr, is_needed=False)
    if sys.stdout is None:
        raise InputError("standard output is closed, so that nothing can be printed; send it to /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = Printer(sys.stdout, is_needed=True)


def _forget_output() -> None:
    """Send what is still to be printed, and could not be, to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class EndedEarly(Exception):
    """Raised if work was ended early; the message says by what."""

    def __init__(self, by: Ending) -> None:
        super().__init__(by.words)
        self.code = by.code


def aside(
    work: Callable[[threading.Event], Result],
    time_limit: float | None = None,
    tick: Callable[[], object] = lambda: None,
) -> Result:
    """Do some work in a thread of its own, so that signals and the time limit are heeded whatever it does, and return
    its result. It is told to stop by the event, and given a moment for that. ``tick`` is called a few times a second.

    Raises `EndedEarly` if it does not come to its end, and what the work raises.
    """
    stop = StopEvent()
    began, done = time.perf_counter(), started(lambda: work(stop))
    while not (stop.is_set() or done.done()):
        wait([done], timeout=0.1)
        tick()
        if time_limit is not None and time.perf_counter() - began > time_limit:
            stop.end(Ending.TIME_LIMIT)
    if stop.ending:
        wait([done], timeout=EXIT_SECONDS)
        if not done.done() or done.exception():
            raise EndedEarly(stop.ending)
    return done.result()


class StopEvent(threading.Event):
    """Set by a signal that comes, or came since the command began, or by `end`; says what it was."""

    ending: Ending | None = None

    def __init__(self) -> None:
        super().__init__()
        heed_signals(self.end)

    def end(self, ending: Ending) -> None:
        """Set it, for this reason if there is no earlier one."""
        self.ending = self.ending or ending
        self.set()


_received: list[Ending] = []
_listeners: list[Callable[[Ending], None]] = []


def heed_signals(stop: Callable[[Ending], None]) -> None:
    """Call ``stop`` for each signal, Ctrl-C or SIGTERM, that comes, or came since the command began."""
    _listeners.append(stop)
    for ending in _received:
        stop(ending)


def _on_signal(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    _received.append(Ending.CTRL_C if number == signal.SIGINT else Ending.SIGTERM)
    for stop in _listeners:
        stop(_received[-1])


def _on_error_in_thread(error: threading.ExceptHookArgs) -> None:
    of_memory = isinstance(error.exc_value, MemoryError) or str(error.exc_value) == "can't start new thread"
    if not of_memory:  # of which who waits for the thread tells
        threading.__excepthook__(error)
