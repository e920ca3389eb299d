"""Runs the project's commands as a user would, in a process of their own."""

import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).parent.parent


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
