"""A real Dask cluster on this machine: scheduler and workers in processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

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
