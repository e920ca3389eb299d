"""Random models and puzzles: every backend, in every mode, finds what the oracle finds."""

import re
import tempfile
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from ortools.sat.python.cp_model import CpModel, Domain

from solvers.base.errors import InputError
from solvers.base.options import Options
from solvers.files.catalogue import find
from solvers.running.runner import Run
from tests.attack import oracle
from tests.attack.cases import declared
from tests.attack.models import EVEN, KINDS, SCHEDULING, random_model, random_symmetric, reservoir
from tests.attack.program import lines_of
from tests.attack.rows import MODES
from tests.attack.run import attack_model, symmetries_in_this_process
from tests.attack.wide import wide_model
from tests.support import random_models
from tests.support.enumerate import all_solutions


@pytest.fixture(autouse=True, scope="module")
def _symmetries_in_this_process() -> Iterator[None]:
    with symmetries_in_this_process():
        yield


@pytest.fixture(autouse=True)
def _files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("numbers", [range(2), pytest.param(range(2, 5), marks=pytest.mark.thorough)], ids=str)
@pytest.mark.parametrize("mode", [mode.__name__ for mode in MODES])
def test_a_few_models(mode: str, numbers: range) -> None:
    for number in numbers:
        tally = attack_model(1, number, 1, [mode])
        assert not tally.failures, str(tally)


@settings(max_examples=40, deadline=None)
@given(random_models.models((*KINDS, *(kind for kind in SCHEDULING if kind is not reservoir), *EVEN), objectives=False))
def test_the_oracle_says_what_cp_sat_says(model: CpModel) -> None:
    assume(not model.validate())
    model.clear_assumptions()  # which CP-SAT does not hold
    found = {values for values, _ in oracle.listed(model)}
    plain = set(all_solutions(model))  # it breaks off without its presolve, or with a reservoir
    assert plain <= found
    # CP-SAT loses solutions in which a box that holds nothing is absent in one direction, or a maximum of nothing or a
    # division is not enforced; our rewriting finds them.
    assert plain == found or any(
        constraint.has_no_overlap_2d()
        or constraint.has_int_div()
        or constraint.has_int_mod()
        or (constraint.has_lin_max() and not len(constraint.lin_max.exprs))
        for constraint in model.proto.constraints
    )


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(random_models.RANDOM)
def test_lines_build_the_same_model(chance: Random) -> None:
    model = chance.choice([wide_model(chance), random_model(chance, (*KINDS, *SCHEDULING)), random_symmetric(chance)])
    names: dict[str, Any] = {"CpModel": CpModel, "Domain": Domain}
    exec("\n".join(lines_of(model)), names)
    assert str(names["model"].proto) == str(model.proto)


WRONG = [
    "model = CpModel()",
    "a = model.new_bool_var('a')",
    "b = model.new_bool_var('b')",
    "c = model.new_bool_var('c')",
    "model.add_bool_or([a, b])",
    "model.add_bool_or([b, c])",
    "key = {'a': a, 'b': b, 'c': c}",
    "symmetries = []",
    'puzzle = Puzzle("random", {}, model, key, symmetries)',
]


def test_a_failure_is_a_program_that_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a search that loses the solutions in which a is true."""
    from solvers.backends.sat import Sat

    enumerate_all = Sat.enumerate

    def lossy(self: Sat, found: Any, cube: Any = ()) -> None:
        enumerate_all(self, lambda values: None if values[0] else found(values), cube)

    monkeypatch.setattr(Sat, "enumerate", lossy)
    monkeypatch.setattr("tests.attack.run.random_case", lambda chance: declared("model", WRONG))
    monkeypatch.setattr("tests.attack.run.random_way", lambda case, chance: {"backend": "sat", "cubes": 1})
    (programs,) = attack_model(0, 0, 3, ["base"]).failures.values()
    lines = programs[0].splitlines()
    assert len(lines) < 14
    assert not any("constraints" in line for line in lines)
    names: dict[str, Any] = {}
    exec(programs[0], names)
    truth = re.search(r"# (\d+) in all, the truth is (\d+)$", lines[-1])
    assert truth
    assert names["result"].total == int(truth[1]) < int(truth[2])


@cache
def listed(name: str, words: str) -> frozenset[oracle.Solution] | None:
    """All solutions, by one way to search; None if they are too many to be listed in many ways.

    Remembered, as hypothesis wants the same answer each time, also where it hangs on the time.
    """
    puzzle = eval(f"declare({words})", {"declare": find(name).load()})
    options = Options("sat", unbroken=True, cubes=1, symmetry="none", limit=1000, time_limit=3, jobs=1)
    run = Run("random", {}, lambda: puzzle, options)
    try:
        deque(run, maxlen=0)
    except InputError:
        return None
    if not (run.report.complete and run.collector):
        return None
    key = run.collector.question.key
    solutions = map(key.decode, run.collector.in_order())
    return frozenset(frozenset((label, solution.get(label, 0)) for label in key.labels) for solution in solutions)
