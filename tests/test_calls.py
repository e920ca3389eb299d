"""A run does nothing twice: how often it builds its parser, asks for an exact cover, lowers a model and the like."""

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

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
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of these functions is called, by whatever name a module knows it."""
    counted = Counter[str]()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **others: Any) -> Any:
            counted[name] += 1
            return function(*arguments, **others)

        return call

    for module, name in COUNTED:
        function: Callable[..., Any] = getattr(module, name)
        for other in [loaded for title, loaded in sys.modules.items() if title.startswith("solvers")]:
            if vars(other).get(name) is function:
                monkeypatch.setattr(other, name, counting(name, function))
    return counted


@pytest.mark.parametrize(
    ("words", "declared", "lowered"),
    [
        (["pentomino", "--board", "3x20"], 3, 0),
        # What is searched is lowered, and what solutions are held against: the model in which no symmetry is broken.
        (["magic", "--kind", "ring", "--backend", "sat"], 7, 2),
        (["flip-it", "--board", "_bbbbb", "--horizon", "4", "--backend", "sat"], 0, 2),
    ],
)
def test_a_run_does_nothing_twice(
    words: list[str], declared: int, lowered: int, calls: Counter[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main([*words, "--draw", "0"]) == 0
    capsys.readouterr()
    assert calls == Counter(parser=1, exact_cover=1, _permutation=declared, lower=lowered)
