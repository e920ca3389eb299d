"""The golden table on every backend, with symmetry broken and unbroken; backends agree as sets of solutions."""

import hashlib
from functools import cache
from typing import Any

import pytest

from models import PENCIL
from solvers.files.catalogue import find
from solvers.show.report import Report
from tests.support.backends import EVERY
from tests.support.golden import GOLDEN, Golden
from tests.support.runs import finished

QUICKEST = {"flip-it": "sat", "dissection": "sat", **dict.fromkeys(("matchsticks", "magic"), "cp")}
QUICKEST |= dict.fromkeys(("costas", "all-interval", "golomb"), "cp")
QUICKEST |= dict.fromkeys(PENCIL, "sat")
"""Of puzzles that are not exact cover: the backend on which most variants are counted first."""

FEW = 64
"""Numbers of so many solutions in all are counted by default; larger ones by the thorough tests."""

LONG = ("dissection", "matchsticks", "flip-it", "numberlink", "numbrix")
"""Puzzles that take seconds; they are counted once only."""

MANY = 600
"""Numbers of so many solutions are counted once only."""


def tier(golden: Golden, backend: str, unbroken: bool) -> Any:
    """The mark of a case; None if it is left out, since it takes long and repeats what another backend counts.

    By default each small number is counted once, and what a puzzle says by itself on other backends is thorough. With
    symmetry unbroken every third one is counted by default, the others are thorough. Of the other repetitions a
    twentieth is thorough, another for each neighbour in the table. Numbers that take minutes are slow, once each.
    """
    is_repeated, total = backend != quickest(golden), golden.total or 0
    is_left_out = bool(golden.parameters) and (GOLDEN.index(golden) + EVERY.index(backend)) % 20 > 0
    is_long = golden.puzzle in LONG or is_left_out or total > MANY
    if backend in golden.slow.split() or (is_repeated and is_long) or (unbroken and total > MANY):
        return None if is_repeated or unbroken else pytest.mark.slow
    is_thorough = is_repeated or total > FEW or backend in golden.thorough.split()
    return pytest.mark.thorough if is_thorough or (unbroken and GOLDEN.index(golden) % 3) else ()


def quickest(golden: Golden) -> str:
    """The backend whose solutions the others must find."""
    backends = ["cover", "cp-sat", "sat"] if golden.is_cover else [QUICKEST[golden.puzzle], "cp-sat", "sat"]
    longest = [golden.endless.split(), golden.slow.split(), golden.thorough.split()]
    return min(backends, key=lambda backend: [backend in late for late in longest])


CASES = [
    pytest.param(golden, backend, unbroken, marks=mark)
    for golden in GOLDEN
    for backend in EVERY
    if (backend != "cover" or golden.is_cover) and backend not in golden.endless.split()
    for unbroken in (False, True)
    if not unbroken or (golden.total is not None and golden.symmetries > 1)
    if (mark := tier(golden, backend, unbroken)) is not None
]


@cache
def outcome(number: int, backend: str, unbroken: bool) -> tuple[Report, str]:
    """The report of a run of a golden number, and a fingerprint of its solutions."""
    golden = GOLDEN[number]
    run = finished(find(golden.puzzle).load(), golden.parameters, backend=backend, unbroken=unbroken)
    return run.report, hashlib.sha256(repr(run.in_order()).encode()).hexdigest()


@pytest.mark.parametrize(("golden", "backend", "unbroken"), CASES, ids=str)
def test_golden(golden: Golden, backend: str, unbroken: bool) -> None:
    number = GOLDEN.index(golden)
    report, solutions = outcome(number, backend, unbroken)
    assert golden.solutions in (None, report.solutions)
    assert golden.total in (None, report.total)
    told = (report.complete, report.repeats, report.checked, report.symmetries, report.objective)
    assert told == (True, 0, report.total, golden.symmetries, golden.objective)
    assert solutions == outcome(number, quickest(golden), False)[1]
