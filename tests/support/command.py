"""Runs the project's commands as a user would, in a process of their own."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).parents[2]


# A shell ignores Ctrl-C for what it runs in the background, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def start(
    module: str,
    *words: str,
    preexec_fn: Callable[[], None] | None = None,
    env: Mapping[str, str] | None = None,
) -> "subprocess.Popen[str]":
    """Start ``python -m module words`` with its output and complaints piped."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=HERE,
        env=env,
        preexec_fn=preexec_fn,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    module: str,
    *words: str,
    preexec_fn: Callable[[], None] | None = None,
    env: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run it to its end."""
    process = start(module, *words, preexec_fn=preexec_fn, env=env)
    try:
        out, err = process.communicate(timeout=300)
    except BaseException:
        process.kill()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def wait_for(holds: Callable[[], bool], seconds: float = 100) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def wait_for_log(file: Path, size: int) -> Path:
    log = Path(f"{file}-wal")
    wait_for(lambda: log.exists() and log.stat().st_size > size)
    return log


KEYS = {
    "puzzle",
    "parameters",
    "given",
    "backend",
    "method",
    "complete",
    "stopped_by",
    "solutions",
    "total",
    "symmetry",
    "symmetries",
    "unique",
    "which",
    "repeats",
    "resumed",
    "checked",
    "objective",
    "best",
    "features",
    "marginals",
    "samples",
    "seconds",
    "jobs",
    "cubes",
    "progress",
    "memory",
    "model",
    "statistics",
    "versions",
}


HARD = ["pentomino", "--board", "6x15", "--pieces", "one-sided"]
