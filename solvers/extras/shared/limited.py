"""``python -m solvers.extras.shared.limited BYTES INPUT WORD ...``: any program, with a limit of memory.

It is to be started by `solvers.extras.shared.programs.start_tied`, and ends with its starter, as the program does,
however that is written: this process has nothing to do but to wait for it. BYTES: the memory that the program may map.
INPUT: the file that becomes its standard input.
"""

import os
import signal
import subprocess
import sys
from types import FrameType

MOST_PRINTED = 2**30
"""The largest file, in bytes, that the program may write, so that endless nonsense fills no disk."""


def _end_all(number: int, frame: FrameType | None) -> None:
    """Kill this process and all of its group, which the program is in; number, frame: those of the signal."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end_all)
    most, input_path, *words = sys.argv[1:]
    try:
        import resource
    except ImportError:  # such a system limits no memory
        pass
    else:
        # The program may set a limit of its own, which the system forbids above a hard one.
        resource.setrlimit(resource.RLIMIT_AS, (int(most), resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_PRINTED, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    with open(input_path, "rb") as stream:
        code = subprocess.call(words, stdin=stream)
    sys.exit(code if code >= 0 else 128 - code)
