"""The contract of outputs (`solvers/outputs/output.py`), which every row of the table has to keep."""

from pathlib import Path
from unittest.mock import patch

import pytest

from models.magic import magic
from solvers.base.endings import Ending
from solvers.base.plugs import OUTPUTS
from solvers.terminal.command_run import OutputTime
from tests.support.command import RUN, full_disk, refusal, run
from tests.support.runs import finished

ENDINGS = {"gallery": ".html", "sheet": ".svg", "marginals": ".json"}
"""Of the outputs that do not take a name without one."""

ONE = ("packing", "--board", "1x2", "--pieces", "dominoes x*", "--jobs", "1")
WRONG = ("packing", "--board", "1x3", "--pieces", "dominoes x*", "--jobs", "1")
NONE = ("packing", "--board", "4x5", "--pieces", "tetrominoes", "--jobs", "1")
ENDLESS = ("packing", "--board", "8x8", "--pieces", "dominoes x*", "--jobs", "1", "--method", "listing")

by_row = pytest.mark.parametrize("option", OUTPUTS)


def place(option: str, folder: Path) -> Path:
    return folder / f"out{ENDINGS.get(option, '')}"


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@by_row
def test_one_solution(option: str, tmp_path: Path) -> None:
    path = place(option, tmp_path)
    done = run(RUN, *ONE, f"--{option}", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert path.is_dir() == OUTPUTS[option].is_folder
    assert files(tmp_path)
    assert all(file.stat().st_size and ".part" not in file.name for file in files(tmp_path))


@by_row
def test_no_solution(option: str, tmp_path: Path) -> None:
    path = place(option, tmp_path)
    done = run(RUN, *NONE, f"--{option}", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert path.is_dir() == OUTPUTS[option].is_folder
    assert path.exists()
    assert not [file for file in files(tmp_path) if ".part" in file.name]


@by_row
def test_a_puzzle_that_is_refused(option: str, tmp_path: Path) -> None:
    assert "covers 3 cells" in refusal(*WRONG, f"--{option}", str(place(option, tmp_path)))
    assert not files(tmp_path)


@by_row
def test_a_folder_in_which_nothing_can_be_written(option: str) -> None:
    """Nobody writes there, not even root."""
    told = refusal(*ONE, f"--{option}", str(place(option, Path("/proc"))))
    assert told.startswith("cannot write")


@by_row
def test_a_full_disk(option: str, tmp_path: Path) -> None:
    path = place(option, tmp_path)
    with full_disk(10):
        done = run(RUN, *ONE, "--backend", "cp", f"--{option}", str(path))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert f"an error in writing {path}" in done.stderr
    assert not path.is_file()


@pytest.mark.thorough
@pytest.mark.parametrize("option", [*OUTPUTS][::2])
def test_a_stopped_run(option: str, tmp_path: Path) -> None:
    path = place(option, tmp_path)
    done = run(RUN, *ENDLESS, "--time-limit", "1", f"--{option}", str(path))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert "ended by the time limit" in done.stderr
    is_missing = "was not written" in done.stderr or "there is no" in done.stderr
    assert path.exists() != is_missing


def test_to_ask_whether_time_is_over_changes_no_run() -> None:
    """The ending changes where the time has cut something short, and that is said."""
    ended = finished(magic, time_limit=60)
    is_over = OutputTime(ended, 0)
    assert not is_over()
    is_over.note_overrun()
    with patch.object(type(ended), "is_late", lambda _: True):
        assert is_over()
        assert ended.ending is None
    assert is_over()
    is_over.note_overrun()
    assert ended.ending is Ending.TIME_LIMIT
