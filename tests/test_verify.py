"""What solutions violate, found alone and with other processes."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from models.dissection import dissection
from solvers.errors import Stopped
from solvers.running.stated import stated
from solvers.running.verify import Verifier
from solvers.symmetry.key import Key
from solvers.tuning import tuned
from tests.support.declared import puzzle
from tests.support.puzzles import model_of
from tests.support.refusals import refused

WHOLE = {(row, column): 1 + row // 2 for row in range(4) for column in range(4)}
BROKEN = {cell: 1 + (cell[1] in (0, 2)) for cell in WHOLE}


@pytest.fixture
def verifier() -> Iterator[Verifier]:
    puzzle = dissection(region="4x4")
    model, key, _, _ = stated(puzzle, "declared", (), threading.Event())
    with tuned(seconds_before_sharing_checks=-1.0):
        yield Verifier(model, key, threading.Event(), jobs=2)


def encoded(verifier: Verifier) -> list[tuple[int, ...]]:
    key = verifier._key
    return [
        tuple(sorted(key.number(key.position[cell], part) for cell, part in solution.items()))
        for solution in (WHOLE, BROKEN)
    ]


@pytest.mark.thorough
def test_with_other_processes(verifier: Verifier) -> None:
    whole, broken = encoded(verifier)
    try:
        for solutions in ([whole, broken] * 20, [broken], []):
            assert verifier.flaws(solutions, None) == [None if s == whole else "the model" for s in solutions]
        assert verifier._others
        os.kill(verifier._others.submit(os.getpid).result(), signal.SIGKILL)
        assert verifier.flaws([broken, whole], None) == ["the model", None]
    finally:
        verifier.dismiss()
    assert verifier.flaws([whole, broken], None) == [None, "the model"]


def test_ends_when_told(verifier: Verifier) -> None:
    whole, _ = encoded(verifier)
    try:
        threading.Timer(0.3, verifier._stop.set).start()
        refused("^", verifier.flaws, [whole] * 100_000, None, raises=Stopped)
    finally:
        verifier.dismiss()


@pytest.mark.thorough
@tuned(seconds_before_sharing_checks=-1.0)
def test_a_variable_that_the_key_lacks() -> None:
    asked = puzzle(dict.fromkeys("xyz", (0, 2)), lambda m, x, y, z: m.add(x + y == z), key="xy")
    key = Key(asked.model, asked.key)
    verifier = Verifier(model_of(asked), key, threading.Event(), jobs=2)
    try:
        solutions = [key.encode(values) for values in ([0, 1], [2, 2], [1, 1])]
        assert verifier.flaws(solutions, None) == [None, "the model", None]
        assert verifier.memory > 0
    finally:
        verifier.dismiss()
