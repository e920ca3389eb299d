"""``python -m solvers.extras.survey.tied MODULE WORD ...``: a module's command, which ends with its starter.

The process that starts it holds the other end of a pipe, the standard input here. The pipe is closed when that process
ends, also if it is killed.
"""

import os
import runpy
import signal
import sys
import threading


def _end_with_the_pipe() -> None:
    """Wait until the process that started this one closes the pipe, then end this process."""
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    del sys.argv[0]
    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
