"""Other programs and our own commands, each in a process that ends when the run is told to stop."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

from solvers.base.deadline import is_told_to_stop
from solvers.base.errors import Stopped

PROGRAM_POLL_SECONDS = 0.05
"""Seconds between two looks at whether to stop."""


def run_program(
    words: Sequence[str], text: str = "", stop: Event | None = None, cwd: Path | None = None, merge: bool = False
) -> "subprocess.CompletedProcess[str]":
    """Run a program until it ends; return what it printed and its exit code.

    words: the command, started without a shell. text: its standard input. stop: the event that ends it; without it,
    that which this thread heeds, see `solvers.base.deadline.set_stop_event`. cwd: its working directory. merge: put
    what it prints on standard error into its standard output. Once the event is set, the program is killed, with all
    that it has started, and `Stopped` raised.
    """
    errors = subprocess.STDOUT if merge else subprocess.PIPE
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=cwd,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,  # Ctrl-C is for us alone
    ) as process:
        try:
            unsent: str | None = text
            while not (stop.is_set() if stop else is_told_to_stop()):
                with suppress(subprocess.TimeoutExpired):
                    printed, complaints = process.communicate(unsent, timeout=PROGRAM_POLL_SECONDS)
                    return subprocess.CompletedProcess(words, process.returncode, printed, complaints)
                unsent = None  # later calls send the rest of it
        finally:
            if process.poll() is None:
                end(process)
    raise Stopped


def run_tied(module: str, words: Sequence[str], done: Path | None = None, **streams: Any) -> int | None:
    """Run a command of ours, in a process that `start_tied` starts; return its exit code.

    module, words: the command and its command line. done: a file; as soon as it exists, the process is ended, and the
    code may be None. streams: as for `start_tied`. Raises `Stopped` if the run is told to stop before.
    """
    with start_tied(module, words, **streams) as process:
        while process.poll() is None and not (done and done.exists()):
            if is_told_to_stop():
                raise Stopped
            time.sleep(PROGRAM_POLL_SECONDS)
        code = process.returncode
    return code


def start_tied(module: str, words: Sequence[str], **streams: Any) -> AbstractContextManager["subprocess.Popen[str]"]:
    """Start a command of ours in a process that ends with this one, also if this one is killed.

    The module ``tied`` runs it, and ends when its standard input, a pipe from this process, is closed. It is killed at
    the end of the block, with all that it has started. module: the command's module. words: its command line. streams:
    stdout and stderr, and how they are encoded, as for `subprocess.Popen`.
    """
    return _tie([sys.executable, "-m", "solvers.extras.shared.tied", module, *words], **streams)


TIED_BY_SHELL = """exec 3<&0
"$@" </dev/null 3<&- & program=$!
{ read -r line <&3; kill -9 $program; } >/dev/null 2>&1 & watch=$!
wait $program; code=$?
kill $watch
exit $code"""
"""A script that runs a program until its standard input is closed."""


def start_tied_program(words: Sequence[str], **streams: Any) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    """Start a program of others in a process that ends with this one, also if this one is killed.

    It starts at once, as a shell, not Python, ties it. words: the command. The rest is as for `start_tied`.
    """
    return _tie(["sh", "-c", TIED_BY_SHELL, "sh", *words], **streams)


@contextmanager
def _tie(command: Sequence[str], **streams: Any) -> Iterator["subprocess.Popen[Any]"]:
    """Start a command with a standard input that is closed when this process ends; kill it at the end of the block.

    The standard input is a pipe, whose other end only this process has. command: the words; the command has to watch
    its input. streams: as for `start_tied`.
    """
    stdin, held_open = os.pipe()  # the system closes it if we are killed
    try:
        process = subprocess.Popen(command, stdin=stdin, start_new_session=True, **streams)  # Ctrl-C is for us alone
        try:
            yield process
        finally:
            end(process)
    finally:
        os.close(stdin)
        os.close(held_open)


def end(process: "subprocess.Popen[str]") -> None:
    """Kill a process and all processes that it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
