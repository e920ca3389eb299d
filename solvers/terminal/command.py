"""What the command lines share: exit codes, errors in one line, signals, the parameters of puzzles."""

import argparse
import gc
import io
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from types import FrameType
from typing import Any, NoReturn, TypeVar

from solvers.errors import CheckError, InputError
from solvers.files.catalogue import Declaration
from solvers.show.printable import CannotPrint, Printer, printable

Result = TypeVar("Result")

DONE, SHOULD_NEVER_HAPPEN, BAD_INPUT, INCOMPLETE, NO, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143
ENDED_BY = {
    **{"": DONE, "the limit": DONE, "the second solution": DONE},
    **{"Ctrl-C": INTERRUPTED, "SIGTERM": TERMINATED},
}
"""Exit codes by what ended a run; everything else leaves it incomplete."""

PATIENCE = 0.8
"""Seconds in which what runs beside the main thread is expected to end, once that has."""

SELDOM = 100_000
"""New objects between two searches for garbage; with Python's 700, modules and models are looked through for 0.1 s."""

MOST_GIGABYTES = 1_000_000_000
"""More than a machine can address."""

SYMMETRIES = ("declared", "found", "none")
"""Where the symmetries come from that make two solutions one."""


class Parser(argparse.ArgumentParser):
    """Complains in one line; shows the examples in its epilog line by line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # argparse takes it away and gives an empty list
            self.error(f"argument {action.option_strings[0]}: expected one argument")
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"kazoeru: {printable(message)}\n")


def command(main: Callable[[list[str]], int]) -> int:
    """Run a command's main function on the arguments given to this process, which ends with the exit code returned."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _on_signal)
    threading.excepthook = _on_error_in_thread
    gc.set_threshold(SELDOM)
    code = answered(main, sys.argv[1:])
    end = time.monotonic() + PATIENCE
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
        return complain("ended by a lack of memory", INCOMPLETE)
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


def add_parameters(group: Any, declaration: Declaration) -> None:
    """Add an option for each parameter of a puzzle to an argument group; the parser has all its other options."""
    for parameter in declaration.parameters:
        if parameter.option in group._option_string_actions:
            raise InputError(
                f"the parameter {parameter.name} of {declaration.name} has the name of the runner's option "
                f"{parameter.option}; rename it"
            )
        extra: dict[str, Any] = {"type": whole if parameter.kind is int else parameter.kind}
        if parameter.kind is bool:
            extra = {"action": argparse.BooleanOptionalAction}
        elif parameter.choices:
            extra["choices"] = parameter.choices
        else:
            extra["metavar"] = parameter.name.upper()
        default: Any = parameter.default
        note = f"default: {parameter.default}"
        if parameter.repeated:
            extra["action"] = "append"
            default, note = [], "may be repeated"
        if parameter.required:
            extra["required"] = True
            note = "required"
        meaning = f"{parameter.meaning} ({note})".replace("%", "%%")
        group.add_argument(parameter.option, dest=parameter.name, default=default, help=meaning, **extra)


def add_given(group: Any) -> None:
    """Add the option --given to an argument group."""
    group.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="GIVEN",
        help="LABEL=VALUE, or a file that shows some; may be repeated",
    )


class Ended(Exception):
    """What was to be done was ended early; the message says by what."""

    @property
    def code(self) -> int:
        """The exit code that says so."""
        return ENDED_BY.get(str(self), INCOMPLETE)


def aside(work: Callable[[threading.Event], Result], time_limit: float | None = None) -> Result:
    """What some work gives that is done in a thread of its own, so that signals and the limit are heeded whatever it
    does: it is told to stop by the event, and given a moment for that.

    Raises `Ended` if it does not come to its end, and what the work raises.
    """
    done: Future[Result] = Future()
    stop = threading.Event()
    reasons: list[str] = []

    def run() -> None:
        try:
            done.set_result(work(stop))
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            done.set_exception(error)

    heed_signals(reasons.append)
    threading.Thread(target=run, daemon=True).start()
    began = time.perf_counter()
    while not (reasons or done.done()):
        wait([done], timeout=0.1)
        if time_limit is not None and time.perf_counter() - began > time_limit:
            reasons.append("the time limit")
    if reasons:
        stop.set()
        wait([done], timeout=PATIENCE)
        if not done.done() or done.exception():
            raise Ended(reasons[0])
    return done.result()


_received: list[str] = []
_listeners: list[Callable[[str], None]] = []


def heed_signals(stop: Callable[[str], None]) -> None:
    """Call ``stop`` with the name of each signal, Ctrl-C or SIGTERM, that comes, or came since the command began."""
    _listeners.append(stop)
    for name in _received:
        stop(name)


def _on_signal(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    _received.append("Ctrl-C" if number == signal.SIGINT else "SIGTERM")
    for stop in _listeners:
        stop(_received[-1])


def _on_error_in_thread(error: threading.ExceptHookArgs) -> None:
    of_memory = isinstance(error.exc_value, MemoryError) or str(error.exc_value) == "can't start new thread"
    if not of_memory:  # of which who waits for the thread tells
        threading.__excepthook__(error)


def count(text: str) -> int:
    """A whole number from 1, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number to count with; give a whole number from 1")
    return int(text)


def whole(text: str) -> int:
    """A whole number, for argparse."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number; give one such as 3") from None


def seed(text: str) -> int:
    """What every solver takes as a seed, for argparse."""
    if not 0 <= (value := whole(text)) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; give a whole number from 0 to {2**31 - 1}")
    return value


def seconds(text: str) -> float:
    """A number of seconds, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; give a number of seconds above 0")
    return min(value, threading.TIMEOUT_MAX)  # some centuries


def gigabytes(text: str) -> float:
    """An amount of memory, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < MOST_GIGABYTES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no amount of memory; give a number of gigabytes above 0 and below {MOST_GIGABYTES}"
        )
    return value
