"""The backend that measures which of several is the best."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import count, permutations
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import ANY, Mock, patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.magic import magic
from models.matchsticks import matchsticks
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import solve
from solvers.backends.auto import BackendTrial, TrialResult, _rounds_for
from solvers.backends.cover import as_cover
from solvers.backends.cp import Cp
from solvers.backends.implied import exclusions
from solvers.backends.protocol import Task
from solvers.backends.registry import BackendChoice, choose, make_backend
from solvers.backends.sat import Sat
from solvers.base.backend_rows import BACKENDS
from solvers.base.errors import CheckError, Stopped
from solvers.base.tuning import TUNING, Round, override_tuning
from solvers.base.values import Values
from solvers.cubes import search
from solvers.cubes.branch import SampleCubes
from solvers.cubes.cube import Found
from tests.support import symmetric
from tests.support.backends import Assignment, projected, visits
from tests.support.classic_covers import COVERS
from tests.support.classics import CLASSICS, Classic, golomb, queens
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.random_models import brute_force, keys, models
from tests.support.refusals import refused
from tests.support.tiers import later, sampled

COUNTS = {
    "queens 10": 724,
    "langford 11": 35584,
    "costas 9": 760,
    "magic square 4": 880,
    "golomb 8": 2,
    "graceful cube": 2592,
    "rook's tours 6": 1072,
    "latin square 6": 9408,
}
"""OEIS A000170, twice A014552, A008404, A006052, twice A036501, three backends, twice A003763, A000315."""

TRIED = ("cp", "cp-sat", "sat")


@pytest.mark.thorough
@settings(deadline=None, max_examples=25)
@given(st.data())
def test_random_models(data: st.DataObject) -> None:
    """Whatever is broken off, and at which moment, every key is found once."""
    model = data.draw(models())
    key = data.draw(keys(model))
    moments = st.lists(st.tuples(st.sampled_from(TRIED), st.sampled_from([-1.0, 0.0, 0.0005, 0.5])), min_size=1)
    rounds = data.draw(st.lists(moments, min_size=1, max_size=2))
    found = Counter[Assignment]()
    with override_tuning(trial_rounds=rounds):
        trial = BackendTrial(Task(model, key, threading.Event()))
        if not model.proto.has_objective() or trial.prove().best is not None:
            found = listed(trial)
    expected = {tuple(values[v] for v in key) for values in brute_force(model)}
    assert projected(found, key) == Counter(expected)


CHOSEN = ("cp", "cp-sat", "sat:cadical195")


def trial_of(classic: Classic, stop: threading.Event | None = None, **options: Any) -> BackendTrial:
    """A trial on a model, with the key that it is known by."""
    return BackendTrial(Task(classic.model, [v.index for v in classic.key], stop or threading.Event(), **options))


def outcome(trial: BackendTrial) -> tuple[Counter[Assignment], TrialResult]:
    """How often each assignment is told by a trial whose chosen backend goes on, and the choice."""
    found = Counter[Assignment]()
    chosen = Mock()
    result = trial.run(
        lambda values: found.update([tuple(map(int, values))]), further_seconds=lambda _: float("inf"), chosen=chosen
    )
    assert result.is_searched
    chosen.assert_called_once()
    return found, result


def listed(trial: BackendTrial) -> Counter[Assignment]:
    """How often each assignment is told."""
    return outcome(trial)[0]


@override_tuning(trial_rounds=[[("cp", 0.001), ("cp-sat", 0.02), ("sat", 0.02)]])
def test_those_that_several_find_are_told_once() -> None:
    found, result = outcome(trial_of(queens(10)))
    assert len(found) == found.total() == 724
    assert result.why.startswith("solutions found in a second: ")
    assert result.backend.name.partition(":")[0] in result.why
    assert result.decides
    assert visits(result.backend) == found


@pytest.mark.thorough
@override_tuning(trial_rounds=[[("cp", 0.002), ("cp-sat", 0.0)]])
def test_one_that_prepares_longer_is_tried_once_more() -> None:
    """It is the better one here, as it searches everything."""
    found, told = Counter[Assignment](), Mock()
    result = trial_of(queens(10)).run(
        lambda values: found.update([tuple(map(int, values))]), further_seconds=lambda _: 0.002, chosen=told
    )
    assert [call.args[0].backend.name for call in told.call_args_list] == ["cp", "cp-sat"]
    assert result.why.endswith("on cp-sat once prepared")
    assert result.is_searched
    assert len(found) == found.total() == 724


@override_tuning(trial_rounds=[[("cp", 0.001), ("cp", 0.001)]])
def test_cp_goes_on_where_it_paused() -> None:
    trial = trial_of(queens(10))
    with patch.object(Cp, "solutions", autospec=True, side_effect=Cp.solutions) as begin:
        found, result = outcome(trial)
    assert found.total() == 724
    begin.assert_called_once_with(ANY, ())
    assert result.backend.name == "cp"
    assert result.why.startswith("solutions found in a second: ")


def lossy(backend: Cp, cube: Sequence[int] = (), solutions: Any = Cp.solutions) -> Iterator[Values]:
    """All but every seventh."""
    return (values for number, values in enumerate(solutions(backend, cube), 1) if number % 7)


@pytest.mark.parametrize(("is_formula", "first"), [(True, "sat"), (False, "cp-sat")])
def test_cp_sat_goes_first_on_many_rules_about_booleans_that_are_not_all_clauses(is_formula: bool, first: str) -> None:
    model = CpModel()
    literals = [model.new_bool_var("") for _ in range(3)]
    for _ in range(TUNING.max_constraints_for_cp):
        model.add_bool_or(literals)
    if not is_formula:
        model.add_exactly_one(literals)
    assert _rounds_for(model, is_small_cover=False, is_boolean=True)[0][0][0] == first


def test_whoever_goes_on_has_to_meet_what_others_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cp, "solutions", lossy)
    monkeypatch.setattr(BackendTrial, "fastest", lambda trial, _: TrialResult(trial._candidate("cp"), "", False, True))
    for rounds in ([("sat", 0.05), ("cp", 9.0)], [("cp", 0.0), ("sat", 0.05), ("cp", 0.0)]):
        sentence = r"cp finished its search, but missed \d+ solutions that others found"
        with override_tuning(trial_rounds=[rounds]):
            refused(sentence, listed, trial_of(queens(10)), raises=CheckError)


def test_no_better_solution_than_the_best_is_found() -> None:
    def found_and_stopped(backend: Sat, improved: Callable[[Values], object]) -> NoReturn:
        improved([3] * 99)
        raise Stopped

    sentence = "cp has proved that nothing is better than 99, but another has found 3"
    with (
        override_tuning(trial_rounds=[[("sat", 0.3), ("cp", 5.0)]], proving_trials=()),
        patch.object(Sat, "optimum", found_and_stopped),
        patch.object(Cp, "optimum", lambda *_: 99),
    ):
        refused(sentence, trial_of(golomb(5, 20)).prove, raises=CheckError)


@override_tuning(trial_rounds=[[("cp", 0.001), ("sat", 0.02)]])
def test_each_better_solution_is_told() -> None:
    ruler = golomb(7, 40)
    trial, costs = trial_of(ruler), list[int]()
    assert trial.prove(lambda values: costs.append(values[ruler.key[-1].index])).best == 25
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == 25
    assert listed(trial).total() == 10


def test_a_formula_that_was_searched_has_the_size_of_a_new_one() -> None:
    classic = queens(5)
    task = Task(classic.model, [variable.index for variable in classic.key], threading.Event())
    searched = Sat(task)
    assert len(visits(searched)) == 10
    again = replace(task, lowering=searched.lowering)
    assert make_backend("clasp", again).size == make_backend("clasp", task).size
    assert Sat(again).size == searched.size
    assert visits(make_backend("clasp", again)).total() == 10


def trial_on_cubes(classic: Classic, turns: Sequence[str]) -> BackendTrial:
    """The trial of a large model, after a round in which these backends have turns that are too short."""
    key = [variable.index for variable in classic.key]
    with (
        patch("solvers.backends.auto._is_large", lambda _: True),
        override_tuning(clause_trial_rounds=[[(name, 0.001) for name in turns]]),
    ):
        return BackendTrial(Task(classic.model, key, threading.Event()), partial(SampleCubes, key=key))


CUBE_TURNS = pytest.mark.parametrize("turns", [("cp", "cp-sat", "sat"), ("cp-sat", "sat")], ids=len)
"""The second time cp is compared only because the cubes take longer than it takes to be ready."""


@CUBE_TURNS
def test_random_cubes_choose(turns: Sequence[str]) -> None:
    classic = queens(10)
    sample = SampleCubes(classic.model, [variable.index for variable in classic.key])
    assert len(sample.cubes(sample.model, (), threading.Event())) > 30
    found, result = outcome(trial_on_cubes(classic, turns))
    assert len({solution[:10] for solution in found}) == found.total() == 724
    assert re.match(r"seconds for \d+ cubes? drawn at random: ", result.why)
    assert re.search(r"\bcp\b", result.why)
    assert result.decides


@CUBE_TURNS
def test_backends_that_count_differently_on_a_cube_are_noticed(turns: Sequence[str]) -> None:
    right, trial = Cp.enumerate, trial_on_cubes(queens(10), turns)

    def twice(self: Cp, found: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        right(self, found, cube)
        found([])

    with patch.object(Cp, "enumerate", twice):
        refused("of the solutions in one cube, ", outcome, trial, raises=CheckError)


def test_stops_when_told() -> None:
    stop = threading.Event()
    trial = trial_of(queens(12), stop)
    threading.Timer(0.3, stop.set).start()
    refused("^", listed, trial, raises=Stopped)


def test_parameters_are_of_those_that_have_them() -> None:
    board = queens(6)
    for parameters, name in (({"variable": "choose_max_size"}, "cp"), ({"linearization_level": "1"}, "cp-sat")):
        found, result = outcome(trial_of(board, parameters=parameters))
        assert (found.total(), result.backend.name) == (4, name)
    with override_tuning(max_constraints_for_cp=0):  # models of which cp is not tried otherwise
        assert trial_of(board, parameters={"value": "assign_max_value"}).first.name == "cp"
    refused("cp-sat has no parameter 'colour'", trial_of, board, parameters={"colour": "red"})


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "backend", "chosen"),
    [
        (magic(kind="ring"), "cp", "cp was done within 0.2 s"),
        (matchsticks(), "", "{}.*"),
        (
            puzzle(dict.fromkeys(range(3), BOOLEAN), lambda m, *three: m.add_bool_or(three)),
            "sat:cadical195",
            "{} was done within .* s",
        ),
        (pentomino("3x20"), "cover", "an exact cover, 6.0 items per option; ask OR-Tools.*"),
    ],
    ids=lambda value: value.name if isinstance(value, Puzzle) else "",
)
def test_the_report_says_why(asked: Puzzle, backend: str, chosen: str) -> None:
    report = solve(asked).report
    assert report.backend == (backend or report.backend)
    assert re.fullmatch(chosen.format(report.backend), report.backend_reason)
    assert "reason for it" in report.as_table()


@pytest.mark.parametrize("backend", ["auto", "cp"])
@override_tuning(trial_rounds=[[("sat", 0.05), ("cp", 0.0)]])
def test_a_run_fails_whose_cubes_do_not_hold_what_was_found(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "conquer_all", lambda *_: iter([Found([], Fraction(1))]))
    monkeypatch.setitem(BACKENDS, "cp", replace(BACKENDS["cp"], trial=0.02))
    words: dict[str, Any] = {"cubes": 8} if backend == "auto" else {}
    sentence = r"finished its search, but missed \d+ solutions found before"
    refused(sentence, solve, symmetric.queens(10), backend=backend, jobs=2, raises=CheckError, **words)


LEARNED = ("3 colours, 260 nodes", "3 colours, 60 nodes", "4 colours, wheel", "5 colours, 9 nodes", "pigeons 8")
"""Covers of exclusions, which those that learn search best; `tests.benchmarks.auto` measures them."""


TOO_LARGE = "square of 30, 380 holes"


@pytest.mark.parametrize(
    "name", later(COVERS, "square of 20, 170 holes", "square of 30, 380 holes", "sudoku 16, empty")
)
def test_which_covers_are_for_cover(name: str) -> None:
    model, key = COVERS[name]()
    cover = as_cover(model, [variable.index for variable in key])
    assert name != TOO_LARGE or exclusions(cover) is None  # so that others take the model as it is
    assert choose("auto", model, cover).backend == ("sat" if name in (*LEARNED, TOO_LARGE) else "cover")
    assert choose("cp", model, cover)[:2] == BackendChoice("cp")[:2]
    assert choose("auto", model, cover, {"seed": "1"}).backend == "sat"


@pytest.mark.parametrize(
    ("turns", "options", "chosen"),
    sampled([([("cover", 60.0)], 1000, "cover"), ([], 1000, "sat|clasp"), ([("cover", 60.0)], 100, "sat|clasp")], 3),
)
def test_cover_has_a_turn_where_options_cover_few_items(turns: Round, options: int, chosen: str) -> None:
    model, key = COVERS["3 colours, 60 nodes"]()
    asked = Puzzle("colours", {}, model, dict(enumerate(key)))
    with override_tuning(cover_trial=turns, max_paired_options=options):
        result = solve(asked, symmetry="none", jobs=1)
    assert (result.complete, result.total) == (True, 9504)
    assert re.match(chosen, result.report.backend)


def wait(self: Sat, task: Task) -> NoReturn:
    """Take for ever to be ready."""
    while not task.stop.is_set():
        pass
    raise Stopped


@override_tuning(trial_rounds=[[("cp", 0.0001), ("sat", 60.0), ("cp", 60.0)]], min_preparation_seconds=0.05)
def test_a_backend_that_is_not_ready_in_time_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sat, "__init__", wait)
    result = solve(magic(), jobs=1)
    assert (result.complete, result.total, result.report.backend) == (True, 8, "cp")


@override_tuning(
    clause_trial_rounds=[[("cp-sat", 0.0001)], [("sat", 60.0)]],
    min_preparation_seconds=0.05,
    sample_preparation_seconds=0.05,
)
def test_where_no_cubes_can_be_made_all_have_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sat, "__init__", wait)
    monkeypatch.setattr("solvers.backends.auto._is_large", lambda _: True)
    result = solve(magic(), jobs=1)
    assert (result.complete, result.total, result.report.backend) == (True, 8, "cp")


def test_a_run_that_ends_before_a_backend_is_chosen() -> None:
    report = solve(magic(kind="square", order=4), time_limit=0.05).report
    assert (report.complete, report.backend_reason) == (False, "")
    assert report.backend == "auto"
    assert all(line.split()[1:] or line.startswith("puzzle") for line in report.as_table().splitlines() if line)


def test_no_solution_has_a_best_value() -> None:
    proof = trial_of(golomb(5, 10)).prove()
    assert proof.best is None
    assert proof.why == f"{proof.backend.name} was the first to prove that there is no solution"


def test_what_only_cp_sat_takes() -> None:
    model = declared(
        [(0, 3)] * 2, lambda m, *starts: m.add_no_overlap([m.new_fixed_size_interval_var(s, 2, "") for s in starts])
    )
    found, result = outcome(BackendTrial(Task(model, range(2), threading.Event())))
    assert (result.backend.name, found.total()) == ("cp-sat", 6)


@pytest.mark.thorough
@pytest.mark.parametrize("name", COUNTS)
def test_classics(name: str) -> None:
    trial = trial_of(CLASSICS[name]())
    if name.startswith("golomb"):
        trial.prove()
    assert listed(trial).total() == COUNTS[name]


@pytest.mark.parametrize("options", [{}, {"cubes": 4}, {"store": "run.db"}], ids=str)
def test_routes_over_booleans(options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of vehicles visit three places: the sets of lists, OEIS A000262."""
    monkeypatch.chdir(tmp_path)
    routes = puzzle(
        dict.fromkeys(permutations(range(4), 2), BOOLEAN),
        lambda m, *chosen: m.add_multiple_circuit(
            [(*arc, literal) for arc, literal in zip(permutations(range(4), 2), chosen, strict=True)]
        ),
    )
    result = solve(routes, **options)
    assert (result.complete, result.total) == (True, 13)


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{"jobs": 2}, {"cubes": 5, "jobs": 2}, {"store": "run.db"}], ids=str)
@override_tuning(trial_rounds=[[("cp-sat", 0.01), ("cp", 0.05), ("sat", 0.05)]])
def test_the_choice_is_made_before_anything_is_split(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if there is no time at all for a search in one piece; and the wall clock has no say in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(search, "trial_seconds", lambda _: 0.0)
    seconds = count(step=1000)
    monkeypatch.setattr("time.perf_counter", lambda: next(seconds))  # of a machine that is very busy
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    report = solve(symmetric.queens(9), **options).report
    assert (report.complete, report.total) == (True, 352)
    assert report.backend in CHOSEN
    assert report.backend_reason


@override_tuning(trial_rounds=[[("cp", 0.02), ("cp-sat", 0.02), ("sat", 0.02)]])
def test_a_close_call_goes_to_a_fixed_order() -> None:
    for speeds, chosen in (
        ({"cp": 100.0, "cp-sat": 99.0, "sat": 98.0}, "cp-sat"),
        ({"cp": 100.0, "cp-sat": 50.0, "sat": 98.0}, "cp"),
        ({"cp": 40.0, "cp-sat": 50.0, "sat": 98.0}, "sat:cadical195"),
        ({"cp": 0.0, "cp-sat": 0.0, "sat": 0.0}, "cp-sat"),
    ):
        assert trial_of(queens(6)).fastest(speeds).backend.name == chosen
