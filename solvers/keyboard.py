"""Waits for a key on the terminal."""

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from solvers.backend import Refused

MOST_BYTES = 64
"""An arrow sends three bytes at once, other keys up to about ten."""


def check_keyboard() -> None:
    """Raises `Refused` if nobody can press a key."""
    if not sys.stdin.isatty():
        raise Refused("--step waits for a key after each solution; run it in a terminal")


@contextmanager
def key_by_key() -> Iterator[None]:
    """Meanwhile the terminal hands over each key at once and does not show it."""
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def pressed(is_stopped: Callable[[], bool]) -> str:
    """What the next key sends; nothing once it is stopped or the terminal is gone."""
    while not is_stopped():
        if select.select([sys.stdin], [], [], 0.1)[0]:
            return os.read(sys.stdin.fileno(), MOST_BYTES).decode("utf-8", "replace")
    return ""
