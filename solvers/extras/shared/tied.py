"""``python -m solvers.extras.shared.tied MODULE WORD ...``: a module's command, which ends with its starter.

The process that starts it holds the other end of a pipe, the standard input at first. The pipe is closed when that
process ends, also if it is killed.
"""

import os
import runpy
import signal
import sys
import threading
import time

SECONDS_TO_END = 5.0
"""Seconds after which a process that was told to end is killed."""


def _end_with(pipe: int) -> None:
    """Wait until the process that started this one closes the pipe, then end this process and those that it started."""
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_END)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    del sys.argv[0]
    pipe = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # whoever reads the standard input finds its end
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
