"""Runs the project's commands as a user would, in a process of their own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent


def start(module: str, *words: str, **options: Any) -> "subprocess.Popen[str]":
    """Start ``python -m module words`` with its output and complaints piped."""
    command = [sys.executable, "-m", module, *words]
    pipe = subprocess.PIPE
    options = {"cwd": HERE, "stdout": pipe, "stderr": pipe, "stdin": subprocess.DEVNULL, "text": True} | options
    return subprocess.Popen(command, **options)


def run(module: str, *words: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run it to its end."""
    process = start(module, *words, **options)
    try:
        out, err = process.communicate(timeout=300)
    except BaseException:
        process.kill()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
