"""Programs as they are, in many runs."""

from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.own_models import write


@pytest.mark.parametrize(
    "words",
    [
        ["audit", "{}"],
        ["compare", "{}", "--backends", "sat"],
        ["confirm", "{}", "--programs", "cp-sat", "--quiet"],
    ],
    ids=" ".join,
)
def test_the_time_limit_of_every_command_covers_the_program(words: list[str], tmp_path: Path) -> None:
    path = write(tmp_path / "program.py", "import time\nwhile True:\n    time.sleep(1)\n")
    done = run("solvers", *(word.format(path) for word in words), "--time-limit", "2")
    assert done.returncode == 3, done.stderr
    assert "ended by the time limit (the program is in line" in done.stderr, done.stderr
