"""The golden table on every backend, with symmetry broken and unbroken; backends agree as sets of solutions."""

import hashlib
from functools import cache
from typing import Any

import pytest

from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.show.report import Report
from tests.support.golden import GOLDEN, Golden

QUICKEST = {"flip-it": "sat", "matchsticks": "cp", "magic": "cp"}
"""Of puzzles whose variants take seconds on other backends: the one on which each is counted by default."""

MANY = 4000
"""So many solutions in all are met by the thorough tests."""


def tier(golden: Golden, backend: str, unbroken: bool) -> Any:
    if backend in golden.slow.split():
        return pytest.mark.slow
    is_repeated = unbroken and (golden.total or 0) > MANY
    is_late = backend == "cp" or backend in golden.thorough.split()
    if golden.parameters and golden.puzzle in QUICKEST:
        is_late = backend != QUICKEST[golden.puzzle] or backend in golden.thorough.split()
    return pytest.mark.thorough if is_repeated or is_late else ()


CASES = [
    pytest.param(golden, backend, unbroken, marks=tier(golden, backend, unbroken))
    for golden in GOLDEN
    for backend in ("cp-sat", "cp", "sat", "cover")
    if backend != "cover" or golden.is_cover
    for unbroken in (False, True)
    if not unbroken or (golden.total is not None and golden.symmetries > 1)
]


@cache
def outcome(number: int, backend: str, unbroken: bool) -> tuple[Report, str]:
    """The report of a run of a golden number, and a fingerprint of its solutions."""
    golden = GOLDEN[number]
    run = Run(golden.puzzle, golden.parameters, find(golden.puzzle).load(), Options(backend=backend, all=unbroken))
    for _ in run:
        pass
    assert run.collector is not None
    return run.report, hashlib.sha256(repr(run.collector.in_order()).encode()).hexdigest()


def witness(number: int) -> str:
    """What the quickest backend finds."""
    golden = GOLDEN[number]
    if golden.puzzle in QUICKEST:
        return outcome(number, QUICKEST[golden.puzzle], False)[1]
    backends = ["cover", "cp-sat", "sat"] if golden.is_cover else ["cp-sat", "sat"]
    longest = [golden.thorough.split(), golden.slow.split()]
    return outcome(number, min(backends, key=lambda backend: [backend in late for late in longest][::-1]), False)[1]


@pytest.mark.parametrize(("golden", "backend", "unbroken"), CASES, ids=str)
def test_golden(golden: Golden, backend: str, unbroken: bool) -> None:
    number = GOLDEN.index(golden)
    report, solutions = outcome(number, backend, unbroken)
    assert report.complete
    assert golden.solutions in (None, report.solutions)
    assert golden.total in (None, report.total)
    assert report.symmetries == golden.symmetries
    assert report.repeats == 0
    assert report.objective == golden.objective
    assert report.checked == report.total
    assert solutions == witness(number)
