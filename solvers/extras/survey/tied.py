"""``python -m solvers.extras.survey.tied MODULE WORD ...``: that module's command, which ends with what started it.

That holds the other end of a pipe, our standard input: the pipe is closed when it ends, also where it is killed.
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
