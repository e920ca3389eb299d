"""A run does nothing twice: how often it builds its parser, asks for an exact cover, lowers a model and the like."""

import sys
from typing import Any
from unittest.mock import Mock

import pytest

from solvers import run
from solvers.backends import cover, sat
from solvers.cnf import lower
from solvers.model import exact_cover
from solvers.running import runner
from solvers.symmetry import groups

LOADED = cover, sat, runner
"""Modules that a run imports late; here before any function is counted."""

COUNTED: list[tuple[Any, str]] = [
    (run, "parser"),
    (exact_cover, "exact_cover"),
    (lower, "lower"),
    (groups, "_permutation"),
]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> dict[str, Mock]:
    """Each of these functions, by whatever name a module knows it."""
    counted = {}
    for module, name in COUNTED:
        function = getattr(module, name)
        counted[name] = Mock(side_effect=function)
        for other in [loaded for title, loaded in sys.modules.items() if title.startswith("solvers")]:
            if vars(other).get(name) is function:
                monkeypatch.setattr(other, name, counted[name])
    return counted


@pytest.mark.parametrize(
    ("words", "declared", "lowered"),
    [
        (["pentomino", "--board", "3x20"], 3, 0),
        # What is searched is lowered; what images are held against would be, where equations do not determine all.
        (["magic", "--kind", "ring", "--backend", "sat"], 7, 1),
        (["flip-it", "--board", "_bbbbb", "--horizon", "4", "--backend", "sat"], 0, 1),
    ],
)
def test_a_run_does_nothing_twice(
    words: list[str], declared: int, lowered: int, calls: dict[str, Mock], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main([*words, "--draw", "0"]) == 0
    capsys.readouterr()
    counts = {name: function.call_count for name, function in calls.items()}
    assert counts == {"parser": 1, "exact_cover": 1, "_permutation": declared, "lower": lowered}
