"""A real Dask cluster on this machine: scheduler and workers in processes of their own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from models.magic import magic
from models.pentomino import pentomino
from solvers import InputError, solve
from solvers.base.tuning import override_tuning
from solvers.extras.bridges.clusters import Cluster
from solvers.extras.shared.tuning import EXTRAS_TUNING
from tests.support import command

QUIET: Mapping[str, str] = {**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}


@contextmanager
def dask(*words: str, env: Mapping[str, str] = QUIET) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
        cwd=command.HERE,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(tmp_path: Path, *words: str, env: Mapping[str, str] = QUIET) -> Iterator[str]:
    """The address of a scheduler."""
    file = tmp_path / "scheduler.json"
    with dask("dask_scheduler", "--scheduler-file", str(file), "--port", "0", "--no-dashboard", *words, env=env):
        command.wait_for(lambda: file.exists() and file.stat().st_size > 0)
        yield json.loads(file.read_text())["address"]


WORKER = "--nthreads", "1", "--no-nanny", "--no-dashboard"


def half_way(address: str, store: Path) -> "subprocess.Popen[str]":
    """A run on a cluster that has searched some of its cubes."""
    words = "pentomino", "--board", "4x15", "--backend", "sat", "--cluster", address, "--store", str(store), "--json"
    process = command.start("solvers.run", *words)
    command.wait_for_log(store, 100_000)
    assert process.poll() is None
    return process


@pytest.mark.thorough
def test_workers_go_and_come(tmp_path: Path) -> None:
    store = tmp_path / "run.db"
    with scheduler(tmp_path) as address, ExitStack() as stack:
        first, _ = (stack.enter_context(dask("dask_worker", address, *WORKER)) for _ in range(2))
        process = half_way(address, store)
        first.send_signal(signal.SIGKILL)
        stack.enter_context(dask("dask_worker", address, *WORKER))
        out, err = process.communicate(timeout=200)
        assert (process.returncode, err) == (0, "")
        report = json.loads(out)
        assert (report["complete"], report["solutions"], report["total"], report["repeats"]) == (True, 368, 1472, 0)
        assert report["cubes"] > 50
        for puzzle, backend, total in ((pentomino("5x5", subset=True), "cover", 856), (magic(), "cp-sat", 8)):
            result = solve(puzzle, backend=backend, cubes=20, cluster=address)
            assert (result.complete, result.total, result.report.jobs) == (True, total, 2)


@pytest.mark.thorough
def test_nobody_there(tmp_path: Path) -> None:
    assert EXTRAS_TUNING.cluster_connect_seconds < 15
    with (
        scheduler(tmp_path) as address,
        override_tuning(EXTRAS_TUNING, cluster_connect_seconds=1),
        pytest.raises(InputError, match="has no workers"),
    ):
        Cluster(address)
    assert "no Dask scheduler answers at nonsense://x" in command.refusal("magic", "--cluster", "nonsense://x")
    with override_tuning(EXTRAS_TUNING, cluster_connect_seconds=1):
        for nowhere in ("tcp://127.0.0.1:9", "nowhere:1"):
            with pytest.raises(InputError, match=f"no Dask scheduler answers at {nowhere}"):
                solve(pentomino(board="3x20"), cluster=nowhere)
