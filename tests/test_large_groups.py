"""Groups that are too large to list: the same counts as by listing, and those that are known."""

from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from models.puzzle import Puzzle
from solvers import solve
from solvers.checks.constraints import intervals
from solvers.symmetry import automorphisms, large_group
from tests.support import random_models
from tests.support.bliss import InThisProcess

MOST_ASSIGNMENTS = 5_000


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automorphisms, "Bliss", InThisProcess)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_ways_give_the_same(data: st.DataObject) -> None:
    model = data.draw(random_models.models(random_models.KINDS))
    sizes = [sum(high - low + 1 for low, high in intervals(variable.domain)) for variable in model.proto.variables]
    assume(prod(sizes) <= MOST_ASSIGNMENTS)
    assume(not model.validate())
    variables = data.draw(random_models.keys(model))
    key = {f"v{n}": model.get_int_var_from_proto_index(n) for n in variables}
    puzzle = Puzzle("random", {}, model, key)
    options: dict[str, Any] = {"symmetry": "found", "jobs": 1}
    backend = data.draw(st.sampled_from(["sat", "cp-sat", "cp"]))
    with pytest.MonkeyPatch.context() as patch:
        listed = solve(puzzle, backend="sat", **options)
        assume(listed.report.symmetries != 1)
        patch.setattr(large_group, "MOST_LISTED", 0)
        large = solve(puzzle, backend=backend, **options)
        every = solve(puzzle, backend=backend, all=True, **options)
    expected = (listed.solutions, listed.total, listed.report.symmetries)
    assert (large.solutions, large.total, large.report.symmetries) == expected
    assert (every.solutions, every.total, every.report.symmetries) == expected
    assert large[:] == every[:]
    assert sorted(map(str, large.in_all())) == sorted(map(str, listed.in_all()))
