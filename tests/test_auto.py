"""The backend that measures which of several is the best."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.magic import magic
from models.matchsticks import matchsticks
from models.pentomino import pentomino
from solvers import solve
from solvers.backends import auto
from solvers.backends.auto import Auto
from solvers.backends.cp import Cp
from solvers.cubes import search
from solvers.errors import InputError, Stopped
from solvers.show.report import Report
from solvers.values import Values
from tests.support.classics import CLASSICS, golomb, queens
from tests.support.random_models import brute_force, keys, models

COUNTS = {
    "queens 10": 724,
    "langford 11": 35584,
    "costas 9": 760,
    "magic square 4": 880,
    "golomb 8": 2,
    "graceful cube": 2592,
    "rook's tours 6": 2144,
    "latin square 6": 9408,
}
"""OEIS A000170, twice A014552, A008404, A006052, twice A036501, three backends, twice A003763, A000315."""

TRIED = ("cp", "cp-sat", "sat")


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_random_models(data: st.DataObject) -> None:
    """Whatever is broken off, and at which moment, every key is found once."""
    model = data.draw(models())
    key = data.draw(keys(model))
    moments = st.lists(st.tuples(st.sampled_from(TRIED), st.sampled_from([-1.0, 0.0, 0.0005, 0.5])), min_size=1)
    rounds = data.draw(st.lists(moments, min_size=1, max_size=2))
    found: list[Values] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "SMALL", rounds)
        backend = Auto(model, key, threading.Event())
        objective = model.proto.objective if model.proto.has_objective() else None
        if objective is None or backend.optimum() is not None:
            backend.enumerate(found.append)
    solutions = brute_force(model)
    expected = {tuple(values[v] for v in key) for values in solutions}
    assert Counter(tuple(values[v] for v in key) for values in found) == Counter(expected)


def test_those_that_several_find_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "SMALL", [[("cp", 0.001), ("cp-sat", 0.02), ("sat", 0.02)]])
    model, key = queens(10)
    backend, found = Auto(model, [v.index for v in key], threading.Event()), list[tuple[int, ...]]()
    backend.enumerate(lambda values: found.append(tuple(values)))
    assert len(found) == len(set(found)) == 724
    assert backend.reason.startswith("solutions found in a second: ")
    assert backend.name.partition(":")[0] in backend.reason
    again: list[Values] = []
    backend.enumerate(again.append)
    assert len(again) == 724


def test_cp_goes_on_where_it_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "SMALL", [[("cp", 0.001), ("cp", 0.001)]])
    begun: list[Sequence[int]] = []
    solutions = Cp.solutions

    def begin(backend: Cp, cube: Sequence[int]) -> Iterator[Values]:
        begun.append(cube)
        return solutions(backend, cube)

    monkeypatch.setattr(Cp, "solutions", begin)
    model, key = queens(10)
    backend, found = Auto(model, [v.index for v in key], threading.Event()), list[Values]()
    backend.enumerate(found.append)
    assert (backend.name, len(found), begun) == ("cp", 724, [()])
    assert backend.reason.startswith("solutions found in a second: ")


def test_each_better_solution_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "SMALL", [[("cp", 0.001), ("sat", 0.02)]])
    model, key = golomb(7, 40)
    costs: list[int] = []
    backend = Auto(model, [v.index for v in key], threading.Event())
    assert backend.optimum(lambda values: costs.append(values[key[-1].index])) == 25
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == 25
    found: list[Values] = []
    backend.enumerate(found.append)
    assert len(found) == 10


def test_stops_when_told() -> None:
    stop = threading.Event()
    model, key = queens(12)
    backend = Auto(model, [v.index for v in key], stop)
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(Stopped):
        backend.enumerate(lambda _: None)


def test_parameters_are_of_those_that_have_them() -> None:
    model, key = queens(6)
    indices = [v.index for v in key]
    found: list[Values] = []
    for parameters, name in (({"variable": "choose_max_size"}, "cp"), ({"linearization_level": "1"}, "cp-sat")):
        backend = Auto(model, indices, threading.Event(), parameters=parameters)
        backend.enumerate(found.append)
        assert backend.name == name
    assert len(found) == 8
    with patch.object(auto, "MANY", 0):  # models of which cp is not tried otherwise
        assert Auto(model, indices, threading.Event(), parameters={"value": "assign_max_value"})._first.name == "cp"
    with pytest.raises(InputError, match="cp-sat has no parameter 'colour'"):
        Auto(model, indices, threading.Event(), parameters={"colour": "red"})


@pytest.mark.thorough
def test_the_report_says_why() -> None:
    report = solve(magic(kind="ring")).report
    assert (report.backend, report.chosen) == ("cp", "cp was done within 0.2 s")
    assert "chosen" in report.as_table()
    report = solve(matchsticks()).report
    assert report.objective == 97
    assert report.chosen.startswith(report.backend)
    report = solve(pentomino("3x20")).report
    assert (report.backend, report.chosen) == ("sat:cadical195", "all rules are about Booleans")
    assert not solve(magic(kind="ring"), backend="sat").report.chosen


def test_a_run_that_ends_before_a_backend_is_chosen() -> None:
    report = solve(magic(kind="square", order=4), time_limit=0.05).report
    assert (report.complete, report.chosen) == (False, "")
    assert report.backend == "auto"
    assert all(line.split()[1:] or line.startswith("puzzle") for line in report.as_table().splitlines() if line)


def test_no_solution_has_a_best_value() -> None:
    model, key = golomb(5, 10)
    backend = Auto(model, [v.index for v in key], threading.Event())
    assert backend.optimum() is None
    assert backend.reason == f"{backend.name} was the first to prove that there is no solution"


def test_what_only_cp_sat_takes() -> None:
    model = CpModel()
    starts = [model.new_int_var(0, 3, name) for name in "ab"]
    model.add_no_overlap([model.new_fixed_size_interval_var(start, 2, "") for start in starts])
    backend, found = Auto(model, [v.index for v in starts], threading.Event()), list[Values]()
    backend.enumerate(found.append)
    assert (backend.name, len(found)) == ("cp-sat", 6)


def test_how_long_cover_would_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LONG", -1.0)
    monkeypatch.setattr(search, "PROBING", 0.01)
    report = solve(pentomino("3x20"), backend="sat").report
    assert report.cover_seconds is not None
    assert solve(pentomino("3x20"), backend="cover").report.cover_seconds is None


def test_advice() -> None:
    told = "the model is an exact cover: --backend cover takes about {} of the time"
    for spent, progress, complete, part in (
        (4.4, 1.0, True, "a quarter"),
        (1.1, 0.25, False, "a quarter"),
        (2.1, 1.0, True, "half"),
        (8.5, 1.0, True, "an eighth"),
        (90.0, 1.0, True, "a tenth, or less,"),
    ):
        report = Report(cubes=7, complete=complete, progress=progress, cover_seconds=0.5)
        report.seconds["all"] = spent
        assert report.advice() == told.format(part)
        assert told.format(part) in report.as_table()
        report.cover_seconds = spent / progress
        assert report.advice() == ""


@pytest.mark.thorough
@pytest.mark.parametrize("name", COUNTS)
def test_classics(name: str) -> None:
    model, key = CLASSICS[name]()
    backend, count = Auto(model, [v.index for v in key], threading.Event()), list[None]()
    if model.proto.has_objective():
        backend.optimum()
    backend.enumerate(lambda _: count.append(None))
    assert len(count) == COUNTS[name]
