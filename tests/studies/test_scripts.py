"""Programs as they are, in many runs."""

from pathlib import Path

import pytest

from tests.support.command import assert_ended_in_program


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words",
    [
        ["audit", "{}"],
        ["compare", "{}", "--backends", "sat"],
    ],
    ids=" ".join,
)
def test_the_time_limit_of_every_command_covers_the_program(words: list[str], tmp_path: Path) -> None:
    assert_ended_in_program(words, tmp_path / "program.py")
