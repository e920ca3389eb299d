"""Other programs: each is run to its end, or ended when a run is told to stop."""

import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import Event

from solvers.errors import InputError, Stopped

PROGRAM_POLL_SECONDS = 0.05
"""Seconds between two looks at whether to stop."""


def printed(words: Sequence[str], said: str, stop: Event, failure: str) -> str:
    """Run a program to its end and return the text that it prints.

    words: the command. said: the text for its standard input. failure: the message if it fails. Raises `InputError`
    with that message if the program fails, `Stopped` once the event is set.
    """
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C is for us alone
    ) as process:
        unsent: str | None = said
        while not stop.is_set():
            with suppress(subprocess.TimeoutExpired):
                answer, _ = process.communicate(unsent, timeout=PROGRAM_POLL_SECONDS)
                if process.returncode:
                    raise InputError(failure)
                return answer
            unsent = None  # what is left of it, further calls send
        process.kill()
        process.communicate()
    raise Stopped
