"""The golden table on every backend, with symmetry broken and unbroken; backends agree as sets of solutions."""

import hashlib
from functools import cache

import pytest

from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.show.report import Report
from tests.golden import GOLDEN, Golden

CASES = [
    pytest.param(golden, backend, unbroken, marks=pytest.mark.slow if backend in golden.slow.split() else ())
    for golden in GOLDEN
    for backend in ("cp-sat", "cp", "sat", "cover")
    if backend != "cover" or golden.is_cover
    for unbroken in (False, True)
    if golden.total is not None or not unbroken
]


def outcome(golden: Golden, backend: str, unbroken: bool) -> tuple[Report, str]:
    """The report of a run, and a fingerprint of its solutions."""
    run = Run(golden.puzzle, golden.parameters, find(golden.puzzle).load(), Options(backend=backend, all=unbroken))
    for _ in run:
        pass
    assert run.collector is not None
    return run.report, hashlib.sha256(repr(run.collector.in_order()).encode()).hexdigest()


@cache
def witness(number: int) -> str:
    """What the first backend that comes along finds."""
    golden = GOLDEN[number]
    backends = ["cover", "cp-sat", "sat"] if golden.is_cover else ["cp-sat", "sat"]
    return outcome(golden, min(backends, key=lambda backend: backend in golden.slow.split()), False)[1]


@pytest.mark.parametrize(("golden", "backend", "unbroken"), CASES, ids=str)
def test_golden(golden: Golden, backend: str, unbroken: bool) -> None:
    report, solutions = outcome(golden, backend, unbroken)
    assert report.complete
    assert report.solutions == golden.solutions
    assert golden.total in (None, report.total)
    assert report.symmetries == golden.symmetries
    assert report.repeats == 0
    assert report.objective == golden.objective
    assert report.checked == report.total
    assert solutions == witness(GOLDEN.index(golden))
