"""Runs the project's commands, in this process, or in one of their own where signals, pipes or processes matter."""

import contextlib
import gc
import io
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from solvers.base.plugs import COMMANDS, load
from solvers.terminal import command as terminal
from solvers.terminal.command import run_main

HERE = Path(__file__).parents[2]
RUN = "solvers.run"


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


def run(module: str, *words: str, columns: int = 80, folder: Path = HERE) -> "subprocess.CompletedProcess[str]":
    """Run it to its end as its command line would, in this process: what it prints, its complaints, its exit code.

    The first word behind `solvers` or `solvers.run` may be the name of a command.
    """
    if module in (RUN, "solvers") and words and words[0] in COMMANDS:
        main = load(COMMANDS[words[0]].place, "the command")
        words = words[1:]
    else:
        main = import_module(RUN if module == "solvers" else module).main
    kept = Kept(), Kept()
    out, err = (io.TextIOWrapper(stream, encoding="utf-8", write_through=True) for stream in kept)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.dict(os.environ, COLUMNS=str(columns)),
        patch.object(terminal, "_listeners", []),
    ):
        on_signal = signal.getsignal(signal.SIGTERM)
        try:
            code = main([*words]) if module == "solvers.check" else run_main(main, [*words])
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            signal.signal(signal.SIGTERM, on_signal)
            gc.unfreeze()
    return subprocess.CompletedProcess([module, *words], code, *(stream.getvalue().decode() for stream in kept))


def refusal(*words: str, module: str = RUN, code: int = 2) -> str:
    """The one line on stderr, where nothing is printed besides."""
    done = run(module, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1), done.stderr
    assert module != RUN or done.stderr.startswith("kazoeru: ")
    return done.stderr.removeprefix("kazoeru: ").removesuffix("\n")


def assert_ended_in_program(words: Sequence[str], path: Path) -> None:
    """A command about a program that does not end stops at its time limit, and says where the program is.

    words: the command, in which {} stands for the program. path: where the program is written.
    """
    path.write_text("import time\nwhile True:\n    time.sleep(1)\n", encoding="utf-8")
    done = run("solvers", *(word.format(path) for word in words), "--time-limit", "2")
    assert done.returncode == 3, done.stderr
    assert "ended by the time limit (the program is in line" in done.stderr, done.stderr


def report_of(*words: str) -> dict[str, Any]:
    """What a run that says nothing else and goes well reports of itself."""
    done = run(RUN, *words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def python(code: str | Path, *words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    """Run a script, or code, in a Python of its own."""
    what = [code] if isinstance(code, Path) else ["-c", code]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    return subprocess.run(
        [sys.executable, *what, *words], cwd=HERE, env=environment, capture_output=True, text=True, timeout=300, **more
    )


def printed(*words: str, module: str = RUN, code: int = 0, folder: Path = HERE) -> str:
    """What the command prints; its exit code has to be this one."""
    done = run(module, *words, folder=folder)
    assert done.returncode == code, done.stderr
    return done.stdout


def told(*words: str, module: str = RUN, code: int = 0) -> Any:
    """The same as JSON."""
    return json.loads(printed(*words, "--json", module=module, code=code))


def complaint(*words: str, module: str = RUN, code: int = 3) -> str:
    """The one line on stderr of a run that ends with this code, whatever it prints."""
    done = run(module, *words)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    return done.stderr


class Kept(io.BytesIO):
    """Can be read when who wrote to it has closed it."""

    def close(self) -> None:
        pass


def run_apart(
    module: str,
    *words: str,
    preexec_fn: Callable[[], None] | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = 300,
) -> "subprocess.CompletedProcess[str]":
    """Run it to its end in a process of its own, as a user would."""
    with start(module, *words, preexec_fn=preexec_fn, env=env) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        finally:
            process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def on_a_terminal(*words: str, env: Mapping[str, str], folder: Path = HERE) -> str:
    """What a run in this folder shows on a terminal, once it has ended well."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", RUN, *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=env
    )
    os.close(theirs)
    shown = b""
    try:
        with contextlib.suppress(OSError):  # the other end is closed
            while select.select([ours], [], [], 60)[0]:
                shown += os.read(ours, 65536)
        assert process.wait(60) == 0
        return shown.decode("utf-8", "replace")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def small_files(size: int) -> Callable[[], None]:
    """What keeps the files of a new process from growing beyond so many bytes, as a full disk would.

    It writes no bytecode: Python takes what it could write of that for all of it, and later processes break down.
    """

    def limited() -> None:
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limited


@contextlib.contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes; Python ignores the signal that would end it.

    Bytecode is not written meanwhile, see `small_files`.
    """
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with patch.object(sys, "dont_write_bytecode", True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def heeds_signals(pid: int) -> bool:
    """Whether the process has a handler of its own for SIGTERM; before, Ctrl-C meets the interpreter as it starts."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)
    return False


def on_this_load(seconds: float) -> float:
    """The time that what takes so many seconds of an idle machine may take now, by the number of waiting processes."""
    return seconds * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


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
    "breaking",
    "selected",
    "puzzle",
    "parameters",
    "note",
    "variables",
    "named_solutions",
    "given",
    "backend",
    "backend_reason",
    "added_constraints",
    "splitting_nodes",
    "apart",
    "undecided",
    "unique_apart",
    "found",
    "method",
    "complete",
    "stopped_by",
    "solutions",
    "total",
    "symmetry",
    "symmetries",
    "symmetry_proved",
    "skipped_kinds",
    "warnings",
    "unique",
    "which",
    "repeats",
    "resumed",
    "checked",
    "own_checks",
    "evidence",
    "objective",
    "best",
    "by",
    "features",
    "marginals",
    "samples",
    "hints",
    "seconds",
    "jobs",
    "cubes",
    "progress",
    "memory",
    "model",
    "statistics",
    "versions",
    "command",
    "seed",
    "solver_parameters",
    "limits",
    "machine",
    "schema",
    "checksums",
}


HARD = ["pentomino", "--board", "6x15", "--pieces", "one-sided"]


def descendants(pid: int) -> set[int]:
    """The processes that this one has started, and those that they have started; none that has ended."""
    started: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                started.setdefault(int(parent), []).append(int(stat.parent.name))
    found, new = set[int](), [pid]
    while new:
        new = [child for one in new for child in started.get(one, ())]
        found.update(new)
    return found


def ends_with_its_parent(process: "subprocess.Popen[str]") -> bool:
    """Whether all that a command has started ends soon after it is killed; it has to have started something."""
    wait_for(lambda: bool(descendants(process.pid)))
    time.sleep(1)  # until they are at work
    left = descendants(process.pid)
    process.kill()
    process.communicate()
    until = time.monotonic() + 10

    def is_alive(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    while left and time.monotonic() < until:
        time.sleep(0.1)
        left = {pid for pid in left if is_alive(pid)}
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return not left
