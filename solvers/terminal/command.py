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

from solvers.base.deadline import Deadline, replace_stop_event, set_stop_event, start_in_thread, waits_in_words
from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN, Ending
from solvers.base.errors import CheckError, InputError, Stopped, command_wording
from solvers.base.without_pandas import defer_pandas
from solvers.show.printable import CannotPrint, Printer, printable

Result = TypeVar("Result")

EXIT_SECONDS = 0.8
"""Seconds that the main thread waits for the other threads once it has ended."""

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""The number of new objects after which Python looks for garbage; its default, 700, costs 0.1 s while modules load."""

OWN_PACKAGES = ("solvers", "models")
"""The packages of kazoeru; if one of their modules is missing, that is an error of ours."""


def command(main: Callable[[list[str]], int]) -> int:
    """Run a command as a process and return its exit code.

    Signals are handled, and errors become one line. main: called with the arguments of this process; returns the exit
    code. If a thread does not stop, this function ends the process.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _on_signal)
    threading.excepthook = _on_error_in_thread
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    defer_pandas()
    code = run_main(main, sys.argv[1:])
    # Other threads have a moment to end, all together.
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


@command_wording()
def run_main(main: Callable[[list[str]], int], words: list[str]) -> int:
    """Call a command's main function with these words and return the exit code.

    Every error becomes one line on stderr, and gives the exit code of its kind. A reader of stdout that has gone, as
    with ``| head``, is no error.
    """
    try:
        _guard_streams()
        code = main(words)
        sys.stdout.flush()
        return code
    except InputError as error:
        return complain(str(error), BAD_INPUT)
    except EndedEarly as error:
        return complain(f"ended by {error}", error.code)
    except CheckError as error:
        return complain(f"this should never happen: {error}", SHOULD_NEVER_HAPPEN)
    except MemoryError:
        return complain(f"ended by {Ending.NO_MEMORY.words}", Ending.NO_MEMORY.code)
    except ModuleNotFoundError as error:
        # A module of ours that is missing is a fault of ours, with its traceback.
        if (error.name or OWN_PACKAGES[0]).partition(".")[0] in OWN_PACKAGES:
            raise
        return complain(f"the package {error.name} is not installed; install kazoeru with pip", BAD_INPUT)
    except BrokenPipeError:
        _forget_output()
        return DONE
    except CannotPrint as error:
        _forget_output()
        return complain(str(error), INCOMPLETE)


def complain(sentence: str, code: int) -> int:
    """Print a sentence on stderr, after the program's name, and return the exit code ``code``."""
    print(f"kazoeru: {printable(sentence)}", file=sys.stderr)
    return code


def _guard_streams() -> None:
    """Wrap stdout and stderr so that only printable text is written.

    Errors of writing to stderr are ignored; it is replaced if it is closed. Raises `InputError` if stdout is closed.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = Printer(sys.stderr, is_needed=False)
    if sys.stdout is None:
        raise InputError("standard output is closed, so that nothing can be printed; send it to /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = Printer(sys.stdout, is_needed=True)


def _forget_output() -> None:
    """Send what is left in the buffer of stdout to /dev/null, as it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class EndedEarly(Exception):
    """Raised if work was ended early; the message names the cause, and ``code`` is the exit code."""

    def __init__(self, by: Ending, detail: str = "") -> None:
        """Take the cause of the end, and words that follow it."""
        super().__init__(by.words + detail)
        self.code = by.code


def run_in_thread(
    work: Callable[[threading.Event], Result],
    time_limit: float | None = None,
    tick: Callable[[], object] = lambda: None,
) -> Result:
    """Run ``work`` in a thread of its own and return its result.

    In this way signals and the time limit take effect at any time. work: called with an event that tells it to stop;
    after that it has `EXIT_SECONDS` to end. time_limit: in seconds; None for none. tick: called a few times a second.
    Raises `EndedEarly` if the work did not finish, and any exception of the work.
    """
    stop = StopEvent()  # which Ctrl-C and SIGTERM set, too

    def work_heeding_stop() -> Result:
        set_stop_event(stop)
        return work(stop)

    start, future = time.perf_counter(), start_in_thread(work_heeding_stop)
    while not (stop.is_set() or future.done()):
        wait([future], timeout=0.1)
        tick()
        if time_limit is not None and time.perf_counter() - start > time_limit:
            stop.end(Ending.TIME_LIMIT)
    if stop.ending:
        # It says for what the work was waiting.
        detail = waits_in_words()
        wait([future], timeout=EXIT_SECONDS)
        if not future.done() or future.exception():
            raise EndedEarly(stop.ending, detail)
    return future.result()


def run_within_limit(seconds: float | None, stop: threading.Event, work: Callable[[], Result]) -> Result:
    """Do a part of the work of `run_in_thread`, such as declaring a model, within a time limit; return its result.

    seconds: the limit; None for none. stop: the event of `run_in_thread`. work: the part; long steps in it look at this
    thread's stop event, which is set once the time is over. Raises `EndedEarly` if the time is over before.
    """
    if seconds is None:
        return work()
    deadline = Deadline(stop, seconds=seconds)
    try:
        with replace_stop_event(deadline):
            return work()
    except Stopped as stopped:
        raise EndedEarly(Ending.TIME_LIMIT, str(stopped)) from None


class StopEvent(threading.Event):
    """An event that is set by Ctrl-C, by SIGTERM (also one since the command began), or by `end`.

    ``ending`` is the cause.
    """

    ending: Ending | None = None

    def __init__(self) -> None:
        """Begin to heed signals."""
        super().__init__()
        heed_signals(self.end)

    def end(self, ending: Ending) -> None:
        """Set the event, with this ending as its cause unless it is set already."""
        self.ending = self.ending or ending
        self.set()


_received: list[Ending] = []
"""The signals that have come since the command began."""
_listeners: list[Callable[[Ending], None]] = []
"""The functions to call when a signal comes."""


def heed_signals(stop: Callable[[Ending], None]) -> None:
    """Call ``stop`` with the ending for each Ctrl-C or SIGTERM.

    Signals that came since the command began count, too.
    """
    _listeners.append(stop)
    for ending in _received:
        stop(ending)


def _on_signal(number: int, frame: FrameType | None) -> None:
    """Handle a signal, SIGINT or SIGTERM by number: note it and call all listeners.

    A second signal ends the process at once. frame: not used.
    """
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    _received.append(Ending.CTRL_C if number == signal.SIGINT else Ending.SIGTERM)
    for stop in _listeners:
        stop(_received[-1])


def _on_error_in_thread(error: threading.ExceptHookArgs) -> None:
    """Report an exception in a thread, in place of `threading.excepthook`.

    A lack of memory is not reported here, but by the thread that waits for this one.
    """
    is_out_of_memory = isinstance(error.exc_value, MemoryError) or str(error.exc_value) == "can't start new thread"
    if not is_out_of_memory:
        threading.__excepthook__(error)
